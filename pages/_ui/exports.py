"""A comparison to take away: files, and sentences for a paper."""

from __future__ import annotations

import streamlit as st

from mtsig_core import Comparison, export
from mtsig_core.html_report import comparison_html
from mtsig_core.latex import comparison_latex
from mtsig_core.wording import paper_sentences

__all__ = ["show"]

_FILES = (("CSV", "csv", "text/csv", export.comparison_csv),
          ("JSON", "json", "application/json", export.comparison_json),
          ("LaTeX", "tex", "text/plain", comparison_latex), ("HTML", "html", "text/html", comparison_html))


def show(comparison: Comparison, metric: str, page: str) -> None:
    """Buttons for files with systems and pairs, and the sentences; `page` begins their keys."""
    st.subheader("Take it away")
    with st.container(horizontal=True):
        for title, ending, mime, write in _FILES:
            st.download_button(f"Systems and pairs as {title}", lambda write=write: write(comparison),
                               f"comparison.{ending}", mime, key=f"{page}.{ending}", on_click="ignore")
    st.caption("For a paper:")
    st.code(paper_sentences(comparison, metric), language=None, wrap_lines=True)
