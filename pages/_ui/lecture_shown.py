"""What a scene of the lecture is about, and what it is made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments.lecture import BlocksAndBroad, Excerpt, blocks_and_broad, excerpt
from mtsig_core.report.lecture_texts import SceneTexts, shorts

__all__ = ["Scene", "Shown"]


@dataclass(frozen=True)
class Shown:
    """What a scene is about.

    Attributes
    ----------
    testset : TestSet
    metric : str
    a, b : str
        Two systems.
    seed : int
    world : int
        Which of the scene's worlds, where it has some.
    statistics : callable
        () -> the statistics of the test set.
    """

    testset: TestSet
    metric: str
    a: str
    b: str
    seed: int
    world: int
    statistics: Callable[[], np.ndarray]

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What draws depend on."""
        return self.testset.digest, self.metric, self.a, self.b, self.seed

    @property
    def names(self) -> list[str]:
        """Of the two, as they fit the stage."""
        return shorts(self.a, self.b)

    def sentences(self, n: int) -> Excerpt:
        """Short sentences of the two, remembered."""
        return _excerpt(self.testset, *self.key, n)

    def cut(self) -> BlocksAndBroad:
        """Samples of system a, remembered."""
        return _cut(self.testset, self.testset.digest, self.metric, self.a, self.seed, self.statistics)


@st.cache_resource(max_entries=100, show_spinner=False)
def _excerpt(_testset: TestSet, digest: str, metric: str, a: str, b: str, seed: int, n: int) -> Excerpt:
    return excerpt(_testset, metric, a, b, n, seed)


@st.cache_resource(max_entries=20, show_spinner=False)
def _cut(_testset: TestSet, digest: str, metric: str, system: str, seed: int, _statistics) -> BlocksAndBroad:
    return blocks_and_broad(_testset, metric, system, 300, seed, _statistics())


@dataclass(frozen=True)
class Scene:
    """One scene.

    Attributes
    ----------
    most : int
        Steps.
    words : lecture_texts.Scene
    guess : dict or callable
        The scale of the prediction; or Shown -> it.
    body : callable
        Shown -> what stands there before the prediction: nothing that answers it.
    rows : callable
        (Shown, steps) -> the draws up to there, and the axes they fall on.
    end : callable
        (Shown, steps) -> what the draws up to there say, and the sentences of the end.
    at_once : int
        Draws that are sent together; fewer than all where they take long to make.
    worlds : tuple of str
        What can be chosen beside the steps.
    further : callable or None
        (Shown, steps) -> draws of what comes after the answer.
    prepare : callable or None
        (Shown) -> nothing: makes and remembers the first draws, where these take long.
    fewer : callable or None
        (Shown) -> steps, where a test set may not have the most.
    """

    most: int
    words: SceneTexts
    guess: dict | Callable[[Shown], dict]
    body: Callable[[Shown], dict]
    rows: Callable[[Shown, int], dict]
    end: Callable[[Shown, int], dict]
    at_once: int = 1000
    worlds: tuple[str, ...] = ()
    further: Callable[[Shown, int], dict] | None = None
    prepare: Callable[[Shown], object] | None = None
    fewer: Callable[[Shown], int] | None = None

    def steps(self, shown: Shown) -> int:
        """How many there are."""
        return self.most if self.fewer is None else min(self.most, self.fewer(shown))

    def go_on(self, shown: Shown, steps: int) -> None:
        """Make what comes after the answer while the room reads it, some at a time: a key pressed goes first."""
        for some in range(self.at_once, steps + self.at_once, self.at_once) if self.further else ():
            st.session_state.get("lecture")  # where Streamlit breaks off a run that another is to follow
            self.further(shown, min(some, steps))

    def scale(self, shown: Shown) -> dict:
        """Of the prediction."""
        return self.guess(shown) if callable(self.guess) else self.guess

    def guessed(self, said: str | None, shown: Shown) -> tuple[float, ...] | None:
        """The prediction of a link, None where it is none on this scale."""
        found = re.fullmatch(r"(-?\d{1,6}(?:\.\d{1,6})?)(?:,(-?\d{1,6}(?:\.\d{1,6})?))?", said or "")
        if found is None:
            return None
        scale, values = self.scale(shown), tuple(float(part) for part in found.groups() if part is not None)
        low, high = (0, len(scale["options"]) - 1) if "options" in scale else (scale["min"], scale["max"])
        fits = len(values) == (2 if scale["kind"] == "range" else 1) and all(low <= x <= high for x in values)
        return tuple(sorted(values)) if fits else None

    def voted(self, said: str | None, shown: Shown) -> tuple[float, ...]:
        """The votes of a link: five numbers on the scale, five ranges (two numbers each), or hands for each option
        and for a tie; none where they are something else."""
        scale = self.scale(shown)
        if re.fullmatch(r"\d{1,6}(\.\d{1,6})?(,\d{1,6}(\.\d{1,6})?)*", said or "") is None:
            return ()
        values, kind = tuple(map(float, said.split(","))), scale["kind"]
        if kind == "choice":
            return values if len(values) <= len(scale["options"]) + 1 else ()
        fits = len(values) <= (10 if kind == "range" else 5) and all(scale["min"] <= x <= scale["max"] for x in values)
        return values if fits and not (kind == "range" and len(values) % 2) else ()
