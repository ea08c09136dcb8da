"""A row for each caution and each assumption: concern, words, severity, advice.

Words are templates of `caution_words.Template`. They are filled with the facts, with `a`, `b`,
`metric`, its title `by`, its name in a sentence `measure`, and with what the row derives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from mtsig_core.caution import Caution, Fact, Kind, Words
from mtsig_core.languages import SPACELESS
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import (
    advise_trust,
    describe_hidden,
    describe_rank_disagreement,
    fill_template,
    list_names,
    name_metric,
    p_word,
)
from mtsig_core.stats.few_units import FEW_UNITS
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.significance import CORRECTIONS, TESTS
from mtsig_core.testset import name_as_system

# -------------------------------------------------------------------------------------------------
# What the words of a caution need in addition to its facts.


def _describe_marks(caution: Caution) -> dict[str, str]:
    sort = caution.facts["sort"]
    if sort == "spaces":
        return {
            "clean": "Detokenize",
            "marked": "have a space before punctuation, as tokenized text has",
        }
    if sort == "entities":
        return {"clean": "Unescape the HTML of", "marked": "have HTML entities"}
    verbs = {"start": "begin with", "end": "end with", "anywhere": "have"}
    phrases = [f"{verbs[place]} '{mark}'" for place, mark in caution.facts["marks"]]
    return {"clean": "Remove it from", "marked": " and ".join(phrases)}


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
        "{a} uses a different script from the references in {n:,} of {n_lines:,} segments. The first is segment "
        "{line}: '{example}'.",
        "Check these segments.",
    ),
}
#: By sort of characters: what is written in other characters, and what to do.
_CHARACTERS = {
    "composition": ("accented letters", "Normalize outputs and references to NFC."),
    "width": (
        "letters or digits",
        "Write letters and digits in half width in outputs and references.",
    ),
    "alphabet": ("words", "Write outputs and references in one alphabet."),
    "quotes": (
        "quotation marks",
        "Write them the same way in outputs and references if they should not count as differences.",
    ),
}


def _describe_fault(caution: Caution) -> dict[str, str]:
    fault, advice = _FAULTS[caution.facts["sort"]]
    return {"fault": fault.format(a=caution.a, **caution.facts), "mend": advice}


def _describe_characters(caution: Caution) -> dict[str, str]:
    facts = caution.facts
    characters, advice = _CHARACTERS[facts["sort"]]
    example = ""
    if facts["line"] is not None and facts["ours"] != facts["theirs"]:
        example = " (segment {line}: {ours} for {theirs})".format_map(facts)
    score_name = metric_title(facts["metric"])
    return {"what": characters, "mend": advice, "score_name": score_name, "example": example}


def _name_better_tokenizers(caution: Caution) -> dict[str, str]:
    better = caution.facts["better"]
    if caution.facts["tokenizer"] == "tercom":
        return {"terms": f"chrF, or BLEU with the tokenizer {better[0]}"}
    return {"terms": f"the tokenizer {' or '.join(better)}"}


def _describe_copies(caution: Caution) -> dict[str, str]:
    sides = []
    if caution.facts["has_sources"]:
        sides.append("source")
    if caution.facts["has_references"]:
        sides.append("reference")
    elsewhere = ""
    if caution.facts["unit"] == "document":
        elsewhere = " in another document"
    return {"same": " and ".join(sides), "elsewhere": elsewhere}


def _find_larger_error(caution: Caution) -> dict[str, float | None]:
    """Return the ratio of standard errors where documents make intervals wider."""
    ratio = caution.facts["se_ratio"]
    if ratio is None or ratio <= 1:
        return {"larger": None}
    return {"larger": ratio}


def _weigh_units(caution: Caution) -> dict[str, Any]:
    facts = caution.facts
    added = facts["unit"]
    if added == "block":
        added = "segment"
    return {"unequal": round(facts["worth"]) != facts["n"], "added": added}


def _weigh_documents(caution: Caution) -> dict[str, bool]:
    n_documents = caution.facts["n_documents"]
    worth = caution.facts["worth"]
    if n_documents is None or worth is None:
        return {"unequal": False}
    return {"unequal": round(worth) != n_documents}


#: How often a test calls equal systems different where one of them is skewed; claims.md has the
#: simulations.
_SKEWED_RATES = {"ar": "6 to 13%", "bootstrap-t": "4 to 11%"}


def _describe_skew(caution: Caution) -> dict[str, Any]:
    facts = caution.facts
    return {
        "percent": 100 * facts["share"],
        "rate": _SKEWED_RATES.get(facts["test"]),
        "other_test": _compare_with_studentised(facts["lost"], facts["n_found"], facts["n_other"]),
    }


def _compare_with_studentised(
    lost: tuple[tuple[str, str], ...], n_found: int, n_other: int | None
) -> str:
    """Write what the studentised bootstrap finds, where it is not the test itself."""
    if n_other is None or n_found + n_other == 0:
        return ""
    if lost:
        return fill_template(
            " The studentised bootstrap finds no significant difference in {lost:#pair} of {n:,} that {lost:is|are} "
            "significant here: {lost:pairs}.",
            lost=lost,
            n=n_found,
        )
    if n_other == n_found:
        return " The studentised bootstrap finds the same significant differences."
    return (
        f" The studentised bootstrap finds {n_other:,} significant differences, and this test "
        f"{n_found:,}."
    )


def _list_leaders(caution: Caution) -> dict[str, str]:
    n_segments = caution.facts["n_segments"]
    sentences = []
    for lead in caution.facts["leads"]:
        share = ""
        if lead["n_segments"] != n_segments:
            share = f" ({lead['n_segments']:,} of {n_segments:,} segments)"
        sentences.append(f"With only {lead['reference']}{share}: {list_names(lead['leaders'])}")
    return {"leaders": ". ".join(sentences)}


def _name_groups(caution: Caution) -> dict[str, str]:
    phrases = []
    for group in caution.facts["groups"]:
        metrics = list_names([name_metric(metric) for metric in group["metrics"]])
        phrases.append(f"{list_names(group['systems'])} by {metrics}")
    return {"named": "; ".join(phrases)}


def _doubt_agreement(caution: Caution) -> dict[str, str]:
    facts = caution.facts
    if facts["doubt"] == "metric":
        return {"meaning": "This metric does not show which of these systems is better."}
    if facts["doubt"] == "human scores":
        return {"meaning": f"The direction of {facts['human']} may be wrong."}
    direction = "lower"
    if facts["higher_is_better"]:
        direction = "higher"
    return {"meaning": f"Its direction ({direction} is better) may be wrong."}


def _name_as_system(caution: Caution) -> dict[str, str]:
    return {"as_system": name_as_system(caution.facts["name"])}


def _compare_counts(caution: Caution) -> dict[str, bool]:
    facts = caution.facts
    later_facts = {name: facts.get(name, False) for name in ("follows_means", "across_raters")}
    return {"differ": facts["low"] < facts["high"], **later_facts}


def _explain_no_difference(caution: Caution) -> dict[str, str]:
    facts = caution.facts
    names = list_names(facts["systems"])
    cause = f"the same for {names} in every sample, because their outputs differ only in something that it does not count"
    if facts["score"] is not None:
        cause = f"{facts['score']} for {names} because {facts['reason']}"
    if len(facts["systems"]) == 1:
        consequence = f"It cannot show how far {names} is from other systems"
        return {"cause": cause, "consequence": consequence, "help": ""}
    consequence = "It cannot tell them apart, so there is no smallest detectable difference"
    return {"cause": cause, "consequence": consequence, "help": _name_telling_metric(facts)}


def _name_telling_metric(facts: Mapping[str, Any]) -> str:
    if not facts["n_differ"]:
        return "No other metric can: the outputs are identical."
    if facts["other"] is None:
        return "None of chrF, TER and BLEU can tell them apart."
    pairs = "them"
    if facts["n_told"] != facts["n_differ"]:
        pairs = f"{facts['n_told']} of the {facts['n_differ']} pairs"
    return f"{metric_title(facts['other'])} can tell {pairs} apart."


def _ask_for_units(caution: Caution) -> dict[str, str]:
    names = set(chain(*caution.remedies))
    advice = fill_template("Use at least {needed:#{unit}}", **caution.facts)
    if "correction" in names:
        advice += ", or use the Romano-Wolf correction"
    if "unit" in names:
        advice += ", or test by segment; then p may be too small, because segments of one document are alike"
    return {"more_units": f"{advice}."}


def _name_test(caution: Caution) -> dict[str, str | None]:
    test = caution.facts.get("decided_by")
    if test is None:
        return {"own_test": None}
    return {"own_test": TESTS[test].title}


def _name_trusted(caution: Caution) -> dict[str, str]:
    return {"whom_to_trust": advise_trust(**caution.facts["trust"])}


def _describe_rule(caution: Caution) -> dict[str, str]:
    facts = caution.facts
    rule = RANK_RULES[facts["rule"]]
    hidden = []
    if facts["has_clusters"]:
        n_only_by_rule = facts.get("only_by_rule", 0)
        hidden += describe_hidden(facts["inside"], facts["turned"], n_only_by_rule)
    if rule.false_alarms:
        hidden.append(rule.false_alarms)
    return {"ignored": ", ".join(rule.ignores[:2]), "hidden": " ".join(hidden)}


def _compare_ranks(caution: Caution) -> dict[str, str]:
    facts = caution.facts
    follow = f"follow {CORRECTIONS[facts['correction']].title}"
    if facts["correction"] == "none":
        follow = "are not corrected"
    elif not facts["for_all"]:
        follow += ", which does not cover all pairs"
    differing = ""
    if facts["differ"]:
        differing = describe_rank_disagreement(**facts["differ"])
    return {"follow": follow, "differing": differing}


def _describe_rank(caution: Caution) -> dict[str, str]:
    rule = caution.facts["rule"]
    if rule == "simultaneous":
        return {"not_first": f"{caution.a} is not in the top group"}
    top_group = ""
    if caution.facts["in_top_group"]:
        top_group = f"; our top group contains {caution.a}"
    return {"not_first": f"Ranked {RANK_RULES[rule].title}, another system is first{top_group}"}


def _list_sizes(caution: Caution) -> dict[str, str]:
    return {"sizes": ", ".join(f"{name} ({n:,})" for name, n in caution.facts["parts"].items())}


def _name_level(caution: Caution) -> dict[str, float]:
    return {"percent": 100 * caution.facts["level"]}


# -------------------------------------------------------------------------------------------------
# Cautions.


_OUT_OF_ORDER = "from about line {first:,} to line {last:,}, they match other lines of the reference as well or better"
_MARKED = "{n:,} of {n_lines:,} inspected lines {marked}"
_SO_FEW = (
    "{bootstrap:the chance that all favour the same of two equal systems|the smallest possible p}"
)
_OTHER_CHARACTERS = (
    "{systems:names} and the references write {what} with different characters{example}."
)
_WRITTEN_ALIKE = "With the same characters, the {score_name} of {worst} would be {after:.2f} instead of {before:.2f}."

CAUTION_KINDS: dict[str, Kind] = {
    # Outputs and references that are hardly the right files.
    "is-source": Kind(
        "files",
        "The output of {a} is the source, untranslated.",
        advice="Check that it is the right file.",
        severity="numbers",
    ),
    "other-script": Kind(
        "files",
        "The output of {a} looks like {language}, and the references look like {expected}.",
        advice="Check that it belongs to this language pair.",
        severity="numbers",
    ),
    "other-order": Kind(
        "files",
        f"The lines of {{a}} do not follow the order of reference {{reference}}: {_OUT_OF_ORDER}{{shift:?, most of "
        "them shifted by {shift:+,} lines}.{same_as:? They are the lines of {same_as} "
        "in another order.} Its score compares lines that do not belong together. It does not show how good the "
        "system is.",
        advice="Restore the order of the lines (was one lost, added or sorted?), and score again.",
        severity="numbers",
    ),
    "reference-order": Kind(
        "files",
        f"The lines of reference {{reference}} are not in the order of the systems' lines: {_OUT_OF_ORDER}. Scores "
        "compare lines that do not belong together.",
        advice="Restore the order of the reference, or of all outputs, and score again.",
        severity="numbers",
    ),
    "marked-lines": Kind(
        "files",
        f"{{a}}: {_MARKED}, and the references do not. Example: '{{example}}'. Metrics score this as text, so the "
        "score of {a} may be wrong.",
        advice="{clean} the output, and score again.",
        severity="numbers",
        derive=_describe_marks,
    ),
    "marked-reference": Kind(
        "files",
        f"Reference {{reference}}: {_MARKED}, and the outputs do not. Example: '{{example}}'. Metrics score this as "
        "text, so all scores may be wrong.",
        advice="{clean} the reference, or score with another reference.",
        severity="numbers",
        derive=_describe_marks,
    ),
    "faulty-lines": Kind(
        "files",
        "{fault} Metrics score these segments as they are, so the score of {a} may be wrong.",
        advice="{mend}",
        severity="numbers",
        derive=_describe_fault,
    ),
    "few-faulty-lines": Kind(
        "texts",
        "{fault}",
        advice="{mend}",
        derive=_describe_fault,
    ),
    "other-characters": Kind(
        "files",
        _OTHER_CHARACTERS,
        here=_WRITTEN_ALIKE,
        advice="{mend}",
        severity="numbers",
        derive=_describe_characters,
    ),
    "some-characters": Kind(
        "texts",
        _OTHER_CHARACTERS,
        here=_WRITTEN_ALIKE,
        advice="{mend}",
        derive=_describe_characters,
    ),
    "other-chinese": Kind(
        "files",
        "{a} is in {ours} Chinese characters, and the references are in {theirs} ones. Metrics count the same "
        "word in different characters as wrong.",
        advice="Convert the output to {theirs} characters, and score again.",
        severity="numbers",
    ),
    "made-from-output": Kind(
        "files",
        "{a} equals reference {reference}, or differs in one word, in {n:,} of {n_lines:,} segments that are not short; "
        "the next system, {next_system}, does in {n_next:,}. The reference may be an edited output of {a}, which "
        "every metric would then favor.",
        advice="{has_others:Score with another reference.|Use a reference that was made without machine "
        "translation, or exclude the system.}",
        severity="numbers",
    ),
    # Texts.
    "canary": Kind(
        "texts",
        "The documents file marks line {line} as a canary (a test line, not a text to translate). It is scored "
        "like any other line.",
        advice="Remove it from all files.",
    ),
    "documents-in-domains": Kind(
        "texts",
        "{documents:#document} of {n_documents:,} ({documents:names}) {documents:has|have} segments in more than "
        "one domain. We treat segments with the same id as one document.",
        advice="Give each document its own id, and check that the domain comes first (domain<TAB>docid).",
    ),
    "all-empty": Kind(
        "texts",
        "{role} {a} has no text: all {n:,} segments are empty.",
        advice="Check the file.",
    ),
    "empty-lines": Kind(
        "texts",
        "{role} {a} has {n:#empty segment} of {n_present:,}, the first at line {line}. Metrics score "
        "them as empty.",
        advice="Check that no text was lost.",
    ),
    "odd-length": Kind(
        "texts",
        "{a} has {ratio:.2f} times the characters of reference {reference}.",
        advice="Check the language and the file.",
    ),
    "one-system": Kind(
        "texts",
        "{a} is the only system. It has a score and an interval, but there is no pair to test.",
    ),
    "tokenizer-missing": Kind(
        "scores",
        "{by} scores are missing for {pair}: the tokenizer {tokenizer} needs a package that is not installed.",
        advice="Install it with: pip install {package}.",
    ),
    "baseline-missing": Kind(
        "scores",
        "{pair} is not compared by {by}: the baseline, {baseline}, has no output or score there.",
        advice="Add them, or compare with a system that has them.",
        severity="caption",
    ),
    "tokenizer-and-script": Kind(
        "scores",
        "The references look {language}, and the tokenizer {tokenizer} does not split {language} into words. "
        "These {by} scores are not comparable with published ones, and the order of the systems may be wrong.",
        advice="Use {terms}.",
        severity="numbers",
        derive=_name_better_tokenizers,
    ),
    # Units and the test.
    "no-documents": Kind(
        "units",
        "Segments are treated as independent because there are no document ids. Neighbouring segments are often alike, "
        "so intervals may be too narrow and p-values too small.",
        advice="Add document ids ({has_texts:a documents file|a column docid}). Without them, test blocks of "
        "neighbouring segments. Do not choose the unit by its p.",
        severity="caption",
    ),
    "one-segment-documents": Kind(
        "units",
        "Each of the {n:,} segments has a different document id, so segments are treated as independent. "
        "Neighbouring segments are often alike; then intervals are too narrow and p-values too small.",
        advice="Check that the ids are of documents, not of segments.",
        severity="caption",
    ),
    "copied-segments": Kind(
        "units",
        "Some segments occur more than once but are treated as independent, so intervals are too narrow and "
        "p-values too small.",
        here=(
            "{n:,} of {n_segments:,} segments {n:repeats|repeat} the {same} of an earlier segment{elsewhere} (line "
            "{line:,} repeats line {first_line:,}). The {n_units:#{unit}} {n_units:is|are} worth about {worth:.0f}."
        ),
        advice="Remove the copies, or give each copy the document id of its original.",
        severity="intervals",
        derive=_describe_copies,
    ),
    "blocks-for-documents": Kind(
        "units",
        "Blocks of neighbouring segments replace documents because there are no document ids.",
        advice="Add document ids if you have them.",
    ),
    "documents-ignored": Kind(
        "units",
        "The test treats segments as independent although it has document ids. Segments of one document are "
        "alike, so intervals may be too narrow and p-values too small.",
        here=(
            "{larger:?Here the standard error of a difference is {larger:.2f} times as large by document as "
            "by segment (median over pairs).}"
        ),
        advice="{enough:Test by document.|Add documents: {n_documents:,} are too few for a test by document.}",
        severity="intervals",
        derive=_find_larger_error,
    ),
    "few-units": Kind(
        "units",
        "There {n:is|are} only {n:#{unit}}{metric:? with {by} scores} to resample{unequal:? (unequal sizes; "
        f"worth about {{worth:.0f}} equal ones)}}. {{has_interval:Intervals and p-values are rough below "
        f"{FEW_UNITS}|There is no interval with fewer than {LEAST_UNITS}}}.",
        advice="Add {added}s, or read the results with care.",
        severity="caption",
        derive=_weigh_units,
    ),
    "test-as-published": Kind(
        "test",
        "The test: {test.title} ({test.source}). {test.caution}",
        advice="{test.instead}",
        severity="level",
    ),
    "test-assumes": Kind(
        "test",
        "The test: {test.title} ({test.source}). {test.caution}",
        advice="{test.instead}",
        severity="caption",
    ),
    "test-needs-units": Kind(
        "test",
        "The test: {test.title} ({test.source}). {test.with_few}",
        advice="{test.with_few_instead}",
        severity="level",
    ),
    "one-of-several-looks": Kind(
        "test",
        "This is look {number} of {n_planned} at results that are not complete. It tests at alpha {alpha:.2g}, so "
        "all looks together have a false-alarm rate of {together:.2g}.",
        advice="Plan all looks before the first, and add none later. A pair that one look decides stays decided.",
        severity="caption",
    ),
    "skewed-system": Kind(
        "test",
        "By {measure}, a few {unit}s set {systems:names} apart from nearly all other systems. On such data the "
        "test gives too many false alarms{rate:?: in {rate} of test sets instead of 5%}.",
        here=(
            "{n_far:,} of {n:#{unit}} {n_far:carries|carry} {percent:.0f}% of the spread of {first}{named:? ({named:names})"
            "}. {first} is {is_worse:worse|better} there.{other_test}"
        ),
        advice="Look at these {unit}s: is the output complete?",
        severity="intervals",
        derive=_describe_skew,
    ),
    # References, and several metrics.
    "reference-among-systems": Kind(
        "references",
        "The output of {a} is reference {reference}, word for word, so no translation can beat it.",
        advice="Exclude {a}{has_others:?, or score with the other references only}.",
    ),
    "references-disagree": Kind(
        "references",
        "The references do not agree on the top group by {measure}.",
        here="With all references, the top group is {top_group:names}. {leaders}.",
        advice="Decide which reference to use, or report the result with each reference.",
        severity="caption",
        derive=_list_leaders,
    ),
    "several-metrics": Kind(
        "metrics",
        "You compare {n} metrics. The adjusted p-values of a metric are corrected only for the pairs of that metric.",
        advice="Decide before testing which metric counts, or report all.",
    ),
    "top-groups-differ": Kind(
        "metrics",
        "The metrics disagree on the top group.",
        here="{named}.",
        severity="numbers",
        derive=_name_groups,
    ),
    "one-metric": Kind(
        "metrics",
        "Only {by} was used. Another metric may give a different result.",
    ),
    "which-metric": Kind(
        "metrics",
        "The task has no human scores and does not name its main metric. mtsig uses {metric}, the default of "
        "{metrics:#metric}.",
        advice="Choose the main metric, or name it in the first line of systems.tsv: # metric: NAME.",
    ),
    "against-people": Kind(
        "metrics",
        "{by} and {human} put most pairs of systems in opposite orders (pairwise accuracy {accuracy:.3f}). {meaning}",
        derive=_doubt_agreement,
    ),
    # Scores that came with the test set, and what a metric cannot tell apart.
    "depends-on-size": Kind(
        "ratings",
        "{by} takes its weights from the references of the test set, so its scores grow with the "
        "size of the set.",
        advice="Compare them only on these {n_segments:,} segments.",
    ),
    "ratings-alone": Kind(
        "ratings",
        "{names:names} {names:has|have} ratings but no {by} score, because a reference is not scored against itself.",
    ),
    "ratings-of-references": Kind(
        "ratings",
        "{n:#{metric} score} of {name} {n:is|are} not used, because it is a human "
        "translation and not a system.",
        advice="To rank it as {as_system}, let references take part as systems.",
        derive=_name_as_system,
    ),
    "not-rated": Kind(
        "ratings",
        "{names:#system} of {n_systems:,} {names:has|have} no {metric} score and {names:is|are} excluded from "
        "{metric}: {names:all}.",
    ),
    "partly-rated": Kind(
        "ratings",
        "{n:,} of {n_segments:,} segments have {measure}.",
        advice="The results of {measure} are for these segments only. Other metrics may use all segments.",
    ),
    "raters-favour-systems": Kind(
        "ratings",
        "Raters favour some systems (p = {p:.3f}, after strictness and use of the scale are taken into account). "
        "{metric} assumes that each rater is equally strict with all systems, so the choice of raters can cause a "
        "difference.",
        advice="Ask the same raters to rate all systems. Report this test with the result.",
        severity="intervals",
    ),
    "few-rater-links": Kind(
        "ratings",
        "Few ratings link {a} and {b}, worth {worth:.2g} documents of equal weight. The standard error of their "
        "difference in {metric} is about {widening:.2g} times as large as it could be, so the test misses more.",
        advice="Ask the same raters to rate more documents of both systems.",
    ),
    "rated-on-different-lines": Kind(
        "ratings",
        "Systems have {metric} scores on different segments ({low:,}{differ:? to {high:,}} each).{follows_means:? The "
        "better systems have more scores, as if the means decided what is rated next. Then the means are biased.}",
        advice="{compared:?Compare pairs, not means: a pair is compared on the segments that both systems have.}"
        "{across_raters:? Strict raters can cause a difference. Use single ratings as segments to compare only what the "
        "same rater saw, or scores adjusted for raters to use all ratings.}",
        derive=_compare_counts,
    ),
    "cannot-tell-apart": Kind(
        "scores",
        "{by} is {cause}. {consequence}.",
        advice="{help}",
        severity="caption",
        beside_verdict=True,
        derive=_explain_no_difference,
    ),
    # The family of pairs.
    "too-few-units": Kind(
        "family",
        f"With {{n:#{{unit}}}} {_SO_FEW} is {{least:.3g}}{{least_adjusted:? ({{least_adjusted:.3g}} after "
        "{correction} over {m:,} pairs)}. So no pair can be significant at alpha {alpha:g}, however large the "
        "difference. This does not mean that the systems are equal.",
        advice="{more_units}",
        derive=_ask_for_units,
    ),
    "cannot-plan": Kind(
        "experiment",
        "Cannot be decided with {n:#{unit}}.",
        advice="{more_units}",
        derive=_ask_for_units,
    ),
    "family-too-large": Kind(
        "family",
        "{m:,} pairs are too many for {trials:,} permutations or resamples. After {correction} even the smallest p, "
        "{least:.2g}, is above alpha, so no pair can be significant.",
        advice="Use {needed:,} or more{romano_wolf:?, or the Romano-Wolf correction}.",
    ),
    "not-equal": Kind(
        "open pairs",
        "{own_test:?By {own_test}, }{n:,} of {m:#pair} {n:shows|show} no significant difference. This does not "
        "mean that they are equal{mdd:?: this test set finds a true difference of {mdd:.3g} points 8 times in "
        "10{m:|, before "
        "correction}, and smaller ones less often}.{n_undecidable:? "
        "Of these, {n_undecidable:#pair} cannot be decided, however large the difference.}",
        derive=_name_test,
    ),
    "interval-and-decision": Kind(
        "open pairs",
        "{n_open:?{n_open:#pair} {n_open:is|are} not significant, but the interval excludes 0. }{n_significant:?"
        "{n_significant:#pair} {n_significant:is|are} significant, but the interval includes 0. }Interval and "
        "test are different methods{jointly:|, and each interval is for one pair only}.",
        advice="{whom_to_trust}",
        derive=_name_trusted,
    ),
    "split-decision": Kind(
        "pair",
        "For {pairs:#pair} of {m:,} the test and the scores disagree ({measure}): {test.statistic} favour one "
        "system, the scores favour the other or neither. mtsig does not call either system better there.",
        here="They are: {pairs:pairs}.",
        advice=(
            "A few segments with large differences can cause this. Look at them, or test the difference of the scores with "
            "the randomization test."
        ),
        severity="caption",
        beside_verdict=True,
    ),
    # Ranks.
    "rank-rule-of-ratings": Kind(
        "ranks",
        "Ranks {rule.title} treat each rating as a segment. Here {metric} has {per_segment:.3g} "
        "ratings of each system and segment, and mtsig uses their mean. So ranks can differ from the published "
        "ones.",
        advice="Treat each rating as a segment.",
    ),
    "domains-of-systems": Kind(
        "ranks",
        "Ranks {rule.title} use the mean over domains as the score of a system. {systems:names} "
        "{systems:has|have} no {metric} scores in some domains ({domains:all}). This can raise or lower "
        "{systems:its|their} score and rank.",
        advice="Exclude {systems:it|them}, or rank by simultaneous rank ranges, which compare two systems on the same "
        "segments.",
        beside_verdict=True,
    ),
    "rank-rule": Kind(
        "ranks",
        "Ranks {rule.title}: {ignored}.",
        here="{hidden}",
        severity="caption",
        derive=_describe_rule,
    ),
    "ranks-and-correction": Kind(
        "ranks",
        "Rank ranges and the top group are always corrected for all pairs, here by {own}. Wins, losses and "
        "decisions {follow}, so they may differ from the ranks.",
        here="{differ:?Here {differing}.}",
        severity="caption",
        derive=_compare_ranks,
    ),
    # What a review decides, and what the numbers say of it.
    "declared-not-compared": Kind(
        "decision",
        "{pair}: {a} is declared the winner, but was not compared there by {measure}.",
    ),
    "declared-without-ranks": Kind(
        "decision",
        "{pair}: {a} is declared the winner. No system is ranked there by {measure}{why:? ({why})}, so the numbers "
        "neither support nor contradict this.",
    ),
    "declared-not-first": Kind(
        "decision",
        "{pair}: {a} is declared the winner. {not_first} ({measure}).",
        derive=_describe_rank,
    ),
    "top-group-not-declared": Kind(
        "decision",
        "{pair}: {systems:all} {systems:is|are} also in the top group by {measure}. The numbers do not decide between "
        "systems of the top group.",
    ),
    # Single pairs.
    "identical-outputs": Kind(
        "pair",
        "{a} and {b} have identical outputs.",
    ),
    "identical-scores": Kind(
        "pair",
        "{a} and {b} have identical {by} scores on {n:the only|all} {n:#segment}.",
    ),
    "no-common-line": Kind(
        "pair",
        "{a} and {b} cannot be compared, because no segment has {by} scores for both. Their scores are means over "
        "different segments.",
        advice="Ask for ratings of both on the same segments.",
    ),
    "too-few-common-units": Kind(
        "pair",
        "Only {n:#{unit}} {n:has|have} {by} scores for both {a} and {b}. With so few, no difference can be "
        "significant.",
        advice="Ask for ratings of both on more {unit}s.",
    ),
    "few-common-lines": Kind(
        "pair",
        "{a} and {b} are compared only on the {n:#segment} scored for both{n_documents:? in "
        "{n_documents:#document}}{unequal:? (unequal sizes; worth about {worth:.0f} equal ones)}. The interval and p "
        "are rough.",
        derive=_weigh_documents,
    ),
    "few-differences": Kind(
        "differences",
        f"{{a}} and {{b}} differ by {{by}} in only {{n:,}} of {{n_all:#{{unit}}}}{{n_texts:? (their texts in "
        f"{{n_texts:,}})}}. With so few differences, {_SO_FEW} is {{least:.2g}}.",
    ),
    "near-alpha": Kind(
        "pair",
        "{a} vs. {b} is borderline: with {p_word} = {p:.3f}, another seed could change the result.",
        advice="Use more permutations or resamples.",
    ),
    "near-alpha-at-the-least-p": Kind(
        "pair",
        "{n:#pair} {n:is|are} borderline: {p_word} is at most {p_high:.3f}, the smallest p that {trials:,} "
        "permutations or resamples can give. With more of them, the result could change.",
        advice="Use more permutations or resamples.",
    ),
    # Training runs.
    "training-runs": Kind(
        "runs",
        "Scores are means over training runs. P-values, intervals and ranks are for these runs only, not for new "
        "ones. The SD between runs shows how much another training could change. With {n} runs it is rough: its "
        "{percent:g}% CI is {low:.2f} to {high:.3g} times the estimate.",
        derive=_name_level,
    ),
    "single-run": Kind(
        "runs",
        "{names:all} {names:has a single training run|have single training runs}, so mtsig cannot show how much "
        "another training would change the score.",
        advice="Add the outputs of more runs.",
    ),
    "identical-runs": Kind(
        "runs",
        "{a} has training runs with identical outputs. Perhaps one file was given twice. The SD between runs is "
        "then too small.",
        advice="Remove the copy.",
    ),
    "runs-not-rated": Kind(
        "runs",
        "{metric} has one score for each segment of a system, not one for each training run. So it shows nothing "
        "about runs.",
    ),
    "runs-may-turn": Kind(
        "runs",
        "{a} - {b} is significant for these training runs. If the spread between runs is included, the difference "
        "is only {errors:.2f} standard errors; more than {needed:.2f} are needed. Other runs may not show it.",
        advice="Train both again.",
    ),
    # Experiments.
    "few-units-in-parts": Kind(
        "experiment",
        "There are few {unit}s to resample: {sizes}. Intervals and p-values are rough below "
        f"{FEW_UNITS}.",
        derive=_list_sizes,
    ),
    "too-few-units-in-parts": Kind(
        "experiment",
        "With so few {unit}s no pair can be significant at alpha {alpha:g}, however large "
        "the difference: {sizes}.",
        advice="Use at least {needed}.",
        derive=_list_sizes,
    ),
    "whole-undecided": Kind(
        "experiment",
        "No pair can be significant on the whole set either, because a bootstrap within domains is limited by the "
        "domain with the fewest units.",
        advice="Use the randomization test.",
    ),
    "weights-of-domains": Kind(
        "experiment",
        "In a domain, {by} takes its weights from the references of that domain only.",
        advice="Compare systems within a domain. Do not compare scores between domains, or with the whole set.",
    ),
    "domains-without-scores": Kind(
        "experiment",
        "Domains without {metric} scores are excluded: {domains:all}.",
    ),
}


# -------------------------------------------------------------------------------------------------
# Assumptions: what was assumed or left out as files were read. The advice is for screens, not for papers.


def _describe_ratings(assumption: Fact) -> dict[str, str]:
    counts = [f"{n:,} {reason}" for reason, n in assumption.facts["left_out"].items() if n]
    excluded = ""
    if counts:
        excluded = f" Excluded: {', '.join(counts)}."
    agreement = ""
    if assumption.facts["agreement"] is not None:
        alpha = assumption.facts["agreement"]
        agreement = f" Agreement of raters: Krippendorff's alpha {alpha:.2f}."
    return {"excluded": excluded, "agreement_of_raters": agreement}


def _describe_favour(assumption: Fact) -> dict[str, str]:
    if assumption.facts["p"] <= 0.05:
        return {"finds": "finds"}
    return {"finds": "does not find"}


#: Why it is not tested whether raters favour systems.
_WHY_UNTESTED = {
    "size": "The test would take minutes for so many raters and systems.",
    "repeats": "These ratings cannot separate favour from noise or from a rater's scale. The test needs three or "
    "more systems, each rated by the same raters in several documents.",
    "power": "There are too few ratings: a test would miss favours with a standard deviation of {detectable:.2g} "
    "points half of the time.",
}


def _explain_untested(assumption: Fact) -> dict[str, str]:
    return {"why": _WHY_UNTESTED[assumption.facts["reason"]].format_map(assumption.facts)}


def _end_list(assumption: Fact) -> dict[str, str]:
    if assumption.facts["n"] > len(assumption.facts["files"]):
        return {"more": ", ..."}
    return {"more": ""}


ASSUMPTION_KINDS: dict[str, Kind] = {
    # Which scores are better.
    "direction-open": Kind(
        "excluded",
        "Excluded: {scores:ranges}. mtsig cannot tell from name and range whether higher is better.",
        advice="Give --higher-is-better NAME or --lower-is-better NAME, to mtsig serve or to the command.",
        facts=("scores",),
    ),
    "direction-told": Kind(
        "assumed",
        "As given, {higher:higher|lower} {metric} scores are better.",
        facts=("metric", "higher"),
    ),
    "direction-known": Kind(
        "assumed",
        "We assume that {higher:higher|lower} {metric} scores are better, because of the name and the values "
        "({low:.3g} to {high:.3g}).",
        facts=("metric", "higher", "low", "high"),
    ),
    "direction-default": Kind(
        "assumed",
        "We assume that higher {metric} scores are better.",
        advice="If lower is better, give --lower-is-better {metric}.",
        facts=("metric",),
    ),
    # How many ratings scores are means of.
    "ratings": Kind(
        "counted",
        "{metric}{langpair:?, {langpair}}: {n_ratings:,} ratings by {n_raters} raters, {per_segment:.3g} for each "
        "system and segment.{agreement_of_raters}{excluded}",
        facts=(
            "metric",
            "langpair",
            "n_ratings",
            "n_raters",
            "per_segment",
            "agreement",
            "left_out",
        ),
        derive=_describe_ratings,
    ),
    "ratings-as-segments": Kind(
        "counted",
        "{metric}: each rating is treated as a segment. Two systems are compared on ratings by the same rater, or "
        "in the same slot (human1, human2).",
        facts=("metric",),
    ),
    "ratings-standardized": Kind(
        "counted",
        "{metric}: scores are standardized by rater (minus the rater's mean, divided by the rater's standard "
        "deviation), as in WMT22.",
        advice="--scores raw=FILE, or --metrics DA-raw of a task, uses the raw scores, as WMT23 did.",
        facts=("metric",),
    ),
    "mqm-weights": Kind(
        "counted",
        "{metric}: weight of an error: {weights:weights}. The most specific weight is used.",
        facts=("metric", "weights"),
    ),
    "ratings-adjusted": Kind(
        "counted",
        "{metric}: adjusted for {n_raters} raters by least squares: rating = system + segment + rater. "
        "The effects of raters have a standard deviation of {effects_sd:.3g}. We assume that each rater is "
        "equally strict with all systems.",
        facts=("metric", "n_raters", "effects_sd"),
    ),
    "rater-links": Kind(
        "counted",
        "{metric}{langpair:?, {langpair}}: {a} and {b} have the fewest ratings that compare them, worth "
        "{worth:.3g} of {n_documents:,} documents.",
        facts=("metric", "langpair", "a", "b", "worth", "widening", "n_documents"),
    ),
    "rater-favour": Kind(
        "counted",
        "{metric}{langpair:?, {langpair}}: a sign-flip test {finds} that raters favour systems (p = {p:.3f}, "
        "after strictness and use of the scale are taken into account). It finds favours with a standard "
        "deviation of {detectable:.2g} points half of the time.",
        facts=("metric", "langpair", "detectable", "p"),
        derive=_describe_favour,
    ),
    "rater-favour-untested": Kind(
        "counted",
        "{metric}{langpair:?, {langpair}}: we did not test whether raters favour systems. {why}",
        facts=("metric", "langpair", "reason", "detectable"),
        derive=_explain_untested,
    ),
    # Systems, segments, files, language pairs.
    "withdrawn": Kind(
        "file names",
        "Excluded: {names:all}. {table}, the task's table of systems, marks them as withdrawn.",
        advice="--keep-withdrawn keeps them.",
        facts=("table", "names"),
    ),
    "no-reference": Kind(
        "excluded",
        "Excluded: {n:#segment} without a reference. The first is segment {segment} of the document {document}.",
        facts=("n", "segment", "document"),
    ),
    "lines-from-zero": Kind(
        "file names",
        "{file} counts lines from 0. mtsig counts from 1: line 0 of the file is line 1 here.",
        facts=("file",),
    ),
    "failed-judgements": Kind(
        "assumed",
        "We treat {n_failed:,} {metric} scores of {mark:g} as missing, because all other scores are 0 or more.",
        facts=("metric", "mark", "n_failed"),
    ),
    "summary-rows": Kind(
        "file names",
        "Excluded from {file}: row {rows:all}, {what}.",
        facts=("metric", "file", "rows", "what"),
    ),
    "texts-aside": Kind(
        "file names",
        "Excluded from {file}: {columns:all}. Names or values show that these columns are not outputs.",
        advice="To score one of them, name the column after its system.",
        facts=("file", "columns"),
    ),
    "numbers-aside": Kind(
        "file names",
        "Excluded from {file}: {columns:all}. The values show that these columns are not outputs.",
        advice="If they are scores, name each column SYSTEM_METRIC, such as A_COMET, and give the file by --scores too.",
        facts=("file", "columns"),
    ),
    "outputs-unused": Kind(
        "file names",
        "Excluded: the outputs in {file}, which is given as a reference only.",
        advice="To compare them, give the file by --system too.",
        facts=("file",),
    ),
    "columns-aside": Kind(
        "file names",
        "Excluded from {file}: {columns:all}. Names or values show that these columns are not systems.",
        advice="To read them as systems, list all columns of systems: --columns 'systems=A|B', or systems=all.",
        facts=("metric", "file", "columns"),
    ),
    "columns-renamed": Kind(
        "file names",
        "{metric}: the columns of {file} are read as systems: {columns:all}.",
        facts=("metric", "file", "columns"),
    ),
    "line-ids": Kind(
        "file names",
        "Each line has an id, such as {example}. The texts are scored without them."
        "{moved:? Put in the order of the reference, by id: {moved:all}.}",
        facts=("example", "moved"),
    ),
    "names-of-outputs": Kind(
        "file names",
        "Excluded from {place}: {files:all}{more}. Outputs have names such as NAME.txt or NAME.txt.gz.",
        facts=("place", "files", "n"),
        derive=_end_list,
    ),
    "pair-without-output": Kind(
        "file names",
        "Excluded: {pair}, which has references but no output.",
        facts=("pair",),
    ),
    "pair-without-reference": Kind(
        "file names",
        "Excluded: {pair}, which has outputs but no reference.",
        facts=("pair",),
    ),
    "no-language-pair": Kind(
        "file names",
        "Excluded: {name}, which is not a language pair such as en-de or en-pt-BR.",
        facts=("name",),
    ),
    "references-of-others": Kind(
        "file names",
        "{pair} does not have the chosen references {names:all}. It is scored with {used:all}.",
        facts=("pair", "names", "used"),
    ),
    # A sentence of a result that an older version wrote.
    "as-written": Kind("file names", "{text}", facts=("text",)),
}


# -------------------------------------------------------------------------------------------------
# From a code to its row, and to the words.


#: Facts that are names in a registry, and what a template has in their place.
_NAMED: dict[str, Callable[[Any], Any]] = {
    "test": TESTS.__getitem__,
    "rule": RANK_RULES.__getitem__,
    "correction": lambda name: CORRECTIONS[name].title,
    "own": lambda name: CORRECTIONS[name].title,
    "language": lambda name: SPACELESS.get(name, "a language with spaces"),
    "expected": lambda name: SPACELESS.get(name, "a language with spaces"),
}


def find_kind(code: str) -> Kind | None:
    """Return the row of a code, of a caution or of an assumption."""
    return CAUTION_KINDS.get(code) or ASSUMPTION_KINDS.get(code)


def write_words(fact: Fact) -> Words:
    """Return the words of a caution or an assumption.

    >>> write_words(Caution("identical-outputs", a="A", b="B")).general
    'A and B have identical outputs.'
    """
    names: dict[str, Any] = {}
    if isinstance(fact, Caution):
        metric = fact.metric or ""
        names = {
            "a": fact.a,
            "b": fact.b,
            "metric": fact.metric,
            "by": metric_title(metric),
            "measure": name_metric(metric),
        }
    for name, value in fact.facts.items():
        if name in _NAMED:
            value = _NAMED[name](value)
        names[name] = value
    if "correction" in fact.facts:
        names["p_word"] = p_word(fact.facts["correction"], fact.facts.get("n_pairs", 2))
    kind = fact.kind
    if kind.derive is not None:
        names |= kind.derive(fact)
    return Words(
        fill_template(kind.general, **names),
        fill_template(kind.here, **names),
        fill_template(kind.advice, **names),
    )
