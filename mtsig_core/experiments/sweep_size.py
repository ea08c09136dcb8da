"""How scores, intervals and conclusions change with the size of the test set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import check_whole, rate
from mtsig_core.experiments.size_choice import default_sizes, in_units
from mtsig_core.experiments.sweep_results import PairError, PairErrors, PairSize, SizeSweep, Slope, SystemSize
from mtsig_core.inference import engine
from mtsig_core.inference.few_units import p_floor, pair_units
from mtsig_core.inference.gaps import paired
from mtsig_core.inference.intervals import Sample, percentile
from mtsig_core.inference.measured import Measured, measure
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.parallel import in_order
from mtsig_core.inference.power import degrees_of_freedom, power_at
from mtsig_core.inference.resampling import BLOCK, Units, bootstrap_weights, members, subset
from mtsig_core.inference.settings import check_trials, resolve_sampling
from mtsig_core.inference.significance import TESTS, percentile_test, significant
from mtsig_core.inference.ties import TOLERANCE
from mtsig_core.inference.units_apart import units_apart
from mtsig_core.metrics import Metric, depends_on_testset, direction
from mtsig_core.results import SamplingSettings

__all__ = ["sweep_sizes"]

_WHOLE = 2000  # bootstrap samples of the whole set
_GROUPS = 1000  # of units that a large subset is bootstrapped by
_MOST_REPEATS = 10_000
_MOST_RESAMPLES = 1 << 20  # so that no two subsets share draws: each has 2^12 blocks of them to itself
_BAND = (5, 95)  # percentiles over the repeats
_STEEPEST = 100  # slope of a line through widths: what is steeper comes of sizes side by side

_Head = tuple[int, float, int]  # size, segments and repeats of a row
_Counter = Callable[[np.ndarray], np.ndarray]


class _Subject(NamedTuple):
    """What is drawn from: statistics by unit, systems best first, pairs with the better system first.

    `by_unit` has the units on its first axis: a subset is copied in long runs then, in a third of the time. `counted`
    counts segments anew, for a metric that needs it, those of units by `members`.
    """

    metric: Metric
    testset: TestSet
    units: Units
    members: list[np.ndarray]  # segments of each unit
    by_unit: np.ndarray
    whole: engine.UnitStatistics  # of all units, as `compare` has them
    counted: _Counter | None
    names: list[str]
    pairs: np.ndarray
    gaps: bool
    common: np.ndarray  # units that both systems of each pair have
    worth: np.ndarray  # how many of equal size these are worth
    few: np.ndarray  # the pairs that only a handful of units tells apart
    apart: np.ndarray  # which units these are, (few, units)

    def part(self, chosen: np.ndarray) -> engine.UnitStatistics:
        """Of some units in random order, a unit drawn twice being two; of many, in random groups.

        Sums of groups drawn with replacement vary as those of single units do, and cost less to draw.
        """
        n = min(len(chosen), _GROUPS)
        if self.counted is None and self.whole.is_whole:
            return self.whole.drawn(chosen, n)
        by_unit = self.by_unit.take(chosen, axis=0) if self.counted is None else self._recount(chosen, self.counted)
        if n < len(chosen):
            by_unit = np.add.reduceat(by_unit, np.arange(n) * len(chosen) // n, axis=0)
        return _numbers(self.metric, by_unit)

    def _recount(self, chosen: np.ndarray, counted: _Counter) -> np.ndarray:
        segments_of = [self.members[unit] for unit in chosen]
        index = np.repeat(np.arange(len(chosen)), [len(segments) for segments in segments_of])
        counts = counted(np.concatenate(segments_of))
        return Units(self.units.kind, index, len(chosen)).sum(counts).swapaxes(0, 1)

    @property
    def rows(self) -> np.ndarray:
        """Where the statistics of each pair are: those of its systems, or of these on their common segments."""
        if not self.gaps:
            return self.pairs
        return len(self.names) + np.arange(2 * len(self.pairs)).reshape(-1, 2)


def sweep_sizes(testset: TestSet, metric: str | Metric, *, sizes: Sequence[float] | None = None, repeats: int = 100,
                unit: str = "auto", resamples: int = 500, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
                statistics: np.ndarray | None = None, progress: Progress | None = None,
                found: Callable[[int, SizeSweep], None] | None = None) -> SizeSweep:
    """How much testing data is needed? (Zhang and Vogel 2004, 4.1, Figs 4-7 and Table 2.)

    For each size, random subsets of the units are drawn anew for every repeat: without replacement, and with
    replacement where the size exceeds the set. The set itself is taken once, with the draws of `compare`. Each subset
    is bootstrapped: percentile intervals, and for each pair the percentile test (their 3.2), uncorrected, on the same
    draws. Subsets of more than 1,000 units are bootstrapped by 1,000 random groups of these, which has the same
    standard error.

    A metric whose statistics depend on the test set (NIST) is counted anew on every subset, so that its scores grow
    with the size as in their Fig. 4; within the bootstrap of a subset its weights stay.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.inference.one_score.bootstrap_systems`.
    sizes : sequence of int or float, optional
        Whole numbers of units, at least 5, or fractions up to 1.0 as shares of the set; by default `default_sizes`.
    repeats : int
        Subsets for each size.
    unit : {"auto", "segment", "document"}
    resamples : int
        Bootstrap samples of each subset.
    alpha, seed, jobs
        As in `compare`; the result does not depend on `jobs`.
    found : callable, optional
        Called with a size and what was found of it alone, size by size, the smallest first; before the first with 0 and
        what the whole set says: its scores and the standard errors of pairs, from which one plans.

    Raises
    ------
    SettingError
        For stationary blocks, too few units, and settings out of range.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a x c d e"] * 60},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = sweep_sizes(ts, "bleu", sizes=[10, 20], repeats=20)
    >>> [(row.size, row.a, row.significant) for row in found.pairs]
    [(10, 'A', 1.0), (20, 'A', 1.0)]
    """
    settings, units = resolve_sampling(testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples,
                                       seed=seed)
    check_trials(resamples, alpha, "percentile")
    if units.kind == "block":
        raise SettingError("A smaller test set is drawn from segments or documents, and the unit is block. Choose "
                           "segment or document.", {"unit": "segment"}, {"unit": "document"})
    check_whole("repeats", repeats, 1, _MOST_REPEATS)
    check_whole("resamples", resamples, 2, _MOST_RESAMPLES)
    subject = _subject(measure(testset, metric, statistics=statistics, progress=stage(progress, "counting")), settings)
    n = subject.units.n
    sizes = default_sizes(n, subject.units.kind) if sizes is None else in_units(sizes, n)
    times = [1 if size == n else repeats for size in sizes]
    tasks = [(size, repeat) for size, most in zip(sizes, times, strict=True) for repeat in range(most)]
    work = np.cumsum([_work(subject, size) for size, _ in tasks])
    whole = _Whole.of(subject, settings, jobs)
    if found is not None:
        found(0, _gathered(subject, settings, whole, {}))
    by_size: dict[int, list[_Drawn]] = {}
    done = 0
    with closing(in_order(lambda k: _one(subject, *tasks[k], settings), len(tasks), jobs)) as results:
        for size, most in zip(sizes, times, strict=True):
            by_size[size] = []
            for _ in range(most):
                by_size[size].append(next(results))
                done += 1
                if progress is not None:
                    progress("test sets", float(work[done - 1] / work[-1]))
            if found is not None:
                found(size, _gathered(subject, settings, whole, {size: by_size[size]}))
    return _gathered(subject, settings, whole, by_size)


def _work(subject: _Subject, size: int) -> float:
    """About how long a subset takes, so that the share done says how long the rest does: its bootstrap goes by at most
    `_GROUPS` sums, and to count it anew takes longer than all the rest."""
    return 100 + min(size, _GROUPS) + size * (0.05 if subject.counted is None else 1)


def _subject(seen: Measured, settings: SamplingSettings) -> _Subject:
    seen = seen.best_first()
    units, pairs, statistics = seen.units(settings.unit), engine.all_pairs(len(seen.names)), seen.statistics
    if seen.has_gaps:
        statistics = np.concatenate([statistics, paired(statistics, pairs)[0]])
    counted = seen.counter() if depends_on_testset(seen.metric) else None
    by_unit = np.ascontiguousarray(units.sum(statistics).swapaxes(0, 1))
    subject = _Subject(seen.metric, seen.testset, units, members(units.index), by_unit, _numbers(seen.metric, by_unit),
                       counted, seen.names, pairs, seen.has_gaps, *pair_units(seen, pairs, units), *[np.empty(0)] * 2)
    few = np.flatnonzero(units_apart(subject.whole, subject.rows, subject.common) < subject.common)
    first, second = by_unit.swapaxes(0, 1)[subject.rows[few].T]
    return subject._replace(few=few, apart=(first != second).any(axis=2))


def _numbers(metric: Metric, by_unit: np.ndarray) -> engine.UnitStatistics:
    return engine.UnitStatistics(metric, by_unit.swapaxes(0, 1), Units.segments(len(by_unit)))


class _Drawn(NamedTuple):
    """What one subset gives: by system (k,), by pair (pairs,)."""

    scores: np.ndarray
    relative: np.ndarray
    deltas: np.ndarray
    p_values: np.ndarray
    segments: int
    ends: np.ndarray
    drawn: np.ndarray | None


def _one(subject: _Subject, size: int, repeat: int, settings: SamplingSettings) -> _Drawn:
    chosen = subset(subject.units.n, size, settings.seed, repeat)
    if size == subject.units.n:  # the set itself, with the draws of `compare`
        data, first_block = subject.whole, 0
    else:
        data, first_block = subject.part(chosen), size << 26 | repeat << 12
    drawn = _bootstrap(data, settings.resamples, settings.seed, first_block)
    k, rows = len(subject.names), subject.rows
    medians = np.median(drawn[:k], axis=1)
    ends = np.array(percentile(Sample(data.scores[:k], drawn[:k], np.empty((k, 0))), settings.alpha))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = (ends - medians) / np.where(medians == 0, np.nan, np.abs(medians))
    sign = direction(subject.metric)
    deltas, differences = (sign * (x[rows[:, 0]] - x[rows[:, 1]]) for x in (data.scores, drawn))
    n = np.full(len(rows), size)
    n[subject.few] = np.count_nonzero(subject.apart[:, chosen], axis=1)
    floor = p_floor(TESTS["percentile"], settings.unit, n)
    # a subset without a segment that both have says nothing: a difference of 0 is never significant
    p_values = np.maximum(floor, percentile_test(np.nan_to_num(deltas), np.nan_to_num(differences)))
    tails = _ends(deltas, differences, settings.alpha)
    tails[~significant(floor, settings.alpha)] = np.nan  # so few tell nothing
    sizes = np.bincount(subject.units.index, minlength=subject.units.n)
    return _Drawn(data.scores[:k], relative, deltas, p_values, int(sizes[chosen].sum()), tails,
                  drawn[:k] if size == subject.units.n else None)


def _ends(deltas: np.ndarray, differences: np.ndarray, alpha: float) -> np.ndarray:
    """The samples next to the tails that the percentile test allows, shape (pairs, 2): p is at most alpha where they
    lie on one side of 0. NaN for a pair without a difference."""
    n = differences.shape[1]
    allowed = math.floor((alpha + TOLERANCE) * (n + 1) / 2) - 1  # samples on the wrong side of 0
    places = [allowed, n - 1 - allowed]
    ends = np.partition(np.nan_to_num(differences), places, axis=1)[:, places]
    return np.where(np.isfinite(deltas)[:, None], ends, np.nan)


def _bootstrap(data: engine.UnitStatistics, resamples: int, seed: int, first_block: int) -> np.ndarray:
    """Scores (rows, resamples), with blocks of draws of their own."""
    blocks = range(first_block, first_block - (-resamples // BLOCK))
    drawn = np.concatenate([data.score(data.weighted_sums(bootstrap_weights(data.units, seed, block)))
                            for block in blocks], axis=1)[:, :resamples]
    np.copyto(drawn, data.scores[:, None], where=np.isnan(drawn))
    return drawn


class _Whole(NamedTuple):
    """What the whole set says: the places of pairs that can be compared on it, and what is known of them."""

    scores: dict[str, float]
    tested: np.ndarray
    errors: PairErrors

    @classmethod
    def of(cls, subject: _Subject, settings: SamplingSettings, jobs: int) -> _Whole:
        """With the draws of `compare`."""
        whole = subject.whole
        drawn = engine.bootstrap_scores(whole, _WHOLE, settings.seed, jobs=jobs)
        sign, (first, second) = direction(subject.metric), subject.rows.T
        deltas = sign * (whole.scores[first] - whole.scores[second])
        errors = (drawn[first] - drawn[second]).std(axis=1, ddof=1)
        left_out = engine.jackknife_scores(whole)
        freedom = degrees_of_freedom(left_out[first] - left_out[second], _WHOLE)
        tested = np.flatnonzero(np.isfinite(deltas))
        return cls(dict(zip(subject.names, whole.scores[:len(subject.names)].tolist(), strict=True)), tested, {
            (subject.names[subject.pairs[k, 0]], subject.names[subject.pairs[k, 1]]):
            PairError(float(deltas[k]), float(errors[k]), float(freedom[k]), int(subject.common[k]),
                      float(subject.worth[k]))
            for k in tested.tolist()})


def _gathered(subject: _Subject, settings: SamplingSettings, whole: _Whole, by_size: Mapping[int, Sequence[_Drawn]]
              ) -> SizeSweep:
    """The sweep of these sizes."""
    n = subject.units.n
    systems: list[SystemSize] = []
    pairs: list[PairSize] = []
    for size, drawn in by_size.items():
        head = (size, float(np.mean([one.segments for one in drawn])), len(drawn))
        systems += _system_rows(head, subject.names, drawn)
        pairs += _pair_rows(head, whole.tested, whole.errors, drawn, n, settings.alpha)
    slopes = tuple(_slope(name, [row for row in systems if row.system == name]) for name in subject.names)
    return SizeSweep(
        subject.metric.name, subject.metric.signature(subject.testset), subject.metric.higher_is_better, settings, n,
        subject.testset.n_segments, whole.scores, whole.errors, tuple(systems), tuple(pairs), slopes,
        depends_on_testset(subject.metric),
        {size: np.array([one.ends[whole.tested] for one in drawn]) for size, drawn in by_size.items()},
        {size: np.array([one.relative[1] - one.relative[0] for one in drawn]) for size, drawn in by_size.items()},
        by_size[n][0].drawn if n in by_size else None)


def _system_rows(head: _Head, names: Sequence[str], found: Sequence[_Drawn]) -> Iterator[SystemSize]:
    scores, relative = np.array([one.scores for one in found]), np.array([one.relative for one in found])
    for k, name in enumerate(names):
        values, (low, high) = scores[:, k][np.isfinite(scores[:, k])], relative[:, :, k].T
        known = np.isfinite(low) & np.isfinite(high)
        band = [None] * 3 if not len(values) else [values.mean(), *np.percentile(values, _BAND)]
        ends = [None] * 3 if not known.any() else [low[known].mean(), high[known].mean(), (high - low)[known].mean()]
        yield SystemSize(*head, name, *(None if value is None else float(value) for value in (*band, *ends)))


def _pair_rows(head: _Head, tested: np.ndarray, errors: PairErrors, found: Sequence[_Drawn], n_units: int,
               alpha: float) -> Iterator[PairSize]:
    deltas = np.array([one.deltas[tested] for one in found])
    sure = significant(np.array([one.p_values[tested] for one in found]), alpha)
    for k, ((a, b), (delta, whole_se, *_)) in enumerate(errors.items()):
        known = deltas[:, k][np.isfinite(deltas[:, k])]
        se = whole_se * math.sqrt(n_units / head[0])
        spread = se * math.sqrt(max(0.0, 1 - head[0] / n_units)) if head[0] <= n_units else se
        behind, repeats = sure[:, k] & (deltas[:, k] * delta < 0), len(found)
        wrong, many = None if delta == 0 else float(behind.mean()), repeats > 1
        of_sure, of_wrong = (rate(int(yes.sum()), repeats) if many else rate(0, 0) for yes in (sure[:, k], behind))
        yield PairSize(*head, a, b, float(known.mean()) if len(known) else None, float(sure[:, k].mean()),
                       wrong, float(power_at(delta, se, alpha, spread)), float(power_at(delta, se, alpha)),
                       of_sure.low, of_sure.high, *(of_wrong.low, of_wrong.high) if delta else (None, None))


def _slope(system: str, rows: Sequence[SystemSize]) -> Slope:
    known = [(math.log(row.size), math.log(row.width)) for row in rows if row.width]
    if len(known) < 2:
        return Slope(system, None, None, None)
    x, y = np.array(known).T
    about = x - x.mean()
    slope = float(about @ y / (about @ about))
    rest = y - y.mean() - slope * about
    se = None if len(known) < 3 else math.sqrt(float(rest @ rest) / (len(known) - 2) / float(about @ about))
    if abs(slope) > _STEEPEST:
        return Slope(system, None, None, None)
    return Slope(system, slope, se, 1 - 2**slope)
