"""Results in sentences: the verdict, its caveats, the method, and a paragraph for a paper.

A test set is a task with one language pair that has no name, so the same functions write both. They
claim only what the decisions say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy, choose_verb, format_count, write_p
from mtsig_core.grouping import group_values
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import (
    HUMAN_SCORES,
    describe_rank_disagreement,
    explain_no_decision,
    find_reason_undecided,
    list_assumptions,
    list_names,
    name_metric,
    p_word,
)
from mtsig_core.report.palette import shortened
from mtsig_core.report.table import join_ends, signed, written_like
from mtsig_core.report.text import printable
from mtsig_core.results import (
    UNLIKE,
    Comparison,
    MacroPair,
    MacroResult,
    MetricResult,
    PairResult,
    Settings,
    TaskComparison,
    TaskInfo,
    swap_ratio,
)
from mtsig_core.stats.across import AGREE, FEW, MACRO_TESTS, UNDECIDED, Disputed, PairAcross
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.cautions import about_one_metric, rank_disagreement
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    FEW_UNITS,
    fewest_trials,
    find_shortage,
    rank_correction,
    unbiased,
    units_freedom,
)
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.joint_decisions import decide_together
from mtsig_core.stats.pair import PairExamination
from mtsig_core.stats.ranks import (
    RANK_RULES,
    RankRule,
    count_only_by_rule,
    count_reversed_pairs,
    find_top_group,
    has_clear_winner,
    list_first,
)
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split, parse_look

# -------------------------------------------------------------------------------------------------
# The language pairs that were compared by a metric, and names.


#: A test set, or a shared task.
AnyComparison = Comparison | TaskComparison
#: By language pair the comparison and its result by one metric.
LangPairResults = Mapping[str, tuple[Comparison, MetricResult]]

_TextsByName = Mapping[str, Sequence[str]]

NO_DIFFERENCE = "no significant difference"
#: The place of a result across the language pairs.
ACROSS = "across all"
_FEW = 6  # systems or language pairs that a sentence names


def select_lang_pairs(comparison: AnyComparison, metric: str) -> LangPairResults:
    """Return the language pairs that were compared by a metric; a test set has one, ``""``."""
    if isinstance(comparison, Comparison):
        return {"": (comparison, comparison.metrics[metric])}
    return {
        lang_pair: (pair_comparison, pair_comparison.metrics[metric])
        for lang_pair, pair_comparison in comparison.pairs.items()
        if metric in pair_comparison.metrics
    }


def _list_results(comparison: AnyComparison, metric: str) -> list[MetricResult]:
    return [result for _, result in select_lang_pairs(comparison, metric).values()]


def _get_settings(lang_pairs: LangPairResults) -> Settings:
    """Return the settings, which are the same for all language pairs except for small sets."""
    comparison, _ = next(iter(lang_pairs.values()))
    return comparison.settings


def list_task_metrics(comparison: AnyComparison) -> list[str]:
    """Return all metrics, in the order of the language pairs."""
    if isinstance(comparison, Comparison):
        return list(comparison.metrics)
    metrics: list[str] = []
    for pair_comparison in comparison.pairs.values():
        metrics += pair_comparison.metrics
    return list(dict.fromkeys(metrics))


def order_systems(comparison: AnyComparison, metric: str) -> list[str]:
    """Return the systems as one metric ranks them.

    They are in the order of the language pairs if nothing is averaged.
    """
    results: Sequence[MetricResult | MacroResult] = _list_results(comparison, metric)
    macro = _find_macro(comparison, metric)
    if macro is not None:
        results = [macro]
    return list(dict.fromkeys(row.system for result in results for row in result.systems))


def find_rank_rule(comparison: TaskComparison) -> RankRule:
    """Return the rule of the ranks within each language pair; the default if none is compared."""
    for pair_comparison in comparison.pairs.values():
        return RANK_RULES[pair_comparison.settings.rank_rule]
    return RANK_RULES["simultaneous"]


def find_rule_of(results: Iterable[MetricResult], rank_rule: str) -> RankRule:
    """Return the rule that ranks these results: the one asked for, or ours where that does not fit."""
    if any(result.ruled is not None for result in results):
        return RANK_RULES[rank_rule]
    return RANK_RULES["simultaneous"]


def find_metric_rule(comparison: AnyComparison, metric: str) -> RankRule:
    """Return the rule of the ranks by a metric, within each language pair."""
    lang_pairs = select_lang_pairs(comparison, metric)
    results = _list_results(comparison, metric)
    if not results:
        return RANK_RULES["simultaneous"]
    return find_rule_of(results, _get_settings(lang_pairs).rank_rule)


def _find_macro(comparison: AnyComparison, metric: str) -> MacroResult | None:
    if isinstance(comparison, TaskComparison):
        return comparison.macro.get(metric)
    return None


def name_in_verdict(metric: str) -> str:
    """Return the start of a verdict by a metric.

    >>> name_in_verdict("chrf"), name_in_verdict("human")
    ('chrF', 'Human scores')
    """
    return name_metric(metric).replace(HUMAN_SCORES, "Human scores", 1)


def name_unit(metric: str) -> str:
    """Return the unit of differences by a metric.

    >>> name_unit("bleu"), name_unit("human")
    ('BLEU', 'points')
    """
    if name_metric(metric) == HUMAN_SCORES:
        return "points"
    return metric_title(metric)


def write_difference_axis(result: MetricResult, metric: str, anchor: str) -> str:
    """Write the title of an axis of differences from a system; both are names as shown.

    A rule that orders systems by another mean does not change the differences, which the title then
    says.
    """
    quantity = "Difference"
    if result.ruled is not None and result.ruled.means is not None:
        quantity = "Difference of segment means"
    return f"{quantity} in {metric} (← worse than {anchor})"


def join_names(items: Sequence[str], escape: bool = True) -> str:
    """Write items as an English list; with `escape` made printable first."""
    if escape:
        items = [printable(item) for item in items]
    return list_names(items, len(items))


def name_pairs(pairs: Sequence[str]) -> str:
    """Write the names of language pairs, or their number if a sentence has no room for them."""
    if len(pairs) <= _FEW:
        return ", ".join(pairs)
    return format_count(len(pairs), "language pair")


def group_by_lang_pair(sentences: _TextsByName) -> list[str]:
    """Return each sentence once: first for all language pairs, then for named language pairs."""
    return [text for text, _ in _group_sentences(sentences)]


def _group_sentences(sentences: _TextsByName) -> list[tuple[str, str]]:
    """Return the sentences of `group_by_lang_pair`, each with and without its language pairs."""
    texts = []
    for lang_pair, pair_sentences in sentences.items():
        texts += [(lang_pair, printable(sentence)) for sentence in pair_sentences]
    grouped = group_values(texts)
    of_all = []
    of_some = []
    for sentence, lang_pairs in grouped.items():
        if len(lang_pairs) == len(sentences):
            of_all.append((sentence, sentence))
        else:
            of_some.append((f"In {join_names(lang_pairs)}: {sentence}", sentence))
    return of_all + of_some


def merge_by_metric(sentences: _TextsByName) -> list[str]:
    """Return each sentence once; one that is not true of all metrics names its own."""
    texts = []
    for metric, metric_sentences in sentences.items():
        texts += [(name_metric(metric), sentence) for sentence in metric_sentences]
    merged = []
    for sentence, names in group_values(texts).items():
        is_of_all = len(names) == len(sentences)
        merged.append(sentence if is_of_all else f"{join_names(names)}: {sentence}")
    return merged


def join_by_lang_pair(phrases: Mapping[str, str]) -> str:
    """Return the phrase of all language pairs, or each phrase with its language pairs."""
    grouped = group_values(phrases.items())
    if len(grouped) == 1:
        return next(iter(grouped))
    return "; ".join(
        f"{phrase} ({join_names(lang_pairs)})" for phrase, lang_pairs in grouped.items()
    )


def choose_form(result: MetricResult | MacroResult) -> str:
    """Return the form of the metric's scores and differences; see `written_like`."""
    return written_like(row.score for row in result.systems if row.score is not None)


def write_level(settings: Settings) -> str:
    """Write the level of the intervals, such as 95%."""
    return f"{100 * (1 - settings.alpha):g}%"


def has_p_values(settings: Settings) -> bool:
    """Return whether the test gives p-values; Koehn's gives shares of wins."""
    return TESTS[settings.test].p_values is not None


def describe_direction(higher_is_better: bool, differences: bool = True) -> str:
    """Write whether higher is better; with `differences` also which sign is an improvement."""
    if higher_is_better:
        return "higher is better"
    if differences:
        return "lower is better; a positive difference is an improvement"
    return "lower is better"


def describe_difference(result: MetricResult) -> str:
    """Write the subtraction that is positive where the row is better."""
    if result.higher_is_better:
        return "row minus column"
    return "column minus row"


def name_score_axis(result: MetricResult, settings: Settings) -> str:
    """Write the end of the title of an axis of scores, after the metric."""
    title = f"with {write_level(settings)} CI"
    if result.higher_is_better:
        return title
    return f"{title}, lower is better"


def name_simultaneous(result: MetricResult, settings: Settings) -> str | None:
    """Name the intervals for all pairs together; None if each is for a single pair."""
    if len(result.tested) < 2 or all(pair.ci_joint_low is None for pair in result.pairs):
        return None
    return f"{write_level(settings)} CI for {name_family(result, settings)} together"


def name_family(result: MetricResult, settings: Settings) -> str:
    """Name the pairs that a correction is for."""
    family = f"all {len(result.tested)} pairs"
    if settings.baseline is None:
        return family
    return f"{family} with the baseline"


def find_anchor(result: MetricResult, settings: Settings) -> str:
    """Return the system that differences are from: the baseline, or else the best system.

    Of two systems it is the one whose name says so, or else the second, so that the difference is
    the improvement of the best.
    """
    if settings.baseline is not None:
        return settings.baseline
    best = result.systems[0].system
    if len(result.systems) == 2 and "baseline" not in best.lower():
        return result.systems[1].system
    return best


def pick_significant(result: MetricResult, settings: Settings) -> tuple[str, set[str]]:
    """Return the baseline, or else the best system, and the set of it and all that differ from it."""
    anchor = settings.baseline or result.systems[0].system
    systems = {anchor}
    for pair in result.pairs:
        if pair.significant and anchor in (pair.a, pair.b):
            systems |= {pair.a, pair.b}
    return anchor, systems


# -------------------------------------------------------------------------------------------------
# A pair of systems.


class PairView(NamedTuple):
    """A pair from the side of one system: its improvement over the other, and the decision."""

    difference: float
    ci: Bounds | None
    ci_joint: Bounds | None
    p: float | None
    adjusted_p: float | None
    win: float | None
    lose: float | None
    decision: str


