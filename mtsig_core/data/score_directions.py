"""What names of scores say: whether higher or lower scores are better (never by the name alone, for one name is
published in both directions), and which of them people gave."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from mtsig_core.errors import SettingError

__all__ = ["Direction", "by_precedence", "check_settled", "direction_of", "human_scores", "settle_directions",
           "with_remedy"]

_PEOPLE = {"human", "humans", "people", "rating", "ratings", "mqm", "esa", "da", "sqm", "psqm", "appraise", "pra"}
_MACHINES = re.compile("gemba|metric|comet|kiwi|bleurt|bert|yisi|unite|matese|remedy|gpt|prism|bleu|chrf|ter$")

_LEFT_OUT = "Left out, as neither name nor range says whether higher is better: "

#: Names of metrics (in lower case, words joined by dashes), and the ranges that scores of that name are published in:
#: least, largest, whether higher is better. Scores that fit one of them alone settle the direction.
KNOWN: tuple[tuple[str, tuple[tuple[float, float, bool], ...]], ...] = (
    (r"metricx(-.*)?", ((0, 25, False), (-25, 0, True))),
    (r"(gemba-)?mqm(-.*)?|matese(-.*)?", ((0, math.inf, False), (-math.inf, 0, True))),
    (r"gemba-(esa|da)(-.*)?|esa(-.*)?|da(-.*)?|(sent|sp)?bleu(-.*)?|chrf(2|3|2\+\+|\+\+)?(-.*)?", ((0, 100, True),)),
    (r"(wmt-|mqm-|da-|esa-)?z(-score)?", ((-10, 10, True),)),
    (r"(x|doc-?)?comet(-?kiwi)?(-?(\d\d|da|qe|xl|xxl))*(-.*)?|kiwi(-.*)?|wmt\d\d-(comet|unite).*|unite(-.*)?",
     ((-3, 3, True),)),
    (r"bleurt(-.*)?|bertscore(-.*)?|yisi(-.*)?", ((-3, 3, True),)),
    (r"h?ter(-.*)?|wer(-.*)?|per(-.*)?|cer(-.*)?", ((0, math.inf, False),)),
)


@dataclass(frozen=True)
class Direction:
    """Which scores are better, and why it is thought so."""

    higher_is_better: bool
    why: str


def direction_of(name: str, scores: Iterable[float | None]) -> Direction | None:
    """The direction of the scores of a known metric, None where name and range do not settle it.

    Examples
    --------
    >>> direction_of("MetricX-24-Hybrid-XL", [-3.1, -0.2]).higher_is_better
    True
    >>> direction_of("MetricX-24-Hybrid-XL", [3.1, 0.2]).higher_is_better
    False
    >>> direction_of("MyScore", [0.3, 0.5]) is None
    True
    """
    plain = re.sub(r"[^a-z0-9+]+", "-", name.lower()).strip("-")
    ranges = next((ranges for pattern, ranges in KNOWN if re.fullmatch(pattern, plain)), ())
    low, high = _range(scores)
    fits = [better for least, largest, better in ranges if least <= low and high <= largest]
    if len(fits) != 1:
        return None
    return Direction(fits[0], f"{name}: {'higher' if fits[0] else 'lower'} is better, as its name is known and its "
                              f"scores lie between {low:g} and {high:g}")


def settle_directions(scores: Mapping[str, Iterable[float | None]], lower_is_better: Collection[str] = (),
                      higher_is_better: Collection[str] = (), elsewhere: Collection[str] = (),
                      needed: Iterable[Collection[str]] = ()) -> tuple[dict[str, Direction], list[str]]:
    """The direction of the scores of each name: what the user says, else what name and range settle.

    Parameters
    ----------
    scores : mapping of str to iterable of (float or None)
        All scores of that name.
    lower_is_better, higher_is_better : collection of str
        Names that the user speaks of.
    elsewhere : collection of str
        Names that he may speak of too: of scores of other language pairs.
    needed : iterable of collection of str
        Of each of these, such as the scores of a language pair without texts, one at least must be settled.

    Returns
    -------
    directions : dict of str to Direction
        Without the names that are not settled.
    assumed : list of str
        What is to be told of it, a sentence each; first of what is left out.

    Raises
    ------
    SettingError
        Which asks, where nothing that is needed is settled; for a name that is not there, and for one in both lists.
    """
    for name in (*lower_is_better, *higher_is_better):
        if name not in scores and name not in elsewhere:
            known = dict.fromkeys((*scores, *elsewhere))
            raise SettingError(f"There are no scores {name!r} whose direction could be said. There are: "
                               f"{', '.join(known) or 'none'}.")
        if name in lower_is_better and name in higher_is_better:
            raise SettingError(f"Lower and higher are both said to be better in {name!r}. Say one of them.")
    found: dict[str, Direction] = {}
    left: dict[str, str] = {}
    for name, values in scores.items():
        if name in lower_is_better or name in higher_is_better:
            lower = name in lower_is_better
            found[name] = Direction(not lower, f"{name}: {'lower' if lower else 'higher'} is better, as was said")
        elif (settled := direction_of(name, values := list(values))) is not None:
            found[name] = settled
        else:
            left[name] = "{} ({:g} to {:g})".format(name, *_range(values))
    for names in needed:
        if names and not found.keys() & set(names):
            raise _question(*((name, said) for name, said in left.items() if name in names))
    told = [f"{_LEFT_OUT}{', '.join(left.values())}."]
    return found, [*(told if left else []), *(f"{one.why}." for one in found.values())]


def with_remedy(said: str) -> str:
    """What is told of directions, with how to say one's own, for a screen and no paper."""
    return f"{said} Say it by --higher-is-better NAME or --lower-is-better NAME, to mtsig serve or to the command." \
        if said.startswith(_LEFT_OUT) else said


