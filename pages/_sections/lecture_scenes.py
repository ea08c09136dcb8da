"""The scenes of the lecture: the data before a guess, the draws, and the conclusion of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments import lecture
from mtsig_core.experiments.error_rates import FamilyDecisions
from mtsig_core.experiments.lecture import (
    BlocksAndBroad,
    Excerpt,
    PowerTests,
    Resamples,
    Swaps,
    span,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.lecture_texts import SceneTexts
from mtsig_core.stats.significance import CORRECTIONS
from pages._work.memory import remember

# Remembered: results on a whole test set; draws, and results on a few sentences.
_blocks_and_broad = remember(20)(lecture.blocks_and_broad)
_better = remember(20)(lecture.better)
_family = remember(20)(lecture.family)
_excerpt = remember(60)(lecture.excerpt)
_three_sentences = remember(60)(lecture.three_sentences)
_resamples = remember(60)(lecture.resamples)
_random_swaps = remember(60)(lecture.random_swaps)
_all_swaps = remember(60)(lecture.all_swaps)
_equal_tests = remember(60)(lecture.equal_tests)
_tables = remember(300)(lecture.tables)
_power_tests = remember(300)(lecture.power_tests)

_BLOCK_SIZE = 300  # segments of a block or broad sample


@dataclass(frozen=True)
class Subject:
    """The subject of a scene."""

    testset: TestSet
    metric: str
    a: str  # two systems
    b: str
    seed: int
    world: int  # which of the scene's worlds, where it has some
    instead: str = ""  # why it is not the test set that the link asks for

    @property
    def names(self) -> list[str]:
        """The names of the two systems, short enough for the stage."""
        return texts.name_systems(self.testset, self.a, self.b)

    def sentences(self, n: int) -> Excerpt:
        """Return short sentences of the two systems."""
        return _excerpt(self.testset, self.metric, self.a, self.b, n, self.seed)

    def cut(self) -> BlocksAndBroad:
        """Return samples of system a."""
        return _blocks_and_broad(self.testset, self.metric, self.a, _BLOCK_SIZE, self.seed)


@dataclass(frozen=True)
class Scene:
    """One scene."""

    most: int  # steps
    words: SceneTexts
    #: The scale of the prediction; or subject -> it.
    guess: dict | Callable[[Subject], dict]
    #: Subject -> what is shown before the prediction, without the answer.
    body: Callable[[Subject], dict]
    #: (Subject, steps) -> the draws up to there, and their axes.
    rows: Callable[[Subject, int], dict]
    #: (Subject, steps) -> the result of the draws up to there, and the sentences of the end.
    end: Callable[[Subject, int], dict]
    at_once: int = 1000  # draws that are sent together; fewer than all where they take long
    worlds: tuple[str, ...] = ()  # what can be chosen next to the steps
    #: (Subject, steps) -> draws of what comes after the answer.
    further: Callable[[Subject, int], dict] | None = None
    #: Makes and remembers the first draws, where these take long.
    prepare: Callable[[Subject], object] | None = None
    #: Subject -> steps, where a test set may not have the most.
    fewer: Callable[[Subject], int] | None = None

    def steps(self, subject: Subject) -> int:
        """Return the number of steps."""
        if self.fewer is None:
            return self.most
        return min(self.most, self.fewer(subject))

    def name_world(self, world: int) -> str:
        """Return the name of a world; nothing where the scene has none."""
        if world < len(self.worlds):
            return self.worlds[world]
        return ""

    def go_on(self, subject: Subject, steps: int) -> None:
        """Compute the part after the answer while the room reads.

        It is done in small pieces, so that a key pressed meanwhile comes first.
        """
        if self.further is None:
            return
        for n_steps in range(self.at_once, steps + self.at_once, self.at_once):
            # Here Streamlit breaks off a run that another is to follow.
            st.session_state.get("lecture")
            self.further(subject, min(n_steps, steps))

    def scale(self, subject: Subject) -> dict:
        """Return the scale of the prediction."""
        return self.guess(subject) if callable(self.guess) else self.guess

    def read_guess(self, text: str | None, subject: Subject) -> tuple[float, ...] | None:
        """Return the prediction in a link, or None if it does not fit the scale."""
        if re.fullmatch(rf"-?{_NUMBER}(,-?{_NUMBER})?", text or "") is None:
            return None
        scale = self.scale(subject)
        values = sorted(float(number) for number in text.split(","))
        n_values = 2 if scale["kind"] == "range" else 1
        if "options" in scale:
            low = 0
            high = len(scale["options"]) - 1
        else:
            low = scale["min"]
            high = scale["max"]
        if len(values) != n_values or values[0] < low or values[-1] > high:
            return None
        return tuple(values)

    def read_votes(self, text: str | None, subject: Subject) -> tuple[float, ...]:
        """Return the votes in a link; empty if they do not fit.

        They are numbers on the scale, ranges (two numbers each), or hands for each option and for a
        tie.
        """
        if re.fullmatch(rf"{_NUMBER}(,{_NUMBER})*", text or "") is None:
            return ()
        scale = self.scale(subject)
        votes = tuple(float(number) for number in text.split(","))
        if scale["kind"] == "choice":
            return votes if len(votes) <= len(scale["options"]) + 1 else ()
        is_paired = scale["kind"] != "range" or len(votes) % 2 == 0
        if not is_paired or len(votes) > MOST_VOTES:
            return ()
        if min(votes) < scale["min"] or max(votes) > scale["max"]:
            return ()
        return votes


_NUMBER = r"\d{1,6}(?:\.\d{1,6})?"
#: Numbers that a room may vote, as in assets/lecture/stage.js: a large class. The link holds them
#: all.
MOST_VOTES = 600
_WORDS = texts.read_scenes()


def _slider(most: int, start: int, unit: str) -> dict:
    """Return the scale of a guess."""
    return {"kind": "slider", "min": 0, "max": most, "step": 1, "start": start, "unit": unit}


# Scenes that resample.

_URN_SENTENCES = 12
_TABLE_SENTENCES = 10


def _draw_resamples(subject: Subject) -> Resamples:
    """Return all resamples of the scene."""
    return _resamples(subject.sentences(_URN_SENTENCES), subject.seed, 0, BOOTSTRAP.most)


def _draw_swaps(subject: Subject) -> tuple[Swaps, Swaps]:
    """Return all random permutations of the scene, and all that exist."""
    excerpt = subject.sentences(_TABLE_SENTENCES)
    return _random_swaps(excerpt, subject.seed, 0, RANDOMIZATION.most), _all_swaps(excerpt)


def _bootstrap_body(subject: Subject) -> dict:
    excerpt = subject.sentences(_URN_SENTENCES)
    return {
        "sentences": list(excerpt.testset.systems[subject.a]),
        "names": subject.names,
        "metric": metric_title(subject.metric),
        "sums": texts.list_sums(excerpt.metric.stat_names),
        "sums_of": "We add up the n-gram counts of the drawn sentences.",
        "extra": "Both systems, same draws",
    }


def _bootstrap_rows(subject: Subject, steps: int) -> dict:
    excerpt = subject.sentences(_URN_SENTENCES)
    draws = _draw_resamples(subject)
    result = draws.first(steps)
    return {
        "n": steps,
        "observed": [round(float(excerpt.scores[0]), 4), round(excerpt.improvement, 4)],
        "weights": result.weights.tolist(),
        "sums": result.sums[:, 0].tolist(),
        "missing": result.missing.tolist(),
        "scores": result.scores[:, 0].round(4).tolist(),
        "differences": result.improvement.round(4).tolist(),
        # of all draws, so that the axes stay, whatever the number of steps
        "axes": {
            "scores": span(draws.scores[:, 0]),
            "differences": span(draws.improvement, about=0.0),
        },
    }


def _bootstrap_end(subject: Subject, steps: int) -> dict:
    result = _draw_resamples(subject).first(steps)
    interval, difference = result.middle()
    return {
        "interval": interval,
        "difference": difference,
        "worse": result.share_worse,
        "missing": result.mean_missing,
        **texts.bootstrap_end(result, *subject.names),
    }


def _randomization_body(subject: Subject) -> dict:
    excerpt = subject.sentences(_TABLE_SENTENCES)
    systems = excerpt.testset.systems
    a, b = excerpt.scores.tolist()
    outputs = zip(systems[subject.a], systems[subject.b], strict=True)
    return {
        "outputs": [list(pair) for pair in outputs],
        "names": subject.names,
        "observed": round(a - b, 4),
        "metric": metric_title(subject.metric),
    }


def _randomization_rows(subject: Subject, steps: int) -> dict:
    random_swaps, all_swaps = _draw_swaps(subject)
    result = random_swaps.first(steps)
    return {
        "n": steps,
        "swapped": result.swapped.tolist(),
        "differences": result.differences.round(4).tolist(),
        "extreme": result.extreme.astype(int).tolist(),
        "counts": np.cumsum(result.extreme).tolist(),
        "p": result.running_p.round(6).tolist(),
        "axis": span(all_swaps.differences, about=0.0),
    }


def _randomization_end(subject: Subject, steps: int) -> dict:
    random_swaps, all_swaps = _draw_swaps(subject)
    return {
        "exact": all_swaps.p,
        "ways": len(all_swaps.differences) + 1,
        "every": all_swaps.differences.round(4).tolist(),
        **texts.randomization_end(random_swaps.first(steps), all_swaps),
    }


def _blocks_body(subject: Subject) -> dict:
    result = subject.cut()
    return {
        "ribbon": result.difficulty(result.ribbon).round(3).tolist(),
        "metric": metric_title(subject.metric),
        "size": _BLOCK_SIZE,
        "ribbon_label": f"{subject.testset.n_segments:,} sentences in their order",
        "extra": "Shuffle the sentences",
    }


def _blocks_rows(subject: Subject, steps: int) -> dict:
    result = subject.cut()
    return {
        "n": steps,
        "blocks": result.blocks[:steps].round(4).tolist(),
        "broad": result.broad[:steps].round(4).tolist(),
        "axis": span(result.blocks),
    }


def _blocks_end(subject: Subject, steps: int) -> dict:
    result = subject.cut().first(steps)
    return {
        "blocks": [float(np.min(result.blocks)), float(np.max(result.blocks))],
        "broad": [float(np.min(result.broad)), float(np.max(result.broad))],
        "ratio": result.ratio()[0],
        "shuffled": result.shuffled.round(4).tolist(),
        "shuffled_ratio": result.ratio("shuffled")[0],
        "shuffled_ribbon": result.difficulty(result.shuffled_ribbon).round(3).tolist(),
        **texts.blocks_end(subject.metric, result, subject.testset.simulated),
    }


BOOTSTRAP = Scene(
    1000,
    _WORDS["bootstrap"],
    _slider(_URN_SENTENCES, 0, " of 12"),
    _bootstrap_body,
    _bootstrap_rows,
    _bootstrap_end,
    prepare=_draw_resamples,
)
RANDOMIZATION = Scene(
    1000,
    _WORDS["randomization"],
    _slider(100, 50, "%"),
    _randomization_body,
    _randomization_rows,
    _randomization_end,
    prepare=_draw_swaps,
)
BLOCKS = Scene(
    100,
    _WORDS["blocks"],
    {"kind": "range", "min": 0, "max": 100, "step": 1, "low": 20, "high": 40, "unit": ""},
    _blocks_body,
    _blocks_rows,
    _blocks_end,
    fewer=lambda subject: len(subject.cut().blocks),
)


# Scenes on common mistakes.

_FAMILY_SIZES = (1, 2, 5, 10, 20, 40)
_CORRELATIONS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_FIRST_WORLDS = ((20, 0.1), (5, 0.1), (20, 0.3), (1, 0.0))  # the order worth showing


def _put_first(
    first: Sequence[tuple[float, float]], combinations: Iterable[tuple[float, float]]
) -> tuple[tuple[float, float], ...]:
    """Return the combinations, some of them first."""
    return tuple(dict.fromkeys([*first, *combinations]))


#: Sentences per document, and how alike they are; a link without a world has the first.
WORLDS = _put_first(_FIRST_WORLDS, product(_FAMILY_SIZES, _CORRELATIONS))
_TILED = 112


def _name_family(per_document: int, correlation: float) -> str:
    if per_document == 1:
        return "no documents"
    return f"{per_document} a document, rho {correlation:g}"


def _find_sentences(subject: Subject) -> lecture.ThreeSentences:
    return _three_sentences(subject.testset, subject.metric)


def _name_two(subject: Subject) -> list[str]:
    return texts.name_systems(subject.testset, *_find_sentences(subject).names)


def _mean_body(subject: Subject) -> dict:
    result = _find_sentences(subject)
    return {
        "names": _name_two(subject),
        "outputs": result.outputs,
        "references": result.references,
        "scores": result.scores,
        "mean": result.mean,
        "lengths": result.lengths,
    }


def _mean_guess(subject: Subject) -> dict:
    return {
        "kind": "choice",
        "options": _name_two(subject),
        "prompt": "By the corpus score, the better is",
    }


def _mean_rows(subject: Subject, _steps: int) -> dict:
    result = _find_sentences(subject)
    return {"n": len(result.lengths), "sums": result.sums, "corpus": result.corpus}


def _mean_end(subject: Subject, _steps: int) -> dict:
    return texts.mean_end(_find_sentences(subject), _name_two(subject))


def _test_equal_systems(subject: Subject) -> lecture.EqualSystems:
    per_document, correlation = WORLDS[subject.world]
    return _equal_tests(per_document, correlation, subject.seed, 0, DOCUMENTS.most)


def _documents_body(subject: Subject) -> dict:
    per_document, _ = WORLDS[subject.world]
    return {
        "per_document": per_document,
        "documents": lecture.SENTENCES // per_document,
        "alpha": lecture.ALPHA,
        "tiles_label": "difference by sentence",
        "sizes": list(_FAMILY_SIZES),
        "correlations": list(_CORRELATIONS),
        "worlds": [list(world) for world in WORLDS],
    }


def _documents_rows(subject: Subject, steps: int) -> dict:
    result = _test_equal_systems(subject).first(steps)
    return {
        "n": steps,
        "sentence": result.by_sentence.round(5).tolist(),
        "document": result.by_document.round(5).tolist(),
        "tiles": result.shades(_TILED),
    }


def _documents_end(subject: Subject, steps: int) -> dict:
    per_document, correlation = WORLDS[subject.world]
    result = _test_equal_systems(subject).first(steps)
    return texts.documents_end(result, per_document, correlation)


_TABLES_AT_ONCE = 10


def _decide_families(subject: Subject, steps: int, better: int) -> FamilyDecisions:
    """Return the test sets up to a step.

    They are made ten at a time, so that none is made twice.
    """
    family = _family(
        subject.testset,
        subject.metric,
        better=better,
        seed=subject.seed,
    )
    batches = [
        _tables(family, subject.seed, first, first + _TABLES_AT_ONCE)
        for first in range(0, steps, _TABLES_AT_ONCE)
    ]
    return FamilyDecisions.joined(batches).first(steps)


def _comparisons_body(_subject: Subject) -> dict:
    n = lecture.N_SYSTEMS
    n_better = lecture.N_BETTER
    return {
        "systems": n,
        "better": n_better,
        "true_pairs": n_better * (n - n_better),
        "corrections": [(name, CORRECTIONS[name].title) for name in lecture.CORRECTIONS_SHOWN],
        "extra": "Three truly better",
    }


def _comparisons_rows(subject: Subject, steps: int, better: int = 0) -> dict:
    result = _decide_families(subject, steps, better)
    cells = {}
    for name in result.corrections:
        cells[name] = [_list_claims(claims) for claims in result.claims(name)]
    return {
        "n": steps,
        "cells": cells,
        "false": {name: result.false(name).tolist() for name in result.corrections},
        "lost": {name: result.lost(name).tolist() for name in result.corrections},
    }


def _list_claims(claims: np.ndarray) -> list[tuple[int, int]]:
    """Return the claims of a test set as (pair, 1 or -1)."""
    return [(int(pair), int(claims[pair])) for pair in np.flatnonzero(claims)]


def _comparisons_end(subject: Subject, steps: int) -> dict:
    return texts.comparisons_end(_decide_families(subject, steps, 0))


def _comparisons_further(subject: Subject, steps: int) -> dict:
    n_better = lecture.N_BETTER
    return {
        **_comparisons_rows(subject, steps, n_better),
        **texts.three_better_end(_decide_families(subject, steps, n_better)),
    }


MEAN = Scene(3, _WORDS["mean"], _mean_guess, _mean_body, _mean_rows, _mean_end)
DOCUMENTS = Scene(
    1000,
    _WORDS["documents"],
    _slider(100, 5, " of 100"),
    _documents_body,
    _documents_rows,
    _documents_end,
    prepare=_test_equal_systems,
    worlds=tuple(_name_family(size, correlation) for size, correlation in WORLDS),
)
COMPARISONS = Scene(
    200,
    _WORDS["comparisons"],
    _slider(105, 0, " of 105"),
    _comparisons_body,
    _comparisons_rows,
    _comparisons_end,
    at_once=_TABLES_AT_ONCE,
    further=_comparisons_further,
    prepare=lambda subject: _decide_families(subject, 20, 0),
)


# The scene on power: one system is truly better by a number of points, on test sets of one size.

_POINTS = (0.5, 1.0, 2.0)
_POWER_SIZES = (100, 300, 1000, 3000)
_FIRST_POWER_WORLD = (1.0, 300)
_TESTS_AT_ONCE = 20
#: True differences and sizes of test sets; a link without a world has the first.
POWER_WORLDS = _put_first([_FIRST_POWER_WORLD], product(_POINTS, _POWER_SIZES))


def _make_better(subject: Subject) -> lecture.Better:
    points, _ = POWER_WORLDS[subject.world]
    return _better(subject.testset, subject.metric, points)


def _test_better(subject: Subject, steps: int) -> PowerTests:
    """Return the test sets up to a step.

    They are made some at a time, so that none is made twice.
    """
    better = _make_better(subject)
    _, n = POWER_WORLDS[subject.world]
    batches = [
        _power_tests(better, n, subject.seed, first, first + _TESTS_AT_ONCE)
        for first in range(0, steps, _TESTS_AT_ONCE)
    ]
    return PowerTests.joined(batches).first(steps)


def _power_body(subject: Subject) -> dict:
    return {
        "points": list(_POINTS),
        "sizes": list(_POWER_SIZES),
        "worlds": [list(world) for world in POWER_WORLDS],
        "metric": metric_title(subject.metric),
        "alpha": lecture.ALPHA,
    }


def _power_rows(subject: Subject, steps: int) -> dict:
    better = _make_better(subject)
    result = _test_better(subject, steps)
    _, n = POWER_WORLDS[subject.world]
    reach = 4 * better.error(n)
    return {
        "n": steps,
        "differences": result.differences.round(4).tolist(),
        "true": better.difference,
        "sizes": [None if size is None else round(size, 4) for size in result.running_sizes],
        "found": result.significant.astype(int).tolist(),
        "axis": {
            "low": min(better.difference - reach, -0.1 * reach),
            "high": better.difference + reach,
        },
    }


def _power_end(subject: Subject, steps: int) -> dict:
    result = _test_better(subject, steps)
    better = _make_better(subject)
    _, n = POWER_WORLDS[subject.world]
    words = texts.power_end(result, n, better.planned(n), better.planned_exaggeration(n))
    return {"mean": result.mean_size, **words}


POWER = Scene(
    300,
    _WORDS["power"],
    _slider(100, 80, " of 100"),
    _power_body,
    _power_rows,
    _power_end,
    at_once=_TESTS_AT_ONCE,
    worlds=tuple(f"{texts.name_points(points)}, {n:,} sentences" for points, n in POWER_WORLDS),
    prepare=lambda subject: _test_better(subject, _TESTS_AT_ONCE),
)
