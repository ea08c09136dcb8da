"""The numbers of the lecture's scenes; their words are in `mtsig_core.report.lecture_texts`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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
    rate_of,
)
from mtsig_core.experiments.inside_score import SentenceMean, averages, share
from mtsig_core.experiments.sampling import positions, ratio_of_spreads
from mtsig_core.metrics import Metric, MetricLike, direction
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

# A few short sentences of two systems, resampled one by one in the lecture.


ALPHA = 0.05
_CHOICE = 6  # short sentences to draw from, for each that is shown


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A few segments of two systems."""

    testset: TestSet  # only the two systems, on these segments
    metric: Metric
    statistics: np.ndarray  # (2, segments, stats)

    @property
    def n(self) -> int:
        """The number of segments."""
        return self.testset.n_segments

    @property
    def scores(self) -> np.ndarray:
        """Scores of the two systems, in points, shape (2,)."""
        return self.score(self.statistics.sum(axis=1))

    @property
    def observed(self) -> float:
        """score(a) - score(b), in points."""
        a, b = self.scores.tolist()
        return float(a - b)

    @property
    def improvement(self) -> float:
        """The lead of the first system, in points."""
        return direction(self.metric) * self.observed

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Scores of summed statistics, shape (..., stats) -> (...)."""
        return np.asarray(self.metric.score(sums), dtype=np.float64)


def excerpt(testset: TestSet, metric: MetricLike, a: str, b: str, n: int, seed: int) -> Excerpt:
    """Draw short sentences of a test set by the seed, and keep them in the order of the set."""
    if not testset.has_texts:
        raise SettingError(
            f"{testset.name} has scores and no texts: there is no sentence to show. Choose a test set "
            "with texts."
        )
    two = testset.only([a, b])
    outputs = list(two.systems.values())
    complete = np.flatnonzero([all(texts) for texts in zip(*outputs, strict=True)])
    if len(complete) < n:
        raise SettingError(
            f"{testset.name} has {len(complete)} segments with an output of both {a} and {b}. This scene "
            f"needs {n}: choose another pair, or a larger test set."
        )
    lengths = _measure_longest(two)
    shortest_first = complete[np.argsort(lengths[complete], kind="stable")]
    shortest = shortest_first[: _CHOICE * n]
    rows = np.sort(shortest[draw_subset(len(shortest), n, seed, 0)])
    measured = measure(two.take(rows.tolist()), metric).only([a, b])
    return Excerpt(measured.testset, measured.metric, measured.statistics)


def _measure_longest(testset: TestSet) -> np.ndarray:
    """Count the characters of the longest output or reference of each segment."""
    lengths = np.zeros(testset.n_segments, dtype=int)
    for texts in (*testset.systems.values(), *testset.references.values()):
        lengths = np.maximum(lengths, [len(text or "") for text in texts])
    return lengths


def from_blocks(
    draw: Callable[[int], np.ndarray], start: int, stop: int, size: int = BLOCK
) -> np.ndarray:
    """Concatenate draws `start` to `stop` from blocks of a size, shape (stop - start, ...)."""
    first_block = start // size
    last_block = max(first_block, (stop - 1) // size)
    draws = np.concatenate([draw(block) for block in range(first_block, last_block + 1)])
    offset = first_block * size
    selected: np.ndarray = draws[start - offset : stop - offset]
    return selected


def span(values: np.ndarray, *, about: float | None = None) -> dict[str, float]:
    """Choose the bounds of an axis that holds all values with some room.

    The axis reaches as far to both sides of `about`, if that is given.
    """
    low = float(values.min())
    high = float(values.max())
    if about is not None:
        reach = max(about - low, high - about)
        low = about - reach
        high = about + reach
    room = 1.0
    if high > low:
        room = 0.06 * (high - low)
    return {"low": low - room, "high": high + room}


# Three sentences on which the mean of sentence scores and the corpus score disagree.


_MEAN_STREAM = 62
_DRAWS = 10_000


@dataclass(frozen=True)
class ThreeSentences:
    """The case that `averages` finds, sentence by sentence."""

    names: tuple[str, str]  # in the order of the test set: it does not tell which is the better
    outputs: list[tuple[str, str]]
    references: list[str]  # the first of each sentence
    scores: list[tuple[float, float]]  # sentence scores
    mean: tuple[float, float]  # of these
    lengths: list[int]  # tokens of each reference
    #: After each sentence, of both systems: matches of 1- to 4-grams, then how many there are.
    sums: list[tuple[list[int], list[int]]]
    corpus: list[tuple[float, float]]  # corpus scores after each sentence
    disagreements: int  # pairs of the whole test set on which the two disagree, and all
    n_pairs: int
    of_random: Rate  # how often three sentences drawn at random disagree; see `how_often`
    by_corpus: int  # the system that is better by the corpus score, 0 or 1

    @property
    def by_mean(self) -> int:
        """The system that is better by the mean of sentence scores."""
        return 1 - self.by_corpus


def three_sentences(
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    seed: int = 0,
) -> ThreeSentences:
    """Describe the smallest case of a test set that `averages` finds."""
    measured = measure(testset, metric)
    rankings = averages(testset, metric, seed=seed)
    shortest_first = np.argsort(_measure_longest(testset), kind="stable")
    shorter = np.sort(shortest_first[: 3 + testset.n_segments // 10])  # a line each on the stage
    short_case = averages(testset.take(shorter.tolist()), metric, seed=seed).case
    case = short_case or rankings.case
    if case is None or len(case.lines) != 3:
        raise SettingError(
            f"No three sentences of {testset.name} were found on which the mean of sentence scores and "
            "the corpus score disagree. Choose a larger test set."
        )
    systems = list(testset.systems)
    is_in_order = systems.index(case.pair.a) < systems.index(case.pair.b)
    names = (case.pair.a, case.pair.b)
    mean = case.average
    scores = list(case.sentences)
    if not is_in_order:
        names = (case.pair.b, case.pair.a)
        mean = (mean[1], mean[0])
        scores = [(score_b, score_a) for score_a, score_b in scores]
    rows = [testset.lines.index(line) for line in case.lines]
    sentences = measure(testset.only(names).take(rows), metric).only(names)
    outputs = []
    for first, second in zip(*(sentences.testset.systems[name] for name in names), strict=True):
        outputs.append((first or "", second or ""))
    references = [text or "" for text in next(iter(sentences.testset.references.values()))]
    n_grams = [sentences.metric.stat_names.index(f"correct_{n}") for n in (1, 2, 3, 4)]
    n_grams += [sentences.metric.stat_names.index(f"total_{n}") for n in (1, 2, 3, 4)]
    sums = sentences.statistics.cumsum(axis=1)
    corpus = np.asarray(sentences.metric.score(sums)).tolist()
    counts = list(zip(*sums[:, :, n_grams].tolist(), strict=True))
    lengths = [length or 0 for length in case.lengths]
    of_random = how_often(measured, seed)
    return ThreeSentences(
        names=names,
        outputs=outputs,
        references=references,
        scores=scores,
        mean=mean,
        lengths=lengths,
        sums=counts,
        corpus=list(zip(*corpus, strict=True)),
        disagreements=len(rankings.disagreements),
        n_pairs=rankings.n_pairs,
        of_random=of_random,
        by_corpus=0 if is_in_order else 1,
    )


def how_often(measured: Measured, seed: int = 0, draws: int = _DRAWS) -> Rate:
    """Estimate how often the mean of sentence scores and the corpus score disagree.

    Three sentences and two systems are drawn at random; ties disagree with nothing.
    """
    rng = np.random.default_rng([seed, _MEAN_STREAM])
    pairs = engine.all_pairs(len(measured.statistics))
    rows = rng.integers(measured.testset.n_segments, size=(draws, 3))
    all_differ = np.diff(np.sort(rows), axis=1).all(axis=1)
    rows = rows[all_differ]
    drawn_pairs = pairs[rng.integers(len(pairs), size=len(rows))]
    statistics = measured.statistics[drawn_pairs.T[:, :, None], rows]  # (2, draws, 3, stats)
    mean = SentenceMean(measured.metric)
    corpus = measured.metric.score(statistics.sum(axis=2))
    average = mean.score(mean.from_counts(statistics).sum(axis=2))
    disagrees = (corpus[0] - corpus[1]) * (average[0] - average[1]) < 0
    return rate_of(disagrees)


# The bootstrap, one resample at a time (Koehn 2004, sections 3 and 5).


@dataclass(frozen=True, eq=False)
class Resamples(DrawArrays):
    """Bootstrap samples of a few sentences, in the order drawn."""

    arrays = ("weights", "sums", "scores", "improvement")

    weights: np.ndarray  # (samples, segments), how often each sentence is in each
    sums: np.ndarray  # (samples, 2, stats), summed statistics of both systems
    scores: np.ndarray  # (samples, 2), in points
    improvement: np.ndarray  # (samples,), by how much the first system is better

    @property
    def missing(self) -> np.ndarray:
        """Count the sentences that each sample lacks, shape (samples,)."""
        return np.asarray((self.weights == 0).sum(axis=1))

    @property
    def mean_missing(self) -> float:
        """The mean number of sentences that a sample lacks."""
        return float(self.missing.mean())

    @property
    def too_few(self) -> bool:
        """Whether not even one sample lies beyond each bound of a percentile interval."""
        return len(self.scores) < 2 / ALPHA

    def middle(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the percentile intervals of the first system's score and of the improvement.

        Of too few samples, return their range.
        """
        values = np.stack([self.scores[:, 0], self.improvement])
        if self.too_few:
            low = values.min(axis=1)
            high = values.max(axis=1)
        else:
            low, high = percentile(Sample(values.mean(axis=1), values, np.empty((0, 0))), ALPHA)
        score_low, improvement_low = low.tolist()
        score_high, improvement_high = high.tolist()
        return (score_low, score_high), (improvement_low, improvement_high)

    @property
    def share_worse(self) -> float:
        """Share of the samples on which the first system is the worse; ties count for neither."""
        _, lose = win_rates(self.improvement[None])
        return float(lose[0])


