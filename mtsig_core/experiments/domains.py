"""Systems by domain: scores, tests that draw within domains, and pairs that domains decide in opposite ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.errors import SettingError, counted, unknown
from mtsig_core.metrics import Metric, depends_on_testset, metric_of, metric_title
from mtsig_core.results import (
    ByDomain,
    Caution,
    DomainPair,
    DomainScores,
    SamplingSettings,
    StratifiedPair,
    TestSetInfo,
)
from mtsig_core.stats import engine
from mtsig_core.stats.across import seed_of
from mtsig_core.stats.cautions import about_scores
from mtsig_core.stats.engine import units_apart
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, about_few_drawn, about_few_in, least_of_units, p_floor
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, effective_number
from mtsig_core.stats.settings import check_trials, resolve_sampling
from mtsig_core.stats.significance import TESTS, decide, romano_wolf, significant
from mtsig_core.testset import TestSet

__all__ = ["by_domain", "stratified_weights"]

_TESTS = ("ar", "bootstrap")
_SIDES = {1: "a", -1: "b", 0: None}


def by_domain(testset: TestSet, metric: str | Metric = "bleu", *, test: str = "ar", unit: str = "auto",
              trials: int = 9999, alpha: float = 0.05, resamples: int = 2000, seed: int = 0,
              statistics: np.ndarray | None = None, jobs: int = 1,
              progress: Callable[[str, float], None] | None = None) -> ByDomain:
    """Are the same systems better in each domain?

    Shapes: `statistics` (systems, segments, stats).

    Two families, each corrected by Romano-Wolf: all pairs on the whole set, and all pairs in all domains. A bootstrap
    sample of the whole set has as many units of each domain as there are. Swaps move units between systems, never
    between domains, so that approximate randomization of the whole set is stratified as it is.

    A domain is a test set of its own: a metric that takes its weights from the test set (NIST) takes those of a domain
    from the domain's references, as `score` and `compare` do of `TestSet.in_domain`. Bootstrap samples and swaps keep
    them.

    Examples
    --------
    >>> ref = [f"a b c d e {k}" for k in range(60)]
    >>> worse = [text[2:] for text in ref]
    >>> ts = TestSet("toy", {"A": ref[:30] + worse[30:], "B": worse[:30] + ref[30:]}, {"ref": ref},
    ...              domains=["news"] * 30 + ["social"] * 30)
    >>> pair, = by_domain(ts, "chrf", trials=999, resamples=100).pairs
    >>> pair.better, [(one.domain, one.better) for one in pair.domains], pair.reverses
    (None, [('news', 'a'), ('social', 'b')], True)
    """
    if test not in _TESTS:
        raise unknown("test", test, _TESTS)
    if unit == "block":
        raise SettingError("unit is block, and blocks run from one domain into the next. Choose document or segment.")
    metric = metric_of(testset, metric)
    report = None if progress is None else lambda share: progress("counting", share)
    testset = testset.under(metric.name)
    seen = measure(testset, metric, statistics=statistics, progress=report).best_first()
    kinds = list(dict.fromkeys(seen.testset.domains or ()))
    if not kinds:
        raise SettingError(f"{testset.name} has 0 domains. Expected at least two: a documents file with "
                           "`domain<TAB>docid` gives them.", {"docs": "FILE"})
    if len(kinds) < 2:
        raise SettingError(f"{testset.name} has segments of one domain alone, {kinds[0]}. Expected those of at least "
                           "two: choose no domain, or name others in the documents file.")
    if len(seen.names) < 2:
        raise SettingError(f"{testset.name} has {counted(len(seen.names), 'system')} with a score by {metric.name}. "
                           "Expected at least two: add an output, or leave fewer systems out.")
    sampling, units = resolve_sampling(seen.testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples,
                                       seed=seed)
    check_trials(trials, alpha, test)
    pairs = engine.all_pairs(len(seen.names))
    statistics, rows = engine.paired(seen.statistics, pairs) if seen.has_gaps else (seen.statistics, pairs)
    of = np.array([kinds.index(domain) for domain in seen.testset.domains or ()])
    drawn = _Draws(seen, statistics, rows, sampling, test, trials, jobs)
    whole = drawn.of_whole(units, of, kinds)
    counter = seen.counter()
    own = [counter(np.flatnonzero(of == k)) for k in range(len(kinds))]
    stages = [drawn.of_part(of == k, statistics[:, of == k] if seen.has_gaps else own[k], seed_of(seed, kind))
              for k, kind in _told(kinds, progress)]
    if test == "bootstrap":
        whole = _no_surer(whole, stages)
    found = _result(seen, kinds, of, pairs, whole, stages, own, sampling, test, trials)
    by_document = sampling.unit == "document"
    sizes = {"the whole set": units.n, **{
        part.domain: part.n_documents or 0 if by_document else part.n_segments for part in found.domains}}
    return replace(found, warnings=(*(() if metric.name in testset.scores else about_files(testset)),
                                    *_about(testset, metric, kinds),
                                    *about_few_in(sizes, sampling.unit, alpha, test),
                                    *_about_bootstrap(units, of, found)))


def _about_bootstrap(units: Units, of: np.ndarray, found: ByDomain) -> Iterator[Caution]:
    """The warnings about bootstraps of domains with few units, and so of the whole set, whose p each of them bounds."""
    if found.test != "bootstrap":
        return
    parts = [np.bincount(units.index[of == k]) for k in range(len(found.domains))]
    if min(map(effective_number, parts)) < FEW_FOR_BOOTSTRAP:
        yield from about_few_drawn(found.test)
    fewest = min(np.count_nonzero(sizes) for sizes in parts)
    least = float(least_of_units(TESTS[found.test], found.sampling.unit, np.array(fewest)))
    if not significant(least, found.sampling.alpha):
        yield Caution.of("whole-undecided", "No pair can be significant on the whole set either: a bootstrap within "
                                            "domains is no surer than that of the domain with the fewest units.",
                         advice="Use ar.", remedies=({"test": "ar"},))


def _about(testset: TestSet, metric: Metric, kinds: list[str]) -> Iterator[Caution]:
    """The warnings about scores that are not everywhere, the domains that have none, and weights of their own."""
    yield from about_scores(testset, metric.name)
    if depends_on_testset(metric):
        title = metric_title(metric.name)
        yield Caution(f"{metric.name}-domain-weights", f"{title} of a domain takes its weights from the references of "
                                                       "that domain alone, as where it is scored by itself. So compare "
                                                       "systems within a domain, not the scores of two domains, and "
                                                       "none with the whole set.", metric.name)
    without = [kind for kind in dict.fromkeys(testset.domains or ()) if kind not in kinds]
    if without:
        yield Caution("domains-without-scores", f"Left out, as no segment has a score by {metric.name} there: "
                                                f"{', '.join(without)}.", metric.name)


def stratified_weights(units: Units, strata: np.ndarray, seeds: list[int], block: int) -> np.ndarray:
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
    """Pairs on some segments: NaN and 1 for those without a common one. `joint` is the null for the correction."""

    some: np.ndarray  # (pairs,)
    scores: np.ndarray  # (pairs, 2)
    delta: np.ndarray  # (pairs,)
    p: np.ndarray  # (pairs,)
    joint: np.ndarray  # (pairs with a common segment, trials)
    errors: np.ndarray  # (4, pairs): interval, standard error within domains and of the whole; empty in a domain
    floor: np.ndarray  # (pairs with a common segment,): of p, where so few units are drawn or differ


@dataclass(frozen=True, eq=False)
class _Draws:
    """What all parts of a test set are drawn with; pairs are of rows of the statistics."""

    seen: Measured
    statistics: np.ndarray
    rows: np.ndarray
    sampling: SamplingSettings
    test: str
    trials: int
    jobs: int

    def of_part(self, segments: np.ndarray, statistics: np.ndarray, seed: int) -> _Part:
        """One domain, with the statistics of its segments."""
        some = engine.common(self.seen.metric, statistics, self.rows) > 0
        if not some.any():
            nothing = np.full(len(self.rows), np.nan)
            return _Part(some, np.array([nothing, nothing]).T, nothing, nothing, np.empty((0, self.trials)),
                         np.empty((4, 0)), np.empty(0))
        index = np.unique(self.seen.units(self.sampling.unit).index[segments], return_inverse=True)[1]
        units = Units(self.sampling.unit, index, int(index.max()) + 1)
        data = engine.UnitStatistics(self.seen.metric, statistics, units)
        draws = None if self.test == "ar" else engine.bootstrap_scores(data, self.trials, seed, jobs=self.jobs)
        return self._tested(data, some, draws, seed, np.empty((4, 0)))

    def of_whole(self, units: Units, of: np.ndarray, kinds: list[str]) -> _Part:
        """The whole set, its bootstrap samples drawn within domains."""
        some = engine.common(self.seen.metric, self.statistics, self.rows) > 0
        strata = np.empty(units.n, dtype=int)
        strata[units.index] = of
        seeds = [seed_of(self.sampling.seed, kind) for kind in kinds]
        data = engine.UnitStatistics(self.seen.metric, self.statistics, units)
        n = max(self.sampling.resamples, self.trials if self.test == "bootstrap" else 0)
        blocks = [data.score(data.weighted_sums(stratified_weights(units, strata, seeds, block)))
                  for block in range(-(-n // BLOCK))]
        within = np.concatenate(blocks, axis=1)[:, :n]
        np.copyto(within, data.scores[:, None], where=np.isnan(within))
        plain = engine.bootstrap_scores(data, self.sampling.resamples, self.sampling.seed, jobs=self.jobs)
        i, j = self.rows.T
        errors = np.empty((4, len(i)))
        for k, (first, second) in enumerate(self.rows):
            apart = within[first, :self.sampling.resamples] - within[second, :self.sampling.resamples]
            errors[:2, k] = np.quantile(apart, [self.sampling.alpha / 2, 1 - self.sampling.alpha / 2])
            errors[2:, k] = apart.std(ddof=1), (plain[first] - plain[second]).std(ddof=1)
        return self._tested(data, some, within[:, :self.trials], self.sampling.seed, errors)

    def _tested(self, data: engine.UnitStatistics, some: np.ndarray, draws: np.ndarray | None, seed: int,
                errors: np.ndarray) -> _Part:
        """p of each pair, and the null of all of them together."""
        i, j = self.rows[some].T
        observed = data.scores[i] - data.scores[j]
        if self.test == "ar":
            null = engine.swap_differences(data, self.rows[some], self.trials, seed, jobs=self.jobs)
        else:
            assert draws is not None, "the bootstrap is drawn"
            null = draws[i] - draws[j]
        p_values = TESTS[self.test].p_values
        assert p_values is not None, "both tests have p"
        delta, p = np.full(len(some), np.nan), np.full(len(some), np.nan)
        apart = units_apart(data, self.rows[some], np.full(len(observed), data.units.pieces))
        floor = p_floor(TESTS[self.test], data.units.kind, apart)
        delta[some], p[some] = observed, np.maximum(floor, p_values(observed, null))
        if self.test == "bootstrap":
            null = null - null.mean(axis=1, keepdims=True)
        elif null.shape[1] != self.trials:  # all swaps of few units, none swapped among them
            every = np.column_stack([observed, null])
            null = every[:, np.random.default_rng(seed).integers(every.shape[1], size=self.trials)]
        return _Part(some, data.scores[self.rows], delta, p, null, errors, floor)


def _result(seen: Measured, kinds: list[str], of: np.ndarray, pairs: np.ndarray, whole: _Part, parts: list[_Part],
            own: list[np.ndarray], sampling: SamplingSettings, test: str, trials: int) -> ByDomain:
    names, alpha = seen.names, sampling.alpha
    adjusted = _adjusted([whole])[0]
    overall = decide(seen.sign * whole.delta, alpha, p=adjusted)
    in_domains = _adjusted(parts)
    decisions = [decide(seen.sign * part.delta, alpha, p=p) for part, p in zip(parts, in_domains, strict=True)]
    documents = None if seen.testset.documents is None else seen.testset.document_index

    def sized(some: np.ndarray) -> tuple[int, int | None]:
        return int(some.sum()), None if documents is None else len(np.unique(documents[some]))

    sizes = [sized(of == k) for k in range(len(kinds))]
    rated = seen.statistics[..., -1] > 0 if seen.has_gaps else None
    rows = []
    for k, (i, j) in enumerate(pairs):
        if not whole.some[k]:
            continue
        common = sizes if rated is None else [sized((of == d) & rated[i] & rated[j]) for d in range(len(kinds))]
        inside = tuple(DomainPair(kind, float(part.delta[k]), float(part.p[k]), float(p[k]), _SIDES[int(decision[k])],
                                  float(part.scores[k, 0]), float(part.scores[k, 1]), *size)
                       for kind, part, p, decision, size in zip(kinds, parts, in_domains, decisions, common,
                                                                strict=True) if part.some[k])
        sides = {one.better for one in inside} | {_SIDES[int(overall[k])]}
        opposed = tuple(one.domain for one in inside if overall[k] * seen.sign * one.delta < 0)
        low, high, within, plain = whole.errors[:, k]
        rows.append(StratifiedPair(
            names[i], names[j], float(whole.delta[k]), float(low), float(high), float(plain), float(within),
            float(whole.p[k]), float(adjusted[k]), _SIDES[int(overall[k])], inside, opposed, {"a", "b"} <= sides))
    domains = []
    for k, kind in enumerate(kinds):
        scores = np.asarray(seen.metric.score(own[k].sum(axis=1)), dtype=np.float64)
        there = engine.common(seen.metric, own[k], np.column_stack([np.arange(len(names))] * 2)) > 0
        signature = seen.metric.signature(seen.testset.in_domain(kind)) if depends_on_testset(seen.metric) else None
        domains.append(DomainScores(kind, *sizes[k], {
            name: float(score) if some else None for name, score, some in zip(names, scores, there, strict=True)},
            signature))
    return ByDomain(seen.metric.name, seen.metric.signature(seen.testset), seen.metric.higher_is_better,
                    TestSetInfo.of(seen.testset), sampling, test, trials, tuple(names), tuple(domains), tuple(rows))


def _adjusted(parts: list[_Part]) -> list[np.ndarray]:
    """Adjusted p of all pairs in all parts together, NaN where there is nothing to test."""
    observed = np.concatenate([part.delta[part.some] for part in parts])
    stepped = romano_wolf(observed, np.concatenate([part.joint for part in parts])) if len(observed) else observed
    ends = np.cumsum([part.some.sum() for part in parts])[:-1]
    found = []
    for part, own in zip(parts, np.split(stepped, ends), strict=True):
        full = np.full(len(part.some), np.nan)
        full[part.some] = np.maximum(part.floor, own)
        found.append(full)
    return found


def _no_surer(whole: _Part, parts: list[_Part]) -> _Part:
    """The whole, drawn within domains, with p at least that which each domain can show: a bootstrap is too sure of few
    units, and those of other domains mend nothing."""
    floor = np.zeros(len(whole.some))
    floor[whole.some] = whole.floor
    for part in parts:
        floor[part.some] = np.maximum(floor[part.some], part.floor)
    return replace(whole, p=np.maximum(whole.p, floor), floor=floor[whole.some])


def _told(kinds: list[str], progress: Callable[[str, float], None] | None) -> list[tuple[int, str]]:
    """The domains in order; says that testing begins."""
    if progress is not None:
        progress("testing in each domain", 0.0)
    return list(enumerate(kinds))
