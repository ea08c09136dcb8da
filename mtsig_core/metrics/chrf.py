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
)
from mtsig_core.metrics.tokenizers import ALONE, make_tokenizer
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version

_CHAR_ORDER = 6
_BETA = 2
_ZERO = np.float64(0.0)  # added to whole numbers or float32, it gives float64


def _stat_names(word_order: int) -> tuple[str, ...]:
    orders = [
        *(f"char_{n}" for n in range(1, _CHAR_ORDER + 1)),
        *(f"word_{n}" for n in range(1, word_order + 1)),
    ]
    return tuple(f"{of}_{order}" for order in orders for of in ("sys", "ref", "correct"))


@dataclass(frozen=True)
class Chrf(Untokenized):
    """chrF (Popović 2015): F-score, recall weighted 2 to 1, of the character n-grams of a text, n =
    1 to 6.

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
    stat_names: ClassVar[tuple[str, ...]] = _stat_names(0)

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Counts of the n-grams of each segment and its best reference, the first of two as good,
        identical to sacreBLEU's: shape (systems, segments, 18), or 24 with words, int32.
        """
        from mtsig_core.metrics.kernels import (
            ngrams,
        )  # late: a compiler takes half a second to load

        n_refs, spaces = (
            len(testset.references),
            replace(make_tokenizer("none"), classes=_classes()),
        )
        stats = np.empty(
            (len(testset.systems), testset.n_segments, len(self.stat_names)), dtype=np.int32
        )
        for first, last, texts in each_block(testset, progress):
            prepared, by_order = [self._prepared(row) for row in texts], []
            for kind, order in (
                (ngrams.CHARACTERS, _CHAR_ORDER),
                (ngrams.BETWEEN_SPACES, self.word_order),
            ):
                if order:
                    shared, sizes = ngrams.count_block(prepared, n_refs, spaces, kind, order)
                    of_length = np.maximum(sizes[..., None] - np.arange(order), 0)
                    in_ref = np.broadcast_to(of_length[:n_refs, None], shared.shape)
                    # Where the reference is too short to have any, sacreBLEU counts none in the
                    # system either.
                    in_system = np.where(in_ref, of_length[None, n_refs:], 0)
                    by_order.append(np.stack([in_system, in_ref, shared], axis=-1))
            by_ref = np.concatenate(by_order, axis=-2).reshape(
                *shared.shape[:-1], len(self.stat_names)
            )
            stats[:, first:last] = self._best(by_ref, sizes[:n_refs] >= 0)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The score in points, 0 to 100, of summed statistics, shape (..., 18), or 24 with words ->
        (...), float64. Every step is rounded as in sacreBLEU's. Fastest with the statistics
        outermost in memory.
        """
        sums = np.asarray(sums)
        columns = as_columns(sums, len(self.stat_names))
        scores = np.empty(columns.shape[1])
        (_compiled() if compiles_scores(scores.size) else _points)(columns, scores)
        return scores.reshape(sums.shape[:-1])[()]

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's signature of these settings."""
        case = "lc" if self.lowercase else "mixed"
        return (
            f"nrefs:{count_references(testset)}|case:{case}|eff:yes|nc:{_CHAR_ORDER}|nw:{self.word_order}|space:no"
            f"|version:{find_version('sacrebleu')}"
        )

    def _prepared(self, texts: Sequence[str | None]) -> Sequence[str | None]:
        return (
            [text if text is None else text.lower() for text in texts] if self.lowercase else texts
        )

    def _best(self, by_ref: np.ndarray, is_there: np.ndarray) -> np.ndarray:
        """Of statistics (references, systems, segments, stats) those of the best reference of each
        segment.
        """
        best: np.ndarray = by_ref[0]
        if len(by_ref) > 1:
            scores = np.where(is_there[:, None], self.score(by_ref), -1)
            best = np.take_along_axis(by_ref, scores.argmax(axis=0)[None, :, :, None], axis=0)[0]
        return best


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF++ (Popović 2017): as chrF, over characters, n = 1 to 6, and words, n = 1 and 2, in one
    average.

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
    stat_names: ClassVar[tuple[str, ...]] = _stat_names(2)


@functools.cache
def _classes() -> np.ndarray:
    """Class of each character: space, ASCII punctuation, or another."""
    classes = make_tokenizer("none").classes.copy()
    classes[[ord(mark) for mark in string.punctuation]] = ALONE
    return classes


# -- scoring --------------------------------------------------------------------------------------
# The two small functions take one score or an array of them. Compiled or not they give the same bits, because IEEE 754
# defines how each of their steps is rounded.


def _of_order(
    n_system: Numbers, n_ref: Numbers, n_correct: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Precision and recall of an order, 0 where there is nothing to divide by, and whether the
    order counts.
    """
    n_system, n_ref = n_system + _ZERO, n_ref + _ZERO
    return (
        n_correct / (n_system + (n_system == 0)),
        n_correct / (n_ref + (n_ref == 0)),
        (n_system > 0) & (n_ref > 0),
    )


def _f_score(precision: Numbers, recall: Numbers, n_orders: Numbers) -> Numbers:
    """F-score in points of sums over orders."""
    n_orders = n_orders + (n_orders == 0)
    precision, recall = precision / n_orders, recall / n_orders
    both = (1 + _BETA**2) * precision * recall
    return 100 * (both / (_BETA**2 * precision + recall + (precision + recall == 0)))


def _points(columns: np.ndarray, scores: np.ndarray) -> None:
    """Set the scores of columns (stats, n)."""
    total = np.zeros((3, scores.size))
    for k in range(0, len(columns), 3):
        total += _of_order(*columns[k : k + 3])
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
        p, r, counts = _of_order(n_system[i], n_ref[i], n_correct[i])
        precision[i] += p
        recall[i] += r
        n_orders[i] += counts


def _points_in_blocks(columns: np.ndarray, scores: np.ndarray) -> None:
    """The same as `_points` for many; to be compiled.

    Few scores at a time, so that the sums stay in the cache.
    """
    block = 256
    total = np.empty((3, block))
    for first in range(0, scores.size, block):
        part, here = columns[:, first : first + block], scores[first : first + block]
        precision, recall, n_orders = (
            total[0, : here.size],
            total[1, : here.size],
            total[2, : here.size],
        )
        total[:] = 0
        for k in range(0, len(columns), 3):
            _add_order(part[k], part[k + 1], part[k + 2], precision, recall, n_orders)
        for i in range(here.size):
            here[i] = _f_score(precision[i], recall[i], n_orders[i])


@functools.cache
def _compiled() -> Callable[[np.ndarray, np.ndarray], None]:
    return compiled(_points_in_blocks, _of_order, _f_score, _add_order)
