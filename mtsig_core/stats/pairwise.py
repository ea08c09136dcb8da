"""All pairs of systems at once: differences, their intervals and standard errors, and the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.metrics import Metric
from mtsig_core.results import Settings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import Rows, by_rows, rounding, row_chunks
from mtsig_core.stats.engine import Columns, common, paired, segment_scores, units_apart
from mtsig_core.stats.few_units import can_reach, p_floor, pair_units, rank_correction
from mtsig_core.stats.intervals import INTERVALS, Sample, simultaneous
from mtsig_core.stats.measured import Measured
from mtsig_core.stats.power import degrees_of_freedom
from mtsig_core.stats.ranks import decision_matrix, rank_intervals
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import ADJUSTMENTS, TESTS, decide, romano_wolf, win_rates


@dataclass(frozen=True, eq=False)
class Drawn:
    """Systems with everything that intervals and tests are made from.

    Attributes
    ----------
    statistics : ndarray, shape (systems, segments, stats), or Columns
    data : UnitStatistics
        The same by unit.
    scores : ndarray, shape (systems, draws)
        On bootstrap samples: those of the intervals, and more where the test needs more.
    sample : Sample
        What intervals are made from.
    """

    statistics: np.ndarray | Columns
    data: engine.UnitStatistics
    scores: np.ndarray
    sample: Sample


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """What `compare` says of pairs, arrays of shape (pairs,); NaN where a pair has no segment in common.

    `n_apart` are the units that tell two systems apart, see `units_apart`.
    `p`, `adjusted`, `for_ranks` (adjusted so that they control the family-wise error), `win`, `lose` and `swap_se` (see
    `PairResult`) are None where the test has none. `side` is the sign of the test's own statistic, positive where the
    first system has the higher scores by it.
    """

    n: np.ndarray
    n_units: np.ndarray
    n_effective: np.ndarray
    n_apart: np.ndarray
    delta: np.ndarray
    low: np.ndarray
    high: np.ndarray
    joint_low: np.ndarray
    joint_high: np.ndarray
    se: np.ndarray
    se_df: np.ndarray
    se_ratio: np.ndarray | None
    p: np.ndarray | None
    adjusted: np.ndarray | None
    for_ranks: np.ndarray | None
    win: np.ndarray | None
    lose: np.ndarray | None
    swap_se: np.ndarray | None
    side: np.ndarray | None


def draw(metric: Metric, statistics: np.ndarray | Columns, units: Units, settings: Settings, jobs: int,
         progress: engine.Progress | None) -> Drawn:
    """Bootstrap scores, and those with a unit left out, of all rows of statistics."""
    data = engine.UnitStatistics(metric, statistics, units)
    n_drawn = max(settings.resamples, (settings.trials or 0) if TESTS[settings.test].draws == "bootstrap" else 0)
    drawn = engine.bootstrap_scores(data, n_drawn, settings.seed, jobs=jobs, progress=progress)
    left_out = engine.jackknife_scores(data) if settings.resamples else np.empty((data.shape[1], 0))
    return Drawn(statistics, data, drawn, Sample(data.scores, drawn[:, :settings.resamples], left_out,
                                                 segment_scores(metric, statistics)))


def compare_pairs(seen: Measured, systems: Drawn, pairs: np.ndarray, units: Units, settings: Settings, jobs: int,
                  stage: engine.Stages) -> PairNumbers:
    """Compare pairs of systems, each on the segments that both have.

    Parameters
    ----------
    seen : Measured
    systems : Drawn
        Made from its statistics.
    pairs : ndarray of int, shape (pairs, 2)
        Rows of `systems`.
    """
    n, sides, rows = sides_of(seen, systems, pairs, units, settings, jobs, stage("pairs"))
    some, (n_units, n_effective) = n > 0, pair_units(seen, pairs, units)

    def other_unit(kind: str) -> np.ndarray:
        other = engine.UnitStatistics(seen.metric, sides.statistics, seen.units(kind))
        return engine.bootstrap_scores(other, settings.resamples, settings.seed, jobs=jobs,
                                       progress=stage(f"standard errors by {kind}"))

    delta, low, high, se, freedom = _differences(sides.sample, rows, settings)
    joint = low, high
    if len(rows) > 1:  # none is within that of its pair alone, which may be of another kind
        ends = simultaneous(delta, sides.sample.drawn, rows, n_units[some], n_effective[some], settings.alpha)
        joint = (np.where(low < ends[0], low, ends[0]), np.where(high > ends[1], high, ends[1]))
    n_apart = n_units.copy()
    n_apart[some] = units_apart(sides.data, rows, n_units[some], TESTS[settings.test].draws == "swaps")
    tested = _test(sides, rows, delta, n_apart[some], settings, jobs, stage("test"))
    se = np.where(n_units[some] > 1, se, np.nan)  # one unit is drawn again and again
    ratio = None
    if seen.testset.documents is not None:
        several = np.minimum(n, pair_units(seen, pairs, seen.units("document"))[0])[some] > 1
        ratio = np.where(several, _se_ratio(sides.sample.drawn, settings.unit, rows, other_unit), np.nan)

    def whole(values: np.ndarray, otherwise: np.ndarray | float = np.nan) -> np.ndarray:
        if some.all():
            return values
        full = np.where(some, np.nan, otherwise)
        full[some] = values
        return full

    apart = systems.data.scores[pairs[:, 0]] - systems.data.scores[pairs[:, 1]]
    return PairNumbers(n, n_units, n_effective, n_apart, whole(delta, apart), whole(low), whole(high), whole(joint[0]),
                       whole(joint[1]), whole(se), whole(freedom),
                       *(None if values is None else whole(values) for values in (ratio, *tested)))


def sides_of(seen: Measured, systems: Drawn, pairs: np.ndarray, units: Units, settings: Settings, jobs: int,
             progress: engine.Progress | None) -> tuple[np.ndarray, Drawn, np.ndarray]:
    """How many segments each pair has in common; and of the pairs that have any, what is compared, and its rows.

    Where no score is missing these are the systems themselves, else both sides of each pair on their segments.
    """
    n = common(seen.metric, systems.statistics, pairs)
    some = n > 0
    if not (seen.has_gaps and some.any()):
        return n, systems, pairs[some]
    assert not isinstance(systems.statistics, Columns), "only segment scores have gaps"
    statistics, rows = paired(systems.statistics, pairs[some])
    return n, draw(seen.metric, statistics, units, settings, jobs, progress), rows


def unbeaten(seen: Measured, settings: Settings, jobs: int, progress: engine.Progress | None,
             ) -> tuple[tuple[str, ...], bool, bool]:
    """The systems that no other is significantly better than, best first, by a test that gives p; whether one is
    significantly better than each other; and whether any pair could be decided.

    The decisions are those behind the ranks of `compare`, without its intervals and standard errors.
    """
    seen, bare = seen.best_first(), replace(settings, ci="percentile", resamples=0)
    systems = draw(seen.metric, seen.stored, seen.units(settings.unit, settings.block_length), bare, jobs, progress)
    pairs, scores = engine.all_pairs(len(seen.names)), systems.data.scores
    delta = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    n_units = units_apart(systems.data, pairs, np.full(len(pairs), systems.data.units.pieces),
                          TESTS[settings.test].draws == "swaps")
    _, _, for_ranks, *_, side = _test(systems, pairs, delta, n_units, settings, jobs, progress)
    decisions = decide(seen.sign * delta, settings.alpha, p=for_ranks, side=None if side is None else seen.sign * side)
    low, high = rank_intervals(decision_matrix(len(seen.names), pairs, decisions))
    return tuple(name for name, rank in zip(seen.names, low, strict=True) if rank == 1), bool((high == 1).any()), bool(
        can_reach(settings, n_units, rank_correction(settings)).any())


def _differences(sample: Sample, pairs: np.ndarray, settings: Settings) -> np.ndarray:
    """Difference, interval, standard error and its degrees of freedom of each pair, each of shape (pairs,)."""
    parts = [np.empty((5, 0))]
    for rows in row_chunks(len(pairs), max(sample.drawn.shape[1], sample.left_out.shape[1])):
        i, j = pairs[rows].T
        part = Sample(sample.observed[i] - sample.observed[j], sample.drawn[i] - sample.drawn[j],
                      sample.left_out[i] - sample.left_out[j],
                      None if sample.segments is None else sample.segments[i] - sample.segments[j])
        low, high = INTERVALS[settings.ci](part, settings.alpha)
        parts.append(np.array([part.observed, low, high, _spread(part.drawn, 1),
                               degrees_of_freedom(part.left_out, part.drawn.shape[1])]))
    return np.concatenate(parts, axis=1)


def _se_ratio(drawn: np.ndarray, unit: str, pairs: np.ndarray,
              other_unit: Callable[[str], np.ndarray]) -> np.ndarray:
    """Standard error by document / by segment of each difference, NaN where nothing varies.

    drawn holds the bootstrap scores by `unit`, other_unit(kind) makes those by another.
    """
    errors = {}
    for kind in ("document", "segment"):
        scores = drawn if kind == unit else other_unit(kind)
        chunks = (pairs[rows].T for rows in row_chunks(len(pairs), scores.shape[1]))
        errors[kind] = np.concatenate([np.empty(0), *(_spread(scores[i] - scores[j]) for i, j in chunks)])
    varies = errors["segment"] > 0
    ratio: np.ndarray = np.divide(errors["document"], errors["segment"], out=np.full(len(pairs), np.nan), where=varies)
    return ratio


def _spread(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Standard deviation of each row, 0 where it is a matter of rounding."""
    spread = values.std(axis=1, ddof=ddof)
    return np.where(spread > rounding(values), spread, 0.0)


