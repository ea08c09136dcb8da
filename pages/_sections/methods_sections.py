"""The algorithms and formulas of the page Methods, typeset; `methods.toml` has them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

_TEXTS = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))
TESTS, INTERVALS, CORRECTIONS = _TEXTS["tests"], _TEXTS["intervals"], _TEXTS["corrections"]
_NOTES = {name: " ".join(text.split()) for name, text in _TEXTS["notes"].items()}


def show_tests(titles: Sequence[tuple[str, str]]) -> None:
    """Draw the formula of each test."""
    for name, title in titles:
        st.markdown(f"**{name}**: {title}")
        st.latex(TESTS[name])


def show_intervals() -> None:
    """Draw the ends of each kind of interval, of a score or a difference."""
    _show_formulas(INTERVALS, "intervals")


def show_corrections() -> None:
    """Draw the adjusted p of each correction; a pair is significant if it is at most alpha."""
    _show_formulas(CORRECTIONS, "corrections")


def _show_formulas(formulas: Mapping[str, str], notes: str) -> None:
    st.markdown(_NOTES[f"{notes}_before"])
    for name, formula in formulas.items():
        left, right = st.columns([1, 5], vertical_alignment="center")
        left.markdown(f"**{name}**")
        right.latex(formula)
    st.markdown(_NOTES[f"{notes}_after"])


def show_algorithms() -> None:
    """Draw the papers' algorithms and the block bootstrap, with notes on each."""
    st.subheader("Algorithms")
    left, right = st.columns(2)
    _show_algorithm("ar", left)
    _show_algorithm("riezler-maxwell", right)
    st.caption(_NOTES["papers"])
    _show_algorithm("block", st)
    st.caption(_NOTES["block"])


def _show_algorithm(name: str, place) -> None:
    algorithm = _TEXTS["algorithms"][name]
    with place.container(border=True):
        st.markdown(algorithm["title"])
        st.markdown("\n".join(f"{k}. {step}" for k, step in enumerate(algorithm["steps"], 1)))
