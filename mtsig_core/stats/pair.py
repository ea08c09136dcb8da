"""One pair of systems: all that mtsig computes about their difference (`examine_pair`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics import MetricLike, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.progress import Progress, report_stage
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import make_read_only, pair_differences, rounding_error
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.draws import SystemDraws, draw_replicates, draw_systems, test_pairs
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import (
    p_floor,
    unbiased,
    units_freedom,
)
from mtsig_core.stats.intervals import Bounds, Sample, finite_ends, fitting_intervals
from mtsig_core.stats.power import minimum_detectable_difference
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import Plan, check_trials, resolve_sampling
from mtsig_core.stats.significance import (
    SIDES,
    SMALLEST_P,
    TESTS,
    decide_pairs,
    fitting_tests,
    significant,
)
from mtsig_core.testset import TestSet

_PAIR = np.array([[0, 1]])  # the rows of the two systems where there are only two
_N_BINS = 60  # of the histogram of permutations


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test of the pair, at alpha and without correction."""

    # A key of `mtsig_core.stats.significance.TESTS`, where its title, source and caution are
    test: str
    p_value: float | None  # None for Koehn's test
    #: Only for Koehn's test: shares of bootstrap samples on which a is better, or worse, than b.
    win: float | None
    lose: float | None
    better: str | None  # {"a", "b", None}
    #: {"a", "b", None}: The system that the test's own statistic favours, where that statistic
    #: would be significant and the difference points the other way: then neither is better.
    favours: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PairExamination:
    """Two systems under one metric; all differences are score(a) - score(b) in points.

    Arrays are read-only.
    """

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
    #: shape (trials,): Differences after random swaps: the null of approximate randomization. Of up
    #: to 13 segments or documents all swaps, shape (2^n - 1,).
    swapped: np.ndarray
    #: In the order of `TESTS`; those for means of segment scores only for such a metric, and always
    #: by segment.
    outcomes: tuple[Outcome, ...]
    intervals: Mapping[str, Bounds | None]  # by kind; None where undefined
    #: Bootstrap standard error by unit: the unit of the test, segments, and documents where ids
    #: exist; None for a single unit.
    se: Mapping[str, float | None]
    #: Units of the test that both have, and how many of equal size these are worth.
    n_units: int
    n_effective: float
    #: Minimum detectable difference at 80% power, alpha, and the unit of the test; None where swaps
    #: of so few units cannot give a p of alpha, and where the difference never varies.
    mdd: float | None
    by_document: np.ndarray | None  # shape (documents,), or None
    #: shape (segments,): See `contributions`; of all segments, 0 for those not compared.
    by_segment: np.ndarray
    n: int  # segments that both have
    #: Whether `swapped` has all swaps except the one that swaps nothing, so that the p of
    #: approximate randomization is exact.
    exact: bool

    def __repr__(self) -> str:
        difference = f"{self.delta:+.4g} by {self.metric!r}, {self.n} segments"
        return f"<PairExamination {self.a!r} - {self.b!r}: {difference}>"

    @property
    def sign(self) -> int:
        """The factor that turns a difference of scores into an improvement of a over b."""
        if self.higher_is_better:
            return 1
        return -1


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests against a margin; see `equivalence`."""

    margin: float
    p_lower: float
    p_upper: float
    equivalent: bool

    @property
    def p_value(self) -> float:
        """The larger p of the two tests."""
        return max(self.p_lower, self.p_upper)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two systems on the segments that both have, and how to draw them."""

    measured: Measured  # only the two systems
    contrast: Contrast
    plan: Plan
    alpha: float
    jobs: int
    progress: Progress | None

    @classmethod
    def from_measured(
        cls,
        measured: Measured,
        plan: Plan,
        alpha: float,
        jobs: int,
        progress: Progress | None,
    ) -> _Pair:
        contrast = _contrast_two(measured, measured.units(plan.unit, plan.block_length))
        if not len(contrast.rows):
            a, b = measured.names
            raise SettingError(
                f"{a} and {b} have no line in common with a score by {measured.metric.name}: they "
                "cannot be compared. Choose another pair."
            )
        return cls(measured, contrast, plan, alpha, jobs, progress)

    @property
    def units(self) -> Units:
        return self.contrast.data.units

    def estimate_error(self, kind: str) -> float | None:
        """Estimate the standard error by another unit than the test has; None for a single unit."""
        contrast = _contrast_two(self.measured, self.measured.units(kind))
        if contrast.n_units[0] < 2:
            return None
        report = report_stage(self.progress, f"standard error by {kind}")
        differences = contrast.bootstrap(
            self.plan.resamples, self.plan.seed, jobs=self.jobs, progress=report
        )
        return float(differences.std(ddof=1))