def _test(sides: Drawn, pairs: np.ndarray, delta: np.ndarray, n_units: np.ndarray, settings: Settings, jobs: int,
          progress: engine.Progress | None) -> tuple[np.ndarray | None, ...]:
    """p-values, adjusted p-values (as chosen, and for ranks), win and lose rates of all pairs, the root mean square
    of their differences over swaps, and the side of the test's own statistic; None where undefined.

    Rank intervals hold jointly only with the family-wise error controlled, whatever correction the pairs get.
    """
    if not len(pairs):
        return (None,) * 7
    test = TESTS[settings.test]
    replicates = tested_against(sides, pairs, settings, jobs, progress)
    if test.p_values is None:
        win, lose = win_rates(replicates)
        return None, None, None, win, lose, None, np.sign(win - lose)
    side = test.side(delta, replicates)
    floor = p_floor(test, settings.unit, n_units)
    p = np.maximum(floor, test.p_values(delta, replicates))
    if not test.romano_wolf:
        return p, ADJUSTMENTS[settings.correction](p), ADJUSTMENTS["holm"](p), None, None, None, side
    null = _centred(replicates) if test.draws == "bootstrap" else replicates
    stepped = np.maximum(floor, romano_wolf(delta, null, whole=test.tries_all(sides.data.units)))
    adjusted = stepped if settings.correction == "romano-wolf" else ADJUSTMENTS[settings.correction](p)
    swap_se = _root_mean_square(replicates) if test.draws == "swaps" else None
    return p, adjusted, stepped, None, None, swap_se, side


