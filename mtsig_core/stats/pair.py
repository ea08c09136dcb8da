"""`examine_pair`: everything that can be asked of the difference between two systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.metrics import Metric, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import rounding
from mtsig_core.stats.draws import test_pairs
from mtsig_core.stats.engine import segment_scores, units_apart
from mtsig_core.stats.few_units import least_of_units, p_floor, pair_units
from mtsig_core.stats.intervals import Sample, finite_ends, fitting_intervals
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.parallel import Progress, stage
from mtsig_core.stats.power import minimum_detectable_difference, unbiased, units_freedom
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_trials, resolve_sampling
from mtsig_core.stats.significance import (
    SIDES,
    SMALLEST_P,
    TESTS,
    SignificanceTest,
    decide_pairs,
    fitting_tests,
    significant,
)
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class Outcome:
    """What one test says of the pair, at alpha and without correction."""

    test: str  # A key of `mtsig_core.stats.significance.TESTS`, where its title, source and caution are
    p_value: float | None  # None for Koehn's test
    #: Koehn's test alone: shares of bootstrap samples on which a is better, or worse, than b.
    win: float | None
    lose: float | None
    better: str | None  # {"a", "b", None}
    #: {"a", "b", None}: The system that the test's own statistic favours, where it would be decided for that and the
    #: difference does not favour it: then neither is better.
    favours: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PairExamination:
    """Two systems under one metric; all differences are score(a) - score(b) in points. Arrays are read-only."""

    a: str
    b: str
    metric: str
    higher_is_better: bool
    settings: SamplingSettings  # as resolved
    #: On the segments that both have.
    score_a: float
    score_b: float
    delta: float
    drawn: np.ndarray  # shape (at least trials and resamples,): Differences on bootstrap samples
    #: shape (trials,): Differences after random swaps: the null of approximate randomization. Of up to 13 segments or
    #: documents all swaps, shape (2^n - 1,).
    swapped: np.ndarray
    #: In the order of `TESTS`; those for means of segment scores only for such a metric, and always by segment.
    outcomes: tuple[Outcome, ...]
    intervals: Mapping[str, tuple[float, float] | None]  # by kind; None where undefined
    #: Bootstrap standard error by unit: that of the test, segments, and documents where ids exist; None of one unit.
    se: Mapping[str, float | None]
    #: Units of the test that both have, and how many of equal size these are worth.
    n_units: int
    n_effective: float
    #: Minimum detectable difference at 80% power, alpha, and the unit of the test; None where swaps of so few units
    #: cannot give a p of alpha, and where the difference never varies.
    mdd: float | None
    by_document: np.ndarray | None  # shape (documents,), or None
    by_segment: np.ndarray  # shape (segments,): See `contributions`; of the whole test set, 0 for what was not compared
    n: int  # segments that both have
    #: Whether `swapped` has all swaps there are but for none, so that the p of approximate randomization is exact.
    exact: bool

    def __repr__(self) -> str:
        return f"<PairExamination {self.a!r} - {self.b!r}: {self.delta:+.4g} by {self.metric!r}, {self.n} segments>"

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement of a over b."""
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests against a margin; see `equivalence`."""

    margin: float
    p_lower: float
    p_upper: float
    equivalent: bool

    @property
    def p_value(self) -> float:
        return max(self.p_lower, self.p_upper)


def examine_pair(testset: TestSet, metric: str | Metric, a: str, b: str, *, unit: str = "auto",
                 block_length: float | None = None, trials: int = 9999, alpha: float = 0.05, resamples: int = 2000,
                 seed: int = 0, jobs: int = 1,
                 statistics: np.ndarray | None = None,
                 progress: Progress | None = None) -> PairExamination:
    """Ask every test, interval and unit about one pair.

    The draws are those of `compare` with the same settings, so each p is the one that `compare` gives this pair.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    a, b : str
        Two different systems of the test set.
    unit, block_length, trials, alpha, resamples, seed, jobs
        As in `compare`.
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        As in `compare`.

    Raises
    ------
    SettingError
        For systems that are not there or not two, and for settings out of range.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = examine_pair(ts, "bleu", "A", "B", trials=999)
    >>> [(o.test, o.p_value) for o in found.outcomes][:2]
    [('ar', 0.001), ('bootstrap', 0.001)]
    """
    _check_pair(testset, a, b)
    settings, _ = resolve_sampling(testset, unit=unit, block_length=block_length, alpha=alpha, resamples=resamples,
                                   seed=seed)
    check_trials(trials, alpha, "ar")  # the other tests draw as often
    metric = resolve_metric(testset, metric)
    if statistics is None:  # which segments of a mean take part depends on the scores of all systems
        testset = testset if is_segment_mean(metric) else testset.only((a, b))
        statistics = cached_statistics(metric, testset)
    seen = measure(testset, metric, statistics=statistics)
    whole = Measured(testset, metric, statistics)  # each segment of the set, whatever is compared
    (two, n), units = seen.pair(a, b), seen.units(settings.unit, settings.block_length)
    here = engine.UnitStatistics(metric, two, units)
    drawn = _difference(engine.bootstrap_scores(here, max(resamples, trials), seed, jobs=jobs,
                                                progress=stage(progress, "bootstrap samples")))
    swapped = engine.swap_differences(here, engine.all_pairs(2), trials, seed, jobs=jobs,
                                      progress=stage(progress, "swaps"))[0]
    sample = _sample_difference(here, two, drawn[:resamples])
    (common, worth), delta = _units_of_both(seen.only((a, b)), units), float(sample.observed[0])
    n_apart = {draws: units_apart(here, engine.all_pairs(2), np.array([common]), draws == "swaps")
               for draws in ("swaps", "bootstrap", "none")}
    replicates = {"swaps": swapped[None], "bootstrap": drawn[None, :trials], "none": sample.segments}
    se = _standard_errors(seen, two, (a, b), units, sample, seed, jobs, progress)
    return PairExamination(
        a, b, metric.name, metric.higher_is_better, settings, float(here.scores[0]), float(here.scores[1]), delta,
        _frozen(drawn), _frozen(swapped),
        tuple(_outcome(test, delta, replicates[test.draws], alpha, seen.sign,
                       float(p_floor(test, units.kind, n_apart[test.draws])[0]))
              for test in fitting_tests(is_segment_mean(metric)).values()),
        MappingProxyType({kind: finite_ends(*(end[0] for end in rule(sample, alpha)))
                          for kind, rule in fitting_intervals(is_segment_mean(metric)).items()}),
        MappingProxyType(se), common, worth,
        _detectable(se[units.kind], common, worth, int(n_apart["swaps"][0]), units, alpha),
        None if testset.documents is None else _contributions_by(whole, "document", a, b),
        _contributions_by(whole, "segment", a, b), n, TESTS["ar"].tries_all(units))


def _check_pair(testset: TestSet, a: str, b: str) -> None:
    if a == b:
        raise SettingError(f"A pair is two systems, and {a!r} is given twice. Choose another for one of them.")
    for name in (a, b):
        if name not in testset.systems:
            raise SettingError(f"No system {name!r} in {testset.name}.{suggest_name(name, testset.systems)} It has: "
                               f"{', '.join(testset.systems)}.")


def _sample_difference(here: engine.UnitStatistics, two: np.ndarray, drawn: np.ndarray) -> Sample:
    """The difference of two systems as one row, with these bootstrap differences."""
    segments = segment_scores(here.metric, two)
    return Sample(np.array([here.scores[0] - here.scores[1]]), drawn[None],
                  _difference(engine.jackknife_scores(here))[None],
                  None if segments is None else _difference(segments)[None])


def _units_of_both(two: Measured, units: Units) -> tuple[int, float]:
    """The units that both of two systems have segments in, and how many of equal size these are worth."""
    common, worth = pair_units(two, np.array([[0, 1]]), units)
    return int(common[0]), float(worth[0])


def _standard_errors(seen: Measured, two: np.ndarray, names: tuple[str, str], units: Units, sample: Sample, seed: int,
                     jobs: int, progress: Progress | None) -> dict[str, float | None]:
    """Of the difference, by the unit of the test, by segment, and by document where ids exist; None of one unit."""
    kinds = [units.kind, "segment", *(["document"] if seen.testset.documents is not None else [])]
    errors: dict[str, float | None] = {}
    for kind in dict.fromkeys(kinds):
        own = units if kind == units.kind else seen.units(kind)
        drawn = sample.drawn[0]
        if kind != units.kind:
            drawn = _difference(engine.bootstrap_scores(
                engine.UnitStatistics(seen.metric, two, own), len(drawn), seed, jobs=jobs,
                progress=stage(progress, f"standard error by {kind}")))
        errors[kind] = None if _units_of_both(seen.only(names), own)[0] < 2 else float(drawn.std(ddof=1))
    return errors


def _detectable(se: float | None, n_units: int, n_effective: float, n_apart: int, units: Units, alpha: float
                ) -> float | None:
    """The minimum detectable difference; None where swaps of so few units cannot reach alpha."""
    least = least_of_units(TESTS["ar"], units.kind, np.array([n_apart]), units.block_length)[0]
    if not (se and significant(float(least), alpha)):
        return None
    return minimum_detectable_difference(unbiased(se, n_units), alpha, n_effective=n_effective,
                                         n_swapped=n_apart if units.block_length is None else None)


def _contributions_by(whole: Measured, kind: str, a: str, b: str) -> np.ndarray:
    return contributions(engine.UnitStatistics(whole.metric, whole.pair(a, b)[0], whole.units(kind)))


def contributions(data: engine.UnitStatistics) -> np.ndarray:
    """What each unit adds to the difference of the first two systems: it, less the difference without that unit.

    The jackknife's influence on a corpus score, which is no sum over units: the parts do not add up to the whole.

    Returns
    -------
    ndarray, shape (units,)
        In points, read-only.
    """
    without = _difference(engine.jackknife_scores(data))
    return _frozen(np.where(np.isnan(without), 0.0, data.scores[0] - data.scores[1] - without))


def extremes(values: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the n largest positive values, largest first, and of the n smallest negative ones."""
    order = np.argsort(-values, kind="stable")
    most, least = order[:n], order[::-1][:n]
    tie = rounding(values)
    return most[values[most] > tie], least[values[least] < -tie]