def _contrast_two(measured: Measured, units: Units) -> Contrast:
    """Contrast the two systems of `measured`."""
    return contrast_pairs(measured.metric, measured.statistics, units, _PAIR)


def examine_pair(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    a: str,
    b: str,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairExamination:
    """Compute every test, interval and standard error of one pair.

    The draws are the same as in `compare` with the same settings, so each p is the one that
    `compare` gives this pair.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    a, b : str
        Two different systems of the test set.
    unit, block_length, trials, alpha, resamples, seed, jobs
        As in `compare`.
    progress : callable, optional
        As in `compare`.

    Raises
    ------
    SettingError
        For systems that do not exist or are the same, and for settings out of range.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> pair = examine_pair(ts, "bleu", "A", "B", trials=999)
    >>> [(outcome.test, outcome.p_value) for outcome in pair.outcomes][:2]
    [('ar', 0.001), ('bootstrap', 0.001)]
    """
    if a == b:
        raise SettingError(
            f"A pair is two systems, and {a!r} is given twice. Choose another for one of them."
        )
    testset.only((a, b))  # raises an error for an unknown system
    settings, _ = resolve_sampling(
        testset, unit=unit, block_length=block_length, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, alpha, "ar")  # the other tests draw as often
    metric = resolve_metric(testset, metric)
    # For a mean, the scores of all systems decide which segments take part.
    if not is_segment_mean(metric):
        testset = testset.only((a, b))
    measured = measure(testset, metric).only((a, b))
    plan = Plan(
        "bootstrap", settings.unit, settings.block_length, trials, settings.resamples, settings.seed
    )
    pair = _Pair.from_measured(measured, plan, alpha, jobs, progress)
    statistics = cached_statistics(metric, testset)
    all_segments = Measured(testset, metric, statistics).only((a, b))
    return _examine(pair, settings, all_segments)


def _examine(pair: _Pair, settings: SamplingSettings, all_segments: Measured) -> PairExamination:
    a, b = pair.measured.names
    metric = pair.measured.metric
    contrast = pair.contrast
    systems = draw_systems(
        contrast.data,
        contrast.statistics,
        pair.plan,
        pair.jobs,
        pair.progress,
    )
    sample = _sample_difference(systems.sample)
    difference = contrast.difference(systems.scores)
    swapped = contrast.swap(
        pair.plan.trials or 0,
        pair.plan.seed,
        jobs=pair.jobs,
        progress=pair.progress,
    )
    se = _estimate_errors(pair, sample)
    by_document = None
    if all_segments.testset.documents is not None:
        by_document = _contributions_by(all_segments, "document")
    return PairExamination(
        a=a,
        b=b,
        metric=metric.name,
        higher_is_better=metric.higher_is_better,
        settings=settings,
        score_a=float(contrast.data.scores[0]),
        score_b=float(contrast.data.scores[1]),
        delta=float(contrast.deltas[0]),
        drawn=make_read_only(difference[0]),
        swapped=make_read_only(swapped[0]),
        outcomes=tuple(_run_tests(pair, systems, swapped)),
        intervals=_estimate_intervals(sample, settings.alpha, is_segment_mean(metric)),
        se=MappingProxyType(se),
        n_units=int(contrast.n_units[0]),
        n_effective=float(contrast.n_effective[0]),
        mdd=_detectable_difference(pair, se[pair.units.kind]),
        by_document=by_document,
        by_segment=_contributions_by(all_segments, "segment"),
        n=int(contrast.n_common[0]),
        exact=TESTS["ar"].tries_all(pair.units),
    )


def _sample_difference(scores: Sample) -> Sample:
    """Make the sample of the difference from the sample of the two scores."""
    assert scores.freedom is not None, "both were drawn for intervals"
    segments = None
    if scores.segments is not None:
        segments = pair_differences(scores.segments, _PAIR)
    return Sample(
        observed=pair_differences(scores.observed, _PAIR),
        replicates=pair_differences(scores.replicates, _PAIR),
        left_out=pair_differences(scores.left_out, _PAIR),
        segments=segments,
        freedom=scores.freedom[:1],  # both have the same units
    )


def _estimate_errors(pair: _Pair, sample: Sample) -> dict[str, float | None]:
    """Estimate the standard error by the unit of the test, and by the other known units."""
    errors: dict[str, float | None] = {pair.units.kind: None}
    if pair.contrast.n_units[0] >= 2:
        errors[pair.units.kind] = float(sample.replicates[0].std(ddof=1))
    kinds = ["segment"]
    if pair.measured.testset.documents is not None:
        kinds.append("document")
    for kind in kinds:
        if kind != pair.units.kind:
            errors[kind] = pair.estimate_error(kind)
    return errors


def _estimate_intervals(
    sample: Sample, alpha: float, of_segment_means: bool
) -> Mapping[str, Bounds | None]:
    intervals = {}
    for kind, estimate in fitting_intervals(of_segment_means).items():
        low, high = estimate(sample, alpha)
        intervals[kind] = finite_ends(low[0], high[0])
    return MappingProxyType(intervals)


def _run_tests(pair: _Pair, systems: SystemDraws, swapped: np.ndarray) -> Iterator[Outcome]:
    sign = pair.measured.sign
    alpha = pair.alpha
    improvement = sign * pair.contrast.deltas
    for test in fitting_tests(is_segment_mean(pair.measured.metric)).values():
        replicates = swapped
        if test.draws != "swaps":
            plan = replace(pair.plan, test=test.name)
            replicates = draw_replicates(pair.contrast, systems, plan, pair.jobs, None)[:]
        n_differing = pair.contrast.count_differing_units(test.draws == "swaps")
        floor = p_floor(test, pair.units.kind, n_differing)
        tests = test_pairs(improvement, sign * replicates, test, floor, [])
        p = tests.p
        win = tests.win
        lose = tests.lose
        side = tests.side
        assert side is not None, "every test has a side"
        better = favoured = 0
        if significant(float(floor[0]), alpha):  # else so few units decide nothing
            better = int(decide_pairs(improvement, alpha, p=p, win=win, lose=lose, side=side)[0])
            favoured = int(decide_pairs(side, alpha, p=p, win=win, lose=lose, side=side)[0])
        yield Outcome(
            test.name,
            _only_value(p),
            _only_value(win),
            _only_value(lose),
            SIDES[better],
            SIDES[favoured] if better == 0 else None,
        )


def _only_value(values: np.ndarray | None) -> float | None:
    """Return the value of the only pair, or None where the test has no such values."""
    if values is None:
        return None
    return float(values[0])


def _detectable_difference(pair: _Pair, se: float | None) -> float | None:
    """Return the minimum detectable difference; None if swaps of so few units cannot reach alpha."""
    if not se:
        return None
    units = pair.units
    alpha = pair.alpha
    n_differing = pair.contrast.count_differing_units(is_swapped=True)
    floor = p_floor(TESTS["ar"], units.kind, n_differing, units.block_length)
    if not significant(float(floor[0]), alpha):
        return None
    n_effective = float(pair.contrast.n_effective[0])
    n_swapped = None
    if units.block_length is None:
        n_swapped = int(n_differing[0])
    return minimum_detectable_difference(
        unbiased(se, n_effective), alpha, n_effective=n_effective, n_swapped=n_swapped
    )


def _contributions_by(measured: Measured, kind: str) -> np.ndarray:
    return contributions(_contrast_two(measured, measured.units(kind)).data)


def contributions(data: engine.UnitStatistics) -> np.ndarray:
    """Return the difference of the first two systems, less the difference without each unit.

    This is the jackknife's influence on a corpus score. A corpus score is not a sum over units, so
    the contributions do not add up to the difference.

    Returns
    -------
    ndarray, shape (units,)
        In points, read-only.
    """
    observed = pair_differences(data.scores, _PAIR)[0]
    without_unit = pair_differences(engine.jackknife_scores(data), _PAIR)[0]
    influence = np.where(np.isnan(without_unit), 0.0, observed - without_unit)
    return make_read_only(influence)


def find_extremes(values: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the positions of the n largest positive and of the n smallest negative values.

    The most extreme value comes first in both.
    """
    order = np.argsort(-values, kind="stable")
    largest = order[:n]
    smallest = order[::-1][:n]
    tie = rounding_error(values)
    return largest[values[largest] > tie], smallest[values[smallest] < -tie]


def equivalence(pair: PairExamination, margin: float) -> Equivalence:
    """Test by two one-sided tests whether the improvement of a over b lies within +-margin.

    The pair has alpha, and the standard error of the bootstrap by the unit of the test; see
    `two_one_sided`.

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
        raise SettingError(
            f"{pair.a} and {pair.b} have one {pair.settings.unit} in common, which tells nothing of how "
            "far their difference may vary. Expected at least two."
        )
    return two_one_sided(
        pair.sign * pair.delta,
        unbiased(error, pair.n_effective),
        margin,
        pair.settings.alpha,
        pair.n_effective,
    )


def two_one_sided(
    delta: float, se: float, margin: float, alpha: float = 0.05, n_effective: float = math.inf
) -> Equivalence:
    """Test by two one-sided t tests (TOST; Schuirmann 1987) that a difference lies within +-margin.

    p_lower = P(T >= (delta + margin) / SE), p_upper = P(T <= (delta - margin) / SE), T with the
    units less one as degrees of freedom; equivalent when the larger is at most alpha, that is, when
    the t interval of level 1 - 2 alpha lies within the margin.

    >>> round(two_one_sided(0.5, 0.25, 1.0).p_value, 4), two_one_sided(0.5, 0.25, 1.0, n_effective=5).equivalent
    (0.0228, False)
    """
    if not 0 < margin < math.inf:
        raise SettingError(f"margin is {margin:g}. Expected points above 0.")
    freedom = float(units_freedom(n_effective))
    p_lower = _upper_tail(margin + delta, se, freedom)
    p_upper = _upper_tail(margin - delta, se, freedom)
    is_equivalent = significant(max(p_lower, p_upper), alpha)
    return Equivalence(float(margin), p_lower, p_upper, is_equivalent)


def _upper_tail(distance: float, se: float, freedom: float) -> float:
    """Return P(T >= distance / se), at least the smallest p that is reported."""
    from scipy.special import ndtr, stdtr

    if se <= 0:
        p = 1.0
        if distance > 0:
            p = 0.0
    elif math.isinf(freedom):
        p = float(ndtr(-distance / se))
    else:
        p = float(stdtr(freedom, -distance / se))
    return max(p, SMALLEST_P)


def density(values: np.ndarray, n_points: int = 241) -> tuple[np.ndarray, np.ndarray]:
    """Estimate a smooth density (Gaussian kernel, width after Silverman 1986, eq. 3.31).

    Returns
    -------
    x, y : ndarray, shape (n_points,)
        x is an even grid, y integrates to 1. Both are empty where the values do not vary.
    """
    spread = values.std()
    if spread <= rounding_error(values):
        return np.empty(0), np.empty(0)
    quartile_range = np.ptp(np.quantile(values, [0.25, 0.75]))
    scale = spread
    if quartile_range > 0:
        scale = min(spread, quartile_range / 1.34)
    width = 0.9 * scale * len(values) ** -0.2
    low = values.min() - 3 * width
    high = values.max() + 3 * width
    # Smoothing the counts of a fine histogram is as good, and cheap for many values.
    counts, edges = np.histogram(values, 1000, (low, high))
    centres = (edges[:-1] + edges[1:]) / 2
    x = np.linspace(low, high, n_points)
    kernel = np.exp(-(((x[:, None] - centres) / width) ** 2) / 2)
    return x, kernel @ counts / (len(values) * width * math.sqrt(2 * math.pi))


def symmetric_histogram(values: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Histogram symmetric about 0 that covers the values and +-reach: (edges, counts)."""
    largest = max(reach, np.abs(values).max(initial=0.0))
    limit = 1.08
    if largest > 0:
        limit = 1.08 * largest
    counts, edges = np.histogram(values, _N_BINS, (-limit, limit))
    return edges, counts


def smooth_resamples(pair: PairExamination, resamples: int) -> tuple[np.ndarray, np.ndarray]:
    """The density of the improvements of a over b on so many resamples: (points, density)."""
    return density(pair.sign * pair.drawn[:resamples])


def count_permutations(pair: PairExamination) -> tuple[np.ndarray, np.ndarray]:
    """The histogram of the improvements of a over b after permutations: (edges, counts).

    It is wide enough for the observed improvement.
    """
    return symmetric_histogram(pair.sign * pair.swapped, abs(pair.delta))
