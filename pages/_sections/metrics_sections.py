"""Sections of the page Metrics and domains: whether the metrics agree, domains, and which metric to
trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.metric_agreement import agreement, default_metrics
from mtsig_core.figures.comparison_plots import agreement_dots
from mtsig_core.metrics import list_metrics, metric_titles
from mtsig_core.report.commands import command_line
from mtsig_core.report.experiment_reports import (
    agreement_assumed,
    agreement_by_pair_table,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
    domain_table,
    domains_note,
    domains_report,
    domains_verdict,
    opposed_pairs_table,
)
from mtsig_core.report.export import report_csv
from mtsig_core.results import Agreement, TaskAgreement
from mtsig_core.stats.cautions import about_agreement
from pages._sections import comparison_sections
from pages._ui import address, charts, controls, screen
from pages._ui.catalogue import TASK
from pages._ui.views import View

TABS = {
    "metrics": "Do the metrics agree?",
    "by domain": "Does a domain reverse it?",
    "which metric to trust": "Which metric to trust",
}


def list_tabs(view: View) -> dict[str, str]:
    """Return the tabs that the test set has something for."""
    single = len(list_metrics(view.testset)) == 1
    lacks = {
        "metrics": single,
        "by domain": not _has_domains(view),
        "which metric to trust": single or not view.testset.scores,
    }
    return {name: title for name, title in TABS.items() if not lacks.get(name)}


def _has_domains(view: View) -> bool:
    return len({*(view.testset.domains or ())}) > 1


def offer_more(view: View) -> None:
    """Say what the test set lacks for the other tabs, with a way to upload it and to a set that has
    it.
    """
    lacks = ["domains"] * (not _has_domains(view)) + ["human scores"] * (not view.testset.scores)
    if lacks:
        more = ["whether a domain reverses the result"] * (not _has_domains(view)) + [
            "which metric to trust"
        ] * (not view.testset.scores)
        screen.plain(
            f"This test set has no {' and no '.join(lacks)}, so this page cannot show {' or '.join(more)}."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            address.link("upload", "Upload them", icon=":material/upload:")
            st.button(
                f"Open the simulated shared task, which has {'both' if len(lacks) > 1 else 'them'}",
                icon=":material/arrow_forward:",
                key="metrics.demo",
                type="tertiary",
                on_click=address.keep,
                args=("testset", [TASK.title]),
            )


# Whether the metrics agree.

_BESIDE = ("bleu", "chrf", "ter")  # of texts, where there are no tables of scores


def show_decisions(view: View) -> None:
    """Draw whether the page's metric agrees with the other metrics chosen."""
    others, given = (
        [name for name in list_metrics(view.testset) if name != view.metric],
        view.testset.scores,
    )
    usual = [name for name in others if name in given or name in _BESIDE][:3]
    if chosen := comparison_sections.pick_metrics(view, "Compare with", others, usual):
        comparison_sections.show_decisions(view, [view.result, *chosen], "metrics")
    else:
        screen.plain(
            "Choose another metric to see whether both agree."
            if others
            else "This test set has scores of only one kind, so there are no metrics to compare."
        )


# Systems by domain.


def show_domains(view: View) -> None:
    """Draw scores by domain under the metric in the sidebar, and the pairs whose sign changes
    between domains.
    """
    asked = dict(alpha=view.alpha, seed=view.settings["seed"])
    one = view.experiment(by_domain, "Testing in each domain", **asked)
    screen.answer(domains_verdict(one))
    screen.show_table(domain_table(one), "metrics.domains")
    if opposed := opposed_pairs_table(one):
        st.subheader("Pairs whose difference has the other sign in some domain")
        screen.show_table(opposed, "metrics.opposed")
    screen.plain(domains_note(one))
    screen.cautions(one.warnings)
    with st.expander("Numbers, files, command", key="metrics.domains.box"):
        charts.download(
            "Numbers as CSV",
            report_csv(domains_report([one])),
            (*view.named(), "domains"),
            "csv",
            "metrics.domains.csv",
        )
        charts.copy_command(view.command("domains", **asked), "metrics.domains")


# Metrics compared with human scores.


def show_agreement(view: View) -> None:
    """Draw pairwise and soft pairwise accuracy of the metrics chosen, and tests between them."""
    human = controls.choice("Human scores", list(view.testset.scores), "human")
    others = [name for name in list_metrics(view.testset) if name != human]
    usual = [name for name in default_metrics(view.testset, human) if name in others]
    names = controls.several(
        "Metrics", others, "held", usual, format_func=metric_titles(others).get
    )
    asked = dict(alpha=view.settings["alpha"], seed=view.settings["seed"])
    result = _agreement(view, human, names, asked)
    if result.testset.n_segments < view.testset.n_segments:
        screen.status(
            [
                f"{result.testset.n_segments:,} of {view.testset.n_segments:,} segments and "
                f"{len(result.testset.systems)} of {len(view.testset.systems)} systems have {human} scores"
            ]
        )
    show_agreement_with(
        result,
        "metrics",
        view.named(metric=human),
        command_line("agreement", view.source, metrics=names, human=human, **asked),
    )


def show_agreement_with(
    result: Agreement | TaskAgreement, page: str, files: Sequence[str], command: str
) -> None:
    """Draw metrics against human scores, of one language pair or in the mean over several."""
    screen.answer(agreement_verdict(result))
    screen.cautions(about_agreement(result))
    charts.show(
        partial(agreement_dots, result),
        key=f"{page}.agreement",
        files=files,
        command=command,
        rows=result.metrics,
        with_table=False,
        alt="Soft pairwise accuracy and pairwise accuracy of each metric with intervals; numbers below.",
    )
    screen.show_table(agreement_table(result), f"{page}.agreement.rows")
    if isinstance(result, TaskAgreement):
        screen.show_table(agreement_by_pair_table(result), f"{page}.agreement.pairs")
        st.caption("Soft pairwise accuracy by language pair. Above: means over the language pairs.")
    if result.comparisons:
        st.subheader("Is one metric better than another?")
        screen.show_table(compared_metrics_table(result), f"{page}.agreement.comparisons")
        charts.csv_button(
            files, f"{page}.comparisons", result.comparisons, "Pairs of metrics as CSV"
        )
    assumed = () if isinstance(result, TaskAgreement) else agreement_assumed(result)
    screen.plain(" ".join([agreement_note(result), *assumed]))


def _agreement(view, human, names, asked):
    part = view.testset.keep_scorable(*names)

    def metric_agreement(testset, metric, metrics, progress, **asked):
        return agreement(testset, metric, metrics, progress=progress, **asked)

    return view.experiment(
        metric_agreement,
        "Comparing metrics with people",
        metric=human,
        testset=part,
        metrics=tuple(names),
        **asked,
    )
