"""Scores of single systems: with signatures and no test (`score`), or with every kind of interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.errors import InputError
from mtsig_core.metrics import Metric, find_tokenizer, is_segment_mean, resolve_metric, resolve_metrics
from mtsig_core.results import MetricScores, SamplingSettings, Scores, SystemScore, TestSetInfo
from mtsig_core.stats import engine
from mtsig_core.stats.intervals import Sample, finite_ends, fitting_intervals
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.settings import resolve_sampling
from mtsig_core.stats.testset_cautions import about_metrics, about_texts
from mtsig_core.testset import TestSet


def score(testset: TestSet, metrics: str | Metric | Sequence[str | Metric] = ("bleu",), *,
          progress: Progress | None = None) -> Scores:
    """The scores of all systems, each with the signature that names every setting, and no intervals or tests.

    Parameters
    ----------
    testset : TestSet
    metrics, progress
        As in `compare`.

    Returns
    -------
    Scores

    Raises
    ------
    SettingError, InputError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"], "B": ["a b c d x"]}, {"ref": ["a b c d e"]})
    >>> found = score(ts, ["bleu", "ter"])
    >>> [(row.system, round(row.score, 2)) for row in found.metrics["ter"].systems]
    [('A', 0.0), ('B', 20.0)]
    >>> found.metrics["bleu"].signature.rpartition("|version:")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    metrics = resolve_metrics(testset, metrics)
    if not testset.systems:
        raise InputError(f"No system in {testset.name}. Give at least one output to score.", {"system": "FILE"})
    found = {}
    for metric in metrics:
        seen = measure(testset.keep_scorable(metric.name), metric,
                       progress=report_stage(progress, f"{metric.name}: counting"))
        rows = map(SystemScore, seen.names, seen.scores.tolist())
        found[metric.name] = MetricScores(metric.name, metric.signature(testset), metric.higher_is_better, tuple(rows))
    tokenizers = {metric.name: find_tokenizer(metric, testset) for metric in metrics}
    return Scores(TestSetInfo.from_testset(testset), (*about_metrics(testset, tokenizers), *about_texts(testset)),
                  found)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBootstrap:
    """The bootstrap of one system's score, in points."""

    system: str
    #: Observed; and of the replicates.
    score: float
    median: float
    drawn: np.ndarray  # shape (resamples,): Scores on bootstrap samples, read-only
    intervals: Mapping[str, tuple[float, float] | None]  # by kind; None where undefined

    def __repr__(self) -> str:
        return f"<ScoreBootstrap {self.system!r}: {self.score:.4g}, {len(self.drawn)} samples>"

    def relative(self, kind: str) -> tuple[float, float] | None:
        """An interval relative to the median of the replicates; see `relative_ends`."""
        ends = self.intervals[kind]
        return None if ends is None else relative_ends(ends[0], self.median, ends[1])


def bootstrap_systems(testset: TestSet, metric: str | Metric, *, only: Sequence[str] | None = None, unit: str = "auto",
                      block_length: float | None = None, alpha: float = 0.05, resamples: int = 2000, seed: int = 0,
                      jobs: int = 1, statistics: np.ndarray | None = None,
                      progress: Progress | None = None) -> tuple[ScoreBootstrap, ...]:
    """Bootstrap scores and every kind of interval, best system first.

    The draws are those of `compare` with the same settings, so each interval is the one that `compare` gives.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    only : sequence of str, optional
        These systems alone.
    unit, block_length, alpha, resamples, seed, jobs
        As in `compare`.
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.

    Raises
    ------
    SettingError
        For systems that are not there, and for settings out of range.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30}, {"ref": ["a b c d e"] * 60})
    >>> found, = bootstrap_systems(ts, "bleu", unit="segment", resamples=500)
    >>> low, high = found.intervals["percentile"]
    >>> bool(low < found.score < high), list(found.intervals)
    (True, ['percentile', 'basic', 'bca', 'jackknife-t'])
    """
    settings, seen = prepare_systems(testset, metric, only, statistics, progress, unit=unit, alpha=alpha,
                             block_length=block_length, resamples=resamples, seed=seed)
    data = seen.by(seen.units(settings.unit, settings.block_length))
    drawn = engine.bootstrap_scores(data, resamples, seed, jobs=jobs,
                                    progress=report_stage(progress, "bootstrap samples"))
    sample = Sample(data.scores, drawn, engine.jackknife_scores(data), seen.segment_scores)
    ends = {kind: rule(sample, settings.alpha)
            for kind, rule in fitting_intervals(is_segment_mean(seen.metric)).items()}
    medians = np.median(drawn, axis=1)
    drawn.flags.writeable = False
    return tuple(ScoreBootstrap(
        seen.names[k], float(data.scores[k]), float(medians[k]), drawn[k], MappingProxyType(
            {kind: finite_ends(low[k], high[k]) for kind, (low, high) in ends.items()})) for k in seen.order)


def relative_ends(low: float, median: float, high: float) -> tuple[float, float] | None:
    """Interval ends relative to the median, as fractions of its size (Zhang and Vogel 2004, 3.1); None where it is 0.

    >>> relative_ends(18.0, 20.0, 23.0)
    (-0.1, 0.15)
    """
    return None if median == 0 else finite_ends((low - median) / abs(median), (high - median) / abs(median))


def histogram(values: np.ndarray, n_bins: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Edges (bins + 1,) and counts (bins,) of even bins that cover the values; wider where these are as close together
    as numbers of their size can be."""
    low, high = float(values.min()), float(values.max())
    close = 2 * n_bins * float(np.spacing(max(-low, high)))
    beside = max(0.5, close) if low == high else close if high - low < close else 0.0
    counts, edges = np.histogram(values, n_bins, (low - beside, high + beside))
    return edges, counts


def prepare_systems(testset: TestSet, metric: str | Metric, only: Sequence[str] | None, statistics: np.ndarray | None,
                    progress: Progress | None, **sampling: Any) -> tuple[SamplingSettings, Measured]:
    """Settings as resolved, and what the metric sees of some systems."""
    settings, _ = resolve_sampling(testset, **sampling)
    metric = resolve_metric(testset, metric)
    if only:
        testset.only(only)  # which says so where one is not there
    seen = measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting"))
    return settings, seen if only is None else seen.only(only)
