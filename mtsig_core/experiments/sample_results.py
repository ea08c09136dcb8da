"""What samples of a test set say of systems and pairs, and whether the whole test set bears it out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.inference.significance import decide
from mtsig_core.inference.ties import TOLERANCE, rounding
from mtsig_core.results import SamplingSettings

__all__ = ["SampledPair", "SampledSystem", "Sampling", "Tally", "ratio_of_spreads", "spread"]


def spread(scores: np.ndarray) -> float:
    """Standard deviation of the scores that are there (NaN where a sample has none); NaN below two."""
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def ratio_of_spreads(blocks: np.ndarray, broad: np.ndarray, alpha: float = 0.05) -> tuple[float, float, float] | None:
    """Standard deviation of one lot of scores over that of another, and its interval of level 1 - alpha.

    The interval is that of two normal lots (F distribution): rough, but it tells how little a handful of samples says.
    Samples that follow each other may be alike, as blocks of one topic are: each lot counts as so many independent ones
    as tell as much of a variance (Bartlett 1946), n / (1 + 2 sum of squared autocorrelations).

    Parameters
    ----------
    blocks, broad : ndarray, shape (samples,)
        Scores in points, in the order of the samples; NaN where a sample has none.

    Returns
    -------
    (ratio, low, high), or None where one of them has fewer than two scores or the second does not vary

    Examples
    --------
    >>> some = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    >>> [round(x, 2) for x in ratio_of_spreads(some * 2, some)]
    [2.0, 0.95, 4.21]
    """
    from scipy.special import fdtri

    above, below = spread(blocks), spread(broad)
    if not (np.isfinite(above) and below > rounding(broad)):
        return None
    free = [(np.isfinite(scores).sum() - 1) / _variance_inflation(scores) for scores in (blocks, broad)]
    low, high = (float(above / below / np.sqrt(fdtri(*free, p))) for p in (1 - alpha / 2, alpha / 2))
    return above / below, low, high


def _variance_inflation(scores: np.ndarray) -> float:
    """1 + 2 sum of squared autocorrelations."""
    return 1 + 2 * sum(correlation ** 2 for correlation in _autocorrelations(scores[np.isfinite(scores)]))


def _autocorrelations(values: np.ndarray) -> list[float]:
    """Of lags 1, 2, ... up to the first that is not clearly above 0 (1.96 / sqrt(n))."""
    apart = values - values.mean()
    total, found = float(apart @ apart), []
    for lag in range(1, len(apart) // 2):
        correlation = float(apart[lag:] @ apart[:-lag]) / total if total > 0 else 0.0
        if correlation < 1.96 / np.sqrt(len(apart)):
            break
        found.append(correlation)
    return found


def _share_interval(yes: np.ndarray) -> tuple[float, float]:
    """95% interval of a share (Wilson 1927) of samples in their order, which count as so many independent ones as tell
    as much of a mean, n / (1 + 2 sum of autocorrelations). NaN without samples."""
    yes = yes.astype(float)
    if not len(yes):
        return float("nan"), float("nan")
    n, share, z = len(yes) / (1 + 2 * sum(_autocorrelations(yes))), float(yes.mean()), 1.959963984540054
    middle, half = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float((middle - half) / (1 + z * z / n)), float((middle + half) / (1 + z * z / n))


@dataclass(frozen=True, eq=False)
class SampledSystem:
    """One system on every sample, in points; NaN where a sample has no score of it.

    Attributes
    ----------
    system : str
    full : float
        Score on the whole test set.
    scores, low, high : ndarray, shape (samples,)
        Scores, and their percentile intervals from a bootstrap of the sample's own segments.
    """

    system: str
    full: float
    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score; NaN where no sample has one."""
        known = self.scores[np.isfinite(self.scores)]
        return (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))

    @property
    def known(self) -> int:
        """How many samples have a score."""
        return int(np.isfinite(self.scores).sum())

    @property
    def sd(self) -> float:
        """Standard deviation of the scores; NaN below two."""
        return spread(self.scores)

    @property
    def hits(self) -> np.ndarray:
        """Whether each interval contains the score on the whole test set, shape (samples,)."""
        tie = TOLERANCE * abs(self.full)
        return (self.low - tie <= self.full) & (self.full <= self.high + tie)

    @property
    def hit_interval(self) -> tuple[float, float]:
        """95% interval of the share of hits (Wilson 1927); samples that follow each other count as so many independent
        ones as tell as much of a mean, n / (1 + 2 sum of autocorrelations). NaN without samples."""
        return _share_interval(self.hits[np.isfinite(self.scores)])


