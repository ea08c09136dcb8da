"""GTM, the general text matcher (Turian, Shen and Melamed 2003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordIds, WordMetric, compiled_late
from mtsig_core.metrics.protocol import split_sums
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class Gtm(WordMetric):
    """GTM with exponent 1: the F-measure of the words that output and reference share.

    F is 2PR/(P+R), where P and R are the size of the match per word of the output and of the
    reference. Each word matches once at most. The size of a match is (sum of length^e)^(1/e) over
    its runs. A run has words that follow each other in both texts. With e = 1 the size is the
    number of words, and order does not count. Several references follow each other, with no run
    from one to the next. Their length is their mean length, and the match of a segment is at most
    that long. The corpus score is the score of summed match sizes and lengths.

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
        """GTM in points, 0 to 100, of summed statistics: shape (..., 3) -> (...), float64.

        0 without any word.
        """
        match, sys_len, ref_len = split_sums(sums)
        words = sys_len + ref_len
        # 2PR/(P+R) in terms of the counts
        points: np.ndarray = 200 * np.divide(
            match, words, out=np.zeros(words.shape), where=words > 0
        )
        return points

    def _counter(self, testset: TestSet) -> BlockCounter:
        kernel = compiled_late(
            _count, _join_references, _match_size, _list_runs, _runs_of_length, _link
        )
        n_refs = len(testset.references)

        def count(words: WordIds, _: int, stats: np.ndarray) -> None:
            n_kinds = len(words.spans)
            kernel(words.ids, words.begins, words.counts, n_refs, n_kinds, self.exponent, stats)

        return count


@dataclass(frozen=True)
class Gtm2(Gtm):
    """GTM with exponent 2: an F-measure that rewards long runs of shared words.

    The size of a match is the root of the sum of the runs' squared lengths. The longest run is
    taken first, then the longest of the remaining words, and so on: the paper's approximation of
    the largest match. Of two runs as long, the first in the output is taken, then the first in the
    references. The rest is the same as with exponent 1.

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
        joined, n_words, n_present = _join_references(ids, begins, counts, n_refs, seg)
        # The next place of the same word; `head` has the first.
        following = np.full(joined.size, -1, np.int64)
        for j in range(joined.size - 1, -1, -1):
            word = joined[j]
            if word >= 0:
                following[j] = head[word]
                head[word] = j
        length = n_words / n_present
        for s in range(len(stats)):
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            size = _match_size(output, joined, head, following, exponent)
            stats[s, seg, 0] = min(size, length)
            stats[s, seg, 1] = len(output)
            stats[s, seg, 2] = length
        for word in joined:
            if word >= 0:
                head[word] = -1


def _join_references(
    ids: np.ndarray, begins: np.ndarray, counts: np.ndarray, n_refs: int, seg: int
) -> tuple[np.ndarray, int, int]:
    """The words of all references of a segment, -1 after each; how many words, how many texts."""
    n_words = 0
    n_present = 0
    for r in range(n_refs):
        if counts[r, seg] >= 0:
            n_words += counts[r, seg]
            n_present += 1
    joined = np.full(n_words + n_present, -1, np.int64)
    start = 0
    for r in range(n_refs):
        if counts[r, seg] >= 0:
            end = start + counts[r, seg]
            joined[start:end] = ids[begins[r, seg] :][: counts[r, seg]]
            start = end + 1
    return joined, n_words, n_present


def _match_size(
    a: np.ndarray, b: np.ndarray, head: np.ndarray, following: np.ndarray, exponent: int
) -> float:
    """Size of the match of two texts that takes the longest run first; `b` ends with -1."""
    n_cells = 0
    for word in a:
        j = head[word]
        while j >= 0:
            n_cells += 1
            j = following[j]
    if n_cells == 0:
        return 0.0
    # Runs by length, each known by its key i * len(b) + j: lists with a first run per length. A run
    # that is cut up leaves at most one more piece than it loses pairs of words, so three times the
    # pairs are enough.
    firsts = np.full(len(a) + 1, -1, np.int64)
    links = np.empty(3 * n_cells, np.int64)
    runs = np.empty(3 * n_cells, np.int64)
    n_runs = _list_runs(a, b, head, following, firsts, links, runs)
    used_a = np.zeros(len(a), np.bool_)
    used_b = np.zeros(len(b), np.bool_)
    total = 0.0
    for length in range(len(a), 0, -1):
        for run in _runs_of_length(firsts[length], links, runs):
            key = int(run)
            i = key // len(b)
            j = key % len(b)
            if not (used_a[i : i + length].any() or used_b[j : j + length].any()):
                used_a[i : i + length] = True
                used_b[j : j + length] = True
                total += float(length) ** exponent
                continue
            begin = 0  # of a piece whose words are free, for later
            for t in range(length + 1):
                if t == length or used_a[i + t] or used_b[j + t]:
                    if t > begin:
                        piece = key + begin * (len(b) + 1)
                        n_runs = _link(piece, t - begin, firsts, links, runs, n_runs)
                    begin = t + 1
    size: float = total ** (1 / exponent)
    return size


def _list_runs(
    a: np.ndarray,
    b: np.ndarray,
    head: np.ndarray,
    following: np.ndarray,
    firsts: np.ndarray,
    links: np.ndarray,
    runs: np.ndarray,
) -> int:
    """List the longest runs of words that both texts have; return how many."""
    n_runs = 0
    for i in range(len(a)):
        j = head[a[i]]
        while j >= 0:
            if i == 0 or j == 0 or a[i - 1] != b[j - 1]:
                length = 1
                while i + length < len(a) and a[i + length] == b[j + length]:
                    length += 1
                n_runs = _link(i * len(b) + j, length, firsts, links, runs, n_runs)
            j = following[j]
    return n_runs


def _runs_of_length(first: int, links: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """The runs of a list, in the order of the texts."""
    n_runs = 0
    link = first
    while link >= 0:
        n_runs += 1
        link = links[link]
    keys = np.empty(n_runs, np.int64)
    link = first
    for k in range(n_runs):
        keys[k] = runs[link]
        link = links[link]
    return np.sort(keys)


def _link(
    key: int, length: int, firsts: np.ndarray, links: np.ndarray, runs: np.ndarray, n_runs: int
) -> int:
    """Put a run on the list of its length; return the new number of runs."""
    runs[n_runs] = key
    links[n_runs] = firsts[length]
    firsts[length] = n_runs
    return n_runs + 1
