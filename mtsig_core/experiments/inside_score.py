"""Inside a score: n-gram precisions, lengths, means of sentence scores, signatures.

The questions come from Koehn (2004) and Post (2018).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    Experiment,
    Simulation,
    check_seed,
    column,
    derived,
    pair_ends,
    table_row,
)
from mtsig_core.experiments.papers import KOEHN_T2
from mtsig_core.metrics import (
    Metric,
    MetricLike,
    direction,
    divide_sums,
    find_tokenizer,
    is_adapted,
    is_segment_mean,
    resolve_metric,
)
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.metrics.overlap import Tokenize, align, bleu_tokens
from mtsig_core.progress import Progress, report_stage
from mtsig_core.simulation.corpus import KOEHN_SYSTEMS, outputs
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import pair_differences
from mtsig_core.stats.comparison import ScoreBootstrap, bootstrap_measured
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.resampling import draw_subset
from mtsig_core.stats.settings import resolve_sampling
from mtsig_core.testset import TestSet

# The mean of sentence scores, as a metric.


@dataclass(frozen=True)
class SentenceMean:
    """The mean over segments of a corpus metric's score of each.

    Statistics are (score, 1), or (0, 0) where a segment has no score.
    """

    of: Metric

    stat_names: ClassVar[tuple[str, ...]] = ("score", "count")
    is_segment_mean: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name of the metric, marked as a mean of sentences."""
        return f"sentence-{self.of.name}"

    @property
    def higher_is_better(self) -> bool:
        """The direction of the metric."""
        return self.of.higher_is_better

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Count as `Metric.statistics`, shape (systems, segments, 2), float64."""
        return self.from_counts(cached_statistics(self.of, testset, progress))

    def from_counts(self, statistics: np.ndarray) -> np.ndarray:
        """Turn statistics of the corpus metric, shape (systems, segments, stats), into these."""
        scores = np.asarray(self.of.score(statistics), dtype=np.float64)
        is_known = np.isfinite(scores)
        return np.stack([np.where(is_known, scores, 0.0), is_known.astype(np.float64)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Return the mean, shape (...); NaN where no segment has a score."""
        return divide_sums(sums)

    def signature(self, testset: TestSet) -> str:
        """Sign as the metric, smoothing included.

        For BLEU the smoothing is sacreBLEU's ``exp`` without effective order.
        """
        return f"mean-of-sentences|{self.of.signature(testset)}"


# The components of BLEU: n-gram precisions, length ratio and brevity penalty (Koehn 2004, Table 1).


#: Lengths of n-grams that BLEU counts.
NGRAM_ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class SystemPrecisions:
    """The components of one system's BLEU."""

    system: str
    #: Percent of its n-grams that a reference has too, each counted as often as there; None without
    #: any n-gram.
    p1: float | None
    p2: float | None
    p3: float | None
    p4: float | None
    length_ratio: float | None  # words of the output per word of the reference
    brevity_penalty: float  # from 0 to 1
    # in points: brevity penalty x geometric mean of the precisions, where none of them is 0
    bleu: float


def precisions(
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    progress: Progress | None = None,
) -> tuple[SystemPrecisions, ...]:
    """Compute the components of BLEU for every system, best first."""
    metric = check_bleu(testset, metric)
    statistics = cached_statistics(metric, testset, progress)
    sums = statistics.sum(axis=1)
    scores = metric.score(sums).tolist()
    rows = []
    for name, row, points in zip(testset.systems, sums, scores, strict=True):
        counts = counts_of(metric, row)
        p1, p2, p3, p4 = (
            share(100 * counts[f"correct_{n}"], counts[f"total_{n}"]) for n in NGRAM_ORDERS
        )
        length_ratio = share(counts["sys_len"], counts["ref_len"])
        penalty = brevity_penalty(counts["sys_len"], counts["ref_len"])
        rows.append(SystemPrecisions(name, p1, p2, p3, p4, length_ratio, penalty, points))
    return tuple(sorted(rows, key=lambda row: -row.bleu))


def check_bleu(testset: TestSet, metric: MetricLike) -> Metric:
    """Return BLEU for this test set, or raise a `SettingError`."""
    metric = resolve_metric(testset, metric)
    if metric.name != "bleu":
        raise SettingError(
            f"{metric.name} has no n-gram precisions and brevity penalty. Expected bleu."
        )
    if is_adapted(metric):
        raise SettingError(
            f"{metric.name} of another package does not name its counts of n-grams. Expected bleu of "
            "mtsig."
        )
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one.", {"system": "FILE"})
    return metric


