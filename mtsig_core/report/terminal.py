"""Scores as text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mtsig_core.report.tables import scores_table
from mtsig_core.report.text import printable, table_text, text_width
from mtsig_core.report.words import assumptions
from mtsig_core.stats.score import Scores


def scores_text(scores: Scores) -> str:
    """The systems by each metric, and its signature."""
    lines, table = [], scores_table(scores)
    for key, found in scores.metrics.items():
        by_score = sorted(found.systems, key=lambda row: row.score, reverse=found.higher_is_better)
        names = table.values("system")
        part = table.select("system", key).pick_rows(names.index(row.system) for row in by_score)
        lines += [*table_text(part), "", *["Lower is better."] * (not found.higher_is_better)]
        lines += [*map(printable, assumptions(scores.testset.assumed, [found.metric])), printable(found.signature), ""]
    return "\n".join(lines).rstrip() + "\n"


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], aligned: str,
                ruled: Collection[int] = ()) -> list[str]:
    """A table, a sign of `aligned` for each column: <, > or ^; with a line below the `ruled` rows."""
    header, *rows = (list(map(printable, row)) for row in [header, *rows])
    widths = [max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for k, row in enumerate([header, *rows], -1):
        cells = (_pad(cell, width, side) for cell, width, side in zip(row, widths, aligned, strict=True))
        lines.append("  ".join(cells).rstrip())
        if k in ruled:
            lines.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    return lines


def _pad(text: str, width: int, side: str) -> str:
    space = width - text_width(text)
    return text + " " * space if side == "<" else " " * space + text if side == ">" else \
        " " * (space // 2) + text + " " * (space - space // 2)
