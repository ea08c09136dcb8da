"""Shared tasks with made-up scores, and names that a format must not take for its own."""

from dataclasses import replace

import numpy as np

from mtsig_core import TestSet
from mtsig_core.caution import Assumption
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores, show_name

NAMES = ["<b>A</b>", "B_1 & 50%", "\\end{tabular}", show_name("[1em] \u202eD")]


def made(names=NAMES, pairs=("en-de", "en-cs"), missing=0, documents=20, higher=True):
    """Systems ever worse, of which the last `missing` have the first language pair alone; the
    second is known not to be in the constrained track.
    """
    rng = np.random.default_rng(5)
    testsets = {}
    for k, pair in enumerate(pairs):
        own = names[: len(names) - missing * (k > 0)]
        scores = {
            name: rng.normal(80 - 4 * n if higher else 80 + 4 * n, 3, 2 * documents).tolist()
            for n, name in enumerate(own)
        }
        texts = {name: [None] * 2 * documents for name in own}
        testsets[pair] = TestSet(
            f"set {pair}",
            texts,
            {},
            scores={"X": SegmentScores(scores, higher)},
            documents=[f"d{n // 2}" for n in range(2 * documents)],
        )
    systems = {name: SystemInfo(n != 1) for n, name in enumerate(names)}
    return Task(
        "my task",
        testsets,
        systems,
        tuple(Assumption("direction-told", {"metric": name, "higher": True}) for name in "XY"),
    )


def rated(task):
    """The same with a metric that has the order the other way round, and one that has all alike,
    and with scores by people, who agree with X.
    """

    def more(testset):
        x = testset.scores["X"].by_system
        names = list(x)
        back = {name: list(x[other]) for name, other in zip(names, reversed(names), strict=True)}
        own = {
            "100%_Y": SegmentScores(back, True),
            "<i>Z": SegmentScores(
                {name: [50.0, 60.0] * (len(x[name]) // 2) for name in names}, True
            ),
            "mqm": SegmentScores(
                {name: [value + k % 3 for k, value in enumerate(x[name])] for name in names}, True
            ),
        }
        return replace(testset, scores={**testset.scores, **own})

    return replace(task, testsets={pair: more(testset) for pair, testset in task.testsets.items()})
