"""TER (Snover et al. 2006), with the edits and scores of sacreBLEU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics.counting import Untokenized, count_references, each_block, join_texts
from mtsig_core.metrics.tokenizers import make_tokenizer
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version


@dataclass(frozen=True)
class Ter(Untokenized):
    """TER (Snover et al. 2006): edits that turn an output into its reference, in % of the
    reference's words.

    An edit is a word put in, left out or replaced, or a stretch of words shifted. The shifts are
    searched for as sacreBLEU does, with all its limits. With several references the fewest edits
    count, over the mean length.

    Words are what stands between spaces. Where `normalized` or `no_punct` is set, sacreBLEU's own
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
    asian_support: bool = (
        False  # whether both extend to Chinese and Japanese characters, each a word
    )
    case_sensitive: bool = (
        False  # whether case matters; else TER ignores it, whatever `lowercase` says
    )

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

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Edits of each segment and the mean length of its references, identical to sacreBLEU's:
        shape (systems, segments, 2), int32 where each segment has one reference, float64 where
        lengths are means.
        """
        from mtsig_core.metrics.kernels import (
            edits,
            tokens,
        )  # compiled code: slow to load, and only counting needs it

        n_refs, prepare, spaces = (
            len(testset.references),
            self._preparation(),
            make_tokenizer("none"),
        )
        stats = np.empty((len(testset.systems), testset.n_segments, 2))
        for first, last, texts in each_block(testset, progress):
            prepared = [[text if text is None else prepare(text) for text in row] for row in texts]
            # sacreBLEU prepares references twice, which makes "a..5" four words in place of three
            if self.normalized:
                prepared[:n_refs] = [
                    [text and prepare(text) for text in row] for row in prepared[:n_refs]
                ]
            codes, begins, lengths = join_texts(prepared)
            ids, bounds, _ = tokens.number_tokens(
                codes, begins.ravel(), lengths.ravel(), spaces.classes, spaces.edge
            )
            found = np.empty(
                (len(stats), last - first, 2)
            )  # one layout, or code is compiled for each
            edits.count_edits(ids, bounds, n_refs, lengths[:n_refs] >= 0, found)
            stats[:, first:last] = found
        return stats.astype(np.int32) if testset.n_references == 1 else stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """TER in points, 0 and up, of summed statistics, shape (..., 2) -> (...), float64; 100
        where only the references are empty.
        """
        edits, length = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        if length.size and length.min() > 0:
            points: np.ndarray = 100 * (edits / length)
        else:
            points = 100 * np.where(length > 0, edits / np.where(length > 0, length, 1), edits > 0)
        return points

    def tokenizer(self, testset: TestSet) -> str | None:
        """Tercom's, which finds words between spaces; None where its extension cuts Chinese and
        Japanese too.
        """
        return None if self.normalized and self.asian_support else "tercom"

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's signature of these settings."""
        case = "mixed" if self.case_sensitive else "lc"
        norm, punct, asian = (
            "yes" if on else "no" for on in (self.normalized, not self.no_punct, self.asian_support)
        )
        return (
            f"nrefs:{count_references(testset)}|case:{case}|tok:tercom|norm:{norm}|punct:{punct}|asian:{asian}"
            f"|version:{find_version('sacrebleu')}"
        )

    def _preparation(self) -> Callable[[str], str]:
        """What is done to a text before it is split at spaces."""
        if not (self.normalized or self.no_punct):
            return str if self.case_sensitive else str.lower
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        theirs = TercomTokenizer(
            self.normalized, self.no_punct, self.asian_support, self.case_sensitive
        )
        return lambda text: theirs(text.rstrip())
