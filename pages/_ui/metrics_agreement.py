"""Which metric to trust: metrics held against the scores that people gave."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import streamlit as st

from mtsig_core.experiments.metric_agreement import agreement, default_metrics
from mtsig_core.figures.comparison_plots import agreement_dots
from mtsig_core.metrics import metric_titles, metrics_of
from mtsig_core.report.agreement import (
    agreement_assumed,
    agreement_cautions,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
)
from mtsig_core.report.commands import command_line
from pages._ui import background, charts, controls, limits, results, screen
from pages._ui.ending import end_page, or_end_page
from pages._ui.metrics_views import table

__all__ = ["show_agreement"]


def show_agreement(view, places):
    """Pairwise and soft pairwise accuracy of the metrics chosen, and tests between them."""
    if not view.testset.scores:
        screen.error("This test set has no scores by people. Upload a table of segment scores (system, line, score) "
                     "with the texts on the page Data.")
        end_page()
    human = controls.choice("Scores by people", list(view.testset.scores), "human", place=places[0])
    others = [name for name in metrics_of(view.testset) if name != human]
    usual = [name for name in default_metrics(view.testset, human) if name in others]
    names = controls.several("Metrics", others, "held", usual, format_func=metric_titles(others).get)
    asked = dict(alpha=view.settings["alpha"], seed=view.settings["seed"])
    found = _found(view.testset, human, names, asked)
    if found.testset.n_segments < view.testset.n_segments:
        screen.status([f"{found.testset.n_segments:,} of {view.testset.n_segments:,} segments and "
                       f"{len(found.testset.systems)} of {len(view.testset.systems)} systems have {human} scores"])
    screen.answer(agreement_verdict(found))
    screen.cautions(agreement_cautions(found))
    printed = command_line("agreement", view.source, f"--metrics={','.join(names)}", human=human, **asked)
    charts.show(partial(agreement_dots, found), key="metrics.agreement", files=view.named(metric=human),
                command=printed, **table(found.metrics),
                alt="Soft pairwise accuracy and pairwise accuracy of each metric with intervals; numbers below.")
    screen.show_table(agreement_table(found), "metrics.agreement.rows")
    if found.comparisons:
        st.subheader("Is one metric better than another?")
        screen.show_table(compared_metrics_table(found), "metrics.agreement.pairs")
        rows = [asdict(row) for row in found.comparisons]
        charts.csv_button(view.named(metric=human), "metrics.comparisons", list(rows[0]),
                          (list(row.values()) for row in rows), "Pairs of metrics as CSV")
    screen.plain(" ".join([agreement_note(found), *agreement_assumed(found)]))


def _found(testset, human, names, asked):
    """What the core finds, remembered; ends the page with the reason where it cannot be had."""
    part = testset.under(*names)

    def work(progress):
        counted = {name: results.statistics(part, name, progress) for name in (human, *names)}
        return agreement(part, human, names, statistics=counted, progress=progress, **asked)

    with or_end_page():
        limits.check_experiment(part, agreement, asked, times=1 + len(names))
        return background.result(("agreement", testset.digest, human, *names, *sorted(asked.items())), work,
                                 "Comparing metrics with people")
