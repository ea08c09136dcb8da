"""Results in sentences: the verdict, its caveats, the method, and a paragraph for a paper.

A test set is a task of one part, so the same functions write both. They claim only what the
decisions say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy, choose_verb, format_count
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
from mtsig_core.report.table import join_ends, signed, write_p, written_like
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
    find_shortage,
    rank_correction,
    unbiased,
    units_freedom,
)
from mtsig_core.stats.pair import PairExamination
from mtsig_core.stats.ranks import (
    RANK_RULES,
    RankRule,
    count_reversed_pairs,
    find_top_group,
    has_clear_winner,
)
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS, is_split

# -------------------------------------------------------------------------------------------------
# The parts that were compared by a metric, and their names.


#: A test set, or a shared task.
Found = Comparison | TaskComparison
#: By language pair the comparison and its result by one metric; a test set is one part without a
#: name.
Parts = Mapping[str, tuple[Comparison, MetricResult]]

#: The place of a result across the language pairs.
ACROSS = "across all"
_FEW = 6  # systems or language pairs that a sentence names
_FEW_ANSWERS = 2  # metrics of which a headline has numbers, where they have the same verdict


def select_parts(found: Found, metric: str) -> Parts:
    """Return the parts that were compared by a metric."""
    parts = {"": found} if isinstance(found, Comparison) else found.pairs
    return {
        part: (one, one.metrics[metric])
        for part, one in parts.items()
        if metric in one.metrics or isinstance(found, Comparison)
    }


def list_task_metrics(found: Found) -> list[str]:
    """Return all metrics, in the order of the language pairs."""
    parts = [found] if isinstance(found, Comparison) else found.pairs.values()
    return list(dict.fromkeys(name for comparison in parts for name in comparison.metrics))


def order_systems(found: Found, metric: str) -> list[str]:
    """Return the systems as one metric ranks them; in the order of the language pairs if nothing is
    averaged.
    """
    results = (
        [macro]
        if (macro := _find_macro(found, metric)) is not None
        else [result for _, result in select_parts(found, metric).values()]
    )
    return list(dict.fromkeys(row.system for result in results for row in result.systems))


def find_rank_rule(found: TaskComparison) -> RankRule:
    """Return the rule of the ranks within each language pair; the default if nothing is
    compared.
    """
    return RANK_RULES[
        next((one.settings.rank_rule for one in found.pairs.values()), "simultaneous")
    ]


def _find_macro(found: Found, metric: str) -> MacroResult | None:
    return found.macro.get(metric) if isinstance(found, TaskComparison) else None


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
    return "points" if name_metric(metric) == HUMAN_SCORES else metric_title(metric)


def write_difference_axis(result: MetricResult, metric: str, anchor: str) -> str:
    """Write the title of an axis of differences from a system; metric and system are names as
    shown. A rule that orders systems by another mean does not change the differences, which the
    title then says.
    """
    what = "Difference"
    if result.ruled is not None and result.ruled.means is not None:
        what = "Difference of segment means"
    return f"{what} in {metric} from {anchor} (left: worse)"


def join_names(items: Sequence[str], shown: bool = True) -> str:
    """Write items as an English list; with `shown` made printable first."""
    return list_names([printable(item) if shown else item for item in items], len(items))


def name_pairs(pairs: Sequence[str]) -> str:
    """Write the names of language pairs, or only their number if a sentence has no room for the
    names.
    """
    return ", ".join(pairs) if len(pairs) <= _FEW else format_count(len(pairs), "language pair")


def _find_parts(texts: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return each text once, with its parts."""
    parts: dict[str, list[str]] = {}
    for part, text in texts:
        parts.setdefault(text, []).append(part)
    return parts


