"""False alarms of tests, for one pair and for many (Riezler and Maxwell 2005)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, median
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    DrawArrays,
    Mean,
    PairDraws,
    PairSet,
    Population,
    Rate,
    Simulation,
    check_seed,
    column,
    count_segments,
    derived,
    make_rng,
    mean_share,
    mix_systems,
    pair_population,
    population,
    rate,
    rate_of,
    run_repeats,
    table_row,
)
from mtsig_core.metrics import Metric, MetricLike, direction, is_segment_mean, resolve_metric
from mtsig_core.progress import Progress, report_stage
from mtsig_core.results import MetricResult, PairResult, Settings
from mtsig_core.stats import engine
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.engine import measure, segment_scores
from mtsig_core.stats.few_units import fewest_trials, fewest_units, p_floor
from mtsig_core.stats.resampling import Units, sum_groups
from mtsig_core.stats.settings import check_level, check_whole
from mtsig_core.stats.significance import (
    CORRECTIONS,
    TESTS,
    apply_corrections,
    approximate_randomization,
    decide_pairs,
    fitting_tests,
    riezler_maxwell,
    romano_wolf,
    signed_shift,
    significant,
    win_rates,
)
from mtsig_core.testset import TestSet

# Two systems made equal by weights of documents. A swap would make them equal, too, but then their
# difference would have no share that the segments of a document have in common.


#: The smallest effective number of documents that weights may leave, as a share of all.
LEAST_KEPT = 0.5
_DOUBLINGS = 20


@dataclass(frozen=True, eq=False)
class EqualWeights:
    """Weights of documents under which two systems are equal."""

    weights: np.ndarray  # (documents,), their sum is 1
    effective: float  # Kish's effective number of documents, 1 / sum of squared weights
    # standard error of the difference by document / by segment, in the weighted population
    se_ratio: float


def equal_weights(metric: Metric, both: np.ndarray, documents: np.ndarray) -> EqualWeights | None:
    """Find the weights nearest to equal ones, in relative entropy, that make two systems equal.

    `both` has shape (2, segments, stats), `documents` (segments,), numbered from 0 without a gap.
    None where no weights make the two equal, or they leave fewer than `LEAST_KEPT` of the
    documents.

    References
    ----------
    Efron (1981), Nonparametric standard errors and confidence intervals, section 11 (exponential tilting).
    Kish (1965), Survey Sampling, 11.7.

    >>> from mtsig_core.metrics.means import SegmentMean
    >>> both = np.array([[[3.0, 1], [5, 1], [1, 1]], [[2.0, 1], [6, 1], [1, 1]]])
    >>> equal_weights(SegmentMean("human", True), both, np.arange(3)).weights.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    sums = sum_groups(both, documents)
    pull = _influence(metric, sums, sums.sum(axis=1))
    if not np.ptp(pull) > 0:
        return None
    weights = _tilt(metric, sums, pull / pull.std())
    if weights is None:
        return None
    n = len(weights)
    effective = float(1 / (weights**2).sum())
    if effective < LEAST_KEPT * n:
        return None
    segment_weights = weights[documents] * n
    per_segment = _influence(metric, both, (segment_weights[:, None] * both).sum(axis=1))
    variance_by_document = weights @ np.bincount(documents, per_segment) ** 2 * n
    variance_by_segment = segment_weights @ per_segment**2
    if variance_by_segment <= 0:
        return None
    se_ratio = float(np.sqrt(variance_by_document / variance_by_segment))
    return EqualWeights(weights, effective, se_ratio)


def _tilt(metric: Metric, sums: np.ndarray, pull: np.ndarray) -> np.ndarray | None:
    """Find the weights proportional to exp(t pull), shape (documents,), that make scores equal.

    `sums` has shape (2, documents, stats).
    """
    from scipy.optimize import brentq  # late: it takes long to import

    def weights_at(t: float) -> np.ndarray:
        unscaled = np.exp(t * pull - (t * pull).max())
        return np.asarray(unscaled / unscaled.sum())

    def difference(t: float) -> float:
        weighted = sums.shape[1] * np.einsum("j,sjk->sk", weights_at(t), sums)
        score_a, score_b = metric.score(weighted)
        return float(score_a - score_b)

    start = difference(0.0)
    t = -0.1 if start > 0 else 0.1  # a larger t favours the first system
    for _ in range(_DOUBLINGS):
        if difference(t) * start <= 0:
            return weights_at(brentq(difference, 0.0, t))
        t *= 2.0
    return None


