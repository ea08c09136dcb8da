"""The words of the lecture: its scenes, exercises and handouts."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from statistics import median
from typing import Any

import numpy as np

from mtsig_core.errors import choose_verb, format_count
from mtsig_core.experiments.error_rates import FamilyDecisions, if_independent
from mtsig_core.experiments.frame import Rate
from mtsig_core.experiments.lecture import (
    ALPHA,
    SENTENCES,
    BlocksAndBroad,
    EqualSystems,
    PowerTests,
    Resamples,
    Swaps,
    ThreeSentences,
    design_effect,
    expected_by_sentence,
    expected_missing,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.html import template
from mtsig_core.report.palette import told_apart
from mtsig_core.report.pictures import ticks_within
from mtsig_core.report.text import printable
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.testset import TestSet

# The words of the lecture's scenes: question, explanation, conclusion, limitation; and exercises.


_WIDEST = 16  # letters of a name on the stage
_MANY_VOTES = 12  # that a sentence has no room for


@dataclass(frozen=True)
class SceneTexts:
    """The words of a scene before its conclusion, and its exercise on the handout."""

    title: str
    question: str
    during: str  # while it steps
    exercise: str
    answer: str


@cache
def read_scenes() -> dict[str, SceneTexts]:
    """By scene."""
    scenes = tomllib.loads(
        files("mtsig_core.report").joinpath("lecture.toml").read_text(encoding="utf-8")
    )
    return {name: SceneTexts(**scene) for name, scene in scenes.items()}


def shorten_names(a: str, b: str) -> list[str]:
    """Two names as they fit the stage; those that would look alike keep the part in which they
    differ.

    >>> shorten_names("Greek", "transformer-big-beam4-averaged")
    ['Greek', 'transfo…veraged']
    """
    return told_apart([printable(a), printable(b)], _WIDEST)


def list_sums(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Which summed statistics of BLEU are shown: a word, and the places of two numbers.

    >>> list_sums(("sys_len", "ref_len", "correct_1", "total_1"))
    [('1-grams', 2, 3), ('length', 0, 1)]
    """
    at = {name: place for place, name in enumerate(names)}
    shown = [
        (f"{n}-grams", at[f"correct_{n}"], at[f"total_{n}"])
        for n in (1, 2, 3, 4)
        if f"correct_{n}" in at
    ]
    return [*shown, ("length", at["sys_len"], at["ref_len"])]


def describe_guess(guess: Sequence[float], options: Sequence[str] = ()) -> str:
    """A prediction in words: one of some options, a number, or a range.

    >>> describe_guess([1.0], ["A", "B"]), describe_guess([5.0]), describe_guess([20.0, 40.0])
    ('B', '5', '20 to 40')
    """
    return options[int(guess[0])] if options else " to ".join(f"{value:g}" for value in guess)


def describe_votes(votes: Sequence[float], kind: str, options: Sequence[str] = ()) -> str:
    """Votes of the room in words: numbers, ranges (two numbers each), or hands for each option and
    for a tie. Of many the number, the ends and the median.

    >>> describe_votes([3, 4.5], "slider"), describe_votes([20, 40, 18, 30], "range")
    ('3, 4.5', '20–40, 18–30')
    >>> describe_votes([12, 8, 1], "choice", ["A", "B"])
    'A 12, B 8, tie 1'
    >>> describe_votes([4] * 9 + [1, 2, 5, 6], "slider"), describe_votes([20, 40] * 13, "range")
    ('13 votes from 1 to 6, median 4', '13 ranges from 20 to 40')
    """
    n = len(votes) // 2 if kind == "range" else len(votes)
    if kind != "choice" and n > _MANY_VOTES:
        ends = f"from {min(votes):g} to {max(votes):g}"
        return (
            f"{n} ranges {ends}"
            if kind == "range"
            else f"{n} votes {ends}, median {median(votes):g}"
        )
    texts = [f"{vote:g}" for vote in votes]
    if kind == "range":
        texts = ["\u2013".join(two) for two in zip(texts[::2], texts[1::2], strict=True)]
    if kind == "choice":
        texts = [f"{name} {hands}" for name, hands in zip([*options, "tie"], texts, strict=False)]
    return ", ".join(texts)


def name_source(testset: TestSet) -> str:
    """What the sentences on the stage are taken from."""
    return printable(testset.name) + (
        ", simulated" if testset.simulated and "simulated" not in testset.name else ""
    )


