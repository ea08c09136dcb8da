"""The warnings that an adjusted p is so near alpha that other draws may decide otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mtsig_core.errors import Remedy, counted
from mtsig_core.inference.correction import ADJUSTMENTS
from mtsig_core.inference.significance import TESTS, significant
from mtsig_core.results import Caution, MetricResult, PairResult, Settings

__all__ = ["about_near", "about_near_at_least", "at_least_p", "is_near", "p_word"]


def is_near(pair: PairResult, settings: Settings) -> bool:
    """Whether the adjusted p lies within two Monte Carlo standard errors of alpha."""
    if settings.trials is None or pair.p_value is None or pair.p_adjusted is None:
        return False
    if settings.correction == "romano-wolf":  # itself a share of the replicates
        error = math.sqrt(pair.p_adjusted * (1 - pair.p_adjusted) / settings.trials)
    else:  # a multiple of one
        share = pair.p_value / TESTS[settings.test].steps
        error = pair.p_adjusted / share * math.sqrt(share * (1 - share) / settings.trials)
    return error > 0 and pair.p_adjusted < 1 and abs(pair.p_adjusted - settings.alpha) <= 2 * error


def at_least_p(pair: PairResult, settings: Settings) -> bool:
    """Whether a pair has the smallest p that so many trials can give."""
    return pair.p_value is not None and pair.p_value <= TESTS[settings.test].smallest_p(settings.trials)


def about_near(settings: Settings, metric: str, pair: PairResult) -> Caution:
    """Of one pair that other draws may decide otherwise."""
    return Caution("near-alpha", f"{pair.a} against {pair.b}: {p_word(settings.correction)} = {pair.p_adjusted:.4f} is "
                                 "within two Monte Carlo standard errors of alpha. Another seed may decide otherwise; "
                                 "use more trials.", metric, a=pair.a, b=pair.b, remedies=_more_trials(settings))


def about_near_at_least(settings: Settings, result: MetricResult, near: Sequence[PairResult]) -> Iterator[Caution]:
    """The same of those that have the smallest p, together: where one more extreme draw would undo what is significant,
    and where only more trials may tell."""
    if not near:
        return
    lost = _undone_by_one(settings, result, near)
    undone, others = ([pair for pair, own in zip(near, lost, strict=True) if bool(own) is so] for so in (True, False))
    for found, why in ((undone, "so near alpha that one more draw as extreme would make it not significant"),
                       (others, "within two Monte Carlo standard errors of alpha, and more trials may decide "
                                "otherwise")):
        if not found:
            continue
        has = "has" if len(found) == 1 else "have"
        ends = dict.fromkeys(f"{end(pair.p_adjusted or 0.0 for pair in found):.4f}" for end in (min, max))
        after = "" if settings.correction == "none" else f"; after {settings.correction} that is {' to '.join(ends)}"
        yield Caution("near-alpha-at-the-least-p",
                      f"{counted(len(found), 'pair')} {has} the smallest p that {settings.trials} trials can "
                      f"give{after}, {why}. Use more trials.", result.metric, remedies=_more_trials(settings))


def _undone_by_one(settings: Settings, result: MetricResult, near: Sequence[PairResult]) -> np.ndarray:
    """Which of the pairs that have the smallest p are significant, and would not be so with one more draw at least as
    extreme as their difference, shape (pairs,).

    It raises p by a step, which a correction of p may multiply: alike for all of them, as they are tied. Romano-Wolf's
    adjusted p is a share of the draws itself, and rises by about one.
    """
    step, adjust = TESTS[settings.test].smallest_p(settings.trials), ADJUSTMENTS.get(settings.correction)
    if adjust is None:
        raised = np.array([pair.p_adjusted for pair in near], dtype=float) + step
    else:
        tested = [pair for pair in result.pairs if pair.p_value is not None]
        at = next(k for k, pair in enumerate(tested) if pair is near[0])
        p = np.array([pair.p_value for pair in tested], dtype=float)
        p[at] += step
        raised = np.full(len(near), adjust(p)[at])
    lost: np.ndarray = np.array([pair.significant for pair in near]) & ~significant(raised, settings.alpha)
    return lost


def _more_trials(settings: Settings) -> tuple[Remedy, ...]:
    return ({"trials": 5 * (settings.trials or 0) + 4},)


def p_word(correction: str) -> str:
    """What the p that decides is called."""
    return "p (uncorrected)" if correction == "none" else "adjusted p"
