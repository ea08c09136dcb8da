"""Systems by domain: scores, tests that draw within domains, and pairs that domains decide in
opposite ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, explain_unknown, format_count
from mtsig_core.metrics import Metric, depends_on_testset, resolve_metric
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
from mtsig_core.stats.draws import PartDraws, derive_seed, draw_part, step_down, test_pairs
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    p_floor,
    units_freedom,
    welch_satterthwaite,
)
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.intervals import finite_ends
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, effective_number
from mtsig_core.stats.settings import Plan, check_trials, resolve_sampling
from mtsig_core.stats.significance import SIDES, TESTS, decide_pairs, significant
from mtsig_core.testset import TestSet

_TESTS = ("ar", "bootstrap")


def by_domain(
    testset: TestSet,
    metric: str | Metric = "bleu",
    *,
    test: str = "ar",
    unit: str = "auto",
    trials: int = 9999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    statistics: np.ndarray | None = None,
    jobs: int = 1,
    progress: Callable[[str, float], None] | None = None,
) -> ByDomain:
    """Are the same systems better in each domain?

    Shapes: `statistics` (systems, segments, stats).

    Two families, each corrected by Romano-Wolf: all pairs on the whole set, and all pairs in all
    domains. A bootstrap sample of the whole set has as many units of each domain as there are.
    Swaps move units between systems, never between domains, so that approximate randomization of
    the whole set is stratified as it is. Its intervals are Student's t by the standard errors of
    samples drawn so; see `find_half_width`.

    A domain is a test set of its own: a metric that takes its weights from the test set (NIST)
    takes those of a domain from the domain's references, as `score` and `compare` do of
    `TestSet.in_domain`. Bootstrap samples and swaps keep them.

    >>> ref = [f"a b c d e {k}" for k in range(60)]
    >>> worse = [text[2:] for text in ref]
    >>> ts = TestSet("toy", {"A": ref[:30] + worse[30:], "B": worse[:30] + ref[30:]}, {"ref": ref},
    ...              domains=["news"] * 30 + ["social"] * 30)
    >>> pair, = by_domain(ts, "chrf", trials=999, resamples=100).pairs
    >>> pair.better, [(one.domain, one.better) for one in pair.domains], pair.reverses
    (None, [('news', 'a'), ('social', 'b')], True)
    """
    if test not in _TESTS:
        raise explain_unknown("test", test, _TESTS)
    if unit == "block":
        raise SettingError(
            "unit is block, and blocks run from one domain into the next. Choose document or segment."
        )
    metric = resolve_metric(testset, metric)
    report = None if progress is None else lambda share: progress("counting", share)
    testset = testset.keep_scorable(metric.name)
    seen = measure(testset, metric, statistics=statistics, progress=report).best_first()
    kinds = list(dict.fromkeys(seen.testset.domains or ()))
    if not kinds:
        raise SettingError(
            f"{testset.name} has 0 domains. Expected at least two: a documents file with "
            "`domain<TAB>docid` gives them.",
            {"docs": "FILE"},
        )
    if len(kinds) < 2:
        raise SettingError(
            f"{testset.name} has only one domain, {kinds[0]}. Expected at least two: choose no domain, "
            "or name others in the documents file."
        )
    if len(seen.names) < 2:
        raise SettingError(
            f"{testset.name} has {format_count(len(seen.names), 'system')} with a score by "
            f"{metric.name}. Expected at least two: add an output, or leave fewer systems out."
        )
    sampling, units = resolve_sampling(
        seen.testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, alpha, test)
    pairs = engine.all_pairs(len(seen.names))
    of = np.array([kinds.index(name) for name in seen.testset.domains or ()])
    plan = Plan(test, sampling.unit, None, trials, resamples, seed)
    whole = _whole_set(seen, pairs, units, of, kinds, plan, alpha, jobs)
    counter, own, parts = seen.counter(), [], []
    if progress is not None:
        progress("testing in each domain", 0.0)
    for k, kind in enumerate(kinds):
        own.append(counter(np.flatnonzero(of == k)))
        part = Measured(seen.testset.take(np.flatnonzero(of == k).tolist()), metric, own[k])
        parts.append(
            _tested(
                draw_part(
                    part, pairs, replace(plan, resamples=0, seed=derive_seed(seed, kind)), jobs
                ),
                plan,
                np.empty((4, 0)),
            )
        )
    if test == "bootstrap":
        whole = _no_surer(whole, parts)
    result = _result(seen, kinds, of, pairs, whole, parts, own, sampling, test, trials)
    by_document = sampling.unit == "document"
    sizes = {
        "the whole set": units.n,
        **{
            part.domain: part.n_documents or 0 if by_document else part.n_segments
            for part in result.domains
        },
    }
    return replace(
        result,
        warnings=(
            *(() if metric.name in testset.scores else about_files(testset)),
            *_about(testset, metric, kinds),
            *about_few_in(sizes, sampling.unit, alpha, test),
            *_about_bootstrap(units, of, result),
        ),
    )


def _about_bootstrap(units: Units, of: np.ndarray, result: ByDomain) -> Iterator[Caution]:
    """The warnings about bootstraps of domains with few units, and so of the whole set, whose p
    each of them bounds.
    """
    if result.test != "bootstrap":
        return
    parts = [np.bincount(units.index[of == k]) for k in range(len(result.domains))]
    if min(map(effective_number, parts)) < FEW_FOR_BOOTSTRAP:
        yield from about_need_of_units(result.test)
    fewest = min(np.count_nonzero(sizes) for sizes in parts)
    least = float(p_floor(TESTS[result.test], result.sampling.unit, np.array(fewest)))
    if not significant(least, result.sampling.alpha):
        yield Caution("whole-undecided", remedies=({"test": "ar"},))


def _about(testset: TestSet, metric: Metric, kinds: list[str]) -> Iterator[Caution]:
    """The warnings about scores that are not everywhere, the domains that have none, and weights of
    their own.
    """
    yield from about_scores(testset, metric.name)
    if depends_on_testset(metric):
        yield Caution("weights-of-domains", metric=metric.name)
    without = [kind for kind in dict.fromkeys(testset.domains or ()) if kind not in kinds]
    if without:
        yield Caution("domains-without-scores", {"domains": without}, metric.name)


def stratified_weights(
    units: Units, strata: np.ndarray, seeds: list[int], block: int
) -> np.ndarray:
    """How often each unit occurs in each sample of a block, as many of each stratum as there are.

    Shapes: `strata` (units,), result (BLOCK, units).
    """
    weights = np.empty((BLOCK, units.n), dtype=np.uint16)
    for stratum, seed in enumerate(seeds):
        own = strata == stratum
        weights[:, own] = bootstrap_weights(Units.segments(int(own.sum())), seed, block)
    return weights


@dataclass(frozen=True, eq=False)
class _Part:
    """Pairs on some segments: NaN for those without a common one.

    `joint` is the null for the correction.
    """

    some: np.ndarray  # (pairs,)
    scores: np.ndarray  # (pairs, 2)
    delta: np.ndarray  # (pairs,)
    p: np.ndarray  # (pairs,)
    joint: np.ndarray  # (pairs with a common segment, trials)
    errors: (
        np.ndarray
    )  # (4, pairs): interval, standard error within domains and of the whole; empty in a domain
    floor: np.ndarray  # (pairs,): of p, where so few units are drawn or differ


def _tested(draws: PartDraws, plan: Plan, errors: np.ndarray) -> _Part:
    """P of each pair in one part, or in the whole set."""
    contrast = draws.contrast
    floor = p_floor(TESTS[plan.test], plan.unit, draws.n_apart)
    p: np.ndarray | None = contrast.deltas
    if len(contrast.rows):
        p = test_pairs(contrast.deltas, draws.replicates, TESTS[plan.test], floor, []).p
    assert p is not None, "both tests give p"
    return _Part(
        contrast.is_tested,
        contrast.fill(contrast.data.scores[contrast.rows]),
        contrast.fill(contrast.deltas),
        contrast.fill(p),
        draws.joint,
        errors,
        contrast.fill(floor),
    )


def _fill(some: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of some pairs, NaN for all others."""
    full = np.full((len(some), *values.shape[1:]), np.nan)
    full[some] = values
    return full


