"""The words of warnings, a template or a function for each code: what happened, why it matters, and what to do.

The parameters of a function are the facts of its code. What remedies are called on a command line, on a page and in
Python is said elsewhere, by whoever shows the warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mtsig_core.caution import Caution
from mtsig_core.errors import format_count, pluralize
from mtsig_core.languages import SPACELESS
from mtsig_core.metrics import metric_title
from mtsig_core.report.words import describe_pairs_inside
from mtsig_core.results import MacroResult, MetricResult
from mtsig_core.stats.cautions import rank_disagreement, reference_disagreement
from mtsig_core.stats.few_units import FEW_UNITS
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.significance import TESTS
from mtsig_core.testset import name_as_system


class Words(NamedTuple):
    """The parts of a warning: what holds of all that is done so, what holds here, and what to do."""

    general: str
    here: str = ""
    advice: str = ""


#: The words of codes that need nothing but their facts; the others have a function each, below.
TEMPLATES: dict[str, Words] = {
    "is-source": Words("The output of {a} is the source, untranslated.", advice="Check that it is the right file."),
    "canary": Words("The documents file marks line {line} as a canary, which is there to be found and not to be "
                    "translated. The line is scored like any other.", advice="Remove it from all files."),
    "all-empty": Words("{role} {a} has no text: all {n:,} segments are empty.", advice="Check the file."),
    "odd-length": Words("{a} has {ratio:.2f} times the characters of reference {reference}.",
                        advice="Check the language and the file."),
    "one-system": Words("There is only one system: its score and interval are given, and there is no pair to test."),
    "blocks-for-documents": Words("Blocks of neighbouring segments replace documents because there are no document "
                                  "ids.", advice="Give document ids if you have them."),
    "several-metrics": Words("{n} metrics were compared, and the correction covers only the pairs of each metric.",
                             advice="Choose the metric that counts beforehand, or report all."),
    "depends-on-size": Words("{by} takes its weights from the references of the test set, so its scores grow with the "
                             "size of the set.", advice="Compare them only on these {n_segments:,} segments."),
    "partly-rated": Words("{metric} has scores for {n:,} of {n_segments:,} segments.",
                          advice="Its results hold for these segments only; results of other metrics may cover all."),
    "identical-outputs": Words("{a} and {b} have identical outputs."),
    "no-common-line": Words("{a} and {b} cannot be compared: no segment has {by} scores of both, so their difference "
                            "is that of means over different segments.",
                            advice="Have both rated on the same segments."),
    "identical-runs": Words("{a} has training runs with identical outputs, as if one file were given twice. The SD "
                            "between runs comes out too small.", advice="Remove the copy."),
    "runs-not-rated": Words("{metric} has one score for each segment of a system, not one for each training run, so "
                            "it says nothing about runs."),
    "runs-may-turn": Words("{a} - {b} is significant for these training runs, but the difference is only {errors:.1f} "
                           "standard errors of test set and training together, where {needed:.1f} are needed. Other "
                           "runs may not show it.", advice="Train both again."),
    "whole-undecided": Words("No pair can be significant on the whole set either: a bootstrap within domains is no "
                             "surer than that of the domain with the fewest units.",
                             advice="Use the randomization test (ar)."),
    "declared-not-compared": Words("{pair}: {a} is declared the first, but was not compared there by {by}."),
    "weights-of-domains": Words("{by} of a domain takes its weights from the references of that domain only, as if "
                                "the domain were scored by itself.",
                                advice="Compare systems within a domain, not the scores of two domains, and none with "
                                "the whole set."),
}

_Writer = Callable[..., Words]
#: Who writes the words of each of the other codes.
WRITERS: dict[str, _Writer] = {}

CORRECTIONS = {"none": "no correction", "bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg",
               "by": "Benjamini-Yekutieli", "romano-wolf": "Romano-Wolf"}


def caution_words(caution: Caution) -> Words:
    """The words of a warning.

    >>> caution_words(Caution("identical-outputs", a="A", b="B")).general
    'A and B have identical outputs.'
    """
    template = TEMPLATES.get(caution.code)
    if template is None:
        return WRITERS[caution.code](caution, **caution.facts)
    names = {"a": caution.a, "b": caution.b, "metric": caution.metric, "by": _by(caution)}
    return Words(*(part.format(**names, **caution.facts) for part in template))


def caution_record(caution: Caution) -> dict[str, Any]:
    """A warning for JSON, with its facts and its words."""
    return {"code": caution.code, "text": caution.text, "metric": caution.metric, "a": caution.a, "b": caution.b,
            "remedies": caution.remedies, "here": caution.here, "advice": caution.advice, "facts": caution.facts}


def list_names(names: Sequence[str], shown: int = 4) -> str:
    """The first of some names as an English list, and the number of the others.

    >>> list_names("ABC"), list_names("ABCDEFG")
    ('A, B and C', 'A, B, C, D and 3 others')
    """
    more = len(names) - shown
    listed = [*names[:shown], f"{more} others"] if more > 1 else [*names]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def p_word(correction: str) -> str:
    """What the p that decides is called."""
    return "p (uncorrected)" if correction == "none" else "adjusted p"


def _writes(code: str) -> Callable[[_Writer], _Writer]:
    def register(writer: _Writer) -> _Writer:
        WRITERS[code] = writer
        return writer

    return register


def _by(caution: Caution) -> str:
    return metric_title(caution.metric or "")


def _units(unit: str, n: int) -> str:
    return format_count(n, "stationary block" if unit == "block" else unit)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _has(n: int) -> str:
    return "has" if n == 1 else "have"


def _named_pairs(pairs: Sequence[Sequence[str]]) -> str:
    return list_names([" - ".join(pair) for pair in pairs])


# -- Outputs and references that are hardly the right files ------------------------------------------------------------


@_writes("other-script")
def _other_script(caution: Caution, language: str | None, expected: str | None) -> Words:
    if language is None and expected:
        looks = f"does not look {SPACELESS[expected]}, as the references do"
    else:
        looks = f"looks {SPACELESS[language or '']}, and the references " + (
            f"look {SPACELESS[expected]}" if expected else "do not")
    return Words(f"The output of {caution.a} {looks}.", advice="Check that it belongs to this language pair.")


def _misplaced(first: int, last: int, n: int, line: int | None, place: int | None) -> str:
    """Which lines fit other lines of the reference, and an example."""
    lines = f"lines {first:,} to {last:,}"
    if line is None:
        return f"{lines} fit their reference lines no better than any others"
    return f"in {lines}, {n:,} fit another reference line better (line {line:,} fits line {place:,})"


_ORDERS = {"alphabet": "; the output is in alphabetical order", "length": "; the output is sorted by length",
           "reverse": "; the output runs from the last line to the first"}


@_writes("other-order")
def _other_order(caution: Caution, reference: str, shift: int | None, order: str | None, same_as: str | None,
                 **part: Any) -> Words:
    how = _ORDERS.get(order or "", "") if shift is None else \
        f", most of them {format_count(abs(shift), 'line')} {'later' if shift > 0 else 'earlier'}"
    same = f" They are the lines of {same_as} in another order." if same_as else ""
    return Words(f"The lines of {caution.a} do not follow the order of reference {reference}: {_misplaced(**part)}"
                 f"{how}.{same} Its score compares lines that do not belong together, so it does not show how good "
                 "the system is.",
                 advice="Restore the order of the lines (was one lost, added or sorted?), and score again.")


@_writes("reference-order")
def _reference_order(caution: Caution, reference: str, **part: Any) -> Words:
    return Words(f"The lines of reference {reference} are in another order than those of all systems "
                 f"({_misplaced(**part)}). Scores compare lines that do not belong together.",
                 advice="Restore the order of the reference, or of all outputs, and score again.")


_MARKS = {"start": "begin with", "end": "end with", "anywhere": "have"}
_CLEAN = {"marks": "Remove it from", "spaces": "Detokenize", "entities": "Unescape the HTML of"}


def _marked(sort: str, n: int, n_lines: int, marks: Sequence[tuple[str, str]], example: str) -> tuple[str, str]:
    """How many lines have which marks, and a line that shows them."""
    what = {"spaces": "have a space before punctuation, as tokenized text has", "entities": "have HTML entities"}.get(
        sort) or " and ".join(f"{_MARKS[where]} '{mark}'" for where, mark in marks)
    return f"{n} of {n_lines} inspected lines {what}", f"Example: '{example}'."


@_writes("marked-lines")
def _marked_lines(caution: Caution, sort: str, **marks: Any) -> Words:
    what, example = _marked(sort, **marks)
    return Words(f"{caution.a}: {what}, and the references do not. {example} Metrics score this as text, so the score "
                 f"of {caution.a} may be wrong.", advice=f"{_CLEAN[sort]} the output, and score again.")


@_writes("marked-reference")
def _marked_reference(caution: Caution, reference: str, sort: str, **marks: Any) -> Words:
    what, example = _marked(sort, **marks)
    return Words(f"Reference {reference}: {what}, and the outputs do not. {example} Metrics score this as text, so all "
                 "scores may be wrong.", advice=f"{_CLEAN[sort]} the reference, or score with another reference.")


@_writes("made-from-output")
def _made_from_output(caution: Caution, reference: str, n: int, n_lines: int, next_system: str, n_next: int,
                      has_others: bool) -> Words:
    return Words(f"{caution.a} equals reference {reference} in {n:,} of {n_lines:,} segments that are not short; the "
                 f"next system, {next_system}, does in {n_next:,}. The reference may be an edited output of "
                 f"{caution.a}, which every metric would then favor.",
                 advice="Score with another reference." if has_others else
                 f"Use a reference that was made without machine translation, or exclude {caution.a}.")


# -- Texts -------------------------------------------------------------------------------------------------------------


@_writes("documents-in-domains")
def _documents_in_domains(caution: Caution, documents: Sequence[str], n_documents: int) -> Words:
    n = len(documents)
    return Words(f"{n} of {n_documents} documents ({list_names(documents)}) {_has(n)} segments in more than one "
                 "domain. Segments with the same id count as one document.",
                 advice="Use each id once, and check that the domain comes first (domain<TAB>docid).")


@_writes("empty-lines")
def _empty_lines(caution: Caution, role: str, n: int, n_present: int, line: int) -> Words:
    return Words(f"{role} {caution.a} has {n} empty {pluralize(n, 'segment')} of {n_present}, the first at line "
                 f"{line}. Metrics score them as empty.", advice="Check that no text was lost.")


@_writes("tokenizer-and-script")
def _tokenizer_and_script(caution: Caution, language: str, tokenizer: str, better: Sequence[str]) -> Words:
    by, name = _by(caution), SPACELESS[language]
    if tokenizer == "tercom":
        return Words(f"The references look {name}, and {by} takes the text between two spaces, often a whole clause, "
                     "for a word. Its scores say little, and the order of the systems may be wrong.",
                     advice=f"Use chrF, or BLEU with the tokenizer {better[0]}.")
    return Words(f"The references look {name}, and the tokenizer {tokenizer} does not cut {name} into words. {by} "
                 "differs from what others report, and the order of the systems may be wrong.",
                 advice=f"Use the tokenizer {' or '.join(better)}.")


# -- Units and the test ------------------------------------------------------------------------------------------------


@_writes("no-documents")
def _no_documents(caution: Caution, has_texts: bool) -> Words:
    ids = "a documents file" if has_texts else "a column docid"
    return Words("Segments are treated as independent because there are no document ids. Neighbouring segments are "
                 "often alike, so intervals and p-values may be too small.",
                 advice=f"Give document ids ({ids}), or use the unit block.")


@_writes("documents-ignored")
def _documents_ignored(caution: Caution, n_documents: int, enough: bool, se_ratio: float | None) -> Words:
    return Words(
        "Segments are the unit although document ids are known. Segments of one document are alike, so p-values and "
        "intervals may be too small.",
        "" if se_ratio is None else f"Here standard errors of differences by document are {se_ratio:.2f} times those "
        "by segment (median over pairs).",
        "Use the unit document." if enough else f"With {format_count(n_documents, 'document')}, the unit document can "
        "decide nothing: add documents.")


@_writes("few-units")
def _few_units(caution: Caution, unit: str, n: int, worth: float, has_interval: bool) -> Words:
    scored = f" with {_by(caution)} scores" if caution.metric else ""
    what = f"There {_is(n)} only {_units(unit, n)}{scored} to resample" if round(worth) == n else \
        f"There are {_units(unit, n)}{scored} of unequal size to resample, worth only {worth:.0f} of equal size " \
        "(Kish 1965)"
    return Words(f"{what}. " + (f"Intervals and p-values are rough below {FEW_UNITS}." if has_interval else
                                f"There is no interval with fewer than {LEAST_UNITS}."),
                 advice=f"Add {unit if unit != 'block' else 'segment'}s, or read the results with care.")


@_writes("test-as-published")
@_writes("test-assumes")
def _test_definition(caution: Caution, test: str) -> Words:
    one = TESTS[test]
    return Words(f"{one.title.capitalize()} ({one.source}): {one.caution}", advice=one.instead)


@_writes("test-needs-units")
def _test_needs_units(caution: Caution, test: str) -> Words:
    one = TESTS[test]
    return Words(f"{one.title.capitalize()} ({one.source}): {one.with_few}", advice=one.with_few_instead)


# -- References, and several metrics -----------------------------------------------------------------------------------


@_writes("reference-among-systems")
def _reference_among_systems(caution: Caution, reference: str, has_others: bool) -> Words:
    others = ", or score with the other references only" * has_others
    return Words(f"The output of {caution.a} is reference {reference}, word for word, so no translation can beat it.",
                 advice=f"Exclude {caution.a}{others}.")


@_writes("references-disagree")
def _references_disagree(caution: Caution, **facts: Any) -> Words:
    return Words(_disagreement(caution.metric or "", **facts),
                 advice="Choose the reference that counts, or report the result by each.")


def disagreement(result: MetricResult, n_segments: int) -> str | None:
    """A sentence on the references by which other systems are in the top group; None where they agree."""
    facts = reference_disagreement(result, n_segments)
    return _disagreement(result.metric, **facts) if facts else None


def _disagreement(metric: str, top_group: Sequence[str], leads: Sequence[Mapping[str, Any]], n_segments: int) -> str:
    parts = []
    for lead in leads:
        leaders, n = lead["leaders"], lead["n_segments"]
        where = "" if n == n_segments else f" (on the {n:,} of {n_segments:,} segments it has)"
        gone = [name for name in top_group if name not in leaders]
        new = [name for name in leaders if name not in top_group]
        if not gone:
            who = f"{list_names(new)} {_is(len(new))} in the top group too"
        elif len(leaders) == 1 and lead["ahead"]:
            who = f"{leaders[0]} is significantly better than all others, and {list_names(gone)} not"
        else:
            who = f"the top group is {list_names(leaders)}, without {list_names(gone)}"
        parts.append(f"with only {lead['reference']}{where}, {who}")
    return f"The references do not agree on the top group by {metric_title(metric)}: {'; '.join(parts)}."


@_writes("top-groups-differ")
def _top_groups_differ(caution: Caution, groups: Sequence[Mapping[str, Sequence[str]]]) -> Words:
    named = (f"{list_names(group['systems'])} by {list_names(list(map(metric_title, group['metrics'])))}"
             for group in groups)
    return Words("The metrics do not name the same top group.", f"Top groups: {'; '.join(named)}.")


@_writes("which-metric")
def _which_metric(caution: Caution, metrics: Sequence[str]) -> Words:
    return Words("Nothing says which metric decides: this task has no human scores, and no table of systems that names "
                 f"a metric. {caution.metric} comes first of {len(metrics)} only because it is read first: "
                 f"{', '.join(metrics)}.",
                 advice="Choose the metric that decides, or name it in the first line of systems.tsv: # metric: NAME.")


@_writes("against-people")
def _against_people(caution: Caution, human: str, accuracy: float, higher_is_better: bool, doubt: str) -> Words:
    which = "higher" if higher_is_better else "lower"
    meaning = {"metric": "The metric is no guide to these systems.",
               "human scores": f"The direction of {human} may be wrong.",
               "direction": f"Its direction ({which} is better) may be wrong."}[doubt]
    return Words(f"{_by(caution)} orders most pairs of systems otherwise than {human} (pairwise accuracy "
                 f"{accuracy:.3f}). {meaning}")


# -- Scores that came with the test set, and what a metric cannot tell apart -------------------------------------------


@_writes("ratings-alone")
def _ratings_alone(caution: Caution, names: Sequence[str]) -> Words:
    return Words(f"{list_names(names)} {_has(len(names))} only ratings and no {_by(caution)} score: a reference is not "
                 "scored against itself.")


@_writes("ratings-of-references")
def _ratings_of_references(caution: Caution, name: str, n: int) -> Words:
    return Words(f"{n:,} {caution.metric} {pluralize(n, 'score')} of {name} {_is(n)} not used, because it is a human "
                 "translation and not a system.",
                 advice=f"To rank it as {name_as_system(name)}, let references take part as systems.")


@_writes("not-rated")
def _not_rated(caution: Caution, names: Sequence[str], n_systems: int) -> Words:
    n = len(names)
    return Words(f"{n} of {format_count(n_systems, 'system')} {_has(n)} no {caution.metric} score and {_is(n)} "
                 f"excluded there: {', '.join(names)}.")


@_writes("rated-on-different-lines")
def _rated_on_different_lines(caution: Caution, low: int, high: int, compared: bool) -> Words:
    many = f"{low:,} to {high:,} of them" if low < high else f"{low:,} of them each"
    return Words(f"Systems have {caution.metric} scores on different segments, {many}, so their means are of different "
                 "segments.", advice="Go by the differences of pairs, which are on the segments that both have."
                 if compared else "")


@_writes("cannot-tell-apart")
def _cannot_tell_apart(caution: Caution, systems: Sequence[str], score: str | None, reason: str | None,
                       other: str | None, n_told: int, n_differ: int) -> Words:
    by, names = _by(caution), list_names(systems)
    cause = f"{by} is the same for {names} in every sample: their outputs differ only in what it does not count" \
        if score is None else f"{by} is {score} for {names} because {reason}"
    if len(systems) == 1:
        return Words(f"{cause}. It cannot show how far {names} is from other systems.")
    if not n_differ:
        advice = "No other metric can: the outputs are identical."
    elif other is None:
        advice = "None of chrF, TER and BLEU can tell them apart."
    else:
        which = "them" if n_told == n_differ else f"{n_told} of the {n_differ} pairs"
        advice = f"{metric_title(other)} can tell {which} apart."
    return Words(f"{cause}. It cannot tell them apart, and there is no smallest detectable difference.", advice=advice)


# -- The family of pairs -----------------------------------------------------------------------------------------------


def _least(bootstrap: bool) -> str:
    """What the smallest p is called: that of a bootstrap by what it is, as not all of them have a p."""
    return "the chance that all favour the same of two equal systems" if bootstrap else \
        "the smallest p that the test can give"


_RISK = "the unit segment, which takes segments of one document as independent, so that p may be too small"


def _more_units(caution: Caution, unit: str, needed: int) -> str:
    settings = {name for remedy in caution.remedies for name in remedy}
    others = [", or use the Romano-Wolf correction"] * ("correction" in settings)
    others += [f", or, at a risk, use {_RISK}"] * ("unit" in settings)
    return f"Use at least {_units(unit, needed)}{''.join(others)}."


@_writes("too-few-units")
def _too_few_units(caution: Caution, unit: str, n: int, m: int, alpha: float, correction: str, least: float,
                   least_adjusted: float | None, bootstrap: bool, needed: int) -> Words:
    times = "" if least_adjusted is None else \
        f", {least_adjusted:.3g} after {CORRECTIONS[correction]} over {m:,} pairs,"
    return Words(f"With {_units(unit, n)} {_least(bootstrap)} is {least:.3g}{times} and no pair can be significant at "
                 f"alpha {alpha:g}, however large the difference. That does not make any systems equal.",
                 advice=_more_units(caution, unit, needed))


@_writes("cannot-plan")
def _cannot_plan(caution: Caution, unit: str, n: int, needed: int) -> Words:
    return Words(f"Cannot be decided with {_units(unit, n)}.", advice=_more_units(caution, unit, needed))


@_writes("family-too-large")
def _family_too_large(caution: Caution, m: int, trials: int, correction: str, least: float, needed: int | None,
                      romano_wolf: bool) -> Words:
    other = ", or the Romano-Wolf correction" * romano_wolf
    return Words(f"{m:,} pairs are too many for {trials:,} trials: after {CORRECTIONS[correction]} even the smallest "
                 f"p, {least:.2g}, is above alpha, so no pair can be significant.",
                 advice=f"Use {needed or 0:,} trials or more{other}.")


@_writes("not-equal")
def _not_equal(caution: Caution, n: int, m: int, n_pairs: int, mdd: float | None, n_undecidable: int) -> Words:
    which = f"{n:,} of {m:,} pairs show" if m > 1 else \
        f"The {'pair' if n_pairs == 1 else 'one pair that was tested'} shows"
    equal = "no significant difference. That does not make the systems equal"
    if mdd is None:
        return Words(f"{which} {equal}.")
    some = f"in {n - n_undecidable:,} of them " * bool(n_undecidable)
    shut = f"; the other {n_undecidable:,} cannot be decided, however large the difference" * bool(n_undecidable)
    return Words(f"{which} {equal}: {some}this test set can miss true differences of up to {mdd:.3g} points"
                 f"{', or more after correction' * (m > 1)}{shut}.")


@_writes("interval-and-decision")
def _interval_and_decision(caution: Caution, n_open: int, n_significant: int, jointly: bool, in_steps: bool,
                           trust: Mapping[str, Any]) -> Words:
    interval = "an interval for all pairs together" if jointly else "an interval"
    parts = [f"{format_count(n, 'pair')} {_is(n)} {decided} and {_has(n)} {interval} {zero} 0" for n, decided, zero in (
        (n_open, "not significant", "without"), (n_significant, "significant", "that contains")) if n]
    why = "Intervals and decisions come from different methods" if jointly else \
        "An interval is for its pair only, and comes from another method than the decision"
    steps = ", and a correction in steps can find more than intervals that hold together" * in_steps
    return Words(f"{', and '.join(parts)}. {why}{steps}.", advice=advise_trust(**trust))


def advise_trust(unlike: Sequence[tuple[str, str]], n_others: int, ratio: float | None, needed: int | None,
                 unit: str) -> str:
    """What to go by where a decision and an interval differ; see `mtsig_core.stats.cautions.trusted`."""
    if needed is not None:
        return f"With fewer than {_units(unit, needed)} of equal size this test rejects too often: go by neither, " \
               "and use the randomization test (ar)."
    if not unlike:
        return "Go by the decision."
    which = f" for {len(unlike)} of these pairs ({_named_pairs(unlike)})" if n_others else ""
    rest = f" Go by the decision for the other{'' if n_others == 1 else f' {n_others}'}." if n_others else ""
    return f"Go by the interval{which}: resamples vary up to {ratio:.2f} times as much as permutations, because the " \
           f"systems are too unlike to be swapped, so p is too small.{rest}"


@_writes("split-decision")
def _split_decision(caution: Caution, test: str, m: int, pairs: Sequence[tuple[str, str]],
                    scores_equal: bool) -> Words:
    by, statistic = _by(caution), TESTS[test].statistic
    where, names = f" in {len(pairs)} of {m} pairs", f"The pairs: {_named_pairs(pairs)}."
    sides = f"{statistic} favour one system, and the difference of the scores does not"
    if m == 1:
        (favoured, other), where, names = pairs[0], "", ""
        sides = f"{statistic} favour {favoured}, the difference of the scores favours " \
                f"{'neither' if scores_equal else other}"
    return Words(f"Test and scores disagree{where} by {by}: {sides}. mtsig declares neither system better there.",
                 names, "A few segments with large differences can cause this. Look at them, or test the difference of "
                        "the scores with the randomization test (ar).")


# -- Ranks -------------------------------------------------------------------------------------------------------------


@_writes("rank-rule")
def _rank_rule(caution: Caution, rule: str, of_means: bool, has_clusters: bool, inside: int, inside_apart: int | None,
               turned: int, changed: int | None, n_systems: int) -> Words:
    title, source, ignores = RANK_RULES[rule].title, RANK_RULES[rule].source, RANK_RULES[rule].ignores
    scored = " Scores, their order, wins and losses are those of means over domains; differences and their tests are " \
             "of means over segments." * of_means
    ranges = "" if changed is None else f"{changed} of {n_systems} rank ranges differ from simultaneous rank intervals"
    if inside or turned or changed:
        against = f", and {turned} {_is(turned)} ranked the other way round, the significantly worse system first" \
            if turned else ""
        pairs = f"{inside} significant {pluralize(inside, 'pair')} {describe_pairs_inside(inside, inside_apart)}"
        here = f"Here {pairs}{against}" + (
            f"; {ranges}." if ranges else ".")
    else:
        here = "Here it hides no significant pair" + (
            ", and all rank ranges are the simultaneous rank intervals." if ranges else ".")
    return Words(f"Ranks {title} ({source}): {'; '.join(ignores)}.{scored}", here if has_clusters else "")


@_writes("ranks-and-correction")
def _ranks_and_correction(caution: Caution, own: str, correction: str, for_all: bool,
                          differ: Mapping[str, Any]) -> Words:
    follow = f"follow {CORRECTIONS[correction]}{', which does not cover all pairs' * (not for_all)}" \
        if correction != "none" else "are not corrected"
    return Words(f"Rank ranges and the top group are always corrected for all pairs, here by {CORRECTIONS[own]}. Wins, "
                 f"losses and decisions {follow}. " + (
                     f"So {describe_rank_disagreement(**differ)}." if differ else "The two may differ."))


def otherwise_first(result: MetricResult | MacroResult) -> str:
    """Where decisions and ranks differ, as a part of a sentence; empty where they agree."""
    facts = rank_disagreement(result)
    return describe_rank_disagreement(**facts) if facts else ""


def describe_rank_disagreement(undecided: bool, wary: Sequence[str], bold: Sequence[str], n_apart: int) -> str:
    """Where decisions and ranks differ; see `mtsig_core.stats.cautions.rank_disagreement`."""
    if undecided:
        return "no system can win or lose, though there are ranks"
    parts = [f"{list_names(names)} {_has(len(names))} {losses}, and {_is(len(names))} {top} the top group"
             for names, losses, top in ((wary, "no significant loss", "not in"), (bold, "a significant loss", "in"))
             if names]
    if n_apart:
        pairs = format_count(n_apart, "pair")
        parts.append(f"{pairs} of systems with separate rank ranges {_is(n_apart)} not significant")
    return "; ".join(parts)


# -- What a review decides, and what the numbers say of it -------------------------------------------------------------


@_writes("declared-without-ranks")
def _declared_without_ranks(caution: Caution, pair: str, why: str | None) -> Words:
    reason = f" ({why})" if why else ""
    return Words(f"{pair}: {caution.a} is declared the first, but no system is ranked there by {_by(caution)}{reason}, "
                 "so the numbers neither support that nor speak against it.")


@_writes("declared-not-first")
def _declared_not_first(caution: Caution, pair: str, rule: str, in_top_group: bool) -> Words:
    first = "in the top group there" if rule == "simultaneous" else \
        f"among the first there, ranked {RANK_RULES[rule].title},"
    though = ", though it is in the top group by simultaneous rank ranges" * in_top_group
    return Words(f"{pair}: {caution.a} is declared the first, but is not {first} by {_by(caution)}{though}.")


@_writes("top-group-not-declared")
def _top_group_not_declared(caution: Caution, pair: str, systems: Sequence[str]) -> Words:
    return Words(f"{pair}: {list_names(systems, len(systems))} {_is(len(systems))} in the top group there too by "
                 f"{_by(caution)}, and the numbers do not decide between systems of the top group.")


# -- Single pairs ------------------------------------------------------------------------------------------------------


@_writes("identical-scores")
def _identical_scores(caution: Caution, n: int) -> Words:
    return Words(f"{caution.a} and {caution.b} have identical {_by(caution)} scores on all "
                 f"{format_count(n, 'segment')}.")


@_writes("too-few-common-units")
def _too_few_common_units(caution: Caution, unit: str, n: int) -> Words:
    return Words(f"Only {_units(unit, n)} {_has(n)} {_by(caution)} scores of both {caution.a} and {caution.b}. With so "
                 "few no difference can be significant.", advice=f"Have more {unit}s rated for both.")


@_writes("few-common-lines")
def _few_common_lines(caution: Caution, n: int, n_documents: int | None, worth: float | None) -> Words:
    where = "" if n_documents is None else f" in {format_count(n_documents, 'document')}"
    if n_documents is not None and worth is not None and round(worth) != n_documents:
        where += f", worth {worth:.0f} of equal size"
    return Words(f"{caution.a} and {caution.b} are compared only on the {format_count(n, 'segment')} with scores of "
                 f"both{where}. The interval and p are rough.")


@_writes("few-differences")
def _few_differences(caution: Caution, unit: str, n: int, n_all: int, n_texts: int, least: float,
                     bootstrap: bool) -> Words:
    texts = "" if n_texts <= n else f" (their texts differ in {n_texts:,})"
    return Words(f"{caution.a} and {caution.b} differ by {_by(caution)} in only {n:,} of "
                 f"{format_count(n_all, unit)}{texts}. The others do not show which is better: "
                 f"{_least(bootstrap)} is {least:.2g} from so few.")


@_writes("near-alpha")
def _near_alpha(caution: Caution, p: float, correction: str) -> Words:
    return Words(f"{caution.a} against {caution.b} is borderline: with {p_word(correction)} = {p:.4f}, another seed "
                 "could change the result.", advice="Use more trials.")


@_writes("near-alpha-at-the-least-p")
def _near_alpha_at_the_least_p(caution: Caution, n: int, trials: int, correction: str, p_low: float, p_high: float,
                               undone: bool) -> Words:
    ends = " to ".join(dict.fromkeys((f"{p_low:.4f}", f"{p_high:.4f}")))
    after = "" if correction == "none" else f" ({ends} after {CORRECTIONS[correction]})"
    why = "one more trial as extreme would make " + ("it" if n == 1 else "them") + " not significant" if undone else \
        "more trials could change the result"
    return Words(f"{format_count(n, 'pair')} {_has(n)} the smallest p that {trials:,} trials can give{after} and "
                 f"{_is(n)} borderline: {why}.", advice="Use more trials.")


# -- Training runs -----------------------------------------------------------------------------------------------------


@_writes("training-runs")
def _training_runs(caution: Caution, n: int, level: float, low: float, high: float) -> Words:
    return Words("Scores are means over training runs, and p-values, intervals and ranks hold for these runs only: a "
                 "unit of the test set is swapped or resampled for all runs of a system at once. The SD between runs "
                 f"shows what another training could change, and {n} runs show it only roughly: its {100 * level:g}% "
                 f"CI is {low:.2f} to {high:.3g} times the estimate.")


@_writes("single-run")
def _single_run(caution: Caution, names: Sequence[str]) -> Words:
    has = "has a single training run" if len(names) == 1 else "have single training runs"
    return Words(f"{', '.join(names)} {has}, so how much another training would change the score is unknown.",
                 advice="Give further outputs as runs.")


# -- Experiments -------------------------------------------------------------------------------------------------------


def _sizes(parts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({n:,})" for name, n in parts.items())


@_writes("few-units-in-parts")
def _few_units_in_parts(caution: Caution, parts: Mapping[str, int], unit: str) -> Words:
    return Words(f"There are few {unit}s to resample: {_sizes(parts)}. Intervals and p-values are rough below "
                 f"{FEW_UNITS}.")


@_writes("too-few-units-in-parts")
def _too_few_units_in_parts(caution: Caution, parts: Mapping[str, int], unit: str, alpha: float, needed: int) -> Words:
    return Words(f"With so few {unit}s no pair can be significant at alpha {alpha:g}, however large the difference: "
                 f"{_sizes(parts)}.", advice=f"Use at least {needed}.")


@_writes("domains-without-scores")
def _domains_without_scores(caution: Caution, domains: Sequence[str]) -> Words:
    return Words(f"Domains without {caution.metric} scores are excluded: {', '.join(domains)}.")
