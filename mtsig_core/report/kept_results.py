"""Results that are kept on disk, so that the same one is not computed again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.metrics.cache import keep_array, keep_text, kept_array, kept_text
from mtsig_core.report.commands import defaults
from mtsig_core.report.export import to_json
from mtsig_core.report.reading import as_object, at, parsed, read_task_comparison, record, records
from mtsig_core.report.task_export import task_json
from mtsig_core.results import (
    Agreement,
    AgreementComparison,
    Caution,
    MetricAgreement,
    SamplingSettings,
    TaskAgreement,
    TaskComparison,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import AcrossDraws
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.task import SystemInfo, Task, TaskExclusion, without
from mtsig_core.testset import SegmentScores, TestSet

#-----------------------------------------------------------------------------------------------------------------------
# What was drawn for comparisons, kept on disk: the same systems decided or printed in another way are not drawn again.


_LARGEST = 1 << 26  # bytes of one entry: to keep more takes longer than it saves


class KeptDraws(MutableMapping[Any, Any]):
    """Draws by their keys, see `comparison.draws_key`, in memory and, by metrics of ours, on disk.

    Once a draw is found on disk or kept there, this process has it in memory, too.
    """

    def __init__(self) -> None:
        self._here: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        if key not in self._here:
            kind, *of = _on_disk(key)
            content = None if kind is None else kept_array(*of)
            if content is None:
                raise KeyError(key)
            try:
                self._here[key] = msgspec.msgpack.decode(content, type=kind | None, dec_hook=_to_array)
            except msgspec.MsgspecError:  # whatever it is, it is drawn again
                raise KeyError(key) from None
        return self._here[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._here[key] = value
        kind, *of = _on_disk(key)
        if kind is not None:
            content = msgspec.msgpack.encode(value, enc_hook=_from_array)
            if len(content) <= _LARGEST:
                keep_array(np.frombuffer(content, np.uint8), *of)

    def __delitem__(self, key: Any) -> None:
        del self._here[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._here)

    def __len__(self) -> int:
        return len(self._here)


def _on_disk(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The type of what a key is of, and what it is kept by; None of what other packages count, whose code may change."""
    kind: type = {"draws": MetricDraws, "across": AcrossDraws}[key[0]]
    of = [key] if key[0] == "draws" else key[3:]
    return (kind, repr(key)) if all(one[2] is not None for one in of) else (None,)


