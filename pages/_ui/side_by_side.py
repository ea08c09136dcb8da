"""Texts side by side, with the n-grams marked that a reference has too, or what two outputs do not share."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mtsig_core import SettingError, TestSet
from mtsig_core.metrics.overlap import bleu_tokens
from mtsig_core.metrics.tokenizers import tokenizer_name
from mtsig_core.report import segment_cards
from pages._ui import controls, screen
from pages._ui.made_once import made_once

__all__ = ["cards", "legend", "pick", "show", "tokens_or_none"]


def pick() -> tuple[int, str]:
    """How many segments each way, and what is marked in them, as the reader says; with what the marks mean."""
    with st.container(horizontal=True):
        n = controls.choice("Segments each way", [5, 10, 25, 50], "n", pages_own=True, width=160)
        marks = controls.choice("Mark", segment_cards.MARKS, "marks", pages_own=True, width=280)
    legend(marks)
    return n, marks


def show(testset: TestSet, systems: Sequence[str], segments: Sequence[int], added: Sequence[float],
         unit: str, marks: str = segment_cards.MARKS[0]) -> None:
    """Outputs of some segments side by side, over them the source and the references.

    Parameters
    ----------
    testset : TestSet
    systems : sequence of str
        Whose outputs, the first two in the first row.
    segments : sequence of int
        Positions, from 0.
    added : sequence of float
        What each of these segments adds to the difference of the first two, in points.
    unit : str
        What that is measured in, such as ``"BLEU"``.
    marks : str
        One of `MARKS`.
    """
    cards(testset, systems, segments, segment_cards.contributed(added, unit), marks)


def cards(testset: TestSet, systems: Sequence[str], segments: Sequence[int], heads: Sequence[str],
          marks: str = segment_cards.MARKS[0]) -> None:
    """The same under heads of another kind, one for each segment."""
    st.html(made_once(_cards, tokens_or_none(testset), testset, tuple(systems), tuple(segments), tuple(heads), marks))


def _cards(tokens, testset, systems, segments, heads, marks):
    return segment_cards.STYLE + "".join(segment_cards.card(testset, systems, k, head, marks=marks, tokens=tokens)
                                         for k, head in zip(segments, heads, strict=True))


def legend(marks: str = segment_cards.MARKS[0]) -> None:
    """What the tints mean."""
    st.html(segment_cards.STYLE + segment_cards.legend(marks))


def tokens_or_none(testset: TestSet) -> segment_cards.Tokens | None:
    """How to find the n-grams; None where that cannot be, which is said."""
    try:
        return bleu_tokens(tokenizer_name(testset))
    except SettingError as problem:
        screen.error(problem)
        return None
