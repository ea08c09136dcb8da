"""Are conclusions from small test sets right, and do intervals hold the true score? (Koehn 2004, section 7.)"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    Rate,
    Simulation,
    clustered_rate,
    column,
    derived,
    make_rng,
    rate,
    run_repeats,
)
from mtsig_core.experiments.population import Population, draw_pair, pair_population, population, whole_p
from mtsig_core.experiments.sampling import positions
from mtsig_core.metrics import Metric, part_counter, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import rounding_error
from mtsig_core.stats.engine import segment_scores
from mtsig_core.stats.intervals import Sample, fitting_intervals
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_level, check_whole
from mtsig_core.stats.significance import TESTS, decide_pairs, significant, win_rates
from mtsig_core.testset import TestSet

# Coverage: how often an interval from a small test set holds the score of the large one it was drawn from.


_SEGMENTS, _DOCUMENTS = 300, 30  # of a test set
_SEGMENT_STREAM, _DOCUMENT_STREAM = 30, 31

_Ends = tuple[str, str, str, float, float]  # unit, kind, quantity, low, high
_Covering = tuple[str, str, str, str, float, float]  # what the test set was drawn by, and those


@dataclass(frozen=True)
class Covered:
    """How often one kind of interval holds the true value."""

    sampled: str  # what test sets are drawn by: segment or document
    unit: str  # what the bootstrap draws: segment or document
    kind: str  # a key of `mtsig_core.stats.intervals.INTERVALS`
    quantity: str  # score of system A, or its difference to B
    covered: Rate
    width: float  # mean width in points


@dataclass(frozen=True, kw_only=True)
class Coverage(Simulation):
    """Coverage of every kind of interval; they have level 1 - alpha."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Covered}

    a: str
    b: str
    repeats: int
    resamples: int
    n_segments: int  # drawn for each test set
    n_documents: int | None  # None without document ids
    rows: tuple[Covered, ...]


def coverage(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
             repeats: int = 1000, n_segments: int | None = None, n_documents: int | None = None, resamples: int = 1000,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None,
             watch: Callable[[int, int, Coverage], None] | None = None) -> Coverage:
    """Coverage of the intervals of one score and of one difference, on test sets drawn by segment and by document."""
    check_level(alpha)
    check_whole("repeats", repeats, 1, 1_000_000)
    check_whole("resamples", resamples, 20, 1_000_000)
    draws = draw_pair(testset, metric, a, b, n_segments, n_documents, (_SEGMENTS, _DOCUMENTS), "test sets",
                      statistics=statistics, progress=progress)
    whole = draws.whole
    truth = {"score": draws.scores[0], "difference": draws.scores[0] - draws.scores[1]}

    def repeat(k: int, rng: np.random.Generator) -> list[_Covering]:
        sets = draws.draw_sets(rng, make_rng(seed, _DOCUMENT_STREAM, k))
        return [(sampled, *ends) for sampled, both, units, key in sets
                for ends in _ends(whole.metric, both, units, resamples, alpha, key)]

    def gather(sets: list[list[_Covering]]) -> Coverage:
        rows = []
        for intervals in zip(*sets, strict=True):
            sampled, unit, kind, quantity = intervals[0][:4]
            low, high = np.array([ends[4:] for ends in intervals], dtype=float).T
            hits = int(((low <= truth[quantity]) & (truth[quantity] <= high)).sum())
            rows.append(Covered(sampled, unit, kind, quantity, rate(hits, len(sets)), float(np.mean(high - low))))
        return Coverage(metric=whole.metric.name, alpha=alpha, seed=seed, a=draws.names[0], b=draws.names[1],
                        repeats=len(sets), resamples=resamples, n_segments=draws.n_segments,
                        n_documents=draws.n_documents, rows=tuple(rows))

    return run_repeats(repeat, gather, repeats, seed, _SEGMENT_STREAM, jobs=jobs,
                       progress=report_stage(progress, "test sets"), watch=watch)


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


