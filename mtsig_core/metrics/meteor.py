"""METEOR as first published (Banerjee and Lavie 2005)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.languages import language_code
from mtsig_core.metrics import _meteor_alignment as alignment
from mtsig_core.metrics._word_level import BlockCounter, WordMetric, Words, compiled_late
from mtsig_core.metrics._wordnet import WordNet, find_wordnet
from mtsig_core.testset import TestSet
from mtsig_core.version import version_of

# English has Porter's stemmer (1980) as published; the others are Snowball's own.
_STEMMERS = {
    "en": "porter", "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish"}


@dataclass(frozen=True)
class Meteor(WordMetric):
    """METEOR (Banerjee and Lavie 2005): 10PR/(R+9P) of matching words, times 1 - .5 (chunks/matches)^3.

    Words match first as they are, then what is left by stems, then by synonyms, each word once and as many as possible.
    P and R are the matches per word of the output and of the reference, chunks the fewest runs that are adjacent and in
    the same order in both. The corpus score is that of summed matches, chunks and lengths; of several references the
    one with the best score counts in each segment.

    Case is ignored, as in the original program, and punctuation marks are words. Stems are Porter's for English and for
    an unknown target language, Snowball's for other European languages (as in Lavie and Agarwal 2007), and none
    elsewhere. Synonyms share a synset of WordNet, by their base forms; they count where Porter's stemmer does and
    WordNet's files are installed (Debian's ``wordnet-base``, or a folder named by ``WNSEARCHDIR``), and the signature
    says so: ``syn:wordnet3.0`` or ``syn:no``. Of all alignments with the most matches, stage by stage, the one with
    the fewest chunks is taken, where the paper takes the one with the fewest crossings. The search for it ends after
    50,000 steps with the best found, which happens in long segments with many repeated words.

    Parameters
    ----------
    tokenize : str, optional
        One of `mtsig_core.metrics.tokenizers.TOKENIZERS`; by default the one for the target language, as for BLEU.
    lowercase : bool
        Changes nothing, since case is ignored anyway.
    synonyms : bool
        False leaves synonyms out even where WordNet is installed.

    Raises
    ------
    SettingError
        If there is no such tokenizer.

    References
    ----------
    Banerjee and Lavie (2005), METEOR: an automatic metric for MT evaluation with improved correlation with human
    judgments, section 2.2.
    Lavie and Agarwal (2007), METEOR: an automatic metric for MT evaluation with high levels of correlation with human
    judgments.

    Examples
    --------
    4 words of 4 match 4 of 5, "cats" by its stem, in the chunks "the cats" and "sat down":

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cats sat down"]}, references={"ref": ["The cat just sat down"]})
    >>> meteor = Meteor()
    >>> stats = meteor.statistics(toy)
    >>> stats[0, 0].tolist()
    [4, 2, 4, 5]
    >>> meteor.score(stats.sum(axis=1)).round(2).tolist()
    [76.53]
    """

    synonyms: bool = True

    name: ClassVar[str] = "meteor"
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word of the whole set matches a reference"}
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("matches", "chunks", "sys_len", "ref_len")
    settings: ClassVar[str] = "alpha:.9|beta:3|gamma:.5"
    _ignores_case: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """METEOR in points, 0 to 100, of summed statistics: shape (..., 4) -> (...), float64."""
        sums = np.asarray(sums, dtype=np.float64)
        points: np.ndarray = alignment.points(sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3])
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, the stemmer and WordNet with their versions too."""
        stemmer = _stemmer_of(testset)
        stems = f"{stemmer}-snowball{version_of('snowballstemmer')}" if stemmer else "no"
        wordnet = self._wordnet(testset)
        synonyms = f"wordnet{wordnet.version}" if wordnet else "no"
        return f"{super().signature(testset)}|stem:{stems}|syn:{synonyms}"

    def data_digest(self, testset: TestSet) -> str:
        """Digest of the data beside the texts that the counts depend on."""
        wordnet = self._wordnet(testset)
        return wordnet.digest if wordnet else ""

    def _wordnet(self, testset: TestSet) -> WordNet | None:
        """Where synonyms come from, None without them."""
        return find_wordnet() if self.synonyms and _stemmer_of(testset) == "porter" else None

    def _counter(self, testset: TestSet) -> BlockCounter:
        import snowballstemmer

        kernel, n_refs = compiled_late(alignment.count, *alignment.HELPERS), len(testset.references)
        name = _stemmer_of(testset)
        stem_of = functools.cache(snowballstemmer.stemmer(name).stemWord if name else str)  # most words come back
        wordnet = self._wordnet(testset)
        synsets_of = functools.cache(wordnet.synsets if wordnet else lambda word: ())

        def count(words: Words, first: int, stats: np.ndarray) -> None:
            spellings = words.spellings()
            numbers: dict[str, int] = {}
            stems = [numbers.setdefault(stem_of(word), len(numbers)) for word in spellings]
            synsets = [synsets_of(word) for word in spellings]
            ends = np.cumsum([0, *map(len, synsets)])
            kernel(words.ids, words.begins, words.counts, n_refs, np.array(stems, dtype=np.int64),
                   np.array([*itertools.chain(*synsets)], dtype=np.int64), ends, stats)

        return count


def _stemmer_of(testset: TestSet) -> str | None:
    """The name of Snowball's stemmer for the target language, None without."""
    language = testset.target_language
    return "porter" if language is None else _STEMMERS.get(language_code(language) or "")
