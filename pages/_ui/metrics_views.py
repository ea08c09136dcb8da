"""What the views of the page Metrics share: their numbers, remembered, and the files and commands that go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import streamlit as st

from mtsig_core.report.commands import command_line
from pages._ui import background, charts, controls, limits, results
from pages._ui.copyable import copyable
from pages._ui.ending import or_end_page
from pages._ui.view import View

__all__ = ["choose_system", "command", "files", "found", "rows_of", "systems_of", "table"]


def found(view: View, function: Callable, what: str, metric: str = "bleu", counted: bool = True, **asked):
    """What a function of the core finds on this view's test set, remembered, in the background where it takes long.

    Ends the page with the reason where it cannot be had. `counted`: whether it takes the statistics of the whole set.
    """
    testset = view.testset.under(metric)

    def work(progress):
        given = {"statistics": results.statistics(testset, metric, progress)} if counted else {}
        return function(testset, metric, progress=progress, **given, **asked)

    key = ("inside", function.__name__, testset.digest, metric, *sorted(asked.items()))
    with or_end_page():
        limits.check_experiment(testset, function, asked)
        return background.result(key, work, what)


def command(view: View, name: str, metric: str = "bleu", **asked) -> str:
    """The command line that prints a view; an option that is None is left out."""
    return command_line(f"metrics {name}", view.source, metrics=metric, **asked)


def files(called: Sequence[str], name: str, rows: Sequence[dict], printed: str) -> None:
    """The numbers of a view without a figure; `called` as in `charts.show`."""
    with st.expander("Numbers, files, command", key=f"metrics.{name}.box"):
        charts.csv_button(called, f"metrics.{name}", list(rows[0]), (row.values() for row in rows))
        copyable(printed, f"metrics.{name}.command", "Command that prints these numbers")


def table(rows: Sequence) -> dict:
    """Rows of a result as `charts.show` takes them; the page shows them in its own words."""
    return rows_of([asdict(row) for row in rows])


def rows_of(flat: Sequence[dict]) -> dict:
    """The same of rows with names."""
    return dict(header=list(flat[0]), rows=[list(row.values()) for row in flat], with_table=False)


def choose_system(view: View, place) -> str:
    return controls.choice("System", systems_of(view), "system", place=place)


def systems_of(view: View) -> list[str]:
    """The systems with texts, best first by the metric at the side."""
    return [system.system for system in view.result.systems if system.system not in view.testset.rated_alone]
