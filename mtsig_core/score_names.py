"""Infer from the name of scores which direction is better and whether people gave them.

The name does not settle the direction, because some metrics are published in both directions under
one name. Name and range of the scores decide together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mtsig_core.caution import Assumption
from mtsig_core.errors import SettingError

_PEOPLE = {
    "human",
    "humans",
    "people",
    "rating",
    "ratings",
    "mqm",
    "esa",
    "da",
    "sqm",
    "psqm",
    "appraise",
    "pra",
}
_MACHINES = re.compile(
    "gemba|metric|comet|kiwi|bleurt|bert|yisi|unite|matese|remedy|gpt|prism|bleu|chrf|ter$"
)

#: Direct assessment: scores as they were given, and standardized by rater.
RAW_DA = "DA-raw"
STANDARDIZED_DA = "DA-z"

_ANY = (-math.inf, math.inf)
_COUNTED = (0, math.inf)

#: Least, largest, whether higher is better.
_Range: TypeAlias = tuple[float, float, bool]

#: Names of metrics (in lower case, words joined by dashes), and the ranges that scores of that name
#: are published in. Scores that fit exactly one of them settle the direction.
KNOWN: tuple[tuple[str, tuple[_Range, ...]], ...] = (
    (r"(wmt-|mqm-|da-|esa-)?z(-score)?", ((-30, 30, True),)),
    (r"(ref-?)?metricx([-\d].*)?", ((0, 25, False), (-25, 0, True))),
    (r"(gemba-|auto-?)?mqm([-\d].*)?|matese(-.*)?", ((0, math.inf, False), (-math.inf, 0, True))),
    (
        r"gemba-(esa|da)(-.*)?|esa(-.*)?|da(-.*)?|(sent|sp)?bleu(-.*)?|chrf(2|3|2\+\+|\+\+)?(-.*)?",
        ((0, 100, True),),
    ),
    (
        r"(x|doc-?)?comet(-?kiwi)?(-?(\d\d|da|qe|xl|xxl))*(-.*)?|kiwi(-.*)?|wmt\d\d-(comet|unite).*|unite(-.*)?",
        ((-3, 3, True),),
    ),
    (r"bleurt(-.*)?|bertscore(-.*)?|yisi(-.*)?", ((-3, 3, True),)),
    (r"h?ter(-.*)?|wer(-.*)?|per(-.*)?|cer(-.*)?", ((*_COUNTED, False),)),
    (
        r"(meteor|nist|ribes|beer|gtm|h?lepor|rouge|cider|spice|utmos(v2)?|asr-bleu)(-.*)?",
        ((*_COUNTED, True),),
    ),
    (r"(prism|bart-?score|blaser|mover-?score)(-.*)?", ((*_ANY, True),)),
    (
        r"(accuracy|adequacy|fluency|quality|similarity|f-?1|f-?score|precision|recall)",
        ((*_COUNTED, True),),
    ),
)

# Names for which mtsig has to ask whether lower is better: by a part of the name, by a word of it,
# or by the whole name where that is too short to be looked for in others.
_LOWER_PARTS = re.compile(
    "metricx|mqm|error|perplex|latenc|penalt|distance|levenshtein|hallucinat|omission|distortion"
    "|uncertain|entropy|surprisal|violation|failure|repetition|disfluen"
)
_LOWER_WORDS = re.compile(
    r"\b(h?ter|terp|[wcpm]er|cder|eed|charac|character|charcut|ned|edits?|deletions|insertions|substitutions|additions"
    "|errs?|mistakes|ranks?|ranking|loss|losses|nll|ppl|perp|mcd|mae|r?mse|times?|runtime|seconds|secs?|ms|duration"
    r"|delay|lag|lagging|rtf|costs?|price|effort|keystrokes|toxicity|untranslated|severity|divergence)\b"
)
_LOWER_NAMES = re.compile(r"(stream)?(al|laal|dal|atd)([-_ ]?ca)?|fad|fid|kl|bpb|bpc")


@dataclass(frozen=True)
class Direction:
    """The direction of scores (higher or lower is better), and the reason for it."""

    higher_is_better: bool
    why: Assumption


def find_direction(name: str, scores: Iterable[float | None]) -> Direction | None:
    """Find the direction of a known metric's scores; None if name and range do not settle it.

    Examples
    --------
    >>> find_direction("MetricX-24-Hybrid-XL", [-3.1, -0.2]).higher_is_better
    True
    >>> find_direction("MetricX-24-Hybrid-XL", [3.1, 0.2]).higher_is_better
    False
    >>> find_direction("MyScore", [0.3, 0.5]) is None
    True
    """
    low, high = find_range(scores)
    fits = []
    for least, largest, is_higher in _find_ranges(name):
        if least <= low and high <= largest:
            fits.append(is_higher)
    if len(fits) != 1:
        return None
    low, high = low + 0.0, high + 0.0  # shows -0 as 0
    facts = {"metric": name, "higher": fits[0], "low": low, "high": high}
    return Direction(fits[0], Assumption("direction-known", facts))


def is_known_metric(name: str) -> bool:
    """Whether a name belongs to a metric whose direction is known.

    >>> is_known_metric("COMET-22"), is_known_metric("chrF++"), is_known_metric("GPT-4")
    (True, True, False)
    """
    return bool(_find_ranges(name))


def _find_ranges(name: str) -> tuple[_Range, ...]:
    """The ranges of the first metric in `KNOWN` that the name fits."""
    plain = re.sub(r"[^a-z0-9+]+", "-", name.lower()).strip("-")
    for pattern, ranges in KNOWN:
        if re.fullmatch(pattern, plain):
            return ranges
    return ()


def find_range(scores: Iterable[float | None]) -> tuple[float, float]:
    """The lowest and the highest of scores; NaN without any."""
    numbers = [score for score in scores if score is not None]
    return (min(numbers), max(numbers)) if numbers else (math.nan, math.nan)


def may_be_lower(name: str) -> bool:
    """Whether a name says, or may say, that lower scores are better.

    >>> [may_be_lower(name) for name in ("AutoMQM", "num_errors", "editDistance", "ppl", "COMET", "Terrific")]
    [True, True, True, True, False, False]
    """
    lower = name.lower()
    if _LOWER_PARTS.search(lower) or _LOWER_NAMES.fullmatch(lower):
        return True
    humps = re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)  # of editDistance
    words = re.findall("[a-z]+", lower) + [word.lower() for word in humps]
    return any(_LOWER_WORDS.fullmatch(word) for word in words)


def settle_direction(
    name: str,
    scores: Iterable[float | None],
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
) -> Direction | None:
    """Return the user's choice, else the direction of a known metric; None without either."""
    if name in lower_is_better or name in higher_is_better:
        is_higher = name not in lower_is_better
        return Direction(is_higher, told_direction(name, is_higher))
    return find_direction(name, scores)


