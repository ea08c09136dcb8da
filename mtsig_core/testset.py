"""TestSet: the aligned texts and segment scores that all other modules work on."""

from __future__ import annotations

import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, BinaryIO, cast, overload

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, format_count, suggest_name
from mtsig_core.judgements import Judgements
from mtsig_core.languages import languages_of

# Lines that stay in their file and are read when they are asked for, so that texts take no memory.

#: Lines that are in memory at once where all are looked at.
CHUNK_LINES = 4096


class StoredLines(Sequence[str]):
    """Lines of an open file of UTF-8 text, which take 16 bytes of memory each.

    They act like a tuple of texts, and slices are tuples of texts. A pickle has the texts, so that
    other machines can read it.

    Parameters
    ----------
    file : binary file
    name : str
        For messages.
    begins, sizes : array of int, shape (lines,)
        Where each line begins, and how long it is, in bytes.
    lengths : array of int, shape (lines,)
        In characters.
    state : tuple of int
        What `read_file_state` returned when the lines were found.
    """

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        begins: np.ndarray,
        sizes: np.ndarray,
        lengths: np.ndarray,
        state: tuple[int, int],
    ):
        self._file = file
        self._name = name
        self._begins = begins
        self._sizes = sizes
        self.lengths = lengths
        self._state = state

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if not isinstance(index, slice):
            return self._read(int(self._begins[index]), int(self._sizes[index])).decode()
        begins = self._begins[index].tolist()
        sizes = self._sizes[index].tolist()
        if not begins:
            return ()
        lines = list(zip(begins, sizes, strict=True))
        first = min(begins)
        stop = max(begin + size for begin, size in lines)
        # Lines that are close together are read with one access.
        is_dense = stop - first <= 2 * (sum(sizes) + len(sizes))
        if not is_dense:
            return tuple(self._read(begin, size).decode() for begin, size in lines)
        data = self._read(first, stop - first)
        texts = []
        for begin, size in lines:
            start = begin - first
            texts.append(data[start : start + size].decode())
        return tuple(texts)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), CHUNK_LINES):
            yield from self[start : start + CHUNK_LINES]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | StoredLines):
            return NotImplemented
        if len(self) != len(other) or not np.array_equal(self.lengths, text_lengths(other)):
            return False
        for start in range(0, len(self), CHUNK_LINES):
            chunk = slice(start, start + CHUNK_LINES)
            if self[chunk] != other[chunk]:
                return False
        return True

    __hash__ = None  # type: ignore[assignment]  # to hash it would be to read it

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...]]]:
        return tuple, (tuple(self),)

    def take(self, indices: Sequence[int]) -> StoredLines:
        """The lines at these positions (from 0), in this order; they stay in the file."""
        positions = np.asarray(indices, dtype=np.intp)
        return StoredLines(
            self._file,
            self._name,
            self._begins[positions],
            self._sizes[positions],
            self.lengths[positions],
            self._state,
        )

    def _read(self, begin: int, size: int) -> bytes:
        # Unlike seek and read, any threads and processes may call this at the same time.
        data = os.pread(self._file.fileno(), size, begin)
        if read_file_state(self._file) != self._state:
            raise InputError(
                f"{self._name} has changed since it was opened. Start again, or work on a copy that stays "
                "as it is."
            )
        return data


def take_items(values: Sequence[Any], indices: Sequence[int]) -> Sequence[Any]:
    """The items at these positions (from 0), in this order; `StoredLines` stay in their file."""
    if isinstance(values, StoredLines):
        return values.take(indices)
    return [values[k] for k in indices]


def text_lengths(texts: Sequence[str | None]) -> np.ndarray:
    """The characters of each text, -1 for None.

    >>> text_lengths(("ab", None, "")).tolist()
    [2, -1, 0]
    """
    if isinstance(texts, StoredLines):
        return texts.lengths
    try:
        return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))  # type: ignore[arg-type]
    except TypeError:  # None has no length; checking each text first would take 1.5 times as long
        lengths = (-1 if text is None else len(text) for text in texts)
        return np.fromiter(lengths, dtype=np.int64, count=len(texts))


def read_file_state(file: BinaryIO) -> tuple[int, int]:
    """The size and the modification time of a file: they change when somebody writes to it."""
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


# What is refused as a part of a test set: a text where a list of texts belongs, a number where a
# text does.

