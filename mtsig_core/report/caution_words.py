"""How cautions and assumptions are written: templates, phrases that reports share, and lists.

`caution_kinds` has the words of each code. The command line, the pages and Python each add their
own names of the remedies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from string import Formatter
from typing import Any

from mtsig_core.caution import Assumption, Caution
from mtsig_core.errors import Remedy, choose_verb, format_count
from mtsig_core.grouping import group_values
from mtsig_core.metrics import metric_title
from mtsig_core.report.commands import defaults
from mtsig_core.report.holdings import Gap
from mtsig_core.results import Comparison, MetricResult, Settings, TaskInfo, TestSetInfo
from mtsig_core.schema import to_plain
from mtsig_core.score_names import pick_human_scores
from mtsig_core.stats.few_units import (
    count_most_units,
    differing_unit,
    fewest_units,
    find_shortage,
)

HUMAN_SCORES = "human scores"

# -------------------------------------------------------------------------------------------------
# Templates.


def list_names(names: Sequence[str], most: int = 4) -> str:
    """Write the first of some names as an English list, and the number of the others.

    >>> list_names("ABC"), list_names("ABCDEFG")
    ('A, B and C', 'A, B, C, D and 3 others')
    """
    listed = list(names)
    n_more = len(names) - most
    if n_more > 1:
        listed = [*names[:most], f"{n_more} others"]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def _list_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return list_names([f"{a} - {b}" for a, b in pairs])


def _list_weights(weights: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights)


def _list_ranges(scores: Sequence[tuple[str, float, float]]) -> str:
    return ", ".join(f"{name} ({low:g} to {high:g})" for name, low, high in scores)


_LISTS: dict[str, Callable[[Any], str]] = {
    "names": list_names,
    "all": ", ".join,
    "pairs": _list_pairs,
    "weights": _list_weights,
    "ranges": _list_ranges,
}


class Template(Formatter):
    """Python's templates with formats for lists, counts and choices; a list counts as its length.

    >>> fill_template("{n:#pair} {n:is|are} open{why:? for {why}}", n=2, why="good")
    '2 pairs are open for good'
    >>> fill_template("{n:#{unit}} {n:is|are} open{why:? for {why}}: {names:names}", n=1, why=None, unit="block", names="AB")
    '1 stationary block is open: A and B'
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a value by one of the formats of templates."""
        is_optional = format_spec.startswith("?")  # written only if there is such a thing
        if value is None or (is_optional and not value):
            return ""
        if is_optional:
            return format_spec[1:]
        if format_spec in _LISTS:
            return _LISTS[format_spec](value)
        n = value
        if isinstance(value, list | tuple):
            n = len(value)
        if format_spec.startswith("#"):
            noun = format_spec[1:]
            return format_count(n, "stationary block" if noun == "block" else noun)
        if "|" in format_spec:  # one or many, true or false
            singular, plural = format_spec.split("|")
            if n == 1:
                return singular
            return plural
        return str(super().format_field(value, format_spec))


def fill_template(template: str, **names: Any) -> str:
    """Fill a template with names."""
    return Template().vformat(template, (), names)


# -------------------------------------------------------------------------------------------------
# Phrases that cautions share with reports and pages.


def name_metric(metric: str) -> str:
    """Return the name of a metric within a sentence.

    >>> name_metric("bleu"), name_metric("human"), name_metric("esa")
    ('BLEU', 'human scores', 'human scores (esa)')
    """
    if not pick_human_scores([metric]):
        return metric_title(metric)
    if metric == "human":
        return HUMAN_SCORES
    return f"{HUMAN_SCORES} ({metric_title(metric)})"


def is_corrected(correction: str, n_pairs: int) -> bool:
    """Return whether the p that decides is corrected; a single pair needs no correction."""
    return n_pairs > 1 and correction != "none"


def p_word(correction: str, n_pairs: int = 2) -> str:
    """Return the name of the p-value that decides."""
    if is_corrected(correction, n_pairs):
        return "adjusted p"
    if n_pairs == 1:
        return "p"
    return "p (uncorrected)"


def advise_trust(
    unlike: Sequence[tuple[str, str]],
    n_others: int,
    ratio: float | None,
    needed: int | None,
    unit: str,
) -> str:
    """Write what to trust if decision and interval differ; see `stats.cautions.trusted`."""
    if needed is not None:
        return fill_template(
            "With fewer than {needed:#{unit}} of similar size this test rejects too often. Use the randomization "
            "test instead.",
            needed=needed,
            unit=unit,
        )
    if not unlike:
        return "Report the test."
    return fill_template(
        "For {unlike:pairs} p is too small, because the outputs are very different. Use the interval there (resamples "
        "vary up to {ratio:.2f} times as much as permutations).{n:? Report the test for the other {n:#pair}.}",
        unlike=unlike,
        ratio=ratio,
        n=n_others,
    )


def describe_hidden(n_inside: int, n_reversed: int, n_only_by_rule: int) -> list[str]:
    """Describe what ranks by a rule hide, in sentences.

    >>> describe_hidden(3, 0, 1)
    ['Here 3 significant pairs share a cluster.', 'It separates 1 pair without a significant difference.']
    """
    templates = {
        "Here {n:#significant pair} {n:shares|share} a cluster.": n_inside,
        "{n:#pair} {n:is|are} ranked the wrong way round, the significantly worse system first.": n_reversed,
        "It separates {n:#pair} without a significant difference.": n_only_by_rule,
    }
    return [fill_template(template, n=n) for template, n in templates.items() if n > 0]


def describe_rank_disagreement(
    undecided: bool, wary: Sequence[str], bold: Sequence[str], n_apart: int
) -> str:
    """Describe how decisions and ranks differ; see `stats.cautions.rank_disagreement`."""
    if undecided:
        return "no system can win or lose, though there are ranks"
    phrases = []
    if wary:
        phrases.append(
            "{wary:names} {wary:has|have} no significant loss, and {wary:is|are} not in the top group"
        )
    if bold:
        phrases.append(
            "{bold:names} {bold:has|have} a significant loss, and {bold:is|are} in the top group"
        )
    if n_apart:
        phrases.append(
            "{n_apart:#pair} of systems with separate rank ranges {n_apart:is|are} not significant"
        )
    return fill_template("; ".join(phrases), wary=wary, bold=bold, n_apart=n_apart)


def find_reason_undecided(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """Return why nothing can be decided, as a phrase; None if something can be."""
    if result.pairs and not result.tested:
        return f"no two systems have a segment in common with {metric_title(result.metric)} scores"
    shortage = find_shortage(settings, result, correction)
    if shortage is None:
        return None
    if shortage == "trials":
        return "too many pairs for so few trials"
    if shortage == "differences":
        unit = differing_unit(settings)
        return f"systems differ in too few {unit}s by {name_metric(result.metric)}"
    n_pairs = len(result.tested)
    for_pairs = ""
    if fewest_units(settings, 1) < fewest_units(settings, n_pairs, correction):
        for_pairs = f" for {n_pairs} pairs"
    n_units = count_most_units(result)
    units = fill_template("{n:#{unit}}", n=n_units, unit=settings.unit)
    return f"{units} {choose_verb(n_units, 'is', 'are')} too few{for_pairs}"


def explain_no_decision(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """Write that nothing can be decided, and why, in a short sentence; None if something can be."""
    reason = find_reason_undecided(settings, result, correction)
    if reason is None:
        return None
    return f"Cannot be decided: {reason}"


_WHY_NO_SEGMENT = {
    "canary": ", a canary",
    "canary or no reference": ", a canary or without a reference",
}


def describe_gap(gap: Gap) -> str:
    """Describe which lines are no segments, and why.

    >>> describe_gap(Gap(1, 3, "canary"))
    'line 1 and 2 more, a canary'
    """
    text = f"line {gap.first}"
    if gap.n > 1:
        text += f" and {gap.n - 1} more"
    return text + _WHY_NO_SEGMENT.get(gap.why or "", "")


# -------------------------------------------------------------------------------------------------
# Cautions as texts, with the remedies in the words of command line or page.


def caution_record(caution: Caution) -> dict[str, Any]:
    """Return a caution for JSON, with its facts and its words."""
    return {
        "code": caution.code,
        "text": caution.text,
        "metric": caution.metric,
        "a": caution.a,
        "b": caution.b,
        "remedies": caution.remedies,
        "here": caution.here,
        "advice": caution.advice,
        "facts": caution.facts,
    }


def caution_texts(comparison: Comparison) -> list[str]:
    """Return the texts of a comparison's cautions, each with its metric if there are several."""
    has_several = len(comparison.metrics) > 1
    return [_prefix(caution, has_several) + caution.text for caution in comparison.warnings]


