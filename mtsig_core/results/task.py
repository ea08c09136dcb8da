"""What is found for a whole shared task: a comparison for each language pair, and the systems across all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtsig_core.data.score_directions import by_precedence
from mtsig_core.data.task import SystemInfo, Task
from mtsig_core.data.task_exclusions import TaskExclusion
from mtsig_core.errors import counted
from mtsig_core.results.comparison import Comparison
from mtsig_core.results.metric_results import by_metric
from mtsig_core.results.runs import SystemRuns
from mtsig_core.results.settings import Caution

if TYPE_CHECKING:
    from mtsig_core.results.agreement import TaskAgreement

__all__ = ["MacroPair", "MacroResult", "MacroSystem", "TaskComparison", "TaskInfo"]


@dataclass(frozen=True)
class TaskInfo:
    """What a result says of the task it came from.

    Attributes
    ----------
    pairs : tuple of str
        Language pairs.
    scores : mapping of str to tuple of str
        By language pair, the names of its own segment scores.
    with_texts : tuple of str
        The language pairs that have texts, which any metric of texts can score.
    primary : str or None
        The metric that the task's table names as the one that decides.
    """

    name: str
    digest: str
    pairs: tuple[str, ...]
    systems: Mapping[str, SystemInfo]
    assumed: tuple[str, ...]
    scores: Mapping[str, tuple[str, ...]]
    with_texts: tuple[str, ...]
    primary: str | None = None

    @classmethod
    def of(cls, task: Task) -> TaskInfo:
        return cls(task.name, task.digest, tuple(task.testsets), dict(task.systems), task.assumed,
                   {pair: tuple(testset.scores) for pair, testset in task.testsets.items()},
                   tuple(pair for pair, testset in task.testsets.items() if testset.has_texts), task.primary)

    @property
    def own_scores(self) -> list[str]:
        """The names of its own segment scores, the one that decides first, see `by_precedence`."""
        return by_precedence((name for names in self.scores.values() for name in names), self.primary)

    def pairs_with(self, metric: str) -> tuple[str, ...]:
        """The language pairs that can be scored by a metric of that name."""
        own = any(metric in names for names in self.scores.values())
        return tuple(pair for pair in self.pairs if metric in self.scores[pair] or not own and pair in self.with_texts)


@dataclass(frozen=True)
class MacroSystem:
    """One system over the language pairs of a task, under one metric; by a rule of ranks that has a score of its own,
    by that score.

    Attributes
    ----------
    n_pairs : int
        Language pairs in which it has a score.
    score, ci_low, ci_high : float or None
        Mean of its scores over all language pairs, in points; None for one that misses a pair. No interval where it has
        a single unit in one of them.
    rank_low, rank_high : int or None
        Among the systems that have all pairs, simultaneous over them; None for the others, and where no pair of systems
        could be decided by the correction of ranks.
    wins, ties, losses : int
        Decisions on pairs of systems within each language pair, added up; pairs that cannot be decided are none. By
        another rule of ranks those of the rule.
    cluster : int or None
        From 1: no rank interval reaches from one cluster into the next. None without ranks, and in results of versions
        that did not say.
    """

    system: str
    n_pairs: int
    score: float | None
    ci_low: float | None
    ci_high: float | None
    rank_low: int | None
    rank_high: int | None
    wins: int
    ties: int
    losses: int
    cluster: int | None = None


@dataclass(frozen=True)
class MacroPair:
    """Two systems that have all language pairs: the mean of their differences, the better-scoring first.

    Attributes
    ----------
    ci_low, ci_high : float or None
        None where they have a single unit in common in some language pair.
    decidable : bool
        Whether p could be small enough after the correction, with so many trials and units, however large the
        difference; True in results of versions that did not look.
    n_apart : int or None
        Units that tell the two systems apart, see `units_apart`: of all language pairs together, or of a bootstrap
        those of the language pair that has fewest. None in results of versions that did not count them.
    """

    a: str
    b: str
    n_pairs: int
    delta: float
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_adjusted: float
    better: str | None
    decidable: bool = True
    n_apart: int | None = None


@dataclass(frozen=True)
class MacroResult:
    """All systems of a task under one metric: those with all pairs best first, then the others by their wins.

    Attributes
    ----------
    language_pairs : tuple of str
        That have scores by this metric.
    runs : tuple of SystemRuns
        Of systems that have as many training runs in every language pair: run k has the mean of its scores over them.
    ci : str or None
        The kind of its intervals, ``percentile`` or ``jackknife-t``; None where there are none, and in results of
        versions that did not say.
    """

    metric: str
    higher_is_better: bool
    language_pairs: tuple[str, ...]
    systems: tuple[MacroSystem, ...]
    pairs: tuple[MacroPair, ...]
    runs: tuple[SystemRuns, ...] = ()
    ci: str | None = None

    @property
    def is_ranked(self) -> bool:
        """Whether any system has a rank across the language pairs."""
        return any(row.rank_low is not None for row in self.systems)


@dataclass(frozen=True, repr=False)
class TaskComparison:
    """The answer of `mtsig_core.compare_task`.

    Attributes
    ----------
    pairs : mapping of str to Comparison
        By language pair.
    macro : mapping of str to MacroResult
        By metric; those that at least two language pairs have.
    excluded : tuple of TaskExclusion
        Who was left out, where, and why.
    agreement : TaskAgreement or None
        Which metric to trust, where they were held against scores by people.
    warnings : tuple of Caution
        About the whole task; those of a language pair are with its comparison.
    """

    task: TaskInfo
    pairs: Mapping[str, Comparison]
    macro: Mapping[str, MacroResult]
    excluded: tuple[TaskExclusion, ...] = ()
    agreement: TaskAgreement | None = None
    warnings: tuple[Caution, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", dict(self.pairs))
        object.__setattr__(self, "macro", by_metric(self.macro))

    def __repr__(self) -> str:
        return (f"<TaskComparison on {self.task.name!r}: {counted(len(self.pairs), 'language pair')}, "
                f"{counted(len(self.task.systems), 'system')}>")
