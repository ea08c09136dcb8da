"""How often tests find a difference where there is none, for one pair and for many (Riezler and
Maxwell 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist, median
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    DrawArrays,
    Mean,
    Population,
    Rate,
    Simulation,
    check_seed,
    column,
    count_segments,
    derived,
    draw_pair,
    make_rng,
    mean_share,
    mix_systems,
    population,
    rate,
    run_repeats,
)
from mtsig_core.metrics import Metric, direction, is_segment_mean, resolve_metric
from mtsig_core.results import MetricResult, Settings
from mtsig_core.stats import engine
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.engine import count_differing_units, measure, segment_scores
from mtsig_core.stats.few_units import fewest_trials, fewest_units, p_floor
from mtsig_core.stats.parallel import Progress, report_stage
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

# Two systems made equal without a swap, which would make their difference a part of what segments
# of a document have in common: whole documents are drawn with weights under which both have the
# same score.


#: The effective number of documents, as a share of all, below which the weights leave too little of
#: the test set.
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
    """The weights nearest to equal ones, in relative entropy, under which two systems have the same
    score.

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
    if weights is None or (effective := float(1 / (weights**2).sum())) < LEAST_KEPT * len(weights):
        return None
    n, spread = len(weights), weights[documents] * len(weights)
    per_segment = _influence(metric, both, (spread[:, None] * both).sum(axis=1))
    by_document = weights @ np.bincount(documents, per_segment) ** 2 * n
    by_segment = spread @ per_segment**2
    return (
        EqualWeights(weights, effective, float(np.sqrt(by_document / by_segment)))
        if by_segment > 0
        else None
    )


def _tilt(metric: Metric, sums: np.ndarray, pull: np.ndarray) -> np.ndarray | None:
    """Weights proportional to exp(t pull), shape (documents,), with the t that makes the scores of
    `sums` equal.
    """
    from scipy.optimize import brentq  # late: it takes long to import

    def weights_at(t: float) -> np.ndarray:
        free = np.exp(t * pull - (t * pull).max())
        return np.asarray(free / free.sum())

    def difference(t: float) -> float:
        a, b = metric.score(sums.shape[1] * np.einsum("j,sjk->sk", weights_at(t), sums))
        return float(a - b)

    start = difference(0.0)
    reach = (-0.1 if start > 0 else 0.1) * 2.0 ** np.arange(
        _DOUBLINGS
    )  # a larger t favours the first system
    far = next((t for t in reach.tolist() if difference(t) * start <= 0), None)
    return None if far is None else weights_at(brentq(difference, 0.0, far))


def predicted_rejections(se_ratio: float, alpha: float) -> float:
    """How often a two-sided test rejects a true null whose standard error is so many times the one
    that it expects.

    >>> round(predicted_rejections(1, 0.05), 3), round(predicted_rejections(1.5, 0.05), 3)
    (0.05, 0.191)
    """
    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf(1 - alpha / 2) / se_ratio)


def _influence(metric: Metric, statistics: np.ndarray, at: np.ndarray) -> np.ndarray:
    """What each unit adds to the difference, to first order at sums (2, stats): (2, units, stats)
    -> (units,).
    """
    step = 1e-4 * np.maximum(np.abs(at), 1.0)
    shifts = step[:, None, :] * np.eye(at.shape[1])  # (2, stats, stats): one statistic at a time
    slope = (metric.score(at[:, None] + shifts) - metric.score(at[:, None] - shifts)) / (2 * step)
    each = np.einsum("snk,sk->sn", statistics, slope)
    influence: np.ndarray = each[0] - each[1]
    return influence


# Type-I error: how often each test finds a difference where there is none.


_NULL_SEGMENTS, _NULL_DOCUMENTS = 300, 110  # segments and documents drawn for each pair of the null
_SEGMENT_STREAM, _DOCUMENT_STREAM = 10, 11
_Decisions = dict[tuple[str, str], dict[str, bool]]  # by null and unit, then test


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

    tables: ClassVar[Mapping[str, type]] = {"rows": NullRate}

    a: str
    b: str
    n_pairs: int
    trials: int
    n_segments: int  # drawn for each pair of the null by segment
    n_documents: (
        int | None
    )  # by document; None without document ids, or where no weights make the two equal
    rows: tuple[NullRate, ...]
    effective_documents: float | None = None  # Kish's number of the documents as they are weighted
    se_ratio: float | None = (
        None  # standard error of the difference by document / by segment, with these weights
    )
    predicted: float | None = (
        None  # share of nulls by document that a test by segment rejects by that ratio
    )


