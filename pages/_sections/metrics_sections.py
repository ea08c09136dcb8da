"""Sections of the page Metrics and domains: agreement of metrics, domains, metrics to trust."""

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
    names = []
    has_several = len(list_metrics(view.testset)) > 1
    if has_several:
        names.append("metrics")
    if _has_domains(view):
        names.append("by domain")
    if has_several and view.testset.scores:
        names.append("which metric to trust")
    return {name: TABS[name] for name in names}


def _has_domains(view: View) -> bool:
    return len(set(view.testset.domains or ())) > 1


def offer_more(view: View) -> None:
    """Name what the test set lacks for the other tabs, with ways to get it."""
    missing = []
    questions = []
    if not _has_domains(view):
        missing.append("domains")
        questions.append("whether a domain reverses the result")
    if not view.testset.scores:
        missing.append("human scores")
        questions.append("which metric to trust")
    if not missing:
        return
    screen.plain(
        f"This test set has no {' and no '.join(missing)}, so this page cannot show "
        f"{' or '.join(questions)}."
    )
    pronoun = "both" if len(missing) > 1 else "them"
    with st.container(horizontal=True, vertical_alignment="center"):
        address.link("upload", "Upload them", icon=":material/upload:")
        st.button(
            f"Open the simulated shared task, which has {pronoun}",
            icon=":material/arrow_forward:",
            key="metrics.demo",
            type="tertiary",
            on_click=address.keep,
            args=("testset", [TASK.title]),
        )


# Whether the metrics agree.

_DEFAULT_METRICS = ("bleu", "chrf", "ter")  # of texts, where there are no tables of scores


def show_decisions(view: View) -> None:
    """Draw whether the page's metric agrees with the other metrics chosen."""
    others = [name for name in list_metrics(view.testset) if name != view.metric]
    if not others:
        screen.plain(
            "This test set has scores of only one kind, so there are no metrics to compare."
        )
        return
    scores = view.testset.scores
    default = [name for name in others if name in scores or name in _DEFAULT_METRICS][:3]
    with st.sidebar:
        results = comparison_sections.pick_metrics(view, "Compare with", others, default)
    if results:
        comparison_sections.show_decisions(view, [view.result, *results], "metrics")
    else:
        screen.plain("Choose another metric to see whether both agree.")


# Systems by domain.


def show_domains(view: View) -> None:
    """Draw scores by domain, and the pairs whose sign changes between domains."""
    settings = {"alpha": view.alpha, "seed": view.settings["seed"]}
    result = view.experiment(by_domain, "Testing in each domain", **settings)
    screen.answer(domains_verdict(result))
    screen.show_table(domain_table(result), "metrics.domains")
    opposed = opposed_pairs_table(result)
    if opposed:
        st.subheader("Pairs reversed in at least one domain")
        screen.show_table(opposed, "metrics.opposed")
    screen.plain(domains_note(result))
    screen.cautions(result.warnings)
    with charts.numbers_box("metrics.domains"):
        charts.download(
            "Numbers as CSV",
            report_csv(domains_report([result])),
            (*view.named(), "domains"),
            "csv",
            "metrics.domains.csv",
        )
        charts.copy_command(view.command("domains", **settings), "metrics.domains")


# Metrics compared with human scores.


def show_agreement(view: View) -> None:
    """Draw pairwise and soft pairwise accuracy of the metrics chosen, and tests between them."""
    human = controls.choice("Human scores", list(view.testset.scores), "human")
    others = [name for name in list_metrics(view.testset) if name != human]
    default = [name for name in default_metrics(view.testset, human) if name in others]
    names = controls.several(
        "Metrics", others, "held", default, format_func=metric_titles(others).get
    )
    settings = {"alpha": view.alpha, "seed": view.settings["seed"]}

    # A worker gets this function itself: one of this module would load Streamlit there.
    def compare_with_people(testset, metric, metrics, progress, **settings):
        return agreement(testset, metric, metrics, progress=progress, **settings)

    result = view.experiment(
        compare_with_people,
        "Comparing metrics with human scores",
        metric=human,
        testset=view.testset.keep_scorable(*names),
        metrics=tuple(names),
        **settings,
    )
    rated = result.testset
    if rated.n_segments < view.testset.n_segments:
        screen.status(
            [
                f"{rated.n_segments:,} of {view.testset.n_segments:,} segments and "
                f"{len(rated.systems)} of {len(view.testset.systems)} systems have {human} scores"
            ]
        )
    show_agreement_with(
        result,
        "metrics",
        view.named(metric=human),
        command_line("agreement", view.source, metrics=names, human=human, **settings),
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
        alt="Soft pairwise accuracy and pairwise accuracy of each metric with intervals; numbers in its menu.",
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
    texts = [agreement_note(result)]
    if not isinstance(result, TaskAgreement):
        texts += agreement_assumed(result)
    screen.plain(" ".join(texts))