def predicted_rejections(se_ratio: float, alpha: float) -> float:
    """Predict how often a two-sided test rejects a true null if its standard error is too small.

    The true standard error is `se_ratio` times the standard error of the test.

    >>> round(predicted_rejections(1, 0.05), 3), round(predicted_rejections(1.5, 0.05), 3)
    (0.05, 0.191)
    """
    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf(1 - alpha / 2) / se_ratio)


def _influence(metric: Metric, statistics: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Approximate what each unit adds to the difference, to first order at sums (2, stats).

    Shape (2, units, stats) -> (units,).
    """
    step = 1e-4 * np.maximum(np.abs(sums), 1.0)
    shifts = step[:, None, :] * np.eye(sums.shape[1])  # (2, stats, stats): one statistic at a time
    above = metric.score(sums[:, None] + shifts)
    below = metric.score(sums[:, None] - shifts)
    change = above - below
    slope = change / (2 * step)
    by_system = np.einsum("snk,sk->sn", statistics, slope)
    influence: np.ndarray = by_system[0] - by_system[1]
    return influence


# Type-I error: how often each test finds a difference between equal systems.


# Segments and documents drawn for each pair of the null.
_NULL_SEGMENTS = 300
_NULL_DOCUMENTS = 110
_SEGMENT_STREAM = 10
_DOCUMENT_STREAM = 11


_Rejections = dict[tuple[str, str, str], bool]  # whether a test rejects, by null, unit and test


@dataclass(frozen=True)
class NullRate:
    """Rejections of true nulls by one test."""

    # how systems were made equal: by segment, swapped at random, or by document, drawn with weights
    null: str
    unit: str  # what the test draws or swaps, segment or document
    test: str
    rejected: Rate


@dataclass(frozen=True, kw_only=True)
class TypeOne(Simulation):
    """Rejections of true nulls by every test; the outputs of systems a and b make the nulls."""

    tables = {"rows": NullRate}

    a: str
    b: str
    n_pairs: int
    trials: int
    n_segments: int  # drawn for each pair of the null by segment
    #: By document; None without document ids, or where no weights make the two equal.
    n_documents: int | None
    rows: tuple[NullRate, ...]
    effective_documents: float | None = None  # Kish's number of the documents as they are weighted
    #: Standard error of the difference by document / by segment, with these weights.
    se_ratio: float | None = None
    #: Share of nulls by document that a test by segment rejects by that ratio.
    predicted: float | None = None


def type_one(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    a: str | None = None,
    b: str | None = None,
    *,
    n_pairs: int = 2000,
    n_segments: int | None = None,
    n_documents: int | None = None,
    trials: int = 499,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, TypeOne], None] | None = None,
) -> TypeOne:
    """Count rejections of true nulls: two systems made equal, by default the best two.

    By segment: segments are drawn with replacement, and their outputs are swapped with chance 1/2,
    so that approximate randomization keeps its level by construction. By document: whole documents
    are drawn with weights under which the two have the same score (`equal_weights`).

    Riezler and Maxwell (2005) find approximate randomization more conservative than the bootstrap;
    that follows from the shift as they print it (`riezler-maxwell`). With the signed shift both
    hold the level.
    """
    check_level(alpha)
    check_seed(seed)
    check_whole("pairs", n_pairs, 1, 1_000_000)
    check_whole("trials", trials, 1, 100_000)
    least_trials = TESTS["percentile"].trials_for(alpha)
    if trials < least_trials:
        raise SettingError(
            f"With {trials} trials no p can be {alpha:g} or less by every test. Use at least "
            f"{least_trials} trials, or a larger alpha."
        )
    pair = pair_population(testset, metric, a, b, progress=progress)
    draws = PairDraws.from_population(
        pair, n_segments, n_documents, _NULL_SEGMENTS, _NULL_DOCUMENTS
    )
    a, b = pair.systems
    if np.array_equal(*pair.statistics):
        raise SettingError(
            f"{a} and {b} score the same on every segment: no test can reject "
            "anything. Choose systems that differ."
        )
    equal = None
    if draws.n_documents is not None and pair.documents is not None:
        equal = equal_weights(pair.metric, pair.statistics, pair.documents)

    def repeat(k: int) -> _Rejections:
        sets = [draws.draw_segments(make_rng(seed, _SEGMENT_STREAM, k), swapped=True)]
        if equal is not None:
            sets += draws.draw_documents(make_rng(seed, _DOCUMENT_STREAM, k), equal.weights)
        rejected = {}
        for pair_set in sets:
            decisions = conclusions_on(pair.metric, pair_set, trials, alpha)
            for test, is_rejected in decisions.items():
                rejected[pair_set.drawn_by, pair_set.units.kind, test] = is_rejected
        return rejected

    def gather(pairs: list[_Rejections]) -> TypeOne:
        result = TypeOne(
            metric=pair.metric.name,
            alpha=alpha,
            seed=seed,
            a=a,
            b=b,
            n_pairs=len(pairs),
            trials=trials,
            n_segments=draws.n_segments,
            n_documents=None,
            rows=tuple(_count_rejections(pairs)),
        )
        if equal is None:
            return result
        return replace(
            result,
            n_documents=draws.n_documents,
            effective_documents=equal.effective,
            se_ratio=equal.se_ratio,
            predicted=predicted_rejections(equal.se_ratio, alpha),
        )

    report = report_stage(progress, "equal systems")
    return run_repeats(repeat, gather, n_pairs, jobs=jobs, progress=report, watch=watch)


def _count_rejections(pairs: Sequence[_Rejections]) -> Iterator[NullRate]:
    for null, unit, test in pairs[0]:
        n_rejected = sum(rejected[null, unit, test] for rejected in pairs)
        yield NullRate(null, unit, test, rate(n_rejected, len(pairs)))


def conclusions_on(metric: Metric, pair_set: PairSet, trials: int, alpha: float) -> dict[str, bool]:
    """Decide by each test whether the two systems differ."""
    units = pair_set.units
    contrast = contrast_pairs(metric, pair_set.statistics, units, np.array([[0, 1]]))
    delta = contrast.deltas
    replicates = {
        "swaps": contrast.swap(trials, pair_set.seed),
        "bootstrap": contrast.bootstrap(trials, pair_set.seed),
    }
    scores = segment_scores(metric, pair_set.statistics)
    if units.kind == "segment" and scores is not None:
        replicates["none"] = contrast.difference(scores)
    n_differing = contrast.count_differing_units(is_swapped=False)
    conclusions = {}
    for name, test in fitting_tests("none" in replicates).items():
        if test.draws not in replicates:
            continue
        differences = replicates[test.draws]
        floor = p_floor(test, units.kind, n_differing)
        p = win = lose = None
        if test.p_values is not None:
            p = test.p_values(delta, differences)
            if not test.of_segments:  # their p shows how few there are
                p = np.maximum(p, floor)
        elif significant(floor, alpha).all():  # else so few units decide nothing
            win, lose = win_rates(differences)
        side = test.side(delta, differences)
        decisions = decide_pairs(side, alpha, p=p, win=win, lose=lose, side=side)
        conclusions[name] = bool(decisions[0])
    return conclusions


# Systems made equal, each compared with the first: p-values under a true null (Riezler and Maxwell
# 2005, Table 2).


# As in the paper.
_PAPER_SYSTEMS = 6
_PAPER_SEGMENTS = 2000
_EQUAL_STREAM = 41


@table_row
class Variant:
    """The first system against another, named as in the paper, such as ``1:2``."""

    pair: str = column("equal systems", "name")
    #: Of their scores, in points, without a sign.
    difference: float = column("difference", "amount")
    p_ar: float = column("p, randomization", "share")
    p_bootstrap: float = column("p, signed shift", "share")
    #: By the shift in the paper.
    p_as_printed: float = column("p, bootstrap as printed", "share")

    @derived("ratio", "share", ".1f")
    def ratio(self) -> float:
        """Randomization against the shift in the paper."""
        return self.p_ar / self.p_as_printed


@dataclass(frozen=True, kw_only=True)
class Variants(Simulation):
    """Equal systems."""

    tables = {"rows": Variant}

    trials: int
    n_segments: int
    rows: tuple[Variant, ...]


def variants(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    n_segments: int | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Variants:
    """Compare the first of six systems that are equal by construction with the others, by segment."""
    check_level(alpha)
    check_whole("trials", trials, 1, 1_000_000)
    check_seed(seed)
    source = population(testset, metric, progress=progress)
    if n_segments is None:
        n_segments = min(_PAPER_SEGMENTS, source.n_segments)
    check_whole("segments", n_segments, 2, 1_000_000)
    rng = np.random.default_rng([seed, _EQUAL_STREAM])
    statistics = mix_systems(source, _PAPER_SYSTEMS, 0, 0.0, n_segments, rng)
    pairs = np.array([(0, k) for k in range(1, _PAPER_SYSTEMS)])
    contrast = contrast_pairs(source.metric, statistics, Units.segments(n_segments), pairs)
    draw_seed = int(rng.integers(1 << 62))
    replicates = contrast.bootstrap(
        trials, draw_seed, jobs=jobs, progress=report_stage(progress, "bootstrap")
    )
    swapped = contrast.swap(trials, draw_seed, jobs=jobs, progress=progress)
    deltas = contrast.deltas
    p_ar = approximate_randomization(deltas, swapped).tolist()
    p_bootstrap = signed_shift(deltas, replicates).tolist()
    p_as_printed = riezler_maxwell(deltas, replicates).tolist()
    rows = []
    for k, delta in enumerate(deltas.tolist()):
        row = Variant(f"1:{k + 2}", abs(delta), p_ar[k], p_bootstrap[k], p_as_printed[k])
        rows.append(row)
    return Variants(
        metric=source.metric.name,
        alpha=alpha,
        seed=seed,
        trials=trials,
        n_segments=n_segments,
        rows=tuple(rows),
    )


# Many comparisons: systems that are equal by construction, or of which the first few are better.


# Of the draws of test sets: of equal systems, and with better ones among them.
FAMILY_STREAM = 40
CLAIMS_STREAM = 42
_FAMILY_SEGMENTS = 300
_FAMILY_SYSTEMS = (2, 3, 4, 6, 8, 10, 15)
_ALL_PAIRS = "all pairs"
_WITH_FIRST = "with the first"
# Standard errors that the true difference has: a single test finds it 8 times in 10.
_AIM = 2.8


@dataclass(frozen=True, eq=False)
class Mixture:
    """Systems whose test sets are drawn: on each segment the output of a real one (`mix_systems`)."""

    source: Population
    n: int  # segments of each test set
    systems: int
    better: int  # the first so many are truly better than the others
    share: float  # of the segments on which these have the output of the best real one
    difference: float  # that follows, in points
    trials: int

    @property
    def pairs(self) -> np.ndarray:
        """All pairs of the systems, shape (pairs, 2)."""
        return engine.all_pairs(self.systems)

    @property
    def true(self) -> np.ndarray:
        """Whether the first system of each pair is truly better, shape (pairs,); else it is equal."""
        first, second = self.pairs.T
        return np.asarray((first < self.better) & (second >= self.better))

    def draw(self, rng: np.random.Generator) -> Contrast:
        """Draw a test set, and contrast all pairs on it."""
        statistics = mix_systems(self.source, self.systems, self.better, self.share, self.n, rng)
        return contrast_pairs(self.source.metric, statistics, Units.segments(self.n), self.pairs)

    def test(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Test all pairs on a test set by approximate randomization.

        Returns the differences (pairs,), their null (pairs, trials), and p (pairs,).
        """
        contrast = self.draw(rng)
        null = contrast.swap(self.trials, int(rng.integers(1 << 62)))
        return contrast.deltas, null, approximate_randomization(contrast.deltas, null)

    def adjust(self, delta: np.ndarray, null: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
        """Adjust p of a family of pairs by every correction."""
        is_exact = Units.segments(self.n).all_swaps is not None
        return apply_corrections(p, romano_wolf(delta, null, is_exact=is_exact))

    def decide(
        self, rng: np.random.Generator, alpha: float, corrections: Iterable[str]
    ) -> np.ndarray:
        """Decide all pairs on one test set, shape (corrections, pairs).

        1 for the first system, -1 for the second, 0 for neither.
        """
        delta, null, p = self.test(rng)
        adjusted = self.adjust(delta, null, p)
        improvement = direction(self.source.metric) * delta
        decisions = [decide_pairs(improvement, alpha, p=adjusted[name]) for name in corrections]
        return np.array(decisions)

    def collect(
        self, decisions: Sequence[np.ndarray], corrections: Sequence[str]
    ) -> FamilyDecisions:
        """Collect the decisions of several test sets."""
        return FamilyDecisions(self.pairs, self.true, tuple(corrections), np.array(decisions))


@dataclass(frozen=True, eq=False)
class FamilyDecisions(DrawArrays):
    """Claims on many test sets.

    A claim is false between equal systems, and for the worse system.
    """

    arrays = ("decided",)

    pairs: np.ndarray
    true: np.ndarray  # (pairs,), as of `Mixture`
    corrections: tuple[str, ...]
    decided: np.ndarray  # (test sets, corrections, pairs)

    def claims(self, correction: str) -> np.ndarray:
        """The decisions, shape (test sets, pairs)."""
        return np.asarray(self.decided[:, self.corrections.index(correction)])

    def right(self, correction: str) -> np.ndarray:
        """True differences found on each test set, shape (test sets,)."""
        return np.asarray((self.true & (self.claims(correction) == 1)).sum(axis=1))

    def lost(self, correction: str) -> np.ndarray:
        """True differences not found on each test set, shape (test sets,)."""
        return np.asarray(self.true.sum() - self.right(correction))

    def claimed(self, correction: str) -> np.ndarray:
        """All claims on each test set, shape (test sets,)."""
        return np.asarray((self.claims(correction) != 0).sum(axis=1))

    def false(self, correction: str) -> np.ndarray:
        """False claims on each test set, shape (test sets,)."""
        return np.asarray(self.claimed(correction) - self.right(correction))

    def any_false(self, correction: str) -> Rate:
        """Test sets with a false claim."""
        return rate_of(self.false(correction))


def mix_family(  # noqa: PLR0913  each parameter is an option of the commands
    testset: TestSet,
    metric: MetricLike,
    systems: int,
    better: int = 0,
    *,
    n_segments: int | None,
    trials: int,
    alpha: float,
    seed: int,
    progress: Progress | None = None,
) -> Mixture:
    """Mix the systems that test sets are drawn from.

    Better systems differ by 2.8 standard errors, or as much as the best real one.
    """
    check_level(alpha)
    check_seed(seed)
    check_whole("systems", systems, 2, 50)
    check_whole("trials", trials, 1, 100_000)
    if alpha < 1 / (trials + 1):
        raise SettingError(
            f"With {trials} trials no p can be {alpha:g} or less. Use more trials, or a larger alpha."
        )
    source = population(testset, metric, progress=progress)
    n = count_segments(source, n_segments, _FAMILY_SEGMENTS)
    if not better:
        return Mixture(source, n, systems, 0, 0.0, 0.0, trials)
    equal_pair = Mixture(source, n, 2, 0, 0.0, 0.0, trials)
    contrast = equal_pair.draw(np.random.default_rng([seed, CLAIMS_STREAM, 1]))
    standard_error = float(contrast.swap(max(trials, 200), seed).std())
    share, difference = share_for(source, _AIM * standard_error)
    return Mixture(source, n, systems, better, share, difference, trials)


def share_for(source: Population, aim: float) -> tuple[float, float]:
    """Find the share of segments with the best output that leads to a difference.

    The second result is that difference, which may be smaller where even all segments do not lead
    to it.
    """
    from scipy.optimize import brentq

    sums = source.statistics.sum(axis=1, dtype=np.float64)
    average = sums.mean(axis=0)
    best = sums[0]

    def gap(share: float) -> float:
        better = (1 - share) * average + share * best
        better_score, score = source.metric.score(np.stack([better, average]))
        return float(direction(source.metric) * (better_score - score))

    share = 1.0
    if gap(1.0) > aim:
        share = float(brentq(lambda x: gap(x) - aim, 0.0, 1.0))
    return share, gap(share)


# Experiment-wise error: how likely is a wrong conclusion among many comparisons of equal systems?


@table_row
class FamilyError:
    """Test sets of so many equal systems with a wrong conclusion on any pair."""

    systems: int
    compared: str  # all pairs, or with the first
    comparisons: int = column("comparisons k", "count")
    if_independent: float = column("1 - (1 - α)^k", "share", ".1%")
    wrong: dict[str, Rate]  # by correction

    @derived("equal systems")
    def family(self) -> str:
        """The number of systems, and which are compared."""
        return f"{self.systems}, {self.compared}"


@dataclass(frozen=True, kw_only=True)
class FamilyErrors(Simulation):
    """Experiment-wise error of families of several sizes.

    They share their first systems, so the rows are not independent.
    """

    tables = {"rows": FamilyError}

    repeats: int
    trials: int
    n_segments: int
    rows: tuple[FamilyError, ...]  # first the rows of all pairs

    @property
    def of_all_pairs(self) -> tuple[FamilyError, ...]:
        """The rows of all pairs."""
        return tuple(row for row in self.rows if row.compared == _ALL_PAIRS)


def families(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    systems: int = 15,
    repeats: int = 300,
    n_segments: int | None = None,
    trials: int = 2999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, FamilyErrors], None] | None = None,
) -> FamilyErrors:
    """Count wrong conclusions among equal systems, by approximate randomization and corrections.

    All pairs are compared, and in a family of its own every system with the first, as with a
    baseline.
    """
    check_whole("repeats", repeats, 1, 100_000)
    mixture = mix_family(
        testset,
        metric,
        systems,
        n_segments=n_segments,
        trials=trials,
        alpha=alpha,
        seed=seed,
        progress=progress,
    )
    members = _list_families(mixture.pairs, systems)

    def repeat(k: int) -> list[list[bool]]:
        delta, null, p = mixture.test(make_rng(seed, FAMILY_STREAM, k))
        is_wrong = []
        for is_member in members.values():
            adjusted = mixture.adjust(delta[is_member], null[is_member], p[is_member])
            smallest = [adjusted[name].min() for name in CORRECTIONS]
            is_wrong.append([bool(significant(p, alpha)) for p in smallest])
        return is_wrong

    def gather(sets: list[list[list[bool]]]) -> FamilyErrors:
        counts = np.array(sets).sum(axis=0).tolist()  # (families, corrections)
        rows = []
        for (size, compared), is_member, row in zip(members, members.values(), counts, strict=True):
            n_pairs = int(is_member.sum())
            wrong = {}
            for name, count in zip(CORRECTIONS, row, strict=True):
                wrong[name] = rate(count, len(sets))
            rows.append(FamilyError(size, compared, n_pairs, if_independent(alpha, n_pairs), wrong))
        return FamilyErrors(
            metric=mixture.source.metric.name,
            alpha=alpha,
            seed=seed,
            repeats=len(sets),
            trials=trials,
            n_segments=mixture.n,
            rows=tuple(rows),
        )

    report = report_stage(progress, "families")
    return run_repeats(repeat, gather, repeats, jobs=jobs, progress=report, watch=watch)


