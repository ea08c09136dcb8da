"""Systems over several language pairs: the mean of their differences, drawn within each pair and then averaged.

p-values of language pairs are never combined: two-sided ones forget the sign, so that a system that wins here and loses
there would come out ahead. What is averaged are differences in points, observed and under the null alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.inference import engine
from mtsig_core.inference.correction import ADJUSTMENTS, romano_wolf
from mtsig_core.inference.few_units import can_reach, p_floor, pair_units, rank_correction
from mtsig_core.inference.intervals import jackknife_se
from mtsig_core.inference.measured import Measured
from mtsig_core.inference.pairwise import draw, sides_of, tested_against
from mtsig_core.inference.power import units_freedom, welch_satterthwaite
from mtsig_core.inference.ranking import decision_matrix, rank_intervals
from mtsig_core.inference.row_chunks import row_chunks
from mtsig_core.inference.significance import TESTS, decide
from mtsig_core.inference.units_apart import units_apart
from mtsig_core.results import Settings

__all__ = ["MACRO_TESTS", "MacroNumbers", "across_pairs", "decidable_across"]

#: The tests whose replicates can be averaged.
MACRO_TESTS = ("ar", "bootstrap")


@dataclass(frozen=True, eq=False)
class MacroNumbers:
    """Systems that all language pairs have, best first, and their pairs, in points.

    Attributes
    ----------
    names : list of str
    scores, score_low, score_high : ndarray, shape (systems,)
        Ends are NaN where a system has a single unit in some language pair: nothing there says how far it may vary.
    pairs : ndarray of int, shape (pairs, 2)
        Of systems, the better-scoring first.
    delta, low, high, p, adjusted : ndarray, shape (pairs,)
        Ends are NaN where the two have a single unit in common in some language pair.
    decisions : ndarray of int, shape (pairs,)
        1 where the first is significantly better, -1 where the second is, else 0.
    decidable : ndarray of bool, shape (pairs,)
        Whether p could be small enough after the correction.
    n_apart : ndarray of int, shape (pairs,)
        Units that tell the systems apart: of all language pairs together, or of a bootstrap those of the language pair
        that has fewest.
    ranks : list of (int, int), or of (None, None)
        The latter where no pair could be decided by the correction of ranks.
    """

    names: list[str]
    scores: np.ndarray
    score_low: np.ndarray
    score_high: np.ndarray
    pairs: np.ndarray
    delta: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    adjusted: np.ndarray
    decisions: np.ndarray
    decidable: np.ndarray
    n_apart: np.ndarray
    ranks: list[tuple[int | None, int | None]]


def across_pairs(parts: Mapping[str, Measured], settings: Mapping[str, Settings], *, test: str, correction: str,
                 alpha: float, trials: int, seed: int, ci: str = "percentile", jobs: int = 1,
                 progress: Callable[[float], None] | None = None) -> MacroNumbers | None:
    """Compare the systems that all language pairs have; None where fewer than two do.

    Parameters
    ----------
    parts : mapping of str to Measured
        By language pair, under one metric.
    settings : mapping of str to Settings
        By language pair: the unit drawn in each, the resamples of intervals.
    test : {"ar", "bootstrap"}
    correction : str
        Over all pairs of these systems; ranks are corrected by Romano-Wolf.
    trials, seed : int
        Draws of each language pair, keyed by the seed and its name: other pairs in the task change none of them.
    ci : {"percentile", "jackknife-t"}
        The latter with the jackknife's variances of all language pairs and their degrees of freedom by Welch and
        Satterthwaite, those of one its units of equal size (Kish 1965) less one.

    Notes
    -----
    Swaps count the units of all language pairs together: that all favour the same of two systems is as rare as if they
    were of one. A bootstrap of few units is too sure, and that of other language pairs mends nothing: its p is at least
    that which the language pair with the fewest units can show.

    A pair of systems has a difference where each language pair has segments that both are scored on; one that has none
    somewhere is left out of the family.
    """
    first = next(iter(parts.values()))
    names = [name for name in first.names if all(name in part.names for part in parts.values())]
    if len(names) < 2:
        return None
    scores = np.mean([part.only(names).scores for part in parts.values()], axis=0)
    order = np.argsort(-first.sign * scores, kind="stable")
    names, scores, pairs = [names[k] for k in order], scores[order], engine.all_pairs(len(names))
    some = np.ones(len(pairs), dtype=bool)
    resamples = max(own.resamples for own in settings.values())
    drawn, delta = np.zeros((len(names), resamples)), np.zeros(len(pairs))
    apart, null = np.zeros((len(pairs), resamples)), np.zeros((len(pairs), trials))
    n_apart, by_part = [], []
    alone, alone_apart = np.zeros(len(names), dtype=bool), np.zeros(len(pairs), dtype=bool)
    for k, (pair, part) in enumerate(parts.items()):
        own = replace(settings[pair], test=test, trials=trials, seed=seed_of(seed, pair), ci="percentile")
        found = _one_pair(part.only(names), pairs, own, jobs)
        some &= found.some
        alone |= found.n_units < 2
        alone_apart |= found.n_common < 2
        n_apart.append(found.n_apart)
        by_part.append((found.errors / len(parts) ** 2, found.freedom))
        for total, values in ((drawn, found.drawn), (delta, found.delta), (apart, found.apart), (null, found.null)):
            total += values / len(parts)
        if progress is not None:
            progress((k + 1) / len(parts))
    least = (np.sum if TESTS[test].draws == "swaps" else np.min)(n_apart, axis=0)[some]
    ends = _ends(np.concatenate([scores, delta]), np.concatenate([drawn, apart]), by_part, ci, alpha)
    score_low, score_high = np.where(alone, np.nan, ends[:, :len(names)])
    low, high = np.where(alone_apart, np.nan, ends[:, len(names):])[:, some]
    null, pairs, delta = null[some], pairs[some], delta[some]
    floor = p_floor(TESTS[test], next(iter(settings.values())).unit, least)
    p, adjusted, for_ranks = _p_values(delta, null, floor, test, correction)
    decidable, by_ranks = (decidable_across(settings, least, trials, of) for of in (
        correction, rank_correction(next(iter(settings.values())))))
    decisions = np.where(decidable, decide(first.sign * delta, alpha, p=adjusted), 0)
    better = decision_matrix(len(names), pairs, decide(first.sign * delta, alpha, p=for_ranks))
    ranks: list[tuple[int | None, int | None]] = [(None, None)] * len(names)
    if by_ranks.any():
        ranks = [(int(a), int(b)) for a, b in zip(*rank_intervals(better), strict=True)]
    return MacroNumbers(names, scores, score_low, score_high, pairs, delta, low, high, p, adjusted, decisions,
                        decidable, least, ranks)


def decidable_across(settings: Mapping[str, Settings], n_apart: np.ndarray, trials: int | None, correction: str
                     ) -> np.ndarray:
    """Whether each pair of systems could be significant across the language pairs, see `can_reach`.

    Of stationary blocks the shortest mean length is taken, by which the least p is smallest.

    Parameters
    ----------
    settings : mapping of str to Settings
        By language pair.
    n_apart : ndarray of int, shape (pairs,)
        See `MacroNumbers`.
    trials : int or None
    correction : str
    """
    length = min((own.block_length for own in settings.values() if own.block_length is not None), default=None)
    return can_reach(replace(next(iter(settings.values())), trials=trials, block_length=length), n_apart, correction)


def seed_of(seed: int, pair: str) -> int:
    """The seed of one language pair's draws, from that of all and its name: pairs draw independently.

    >>> seed_of(0, "en-de") != seed_of(0, "en-cs")
    True
    """
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{pair}".encode(), digest_size=8).digest(), "big")


def _ends(observed: np.ndarray, drawn: np.ndarray, by_part: list[tuple[np.ndarray, np.ndarray]], ci: str, alpha: float
          ) -> np.ndarray:
    """Of intervals, shape (2, rows); `by_part` has the variances and their degrees of freedom in each language pair."""
    if ci == "percentile":
        ends: np.ndarray = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1)
        return ends
    from scipy.special import stdtrit

    variances, freedom = (np.array(of_parts) for of_parts in zip(*by_part, strict=True))
    half = stdtrit(welch_satterthwaite(variances, freedom), 1 - alpha / 2) * np.sqrt(variances.sum(axis=0))
    return np.array([observed - half, observed + half])


@dataclass(frozen=True, eq=False)
class _OnePair:
    """Of one language pair: observed and drawn differences, and drawn scores; of pairs without a common segment 0."""

    some: np.ndarray  # (pairs,)
    delta: np.ndarray  # (pairs,)
    apart: np.ndarray  # (pairs, resamples)
    null: np.ndarray  # (pairs, trials)
    drawn: np.ndarray  # (systems, resamples)
    n_units: np.ndarray  # (systems,)
    n_common: np.ndarray  # (pairs,)
    n_apart: np.ndarray  # (pairs,)
    errors: np.ndarray  # (systems + pairs,): the jackknife's variances
    freedom: np.ndarray  # (systems + pairs,)


def _one_pair(part: Measured, pairs: np.ndarray, settings: Settings, jobs: int) -> _OnePair:
    units = part.units(settings.unit, settings.block_length)
    assert settings.trials is not None, "both tests draw"
    systems = draw(part.metric, part.stored, units, settings, jobs, None)
    n, sides, rows = sides_of(part, systems, pairs, units, settings, jobs, None)
    some = n > 0
    delta, apart, null = np.zeros(len(pairs)), np.zeros((len(pairs), settings.resamples)), np.zeros(
        (len(pairs), settings.trials))
    i, j = rows.T
    delta[some] = sides.sample.observed[i] - sides.sample.observed[j]
    apart[some] = sides.sample.drawn[i] - sides.sample.drawn[j]
    tested = tested_against(sides, rows, settings, jobs, None)[:]
    if TESTS[settings.test].tries_all(units):  # as many of all swaps as are drawn elsewhere, none swapped among them
        tested = np.column_stack([delta[some], tested])
        tested = tested[:, np.random.default_rng(settings.seed).integers(tested.shape[1], size=settings.trials)]
    null[some] = tested
    itself = np.repeat(np.arange(len(part.names)), 2).reshape(-1, 2)
    (n_units, worth), (n_common, worth_common) = (pair_units(part, of, units) for of in (itself, pairs))
    errors = np.zeros(len(pairs))
    errors[some] = np.concatenate([np.empty(0), *(
        jackknife_se(sides.sample.left_out[i[few]] - sides.sample.left_out[j[few]])
        for few in row_chunks(len(rows), sides.sample.left_out.shape[1]))])
    n_apart = n_common.copy()
    n_apart[some] = units_apart(sides.data, rows, n_common[some], TESTS[settings.test].draws == "swaps")
    return _OnePair(some, delta, apart, null, systems.sample.drawn, n_units, n_common, n_apart,
                    np.concatenate([jackknife_se(systems.sample.left_out), errors]) ** 2,
                    np.asarray(units_freedom(np.concatenate([worth, worth_common]))))


def _p_values(delta: np.ndarray, null: np.ndarray, floor: np.ndarray, test: str, correction: str
              ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p, adjusted p, and those behind ranks; none is below the floor, which so few units cannot show."""
    if not len(delta):
        return delta, delta, delta
    p_values = TESTS[test].p_values
    assert p_values is not None, "tests without p cannot be averaged"
    p = np.maximum(floor, p_values(delta, null))
    if TESTS[test].draws == "bootstrap":
        null = null - null.mean(axis=1, keepdims=True)
    stepped = np.maximum(floor, romano_wolf(delta, null))
    return p, stepped if correction == "romano-wolf" else ADJUSTMENTS[correction](p), stepped