def type_one(
    testset: TestSet,
    metric: str | Metric,
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
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, TypeOne], None] | None = None,
) -> TypeOne:
    """Rejections of true nulls: two systems made equal, by default the best two.

    By segment: segments are drawn with replacement, and their outputs trade places with chance 1/2,
    so that approximate randomization keeps its level by construction. By document: whole documents
    are drawn with weights under which the two have the same score (`equal_weights`).

    Riezler and Maxwell (2005) find approximate randomization more conservative than the bootstrap;
    that follows from the shift as they print it (`riezler-maxwell`). With the signed shift both
    hold the level.
    """
    check_level(alpha)
    check_whole("pairs", n_pairs, 1, 1_000_000)
    check_whole("trials", trials, 1, 100_000)
    if trials < TESTS["percentile"].trials_for(alpha):
        raise SettingError(
            f"With {trials} trials no p can be {alpha:g} or less by every test. Use at least "
            f"{TESTS['percentile'].trials_for(alpha)} trials, or a larger alpha."
        )
    draws = draw_pair(
        testset,
        metric,
        a,
        b,
        n_segments,
        n_documents,
        (_NULL_SEGMENTS, _NULL_DOCUMENTS),
        "null pairs",
        statistics=statistics,
        progress=progress,
    )
    whole = draws.whole
    if np.array_equal(*draws.statistics):
        raise SettingError(
            f"{draws.names[0]} and {draws.names[1]} score the same on every segment: no test can reject "
            "anything. Choose systems that differ."
        )
    equal = (
        None
        if draws.n_documents is None or whole.documents is None
        else equal_weights(whole.metric, draws.statistics, whole.documents)
    )

    def repeat(k: int, rng: np.random.Generator) -> _Decisions:
        sets = draws.draw_sets(
            rng,
            make_rng(seed, _DOCUMENT_STREAM, k),
            swapped=True,
            weights=None if equal is None else equal.weights,
        )
        return {
            (null, units.kind): conclusions_on(whole.metric, both, units, trials, alpha, key)
            for null, both, units, key in sets
        }

    def gather(pairs: list[_Decisions]) -> TypeOne:
        rows = tuple(
            NullRate(
                null, unit, test, rate(sum(one[null, unit][test] for one in pairs), len(pairs))
            )
            for null, unit in pairs[0]
            for test in pairs[0][null, unit]
        )
        by_document = (
            {}
            if equal is None
            else {
                "effective_documents": equal.effective,
                "se_ratio": equal.se_ratio,
                "predicted": predicted_rejections(equal.se_ratio, alpha),
            }
        )
        return TypeOne(
            metric=whole.metric.name,
            alpha=alpha,
            seed=seed,
            a=draws.names[0],
            b=draws.names[1],
            n_pairs=len(pairs),
            trials=trials,
            n_segments=draws.n_segments,
            n_documents=None if equal is None else draws.n_documents,
            rows=rows,
            **by_document,
        )

    return run_repeats(
        repeat,
        gather,
        n_pairs,
        seed,
        _SEGMENT_STREAM,
        jobs=jobs,
        progress=report_stage(progress, "equal systems"),
        watch=watch,
    )


def conclusions_on(
    metric: Metric, both: np.ndarray, units: Units, trials: int, alpha: float, seed: int
) -> dict[str, bool]:
    """Test -> whether it concludes that two systems differ, whose statistics have shape (2,
    segments, stats).
    """
    data, pair = engine.UnitStatistics(metric, both, units), np.array([[0, 1]])
    drawn = engine.bootstrap_scores(data, trials, seed)
    delta, replicates = (
        data.scores[:1] - data.scores[1:],
        {
            "swaps": engine.swap_differences(data, pair, trials, seed),
            "bootstrap": drawn[:1] - drawn[1:],
        },
    )
    if units.kind == "segment" and (scores := segment_scores(metric, both)) is not None:
        replicates["none"] = scores[:1] - scores[1:]
    concluded, apart = {}, count_differing_units(data, pair, np.array([units.pieces]))
    for name, test in fitting_tests("none" in replicates).items():
        if test.draws not in replicates:
            continue
        p, (win, lose), given = None, (None, None), replicates[test.draws]
        floor = p_floor(test, units.kind, apart)
        if test.p_values is not None:
            p = test.p_values(delta, given)
            if not test.of_segments:  # their p shows how few there are
                p = np.maximum(p, floor)
        elif significant(floor, alpha).all():  # else so few decide nothing
            win, lose = win_rates(given)
        side = test.side(delta, given)
        concluded[name] = bool(decide_pairs(side, alpha, p=p, win=win, lose=lose, side=side)[0])
    return concluded


