"""Are conclusions from small test sets those of a much larger one? (Koehn 2004, section 7, Tables 3 and 4.)"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.blocks_and_broad import positions
from mtsig_core.experiments.population import (
    Rate,
    check_whole,
    clustered_rate,
    generator,
    population,
    rate,
    repeated,
    told,
)
from mtsig_core.experiments.whole_set import whole_p
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.inference.significance import decide, significant, win_rates
from mtsig_core.inference.ties import rounding
from mtsig_core.metrics import Metric

__all__ = ["SIZES", "Concluded", "Conclusions", "Level", "conclusions", "nearby_pairs"]

#: Segments of a sample in Koehn's Table 3.
SIZES = (100, 300, 600, 3000)
#: Lower ends of the levels in Koehn's Table 4, in percent; the first is 100% itself.
_LEVELS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
_STREAM = 20
_Sampled = tuple[np.ndarray, np.ndarray, np.ndarray]  # by pair: larger share of wins, the way it goes, if concluded


@dataclass(frozen=True)
class Concluded:
    """Conclusions on one pair from samples of one size.

    Attributes
    ----------
    a, b : str
        The better system on the whole test set, and the worse.
    delta : float
        Score of the better less that of the worse on the whole test set, in points, positive where higher is better.
    size : int
        Segments of a sample.
    right, wrong : Rate
        Shares of the samples that let conclude what the whole test set says, and the opposite. Samples of one size
        share no segment.
    whole_p : float
        p of the pair on the whole test set; see `mtsig_core.experiments.whole_set.whole_p`. Where it is above alpha,
        the order that conclusions are held against may itself be chance.
    """

    a: str
    b: str
    delta: float
    size: int
    right: Rate
    wrong: Rate
    whole_p: float


@dataclass(frozen=True)
class Level:
    """Conclusions whose larger share of wins lies in one range, right or wrong by the whole test set.

    Attributes
    ----------
    low, high : float
        The range in percent, the upper end left out; both are 100 for all wins.
    right : Rate
        Of the conclusions in the range. Those on one sample are alike, and its interval goes by samples
        (`clustered_rate`); samples of different sizes overlap, which it leaves out.
    """

    low: float
    high: float
    right: Rate


@dataclass(frozen=True)
class Conclusions:
    """Conclusions from many samples of a test set, held against the whole of it.

    Attributes
    ----------
    metric : str
    alpha : float
        Concluded where the larger share of wins is at least 1 - alpha.
    resamples, seed, n_segments : int
    sizes : tuple of int
    samples : tuple of int
        Broad samples of each size.
    rows : tuple of Concluded
        By pair, then size.
    levels : tuple of Level
        Over all pairs and sizes.
    verdicts : mapping of int to ndarray, shape (samples, pairs)
        By size: 1 for a conclusion that is right, -1 for a wrong one, 0 for none; pairs in the order of `rows`.
    """

    metric: str
    alpha: float
    resamples: int
    seed: int
    n_segments: int
    sizes: tuple[int, ...]
    samples: tuple[int, ...]
    rows: tuple[Concluded, ...]
    levels: tuple[Level, ...]
    verdicts: dict[int, np.ndarray] = field(compare=False, repr=False)

    def totals(self, size: int | None = None) -> tuple[Rate, Rate]:
        """Of all samples of a size (by default of all sizes): the share concluded; of those, the share right.

        Intervals go by samples, as `Level.right` does.
        """
        found = np.concatenate([verdicts for of, verdicts in self.verdicts.items() if size in (None, of)])
        sample = np.broadcast_to(np.arange(len(found))[:, None], found.shape)
        some = found != 0
        return clustered_rate(some.ravel(), sample.ravel()), clustered_rate(found[some] == 1, sample[some])

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose order on the whole test set may itself be chance."""
        return tuple(dict.fromkeys((row.a, row.b) for row in self.rows if not significant(row.whole_p, self.alpha)))