def _from_array(array: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    return array.dtype.str, array.shape, array.tobytes()


def _to_array(kind: type, parts: Any) -> np.ndarray:
    dtype, shape, content = parts
    return np.frombuffer(content, dtype).reshape(shape)


#-----------------------------------------------------------------------------------------------------------------------
# What was read of a shared task, kept on disk: a hundred megabytes of scores in JSON Lines are parsed once, and not
# even looked into again while the files stay untouched.


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


#-----------------------------------------------------------------------------------------------------------------------
# Comparisons of a shared task that are kept on disk: each language pair and metric is computed once.


class KeptTask:
    """A shared task, read only where something of it is not kept yet.

    Parameters
    ----------
    source : TaskSource
    whole : KeptTask, optional
        The same without exclusions, where it is there: its files are then not read again.
    read : callable, optional
        Gives the task, where that is quicker than to read the source.
    """

    def __init__(self, source: TaskSource, whole: KeptTask | None = None, read: Callable[[], Task] | None = None):
        self.source, self._read = source, read or (lambda: read_once(source, self.digest))
        self._whole = whole or (KeptTask(replace(source, exclude=()), read=read) if source.exclude else self)
        self.digest: str = digest_of(source) if self._whole is self else _digest(self._whole.digest, source.exclude)

    def leaving_out(self, exclude: Sequence[TaskExclusion]) -> KeptTask:
        """The same task without these systems in place of those left out here; language pairs that have all their
        systems, or are as they once were, are not compared again."""
        return KeptTask(replace(self.source, exclude=tuple(exclude)), self._whole) if exclude else self._whole

    @cached_property
    def task(self) -> Task:
        """All of it, read."""
        return self._read() if self._whole is self else without(self._whole.task, self.source.exclude)

    @cached_property
    def info(self) -> TaskInfo:
        """What it is, with the names of its metrics by language pair."""
        key = self._whole.digest, "info", *self._left_out
        text = kept_text(*key)
        if text is None:
            text = task_json(TaskComparison(TaskInfo.of(self.task), {}, {}))
            keep_text(text, *key)
        return read_task_comparison(text).task

    @cached_property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Systems and segments of each language pair."""
        text = kept_text(self._whole.digest, "sizes")
        if text is None:
            whole = self._whole.task.testsets
            text = json.dumps({pair: (list(testset.systems), testset.n_segments) for pair, testset in whole.items()})
            keep_text(text, self._whole.digest, "sizes")
        found = json.loads(text)
        return {pair: (len({*found[pair][0]} - self._gone(pair)), found[pair][1]) for pair in self.info.pairs}

    @cached_property
    def references(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Of each language pair its references, and those with ratings that are no systems."""
        text = kept_text(self._whole.digest, "references")
        if text is None:
            whole = self._whole.task.testsets
            text = json.dumps({pair: (list(testset.references), list(testset.waiting))
                               for pair, testset in whole.items()})
            keep_text(text, self._whole.digest, "references")
        return {pair: (tuple(texts), tuple(rated)) for pair, (texts, rated) in json.loads(text).items()}

    @cached_property
    def _left_out(self) -> tuple[tuple[str, str], ...]:
        """(language pair, empty for all, and system) of who is left out; reasons change no number."""
        return tuple(sorted({(one.pair or "", one.system) for one in self.source.exclude}))

    def _gone(self, pair: str) -> set[str]:
        """Who is left out of a language pair."""
        return {name for where, name in self._left_out if where in ("", pair)}

    def beside(self, pair: str) -> tuple[TestSet, TestSet]:
        """The test set of a language pair, and the same with all its references and the line that is a canary."""
        testset = self.task.testsets[pair]
        whole = testset if self.source.folder is None else self.source.of_pair(pair).everything().read()
        return testset, whole.only(name for name in whole.systems if name in testset.systems)

    @property
    def excluded(self) -> tuple[TaskExclusion, ...]:
        """Who is left out, for a reason of this comparison or because they withdrew."""
        return (*self.source.exclude, *(TaskExclusion(name, "withdrawn") for name in self.source.withdrawn()))

    def testset(self, pair: str) -> TestSet:
        """One of its language pairs."""
        return self.task.testsets[pair]


def _digest(whole: str, exclude: Sequence[TaskExclusion]) -> str:
    return hashlib.blake2b(f"{whole}\0{exclude}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


#-----------------------------------------------------------------------------------------------------------------------
# How far metrics decide as people do over a task, kept on disk as its comparisons are.


#: Settings of a task's comparison that metrics are held against people by, too.
AS_COMPARED = "unit", "block_length", "alpha", "resamples", "seed"


def kept_agreement(kept: KeptTask, human: str, metrics: Sequence[str] | None = None, *, jobs: int = 1,
                   progress: Callable[[str, float], None] | None = None, **settings: Any) -> TaskAgreement:
    """As `task_agreement`, by what is kept where it was asked for before.

    Parameters
    ----------
    kept : KeptTask
    human : str
    metrics : sequence of str, optional
    settings
        Of `task_agreement`.
    """
    asked = defaults(task_agreement) | {"metrics": metrics} | settings
    key = kept.digest, "agreement", human, sorted((k, v) for k, v in asked.items() if k not in ("jobs", "progress"))
    info, text = kept.info, kept_text(*key)  # which is kept too
    if text is not None:
        return _read(text, info)
    found = task_agreement(kept.task, human, metrics, jobs=jobs, progress=progress, **settings)
    keep_text(to_json({name: value for name, value in asdict(found).items() if name != "task"}, None), *key)
    return found


def _read(text: str, task: TaskInfo) -> TaskAgreement:
    data = as_object(parsed(text), "The agreement")
    pairs = {pair: Agreement(testset=record(TestSetInfo, at("testset", own, pair), pair), **_both(own),
                             sampling=record(SamplingSettings, at("sampling", own, pair), pair), trials=own["trials"],
                             warnings=records(Caution, own["warnings"], "warnings"))
             for pair, own in data["pairs"].items()}
    return TaskAgreement(task=task, pairs=pairs, without=tuple(data["without"]), alpha=data["alpha"],
                         seed=data["seed"], **_both(data))


def _both(data: dict[str, Any]) -> dict[str, Any]:
    """What a language pair and their mean have in common."""
    return {"human": data["human"], "correction": data["correction"],
            "metrics": records(MetricAgreement, data["metrics"], "metrics"),
            "comparisons": records(AgreementComparison, data["comparisons"], "comparisons")}
