"""Systems by domain: scores, tests that draw within domains, and reversals between domains."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, explain_unknown, format_count
from mtsig_core.metrics import MetricLike, depends_on_testset, resolve_metric
from mtsig_core.progress import Progress
from mtsig_core.results import (
    ByDomain,
    DomainPair,
    DomainScores,
    SamplingSettings,
    StratifiedPair,
    TestSetInfo,
)
from mtsig_core.stats import engine
from mtsig_core.stats.cautions import about_few_in, about_need_of_units, about_scores
from mtsig_core.stats.contrast import Contrast
from mtsig_core.stats.draws import PartDraws, derive_seed, draw_part, step_down, test_pairs
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    p_floor,
    units_freedom,
    welch_satterthwaite,
)
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.intervals import Bounds, finite_ends
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, effective_number
from mtsig_core.stats.settings import Plan, check_trials, resolve_sampling
from mtsig_core.stats.significance import SIDES, TESTS, decide_pairs, significant
from mtsig_core.testset import TestSet

_TESTS = ("ar", "bootstrap")


def by_domain(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike = "bleu",
    *,
    test: str = "ar",
    unit: str = "auto",
    trials: int = 9999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> ByDomain:
    """Test all pairs of systems in each domain and on the whole set.

    Two families, each corrected by Romano-Wolf: all pairs on the whole set, and all pairs in all
    domains. A bootstrap sample of the whole set has as many units of each domain as the set. Swaps
    move units between systems, never between domains, so approximate randomization is already
    stratified. Intervals of the whole set are Student's t by the standard errors of such bootstrap
    samples; see `find_half_width`.

    A domain is a test set of its own: a metric that takes its weights from the test set (NIST)
    takes the weights of a domain from the domain's references, as `score` and `compare` do for
    `TestSet.in_domain`. Bootstrap samples and swaps keep these weights.

    >>> ref = [f"a b c d e {k}" for k in range(60)]
    >>> worse = [text[2:] for text in ref]
    >>> ts = TestSet("toy", {"A": ref[:30] + worse[30:], "B": worse[:30] + ref[30:]}, {"ref": ref},
    ...              domains=["news"] * 30 + ["social"] * 30)
    >>> pair, = by_domain(ts, "chrf", trials=999, resamples=100).pairs
    >>> pair.better, [(row.domain, row.better) for row in pair.domains], pair.reverses
    (None, [('news', 'a'), ('social', 'b')], True)
    """
    if test not in _TESTS:
        raise explain_unknown("test", test, _TESTS)
    if unit == "block":
        raise SettingError(
            "unit is block, and blocks run from one domain into the next. Choose document or segment."
        )
    metric = resolve_metric(testset, metric)
    testset = testset.keep_scorable(metric.name)
    measured = measure(testset, metric, progress=progress).best_first()
    domains = list(dict.fromkeys(measured.testset.domains or ()))
    _check_enough(measured, domains)
    sampling, units = resolve_sampling(
        measured.testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, alpha, test)
    domain_of = np.array([domains.index(name) for name in measured.testset.domains or ()])
    plan = Plan(test, sampling.unit, None, trials, resamples, seed)
    study = _Study(measured, domains, domain_of, units, plan, sampling, jobs)
    whole_set, errors = _test_whole_set(study)
    if progress is not None:
        progress("testing in each domain", 0.0)
    in_domains = [_test_domain(study, k) for k in range(len(domains))]
    if test == "bootstrap":
        whole_set = _raise_p(whole_set, in_domains)
    domain_scores = [_score_domain(study, k) for k in range(len(domains))]
    pairs = _pair_rows(study, whole_set, errors, in_domains)
    cautions = _find_cautions(study, testset)
    signature = metric.signature(measured.testset)
    info = TestSetInfo.from_testset(measured.testset)
    return ByDomain(
        metric=metric.name,
        signature=signature,
        higher_is_better=metric.higher_is_better,
        testset=info,
        sampling=sampling,
        test=test,
        trials=trials,
        systems=tuple(measured.names),
        domains=tuple(domain_scores),
        pairs=tuple(pairs),
        warnings=tuple(cautions),
    )


def _check_enough(measured: Measured, domains: list[str]) -> None:
    """Check that there are two domains and two systems."""
    name = measured.testset.name
    if not domains:
        raise SettingError(
            f"{name} has 0 domains. Expected at least two: a documents file with "
            "`domain<TAB>docid` gives them.",
            {"docs": "FILE"},
        )
    if len(domains) < 2:
        raise SettingError(
            f"{name} has only one domain, {domains[0]}. Expected at least two: choose no domain, "
            "or name others in the documents file."
        )
    if len(measured.names) < 2:
        raise SettingError(
            f"{name} has {format_count(len(measured.names), 'system')} with a score by "
            f"{measured.metric.name}. Expected at least two: add an output, or exclude fewer systems."
        )


@dataclass(frozen=True, eq=False)
class _Study:
    """The systems, best first, the domains, and how to draw them."""

    measured: Measured
    domains: list[str]
    domain_of: np.ndarray  # (segments,): numbers of domains
    units: Units  # of the whole set
    plan: Plan
    sampling: SamplingSettings
    jobs: int

    @property
    def pairs(self) -> np.ndarray:
        return engine.all_pairs(len(self.measured.names))

    @cached_property
    def statistics(self) -> list[np.ndarray]:
        """The statistics of each domain as a test set of its own, (systems, segments, stats)."""
        count = self.measured.counter()
        return [count(self.segments(k)) for k in range(len(self.domains))]

    def segments(self, k: int) -> np.ndarray:
        """The segments of a domain."""
        return np.flatnonzero(self.domain_of == k)

    def size(self, segments: np.ndarray) -> tuple[int, int | None]:
        """Count segments and their documents, None without ids."""
        n_documents = None
        if self.measured.testset.documents is not None:
            n_documents = len(np.unique(self.measured.testset.document_index[segments]))
        return len(segments), n_documents

    def seed(self, k: int) -> int:
        """The seed of a domain's draws."""
        return derive_seed(self.plan.seed, self.domains[k])

    def strata(self) -> np.ndarray:
        """The domain of each unit, (units,)."""
        strata = np.empty(self.units.n, dtype=int)
        strata[self.units.index] = self.domain_of
        return strata


