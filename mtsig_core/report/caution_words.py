"""The words of warnings and of assumptions: for each code a template of what happened, why it
matters, what to do.

The command line, the pages and Python each add their own names of the remedies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from string import Formatter
from typing import Any, NamedTuple

from mtsig_core.caution import Assumption, Caution
from mtsig_core.errors import Remedy, choose_verb, format_count
from mtsig_core.languages import SPACELESS
from mtsig_core.metrics import metric_title
from mtsig_core.report.commands import defaults
from mtsig_core.results import Comparison, MetricResult, Settings, TaskInfo, TestSetInfo
from mtsig_core.schema import to_plain
from mtsig_core.score_names import pick_human_scores
from mtsig_core.stats.few_units import (
    FEW_UNITS,
    count_most_units,
    differing_unit,
    fewest_units,
    find_shortage,
)
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from mtsig_core.testset import Gap, name_as_system


class Words(NamedTuple):
    """The parts of a warning: the general problem, its facts in this comparison, and what to do."""

    general: str
    here: str = ""
    advice: str = ""


_OUT_OF_ORDER = "from about line {first:,} to line {last:,}, they fit other lines of the reference as well or better"
_MARKED = "{n:,} of {n_lines:,} inspected lines {marked}"
_SO_FEW = (
    "{bootstrap:the chance that all favour the same of two equal systems|the smallest possible p}"
)
_IN_TOP_GROUP = ", though it is in the top group by simultaneous rank ranges"

HUMAN_SCORES = "human scores"

#: By code, filled by `_Template` with the facts, `a`, `b`, `metric`, its title `by`, its name in a
#: sentence `measure`, and what `_DERIVED` adds.
_OTHER_CHARACTERS = "{systems:names} {systems:writes|write} {what} in other characters than the references{example}."
_WRITTEN_ALIKE = "If both were written alike, the {score_name} of {worst} would be {after:.2f} instead of {before:.2f}."

TEMPLATES: dict[str, Words] = {
    # Outputs and references that are hardly the right files.
    "is-source": Words(
        "The output of {a} is the source, untranslated.", advice="Check that it is the right file."
    ),
    "other-script": Words(
        "The output of {a} looks like {language}, and the references look like {expected}.",
        advice="Check that it belongs to this language pair.",
    ),
    "other-order": Words(
        f"The lines of {{a}} do not follow the order of reference {{reference}}: {_OUT_OF_ORDER}{{shift:?, most of "
        "them shifted by {shift:+,} lines}.{same_as:? They are the lines of {same_as} "
        "in another order.} Its score compares lines that do not belong together. It does not show how good the "
        "system is.",
        advice="Restore the order of the lines (was one lost, added or sorted?), and score again.",
    ),
    "reference-order": Words(
        f"The lines of reference {{reference}} are not in the order of the systems' lines: {_OUT_OF_ORDER}. Scores "
        "compare lines that do not belong together.",
        advice="Restore the order of the reference, or of all outputs, and score again.",
    ),
    "marked-lines": Words(
        f"{{a}}: {_MARKED}, and the references do not. Example: '{{example}}'. Metrics score this as text, so the "
        "score of {a} may be wrong.",
        advice="{clean} the output, and score again.",
    ),
    "marked-reference": Words(
        f"Reference {{reference}}: {_MARKED}, and the outputs do not. Example: '{{example}}'. Metrics score this as "
        "text, so all scores may be wrong.",
        advice="{clean} the reference, or score with another reference.",
    ),
    "faulty-lines": Words(
        "{fault} Metrics score these segments as they are, so the score of {a} may be wrong.",
        advice="{mend}",
    ),
    "few-faulty-lines": Words("{fault}", advice="{mend}"),
    "other-characters": Words(_OTHER_CHARACTERS, _WRITTEN_ALIKE, "{mend}"),
    "some-characters": Words(_OTHER_CHARACTERS, _WRITTEN_ALIKE, "{mend}"),
    "other-chinese": Words(
        "{a} is in {ours} Chinese characters, and the references are in {theirs} ones. Metrics count the same word in "
        "other characters as wrong.",
        advice="Convert the output to {theirs} characters, and score again.",
    ),
    "made-from-output": Words(
        "{a} equals reference {reference} in {n:,} of {n_lines:,} segments that are not short; the next system, "
        "{next_system}, does in {n_next:,}. The reference may be an edited output of {a}, which every metric would "
        "then favor.",
        advice="{has_others:Score with another reference.|Use a reference that was made without machine "
        "translation, or exclude the system.}",
    ),
    # Texts.
    "canary": Words(
        "The documents file marks line {line} as a canary, which is there to be found and not to be "
        "translated. The line is scored like any other.",
        advice="Remove it from all files.",
    ),
    "documents-in-domains": Words(
        "{documents:#document} of {n_documents:,} ({documents:names}) {documents:has|have} segments in more than one "
        "domain. Segments with the same id count as one document.",
        advice="Use each id once, and check that the domain comes first (domain<TAB>docid).",
    ),
    "all-empty": Words(
        "{role} {a} has no text: all {n:,} segments are empty.", advice="Check the file."
    ),
    "empty-lines": Words(
        "{role} {a} has {n:#empty segment} of {n_present:,}, the first at line {line}. Metrics score "
        "them as empty.",
        advice="Check that no text was lost.",
    ),
    "odd-length": Words(
        "{a} has {ratio:.2f} times the characters of reference {reference}.",
        advice="Check the language and the file.",
    ),
    "one-system": Words(
        "{a} is the only system: its score and interval are given, and there is no pair to test."
    ),
    "tokenizer-missing": Words(
        "{by} scores are missing for {pair}: the tokenizer {tokenizer} needs a package that is not installed.",
        advice="Install it with: pip install {package}.",
    ),
    "tokenizer-and-script": Words(
        "The references look {language}, and the tokenizer {tokenizer} does not cut {language} into words. The "
        "{by} scores differ from what others report, and the order of the systems may be wrong.",
        advice="Use {terms}.",
    ),
    # Units and the test.
    "no-documents": Words(
        "Segments are treated as independent because there are no document ids. Neighbouring segments are often alike, "
        "so intervals may be too narrow and p-values too small.",
        advice="Add document ids ({has_texts:a documents file|a column docid}), or test blocks of neighbouring "
        "segments.",
    ),
    "one-segment-documents": Words(
        "Each of the {n:,} segments has a document id of its own, so segments are treated as independent. Neighbouring "
        "segments are often alike; then intervals are too narrow and p-values too small.",
        advice="Check that these are ids of documents, not of segments.",
    ),
    "copied-segments": Words(
        "Segments occur more than once and count as independent, so intervals are too narrow and p-values too small.",
        "{n:,} of {n_segments:,} segments {n:repeats|repeat} the {same} of an earlier segment{elsewhere} (line "
        "{line:,} repeats line {first_line:,}). The {n_units:#{unit}} {n_units:is|are} worth about {worth:.0f}.",
        "Remove the copies, or give each copy the document id of its original.",
    ),
    "blocks-for-documents": Words(
        "Blocks of neighbouring segments replace documents because there are no document ids.",
        advice="Add document ids if you have them.",
    ),
    "documents-ignored": Words(
        "Segments are the unit although document ids are known. Segments of one document are alike, so "
        "intervals may be too narrow and p-values too small.",
        "{se_ratio:?Here standard errors of differences by document are {se_ratio:.2f} times those by segment (median "
        "over pairs).}",
        "{enough:Test by document.|Add documents: with only {n_documents:,} a test by document decides nothing.}",
    ),
    "few-units": Words(
        "There {n:is|are} only {n:#{unit}}{metric:? with {by} scores} to resample{unequal:?, and because their "
        f"sizes differ, they count as about {{worth:.0f}}}}. {{has_interval:Intervals and p-values are rough below "
        f"{FEW_UNITS}|There is no interval with fewer than {LEAST_UNITS}}}.",
        advice="Add {added}s, or read the results with care.",
    ),
    "test-as-published": Words(
        "The test: {test.title} ({test.source}). {test.caution}", advice="{test.instead}"
    ),
    "test-assumes": Words(
        "The test: {test.title} ({test.source}). {test.caution}", advice="{test.instead}"
    ),
    "test-needs-units": Words(
        "The test: {test.title} ({test.source}). {test.with_few}", advice="{test.with_few_instead}"
    ),
    "skewed-system": Words(
        "By {measure}, a few {unit}s set {systems:names} apart from nearly all other systems. On such data the test "
        "calls equal systems different too often{rate:?: in {rate} of test sets instead of 5%}.",
        "{n_far:,} of {n:#{unit}} {n_far:carries|carry} {percent:.0f}% of the spread of {first}{named:? ({named:names})"
        "}. {first} is {is_worse:worse|better} there.{other_test}",
        "Look at these {unit}s: is the output complete?",
    ),
    # References, and several metrics.
    "reference-among-systems": Words(
        "The output of {a} is reference {reference}, word for word, so no translation can beat it.",
        advice="Exclude {a}{has_others:?, or score with the other references only}.",
    ),
    "references-disagree": Words(
        "The references do not agree on the top group by {measure}.",
        "With all references: {top_group:names}. {leaders}.",
        "Choose the reference that counts, or report the result by each.",
    ),
    "several-metrics": Words(
        "{n} metrics were compared, and the correction covers only the pairs of each metric.",
        advice="Choose the metric that counts beforehand, or report all.",
    ),
    "top-groups-differ": Words(
        "The metrics do not name the same top group.", "Top groups: {named}."
    ),
    "one-metric": Words("Only {by} was used. Another metric may decide otherwise."),
    "which-metric": Words(
        "The task does not say which metric decides, and it has no human scores. {metric} is the default of "
        "{n_metrics} metrics.",
        advice="Choose the metric that decides, or name it in the first line of systems.tsv: # metric: NAME.",
    ),
    "against-people": Words(
        "{by} orders most pairs of systems otherwise than {human} (pairwise accuracy "
        "{accuracy:.3f}). {meaning}"
    ),
    # Scores that came with the test set, and what a metric cannot tell apart.
    "depends-on-size": Words(
        "{by} takes its weights from the references of the test set, so its scores grow with the "
        "size of the set.",
        advice="Compare them only on these {n_segments:,} segments.",
    ),
    "ratings-alone": Words(
        "{names:names} {names:has|have} only ratings and no {by} score: a reference is not scored "
        "against itself."
    ),
    "ratings-of-references": Words(
        "{n:#{metric} score} of {name} {n:is|are} not used, because it is a human "
        "translation and not a system.",
        advice="To rank it as {as_system}, let references take part as systems.",
    ),
    "not-rated": Words(
        "{names:#system} of {n_systems:,} {names:has|have} no {metric} score and {names:is|are} "
        "excluded there: {names:all}."
    ),
    "partly-rated": Words(
        "{metric} has scores for {n:,} of {n_segments:,} segments.",
        advice="Its results hold for these segments only; results of other metrics may cover all.",
    ),
    "raters-favour-systems": Words(
        "Raters favour some systems, beyond how strict they are and how wide a scale they use (p = {p:.3f}). {metric} "
        "assumes that each rater is equally strict with all systems, so a difference can come from who rated.",
        advice="Have the same raters rate all systems. Report this test with the result.",
    ),
    "few-rater-links": Words(
        "Few ratings link {a} and {b}, worth {worth:.2g} documents of equal weight. The standard error of their "
        "difference in {metric} is about {widening:.2g} times too wide, so a test finds less.",
        advice="Have more documents of both systems rated by the same raters.",
    ),
    "rated-on-different-lines": Words(
        "Each system has {metric} scores on {low:,}{differ:? to {high:,}} segments, not all on the same, so their "
        "means are of different segments.",
        advice="{compared:?Go by the differences of pairs, which are on the segments that both have.}",
    ),
    "cannot-tell-apart": Words("{cause}. {consequence}.", advice="{help}"),
    # The family of pairs.
    "too-few-units": Words(
        f"With {{n:#{{unit}}}} {_SO_FEW} is {{least:.3g}}{{least_adjusted:? ({{least_adjusted:.3g}} after "
        "{correction} over {m:,} pairs)}, and no pair can be significant at alpha {alpha:g}, however large the "
        "difference. That does not make any systems equal.",
        advice="{more_units}",
    ),
    "cannot-plan": Words("Cannot be decided with {n:#{unit}}.", advice="{more_units}"),
    "family-too-large": Words(
        "{m:,} pairs are too many for {trials:,} permutations or resamples. After {correction} even the smallest p, "
        "{least:.2g}, is above alpha, so no pair can be significant.",
        advice="Use {needed:,} or more{romano_wolf:?, or the Romano-Wolf correction}.",
    ),
    "not-equal": Words(
        "{own_test:?By {own_test}, }{n:,} of {m:#pair} {n:shows|show} no significant difference. That does not make "
        "the systems equal{mdd:?: this test set finds a true difference of {mdd:.3g} points 8 times in 10{m:|, before "
        "correction}, and smaller ones less often}.{n_undecidable:? "
        "Of these, {n_undecidable:#pair} cannot be decided, however large the difference.}"
    ),
    "interval-and-decision": Words(
        "{n_open:?{n_open:#pair} {n_open:is|are} not significant although 0 is outside the interval. }{n_significant:?"
        "{n_significant:#pair} {n_significant:is|are} significant although 0 is inside the interval. }Intervals and "
        "decisions come from different methods{jointly:|, and each interval is for its own pair only}.",
        advice="{whom_to_trust}",
    ),
    "split-decision": Words(
        "Test and scores disagree by {measure} in {pairs:#pair} of {m:,}: {test.statistic} favour one system, and the "
        "difference of the scores does not. mtsig declares neither system better there.",
        "Disagreeing: {pairs:pairs}.",
        "A few segments with large differences can cause this. Look at them, or test the difference of the scores with "
        "the randomization test.",
    ),
    # Ranks.
    "rank-rule-of-ratings": Words(
        "Ranked {rule.title}, each rating is a segment of its own. Here {metric} has {per_segment:.3g} ratings of each "
        "system and segment, and their mean counts. So ranks can differ from those that the task printed.",
        advice="Take each rating as a segment.",
    ),
    "domains-of-systems": Words(
        "Ranked {rule.title}, the score of a system is its mean over domains. {systems:names} {systems:lacks|lack} "
        "{metric} scores of some domains ({domains:all}), which can raise or lower {systems:its|their} score and rank.",
        advice="Exclude {systems:it|them}, or rank by simultaneous rank ranges, which compare two systems on the same "
        "segments.",
    ),
    "rank-rule": Words("Ranks {rule.title}: {ignored}.", "{hidden}"),
    "ranks-and-correction": Words(
        "Rank ranges and the top group are always corrected for all pairs, here by {own}. Wins, losses and decisions "
        "{follow}, so the two may differ.",
        "{differ:?Here {differing}.}",
    ),
    # What a review decides, and what the numbers say of it.
    "declared-not-compared": Words(
        "{pair}: {a} is declared first, but was not compared there by {measure}."
    ),
    "declared-without-ranks": Words(
        "{pair}: {a} is declared first, but no system is ranked there by {measure}{why:? ({why})}, so the numbers "
        "neither support that nor speak against it."
    ),
    "declared-not-first": Words("{pair}: {a} is declared first, but {not_first} by {measure}."),
    "top-group-not-declared": Words(
        "{pair}: {systems:all} {systems:is|are} in the top group there too by {measure}, and the numbers do not decide "
        "between systems of the top group."
    ),
    # Single pairs.
    "identical-outputs": Words("{a} and {b} have identical outputs."),
    "identical-scores": Words(
        "{a} and {b} have identical {by} scores on {n:the only|all} {n:#segment}."
    ),
    "no-common-line": Words(
        "{a} and {b} cannot be compared: no segment has {by} scores of both, so their "
        "scores are means over different segments.",
        advice="Have both rated on the same segments.",
    ),
    "too-few-common-units": Words(
        "Only {n:#{unit}} {n:has|have} {by} scores of both {a} and {b}. With so few no "
        "difference can be significant.",
        advice="Have more {unit}s rated for both.",
    ),
    "few-common-lines": Words(
        "{a} and {b} are compared only on the {n:#segment} with scores of both{n_documents:? in "
        "{n_documents:#document}}{unequal:?, which vary in size and count as about {worth:.0f}}. The interval and p "
        "are rough."
    ),
    "few-differences": Words(
        f"{{a}} and {{b}} differ by {{by}} in only {{n:,}} of {{n_all:#{{unit}}}}{{n_texts:? (their texts in "
        f"{{n_texts:,}})}}. The others do not show which is better: {_SO_FEW} is {{least:.2g}} from so few."
    ),
    "near-alpha": Words(
        "{a} against {b} is borderline: with {p_word} = {p:.3f}, another seed could change the result.",
        advice="Use more permutations or resamples.",
    ),
    "near-alpha-at-the-least-p": Words(
        "{n:#pair} {n:is|are} borderline, with the smallest p that {trials:,} permutations or resamples can give "
        "({p_word} = {p_high:.3f} at most). More could change the result.",
        advice="Use more permutations or resamples.",
    ),
    # Training runs.
    "training-runs": Words(
        "Scores are means over training runs. P-values, intervals and ranks hold for these runs only, because a unit "
        "is swapped or resampled for all runs of a system at once. The SD between runs shows what another training "
        "could change. With {n} runs it is rough: its {percent:g}% CI is {low:.2f} to {high:.3g} times the estimate."
    ),
    "single-run": Words(
        "{names:all} {names:has a single training run|have single training runs}, so how much another "
        "training would change the score is unknown.",
        advice="Give further outputs as runs.",
    ),
    "identical-runs": Words(
        "{a} has training runs with identical outputs, as if one file were given twice. The SD "
        "between runs comes out too small.",
        advice="Remove the copy.",
    ),
    "runs-not-rated": Words(
        "{metric} has one score for each segment of a system, not one for each training run, so "
        "it says nothing about runs."
    ),
    "runs-may-turn": Words(
        "{a} - {b} is significant for these training runs. With the spread between runs, the "
        "difference is only {errors:.1f} standard errors, and {needed:.1f} are needed. Other runs "
        "may not show it.",
        advice="Train both again.",
    ),
    # Experiments.
    "few-units-in-parts": Words(
        "There are few {unit}s to resample: {sizes}. Intervals and p-values are rough below "
        f"{FEW_UNITS}."
    ),
    "too-few-units-in-parts": Words(
        "With so few {unit}s no pair can be significant at alpha {alpha:g}, however large "
        "the difference: {sizes}.",
        advice="Use at least {needed}.",
    ),
    "whole-undecided": Words(
        "No pair can be significant on the whole set either. A bootstrap within domains is no "
        "surer than a bootstrap of the domain with the fewest units.",
        advice="Use the randomization test.",
    ),
    "weights-of-domains": Words(
        "{by} of a domain takes its weights from the references of that domain only, as if "
        "the domain were scored on its own.",
        advice="Compare systems within a domain, not the scores of two domains, and none with "
        "the whole set.",
    ),
    "domains-without-scores": Words("Domains without {metric} scores are excluded: {domains:all}."),
}


# -- Filling the templates ------------------------------------------------------------------------


def list_names(names: Sequence[str], shown: int = 4) -> str:
    """Write the first of some names as an English list, and the number of the others.

    >>> list_names("ABC"), list_names("ABCDEFG")
    ('A, B and C', 'A, B, C, D and 3 others')
    """
    more = len(names) - shown
    listed = [*names[:shown], f"{more} others"] if more > 1 else [*names]
    return " and ".join(filter(None, [", ".join(listed[:-1]), *listed[-1:]]))


_LISTS: dict[str, Callable[[Any], str]] = {
    "names": list_names,
    "all": ", ".join,
    "pairs": lambda pairs: list_names([" - ".join(pair) for pair in pairs]),
}


class _Template(Formatter):
    """Python's templates with four more formats; a length stands for a list.

    >>> fill = _Template().format
    >>> fill("{n:#pair} {n:is|are} open{why:? for {why}}", n=2, why="good")
    '2 pairs are open for good'
    >>> fill("{n:#{unit}} {n:is|are} open{why:? for {why}}: {names:names}", n=1, why=None, unit="block", names="AB")
    '1 stationary block is open: A and B'
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return ""
        if format_spec in _LISTS:
            return _LISTS[format_spec](value)
        if format_spec.startswith("?"):  # where there is such a thing
            return format_spec[1:] if value else ""
        n = len(value) if isinstance(value, list | tuple) else value
        if format_spec.startswith("#"):
            noun = format_spec[1:]
            return format_count(n, "stationary block" if noun == "block" else noun)
        if "|" in format_spec:  # one or many, true or false
            return format_spec.split("|")[n != 1]
        return str(super().format_field(value, format_spec))


