"""The rules of warnings: they find the facts that a reader of a comparison needs.

`report` writes their words.
"""

from __future__ import annotations

import math
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, islice, takewhile
from operator import eq
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mtsig_core.alignment import Reordering, find_reordering
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
from mtsig_core.metrics.cache import remember
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
    least_of_units,
    least_p,
    rank_correction,
    suggest_settings,
)
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.line_cautions import ENTITY, about_characters, about_lines
from mtsig_core.stats.ranks import (
    RANK_RULES,
    count_reversed_pairs,
    find_other_leaders,
    find_top_group,
)
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split, significant
from mtsig_core.stats.skew import SkewedSystem
from mtsig_core.testset import TestSet, count_characters, show_name

#: How many times too wide the standard error of a difference that is adjusted for raters may be
#: without a warning.
WIDE_BY_RATERS = 1.25
_THAT_MAY_TELL = ("chrf", "ter", "bleu")


def find_cautions(
    testset: TestSet,
    settings: Settings,
    units: Units,
    metrics: Iterable[Metric],
    results: Mapping[str, MetricResult],
    drawn: Mapping[str, MetricDraws] | None = None,
) -> tuple[Caution, ...]:
    """Return all warnings: about the design, the metrics, the family of pairs, the texts, then
    single pairs.
    """
    metrics = list(metrics)
    found = [
        *about_few_for_test(settings, units, results.values()),
        *about_runs(testset, settings, results.values()),
        *_about_design(testset, settings, units, results),
    ]
    found += [
        Caution("depends-on-size", {"n_segments": testset.n_segments}, metric.name)
        for metric in filter(depends_on_testset, metrics)
    ]
    known = {metric.name: metric for metric in metrics}
    for name, result in results.items():
        found += [*about_ratings(testset, name), *about_raters(testset, name, settings.alpha)]
        found += about_scores(testset, name)
        found += _about_ends(testset, known[name], result) if name in known else ()
        if facts := reference_disagreement(result, testset.n_segments):
            found.append(Caution("references-disagree", facts, name))
        found += about_skew(settings, result, drawn[name]) if drawn is not None else ()
        found += _about_family(settings, result)
        found += _about_averaged_ratings(testset, settings, name)
        found += _about_domains_of_systems(testset, settings, result)
    found += _keep_relevant(about_texts(testset), testset, results)
    found += about_words(testset, {name: result.tokenizer for name, result in results.items()})
    for result in results.values():
        found += [*_about_split(settings, result), *_about_pairs(testset, settings, result)]
    return tuple(found)


#: Warnings about the texts that say what a metric of texts makes of them.
_OF_TEXT_METRICS = {"other-characters", "some-characters"}


def _keep_relevant(
    cautions: Iterable[Caution], testset: TestSet, results: Mapping[str, MetricResult]
) -> Iterator[Caution]:
    """Keep the warnings about the texts that concern what was compared: not systems that no metric
    has scored, and no scores of metrics of texts where only tables of scores were compared.
    """
    compared = {row.system for result in results.values() for row in result.systems}
    of_texts = any(name not in testset.scores for name in results)
    for caution in cautions:
        is_left_out = caution.a in testset.systems and caution.a not in compared
        is_of_texts = caution.code in _OF_TEXT_METRICS
        if not is_left_out and (of_texts or not is_of_texts):
            yield caution


def join_cautions(
    cautions: Iterable[Caution], results: Mapping[str, MetricResult]
) -> tuple[Caution, ...]:
    """Return the warnings of several comparisons with these results together, each once."""
    ratio = {"se_ratio": _se_ratio(results)}
    return tuple(
        dict.fromkeys(
            chain(
                about_several(results),
                (
                    replace(one, facts={**one.facts, **ratio})
                    if one.code == "documents-ignored"
                    else one
                    for one in cautions
                ),
            )
        )
    )


# -- Units and the test ---------------------------------------------------------------------------


def _about_design(
    testset: TestSet, settings: Settings, units: Units, results: Mapping[str, MetricResult]
) -> Iterator[Caution]:
    if len(testset.systems) == 1:
        yield Caution("one-system", a=next(iter(testset.systems)))
    yield from about_independence(testset, settings.unit)
    yield from about_copies(testset, units)
    other: dict[str, Any] = {
        "unit": "document",
        **({"test": "ar"} if TESTS[settings.test].of_segments else {}),
    }
    m, documents = (
        max((len(result.tested) for result in results.values()), default=0),
        testset.n_documents or 0,
    )
    enough = (
        not m
        or settings.unit != "segment"
        or fewest_units(replace(settings, **other), m) <= documents
    )
    yield from about_ignored_documents(
        testset, settings.unit, other, enough=enough, se_ratio=_se_ratio(results)
    )
    for n, worth, metric in [
        (units.pieces, units.effective, None),
        *(
            (result.n_units, result.n_effective, result.metric)
            for result in results.values()
            if (result.n_units, result.n_effective) != (units.pieces, units.effective)
        ),
    ]:  # fewer than the whole set
        if n is not None and worth is not None and worth < FEW_UNITS:
            yield Caution(
                "few-units",
                {"unit": settings.unit, "n": n, "worth": worth, "has_interval": n >= LEAST_UNITS},
                metric,
            )
    yield from about_definition(settings.test)
    if any(name not in testset.scores for name in results):
        yield from about_repeated_references(testset)
    yield from about_several(results)


def about_definition(test: str) -> Iterator[Caution]:
    """Warn of a test that its source defines badly, or that assumes more than others."""
    if TESTS[test].caution:
        yield Caution(
            "test-as-published" if TESTS[test].as_published else "test-assumes",
            {"test": test},
            remedies=({"test": "ar"},),
        )


def about_few_for_test(
    settings: Settings, units: Units, results: Iterable[MetricResult]
) -> Iterator[Caution]:
    """Warn that the test rejects too often with few or very unequal units."""
    worth = [units.effective]
    for result in results:
        worth += [result.n_effective, *(pair.n_effective for pair in result.tested)]
    if min(worth) < FEW_FOR_BOOTSTRAP:
        yield from about_need_of_units(settings.test)


def about_need_of_units(test: str) -> Iterator[Caution]:
    """Warn of a test that rejects too often with few units, before any data are there."""
    if TESTS[test].with_few is not None:
        yield Caution("test-needs-units", {"test": test}, remedies=({"test": "ar"},))