# Are conclusions from small test sets those of a much larger one? (Koehn 2004, section 7, Tables 3 and 4.)


#: Segments of a sample in Koehn's Table 3.
CONCLUSION_SIZES = (100, 300, 600, 3000)
#: Lower ends of the levels in Koehn's Table 4, in percent; the first is 100% itself.
_LEVELS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
_STREAM = 20
_Sampled = tuple[np.ndarray, np.ndarray, np.ndarray]  # by pair: larger share of wins, the way it goes, if concluded


@dataclass(frozen=True)
class Concluded:
    """Conclusions on one pair from samples of one size, no two of which share a segment: right is as the whole test
    set, whose own order may be chance where its p is above alpha."""

    a: str = field(metadata=column("better", "name"))
    b: str = field(metadata=column("worse", "name"))
    #: On the whole test set, in points, positive where higher is better.
    delta: float = field(metadata=column("difference", "amount"))
    size: int  # segments of a sample
    right: Rate = field(metadata=column("as the whole set", "estimate", ".1%"))
    wrong: Rate = field(metadata=column("opposite", "estimate", ".1%"))
    whole_p: float = field(metadata=column("p of the whole set", "p"))


@dataclass(frozen=True)
class Level:
    """Conclusions whose larger share of wins lies in one range of percent, and how many are right; intervals go by
    samples (`clustered_rate`), and do not take into account that samples of different sizes overlap."""

    low: float
    high: float  # not in the range, except where both ends are 100, for all wins
    right: Rate = field(metadata=column("as the whole set", "estimate", ".1%"))

    @derived("share of wins")
    def level(self) -> str:
        """As Koehn prints it, such as 95%-97.9%."""
        return "100%" if self.low == 100 else f"{self.low:g}%-{self.high - 0.1:.1f}%"

    @derived("conclusions", "count")
    def n(self) -> int:
        return self.right.n


@dataclass(frozen=True, kw_only=True)
class Conclusions(Simulation):
    """Conclusions from many samples of a test set, held against the whole of it."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Concluded, "levels": Level}

    resamples: int
    n_segments: int
    sizes: tuple[int, ...]
    samples: tuple[int, ...]  # of each size
    rows: tuple[Concluded, ...]  # by pair, then size
    levels: tuple[Level, ...]  # over all pairs and sizes
    #: By size, of shape (samples, pairs): 1 for a right conclusion, -1 for a wrong one, 0 for none.
    verdicts: dict[int, np.ndarray] = field(compare=False, repr=False)

    def totals(self, size: int | None = None) -> tuple[Rate, Rate]:
        """Of all samples of a size (by default of all sizes): the share concluded; of those, the share right."""
        verdicts = np.concatenate([some for n, some in self.verdicts.items() if size in (None, n)])
        sample = np.broadcast_to(np.arange(len(verdicts))[:, None], verdicts.shape)
        concluded = verdicts != 0
        return (clustered_rate(concluded.ravel(), sample.ravel()),
                clustered_rate(verdicts[concluded] == 1, sample[concluded]))

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose order on the whole test set may itself be chance."""
        return tuple(dict.fromkeys((row.a, row.b) for row in self.rows if not significant(row.whole_p, self.alpha)))