#: Facts that are names in a registry, and what a template has in place of them.
_NAMED: dict[str, Callable[[Any], Any]] = {
    "test": TESTS.__getitem__,
    "rule": RANK_RULES.__getitem__,
    **dict.fromkeys(("correction", "own"), lambda name: CORRECTIONS[name].title),
    **dict.fromkeys(
        ("language", "expected"), lambda name: SPACELESS.get(name, "a language with spaces")
    ),
}


def caution_words(caution: Caution) -> Words:
    """Return the words of a warning.

    >>> caution_words(Caution("identical-outputs", a="A", b="B")).general
    'A and B have identical outputs.'
    """
    names = {
        "a": caution.a,
        "b": caution.b,
        "metric": caution.metric,
        "by": metric_title(caution.metric or ""),
        "measure": name_metric(caution.metric or ""),
        **{
            key: _NAMED[key](value) if key in _NAMED else value
            for key, value in caution.facts.items()
        },
    }
    if "correction" in caution.facts:
        names["p_word"] = p_word(caution.facts["correction"])
    if caution.code in _DERIVED:
        names |= _DERIVED[caution.code](caution, **caution.facts)
    fill = _Template().vformat
    return Words(*(fill(part, (), names) for part in TEMPLATES[caution.code]))


def caution_record(caution: Caution) -> dict[str, Any]:
    """Return a warning for JSON, with its facts and its words."""
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


