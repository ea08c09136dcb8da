"""Blocks and broad samples of a test set: what a small test set tells of a large one (Koehn 2004, 3.2 to 3.4, 5, 6)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.sample_results import SampledPair, SampledSystem, Sampling
from mtsig_core.experiments.whole_set import whole_p
from mtsig_core.inference import engine
from mtsig_core.inference.gaps import has_gaps, paired
from mtsig_core.inference.intervals import Sample, percentile
from mtsig_core.inference.measured import measure
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.parallel import in_order
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_jobs, check_trials, resolve_sampling
from mtsig_core.inference.significance import approximate_randomization, win_rates
from mtsig_core.metrics import Metric, direction
from mtsig_core.results import SamplingSettings

__all__ = ["KINDS", "positions", "sampling"]

KINDS = ("blocks", "broad")


def positions(kind: str, n_segments: int, size: int, shuffle_seed: int | None = None) -> np.ndarray:
    """The segments of every sample, shape (samples, size).

    Of N segments there are N // size samples. Broad sample k takes segments k, k + N // size, k + 2 (N // size), ...
    (Koehn 2004, 3.3); block k takes consecutive ones (3.2). What does not fill a sample, at the end, is in none.

    Parameters
    ----------
    kind : {"blocks", "broad"}
    n_segments, size : int
    shuffle_seed : int, optional
        Puts the segments in a random order first.

    Raises
    ------
    SettingError
        For an unknown kind, and a size that leaves fewer than two samples.

    Examples
    --------
    >>> positions("blocks", 7, 3).tolist(), positions("broad", 7, 3).tolist()
    ([[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]])
    """
    if kind not in KINDS:
        raise SettingError(f"Unknown kind of sample {kind!r}. Available: {', '.join(KINDS)}.")
    if isinstance(size, bool) or not isinstance(size, int) or size < 2:
        raise SettingError(f"The sample size is {size}. Expected a whole number of segments, at least 2.")
    n_samples = n_segments // size
    if n_samples < 2:
        most = n_segments // 2
        way_out = f"Use samples of at most {most} segments." if most >= 2 else "Use a larger test set."
        raise SettingError(f"Two samples of {size} segments need {2 * size}, and there are {n_segments}. {way_out}")
    order = np.arange(n_segments)
    if shuffle_seed is not None:
        order = np.random.default_rng(shuffle_seed).permutation(order)
    used = order[:n_samples * size]
    return used.reshape(n_samples, size) if kind == "blocks" else used.reshape(size, n_samples).T


def sampling(testset: TestSet, metric: str | Metric, kind: str, *, size: int = 300, shuffle: bool = False,
             alpha: float = 0.05, resamples: int = 1000, trials: int = 999, seed: int = 0, jobs: int = 1,
             statistics: np.ndarray | None = None, progress: Progress | None = None) -> Sampling:
    """Take a test set for the truth, cut it into small ones, and see what each of these would have said.

    Every sample gets draws of its own, by segment as in the paper; all systems share them. A metric whose statistics
    depend on the test set (NIST) is counted anew on each sample, but its weights stay as a sample is resampled; NIST
    grows with the test set, so that small samples lie below the whole.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.inference.one_score.bootstrap_systems`.
    kind : {"blocks", "broad"}
        See `positions`.
    size : int
        Segments in a sample.
    shuffle : bool
        Whether the segments are put in a random order first: then blocks are like broad samples.
    alpha : float
        Intervals have level 1 - alpha.
    resamples, trials : int
        Bootstrap samples, also of the paired bootstrap; random swaps of approximate randomization.
    seed, jobs : int
        As in `compare`; the parallel work is a sample.

    Raises
    ------
    SettingError
        For settings out of range, and where there are too few segments for two samples.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 60, "B": ["a b c d x"] * 30 + ["a b c d e"] * 30},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = sampling(ts, "bleu", "broad", size=20, resamples=200, trials=99)
    >>> found.n_samples, found.system("A").range, found.pair("A", "B").tally("koehn")
    (3, (100.0, 100.0), Tally(right=3, wrong=0, none=0))
    >>> sampling(ts, "bleu", "blocks", size=20, resamples=200, trials=99).pair("A", "B").tally("koehn")
    Tally(right=2, wrong=0, none=1)
    """
    settings, _ = resolve_sampling(testset, unit="segment", block_length=None, alpha=alpha, resamples=resamples,
                                   seed=seed)
    check_trials(trials, alpha, "ar")
    check_jobs(jobs)
    positions(kind, testset.n_segments, size)  # mistakes show before the work
    seen = measure(testset, metric, statistics=statistics, progress=stage(progress, "counting"))
    metric, part = seen.metric, seen.testset
    rows = positions(kind, part.n_segments, size, seed if shuffle else None)
    pairs, counted = seen.order[engine.all_pairs(len(seen.order))], seen.counter()

    def one(sample: int) -> _Found:
        # A seed for each sample, told by both numbers, so that samples of one seed are not those of the next.
        own = int(np.random.SeedSequence((seed, sample)).generate_state(1, np.uint64)[0])
        return _sample(metric, counted(rows[sample]), pairs, replace(settings, seed=own), trials)

    report, found = stage(progress, f"{kind} of {size}"), []
    with closing(in_order(one, len(rows), jobs)) as results:
        for result in results:
            found.append(result)
            if report is not None:
                report(len(found) / len(rows))
    scores, low, high = (_read_only([getattr(f, key) for f in found]) for key in ("scores", "low", "high"))
    deltas, win, lose, p = (_read_only([getattr(f, key) for f in found]) for key in ("deltas", "win", "lose", "p"))
    p_whole = whole_p(metric, seen.statistics, pairs, part.document_index if part.documents else None, seed)
    full, names, scores_on_all = _differences(metric, seen.statistics, pairs), seen.names, seen.scores.tolist()
    return Sampling(
        metric.name, metric.higher_is_better, metric.signature(testset), kind, size, len(rows), part.n_segments,
        shuffle, settings, trials,
        tuple(SampledSystem(names[k], scores_on_all[k], scores[k], low[k], high[k]) for k in seen.order),
        tuple(SampledPair(names[a], names[b], metric.higher_is_better, float(full[k]), deltas[k], win[k], lose[k], p[k],
                          float(p_whole[k])) for k, (a, b) in enumerate(pairs)),
        part.n_documents or part.n_segments)


@dataclass(frozen=True, eq=False)
class _Found:
    """One sample: arrays of shape (systems,) and (pairs,)."""

    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
    deltas: np.ndarray
    win: np.ndarray
    lose: np.ndarray
    p: np.ndarray


def _sample(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, settings: SamplingSettings,
            trials: int) -> _Found:
    data = _numbers(metric, statistics)
    drawn = engine.bootstrap_scores(data, settings.resamples, settings.seed)
    low, high = percentile(Sample(data.scores, drawn, np.empty((0, 0))), settings.alpha)
    if not len(pairs):
        return _Found(data.scores, low, high, *[np.empty(0)] * 4)
    if has_gaps(metric, statistics):  # each pair on what both have, by the same draws
        both, pairs = paired(statistics, pairs)
        sides = _numbers(metric, both)
        drawn = engine.bootstrap_scores(sides, settings.resamples, settings.seed)
    else:
        sides = data
    a, b = pairs.T
    deltas = sides.scores[a] - sides.scores[b]
    win, lose = win_rates((drawn[a] - drawn[b]) * direction(metric))
    p = approximate_randomization(deltas, engine.swap_differences(sides, pairs, trials, settings.seed))
    return _Found(data.scores, low, high, deltas, *(np.where(np.isnan(deltas), np.nan, x) for x in (win, lose, p)))


def _numbers(metric: Metric, statistics: np.ndarray) -> engine.UnitStatistics:
    return engine.UnitStatistics(metric, statistics, Units.segments(statistics.shape[1]))


def _differences(metric: Metric, statistics: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Differences on all segments that both systems of a pair have, shape (pairs,)."""
    if len(pairs) and has_gaps(metric, statistics):
        statistics, pairs = paired(statistics, pairs)
    scores = _numbers(metric, statistics).scores
    differences: np.ndarray = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return differences


def _read_only(found: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of samples, set the other way round: (samples, k) -> (k, samples)."""
    turned = np.ascontiguousarray(np.array(found).T)
    turned.flags.writeable = False
    return turned
