"""All pairs: which pairs of systems differ significantly, and does that depend on the correction or
on the test?
"""

import streamlit as st

from mtsig_core.report.caution_words import explain_no_decision
from mtsig_core.report.sentences import explain_own_tests
from mtsig_core.stats.ranks import better_matrix, intransitive_triples
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from pages._sections import comparison_sections, pairs_sections
from pages._ui import caveats, frame, screen, views

view = frame.open_page()
comparison, result = view.comparison, view.result
settings = comparison.settings
if not result.pairs:
    screen.answer("Only one system: there is no pair to test")
    screen.plain("Upload a second output, or exclude fewer systems.")
    screen.end_page()
has_p, n = TESTS[settings.test].p_values is not None, len(result.tested)
significant = sum(pair.significant for pair in result.tested)
how = (
    f"alpha {settings.alpha:g} per direction"
    if not has_p
    else "one pair needs no correction"
    if n == 1
    else "without correction"
    if settings.correction == "none"
    else f"corrected by {CORRECTIONS[settings.correction].title}"
)
cannot = explain_no_decision(settings, result)
screen.answer(
    f"{cannot} ({how})"
    if cannot
    else f"{significant} of {n} {'pair differs' if n == 1 else 'pairs differ'} significantly ({how})"
)
more = caveats.show(
    (caution for caution in comparison.warnings if caution.concerns_all), "first", most=2
)
adjusted = pairs_sections.adjust(view) if has_p and n != 1 else None
clicked = comparison_sections.show_matrix(view, {} if adjusted is None else adjusted.by_correction)
screen.plain(f"{pairs_sections.describe_open_pairs(view)} Click a cell to open the pair.".strip())
if result.has_rule_decisions:
    screen.plain(explain_own_tests(result, settings))
if clicked:
    views.open_pair(view, *clicked)

triples = intransitive_triples(better_matrix(result))
corrections, tests, not_transitive, others, files = st.tabs(
    [
        "Other corrections",
        "Other tests",
        f"Non-transitive triples ({triples:,})",
        "All caveats",
        "Export",
    ]
)
with corrections:
    if n == 1:
        st.write("One pair needs no correction.")
    elif adjusted is None:
        st.write(
            "Koehn's test concludes from the share of wins and gives no p: there is nothing to correct."
        )
    else:
        pairs_sections.show_corrections(view, adjusted)
with tests:
    pairs_sections.show_tests(view)
with not_transitive:
    pairs_sections.show_triples(result, triples)
with others:
    if comparison_sections.has_further_metrics(view):
        every = comparison.warnings
    else:
        every = comparison_sections.list_all_caveats(view, comparison)
    comparison_sections.show_all_caveats(every)
with files:
    comparison_sections.show_files(
        view,
        "pairs",
        comparison_sections.join_metrics(view, comparison_sections.list_excluded(view)),
    )