def counts_of(metric: Metric, row: np.ndarray) -> Mapping[str, int]:
    """One row of BLEU's statistics, shape (10,), by their names."""
    return dict(zip(metric.stat_names, row.tolist(), strict=True))


def brevity_penalty(sys_len: float, ref_len: float) -> float:
    """min(1, exp(1 - r/c)) (Papineni et al. 2002, 2.3); 0 without any word.

    >>> round(brevity_penalty(6, 7), 4), brevity_penalty(8, 7)
    (0.8465, 1.0)
    """
    if sys_len <= 0:
        return 0.0
    return min(1.0, math.exp(1 - ref_len / sys_len))


def share(count: float, total: float) -> float | None:
    """Return the ratio; None if the total is 0."""
    return count / total if total > 0 else None


# BLEU of one sentence, step by step; and the example of a reading note, which has errors.


#: The sentence pair of the note.
NOTE_OUTPUT = "Israeli officials responsibility of airport safety"
NOTE_REFERENCE = "Israeli officials are responsible for airport security"


@dataclass(frozen=True)
class Claim:
    """One number of the note, and what is wrong with it."""

    what: str
    printed: str
    value: float
    about: str


#: BLEU on a scale of 0 to 1.
NOTE_CLAIMS = (
    Claim(
        "brevity penalty",
        "6/7",
        6 / 7,
        "The ratio of the lengths, where the definition in the same note has exp(1 - 7/6).",
    ),
    Claim(
        "BLEU-1",
        "0.42",
        0.42,
        "3/6 x 6/7 is 0.429; with the right penalty it happens to be what is printed.",
    ),
    Claim(
        "BLEU-2",
        "0.085",
        0.085,
        "3/6 x 1/5 x 6/7: the square root is missing that makes it a geometric mean.",
    ),
)


@dataclass(frozen=True)
class NgramCount:
    """An n-gram of the output.

    The counts are those in the output, the largest in one reference, and the smaller of both.
    """

    ngram: str
    in_output: int
    in_reference: int
    clipped: int


@table_row
class Step:
    """N-grams of one length."""

    n: int = column("n", "count")
    matched: int  # clipped matches, and n-grams of the output; by BLEU's own counting
    total: int
    #: From 0 to 1; None without any n-gram.
    precision: float | None = column("precision", "share")
    #: BLEU-n without smoothing: the brevity penalty times the n-th root of the product of the
    #: precisions so far.
    bleu: float = column("BLEU-n", "share")
    #: N-grams of the output that a reference has, in the order of the output; counted apart from
    #: BLEU.
    ngrams: tuple[NgramCount, ...]

    @derived("n-grams also in a reference (times counted)")
    def shared(self) -> str:
        """The shared n-grams with their counts."""
        counts = [f"{row.ngram} ({row.clipped})" for row in self.ngrams]
        return " · ".join(counts) or "none"

    @derived("matched / all", "written")
    def fraction(self) -> str:
        """The precision as a fraction."""
        return f"{self.matched}/{self.total}"


@dataclass(frozen=True)
class WorkedExample:
    """BLEU of one sentence."""

    system: str
    line: int
    output: str
    references: tuple[str, ...]
    sys_len: int  # in tokens; of several references the one nearest in length
    ref_len: int
    brevity_penalty: float
    steps: tuple[Step, ...]
    bleu: float  # in points, smoothed as the signature says
    signature: str


def worked_example(
    testset: TestSet, system: str | None, line: int, metric: MetricLike = "bleu"
) -> WorkedExample:
    """Compute BLEU of one line of one system, step by step."""
    metric = check_bleu(testset, metric)
    if system is None:
        system = next(iter(testset.systems))
    if line not in testset.lines:
        raise SettingError(
            f"{testset.name} has no line {line}. It has {testset.n_segments}, from {testset.lines[0]} "
            f"to {testset.lines[-1]}."
        )
    sentence = testset.only([system]).take([testset.lines.index(line)])
    row = metric.statistics(sentence)[0, 0]
    counts = counts_of(metric, row)
    penalty = brevity_penalty(counts["sys_len"], counts["ref_len"])
    output = sentence.systems[system][0]
    references = tuple(texts[0] for texts in sentence.references.values() if texts[0] is not None)
    texts = [output, *references]
    if getattr(metric, "lowercase", False):
        texts = [text.lower() for text in texts]
    split = tokens_of(metric, sentence)
    output_tokens, *reference_tokens = (split(text) for text in texts)
    steps: list[Step] = []
    product = 1.0
    for n in NGRAM_ORDERS:
        matched = counts[f"correct_{n}"]
        total = counts[f"total_{n}"]
        precision = share(matched, total)
        product *= precision or 0.0
        ngrams = _count_shared(output_tokens, reference_tokens, n)
        steps.append(Step(n, matched, total, precision, penalty * product ** (1 / n), ngrams))
    return WorkedExample(
        system=system,
        line=line,
        output=output,
        references=references,
        sys_len=counts["sys_len"],
        ref_len=counts["ref_len"],
        brevity_penalty=penalty,
        steps=tuple(steps),
        bleu=float(metric.score(row)),
        signature=metric.signature(testset),
    )


