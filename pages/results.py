"""Results: every language pair of a shared task at once, the top group of each, and the systems
across them.
"""

from dataclasses import replace
from functools import partial

from mtsig_core.report.pictures import task_picture
from mtsig_core.report.tables import tops_table
from pages._sections import (
    published_comparison,
    ranking_sections,
    results_sections,
    review_sections,
)
from pages._ui import address, controls, frame, screen
from pages._ui.screen import or_end_page
from pages._work.memory import make_once

view = results_sections.open_page(frame.take_view(), "Results")
with or_end_page():
    comparison = view.comparison(partial(results_sections.grow_ranks, view.kept.info, view.metric))

answer = results_sections.show_verdict(comparison, view.metric)
choices = results_sections.show_choice(view, comparison)
results_sections.show_first_caveats(comparison, view.metric, most=1 if choices else 2)
if (pair := results_sections.show_ranks(comparison, view.metric, "task.picture")) is not None:
    address.go("summary", **view.address_of(pair, comparison))
if (link := review_sections.show_begin(view, comparison)) is not None:
    address.go("review", review=link)

runs = ["Training runs"] * results_sections.has_runs(comparison, view.metric)
chosen, tabs = controls.tabs(
    ["Language pairs", "Metrics", *ranking_sections.TABS, *runs, "Caveats and method", "Export"]
)
with tabs["Language pairs"]:
    screen.show_table(tops_table(comparison, view.metric), prose=True)
    results_sections.show_across(comparison, view.metric)
with tabs["Metrics"]:
    several = results_sections.show_disputes(view) or comparison
    published = replace(several, agreement=results_sections.show_agreement(view))
results_sections.show_answer(several, view.metric, answer)
if chosen in ranking_sections.TABS:
    with tabs[chosen]:
        ranking_sections.show_tab(chosen, view)
with tabs["Rank rules"]:
    published_comparison.show_of_task(view)
if runs:
    with tabs["Training runs"]:
        results_sections.show_runs(comparison, view.metric)
with tabs["Caveats and method"]:
    results_sections.show_caveats(view, comparison)
with tabs["Export"]:
    results_sections.show_files(
        published,
        make_once(task_picture, several, view.metric),
        view.metric,
        view.kept.source,
        view.command(published),
        "task",
    )
