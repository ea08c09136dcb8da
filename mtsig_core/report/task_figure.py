"""The picture of a shared task as SVG: systems by language pairs, with who may be the first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.html_figures import template
from mtsig_core.report.palette import width, wrapped
from mtsig_core.report.task_ranks import marked_said
from mtsig_core.report.task_sentences import caveat_sentences, have_metric, level_across
from mtsig_core.report.task_tables import MISSING, MISSING_SAID, picture_ends, picture_rows
from mtsig_core.report.terminal import printable
from mtsig_core.results import MetricResult
from mtsig_core.results.task import TaskComparison

__all__ = ["task_picture", "task_svg", "winners"]

_ROW, _DIGIT, _LINE, _FEWEST = 24, 9.1, 17, 3
#: What the picture needs on its own, out of the report: its colours, on white.
_STYLE = ("<style>text {font-family: system-ui, sans-serif; fill: #1B2330; white-space: pre} .end {text-anchor: end} "
          ".mid {text-anchor: middle} .bold {font-weight: 700} .cell {fill: #ECEFF3} .cell.first {fill: #0072B2} "
          "text.first {fill: #FFFFFF; font-weight: 700} .cluster {stroke: #1B2330}</style>")


def task_svg(found: TaskComparison, metric: str, below: str = "") -> str:
    """A row a system, a column a language pair and, where there is one, the rank over all: rank intervals, those that
    reach the first rank filled. A dash: no score there, or no rank. What is to stand `below` is broken into lines."""
    shapes: Any = template("shapes.svg").module  # its macros
    header, rows, marks = picture_rows(found, metric)
    n = header.index("pairs", 1 + len([pair for pair, one in found.pairs.items() if metric in one.metrics]))
    columns = [*range(1, n), *([n + 1] if "all pairs" in header[n:] else [])]
    names = [wrapped(printable(row[0]), 30) for row in rows]
    titles = [printable(header[k]) for k in columns]
    upright = sum(12 + _DIGIT * width(title) for title in titles) > 760
    wide = [max(52.0, _DIGIT * max(width(row[k]) for row in rows) + 10, 0 if upright else _DIGIT * width(title) + 12)
            for k, title in zip(columns, titles, strict=True)]
    left = 16 + _DIGIT * max(width(line) for lines in names for line in lines)
    top = 8 + (_DIGIT * max(map(width, titles)) if upright else 20)
    starts = [left + sum(wide[:k]) for k in range(len(wide))]
    drawn = [shapes.upright(x + w / 2 + 5, top - 6, title) if upright else shapes.text(x + w / 2, top - 6, title, "mid")
             for x, w, title in zip(starts, wide, titles, strict=True)]
    clusters = picture_ends(found, metric)
    for number, (row, lines) in enumerate(zip(rows, names, strict=True)):
        high = max(_ROW, 7 + _LINE * len(lines))
        drawn.append(shapes.lines(left - 8, top + high / 2, lines, _LINE))
        for x, w, k in zip(starts, wide, columns, strict=True):
            first = " first" * ((number, k) in marks)
            if row[k] != MISSING:
                drawn.append(shapes.rect(x + 1, top + 1, w - 2, high - 2, f"cell{first}"))
            drawn.append(shapes.text(x + w / 2, top + high / 2 + 5, str(row[k]).replace("-", "\u2013"), f"mid{first}"))
        top += high
        drawn += [shapes.line(0, top, starts[-1] + wide[-1], top, "cluster")] * (number in clusters)
    full = starts[-1] + wide[-1] + 8
    for line in wrapped(below, max(30, int((full - 16) / _DIGIT))) if below else ():
        full, top = max(full, 16 + _DIGIT * width(line)), top + _LINE
        drawn.append(shapes.text(8, top, line))
    alt = (f"{metric_title(metric)}: rank intervals of {counted(len(rows), 'system')} in "
           f"{counted(n - 1, 'language pair')}")
    figure: str = shapes.svg(full, top + 8, alt, drawn)
    return figure


def task_picture(found: TaskComparison, metric: str) -> str:
    """The same as a file of its own, which says what it shows."""
    marked = marked_said(found, "blue:", metric)
    key = "; ".join(filter(None, [f"Ranks by {metric_title(metric)}", marked])) + f". A dash: {MISSING_SAID}."
    key = " ".join([key, *caveat_sentences(have_metric(found, metric)), *level_across(found, metric)])
    drawn = str(task_svg(found, metric, printable(key)))
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", ">" + _STYLE, 1) + "\n"


def winners(result: MetricResult) -> MetricResult:
    """The same for the systems that may be the first, and at least the best three; without ranks for the best five."""
    first = [k for k, row in enumerate(result.systems) if row.rank_low == 1]
    n = max([_FEWEST, *(k + 1 for k in first)]) if result.systems[0].rank_low is not None else 5
    return replace(result, systems=result.systems[:n])
