"""An experiment on a page: one set of arguments for its computation, its figures and files, and its command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import plotly.graph_objects as go

from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.report.commands import command_line, defaults
from mtsig_core.report.table import Table
from mtsig_core.source import Source
from pages._ui import charts, screen
from pages._ui.views import View

_PAGES = {"validate": "trust", "sample": "sampling", "sweep": "size", "metrics": "inside"}


@dataclass(frozen=True)
class Study:
    """An experiment with its arguments, which are also the arguments of its command."""

    view: View
    command: str  # such as "validate type1"
    metric: str
    asked: Mapping[str, Any]
    source: Source  # where the test set comes from

    @property
    def key(self) -> str:
        group, name = self.command.split()
        return f"{_PAGES[group]}.{name}"

    def run(self, function: Callable, what: str, figure: Callable[[Any], Callable[[], go.Figure]] | None = None,
            things: str = "", before: Mapping[tuple[int, int], Any] = MappingProxyType({}), **more):
        """Return the result; until it is there, draw the `figure` of the first repeats, which are called `things`.

        An experiment without repeats is given what is there `before` it, by how much of how much that is.
        """
        def growing(parts):
            (done, n), one = max(parts.items(), key=itemgetter(0))
            grow(figure(one), f"{self.key}.growing.{done}", f"{done:,} of {n:,} {things} so far",
                 "" if before else ", so intervals are wider than they will be")

        return self.view.experiment(function, what, metric=self.metric, before=before, **self.asked,
                                    **{"meanwhile": figure and growing, **more})

    def print_command(self, **more) -> str:
        """Return the command line that prints the numbers, without defaults."""
        flags = [f"--{name}" for name, value in self.asked.items() if value is True]
        asked = {name: value for name, value in self.asked.items() if not isinstance(value, bool)}
        return command_line(self.command, self.source, *flags, metrics=self.metric, **asked, **more)

    def show(self, figure: Callable[[], go.Figure], rows: Sequence, alt: str, *systems: str, key: str = "",
             header: Sequence[str] | None = None, table: Table | None = None, with_table: bool = False,
             command: str = "", **more) -> None:
        """Draw a figure with the rows that the command prints; only the command has the arguments `more`."""
        charts.show(figure, key=key or self.key, files=self._name(systems), header=header,
                    command=command or self.print_command(**more), rows=_flat(rows), table=table,
                    with_table=with_table or table is not None, alt=alt)

    def show_numbers(self, rows: Sequence, *systems: str, key: str = "", **more) -> None:
        """Offer the rows of something without a figure, and the command that prints them."""
        charts.show_numbers(self._name(systems), key or self.key, _flat(rows), self.print_command(**more))

    def _name(self, systems: Sequence[str]) -> tuple[str, ...]:
        return self.view.named(*systems, metric=self.metric.replace(",", "-"))


def study(view: View, command: str, metric: str | None = None, source: Source | None = None, **asked) -> Study:
    """Make an experiment on the test set of a view, with its level and seed if the command has these."""
    settings = {key: view.settings[key] for key in ("alpha", "seed") if key in defaults(command)}
    return Study(view, command, metric or view.metric, settings | asked, source or view.source)


def grow(figure: Callable[[], go.Figure], key: str, sentence: str, more: str = "") -> None:
    """Draw a figure that is not complete yet, and describe its data."""
    charts.grow(figure, key, f"{sentence}.")
    screen.faint(f"{sentence}{more}. Numbers, tables and files come with the last.")


def _flat(rows: Sequence) -> Sequence:
    return flatten_rows(rows) if rows and is_dataclass(rows[0]) else rows
