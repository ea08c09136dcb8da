"""Warnings and caveats as text, with what helps in the words of the surface that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy, format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.commands import defaults
from mtsig_core.results import Comparison, MacroPair, MacroResult, MetricResult, PairResult, Settings, TaskComparison
from mtsig_core.stats.across import AGREE, FEW, UNDECIDED, PairAcross
from mtsig_core.stats.few_units import count_most_units, differing_unit, fewest_units, find_shortage
from mtsig_core.stats.significance import CONTROLS

#-----------------------------------------------------------------------------------------------------------------------
# What decides what may be claimed, for what is quoted without the list of warnings, as captions and papers are.


def list_assumptions(assumed: Iterable[str], metrics: Iterable[str]) -> list[str]:
    """Sentences: what was assumed of these metrics when a test set or a task was read, and what was left out then."""
    named = tuple(f"{metric}:" for metric in metrics)
    return [f"Assumed: {text}" if text.startswith(named) else text for text in assumed
            if text.startswith(("Left out", *named))]


def describe_direction(higher_is_better: bool, differences: bool = True) -> str:
    """Whether higher is better, and what a positive difference then is, where there are `differences`."""
    if higher_is_better:
        return "higher is better"
    return "lower is better" + "; a positive difference is an improvement" * differences


def keeps_its_level(comparison: Comparison) -> bool:
    """Whether no warning says that the test rejects more true nulls than alpha; if not, no correction mends that."""
    return not any(caution.kind.breaks_level for caution in comparison.warnings)


def describe_control(comparison: Comparison, correction: str) -> str:
    """What a correction controls; nothing where the test itself rejects too many true nulls."""
    return CONTROLS[correction] if keeps_its_level(comparison) else "nothing: the test rejects too often"


def ranks_hold_jointly(comparison: Comparison) -> bool:
    """Whether rank intervals may be said to hold for all systems together."""
    return comparison.settings.rank_rule == "simultaneous" and keeps_its_level(comparison)


def on_different_lines(comparison: Comparison, result: MetricResult) -> bool:
    """Whether systems have scores on different segments, so that two scores need not differ by their difference."""
    return bool(_about("rated-on-different-lines", comparison, result))


def _about(code: str, comparison: Comparison, result: MetricResult) -> list[Caution]:
    return [caution for caution in comparison.warnings if caution.code == code and caution.metric == result.metric]


def describe_compared_segments(comparison: Comparison, result: MetricResult) -> tuple[str, str]:
    """What goes before and after the size of a test set that pairs were compared on part of, such as ("603 of ",
    ", those with scores"); nothing where it is all of it."""
    some = _some({pair.n for pair in result.tested}, comparison.testset.n_segments)
    both = "" if not on_different_lines(comparison, result) else \
        f" for both systems{' of a pair' if len(result.pairs) > 1 else ''}"
    return some, f", those with scores{both}" if some else ""


def describe_compared_documents(comparison: Comparison, result: MetricResult) -> str:
    """The documents of a test set and how many of them were compared, such as " in 66 of 120 documents"; nothing where
    that is not known."""
    n = comparison.testset.n_documents
    by_document = comparison.settings.unit == "document"
    if n is None or not by_document and describe_compared_segments(comparison, result)[0]:
        return ""
    some = _some({pair.n_units for pair in result.tested}, n) if by_document else ""
    return f" in {some}{format_count(n, 'document')}"


def _some(counts: set[int | None], whole: int) -> str:
    """Such as "603 of ", or "540 to 603 of "; nothing where each is the whole, or not known."""
    n = sorted(many for many in counts if many is not None)
    return "" if not n or n[0] == whole else f"{' to '.join(f'{many:,}' for many in dict.fromkeys((n[0], n[-1])))} of "


def pick_file_doubts(cautions: Iterable[Caution]) -> list[Caution]:
    """The warnings that put all numbers of a system in doubt, which stand beside every verdict."""
    return [caution for caution in cautions if caution.kind.doubts_files]


def describe_scored_segments(comparison: Comparison, result: MetricResult) -> list[str]:
    """Sentences: texts that are hardly the right ones; and which segments a score and a difference are of, where some
    segments have no score."""
    if not result.was_given and (doubts := pick_file_doubts(comparison.warnings)):
        return [caution.finding for caution in doubts]
    if on_different_lines(comparison, result):
        return ["A score is the mean over all segments that its system has scores for, a difference that over the "
                "segments that both systems have scores for, so it need not be that of the two scores."]
    return [] if result.tested else [caution.finding for caution in _about("partly-rated", comparison, result)]


def pick_qualifying(comparison: Comparison, result: MetricResult) -> list[Caution]:
    """The warnings without which nothing of a result should be quoted: what is wrong with the test or the unit, that
    segments are taken as independent, few units, what a rank rule leaves out, why nobody is declared better, and that
    metrics name different top groups."""
    return [caution for caution in comparison.warnings
            if caution.kind.in_caption and caution.metric in (None, result.metric)]


def write_caveats(comparison: Comparison, result: MetricResult, here: bool = True) -> list[str]:
    """Sentences: `list_caveat_findings`, and what therefore need not hold."""
    parts = list_unreliable(comparison, result)
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return [*list_caveat_findings(comparison, result, here),
            *[f"So {listed} need not hold at the level said."] * bool(parts)]


def list_caveat_findings(comparison: Comparison, result: MetricResult, here: bool = True) -> list[str]:
    """What is wrong with the test or the unit, in the words of the warnings without what to do, and without what holds
    `here` alone where that is not wanted."""
    return [caution.finding if here else caution.general for caution in pick_qualifying(comparison, result)]


def list_unreliable(comparison: Comparison, result: MetricResult) -> list[str]:
    """What need not hold at its level, as the test rejects too many true nulls."""
    if not result.tested or keeps_its_level(comparison) or find_shortage(comparison.settings, result):
        return []
    parts = ["decisions"]
    if any(caution.kind.breaks_intervals for caution in comparison.warnings):
        parts.append("intervals")
    if len(result.tested) > 1 and comparison.settings.correction != "none":
        parts.append("the correction")
    if result.systems[0].rank_low is not None and result.ruled is None:
        parts.append("rank intervals")
    return parts


#-----------------------------------------------------------------------------------------------------------------------
# Warnings as texts, with what helps in the words of whoever shows them.


def caution_texts(comparison: Comparison) -> list[str]:
    """The texts of the warnings of a comparison, each with the metric that it is about where there are several."""
    several = len(comparison.metrics) > 1
    return [_prefix(caution, several) + caution.text for caution in comparison.warnings]


def _prefix(caution: Caution, several: bool) -> str:
    return f"{metric_title(caution.metric)}: " if several and caution.metric and not caution.kind.names_metric else ""


def group_cautions(cautions: Iterable[Caution], shown: int = 3, several: bool = False,
                   say: Callable[[Sequence[Remedy]], str] = lambda remedies: "") -> list[list[str]]:
    """The texts of warnings, a list for each kind and metric; what goes beyond `shown` of a kind is counted.

    Where there are `several` metrics, each text begins with the one that it is about; where it is known what helps, the
    last of a kind ends with what `say` makes of that.
    """
    kinds: dict[tuple[str, str | None], list[Caution]] = {}
    for caution in cautions:
        kinds.setdefault((caution.code, caution.metric), []).append(caution)
    groups = []
    for kind in kinds.values():
        texts = [_prefix(caution, several) + caution.text for caution in kind[:shown]]
        texts += [f"... and {len(kind) - shown} more of this kind."] if len(kind) > shown else []
        helps = {str(remedy): remedy for caution in kind[:shown] for remedy in caution.remedies}  # each once
        groups.append([*texts[:-1], f"{texts[-1]} {say([*helps.values()])}".rstrip()])
    return groups


def fit_remedies_to_task(cautions: Iterable[Caution]) -> list[Caution]:
    """Warnings of a language pair of a shared task: what helps there is what a task can be told, so no tokenizer."""
    can_be_told = {"metrics", "exclude", *defaults("task")}
    return [replace(caution, remedies=tuple(one for one in caution.remedies if one.keys() <= can_be_told))
            for caution in cautions]


#-----------------------------------------------------------------------------------------------------------------------
# Why a system may be the first although others, which score better, may not.


_WIDE = 1.5  # times the usual width, from which on an interval is called wide
_MOST = 5  # systems that are named


def explain_far_firsts(result: MetricResult | MacroResult) -> str | None:
    """One or two sentences about systems that may be the first while some that score better may not; None without any.

    >>> from mtsig_core import TestSet, compare
    >>> explain_far_firsts(compare(TestSet("toy", {"A": ["a b c d"] * 30, "B": ["a"] * 30}, {"ref": ["a b c d"] * 30}),
    ...                            trials=99).metrics["bleu"]) is None
    True
    """
    ranked = [row for row in result.systems if row.rank_low is not None]
    if not ranked or isinstance(result, MetricResult) and result.ruled is not None:
        return None  # another rule goes down by score
    beaten = next((k for k, row in enumerate(ranked) if row.rank_low != 1), len(ranked))
    far = [(k, row.system) for k, row in enumerate(ranked) if k > beaten and row.rank_low == 1]
    if not far:
        return None
    top = ranked[0].system
    to_top = {pair.b if pair.a == top else pair.a: pair for pair in result.pairs if top in (pair.a, pair.b)}
    better = [(k, name) for k, name in far if ranked[k].rank_high == 1 or _is_better(to_top.get(name), name)]
    open_ones = [one for one in far if one not in better]
    said = []
    if better:  # scores are means of what each has, pairs are compared on what both have
        said.append("Better than the score says: " + _listed(
            better, lambda name: f"significantly better than {top} on the segments that both have") + ".")
    if open_ones:
        why = _listed(open_ones, lambda name: _why(to_top.get(name), list(to_top.values()), top))
        said.append(f"May be the first, though better-scoring systems may not: {why}. That says that it cannot be "
                    "excluded, not that it is good.")
    return " ".join(said)


def explain_far_firsts_in_task(found: TaskComparison, metric: str) -> list[str]:
    """The same for each language pair of a task, and across them."""
    parts: list[tuple[str, MetricResult | MacroResult]] = [
        (f"{pair}. ", comparison.metrics[metric]) for pair, comparison in found.pairs.items()
        if metric in comparison.metrics]
    parts += [("Across the language pairs. ", found.macro[metric])] if metric in found.macro else []
    return [f"{where}{said}" for where, result in parts if (said := explain_far_firsts(result)) is not None]


def _listed(far: Sequence[tuple[int, str]], why: Callable[[str], str]) -> str:
    told = [f"{name} is {_ordinal(k + 1)} by its score, and {why(name)}" for k, name in far[:_MOST]]
    return "; ".join(told) + (f"; so it is with {len(far) - _MOST} more" if len(far) > _MOST else "")


def _is_better(pair: PairResult | MacroPair | None, name: str) -> bool:
    return pair is not None and pair.better is not None and name == (pair.a if pair.better == "a" else pair.b)


def _why(pair: PairResult | MacroPair | None, others: Sequence[PairResult | MacroPair], top: str) -> str:
    if pair is None:
        return f"was not compared with {top}"
    most = max(getattr(one, "n", None) or 0 for one in others)
    n = getattr(pair, "n", None)
    if n is not None and n < most:
        return f"has only {format_count(n, 'segment')} in common with {top}, of {most:,}"
    if not pair.decidable:
        return f"its difference to {top} {FEW}"
    if pair.better is not None:  # by another correction than that of the ranks
        return f"its difference to {top} is not significant after the correction that ranks have"
    width, usual = _width(pair), [one for one in map(_width, others) if one is not None]
    if width is not None and usual and median(usual) > 0 and width >= _WIDE * median(usual):
        return (f"the interval of its difference to {top} is {width / median(usual):.1f} times as wide as the median "
                "one, which leaves the difference not significant")
    return f"its difference to {top} is not significant after the correction"


def _width(pair: PairResult | MacroPair) -> float | None:
    return None if pair.ci_low is None or pair.ci_high is None else pair.ci_high - pair.ci_low


def _ordinal(n: int) -> str:
    """
    >>> [_ordinal(n) for n in (2, 11, 23)]
    ['2nd', '11th', '23rd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th") if n % 100 not in (11, 12, 13) else "th"
    return f"{n}{ending}"


#-----------------------------------------------------------------------------------------------------------------------
# What cannot be decided, and on what metrics and ranks agree.


def explain_no_decision(settings: Settings, result: MetricResult, correction: str | None = None) -> str | None:
    """A short sentence that nothing can be decided, and for want of what; None where something can be."""
    if result.pairs and not result.tested:
        return "Cannot be decided: no two systems have a line in common with scores by " \
               f"{metric_title(result.metric)}"
    lacks, m = find_shortage(settings, result, correction), len(result.tested)
    if lacks == "trials":
        return "Cannot be decided: too many pairs for so few trials"
    if lacks is None:
        return None
    if lacks == "differences":
        by = metric_title(result.metric)
        return f"Cannot be decided: systems differ in too few {differing_unit(settings)}s by {by}"
    several = f", too few for {m} pairs" if fewest_units(settings, 1) < fewest_units(settings, m, correction) else ""
    return f"Cannot be decided with {format_units(settings, count_most_units(result))}{several}"


def format_units(settings: Settings, n: int) -> str:
    """Such as 5 documents."""
    return f"{n} {'stationary block' if settings.unit == 'block' else settings.unit}{'' if n == 1 else 's'}"


def describe_pairs_inside(inside: int, inside_apart: int | None) -> str:
    """What follows a number of significant pairs inside one cluster, some with rank ranges that lie apart.

    >>> describe_pairs_inside(3, 2)
    'lie inside one cluster, with no line between the two, as if tied, though the rank ranges of 2 of them lie apart'
    """
    if not inside:
        return "lie inside one cluster"
    but = "" if not inside_apart else ", though their rank ranges lie apart" if inside == inside_apart else \
        f", though the rank ranges of {inside_apart} of them lie apart"
    return f"{'lies' if inside == 1 else 'lie'} inside one cluster, with no line between the two, as if tied{but}"


def describe_agreement(pairs: Sequence[PairAcross]) -> str:
    """On how many pairs of systems metrics say the same, as a part of a sentence.

    >>> describe_agreement([PairAcross("A", "B", (1.0, 2.0), (1, 1)), PairAcross("A", "C", (1.0, 2.0), (0, 0), False)])
    'alike on 1 of 1 pair, opposite on 0; 1 more cannot be decided with so few trials or units'
    """
    kinds = Counter(pair.kind for pair in pairs)
    n, lost = kinds.total() - kinds[UNDECIDED], kinds[UNDECIDED]
    if lost and not n:
        return f"{'the pair' if lost == 1 else f'all {lost:,} pairs'} {FEW}"
    return (f"alike on {kinds[AGREE]:,} of {format_count(n, 'pair')}, opposite on {kinds['opposite']:,}"
            + (f"; {lost:,} more {FEW}" if lost else ""))
