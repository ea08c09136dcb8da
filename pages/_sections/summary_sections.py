"""Sections of the page Summary: figure, tabs, buttons, and the report to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import Caution, MetricResult
from mtsig_core.errors import format_count
from mtsig_core.figures import differences, forest
from mtsig_core.metrics import list_metrics, metric_title
from mtsig_core.report import export
from mtsig_core.report.pictures import differences_picture
from mtsig_core.report.sentences import (
    describe_methods,
    find_anchor,
    keeps_its_level,
    list_caveats,
    pick_caveats,
    state_answer,
    state_result,
    state_verdict,
)
from mtsig_core.report.tables import add_metric_columns, by_reference_table, differences_table, leaderboard_table
from mtsig_core.report.text import printable
from mtsig_core.stats.cautions import about_one_metric, about_top_groups
from mtsig_core.stats.significance import CORRECTIONS
from pages._sections import comparison_sections
from pages._ui import address, browser, caveats, charts, controls, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

_VIEW, _REPORT = "view", "report"  # the key of the address, and what asks for one page to print
_MANY = 15  # systems, beyond which the page opens with one figure
_SEVERAL, _MOST = 3, 3  # systems whose figure leaves room for as many caveats above it; else one


def compare_with(view: View) -> View:
    """Return the view with the chosen baseline."""
    baseline = controls.pick_baseline(list(view.testset.systems), place=None)
    if baseline is None:
        return view
    return replace(view, settings={**view.settings, "baseline": baseline, "rank_rule": "simultaneous"})  # no ranks


def pick_baseline(view: View) -> None:
    if view.result.pairs:
        controls.pick_baseline(list(view.testset.systems))


def is_report() -> bool:
    address.own(_VIEW)
    return address.asked(_VIEW) == _REPORT


# The figure.


def show_differences(view: View) -> None:
    """Draw the differences from the best or from the baseline; of a single system, only its score."""
    if not view.result.pairs:
        return
    figure = partial(differences, view.result, view.comparison.settings,
                     tuple(list_caveats(view.comparison, view.metric)), state_answer(view.comparison, view.metric))
    clicked = charts.show(figure, key="summary.differences", alt=_alt(view), select=True, titled=False,
                          rows=leaderboard_table(view.result, view.comparison.settings).records(),
                          files=view.named(), command=view.command(),
                          table=differences_table(view.result, view.comparison.settings))
    contrary = any(caution.code == "interval-and-decision" for caution in view.comparison.warnings)
    st.caption("Filled: significantly different. Hollow: no significant difference, which does not mean equal. "
               + "Test and interval are different methods, and can disagree about 0: see All caveats. " * contrary
               + "Click a system to open the pair.")
    if clicked:
        views.open_pair(view, view.result.systems[clicked[0][0]].system)


def _alt(view: View) -> str:
    return (f"{state_verdict(view.comparison, view.metric)}. Differences of all systems from "
            f"{find_anchor(view.result, view.comparison.settings)} with their intervals; numbers below.")


# Caveats.


def find_caveats(view: View, others: list[MetricResult]) -> tuple[list[Caution], list[Caution]]:
    """Return the caveats of the verdict, and all."""
    comparison, result = view.comparison, view.result
    top = about_top_groups({one.metric: one for one in (result, *others)})
    single = _ask_for_metric(view, others)
    anchor, qualified = find_anchor(result, comparison.settings), pick_caveats(comparison, result)
    own = [caution for caution in comparison.warnings if caution in qualified
           or caution.kind.concern in ("files", "scores", "references", "family")
           or caution.code == "near-alpha" and anchor in (caution.a, caution.b)]
    return [*top, *own, *single], [
        *top, *comparison.warnings, *comparison_sections.warnings_of(view, others), *single]


def show_caveats(view: View, first: list[Caution], every: list[Caution], below: DeltaGenerator) -> None:
    """Draw the limits of the verdict with their remedies, as far as the figure stays in sight, and count the others."""
    most = _MOST if len(view.result.systems) <= _SEVERAL else 1
    if more := caveats.show(first, "first", most=most, elsewhere=every):
        with below:
            screen.faint(f"{format_count(more, 'more caveat')} under All caveats.")


def show_all_caveats(every: list[Caution], several: bool) -> None:
    caveats.show(every, "all", several=several)
    if not every:
        st.write("No caveats.")


def _ask_for_metric(view: View, others: list[MetricResult]) -> list[Caution]:
    """Return the caveat of a single metric, with another one to add."""
    names = [name for name in list_metrics(view.testset) if name != view.metric]
    other = "chrf" if "chrf" in names else next(iter(names), None)
    return [*about_one_metric({one.metric: one for one in (view.result, *others)},
                              *([{"also": other}] if other is not None else []))]


# Tabs.


def choose_first_tab(view: View) -> str:
    """Return the tab that is open at first: a second figure of many systems would make the page too long, and so would
    their caveats by several metrics."""
    return "Scores and ranks" if len(view.result.systems) <= _MANY else "Published scores"


def show_scores(view: View) -> None:
    """Draw scores with intervals and rank ranges; their numbers below."""
    comparison, result = view.comparison, view.result
    table = leaderboard_table(result, comparison.settings)
    clicked = charts.show(
        partial(forest, result, comparison.settings, tuple(list_caveats(comparison, view.metric))),
        key="summary.forest", rows=table.records(), files=view.named(), command=view.command(), select=True,
        with_table=False, alt="Scores with intervals and rank ranges of all systems, best first; the tab Table has the "
                              "same numbers.")
    if not result.pairs:
        st.caption("The interval is for the score of this system. No rank, because there is no other system.")
        return
    correction = CORRECTIONS[comparison.settings.correction]
    holds = len(result.tested) > 1 and keeps_its_level(comparison) and correction.family_wise
    st.caption("Do not judge by overlapping intervals; the test of the differences decides"
               f"{', for all pairs together' if holds else ''}."
               + (" A line separates systems whose rank ranges do not overlap." if table.ruled else ""))
    if clicked:
        views.open_pair(view, result.systems[clicked[0][0]].system)


def show_table(view: View, others: list[MetricResult]) -> None:
    """Draw all numbers of each system, also by further metrics, and whether the metrics agree."""
    table = add_metric_columns(leaderboard_table(view.result, view.comparison.settings), others).add_rows(
        comparison_sections.reference_records(view, [other.metric for other in others]))
    chosen = screen.show_table(table, "summary.table", open_rows=True)
    if chosen is not None:
        views.open_pair(view, table.values("system")[chosen])
    if others:
        warnings = comparison_sections.warnings_of(view, others)
        screen.cautions((caution for caution in warnings if caution.kind.concern == "scores"), several=True)
        st.subheader("Do the metrics agree?")
        comparison_sections.show_decisions(view, [view.result, *others], "summary")


def show_references(view: View) -> None:
    """Draw the top group by each reference."""
    caveats.show((one for one in view.comparison.warnings if one.kind.concern == "references"), "references")
    if by_reference := by_reference_table(view.result):
        screen.show_table(by_reference, prose=True)
    else:
        st.write("Score with several references (Settings, Systems and segments) to see whether they agree.")


# What can be taken along.


def show_buttons(view: View, excluded: Mapping[str, str], others: list[MetricResult]) -> None:
    """Draw Copy for a paper, Share and Export."""
    comparison = comparison_sections.join_metrics(view, excluded, [other.metric for other in others])
    with st.popover("Copy for a paper", icon=":material/content_copy:", key="summary.paper"):
        copyable(comparison_sections.write_sentences(comparison), "summary.sentences", "For a paper, with its caveats",
                 prose=True)
        copyable(printable(view.result.signature), "summary.signature", f"Signature ({metric_title(view.metric)})",
                 prose=True)
    browser.share_button("summary.share")
    with st.popover("Export", icon=":material/download:", key="summary.export"):
        st.button("Report to print", icon=":material/print:", type="tertiary", key="summary.report",
                  on_click=address.keep, args=(_VIEW, [_REPORT]))
        comparison_sections.show_files(view, "summary", comparison)
        if view.result.pairs:
            _show_picture(view)


def _show_picture(view: View) -> None:
    """Offer the figure as a file, with verdict and caveats in it."""
    drawn = make_once(differences_picture, view.comparison, view.metric)
    with st.container(horizontal=True):
        charts.download("Picture (SVG)", drawn, view.named(), "svg", "summary.svg")
        browser.png_button("Picture (PNG)", drawn, export.file_name(*view.named(), ending="png"), "summary.png")
    st.caption("The pictures have the verdict and its caveats, and so has what the camera above the figure saves.")


def show_report(view: View) -> None:
    """Draw one page to read, print and send, without sidebar and controls."""
    comparison, result = view.comparison, view.result
    st.html('<div class="mt-report"></div>')
    st.button("Back to the summary", type="tertiary", key="report.back", on_click=address.keep, args=(_VIEW, None))
    screen.answer(state_answer(view.comparison, view.metric))
    if result.pairs:
        charts.grow(partial(differences, result, comparison.settings), "report.differences", _alt(view))
    screen.cautions([*comparison.warnings, *_ask_for_metric(view, [])], hints=False)
    screen.show_table(leaderboard_table(result, comparison.settings), whole=True)
    st.subheader("Result")
    screen.plain(state_result(comparison, view.metric))
    st.subheader("Method")
    screen.plain(describe_methods(comparison, view.metric))
