"""Task: every language pair of a shared task at once, the top group of each, and the systems across them."""

from dataclasses import replace

import streamlit as st

from mtsig_core.report.pictures import task_picture
from mtsig_core.report.task import (
    above_ranks,
    compare_decisions_with_intervals,
    describe_exclusions,
    describe_rule,
    describe_tests,
    macro_pairs_table,
    task_methods,
    task_verdict,
    tops_table,
)
from mtsig_core.report.words import assumptions, direction
from mtsig_core.results import TaskComparison
from mtsig_core.testset import with_remedy
from pages._ui import address, frame, published_comparison, review_sections, screen, task_sections, task_view
from pages._ui.screen import or_end_page
from pages._work.memory import make_once

view = task_view.open_page(frame.take_view(), "Task")
info = view.kept.info


def meanwhile(pairs):
    if pairs:
        st.caption(f"{len(pairs)} of {len(info.pairs_with(view.metric))} language pairs so far.")
        task_view.show_picture(TaskComparison(info, pairs, {}), view.metric)


with or_end_page():
    found = view.comparison(meanwhile)
screen.status(describe_tests(found))
screen.answer(task_verdict(found, view.metric))
task_view.ask_which_metric(view)
task_sections.show_people(view, found)
for told in above_ranks(found, view.metric):
    screen.caution_box(told)
pair = task_view.show_picture(found, view.metric, "task.picture")
task_view.show_key(found, view.metric)
if pair is not None:
    address.go(frame.ROOT / "pages" / "leaderboard.py", **view.address_of(pair, found))
if (said := describe_rule(found, view.metric)) is not None:
    screen.caution_box(said)
tops = tops_table(found, view.metric)
with st.expander("Top group of each language pair", expanded=len(tops.rows) <= task_view.FEW,
                 key="task.firsts"):
    screen.show_prose_table(tops)
task_view.show_far_firsts(found, view.metric)
task_view.show_unread(view)
for said in map(with_remedy, assumptions(info.assumed, [view.metric])):
    screen.caution_box(said)
for said in describe_exclusions(found):
    screen.caution_box(said)
if across := macro_pairs_table(found, view.metric):
    st.subheader("Across the language pairs")
    screen.show_table(across, "task.macro")
    if not found.macro[view.metric].higher_is_better:
        st.caption(f"{direction(False).capitalize()} of a over b.")
    for said in compare_decisions_with_intervals(found, view.metric):
        st.caption(said)
task_sections.show_runs(found, view.metric)
several = task_sections.show_disputes(view)
published = replace(several or found, agreement=task_sections.show_agreement(view))
published_comparison.show_of_task(view)
task_view.show_warnings(found, "task.warnings")
if (link := review_sections.show_begin(view, found)) is not None:
    address.go(frame.ROOT / "pages" / "review.py", review=link)
st.subheader("How it was tested")
screen.plain(make_once(task_methods, found, view.metric))
task_sections.show_files(published, make_once(task_picture, found, view.metric), view.metric, view.kept.source,
                view.command(published), "task")
