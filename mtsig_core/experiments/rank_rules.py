"""Ranks by all rules, from the same draws: what the choice of a rule changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.readers.official_tables import OfficialTable
from mtsig_core.results import Comparison, MetricResult, TaskComparison
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.parallel import Progress
from mtsig_core.stats.published_scores import Replication, TaskReplication, match_names, replicate_ranks
from mtsig_core.stats.ranks import fitting_rules
from mtsig_core.testset import TestSet

__all__ = ["RankedAgainstTests", "compare_by_rules", "count_against_tests", "task_by_rules",
           "testset_by_rules", "with_published_ranks", "with_ranks_of_task"]

_Found = TypeVar("_Found", Comparison, TaskComparison)


def compare_by_rules(run: Callable[..., _Found], segment_means: bool,
                     progress: Progress | None = None) -> dict[str, _Found]:
    """The comparison by each rank rule that fits; a rule that needs domains is left out where there are none.

    `run` compares by the arguments `rank_rule` and `progress`; with a cache of its own it draws once.
    """
    rules, found = fitting_rules(segment_means), {}
    for k, rule in enumerate(rules.values()):
        try:
            found[rule.name] = run(rank_rule=rule.name, progress=None if progress is None else partial(
                _report, progress, f"ranks {rule.title}", k, len(rules)))
        except SettingError:
            if not rule.by_domain:
                raise
    return found


def testset_by_rules(testset: TestSet, metric: Metric, progress: Progress | None = None, **settings: Any
                     ) -> dict[str, Comparison]:
    """The same for a test set by a metric; `settings` are those of `compare` without the rule."""
    return compare_by_rules(partial(compare, testset, metric, cache=KeptDraws(), **settings), is_segment_mean(metric),
                            progress)


def task_by_rules(task: KeptTask, metric: str, progress: Progress | None = None, **settings: Any
                  ) -> dict[str, TaskComparison]:
    """The same for a task by a metric; `settings` are those of `compare_task` without the rule."""
    return compare_by_rules(partial(compare_task, task, [metric], cache=KeptDraws(), **settings),
                            metric in task.info.own_scores, progress)


def _report(progress: Progress, stage: str, k: int, n: int, _: str, share: float) -> None:
    progress(stage, (k + share) / n)


def with_published_ranks(found: Replication, table: OfficialTable, by_rule: Mapping[str, Comparison]) -> Replication:
    """Published scores beside ours, with published ranks beside those by each rule, by the first metric."""
    return replace(found, ranks=replicate_ranks(
        {rule: next(iter(one.metrics.values())) for rule, one in by_rule.items()}, table))


def with_ranks_of_task(found: TaskReplication, tables: Mapping[str, OfficialTable],
                       by_rule: Mapping[str, TaskComparison]) -> TaskReplication:
    """The same for each language pair of a task."""
    here, _ = match_names(tables, found.pairs)
    return replace(found, pairs=dict(found.pairs) | {pair: with_published_ranks(found.pairs[pair], tables[name], {
        rule: one.pairs[pair] for rule, one in by_rule.items()}) for name, pair in here.items()
        if tables[name].ranks and all(pair in one.pairs for one in by_rule.values())})


@dataclass(frozen=True)
class RankedAgainstTests:
    """How rank ranges differ from the tests of the pairs. Ranges that share a rank tie two systems."""

    significant: int  # pairs
    tied: int  # of them
    not_significant: int  # pairs
    separated: int  # of them

    def __add__(self, other: RankedAgainstTests) -> RankedAgainstTests:
        return RankedAgainstTests(self.significant + other.significant, self.tied + other.tied,
                                  self.not_significant + other.not_significant, self.separated + other.separated)


def count_against_tests(result: MetricResult) -> RankedAgainstTests:
    """Of the significant pairs those that the ranks tie, and of the others those that they separate."""
    ranks = {row.system: (row.rank_low or 0, row.rank_high or 0) for row in result.systems}
    apart = [max(ranks[pair.a][0], ranks[pair.b][0]) > min(ranks[pair.a][1], ranks[pair.b][1]) for pair in result.pairs]
    significant = [pair.better is not None for pair in result.pairs]
    tied = sum(yes and not one for yes, one in zip(significant, apart, strict=True))
    separated = sum(one and not yes for yes, one in zip(significant, apart, strict=True))
    return RankedAgainstTests(sum(significant), tied, len(significant) - sum(significant), separated)
