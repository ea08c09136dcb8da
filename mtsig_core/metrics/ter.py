"""TER (Snover et al. 2006), with the edits and scores of sacreBLEU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics.counting import (
    Untokenized,
    count_references,
    each_block,
    join_texts,
    yes_or_no,
)
from mtsig_core.metrics.protocol import split_sums
from mtsig_core.metrics.tokenizers import make_tokenizer
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version


@dataclass(frozen=True)
class Ter(Untokenized):
    """TER (Snover et al. 2006): edits that turn an output into its reference, in % of its words.

    An edit is a word put in, left out or replaced, or a stretch of words shifted. The search for
    shifts is sacreBLEU's, with all its limits. With several references the fewest edits count, over
    the mean length.

    Spaces separate words. Where `normalized` or `no_punct` is set, sacreBLEU's own
    code prepares the texts; everything else runs here.

    References
    ----------
    Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate with targeted human
    annotation, section 3.

    Examples
    --------
    "b c" is shifted and "x" left out: two edits for four words.

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["b c a x d"]}, references={"ref": ["A b c d"]})
    >>> ter = Ter()
    >>> stats = ter.statistics(toy)
    >>> stats[0, 0].tolist()
    [2, 4]
    >>> ter.score(stats.sum(axis=1)).tolist()
    [50.0]
    """

    normalized: bool = False  # whether punctuation is set apart and XML's escapes are undone
    no_punct: bool = False  # whether punctuation is left out
    asian_support: bool = False  # whether both extend to Chinese and Japanese characters
    case_sensitive: bool = False  # whether case matters; else it does not, whatever `lowercase` is

    name: ClassVar[str] = "ter"
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word has to be edited"}
    higher_is_better: ClassVar[bool] = False
    stat_names: ClassVar[tuple[str, ...]] = ("edits", "ref_len")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lowercase and self.case_sensitive:
            raise SettingError(
                "Metric ter cannot be both lowercase and case_sensitive. Choose one."
            )

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Count edits of each segment, and the mean length of its references, as sacreBLEU does.

        Returns
        -------
        Shape (systems, segments, 2): int32 where each segment has one reference, float64 where
        lengths are means.
        """
        # late: a compiler takes half a second to load
        from mtsig_core.metrics.kernels import edits, tokens

        n_refs = len(testset.references)
        prepare = self._preparation()
        spaces = make_tokenizer("none")
        stats = np.empty((len(testset.systems), testset.n_segments, 2))
        for first, last, texts in each_block(testset, progress):
            prepared = [_prepare_all(row, prepare) for row in texts]
            if self.normalized:
                # sacreBLEU prepares references twice, which makes "a..5" four words, not three
                prepared[:n_refs] = [_prepare_all(row, prepare) for row in prepared[:n_refs]]
            codes, begins, lengths = join_texts(prepared)
            ids, bounds, _ = tokens.number_tokens(
                codes, begins.ravel(), lengths.ravel(), spaces.classes, spaces.edge
            )
            block = np.empty((len(stats), last - first, 2))  # one layout, or it is compiled again
            edits.count_edits(ids, bounds, n_refs, lengths[:n_refs] >= 0, block)
            stats[:, first:last] = block
        if testset.n_references == 1:
            return stats.astype(np.int32)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """TER in points, 0 and up, of summed statistics: shape (..., 2) -> (...), float64.

        100 where an output has words and its references have none.
        """
        edits, length = split_sums(sums)
        has_words = length > 0
        points: np.ndarray = 100 * np.where(
            has_words, edits / np.where(has_words, length, 1), edits > 0
        )
        return points

    def tokenizer(self, testset: TestSet) -> str | None:
        """Tercom's, which finds words between spaces.

        None where its extension cuts Chinese and Japanese too.
        """
        if self.normalized and self.asian_support:
            return None
        return "tercom"

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's signature of these settings."""
        case = "mixed" if self.case_sensitive else "lc"
        norm = yes_or_no(self.normalized)
        punct = yes_or_no(not self.no_punct)
        asian = yes_or_no(self.asian_support)
        return (
            f"nrefs:{count_references(testset)}|case:{case}|tok:tercom|norm:{norm}|punct:{punct}"
            f"|asian:{asian}|version:{find_version('sacrebleu')}"
        )

    def _preparation(self) -> Callable[[str], str]:
        """What is done to a text before it is split at spaces."""
        if not (self.normalized or self.no_punct):
            return str if self.case_sensitive else str.lower
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        split = TercomTokenizer(
            self.normalized, self.no_punct, self.asian_support, self.case_sensitive
        )
        return lambda text: split(text.rstrip())


def _prepare_all(texts: Sequence[str | None], prepare: Callable[[str], str]) -> list[str | None]:
    return [None if text is None else prepare(text) for text in texts]
