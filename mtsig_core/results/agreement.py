"""How far metrics decide as people do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mtsig_core.results.settings import Caution, SamplingSettings, TestSetInfo
from mtsig_core.results.task import TaskInfo

__all__ = ["Agreement", "AgreementComparison", "MetricAgreement", "TaskAgreement"]


@dataclass(frozen=True)
class MetricAgreement:
    """How far one metric agrees with people.

    Attributes
    ----------
    n_pairs : int
        Pairs of systems that have a segment in common; soft pairwise accuracy is of all of them.
    n_ties : int
        Those that people score the same: they have no order, and pairwise accuracy leaves them out.
    pairwise_accuracy, pairwise_accuracy_low, pairwise_accuracy_high : float or None
        Share of pairs that the metric orders as people do, and its interval; None where people order no pair.
    soft_pairwise_accuracy, soft_pairwise_accuracy_low, soft_pairwise_accuracy_high : float
        1 - mean of abs(p_human - p_metric) over pairs, and its interval.
    """

    metric: str
    signature: str
    higher_is_better: bool
    n_pairs: int
    n_ties: int
    pairwise_accuracy: float | None
    pairwise_accuracy_low: float | None
    pairwise_accuracy_high: float | None
    soft_pairwise_accuracy: float
    soft_pairwise_accuracy_low: float
    soft_pairwise_accuracy_high: float


@dataclass(frozen=True)
class AgreementComparison:
    """Two metrics, the one with the higher soft pairwise accuracy first: the difference, and p of PERM-BOTH (Deutsch,
    Dror and Roth 2021) before and after the correction for all pairs of metrics."""

    a: str
    b: str
    delta: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class Agreement:
    """Metrics held against one human score, the most agreeing first.

    Attributes
    ----------
    human : str
    testset : TestSetInfo
        The systems and segments that have the human score and all table scores asked for.
    sampling : SamplingSettings
    trials : int
        Swaps behind each p; all there are where the units are few.
    correction : str
        Over all pairs of metrics.
    metrics : tuple of MetricAgreement
    comparisons : tuple of AgreementComparison
    warnings : tuple of Caution
        That segments are taken as independent, and what metrics can tell of the texts.
    """

    human: str
    testset: TestSetInfo
    sampling: SamplingSettings
    trials: int
    correction: str
    metrics: tuple[MetricAgreement, ...]
    comparisons: tuple[AgreementComparison, ...]
    warnings: tuple[Caution, ...] = ()


@dataclass(frozen=True)
class TaskAgreement:
    """Metrics held against one human score over the language pairs of a task, the most agreeing first.

    Attributes
    ----------
    human : str
    task : TaskInfo
    pairs : mapping of str to Agreement
        By language pair; the seed of each, which its name is part of, stands in its `sampling`.
    without : tuple of str
        Language pairs in which fewer than two systems have such a score.
    alpha : float
    seed : int
    correction : str
        Over all pairs of metrics.
    metrics : tuple of MetricAgreement
        Means over the language pairs; `n_pairs` and `n_ties` are sums.
    comparisons : tuple of AgreementComparison
        By the mean difference, permuted within each language pair.
    """

    human: str
    task: TaskInfo
    pairs: Mapping[str, Agreement]
    without: tuple[str, ...]
    alpha: float
    seed: int
    correction: str
    metrics: tuple[MetricAgreement, ...]
    comparisons: tuple[AgreementComparison, ...]

    @property
    def sampling(self) -> SamplingSettings:
        """That of the language pairs, with the seed of all of them."""
        return replace(next(iter(self.pairs.values())).sampling, seed=self.seed)
