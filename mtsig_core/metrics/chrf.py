"""chrF and chrF++ (Popović 2015, 2017), with the counts and scores of sacreBLEU."""

from __future__ import annotations

import functools
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from mtsig_core._compiled import compiled
from mtsig_core.metrics.counting import (
    Numbers,
    Untokenized,
    as_columns,
    compiles_scores,
    count_references,
    each_block,
    lower_texts,
)
from mtsig_core.metrics.tokenizers import ALONE, make_tokenizer
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version

_CHAR_ORDER = 6
_BETA = 2
_ZERO = np.float64(0.0)  # added to whole numbers or float32, it gives float64


def _name_statistics(word_order: int) -> tuple[str, ...]:
    orders = [f"char_{n}" for n in range(1, _CHAR_ORDER + 1)]
    orders += [f"word_{n}" for n in range(1, word_order + 1)]
    names: list[str] = []
    for order in orders:
        names += [f"sys_{order}", f"ref_{order}", f"correct_{order}"]
    return tuple(names)


@dataclass(frozen=True)
class Chrf(Untokenized):
    """chrF (Popović 2015): F-score of character n-grams, n = 1 to 6, recall weighted 2 to 1.

    White space does not count. Precision and recall are averaged over the orders that both the
    systems and the references have. With several references each segment counts against the one
    that gives it the best score.

    References
    ----------
    Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, section 2.

    Examples
    --------
    "abc" has 2 of the 3 characters of "abd", and 1 of its 2 bigrams; none of either has a fourth character. So
    precision and recall are both (2/3 + 1/2 + 0/1) / 3:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["ab c"]}, references={"ref": ["a bd"]})
    >>> chrf = Chrf()
    >>> stats = chrf.statistics(toy)
    >>> stats[0, 0, :9].tolist(), stats[0, 0, 9:].any().item()
    ([3, 3, 2, 2, 2, 1, 1, 1, 0], False)
    >>> chrf.score(stats.sum(axis=1)).round(2).tolist()
    [38.89]
    """

    name: ClassVar[str] = "chrf"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no n-gram of the whole set matches a reference",
        100.0: "every segment equals a reference, as far as the metric looks",
    }
    higher_is_better: ClassVar[bool] = True
    word_order: ClassVar[int] = 0
    stat_names: ClassVar[tuple[str, ...]] = _name_statistics(0)

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Count the n-grams of each segment and its best reference, with sacreBLEU's counts.

        Of two references as good the first counts.

        Returns
        -------
        Shape (systems, segments, 18), or 24 with words, int32.
        """
        # late: a compiler takes half a second to load
        from mtsig_core.metrics.kernels import ngrams

        n_refs = len(testset.references)
        characters = replace(make_tokenizer("none"), classes=_character_classes())
        orders = [(ngrams.CHARACTERS, _CHAR_ORDER)]
        if self.word_order:
            orders.append((ngrams.BETWEEN_SPACES, self.word_order))
        shape = (len(testset.systems), testset.n_segments, len(self.stat_names))
        stats = np.empty(shape, dtype=np.int32)
        for first, last, texts in each_block(testset, progress):
            prepared = [self._prepared(row) for row in texts]
            by_kind = []
            for kind, order in orders:
                matches, sizes = ngrams.count_block(prepared, n_refs, characters, kind, order)
                by_kind.append(_counts_by_order(matches, sizes, n_refs))
            by_reference = np.concatenate(by_kind, axis=-1)
            stats[:, first:last] = self._best(by_reference, sizes[:n_refs] >= 0)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The score in points, 0 to 100, of summed statistics: shape (..., stats) -> (...).

        float64, and every step is rounded as in sacreBLEU. It is fastest with the statistics
        outermost in memory.
        """
        sums = np.asarray(sums)
        columns = as_columns(sums, len(self.stat_names))
        scores = np.empty(columns.shape[1])
        if compiles_scores(scores.size):
            _compiled()(columns, scores)
        else:
            _points(columns, scores)
        return scores.reshape(sums.shape[:-1])[()]

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's signature of these settings."""
        case = "lc" if self.lowercase else "mixed"
        return (
            f"nrefs:{count_references(testset)}|case:{case}|eff:yes|nc:{_CHAR_ORDER}|nw:{self.word_order}|space:no"
            f"|version:{find_version('sacrebleu')}"
        )

    def _prepared(self, texts: Sequence[str | None]) -> Sequence[str | None]:
        return lower_texts(texts) if self.lowercase else texts

    def _best(self, by_reference: np.ndarray, has_reference: np.ndarray) -> np.ndarray:
        """The statistics of each segment with its best reference.

        Shapes (references, systems, segments, stats) and (references, segments) -> (systems,
        segments, stats).
        """
        if len(by_reference) == 1:
            only: np.ndarray = by_reference[0]
            return only
        scores = np.where(has_reference[:, None], self.score(by_reference), -1)
        best = scores.argmax(axis=0)
        statistics: np.ndarray = np.take_along_axis(by_reference, best[None, :, :, None], axis=0)[0]
        return statistics


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF++ (Popović 2017): chrF with word n-grams, n = 1 and 2, in the same average.

    A punctuation mark at the end of a word is a word of its own, or else one at its beginning.

    References
    ----------
    Popović (2017), chrF++: words helping character n-grams, section 2.

    Examples
    --------
    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["(a b)"]}, references={"ref": ["(a c)"]})
    >>> ChrfPlusPlus().statistics(toy)[0, 0, 18:].tolist()
    [4, 4, 3, 3, 3, 1]
    """

    name: ClassVar[str] = "chrf++"
    word_order: ClassVar[int] = 2
    stat_names: ClassVar[tuple[str, ...]] = _name_statistics(2)


def _counts_by_order(matches: np.ndarray, sizes: np.ndarray, n_refs: int) -> np.ndarray:
    """The n-grams of output, of reference, and those in both, one order after the other.

    Shapes (references, systems, segments, orders) and (references + systems, segments) ->
    (references, systems, segments, 3 * orders).
    """
    n_orders = matches.shape[-1]
    n_grams = np.maximum(sizes[..., None] - np.arange(n_orders), 0)
    in_reference = np.broadcast_to(n_grams[:n_refs, None], matches.shape)
    # Where the reference is too short to have any, sacreBLEU counts none in the system either.
    in_system = np.where(in_reference, n_grams[None, n_refs:], 0)
    by_order: np.ndarray = np.stack([in_system, in_reference, matches], axis=-1)
    return by_order.reshape(*matches.shape[:-1], 3 * n_orders)


@functools.cache
def _character_classes() -> np.ndarray:
    """Class of each character: space, ASCII punctuation, or another."""
    classes = make_tokenizer("none").classes.copy()
    classes[[ord(mark) for mark in string.punctuation]] = ALONE
    classes.setflags(write=False)  # as those of BLEU, or the same code is compiled twice
    return classes


# -- scoring --------------------------------------------------------------------------------------
# The two small functions take one score or an array of them. Compiled or not they give the same
# bits, because IEEE 754 defines how each of their steps is rounded.


def _score_order(
    n_system: Numbers, n_ref: Numbers, n_correct: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Precision and recall of an order, and whether the order counts.

    Precision and recall are 0 where there is nothing to divide by.
    """
    n_system = n_system + _ZERO
    n_ref = n_ref + _ZERO
    precision = n_correct / (n_system + (n_system == 0))
    recall = n_correct / (n_ref + (n_ref == 0))
    is_counted = (n_system > 0) & (n_ref > 0)
    return precision, recall, is_counted


