"""TestSet: the aligned texts and segment scores that everything else works on."""

from __future__ import annotations

import hashlib
import math
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from numbers import Real
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, cast, overload

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, format_count, suggest_name
from mtsig_core.languages import SPACELESS, find_spaceless, languages_of

# Lines that stay in their file and are read when they are asked for, so that texts take no memory.

#: Lines that are in memory at once where all are looked at.
CHUNK_LINES = 4096


class StoredLines(Sequence[str]):
    """Lines of an open file of UTF-8 text: in all a tuple of texts would do, but of 12 bytes each.

    Slices are tuples of texts; a pickle has the texts, so that other machines can read it.
    `begins`, `sizes` are in bytes, `lengths` in characters; `state` is what `read_file_state` said
    when these were found.
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
        self._file, self._name, self._state = file, name, state
        self._begins, self._sizes, self.lengths = begins, sizes, lengths

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if not isinstance(index, slice):
            return self._bytes(int(self._begins[index]), int(self._sizes[index])).decode()
        begins, sizes = self._begins[index].tolist(), self._sizes[index].tolist()
        places = list(zip(begins, sizes, strict=True))
        first, last = (
            (min(begins), max(begin + size for begin, size in places)) if places else (0, 0)
        )
        if last - first > 2 * (sum(sizes) + len(sizes)):  # far apart
            return tuple(self._bytes(begin, size).decode() for begin, size in places)
        data = self._bytes(first, last - first)
        return tuple(data[begin - first : begin - first + size].decode() for begin, size in places)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), CHUNK_LINES):
            yield from self[start : start + CHUNK_LINES]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | StoredLines):
            return NotImplemented
        return (
            len(self) == len(other)
            and np.array_equal(self.lengths, text_lengths(other))
            and all(
                self[start : start + CHUNK_LINES] == other[start : start + CHUNK_LINES]
                for start in range(0, len(self), CHUNK_LINES)
            )
        )

    __hash__ = None  # type: ignore[assignment]  # to hash it would be to read it

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...]]]:
        return tuple, (tuple(self),)

    def take(self, indices: Sequence[int]) -> StoredLines:
        """The lines at these positions (from 0), in this order, where they are."""
        positions = np.asarray(indices, dtype=np.intp)
        return StoredLines(
            self._file,
            self._name,
            self._begins[positions],
            self._sizes[positions],
            self.lengths[positions],
            self._state,
        )

    def _bytes(self, begin: int, size: int) -> bytes:
        data = os.pread(
            self._file.fileno(), size, begin
        )  # which any threads and processes may call at once
        if read_file_state(self._file) != self._state:
            raise InputError(
                f"{self._name} has changed since it was opened. Start again, or work on a copy that stays "
                "as it is."
            )
        return data


def take_items(values: Sequence[Any], indices: Sequence[int]) -> Sequence[Any]:
    """Those at some positions (from 0), in this order; lines of a file stay there."""
    return values.take(indices) if isinstance(values, StoredLines) else [values[k] for k in indices]


def text_lengths(texts: Sequence[str | None]) -> np.ndarray:
    """The characters of each text, -1 for None.

    >>> text_lengths(("ab", None, "")).tolist()
    [2, -1, 0]
    """
    if isinstance(texts, StoredLines):
        return texts.lengths
    try:
        return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))  # type: ignore[arg-type]
    except TypeError:  # None has no length; to ask each text first takes half as long again
        return np.fromiter(
            (-1 if text is None else len(text) for text in texts), dtype=np.int64, count=len(texts)
        )


def read_file_state(file: BinaryIO) -> tuple[int, int]:
    """What changes when somebody writes to a file: its size, and when that was."""
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


# What is refused as a part of a test set: a text where a list of texts belongs, a number where a
# text does.

_JOINERS = "\u200c\u200d"


def show_name(text: str | os.PathLike[str]) -> str:
    r"""A name as any screen and file can take it.

    Escaped are bytes that are no UTF-8, halves of characters, and control and format characters,
    which nobody sees or which turn the text around them; not those that join letters in some
    scripts.

    >>> print(show_name("caf\udce9"), show_name("a\u202eb\n"), show_name("می\u200cخواهم"))
    caf\udce9 a\u202eb\n می‌خواهم
    """
    text = os.fsdecode(text)
    return text if text.isprintable() else "".join(map(_escape_letter, text))


def _escape_letter(letter: str) -> str:
    unseen = (
        unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in _JOINERS
    )
    return letter.encode("unicode_escape").decode() if unseen else letter


def as_names(where: str, values: object) -> Mapping[str, Any]:
    """A mapping whose keys are names; what no screen could show of them is written out."""
    if not isinstance(values, Mapping):
        raise InputError(
            f"{where} are {_shorten(values)}. Expected a mapping from names to lists, such as "
            "{'A': [...], 'B': [...]}."
        )
    for name in values:
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"{where}: {_shorten(name)} is no name. Expected a text that is not empty."
            )
    return (
        values
        if all(map(str.isprintable, values))
        else {show_name(name): value for name, value in values.items()}
    )


def as_list(where: str, values: object) -> tuple[Any, ...]:
    """The items of a list, an array or another sequence, one for each segment."""
    if isinstance(values, str | bytes):
        raise InputError(
            f"{where} is the text {_shorten(values)}. Expected a list with an item for each segment; for "
            "a single segment, a list of one."
        )
    if isinstance(values, Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(
            f"{where} is {_shorten(values)}. Expected a list with an item for each segment."
        )
    return cast("tuple[Any, ...]", values) if isinstance(values, StoredLines) else tuple(values)


def as_texts(where: str, values: object, missing: bool = False) -> tuple[Any, ...]:
    """Texts, one for each segment; or None in places, where some may be `missing`.

    Examples
    --------
    >>> as_texts("system A", ["a b", 3.5])
    Traceback (most recent call last):
    mtsig_core.errors.InputError: system A: segment 2 is 3.5. Expected a text; where there is nothing, an empty one, ''.
    """
    texts, nothing = as_list(where, values), "None" if missing else "an empty one, ''"
    if isinstance(texts, StoredLines) or set(map(type, texts)) <= (
        {str, type(None)} if missing else {str}
    ):
        return texts
    for k, text in enumerate(texts, 1):
        if not (isinstance(text, str) or missing and text is None):
            raise InputError(
                f"{where}: segment {k} is {_shorten(text)}. Expected a text; where there is nothing, "
                f"{nothing}."
            )
    return texts


def as_ids(where: str, values: object) -> tuple[Any, ...]:
    """Names of what each segment belongs to, such as its document; what no screen could show of
    them is written out.
    """
    texts = as_texts(where, values)
    escaped = {text: show_name(text) for text in set(texts) if not text.isprintable()}
    return as_texts(where, [escaped.get(text, text) for text in texts]) if escaped else texts


def as_scores(where: str, values: object) -> tuple[float | None, ...]:
    """Finite numbers, one for each segment; None where there is none, or NaN."""
    if isinstance(values, _Scores):
        return values
    scores = as_list(where, values)
    if set(map(type, scores)) == {float} and all(
        map(math.isfinite, scores)
    ):  # quick: a task has millions
        return _Scores(scores)
    return _Scores(_check_score(where, k, value) for k, value in enumerate(scores, 1))


class _Scores(tuple[float | None, ...]):
    """Scores that `as_scores` has looked at: each view of a test set asks again, and a task has
    millions.
    """

    __slots__ = ()


def _check_score(where: str, k: int, value: object) -> float | None:
    if value is None or type(value) is float and math.isfinite(value):
        return value
    try:
        number = (
            float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.inf
        )
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if math.isinf(number):
        raise InputError(
            f"{where}: segment {k} is {_shorten(value)}. Expected a finite number, or None for no "
            "score."
        )
    return None if math.isnan(number) else number


def _shorten(value: object, longest: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."


def reduce_frozen(instance: Any) -> tuple[Any, ...]:
    """What pickle makes a frozen dataclass from: read-only views of mappings cannot be pickled."""
    values = (getattr(instance, one.name) for one in fields(instance))
    return type(instance), tuple(
        dict(value) if isinstance(value, MappingProxyType) else value for value in values
    )


# Scores of single segments, as a part of a test set.


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """Scores that people or a model gave to single segments; immutable.

    Parameters
    ----------
    by_system : mapping of str to sequence of (float or None)
        By system, one number per segment of the test set, on the scale it was given; ``None`` where
        there is none.
    higher_is_better : bool

    Raises
    ------
    InputError
        If one is no finite number.
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
        return replace(
            self, by_system={k: [v[i] for i in indices] for k, v in self.by_system.items()}
        )

    def of(self, names: Mapping[str, str]) -> SegmentScores:
        """The scores of these systems alone, {name: what it is called from now on}."""
        return replace(
            self,
            by_system={new: self.by_system[k] for k, new in names.items() if k in self.by_system},
        )