def settle_directions(
    scores: Mapping[str, Iterable[float | None]],
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    other_names: Collection[str] = (),
    groups: Iterable[Collection[str]] = (),
) -> tuple[dict[str, Direction], list[Assumption]]:
    """The directions of the scores of a task that are settled, and what was assumed.

    Parameters
    ----------
    scores : mapping of str to iterable of float
        By name; scores that are not settled are left out.
    lower_is_better, higher_is_better : collection of str
        What the user says.
    other_names : collection of str
        Scores of other language pairs, which the user may name too.
    groups : iterable of collections of str
        At least one name of each group must be settled, such as one of the scores of a language
        pair without texts.

    Returns
    -------
    dict, list of Assumption
        The first assumption names the scores that are left out.

    Raises
    ------
    SettingError
        If a name is unknown, or a group has no name that is settled.
    """
    for name in (*lower_is_better, *higher_is_better):
        if name not in scores and name not in other_names:
            known = ", ".join(dict.fromkeys((*scores, *other_names))) or "none"
            raise SettingError(
                f"There are no scores {name!r} to give a direction for. There are: {known}."
            )
    check_one_direction(lower_is_better, higher_is_better)
    directions: dict[str, Direction] = {}
    unsettled: dict[str, tuple[float, float]] = {}
    for name, values in scores.items():
        numbers = list(values)
        direction = settle_direction(name, numbers, lower_is_better, higher_is_better)
        if direction is None:
            unsettled[name] = find_range(numbers)
        else:
            directions[name] = direction
    for names in groups:
        if names and directions.keys().isdisjoint(names):
            raise ask_direction({name: unsettled[name] for name in unsettled if name in names})
    assumed = [direction.why for direction in directions.values()]
    if unsettled:
        ranges = [(name, low, high) for name, (low, high) in unsettled.items()]
        assumed.insert(0, Assumption("direction-open", {"scores": ranges}))
    return directions, assumed


