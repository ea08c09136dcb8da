"""Are conclusions from small test sets right, and do intervals hold the true score? (Koehn 2004, section 7.)"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import (
    Rate,
    check_whole,
    clustered_rate,
    generator,
    of_documents,
    pair_population,
    population,
    rate,
    repeated,
    told,
    whole_p,
)
from mtsig_core.experiments.sampling import positions
from mtsig_core.metrics import Metric, metric_of, part_counter
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import rounding
from mtsig_core.stats.engine import segment_scores
from mtsig_core.stats.intervals import Sample, fitting_intervals
from mtsig_core.stats.one_score import Progress, stage
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_level
from mtsig_core.stats.significance import TESTS, decide_pairs, significant, win_rates
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Coverage: how often an interval from a small test set holds the score of the large one it was drawn from.


_SEGMENTS, _DOCUMENTS = 300, 30
_STREAMS = {"segment": 30, "document": 31}

_Ends = tuple[str, str, str, float, float]  # unit, kind, quantity, low, high
_Covering = tuple[str, str, str, str, float, float]  # what the test set was drawn by, and those


@dataclass(frozen=True)
class Covered:
    """How often one kind of interval holds the true value.

    Attributes
    ----------
    sampled, unit : {"segment", "document"}
        What test sets are drawn by, and what the bootstrap draws.
    kind : str
        A key of `mtsig_core.stats.intervals.INTERVALS`.
    quantity : {"score", "difference"}
        The score of system A, or its difference to B.
    covered : Rate
    width : float
        Mean width in points.
    """

    sampled: str
    unit: str
    kind: str
    quantity: str
    covered: Rate
    width: float


@dataclass(frozen=True)
class Coverage:
    """Coverage of every kind of interval.

    Attributes
    ----------
    a, b, metric : str
    alpha : float
        Intervals have level 1 - alpha.
    repeats, resamples, seed : int
    n_segments, n_documents : int or None
        Drawn for each test set; None without document ids.
    rows : tuple of Covered
    """

    a: str
    b: str
    metric: str
    alpha: float
    repeats: int
    resamples: int
    seed: int
    n_segments: int
    n_documents: int | None
    rows: tuple[Covered, ...]

    def row(self, sampled: str, unit: str, kind: str, quantity: str) -> Covered | None:
        """The row so described; None without it."""
        wanted = (sampled, unit, kind, quantity)
        return next((r for r in self.rows if (r.sampled, r.unit, r.kind, r.quantity) == wanted), None)


def coverage(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
             repeats: int = 1000, n_segments: int | None = None, n_documents: int | None = None, resamples: int = 1000,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None,
             found: Callable[[int, int, Coverage], None] | None = None) -> Coverage:
    """Coverage of the intervals of one score and of one difference, on test sets drawn with replacement.

    Test sets are drawn by segment, and where there are documents also by whole document; the latter are covered by
    intervals of either unit, of which that by segment takes what hangs together for independent.

    Parameters
    ----------
    testset, metric, a, b, statistics, progress, found
        As in `mtsig_core.experiments.error_rates.type_one`.
    repeats : int
        Test sets of each kind.
    n_segments, n_documents : int, optional
        Drawn for each: 300 and 30 by default, or all where there are fewer.
    resamples : int
        Bootstrap samples of each.
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
    >>> found = coverage(ts, "bleu", repeats=20, resamples=100)
    >>> found.row("segment", "segment", "percentile", "score").covered.n
    20
    """
    check_level(alpha)
    check_whole("repeats", repeats, 1, 1_000_000)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole, two = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw test sets from: {whole.n_segments}. Expected at least 10.")
    scores = whole.scores[two]
    truth = {"score": scores[0], "difference": scores[0] - scores[1]}
    n = min(_SEGMENTS, whole.n_segments) if n_segments is None else check_whole("segments", n_segments, 2, 1_000_000)
    drawn = None
    if whole.n_documents > 1:
        drawn = min(_DOCUMENTS, whole.n_documents) if n_documents is None else check_whole(
            "documents", n_documents, 2, 100_000)
    elif n_documents is not None:
        raise SettingError("The test set has no document ids to draw documents by. Give them, or leave this out.")
    both, segments_of = whole.statistics[two], whole.segments_of_documents()

    def one(k: int, rng: np.random.Generator) -> list[_Covering]:
        sets = {"segment": (rng, both[:, rng.integers(0, whole.n_segments, n)], [Units.segments(n)])}
        if drawn is not None:
            rng = generator(seed, _STREAMS["document"], k)
            sets["document"] = rng, *of_documents(both, segments_of, rng.integers(0, whole.n_documents, drawn))
        return [(sampled, *ends) for sampled, (rng, part, by) in sets.items() for key in [int(rng.integers(1 << 62))]
                for units in by for ends in _ends(whole.metric, part, units, resamples, alpha, key)]

    def gathered(sets: list[list[_Covering]]) -> Coverage:
        rows = []
        for column in zip(*sets, strict=True):
            sampled, unit, kind, quantity = column[0][:4]
            low, high = np.array([ends[4:] for ends in column], dtype=float).T
            hits = int(((low <= truth[quantity]) & (truth[quantity] <= high)).sum())
            rows.append(Covered(sampled, unit, kind, quantity, rate(hits, len(sets)), float(np.mean(high - low))))
        return Coverage(whole.systems[two[0]], whole.systems[two[1]], whole.metric.name, alpha, len(sets), resamples,
                        seed, n, drawn, tuple(rows))

    return gathered(repeated(one, repeats, seed, _STREAMS["segment"], jobs=jobs, progress=stage(progress, "test sets"),
                             found=told(found, repeats, gathered)))


def _ends(metric: Metric, both: np.ndarray, units: Units, resamples: int, alpha: float, seed: int) -> list[_Ends]:
    """Every interval of one test set."""
    data = engine.UnitStatistics(metric, both, units)
    drawn, left_out = engine.bootstrap_scores(data, resamples, seed), engine.jackknife_scores(data)
    segments = segment_scores(metric, both) if units.kind == "segment" else None
    combined: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "score": lambda x: x[:1], "difference": lambda x: x[:1] - x[1:]}
    quantities = {name: Sample(combine(data.scores), combine(drawn), combine(left_out),
                               None if segments is None else combine(segments)) for name, combine in combined.items()}
    return [(units.kind, kind, quantity, float(low[0]), float(high[0]))
            for kind, interval in fitting_intervals(segments is not None).items()
            for quantity, sample in quantities.items() for low, high in [interval(sample, alpha)]]


#-----------------------------------------------------------------------------------------------------------------------
# Are conclusions from small test sets those of a much larger one? (Koehn 2004, section 7, Tables 3 and 4.)


#: Segments of a sample in Koehn's Table 3.
SIZES = (100, 300, 600, 3000)
#: Lower ends of the levels in Koehn's Table 4, in percent; the first is 100% itself.
_LEVELS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
_STREAM = 20
_Sampled = tuple[np.ndarray, np.ndarray, np.ndarray]  # by pair: larger share of wins, the way it goes, if concluded


@dataclass(frozen=True)
class Concluded:
    """Conclusions on one pair from samples of one size.

    Attributes
    ----------
    a, b : str
        The better system on the whole test set, and the worse.
    delta : float
        Score of the better less that of the worse on the whole test set, in points, positive where higher is better.
    size : int
        Segments of a sample.
    right, wrong : Rate
        Shares of the samples that let conclude what the whole test set says, and the opposite. Samples of one size
        share no segment.
    whole_p : float
        p of the pair on the whole test set; see `mtsig_core.experiments.population.whole_p`. Where it is above alpha,
        the order that conclusions are held against may itself be chance.
    """

    a: str
    b: str
    delta: float
    size: int
    right: Rate
    wrong: Rate
    whole_p: float


@dataclass(frozen=True)
class Level:
    """Conclusions whose larger share of wins lies in one range, right or wrong by the whole test set.

    Attributes
    ----------
    low, high : float
        The range in percent, the upper end left out; both are 100 for all wins.
    right : Rate
        Of the conclusions in the range. Those on one sample are alike, and its interval goes by samples
        (`clustered_rate`); samples of different sizes overlap, which it leaves out.
    """

    low: float
    high: float
    right: Rate


@dataclass(frozen=True)
class Conclusions:
    """Conclusions from many samples of a test set, held against the whole of it.

    Attributes
    ----------
    metric : str
    alpha : float
        Concluded where the larger share of wins is at least 1 - alpha.
    resamples, seed, n_segments : int
    sizes : tuple of int
    samples : tuple of int
        Broad samples of each size.
    rows : tuple of Concluded
        By pair, then size.
    levels : tuple of Level
        Over all pairs and sizes.
    verdicts : mapping of int to ndarray, shape (samples, pairs)
        By size: 1 for a conclusion that is right, -1 for a wrong one, 0 for none; pairs in the order of `rows`.
    """

    metric: str
    alpha: float
    resamples: int
    seed: int
    n_segments: int
    sizes: tuple[int, ...]
    samples: tuple[int, ...]
    rows: tuple[Concluded, ...]
    levels: tuple[Level, ...]
    verdicts: dict[int, np.ndarray] = field(compare=False, repr=False)

    def totals(self, size: int | None = None) -> tuple[Rate, Rate]:
        """Of all samples of a size (by default of all sizes): the share concluded; of those, the share right.

        Intervals go by samples, as `Level.right` does.
        """
        found = np.concatenate([verdicts for of, verdicts in self.verdicts.items() if size in (None, of)])
        sample = np.broadcast_to(np.arange(len(found))[:, None], found.shape)
        some = found != 0
        return clustered_rate(some.ravel(), sample.ravel()), clustered_rate(found[some] == 1, sample[some])

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose order on the whole test set may itself be chance."""
        return tuple(dict.fromkeys((row.a, row.b) for row in self.rows if not significant(row.whole_p, self.alpha)))