def _f_score(precision: Numbers, recall: Numbers, n_orders: Numbers) -> Numbers:
    """F-score in points of sums over orders."""
    n_orders = n_orders + (n_orders == 0)
    precision = precision / n_orders
    recall = recall / n_orders
    numerator = (1 + _BETA**2) * precision * recall
    denominator = _BETA**2 * precision + recall + (precision + recall == 0)
    return 100 * (numerator / denominator)


def _points(columns: np.ndarray, scores: np.ndarray) -> None:
    """Set the scores of columns (stats, n)."""
    columns = columns.astype(np.float64, copy=False)  # numpy 1 would go on in float32
    total = np.zeros((3, scores.size))
    for k in range(0, len(columns), 3):
        total += _score_order(*columns[k : k + 3])
    scores[:] = _f_score(*total)


def _add_order(
    n_system: np.ndarray,
    n_ref: np.ndarray,
    n_correct: np.ndarray,
    precision: np.ndarray,
    recall: np.ndarray,
    n_orders: np.ndarray,
) -> None:
    """Add precision and recall of an order to the sums, score by score; to be compiled."""
    for i in range(precision.size):
        own_precision, own_recall, is_counted = _score_order(n_system[i], n_ref[i], n_correct[i])
        precision[i] += own_precision
        recall[i] += own_recall
        n_orders[i] += is_counted


def _points_in_blocks(columns: np.ndarray, scores: np.ndarray) -> None:
    """The same as `_points` for many; to be compiled.

    Few scores at a time, so that the sums stay in the cache.
    """
    block = 256
    total = np.empty((3, block))
    for first in range(0, scores.size, block):
        counts = columns[:, first : first + block]
        scores_of_block = scores[first : first + block]
        size = scores_of_block.size
        precision = total[0, :size]
        recall = total[1, :size]
        n_orders = total[2, :size]
        total[:] = 0
        for k in range(0, len(columns), 3):
            _add_order(counts[k], counts[k + 1], counts[k + 2], precision, recall, n_orders)
        for i in range(size):
            scores_of_block[i] = _f_score(precision[i], recall[i], n_orders[i])


@functools.cache
def _compiled() -> Callable[[np.ndarray, np.ndarray], None]:
    return compiled(_points_in_blocks, _score_order, _f_score, _add_order)
