"""What was read of a shared task, kept on disk: a hundred megabytes of scores in JSON Lines are parsed once, and not
even looked into again while the files stay untouched."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from mtsig_core.data.segment_scores import SegmentScores
from mtsig_core.data.task import SystemInfo, Task
from mtsig_core.data.task_source import TaskSource
from mtsig_core.data.testset import TestSet
from mtsig_core.metrics.cache import keep_array, keep_text, kept_array, kept_text

__all__ = ["digest_of", "read_once"]

_RECENT = 2e9  # nanoseconds in which a file may change again and keep its time: clocks of file systems are coarse


def digest_of(source: TaskSource) -> str:
    """`TaskSource.digest`, from disk where no file has another size, time or place than when it was taken."""
    files = [*source.files(), *filter(os.path.exists, source.beside())]
    stats = [os.stat(path) for path in files]
    key = ("digest", asdict(replace(source, named_from=None)), [os.path.abspath(path) for path in files],
           [(one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino, one.st_dev) for one in stats])
    found, now = kept_text(*key), time.time_ns()
    if found is None:
        found = source.digest()
        if all(max(one.st_mtime_ns, one.st_ctime_ns) < now - _RECENT for one in stats):
            keep_text(found, *key)
    return found


def read_once(source: TaskSource, digest: str) -> Task:
    """The task of a source, by what is kept of it where that is whole. Texts are as quick to read as they would be to
    open: of them nothing is kept."""
    found = _opened(digest)
    if found is None:
        found = source.read()
        if all(map(_scores_alone, found.testsets.values())):
            _keep(found, digest)
    return found


def _scores_alone(testset: TestSet) -> bool:
    more = testset.references, testset.sources, testset.parses, testset.runs, testset.tokenizer, testset.simulated
    return not any(more) and testset.lines == tuple(range(1, testset.n_segments + 1))


def _keep(task: Task, digest: str) -> None:
    pairs = {}
    for pair, testset in task.testsets.items():
        rows = [values for scores in testset.scores.values() for values in scores.by_system.values()]
        keep_array(np.array(rows, dtype=np.float64), digest, "scores", pair)  # None is NaN
        pairs[pair] = {
            "digest": testset.digest, "systems": list(testset.systems),
            "scores": {name: [scores.higher_is_better, list(scores.by_system)]
                       for name, scores in testset.scores.items()},
            **{key: getattr(testset, key) for key in ("name", "langpair", "documents", "domains", "assumed")}}
    keep_text(json.dumps({"name": task.name, "assumed": task.assumed, "pairs": pairs, "systems": {
        name: asdict(info) for name, info in task.systems.items()}}), digest, "task")


def _opened(digest: str) -> Task | None:
    """The task that is kept under a digest; None where a part of it is not."""
    text = kept_text(digest, "task")
    if text is None:
        return None
    data, testsets = json.loads(text), {}
    for pair, told in data["pairs"].items():
        rows = kept_array(digest, "scores", pair)
        if rows is None:
            return None
        testsets[pair] = _testset(told, rows)
    systems = {name: SystemInfo(**info) for name, info in data["systems"].items()}
    return Task(data["name"], testsets, systems, tuple(data["assumed"]))


def _testset(told: dict[str, Any], rows: np.ndarray) -> TestSet:
    values, gaps = iter(rows.tolist()), iter(np.isnan(rows).any(axis=1).tolist())

    def row() -> list[float | None]:
        own: list[float | None] = next(values)
        return [None if value != value else value for value in own] if next(gaps) else own

    scores = {name: SegmentScores({system: row() for system in systems}, higher)
              for name, (higher, systems) in told["scores"].items()}
    found = TestSet(told["name"], dict.fromkeys(told["systems"], (None,) * rows.shape[1]), {},
                    documents=told["documents"], domains=told["domains"], langpair=told["langpair"], scores=scores,
                    assumed=tuple(told["assumed"]))
    vars(found)["digest"] = told["digest"]  # which takes longer than all the rest
    return found