def conclusions(testset: TestSet, metric: str | Metric, *, sizes: tuple[int, ...] | None = None, resamples: int = 1000,
                alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
                progress: Progress | None = None,
                found: Callable[[int, int, Conclusions], None] | None = None) -> Conclusions:
    """Conclusions of Koehn's paired bootstrap from broad samples, right or wrong by the whole test set.

    Samples are those of `mtsig_core.experiments.sampling.positions`. Each system is compared with the next
    two by score, which are the nine pairs of Koehn's six systems. Samples are drawn by segment, as in the paper.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.experiments.error_rates.type_one`.
    found : callable, optional
        As there, of the first samples of each size in proportion: wider intervals, and no experiment of its own.
    sizes : tuple of int, optional
        Segments of a sample, by default those of the paper of which the test set gives two samples.
    resamples : int
        Bootstrap samples of each sample.
    alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, or a test set too short for two samples of a size.

    Notes
    -----
    Pairs that differ on the whole test set do differ, a little or much: Table 4 is a calibration over such pairs, not
    a check of the type-I error, so '95% right' is no bound that a level of 95% must meet. A pair with equal scores on
    the whole test set has neither right nor wrong conclusions, and is left out.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 200, "B": ["a b c d e", "a b c d x", "a b x d e", "a b c d x"] * 50},
    ...              {"ref": ["a b c d e"] * 200})
    >>> row, = conclusions(ts, "bleu", resamples=100).rows
    >>> row.a, row.size, row.right.share, row.wrong.share
    ('A', 100, 1.0, 0.0)
    """
    check_level(alpha)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    sizes = tuple(size for size in SIZES if whole.n_segments // size > 1) if sizes is None else tuple(
        check_whole("size", size, 2, 1_000_000) for size in dict.fromkeys(sizes))
    smallest = min(sizes, default=SIZES[0])
    for size in sizes or (smallest,):
        if whole.n_segments // size < 2:
            raise SettingError(f"{whole.n_segments} segments give no two samples of {size}. Expected at least "
                               f"{2 * size} segments, or smaller samples.")
    pairs = nearby_pairs(len(whole.systems))
    pairs = pairs[np.abs(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]]) > rounding(whole.scores)]
    if not len(pairs):
        raise SettingError("All systems have the same score on the whole test set: no conclusion is right or wrong.")
    truth = np.sign(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]])
    p_whole = whole_p(whole.metric, whole.statistics, pairs, whole.documents, seed)
    tasks = [(size, rows) for size in sizes for rows in positions("broad", whole.n_segments, size)]
    # The first of them are of all sizes, in proportion; each has the draws of its number in the list.
    order = np.argsort([(k + 0.5) / (whole.n_segments // size) for size in sizes
                        for k in range(whole.n_segments // size)], kind="stable")

    def one(place: int, _: np.random.Generator) -> _Sampled:
        (size, rows), rng = tasks[order[place]], generator(seed, _STREAM, int(order[place]))
        data = engine.UnitStatistics(whole.metric, whole.statistics[:, rows], Units.segments(size))
        drawn = engine.bootstrap_scores(data, resamples, int(rng.integers(1 << 62)))
        win, lose = win_rates(drawn[pairs[:, 0]] - drawn[pairs[:, 1]])
        decisions = decide_pairs(win - lose, alpha, win=win, lose=lose)
        return np.maximum(win, lose), np.sign(win - lose) * truth, decisions != 0

    def gathered(samples: list[_Sampled]) -> Conclusions:
        done, in_order = order[:len(samples)], np.argsort(order[:len(samples)])
        # each of shape (tasks, pairs); agrees: 1, 0 or -1
        share, agrees, concluded = (np.array(values)[in_order] for values in zip(*samples, strict=True))
        size_of = np.array([size for size, _ in tasks])[done[in_order]]
        verdicts = np.where(concluded, agrees, 0).astype(int)
        rows = []
        for p, (i, j) in enumerate(pairs):
            for size in sizes:
                of_size = verdicts[size_of == size, p]
                right, wrong = (rate(int((of_size == way).sum()), len(of_size)) for way in (1, -1))
                delta = float(abs(whole.scores[i] - whole.scores[j]))
                rows.append(Concluded(whole.systems[i], whole.systems[j], delta, size, right, wrong,
                                      float(p_whole[p])))
        return Conclusions(whole.metric.name, alpha, resamples, seed, whole.n_segments, sizes,
                           tuple(int((size_of == size).sum()) for size in sizes), tuple(rows), _levels(share, agrees),
                           {size: verdicts[size_of == size] for size in sizes})

    return gathered(repeated(one, len(tasks), seed, _STREAM, jobs=jobs, progress=stage(progress, "samples"),
                             found=told(found, len(tasks), gathered)))


def nearby_pairs(n_systems: int) -> np.ndarray:
    """Each system with the next two, shape (pairs, 2).

    Examples
    --------
    >>> nearby_pairs(4).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    return np.array([(i, j) for i in range(n_systems) for j in range(i + 1, min(i + 3, n_systems))])


def _levels(share: np.ndarray, agrees: np.ndarray) -> tuple[Level, ...]:
    """Koehn's Table 4: below 50% (ties between equal halves) nothing is concluded."""
    percent, found = np.round(100 * share, 9), []
    sample = np.broadcast_to(np.arange(len(share))[:, None], share.shape)
    for low, high in zip(_LEVELS, (np.inf, *_LEVELS), strict=False):
        inside = (percent >= low) & (percent < high) & (agrees != 0)
        found.append(Level(low, min(high, 100), clustered_rate(agrees[inside] == 1, sample[inside])))
    return tuple(found)


#-----------------------------------------------------------------------------------------------------------------------
# One pair, metric by metric: which differences each test calls real (Riezler and Maxwell 2005, Table 1).


@dataclass(frozen=True)
class PairTest:
    """What one test says of the pair.

    Attributes
    ----------
    a, b : str
    unit : {"segment", "document"}
    test : str
        A key of `mtsig_core.stats.significance.TESTS` that gives a p.
    p_value : float
        Uncorrected.
    significant : bool
    """

    a: str
    b: str
    unit: str
    test: str
    p_value: float
    significant: bool


@dataclass(frozen=True)
class PairTests:
    """Two systems under one metric.

    Attributes
    ----------
    a, b, metric, signature : str
        The signature is that on the segments tested.
    score_a, score_b, improvement : float
        In points; the improvement is of a over b, positive also where lower scores are better.
    alpha : float
    trials, seed, n_segments : int
    rows : tuple of PairTest
        By unit, then test.
    """

    a: str
    b: str
    metric: str
    signature: str
    score_a: float
    score_b: float
    improvement: float
    alpha: float
    trials: int
    seed: int
    n_segments: int
    rows: tuple[PairTest, ...]

    def p_value(self, unit: str, test: str) -> float | None:
        """None without that unit or test."""
        return next((row.p_value for row in self.rows if (row.unit, row.test) == (unit, test)), None)

    def significant(self, unit: str, test: str) -> bool:
        """False too without that unit or test."""
        return any(row.significant for row in self.rows if (row.unit, row.test) == (unit, test))


def pair_tests(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
               n_segments: int | None = None, trials: int = 9999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
               statistics: np.ndarray | None = None, progress: Progress | None = None) -> PairTests:
    """Every test that gives a p, on one pair, by segment and where there are documents by document.

    The pair is tested on the segments that both its systems have, whatever the others have. Tests of single segments,
    Student's and Wilcoxon's, have no form by document.

    Parameters
    ----------
    testset, metric, a, b, statistics, progress
        As in `mtsig_core.experiments.error_rates.type_one`.
    n_segments : int, optional
        Takes the first broad sample of so many, at most half of them; by default all.
    trials, alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, and for a sample of more than half of the segments.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d x"] * 9 + ["a b c d e"] * 31},
    ...              {"ref": ["a b c d e"] * 40})
    >>> found = pair_tests(ts, "bleu", trials=999)
    >>> found.a, found.improvement > 0, found.p_value("segment", "ar") < 0.05, found.p_value("document", "ar")
    ('A', True, True, None)
    """
    metric = metric_of(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, stage(progress, "counting"))
    if n_segments is not None:
        check_whole("segments", n_segments, 2, testset.n_segments // 2)
        rows = positions("broad", testset.n_segments, n_segments)[0]
        statistics = part_counter(metric, testset, statistics)(rows)
        testset = testset.at(rows.tolist())
    both, two = pair_population(testset, metric, a, b, statistics=statistics)
    a, b = (both.systems[k] for k in two)
    found = {unit: examine_pair(testset, metric, a, b, unit=unit, trials=trials, alpha=alpha, seed=seed, jobs=jobs,
                                statistics=statistics, progress=progress)
             for unit in ("segment", *(["document"] if both.n_documents > 1 else []))}
    one = found["segment"]
    rows = tuple(PairTest(a, b, unit, outcome.test, outcome.p_value, significant(outcome.p_value, alpha))
                 for unit, examined in found.items() for outcome in examined.outcomes
                 if outcome.p_value is not None and (unit == "segment" or not TESTS[outcome.test].of_segments))
    return PairTests(a, b, metric.name, metric.signature(testset), one.score_a, one.score_b, one.sign * one.delta,
                     alpha, trials, seed, one.n, rows)
