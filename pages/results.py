"""Results: the top group of each language pair of a shared task, and ranks across the pairs."""

from dataclasses import replace
from functools import partial

from mtsig_core.report.pictures import task_picture
from mtsig_core.report.progress_report import progress_sections
from mtsig_core.report.sentences import list_task_settings
from mtsig_core.report.tables import tops_table
from pages._sections import (
    published_comparison,
    published_values,
    ranking_sections,
    results_sections,
    review_sections,
)
from pages._sections.results_sections import TaskFiles
from pages._ui import address, browser, controls, frame, screen
from pages._ui.screen import or_end_page
from pages._work.memory import make_once

view = results_sections.open_page(frame.take_view())
with or_end_page():
    comparison = view.comparison(partial(results_sections.grow_ranks, view.kept.info, view.metric))

frame.show_details(list_task_settings(comparison))
files_place = browser.export_box("task")
answer = results_sections.show_verdict(comparison, view.metric)
n_boxes = results_sections.show_choice(view, comparison)
results_sections.show_first_cautions(comparison, view.metric, most=1 if n_boxes else 2)
lang_pair = results_sections.show_ranks(comparison, view.metric, "task.picture")
if lang_pair is not None:
    digest = comparison.pairs[lang_pair].testset.digest
    address.go("summary", **view.address_of(lang_pair, digest))
review_link = review_sections.show_begin(view, comparison)
if review_link is not None:
    address.go("review", review=review_link)

names = [screen.name_parts_in("Language pairs")]
has_several_metrics = results_sections.has_several_metrics(view)
if has_several_metrics:
    names.append("Metrics")
names += ranking_sections.TABS
has_runs = results_sections.has_runs(comparison, view.metric)
if has_runs:
    names.append("Training runs")
progress = make_once(progress_sections, comparison)
if progress:
    names.insert(0, "Progress")
open_tab, tabs = controls.tabs([*names, "Caveats and method"])
if progress:
    with tabs["Progress"]:
        results_sections.show_progress(progress)
        results_sections.follow_files(view.kept.source)
with tabs[screen.name_parts_in("Language pairs")]:
    screen.show_table(tops_table(comparison, view.metric), prose=True)
    results_sections.show_across(comparison, view.metric)
by_all_metrics = comparison
agreement = None
if has_several_metrics:
    with tabs["Metrics"]:
        by_all_metrics = results_sections.show_disputes(view) or comparison
        agreement = results_sections.show_agreement(view)
results_sections.show_answer(by_all_metrics, view.metric, answer)
if open_tab in ranking_sections.TABS:
    with tabs[open_tab]:
        ranking_sections.show_tab(open_tab, view)
with tabs[ranking_sections.RANKINGS]:
    published_values.show_of_task(view)
    published_comparison.show_of_task(view)
if has_runs:
    with tabs["Training runs"]:
        results_sections.show_runs(comparison, view.metric)
with tabs["Caveats and method"]:
    results_sections.show_cautions(view, comparison)
with files_place:
    published = published_values.find_of_task(view)
    for_files = replace(by_all_metrics, agreement=agreement, published=published)
    results_sections.show_files(
        TaskFiles(
            for_files,
            make_once(task_picture, by_all_metrics, view.metric),
            view.metric,
            view.command(for_files),
            "task",
        )
    )