def _root_mean_square(values: np.ndarray | Rows) -> np.ndarray:
    """Of each row."""
    return by_rows(lambda some: np.sqrt(np.einsum("ij,ij->i", some, some) / values.shape[1]), values)


def _centred(drawn: np.ndarray | Rows) -> Rows:
    """Bootstrap differences with the shift that makes them a null."""
    def make(rows: slice | np.ndarray) -> np.ndarray:
        some = drawn[rows]
        centred: np.ndarray = some - some.mean(axis=1, keepdims=True)
        return centred

    return Rows(drawn.shape, make)


def tested_against(sides: Drawn, pairs: np.ndarray, settings: Settings, jobs: int,
                   progress: engine.Progress | None) -> np.ndarray | Rows:
    """What the test looks at beside the observed differences, a row for each pair."""
    test = TESTS[settings.test]
    if test.draws == "swaps":
        assert settings.trials is not None, "only tests of segment scores have no trials"
        return engine.swap_rows(sides.data, pairs, settings.trials, settings.seed, jobs=jobs, progress=progress)
    source = sides.sample.segments if test.of_segments else sides.scores[:, :settings.trials]
    assert source is not None, "only metrics that are means of segment scores have such a test"
    found = Rows((len(pairs), source.shape[1]), lambda rows: source[pairs[rows, 0]] - source[pairs[rows, 1]])
    return found[:] if test.of_segments else found