def conclusions(testset: TestSet, metric: str | Metric, *, sizes: tuple[int, ...] | None = None, resamples: int = 1000,
                alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
                progress: Progress | None = None,
                watch: Callable[[int, int, Conclusions], None] | None = None) -> Conclusions:
    """Conclusions of Koehn's paired bootstrap from broad samples by segment, right or wrong by the whole test set.

    Each system is compared with the next two by score, which are the nine pairs of Koehn's six systems; pairs with
    equal scores are left out. All pairs do differ, a little or much, so this is no check of the type-I error.
    """
    check_level(alpha)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    sizes = _settle_sizes(whole.n_segments, sizes)
    pairs = _differing_pairs(whole)
    truth = np.sign(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]])
    p_whole = whole_p(whole.metric, whole.statistics, pairs, whole.documents, seed)
    tasks = [(size, rows) for size in sizes for rows in positions("broad", whole.n_segments, size)]
    # The first of them are of all sizes, in proportion; each has the draws of its number in the list.
    order = np.argsort([(k + 0.5) / (whole.n_segments // size) for size in sizes
                        for k in range(whole.n_segments // size)], kind="stable")

    def repeat(place: int, _: np.random.Generator) -> _Sampled:
        (size, rows), rng = tasks[order[place]], make_rng(seed, _STREAM, int(order[place]))
        data = engine.UnitStatistics(whole.metric, whole.statistics[:, rows], Units.segments(size))
        drawn = engine.bootstrap_scores(data, resamples, int(rng.integers(1 << 62)))
        win, lose = win_rates(drawn[pairs[:, 0]] - drawn[pairs[:, 1]])
        decisions = decide_pairs(win - lose, alpha, win=win, lose=lose)
        return np.maximum(win, lose), np.sign(win - lose) * truth, decisions != 0

    def gather(samples: list[_Sampled]) -> Conclusions:
        done, in_order = order[:len(samples)], np.argsort(order[:len(samples)])
        # each of shape (tasks, pairs); agrees: 1, 0 or -1
        share, agrees, concluded = (np.array(values)[in_order] for values in zip(*samples, strict=True))
        size_of = np.array([size for size, _ in tasks])[done[in_order]]
        verdicts = np.where(concluded, agrees, 0).astype(int)
        by_size = {size: verdicts[size_of == size] for size in sizes}
        return Conclusions(
            metric=whole.metric.name, alpha=alpha, seed=seed, resamples=resamples, n_segments=whole.n_segments,
            sizes=sizes, samples=tuple(len(some) for some in by_size.values()),
            rows=_conclude(whole, pairs, by_size, p_whole), levels=_levels(share, agrees), verdicts=by_size)

    return run_repeats(repeat, gather, len(tasks), seed, _STREAM, jobs=jobs, progress=report_stage(progress, "samples"),
                       watch=watch)


def _settle_sizes(n_segments: int, sizes: tuple[int, ...] | None) -> tuple[int, ...]:
    """The sizes asked for, by default those of the paper of which the test set gives two samples."""
    sizes = tuple(size for size in CONCLUSION_SIZES if n_segments // size > 1) if sizes is None else tuple(
        check_whole("size", size, 2, 1_000_000) for size in dict.fromkeys(sizes))
    for size in sizes or CONCLUSION_SIZES[:1]:
        if n_segments // size < 2:
            raise SettingError(f"{n_segments} segments give no two samples of {size}. Expected at least {2 * size} "
                               "segments, or smaller samples.")
    return sizes


def _differing_pairs(whole: Population) -> np.ndarray:
    """Nearby pairs of systems whose scores on the whole test set differ, shape (pairs, 2)."""
    pairs = nearby_pairs(len(whole.systems))
    apart = np.abs(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]]) > rounding_error(whole.scores)
    pairs = np.asarray(pairs[apart])
    if not len(pairs):
        raise SettingError("All systems have the same score on the whole test set: no conclusion is right or wrong.")
    return pairs


def _conclude(whole: Population, pairs: np.ndarray, by_size: Mapping[int, np.ndarray],
              p_whole: np.ndarray) -> tuple[Concluded, ...]:
    """A row for each pair and size, from verdicts of shape (samples, pairs)."""
    rows = []
    for p, (i, j) in enumerate(pairs):
        delta = float(abs(whole.scores[i] - whole.scores[j]))
        for size, verdicts in by_size.items():
            right, wrong = (rate(int((verdicts[:, p] == way).sum()), len(verdicts)) for way in (1, -1))
            rows.append(Concluded(whole.systems[i], whole.systems[j], delta, size, right, wrong, float(p_whole[p])))
    return tuple(rows)


def nearby_pairs(n_systems: int) -> np.ndarray:
    """Each system with the next two, shape (pairs, 2).

    >>> nearby_pairs(4).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    return np.array([(i, j) for i in range(n_systems) for j in range(i + 1, min(i + 3, n_systems))])


def _levels(share: np.ndarray, agrees: np.ndarray) -> tuple[Level, ...]:
    """Koehn's Table 4: below 50% (ties between equal halves) nothing is concluded."""
    percent, levels = np.round(100 * share, 9), []
    sample = np.broadcast_to(np.arange(len(share))[:, None], share.shape)
    for low, high in zip(_LEVELS, (np.inf, *_LEVELS), strict=False):
        inside = (percent >= low) & (percent < high) & (agrees != 0)
        levels.append(Level(low, min(high, 100), clustered_rate(agrees[inside] == 1, sample[inside])))
    return tuple(levels)


# One pair, metric by metric: which differences each test calls real (Riezler and Maxwell 2005, Table 1).


@dataclass(frozen=True)
class PairTest:
    """What one test says of the pair, by segment or by document; p is uncorrected."""

    a: str
    b: str
    unit: str
    test: str  # a key of `mtsig_core.stats.significance.TESTS` that gives a p
    p_value: float
    significant: bool


@dataclass(frozen=True, kw_only=True)
class AllPairTests(Simulation):
    """Two systems under one metric; the signature is that on the segments tested."""

    tables: ClassVar[Mapping[str, type]] = {"rows": PairTest}

    a: str
    b: str
    signature: str
    score_a: float
    score_b: float
    improvement: float  # of a over b in points, positive also where lower scores are better
    trials: int
    n_segments: int
    rows: tuple[PairTest, ...]  # by unit, then test

    def p_value(self, unit: str, test: str) -> float | None:
        """None without that unit or test."""
        return next((row.p_value for row in self.rows if (row.unit, row.test) == (unit, test)), None)

    def significant(self, unit: str, test: str) -> bool:
        """False too without that unit or test."""
        return any(row.significant for row in self.rows if (row.unit, row.test) == (unit, test))


def pair_tests(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
               n_segments: int | None = None, trials: int = 9999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
               statistics: np.ndarray | None = None, progress: Progress | None = None) -> AllPairTests:
    """Every test that gives a p, on one pair, by segment and where there are documents by document.

    By default on all segments: `n_segments` takes the first broad sample of so many, at most half of them.
    """
    metric = resolve_metric(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, report_stage(progress, "counting"))
    if n_segments is not None:
        check_whole("segments", n_segments, 2, testset.n_segments // 2)
        rows = positions("broad", testset.n_segments, n_segments)[0]
        statistics = part_counter(metric, testset, statistics)(rows)
        testset = testset.take(rows.tolist())
    both, two = pair_population(testset, metric, a, b, statistics=statistics)
    a, b = (both.systems[k] for k in two)
    by_unit = {unit: examine_pair(testset, metric, a, b, unit=unit, trials=trials, alpha=alpha, seed=seed, jobs=jobs,
                                  statistics=statistics, progress=progress)
               for unit in ("segment", *(["document"] if both.n_documents > 1 else []))}
    one = by_unit["segment"]
    rows = tuple(PairTest(a, b, unit, outcome.test, outcome.p_value, significant(outcome.p_value, alpha))
                 for unit, examined in by_unit.items() for outcome in examined.outcomes
                 if outcome.p_value is not None and (unit == "segment" or not TESTS[outcome.test].of_segments))
    return AllPairTests(metric=metric.name, alpha=alpha, seed=seed, a=a, b=b, signature=metric.signature(testset),
                        score_a=one.score_a, score_b=one.score_b, improvement=one.sign * one.delta, trials=trials,
                        n_segments=one.n, rows=rows)
