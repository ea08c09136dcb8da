"""Published scores of systems in the files of a task, or in files of their own."""

from __future__ import annotations

import streamlit as st

from mtsig_core.readers.published_values import PublishedValues
from mtsig_core.report.published_tables import NOTE, published_values_table
from mtsig_core.stats.published_scores import match_published
from pages._ui import controls, screen
from pages._ui.views import TaskView
from pages._work.memory import LOADED


def show(published: PublishedValues) -> None:
    """Draw the table of each language pair."""
    st.caption(NOTE)
    _, places = controls.tabs(list(published), "published")
    for pair, place in places.items():
        with place:
            screen.show_table(published_values_table(published[pair]), f"published.{pair}")


def find_of_task(view: TaskView) -> PublishedValues:
    """Return what the files of a task have of its systems."""
    task = view.kept
    published = LOADED.make(("published", task.digest), task.source.read_published)
    systems = {pair: tuple(task.info.systems) for pair in task.info.pairs}
    return match_published(published, systems)


def show_of_task(view: TaskView) -> None:
    """Draw the published scores of a task, if its files have any."""
    published = find_of_task(view)
    if published:
        with st.expander("Published scores, from the files of the task", key="published.box"):
            show(published)
