"""Coverage: how often an interval from a small test set holds the score of the large one it was drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import (
    Rate,
    check_whole,
    generator,
    of_documents,
    pair_population,
    rate,
    repeated,
    told,
)
from mtsig_core.inference import engine
from mtsig_core.inference.gaps import segment_scores
from mtsig_core.inference.intervals import Sample, fitting_intervals
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.metrics import Metric

__all__ = ["Coverage", "Covered", "coverage"]

_SEGMENTS, _DOCUMENTS = 300, 30
_STREAMS = {"segment": 30, "document": 31}

_Ends = tuple[str, str, str, float, float]  # unit, kind, quantity, low, high
_Covering = tuple[str, str, str, str, float, float]  # what the test set was drawn by, and those


@dataclass(frozen=True)
class Covered:
    """How often one kind of interval holds the true value.

    Attributes
    ----------
    sampled, unit : {"segment", "document"}
        What test sets are drawn by, and what the bootstrap draws.
    kind : str
        A key of `mtsig_core.inference.intervals.INTERVALS`.
    quantity : {"score", "difference"}
        The score of system A, or its difference to B.
    covered : Rate
    width : float
        Mean width in points.
    """

    sampled: str
    unit: str
    kind: str
    quantity: str
    covered: Rate
    width: float


@dataclass(frozen=True)
class Coverage:
    """Coverage of every kind of interval.

    Attributes
    ----------
    a, b, metric : str
    alpha : float
        Intervals have level 1 - alpha.
    repeats, resamples, seed : int
    n_segments, n_documents : int or None
        Drawn for each test set; None without document ids.
    rows : tuple of Covered
    """

    a: str
    b: str
    metric: str
    alpha: float
    repeats: int
    resamples: int
    seed: int
    n_segments: int
    n_documents: int | None
    rows: tuple[Covered, ...]

    def row(self, sampled: str, unit: str, kind: str, quantity: str) -> Covered | None:
        """The row so described; None without it."""
        wanted = (sampled, unit, kind, quantity)
        return next((r for r in self.rows if (r.sampled, r.unit, r.kind, r.quantity) == wanted), None)


def coverage(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
             repeats: int = 1000, n_segments: int | None = None, n_documents: int | None = None, resamples: int = 1000,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None,
             found: Callable[[int, int, Coverage], None] | None = None) -> Coverage:
    """Coverage of the intervals of one score and of one difference, on test sets drawn with replacement.

    Test sets are drawn by segment, and where there are documents also by whole document; the latter are covered by
    intervals of either unit, of which that by segment takes what hangs together for independent.

    Parameters
    ----------
    testset, metric, a, b, statistics, progress, found
        As in `mtsig_core.experiments.type_one_error.type_one`.
    repeats : int
        Test sets of each kind.
    n_segments, n_documents : int, optional
        Drawn for each: 300 and 30 by default, or all where there are fewer.
    resamples : int
        Bootstrap samples of each.
    alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, or fewer than 10 segments.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = coverage(ts, "bleu", repeats=20, resamples=100)
    >>> found.row("segment", "segment", "percentile", "score").covered.n
    20
    """
    check_level(alpha)
    check_whole("repeats", repeats, 1, 1_000_000)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole, two = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw test sets from: {whole.n_segments}. Expected at least 10.")
    scores = whole.scores[two]
    truth = {"score": scores[0], "difference": scores[0] - scores[1]}
    n = min(_SEGMENTS, whole.n_segments) if n_segments is None else check_whole("segments", n_segments, 2, 1_000_000)
    drawn = None
    if whole.n_documents > 1:
        drawn = min(_DOCUMENTS, whole.n_documents) if n_documents is None else check_whole(
            "documents", n_documents, 2, 100_000)
    elif n_documents is not None:
        raise SettingError("The test set has no document ids to draw documents by. Give them, or leave this out.")
    both, segments_of = whole.statistics[two], whole.segments_of_documents()

    def one(k: int, rng: np.random.Generator) -> list[_Covering]:
        sets = {"segment": (rng, both[:, rng.integers(0, whole.n_segments, n)], [Units.segments(n)])}
        if drawn is not None:
            rng = generator(seed, _STREAMS["document"], k)
            sets["document"] = rng, *of_documents(both, segments_of, rng.integers(0, whole.n_documents, drawn))
        return [(sampled, *ends) for sampled, (rng, part, by) in sets.items() for key in [int(rng.integers(1 << 62))]
                for units in by for ends in _ends(whole.metric, part, units, resamples, alpha, key)]

    def gathered(sets: list[list[_Covering]]) -> Coverage:
        rows = []
        for column in zip(*sets, strict=True):
            sampled, unit, kind, quantity = column[0][:4]
            low, high = np.array([ends[4:] for ends in column], dtype=float).T
            hits = int(((low <= truth[quantity]) & (truth[quantity] <= high)).sum())
            rows.append(Covered(sampled, unit, kind, quantity, rate(hits, len(sets)), float(np.mean(high - low))))
        return Coverage(whole.systems[two[0]], whole.systems[two[1]], whole.metric.name, alpha, len(sets), resamples,
                        seed, n, drawn, tuple(rows))

    return gathered(repeated(one, repeats, seed, _STREAMS["segment"], jobs=jobs, progress=stage(progress, "test sets"),
                             found=told(found, repeats, gathered)))


def _ends(metric: Metric, both: np.ndarray, units: Units, resamples: int, alpha: float, seed: int) -> list[_Ends]:
    """Every interval of one test set."""
    data = engine.UnitStatistics(metric, both, units)
    drawn, left_out = engine.bootstrap_scores(data, resamples, seed), engine.jackknife_scores(data)
    segments = segment_scores(metric, both) if units.kind == "segment" else None
    combined: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "score": lambda x: x[:1], "difference": lambda x: x[:1] - x[1:]}
    quantities = {name: Sample(combine(data.scores), combine(drawn), combine(left_out),
                               None if segments is None else combine(segments)) for name, combine in combined.items()}
    return [(units.kind, kind, quantity, float(low[0]), float(high[0]))
            for kind, interval in fitting_intervals(segments is not None).items()
            for quantity, sample in quantities.items() for low, high in [interval(sample, alpha)]]