def _list_families(pairs: np.ndarray, systems: int) -> dict[tuple[int, str], np.ndarray]:
    """Find the pairs of each family, by its number of systems and what is compared.

    First come the families of all pairs; a family of two is the same for both.
    """
    sizes = sorted({size for size in _FAMILY_SYSTEMS if size < systems} | {systems})
    members: dict[tuple[int, str], np.ndarray] = {}
    for size in sizes:
        members[size, _ALL_PAIRS] = pairs.max(axis=1) < size
    for size in sizes:
        if size > 2:
            members[size, _WITH_FIRST] = members[size, _ALL_PAIRS] & (pairs[:, 0] == 0)
    return members


def if_independent(alpha: float, comparisons: int) -> float:
    """1 - (1 - alpha)^k, the chance of a wrong conclusion among k independent equal pairs."""
    return 1 - (1 - alpha) ** comparisons


# False and lost findings by correction, where some systems are truly better.


@table_row
class ClaimCounts:
    """The claims under one correction."""

    correction: str = column("correction", "name")
    #: The family-wise error.
    any_false: Rate = column("test sets with a false claim", "estimate", ".1%")
    #: Of the claims of a test set, 0 without any: the false discovery rate.
    false_share: Mean = column("claims that are false, mean share", "estimate", ".1%")
    lost: Mean = column("true differences lost, mean share", "estimate", ".1%")


