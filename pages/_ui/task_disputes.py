"""On the page Task: the pairs of systems on which several metrics do not agree."""

from __future__ import annotations

import streamlit as st

from mtsig_core import METRICS, MtsigError
from mtsig_core.metrics import metric_titles
from mtsig_core.report.commands import task_command
from mtsig_core.report.task_tables import (
    DISPUTES_NOTE,
    dispute_counts,
    dispute_rows,
    disputes_records,
    disputes_verdict,
    other_tops,
    pairs_said,
)
from mtsig_core.results import TaskComparison
from mtsig_core.stats.across import disputed_in
from mtsig_core.testset import human_scores
from pages._ui import address, charts, controls, frame, one_pair, screen
from pages._ui.copyable import command_box
from pages._ui.task_view import compare_by

__all__ = ["show_disputes", "show_people"]

_SHOWN = 500  # rows; the file has all


def show_people(view, found: TaskComparison) -> None:
    """Say above the ranks by a metric whom people put on top, where that is known; else that they scored too."""
    info, mine = view.kept.info, set(view.kept.info.pairs_with(view.metric))
    people = [name for name in human_scores(info.own_scores) if mine & set(info.pairs_with(name))]
    if view.metric in people:
        return
    kept = {name: view.known(name) for name in people}
    if (said := other_tops(found, view.metric, *filter(None, kept.values()))) is not None:
        screen.caution_box(said)
    if waiting := [name for name, one in kept.items() if one is None]:
        by = "; ".join(f"{name} ({pairs_said(info.pairs_with(name))})" for name in waiting)
        screen.caution_box(f"People scored these systems too: {by}. Ranks by human scores may differ: choose "
                           f"{waiting[0]} as the metric at the side to see them.")


def show_disputes(view) -> TaskComparison | None:
    """Counts by language pair first, then the pairs of systems, a row of which opens the pair.

    Returns the comparison by all metrics chosen, for the files; None where it has other ranks than the page.
    """
    info = view.kept.info
    others = [name for name in dict.fromkeys([*info.own_scores, *(METRICS if info.with_texts else ())])
              if name != view.metric]
    if not others:
        return None
    st.subheader("Do the metrics agree?")
    chosen = controls.several("Hold the metric at the side against", others, "against", [],
                              placeholder="further metrics", format_func=metric_titles(others).get)
    if not chosen:
        st.caption("Choose further metrics: the pairs of systems that only some of them decide, and those that they "
                   "decide in opposite ways, are counted for each language pair, and stand in the files below too.")
        return None
    metrics = [view.metric, *chosen]
    settings = {key: value for key, value in view.settings.items() if key != "rank_rule"}  # decisions have no ranks
    try:
        compared = compare_by(view.kept, metrics, settings, "Comparing by all these metrics")
    except MtsigError as problem:
        screen.error(problem)
        return None
    found = disputed_in(compared)
    mine = compared if view.settings.get("rank_rule", "simultaneous") == "simultaneous" else None
    if not found:
        screen.plain("No language pair has two systems that two of these metrics can compare.")
        return mine
    screen.answer(disputes_verdict(found))
    if (said := other_tops(compared, view.metric)) is not None:
        screen.caution_box(said)
    screen.table(*dispute_counts(found), key="task.disputes.counts")
    st.caption(DISPUTES_NOTE)
    header, rows = dispute_rows(found)
    if rows:
        clicked = screen.table(header, rows[:_SHOWN], names=[0, 1, 2, 3], key="task.disputes", open_rows=True)
        cut = f" The first {_SHOWN:,} of {len(rows):,} rows; the file has all." if len(rows) > _SHOWN else ""
        st.caption("Positive where a is better, for metrics where lower is better too; ● is significant. Tick a row to "
                   f"open the pair.{cut}")
        records = disputes_records(found)
        charts.csv_button((info.name, "-".join(metrics)), "task.disputes", list(records[0]),
                          (row.values() for row in records), "Pairs on which metrics disagree as CSV")
        if clicked is not None and (pair := rows[clicked][0]) in compared.pairs:
            there = compared.pairs[pair].metrics.get(view.metric)
            names = [] if there is None else [row.system for row in there.systems]
            address.go(frame.ROOT / "pages" / "pair.py", **one_pair.asked_of(names, *rows[clicked][1:3]),
                       **view.address_of(pair, compared))
    command_box(task_command(view.kept.source, metrics=",".join(metrics), **settings), "task.disputes.command",
                "the task by these metrics")
    return mine
