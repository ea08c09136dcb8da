"""Handouts of the lecture: what was shown, an exercise, and the answer on a page of its own; and the guesses as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mtsig_core.report.html_figures import template, ticks_within

__all__ = ["HandoutPart", "Strip", "handout", "strip_svg"]

_WIDE, _HIGH, _BINS = 640, 150, 50


@dataclass(frozen=True)
class Strip:
    """Values on one axis.

    Attributes
    ----------
    label : str
    values : sequence of float
    low, high : float
        Ends of the axis.
    marks : sequence of (float, str)
        Where a line stands, and the word on it.
    integers : bool
        Whether each whole number has a column.
    """

    label: str
    values: Sequence[float]
    low: float
    high: float
    marks: Sequence[tuple[float, str]] = ()
    integers: bool = False


@dataclass(frozen=True)
class HandoutPart:
    """One scene on paper.

    Attributes
    ----------
    title, question, shown, conclusion, limitation, exercise, answer : str
        `shown` says of what, with which seed, how many steps.
    link : str
        What opens the scene again.
    table : sequence of sequence of str
        Rows of what was on the stage, such as its sentences.
    strips : sequence of Strip
    """

    title: str
    question: str
    shown: str
    conclusion: str
    limitation: str
    exercise: str
    answer: str
    link: str
    table: Sequence[Sequence[str]]
    strips: Sequence[Strip]


def handout(parts: Sequence[HandoutPart]) -> str:
    """A page of HTML that needs nothing else and prints on A4: two pages a scene, the second with the answer."""
    # no-break spaces of the stage would be written out
    spaced = [replace(part, conclusion=part.conclusion.replace("\u00a0", " ")) for part in parts]
    return template("lecture.html").render(parts=spaced, strip_svg=strip_svg)


def strip_svg(strip: Strip) -> str:
    """A histogram with its marks."""
    shapes: Any = template("shapes.svg").module  # its macros
    low, high, bins = strip.low, strip.high, _BINS
    if strip.integers:
        low, high, bins = low - 0.5, high + 0.5, round(high - low) + 1
    counts, edges = np.histogram(np.clip(strip.values, low, high), bins=bins, range=(low, high))
    base, left, right = _HIGH - 42, 20, _WIDE - 20

    def across(value: float) -> float:
        return left + (min(max(value, low), high) - low) / (high - low) * (right - left)

    drawn = [shapes.line(left, base, right, base, "axis")]
    for count, start, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            tall = (base - 34) * count / counts.max()
            drawn.append(shapes.rect(across(start) + 0.5, base - tall, across(end) - across(start) - 1, tall, "bar"))
    for at, (value, word) in enumerate(strip.marks):
        drawn += [shapes.line(across(value), 20 + 14 * (at % 2), across(value), base, "mark"),
                  shapes.text(min(max(across(value), 60), _WIDE - 60), 14 + 14 * (at % 2), word, "middle")]
    for tick in _ticks(strip):
        drawn.append(shapes.text(across(tick), base + 18, f"{tick:g}", "middle"))
    drawn.append(shapes.text(_WIDE / 2, _HIGH - 6, strip.label, "middle"))
    return str(shapes.svg(_WIDE, _HIGH, strip.label, drawn))


def _ticks(strip: Strip) -> list[float]:
    if not strip.integers:
        return ticks_within(strip.low, strip.high)
    step = max(1, round((strip.high - strip.low) / 12))
    return [float(tick) for tick in range(round(strip.low), round(strip.high) + 1, step)]
