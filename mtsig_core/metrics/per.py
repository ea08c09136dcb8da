"""Position-independent error rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, Words, compiled_late
from mtsig_core.metrics.wer import ErrorRate
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate (Tillmann et al. 1997): word errors without regard to order, the length of the
    longer of output and reference less the words they share, per 100 words of the reference; lower is better.

    A word is shared as often as both have it. This is half of abs(output length - reference length) plus the sum over
    words of abs(count in output - count in reference), as Popovic and Ney write it, and never more than word errors in
    order. In each segment the reference with the fewest errors counts; of two with as few, the longer. The corpus score
    is the sum of these errors over that of these references' lengths.

    Parameters
    ----------
    tokenize, lowercase
        As for `mtsig_core.metrics.bleu.Bleu`.

    References
    ----------
    Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), Accelerated DP based search for statistical translation.
    Popovic and Ney (2007), Word error rates: decomposition over POS classes and applications for error analysis.

    Examples
    --------
    Four words against five, of which they share three:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["down sat the dog"]}, references={"ref": ["the cat sat down there"]})
    >>> per = Per()
    >>> per.score(per.statistics(toy).sum(axis=1)).tolist()
    [40.0]
    """

    name: ClassVar[str] = "per"
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word is wrong, whatever the order"}

    def _counter(self, testset: TestSet) -> BlockCounter:
        kernel, n_refs = compiled_late(_count), len(testset.references)

        def count(words: Words, first: int, stats: np.ndarray) -> None:
            kernel(words.ids, words.begins, words.counts, n_refs, len(words.spans), stats)

        return count


def _count(ids: np.ndarray, begins: np.ndarray, counts: np.ndarray, n_refs: int, n_kinds: int,
           stats: np.ndarray) -> None:
    """Fill the statistics of a block, shape (systems, segments, 2); to be compiled. The references come first."""
    left = np.zeros(n_kinds, np.int64)  # how often a word of the reference is yet to be found
    for seg in range(counts.shape[1]):
        stats[:, seg, 0] = -1
        for r in range(n_refs):
            length = counts[r, seg]
            if length < 0:
                continue
            reference = ids[begins[r, seg]:][:length]
            for s in range(len(stats)):
                for word in reference:
                    left[word] = 0
                for word in reference:
                    left[word] += 1
                output = ids[begins[n_refs + s, seg]:][:counts[n_refs + s, seg]]
                shared = 0
                for word in output:
                    if left[word] > 0:
                        left[word] -= 1
                        shared += 1
                errors, best = max(len(output), length) - shared, stats[s, seg, 0]
                if best < 0 or errors < best or (errors == best and length > stats[s, seg, 1]):
                    stats[s, seg, 0], stats[s, seg, 1] = errors, length
            for word in reference:
                left[word] = 0
