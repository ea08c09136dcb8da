"""How many units there really are, and whether so few of them can decide anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

import numpy as np

from mtsig_core.errors import Remedy
from mtsig_core.metrics import has_score_in_domains
from mtsig_core.results import MetricResult, PairResult, Settings
from mtsig_core.stats.engine import Columns, Measured, UnitStatistics, has_gaps
from mtsig_core.stats.resampling import Units, effective_number
from mtsig_core.stats.significance import CORRECTIONS, TESTS, SignificanceTest, significant

#: Below so many, intervals and p are rough.
FEW_UNITS = 30
#: Units of equal size below which bootstrap draws carry no claim of a level; 60 documents of
#: unequal size are fewer.
FEW_FOR_BOOTSTRAP = 60


# -------------------------------------------------------------------------------------------------
# One rule for few units. Wherever a quantile of Student's t or a correction n / (n - 1) stands, n is the number of
# units of equal size that the units are worth (`effective_number`), never how many there are.


Points = TypeVar("Points", float, np.ndarray)


def unbiased(se: Points, n_effective: float | np.ndarray) -> Points:
    """The bootstrap's standard error x sqrt(n / (n - 1)), as its variance is too small by (n - 1) /
    n.

    n is the number of units of equal size that the units are worth (Kish 1965), not their number:
    where a few large documents decide, the bootstrap lacks more. A single unit has a standard error
    of 0, which nothing mends.
    """
    n = np.asarray(n_effective, dtype=float)
    several = n > 1
    widening = np.where(several, n / np.where(several, n - 1, 1), 1)
    return keep_kind(se, se * np.sqrt(widening))


def keep_kind(se: Points, found: np.ndarray | float) -> Points:
    """What was found for standard errors, as a float where they are one."""
    if isinstance(se, float):
        return float(found)
    return cast(Points, found)


def units_freedom(n_effective: np.ndarray | float) -> np.ndarray | float:
    """The degrees of freedom of a standard error from units worth so many of equal size (Kish
    1965): one less, at least 1.
    """
    return np.maximum(n_effective - 1.0, 1.0)


def welch_satterthwaite(variances: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The degrees of freedom of sums of independent variances (Welch 1947): (sum v)^2 / sum(v^2 /
    f), from shape (parts, ...); the largest of the parts' where no part varies.
    """
    total, own = variances.sum(axis=0), (variances**2 / freedom).sum(axis=0)
    found: np.ndarray = np.divide(
        total**2, own, out=np.array(freedom.max(axis=0), dtype=float), where=own > 0
    )
    return found


def count_units(units: Units, has_score: np.ndarray) -> tuple[int, float]:
    """The units that have a segment with a score, and how many of equal size these are worth; of
    stationary blocks, segments over mean length.

    >>> count_units(Units("document", np.array([0, 0, 1, 1, 2, 2]), 3), np.array([True, True, True, True, True, False]))
    (3, 2.7777777777777777)
    """
    if units.block_length is not None:
        pieces = round(np.count_nonzero(has_score) / units.block_length)
        return pieces, float(pieces)
    sizes = np.bincount(units.index[has_score], minlength=units.n)
    return int(np.count_nonzero(sizes)), effective_number(sizes)


def find_freedom(data: UnitStatistics, statistics: np.ndarray | Columns) -> np.ndarray:
    """The degrees of freedom of the standard error of each score, shape (systems,), from the
    statistics by unit and by segment.
    """
    metric, units = data.metric, data.units
    if not isinstance(
        statistics, Columns
    ):  # as those of texts may be, which neither have gaps nor such a mean
        scored = has_score_in_domains(metric, statistics)
        if scored is not None:
            return np.array([_freedom_over_domains(units, in_domains) for in_domains in scored])
    if not has_gaps(metric, statistics):
        return np.full(data.shape[1], units_freedom(units.effective))
    assert not isinstance(statistics, Columns), "only segment scores have gaps"
    worth = [count_units(units, has_score)[1] for has_score in statistics[..., -1] > 0]
    return np.asarray(units_freedom(np.array(worth)))


