"""Several metrics of a shared task as LaTeX: where they disagree, and which to trust where people have scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtsig_core.inference.across_metrics import disputed_in
from mtsig_core.report.agreement_report import agreement_rows, comparison_rows
from mtsig_core.report.cells import Table
from mtsig_core.report.latex_tables import MOST_PAIRS, fitting_table, name_cell, name_column, number_cell
from mtsig_core.report.task_agreement_report import by_language_pair, task_agreement_note, task_agreement_verdict
from mtsig_core.report.task_disputes import (
    DISPUTES_NOTE,
    disputes_alone,
    disputes_verdict,
    kinds_rows,
    shown_disputes,
    who_decides_rows,
)
from mtsig_core.results.task import TaskComparison

__all__ = ["agreement_tables", "dispute_tables"]

_ALL = "metrics"  # what captions and labels say in place of a metric


def dispute_tables(found: TaskComparison) -> Iterator[str]:
    """How often metrics disagree in each language pair, then the pairs of systems that only some of them decide, or
    that they decide in opposite ways; nothing of a single metric."""
    if not (disputed := disputed_in(found)):
        return
    yield _table("disagreement", kinds_rows(disputed), 1,
                 ["Where metrics disagree.", f"{disputes_verdict(disputed)}.", DISPUTES_NOTE, disputes_alone(disputed)])
    shown, said = shown_disputes(disputed)
    header, rows = who_decides_rows(shown)
    if rows:
        yield _table("disputed-pairs", (header, rows), len(header),
                     ["Pairs of systems on which metrics disagree, contradictions first: by which metrics the first is "
                      "significantly better, by which the second, and which decide neither way.", said.strip()])


def agreement_tables(found: TaskComparison) -> Iterator[str]:
    """How far each metric agrees with people, in the mean and in each language pair, and pairs of metrics."""
    if (held := found.agreement) is None:
        return
    yield _table("trust", agreement_rows(held), 1,
                 ["Which metric to trust.", f"{task_agreement_verdict(held)}.", task_agreement_note(held)])
    header, rows = by_language_pair(held)
    for start in range(2, len(header), MOST_PAIRS):
        columns = [0, 1, *range(start, min(start + MOST_PAIRS, len(header)))]
        part = [header[k] for k in columns], [[row[k] for k in columns] for row in rows]
        yield _table(f"trust-by-pair-{start}", part, 1,
                     [f"Soft pairwise accuracy with {held.human}: the mean over the language pairs, and in each."])
    if held.comparisons:
        yield _table("trust-compared", comparison_rows(held), 2,
                     [f"Pairs of metrics by soft pairwise accuracy with {held.human}: the difference of the one that "
                      "agrees more and the other."])


def _table(what: str, table: Table, names: int, said: Sequence[str]) -> str:
    """A table of which the first columns, as many as `names`, are texts; the caption is said first."""
    header, rows = table
    columns = [name_column((row[k] for row in rows), 16) for k in range(names)] + ["r"] * (len(header) - names)
    cells = [[*map(name_cell, row[:names]), *(cell if cell in ("yes", "no") else number_cell(cell)
                                              for cell in row[names:])] for row in rows]
    return fitting_table(what, "".join(columns), header, cells, _ALL, said)