def name_metric(metric: str) -> str:
    """Return the name of a metric within a sentence.

    >>> name_metric("bleu"), name_metric("human"), name_metric("esa")
    ('BLEU', 'human scores', 'human scores (esa)')
    """
    if not pick_human_scores([metric]):
        return metric_title(metric)
    return HUMAN_SCORES if metric == "human" else f"{HUMAN_SCORES} ({metric_title(metric)})"


def is_corrected(correction: str, n_pairs: int) -> bool:
    """Return whether the p that decides is corrected; a single pair needs no correction."""
    return n_pairs > 1 and correction != "none"


def p_word(correction: str, n_pairs: int = 2) -> str:
    """Return the name of the p-value that decides."""
    return (
        "adjusted p"
        if is_corrected(correction, n_pairs)
        else "p"
        if n_pairs == 1
        else "p (uncorrected)"
    )


# -- What templates need in addition to the facts -------------------------------------------------


#: How often a test calls equal systems different where one of them is skewed; claims.md has the
#: simulations.
_SKEWED_RATES = {"ar": "6 to 13%", "bootstrap-t": "4 to 11%"}
_MARKS = {"start": "begin with", "end": "end with", "anywhere": "have"}
_CLEAN = {"marks": "Remove it from", "spaces": "Detokenize", "entities": "Unescape the HTML of"}
_UNCLEAN = {
    "spaces": "have a space before punctuation, as tokenized text has",
    "entities": "have HTML entities",
}
_DOUBTS = {
    "metric": "The metric is no guide to these systems.",
    "human scores": "The direction of {} may be wrong.",
    "direction": "Its direction ({} is better) may be wrong.",
}


