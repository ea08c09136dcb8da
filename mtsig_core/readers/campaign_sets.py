"""What annotation campaigns tell beside their scores, as parts of a test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mtsig_core.judgements import Annotation, AttentionCheck, Judgement, Judgements
from mtsig_core.readers.ratings import LineId, Rating
from mtsig_core.readers.score_tables import RatingGroup
from mtsig_core.testset import TestSet

_Groups = Mapping[str, RatingGroup]


def join_judgements(groups: _Groups, find_line: Callable[[Rating], int]) -> Judgements | None:
    """The judgements of the first scores that are from campaigns; `find_line` finds their lines."""
    for metric, group in groups.items():
        rows = []
        annotations: dict[str, Annotation] = {}
        for rating in group.judged:
            evidence = rating.evidence
            if evidence is None or rating.score is None:
                continue
            annotation = annotations.setdefault(evidence.annotation.id, evidence.annotation)
            line = find_line(rating)
            row = Judgement(
                rating.system, line, rating.score, annotation.rater, annotation.id, evidence.spans
            )
            rows.append(row)
        checks: list[AttentionCheck] = []
        for file in dict.fromkeys(rating.file for rating in group.judged):
            for checks_of_pair in file.table.checks.values():
                checks += checks_of_pair
        if rows:
            return Judgements(metric, tuple(rows), tuple(annotations.values()), tuple(checks))
    return None


def add_texts(
    testset: TestSet, groups: _Groups, line_of: Mapping[LineId, int], langpair: str | None
) -> TestSet:
    """The test set with the sources and outputs that annotators saw, and their language pair."""
    judged: list[Rating] = []
    for group in groups.values():
        judged += group.judged
    pairs = {pair for rating in judged for pair in rating.file.table.checks if pair}
    if langpair is None and len(pairs) == 1:
        [langpair] = pairs
    position_of = {line: position for position, line in enumerate(testset.lines)}
    sources: list[str | None] = [None for _ in testset.lines]
    outputs: dict[str, list[Any]] = {
        name: [None for _ in testset.lines] for name in testset.systems
    }
    for rating in judged:
        if rating.evidence is not None:
            position = position_of[line_of[rating.line]]
            sources[position] = rating.evidence.source
            outputs[rating.system][position] = rating.evidence.output
    if any(sources):
        testset = replace(testset, sources=[text or "" for text in sources])
    return replace(testset, systems=outputs, langpair=langpair) if judged else testset
