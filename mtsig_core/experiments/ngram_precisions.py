"""What is inside a BLEU score: n-gram precisions, length ratio and brevity penalty (Koehn 2004, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.metrics import Metric, is_adapted, metric_of
from mtsig_core.metrics.cache import cached_statistics

__all__ = ["ORDERS", "SystemPrecisions", "best_system", "brevity_penalty", "check_bleu", "counts_of", "precisions",
           "share"]

#: Lengths of n-grams that BLEU counts.
ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class SystemPrecisions:
    """The parts of one system's BLEU.

    Attributes
    ----------
    system : str
    p1, p2, p3, p4 : float or None
        Percent of its n-grams that a reference has too, each counted as often as there; None without any n-gram.
    length_ratio : float or None
        Words of the output per word of the reference.
    brevity_penalty : float
        From 0 to 1.
    bleu : float
        In points: brevity penalty x geometric mean of the precisions, where none of them is 0.
    """

    system: str
    p1: float | None
    p2: float | None
    p3: float | None
    p4: float | None
    length_ratio: float | None
    brevity_penalty: float
    bleu: float


def precisions(testset: TestSet, metric: str | Metric = "bleu", *, statistics: np.ndarray | None = None,
               progress: Progress | None = None) -> tuple[SystemPrecisions, ...]:
    """The parts of BLEU for every system, best first.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
        BLEU, with whatever tokenizer.
    statistics : ndarray, shape (systems, segments, 10), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.

    Raises
    ------
    SettingError
        For another metric, or a test set without texts.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["the cat sat down"]}, {"ref": ["the cat sat down there"]})
    >>> found, = precisions(ts)
    >>> found.p1, found.length_ratio, round(found.brevity_penalty, 4), round(found.bleu, 2)
    (100.0, 0.8, 0.7788, 77.88)
    """
    metric = check_bleu(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, stage(progress, "counting"))
    sums = statistics.sum(axis=1)
    found = [_parts(name, counts_of(metric, row), points)
             for name, row, points in zip(testset.systems, sums, metric.score(sums).tolist(), strict=True)]
    return tuple(sorted(found, key=lambda row: -row.bleu))


def check_bleu(testset: TestSet, metric: str | Metric) -> Metric:
    """BLEU for this test set.

    Raises
    ------
    SettingError
        If the metric is another or of another package, or there are no texts or no systems.
    """
    metric = metric_of(testset, metric)
    if metric.name != "bleu":
        raise SettingError(f"{metric.name} has no n-gram precisions and brevity penalty. Expected bleu.")
    if is_adapted(metric):
        raise SettingError(f"{metric.name} of another package does not name its counts of n-grams. Expected bleu of "
                           "mtsig.")
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one.", {"system": "FILE"})
    return metric


def best_system(testset: TestSet, metric: Metric, progress: Progress | None = None) -> str:
    """The name of the system with the best BLEU."""
    return precisions(testset, metric, progress=progress)[0].system


def counts_of(metric: Metric, row: np.ndarray) -> Mapping[str, int]:
    """One row of BLEU's statistics, shape (10,), by their names."""
    return dict(zip(metric.stat_names, row.tolist(), strict=True))


def brevity_penalty(sys_len: float, ref_len: float) -> float:
    """min(1, exp(1 - r/c)) (Papineni et al. 2002, 2.3); 0 without any word.

    Examples
    --------
    >>> round(brevity_penalty(6, 7), 4), brevity_penalty(8, 7)
    (0.8465, 1.0)
    """
    return min(1.0, exp(1 - ref_len / sys_len)) if sys_len > 0 else 0.0


def share(part: float, whole: float) -> float | None:
    """A ratio; None of nothing."""
    return part / whole if whole > 0 else None


def _parts(name: str, counts: Mapping[str, int], points: float) -> SystemPrecisions:
    p1, p2, p3, p4 = (share(100 * counts[f"correct_{n}"], counts[f"total_{n}"]) for n in ORDERS)
    return SystemPrecisions(name, p1, p2, p3, p4, share(counts["sys_len"], counts["ref_len"]),
                            brevity_penalty(counts["sys_len"], counts["ref_len"]), points)
