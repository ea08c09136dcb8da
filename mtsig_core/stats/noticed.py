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
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from mtsig_core.results import MetricResult

#: The share of pairs by which a difference counts as noticed: 8 times in 10.
NOTICED = 0.8

#: Means of systems up to this size are on the scale of the metric itself, about -1 to 1.
_LARGEST_UNSCALED = 1.5
#: Means from this size on are points of 100. Between the two, the scale cannot be known.
_SMALLEST_IN_POINTS = 5.0
#: What is no part of the name of a metric: who made it, the reference, and dashes.
_ADDED = re.compile(r"^(unbabel|google)/|[-_. [](ref[a-z]|noref|src)]?$|[^a-z0-9]")


@dataclass(frozen=True)
class NoticeCurve:
    """The share of pairs in which people prefer the system that a metric puts ahead."""

    a: float  # percent that the largest differences reach
    b: float  # slope by a published point
    metric: str = ""  # that is counted here, with these fields of its signature
    signature: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # of scores that are read
    range: float = 100  # of published points
    scale: float = 1.0  # published points in a point of the scores at hand

    def share_who_notice(self, difference: float) -> float:
        """The share of pairs, from 0 to 1, at a difference of this size.

        >>> bleu = read_curves()["bleu"]
        >>> round(bleu.share_who_notice(-0.8), 2), round(bleu.share_who_notice(2.34), 2)
        (0.6, 0.8)
        """
        return self.a / 100 / (1 + math.exp(-self.b * self.scale * abs(difference)))

    def find_difference(self, share: float = NOTICED) -> float:
        """The difference that people notice in this share of pairs.

        >>> round(read_curves()["bleu"].find_difference(), 2)
        2.34
        """
        return -math.log(self.a / 100 / share - 1) / self.b / self.scale


def find_curve(metric: str, signature: str, scores: Collection[float]) -> NoticeCurve | None:
    """The published curve of a metric, for scores of systems on this scale.

    None for a metric without a published curve, such as chrF++ or BLEU with another tokenizer, for
    human scores, and where name or scale leave open which curve it is.

    >>> find_curve("wmt22-comet-da", "scores:wmt22-comet-da", [0.85, 0.83]).names[0]
    'comet22'
    >>> find_curve("comet", "scores:comet", [0.85, 0.83]) is None
    True
    """
    if signature.startswith("scores:"):
        name = _ADDED.sub("", metric.lower())
        for curve in read_curves().values():
            if name in curve.names:
                return _fit_scale(curve, max(map(abs, scores)))
        return None
    fields = signature.split("|")
    for curve in read_curves().values():
        if curve.metric == metric.partition("[")[0] and set(curve.signature) <= set(fields):
            return curve
    return None


def _fit_scale(curve: NoticeCurve, largest: float) -> NoticeCurve | None:
    """The curve for scores of which this is the largest; None if that leaves the scale open."""
    if largest > curve.range:
        return None
    if curve.range < 100 or largest >= _SMALLEST_IN_POINTS:
        return curve
    if largest <= _LARGEST_UNSCALED:
        return replace(curve, scale=100)
    return None


def find_noticed_difference(result: MetricResult) -> float | None:
    """The difference that people notice 8 times in 10, in points of the scores of a result."""
    scores = [row.score for row in result.systems]
    return find_noticed_points(result.metric, result.signature, scores)


def find_noticed_points(metric: str, signature: str, scores: Collection[float]) -> float | None:
    """The difference that people notice 8 times in 10, in points of these scores."""
    curve = find_curve(metric, signature, scores)
    if curve is None:
        return None
    return curve.find_difference()


@cache
def read_curves() -> dict[str, NoticeCurve]:
    """All curves, by their published names."""
    text = files("mtsig_core.stats").joinpath("noticed.toml").read_text(encoding="utf-8")
    return {name: NoticeCurve(**row) for name, row in tomllib.loads(text).items()}