def check_settled(name: str, assumed: Iterable[str]) -> None:
    """Raise the SettingError that asks about scores of that name, where they were left out for it; see
    `settle_directions`."""
    for said in assumed:
        if said.startswith(_LEFT_OUT) and (at := re.search(rf"[:,] ({re.escape(name)} \(\S+ to \S+\))", said)):
            raise _question((name, at[1]))


def human_scores(names: Iterable[str]) -> list[str]:
    """Those names of scores that look like people's, such as ``mqm`` or ``human``; a metric that is trained or asked to
    give such (GEMBA-ESA) is none.

    >>> human_scores(["esa", "GEMBA-ESA-GPT4.1", "XCOMET-XL", "mqm.de", "human"])
    ['esa', 'mqm.de', 'human']
    """
    return [name for name in names if not _MACHINES.search(name.lower())
            and _PEOPLE & set(re.split("[^a-z]+", name.lower()))]


def by_precedence(names: Iterable[str], named: str | None = None) -> list[str]:
    """Names of metrics with the one that decides first: human scores, then the one that the task's table has `named`,
    then the others in their order.

    >>> by_precedence(["CometKiwi-XL", "XCOMET-XL", "esa"], "XCOMET-XL")
    ['esa', 'XCOMET-XL', 'CometKiwi-XL']
    """
    names = list(dict.fromkeys(names))
    return list(dict.fromkeys([*human_scores(names), *(name for name in names if name == named), *names]))


def _question(*left: tuple[str, str]) -> SettingError:
    """About names, each with its range in words."""
    return SettingError(f"Is higher better, or lower? Neither name nor range settles it for "
                        f"{', '.join(said for _, said in left)}. Say it for each.",
                        *({f"{which}_is_better": left[0][0]} for which in ("higher", "lower")))


def _range(scores: Iterable[float | None]) -> tuple[float, float]:
    known = [score for score in scores if score is not None]
    return (min(known), max(known)) if known else (math.nan, math.nan)
