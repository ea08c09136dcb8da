"""How often people notice a difference of a metric, by published curves.

A test says whether a difference is more than chance, and a curve says how large it is for people.
Kocmi, Zouhar, Federmann and Post (2024) took pairs of systems that people had compared, and fitted
for 17 metrics how often people prefer the system that the metric puts ahead. The curves hold for
such pairs only: mostly news in languages with many resources, from 2018 to 2023. No test uses them.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from mtsig_core.results import MetricResult

#: The share of pairs by which a difference counts as noticed: 8 times in 10.
NOTICED = 0.8

#: Means of systems up to this size are on the scale of the metric itself, about -1 to 1.
_LARGEST_UNSCALED = 1.5
#: Means from this size on are points of 100. Between the two, the scale cannot be known.
_SMALLEST_IN_POINTS = 5.0
_POINTS = 100.0
_VENDOR = re.compile(r"^(unbabel|google)/")
#: What files of shared tasks add to the name of a metric.
_ADDED = re.compile(r"(ref[a-z]|noref|src)$")


@dataclass(frozen=True)
class NoticeCurve:
    """The share of pairs in which people prefer the system that a metric puts ahead."""

    name: str  # as published
    ceiling: float  # the share that the largest differences reach
    slope: float  # by a published point
    scale: float = 1.0  # published points in a point of the scores at hand

    def share_who_notice(self, difference: float) -> float:
        """The share of pairs, from 0 to 1, at a difference of this size.

        >>> bleu = read_curves()["bleu"]
        >>> round(bleu.share_who_notice(-0.8), 2), round(bleu.share_who_notice(2.34), 2)
        (0.6, 0.8)
        """
        published_points = abs(difference) * self.scale
        return self.ceiling / (1 + math.exp(-self.slope * published_points))

    def find_difference(self, share: float = NOTICED) -> float | None:
        """The difference that people notice in this share of pairs; None if no difference is.

        >>> bleu = read_curves()["bleu"]
        >>> round(bleu.find_difference(), 2), bleu.find_difference(0.9)
        (2.34, None)
        """
        if not self.ceiling / 2 < share < self.ceiling:
            return None
        published_points = -math.log(self.ceiling / share - 1) / self.slope
        return published_points / self.scale


def find_curve(metric: str, signature: str, scores: Collection[float]) -> NoticeCurve | None:
    """The published curve of a metric, for scores of systems on this scale.

    None for a metric without a published curve, such as chrF++ or BLEU with another tokenizer, for
    human scores, and where name or scale leave open which curve it is.

    >>> find_curve("wmt22-comet-da", "scores:wmt22-comet-da", [0.85, 0.83]).name
    'comet22'
    >>> find_curve("comet", "scores:comet", [0.85, 0.83]) is None
    True
    """
    fields = signature.split("|")
    is_given = signature.startswith("scores:")
    for name, row in _read_rows().items():
        if is_given:
            is_own_curve = _reduce_name(metric) in row.get("names", ())
        else:
            kind = metric.partition("[")[0]
            is_own_curve = kind == row.get("metric") and set(row["signature"]) <= set(fields)
        if is_own_curve:
            scale = _find_scale(row, scores) if is_given else 1.0
            if scale is None:
                return None
            return NoticeCurve(name, row["a"] / 100, row["b"], scale)
    return None


def find_noticed_difference(result: MetricResult) -> float | None:
    """The difference that people notice 8 times in 10, in points of the scores of a result."""
    scores = [row.score for row in result.systems]
    curve = find_curve(result.metric, result.signature, scores)
    if curve is None:
        return None
    return curve.find_difference()


def read_curves() -> dict[str, NoticeCurve]:
    """All curves, by their published names."""
    return {name: NoticeCurve(name, row["a"] / 100, row["b"]) for name, row in _read_rows().items()}


@cache
def _read_rows() -> Mapping[str, Mapping[str, Any]]:
    text = files("mtsig_core.stats").joinpath("noticed.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _reduce_name(metric: str) -> str:
    """A name as the curves have it: in lower case, without vendor, reference and dashes.

    >>> _reduce_name("Unbabel/wmt22-comet-da"), _reduce_name("BLEURT-20-refA")
    ('wmt22cometda', 'bleurt20')
    """
    letters = re.sub("[^a-z0-9]", "", _VENDOR.sub("", metric.lower()))
    return _ADDED.sub("", letters)


def _find_scale(row: Mapping[str, Any], scores: Collection[float]) -> float | None:
    """The published points in a point of these scores; None if the scores leave it open."""
    largest = max(map(abs, scores), default=0.0)
    if largest > row.get("range", _POINTS):
        return None
    if "range" in row or largest >= _SMALLEST_IN_POINTS:
        return 1.0
    if largest <= _LARGEST_UNSCALED:
        return _POINTS
    return None
