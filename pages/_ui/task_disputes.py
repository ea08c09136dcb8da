"""On the page Task: the pairs of systems on which several metrics do not agree."""

from __future__ import annotations

import streamlit as st

from mtsig_core import METRICS, MtsigError, compare_task
from mtsig_core.metrics import metric_titles
from mtsig_core.report.commands import task_command
from mtsig_core.report.task import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    dispute_counts_table,
    disputed_pairs_table,
    disputes_verdict,
    name_other_tops,
    name_pairs,
)
from mtsig_core.report.task_export import disputed_records
from mtsig_core.results import TaskComparison
from mtsig_core.stats.across import disputed_in
from mtsig_core.testset import human_scores
from pages._ui import address, background, charts, controls, frame, limits, one_pair, screen
from pages._ui.copyable import command_box

__all__ = ["show_disputes", "show_people"]

_SHOWN = 500  # rows; the file has all


def show_people(view, found: TaskComparison) -> None:
    """Say above the ranks by a metric whom people put on top, where that is known; else that they scored too."""
    info, mine = view.kept.info, set(view.kept.info.pairs_with(view.metric))
    people = [name for name in human_scores(info.own_scores) if mine & set(info.pairs_with(name))]
    if view.metric in people:
        return
    kept = {name: background.kept(view.key(name)) for name in people}
    if (said := name_other_tops(found, view.metric, *filter(None, kept.values()))) is not None:
        screen.caution_box(said)
    if waiting := [name for name, one in kept.items() if one is None]:
        by = "; ".join(f"{name} ({name_pairs(info.pairs_with(name))})" for name in waiting)
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
    kept = view.kept
    key = ("task", kept.digest, *metrics, tuple(sorted(settings.items())))
    try:
        limits.check_task(kept.sizes, [pair for name in metrics for pair in info.pairs_with(name)], compare_task,
                          settings)
        compared = background.result(key, lambda progress: kept.compare(
            metrics, jobs=-1, progress=progress, **settings), "Comparing by all these metrics")
    except MtsigError as problem:
        screen.error(problem)
        return None
    found = disputed_in(compared)
    mine = compared if view.settings.get("rank_rule", "simultaneous") == "simultaneous" else None
    if not found:
        screen.plain("No language pair has two systems that two of these metrics can compare.")
        return mine
    screen.answer(disputes_verdict(found))
    if (said := name_other_tops(compared, view.metric)) is not None:
        screen.caution_box(said)
    screen.show_table(dispute_counts_table(found), "task.disputes.counts")
    st.caption(DISPUTES_NOTE)
    if pairs := disputed_pairs_table(found):
        n = len(pairs.rows)
        clicked = screen.show_table(pairs.pick_rows(range(min(n, _SHOWN))), "task.disputes", open_rows=True)
        cut = f" The first {_SHOWN:,} of {n:,} rows; the file has all." if n > _SHOWN else ""
        st.caption(f"{DISPUTED_PAIRS_NOTE} Tick a row to open the pair.{cut}")
        records = disputed_records(found)
        charts.csv_button((info.name, "-".join(metrics)), "task.disputes", list(records[0]),
                          (row.values() for row in records), "Pairs on which metrics disagree as CSV")
        if clicked is not None and (pair := pairs.values("language_pair")[clicked]) in compared.pairs:
            there = compared.pairs[pair].metrics.get(view.metric)
            names = [] if there is None else [row.system for row in there.systems]
            a, b = pairs.values("a")[clicked], pairs.values("b")[clicked]
            address.go(frame.ROOT / "pages" / "pair.py", **one_pair.asked_of(names, a, b),
                       **view.address_of(pair, compared))
    command_box(task_command(view.kept.source, metrics=",".join(metrics), **settings), "task.disputes.command",
                "the task by these metrics")
    return mine
