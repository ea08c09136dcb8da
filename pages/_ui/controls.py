"""The settings that all pages share; every one is in the address of the page."""

from __future__ import annotations

from collections.abc import Container, Sequence

import streamlit as st

from mtsig_core import METRICS, TestSet
from mtsig_core.correction import CORRECTIONS
from mtsig_core.intervals import fitting_intervals
from mtsig_core.metrics import metrics_of
from mtsig_core.resampling import UNITS
from mtsig_core.significance import TESTS, fitting_tests

__all__ = ["choice", "kept", "line", "pick_baseline", "pick_metric", "pick_settings", "pick_testset", "remember_link",
           "several", "unlike", "unusable", "write_address"]

_TRIALS = [999, 1999, 4999, 9999, 49999]
_ALPHAS = [0.10, 0.05, 0.01, 0.005, 0.001]
_UNUSABLE = "controls.unusable"
_ADDRESS = "controls.address"
_SHARED = ("a", "b", "system")  # the keys that pages give to `kept`


def pick_testset(names: list[str]) -> str:
    return kept(st, "Test set", names, "testset")


def pick_metric(testset: TestSet | None) -> str:
    """Choose one of the metrics that the test set can be scored with; None where it cannot be read."""
    return choice("Metric", list(METRICS) if testset is None else metrics_of(testset), "metric")


def pick_settings(segment_means: bool = False) -> dict:
    """Draw the controls of the test, return the keyword arguments of `mtsig_core.compare`.

    Some tests and intervals are for means of segment scores alone.
    """
    tests = fitting_tests(segment_means)
    test = choice("Test", list(tests), "test", help="; ".join(f"{t.name}: {t.title}" for t in tests.values()))
    allowed = [c for c in CORRECTIONS if TESTS[test].romano_wolf or c != "romano-wolf"]
    if TESTS[test].p_values is None:
        allowed = ["none"]
    correction = choice("Correction", ["auto", *allowed], "correction", help="For the number of pairs tested.")
    with st.expander("More settings"):
        return dict(
            test=test, correction=correction,
            unit=choice("Unit", ["auto", *UNITS], "unit", help="What is drawn or swapped. auto: the document where "
                                                                 "document ids are known, else the segment."),
            ci=choice("Interval", ["auto", *fitting_intervals(segment_means)], "ci"),
            alpha=choice("Level (alpha)", _ALPHAS, "alpha", default=0.05),
            trials=choice("Trials", _TRIALS, "trials", default=9999, help="Draws of the test."),
            seed=int(st.number_input("Seed", min_value=0, max_value=2**31, value=0, step=1, key="seed",
                                     bind="query-params", persist_state="session")))


def pick_baseline(names: list[str]) -> str | None:
    """Compare every system with one, or (None) with every other."""
    every = unlike("every other system", names)
    chosen = choice("Compare each system with", [every, *names], "baseline", width=320)
    return None if chosen == every else chosen


def unlike(word: str, names: Container[str]) -> str:
    """The word for no choice, made unlike all names."""
    return word if word not in names else unlike(f"{word} of these", names)


def kept(place, label: str, options: list[str], key: str, default: int = 0, **more) -> str:
    """A choice that pages share: in the address of each of them, and kept while others are open.

    Streamlit's own binding forgets what came by a link as soon as another page is opened.
    """
    _check_link(key, options)
    mine = f"{key}.kept"
    known = (st.session_state.get(key), st.query_params.get(key), st.session_state.get(mine))
    st.session_state[key] = next((value for value in known if value in options), options[default])
    chosen = place.selectbox(label, options, key=key, **more)
    st.session_state[mine] = chosen
    st.session_state.setdefault(_ADDRESS, {})[key] = None if chosen == options[default] else chosen
    return chosen


def remember_link() -> None:
    """What a link asks of `kept` counts even where its page is left before it could draw its controls."""
    for key in _SHARED:
        if key in st.query_params and key not in st.session_state:
            st.session_state[f"{key}.kept"] = st.query_params[key]


def write_address() -> None:
    """Put into the address what was chosen in this run by `kept`, at once: each change is a step of the history."""
    chosen = st.session_state.pop(_ADDRESS, {})
    changed = {key: value for key, value in chosen.items() if st.query_params.get(key) != value}
    for key in [key for key, value in changed.items() if value is None]:
        del st.query_params[key]
    st.query_params.update({key: value for key, value in changed.items() if value is not None})


def unusable(page: str) -> list[str]:
    """What the link asked for and no control has; said on the page where it was found, until another is opened."""
    found = st.session_state.get(_UNUSABLE, {})
    for text, where in list(found.items()):
        if where in (None, page):
            found[text] = page
        else:
            del found[text]
    return list(found)


def several(label, options, key, default, help=None):
    """A choice of several, in the address."""
    _check_link(key, options, several=True)
    return st.multiselect(label, options, default, key=key, help=help, bind="query-params", persist_state="session")


def choice(label, options, key, default=None, help=None, width="stretch", free=False):
    """A choice of one, in the address; where it is free, anything else may be typed."""
    if not free:
        _check_link(key, options)
    # No format_func: what it returns, not the option, would stand in the address.
    return st.selectbox(label, options, index=0 if default is None else options.index(default), key=key, help=help,
                        width=width, bind="query-params", persist_state="session", accept_new_options=free)


def line(place, lines: Sequence[int]) -> int:
    """A line of the test set, in the address."""
    _check_link("line", lines)
    if not lines[0] <= st.session_state.get("line", lines[0]) <= lines[-1]:
        del st.session_state["line"]  # it was kept from a longer test set
    return int(place.number_input("Line", min_value=lines[0], max_value=lines[-1], value=lines[0], key="line",
                                  bind="query-params", persist_state="session"))


def _check_link(key, options, several=False):
    """Remember what the link asks of a control that it does not have: Streamlit takes the default without a word."""
    known = set(map(str, options))
    asked = st.query_params.get_all(key) if several else st.query_params.get_all(key)[-1:]
    wrong = [value for value in asked if value not in known]
    if wrong:
        text = f"The link asks for {key}={', '.join(wrong)}, which is not to be had here; the default stands instead."
        if key == "testset":
            text = (f"This link names the test set {wrong[0]!r}, which is not here: what follows is another. If it was "
                    "an upload, upload its files again on the page Data; the same files give the same numbers.")
        st.session_state.setdefault(_UNUSABLE, {})[text] = None