def explain_unsuited(testset: TestSet, least: int) -> str:
    """Why a scene that needs so many sentences of two systems is not about a test set, and what to
    do; else nothing.

    >>> explain_unsuited(TestSet("toy", {"A": ["a"], "B": ["b"]}, {"ref": ["a"]}), 12)
    'Not on toy: it has 1 sentence, and this scene needs 12. Open a larger test set on the page Upload.'
    """
    name, n = printable(testset.name), testset.n_segments
    if not testset.has_texts:
        return f"Not on {name}: it has scores and no texts. Open a test set with texts on the page Upload."
    if len(testset.systems) < 2:
        return f"Not on {name}: it has one system, and this scene needs two. Open one with more on the page Upload."
    if n < least:
        return (
            f"Not on {name}: it has {n:,} {'sentence' if n == 1 else 'sentences'}, and this scene needs {least:,}. "
            "Open a larger test set on the page Upload."
        )
    return ""


def describe_handout(testset: TestSet, scene: str, seed: int, steps: int) -> str:
    """Of what a handout is, and how to have it again."""
    of = "Simulated scores" if scene == "documents" else f"Sentences of {name_source(testset)}"
    return f"{of}; seed {seed}, {steps:,} {'step' if steps == 1 else 'steps'}."


def mean_end(three: ThreeSentences) -> dict[str, str]:
    """Conclusion and limitation."""
    share = min(three.lengths) / sum(three.lengths)
    names = shorten_names(*three.names)
    other, winner = (
        (names[k], max(two), min(two))
        for k, two in ((three.by_mean, three.mean), (three.by_corpus, three.corpus[-1]))
    )
    return {
        "truth": winner[0],
        "conclusion": (
            f"{other[0]} wins by the mean ({other[1]:.1f} to {other[2]:.1f}), {winner[0]} by the corpus score "
            f"({winner[1]:.1f} to {winner[2]:.1f}). The short sentence is a third of the mean, and {share:.0%} of the "
            "corpus."
        ),
        "limitation": (
            "we searched for this example. It happens in "
            f"{three.of_random.share or 0:.0%} of random draws of three sentences and two systems "
            f"({_write_ci(three.of_random)}), and for {three.disagreements} of {three.n_pairs} pairs on the whole set."
        ),
    }


def documents_end(tests: EqualSystems, per_document: int, correlation: float) -> dict[str, object]:
    """Conclusion and limitation, and the two shares."""
    first, second = tests.rejected()
    effect = design_effect(per_document, correlation)
    shares = [_with_interval(first), _with_interval(second)]
    conclusion = (
        f"False alarms: {first.share:.0%} of {format_count(first.n, 'test')} by sentence "
        f"({expected_by_sentence(per_document, correlation):.0%} expected), {second.share:.0%} by document "
        f"({ALPHA:.0%} expected). The design effect 1\u00a0+\u00a0(m\u00a0-\u00a01)\u00a0rho is {effect:.1f}: "
        f"{SENTENCES} sentences are worth {SENTENCES / effect:.0f}."
    )
    return {
        "truth": _as_guessed(first),
        "of_hundred": 100 * (first.share or 0),
        "shares": shares,
        "effect": effect,
        "conclusion": conclusion,
        "limitation": "few documents need Student's t, as here; a normal z would reject too often.",
    }


def comparisons_end(family: FamilyDecisions) -> dict[str, object]:
    """Conclusion and limitation."""
    raw, controlled = (family.any_false(name) for name in ("none", "romano-wolf"))
    pairs = len(family.pairs)
    have = choose_verb(raw.n, "has", "have")
    on_average = f"{family.false('none').mean():.1f} on average"
    independent = f"{if_independent(ALPHA, pairs):.2%} if the {pairs} tests were independent"
    conclusion = (
        f"{raw.share or 0:.0%} of the {format_count(raw.n, 'test set')} {have} at least one false star "
        f"({_write_ci(raw)}; {independent}), {on_average}. Under Romano-Wolf, {controlled.share or 0:.0%} "
        f"({_write_ci(controlled)})."
    )
    return {
        "truth": on_average,
        "conclusion": conclusion,
        "limitation": "the rate depends on how the comparisons depend on each other.",
    }


