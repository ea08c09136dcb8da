"""Task: every language pair of a shared task at once, the top group of each, and the systems across them."""

from dataclasses import replace

import streamlit as st

from mtsig_core.report.pictures import task_picture
from mtsig_core.report.sentences import describe_methods, list_exclusions
from mtsig_core.report.tables import pairs_table, tops_table
from mtsig_core.results import TaskComparison
from pages._ui import address, frame, published_comparison, review_sections, screen, task_sections
from pages._ui.screen import or_end_page
from pages._work.memory import make_once

view = task_sections.open_page(frame.take_view(), "Task")
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
tops = tops_table(comparison, view.metric)
with st.expander("Top group of each language pair", expanded=len(tops.rows) <= task_sections.FEW,
                 key="task.firsts"):
    screen.show_table(tops, prose=True)
task_sections.show_remarks(view, comparison)
for sentence in list_exclusions(comparison):
    screen.caution_box(sentence)
if (macro := comparison.macro.get(view.metric)) is not None and macro.pairs:
    st.subheader("Across the language pairs")
    screen.show_table(pairs_table(macro, next(iter(comparison.pairs.values())).settings), "task.macro")
    st.caption("Positive where the first system is better. A dash: no significant difference, which does not mean "
               "equal.")
task_sections.show_runs(comparison, view.metric)
several = task_sections.show_disputes(view)
published = replace(several or comparison, agreement=task_sections.show_agreement(view))
published_comparison.show_of_task(view)
task_sections.show_warnings(comparison, "task.warnings")
if (link := review_sections.show_begin(view, comparison)) is not None:
    address.go("review", review=link)
st.subheader("How it was tested")
screen.plain(make_once(describe_methods, comparison, view.metric))
task_sections.show_files(published, make_once(task_picture, comparison, view.metric), view.metric, view.kept.source,
                view.command(published), "task")
