"""What a reader has to know beside the numbers, as facts: warnings, and what was assumed.

`report` writes the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mtsig_core.errors import Remedy

if TYPE_CHECKING:
    from mtsig_core.report.caution_words import Words

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
]


@dataclass(frozen=True)
class Kind:
    """Where warnings of a code belong, whatever they say."""

    concern: Concern
    #: It stands before all numbers of a report.
    comes_first: bool = False
    #: It stands beside the verdict of its metric: why mtsig declares no system better where one
    #: seems to be.
    beside_verdict: bool = False
    #: No result should be quoted without it: verdicts, captions and papers repeat it.
    in_caption: bool = False
    #: The test rejects too often, so that its false-alarm rate is above alpha.
    breaks_level: bool = False
    breaks_intervals: bool = False
    #: Its words name the metric, which no list then has to add.
    names_metric: bool = False

    @property
    def doubts_files(self) -> bool:
        """Whether it puts all numbers of a system in doubt, and so belongs beside every verdict."""
        return self.concern == "files"


#: The kind of each code.
CAUTION_KINDS: Mapping[str, Kind] = {
    "is-source": Kind("files", comes_first=True, in_caption=True),
    "other-script": Kind("files", comes_first=True, in_caption=True),
    "other-order": Kind("files", comes_first=True, in_caption=True),
    "reference-order": Kind("files", comes_first=True, in_caption=True),
    "marked-lines": Kind("files", comes_first=True, in_caption=True),
    "marked-reference": Kind("files", comes_first=True, in_caption=True),
    "faulty-lines": Kind("files", comes_first=True, in_caption=True),
    "few-faulty-lines": Kind("texts"),
    "other-characters": Kind("files", comes_first=True, in_caption=True),
    "some-characters": Kind("texts"),
    "other-chinese": Kind("files", comes_first=True, in_caption=True),
    "made-from-output": Kind("files", comes_first=True, in_caption=True),
    "one-system": Kind("texts"),
    "canary": Kind("texts"),
    "documents-in-domains": Kind("texts"),
    "all-empty": Kind("texts"),
    "empty-lines": Kind("texts"),
    "odd-length": Kind("texts"),
    "tokenizer-missing": Kind("scores", names_metric=True),
    "tokenizer-and-script": Kind("scores", comes_first=True, in_caption=True, names_metric=True),
    "cannot-tell-apart": Kind("scores", beside_verdict=True, in_caption=True, names_metric=True),
    "depends-on-size": Kind("ratings", names_metric=True),
    "ratings-alone": Kind("ratings", names_metric=True),
    "ratings-of-references": Kind("ratings", names_metric=True),
    "raters-favour-systems": Kind(
        "ratings", in_caption=True, breaks_level=True, breaks_intervals=True, names_metric=True
    ),
    "few-rater-links": Kind("ratings", names_metric=True),
    "not-rated": Kind("ratings", names_metric=True),
    "partly-rated": Kind("ratings", names_metric=True),
    "rated-on-different-lines": Kind("ratings", names_metric=True),
    "documents-ignored": Kind("units", in_caption=True, breaks_level=True, breaks_intervals=True),
    "no-documents": Kind("units", in_caption=True),
    "one-segment-documents": Kind("units", in_caption=True),
    "copied-segments": Kind("units", in_caption=True, breaks_level=True, breaks_intervals=True),
    "blocks-for-documents": Kind("units"),
    "few-units": Kind("units", in_caption=True, names_metric=True),
    "test-as-published": Kind("test", in_caption=True, breaks_level=True),
    "test-assumes": Kind("test", in_caption=True),
    "test-needs-units": Kind("test", in_caption=True, breaks_level=True),
    "skewed-system": Kind(
        "test", in_caption=True, breaks_level=True, breaks_intervals=True, names_metric=True
    ),
    "reference-among-systems": Kind("references"),
    "references-disagree": Kind("references", in_caption=True, names_metric=True),
    "too-few-units": Kind("family"),
    "family-too-large": Kind("family"),
    "not-equal": Kind("open pairs"),
    "interval-and-decision": Kind("open pairs"),
    "rank-rule": Kind("ranks", in_caption=True),
    "rank-rule-of-ratings": Kind("ranks", names_metric=True),
    "domains-of-systems": Kind("ranks", beside_verdict=True, names_metric=True),
    "ranks-and-correction": Kind("ranks", in_caption=True),
    "split-decision": Kind("pair", beside_verdict=True, in_caption=True, names_metric=True),
    "no-common-line": Kind("pair", names_metric=True),
    "too-few-common-units": Kind("pair", names_metric=True),
    "few-common-lines": Kind("pair"),
    "few-differences": Kind("differences", names_metric=True),
    "identical-outputs": Kind("pair"),
    "identical-scores": Kind("pair", names_metric=True),
    "near-alpha": Kind("pair"),
    "near-alpha-at-the-least-p": Kind("pair"),
    "several-metrics": Kind("metrics"),
    "top-groups-differ": Kind("metrics", comes_first=True, in_caption=True),
    "one-metric": Kind("metrics", names_metric=True),
    "which-metric": Kind("metrics", names_metric=True),
    "against-people": Kind("metrics", names_metric=True),
    "training-runs": Kind("runs"),
    "single-run": Kind("runs"),
    "identical-runs": Kind("runs"),
    "runs-not-rated": Kind("runs", names_metric=True),
    "runs-may-turn": Kind("runs"),
    "few-units-in-parts": Kind("experiment"),
    "too-few-units-in-parts": Kind("experiment"),
    "whole-undecided": Kind("experiment"),
    "weights-of-domains": Kind("experiment", names_metric=True),
    "domains-without-scores": Kind("experiment", names_metric=True),
    "cannot-plan": Kind("experiment"),
    "declared-not-compared": Kind("decision", names_metric=True),
    "declared-without-ranks": Kind("decision", names_metric=True),
    "declared-not-first": Kind("decision", names_metric=True),
    "top-group-not-declared": Kind("decision", names_metric=True),
}


@dataclass(frozen=True)
class Caution:
    """A warning: what to keep in mind when reading the result, and what to do.

    Its texts are made of the facts when they are asked for: `text` is all of it, `finding` leaves
    out what to do, and `general` what holds of this comparison only, too; `here` and `advice` are
    these parts.

    Attributes
    ----------
    code : str
        Stable name, such as ``"identical-outputs"``; a key of `CAUTION_KINDS`.
    facts : mapping
        The numbers and names that its words need; values are as JSON has them, with tuples for
        lists.
    metric, a, b : str or None
        What it is about, where it is about one metric, system or pair.
    remedies : tuple of Remedy
        Settings that each would help, as data: whoever shows the warning says them in its own
        words.
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    metric: str | None = None
    a: str | None = None
    b: str | None = None
    remedies: tuple[Remedy, ...] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", freeze_facts(self.facts))

    @property
    def kind(self) -> Kind:
        return CAUTION_KINDS[self.code]

    @property
    def text(self) -> str:
        return " ".join(filter(None, self._words))

    @property
    def finding(self) -> str:
        return " ".join(filter(None, self._words[:2]))

    @property
    def general(self) -> str:
        return self._words.general

    @property
    def here(self) -> str:
        return self._words.here

    @property
    def advice(self) -> str:
        return self._words.advice

    @property
    def _words(self) -> Words:
        from mtsig_core.report.caution_words import caution_words

        return caution_words(self)

    @property
    def concerns_all(self) -> bool:
        """Whether it is about the whole of what it came with, not about single systems or pairs: a
        wrong file and a reference among the systems change all ranks.
        """
        concern = self.kind.concern
        return concern in ("files", "references") or self.a is None and concern != "open pairs"

    def concerns_pair(self, a: str, b: str) -> bool:
        """Whether it is about these two systems in particular."""
        if self.kind.doubts_files:
            return self.a in (a, b, None)
        if self.kind.beside_verdict:
            groups: tuple[tuple[str, ...], ...] = self.facts.get("pairs") or (
                self.facts["systems"],
            )
            return any({a, b} <= set(group) for group in groups)
        return {self.a, self.b} == {a, b}