# Training runs: further outputs of a system for the same segments, each of the system trained (or
# tuned) anew.

#: By system, the outputs of its further runs; the first run is the system's own output.
Runs = Mapping[str, Sequence[Sequence[str]]]


def freeze_runs(testset: str, runs: Runs, systems: Collection[str], n_segments: int) -> Runs:
    """The runs of a test set of that name, checked and made immutable; systems without any are left
    out.
    """
    frozen = {}
    for name, outputs in as_names(f"{testset}: runs", runs).items():
        if name not in systems:
            raise InputError(
                f"{testset}: there is a run of {name!r}, which is no system.{suggest_name(name, systems)} "
                f"Systems: {', '.join(systems) or 'none'}."
            )
        texts = [
            as_texts(f"{testset}: run {k} of {name}", output)
            for k, output in enumerate(as_list(f"{testset}: runs of {name}", outputs), 2)
        ]
        for k, output in enumerate(texts, 2):
            if len(output) != n_segments:
                raise InputError(
                    f"{testset}: run {k} of {name} has {format_count(len(output), 'segment')}, the first "
                    f"reference has {n_segments}."
                )
        if texts:
            frozen[name] = tuple(texts)
    if len({len(texts) for texts in frozen.values()}) > 1:
        counts = ", ".join(f"{name} {len(texts) + 1}" for name, texts in frozen.items())
        raise InputError(
            f"{testset}: systems have unequal numbers of training runs: {counts}. Expected as many of "
            "each, or one: run k of one system is swapped with run k of the other. Leave the surplus out."
        )
    return MappingProxyType(frozen)


