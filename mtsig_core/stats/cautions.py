"""The rules of cautions: they find the facts that a reader of a comparison needs.

`report` writes their words.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy
from mtsig_core.languages import find_spaceless
from mtsig_core.metrics import (
    METRICS,
    Metric,
    depends_on_testset,
    explain_end,
    find_tokenizer,
    lacks_tokenizer,
    list_better_tokenizers,
    package_of,
    resolve_metric,
)
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import (
    Agreement,
    MacroResult,
    MetricResult,
    PairResult,
    RuledRanks,
    SamplingSettings,
    Settings,
    TaskAgreement,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.score_names import pick_human_scores
from mtsig_core.stats.arrays import TOLERANCE, contains_zero
from mtsig_core.stats.copies import find_copies
from mtsig_core.stats.decisions import (
    decide_studentised,
    smallest_stable_difference,
    spread_interval,
)
from mtsig_core.stats.draws import STUDENTISED, MetricDraws
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    FEW_UNITS,
    can_reach,
    count_most_units,
    differing_unit,
    fewest_trials,
    fewest_units,
    find_shortage,
    p_floor,
    rank_correction,
    suggest_settings,
)
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.ranks import (
    RANK_RULES,
    count_only_by_rule,
    count_reversed_pairs,
    find_other_leaders,
    find_top_group,
)
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.significance import (
    CORRECTIONS,
    TESTS,
    is_split,
    level_at_look,
    parse_look,
    significant,
)
from mtsig_core.stats.skew import SkewedSystem
from mtsig_core.testset import SegmentScores, TestSet, count_characters


def find_cautions(
    testset: TestSet,
    settings: Settings,
    units: Units,
    metrics: Iterable[Metric],
    results: Mapping[str, MetricResult],
    draws: Mapping[str, MetricDraws] | None = None,
) -> tuple[Caution, ...]:
    """Return all cautions: on the design, metrics, family of pairs and texts, then on single pairs."""
    metric_by_name = {metric.name: metric for metric in metrics}
    cautions = [
        *about_few_for_test(settings, units, results.values()),
        *about_runs(testset, settings, results.values()),
        *_about_design(testset, settings, units, results),
    ]
    for name, metric in metric_by_name.items():
        if depends_on_testset(metric):
            cautions.append(Caution("depends-on-size", {"n_segments": testset.n_segments}, name))
    for name, result in results.items():
        cautions += about_ratings(testset, name)
        cautions += about_raters(testset, name, settings.alpha)
        cautions += about_scores(testset, name)
        if name in metric_by_name:
            cautions += _about_equal_scores(testset, metric_by_name[name], result)
        disagreement = reference_disagreement(result, testset.n_segments)
        if disagreement:
            cautions.append(Caution("references-disagree", disagreement, name))
        if draws is not None:
            cautions += about_skew(settings, result, draws[name])
        cautions += _about_family(settings, result)
        cautions += _about_averaged_ratings(testset, settings, name)
        cautions += _about_domains_of_systems(testset, settings, result)
    cautions += _keep_relevant(about_texts(testset), testset, results)
    tokenizers = {name: result.tokenizer for name, result in results.items()}
    cautions += about_words(testset, tokenizers)
    for result in results.values():
        cautions += _about_split(settings, result)
        cautions += _about_pairs(testset, settings, result)
    return tuple(cautions)


#: Cautions about the texts that say what metrics of texts make of them.
_ABOUT_TEXT_METRICS = {"other-characters", "some-characters"}


def _keep_relevant(
    cautions: Iterable[Caution], testset: TestSet, results: Mapping[str, MetricResult]
) -> Iterator[Caution]:
    """Keep the cautions about texts that concern what was compared.

    A system may have no score of any metric; tables of scores may be all that was compared.
    """
    compared: set[str] = set()
    for result in results.values():
        compared.update(result.names)
    has_text_metric = any(name not in testset.scores for name in results)
    for caution in cautions:
        is_excluded = caution.a in testset.systems and caution.a not in compared
        is_of_metrics = caution.code in _ABOUT_TEXT_METRICS
        lacks_metric = is_of_metrics and not has_text_metric
        if not is_excluded and not lacks_metric:
            yield caution


def join_cautions(
    cautions: Iterable[Caution], results: Mapping[str, MetricResult]
) -> tuple[Caution, ...]:
    """Return the cautions of several comparisons with these results together, each once."""
    joined = list(about_several(results))
    for caution in cautions:
        if caution.code == "documents-ignored":
            facts = {**caution.facts, "se_ratio": _median_se_ratio(results)}
            caution = replace(caution, facts=facts)
        joined.append(caution)
    return tuple(dict.fromkeys(joined))


# -------------------------------------------------------------------------------------------------
# Units and the test.


def _about_design(
    testset: TestSet, settings: Settings, units: Units, results: Mapping[str, MetricResult]
) -> Iterator[Caution]:
    if len(testset.systems) == 1:
        yield Caution("one-system", a=next(iter(testset.systems)))
    yield from about_independence(testset, settings.unit)
    yield from about_copies(testset, units)
    remedy = _choose_documents(settings)
    enough = _has_enough_documents(testset, settings, results)
    se_ratio = _median_se_ratio(results)
    yield from about_ignored_documents(
        testset, settings.unit, remedy, enough=enough, se_ratio=se_ratio
    )
    yield from _about_few_units(settings, units, results)
    yield from about_definition(settings.test)
    yield from _about_look(settings)
    if any(name not in testset.scores for name in results):
        yield from about_repeated_references(testset)
    yield from about_several(results)


def _choose_documents(settings: Settings) -> dict[str, str]:
    """Return the settings of a test by document."""
    if TESTS[settings.test].of_segments:
        return {"unit": "document", "test": "ar"}
    return {"unit": "document"}


def _has_enough_documents(
    testset: TestSet, settings: Settings, results: Mapping[str, MetricResult]
) -> bool:
    """Whether a test by document could decide something."""
    n_pairs = max((len(result.tested) for result in results.values()), default=0)
    if n_pairs == 0 or settings.unit != "segment":
        return True
    by_document = replace(settings, **_choose_documents(settings))  # type: ignore[arg-type]
    n_documents = testset.n_documents or 0
    return fewest_units(by_document, n_pairs) <= n_documents


def _median_se_ratio(results: Mapping[str, MetricResult]) -> float | None:
    """Return the median over pairs of standard errors by document over those by segment."""
    ratios: list[float] = []
    for result in results.values():
        ratios += [pair.se_ratio for pair in result.pairs if pair.se_ratio is not None]
    if ratios:
        return statistics.median(ratios)
    return None


def _about_few_units(
    settings: Settings, units: Units, results: Mapping[str, MetricResult]
) -> Iterator[Caution]:
    """Warn of few units in the test set, and with scores of a metric that has other units."""
    sizes: dict[str | None, tuple[int, float]] = {None: (units.pieces, units.effective)}
    for result in results.values():
        size = (result.n_units, result.n_effective)
        if size != sizes[None]:
            sizes[result.metric] = size
    for metric, (n, worth) in sizes.items():
        if worth < FEW_UNITS:
            has_interval = n >= LEAST_UNITS
            facts = {"unit": settings.unit, "n": n, "worth": worth, "has_interval": has_interval}
            yield Caution("few-units", facts, metric)


def about_definition(test: str) -> Iterator[Caution]:
    """Warn of a test that its source defines badly, or that assumes more than others."""
    if TESTS[test].caution:
        code = "test-assumes"
        if TESTS[test].as_published:
            code = "test-as-published"
        yield Caution(code, {"test": test}, remedies=({"test": "ar"},))


def _about_look(settings: Settings) -> Iterator[Caution]:
    """Say at which level one of several looks decides."""
    look = parse_look(settings.look)
    if look.n_planned > 1:
        together = settings.alpha / level_at_look(1.0, look)
        facts = {**look._asdict(), "alpha": settings.alpha, "together": together}
        yield Caution("one-of-several-looks", facts)


def about_few_for_test(
    settings: Settings, units: Units, results: Iterable[MetricResult]
) -> Iterator[Caution]:
    """Warn that the test rejects too often with few or very unequal units."""
    n_effective = [units.effective]
    for result in results:
        n_effective.append(result.n_effective)
        n_effective += [pair.n_effective for pair in result.tested]
    if min(n_effective) < FEW_FOR_BOOTSTRAP:
        yield from about_need_of_units(settings.test)


def about_need_of_units(test: str) -> Iterator[Caution]:
    """Warn of a test that rejects too often with few units, before any data are there."""
    if TESTS[test].with_few is not None:
        yield Caution("test-needs-units", {"test": test}, remedies=({"test": "ar"},))


def about_skew(settings: Settings, result: MetricResult, draws: MetricDraws) -> Iterator[Caution]:
    """Warn of systems whose differences to the others are skewed, if the test should hold its level."""
    is_compared = settings.baseline is None or settings.baseline in draws.names
    has_fault = TESTS[settings.test].caution is not None
    if not draws.skewed or has_fault or not is_compared:
        return
    better_by_pair = decide_studentised(draws, settings)
    significant_pairs = [pair for pair in result.tested if pair.significant]
    lost = []
    for pair in significant_pairs:
        names = (pair.a, pair.b)
        if better_by_pair.get(names, pair.better) is None:
            lost.append(names)
    n_other = None
    if better_by_pair:
        n_other = sum(better is not None for better in better_by_pair.values())
    yield from warn_of_skew(
        draws.skewed,
        settings,
        result.n_units,
        result.metric,
        lost=lost,
        n_found=len(significant_pairs),
        n_other=n_other,
    )


def warn_of_skew(
    skewed: Sequence[SkewedSystem],
    settings: Settings,
    n_units: int,
    metric: str,
    *,
    lost: Sequence[tuple[str, str]] = (),
    n_found: int = 0,
    n_other: int | None = None,
) -> Iterator[Caution]:
    """Warn of these systems, if there are any.

    `lost`, `n_found` and `n_other` are what the studentised bootstrap decides, if it was asked.
    """
    if not skewed:
        return
    first = skewed[0]
    systems = [row.system for row in skewed]
    facts = {
        "systems": systems,
        "unit": settings.unit,
        "n": n_units,
        "first": first.system,
        "is_worse": first.is_worse,
        "n_far": first.n_far,
        "share": first.share,
        "named": first.named,
        "lost": lost,
        "n_found": n_found,
        "n_other": n_other,
        "test": settings.test,
    }
    remedies: tuple[dict[str, str], ...] = ()
    if n_other is not None:
        remedies = ({"test": STUDENTISED},)
    yield Caution("skewed-system", facts, metric, remedies=remedies)


def about_few_in(
    sizes: Mapping[str, int], unit: str, alpha: float, test: str | None = None
) -> Iterator[Caution]:
    """Warn of groups with few units in an experiment, such as domains.

    With a test, groups in which it cannot decide anything get another caution.
    """
    needed = 0
    if test is not None:
        needed = _count_needed(test, unit, alpha)
    hopeless = {name: n for name, n in sizes.items() if n < needed}
    few = {name: n for name, n in sizes.items() if needed <= n < FEW_UNITS}
    if hopeless:
        facts = {"parts": hopeless, "unit": unit, "alpha": alpha, "needed": needed}
        yield Caution("too-few-units-in-parts", facts)
    if few:
        yield Caution("few-units-in-parts", {"parts": few, "unit": unit})


def _count_needed(test: str, unit: str, alpha: float) -> int:
    """Return how many units a test needs to find a single pair significant."""
    n = 2
    while True:
        least = float(p_floor(TESTS[test], unit, np.array(n)))
        if significant(least, alpha):
            return n
        n += 1


# -------------------------------------------------------------------------------------------------
# Several metrics, and human scores.


def about_several(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """Warn about several metrics together."""
    if len(results) > 1:
        yield Caution("several-metrics", {"n": len(results)})
        yield from about_top_groups(results)


def about_top_groups(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """Warn that metrics name different top groups."""
    metrics_by_group: dict[frozenset[str], list[str]] = {}
    for name, result in results.items():
        top_group = find_top_group(result)
        if top_group:
            metrics_by_group.setdefault(frozenset(top_group), []).append(name)
    if len(metrics_by_group) < 2:
        return
    groups = []
    for group, metrics in metrics_by_group.items():
        best_first = results[metrics[0]].systems
        systems = [row.system for row in best_first if row.system in group]
        groups.append({"systems": systems, "metrics": metrics})
    yield Caution("top-groups-differ", {"groups": groups})


def about_one_metric(results: Mapping[str, MetricResult], *remedies: Remedy) -> Iterator[Caution]:
    """Warn that systems were compared by a single metric, unless that is human scores."""
    names = list(results)
    if len(names) != 1 or pick_human_scores(names):
        return
    (name,) = names
    if results[name].pairs:
        yield Caution("one-metric", {}, name, remedies=remedies)


def about_choice(task: TaskInfo, first: str) -> Iterator[Caution]:
    """Warn if a task has several metrics, and neither human scores nor its table decides."""
    metrics = task.own_scores
    is_open = task.primary is None and not pick_human_scores(metrics)
    if is_open and first in metrics and len(metrics) > 1:
        yield Caution("which-metric", {"metrics": metrics}, first, remedies=({"primary": "NAME"},))


def about_agreement(agreement: Agreement | TaskAgreement) -> Iterator[Caution]:
    """Warn of metrics that disagree with the human scores on most pairs, and of few units.

    A direction of the scores may be wrong, or texts that metrics cannot score well.
    """
    against = [
        row
        for row in agreement.metrics
        if row.pairwise_accuracy is not None and row.pairwise_accuracy < 0.5
    ]
    n_text_metrics = sum(row.metric in METRICS for row in agreement.metrics)
    all_are_against = n_text_metrics == sum(row.metric in METRICS for row in against)
    for row in against:
        remedies: tuple[Remedy, ...] = ()
        if row.metric not in METRICS:
            doubt = "direction"
            other_direction = "higher"
            if row.higher_is_better:
                other_direction = "lower"
            remedies = ({f"{other_direction}_is_better": row.metric},)
        elif all_are_against:
            doubt = "human scores"
        else:
            doubt = "metric"
        facts = {
            "human": agreement.human,
            "accuracy": row.pairwise_accuracy,
            "higher_is_better": row.higher_is_better,
            "doubt": doubt,
        }
        yield Caution("against-people", facts, row.metric, remedies=remedies)
    if isinstance(agreement, Agreement):
        agreements: Mapping[str, Agreement] = {agreement.testset.name: agreement}
    else:
        agreements = agreement.pairs
    cautions = chain.from_iterable(each.warnings for each in agreements.values())
    yield from dict.fromkeys(cautions)
    sizes = {name: _count_units(each.testset, each.sampling) for name, each in agreements.items()}
    sampling = agreement.sampling
    yield from about_few_in(sizes, sampling.unit, sampling.alpha)


def _count_units(info: TestSetInfo, sampling: SamplingSettings) -> int:
    if sampling.unit == "document" and info.n_documents is not None:
        return info.n_documents
    if sampling.block_length is None:
        return info.n_segments
    return round(info.n_segments / sampling.block_length)


# -------------------------------------------------------------------------------------------------
# Systems that a metric cannot separate, and disagreements between references.


_TELLING_METRICS = ("chrf", "ter", "bleu")


def _about_equal_scores(
    testset: TestSet, metric: Metric, result: MetricResult
) -> Iterator[Caution]:
    """Warn of systems with the same score in every sample.

    The score may be at an end of the metric's range, or the metric ignores their differences.
    """
    if metric.name in testset.scores:
        return
    at_end: dict[tuple[str, str], list[str]] = {}
    lowest = None
    for row in result.systems:
        reason = explain_end(metric, row.score)
        if reason is not None:
            score_and_reason = (f"{row.score:.2f}", reason)
            at_end.setdefault(score_and_reason, []).append(row.system)
            if metric.higher_is_better and round(row.score) == 0:
                lowest = row.system
    for (score, reason), names in at_end.items():
        if len(names) > 1 or lowest in names:
            yield _warn_of_equal_scores(testset, metric.name, names, score, reason)
    systems_at_end = set(chain(*at_end.values()))
    equal_pairs = []
    for pair in result.tested:
        is_equal = pair.se == 0 and pair.delta == 0
        if not is_equal or pair.a in systems_at_end:
            continue
        if not _has_same_outputs(testset, pair.a, pair.b):
            equal_pairs.append((pair.a, pair.b))
    for group in _join_pairs(equal_pairs):
        names = [row.system for row in result.systems if row.system in group]
        yield _warn_of_equal_scores(testset, metric.name, names)


def _join_pairs(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the groups of systems that pairs connect."""
    groups: list[set[str]] = []
    for pair in pairs:
        connected = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in connected]
        groups.append(set(pair).union(*connected))
    return groups


