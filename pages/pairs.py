"""All pairs: which systems differ significantly, and does that depend on correction or test."""

import streamlit as st

from mtsig_core.report.sentences import explain_own_tests, has_p_values
from mtsig_core.stats.ranks import better_matrix, intransitive_triples
from pages._sections import comparison_sections, pairs_sections
from pages._ui import caution_boxes, frame, screen, views

view = frame.open_page()
comparison, result = view.comparison, view.result
settings = comparison.settings
if not result.pairs:
    screen.answer("Only one system: there is no pair to test")
    screen.plain("Upload a second output, or exclude fewer systems.")
    screen.end_page()
screen.answer(pairs_sections.state_answer(result, settings))
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
screen.plain(f"{open_pairs} Click a cell to open the pair.".strip())
if result.has_rule_decisions:
    screen.plain(explain_own_tests(result, settings))
if clicked:
    views.open_pair(view, *clicked)

n_triples = intransitive_triples(better_matrix(result))
titles = [
    "Other corrections",
    "Other tests",
    f"Non-transitive triples ({n_triples:,})",
    "All caveats",
    "Export",
]
corrections_tab, tests_tab, triples_tab, cautions_tab, export_tab = st.tabs(titles)
with corrections_tab:
    if n_tested == 1:
        st.write("One pair needs no correction.")
    elif not has_p_values(settings):
        st.write(
            "Koehn's test concludes from the share of wins and gives no p: there is nothing to correct."
        )
    else:
        pairs_sections.show_corrections(view, decisions)
with tests_tab:
    pairs_sections.show_tests(view)
with triples_tab:
    pairs_sections.show_triples(result, n_triples)
with cautions_tab:
    cautions = comparison.warnings
    if not comparison_sections.has_further_metrics(view):
        cautions = comparison_sections.list_all_cautions(view, comparison)
    comparison_sections.show_all_cautions(cautions)
with export_tab:
    excluded = comparison_sections.list_excluded(view)
    comparison_sections.show_files(view, "pairs", comparison_sections.join_metrics(view, excluded))
