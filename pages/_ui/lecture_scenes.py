"""Scenes of the lecture that resample: what each is sent before a guess, the draws after it, the end on request."""

from __future__ import annotations

import streamlit as st

from mtsig_core.experiments.lecture import Excerpt, Resamples, Swaps, all_swaps, random_swaps, resamples, span
from mtsig_core.metrics import metric_title
from mtsig_core.report import lecture_texts as texts
from pages._ui.lecture_shown import Scene, Shown

__all__ = ["BLOCKS", "BOOTSTRAP", "RANDOMIZATION"]


@st.cache_resource(max_entries=20, show_spinner=False)
def _resampled_once(_few: Excerpt, *key) -> Resamples:
    return resamples(_few, key[-1], 0, BOOTSTRAP.most)


def _resampled(shown: Shown) -> Resamples:
    """All that can be shown, remembered."""
    return _resampled_once(shown.sentences(12), *shown.key)


@st.cache_resource(max_entries=20, show_spinner=False)
def _swapped_once(_few: Excerpt, *key) -> tuple[Swaps, Swaps]:
    return random_swaps(_few, key[-1], 0, RANDOMIZATION.most), all_swaps(_few)


def _swaps(shown: Shown) -> tuple[Swaps, Swaps]:
    """All that can be shown, and all that there are, remembered."""
    return _swapped_once(shown.sentences(10), *shown.key)


def _urn(shown: Shown) -> dict:
    few = shown.sentences(12)
    return {"sentences": list(few.testset.systems[shown.a]), "names": shown.names,
            "metric": metric_title(shown.metric), "sums": texts.sums_shown(few.metric.stat_names),
            "sums_of": texts.SUMS, "extra": "Both systems, same draws"}


def _drawn(shown: Shown, steps: int) -> dict:
    few, first = shown.sentences(12), _resampled(shown)
    found = first.first(steps)  # on one axis, however many are asked for
    return {"n": steps, "observed": [round(float(few.scores[0]), 4), round(few.improvement, 4)],
            "weights": found.weights.tolist(), "sums": found.sums[:, 0].tolist(),
            "missing": found.missing.tolist(), "scores": found.scores[:, 0].round(4).tolist(),
            "differences": found.improvement.round(4).tolist(),
            "axes": {"scores": span(first.scores[:, 0]), "differences": span(first.improvement, about=0.0)}}


def _urn_end(shown: Shown, steps: int) -> dict:
    found = _resampled(shown).first(steps)
    interval, difference = found.middle()
    return {"interval": interval, "difference": difference, "worse": found.share_worse, "missing": found.mean_missing,
            **texts.bootstrap_end(found, shown.a, shown.b)}


def _table(shown: Shown) -> dict:
    few = shown.sentences(10)
    outputs = zip(few.testset.systems[shown.a], few.testset.systems[shown.b], strict=True)
    a, b = few.scores.tolist()
    return {"outputs": [list(pair) for pair in outputs], "names": shown.names, "observed": round(a - b, 4),
            "metric": metric_title(shown.metric)}


def _swapped(shown: Shown, steps: int) -> dict:
    drawn, every = _swaps(shown)
    found = drawn.first(steps)
    return {"n": steps, "swapped": found.swapped.tolist(), "differences": found.differences.round(4).tolist(),
            "extreme": found.extreme.astype(int).tolist(), "counts": found.counts.tolist(),
            "p": found.running_p.round(6).tolist(),
            "axis": span(every.differences, about=0.0)}


def _swap_end(shown: Shown, steps: int) -> dict:
    drawn, every = _swaps(shown)
    return {"exact": every.p, "ways": len(every.differences) + 1, "every": every.differences.round(4).tolist(),
            **texts.randomization_end(drawn.first(steps), every)}


def _ribbon(shown: Shown) -> dict:
    found = shown.cut()
    return {"ribbon": found.difficulty(found.ribbon).round(3).tolist(), "metric": metric_title(shown.metric),
            "size": 300, "ribbon_label": texts.ribbon_label(shown.testset.n_segments), "extra": "Shuffle the sentences"}


def _samples(shown: Shown, steps: int) -> dict:
    found = shown.cut()
    return {"n": steps, "blocks": found.blocks[:steps].round(4).tolist(), "broad": found.broad[:steps].round(
        4).tolist(), "axis": span(found.blocks)}


def _blocks_end(shown: Shown, steps: int) -> dict:
    found = shown.cut().first(steps)
    return {"blocks": found.range_of(found.blocks), "broad": found.range_of(found.broad), "ratio": found.ratio,
            "shuffled": found.shuffled.round(4).tolist(), "shuffled_ratio": found.shuffled_ratio,
            "shuffled_ribbon": found.difficulty(found.shuffled_ribbon).round(3).tolist(),
            **texts.blocks_end(shown.metric, found, shown.testset.simulated)}


BOOTSTRAP = Scene(1000, texts.BOOTSTRAP, {"kind": "slider", "min": 0, "max": 12, "step": 1, "start": 0,
                                          "unit": " of 12"}, _urn, _drawn, _urn_end, prepare=_resampled)
RANDOMIZATION = Scene(1000, texts.RANDOMIZATION, {"kind": "slider", "min": 0, "max": 100, "step": 1, "start": 50,
                                                  "unit": "%"}, _table, _swapped, _swap_end,
                      prepare=_swaps)
BLOCKS = Scene(100, texts.BLOCKS, {"kind": "range", "min": 0, "max": 100, "step": 1, "low": 20, "high": 40, "unit": ""},
               _ribbon, _samples, _blocks_end, fewer=lambda shown: len(shown.cut().blocks))
