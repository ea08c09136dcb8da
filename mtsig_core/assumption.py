"""What was assumed or left out as files were read, as facts; and the kinds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mtsig_core.caution import freeze_facts


@dataclass(frozen=True)
class AssumptionKind:
    """Where assumptions of a code belong, and the facts that their words need."""

    facts: tuple[str, ...]
    #: Something was left out: commands say so as they read, and every export has it. What else was assumed is of one
    #: metric, and stands where that metric does.
    leaves_out: bool = True
    is_counted: bool = False  # a fact of a metric, and no assumption


#: The kind of each code.
ASSUMPTION_KINDS: Mapping[str, AssumptionKind] = {
    # Which scores are better.
    "direction-open": AssumptionKind(("scores",)),
    "direction-told": AssumptionKind(("metric", "higher"), leaves_out=False),
    "direction-known": AssumptionKind(("metric", "higher", "low", "high"), leaves_out=False),
    "direction-default": AssumptionKind(("metric",), leaves_out=False),
    # How many ratings scores are means of.
    "ratings": AssumptionKind(("metric", "langpair", "n_ratings", "n_raters", "per_segment", "agreement",
                               "left_out"), leaves_out=False, is_counted=True),
    "ratings-as-segments": AssumptionKind(("metric",), leaves_out=False, is_counted=True),
    "mqm-weights": AssumptionKind(("metric", "weights"), leaves_out=False, is_counted=True),
    "ratings-adjusted": AssumptionKind(("metric", "n_raters", "effects_sd"), leaves_out=False, is_counted=True),
    # Systems, segments, files, language pairs.
    "withdrawn": AssumptionKind(("table", "names")),
    "no-reference": AssumptionKind(("n", "segment", "document")),
    "lines-from-zero": AssumptionKind(("file",)),
    "names-of-outputs": AssumptionKind(("place", "files", "n")),
    "pair-without-output": AssumptionKind(("pair",)),
    "pair-without-reference": AssumptionKind(("pair",)),
    "no-language-pair": AssumptionKind(("name",)),
    "references-of-others": AssumptionKind(("pair", "names", "used")),
    # A sentence of a result that an older version wrote.
    "as-written": AssumptionKind(("text",)),
}


@dataclass(frozen=True)
class Assumption:
    """What was assumed or left out; its words are made of the facts when they are asked for.

    Attributes
    ----------
    code : str
        A key of `ASSUMPTION_KINDS`.
    facts : mapping
        The numbers and names that its words need; values are as JSON has them, with tuples for lists.
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.code not in ASSUMPTION_KINDS or set(self.kind.facts) != self.facts.keys():
            raise ValueError(f"The code {self.code[:40]!r} or its facts are unknown. Expected what mtsig writes")
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
        from mtsig_core.report.assumption_words import ASSUMPTION_TEMPLATES, fill

        return fill(ASSUMPTION_TEMPLATES[self.code], self)
