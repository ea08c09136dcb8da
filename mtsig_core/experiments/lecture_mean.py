"""Three sentences of which the mean of sentence scores and the corpus score say the opposite, for a lecture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.mean_against_corpus import averages
from mtsig_core.experiments.population import Rate, rate
from mtsig_core.experiments.sentence_means import SentenceMean
from mtsig_core.inference import engine
from mtsig_core.inference.measured import Measured, measure
from mtsig_core.metrics import Metric

__all__ = ["ThreeSentences", "how_often", "three_sentences"]

_STREAM, _DRAWS = 62, 10_000


@dataclass(frozen=True)
class ThreeSentences:
    """The case that `averages` finds, sentence by sentence.

    Attributes
    ----------
    names : (str, str)
        In the order of the test set: it does not say which is the better.
    outputs : list of (str, str)
    scores : list of (float, float)
        Sentence scores.
    mean : (float, float)
        Of these.
    lengths : list of int
        Tokens of each reference.
    sums : list of (list of int, list of int)
        After each sentence, of both systems: matches of 1- to 4-grams, then how many there are.
    corpus : list of (float, float)
        Corpus scores after each sentence.
    disagreements, n_pairs : int
        Pairs of the whole test set on which the two disagree, and all.
    of_random : Rate
        How often three sentences drawn at random disagree; see `how_often`.
    by_corpus : int
        Which of the two the corpus score calls the better, 0 or 1.
    """

    names: tuple[str, str]
    outputs: list[tuple[str, str]]
    scores: list[tuple[float, float]]
    mean: tuple[float, float]
    lengths: list[int]
    sums: list[tuple[list[int], list[int]]]
    corpus: list[tuple[float, float]]
    disagreements: int
    n_pairs: int
    of_random: Rate
    by_corpus: int

    @property
    def by_mean(self) -> int:
        """Which of the two the mean of sentence scores calls the better."""
        return 1 - self.by_corpus


def three_sentences(testset: TestSet, metric: str | Metric = "bleu", *, seed: int = 0,
                    statistics: np.ndarray | None = None) -> ThreeSentences:
    """The smallest case of a test set, searched for by `averages`.

    Raises
    ------
    SettingError
        Where no three sentences disagree.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e f g h i j k l", "x y z u", "x y z u"],
    ...                      "B": ["x y z u v w x y z u v w", "a b c d", "e f g h"]},
    ...              {"ref": ["a b c d e f g h i j k l", "a b c d", "e f g h"]})
    >>> found = three_sentences(ts)
    >>> found.names, found.lengths, found.sums[-1][0]
    (('A', 'B'), [12, 4, 4], [12, 11, 10, 9, 20, 17, 14, 11])
    """
    whole = measure(testset, metric, statistics=statistics)
    found = averages(testset, metric, seed=seed, statistics=whole.statistics)
    case = found.case
    if case is None or len(case.lines) != 3:
        raise SettingError(f"No three sentences of {testset.name} were found on which the mean of sentence scores and "
                           "the corpus score disagree. Choose a larger test set.")
    first, second = sorted((case.pair.a, case.pair.b), key=list(testset.systems).index)
    two, turned = (first, second), 1 if first == case.pair.a else -1
    rows = [testset.lines.index(line) for line in case.lines]
    seen = measure(testset.only(two).at(rows), metric).only(two)
    columns = [seen.metric.stat_names.index(f"{kind}_{n}") for kind in ("correct", "total") for n in (1, 2, 3, 4)]
    sums = seen.statistics.cumsum(axis=1)
    corpus = np.asarray(seen.metric.score(sums))
    outputs = zip(*(seen.testset.systems[name] for name in two), strict=True)
    a, b = case.average[::turned]
    scores = [(one[0], one[1]) for one in (pair[::turned] for pair in case.sentences)]
    return ThreeSentences(
        two, [(first or "", second or "") for first, second in outputs], scores, (a, b),
        [length or 0 for length in case.lengths],
        [(sums[0, k, columns].tolist(), sums[1, k, columns].tolist()) for k in range(3)],
        [(float(corpus[0, k]), float(corpus[1, k])) for k in range(3)], len(found.disagreements), found.n_pairs,
        how_often(whole, seed), 0 if turned == 1 else 1)


def how_often(seen: Measured, seed: int = 0, draws: int = _DRAWS) -> Rate:
    """How often the mean of sentence scores and the corpus score call another of two systems the better, where three
    sentences and two systems are drawn at random; ties disagree with nothing.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e f g h i j k l", "x y z u", "x y z u"],
    ...                      "B": ["x y z u v w x y z u v w", "a b c d", "e f g h"]},
    ...              {"ref": ["a b c d e f g h i j k l", "a b c d", "e f g h"]})
    >>> how_often(measure(ts, "bleu"), draws=100).share
    1.0
    """
    rng, pairs = np.random.default_rng([seed, _STREAM]), engine.all_pairs(len(seen.statistics))
    rows = rng.integers(seen.testset.n_segments, size=(draws, 3))
    rows = rows[np.diff(np.sort(rows), axis=1).all(axis=1)]  # three that differ
    drawn = seen.statistics[pairs[rng.integers(len(pairs), size=len(rows))].T[:, :, None], rows]
    mean = SentenceMean(seen.metric)
    corpus, average = seen.metric.score(drawn.sum(axis=2)), mean.score(mean.from_counts(drawn).sum(axis=2))
    return rate(int(np.count_nonzero((corpus[0] - corpus[1]) * (average[0] - average[1]) < 0)), len(rows))
