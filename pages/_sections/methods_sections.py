"""Sections of the page Methods: the formula of each method with its source; `methods.toml` has the
formulas.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from mtsig_core import METRICS, MtsigError, make_metric
from mtsig_core.metrics import metric_title, resolve_metric
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.results import UNLIKE
from mtsig_core.stats.few_units import FEW_UNITS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from pages._ui import address, screen
from pages._ui.views import View

_TEXTS = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))
FORMULAS = {kind: _TEXTS[kind] for kind in ("tests", "intervals", "corrections")}
_NOTES = {name: " ".join(text.split()) for name, text in _TEXTS["notes"].items()}


def show_tests(view: View | MtsigError) -> None:
    """Draw the formula of each test, with its source and its caution."""
    st.caption(_NOTES["tests"])
    for name, formula in FORMULAS["tests"].items():
        test = TESTS[name]
        _show_formula(
            SETTINGS["test"].name_value(name),
            formula,
            (
                f"{test.source}. Default: {SETTINGS['correction'].name_value(test.default_correction)}."
            ),
        )
        if test.caution:
            screen.caution_box(f"{test.caution} {test.instead}")
    address.link("papers", "The algorithms of Riezler and Maxwell", item="riezler-figure1")
    with st.expander("Few units, and unlike systems", key="methods.limits"):
        screen.caution_box(
            f"Each bootstrap test with p: {TESTS['bootstrap'].with_few} "
            f"{TESTS['bootstrap'].with_few_instead}"
        )
        screen.caution_box(
            "The randomization test asks whether outputs can trade places, which is more than equal "
            "scores. If one of two systems says much less, permutations may vary less than resamples, "
            f"and p is too small. One pair warns if resamples vary more than {UNLIKE:g} times as much."
        )


def show_units(view: View | MtsigError) -> None:
    """Draw what a unit is, and how stationary blocks are drawn."""
    st.markdown(_NOTES["units"])
    _show_algorithm("block")


def show_intervals(view: View | MtsigError) -> None:
    """Draw the ends of each kind of interval, of a score or a difference."""
    st.caption(_NOTES["intervals"])
    for name, formula in FORMULAS["intervals"].items():
        title = (
            "For all pairs together" if name == "simultaneous" else SETTINGS["ci"].name_value(name)
        )
        _show_formula(title, formula, _TEXTS["intervals_notes"][name])


def show_corrections(view: View | MtsigError) -> None:
    """Draw the adjusted p of each correction, its source and the error that it controls."""
    st.caption(_NOTES["corrections"])
    for name, formula in FORMULAS["corrections"].items():
        correction = CORRECTIONS[name]
        source = f"{correction.source}. " if correction.source else ""
        _show_formula(
            SETTINGS["correction"].name_value(name),
            formula,
            f"{source}Controls {correction.controls}. {_TEXTS['corrections_notes'].get(name, '')}",
        )


def _show_formula(title: str, formula: str, note: str) -> None:
    left, right = st.columns([3, 5], vertical_alignment="center")
    with left.container(gap=None):
        st.markdown(f"**{title}**")
        st.caption(note)
    right.latex(formula)


def show_ranks(view: View | MtsigError) -> None:
    """Describe rank ranges, the rank rules, and the smallest detectable difference."""
    screen.plain(
        "Rank range of a system: from 1 + the number of systems significantly better to S - the number "
        "significantly worse. The decisions control the family-wise error (Romano-Wolf, else Holm), so all "
        "ranges hold together at about 1 - alpha. They may not where a few units set one system apart; a "
        "caveat names it."
    )
    screen.prose_table(
        ["rank rule", "source", "what it ignores"],
        [
            [SETTINGS["rank_rule"].name_value(name), rule.source, "; ".join(rule.ignores)]
            for name, rule in RANK_RULES.items()
        ],
    )
    screen.plain(
        "Smallest detectable difference: the true difference found 8 times in 10, 2.80 standard errors at "
        f"alpha 0.05, and more with few units by Student's t. Below {FEW_UNITS} units it is rough."
    )


def show_metrics(view: View | MtsigError) -> None:
    """Draw the definition of each metric, with its signature on the open test set."""

    def sign(name):
        has = not isinstance(view, MtsigError) and (
            name in view.testset.scores or view.testset.has_texts
        )
        return resolve_metric(view.testset, name).signature(view.testset) if has else ""

    screen.prose_table(
        ["metric", "definition", "signature here"],
        [
            *(
                [metric_title(name), first_paragraph(type(make_metric(name))), sign(name)]
                for name in METRICS
            ),
            ["Scores of a table", first_paragraph(SegmentMean), ""],
            *(
                [metric_title(name), "A table of scores.", sign(name)]
                for name in ([] if isinstance(view, MtsigError) else view.testset.scores)
            ),
        ],
    )


def first_paragraph(thing) -> str:
    """Return the first paragraph of a docstring, on one line and without markup."""
    return " ".join(inspect.getdoc(thing).split("\n\n")[0].split()).replace("`", "")


def show_algorithms() -> None:
    """Draw the two algorithms of Riezler and Maxwell (2005), with what to know of them."""
    left, right = st.columns(2)
    with left:
        _show_algorithm("ar")
    with right:
        _show_algorithm("riezler-maxwell")
    st.caption(_NOTES["papers"])


def _show_algorithm(name: str) -> None:
    algorithm = _TEXTS["algorithms"][name]
    with st.container(border=True):
        st.markdown(algorithm["title"])
        st.markdown("\n".join(f"{k}. {step}" for k, step in enumerate(algorithm["steps"], 1)))


#: By the title of its tab.
SHOW: dict[str, Callable[[View | MtsigError], None]] = {
    "Tests": show_tests,
    "Units": show_units,
    "Intervals": show_intervals,
    "Corrections": show_corrections,
    "Ranks and power": show_ranks,
    "Metrics": show_metrics,
}
