"""Count effective units, and find out whether so few units can decide anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

import numpy as np

from mtsig_core.errors import Remedy
from mtsig_core.metrics import has_score_in_domains
from mtsig_core.results import MetricResult, Settings
from mtsig_core.stats.engine import Columns, UnitStatistics, find_scored
from mtsig_core.stats.resampling import Units, effective_number
from mtsig_core.stats.significance import CORRECTIONS, TESTS, SignificanceTest, significant

#: Below so many, intervals and p are rough.
FEW_UNITS = 30
#: Units of equal size below which bootstrap draws carry no claim of a level; 60 documents of
#: unequal size are fewer.
FEW_FOR_BOOTSTRAP = 60
_MOST_NEEDED = 2000  # units that `fewest_units` tries


# -------------------------------------------------------------------------------------------------
# One rule for few units. In a quantile of Student's t or a correction n / (n - 1), n is the number of units of equal
# size that the units are worth (`effective_number`), never how many there are.


Points = TypeVar("Points", float, np.ndarray)


def unbiased(se: Points, n_effective: float | np.ndarray) -> Points:
    """The bootstrap's standard error x sqrt(n / (n - 1)).

    Its variance is too small by (n - 1) / n, with n the number of units of equal size that the
    units are worth (Kish 1965), not their number: where a few large documents decide, the bootstrap
    lacks more. A single unit has a standard error of 0, which nothing corrects.
    """
    n = np.asarray(n_effective, dtype=float)
    has_spread = n > 1
    widening = np.where(has_spread, n / np.where(has_spread, n - 1, 1), 1)
    return keep_kind(se, se * np.sqrt(widening))


def keep_kind(se: Points, values: np.ndarray | float) -> Points:
    """Values for standard errors, as a float where these are one float."""
    if isinstance(se, float):
        return float(values)
    return cast(Points, values)


def units_freedom(n_effective: np.ndarray | float) -> np.ndarray | float:
    """The degrees of freedom of a standard error from units worth so many of equal size.

    One less (Kish 1965), at least 1.
    """
    return np.maximum(n_effective - 1.0, 1.0)


def welch_satterthwaite(variances: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The degrees of freedom of sums of independent variances (Welch 1947).

    (sum v)^2 / sum(v^2 / f), summed over the first axis; the largest of f where nothing varies.
    """
    total = variances.sum(axis=0)
    weighted_squares = (variances**2 / freedom).sum(axis=0)
    largest = np.array(freedom.max(axis=0), dtype=float)
    combined: np.ndarray = np.divide(
        total**2, weighted_squares, out=largest, where=weighted_squares > 0
    )
    return combined


def count_units(units: Units, has_score: np.ndarray) -> tuple[int, float]:
    """The units that have a segment with a score, and how many of equal size these are worth.

    Of stationary blocks, segments over mean length.

    >>> count_units(Units("document", np.array([0, 0, 1, 1, 2, 2]), 3), np.array([True, True, True, True, True, False]))
    (3, 2.7777777777777777)
    """
    if units.block_length is not None:
        pieces = round(np.count_nonzero(has_score) / units.block_length)
        return pieces, float(pieces)
    sizes = np.bincount(units.index[has_score], minlength=units.n)
    return int(np.count_nonzero(sizes)), effective_number(sizes)


def pair_units(
    has_score: np.ndarray | None, pairs: np.ndarray, units: Units
) -> tuple[np.ndarray, np.ndarray]:
    """Count the units that both systems of each pair have segments in; see `count_units`.

    Parameters
    ----------
    has_score : ndarray of bool, shape (systems, segments), or None
        None where no score is missing.
    pairs : ndarray of int, shape (pairs, 2)
        Rows of `has_score`.

    Returns
    -------
    n_units, n_effective : ndarray, shape (pairs,)
        How many these are, and how many of equal size they are worth.
    """
    if has_score is None:
        return np.full(len(pairs), units.pieces), np.full(len(pairs), units.effective)
    n_units = np.zeros(len(pairs), dtype=int)
    n_effective = np.zeros(len(pairs))
    for k, (first, second) in enumerate(pairs):
        n_units[k], n_effective[k] = count_units(units, has_score[first] & has_score[second])
    return n_units, n_effective


def find_freedom(data: UnitStatistics, statistics: np.ndarray | Columns) -> np.ndarray:
    """The degrees of freedom of the standard error of each score, shape (systems,).

    From the statistics by unit, and by segment.
    """
    units = data.units
    if not isinstance(statistics, Columns):  # only statistics of texts are kept as `Columns`
        in_domains = has_score_in_domains(data.metric, statistics)
        if in_domains is not None:
            return np.array([_freedom_over_domains(units, has_score) for has_score in in_domains])
    has_score = find_scored(data.metric, statistics)
    if has_score is None:
        return np.full(data.shape[1], units_freedom(units.effective))
    worth = [count_units(units, scored)[1] for scored in has_score]
    return np.asarray(units_freedom(np.array(worth)))


def _freedom_over_domains(units: Units, has_score: np.ndarray) -> float:
    """The degrees of freedom of a mean over domains; `has_score` of shape (segments, domains).

    By Welch and Satterthwaite, for units that vary alike in all domains. A domain with few units
    decides, as it counts as much as one with many.
    """
    worths = np.array([count_units(units, scored)[1] for scored in has_score.T])
    n_effective = worths[worths > 0]
    if not len(n_effective):
        return 1.0
    return float(welch_satterthwaite(1 / n_effective, np.asarray(units_freedom(n_effective))))


# -------------------------------------------------------------------------------------------------
# Whether so few units can decide anything.