# Systems made equal, each compared with the first: p-values under a true null (Riezler and Maxwell
# 2005, Table 2).


_PAPER_SYSTEMS, _PAPER_SEGMENTS, _EQUAL_STREAM = 6, 2000, 41  # those of the paper


@dataclass(frozen=True)
class Variant:
    """The first system against another, named as in the paper, such as ``1:2``."""

    pair: str = field(metadata=column("equal systems", "name"))
    difference: float = field(
        metadata=column("difference", "amount")
    )  # of their scores, in points, without a sign
    p_ar: float = field(metadata=column("p, randomization", "share"))
    p_bootstrap: float = field(metadata=column("p, signed shift", "share"))
    p_as_printed: float = field(
        metadata=column("p, bootstrap as printed", "share")
    )  # by the shift in the paper

    @derived("ratio", "share", ".1f")
    def ratio(self) -> float:
        return self.p_ar / self.p_as_printed


@dataclass(frozen=True, kw_only=True)
class Variants(Simulation):
    """Equal systems."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Variant}

    trials: int
    n_segments: int
    rows: tuple[Variant, ...]


def variants(
    testset: TestSet,
    metric: str | Metric,
    *,
    n_segments: int | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Variants:
    """Six systems that are equal by construction; the first is compared with each of the others, by
    segment.
    """
    check_level(alpha)
    check_whole("trials", trials, 1, 1_000_000)
    check_seed(seed)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    n = (
        min(_PAPER_SEGMENTS, whole.n_segments)
        if n_segments is None
        else check_whole("segments", n_segments, 2, 1_000_000)
    )
    rng = np.random.default_rng([seed, _EQUAL_STREAM])
    data = engine.UnitStatistics(
        whole.metric, mix_systems(whole, _PAPER_SYSTEMS, 0, 0.0, n, rng), Units.segments(n)
    )
    pairs = np.array([(0, k) for k in range(1, _PAPER_SYSTEMS)])
    delta, key = data.scores[0] - data.scores[1:], int(rng.integers(1 << 62))
    scores = engine.bootstrap_scores(
        data, trials, key, jobs=jobs, progress=report_stage(progress, "bootstrap")
    )
    drawn = scores[:1] - scores[1:]
    swapped = engine.swap_differences(
        data, pairs, trials, key, jobs=jobs, progress=report_stage(progress, "swaps")
    )
    p = (
        approximate_randomization(delta, swapped),
        signed_shift(delta, drawn),
        riezler_maxwell(delta, drawn),
    )
    return Variants(
        metric=whole.metric.name,
        alpha=alpha,
        seed=seed,
        trials=trials,
        n_segments=n,
        rows=tuple(
            Variant(f"1:{k}", *map(float, row))
            for k, row in enumerate(zip(np.abs(delta), *p, strict=True), 2)
        ),
    )


# Many comparisons: systems that are equal by construction, or of which the first few are better.


FAMILY_STREAM, CLAIMS_STREAM = (
    40,
    42,
)  # of the draws of test sets: of equal systems, and with better ones among them
_FAMILY_SEGMENTS, _FAMILY_SYSTEMS = 300, (2, 3, 4, 6, 8, 10, 15)
_COMPARED = ("all pairs", "with the first")
# standard errors that the true difference is to have: found 8 times in 10 where it is tested on its
# own
_AIM = 2.8


@dataclass(frozen=True, eq=False)
class Mixture:
    """Systems of which test sets are drawn: each says of a segment what one of the real ones says
    (`mix_systems`).
    """

    whole: Population
    n: int  # segments of each test set
    systems: int
    better: int  # the first so many are truly better than the others
    share: float  # of the segments on which these say what the best real one says
    difference: float  # that makes, in points
    trials: int

    @property
    def pairs(self) -> np.ndarray:
        return engine.all_pairs(self.systems)

    @property
    def true(self) -> np.ndarray:
        """The pairs of which the first system is truly better, shape (pairs,); elsewhere the two
        are equal.
        """
        return np.asarray((self.pairs[:, 0] < self.better) & (self.pairs[:, 1] >= self.better))

    def test(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """On one test set differences (pairs,), their null (pairs, trials), and p by approximate
        randomization.
        """
        statistics = mix_systems(self.whole, self.systems, self.better, self.share, self.n, rng)
        data = engine.UnitStatistics(self.whole.metric, statistics, Units.segments(self.n))
        delta = data.scores[self.pairs[:, 0]] - data.scores[self.pairs[:, 1]]
        null = engine.swap_differences(data, self.pairs, self.trials, int(rng.integers(1 << 62)))
        return delta, null, approximate_randomization(delta, null)

    def adjust(self, delta: np.ndarray, null: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
        """Adjusted p of a family of pairs by every correction."""
        return apply_corrections(
            p, romano_wolf(delta, null, is_exact=Units.segments(self.n).all_swaps is not None)
        )

    def decide(
        self, rng: np.random.Generator, alpha: float, corrections: Iterable[str]
    ) -> np.ndarray:
        """Claims on one test set, shape (corrections, pairs): 1 for the first system, -1 the
        second, 0 none.
        """
        delta, null, p = self.test(rng)
        adjusted, sign = self.adjust(delta, null, p), direction(self.whole.metric)
        return np.array(
            [decide_pairs(sign * delta, alpha, p=adjusted[name]) for name in corrections]
        )

    def collect(self, decided: Sequence[np.ndarray], corrections: Sequence[str]) -> FamilyDecisions:
        return FamilyDecisions(self.pairs, self.true, tuple(corrections), np.array(decided))


@dataclass(frozen=True, eq=False)
class FamilyDecisions(DrawArrays):
    """What is claimed on many test sets; false is a claim between equal systems, and one for the
    worse system.
    """

    arrays: ClassVar[tuple[str, ...]] = ("decided",)

    pairs: np.ndarray
    true: np.ndarray  # (pairs,), as of `Mixture`
    corrections: tuple[str, ...]
    decided: np.ndarray  # (test sets, corrections, pairs)

    def claims(self, correction: str) -> np.ndarray:
        """Shape (test sets, pairs)."""
        return np.asarray(self.decided[:, self.corrections.index(correction)])

    # Of each test set, shape (test sets,): true differences found and lost, all claims and false
    # ones.

    def right(self, correction: str) -> np.ndarray:
        return np.asarray((self.true & (self.claims(correction) == 1)).sum(axis=1))

    def lost(self, correction: str) -> np.ndarray:
        return np.asarray(self.true.sum() - self.right(correction))

    def claimed(self, correction: str) -> np.ndarray:
        return np.asarray((self.claims(correction) != 0).sum(axis=1))

    def false(self, correction: str) -> np.ndarray:
        return np.asarray(self.claimed(correction) - self.right(correction))

    def any_false(self, correction: str) -> Rate:
        """Test sets with a false claim."""
        return rate(int(np.count_nonzero(self.false(correction))), len(self.decided))


def mix_family(
    testset: TestSet,
    metric: str | Metric,
    systems: int,
    better: int = 0,
    *,
    n_segments: int | None,
    trials: int,
    alpha: float,
    seed: int,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Mixture:
    """What test sets are drawn from; better systems differ by 2.8 standard errors, or as much as
    the best real one.
    """
    check_level(alpha)
    check_whole("systems", systems, 2, 50)
    check_whole("trials", trials, 1, 100_000)
    if alpha < 1 / (trials + 1):
        raise SettingError(
            f"With {trials} trials no p can be {alpha:g} or less. Use more trials, or a larger alpha."
        )
    whole = population(testset, metric, statistics=statistics, progress=progress)
    n = count_segments(whole, n_segments, _FAMILY_SEGMENTS)
    if not better:
        return Mixture(whole, n, systems, 0, 0.0, 0.0, trials)
    two, rng = Mixture(whole, n, 2, 0, 0.0, 0.0, 1), np.random.default_rng([seed, CLAIMS_STREAM, 1])
    data = engine.UnitStatistics(
        whole.metric, mix_systems(whole, 2, 0, 0.0, n, rng), Units.segments(n)
    )
    nulls = engine.swap_differences(data, two.pairs, max(trials, 200), seed)
    return Mixture(whole, n, systems, better, *share_for(whole, _AIM * float(nulls.std())), trials)


def share_for(whole: Population, aim: float) -> tuple[float, float]:
    """The share of segments on which a better system takes the best output for a difference, and
    what that makes.
    """
    from scipy.optimize import brentq

    sums = whole.statistics.sum(axis=1, dtype=np.float64)
    every, best, sign = sums.mean(axis=0), sums[0], direction(whole.metric)

    def gap(share: float) -> float:
        mixed = np.stack([(1 - share) * every + share * best, every])
        scores = whole.metric.score(mixed)
        return float(sign * (scores[0] - scores[1]))

    share = 1.0 if gap(1.0) <= aim else float(brentq(lambda share: gap(share) - aim, 0.0, 1.0))
    return share, gap(share)


# Experiment-wise error: how likely is a wrong conclusion among many comparisons of equal systems?


@dataclass(frozen=True)
class FamilyError:
    """Test sets of so many equal systems with a wrong conclusion somewhere."""

    systems: int
    compared: str  # all pairs, or with the first
    comparisons: int = field(metadata=column("comparisons k", "count"))
    if_independent: float = field(metadata=column("1 - (1 - α)^k", "share", ".1%"))
    wrong: dict[str, Rate]  # by correction

    @derived("equal systems")
    def family(self) -> str:
        return f"{self.systems}, {self.compared}"


@dataclass(frozen=True, kw_only=True)
class FamilyErrors(Simulation):
    """Experiment-wise error of families of several sizes, which share their first systems: rows are
    not independent.
    """

    tables: ClassVar[Mapping[str, type]] = {"rows": FamilyError}

    repeats: int
    trials: int
    n_segments: int
    rows: tuple[FamilyError, ...]  # first those of all pairs

    @property
    def of_all_pairs(self) -> tuple[FamilyError, ...]:
        return tuple(row for row in self.rows if row.compared == _COMPARED[0])


def families(
    testset: TestSet,
    metric: str | Metric,
    *,
    systems: int = 15,
    repeats: int = 300,
    n_segments: int | None = None,
    trials: int = 2999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, FamilyErrors], None] | None = None,
) -> FamilyErrors:
    """Wrong conclusions among equal systems, by approximate randomization with each correction.

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
        statistics=statistics,
        progress=progress,
    )
    pairs, sizes = (
        mixture.pairs,
        sorted({size for size in _FAMILY_SYSTEMS if size < systems} | {systems}),
    )
    within = {(size, _COMPARED[0]): pairs.max(axis=1) < size for size in sizes}
    within |= {
        (size, _COMPARED[1]): within[size, _COMPARED[0]] & (pairs[:, 0] == 0)
        for size in sizes
        if size > 2
    }

    def repeat(k: int, rng: np.random.Generator) -> list[list[bool]]:
        delta, null, p = mixture.test(rng)
        families = (
            mixture.adjust(delta[among], null[among], p[among]) for among in within.values()
        )
        return [
            [bool(significant(adjusted[name].min(), alpha)) for name in CORRECTIONS]
            for adjusted in families
        ]

    def gather(sets: list[list[list[bool]]]) -> FamilyErrors:
        counts = np.array(sets).sum(axis=0)  # (families, corrections)
        rows = tuple(
            FamilyError(
                size,
                compared,
                (k := int(among.sum())),
                if_independent(alpha, k),
                {name: rate(int(c), len(sets)) for name, c in zip(CORRECTIONS, row, strict=True)},
            )
            for ((size, compared), among), row in zip(within.items(), counts, strict=True)
        )
        return FamilyErrors(
            metric=mixture.whole.metric.name,
            alpha=alpha,
            seed=seed,
            repeats=len(sets),
            trials=trials,
            n_segments=mixture.n,
            rows=rows,
        )

    return run_repeats(
        repeat,
        gather,
        repeats,
        seed,
        FAMILY_STREAM,
        jobs=jobs,
        progress=report_stage(progress, "families"),
        watch=watch,
    )


