"""Sections of the page All pairs: corrections and tests side by side, and triples that are not
transitive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from mtsig_core import MetricResult, MtsigError, PairResult, Settings
from mtsig_core.errors import choose_verb, format_count
from mtsig_core.report.caution_words import explain_no_decision
from mtsig_core.report.sentences import choose_form, describe_control
from mtsig_core.report.table import Column, Table
from mtsig_core.stats import ranks, significance
from mtsig_core.stats.few_units import fewest_trials
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split, significant
from pages._ui import charts, controls, screen
from pages._ui.views import View

_SHOWN = 200  # rows of a table of pairs
_MOST_TRIPLES = 10_000
_SIGNIFICANT = Column("significant", "significant pairs")


@dataclass(frozen=True)
class Adjusted:
    """The p of all pairs that have one, adjusted by each correction."""

    pairs: Sequence[PairResult]
    by_correction: Mapping[str, np.ndarray]
    has_joint: bool  # whether Romano-Wolf is among them


def adjust(view: View) -> Adjusted:
    """Adjust p by each correction, where the test of the view gives p."""
    settings = view.comparison.settings
    pairs = [pair for pair in view.result.tested if pair.p_value is not None]
    joint = None
    if TESTS[settings.test].romano_wolf:  # "auto" is that correction, and often computed already
        other = (
            view.comparison
            if settings.correction == "romano-wolf"
            else view.compare(correction="auto")
        )
        joint = np.array(
            [
                pair.p_adjusted
                for pair in other.metrics[view.metric].pairs
                if pair.p_value is not None
            ]
        )
    p = np.array([pair.p_value for pair in pairs])
    return Adjusted(pairs, significance.apply_corrections(p, joint), joint is not None)


def describe_open_pairs(view: View) -> str:
    """Write how many pairs are open, split or untested."""
    result, settings = view.result, view.comparison.settings
    facts = []
    if explain_no_decision(settings, result) is None:
        facts += _describe_open(result.tested, settings.alpha)
    n_untested = len(result.pairs) - len(result.tested)
    if n_untested:
        facts.append(
            f"Not tested, because no segment has both scores: {format_count(n_untested, 'pair')}."
        )
    return " ".join(facts)


def _describe_open(tested: Sequence[PairResult], alpha: float) -> list[str]:
    """Write how many tested pairs are not significant, and how many are but scores disagree with
    the test.
    """
    facts = []
    n_split = sum(is_split(pair, alpha) for pair in tested)
    open_pairs = [pair for pair in tested if not (pair.significant or is_split(pair, alpha))]
    if open_pairs:
        n_open = len(open_pairs)
        fact = f"{format_count(n_open, 'pair')} {choose_verb(n_open, 'is', 'are')} not significant"
        n_lost = sum(
            pair.p_value is not None and bool(significant(pair.p_value, alpha))
            for pair in open_pairs
        )
        if n_lost:
            fact += f", {n_lost} of them only because of the correction"
        facts.append(f"{fact}.")
    if n_split:
        facts.append(f"In {format_count(n_split, 'pair')}, test and scores disagree.")
    return facts


def show_corrections(view: View, adjusted: Adjusted) -> None:
    """Draw what each correction controls, how many pairs are significant under it, and the pairs on
    which they disagree.
    """
    settings, result = view.comparison.settings, view.result
    decisions = {
        name: significance.decide_adjusted(adjusted.pairs, result.sign, values, settings.alpha)
        for name, values in adjusted.by_correction.items()
    }
    screen.show_table(
        Table(
            "corrections",
            (
                Column("correction", "correction", "name"),
                Column("controls", "controls"),
                _SIGNIFICANT,
            ),
            tuple(
                (
                    CORRECTIONS[name].title + " (chosen)" * (name == settings.correction),
                    describe_control(view.comparison, name),
                    _count(view, signs, settings, name, result),
                )
                for name, signs in decisions.items()
            ),
        )
    )
    if not adjusted.has_joint:
        st.caption(f"Romano-Wolf is not defined for the test: {TESTS[settings.test].title}.")
    elif np.count_nonzero(decisions["romano-wolf"]) < np.count_nonzero(decisions["holm"]):
        st.caption(significance.FEWER_THAN_HOLM)
    unclear = significance.find_disagreements(decisions)
    if len(unclear):
        inside = st.expander(
            f"Pairs on which the corrections disagree: {len(unclear)}",
            on_change="rerun",
            key="pairs.unclear",
        )
        if inside.open:
            with inside:
                _show_disagreement(
                    view,
                    adjusted.pairs,
                    adjusted.by_correction,
                    decisions,
                    unclear,
                    "pairs.corrections",
                )


def _count(
    view: View, signs: np.ndarray, settings: Settings, correction: str, result: MetricResult
) -> str:
    """Return the number of significant pairs, or why there can be none."""
    n = len(view.result.tested)
    needed = fewest_trials(settings, n, correction)
    if (why := explain_no_decision(settings, result, correction)) is not None and (
        needed is None or result.exact
    ):
        return why.partition(",")[0]  # too few for so many pairs: that stands above
    return (
        f"{np.count_nonzero(signs)} of {n}"
        if needed is None
        else f"none possible with {settings.trials:,} permutations: use {needed:,} or more"
    )


def _show_disagreement(view, pairs, adjusted, decisions, unclear, key):
    """Draw the pairs on which columns disagree: the adjusted p under each, with a filled point
    where it decides.
    """
    result = view.result
    columns = [
        Column("pair", "pair", "pair"),
        Column("difference", "difference", "difference", choose_form(result)),
        *(
            Column(name, CORRECTIONS[name].title if name in CORRECTIONS else name, "decided p")
            for name in adjusted
        ),
    ]
    table = Table(
        "disagreement",
        tuple(columns),
        tuple(
            (
                (pairs[k].a, pairs[k].b),
                result.sign * pairs[k].delta,
                *((float(adjusted[name][k]), bool(decisions[name][k])) for name in adjusted),
            )
            for k in unclear
        ),
    )
    screen.show_table(table.pick_rows(range(min(_SHOWN, len(unclear)))), key)
    if len(unclear) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(unclear)} rows; the file has all.")
    charts.csv_button(view.named(), key, rows=table.records(), text="These pairs as CSV")


def show_triples(result: MetricResult, n: int) -> None:
    """Draw triples in which the first is better than the last, and the middle one differs from
    neither.
    """
    if not n:
        st.write("No such triple.")
        return
    triples, names = (
        ranks.triple_examples(ranks.better_matrix(result), _MOST_TRIPLES),
        [system.system for system in result.systems],
    )
    st.caption(
        "The first system is significantly better than the last, and neither differs significantly from the one "
        "between. So ranks are ranges, and 'not significant' is not 'equal'."
    )
    if len(triples) < n:
        st.caption(f"One of the {n:,} triples for each better system.")
    screen.show_table(
        Table(
            "triples",
            tuple(
                Column(title, title, "name")
                for title in ("better", "differs from neither", "worse")
            ),
            tuple(tuple(names[k] for k in triple) for triple in triples),
        )
    )


def show_tests(view: View) -> None:
    """Draw, below a toggle, the pairs that each test decides, with its default correction."""
    if not controls.toggle(
        "Compare the tests",
        False,
        "pairs.tests",
        help="Randomization test and two bootstrap "
        "tests, each with its default correction; some seconds on large sets.",
    ):
        return
    settings, rows, by_test, decided = view.comparison.settings, [], {}, {}
    of_segments = (
        ("t", "wilcoxon")
        if view.metric in view.testset.scores and settings.unit == "segment"
        else ()
    )
    for test in ("ar", "bootstrap", "percentile", *of_segments):
        try:
            other = view.compare(test=test, correction="auto")
        except MtsigError as problem:
            screen.error(problem)
            continue
        result, correction = other.metrics[view.metric], other.settings.correction
        p = np.array([pair.p_adjusted for pair in result.tested])
        signs = significance.decide_adjusted(result.tested, result.sign, p, settings.alpha)
        rows.append(
            (
                TESTS[test].title,
                CORRECTIONS[correction].title,
                _count(view, signs, other.settings, correction, result),
            )
        )
        if explain_no_decision(other.settings, result, correction) is None:
            title = f"{TESTS[test].title}, {CORRECTIONS[correction].title}"
            by_test[title], decided[title] = p, signs
    screen.show_table(
        Table(
            "tests",
            (
                Column("test", "test", "name"),
                Column("correction", "correction", "name"),
                _SIGNIFICANT,
            ),
            tuple(rows),
        )
    )
    unclear = significance.find_disagreements(decided)
    st.caption(
        f"{len(unclear)} {'pair' if len(unclear) == 1 else 'pairs'} on which {' and '.join(by_test)} disagree. "
        "Choose the test before you look. Trying several and keeping one means testing more than once."
    )
    if len(unclear):
        _show_disagreement(view, view.result.tested, by_test, decided, unclear, "pairs.by-test")
