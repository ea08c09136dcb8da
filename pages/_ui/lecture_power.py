"""The scene on power: one system is truly better, by so much, on test sets so large; as in `lecture_scenes`."""

from __future__ import annotations

import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments.lecture import ALPHA, Better, PowerTests, better, power_tests
from mtsig_core.metrics import metric_title
from mtsig_core.report import lecture_texts as texts
from pages._ui.lecture_shown import Scene, Shown

__all__ = ["POWER", "POWER_WORLDS"]

_POINTS, _SIZES = (0.5, 1.0, 2.0), (100, 300, 1000, 3000)
_FIRST, _AT_ONCE = (1.0, 300), 20
#: True differences and sizes of test sets; that of a link without one comes first.
POWER_WORLDS = (_FIRST, *(two for two in ((points, n) for points in _POINTS for n in _SIZES) if two != _FIRST))


@st.cache_resource(max_entries=12, show_spinner=False)
def _better(_testset: TestSet, digest: str, metric: str, points: float, _statistics) -> Better:
    return better(_testset, metric, points, statistics=_statistics())


@st.cache_resource(max_entries=300, show_spinner=False)
def _some(_two: Better, digest: str, metric: str, points: float, n: int, seed: int, start: int) -> PowerTests:
    return power_tests(_two, n, seed, start, start + _AT_ONCE)


def _two(shown: Shown) -> Better:
    return _better(shown.testset, shown.testset.digest, shown.metric, POWER_WORLDS[shown.world][0], shown.statistics)


def _tested(shown: Shown, steps: int) -> PowerTests:
    """Test sets up to a step, made some at a time, so that none is made twice."""
    two, (points, n) = _two(shown), POWER_WORLDS[shown.world]
    return PowerTests.joined([_some(two, shown.testset.digest, shown.metric, points, n, shown.seed, at)
                          for at in range(0, steps, _AT_ONCE)]).first(steps)


def _body(shown: Shown) -> dict:
    return {"points": list(_POINTS), "sizes": list(_SIZES), "worlds": [list(two) for two in POWER_WORLDS],
            "metric": metric_title(shown.metric), "alpha": ALPHA}


def _rows(shown: Shown, steps: int) -> dict:
    two, found = _two(shown), _tested(shown, steps)
    reach = 4 * two.error(POWER_WORLDS[shown.world][1])
    return {"n": steps, "differences": found.differences.round(4).tolist(), "true": two.difference,
            "sizes": [None if size is None else round(size, 4) for size in found.running_sizes],
            "found": found.significant.astype(int).tolist(),
            "axis": {"low": min(two.difference - reach, -0.1 * reach), "high": two.difference + reach}}


def _end(shown: Shown, steps: int) -> dict:
    found, two, (_, n) = _tested(shown, steps), _two(shown), POWER_WORLDS[shown.world]
    return {"mean": found.size_found, **texts.power_end(found, n, two.planned(n), two.planned_exaggeration(n))}


POWER = Scene(300, texts.POWER, {"kind": "slider", "min": 0, "max": 100, "step": 1, "start": 80, "unit": " of 100"},
              _body, _rows, _end, at_once=_AT_ONCE, worlds=tuple(texts.power_world(*two) for two in POWER_WORLDS),
              prepare=lambda shown: _tested(shown, _AT_ONCE))
