"""Results that are kept on disk, so that the same one is not computed again."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.metrics import Metric, metrics_for
from mtsig_core.metrics.cache import (
    is_kept,
    keep_array,
    keep_value,
    kept_array,
    kept_value,
    metric_key,
    remember,
)
from mtsig_core.report.commands import defaults
from mtsig_core.results import Comparison, MacroResult, Settings, TaskAgreement, TaskComparison, TaskInfo
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import corrected_macro, counted_macro, macro_of, of_parts, task_metrics
from mtsig_core.stats.comparison import compare, corrected_by, drawn_alike, ranked_by, serves_corrections
from mtsig_core.stats.measured import Measured
from mtsig_core.stats.parallel import as_they_come, is_elsewhere
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.task import SystemInfo, Task, TaskExclusion, without
from mtsig_core.testset import SegmentScores, TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Comparisons that are kept on disk: the same one again, to be printed in another format, is not computed again.


def kept_comparison(testset: TestSet, metrics: Sequence[Metric], *, jobs: int = 1,
                    progress: Callable[[str, float], None] | None = None, **settings: Any) -> Comparison:
    """As `compare`, by what is kept where the same was compared before, or with another correction alone."""
    key = _key(testset, metrics, settings)
    found = None if key is None else kept_value(Comparison, *key)
    if found is not None:
        return found
    drawn = None if key is None else _drawn(testset, metrics, settings)
    if drawn is not None:
        found = corrected_by(drawn, testset, settings["correction"])
    else:
        found = compare(testset, metrics, jobs=jobs, progress=progress, **settings)
    if key is not None:
        keep_value(found, *key)
    return found


def _drawn(testset: TestSet, metrics: Sequence[Metric], settings: dict[str, Any]) -> Comparison | None:
    """What is kept of the same draws under another correction, by metrics that a name alone says."""
    for asked in drawn_alike(settings):
        key = _key(testset, metrics, asked)
        found = None if key is None else kept_value(Comparison, *key)
        if found is None:
            continue
        named = metrics_for(testset, list(found.metrics))
        if serves_corrections(found.settings) and key == _key(testset, named, asked):
            return found
    return None


def _key(testset: TestSet, metrics: Sequence[Metric], settings: dict[str, Any]) -> list[object] | None:
    """All that a comparison depends on, which no number of threads or machines does; None where none is kept."""
    if not is_kept():
        return None
    asked = [metric_key(metric, testset) for metric in metrics]
    if None in asked:
        return None
    about = testset.name, testset.simulated, testset.assumed, list(testset.lines)
    return ["comparison", testset.digest, *about, asked, sorted(settings.items())]


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
    found, now = kept_value(str, *key), time.time_ns()
    if found is None:
        found = source.digest()
        if all(max(one.st_mtime_ns, one.st_ctime_ns) < now - _RECENT for one in stats):
            keep_value(found, *key)
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


@dataclass(frozen=True)
class _KeptSet:
    """All of a test set of a task but the scores, which are an array; of these the direction and the systems."""

    name: str
    digest: str
    langpair: str | None
    systems: tuple[str, ...]
    scores: dict[str, tuple[bool, tuple[str, ...]]]
    documents: Sequence[str] | None
    domains: Sequence[str] | None
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class _KeptTask:
    name: str
    testsets: dict[str, _KeptSet]
    systems: dict[str, SystemInfo]
    assumed: tuple[str, ...]


def _keep(task: Task, digest: str) -> None:
    for pair, testset in task.testsets.items():
        rows = [values for scores in testset.scores.values() for values in scores.by_system.values()]
        keep_array(np.array(rows, dtype=np.float64), digest, "scores", pair)  # None is NaN
    testsets = {pair: _KeptSet(one.name, one.digest, one.langpair, tuple(one.systems),
                               {name: (scores.higher_is_better, tuple(scores.by_system))
                                for name, scores in one.scores.items()}, one.documents, one.domains, one.assumed)
                for pair, one in task.testsets.items()}
    keep_value(_KeptTask(task.name, testsets, dict(task.systems), task.assumed), digest, "task")


def _opened(digest: str) -> Task | None:
    """The task that is kept under a digest; None where a part of it is not."""
    kept, testsets = kept_value(_KeptTask, digest, "task"), {}
    if kept is None:
        return None
    for pair, one in kept.testsets.items():
        rows = kept_array(digest, "scores", pair)
        if rows is None:
            return None
        testsets[pair] = _testset(one, rows)
    return Task(kept.name, testsets, kept.systems, kept.assumed)


def _testset(kept: _KeptSet, rows: np.ndarray) -> TestSet:
    values, gaps = iter(rows.tolist()), iter(np.isnan(rows).any(axis=1).tolist())

    def row() -> list[float | None]:
        own: list[float | None] = next(values)
        return [None if value != value else value for value in own] if next(gaps) else own

    scores = {name: SegmentScores({system: row() for system in systems}, higher)
              for name, (higher, systems) in kept.scores.items()}
    testset = TestSet(kept.name, dict.fromkeys(kept.systems, (None,) * rows.shape[1]), {},
                      documents=kept.documents, domains=kept.domains, langpair=kept.langpair, scores=scores,
                      assumed=kept.assumed)
    vars(testset)["digest"] = kept.digest  # which takes longer than all the rest
    return testset


#-----------------------------------------------------------------------------------------------------------------------
# Comparisons of a shared task that are kept on disk: each language pair and metric is computed once.


Progress = Callable[[str, float], None]

_OURS = {"rank_rule": "simultaneous"}


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
        return remember(TaskInfo, lambda: TaskInfo.of(self.task), self._whole.digest, "info", *self._left_out)

    @cached_property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Systems and segments of each language pair."""
        found = remember(dict[str, tuple[tuple[str, ...], int]], lambda: {
            pair: (tuple(testset.systems), testset.n_segments)
            for pair, testset in self._whole.task.testsets.items()}, self._whole.digest, "sizes")
        return {pair: (len({*found[pair][0]} - self._gone(pair)), found[pair][1]) for pair in self.info.pairs}

    @cached_property
    def references(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Of each language pair its references, and those with ratings that are no systems."""
        return remember(dict[str, tuple[tuple[str, ...], tuple[str, ...]]], lambda: {
            pair: (tuple(testset.references), tuple(testset.waiting))
            for pair, testset in self._whole.task.testsets.items()}, self._whole.digest, "references")

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

    def compare(self, metrics: str | Sequence[str] | None = None, *, jobs: int = 1, progress: Progress | None = None,
                found: Callable[[str, Comparison], None] | None = None, **settings: Any) -> TaskComparison:
        """As `compare_task`, by what is kept as far as it is.

        Parameters
        ----------
        metrics : str or sequence of str, optional
        progress : callable, optional
            Called with (stage, share of all of it).
        found : callable, optional
            Called with (language pair, comparison) as each is there; with several metrics once for each. On other
            machines (`on_cluster`) each is a task of its own, and they come as they are done.
        settings
            Of `compare`, but for the baseline.
        """
        names = task_metrics(self.info, metrics)
        settings = _usual() | settings  # said or not, the same is kept once
        steps = [(name, pair) for name in names for pair in self.info.pairs_with(name)]
        parts: dict[tuple[str, str], Comparison] = {}
        macro: dict[str, MacroResult] = {}
        done = reached = 0.0
        stages: list[str] = []  # of the language pair at work; how many there will be is not known

        def report(stage: str, share: float) -> None:
            nonlocal reached
            stages.extend([stage] * (stage not in stages[-1:]))
            left = 0.5 ** (len(stages) - 1)  # each stage takes half of what is left of the pair; none goes back
            reached = max(reached, (done + 1 - left + left * share / 2) / (len(steps) + len(names)))
            if progress is not None:
                progress(stage, reached)

        measured: dict[tuple[str, str], Measured] = {}  # of one metric at a time
        for (name, pair), one in self._one_by_one(steps, jobs, report, settings, measured):
            parts[name, pair] = one
            done += 1
            stages.clear()
            if found is not None:
                found(pair, one)
            own = {pair: parts[name, pair] for pair in self.info.pairs_with(name) if (name, pair) in parts}
            if len(own) == len(self.info.pairs_with(name)):
                macro |= self._macro(name, own, jobs, report, settings, {
                    pair: seen for (of, pair), seen in measured.items() if of == name})
                measured.clear()
                done += 1
                stages.clear()
        excluded = (*self.source.exclude, *(TaskExclusion(name, "withdrawn") for name in self.source.withdrawn()))
        return of_parts(self.info, names, parts, macro, excluded, chosen=metrics is not None)

    def _one_by_one(self, steps: Sequence[tuple[str, str]], jobs: int, report: Progress, settings: dict[str, Any],
                    measured: dict[tuple[str, str], Measured]) -> Iterator[tuple[tuple[str, str], Comparison]]:
        """Metric, language pair and its comparison: here one after the other, and what was counted for it goes into
        `measured`; on other machines each is one task, and what is kept comes first, the rest as it is done."""
        def away(step: tuple[str, str]) -> bool:
            asked = settings | _OURS
            return all(kept_array(*self._key(*step, one)) is None for one in (settings, asked, *drawn_alike(asked)))

        sent = [step for step in steps if away(step)] if is_elsewhere() else []
        for name, pair in steps:
            if (name, pair) not in sent:
                report(f"{pair}, looking", 0.0)
                yield (name, pair), self._pair(name, pair, settings, partial(
                    self._compared, name, pair, jobs, report, settings | _OURS, measured))
        if not sent:
            return
        report(f"{len(sent)} language pairs on other machines", 0.0)
        works: list[Callable[[], Comparison]] = [partial(compare, self.task.testsets[pair], name, **settings | _OURS)
                                                 for name, pair in sent]
        for k, one in as_they_come(works):
            report(f"{sent[k][1]}, done elsewhere", 0.0)
            yield sent[k], self._pair(*sent[k], settings, partial(_same, one))

    def _compared(self, metric: str, pair: str, jobs: int, report: Progress, settings: dict[str, Any],
                  measured: dict[tuple[str, str], Measured]) -> Comparison:
        own: dict[str, Measured] = {}
        one = compare(self.task.testsets[pair], metric, jobs=jobs, progress=partial(_within, report, pair),
                      measured=own, **settings)
        measured[metric, pair] = own[metric]
        return one

    def _key(self, metric: str, pair: str, settings: dict[str, Any]) -> tuple[object, ...]:
        gone = sorted(self._gone(pair))
        return self._whole.digest, "pair", pair, metric, sorted(settings.items()), *([gone] if gone else [])

    def _pair(self, metric: str, pair: str, settings: dict[str, Any], ours: Callable[[], Comparison]) -> Comparison:
        """By what is kept, else by what gives the comparison with our own ranks."""
        key = self._key(metric, pair, settings)
        one = kept_value(Comparison, *key)
        if one is not None:
            return one
        if settings.items() >= _OURS.items():
            one = self._corrected(metric, pair, settings) or ours()
        else:  # the pairs of systems are the same, and kept
            one = ranked_by(self._pair(metric, pair, settings | _OURS, ours), self.task.testsets[pair],
                            settings["rank_rule"])
        keep_value(one, *key)
        return one

    def _corrected(self, metric: str, pair: str, settings: dict[str, Any]) -> Comparison | None:
        """By what is kept of the same draws under another correction; None where nothing is."""
        for alike in drawn_alike(settings):
            drawn = kept_value(Comparison, *self._key(metric, pair, alike))
            if drawn is not None and serves_corrections(drawn.settings):
                return corrected_by(drawn, self.task.testsets[pair], settings["correction"])
        return None

    def _macro(self, metric: str, pairs: dict[str, Comparison], jobs: int, progress: Progress,
               settings: dict[str, Any], measured: dict[str, Measured]) -> dict[str, MacroResult]:
        key = self._macro_key(metric, settings)
        kept = kept_value(dict[str, MacroResult], *key)
        if kept is not None:
            return {name: counted_macro(one, pairs) for name, one in kept.items()}
        alike = (kept_value(dict[str, MacroResult], *self._macro_key(metric, one | {
            "rank_rule": settings["rank_rule"]})) for one in drawn_alike(settings | _OURS))
        drawn = next(filter(None, alike), {}).get(metric)
        if drawn is not None:
            one: MacroResult | None = corrected_macro(drawn, pairs, next(iter(pairs.values())).settings)
        else:
            one = macro_of(self.task, pairs, metric, trials=settings["trials"], jobs=jobs, measured=measured,
                           progress=lambda share: progress(f"{metric} across language pairs", share))
        macro = {} if one is None else {metric: one}
        keep_value(macro, *key)
        return macro

    def _macro_key(self, metric: str, settings: dict[str, Any]) -> tuple[object, ...]:
        """Rules with the same scores differ in wins, ties and losses alone, which are counted again."""
        asked = sorted((k, v) for k, v in settings.items() if k != "rank_rule")
        by_domain = ["domains"] * RANK_RULES[settings["rank_rule"]].by_domain
        return self._whole.digest, "macro", metric, asked, *by_domain, *self._left_out


def _within(report: Progress, pair: str, stage: str, share: float) -> None:
    report(f"{pair}, {stage}", share)


def _same(one: Comparison) -> Comparison:
    return one


def _usual() -> dict[str, Any]:
    """The settings of a comparison that are not asked for."""
    known = {field.name for field in fields(Settings)}
    return {name: value for name, value in defaults("task").items() if name in known}


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
    return remember(TaskAgreement, lambda: task_agreement(
        kept.task, human, metrics, jobs=jobs, progress=progress, **settings), *key)