def _prefix(caution: Caution, has_several: bool) -> str:
    if not has_several or caution.metric is None or caution.kind.names_metric:
        return ""
    return f"{metric_title(caution.metric)}: "


def group_by_kind(
    cautions: Iterable[Caution],
) -> dict[tuple[str, str | None], list[Caution]]:
    """Return cautions by code and metric."""
    return group_values((caution, (caution.code, caution.metric)) for caution in cautions)


def list_remedies(cautions: Iterable[Caution]) -> list[Remedy]:
    """Return the remedies of some cautions, each once."""
    remedies: dict[str, Remedy] = {}
    for caution in cautions:
        remedies |= {str(remedy): remedy for remedy in caution.remedies}
    return list(remedies.values())


def group_cautions(
    cautions: Iterable[Caution],
    most: int = 3,
    several: bool = False,
    say: Callable[[Sequence[Remedy]], str] | None = None,
) -> list[list[str]]:
    """Return the texts of cautions, a list for each kind and metric.

    Beyond `most` of a kind, only their number is written. If there are `several` metrics, each text
    begins with the metric that it is about. `say` writes remedies; its words end the last text of a
    kind.
    """
    groups = []
    for group in group_by_kind(cautions).values():
        listed = group[:most]
        texts = []
        for caution in listed:
            text = caution.text
            if caution is not listed[-1] and caution.advice == listed[-1].advice:
                text = caution.finding
            texts.append(_prefix(caution, several) + text)
        if len(group) > most:
            texts.append(f"... and {len(group) - most} more of this kind.")
        if say is not None:
            texts[-1] = f"{texts[-1]} {say(list_remedies(listed))}".rstrip()
        groups.append(texts)
    return groups


