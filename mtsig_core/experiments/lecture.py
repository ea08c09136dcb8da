"""The scenes of the lecture: what each draws and shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.error_rates import (
    CLAIMS_STREAM,
    FAMILY_STREAM,
    FamilyDecisions,
    Mixture,
    mix_family,
    predicted_rejections,
    share_for,
)
from mtsig_core.experiments.frame import (
    DrawArrays,
    Population,
    Rate,
    make_rng,
    mix_systems,
    population,
    rate,
)
from mtsig_core.experiments.inside_score import SentenceMean, averages
from mtsig_core.experiments.sampling import positions, ratio_of_spreads
from mtsig_core.metrics import Metric, direction
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import rounding_error
from mtsig_core.stats.engine import Measured, UnitStatistics, measure, swap_differences
from mtsig_core.stats.intervals import Sample, percentile
from mtsig_core.stats.power import exaggeration_at, power_at
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, draw_subset, toss_coins
from mtsig_core.stats.significance import (
    approximate_randomization,
    significant,
    student_t,
    win_rates,
)
from mtsig_core.testset import TestSet

# A few short sentences of two systems, to be resampled one by one before the eyes of a room.


ALPHA = 0.05
_CHOICE = 6  # times as many short sentences as are shown: those of a seed are drawn from these


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A few segments of two systems."""

    testset: TestSet  # only the two systems, on these segments
    metric: Metric
    statistics: np.ndarray  # (2, segments, stats)

    @property
    def n(self) -> int:
        return self.testset.n_segments

    @property
    def scores(self) -> np.ndarray:
        """Of the two, in points, shape (2,)."""
        return self.score(self.statistics.sum(axis=1))

    @property
    def observed(self) -> float:
        """score(a) - score(b), in points."""
        a, b = self.scores.tolist()
        return float(a - b)

    @property
    def improvement(self) -> float:
        """By how much the first system is better, in points."""
        return direction(self.metric) * self.observed

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Scores of summed statistics, shape (..., stats) -> (...)."""
        return np.asarray(self.metric.score(sums), dtype=np.float64)


def excerpt(testset: TestSet, metric: str | Metric, a: str, b: str, n: int, seed: int) -> Excerpt:
    """Short sentences of a test set, drawn by the seed from the shortest that there are, in the
    order of the set.
    """
    if not testset.has_texts:
        raise SettingError(
            f"{testset.name} has scores and no texts: there is no sentence to show. Choose a test set "
            "with texts."
        )
    two = testset.only([a, b])
    columns = [*two.systems.values(), *two.references.values()]
    lengths = np.array(
        [max(len(text or "") for text in texts) for texts in zip(*columns, strict=True)]
    )
    whole = np.flatnonzero([all(texts) for texts in zip(*two.systems.values(), strict=True)])
    if len(whole) < n:
        raise SettingError(
            f"{testset.name} has {len(whole)} segments with an output of both {a} and {b}. This scene "
            f"needs {n}: choose another pair, or a larger test set."
        )
    short = whole[np.argsort(lengths[whole], kind="stable")][: _CHOICE * n]
    seen = measure(
        two.take(np.sort(short[draw_subset(len(short), n, seed, 0)]).tolist()), metric
    ).only([a, b])
    return Excerpt(seen.testset, seen.metric, seen.statistics)


def from_blocks(
    draw: Callable[[int], np.ndarray], start: int, stop: int, size: int = BLOCK
) -> np.ndarray:
    """Draws `start` to `stop` of those that come in blocks of a size, shape (stop - start, ...)."""
    first = start // size
    draws: np.ndarray = np.concatenate(
        [draw(block) for block in range(first, max(first, (stop - 1) // size) + 1)]
    )
    return draws[start - first * size : stop - first * size]


def span(values: np.ndarray, *, about: float | None = None) -> dict[str, float]:
    """Ends of an axis that holds all values with some room, as far to both sides of `about` where
    that is given.
    """
    low, high = float(values.min()), float(values.max())
    if about is not None:
        reach = max(about - low, high - about)
        low, high = about - reach, about + reach
    room = 0.06 * (high - low) or 1.0
    return {"low": low - room, "high": high + room}


# Three sentences of which the mean of sentence scores and the corpus score say the opposite, for a
# lecture.


_MEAN_STREAM, _DRAWS = 62, 10_000


@dataclass(frozen=True)
class ThreeSentences:
    """The case that `averages` finds, sentence by sentence."""

    names: tuple[str, str]  # in the order of the test set: it does not say which is the better
    outputs: list[tuple[str, str]]
    scores: list[tuple[float, float]]  # sentence scores
    mean: tuple[float, float]  # of these
    lengths: list[int]  # tokens of each reference
    #: After each sentence, of both systems: matches of 1- to 4-grams, then how many there are.
    sums: list[tuple[list[int], list[int]]]
    corpus: list[tuple[float, float]]  # corpus scores after each sentence
    disagreements: int  # pairs of the whole test set on which the two disagree, and all
    n_pairs: int
    of_random: Rate  # how often three sentences drawn at random disagree; see `how_often`
    by_corpus: int  # which of the two the corpus score calls the better, 0 or 1

    @property
    def by_mean(self) -> int:
        """Which of the two the mean of sentence scores calls the better."""
        return 1 - self.by_corpus


def three_sentences(
    testset: TestSet,
    metric: str | Metric = "bleu",
    *,
    seed: int = 0,
    statistics: np.ndarray | None = None,
) -> ThreeSentences:
    """The smallest case of a test set, searched for by `averages`."""
    whole = measure(testset, metric, statistics=statistics)
    rankings = averages(testset, metric, seed=seed, statistics=whole.statistics)
    case = rankings.case
    if case is None or len(case.lines) != 3:
        raise SettingError(
            f"No three sentences of {testset.name} were found on which the mean of sentence scores and "
            "the corpus score disagree. Choose a larger test set."
        )
    first, second = sorted((case.pair.a, case.pair.b), key=list(testset.systems).index)
    two, turned = (first, second), 1 if first == case.pair.a else -1
    rows = [testset.lines.index(line) for line in case.lines]
    seen = measure(testset.only(two).take(rows), metric).only(two)
    columns = [
        seen.metric.stat_names.index(f"{kind}_{n}")
        for kind in ("correct", "total")
        for n in (1, 2, 3, 4)
    ]
    sums = seen.statistics.cumsum(axis=1)
    corpus = np.asarray(seen.metric.score(sums))
    outputs = zip(*(seen.testset.systems[name] for name in two), strict=True)
    a, b = case.average[::turned]
    scores = [(one[0], one[1]) for one in (pair[::turned] for pair in case.sentences)]
    return ThreeSentences(
        two,
        [(first or "", second or "") for first, second in outputs],
        scores,
        (a, b),
        [length or 0 for length in case.lengths],
        [(sums[0, k, columns].tolist(), sums[1, k, columns].tolist()) for k in range(3)],
        [(float(corpus[0, k]), float(corpus[1, k])) for k in range(3)],
        len(rankings.disagreements),
        rankings.n_pairs,
        how_often(whole, seed),
        0 if turned == 1 else 1,
    )


def how_often(seen: Measured, seed: int = 0, draws: int = _DRAWS) -> Rate:
    """How often the mean of sentence scores and the corpus score call another of two systems the
    better, where three sentences and two systems are drawn at random; ties disagree with
    nothing.
    """
    rng, pairs = np.random.default_rng([seed, _MEAN_STREAM]), engine.all_pairs(len(seen.statistics))
    rows = rng.integers(seen.testset.n_segments, size=(draws, 3))
    rows = rows[np.diff(np.sort(rows), axis=1).all(axis=1)]  # three that differ
    drawn = seen.statistics[pairs[rng.integers(len(pairs), size=len(rows))].T[:, :, None], rows]
    mean = SentenceMean(seen.metric)
    corpus, average = (
        seen.metric.score(drawn.sum(axis=2)),
        mean.score(mean.from_counts(drawn).sum(axis=2)),
    )
    return rate(
        int(np.count_nonzero((corpus[0] - corpus[1]) * (average[0] - average[1]) < 0)), len(rows)
    )


# The bootstrap, one resample at a time: what a lecture shows of it (Koehn 2004, sections 3 and 5).


@dataclass(frozen=True, eq=False)
class Resamples(DrawArrays):
    """Bootstrap samples of a few sentences, in the order drawn."""

    arrays: ClassVar[tuple[str, ...]] = ("weights", "sums", "scores", "improvement")

    weights: np.ndarray  # (samples, segments), how often each sentence is in each
    sums: np.ndarray  # (samples, 2, stats), summed statistics of both systems
    scores: np.ndarray  # (samples, 2), in points
    improvement: np.ndarray  # (samples,), by how much the first system is better

    @property
    def missing(self) -> np.ndarray:
        """How many sentences each sample lacks, shape (samples,)."""
        return np.asarray((self.weights == 0).sum(axis=1))

    @property
    def mean_missing(self) -> float:
        return float(self.missing.mean())

    @property
    def too_few(self) -> bool:
        """Whether not even one of so many samples lies beyond each end of a percentile interval."""
        return len(self.scores) < 2 / ALPHA

    def middle(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Percentile intervals of the first system's score and of the improvement; the range of too
        few samples.
        """
        drawn = np.stack([self.scores[:, 0], self.improvement])
        low, high = (
            (drawn.min(axis=1), drawn.max(axis=1))
            if self.too_few
            else percentile(Sample(drawn.mean(axis=1), drawn, np.empty((0, 0))), ALPHA)
        )
        (a, d), (b, e) = low.tolist(), high.tolist()
        return (a, b), (d, e)

    @property
    def share_worse(self) -> float:
        """Share of the samples on which the first system is the worse; ties count for neither."""
        return float(win_rates(self.improvement[None])[1][0])