def _freedom_over_domains(units: Units, in_domains: np.ndarray) -> float:
    """That of a mean over domains, `in_domains` of shape (segments, domains): by Welch and
    Satterthwaite, for units that vary alike in all domains. A domain with few units decides, as it
    counts as much as one with many.
    """
    worth = np.array([count_units(units, has_score)[1] for has_score in in_domains.T])
    known = worth[worth > 0]
    return (
        float(welch_satterthwaite(1 / known, np.asarray(units_freedom(known))))
        if len(known)
        else 1.0
    )


# -------------------------------------------------------------------------------------------------
# Whether so few units can decide anything.


def pair_units(seen: Measured, pairs: np.ndarray, units: Units) -> tuple[np.ndarray, np.ndarray]:
    """The units that both systems of each pair (rows of the statistics) have segments in, and how
    many of equal size these are worth by `effective_number`; both of shape (pairs,). Of stationary
    blocks, segments over mean length.
    """
    if not seen.has_gaps:
        return np.full(len(pairs), units.pieces), np.full(len(pairs), units.effective)
    rated = seen.statistics[..., -1] > 0
    n, effective = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs))
    for k, (i, j) in enumerate(pairs):
        n[k], effective[k] = count_units(units, rated[i] & rated[j])
    return n, effective


def p_floor(test: SignificanceTest, unit: str, n_units: np.ndarray) -> np.ndarray:
    """What p from draws of so few units is raised to, shape of `n_units`.

    1 of a single unit, which shows nothing however often it is drawn; else the least that so few
    can show, see `SignificanceTest.least`. Where all swaps are tried they have it without, but not
    where few of the units that are swapped belong to a pair. Tests of segment scores look at
    segments whatever the unit.
    """
    return np.zeros(np.shape(n_units)) if test.of_segments else least_of_units(test, unit, n_units)


def least_p(settings: Settings, n_units: np.ndarray) -> np.ndarray:
    """The smallest p that the test can give with so many trials and units, shape of `n_units`.

    1 of fewer than two units: whatever is drawn from one is that one.
    """
    test = TESTS[settings.test]
    least: np.ndarray = np.maximum(
        least_of_units(test, settings.unit, n_units, settings.block_length),
        test.smallest_p(settings.trials),
    )
    return least


def least_of_units(
    test: SignificanceTest, unit: str, n_units: np.ndarray, block_length: float | None = None
) -> np.ndarray:
    """The same whatever the trials.

    p from swaps of blocks, which are cut anew for each, is raised to nothing, as it is what so few
    can show already; the least of it is told where their length is.
    """
    n = np.asarray(n_units)
    if unit != "block" or test.is_bootstrap:
        least = 0.0 if test.least is None else test.least(n)
    else:
        least = (
            0.0
            if block_length is None or test.draws != "swaps"
            else least_of_blocks(n, block_length)
        )
    return np.where(n < 2, 1.0, least)


def swaps_units(settings: Settings) -> bool:
    """Whether the test swaps units that stay the same, so that p of n units is a multiple of
    2/2^n.
    """
    return TESTS[settings.test].draws == "swaps" and settings.unit != "block"


def least_of_blocks(n_units: np.ndarray, block_length: float) -> np.ndarray:
    """How often swaps of stationary blocks swap all segments or none, which gives the same size of
    difference: the smallest p, 2 (1 - 1 / 2L)^n - (1 - 1 / L)^n of n segments and mean length L.

    A block begins at a segment with chance 1/L, and a coin is tossed for each; without any all are
    one block. Of n no more is known here than how many blocks it makes: it is taken as the most
    that rounds to these.
    """
    n = (n_units + 0.5) * block_length
    least: np.ndarray = 2 * (1 - 0.5 / block_length) ** n - (1 - 1 / block_length) ** n
    return least


