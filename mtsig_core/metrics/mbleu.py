"""M-BLEU (Zhang and Vogel 2004): BLEU with an arithmetic mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.bleu import Bleu
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class MBleu(Bleu):
    """M-BLEU (Zhang and Vogel 2004, eq. 4): brevity penalty times the arithmetic mean of the n-gram precisions.

    Statistics and brevity penalty are those of BLEU; the precisions of orders 1 to 4 weigh 1/4 each, one of no
    n-grams at all counts as 0, and nothing is smoothed. Never below BLEU where that is not smoothed.

    Parameters
    ----------
    tokenize, lowercase
        As for `mtsig_core.metrics.bleu.Bleu`.

    References
    ----------
    Zhang and Vogel (2004), Measuring confidence intervals for the machine translation evaluation metrics, section 2.2.
    Their printed M-BLEU scores lie below BLEU, which eq. 4 cannot give.

    Examples
    --------
    3 of 4 words match, 1 of 3 bigrams, no trigram and no four-gram; the output is a word short:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cat sat down"]}, references={"ref": ["a cat sat there down"]})
    >>> m_bleu = MBleu()
    >>> m_bleu.score(m_bleu.statistics(toy).sum(axis=1)).round(2).tolist()  # exp(1 - 5/4) (3/4 + 1/3) / 4
    [21.09]
    """

    name: ClassVar[str] = "m-bleu"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no word of the whole set matches a reference",
        100.0: "every segment equals a reference, as far as the metric looks"}

    def score(self, sums: np.ndarray) -> np.ndarray:
        """M-BLEU in points, 0 to 100, of summed statistics: shape (..., 10) -> (...), float64."""
        sums = np.asarray(sums, dtype=np.float64)
        sys_len, ref_len = sums[..., 0], sums[..., 1]
        mean = sum(sums[..., 2 + n] / np.maximum(sums[..., 6 + n], 1) for n in range(4)) / 4
        # Without a word there is no precision either, whatever the penalty.
        points: np.ndarray = 100 * mean * np.exp(np.minimum(1 - ref_len / np.maximum(sys_len, 1), 0))
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        return super().signature(testset).replace("smooth:exp", "smooth:none|mean:arithmetic")