def resamples(shown: Excerpt, seed: int, start: int, stop: int) -> Resamples:
    """Bootstrap samples `start` to `stop`: those of `compare` by segment with this seed, both
    systems by one draw.
    """
    units = Units.segments(shown.n)
    weights = from_blocks(lambda block: bootstrap_weights(units, seed, block), start, stop).astype(
        np.int64
    )
    sums = np.einsum("rn,sni->rsi", weights, shown.statistics)
    scores = shown.score(sums)
    return Resamples(weights, sums, scores, direction(shown.metric) * (scores[:, 0] - scores[:, 1]))


def expected_missing(n: int) -> float:
    """How many of n sentences a bootstrap sample lacks on average: n (1 - 1/n)^n."""
    return n * (1 - 1 / n) ** n


# Approximate randomization, swap by swap: what a lecture shows of it (Riezler and Maxwell 2005,
# Fig. 1).


@dataclass(frozen=True, eq=False)
class Swaps(DrawArrays):
    """Differences of two systems after swaps of their outputs."""

    arrays: ClassVar[tuple[str, ...]] = ("swapped", "differences")

    observed: float  # score(a) - score(b) of the outputs as they are, in points
    swapped: np.ndarray  # (trials, segments), 1 where the two outputs trade places
    differences: np.ndarray  # (trials,)

    @property
    def extreme(self) -> np.ndarray:
        """Differences at least as large as the observed one, either way, shape (trials,)."""
        slack = rounding_error(np.append(self.differences, self.observed)[None])[0]
        return np.asarray(np.abs(self.differences) >= abs(self.observed) - slack)

    @property
    def running_p(self) -> np.ndarray:
        """(c + 1) / (R + 1) after each trial, shape (trials,)."""
        return np.asarray((np.cumsum(self.extreme) + 1) / np.arange(2, len(self.differences) + 2))

    @property
    def p(self) -> float:
        """(c + 1) / (R + 1)."""
        return float(
            approximate_randomization(np.array([self.observed]), self.differences[None])[0]
        )