def can_reach(settings: Settings, n_units: np.ndarray, correction: str | None = None) -> np.ndarray:
    """Whether each pair could be significant after the correction, however large the difference;
    shape of `n_units`.

    Adjusted p rise with every p of the family, so the least of them are those of the least p. A
    pair of 0 units has nothing in common, is not tested and cannot. The correction is by default
    that of the settings.
    """
    tested: np.ndarray = np.asarray(n_units) > 0
    least = least_p(settings, np.asarray(n_units)[tested])
    adjust = CORRECTIONS[
        correction or settings.correction
    ].adjust  # Romano-Wolf leaves the least p as it is
    found = np.zeros(len(tested), dtype=bool)
    found[tested] = significant(least if adjust is None else adjust(least), settings.alpha)
    return found


def rank_correction(settings: Settings) -> str:
    """The correction behind the rank intervals, whatever that of the pairs is."""
    return "romano-wolf" if TESTS[settings.test].romano_wolf else "holm"


def find_shortage(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """``"units"``, ``"differences"`` or ``"trials"``: what there is too little of for any pair to
    be significant; of differences, where systems say the same in nearly all units. None where some
    pair could be, and where there is none.
    """
    n_units, n_telling = (
        np.array([getattr(pair, name) for pair in result.pairs], dtype=int)
        for name in ("n_units", "n_telling")
    )
    drawn, ever = replace(settings, trials=result.trials), replace(settings, trials=None)
    if not (n_units > 0).any() or can_reach(drawn, n_telling, correction).any():
        return None
    if can_reach(ever, n_telling, correction).any():
        return "trials"
    return "differences" if can_reach(ever, n_units, correction).any() else "units"


def fewest_trials(settings: Settings, m: int, correction: str | None = None) -> int | None:
    """How many trials it takes before any of m pairs can be significant, whatever the units; None
    where those of the settings are enough.

    Corrections multiply even the smallest p that the trials can give, Bonferroni and Holm by the
    number of pairs.
    """
    test, adjust = TESTS[settings.test], CORRECTIONS[correction or settings.correction].adjust
    tiny = 2.0**-60  # so that what it is multiplied by comes out without rounding
    factor = 1.0 if adjust is None or m < 1 else float(adjust(np.full(m, tiny)).min()) / tiny
    if significant(test.smallest_p(settings.trials) * factor, settings.alpha):
        return None
    return test.trials_for(settings.alpha / factor)


def can_reach_alone(settings: Settings, pair: PairResult) -> bool:
    """Whether a pair could be significant if it were the only one: then units are not what it
    lacks.
    """
    return bool(can_reach(settings, np.array([pair.n_telling]), "none").all())


def suggest_settings(settings: Settings, m: int, n: int | None = None) -> tuple[Remedy, ...]:
    """The settings that may decide something where so few units (`n`) can decide nothing: no
    correction does where they are too few for one pair.
    """
    found: list[Remedy] = []
    alone = fewest_units(settings, 1)
    if (
        TESTS[settings.test].romano_wolf
        and alone != fewest_units(settings, m)
        and (n is None or n >= alone)
    ):
        found.append({"correction": "romano-wolf"})
    if settings.unit == "document":
        found.append({"unit": "segment"})
    return tuple(found)


def fewest_units(settings: Settings, m: int, correction: str | None = None) -> int:
    """The fewest units with which the least p of a family of m pairs can reach alpha, were there
    trials enough.
    """
    enough = replace(settings, trials=None)
    return next(n for n in range(1, 2000) if can_reach(enough, np.full(m, n), correction).any())


def count_most_units(result: MetricResult) -> int:
    """The units of the pair that has most of them."""
    return max((pair.n_units for pair in result.pairs), default=0)


def differing_unit(settings: Settings) -> str:
    """What tells two systems apart, see `count_differing_units`: where blocks are drawn the
    segments.
    """
    return "segment" if settings.unit == "block" else settings.unit