def group_by_part(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Return each sentence once: first those that hold for all parts, then the others with their
    language pairs.
    """
    return [text for text, _ in _place_by_part(sentences)]


def _place_by_part(sentences: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the sentences of `group_by_part`, each with its language pairs and without."""
    parts = _find_parts(
        (part, printable(sentence)) for part, own in sentences.items() for sentence in own
    )
    prefixes = {
        sentence: f"In {join_names(names)}: " * (len(names) < len(sentences))
        for sentence, names in parts.items()
    }
    return [
        (prefix + sentence, sentence)
        for sentence, prefix in sorted(prefixes.items(), key=lambda item: bool(item[1]))
    ]


def join_by_part(phrases: Mapping[str, str]) -> str:
    """Return the phrase of all parts if they have the same; else each phrase with its language
    pairs.
    """
    parts = _find_parts(phrases.items())
    return (
        next(iter(parts))
        if len(parts) == 1
        else "; ".join(f"{phrase} ({join_names(names)})" for phrase, names in parts.items())
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
    return "lower is better" + "; a positive difference is an improvement" * differences


def describe_difference(result: MetricResult) -> str:
    """Write the subtraction that is positive where the row is better."""
    return "row minus column" if result.higher_is_better else "column minus row"


def name_score_axis(result: MetricResult, settings: Settings) -> str:
    """Write the end of the title of an axis of scores, after the metric."""
    return (
        f"with {write_level(settings)} CI{'' if result.higher_is_better else ', lower is better'}"
    )


def name_simultaneous(result: MetricResult, settings: Settings) -> str | None:
    """Name the intervals for all pairs together; None if there are only intervals for single
    pairs.
    """
    if len(result.tested) < 2 or all(pair.ci_joint_low is None for pair in result.pairs):
        return None
    return f"{write_level(settings)} CI for {name_family(result, settings)} together"


def name_family(result: MetricResult, settings: Settings) -> str:
    """Name the pairs that a correction is for."""
    return (
        f"all {len(result.tested)} pairs{'' if settings.baseline is None else ' with the baseline'}"
    )


def find_anchor(result: MetricResult, settings: Settings) -> str:
    """Return the baseline, or else the best system."""
    return settings.baseline or result.systems[0].system


def pick_significant(result: MetricResult, settings: Settings) -> tuple[str, set[str]]:
    """Return the baseline, or else the best system; and it with the systems that differ
    significantly from it.
    """
    anchor = find_anchor(result, settings)
    return anchor, {anchor} | {
        name
        for pair in result.pairs
        if pair.significant and anchor in (pair.a, pair.b)
        for name in (pair.a, pair.b)
    }


# -------------------------------------------------------------------------------------------------
# A pair from the side of one of its systems.


class SeenPair(NamedTuple):
    """A pair from the side of one of its systems: its improvement over the other system, and the
    decision.
    """

    difference: float
    ci: tuple[float, float] | None
    ci_joint: tuple[float, float] | None
    p: float | None
    adjusted_p: float | None
    win: float | None
    lose: float | None
    decision: str


def see_pair(
    pair: PairResult | MacroPair, name: str, result: MetricResult | MacroResult, settings: Settings
) -> SeenPair:
    sign, side = (1, "a") if pair.a == name else (-1, "b")
    sign *= 1 if result.higher_is_better else -1
    decision = (
        "better"
        if pair.better == side
        else "worse"
        if pair.better
        else describe_undecided(pair, settings)
    )
    ci = join_ends(pair.ci_low, pair.ci_high, sign)
    if isinstance(pair, MacroPair):
        return SeenPair(
            sign * pair.delta, ci, None, pair.p_value, pair.p_adjusted, None, None, decision
        )
    wins = (pair.win, pair.lose) if side == "a" else (pair.lose, pair.win)
    return SeenPair(
        sign * pair.delta,
        ci,
        join_ends(pair.ci_joint_low, pair.ci_joint_high, sign),
        pair.p_value,
        pair.p_adjusted,
        *wins,
        decision,
    )


def see_anchor_pairs(result: MetricResult, settings: Settings) -> dict[str, SeenPair]:
    """Return, by system, its pair with the best system or the baseline, from the system's side."""
    anchor = find_anchor(result, settings)
    return {
        name: see_pair(pair, name, result, settings)
        for pair in result.pairs
        if anchor in (pair.a, pair.b)
        for name in (pair.a, pair.b)
        if name != anchor
    }


def describe_undecided(pair: PairResult | MacroPair, settings: Settings) -> str:
    """Describe a pair without a better system."""
    if isinstance(pair, PairResult) and pair.n == 0:
        return "not tested: no segment in common"
    if isinstance(pair, PairResult) and is_split(pair, settings.alpha):
        return "test and scores disagree"
    return "no significant difference" if pair.decidable else FEW


def find_identical(comparison: Comparison, result: MetricResult, pair: PairResult) -> str | None:
    """Return ``"outputs"`` or ``"scores"`` if the two systems have the same on every segment."""
    return next(
        (
            caution.code.removeprefix("identical-")
            for caution in comparison.warnings
            if caution.code in ("identical-outputs", "identical-scores")
            and caution.metric == result.metric
            and {caution.a, caution.b} == {pair.a, pair.b}
        ),
        None,
    )


def explain_unlike(found: PairExamination, n: float | None) -> str:
    """Write that p is too small, if random permutations vary clearly less than resamples."""
    from scipy.special import stdtr

    se = found.se.get(found.settings.unit)
    ratio = swap_ratio(found.delta, se, float(np.sqrt(np.mean(np.square(found.swapped)))), n)
    if not se or ratio is None or ratio <= UNLIKE:
        return ""
    p = 2 * float(
        stdtr(units_freedom(found.n_effective), -abs(found.delta) / unbiased(se, found.n_effective))
    )
    shown = next(outcome.p_value for outcome in found.outcomes if outcome.test == "ar")
    return (
        ""
        if shown is None or p <= shown
        else (
            f" This p is too small: the outputs of {found.a} and {found.b} are so different that resamples vary "
            f"{ratio:.2f} times as much as permutations. By the standard error {write_p(p)}."
        )
    )


# -------------------------------------------------------------------------------------------------
# The verdict.


def state_verdict(found: Found, metric: str) -> str:
    """Write who is better, or the top group, in one sentence without its full stop; or why no
    system is ranked.
    """
    parts, macro = select_parts(found, metric), _find_macro(found, metric)
    several = format_count(len(parts), "language pair")
    if macro is not None and macro.is_ranked:
        ranked = [row for row in macro.systems if row.rank_low is not None]
        n = len(macro.systems) - len(ranked)
        some = (
            ". 1 other system is not ranked: it did not take part in all"
            if n == 1
            else f". {n} other systems are not ranked: they did not take part in all"
        ) * (n > 0)
        top = [row.system for row in ranked if row.rank_low == 1]
        return (
            name_top_group(
                top, [row.system for row in ranked], has_clear_winner(macro), f" across {several}"
            )
            + some
        )
    if len(parts) == 1:
        [(part, one)] = parts.items()
        return _state_part(*one, f" in {part}" if part else "")
    reasons = [explain_no_ranks(*one) for one in parts.values()]
    if all(reasons):
        return f"No system is ranked in any of {several}: {'; '.join(dict.fromkeys(filter(None, reasons)))}"
    n = sum(has_clear_winner(result) for _, result in parts.values())
    rule = RANK_RULES[next(iter(parts.values()))[0].settings.rank_rule]
    first = (
        "significantly better than all others"
        if rule.name == "simultaneous"
        else f"first, ranked {rule.title},"
    )
    return f"A single system is {first} in {n} of {several}"


def state_answer(comparison: Comparison, metric: str) -> str:
    """Write the verdicts on a test set by all metrics of the comparison, with the pair that each
    rests on; `metric` comes first. Metrics with the same verdict share a sentence, and where
    verdicts differ, the first words say so.
    """
    by_verdict = _group_verdicts(comparison, metric)
    answers = [_answer_by(comparison, names, verdict) for verdict, names in by_verdict.items()]
    return _join_answers(answers, by_verdict)


def state_task_answer(found: TaskComparison, metric: str) -> str:
    """Write the verdicts on a task by all metrics of the comparison, without the last full stop;
    `metric` comes first.
    """
    answers, by_verdict = [], _group_verdicts(found, metric)
    for verdict, (first, *others) in by_verdict.items():
        names = _name_few([name_in_verdict(first), *map(name_metric, others)])
        answers.append(f"{names}: {verdict}")
    return _join_answers(answers, by_verdict)


def _group_verdicts(found: Found, metric: str) -> dict[str, list[str]]:
    """Return the metrics by their verdict, `metric` first."""
    by_verdict: dict[str, list[str]] = {}
    for name in dict.fromkeys([metric, *list_task_metrics(found)]):
        by_verdict.setdefault(state_verdict(found, name), []).append(name)
    return by_verdict


def _join_answers(answers: Sequence[str], by_verdict: Mapping[str, Sequence[str]]) -> str:
    """Join the answers by each verdict.

    Of more than two the first, and the metrics that give others: a caveat has their top groups.
    """
    if len(answers) == 1:
        return answers[0]
    if len(answers) == 2:
        return ". ".join(["The metrics disagree", *answers])
    _, *others = by_verdict.values()
    names = _name_few([name_metric(name) for group in others for name in group])
    return f"The metrics disagree. {answers[0]}. Other verdicts: by {names}"


def _name_few(names: Sequence[str]) -> str:
    """Name some metrics; of many the first and how many others."""
    if len(names) > _FEW:
        names = [names[0], f"{len(names) - 1} other metrics"]
    return join_names(names, shown=False)


def _answer_by(comparison: Comparison, metrics: Sequence[str], verdict: str) -> str:
    """Write the verdict that some metrics share, with the pair that it rests on by each; not by
    many metrics.
    """
    answer = f"By {_name_few([name_metric(name) for name in metrics])}: {verdict}"
    if len(metrics) > _FEW_ANSWERS:
        return answer
    evidence = [
        text
        for text in (_write_answer_pair(comparison, name) for name in metrics)
        if text is not None
    ]
    return f"{answer} ({'; '.join(evidence)})" if evidence else answer


def _write_answer_pair(comparison: Comparison, metric: str) -> str | None:
    """Write the pair that a verdict rests on: the only one, the first two of the top group, or the
    winner and the second. Ranks by a published rule rest on no pair. The sign is that of figure and
    table: the difference from the best system, or from the baseline.
    """
    result, settings = comparison.metrics[metric], comparison.settings
    top, anchor = find_top_group(result), find_anchor(result, settings)
    is_only_pair = len(result.pairs) == 1
    rests_on_no_pair = settings.baseline or not top or result.ruled is not None
    if explain_no_decision(settings, result) or (rests_on_no_pair and not is_only_pair):
        return None
    best = set(top[:2] if top and len(top) > 1 else [row.system for row in result.systems[:2]])
    pair = next((pair for pair in result.tested if is_only_pair or {pair.a, pair.b} == best), None)
    if pair is None:
        return None
    name, other = (pair.b, pair.a) if anchor == pair.a else (pair.a, pair.b)
    return f"{name} vs. {other}: {write_decisive(comparison, result, pair, name)}"


def write_decisive(
    comparison: Comparison, result: MetricResult, pair: PairResult, name: str
) -> str:
    """Write the improvement of one system of a pair over the other, with the interval and the p, or
    wins, that decide; an interval that contradicts the decision comes last.
    """
    settings, form, seen = (
        comparison.settings,
        choose_form(result),
        see_pair(pair, name, result, comparison.settings),
    )
    parts, contrary = [f"{signed(seen.difference, form)} {name_unit(result.metric)}"], []
    if (ends := find_decisive_interval(seen, result, settings)) is not None:
        level = f"{write_level(settings)} CI{' for all pairs together' * (ends is seen.ci_joint)}"
        if (len(result.tested) == 1 or ends is seen.ci_joint) and contradicts_decision(
            pair, ends, settings
        ):
            contrary = [
                f"but the {level}, by another method, {'contains' if pair.significant else 'excludes'} 0: "
                f"{ends[0]:{form}} to {ends[1]:{form}}"
            ]
        else:
            parts.append(f"{level} {ends[0]:{form}} to {ends[1]:{form}}")
    if seen.win is not None and seen.lose is not None:
        parts.append(
            f"{name} wins {seen.win:.1%} of the resamples, {pair.b if name == pair.a else pair.a} "
            f"{seen.lose:.1%}"
        )
    elif seen.adjusted_p is not None:
        parts.append(write_p(seen.adjusted_p, p_word(settings.correction, len(result.tested))))
    return ", ".join(parts + contrary)


def contradicts_decision(
    pair: PairResult, ends: tuple[float, float] | None, settings: Settings
) -> bool:
    """Return whether an interval contains 0 although the pair is significant, or excludes 0
    although it is not.
    """
    return (
        ends is not None
        and not is_split(pair, settings.alpha)
        and pair.significant == contains_zero(*ends)
    )


def find_decisive_interval(
    seen: SeenPair, result: MetricResult, settings: Settings
) -> tuple[float, float] | None:
    """Return the interval that goes with the p that decides."""
    jointly = len(result.tested) > 1 and CORRECTIONS[settings.correction].family_wise
    return seen.ci_joint if jointly and seen.ci_joint is not None else seen.ci


def _state_part(comparison: Comparison, result: MetricResult, where: str) -> str:
    settings = comparison.settings
    if not result.pairs:
        row = result.systems[0]
        return f"{row.system} scores {row.score:{choose_form(result)}}{where}; there is no other system to compare"
    if settings.baseline is not None and explain_no_decision(settings, result) is None:
        better, worse = (sum(pair.better == side for pair in result.pairs) for side in "ab")
        m, untested = len(result.tested), len(result.pairs) - len(result.tested)
        return (
            f"Against {settings.baseline}: {better} significantly better, {worse} significantly worse, "
            f"{m - better - worse} without a significant difference"
            + f", {untested} not tested"
            * bool(untested)
        )
    if (first := find_top_group(result)) is None:
        return f"No system is ranked{where}: {explain_no_ranks(comparison, result) or 'there are no ranks'}"
    if result.ruled is not None:  # a published rule, by which several may be first
        return f"First{where}, ranked {RANK_RULES[settings.rank_rule].title}: {', '.join(first)}"
    return name_top_group(
        first, [row.system for row in result.systems], has_clear_winner(result), where
    )


def name_top_group(
    names: Sequence[str], systems: Sequence[str], ahead: bool, where: str = ""
) -> str:
    """Write the verdict on the best of some systems; `ahead`: it is significantly better than all
    others.

    >>> name_top_group("A", "AB", True), name_top_group("A", "ABC", True)
    ('A is significantly better than B', 'A is significantly better than the other 2 systems')
    >>> name_top_group(["A", "B"], "ABC", False, " in en-de")
    'No clear winner in en-de. Top group: A, B'
    """
    if ahead:
        others = [name for name in systems if name != names[0]]
        whom = others[0] if len(others) == 1 else f"the other {len(others)} systems"
        return f"{names[0]} is significantly better than {whom}{where}"
    return (
        f"No clear winner{where}. Top group: {', '.join(names)}"
        if len(names) > 1
        else f"Top group{where}: {names[0]}"
    )


def explain_no_ranks(comparison: Comparison, result: MetricResult) -> str | None:
    """Return why no system is ranked, as a phrase; None if ranks are possible."""
    settings = comparison.settings
    if len(result.systems) == 1:
        return "there is only one system"
    over_all = has_p_values(settings) and not settings.baseline
    why = find_reason_undecided(settings, result, rank_correction(settings) if over_all else None)
    if why is None and not has_p_values(settings) and result.tested:
        return "this test does not correct for the number of pairs"
    return why


def name_first_place(rule: RankRule) -> str:
    """Name the systems with the first rank by a rule, as a title.

    >>> name_first_place(RANK_RULES["simultaneous"]), name_first_place(RANK_RULES["wmt25"])
    ('top group', 'first, ranked as WMT25')
    """
    return "top group" if rule.name == "simultaneous" else f"first, ranked {rule.title}"


# -------------------------------------------------------------------------------------------------
# Caveats, which must go with a quoted result.


def keeps_its_level(comparison: Comparison) -> bool:
    """Return whether the test has the false-alarm rate alpha; a warning says if not, and no
    correction mends that.
    """
    return not any(caution.kind.breaks_level for caution in comparison.warnings)


def keeps_interval_level(comparison: Comparison) -> bool:
    """Return whether intervals hold as often as their level says; a warning says if not."""
    return not any(caution.kind.breaks_intervals for caution in comparison.warnings)


def describe_control(comparison: Comparison, correction: str) -> str:
    """Name the error that a correction controls; none if the test itself rejects too often."""
    return (
        CORRECTIONS[correction].controls
        if keeps_its_level(comparison)
        else "nothing: the test rejects too often"
    )


def pick_file_doubts(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the warnings that put all numbers of a system in doubt; they go with every verdict."""
    return [caution for caution in cautions if caution.kind.doubts_files]


def pick_caveats(comparison: Comparison, result: MetricResult) -> list[Caution]:
    """Return the warnings that must go with a quoted result."""
    return [
        caution
        for caution in comparison.warnings
        if caution.metric in (None, result.metric)
        and (
            caution.kind.in_caption
            or caution.code == "interval-and-decision"
            and len(result.tested) == 1
        )
        and not (caution.kind.doubts_files and result.was_given)
        and caution.facts.get("differ", True)
    ]  # of ranks and decisions


#: What a warning may be about to go with each verdict on a test set.
_OF_VERDICTS = ("scores", "references", "family")


def pick_verdict_caveats(comparison: Comparison, metric: str, *remedies: Remedy) -> list[Caution]:
    """Return the warnings that go with the verdict on a test set: on its page, in its files, and in
    a paper. `remedies` are those of a comparison by one metric only.
    """
    result = comparison.metrics[metric]
    qualified, anchor = pick_caveats(comparison, result), find_anchor(result, comparison.settings)
    picked = []
    for caution in comparison.warnings:
        is_borderline = caution.code == "near-alpha" and anchor in (caution.a, caution.b)
        is_of_verdict = caution.kind.concern in _OF_VERDICTS or is_borderline
        if caution in qualified or is_of_verdict and caution.metric in (None, metric):
            picked.append(caution)
    return [*picked, *about_one_metric(comparison.metrics, *remedies)]


def list_caveats(found: Found, metric: str) -> list[str]:
    """Write the sentences that must go with a quoted result: on wrong files, on the test or the
    unit, on metrics and references that disagree, and on gaps of a task.
    """
    return [sentence for sentence, _ in explain_caveats(found, metric)]


def explain_caveats(found: Found, metric: str) -> list[tuple[str, list[Caution]]]:
    """Return the sentences of `list_caveats`, each with its warnings of language pairs or of the
    test set.
    """
    parts, is_task = select_parts(found, metric), isinstance(found, TaskComparison)
    by_part: dict[str, list[str]] = {part: [] for part in parts}
    cautions: dict[str, list[Caution]] = {}
    for part, one in parts.items():
        picked = pick_caveats(*one) if is_task else pick_verdict_caveats(one[0], metric)
        for caution in picked:
            by_part[part].append(caution.general if is_task else caution.finding)
            cautions.setdefault(printable(by_part[part][-1]), []).append(caution)
    own = _list_task_caveats(found, metric) if isinstance(found, TaskComparison) else []
    unreliable = group_by_part({part: _list_unreliable(*one) for part, one in parts.items()})
    macro = _find_macro(found, metric)
    if unreliable and macro is not None and any(pair.decidable for pair in macro.pairs):
        unreliable.append("The same goes for results across the language pairs.")
    return [
        *((sentence, []) for sentence in own),
        *((text, cautions[sentence]) for text, sentence in _place_by_part(by_part)),
        *((sentence, []) for sentence in unreliable),
    ]


def _list_unreliable(comparison: Comparison, result: MetricResult) -> list[str]:
    """Write what may not hold at its level if the test rejects too often; else nothing."""
    if (
        not result.tested
        or keeps_its_level(comparison)
        or find_shortage(comparison.settings, result)
    ):
        return []
    doubtful = "decisions"
    if not keeps_interval_level(comparison):
        doubtful += ", intervals"
    if result.systems[0].rank_low is not None:
        doubtful += " and rank ranges"
    return [f"So {doubtful} may not hold at the stated level, and no correction changes that."]


def _list_task_caveats(found: TaskComparison, metric: str) -> list[str]:
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    results = [result for _, result in select_parts(found, metric).values() if result.ruled is None]
    m = sum(len(result.tested) for result in results)
    shut = sum(not pair.decidable for result in results for pair in result.tested)
    return [
        *(caution.finding for caution in found.warnings if caution.metric == metric),
        *filter(None, [name_other_tops(found, metric), _compare_announced_rule(found, metric)]),
        *[
            f"Not compared, because they have no {metric_title(metric)} scores: {', '.join(without)}."
        ]
        * bool(without),
        *[
            f"{shut:,} of {m:,} pairs of systems within the language pairs {FEW}. Wins, ties and losses exclude them."
        ]
        * bool(shut and metric in found.macro),
        *list_gaps_across(found, metric),
    ]


def _compare_announced_rule(found: TaskComparison, metric: str) -> str | None:
    """Write that the ranks are not by the rule that the task announced; None where they are, or no
    rule fits.
    """
    announced, used = found.task.rank_rule, find_rank_rule(found)
    if announced in (None, used.name) or metric not in found.task.own_scores:
        return None
    known = RANK_RULES.get(str(announced))
    if known is None:
        return (
            f"The task announced the rank rule {announced}, which mtsig does not know. It knows "
            f"{', '.join(RANK_RULES)}."
        )
    return (
        f"The task announced ranks {known.title}. These are {used.title}: the rank rule {announced} gives the "
        "others."
    )


def list_gaps_across(found: TaskComparison, metric: str) -> list[str]:
    """Write which decisions, ranks and intervals across the language pairs are missing, and why;
    and where decisions disagree with ranks or intervals.
    """
    macro, parts = found.macro.get(metric), select_parts(found, metric)
    if macro is None:
        return []
    if not macro.pairs:
        averaged = all(one.settings.test in MACRO_TESTS for one in found.pairs.values())
        return [
            "No system is ranked across the language pairs: "
            + (
                "no two systems have segments in common in all of them."
                if averaged
                else "this test gives no draws that could be averaged."
            )
        ]
    comparisons, sentences = [one for one, _ in parts.values()], []
    if shut := sum(not pair.decidable for pair in macro.pairs):
        nobody = ", and no system is ranked" * (not macro.is_ranked)
        sentences.append(
            f"{shut:,} of {format_count(len(macro.pairs), 'pair')} of systems {FEW}{nobody}."
        )
    if few := [pair for pair, (one, result) in parts.items() if result.n_effective < FEW_UNITS]:
        sentences.append(
            f"Intervals are rough, or missing, because there are few units in {name_pairs(few)}."
        )
    if comparisons:
        settings = comparisons[0].settings  # all have the same
        if find_rank_rule(found).name != "simultaneous" and macro.is_ranked:
            sentences.append("Ranks are simultaneous rank ranges.")
        if settings.correction != (own := rank_correction(settings)) and (
            facts := rank_disagreement(macro)
        ):
            sentences.append(
                f"Ranks are corrected by {CORRECTIONS[own].title}, decisions by "
                f"{CORRECTIONS[settings.correction].title}: {describe_rank_disagreement(**facts)}."
            )
        sentences += _compare_with_intervals(
            settings, macro, all(map(keeps_its_level, comparisons))
        )
    return [f"Across the language pairs: {sentence}" for sentence in sentences]


def _compare_with_intervals(
    settings: Settings, macro: MacroResult, is_level_kept: bool
) -> list[str]:
    """Write which to trust if decisions across the language pairs disagree with their intervals."""
    n_open, n_significant = (
        sum(
            pair.decidable
            and (pair.better is not None) is decided
            and pair.ci_low is not None
            and pair.ci_high is not None
            and contains_zero(pair.ci_low, pair.ci_high) is decided
            for pair in macro.pairs
        )
        for decided in (False, True)
    )
    needed = (
        None if is_level_kept or TESTS[settings.test].draws != "bootstrap" else FEW_FOR_BOOTSTRAP
    )
    trust = {"unlike": (), "n_others": 0, "ratio": None, "unit": settings.unit, "needed": needed}
    return [
        Caution(
            "interval-and-decision",
            {
                "n_open": n_open,
                "n_significant": n_significant,
                "jointly": False,
                "in_steps": False,
                "trust": trust,
            },
        ).text
    ] * bool(n_open + n_significant)


def name_other_tops(found: TaskComparison, metric: str, *beside: TaskComparison) -> str | None:
    """Name the top groups of other metrics, of `found` and of the comparisons `beside` it, on
    language pairs of this metric. None if they agree; language pairs are named if they differ.
    """
    tops: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for one in (*beside, found):
        for name in list_task_metrics(one):
            parts, macro = select_parts(one, name), one.macro.get(name)
            if macro is not None:
                tops[name] = (
                    tuple(row.system for row in macro.systems if row.rank_low == 1),
                    macro.language_pairs,
                )
            elif len(parts) == 1:
                tops[name] = find_top_group(next(iter(parts.values()))[1]) or (), tuple(parts)
    mine, pairs = tops.pop(metric, ((), ()))
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, (top, where) in tops.items():
        if top and mine and set(top) != set(mine) and set(where) & set(pairs):
            groups.setdefault(tuple(sorted(top, key=top.index)), []).append(
                shortened(name_metric(name), 40)
                + f" ({name_pairs(where)})" * (set(where) != set(pairs))
            )
    return (
        None
        if not groups
        else "Other metrics name another top group: "
        + "; ".join(
            f"{list_names([shortened(name, 40) for name in top])} by {join_names(metrics, shown=False)}"
            for top, metrics in groups.items()
        )
        + "."
    )


def explain_far_firsts(found: Found, metric: str) -> list[str]:
    """Write a sentence for each part with a system in the top group although a better-scoring one
    is not.
    """
    results: dict[str, MetricResult | MacroResult] = {
        part: result
        for part, (_, result) in select_parts(found, metric).items()
        if result.ruled is None
    }
    results |= (
        {"Across the language pairs": macro}
        if (macro := _find_macro(found, metric)) is not None
        else {}
    )
    sentences = []
    for part, result in results.items():
        ranked = [row for row in result.systems if row.rank_low is not None]
        beaten = next((k for k, row in enumerate(ranked) if row.rank_low != 1), len(ranked))
        if far := [row.system for row in ranked[beaten + 1 :] if row.rank_low == 1]:
            who = f"{list_names(far)} is" if len(far) == 1 else f"{list_names(far)} are"
            sentences.append(
                f"{part}{': ' * bool(part)}{who} in the top group although better-scoring systems are "
                "not. Differences from them vary more, or are on fewer segments."
            )
    return sentences


def count_hidden(found: TaskComparison, metric: str) -> dict[str, int] | None:
    """Count what ranks by a rule hide, over all language pairs; None for simultaneous ranks, which
    hide nothing.

    `significant`: significant pairs of systems; `significant_inside`: those inside one cluster;
    `inside_apart`: those of them whose rank ranges do not overlap; `turned_round`: those ranked the
    other way round. `apart_not_significant`: pairs that the rule ranks apart without a significant
    difference. `ranks`: ranks compared with simultaneous rank ranges; `changed`: those of them that
    differ.
    """
    ruled = [
        (result, result.ruled)
        for _, result in select_parts(found, metric).values()
        if result.ruled is not None
    ]
    compared = [
        (len(result.systems), own.changed) for result, own in ruled if own.changed is not None
    ]
    return (
        None
        if not ruled
        else {
            "significant": sum(pair.significant for result, _ in ruled for pair in result.pairs),
            "significant_inside": sum(own.significant_inside for _, own in ruled),
            "ranks": sum(n for n, _ in compared),
            "changed": sum(changed for _, changed in compared),
            "apart_not_significant": sum(own.apart_not_significant or 0 for _, own in ruled),
            "turned_round": sum(count_reversed_pairs(result) for result, _ in ruled),
            "inside_apart": sum(own.inside_apart or 0 for _, own in ruled),
        }
    )


# -------------------------------------------------------------------------------------------------
# The method.


def list_exclusions(found: Found) -> list[str]:
    """Write a sentence on the excluded systems, with language pairs and reasons; nothing without
    exclusions.
    """
    names = [
        one.system
        + (f" in {pair}" if (pair := getattr(one, "pair", None)) else "")
        + (f" ({one.reason})" if one.reason else "")
        for one in found.excluded
    ]
    return [f"Excluded: {printable(', '.join(names))}."] if names else []


def describe_subject(found: Found, metric: str) -> list[str]:
    """Write what was compared: systems, test set or language pairs, metric, and assumptions about
    the files.
    """
    parts = select_parts(found, metric)
    comparison, result = next(iter(parts.values()))
    names, verb = order_systems(found, metric), "compared" if len(result.systems) > 1 else "scored"
    by, direction = printable(name_metric(metric)), describe_direction(result.higher_is_better)
    if isinstance(found, Comparison):
        kind, assumed = "test set", found.testset.assumed
        what = f"on {_describe_testset(comparison, result)} by {by} ({direction})"
    else:
        kind, assumed = "task", found.task.assumed
        tracks = f" ({join_names(own)})" if (own := count_tracks(found.task, names)) else ""
        what = (
            f"of {printable(found.task.name)}{tracks} in {format_count(len(parts), 'language pair')} "
            f"({join_names(list(parts))}) by {by} ({direction})"
        )
    simulated = any(one.testset.simulated for one, _ in parts.values())
    return [
        f"We {verb} {format_count(len(names), 'system')} {what}.",
        *[f"The {kind} is simulated."] * simulated,
        *map(printable, list_assumptions(assumed, [metric])),
    ]


def count_tracks(task: TaskInfo, names: Iterable[str]) -> list[str]:
    """Write how many systems are in the constrained track, contrastive or human translations, in
    short phrases.
    """
    infos = [task.systems[name] for name in names if name in task.systems]
    counts = {"in the constrained track": sum(info.constrained is True for info in infos)}
    counts |= {
        label: sum(label in info.labels for info in infos)
        for label in ("contrastive", "human translation")
    }
    return [f"{n} {what}" for what, n in counts.items() if n]


def _describe_testset(comparison: Comparison, result: MetricResult) -> str:
    """Write name, compared size and references of a test set."""
    info = comparison.testset
    scored = (
        f"; {'reference' if len(info.references) == 1 else 'references'} {join_names(info.references)}"
        if info.references
        else "; segment scores without texts"
    )
    return (
        f"{printable(info.name)} ({_describe_size(comparison, result)}"
        f"{scored * (not (result.was_given and info.references))})"
    )


def _describe_size(comparison: Comparison, result: MetricResult) -> str:
    """Write a size such as "603 to 634 of 997 segments in 66 documents, those with scores for both
    systems".
    """
    info, by_document = comparison.testset, comparison.settings.unit == "document"
    some = _write_part({pair.n for pair in result.tested}, info.n_segments)
    size = f"{some}{format_count(info.n_segments, 'segment')}"
    if info.n_documents is not None and (by_document or not some):
        units = {pair.n_units for pair in result.tested} if by_document else set()
        size += f" in {_write_part(units, info.n_documents)}{format_count(info.n_documents, 'document')}"
    both = " for both systems" * has_different_segments(comparison, result)
    return f"{size}, those with scores{both}" if some else size


def _write_part(counts: set[int], whole: int) -> str:
    """Write a part such as "603 of " or "540 to 603 of "; nothing if each is the whole."""
    if not counts or min(counts) == whole:
        return ""
    return f"{' to '.join(f'{n:,}' for n in dict.fromkeys((min(counts), max(counts))))} of "


def has_different_segments(comparison: Comparison, result: MetricResult) -> bool:
    """Return whether systems have scores on different segments, so that a difference need not equal
    the difference of two scores.
    """
    return any(
        caution.code == "rated-on-different-lines" and caution.metric == result.metric
        for caution in comparison.warnings
    )


def name_units(settings: Settings) -> str:
    """Name the units that are resampled or swapped, in the plural."""
    if settings.block_length is None:
        return f"{settings.unit}s"
    return f"stationary blocks of {settings.block_length:g} segments on average"


def name_resampled_units(settings: Settings) -> str:
    """Name the units that are resampled, with the source of the resamples of blocks: permutations
    of blocks have none, as they are mtsig's own.
    """
    source = "" if settings.block_length is None else " (Politis and Romano 1994)"
    return f"{name_units(settings)}{source}"


def name_intervals(result: MetricResult, settings: Settings) -> str:
    """Name the kind of interval, and its resamples."""
    if result.ci == "t":
        return "Student's t intervals of segment means"
    if result.ci == "jackknife-t":
        return f"jackknife t intervals over {_name_left_out_units(settings)}"
    kind = "BCa" if result.ci == "bca" else result.ci
    return (
        f"{kind} bootstrap intervals from {settings.resamples:,} resamples of "
        f"{name_resampled_units(settings)}"
    )


def _name_left_out_units(settings: Settings) -> str:
    """Name the units that a jackknife leaves out, in the plural."""
    if settings.block_length is None:
        return f"{settings.unit}s"
    return f"fixed blocks of about {settings.block_length:g} segments"


def describe_tests(found: Found, metric: str) -> list[str]:
    """Describe the method in sentences: test, unit, trials, correction, intervals, ranks, caveats,
    version.
    """
    parts = select_parts(found, metric)
    settings = next(iter(parts.values()))[0].settings
    untested = sum(len(result.pairs) - len(result.tested) for _, result in parts.values())
    kinds = join_by_part(
        {part: name_intervals(result, one.settings) for part, (one, result) in parts.items()}
    )
    each = (
        ", each for its own system or pair"
        if any(result.pairs for _, result in parts.values())
        else ""
    )
    sentences = group_by_part({part: list(_describe_scores(*one)) for part, one in parts.items()})
    sentences += _describe_test(parts)
    if untested:
        sentences.append(
            f"{format_count(untested, 'pair')} without segments in common could not be tested."
        )
    sentences.append(f"{write_level(settings)} confidence intervals are {kinds}{each}.")
    if any(name_simultaneous(result, one.settings) for one, result in parts.values()):
        sentences.append(_describe_joint_intervals(settings, parts))
    sentences += [*describe_ranks(parts), *_describe_rule(settings)]
    if isinstance(found, TaskComparison):
        sentences += _describe_tests_across(found, metric)
    sentences += [*list_caveats(found, metric), *list_exclusions(found)]
    return [*sentences, f"Computed with mtsig {settings.version}, seed {settings.seed}."]


def _describe_joint_intervals(settings: Settings, parts: Parts) -> str:
    """Describe how the intervals for all pairs are made; and how sure they are, if nothing puts
    that in doubt.
    """
    level = write_level(settings)
    is_sure = all(keeps_interval_level(comparison) for comparison, _ in parts.values())
    claim = f"hold together at about {level}" if is_sure else "were made together"
    where = " within each language pair" if len(parts) > 1 else ""
    return (
        f"{level} CIs for all pairs {claim}{where} (max-T from {settings.resamples:,} bootstrap resamples; Romano "
        "and Wolf 2005)."
    )


def _describe_scores(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    """Describe scores over training runs, domains, or different segments."""
    if result.runs:
        spread = ", ".join(
            f"{row.system} {row.sd:{choose_form(result)}} ({len(row.scores)} runs)"
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
        yield from (
            caution.finding
            for caution in comparison.warnings
            if caution.code == "partly-rated" and caution.metric == result.metric
        )
    if has_different_segments(comparison, result):
        yield (
            "A score is the mean over all segments with scores for its system. A difference is the mean over the "
            "segments with scores for both, so it may not equal the difference of the two scores."
        )


def _describe_test(parts: Parts) -> Iterator[str]:
    """Describe the test with its units and trials, and the correction with its pairs."""
    tested = {part: one for part, one in parts.items() if one[1].tested}
    if not tested:
        return
    settings = next(iter(tested.values()))[0].settings
    test, is_task = TESTS[settings.test], "" not in parts
    name_drawn = name_resampled_units if test.draws == "bootstrap" else name_units
    units_by_part = {}
    for part, (one, result) in tested.items():
        trials = "" if settings.trials is None else f", {describe_trials(result, one.settings)}"
        units_by_part[part] = f"{name_drawn(one.settings)} as units{trials}"
    units = join_by_part(units_by_part)
    sizes = [len(result.tested) for _, result in tested.values()]
    family = (
        format_count(max(sizes), "pair")
        if min(sizes) == max(sizes)
        else f"{min(sizes)} to {max(sizes)} pairs"
    )
    family += " of systems in each language pair" * is_task
    corrected = _describe_correction(settings, family, max(sizes) == 1 and not is_task)
    yield (
        f"Differences between two systems were tested by {test.title} ({test.source}) with {units}, and alpha = "
        f"{settings.alpha:g}; {corrected}."
    )
    yield from group_by_part(
        dict.fromkeys(parts, ())
        | {
            part: [f"Systems were compared on {_describe_size(*one)}."]
            for part, one in tested.items()
            if is_task and {pair.n for pair in one[1].tested} != {one[0].testset.n_segments}
        }
    )
    if test.p_values is None:
        yield (
            "This test gives no p: a system counts as better where it wins on at least "
            f"{write_level(settings)} of the resamples."
        )


def _describe_correction(settings: Settings, family: str, is_single: bool) -> str:
    if is_single:
        return "a single pair needs no correction"
    if settings.correction == "none":
        return f"there was no correction for {family}"
    correction = CORRECTIONS[settings.correction]
    return f"p-values were corrected for {family} ({correction.source or correction.title})"


def describe_ranks(parts: Parts) -> list[str]:
    """Describe the ranks, and where they hold for all systems together."""
    ranked = {part: one for part, one in parts.items() if one[1].systems[0].rank_low is not None}
    if not ranked:
        return [
            "There are no rank ranges: this test does not correct for the number of pairs."
        ] * any(result.tested and not has_p_values(one.settings) for one, result in parts.values())
    settings = next(iter(ranked.values()))[0].settings
    rule = settings.rank_rule
    if rule != "simultaneous":
        return [
            f"Ranks are {RANK_RULES[rule].title}{' within each language pair' * ('' not in parts)}."
        ]
    held = [part for part, (one, _) in ranked.items() if keeps_its_level(one)]
    where = (
        ""
        if "" in held
        else f" in {'each language pair' if len(held) == len(parts) else join_names(held)}, not "
        "for the language pairs together"
    )
    return (
        [f"Rank ranges hold jointly at about {write_level(settings)} for all systems{where}."]
        if held
        else []
    )


def describe_rule_decisions(result: MetricResult, settings: Settings) -> str:
    """Write how many pairs the rule of the ranks calls different, and how many our own test
    does.
    """
    by_rule = sum(pair.rule_better is not None for pair in result.pairs)
    ours = sum(pair.significant for pair in result.pairs)
    pairs = format_count(len(result.pairs), "pair")
    differ_by_rule, differ = (choose_verb(n, "differs", "differ") for n in (by_rule, ours))
    return (
        f"Ranked {RANK_RULES[settings.rank_rule].title}, {by_rule} of {pairs} {differ_by_rule}, without "
        f"correction. By {_name_own_test(settings)}, {ours} of {pairs} {differ} significantly."
    )


def explain_own_tests(result: MetricResult, settings: Settings) -> str:
    """Write that differences and decisions of pairs are ours although a rule ranks the systems, and
    what is the rule's.
    """
    rule = RANK_RULES[settings.rank_rule]
    by_rule = sum(pair.rule_better is not None for pair in result.pairs)
    return (
        f"These differences and decisions are by {_name_own_test(settings)}, not by the rule of the ranks. Ranked "
        f"{rule.title}, the difference is of {rule.compares}, and {by_rule} of "
        f"{format_count(len(result.pairs), 'pair')} {choose_verb(by_rule, 'differs', 'differ')}."
    )


def _name_own_test(settings: Settings) -> str:
    """Name the test of the pairs, its unit and its correction: 'approximate randomization by
    document, with Holm'.
    """
    name = f"{TESTS[settings.test].title} by {settings.unit}"
    if settings.correction == "none":
        return name
    return f"{name}, with {CORRECTIONS[settings.correction].title}"


def explain_head_to_head(result: MetricResult, settings: Settings) -> str:
    """Write how to read the matrix of differences in print: whose differences they are, and what
    the marks say.
    """
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


def _describe_rule(settings: Settings) -> list[str]:
    """Name the source and the limits of a rank rule other than simultaneous rank ranges."""
    rule = RANK_RULES[settings.rank_rule]
    return (
        [f"Limits of ranks {rule.title} ({rule.source}): {'; '.join(rule.ignores)}."]
        if rule.ignores
        else []
    )


def _describe_tests_across(found: TaskComparison, metric: str) -> Iterator[str]:
    """Describe the comparison of systems across the language pairs."""
    parts, macro = select_parts(found, metric), found.macro.get(metric)
    if len(parts) < 2 or macro is None or not macro.pairs:
        return
    settings, m = next(iter(parts.values()))[0].settings, len(macro.pairs)
    of_domains = " of means over domains" if RANK_RULES[settings.rank_rule].by_domain else ""
    yield (
        f"Across the {len(parts)} language pairs, which count the same, the mean difference{of_domains} of two "
        "systems was tested with the averaged draws of each language pair. p-values of language pairs were not "
        f"combined; {_describe_correction(settings, f'{m} pairs', m == 1)}."
    )
    if any(pair.ci_low is not None for pair in macro.pairs):
        kind = (
            "jackknife t intervals, with degrees of freedom by Welch (1947)"
            if macro.ci == "jackknife-t"
            else f"percentile bootstrap intervals from {settings.resamples:,} resamples"
        )
        yield f"{write_level(settings)} intervals of mean differences are {kind}, each for its own pair of systems."
    if missing := sum(row.score is None for row in macro.systems):
        yield f"Not ranked across them, because they do not have all: {format_count(missing, 'system')}."
    if macro.is_ranked and all(keeps_its_level(comparison) for comparison, _ in parts.values()):
        yield (
            f"Rank ranges across them hold jointly at about {write_level(settings)} for all systems ranked there "
            "(Romano and Wolf 2005)."
        )


def describe_methods(found: Found, metric: str) -> str:
    """Write one paragraph on everything that the numbers of a metric depend on, without a winner:
    data, method, caveats.
    """
    return " ".join(
        [*describe_subject(found, metric), *describe_tests(found, metric), *_sign(found, metric)]
    )


def _sign(found: Found, metric: str) -> list[str]:
    """Write the signature of a metric on a test set, as a sentence; a task's signature is with its
    digest.
    """
    return (
        [f"Signature: {printable(found.metrics[metric].signature)}."]
        if isinstance(found, Comparison)
        else []
    )


def describe_signatures(found: Found, metric: str) -> str:
    """Write the signature of a metric in a task, with all values of a field if language pairs
    differ; and the digest.
    """
    if isinstance(found, Comparison):  # its signature is in another sentence
        return f"Test set digest: {printable(found.testset.digest)}."
    fields = [result.signature.split("|") for _, result in select_parts(found, metric).values()]
    merged = "|".join(
        ",".join(filter(None, dict.fromkeys(values)))
        for values in zip_longest(*fields, fillvalue="")
    )
    return f"Signature: {printable(merged)}. Task digest: {printable(found.task.digest)}."


# -------------------------------------------------------------------------------------------------
# A paragraph for a paper.


def paper_sentences(comparison: Found, metric: str) -> str:
    """Write the verdict, the data, the method and the caveats: one paragraph of plain text.

    Parameters
    ----------
    comparison : Comparison or TaskComparison
    metric : str
        One of its metrics.

    Returns
    -------
    str
        Sentences without markup. Differences are signed so that a positive one is an improvement.
        Characters in names that a line of text cannot hold are shown as escapes.

    Raises
    ------
    SettingError
        If the comparison has no such metric.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> paragraph = paper_sentences(compare(ts, trials=999), "bleu")
    >>> paragraph.partition(", 95% CI")[0]
    'A is significantly better than B: A 100.00, B 77.88, difference +22.12 BLEU'
    >>> "We compared 2 systems on toy (40 segments; reference ref) by BLEU (higher is better)." in paragraph
    True
    """
    return " ".join(
        [
            *_describe_outcome(comparison, metric),
            *describe_subject(comparison, metric),
            *describe_tests(comparison, metric),
            *_sign(comparison, metric),
        ]
    )


def state_result(found: Found, metric: str) -> str:
    """Write the verdict for a paper with its numbers: the first sentences of the paragraph."""
    return " ".join(_describe_outcome(found, metric))


def _describe_outcome(found: Found, metric: str) -> Iterator[str]:
    """Write the verdict, and the pairs with the baseline, the only pair, or the two best
    systems.
    """
    parts, macro = select_parts(found, metric), _find_macro(found, metric)
    one, result = next(iter(parts.values()))
    settings, shown = one.settings, result if macro is None else macro
    pairs = [pair for pair in shown.pairs if not isinstance(pair, PairResult) or pair.n]
    judged = pairs if settings.baseline and len(pairs) <= _FEW or len(shown.pairs) == 1 else []
    if not judged or not result.tested or explain_no_decision(settings, result):
        yield f"{printable(state_verdict(found, metric))}."
    if macro is None and len(parts) > 1 or not shown.pairs:
        return
    yield from (
        f"{_judge_pair(one, shown, pair)}: {_write_evidence(one, shown, pair)}." for pair in judged
    )
    if not judged and settings.baseline:
        for side, head in (("a", "Significantly better"), ("b", "Significantly worse")):
            yield f"{head}: {join_names([pair.a for pair in pairs if pair.better == side]) or 'none'}."
    elif not judged:
        best = {row.system for row in shown.systems[:2]}
        pair = next(pair for pair in shown.pairs if {pair.a, pair.b} == best)  # tested or not
        yield f"The two best scores: {_write_evidence(one, shown, pair)}."
        n = sum(pair.better is not None for pair in pairs)
        if has_p_values(settings) and any(pair.decidable for pair in pairs):
            yield f"{n} of {format_count(len(pairs), 'pair')} {choose_verb(n, 'is', 'are')} significantly different."
    if any(pair.better is None and pair.decidable for pair in pairs):
        yield "No significant difference does not mean equal."


def _judge_pair(
    comparison: Comparison, result: MetricResult | MacroResult, pair: PairResult | MacroPair
) -> str:
    a, b = printable(pair.a), printable(pair.b)
    if (
        isinstance(pair, PairResult)
        and isinstance(result, MetricResult)
        and (what := find_identical(comparison, result, pair))
    ):
        return f"The {what} of {a} and {b} are identical"
    if pair.better is None:
        return f"{a} and {b}: {describe_undecided(pair, comparison.settings)}"
    claim = "is significantly" if has_p_values(comparison.settings) else "counts as"
    return f"{a} {claim} {'better' if pair.better == 'a' else 'worse'} than {b}"


def _write_evidence(
    comparison: Comparison, result: MetricResult | MacroResult, pair: PairResult | MacroPair
) -> str:
    """Write scores, difference, interval, and p or shares of wins of a pair."""
    settings, form, seen = (
        comparison.settings,
        choose_form(result),
        see_pair(pair, pair.a, result, comparison.settings),
    )
    unit = f" {printable(name_unit(result.metric))}"
    scores = {row.system: row.score for row in result.systems}
    common = (
        f" on the {format_count(pair.n, 'segment')} with scores for both"
        if isinstance(pair, PairResult)
        and isinstance(result, MetricResult)
        and has_different_segments(comparison, result)
        else ""
    )
    parts = [f"{printable(name)} {scores[name]:{form}}" for name in (pair.a, pair.b)]
    parts.append(f"difference {signed(seen.difference, form)}{unit}{common}")
    for ends, together in ((seen.ci, ""), (seen.ci_joint, " for all pairs together")):
        if ends is not None and not (together and len(result.pairs) == 1):
            low, high = (signed(end, form, "") for end in ends)
            parts.append(f"{write_level(settings)} CI {low} to {high}{together}")
    if seen.win is not None and seen.lose is not None:  # by a test without p
        parts.append(
            f"wins on {100 * seen.win:.1f}% and loses on {100 * seen.lose:.1f}% of the resamples"
        )
    elif seen.p is None or seen.adjusted_p is None:
        parts.append("not tested, as they have no segments in common")
    else:
        parts.append(write_p(seen.p))
        parts += [write_p(seen.adjusted_p, "adjusted p")] * (seen.adjusted_p != seen.p)
    return ", ".join(parts)


# -------------------------------------------------------------------------------------------------
# Short phrases, for lines above the numbers.


def summarize_comparison(comparison: Comparison) -> tuple[list[str], list[str]]:
    """Write data and method as two lists of short phrases."""
    info, n, results = (
        comparison.testset,
        comparison.testset.n_documents,
        comparison.metrics.values(),
    )
    worth = next(
        (
            result.n_effective
            for result in results
            if comparison.settings.unit == "document"
            and (not result.was_given or any(pair.n == info.n_segments for pair in result.pairs))
        ),
        None,
    )
    unequal = (
        f" (uneven sizes: count as about {worth:,.0f})"
        if worth is not None and round(worth) != n
        else ""
    )
    data = [
        info.name + " (simulated)" * (info.simulated and "simulated" not in info.name),
        format_count(info.n_segments, "segment"),
        *([] if n is None else [format_count(n, "document") + unequal]),
        format_count(len(info.systems), "system"),
    ]
    if not info.references or not all(result.was_given for result in results):
        data.append(
            f"scored with {', '.join(info.references)}"
            if info.references
            else "segment scores without texts"
        )
    if tokenizers := {result.tokenizer for result in results if result.tokenizer is not None}:
        data.append(f"tokenizer {', '.join(sorted(tokenizers))}")
    tested = describe_settings([comparison])
    return data, [text for key, text in tested.items() if key != "unit" or "test" not in tested]


def describe_settings(comparisons: Iterable[Comparison]) -> dict[str, str]:
    """Write the method, in a short phrase for each setting, with all values if comparisons differ.

    The phrase of the test names the unit; without a test, only the intervals are described.
    """
    joined: dict[str, dict[str, None]] = {}
    for one in comparisons:
        for key, text in _describe_own_settings(one).items():
            joined.setdefault(key, {})[text] = None
    return {key: " or ".join(texts) for key, texts in joined.items()}


def _describe_own_settings(comparison: Comparison) -> dict[str, str]:
    settings, results = comparison.settings, comparison.metrics.values()
    unit = (
        settings.unit
        if settings.block_length is None
        else f"stationary block of {settings.block_length:g} segments on average"
    )
    family, rule = (
        max((len(result.tested) for result in results), default=0),
        RANK_RULES[settings.rank_rule],
    )
    phrases = {
        "test": f"{SETTINGS['test'].name_value(settings.test)} by {unit}",
        "unit": f"by {unit}",
        "trials": " or ".join(
            dict.fromkeys(describe_trials(result, settings) for result in results)
        ),
        "seed": f"seed {settings.seed}",
        "alpha": f"alpha {settings.alpha:g}",
        "correction": "one pair, no correction needed"
        if family == 1
        else SETTINGS["correction"].name_value(settings.correction)
        + f" for {format_count(family, 'pair')}" * (settings.correction != "none"),
        "ci": f"{list_interval_kinds(comparison)} intervals, {settings.resamples:,} resamples",
        "rank_rule": f"ranks {rule.title}" * (rule.name != "simultaneous"),
    }
    return {
        key: text
        for key, text in phrases.items()
        if text and (family or key in ("unit", "seed", "alpha", "ci"))
    }


def list_task_settings(found: TaskComparison) -> list[str]:
    """Write the method within the language pairs, in short phrases."""
    phrases = describe_settings(found.pairs.values())
    corrections = dict.fromkeys(
        SETTINGS["correction"].name_value(one.settings.correction) for one in found.pairs.values()
    )
    across = ", and across them" * any(macro.pairs for macro in found.macro.values())
    phrases["correction"] = f"{' or '.join(corrections)} within each language pair{across}"
    return [
        phrases[key]
        for key in ("test", "trials", "seed", "alpha", "correction", "rank_rule")
        if key in phrases
    ]


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
    return " or ".join(
        dict.fromkeys(
            SETTINGS["ci"].name_value(result.ci) for result in comparison.metrics.values()
        )
    )


def write_caption(found: Found, metric: str, what: str) -> str:
    """Write the content of a table and its data."""
    parts = select_parts(found, metric)
    comparison, result = next(iter(parts.values()))
    kind, where = (
        ("test set", f"on {_describe_testset(comparison, result)}")
        if isinstance(found, Comparison)
        else ("task", f"of {found.task.name} in {format_count(len(parts), 'language pair')}")
    )
    simulated = f", a simulated {kind}" * any(one.testset.simulated for one, _ in parts.values())
    return (
        f"{what} of {format_count(len(order_systems(found, metric)), 'system')} {where}{simulated} by "
        f"{printable(name_metric(metric))} ({describe_direction(result.higher_is_better)})."
    )


# -------------------------------------------------------------------------------------------------
# Reading the ranks of a task, and disagreements of its metrics.


_DASH = "A dash: no score, or no rank."


def _has_ranks(found: TaskComparison, metric: str) -> bool:
    """Return whether any system of a task is ranked, in a language pair or across them."""
    macro = found.macro.get(metric)
    if macro is not None and macro.is_ranked:
        return True
    results = [result for _, result in select_parts(found, metric).values()]
    return any(row.rank_low for result in results for row in result.systems)


def describe_marked_ranks(found: TaskComparison, metric: str) -> str:
    """Write which ranks of a task are marked: those that reach the first."""
    rule, macro = find_rank_rule(found), found.macro.get(metric)
    ours = "top group (no other system is significantly better, corrected for all pairs)"
    if rule.name == "simultaneous":
        return ours
    if macro is not None and macro.is_ranked:
        return f"{name_first_place(rule)}; under all pairs: {ours}"
    return name_first_place(rule)


def explain_ranks(found: TaskComparison, metric: str) -> list[str]:
    """Explain the ranks of a task and the dash, in sentences."""
    if not _has_ranks(found, metric):
        return [_DASH]
    return [*describe_ranks(select_parts(found, metric)), _DASH]


def explain_ranking(found: TaskComparison, metric: str) -> list[str]:
    """Explain how to read the columns of the ranks of a task, in sentences."""
    sentences = explain_ranks(found, metric)
    sentences.append("Language pairs: in how many a system has scores.")
    macro = found.macro.get(metric)
    if macro is None:
        return sentences
    if macro.is_ranked:
        sentences.append("Rank across: by the mean score over the language pairs.")
    decisions = "decisions within language pairs"
    if any(result.ruled is not None for _, result in select_parts(found, metric).values()):
        decisions += ", by the rule of the ranks"
    sentences.append(f"Wins, ties and losses are {decisions}, added up.")
    return sentences


DISPUTES_NOTE = (
    "Opposite: significant in opposite directions. Significant by some: by one metric, not by another. "
    "Only NAME: significant by that metric only. Trying several metrics and keeping one is testing more "
    "than once. Choose the metric that counts beforehand, or report all."
)
#: How to read the table of disputed pairs.
DISPUTED_PAIRS_NOTE = "Positive: the first system is better, by every metric; ● is significant."


def state_agreement(disputed: Sequence[Disputed]) -> str:
    """Write how often the metrics agree in all language pairs together, in a sentence without its
    full stop.
    """
    within = [one for one in disputed if one.language_pair is not None]
    names = list(dict.fromkeys(name_metric(name) for one in within for name in one.metrics))
    return f"In {format_count(len(within), 'language pair')}: " + state_decisions(
        names, [pair for one in within for pair in one.pairs]
    )


def state_decisions(names: Sequence[str], pairs: Sequence[PairAcross]) -> str:
    """Write on how many pairs of systems these metrics decide the same, in a sentence without its
    full stop.

    >>> state_decisions(["BLEU", "chrF"], [PairAcross("A", "B", (1.0, -1.0), (1, 0))])
    'BLEU and chrF agree on 0 of 1 pair; 1 is significant by only some of them'
    """
    kinds = Counter(pair.kind for pair in pairs)
    lost = kinds[UNDECIDED]
    n = len(pairs) - lost
    if not n:
        return (
            f"No metric can decide any pair: {FEW}" if lost else "No pair is tested by all metrics"
        )
    facts = [
        f"{join_names(names, shown=False)} agree on {kinds[AGREE]:,} of {format_count(n, 'pair')}"
    ]
    for kind, how in (
        ("significant by some", "by only some of them"),
        ("opposite", "in opposite directions"),
    ):
        if kinds[kind]:
            facts.append(
                f"{kinds[kind]:,} {choose_verb(kinds[kind], 'is', 'are')} significant {how}"
            )
    if lost:
        facts.append(f"{lost:,} more {FEW}")
    return "; ".join(facts)