_JOINERS = "\u200c\u200d"
_UNSEEN_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")


def show_name(text: str | os.PathLike[str]) -> str:
    r"""Write a name so that every screen and file can show it.

    It escapes bytes that are not UTF-8, halves of characters, and control and format characters,
    which are invisible or change the direction of the text around them. It does not escape
    characters that join letters in some scripts.

    >>> print(show_name("caf\udce9"), show_name("a\u202eb\n"), show_name("می\u200cخواهم"))
    caf\udce9 a\u202eb\n می‌خواهم
    """
    text = os.fsdecode(text)
    if text.isprintable():
        return text
    return "".join(map(_escape_letter, text))


def _escape_letter(letter: str) -> str:
    is_unseen = unicodedata.category(letter) in _UNSEEN_CATEGORIES and letter not in _JOINERS
    return letter.encode("unicode_escape").decode() if is_unseen else letter


def as_names(location: str, values: object) -> Mapping[str, Any]:
    """Return a mapping whose keys are names, as `show_name` writes them."""
    if not isinstance(values, Mapping):
        raise InputError(
            f"{location} are {_shorten(values)}. Expected a mapping from names to lists, such as "
            "{'A': [...], 'B': [...]}."
        )
    for name in values:
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"{location}: {_shorten(name)} is no name. Expected a text that is not empty."
            )
    if all(map(str.isprintable, values)):
        return values
    return {show_name(name): value for name, value in values.items()}


