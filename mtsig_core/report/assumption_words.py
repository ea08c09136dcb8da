"""The words of what was assumed or excluded as files were read: for each code a template of its facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import format_count
from mtsig_core.results import TaskInfo, TestSetInfo
from mtsig_core.schema import to_plain
from mtsig_core.testset import Gap

#: By code, filled with the facts; a list is its items, and `direction` says whether higher or lower is better.
ASSUMPTION_TEMPLATES = {
    "direction-open": "Excluded: {scores}. Neither name nor range shows whether higher is better.",
    "direction-told": "{metric}: {direction}, as given.",
    "direction-known": "{metric}: {direction}, judging by its name and its scores ({low:.3g} to {high:.3g}).",
    "direction-default": "{metric}: higher is better, by default.",
    "ratings": "{metric}{of}: {n_ratings:,} ratings by {n_raters} raters, {per_segment:.3g} for each system and "
               "segment.{agreement_of_raters}{excluded}",
    "ratings-as-segments": "{metric}: each rating is a segment of its own. Two systems are compared on the ratings of "
                           "the same rater.",
    "mqm-weights": "{metric}: an error weighs {weights}. The most specific weight counts.",
    "ratings-adjusted": "{metric}: adjusted for {n_raters} raters by least squares: rating = system + segment + rater. "
                        "The effects of raters have a standard deviation of {effects_sd:.3g}. Assumed: each rater is "
                        "equally strict with all systems.",
    "withdrawn": "Excluded: {names}. {table}, the task's table of systems, marks them as withdrawn.",
    "no-reference": "Excluded: {segments} without a reference, the first is segment {segment} of the document "
                    "{document}.",
    "lines-from-zero": "{file} counts lines from 0. Here they are counted from 1: its line 0 is line 1.",
    "names-of-outputs": "Excluded from {place}: {files}{more}. Outputs have names such as NAME.txt or NAME.txt.gz.",
    "pair-without-output": "Excluded: {pair}, which has references but no output.",
    "pair-without-reference": "Excluded: {pair}, which has outputs but no reference.",
    "no-language-pair": "Excluded: {name}, which is not a language pair such as en-de or en-pt-BR.",
    "references-of-others": "{pair} does not have the chosen references {names}. It is scored with {used}.",
    "as-written": "{text}",
}
#: What to do about it, for a screen and no paper.
REMEDIES = {
    "direction-open": "Give --higher-is-better NAME or --lower-is-better NAME, to mtsig serve or to the command.",
    "withdrawn": "--keep-withdrawn keeps them.",
}
#: Why lines are no segments.
_WHY = {"canary": ", a canary", "canary or no reference": ", a canary or without a reference"}


def fill(template: str, assumption: Assumption) -> str:
    """A template with the facts of an assumption."""
    names: dict[str, Any] = {name: ", ".join(map(_describe, value)) if isinstance(value, tuple) else value
                             for name, value in assumption.facts.items()}
    if "higher" in names:
        names["direction"] = f"{'higher' if names['higher'] else 'lower'} is better"
    if "left_out" in names:
        counts = [f"{n:,} {why}" for why, n in names["left_out"].items() if n]
        names["excluded"] = f" Excluded: {', '.join(counts)}." if counts else ""
    if "agreement" in names:
        names["agreement_of_raters"] = "" if names["agreement"] is None else (
            f" Agreement of raters: Krippendorff's alpha {names['agreement']:.2f}.")
    if "langpair" in names:
        names["of"] = f", {names['langpair']}" if names["langpair"] else ""
    if "n" in names:
        names["segments"] = format_count(names["n"], "segment")
        names["more"] = ", ..." if names["n"] > len(assumption.facts.get("files", ())) else ""
    return template.format_map(names)


def _describe(item: Any) -> str:
    """An item of a list: a name, a name with a number, or scores with their range."""
    return item if isinstance(item, str) else ("{} {:g}" if len(item) == 2 else "{} ({:g} to {:g})").format(*item)


def with_remedy(assumption: Assumption) -> str:
    """The words, with what to do."""
    return " ".join(filter(None, [assumption.text, REMEDIES.get(assumption.code)]))


def list_assumptions(assumed: Iterable[Assumption], metrics: Iterable[str], remedies: bool = False) -> list[str]:
    """Sentences: what was assumed of these metrics when a test set or a task was read, and what was left out then; with
    `remedies`, also what to do about it."""
    metrics = set(metrics)
    return [("" if one.metric is None or one.kind.is_counted else "Assumed: ")
            + (with_remedy(one) if remedies else one.text)
            for one in assumed if one.metric is None or one.metric in metrics]


def assumed_record(assumed: Iterable[Assumption]) -> dict[str, Any]:
    """For JSON: the sentences, and what they are made of."""
    assumed = list(assumed)
    return {"assumed": [one.text for one in assumed], "assumptions": to_plain(assumed)}


def info_record(info: TestSetInfo | TaskInfo) -> dict[str, Any]:
    """What JSON has of a test set or a task."""
    return {**to_plain(info), **assumed_record(info.assumed)}


def restore_assumed(record: object) -> object:
    """The fields of a `TestSetInfo` from what `info_record` made, which may be anything; of an older version, the
    sentences are all there is."""
    if not isinstance(record, dict) or not isinstance(record.get("assumed", []), list):
        return record
    sentences = [{"code": "as-written", "facts": {"text": text}} for text in record.get("assumed", [])]
    return record | {"assumed": record.get("assumptions", sentences)}


def describe_gap(gap: Gap) -> str:
    """Which lines are no segments, and why.

    >>> describe_gap(Gap(1, 3, "canary"))
    'line 1 and 2 more, a canary'
    """
    return f"line {gap.first}{f' and {gap.n - 1} more' if gap.n > 1 else ''}{_WHY.get(gap.why or '', '')}"
