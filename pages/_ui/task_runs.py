"""Training runs on the pages of a shared task: what differs between them, apart from what differs between test sets."""

from __future__ import annotations

import streamlit as st

from mtsig_core.report.tables import task_pair_run_rows, task_run_rows
from mtsig_core.results import TaskComparison
from pages._ui import screen

__all__ = ["show_runs"]


def show_runs(found: TaskComparison, metric: str) -> None:
    """Of the language pairs that have training runs, and across those that have as many; nothing where there are none.
    """
    header, rows = task_run_rows(found, metric)
    if not rows:
        return
    st.subheader("Training runs")
    screen.table(header, rows, names=[0, 1], key="task.runs")
    st.caption("Systems that have several runs. A score is the mean over them; ranks, intervals and p hold for these. "
               "The SD between runs is what another training would change. Across all pairs run k has the mean of its "
               "scores, of systems that have as many runs in every language pair.")
    with st.expander("Standard errors of the differences: of the test set, between runs, of both",
                     key="task.runs.box"):
        screen.table(*task_pair_run_rows(found, metric), names=[0, 1], key="task.pair_runs")