def _warn_of_equal_scores(
    testset: TestSet,
    metric: str,
    systems: Sequence[str],
    score: str | None = None,
    reason: str | None = None,
) -> Caution:
    differing = [
        (a, b) for a, b in combinations(systems, 2) if not _has_same_outputs(testset, a, b)
    ]
    these_systems = testset.only(systems)
    telling, n_told = _find_telling_metric(these_systems, metric, differing)
    facts = {
        "systems": systems,
        "score": score,
        "reason": reason,
        "other": telling,
        "n_told": n_told,
        "n_differ": len(differing),
    }
    remedies: tuple[dict[str, str], ...] = ()
    if telling is not None:
        remedies = ({"metrics": telling},)
    return Caution("cannot-tell-apart", facts, metric, remedies=remedies)


def _find_telling_metric(
    testset: TestSet, metric: str, pairs: Sequence[tuple[str, str]]
) -> tuple[str | None, int]:
    """Return the metric of texts that separates most of these pairs, and the number of them."""
    best = None
    most = 0
    if not pairs:
        return best, most
    for name in _TELLING_METRICS:
        if name == metric:
            continue
        without_scores = replace(testset, scores={})
        candidate = resolve_metric(without_scores, name)
        totals = cached_statistics(candidate, testset).sum(axis=1)
        scores = candidate.score(totals)
        score_of = dict(zip(testset.systems, scores, strict=True))
        n_told = 0
        for a, b in pairs:
            difference = abs(score_of[a] - score_of[b])
            n_told += difference > TOLERANCE * abs(score_of[a])
        if n_told > most:
            best = name
            most = int(n_told)
    return best, most


