"""Further metrics beside the one of the page: their scores, and the pairs on which they do not agree."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mtsig_core import Caution, MetricResult, MtsigError
from mtsig_core.metrics import metric_title, metric_titles, metrics_of
from mtsig_core.report.tables import across_rows, relation_records, relation_rows, without_relation
from mtsig_core.stats.across import alike_said, pairs_across
from mtsig_core.stats.cautions import about_top_groups
from pages._ui import charts, controls, results, screen
from pages._ui.copyable import command_box, copyable
from pages._ui.view import View

__all__ = ["pick", "show_disagreement", "show_figure_3", "warnings_of"]

_SHOWN = 100
_FIGURE_3 = {"test": "percentile", "correction": "none", "unit": "segment", "ci": "auto", "rank_rule": "simultaneous"}


def pick(view: View) -> list[MetricResult]:
    """Choose further metrics, at first the score tables, and BLEU beside one of these; their results under the settings
    of the view."""
    others, given = [name for name in metrics_of(view.testset) if name != view.metric], view.testset.scores
    found = []
    for name in controls.several("Further metrics", others, "metrics", [
            name for name in others if name in given or name == "bleu" and view.metric in given],
            format_func=metric_titles(others).get):
        try:
            found.append(results.comparison(view.testset, name, **view.settings).metrics[name])
        except MtsigError as problem:
            screen.error(f"{metric_title(name)}: {problem}")
    return found


def warnings_of(view: View, further: list[MetricResult]) -> list[Caution]:
    """What is to be kept in mind of the further metrics, each by itself."""
    return [caution for result in further
            for caution in results.comparison(view.testset, result.metric, **view.settings).warnings
            if caution.metric == result.metric]


def show_disagreement(view: View, further: list[MetricResult], warnings: list[Caution], command: str) -> None:
    """How often the metrics agree, the pairs on which they do not, and all of them as signs."""
    compared = [view.result, *further]
    screen.cautions((caution for caution in warnings if caution.kind.concern == "scores"), several=True)
    names = " and ".join(metric_title(result.metric) for result in compared)
    st.subheader("Do the metrics agree?")
    screen.answer(f"{names}: {alike_said(pairs_across(compared))}")
    screen.cautions(about_top_groups({result.metric: result for result in compared}))
    st.caption("Opposite: each is significant, in another direction. Some decide: significant by one, not by another. "
               "Differences are improvements; ● is significant. To try several metrics and keep one is to test more "
               "than once: choose the one that counts beforehand, or report all.")
    sizes = {metric_title(result.metric): max((pair.n for pair in result.pairs), default=0) for result in compared}
    if len(set(sizes.values())) > 1:
        screen.plain("Each decides on the segments that it has: " + ", ".join(
            f"{name} on {n:,}" for name, n in sizes.items()) + ". Fewer segments separate fewer pairs.")
    header, rows = across_rows(compared)
    if rows:
        screen.table(header, rows[:_SHOWN])
    if len(rows) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(rows)} rows; the file has all.")
    with st.expander("Every pair by every metric: > better, < worse, ~ neither", key="leaderboard.pairs.box"):
        screen.table(*relation_rows(compared), names=[1])
        screen.plain(f"Row against column by {', '.join(metric_title(result.metric) for result in compared)}, in this "
                     "order.")
        if left_out := without_relation(compared):
            screen.plain(f"Not compared by all of these: {', '.join(left_out)}")
        st.caption("After Figure 3 of Zhang and Vogel (2004), who decide by test percentile without a correction: "
                   "choose both at the side to do as they did.")
        copyable(command, "leaderboard.pairs.command", "Command that prints all pairs by these metrics")
    charts.csv_button(view.named(metric="-".join(result.metric for result in compared)), "leaderboard.pairs",
                      *relation_records(compared), "All pairs under all metrics as CSV")


def show_figure_3(view: View) -> None:
    """Every pair by their three metrics and decided as they do, whatever is chosen at the side."""
    metrics = [name for name in ("nist", "bleu", "m-bleu") if name in metrics_of(view.testset)]
    if len(metrics) < 2 or len(view.testset.systems) < 2:
        return
    if not controls.toggle("Every pair by NIST, BLEU and M-BLEU, as Figure 3 of Zhang and Vogel (2004)", False,
                           "figure3", pages_own=True):
        return
    asked = {**view.settings, **_FIGURE_3, "baseline": None}
    try:
        found = [results.comparison(view.testset, name, **asked).metrics[name] for name in metrics]
    except MtsigError as problem:
        screen.error(problem)
        return
    screen.table(*relation_rows(found), names=[1], key="leaderboard.figure3")
    screen.plain(f"Row against column by {', '.join(metric_title(name) for name in metrics)}, in this order: > "
                 "significantly better, < worse, ~ neither. As they decide: percentile interval of the difference, by "
                 "segment, without a correction. So pairs of equals may have a sign by chance, more often the more "
                 "pairs there are: report the decisions of the leaderboard.")
    command_box(replace(view, metric=",".join(metrics), settings=asked).command(), "leaderboard.figure-3.command",
                "all pairs by these three metrics")