@dataclass(frozen=True, kw_only=True)
class Claims(Simulation):
    """False and lost findings by correction, all on the same test sets."""

    tables = {"rows": ClaimCounts}

    repeats: int
    trials: int
    n_segments: int
    systems: int
    better: int  # of the systems, those that are truly better than the others
    true_pairs: int
    null_pairs: int
    # of the better over the others, in points: of the mixtures that the systems are drawn from
    difference: float
    rows: tuple[ClaimCounts, ...]


def claims(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    systems: int = 15,
    better: int = 3,
    repeats: int = 300,
    n_segments: int | None = None,
    trials: int = 4999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, Claims], None] | None = None,
) -> Claims:
    """Count false and lost findings among all pairs of systems, by every correction.

    A few of the systems are truly better.
    """
    check_whole("repeats", repeats, 2, 100_000)
    check_whole("systems", systems, 3, 50)
    check_whole("better", better, 1, systems - 1)
    mixture = mix_family(
        testset,
        metric,
        systems,
        better,
        n_segments=n_segments,
        trials=trials,
        alpha=alpha,
        seed=seed,
        progress=progress,
    )

    def repeat(k: int) -> np.ndarray:
        return mixture.decide(make_rng(seed, CLAIMS_STREAM, k), alpha, CORRECTIONS)

    def gather(sets: list[np.ndarray]) -> Claims:
        decisions = mixture.collect(sets, tuple(CORRECTIONS))
        n_true = int(mixture.true.sum())
        rows = []
        for name in CORRECTIONS:
            false_share = decisions.false(name) / np.maximum(decisions.claimed(name), 1)
            lost_share = 1 - decisions.right(name) / n_true
            any_false = decisions.any_false(name)
            rows.append(
                ClaimCounts(name, any_false, mean_share(false_share), mean_share(lost_share))
            )
        n_null = len(mixture.true) - n_true
        return Claims(
            metric=mixture.source.metric.name,
            alpha=alpha,
            seed=seed,
            repeats=len(sets),
            trials=trials,
            n_segments=mixture.n,
            systems=systems,
            better=better,
            true_pairs=n_true,
            null_pairs=n_null,
            difference=mixture.difference,
            rows=tuple(rows),
        )

    report = report_stage(progress, "families")
    return run_repeats(repeat, gather, repeats, jobs=jobs, progress=report, watch=watch)


