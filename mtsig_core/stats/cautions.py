"""The rules of warnings: they find the facts that a reader of a comparison needs.

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
    count_reversed_pairs,
    find_other_leaders,
    find_top_group,
)
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split, significant
from mtsig_core.stats.skew import SkewedSystem
from mtsig_core.testset import TestSet, count_characters

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
            if significant(float(p_floor(TESTS[test], unit, np.array(n))), alpha)
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
        least = float(
            p_floor(
                TESTS[settings.test],
                settings.unit,
                np.array([n]),
                settings.block_length,
                settings.trials,
            )[0]
        )
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
    least = float(p_floor(test, settings.unit, np.array(pair.n_apart), settings.block_length))
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
