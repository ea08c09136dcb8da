"""`replicates`: the draws behind a comparison, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.measured import measure
from mtsig_core.inference.one_score import stage
from mtsig_core.inference.pairwise import draw, sides_of, tested_against
from mtsig_core.inference.settings import check_jobs
from mtsig_core.metrics import Metric, metric_of
from mtsig_core.results import Comparison

__all__ = ["Replicates", "replicates"]


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """The draws behind a comparison by one metric, in points; arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        Best first, as in the comparison.
    scores : ndarray, shape (systems, resamples)
        On bootstrap samples, the same samples for all systems.
    pairs : tuple of (str, str)
        As in the comparison.
    differences : ndarray, shape (pairs, resamples)
        score(a) - score(b) on bootstrap samples of the segments that both have: intervals and standard errors come from
        these. NaN for a pair that has none in common, here and below.
    tested : ndarray, shape (pairs, trials)
        What the test holds the observed difference against: differences after random swaps for ``ar`` (all swaps but
        for none, where there are few units), on bootstrap samples for the other tests. For ``t`` and ``wilcoxon`` those
        of the segments, shape (pairs, segments), NaN where one of the two has no score.
    """

    systems: tuple[str, ...]
    scores: np.ndarray
    pairs: tuple[tuple[str, str], ...]
    differences: np.ndarray
    tested: np.ndarray

    def __repr__(self) -> str:
        return (f"<Replicates: scores {self.scores.shape}, differences {self.differences.shape}, "
                f"tested {self.tested.shape}>")


def replicates(comparison: Comparison, testset: TestSet, metric: str | Metric | None = None, *, jobs: int = 1,
               progress: Callable[[str, float], None] | None = None) -> Replicates:
    """Draw again what a comparison was made from: with its settings and seed, so the very same draws.

    Parameters
    ----------
    comparison : Comparison
    testset : TestSet
        The one that was compared.
    metric : str or Metric, optional
        One of the comparison's, by default its first; the metric itself where `compare` was given one with settings of
        its own.
    jobs, progress
        As in `compare`.

    Raises
    ------
    SettingError
        If the comparison is of other texts, has no such metric, or had it with other settings.

    Examples
    --------
    >>> from mtsig_core.inference.comparison import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a x c d e"] * 60},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = compare(ts, trials=999, resamples=500, ci="percentile")
    >>> drawn = replicates(found, ts)
    >>> drawn.scores.shape, drawn.tested.shape
    ((2, 500), (1, 999))
    >>> bool(drawn.differences[0].std(ddof=1) == found.metrics["bleu"].pairs[0].se)
    True
    """
    check_jobs(jobs)
    if testset.digest != comparison.testset.digest:
        raise SettingError(f"The comparison is of {comparison.testset.name} with other texts, systems or segments than "
                           f"{testset.name} has now. Give the test set that was compared.")
    metric = metric_of(testset, next(iter(comparison.metrics)) if metric is None else metric)
    result, settings = comparison.metrics[metric.name], comparison.settings
    seen = measure(testset.under(metric.name), metric, progress=stage(progress, "counting")).best_first()
    signature = metric.signature(seen.testset)
    if not result.signature.startswith(f"{signature}|"):
        raise SettingError(f"The comparison has {metric.name} as {result.signature}, and this is {signature}. Give the "
                           "metric that was compared.")
    units = seen.units(settings.unit, settings.block_length)
    settings = replace(settings, ci="percentile")  # no jackknife: these are the draws alone
    systems = draw(metric, seen.stored, units, settings, jobs, stage(progress, "intervals"))
    place = {name: k for k, name in enumerate(seen.names)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    n, sides, rows = sides_of(seen, systems, pairs, units, settings, jobs, stage(progress, "pairs"))
    differences = sides.sample.drawn[rows[:, 0]] - sides.sample.drawn[rows[:, 1]]
    tested = tested_against(sides, rows, settings, jobs, stage(progress, "test"))[:] if len(rows) else np.empty((0, 0))
    return Replicates(tuple(seen.names), _frozen(systems.sample.drawn),
                      tuple((pair.a, pair.b) for pair in result.pairs),
                      *(_frozen(_whole(values, n > 0)) for values in (differences, tested)))


def _whole(values: np.ndarray, some: np.ndarray) -> np.ndarray:
    """A row for each pair, NaN for those that could not be compared."""
    if some.all():
        return values
    full = np.full((len(some), values.shape[1]), np.nan)
    full[some] = values
    return full


def _frozen(values: np.ndarray) -> np.ndarray:
    values = values.view()
    values.flags.writeable = False
    return values