def random_swaps(shown: Excerpt, seed: int, start: int, stop: int) -> Swaps:
    """Trials `start` to `stop`, a fair coin for each sentence, even where all swaps could be
    tried.
    """
    swapped = from_blocks(lambda block: toss_coins(shown.n, seed, block), start, stop)
    moved = np.einsum("rn,sni->sri", swapped.astype(np.int64), shown.statistics)
    first, second = (
        total - own + other
        for total, own, other in zip(
            shown.statistics.sum(axis=1)[:, None], moved, moved[::-1], strict=True
        )
    )
    return Swaps(shown.observed, swapped, shown.score(first) - shown.score(second))


def all_swaps(shown: Excerpt) -> Swaps:
    """Every way to swap but the one that swaps nothing, 2^n - 1: then p is exact."""
    data = UnitStatistics(shown.metric, shown.statistics, Units.segments(shown.n))
    assert data.units.all_swaps is not None, "too many sentences to try all permutations"
    numbers = np.arange(1, data.units.all_swaps + 1)[:, None]
    return Swaps(
        shown.observed,
        (numbers >> np.arange(shown.n) & 1).astype(np.uint8),
        swap_differences(data, np.array([[0, 1]]), 1, 0)[0],
    )


# Blocks and broad samples of one system, sample by sample: what a lecture shows of them (Koehn
# 2004, 3.2 to 3.4).


