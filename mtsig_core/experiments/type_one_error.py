"""Type-I error: how often each test finds a difference where there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.equal_by_weights import equal_weights, predicted_rejections
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
from mtsig_core.inference.few_units import p_floor
from mtsig_core.inference.gaps import segment_scores
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.inference.significance import TESTS, decide, fitting_tests, significant, win_rates
from mtsig_core.inference.units_apart import units_apart
from mtsig_core.metrics import Metric

__all__ = ["NullRate", "TypeOne", "conclusions_on", "type_one"]

_SEGMENTS, _DOCUMENTS = 300, 110
_STREAMS = {"segment": 10, "document": 11}
_Decisions = dict[tuple[str, str], dict[str, bool]]  # by null and unit, then test


@dataclass(frozen=True)
class NullRate:
    """Rejections of true nulls by one test.

    Attributes
    ----------
    null : {"segment", "document"}
        How the two systems were made equal: segments swapped at random, or whole documents drawn with weights.
    unit : {"segment", "document"}
        What the test draws or swaps.
    test : str
    rejected : Rate
    """

    null: str
    unit: str
    test: str
    rejected: Rate


@dataclass(frozen=True)
class TypeOne:
    """Rejections of true nulls by every test.

    Attributes
    ----------
    a, b, metric : str
        The systems whose outputs make the nulls.
    alpha : float
    n_pairs, trials, seed : int
    n_segments, n_documents : int or None
        Drawn for each pair of the null by segment and by document; None without document ids, or where no weights
        make the two systems equal.
    rows : tuple of NullRate
    effective_documents : float or None
        Kish's number of the documents as they are weighted.
    se_ratio : float or None
        Standard error of the difference by document / by segment, with these weights.
    predicted : float or None
        Share of the nulls by document that a test by segment rejects if that ratio is all that is wrong with it.
    """

    a: str
    b: str
    metric: str
    alpha: float
    n_pairs: int
    trials: int
    seed: int
    n_segments: int
    n_documents: int | None
    rows: tuple[NullRate, ...]
    effective_documents: float | None
    se_ratio: float | None
    predicted: float | None

    def row(self, null: str, unit: str, test: str) -> NullRate | None:
        """The row of a null, unit and test; None without it."""
        return next((r for r in self.rows if (r.null, r.unit, r.test) == (null, unit, test)), None)


def type_one(testset: TestSet, metric: str | Metric, a: str | None = None, b: str | None = None, *,
             n_pairs: int = 2000, n_segments: int | None = None, n_documents: int | None = None, trials: int = 499,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None, found: Callable[[int, int, TypeOne], None] | None = None) -> TypeOne:
    """Rejections of true nulls: two systems made equal.

    By segment: segments are drawn with replacement, and the outputs of each trade places with chance 1/2. The two
    halves are exchangeable, so every rejection is wrong, and approximate randomization, whose swaps these are, keeps
    its level by construction. By document: whole documents are drawn with weights under which the two have the same
    score (`equal_weights`); nothing is swapped. Swaps of whole documents would make a difference of the systems a part
    of what the segments of a document have in common.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    a, b : str, optional
        The systems, by default the best two.
    n_pairs : int
        Null pairs of each kind.
    n_segments, n_documents : int, optional
        Drawn for each pair: 300 and 110 by default, or all where there are fewer.
    trials : int
        Draws of the tests.
    alpha, seed, jobs
        As in `compare`.
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.
    found : callable, optional
        Called now and then, before the end: with how many repeats there are so far, of how many, and the result of
        these. It is that of an experiment with so many.

    Raises
    ------
    SettingError
        For fewer than two systems, or fewer than 10 segments.

    Notes
    -----
    Riezler and Maxwell (2005) find approximate randomization more conservative than the bootstrap; that follows from
    the shift as they print it (`riezler-maxwell`). With the signed shift both hold the level.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = type_one(ts, "bleu", n_pairs=20, trials=99)
    >>> [row.test for row in found.rows], found.n_segments, found.rows[0].rejected.n
    (['ar', 'bootstrap', 'percentile', 'koehn', 'riezler-maxwell'], 60, 20)
    """
    check_level(alpha)
    check_whole("pairs", n_pairs, 1, 1_000_000)
    check_whole("trials", trials, 1, 100_000)
    if trials < TESTS["percentile"].trials_for(alpha):
        raise SettingError(f"With {trials} trials no p can be {alpha:g} or less by every test. Use at least "
                           f"{TESTS['percentile'].trials_for(alpha)} trials, or a larger alpha.")
    whole, rows = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    if np.array_equal(*whole.statistics[rows]):
        raise SettingError(f"{whole.systems[rows[0]]} and {whole.systems[rows[1]]} score the same on every segment: no "
                           "test can reject anything. Choose systems that differ.")
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw null pairs from: {whole.n_segments}. Expected at least 10.")
    n = min(_SEGMENTS, whole.n_segments) if n_segments is None else check_whole(
        "segments", n_segments, 2, 1_000_000)
    drawn = None
    if whole.n_documents > 1:
        drawn = min(_DOCUMENTS, whole.n_documents) if n_documents is None else check_whole(
            "documents", n_documents, 2, 100_000)
    elif n_documents is not None:
        raise SettingError("The test set has no document ids to draw documents by. Give them, or leave this out.")
    equal = None
    if drawn is not None and whole.documents is not None:
        equal = equal_weights(whole.metric, whole.statistics[rows], whole.documents)
    two, segments_of = whole.statistics[rows], whole.segments_of_documents()

    def one(k: int, rng: np.random.Generator) -> _Decisions:
        both = _swapped(two[:, rng.integers(0, whole.n_segments, n)], rng.random(n) < 0.5)
        key = int(rng.integers(1 << 62))
        decisions = {("segment", "segment"): conclusions_on(whole.metric, both, Units.segments(n), trials, alpha, key)}
        if equal is not None:
            rng = generator(seed, _STREAMS["document"], k)
            both, by = of_documents(two, segments_of, rng.choice(whole.n_documents, drawn, p=equal.weights))
            key = int(rng.integers(1 << 62))
            decisions |= {("document", units.kind): conclusions_on(whole.metric, both, units, trials, alpha, key)
                          for units in by}
        return decisions

    def gathered(pairs: list[_Decisions]) -> TypeOne:
        rates = tuple(row for null, unit in pairs[0]
                      for row in _rates(null, unit, [decisions[null, unit] for decisions in pairs]))
        settled = (whole.systems[rows[0]], whole.systems[rows[1]], whole.metric.name, alpha, len(pairs), trials, seed)
        if equal is None:
            return TypeOne(*settled, n, None, rates, None, None, None)
        return TypeOne(*settled, n, drawn, rates, equal.effective, equal.se_ratio,
                       predicted_rejections(equal.se_ratio, alpha))

    return gathered(repeated(one, n_pairs, seed, _STREAMS["segment"], jobs=jobs,
                             progress=stage(progress, "true nulls"), found=told(found, n_pairs, gathered)))


def conclusions_on(metric: Metric, both: np.ndarray, units: Units, trials: int, alpha: float,
                   seed: int) -> dict[str, bool]:
    """Test -> whether it concludes that two systems differ.

    Parameters
    ----------
    both : ndarray, shape (2, segments, stats)

    Examples
    --------
    >>> from mtsig_core.metrics.segment_scores import SegmentMean
    >>> both = np.stack([[[80.0, 1]] * 30, [[60.0, 1]] * 30])
    >>> found = conclusions_on(SegmentMean("human", True), both, Units.segments(30), 99, 0.05, 0)
    >>> all(found.values()), list(found)[-2:]
    (True, ['t', 'wilcoxon'])
    """
    data = engine.UnitStatistics(metric, both, units)
    delta = data.scores[:1] - data.scores[1:]
    drawn = engine.bootstrap_scores(data, trials, seed)
    replicates = {"swaps": engine.swap_differences(data, np.array([[0, 1]]), trials, seed),
                  "bootstrap": drawn[:1] - drawn[1:]}
    scores = segment_scores(metric, both) if units.kind == "segment" else None
    if scores is not None:
        replicates["none"] = scores[:1] - scores[1:]
    found, apart = {}, units_apart(data, np.array([[0, 1]]), np.array([units.pieces]))
    for name, test in fitting_tests("none" in replicates).items():
        p, (win, lose) = None, (None, None)
        if test.p_values is not None:
            p = np.maximum(test.p_values(delta, replicates[test.draws]), p_floor(test, units.kind, apart))
        elif significant(p_floor(test, units.kind, apart), alpha).all():  # else so few decide nothing
            win, lose = win_rates(replicates[test.draws])
        side = test.side(delta, replicates[test.draws])
        found[name] = bool(decide(side, alpha, p=p, win=win, lose=lose, side=side)[0])
    return found


def _swapped(both: np.ndarray, coins: np.ndarray) -> np.ndarray:
    """Two systems, shape (2, segments, stats), that trade places in the segments where the coins say so."""
    return np.where(coins[:, None], both[::-1], both)


def _rates(null: str, unit: str, decisions: Sequence[dict[str, bool]]) -> list[NullRate]:
    return [NullRate(null, unit, test, rate(sum(one[test] for one in decisions), len(decisions)))
            for test in decisions[0]]
