"""The scenes of the lecture: the data before a guess, the draws, and the conclusion of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments import lecture
from mtsig_core.experiments.error_rates import FamilyDecisions
from mtsig_core.experiments.lecture import (
    BlocksAndBroad,
    Excerpt,
    PowerTests,
    Resamples,
    Swaps,
    span,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.lecture_texts import SceneTexts, shorten_names
from mtsig_core.stats.significance import CORRECTIONS
from pages._work.memory import remember

# Remembered: results on a whole test set; draws, and results on a few sentences.
_blocks_and_broad, _better, _family = map(
    remember(20), (lecture.blocks_and_broad, lecture.better, lecture.family)
)
_excerpt, _three_sentences, _resamples, _random_swaps, _all_swaps, _equal_tests = map(
    remember(60),
    (
        lecture.excerpt,
        lecture.three_sentences,
        lecture.resamples,
        lecture.random_swaps,
        lecture.all_swaps,
        lecture.equal_tests,
    ),
)
_tables, _power_tests = map(remember(300), (lecture.tables, lecture.power_tests))


@dataclass(frozen=True)
class Shown:
    """The subject of a scene."""

    testset: TestSet
    metric: str
    a: str  # two systems
    b: str
    seed: int
    world: int  # which of the scene's worlds, where it has some
    statistics: Callable[[], np.ndarray]  # () -> the statistics of the test set
    instead: str = ""  # why it is not the test set that the link asks for

    @property
    def names(self) -> list[str]:
        """Return the names of the two systems, short enough for the stage."""
        return shorten_names(self.a, self.b)

    def sentences(self, n: int) -> Excerpt:
        """Return short sentences of the two systems."""
        return _excerpt(self.testset, self.metric, self.a, self.b, n, self.seed)

    def cut(self) -> BlocksAndBroad:
        """Return samples of system a."""
        return _blocks_and_broad(
            self.testset, self.metric, self.a, 300, self.seed, self.statistics()
        )


@dataclass(frozen=True)
class Scene:
    """One scene."""

    most: int  # steps
    words: SceneTexts
    guess: dict | Callable[[Shown], dict]  # the scale of the prediction; or Shown -> it
    body: Callable[
        [Shown], dict
    ]  # shown -> what is shown before the prediction, without the answer
    rows: Callable[
        [Shown, int], dict
    ]  # (Shown, steps) -> the draws up to there, and the axes they fall on
    end: Callable[
        [Shown, int], dict
    ]  # (Shown, steps) -> what the draws up to there say, and the sentences of the end
    at_once: int = 1000  # draws that are sent together; fewer than all where they take long to make
    worlds: tuple[str, ...] = ()  # what can be chosen beside the steps
    further: Callable[[Shown, int], dict] | None = (
        None  # (Shown, steps) -> draws of what comes after the answer
    )
    #: (Shown) -> nothing: makes and remembers the first draws, where these take long
    prepare: Callable[[Shown], object] | None = None
    fewer: Callable[[Shown], int] | None = (
        None  # (Shown) -> steps, where a test set may not have the most
    )

    def steps(self, shown: Shown) -> int:
        """Return the number of steps."""
        return self.most if self.fewer is None else min(self.most, self.fewer(shown))

    def go_on(self, shown: Shown, steps: int) -> None:
        """Compute the part after the answer in small pieces while the room reads, so that a key
        pressed meanwhile comes first.
        """
        for some in range(self.at_once, steps + self.at_once, self.at_once) if self.further else ():
            st.session_state.get(
                "lecture"
            )  # where Streamlit breaks off a run that another is to follow
            self.further(shown, min(some, steps))

    def scale(self, shown: Shown) -> dict:
        """Return the scale of the prediction."""
        return self.guess(shown) if callable(self.guess) else self.guess

    def guessed(self, text: str | None, shown: Shown) -> tuple[float, ...] | None:
        """Return the prediction in a link, or None if it does not fit the scale."""
        result = re.fullmatch(
            r"(-?\d{1,6}(?:\.\d{1,6})?)(?:,(-?\d{1,6}(?:\.\d{1,6})?))?", text or ""
        )
        if result is None:
            return None
        scale, values = (
            self.scale(shown),
            tuple(float(part) for part in result.groups() if part is not None),
        )
        low, high = (
            (0, len(scale["options"]) - 1) if "options" in scale else (scale["min"], scale["max"])
        )
        fits = len(values) == (2 if scale["kind"] == "range" else 1) and all(
            low <= x <= high for x in values
        )
        return tuple(sorted(values)) if fits else None

    def voted(self, text: str | None, shown: Shown) -> tuple[float, ...]:
        """Return the votes in a link: numbers on the scale, ranges (two numbers each), or hands for
        each option and for a tie; empty if they do not fit.
        """
        scale = self.scale(shown)
        if re.fullmatch(r"\d{1,6}(\.\d{1,6})?(,\d{1,6}(\.\d{1,6})?)*", text or "") is None:
            return ()
        values, kind = tuple(map(float, text.split(","))), scale["kind"]
        if kind == "choice":
            return values if len(values) <= len(scale["options"]) + 1 else ()
        is_paired = kind != "range" or len(values) % 2 == 0
        fits = len(values) <= MOST_VOTES and all(
            scale["min"] <= value <= scale["max"] for value in values
        )
        return values if fits and is_paired else ()


#: Numbers that a room may vote, as in assets/lecture/stage.js: a large class. The link holds them
#: all.
MOST_VOTES = 300
_WORDS = texts.read_scenes()


def _slider(most: int, start: int, unit: str) -> dict:
    """Return the scale of a guess."""
    return {"kind": "slider", "min": 0, "max": most, "step": 1, "start": start, "unit": unit}


# Scenes that resample.


def _resampled(shown: Shown) -> Resamples:
    """Return all resamples of the scene."""
    return _resamples(shown.sentences(12), shown.seed, 0, BOOTSTRAP.most)


def _swaps(shown: Shown) -> tuple[Swaps, Swaps]:
    """Return all random permutations of the scene, and all that exist."""
    few = shown.sentences(10)
    return _random_swaps(few, shown.seed, 0, RANDOMIZATION.most), _all_swaps(few)


def _urn(shown: Shown) -> dict:
    few = shown.sentences(12)
    return {
        "sentences": list(few.testset.systems[shown.a]),
        "names": shown.names,
        "metric": metric_title(shown.metric),
        "sums": texts.list_sums(few.metric.stat_names),
        "sums_of": "What BLEU needs is summed over the sentences drawn.",
        "extra": "Both systems, same draws",
    }


def _drawn(shown: Shown, steps: int) -> dict:
    few, first = shown.sentences(12), _resampled(shown)
    result = first.first(steps)  # on one axis, however many are asked for
    return {
        "n": steps,
        "observed": [round(float(few.scores[0]), 4), round(few.improvement, 4)],
        "weights": result.weights.tolist(),
        "sums": result.sums[:, 0].tolist(),
        "missing": result.missing.tolist(),
        "scores": result.scores[:, 0].round(4).tolist(),
        "differences": result.improvement.round(4).tolist(),
        "axes": {
            "scores": span(first.scores[:, 0]),
            "differences": span(first.improvement, about=0.0),
        },
    }


def _urn_end(shown: Shown, steps: int) -> dict:
    result = _resampled(shown).first(steps)
    interval, difference = result.middle()
    return {
        "interval": interval,
        "difference": difference,
        "worse": result.share_worse,
        "missing": result.mean_missing,
        **texts.bootstrap_end(result, shown.a, shown.b),
    }


def _table(shown: Shown) -> dict:
    few = shown.sentences(10)
    outputs = zip(few.testset.systems[shown.a], few.testset.systems[shown.b], strict=True)
    a, b = few.scores.tolist()
    return {
        "outputs": [list(pair) for pair in outputs],
        "names": shown.names,
        "observed": round(a - b, 4),
        "metric": metric_title(shown.metric),
    }


def _swapped(shown: Shown, steps: int) -> dict:
    drawn, every = _swaps(shown)
    result = drawn.first(steps)
    return {
        "n": steps,
        "swapped": result.swapped.tolist(),
        "differences": result.differences.round(4).tolist(),
        "extreme": result.extreme.astype(int).tolist(),
        "counts": np.cumsum(result.extreme).tolist(),
        "p": result.running_p.round(6).tolist(),
        "axis": span(every.differences, about=0.0),
    }


def _swap_end(shown: Shown, steps: int) -> dict:
    drawn, every = _swaps(shown)
    return {
        "exact": every.p,
        "ways": len(every.differences) + 1,
        "every": every.differences.round(4).tolist(),
        **texts.randomization_end(drawn.first(steps), every),
    }


def _ribbon(shown: Shown) -> dict:
    result = shown.cut()
    return {
        "ribbon": result.difficulty(result.ribbon).round(3).tolist(),
        "metric": metric_title(shown.metric),
        "size": 300,
        "ribbon_label": f"{shown.testset.n_segments:,} sentences in their order",
        "extra": "Shuffle the sentences",
    }


def _samples(shown: Shown, steps: int) -> dict:
    result = shown.cut()
    return {
        "n": steps,
        "blocks": result.blocks[:steps].round(4).tolist(),
        "broad": result.broad[:steps].round(4).tolist(),
        "axis": span(result.blocks),
    }


def _blocks_end(shown: Shown, steps: int) -> dict:
    result = shown.cut().first(steps)
    ends = {
        kind: [float(end(getattr(result, kind))) for end in (np.min, np.max)]
        for kind in ("blocks", "broad")
    }
    return {
        **ends,
        "ratio": result.ratio()[0],
        "shuffled": result.shuffled.round(4).tolist(),
        "shuffled_ratio": result.ratio("shuffled")[0],
        "shuffled_ribbon": result.difficulty(result.shuffled_ribbon).round(3).tolist(),
        **texts.blocks_end(shown.metric, result, shown.testset.simulated),
    }


BOOTSTRAP = Scene(
    1000, _WORDS["bootstrap"], _slider(12, 0, " of 12"), _urn, _drawn, _urn_end, prepare=_resampled
)
RANDOMIZATION = Scene(
    1000,
    _WORDS["randomization"],
    _slider(100, 50, "%"),
    _table,
    _swapped,
    _swap_end,
    prepare=_swaps,
)
BLOCKS = Scene(
    100,
    _WORDS["blocks"],
    {"kind": "range", "min": 0, "max": 100, "step": 1, "low": 20, "high": 40, "unit": ""},
    _ribbon,
    _samples,
    _blocks_end,
    fewer=lambda shown: len(shown.cut().blocks),
)


# Scenes on common mistakes.

_FAMILY_SIZES, _CORRELATIONS = (1, 2, 5, 10, 20, 40), (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_TOLD = ((20, 0.1), (5, 0.1), (20, 0.3), (1, 0.0))  # in the order in which they are worth showing
#: Sentences per document, and how alike they are; that of a link without one comes first.
WORLDS = (*_TOLD, *(two for two in product(_FAMILY_SIZES, _CORRELATIONS) if two not in _TOLD))
_ALPHA, _TILED = 0.05, 112


def _three(shown: Shown) -> lecture.ThreeSentences:
    return _three_sentences(shown.testset, shown.metric, statistics=shown.statistics())


def _mean_body(shown: Shown) -> dict:
    result = _three(shown)
    return {
        "names": texts.shorten_names(*result.names),
        "outputs": result.outputs,
        "scores": result.scores,
        "mean": result.mean,
        "lengths": result.lengths,
    }


def _mean_guess(shown: Shown) -> dict:
    return {
        "kind": "choice",
        "options": texts.shorten_names(*_three(shown).names),
        "prompt": "By the corpus score, the better is",
    }


def _mean_rows(shown: Shown, steps: int) -> dict:
    result = _three(shown)
    return {"n": len(result.lengths), "sums": result.sums, "corpus": result.corpus}


def _equal(shown: Shown) -> lecture.EqualSystems:
    return _equal_tests(*WORLDS[shown.world], shown.seed, 0, DOCUMENTS.most)


def _documents_body(shown: Shown) -> dict:
    per_document, _ = WORLDS[shown.world]
    return {
        "per_document": per_document,
        "documents": lecture.SENTENCES // per_document,
        "alpha": _ALPHA,
        "tiles_label": "difference by sentence",
        "sizes": list(_FAMILY_SIZES),
        "correlations": list(_CORRELATIONS),
        "worlds": [list(two) for two in WORLDS],
    }


def _documents_rows(shown: Shown, steps: int) -> dict:
    result = _equal(shown).first(steps)
    return {
        "n": steps,
        "sentence": result.by_sentence.round(5).tolist(),
        "document": result.by_document.round(5).tolist(),
        "tiles": result.shades(_TILED),
    }


def _documents_end(shown: Shown, steps: int) -> dict:
    return texts.documents_end(_equal(shown).first(steps), *WORLDS[shown.world])


def _decided(shown: Shown, steps: int, better: int) -> FamilyDecisions:
    """Return the test sets up to a step.

    They are made ten at a time, so that none is made twice.
    """
    drawn = _family(
        shown.testset, shown.metric, better=better, seed=shown.seed, statistics=shown.statistics()
    )
    return FamilyDecisions.joined(
        [_tables(drawn, shown.seed, at, at + 10) for at in range(0, steps, 10)]
    ).first(steps)


def _comparisons_body(shown: Shown) -> dict:
    n, best = lecture.N_SYSTEMS, lecture.N_BETTER
    return {
        "systems": n,
        "better": best,
        "true_pairs": best * (n - best),
        "corrections": [(name, CORRECTIONS[name].title) for name in lecture.CORRECTIONS_SHOWN],
        "extra": "Three truly better",
    }


def _comparisons_rows(shown: Shown, steps: int, better: int = 0) -> dict:
    result = _decided(shown, steps, better)
    cells = {
        name: [[(int(k), int(row[k])) for k in np.flatnonzero(row)] for row in result.claims(name)]
        for name in result.corrections
    }  # of each test set (pair, 1 or -1)
    return {
        "n": steps,
        "cells": cells,
        "false": {name: result.false(name).tolist() for name in result.corrections},
        "lost": {name: result.lost(name).tolist() for name in result.corrections},
    }


def _further(shown: Shown, steps: int) -> dict:
    best = lecture.N_BETTER
    return {
        **_comparisons_rows(shown, steps, best),
        **texts.three_better_end(_decided(shown, steps, best)),
    }


MEAN = Scene(
    3,
    _WORDS["mean"],
    _mean_guess,
    _mean_body,
    _mean_rows,
    lambda shown, steps: texts.mean_end(_three(shown)),
)
DOCUMENTS = Scene(
    1000,
    _WORDS["documents"],
    _slider(100, 5, " of 100"),
    _documents_body,
    _documents_rows,
    _documents_end,
    prepare=_equal,
    worlds=tuple(
        "no documents" if size == 1 else f"{size} a document, rho {rho:g}" for size, rho in WORLDS
    ),
)
COMPARISONS = Scene(
    200,
    _WORDS["comparisons"],
    _slider(105, 0, " of 105"),
    _comparisons_body,
    _comparisons_rows,
    lambda shown, steps: texts.comparisons_end(_decided(shown, steps, 0)),
    at_once=10,
    further=_further,
    prepare=lambda shown: _decided(shown, 20, 0),
)


# The scene on power: one system is truly better by a number of points, on test sets of one size.

_POINTS, _POWER_SIZES = (0.5, 1.0, 2.0), (100, 300, 1000, 3000)
_FIRST, _AT_ONCE = (1.0, 300), 20
#: True differences and sizes of test sets; that of a link without one comes first.
POWER_WORLDS = (
    _FIRST,
    *(two for two in ((points, n) for points in _POINTS for n in _POWER_SIZES) if two != _FIRST),
)


def _two(shown: Shown) -> lecture.Better:
    return _better(
        shown.testset, shown.metric, POWER_WORLDS[shown.world][0], statistics=shown.statistics()
    )


def _tested(shown: Shown, steps: int) -> PowerTests:
    """Return the test sets up to a step.

    They are made some at a time, so that none is made twice.
    """
    two, (_, n) = _two(shown), POWER_WORLDS[shown.world]
    return PowerTests.joined(
        [_power_tests(two, n, shown.seed, at, at + _AT_ONCE) for at in range(0, steps, _AT_ONCE)]
    ).first(steps)


def _body(shown: Shown) -> dict:
    return {
        "points": list(_POINTS),
        "sizes": list(_POWER_SIZES),
        "worlds": [list(two) for two in POWER_WORLDS],
        "metric": metric_title(shown.metric),
        "alpha": lecture.ALPHA,
    }


def _rows(shown: Shown, steps: int) -> dict:
    two, result = _two(shown), _tested(shown, steps)
    reach = 4 * two.error(POWER_WORLDS[shown.world][1])
    return {
        "n": steps,
        "differences": result.differences.round(4).tolist(),
        "true": two.difference,
        "sizes": [None if size is None else round(size, 4) for size in result.running_sizes],
        "found": result.significant.astype(int).tolist(),
        "axis": {"low": min(two.difference - reach, -0.1 * reach), "high": two.difference + reach},
    }


def _end(shown: Shown, steps: int) -> dict:
    result, two, (_, n) = _tested(shown, steps), _two(shown), POWER_WORLDS[shown.world]
    return {
        "mean": result.mean_size,
        **texts.power_end(result, n, two.planned(n), two.planned_exaggeration(n)),
    }


POWER = Scene(
    300,
    _WORDS["power"],
    _slider(100, 80, " of 100"),
    _body,
    _rows,
    _end,
    at_once=_AT_ONCE,
    worlds=tuple(f"{texts.name_points(points)}, {n:,} sentences" for points, n in POWER_WORLDS),
    prepare=lambda shown: _tested(shown, _AT_ONCE),
)