@dataclass(frozen=True, eq=False)
class BlocksAndBroad(DrawArrays):
    """Scores of one system on small test sets cut from a large one."""

    arrays: ClassVar[tuple[str, ...]] = ("blocks", "broad", "shuffled")

    size: int  # segments in each
    blocks: np.ndarray  # (samples,), in points
    broad: np.ndarray
    shuffled: np.ndarray  # (samples,), of blocks after the segments were put in a random order
    #: (at most 1000,), scores of consecutive stretches of the large set, before and after the
    #: shuffle.
    ribbon: np.ndarray
    shuffled_ribbon: np.ndarray

    def difficulty(self, stretches: np.ndarray) -> np.ndarray:
        """How hard stretches are: 0 for the best score on the ribbon, 1 for the worst."""
        return np.asarray((self.ribbon.max() - stretches) / (np.ptp(self.ribbon) or 1.0))

    def ratio(self, of: str = "blocks", to: str = "broad") -> tuple[float, float, float]:
        """How many times as wide one lot spreads as another, and its 95% interval; 1, 0 and no end
        where unknown.
        """
        return ratio_of_spreads(getattr(self, of), getattr(self, to)) or (1.0, 0.0, float("inf"))


def blocks_and_broad(
    testset: TestSet,
    metric: str | Metric,
    system: str,
    size: int = 300,
    seed: int = 0,
    statistics: np.ndarray | None = None,
) -> BlocksAndBroad:
    """Cut a test set both ways; the samples are those of
    `mtsig_core.experiments.sampling.sampling`.
    """
    seen = measure(testset, metric, statistics=statistics).only([system])
    counted, n = seen.counter(), seen.testset.n_segments

    def cut(kind: str, size: int, order: int | None) -> np.ndarray:
        rows = positions(kind, n, size, order)
        return np.array(
            [float(np.asarray(seen.metric.score(counted(row).sum(axis=1)))[0]) for row in rows]
        )

    stretch = max(2, -(-n // 1000))
    return BlocksAndBroad(
        size,
        cut("blocks", size, None),
        cut("broad", size, None),
        cut("blocks", size, seed),
        cut("blocks", stretch, None),
        cut("blocks", stretch, seed),
    )


# Two equal systems, tested by sentence and by document.


#: Of each test set.
SENTENCES = 400
_DOCUMENTS_STREAM = 60
_BLOCK = 100  # test sets from one generator


@dataclass(frozen=True, eq=False)
class EqualSystems(DrawArrays):
    """Test sets on which two systems are equal in truth."""

    arrays: ClassVar[tuple[str, ...]] = ("differences", "by_sentence", "by_document")

    #: (tests, sentences), of sentence scores, in standard deviations; neighbours of one document
    #: share a part.
    differences: np.ndarray
    by_sentence: np.ndarray  # (tests,), p of Student's t
    by_document: np.ndarray

    def shades(self, tests: int) -> list[str]:
        """The differences of the first tests, a letter each: M for 0, from D to V in steps of a
        third.
        """
        steps = np.clip(np.rint(3 * self.differences[:tests]), -9, 9).astype(int) + ord("M")
        return ["".join(map(chr, row)) for row in steps.tolist()]

    def rejected(self) -> tuple[Rate, Rate]:
        """Tests that call the two different, by sentence and by document."""
        first, second = (
            rate(int(significant(p, ALPHA).sum()), len(p))
            for p in (self.by_sentence, self.by_document)
        )
        return first, second


def equal_tests(
    per_document: int, correlation: float, seed: int, start: int, stop: int
) -> EqualSystems:
    """Test sets `start` to `stop`: normal differences with mean 0, of which documents share a
    part.
    """

    def draw(block: int) -> np.ndarray:
        rng = np.random.default_rng([seed, _DOCUMENTS_STREAM, block])
        shared = rng.standard_normal((_BLOCK, SENTENCES // per_document, 1))
        own = rng.standard_normal((_BLOCK, SENTENCES // per_document, per_document))
        return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)

    documents = from_blocks(draw, start, stop, _BLOCK)
    sentences, means = documents.reshape(len(documents), -1), documents.mean(axis=2)
    return EqualSystems(
        sentences,
        student_t(sentences.mean(axis=1), sentences),
        student_t(means.mean(axis=1), means),
    )


def design_effect(per_document: int, correlation: float) -> float:
    """The variance of a mean over that of as many independent sentences: 1 + (m - 1) rho."""
    return 1 + (per_document - 1) * correlation


def expected_by_sentence(per_document: int, correlation: float) -> float:
    """Share of equal pairs that a test by sentence rejects, by the normal distribution."""
    return predicted_rejections(float(np.sqrt(design_effect(per_document, correlation))), ALPHA)


# Fifteen systems, every pair tested.


N_SYSTEMS, N_BETTER = 15, 3
CORRECTIONS_SHOWN = ("none", "bh", "holm", "romano-wolf")
_FAMILY_TRIALS = (
    2999  # with 999 no p is small enough for Holm's first of 105: it would find nothing, ever
)


def family(
    testset: TestSet,
    metric: str | Metric,
    *,
    better: int = 0,
    n_segments: int | None = None,
    seed: int = 0,
    statistics: np.ndarray | None = None,
) -> Mixture:
    """What test sets of equal systems, or with better ones among them, are drawn from; as
    `families` and `claims`.
    """
    return mix_family(
        testset,
        metric,
        N_SYSTEMS,
        better,
        n_segments=n_segments,
        trials=_FAMILY_TRIALS,
        alpha=ALPHA,
        seed=seed,
        statistics=statistics,
    )


def tables(mixture: Mixture, seed: int, start: int, stop: int) -> FamilyDecisions:
    """What is claimed on test sets `start` to `stop`."""
    stream = CLAIMS_STREAM if mixture.better else FAMILY_STREAM
    return mixture.collect(
        [
            mixture.decide(make_rng(seed, stream, k), ALPHA, CORRECTIONS_SHOWN)
            for k in range(start, stop)
        ],
        CORRECTIONS_SHOWN,
    )


# Two systems of which one is truly better: power.


_POWER_TRIALS = 999
_POWER_STREAM = 61


@dataclass(frozen=True, eq=False)
class Better:
    """Two systems, the first truly better than the second."""

    whole: Population  # of whose systems both are mixed
    # of the segments on which the first says what the best of them says; see `mix_systems`
    share: float
    difference: float  # in points, of the mixtures
    #: Standard error of the difference times the root of the number of segments, in points; by the
    #: jackknife.
    spread: float

    def error(self, n: int) -> float:
        """Standard error of the difference on test sets of n segments."""
        return self.spread / float(np.sqrt(n))

    def planned(self, n: int) -> float:
        """Power that is planned for n segments."""
        return float(power_at(self.difference, self.error(n), ALPHA, n_effective=n))

    def planned_exaggeration(self, n: int) -> float:
        """How many times the true difference significant ones are expected to be, on average."""
        return float(exaggeration_at(self.difference, self.error(n), ALPHA, n_effective=n))


@dataclass(frozen=True, eq=False)
class PowerTests(DrawArrays):
    """Test sets on which the two were compared."""

    arrays: ClassVar[tuple[str, ...]] = ("differences", "p")

    true: float  # the true difference, in points
    differences: np.ndarray  # (tests,), what was observed, and p of approximate randomization
    p: np.ndarray

    @property
    def significant(self) -> np.ndarray:
        """Tests with a significant difference, whichever system it is for, shape (tests,)."""
        return significant(self.p, ALPHA)

    @property
    def power(self) -> Rate:
        return rate(int(np.count_nonzero(self.significant)), len(self.p))

    @property
    def turned(self) -> int:
        """How many of these are for the worse system (errors of sign, type S)."""
        return int(np.count_nonzero(self.significant & (self.differences < 0)))

    @property
    def running_sizes(self) -> list[float | None]:
        """`mean_size` after each test set."""
        significant = self.significant
        sums, counts = np.cumsum(np.abs(self.differences) * significant), np.cumsum(significant)
        return [
            float(total / count) if count else None
            for total, count in zip(sums, counts, strict=True)
        ]

    @property
    def mean_size(self) -> float | None:
        """Mean size of the significant differences, either way, in points; None where there is
        none.
        """
        return self.running_sizes[-1]


def better(
    testset: TestSet, metric: str | Metric, points: float, *, statistics: np.ndarray | None = None
) -> Better:
    """Mix two systems of those of a test set, so that one is better by so many points, or as many
    as there can be.
    """
    whole = population(testset, metric, statistics=statistics)
    share, difference = share_for(whole, points)
    n = whole.n_segments
    mixed = mix_systems(whole, 2, 1, share, n, np.random.default_rng(_POWER_STREAM))
    a, b = engine.jackknife_scores(engine.UnitStatistics(whole.metric, mixed, Units.segments(n)))
    return Better(whole, share, difference, float(np.sqrt(n * (n - 1)) * (a - b).std()))


def power_tests(two: Better, n: int, seed: int, start: int, stop: int) -> PowerTests:
    """Test sets `start` to `stop` of n segments, drawn with replacement, each tested with 999
    random swaps.
    """
    mixture = Mixture(two.whole, n, 2, 1, two.share, two.difference, _POWER_TRIALS)
    tested = [mixture.test(make_rng(seed, _POWER_STREAM, k)) for k in range(start, stop)]
    differences, p = (np.array([one[place][0] for one in tested]) for place in (0, 2))
    return PowerTests(two.difference, direction(two.whole.metric) * differences, p)