def resamples(sentences: Excerpt, seed: int, start: int, stop: int) -> Resamples:
    """Draw bootstrap samples `start` to `stop`, the same for both systems.

    They are the same as in `compare` by segment with this seed.
    """
    units = Units.segments(sentences.n)
    weights = from_blocks(lambda block: bootstrap_weights(units, seed, block), start, stop)
    weights = weights.astype(np.int64)
    sums = np.einsum("rn,sni->rsi", weights, sentences.statistics)
    scores = sentences.score(sums)
    improvement = direction(sentences.metric) * (scores[:, 0] - scores[:, 1])
    return Resamples(weights, sums, scores, improvement)


def expected_missing(n: int) -> float:
    """Compute how many of n sentences a bootstrap sample lacks on average: n (1 - 1/n)^n."""
    return n * (1 - 1 / n) ** n


# Approximate randomization, swap by swap (Riezler and Maxwell 2005, Fig. 1).


@dataclass(frozen=True, eq=False)
class Swaps(DrawArrays):
    """Differences of two systems after swaps of their outputs."""

    arrays = ("swapped", "differences")

    observed: float  # score(a) - score(b) of the outputs as they are, in points
    swapped: np.ndarray  # (trials, segments), 1 where the two outputs are swapped
    differences: np.ndarray  # (trials,)

    @property
    def extreme(self) -> np.ndarray:
        """Differences at least as large as the observed one, either way, shape (trials,)."""
        slack = rounding_error(np.append(self.differences, self.observed)[None])[0]
        return np.asarray(np.abs(self.differences) >= abs(self.observed) - slack)

    @property
    def running_p(self) -> np.ndarray:
        """(c + 1) / (R + 1) after each trial, shape (trials,)."""
        n_extreme = np.cumsum(self.extreme) + 1
        n_permutations = np.arange(2, len(self.differences) + 2)
        return np.asarray(n_extreme / n_permutations)

    @property
    def p(self) -> float:
        """(c + 1) / (R + 1)."""
        return float(
            approximate_randomization(np.array([self.observed]), self.differences[None])[0]
        )


