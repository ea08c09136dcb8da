"""Significance: every pair at once, and where the answer depends on the test or on the correction."""

import numpy as np
import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.report.cells import Cell, format_p, number
from mtsig_core.report.sentences import choose_form
from mtsig_core.report.words import describe_control
from mtsig_core.stats import ranks, significance
from mtsig_core.stats.few_units import cannot_decide, trials_needed
from mtsig_core.stats.ranks import intransitive_triples
from mtsig_core.stats.significance import TESTS, is_split, significant
from pages._ui import charts, comparison_sections, controls, frame, results, screen, testsets
from pages._ui.one_pair import open_pair
from pages._ui.screen import end_page

_SHOWN = 200

view = frame.open_page("Significance")
comparison, result = view.comparison, view.result
settings, pairs = comparison.settings, result.tested
names = [system.system for system in result.systems]
if not result.pairs:
    screen.answer("Only one system: there is no pair to test")
    screen.plain("Add a second output, or leave out fewer systems at the side.")
    end_page()
has_p = TESTS[settings.test].p_values is not None
n_significant = sum(pair.significant for pair in pairs)


def compared(**changed):
    return results.comparison(view.testset, view.metric, **{**view.settings, **changed})


def how_many(yes, tested, correction, of=result):
    """The number of significant pairs, or why there can be none."""
    needed = trials_needed(tested, len(pairs), correction)
    if (why := cannot_decide(tested, of, correction)) is not None and (needed is None or of.exact):
        return why.partition(",")[0]  # too few for so many pairs: that stands above
    return (f"{np.sum(yes)} of {len(pairs)}" if needed is None
            else f"none can be with {tested.trials} trials: use {needed} or more")


def show_disagreement(pairs, adjusted, decisions, found, key):
    """The pairs on which columns disagree: the adjusted p under each, a filled point where it decides."""
    numbers = [[pairs[k].a, pairs[k].b, result.sign * pairs[k].delta, *(float(p[k]) for p in adjusted.values())]
               for k in found]
    screen.table(["pair", "difference", *adjusted], [
        [f"{a} - {b}", number(delta, f"+{choose_form(result)}"),
         *(Cell(f"{'● ' if signs[k] else ''}{format_p(p)}", p)
           for p, signs in zip(ps, decisions.values(), strict=True))]
        for k, (a, b, delta, *ps) in zip(found, numbers[:_SHOWN], strict=False)], key=key)
    if len(found) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(found)} rows; the file has all.")
    charts.csv_button(view.named(), key, ["a", "b", "difference", *adjusted], numbers, "These pairs as CSV")


what = "pair differs" if len(pairs) == 1 else "pairs differ"
how = f"{settings.correction if has_p else 'koehn'}, alpha {settings.alpha:g}{'' if has_p else ' per direction'}"
cannot = cannot_decide(settings, result)
screen.answer(f"{cannot} ({how})" if cannot else f"{n_significant} of {len(pairs)} {what} significantly ({how})")
split = sum(is_split(pair, settings.alpha) for pair in pairs)
open_pairs = [pair for pair in pairs if not (pair.significant or is_split(pair, settings.alpha))]
only_raw = sum(pair.p_value is not None and bool(significant(pair.p_value, settings.alpha)) for pair in open_pairs)
still_open = (f"{len(open_pairs)} {'is' if len(open_pairs) == 1 else 'are'} not separated"
              + (f", {only_raw} of them only because of the correction. " if only_raw else ". "))
if split:
    still_open = (still_open if open_pairs else "") + \
        f"In {split} {'pair' if split == 1 else 'pairs'}, test and scores disagree. "
apart = len(result.pairs) - len(pairs)
untested = f"{apart} more {'was' if apart == 1 else 'were'} not tested, for want of a line in common. " if apart else ""
screen.plain((still_open if (open_pairs or split) and cannot is None else "") + untested
             + "Click a cell to open the pair.")