# Conclusions that the unit changes: segments are independent, or documents are drawn whole.


#: Settings of both comparisons: raw p and p by Romano-Wolf lead to p by every correction.
UNIT_SETTINGS: dict[str, Any] = {"test": "ar", "correction": "romano-wolf", "ci": "percentile"}


@dataclass(frozen=True)
class UnitChange:
    """Numbers of pairs that are significant by either unit under one correction."""

    correction: str
    both: int
    segment_only: int
    document_only: int
    neither: int
    #: The trials, and the documents, before any pair can be significant, where there are fewer.
    trials_needed: int | None
    documents_needed: int | None


@table_row
class ChangedPair:
    """A pair that is significant by one unit only; p-values are adjusted."""

    correction: str
    a: str = column("system", "name")
    b: str = column("against", "name")
    delta: float = column("difference", "amount", "+")
    p_segment: float = column("p by segment", "p")
    p_document: float = column("p by document", "p")
    se_ratio: float | None = column("SE ratio", "score")


@dataclass(frozen=True, kw_only=True)
class UnitChanges(Simulation):
    """Two comparisons of all pairs, by segment and by document."""

    tables = {"rows": UnitChange, "pairs": ChangedPair}

    n_pairs: int  # that could be tested
    n_segments: int  # with any score
    n_documents: int
    #: Standard error of a difference by document / by segment, over all pairs.
    se_ratio_low: float | None
    se_ratio_median: float | None
    se_ratio_high: float | None
    rows: tuple[UnitChange, ...]
    pairs: tuple[ChangedPair, ...]  # significant by one unit only
    higher_is_better: bool

    @property
    def independent_share(self) -> float | None:
        """The share of independent segments that would give the same median standard error."""
        if not self.se_ratio_median:
            return None
        return 1 / self.se_ratio_median**2


