"""The rules of warnings: which of them a reader of a comparison needs, as facts. Their words are made elsewhere."""

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
from mtsig_core.metrics import METRICS, Metric, depends_on_testset, explain_end, resolve_metric
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
from mtsig_core.stats.arrays import TOLERANCE, contains_zero
from mtsig_core.stats.decisions import smallest_stable_difference, spread_interval
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
from mtsig_core.stats.ranks import count_reversed_pairs, find_other_leaders, find_top_group
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import ADJUSTMENTS, FAMILY_WISE, TESTS, is_split, significant
from mtsig_core.stats.testset_cautions import (
    about_ignored_documents,
    about_independence,
    about_ratings,
    about_repeated_references,
    about_scores,
    about_texts,
    about_words,
)
from mtsig_core.testset import TestSet, pick_human_scores

_THAT_MAY_TELL = ("chrf", "ter", "bleu")


def find_cautions(testset: TestSet, settings: Settings, units: Units, metrics: Iterable[Metric],
                  results: Mapping[str, MetricResult]) -> tuple[Caution, ...]:
    """All warnings: about the design, the metrics, the family of pairs, the texts, then single pairs."""
    metrics = list(metrics)
    found = [*about_few_for_test(settings, units, results.values()), *about_runs(testset, settings, results.values()),
             *_about_design(testset, settings, units, results)]
    found += [Caution("depends-on-size", {"n_segments": testset.n_segments}, metric.name)
              for metric in filter(depends_on_testset, metrics)]
    known = {metric.name: metric for metric in metrics}
    for name, result in results.items():
        found += [*about_ratings(testset, name), *about_scores(testset, name)]
        found += _about_ends(testset, known[name], result) if name in known else ()
        if facts := reference_disagreement(result, testset.n_segments):
            found.append(Caution("references-disagree", facts, name))
        found += _about_family(settings, result)
    found += about_texts(testset)
    found += about_words(testset, {name: result.tokenizer for name, result in results.items()})
    for result in results.values():
        found += [*_about_split(settings, result), *_about_pairs(testset, settings, result)]
    return tuple(found)


def join_cautions(cautions: Iterable[Caution], results: Mapping[str, MetricResult]) -> tuple[Caution, ...]:
    """The warnings of several comparisons, which found these results together: what all warn of, once."""
    ratio = {"se_ratio": _se_ratio(results)}
    return tuple(dict.fromkeys(chain(about_several(results), (
        replace(one, facts={**one.facts, **ratio}) if one.code == "documents-ignored" else one for one in cautions))))


# -- Units and the test ------------------------------------------------------------------------------------------------