def equivalence(pair: PairExamination, margin: float) -> Equivalence:
    """Two one-sided tests that the improvement of a over b lies within +-margin, at the alpha of the pair.

    The standard error is that of the bootstrap by the unit of the test; see `two_one_sided`.

    Parameters
    ----------
    pair : PairExamination
    margin : float
        The largest difference that does not matter, in points, above 0.

    Raises
    ------
    SettingError
        For a margin that is not above 0, and a pair of a single unit, which has no standard error.
    """
    error = pair.se[pair.settings.unit]
    if error is None:
        raise SettingError(f"{pair.a} and {pair.b} have one {pair.settings.unit} in common, which tells nothing of how "
                           "far their difference may vary. Expected at least two.")
    return two_one_sided(pair.sign * pair.delta, unbiased(error, pair.n_units), margin, pair.settings.alpha,
                         pair.n_effective)


def two_one_sided(delta: float, se: float, margin: float, alpha: float = 0.05, n_effective: float = math.inf
                  ) -> Equivalence:
    """Two one-sided t tests (TOST; Schuirmann 1987) that a difference lies within +-margin.

    p_lower = P(T >= (delta + margin) / SE), p_upper = P(T <= (delta - margin) / SE), T with the units less one as
    degrees of freedom; equivalent when the larger is at most alpha, that is, when the t interval of level 1 - 2 alpha
    lies within the margin.

    Parameters
    ----------
    delta, se : float
        Difference, and its standard error, in points; of a bootstrap after `unbiased`.
    margin : float
        The largest difference that does not matter, above 0.
    n_effective : float
        Units of equal size that the error was estimated on; by default so many that T is normal.

    Examples
    --------
    >>> round(two_one_sided(0.5, 0.25, 1.0).p_value, 4), two_one_sided(0.5, 0.25, 1.0, n_effective=5).equivalent
    (0.0228, False)
    """
    from scipy.special import ndtr, stdtr

    if not margin > 0:
        raise SettingError(f"margin is {margin:g}. Expected points above 0.")
    freedom = float(units_freedom(n_effective))

    def beyond(room: float) -> float:
        if se > 0:
            p = float(ndtr(-room / se) if math.isinf(freedom) else stdtr(freedom, -room / se))
        else:
            p = 0.0 if room > 0 else 1.0
        return max(p, SMALLEST_P)

    p_lower, p_upper = beyond(margin + delta), beyond(margin - delta)
    return Equivalence(float(margin), p_lower, p_upper, significant(max(p_lower, p_upper), alpha))