def _describe_marks(
    caution: Caution, sort: str, marks: Sequence[tuple[str, str]], **_: Any
) -> dict[str, Any]:
    return {
        "clean": _CLEAN[sort],
        "marked": _UNCLEAN.get(sort)
        or " and ".join(f"{_MARKS[where]} '{mark}'" for where, mark in marks),
    }


#: By sort of fault: what is wrong with how many segments, and what to do.
_FAULTS = {
    "repeated": (
        "{a} has one output for {n:,} different segments of {n_lines:,}: '{example}'.",
        "Check for failed requests, and translate these segments again.",
    ),
    "copies": (
        "{a} repeats the source in {n:,} of {n_lines:,} segments. The first is segment {line}: '{example}'.",
        "Translate these segments, or check that they should stay as they are.",
    ),
    "entities": (
        "{a} has HTML entities in {n:,} of {n_lines:,} segments, where neither the source nor a reference has "
        "one. The first is segment {line}: '{example}'.",
        "Replace the entities with their characters.",
    ),
    "script": (
        "{a} is in another script than the references in {n:,} of {n_lines:,} segments. The first is segment "
        "{line}: '{example}'.",
        "Check these segments.",
    ),
}
#: By sort of characters: what is written, and what to do.
_CHARACTERS = {
    "composition": ("accented letters", "Normalize outputs and references to NFC."),
    "width": (
        "letters or digits",
        "Write letters and digits in half width in outputs and references.",
    ),
    "alphabet": ("words", "Write outputs and references in one alphabet."),
    "quotes": (
        "quotation marks",
        "Write them alike in outputs and references, if they should not count.",
    ),
}


