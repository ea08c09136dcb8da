"""Which conclusions the unit changes: segments taken as independent, or documents kept whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.across_corrections import every_correction
from mtsig_core.inference.comparison import compare
from mtsig_core.inference.correction import CORRECTIONS
from mtsig_core.inference.few_units import trials_needed, units_needed
from mtsig_core.inference.measured import measure
from mtsig_core.inference.one_score import Progress
from mtsig_core.inference.significance import significant
from mtsig_core.metrics import Metric, is_segment_mean, metric_of
from mtsig_core.results import MetricResult, PairResult, Settings

__all__ = ["ASKED", "ChangedPair", "UnitChange", "UnitChanges", "changes_between", "part_with_documents",
           "unit_changes"]

#: What both comparisons ask for: its p-values raw and by Romano-Wolf give those of every correction.
ASKED: dict[str, Any] = {"test": "ar", "correction": "romano-wolf", "ci": "percentile"}


@dataclass(frozen=True)
class UnitChange:
    """How many pairs are significant by either unit under one correction.

    Attributes
    ----------
    correction : str
    both, segment_only, document_only, neither : int
    trials_needed : int or None
        The trials that it takes before any pair can be significant, where there are fewer.
    documents_needed: int or None
        The documents that it takes before any pair can be significant by document, where there are fewer.
    """

    correction: str
    both: int
    segment_only: int
    document_only: int
    neither: int
    trials_needed: int | None
    documents_needed: int | None


@dataclass(frozen=True)
class ChangedPair:
    """A pair that is significant by one unit alone; p-values are adjusted."""

    correction: str
    a: str
    b: str
    delta: float
    p_segment: float
    p_document: float
    se_ratio: float | None


@dataclass(frozen=True)
class UnitChanges:
    """Two comparisons of all pairs, by segment and by document.

    Attributes
    ----------
    metric : str
    alpha : float
    n_pairs, n_segments, n_documents : int
        `n_pairs` is the number of pairs that could be tested; segments and documents are those with any score.
    se_ratio_low, se_ratio_median, se_ratio_high : float or None
        Standard error of a difference by document / by segment: smallest, median and largest of all pairs.
    rows : tuple of UnitChange
        By correction.
    pairs : tuple of ChangedPair
        The pairs behind `segment_only` and `document_only`.
    higher_is_better : bool
    """

    metric: str
    alpha: float
    n_pairs: int
    n_segments: int
    n_documents: int
    se_ratio_low: float | None
    se_ratio_median: float | None
    se_ratio_high: float | None
    rows: tuple[UnitChange, ...]
    pairs: tuple[ChangedPair, ...]
    higher_is_better: bool

    def row(self, correction: str) -> UnitChange:
        return next(row for row in self.rows if row.correction == correction)


def unit_changes(testset: TestSet, metric: str | Metric, *, trials: int = 9999, resamples: int = 2000,
                 alpha: float = 0.05, seed: int = 0, jobs: int = 1, progress: Progress | None = None) -> UnitChanges:
    """Compare all pairs by segment and by document, with approximate randomization.

    Parameters
    ----------
    testset, metric, trials, resamples, alpha, seed, jobs, progress
        As in `compare`; the resamples are those of the standard errors.

    Raises
    ------
    SettingError
        For fewer than two systems, and without document ids.

    Examples
    --------
    A says the right thing in some documents and the wrong thing in others, B in every other segment.

    >>> by_document, mixed = ["a b c d e"] * 27 + ["a b x d e"] * 18, ["a b c d e", "a b x d e"]
    >>> ts = TestSet("toy", {"A": by_document * 10, "B": mixed * 225}, {"ref": ["a b c d e"] * 450},
    ...              documents=[str(k // 9) for k in range(450)])
    >>> found = unit_changes(ts, "wer", trials=999)
    >>> found.row("none").segment_only, round(found.se_ratio_median, 1)
    (1, 2.1)
    """
    part = part_with_documents(testset, metric)
    if len(testset.systems) < 2:
        raise SettingError("1 system to compare. Expected at least 2: add outputs, or leave fewer out."
                           if testset.systems else "No system to compare. Give at least two outputs.")
    found = {unit: compare(testset, [metric], unit=unit, trials=trials, resamples=resamples, alpha=alpha, seed=seed,
                           jobs=jobs, progress=progress, by_reference=False, **ASKED)
             for unit in ("segment", "document")}
    by_segment, by_document = (next(iter(one.metrics.values())) for one in found.values())
    return changes_between(part, by_segment, by_document, found["segment"].settings)


def part_with_documents(testset: TestSet, metric: str | Metric) -> TestSet:
    """The part of a test set that a metric can compare: all of it, or what has any segment score.

    Raises
    ------
    SettingError
        Where it has no documents to take as units.
    """
    metric = metric_of(testset, metric)
    part = measure(testset, metric).testset if is_segment_mean(metric) else testset.under(metric.name)
    if part.n_documents is None or part.n_documents < 2:
        scored = f" with a score by {metric.name}" if testset.n_documents != part.n_documents else ""
        raise SettingError(f"{testset.name} has {'no document ids' if part.n_documents is None else 'one document'}"
                           f"{scored}: there is no other unit than the segment. Give the document of each segment.",
                           {"docs": "FILE"})
    return part


def changes_between(part: TestSet, by_segment: MetricResult, by_document: MetricResult,
                    settings: Settings) -> UnitChanges:
    """What changes between two comparisons with the settings of `ASKED`, one by segment and one by document.

    `part` is what `part_with_documents` gives of the test set that was compared.
    """
    both = {(pair.a, pair.b): [pair] for pair in by_segment.pairs if pair.p_value is not None}
    for pair in by_document.pairs:
        if (pair.a, pair.b) in both:
            both[pair.a, pair.b].append(pair)
    sides = list(zip(*both.values(), strict=True)) or [(), ()]
    adjusted = [every_correction(np.array([pair.p_value for pair in side]),
                                 np.array([pair.p_adjusted for pair in side])) for side in sides]
    alpha, rows = settings.alpha, list[UnitChange]()
    documents, by_document_settings = len(np.unique(part.document_index)), replace(settings, unit="document")
    changed: list[ChangedPair] = []
    for name in CORRECTIONS:
        p_segment, p_document = (one[name] for one in adjusted)
        segment, document = significant(p_segment, alpha), significant(p_document, alpha)
        rows.append(UnitChange(
            name, int((segment & document).sum()), int((segment & ~document).sum()),
            int((document & ~segment).sum()), int((~segment & ~document).sum()),
            trials_needed(settings, len(both), name),
            needed if (needed := units_needed(by_document_settings, len(both), name)) > documents else None))
        changed += _changed(name, sides[0], p_segment, p_document, segment != document)
    ratios = [pair.se_ratio for pair in sides[0] if pair.se_ratio is not None]
    low, middle, high = (min(ratios), median(ratios), max(ratios)) if ratios else (None, None, None)
    return UnitChanges(by_segment.metric, alpha, len(both), part.n_segments, documents,
                       low, middle, high, tuple(rows), tuple(changed), by_segment.higher_is_better)


def _changed(correction: str, pairs: Sequence[PairResult], p_segment: np.ndarray, p_document: np.ndarray,
             differ: np.ndarray) -> Iterator[ChangedPair]:
    for k in np.flatnonzero(differ).tolist():
        pair = pairs[k]
        yield ChangedPair(correction, pair.a, pair.b, pair.delta, float(p_segment[k]), float(p_document[k]),
                          pair.se_ratio)
