"""The Methods page without a browser."""

from html import unescape

from mtsig_core.stats.intervals import INTERVALS
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from pages._sections import methods_sections
from tests.builders.screens import words


def test_says_what_every_test_is_with_its_algorithm_and_its_formula(opened):
    """Also without a test set."""
    page = opened("methods")
    assert not page.exception
    said = unescape(words(page))
    assert all(f"{test.name}: {test.title}" in said and test.source in said for test in TESTS.values())
    assert all(f"<td>{name}</td>" in said for name in INTERVALS)
    assert "gives about 11% false alarms" in said
    said = " ".join(element.value for element in page.markdown)
    for part in ("Riezler and Maxwell 2005, Figure 1", "Riezler and Maxwell 2005, Figure 2", "Politis and Romano 1994",
                 r"$|d_r| \ge |d_0|$", r"$|d_b| - \tau_B \ge |d_0|$", r"\left(1 - \dfrac1\ell\right)^{k-1}"):
        assert part in said
    typeset = " ".join(element.value for element in page.latex)
    assert all(formula in typeset for formula in (*methods_sections.TESTS.values(),
                                                  *methods_sections.INTERVALS.values(),
                                                  *methods_sections.CORRECTIONS.values()))


def test_every_test_interval_and_correction_has_its_formula():
    assert tuple(methods_sections.TESTS) == tuple(TESTS)
    assert tuple(methods_sections.CORRECTIONS) == CORRECTIONS
    assert tuple(methods_sections.INTERVALS) == (*INTERVALS, "simultaneous")
