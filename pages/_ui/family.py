"""Who takes part: the systems left out, with reasons and the way back, and the references that are not ranked."""

from __future__ import annotations

from math import isnan

import streamlit as st

from mtsig_core.metrics import metric_of
from mtsig_core.tables import rank_change_rows
from pages._ui import parts, results, words
from pages._ui.frame import View

__all__ = ["reference_rows", "show_left_out"]


def show_left_out(view: View) -> str:
    """The systems left out, each with a reason and a button that puts it back; then what it did to the ranks.

    Returns a sentence that says who was left out, and why; empty where nobody was.
    """
    family = list(view.part.family.systems)
    gone = [name for name in family if name not in view.testset.systems]
    if not gone:
        return ""
    told = []
    st.subheader("Left out" if len(gone) == 1 else f"Left out: {len(gone)} systems")
    for name in gone:
        shown, reason, undo = st.columns([3, 5, 2], vertical_alignment="center")
        with shown:
            words.plain(name)
        # The number of a system stays the same whoever else is left out.
        k = family.index(name) + 1
        why = reason.text_input("Reason", key=f"reason{k}", bind="query-params", persist_state="session", max_chars=200,
                          placeholder="Reason, kept in the link", label_visibility="collapsed")
        told.append(f"{name} ({why})" if why else name)
        undo.button("Put back", key=f"leaderboard.back{k}", on_click=_put_back, args=(name,))
    if view.settings.get("baseline") is None:
        before = results.comparison(view.part.family, view.metric, **view.settings).metrics[view.metric]
        words.table(*rank_change_rows(before, view.result), names=[0])
        st.caption(f"Fewer systems are a smaller family: {len(before.pairs)} pairs with all, "
                   f"{len(view.result.pairs)} now. The scores stay as they are.")
    return f"Left out of the comparison: {', '.join(told)}."


def reference_rows(view: View, n_columns: int) -> list[list[str]]:
    """Rows for the leaderboard: the references, unranked, where there are several."""
    if len(view.whole.references) < 2:
        return []
    rows = []
    if view.part.unranked is not None:
        sums = results.statistics(view.part.unranked, view.metric).sum(axis=1)
        scores = metric_of(view.part.unranked, view.metric).score(sums).tolist()
        rows += [["not ranked", name, "-" if isnan(score) else f"{score:.2f}"]
                 for name, score in zip(view.part.unranked.systems, scores, strict=True)]
    rows += [["scores others", f"HUMAN-{name}", "-"] for name in view.testset.references]
    return [row + [""] * (n_columns - len(row)) for row in rows]


def _put_back(name):
    st.session_state[parts.LEFT_OUT] = [other for other in st.session_state[parts.LEFT_OUT] if other != name]
