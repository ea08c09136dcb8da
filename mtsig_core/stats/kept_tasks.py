"""Draws and shared tasks on disk, so that nothing is drawn or read again."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from mtsig_core.caution import Assumption
from mtsig_core.judgements import Judgements
from mtsig_core.metrics.cache import keep_value, kept_value, remember
from mtsig_core.readers.files import IN_MEMORY
from mtsig_core.results import TaskInfo
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import AcrossDraws
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.task import SystemInfo, Task, TaskExclusion, without
from mtsig_core.testset import SegmentScores, TestSet

# -------------------------------------------------------------------------------------------------
# Draws: the same systems decided or printed in another way are not drawn again.


class KeptDraws(dict[Any, Any]):
    """Draws of this process by their keys (see `comparison.draws_key`), also on disk.

    Counts of metrics from other packages stay in memory only, because a change of their code goes
    unnoticed.
    """

    def __missing__(self, key: Any) -> Any:
        kind = _choose_kind(key)
        value = None
        if kind is not None:
            value = kept_value(kind, repr(key))
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
        if _choose_kind(key) is not None and value is not None:
            keep_value(value, repr(key))


def _choose_kind(key: Any) -> type[MetricDraws | AcrossDraws] | None:
    """Return the type of what has a key on disk; None if it is only in memory."""
    if key[0] == "draws":
        if key[2] is None:
            return None
        return MetricDraws
    keys_of_pairs = key[3:]
    if any(draws_key[2] is None for draws_key in keys_of_pairs):
        return None
    return AcrossDraws


# -------------------------------------------------------------------------------------------------
# Shared tasks: a hundred megabytes of scores in JSON Lines are parsed once. Untouched files are not opened again.


#: Nanoseconds in which a file may change and keep its time, as clocks of file systems are coarse.
_RECENT = 2e9


def digest_of(source: TaskSource) -> str:
    """Return `TaskSource.digest`, from disk if all files have the size, time and place as then."""
    if IN_MEMORY:
        return source.digest()
    files = [*source.files(), *filter(os.path.exists, source.list_joined_files())]
    stats = [os.stat(path) for path in files]
    choices = asdict(replace(source, named_from=None))
    places = [os.path.abspath(path) for path in files]
    states = [
        (row.st_size, row.st_mtime_ns, row.st_ctime_ns, row.st_ino, row.st_dev) for row in stats
    ]
    key = ("digest", choices, places, states)
    stored = kept_value(str, *key)
    if stored is not None:
        return stored
    newest = max((max(row.st_mtime_ns, row.st_ctime_ns) for row in stats), default=0)
    is_settled = newest < time.time_ns() - _RECENT
    digest = source.digest()
    if is_settled:
        keep_value(digest, *key)
    return digest


def read_once(source: TaskSource, digest: str) -> Task:
    """Read the task of a source, from disk if it was kept whole.

    Texts are as quick to read as they would be to open, so tasks with texts are not kept.
    """
    stored = kept_value(_KeptTask, digest, "task, 2")
    if stored is not None:
        return stored.open()
    task = source.read()
    if all(map(_has_only_scores, task.testsets.values())):
        keep_value(_KeptTask.from_task(task), digest, "task, 2")
    return task


def _has_only_scores(testset: TestSet) -> bool:
    has_more = (
        testset.has_outputs
        or testset.sources
        or testset.parses
        or testset.runs
        or testset.tokenizer
        or testset.simulated
    )
    return not has_more and testset.lines == tuple(range(1, testset.n_segments + 1))


class _KeptScores(NamedTuple):
    higher_is_better: bool
    by_system: dict[str, tuple[float | None, ...]]


@dataclass(frozen=True)
class _KeptSet:
    """A test set of a task that has only scores."""

    name: str
    digest: str
    langpair: str | None
    systems: tuple[str, ...]
    scores: dict[str, _KeptScores]
    documents: Sequence[str] | None
    domains: Sequence[str] | None
    assumed: tuple[Assumption, ...]
    judgements: Judgements | None

    @classmethod
    def from_testset(cls, testset: TestSet) -> _KeptSet:
        kept_scores = {}
        for name, scores in testset.scores.items():
            by_system = {system: tuple(values) for system, values in scores.by_system.items()}
            kept_scores[name] = _KeptScores(scores.higher_is_better, by_system)
        return cls(
            testset.name,
            testset.digest,
            testset.langpair,
            tuple(testset.systems),
            kept_scores,
            testset.documents,
            testset.domains,
            testset.assumed,
            testset.judgements,
        )

    def open(self) -> TestSet:
        scores = {
            name: SegmentScores(stored.by_system, stored.higher_is_better)
            for name, stored in self.scores.items()
        }
        by_system = next(iter(scores.values())).by_system
        no_texts: Sequence[Any] = [None] * len(next(iter(by_system.values())))
        testset = TestSet(
            self.name,
            dict.fromkeys(self.systems, no_texts),
            {},
            documents=self.documents,
            domains=self.domains,
            langpair=self.langpair,
            assumed=self.assumed,
            scores=scores,
            judgements=self.judgements,
        )
        vars(testset)["digest"] = self.digest  # which takes longer than all the rest
        return testset


@dataclass(frozen=True)
class _KeptTask:
    name: str
    testsets: dict[str, _KeptSet]
    systems: dict[str, SystemInfo]
    assumed: tuple[Assumption, ...]
    primary: str | None
    rank_rule: str | None

    @classmethod
    def from_task(cls, task: Task) -> _KeptTask:
        testsets = {
            lang_pair: _KeptSet.from_testset(testset)
            for lang_pair, testset in task.testsets.items()
        }
        systems = dict(task.systems)
        return cls(task.name, testsets, systems, task.assumed, task.primary, task.rank_rule)

    def open(self) -> Task:
        testsets = {lang_pair: stored.open() for lang_pair, stored in self.testsets.items()}
        return Task(self.name, testsets, self.systems, self.assumed, self.primary, self.rank_rule)


# -------------------------------------------------------------------------------------------------
# A shared task that is opened again: its description, without its files.


#: By language pair its references, and the rated names that are not systems.
_ReferencesOfPairs = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


class KeptTask:
    """A shared task, read only where something of it is not kept yet.

    `without_exclusions` is the same task with all systems, if it is there: its files are then not
    read again. `task` is the same, read, if it has more than the source; `read` gives it, if that is
    quicker than to read the source.
    """

    def __init__(
        self,
        source: TaskSource,
        without_exclusions: KeptTask | None = None,
        task: Task | None = None,
        read: Callable[[], Task] | None = None,
    ):
        self.source = source
        self._task = task
        self._read = read
        if without_exclusions is not None:
            self._all_systems = without_exclusions
        elif source.exclude:
            self._all_systems = KeptTask(replace(source, exclude=()), task=task, read=read)
        else:
            self._all_systems = self
        if self._all_systems is self:
            self.digest: str = digest_of(source) if task is None else task.digest
        else:
            text = f"{self._all_systems.digest}\0{source.exclude}"
            content = text.encode("utf-8", "surrogatepass")
            self.digest = hashlib.blake2b(content, digest_size=16).hexdigest()

    def leaving_out(self, exclude: Sequence[TaskExclusion]) -> KeptTask:
        """Return the same task without these systems, and with those that are left out here.

        Language pairs that have all their systems, or are as they were before, are not compared
        again.
        """
        if not exclude:
            return self._all_systems
        return KeptTask(replace(self.source, exclude=tuple(exclude)), self._all_systems)

    @cached_property
    def task(self) -> Task:
        """All of it, read."""
        if self._all_systems is not self:
            return without(self._all_systems.task, self.source.exclude)
        if self._task is not None:
            return self._task
        if self._read is not None:
            return self._read()
        return read_once(self.source, self.digest)

    @cached_property
    def info(self) -> TaskInfo:
        """Describe the task, with the names of its metrics by language pair."""
        return remember(
            TaskInfo,
            lambda: TaskInfo.from_task(self.task),
            self._all_systems.digest,
            "info",
            *self._excluded_systems,
        )

    @cached_property
    def references(self) -> _ReferencesOfPairs:
        """Return by language pair its references, and the rated names that are not systems."""

        def list_references() -> _ReferencesOfPairs:
            references = {}
            for lang_pair, testset in self._all_systems.task.testsets.items():
                references[lang_pair] = (tuple(testset.references), tuple(testset.rated_humans))
            return references

        return remember(_ReferencesOfPairs, list_references, self._all_systems.digest, "references")

    @cached_property
    def _excluded_systems(self) -> tuple[tuple[str, str], ...]:
        """Language pair (empty for all) and system of each exclusion; reasons change no number."""
        excluded = {(exclusion.pair or "", exclusion.system) for exclusion in self.source.exclude}
        return tuple(sorted(excluded))

    def read_testsets(self, lang_pair: str) -> tuple[TestSet, TestSet]:
        """Read the test set of a language pair, and the same with all references and the canary."""
        testset = self.task.testsets[lang_pair]
        complete = testset
        if not self.source.simulated:
            complete = self.source.select_pair(lang_pair).include_all().read()
        systems = [name for name in complete.systems if name in testset.systems]
        return testset, complete.only(systems)

    @property
    def excluded(self) -> tuple[TaskExclusion, ...]:
        """The systems that are left out, for a reason of this comparison or as they withdrew."""
        withdrawn = [TaskExclusion(name, "withdrawn") for name in self.source.list_withdrawn()]
        return (*self.source.exclude, *withdrawn)

    def testset(self, lang_pair: str) -> TestSet:
        """Return one of its language pairs."""
        return self.task.testsets[lang_pair]