def density(values: np.ndarray, n_points: int = 241) -> tuple[np.ndarray, np.ndarray]:
    """A smooth density (Gaussian kernel, width after Silverman 1986, eq. 3.31) on an even grid.

    Returns
    -------
    x, y : ndarray, shape (n_points,)
        y integrates to 1; both are empty where the values do not vary.
    """
    spread = values.std()
    if spread <= rounding(values):
        return np.empty(0), np.empty(0)
    quartiles = np.quantile(values, [0.25, 0.75])
    width = 0.9 * min(spread, np.ptp(quartiles) / 1.34 or spread) * len(values) ** -0.2
    low, high = values.min() - 3 * width, values.max() + 3 * width
    counts, edges = np.histogram(values, 1000, (low, high))  # smoothing counts is as good, and cheap for many values
    x = np.linspace(low, high, n_points)
    kernel = np.exp(-(((x[:, None] - (edges[:-1] + edges[1:]) / 2) / width) ** 2) / 2)
    return x, kernel @ counts / (len(values) * width * math.sqrt(2 * math.pi))


def tally(values: np.ndarray, reach: float, n_bins: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Histogram symmetric about 0 that covers the values and +-reach: (edges, counts)."""
    reach = 1.08 * (max(reach, np.abs(values).max(initial=0.0)) or 1.0)
    counts, edges = np.histogram(values, n_bins, (-reach, reach))
    return edges, counts


def _outcome(test: SignificanceTest, delta: float, replicates: np.ndarray | None, alpha: float, sign: int,
             floor: float) -> Outcome:
    """What one test says; its p is at least `floor`, and nothing is decided where that is above alpha."""
    assert replicates is not None, "only tests that fit the metric are asked"
    improvement = np.array([sign * delta])
    tests = test_pairs(improvement, sign * replicates, test, np.array([floor]), [])
    p, win, lose, side = tests.p, tests.win, tests.lose, tests.side
    assert side is not None, "every test has a side"
    by_both, by_test = (int(decide_pairs(toward, alpha, p=p, win=win, lose=lose, side=side)[0])
                        if significant(floor, alpha) else 0 for toward in (improvement, side))
    p_value, wins, losses = (None if value is None else float(value[0]) for value in (p, win, lose))
    return Outcome(test.name, p_value, wins, losses, SIDES[by_both], SIDES[by_test - by_both])


def _difference(scores: np.ndarray) -> np.ndarray:
    difference: np.ndarray = scores[0] - scores[1]
    return difference


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values
