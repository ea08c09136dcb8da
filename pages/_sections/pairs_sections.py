"""Sections of the page All pairs: the verdict, corrections, tests, and non-transitive triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from mtsig_core import MetricResult, MtsigError, PairResult, Settings
from mtsig_core.errors import format_count
from mtsig_core.report.caution_words import explain_no_decision
from mtsig_core.report.sentences import choose_form, describe_control
from mtsig_core.report.table import Column, Table, TableBuilder
from mtsig_core.stats import ranks, significance
from mtsig_core.stats.few_units import fewest_trials
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split
from pages._ui import charts, controls, screen
from pages._ui.views import View

_MOST_ROWS = 200  # of a table of pairs
_MOST_TRIPLES = 10_000
_SIGNIFICANT = Column("significant", "significant pairs")


@dataclass(frozen=True)
class Decisions:
    """Pairs as several corrections, or several tests, decide them."""

    pairs: Sequence[PairResult]
    #: By the name of each correction or test.
    p: Mapping[str, np.ndarray]
    signs: Mapping[str, np.ndarray]


def adjust(view: View) -> Decisions:
    """Adjust p by each correction, where the test of the view gives p."""
    comparison = view.comparison
    result = view.result
    settings = comparison.settings
    pairs = [pair for pair in result.tested if pair.p_value is not None]
    joint_p = None
    if TESTS[settings.test].romano_wolf:
        if settings.correction != "romano-wolf":
            comparison = view.compare(correction="auto")  # for these tests this is Romano-Wolf
        joint = comparison.metrics[view.metric]
        joint_p = np.array([pair.p_adjusted for pair in joint.pairs if pair.p_value is not None])
    p = np.array([pair.p_value for pair in pairs])
    adjusted = significance.apply_corrections(p, joint_p)
    signs = {}
    for name, values in adjusted.items():
        signs[name] = significance.decide_adjusted(pairs, result.sign, values, settings.alpha)
    return Decisions(pairs, adjusted, signs)


# -------------------------------------------------------------------------------------------------
# What the tiles do not count.


def describe_open_pairs(result: MetricResult, settings: Settings) -> str:
    """Write how many pairs are split or untested; the tiles have the others."""
    sentences = []
    n_split = sum(is_split(pair, settings.alpha) for pair in result.tested)
    if n_split:
        sentences.append(f"In {format_count(n_split, 'pair')}, test and scores disagree.")
    n_untested = len(result.pairs) - len(result.tested)
    if n_untested:
        untested = format_count(n_untested, "pair")
        sentences.append(f"Not tested, because no segment has both scores: {untested}.")
    return " ".join(sentences)


# -------------------------------------------------------------------------------------------------
# Corrections and tests.


def show_corrections(view: View, decisions: Decisions) -> None:
    """Draw what each correction controls, its significant pairs, and where corrections differ."""
    comparison = view.comparison
    result = view.result
    settings = comparison.settings
    rows = []
    for name, signs in decisions.signs.items():
        title = CORRECTIONS[name].title
        if name == settings.correction:
            title += " (chosen)"
        count = _write_count(signs, result, settings, name)
        rows.append((title, describe_control(comparison, name), count))
    columns = (
        Column("correction", "correction", "name"),
        Column("controls", "controls"),
        _SIGNIFICANT,
    )
    screen.show_table(Table("corrections", columns, tuple(rows)))
    if "romano-wolf" not in decisions.signs:
        st.caption(f"Romano-Wolf is not defined for the test: {TESTS[settings.test].title}.")
    elif _count_significant(decisions, "romano-wolf") < _count_significant(decisions, "holm"):
        st.caption(significance.FEWER_THAN_HOLM)
    unclear = significance.find_disagreements(decisions.signs)
    if not len(unclear):
        return
    fold = st.expander(
        f"Pairs on which the corrections disagree: {len(unclear)}",
        on_change="rerun",
        key="pairs.unclear",
    )
    if fold.open:
        with fold:
            _show_disagreement(view, decisions, unclear, "pairs.corrections")


def _count_significant(decisions: Decisions, correction: str) -> int:
    return np.count_nonzero(decisions.signs[correction])


def _write_count(
    signs: np.ndarray, result: MetricResult, settings: Settings, correction: str
) -> str:
    """Write the number of significant pairs, or why there can be none."""
    n_pairs = len(result.tested)
    needed_trials = fewest_trials(settings, n_pairs, correction)
    reason = explain_no_decision(settings, result, correction)
    if reason is not None and (needed_trials is None or result.exact):
        return reason.partition(",")[0]  # the number of pairs is above the table
    if needed_trials is None:
        return f"{np.count_nonzero(signs)} of {n_pairs}"
    return f"none possible with {settings.trials:,} permutations: use {needed_trials:,} or more"


def _show_disagreement(view: View, decisions: Decisions, unclear: np.ndarray, key: str) -> None:
    """Draw the pairs that are decided differently, with the adjusted p of each decision."""
    result = view.result
    pairs = decisions.pairs
    builder = TableBuilder("disagreement", unclear)
    builder.add("pair", "pair", "pair", lambda k: (pairs[k].a, pairs[k].b))
    builder.add(
        "difference",
        "difference",
        "difference",
        lambda k: result.sign * pairs[k].delta,
        form=choose_form(result),
    )
    for name, p in decisions.p.items():
        title = CORRECTIONS[name].title if name in CORRECTIONS else name
        is_significant = decisions.signs[name] != 0
        cells = zip(p[unclear].tolist(), is_significant[unclear].tolist(), strict=True)
        builder.add_values(name, title, "decided p", list(cells))
    table = builder.build()
    n_rows = len(unclear)
    screen.show_table(table.pick_rows(range(min(_MOST_ROWS, n_rows))), key)
    if n_rows > _MOST_ROWS:
        st.caption(f"The first {_MOST_ROWS} of {n_rows} rows; the file has all.")
    charts.csv_button(view.named(), key, rows=table.records(), text="These pairs as CSV")


def show_tests(view: View) -> None:
    """Draw, below a toggle, the pairs that each test decides, with its default correction."""
    is_open = controls.toggle(
        "Compare the tests",
        False,
        "pairs.tests",
        help="Randomization test and two bootstrap "
        "tests, each with its default correction; some seconds on large sets.",
    )
    if not is_open:
        return
    tests = ["ar", "bootstrap", "percentile"]
    if view.metric in view.testset.scores and view.comparison.settings.unit == "segment":
        tests += ["t", "wilcoxon"]
    rows = []
    decisions = Decisions(view.result.tested, {}, {})
    for test in tests:
        try:
            comparison = view.compare(test=test, correction="auto")
        except MtsigError as problem:
            screen.error(problem)
            continue
        result = comparison.metrics[view.metric]
        settings = comparison.settings
        p = np.array([pair.p_adjusted for pair in result.tested])
        signs = significance.decide_adjusted(result.tested, result.sign, p, settings.alpha)
        test_title = TESTS[test].title
        correction_title = CORRECTIONS[settings.correction].title
        count = _write_count(signs, result, settings, settings.correction)
        rows.append((test_title, correction_title, count))
        if explain_no_decision(settings, result, settings.correction) is None:
            title = f"{test_title}, {correction_title}"
            decisions.p[title], decisions.signs[title] = p, signs
    columns = (
        Column("test", "test", "name"),
        Column("correction", "correction", "name"),
        _SIGNIFICANT,
    )
    screen.show_table(Table("tests", columns, tuple(rows)))
    unclear = significance.find_disagreements(decisions.signs)
    st.caption(
        f"{format_count(len(unclear), 'pair')} on which {' and '.join(decisions.p)} disagree. "
        "Choose the test before you look. Trying several and keeping one means testing more than once."
    )
    if len(unclear):
        _show_disagreement(view, decisions, unclear, "pairs.by-test")


# -------------------------------------------------------------------------------------------------
# Non-transitive triples.


def show_triples(result: MetricResult, n: int) -> None:
    """Draw triples whose first system is better than the last; the middle one is not different."""
    triples = ranks.triple_examples(ranks.better_matrix(result), _MOST_TRIPLES)
    st.caption(
        "The first system is significantly better than the last. The one between is not significantly different "
        "from either. So ranks are ranges, and 'not significant' does not mean 'equal'."
    )
    if len(triples) < n:
        st.caption(f"The table has one of the {n:,} triples for each better system.")
    systems = result.systems
    table = TableBuilder("triples", triples)
    for place, title in enumerate(("better", "not different from either", "worse")):
        names = [systems[triple[place]].system for triple in triples]
        table.add_values(title, title, "name", names)
    screen.show_table(table.build())