def _whole_set(
    seen: Measured,
    pairs: np.ndarray,
    units: Units,
    of: np.ndarray,
    kinds: list[str],
    plan: Plan,
    alpha: float,
    jobs: int,
) -> _Part:
    """The whole set, its bootstrap samples drawn within domains."""
    draws = draw_part(seen, pairs, plan, jobs)
    strata = np.empty(units.n, dtype=int)
    strata[units.index] = of
    seeds = [derive_seed(plan.seed, kind) for kind in kinds]
    assert plan.trials is not None, "both tests draw"
    data, n = (
        draws.contrast.data,
        max(plan.resamples, plan.trials if plan.test == "bootstrap" else 0),
    )
    blocks = [
        data.score(data.weighted_sums(stratified_weights(units, strata, seeds, block)))
        for block in range(-(-n // BLOCK))
    ]
    within = np.concatenate(blocks, axis=1)[:, :n]
    np.copyto(within, data.scores[:, None], where=np.isnan(within))
    sample = draws.sides.sample
    errors = np.full((4, len(pairs)), np.nan)
    for k, delta, (first, second) in zip(
        np.flatnonzero(draws.contrast.is_tested),
        draws.contrast.deltas,
        draws.contrast.rows,
        strict=True,
    ):
        se = float((within[first, : plan.resamples] - within[second, : plan.resamples]).std(ddof=1))
        left_out = sample.left_out[first] - sample.left_out[second]
        variances, worth = _split_variance(left_out, _unit_sizes(seen, pairs[k], units), strata)
        half = find_half_width(se, variances, worth, alpha)
        plain = sample.drawn[first] - sample.drawn[second]
        errors[:, k] = delta - half, delta + half, se, plain.std(ddof=1)
    if plan.test == "bootstrap":
        i, j = draws.contrast.rows.T
        differences = within[i, : plan.trials] - within[j, : plan.trials]
        draws = replace(draws, replicates=differences, joint=differences)
    return _tested(draws, plan, errors)


def _unit_sizes(seen: Measured, pair: np.ndarray, units: Units) -> np.ndarray:
    """The segments of each unit that both systems of a pair have scores for, shape (units,)."""
    if not seen.has_gaps:
        return np.bincount(units.index, minlength=units.n)
    has_score = seen.statistics[pair, :, -1] > 0
    return np.bincount(units.index[has_score.all(axis=0)], minlength=units.n)


def _split_variance(
    left_out: np.ndarray, sizes: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How much of the variance of a difference is from each domain that it has segments in, up to a
    common factor, and how many units of equal size that domain is worth; from the differences with
    one unit left out.

    Shapes: `left_out`, `sizes` and `strata` (units,), both results (domains,).
    """
    variances, worth = [], []
    for stratum in np.unique(strata[sizes > 0]):
        inside = (strata == stratum) & (sizes > 0)
        variances.append(left_out[inside].var() * np.count_nonzero(inside))
        worth.append(effective_number(sizes[inside]))
    return np.array(variances), np.array(worth)


def find_half_width(se: float, variances: np.ndarray, worth: np.ndarray, alpha: float) -> float:
    """Half of the interval of a difference whose bootstrap samples are drawn within domains; NaN
    where a domain has a single unit, as nothing says how far that may vary.

    The bootstrap lacks n / (n - 1) of the variance in each domain by itself, with the n units of
    equal size that the domain is worth. So a set of many small domains lacks more than one of as
    many units. t has the degrees of freedom of Welch and Satterthwaite.

    Parameters
    ----------
    se : float
        Standard error of the samples.
    variances, worth : ndarray, shape (domains,)
        As `_split_variance` gives them.
    """
    from scipy.special import stdtrit

    if (worth <= 1).any():
        return np.nan
    total = variances.sum()
    if total <= 0:
        return 0.0 * se
    mended = variances * worth / (worth - 1)
    freedom = welch_satterthwaite(mended, np.asarray(units_freedom(worth)))
    return float(stdtrit(freedom, 1 - alpha / 2) * se * np.sqrt(mended.sum() / total))


def _result(
    seen: Measured,
    kinds: list[str],
    of: np.ndarray,
    pairs: np.ndarray,
    whole: _Part,
    parts: list[_Part],
    own: list[np.ndarray],
    sampling: SamplingSettings,
    test: str,
    trials: int,
) -> ByDomain:
    names, alpha = seen.names, sampling.alpha
    adjusted = _adjusted([whole], test)[0]
    overall = decide_pairs(seen.sign * whole.delta, alpha, p=adjusted)
    in_domains = _adjusted(parts, test)
    decisions = [
        decide_pairs(seen.sign * part.delta, alpha, p=p)
        for part, p in zip(parts, in_domains, strict=True)
    ]
    documents = None if seen.testset.documents is None else seen.testset.document_index

    def sized(some: np.ndarray) -> tuple[int, int | None]:
        return int(some.sum()), None if documents is None else len(np.unique(documents[some]))

    sizes = [sized(of == k) for k in range(len(kinds))]
    rated = seen.statistics[..., -1] > 0 if seen.has_gaps else None
    rows = []
    for k, (i, j) in enumerate(pairs):
        if not whole.some[k]:
            continue
        common = (
            sizes
            if rated is None
            else [sized((of == d) & rated[i] & rated[j]) for d in range(len(kinds))]
        )
        inside = tuple(
            DomainPair(
                kind,
                float(part.delta[k]),
                float(part.p[k]),
                float(p[k]),
                SIDES[int(decision[k])],
                float(part.scores[k, 0]),
                float(part.scores[k, 1]),
                *size,
            )
            for kind, part, p, decision, size in zip(
                kinds, parts, in_domains, decisions, common, strict=True
            )
            if part.some[k]
        )
        sides = {one.better for one in inside} | {SIDES[int(overall[k])]}
        opposed = tuple(one.domain for one in inside if overall[k] * seen.sign * one.delta < 0)
        low, high, within, plain = whole.errors[:, k]
        ci_low, ci_high = finite_ends(low, high) or (None, None)
        rows.append(
            StratifiedPair(
                names[i],
                names[j],
                float(whole.delta[k]),
                ci_low,
                ci_high,
                float(plain),
                float(within),
                float(whole.p[k]),
                float(adjusted[k]),
                SIDES[int(overall[k])],
                inside,
                opposed,
                {"a", "b"} <= sides,
            )
        )
    domains = []
    for k, kind in enumerate(kinds):
        scores = np.asarray(seen.metric.score(own[k].sum(axis=1)), dtype=np.float64)
        there = (
            engine.count_common_segments(
                seen.metric, own[k], np.column_stack([np.arange(len(names))] * 2)
            )
            > 0
        )
        signature = (
            seen.metric.signature(seen.testset.in_domain(kind))
            if depends_on_testset(seen.metric)
            else None
        )
        domains.append(
            DomainScores(
                kind,
                *sizes[k],
                {
                    name: float(score) if some else None
                    for name, score, some in zip(names, scores, there, strict=True)
                },
                signature,
            )
        )
    return ByDomain(
        seen.metric.name,
        seen.metric.signature(seen.testset),
        seen.metric.higher_is_better,
        TestSetInfo.from_testset(seen.testset),
        sampling,
        test,
        trials,
        tuple(names),
        tuple(domains),
        tuple(rows),
    )


def _adjusted(parts: list[_Part], test: str) -> list[np.ndarray]:
    """Adjusted p of all pairs in all parts together, NaN where there is nothing to test."""
    observed, floor = (
        np.concatenate(values)
        for values in (
            [part.delta[part.some] for part in parts],
            [part.floor[part.some] for part in parts],
        )
    )
    stepped = (
        step_down(
            observed,
            np.concatenate([part.joint for part in parts]),
            TESTS[test],
            floor,
            [np.arange(len(observed))],
        )[0]
        if len(observed)
        else observed
    )
    ends = np.cumsum([part.some.sum() for part in parts])[:-1]
    return [_fill(part.some, own) for part, own in zip(parts, np.split(stepped, ends), strict=True)]


def _no_surer(whole: _Part, parts: list[_Part]) -> _Part:
    """The whole, drawn within domains, with p at least that which each domain can show: a bootstrap
    is too sure of few units, and those of other domains mend nothing.
    """
    floor = np.fmax.reduce([part.floor for part in (whole, *parts)])
    return replace(whole, p=np.fmax(whole.p, floor), floor=floor)
