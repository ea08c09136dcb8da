"""The words of the lecture: its scenes, exercises and handouts."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from statistics import median

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
from mtsig_core.report.pictures import load_shapes, ticks_within
from mtsig_core.report.text import printable
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# The words of the lecture's scenes: question, explanation, conclusion, limitation; and exercises.


_WIDEST = 16  # letters of a name on the stage
_MANY_VOTES = 12  # that a sentence has no room for
_ENOUGH_TESTS = 100  # of two equal systems, whose share of false alarms is near what is expected


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
    """The words of `lecture.toml`, by scene."""
    text = files("mtsig_core.report").joinpath("lecture.toml").read_text(encoding="utf-8")
    return {name: SceneTexts(**scene) for name, scene in tomllib.loads(text).items()}


def shorten_names(a: str, b: str) -> list[str]:
    """Two names as they fit the stage; those that look alike keep the part in which they differ.

    >>> shorten_names("Greek", "transformer-big-beam4-averaged")
    ['Greek', 'transfo…veraged']
    """
    return told_apart([printable(a), printable(b)], _WIDEST)


def name_systems(testset: TestSet, a: str, b: str) -> list[str]:
    """Two systems as the stage names them: of simulated data a name would say nothing.

    >>> name_systems(TestSet("toy", {"Greek": ["a"]}, {"ref": ["a"]}, simulated=True), "Greek", "Danish")
    ['System A', 'System B']
    """
    if testset.simulated:
        return ["System A", "System B"]
    return shorten_names(a, b)


def list_sums(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """The summed statistics of BLEU that are shown: a word, and the places of two numbers.

    >>> list_sums(("sys_len", "ref_len", "correct_1", "total_1"))
    [('1-grams', 2, 3), ('length', 0, 1)]
    """
    place = {name: k for k, name in enumerate(names)}
    sums = [
        (f"{order}-grams", place[f"correct_{order}"], place[f"total_{order}"])
        for order in (1, 2, 3, 4)
        if f"correct_{order}" in place
    ]
    return [*sums, ("length", place["sys_len"], place["ref_len"])]


def describe_guess(guess: Sequence[float], options: Sequence[str] = ()) -> str:
    """A prediction in words: one of some options, a number, or a range.

    >>> describe_guess([1.0], ["A", "B"]), describe_guess([5.0]), describe_guess([20.0, 40.0])
    ('B', '5', '20 to 40')
    """
    if options:
        return options[int(guess[0])]
    return " to ".join(f"{value:g}" for value in guess)


def describe_votes(votes: Sequence[float], kind: str, options: Sequence[str] = ()) -> str:
    """Votes of the room in words.

    They are numbers, ranges (two numbers each), or hands for each option and for a tie. Of many it
    has the number, the lowest and the highest, and the median.

    >>> describe_votes([3, 4.5], "slider"), describe_votes([20, 40, 18, 30], "range")
    ('3, 4.5', '20–40, 18–30')
    >>> describe_votes([12, 8, 1], "choice", ["A", "B"])
    'A 12, B 8, tie 1'
    >>> describe_votes([4] * 9 + [1, 2, 5, 6], "slider"), describe_votes([20, 40] * 13, "range")
    ('13 votes from 1 to 6, median 4', '13 ranges from 20 to 40')
    """
    texts = [f"{vote:g}" for vote in votes]
    if kind == "choice":
        hands = zip([*options, "tie"], texts, strict=False)
        return ", ".join(f"{name} {n}" for name, n in hands)
    if kind == "range":
        texts = [f"{low}\u2013{high}" for low, high in zip(texts[::2], texts[1::2], strict=True)]
    if len(texts) <= _MANY_VOTES:
        return ", ".join(texts)
    extremes = f"from {min(votes):g} to {max(votes):g}"
    if kind == "range":
        return f"{len(texts)} ranges {extremes}"
    return f"{len(texts)} votes {extremes}, median {median(votes):g}"


def name_source(testset: TestSet) -> str:
    """Name the test set that the sentences on the stage are taken from."""
    name = printable(testset.name)
    if testset.simulated and "simulated" not in testset.name:
        return f"{name}, simulated"
    return name


def explain_unsuited(testset: TestSet, least: int) -> str:
    """Why a scene is not about a test set, and what to do; nothing where it is.

    It needs so many sentences of two systems.

    >>> explain_unsuited(TestSet("toy", {"A": ["a"], "B": ["b"]}, {"ref": ["a"]}), 12)
    'This scene needs 12 sentences, and toy has 1. Open a larger test set on the page Upload.'
    """
    name = printable(testset.name)
    n = testset.n_segments
    if not testset.has_texts:
        return f"This scene needs texts, and {name} has only scores. Open a test set with texts on the page Upload."
    if len(testset.systems) < 2:
        return f"This scene needs two systems, and {name} has one. Open one with two on the page Upload."
    if n < least:
        return (
            f"This scene needs {least:,} sentences, and {name} has {n:,}. "
            "Open a larger test set on the page Upload."
        )
    return ""


def describe_handout(testset: TestSet, scene: str, seed: int, steps: int) -> str:
    """The source of a handout, and how to make it again."""
    source = f"Sentences of {name_source(testset)}"
    if scene == "documents":
        source = "Simulated scores"
    return f"{source}; seed {seed}, {steps:,} {choose_verb(steps, 'step', 'steps')}."


# -------------------------------------------------------------------------------------------------
# Conclusions and limitations.


def _write_of_hundred(rate: Rate) -> str:
    """How often of a hundred, as was guessed; of fewer what was counted."""
    if rate.n < 100:
        return f"{rate.count} of {rate.n}"
    return f"{_write_percentage(100 * (rate.share or 0))} of 100"


def _write_percentage(percentage: float) -> str:
    """A percentage that is never 0 or 100 only by rounding."""
    is_round = 1 <= percentage < 99.5 or percentage in (0, 100)
    if is_round:
        return f"{percentage:.0f}"
    return f"{percentage:.1f}"


def _write_ci(rate: Rate) -> str:
    return f"95% CI {100 * (rate.low or 0):.0f} to {100 * (rate.high or 0):.0f}"


def _write_share(rate: Rate) -> str:
    return f"{rate.share or 0:.0%}"


def _write_rate(rate: Rate) -> str:
    return f"{_write_share(rate)} ({_write_ci(rate)})"


def mean_end(three: ThreeSentences, names: Sequence[str]) -> dict[str, str]:
    """Conclusion and limitation of the scene about means of sentence scores of two systems."""
    by_mean = names[three.by_mean]
    by_corpus = names[three.by_corpus]
    mean_low, mean_high = sorted(three.mean)
    corpus_low, corpus_high = sorted(three.corpus[-1])
    share = min(three.lengths) / sum(three.lengths)
    conclusion = (
        f"{by_mean} wins by the mean ({mean_high:.1f} to {mean_low:.1f}), {by_corpus} by the corpus score "
        f"({corpus_high:.1f} to {corpus_low:.1f}). The short sentence is one third of the mean, and "
        f"{share:.0%} of the corpus score."
    )
    limitation = (
        "we searched for this example. It happens in "
        f"{_write_share(three.of_random)} of random draws of three sentences and two systems "
        f"({_write_ci(three.of_random)}), and for {three.disagreements} of {three.n_pairs} pairs on the whole set."
    )
    return {"truth": by_corpus, "conclusion": conclusion, "limitation": limitation}


def bootstrap_end(draws: Resamples, first: str, second: str) -> dict[str, str]:
    """Conclusion and limitation of the bootstrap, and what follows for both systems."""
    n_draws, n_sentences = draws.weights.shape
    score, difference = draws.middle()
    level = f"{1 - ALPHA:.0%}"
    if n_draws == 1:
        kind = "the only draw"
    elif draws.too_few:
        kind = f"range of {n_draws} draws, not yet a {level} interval"
    else:
        kind = f"{level} interval of {n_draws:,} draws"
    decision = ""
    if not draws.too_few and contains_zero(*difference):
        decision = ": undecided"
    explanation = f"{ALPHA / 2:.1%} of the scores are below the interval and {ALPHA / 2:.1%} above."
    if draws.too_few:
        explanation = f"With {2 / ALPHA:.0f} draws or more it is a {level} interval."
    expected = expected_missing(n_sentences)
    missing = f"{draws.mean_missing:.1f}"
    worse = f"{draws.share_worse:.0%}"
    conclusion = (
        f"A resample lacks {missing} of {n_sentences} sentences on average ({expected:.1f} are "
        f"expected, {expected / n_sentences:.0%}), so its score moves: {_write_range(*score)} ({kind}). {explanation}"
    )
    after = (
        f"{first} is worse than {second} on {worse} of the same {n_draws:,} draws. The difference is "
        f"{_write_range(*difference)} ({kind}){decision}."
    )
    return {
        "truth": missing,
        "worse_said": worse,
        "of": kind,
        "conclusion": conclusion,
        "after": after,
        "limitation": f"with {n_sentences} sentences percentile intervals are too narrow.",
    }


def _write_range(low: float, high: float) -> str:
    """A range with one decimal, and once where that is the same."""
    first, last = (f"{value:.1f}".replace("-", "\u2212") for value in (low, high))
    if first == last:
        return first
    return f"{first} to {last}"


def randomization_end(swaps: Swaps, all_swaps: Swaps) -> dict[str, str]:
    """Conclusion and limitation of the randomization test."""
    n_permutations = len(all_swaps.differences) + 1
    percentage = _write_percentage(100 * all_swaps.p)
    return {
        "truth": f"{percentage}%",
        "conclusion": (
            f"By {len(swaps.differences):,} random permutations p = {swaps.p:.3f}; all {n_permutations:,} "
            f"permutations give exactly {all_swaps.p:.3f}. For equal systems, {percentage} of a hundred would "
            "differ as much."
        ),
        "limitation": "the test shows whether the outputs can be exchanged, not whether the difference matters.",
    }


def blocks_end(metric: str, kinds: BlocksAndBroad, simulated: bool) -> dict[str, str]:
    """Conclusion and limitation about blocks, and what follows for sentences in another order."""
    blocks = _write_range(kinds.blocks.min(), kinds.blocks.max())
    broad = _write_range(kinds.broad.min(), kinds.broad.max())
    shuffled = _write_range(kinds.shuffled.min(), kinds.shuffled.max())
    ratio, low, high = kinds.ratio()
    shuffled_ratio, _, _ = kinds.ratio("shuffled")
    _, order_low, _ = kinds.ratio("blocks", "shuffled")
    interval = ""
    if low > 0:
        interval = f" (95% CI {low:.1f} to {high:.1f})"
    if low > 1:
        finding = "neighbours are alike"
    elif high < 1:
        finding = "neighbours differ more than other sentences"
    else:
        finding = f"{len(kinds.blocks)} samples do not show whether neighbours are alike"
    cause = ""
    if low > 1 and order_low > 1:
        cause = ". So the order is the cause"
    limitation = "this is one test set in one order."
    if simulated:
        limitation = "the order of these sentences is simulated."
    conclusion = (
        f"Blocks of {kinds.size} have {blocks} {metric_title(metric)}, broad samples of the same size {broad}. "
        f"Blocks spread {ratio:.1f} times as wide{interval}: {finding}."
    )
    after = (
        f"After shuffling, blocks have {shuffled} and spread {shuffled_ratio:.1f} times as wide "
        f"as broad samples{cause}."
    )
    return {"truth": blocks, "conclusion": conclusion, "after": after, "limitation": limitation}


def _doubt_few(n: int) -> str:
    """Write how far few tests can be off; empty for enough of them."""
    if n >= _ENOUGH_TESTS:
        return ""
    error = 2 * (ALPHA * (1 - ALPHA) / n) ** 0.5
    return f"; {format_count(n, 'test')} can be off by {error:.0%}"


def documents_end(tests: EqualSystems, per_document: int, correlation: float) -> dict[str, object]:
    """Conclusion and limitation about documents, and the two shares."""
    by_sentence, by_document = tests.rejected()
    effect = design_effect(per_document, correlation)
    worth = SENTENCES / effect
    expected = expected_by_sentence(per_document, correlation)
    conclusion = (
        f"False alarms: {by_sentence.share:.0%} of {format_count(by_sentence.n, 'test')} by sentence "
        f"({expected:.0%} expected), {by_document.share:.0%} by document "
        f"({ALPHA:.0%} expected{_doubt_few(by_document.n)}). The design effect "
        f"1\u00a0+\u00a0(m\u00a0-\u00a01)\u00a0rho is {effect:.1f}: {SENTENCES} sentences are worth {worth:.0f}."
    )
    return {
        "truth": _write_of_hundred(by_sentence),
        "of_hundred": 100 * (by_sentence.share or 0),
        "shares": [_write_rate(by_sentence), _write_rate(by_document)],
        "expected": [f"{expected:.0%} expected", f"{ALPHA:.0%} expected"],
        "effect": effect,
        "conclusion": conclusion,
        "limitation": "with few documents you need Student's t, as here; a normal z rejects too often.",
    }


def comparisons_end(family: FamilyDecisions) -> dict[str, object]:
    """Conclusion and limitation about many comparisons of equal systems."""
    raw = family.any_false("none")
    controlled = family.any_false("romano-wolf")
    n_pairs = len(family.pairs)
    verb = choose_verb(raw.n, "has", "have")
    on_average = f"{family.false('none').mean():.1f} on average"
    independent = f"{if_independent(ALPHA, n_pairs):.2%} if the {n_pairs} tests were independent"
    conclusion = (
        f"{_write_share(raw)} of the {format_count(raw.n, 'test set')} {verb} at least one false star "
        f"({_write_ci(raw)}; {independent}), {on_average}. Under Romano-Wolf, {_write_rate(controlled)}."
    )
    return {
        "truth": on_average,
        "conclusion": conclusion,
        "limitation": "the rate depends on how the comparisons depend on each other.",
    }


def three_better_end(family: FamilyDecisions) -> dict[str, object]:
    """Conclusion and limitation where some systems are truly better than the others.

    They are short, because the projector has two lines for them.
    """
    n_true = int(family.true.sum())
    facts = [f"{format_count(len(family.decided), 'test set')} with three truly better systems"]
    for name, label, verb in (
        ("none", "Without correction", "have a false star"),
        ("romano-wolf", "With Romano-Wolf", "do"),
    ):
        rate = _write_rate(family.any_false(name))
        lost = f"{family.lost(name).mean():.1f} of {n_true} true ones are lost"
        facts.append(f"{label}, {rate} {verb}; on average {lost}")
    return {
        "conclusion": f"{'. '.join(facts)}.",
        "limitation": "the loss depends on how much better the three are.",
    }


def name_points(points: float) -> str:
    """A number of points in words."""
    if round(points, 3) == 1:
        return f"{points:.3g} point"
    return f"{points:.3g} points"


def power_end(tests: PowerTests, n: int, planned: float, exaggeration: float) -> dict[str, object]:
    """Conclusion and limitation about test sets of n sentences, with what was planned for them."""
    power = tests.power
    verb = choose_verb(power.n, "finds", "find")
    conclusion = (
        f"The true difference is {name_points(tests.true)}. {_write_rate(power)} of "
        f"{format_count(power.n, 'test set')} of {n:,} sentences {verb} it "
        f"significant (planning expects {planned:.0%})"
    )
    if tests.turned:
        turned = "the only one"
        if power.count > 1:
            turned = f"{tests.turned} of these {power.count}"
        conclusion += f", {turned} for the worse system"
    if tests.mean_size is not None:
        ratio = tests.mean_size / tests.true
        conclusion += f". Those show {ratio:.1f} times the true size ({exaggeration:.1f} expected)"
    return {
        "truth": _write_of_hundred(power),
        "of_hundred": 100 * (power.share or 0),
        "share": _write_rate(power),
        "conclusion": f"{conclusion}.",
        "limitation": "when you plan a real test set, you must guess both the difference and its standard error.",
    }


# -------------------------------------------------------------------------------------------------
# Handouts of the lecture: the stage, an exercise, and the answer on a page of its own.


_WIDE = 640
_HIGH = 150
_BINS = 50


@dataclass(frozen=True)
class Strip:
    """Values on one axis."""

    label: str
    values: Sequence[float]
    low: float  # ends of the axis
    high: float
    marks: Sequence[tuple[float, str]] = ()  # the place of a line, and the word on it
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


def handout(scenes: Sequence[HandoutPart]) -> str:
    """A page of HTML that needs nothing else and prints on A4.

    A scene has two pages, the second with the answer.
    """
    # The template would write out the no-break spaces of the stage.
    spaced = [
        replace(scene, conclusion=scene.conclusion.replace("\u00a0", " ")) for scene in scenes
    ]
    return template("lecture.html").render(parts=spaced, strip_svg=strip_svg)


def strip_svg(strip: Strip) -> str:
    """A histogram with its marks."""
    shapes = load_shapes()
    low = strip.low
    high = strip.high
    n_bins = _BINS
    if strip.integers:
        low, high, n_bins = low - 0.5, high + 0.5, round(high - low) + 1
    base = _HIGH - 42
    left = 20
    right = _WIDE - 20

    def scale(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return left + share * (right - left)

    elements = [shapes.line(left, base, right, base, "axis")]
    counts, edges = np.histogram(np.clip(strip.values, low, high), bins=n_bins, range=(low, high))
    for count, (start, end) in zip(counts.tolist(), pairwise(edges.tolist()), strict=True):
        if count:
            height = (base - 34) * count / counts.max()
            width = scale(end) - scale(start) - 1
            elements.append(shapes.rect(scale(start) + 0.5, base - height, width, height, "bar"))
    for k, (value, word) in enumerate(strip.marks):
        x = scale(value)
        y = 14 + 14 * (k % 2)  # two lines, so that near words do not overlap
        elements.append(shapes.line(x, y + 6, x, base, "mark"))
        elements.append(shapes.text(min(max(x, 60), _WIDE - 60), y, word, "middle"))
    elements += [
        shapes.text(scale(tick), base + 18, f"{tick:g}", "middle") for tick in _list_ticks(strip)
    ]
    elements.append(shapes.text(_WIDE / 2, _HIGH - 6, strip.label, "middle"))
    return str(shapes.svg(_WIDE, _HIGH, strip.label, elements))


def _list_ticks(strip: Strip) -> list[float]:
    if not strip.integers:
        return ticks_within(strip.low, strip.high)
    step = max(1, round((strip.high - strip.low) / 12))
    return [float(tick) for tick in range(round(strip.low), round(strip.high) + 1, step)]
