"""What a notebook shows: everything that decides, names as text, and no colour of its own."""

import re

from mtsig_core import Caution
from mtsig_core.report.sentences import state_verdict
from mtsig_core.report.table import in_print
from mtsig_core.report.tables import leaderboard_table, pairs_table
from tests.builders.markup import Page
from tests.builders.results import SETTINGS, comparison, result


def in_html(table):
    """The cells of a table, with the signs of print."""
    rows = table.texts()
    kinds = [column.kind for column in table.columns]
    return [in_print(kind, text) for row in rows for kind, text in zip(kinds, row, strict=True)]


def test_a_comparison_says_who_is_ahead_how_it_was_tested_and_what_to_mind():
    page = Page(comparison(warnings=[Caution("several-metrics", {"n": 3})])._repr_html_())
    for part in (
        "set; 10 segments",
        "999 permutations",
        f"BLEU, higher is better: {state_verdict(comparison(), 'bleu')}",
        "3 pairs",
        "Caveats: 1",
        "You compare 3 metrics",
    ):
        assert part in page.text
    systems, pairs = (
        in_html(table.for_readers())
        for table in (leaderboard_table(result(), SETTINGS), pairs_table(result(), SETTINGS))
    )
    assert page.cells[: len(systems)] == systems and page.cells[len(systems) :][:3] == pairs[:3]


def test_a_metric_has_its_systems_without_what_only_the_settings_tell():
    page = Page(result()._repr_html_())
    assert page.cells == [
        "1\N{EN DASH}2",
        "A",
        "30.00",
        "[29.00, 31.00]",
        "1",
        "1",
        "0",
        "1\N{EN DASH}2",
        "B",
        "29.50",
        "[28.00, 31.00]",
        "1",
        "1",
        "0",
        "3",
        "C",
        "20.00",
        "\N{EN DASH}",
        "0",
        "0",
        "2",
    ]
    assert "tok:13a" in page.text


def test_colours_are_those_of_the_notebook():
    style = re.search("<style>(.*)</style>", comparison()._repr_html_(), re.DOTALL)[1]
    assert not re.search(r"#[0-9a-f]{3}|rgb|background|color:|url|@import", style)
    assert all(
        rule.strip().startswith(".mtsig ") for rule in re.findall(r"([^{}]+){", style)
    )  # and of nothing else


def test_much_is_folded():
    codes = "one-system", "identical-runs", "whole-undecided", "blocks-for-documents"
    several = comparison(warnings=list(map(Caution, codes)))._repr_html_()
    assert several.count("<details open>") == 2 and several.count("<details>") == 1
