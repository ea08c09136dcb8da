"""Significance: every pair at once, and where the answer depends on the test or on the correction."""

import streamlit as st

from mtsig_core.report.caution_words import explain_no_decision
from mtsig_core.stats.significance import TESTS
from pages._ui import comparison_sections, frame, screen, significance_sections, testsets
from pages._ui.one_pair import open_pair
from pages._ui.screen import end_page

view = frame.open_page("Significance")
comparison, result = view.comparison, view.result
settings, pairs = comparison.settings, result.tested
if not result.pairs:
    screen.answer("Only one system: there is no pair to test")
    screen.plain("Add a second output, or leave out fewer systems in the sidebar.")
    end_page()
has_p = TESTS[settings.test].p_values is not None
n_significant = sum(pair.significant for pair in pairs)
what = "pair differs" if len(pairs) == 1 else "pairs differ"
how = f"{settings.correction if has_p else 'koehn'}, alpha {settings.alpha:g}{'' if has_p else ' per direction'}"
cannot = explain_no_decision(settings, result)
screen.answer(f"{cannot} ({how})" if cannot else f"{n_significant} of {len(pairs)} {what} significantly ({how})")
screen.plain(f"{significance_sections.describe_open_pairs(view)}Click a cell to open the pair.")
screen.cautions(caution for caution in comparison.warnings if caution.concerns_all)
adjusted = significance_sections.adjust(view) if has_p else None
clicked = comparison_sections.show_matrix(view, {} if adjusted is None else adjusted.by_correction)
screen.cautions(caution for caution in comparison.warnings if caution.kind.concern == "open pairs")
if clicked:
    open_pair(view, *clicked)
if view.testset.simulated and not significance_sections.list_open_pairs(view):
    testsets.offer_demo(testsets.TASK, "Nothing is left open here. A simulated test set that leaves something open:",
                         view.source)

st.subheader("Every correction side by side")
if adjusted is None:
    st.write("Koehn's test concludes from the share of wins and gives no p: there is nothing to correct.")
else:
    significance_sections.show_corrections(view, adjusted)
significance_sections.show_triples(view)
st.subheader("The tests side by side")
significance_sections.show_tests(view)
comparison_sections.show_exports(view, "significance", comparison_sections.list_excluded(view))
