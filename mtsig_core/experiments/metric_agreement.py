"""Which metric to trust: how far metrics order systems as people do, on a test set and over a
task.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.metrics import Metric, direction, find_tokenizer, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics, remember
from mtsig_core.results import (
    Agreement,
    AgreementComparison,
    MetricAgreement,
    SamplingSettings,
    TaskAgreement,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.score_names import check_settled
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, rounding_error, row_chunks
from mtsig_core.stats.cautions import (
    about_ignored_documents,
    about_independence,
    about_words,
    find_missing_tokenizers,
)
from mtsig_core.stats.draws import derive_seed
from mtsig_core.stats.few_units import p_floor
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.resampling import Units, cell_bits, sum_groups, unpack_bits
from mtsig_core.stats.settings import check_trials, resolve_sampling
from mtsig_core.stats.significance import TESTS, holm
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

# Pairwise accuracy (Kocmi et al. 2021) asks only for the order of each pair of systems. Soft
# pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024; the metrics task of WMT24)
# compares p-values, so that a pair that people hardly tell apart counts for little either way.

_TEXT_METRICS = ("bleu", "chrf", "ter")
CORRECTION = "holm"


def agreement(
    testset: TestSet,
    human: str,
    metrics: Sequence[str | Metric] | None = None,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 1999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    statistics: Mapping[str, np.ndarray] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Agreement:
    """How far do metrics decide as people do, and which of them does so better than another?

    Shapes: `statistics` (systems, segments, stats).

    A pair of systems is compared on the segments that both have in the human score and in all table
    scores asked for. Metrics of texts are scores of the whole corpus on these segments.

    p is one-sided: the share of swaps with a larger difference and half of those with the same one,
    so that p of (a, b) and of (b, a) add up to 1. (The published code counts all equal differences,
    and takes pairs in the order of its files.) Intervals are percentiles over bootstrap samples of
    units, moved so that their mean is what was observed, since samples have the noise of the test
    set twice; systems are not drawn.

    Two metrics are compared by PERM-BOTH (`permute_metrics`), and p is corrected by Holm. Their
    difference is the one that is permuted, from standardized segment scores; that of the accuracies
    may differ a little.

    >>> from mtsig_core.testset import SegmentScores
    >>> scores = {name: [first + k % 3 for k in range(20)] for name, first in (("A", 3.0), ("B", 2.0), ("C", 1.0))}
    >>> ts = TestSet("toy", {name: [None] * 20 for name in scores}, {}, scores={
    ...     "people": SegmentScores(scores), "errors": SegmentScores(scores, higher_is_better=False)})
    >>> result = agreement(ts, "people", resamples=100)
    >>> [(one.metric, one.pairwise_accuracy, round(one.soft_pairwise_accuracy, 2)) for one in result.metrics]
    [('errors', 0.0, 0.0)]
    """
    draws = draw_accuracies(
        testset,
        human,
        metrics,
        unit=unit,
        block_length=block_length,
        trials=trials,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        statistics=statistics,
        jobs=jobs,
        progress=progress,
    )
    return summarize_draws(human, draws)


def draw_accuracies(
    testset: TestSet,
    human: str,
    metrics: Sequence[str | Metric] | None = None,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 1999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    statistics: Mapping[str, np.ndarray] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> AgreementDraws:
    """The metrics against people on the whole set and on bootstrap samples; parameters and errors
    as `agreement`.
    """
    settled = _chosen(testset, human, metrics)
    names = [metric.name for metric in settled]
    testset = testset.keep_scorable(*names)
    counted = [
        (metric, _counted(testset, metric, statistics, progress))
        for metric in (resolve_metric(testset, human), *settled)
    ]
    rated = np.logical_and.reduce(
        [whole[..., -1] > 0 for metric, whole in counted if is_segment_mean(metric)]
    )
    systems, segments = rated.any(axis=1), rated.any(axis=0)
    if (n := int(systems.sum())) < 2:
        raise SettingError(
            f"{testset.name} has {n} {'system' if n == 1 else 'systems'} with a score by {human} and by "
            f"all of {', '.join(names)} on the same segments. Expected at least two. Leave a metric "
            "out, leave fewer systems out, or add ratings."
        )
    part = testset.only([name for name, some in zip(testset.systems, systems, strict=True) if some])
    part = part.take(np.flatnonzero(segments).tolist())
    sampling, units = resolve_sampling(
        part, unit=unit, block_length=block_length, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, None, "ar")
    rated = rated[systems][:, segments]
    counted = [(metric, whole[systems][:, segments]) for metric, whole in counted]
    (signs, p), *theirs = (
        _draw_signs(
            metric,
            whole,
            rated,
            units,
            trials,
            sampling,
            jobs,
            report_stage(progress, f"permuting {metric.name}"),
        )
        for metric, whole in counted
    )
    scores = np.array([score_segments(metric, whole, rated) for metric, whole in counted[1:]])
    permuted = permute_metrics(
        scores,
        rated,
        units.jackknife_groups()[units.index],
        p[:, 0],
        trials,
        seed,
        report_stage(progress, "permutations of metrics"),
    )
    n_ties = int(np.count_nonzero(signs[:, 0] == 0))
    rows = tuple(
        AccuracyDraws(len(p), n_ties, accuracy(signs, own), soft_accuracy(p, own_p))
        for own, own_p in theirs
    )
    return AgreementDraws(
        part, sampling, units.all_swaps or trials, tuple(settled), rows, units.pieces, permuted
    )


def summarize_draws(human: str, draws: AgreementDraws) -> Agreement:
    """Accuracies with their intervals, the most agreeing metric first, and pairs of metrics."""
    order = sorted(range(len(draws.rows)), key=lambda k: -draws.rows[k].soft[0])
    tokenizers = {metric.name: find_tokenizer(metric, draws.testset) for metric in draws.metrics}
    results = tuple(
        accuracies(
            draws.metrics[k],
            draws.metrics[k].signature(draws.testset),
            draws.rows[k],
            draws.sampling.alpha,
        )
        for k in order
    )
    return Agreement(
        human,
        TestSetInfo.from_testset(draws.testset),
        draws.sampling,
        draws.trials,
        CORRECTION,
        results,
        compare_metrics([draws], order),
        (
            *about_independence(draws.testset, draws.sampling.unit),
            *about_ignored_documents(draws.testset, draws.sampling.unit, {"unit": "document"}),
            *about_words(draws.testset, tokenizers),
        ),
    )


def default_metrics(testset: TestSet, human: str) -> list[str]:
    """All segment scores but the human one and, with texts, BLEU, chrF and TER."""
    return [
        *(_TEXT_METRICS if testset.has_texts else ()),
        *(name for name in testset.scores if name != human),
    ]


def one_sided_p(differences: np.ndarray, observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """The place of differences among those of swaps: 0 where above all, 1 where below all, 1/2 in
    the middle.

    Shapes: `differences` (pairs, n), `observed` (pairs,), `null` (pairs, trials).

    >>> one_sided_p(np.array([[2.0, 0.0, -2.0]]), np.array([2.0]), np.array([[1.0, -1.0, -2.0]])).tolist()
    [[0.125, 0.5, 0.875]]
    """
    p = np.empty(differences.shape)
    ordered = np.sort(np.column_stack([observed, null]), axis=1)
    ties = rounding_error(ordered)
    for k, (row, among) in enumerate(zip(differences, ordered, strict=True)):
        below = np.searchsorted(among, row - ties[k], side="left")
        reached = np.searchsorted(among, row + ties[k], side="right")
        p[k] = 1 - (below + reached) / 2 / among.size
    return p


def accuracy(people: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Share of the pairs that people order which a metric orders the same way, (pairs, n) signs ->
    (n,); else NaN.

    >>> accuracy(np.array([[1], [1], [-1], [0]]), np.array([[1], [0], [-1], [1]])).round(2).tolist()
    [0.67]
    """
    ordered = np.count_nonzero(people, axis=0)
    agree = np.count_nonzero(people * metric > 0, axis=0)
    share: np.ndarray = np.divide(
        agree, ordered, out=np.full(agree.shape, np.nan), where=ordered > 0
    )
    return share


