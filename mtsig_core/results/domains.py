"""Systems by domain."""

from __future__ import annotations

from dataclasses import dataclass

from mtsig_core.results.settings import Caution, SamplingSettings, TestSetInfo

__all__ = ["ByDomain", "DomainPair", "DomainScores", "StratifiedPair"]


@dataclass(frozen=True)
class DomainScores:
    """One domain: its segments and documents that some system has scores for, and the score in points of each system,
    None where it has none; of a metric that takes weights from a test set (NIST) the signature that names those of the
    domain."""

    domain: str
    n_segments: int
    n_documents: int | None
    scores: dict[str, float | None]
    signature: str | None = None


@dataclass(frozen=True)
class DomainPair:
    """A pair of systems in one domain, on the segments that both have; `p_adjusted` is over all pairs in all domains,
    `better` is "a", "b" or None."""

    domain: str
    delta: float
    p_value: float
    p_adjusted: float
    better: str | None
    score_a: float
    score_b: float
    n_segments: int
    n_documents: int | None


@dataclass(frozen=True)
class StratifiedPair:
    """A pair of systems, the better on the whole set first.

    Attributes
    ----------
    delta : float
        score(a) - score(b) on the whole set, in points.
    ci_low, ci_high : float
        Percentile interval, samples drawn within domains.
    se, se_stratified : float
        Standard errors of samples drawn from the whole set, and within domains.
    p_value, p_adjusted : float
        Of the whole set; over all pairs.
    better : {"a", "b", None}
    domains : tuple of DomainPair
        Those where both have scored segments.
    opposed : tuple of str
        Where the whole set decides, the domains in which the difference has the other sign.
    reverses : bool
        Whether two domains, or a domain and the whole set, decide significantly in opposite directions.
    """

    a: str
    b: str
    delta: float
    ci_low: float
    ci_high: float
    se: float
    se_stratified: float
    p_value: float
    p_adjusted: float
    better: str | None
    domains: tuple[DomainPair, ...]
    opposed: tuple[str, ...]
    reverses: bool


@dataclass(frozen=True)
class ByDomain:
    """Systems under one metric, best first on the whole set: scores by domain, and pairs."""

    metric: str
    signature: str
    higher_is_better: bool
    testset: TestSetInfo
    sampling: SamplingSettings
    test: str
    trials: int
    systems: tuple[str, ...]
    domains: tuple[DomainScores, ...]
    pairs: tuple[StratifiedPair, ...]
    warnings: tuple[Caution, ...] = ()
