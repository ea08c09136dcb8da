"""A shared task as one HTML file that needs nothing else: no script, no font, no picture, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report import agreement, task
from mtsig_core.report.html import LEVELS, literal, table_html, template
from mtsig_core.report.palette import ink, mixed, width, wrapped
from mtsig_core.report.pictures import forest_svg
from mtsig_core.report.review import (
    MEASURED_SAID,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    notes_table,
)
from mtsig_core.report.table import MISSING, Table
from mtsig_core.report.tables import CLUSTERS_SAID, leaderboard_table, pairs_table, summary
from mtsig_core.report.task import (
    MISSING_SAID,
    above_ranks,
    compare_decisions_with_intervals,
    describe_caveats,
    describe_caveats_across,
    describe_rule,
    explain_across_columns,
    explain_marks,
    macro_pairs_table,
    rank_table,
    select_metric,
    task_methods,
    task_verdict,
    tops_table,
)
from mtsig_core.report.text import printable
from mtsig_core.report.words import assumptions, direction, far_firsts_in, group_cautions
from mtsig_core.results import Comparison, MetricResult, TaskComparison
from mtsig_core.stats.across import disputed_in
from mtsig_core.store.reviews import Entry, replay

#-----------------------------------------------------------------------------------------------------------------------
# The picture of a shared task as SVG: systems by language pairs, with who may be the first.


_ROW, _DIGIT, _LINE, _FEWEST = 24, 9.1, 17, 3
#: What the picture needs on its own, out of the report: its colours, on white.
_STYLE = ("<style>text {font-family: system-ui, sans-serif; fill: #1B2330; white-space: pre} .end {text-anchor: end} "
          ".mid {text-anchor: middle} .bold {font-weight: 700} .cell {fill: #ECEFF3} .cell.first {fill: #0072B2} "
          "text.first {fill: #FFFFFF; font-weight: 700} .cluster {stroke: #1B2330}</style>")


def task_svg(found: TaskComparison, metric: str, below: str = "") -> str:
    """A row a system, a column a language pair and, where there is one, the rank over all: rank intervals, those that
    reach the first rank filled. A dash: no score there, or no rank. What is to stand `below` is broken into lines."""
    shapes: Any = template("shapes.svg").module  # its macros
    shown = rank_table(found, metric).without("n_pairs", "score", "wins", "ties", "losses")
    names = [wrapped(printable(name), 30) for name in shown.values("system")]
    ranks = shown.without("system")
    titles, rows = list(map(printable, ranks.titles)), ranks.texts()
    upright = sum(12 + _DIGIT * width(title) for title in titles) > 760
    wide = [max(52.0, _DIGIT * max(width(row[k]) for row in rows) + 10, 0 if upright else _DIGIT * width(title) + 12)
            for k, title in enumerate(titles)]
    left = 16 + _DIGIT * max(width(line) for lines in names for line in lines)
    top = 8 + (_DIGIT * max(map(width, titles)) if upright else 20)
    starts = [left + sum(wide[:k]) for k in range(len(wide))]
    drawn = [shapes.upright(x + w / 2 + 5, top - 6, title) if upright else shapes.text(x + w / 2, top - 6, title, "mid")
             for x, w, title in zip(starts, wide, titles, strict=True)]
    for number, (row, lines) in enumerate(zip(rows, names, strict=True)):
        high = max(_ROW, 7 + _LINE * len(lines))
        drawn.append(shapes.lines(left - 8, top + high / 2, lines, _LINE))
        for x, w, key, text in zip(starts, wide, ranks.keys, row, strict=True):
            first = " first" * ((number, key) in ranks.marks)
            if text != MISSING:
                drawn.append(shapes.rect(x + 1, top + 1, w - 2, high - 2, f"cell{first}"))
            drawn.append(shapes.text(x + w / 2, top + high / 2 + 5, text.replace("-", "\u2013"), f"mid{first}"))
        top += high
        drawn += [shapes.line(0, top, starts[-1] + wide[-1], top, "cluster")] * (number in ranks.ruled)
    full = starts[-1] + wide[-1] + 8
    for line in wrapped(below, max(30, int((full - 16) / _DIGIT))) if below else ():
        full, top = max(full, 16 + _DIGIT * width(line)), top + _LINE
        drawn.append(shapes.text(8, top, line))
    alt = (f"{metric_title(metric)}: rank intervals of {counted(len(rows), 'system')} in "
           f"{counted(len(select_metric(found, metric)), 'language pair')}")
    figure: str = shapes.svg(full, top + 8, alt, drawn)
    return figure


def task_picture(found: TaskComparison, metric: str) -> str:
    """The same as a file of its own, which says what it shows."""
    marked = explain_marks(found, "blue:", metric)
    key = "; ".join(filter(None, [f"Ranks by {metric_title(metric)}", marked])) + f". A dash: {MISSING_SAID}."
    key = " ".join([key, *describe_caveats(select_metric(found, metric)), *describe_caveats_across(found, metric)])
    drawn = str(task_svg(found, metric, printable(key)))
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", ">" + _STYLE, 1) + "\n"


def winners(result: MetricResult) -> MetricResult:
    """The same for the systems that may be the first, and at least the best three; without ranks for the best five."""
    first = [k for k, row in enumerate(result.systems) if row.rank_low == 1]
    n = max([_FEWEST, *(k + 1 for k in first)]) if result.systems[0].rank_low is not None else 5
    return replace(result, systems=result.systems[:n])


#-----------------------------------------------------------------------------------------------------------------------
# A shared task as one HTML file that needs nothing else: no script, no font, no picture, no network.


_MOST_COLUMNS = 14  # of a table that is to be printed
_PRINTED = 200  # pairs of systems on which metrics disagree
_MOST_PAIRS = 3000  # of systems, in all tables together


def task_html(found: TaskComparison, command: str, history: Sequence[Entry] = ()) -> str:
    """The answer and the picture first, then what was assumed and left out, how it was tested, the systems across the
    language pairs, each language pair with its warnings, and the commands.

    Parameters
    ----------
    found : TaskComparison
    command : str
        The command line that prints its numbers.
    history : sequence of Entry
        Of a review: what was decided, the notes, and the steps that led there.

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers, light in print. Names are shown literally.
    """
    comparisons = list(found.pairs.values())
    metrics = list(dict.fromkeys(name for comparison in comparisons for name in comparison.metrics))
    n_pairs = sum(len(result.pairs) for comparison in comparisons for result in comparison.metrics.values())

    def cautions(comparison: Comparison) -> list[list[str]]:
        return group_cautions(comparison.warnings, several=len(comparison.metrics) > 1)

    first, review = comparisons[0], replay(history) if history else None
    return template("task.html").render(
        found=found, task=found.task, metrics=metrics, verdict=task_verdict, picture=rank_table, missing=MISSING_SAID,
        clusters_said=CLUSTERS_SAID, table_html=table_html,
        anchors={pair: f"pair-{k}" for k, pair in enumerate(found.pairs, 1)}, methods=task_methods,
        simulated=any(comparison.testset.simulated for comparison in comparisons), macro_table=macro_pairs_table,
        direction=direction, decision_notes=compare_decisions_with_intervals, across_columns=explain_across_columns,
        rule_said=describe_rule, tops_table=tops_table, marked_said=explain_marks, far_firsts=far_firsts_in,
        above_ranks=above_ranks, version=first.settings.version, summary=summary,
        cautions=cautions, leaderboard_table=leaderboard_table,
        pairs_table=pairs_table, with_pairs=n_pairs <= _MOST_PAIRS,
        disputed=disputed_in(found), told=task, held=agreement, task_svg=task_svg, short=_short, printed=_PRINTED,
        forest_svg=forest_svg, winners=winners, levels=LEVELS, mixed=mixed, ink=ink,
        left_out=left_out_table(found.excluded), literal=literal, measured=MEASURED_SAID,
        steps=history_sentences(history), decided=decisions_table(review) if review else None,
        decision_warnings=decision_cautions(review, found) if review else [],
        noted=notes_table(review.notes, found) if review else None,
        assumed=assumptions(found.task.assumed, metrics),
        commands={"this page": f"{command} --format html", "all numbers": f"{command} --format json",
                  "as a table": f"{command} --format csv", "manifest": f"{command} --format manifest"})


def _short(ranks: Table) -> Table:
    """The table of ranks; of very many language pairs without their ranks, which the figure has."""
    return ranks if len(ranks.columns) <= _MOST_COLUMNS else ranks.select(
        "system", "rank", "n_pairs", "score", "wins", "ties", "losses")
