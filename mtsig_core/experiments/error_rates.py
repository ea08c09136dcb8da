"""How often tests find a difference where there is none, for one pair and for many (Riezler and Maxwell 2005)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, median
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import (
    Population,
    Rate,
    check_whole,
    equal_systems,
    generator,
    of_documents,
    pair_population,
    population,
    rate,
    repeated,
    told,
)
from mtsig_core.metrics import Metric, direction, is_segment_mean, metric_of
from mtsig_core.results import MetricResult, PairResult, Settings
from mtsig_core.stats import engine
from mtsig_core.stats.choices import every_correction
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.engine import segment_scores, units_apart
from mtsig_core.stats.few_units import p_floor, trials_needed, units_needed
from mtsig_core.stats.measured import measure
from mtsig_core.stats.one_score import Progress, stage
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_level
from mtsig_core.stats.significance import (
    CORRECTIONS,
    TESTS,
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

#-----------------------------------------------------------------------------------------------------------------------
# Two systems made equal without a swap: documents are drawn with weights under which both have the same score.
#
# Swapping whole documents of two systems that differ makes the difference itself a part of what hangs together within a
# document. Weights keep each document as it is, and so what segments of a document have in common.


#: The effective number of documents, as a share of all, below which the weights leave too little of the test set.
LEAST_KEPT = 0.5
_DOUBLINGS, _HALVINGS = 20, 60


@dataclass(frozen=True, eq=False)
class EqualWeights:
    """Weights of documents under which two systems are equal.

    Attributes
    ----------
    weights : ndarray, shape (documents,)
        Their sum is 1.
    effective : float
        Kish's effective number of documents, 1 / sum of squared weights.
    se_ratio : float
        Standard error of the difference by document / by segment, in the weighted population.
    """

    weights: np.ndarray
    effective: float
    se_ratio: float


def equal_weights(metric: Metric, both: np.ndarray, documents: np.ndarray) -> EqualWeights | None:
    """The weights nearest to equal ones, in relative entropy, under which two systems have the same score.

    Parameters
    ----------
    metric : Metric
    both : ndarray, shape (2, segments, stats)
    documents : ndarray of int, shape (segments,)
        Numbered from 0 without a gap.

    Returns
    -------
    EqualWeights or None
        None where no weights make them equal, or they leave fewer than `LEAST_KEPT` of the documents.

    References
    ----------
    Efron (1981), Nonparametric standard errors and confidence intervals, section 11 (exponential tilting).
    Kish (1965), Survey Sampling, 11.7.

    Examples
    --------
    >>> from mtsig_core.metrics.segment_scores import SegmentMean
    >>> both = np.array([[[3.0, 1], [5, 1], [1, 1]], [[2.0, 1], [6, 1], [1, 1]]])
    >>> equal_weights(SegmentMean("human", True), both, np.arange(3)).weights.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    sums = np.stack([_by_document(documents, both[s]) for s in (0, 1)])  # (2, documents, stats)
    n = sums.shape[1]
    pull = _influence(metric, sums, sums.sum(axis=1))
    if not np.ptp(pull) > 0:
        return None
    pull = pull / pull.std()

    def weights_at(t: float) -> np.ndarray:
        free = np.exp(t * pull - (t * pull).max())
        found: np.ndarray = free / free.sum()
        return found

    def difference(t: float) -> float:
        a, b = metric.score(n * np.einsum("j,sjk->sk", weights_at(t), sums))
        return float(a - b)

    start = difference(0.0)
    far = -0.1 if start > 0 else 0.1  # a larger t favours the first system
    for _ in range(_DOUBLINGS):
        if difference(far) * start <= 0:
            break
        far *= 2
    else:
        return None
    near = 0.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (middle, far) if difference(middle) * start > 0 else (near, middle)
    weights = weights_at(far)
    effective = float(1 / (weights ** 2).sum())
    if effective < LEAST_KEPT * n:
        return None
    spread = weights[documents] * n
    per_segment = _influence(metric, both, (spread[:, None] * both).sum(axis=1))
    by_document = weights @ _by_document(documents, per_segment) ** 2 * n
    by_segment = spread @ per_segment ** 2
    return EqualWeights(weights, effective, float(np.sqrt(by_document / by_segment))) if by_segment > 0 else None


def predicted_rejections(se_ratio: float, alpha: float) -> float:
    """How often a two-sided test at level alpha rejects a true null whose standard error is so many times the one that
    it reckons with: 2 Phi(-z / ratio), z being the normal quantile of 1 - alpha / 2.

    Examples
    --------
    >>> round(predicted_rejections(1, 0.05), 3), round(predicted_rejections(1.5, 0.05), 3)
    (0.05, 0.191)
    """
    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf(1 - alpha / 2) / se_ratio)


