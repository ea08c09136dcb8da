"""Code that all metrics of texts share.

It lays out texts in blocks for compiled code, numbers words, and reads settings and signatures.
"""

from __future__ import annotations

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mtsig_core._compiled import compiled, worth_compiling
from mtsig_core.errors import SettingError
from mtsig_core.metrics.tokenizers import Tokenizer, check_tokenizer, make_tokenizer, tokenizer_name
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet, text_lengths

#: The argument of a formula: an array, or, in compiled code, one number of the array.
Numbers = Any

# Texts are counted in blocks of this many characters, so that memory does not grow with the test
# set.
_BLOCK = 2**17


def blocks(texts: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, int]]:
    """Cut the segments into runs [first, last) in which all texts have about `_BLOCK` characters."""
    sizes = np.zeros(len(texts[0]), dtype=np.int64)
    for row in texts:
        sizes += np.maximum(text_lengths(row), 0)
    block = np.cumsum(sizes) // _BLOCK
    cuts = np.flatnonzero(np.diff(block)) + 1
    yield from itertools.pairwise([0, *cuts.tolist(), len(sizes)])


def each_block(
    testset: TestSet, progress: Progress | None
) -> Iterator[tuple[int, int, list[Sequence[str | None]]]]:
    """The segments [first, last) of each block and their texts, references before systems."""
    texts = [*testset.references.values(), *testset.systems.values()]
    for first, last in blocks(texts):
        yield first, last, [row[first:last] for row in texts]
        if progress is not None:
            progress("counting", last / testset.n_segments)


def join_texts(block: Sequence[Sequence[str | None]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Code points of all texts in one array, where each begins, and its length, -1 for None."""
    texts = list(itertools.chain.from_iterable(block))
    lengths = text_lengths(texts)
    sizes = np.maximum(lengths, 0)
    begins = np.cumsum(sizes) - sizes
    joined = "".join(filter(None, texts))
    codes = np.array([joined]).view(np.uint32)  # numpy keeps each character in four bytes
    codes.setflags(write=False)
    shape = len(block), len(block[0])
    return codes, begins.reshape(shape), lengths.reshape(shape)


def lower_texts(texts: Sequence[str | None]) -> list[str | None]:
    """The texts in lower case; None stays None."""
    return [None if text is None else text.lower() for text in texts]


def as_columns(sums: np.ndarray, n_stats: int) -> np.ndarray:
    """Sums of statistics, shape (..., stats), as a row for each statistic.

    float32 stays, every other type becomes float64. All have one layout and are read-only, since
    code is compiled for each kind of array.
    """
    dtype = np.float32 if sums.dtype == np.float32 else np.float64
    columns = np.moveaxis(sums, -1, 0).reshape(n_stats, -1)
    columns = np.ascontiguousarray(columns, dtype).view()
    columns.flags.writeable = False
    return columns


def compiles_scores(n_scores: int) -> bool:
    """Whether compiled code pays off: from 500 scores on it is faster, by 15 nanoseconds each."""
    return n_scores >= 500 and worth_compiling(15 * n_scores)


def count_references(testset: TestSet) -> int | str:
    """How many references a segment has, as a signature writes it."""
    return testset.n_references or "var"


def yes_or_no(is_on: bool) -> str:
    """A switch, as a signature writes it."""
    return "yes" if is_on else "no"


@dataclass(frozen=True, eq=False)
class WordIds:
    """Texts as numbered words: equal words have equal numbers."""

    ids: np.ndarray  # numbers of all words, from 0, int64, shape (words,)
    #: Where each text begins in `ids`, and its number of words, -1 for a missing text: int64, shape
    #: (texts, segments).
    begins: np.ndarray
    counts: np.ndarray
    codes: np.ndarray  # code points of all texts
    spans: np.ndarray  # where in `codes` the word of each number is, shape (different words, 2)

    def spellings(self) -> list[str]:
        """The word of each number."""
        text = self.codes.tobytes().decode("utf-32", "surrogatepass")
        return [text[begin:end] for begin, end in self.spans.tolist()]


#: (words, first, stats): fills the statistics, of zeros, of a block of segments from `first` on.
BlockCounter = Callable[[WordIds, int, np.ndarray], None]


@dataclass(frozen=True)
class Untokenized:
    """Base class of metrics that do not allow a choice of tokenizer."""

    tokenize: str | None = None
    lowercase: bool = False  # whether case is ignored

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if self.tokenize is not None:
            raise SettingError(
                f"Metric {self.name} has no choice of tokenizer, so it cannot take {self.tokenize!r}. "
                "Remove the tokenizer, or score the metrics that need it in a run of their own."
            )


@dataclass(frozen=True)
class Tokenized:
    """Base class of metrics that split texts into words with a tokenizer.

    The default is the tokenizer that sacreBLEU uses for the target language of the test set.
    """

    tokenize: str | None = None  # one of `TOKENIZERS`
    lowercase: bool = False  # whether case is ignored

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
            texts = lower_texts(texts)
        if tokenizer.prepare is None:
            return texts
        return tokenizer.prepare(texts)


@dataclass(frozen=True)
class WordMetric(Tokenized, ABC):
    """A metric that compares the words of each output with the words of its references.

    A subclass has the attributes of a `Metric`, `score`, and `_counter`.
    """

    name: ClassVar[str]
    stat_names: ClassVar[tuple[str, ...]]
    stat_type: ClassVar[type] = np.int32
    settings: ClassVar[str]  # the part of the signature that is the metric's own

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Statistics of each segment: shape (systems, segments, stats).

        A reference with None for a segment does not count there.
        """
        shape = (len(testset.systems), testset.n_segments, len(self.stat_names))
        stats: np.ndarray = np.zeros(shape, self.stat_type)
        count = self._counter(testset)
        for first, last, texts in each_block(testset, progress):
            # one layout, or kernels are compiled for each
            block = np.zeros_like(stats[:, first:last], order="C")
            count(self.number_words(testset, texts), first, block)
            stats[:, first:last] = block
        return stats

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        case = "lc" if self._ignores_case else "mixed"
        n_refs = count_references(testset)
        tokenizer = self._tokenizer(testset).signature
        return f"nrefs:{n_refs}|case:{case}|tok:{tokenizer}|{self.settings}"

    @abstractmethod
    def _counter(self, testset: TestSet) -> BlockCounter:
        """What counts a block; the references come before the systems in the words."""

    def number_words(self, testset: TestSet, texts: Sequence[Sequence[str | None]]) -> WordIds:
        """The words of texts of a test set, as this metric finds them."""
        # late: a compiler takes half a second to load
        from mtsig_core.metrics.kernels import tokens

        tokenizer = self._tokenizer(testset)
        codes, begins, lengths = join_texts([self._prepared(row, tokenizer) for row in texts])
        ids, bounds, spans = tokens.number_tokens(
            codes, begins.ravel(), lengths.ravel(), tokenizer.classes, tokenizer.edge
        )
        counts = np.where(lengths < 0, -1, np.diff(bounds).reshape(lengths.shape))
        return WordIds(ids, bounds[:-1].reshape(lengths.shape), counts, codes, spans)


@functools.cache
def compiled_late(kernel: Callable[..., None], *helpers: Callable[..., Any]) -> Callable[..., None]:
    """A function that is compiled when it is first used, with the helpers that it calls.

    So using the name of a metric does not load a compiler.
    """
    return compiled(kernel, *helpers)