def three_better_end(family: FamilyDecisions) -> dict[str, object]:
    """The same where some systems are truly better than the others."""
    # It is short because the projector has two lines for it.
    parts = [
        f"{label}, {_with_interval(family.any_false(name))} {have}; on average "
        f"{family.lost(name).mean():.1f} of {int(family.true.sum())} true ones are lost"
        for name, label, have in (
            ("none", "Without correction", "have a false star"),
            ("romano-wolf", "With Romano-Wolf", "do"),
        )
    ]
    n = len(family.decided)
    return {
        "conclusion": f"{format_count(n, 'test set')} with three truly better systems. {'. '.join(parts)}.",
        "limitation": "the loss depends on how much better the three are.",
    }


def _as_guessed(share: Rate) -> str:
    """How often of a hundred, as was guessed; of fewer what was counted."""
    return (
        f"{share.count} of {share.n}"
        if share.n < 100
        else f"{_of_hundred(100 * (share.share or 0))} of 100"
    )


def _of_hundred(share: float) -> str:
    """A percentage that is never 0 or 100 only by rounding."""
    return f"{share:.0f}" if 1 <= share < 99.5 or share in (0, 100) else f"{share:.1f}"


def _write_ci(share: Rate) -> str:
    return f"95% CI {100 * (share.low or 0):.0f} to {100 * (share.high or 0):.0f}"


def _with_interval(share: Rate) -> str:
    return f"{share.share or 0:.0%} ({_write_ci(share)})"


def bootstrap_end(draws: Resamples, a: str, b: str) -> dict[str, str]:
    """Conclusion and limitation, and what follows for both systems."""
    (drawn, n), (score, difference) = draws.weights.shape, draws.middle()
    first, second = shorten_names(a, b)
    of = (
        "the only draw"
        if drawn == 1
        else f"range of {drawn} draws, not yet a {1 - ALPHA:.0%} interval"
        if draws.too_few
        else f"{1 - ALPHA:.0%} interval of {drawn:,} draws"
    )
    bracket = (
        f"From {2 / ALPHA:.0f} draws on it is a {1 - ALPHA:.0%} interval."
        if draws.too_few
        else f"{ALPHA / 2:.1%} of the scores lie below the interval and {ALPHA / 2:.1%} above."
    )
    undecided = ": undecided" * (not draws.too_few and contains_zero(*difference))
    return {
        "truth": f"{draws.mean_missing:.1f}",
        "worse_said": f"{draws.share_worse:.0%}",
        "of": of,
        "conclusion": (
            f"A resample lacks {draws.mean_missing:.1f} of {n} sentences on average ({expected_missing(n):.1f} are "
            f"expected, {expected_missing(n) / n:.0%}), so its score moves: {_reach(*score)} ({of}). {bracket}"
        ),
        "after": (
            f"{first} is worse than {second} on {draws.share_worse:.0%} of the same {drawn:,} draws. The difference is "
            f"{_reach(*difference)} ({of}){undecided}."
        ),
        "limitation": f"with {n} sentences percentile intervals are too narrow.",
    }


def _reach(low: float, high: float) -> str:
    return " to ".join(dict.fromkeys(f"{end:.1f}".replace("-", "\u2212") for end in (low, high)))


def randomization_end(swaps: Swaps, every: Swaps) -> dict[str, str]:
    """Conclusion and limitation."""
    ways, share = len(every.differences) + 1, 100 * every.p
    said = _of_hundred(share)
    return {
        "truth": f"{said}%",
        "conclusion": (
            f"By {len(swaps.differences):,} random permutations p = {swaps.p:.3f}; all {ways:,} permutations give exactly "
            f"{every.p:.3f}. If labels meant nothing, {said} of a hundred worlds would differ as much."
        ),
        "limitation": "it tests whether the outputs can be exchanged, not whether the difference matters.",
    }


