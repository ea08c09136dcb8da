"""Many comparisons of which some are of truly different systems, on the page Validation."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mtsig_core.experiments.error_rates import claims
from mtsig_core.figures.experiment_plots import panels, rates
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.cells import rounded
from pages._ui import screen
from pages._ui.validation_experiment import Bench, row_of

__all__ = ["show_claims"]


def show_claims(bench: Bench) -> None:
    one = bench.found(claims, "Comparing systems of which three are better", figure=partial(_false, bench.alpha),
                      things="test sets")
    st.subheader(f"When {one.better} of {one.systems} systems are truly better")
    by = {row.correction: row for row in one.rows}
    screen.answer(f"BH loses {_percent(by['bh'].lost)} of the {one.true_pairs} true differences, Romano-Wolf "
                  f"{_percent(by['romano-wolf'].lost)}; something false is claimed in "
                  f"{_percent(by['bh'].any_false)} and {_percent(by['romano-wolf'].any_false)} of test sets")
    command = bench.command("claims")
    bench.show(_false(bench.alpha, one), one.rows, "claims", command,
               "False claims by correction, counted by test set and by claim.")
    bench.show(partial(rates, [row_of(row.correction, row.lost) for row in one.rows],
                       what=f"of {one.true_pairs} true differences lost"),
               one.rows, "lost", command, "Share of true differences that each correction loses.")
    st.caption(f"{one.repeats} test sets of {one.n_segments:,} segments, with 95% Monte Carlo intervals; approximate "
               f"randomization by segment, {one.trials:,} trials. Of {one.systems} systems made as above, {one.better} "
               f"are better by about {rounded(one.difference)} points: they more often say what the best real one "
               f"says. {one.null_pairs} pairs are of equal systems. True and false are so by construction: test sets "
               "are drawn from this one, whatever it decides of the real systems. Bonferroni, Holm and Romano-Wolf "
               "control the chance of any false claim (left); BH and BY control the expected share of false claims "
               "among all claims (right), so that BH may claim something false in many test sets, and loses less. "
               "Vermillion: above the level.")
    screen.show_table(tables.claim_table(one))


def _false(alpha: float, one):
    """The figure of false claims by correction."""
    return partial(panels, {
        "test sets with a false claim": [row_of(row.correction, row.any_false) for row in one.rows],
        "claims that are false, mean share": [row_of(row.correction, row.false_share) for row in one.rows],
    }, alpha, at_most=True)


def _percent(found) -> str:
    return f"{100 * found.share:.0f}%"
