"""A comparison to take away: files, and sentences for a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import starmap

import streamlit as st

from mtsig_core import Exclusion
from mtsig_core.metrics import metric_title
from mtsig_core.report import export, result_json
from mtsig_core.report.comparison_report import comparison_html, comparison_latex
from mtsig_core.report.sentences import paper_sentences
from mtsig_core.stats.comparison import joined
from pages._ui import results, screen
from pages._ui.copyable import copyable
from pages._ui.made_once import made_once
from pages._ui.view import View

__all__ = ["show"]

_FILES = (("CSV", "comparison", "csv", "text/csv", export.comparison_csv),
          ("Matrix as CSV", "pairs-matrix", "csv", "text/csv", export.matrix_csv),
          ("JSON", "comparison", "json", "application/json", result_json.comparison_json),
          ("LaTeX", "comparison", "tex", "text/plain", comparison_latex),
          ("HTML report", "comparison", "html", "text/html", comparison_html))


def show(view: View, page: str, left_out: Mapping[str, str], metrics: Sequence[str] = ()) -> None:
    """Buttons for files with systems, pairs and matrix by the metric of the view and further ones, and sentences; of a
    single system there is neither pair nor matrix.

    Parameters
    ----------
    view : View
    page : str
        What the keys begin with.
    left_out : mapping of str to str
        The systems left out, and why.
    metrics : sequence of str
        Further metrics, which have been compared already.
    """
    parts = [view.comparison, *(results.comparison(view.testset, name, **view.settings) for name in metrics)]
    comparison = made_once(_joined, tuple(left_out.items()), *parts)
    called = view.named(metric="-".join(comparison.metrics))
    paired = any(result.pairs for result in comparison.metrics.values())
    st.subheader("Take it away")
    with st.container(horizontal=True):
        for title, what, ending, mime, write in _FILES:
            if what == "pairs-matrix" and not paired:
                continue
            st.download_button(title, lambda write=write: write(comparison),
                               export.file_name(*called, what, ending=ending), mime,
                               key=f"{page}.{what}-{ending}", on_click="ignore")
    screen.plain(f"{'Systems, pairs and matrix' if paired else 'The system'} by "
                 f"{', '.join(map(metric_title, comparison.metrics))}; the report has the figures too, and opens "
                 "offline.")
    copyable(made_once(_sentences, comparison), f"{page}.sentences", "For a paper", prose=True)


def _joined(left_out, *parts):
    return replace(joined(parts), excluded=tuple(starmap(Exclusion, left_out)))


def _sentences(comparison):
    return "\n\n".join(paper_sentences(comparison, name) for name in comparison.metrics)
