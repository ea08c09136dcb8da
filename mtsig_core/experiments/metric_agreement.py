"""Agreement of metrics with people on the order of systems, on a test set and over a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, format_count, suggest_name
from mtsig_core.metrics import (
    Metric,
    MetricLike,
    direction,
    find_tokenizer,
    is_segment_mean,
    resolve_metric,
)
from mtsig_core.metrics.cache import cached_statistics, remember
from mtsig_core.progress import Progress, prefix_stages, report_stage
from mtsig_core.results import (
    Agreement,
    AgreementComparison,
    MetricAgreement,
    SamplingSettings,
    TaskAgreement,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.score_names import check_settled, drop_as_given
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, rounding_error, row_chunks
from mtsig_core.stats.cautions import (
    about_ignored_documents,
    about_independence,
    about_words,
    find_missing_tokenizers,
)
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.draws import derive_seed
from mtsig_core.stats.few_units import p_floor
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.resampling import Units, cell_bits, sum_groups, unpack_bits
from mtsig_core.stats.settings import check_trials, resolve_sampling
from mtsig_core.stats.significance import TESTS, holm
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

# Pairwise accuracy (Kocmi et al. 2021) asks only for the order of each pair of systems. Soft
# pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024; the metrics task of WMT24)
# compares p-values, so that a pair that people hardly distinguish counts little.

_TEXT_METRICS = ("bleu", "chrf", "ter")
CORRECTION = "holm"


@dataclass(frozen=True, kw_only=True)
class AgreementPlan:
    """The settings of `agreement`; a task has the same settings for all language pairs."""

    human: str
    metrics: Sequence[MetricLike] | None = None
    unit: str = "auto"
    block_length: float | None = None
    trials: int = 1999
    alpha: float = 0.05
    resamples: int = 2000
    seed: int = 0
    jobs: int = 1


def agreement(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    human: str,
    metrics: Sequence[MetricLike] | None = None,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 1999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Agreement:
    """Measure how far metrics agree with people, and which metric agrees better than another.

    A pair of systems is compared on the segments where both have the human score and all requested
    table scores. Metrics of texts score the corpus of these segments.

    p is one-sided: the share of swaps with a larger difference and half of those with the same one,
    so that p of (a, b) and of (b, a) add up to 1. (The published code counts all equal differences,
    and takes pairs in the order of its files.) Intervals are percentiles over bootstrap samples of
    units, moved so that their mean is what was observed, since samples have the noise of the test
    set twice; systems are not drawn.

    Two metrics are compared by PERM-BOTH (`permute_metrics`), and p is corrected by Holm. Their
    difference is the permuted one, from standardized segment scores; the difference of the
    accuracies may deviate a little.

    >>> from mtsig_core.testset import SegmentScores
    >>> scores = {name: [first + k % 3 for k in range(20)] for name, first in (("A", 3.0), ("B", 2.0), ("C", 1.0))}
    >>> ts = TestSet("toy", {name: [None] * 20 for name in scores}, {}, scores={
    ...     "people": SegmentScores(scores), "errors": SegmentScores(scores, higher_is_better=False)})
    >>> result = agreement(ts, "people", resamples=100)
    >>> [(row.metric, row.pairwise_accuracy, round(row.soft_pairwise_accuracy, 2)) for row in result.metrics]
    [('errors', 0.0, 0.0)]
    """
    plan = AgreementPlan(
        human=human,
        metrics=metrics,
        unit=unit,
        block_length=block_length,
        trials=trials,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )
    return summarize_draws(human, draw_accuracies(testset, plan, progress))


def draw_accuracies(
    testset: TestSet, plan: AgreementPlan, progress: Progress | None = None
) -> AgreementDraws:
    """Compare metrics with people on the whole set and on bootstrap samples.

    It raises the same errors as `agreement`.
    """
    metrics = _choose_metrics(testset, plan.human, plan.metrics)
    names = [metric.name for metric in metrics]
    testset = testset.keep_scorable(*names)
    human = resolve_metric(testset, plan.human)
    statistics = []
    for metric in (human, *metrics):
        report = report_stage(progress, f"counting {metric.name}")
        statistics.append(cached_statistics(metric, testset, report))
    testset, statistics, is_rated = _take_rated(testset, [human, *metrics], statistics)
    sampling, units = resolve_sampling(
        testset,
        unit=plan.unit,
        block_length=plan.block_length,
        alpha=plan.alpha,
        resamples=plan.resamples,
        seed=plan.seed,
    )
    check_trials(plan.trials, None, "ar")
    human_statistics, *metric_statistics = statistics
    report = report_stage(progress, f"permuting {human.name}")
    people = _draw_decisions(human, human_statistics, is_rated, units, sampling, plan, report)
    rows = []
    scores = []
    for metric, counts in zip(metrics, metric_statistics, strict=True):
        report = report_stage(progress, f"permuting {metric.name}")
        decisions = _draw_decisions(metric, counts, is_rated, units, sampling, plan, report)
        rows.append(_compare_with_people(people, decisions))
        scores.append(score_segments(metric, counts, is_rated))
    groups = units.jackknife_groups()[units.index]
    people_p = people.p[:, 0]
    permuted = permute_metrics(
        np.array(scores), is_rated, groups, people_p, plan.trials, plan.seed, progress
    )
    n_trials = units.all_swaps or plan.trials
    return AgreementDraws(
        testset, sampling, n_trials, tuple(metrics), tuple(rows), units.pieces, permuted
    )


def _take_rated(
    testset: TestSet, metrics: Sequence[Metric], statistics: Sequence[np.ndarray]
) -> tuple[TestSet, list[np.ndarray], np.ndarray]:
    """Take the systems and segments that have a score by all metrics.

    Returns them, their statistics, and which segments of each system have all scores, (systems,
    segments).
    """
    is_rated = np.ones(statistics[0].shape[:2], dtype=bool)
    for metric, counts in zip(metrics, statistics, strict=True):
        if is_segment_mean(metric):
            is_rated &= counts[..., -1] > 0
    systems = np.flatnonzero(is_rated.any(axis=1))
    segments = np.flatnonzero(is_rated.any(axis=0))
    if len(systems) < 2:
        human, *names = (metric.name for metric in metrics)
        raise SettingError(
            f"{testset.name} has {format_count(len(systems), 'system')} with a score by {human} and by "
            f"all of {', '.join(names)} on the same segments. Expected at least two. Leave a metric "
            "out, exclude fewer systems, or add ratings."
        )
    all_names = list(testset.systems)
    rated = testset.only([all_names[row] for row in systems]).take(segments.tolist())
    rated_statistics = [counts[systems][:, segments] for counts in statistics]
    return rated, rated_statistics, is_rated[systems][:, segments]


def summarize_draws(human: str, draws: AgreementDraws) -> Agreement:
    """Estimate accuracies with their intervals, the most agreeing metric first, and compare metrics."""
    order = _rank_by_agreement(draws.rows)
    testset = draws.testset
    unit = draws.sampling.unit
    tokenizers = {metric.name: find_tokenizer(metric, testset) for metric in draws.metrics}
    rows = []
    for k in order:
        metric = draws.metrics[k]
        signature = metric.signature(testset)
        rows.append(accuracies(metric, signature, draws.rows[k], draws.sampling.alpha))
    cautions = [
        *about_independence(testset, unit),
        *about_ignored_documents(testset, unit, {"unit": "document"}),
        *about_words(testset, tokenizers),
    ]
    info = TestSetInfo.from_testset(testset)
    comparisons = compare_metrics([draws], order)
    return Agreement(
        human=human,
        testset=info,
        sampling=draws.sampling,
        trials=draws.trials,
        correction=CORRECTION,
        metrics=tuple(rows),
        comparisons=comparisons,
        warnings=tuple(cautions),
    )


def _rank_by_agreement(rows: Sequence[AccuracyDraws]) -> list[int]:
    """Order metrics by soft pairwise accuracy, best first."""
    return sorted(range(len(rows)), key=lambda k: -rows[k].soft[0])


def default_metrics(testset: TestSet, human: str) -> list[str]:
    """List all segment scores but the human one and, with texts, BLEU, chrF and TER."""
    names = list(_TEXT_METRICS) if testset.has_texts else []
    names += [name for name in drop_as_given(testset.scores) if name != human]
    return names


def one_sided_p(differences: np.ndarray, observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Place differences among swapped ones: 0 above all, 1 below all, 1/2 in the middle.

    Shapes: `differences` (pairs, n), `observed` (pairs,), `null` (pairs, trials).

    >>> one_sided_p(np.array([[2.0, 0.0, -2.0]]), np.array([2.0]), np.array([[1.0, -1.0, -2.0]])).tolist()
    [[0.125, 0.5, 0.875]]
    """
    p = np.empty(differences.shape)
    ordered = np.sort(np.column_stack([observed, null]), axis=1)
    ties = rounding_error(ordered)
    for k, row in enumerate(ordered):
        n_below = np.searchsorted(row, differences[k] - ties[k], side="left")
        n_reached = np.searchsorted(row, differences[k] + ties[k], side="right")
        n_middle = (n_below + n_reached) / 2
        p[k] = 1 - n_middle / row.size
    return p