def _describe_fault(caution: Caution, sort: str, **facts: Any) -> dict[str, Any]:
    fault, mend = _FAULTS[sort]
    return {"fault": fault.format(a=caution.a, **facts), "mend": mend}


def _describe_characters(
    _: Caution, sort: str, metric: str, line: int | None, ours: str, theirs: str, **facts: Any
) -> dict[str, Any]:
    what, mend = _CHARACTERS[sort]
    example = "" if line is None or ours == theirs else f" (segment {line}: {ours} for {theirs})"
    return {"what": what, "mend": mend, "score_name": metric_title(metric), "example": example}


def _describe_copies(
    caution: Caution, unit: str, has_sources: bool, has_references: bool, **_: Any
) -> dict[str, Any]:
    sides = []
    if has_sources:
        sides.append("source")
    if has_references:
        sides.append("reference")
    same = " and ".join(sides)
    return {"same": same, "elsewhere": " in another document" if unit == "document" else ""}


def _compare_with_studentised(
    caution: Caution,
    test: str,
    share: float,
    lost: Sequence[tuple[str, str]],
    n_found: int,
    n_other: int | None,
    **_: Any,
) -> dict[str, Any]:
    """What the studentised bootstrap says where it is not the test itself."""
    values = {"percent": 100 * share, "rate": _SKEWED_RATES.get(test), "other_test": ""}
    if n_other is None or not n_found + n_other:
        return values
    if lost:
        values["other_test"] = _Template().format(
            " The studentised bootstrap finds no significant difference in {lost:#pair} of {n:,} that {lost:is|are} "
            "significant here: {lost:pairs}.",
            lost=lost,
            n=n_found,
        )
    elif n_other == n_found:
        values["other_test"] = " The studentised bootstrap finds the same significant differences."
    else:
        values["other_test"] = (
            f" The studentised bootstrap finds {n_other:,} significant differences, and this test "
            f"{n_found:,}."
        )
    return values


def _list_leaders(
    caution: Caution, leads: Sequence[Mapping[str, Any]], n_segments: int, **_: Any
) -> dict[str, Any]:
    return {
        "leaders": ". ".join(
            f"With only {lead['reference']}"
            + (
                ""
                if lead["n_segments"] == n_segments
                else f" ({lead['n_segments']:,} of {n_segments:,} segments)"
            )
            + f": {list_names(lead['leaders'])}"
            for lead in leads
        )
    }


def _name_groups(caution: Caution, groups: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, Any]:
    return {
        "named": "; ".join(
            f"{list_names(group['systems'])} by {list_names([*map(name_metric, group['metrics'])])}"
            for group in groups
        )
    }


