"""What ratings tell beside their means, as parts of a test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan, Judgement, Judgements
from mtsig_core.readers.ratings import LineId, Rating
from mtsig_core.readers.score_tables import RatingGroup
from mtsig_core.testset import TestSet

_Groups = Mapping[str, RatingGroup]


def join_judgements(groups: _Groups, find_line: Callable[[Rating], int]) -> Judgements | None:
    """The judgements of the first scores whose raters are named; `find_line` finds their lines.

    Those of an annotation tool come first.
    """
    from_tools = [metric for metric, group in groups.items() if group.is_campaign]
    for metric in dict.fromkeys([*from_tools, *groups]):
        judgements = _read_judgements(metric, groups[metric], find_line)
        if judgements.rows:
            return judgements
    return None


def _read_judgements(
    metric: str, group: RatingGroup, find_line: Callable[[Rating], int]
) -> Judgements:
    rows = []
    annotations: dict[str, Annotation] = {}
    for rating in group.judged:
        if rating.score is None or rating.rater is None:
            continue
        annotation_id = ""
        spans: tuple[ErrorSpan, ...] = ()
        if rating.evidence is not None:
            annotation = rating.evidence.annotation
            annotation_id = annotation.id
            annotations.setdefault(annotation_id, annotation)
            spans = rating.evidence.spans
        line = find_line(rating)
        row = Judgement(rating.system, line, rating.score, rating.rater, annotation_id, spans)
        rows.append(row)
    checks: list[AttentionCheck] = []
    for file in dict.fromkeys(rating.file for rating in group.judged):
        for checks_of_pair in file.table.checks.values():
            checks += checks_of_pair
    return Judgements(
        metric, tuple(rows), tuple(annotations.values()), tuple(checks), group.is_campaign
    )


def add_texts(
    testset: TestSet, groups: _Groups, line_of: Mapping[LineId, int], langpair: str | None
) -> TestSet:
    """The test set with the sources and outputs that annotators saw, and their language pair."""
    judged: list[Rating] = []
    for group in groups.values():
        if group.is_campaign:
            judged += group.judged
    if not judged:
        return testset
    # A campaign has checks, or a list without any, for each of its language pairs.
    pairs = {pair for rating in judged for pair in rating.file.table.checks if pair}
    if langpair is None and len(pairs) == 1:
        [langpair] = pairs
    sources: list[str | None] = [None for _ in testset.lines]
    outputs: dict[str, list[Any]] = {
        name: [None for _ in testset.lines] for name in testset.systems
    }
    for rating in judged:
        if rating.evidence is not None:
            position = testset.position_of[line_of[rating.line]]
            sources[position] = rating.evidence.source
            outputs[rating.system][position] = rating.evidence.output
    if any(sources):
        testset = replace(testset, sources=[text or "" for text in sources])
    return replace(testset, systems=outputs, langpair=langpair)
