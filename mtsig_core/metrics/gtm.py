"""GTM, the general text matcher (Turian, Shen and Melamed 2003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordIds, WordMetric, compiled_late
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class Gtm(WordMetric):
    """GTM with exponent 1 (Turian, Shen and Melamed 2003): the F-measure 2PR/(P+R) of the words
    that output and reference share, P and R being that number per word of the output and of the
    reference.

    Each word matches once at most. The size of a match is (sum of length^e)^(1/e) over its runs, a
    run being words that follow each other in both texts; with e = 1 that is the number of words,
    order does not count. Several references stand one after the other with no run from one to the
    next, their length is the mean of them, and the match of a segment is at most that long. The
    corpus score is that of summed match sizes and lengths.

    References
    ----------
    Turian, Shen and Melamed (2003), Evaluation of machine translation and its evaluation, MT Summit IX.
    Melamed, Green and Turian (2003), Precision and recall of machine translation, HLT-NAACL.

    Examples
    --------
    The texts share 3 words, of 4 and of 5:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["down the cat sat"]}, references={"ref": ["a cat sat there down"]})
    >>> gtm = Gtm()
    >>> gtm.score(gtm.statistics(toy).sum(axis=1)).round(2).tolist()
    [66.67]
    """

    name: ClassVar[str] = "gtm"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no word of the whole set matches a reference",
        100.0: "every segment has the words of a reference",
    }
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("match", "sys_len", "ref_len")
    stat_type: ClassVar[type] = np.float64
    exponent: ClassVar[int] = 1
    settings: ClassVar[str] = f"e:{exponent}"

    def score(self, sums: np.ndarray) -> np.ndarray:
        """GTM in points, 0 to 100, of summed statistics: shape (..., 3) -> (...), float64; 0
        without any word.
        """
        sums = np.asarray(sums, dtype=np.float64)
        words = sums[..., 1] + sums[..., 2]
        points: np.ndarray = 200 * np.divide(
            sums[..., 0], words, out=np.zeros(words.shape), where=words > 0
        )
        return points  # = 2PR/(P+R)

    def _counter(self, testset: TestSet) -> BlockCounter:
        kernel, n_refs = compiled_late(_count, _match_size, _link), len(testset.references)

        def count(words: WordIds, first: int, stats: np.ndarray) -> None:
            kernel(
                words.ids,
                words.begins,
                words.counts,
                n_refs,
                len(words.spans),
                self.exponent,
                stats,
            )

        return count


@dataclass(frozen=True)
class Gtm2(Gtm):
    """GTM with exponent 2 (Turian, Shen and Melamed 2003): an F-measure 2PR/(P+R) that rewards long
    runs, P and R being the size of the match per word of the output and of the reference, the root
    of the sum of the runs' squared lengths.

    The longest run is taken first, then the longest of the words that are left, and so on: this is
    the paper's approximation of the largest match. Of runs as long, the first in the output is
    taken, then the first in the references. Everything else is as with exponent 1.

    References
    ----------
    Turian, Shen and Melamed (2003), Evaluation of machine translation and its evaluation, MT Summit IX.

    Examples
    --------
    The runs "cat sat" and "down" make a match of size sqrt(4 + 1), of texts of 4 and 5 words:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["down the cat sat"]}, references={"ref": ["a cat sat there down"]})
    >>> gtm = Gtm2()
    >>> gtm.score(gtm.statistics(toy).sum(axis=1)).round(2).tolist()
    [49.69]
    """

    name: ClassVar[str] = "gtm-2"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no word of the whole set matches a reference",
        100.0: "every segment equals a reference, as far as the metric looks",
    }
    exponent: ClassVar[int] = 2
    settings: ClassVar[str] = f"e:{exponent}"


def _count(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    n_refs: int,
    n_kinds: int,
    exponent: int,
    stats: np.ndarray,
) -> None:
    """Fill the statistics of a block, shape (systems, segments, 3); to be compiled.

    The references come first.
    """
    head = np.full(n_kinds, -1, np.int64)
    for seg in range(counts.shape[1]):
        n_words, n_present = 0, 0
        joined = np.full(
            np.maximum(counts[:n_refs, seg], 0).sum() + n_refs, -1, np.int64
        )  # -1 ends each reference
        for r in range(n_refs):
            if counts[r, seg] >= 0:
                end = n_words + n_present + counts[r, seg]
                joined[n_words + n_present : end] = ids[begins[r, seg] :][: counts[r, seg]]
                n_words += counts[r, seg]
                n_present += 1
        following = np.full(joined.size, -1, np.int64)  # the next place of the same word
        for j in range(joined.size - 1, -1, -1):
            if joined[j] >= 0:
                following[j], head[joined[j]] = head[joined[j]], j
        for s in range(len(stats)):
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            row, length = stats[s, seg], n_words / n_present
            row[0] = min(_match_size(output, joined, head, following, exponent), length)
            row[1], row[2] = len(output), length
        for word in joined:
            if word >= 0:
                head[word] = -1


def _match_size(
    a: np.ndarray, b: np.ndarray, head: np.ndarray, following: np.ndarray, exponent: int
) -> float:
    """Size of the match of two texts that takes the longest run first."""
    n_cells = 0
    for word in a:
        j = head[word]
        while j >= 0:
            n_cells += 1
            j = following[j]
    if n_cells == 0:
        return 0.0
    # Runs by length, each known by i * len(b) + j: lists with a first run per length. A run that is
    # cut up leaves at most one more piece than it loses pairs of words, so three times the pairs
    # are enough.
    firsts = np.full(len(a) + 1, -1, np.int64)
    links, runs, n_runs = np.empty(3 * n_cells, np.int64), np.empty(3 * n_cells, np.int64), 0
    for i in range(len(a)):
        j = head[a[i]]
        while j >= 0:
            if i == 0 or j == 0 or a[i - 1] != b[j - 1]:
                length = 1
                while i + length < len(a) and a[i + length] == b[j + length]:  # b ends with -1
                    length += 1
                n_runs = _link(i * len(b) + j, length, firsts, links, runs, n_runs)
            j = following[j]

    used_a, used_b = np.zeros(len(a), np.bool_), np.zeros(len(b), np.bool_)
    total = 0.0
    for length in range(len(a), 0, -1):
        n, at = 0, firsts[length]
        while at >= 0:
            n, at = n + 1, links[at]
        keys, at = np.empty(n, np.int64), firsts[length]
        for k in range(n):
            keys[k], at = runs[at], links[at]
        for run in np.sort(keys):
            key = int(run)
            i, j = key // len(b), key % len(b)
            begin = 0
            for t in range(length + 1):
                if t == length or used_a[i + t] or used_b[j + t]:
                    if begin == 0 and t == length:
                        used_a[i : i + length] = True
                        used_b[j : j + length] = True
                        total += float(length) ** exponent
                    elif t > begin:  # a piece, for later
                        n_runs = _link(
                            key + begin * (len(b) + 1), t - begin, firsts, links, runs, n_runs
                        )
                    begin = t + 1
    size: float = total ** (1 / exponent)
    return size


def _link(
    key: int, length: int, firsts: np.ndarray, links: np.ndarray, runs: np.ndarray, n_runs: int
) -> int:
    """Put a run on the list of its length; return the new number of runs."""
    runs[n_runs], links[n_runs] = key, firsts[length]
    firsts[length] = n_runs
    return n_runs + 1