@dataclass(frozen=True)
class Tally:
    """How many samples led to a conclusion in the order of the whole test set, in the other order, or to none."""

    right: int
    wrong: int
    none: int


@dataclass(frozen=True, eq=False)
class SampledPair:
    """Two systems on every sample; differences are score(a) - score(b) in points, NaN where nothing is compared.

    Attributes
    ----------
    a, b : str
    higher_is_better : bool
    full : float
        Difference on the whole test set.
    deltas : ndarray, shape (samples,)
    win, lose : ndarray, shape (samples,)
        Koehn's paired bootstrap: shares of bootstrap samples on which a is better, or worse, than b.
    p_value : ndarray, shape (samples,)
        Of approximate randomization.
    whole_p : float
        p of the pair on the whole test set; see `mtsig_core.experiments.whole_set.whole_p`. Where it is above alpha,
        the order that conclusions are held against may itself be chance.
    """

    a: str
    b: str
    higher_is_better: bool
    full: float
    deltas: np.ndarray
    win: np.ndarray
    lose: np.ndarray
    p_value: np.ndarray
    whole_p: float = float("nan")

    def flipped(self) -> SampledPair:
        """The same pair as b and a."""
        return replace(self, a=self.b, b=self.a, full=-self.full, deltas=-self.deltas, win=self.lose, lose=self.win)

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement of a over b."""
        return 1 if self.higher_is_better else -1

    @property
    def improvements(self) -> np.ndarray:
        """Improvement of a over b on each sample, positive also where lower scores are better."""
        return self.sign * self.deltas

    def concluded(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """1 where a sample says that a is better, -1 where that b is, else 0; shape (samples,).

        Parameters
        ----------
        test : {"koehn", "ar"}
            Share of wins at least 1 - alpha; or p at most alpha, with the sign of the difference.
        """
        if test == "koehn":
            return decide(self.win - self.lose, alpha, win=self.win, lose=self.lose)
        if test == "ar":
            return decide(self.improvements, alpha, p=self.p_value)
        raise SettingError(f"Unknown test {test!r} of samples. Available: koehn, ar.")

    def verdicts(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """Conclusions against the order of the whole test set: 1 right, -1 wrong, 0 none; shape (samples,).

        Where the whole test set has a tie, every conclusion is wrong.
        """
        concluded = self.concluded(test, alpha)
        order = 0 if abs(self.full) <= rounding(self.deltas) else self.sign * np.sign(self.full)
        return np.where(concluded == 0, 0, np.where(concluded == order, 1, -1))

    def tally(self, test: str = "koehn", alpha: float = 0.05) -> Tally:
        """How many samples are right, wrong, or undecided; see `verdicts`."""
        verdicts = self.verdicts(test, alpha)
        return Tally(*(int(np.sum(verdicts == verdict)) for verdict in (1, -1, 0)))

    def intervals(self, test: str = "koehn", alpha: float = 0.05) -> dict[str, tuple[float, float]]:
        """95% intervals of the shares of samples that are right, wrong and undecided, made as
        `SampledSystem.hit_interval` is."""
        verdicts = self.verdicts(test, alpha)
        return {name: _share_interval(verdicts == verdict) for name, verdict in (
            ("right", 1), ("wrong", -1), ("none", 0))}


@dataclass(frozen=True, eq=False)
class Sampling:
    """All samples of one kind and size.

    Attributes
    ----------
    metric : str
    higher_is_better : bool
    signature : str
        Of the metric on the whole test set.
    kind : {"blocks", "broad"}
    size, n_samples, n_segments : int
        Segments in a sample; samples; segments of the test set, of which the last few may be in no sample.
    shuffled : bool
    settings : SamplingSettings
        As resolved.
    trials : int
        Random swaps of each sample.
    systems : tuple of SampledSystem
        Best on the whole test set first.
    pairs : tuple of SampledPair
        All of them, the better first.
    whole_units : int
        That p on the whole test set comes from swaps of.
    """

    metric: str
    higher_is_better: bool
    signature: str
    kind: str
    size: int
    n_samples: int
    n_segments: int
    shuffled: bool
    settings: SamplingSettings
    trials: int
    systems: tuple[SampledSystem, ...]
    pairs: tuple[SampledPair, ...]
    whole_units: int

    def system(self, name: str) -> SampledSystem:
        return next(system for system in self.systems if system.system == name)

    def pair(self, a: str, b: str) -> SampledPair:
        """The pair in the order asked for."""
        found = next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})
        return found if found.a == a else found.flipped()