def random_swaps(sentences: Excerpt, seed: int, start: int, stop: int) -> Swaps:
    """Draw trials `start` to `stop`, a fair coin for each sentence.

    The coins are random even where all swaps could be tried.
    """
    swapped = from_blocks(lambda block: toss_coins(sentences.n, seed, block), start, stop)
    moved = np.einsum("rn,sni->sri", swapped.astype(np.int64), sentences.statistics)
    totals = sentences.statistics.sum(axis=1)
    first = totals[0] - moved[0] + moved[1]
    second = totals[1] - moved[1] + moved[0]
    return Swaps(sentences.observed, swapped, sentences.score(first) - sentences.score(second))


def all_swaps(sentences: Excerpt) -> Swaps:
    """Try all 2^n - 1 ways to swap something: then p is exact."""
    units = Units.segments(sentences.n)
    data = UnitStatistics(sentences.metric, sentences.statistics, units)
    assert units.all_swaps is not None, "too many sentences to try all permutations"
    numbers = np.arange(1, units.all_swaps + 1)[:, None]
    is_swapped = numbers >> np.arange(sentences.n) & 1  # bit k of a number swaps sentence k
    differences = swap_differences(data, np.array([[0, 1]]), 1, 0)[0]
    return Swaps(sentences.observed, is_swapped.astype(np.uint8), differences)


# Blocks and broad samples of one system, sample by sample (Koehn 2004, 3.2 to 3.4).