def conclusions(testset: TestSet, metric: str | Metric, *, sizes: tuple[int, ...] | None = None, resamples: int = 1000,
                alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
                progress: Progress | None = None,
                found: Callable[[int, int, Conclusions], None] | None = None) -> Conclusions:
    """Conclusions of Koehn's paired bootstrap from broad samples, right or wrong by the whole test set.

    Samples are those of `mtsig_core.experiments.blocks_and_broad.positions`. Each system is compared with the next
    two by score, which are the nine pairs of Koehn's six systems. Samples are drawn by segment, as in the paper.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.experiments.type_one_error.type_one`.
    found : callable, optional
        As there, of the first samples of each size in proportion: wider intervals, and no experiment of its own.
    sizes : tuple of int, optional
        Segments of a sample, by default those of the paper of which the test set gives two samples.
    resamples : int
        Bootstrap samples of each sample.
    alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, or a test set too short for two samples of a size.

    Notes
    -----
    Pairs that differ on the whole test set do differ, a little or much: Table 4 is a calibration over such pairs, not
    a check of the type-I error, so '95% right' is no bound that a level of 95% must meet. A pair with equal scores on
    the whole test set has neither right nor wrong conclusions, and is left out.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 200, "B": ["a b c d e", "a b c d x", "a b x d e", "a b c d x"] * 50},
    ...              {"ref": ["a b c d e"] * 200})
    >>> row, = conclusions(ts, "bleu", resamples=100).rows
    >>> row.a, row.size, row.right.share, row.wrong.share
    ('A', 100, 1.0, 0.0)
    """
    check_level(alpha)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    sizes = tuple(size for size in SIZES if whole.n_segments // size > 1) if sizes is None else tuple(
        check_whole("size", size, 2, 1_000_000) for size in dict.fromkeys(sizes))
    smallest = min(sizes, default=SIZES[0])
    for size in sizes or (smallest,):
        if whole.n_segments // size < 2:
            raise SettingError(f"{whole.n_segments} segments give no two samples of {size}. Expected at least "
                               f"{2 * size} segments, or smaller samples.")
    pairs = nearby_pairs(len(whole.systems))
    pairs = pairs[np.abs(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]]) > rounding(whole.scores)]
    if not len(pairs):
        raise SettingError("All systems have the same score on the whole test set: no conclusion is right or wrong.")
    truth = np.sign(whole.scores[pairs[:, 0]] - whole.scores[pairs[:, 1]])
    p_whole = whole_p(whole.metric, whole.statistics, pairs, whole.documents, seed)
    tasks = [(size, rows) for size in sizes for rows in positions("broad", whole.n_segments, size)]
    # The first of them are of all sizes, in proportion; each has the draws of its number in the list.
    order = np.argsort([(k + 0.5) / (whole.n_segments // size) for size in sizes
                        for k in range(whole.n_segments // size)], kind="stable")

    def one(place: int, _: np.random.Generator) -> _Sampled:
        (size, rows), rng = tasks[order[place]], generator(seed, _STREAM, int(order[place]))
        data = engine.UnitStatistics(whole.metric, whole.statistics[:, rows], Units.segments(size))
        drawn = engine.bootstrap_scores(data, resamples, int(rng.integers(1 << 62)))
        win, lose = win_rates(drawn[pairs[:, 0]] - drawn[pairs[:, 1]])
        return np.maximum(win, lose), np.sign(win - lose) * truth, decide(win - lose, alpha, win=win, lose=lose) != 0

    def gathered(samples: list[_Sampled]) -> Conclusions:
        done, in_order = order[:len(samples)], np.argsort(order[:len(samples)])
        # each of shape (tasks, pairs); agrees: 1, 0 or -1
        share, agrees, concluded = (np.array(values)[in_order] for values in zip(*samples, strict=True))
        size_of = np.array([size for size, _ in tasks])[done[in_order]]
        verdicts = np.where(concluded, agrees, 0).astype(int)
        rows = []
        for p, (i, j) in enumerate(pairs):
            for size in sizes:
                of_size = verdicts[size_of == size, p]
                right, wrong = (rate(int((of_size == way).sum()), len(of_size)) for way in (1, -1))
                delta = float(abs(whole.scores[i] - whole.scores[j]))
                rows.append(Concluded(whole.systems[i], whole.systems[j], delta, size, right, wrong,
                                      float(p_whole[p])))
        return Conclusions(whole.metric.name, alpha, resamples, seed, whole.n_segments, sizes,
                           tuple(int((size_of == size).sum()) for size in sizes), tuple(rows), _levels(share, agrees),
                           {size: verdicts[size_of == size] for size in sizes})

    return gathered(repeated(one, len(tasks), seed, _STREAM, jobs=jobs, progress=stage(progress, "samples"),
                             found=told(found, len(tasks), gathered)))


def nearby_pairs(n_systems: int) -> np.ndarray:
    """Each system with the next two, shape (pairs, 2).

    Examples
    --------
    >>> nearby_pairs(4).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    return np.array([(i, j) for i in range(n_systems) for j in range(i + 1, min(i + 3, n_systems))])


def _levels(share: np.ndarray, agrees: np.ndarray) -> tuple[Level, ...]:
    """Koehn's Table 4: below 50% (ties between equal halves) nothing is concluded."""
    percent, found = np.round(100 * share, 9), []
    sample = np.broadcast_to(np.arange(len(share))[:, None], share.shape)
    for low, high in zip(_LEVELS, (np.inf, *_LEVELS), strict=False):
        inside = (percent >= low) & (percent < high) & (agrees != 0)
        found.append(Level(low, min(high, 100), clustered_rate(agrees[inside] == 1, sample[inside])))
    return tuple(found)
