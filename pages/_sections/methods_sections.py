"""Sections of the page Methods: the formula of each method, from `methods.toml`, and its source."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError, make_metric
from mtsig_core.metrics import OWN_METRICS, metric_title, resolve_metric
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.results import UNLIKE
from mtsig_core.stats.few_units import FEW_UNITS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from pages._ui import address, screen
from pages._ui.views import View

_TEXTS = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))
FORMULAS = {kind: _TEXTS[kind] for kind in ("tests", "intervals", "corrections", "metrics")}
_NOTES = {name: " ".join(text.split()) for name, text in _TEXTS["notes"].items()}


def show_tests(_view: View | MtsigError) -> None:
    """Draw the formula of each test, with its source and its caution."""
    st.caption(_NOTES["tests"])
    for name, formula in FORMULAS["tests"].items():
        test = TESTS[name]
        correction = SETTINGS["correction"].name_value(test.default_correction)
        note = f"{test.source}. Default: {correction}."
        _show_formula(SETTINGS["test"].name_value(name), formula, note)
        if test.caution:
            screen.caution_box(f"{test.caution} {test.instead}")
    address.link("papers", "The algorithms of Riezler and Maxwell", item="riezler-figure1")
    with st.expander("Few units, and unlike systems", key="methods.limits"):
        screen.caution_box(
            f"Each bootstrap test with p: {TESTS['bootstrap'].with_few} "
            f"{TESTS['bootstrap'].with_few_instead}"
        )
        screen.caution_box(
            "The randomization test asks whether outputs can be swapped. This is more than equal scores. If one "
            "of two systems says much less, permutations may vary less than resamples, "
            f"and p is too small. One pair warns if resamples vary more than {UNLIKE:g} times as much."
        )


def show_units(_view: View | MtsigError) -> None:
    """Draw what a unit is, and how stationary blocks are drawn."""
    st.markdown(_NOTES["units"])
    _show_algorithm("block")


def show_intervals(_view: View | MtsigError) -> None:
    """Draw the ends of each kind of interval, of a score or a difference."""
    st.caption(_NOTES["intervals"])
    for name, formula in FORMULAS["intervals"].items():
        if name == "simultaneous":
            title = "For all pairs together"
        else:
            title = SETTINGS["ci"].name_value(name)
        _show_formula(title, formula, _TEXTS["intervals_notes"][name])


def show_corrections(_view: View | MtsigError) -> None:
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
        st.subheader(title)
        st.caption(note)
    right.latex(formula)


def show_ranks(_view: View | MtsigError) -> None:
    """Describe rank ranges, the rank rules, and the smallest detectable difference."""
    screen.plain(
        "Rank range of a system: from 1 + the number of systems significantly better to S - the number "
        "significantly worse. The decisions control the family-wise error (Romano-Wolf, else Holm), so all ranges "
        "hold together at about 1 - alpha. If a few units set one system apart, they may not hold; a caveat names "
        "the system."
    )
    rows = []
    for name, rule in RANK_RULES.items():
        title = SETTINGS["rank_rule"].name_value(name)
        rows.append([title, rule.decides_by, "; ".join(rule.ignores), rule.source])
    screen.prose_table(["rank rule", "test of a pair", "ignores", "source"], rows)
    screen.plain(
        "Smallest detectable difference: the true difference found 8 times in 10, 2.80 standard errors at "
        f"alpha 0.05, and more with few units by Student's t. Below {FEW_UNITS} units it is rough."
    )


def show_metrics(view: View | MtsigError) -> None:
    """Draw the definition of each metric, with its signature on the open test set."""
    rows = []
    for name in OWN_METRICS:
        definition = describe_class(type(make_metric(name)))
        rows.append([metric_title(name), definition, _sign(view, name)])
    rows.append(["Scores of a table", describe_class(SegmentMean), ""])
    if not isinstance(view, MtsigError):
        rows += [
            [metric_title(name), "A table of scores.", _sign(view, name)]
            for name in view.testset.scores
        ]
    screen.prose_table(["metric", "definition", "signature here"], rows)
    _show_formula("Would people notice?", FORMULAS["metrics"]["noticed"], _NOTES["noticed"])


def _sign(view: View | MtsigError, name: str) -> str:
    """Return the signature of a metric on the open test set; empty if it cannot score it."""
    if isinstance(view, MtsigError):
        return ""
    testset = view.testset
    if name not in testset.scores and not testset.has_texts:
        return ""
    return resolve_metric(testset, name).signature(testset)


def describe_class(documented: type) -> str:
    """Return the first two paragraphs of a docstring, on one line and without markup.

    A section such as Examples does not belong to them.
    """
    paragraphs = []
    for paragraph in inspect.getdoc(documented).split("\n\n")[:2]:
        if "\n---" in paragraph:
            break
        paragraphs.append(" ".join(paragraph.split()))
    return " ".join(paragraphs).replace("`", "")


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