# TestSet: the aligned texts that everything else works on.

_HUMAN = re.compile(r"ref(erence)?[-_. ]?\w?\w?|human([-_. ].*|\w?)", re.IGNORECASE)


def is_human(name: str) -> bool:
    """Whether a name is that of a human translation, as tables of ratings have beside systems.

    >>> [is_human(name) for name in ("refA", "ref-B", "HUMAN-refA", "human.0", "Reformer", "GPT-4")]
    [True, True, True, True, False, False]
    """
    return _HUMAN.fullmatch(name) is not None


def name_as_system(reference: str) -> str:
    """What a reference is called where it acts as a system.

    >>> name_as_system("refA"), name_as_system("HUMAN-A")
    ('HUMAN-refA', 'HUMAN-A')
    """
    return (
        reference
        if reference == "HUMAN" or reference.startswith("HUMAN-")
        else f"HUMAN-{reference}"
    )


@dataclass(frozen=True, eq=False, repr=False)
class TestSet:
    """Aligned segments of one translation direction; immutable.

    Parameters
    ----------
    name : str
        What the set is called on screen.
    systems : mapping of str to sequence of str
        Outputs by system name, one string per segment, which may be empty. ``None`` stands for
        every text of a system that has scores alone, as all have in a set without references.
    references : mapping of str to sequence of (str or None)
        The references used for scoring, by name. ``None`` marks a segment that this one does not
        have; each segment needs at least one. There may be none at all where there are `scores`.
    sources, documents, domains : sequence of str, optional
        Source text, document id and domain of each segment.
    langpair : str, optional
        Such as ``"en-de"``; decides the tokenizer, unless one is given.
    simulated : bool
        Whether the texts are made up; every screen that shows them says so.
    lines : sequence of int, optional
        The line of each segment in the files it was read from, counted from 1. Defaults to 1, 2,
        ...
    scores : mapping of str to SegmentScores
        By the name of the metric; where higher is better, a mapping from systems to numbers will
        do. Those of a reference, and of other human translations, count once these act as systems.
    parses : mapping of str to sequence of str
        By system or reference, the dependency parse of each segment, as `mtsig_core.readers.conllu`
        has it: a line for each word with form, lemma, head and relation between tabs; an empty line
        between sentences.
    tokenizer : str, optional
        What metrics of words split the texts with, unless they have a setting of their own.
    assumed : tuple of Assumption
        What was assumed or left out when it was read; see `Task`.
    runs : mapping of str to sequence of sequence of str
        By system, its outputs after further training runs: its score is the mean over the runs; see
        docs/statistics.md.

    Raises
    ------
    InputError
        If a part is no sequence of texts, they differ in length, or a segment has no reference.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", show_name(self.name))
        for key, label in (
            ("systems", "system"),
            ("references", "reference"),
            ("parses", "parse of"),
        ):
            parts = as_names(f"{self.name}: {key}", getattr(self, key))
            object.__setattr__(
                self, key, MappingProxyType({k: self._texts(label, k, v) for k, v in parts.items()})
            )
        scores = {
            name: by_system if isinstance(by_system, SegmentScores) else SegmentScores(by_system)
            for name, by_system in as_names(f"{self.name}: scores", self.scores).items()
        }
        object.__setattr__(self, "scores", MappingProxyType(scores))
        if not self.references and not self.scores:
            raise InputError(f"{self.name}: no reference. Give at least one.")
        lines = range(1, self.n_segments + 1) if self.lines is None else self.lines
        object.__setattr__(self, "lines", as_list(f"{self.name}: lines", lines))
        object.__setattr__(self, "assumed", tuple(self.assumed))
        for key, check in (("sources", as_texts), ("documents", as_ids), ("domains", as_ids)):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, check(f"{self.name}: {key}", getattr(self, key)))
        self._check()
        object.__setattr__(
            self, "runs", freeze_runs(self.name, self.runs, self.systems, self.n_segments)
        )

    def _texts(self, label: str, name: str, values: object) -> tuple[Any, ...]:
        texts = as_list(f"{self.name}: {label} {name}", values)
        rated_alone = label == "system" and self.scores and set(map(type, texts)) <= {type(None)}
        return (
            texts
            if rated_alone
            else as_texts(f"{self.name}: {label} {name}", texts, missing=label == "reference")
        )

    def _check(self) -> None:
        if (n := self.n_segments) == 0:
            empty = (
                "The reference is empty."
                if self.references
                else "The scores are of no system, or of no segment."
            )
            raise InputError(f"{self.name}: no segment. {empty}")
        parts: dict[str, Sequence[Any] | None] = {
            f"reference {k}": v for k, v in self.references.items()
        }
        parts |= {f"system {k}": v for k, v in self.systems.items()}
        parts |= {k: getattr(self, k) for k in ("sources", "documents", "domains", "lines")}
        parts |= {f"parse of {k}": v for k, v in self.parses.items()}
        parts |= {
            f"{metric} of {k}": v
            for metric, scores in self.scores.items()
            for k, v in scores.by_system.items()
        }
        for part, values in parts.items():
            if values is not None and len(values) != n:
                first = "the first reference" if self.references else "the first system"
                raise InputError(
                    f"{self.name}: {part} has {format_count(len(values), 'segment')}, {first} has {n}."
                )
        for metric, scores in self.scores.items():
            for name in scores.by_system:
                if name not in self.systems and name not in self.references and not is_human(name):
                    raise InputError(
                        f"{self.name}: {metric} is of {name!r}, which is no system of the set. "
                        f"It has: {', '.join(self.systems) or 'none'}."
                    )
        for name in self.parses:
            if name not in self.systems and name not in self.references:
                raise InputError(
                    f"{self.name}: there is a parse of {name!r}, which is no system and no reference. "
                    f"They are: {', '.join((*self.systems, *self.references))}."
                )
            if self.systems.get(name, self.references.get(name)) != self.references.get(
                name, self.systems.get(name)
            ):
                raise InputError(
                    f"{self.name}: {name!r} names a system and a reference, and its parse may be of "
                    "either. Rename one of them."
                )
        for i, refs in enumerate(zip(*self.references.values(), strict=True)):
            if all(ref is None for ref in refs):
                raise InputError(
                    f"{self.name}: line {self.lines[i]} has no reference. Add one, or leave the line out."
                )

    def __repr__(self) -> str:
        systems, segments = (
            format_count(len(self.systems), "system"),
            format_count(self.n_segments, "segment"),
        )
        return f"<TestSet {self.name!r}: {systems}, {segments}>"

    # -- sizes and groups ------------------------------------------------------------------------------------

    @property
    def n_segments(self) -> int:
        return len(next(iter((self.references or self.systems).values()), ()))

    @property
    def has_texts(self) -> bool:
        """Whether there are texts, not segment scores alone."""
        return bool(self.references)

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
        counts = {
            sum(ref is not None for ref in refs)
            for refs in zip(*self.references.values(), strict=True)
        }
        return counts.pop() if len(counts) == 1 else None

    @cached_property
    def textless_systems(self) -> tuple[str, ...]:
        """The systems without texts in a set that has texts: human translations known by their
        scores.
        """
        return (
            tuple(k for k, texts in self.systems.items() if texts[0] is None)
            if self.references
            else ()
        )

    @cached_property
    def rated_humans(self) -> tuple[str, ...]:
        """References and other human translations that have segment scores and are no systems
        here.
        """
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
        """Digest of the content (texts, names, documents, language pair, tokenizer, scores), not of
        the set's name.
        """
        sequences: list[Sequence[str | None]] = []
        for group in ("systems", "references"):
            for name, texts in getattr(self, group).items():
                sequences += [(group, name), texts]
        for key in ("sources", "documents", "domains"):
            if (values := getattr(self, key)) is not None:
                sequences += [(key,), values]
        sequences.append(("langpair", self.langpair))
        if self.tokenizer is not None:
            sequences.append(("tokenizer", self.tokenizer))
        for metric, scores in self.scores.items():
            sequences.append(("scores", metric, "higher" if scores.higher_is_better else "lower"))
            for name, numbers in scores.by_system.items():
                sequences += [
                    (name,),
                    [None if number is None else repr(number) for number in numbers],
                ]
        for name, parse in self.parses.items():
            sequences += [("parses", name), parse]
        for name, outputs in self.runs.items():
            for output in outputs:
                sequences += [("run", name), output]
        h = hashlib.blake2b(digest_size=16)
        for sequence in sequences:
            _feed(h, sequence)
        return h.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_frozen(self)

    # -- other views of the same texts -----------------------------------------------------------------------

    def only(self, names: Iterable[str]) -> TestSet:
        """The same set with these systems alone, in the order of the set."""
        names = self._check_known(names, self.systems, "system")
        return self._select_systems([k for k in self.systems if k in names])

    def without(self, names: Iterable[str]) -> TestSet:
        """The same set without these systems."""
        names = self._check_known(names, self.systems, "system")
        return self._select_systems([k for k in self.systems if k not in names])

    def keep_scorable(self, *metrics: str) -> TestSet:
        """The same set as these metrics can score it: without systems that have scores alone, if
        one needs texts.
        """
        needs_texts = bool(set(metrics) - self.scores.keys())
        return (
            self.without(self.textless_systems) if self.textless_systems and needs_texts else self
        )

    def _select_systems(self, names: Iterable[str]) -> TestSet:
        references = (name for name in self.references if name not in self.systems)
        new_names = {name: name for name in (*names, *references, *self.rated_humans)}
        return replace(
            self,
            systems={name: self.systems[name] for name in names},
            parses=self._select_parses(new_names),
            runs={name: self.runs[name] for name in names if name in self.runs},
            scores={metric: scores.of(new_names) for metric, scores in self.scores.items()},
        )

    def scored_with(
        self, names: Iterable[str] | None = None, others_as_systems: bool = False
    ) -> TestSet:
        """The same set scored with these references alone.

        Parameters
        ----------
        names : iterable of str, optional
            References to score with; all of them by default.
        others_as_systems : bool
            Whether the other references join the systems, as ``HUMAN-<name>``; they need a line for
            each segment. So do those with segment scores, without their texts: no reference is
            scored by itself.
        """
        names = (
            list(self.references)
            if names is None
            else self._check_known(names, self.references, "reference")
        )
        other_references = [name for name in self.references if name not in names]
        rated = [name for name in self.rated_humans if name not in other_references]
        systems: dict[str, Sequence[Any]] = dict(self.systems)
        new_names = {name: name for name in (*self.systems, *names)}
        if others_as_systems and not other_references and not rated:
            raise SettingError(
                f"No reference is left to act as a system: all of {', '.join(self.references)} are used for "
                "scoring, and none has ratings. Choose the ones to score with.",
                {"refs": "NAME,..."},
            )
        for name in (*other_references, *rated) if others_as_systems else ():
            human = name_as_system(name)
            if human in systems:
                raise InputError(f"{self.name}: a system is already called {human}. Rename it.")
            if name in other_references and None in self.references[name]:
                raise InputError(
                    f"{self.name}: reference {name} lacks segments, it cannot act as a system."
                )
            systems[human] = (
                self.references[name] if name in other_references else (None,) * self.n_segments
            )
        # A system of the name of a reference keeps its scores; others' are kept for when they act
        # as systems.
        humans = {
            name: name_as_system(name) if others_as_systems or name in other_references else name
            for name in self.rated_humans
        }
        parse_names = new_names | {
            name: name_as_system(name)
            for name in other_references
            if others_as_systems and name not in new_names
        }
        return replace(
            self,
            systems=systems,
            references={k: v for k, v in self.references.items() if k in names},
            parses=self._select_parses(parse_names),
            scores={
                metric: scores.of(new_names | humans) for metric, scores in self.scores.items()
            },
        )

    def in_domain(self, domain: str) -> TestSet:
        """The segments of one domain."""
        if self.domains is None:
            raise SettingError(
                f"{self.name} has no domains. A documents file with `domain<TAB>docid` gives them."
            )
        self._check_known([domain], dict.fromkeys(self.domains), "domain")
        part = self.take([i for i, d in enumerate(self.domains) if d == domain])
        return replace(part, name=f"{self.name}, domain {domain}")

    def take(self, indices: Sequence[int]) -> TestSet:
        """The segments at these positions (from 0), in this order."""
        pick = partial(take_items, indices=indices)
        return replace(
            self,
            systems={k: pick(v) for k, v in self.systems.items()},
            references={k: pick(v) for k, v in self.references.items()},
            parses={k: pick(v) for k, v in self.parses.items()},
            runs={k: [pick(v) for v in outputs] for k, outputs in self.runs.items()},
            scores={k: v.take(indices) for k, v in self.scores.items()},
            sources=self.sources and pick(self.sources),
            documents=self.documents and pick(self.documents),
            domains=self.domains and pick(self.domains),
            lines=pick(self.lines),
        )

    def _select_parses(self, names: Mapping[str, str]) -> dict[str, Sequence[str]]:
        """The parses of these texts alone, {name: what it is called from now on}."""
        return {new: self.parses[k] for k, new in names.items() if k in self.parses}

    def _check_known(self, names: Iterable[str], options: Collection[str], kind: str) -> list[str]:
        for name in (names := list(names)):
            if name not in options:
                raise SettingError(
                    f"No {kind} {name!r} in {self.name}.{suggest_name(name, options)} It has: "
                    f"{', '.join(options) or 'none'}."
                )
        return names


def _feed(h: hashlib.blake2b, values: Sequence[str | None]) -> None:
    """Add a sequence to a hash so that different sequences never give the same bytes."""
    lengths = ["-" if n < 0 else str(n) for n in text_lengths(values).tolist()]
    h.update(f"{','.join(lengths)};".encode())
    for start in range(0, len(values), CHUNK_LINES):
        h.update(
            b"".join(
                [
                    v.encode("utf-8", "surrogatepass")
                    for v in values[start : start + CHUNK_LINES]
                    if v is not None
                ]
            )
        )


# What a test set holds, and how much of it.


_NO_SPACES = SPACELESS.keys() - {
    "ko"
}  # between words: pieces between spaces would be taken for lost text


class Gap(NamedTuple):
    """Lines before the last that are no segments: the first, how many, and why, where it is known;
    a key of words in `report/caution_words.py`.
    """

    first: int
    n: int
    why: str | None


@dataclass(frozen=True)
class Holding:
    """One thing that a test set holds, and how much of it."""

    # {"reference", "system", "training run", "source", "excluded", "documents", "scores", "domain"}
    role: str
    name: str
    #: For what was left out, the lines; for scores, missing ones count as empty; None for texts
    #: that are not here.
    segments: int | None
    #: Words are what stands between spaces: None where the script has none. All are None but for
    #: texts, save `empty` of scores.
    words: int | None = None
    characters: int | None = None
    empty: int | None = None
    repeated: int | None = None
    #: Of a system by all score tables together, and of a table for all systems; None where there is
    #: no table.
    scores: int | None = None
    gap: Gap | None = None  # what was left out


def list_contents(testset: TestSet) -> list[Holding]:
    """What is there: texts, what was left out, documents, scores, domains."""
    texts = [("reference", name, values) for name, values in testset.references.items()]
    texts += [("system", name, values) for name, values in testset.systems.items()]
    texts += [
        ("training run", f"{name}, run {k}", values)
        for name, outputs in testset.runs.items()
        for k, values in enumerate(outputs, 2)
    ]
    texts += [("source", "", testset.sources)] if testset.sources is not None else []
    found = [_holding(role, name, values) for role, name, values in texts]
    if testset.scores:
        found = [
            replace(one, scores=sum(_scored(table, one.name) for table in testset.scores.values()))
            if one.role == "system"
            else one
            for one in found
        ]
    if (gap := find_gap(testset)) is not None:
        found.append(Holding("excluded", "", gap.n, gap=gap))
    if testset.documents is not None:
        found.append(
            Holding(
                "documents", format_count(testset.n_documents or 0, "document"), testset.n_segments
            )
        )
    for metric, table in testset.scores.items():
        n = sum(_scored(table, name) for name in testset.systems)
        found.append(
            Holding(
                "scores",
                metric,
                testset.n_segments,
                scores=n,
                empty=len(testset.systems) * testset.n_segments - n,
            )
        )
    return found + [
        Holding("domain", domain, size) for domain, size in Counter(testset.domains or ()).items()
    ]


def find_gap(testset: TestSet) -> Gap | None:
    """Which lines before the last are no segments; of texts, those called canary, or without a
    reference.

    >>> find_gap(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}, lines=[2]))
    Gap(first=1, n=1, why='canary')
    """
    n = testset.lines[-1] - testset.n_segments
    if n <= 0:
        return None
    known = set(testset.lines)
    first = next(line for line in range(1, testset.lines[-1]) if line not in known)
    without_reference = any(one.code == "no-reference" for one in testset.assumed)
    why = "canary or no reference" if without_reference else "canary"
    return Gap(first, n, why if testset.has_texts else None)


def _scored(scores: SegmentScores, name: str) -> int:
    """How many scores a system has."""
    return sum(value is not None for value in scores.by_system.get(name, ()))


def _holding(role: str, name: str, values: Sequence[str | None]) -> Holding:
    present = [text for text in values if text is not None]
    if not present:
        return Holding(role, name, None)
    filled = [text for text in present if text.strip()]
    words = (
        None
        if find_spaceless(present) in _NO_SPACES
        else sum(len(text.split()) for text in present)
    )
    return Holding(
        role,
        name,
        len(present),
        words,
        count_characters(present),
        len(present) - len(filled),
        len(filled) - len(set(filled)),
    )


def count_characters(values: Sequence[str | None]) -> int:
    return sum(len(text) for text in values if text is not None)