def _explain_no_difference(
    caution: Caution,
    systems: Sequence[str],
    score: str | None,
    reason: str | None,
    other: str | None,
    n_told: int,
    n_differ: int,
) -> dict[str, Any]:
    by, names = metric_title(caution.metric or ""), list_names(systems)
    cause = (
        f"{by} is {score} for {names} because {reason}"
        if score is not None
        else f"{by} is the same for {names} in every sample: their outputs differ only in what it does not count"
    )
    if len(systems) == 1:
        return {
            "cause": cause,
            "consequence": f"It cannot show how far {names} is from other systems",
            "help": "",
        }
    advice = (
        "No other metric can: the outputs are identical."
        if not n_differ
        else "None of chrF, TER and BLEU can tell them apart."
        if other is None
        else f"{metric_title(other)} can tell {'them' if n_told == n_differ else f'{n_told} of the {n_differ} pairs'} apart."
    )
    return {
        "cause": cause,
        "help": advice,
        "consequence": "It cannot tell them apart, and there is no smallest detectable difference",
    }


def _ask_for_units(caution: Caution, unit: str, needed: int, **_: Any) -> dict[str, Any]:
    settings = {name for remedy in caution.remedies for name in remedy}
    others = [", or use the Romano-Wolf correction"] * ("correction" in settings)
    others += [
        ", or test by segment, which takes segments of one document as independent, so that p may be too small"
    ] * ("unit" in settings)
    return {
        "more_units": f"Use at least {_Template().format('{:#{}}', needed, unit)}{''.join(others)}."
    }


def advise_trust(
    unlike: Sequence[tuple[str, str]],
    n_others: int,
    ratio: float | None,
    needed: int | None,
    unit: str,
) -> str:
    """Write whether to trust the decision or the interval where they differ; see
    `stats.cautions.trusted`.
    """
    fill = _Template().format
    if needed is not None:
        return fill(
            "With fewer than {:#{}} of similar size this test rejects too often: go by neither, and use the "
            "randomization test.",
            needed,
            unit,
        )
    if not unlike:
        return "Go by the decision."
    return fill(
        "Go by the interval of {unlike:pairs}. There p is too small: the outputs are so different that "
        "resamples vary up to {ratio:.2f} times as much as permutations.{n:? Go by the decision for the other "
        "{n:#pair}.}",
        unlike=unlike,
        ratio=ratio,
        n=n_others,
    )


def describe_hidden(inside: int, turned: int) -> str:
    """Describe what ranks by a rule hide: significant pairs inside one cluster, pairs ranked the
    other way round.

    >>> describe_hidden(3, 1)
    'Here 3 significant pairs share a cluster. 1 pair is ranked the wrong way round, the significantly worse system \
first.'
    """
    fill = _Template().format
    return " ".join(
        [
            *[fill("Here {0:#significant pair} {0:shares|share} a cluster.", inside)]
            * (inside > 0),
            *[
                fill(
                    "{0:#pair} {0:is|are} ranked the wrong way round, the significantly worse system first.",
                    turned,
                )
            ]
            * (turned > 0),
        ]
    )


def describe_rank_disagreement(
    undecided: bool, wary: Sequence[str], bold: Sequence[str], n_apart: int
) -> str:
    """Describe where decisions and ranks differ; see
    `mtsig_core.stats.cautions.rank_disagreement`.
    """
    if undecided:
        return "no system can win or lose, though there are ranks"
    fill, parts = _Template().format, []
    if wary:
        parts.append(
            fill(
                "{0:names} {0:has|have} no significant loss, and {0:is|are} not in the top group",
                wary,
            )
        )
    if bold:
        parts.append(
            fill("{0:names} {0:has|have} a significant loss, and {0:is|are} in the top group", bold)
        )
    if n_apart:
        parts.append(
            fill(
                "{0:#pair} of systems with separate rank ranges {0:is|are} not significant", n_apart
            )
        )
    return "; ".join(parts)


def _list_sizes(caution: Caution, parts: Mapping[str, int], **_: Any) -> dict[str, Any]:
    return {"sizes": ", ".join(f"{name} ({n:,})" for name, n in parts.items())}


_DERIVED: dict[str, Callable[..., dict[str, Any]]] = {
    **dict.fromkeys(("marked-lines", "marked-reference"), _describe_marks),
    **dict.fromkeys(("too-few-units", "cannot-plan"), _ask_for_units),
    **dict.fromkeys(("few-units-in-parts", "too-few-units-in-parts"), _list_sizes),
    "tokenizer-and-script": lambda _, tokenizer, better, **facts: {
        "terms": (
            f"chrF, or BLEU with the tokenizer {better[0]}"
            if tokenizer == "tercom"
            else f"the tokenizer {' or '.join(better)}"
        )
    },
    "few-units": lambda _, unit, n, worth, **facts: {
        "unequal": round(worth) != n,
        "added": "segment" if unit == "block" else unit,
    },
    "few-common-lines": lambda _, n_documents, worth, **facts: {
        "unequal": n_documents is not None and worth is not None and round(worth) != n_documents
    },
    "copied-segments": _describe_copies,
    "skewed-system": _compare_with_studentised,
    "references-disagree": _list_leaders,
    "top-groups-differ": _name_groups,
    "faulty-lines": _describe_fault,
    "few-faulty-lines": _describe_fault,
    "other-characters": _describe_characters,
    "some-characters": _describe_characters,
    "which-metric": lambda _, metrics: {"n_metrics": len(metrics)},
    "against-people": lambda _, human, higher_is_better, doubt, **facts: {
        "meaning": _DOUBTS[doubt].format(
            human if doubt == "human scores" else "higher" if higher_is_better else "lower"
        )
    },
    "ratings-of-references": lambda _, name, n: {"as_system": name_as_system(name)},
    "cannot-tell-apart": _explain_no_difference,
    "interval-and-decision": lambda _, trust, **facts: {"whom_to_trust": advise_trust(**trust)},
    "rank-rule": lambda _, rule, has_clusters, inside, turned, **facts: {
        "ignored": ", ".join(RANK_RULES[rule].ignores[:2]),
        "hidden": has_clusters and describe_hidden(inside, turned) or "",
    },
    "ranks-and-correction": lambda _, correction, for_all, differ, **facts: {
        "differing": describe_rank_disagreement(**differ) if differ else "",
        "follow": "are not corrected"
        if correction == "none"
        else f"follow {CORRECTIONS[correction].title}{'' if for_all else ', which does not cover all pairs'}",
    },
    "rated-on-different-lines": lambda _, low, high, **facts: {"differ": low < high},
    "not-equal": lambda _, decided_by=None, **facts: {
        "own_test": decided_by and TESTS[decided_by].title
    },
    "declared-not-first": lambda _, rule, in_top_group, **facts: {
        "not_first": (
            "is not in the top group"
            if rule == "simultaneous"
            else f"is not first when ranked {RANK_RULES[rule].title}{_IN_TOP_GROUP * in_top_group},"
        )
    },
    "training-runs": lambda _, level, **facts: {"percent": 100 * level},
}