def _about_design(testset: TestSet, settings: Settings, units: Units,
                  results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    if len(testset.systems) == 1:
        yield Caution("one-system", a=next(iter(testset.systems)))
    yield from about_independence(testset, settings.unit)
    other: dict[str, Any] = {"unit": "document", **({"test": "ar"} if TESTS[settings.test].of_segments else {})}
    m, documents = max((len(result.tested) for result in results.values()), default=0), testset.n_documents or 0
    enough = not m or settings.unit != "segment" or fewest_units(replace(settings, **other), m) <= documents
    yield from about_ignored_documents(testset, settings.unit, other, enough=enough, se_ratio=_se_ratio(results))
    for n, worth, metric in [(units.pieces, units.effective, None), *(
            (result.n_units, result.n_effective, result.metric) for result in results.values()
            if (result.n_units, result.n_effective) != (units.pieces, units.effective))]:  # fewer than the whole set
        if n is not None and worth is not None and worth < FEW_UNITS:
            yield Caution("few-units", {"unit": settings.unit, "n": n, "worth": worth,
                                        "has_interval": n >= LEAST_UNITS}, metric)
    yield from about_definition(settings.test)
    if any(name not in testset.scores for name in results):
        yield from about_repeated_references(testset)
    yield from about_several(results)


def about_definition(test: str) -> Iterator[Caution]:
    """The warning of a test that its source defines badly, or that assumes more than others."""
    if TESTS[test].caution:
        yield Caution("test-as-published" if TESTS[test].as_published else "test-assumes", {"test": test},
                      remedies=({"test": "ar"},))


def about_few_for_test(settings: Settings, units: Units, results: Iterable[MetricResult]) -> Iterator[Caution]:
    """The warning that the test rejects too often with few units, or with unequal ones, which are worth few."""
    worth = [units.effective]
    for result in results:
        worth += [result.n_effective, *(pair.n_effective for pair in result.tested)]
    if min(worth) < FEW_FOR_BOOTSTRAP:
        yield from about_need_of_units(settings.test)


def about_need_of_units(test: str) -> Iterator[Caution]:
    """The warning of a test that rejects too often with few units; nothing of one that does not."""
    if TESTS[test].with_few is not None:
        yield Caution("test-needs-units", {"test": test}, remedies=({"test": "ar"},))


def about_few_in(parts: Mapping[str, int], unit: str, alpha: float, test: str | None = None) -> Iterator[Caution]:
    """The warnings about parts of an experiment, such as domains, that have few units, by name.

    Those in which the test can decide nothing are apart where the test is given.
    """
    needed = 0 if test is None else next(
        n for n in range(2, 2000) if significant(float(least_of_units(TESTS[test], unit, np.array(n))), alpha))
    hopeless = {name: n for name, n in parts.items() if n < needed}
    few = {name: n for name, n in parts.items() if needed <= n < FEW_UNITS}
    if hopeless:
        yield Caution("too-few-units-in-parts", {"parts": hopeless, "unit": unit, "alpha": alpha, "needed": needed})
    if few:
        yield Caution("few-units-in-parts", {"parts": few, "unit": unit})


def _se_ratio(results: Mapping[str, MetricResult]) -> float | None:
    """Standard errors by document as a multiple of those by segment, median over pairs; None without any."""
    ratios = [pair.se_ratio for result in results.values() for pair in result.pairs if pair.se_ratio is not None]
    return statistics.median(ratios) if ratios else None


# -- Several metrics, and what people say ------------------------------------------------------------------------------


def about_several(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """The warnings that are about several metrics together."""
    if len(results) > 1:
        yield Caution("several-metrics", {"n": len(results)})
        yield from about_top_groups(results)


def about_top_groups(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """The warning that metrics put other systems in the top group."""
    groups: dict[frozenset[str], list[str]] = {}
    for name, result in results.items():
        if top := find_top_group(result):
            groups.setdefault(frozenset(top), []).append(name)
    if len(groups) > 1:
        yield Caution("top-groups-differ", {"groups": [
            {"systems": [row.system for row in results[names[0]].systems if row.system in top], "metrics": names}
            for top, names in groups.items()]})


def about_choice(task: TaskInfo, first: str) -> Iterator[Caution]:
    """The warning that nothing says which of several metrics decides: human scores would, and the task's table."""
    own = task.own_scores
    if first in own and len(own) > 1 and not pick_human_scores(own) and task.primary is None:
        yield Caution("which-metric", {"metrics": own}, first, remedies=({"primary": "NAME"},))


def about_agreement(found: Agreement | TaskAgreement) -> Iterator[Caution]:
    """A warning for each metric that orders fewer than half of the pairs as people do, as its direction may be wrong,
    or theirs where all whose direction is known do so; what metrics can tell of the texts; and few units."""
    known = [one.pairwise_accuracy for one in found.metrics if one.metric in METRICS]
    turned = all(accuracy is not None and accuracy < 0.5 for accuracy in known)
    for one in found.metrics:
        if one.pairwise_accuracy is not None and one.pairwise_accuracy < 0.5:
            ours = one.metric in METRICS
            other = "lower" if one.higher_is_better else "higher"
            yield Caution("against-people", {
                "human": found.human, "accuracy": one.pairwise_accuracy, "higher_is_better": one.higher_is_better,
                "doubt": "metric" if ours and not turned else "human scores" if ours else "direction"}, one.metric,
                remedies=() if ours else ({f"{other}_is_better": one.metric},))
    parts = {found.testset.name: found} if isinstance(found, Agreement) else found.pairs
    yield from dict.fromkeys(caution for one in parts.values() for caution in one.warnings)
    sizes = {name: _n_units(one.testset, one.sampling) for name, one in parts.items()}
    yield from about_few_in(sizes, found.sampling.unit, found.sampling.alpha)


def _n_units(info: TestSetInfo, sampling: SamplingSettings) -> int:
    """Units of the part that has all scores asked for."""
    if sampling.unit == "document" and info.n_documents is not None:
        return info.n_documents
    return info.n_segments if sampling.block_length is None else round(info.n_segments / sampling.block_length)


# -- Scores that came with the test set, and what a metric cannot tell apart -------------------------------------------


def _about_ends(testset: TestSet, metric: Metric, result: MetricResult) -> Iterator[Caution]:
    """Where a metric gives systems the same score whatever is drawn: at an end of its range, or as it does not count
    what their outputs differ in."""
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
        if pair.se == 0 == pair.delta and pair.a not in at_end and not _same_outputs(testset, pair.a, pair.b):
            joined = [group for group in same if group & {pair.a, pair.b}]
            same = [group for group in same if group not in joined] + [{pair.a, pair.b}.union(*joined)]
    groups: list[tuple[str | None, str | None, list[str]]] = [
        (score, reason, names) for (score, reason), names in ends.items() if len(names) > 1 or lowest in names]
    groups += [(None, None, [row.system for row in result.systems if row.system in group]) for group in same]
    for score, reason, names in groups:
        other, n_told, n_differ = _telling_metric(testset, metric.name, names)
        yield Caution("cannot-tell-apart", {"systems": names, "score": score, "reason": reason, "other": other,
                                            "n_told": n_told, "n_differ": n_differ}, metric.name,
                      remedies=() if other is None else ({"metrics": other},))


def _telling_metric(testset: TestSet, metric: str, names: Sequence[str]) -> tuple[str | None, int, int]:
    """The metric of texts that gives most pairs of these systems different scores; of how many pairs, and how many have
    different outputs."""
    part = testset.only(names)
    differ = [(i, j) for i, j in combinations(range(len(part.systems)), 2)
              if not _same_outputs(part, *(list(part.systems)[k] for k in (i, j)))]
    best, most = None, 0
    for other in (name for name in _THAT_MAY_TELL if differ and name != metric):
        made = resolve_metric(replace(part, scores={}), other)
        scores = np.asarray(made.score(made.statistics(part).sum(axis=1)))
        n = sum(abs(scores[i] - scores[j]) > TOLERANCE * abs(scores[i]) for i, j in differ)
        if n > most:
            best, most = other, n
    return best, most, len(differ)


def _same_outputs(testset: TestSet, a: str, b: str) -> bool:
    """Whether two systems have the same outputs, those of further training runs too."""
    return testset.systems[a] == testset.systems[b] and testset.runs.get(a) == testset.runs.get(b)


def reference_disagreement(result: MetricResult, n_segments: int) -> dict[str, Any]:
    """The references by which other systems are in the top group than by all together; empty where they agree."""
    leads = [{"reference": row.reference, "leaders": row.leaders, "ahead": row.ahead, "n_segments": row.n_segments}
             for row in find_other_leaders(result)]
    return {"top_group": find_top_group(result) or (), "leads": leads, "n_segments": n_segments} if leads else {}


# -- The family of pairs -----------------------------------------------------------------------------------------------


def _about_family(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    m, test = len(result.tested), TESTS[settings.test]
    if not m:
        return
    lacks = find_shortage(settings, result)
    if lacks == "units":
        n = count_most_units(result)
        least = float(least_p(settings, np.array([n]))[0])
        multiplied = settings.correction in ("bonferroni", "holm") and m > 1
        yield Caution("too-few-units", {
            "unit": settings.unit, "n": n, "m": m, "alpha": settings.alpha, "correction": settings.correction,
            "least": least, "least_adjusted": min(1.0, least * m) if multiplied else None,
            "bootstrap": test.draws == "bootstrap", "needed": fewest_units(settings, m)}, result.metric,
            remedies=suggest_settings(settings, m, n))
    elif lacks == "trials":
        needed = fewest_trials(settings, m)
        remedies: list[Remedy] = [] if needed is None else [{"trials": needed}]
        remedies += [{"correction": "romano-wolf"}] if test.romano_wolf else []
        yield Caution("family-too-large", {
            "m": m, "trials": settings.trials, "correction": settings.correction,
            "least": test.smallest_p(settings.trials), "needed": needed, "romano_wolf": test.romano_wolf},
            result.metric, remedies=tuple(remedies))
    if lacks not in ("units", "differences"):
        yield from about_open_pairs(settings, result)
        yield from about_intervals(settings, result)
    if result.ruled is not None:
        yield about_rule(settings, result, result.ruled)
    elif any(row.rank_low for row in result.systems):
        yield from about_ranks(settings, result)


def about_open_pairs(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """What the pairs that are not significant leave open: how large a difference, and in which none can be seen."""
    open_pairs = [pair for pair in result.tested if not (pair.significant or is_split(pair, settings.alpha))]
    open_pairs = [pair for pair in open_pairs if not (pair.decidable and pair.se == 0)]  # those never differ
    if not open_pairs:
        return
    mdds = [pair.mdd for pair in open_pairs if pair.mdd is not None]
    yield Caution("not-equal", {
        "n": len(open_pairs), "m": len(result.tested), "n_pairs": len(result.pairs), "mdd": max(mdds, default=None),
        "n_undecidable": sum(not pair.decidable for pair in open_pairs)}, result.metric)


def about_intervals(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where decisions do not agree with the intervals that hold as they do: for all pairs together, or for each."""
    jointly = settings.correction in FAMILY_WISE and len(result.tested) > 1
    ends = [(pair, pair.ci_joint_low, pair.ci_joint_high) if jointly else (pair, pair.ci_low, pair.ci_high)
            for pair in result.pairs  # of the others there is no decision to go by
            if pair.decidable and not is_split(pair, settings.alpha)]
    odd = [pair for pair, low, high in ends
           if low is not None and high is not None and pair.significant == contains_zero(low, high)]
    if odd:
        n_significant = sum(pair.significant for pair in odd)
        yield Caution("interval-and-decision", {
            "n_open": len(odd) - n_significant, "n_significant": n_significant, "jointly": jointly,
            "in_steps": jointly and settings.correction in ("holm", "romano-wolf") and n_significant > 0,
            "trust": trusted(settings, odd)}, result.metric)


def trusted(settings: Settings, pairs: Sequence[PairResult]) -> dict[str, Any]:
    """What to trust in pairs whose decision and interval differ.

    The interval of significant pairs whose swaps vary too little (`unlike`), the decision of the others; neither where
    a bootstrap has too few units (`needed`) to decide.
    """
    unlike = [pair for pair in pairs if pair.significant and pair.unlike]
    few = not unlike and TESTS[settings.test].draws == "bootstrap" and any(
        pair.n_effective < FEW_FOR_BOOTSTRAP for pair in pairs)
    return {"unlike": [(pair.a, pair.b) for pair in unlike], "n_others": len(pairs) - len(unlike),
            "ratio": max((pair.swap_ratio or 0 for pair in unlike), default=None),
            "needed": FEW_FOR_BOOTSTRAP if few else None, "unit": settings.unit}


def about_rule(settings: Settings, result: MetricResult, ruled: RuledRanks) -> Caution:
    """What ranks by another rule than ours leave out of account, and what they hide here."""
    return Caution("rank-rule", {
        "rule": settings.rank_rule, "of_means": ruled.means is not None, "has_clusters": bool(ruled.clusters),
        "inside": ruled.significant_inside, "inside_apart": ruled.inside_apart, "turned": count_reversed_pairs(result),
        "changed": ruled.changed, "n_systems": len(result.systems)}, result.metric,
        remedies=({"rank_rule": "simultaneous"},))


def about_ranks(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where ranks and decisions are corrected otherwise, unless they agree on who leads and both hold for all pairs."""
    own, differ = rank_correction(settings), rank_disagreement(result)
    for_all = settings.correction in FAMILY_WISE
    if settings.correction != own and (differ or not for_all):
        yield Caution("ranks-and-correction", {"own": own, "correction": settings.correction, "for_all": for_all,
                                               "differ": differ}, result.metric)


def rank_disagreement(result: MetricResult | MacroResult) -> dict[str, Any]:
    """Where decisions and ranks differ on who is in the top group (`wary`: without a loss, and not in it; `bold`: with
    one, and in it), or on a pair (`n_apart`); empty where they agree, or there are no ranks."""
    if all(row.rank_low is None for row in result.systems):
        return {}
    decided = [pair for pair in result.pairs if pair.decidable]
    lost = {pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better is not None}
    ends = {row.system: (row.rank_low or 1, row.rank_high or len(result.systems)) for row in result.systems}
    differ = {"undecided": bool(result.pairs) and not decided,
              "wary": [row.system for row in result.systems if (row.rank_low or 1) > 1 and row.system not in lost],
              "bold": [row.system for row in result.systems if row.rank_low == 1 and row.system in lost],
              "n_apart": sum(ends[pair.a][1] < ends[pair.b][0] or ends[pair.b][1] < ends[pair.a][0]
                             for pair in decided if pair.better is None)}
    return differ if any(differ.values()) else {}


def _about_split(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where the test's own statistic favours one system and the difference of the scores does not."""
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    if split:
        sides = [(pair.a, pair.b) if pair.favours == "a" else (pair.b, pair.a) for pair in split]
        yield Caution("split-decision", {"test": settings.test, "m": len(result.tested), "pairs": sides,
                                         "scores_equal": split[0].delta == 0}, result.metric,
                      remedies=({"test": "ar"},))


# -- Single pairs ------------------------------------------------------------------------------------------------------


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
            if at_least_p(pair, settings):
                at_least.append(pair)
            else:
                yield Caution("near-alpha", {"p": pair.p_adjusted, "correction": settings.correction}, **about,
                              remedies=_more_trials(settings))
    yield from about_near_at_least(settings, result, at_least)


def _about_common(testset: TestSet, settings: Settings, result: MetricResult, pair: PairResult,
                  some: bool) -> Iterator[Caution]:
    """Whether a pair has little in common, where `some` pair can be decided."""
    about: dict[str, Any] = dict(metric=result.metric, a=pair.a, b=pair.b)
    if pair.n == 0:
        yield Caution("no-common-line", **about)
    elif some and not pair.decidable and not can_reach(settings, np.array([pair.n_units]), "none").any():
        yield Caution("too-few-common-units", {"unit": settings.unit, "n": pair.n_units}, **about)
    elif any(here < FEW_UNITS <= expand
             for here, expand in ((pair.n_effective, result.n_effective), (pair.n, testset.n_segments))):
        by_document = settings.unit == "document"
        yield Caution("few-common-lines", {"n": pair.n, "n_documents": pair.n_units if by_document else None,
                                           "worth": pair.n_effective if by_document else None}, **about)


def _few_differences(testset: TestSet, settings: Settings, result: MetricResult, pair: PairResult) -> dict[str, Any]:
    """In how few units the scores of a pair differ, where that bounds its p; else empty."""
    if pair.n_apart is None:
        return {}
    test = TESTS[settings.test]
    least = float(least_of_units(test, settings.unit, np.array(pair.n_apart), settings.block_length))
    if least <= 0 or pair.decidable and (pair.p_value is None or pair.p_value > least):
        return {}
    return {"unit": differing_unit(settings), "n": pair.n_apart, "n_texts": _texts_apart(
        testset, settings, pair, result.metric), "n_all": pair.n if settings.unit == "block" else pair.n_units,
        "least": least, "bootstrap": test.draws == "bootstrap"}


def _texts_apart(testset: TestSet, settings: Settings, pair: PairResult, metric: str) -> int:
    """In how many units the outputs of two systems differ; 0 where what is compared are given scores."""
    if metric in testset.scores:
        return 0
    outputs = zip(*([testset.systems[name], *testset.runs.get(name, ())] for name in (pair.a, pair.b)), strict=False)
    apart = {k for first, second in outputs for k, (one, other) in enumerate(zip(first, second, strict=True))
             if one != other}
    return len({testset.document_index[k] for k in apart}) if differing_unit(settings) == "document" else len(apart)


def _same_scores(testset: TestSet, pair: PairResult, metric: str) -> bool:
    """Whether segment scores that came with the test set are the same wherever two systems both have one."""
    by_system = testset.scores[metric].by_system if metric in testset.scores else {}
    return pair.a in by_system and pair.b in by_system and all(
        a == b or a is None or b is None for a, b in zip(by_system[pair.a], by_system[pair.b], strict=True))


def is_near(pair: PairResult, settings: Settings) -> bool:
    """Whether the adjusted p lies within two Monte Carlo standard errors of alpha."""
    if settings.trials is None or pair.p_value is None or pair.p_adjusted is None:
        return False
    if settings.correction == "romano-wolf":  # itself a share of the replicates
        error = math.sqrt(pair.p_adjusted * (1 - pair.p_adjusted) / settings.trials)
    else:  # a multiple of one
        share = pair.p_value / TESTS[settings.test].steps
        error = pair.p_adjusted / share * math.sqrt(share * (1 - share) / settings.trials)
    return error > 0 and pair.p_adjusted < 1 and abs(pair.p_adjusted - settings.alpha) <= 2 * error


def at_least_p(pair: PairResult, settings: Settings) -> bool:
    """Whether a pair has the smallest p that so many trials can give."""
    return pair.p_value is not None and pair.p_value <= TESTS[settings.test].smallest_p(settings.trials)


def about_near_at_least(settings: Settings, result: MetricResult, near: Sequence[PairResult]) -> Iterator[Caution]:
    """The warnings that pairs of the smallest p are near alpha: where one more extreme draw would undo what is
    significant (`undone`), and where only more trials may tell."""
    lost = _undone_by_one(settings, result, near) if near else ()
    for undone in (True, False):
        p = [pair.p_adjusted or 0.0 for pair, own in zip(near, lost, strict=True) if bool(own) is undone]
        if p:
            yield Caution("near-alpha-at-the-least-p", {
                "n": len(p), "trials": settings.trials, "correction": settings.correction, "p_low": min(p),
                "p_high": max(p), "undone": undone}, result.metric, remedies=_more_trials(settings))


def _undone_by_one(settings: Settings, result: MetricResult, near: Sequence[PairResult]) -> np.ndarray:
    """Which of the pairs that have the smallest p are significant, and would not be so with one more draw at least as
    extreme as their difference, shape (pairs,).

    It raises p by a step, which a correction of p may multiply: alike for all of them, as they are tied. Romano-Wolf's
    adjusted p is a share of the draws itself, and rises by about one.
    """
    step, adjust = TESTS[settings.test].smallest_p(settings.trials), ADJUSTMENTS.get(settings.correction)
    if adjust is None:
        raised = np.array([pair.p_adjusted for pair in near], dtype=float) + step
    else:
        tested = [pair for pair in result.pairs if pair.p_value is not None]
        at = next(k for k, pair in enumerate(tested) if pair is near[0])
        p = np.array([pair.p_value for pair in tested], dtype=float)
        p[at] += step
        raised = np.full(len(near), adjust(p)[at])
    lost: np.ndarray = np.array([pair.significant for pair in near]) & ~significant(raised, settings.alpha)
    return lost


def _more_trials(settings: Settings) -> tuple[Remedy, ...]:
    return ({"trials": 5 * (settings.trials or 0) + 4},)


# -- Training runs -----------------------------------------------------------------------------------------------------


def about_runs(testset: TestSet, settings: Settings, results: Iterable[MetricResult]) -> Iterator[Caution]:
    """What to keep in mind of a test set with training runs."""
    if not testset.runs:
        return
    low, high = spread_interval(1.0, testset.n_runs, settings.alpha)
    yield Caution("training-runs", {"n": testset.n_runs, "level": 1 - settings.alpha, "low": low, "high": high})
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
            if pair.significant and needed is not None and row.se_total and abs(pair.delta) < needed:
                yield Caution("runs-may-turn", {"errors": abs(pair.delta) / row.se_total,
                                                "needed": needed / row.se_total}, result.metric, pair.a, pair.b)