def view_pair(
    pair: PairResult | MacroPair, name: str, result: MetricResult | MacroResult, settings: Settings
) -> PairView:
    """Return a pair from the side of one of its systems."""
    is_first = pair.a == name
    side = "a" if is_first else "b"
    sign = 1  # turns the difference of a and b into an improvement of this system
    if not is_first:
        sign = -sign
    if not result.higher_is_better:
        sign = -sign
    if pair.better is None:
        decision = describe_undecided(pair, settings)
    elif pair.better == side:
        decision = "better"
    else:
        decision = "worse"
    ci_joint = win = lose = None
    if isinstance(pair, PairResult):
        ci_joint = join_ends(pair.ci_joint_low, pair.ci_joint_high, sign)
        win = pair.win if is_first else pair.lose
        lose = pair.lose if is_first else pair.win
    return PairView(
        difference=sign * pair.delta,
        ci=join_ends(pair.ci_low, pair.ci_high, sign),
        ci_joint=ci_joint,
        p=pair.p_value,
        adjusted_p=pair.p_adjusted,
        win=win,
        lose=lose,
        decision=decision,
    )


def improvement_by_rule(pair: PairResult, name: str, result: MetricResult) -> float | None:
    """The difference by the rule of the ranks, positive where the system of that name is better."""
    if pair.rule_delta is None:
        return None
    improvement = result.sign * pair.rule_delta
    if pair.a == name:
        return improvement
    return -improvement


def better_by_rule(pair: PairResult) -> str | None:
    """The system that the rule of the ranks calls better."""
    return {"a": pair.a, "b": pair.b, None: None}[pair.rule_better]


def view_anchor_pairs(result: MetricResult, settings: Settings) -> dict[str, PairView]:
    """Return, by system, its pair with the anchor, from the system's side."""
    anchor = find_anchor(result, settings)
    views = {}
    for pair in result.pairs:
        if anchor in (pair.a, pair.b):
            name = pair.b if pair.a == anchor else pair.a
            views[name] = view_pair(pair, name, result, settings)
    return views


class MetricRow(NamedTuple):
    """A pair by one metric, from the side of one of its systems."""

    title: str  # of the metric
    difference: str  # with its interval
    p: str  # empty without one
    pair: PairView

    @property
    def numbers(self) -> str:
        """Difference, interval and p."""
        return ", ".join(filter(None, (self.difference, self.p)))


def name_sides(result: MetricResult, settings: Settings) -> tuple[str, str]:
    """Return the only two systems: first the one whose improvement the differences are."""
    partner = find_anchor(result, settings)
    name = next(row.system for row in result.systems if row.system != partner)
    return name, partner


def list_metric_rows(comparison: Comparison, metric: str) -> list[MetricRow]:
    """Return the only pair by each metric, `metric` first, all from the side of the same system."""
    settings = comparison.settings
    sides = name_sides(comparison.metrics[metric], settings)
    rows = []
    for key in dict.fromkeys([metric, *comparison.metrics]):
        result = comparison.metrics[key]
        for pair in result.pairs:
            if {pair.a, pair.b} == set(sides):
                view = view_pair(pair, sides[0], result, settings)
                difference = _write_difference(view, choose_form(result))
                p = "" if view.p is None else write_p(view.p)
                rows.append(MetricRow(metric_title(key), difference, p, view))
    return rows


def _write_difference(view: PairView, form: str) -> str:
    text: str = signed(view.difference, form)
    if view.ci is not None:
        low, high = view.ci
        text += f" ({signed(low, form, '')} to {signed(high, form, '')})"
    return text


def describe_undecided(pair: PairResult | MacroPair, settings: Settings) -> str:
    """Describe a pair without a better system."""
    if isinstance(pair, PairResult):
        if pair.n == 0:
            return "not tested: no segment in common"
        if is_split(pair, settings.alpha):
            return "test and scores disagree"
    if pair.decidable:
        return NO_DIFFERENCE
    return FEW


def find_identical(
    comparison: Comparison, result: MetricResult | MacroResult, pair: PairResult | MacroPair
) -> str | None:
    """Return ``"outputs"`` or ``"scores"`` if the two systems have the same on every segment."""
    for caution in comparison.warnings:
        is_identical = caution.code in ("identical-outputs", "identical-scores")
        is_of_pair = {caution.a, caution.b} == {pair.a, pair.b}
        if is_identical and is_of_pair and caution.metric == result.metric:
            return caution.code.removeprefix("identical-")
    return None


def state_pair(
    comparison: Comparison,
    result: MetricResult | MacroResult,
    pair: PairResult | MacroPair,
    place: str = "",
) -> str:
    """Write the verdict on a pair, without numbers and full stop."""
    names = f"{pair.a} and {pair.b}"
    identical = find_identical(comparison, result, pair)
    if identical is not None:
        return f"The {identical} of {names} are identical{place}"
    if pair.better is None:
        decision = describe_undecided(pair, comparison.settings)
        if decision == NO_DIFFERENCE:
            return f"No significant difference between {names}{place}"
        return f"{pair.a} vs. {pair.b}{place}: {decision}"
    better = pair.a
    worse = pair.b
    if pair.better == "b":
        better, worse = worse, better
    claim = "is significantly" if has_p_values(comparison.settings) else "counts as"
    return f"{better} {claim} better than {worse}{place}"


def _name_partner(pair: PairResult | MacroPair, name: str) -> str:
    return pair.b if name == pair.a else pair.a


def write_evidence(
    comparison: Comparison,
    result: MetricResult | MacroResult,
    pair: PairResult | MacroPair,
    name: str,
) -> str:
    """Write the improvement of one system of a pair over the other, and the evidence for it.

    The evidence is an interval, and a p or the wins. An interval that contradicts the decision
    comes last.
    """
    settings = comparison.settings
    view = view_pair(pair, name, result, settings)
    n_pairs = len(_list_tested(result))
    form = choose_form(result)
    difference = f"{signed(view.difference, form)} {name_unit(result.metric)}"
    difference += name_common_segments(comparison, result, pair)
    test_outcome = _write_test_outcome(view, name, _name_partner(pair, name), n_pairs, settings)
    interval = find_decisive_interval(view, n_pairs, settings)
    if interval is None:
        return f"{difference}, {test_outcome}"
    is_joint = interval is view.ci_joint
    level = f"{write_level(settings)} CI"
    if is_joint:
        level += " for all pairs together"
    low, high = interval
    bounds = f"{signed(low, form, '')} to {signed(high, form, '')}"
    is_decisive = is_joint or n_pairs == 1
    if is_decisive and contradicts_decision(pair, interval, settings):
        verb = "excludes" if pair.better is None else "contains"
        contradiction = f"but the {level}, by another method, {verb} 0: {bounds}"
        return f"{difference}, {test_outcome}, {contradiction}"
    return f"{difference}, {level} {bounds}, {test_outcome}"


def _write_test_outcome(
    view: PairView, name: str, partner: str, n_pairs: int, settings: Settings
) -> str:
    """Write the wins of both systems of a pair, or the p."""
    if view.win is not None and view.lose is not None:
        return f"{name} wins {view.win:.1%} of the resamples, {partner} {view.lose:.1%}"
    if view.adjusted_p is None:
        return "not tested, as they have no segments in common"
    return write_p(view.adjusted_p, p_word(settings.correction, n_pairs))


def name_common_segments(
    comparison: Comparison, result: MetricResult | MacroResult, pair: PairResult | MacroPair
) -> str:
    """Name the segments that a difference is of, if systems have scores on different ones."""
    if isinstance(pair, MacroPair) or isinstance(result, MacroResult):
        return ""
    if not has_different_segments(comparison, result):
        return ""
    return f" on the {format_count(pair.n, 'segment')} with scores for both"


def contradicts_decision(
    pair: PairResult | MacroPair, interval: Bounds | None, settings: Settings
) -> bool:
    """Return whether an interval contradicts the decision on a pair.

    It contains 0 although the pair is significant, or excludes 0 although it is not.
    """
    if interval is None:
        return False
    if isinstance(pair, PairResult) and is_split(pair, settings.alpha):
        return False
    if pair.better is None:
        return not contains_zero(*interval)
    return contains_zero(*interval)


def find_decisive_interval(view: PairView, n_pairs: int, settings: Settings) -> Bounds | None:
    """Return the interval that goes with the p that decides."""
    is_joint = n_pairs > 1 and CORRECTIONS[settings.correction].family_wise
    if is_joint and view.ci_joint is not None:
        return view.ci_joint
    return view.ci


def explain_unlike(examination: PairExamination, n: float | None) -> str:
    """Write that p is too small, if random permutations vary clearly less than resamples."""
    se = examination.se.get(examination.settings.unit)
    swap_se = float(np.sqrt(np.mean(np.square(examination.swapped))))
    ratio = swap_ratio(examination.delta, se, swap_se, n)
    if not se or ratio is None or ratio <= UNLIKE:
        return ""
    p = _find_p_by_standard_error(examination, se)
    p_of_swaps = next(row.p_value for row in examination.outcomes if row.test == "ar")
    if p_of_swaps is None or p <= p_of_swaps:
        return ""
    return (
        f"This p is too small, because the outputs of {examination.a} and {examination.b} are very different: resamples "
        f"vary {ratio:.2f} times as much as permutations. From the standard error: {write_p(p)}."
    )


def _find_p_by_standard_error(examination: PairExamination, se: float) -> float:
    from scipy.special import stdtr

    n = examination.n_effective
    t = abs(examination.delta) / unbiased(se, n)
    return 2 * float(stdtr(units_freedom(n), -t))


# -------------------------------------------------------------------------------------------------
# The verdict.


def state_verdict(comparison: AnyComparison, metric: str) -> str:
    """Write the better system, or the top group, in one sentence without its full stop.

    If no system is ranked, write why.
    """
    lang_pairs = select_lang_pairs(comparison, metric)
    macro = _find_macro(comparison, metric)
    if macro is not None and macro.is_ranked:
        return _state_across(macro, len(lang_pairs))
    if len(lang_pairs) == 1:
        [lang_pair] = lang_pairs
        pair_comparison, result = lang_pairs[lang_pair]
        place = f" in {lang_pair}" if lang_pair else ""
        return _state_lang_pair(pair_comparison, result, place)
    n_pairs = format_count(len(lang_pairs), "language pair")
    baseline = _get_settings(lang_pairs).baseline
    if baseline is not None:
        if macro is not None and macro.pairs:
            return _state_against_baseline(macro.pairs, baseline, f", by the mean over {n_pairs}")
        pairs = list(chain.from_iterable(result.pairs for _, result in lang_pairs.values()))
        return _state_against_baseline(pairs, baseline, f", comparisons within {n_pairs}")
    reasons = [explain_no_ranks(*compared) for compared in lang_pairs.values()]
    if None not in reasons:
        distinct = "; ".join(dict.fromkeys(filter(None, reasons)))
        return f"No system is ranked in any of {n_pairs}: {distinct}"
    n_winners = sum(has_clear_winner(result) for _, result in lang_pairs.values())
    rule = find_metric_rule(comparison, metric)
    first = "significantly better than all others"
    if rule.name != "simultaneous":
        first = f"first, ranked {rule.title},"
    return f"A single system is {first} in {n_winners} of {n_pairs}"


