"""Texts side by side, with the n-grams marked that a reference has too."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mtsig_core import SettingError, TestSet
from mtsig_core.metrics.overlap import bleu_tokens
from mtsig_core.metrics.tokenizers import tokenizer_name
from mtsig_core.report import segment_cards
from pages._ui import screen
from pages._ui.made_once import made_once

__all__ = ["cards", "legend", "show", "tokens_or_none"]


def show(testset: TestSet, systems: Sequence[str], segments: Sequence[int], added: Sequence[float],
         unit: str) -> None:
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
    """
    cards(testset, systems, segments, segment_cards.contributed(added, unit))


def cards(testset: TestSet, systems: Sequence[str], segments: Sequence[int], heads: Sequence[str]) -> None:
    """The same under heads of another kind, one for each segment."""
    st.html(made_once(_cards, tokens_or_none(testset), testset, tuple(systems), tuple(segments), tuple(heads)))


def _cards(tokens, testset, systems, segments, heads):
    return segment_cards.STYLE + "".join(segment_cards.card(testset, systems, k, head, tokens=tokens)
                                         for k, head in zip(segments, heads, strict=True))


def legend() -> None:
    """What the tints mean."""
    st.html(segment_cards.STYLE + segment_cards.legend())


def tokens_or_none(testset: TestSet) -> segment_cards.Tokens | None:
    """How to find the n-grams; None where that cannot be, which is said."""
    try:
        return bleu_tokens(tokenizer_name(testset))
    except SettingError as problem:
        screen.error(problem)
        return None
