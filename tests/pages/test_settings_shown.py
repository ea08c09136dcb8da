"""A setting in the sidebar is shown on the pages where it has an effect, and kept on the others."""

import re

import pytest

from pages._ui.screen import LABELS
from tests.pages.toys import words

EVERY = {"metric", "tokenize", "test", "correction", "unit", "ci", "alpha", "trials", "seed", "exclude"}
RANKED = EVERY | {"rank_rule"}
SHOWN = {"overview": EVERY, "leaderboard": RANKED, "significance": EVERY, "pair": EVERY, "methods": EVERY,
         "data": {"tokenize"}, "segments": {"metric", "tokenize", "exclude"},
         "bootstrap": EVERY - {"test", "correction", "trials"},
         "sampling": EVERY - {"test", "correction", "trials", "unit", "ci"},
         "sweeps": EVERY - {"test", "correction", "trials", "ci"},
         "metrics": {"metric", "tokenize", "exclude"},
         "validation": EVERY - {"test", "correction", "trials", "unit", "ci"}}
#: By page, the control of it that says what else has an effect: (page, key, what it is set to) -> settings.
BESIDES = {("validation", "experiment", "documents or segments"): {"correction", "trials"},
           ("validation", "experiment", "coverage"): set(), ("metrics", "inside", "sentence average"): {"seed"},
           ("metrics", "inside", "Student's t"): {"alpha", "seed"}, ("metrics", "inside", "signatures"): set(),
           ("metrics", "inside", "by domain"): {"alpha", "seed"}}
OTHER = {"metric": "chrf", "test": "bootstrap", "correction": "holm", "unit": "segment", "ci": "basic", "alpha": "0.01",
         "trials": "1999", "seed": "3"}


def drawn(page):
    return {widget.key for kind in (page.selectbox, page.multiselect, page.number_input) for widget in kind} & RANKED


@pytest.mark.parametrize("path", SHOWN)
def test_what_has_no_effect_is_not_shown_and_what_is_not_shown_has_no_effect(opened, source, path):
    """The page says the same, whatever is chosen: but for its line on how all pairs are tested, and commands."""
    def said(**asked):
        page = opened(path, source, **asked)
        assert not page.exception and drawn(page) == SHOWN[path]
        return [line for line in words(page).splitlines() if "mt-status" not in line]

    usual = said()
    if not SHOWN[path] >= EVERY and path != "data":
        assert said(**{key: value for key, value in OTHER.items() if key not in SHOWN[path]}) == usual


@pytest.mark.parametrize("path, key, choice", BESIDES)
def test_what_has_an_effect_on_one_part_of_a_page_is_shown_there(opened, source, path, key, choice):
    page = opened(path, source, **{key: choice})
    assert not page.exception
    assert drawn(page) == SHOWN[path] | BESIDES[path, key, choice]
    other = next(option for option in page.selectbox(key=key).options if option != choice and (
        path, key, option) not in BESIDES)
    page.selectbox(key=key).set_value(other).run()
    assert drawn(page) == SHOWN[path]  # at once, not one click later


@pytest.mark.parametrize("path, named, unnamed", [
    ("bootstrap", ["by document", "seed 0", "alpha 0.05", "jackknife-t intervals, 2,000 resamples"],
     ["randomization", "permutations", "correction"]),
    ("segments", ["60 segments"], ["randomization", "permutations", "correction", "alpha", "seed", "resamples"]),
    ("sampling", ["seed 0", "alpha 0.05"], ["randomization", "permutations", "correction", "resamples"])])
def test_the_line_on_top_names_what_has_an_effect(opened, source, path, named, unnamed):
    said = re.search('<div class="mt-status">(.*?)</div>', words(opened(path, source)))[1]
    assert all(text in said for text in named) and not any(text in said for text in unnamed)


def test_what_is_set_stays_for_the_pages_that_show_it(opened, source):
    page = opened("leaderboard", source, **OTHER, exclude="$x$ **b** :material/home:")
    before = words(page)
    for path in ("data", "segments", "sampling", "leaderboard"):
        page.switch_page(f"pages/{path}.py").run()
        assert not page.exception
    assert words(page) == before
    page.selectbox(key="trials").set_value(999).run()
    assert "999 resamples" in words(page) and "1,999 resamples" not in words(page)


def test_a_warning_names_the_controls_that_help_and_no_option(opened, source):
    page = opened("leaderboard", source, unit="segment", test="koehn")
    said = [line for line in words(page).splitlines() if "mt-caution" in line]
    assert any("Use the unit document. In the sidebar: Unit = document." in line for line in said)
    assert any("In the sidebar: Test = ar." in line for line in said)
    assert not any("--" in line or "Arguments" in line for line in said)
    labels = [widget.label for kind in (page.selectbox, page.multiselect) for widget in kind]
    for argument in {*LABELS} - {"refs_as_systems"}:  # which needs a second reference
        assert any(label.startswith(LABELS[argument]) for label in labels)
