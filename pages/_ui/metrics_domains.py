"""Systems by domain: scores, and pairs that a domain has the other way round."""

from __future__ import annotations

import streamlit as st

from mtsig_core.experiments.domains import by_domain
from mtsig_core.report.commands import command_line
from mtsig_core.report.domain_tables import (
    domain_table,
    domains_csv,
    domains_note,
    domains_verdict,
    opposed_pairs_table,
)
from mtsig_core.report.export import file_name
from pages._ui import screen
from pages._ui.copyable import copyable
from pages._ui.metrics_views import found

__all__ = ["show_domains"]


def show_domains(view, places):
    """Scores by domain under the metric at the side, and the pairs whose sign is not everywhere the same."""
    asked = dict(alpha=view.settings["alpha"], seed=view.settings["seed"])
    one = found(view, by_domain, "Testing in each domain", view.metric, **asked)
    screen.answer(domains_verdict(one))
    screen.show_table(domain_table(one), "metrics.domains")
    if opposed := opposed_pairs_table(one):
        st.subheader("Pairs with another sign in some domain")
        screen.show_table(opposed, "metrics.opposed")
    screen.plain(domains_note(one))
    screen.cautions(one.warnings)
    with st.expander("Numbers, files, command", key="metrics.domains.box"):
        st.download_button("Numbers as CSV", domains_csv([one]), file_name(*view.named(), "domains", ending="csv"),
                           "text/csv", key="metrics.domains.csv", on_click="ignore")
        copyable(command_line("domains", view.source, metrics=view.metric, **asked), "metrics.domains.command",
                 "Command that prints these numbers")