def _by_document(documents: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sums of each document, shape (segments, ...) -> (documents, ...)."""
    found = np.zeros((int(documents.max()) + 1, *values.shape[1:]))
    np.add.at(found, documents, values)
    return found


def _influence(metric: Metric, statistics: np.ndarray, at: np.ndarray) -> np.ndarray:
    """What each unit adds to the difference of the scores, to first order: shape (2, units, stats) -> (units,).

    `at` are the sums at which the slope is taken, shape (2, stats).
    """
    step = 1e-4 * np.maximum(np.abs(at), 1.0)
    shifts = step[:, None, :] * np.eye(at.shape[1])  # (2, stats, stats): one statistic at a time
    slope = (metric.score(at[:, None] + shifts) - metric.score(at[:, None] - shifts)) / (2 * step)
    each = np.einsum("snk,sk->sn", statistics, slope)
    found: np.ndarray = each[0] - each[1]
    return found


#-----------------------------------------------------------------------------------------------------------------------
# Type-I error: how often each test finds a difference where there is none.


_NULL_SEGMENTS, _NULL_DOCUMENTS = 300, 110
_NULL_STREAMS = {"segment": 10, "document": 11}
_Decisions = dict[tuple[str, str], dict[str, bool]]  # by null and unit, then test


@dataclass(frozen=True)
class NullRate:
    """Rejections of true nulls by one test.

    Attributes
    ----------
    null : {"segment", "document"}
        How the two systems were made equal: segments swapped at random, or whole documents drawn with weights.
    unit : {"segment", "document"}
        What the test draws or swaps.
    test : str
    rejected : Rate
    """

    null: str
    unit: str
    test: str
    rejected: Rate


@dataclass(frozen=True)
class TypeOne:
    """Rejections of true nulls by every test.

    Attributes
    ----------
    a, b, metric : str
        The systems whose outputs make the nulls.
    alpha : float
    n_pairs, trials, seed : int
    n_segments, n_documents : int or None
        Drawn for each pair of the null by segment and by document; None without document ids, or where no weights
        make the two systems equal.
    rows : tuple of NullRate
    effective_documents : float or None
        Kish's number of the documents as they are weighted.
    se_ratio : float or None
        Standard error of the difference by document / by segment, with these weights.
    predicted : float or None
        Share of the nulls by document that a test by segment rejects if that ratio is all that is wrong with it.
    """

    a: str
    b: str
    metric: str
    alpha: float
    n_pairs: int
    trials: int
    seed: int
    n_segments: int
    n_documents: int | None
    rows: tuple[NullRate, ...]
    effective_documents: float | None
    se_ratio: float | None
    predicted: float | None

    def row(self, null: str, unit: str, test: str) -> NullRate | None:
        """The row of a null, unit and test; None without it."""
        return next((r for r in self.rows if (r.null, r.unit, r.test) == (null, unit, test)), None)


def type_one(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
             n_pairs: int = 2000, n_segments: int | None = None, n_documents: int | None = None, trials: int = 499,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None, found: Callable[[int, int, TypeOne], None] | None = None) -> TypeOne:
    """Rejections of true nulls: two systems made equal.

    By segment: segments are drawn with replacement, and the outputs of each trade places with chance 1/2. The two
    halves are exchangeable, so every rejection is wrong, and approximate randomization, whose swaps these are, keeps
    its level by construction. By document: whole documents are drawn with weights under which the two have the same
    score (`equal_weights`); nothing is swapped. Swaps of whole documents would make a difference of the systems a part
    of what the segments of a document have in common.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    a, b : str, optional
        The systems, by default the best two.
    n_pairs : int
        Null pairs of each kind.
    n_segments, n_documents : int, optional
        Drawn for each pair: 300 and 110 by default, or all where there are fewer.
    trials : int
        Draws of the tests.
    alpha, seed, jobs
        As in `compare`.
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.
    found : callable, optional
        Called now and then, before the end: with how many repeats there are so far, of how many, and the result of
        these. It is that of an experiment with so many.

    Raises
    ------
    SettingError
        For fewer than two systems, or fewer than 10 segments.

    Notes
    -----
    Riezler and Maxwell (2005) find approximate randomization more conservative than the bootstrap; that follows from
    the shift as they print it (`riezler-maxwell`). With the signed shift both hold the level.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = type_one(ts, "bleu", n_pairs=20, trials=99)
    >>> [row.test for row in found.rows], found.n_segments, found.rows[0].rejected.n
    (['ar', 'bootstrap', 'percentile', 'koehn', 'riezler-maxwell'], 60, 20)
    """
    check_level(alpha)
    check_whole("pairs", n_pairs, 1, 1_000_000)
    check_whole("trials", trials, 1, 100_000)
    if trials < TESTS["percentile"].trials_for(alpha):
        raise SettingError(f"With {trials} trials no p can be {alpha:g} or less by every test. Use at least "
                           f"{TESTS['percentile'].trials_for(alpha)} trials, or a larger alpha.")
    whole, rows = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    if np.array_equal(*whole.statistics[rows]):
        raise SettingError(f"{whole.systems[rows[0]]} and {whole.systems[rows[1]]} score the same on every segment: no "
                           "test can reject anything. Choose systems that differ.")
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw null pairs from: {whole.n_segments}. Expected at least 10.")
    n = min(_NULL_SEGMENTS, whole.n_segments) if n_segments is None else check_whole(
        "segments", n_segments, 2, 1_000_000)
    drawn = None
    if whole.n_documents > 1:
        drawn = min(_NULL_DOCUMENTS, whole.n_documents) if n_documents is None else check_whole(
            "documents", n_documents, 2, 100_000)
    elif n_documents is not None:
        raise SettingError("The test set has no document ids to draw documents by. Give them, or leave this out.")
    equal = None
    if drawn is not None and whole.documents is not None:
        equal = equal_weights(whole.metric, whole.statistics[rows], whole.documents)
    two, segments_of = whole.statistics[rows], whole.segments_of_documents()

    def one(k: int, rng: np.random.Generator) -> _Decisions:
        both = _swapped(two[:, rng.integers(0, whole.n_segments, n)], rng.random(n) < 0.5)
        key = int(rng.integers(1 << 62))
        decisions = {("segment", "segment"): conclusions_on(whole.metric, both, Units.segments(n), trials, alpha, key)}
        if equal is not None:
            rng = generator(seed, _NULL_STREAMS["document"], k)
            both, by = of_documents(two, segments_of, rng.choice(whole.n_documents, drawn, p=equal.weights))
            key = int(rng.integers(1 << 62))
            decisions |= {("document", units.kind): conclusions_on(whole.metric, both, units, trials, alpha, key)
                          for units in by}
        return decisions

    def gathered(pairs: list[_Decisions]) -> TypeOne:
        rates = tuple(row for null, unit in pairs[0]
                      for row in _rates(null, unit, [decisions[null, unit] for decisions in pairs]))
        settled = (whole.systems[rows[0]], whole.systems[rows[1]], whole.metric.name, alpha, len(pairs), trials, seed)
        if equal is None:
            return TypeOne(*settled, n, None, rates, None, None, None)
        return TypeOne(*settled, n, drawn, rates, equal.effective, equal.se_ratio,
                       predicted_rejections(equal.se_ratio, alpha))

    return gathered(repeated(one, n_pairs, seed, _NULL_STREAMS["segment"], jobs=jobs,
                             progress=stage(progress, "true nulls"), found=told(found, n_pairs, gathered)))


def conclusions_on(metric: Metric, both: np.ndarray, units: Units, trials: int, alpha: float,
                   seed: int) -> dict[str, bool]:
    """Test -> whether it concludes that two systems differ.

    Parameters
    ----------
    both : ndarray, shape (2, segments, stats)

    Examples
    --------
    >>> from mtsig_core.metrics.segment_scores import SegmentMean
    >>> both = np.stack([[[80.0, 1]] * 30, [[60.0, 1]] * 30])
    >>> found = conclusions_on(SegmentMean("human", True), both, Units.segments(30), 99, 0.05, 0)
    >>> all(found.values()), list(found)[-2:]
    (True, ['t', 'wilcoxon'])
    """
    data = engine.UnitStatistics(metric, both, units)
    delta = data.scores[:1] - data.scores[1:]
    drawn = engine.bootstrap_scores(data, trials, seed)
    replicates = {"swaps": engine.swap_differences(data, np.array([[0, 1]]), trials, seed),
                  "bootstrap": drawn[:1] - drawn[1:]}
    scores = segment_scores(metric, both) if units.kind == "segment" else None
    if scores is not None:
        replicates["none"] = scores[:1] - scores[1:]
    found, apart = {}, units_apart(data, np.array([[0, 1]]), np.array([units.pieces]))
    for name, test in fitting_tests("none" in replicates).items():
        p, (win, lose) = None, (None, None)
        if test.p_values is not None:
            p = np.maximum(test.p_values(delta, replicates[test.draws]), p_floor(test, units.kind, apart))
        elif significant(p_floor(test, units.kind, apart), alpha).all():  # else so few decide nothing
            win, lose = win_rates(replicates[test.draws])
        side = test.side(delta, replicates[test.draws])
        found[name] = bool(decide_pairs(side, alpha, p=p, win=win, lose=lose, side=side)[0])
    return found


def _swapped(both: np.ndarray, coins: np.ndarray) -> np.ndarray:
    """Two systems, shape (2, segments, stats), that trade places in the segments where the coins say so."""
    return np.where(coins[:, None], both[::-1], both)


def _rates(null: str, unit: str, decisions: Sequence[dict[str, bool]]) -> list[NullRate]:
    return [NullRate(null, unit, test, rate(sum(one[test] for one in decisions), len(decisions)))
            for test in decisions[0]]


#-----------------------------------------------------------------------------------------------------------------------
# Systems made equal, each compared with the first: p-values under a true null (Riezler and Maxwell 2005, Table 2).


_PAPER_SYSTEMS, _PAPER_SEGMENTS, _EQUAL_STREAM = 6, 2000, 41  # those of the paper


@dataclass(frozen=True)
class Variant:
    """The first system against another.

    Attributes
    ----------
    pair : str
        As the paper names it, such as ``1:2``.
    difference : float
        Of their scores, in points, without a sign.
    p_ar, p_bootstrap, p_as_printed : float
        Of approximate randomization, of the signed shift, and of the shift as the paper prints it.
    """

    pair: str
    difference: float
    p_ar: float
    p_bootstrap: float
    p_as_printed: float


@dataclass(frozen=True)
class Variants:
    """Equal systems.

    Attributes
    ----------
    metric : str
    alpha : float
    trials, seed, n_segments : int
    rows : tuple of Variant
    """

    metric: str
    alpha: float
    trials: int
    seed: int
    n_segments: int
    rows: tuple[Variant, ...]


def variants(testset: TestSet, metric: str | Metric, *, n_segments: int | None = None, trials: int = 9999,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None) -> Variants:
    """Six systems that are equal by construction; the first is compared with each of the others, by segment.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.experiments.error_rates.type_one`.
    n_segments : int, optional
        Drawn with replacement: 2,000 by default, as in the paper, or all where there are fewer.
    trials, alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = variants(ts, "bleu", trials=999)
    >>> [row.pair for row in found.rows], found.n_segments
    (['1:2', '1:3', '1:4', '1:5', '1:6'], 60)
    """
    check_level(alpha)
    check_whole("trials", trials, 1, 1_000_000)
    check_whole("seed", seed, 0, (1 << 64) - 1)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    n = min(_PAPER_SEGMENTS, whole.n_segments) if n_segments is None else \
        check_whole("segments", n_segments, 2, 1_000_000)
    rng = np.random.default_rng([seed, _EQUAL_STREAM])
    data = engine.UnitStatistics(whole.metric, equal_systems(whole, _PAPER_SYSTEMS, n, rng), Units.segments(n))
    pairs = np.array([(0, k) for k in range(1, _PAPER_SYSTEMS)])
    delta, key = data.scores[0] - data.scores[1:], int(rng.integers(1 << 62))
    drawn = engine.bootstrap_scores(data, trials, key, jobs=jobs, progress=stage(progress, "bootstrap"))
    drawn = drawn[:1] - drawn[1:]
    swapped = engine.swap_differences(data, pairs, trials, key, jobs=jobs, progress=stage(progress, "swaps"))
    p = approximate_randomization(delta, swapped), signed_shift(delta, drawn), riezler_maxwell(delta, drawn)
    return Variants(whole.metric.name, alpha, trials, seed, n, tuple(
        Variant(f"1:{k}", *map(float, row)) for k, row in enumerate(zip(np.abs(delta), *p, strict=True), 2)))


#-----------------------------------------------------------------------------------------------------------------------
# Experiment-wise error: how likely is a wrong conclusion among many comparisons of equal systems?


_FAMILY_SEGMENTS, _FAMILY_SYSTEMS = 300, (2, 3, 4, 6, 8, 10, 15)
FAMILY_STREAM = 40  # of the draws of test sets
_COMPARED = ("all pairs", "with the first")


@dataclass(frozen=True)
class FamilyError:
    """Test sets of equal systems with a wrong conclusion somewhere.

    Attributes
    ----------
    systems : int
    compared : {"all pairs", "with the first"}
    comparisons : int
    if_independent : float
        1 - (1 - alpha)^comparisons.
    wrong : dict of str to Rate
        By correction (`CORRECTIONS`).
    """

    systems: int
    compared: str
    comparisons: int
    if_independent: float
    wrong: dict[str, Rate]


@dataclass(frozen=True)
class FamilyErrors:
    """Experiment-wise error of families of several sizes.

    Attributes
    ----------
    metric : str
    alpha : float
    repeats, trials, seed, n_segments : int
    rows : tuple of FamilyError
        First those of all pairs. Families share their first systems, so the rows are not independent.
    """

    metric: str
    alpha: float
    repeats: int
    trials: int
    seed: int
    n_segments: int
    rows: tuple[FamilyError, ...]

    @property
    def of_all_pairs(self) -> tuple[FamilyError, ...]:
        return tuple(row for row in self.rows if row.compared == _COMPARED[0])


def families(testset: TestSet, metric: str | Metric, *, systems: int = 15, repeats: int = 300,
             n_segments: int | None = None, trials: int = 2999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
             statistics: np.ndarray | None = None, progress: Progress | None = None,
             found: Callable[[int, int, FamilyErrors], None] | None = None) -> FamilyErrors:
    """Wrong conclusions among equal systems, by approximate randomization with each correction.

    All pairs are compared, and in a family of its own every system with the first, as with a baseline. Equal systems
    are made by chance: each of them says of each segment what one of the real ones says, drawn anew.

    Parameters
    ----------
    testset, metric, statistics, progress, found
        As in `mtsig_core.experiments.error_rates.type_one`.
    systems : int
        The largest family, 2 to 50.
    repeats : int
        Test sets drawn with replacement.
    n_segments : int, optional
        Segments of each: 300 by default, or all where there are fewer.
    trials : int
        By default enough for Bonferroni among 105 pairs: with fewer, its smallest p times the pairs exceeds alpha.
    alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, or fewer than 10 segments.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = families(ts, "bleu", systems=4, repeats=10, trials=99)
    >>> [(row.systems, row.comparisons, round(row.if_independent, 3)) for row in found.rows]
    [(2, 1, 0.05), (3, 3, 0.143), (4, 6, 0.265), (3, 2, 0.098), (4, 3, 0.143)]
    """
    check_level(alpha)
    check_whole("systems", systems, 2, 50)
    check_whole("repeats", repeats, 1, 100_000)
    whole, n = drawn_from(testset, metric, n_segments, alpha, trials, statistics, progress)
    units, pairs = Units.segments(n), engine.all_pairs(systems)
    sizes = sorted({size for size in _FAMILY_SYSTEMS if size < systems} | {systems})
    within = {(size, _COMPARED[0]): pairs.max(axis=1) < size for size in sizes}
    within |= {(size, _COMPARED[1]): within[size, _COMPARED[0]] & (pairs[:, 0] == 0) for size in sizes if size > 2}

    def one(k: int, rng: np.random.Generator) -> list[list[bool]]:
        data = engine.UnitStatistics(whole.metric, equal_systems(whole, systems, n, rng), units)
        delta, null, p = randomized(data, pairs, trials, rng)
        return [_wrong(delta[among], null[among], p[among], alpha, data.units) for among in within.values()]

    def gathered(sets: list[list[list[bool]]]) -> FamilyErrors:
        counts = np.array(sets).sum(axis=0)  # (families, corrections)
        return FamilyErrors(whole.metric.name, alpha, len(sets), trials, seed, n, tuple(
            FamilyError(size, compared, (k := int(among.sum())), if_independent(alpha, k),
                        {name: rate(int(c), len(sets)) for name, c in zip(CORRECTIONS, row, strict=True)})
            for ((size, compared), among), row in zip(within.items(), counts, strict=True)))

    return gathered(repeated(one, repeats, seed, FAMILY_STREAM, jobs=jobs, progress=stage(progress, "families"),
                             found=told(found, repeats, gathered)))


def if_independent(alpha: float, comparisons: int) -> float:
    """1 - (1 - alpha)^k, the chance of a wrong conclusion among k independent comparisons of equals.

    Examples
    --------
    >>> round(if_independent(0.05, 105), 4)
    0.9954
    """
    return 1 - (1 - alpha) ** comparisons


def drawn_from(testset: TestSet, metric: str | Metric, n_segments: int | None, alpha: float, trials: int,
               statistics: np.ndarray | None, progress: Progress | None) -> tuple[Population, int]:
    """What test sets are drawn from, and the segments of each, for settings with which anything can be found."""
    check_whole("trials", trials, 1, 100_000)
    if alpha < 1 / (trials + 1):
        raise SettingError(f"With {trials} trials no p can be {alpha:g} or less. Use more trials, or a larger alpha.")
    whole = population(testset, metric, statistics=statistics, progress=progress)
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw test sets from: {whole.n_segments}. Expected at least 10.")
    n = min(_FAMILY_SEGMENTS, whole.n_segments) if n_segments is None else \
        check_whole("segments", n_segments, 2, 100_000)
    return whole, n


def randomized(data: engine.UnitStatistics, pairs: np.ndarray, trials: int,
               rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences of pairs, shape (pairs,), their null by swaps, (pairs, trials), and p, (pairs,)."""
    delta = data.scores[pairs[:, 0]] - data.scores[pairs[:, 1]]
    null = engine.swap_differences(data, pairs, trials, int(rng.integers(1 << 62)))
    return delta, null, approximate_randomization(delta, null)


def corrected(delta: np.ndarray, null: np.ndarray, p: np.ndarray, units: Units) -> dict[str, np.ndarray]:
    """Adjusted p of a family by every correction, each of shape (pairs,)."""
    return every_correction(p, romano_wolf(delta, null, whole=units.all_swaps is not None))


def _wrong(delta: np.ndarray, null: np.ndarray, p: np.ndarray, alpha: float, units: Units) -> list[bool]:
    """Whether anything is significant, by correction."""
    adjusted = corrected(delta, null, p, units)
    return [bool(significant(adjusted[name].min(), alpha)) for name in CORRECTIONS]


#-----------------------------------------------------------------------------------------------------------------------
# Many comparisons of which some are of truly different systems: false and lost findings by correction.


CLAIMS_STREAM = 42  # of the draws of test sets
_AIM = 2.8  # standard errors that the true difference is to have: found 8 times in 10 where it alone is tested


@dataclass(frozen=True)
class Mean:
    """A mean over repeats with its 95% Monte Carlo interval by normal theory; `share` as in `Rate`."""

    share: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ClaimCounts:
    """What is claimed under one correction.

    Attributes
    ----------
    correction : str
    any_false : Rate
        Test sets with a false claim: the family-wise error. False is a claim between equal systems, and one for the
        worse system.
    false_share : Mean
        Mean share of the claims of a test set that are false, 0 where there are none: the false discovery rate.
    lost : Mean
        Mean share of the true differences that are not found.
    """

    correction: str
    any_false: Rate
    false_share: Mean
    lost: Mean


@dataclass(frozen=True)
class Claims:
    """False and lost findings by correction.

    Attributes
    ----------
    metric : str
    alpha : float
    repeats, trials, seed, n_segments, systems, better : int
        `better` of the systems are truly better than the others.
    true_pairs, null_pairs : int
    difference : float
        Of the better over the others, in points: of the mixtures that the systems are drawn from.
    rows : tuple of ClaimCounts
        One for each of `CORRECTIONS`, on the same test sets.
    """

    metric: str
    alpha: float
    repeats: int
    trials: int
    seed: int
    n_segments: int
    systems: int
    better: int
    true_pairs: int
    null_pairs: int
    difference: float
    rows: tuple[ClaimCounts, ...]


def claims(testset: TestSet, metric: str | Metric, *, systems: int = 15, better: int = 3, repeats: int = 300,
           n_segments: int | None = None, trials: int = 4999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
           statistics: np.ndarray | None = None, progress: Progress | None = None,
           found: Callable[[int, int, Claims], None] | None = None) -> Claims:
    """False and lost findings among all pairs of systems, of which a few are truly better, by every correction.

    Equal systems are made by chance, as in `families`. Each of the better ones says of a share of the segments what
    the best real system says, and else what one of all says; the share is the one that makes the difference 2.8
    standard errors at this size, or 1. Approximate randomization by segment.

    Parameters
    ----------
    testset, metric, statistics, progress, found, repeats, n_segments, alpha, seed, jobs
        As in `mtsig_core.experiments.error_rates.families`.
    trials : int
        Holm does no better than Bonferroni where few p are possible below alpha / pairs.
    systems : int
        3 to 50.
    better : int
        At least 1, and fewer than the systems.

    Raises
    ------
    SettingError

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c y z", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = claims(ts, "bleu", systems=4, better=1, repeats=10, trials=99)
    >>> found.true_pairs, found.null_pairs, [row.correction for row in found.rows][:2]
    (3, 3, ['none', 'bonferroni'])
    """
    check_level(alpha)
    check_whole("systems", systems, 3, 50)
    check_whole("better", better, 1, systems - 1)
    check_whole("repeats", repeats, 2, 100_000)
    whole, n = drawn_from(testset, metric, n_segments, alpha, trials, statistics, progress)
    units, pairs, sign = Units.segments(n), engine.all_pairs(systems), direction(whole.metric)
    true = (pairs[:, 0] < better) & (pairs[:, 1] >= better)
    share, difference = share_of_best(whole, n, trials, seed)

    def one(k: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
        data = engine.UnitStatistics(whole.metric, drawn(whole, systems, better, share, n, rng), units)
        delta, null, p = randomized(data, pairs, trials, rng)
        adjusted = corrected(delta, null, p, units)
        return [_counted(decide_pairs(sign * delta, alpha, p=adjusted[name]), true) for name in CORRECTIONS]

    def gathered(sets: list[list[tuple[int, int, int]]]) -> Claims:
        counts, n_sets, rows = np.array(sets), len(sets), []
        for k, name in enumerate(CORRECTIONS):
            claimed, false, right = counts[:, k].T
            rows.append(ClaimCounts(name, rate(int(np.count_nonzero(false)), n_sets),
                                    _mean(false / np.maximum(claimed, 1)), _mean(1 - right / true.sum())))
        return Claims(whole.metric.name, alpha, n_sets, trials, seed, n, systems, better, int(true.sum()),
                      int((~true).sum()), difference, tuple(rows))

    return gathered(repeated(one, repeats, seed, CLAIMS_STREAM, jobs=jobs, progress=stage(progress, "families"),
                             found=told(found, repeats, gathered)))


def _counted(decided: np.ndarray, true: np.ndarray) -> tuple[int, int, int]:
    """Claims, those that are false, those that are right; `decided` is 1, -1 or 0 and a true pair has the better
    system first."""
    claimed, right = int(np.count_nonzero(decided)), int(np.count_nonzero(true & (decided == 1)))
    return claimed, claimed - right, right


def drawn(whole: Population, systems: int, better: int, share: float, n: int,
           rng: np.random.Generator) -> np.ndarray:
    """Statistics of one test set, the better systems first, shape (systems, n, stats).

    Parameters
    ----------
    whole : Population
    systems, better : int
    share : float
        Of the segments on which a better system says what the best real one says; see `share_of_best`.
    n : int
        Segments.
    rng : numpy.random.Generator
    """
    speaker = rng.integers(0, len(whole.systems), (systems, n))
    speaker[:better][rng.random((better, n)) < share] = 0  # the best of the real ones
    return whole.statistics[speaker, rng.integers(0, whole.n_segments, n)]


def share_of_best(whole: Population, n: int, trials: int, seed: int) -> tuple[float, float]:
    """How much of a better system the best real one says, and the difference that makes, in points."""
    rng = np.random.default_rng([seed, CLAIMS_STREAM, 1])
    data = engine.UnitStatistics(whole.metric, equal_systems(whole, 2, n, rng), Units.segments(n))
    nulls = engine.swap_differences(data, np.array([[0, 1]]), max(trials, 200), seed)
    return share_for(whole, _AIM * float(nulls.std()))


def share_for(whole: Population, aim: float) -> tuple[float, float]:
    """The same for a difference that is asked for, in points; all of the best real one where that is not enough."""
    sums = whole.statistics.sum(axis=1, dtype=np.float64)
    every, best, sign = sums.mean(axis=0), sums[0], direction(whole.metric)

    def gap(share: float) -> float:
        mixed = np.stack([(1 - share) * every + share * best, every])
        scores = whole.metric.score(mixed)
        return float(sign * (scores[0] - scores[1]))

    low, high = 0.0, 1.0
    if gap(1.0) > aim:
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if gap(middle) < aim else (low, middle)
    return high, gap(high)


def _mean(values: np.ndarray) -> Mean:
    half = 1.959963984540054 * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    if half == 0 and mean in (0, 1):  # all alike: as sure as a share of so many can be
        sure = rate(int(mean * len(values)), len(values))
        return Mean(mean, sure.low or 0.0, 1.0 if sure.high is None else sure.high, len(values))
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half), len(values))


#-----------------------------------------------------------------------------------------------------------------------
# Which conclusions the unit changes: segments taken as independent, or documents kept whole.


#: What both comparisons ask for: its p-values raw and by Romano-Wolf give those of every correction.
ASKED: dict[str, Any] = {"test": "ar", "correction": "romano-wolf", "ci": "percentile"}


@dataclass(frozen=True)
class UnitChange:
    """How many pairs are significant by either unit under one correction.

    Attributes
    ----------
    correction : str
    both, segment_only, document_only, neither : int
    trials_needed : int or None
        The trials that it takes before any pair can be significant, where there are fewer.
    documents_needed: int or None
        The documents that it takes before any pair can be significant by document, where there are fewer.
    """

    correction: str
    both: int
    segment_only: int
    document_only: int
    neither: int
    trials_needed: int | None
    documents_needed: int | None


@dataclass(frozen=True)
class ChangedPair:
    """A pair that is significant by one unit alone; p-values are adjusted."""

    correction: str
    a: str
    b: str
    delta: float
    p_segment: float
    p_document: float
    se_ratio: float | None


@dataclass(frozen=True)
class UnitChanges:
    """Two comparisons of all pairs, by segment and by document.

    Attributes
    ----------
    metric : str
    alpha : float
    n_pairs, n_segments, n_documents : int
        `n_pairs` is the number of pairs that could be tested; segments and documents are those with any score.
    se_ratio_low, se_ratio_median, se_ratio_high : float or None
        Standard error of a difference by document / by segment: smallest, median and largest of all pairs.
    rows : tuple of UnitChange
        By correction.
    pairs : tuple of ChangedPair
        The pairs behind `segment_only` and `document_only`.
    higher_is_better : bool
    """

    metric: str
    alpha: float
    n_pairs: int
    n_segments: int
    n_documents: int
    se_ratio_low: float | None
    se_ratio_median: float | None
    se_ratio_high: float | None
    rows: tuple[UnitChange, ...]
    pairs: tuple[ChangedPair, ...]
    higher_is_better: bool

    def row(self, correction: str) -> UnitChange:
        return next(row for row in self.rows if row.correction == correction)


def unit_changes(testset: TestSet, metric: str | Metric, *, trials: int = 9999, resamples: int = 2000,
                 alpha: float = 0.05, seed: int = 0, jobs: int = 1, progress: Progress | None = None) -> UnitChanges:
    """Compare all pairs by segment and by document, with approximate randomization.

    Parameters
    ----------
    testset, metric, trials, resamples, alpha, seed, jobs, progress
        As in `compare`; the resamples are those of the standard errors.

    Raises
    ------
    SettingError
        For fewer than two systems, and without document ids.

    Examples
    --------
    A says the right thing in some documents and the wrong thing in others, B in every other segment.

    >>> by_document, mixed = ["a b c d e"] * 27 + ["a b x d e"] * 18, ["a b c d e", "a b x d e"]
    >>> ts = TestSet("toy", {"A": by_document * 10, "B": mixed * 225}, {"ref": ["a b c d e"] * 450},
    ...              documents=[str(k // 9) for k in range(450)])
    >>> found = unit_changes(ts, "wer", trials=999)
    >>> found.row("none").segment_only, round(found.se_ratio_median, 1)
    (1, 2.1)
    """
    part = part_with_documents(testset, metric)
    if len(testset.systems) < 2:
        raise SettingError("1 system to compare. Expected at least 2: add outputs, or leave fewer out."
                           if testset.systems else "No system to compare. Give at least two outputs.")
    found = {unit: compare(testset, [metric], unit=unit, trials=trials, resamples=resamples, alpha=alpha, seed=seed,
                           jobs=jobs, progress=progress, by_reference=False, **ASKED)
             for unit in ("segment", "document")}
    by_segment, by_document = (next(iter(one.metrics.values())) for one in found.values())
    return changes_between(part, by_segment, by_document, found["segment"].settings)


def part_with_documents(testset: TestSet, metric: str | Metric) -> TestSet:
    """The part of a test set that a metric can compare: all of it, or what has any segment score.

    Raises
    ------
    SettingError
        Where it has no documents to take as units.
    """
    metric = metric_of(testset, metric)
    part = measure(testset, metric).testset if is_segment_mean(metric) else testset.under(metric.name)
    if part.n_documents is None or part.n_documents < 2:
        scored = f" with a score by {metric.name}" if testset.n_documents != part.n_documents else ""
        raise SettingError(f"{testset.name} has {'no document ids' if part.n_documents is None else 'one document'}"
                           f"{scored}: there is no other unit than the segment. Give the document of each segment.",
                           {"docs": "FILE"})
    return part


def changes_between(part: TestSet, by_segment: MetricResult, by_document: MetricResult,
                    settings: Settings) -> UnitChanges:
    """What changes between two comparisons with the settings of `ASKED`, one by segment and one by document.

    `part` is what `part_with_documents` gives of the test set that was compared.
    """
    both = {(pair.a, pair.b): [pair] for pair in by_segment.pairs if pair.p_value is not None}
    for pair in by_document.pairs:
        if (pair.a, pair.b) in both:
            both[pair.a, pair.b].append(pair)
    sides = list(zip(*both.values(), strict=True)) or [(), ()]
    adjusted = [every_correction(np.array([pair.p_value for pair in side]),
                                 np.array([pair.p_adjusted for pair in side])) for side in sides]
    alpha, rows = settings.alpha, list[UnitChange]()
    documents, by_document_settings = len(np.unique(part.document_index)), replace(settings, unit="document")
    changed: list[ChangedPair] = []
    for name in CORRECTIONS:
        p_segment, p_document = (one[name] for one in adjusted)
        segment, document = significant(p_segment, alpha), significant(p_document, alpha)
        rows.append(UnitChange(
            name, int((segment & document).sum()), int((segment & ~document).sum()),
            int((document & ~segment).sum()), int((~segment & ~document).sum()),
            trials_needed(settings, len(both), name),
            needed if (needed := units_needed(by_document_settings, len(both), name)) > documents else None))
        changed += _changed(name, sides[0], p_segment, p_document, segment != document)
    ratios = [pair.se_ratio for pair in sides[0] if pair.se_ratio is not None]
    low, middle, high = (min(ratios), median(ratios), max(ratios)) if ratios else (None, None, None)
    return UnitChanges(by_segment.metric, alpha, len(both), part.n_segments, documents,
                       low, middle, high, tuple(rows), tuple(changed), by_segment.higher_is_better)


def _changed(correction: str, pairs: Sequence[PairResult], p_segment: np.ndarray, p_document: np.ndarray,
             differ: np.ndarray) -> Iterator[ChangedPair]:
    for k in np.flatnonzero(differ).tolist():
        pair = pairs[k]
        yield ChangedPair(correction, pair.a, pair.b, pair.delta, float(p_segment[k]), float(p_document[k]),
                          pair.se_ratio)
