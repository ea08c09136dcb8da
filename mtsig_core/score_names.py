"""What names of scores say: whether higher or lower scores are better, and which of them people
gave.

A name is never enough for the direction, as one name is published in both: the range of the scores
decides with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

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

_ANY = (-math.inf, math.inf)
_COUNTED = (0, math.inf)

#: Names of metrics (in lower case, words joined by dashes), and the ranges that scores of that name
#: are published in: least, largest, whether higher is better. Scores that fit exactly one of them
#: settle the direction.
KNOWN: tuple[tuple[str, tuple[tuple[float, float, bool], ...]], ...] = (
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
_LOWER_WORDS = {
    "ter",
    "hter",
    "terp",
    "wer",
    "cer",
    "per",
    "mer",
    "cder",
    "eed",
    "charac",
    "character",
    "charcut",
    "ned",
    "edits",
    "edit",
    "deletions",
    "insertions",
    "substitutions",
    "err",
    "errs",
    "mistakes",
    "rank",
    "ranks",
    "ranking",
    "loss",
    "losses",
    "nll",
    "ppl",
    "perp",
    "mcd",
    "mae",
    "mse",
    "rmse",
    "time",
    "times",
    "runtime",
    "seconds",
    "sec",
    "secs",
    "ms",
    "duration",
    "delay",
    "lag",
    "lagging",
    "rtf",
    "cost",
    "costs",
    "price",
    "effort",
    "keystrokes",
    "toxicity",
    "additions",
    "untranslated",
    "severity",
    "divergence",
}
_LOWER_NAMES = re.compile(r"(stream)?(al|laal|dal|atd)([-_ ]?ca)?|fad|fid|kl|bpb|bpc")


@dataclass(frozen=True)
class Direction:
    """Which scores are better, and why it is thought so."""

    higher_is_better: bool
    why: Assumption


def find_direction(name: str, scores: Iterable[float | None]) -> Direction | None:
    """The direction of the scores of a known metric, None where name and range do not settle it.

    Examples
    --------
    >>> find_direction("MetricX-24-Hybrid-XL", [-3.1, -0.2]).higher_is_better
    True
    >>> find_direction("MetricX-24-Hybrid-XL", [3.1, 0.2]).higher_is_better
    False
    >>> find_direction("MyScore", [0.3, 0.5]) is None
    True
    """
    plain = _simplify(name)
    ranges = next((ranges for pattern, ranges in KNOWN if re.fullmatch(pattern, plain)), ())
    low, high = find_range(scores)
    fits = [better for least, largest, better in ranges if least <= low and high <= largest]
    if len(fits) != 1:
        return None
    facts = {
        "metric": name,
        "higher": fits[0],
        "low": low + 0.0,
        "high": high + 0.0,
    }  # -0 is shown as 0
    return Direction(fits[0], Assumption("direction-known", facts))


def is_known_metric(name: str) -> bool:
    """Whether a name is that of a metric whose direction is known.

    >>> is_known_metric("COMET-22"), is_known_metric("chrF++"), is_known_metric("GPT-4")
    (True, True, False)
    """
    plain = _simplify(name)
    return any(re.fullmatch(pattern, plain) for pattern, _ in KNOWN)


def _simplify(name: str) -> str:
    """A name in small letters, with dashes between its words."""
    return re.sub(r"[^a-z0-9+]+", "-", name.lower()).strip("-")


def may_be_lower(name: str) -> bool:
    """Whether a name says, or may say, that lower scores are better.

    >>> [may_be_lower(name) for name in ("AutoMQM", "num_errors", "editDistance", "ppl", "COMET", "Terrific")]
    [True, True, True, True, False, False]
    """
    words = {*re.findall("[a-z]+", name.lower())}
    words |= {
        word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    }  # editDistance
    has_word = bool(words & _LOWER_WORDS)
    has_part = _LOWER_PARTS.search(name.lower()) is not None
    return has_word or has_part or _LOWER_NAMES.fullmatch(name.lower()) is not None


def settle_directions(
    scores: Mapping[str, Iterable[float | None]],
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    other_names: Collection[str] = (),
    groups: Iterable[Collection[str]] = (),
) -> tuple[dict[str, Direction], list[Assumption]]:
    """The direction of the scores of each name, as the user says or name and range settle it; and
    what was assumed, of which the first names the scores that are left out.

    `other_names`: scores of other language pairs, which the user may name too; `groups`: of each at
    least one name, such as of the scores of a language pair without texts, must be settled.
    """
    for name in (*lower_is_better, *higher_is_better):
        if name not in scores and name not in other_names:
            known = dict.fromkeys((*scores, *other_names))
            raise SettingError(
                f"There are no scores {name!r} to give a direction for. There are: "
                f"{', '.join(known) or 'none'}."
            )
    check_one_direction(lower_is_better, higher_is_better)
    directions: dict[str, Direction] = {}
    unsettled: dict[str, tuple[float, float]] = {}
    for name, values in scores.items():
        if name in lower_is_better or name in higher_is_better:
            higher = name in higher_is_better
            directions[name] = Direction(higher, told_direction(name, higher))
            continue
        numbers = list(values)
        direction = find_direction(name, numbers)
        if direction is None:
            unsettled[name] = find_range(numbers)
        else:
            directions[name] = direction
    for names in groups:
        if names and not directions.keys() & set(names):
            raise _ask_direction(
                *((name, *span) for name, span in unsettled.items() if name in names)
            )
    assumed = [one.why for one in directions.values()]
    if unsettled:
        scores_open = [(name, *span) for name, span in unsettled.items()]
        assumed.insert(0, Assumption("direction-open", {"scores": scores_open}))
    return directions, assumed


def check_one_direction(
    lower_is_better: Collection[str], higher_is_better: Collection[str]
) -> None:
    """Refuse scores of which the user says both."""
    for name in lower_is_better:
        if name in higher_is_better:
            raise SettingError(
                f"Lower and higher are both said to be better in {name!r}. Choose one of them."
            )


def told_direction(name: str, higher: bool) -> Assumption:
    """That the user said which scores of that name are better."""
    return Assumption("direction-told", {"metric": name, "higher": higher})


def check_settled(name: str, assumed: Iterable[Assumption]) -> None:
    """Raise the SettingError that asks about scores of that name, where they were left out for it;
    see `settle_directions`.
    """
    for one in assumed:
        if one.code != "direction-open":
            continue
        for other, low, high in one.facts["scores"]:
            if other == name:
                raise _ask_direction((name, low, high))


def pick_human_scores(names: Iterable[str]) -> list[str]:
    """Those names of scores that look like people's, such as ``mqm`` or ``human``; a metric that is
    trained or asked to give such (GEMBA-ESA) is none.

    >>> pick_human_scores(["esa", "GEMBA-ESA-GPT4.1", "XCOMET-XL", "mqm.de", "human"])
    ['esa', 'mqm.de', 'human']
    """
    return [
        name
        for name in names
        if not _MACHINES.search(name.lower()) and _PEOPLE & set(re.split("[^a-z]+", name.lower()))
    ]


#: Learned metrics that read the reference, those that agreed best with people in the metrics tasks
#: of WMT first.
_LEARNED = re.compile(r"(?i)(xcomet)|(metricx)|(comet)|(bleurt)")


def order_metrics(
    scores: Iterable[str], primary: str | None = None, computed: Iterable[str] = ()
) -> list[str]:
    """Names of metrics with the one that decides first: human scores, then the one that the task's
    table has `primary`, the metrics that are `computed` from texts, learned metrics, and other
    scores in their order.

    >>> order_metrics(["CometKiwi-XL", "MetricX-24", "XCOMET-XL", "esa"], computed=["bleu"])
    ['esa', 'bleu', 'XCOMET-XL', 'MetricX-24', 'CometKiwi-XL']
    """
    scores = list(scores)
    learned: dict[str, int] = {}
    for name in scores:
        found = _LEARNED.match(name)
        if found is not None and not name[found.end() : found.end() + 1].isalpha():
            learned[name] = found.lastindex or 0
    names = [*computed, *sorted(learned, key=learned.__getitem__), *scores]
    return list(
        dict.fromkeys(
            [*pick_human_scores(names), *(name for name in names if name == primary), *names]
        )
    )


def _ask_direction(*names: tuple[str, float, float]) -> SettingError:
    """About names, each with the range of its scores."""
    shown = ", ".join(f"{name} ({low:g} to {high:g})" for name, low, high in names)
    first, *_ = names[0]
    return SettingError(
        f"Is higher better, or lower? Neither name nor range settles it for {shown}. Say it for each.",
        {"higher_is_better": first},
        {"lower_is_better": first},
    )


def find_range(scores: Iterable[float | None]) -> tuple[float, float]:
    """The lowest and the highest of scores; NaN without any."""
    numbers = [score for score in scores if score is not None]
    return (min(numbers), max(numbers)) if numbers else (math.nan, math.nan)