screen.cautions(caution for caution in comparison.warnings if caution.concerns_all)
adjusted = {}
if has_p:
    tested = [pair for pair in pairs if pair.p_value is not None]
    p = np.array([pair.p_value for pair in tested])
    joint = None
    if TESTS[settings.test].romano_wolf:  # "auto" is that correction, and often computed already
        found = comparison if settings.correction == "romano-wolf" else compared(correction="auto")
        joint = np.array([pair.p_adjusted for pair in found.metrics[view.metric].pairs if pair.p_value is not None])
    adjusted = significance.every_correction(p, joint)
clicked = comparison_sections.show_matrix(view, adjusted)
screen.cautions(caution for caution in comparison.warnings if caution.kind.concern == "open pairs")
if clicked:
    open_pair(view, *clicked)
if view.testset.simulated and not open_pairs:
    testsets.offer_demo(testsets.TASK, "Nothing is left open here. A simulated test set that leaves something open:",
                         view.source)

st.subheader("Every correction side by side")
if not has_p:
    st.write("Koehn's test concludes from the share of wins and gives no p: there is nothing to correct.")
else:
    decisions = {name: significance.decide_by(tested, result.sign, values, settings.alpha)
                 for name, values in adjusted.items()}
    screen.table(["correction", "controls", "significant pairs"], [
        [f"{name} (chosen)" if name == settings.correction else name, describe_control(comparison, name),
         how_many(signs != 0, settings, name)] for name, signs in decisions.items()], names=[0], texts=[1])
    if joint is None:
        st.caption(f"Romano-Wolf is not defined for the test {settings.test}.")
    elif np.count_nonzero(decisions["romano-wolf"]) < np.count_nonzero(decisions["holm"]):
        st.caption(significance.FEWER_THAN_HOLM)
    unclear = significance.disagreeing(decisions)
    if len(unclear):
        inside = st.expander(f"Pairs on which the corrections disagree: {len(unclear)}", on_change="rerun",
                             key="significance.unclear")
        if inside.open:
            with inside:
                show_disagreement(tested, adjusted, decisions, unclear, "significance.corrections")

better = ranks.better_matrix(result)
n_triples = intransitive_triples(better)
if n_triples:
    triples = ranks.triple_examples(better)
    st.subheader(f"{n_triples:,} {'triple is' if n_triples == 1 else 'triples are'} not transitive")
    st.caption("The first is better than the last, yet neither is separated from the one between: so ranks are "
               "intervals, and 'not significant' is not 'equal'."
               + (f" {len(triples)} of the {n_triples:,} are shown, one for each better system."
                  if len(triples) < n_triples else ""))
    screen.table(["better", "separated from neither", "worse"], [[names[k] for k in triple] for triple in triples],
                 names=range(3))

st.subheader("The tests side by side")
if controls.toggle("Compare the tests", False, "significance.tests",
                   help="ar, bootstrap and percentile, each with its default correction; some seconds on large sets."):
    rows, by_test, decided = [], {}, {}
    of_segments = ("t", "wilcoxon") if view.metric in view.testset.scores and settings.unit == "segment" else ()
    for test in ("ar", "bootstrap", "percentile", *of_segments):
        try:
            found = compared(test=test, correction="auto")
        except MtsigError as problem:
            screen.error(problem)
            continue
        of, correction = found.metrics[view.metric], found.settings.correction
        p = np.array([pair.p_adjusted for pair in of.tested])
        signs = significance.decide_by(of.tested, of.sign, p, settings.alpha)
        rows.append([TESTS[test].title, correction, how_many(signs != 0, found.settings, correction, of)])
        if cannot_decide(found.settings, of, correction) is None:
            by_test[f"{test}, {correction}"], decided[f"{test}, {correction}"] = p, signs
    screen.table(["test", "correction", "significant pairs"], rows, names=[0, 1])
    unclear = significance.disagreeing(decided)
    st.caption(f"{len(unclear)} {'pair' if len(unclear) == 1 else 'pairs'} on which {' and '.join(by_test)} disagree. "
               "Choose the test before looking: to try several and keep one is to test more than once.")
    if len(unclear):
        show_disagreement(pairs, by_test, decided, unclear, "significance.by-test")
comparison_sections.show_exports(view, "significance", comparison_sections.left_out(view))