# -- Warnings as texts, with what helps in the words of whoever shows them ------------------------


def caution_texts(comparison: Comparison) -> list[str]:
    """Return the texts of a comparison's warnings, each with its metric if there are several."""
    return [
        _prefix(caution, len(comparison.metrics) > 1) + caution.text
        for caution in comparison.warnings
    ]


def _prefix(caution: Caution, several: bool) -> str:
    return (
        f"{metric_title(caution.metric)}: "
        if several and caution.metric and not caution.kind.names_metric
        else ""
    )


def group_cautions(
    cautions: Iterable[Caution],
    shown: int = 3,
    several: bool = False,
    say: Callable[[Sequence[Remedy]], str] = lambda remedies: "",
) -> list[list[str]]:
    """Return the texts of warnings, a list for each kind and metric; beyond `shown` of a kind, only
    their number.

    Where there are `several` metrics, each text begins with the one that it is about; where it is
    known what helps, the last of a kind ends with what `say` makes of that.
    """
    kinds: dict[tuple[str, str | None], list[Caution]] = {}
    for caution in cautions:
        kinds.setdefault((caution.code, caution.metric), []).append(caution)
    groups = []
    for kind in kinds.values():
        last = kind[:shown][-1]  # has the advice of all that have the same
        texts = [
            _prefix(caution, several)
            + (
                caution.finding
                if caution is not last and caution.advice == last.advice
                else caution.text
            )
            for caution in kind[:shown]
        ]
        texts += [f"... and {len(kind) - shown} more of this kind."] if len(kind) > shown else []
        helps = {
            str(remedy): remedy for caution in kind[:shown] for remedy in caution.remedies
        }  # each once
        groups.append([*texts[:-1], f"{texts[-1]} {say([*helps.values()])}".rstrip()])
    return groups