def _state_across(macro: MacroResult, n_pairs: int) -> str:
    ranked = [row for row in macro.systems if row.rank_low is not None]
    top_group = list_first(ranked)
    systems = [row.system for row in ranked]
    place = f" across {format_count(n_pairs, 'language pair')}"
    verdict = name_top_group(top_group, systems, has_clear_winner(macro), place)
    n_unranked = len(macro.systems) - len(ranked)
    if n_unranked == 0:
        return verdict
    if n_unranked == 1:
        return f"{verdict}. 1 other system is not ranked: it is not in all language pairs"
    return (
        f"{verdict}. {n_unranked} other systems are not ranked: they are not in all language pairs"
    )


def state_answer(comparison: Comparison, metric: str) -> str:
    """Write the verdicts on a test set by all metrics, `metric` first, without the last full stop.

    Metrics with the same verdict share a sentence. Where verdicts on several systems differ, the
    first words point it out.
    """
    by_verdict = _group_verdicts(comparison, metric)
    result = comparison.metrics[metric]
    if len(by_verdict) > 1 and len(result.pairs) == 1:
        decision_of = {}
        for row in list_metric_rows(comparison, metric):
            decision_of[row.title] = {"better": 1, "worse": -1}.get(row.pair.decision, 0)
        return state_pair_by_metrics(*name_sides(result, comparison.settings), decision_of)
    answers = []
    for verdict, metrics in by_verdict.items():
        names = _name_few([name_metric(name) for name in metrics])
        answers.append(f"By {names}: {verdict}")
    return _join_answers(answers, by_verdict)


def state_family(comparison: Comparison, metric: str) -> str:
    """Write how many pairs differ significantly by a metric, or why none can be decided."""
    result = comparison.metrics[metric]
    settings = comparison.settings
    reason = explain_no_decision(settings, result)
    if reason is not None:
        return reason
    by_metric = f"By {name_metric(metric)}"
    if len(result.pairs) == 1:
        return f"{by_metric}: {state_pair(comparison, result, result.pairs[0])}"
    n_significant = result.n_significant
    n_tested = len(result.tested)
    noun = choose_verb(n_tested, "pair differs", "pairs differ")
    return f"{by_metric}: {n_significant:,} of {n_tested:,} {noun} significantly"


def state_pair_by_metrics(a: str, b: str, decision_of: Mapping[str, int]) -> str:
    """Write what each metric decides on a pair: 1 where a is better, -1 where b is, else 0."""
    metrics: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for title, decision in decision_of.items():
        metrics[decision].append(title)
    claims = []
    for side, better, worse in ((1, a, b), (-1, b, a)):
        if metrics[side]:
            names = ", ".join(metrics[side])
            claims.append(f"{better} is significantly better than {worse} by {names}")
    if metrics[0]:
        claim = "no significant difference"
        if not claims:
            claim = f"No significant difference between {a} and {b}"
        claims.append(f"{claim} by {', '.join(metrics[0])}")
    verdict = "; ".join(claims)
    if metrics[1] and metrics[-1]:
        return f"The metrics contradict each other: {verdict}"
    return verdict


def state_task_answer(comparison: TaskComparison, metric: str) -> str:
    """Write the verdicts on a task by all metrics, `metric` first, without the last full stop."""
    by_verdict = _group_verdicts(comparison, metric)
    answers = []
    for verdict, (first, *further) in by_verdict.items():
        names = _name_few([name_in_verdict(first), *map(name_metric, further)])
        answers.append(f"{names}: {verdict}")
    return _join_answers(answers, by_verdict)


def _group_verdicts(comparison: AnyComparison, metric: str) -> dict[str, list[str]]:
    """Return the metrics by their verdict, `metric` first."""
    names = dict.fromkeys([metric, *list_task_metrics(comparison)])
    return group_values((name, state_verdict(comparison, name)) for name in names)


def _join_answers(answers: Sequence[str], by_verdict: _TextsByName) -> str:
    """Join the answers, which have a verdict each.

    Of several, only the first is written, and the metrics of the others: a caveat has their top
    groups.
    """
    if len(answers) == 1:
        return answers[0]
    _, *other_groups = by_verdict.values()
    names: list[str] = []
    for group in other_groups:
        names += [name_metric(name) for name in group]
    return f"The metrics disagree. {answers[0]}. Other verdicts: by {_name_few(names)}"


def _name_few(names: Sequence[str]) -> str:
    """Name metrics; if they are many, only the first, and the number of others."""
    if len(names) > _FEW:
        names = [names[0], f"{len(names) - 1} other metrics"]
    return join_names(names, escape=False)


def find_answer_pair(result: MetricResult, settings: Settings) -> PairResult | None:
    """Return the pair that a verdict rests on; None where ranks by a published rule rest on none.

    That is the only pair, the first two of the top group, the winner and the second, or the
    baseline and the best other system.
    """
    if len(result.pairs) == 1:
        return result.tested[0] if result.tested else None
    top_group = find_top_group(result)
    if settings.baseline is not None:
        best = [row.system for row in result.systems if row.system != settings.baseline]
        names = {settings.baseline, best[0]}
    elif not top_group or result.ruled is not None:
        return None
    elif len(top_group) == 1:
        names = {row.system for row in result.systems[:2]}
    else:
        names = set(top_group[:2])
    return next((pair for pair in result.tested if {pair.a, pair.b} == names), None)


def _state_lang_pair(comparison: Comparison, result: MetricResult, place: str) -> str:
    settings = comparison.settings
    if not result.pairs:
        row = result.systems[0]
        score = f"{row.score:{choose_form(result)}}"
        return f"{row.system} scores {score}{place}; there is no other system to compare"
    is_decided = explain_no_decision(settings, result) is None
    if is_decided and result.ruled is None and len(result.pairs) == 1:
        return state_pair(comparison, result, result.pairs[0], place)
    if is_decided and settings.baseline is not None:
        return _state_against_baseline(result.pairs, settings.baseline, place)
    top_group = find_top_group(result)
    if top_group is None:
        why = explain_no_ranks(comparison, result) or "there are no ranks"
        return f"No system is ranked{place}: {why}"
    if result.ruled is not None:  # a published rule, by which several may be first
        title = RANK_RULES[settings.rank_rule].title
        return f"First{place}, ranked {title}: {', '.join(top_group)}"
    return name_top_group(top_group, result.names, has_clear_winner(result), place)


def _state_against_baseline(
    pairs: Sequence[PairResult | MacroPair], baseline: str, place: str
) -> str:
    n_by_side = Counter(pair.better for pair in pairs)
    n_better = n_by_side["a"]
    n_worse = n_by_side["b"]
    n_untested = sum(isinstance(pair, PairResult) and pair.n == 0 for pair in pairs)
    n_open = len(pairs) - n_untested - n_better - n_worse
    verdict = (
        f"Against {baseline}{place}: {n_better} significantly better, {n_worse} significantly worse, "
        f"{n_open} without a significant difference"
    )
    if n_untested:
        verdict += f", {n_untested} not tested"
    return verdict


def state_together(comparison: TaskComparison, baseline: str) -> str:
    """Write how systems compare with the baseline, decided over all parts and metrics together."""
    decisions = decide_together(comparison)
    n_metrics = format_count(len(list_task_metrics(comparison)), "metric")
    n_parts = format_count(len(comparison.pairs), "language pair")
    place = (
        f", each language pair on its own, over {n_parts} and {n_metrics} "
        f"(corrected for all {len(decisions)} comparisons, Holm)"
    )
    verdict = _state_against_baseline([row.pair for row in decisions], baseline, place)
    worse = [
        f"{row.pair.a} in {row.language_pair} ({metric_title(row.metric)})"
        for row in decisions
        if row.pair.better == "b"
    ]
    settings = next(iter(comparison.pairs.values())).settings
    needed = fewest_trials(settings, len(decisions), "holm")
    if needed is not None:
        return (
            f"{verdict}. {settings.trials:,} trials are too few to decide any. "
            f"Use at least {needed:,}, or fewer metrics"
        )
    return f"{verdict}. Worse: {join_names(worse) or 'nowhere'}"


def name_top_group(
    names: Sequence[str], systems: Sequence[str], has_winner: bool, place: str = ""
) -> str:
    """Write the verdict on the best of some systems.

    A winner is significantly better than all others.

    >>> name_top_group("A", "AB", True), name_top_group("A", "ABC", True)
    ('A is significantly better than B', 'A is significantly better than the other 2 systems')
    >>> name_top_group(["A", "B"], "ABC", False, " in en-de")
    'No clear winner in en-de. Top group: A, B'
    >>> name_top_group(["A", "B"], "AB", False)
    'No significant difference between A and B'
    """
    if has_winner:
        others = [name for name in systems if name != names[0]]
        partners = f"the other {len(others)} systems"
        if len(others) == 1:
            [partners] = others
        return f"{names[0]} is significantly better than {partners}{place}"
    if len(names) == len(systems) == 2:
        return f"No significant difference between {names[0]} and {names[1]}{place}"
    if len(names) > 1:
        return f"No clear winner{place}. Top group: {', '.join(names)}"
    return f"Top group{place}: {names[0]}"


def explain_no_ranks(comparison: Comparison, result: MetricResult) -> str | None:
    """Return why no system is ranked, as a phrase; None if ranks are possible."""
    settings = comparison.settings
    if len(result.systems) == 1:
        return "there is only one system"
    has_p = has_p_values(settings)
    correction = rank_correction(settings) if has_p and not settings.baseline else None
    why = find_reason_undecided(settings, result, correction)
    if why is None and not has_p and result.tested:
        return "this test does not correct for the number of pairs"
    return why


def name_first_place(rule: RankRule) -> str:
    """Name the systems with the first rank by a rule, as a title.

    >>> name_first_place(RANK_RULES["simultaneous"]), name_first_place(RANK_RULES["wmt25"])
    ('top group', 'first, ranked as WMT25')
    """
    if rule.name == "simultaneous":
        return "top group"
    return f"first, ranked {rule.title}"


# -------------------------------------------------------------------------------------------------
# Caveats, which must go with a quoted result.


def keeps_its_level(comparison: Comparison) -> bool:
    """Return whether the test has the false-alarm rate alpha.

    A warning says if not, and no correction changes that.
    """
    return not any(caution.kind.breaks_level for caution in comparison.warnings)