def _find_cautions(study: _Study, testset: TestSet) -> Iterator[Caution]:
    """Find the cautions about the domains of a test set, which may have segments without scores."""
    metric = study.measured.metric
    test = study.plan.test
    unit = study.sampling.unit
    alpha = study.sampling.alpha
    if metric.name not in testset.scores:
        yield from about_files(testset)
    yield from about_scores(testset, metric.name)
    if depends_on_testset(metric):
        yield Caution("weights-of-domains", metric=metric.name)
    unscored = [name for name in dict.fromkeys(testset.domains or ()) if name not in study.domains]
    if unscored:
        yield Caution("domains-without-scores", {"domains": unscored}, metric.name)
    units_of = {"the whole set": study.units.n}
    for k, name in enumerate(study.domains):
        n_segments, n_documents = study.size(study.segments(k))
        units_of[name] = n_segments
        if unit == "document":
            units_of[name] = n_documents or 0
    yield from about_few_in(units_of, unit, alpha, test)
    if test == "bootstrap":
        yield from _find_bootstrap_cautions(study)


def _find_bootstrap_cautions(study: _Study) -> Iterator[Caution]:
    """Find the cautions about bootstraps of domains with few units.

    The p of each domain bounds the p of the whole set.
    """
    test = study.plan.test
    n_effective = []
    n_units = []
    for k in range(len(study.domains)):
        units_of_segments = study.units.index[study.segments(k)]
        sizes = np.bincount(units_of_segments)
        n_effective.append(effective_number(sizes))
        n_units.append(np.count_nonzero(sizes))
    if min(n_effective) < FEW_FOR_BOOTSTRAP:
        yield from about_need_of_units(test)
    fewest = min(n_units)
    floor = float(p_floor(TESTS[test], study.sampling.unit, np.array(fewest)))
    if not significant(floor, study.sampling.alpha):
        yield Caution("whole-undecided", remedies=({"test": "ar"},))