def soft_accuracy(people: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """1 - mean of abs(p_human - p_metric) over pairs, one-sided p of shape (pairs, n) -> (n,)."""
    soft: np.ndarray = 1 - np.abs(people - metric).mean(axis=0)
    return soft


@dataclass(frozen=True, eq=False)
class AccuracyDraws:
    """A metric against people: pairwise (`hard`, NaN where people order no pair) and soft pairwise
    accuracy, shape (1 + resamples,), the first of each observed.
    """

    n_pairs: int
    n_ties: int
    hard: np.ndarray
    soft: np.ndarray


@dataclass(frozen=True, eq=False)
class AgreementDraws:
    """Metrics against people on one test set, of which only what all have scores of is taken."""

    testset: TestSet
    sampling: SamplingSettings
    trials: int
    metrics: tuple[Metric, ...]
    rows: tuple[AccuracyDraws, ...]
    n_units: int
    permuted: np.ndarray  # (pairs of metrics, 1 + trials), what `permute_metrics` gives


def _counted(
    testset: TestSet,
    metric: Metric,
    statistics: Mapping[str, np.ndarray] | None,
    progress: Progress | None,
) -> np.ndarray:
    """Statistics of all systems and segments, scored or not."""
    known = (statistics or {}).get(metric.name)
    return (
        cached_statistics(metric, testset, report_stage(progress, f"counting {metric.name}"))
        if known is None
        else known
    )


def _chosen(testset: TestSet, human: str, metrics: Sequence[str | Metric] | None) -> list[Metric]:
    """The metrics to compare with people."""
    if human not in testset.scores:
        check_settled(human, testset.assumed)
        has = ", ".join(testset.scores) or "none"
        raise SettingError(
            f"No segment scores {human!r} in {testset.name}.{suggest_name(human, testset.scores)} "
            f"It has: {has}.",
            {"scores": f"{human}=FILE", "human": human},
        )
    chosen = [
        resolve_metric(testset, one)
        for one in (default_metrics(testset, human) if metrics is None else metrics)
    ]
    names = [metric.name for metric in chosen]
    if not names or human in names or len(set(names)) < len(names):
        raise SettingError(
            f"metrics are {', '.join(names) or 'none'}, and the human score is {human}. Expected at "
            "least one other metric, each only once.",
            {"metrics": "NAME,..."},
        )
    return chosen


def _draw_signs(
    metric: Metric,
    statistics: np.ndarray,
    rated: np.ndarray,
    units: Units,
    trials: int,
    sampling: SamplingSettings,
    jobs: int,
    progress: engine.StageProgress | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Signs and one-sided p of improvements of all pairs with a common segment, each on its common
    segments.

    Shapes: result (pairs, 1 + resamples); the first column is of the whole set.
    """
    pairs = engine.all_pairs(len(rated))
    both = rated[pairs[:, 0]] & rated[pairs[:, 1]]
    pairs, both, rows = pairs[both.any(axis=1)], both[both.any(axis=1)], []
    # Without gaps the systems themselves serve all pairs; else each pair has rows of its own, a few
    # pairs at a time.
    parts = (
        [slice(None)]
        if rated.all()
        else list(row_chunks(len(pairs), 2 * statistics[0].size, 1 << 24))
    )
    for at in parts:
        if rated.all():
            own, sides = statistics, pairs
        else:
            masked = statistics[pairs[at]] * both[at, None, :, None]
            own = masked.reshape(-1, *statistics.shape[1:])
            sides = np.arange(len(own)).reshape(-1, 2)
        data = engine.UnitStatistics(metric, own, units)
        report = progress if len(parts) == 1 else None
        null = engine.swap_differences(
            data, sides, trials, sampling.seed, jobs=jobs, progress=report
        )
        scores = np.column_stack(
            [
                data.scores,
                engine.bootstrap_scores(data, sampling.resamples, sampling.seed, jobs=jobs),
            ]
        )
        rows.append(_places(direction(metric), scores[sides[:, 0]] - scores[sides[:, 1]], null))
    signs, p = (np.concatenate(part) for part in zip(*rows, strict=True))
    return signs, p


def _places(sign: int, differences: np.ndarray, null: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signs and one-sided p of improvements; the first column of the differences is observed."""
    improvements = sign * differences
    tie = rounding_error(improvements)[:, None]
    signs = np.where(np.abs(improvements) > tie, np.sign(improvements), 0).astype(np.int8)
    return signs, one_sided_p(improvements, improvements[:, 0], sign * null)


def accuracies(
    metric: Metric, signature: str, draws: AccuracyDraws, alpha: float
) -> MetricAgreement:
    """Both accuracies of a metric, with their intervals."""
    hard, low, high = (
        (float(draws.hard[0]), *_interval(draws.hard, alpha))
        if np.isfinite(draws.hard[0])
        else (None, None, None)
    )
    return MetricAgreement(
        metric.name,
        signature,
        metric.higher_is_better,
        draws.n_pairs,
        draws.n_ties,
        hard,
        low,
        high,
        float(draws.soft[0]),
        *_interval(draws.soft, alpha),
    )


def _interval(draws: np.ndarray, alpha: float) -> tuple[float, float]:
    """Percentiles of samples about what was observed, without samples in which people order no
    pair.
    """
    drawn = draws[1:][np.isfinite(draws[1:])]
    if not len(drawn):
        return 0.0, 1.0
    low, high = np.clip(
        np.quantile(drawn - drawn.mean(), [alpha / 2, 1 - alpha / 2]) + draws[0], 0.0, 1.0
    )
    return float(low), float(high)


def compare_metrics(
    parts: Sequence[AgreementDraws], order: Sequence[int]
) -> tuple[AgreementComparison, ...]:
    """All pairs of metrics by the mean difference over test sets, that is observed and permuted in
    the same way; the better first, metrics without a difference in this order. p is none that so
    few units cannot show.
    """
    permuted = np.mean([own.permuted for own in parts], axis=0)
    if not len(permuted):
        return ()
    observed = permuted[:, 0]
    reached = (
        np.abs(permuted[:, 1:]) >= np.abs(observed)[:, None] - TOLERANCE
    )  # accuracies, of the size of 1
    p = (np.count_nonzero(reached, axis=1) + 1) / permuted.shape[1]
    n_units = np.array(sum(own.n_units for own in parts))
    p = np.maximum(p, p_floor(TESTS["bootstrap"], parts[0].sampling.unit, n_units))
    adjusted = holm(p)
    names, rank = (
        [metric.name for metric in parts[0].metrics],
        {k: place for place, k in enumerate(order)},
    )
    found = []
    for k, (first, second) in enumerate(combinations(range(len(names)), 2)):
        delta = float(observed[k])
        if delta < 0 or (delta == 0 and rank[second] < rank[first]):
            first, second, delta = second, first, -delta
        found.append(
            (
                rank[first],
                rank[second],
                AgreementComparison(
                    names[first], names[second], delta + 0.0, float(p[k]), float(adjusted[k])
                ),
            )
        )
    return tuple(one for *_, one in sorted(found, key=lambda row: row[:2]))


def score_segments(metric: Metric, statistics: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """The score of each segment, higher where better; 0 where there is none.

    Shape (systems, segments).

    Of a corpus score the jackknife pseudo-value n S - (n - 1) S', S' being the score without this
    segment.
    """
    if is_segment_mean(metric):
        scores = np.asarray(metric.score(statistics))
    else:
        counted = statistics * rated[..., None]
        totals, n = counted.sum(axis=1), np.count_nonzero(rated, axis=1)[:, None]
        without = np.where(n > 1, np.asarray(metric.score(totals[:, None] - counted)), 0.0)
        scores = n * np.asarray(metric.score(totals))[:, None] - (n - 1) * without
    return np.where(rated, direction(metric) * scores, 0.0)


def permute_metrics(
    scores: np.ndarray,
    rated: np.ndarray,
    groups: np.ndarray,
    people: np.ndarray,
    trials: int,
    seed: int,
    progress: engine.StageProgress | None = None,
) -> np.ndarray:
    """Differences of soft pairwise accuracy of all pairs of metrics, as observed and where they
    trade scores at random.

    PERM-BOTH of Deutsch, Dror and Roth (2021), with whole units such as documents: scores are
    standardized over all systems and segments, and a coin for each unit of each system, the same
    for all pairs of metrics, decides whether the two trade the scores of its segments. p of two
    systems is then that of the normal distribution that swaps of many units come near, with the sum
    of their squares as variance. That of people stays.

    Shapes: `scores` (metrics, systems, segments), `rated` (systems, segments), `groups`
    (segments,), `people` (pairs,), the result, first metric less the second, (pairs of metrics, 1 +
    trials), of which the first column is observed.
    """
    pairs = np.array(list(combinations(range(len(scores)), 2)), dtype=int).reshape(-1, 2)
    if not len(pairs):
        return np.empty((0, 1 + trials))
    bits = cell_bits(len(rated), int(groups.max()) + 1, trials, seed)
    scores, apart = _standardized(scores, rated), np.zeros((2, len(pairs), 1 + trials))
    systems = [(i, j) for i, j in engine.all_pairs(len(rated)) if (rated[i] & rated[j]).any()]
    for k, (i, j) in enumerate(systems):
        both = rated[i] & rated[j]
        mine, theirs = (
            sum_groups((scores[:, own] * both)[..., None], groups)[:, :, 0] for own in (i, j)
        )
        p = _traded_p(mine[pairs.T], theirs[pairs.T], bits[[i, j]])
        apart += np.abs(p - people[k])
        if progress is not None:
            progress((k + 1) / len(systems))
    first, second = apart / len(systems)
    difference: np.ndarray = second - first
    return difference


def _standardized(scores: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """With mean 0 and variance 1 over all that is rated; 0 where nothing is, or where all are the
    same.
    """
    known = scores[:, rated]
    centred = np.where(rated, scores - known.mean(axis=1)[:, None, None], 0.0)
    spread = np.where(np.ptp(known, axis=1) > rounding_error(known), known.std(axis=1), np.inf)
    scaled: np.ndarray = centred / spread[:, None, None]
    return scaled


def _traded_p(mine: np.ndarray, theirs: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """One-sided p that the first system is better, by both metrics of each pair: shape (2, pairs, 1
    + permutations).

    Where a system trades a unit, the difference by the first metric moves by what the second has
    more there: so sums of differences and of their squares over units are linear in the coins and
    in their products.

    Shapes: `mine, theirs` (2, pairs, units), `bits` (2, permutations, words).
    """
    more, less = mine[1] - mine[0], theirs[1] - theirs[0]
    apart = mine - theirs  # by each metric
    x, y = (unpack_bits(own, more.shape[1]).astype(np.float64) for own in bits)
    both = (x * y) @ (more * less).T
    p_values = []
    for own, e, f in ((apart[0], more, less), (apart[1], -more, -less)):
        total = own.sum(axis=1) + x @ e.T - y @ f.T
        squares = (
            (own**2).sum(axis=1) + x @ (e * (2 * own + e)).T + y @ (f * (f - 2 * own)).T - 2 * both
        )
        p_values.append(
            _normal_p(
                np.vstack([own.sum(axis=1), total]), np.vstack([(own**2).sum(axis=1), squares])
            )
        )
    return np.swapaxes(p_values, 1, 2)


def _normal_p(totals: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """One-sided p of sums of differences with the variance of their swaps; 1/2 of no difference."""
    from scipy.special import ndtr  # late: it takes long to import

    tie = rounding_error(squares.T)
    spread = np.sqrt(np.where(squares > tie, squares, 1.0))
    p: np.ndarray = np.where(squares > tie, ndtr(-totals / spread), 0.5)
    return p


# Which metric to trust over a shared task: agreement with people in each language pair, and the
# mean over them.


def task_agreement(
    task: Task,
    human: str,
    metrics: Sequence[str] | None = None,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 1999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> TaskAgreement:
    """How far do metrics decide as people do in each language pair, and in the mean over language
    pairs?

    Language pairs count the same, and neither they nor systems are drawn. Intervals are of means of
    samples drawn within each language pair, and two metrics are compared by the mean difference of
    soft pairwise accuracy.

    >>> from mtsig_core.testset import SegmentScores
    >>> from mtsig_core.testset import TestSet
    >>> scores = {name: [first + k % 3 for k in range(20)] for name, first in (("A", 3.0), ("B", 2.0), ("C", 1.0))}
    >>> pair = TestSet("toy", {name: [None] * 20 for name in scores}, {}, scores={
    ...     "people": SegmentScores(scores), "mine": SegmentScores(scores)})
    >>> result = task_agreement(Task("toy", {"en-de": pair, "en-cs": pair}), "people", resamples=50)
    >>> [(one.metric, one.n_pairs, one.pairwise_accuracy) for one in result.metrics], list(result.pairs)
    ([('mine', 6, 1.0)], ['en-de', 'en-cs'])
    """
    have = {pair: testset for pair, testset in task.testsets.items() if _rated(testset, human) > 1}
    if not have:
        check_settled(human, task.assumed)
        known = list(
            dict.fromkeys(name for testset in task.testsets.values() for name in testset.scores)
        )
        raise SettingError(
            f"No language pair of {task.name} has segment scores {human!r} of two systems."
            f"{suggest_name(human, known)} There are: {', '.join(known) or 'none'}.",
            {"human": "NAME"},
        )
    missing: dict[str, list[Caution]] = {}
    if metrics is None:
        metrics, missing = _choose_metrics(task.name, have, human)
    draws = {}
    for k, (pair, testset) in enumerate(have.items()):

        def report(what: str, share: float, k: int = k, pair: str = pair) -> None:
            if progress is not None:
                progress(f"{pair}, {what}", (k + share) / len(have))

        draws[pair] = draw_accuracies(
            testset,
            human,
            metrics,
            unit=unit,
            block_length=block_length,
            trials=trials,
            alpha=alpha,
            resamples=resamples,
            seed=derive_seed(seed, pair),
            jobs=jobs,
            progress=report,
        )
    first = next(iter(draws.values()))
    means = [_mean([own.rows[k] for own in draws.values()]) for k in range(len(first.metrics))]
    order = sorted(range(len(means)), key=lambda k: -means[k].soft[0])
    signatures = [
        " ".join(dict.fromkeys(own.metrics[k].signature(own.testset) for own in draws.values()))
        for k in range(len(means))
    ]  # tokenizers may differ
    rows = tuple(accuracies(first.metrics[k], signatures[k], means[k], alpha) for k in order)
    parts = {}
    for pair, own in draws.items():
        part = summarize_draws(human, own)
        parts[pair] = replace(part, warnings=(*missing.get(pair, ()), *part.warnings))
    return TaskAgreement(
        human,
        TaskInfo.from_task(task),
        parts,
        tuple(pair for pair in task.testsets if pair not in have),
        alpha,
        seed,
        CORRECTION,
        rows,
        compare_metrics(list(draws.values()), order),
    )


def _choose_metrics(
    task: str, testsets: Mapping[str, TestSet], human: str
) -> tuple[list[str], dict[str, list[Caution]]]:
    """The metrics that all language pairs have by default, and the warnings of each pair on those
    that are missing.
    """
    offered, missing = [], {}
    for pair, testset in testsets.items():
        names, missing[pair] = _available_metrics(pair, testset, human)
        offered.append(names)
    first, *others = offered
    metrics = [name for name in first if all(name in own for own in others)]
    if not metrics:
        raise SettingError(
            f"No metric is in all language pairs of {task} that have {human}: {', '.join(testsets)}. "
            "Choose fewer language pairs.",
            {"pairs": "XX-YY,..."},
        )
    return metrics, missing


def _available_metrics(pair: str, testset: TestSet, human: str) -> tuple[list[str], list[Caution]]:
    """The metrics that a language pair is asked about by default, and a warning of each whose
    tokenizer is missing.
    """
    names = default_metrics(testset, human)
    missing = find_missing_tokenizers(testset, names, pair)
    return [name for name in names if name not in missing], list(missing.values())


#: Settings of a task's comparison that metrics are held against people by, too.
AS_COMPARED = "unit", "block_length", "alpha", "resamples", "seed"


def kept_agreement(
    kept: KeptTask,
    human: str,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    **settings: Any,
) -> TaskAgreement:
    """`task_agreement` with the same settings, from disk where it was asked for before."""
    usual = {
        name: one.default
        for name, one in inspect.signature(task_agreement).parameters.items()
        if one.default is not one.empty and name not in ("jobs", "progress")
    }
    key = kept.digest, "agreement", human, sorted((usual | {"metrics": metrics} | settings).items())
    return remember(
        TaskAgreement,
        lambda: task_agreement(kept.task, human, metrics, jobs=jobs, progress=progress, **settings),
        *key,
    )


def _rated(testset: TestSet, human: str) -> int:
    """How many systems have any such score."""
    if human not in testset.scores:
        return 0
    scores = testset.scores[human].by_system
    return sum(any(score is not None for score in scores.get(name, ())) for name in testset.systems)


def _mean(rows: Sequence[AccuracyDraws]) -> AccuracyDraws:
    """One metric over language pairs, observed and sample by sample; pairwise accuracy without
    language pairs in which people order no systems.
    """
    hard = [row.hard for row in rows if np.isfinite(row.hard[0])] or [rows[0].hard]
    return AccuracyDraws(
        sum(row.n_pairs for row in rows),
        sum(row.n_ties for row in rows),
        np.mean(hard, axis=0),
        np.mean([row.soft for row in rows], axis=0),
    )