@dataclass(frozen=True, eq=False)
class BlocksAndBroad(DrawArrays):
    """Scores of one system on small test sets cut from a large one."""

    arrays = ("blocks", "broad", "shuffled")

    size: int  # segments in each
    blocks: np.ndarray  # (samples,), in points
    broad: np.ndarray
    shuffled: np.ndarray  # (samples,), of blocks after the segments were put in a random order
    #: (at most 1000,), scores of consecutive stretches of the large set, before and after the
    #: shuffle.
    ribbon: np.ndarray
    shuffled_ribbon: np.ndarray

    def difficulty(self, stretches: np.ndarray) -> np.ndarray:
        """Scale the scores of stretches: 0 for the best on the ribbon, 1 for the worst."""
        scale = np.ptp(self.ribbon) or 1.0
        return np.asarray((self.ribbon.max() - stretches) / scale)

    def ratio(self, kind: str = "blocks", than: str = "broad") -> tuple[float, float, float]:
        """Compare how wide two kinds spread: the ratio and its 95% interval.

        1, 0 and infinity where unknown.
        """
        ratio = ratio_of_spreads(getattr(self, kind), getattr(self, than))
        return ratio or (1.0, 0.0, float("inf"))


def blocks_and_broad(
    testset: TestSet,
    metric: MetricLike,
    system: str,
    size: int = 300,
    seed: int = 0,
) -> BlocksAndBroad:
    """Cut a test set into blocks and into broad samples, as `sampling` does."""
    measured = measure(testset, metric).only([system])
    count = measured.counter()
    n_segments = measured.testset.n_segments

    def score_samples(kind: str, size: int, shuffle_seed: int | None) -> np.ndarray:
        samples = positions(kind, n_segments, size, shuffle_seed)
        scores = [measured.metric.score(count(rows).sum(axis=1)) for rows in samples]
        return np.array(scores, dtype=np.float64)[:, 0]

    stretch = max(2, math.ceil(n_segments / 1000))
    return BlocksAndBroad(
        size=size,
        blocks=score_samples("blocks", size, None),
        broad=score_samples("broad", size, None),
        shuffled=score_samples("blocks", size, seed),
        ribbon=score_samples("blocks", stretch, None),
        shuffled_ribbon=score_samples("blocks", stretch, seed),
    )


# Two equal systems, tested by sentence and by document.


#: Of each test set.
SENTENCES = 400
_DOCUMENTS_STREAM = 60
_BLOCK = 100  # test sets from one generator


@dataclass(frozen=True, eq=False)
class EqualSystems(DrawArrays):
    """Test sets on which two systems are equal in truth."""

    arrays = ("differences", "by_sentence", "by_document")

    #: (tests, sentences), of sentence scores, in standard deviations; neighbours of one document
    #: are alike.
    differences: np.ndarray
    by_sentence: np.ndarray  # (tests,), p of Student's t
    by_document: np.ndarray

    def shades(self, tests: int) -> list[str]:
        """Write the differences of the first tests with a letter each.

        M stands for 0, letters from D to V for steps of a third.
        """
        steps = np.clip(np.rint(3 * self.differences[:tests]), -9, 9).astype(int)
        codes = steps + ord("M")
        return ["".join(map(chr, row)) for row in codes.tolist()]

    def rejected(self) -> tuple[Rate, Rate]:
        """Count the tests that call the two different, by sentence and by document."""
        by_sentence = significant(self.by_sentence, ALPHA)
        by_document = significant(self.by_document, ALPHA)
        return rate_of(by_sentence), rate_of(by_document)


def equal_tests(
    per_document: int, correlation: float, seed: int, start: int, stop: int
) -> EqualSystems:
    """Draw test sets `start` to `stop`: normal differences with mean 0, correlated in documents."""
    n_documents = SENTENCES // per_document

    def draw(block: int) -> np.ndarray:
        rng = np.random.default_rng([seed, _DOCUMENTS_STREAM, block])
        by_document = rng.standard_normal((_BLOCK, n_documents, 1))
        by_sentence = rng.standard_normal((_BLOCK, n_documents, per_document))
        return np.asarray(
            np.sqrt(correlation) * by_document + np.sqrt(1 - correlation) * by_sentence
        )

    documents = from_blocks(draw, start, stop, _BLOCK)
    sentences = documents.reshape(len(documents), -1)
    means = documents.mean(axis=2)
    return EqualSystems(
        sentences,
        student_t(sentences.mean(axis=1), sentences),
        student_t(means.mean(axis=1), means),
    )


def design_effect(per_document: int, correlation: float) -> float:
    """Compute by how much dependence multiplies the variance of a mean: 1 + (m - 1) rho."""
    return 1 + (per_document - 1) * correlation


