"""Results: every language pair of a shared task at once, the top group of each, and the systems across them."""

from dataclasses import replace

import streamlit as st

from mtsig_core.report.pictures import task_picture
from mtsig_core.report.sentences import describe_methods, list_exclusions
from mtsig_core.report.tables import tops_table
from mtsig_core.results import TaskComparison
from pages._ui import address, controls, frame, published_comparison, review_sections, screen, task_sections
from pages._ui.screen import or_end_page
from pages._work.memory import make_once

view = task_sections.open_page(frame.take_view(), "Results")
info = view.kept.info


def meanwhile(pairs):
    if pairs:
        st.caption(f"{len(pairs)} of {len(info.pairs_with(view.metric))} language pairs so far.")
        task_sections.show_picture(TaskComparison(info, pairs, {}), view.metric)


with or_end_page():
    comparison = view.comparison(meanwhile)
task_sections.show_verdict(comparison, view.metric)
task_sections.ask_which_metric(view)
task_sections.show_people(view, comparison)
if (pair := task_sections.show_ranks(comparison, view.metric, "task.picture")) is not None:
    address.go("summary", **view.address_of(pair, comparison))
if (link := review_sections.show_begin(view, comparison)) is not None:
    address.go("review", review=link)
chosen, tabs = controls.tabs(
    ["Top groups", "Across pairs", "Metrics", "Rules side by side", "Published ranking", *task_sections.name_runs(
        comparison, view.metric), "Caveats", "Method", "Export"])
with tabs["Top groups"]:
    screen.show_table(tops_table(comparison, view.metric), prose=True)
with tabs["Across pairs"]:
    task_sections.show_across(comparison, view.metric)
with tabs["Metrics"]:
    several = task_sections.show_disputes(view)
    published = replace(several or comparison, agreement=task_sections.show_agreement(view))
with tabs["Rules side by side"]:
    if chosen == "Rules side by side":
        task_sections.show_rules(view)
with tabs["Published ranking"]:
    published_comparison.show_of_task(view)
if "Training runs" in tabs:
    with tabs["Training runs"]:
        task_sections.show_runs(comparison, view.metric)
with tabs["Caveats"]:
    task_sections.show_remarks(view, comparison)
    for sentence in list_exclusions(comparison):
        screen.caution_box(sentence)
    task_sections.show_warnings(comparison)
with tabs["Method"]:
    screen.plain(make_once(describe_methods, comparison, view.metric))
with tabs["Export"]:
    task_sections.show_files(published, make_once(task_picture, comparison, view.metric), view.metric,
                             view.kept.source, view.command(published), "task")
