"""Sections of the page Summary: figure, tabs, buttons, and the report to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import Caution, Comparison, MetricResult
from mtsig_core.errors import format_count
from mtsig_core.figures import differences, forest
from mtsig_core.metrics import metric_title
from mtsig_core.report import export
from mtsig_core.report.pictures import differences_picture
from mtsig_core.report.sentences import (
    describe_methods,
    explain_far_firsts,
    find_anchor,
    keeps_its_level,
    list_caveats,
    list_exclusions,
    pick_verdict_caveats,
    state_answer,
    state_result,
    state_verdict,
)
from mtsig_core.report.table import Table
from mtsig_core.report.tables import (
    add_metric_columns,
    by_reference_table,
    differences_table,
    leaderboard_table,
)
from mtsig_core.report.text import printable
from mtsig_core.stats.significance import CORRECTIONS
from pages._sections import comparison_sections, published_comparison
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
    return replace(
        view, settings={**view.settings, "baseline": baseline, "rank_rule": "simultaneous"}
    )  # no ranks


def pick_baseline(view: View) -> None:
    if view.result.pairs:
        controls.pick_baseline(list(view.testset.systems))


def join_all(view: View, excluded: Mapping[str, str], others: list[MetricResult]) -> Comparison:
    """Return the comparison by the metric of the page and by these."""
    return comparison_sections.join_metrics(view, excluded, [other.metric for other in others])


def is_report() -> bool:
    address.own(_VIEW)
    return address.asked(_VIEW) == _REPORT


# The figure.


def show_differences(view: View, comparison: Comparison) -> None:
    """Draw the differences from the best or from the baseline; of a single system, only its score.

    Title and caveats are those of the comparison, which has the further metrics too.
    """
    if not view.result.pairs:
        return
    figure = partial(
        differences,
        view.result,
        comparison.settings,
        tuple(list_caveats(comparison, view.metric)),
        state_answer(comparison, view.metric),
    )
    clicked = charts.show(
        figure,
        key="summary.differences",
        alt=_alt(view),
        select=True,
        titled=False,
        rows=leaderboard_table(view.result, view.comparison.settings).records(),
        files=view.named(),
        command=view.command(),
        table=differences_table(view.result, view.comparison.settings),
    )
    contrary = any(caution.code == "interval-and-decision" for caution in view.comparison.warnings)
    st.caption(
        "Filled: significantly different. Hollow: no significant difference, which does not mean equal. "
        + "Test and interval are different methods, and can disagree about 0: see All caveats. "
        * contrary
        + "Click a system to open the pair."
    )
    if clicked:
        views.open_pair(view, view.result.systems[clicked[0][0]].system)


def _alt(view: View) -> str:
    return (
        f"{state_verdict(view.comparison, view.metric)}. Differences of all systems from "
        f"{find_anchor(view.result, view.comparison.settings)} with their intervals; numbers below."
    )


# Caveats.


def show_caveats(
    view: View, comparison: Comparison, every: list[Caution], below: DeltaGenerator
) -> None:
    """Draw the limits of the verdict with their remedies, as far as the figure stays in sight, and
    count the others.
    """
    first = pick_verdict_caveats(
        comparison, view.metric, *comparison_sections.list_other_metrics(view)
    )
    most = _MOST if len(view.result.systems) <= _SEVERAL else 1
    if more := caveats.show(first, "first", most=most, elsewhere=every):
        with below:
            screen.faint(f"{format_count(more, 'more caveat')} under All caveats.")


# Further metrics. A test set may have many, and each takes its time: the first figure does not wait
# for them.

# the key of the session for what `_describe_choice` gave when all of them were compared
_KNOWN = "summary.known"


def find_known_metrics(view: View) -> list[MetricResult]:
    """Return the results of the further metrics if they are at hand."""
    if st.session_state.get(_KNOWN) != _describe_choice(view):
        return []
    return comparison_sections.pick_further_metrics(view, drawn=False)


def speak_of_all_metrics(view: View, known: list[MetricResult], others: list[MetricResult]) -> None:
    """Run the page again if its headline and its figure were drawn before the further metrics were
    compared.
    """
    st.session_state[_KNOWN] = _describe_choice(view)
    if [one.metric for one in known] != [one.metric for one in others]:
        st.rerun()


def _describe_choice(view: View) -> tuple:
    chosen = tuple(st.session_state.get("metrics") or ())
    return view.testset.digest, view.metric, chosen, tuple(sorted(view.settings.items()))


# Tabs.

_FOREST_ALT = "Scores with intervals and rank ranges of all systems, best first."


def choose_first_tab(view: View) -> str:
    """Return the tab that is open at first: a second figure of many systems would make the page too
    long, and so would their caveats by several metrics.
    """
    return "Scores and ranks" if len(view.result.systems) <= _MANY else "Published scores"


def show_scores(view: View, comparison: Comparison) -> None:
    """Draw scores with intervals and rank ranges; their numbers below."""
    result = view.result
    table = leaderboard_table(result, comparison.settings)
    clicked = charts.show(
        partial(forest, result, comparison.settings, tuple(list_caveats(comparison, view.metric))),
        key="summary.forest",
        rows=table.records(),
        files=view.named(),
        command=view.command(),
        select=True,
        with_table=False,
        alt=f"{_FOREST_ALT} The tab Table has the same numbers.",
    )
    if not result.pairs:
        st.caption(
            "The interval is for the score of this system. No rank, because there is no other system."
        )
        return
    correction = CORRECTIONS[comparison.settings.correction]
    holds = len(result.tested) > 1 and keeps_its_level(comparison) and correction.family_wise
    st.caption(
        "Do not judge by overlapping intervals; the test of the differences decides"
        f"{', for all pairs together' if holds else ''}."
        + (" A line separates systems whose rank ranges do not overlap." if table.ruled else "")
    )
    if clicked:
        views.open_pair(view, result.systems[clicked[0][0]].system)


def make_table(view: View, others: list[MetricResult]) -> Table:
    """Return all numbers of each system, also by further metrics, and the references below them."""
    table = add_metric_columns(leaderboard_table(view.result, view.comparison.settings), others)
    return table.add_rows(
        comparison_sections.reference_records(view, [other.metric for other in others])
    )


def show_table(view: View, comparison: Comparison, others: list[MetricResult]) -> None:
    """Draw all numbers of each system, also by further metrics, and whether the metrics agree."""
    table = make_table(view, others)
    chosen = screen.show_table(table, "summary.table", open_rows=True)
    if chosen is not None:
        views.open_pair(view, table.values("system")[chosen])
    if others:
        named = {other.metric for other in others}
        screen.cautions(
            (
                caution
                for caution in comparison.warnings
                if caution.kind.concern == "scores" and caution.metric in named
            ),
            several=True,
        )
        st.subheader("Do the metrics agree?")
        comparison_sections.show_decisions(view, [view.result, *others], "summary")


def show_references(view: View) -> None:
    """Draw the top group by each reference."""
    caveats.show(
        (one for one in view.comparison.warnings if one.kind.concern == "references"), "references"
    )
    if by_reference := by_reference_table(view.result):
        screen.show_table(by_reference, prose=True)
    else:
        st.write(
            "Score with several references (Settings, Systems and segments) to see whether they agree."
        )


# What can be taken along.


def show_buttons(view: View, comparison: Comparison) -> None:
    """Draw Copy for a paper, Share and Export."""
    with st.popover("Copy for a paper", icon=":material/content_copy:", key="summary.paper"):
        copyable(
            comparison_sections.write_sentences(comparison),
            "summary.sentences",
            "For a paper, with its caveats",
            prose=True,
        )
        copyable(
            printable(view.result.signature),
            "summary.signature",
            f"Signature ({metric_title(view.metric)})",
            prose=True,
        )
    browser.share_button("summary.share")
    with st.popover("Export", icon=":material/download:", key="summary.export"):
        st.button(
            "Report to print",
            icon=":material/print:",
            type="tertiary",
            key="summary.report",
            on_click=address.keep,
            args=(_VIEW, [_REPORT]),
        )
        comparison_sections.show_files(view, "summary", comparison)
        if view.result.pairs:
            _show_picture(view, comparison)


def _show_picture(view: View, comparison: Comparison) -> None:
    """Offer the figure as a file, with verdict and caveats in it."""
    drawn = make_once(differences_picture, comparison, view.metric)
    with st.container(horizontal=True):
        charts.download("Picture (SVG)", drawn, view.named(), "svg", "summary.svg")
        browser.png_button(
            "Picture (PNG)", drawn, export.file_name(*view.named(), ending="png"), "summary.png"
        )
    st.caption(
        "The pictures have the verdict and its caveats, and so has what the camera above the figure saves."
    )


# The report: one page to read, print and send, without sidebar and controls.


def show_report(view: View) -> None:
    """Draw all that is on the page, below each other."""
    others = comparison_sections.pick_further_metrics(view, drawn=False)
    excluded = comparison_sections.list_excluded(view)
    comparison, result = join_all(view, excluded, others), view.result
    st.html('<div class="mt-report"></div>')
    st.button(
        "Back to the summary",
        type="tertiary",
        key="report.back",
        on_click=address.keep,
        args=(_VIEW, None),
    )
    screen.answer(state_answer(comparison, view.metric))
    for sentence in explain_far_firsts(comparison, view.metric):
        screen.plain(sentence)
    if result.pairs:
        charts.grow(
            partial(differences, result, comparison.settings), "report.differences", _alt(view)
        )
    screen.cautions(
        comparison_sections.list_all_caveats(view, comparison), several=bool(others), hints=False
    )
    charts.grow(partial(forest, result, comparison.settings), "report.forest", _FOREST_ALT)
    screen.show_table(make_table(view, others), whole=True)
    _report_exclusions(view, comparison)
    if others:
        st.subheader("Do the metrics agree?")
        comparison_sections.report_decisions(view, [result, *others])
    by_reference = by_reference_table(result)
    if by_reference:
        st.subheader("References")
        screen.show_table(by_reference, prose=True)
    published_comparison.report(view)
    _report_texts(comparison)


def _report_exclusions(view: View, comparison: Comparison) -> None:
    """Draw who was excluded and why, and what that changes."""
    if not comparison.excluded:
        return
    st.subheader("Excluded")
    for sentence in list_exclusions(comparison):
        screen.plain(sentence)
    comparison_sections.show_rank_changes(view)


def _report_texts(comparison: Comparison) -> None:
    """Draw result and method by each metric, as for a paper."""
    for metric in comparison.metrics:
        by = f" by {metric_title(metric)}" if len(comparison.metrics) > 1 else ""
        st.subheader(f"Result{by}")
        screen.plain(state_result(comparison, metric))
        st.subheader(f"Method{by}")
        screen.plain(describe_methods(comparison, metric))