def explain_direction(
    name: str,
    scores: Iterable[float | None],
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
) -> Assumption:
    """Which scores of a table are taken as better, and why.

    Raises
    ------
    SettingError
        If lower scores may be better and the user does not say which are.
    """
    numbers = list(scores)
    direction = settle_direction(name, numbers, lower_is_better, higher_is_better)
    if direction is None and not may_be_lower(name):
        return Assumption("direction-default", {"metric": name})
    if direction is None or not (direction.higher_is_better or name in lower_is_better):
        raise ask_direction({name: find_range(numbers)})
    return direction.why


def check_one_direction(
    lower_is_better: Collection[str], higher_is_better: Collection[str]
) -> None:
    """Refuse scores for which the user gives both directions."""
    for name in lower_is_better:
        if name in higher_is_better:
            raise SettingError(
                f"Lower and higher are both said to be better in {name!r}. Choose one of them."
            )


def told_direction(name: str, higher: bool) -> Assumption:
    """Return the assumption that the user gave the direction of the scores of this name."""
    return Assumption("direction-told", {"metric": name, "higher": higher})


def check_settled(name: str, assumed: Iterable[Assumption]) -> None:
    """Raise the SettingError that asks about scores which `settle_directions` left out."""
    for assumption in assumed:
        if assumption.code != "direction-open":
            continue
        for open_name, low, high in assumption.facts["scores"]:
            if open_name == name:
                raise ask_direction({name: (low, high)})


def ask_direction(ranges: Mapping[str, tuple[float, float]]) -> SettingError:
    """The error that asks which scores are better, given by name with their range."""
    scores = ", ".join(f"{name!r} ({low:g} to {high:g})" for name, (low, high) in ranges.items())
    if all(may_be_lower(name) for name in ranges):
        reason = f"By name, lower may be better in {scores}."
    else:
        reason = f"Neither name nor range settles it for {scores}."
    first = next(iter(ranges))
    return SettingError(
        f"Is higher better, or lower? {reason} Choose which, for each.",
        {"lower_is_better": first},
        {"higher_is_better": first},
    )


def pick_human_scores(names: Iterable[str]) -> list[str]:
    """Select the names of human scores, such as ``mqm`` or ``human``.

    A metric that is trained or prompted to imitate human scores (GEMBA-ESA) is not selected.

    >>> pick_human_scores(["esa", "GEMBA-ESA-GPT4.1", "XCOMET-XL", "mqm.de", "human"])
    ['esa', 'mqm.de', 'human']
    """
    human = []
    for name in names:
        lower = name.lower()
        if not _MACHINES.search(lower) and not _PEOPLE.isdisjoint(re.split("[^a-z]+", lower)):
            human.append(name)
    return human


def drop_as_given(names: Iterable[str]) -> list[str]:
    """Names of scores without ratings as they were given, if the same ratings are standardized.

    >>> drop_as_given(["DA-z", "DA-raw", "bleu"]), drop_as_given(["DA-raw"])
    (['DA-z', 'bleu'], ['DA-raw'])
    """
    names = list(names)
    if STANDARDIZED_DA not in names:
        return names
    return [name for name in names if name != RAW_DA]


#: Learned metrics that read the reference, those that agreed best with people in the metrics tasks
#: of WMT first. A letter after the name belongs to another name.
_LEARNED = re.compile(r"(?i)(?:(xcomet)|(metricx)|(comet)|(bleurt))(?![^\W\d_])")


def order_metrics(
    scores: Iterable[str], primary: str | None = None, computed: Iterable[str] = ()
) -> list[str]:
    """Names of metrics with the one that decides first.

    Human scores come first, then the one that the task's table has (`primary`), the metrics that
    are `computed` from texts, learned metrics, and other scores in their order.

    >>> order_metrics(["CometKiwi-XL", "MetricX-24", "XCOMET-XL", "esa"], computed=["bleu"])
    ['esa', 'bleu', 'XCOMET-XL', 'MetricX-24', 'CometKiwi-XL']
    """
    scores = list(scores)
    learned: dict[str, int] = {}
    for name in scores:
        match = _LEARNED.match(name)
        if match is not None:
            learned[name] = match.lastindex or 0
    names = [*computed, *sorted(learned, key=learned.__getitem__), *scores]
    first = pick_human_scores(names)
    if primary in names:
        first.append(primary)
    return list(dict.fromkeys([*first, *names]))