def blocks_end(metric: str, kinds: BlocksAndBroad, simulated: bool) -> dict[str, str]:
    """Conclusion and limitation, and what follows for the sentences in another order."""
    blocks, broad, shuffled = (
        _reach(of.min(), of.max()) for of in (kinds.blocks, kinds.broad, kinds.shuffled)
    )
    n, (ratio, low, high) = len(kinds.blocks), kinds.ratio()
    alike = (
        "neighbours are alike"
        if low > 1
        else "neighbours differ more than most"
        if high < 1
        else f"{n} samples do not show whether neighbours are alike"
    )
    by_order = ". So the order was the cause" * (
        low > 1 and kinds.ratio("blocks", "shuffled")[1] > 1
    )
    return {
        "truth": blocks,
        "conclusion": (
            f"Blocks of {kinds.size} have {blocks} {metric_title(metric)}, broad samples of the same size {broad}. "
            f"Blocks spread {ratio:.1f} times as wide{f' (95% CI {low:.1f} to {high:.1f})' * (low > 0)}: {alike}."
        ),
        "after": (
            f"After shuffling, blocks have {shuffled} and spread {kinds.ratio('shuffled')[0]:.1f} times as wide "
            f"as broad samples{by_order}."
        ),
        "limitation": "the order of these sentences is simulated."
        if simulated
        else ("this is one test set in one order."),
    }


def name_points(points: float) -> str:
    """A number of points in words."""
    return f"{points:.3g} point{'' if round(points, 3) == 1 else 's'}"


def power_end(tests: PowerTests, n: int, planned: float, exaggeration: float) -> dict[str, object]:
    """Conclusion and limitation: of test sets of n sentences, and what was planned for them."""
    size = tests.mean_size
    k, m = tests.turned, tests.power.count
    turned = (
        ""
        if not k
        else f", {f'{k} of these {m}' if m > 1 else 'the only one'} for the worse system"
    )
    shown = (
        ""
        if size is None
        else f". Those show {size / tests.true:.1f} times the true size ({exaggeration:.1f} expected)"
    )
    return {
        "truth": _as_guessed(tests.power),
        "of_hundred": 100 * (tests.power.share or 0),
        "share": _with_interval(tests.power),
        "conclusion": (
            f"The true difference is {name_points(tests.true)}. {_with_interval(tests.power)} of "
            f"{format_count(tests.power.n, 'test set')} of {n:,} sentences {'finds' if tests.power.n == 1 else 'find'} it "
            f"significant (planning expects {planned:.0%}){turned}{shown}."
        ),
        "limitation": "in real planning you must guess both the difference and its standard error.",
    }


# Handouts of the lecture: the stage, an exercise, and the answer on a page of its own.


_WIDE, _HIGH, _BINS = 640, 150, 50


@dataclass(frozen=True)
class Strip:
    """Values on one axis."""

    label: str
    values: Sequence[float]
    low: float  # ends of the axis
    high: float
    marks: Sequence[tuple[float, str]] = ()  # where a line stands, and the word on it
    integers: bool = False  # whether each whole number has a column


@dataclass(frozen=True)
class HandoutPart:
    """One scene on paper."""

    title: str  # `describe_handout` says of what, with which seed, how many steps
    question: str
    shown: str
    conclusion: str
    limitation: str
    exercise: str
    answer: str
    link: str  # what opens the scene again
    table: Sequence[Sequence[str]]  # rows of what was on the stage, such as its sentences
    strips: Sequence[Strip]


def handout(parts: Sequence[HandoutPart]) -> str:
    """A page of HTML that needs nothing else and prints on A4: two pages a scene, the second with
    the answer.
    """
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
    for count, start, end in zip(
        counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True
    ):
        if count:
            tall = (base - 34) * count / counts.max()
            drawn.append(
                shapes.rect(
                    across(start) + 0.5, base - tall, across(end) - across(start) - 1, tall, "bar"
                )
            )
    for at, (value, word) in enumerate(strip.marks):
        drawn += [
            shapes.line(across(value), 20 + 14 * (at % 2), across(value), base, "mark"),
            shapes.text(
                min(max(across(value), 60), _WIDE - 60), 14 + 14 * (at % 2), word, "middle"
            ),
        ]
    for tick in _ticks(strip):
        drawn.append(shapes.text(across(tick), base + 18, f"{tick:g}", "middle"))
    drawn.append(shapes.text(_WIDE / 2, _HIGH - 6, strip.label, "middle"))
    return str(shapes.svg(_WIDE, _HIGH, strip.label, drawn))


def _ticks(strip: Strip) -> list[float]:
    if not strip.integers:
        return ticks_within(strip.low, strip.high)
    step = max(1, round((strip.high - strip.low) / 12))
    return [float(tick) for tick in range(round(strip.low), round(strip.high) + 1, step)]