def about_skew(settings: Settings, result: MetricResult, drawn: MetricDraws) -> Iterator[Caution]:
    """Warn of systems whose differences to the others are skewed, where the test is one that should
    hold its level.
    """
    is_compared = settings.baseline is None or settings.baseline in drawn.names
    if not drawn.skewed or TESTS[settings.test].caution is not None or not is_compared:
        return
    other = decide_studentised(drawn, settings)
    lost = [
        (pair.a, pair.b)
        for pair in result.tested
        if pair.significant and other.get((pair.a, pair.b), pair.better) is None
    ]
    yield from warn_of_skew(
        drawn.skewed,
        settings,
        result.n_units,
        result.metric,
        lost=lost,
        n_found=sum(pair.significant for pair in result.tested),
        n_other=sum(better is not None for better in other.values()) if other else None,
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
    """The warning of these systems, where there are any; `lost`, `n_found` and `n_other` say what
    the studentised bootstrap decides, where it was asked.
    """
    if not skewed:
        return
    first = skewed[0]
    facts = {
        "systems": [one.system for one in skewed],
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
    yield Caution(
        "skewed-system",
        facts,
        metric,
        remedies=({"test": STUDENTISED},) if n_other is not None else (),
    )


def about_few_in(
    parts: Mapping[str, int], unit: str, alpha: float, test: str | None = None
) -> Iterator[Caution]:
    """Warn of parts of an experiment, such as domains, that have few units.

    If the test is given, parts in which it cannot decide anything get a warning of their own.
    """
    needed = (
        0
        if test is None
        else next(
            n
            for n in range(2, 2000)
            if significant(float(least_of_units(TESTS[test], unit, np.array(n))), alpha)
        )
    )
    hopeless = {name: n for name, n in parts.items() if n < needed}
    few = {name: n for name, n in parts.items() if needed <= n < FEW_UNITS}
    if hopeless:
        yield Caution(
            "too-few-units-in-parts",
            {"parts": hopeless, "unit": unit, "alpha": alpha, "needed": needed},
        )
    if few:
        yield Caution("few-units-in-parts", {"parts": few, "unit": unit})


def _se_ratio(results: Mapping[str, MetricResult]) -> float | None:
    """Return standard errors by document as a multiple of those by segment, median over pairs; None
    without any.
    """
    ratios = [
        pair.se_ratio
        for result in results.values()
        for pair in result.pairs
        if pair.se_ratio is not None
    ]
    return statistics.median(ratios) if ratios else None


# -- Several metrics, and what people say ---------------------------------------------------------


def about_several(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """Warn about several metrics together."""
    if len(results) > 1:
        yield Caution("several-metrics", {"n": len(results)})
        yield from about_top_groups(results)


def about_top_groups(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """Warn that metrics name different top groups."""
    groups: dict[frozenset[str], list[str]] = {}
    for name, result in results.items():
        if top := find_top_group(result):
            groups.setdefault(frozenset(top), []).append(name)
    if len(groups) > 1:
        yield Caution(
            "top-groups-differ",
            {
                "groups": [
                    {
                        "systems": [
                            row.system for row in results[names[0]].systems if row.system in top
                        ],
                        "metrics": names,
                    }
                    for top, names in groups.items()
                ]
            },
        )


def about_one_metric(results: Mapping[str, MetricResult], *remedies: Remedy) -> Iterator[Caution]:
    """Warn that systems were compared by a single metric, unless that is human scores."""
    if len(results) == 1 and not pick_human_scores(list(results)):
        [(name, result)] = results.items()
        if result.pairs:
            yield Caution("one-metric", {}, name, remedies=remedies)


def about_choice(task: TaskInfo, first: str) -> Iterator[Caution]:
    """Warn that neither human scores nor the task's table says which of several metrics decides."""
    own = task.own_scores
    if first in own and len(own) > 1 and not pick_human_scores(own) and task.primary is None:
        yield Caution("which-metric", {"metrics": own}, first, remedies=({"primary": "NAME"},))


def about_agreement(found: Agreement | TaskAgreement) -> Iterator[Caution]:
    """Warn of each metric that orders most pairs against the human scores, of a direction of the
    scores that may be wrong, of texts that metrics cannot score well, and of few units.
    """
    known = [one.pairwise_accuracy for one in found.metrics if one.metric in METRICS]
    turned = all(accuracy is not None and accuracy < 0.5 for accuracy in known)
    for one in found.metrics:
        if one.pairwise_accuracy is not None and one.pairwise_accuracy < 0.5:
            ours = one.metric in METRICS
            other = "lower" if one.higher_is_better else "higher"
            yield Caution(
                "against-people",
                {
                    "human": found.human,
                    "accuracy": one.pairwise_accuracy,
                    "higher_is_better": one.higher_is_better,
                    "doubt": "metric"
                    if ours and not turned
                    else "human scores"
                    if ours
                    else "direction",
                },
                one.metric,
                remedies=() if ours else ({f"{other}_is_better": one.metric},),
            )
    parts = {found.testset.name: found} if isinstance(found, Agreement) else found.pairs
    yield from dict.fromkeys(caution for one in parts.values() for caution in one.warnings)
    sizes = {name: _n_units(one.testset, one.sampling) for name, one in parts.items()}
    yield from about_few_in(sizes, found.sampling.unit, found.sampling.alpha)


def _n_units(info: TestSetInfo, sampling: SamplingSettings) -> int:
    """Return the number of units with all scores asked for."""
    if sampling.unit == "document" and info.n_documents is not None:
        return info.n_documents
    return (
        info.n_segments
        if sampling.block_length is None
        else round(info.n_segments / sampling.block_length)
    )


# -- Scores that came with the test set, and what a metric cannot tell apart ----------------------


def _about_ends(testset: TestSet, metric: Metric, result: MetricResult) -> Iterator[Caution]:
    """Warn of systems with the same score in every sample: at an end of the metric's range, or
    because the metric ignores their differences.
    """
    if metric.name in testset.scores:
        return
    ends, lowest = dict[tuple[str, str], list[str]](), None
    for row in result.systems:
        if (reason := explain_end(metric, row.score)) is not None:
            ends.setdefault((f"{row.score:.2f}", reason), []).append(row.system)
            if metric.higher_is_better and round(row.score) == 0:
                lowest = row.system
    at_end, same = {name for names in ends.values() for name in names}, list[set[str]]()
    for pair in result.tested:
        if (
            pair.se == 0 == pair.delta
            and pair.a not in at_end
            and not _same_outputs(testset, pair.a, pair.b)
        ):
            joined = [group for group in same if group & {pair.a, pair.b}]
            same = [group for group in same if group not in joined] + [
                {pair.a, pair.b}.union(*joined)
            ]
    groups: list[tuple[str | None, str | None, list[str]]] = [
        (score, reason, names)
        for (score, reason), names in ends.items()
        if len(names) > 1 or lowest in names
    ]
    groups += [
        (None, None, [row.system for row in result.systems if row.system in group])
        for group in same
    ]
    for score, reason, names in groups:
        other, n_told, n_differ = _telling_metric(testset, metric.name, names)
        yield Caution(
            "cannot-tell-apart",
            {
                "systems": names,
                "score": score,
                "reason": reason,
                "other": other,
                "n_told": n_told,
                "n_differ": n_differ,
            },
            metric.name,
            remedies=() if other is None else ({"metrics": other},),
        )


def _telling_metric(
    testset: TestSet, metric: str, names: Sequence[str]
) -> tuple[str | None, int, int]:
    """Return the metric of texts that tells most pairs of these systems apart, the number of these
    pairs, and the number of pairs with different outputs.
    """
    part = testset.only(names)
    differ = [
        (i, j)
        for i, j in combinations(range(len(part.systems)), 2)
        if not _same_outputs(part, *(list(part.systems)[k] for k in (i, j)))
    ]
    best, most = None, 0
    for other in (name for name in _THAT_MAY_TELL if differ and name != metric):
        made = resolve_metric(replace(part, scores={}), other)
        scores = np.asarray(made.score(made.statistics(part).sum(axis=1)))
        n = sum(abs(scores[i] - scores[j]) > TOLERANCE * abs(scores[i]) for i, j in differ)
        if n > most:
            best, most = other, n
    return best, most, len(differ)


def _same_outputs(testset: TestSet, a: str, b: str) -> bool:
    """Return whether two systems have the same outputs, in all training runs."""
    return testset.systems[a] == testset.systems[b] and testset.runs.get(a) == testset.runs.get(b)


def reference_disagreement(result: MetricResult, n_segments: int) -> dict[str, Any]:
    """Return the references that give another top group than all together; empty if they agree."""
    leads = [
        {
            "reference": row.reference,
            "leaders": row.leaders,
            "ahead": row.ahead,
            "n_segments": row.n_segments,
        }
        for row in find_other_leaders(result)
    ]
    return (
        {"top_group": find_top_group(result) or (), "leads": leads, "n_segments": n_segments}
        if leads
        else {}
    )


# -- The family of pairs --------------------------------------------------------------------------


def _about_family(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    m, test = len(result.tested), TESTS[settings.test]
    if not m:
        return
    lacks = find_shortage(settings, result)
    if lacks == "units":
        n = count_most_units(result)
        least = float(least_p(settings, np.array([n]))[0])
        multiplied = settings.correction in ("bonferroni", "holm") and m > 1
        yield Caution(
            "too-few-units",
            {
                "unit": settings.unit,
                "n": n,
                "m": m,
                "alpha": settings.alpha,
                "correction": settings.correction,
                "least": least,
                "least_adjusted": min(1.0, least * m) if multiplied else None,
                "bootstrap": test.is_bootstrap,
                "needed": fewest_units(settings, m),
            },
            result.metric,
            remedies=suggest_settings(settings, m, n),
        )
    elif lacks == "trials":
        needed = fewest_trials(settings, m)
        remedies: list[Remedy] = [] if needed is None else [{"trials": needed}]
        remedies += [{"correction": "romano-wolf"}] if test.romano_wolf else []
        yield Caution(
            "family-too-large",
            {
                "m": m,
                "trials": settings.trials,
                "correction": settings.correction,
                "least": test.smallest_p(settings.trials),
                "needed": needed,
                "romano_wolf": test.romano_wolf,
            },
            result.metric,
            remedies=tuple(remedies),
        )
    if lacks not in ("units", "differences"):
        yield from about_open_pairs(settings, result)
        yield from about_intervals(settings, result)
    if result.ruled is not None:
        yield about_rule(settings, result, result.ruled)
    elif any(row.rank_low for row in result.systems):
        yield from about_ranks(settings, result)


def about_open_pairs(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn of pairs without a significant difference: how large the true one may be, and which
    cannot be decided.
    """
    open_pairs = [
        pair for pair in result.tested if not (pair.significant or is_split(pair, settings.alpha))
    ]
    open_pairs = [
        pair for pair in open_pairs if not (pair.decidable and pair.se == 0)
    ]  # those never differ
    if not open_pairs:
        return
    mdds = [pair.mdd for pair in open_pairs if pair.mdd is not None]
    facts: dict[str, Any] = {
        "n": len(open_pairs),
        "m": len(result.tested),
        "n_pairs": len(result.pairs),
        "mdd": max(mdds, default=None),
        "n_undecidable": sum(not pair.decidable for pair in open_pairs),
    }
    if result.has_rule_decisions:  # the rule counts other pairs, so the words name the test
        facts["decided_by"] = settings.test
    yield Caution("not-equal", facts, result.metric)


def about_intervals(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn where decisions disagree with the matching intervals, for all pairs together or for
    each.
    """
    jointly = CORRECTIONS[settings.correction].family_wise and len(result.tested) > 1
    ends = [
        (pair, pair.ci_joint_low, pair.ci_joint_high)
        if jointly
        else (pair, pair.ci_low, pair.ci_high)
        for pair in result.pairs  # of the others there is no decision to go by
        if pair.decidable and not is_split(pair, settings.alpha)
    ]
    odd = [
        pair
        for pair, low, high in ends
        if low is not None and high is not None and pair.significant == contains_zero(low, high)
    ]
    if odd:
        n_significant = sum(pair.significant for pair in odd)
        yield Caution(
            "interval-and-decision",
            {
                "n_open": len(odd) - n_significant,
                "n_significant": n_significant,
                "jointly": jointly,
                "in_steps": jointly
                and settings.correction in ("holm", "romano-wolf")
                and n_significant > 0,
                "trust": trusted(settings, odd),
            },
            result.metric,
        )


def trusted(settings: Settings, pairs: Sequence[PairResult]) -> dict[str, Any]:
    """Return what to trust in pairs whose decision and interval differ.

    That is the interval for significant pairs whose permutations vary too little (`unlike`), and
    the decision for the others; neither if a bootstrap has too few units (`needed`).
    """
    unlike = [pair for pair in pairs if pair.significant and pair.unlike]
    few = (
        not unlike
        and TESTS[settings.test].draws == "bootstrap"
        and any(pair.n_effective < FEW_FOR_BOOTSTRAP for pair in pairs)
    )
    return {
        "unlike": [(pair.a, pair.b) for pair in unlike],
        "n_others": len(pairs) - len(unlike),
        "ratio": max((pair.swap_ratio or 0 for pair in unlike), default=None),
        "needed": FEW_FOR_BOOTSTRAP if few else None,
        "unit": settings.unit,
    }


def _about_averaged_ratings(testset: TestSet, settings: Settings, metric: str) -> Iterator[Caution]:
    """Warn of means over raters where the task took each rating as a segment, so that other ranks
    came out.
    """
    if not RANK_RULES[settings.rank_rule].each_rating:
        return
    facts = {one.code: one.facts for one in testset.assumed if one.facts.get("metric") == metric}
    if "ratings" not in facts or "ratings-as-segments" in facts:
        return
    per_segment = facts["ratings"]["per_segment"]
    if per_segment > 1:
        yield Caution(
            "rank-rule-of-ratings",
            {"rule": settings.rank_rule, "per_segment": per_segment},
            metric,
            remedies=({"raters": "segments"},),
        )


def _about_domains_of_systems(
    testset: TestSet, settings: Settings, result: MetricResult
) -> Iterator[Caution]:
    """Warn of systems without scores in a domain, where a rule ranks by means over domains."""
    if (
        not RANK_RULES[settings.rank_rule].by_domain
        or testset.domains is None
        or result.metric not in testset.scores
    ):
        return
    by_system = testset.scores[result.metric].by_system
    rated = {}
    for row in result.systems:
        of_segments = zip(testset.domains, by_system.get(row.system, ()), strict=False)
        rated[row.system] = {domain for domain, score in of_segments if score is not None}
    every = {domain for domains in rated.values() for domain in domains}
    names = [name for name, domains in rated.items() if domains < every]
    if names:
        missing = [
            domain
            for domain in dict.fromkeys(testset.domains)
            if domain in every and any(domain not in rated[name] for name in names)
        ]
        yield Caution(
            "domains-of-systems",
            {"rule": settings.rank_rule, "systems": names, "domains": missing},
            result.metric,
            remedies=({"rank_rule": "simultaneous"},),
        )


def about_rule(settings: Settings, result: MetricResult, ruled: RuledRanks) -> Caution:
    """Warn of what ranks by a rule other than simultaneous ranks ignore, and what they hide
    here.
    """
    return Caution(
        "rank-rule",
        {
            "rule": settings.rank_rule,
            "of_means": ruled.means is not None,
            "has_clusters": bool(ruled.clusters),
            "inside": ruled.significant_inside,
            "inside_apart": ruled.inside_apart,
            "turned": count_reversed_pairs(result),
            "changed": ruled.changed,
            "n_systems": len(result.systems),
        },
        result.metric,
        remedies=({"rank_rule": "simultaneous"},),
    )


def about_ranks(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn that ranks and decisions have different corrections, unless they agree on the top group
    and both hold for all pairs.
    """
    own, differ = rank_correction(settings), rank_disagreement(result)
    for_all = CORRECTIONS[settings.correction].family_wise
    if settings.correction != own and (differ or not for_all):
        yield Caution(
            "ranks-and-correction",
            {"own": own, "correction": settings.correction, "for_all": for_all, "differ": differ},
            result.metric,
        )


def rank_disagreement(result: MetricResult | MacroResult) -> dict[str, Any]:
    """Return where decisions and ranks differ on the top group (`wary`: no significant loss but not
    in it; `bold`: a loss and in it) or on a pair (`n_apart`); empty if they agree or there are no
    ranks.
    """
    if all(row.rank_low is None for row in result.systems):
        return {}
    decided = [pair for pair in result.pairs if pair.decidable]
    lost = {
        pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better is not None
    }
    ends = {
        row.system: (row.rank_low or 1, row.rank_high or len(result.systems))
        for row in result.systems
    }
    differ = {
        "undecided": bool(result.pairs) and not decided,
        "wary": [
            row.system
            for row in result.systems
            if (row.rank_low or 1) > 1 and row.system not in lost
        ],
        "bold": [row.system for row in result.systems if row.rank_low == 1 and row.system in lost],
        "n_apart": sum(
            ends[pair.a][1] < ends[pair.b][0] or ends[pair.b][1] < ends[pair.a][0]
            for pair in decided
            if pair.better is None
        ),
    }
    return differ if any(differ.values()) else {}


def _about_split(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Warn where the test's own statistic favours one system and the difference of the scores does
    not.
    """
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    if split:
        sides = [(pair.a, pair.b) if pair.favours == "a" else (pair.b, pair.a) for pair in split]
        yield Caution(
            "split-decision",
            {
                "test": settings.test,
                "m": len(result.tested),
                "pairs": sides,
                "scores_equal": split[0].delta == 0,
            },
            result.metric,
            remedies=({"test": "ar"},),
        )


# -- Single pairs ---------------------------------------------------------------------------------


def _about_pairs(testset: TestSet, settings: Settings, result: MetricResult) -> Iterator[Caution]:
    hopeless, at_least = find_shortage(settings, result) is not None, list[PairResult]()
    some = any(pair.decidable for pair in result.pairs)
    for pair in result.pairs:
        about: dict[str, Any] = dict(metric=result.metric, a=pair.a, b=pair.b)
        yield from _about_common(testset, settings, result, pair, some)
        if facts := _few_differences(testset, settings, result, pair):
            yield Caution("few-differences", facts, **about)
        if result.metric not in testset.scores and _same_outputs(testset, pair.a, pair.b):
            yield Caution("identical-outputs", **about)
        elif pair.n and _same_scores(testset, pair, result.metric):
            yield Caution("identical-scores", {"n": pair.n}, **about)
        elif pair.decidable and not (hopeless or result.exact) and is_near(pair, settings):
            if (pair.p_value or 0) <= TESTS[settings.test].smallest_p(settings.trials):
                at_least.append(pair)
            else:
                yield Caution(
                    "near-alpha",
                    {"p": pair.p_adjusted, "correction": settings.correction},
                    **about,
                    remedies=_more_trials(settings),
                )
    yield from about_near_at_least(settings, result, at_least)


def _about_common(
    testset: TestSet, settings: Settings, result: MetricResult, pair: PairResult, some: bool
) -> Iterator[Caution]:
    """Warn of a pair with few common segments, if `some` pair can be decided."""
    about: dict[str, Any] = dict(metric=result.metric, a=pair.a, b=pair.b)
    if pair.n == 0:
        yield Caution("no-common-line", **about)
    elif (
        some
        and not pair.decidable
        and not can_reach(settings, np.array([pair.n_units]), "none").any()
    ):
        yield Caution("too-few-common-units", {"unit": settings.unit, "n": pair.n_units}, **about)
    elif any(
        here < FEW_UNITS <= expand
        for here, expand in ((pair.n_effective, result.n_effective), (pair.n, testset.n_segments))
    ):
        by_document = settings.unit == "document"
        yield Caution(
            "few-common-lines",
            {
                "n": pair.n,
                "n_documents": pair.n_units if by_document else None,
                "worth": pair.n_effective if by_document else None,
            },
            **about,
        )


def _few_differences(
    testset: TestSet, settings: Settings, result: MetricResult, pair: PairResult
) -> dict[str, Any]:
    """Return in how few units the scores of a pair differ, if that bounds its p; else empty."""
    if pair.n_apart is None:
        return {}
    test = TESTS[settings.test]
    least = float(
        least_of_units(test, settings.unit, np.array(pair.n_apart), settings.block_length)
    )
    if least <= 0 or pair.decidable and (pair.p_value is None or pair.p_value > least):
        return {}
    return {
        "unit": differing_unit(settings),
        "n": pair.n_apart,
        "n_texts": _texts_apart(testset, settings, pair, result.metric),
        "n_all": pair.n if settings.unit == "block" else pair.n_units,
        "least": least,
        "bootstrap": test.is_bootstrap,
    }


def _texts_apart(testset: TestSet, settings: Settings, pair: PairResult, metric: str) -> int:
    """Return in how many units the outputs of two systems differ; 0 for a metric of given
    scores.
    """
    if metric in testset.scores:
        return 0
    outputs = zip(
        *([testset.systems[name], *testset.runs.get(name, ())] for name in (pair.a, pair.b)),
        strict=False,
    )
    apart = {
        k
        for first, second in outputs
        for k, (one, other) in enumerate(zip(first, second, strict=True))
        if one != other
    }
    return (
        len({testset.document_index[k] for k in apart})
        if differing_unit(settings) == "document"
        else len(apart)
    )


def _same_scores(testset: TestSet, pair: PairResult, metric: str) -> bool:
    """Return whether two systems have the same given segment score wherever both have one."""
    by_system = testset.scores[metric].by_system if metric in testset.scores else {}
    return (
        pair.a in by_system
        and pair.b in by_system
        and all(
            a == b or a is None or b is None
            for a, b in zip(by_system[pair.a], by_system[pair.b], strict=True)
        )
    )


def is_near(pair: PairResult, settings: Settings) -> bool:
    """Return whether the adjusted p is within two Monte Carlo standard errors of alpha."""
    if settings.trials is None or pair.p_value is None or pair.p_adjusted is None:
        return False
    if settings.correction == "romano-wolf":  # itself a share of the replicates
        error = math.sqrt(pair.p_adjusted * (1 - pair.p_adjusted) / settings.trials)
    else:  # a multiple of one
        share = pair.p_value / TESTS[settings.test].steps
        error = pair.p_adjusted / share * math.sqrt(share * (1 - share) / settings.trials)
    return error > 0 and pair.p_adjusted < 1 and abs(pair.p_adjusted - settings.alpha) <= 2 * error


def about_near_at_least(
    settings: Settings, result: MetricResult, near: Sequence[PairResult]
) -> Iterator[Caution]:
    """Warn of pairs that have the smallest p that so many trials can give, near alpha: only more
    trials can tell.
    """
    if p := [pair.p_adjusted or 0.0 for pair in near]:
        yield Caution(
            "near-alpha-at-the-least-p",
            {
                "n": len(p),
                "trials": settings.trials,
                "correction": settings.correction,
                "p_low": min(p),
                "p_high": max(p),
            },
            result.metric,
            remedies=_more_trials(settings),
        )


def _more_trials(settings: Settings) -> tuple[Remedy, ...]:
    return ({"trials": 5 * (settings.trials or 0) + 4},)


# -- Training runs --------------------------------------------------------------------------------


def about_runs(
    testset: TestSet, settings: Settings, results: Iterable[MetricResult]
) -> Iterator[Caution]:
    """Warn about training runs."""
    if not testset.runs:
        return
    low, high = spread_interval(1.0, testset.n_runs, settings.alpha)
    yield Caution(
        "training-runs",
        {"n": testset.n_runs, "level": 1 - settings.alpha, "low": low, "high": high},
    )
    if single := [name for name in testset.systems if name not in testset.runs]:
        yield Caution("single-run", {"names": single})
    for name, outputs in testset.runs.items():
        if len({testset.systems[name], *outputs}) <= len(outputs):
            yield Caution("identical-runs", a=name)
    for result in results:
        if not result.runs:
            yield Caution("runs-not-rated", metric=result.metric)
        for pair, row in zip(result.pairs, result.pair_runs, strict=False):
            needed = smallest_stable_difference(row, settings.alpha)
            if (
                pair.significant
                and needed is not None
                and row.se_total
                and abs(pair.delta) < needed
            ):
                yield Caution(
                    "runs-may-turn",
                    {"errors": abs(pair.delta) / row.se_total, "needed": needed / row.se_total},
                    result.metric,
                    pair.a,
                    pair.b,
                )


# -------------------------------------------------------------------------------------------------
# Warnings about the texts, documents and ratings of a test set, with or without a comparison.


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warn of texts that are empty, partly empty, not meant to be translated, or of a wrong
    file.
    """
    canaries = [
        line
        for line, document, domain in zip(
            testset.lines,
            testset.documents or (),
            testset.domains or testset.documents or (),
            strict=False,
        )
        if "canary" in (document, domain)
    ]
    if canaries:
        yield Caution("canary", {"line": canaries[0]})
    domains_of: dict[str, set[str]] = {}
    for document, domain in zip(testset.documents or (), testset.domains or (), strict=False):
        domains_of.setdefault(document, set()).add(domain)
    torn = [document for document, domains in domains_of.items() if len(domains) > 1]
    if torn:
        yield Caution("documents-in-domains", {"documents": torn, "n_documents": len(domains_of)})
    if testset.has_texts:
        yield from _about_empty(testset)
        yield from about_files(testset)


def _about_empty(testset: TestSet) -> Iterator[Caution]:
    for role, group in (("System", testset.systems), ("Reference", testset.references)):
        empty = {
            name: [
                line
                for line, text in zip(testset.lines, texts, strict=True)
                if text is not None and not text.strip()
            ]
            for name, texts in group.items()
        }
        for name in sorted(group, key=lambda name: -len(empty[name])):  # the worst first
            n, n_present = len(empty[name]), len(group[name]) - group[name].count(None)
            if n and n == n_present:
                yield Caution("all-empty", {"role": role, "n": n}, a=name)
            elif n:
                yield Caution(
                    "empty-lines",
                    {"role": role, "n": n, "n_present": n_present, "line": empty[name][0]},
                    a=name,
                )


def about_words(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warn of metrics whose tokenizer (by the name of the metric) does not cut the references into
    words.
    """
    language = (
        find_spaceless(chain(*testset.references.values())) if any(tokenizers.values()) else None
    )
    if language is None:
        return
    for metric, tokenizer in tokenizers.items():
        if better := list_better_tokenizers(tokenizer, language):
            remedies: tuple[Remedy, ...] = tuple({"tokenize": other} for other in better)
            if tokenizer == "tercom":
                remedies = {"metrics": "chrf"}, {"metrics": "bleu", "tokenize": better[0]}
            yield Caution(
                "tokenizer-and-script",
                {"language": language, "tokenizer": tokenizer, "better": better},
                metric,
                remedies=remedies,
            )


def about_missing_tokenizer(testset: TestSet, metric: str, pair: str) -> Caution:
    """Warn that a metric is left out of a language pair because its tokenizer is not installed."""
    tokenizer = find_tokenizer(resolve_metric(testset, metric), testset)
    package = package_of(str(tokenizer))
    return Caution(
        "tokenizer-missing",
        {"pair": pair, "tokenizer": tokenizer, "package": package},
        metric,
        remedies=({"metrics": "chrf"},),
    )


def find_missing_tokenizers(
    testset: TestSet, metrics: Iterable[str], pair: str
) -> dict[str, Caution]:
    """By name, the metrics of texts whose tokenizer is not installed, with the warning that they
    are left out of a language pair.
    """
    missing = {}
    for name in metrics:
        if (
            name in METRICS
            and name not in testset.scores
            and lacks_tokenizer(resolve_metric(testset, name), testset)
        ):
            missing[name] = about_missing_tokenizer(testset, name, pair)
    return missing


def about_metrics(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warn about metrics (by name, with the tokenizer of each) on this test set."""
    for metric in tokenizers:
        yield from about_ratings(testset, metric)
    yield from about_words(testset, tokenizers)


#: So many documents of one segment each are more likely ids of segments.
LEAST_DOCUMENTS = 10


def about_independence(testset: TestSet, unit: str) -> Iterator[Caution]:
    """Warn that without document ids, or with one for each segment, segments may depend on each
    other.
    """
    n = testset.n_segments
    if testset.n_documents == n and n >= LEAST_DOCUMENTS and unit != "block":
        yield Caution("one-segment-documents", {"n": n})
    if testset.documents is None and unit == "block":
        yield Caution("blocks-for-documents", remedies=({"docs": "FILE"},))
    elif testset.documents is None:
        remedies: list[Remedy] = [*[{"docs": "FILE"}] * testset.has_texts, {"unit": "block"}]
        yield Caution("no-documents", {"has_texts": testset.has_texts}, remedies=tuple(remedies))


def about_copies(testset: TestSet, units: Units) -> Iterator[Caution]:
    """Warn of segments that occur more than once, in different units, where that makes tests and
    intervals too sure.
    """
    copies = find_copies(testset, units)
    if copies is not None and copies.matters:
        yield Caution(
            "copied-segments",
            {
                "n": copies.n,
                "n_segments": copies.n_segments,
                "line": copies.line,
                "first_line": copies.first_line,
                "unit": units.kind,
                "worth": units.pieces / copies.inflation,
                "n_units": units.pieces,
                "has_sources": testset.sources is not None,
                "has_references": bool(testset.references),
            },
        )


def about_ignored_documents(
    testset: TestSet,
    unit: str,
    remedy: Remedy,
    *,
    enough: bool = True,
    se_ratio: float | None = None,
) -> Iterator[Caution]:
    """Warn that segments are the unit although documents are known; `enough`: the documents suffice
    to decide.
    """
    if testset.documents is not None and unit == "segment":
        yield Caution(
            "documents-ignored",
            {"n_documents": testset.n_documents or 0, "enough": enough, "se_ratio": se_ratio},
            remedies=(remedy,) if enough else (),
        )


def about_repeated_references(testset: TestSet) -> Iterator[Caution]:
    """Warn of each system that is a reference."""
    for reference, system in repeated_references(testset):
        yield Caution(
            "reference-among-systems",
            {"reference": reference, "has_others": len(testset.references) > 1},
            a=system,
            remedies=({"exclude": system},),
        )


def repeated_references(testset: TestSet) -> list[tuple[str, str]]:
    """Return the references that systems repeat word for word, each with one of these systems."""
    return [
        (reference, system)
        for reference, texts in testset.references.items()
        for system, output in testset.systems.items()
        if any(texts)
        and all(text in (None, other) for text, other in zip(texts, output, strict=True))
    ]


def about_ratings(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warn of human translations with ratings that are not ranked, or with only ratings."""
    if metric not in testset.scores:
        if testset.textless_systems:
            yield Caution("ratings-alone", {"names": testset.textless_systems}, metric)
        return
    by_system = testset.scores[metric].by_system
    for name in testset.rated_humans:
        if n := sum(value is not None for value in by_system.get(name, ())):
            yield Caution(
                "ratings-of-references",
                {"name": name, "n": n},
                metric,
                remedies=({"refs_as_systems": True},),
            )


def about_raters(testset: TestSet, metric: str, alpha: float) -> Iterator[Caution]:
    """Warn where scores that are adjusted for raters do not compare systems as they seem to."""
    for one in testset.assumed:
        if one.metric != metric:
            continue
        if one.code == "rater-favour" and significant(one.facts["p"], alpha):
            yield Caution("raters-favour-systems", {"p": one.facts["p"]}, metric)
        if one.code == "rater-links":
            yield from _about_links(testset, metric, one.facts)


def _about_links(testset: TestSet, metric: str, facts: Mapping[str, Any]) -> Iterator[Caution]:
    is_here = facts["a"] in testset.systems and facts["b"] in testset.systems
    if is_here and facts["widening"] > WIDE_BY_RATERS:
        yield Caution(
            "few-rater-links",
            {"worth": facts["worth"], "widening": facts["widening"]},
            metric,
            facts["a"],
            facts["b"],
        )


def about_scores(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warn of missing segment scores, for a metric that is a mean of them."""
    if metric not in testset.scores:
        return
    by_system = testset.scores[metric].by_system
    every, values_of = (
        frozenset(range(testset.n_segments)),
        {name: by_system.get(name, ()) for name in testset.systems},
    )
    rated = {
        name: every
        if len(values) == len(every) and None not in values
        else frozenset(k for k, value in enumerate(values) if value is not None)
        for name, values in values_of.items()
    }
    if without := [name for name, segments in rated.items() if not segments]:
        yield Caution("not-rated", {"names": without, "n_systems": len(rated)}, metric)
    some = frozenset().union(*rated.values())
    if len(some) < testset.n_segments:
        yield Caution("partly-rated", {"n": len(some), "n_segments": testset.n_segments}, metric)
    counts = [len(segments) for segments in rated.values() if segments]
    if len({segments for segments in rated.values() if segments}) > 1:
        compared = any(a & b for a, b in combinations([one for one in rated.values() if one], 2))
        yield Caution(
            "rated-on-different-lines",
            {"low": min(counts), "high": max(counts), "compared": compared},
            metric,
        )


# -------------------------------------------------------------------------------------------------
# All that makes a test set look wrong as it is opened.


_TOO_SHORT, _TOO_LONG = 0.5, 2.0  # characters of a system's output / of the reference, in all


def find_suspicions(testset: TestSet) -> list[Caution]:
    """Return empty texts, identical outputs, outputs that are a reference, unusual lengths, a
    document id for each segment, and segments that occur more than once.
    """
    found = [
        *about_texts(testset),
        *chain(*(about_ratings(testset, metric) for metric in testset.scores)),
    ]
    unit = "segment" if testset.documents is None else "document"
    if testset.documents is not None:
        found += about_independence(testset, unit)
    found += about_copies(testset, make_units(testset, unit))
    names = list(testset.systems)
    for k, a in enumerate(names if testset.has_texts else ()):
        found += [
            Caution("identical-outputs", a=a, b=b)
            for b in names[k + 1 :]
            if testset.systems[a] == testset.systems[b]
        ]
    if not testset.has_texts:
        return found
    found += about_repeated_references(testset)
    first, texts = next(iter(testset.references.items()))
    expected = count_characters(texts)
    for name, output in testset.systems.items():
        ratio = count_characters(output) / expected if expected else 1
        if 0 < ratio < _TOO_SHORT or ratio > _TOO_LONG:
            found.append(Caution("odd-length", {"ratio": ratio, "reference": first}, a=name))
    return found


# -------------------------------------------------------------------------------------------------
# Outputs that are hardly the right file, and references made from an output.


_FOUND: WeakKeyDictionary[TestSet, tuple[Caution, ...]] = WeakKeyDictionary()
_SEGMENTS = 2000  # that are looked at
_WORTH_KEEPING = 2000  # outputs; fewer are looked through faster than a file is read


def about_files(testset: TestSet) -> tuple[Caution, ...]:
    """Warn of texts that are probably not the intended files; found once for each test set, and
    kept with its statistics.
    """
    if testset not in _FOUND:
        _FOUND[testset] = _kept_or_found(testset) if testset.references else ()
    return _FOUND[testset]


def _kept_or_found(testset: TestSet) -> tuple[Caution, ...]:
    if len(testset.systems) * testset.n_segments < _WORTH_KEEPING:
        return (*_about_files(testset),)
    key = (
        testset.digest,
        hash(tuple(testset.lines)),
        "facts of files and lines",
    )  # facts name lines
    return remember(tuple[Caution, ...], lambda: (*_about_files(testset),), *key)


def _about_files(testset: TestSet) -> Iterator[Caution]:
    reference = list(islice(next(iter(testset.references.values())), _SEGMENTS))
    script = find_spaceless(reference)
    source = None if testset.sources is None else strip_texts(islice(testset.sources, _SEGMENTS))
    compared = {}
    for name, texts in testset.systems.items():
        output = list(islice(texts, _SEGMENTS))
        looks = find_spaceless(output)
        if strip_texts(output) == source:
            yield Caution("is-source", a=name)
        elif looks != script and any(output):
            yield Caution("other-script", {"language": looks, "expected": script}, a=name)
        elif any(output):
            compared[name] = texts
    in_disorder = [*_about_order(testset, compared)]
    marked = [*_about_marks(testset, compared)]
    yield from in_disorder
    yield from marked
    yield from _about_equal_lines(testset, compared)
    known = {
        caution.a for caution in (*in_disorder, *marked)
    }  # what is wrong with each of their lines is told already
    unmarked = {name: texts for name, texts in compared.items() if name not in known}
    yield from about_lines(testset, unmarked)
    yield from about_characters(testset, unmarked)


def strip_texts(texts: Iterable[str | None]) -> list[str]:
    """The texts without spaces at their ends; where there is none, an empty one."""
    return [(text or "").strip() for text in texts]


# -- lines in another order -----------------------------------------------------------------------


def _about_order(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    found = {
        reference: {
            name: part
            for name, texts in systems.items()
            if (part := find_reordering(lines, texts)) is not None
        }
        for reference, lines in testset.references.items()
    }
    for reference, parts in found.items():
        if len(parts) == len(systems) > 1:
            yield Caution(
                "reference-order",
                {"reference": reference, **_part(testset, next(iter(parts.values())))},
            )
    kept = {
        reference: parts
        for reference, parts in found.items()
        if len(parts) < len(systems) or len(systems) == 1
    }
    for name in systems:
        if kept and all(name in parts for parts in kept.values()):
            reference = next(iter(kept))
            yield _out_of_order(
                testset,
                name,
                reference,
                kept[reference][name],
                [other for other in systems if not any(other in parts for parts in kept.values())],
            )


def _out_of_order(
    testset: TestSet, name: str, reference: str, part: Reordering, others: Iterable[str]
) -> Caution:
    """Return the warning about one system; `others` are those whose lines are in order."""
    output = testset.systems[name]
    same = next((other for other in others if _same_lines(output, testset.systems[other])), None)
    return Caution(
        "other-order",
        {"reference": reference, **_part(testset, part), "shift": part.shift, "same_as": same},
        a=name,
        remedies=({"exclude": name},),
    )


def _part(testset: TestSet, part: Reordering) -> dict[str, int]:
    """Return the first and the last line that fit other lines of the reference better."""
    return {"first": testset.lines[part.start], "last": testset.lines[part.stop - 1]}


def _same_lines(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two texts share nearly all lines, in any order."""
    counts = [Counter(islice(texts, _SEGMENTS)) for texts in (a, b)]
    return (counts[0] & counts[1]).total() >= 0.9 * min(len(a), _SEGMENTS)


# -- marks in most lines --------------------------------------------------------------------------


# Pieces of lines that most lines of one text have and hardly any of the others.
_EXAMPLE = 60  # characters of a line in the example
_MARKED, _RARE = 0.5, 0.1  # shares of lines
_QUOTES, _DIALOGUE = (
    "\"'-–—",
    0.8,
)  # the ends of direct speech, and its share of the lines in a dialogue
_GLANCED, _LOOKED, _LEAST = (
    30,
    200,
    10,
)  # lines to search for marks, lines to count them in, and the minimum
_FIRST, _LAST = "\x02", "\x03"  # the ends of a line
# minimum of lines with entities; also at least half as many as have these characters in other texts
_ENTITIES = 3
_ESCAPED = re.compile('[&<>"“”„«»]')  # the characters of entities, and their variants
_VARIANTS = {
    '"': re.compile("[“”„«»]|''"),
    "'": re.compile("[‘’‚‹›]"),
    ".": re.compile("。"),
    ",": re.compile("、"),
}
_NUMBER = re.compile("[0-9]+")
_SPACED = re.compile(r"(?<=\s)[.,;:!?]+(?=\s|$)")  # as tokenizers leave punctuation
# Style, not a mark: letters and punctuation within a line or at its end, two of them at its start.
_USUAL = re.compile(
    rf"(?:[\w.,;:!?'\"-]|(?<! ) (?!\.))+|(?:[\w.,;:!?']| (?!\.))*{_LAST}|{_FIRST}[\w.,;:!?' ]{{0,2}}"
)


class _Sample:
    """Distinct lines without empty ones, from all parts of a text, with the patterns in some of
    them.
    """

    def __init__(self, texts: Iterable[Sequence[str | None]]):
        some = chain.from_iterable(lines[:: max(1, len(lines) // _LOOKED)] for lines in texts)
        self.texts = [*dict.fromkeys(filter(None, some))]

    @cached_property
    def lines(self) -> list[str]:
        return [*map(_masked, self.texts)]

    @cached_property
    def pieces(self) -> dict[str, float]:
        """Return the characters and pairs of characters of some lines, each with its share of
        lines.
        """
        some = [*map(_masked, self.texts[:: max(1, len(self.texts) // _GLANCED)][:_GLANCED])]
        counts = Counter(
            chain.from_iterable({*line, *zip(line, line[1:], strict=False)} for line in some)
        )
        return {"".join(piece): count / len(some) for piece, count in counts.items()}

    def share(self, piece: str) -> float:
        """Return the share of lines that have a piece."""
        return sum(piece in line for line in self.lines) / max(1, len(self.lines))


def _about_marks(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    outputs = {name: _Sample([texts]) for name, texts in systems.items()}
    references = {name: _Sample([texts]) for name, texts in testset.references.items()}
    others = [
        *references.values(),
        *([] if testset.sources is None else [_Sample([testset.sources])]),
    ]
    for name, sample in outputs.items():
        if facts := _describe_marks(sample, others):
            yield Caution("marked-lines", facts, a=name, remedies=({"exclude": name},))
    for name, sample in references.items():
        if outputs and (facts := _describe_marks(sample, [*outputs.values()])):
            yield Caution("marked-reference", {"reference": name, **facts})


def _masked(text: str) -> str:
    """Mask numbers, quotation marks, and punctuation after a space, between the ends of a line."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for usual, variants in _VARIANTS.items():
            text = variants.sub(usual, text)
    return f"{_FIRST}{_NUMBER.sub('0', _SPACED.sub('.', text))}{_LAST}"


def _describe_marks(sample: _Sample, others: Sequence[_Sample]) -> dict[str, Any]:
    """Return in how many lines marks are, their kind, and an example; empty without marks."""
    if len(sample.texts) < _LEAST:
        return {}
    if marks := _find_marks(sample, others):
        having = [
            text for text, line in zip(sample.texts, sample.lines, strict=True) if marks[0] in line
        ]
        spaced = any(mark.strip(_FIRST + _LAST) == " ." for mark in marks)
        return _mark_facts(
            "spaces" if spaced else "marks",
            having,
            sample,
            []
            if spaced
            else [
                (
                    "start" if mark[0] == _FIRST else "end" if mark[-1] == _LAST else "anywhere",
                    show_name(_as_written(mark, having[0])),
                )
                for mark in marks
            ],
        )
    escaped = [text for text in sample.texts if "&" in text and ENTITY.search(text)]
    meant = max(sum(bool(_ESCAPED.search(text)) for text in other.texts) for other in others)
    if (
        len(escaped) >= _ENTITIES
        and len(escaped) > _MARKED * meant
        and not any(ENTITY.search(text) for other in others for text in other.texts)
    ):
        return _mark_facts("entities", escaped, sample, [])
    return {}


def _mark_facts(
    sort: str, having: Sequence[str], sample: _Sample, marks: list[tuple[str, str]]
) -> dict[str, Any]:
    text = having[0]
    return {
        "sort": sort,
        "n": len(having),
        "n_lines": len(sample.texts),
        "marks": marks,
        "example": show_name(text if len(text) <= _EXAMPLE else f"{text[:_EXAMPLE]}..."),
    }


def _find_marks(sample: _Sample, others: Sequence[_Sample]) -> list[str]:
    """Return up to two pieces that most of the lines have, and hardly any of the others."""
    often = [
        piece
        for piece, share in sample.pieces.items()
        if share > 0.8 * _MARKED
        and all(other.pieces.get(piece, 0) <= 2 * _RARE for other in others)
    ]
    found: list[str] = []
    for piece in sorted(often, key=lambda piece: (-sample.pieces[piece], piece)):
        if (
            not any(piece in mark for mark in found)
            and sample.share(piece) > _MARKED
            and all(other.share(piece) <= _RARE for other in others)
        ):
            mark = _grown(piece, sample.lines)
            dialogue = (
                mark.strip(f"{_FIRST}{_LAST} ") in _QUOTES and sample.share(mark) <= _DIALOGUE
            )
            if not (
                _USUAL.fullmatch(mark)
                or dialogue
                or _is_wording(mark, sample, others[0])
                or any(mark in one or one in mark for one in found)
            ):
                found.append(mark)
    return found[:2]


def _is_wording(mark: str, sample: _Sample, other: _Sample) -> bool:
    """Return whether words at the start of lines replace other words, as 'Press' for 'Click': lines
    with added words are longer by them.
    """
    words = mark.strip(f"{_FIRST}{_LAST} ")
    [(start, many)] = Counter(line.split(" ", 1)[0] for line in other.lines).most_common(1) or [
        ("", 0)
    ]
    formulaic = (
        mark[0] == _FIRST and many > _MARKED * len(other.lines) and start.strip(_FIRST) not in mark
    )
    if not formulaic and (" " not in words or re.search(r"[^\w ]", words)):
        return False
    longer = sum(map(len, sample.texts)) / len(sample.texts) - sum(map(len, other.texts)) / max(
        1, len(other.texts)
    )
    return longer < len(words) / 2


def _grown(piece: str, lines: Sequence[str]) -> str:
    """Return the piece with the characters that nearly always surround it, except the full stop of
    the sentence.
    """
    having = [(line, at) for line in lines if (at := line.find(piece)) >= 0]
    while having:
        around: Counter[str] = Counter()
        for char, n in Counter(line[at - 1] for line, at in having if at).items():
            around[char + piece] += n
        for char, n in Counter(
            line[at + len(piece)] for line, at in having if at + len(piece) < len(line)
        ).items():
            around[piece + char] += n
        longer, count = around.most_common(1)[0] if around else ("", 0)
        if count < 0.9 * len(having) or len(piece) > _EXAMPLE:
            break
        piece = longer
        having = [(line, at) for line, _ in having if (at := line.find(piece)) >= 0]
    return piece if len(piece.lstrip(".")) < 2 else piece.lstrip(".")


def _as_written(mark: str, text: str) -> str:
    """Return a mark with the number that it has in a line."""
    shown = mark.strip(_FIRST + _LAST)
    found = re.search(re.escape(shown).replace("0", "[0-9]+"), text)
    return found[0] if found else shown


# -- references made from an output ---------------------------------------------------------------


_WORDS, _CHARACTERS = (
    5,
    12,
)  # minimum of a line (characters in scripts without spaces): short lines are often equal
_EQUAL, _SHARE, _TIMES = (
    10,
    0.05,
    2,
)  # minimum of lines equal to a reference: number, share, times the next system
_SURE, _LUCK = 0.001, 0.6  # the largest p of so many by chance, if the true shares were 0.6 and 0.4
#: Lines with one other word, as a multiple of their number if errors are independent and as many
#: lines are equal. Within these bounds the errors are those of any good translation.
_NEAR = (0.6, 1.25)
#: Share of lines equal to a reference, and times as many as of the next system, that no independent
#: translator reaches, however its errors are spread: words of an output may have been edited one by
#: one.
_CERTAIN, _CERTAIN_TIMES = 0.55, 4
_TWINS = 0.8  # share of these lines that another system has, too: one was made from the other


def _about_equal_lines(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    """Warn of each reference that one system equals in many more lines than the others do."""
    step = max(1, testset.n_segments // _SEGMENTS)
    for reference, texts in testset.references.items():
        lines = texts[::step]
        long = np.fromiter(map(_is_long, lines), bool, len(lines))
        equal = {
            name: long & np.fromiter(map(eq, lines, output[::step]), bool, len(lines))
            for name, output in systems.items()
        }
        counts = {name: int(rows.sum()) for name, rows in equal.items() if rows.sum() < long.sum()}
        if len(counts) < 2:
            continue
        first = max(counts, key=lambda name: counts[name])
        most = counts.pop(first)
        second = max(
            (name for name in counts if (equal[first] & equal[name]).sum() < _TWINS * most),
            key=lambda name: counts[name],
            default=None,
        )
        if second is None or not _is_far_more(most, counts[second], int(long.sum())):
            continue
        is_certain = most >= _CERTAIN * long.sum() and most >= _CERTAIN_TIMES * counts[second]
        nearly = sum(
            map(
                _is_nearly,
                np.array(lines, object)[long],
                np.array(systems[first][::step], object)[long],
            )
        )
        expected = most * math.log(
            long.sum() / most
        )  # of Poisson's distribution of errors, 0 in `most` lines
        if not is_certain and _NEAR[0] * expected < nearly < _NEAR[1] * expected:
            continue
        others = [other for other in testset.references if other != reference]
        yield Caution(
            "made-from-output",
            {
                "reference": reference,
                "n": most,
                "n_lines": int(long.sum()),
                "next_system": second,
                "n_next": counts[second],
                "has_others": bool(others),
            },
            a=first,
            remedies=({"refs": ",".join(others)} if others else {"exclude": first},),
        )


def _is_long(text: str | None) -> bool:
    """Return whether two translators seldom write such a line alike; in scripts without spaces
    characters count.
    """
    return text is not None and (len(text.split()) >= _WORDS or not _has_spaces(text))


def _has_spaces(text: str) -> bool:
    return text.isascii() or _CHARACTERS * (text.count(" ") + 1) > len(text)


def _is_far_more(most: int, next_most: int, n: int) -> bool:
    """Return whether a system equals a reference in far more of `n` lines than the next one, beyond
    chance.
    """
    if most < max(_EQUAL, _SHARE * n, _TIMES * next_most):
        return False
    from scipy.stats import binom  # late: seldom needed

    return float(binom.sf(most - 1, most + next_most, _LUCK)) < _SURE


def _is_nearly(a: str | None, b: str) -> bool:
    """Return whether one word (two characters, without spaces) was changed, removed or added."""
    if a is None or a == b:
        return False
    spaced = _has_spaces(a)
    ours, theirs = (text.split() if spaced else list(text) for text in (a, b))
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    )
    ours, theirs = ours[same:][::-1], theirs[same:][::-1]
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    )
    return max(len(ours), len(theirs)) - same <= (1 if spaced else 2)
