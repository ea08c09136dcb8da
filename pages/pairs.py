"""All pairs: which systems differ significantly, and does that depend on correction or test."""

from mtsig_core.report.sentences import explain_own_tests, has_p_values, state_family
from mtsig_core.report.tiles import list_family_tiles
from mtsig_core.stats.ranks import better_matrix, intransitive_triples
from pages._sections import comparison_sections, pairs_sections
from pages._ui import browser, caution_boxes, controls, frame, screen, views

view = frame.open_page()
comparison = view.comparison
result = view.result
settings = comparison.settings
if not result.pairs:
    screen.answer("There is only one system, so there is no pair to test")
    screen.plain("Upload a second output, or exclude fewer systems.")
    screen.end_page()
files_place = browser.export_box("pairs")
screen.answer(state_family(comparison, view.metric))
screen.tiles(*list_family_tiles(comparison, view.metric))
caution_boxes.show(
    (caution for caution in comparison.warnings if caution.concerns_all), "first", most=2
)
n_tested = len(result.tested)
adjusted_p = {}
if has_p_values(settings) and n_tested != 1:
    decisions = pairs_sections.adjust(view)
    adjusted_p = decisions.p
clicked = comparison_sections.show_matrix(view, adjusted_p)
open_pairs = pairs_sections.describe_open_pairs(result, settings)
screen.faint(f"{open_pairs} Click a cell to open the pair.".strip())
if result.has_rule_decisions:
    screen.plain(explain_own_tests(result, settings))
if clicked:
    views.open_pair(view, *clicked)

cautions = comparison.warnings
if not comparison_sections.has_further_metrics(view):
    cautions = comparison_sections.list_all_cautions(view, comparison)
n_triples = intransitive_triples(better_matrix(result))
titles = {}
if adjusted_p:
    titles["corrections"] = "Other corrections"
titles["tests"] = "Other tests"
if n_triples:
    titles["triples"] = f"Non-transitive triples ({n_triples:,})"
if cautions:
    titles["caveats"] = "All caveats"
_, tabs = controls.tabs(titles)
if adjusted_p:
    with tabs["corrections"]:
        pairs_sections.show_corrections(view, decisions)
with tabs["tests"]:
    pairs_sections.show_tests(view)
if n_triples:
    with tabs["triples"]:
        pairs_sections.show_triples(result, n_triples)
if cautions:
    with tabs["caveats"]:
        caution_boxes.show(cautions, "all")
with files_place:
    excluded = comparison_sections.list_excluded(view)
    comparison_sections.show_files(view, "pairs", comparison_sections.join_metrics(view, excluded))
