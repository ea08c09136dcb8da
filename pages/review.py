"""Review: an organiser's decisions on a task: the excluded systems and the declared winner."""

from functools import partial

from mtsig_core import MtsigError
from mtsig_core.errors import StoreError
from mtsig_core.report.review import content_sentence
from mtsig_core.report.sentences import list_task_settings
from pages._sections import (
    published_comparison,
    ranking_sections,
    results_sections,
    review_sections,
)
from pages._ui import address, browser, controls, frame, screen
from pages._ui.screen import end_page, or_without

view = frame.take_view()
if isinstance(view, MtsigError):
    screen.error(view)
    if not isinstance(view, StoreError):  # which it would say again
        review_sections.show_mine()
    end_page()
if view.kept is None:
    screen.plain(
        "A review keeps what you decide about a shared task: excluded systems with "
        "reasons, notes on disputed pairs, and which system is declared the winner. Start one on the "
        "page Results."
    )
    address.link("results", "Open Results")
    review_sections.show_mine()
    end_page()
review = view.review
metric = view.review.metric
review_sections.show_message()
review_sections.watch(view)

before = now = None
try:
    with or_without():
        before = view.before.comparison(lambda _pairs: None)
        digests = {pair: comparison.testset.digest for pair, comparison in before.pairs.items()}
        changed = content_sentence(review, before.task, digests)
        if changed is not None:
            screen.caution_box(changed)
            if view.may_edit:
                review_sections.see_content(view, before.task.digest, digests)
        now = view.now.comparison(partial(results_sections.grow_ranks, view.now.kept.info, metric))
except MtsigError as problem:
    screen.error(problem)
mend = partial(review_sections.mend, view) if view.may_edit else None
if now is not None:
    screen.status(list_task_settings(now))
    files_place = browser.export_box("review")
    results_sections.show_verdict(now, metric)
    results_sections.show_first_cautions(now, metric, mend)
review_sections.show_decisions(view, now)
if view.may_edit:
    browser.remember()

names = ["Ranks"]
if view.may_edit or review.exclusions:
    names.append("Excluded systems")
if view.may_edit or review.notes:
    names.append("Notes")
if now is not None:
    names += [*ranking_sections.TABS, "Caveats and method"]
open_tab, tabs = controls.tabs([*names, "History and sharing"])
with tabs["Ranks"]:
    if view.may_edit:
        review_sections.pick_settings(view)
    if now is not None:
        click = " without the excluded systems" if review.exclusions else ""
        lang_pair = results_sections.show_ranks(now, metric, "review.picture", click)
        if lang_pair is not None:
            review_sections.open_pair(view, lang_pair, before.pairs)
        if results_sections.has_runs(now, metric):
            results_sections.show_runs(now, metric)
if "Excluded systems" in tabs:
    with tabs["Excluded systems"]:
        review_sections.show_left_out(view, before, now)
if "Notes" in tabs:
    with tabs["Notes"]:
        review_sections.show_notes(view, now)
with tabs["History and sharing"]:
    review_sections.show_links(view)
    review_sections.show_history(view)
if now is not None:
    if open_tab in ranking_sections.TABS:
        with tabs[open_tab]:
            ranking_sections.show_tab(open_tab, view.now)
    if view.may_edit:
        with tabs[ranking_sections.RANKINGS]:
            published_comparison.show_of_task(view.now, remembers=True)
    with tabs["Caveats and method"]:
        results_sections.show_cautions(view.now, now, mend)
    with files_place:
        review_sections.show_files(view, now)
