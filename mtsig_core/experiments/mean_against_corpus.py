"""The mean of sentence scores against the corpus score: where they rank systems otherwise, and a case in point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import check_whole
from mtsig_core.experiments.sentence_means import SentenceMean
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import subset
from mtsig_core.metrics import Metric, direction, is_segment_mean, metric_of
from mtsig_core.metrics.cache import cached_statistics

__all__ = ["Averages", "Case", "Disagreement", "SystemAverage", "averages"]

_SIZES = (3, 5, 10, 30)  # segments of a case, the smallest first
_TRIES = 3000  # random sets of segments of each size
_LEAST = 0.5  # points by which both sides of a case must differ


@dataclass(frozen=True)
class SystemAverage:
    """One system: its corpus score and the mean of its sentence scores, in points, and its place by each."""

    system: str
    corpus: float
    average: float
    corpus_place: int
    average_place: int


@dataclass(frozen=True)
class Disagreement:
    """A pair of which a is better by the corpus score, b by the mean of sentence scores.

    Attributes
    ----------
    a, b : str
    corpus_delta, average_delta : float
        Improvement of a over b by each, in points: above 0, and below 0.
    """

    a: str
    b: str
    corpus_delta: float
    average_delta: float


@dataclass(frozen=True)
class Case:
    """A few segments on which the two disagree on a pair.

    Attributes
    ----------
    pair : Disagreement
    corpus, average : (float, float)
        Scores of a and b on these segments.
    lines : tuple of int
        As in `TestSet.lines`.
    sentences : tuple of (float, float)
        Sentence scores of a and b on each.
    lengths : tuple of (int or None)
        Tokens of the reference; None where the metric does not count them.
    """

    pair: Disagreement
    corpus: tuple[float, float]
    average: tuple[float, float]
    lines: tuple[int, ...]
    sentences: tuple[tuple[float, float], ...]
    lengths: tuple[int | None, ...]


@dataclass(frozen=True)
class Averages:
    """What `averages` finds.

    Attributes
    ----------
    metric, signature : str
        The signature is that of the sentence scores, with their smoothing.
    n_segments, n_pairs : int
    unsmoothed_zeros : float or None
        Share of all sentences whose BLEU is 0 without smoothing, as no four-gram matches; None for other metrics.
    systems : tuple of SystemAverage
        Best corpus score first.
    disagreements : tuple of Disagreement
        Pairs of the whole test set, largest differences first.
    case : Case or None
        None where no small set of segments shows a disagreement.
    """

    metric: str
    signature: str
    n_segments: int
    n_pairs: int
    unsmoothed_zeros: float | None
    systems: tuple[SystemAverage, ...]
    disagreements: tuple[Disagreement, ...]
    case: Case | None


def averages(testset: TestSet, metric: str | Metric = "bleu", *, seed: int = 0, statistics: np.ndarray | None = None,
             progress: Progress | None = None) -> Averages:
    """Rank systems by the corpus score and by the mean of sentence scores, and look for a case where they disagree.

    The case is searched among random sets of 3, 5, 10 and 30 segments: of the smallest size that has any, the one whose
    smaller difference is largest. It was chosen to disagree, so it proves that this happens, not how often. For BLEU
    every output in it has a four-gram: without one, sentence BLEU is 0 whatever the words.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
        A corpus metric.
    seed : int
        Of the sets of segments.
    statistics, progress
        As in `mtsig_core.inference.one_score.bootstrap_systems`.

    Raises
    ------
    SettingError
        For a metric that is a mean of segment scores: then the two are one. Without two systems, for a bad seed.

    Examples
    --------
    A gets the long sentence right, B the two short ones: the corpus score goes by length, the mean does not.

    >>> ts = TestSet("toy", {"A": ["a b c d e f g h i j k l", "x y z u", "x y z u"],
    ...                      "B": ["x y z u v w x y z u v w", "a b c d", "e f g h"]},
    ...              {"ref": ["a b c d e f g h i j k l", "a b c d", "e f g h"]})
    >>> found = averages(ts)
    >>> [(row.system, row.corpus_place, row.average_place) for row in found.systems]
    [('A', 1, 2), ('B', 2, 1)]
    >>> found.case.lines, found.case.lengths
    ((1, 2, 3), (12, 4, 4))
    """
    check_whole("seed", seed, 0, (1 << 64) - 1)
    metric = metric_of(testset, metric)
    if is_segment_mean(metric):
        raise SettingError(f"{metric.name} is a mean of segment scores: its corpus score is their average. Choose a "
                           "metric of summed counts, such as bleu.")
    if len(testset.systems) < 2:
        raise SettingError(f"{len(testset.systems)} system to rank. Give at least two.")
    if statistics is None:
        statistics = cached_statistics(metric, testset, stage(progress, "counting"))
    mean, names = SentenceMean(metric), list(testset.systems)
    sentences = mean.from_counts(statistics)
    corpus, average = metric.score(statistics.sum(axis=1)), mean.score(sentences.sum(axis=1))
    sign = direction(metric)
    pairs = engine.all_pairs(len(names))
    matches = _column(metric, statistics, "correct_4")
    zeros = None if matches is None else float((matches == 0).mean())
    apart = sorted(_disagreements(names, pairs, sign * corpus, sign * average), key=_size, reverse=True)
    return Averages(metric.name, mean.signature(testset), testset.n_segments, len(pairs), zeros,
                    _ranked(names, corpus, average, sign), tuple(apart),
                    _case(testset, metric, mean, pairs, statistics, sentences, seed, stage(progress, "looking")))


def _ranked(names: Sequence[str], corpus: np.ndarray, average: np.ndarray, sign: int) -> tuple[SystemAverage, ...]:
    places = [np.argsort(np.argsort(-sign * scores, kind="stable"), kind="stable") + 1 for scores in (corpus, average)]
    rows = zip(names, corpus.tolist(), average.tolist(), *(place.tolist() for place in places), strict=True)
    return tuple(sorted((SystemAverage(*row) for row in rows), key=lambda row: row.corpus_place))


def _disagreements(names: Sequence[str], pairs: np.ndarray, corpus: np.ndarray,
                   average: np.ndarray) -> Iterator[Disagreement]:
    """Pairs that the two put in opposite order; the scores are higher where better."""
    for first, second in pairs.tolist():
        a, b = (first, second) if corpus[first] > corpus[second] else (second, first)
        deltas = float(corpus[a] - corpus[b]), float(average[a] - average[b])
        if deltas[0] > 0 > deltas[1]:
            yield Disagreement(names[a], names[b], *deltas)


def _size(pair: Disagreement) -> float:
    return min(pair.corpus_delta, -pair.average_delta)


def _case(testset: TestSet, metric: Metric, mean: SentenceMean, pairs: np.ndarray, statistics: np.ndarray,
          sentences: np.ndarray, seed: int, report: engine.Progress | None) -> Case | None:
    names, sign = list(testset.systems), direction(metric)
    fit = np.arange(testset.n_segments)
    if (long_enough := _column(metric, statistics, "total_4")) is not None:
        fit = np.flatnonzero((long_enough > 0).all(axis=0))
    sizes = [size for size in _SIZES if size <= len(fit)]
    for at, size in enumerate(sizes):
        if report is not None:
            report(at / len(sizes))
        sets = fit[_sets(len(fit), size, seed)]
        corpus = sign * metric.score(statistics[:, sets].sum(axis=2))  # (systems, sets)
        average = sign * mean.score(sentences[:, sets].sum(axis=2))
        deltas, others = (scores[pairs[:, 0]] - scores[pairs[:, 1]] for scores in (corpus, average))
        gap = np.where(deltas * others < 0, np.minimum(abs(deltas), abs(others)), 0.0)
        pair, chosen = np.unravel_index(np.argmax(gap), gap.shape)
        if gap[pair, chosen] >= _LEAST:
            rows = np.sort(sets[chosen])
            found, = _disagreements(names, pairs[[pair]], corpus[:, chosen], average[:, chosen])
            two = [names.index(found.a), names.index(found.b)]
            ref_len = _column(metric, statistics[two[:1]][:, rows], "ref_len")
            scores, means = (tuple((sign * each[two, chosen]).tolist()) for each in (corpus, average))
            return Case(found, scores, means, tuple(testset.lines[k] for k in rows.tolist()),
                        tuple(map(tuple, metric.score(statistics[two][:, rows]).T.tolist())),
                        tuple([None] * size if ref_len is None else ref_len[0].tolist()))
    return None


def _column(metric: Metric, statistics: np.ndarray, name: str) -> np.ndarray | None:
    """One statistic, shape (systems, segments); None where the metric has none of that name."""
    return statistics[..., metric.stat_names.index(name)] if name in metric.stat_names else None


def _sets(n_segments: int, size: int, seed: int) -> np.ndarray:
    """Random sets of segments, shape (sets, size)."""
    return np.stack([subset(n_segments, size, seed, k) for k in range(_TRIES if n_segments > size else 1)])