def as_list(location: str, values: object) -> tuple[Any, ...]:
    """The items of a list, an array or another sequence, one for each segment."""
    if isinstance(values, str | bytes):
        raise InputError(
            f"{location} is the text {_shorten(values)}. Expected a list with an item for each segment; for "
            "a single segment, a list of one."
        )
    if isinstance(values, Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(
            f"{location} is {_shorten(values)}. Expected a list with an item for each segment."
        )
    if isinstance(values, StoredLines):
        return cast("tuple[Any, ...]", values)
    return tuple(values)


def as_texts(location: str, values: object, missing: bool = False) -> tuple[Any, ...]:
    """Texts, one for each segment; or None in places, where some may be `missing`.

    Examples
    --------
    >>> as_texts("system A", ["a b", 3.5])
    Traceback (most recent call last):
    mtsig_core.errors.InputError: system A: segment 2 is 3.5. Expected a text; where there is nothing, an empty one, ''.
    """
    texts = as_list(location, values)
    types = {str, type(None)} if missing else {str}
    if isinstance(texts, StoredLines) or set(map(type, texts)) <= types:
        return texts
    nothing = "None" if missing else "an empty one, ''"
    for segment, text in enumerate(texts, 1):
        is_missing = missing and text is None
        if not isinstance(text, str) and not is_missing:
            raise InputError(
                f"{location}: segment {segment} is {_shorten(text)}. Expected a text; where there is "
                f"nothing, {nothing}."
            )
    return texts


def as_ids(location: str, values: object) -> tuple[Any, ...]:
    """Names of what each segment belongs to, such as its document, as `show_name` has them."""
    texts = as_texts(location, values)
    escaped = {text: show_name(text) for text in set(texts) if not text.isprintable()}
    if not escaped:
        return texts
    return tuple(escaped.get(text, text) for text in texts)


def as_scores(location: str, values: object) -> tuple[float | None, ...]:
    """Check that the values are finite numbers, one per segment; NaN becomes None."""
    if isinstance(values, _Scores):
        return values
    scores = as_list(location, values)
    # Quick, as a task has millions of scores.
    if set(map(type, scores)) == {float} and all(map(math.isfinite, scores)):
        return _Scores(scores)
    return _Scores(check_score(location, segment, value) for segment, value in enumerate(scores, 1))


class _Scores(tuple[float | None, ...]):
    """Scores that `as_scores` has checked, so that views of a test set need no second check."""

    __slots__ = ()


def check_score(location: str, segment: int, value: object) -> float | None:
    """The score of a segment, counted from 1, as a finite number; None and NaN become None."""
    if value is None:
        return None
    number = math.inf
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number of hundreds of digits
            number = float(value)
    if math.isinf(number):
        raise InputError(
            f"{location}: segment {segment} is {_shorten(value)}. Expected a finite number, or None for no "
            "score."
        )
    return None if math.isnan(number) else number


def _shorten(value: object, longest: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."


def reduce_frozen(instance: Any) -> tuple[Any, ...]:
    """What pickle makes a frozen dataclass from: read-only views of mappings cannot be pickled."""
    arguments = []
    for instance_field in fields(instance):
        value = getattr(instance, instance_field.name)
        arguments.append(dict(value) if isinstance(value, MappingProxyType) else value)
    return type(instance), tuple(arguments)


# Scores of single segments, as a part of a test set.


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """Scores of single segments by people or by a model; immutable.

    Parameters
    ----------
    by_system : mapping of str to sequence of (float or None)
        By system, one number per segment of the test set, on the original scale. ``None`` marks a
        segment without a score.
    higher_is_better : bool

    Raises
    ------
    InputError
        If a score is not a finite number.
    """

    by_system: Mapping[str, Sequence[float | None]]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        scores = as_names("Scores", self.by_system)
        frozen = {name: as_scores(f"Scores of {name}", values) for name, values in scores.items()}
        object.__setattr__(self, "by_system", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_frozen(self)

    def take(self, indices: Sequence[int]) -> SegmentScores:
        """The scores of the segments at these positions."""
        taken_scores = {}
        for name, scores in self.by_system.items():
            taken_scores[name] = [scores[k] for k in indices]
        return replace(self, by_system=taken_scores)

    def select(self, new_names: Mapping[str, str]) -> SegmentScores:
        """The scores of these systems only, {name: new name}."""
        return replace(self, by_system=_rename_keys(self.by_system, new_names))


def _rename_keys(values: Mapping[str, Any], new_names: Mapping[str, str]) -> dict[str, Any]:
    """The values that have a new name, by their new names and in that order."""
    return {new: values[name] for name, new in new_names.items() if name in values}


# Training runs: further outputs of a system for the same segments, each after the system was
# trained (or tuned) again.

#: By system, the outputs of its further runs; the first run is the system's own output.
Runs = Mapping[str, Sequence[Sequence[str]]]


def _freeze_runs(testset: str, runs: Runs, systems: Collection[str], n_segments: int) -> Runs:
    """The runs of a test set of that name, checked and made immutable; only systems with some."""
    frozen = {}
    for name, outputs in as_names(f"{testset}: runs", runs).items():
        if name not in systems:
            raise InputError(
                f"{testset}: there is a run of {name!r}, which is no system.{suggest_name(name, systems)} "
                f"Systems: {', '.join(systems) or 'none'}."
            )
        texts = []
        for number, output in enumerate(as_list(f"{testset}: runs of {name}", outputs), 2):
            output_texts = as_texts(f"{testset}: run {number} of {name}", output)
            if len(output_texts) != n_segments:
                raise InputError(
                    f"{testset}: run {number} of {name} has {format_count(len(output_texts), 'segment')}, "
                    f"the first reference has {n_segments}."
                )
            texts.append(output_texts)
        if texts:
            frozen[name] = tuple(texts)
    if len({len(texts) for texts in frozen.values()}) > 1:
        counts = ", ".join(f"{name} {len(texts) + 1}" for name, texts in frozen.items())
        raise InputError(
            f"{testset}: systems have unequal numbers of training runs: {counts}. Expected as many of "
            "each, or one: run k of one system is swapped with run k of the other. Remove the surplus."
        )
    return MappingProxyType(frozen)


# TestSet: the aligned texts that everything else works on.

_HUMAN = re.compile(r"ref(erence)?[-_. ]?\w?\w?|human([-_. ].*|\w?)", re.IGNORECASE)


def is_human(name: str) -> bool:
    """Whether a name belongs to a human translation, which tables of ratings list among systems.

    >>> [is_human(name) for name in ("refA", "ref-B", "HUMAN-refA", "human.0", "Reformer", "GPT-4")]
    [True, True, True, True, False, False]
    """
    return _HUMAN.fullmatch(name) is not None


def name_as_system(reference: str) -> str:
    """Name a reference that acts as a system.

    >>> name_as_system("refA"), name_as_system("HUMAN-A")
    ('HUMAN-refA', 'HUMAN-A')
    """
    if reference == "HUMAN" or reference.startswith("HUMAN-"):
        return reference
    return f"HUMAN-{reference}"


#: Fields with texts by name, and what messages call each text.
_GROUPS = {"systems": "system", "references": "reference", "parses": "parse of"}
_SEGMENT_DATA = ("sources", "documents", "domains")  # fields with a text for each segment


@dataclass(frozen=True, eq=False, repr=False)
class TestSet:
    """Aligned segments of one translation direction; immutable.

    Parameters
    ----------
    name : str
        Name of the set on screen.
    systems : mapping of str to sequence of str
        Outputs by system name, one string per segment, which may be empty. ``None`` replaces every
        text of a system that has only scores. In a set without references a text may be ``None``
        where the output is not known.
    references : mapping of str to sequence of (str or None)
        The references used for scoring, by name. ``None`` marks a segment that the reference does
        not have; each segment needs at least one reference. A set with `scores` needs no
        references.
    sources, documents, domains : sequence of str, optional
        Source text, document id and domain of each segment.
    langpair : str, optional
        Such as ``"en-de"``; decides the tokenizer, unless one is given.
    simulated : bool
        Whether the texts are simulated; every screen that shows them then has a notice.
    lines : sequence of int, optional
        The line of each segment in the files it was read from, counted from 1. Defaults to 1, 2,
        ...
    scores : mapping of str to SegmentScores
        By the name of the metric. If higher scores are better, a mapping from systems to numbers is
        enough. Scores of a reference or another human translation count only if it acts as a
        system.
    parses : mapping of str to sequence of str
        By system or reference, the dependency parse of each segment, as `mtsig_core.readers.conllu`
        has it: a line for each word with form, lemma, head and relation between tabs; an empty line
        between sentences.
    tokenizer : str, optional
        Tokenizer for metrics of words that have no tokenizer setting of their own.
    assumed : tuple of Assumption
        Assumptions and omissions of the reader; see `Task`.
    runs : mapping of str to sequence of sequence of str
        By system, its outputs after further training runs. The score of the system is the mean over
        its runs; see docs/statistics.md.
    judgements : Judgements, optional
        Who gave the scores, in which annotation, and the errors that they marked.

    Raises
    ------
    InputError
        If a value is not a sequence of texts, lengths differ, or a segment has no reference.

    Examples
    --------
    >>> ts = TestSet("toy", systems={"A": ["a b"], "B": ["a c"]}, references={"ref": ["a b"]})
    >>> ts.n_segments, list(ts.systems)
    (1, ['A', 'B'])
    """

    __test__ = False  # not a test case, whatever its name suggests to pytest

    name: str
    systems: Mapping[str, Sequence[str]]
    references: Mapping[str, Sequence[str | None]]
    sources: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    domains: Sequence[str] | None = None
    langpair: str | None = None
    simulated: bool = False
    lines: Sequence[int] = field(default=None, repr=False)  # type: ignore[arg-type]  # see __post_init__
    scores: Mapping[str, SegmentScores] = field(default_factory=dict)
    parses: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    tokenizer: str | None = None
    assumed: tuple[Assumption, ...] = ()
    runs: Runs = field(default_factory=dict, repr=False)
    judgements: Judgements | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._set("name", show_name(self.name))
        scores = {}
        for metric, table in as_names(f"{self.name}: scores", self.scores).items():
            scores[metric] = table if isinstance(table, SegmentScores) else SegmentScores(table)
        self._set("scores", MappingProxyType(scores))
        for key, label in _GROUPS.items():
            texts = {}
            for name, values in as_names(f"{self.name}: {key}", getattr(self, key)).items():
                texts[name] = self._freeze_texts(label, name, values)
            self._set(key, MappingProxyType(texts))
        if not self.references and not self.scores:
            raise InputError(f"{self.name}: no reference. Give at least one.")
        lines = range(1, self.n_segments + 1) if self.lines is None else self.lines
        self._set("lines", as_list(f"{self.name}: lines", lines))
        self._set("assumed", tuple(self.assumed))
        for key, freeze in (("sources", as_texts), ("documents", as_ids), ("domains", as_ids)):
            if getattr(self, key) is not None:
                self._set(key, freeze(f"{self.name}: {key}", getattr(self, key)))
        self._check_lengths()
        self._check_names()
        self._check_references()
        runs = _freeze_runs(self.name, self.runs, self.systems, self.n_segments)
        self._set("runs", runs)

    def _set(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def _freeze_texts(self, label: str, name: str, values: object) -> tuple[Any, ...]:
        location = f"{self.name}: {label} {name}"
        texts = as_list(location, values)
        has_scores_only = bool(self.scores) and set(map(type, texts)) <= {type(None)}
        if label == "system" and has_scores_only:
            return texts
        is_unscored_output = label == "system" and not self.references
        may_be_missing = label == "reference" or is_unscored_output
        return as_texts(location, texts, missing=may_be_missing)

    def _check_lengths(self) -> None:
        n = self.n_segments
        if n == 0:
            if self.references:
                raise InputError(f"{self.name}: no segment. The reference is empty.")
            raise InputError(
                f"{self.name}: no segment. The scores are of no system, or of no segment."
            )
        sequences: list[tuple[str, Sequence[Any] | None]] = []
        sequences += [(f"reference {name}", texts) for name, texts in self.references.items()]
        sequences += [(f"system {name}", texts) for name, texts in self.systems.items()]
        sequences += [(key, getattr(self, key)) for key in (*_SEGMENT_DATA, "lines")]
        sequences += [(f"parse of {name}", parse) for name, parse in self.parses.items()]
        for metric, table in self.scores.items():
            sequences += [(f"{metric} of {name}", row) for name, row in table.by_system.items()]
        for label, values in sequences:
            if values is not None and len(values) != n:
                first = "the first reference" if self.references else "the first system"
                raise InputError(
                    f"{self.name}: {label} has {format_count(len(values), 'segment')}, {first} has {n}."
                )

    def _check_names(self) -> None:
        """Refuse scores and parses of systems and references that the set does not have."""
        for metric, table in self.scores.items():
            for name in table.by_system:
                if name not in self.systems and name not in self.references and not is_human(name):
                    raise InputError(
                        f"{self.name}: {metric} is of {name!r}, which is no system of the set. "
                        f"It has: {', '.join(self.systems) or 'none'}."
                    )
        for name in self.parses:
            if name not in self.systems and name not in self.references:
                raise InputError(
                    f"{self.name}: there is a parse of {name!r}, which is not a system and not a reference. "
                    f"They are: {', '.join((*self.systems, *self.references))}."
                )
            is_both = name in self.systems and name in self.references
            if is_both and self.systems[name] != self.references[name]:
                raise InputError(
                    f"{self.name}: {name!r} names a system and a reference, and its parse may be of "
                    "either. Rename one of them."
                )

    def _check_references(self) -> None:
        """Refuse a segment without a reference."""
        for row, texts in enumerate(zip(*self.references.values(), strict=True)):
            if all(text is None for text in texts):
                raise InputError(
                    f"{self.name}: line {self.lines[row]} has no reference. Add one, or remove the line."
                )

    def __repr__(self) -> str:
        systems = format_count(len(self.systems), "system")
        segments = format_count(self.n_segments, "segment")
        return f"<TestSet {self.name!r}: {systems}, {segments}>"

    # -- sizes and groups ------------------------------------------------------------------------------------

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(next(iter((self.references or self.systems).values()), ()))

    @property
    def has_texts(self) -> bool:
        """Whether the set has texts, and not only segment scores."""
        return bool(self.references)

    @cached_property
    def position_of(self) -> dict[int, int]:
        """The position of each of the lines."""
        return {line: position for position, line in enumerate(self.lines)}

    @cached_property
    def has_outputs(self) -> bool:
        """Whether the set has texts of systems that can be read, with references or without."""
        if self.references:
            return True
        return any(text is not None for texts in self.systems.values() for text in texts)

    @property
    def n_documents(self) -> int | None:
        """Number of distinct documents, None without document ids."""
        return None if self.documents is None else int(self.document_index.max()) + 1

    @property
    def n_runs(self) -> int:
        """Number of training runs, the most that a system has."""
        return 1 + max(map(len, self.runs.values()), default=0)

    @cached_property
    def n_references(self) -> int | None:
        """Number of references of each segment, None where it varies."""
        counts = set()
        for texts in zip(*self.references.values(), strict=True):
            counts.add(sum(text is not None for text in texts))
        return counts.pop() if len(counts) == 1 else None

    @cached_property
    def textless_systems(self) -> tuple[str, ...]:
        """The systems without texts in a set with texts: human translations that have scores."""
        if not self.references:
            return ()
        return tuple(name for name, texts in self.systems.items() if texts[0] is None)

    @cached_property
    def rated_humans(self) -> tuple[str, ...]:
        """References and other human translations with segment scores that are no systems."""
        scored = (name for scores in self.scores.values() for name in scores.by_system)
        return tuple(dict.fromkeys(name for name in scored if name not in self.systems))

    @property
    def target_language(self) -> str | None:
        """The second language of `langpair`."""
        return languages_of(self.langpair)[1]

    @cached_property
    def document_index(self) -> np.ndarray:
        """Document number of each segment, shape (segments,), in order of first appearance.

        Documents of the same id in two domains are two documents.
        """
        if self.documents is None:
            raise SettingError(
                f"{self.name} has no document ids. Use segments as units, or give a documents file."
            )
        numbers: dict[tuple[str, str], int] = {}
        keys = zip(self.domains or self.documents, self.documents, strict=True)
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)

    @cached_property
    def digest(self) -> str:
        """Digest of the content: texts, names, documents, language pair, tokenizer and scores.

        The name of the set does not count.
        """
        return self._hash("systems", "references")

    @cached_property
    def reference_digest(self) -> str:
        """Digest of the segments: references, sources, documents and lines, but no output or score.

        It is the same for all test sets whose outputs can be compared with each other.
        """
        return self._hash("references")

    def _hash(self, *groups: str) -> str:
        sequences: list[Sequence[str | None]] = []
        for group in groups:
            for name, texts in getattr(self, group).items():
                sequences += [(group, name), texts]
        for key in _SEGMENT_DATA:
            if getattr(self, key) is not None:
                sequences += [(key,), getattr(self, key)]
        sequences.append(("langpair", self.langpair))
        if "systems" in groups:
            sequences += self._list_outputs()
        else:
            sequences.append(("lines", str(self.lines)))
        h = hashlib.blake2b(digest_size=16)
        for sequence in sequences:
            _feed(h, sequence)
        return h.hexdigest()

    def _list_outputs(self) -> Iterator[Sequence[str | None]]:
        """What belongs to outputs, beside their texts: scores, parses, runs, how they are cut."""
        if self.tokenizer is not None:
            yield "tokenizer", self.tokenizer
        yield from self._write_scores()
        for name, parse in self.parses.items():
            yield from [("parses", name), parse]
        for name, outputs in self.runs.items():
            for output in outputs:
                yield from [("run", name), output]
        if self.judgements is not None and self.judgements.is_campaign:
            yield "judgements", repr(self.judgements)

    def _write_scores(self) -> list[Sequence[str | None]]:
        """All scores as texts, with their names and directions."""
        sequences: list[Sequence[str | None]] = []
        for metric, table in self.scores.items():
            direction = "higher" if table.higher_is_better else "lower"
            sequences.append(("scores", metric, direction))
            for name, scores in table.by_system.items():
                written = [None if score is None else repr(score) for score in scores]
                sequences += [(name,), written]
        return sequences

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_frozen(self)

    # -- other views of the same texts -----------------------------------------------------------------------

    def only(self, names: Iterable[str]) -> TestSet:
        """The same set with these systems only, in the order of the set."""
        names = self._check_known(names, self.systems, "system")
        return self._select_systems([name for name in self.systems if name in names])

    def without(self, names: Iterable[str]) -> TestSet:
        """The same set without these systems."""
        names = self._check_known(names, self.systems, "system")
        return self._select_systems([name for name in self.systems if name not in names])

    def keep_scorable(self, *metrics: str) -> TestSet:
        """The same set as these metrics can score it.

        A metric of texts scores no systems that have only scores.
        """
        needs_texts = bool(set(metrics) - self.scores.keys())
        if self.textless_systems and needs_texts:
            return self.without(self.textless_systems)
        return self

    def _select_systems(self, names: Sequence[str]) -> TestSet:
        system_names = {name: name for name in names}
        references = [name for name in self.references if name not in self.systems]
        all_names = {name: name for name in (*names, *references, *self.rated_humans)}
        systems = _rename_keys(self.systems, system_names)
        runs = _rename_keys(self.runs, system_names)
        parses = _rename_keys(self.parses, all_names)
        scores = {metric: table.select(all_names) for metric, table in self.scores.items()}
        return replace(self, systems=systems, runs=runs, parses=parses, scores=scores)

    def scored_with(
        self, names: Iterable[str] | None = None, others_as_systems: bool = False
    ) -> TestSet:
        """Return the same set, scored with only these references.

        Parameters
        ----------
        names : iterable of str, optional
            References to score with; all of them by default.
        others_as_systems : bool
            Whether the other references join the systems, as ``HUMAN-<name>``; they need a line for
            each segment. References and human translations with segment scores join too, without
            their texts, because no reference is scored against itself.
        """
        if names is None:
            scoring = list(self.references)
        else:
            scoring = self._check_known(names, self.references, "reference")
        other_references = [name for name in self.references if name not in scoring]
        joining: list[str] = []
        if others_as_systems:
            joining = self._list_joining(other_references)
        systems: dict[str, Sequence[Any]] = dict(self.systems)
        for name in joining:
            human = name_as_system(name)
            if human in systems:
                raise InputError(f"{self.name}: a system is already called {human}. Rename it.")
            systems[human] = (None,) * self.n_segments
            if name in other_references:
                systems[human] = self._get_complete_reference(name)
        # A system with the name of a reference keeps its scores and its parse.
        parse_names = {name: name for name in (*self.systems, *scoring)}
        score_names = dict(parse_names)
        for name in self.rated_humans:
            acts_as_system = others_as_systems or name in other_references
            score_names[name] = name_as_system(name) if acts_as_system else name
        for name in joining:
            if name in other_references:
                parse_names.setdefault(name, name_as_system(name))
        references = {name: self.references[name] for name in self.references if name in scoring}
        parses = _rename_keys(self.parses, parse_names)
        scores = {metric: table.select(score_names) for metric, table in self.scores.items()}
        return replace(self, systems=systems, references=references, parses=parses, scores=scores)

    def _list_joining(self, other_references: Sequence[str]) -> list[str]:
        """The human translations that join the systems: other references, and those with ratings."""
        joining = list(dict.fromkeys((*other_references, *self.rated_humans)))
        if not joining:
            raise SettingError(
                f"No reference is left to act as a system: all of {', '.join(self.references)} are "
                "used for scoring, and none has ratings. Choose the ones to score with.",
                {"refs": "NAME,..."},
            )
        return joining

    def _get_complete_reference(self, name: str) -> Sequence[Any]:
        texts = self.references[name]
        if None in texts:
            raise InputError(
                f"{self.name}: reference {name} lacks segments, it cannot act as a system."
            )
        return texts

    def in_domain(self, domain: str) -> TestSet:
        """The segments of one domain."""
        if self.domains is None:
            raise SettingError(
                f"{self.name} has no domains. A documents file with `domain<TAB>docid` gives them."
            )
        self._check_known([domain], dict.fromkeys(self.domains), "domain")
        rows = [row for row, row_domain in enumerate(self.domains) if row_domain == domain]
        return replace(self.take(rows), name=f"{self.name}, domain {domain}")

    def take(self, indices: Sequence[int]) -> TestSet:
        """The segments at these positions (from 0), in this order."""
        changes: dict[str, Any] = {"lines": take_items(self.lines, indices)}
        for group in _GROUPS:
            texts = getattr(self, group)
            changes[group] = {name: take_items(texts[name], indices) for name in texts}
        for key in _SEGMENT_DATA:
            if getattr(self, key) is not None:
                changes[key] = take_items(getattr(self, key), indices)
        runs = {}
        for name, outputs in self.runs.items():
            runs[name] = [take_items(output, indices) for output in outputs]
        scores = {metric: table.take(indices) for metric, table in self.scores.items()}
        return replace(self, runs=runs, scores=scores, **changes)

    def _check_known(self, names: Iterable[str], options: Collection[str], kind: str) -> list[str]:
        checked = list(names)
        for name in checked:
            if name not in options:
                raise SettingError(
                    f"No {kind} {name!r} in {self.name}.{suggest_name(name, options)} It has: "
                    f"{', '.join(options) or 'none'}."
                )
        return checked


def _feed(h: hashlib.blake2b, values: Sequence[str | None]) -> None:
    """Add a sequence to a hash so that different sequences never give the same bytes."""
    lengths = ["-" if n < 0 else str(n) for n in text_lengths(values).tolist()]
    h.update(f"{','.join(lengths)};".encode())
    for start in range(0, len(values), CHUNK_LINES):
        chunk = values[start : start + CHUNK_LINES]
        texts = [text.encode("utf-8", "surrogatepass") for text in chunk if text is not None]
        h.update(b"".join(texts))


def count_characters(values: Sequence[str | None]) -> int:
    """The characters of some texts."""
    return sum(len(text) for text in values if text is not None)