def p_floor(
    test: SignificanceTest,
    unit: str,
    n_units: np.ndarray,
    block_length: float | None = None,
    trials: int | None = None,
) -> np.ndarray:
    """The smallest p that a test can give with so many units, and trials; shape of `n_units`.

    1 of fewer than two units, which show nothing however often they are drawn; else see
    `SignificanceTest.least`. p of a bootstrap and of swaps is raised to it where few of the units
    belong to a pair.

    Swaps of stationary blocks need no floor, as they show what so few can; their smallest p is
    given where `block_length` is.
    """
    n = np.asarray(n_units)
    floor: np.ndarray | float = 0.0
    if unit == "block" and not test.is_bootstrap:
        if test.draws == "swaps" and block_length is not None:
            floor = least_of_blocks(n, block_length)
    elif test.least is not None:
        floor = test.least(n)
    return np.maximum(np.where(n < 2, 1.0, floor), test.p_floor_of_trials(trials))


def swaps_units(settings: Settings) -> bool:
    """Whether the test swaps units that stay the same, so that p is a multiple of 2/2^n."""
    return TESTS[settings.test].draws == "swaps" and settings.unit != "block"


def least_of_blocks(n_units: np.ndarray, block_length: float) -> np.ndarray:
    """Compute how often swaps of blocks swap all segments or none: the smallest p.

    Both give the same size of difference. 2 (1 - 1 / 2L)^n - (1 - 1 / L)^n of n segments and mean
    length L: a block begins at a segment with chance 1/L, and a coin is tossed for each; without
    any all are one block. Only the number of blocks that n makes is known here: n is taken as the
    most that rounds to it.
    """
    n = (n_units + 0.5) * block_length
    least: np.ndarray = 2 * (1 - 0.5 / block_length) ** n - (1 - 1 / block_length) ** n
    return least


def can_reach(settings: Settings, n_units: np.ndarray, correction: str | None = None) -> np.ndarray:
    """Whether each pair could be significant after the correction, however large the difference.

    Shape of `n_units`. Adjusted p-values rise with every p of the family, so they are smallest
    where each p is smallest. A pair of 0 units has no common segments, is not tested and cannot be
    significant. By default, the settings give the correction.
    """
    is_tested = np.asarray(n_units) > 0
    least = p_floor(
        TESTS[settings.test],
        settings.unit,
        np.asarray(n_units)[is_tested],
        settings.block_length,
        settings.trials,
    )
    adjust = CORRECTIONS[correction or settings.correction].adjust
    if adjust is not None:  # Romano-Wolf leaves the least p as it is
        least = adjust(least)
    is_reachable = np.zeros(len(is_tested), dtype=bool)
    is_reachable[is_tested] = significant(least, settings.alpha)
    return is_reachable


def rank_correction(settings: Settings) -> str:
    """Return the correction of the rank intervals, whatever correction the pairs have."""
    if TESTS[settings.test].romano_wolf:
        return "romano-wolf"
    return "holm"


def find_shortage(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """Name what is too scarce for any pair to be significant.

    ``"units"``, ``"trials"`` or ``"differences"``, where outputs are the same in nearly all
    units. None where some pair could be significant, and where no pair has units.
    """
    n_units = np.array([pair.n_units for pair in result.pairs], dtype=int)
    n_telling = np.array([pair.n_telling for pair in result.pairs], dtype=int)
    with_trials = replace(settings, trials=result.trials)
    if not (n_units > 0).any() or can_reach(with_trials, n_telling, correction).any():
        return None
    any_trials = replace(settings, trials=None)
    if can_reach(any_trials, n_telling, correction).any():
        return "trials"
    if can_reach(any_trials, n_units, correction).any():
        return "differences"
    return "units"


def fewest_trials(settings: Settings, m: int, correction: str | None = None) -> int | None:
    """Compute how many trials it takes before any of m pairs can be significant, by any units.

    None where the settings have enough trials. Corrections multiply even the smallest p that the
    trials can give, Bonferroni and Holm by the number of pairs.
    """
    test = TESTS[settings.test]
    adjust = CORRECTIONS[correction or settings.correction].adjust
    factor = 1.0
    if adjust is not None and m > 0:
        tiny = 2.0**-60  # so small that no adjusted p is cut at 1, and without rounding
        factor = float(adjust(np.full(m, tiny)).min()) / tiny
    if significant(test.p_floor_of_trials(settings.trials) * factor, settings.alpha):
        return None
    return test.trials_for(settings.alpha / factor)


def suggest_settings(settings: Settings, m: int, n: int | None = None) -> tuple[Remedy, ...]:
    """The settings that may decide something where so few units (`n`) can decide nothing.

    No correction does where they are too few for one pair.
    """
    remedies: list[Remedy] = []
    for_one_pair = fewest_units(settings, 1)
    is_enough_for_one = n is None or n >= for_one_pair
    if (
        TESTS[settings.test].romano_wolf
        and for_one_pair != fewest_units(settings, m)
        and is_enough_for_one
    ):
        remedies.append({"correction": "romano-wolf"})
    if settings.unit == "document":
        remedies.append({"unit": "segment"})
    return tuple(remedies)


def fewest_units(settings: Settings, m: int, correction: str | None = None) -> int:
    """The fewest units with which the least p of a family of m pairs can reach alpha.

    With as many trials as it takes.
    """
    any_trials = replace(settings, trials=None)
    return next(
        n for n in range(1, _MOST_NEEDED) if can_reach(any_trials, np.full(m, n), correction).any()
    )


def count_most_units(result: MetricResult) -> int:
    """The units of the pair that has most of them."""
    return max((pair.n_units for pair in result.pairs), default=0)


def differing_unit(settings: Settings) -> str:
    """The unit that `count_differing_units` counts: where blocks are drawn, the segment."""
    if settings.unit == "block":
        return "segment"
    return settings.unit
