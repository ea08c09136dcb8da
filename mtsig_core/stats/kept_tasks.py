"""Draws of comparisons and shared tasks that are kept on disk, so that nothing is drawn or read
again.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.metrics.cache import keep_value, kept_value, remember
from mtsig_core.results import TaskInfo
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import AcrossDraws
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.task import SystemInfo, Task, TaskExclusion, without
from mtsig_core.testset import SegmentScores, TestSet

# -------------------------------------------------------------------------------------------------
# What was drawn for comparisons, kept on disk: the same systems decided or printed in another way are not drawn again.


class KeptDraws(dict[Any, Any]):
    """What this process has drawn or found, by its keys (see `comparison.draws_key`); kept on disk,
    too.

    What metrics of other packages count is kept here alone, as nothing tells when their code has
    changed.
    """

    def __missing__(self, key: Any) -> Any:
        kind = _kind_on_disk(key)
        value = None if kind is None else kept_value(kind, repr(key))
        if value is None:
            raise KeyError(key)
        super().__setitem__(key, value)
        return value

    def __contains__(self, key: object) -> bool:
        with suppress(KeyError):
            self[key]  # which looks on disk
        return super().__contains__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if _kind_on_disk(key) is not None and value is not None:
            keep_value(value, repr(key))


def _kind_on_disk(key: Any) -> type[MetricDraws | AcrossDraws] | None:
    if key[0] == "draws":
        return None if key[2] is None else MetricDraws
    return AcrossDraws if all(part[2] is not None for part in key[3:]) else None


# -------------------------------------------------------------------------------------------------
# What was read of a shared task, kept on disk: a hundred megabytes of scores in JSON Lines are parsed once, and not
# even looked into again while the files stay untouched.


_RECENT = 2e9  # nanoseconds in which a file may change again and keep its time: clocks of file systems are coarse


def digest_of(source: TaskSource) -> str:
    """`TaskSource.digest`, from disk where no file has another size, time or place than when it was
    taken.
    """
    files = [*source.files(), *filter(os.path.exists, source.list_joined_files())]
    stats = [os.stat(path) for path in files]
    key = (
        "digest",
        asdict(replace(source, named_from=None)),
        [os.path.abspath(path) for path in files],
        [(one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino, one.st_dev) for one in stats],
    )
    found, now = kept_value(str, *key), time.time_ns()
    if found is None:
        found = source.digest()
        if all(max(one.st_mtime_ns, one.st_ctime_ns) < now - _RECENT for one in stats):
            keep_value(found, *key)
    return found


def read_once(source: TaskSource, digest: str) -> Task:
    """The task of a source, by what is kept of it where that is whole.

    Texts are as quick to read as they would be to open: of them nothing is kept.
    """
    found = _opened(digest)
    if found is None:
        found = source.read()
        if all(map(_scores_alone, found.testsets.values())):
            _keep(found, digest)
    return found


def _scores_alone(testset: TestSet) -> bool:
    more = (
        testset.references,
        testset.sources,
        testset.parses,
        testset.runs,
        testset.tokenizer,
        testset.simulated,
    )
    return not any(more) and testset.lines == tuple(range(1, testset.n_segments + 1))


@dataclass(frozen=True)
class _KeptSet:
    """A test set of a task that has nothing but scores."""

    name: str
    digest: str
    langpair: str | None
    systems: tuple[str, ...]
    scores: dict[
        str, tuple[bool, dict[str, tuple[float | None, ...]]]
    ]  # higher is better, and by system
    documents: Sequence[str] | None
    domains: Sequence[str] | None
    assumed: tuple[Assumption, ...]


@dataclass(frozen=True)
class _KeptTask:
    name: str
    testsets: dict[str, _KeptSet]
    systems: dict[str, SystemInfo]
    assumed: tuple[Assumption, ...]
    primary: str | None
    rank_rule: str | None


def _keep(task: Task, digest: str) -> None:
    keep_value(
        _KeptTask(
            task.name,
            {
                pair: _KeptSet(
                    one.name,
                    one.digest,
                    one.langpair,
                    tuple(one.systems),
                    {
                        name: (
                            scores.higher_is_better,
                            {system: tuple(values) for system, values in scores.by_system.items()},
                        )
                        for name, scores in one.scores.items()
                    },
                    one.documents,
                    one.domains,
                    one.assumed,
                )
                for pair, one in task.testsets.items()
            },
            dict(task.systems),
            task.assumed,
            task.primary,
            task.rank_rule,
        ),
        digest,
        "task",
    )


def _opened(digest: str) -> Task | None:
    """The task that is kept under a digest, if it is."""
    kept = kept_value(_KeptTask, digest, "task")
    return (
        None
        if kept is None
        else Task(
            kept.name,
            {pair: _testset(one) for pair, one in kept.testsets.items()},
            kept.systems,
            kept.assumed,
            kept.primary,
            kept.rank_rule,
        )
    )


def _testset(kept: _KeptSet) -> TestSet:
    rows = [values for _, by_system in kept.scores.values() for values in by_system.values()]
    no_texts: Sequence[Any] = [None] * len(rows[0])
    testset = TestSet(
        kept.name,
        dict.fromkeys(kept.systems, no_texts),
        {},
        documents=kept.documents,
        domains=kept.domains,
        langpair=kept.langpair,
        assumed=kept.assumed,
        scores={
            name: SegmentScores(values, higher) for name, (higher, values) in kept.scores.items()
        },
    )
    vars(testset)["digest"] = kept.digest  # which takes longer than all the rest
    return testset


# -------------------------------------------------------------------------------------------------
# A shared task that is opened again: what it is, without its files.


class KeptTask:
    """A shared task, read only where something of it is not kept yet.

    `whole` is the same without exclusions, where it is there: its files are then not read again.
    `read` gives the task, where that is quicker than to read the source.
    """

    def __init__(
        self,
        source: TaskSource,
        whole: KeptTask | None = None,
        read: Callable[[], Task] | None = None,
    ):
        self.source, self._read = source, read or (lambda: read_once(source, self.digest))
        self._whole = whole or (
            KeptTask(replace(source, exclude=()), read=read) if source.exclude else self
        )
        self.digest: str = (
            digest_of(source)
            if self._whole is self
            else _digest(self._whole.digest, source.exclude)
        )

    def leaving_out(self, exclude: Sequence[TaskExclusion]) -> KeptTask:
        """The same task without these systems in place of those left out here; language pairs that
        have all their systems, or are as they once were, are not compared again.
        """
        return (
            KeptTask(replace(self.source, exclude=tuple(exclude)), self._whole)
            if exclude
            else self._whole
        )

    @cached_property
    def task(self) -> Task:
        """All of it, read."""
        return (
            self._read() if self._whole is self else without(self._whole.task, self.source.exclude)
        )

    @cached_property
    def info(self) -> TaskInfo:
        """What it is, with the names of its metrics by language pair."""
        return remember(
            TaskInfo,
            lambda: TaskInfo.from_task(self.task),
            self._whole.digest,
            "info",
            *self._left_out,
        )

    @cached_property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Systems and segments of each language pair."""
        found = remember(
            dict[str, tuple[tuple[str, ...], int]],
            lambda: {
                pair: (tuple(testset.systems), testset.n_segments)
                for pair, testset in self._whole.task.testsets.items()
            },
            self._whole.digest,
            "sizes",
        )
        return {
            pair: (len({*found[pair][0]} - self._gone(pair)), found[pair][1])
            for pair in self.info.pairs
        }

    @cached_property
    def references(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Of each language pair its references, and those with ratings that are no systems."""
        return remember(
            dict[str, tuple[tuple[str, ...], tuple[str, ...]]],
            lambda: {
                pair: (tuple(testset.references), tuple(testset.rated_humans))
                for pair, testset in self._whole.task.testsets.items()
            },
            self._whole.digest,
            "references",
        )

    @cached_property
    def _left_out(self) -> tuple[tuple[str, str], ...]:
        """(language pair, empty for all, and system) of who is left out; reasons change no
        number.
        """
        return tuple(sorted({(one.pair or "", one.system) for one in self.source.exclude}))

    def _gone(self, pair: str) -> set[str]:
        """Who is left out of a language pair."""
        return {name for where, name in self._left_out if where in ("", pair)}

    def read_testsets(self, pair: str) -> tuple[TestSet, TestSet]:
        """The test set of a language pair, and the same with all its references and the line that
        is a canary.
        """
        testset = self.task.testsets[pair]
        whole = (
            testset
            if self.source.folder is None
            else self.source.select_pair(pair).include_all().read()
        )
        return testset, whole.only(name for name in whole.systems if name in testset.systems)

    @property
    def excluded(self) -> tuple[TaskExclusion, ...]:
        """Who is left out, for a reason of this comparison or because they withdrew."""
        return (
            *self.source.exclude,
            *(TaskExclusion(name, "withdrawn") for name in self.source.list_withdrawn()),
        )

    def testset(self, pair: str) -> TestSet:
        """One of its language pairs."""
        return self.task.testsets[pair]


def _digest(whole: str, exclude: Sequence[TaskExclusion]) -> str:
    return hashlib.blake2b(
        f"{whole}\0{exclude}".encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()