def if_independent(alpha: float, comparisons: int) -> float:
    """1 - (1 - alpha)^k, the chance of a wrong conclusion among k independent comparisons of
    equals.
    """
    return 1 - (1 - alpha) ** comparisons


# False and lost findings by correction, where some systems are truly better.


@dataclass(frozen=True)
class ClaimCounts:
    """What is claimed under one correction."""

    correction: str = field(metadata=column("correction", "name"))
    any_false: Rate = field(
        metadata=column("test sets with a false claim", "estimate", ".1%")
    )  # the family-wise error
    #: Of the claims of a test set, 0 without any: the false discovery rate.
    false_share: Mean = field(
        metadata=column("claims that are false, mean share", "estimate", ".1%")
    )
    lost: Mean = field(metadata=column("true differences lost, mean share", "estimate", ".1%"))


@dataclass(frozen=True, kw_only=True)
class Claims(Simulation):
    """False and lost findings by correction, all on the same test sets."""

    tables: ClassVar[Mapping[str, type]] = {"rows": ClaimCounts}

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


def claims(
    testset: TestSet,
    metric: str | Metric,
    *,
    systems: int = 15,
    better: int = 3,
    repeats: int = 300,
    n_segments: int | None = None,
    trials: int = 4999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, Claims], None] | None = None,
) -> Claims:
    """False and lost findings among all pairs of systems, of which a few are truly better, by every
    correction.
    """
    check_whole("repeats", repeats, 2, 100_000)
    check_whole("better", better, 1, max(1, check_whole("systems", systems, 3, 50) - 1))
    mixture = mix_family(
        testset,
        metric,
        systems,
        better,
        n_segments=n_segments,
        trials=trials,
        alpha=alpha,
        seed=seed,
        statistics=statistics,
        progress=progress,
    )

    def gather(sets: list[np.ndarray]) -> Claims:
        found, n_true = mixture.collect(sets, tuple(CORRECTIONS)), int(mixture.true.sum())
        rows = tuple(
            ClaimCounts(
                name,
                found.any_false(name),
                mean_share(found.false(name) / np.maximum(found.claimed(name), 1)),
                mean_share(1 - found.right(name) / n_true),
            )
            for name in CORRECTIONS
        )
        return Claims(
            metric=mixture.whole.metric.name,
            alpha=alpha,
            seed=seed,
            repeats=len(sets),
            trials=trials,
            n_segments=mixture.n,
            systems=systems,
            better=better,
            true_pairs=n_true,
            null_pairs=len(mixture.true) - n_true,
            difference=mixture.difference,
            rows=rows,
        )

    return run_repeats(
        lambda k, rng: mixture.decide(rng, alpha, CORRECTIONS),
        gather,
        repeats,
        seed,
        CLAIMS_STREAM,
        jobs=jobs,
        progress=report_stage(progress, "families"),
        watch=watch,
    )


