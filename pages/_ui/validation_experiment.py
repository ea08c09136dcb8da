"""An experiment of the page Validation: its work in the background, its figure, the command that prints it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import plotly.graph_objects as go

from mtsig_core import TestSet
from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.report.commands import command_line
from mtsig_core.stats.few_units import FEW_UNITS
from pages._ui import background, charts, limits, results, screen
from pages._ui.ending import or_end_page
from pages._ui.view import View

__all__ = ["Bench", "SITUATIONS", "big", "by_situation", "drawn_each", "grow", "row_of", "warn_of_few_documents"]

#: What is drawn or swapped, and the unit of the test.
SITUATIONS = (("segment", "segment"), ("document", "segment"), ("document", "document"))


@dataclass(frozen=True)
class Bench:
    """What all experiments of a view share."""

    view: View

    @property
    def testset(self) -> TestSet:
        return self.view.testset

    @property
    def metric(self) -> str:
        return self.view.metric

    @property
    def alpha(self) -> float:
        return self.view.settings["alpha"]

    @property
    def level(self) -> str:
        return f"{100 * (1 - self.alpha):g}%"

    def found(self, function: Callable, what: str, *, metric: str | None = None,
              figure: Callable[[Any], Callable[[], go.Figure]] | None = None, things: str = "",
              before: Mapping[tuple[int, int], Any] | None = None, **asked):
        """What an experiment finds on the view's test set, remembered; the page ends where it cannot be had.

        Until it is there, the `figure` of what its first repeats find is drawn; `things` is what they are called. An
        experiment without repeats is given what is found `before` it, by how much of how much that is.
        """
        metric = metric or self.metric
        testset = self.testset.under(metric)
        asked |= {"alpha": self.alpha, "seed": self.view.settings["seed"]}
        repeats = figure is not None and before is None

        def work(progress):
            told = {"found": lambda done, n, one: progress.part((done, n), one)} if repeats else {}
            return function(testset, metric, jobs=results.jobs(testset), progress=progress,
                            statistics=results.statistics(testset, metric, progress), **told, **asked)

        def growing(parts):
            (done, n), one = max(parts.items(), key=itemgetter(0))
            grow(figure(one), f"{function.__name__}.{done}", f"{done:,} of {n:,} {things} so far",
                 ", so intervals are wider than they will be" if repeats else "")

        key = ("validation", function.__name__, testset.digest, metric, *sorted(asked.items()))
        with or_end_page():
            limits.check_experiment(testset, function, asked)
            return background.result(key, work, what, figure and growing, before or {})

    def command(self, name: str, metrics: str | None = None, **asked) -> str:
        """The command line that prints the numbers of an experiment; what is None is left out."""
        return command_line(f"validate {name}", self.view.source, metrics=metrics or self.metric,
                            alpha=self.alpha, seed=self.view.settings["seed"], **asked)

    def show(self, figure: Callable[[], go.Figure], rows: Sequence, key: str, command: str, alt: str) -> None:
        """A figure with the rows that the command prints as its numbers; the page has a table of them anyway."""
        charts.show(figure, key=f"validation.{key}", files=self.view.named(), command=command, alt=alt,
                    with_table=False, **charts.columns(flatten_rows(rows)))


def grow(figure: Callable[[], go.Figure], name: str, said: str, more: str = "") -> None:
    """Draw a figure that is not whole yet, and say what it is of."""
    charts.grow(figure, f"validation.growing.{name}", f"{said}.")
    screen.faint(f"{said}{more}. Numbers, tables and files come with the last.")


def by_situation(row: Callable, verb: str) -> dict:
    """What `row` (what is drawn or swapped, the unit of the test) gives, by words for it; without what is not there."""
    found = {f"{what}s {verb}, by {unit}": row(what, unit) for what, unit in SITUATIONS}
    return {words: one for words, one in found.items() if one is not None}


def drawn_each(one) -> str:
    """How large the test sets of an experiment are."""
    return f"{one.n_segments:,} segments" + (f", or {one.n_documents:,} documents," if one.n_documents else "")


def row_of(text: str, rate, theirs: float | None = None) -> tuple:
    """A line of the figure `rates`."""
    return text, rate.share, rate.low, rate.high, theirs


def big(what: str, rate) -> tuple[str, str, str]:
    """A share as a big number, with its Monte Carlo interval."""
    if rate.share is None:
        return what, "-", "none counted"
    return what, f"{100 * rate.share:.1f}%", f"95% Monte Carlo: {100 * rate.low:.1f} to {100 * rate.high:.1f}%"


def warn_of_few_documents(n: int | None) -> None:
    """Say what a handful of documents, or of them drawn, cannot show."""
    if n is not None and n < FEW_UNITS:
        screen.caution_box(f"{n} documents are few: intervals by document are too narrow, and swaps of n documents "
                           f"give no p below 2 / 2^n{'' if n > 9 else f', here {2 / 2 ** n:.2g}'}.")
