"""What training runs show of a system and of a pair, beside what the test set shows."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PairRuns", "SystemRuns"]


@dataclass(frozen=True)
class SystemRuns:
    """The training runs of one system under one metric, on the test set as it is.

    Attributes
    ----------
    system : str
    scores : tuple of float
        Of each run, in points; the system's score is their mean.
    sd : float or None
        Standard deviation between runs (ddof 1), in points; None of a single run.
    sd_low, sd_high : float or None
        Its interval of level 1 - alpha, by chi-squared, for runs that are normal.
    """

    system: str
    scores: tuple[float, ...]
    sd: float | None = None
    sd_low: float | None = None
    sd_high: float | None = None


@dataclass(frozen=True)
class PairRuns:
    """How uncertain the difference of two systems is, in points, by source.

    Attributes
    ----------
    a, b : str
    se_testset : float or None
        Bootstrap standard error over units of the test set, of these runs: the `se` of the pair.
    se_runs : float or None
        Between runs: sqrt(sd_a^2 / R_a + sd_b^2 / R_b); None where a system has a single run.
    se_total : float or None
        Of both together, sqrt(n / (n - 1) se_testset^2 + se_runs^2) with n units: of a new test set and new runs.
    df_total : float or None
        Its degrees of freedom, by Welch and Satterthwaite; None in results of versions that did not say.
    """

    a: str
    b: str
    se_testset: float | None
    se_runs: float | None
    se_total: float | None
    df_total: float | None = None