def note_example(metric: MetricLike = "bleu", tokenizer: str | None = None) -> WorkedExample:
    """The sentence pair of the note, with the right numbers.

    >>> result = note_example()
    >>> round(result.brevity_penalty, 4), [round(step.bleu, 3) for step in result.steps[:2]]
    (0.8465, [0.423, 0.268])
    """
    note = TestSet(
        "the note's example",
        {"output": [NOTE_OUTPUT]},
        {"reference": [NOTE_REFERENCE]},
        tokenizer=tokenizer,
    )
    return worked_example(note, "output", 1, metric)


def tokens_of(metric: Metric, testset: TestSet) -> Tokenize:
    """Return the function by which BLEU splits a text of this test set."""
    return bleu_tokens(find_tokenizer(metric, testset))


def _count_shared(
    output: Sequence[str], references: Sequence[Sequence[str]], n: int
) -> tuple[NgramCount, ...]:
    in_references = [_count_ngrams(tokens, n) for tokens in references]
    rows = []
    for ngram, count in _count_ngrams(output, n).items():
        most = max(counts[ngram] for counts in in_references)
        if most:
            rows.append(NgramCount(ngram, count, most, min(count, most)))
    return tuple(rows)


def _count_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    return Counter(" ".join(tokens[k : k + n]) for k in range(len(tokens) - n + 1))


# The mean of sentence scores and the corpus score: systems that they rank differently, and a case.


_SIZES = (3, 5, 10, 30)  # segments of a case, the smallest first
_TRIES = 3000  # random sets of segments of each size
_LEAST = 0.5  # points by which both sides of a case must differ


@table_row
class SystemAverage:
    """One system by its corpus score and by the mean of its sentence scores, in points."""

    system: str = column("system", "name")
    corpus: float = column("corpus score", "score", "*")
    average: float = column("mean of sentence scores", "score", "*")
    corpus_place: int = column("place", "count")
    average_place: int = column("place", "count")


@dataclass(frozen=True)
class Disagreement:
    """A pair of which a is better by the corpus score, b by the mean of sentence scores."""

    a: str
    b: str
    corpus_delta: float  # improvement of a over b by each, in points: above 0, and below 0
    average_delta: float


@dataclass(frozen=True)
class Case:
    """A few segments on which the two disagree on a pair."""

    pair: Disagreement
    corpus: tuple[float, float]  # scores of a and b on these segments
    average: tuple[float, float]
    lines: tuple[int, ...]  # as in `TestSet.lines`
    sentences: tuple[tuple[float, float], ...]  # sentence scores of a and b on each
    #: Tokens of the reference; None where the metric does not count them.
    lengths: tuple[int | None, ...]


@dataclass(frozen=True, kw_only=True)
class Averages(Experiment):
    """Systems by their corpus score and by the mean of their sentence scores."""

    tables = {"systems": SystemAverage}

    signature: str  # of the sentence scores, with their smoothing
    n_segments: int
    n_pairs: int
    #: Share of all sentences whose BLEU is 0 without smoothing, as no four-gram matches; None for
    #: other metrics.
    unsmoothed_zeros: float | None
    systems: tuple[SystemAverage, ...]  # best corpus score first
    disagreements: tuple[Disagreement, ...]  # on the whole test set, largest differences first
    case: Case | None  # None where no small set of segments shows a disagreement

    @property
    def has_only_case(self) -> bool:
        """Whether a small set of segments shows a disagreement, and the whole test set none."""
        return self.case is not None and not self.disagreements