def unit_changes(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    trials: int = 9999,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> UnitChanges:
    """Compare all pairs by segment and by document, with approximate randomization.

    Parameters are the same as in `compare`.
    """
    scored = part_with_documents(testset, metric)
    comparisons = [
        compare(
            testset,
            [metric],
            unit=unit,
            trials=trials,
            resamples=resamples,
            alpha=alpha,
            seed=seed,
            jobs=jobs,
            progress=progress,
            by_reference=False,
            **UNIT_SETTINGS,
        )
        for unit in ("segment", "document")
    ]
    by_segment, by_document = (
        next(iter(comparison.metrics.values())) for comparison in comparisons
    )
    return changes_between(scored, by_segment, by_document, comparisons[0].settings)


def part_with_documents(testset: TestSet, metric: MetricLike) -> TestSet:
    """Take what a metric can compare; it must have two documents and two systems."""
    metric = resolve_metric(testset, metric)
    if is_segment_mean(metric):
        scored = measure(testset, metric).testset
    else:
        scored = testset.keep_scorable(metric.name)
    if scored.n_documents is None or scored.n_documents < 2:
        documents = "no document ids" if scored.n_documents is None else "one document"
        condition = ""
        if testset.n_documents != scored.n_documents:
            condition = f" with a score by {metric.name}"
        raise SettingError(
            f"{testset.name} has {documents}{condition}: there is no other unit than the segment. "
            "Give the document of each segment.",
            {"docs": "FILE"},
        )
    if not testset.systems:
        raise SettingError("No system to compare. Give at least two outputs.")
    if len(testset.systems) < 2:
        raise SettingError(
            "1 system to compare. Expected at least 2: add outputs, or exclude fewer."
        )
    return scored


def changes_between(
    scored: TestSet, by_segment: MetricResult, by_document: MetricResult, settings: Settings
) -> UnitChanges:
    """Compare two comparisons with `UNIT_SETTINGS` of what `part_with_documents` takes."""
    document_pairs = {(pair.a, pair.b): pair for pair in by_document.pairs}
    pairs = [pair for pair in by_segment.pairs if pair.p_value is not None]
    segment_p = _adjust_all(pairs)
    document_p = _adjust_all([document_pairs[pair.a, pair.b] for pair in pairs])
    alpha = settings.alpha
    n_documents = len(np.unique(scored.document_index))
    document_settings = replace(settings, unit="document")
    rows: list[UnitChange] = []
    changed: list[ChangedPair] = []
    for name in CORRECTIONS:
        in_segments = significant(segment_p[name], alpha)
        in_documents = significant(document_p[name], alpha)
        n_needed = fewest_units(document_settings, len(pairs), name)
        documents_needed = None
        if n_needed > n_documents:
            documents_needed = n_needed
        trials_needed = fewest_trials(settings, len(pairs), name)
        row = _count_changes(name, in_segments, in_documents, trials_needed, documents_needed)
        rows.append(row)
        for k in np.flatnonzero(in_segments != in_documents):
            pair = pairs[k]
            p_segment = float(segment_p[name][k])
            p_document = float(document_p[name][k])
            changed.append(
                ChangedPair(name, pair.a, pair.b, pair.delta, p_segment, p_document, pair.se_ratio)
            )
    ratios = [pair.se_ratio for pair in pairs if pair.se_ratio is not None]
    lowest = middle = highest = None
    if ratios:
        lowest = min(ratios)
        middle = median(ratios)
        highest = max(ratios)
    return UnitChanges(
        metric=by_segment.metric,
        alpha=alpha,
        seed=settings.seed,
        n_pairs=len(pairs),
        n_segments=scored.n_segments,
        n_documents=n_documents,
        se_ratio_low=lowest,
        se_ratio_median=middle,
        se_ratio_high=highest,
        rows=tuple(rows),
        pairs=tuple(changed),
        higher_is_better=by_segment.higher_is_better,
    )


def _count_changes(
    correction: str,
    in_segments: np.ndarray,
    in_documents: np.ndarray,
    trials_needed: int | None,
    documents_needed: int | None,
) -> UnitChange:
    """Count the pairs that are significant by segment, by document or by both, (pairs,) each."""
    n_both = int((in_segments & in_documents).sum())
    n_segment_only = int((in_segments & ~in_documents).sum())
    n_document_only = int((in_documents & ~in_segments).sum())
    n_neither = int((~in_segments & ~in_documents).sum())
    return UnitChange(
        correction=correction,
        both=n_both,
        segment_only=n_segment_only,
        document_only=n_document_only,
        neither=n_neither,
        trials_needed=trials_needed,
        documents_needed=documents_needed,
    )


def _adjust_all(pairs: Sequence[PairResult]) -> dict[str, np.ndarray]:
    """Adjust p of pairs by every correction; p by Romano-Wolf is adjusted already."""
    p = np.array([pair.p_value for pair in pairs])
    stepped = np.array([pair.p_adjusted for pair in pairs])
    return apply_corrections(p, stepped)
