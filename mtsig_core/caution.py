"""Cautions and assumptions: facts that a reader needs in addition to the numbers.

`report.caution_kinds` has one row per code, with the words that a reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mtsig_core.errors import Remedy
from mtsig_core.presenter import get_presenter

#: What a caution is about; the last four are of assumptions.
Concern = Literal[
    "files",
    "texts",
    "scores",
    "ratings",
    "units",
    "test",
    "references",
    "family",
    "open pairs",
    "pair",
    "differences",
    "ranks",
    "metrics",
    "runs",
    "experiment",
    "decision",
    "assumed",  # of one metric; reports show it with the metric
    "counted",  # a fact about the ratings of one metric, and no assumption
    "excluded",  # commands print it as they read, and every export has it
    "file names",  # excluded, and no number depends on it: files of other names can hold the same
]
#: What a caution puts in doubt, from little to much; each value but the first belongs in captions.
Severity = Literal[
    "note",  # nothing: lists of caveats have it
    "caption",  # what is quoted without it: verdicts, captions and papers repeat it
    "level",  # the test rejects too often: its false-alarm rate is above alpha
    "intervals",  # the intervals are too narrow, and the test rejects too often
    "numbers",  # all numbers of a system or metric: reports begin with it
]
_NAMED_METRIC = re.compile(r"\{(by|measure|metric)[}:]")


class Words(NamedTuple):
    """The words of a caution: the general problem, its facts in this comparison, and the advice."""

    general: str
    here: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Kind:
    """The properties that all cautions or assumptions of one code share."""

    concern: Concern
    #: Templates of the words, see `Words` and `report.caution_words.Template`.
    general: str
    here: str = ""
    advice: str = ""
    severity: Severity = "note"
    #: It explains why mtsig declares no system better where one seems to be.
    beside_verdict: bool = False
    #: What the words need in addition to the facts.
    derive: Callable[[Any], Mapping[str, Any]] | None = None
    #: The names of the facts; None for cautions.
    facts: tuple[str, ...] | None = None

    @property
    def comes_first(self) -> bool:
        """Whether reports begin with it."""
        return self.severity == "numbers"

    @property
    def in_caption(self) -> bool:
        """Whether verdicts, captions and papers repeat it."""
        return self.severity != "note"

    @property
    def breaks_level(self) -> bool:
        """Whether the test rejects too often."""
        return self.severity in ("level", "intervals")

    @property
    def breaks_intervals(self) -> bool:
        """Whether the intervals are too narrow."""
        return self.severity == "intervals"

    @property
    def doubts_files(self) -> bool:
        """Whether it puts all numbers of a system in doubt; each verdict on the system shows it."""
        return self.concern == "files"

    @property
    def names_metric(self) -> bool:
        """Whether the words name the metric, so that lists need not add it."""
        return _NAMED_METRIC.search(self.general + self.here) is not None

    @property
    def leaves_out(self) -> bool:
        """Whether a reader left out something."""
        return self.concern in ("excluded", "file names")

    @property
    def names_files(self) -> bool:
        """Whether no number depends on it."""
        return self.concern == "file names"


def freeze_facts(value: Any) -> Any:
    """Convert facts to JSON types, except that lists become tuples."""
    if isinstance(value, Mapping):
        return {name: freeze_facts(fact) for name, fact in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(freeze_facts, value))
    if hasattr(value, "item"):
        return value.item()
    return value


@dataclass(frozen=True)
class Fact:
    """Base class of cautions and assumptions; the texts are made on request.

    Attributes
    ----------
    code : str
        Stable name, such as ``"identical-outputs"``.
    facts : mapping
        The numbers and names that the words need; values are as JSON has them, with tuples for
        lists.
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", freeze_facts(self.facts))

    @property
    def kind(self) -> Kind:
        """Its row in `report.caution_kinds`."""
        kind: Kind = get_presenter().find_kind(self.code)
        return kind

    @property
    def words(self) -> Words:
        """The words of the row, filled with the facts."""
        words: Words = get_presenter().write_words(self)
        return words


@dataclass(frozen=True)
class Caution(Fact):
    """A caveat of the result, with advice.

    `text` has all words, `finding` leaves out the advice, and `general` also leaves out the facts
    of this comparison.

    Attributes
    ----------
    metric, a, b : str or None
        The metric, the system or the two systems that it is about, if any.
    remedies : tuple of Remedy
        Settings that each would help, as data. Command line, pages and Python each have their own
        words for them.
    """

    metric: str | None = None
    a: str | None = None
    b: str | None = None
    remedies: tuple[Remedy, ...] = field(default=(), hash=False)

    @property
    def text(self) -> str:
        """All words, as one text."""
        return " ".join(filter(None, self.words))

    @property
    def finding(self) -> str:
        """What happened, without advice."""
        general, specific, _ = self.words
        return f"{general} {specific}".rstrip()

    @property
    def general(self) -> str:
        """The problem, without the facts of this comparison."""
        return self.words.general

    @property
    def here(self) -> str:
        """The facts of this comparison."""
        return self.words.here

    @property
    def advice(self) -> str:
        """What to do."""
        return self.words.advice

    @property
    def concerns_all(self) -> bool:
        """Whether it is about the whole result, not about single systems or pairs.

        A wrong file and a reference among the systems change all ranks.
        """
        concern = self.kind.concern
        if concern in ("files", "references"):
            return True
        return self.a is None and concern != "open pairs"

    def concerns_pair(self, a: str, b: str) -> bool:
        """Whether it is about these two systems in particular."""
        if self.kind.doubts_files:
            return self.a in (a, b, None)
        if self.kind.beside_verdict:
            groups = self.facts.get("pairs") or (self.facts["systems"],)
            return any({a, b} <= set(group) for group in groups)
        return self.a is not None and {self.a, self.b} <= {a, b, None}


@dataclass(frozen=True)
class Assumption(Fact):
    """An assumption or omission of a reader."""

    def __post_init__(self) -> None:
        kind = get_presenter().find_kind(self.code)
        if kind is None or kind.facts is None or set(kind.facts) != self.facts.keys():
            raise ValueError(
                f"The code {self.code[:40]!r} or its facts are unknown. Expected what mtsig writes"
            )
        super().__post_init__()

    def __str__(self) -> str:
        return self.text

    @property
    def metric(self) -> str | None:
        """The one metric that it is about; None where something was left out."""
        return None if self.kind.leaves_out else str(self.facts["metric"])

    @property
    def text(self) -> str:
        """All words, as one text."""
        return self.words.general
