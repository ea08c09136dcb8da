"""A column that the leaderboard is given in one place is in every format and on the page."""

import pytest

from mtsig_core import Comparison
from mtsig_core.report import export, reports, tables
from mtsig_core.report.table import Column
from pages._ui import screen
from tests.builders.rendered import (
    comparison_csv,
    comparison_html,
    comparison_latex,
    comparison_text,
)
from tests.builders.results import SETTINGS, comparison, result


@pytest.fixture
def with_luck(monkeypatch):
    """The leaderboard with a column that says how lucky each system is."""
    made = tables.leaderboard_table

    def add_luck(result, settings):
        table = made(result, settings)
        return table.with_columns(
            [Column("luck", "luck of it", "score", ".3f")],
            [[0.125 + k] for k in range(len(table.rows))],
            after="score",
        )

    for module in (tables, export, reports):
        monkeypatch.setattr(module, "leaderboard_table", add_luck)


@pytest.mark.parametrize(
    "render, title",
    [
        (comparison_text, "luck of it"),
        (comparison_latex, "luck of it"),
        (comparison_html, "luck of it"),
        (Comparison._repr_html_, "luck of it"),
        (comparison_csv, "luck"),
    ],
)
def test_every_format_has_it(with_luck, render, title):
    assert all(text in render(comparison()) for text in (title, "0.125", "2.125"))


def test_the_page_has_it(with_luck, monkeypatch):
    shown = []
    monkeypatch.setattr(screen.st, "html", shown.append)
    screen.show_table(tables.leaderboard_table(result(), SETTINGS), "leaderboard.table")
    assert "luck of it" in shown[0] and "2.125" in shown[0]