def _has_same_outputs(testset: TestSet, a: str, b: str) -> bool:
    """Whether two systems have the same outputs, in all training runs."""
    if testset.systems[a] != testset.systems[b]:
        return False
    return testset.runs.get(a) == testset.runs.get(b)


def reference_disagreement(result: MetricResult, n_segments: int) -> dict[str, Any]:
    """Return the references that give another top group than all together; empty if they agree."""
    leads = []
    for row in find_other_leaders(result):
        lead = {
            "reference": row.reference,
            "leaders": row.leaders,
            "ahead": row.ahead,
            "n_segments": row.n_segments,
        }
        leads.append(lead)
    if not leads:
        return {}
    top_group = find_top_group(result) or ()
    return {"top_group": top_group, "leads": leads, "n_segments": n_segments}


# -------------------------------------------------------------------------------------------------
# The family of pairs.


def _about_family(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    if not result.tested:
        return
    shortage = find_shortage(settings, result)
    if shortage == "units":
        yield _warn_of_few_units(settings, result)
    elif shortage == "trials":
        yield _warn_of_few_trials(settings, result)
    if shortage not in ("units", "differences"):
        yield from about_open_pairs(settings, result)
        yield from about_intervals(settings, result)
    if result.ruled is not None:
        yield about_rule(settings, result, result.ruled)
    elif any(row.rank_low for row in result.systems):
        yield from about_ranks(settings, result)


def _warn_of_few_units(settings: Settings, result: MetricResult) -> Caution:
    n_pairs = len(result.tested)
    n_units = count_most_units(result)
    test = TESTS[settings.test]
    floor = p_floor(test, settings.unit, np.array(n_units), settings.block_length, settings.trials)
    least = float(floor)
    least_adjusted = None
    if settings.correction in ("bonferroni", "holm") and n_pairs > 1:
        least_adjusted = min(1.0, least * n_pairs)
    facts = {
        "unit": settings.unit,
        "n": n_units,
        "m": n_pairs,
        "alpha": settings.alpha,
        "correction": settings.correction,
        "least": least,
        "least_adjusted": least_adjusted,
        "bootstrap": test.is_bootstrap,
        "needed": fewest_units(settings, n_pairs),
    }
    remedies = suggest_settings(settings, n_pairs, n_units)
    return Caution("too-few-units", facts, result.metric, remedies=remedies)


def _warn_of_few_trials(settings: Settings, result: MetricResult) -> Caution:
    n_pairs = len(result.tested)
    test = TESTS[settings.test]
    needed = fewest_trials(settings, n_pairs)
    remedies: list[Remedy] = []
    if needed is not None:
        remedies.append({"trials": needed})
    if test.romano_wolf:
        remedies.append({"correction": "romano-wolf"})
    facts = {
        "m": n_pairs,
        "trials": settings.trials,
        "correction": settings.correction,
        "least": test.p_floor_of_trials(settings.trials),
        "needed": needed,
        "romano_wolf": test.romano_wolf,
    }
    return Caution("family-too-large", facts, result.metric, remedies=tuple(remedies))


def about_open_pairs(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn of pairs without a significant difference, and of how large the true one may be."""
    open_pairs = []
    for pair in result.tested:
        never_differs = pair.decidable and pair.se == 0
        is_decided = pair.significant or is_split(pair, settings.alpha)
        if not is_decided and not never_differs:
            open_pairs.append(pair)
    if not open_pairs:
        return
    detectable = [pair.mdd for pair in open_pairs if pair.mdd is not None]
    n_undecidable = sum(not pair.decidable for pair in open_pairs)
    facts: dict[str, Any] = {
        "n": len(open_pairs),
        "m": len(result.tested),
        "n_pairs": len(result.pairs),
        "mdd": max(detectable, default=None),
        "n_undecidable": n_undecidable,
    }
    if result.has_rule_decisions:  # the rule counts other pairs, so the words name the test
        facts["decided_by"] = settings.test
    yield Caution("not-equal", facts, result.metric)


def about_intervals(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn where decisions disagree with the matching intervals, of all pairs together or of each."""
    jointly = CORRECTIONS[settings.correction].family_wise and len(result.tested) > 1
    odd = []
    for pair in result.pairs:
        low = pair.ci_low
        high = pair.ci_high
        if jointly:
            low = pair.ci_joint_low
            high = pair.ci_joint_high
        if low is None or high is None:
            continue
        if not pair.decidable or is_split(pair, settings.alpha):
            continue
        if pair.significant == contains_zero(low, high):
            odd.append(pair)
    if not odd:
        return
    n_significant = sum(pair.significant for pair in odd)
    works_in_steps = jointly and settings.correction in ("holm", "romano-wolf")
    trust = trusted(settings, odd)
    facts = {
        "n_open": len(odd) - n_significant,
        "n_significant": n_significant,
        "jointly": jointly,
        "in_steps": works_in_steps and n_significant > 0,
        "trust": trust,
    }
    yield Caution("interval-and-decision", facts, result.metric)


def trusted(settings: Settings, pairs: Sequence[PairResult]) -> dict[str, Any]:
    """Return what to trust in pairs whose decision and interval differ.

    That is the interval for significant pairs whose permutations vary too little (`unlike`), and
    the decision for the others; neither if a bootstrap has too few units (`needed`).
    """
    unlike = [pair for pair in pairs if pair.significant and pair.unlike]
    has_few = any(pair.n_effective < FEW_FOR_BOOTSTRAP for pair in pairs)
    needed = None
    if has_few and not unlike and TESTS[settings.test].draws == "bootstrap":
        needed = FEW_FOR_BOOTSTRAP
    names = [(pair.a, pair.b) for pair in unlike]
    n_others = len(pairs) - len(unlike)
    ratio = max((pair.swap_ratio or 0 for pair in unlike), default=None)
    return {
        "unlike": names,
        "n_others": n_others,
        "ratio": ratio,
        "needed": needed,
        "unit": settings.unit,
    }


def _about_averaged_ratings(testset: TestSet, settings: Settings, metric: str) -> Iterator[Caution]:
    """Warn of means over raters, if the task took each rating as a segment and so ranked otherwise."""
    if not RANK_RULES[settings.rank_rule].each_rating:
        return
    averaged = _find_averaged_ratings(testset, metric)
    if averaged and averaged["per_segment"] > 1:
        facts = {"rule": settings.rank_rule, "per_segment": averaged["per_segment"]}
        yield Caution("rank-rule-of-ratings", facts, metric, remedies=(_EACH_RATING,))


_EACH_RATING: Remedy = {"raters": "segments"}


def _find_averaged_ratings(testset: TestSet, metric: str) -> Mapping[str, Any]:
    """Return the facts about the ratings of which scores are means; of other scores none."""
    facts_by_code = {}
    for assumption in testset.assumed:
        if assumption.facts.get("metric") == metric:
            facts_by_code[assumption.code] = assumption.facts
    if "ratings" not in facts_by_code or "ratings-as-segments" in facts_by_code:
        return {}
    return facts_by_code["ratings"]


def _about_domains_of_systems(
    testset: TestSet, settings: Settings, result: MetricResult
) -> Iterator[Caution]:
    """Warn of systems without scores in a domain, where a rule ranks by means over domains."""
    is_by_domain = RANK_RULES[settings.rank_rule].by_domain
    if not is_by_domain or testset.domains is None or result.metric not in testset.scores:
        return
    by_system = testset.scores[result.metric].by_system
    rated = {}
    for row in result.systems:
        scores = by_system.get(row.system, ())
        domain_scores = zip(testset.domains, scores, strict=False)
        rated[row.system] = {domain for domain, score in domain_scores if score is not None}
    all_rated = set().union(*rated.values())
    lacking = [name for name, domains in rated.items() if domains < all_rated]
    if not lacking:
        return
    rated_by_all = all_rated.intersection(*(rated[name] for name in lacking))
    rated_by_some = all_rated - rated_by_all
    missing = [domain for domain in dict.fromkeys(testset.domains) if domain in rated_by_some]
    facts = {"rule": settings.rank_rule, "systems": lacking, "domains": missing}
    remedy = {"rank_rule": "simultaneous"}
    yield Caution("domains-of-systems", facts, result.metric, remedies=(remedy,))


def about_rule(settings: Settings, result: MetricResult, ruled: RuledRanks) -> Caution:
    """Warn of what ranks by a rule other than simultaneous ranks ignore and hide."""
    facts = {
        "rule": settings.rank_rule,
        "of_means": ruled.means is not None,
        "has_clusters": bool(ruled.clusters),
        "inside": ruled.significant_inside,
        "inside_apart": ruled.inside_apart,
        "turned": count_reversed_pairs(result),
        "only_by_rule": count_only_by_rule(result),
        "changed": ruled.changed,
        "n_systems": len(result.systems),
    }
    remedy = {"rank_rule": "simultaneous"}
    return Caution("rank-rule", facts, result.metric, remedies=(remedy,))


def about_ranks(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn that ranks and decisions have different corrections.

    There is no caution if they agree on the top group and both hold for all pairs.
    """
    correction_of_ranks = rank_correction(settings)
    differ = rank_disagreement(result)
    for_all = CORRECTIONS[settings.correction].family_wise
    is_same = settings.correction == correction_of_ranks
    if is_same or (for_all and not differ):
        return
    facts = {
        "own": correction_of_ranks,
        "correction": settings.correction,
        "for_all": for_all,
        "differ": differ,
    }
    yield Caution("ranks-and-correction", facts, result.metric)


def rank_disagreement(result: MetricResult | MacroResult) -> dict[str, Any]:
    """Return where decisions and ranks differ; empty if they agree or there are no ranks.

    `wary` systems have no significant loss and are not in the top group, `bold` systems have a loss and
    are in it. `n_apart` pairs are not significant, and their rank ranges do not overlap.
    """
    if all(row.rank_low is None for row in result.systems):
        return {}
    lost = set()
    for pair in result.pairs:
        if pair.better == "a":
            lost.add(pair.b)
        elif pair.better == "b":
            lost.add(pair.a)
    n_systems = len(result.systems)
    ranks = {}
    for row in result.systems:
        low = row.rank_low or 1
        high = row.rank_high or n_systems
        ranks[row.system] = range(low, high + 1)
    has_decidable = any(pair.decidable for pair in result.pairs)
    is_undecided = bool(result.pairs) and not has_decidable
    wary = [name for name in ranks if ranks[name].start > 1 and name not in lost]
    bold = [row.system for row in result.systems if row.rank_low == 1 and row.system in lost]
    n_apart = 0
    for pair in result.pairs:
        if pair.decidable and pair.better is None:
            n_apart += _are_apart(ranks[pair.a], ranks[pair.b])
    differ = {"undecided": is_undecided, "wary": wary, "bold": bold, "n_apart": n_apart}
    if any(differ.values()):
        return differ
    return {}


def _are_apart(first: range, second: range) -> bool:
    is_first_ahead = first.stop <= second.start
    is_second_ahead = second.stop <= first.start
    return is_first_ahead or is_second_ahead


def _about_split(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn where the test's own statistic favours a system that does not score higher."""
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    if not split:
        return
    favoured_first = []
    for pair in split:
        names = (pair.b, pair.a)
        if pair.favours == "a":
            names = (pair.a, pair.b)
        favoured_first.append(names)
    facts = {
        "test": settings.test,
        "m": len(result.tested),
        "pairs": favoured_first,
        "scores_equal": split[0].delta == 0,
    }
    yield Caution("split-decision", facts, result.metric, remedies=({"test": "ar"},))


# -------------------------------------------------------------------------------------------------
# Single pairs.


def _about_pairs(testset: TestSet, settings: Settings, result: MetricResult) -> Iterator[Caution]:
    draws_limit_p = find_shortage(settings, result) is None and not result.exact
    some_are_decidable = any(pair.decidable for pair in result.pairs)
    floor = TESTS[settings.test].p_floor_of_trials(settings.trials)
    near_at_least = []
    # Reports show the first of them.
    for pair in sorted(result.pairs, key=lambda pair: pair.n_units):
        yield from _about_common(testset, settings, result, pair, some_are_decidable)
    for pair in result.pairs:
        names = (result.metric, pair.a, pair.b)
        facts = _few_differences(testset, settings, result, pair)
        if facts:
            yield Caution("few-differences", facts, *names)
        is_of_texts = result.metric not in testset.scores
        if is_of_texts and _has_same_outputs(testset, pair.a, pair.b):
            yield Caution("identical-outputs", {}, *names)
        elif pair.n and _has_same_scores(testset, pair, result.metric):
            yield Caution("identical-scores", {"n": pair.n}, *names)
        elif pair.decidable and draws_limit_p and is_near(pair, settings):
            p_value = pair.p_value or 0
            if p_value <= floor:
                near_at_least.append(pair)
            else:
                facts = {"p": pair.p_adjusted, "correction": settings.correction}
                facts["n_pairs"] = len(result.tested)
                yield Caution("near-alpha", facts, *names, remedies=_add_trials(settings))
    yield from about_near_at_least(settings, result, near_at_least)


def _about_common(
    testset: TestSet,
    settings: Settings,
    result: MetricResult,
    pair: PairResult,
    some_are_decidable: bool,
) -> Iterator[Caution]:
    """Warn of a pair with few common segments, unless all pairs have too few."""
    names = (result.metric, pair.a, pair.b)
    if pair.n == 0:
        yield Caution("no-common-line", {}, *names)
        return
    n_units = np.array([pair.n_units])
    could_be_significant = can_reach(settings, n_units, "none").any()
    if some_are_decidable and not pair.decidable and not could_be_significant:
        facts = {"unit": settings.unit, "n": pair.n_units}
        yield Caution("too-few-common-units", facts, *names)
        return
    has_few_units = pair.n_effective < FEW_UNITS <= result.n_effective
    has_few_segments = pair.n < FEW_UNITS <= testset.n_segments
    if has_few_units or has_few_segments:
        n_documents = None
        worth = None
        if settings.unit == "document":
            n_documents = pair.n_units
            worth = pair.n_effective
        common = {"n": pair.n, "n_documents": n_documents, "worth": worth}
        yield Caution("few-common-lines", common, *names)


def _few_differences(
    testset: TestSet, settings: Settings, result: MetricResult, pair: PairResult
) -> dict[str, Any]:
    """Return in how few units the scores of a pair differ, if that bounds its p; else empty."""
    if pair.n_apart is None:
        return {}
    test = TESTS[settings.test]
    n_apart = np.array(pair.n_apart)
    least = float(p_floor(test, settings.unit, n_apart, settings.block_length))
    is_larger = pair.p_value is None or pair.p_value > least
    if least <= 0 or (pair.decidable and is_larger):
        return {}
    n_texts = _count_differing_texts(testset, settings, pair, result.metric)
    n_all = pair.n_units
    if settings.unit == "block":
        n_all = pair.n
    return {
        "unit": differing_unit(settings),
        "n": pair.n_apart,
        "n_texts": n_texts,
        "n_all": n_all,
        "least": least,
        "bootstrap": test.is_bootstrap,
    }


def _count_differing_texts(
    testset: TestSet, settings: Settings, pair: PairResult, metric: str
) -> int:
    """Count the units in which the outputs of two systems differ; 0 for a metric of given scores."""
    if metric in testset.scores:
        return 0
    first_runs = [testset.systems[pair.a], *testset.runs.get(pair.a, ())]
    second_runs = [testset.systems[pair.b], *testset.runs.get(pair.b, ())]
    segments = set()
    for first, second in zip(first_runs, second_runs, strict=False):
        texts = zip(first, second, strict=True)
        segments |= {
            segment for segment, (text, second_text) in enumerate(texts) if text != second_text
        }
    if differing_unit(settings) == "document":
        return len({testset.document_index[segment] for segment in segments})
    return len(segments)


def _has_same_scores(testset: TestSet, pair: PairResult, metric: str) -> bool:
    """Whether two systems have the same given segment score wherever both have one."""
    if metric not in testset.scores:
        return False
    by_system = testset.scores[metric].by_system
    if pair.a not in by_system or pair.b not in by_system:
        return False
    scores = zip(by_system[pair.a], by_system[pair.b], strict=True)
    return all(a == b or a is None or b is None for a, b in scores)


def is_near(pair: PairResult, settings: Settings) -> bool:
    """Whether the adjusted p is within two Monte Carlo standard errors of alpha."""
    if settings.trials is None or pair.p_value is None or pair.p_adjusted is None:
        return False
    if settings.correction == "romano-wolf":  # itself a share of the replicates
        share = pair.p_adjusted
        multiple = 1.0
    else:  # a multiple of a share
        share = pair.p_value / TESTS[settings.test].steps
        multiple = pair.p_adjusted / share
    error_of_share = math.sqrt(share * (1 - share) / settings.trials)
    error = multiple * error_of_share
    distance = abs(pair.p_adjusted - settings.alpha)
    return error > 0 and pair.p_adjusted < 1 and distance <= 2 * error


def about_near_at_least(
    settings: Settings, result: MetricResult, near: Sequence[PairResult]
) -> Iterator[Caution]:
    """Warn of pairs with the smallest p that so many trials can give, if that is near alpha."""
    if not near:
        return
    p_values = [pair.p_adjusted or 0.0 for pair in near]
    facts = {
        "n": len(near),
        "trials": settings.trials,
        "correction": settings.correction,
        "p_low": min(p_values),
        "p_high": max(p_values),
    }
    remedies = _add_trials(settings)
    yield Caution("near-alpha-at-the-least-p", facts, result.metric, remedies=remedies)


def _add_trials(settings: Settings) -> tuple[Remedy, ...]:
    n_trials = settings.trials or 0
    return ({"trials": 5 * n_trials + 4},)


# -------------------------------------------------------------------------------------------------
# Training runs.


def about_runs(
    testset: TestSet, settings: Settings, results: Iterable[MetricResult]
) -> Iterator[Caution]:
    """Warn about training runs."""
    if not testset.runs:
        return
    low, high = spread_interval(1.0, testset.n_runs, settings.alpha)
    facts = {"n": testset.n_runs, "level": 1 - settings.alpha, "low": low, "high": high}
    yield Caution("training-runs", facts)
    single = [name for name in testset.systems if name not in testset.runs]
    if single:
        yield Caution("single-run", {"names": single})
    for name, outputs in testset.runs.items():
        distinct = {testset.systems[name], *outputs}
        if len(distinct) <= len(outputs):
            yield Caution("identical-runs", a=name)
    for result in results:
        if not result.runs:
            yield Caution("runs-not-rated", metric=result.metric)
        yield from _about_unstable_pairs(settings, result)


def _about_unstable_pairs(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn of significant pairs that other training runs may reverse."""
    for pair, row in zip(result.pairs, result.pair_runs, strict=False):
        needed = smallest_stable_difference(row, settings.alpha)
        if not pair.significant or needed is None or not row.se_total:
            continue
        size = abs(pair.delta)
        if size < needed:
            facts = {"errors": size / row.se_total, "needed": needed / row.se_total}
            yield Caution("runs-may-turn", facts, result.metric, pair.a, pair.b)


# -------------------------------------------------------------------------------------------------
# The texts, documents and ratings of a test set, with or without a comparison.


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warn of texts that are empty, not meant to be translated, or of a wrong file."""
    documents = testset.documents or ()
    domains = testset.domains or ()
    for line, document, domain in zip(testset.lines, documents, domains or documents, strict=False):
        if "canary" in (document, domain):
            yield Caution("canary", {"line": line})
            break
    domains_of: dict[str, set[str]] = {}
    for document, domain in zip(documents, domains, strict=False):
        domains_of.setdefault(document, set()).add(domain)
    torn = [document for document, in_domains in domains_of.items() if len(in_domains) > 1]
    if torn:
        yield Caution("documents-in-domains", {"documents": torn, "n_documents": len(domains_of)})
    if testset.has_texts:
        yield from _about_empty("System", testset.systems, testset.lines)
        yield from _about_empty("Reference", testset.references, testset.lines)
        yield from about_files(testset)


def _about_empty(
    role: str, texts_by_name: Mapping[str, Sequence[str | None]], lines: Sequence[int]
) -> Iterator[Caution]:
    empty: dict[str, list[int]] = {}
    for name, texts in texts_by_name.items():
        empty[name] = []
        for line, text in zip(lines, texts, strict=True):
            if text is not None and not text.strip():
                empty[name].append(line)
    for name in sorted(empty, key=lambda name: -len(empty[name])):  # the worst first
        texts = texts_by_name[name]
        n = len(empty[name])
        n_present = len(texts) - texts.count(None)
        if n == 0:
            continue
        if n == n_present:
            yield Caution("all-empty", {"role": role, "n": n}, a=name)
        else:
            facts = {"role": role, "n": n, "n_present": n_present, "line": empty[name][0]}
            yield Caution("empty-lines", facts, a=name)


def about_words(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warn of metrics, by name, whose tokenizer does not cut the references into words."""
    if not any(tokenizers.values()):
        return
    language = find_spaceless(chain(*testset.references.values()))
    if language is None:
        return
    for metric, tokenizer in tokenizers.items():
        better = list_better_tokenizers(tokenizer, language)
        if not better:
            continue
        remedies: tuple[Remedy, ...] = tuple({"tokenize": name} for name in better)
        if tokenizer == "tercom":
            remedies = ({"metrics": "chrf"}, {"metrics": "bleu", "tokenize": better[0]})
        facts = {"language": language, "tokenizer": tokenizer, "better": better}
        yield Caution("tokenizer-and-script", facts, metric, remedies=remedies)


def about_missing_tokenizer(testset: TestSet, metric: str, lang_pair: str) -> Caution:
    """Warn that a metric is left out of a language pair because its tokenizer is not installed."""
    tokenizer = find_tokenizer(resolve_metric(testset, metric), testset)
    package = package_of(str(tokenizer))
    facts = {"pair": lang_pair, "tokenizer": tokenizer, "package": package}
    return Caution("tokenizer-missing", facts, metric, remedies=({"metrics": "chrf"},))


def find_missing_tokenizers(
    testset: TestSet, metrics: Iterable[str], lang_pair: str
) -> dict[str, Caution]:
    """Return the metrics of texts whose tokenizer is not installed.

    Each name has the caution that the metric is left out of a language pair.
    """
    missing = {}
    for name in metrics:
        is_of_texts = name not in testset.scores and name in METRICS
        if not is_of_texts:
            continue
        metric = resolve_metric(testset, name)
        if lacks_tokenizer(metric, testset):
            missing[name] = about_missing_tokenizer(testset, name, lang_pair)
    return missing


def about_metrics(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warn about metrics (by name, with the tokenizer of each) on this test set."""
    for metric in tokenizers:
        yield from about_ratings(testset, metric)
    yield from about_words(testset, tokenizers)


#: So many documents of one segment each are more likely ids of segments.
LEAST_DOCUMENTS = 10


def about_independence(testset: TestSet, unit: str) -> Iterator[Caution]:
    """Warn that segments may depend on each other, if documents are unknown or have one segment."""
    n = testset.n_segments
    has_one_each = testset.n_documents == n and n >= LEAST_DOCUMENTS
    if has_one_each and unit != "block":
        yield Caution("one-segment-documents", {"n": n})
    if testset.documents is not None:
        return
    if unit == "block":
        yield Caution("blocks-for-documents", remedies=({"docs": "FILE"},))
        return
    remedies: tuple[Remedy, ...] = ({"unit": "block"},)
    if testset.has_texts:
        remedies = ({"docs": "FILE"}, *remedies)
    yield Caution("no-documents", {"has_texts": testset.has_texts}, remedies=remedies)


def about_copies(testset: TestSet, units: Units) -> Iterator[Caution]:
    """Warn of segments that occur in several units, if that makes tests and intervals too sure."""
    copies = find_copies(testset, units)
    if copies is None or not copies.matters:
        return
    worth = units.pieces / copies.inflation
    facts = {
        "n": copies.n,
        "n_segments": copies.n_segments,
        "line": copies.line,
        "first_line": copies.first_line,
        "unit": units.kind,
        "worth": worth,
        "n_units": units.pieces,
        "has_sources": testset.sources is not None,
        "has_references": bool(testset.references),
    }
    yield Caution("copied-segments", facts)


def about_ignored_documents(
    testset: TestSet,
    unit: str,
    remedy: Remedy,
    *,
    enough: bool = True,
    se_ratio: float | None = None,
) -> Iterator[Caution]:
    """Warn that segments are the unit although documents are known.

    `enough` says whether a test by document could decide something.
    """
    if testset.documents is None or unit != "segment":
        return
    n_documents = testset.n_documents or 0
    facts = {"n_documents": n_documents, "enough": enough, "se_ratio": se_ratio}
    remedies: tuple[Remedy, ...] = ()
    if enough:
        remedies = (remedy,)
    yield Caution("documents-ignored", facts, remedies=remedies)


def about_repeated_references(testset: TestSet) -> Iterator[Caution]:
    """Warn of each system that is a reference."""
    for reference, system in repeated_references(testset):
        has_others = len(testset.references) > 1
        facts = {"reference": reference, "has_others": has_others}
        remedy = {"exclude": system}
        yield Caution("reference-among-systems", facts, a=system, remedies=(remedy,))


def repeated_references(testset: TestSet) -> list[tuple[str, str]]:
    """Return the references that systems repeat word for word, each with one of these systems."""
    repeated = []
    for reference, texts in testset.references.items():
        if not any(texts):
            continue
        for system, output in testset.systems.items():
            lines = zip(texts, output, strict=True)
            if all(text in (None, line) for text, line in lines):
                repeated.append((reference, system))
    return repeated


def about_ratings(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warn of human translations with ratings that are not ranked, or with only ratings."""
    if metric not in testset.scores:
        if testset.textless_systems:
            yield Caution("ratings-alone", {"names": testset.textless_systems}, metric)
        return
    by_system = testset.scores[metric].by_system
    for name in testset.rated_humans:
        n = sum(score is not None for score in by_system.get(name, ()))
        if n > 0:
            remedy = {"refs_as_systems": True}
            facts = {"name": name, "n": n}
            yield Caution("ratings-of-references", facts, metric, remedies=(remedy,))


#: How many times too wide the standard error of a difference that is adjusted for raters may be
#: without a caution.
WIDE_BY_RATERS = 1.25


def about_raters(testset: TestSet, metric: str, alpha: float) -> Iterator[Caution]:
    """Warn where scores that are adjusted for raters do not compare systems as they seem to."""
    for assumption in testset.assumed:
        facts = assumption.facts
        if assumption.metric != metric:
            continue
        if assumption.code == "rater-favour" and significant(facts["p"], alpha):
            yield Caution("raters-favour-systems", {"p": facts["p"]}, metric)
        if assumption.code == "rater-links" and facts["widening"] > WIDE_BY_RATERS:
            a = facts["a"]
            b = facts["b"]
            if a in testset.systems and b in testset.systems:
                widths = {"worth": facts["worth"], "widening": facts["widening"]}
                yield Caution("few-rater-links", widths, metric, a, b)


def about_scores(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warn of missing segment scores, for a metric that is a mean of them."""
    if metric not in testset.scores:
        return
    by_system = testset.scores[metric].by_system
    all_segments = frozenset(range(testset.n_segments))
    rated = {}
    for name in testset.systems:
        scores = by_system.get(name, ())
        if len(scores) == testset.n_segments and None not in scores:
            rated[name] = all_segments  # as most often, and shared by all systems
        else:
            rated[name] = frozenset(k for k, score in enumerate(scores) if score is not None)
    without = [name for name, segments in rated.items() if not segments]
    if without:
        yield Caution("not-rated", {"names": without, "n_systems": len(rated)}, metric)
    n_rated = len(frozenset().union(*rated.values()))
    if n_rated < testset.n_segments:
        yield Caution("partly-rated", {"n": n_rated, "n_segments": testset.n_segments}, metric)
    sets = [segments for segments in rated.values() if segments]
    if len(set(sets)) > 1:
        sizes = [len(segments) for segments in sets]
        compared = any(not first.isdisjoint(second) for first, second in combinations(sets, 2))
        facts = {
            "low": min(sizes),
            "high": max(sizes),
            "compared": compared,
            "follows_means": _follows_means(testset.scores[metric]),
            "across_raters": False,
        }
        remedies: tuple[Remedy, ...] = ()
        averaged = _find_averaged_ratings(testset, metric)
        if averaged and averaged["n_raters"] > 1 and not testset.references:
            facts["across_raters"] = True
            remedies = (_EACH_RATING, {"raters": "adjusted"})
        yield Caution("rated-on-different-lines", facts, metric, remedies=remedies)


#: Ratings of the system with the most by those of the one with the fewest, and correlation of ranks
#: of the numbers of ratings and the means, above which the assignment seems to follow the means.
_UNEQUAL = 1.5
_FOLLOWING = 0.5
_LEAST_FOLLOWING = 4  # systems, of which fewer are in order by chance


def _follows_means(scores: SegmentScores) -> bool:
    """Whether the better systems have more ratings, as where these decide what is rated next."""
    from scipy.stats import spearmanr

    sizes = []
    means = []
    for by_line in scores.by_system.values():
        values = [score for score in by_line if score is not None]
        if values:
            sizes.append(len(values))
            means.append(statistics.fmean(values))
    is_unequal = len(sizes) >= _LEAST_FOLLOWING and max(sizes) >= _UNEQUAL * min(sizes)
    if not is_unequal or len(set(means)) == 1:
        return False
    correlation = float(spearmanr(sizes, means).statistic)
    if not scores.higher_is_better:
        correlation = -correlation
    return correlation >= _FOLLOWING


# -------------------------------------------------------------------------------------------------
# Cautions about a test set when it is opened.


#: Characters of a system's output / of the reference, in all.
_TOO_SHORT = 0.5
_TOO_LONG = 2.0


def find_file_cautions(testset: TestSet) -> list[Caution]:
    """Return all cautions that a test set needs as it is opened, before anything is compared."""
    cautions = list(about_texts(testset))
    for metric in testset.scores:
        cautions += about_ratings(testset, metric)
    unit = "document"
    if testset.documents is None:
        unit = "segment"
    if testset.documents is not None:
        cautions += about_independence(testset, unit)
    cautions += about_copies(testset, make_units(testset, unit))
    if not testset.has_texts:
        return cautions
    for a, b in combinations(testset.systems, 2):
        if testset.systems[a] == testset.systems[b]:
            cautions.append(Caution("identical-outputs", a=a, b=b))
    cautions += about_repeated_references(testset)
    cautions += _about_lengths(testset)
    return cautions


def _about_lengths(testset: TestSet) -> Iterator[Caution]:
    reference, texts = next(iter(testset.references.items()))
    expected = count_characters(texts)
    if not expected:
        return
    for name, output in testset.systems.items():
        ratio = count_characters(output) / expected
        is_too_short = 0 < ratio < _TOO_SHORT
        if is_too_short or ratio > _TOO_LONG:
            yield Caution("odd-length", {"ratio": ratio, "reference": reference}, a=name)
