"""Judgements: who scored which output, in which annotation, and what else they left there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple


class ErrorSpan(NamedTuple):
    """An error that a rater marked in an output."""

    start: int  # its first character, from 0
    stop: int  # the character after its last
    severity: str  # such as "minor"; empty where none was chosen
    category: str


class Judgement(NamedTuple):
    """The score that a rater gave to an output."""

    system: str
    line: int  # of the segment, as in `TestSet.lines`
    score: float
    rater: str
    #: The id of the annotation. Judgements of one line in one annotation are of outputs that the
    #: rater saw side by side. Empty where the file does not tell.
    annotation: str
    spans: tuple[ErrorSpan, ...] = ()


class Annotation(NamedTuple):
    """What a rater did at once: the items of a document, each with one system or more."""

    id: str
    rater: str
    begin: float | None  # seconds since 1970; None without a log
    seconds: float | None  # of work, where a pause counts a minute at most
    n_items: int


class AttentionCheck(NamedTuple):
    """An item with a known answer, which shows whether a rater pays attention.

    Such are a task with its answer, an output that was degraded, or an error that was planted.
    """

    rater: str
    is_passed: bool


@dataclass(frozen=True, eq=False)
class Judgements:
    """The judgements behind the scores of a test set; a part of the set keeps all of them."""

    metric: str  # the name of the scores that are their means
    rows: tuple[Judgement, ...]
    annotations: tuple[Annotation, ...] = ()
    checks: tuple[AttentionCheck, ...] = ()
    #: Whether they are from an annotation tool, and not from a table of ratings.
    is_campaign: bool = field(default=True, repr=False)

    @cached_property
    def annotation_by_id(self) -> Mapping[str, Annotation]:
        """Each annotation by its id."""
        return {annotation.id: annotation for annotation in self.annotations}

    @cached_property
    def rows_of_outputs(self) -> Mapping[tuple[str, int], list[Judgement]]:
        """The judgements of each output, by system and line."""
        rows: dict[tuple[str, int], list[Judgement]] = {}
        for row in self.rows:
            rows.setdefault((row.system, row.line), []).append(row)
        return rows

    def are_of(self, lines: Collection[int]) -> bool:
        """Whether one of them is of these lines."""
        return not {row.line for row in self.rows}.isdisjoint(lines)

    def select(self, systems: Collection[str], lines: Collection[int]) -> Judgements:
        """The judgements of these systems and lines only."""
        rows = [row for row in self.rows if row.system in systems and row.line in lines]
        return replace(self, rows=tuple(rows))
