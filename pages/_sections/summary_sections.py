"""Sections of the page Summary: figure, tabs, buttons, and the report to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import Caution, Comparison, MetricResult
from mtsig_core.errors import format_count
from mtsig_core.figures import forest, prepare_differences
from mtsig_core.report import export
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.pictures import differences_picture
from mtsig_core.report.reports import copy_paper_table
from mtsig_core.report.sentences import (
    explain_far_firsts,
    find_anchor,
    keeps_its_level,
    list_caution_texts,
    list_exclusions,
    pick_verdict_cautions,
    state_answer,
    state_verdict,
)
from mtsig_core.report.table import Table
from mtsig_core.report.tables import (
    add_metric_columns,
    by_reference_table,
    differences_table,
    leaderboard_table,
)
from mtsig_core.report.tiles import list_answer_tiles
from mtsig_core.stats.significance import CORRECTIONS
from pages._sections import comparison_sections, published_comparison
from pages._ui import address, browser, caution_boxes, charts, controls, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

_VIEW = "view"  # the key of the address
_REPORT = "report"  # its value for the page to print
_MANY = 15  # systems, beyond which the page opens with one figure
_FEW = 3  # systems, up to which the figure leaves room for several caveats above it
_MOST_CAVEATS = 3
_AGREEMENT_TITLE = "Do the metrics agree?"


def compare_with(view: View) -> View:
    """Return the view with the chosen baseline."""
    systems = list(view.testset.systems)
    baseline = controls.pick_baseline(systems, st.sidebar if len(systems) > 1 else None)
    if baseline is None:
        return view
    # With a baseline there are no ranks.
    settings = {**view.settings, "baseline": baseline, "rank_rule": "simultaneous"}
    return replace(view, settings=settings)


def join_all(view: View, excluded: Mapping[str, str], further: list[MetricResult]) -> Comparison:
    """Return the comparison by the metric of the page and by further ones."""
    return comparison_sections.join_metrics(view, excluded, [result.metric for result in further])


def is_report() -> bool:
    """Return whether the address asks for the page to print."""
    address.own(_VIEW)
    return address.asked(_VIEW) == _REPORT


# -------------------------------------------------------------------------------------------------
# The verdict and its figure.


def show_verdict(view: View, comparison: Comparison) -> None:
    """Draw the verdict by all metrics, and the numbers of the pair that it rests on.

    Sentences say which first systems the ranges of others reach.
    """
    screen.answer(state_answer(comparison, view.metric))
    screen.tiles(*list_answer_tiles(comparison, view.metric))
    for sentence in explain_far_firsts(comparison, view.metric):
        screen.plain(sentence)


def show_differences(view: View, comparison: Comparison) -> None:
    """Draw the differences from the best system or the baseline; for a single system, its score.

    Title and caveats come from the comparison, which also has the further metrics.
    """
    if not view.result.pairs:
        return
    settings = comparison.settings
    clicked = charts.show(
        prepare_differences(comparison, view.metric),
        key="summary.differences",
        alt=_describe_differences(view),
        select=True,
        titled=False,
        rows=leaderboard_table(view.result, settings).records(),
        files=view.named(),
        command=view.command(),
        table=differences_table(view.result, settings),
    )
    sentences = [
        "Filled: significantly different. Hollow: no significant difference, which does not mean equal."
    ]
    if any(caution.code == "interval-and-decision" for caution in view.comparison.warnings):
        sentences.append(
            "Test and interval are different methods, and can disagree about 0: see All caveats."
        )
    if len(comparison.metrics) > 1 and len(view.result.pairs) == 1:
        sentences.append(
            "Each row has its own scale: points of different metrics cannot be compared."
        )
    sentences.append("Click a point to open the pair.")
    st.caption(" ".join(sentences))
    _open_clicked(view, clicked)


def _open_clicked(view: View, clicked: list) -> None:
    """Open the pair of the system that was clicked in a figure, if one was."""
    if clicked:
        place = clicked[0][0]
        views.open_pair(view, view.result.systems[place].system)


def _describe_differences(view: View) -> str:
    verdict = state_verdict(view.comparison, view.metric)
    anchor = find_anchor(view.result, view.comparison.settings)
    return f"{verdict}. Differences from {anchor} with their intervals; numbers in its menu."


# -------------------------------------------------------------------------------------------------
# Caveats.


def show_cautions(
    view: View, comparison: Comparison, all_cautions: list[Caution], below: DeltaGenerator
) -> None:
    """Draw the limits of the verdict with their remedies, and count the others.

    Only so many are drawn that the figure stays in sight.
    """
    remedies = comparison_sections.list_metric_remedies(view)
    cautions = pick_verdict_cautions(comparison, view.metric, *remedies)
    if len(view.result.pairs) == 1:  # the headline says on what the metrics disagree
        cautions = [caution for caution in cautions if caution.code != "top-groups-differ"]
    most = _MOST_CAVEATS if len(view.result.systems) <= _FEW else 1
    n_more = caution_boxes.show(cautions, "first", most=most, elsewhere=all_cautions)
    if n_more:
        with below:
            screen.faint(f"{format_count(n_more, 'more caveat')} under All caveats.")


# -------------------------------------------------------------------------------------------------
# Further metrics. A test set may have many, and each takes its time: the first figure does not wait
# for them.

# the key of the session for what `_describe_choice` gave when all of them were compared
_COMPARED = "summary.known"


def find_known_metrics(view: View) -> list[MetricResult]:
    """Return the results of the further metrics if they are available at once."""
    if st.session_state.get(_COMPARED) != _describe_choice(view):
        return []
    return comparison_sections.pick_further_metrics(view, is_drawn=False)


def speak_of_all_metrics(
    view: View, known: list[MetricResult], further: list[MetricResult]
) -> None:
    """Run the page again if headline and figure were drawn before the further metrics."""
    st.session_state[_COMPARED] = _describe_choice(view)
    if [result.metric for result in known] != [result.metric for result in further]:
        st.rerun()


def _describe_choice(view: View) -> tuple:
    metrics = tuple(st.session_state.get("metrics") or ())
    return view.testset.digest, view.metric, metrics, tuple(sorted(view.settings.items()))


# -------------------------------------------------------------------------------------------------
# Tabs.

_FOREST_ALT = "Scores with intervals and rank ranges of all systems, best first."


def choose_first_tab(view: View) -> str:
    """Return the tab that is open at first.

    A second figure of many systems would make the page too long, and so would their caveats by
    several metrics.
    """
    return "Scores and ranks" if len(view.result.systems) <= _MANY else "Published scores"


def show_scores(view: View, comparison: Comparison) -> None:
    """Draw scores with intervals and rank ranges."""
    result = view.result
    settings = comparison.settings
    table = leaderboard_table(result, settings)
    clicked = charts.show(
        partial(forest, result, settings, tuple(list_caution_texts(comparison, view.metric))),
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
    caption = "Overlapping intervals do not mean 'no difference'. Use the test"
    is_family_wise = CORRECTIONS[settings.correction].family_wise
    if len(result.tested) > 1 and is_family_wise and keeps_its_level(comparison):
        caption += ", which covers all pairs together"
    caption += "."
    if table.ruled:
        caption += " A line separates systems whose rank ranges do not overlap."
    st.caption(caption)
    _open_clicked(view, clicked)


def make_table(view: View, further: list[MetricResult]) -> Table:
    """Return all numbers of each system, also by further metrics, and the references below them."""
    table = add_metric_columns(leaderboard_table(view.result, view.comparison.settings), further)
    metrics = [result.metric for result in further]
    return table.add_rows(comparison_sections.reference_records(view, metrics))


def show_table(view: View, comparison: Comparison, further: list[MetricResult]) -> None:
    """Draw all numbers of each system, also by further metrics, and whether the metrics agree."""
    table = make_table(view, further)
    row = screen.show_table(table, "summary.table", open_rows=True)
    if row is not None:
        views.open_pair(view, table.values("system")[row])
    if not further:
        return
    metrics = {result.metric for result in further}
    cautions = [
        caution
        for caution in comparison.warnings
        if caution.kind.concern == "scores" and caution.metric in metrics
    ]
    screen.cautions(cautions, several=True)
    st.subheader(_AGREEMENT_TITLE)
    comparison_sections.show_decisions(view, [view.result, *further], "summary")


def show_references(view: View) -> None:
    """Draw the top group by each reference."""
    cautions = view.comparison.warnings
    caution_boxes.show(
        (caution for caution in cautions if caution.kind.concern == "references"), "references"
    )
    by_reference = by_reference_table(view.result)
    if by_reference:
        screen.show_table(by_reference, prose=True)
    else:
        st.write(
            "Score with several references (Settings, Systems and segments) to see whether they agree."
        )


# -------------------------------------------------------------------------------------------------
# Sentences, links and files.


def show_sentences(view: View, comparison: Comparison) -> None:
    """Draw Copy for a paper."""
    with st.popover("Copy for a paper", icon=":material/content_copy:", key="summary.paper"):
        copyable(
            make_once(paper_sentences, comparison),
            "summary.sentences",
            "For a paper, with its caveats",
            prose=True,
        )
        if view.result.pairs:
            for form, text in make_once(copy_paper_table, comparison).items():
                key = f"summary.table.{form}"
                copyable(text, key, f"Table: {form}", formatted=form.startswith("Word"))


def show_files(view: View, comparison: Comparison) -> None:
    """Draw the way to the report to print, the files, and the picture."""
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
    picture = make_once(differences_picture, comparison, view.metric)
    png_name = export.file_name(*view.named(), ending="png")
    with st.container(horizontal=True):
        charts.download("Picture (SVG)", picture, view.named(), "svg", "summary.svg")
        browser.png_button(picture, png_name, "summary.png")
    st.caption(
        "The pictures have the verdict and its caveats, also when saved with the camera icon."
    )


# -------------------------------------------------------------------------------------------------
# The report: one page to read, print and send, without menus and controls.


def show_report(view: View) -> None:
    """Draw all that is on the page, one thing below the other."""
    further = comparison_sections.pick_further_metrics(view, is_drawn=False)
    comparison = join_all(view, comparison_sections.list_excluded(view), further)
    result = view.result
    settings = comparison.settings
    st.html('<div class="mt-report"></div>')
    st.button(
        "Back to the summary",
        type="tertiary",
        key="report.back",
        on_click=address.keep,
        args=(_VIEW, None),
    )
    show_verdict(view, comparison)
    if result.pairs:
        figure = prepare_differences(comparison, view.metric)
        charts.grow(figure, "report.differences", _describe_differences(view))
    cautions = comparison_sections.list_all_cautions(view, comparison)
    screen.cautions(cautions, several=bool(further), hints=False)
    charts.grow(partial(forest, result, settings), "report.forest", _FOREST_ALT)
    screen.show_table(make_table(view, further), all_rows=True)
    _report_exclusions(view, comparison)
    if further:
        st.subheader(_AGREEMENT_TITLE)
        comparison_sections.report_decisions(view, [result, *further])
    by_reference = by_reference_table(result)
    if by_reference:
        st.subheader("References")
        screen.show_table(by_reference, prose=True)
    published_comparison.report(view)
    _report_texts(comparison)


def _report_exclusions(view: View, comparison: Comparison) -> None:
    """Draw which systems were excluded and why, and what that changes."""
    if not comparison.excluded:
        return
    st.subheader("Excluded")
    for sentence in list_exclusions(comparison):
        screen.plain(sentence)
    comparison_sections.show_rank_changes(view)


def _report_texts(comparison: Comparison) -> None:
    """Draw result and method, as for a paper."""
    st.subheader("Result and method")
    screen.plain(make_once(paper_sentences, comparison))