def stratified_weights(
    units: Units, strata: np.ndarray, seeds: list[int], block: int
) -> np.ndarray:
    """Count how often each unit occurs in each sample of a block, as many of each stratum as there are.

    Shapes: `strata` (units,), result (BLOCK, units).
    """
    weights = np.empty((BLOCK, units.n), dtype=np.uint16)
    for stratum, seed in enumerate(seeds):
        is_inside = strata == stratum
        n_inside = int(is_inside.sum())
        weights[:, is_inside] = bootstrap_weights(Units.segments(n_inside), seed, block)
    return weights


@dataclass(frozen=True, eq=False)
class _Tested:
    """The tests of all pairs on some segments; NaN for pairs without a common one."""

    contrast: Contrast
    p: np.ndarray  # (pairs,)
    floor: np.ndarray  # (pairs,): of p, where so few units are drawn or differ
    joint: np.ndarray  # (tested pairs, trials): the null for the correction

    @classmethod
    def from_draws(cls, draws: PartDraws, plan: Plan) -> _Tested:
        contrast = draws.contrast
        test = TESTS[plan.test]
        floor = p_floor(test, plan.unit, draws.n_apart[draws.contrast.is_tested])
        p: np.ndarray | None = np.empty(0)
        if len(contrast.rows):
            p = test_pairs(contrast.deltas, draws.replicates, test, floor, []).p
        assert p is not None, "both tests give p"
        return cls(contrast, contrast.fill(p), contrast.fill(floor), draws.joint)

    @cached_property
    def deltas(self) -> np.ndarray:
        return self.contrast.fill(self.contrast.deltas)

    @cached_property
    def scores(self) -> np.ndarray:
        """Scores of both systems, (pairs, 2)."""
        return self.contrast.fill(self.contrast.data.scores[self.contrast.rows])


def _test_domain(study: _Study, k: int) -> _Tested:
    testset = study.measured.testset.take(study.segments(k).tolist())
    domain = Measured(testset, study.measured.metric, study.statistics[k])
    plan = replace(study.plan, resamples=0, seed=study.seed(k))
    return _Tested.from_draws(draw_part(domain, study.pairs, plan, study.jobs), study.plan)


@dataclass(frozen=True)
class _Error:
    """The uncertainty of a difference on the whole set."""

    interval: Bounds | None
    se: float  # of samples drawn from the whole set
    se_within: float  # of samples drawn within domains


def _test_whole_set(study: _Study) -> tuple[_Tested, dict[int, _Error]]:
    """Test the whole set, its bootstrap samples drawn within domains.

    The second result has the errors of the tested pairs by the number of the pair.
    """
    plan = study.plan
    draws = draw_part(study.measured, study.pairs, plan, study.jobs)
    contrast = draws.contrast
    sample = draws.sides.sample
    assert plan.trials is not None, "both tests draw"
    n_samples = plan.resamples
    if plan.test == "bootstrap":
        n_samples = max(n_samples, plan.trials)
    strata = study.strata()
    seeds = [study.seed(k) for k in range(len(study.domains))]
    scores = engine.bootstrap_scores(
        contrast.data,
        n_samples,
        plan.seed,
        draw_weights=lambda block: stratified_weights(study.units, strata, seeds, block),
    )
    differences = contrast.difference(scores)
    plain = contrast.difference(sample.replicates)
    left_out = contrast.difference(sample.left_out)
    errors = {}
    tested_pairs = np.flatnonzero(contrast.is_tested).tolist()
    for k, pair in enumerate(tested_pairs):
        se_within = float(differences[k, : plan.resamples].std(ddof=1))
        sizes = _unit_sizes(study.measured, study.pairs[pair], study.units)
        variances, worth = _split_variance(left_out[k], sizes, strata)
        half_width = find_half_width(se_within, variances, worth, study.sampling.alpha)
        delta = contrast.deltas[k]
        interval = finite_ends(delta - half_width, delta + half_width)
        se = float(plain[k].std(ddof=1))
        errors[pair] = _Error(interval, se, se_within)
    if plan.test == "bootstrap":
        replicates = differences[:, : plan.trials]
        draws = replace(draws, replicates=replicates, joint=replicates)
    return _Tested.from_draws(draws, plan), errors