# Which conclusions the unit changes: segments taken as independent, or documents kept whole.


#: What both comparisons ask for: its p-values raw and by Romano-Wolf give those of every
#: correction.
UNIT_SETTINGS: dict[str, Any] = {"test": "ar", "correction": "romano-wolf", "ci": "percentile"}


@dataclass(frozen=True)
class UnitChange:
    """How many pairs are significant by either unit under one correction."""

    correction: str
    both: int
    segment_only: int
    document_only: int
    neither: int
    trials_needed: (
        int | None
    )  # that it takes before any pair can be significant, where there are fewer
    documents_needed: (
        int | None
    )  # that it takes before any pair can be significant by document, where there are fewer


@dataclass(frozen=True)
class ChangedPair:
    """A pair that is significant by one unit only; p-values are adjusted."""

    correction: str
    a: str = field(metadata=column("system", "name"))
    b: str = field(metadata=column("against", "name"))
    delta: float = field(metadata=column("difference", "amount", "+"))
    p_segment: float = field(metadata=column("p by segment", "p"))
    p_document: float = field(metadata=column("p by document", "p"))
    se_ratio: float | None = field(metadata=column("SE ratio", "score"))


@dataclass(frozen=True, kw_only=True)
class UnitChanges(Simulation):
    """Two comparisons of all pairs, by segment and by document."""

    tables: ClassVar[Mapping[str, type]] = {"rows": UnitChange, "pairs": ChangedPair}

    n_pairs: int  # that could be tested
    n_segments: int  # with any score
    n_documents: int
    se_ratio_low: (
        float | None
    )  # standard error of a difference by document / by segment: smallest of all pairs
    se_ratio_median: float | None
    se_ratio_high: float | None
    rows: tuple[UnitChange, ...]
    pairs: tuple[ChangedPair, ...]  # those behind `segment_only` and `document_only`
    higher_is_better: bool


