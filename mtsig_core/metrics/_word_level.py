"""What metrics on the words of a segment share: settings, signature, and texts as numbered words."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mtsig_core._compiled import compiled
from mtsig_core.metrics._texts import blocks, joined, reference_count
from mtsig_core.metrics.tokenizers import Tokenizer, check_tokenizer, make_tokenizer, tokenizer_name
from mtsig_core.testset import TestSet


@dataclass(frozen=True, eq=False)
class Words:
    """Texts as numbered words: equal words have equal numbers."""

    ids: np.ndarray  # numbers of all words, from 0, int64, shape (words,)
    #: Where each text begins in `ids` and its number of words, -1 for a text that is None: int64, shape (texts,
    #: segments).
    begins: np.ndarray
    counts: np.ndarray
    codes: np.ndarray  # code points, and where in them the word of each number lies, shape (different words, 2)
    spans: np.ndarray

    def spellings(self) -> list[str]:
        """The word of each number."""
        text = self.codes.tobytes().decode("utf-32", "surrogatepass")
        return [text[begin:end] for begin, end in self.spans.tolist()]


#: (words, first, stats): fills the statistics, of zeros, of a block of segments from `first` on.
BlockCounter = Callable[[Words, int, np.ndarray], None]


@dataclass(frozen=True)
class Tokenized:
    """What metrics have in common that find words with a tokenizer."""

    tokenize: str | None = None
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.tokenize is not None:
            check_tokenizer(self.tokenize)

    def tokenizer(self, testset: TestSet) -> str:
        """The name of the tokenizer that finds its words."""
        return tokenizer_name(testset, self.tokenize)

    @property
    def _ignores_case(self) -> bool:
        return self.lowercase

    def _tokenizer(self, testset: TestSet) -> Tokenizer:
        return make_tokenizer(self.tokenizer(testset))

    def _prepared(self, texts: Sequence[str | None], tokenizer: Tokenizer) -> Sequence[str | None]:
        if self._ignores_case:
            texts = [text if text is None else text.lower() for text in texts]
        return tokenizer.prepare(texts) if tokenizer.prepare else texts


@dataclass(frozen=True)
class WordMetric(Tokenized, ABC):
    """A metric that compares the words of each output with those of the references, segment by segment.

    A subclass has the attributes of a `Metric`, `score`, and `_counter`.
    """

    name: ClassVar[str]
    stat_names: ClassVar[tuple[str, ...]]
    stat_type: ClassVar[type] = np.int32
    settings: ClassVar[str]  # the part of the signature that is the metric's own

    def statistics(self, testset: TestSet, progress: Callable[[float], None] | None = None) -> np.ndarray:
        """Statistics of each segment; a reference that is None is left out of its segment.

        Returns: shape (systems, segments, stats), in the order of `stat_names`.
        """
        stats: np.ndarray = np.zeros((len(testset.systems), testset.n_segments, len(self.stat_names)), self.stat_type)
        texts = [*testset.references.values(), *testset.systems.values()]
        count = self._counter(testset)
        for first, last in blocks(texts):
            block = np.zeros_like(stats[:, first:last], order="C")  # one layout, or kernels are compiled for each
            count(self._words(testset, [row[first:last] for row in texts]), first, block)
            stats[:, first:last] = block
            if progress is not None:
                progress(last / testset.n_segments)
        return stats

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        case = "lc" if self._ignores_case else "mixed"
        return f"nrefs:{reference_count(testset)}|case:{case}|tok:{self._tokenizer(testset).signature}|{self.settings}"

    @abstractmethod
    def _counter(self, testset: TestSet) -> BlockCounter:
        """What counts a block; the references come before the systems in the words."""

    def _words(self, testset: TestSet, texts: Sequence[Sequence[str | None]]) -> Words:
        from mtsig_core.metrics import _ngrams  # compiled code: costs half a second to load, only counting needs it

        tokenizer = self._tokenizer(testset)
        codes, begins, lengths = joined([self._prepared(row, tokenizer) for row in texts])
        ids, bounds, spans = _ngrams.number(codes, begins.ravel(), lengths.ravel(), tokenizer.classes, tokenizer.edge)
        counts = np.where(lengths < 0, -1, np.diff(bounds).reshape(lengths.shape))
        return Words(ids, bounds[:-1].reshape(lengths.shape), counts, codes, spans)


@functools.cache
def compiled_late(kernel: Callable[..., None], *helpers: Callable[..., Any]) -> Callable[..., None]:
    """A function compiled on first use, with those it calls, so that naming a metric does not load a compiler."""
    return compiled(kernel, *helpers)