def fit_remedies_to_task(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the warnings of a language pair with the remedies that a task has, so without a
    tokenizer.
    """
    can_be_told = {"metrics", "exclude", *defaults("task")}
    return [
        replace(
            caution, remedies=tuple(one for one in caution.remedies if one.keys() <= can_be_told)
        )
        for caution in cautions
    ]


# -- What cannot be decided -----------------------------------------------------------------------


def find_reason_undecided(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """Return why nothing can be decided, as a phrase; None if something can be."""
    if result.pairs and not result.tested:
        return f"no two systems have a segment in common with {metric_title(result.metric)} scores"
    lacks, m = find_shortage(settings, result, correction), len(result.tested)
    if lacks is None or lacks == "trials":
        return lacks and "too many pairs for so few trials"
    if lacks == "differences":
        return (
            f"systems differ in too few {differing_unit(settings)}s by {name_metric(result.metric)}"
        )
    several = (
        f" for {m} pairs"
        if fewest_units(settings, 1) < fewest_units(settings, m, correction)
        else ""
    )
    n_units = count_most_units(result)
    units = _Template().format("{:#{}}", n_units, settings.unit)
    return f"{units} {choose_verb(n_units, 'is', 'are')} too few{several}"


def explain_no_decision(
    settings: Settings, result: MetricResult, correction: str | None = None
) -> str | None:
    """Write that nothing can be decided, and why, in a short sentence; None if something can be."""
    why = find_reason_undecided(settings, result, correction)
    return why and f"Cannot be decided: {why}"


# -------------------------------------------------------------------------------------------------
# What was assumed or excluded as files were read: for each code a template of its facts.


#: By code, filled with the facts; a list is its items, and `direction` says whether higher or lower
#: is better.
ASSUMPTION_TEMPLATES = {
    "direction-open": "Excluded: {scores}. Neither name nor range shows whether higher is better.",
    "direction-told": "{metric}: {direction}, as given.",
    "direction-known": "{metric}: {direction}, judging by its name and its scores ({low:.3g} to {high:.3g}).",
    "direction-default": "{metric}: higher is better, because its name does not say otherwise.",
    "ratings": "{metric}{of}: {n_ratings:,} ratings by {n_raters} raters, {per_segment:.3g} for each system and "
    "segment.{agreement_of_raters}{excluded}",
    "ratings-as-segments": "{metric}: each rating is a segment of its own. Two systems are compared on the ratings of "
    "the same rater, or of the same slot (human1, human2).",
    "ratings-standardized": "{metric}: each score is less the mean of its rater, over the rater's standard deviation, "
    "as WMT22 ranked.",
    "mqm-weights": "{metric}: an error weighs {weights}. The most specific weight counts.",
    "ratings-adjusted": "{metric}: adjusted for {n_raters} raters by least squares: rating = system + segment + rater. "
    "The effects of raters have a standard deviation of {effects_sd:.3g}. Assumed: each rater is "
    "equally strict with all systems.",
    "rater-links": "{metric}{of}: ratings link {a} and {b} least. The ratings that compare them are worth "
    "{worth:.3g} of {n_documents:,} documents.",
    "rater-favour": "{metric}{of}: a sign-flip test {finds} that raters favour systems, beyond how strict each is and "
    "how wide a scale each uses (p = {p:.3f}). It finds favours with a standard deviation of "
    "{detectable:.2g} points half the time.",
    "rater-favour-untested": "{metric}{of}: not tested whether raters favour systems. {why}",
    "withdrawn": "Excluded: {names}. {table}, the task's table of systems, marks them as withdrawn.",
    "no-reference": "Excluded: {segments} without a reference, the first is segment {segment} of the document "
    "{document}.",
    "lines-from-zero": "{file} counts lines from 0. Here they are counted from 1: its line 0 is line 1.",
    "failed-judgements": "{metric}: {n_failed:,} scores of {mark:g} count as missing. All other scores are 0 or more.",
    "summary-rows": "Excluded from {file}: row {rows}, {what}.",
    "texts-aside": "Excluded from {file}: {columns}. By their names or values these columns are no outputs.",
    "numbers-aside": "Excluded from {file}: {columns}. By their values these columns are no outputs.",
    "outputs-unused": "Excluded: the outputs in {file}, which is given as a reference only.",
    "columns-aside": "Excluded from {file}: {columns}. By their names or values these columns are no systems.",
    "columns-renamed": "{metric}: the columns of {file} are read as systems: {columns}.",
    "line-ids": "Each line has an id, such as {example}. The texts are scored without them.{put_in_order}",
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
    "direction-default": "If lower is better, give --lower-is-better {metric}.",
    "texts-aside": "To score one of them, call the column as its system.",
    "numbers-aside": "If they are scores, call each column as its system and metric, such as A_COMET, and give the "
    "file by --scores too.",
    "outputs-unused": "To compare them, give the file by --system too.",
    "columns-aside": "To read them as systems, name all columns of systems: --columns 'systems=A|B', or systems=all.",
    "withdrawn": "--keep-withdrawn keeps them.",
    "ratings-standardized": "--scores raw=FILE takes the scores as they were given, as WMT23 ranked.",
}
#: Why lines are no segments.
_WHY = {"canary": ", a canary", "canary or no reference": ", a canary or without a reference"}

#: Why it is not tested whether raters favour systems.
_WHY_UNTESTED = {
    "size": "The test would take minutes for so many raters and systems.",
    "repeats": "These ratings cannot tell a favour from noise or from a rater's scale. That takes three systems or "
    "more, each rated by the same raters in several documents.",
    "power": "The ratings are too few: a test would miss favours with a standard deviation of {detectable:.2g} points "
    "half the time.",
}


def fill(template: str, assumption: Assumption) -> str:
    """A template with the facts of an assumption."""
    names: dict[str, Any] = {
        name: ", ".join(map(_describe, value)) if isinstance(value, tuple) else value
        for name, value in assumption.facts.items()
    }
    if "higher" in names:
        names["direction"] = f"{'higher' if names['higher'] else 'lower'} is better"
    if "left_out" in names:
        counts = [f"{n:,} {why}" for why, n in names["left_out"].items() if n]
        names["excluded"] = f" Excluded: {', '.join(counts)}." if counts else ""
    if "agreement" in names:
        names["agreement_of_raters"] = (
            ""
            if names["agreement"] is None
            else (f" Agreement of raters: Krippendorff's alpha {names['agreement']:.2f}.")
        )
    if assumption.code == "rater-favour":
        names["finds"] = "finds" if names["p"] <= 0.05 else "does not find"
    if assumption.code == "rater-favour-untested":
        names["why"] = _WHY_UNTESTED[names["reason"]].format_map(names)
    if "langpair" in names:
        names["of"] = f", {names['langpair']}" if names["langpair"] else ""
    if "moved" in names:
        moved = names["moved"]
        names["put_in_order"] = (
            f" Put in the order of the reference, by id: {moved}." if moved else ""
        )
    if "n" in names:
        names["segments"] = format_count(names["n"], "segment")
        names["more"] = ", ..." if names["n"] > len(assumption.facts.get("files", ())) else ""
    return template.format_map(names)


def _describe(item: Any) -> str:
    """An item of a list: a name, a name with a number, or scores with their range."""
    return (
        item
        if isinstance(item, str)
        else ("{} {:g}" if len(item) == 2 else "{} ({:g} to {:g})").format(*item)
    )


def with_remedy(assumption: Assumption) -> str:
    """The words, with what to do."""
    remedy = fill(REMEDIES.get(assumption.code, ""), assumption)
    return " ".join(filter(None, [assumption.text, remedy]))


def list_assumptions(
    assumed: Iterable[Assumption], metrics: Iterable[str], remedies: bool = False
) -> list[str]:
    """Sentences: what was assumed of these metrics when a test set or a task was read, and what was
    left out then; with `remedies`, also what to do about it.
    """
    metrics = set(metrics)
    return [
        ("" if one.metric is None or one.kind.is_counted else "Assumed: ")
        + (with_remedy(one) if remedies else one.text)
        for one in assumed
        if one.metric is None or one.metric in metrics
    ]


def assumed_record(assumed: Iterable[Assumption]) -> dict[str, Any]:
    """For JSON: the sentences, and what they are made of."""
    assumed = list(assumed)
    return {"assumed": [one.text for one in assumed], "assumptions": to_plain(assumed)}


def info_record(info: TestSetInfo | TaskInfo) -> dict[str, Any]:
    """What JSON has of a test set or a task."""
    return {**to_plain(info), **assumed_record(info.assumed)}


def describe_gap(gap: Gap) -> str:
    """Which lines are no segments, and why.

    >>> describe_gap(Gap(1, 3, "canary"))
    'line 1 and 2 more, a canary'
    """
    return f"line {gap.first}{f' and {gap.n - 1} more' if gap.n > 1 else ''}{_WHY.get(gap.why or '', '')}"
