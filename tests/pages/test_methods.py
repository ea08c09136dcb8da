"""The Methods page without a browser."""

from html import unescape

import pytest

from mtsig_core.stats.intervals import INTERVALS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from pages._sections.methods_sections import FORMULAS, SHOW
from tests.builders.screens import words


def text_of(page):
    return unescape(words(page)) + " ".join(
        element.value for element in [*page.markdown, *page.subheader, *page.caption]
    )


@pytest.mark.parametrize("tab", SHOW)
def test_each_tab_opens(opened, tab):
    """Also without a test set."""
    page = opened("methods", tab=tab)
    shown = text_of(page)
    formulas = FORMULAS.get(tab.lower(), {})
    assert [element.value.strip("$\n") for element in page.latex] == list(formulas.values())
    if tab == "Tests":
        assert all(
            SETTINGS["test"].name_value(name) in shown and test.source in shown
            for name, test in TESTS.items()
        )
        assert "gives about 11% false alarms" in shown
    if tab == "Ranks and power":
        assert all(
            rule.source in shown and "; ".join(rule.ignores) in shown
            for rule in RANK_RULES.values()
        )
    if tab == "Units":
        assert "Politis and Romano 1994" in shown
        assert r"\left(1 - \dfrac1\ell\right)^{k-1}" in shown


def test_every_test_interval_and_correction_has_its_formula():
    assert tuple(FORMULAS["tests"]) == tuple(TESTS)
    assert list(FORMULAS["corrections"]) == list(CORRECTIONS)
    assert tuple(FORMULAS["intervals"]) == (*INTERVALS, "simultaneous")
