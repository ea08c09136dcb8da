"""Scenes of the lecture on what goes wrong without resampling right; as in `lecture_scenes`."""

from __future__ import annotations

from itertools import product

import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments.lecture import (
    BETTER,
    SENTENCES,
    SYSTEMS,
    EqualSystems,
    Family,
    Tables,
    ThreeSentences,
    equal_tests,
    family,
    tables,
    three_sentences,
)
from mtsig_core.report import lecture_texts as texts
from pages._ui.lecture_shown import Scene, Shown

__all__ = ["COMPARISONS", "DOCUMENTS", "MEAN", "WORLDS"]

_SIZES, _CORRELATIONS = (1, 2, 5, 10, 20, 40), (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_TOLD = ((20, 0.1), (5, 0.1), (20, 0.3), (1, 0.0))  # in the order in which they are worth showing
#: Sentences per document, and how alike they are; that of a link without one comes first.
WORLDS = (*_TOLD, *(two for two in product(_SIZES, _CORRELATIONS) if two not in _TOLD))
_ALPHA, _TILED = 0.05, 112


@st.cache_resource(max_entries=8, show_spinner=False)
def _three(_testset: TestSet, digest: str, metric: str, _statistics) -> ThreeSentences:
    return three_sentences(_testset, metric, statistics=_statistics())


def _found(shown: Shown) -> ThreeSentences:
    return _three(shown.testset, shown.testset.digest, shown.metric, shown.statistics)


def _mean_body(shown: Shown) -> dict:
    found = _found(shown)
    return {"names": texts.shorts(*found.names), "outputs": found.outputs, "scores": found.scores,
            "mean": found.mean, "lengths": found.lengths}


def _mean_guess(shown: Shown) -> dict:
    return {"kind": "choice", "options": texts.shorts(*_found(shown).names),
            "prompt": "By the corpus score, the better is"}


def _mean_rows(shown: Shown, steps: int) -> dict:
    found = _found(shown)
    return {"n": len(found.lengths), "sums": found.sums, "corpus": found.corpus}


def _mean_end(shown: Shown, steps: int) -> dict:
    return texts.mean_end(_found(shown))


@st.cache_resource(max_entries=8, show_spinner=False)
def _equal(world: int, seed: int) -> EqualSystems:
    return equal_tests(*WORLDS[world], seed, 0, DOCUMENTS.most)


def _documents_body(shown: Shown) -> dict:
    per_document, _ = WORLDS[shown.world]
    return {"per_document": per_document, "documents": SENTENCES // per_document, "alpha": _ALPHA,
            "tiles_label": texts.TILES, "sizes": list(_SIZES), "correlations": list(_CORRELATIONS),
            "worlds": [list(two) for two in WORLDS]}


def _documents_rows(shown: Shown, steps: int) -> dict:
    found = _equal(shown.world, shown.seed).first(steps)
    return {"n": steps, "sentence": found.by_sentence.round(5).tolist(),
            "document": found.by_document.round(5).tolist(), "tiles": found.shades(_TILED)}


def _documents_end(shown: Shown, steps: int) -> dict:
    return texts.documents_end(_equal(shown.world, shown.seed).first(steps), *WORLDS[shown.world])


@st.cache_resource(max_entries=8, show_spinner=False)
def _family(_testset: TestSet, digest: str, metric: str, better: int, seed: int, _statistics) -> Family:
    return family(_testset, metric, better=better, seed=seed, statistics=_statistics())


@st.cache_resource(max_entries=200, show_spinner=False)
def _some(_drawn: Family, digest: str, better: int, seed: int, start: int, stop: int) -> Tables:
    return tables(_drawn, seed, start, stop)


def _tables(shown: Shown, steps: int, better: int) -> Tables:
    """Test sets up to a step, made ten at a time, so that none is made twice."""
    drawn = _family(shown.testset, shown.testset.digest, shown.metric, better, shown.seed, shown.statistics)
    return Tables.joined([_some(drawn, shown.testset.digest, better, shown.seed, at, at + 10)
                          for at in range(0, steps, 10)]).first(steps)


def _comparisons_body(shown: Shown) -> dict:
    return {"systems": SYSTEMS, "better": BETTER, "true_pairs": BETTER * (SYSTEMS - BETTER),
            "corrections": list(texts.CORRECTIONS.items()), "extra": "Three truly better"}


def _comparisons_rows(shown: Shown, steps: int, better: int = 0) -> dict:
    found = _tables(shown, steps, better)
    return {"n": steps, "cells": {name: found.cells(name) for name in found.decided},
            "false": {name: found.false(name).tolist() for name in found.decided},
            "lost": {name: found.lost(name).tolist() for name in found.decided}}


def _comparisons_end(shown: Shown, steps: int) -> dict:
    return texts.comparisons_end(_tables(shown, steps, 0))


def _further(shown: Shown, steps: int) -> dict:
    return {**_comparisons_rows(shown, steps, BETTER), **texts.three_better_end(_tables(shown, steps, BETTER))}


MEAN = Scene(3, texts.MEAN, _mean_guess, _mean_body, _mean_rows, _mean_end)
DOCUMENTS = Scene(1000, texts.DOCUMENTS, {"kind": "slider", "min": 0, "max": 100, "step": 1, "start": 5,
                                          "unit": " of 100"}, _documents_body, _documents_rows, _documents_end,
                  worlds=tuple(texts.world(*world) for world in WORLDS),
                  prepare=lambda shown: _equal(shown.world, shown.seed))
COMPARISONS = Scene(200, texts.COMPARISONS, {"kind": "slider", "min": 0, "max": 105, "step": 1, "start": 0,
                                             "unit": " of 105"}, _comparisons_body, _comparisons_rows,
                    _comparisons_end, at_once=10, further=_further,
                    prepare=lambda shown: _tables(shown, 20, 0))