def unit_changes(
    testset: TestSet,
    metric: str | Metric,
    *,
    trials: int = 9999,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> UnitChanges:
    """Compare all pairs by segment and by document, with approximate randomization; parameters as
    of `compare`.
    """
    part = part_with_documents(testset, metric)
    by_unit = [
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
    by_segment, by_document = (next(iter(one.metrics.values())) for one in by_unit)
    return changes_between(part, by_segment, by_document, by_unit[0].settings)


def part_with_documents(testset: TestSet, metric: str | Metric) -> TestSet:
    """The part of a test set that a metric can compare, with at least two documents and two
    systems.
    """
    metric = resolve_metric(testset, metric)
    part = (
        measure(testset, metric).testset
        if is_segment_mean(metric)
        else testset.keep_scorable(metric.name)
    )
    if part.n_documents is None or part.n_documents < 2:
        scored = (
            f" with a score by {metric.name}" if testset.n_documents != part.n_documents else ""
        )
        raise SettingError(
            f"{testset.name} has {'no document ids' if part.n_documents is None else 'one document'}"
            f"{scored}: there is no other unit than the segment. Give the document of each segment.",
            {"docs": "FILE"},
        )
    if not testset.systems:
        raise SettingError("No system to compare. Give at least two outputs.")
    if len(testset.systems) < 2:
        raise SettingError(
            "1 system to compare. Expected at least 2: add outputs, or leave fewer out."
        )
    return part


def changes_between(
    part: TestSet, by_segment: MetricResult, by_document: MetricResult, settings: Settings
) -> UnitChanges:
    """What changes between two comparisons with `UNIT_SETTINGS` of what `part_with_documents`
    gives.
    """
    both = {(pair.a, pair.b): [pair] for pair in by_segment.pairs if pair.p_value is not None}
    for pair in by_document.pairs:
        if (pair.a, pair.b) in both:
            both[pair.a, pair.b].append(pair)
    sides = list(zip(*both.values(), strict=True)) or [(), ()]
    adjusted = [
        apply_corrections(
            np.array([pair.p_value for pair in side]), np.array([pair.p_adjusted for pair in side])
        )
        for side in sides
    ]
    alpha, documents = settings.alpha, len(np.unique(part.document_index))
    by_document_settings = replace(settings, unit="document")
    rows: list[UnitChange] = []
    changed: list[ChangedPair] = []
    for name in CORRECTIONS:
        p_segment, p_document = (one[name] for one in adjusted)
        segment, document = significant(p_segment, alpha), significant(p_document, alpha)
        needed = fewest_units(by_document_settings, len(both), name)
        rows.append(
            UnitChange(
                name,
                int((segment & document).sum()),
                int((segment & ~document).sum()),
                int((document & ~segment).sum()),
                int((~segment & ~document).sum()),
                fewest_trials(settings, len(both), name),
                needed if needed > documents else None,
            )
        )
        changed += (
            ChangedPair(
                name,
                pair.a,
                pair.b,
                pair.delta,
                float(p_segment[k]),
                float(p_document[k]),
                pair.se_ratio,
            )
            for k, pair in enumerate(sides[0])
            if segment[k] != document[k]
        )
    ratios = [pair.se_ratio for pair in sides[0] if pair.se_ratio is not None]
    low, middle, high = (min(ratios), median(ratios), max(ratios)) if ratios else (None, None, None)
    return UnitChanges(
        metric=by_segment.metric,
        alpha=alpha,
        seed=settings.seed,
        n_pairs=len(both),
        n_segments=part.n_segments,
        n_documents=documents,
        se_ratio_low=low,
        se_ratio_median=middle,
        se_ratio_high=high,
        rows=tuple(rows),
        pairs=tuple(changed),
        higher_is_better=by_segment.higher_is_better,
    )
