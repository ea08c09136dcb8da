"""What a test set holds, as rows of text."""

from __future__ import annotations

from mtsig_core.data.testset import TestSet
from mtsig_core.inference.inventory import inventory
from mtsig_core.report.cells import Table, number

__all__ = ["inventory_rows"]

_TEXTS = ("reference", "system", "training run", "source")


def inventory_rows(testset: TestSet) -> Table:
    """Header and rows; what is not counted of a text is a dash, what other things do not have is left empty."""
    header = ["role", "name", "segments", "words", "characters", "empty", "repeated"]
    header += ["scores"] * bool(testset.scores)
    return header, [[held.role, held.name, *(
        "" if count is None and held.role not in _TEXTS else number(count, ",")
        for count in (held.segments, held.words, held.characters, held.empty, held.repeated)),
        *(["" if held.scores is None else number(held.scores, ",")] * bool(testset.scores))]
        for held in inventory(testset)]