def fit_remedies_to_task(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the cautions of a language pair with the remedies that tasks have, so no tokenizer."""
    task_settings = {"metrics", "exclude", *defaults("task")}
    fitted = []
    for caution in cautions:
        remedies = tuple(remedy for remedy in caution.remedies if remedy.keys() <= task_settings)
        fitted.append(replace(caution, remedies=remedies))
    return fitted


# -------------------------------------------------------------------------------------------------
# What was assumed or left out as files were read.


def with_remedy(assumption: Assumption) -> str:
    """Write an assumption, and what to do about it."""
    return f"{assumption.words.general} {assumption.words.advice}".rstrip()


def list_assumptions(
    assumed: Iterable[Assumption], metrics: Iterable[str], remedies: bool = False
) -> list[str]:
    """Write what was assumed of these metrics as files were read, and what was left out.

    With `remedies`, also write what to do about it.
    """
    metrics = set(metrics)
    sentences = []
    for assumption in assumed:
        if assumption.metric is not None and assumption.metric not in metrics:
            continue
        sentence = assumption.text
        if remedies:
            sentence = with_remedy(assumption)
        sentences.append(sentence)
    return sentences


def assumed_record(assumed: Iterable[Assumption]) -> dict[str, Any]:
    """Return for JSON the sentences, and the assumptions behind them."""
    assumed = list(assumed)
    sentences = [assumption.text for assumption in assumed]
    return {"assumed": sentences, "assumptions": to_plain(assumed)}


def info_record(info: TestSetInfo | TaskInfo) -> dict[str, Any]:
    """Return the record of a test set or a task for JSON."""
    record = {**to_plain(info), **assumed_record(info.assumed)}
    if not record.get("progress"):
        record.pop("progress", None)
    return record
