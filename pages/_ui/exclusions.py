"""Who takes part: the systems left out, with reasons and the way back, and the references that are not ranked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import streamlit as st

from mtsig_core.metrics import metric_of, metrics_of
from mtsig_core.report.cells import number
from mtsig_core.report.tables import rank_change_rows
from mtsig_core.testset import as_system
from pages._ui import address, background, controls, results, screen, selection
from pages._ui.view import View

__all__ = ["left_out", "reference_rows", "show_left_out"]

_LONGEST_REASON = 200


def left_out(view: View) -> dict[str, str]:
    """The systems left out, and the reason that was given for each, empty where none was."""
    return {name: (address.asked(f"{selection.REASON}{name}") or "")[:_LONGEST_REASON]
            for name in view.part.family.systems if name not in view.testset.systems}


def show_left_out(view: View) -> dict[str, str]:
    """The systems left out, each with a reason and a button that puts it back; then what it did to the ranks.

    Returns who was left out, and why.
    """
    family = list(view.part.family.systems)
    gone = [name for name in family if name not in view.testset.systems]
    if not gone:
        return {}
    told = {}
    st.subheader("Left out" if len(gone) == 1 else f"Left out: {len(gone)} systems")
    for name in gone:
        shown, reason, undo = st.columns([3, 5, 2], vertical_alignment="center")
        with shown:
            screen.plain(name)
        told[name] = controls.text(reason, "Reason", f"{selection.REASON}{name}", max_chars=_LONGEST_REASON,
                                   placeholder="Reason, kept in the link", label_visibility="collapsed")
        undo.button("Put back", key=f"leaderboard.back.{name}", on_click=_put_back, args=(name,))
    if unexplained := [name for name, reason in told.items() if not reason.strip()]:
        screen.caution_box(f"Left out without a reason: {', '.join(unexplained)}. Give one before this is published: "
                           "it stands in the link and in every file.")
    if view.settings.get("baseline") is None:
        before = results.comparison(view.part.family, view.metric, **view.settings).metrics[view.metric]
        screen.table(*rank_change_rows(before, view.result), names=[0])
        st.caption(f"Fewer systems are a smaller family: {len(before.tested)} pairs with all, "
                   f"{len(view.result.tested)} now. The scores stay as they are.")
    return told


def reference_rows(view: View, n_columns: int, further: Sequence[str]) -> list[list[str]]:
    """Rows for the leaderboard: the references, unranked, where there are several.

    `further` metrics have the last columns, two each: the score and a rank.
    """
    unranked = view.part.unranked
    if len(view.whole.references) < 2 and unranked is None:
        return []
    columns = [2, *range(n_columns - 2 * len(further), n_columns, 2)]

    def row(rank, name, scores):
        cells = [rank, name, *[""] * (n_columns - 2)]
        for k, score in zip(columns, scores, strict=True):
            cells[k] = number(score)
        return cells

    rows = []
    if unranked is not None:
        scores = [_scores(unranked, metric) for metric in (view.metric, *further)]
        rows = [row("not ranked", name, each) for name, *each in zip(unranked.systems, *scores, strict=True)]
    shown = {*view.part.family.systems, *(unranked.systems if unranked is not None else ())}
    return rows + [row("scores others", name, [None] * len(columns))
                   for name in map(as_system, view.testset.references) if name not in shown]


def _scores(testset, metric):
    """The scores of all systems; None for who has none."""
    def work(progress):
        sums = results.statistics(testset, metric, progress).sum(axis=1)
        return [None if isnan(score) else score for score in metric_of(testset, metric).score(sums).tolist()]

    if metric not in metrics_of(testset) or metric not in testset.scores and testset.rated_alone:  # without texts
        return [None] * len(testset.systems)
    return background.result(("references", testset.digest, metric), work, "Scoring the references")


def _put_back(name):
    st.session_state[selection.LEFT_OUT] = [other for other in st.session_state[selection.LEFT_OUT] if other != name]