def expected_by_sentence(per_document: int, correlation: float) -> float:
    """Share of equal pairs that a test by sentence rejects, by the normal distribution."""
    return predicted_rejections(float(np.sqrt(design_effect(per_document, correlation))), ALPHA)


# Fifteen systems, every pair tested.


N_SYSTEMS = 15
N_BETTER = 3
CORRECTIONS_SHOWN = ("none", "bh", "holm", "romano-wolf")
_FAMILY_TRIALS = 2999  # with 999 no p is small enough for Holm's first of 105


def family(
    testset: TestSet,
    metric: MetricLike,
    *,
    better: int = 0,
    n_segments: int | None = None,
    seed: int = 0,
) -> Mixture:
    """Mix the systems of `families`, or of `claims` with better ones among them."""
    return mix_family(
        testset,
        metric,
        N_SYSTEMS,
        better,
        n_segments=n_segments,
        trials=_FAMILY_TRIALS,
        alpha=ALPHA,
        seed=seed,
    )


def tables(mixture: Mixture, seed: int, start: int, stop: int) -> FamilyDecisions:
    """Decide all pairs on test sets `start` to `stop`."""
    stream = CLAIMS_STREAM if mixture.better else FAMILY_STREAM
    decisions = [
        mixture.decide(make_rng(seed, stream, k), ALPHA, CORRECTIONS_SHOWN)
        for k in range(start, stop)
    ]
    return mixture.collect(decisions, CORRECTIONS_SHOWN)


# Two systems of which one is truly better: power.


_POWER_TRIALS = 999
_POWER_STREAM = 61


@dataclass(frozen=True, eq=False)
class Better:
    """Two systems, the first truly better than the second."""

    source: Population  # whose systems are mixed
    #: Of the segments on which the first has the output of the best of them; see `mix_systems`.
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
        """Expected size of significant differences, as a multiple of the true one."""
        return float(exaggeration_at(self.difference, self.error(n), ALPHA, n_effective=n))


@dataclass(frozen=True, eq=False)
class PowerTests(DrawArrays):
    """Test sets on which the two were compared."""

    arrays = ("differences", "p")

    true: float  # the true difference, in points
    differences: np.ndarray  # (tests,), as observed
    p: np.ndarray  # (tests,), of approximate randomization

    @property
    def significant(self) -> np.ndarray:
        """Tests with a significant difference, whichever system it is for, shape (tests,)."""
        return significant(self.p, ALPHA)

    @property
    def power(self) -> Rate:
        """Share of tests with a significant difference."""
        return rate_of(self.significant)

    @property
    def turned(self) -> int:
        """Count significant differences for the worse system (errors of sign, type S)."""
        return int(np.count_nonzero(self.significant & (self.differences < 0)))

    @property
    def running_sizes(self) -> list[float | None]:
        """`mean_size` after each test set."""
        is_significant = self.significant
        sums = np.cumsum(np.abs(self.differences) * is_significant).tolist()
        counts = np.cumsum(is_significant).tolist()
        return [share(total, count) for total, count in zip(sums, counts, strict=True)]

    @property
    def mean_size(self) -> float | None:
        """Mean size of the significant differences, in points; None without a significant one."""
        return self.running_sizes[-1]


def better(testset: TestSet, metric: MetricLike, points: float) -> Better:
    """Mix two systems, of which one is better by so many points, or by as many as possible."""
    source = population(testset, metric)
    share_of_best, difference = share_for(source, points)
    n = source.n_segments
    mixed = mix_systems(source, 2, 1, share_of_best, n, np.random.default_rng(_POWER_STREAM))
    data = engine.UnitStatistics(source.metric, mixed, Units.segments(n))
    left_out_a, left_out_b = engine.jackknife_scores(data)
    spread = np.sqrt(n * (n - 1)) * (left_out_a - left_out_b).std()
    return Better(source, share_of_best, difference, float(spread))


def power_tests(two: Better, n: int, seed: int, start: int, stop: int) -> PowerTests:
    """Test test sets `start` to `stop` of n segments, each with 999 random swaps."""
    mixture = Mixture(two.source, n, 2, 1, two.share, two.difference, _POWER_TRIALS)
    differences = []
    p_values = []
    for k in range(start, stop):
        delta, _, p = mixture.test(make_rng(seed, _POWER_STREAM, k))
        differences.append(delta[0])
        p_values.append(p[0])
    improvements = direction(two.source.metric) * np.array(differences)
    return PowerTests(two.difference, improvements, np.array(p_values))
