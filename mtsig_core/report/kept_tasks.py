"""Comparisons of a shared task that are kept on disk: each language pair and metric is computed once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import Any

from mtsig_core.data.task import Task
from mtsig_core.data.task_exclusions import TaskExclusion, without
from mtsig_core.data.task_source import TaskSource
from mtsig_core.data.testset import TestSet
from mtsig_core.inference.comparison import compare
from mtsig_core.inference.decided_anew import corrected_by, drawn_alike, ranked_by, serves_corrections
from mtsig_core.inference.measured import Measured
from mtsig_core.inference.parallel import as_they_come, is_elsewhere
from mtsig_core.inference.rank_rules import RANK_RULES
from mtsig_core.inference.task_comparison import corrected_macro, counted_macro, macro_of, of_parts, task_metrics
from mtsig_core.metrics.cache import keep_text, kept_text
from mtsig_core.report.commands import defaults
from mtsig_core.report.export import comparison_json
from mtsig_core.report.json_reading import read_comparison
from mtsig_core.report.kept_readings import digest_of, read_once
from mtsig_core.report.task_export import task_json
from mtsig_core.report.task_reading import read_task_comparison
from mtsig_core.results import Comparison, Settings
from mtsig_core.results.task import MacroResult, TaskComparison, TaskInfo

__all__ = ["KeptTask"]

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
            return all(kept_text(*self._key(*step, one)) is None for one in (settings, asked, *drawn_alike(asked)))

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
        text = kept_text(*key)
        if text is not None:
            return read_comparison(text)
        if settings.items() >= _OURS.items():
            one = self._corrected(metric, pair, settings) or ours()
        else:  # the pairs of systems are the same, and kept
            one = ranked_by(self._pair(metric, pair, settings | _OURS, ours), self.task.testsets[pair],
                            settings["rank_rule"])
        keep_text(comparison_json(one, indent=None), *key)
        return one

    def _corrected(self, metric: str, pair: str, settings: dict[str, Any]) -> Comparison | None:
        """By what is kept of the same draws under another correction; None where nothing is."""
        for alike in drawn_alike(settings):
            text = kept_text(*self._key(metric, pair, alike))
            drawn = None if text is None else read_comparison(text)
            if drawn is not None and serves_corrections(drawn.settings):
                return corrected_by(drawn, self.task.testsets[pair], settings["correction"])
        return None

    def _macro(self, metric: str, pairs: dict[str, Comparison], jobs: int, progress: Progress,
               settings: dict[str, Any], measured: dict[str, Measured]) -> dict[str, MacroResult]:
        key = self._macro_key(metric, settings)
        text = kept_text(*key)
        if text is not None:
            return {name: counted_macro(one, pairs) for name, one in read_task_comparison(text).macro.items()}
        alike = (kept_text(*self._macro_key(metric, one | {"rank_rule": settings["rank_rule"]}))
                 for one in drawn_alike(settings | _OURS))
        text = next(filter(None, alike), None)
        drawn = None if text is None else read_task_comparison(text).macro.get(metric)
        if drawn is not None:
            one: MacroResult | None = corrected_macro(drawn, pairs, next(iter(pairs.values())).settings)
        else:
            one = macro_of(self.task, pairs, metric, trials=settings["trials"], jobs=jobs, measured=measured,
                           progress=lambda share: progress(f"{metric} across language pairs", share))
        macro = {} if one is None else {metric: one}
        keep_text(task_json(TaskComparison(self.info, {}, macro)), *key)
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
