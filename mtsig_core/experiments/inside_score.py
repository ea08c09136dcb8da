"""What is inside a score: n-gram precisions, lengths, means of sentence scores, signatures (Koehn
2004; Post 2018).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, prod
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
)
from mtsig_core.experiments.papers import KOEHN_T2
from mtsig_core.metrics import (
    Metric,
    direction,
    find_tokenizer,
    is_adapted,
    is_segment_mean,
    resolve_metric,
)
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.metrics.overlap import align, bleu_tokens
from mtsig_core.simulation.corpus import KOEHN_SYSTEMS, outputs
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import pair_differences
from mtsig_core.stats.comparison import ScoreBootstrap, bootstrap_systems
from mtsig_core.stats.engine import measure
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.resampling import draw_subset
from mtsig_core.testset import TestSet

# The mean of sentence scores, as a metric.


@dataclass(frozen=True)
class SentenceMean:
    """The mean over segments of a corpus metric's score of each; statistics are (score, 1), (0, 0)
    where undefined.
    """

    of: Metric

    stat_names: ClassVar[tuple[str, ...]] = ("score", "count")
    is_segment_mean: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"sentence-{self.of.name}"

    @property
    def higher_is_better(self) -> bool:
        return self.of.higher_is_better

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Shape (systems, segments, 2), float64."""
        return self.from_counts(self.of.statistics(testset, progress))

    def from_counts(self, statistics: np.ndarray) -> np.ndarray:
        """The same, of the statistics of the corpus metric, shape (systems, segments, stats)."""
        scores = np.asarray(self.of.score(statistics), dtype=np.float64)
        known = np.isfinite(scores)
        return np.stack([np.where(known, scores, 0.0), known.astype(np.float64)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean, of shape (...); NaN where no segment has a score."""
        total, count = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        mean: np.ndarray = np.divide(
            total, count, out=np.full(total.shape, np.nan), where=count > 0
        )
        return mean

    def signature(self, testset: TestSet) -> str:
        """That of the metric, smoothing included; for BLEU that is sacreBLEU's ``exp`` without
        effective order.
        """
        return f"mean-of-sentences|{self.of.signature(testset)}"


# What is inside a BLEU score: n-gram precisions, length ratio and brevity penalty (Koehn 2004,
# Table 1).


#: Lengths of n-grams that BLEU counts.
NGRAM_ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class SystemPrecisions:
    """The parts of one system's BLEU."""

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
    metric: str | Metric = "bleu",
    *,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> tuple[SystemPrecisions, ...]:
    """The parts of BLEU for every system, best first."""
    metric = check_bleu(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, report_stage(progress, "counting"))
    sums = statistics.sum(axis=1)
    rows = []
    for name, row, points in zip(testset.systems, sums, metric.score(sums).tolist(), strict=True):
        counts = counts_of(metric, row)
        p1, p2, p3, p4 = (
            share(100 * counts[f"correct_{n}"], counts[f"total_{n}"]) for n in NGRAM_ORDERS
        )
        rows.append(
            SystemPrecisions(
                name,
                p1,
                p2,
                p3,
                p4,
                share(counts["sys_len"], counts["ref_len"]),
                brevity_penalty(counts["sys_len"], counts["ref_len"]),
                points,
            )
        )
    return tuple(sorted(rows, key=lambda row: -row.bleu))


def check_bleu(testset: TestSet, metric: str | Metric) -> Metric:
    """BLEU for this test set."""
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
    return min(1.0, exp(1 - ref_len / sys_len)) if sys_len > 0 else 0.0


def share(part: float, whole: float) -> float | None:
    """A ratio; None of nothing."""
    return part / whole if whole > 0 else None


# One sentence's BLEU, step by step; and the reading note's example, of which some steps are wrong.


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
    """An n-gram of the output: how often it is there, how often at most in one reference, and the
    less of both.
    """

    ngram: str
    in_output: int
    in_reference: int
    clipped: int


@dataclass(frozen=True)
class Step:
    """N-grams of one length."""

    n: int = field(metadata=column("n", "count"))
    matched: int  # clipped matches, and n-grams of the output; by BLEU's own counting
    total: int
    precision: float | None = field(
        metadata=column("precision", "share")
    )  # from 0 to 1; None without any n-gram
    #: BLEU-n without smoothing: the brevity penalty times the n-th root of the product of the
    #: precisions so far.
    bleu: float = field(metadata=column("BLEU-n", "share"))
    #: Those of the output that a reference has, in the order of the output; counted apart from
    #: BLEU.
    ngrams: tuple[NgramCount, ...]

    @derived("n-grams that a reference has too (times counted)")
    def shared(self) -> str:
        return " · ".join(f"{one.ngram} ({one.clipped})" for one in self.ngrams) or "none"

    @derived("matched / all", "written")
    def fraction(self) -> str:
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
    testset: TestSet, system: str | None, line: int, metric: str | Metric = "bleu"
) -> WorkedExample:
    """BLEU of one line of one system, step by step."""
    metric = check_bleu(testset, metric)
    system = next(iter(testset.systems)) if system is None else system
    if line not in testset.lines:
        raise SettingError(
            f"{testset.name} has no line {line}. It has {testset.n_segments}, from {testset.lines[0]} "
            f"to {testset.lines[-1]}."
        )
    one = testset.only([system]).take([testset.lines.index(line)])
    row = metric.statistics(one)[0, 0]
    counts = counts_of(metric, row)
    penalty = brevity_penalty(counts["sys_len"], counts["ref_len"])
    (output,) = one.systems[system]
    references = tuple(texts[0] for texts in one.references.values() if texts[0] is not None)
    lower = getattr(metric, "lowercase", False)
    words, *others = (
        tokens_of(metric, one)(text.lower() if lower else text) for text in (output, *references)
    )
    steps: list[Step] = []
    for n in NGRAM_ORDERS:
        matched, total = counts[f"correct_{n}"], counts[f"total_{n}"]
        so_far = [*(step.precision for step in steps), precision := share(matched, total)]
        bleu = penalty * prod(p or 0.0 for p in so_far) ** (1 / n)
        steps.append(Step(n, matched, total, precision, bleu, _shared(words, others, n)))
    return WorkedExample(
        system,
        line,
        output,
        references,
        counts["sys_len"],
        counts["ref_len"],
        penalty,
        tuple(steps),
        float(metric.score(row)),
        metric.signature(testset),
    )


def note_example(metric: str | Metric = "bleu", tokenizer: str | None = None) -> WorkedExample:
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


def tokens_of(metric: Metric, testset: TestSet) -> Callable[[str], list[str]]:
    """How BLEU splits a text of this test set."""
    return bleu_tokens(find_tokenizer(metric, testset))


def _shared(
    words: Sequence[str], references: Sequence[Sequence[str]], n: int
) -> tuple[NgramCount, ...]:
    own, *theirs = (
        Counter(" ".join(tokens[k : k + n]) for k in range(len(tokens) - n + 1))
        for tokens in (words, *references)
    )
    rows = [(ngram, count, max(known[ngram] for known in theirs)) for ngram, count in own.items()]
    return tuple(
        NgramCount(ngram, count, most, min(count, most)) for ngram, count, most in rows if most
    )


# The mean of sentence scores against the corpus score: where they rank systems otherwise, and a
# case in point.


_SIZES = (3, 5, 10, 30)  # segments of a case, the smallest first
_TRIES = 3000  # random sets of segments of each size
_LEAST = 0.5  # points by which both sides of a case must differ


@dataclass(frozen=True)
class SystemAverage:
    """One system: its corpus score and the mean of its sentence scores, in points, and its place by
    each.
    """

    system: str = field(metadata=column("system", "name"))
    corpus: float = field(metadata=column("corpus score", "score", "*"))
    average: float = field(metadata=column("mean of sentence scores", "score", "*"))
    corpus_place: int = field(metadata=column("place", "count"))
    average_place: int = field(metadata=column("place", "count"))


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
    lengths: tuple[
        int | None, ...
    ]  # tokens of the reference; None where the metric does not count them


@dataclass(frozen=True, kw_only=True)
class Averages(Experiment):
    """Systems by their corpus score and by the mean of their sentence scores."""

    tables: ClassVar[Mapping[str, type]] = {"systems": SystemAverage}

    signature: str  # of the sentence scores, with their smoothing
    n_segments: int
    n_pairs: int
    #: Share of all sentences whose BLEU is 0 without smoothing, as no four-gram matches; None for
    #: other metrics.
    unsmoothed_zeros: float | None
    systems: tuple[SystemAverage, ...]  # best corpus score first
    disagreements: tuple[
        Disagreement, ...
    ]  # pairs of the whole test set, largest differences first
    case: Case | None  # None where no small set of segments shows a disagreement


def averages(
    testset: TestSet,
    metric: str | Metric = "bleu",
    *,
    seed: int = 0,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Averages:
    """Rank systems by the corpus score and by the mean of sentence scores, and look for a case
    where they disagree.

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
    if statistics is None:
        statistics = cached_statistics(metric, testset, report_stage(progress, "counting"))
    mean, names, sign = SentenceMean(metric), list(testset.systems), direction(metric)
    sentences, pairs = mean.from_counts(statistics), engine.all_pairs(len(names))
    corpus, average = metric.score(statistics.sum(axis=1)), mean.score(sentences.sum(axis=1))
    matches = _column(metric, statistics, "correct_4")
    apart = sorted(
        _disagreements(names, pairs, sign * corpus, sign * average),
        reverse=True,
        key=lambda pair: min(pair.corpus_delta, -pair.average_delta),
    )
    places = [
        (np.argsort(np.argsort(-sign * scores, kind="stable")) + 1).tolist()
        for scores in (corpus, average)
    ]
    rows = [
        SystemAverage(*row)
        for row in zip(names, corpus.tolist(), average.tolist(), *places, strict=True)
    ]
    return Averages(
        metric=metric.name,
        signature=mean.signature(testset),
        n_segments=testset.n_segments,
        n_pairs=len(pairs),
        unsmoothed_zeros=None if matches is None else float((matches == 0).mean()),
        systems=tuple(sorted(rows, key=lambda row: row.corpus_place)),
        disagreements=tuple(apart),
        case=_case(
            testset,
            metric,
            mean,
            pairs,
            statistics,
            sentences,
            seed,
            report_stage(progress, "looking"),
        ),
    )


def _disagreements(
    names: Sequence[str], pairs: np.ndarray, corpus: np.ndarray, average: np.ndarray
) -> Iterator[Disagreement]:
    """Pairs that the two put in opposite order; the scores are higher where better."""
    for first, second in pairs.tolist():
        a, b = (first, second) if corpus[first] > corpus[second] else (second, first)
        deltas = float(corpus[a] - corpus[b]), float(average[a] - average[b])
        if deltas[0] > 0 > deltas[1]:
            yield Disagreement(names[a], names[b], *deltas)


def _case(
    testset: TestSet,
    metric: Metric,
    mean: SentenceMean,
    pairs: np.ndarray,
    statistics: np.ndarray,
    sentences: np.ndarray,
    seed: int,
    report: engine.StageProgress | None,
) -> Case | None:
    names, sign = list(testset.systems), direction(metric)
    fit = np.arange(testset.n_segments)
    if (long_enough := _column(metric, statistics, "total_4")) is not None:
        fit = np.flatnonzero((long_enough > 0).all(axis=0))
    sizes = [size for size in _SIZES if size <= len(fit)]
    for tried, size in enumerate(sizes):
        if report is not None:
            report(tried / len(sizes))
        tries = _TRIES if len(fit) > size else 1
        sets = fit[
            np.stack([draw_subset(len(fit), size, seed, k) for k in range(tries)])
        ]  # (sets, size)
        corpus = sign * metric.score(statistics[:, sets].sum(axis=2))  # (systems, sets)
        average = sign * mean.score(sentences[:, sets].sum(axis=2))
        deltas, others = (pair_differences(scores, pairs) for scores in (corpus, average))
        gap = np.where(deltas * others < 0, np.minimum(abs(deltas), abs(others)), 0.0)
        pair, chosen = np.unravel_index(np.argmax(gap), gap.shape)
        if gap[pair, chosen] >= _LEAST:
            rows = np.sort(sets[chosen])
            (disagreement,) = _disagreements(
                names, pairs[[pair]], corpus[:, chosen], average[:, chosen]
            )
            two = [names.index(disagreement.a), names.index(disagreement.b)]
            ref_len = _column(metric, statistics[two[:1]][:, rows], "ref_len")
            scores, means = (
                tuple((sign * each[two, chosen]).tolist()) for each in (corpus, average)
            )
            return Case(
                disagreement,
                scores,
                means,
                tuple(testset.lines[k] for k in rows.tolist()),
                tuple(map(tuple, metric.score(statistics[two][:, rows]).T.tolist())),
                tuple([None] * size if ref_len is None else ref_len[0].tolist()),
            )
    return None


def _column(metric: Metric, statistics: np.ndarray, name: str) -> np.ndarray | None:
    """One statistic, shape (systems, segments); None where the metric has none of that name."""
    return statistics[..., metric.stat_names.index(name)] if name in metric.stat_names else None


# BLEU and GTM of two systems at other output lengths (Koehn 2004, Figure 1).


#: Segments that are counted, from all over the test set.
MOST_SEGMENTS = 2000
#: Word penalties in the simulator, 0 for the output as it is; below that the system says more. They
#: give length ratios from .85 to 1.2, the range of Koehn's figure.
PENALTIES: tuple[float, ...] = (0.165, 0.12, 0.08, 0.04, 0.0, -0.05, -0.1, -0.17, -0.25, -0.35)
#: Shares of its words that an output keeps, 1 for the output as it is.
LENGTH_SHARES: tuple[float, ...] = (0.8, 0.85, 0.9, 0.95, 1.0)


@dataclass(frozen=True)
class LengthPoint:
    """The outputs at one length."""

    asked: float = field(metadata=column("words kept", "share", ".0%"))  # or the word penalty
    length_ratio: float | None = field(
        metadata=column("length ratio", "share")
    )  # words per word of the reference
    bleu: float = field(
        metadata=column("BLEU", "score")
    )  # in points; GTM with exponent 1 and with exponent 2
    gtm: float = field(metadata=column("GTM", "score"))
    brevity_penalty: float = field(metadata=column("brevity penalty", "share"))  # from 0 to 1
    precision: float = field(metadata=column("BLEU without it", "score"))  # in points
    gtm_2: float = field(metadata=column("GTM-2", "score"))


@dataclass(frozen=True)
class Lengths:
    """What `lengths` finds."""

    system: str
    beside: str | None  # the other system; None where there is no other
    how: str  # word penalty or truncation
    n_segments: int  # how many were counted
    bleu_signature: str
    gtm_signature: str
    gtm_2_signature: str
    points: tuple[
        LengthPoint, ...
    ]  # of the system and of the other one, the shortest outputs first
    beside_points: tuple[LengthPoint, ...]

    @property
    def actual(self) -> LengthPoint:
        """The output of the system as it is."""
        return next(
            point
            for point in self.points
            if point.asked == (0 if self.how == "word penalty" else 1)
        )

    @property
    def curves(self) -> tuple[tuple[str, tuple[LengthPoint, ...]], ...]:
        """Each system with its points."""
        one = ((self.system, self.points),)
        return one if self.beside is None else (*one, (self.beside, self.beside_points))

    def nearest(self, ratio: float) -> LengthPoint:
        """The system's output whose length ratio is nearest."""
        return min(self.points, key=lambda point: abs((point.length_ratio or 0) - ratio))


def lengths(
    testset: TestSet,
    metric: str | Metric = "bleu",
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
    best = (
        [row.system for row in precisions(testset, metric, progress=progress)]
        if None in (system, beside)
        else []
    )
    system = next((name for name in best if name != beside), beside) if system is None else system
    beside = next((name for name in best if name != system), None) if beside is None else beside
    if system is None or system == beside:
        raise SettingError(f"Both systems are {system}. Expected two different ones.")
    names = [system] if beside is None else [system, beside]
    n = min(most, testset.n_segments)
    part = testset.only(names).take((np.arange(n) * testset.n_segments // n).tolist())
    how, grid = "word penalty", PENALTIES
    variants = _penalised(part, names, report_stage(progress, "other lengths"))
    if variants is None:
        how, grid, tokens = "truncation", LENGTH_SHARES, tokens_of(metric, part)
        variants = [
            [truncated(text, tokens, kept) for text in part.systems[name]]
            for name in names
            for kept in grid
        ]
    several = replace(
        part, systems={str(k): texts for k, texts in enumerate(variants)}, scores={}, parses={}
    )
    settings = {name: getattr(metric, name, None) for name in ("tokenize", "lowercase")}
    gtms = [resolve_metric(several, name, **settings) for name in ("gtm", "gtm-2")]
    points = _points(several, metric, gtms, grid * len(names), progress)
    gtm, gtm_2 = (one.signature(testset) for one in gtms)
    return Lengths(
        system,
        beside,
        how,
        n,
        metric.signature(testset),
        gtm,
        gtm_2,
        points[: len(grid)],
        points[len(grid) :],
    )


def truncated(text: str, tokens: Callable[[str], list[str]], kept: float) -> str:
    """The beginning of a text with a share of its tokens, at least one.

    >>> truncated("one two three four", str.split, 0.5)
    'one two'
    """
    places = align(text, tokens(text))
    if not places:  # the tokens are not those of the text: by space then
        return " ".join(text.split()[: max(1, round(kept * len(text.split())))])
    return text[: places[max(1, round(kept * len(places))) - 1][1]]


def _penalised(
    part: TestSet, names: Sequence[str], report: engine.StageProgress | None
) -> list[Sequence[str]] | None:
    """The outputs of systems of the simulated corpus, one after the other, each at all penalties;
    None where one is not of that corpus.
    """
    known = {system.name: system for system in KOEHN_SYSTEMS}
    if not part.simulated or not known.keys() >= set(names):
        return None
    variants = [(name, penalty) for name in names for penalty in PENALTIES]
    translations = outputs(
        max(part.lines), [replace(known[name], word_penalty=penalty) for name, penalty in variants]
    )
    penalised: list[Sequence[str]] = []
    for (name, penalty), texts in zip(variants, translations, strict=True):
        penalised.append(tuple(texts[line - 1] for line in part.lines))
        if penalty == 0 and penalised[-1] != part.systems[name]:
            return None
        if report is not None:
            report(len(penalised) / len(variants))
    return penalised


def _points(
    several: TestSet,
    bleu: Metric,
    gtms: Sequence[Metric],
    asked: Sequence[float],
    progress: Progress | None,
) -> tuple[LengthPoint, ...]:
    """A point for each output of a test set."""
    sums = bleu.statistics(several).sum(axis=1)
    scores = [
        gtm.score(gtm.statistics(several, report_stage(progress, "counting")).sum(axis=1)).tolist()
        for gtm in gtms
    ]
    rows = []
    for length, (sys_len, ref_len), points, *gtm in zip(
        asked, sums[:, :2].tolist(), bleu.score(sums).tolist(), *scores, strict=True
    ):
        penalty = brevity_penalty(sys_len, ref_len)
        rows.append(
            LengthPoint(
                length,
                share(sys_len, ref_len),
                points,
                gtm[0],
                penalty,
                points / penalty if penalty > 0 else 0.0,
                gtm[1],
            )
        )
    return tuple(rows)


# Student's t for means of segment scores, held against the bootstrap (Koehn 2004, section 4, Table
# 2, Figure 5).


#: Segments of the samples beside the whole test set, those of Koehn's Table 2.
STUDENTS_T_SIZES = (100, 300, 600)
_WIDEST = (
    4.0  # standard errors on either side in `densities`, or more where the tails begin farther out
)


@dataclass(frozen=True)
class TInterval:
    """Both intervals of one mean."""

    n: int = field(metadata=column("segments", "count"))
    mean: float = field(metadata=column("mean", "score", "*"))  # in points of the metric
    #: Half the width of an interval in standard errors, by Student's t with n - 1 degrees of
    #: freedom and by the normal distribution.
    t_factor: float
    normal_factor: float
    t_low: (
        float | None
    )  # Student's t interval, and the percentile interval of the bootstrap by segment
    t_high: float | None
    boot_low: float | None
    boot_high: float | None
    #: Width of the t interval / width of the bootstrap's; None where that is 0.
    width_ratio: float | None = field(metadata=column("ratio of widths", "share"))

    @derived("Student's t", "interval", "*")
    def t(self) -> tuple[float, float] | None:
        return pair_ends(self.t_low, self.t_high)

    @derived("bootstrap by segment", "interval", "*")
    def boot(self) -> tuple[float, float] | None:
        return pair_ends(self.boot_low, self.boot_high)


@dataclass(frozen=True)
class Factor:
    """One entry of Koehn's Table 2: level in percent, sample size (None: without end), as printed,
    and as it should be.
    """

    level: float
    n: int | None
    printed: float
    right: float


@dataclass(frozen=True, kw_only=True)
class StudentsT(Simulation):
    """Student's t intervals of one system's mean beside the bootstrap's."""

    tables: ClassVar[Mapping[str, type]] = {"rows": TInterval}

    signature: str
    system: str
    resamples: int
    rows: tuple[TInterval, ...]  # by size; the last is of all segments that have a score
    n_documents: int | None
    #: On all segments, the bootstrap by document, which neither takes segments for independent nor
    #: sums them in a formula. None without document ids.
    document_low: float | None
    document_high: float | None


def students_t(
    testset: TestSet,
    metric: str | Metric = "bleu",
    *,
    system: str | None = None,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> StudentsT:
    """Student's t interval of a mean of segment scores beside the bootstrap's, on broad samples and
    on all segments.

    Scores of a table are taken as they are; of a corpus metric the sentence scores, whose mean is
    not its score.
    """
    metric = resolve_metric(testset, metric)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one.", {"system": "FILE"})
    if statistics is None:
        statistics = cached_statistics(metric, testset, report_stage(progress, "counting"))
    mean: Metric = metric if is_segment_mean(metric) else SentenceMean(metric)
    if isinstance(mean, SentenceMean):
        statistics = mean.from_counts(statistics)
    if system is None:
        system = measure(testset, mean, statistics=statistics).best_first().names[0]
    one = testset.only([system])
    place = list(testset.systems).index(system)
    known = np.flatnonzero(statistics[place, :, 1] > 0)
    if len(known) < 2:
        raise SettingError(
            f"{system} has {len(known)} segment scores by {metric.name}. An interval takes at least 2."
        )

    def interval(n: int, unit: str = "segment") -> ScoreBootstrap:
        rows = known[np.arange(n) * len(known) // n]
        part = one if n == testset.n_segments else one.take(rows.tolist())
        return bootstrap_systems(
            part,
            mean,
            unit=unit,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            jobs=jobs,
            statistics=statistics[[place]][:, rows],
            progress=progress,
        )[0]

    rows = []
    for n in (*(n for n in STUDENTS_T_SIZES if n < len(known)), len(known)):
        score = interval(n)
        t, boot = score.intervals["t"], score.intervals["percentile"]
        ratio = (
            None
            if t is None or boot is None or boot[0] == boot[1]
            else (t[1] - t[0]) / (boot[1] - boot[0])
        )
        (t_low, t_high), (low, high) = t or (None, None), boot or (None, None)
        rows.append(
            TInterval(
                n,
                score.score,
                factor(n, alpha),
                factor(None, alpha),
                t_low,
                t_high,
                low,
                high,
                ratio,
            )
        )
    document = n_documents = None
    if (
        testset.documents is not None
        and (n_documents := len(set(testset.document_index[known].tolist()))) > 1
    ):
        document = interval(len(known), "document").intervals["percentile"]
    low, high = document or (None, None)
    return StudentsT(
        metric=mean.name,
        alpha=alpha,
        seed=seed,
        signature=mean.signature(testset),
        system=system,
        resamples=resamples,
        rows=tuple(rows),
        n_documents=n_documents,
        document_low=low,
        document_high=high,
    )


def factor(n: int | None, alpha: float) -> float:
    """Half the width of an interval for a mean of n scores, in standard errors; of endlessly many
    for None.

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
    """Koehn's Table 2 beside the factors of n - 1 degrees of freedom; row by row.

    >>> first = koehns_factors()[0]
    >>> first.level, first.n, first.printed, round(first.right, 4)
    (99, 100, 2.6259, 2.6264)
    """
    return tuple(
        Factor(level, n, printed, factor(n, 1 - level / 100))
        for level, *row in KOEHN_T2.rows["t"]
        for n, printed in zip(KOEHN_T2.columns[1:], row, strict=True)
    )


def densities(
    n: int = 5, alpha: float = 0.05, points: int = 161
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Student's t with n - 1 degrees of freedom, and the normal distribution (Koehn 2004, Figure
    5).

    Shapes: result (points,).
    """
    df = n - 1
    if df < 1:
        raise SettingError(f"n is {n}. Student's t takes at least 2 scores.")
    widest = max(_WIDEST, 1.1 * factor(n, alpha))
    x = np.linspace(-widest, widest, points)
    top = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    return x, top * (1 + x * x / df) ** (-(df + 1) / 2), np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


# The same output under other settings of BLEU: why a score goes with its signature (Post 2018).


#: What is changed -> the settings of BLEU.
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
    metric: str | Metric = "bleu",
    *,
    system: str | None = None,
    progress: Progress | None = None,
) -> tuple[SignedScore, ...]:
    """BLEU of one system as it is here, and with one setting changed at a time."""
    bleu: Any = check_bleu(
        testset, metric
    )  # a dataclass of its settings, of which the protocol says nothing
    system = precisions(testset, bleu, progress=progress)[0].system if system is None else system
    one = testset.only([system])
    scores: list[SignedScore] = []
    for name, settings in {"as here": {}, **BLEU_SETTINGS}.items():
        other: Metric = replace(bleu, **settings)
        points = other.score(
            cached_statistics(other, one, report_stage(progress, name)).sum(axis=1)
        )
        signed = SignedScore(name, float(points[0]), other.signature(one))
        if signed.signature not in [
            row.signature for row in scores
        ]:  # it may be the setting of this test set
            scores.append(signed)
    return tuple(scores)
