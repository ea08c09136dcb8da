"""What is found under one metric: systems, pairs, and who is ahead by each reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeVar

from mtsig_core.errors import counted, unknown
from mtsig_core.results.runs import PairRuns, SystemRuns
from mtsig_core.results.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["UNLIKE", "swap_ratio", "SystemResult", "PairResult", "ReferenceLeaders", "RuledRanks", "MetricResult",
           "by_metric"]

#: Of a standard error over that of swaps: with 1.1, a randomization test at .05 rejects 7.5% of true nulls.
UNLIKE = 1.1


def swap_ratio(delta: float, se: float | None, swap_se: float | None, n: float | None) -> float | None:
    """The bootstrap standard error of a difference over that of swaps, were there no difference.

    Swaps turn the difference round in n equal units, which adds delta^2 / n to their variance; that is taken off.
    None where nothing is swapped, and beyond four standard errors, where the rest is a small difference of large
    numbers, and no p in doubt.
    """
    if not (se and swap_se and n) or abs(delta) > 4 * se:
        return None
    variance = swap_se**2 - delta**2 / n
    return se / math.sqrt(variance) if variance > 0 else None

_Found = TypeVar("_Found")
_COLUMN_TYPES = {"str": "str", "float": "float64", "int": "Int64", "bool": "bool"}


@dataclass(frozen=True)
class SystemResult:
    """One system under one metric.

    Attributes
    ----------
    score : float
        In points; by a rule of ranks that has a score of its own, that score.
    ci_low, ci_high : float or None
        Interval of the score.
    rank_low, rank_high : int or None
        From 1: simultaneous over all systems, or by the rule that was asked for.
    cluster : int or None
        From 1: no rank interval reaches from one cluster into the next. None without ranks, and in results of versions
        that did not say.
    """

    system: str
    score: float
    ci_low: float | None
    ci_high: float | None
    rank_low: int | None
    rank_high: int | None
    cluster: int | None = None


@dataclass(frozen=True)
class PairResult:
    """Two systems under one metric, on the segments that have scores for both.

    Attributes
    ----------
    a, b : str
        The better-scoring system first; with a baseline, b is the baseline.
    delta : float
        score(a) - score(b) in points on these segments, with its interval `ci_low`, `ci_high`. Without a common
        segment (`n` 0) the difference of the scores on the segments that each has.
    p_value, p_adjusted : float or None
        None for a test that gives no p, and for a pair that could not be tested.
    significant : bool
    better : {"a", "b", None}
        Which system is significantly better, if any.
    win, lose : float or None
        Koehn's test: shares of bootstrap samples on which a is better, or worse, than b.
    se : float or None
        Bootstrap standard error of delta, in points, for the unit of the test.
    se_ratio : float or None
        Standard error by document / by segment; None without document ids, or where nothing varies.
    mdd : float or None
        Minimum detectable difference in points: what one test at alpha finds with 80% power.
    mdd_low, mdd_high : float or None
        Its interval of level 1 - alpha, as the standard error is an estimate.
    mdd_family : float or None
        The same for a test at alpha / m, m the pairs of the family: enough under any correction but ``by``, as all of
        them find at least what Bonferroni finds.
    se_df : float or None
        How well the standard error is known, in degrees of freedom; see `power.degrees_of_freedom`.
    swap_se : float or None
        Test ``ar``: root mean square of the difference over its swaps, in points, which the test takes for the
        standard error. It holds for systems that are alike enough to trade places; see `swap_ratio`.
    n_apart : int or None
        Units that tell the two apart, where these are fewer than 20 and not all: p is at least 2/2^n of them, as the
        others say nothing of which is better.
    n : int or None
        Number of segments compared; None in results of versions that did not say.
    ci_joint_low, ci_joint_high : float or None
        Simultaneous interval of delta: those of all pairs, or of all pairs with the baseline, hold together at level
        1 - alpha. Of a single pair it is the single interval. None also in results of versions that had none.
    n_units : int or None
        Units that both have segments in; None as above.
    n_effective : float or None
        How many units of equal size these are worth (Kish 1965): (sum w)^2 / sum w^2, w the segments of each.
    decidable : bool
        Whether the smallest p that the test can give with so many units and trials is, after the correction, at most
        alpha. If not, the pair could not be significant whatever the difference, and `mdd` is None. So it is where
        `se` is 0: a difference that never varies says nothing of others.
    favours : {"a", "b", None}
        The system that the test's own statistic favours, such as the sum of signed ranks, where the difference does not
        favour it too: then `better` is None, however small p is. None where both agree.
    """

    a: str
    b: str
    delta: float
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None
    win: float | None
    lose: float | None
    se: float | None
    se_ratio: float | None
    mdd: float | None
    n: int | None = None
    ci_joint_low: float | None = None
    ci_joint_high: float | None = None
    n_units: int | None = None
    n_effective: float | None = None
    decidable: bool = True
    mdd_low: float | None = None
    mdd_high: float | None = None
    mdd_family: float | None = None
    se_df: float | None = None
    swap_se: float | None = None
    n_apart: int | None = None
    favours: str | None = None

    @property
    def swap_ratio(self) -> float | None:
        """How much more samples vary than swaps would of no difference; see the function of that name."""
        n = self.n_effective if self.n_effective is not None else self.n
        return swap_ratio(self.delta, self.se, self.swap_se, n)

    @property
    def unlike(self) -> bool:
        """Whether that is clearly more, see `UNLIKE`."""
        return self.swap_ratio is not None and self.swap_ratio > UNLIKE


@dataclass(frozen=True)
class ReferenceLeaders:
    """Who is ahead by one of several references alone.

    Attributes
    ----------
    reference : str
    leaders : tuple of str
        The systems that no other is significantly better than, best first.
    n_segments : int
        Segments that the reference has, which this is about.
    decidable : bool
        Whether they are enough to decide anything; if not, the leaders are all systems.
    ahead : bool
        Whether a single leader is significantly better than each other system, not only the last that may be the
        first; True in results of versions that did not say.
    """

    reference: str
    leaders: tuple[str, ...]
    n_segments: int
    decidable: bool = True
    ahead: bool = True


@dataclass(frozen=True)
class RuledRanks:
    """How another rule than ours ranks the systems, and what that hides.

    Attributes
    ----------
    clusters : tuple of int
        Of each system, best first, the number of the group that the rule puts it in.
    significant_inside : int
        Significant pairs whose systems are in one cluster, with no line between them.
    changed : int or None
        Systems whose simultaneous rank interval is another; None where there is none.
    first_held : tuple of str
        Who may be the first by simultaneous rank intervals; empty where there are none, and in results of versions
        that did not say.
    apart_not_significant : int or None
        Pairs whose rank ranges lie apart, so that one is called better, though they are not significantly so; None in
        results of versions that did not say.
    inside_apart : int or None
        Those of the significant pairs inside one cluster whose rank ranges lie apart all the same; None in results of
        versions that did not say.
    wins, losses : tuple of int
        Of each system, best first, how many others the rule calls worse, and better; empty in results of versions that
        did not say.
    means : tuple of float, optional
        Of each system, best first, the mean over segments, where the rule has a score of its own. Differences of pairs
        are differences of these means.
    """

    clusters: tuple[int, ...]
    significant_inside: int
    changed: int | None
    first_held: tuple[str, ...] = ()
    apart_not_significant: int | None = None
    inside_apart: int | None = None
    wins: tuple[int, ...] = ()
    losses: tuple[int, ...] = ()
    means: tuple[float, ...] | None = None


@dataclass(frozen=True, repr=False)
class MetricResult:
    """All systems, best first, and all pairs under one metric; with several references, the leaders by each.

    Attributes
    ----------
    tokenizer : str or None
        What finds its words, if anything; None also in results of versions that did not say.
    ci : str or None
        The kind of its intervals; None in results of versions that did not say.
    n_units : int or None
        The units that were resampled: of segment scores, only those that have any. Of stationary blocks, segments
        over mean length. None in results of versions that did not say.
    n_effective : float or None
        How many units of equal size these are worth; see `PairResult`.
    trials : int or None
        How often the test drew; None for tests without draws, and in results of versions that did not say.
    ruled : RuledRanks or None
        What the ranks hide, where they are made by another rule than simultaneous rank intervals.
    exact : bool
        Whether these trials are all swaps there are (but for none swapped, 2^n - 1 of n units), so that p is exact.
    runs : tuple of SystemRuns
        Of all systems in their order, where the test set has training runs; else empty.
    pair_runs : tuple of PairRuns
        Of all pairs in their order, likewise.
    """

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    by_reference: tuple[ReferenceLeaders, ...] = ()
    tokenizer: str | None = None
    ci: str | None = None
    n_units: int | None = None
    n_effective: float | None = None
    trials: int | None = None
    exact: bool = False
    ruled: RuledRanks | None = None
    runs: tuple[SystemRuns, ...] = ()
    pair_runs: tuple[PairRuns, ...] = ()

    def __repr__(self) -> str:
        return (f"<MetricResult {self.metric!r}: {counted(len(self.systems), 'system')}, best "
                f"{self.systems[0].system!r} {self.systems[0].score:.2f}, {self._differing()}>")

    def _repr_html_(self) -> str:
        from mtsig_core.report.notebook import metric_table

        return metric_table(self)

    def _differing(self) -> str:
        return f"{sum(pair.significant for pair in self.pairs)} of {counted(len(self.tested), 'pair')} significant"

    def n_trials(self, settings: Settings) -> int | None:
        """How often the test drew, in results of versions that did not say too."""
        return settings.trials if self.trials is None else self.trials

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return 1 if self.higher_is_better else -1

    @property
    def best(self) -> set[str]:
        """The systems that have the best score."""
        return {row.system for row in self.systems if row.score == self.systems[0].score}

    @property
    def was_given(self) -> bool:
        """Whether its scores of segments were read, as ratings are, and not counted from texts and references."""
        return self.signature.startswith("scores:")

    @property
    def tested(self) -> tuple[PairResult, ...]:
        """The pairs that have segments in common: the others are compared by nothing, and corrected for by nothing."""
        return tuple(pair for pair in self.pairs if pair.n != 0)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One of the two tables as a pandas DataFrame, ``"systems"`` or ``"pairs"``."""
        import pandas as pd  # late: half a second that the command line does not need

        if table not in _TABLES:
            raise unknown("table", table, _TABLES)
        row = _TABLES[table]
        types = {f.name: _COLUMN_TYPES[f.type.removesuffix(" | None")] for f in fields(row)}  # also where all are None
        return pd.DataFrame([asdict(r) for r in getattr(self, table)], columns=list(types)).astype(types)

    def tally(self) -> dict[str, tuple[int, int, int]]:
        """Wins, ties and losses of each system: significant ones, of pairs that could be decided; or by the rule of the
        ranks, where another one was asked for."""
        if self.ruled is not None and self.ruled.wins:
            return {row.system: (wins, len(self.systems) - 1 - wins - losses, losses)
                    for row, wins, losses in zip(self.systems, self.ruled.wins, self.ruled.losses, strict=True)}
        counts = {s.system: [0, 0, 0] for s in self.systems}
        for pair in (pair for pair in self.tested if pair.decidable):
            for name, side in ((pair.a, "a"), (pair.b, "b")):
                counts[name][1 if pair.better is None else 0 if pair.better == side else 2] += 1
        return {name: (wins, ties, losses) for name, (wins, ties, losses) in counts.items()}


_TABLES = {"systems": SystemResult, "pairs": PairResult}


class _ByMetric(dict[str, _Found]):
    def __missing__(self, name: str) -> NoReturn:
        raise unknown("metric", name, self)


def by_metric(found: Mapping[str, _Found]) -> Mapping[str, _Found]:
    """What was found by each metric, read-only; a metric that is not there is answered with the nearest."""
    return MappingProxyType(_ByMetric(found))