def _unit_sizes(measured: Measured, pair: np.ndarray, units: Units) -> np.ndarray:
    """Count the segments of each unit that both systems of a pair have scores for, (units,)."""
    if not measured.has_gaps:
        return np.bincount(units.index, minlength=units.n)
    has_score = measured.statistics[pair, :, -1] > 0
    return np.bincount(units.index[has_score.all(axis=0)], minlength=units.n)


def _split_variance(
    left_out: np.ndarray, sizes: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Split the variance of a difference among the domains, up to a common factor.

    The second result is the number of units of equal size that each domain is worth. Both are from
    the differences with one unit left out, of the domains with segments of both systems. Shapes:
    `left_out`, `sizes` and `strata` (units,), both results (domains,).
    """
    variances = []
    worth = []
    for stratum in np.unique(strata[sizes > 0]):
        is_inside = (strata == stratum) & (sizes > 0)
        variances.append(left_out[is_inside].var() * np.count_nonzero(is_inside))
        worth.append(effective_number(sizes[is_inside]))
    return np.array(variances), np.array(worth)


def find_half_width(se: float, variances: np.ndarray, worth: np.ndarray, alpha: float) -> float:
    """Find half of the interval of a difference whose bootstrap samples are drawn within domains.

    NaN where a domain has a single unit, as nothing shows how far that may vary.

    In each domain, the bootstrap's variance is too small by the factor n / (n - 1), where n is the
    number of units of equal size that the domain is worth. So the variance of many small domains is
    further off than the variance of a single domain with as many units. t has the degrees of
    freedom of Welch and Satterthwaite.

    Parameters
    ----------
    se : float
        Standard error of the samples.
    variances, worth : ndarray, shape (domains,)
        As `_split_variance` gives them.
    """
    from scipy.special import stdtrit

    if (worth <= 1).any():
        return math.nan
    total = variances.sum()
    if total <= 0:
        return 0.0
    mended = variances * worth / (worth - 1)
    freedom = welch_satterthwaite(mended, np.asarray(units_freedom(worth)))
    critical = stdtrit(freedom, 1 - alpha / 2)
    growth = np.sqrt(mended.sum() / total)
    return float(critical * se * growth)


def _pair_rows(
    study: _Study, whole_set: _Tested, errors: dict[int, _Error], in_domains: list[_Tested]
) -> Iterator[StratifiedPair]:
    names = study.measured.names
    sign = study.measured.sign
    (p_adjusted,) = _adjust_together([whole_set], study.plan.test)
    decisions = decide_pairs(sign * whole_set.deltas, study.sampling.alpha, p=p_adjusted)
    rows_by_pair = _domain_rows(study, in_domains)
    for pair, error in errors.items():
        first, second = study.pairs[pair]
        a = names[first]
        b = names[second]
        decision = int(decisions[pair])
        rows = rows_by_pair[pair]
        opposed = [row.domain for row in rows if decision * sign * row.delta < 0]
        sides = {SIDES[decision], *(row.better for row in rows)}
        low, high = error.interval or (None, None)
        delta = float(whole_set.deltas[pair])
        p = float(whole_set.p[pair])
        adjusted = float(p_adjusted[pair])
        reverses = "a" in sides and "b" in sides
        yield StratifiedPair(
            a=a,
            b=b,
            delta=delta,
            ci_low=low,
            ci_high=high,
            se=error.se,
            se_stratified=error.se_within,
            p_value=p,
            p_adjusted=adjusted,
            better=SIDES[decision],
            domains=tuple(rows),
            opposed=tuple(opposed),
            reverses=reverses,
        )


def _domain_rows(study: _Study, in_domains: list[_Tested]) -> list[list[DomainPair]]:
    """Make the rows of each pair, one for each domain with a common segment."""
    measured = study.measured
    rows: list[list[DomainPair]] = [[] for _ in study.pairs]
    p_adjusted = _adjust_together(in_domains, study.plan.test)
    for k, tested in enumerate(in_domains):
        domain = study.domains[k]
        improvements = measured.sign * tested.deltas
        decisions = decide_pairs(improvements, study.sampling.alpha, p=p_adjusted[k])
        segments = study.segments(k)
        for pair in np.flatnonzero(tested.contrast.is_tested):
            common = segments
            if measured.has_gaps:
                has_score = measured.statistics[study.pairs[pair]][:, segments, -1] > 0
                common = segments[has_score.all(axis=0)]
            n_segments, n_documents = study.size(common)
            score_a, score_b = tested.scores[pair].tolist()
            delta = float(tested.deltas[pair])
            p = float(tested.p[pair])
            adjusted = float(p_adjusted[k][pair])
            decision = int(decisions[pair])
            row = DomainPair(
                domain=domain,
                delta=delta,
                p_value=p,
                p_adjusted=adjusted,
                better=SIDES[decision],
                score_a=score_a,
                score_b=score_b,
                n_segments=n_segments,
                n_documents=n_documents,
            )
            rows[pair].append(row)
    return rows


def _score_domain(study: _Study, k: int) -> DomainScores:
    metric = study.measured.metric
    statistics = study.statistics[k]
    points = np.asarray(metric.score(statistics.sum(axis=1)), dtype=np.float64)
    systems = np.arange(len(statistics))
    with_itself = np.column_stack([systems, systems])
    n_scored = engine.count_common_segments(metric, statistics, with_itself)
    scores = {}
    for row, name in enumerate(study.measured.names):
        scores[name] = float(points[row]) if n_scored[row] else None
    domain = study.domains[k]
    signature = None
    if depends_on_testset(metric):
        testset = study.measured.testset.in_domain(domain)
        signature = metric.signature(testset)
    n_segments, n_documents = study.size(study.segments(k))
    return DomainScores(domain, n_segments, n_documents, scores, signature)


def _adjust_together(tests: list[_Tested], test_name: str) -> list[np.ndarray]:
    """Adjust p of all pairs in all tests together, (pairs,) each; NaN for pairs not tested."""
    observed = np.concatenate([tested.contrast.deltas for tested in tests])
    floor = np.concatenate([tested.floor[tested.contrast.is_tested] for tested in tests])
    joint = np.concatenate([tested.joint for tested in tests])
    stepped = observed
    if len(observed):
        family = np.arange(len(observed))
        (stepped,) = step_down(observed, joint, TESTS[test_name], floor, [family])
    n_tested = [len(tested.contrast.rows) for tested in tests]
    blocks = np.split(stepped, np.cumsum(n_tested)[:-1])
    return [tested.contrast.fill(block) for tested, block in zip(tests, blocks, strict=True)]


def _raise_p(whole_set: _Tested, in_domains: list[_Tested]) -> _Tested:
    """Raise p of the whole set to what each domain can show.

    A bootstrap is too sure of few units, and units of other domains do not help.
    """
    floor = np.fmax.reduce([tested.floor for tested in (whole_set, *in_domains)])
    return replace(whole_set, p=np.fmax(whole_set.p, floor), floor=floor)