def averages(
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Averages:
    """Rank systems by the corpus score and by the mean of sentence scores, and find a disagreement.

    The case is searched among random sets of 3, 5, 10 and 30 segments: of the smallest size that
    has any, the one whose smaller difference is largest. For BLEU every output in it has a
    four-gram.
    """
    check_seed(seed)
    metric = resolve_metric(testset, metric)
    if is_segment_mean(metric):
        raise SettingError(
            f"{metric.name} is a mean of segment scores: its corpus score is their average. Choose a "
            "metric of summed counts, such as bleu."
        )
    if len(testset.systems) < 2:
        raise SettingError(f"{len(testset.systems)} system to rank. Give at least two.")
    statistics = cached_statistics(metric, testset, progress)
    mean = SentenceMean(metric)
    scored = _BothScores(testset, metric, mean, statistics, mean.from_counts(statistics))
    corpus, average = scored.of_segments(np.arange(testset.n_segments))
    sign = direction(metric)
    columns = [
        testset.systems,
        corpus.tolist(),
        average.tolist(),
        _rank(sign * corpus),
        _rank(sign * average),
    ]
    rows = [SystemAverage(*row) for row in zip(*columns, strict=True)]
    rows.sort(key=lambda row: row.corpus_place)
    matches = scored.column("correct_4")
    unsmoothed_zeros = None
    if matches is not None:
        unsmoothed_zeros = float((matches == 0).mean())
    disagreements = _list_disagreements(scored, sign * corpus, sign * average)
    case = _find_case(scored, seed, progress)
    return Averages(
        metric=metric.name,
        signature=mean.signature(testset),
        n_segments=testset.n_segments,
        n_pairs=len(scored.pairs),
        unsmoothed_zeros=unsmoothed_zeros,
        systems=tuple(rows),
        disagreements=tuple(disagreements),
        case=case,
    )


@dataclass(frozen=True, eq=False)
class _BothScores:
    """Statistics of the corpus score and of the mean of sentence scores."""

    testset: TestSet
    metric: Metric
    mean: SentenceMean
    counts: np.ndarray  # (systems, segments, stats): statistics of the metric
    sentences: np.ndarray  # (systems, segments, 2): statistics of the mean

    @property
    def pairs(self) -> np.ndarray:
        return engine.all_pairs(len(self.testset.systems))

    def of_segments(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Score sets of segments by both, shape (..., segments) -> (systems, ...) each."""
        corpus = self.metric.score(self.counts[:, rows].sum(axis=-2))
        average = self.mean.score(self.sentences[:, rows].sum(axis=-2))
        return np.asarray(corpus), average

    def column(self, name: str) -> np.ndarray | None:
        """Return one statistic, shape (systems, segments); None if the metric has none so named."""
        if name not in self.metric.stat_names:
            return None
        values: np.ndarray = self.counts[..., self.metric.stat_names.index(name)]
        return values


def _rank(scores: np.ndarray) -> list[int]:
    """Rank scores, the highest first; ties as they come."""
    ranks: list[int] = (np.argsort(np.argsort(-scores, kind="stable")) + 1).tolist()
    return ranks


def _list_disagreements(
    scored: _BothScores, corpus: np.ndarray, average: np.ndarray
) -> list[Disagreement]:
    """List the pairs in opposite order by the two scores, the largest difference first.

    Scores have shape (systems,) and are higher where better. The smaller one of the two differences
    counts.
    """
    names = list(scored.testset.systems)
    disagreements = []
    for first, second in scored.pairs.tolist():
        a = first
        b = second
        if corpus[first] <= corpus[second]:
            a = second
            b = first
        corpus_delta = float(corpus[a] - corpus[b])
        average_delta = float(average[a] - average[b])
        if corpus_delta > 0 > average_delta:
            disagreements.append(Disagreement(names[a], names[b], corpus_delta, average_delta))
    return sorted(disagreements, key=lambda pair: -min(pair.corpus_delta, -pair.average_delta))


def _find_case(scored: _BothScores, seed: int, progress: Progress | None) -> Case | None:
    usable = np.arange(scored.testset.n_segments)
    n_four_grams = scored.column("total_4")
    if n_four_grams is not None:
        usable = np.flatnonzero((n_four_grams > 0).all(axis=0))
    sizes = [size for size in _SIZES if size <= len(usable)]
    for n_tried, size in enumerate(sizes):
        if progress is not None:
            progress("looking", n_tried / len(sizes))
        n_sets = _TRIES if len(usable) > size else 1
        sets = usable[np.stack([draw_subset(len(usable), size, seed, k) for k in range(n_sets)])]
        case = _choose_case(scored, sets)
        if case is not None:
            return case
    return None


def _choose_case(scored: _BothScores, sets: np.ndarray) -> Case | None:
    """Choose the set of segments, shape (sets, size), whose smaller difference is largest."""
    sign = direction(scored.metric)
    corpus, average = (sign * scores for scores in scored.of_segments(sets))  # (systems, sets)
    corpus_deltas = pair_differences(corpus, scored.pairs)
    average_deltas = pair_differences(average, scored.pairs)
    smaller = np.minimum(abs(corpus_deltas), abs(average_deltas))
    gap = np.where(corpus_deltas * average_deltas < 0, smaller, 0.0)
    pair, best = np.unravel_index(np.argmax(gap), gap.shape)
    if gap[pair, best] < _LEAST:
        return None
    disagreement = _list_disagreements(scored, corpus[:, best], average[:, best])[0]
    names = list(scored.testset.systems)
    a = names.index(disagreement.a)
    b = names.index(disagreement.b)
    rows = np.sort(sets[best])
    sentences = scored.metric.score(scored.counts[[a, b]][:, rows]).T.tolist()
    corpus_a, corpus_b = (sign * corpus[[a, b], best]).tolist()
    average_a, average_b = (sign * average[[a, b], best]).tolist()
    lines = [scored.testset.lines[k] for k in rows]
    ref_len = scored.column("ref_len")
    lengths = [None for _ in rows]
    if ref_len is not None:
        lengths = ref_len[a, rows].tolist()
    return Case(
        disagreement,
        corpus=(corpus_a, corpus_b),
        average=(average_a, average_b),
        lines=tuple(lines),
        sentences=tuple((score_a, score_b) for score_a, score_b in sentences),
        lengths=tuple(lengths),
    )


# BLEU and GTM of two systems at other output lengths (Koehn 2004, Figure 1).


#: Segments that are counted, from all over the test set.
MOST_SEGMENTS = 2000
#: Word penalties in the simulator, 0 for the output as it is; negative ones make it longer. They
#: give length ratios from .85 to 1.2, the range of Koehn's figure.
PENALTIES: tuple[float, ...] = (0.165, 0.12, 0.08, 0.04, 0.0, -0.05, -0.1, -0.17, -0.25, -0.35)
#: Shares of its words that an output keeps, 1 for the output as it is.
LENGTH_SHARES: tuple[float, ...] = (0.8, 0.85, 0.9, 0.95, 1.0)


@table_row
class LengthPoint:
    """The outputs at one length."""

    #: The share of words, or the word penalty.
    asked: float = column("words kept", "share", ".0%")
    #: Words per word of the reference.
    length_ratio: float | None = column("length ratio", "share")
    bleu: float = column("BLEU", "score")  # in points, as all scores here
    gtm: float = column("GTM", "score")  # with exponent 1
    brevity_penalty: float = column("brevity penalty", "share")  # from 0 to 1
    precision: float = column("BLEU without it", "score")
    gtm_2: float = column("GTM-2", "score")  # with exponent 2


@dataclass(frozen=True)
class Lengths:
    """Two systems at other lengths of their output."""

    system: str
    beside: str | None  # the other system; None where there is no other
    how: str  # word penalty or truncation
    n_segments: int  # that were counted
    bleu_signature: str
    gtm_signature: str
    gtm_2_signature: str
    points: tuple[LengthPoint, ...]  # of the system, the shortest outputs first
    beside_points: tuple[LengthPoint, ...]  # of the other one

    @property
    def actual(self) -> LengthPoint:
        """The output of the system as it is."""
        unchanged = 0 if self.how == "word penalty" else 1
        return next(point for point in self.points if point.asked == unchanged)

    @property
    def curves(self) -> tuple[tuple[str, tuple[LengthPoint, ...]], ...]:
        """Each system with its points."""
        curve = (self.system, self.points)
        if self.beside is None:
            return (curve,)
        return curve, (self.beside, self.beside_points)

    def nearest(self, ratio: float) -> LengthPoint:
        """Find the system's output whose length ratio is nearest."""
        return min(self.points, key=lambda point: abs((point.length_ratio or 0) - ratio))


def lengths(
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    system: str | None = None,
    beside: str | None = None,
    most: int = MOST_SEGMENTS,
    progress: Progress | None = None,
) -> Lengths:
    """Score two systems at other lengths of their output.

    Systems of the simulated corpus translate again with a word penalty; any other output is
    truncated.
    """
    metric = check_bleu(testset, metric)
    if most < 1:
        raise SettingError(f"segments is {most}. Expected at least 1 to count.")
    names = _choose_two(testset, metric, system, beside, progress)
    n = min(most, testset.n_segments)
    spread_rows = np.arange(n) * testset.n_segments // n
    selection = testset.only(names).take(spread_rows.tolist())
    method = "word penalty"
    grid = PENALTIES
    variants = _penalise(selection, names, progress)
    if variants is None:
        method = "truncation"
        grid = LENGTH_SHARES
        variants = _truncate_all(selection, names, tokens_of(metric, selection))
    variant_set = replace(
        selection,
        systems={str(k): texts for k, texts in enumerate(variants)},
        scores={},
        parses={},
    )
    settings = {name: getattr(metric, name, None) for name in ("tokenize", "lowercase")}
    gtm = resolve_metric(variant_set, "gtm", **settings)
    gtm_2 = resolve_metric(variant_set, "gtm-2", **settings)
    points = _score_variants(variant_set, [metric, gtm, gtm_2], grid * len(names), progress)
    beside = None
    if len(names) > 1:
        beside = names[1]
    return Lengths(
        system=names[0],
        beside=beside,
        how=method,
        n_segments=n,
        bleu_signature=metric.signature(testset),
        gtm_signature=gtm.signature(testset),
        gtm_2_signature=gtm_2.signature(testset),
        points=points[: len(grid)],
        beside_points=points[len(grid) :],
    )


def _choose_two(
    testset: TestSet,
    metric: Metric,
    system: str | None,
    beside: str | None,
    progress: Progress | None,
) -> list[str]:
    """Choose the system and the other one, if there is any, by default the best ones."""
    best: list[str] = []
    if system is None or beside is None:
        best = [row.system for row in precisions(testset, metric, progress=progress)]
    if system is None:
        system = next((name for name in best if name != beside), beside)
    if beside is None:
        beside = next((name for name in best if name != system), None)
    if system is None or system == beside:
        raise SettingError(f"Both systems are {system}. Expected two different ones.")
    if beside is None:
        return [system]
    return [system, beside]


def _truncate_all(testset: TestSet, names: Sequence[str], split: Tokenize) -> list[Sequence[str]]:
    """Truncate the outputs of systems, one after the other, each to all shares."""
    variants: list[Sequence[str]] = []
    for name in names:
        for length_share in LENGTH_SHARES:
            texts = [truncated(text, split, length_share) for text in testset.systems[name]]
            variants.append(texts)
    return variants


def truncated(text: str, split: Tokenize, share: float) -> str:
    """Return the beginning of a text with a share of its tokens, at least one.

    >>> truncated("one two three four", str.split, 0.5)
    'one two'
    """
    places = align(text, split(text))
    if places:
        n_kept = max(1, round(share * len(places)))
        _, end = places[n_kept - 1]
        return text[:end]
    # The tokens do not match the text, so split it by space.
    words = text.split()
    n_kept = max(1, round(share * len(words)))
    return " ".join(words[:n_kept])


def _penalise(
    testset: TestSet, names: Sequence[str], progress: Progress | None
) -> list[Sequence[str]] | None:
    """Translate again with all word penalties, one system after the other.

    None if a system does not come from the simulated corpus.
    """
    simulated = {system.name: system for system in KOEHN_SYSTEMS}
    if not testset.simulated or not simulated.keys() >= set(names):
        return None
    variants = [(name, penalty) for name in names for penalty in PENALTIES]
    systems = [replace(simulated[name], word_penalty=penalty) for name, penalty in variants]
    translations = outputs(max(testset.lines), systems)
    penalised: list[Sequence[str]] = []
    for (name, penalty), texts in zip(variants, translations, strict=True):
        selected = tuple(texts[line - 1] for line in testset.lines)
        if penalty == 0 and selected != testset.systems[name]:
            return None
        penalised.append(selected)
        if progress is not None:
            progress("other lengths", len(penalised) / len(variants))
    return penalised


def _score_variants(
    testset: TestSet,
    metrics: Sequence[Metric],
    grid: Sequence[float],
    progress: Progress | None,
) -> tuple[LengthPoint, ...]:
    """Score each output of a test set by BLEU and both GTMs, in the order of the grid."""
    bleu, gtm, gtm_2 = metrics
    sums = bleu.statistics(testset).sum(axis=1)
    bleu_points = bleu.score(sums).tolist()
    gtm_points = _score_all(gtm, testset, progress)
    gtm_2_points = _score_all(gtm_2, testset, progress)
    rows = []
    for k, length in enumerate(grid):
        sys_len, ref_len = sums[k, :2].tolist()
        penalty = brevity_penalty(sys_len, ref_len)
        row = LengthPoint(
            asked=length,
            length_ratio=share(sys_len, ref_len),
            bleu=bleu_points[k],
            gtm=gtm_points[k],
            brevity_penalty=penalty,
            precision=bleu_points[k] / penalty if penalty > 0 else 0.0,
            gtm_2=gtm_2_points[k],
        )
        rows.append(row)
    return tuple(rows)


def _score_all(metric: Metric, testset: TestSet, progress: Progress | None) -> list[float]:
    statistics = metric.statistics(testset, progress)
    points: list[float] = metric.score(statistics.sum(axis=1)).tolist()
    return points


# Student's t for means of segment scores, compared with the bootstrap (Koehn 2004, section 4, Table
# 2, Figure 5).


#: Segments of the samples, as in Koehn's Table 2.
STUDENTS_T_SIZES = (100, 300, 600)
# Standard errors on either side in `densities`, or more where the tails begin farther out.
_WIDEST = 4.0


@table_row
class TInterval:
    """Both intervals of one mean."""

    n: int = column("segments", "count")
    mean: float = column("mean", "score", "*")  # in points of the metric
    #: Half the width of an interval in standard errors, by Student's t with n - 1 degrees of
    #: freedom and by the normal distribution.
    t_factor: float
    normal_factor: float
    #: Student's t interval, and the percentile interval of the bootstrap by segment.
    t_low: float | None
    t_high: float | None
    boot_low: float | None
    boot_high: float | None
    #: Width of the t interval / width of the bootstrap's; None where that is 0.
    width_ratio: float | None = column("ratio of widths", "share")

    @derived("Student's t", "interval", "*")
    def t(self) -> Bounds | None:
        """Student's t interval."""
        return pair_ends(self.t_low, self.t_high)

    @derived("bootstrap by segment", "interval", "*")
    def boot(self) -> Bounds | None:
        """The percentile interval of the bootstrap."""
        return pair_ends(self.boot_low, self.boot_high)


@dataclass(frozen=True)
class Factor:
    """One entry of Koehn's Table 2, as printed and as it should be."""

    level: float  # in percent
    n: int | None  # the sample size; None: without end
    printed: float
    right: float


@dataclass(frozen=True, kw_only=True)
class StudentsT(Simulation):
    """Student's t intervals of one system's mean, next to bootstrap intervals."""

    tables = {"rows": TInterval}

    signature: str
    system: str
    resamples: int
    rows: tuple[TInterval, ...]  # by size; the last is of all segments that have a score
    n_documents: int | None
    #: On all segments, by a bootstrap of documents, which does not take segments for independent.
    #: None without document ids.
    document_low: float | None
    document_high: float | None


def students_t(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    system: str | None = None,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> StudentsT:
    """Compare Student's t interval of a mean of segment scores with the bootstrap's.

    The intervals are from broad samples and from all segments. Scores of a table are taken as they
    are; of a corpus metric the sentence scores, whose mean is not its score.
    """
    metric = resolve_metric(testset, metric)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one.", {"system": "FILE"})
    statistics = cached_statistics(metric, testset, progress)
    mean = metric
    if not is_segment_mean(metric):
        mean = SentenceMean(metric)
        statistics = mean.from_counts(statistics)
    if system is None:
        system = measure(testset, mean).best_first().names[0]
    system_set = testset.only([system])
    row = list(testset.systems).index(system)
    scored = np.flatnonzero(statistics[row, :, 1] > 0)
    if len(scored) < 2:
        raise SettingError(
            f"{system} has too few segment scores by {metric.name}: {len(scored)}. Expected at least 2."
        )

    def bootstrap(n: int, unit: str) -> ScoreBootstrap:
        segments = scored[np.arange(n) * len(scored) // n]
        sample = system_set
        if n != testset.n_segments:
            sample = system_set.take(segments.tolist())
        settings, _ = resolve_sampling(
            sample, unit=unit, block_length=None, alpha=alpha, resamples=resamples, seed=seed
        )
        measured = Measured(sample, mean, statistics[[row]][:, segments])
        return bootstrap_measured(measured, settings, jobs, progress)[0]

    sizes = [n for n in STUDENTS_T_SIZES if n < len(scored)]
    rows = [_compare_intervals(n, bootstrap(n, "segment"), alpha) for n in (*sizes, len(scored))]
    n_documents = None
    by_document = None
    if testset.documents is not None:
        n_documents = len(np.unique(testset.document_index[scored]))
        if n_documents > 1:
            by_document = bootstrap(len(scored), "document").intervals["percentile"]
    document_low, document_high = by_document or (None, None)
    return StudentsT(
        metric=mean.name,
        alpha=alpha,
        seed=seed,
        signature=mean.signature(testset),
        system=system,
        resamples=resamples,
        rows=tuple(rows),
        n_documents=n_documents,
        document_low=document_low,
        document_high=document_high,
    )


def _compare_intervals(n: int, score: ScoreBootstrap, alpha: float) -> TInterval:
    t_low, t_high = score.intervals["t"] or (None, None)
    boot_low, boot_high = score.intervals["percentile"] or (None, None)
    width_ratio = None
    if t_low is not None and t_high is not None and boot_low is not None and boot_high is not None:
        width_ratio = share(t_high - t_low, boot_high - boot_low)
    return TInterval(
        n=n,
        mean=score.score,
        t_factor=factor(n, alpha),
        normal_factor=factor(None, alpha),
        t_low=t_low,
        t_high=t_high,
        boot_low=boot_low,
        boot_high=boot_high,
        width_ratio=width_ratio,
    )


def factor(n: int | None, alpha: float) -> float:
    """Return half the width of an interval for a mean of n scores, in standard errors.

    None stands for endlessly many scores.

    >>> round(factor(100, 0.05), 4), round(factor(None, 0.05), 4)
    (1.9842, 1.96)
    """
    if n is None:
        return NormalDist().inv_cdf(1 - alpha / 2)
    if n < 2:
        raise SettingError(f"n is {n}. Student's t takes at least 2 scores.")
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1 - alpha / 2))


def koehns_factors() -> tuple[Factor, ...]:
    """Return Koehn's Table 2 with the factors of n - 1 degrees of freedom; row by row.

    >>> first = koehns_factors()[0]
    >>> first.level, first.n, first.printed, round(first.right, 4)
    (99, 100, 2.6259, 2.6264)
    """
    _, *sizes = KOEHN_T2.columns
    factors = []
    for level, *row in KOEHN_T2.rows["t"]:
        for n, printed in zip(sizes, row, strict=True):
            factors.append(Factor(level, n, printed, factor(n, 1 - level / 100)))
    return tuple(factors)


def densities(
    n: int = 5, alpha: float = 0.05, points: int = 161
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute Student's t with n - 1 degrees of freedom, and the normal distribution.

    Koehn (2004), Figure 5, shows both. The result is x, t and normal, each of shape (points,).
    """
    freedom = n - 1
    if freedom < 1:
        raise SettingError(f"n is {n}. Student's t takes at least 2 scores.")
    widest = max(_WIDEST, 1.1 * factor(n, alpha))
    x = np.linspace(-widest, widest, points)
    gammas = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    peak = gammas / math.sqrt(freedom * math.pi)
    student = peak * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    normal = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return x, student, normal


# One output under several settings of BLEU: a score needs its signature (Post 2018).


#: The settings of BLEU by the name of the change.
BLEU_SETTINGS: dict[str, dict[str, Any]] = {
    "lower case": dict(lowercase=True),
    "tokenizer 13a": dict(tokenize="13a"),
    "tokenizer zh": dict(tokenize="zh"),
    "no tokenizer": dict(tokenize="none"),
    "every character a token": dict(tokenize="char"),
}


@dataclass(frozen=True)
class SignedScore:
    """BLEU in points under one choice of settings, and its signature."""

    setting: str
    bleu: float
    signature: str


def signatures(
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    system: str | None = None,
    progress: Progress | None = None,
) -> tuple[SignedScore, ...]:
    """Score one system by BLEU with the settings here, and with one setting changed at a time."""
    # A dataclass of its settings, which the protocol does not have.
    bleu: Any = check_bleu(testset, metric)
    if system is None:
        system = precisions(testset, bleu, progress=progress)[0].system
    system_set = testset.only([system])
    scores: dict[str, SignedScore] = {}
    for name, settings in {"as here": {}, **BLEU_SETTINGS}.items():
        changed: Metric = replace(bleu, **settings)
        statistics = cached_statistics(changed, system_set, report_stage(progress, name))
        score = float(changed.score(statistics.sum(axis=1))[0])
        signature = changed.signature(system_set)
        # A change may be the setting of this test set.
        scores.setdefault(signature, SignedScore(name, score, signature))
    return tuple(scores.values())