def accuracy(people: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Count the share of the pairs ordered by people which a metric orders the same way.

    Signs of shape (pairs, n) -> (n,); NaN where people order no pair.

    >>> accuracy(np.array([[1], [1], [-1], [0]]), np.array([[1], [0], [-1], [1]])).round(2).tolist()
    [0.67]
    """
    n_ordered = np.count_nonzero(people, axis=0)
    n_same = np.count_nonzero(people * metric > 0, axis=0)
    unknown = np.full(n_same.shape, np.nan)
    share: np.ndarray = np.divide(n_same, n_ordered, out=unknown, where=n_ordered > 0)
    return share


def soft_accuracy(people: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """1 - mean of abs(p_human - p_metric) over pairs, one-sided p of shape (pairs, n) -> (n,)."""
    soft: np.ndarray = 1 - np.abs(people - metric).mean(axis=0)
    return soft


@dataclass(frozen=True, eq=False)
class AccuracyDraws:
    """A metric against people, as observed, then on each bootstrap sample."""

    n_pairs: int
    n_ties: int
    #: Shape (1 + resamples,): pairwise accuracy, NaN where people order no pair, and the soft one.
    hard: np.ndarray
    soft: np.ndarray


@dataclass(frozen=True, eq=False)
class AgreementDraws:
    """Metrics against people on one test set, of what has all scores."""

    testset: TestSet
    sampling: SamplingSettings
    trials: int
    metrics: tuple[Metric, ...]
    rows: tuple[AccuracyDraws, ...]
    n_units: int
    permuted: np.ndarray  # (pairs of metrics, 1 + trials): the result of `permute_metrics`


def _choose_metrics(
    testset: TestSet, human: str, metrics: Sequence[MetricLike] | None
) -> list[Metric]:
    """Check or choose the metrics to compare with people."""
    if human not in testset.scores:
        check_settled(human, testset.assumed)
        available = ", ".join(testset.scores) or "none"
        raise SettingError(
            f"No segment scores {human!r} in {testset.name}.{suggest_name(human, testset.scores)} "
            f"It has: {available}.",
            {"scores": f"{human}=FILE", "human": human},
        )
    if metrics is None:
        metrics = default_metrics(testset, human)
    resolved = [resolve_metric(testset, metric) for metric in metrics]
    names = [metric.name for metric in resolved]
    if not names or human in names or len(set(names)) < len(names):
        raise SettingError(
            f"metrics are {', '.join(names) or 'none'}, and the human score is {human}. Expected at "
            "least one other metric, each only once.",
            {"metrics": "NAME,..."},
        )
    return resolved


@dataclass(frozen=True, eq=False)
class _Decisions:
    """Signs and one-sided p of the improvements of all pairs, as observed, then on each sample."""

    signs: np.ndarray  # (pairs, 1 + resamples)
    p: np.ndarray  # (pairs, 1 + resamples)


def _draw_decisions(
    metric: Metric,
    statistics: np.ndarray,
    is_rated: np.ndarray,
    units: Units,
    sampling: SamplingSettings,
    plan: AgreementPlan,
    progress: Progress | None,
) -> _Decisions:
    """Decide the pairs with a common segment, each on its common segments."""
    pairs = engine.all_pairs(len(is_rated))
    is_common = is_rated[pairs].all(axis=1)  # (pairs, segments)
    pairs = pairs[is_common.any(axis=1)]
    contrasts: Iterable[Contrast]
    if is_rated.all():  # the systems themselves serve all pairs
        contrasts = [contrast_pairs(metric, statistics, units, pairs)]
    else:
        contrasts = _contrast_rated(metric, statistics, units, pairs, is_rated)
        progress = None
    sign = direction(metric)
    signs = []
    p = []
    for contrast in contrasts:
        null = contrast.swap(plan.trials, sampling.seed, jobs=plan.jobs, progress=progress)
        resampled = contrast.bootstrap(sampling.resamples, sampling.seed, jobs=plan.jobs)
        improvements = sign * np.column_stack([contrast.deltas, resampled])
        tie = rounding_error(improvements)[:, None]
        has_order = np.abs(improvements) > tie
        ordered_signs = np.where(has_order, np.sign(improvements), 0)
        signs.append(ordered_signs.astype(np.int8))
        p.append(one_sided_p(improvements, improvements[:, 0], sign * null))
    return _Decisions(np.concatenate(signs), np.concatenate(p))


def _contrast_rated(
    metric: Metric,
    statistics: np.ndarray,
    units: Units,
    pairs: np.ndarray,
    is_rated: np.ndarray,
) -> Iterator[Contrast]:
    """Contrast a few pairs at a time, each with rows of its own for its rated segments."""
    for chunk in row_chunks(len(pairs), 2 * statistics[0].size, 1 << 24):
        chunk_pairs = pairs[chunk]
        is_common = is_rated[chunk_pairs].all(axis=1)  # (pairs, segments)
        sides = statistics[chunk_pairs] * is_common[:, None, :, None]
        sides = sides.reshape(-1, *statistics.shape[1:])
        n_common = is_common.sum(axis=1)
        data = engine.UnitStatistics(metric, sides, units)
        rows = np.arange(len(sides)).reshape(-1, 2)
        yield Contrast(
            pairs=chunk_pairs,
            has_score=is_rated,
            n_common=n_common,
            statistics=sides,
            data=data,
            rows=rows,
        )


def _compare_with_people(people: _Decisions, decisions: _Decisions) -> AccuracyDraws:
    """Compute both accuracies of a metric's decisions."""
    has_tie = people.signs[:, 0] == 0
    n_ties = int(np.count_nonzero(has_tie))
    hard = accuracy(people.signs, decisions.signs)
    soft = soft_accuracy(people.p, decisions.p)
    return AccuracyDraws(len(people.p), n_ties, hard, soft)


def accuracies(
    metric: Metric, signature: str, draws: AccuracyDraws, alpha: float
) -> MetricAgreement:
    """Estimate both accuracies of a metric, with their intervals."""
    hard = hard_low = hard_high = None
    if np.isfinite(draws.hard[0]):
        hard = float(draws.hard[0])
        hard_low, hard_high = _interval(draws.hard, alpha)
    soft_low, soft_high = _interval(draws.soft, alpha)
    soft = float(draws.soft[0])
    return MetricAgreement(
        metric=metric.name,
        signature=signature,
        higher_is_better=metric.higher_is_better,
        n_pairs=draws.n_pairs,
        n_ties=draws.n_ties,
        pairwise_accuracy=hard,
        pairwise_accuracy_low=hard_low,
        pairwise_accuracy_high=hard_high,
        soft_pairwise_accuracy=soft,
        soft_pairwise_accuracy_low=soft_low,
        soft_pairwise_accuracy_high=soft_high,
    )


def _interval(draws: np.ndarray, alpha: float) -> Bounds:
    """Take percentiles of samples, moved so that their mean is what was observed.

    Samples in which people order no pair do not count.
    """
    observed = draws[0]
    samples = draws[1:]
    samples = samples[np.isfinite(samples)]
    if not len(samples):
        return 0.0, 1.0
    centred = samples - samples.mean()
    quantiles = np.quantile(centred, [alpha / 2, 1 - alpha / 2])
    low, high = np.clip(quantiles + observed, 0.0, 1.0).tolist()
    return low, high


def compare_metrics(
    draws: Sequence[AgreementDraws], order: Sequence[int]
) -> tuple[AgreementComparison, ...]:
    """Compare all pairs of metrics by the mean difference over test sets, the better metric first.

    The difference is observed and permuted in the same way. Metrics without a difference are in
    this order. p is at least the smallest that so few units can give.
    """
    permuted = np.mean([testset_draws.permuted for testset_draws in draws], axis=0)
    if not len(permuted):
        return ()
    observed = permuted[:, 0]
    least = np.abs(observed)[:, None] - TOLERANCE  # accuracies are of the size of 1
    is_reached = np.abs(permuted[:, 1:]) >= least
    p = (np.count_nonzero(is_reached, axis=1) + 1) / permuted.shape[1]
    n_units = np.array(sum(testset_draws.n_units for testset_draws in draws))
    floor = p_floor(TESTS["bootstrap"], draws[0].sampling.unit, n_units)
    p = np.maximum(p, floor)
    p_adjusted = holm(p)
    names = [metric.name for metric in draws[0].metrics]
    rank = {k: place for place, k in enumerate(order)}
    comparisons = {}
    for k, (first, second) in enumerate(combinations(range(len(names)), 2)):
        better = first
        worse = second
        delta = float(observed[k])
        p_value = float(p[k])
        adjusted = float(p_adjusted[k])
        if delta < 0 or (delta == 0 and rank[second] < rank[first]):
            better = second
            worse = first
        comparisons[rank[better], rank[worse]] = AgreementComparison(
            names[better], names[worse], abs(delta), p_value, adjusted
        )
    return tuple(comparisons[ranks] for ranks in sorted(comparisons))


def score_segments(metric: Metric, statistics: np.ndarray, is_rated: np.ndarray) -> np.ndarray:
    """Score each segment, higher where better, shape (systems, segments); 0 where not rated.

    The score of a corpus score is the jackknife pseudo-value n S - (n - 1) S', S' being the score
    without this segment.
    """
    if is_segment_mean(metric):
        scores = np.asarray(metric.score(statistics))
    else:
        counts = statistics * is_rated[..., None]
        totals = counts.sum(axis=1)
        n = np.count_nonzero(is_rated, axis=1)[:, None]
        without = np.asarray(metric.score(totals[:, None] - counts))
        without = np.where(n > 1, without, 0.0)
        with_all = np.asarray(metric.score(totals))[:, None]
        scores = n * with_all - (n - 1) * without
    return np.where(is_rated, direction(metric) * scores, 0.0)


def permute_metrics(
    scores: np.ndarray,
    is_rated: np.ndarray,
    groups: np.ndarray,
    people: np.ndarray,
    trials: int,
    seed: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """Compute differences of soft pairwise accuracy, observed and where metrics trade scores.

    PERM-BOTH of Deutsch, Dror and Roth (2021), with whole units such as documents: scores are
    standardized over all systems and segments, and a coin for each unit of each system, the same
    for all pairs of metrics, decides whether the two trade the scores of its segments. p of two
    systems then comes from the normal distribution that swaps of many units approach, with the sum
    of their squares as variance. The p of people stays as it is.

    Shapes: `scores` (metrics, systems, segments), `is_rated` (systems, segments), `groups`
    (segments,), `people` (pairs,), the result, first metric less the second, (pairs of metrics, 1 +
    trials), of which the first column is observed.
    """
    metric_pairs = engine.all_pairs(len(scores))
    if not len(metric_pairs):
        return np.empty((0, 1 + trials))
    coins = cell_bits(len(is_rated), int(groups.max()) + 1, trials, seed)
    scores = _standardize(scores, is_rated)
    pairs = engine.all_pairs(len(is_rated))
    is_common = is_rated[pairs].all(axis=1)  # (pairs of systems, segments)
    is_tested = is_common.any(axis=1)
    systems = list(zip(pairs[is_tested], is_common[is_tested], strict=True))
    distances = np.zeros((2, len(metric_pairs), 1 + trials))  # from people
    for k, ((i, j), segments) in enumerate(systems):
        scores_i = scores[:, i] * segments
        scores_j = scores[:, j] * segments
        sums_i = sum_groups(scores_i[..., None], groups)[:, :, 0]
        sums_j = sum_groups(scores_j[..., None], groups)[:, :, 0]
        p = _traded_p(sums_i[metric_pairs.T], sums_j[metric_pairs.T], coins[[i, j]])
        distances += np.abs(p - people[k])
        if progress is not None:
            progress("permutations of metrics", (k + 1) / len(systems))
    first, second = distances / len(systems)
    difference: np.ndarray = second - first
    return difference


def _standardize(scores: np.ndarray, is_rated: np.ndarray) -> np.ndarray:
    """Scale to mean 0 and variance 1 over all that is rated; 0 where not rated, or all are equal."""
    rated = scores[:, is_rated]
    means = rated.mean(axis=1)[:, None, None]
    centred = np.where(is_rated, scores - means, 0.0)
    varies = np.ptp(rated, axis=1) > rounding_error(rated)
    spread = np.where(varies, rated.std(axis=1), np.inf)
    scaled: np.ndarray = centred / spread[:, None, None]
    return scaled


def _traded_p(sums_a: np.ndarray, sums_b: np.ndarray, coins: np.ndarray) -> np.ndarray:
    """Compute one-sided p that system a is better, by both metrics of each pair.

    Where a system trades a unit, the difference by the first metric grows by the second metric's
    surplus there. So the sums of differences and of their squares over units are linear in the
    coins of both systems and in their products.

    Shapes: `sums_a, sums_b` (2, pairs, units), `coins` (2, permutations, words), result (2, pairs,
    1 + permutations).
    """
    gain_a = sums_a[1] - sums_a[0]
    gain_b = sums_b[1] - sums_b[0]
    n_units = gain_a.shape[1]
    coins_a = unpack_bits(coins[0], n_units).astype(np.float64)  # (permutations, units)
    coins_b = unpack_bits(coins[1], n_units).astype(np.float64)
    both_trade = (coins_a * coins_b) @ (gain_a * gain_b).T
    p_values = []
    for differences, a, b in (
        (sums_a[0] - sums_b[0], gain_a, gain_b),
        (sums_a[1] - sums_b[1], -gain_a, -gain_b),
    ):
        # With coins x and y a unit has the difference d + x a - y b. As x is 0 or 1, its square is
        # d^2 + x a (2 d + a) + y b (b - 2 d) - 2 x y a b.
        total = differences.sum(axis=1)
        traded_total = total + coins_a @ a.T - coins_b @ b.T
        squares = (differences**2).sum(axis=1)
        moved_by_a = a * (2 * differences + a)
        moved_by_b = b * (b - 2 * differences)
        traded_squares = squares + coins_a @ moved_by_a.T + coins_b @ moved_by_b.T - 2 * both_trade
        all_totals = np.vstack([total, traded_total])
        all_squares = np.vstack([squares, traded_squares])
        p_values.append(_normal_p(all_totals, all_squares))
    return np.swapaxes(p_values, 1, 2)


def _normal_p(totals: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Compute one-sided p of sums with the variance of their swaps; 1/2 of no difference."""
    from scipy.special import ndtr  # late: it takes long to import

    varies = squares > rounding_error(squares.T)
    spread = np.sqrt(np.where(varies, squares, 1.0))
    normal_p = ndtr(-totals / spread)
    p: np.ndarray = np.where(varies, normal_p, 0.5)
    return p


# Agreement over a shared task: in each language pair, and the mean over them.


def task_agreement(  # noqa: PLR0913  each parameter is an option of the command
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
    """Measure how far metrics decide as people do in each language pair, and on average.

    Language pairs count the same, and neither they nor systems are drawn. Intervals are of means of
    samples drawn within each language pair, and two metrics are compared by the mean difference of
    soft pairwise accuracy.

    >>> from mtsig_core.testset import SegmentScores
    >>> from mtsig_core.testset import TestSet
    >>> scores = {name: [first + k % 3 for k in range(20)] for name, first in (("A", 3.0), ("B", 2.0), ("C", 1.0))}
    >>> pair = TestSet("toy", {name: [None] * 20 for name in scores}, {}, scores={
    ...     "people": SegmentScores(scores), "mine": SegmentScores(scores)})
    >>> result = task_agreement(Task("toy", {"en-de": pair, "en-cs": pair}), "people", resamples=50)
    >>> [(row.metric, row.n_pairs, row.pairwise_accuracy) for row in result.metrics], list(result.pairs)
    ([('mine', 6, 1.0)], ['en-de', 'en-cs'])
    """
    testsets = _take_human(task, human)
    missing: dict[str, list[Caution]] = {}
    if metrics is None:
        metrics, missing = _choose_common_metrics(task.name, testsets, human)
    plan = AgreementPlan(
        human=human,
        metrics=metrics,
        unit=unit,
        block_length=block_length,
        trials=trials,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )
    draws: dict[str, AgreementDraws] = {}
    lang_pairs = {}
    for lang_pair, testset in testsets.items():
        report = prefix_stages(progress, f"{lang_pair}, ", len(draws), len(testsets))
        pair_plan = replace(plan, seed=derive_seed(seed, lang_pair))
        draws[lang_pair] = draw_accuracies(testset, pair_plan, report)
        result = summarize_draws(human, draws[lang_pair])
        cautions = (*missing.get(lang_pair, ()), *result.warnings)
        lang_pairs[lang_pair] = replace(result, warnings=cautions)
    resolved = next(iter(draws.values())).metrics
    without = [lang_pair for lang_pair in task.testsets if lang_pair not in testsets]
    rows_by_metric = zip(*(pair_draws.rows for pair_draws in draws.values()), strict=True)
    means = [_mean(metric_rows) for metric_rows in rows_by_metric]
    order = _rank_by_agreement(means)
    rows = []
    for k in order:
        signatures = [
            pair_draws.metrics[k].signature(pair_draws.testset) for pair_draws in draws.values()
        ]
        signature = " ".join(dict.fromkeys(signatures))  # tokenizers may differ
        rows.append(accuracies(resolved[k], signature, means[k], alpha))
    comparisons = compare_metrics(list(draws.values()), order)
    return TaskAgreement(
        human=human,
        task=TaskInfo.from_task(task),
        pairs=lang_pairs,
        without=tuple(without),
        alpha=alpha,
        seed=seed,
        correction=CORRECTION,
        metrics=tuple(rows),
        comparisons=comparisons,
    )


def _take_human(task: Task, human: str) -> dict[str, TestSet]:
    """Take the language pairs with human scores of two systems."""
    testsets = {
        lang_pair: testset
        for lang_pair, testset in task.testsets.items()
        if _count_rated(testset, human) > 1
    }
    if not testsets:
        check_settled(human, task.assumed)
        names: dict[str, None] = {}
        for testset in task.testsets.values():
            names |= dict.fromkeys(testset.scores)
        raise SettingError(
            f"No language pair of {task.name} has segment scores {human!r} of two systems."
            f"{suggest_name(human, names)} There are: {', '.join(names) or 'none'}.",
            {"human": "NAME"},
        )
    return testsets


def _choose_common_metrics(
    task_name: str, testsets: Mapping[str, TestSet], human: str
) -> tuple[list[str], dict[str, list[Caution]]]:
    """Choose the default metrics that all language pairs have.

    The second result has the cautions of each language pair about metrics whose tokenizer is
    missing.
    """
    available = []
    missing = {}
    for lang_pair, testset in testsets.items():
        names = default_metrics(testset, human)
        cautions = find_missing_tokenizers(testset, names, lang_pair)
        available.append([name for name in names if name not in cautions])
        missing[lang_pair] = list(cautions.values())
    common = set.intersection(*map(set, available))
    metrics = [name for name in available[0] if name in common]
    if not metrics:
        raise SettingError(
            f"No metric is in all language pairs of {task_name} that have {human}: "
            f"{', '.join(testsets)}. Choose fewer language pairs.",
            {"pairs": "XX-YY,..."},
        )
    return metrics, missing


#: Settings of a task's comparison that its agreement has, too.
AS_COMPARED = "unit", "block_length", "alpha", "resamples", "seed"


def kept_agreement(
    task: KeptTask,
    human: str,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    **settings: Any,
) -> TaskAgreement:
    """Return `task_agreement`, from disk if it was computed before."""

    def compute() -> TaskAgreement:
        return task_agreement(task.task, human, metrics, jobs=jobs, progress=progress, **settings)

    plan = AgreementPlan(human=human, metrics=metrics, **settings)
    key = (task.digest, "agreement", *astuple(plan))
    return remember(TaskAgreement, compute, *key)


def _count_rated(testset: TestSet, human: str) -> int:
    """Count the systems that have any such score."""
    if human not in testset.scores:
        return 0
    scores = testset.scores[human].by_system
    n_rated = 0
    for name in testset.systems:
        if any(score is not None for score in scores.get(name, ())):
            n_rated += 1
    return n_rated


def _mean(rows: Sequence[AccuracyDraws]) -> AccuracyDraws:
    """Average a metric over language pairs, observed and sample by sample.

    Language pairs in which people order no systems have no pairwise accuracy.
    """
    hard = [row.hard for row in rows if np.isfinite(row.hard[0])]
    n_pairs = sum(row.n_pairs for row in rows)
    n_ties = sum(row.n_ties for row in rows)
    mean_hard = np.mean(hard, axis=0) if hard else rows[0].hard
    mean_soft = np.mean([row.soft for row in rows], axis=0)
    return AccuracyDraws(n_pairs, n_ties, mean_hard, mean_soft)
