"""Results show themselves through a presenter, so that they do not import reports and figures.

`mtsig_core.facade` is the presenter: it knows the results, and their words, files and figures. It
registers itself when the package is imported.
"""

from __future__ import annotations

from typing import Any, Protocol


class Presenter(Protocol):
    """The methods that cautions and results need from a higher layer to show themselves."""

    def find_kind(self, code: str) -> Any:
        """Return the `Kind` of cautions or assumptions of a code; None for an unknown one."""

    def write_words(self, fact: Any) -> Any:
        """Return the `Words` of a caution or an assumption."""

    def show(self, result: Any) -> str:
        """Return a result as HTML for a notebook."""

    def render(self, comparison: Any, form: str) -> str:
        """Return a comparison as a file has it."""

    def draw_figure(self, comparison: Any, name: str, metric: str | None) -> Any:
        """Return one figure of a comparison."""

    def read_comparison(self, text: str) -> Any:
        """Return the comparison that a JSON file has."""

    def read_task_comparison(self, text: str) -> Any:
        """Return the comparison of a task that a JSON file has."""


_registered: list[Presenter] = []


def register_presenter(presenter: Presenter) -> None:
    """Let results show themselves through this presenter."""
    _registered[:] = [presenter]


def get_presenter() -> Presenter:
    """Return the presenter of all results."""
    return _registered[0]