def freeze_facts(value: Any) -> Any:
    """Facts as JSON has them, with tuples for lists, and numbers of Python for those of numpy."""
    if isinstance(value, Mapping):
        return {name: freeze_facts(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(freeze_facts, value))
    return value.item() if hasattr(value, "item") else value


# What was assumed or left out as files were read.


@dataclass(frozen=True)
class AssumptionKind:
    """Where assumptions of a code belong, and the facts that their words need."""

    facts: tuple[str, ...]
    #: Something was left out: commands say so as they read, and every export has it. What else was
    #: assumed is of one metric, and stands where that metric does.
    leaves_out: bool = True
    is_counted: bool = False  # a fact of a metric, and no assumption
    #: It is of files and how they are called, and no number depends on it: two may read the same
    #: content from files of other names.
    names_files: bool = False


#: The kind of each code.
ASSUMPTION_KINDS: Mapping[str, AssumptionKind] = {
    # Which scores are better.
    "direction-open": AssumptionKind(("scores",)),
    "direction-told": AssumptionKind(("metric", "higher"), leaves_out=False),
    "direction-known": AssumptionKind(("metric", "higher", "low", "high"), leaves_out=False),
    "direction-default": AssumptionKind(("metric",), leaves_out=False),
    # How many ratings scores are means of.
    "ratings": AssumptionKind(
        ("metric", "langpair", "n_ratings", "n_raters", "per_segment", "agreement", "left_out"),
        leaves_out=False,
        is_counted=True,
    ),
    "ratings-as-segments": AssumptionKind(("metric",), leaves_out=False, is_counted=True),
    "ratings-standardized": AssumptionKind(("metric",), leaves_out=False, is_counted=True),
    "mqm-weights": AssumptionKind(("metric", "weights"), leaves_out=False, is_counted=True),
    "ratings-adjusted": AssumptionKind(
        ("metric", "n_raters", "effects_sd"), leaves_out=False, is_counted=True
    ),
    "rater-links": AssumptionKind(
        ("metric", "langpair", "a", "b", "worth", "widening", "n_documents"),
        leaves_out=False,
        is_counted=True,
    ),
    "rater-favour": AssumptionKind(
        ("metric", "langpair", "detectable", "p"), leaves_out=False, is_counted=True
    ),
    "rater-favour-untested": AssumptionKind(
        ("metric", "langpair", "reason", "detectable"), leaves_out=False, is_counted=True
    ),
    # Systems, segments, files, language pairs.
    "withdrawn": AssumptionKind(("table", "names"), names_files=True),
    "no-reference": AssumptionKind(("n", "segment", "document")),
    "lines-from-zero": AssumptionKind(("file",), names_files=True),
    "failed-judgements": AssumptionKind(("metric", "mark", "n_failed"), leaves_out=False),
    "summary-rows": AssumptionKind(("metric", "file", "rows", "what"), names_files=True),
    "texts-aside": AssumptionKind(("file", "columns"), names_files=True),
    "numbers-aside": AssumptionKind(("file", "columns"), names_files=True),
    "outputs-unused": AssumptionKind(("file",), names_files=True),
    "columns-aside": AssumptionKind(("metric", "file", "columns"), names_files=True),
    "columns-renamed": AssumptionKind(("metric", "file", "columns"), names_files=True),
    "line-ids": AssumptionKind(("example", "moved"), names_files=True),
    "names-of-outputs": AssumptionKind(("place", "files", "n"), names_files=True),
    "pair-without-output": AssumptionKind(("pair",), names_files=True),
    "pair-without-reference": AssumptionKind(("pair",), names_files=True),
    "no-language-pair": AssumptionKind(("name",), names_files=True),
    "references-of-others": AssumptionKind(("pair", "names", "used"), names_files=True),
    # A sentence of a result that an older version wrote.
    "as-written": AssumptionKind(("text",), names_files=True),
}


@dataclass(frozen=True)
class Assumption:
    """What was assumed or left out; its words are made of the facts when they are asked for.

    Attributes
    ----------
    code : str
        A key of `ASSUMPTION_KINDS`.
    facts : mapping
        The numbers and names that its words need; values are as JSON has them, with tuples for
        lists.
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.code not in ASSUMPTION_KINDS or set(self.kind.facts) != self.facts.keys():
            raise ValueError(
                f"The code {self.code[:40]!r} or its facts are unknown. Expected what mtsig writes"
            )
        object.__setattr__(self, "facts", freeze_facts(self.facts))

    def __str__(self) -> str:
        return self.text

    @property
    def kind(self) -> AssumptionKind:
        return ASSUMPTION_KINDS[self.code]

    @property
    def metric(self) -> str | None:
        """The one metric that it is about; None where something was left out."""
        return None if self.kind.leaves_out else str(self.facts["metric"])

    @property
    def text(self) -> str:
        from mtsig_core.report.caution_words import ASSUMPTION_TEMPLATES, fill

        return fill(ASSUMPTION_TEMPLATES[self.code], self)
