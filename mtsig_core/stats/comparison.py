"""`compare` and `score`: from a test set to scores, intervals, tested pairs, ranks and warnings."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import InputError, SettingError
from mtsig_core.metrics import (
    Metric,
    MetricLike,
    MetricsLike,
    find_tokenizer,
    is_segment_mean,
    resolve_metric,
    resolve_metrics,
)
from mtsig_core.metrics.cache import metric_key
from mtsig_core.progress import Progress, report_stage
from mtsig_core.results import (
    Comparison,
    MetricResult,
    MetricScores,
    SamplingSettings,
    Scores,
    Settings,
    SystemScore,
    TestSetInfo,
)
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import make_read_only
from mtsig_core.stats.cautions import (
    about_metrics,
    about_texts,
    find_cautions,
    join_cautions,
    repeated_references,
)
from mtsig_core.stats.decisions import decide_metric
from mtsig_core.stats.draws import MetricDraws, draw_metric
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import find_freedom
from mtsig_core.stats.intervals import Bounds, Sample, finite_ends, fitting_intervals, percentile
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.settings import (
    Plan,
    check_jobs,
    check_metric,
    check_rule_fits,
    explain_no_baseline,
    resolve,
    resolve_decisions,
    resolve_plan,
    resolve_sampling,
)
from mtsig_core.stats.significance import ONLY_LOOK, TESTS
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__


def split_by_reference(testset: TestSet, test: str) -> dict[str, TestSet]:
    """Split a test set by reference: the segments that have it, scored with it only.

    Empty if the split can show nothing: with one reference or one system, for tests that give no
    ranks, and where a system repeats a reference word for word.
    """
    has_several = len(testset.references) > 1 and len(testset.systems) > 1
    gives_ranks = TESTS[test].p_values is not None
    if not has_several or not gives_ranks or repeated_references(testset):
        return {}
    by_reference = {}
    for name, texts in testset.references.items():
        positions = [k for k, text in enumerate(texts) if text is not None]
        if positions:
            segments = testset
            if len(positions) < len(texts):
                segments = testset.take(positions)
            by_reference[name] = segments.scored_with([name])
    return by_reference


# -------------------------------------------------------------------------------------------------
# `compare`: from a test set to scores, intervals, tested pairs, ranks and warnings, in one call.


#: Draws by content and settings.
Cache = MutableMapping[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Draws:
    """The draws of a test set, from which `decide` makes comparisons."""

    testset: TestSet
    metrics: tuple[Metric, ...]
    plan: Plan
    by_metric: Mapping[str, MetricDraws]

    def __repr__(self) -> str:
        metrics = ", ".join(self.by_metric)
        plan = self.plan
        settings = f"test {plan.test}, unit {plan.unit}, seed {plan.seed}"
        return f"<Draws of {self.testset.name!r}: {metrics}; {settings}>"

    def scores(self, metric: str) -> np.ndarray:
        """Scores of the systems on bootstrap samples, in points.

        Returns
        -------
        ndarray, shape (systems, resamples)
            Read-only; the systems as in `by_metric[metric].names`, best first, and the same samples
            for all.
        """
        return make_read_only(self.by_metric[metric].systems.replicates)

    def differences(self, metric: str) -> np.ndarray:
        """Differences of all pairs on bootstrap samples of the segments that both have, in points.

        Intervals and standard errors come from these.

        Returns
        -------
        ndarray, shape (pairs, resamples)
            The pairs as in `by_metric[metric].pairs`; NaN for a pair without a common segment.
        """
        draws = self.by_metric[metric]
        is_tested = draws.n > 0
        tested = np.arange(np.count_nonzero(is_tested))
        n_resamples = draws.systems.replicates.shape[1]
        differences = np.full((len(draws.pairs), n_resamples), np.nan)
        differences[is_tested] = draws.drawn_differences(tested)
        return differences


def draw(  # noqa: PLR0913  each choice of a user is a parameter
    testset: TestSet,
    metrics: MetricsLike = ("bleu",),
    *,
    test: str = "ar",
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    resamples: int = 2000,
    seed: int = 0,
    by_reference: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
    cache: Cache | None = None,
    counted: dict[str, Measured] | None = None,
) -> Draws:
    """Count and draw all that a comparison needs; `decide` makes comparisons from it.

    Parameters
    ----------
    testset, metrics, test, unit, block_length, trials, resamples, seed, by_reference, jobs, progress
        As in `compare`.
    cache : mutable mapping, optional
        Draws by content and settings: it is read, and gets the new ones.
    counted : dict, optional
        Gets what was counted, by metric.

    Returns
    -------
    Draws
        Of all pairs of systems.

    Raises
    ------
    SettingError, InputError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> draw(ts, trials=999)
    <Draws of 'toy': bleu; test ar, unit segment, seed 0>
    """
    metrics = resolve_metrics(testset, metrics)
    for metric in metrics:
        check_metric(metric, test, "auto")
    plan, _ = resolve_plan(
        testset,
        test=test,
        unit=unit,
        block_length=block_length,
        trials=trials,
        resamples=resamples,
        seed=seed,
    )
    run = _Run(by_reference, jobs, progress, cache, counted)
    return _draw_plan(testset, metrics, plan, run)


@dataclass(frozen=True)
class _Run:
    """How metrics are drawn, as in `draw`."""

    by_reference: bool
    jobs: int
    progress: Progress | None
    cache: Cache | None
    counted: dict[str, Measured] | None = None


def _draw_plan(testset: TestSet, metrics: Sequence[Metric], plan: Plan, run: _Run) -> Draws:
    check_jobs(run.jobs)
    testset_of_reference: dict[str, TestSet] = {}
    if run.by_reference:
        names = [metric.name for metric in metrics]
        scorable = testset.keep_scorable(*names)
        testset_of_reference = split_by_reference(scorable, plan.test)
    cache = run.cache
    if cache is None:
        cache = {}
    by_metric = {}
    for metric in metrics:
        key = draws_key(testset, metric, plan, run.by_reference)
        if key not in cache:
            uses_references = not is_segment_mean(metric)
            cache[key] = draw_metric(
                testset,
                metric,
                plan,
                testset_of_reference if uses_references else {},
                jobs=run.jobs,
                progress=run.progress,
                counted=run.counted,
            )
        by_metric[metric.name] = cache[key]
    return Draws(testset, tuple(metrics), plan, by_metric)


def draws_key(
    testset: TestSet, metric: Metric, plan: Plan, by_reference: bool
) -> tuple[object, ...]:
    """All that the draws of one metric depend on."""
    key = metric_key(metric, testset)
    of_metric = (key and tuple(key), metric.name, metric.signature(testset))
    return ("draws", testset.digest, *of_metric, plan, by_reference, __version__)


def resolve_comparison(
    testset: TestSet, metrics: Sequence[Metric], **choices: Any
) -> tuple[Settings, Units]:
    """Resolve settings, and check that they fit the segments and systems that each metric scores.

    A metric of segment scores may have fewer segments and systems than the test set. Nothing is
    drawn.
    """
    settings, units = resolve(testset, metrics, **choices)
    for metric in metrics:
        scorable = testset.keep_scorable(metric.name)
        names = list(scorable.systems)
        may_not_fit = settings.block_length is not None or settings.baseline is not None
        if is_segment_mean(metric) and may_not_fit:
            measured = measure(scorable, metric)
            measured.units(settings.unit, settings.block_length)  # raises if the blocks do not fit
            names = measured.names
        if settings.baseline is not None and settings.baseline not in names:
            raise explain_no_baseline(settings.baseline, names, metric.name)
    return settings, units


def decide(
    draws: Draws,
    *,
    alpha: float = 0.05,
    correction: str = "auto",
    ci: str = "auto",
    baseline: str | None = None,
    rank_rule: str = "simultaneous",
    look: str = ONLY_LOOK,
) -> Comparison:
    """Make the comparison from draws, in milliseconds, because nothing is drawn or counted.

    Parameters
    ----------
    draws : Draws
    alpha, correction, ci, baseline, rank_rule, look
        As in `compare`.

    Returns
    -------
    Comparison
        The same as from `compare` with these settings, to the last digit.

    Raises
    ------
    SettingError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> draws = draw(ts, trials=999)
    >>> decide(draws, correction="holm") == compare(ts, trials=999, correction="holm")
    True
    """
    check_rule_fits(rank_rule, draws.metrics)
    return decide_by_fitting_rules(
        draws,
        alpha=alpha,
        correction=correction,
        ci=ci,
        baseline=baseline,
        rank_rule=rank_rule,
        look=look,
    )


def decide_by_fitting_rules(draws: Draws, *, ci: str, **choices: Any) -> Comparison:
    """As `decide`, also where the rank rule fits no metric, whose ranks are then simultaneous."""
    testset = draws.testset
    plan = draws.plan
    for metric in draws.metrics:
        check_metric(metric, plan.test, ci)
    units = make_units(testset, plan.unit, plan.block_length)
    settings = resolve_decisions(testset, plan, units, unit=plan.unit, ci=ci, **choices)
    return _decide(draws, settings, units, ci)


def _decide(draws: Draws, settings: Settings, units: Units, ci: str) -> Comparison:
    """Make the comparison with resolved settings; `ci` is the kind of interval the user chose."""
    results = {
        name: decide_metric(metric_draws, settings, ci)
        for name, metric_draws in draws.by_metric.items()
    }
    cautions = find_cautions(
        draws.testset, settings, units, draws.metrics, results, draws.by_metric
    )
    info = TestSetInfo.from_testset(draws.testset)
    return Comparison(info, settings, cautions, results)


def compare(  # noqa: PLR0913  each choice of a user is a parameter
    testset: TestSet,
    metrics: MetricsLike = ("bleu",),
    *,
    test: str = "ar",
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    correction: str = "auto",
    ci: str = "auto",
    resamples: int = 2000,
    seed: int = 0,
    baseline: str | None = None,
    rank_rule: str = "simultaneous",
    look: str = ONLY_LOOK,
    by_reference: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> Comparison:
    """Find out which differences between the systems of a test set are real.

    Parameters
    ----------
    testset : TestSet
    metrics : str, Metric, metric of sacreBLEU, function, or sequence of these
        Names of metrics or of the test set's own segment scores, metric objects with their
        settings, or functions that score a segment (see `segment_metric`). With segment scores, a
        system's score is the mean of its segments that have one, and pairs are compared on the
        segments that both systems have.
    test : {"ar", "bootstrap", "bootstrap-t", "percentile", "koehn", "riezler-maxwell", "t", "wilcoxon"}
        The last two only for means of segment scores, by segment.
    unit : {"auto", "segment", "document", "block"}
        What is drawn or swapped; ``auto`` is the document where ids exist.
    block_length : float, optional
        Mean length of stationary blocks, in segments.
    trials : int
        Draws of the test. With up to 13 segments or documents, ``ar`` tries all swaps instead, and
        p is exact.
    alpha : float
        Level of the decisions; intervals have level 1 - alpha.
    correction : {"auto", "none", "bonferroni", "holm", "bh", "by", "romano-wolf"}
    ci : {"auto", "percentile", "basic", "bca", "jackknife-t", "t"}
        ``auto`` is percentile, jackknife-t where the units are worth fewer than 400 of equal size.
    resamples : int
        Bootstrap samples behind the intervals and standard errors.
    seed : int
        The same seed gives the same result, whatever `jobs` is.
    baseline : str, optional
        Compare only with this system; there are no rank ranges then.
    rank_rule : str
        How ranks are made: "simultaneous", as rank ranges from the pairs, corrected for all pairs;
        from segment scores as tasks of WMT published ranks, "wmt21", "wmt22", "wmt22-appraise",
        "wmt22-appraise-all", "wmt23", "wmt24", "wmt25" and "wmt26"; "pearmut", as the dashboard of
        Pearmut draws lines; or "overlap", of the systems' intervals. The rule decides scores,
        order, wins and losses; pairs and their tests stay. A warning explains what the rule ignores
        and what it hides here. "wmt24" scores by the mean over domains, which the test set must
        have.
    look : str
        Which of how many planned looks at a running evaluation this is, such as ``"2/5"``. The looks
        before the last share a fifth of alpha, so that all together err as seldom as one at alpha.
    by_reference : bool
        Whether to test by each single reference too, where several references score, to see whether
        they agree on the better system.
    jobs : int
        Number of threads, -1 for all cores.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled` to stop the work.
    cache : mutable mapping, optional
        As in `draw`.

    Returns
    -------
    Comparison

    Raises
    ------
    SettingError, InputError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> pair = compare(ts, trials=999).metrics["bleu"].pairs[0]
    >>> pair.a, pair.b, pair.p_value, pair.better
    ('A', 'B', 0.001, 'a')
    """
    metrics = resolve_metrics(testset, metrics)
    check_rule_fits(rank_rule, metrics)
    settings, units = resolve_comparison(
        testset,
        metrics,
        test=test,
        unit=unit,
        block_length=block_length,
        trials=trials,
        alpha=alpha,
        correction=correction,
        ci=ci,
        resamples=resamples,
        seed=seed,
        baseline=baseline,
        rank_rule=rank_rule,
        look=look,
    )
    if cache is None and (baseline is not None or rank_rule != "simultaneous"):
        by_reference = False  # no result needs these draws
    plan = Plan.from_settings(settings)
    run = _Run(by_reference, jobs, progress, cache)
    draws = _draw_plan(testset, metrics, plan, run)
    return _decide(draws, settings, units, ci)


def join_comparisons(comparisons: Sequence[Comparison]) -> Comparison:
    """Join comparisons that differ only in the metrics, which keep their order.

    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> list(join_comparisons([compare(ts, metric, trials=999) for metric in ("bleu", "ter")]).metrics)
    ['bleu', 'ter']
    """
    first = comparisons[0]
    metrics: dict[str, MetricResult] = {}
    cautions: list[Caution] = []
    for comparison in comparisons:
        like_first = replace(comparison, metrics=first.metrics, warnings=first.warnings)
        if like_first != first:
            raise SettingError(
                "Comparisons of other test sets, settings or exclusions cannot be joined. Expected them "
                "to differ only in the metrics."
            )
        repeated = [name for name in comparison.metrics if name in metrics]
        if repeated:
            names = ", ".join(repeated)
            raise SettingError(f"{names} is in two of the comparisons. Expected each metric once.")
        metrics |= comparison.metrics
        cautions += comparison.warnings
    joined_cautions = join_cautions(cautions, metrics)
    return replace(first, metrics=metrics, warnings=joined_cautions)


# -------------------------------------------------------------------------------------------------
# `score`: scores of single systems, with signatures and no test; and with every kind of interval.


def score(
    testset: TestSet,
    metrics: MetricsLike = ("bleu",),
    *,
    progress: Progress | None = None,
) -> Scores:
    """Score all systems, without intervals or tests; a signature names every setting.

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
        raise InputError(
            f"No system in {testset.name}. Give at least one output to score.", {"system": "FILE"}
        )
    scores = {}
    for metric in metrics:
        progress_of_metric = report_stage(progress, f"{metric.name}: counting")
        scorable = testset.keep_scorable(metric.name)
        measured = measure(scorable, metric, progress=progress_of_metric)
        rows = tuple(map(SystemScore, measured.names, measured.scores.tolist()))
        signature = metric.signature(testset)
        scores[metric.name] = MetricScores(metric.name, signature, metric.higher_is_better, rows)
    tokenizers = {metric.name: find_tokenizer(metric, testset) for metric in metrics}
    cautions = (*about_metrics(testset, tokenizers), *about_texts(testset))
    info = TestSetInfo.from_testset(testset)
    return Scores(info, cautions, scores)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBootstrap:
    """The bootstrap of one system's score, in points."""

    system: str
    #: Observed; and of the replicates.
    score: float
    median: float
    drawn: np.ndarray  # shape (resamples,): Scores on bootstrap samples, read-only
    intervals: Mapping[str, Bounds | None]  # by kind; None where undefined

    def __repr__(self) -> str:
        n_samples = len(self.drawn)
        return f"<ScoreBootstrap {self.system!r}: {self.score:.4g}, {n_samples} samples>"

    def relative(self, kind: str) -> Bounds | None:
        """An interval relative to the median of the replicates; see `relative_ends`."""
        interval = self.intervals[kind]
        if interval is None:
            return None
        low, high = interval
        return relative_ends(low, self.median, high)

    def first(self, n: int, alpha: float) -> ScoreBootstrap:
        """The first n resamples, with their percentile interval.

        With fewer than 2 / alpha there is none: not even one would lie beyond each end.
        """
        scores = self.drawn[:n]
        n_needed = round(2 / alpha)
        interval = None
        if n >= n_needed:
            sample = Sample(np.array([self.score]), scores[None], np.empty((0, 0)))
            low, high = percentile(sample, alpha)
            interval = finite_ends(low[0], high[0])
        median = float(np.median(scores))
        return ScoreBootstrap(self.system, self.score, median, scores, {"percentile": interval})


def bootstrap_systems(  # noqa: PLR0913  each choice of a user is a parameter
    testset: TestSet,
    metric: MetricLike,
    *,
    only: Sequence[str] | None = None,
    unit: str = "auto",
    block_length: float | None = None,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[ScoreBootstrap, ...]:
    """Bootstrap scores and every kind of interval, best system first.

    The draws are the same as in `compare` with the same settings, so each interval is the one that
    `compare` gives.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    only : sequence of str, optional
        Only these systems.
    unit, block_length, alpha, resamples, seed, jobs
        As in `compare`.
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
    settings, measured = prepare_systems(
        testset,
        metric,
        only,
        progress,
        unit=unit,
        alpha=alpha,
        block_length=block_length,
        resamples=resamples,
        seed=seed,
    )
    return bootstrap_measured(measured, settings, jobs, progress)


def bootstrap_measured(
    measured: Measured, settings: SamplingSettings, jobs: int, progress: Progress | None
) -> tuple[ScoreBootstrap, ...]:
    """Do as `bootstrap_systems`, with statistics that are counted already."""
    units = measured.units(settings.unit, settings.block_length)
    data = measured.sum_by(units)
    scores = engine.bootstrap_scores(
        data, settings.resamples, settings.seed, jobs=jobs, progress=progress
    )
    left_out = engine.jackknife_scores(data)
    freedom = find_freedom(data, measured.stored)
    sample = Sample(data.scores, scores, left_out, measured.segment_scores, freedom)
    rules = fitting_intervals(is_segment_mean(measured.metric))
    bounds = {kind: rule(sample, settings.alpha) for kind, rule in rules.items()}
    medians = np.median(scores, axis=1)
    systems = []
    for k in measured.order:
        intervals = {kind: finite_ends(low[k], high[k]) for kind, (low, high) in bounds.items()}
        name = measured.names[k]
        score = float(data.scores[k])
        median = float(medians[k])
        drawn_scores = make_read_only(scores[k])
        fixed_intervals = MappingProxyType(intervals)
        systems.append(ScoreBootstrap(name, score, median, drawn_scores, fixed_intervals))
    return tuple(systems)


def relative_ends(low: float, median: float, high: float) -> Bounds | None:
    """Interval relative to the median, as fractions of its size (Zhang and Vogel 2004, 3.1).

    None where the median is 0.

    >>> relative_ends(18.0, 20.0, 23.0)
    (-0.1, 0.15)
    """
    if median == 0:
        return None
    size = abs(median)
    return finite_ends((low - median) / size, (high - median) / size)


def histogram(
    values: np.ndarray, n_bins: int = 60, *, within: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Edges (bins + 1,) and counts (bins,) of even bins that cover the values.

    Bins of the first values of a series cover those `within`. Values that are nearly equal get a
    wider range, because floating point cannot divide a narrow one.
    """
    if within is None:
        within = values
    low = float(within.min())
    high = float(within.max())
    largest = max(-low, high)
    least_width = 2 * n_bins * float(np.spacing(largest))
    margin = 0.0
    if low == high:
        margin = max(0.5, least_width)
    elif high - low < least_width:
        margin = least_width
    bounds = (low - margin, high + margin)
    counts, edges = np.histogram(values, n_bins, bounds)
    return edges, counts


def prepare_systems(
    testset: TestSet,
    metric: MetricLike,
    only: Sequence[str] | None,
    progress: Progress | None,
    **sampling: Any,
) -> tuple[SamplingSettings, Measured]:
    """Resolve settings without a test, and measure some systems."""
    settings, _ = resolve_sampling(testset, **sampling)
    metric = resolve_metric(testset, metric)
    if only:
        testset.only(only)  # raises for a name that is no system
    measured = measure(testset, metric, progress=progress)
    if only is not None:
        measured = measured.only(only)
    return settings, measured