def keeps_interval_level(comparison: Comparison) -> bool:
    """Return whether intervals hold as often as their level says; a warning says if not."""
    return not any(caution.kind.breaks_intervals for caution in comparison.warnings)


def describe_control(comparison: Comparison, correction: str) -> str:
    """Name the error that a correction controls; none if the test itself rejects too often."""
    if keeps_its_level(comparison):
        return CORRECTIONS[correction].controls
    return "nothing: the test rejects too often"


def pick_file_doubts(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the warnings that put all numbers of a system in doubt; they go with every verdict."""
    return [caution for caution in cautions if caution.kind.doubts_files]


def pick_cautions(comparison: Comparison, result: MetricResult) -> list[Caution]:
    """Return the warnings that must go with a quoted result."""
    is_single = len(result.tested) == 1
    caveats = []
    for caution in comparison.warnings:
        if caution.metric not in (None, result.metric):
            continue
        if caution.kind.doubts_files and result.was_given:
            continue  # these scores do not depend on the texts
        if not caution.facts.get("differ", True):
            continue  # ranks and decisions have two corrections, but are the same
        contradicts = caution.code == "interval-and-decision" and is_single
        if caution.kind.in_caption or contradicts:
            caveats.append(caution)
    return caveats


#: What a warning may be about to go with each verdict on a test set.
_OF_VERDICTS = ("scores", "references", "family")


def pick_verdict_cautions(comparison: Comparison, metric: str, *remedies: Remedy) -> list[Caution]:
    """Return the warnings that go with the verdict on a test set.

    They are on its page, in its files, and in a paper. `remedies` go with the warning that only one
    metric was compared.
    """
    result = comparison.metrics[metric]
    caveats = pick_cautions(comparison, result)
    anchor = find_anchor(result, comparison.settings)
    picked = []
    for caution in comparison.warnings:
        is_of_metric = caution.metric in (None, metric)
        is_borderline = caution.code == "near-alpha" and anchor in (caution.a, caution.b)
        is_of_verdict = caution.kind.concern in _OF_VERDICTS or is_borderline
        if caution in caveats or (is_of_metric and is_of_verdict):
            picked.append(caution)
    return [*picked, *about_one_metric(comparison.metrics, *remedies)]


def list_caution_texts(comparison: AnyComparison, metric: str) -> list[str]:
    """Write the sentences that must go with a quoted result.

    They are on wrong files, on the test or the unit, on metrics and references that disagree, and
    on gaps of a task.
    """
    return [sentence for sentence, _ in explain_cautions(comparison, metric)]


def explain_cautions(comparison: AnyComparison, metric: str) -> list[tuple[str, list[Caution]]]:
    """Return the sentences of `list_caution_texts`, each with the warnings that it is made of."""
    lang_pairs = select_lang_pairs(comparison, metric)
    is_task = isinstance(comparison, TaskComparison)
    sentences_of_pair: dict[str, list[str]] = {}
    cautions_of_sentence: dict[str, list[Caution]] = {}
    for lang_pair, (pair_comparison, result) in lang_pairs.items():
        sentences_of_pair[lang_pair] = []
        if is_task:
            picked = pick_cautions(pair_comparison, result)
        else:
            picked = pick_verdict_cautions(pair_comparison, metric)
        for caution in picked:
            sentence = caution.general if is_task else caution.finding
            sentences_of_pair[lang_pair].append(sentence)
            cautions_of_sentence.setdefault(printable(sentence), []).append(caution)
    explained: list[tuple[str, list[Caution]]] = []
    if isinstance(comparison, TaskComparison):
        explained += [(sentence, []) for sentence in _list_task_cautions(comparison, metric)]
    for text, sentence in _group_sentences(sentences_of_pair):
        explained.append((text, cautions_of_sentence[sentence]))
    explained += [(sentence, []) for sentence in _list_unreliable(comparison, metric)]
    return explained


def _list_unreliable(comparison: AnyComparison, metric: str) -> list[str]:
    """Write what may not hold at its level, in which language pairs and across them."""
    lang_pairs = select_lang_pairs(comparison, metric)
    unreliable = group_by_lang_pair(
        {lang_pair: _describe_unreliable(*compared) for lang_pair, compared in lang_pairs.items()}
    )
    macro = _find_macro(comparison, metric)
    if unreliable and macro is not None and any(pair.decidable for pair in macro.pairs):
        unreliable.append("The same goes for results across the language pairs.")
    return unreliable


def _describe_unreliable(comparison: Comparison, result: MetricResult) -> list[str]:
    """Write what may not hold at its level if the test rejects too often; else nothing."""
    if not result.tested or keeps_its_level(comparison):
        return []
    if find_shortage(comparison.settings, result):
        return []
    doubtful = ["decisions"]
    if not keeps_interval_level(comparison):
        doubtful.append("intervals")
    if result.systems[0].rank_low is not None:
        doubtful.append("rank ranges")
    return [
        f"So {join_names(doubtful)} may not hold at the stated level, and no correction changes that."
    ]


def _list_task_cautions(comparison: TaskComparison, metric: str) -> list[str]:
    sentences = [caution.finding for caution in comparison.warnings if caution.metric == metric]
    other_tops = name_other_tops(comparison, metric)
    if other_tops is not None:
        sentences.append(other_tops)
    sentences += _count_only_by_rule(comparison, metric)
    announced_rule = _compare_announced_rule(comparison, metric)
    if announced_rule is not None:
        sentences.append(announced_rule)
    scored = comparison.task.pairs_with(metric)
    unscored = [lang_pair for lang_pair in comparison.task.pairs if lang_pair not in scored]
    if unscored:
        title = metric_title(metric)
        sentences.append(
            f"Not compared, because they have no {title} scores: {', '.join(unscored)}."
        )
    tested: list[PairResult] = []
    for result in _list_results(comparison, metric):
        if result.ruled is None:
            tested += result.tested
    n_undecidable = sum(not pair.decidable for pair in tested)
    if n_undecidable and metric in comparison.macro:
        sentences.append(
            f"{n_undecidable:,} of {len(tested):,} pairs of systems within the language pairs {FEW}. "
            "Wins, ties and losses exclude them."
        )
    return sentences + list_gaps_across(comparison, metric)


def _count_only_by_rule(comparison: TaskComparison, metric: str) -> list[str]:
    """Write how many pairs of systems only the rule of the ranks separates; nothing for none."""
    n_only = n_pairs = 0
    for result in _list_results(comparison, metric):
        n_only += count_only_by_rule(result)
        n_pairs += len(result.pairs)
    if n_only == 0:
        return []
    pairs = format_count(n_pairs, "pair")
    verb = choose_verb(n_only, "differs", "differ")
    title = find_metric_rule(comparison, metric).title
    return [f"Ranked {title}, {n_only} of {pairs} {verb} without a significant difference."]


def _compare_announced_rule(comparison: TaskComparison, metric: str) -> str | None:
    """Write that the ranks are not by the rule that the task announced.

    None where they are, or no rule fits.
    """
    announced = comparison.task.rank_rule
    rule = find_metric_rule(comparison, metric)
    if announced in (None, rule.name) or metric not in comparison.task.own_scores:
        return None
    announced_rule = RANK_RULES.get(str(announced))
    if announced_rule is None:
        return (
            f"The task announced the rank rule {announced}, which mtsig does not know. It knows "
            f"{', '.join(RANK_RULES)}."
        )
    return (
        f"The task announced ranks {announced_rule.title}. These are {rule.title}: the rank rule {announced} gives the "
        "others."
    )


def list_gaps_across(comparison: TaskComparison, metric: str) -> list[str]:
    """Write which decisions, ranks and intervals across the language pairs are missing, and why.

    Write also where decisions disagree with ranks or intervals.
    """
    macro = comparison.macro.get(metric)
    if macro is None:
        return []
    if not macro.pairs:
        gap = "No system is ranked"
        if comparison.baseline is not None:
            gap = f"No system is compared with {comparison.baseline}"
        return [f"{gap} across the language pairs: {_explain_no_macro(comparison)}"]
    sentences = []
    n_undecidable = sum(not pair.decidable for pair in macro.pairs)
    if n_undecidable:
        n_pairs = format_count(len(macro.pairs), "pair")
        gap = f"{n_undecidable:,} of {n_pairs} of systems {FEW}"
        is_only_gap = macro.is_ranked or comparison.baseline is not None
        sentences.append(f"{gap}." if is_only_gap else f"{gap}, and no system is ranked.")
    lang_pairs = select_lang_pairs(comparison, metric)
    short = [name for name, (_, result) in lang_pairs.items() if result.n_effective < FEW_UNITS]
    if short:
        place = name_pairs(short)
        sentences.append(
            f"Intervals are rough, or missing, because there are few units in {place}."
        )
    if lang_pairs:
        rule = find_metric_rule(comparison, metric)
        if rule.name != "simultaneous" and macro.is_ranked:
            sentences.append("Ranks are simultaneous rank ranges.")
        if comparison.baseline is None:
            sentences += _compare_with_ranks(_get_settings(lang_pairs), macro)
        sentences += _compare_with_intervals(lang_pairs, macro)
    return [f"Across the language pairs: {sentence}" for sentence in sentences]


def _explain_no_macro(comparison: TaskComparison) -> str:
    tests = {pair_comparison.settings.test for pair_comparison in comparison.pairs.values()}
    if tests <= set(MACRO_TESTS):
        return "no two systems have segments in common in all of them."
    return "this test gives no draws that could be averaged."


def _compare_with_ranks(settings: Settings, macro: MacroResult) -> list[str]:
    """Write where decisions across the language pairs disagree with the ranks."""
    correction = rank_correction(settings)
    if settings.correction == correction:
        return []
    facts = rank_disagreement(macro)
    if not facts:
        return []
    of_ranks = CORRECTIONS[correction].title
    of_decisions = CORRECTIONS[settings.correction].title
    return [
        f"Ranks are corrected by {of_ranks}, decisions by {of_decisions}: "
        f"{describe_rank_disagreement(**facts)}."
    ]


def _compare_with_intervals(lang_pairs: LangPairResults, macro: MacroResult) -> list[str]:
    """Write which to trust if decisions across the language pairs disagree with their intervals."""
    settings = _get_settings(lang_pairs)
    n_open = 0  # pairs without a decision although the interval excludes 0
    n_significant = 0  # pairs with a decision although the interval contains 0
    for pair in macro.pairs:
        interval = join_ends(pair.ci_low, pair.ci_high)
        if pair.decidable and contradicts_decision(pair, interval, settings):
            if pair.better is None:
                n_open += 1
            else:
                n_significant += 1
    if n_open + n_significant == 0:
        return []
    is_level_kept = all(keeps_its_level(comparison) for comparison, _ in lang_pairs.values())
    is_bootstrap = TESTS[settings.test].draws == "bootstrap"
    needed = None
    if is_bootstrap and not is_level_kept:
        needed = FEW_FOR_BOOTSTRAP
    trust = {
        "unlike": (),
        "n_others": 0,
        "ratio": None,
        "unit": settings.unit,
        "needed": needed,
    }
    facts = {
        "n_open": n_open,
        "n_significant": n_significant,
        "jointly": False,
        "in_steps": False,
        "trust": trust,
    }
    return [Caution("interval-and-decision", facts).text]


class _TopGroup(NamedTuple):
    systems: Sequence[str]
    lang_pairs: Sequence[str]


def _find_top_groups(comparison: TaskComparison) -> dict[str, _TopGroup]:
    """Return the top group by each metric, across the language pairs or in the only one."""
    groups = {}
    for metric in list_task_metrics(comparison):
        macro = comparison.macro.get(metric)
        lang_pairs = select_lang_pairs(comparison, metric)
        if macro is not None:
            systems = list_first(macro.systems)
            groups[metric] = _TopGroup(systems, macro.language_pairs)
        elif len(lang_pairs) == 1:
            [(_, result)] = lang_pairs.values()
            groups[metric] = _TopGroup(find_top_group(result) or (), tuple(lang_pairs))
    return groups


def name_other_tops(
    comparison: TaskComparison, metric: str, *further: TaskComparison
) -> str | None:
    """Name the top groups of other metrics that differ from the one of this metric.

    `further` comparisons may have more metrics. Only metrics with a language pair of this metric
    count; their language pairs are named if they are not the same. None if no top group differs.
    """
    groups: dict[str, _TopGroup] = {}
    for task_comparison in (*further, comparison):
        groups |= _find_top_groups(task_comparison)
    reference = groups.pop(metric, _TopGroup((), ()))
    metrics_by_group: dict[tuple[str, ...], list[str]] = {}
    for name, group in groups.items():
        if not group.systems or not reference.systems:
            continue
        if set(group.systems) == set(reference.systems):
            continue
        if set(group.lang_pairs).isdisjoint(reference.lang_pairs):
            continue
        title = shortened(name_metric(name), 40)
        if set(group.lang_pairs) != set(reference.lang_pairs):
            title += f" ({name_pairs(group.lang_pairs)})"
        metrics_by_group.setdefault(tuple(group.systems), []).append(title)
    if not metrics_by_group:
        return None
    verdicts = []
    for systems, metrics in metrics_by_group.items():
        names = list_names([shortened(name, 40) for name in systems])
        verdicts.append(f"{names} by {join_names(metrics, escape=False)}")
    return f"Other metrics name another top group: {'; '.join(verdicts)}."


def explain_far_firsts(comparison: AnyComparison, metric: str) -> list[str]:
    """Write where a system is in the top group although a better-scoring one is not.

    There is a sentence for each such language pair, and one for the results across them.
    """
    results: dict[str, MetricResult | MacroResult] = {
        lang_pair: result
        for lang_pair, (_, result) in select_lang_pairs(comparison, metric).items()
        if result.ruled is None
    }
    macro = _find_macro(comparison, metric)
    if macro is not None:
        results["Across the language pairs"] = macro
    sentences = []
    for place, result in results.items():
        far_firsts = _find_far_firsts(result)
        if far_firsts:
            verb = choose_verb(len(far_firsts), "is", "are")
            start = f"{place}: " if place else ""
            sentences.append(
                f"{start}{list_names(far_firsts)} {verb} in the top group although better-scoring systems are "
                "not. Differences from them vary more, or are on fewer segments."
            )
    return sentences


def _find_far_firsts(result: MetricResult | MacroResult) -> list[str]:
    """Return the systems with the first rank below a system without it."""
    far_firsts = []
    has_better_system = False
    for row in result.systems:
        if row.rank_low is None:
            continue
        if row.rank_low != 1:
            has_better_system = True
        elif has_better_system:
            far_firsts.append(row.system)
    return far_firsts


def count_hidden(comparison: TaskComparison, metric: str) -> dict[str, int] | None:
    """Count what ranks by a rule hide, over all language pairs.

    None for simultaneous ranks, which hide nothing.

    `significant`: significant pairs of systems; `significant_inside`: significant pairs inside one
    cluster; `inside_apart`: pairs of `significant_inside` whose rank ranges do not overlap;
    `turned_round`: significant pairs ranked the other way round. `apart_not_significant`: pairs
    that the rule ranks apart without a significant difference. `only_by_rule`: pairs that only the
    rule, not the test, calls different. `ranks`: ranks compared with simultaneous rank ranges;
    `changed`: ranks that differ.
    """
    names = (
        "significant",
        "significant_inside",
        "ranks",
        "changed",
        "apart_not_significant",
        "turned_round",
        "inside_apart",
        "only_by_rule",
    )
    counts = dict.fromkeys(names, 0)
    ruled_results = [
        result for result in _list_results(comparison, metric) if result.ruled is not None
    ]
    for result in ruled_results:
        ruled = result.ruled
        assert ruled is not None, "results without one are not in the list"
        counts["significant"] += result.n_significant
        counts["significant_inside"] += ruled.significant_inside
        counts["apart_not_significant"] += ruled.apart_not_significant or 0
        counts["turned_round"] += count_reversed_pairs(result)
        counts["inside_apart"] += ruled.inside_apart or 0
        counts["only_by_rule"] += count_only_by_rule(result)
        if ruled.changed is not None:
            counts["ranks"] += len(result.systems)
            counts["changed"] += ruled.changed
    if not ruled_results:
        return None
    return counts


# -------------------------------------------------------------------------------------------------
# The method.


def list_exclusions(comparison: AnyComparison) -> list[str]:
    """Write a sentence on the excluded systems, with language pairs and reasons.

    The list is empty without exclusions.
    """
    names = []
    for exclusion in comparison.excluded:
        name = exclusion.system
        lang_pair = getattr(exclusion, "pair", None)
        if lang_pair:
            name += f" in {lang_pair}"
        if exclusion.reason:
            name += f" ({exclusion.reason})"
        names.append(name)
    if not names:
        return []
    return [f"Excluded: {printable(', '.join(names))}."]


def describe_subject(comparison: AnyComparison, *metrics: str) -> list[str]:
    """Write what was compared.

    That is systems, test set or language pairs, metrics, and assumptions about the files.
    """
    if isinstance(comparison, Comparison):
        kind = "test set"
        assumed = comparison.testset.assumed
    else:
        kind = "task"
        assumed = comparison.task.assumed
    sentences = []
    compared = [(metric, _describe_compared(comparison, metric)) for metric in metrics]
    for text, scored_by in group_values(compared).items():
        sentences.append(f"{text} by {_name_with_directions(comparison, scored_by)}.")
    if _is_simulated(select_lang_pairs(comparison, metrics[0])):
        sentences.append(f"The {kind} is simulated.")
    return [*sentences, *map(printable, list_assumptions(assumed, metrics))]


def _describe_compared(comparison: AnyComparison, metric: str) -> str:
    """Write which systems were compared on which data."""
    lang_pairs = select_lang_pairs(comparison, metric)
    result = next(iter(lang_pairs.values()))[1]
    systems = order_systems(comparison, metric)
    verb = "scored"
    if len(result.systems) > 1:
        verb = "compared"
    if isinstance(comparison, Comparison):
        data = f"on {_describe_testset(comparison, result)}"
    else:
        tracks = count_tracks(comparison.task, systems)
        data = f"of {printable(comparison.task.name)}"
        if tracks:
            data += f" ({join_names(tracks)})"
        data += (
            f" in {format_count(len(lang_pairs), 'language pair')} ({join_names(list(lang_pairs))})"
        )
    return f"We {verb} {format_count(len(systems), 'system')} {data}"


def _name_with_directions(comparison: AnyComparison, metrics: Sequence[str]) -> str:
    """Name metrics, each direction once: 'BLEU and chrF (higher is better)'."""
    directions = []
    for metric in metrics:
        result = _list_results(comparison, metric)[0]
        directions.append((name_metric(metric), describe_direction(result.higher_is_better)))
    return " and ".join(
        f"{join_names(names)} ({direction})"
        for direction, names in group_values(directions).items()
    )


def _is_simulated(lang_pairs: LangPairResults) -> bool:
    return any(comparison.testset.simulated for comparison, _ in lang_pairs.values())


def count_tracks(task: TaskInfo, names: Iterable[str]) -> list[str]:
    """Write how many systems are in the constrained track, contrastive or human translations."""
    infos = [task.systems[name] for name in names if name in task.systems]
    counts = {"in the constrained track": sum(info.constrained is True for info in infos)}
    for label in ("contrastive", "human translation"):
        counts[label] = sum(label in info.labels for info in infos)
    return [f"{n} {label}" for label, n in counts.items() if n]


def _describe_testset(comparison: Comparison, result: MetricResult) -> str:
    """Write name, compared size and references of a test set."""
    info = comparison.testset
    facts = [_describe_size(comparison, result)]
    if not info.references:
        facts.append("segment scores without references")
    elif not result.was_given:
        word = "references"
        if len(info.references) == 1:
            word = "reference"
        names = join_names(info.references)
        facts.append("one reference" if names == word else f"{word} {names}")
    return f"{printable(info.name)} ({'; '.join(facts)})"


def _describe_size(comparison: Comparison, result: MetricResult) -> str:
    """Write a size.

    Such as "603 to 634 of 997 segments in 66 documents, those with scores for both systems".
    """
    info = comparison.testset
    by_document = comparison.settings.unit == "document"
    share = _write_share({pair.n for pair in result.tested}, info.n_segments)
    size = f"{share}{format_count(info.n_segments, 'segment')}"
    if info.n_documents is not None and (by_document or not share):
        n_documents = {pair.n_units for pair in result.tested} if by_document else set()
        documents = format_count(info.n_documents, "document")
        size += f" in {_write_share(n_documents, info.n_documents)}{documents}"
    if not share:
        return size
    if has_different_segments(comparison, result):
        return f"{size}, those with scores for both systems"
    return f"{size}, those with scores"


def _write_share(counts: set[int], total: int) -> str:
    """Write a start such as "603 of " or "540 to 603 of "; nothing if each is the total."""
    if not counts or min(counts) == total:
        return ""
    low = min(counts)
    high = max(counts)
    if low == high:
        return f"{low:,} of "
    return f"{low:,} to {high:,} of "


def has_different_segments(comparison: Comparison, result: MetricResult) -> bool:
    """Return whether systems have scores on different segments.

    A difference need not equal the difference of two scores then.
    """
    return any(
        caution.code == "rated-on-different-lines" and caution.metric == result.metric
        for caution in comparison.warnings
    )


def name_units(settings: Settings) -> str:
    """Name the units that are resampled or swapped, in the plural."""
    if settings.block_length is None:
        return f"{settings.unit}s"
    return f"stationary blocks of {settings.block_length:.4g} segments on average"


def name_resampled_units(settings: Settings) -> str:
    """Name the units that are resampled, with the source of the resamples of blocks.

    Permutations of blocks have none, as they are mtsig's own.
    """
    units = name_units(settings)
    if settings.block_length is None:
        return units
    return f"{units} (Politis and Romano 1994)"


def name_intervals(result: MetricResult, settings: Settings) -> str:
    """Name the kind of interval, and its resamples."""
    if result.ci == "t":
        return "Student's t intervals of segment means"
    if result.ci == "jackknife-t":
        return f"jackknife t intervals over {_name_left_out_units(settings)}"
    kind = result.ci
    if kind == "bca":
        kind = "BCa"
    return (
        f"{kind} bootstrap intervals from {settings.resamples:,} resamples of "
        f"{name_resampled_units(settings)}"
    )


def _name_left_out_units(settings: Settings) -> str:
    """Name the units that a jackknife leaves out, in the plural."""
    if settings.block_length is None:
        return f"{settings.unit}s"
    return f"fixed blocks of about {settings.block_length:.4g} segments"


def describe_tests(comparison: AnyComparison, metric: str) -> list[str]:
    """Describe the method in sentences.

    Test, unit, trials, correction, intervals, ranks, caveats, version.
    """
    return [
        *describe_procedure(comparison, metric),
        *list_caution_texts(comparison, metric),
        *list_exclusions(comparison),
        name_software(comparison, metric),
    ]


def name_software(comparison: AnyComparison, metric: str) -> str:
    """Name the software with its version, and the seed."""
    settings = _get_settings(select_lang_pairs(comparison, metric))
    return f"Computed with mtsig {settings.version}, seed {settings.seed}."


def describe_procedure(comparison: AnyComparison, metric: str) -> list[str]:
    """Describe test, unit, trials, correction and intervals, and ranks of more than two systems."""
    lang_pairs = select_lang_pairs(comparison, metric)
    sentences = group_by_lang_pair(
        {name: list(_describe_scores(*compared)) for name, compared in lang_pairs.items()}
    )
    sentences += _describe_test(lang_pairs)
    n_untested = sum(len(result.pairs) - len(result.tested) for _, result in lang_pairs.values())
    if n_untested:
        untested = format_count(n_untested, "pair")
        sentences.append(f"{untested} without segments in common could not be tested.")
    sentences += _describe_intervals(lang_pairs)
    if any(len(result.pairs) > 1 for _, result in lang_pairs.values()):
        sentences += describe_ranks(lang_pairs)
    sentences += _describe_rule(find_metric_rule(comparison, metric))
    if isinstance(comparison, TaskComparison):
        sentences += _describe_tests_across(comparison, metric)
    return sentences


def _describe_intervals(lang_pairs: LangPairResults) -> list[str]:
    settings = _get_settings(lang_pairs)
    level = write_level(settings)
    kinds = join_by_lang_pair(
        {
            name: name_intervals(result, comparison.settings)
            for name, (comparison, result) in lang_pairs.items()
        }
    )
    if any(len(result.pairs) > 1 for _, result in lang_pairs.values()):
        kinds += ", each for its own system or pair"
    sentences = [f"{level} confidence intervals are {kinds}."]
    has_joint = any(
        name_simultaneous(result, comparison.settings) for comparison, result in lang_pairs.values()
    )
    if has_joint:
        is_sure = all(keeps_interval_level(comparison) for comparison, _ in lang_pairs.values())
        claim = f"hold together at about {level}" if is_sure else "were made together"
        place = " within each language pair" if len(lang_pairs) > 1 else ""
        sentences.append(
            f"{level} CIs for all pairs {claim}{place} (max-T from {settings.resamples:,} bootstrap resamples; "
            "Romano and Wolf 2005)."
        )
    return sentences


def _describe_scores(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    """Describe scores over training runs, domains, or different segments."""
    if result.runs:
        form = choose_form(result)
        spread = ", ".join(
            f"{row.system} {row.sd:{form}} ({len(row.scores)} runs)"
            for row in result.runs
            if row.sd is not None
        )
        yield (
            "A score is the mean over the training runs of a system. A unit is swapped or resampled for all runs "
            f"at once (stratified; after Clark et al. 2011). SD between runs: {spread}."
        )
    if result.ruled is not None and result.ruled.means is not None:
        yield (
            f"Scores and ranks {RANK_RULES[comparison.settings.rank_rule].title} are of means over domains; the "
            "tests of pairs within a test set are of means over segments."
        )
    if not result.tested:
        for caution in comparison.warnings:
            if caution.code == "partly-rated" and caution.metric == result.metric:
                yield caution.finding
    if has_different_segments(comparison, result):
        yield (
            "A score is the mean over all segments with scores for its system. A difference is the mean over the "
            "segments with scores for both, so it may not equal the difference of the two scores."
        )


def _describe_test(lang_pairs: LangPairResults) -> Iterator[str]:
    """Describe the test with its units and trials, and the correction with its pairs."""
    tested = {
        name: (comparison, result)
        for name, (comparison, result) in lang_pairs.items()
        if result.tested
    }
    if not tested:
        return
    settings = _get_settings(tested)
    test = TESTS[settings.test]
    units = join_by_lang_pair(
        {name: _name_units_and_trials(*compared) for name, compared in tested.items()}
    )
    sides = ", two-sided," if test.is_two_sided else ""
    sentence = (
        f"Differences between two systems were tested{sides} by {test.title} ({test.source}) with {units}, and "
        f"{_describe_alpha(settings, ' = ')}"
    )
    family = _describe_family(tested)
    yield f"{sentence}; {family}." if family else f"{sentence}."
    sizes: dict[str, list[str]] = {name: [] for name in lang_pairs}
    for name, (comparison, result) in tested.items():
        is_partial = {pair.n for pair in result.tested} != {comparison.testset.n_segments}
        if is_partial and name:
            size = _describe_size(comparison, result)
            sizes[name].append(f"Systems were compared on {size}.")
    yield from group_by_lang_pair(sizes)
    if test.p_values is None:
        yield (
            "This test gives no p: a system counts as better where it wins on at least "
            f"{write_level(settings)} of the resamples."
        )


def _name_units_and_trials(comparison: Comparison, result: MetricResult) -> str:
    settings = comparison.settings
    is_bootstrap = TESTS[settings.test].draws == "bootstrap"
    units = name_resampled_units(settings) if is_bootstrap else name_units(settings)
    if settings.trials is None:
        return f"{units} as units"
    return f"{units} as units, {describe_trials(result, settings)}"


def _describe_family(tested: LangPairResults) -> str:
    """Describe the correction, with the number of pairs that it is for."""
    is_task = "" not in tested
    sizes = [len(result.tested) for _, result in tested.values()]
    low = min(sizes)
    high = max(sizes)
    family = format_count(high, "pair") if low == high else f"{low} to {high} pairs"
    if is_task:
        family += " of systems in each language pair"
    return _describe_correction(_get_settings(tested), family, high == 1 and not is_task)


def _describe_correction(settings: Settings, family: str, is_single: bool) -> str:
    if is_single:
        return ""
    if settings.correction == "none":
        return f"there was no correction for {family}"
    correction = CORRECTIONS[settings.correction]
    return f"p-values were corrected for {family} ({correction.source or correction.title})"


def describe_ranks(lang_pairs: LangPairResults) -> list[str]:
    """Describe the ranks, and where they hold for all systems together."""
    ranked = {
        name: (comparison, result)
        for name, (comparison, result) in lang_pairs.items()
        if result.systems[0].rank_low is not None
    }
    if not ranked:
        return _explain_no_rank_ranges(lang_pairs)
    is_task = "" not in lang_pairs
    settings = _get_settings(ranked)
    results = [result for _, result in ranked.values()]
    rule = find_rule_of(results, settings.rank_rule)
    if rule.name != "simultaneous":
        place = " within each language pair" if is_task else ""
        return [f"Ranks are {rule.title}{place}."]
    sentences = []
    unfit = explain_unfit_rule(results[0], settings)
    if unfit:
        sentences.append(unfit)
    sure = [name for name, (comparison, _) in ranked.items() if keeps_its_level(comparison)]
    if not sure:
        return sentences
    place = ""
    if is_task:
        names = "each language pair" if len(sure) == len(lang_pairs) else join_names(sure)
        place = f" in {names}, not for the language pairs together"
    level = write_level(settings)
    sentences.append(f"Rank ranges hold jointly at about {level} for all systems{place}.")
    return sentences


def explain_unfit_rule(result: MetricResult, settings: Settings) -> str:
    """Write that the rule asked for does not rank by this metric; empty where it does."""
    rule = RANK_RULES[settings.rank_rule]
    if result.ruled is not None or result.was_given or not rule.of_segments:
        return ""
    title = metric_title(result.metric)
    return f"Ranks by {title} are simultaneous rank ranges, because the rule is for segment scores."


def _explain_no_rank_ranges(lang_pairs: LangPairResults) -> list[str]:
    for comparison, result in lang_pairs.values():
        if result.tested and not has_p_values(comparison.settings):
            return ["There are no rank ranges: this test does not correct for the number of pairs."]
    return []


def _count_rule_decisions(result: MetricResult) -> int:
    return sum(pair.rule_better is not None for pair in result.pairs)


def describe_rule_decisions(result: MetricResult, settings: Settings) -> str:
    """Write how many pairs differ by the rule of the ranks, and how many by the test."""
    n_pairs = format_count(len(result.pairs), "pair")
    n_by_rule = _count_rule_decisions(result)
    verb_by_rule = choose_verb(n_by_rule, "differs", "differ")
    n_by_test = result.n_significant
    verb_by_test = choose_verb(n_by_test, "differs", "differ")
    rule = RANK_RULES[settings.rank_rule]
    return (
        f"Ranked {rule.title}, {n_by_rule} of {n_pairs} {verb_by_rule} by {rule.decides_by}, without "
        f"correction. By {_name_test(settings)}, {n_by_test} of {n_pairs} {verb_by_test} significantly."
    )


def explain_own_tests(result: MetricResult, settings: Settings) -> str:
    """Write that differences and decisions of pairs are by the test, not by the rule of the ranks.

    Write also the differences and decisions of the rule.
    """
    rule = RANK_RULES[settings.rank_rule]
    n_pairs = format_count(len(result.pairs), "pair")
    n_by_rule = _count_rule_decisions(result)
    verb = choose_verb(n_by_rule, "differs", "differ")
    return (
        f"These differences and decisions are by {_name_test(settings)}, not by the rule of the ranks. Ranked "
        f"{rule.title}, the difference is of {rule.compares}, and {n_by_rule} of {n_pairs} {verb}."
    )


def explain_tests_across(comparison: TaskComparison, metric: str) -> list[str]:
    """Write that pairs across language pairs are by the test, where a rule ranks within each."""
    rule = find_metric_rule(comparison, metric)
    if rule.name == "simultaneous":
        return []
    settings = _get_settings(select_lang_pairs(comparison, metric))
    return [
        f"These differences and decisions are by {_name_test(settings)}. Ranks {rule.title} are made within each "
        "language pair."
    ]


def _name_test(settings: Settings) -> str:
    """Name the test of the pairs: 'approximate randomization by document, with Holm'."""
    name = f"{TESTS[settings.test].title} by {settings.unit}"
    if settings.correction == "none":
        return name
    return f"{name}, with {CORRECTIONS[settings.correction].title}"


def explain_head_to_head(result: MetricResult, settings: Settings) -> str:
    """Write how to read the matrix of differences in print, and its marks."""
    if not result.has_rule_decisions:
        return (
            "Row against column: the difference, positive where the row is better. *, \N{DAGGER} and "
            "\N{DOUBLE DAGGER}: adjusted p below 0.05, 0.01 and 0.001. No mark does not mean equal."
        )
    rule = RANK_RULES[settings.rank_rule]
    marks = f"*: different, ranked {rule.title}"
    if any(pair.rule_p is not None for pair in result.pairs):
        marks = (
            "*, \N{DAGGER} and \N{DOUBLE DAGGER}: p of that rule, without correction, below 0.05, 0.01 and "
            "0.001"
        )
    return (
        f"Row against column, ranked {rule.title}: the difference of {rule.compares}, positive where the row is "
        f"better. {marks}. No mark does not mean equal. {describe_rule_decisions(result, settings)}"
    )


def _describe_rule(rule: RankRule) -> list[str]:
    """Name the source and the limits of a rank rule other than simultaneous rank ranges."""
    if not rule.ignores:
        return []
    return [f"Limits of ranks {rule.title} ({rule.source}): {'; '.join(rule.ignores)}."]


def _describe_tests_across(comparison: TaskComparison, metric: str) -> Iterator[str]:
    """Describe the comparison of systems across the language pairs."""
    lang_pairs = select_lang_pairs(comparison, metric)
    macro = comparison.macro.get(metric)
    if len(lang_pairs) < 2 or macro is None or not macro.pairs:
        return
    settings = _get_settings(lang_pairs)
    level = write_level(settings)
    n_pairs = len(macro.pairs)
    difference = "mean difference"
    if find_metric_rule(comparison, metric).by_domain:
        difference += " of means over domains"
    family = f"{n_pairs} pairs"
    if settings.baseline is not None:
        family += " with the baseline"
    correction = _describe_correction(settings, family, n_pairs == 1)
    yield (
        f"Across the {len(lang_pairs)} language pairs, which count the same, the {difference} of two "
        "systems was tested with the averaged draws of each language pair. p-values of language pairs were not "
        f"combined{correction and f'; {correction}'}."
    )
    if any(pair.ci_low is not None for pair in macro.pairs):
        kind = f"percentile bootstrap intervals from {settings.resamples:,} resamples"
        if macro.ci == "jackknife-t":
            kind = "jackknife t intervals, with degrees of freedom by Welch (1947)"
        yield f"{level} intervals of mean differences are {kind}, each for its own pair of systems."
    n_missing = sum(row.score is None for row in macro.systems)
    if n_missing:
        missing = format_count(n_missing, "system")
        gap = "ranked" if settings.baseline is None else "compared"
        yield f"Not {gap} across them, because they do not have all: {missing}."
    is_sure = all(keeps_its_level(pair_comparison) for pair_comparison, _ in lang_pairs.values())
    if macro.is_ranked and is_sure:
        yield (
            f"Rank ranges across them hold jointly at about {level} for all systems ranked there "
            "(Romano and Wolf 2005)."
        )


def describe_methods(comparison: AnyComparison, *metrics: str) -> str:
    """Write one paragraph on everything that the numbers of metrics depend on.

    It has data, method, caveats and software, and no winner.
    """
    sentences = describe_subject(comparison, *metrics)
    for describe in (describe_procedure, list_caution_texts):
        sentences += merge_by_metric({metric: describe(comparison, metric) for metric in metrics})
    if len(metrics) > 1:
        sentences.append("p-values are not corrected for the number of metrics.")
    sentences += list_exclusions(comparison)
    sentences.append(name_software(comparison, metrics[0]))
    if isinstance(comparison, Comparison):  # a task's signatures are with its digest
        sentences += _list_signatures(comparison, metrics)
    return " ".join(sentences)


def _list_signatures(comparison: Comparison, metrics: Iterable[str]) -> list[str]:
    """Name the source of scores, and the signatures of metrics without the test."""
    signatures = []
    for metric in metrics:
        signature, _, _ = comparison.metrics[metric].signature.partition("|test:")
        signatures.append(printable(f"{metric_title(metric)}|{signature}"))
    text = f"Signatures: {', '.join(signatures)}."
    if "|version:" in text:
        return ["Scores are sacreBLEU's (Post 2018).", text]
    return [text]


def describe_signatures(comparison: AnyComparison, metric: str) -> str:
    """Write the digest, and of a task the signature of a metric.

    It has all values of a field if language pairs differ.
    """
    if isinstance(comparison, Comparison):  # its signature is in another sentence
        return f"Test set digest: {printable(comparison.testset.digest)}."
    signatures = [result.signature.split("|") for result in _list_results(comparison, metric)]
    fields = []
    for values in zip_longest(*signatures, fillvalue=""):
        distinct = dict.fromkeys(filter(None, values))
        fields.append(",".join(distinct))
    signature = printable("|".join(fields))
    return f"Signature: {signature}. Task digest: {printable(comparison.task.digest)}."


# -------------------------------------------------------------------------------------------------
# A paragraph for a paper.


def state_results(comparison: AnyComparison, *metrics: str) -> list[str]:
    """Write what all of these metrics say, then the numbers of each."""
    first, *others = metrics
    if not others:
        sentences = [state_result(comparison, first)]
    else:
        if isinstance(comparison, Comparison):
            answer = state_answer(comparison, first)
        else:
            answer = state_task_answer(comparison, first)
        sentences = [f"{printable(answer)}."]
        side = order_systems(comparison, first)[0]
        sentences += [state_result(comparison, metric, side) for metric in metrics]
    return [*filter(None, sentences), *_explain_open_pairs(comparison, metrics)]


def _explain_open_pairs(comparison: AnyComparison, metrics: Sequence[str]) -> list[str]:
    """Write that systems need not be equal, and the difference that a single pair may hide."""
    sentence = ""
    detectable = []
    for metric in metrics:
        result = _find_macro(comparison, metric) or _list_results(comparison, metric)[0]
        for pair in _list_tested(result):
            if pair.better is not None or not pair.decidable:
                continue
            sentence = "No significant difference does not mean equal"
            if isinstance(pair, PairResult) and pair.mdd and len(result.pairs) == 1:
                detectable.append(f"{pair.mdd:{choose_form(result)}} {name_unit(metric)}")
    if detectable:
        differences = join_names(detectable)
        sentence += f": this test set finds a true difference of {differences} 8 times in 10"
    return [f"{sentence}."] if sentence else []


def state_result(comparison: AnyComparison, metric: str, side: str | None = None) -> str:
    """Write the verdict for a paper with its numbers.

    Where a sentence already has the verdict, only the numbers are written. A single pair has them
    from the `side` of one system.
    """
    lang_pairs = select_lang_pairs(comparison, metric)
    first, result = next(iter(lang_pairs.values()))
    macro = _find_macro(comparison, metric)
    main_result: MetricResult | MacroResult = result if macro is None else macro
    settings = first.settings
    pairs = _list_tested(main_result)
    has_few_pairs = settings.baseline is not None and len(pairs) <= _FEW
    names_each_pair = bool(pairs) and (has_few_pairs or len(main_result.pairs) == 1)
    sentences = []
    is_short = names_each_pair and result.tested and not explain_no_decision(settings, result)
    if not is_short and side is None:
        sentences.append(f"{printable(state_verdict(comparison, metric))}.")
    is_not_averaged = macro is None and len(lang_pairs) > 1
    if is_not_averaged or not main_result.pairs:
        return " ".join(sentences)
    if names_each_pair:
        for pair in pairs:
            verdict = printable(state_pair(first, main_result, pair))
            name = pair.a
            if side is not None and len(pairs) == 1:
                verdict = printable(name_metric(metric))
                name = pair.b if settings.baseline is None and side == pair.b else pair.a
            sentences.append(f"{verdict}: {_write_scores(first, main_result, pair, name)}.")
    elif settings.baseline:
        sentences += _list_against_baseline(pairs)
    else:
        sentences += _describe_two_best(first, main_result)
    return " ".join(sentences)


def _list_tested(result: MetricResult | MacroResult) -> list[PairResult | MacroPair]:
    if isinstance(result, MetricResult):
        return [pair for pair in result.pairs if pair.n]
    return list(result.pairs)


def _list_against_baseline(pairs: Sequence[PairResult | MacroPair]) -> list[str]:
    """List the systems that are better, or worse, than the baseline, which is b of each pair."""
    sentences = []
    for side, relation in (("a", "better"), ("b", "worse")):
        names = join_names([pair.a for pair in pairs if pair.better == side])
        sentences.append(f"Significantly {relation}: {names or 'none'}.")
    return sentences


def _describe_two_best(comparison: Comparison, result: MetricResult | MacroResult) -> list[str]:
    """Write the evidence on the two best scores, tested or not, and how many pairs differ."""
    best = {row.system for row in result.systems[:2]}
    pair = next(pair for pair in result.pairs if {pair.a, pair.b} == best)
    sentences = [f"The two best scores: {_write_scores(comparison, result, pair, pair.a)}."]
    pairs = _list_tested(result)
    if has_p_values(comparison.settings) and any(pair.decidable for pair in pairs):
        n = sum(pair.better is not None for pair in pairs)
        verb = choose_verb(n, "is", "are")
        n_pairs = format_count(len(pairs), "pair")
        sentences.append(f"{n} of {n_pairs} {verb} significantly different.")
    return sentences


def _write_scores(
    comparison: Comparison,
    result: MetricResult | MacroResult,
    pair: PairResult | MacroPair,
    name: str,
) -> str:
    """Write the two scores of a pair, that of `name` first, and its evidence."""
    form = choose_form(result)
    scores = {row.system: row.score for row in result.systems}
    partner = _name_partner(pair, name)
    both = f"{name} {scores[name]:{form}}, {partner} {scores[partner]:{form}}"
    evidence = write_evidence(comparison, result, pair, name)
    return printable(f"{both}, difference {evidence}")


# -------------------------------------------------------------------------------------------------
# Short phrases, for lines above the numbers.


def summarize_comparison(comparison: Comparison) -> tuple[list[str], list[str]]:
    """Write data and method as two lists of short phrases."""
    phrases = describe_settings([comparison])
    if "test" in phrases:  # which names the unit
        phrases.pop("unit", None)
    return _summarize_data(comparison), list(phrases.values())


def _summarize_data(comparison: Comparison) -> list[str]:
    info = comparison.testset
    results = comparison.metrics.values()
    name = info.name
    if info.simulated and "simulated" not in name:
        name += " (simulated)"
    phrases = [name, format_count(info.n_segments, "segment")]
    if info.n_documents is not None:
        phrases.append(_describe_documents(comparison, info.n_documents))
    phrases.append(format_count(len(info.systems), "system"))
    if not info.references:
        phrases.append("segment scores without references")
    elif not all(result.was_given for result in results):
        phrases.append(f"scored with {', '.join(info.references)}")
    tokenizers = {result.tokenizer for result in results if result.tokenizer is not None}
    if tokenizers:
        phrases.append(f"tokenizer {', '.join(sorted(tokenizers))}")
    return phrases


def _describe_documents(comparison: Comparison, n_documents: int) -> str:
    """Write how many documents there are, and how many equal ones they are worth."""
    documents = format_count(n_documents, "document")
    if comparison.settings.unit != "document":
        return documents
    for result in comparison.metrics.values():
        is_complete = any(pair.n == comparison.testset.n_segments for pair in result.pairs)
        if is_complete or not result.was_given:
            if round(result.n_effective) == n_documents:
                return documents
            return f"{documents} (unequal sizes; worth about {result.n_effective:,.0f} equal ones)"
    return documents


def describe_settings(comparisons: Iterable[Comparison]) -> dict[str, str]:
    """Write the method, in a short phrase for each setting, with all values if comparisons differ.

    The phrase of the test names the unit; without a test, only the intervals are described.
    """
    texts_by_key: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        for key, text in _describe_comparison_settings(comparison).items():
            texts_by_key.setdefault(key, {})[text] = None
    return {key: " or ".join(texts) for key, texts in texts_by_key.items()}


def _describe_comparison_settings(comparison: Comparison) -> dict[str, str]:
    settings = comparison.settings
    results = comparison.metrics.values()
    unit = settings.unit
    if settings.block_length is not None:
        unit = f"stationary block of {settings.block_length:.4g} segments on average"
    n_pairs = max((len(result.tested) for result in results), default=0)
    phrases = {}
    if n_pairs:
        phrases["test"] = f"{SETTINGS['test'].name_value(settings.test)} by {unit}"
    phrases["unit"] = f"by {unit}"
    trials = " or ".join(dict.fromkeys(describe_trials(result, settings) for result in results))
    if n_pairs and trials:
        phrases["trials"] = trials
    phrases["seed"] = f"seed {settings.seed}"
    phrases["alpha"] = _describe_alpha(settings)
    if n_pairs:
        phrases["correction"] = _summarize_correction(settings, n_pairs)
    kinds = list_interval_kinds(comparison)
    phrases["ci"] = f"{kinds} intervals, {settings.resamples:,} resamples"
    if n_pairs and settings.rank_rule != "simultaneous":
        phrases["rank_rule"] = f"ranks {RANK_RULES[settings.rank_rule].title}"
    return phrases


def _describe_alpha(settings: Settings, is_equal: str = " ") -> str:
    """Write alpha, and of which look it is the level."""
    text = f"alpha{is_equal}{settings.alpha:g}"
    look = parse_look(settings.look)
    if look.n_planned > 1:
        text += f" at look {look.number} of {look.n_planned}"
    return text


def _summarize_correction(settings: Settings, n_pairs: int) -> str:
    if n_pairs == 1:
        return "one pair, no correction needed"
    title = SETTINGS["correction"].name_value(settings.correction)
    if settings.correction == "none":
        return title
    return f"{title} for {format_count(n_pairs, 'pair')}"


def list_task_settings(comparison: TaskComparison) -> list[str]:
    """Write the method within the language pairs, in short phrases."""
    phrases = describe_settings(comparison.pairs.values())
    titles = [
        SETTINGS["correction"].name_value(pair_comparison.settings.correction)
        for pair_comparison in comparison.pairs.values()
    ]
    correction = f"{' or '.join(dict.fromkeys(titles))} within each language pair"
    if any(macro.pairs for macro in comparison.macro.values()):
        correction += ", and across them"
    phrases["correction"] = correction
    keys = ("test", "trials", "seed", "alpha", "correction", "rank_rule")
    return [phrases[key] for key in keys if key in phrases]


def describe_trials(result: MetricResult, settings: Settings) -> str:
    """Write how many draws the test made for one metric, or that it tried all permutations."""
    if result.trials is None:
        return ""
    if result.exact:
        return f"all {result.trials + 1:,} permutations (exact)"
    draws = "resamples" if TESTS[settings.test].is_bootstrap else "permutations"
    return f"{result.trials:,} {draws}"


def list_interval_kinds(comparison: Comparison) -> str:
    """Name the kind of interval; more than one if only few documents have ratings."""
    kinds = [SETTINGS["ci"].name_value(result.ci) for result in comparison.metrics.values()]
    return " or ".join(dict.fromkeys(kinds))


def write_caption(comparison: AnyComparison, metric: str, subject: str) -> str:
    """Write the content of a table, such as "Ranks", and its data."""
    lang_pairs = select_lang_pairs(comparison, metric)
    _, result = next(iter(lang_pairs.values()))
    if isinstance(comparison, Comparison):
        kind = "test set"
        data = f"on {_describe_testset(comparison, result)}"
    else:
        n_pairs = format_count(len(lang_pairs), "language pair")
        kind = "task"
        data = f"of {comparison.task.name} in {n_pairs}"
    if _is_simulated(lang_pairs):
        data += f", a simulated {kind}"
    n_systems = format_count(len(order_systems(comparison, metric)), "system")
    direction = describe_direction(result.higher_is_better)
    return f"{subject} of {n_systems} {data} by {printable(name_metric(metric))} ({direction})."


# -------------------------------------------------------------------------------------------------
# Reading the ranks of a task, and disagreements of its metrics.


_DASH = "A dash: no score, or no rank."


def _has_ranks(comparison: TaskComparison, metric: str) -> bool:
    """Return whether any system of a task is ranked, in a language pair or across them."""
    macro = comparison.macro.get(metric)
    if macro is not None and macro.is_ranked:
        return True
    results = _list_results(comparison, metric)
    return any(row.rank_low for result in results for row in result.systems)


def describe_marked_ranks(comparison: TaskComparison, metric: str) -> str:
    """Write which ranks of a task are marked: those that reach the first."""
    if comparison.baseline is not None:
        return f"significantly different from {comparison.baseline}"
    rule = find_metric_rule(comparison, metric)
    macro = comparison.macro.get(metric)
    ours = "top group (no other system is significantly better, corrected for all pairs)"
    if rule.name == "simultaneous":
        return ours
    if macro is not None and macro.is_ranked:
        return f"{name_first_place(rule)}; under all pairs: {ours}"
    return name_first_place(rule)


def explain_ranks(comparison: TaskComparison, metric: str) -> list[str]:
    """Explain the ranks of a task and the dash, in sentences."""
    if comparison.baseline is not None:
        baseline = printable(comparison.baseline)
        return [
            f"Differences from {baseline}: positive where a system is better. A dash: no difference."
        ]
    if not _has_ranks(comparison, metric):
        return [_DASH]
    return [*describe_ranks(select_lang_pairs(comparison, metric)), _DASH]


def explain_ranking(comparison: TaskComparison, metric: str) -> list[str]:
    """Explain how to read the columns of the ranks of a task, in sentences."""
    sentences = explain_ranks(comparison, metric)
    sentences.append("Language pairs: in how many a system has scores.")
    macro = comparison.macro.get(metric)
    if macro is None:
        return sentences
    if macro.is_ranked:
        sentences.append("Overall rank: by the mean score over the language pairs.")
    decisions = "decisions within language pairs"
    if any(result.ruled is not None for result in _list_results(comparison, metric)):
        decisions += ", by the rule of the ranks"
    sentences.append(f"Wins, ties and losses are {decisions}, added up.")
    if any(row.better_share is not None for row in macro.systems):
        title = find_rank_rule(comparison).title
        sentences.append(
            f"Systems above: the share with a better score, the mean over a system's language pairs, {title}."
        )
    return sentences


DISPUTES_NOTE = (
    "Opposite: significant in opposite directions. Only NAME: significant by that metric only. "
    "If you try several metrics and keep one, you test more than once. Decide before testing which metric "
    "counts, or report all."
)
#: How to read the table of disputed pairs.
DISPUTED_PAIRS_NOTE = "Positive: the first system is better, by every metric; ● is significant."


def state_agreement(disputed: Sequence[Disputed]) -> str:
    """Write how often the metrics agree in all language pairs together.

    It is a sentence without its full stop.
    """
    within = [dispute for dispute in disputed if dispute.language_pair is not None]
    metrics = dict.fromkeys(metric for dispute in within for metric in dispute.metrics)
    pairs = [pair for dispute in within for pair in dispute.pairs]
    decisions = state_decisions(list(dict.fromkeys(map(name_metric, metrics))), pairs)
    return f"In {format_count(len(within), 'language pair')}: {decisions}"


def state_decisions(names: Sequence[str], pairs: Sequence[PairAcross]) -> str:
    """Write on how many pairs of systems these metrics decide the same.

    It is a sentence without its full stop.

    >>> state_decisions(["BLEU", "chrF"], [PairAcross("A", "B", (1.0, -1.0), (1, 0))])
    'A is significantly better than B by BLEU; no significant difference by chrF'
    """
    kinds = Counter(pair.kind for pair in pairs)
    n_undecided = kinds[UNDECIDED]
    n_decided = len(pairs) - n_undecided
    if not pairs:
        return "No pair is tested by all metrics"
    if not n_decided:
        return f"No metric can decide any pair: {FEW}"
    if len(pairs) == 1:
        [pair] = pairs
        return state_pair_by_metrics(pair.a, pair.b, dict(zip(names, pair.decisions, strict=True)))
    metrics = join_names(names, escape=False)
    facts = [f"{metrics} agree on {kinds[AGREE]:,} of {format_count(n_decided, 'pair')}"]
    for kind, manner in (
        ("significant by some metrics only", "by only some of them"),
        ("opposite", "in opposite directions"),
    ):
        n = kinds[kind]
        if n:
            facts.append(f"{n:,} {choose_verb(n, 'is', 'are')} significant {manner}")
    if n_undecided:
        facts.append(f"{n_undecided:,} more {FEW}")
    return "; ".join(facts)
