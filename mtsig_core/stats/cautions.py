"""The warnings that a reader of a comparison needs, as data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from mtsig_core.errors import Remedy, counted, plural
from mtsig_core.languages import SPACELESS, written_in
from mtsig_core.metrics import Metric, depends_on_testset, end_of, metric_of, metric_title, poorly_cut
from mtsig_core.results import Caution, MacroResult, MetricResult, PairResult, Settings
from mtsig_core.stats.arrays import TOLERANCE, holds_zero
from mtsig_core.stats.by_rule import about_rule
from mtsig_core.stats.few_units import (
    FEW_UNITS,
    about_open_pairs,
    can_reach,
    least_of_units,
    least_p,
    least_said,
    most_units,
    rank_correction,
    telling_unit,
    trials_needed,
    units_needed,
    units_said,
    what_lacks,
    what_would_decide,
    which_to_go_by,
    would_decide,
)
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.intervals import LEAST_UNITS
from mtsig_core.stats.ranks import headline, otherwise_led
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import ADJUSTMENTS, FAMILY_WISE, TESTS, is_split, significant
from mtsig_core.testset import TestSet, as_system

#-----------------------------------------------------------------------------------------------------------------------
# The warnings about texts that are compared: empty ones, and words that a tokenizer does not find.


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warnings about texts that are empty, wholly or in part, or not meant to be translated."""
    canary = [line for line, document, domain in zip(
        testset.lines, testset.documents or (), testset.domains or testset.documents or (), strict=False)
        if "canary" in (document, domain)]
    if canary:
        yield Caution("canary", f"Line {canary[0]} is called canary by the documents file: it is there to be found, "
                                "not translated, and it was kept and is scored like any other. Leave it out.")
    domains_of: dict[str, set[str]] = {}
    for document, domain in zip(testset.documents or (), testset.domains or (), strict=False):
        domains_of.setdefault(document, set()).add(domain)
    torn = [document for document, domains in domains_of.items() if len(domains) > 1]
    if torn:
        yield Caution("documents-in-domains", f"{len(torn)} of {len(domains_of)} documents ({named(torn)}) "
                      f"{'has' if len(torn) == 1 else 'have'} segments in more than one domain. What has one id is one "
                      "document: use an id once, and check that the domain stands first (domain<TAB>docid).")
    if not testset.has_texts:
        return
    for role, group in (("System", testset.systems), ("Reference", testset.references)):
        texts_in = {name: len(texts) - texts.count(None) for name, texts in group.items()}
        empty_in = {name: len([text for text in texts if text is not None and not text.strip()])
                    for name, texts in group.items()}
        for name in sorted(group, key=lambda name: -empty_in[name]):  # the worst first
            segments, present, empty = group[name], texts_in[name], empty_in[name]
            if present and empty == present:
                yield Caution("all-empty", f"{role} {name} has no text at all: all {empty} segments are empty. "
                                           "Check the file.", a=name)
            elif empty:
                line = next(line for line, text in zip(testset.lines, segments, strict=True)
                            if text is not None and not text.strip())
                yield Caution("empty-lines", f"{role} {name} has {empty} empty {plural(empty, 'segment')} of "
                                             f"{present}, the first at line {line}; scored as empty. "
                                             "Check that nothing was lost.", a=name)
    yield from about_files(testset)


def about_words(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warnings about metrics whose tokenizer (by the name of the metric) does not cut the references into words."""
    language = written_in(chain(*testset.references.values())) if any(tokenizers.values()) else None
    if language is None:
        return
    for metric, tokenizer in tokenizers.items():
        if better := poorly_cut(tokenizer, language):
            name, score = SPACELESS[language], metric_title(metric)
            remedies: tuple[Remedy, ...] = tuple({"tokenize": other} for other in better)
            if tokenizer == "tercom":
                remedies = {"metrics": "chrf"}, {"metrics": "bleu", "tokenize": better[0]}
            said = (f"{score} takes what stands between spaces for a word, here whole clauses: it says little, and the "
                    f"order of the systems may be another. Go by chrF, or by BLEU with the tokenizer {better[0]}."
                    if tokenizer == "tercom" else
                    f"the tokenizer {tokenizer} does not cut {name} into words: {score} is not what others report, "
                    f"and the order of the systems may be another. Choose the tokenizer {' or '.join(better)}.")
            yield Caution("tokenizer-and-script", f"The references look {name}, and {said}", metric, remedies=remedies)



def named(names: Sequence[str], shown: int = 4) -> str:
    """The first of some names as an English list, and the number of the others."""
    more = len(names) - shown
    listed = [*names[:shown], f"{more} others"] if more > 1 else [*names]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


#-----------------------------------------------------------------------------------------------------------------------
# The warnings that an adjusted p is so near alpha that other draws may decide otherwise.


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


def about_near(settings: Settings, metric: str, pair: PairResult) -> Caution:
    """Of one pair that other draws may decide otherwise."""
    return Caution("near-alpha", f"{pair.a} against {pair.b}: {p_word(settings.correction)} = {pair.p_adjusted:.4f} is "
                                 "within two Monte Carlo standard errors of alpha. Another seed may decide otherwise; "
                                 "use more trials.", metric, a=pair.a, b=pair.b, remedies=_more_trials(settings))


def about_near_at_least(settings: Settings, result: MetricResult, near: Sequence[PairResult]) -> Iterator[Caution]:
    """The same of those that have the smallest p, together: where one more extreme draw would undo what is significant,
    and where only more trials may tell."""
    if not near:
        return
    lost = _undone_by_one(settings, result, near)
    undone, others = ([pair for pair, own in zip(near, lost, strict=True) if bool(own) is so] for so in (True, False))
    for found, why in ((undone, "so near alpha that one more draw as extreme would make it not significant"),
                       (others, "within two Monte Carlo standard errors of alpha, and more trials may decide "
                                "otherwise")):
        if not found:
            continue
        has = "has" if len(found) == 1 else "have"
        ends = dict.fromkeys(f"{end(pair.p_adjusted or 0.0 for pair in found):.4f}" for end in (min, max))
        after = "" if settings.correction == "none" else f"; after {settings.correction} that is {' to '.join(ends)}"
        yield Caution("near-alpha-at-the-least-p",
                      f"{counted(len(found), 'pair')} {has} the smallest p that {settings.trials} trials can "
                      f"give{after}, {why}. Use more trials.", result.metric, remedies=_more_trials(settings))


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


def p_word(correction: str) -> str:
    """What the p that decides is called."""
    return "p (uncorrected)" if correction == "none" else "adjusted p"


#-----------------------------------------------------------------------------------------------------------------------
# The warning that decisions and intervals differ, and which to go by.


def about_intervals(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where decisions do not agree with the intervals that hold as they do: for all pairs together, or for each."""
    jointly = settings.correction in FAMILY_WISE and len(result.tested) > 1
    ends = [(pair, pair.ci_joint_low, pair.ci_joint_high) if jointly else (pair, pair.ci_low, pair.ci_high)
            for pair in result.pairs  # of the others there is no decision to go by
            if pair.decidable and not is_split(pair, settings.alpha)]
    odd = [pair for pair, low, high in ends
           if low is not None and high is not None and pair.significant == holds_zero(low, high)]
    told = []
    for found, decided, zero in ((False, "not significant", "without"), (True, "significant", "with")):
        if n := sum(pair.significant is found for pair in odd):
            told.append(f"{n} {plural(n, 'pair')} that {'is' if n == 1 else 'are'} {decided} "
                        f"{'has' if n == 1 else 'have'} {'a simultaneous' if jointly else 'an'} interval of the "
                        f"difference {zero} 0 in it")
    if told:
        why = "Intervals and decisions are by different methods" if jointly else \
            "An interval is for its pair alone and by another method than the decision"
        steps = ", and a correction in steps may find more than intervals that hold together" \
            if settings.correction in ("holm", "romano-wolf") and jointly and any(pair.significant for pair in odd) \
            else ""
        yield Caution("interval-and-decision", f"{', and '.join(told)}. {why}{steps}. {go_by(settings, odd)}",
                      result.metric)


def go_by(settings: Settings, pairs: Sequence[PairResult]) -> str:
    """Which to go by in pairs whose decision and interval differ: the interval of significant ones whose swaps vary too
    little, the decision of the others."""
    unlike = [pair for pair in pairs if pair.significant and pair.unlike]
    if not unlike:
        return which_to_go_by(settings, pairs)
    n, most = len(pairs) - len(unlike), max(pair.swap_ratio or 0 for pair in unlike)
    which = f" for {len(unlike)} of these pairs ({named([f'{p.a} - {p.b}' for p in unlike])})" if n else ""
    rest = f" Go by the decision for the other{'' if n == 1 else f' {n}'}." if n else ""
    return (f"Go by the interval{which}: samples vary up to {most:.2f} times as much as swaps, as those of systems too "
            f"unlike to trade places, so p is too small.{rest}")


#-----------------------------------------------------------------------------------------------------------------------
# The warning that ranks and decisions differ, as they are corrected otherwise.


def about_ranks(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where ranks and decisions are corrected otherwise, unless they agree on who leads and both hold for all pairs."""
    own, differ = rank_correction(settings), otherwise_first(result)
    follows = settings.correction not in FAMILY_WISE
    if settings.correction != own and (differ or follows):
        yield Caution("ranks-and-correction", f"Rank intervals, and who may be first, are always corrected over all "
                                              f"pairs, here by {own}. Wins, losses and decisions follow the correction "
                                              f"{settings.correction}{', which does not' * follows}. "
                      + (f"So {differ}." if differ else "The two may differ."), result.metric)


def otherwise_first(result: MetricResult | MacroResult) -> str:
    """Whose decisions and ranks say otherwise of being the first, or of a pair, as a part of a sentence; empty where
    none do, or nobody has a rank."""
    if all(row.rank_low is None for row in result.systems):
        return ""
    decided = [pair for pair in result.pairs if pair.decidable]
    if result.pairs and not decided:
        return "no system can win or lose, though there are ranks"
    lost = {pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better is not None}
    wary = [row.system for row in result.systems if (row.rank_low or 1) > 1 and row.system not in lost]
    bold = [row.system for row in result.systems if row.rank_low == 1 and row.system in lost]
    told = [f"{named(names)} {'has' if len(names) == 1 else 'have'} {losses}, and {may} be the first"
            for names, losses, may in ((wary, "no significant loss", "may not"), (bold, "a significant loss", "may"))
            if names]
    ends = {row.system: (row.rank_low or 1, row.rank_high or len(result.systems)) for row in result.systems}
    apart = sum(ends[pair.a][1] < ends[pair.b][0] or ends[pair.b][1] < ends[pair.a][0]
                for pair in decided if pair.better is None)
    if apart:
        told.append(f"{counted(apart, 'pair')} of systems ranked apart {'is' if apart == 1 else 'are'} not significant")
    return "; ".join(told)


#-----------------------------------------------------------------------------------------------------------------------
# The warnings that a reader of a comparison needs, as data.


#: What is wrong with segments as units where documents are known.
DOCUMENTS_IGNORED = ("Segments are resampled although document ids are known: sentences of one document are alike, so "
                     "p may be too small.")

_THAT_MAY_TELL = ("chrf", "ter", "bleu")

#: Warnings that belong beside a verdict, wherever it is: why nobody is declared better where somebody seems to be.
BESIDE_VERDICT = ("split-decision", "cannot-tell-apart")


def find_cautions(testset: TestSet, settings: Settings, units: Units, metrics: Iterable[Metric],
                  results: Mapping[str, MetricResult]) -> tuple[Caution, ...]:
    """All warnings: about the design, the metrics, the family of pairs, the texts, then single pairs."""
    metrics = list(metrics)
    found = [*_about_design(testset, settings, units, results), *_about_size(testset, metrics)]
    known = {metric.name: metric for metric in metrics}
    for name, result in results.items():
        found += [*about_ratings(testset, name), *about_scores(testset, name)]
        found += _about_ends(testset, known[name], result) if name in known else ()
        found += [*_about_references(testset, result), *_about_family(settings, result)]
    found += about_texts(testset)
    found += about_words(testset, {name: result.tokenizer for name, result in results.items()})
    for result in results.values():
        found += [*_about_split(settings, result), *_about_pairs(testset, settings, result)]
    return tuple(found)


def about_several(results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    """The warnings that are about several metrics together."""
    if len(results) < 2:
        return
    yield Caution("several-metrics", f"{len(results)} metrics were tried, and the correction is for the pairs within "
                                     "each: choose the one that counts beforehand, or report all.")
    groups: dict[frozenset[str], list[str]] = {}
    for name, result in results.items():
        if top := headline(result):
            groups.setdefault(frozenset(top), []).append(name)
    if len(groups) > 1:
        told = (f"{named([row.system for row in results[names[0]].systems if row.system in top])} by "
                f"{named(list(map(metric_title, names)))}" for top, names in groups.items())
        yield Caution.of("top-groups-differ", "The metrics do not name the same top group.",
                         here=f"Top groups: {'; '.join(told)}.")


def about_metrics(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warnings about what metrics (by name, with the tokenizer of each) can tell of a test set."""
    for metric in tokenizers:
        yield from about_ratings(testset, metric)
    yield from about_words(testset, tokenizers)


def about_independence(testset: TestSet, unit: str) -> Iterator[Caution]:
    """The warning that without document ids nobody knows which segments hang together."""
    if testset.documents is not None:
        return
    if unit == "block":
        yield Caution("no-documents", "No document ids: blocks of neighbouring segments stand in for documents. Give "
                                      "the ids if there are any.", remedies=({"docs": "FILE"},))
        return
    ids = "a documents file" if testset.has_texts else "a column docid"
    remedies: list[Remedy] = [*[{"docs": "FILE"}] * testset.has_texts, {"unit": "block"}]
    yield Caution.of("no-documents", "No document ids: segments are taken as independent, and neighbouring ones "
                                     "seldom are, least of all in a consecutive extract. Intervals and p may be too "
                                     "small.",
                     advice=f"Give document ids ({ids}), or choose the unit block.", remedies=tuple(remedies))


def _about_design(testset: TestSet, settings: Settings, units: Units,
                  results: Mapping[str, MetricResult]) -> Iterator[Caution]:
    if len(testset.systems) == 1:
        yield Caution("one-system", "Only one system: its score and interval are given, there is no pair to test.",
                      a=next(iter(testset.systems)))
    yield from about_independence(testset, settings.unit)
    if testset.documents is not None and settings.unit == "segment":
        other: dict[str, Any] = {"unit": "document", **({"test": "ar"} if TESTS[settings.test].of_segments else {})}
        m, documents = max((len(result.tested) for result in results.values()), default=0), testset.n_documents or 0
        enough = not m or units_needed(replace(settings, **other), m) <= documents
        yield Caution.of("documents-ignored", DOCUMENTS_IGNORED,
                         here=_se_ratios(results), advice="Choose the unit document." if enough else
                         f"The unit document could decide nothing with {documents}: more of them are needed.",
                         remedies=(other,) if enough else ())
    for n, worth, metric, scored in [(units.pieces, units.effective, None, ""), *(
            (result.n_units, result.n_effective, result.metric, f" with scores by {metric_title(result.metric)}")
            for result in results.values()  # less than the whole set has
            if (result.n_units, result.n_effective) != (units.pieces, units.effective))]:
        if n is not None and worth is not None and worth < FEW_UNITS:
            many = f"{units_said(settings, n)}{scored}"
            rough = f"intervals and p are rough below {FEW_UNITS}." if n >= LEAST_UNITS else \
                f"from fewer than {LEAST_UNITS} there is no interval."
            only = f"Only {many} to resample" if round(worth) == n else \
                f"{many} of unequal size to resample, worth only {worth:.0f} of equal size (Kish 1965)"
            yield Caution.of("few-units", f"{only}: {rough}", metric,
                             advice="Take more, or read the results with care.")
    test = TESTS[settings.test]
    if test.caution:
        code = "as-published" if test.as_published else "assumes"
        yield Caution.of(f"{settings.test}-{code}", f"{test.title.capitalize()} ({test.source}): {test.caution}",
                         advice=test.instead, remedies=({"test": "ar"},))
    if any(name not in testset.scores for name in results):
        others = ", or score with the other references alone, so that it is judged like the rest." \
            if len(testset.references) > 1 else "."
        for reference, system in repeated_references(testset):
            yield Caution("reference-among-systems", f"{system} is reference {reference} word for word, which no "
                                                     f"translation can beat. Exclude it{others}",
                          remedies=({"exclude": system},))
    yield from about_several(results)


def _se_ratios(results: Mapping[str, MetricResult]) -> str:
    """How much larger standard errors by document are, in a sentence; nothing where there are none."""
    ratios = [pair.se_ratio for result in results.values() for pair in result.pairs if pair.se_ratio is not None]
    return "" if not ratios else ("Here standard errors of differences by document are "
                                  f"{statistics.median(ratios):.2f} times those by segment (median over pairs).")


def once(cautions: Iterable[Caution], results: Mapping[str, MetricResult]) -> tuple[Caution, ...]:
    """The warnings of several comparisons, which found these results together: what all warn of, once."""
    return tuple(dict.fromkeys(
        Caution.of(one.code, one.general, here=_se_ratios(results), advice=one.advice, remedies=one.remedies)
        if one.code == "documents-ignored" else one for one in cautions))


def _about_size(testset: TestSet, metrics: Iterable[Metric]) -> Iterator[Caution]:
    for metric in filter(depends_on_testset, metrics):
        yield Caution(f"{metric.name}-size", f"{metric_title(metric.name)} takes its weights from the references of "
                                             "the test set, so its scores grow with the size of the set. Compare them "
                                             f"on these {testset.n_segments:,} segments alone.", metric.name)


def about_ratings(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warnings about human translations: those that have ratings and are not ranked, or have nothing but ratings."""
    if metric not in testset.scores:
        if testset.rated_alone:
            yield Caution("ratings-alone", f"{', '.join(testset.rated_alone)} takes part by ratings alone, not by "
                                           f"{metric_title(metric)}: a reference is not scored by itself.", metric)
        return
    by_system = testset.scores[metric].by_system
    counts = {name: sum(value is not None for value in by_system.get(name, ())) for name in testset.waiting}
    for name, n in counts.items():
        if n:
            yield Caution("ratings-of-references", f"{n} {plural(n, 'score')} of {name} by {metric} "
                                                   f"{'is' if n == 1 else 'are'} not used: it is a human translation, "
                                                   f"no system. To rank it as {as_system(name)}, let references take "
                                                   "part as systems.", metric, remedies=({"refs_as_systems": True},))


def about_scores(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warnings about what of the set has segment scores, for a metric that is a mean of them."""
    if metric not in testset.scores:
        return
    by_system = testset.scores[metric].by_system
    every, values_of = frozenset(range(testset.n_segments)), {name: by_system.get(name, ()) for name in testset.systems}
    rated = {name: every if len(values) == len(every) and None not in values else
             frozenset(k for k, value in enumerate(values) if value is not None) for name, values in values_of.items()}
    without = [name for name, segments in rated.items() if not segments]
    if without:
        yield Caution("not-rated", f"{len(without)} of {len(rated)} {plural(len(rated), 'system')} "
                                   f"{'has' if len(without) == 1 else 'have'} no score by {metric} and "
                                   f"{'is' if len(without) == 1 else 'are'} left out there: {', '.join(without)}.",
                      metric)
    some = frozenset().union(*rated.values())
    if len(some) < testset.n_segments:
        yield Caution.of("partly-rated", f"{metric} has scores for {len(some):,} of {testset.n_segments:,} segments.",
                         metric, advice="What is said of it is said of these alone, and of other metrics of all.")
    counts = [len(segments) for segments in rated.values() if segments]
    if len({segments for segments in rated.values() if segments}) > 1:
        low, high = min(counts), max(counts)
        compared = any(a & b for a, b in combinations([one for one in rated.values() if one], 2))
        many = f"{low} to {high} of them" if low < high else f"{low} of them each"
        yield Caution("rated-on-different-lines", f"By {metric} systems have scores on different lines, "
                                                  f"{many}, so their means are of different segments."
                      + (" Go by the differences of pairs, which are on the lines that both have." if compared else ""),
                      metric)


def _about_ends(testset: TestSet, metric: Metric, result: MetricResult) -> Iterator[Caution]:
    """Where a metric gives systems the same score whatever is drawn: at an end of its range, or as it does not count
    what their outputs differ in."""
    if metric.name in testset.scores:
        return
    by, ends, lowest = metric_title(metric.name), dict[str, list[str]](), None
    for row in result.systems:
        if (why := end_of(metric, row.score)) is not None:
            ends.setdefault(f"{by} is {row.score:.2f} for {{names}}, as {why}", []).append(row.system)
            if metric.higher_is_better and round(row.score) == 0:
                lowest = row.system
    at_end, same = {name for names in ends.values() for name in names}, list[set[str]]()
    for pair in result.tested:
        if pair.se == 0 == pair.delta and pair.a not in at_end and not _same_outputs(testset, pair.a, pair.b):
            joined = [group for group in same if group & {pair.a, pair.b}]
            same = [group for group in same if group not in joined] + [{pair.a, pair.b}.union(*joined)]
    told = [(said, names) for said, names in ends.items() if len(names) > 1 or lowest in names]
    told += [(f"{by} is the same for {{names}} in every sample: their outputs differ only in what it does not count",
              [row.system for row in result.systems if row.system in group]) for group in same]
    for said, names in told:
        if len(names) == 1:
            yield Caution("cannot-tell-apart", f"{said.format(names=names[0])}: it cannot show how far {names[0]} is "
                                               "from other systems.", metric.name)
            continue
        other, n, of = _telling_metric(testset, metric.name, names)
        advice = "No other metric can: the outputs are identical." if not of else \
            "None of chrF, TER and BLEU can tell them apart." if other is None else \
            f"{metric_title(other)} can tell " + ("them apart." if n == of else f"{n} of the {of} pairs apart.")
        yield Caution.of(
            "cannot-tell-apart", f"{said.format(names=named(names))}. It cannot tell them apart, and there is no "
            "minimum detectable difference.", metric.name, advice=advice,
            remedies=() if other is None else ({"metrics": other},))


def _telling_metric(testset: TestSet, metric: str, names: Sequence[str]) -> tuple[str | None, int, int]:
    """The metric of texts that gives most pairs of these systems different scores; of how many pairs, and how many have
    different outputs."""
    part = testset.only(names)
    differ = [(i, j) for i, j in combinations(range(len(part.systems)), 2)
              if not _same_outputs(part, *(list(part.systems)[k] for k in (i, j)))]
    best, most = None, 0
    for other in (name for name in _THAT_MAY_TELL if differ and name != metric):
        made = metric_of(replace(part, scores={}), other)
        scores = np.asarray(made.score(made.statistics(part).sum(axis=1)))
        n = sum(abs(scores[i] - scores[j]) > TOLERANCE * abs(scores[i]) for i, j in differ)
        if n > most:
            best, most = other, n
    return best, most, len(differ)


def _same_outputs(testset: TestSet, a: str, b: str) -> bool:
    """Whether two systems have the same outputs, those of further training runs too."""
    return testset.systems[a] == testset.systems[b] and testset.runs.get(a) == testset.runs.get(b)


def _about_references(testset: TestSet, result: MetricResult) -> Iterator[Caution]:
    said = disagreement(result, testset.n_segments)
    if said is not None:
        yield Caution("references-disagree", f"{said} Say which reference counts, or report the result by each.",
                      result.metric)


def disagreement(result: MetricResult, n_segments: int) -> str | None:
    """A sentence on the references by which alone others are ahead than by all together; None where they agree."""
    together, told = headline(result) or (), []
    for row in otherwise_led(result):
        part = "" if row.n_segments == n_segments else f" (on the {row.n_segments:,} of {n_segments:,} segments it has)"
        gone = [name for name in together if name not in row.leaders]
        new = [name for name in row.leaders if name not in together]
        if not gone:
            said = f"{named(new)} may be the first too"
        else:
            ahead = "may be the first" if len(row.leaders) > 1 else \
                "is ahead of all others" if row.ahead else "alone may be the first"
            said = f"{named(row.leaders)} {ahead}, and not {named(gone)}"
        told.append(f"with {row.reference} alone{part} {said}")
    if told:
        return f"The references do not agree on who is ahead by {metric_title(result.metric)}: {'; '.join(told)}."
    return None


def repeated_references(testset: TestSet) -> list[tuple[str, str]]:
    """The references that systems repeat word for word, each with one of these systems."""
    return [(reference, system) for reference, texts in testset.references.items()
            for system, said in testset.systems.items()
            if any(texts) and all(text in (None, other) for text, other in zip(texts, said, strict=True))]


def _about_family(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    m, test = len(result.tested), TESTS[settings.test]
    if not m:
        return
    lacks = what_lacks(settings, result)
    if lacks == "units":
        n = most_units(result)
        least = float(least_p(settings, np.array([n]))[0])
        times = "" if settings.correction not in ("bonferroni", "holm") or m == 1 else \
            f", {min(1.0, least * m):.3g} after {settings.correction} over {m} pairs,"
        yield Caution("too-few-units", f"With {units_said(settings, n)} {least_said(settings)} is "
                                       f"{least:.3g}{times} and no pair can be significant at alpha "
                                       f"{settings.alpha:g}, however large the difference, which does not make any "
                                       f"systems equal. {what_would_decide(settings, m, n)}", result.metric,
                      remedies=would_decide(settings, m, n))
    elif lacks == "trials":
        needed = trials_needed(settings, m)
        remedy = ", or the correction romano-wolf" if test.romano_wolf else ""
        others: list[Remedy] = [{"correction": "romano-wolf"}] if test.romano_wolf else []
        yield Caution("family-too-large", f"{m} pairs are too many for {settings.trials} trials: after the correction "
                                          f"{settings.correction} even the smallest p, "
                                          f"{test.smallest_p(settings.trials):.2g}, is above alpha, so it cannot "
                                          f"reject anything. Use {needed} trials or more{remedy}.", result.metric,
                      remedies=(*([{"trials": needed}] if needed is not None else []), *others))
    if lacks not in ("units", "differences"):
        yield from about_open_pairs(settings, result)
        yield from about_intervals(settings, result)
    if result.ruled is not None:
        yield about_rule(settings, result, result.ruled)
    elif any(row.rank_low for row in result.systems):
        yield from about_ranks(settings, result)


def _about_split(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where the test's own statistic favours one system and the difference of the scores does not."""
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    if not split:
        return
    by, test = metric_title(result.metric), TESTS[settings.test]
    where, names = f" in {len(split)} of {len(result.tested)} pairs", ""
    if len(result.tested) == 1:
        where, (pair,) = "", split
        first, second = (pair.a, pair.b) if pair.favours == "a" else (pair.b, pair.a)
        sides = (f"{test.statistic} favour {first}, the difference of the scores favours "
                 f"{second if pair.delta else 'neither'}")
    else:
        sides = f"{test.statistic} favour one system, and the difference of the scores does not"
        names = f"These are {named([f'{pair.a} - {pair.b}' for pair in split])}."
    yield Caution.of("split-decision", f"Test and scores disagree{where} by {by}: {sides}. mtsig declares neither "
                                       "system better there.", result.metric, here=names,
                     advice="A few segments with large differences can do this. Look at them, or test the difference "
                            "of the scores itself with the test ar.", remedies=({"test": "ar"},))


def _about_pairs(testset: TestSet, settings: Settings, result: MetricResult) -> Iterator[Caution]:
    hopeless, at_least = what_lacks(settings, result) is not None, list[PairResult]()
    some = any(pair.decidable for pair in result.pairs)
    for pair in result.pairs:
        about: dict[str, Any] = dict(metric=result.metric, a=pair.a, b=pair.b)
        if pair.n == 0:
            yield Caution("no-common-line", f"{pair.a} and {pair.b} have no line in common with a score by "
                                            f"{metric_title(result.metric)}: they cannot be compared, and their "
                                            "difference is that of means over different lines. Have both rated on the "
                                            "same lines.", **about)
        elif some and not pair.decidable and pair.n_units is not None and not can_reach(settings, np.array(
                [pair.n_units]), "none").any():
            yield Caution("too-few-common-units", f"{pair.a} and {pair.b} have only "
                                                  f"{units_said(settings, pair.n_units)} in common with scores by "
                                                  f"{metric_title(result.metric)}: with so few no difference can be "
                                                  "significant. Have more of them rated for both.", **about)
        elif _few_in_common(pair, result, testset.n_segments):
            worth = "" if settings.unit != "document" or pair.n_effective is None else \
                f" in {units_said(settings, pair.n_units or 0)}"
            if worth and pair.n_effective is not None and round(pair.n_effective) != pair.n_units:
                worth += f", worth {pair.n_effective:.0f} of equal size"
            yield Caution("few-common-lines", f"{pair.a} and {pair.b} are compared on only {pair.n} "
                                              f"{plural(pair.n or 0, 'line')} that both have a score for{worth}: "
                                              "interval and p are rough.", **about)
        if pair.n_apart is not None and (least := float(least_of_units(
                TESTS[settings.test], settings.unit, np.array(pair.n_apart), settings.block_length))) > 0 and (
                not pair.decidable or pair.p_value is not None and pair.p_value <= least):
            of = pair.n if settings.unit == "block" else pair.n_units
            texts = _texts_apart(testset, settings, pair, result.metric)
            more = "" if texts <= pair.n_apart else f" (their texts differ in {texts:,})"
            yield Caution("few-differences", f"By {metric_title(result.metric)} {pair.a} and {pair.b} differ in only "
                                             f"{counted(pair.n_apart, telling_unit(settings))} of {of}{more}, and the "
                                             f"others say nothing of which is better: {least_said(settings)} is "
                                             f"{least:.2g} from so few.", **about)
        if result.metric not in testset.scores and _same_outputs(testset, pair.a, pair.b):
            yield Caution("identical-outputs", f"{pair.a} and {pair.b} have identical outputs.", **about)
        elif pair.n and _same_scores(testset, pair, result.metric):
            yield Caution("identical-scores", f"{pair.a} and {pair.b} have identical scores by "
                                              f"{metric_title(result.metric)} on all {counted(pair.n, 'segment')}.",
                          **about)
        elif pair.decidable and not (hopeless or result.exact) and is_near(pair, settings):
            if at_least_p(pair, settings):
                at_least.append(pair)
            else:
                yield about_near(settings, result.metric, pair)
    yield from about_near_at_least(settings, result, at_least)


def _texts_apart(testset: TestSet, settings: Settings, pair: PairResult, metric: str) -> int:
    """In how many units the outputs of two systems differ; 0 where what is compared are given scores."""
    if metric in testset.scores:
        return 0
    outputs = zip(*([testset.systems[name], *testset.runs.get(name, ())] for name in (pair.a, pair.b)), strict=False)
    apart = {k for first, second in outputs for k, (one, other) in enumerate(zip(first, second, strict=True))
             if one != other}
    return len({testset.document_index[k] for k in apart}) if telling_unit(settings) == "document" else len(apart)


def _same_scores(testset: TestSet, pair: PairResult, metric: str) -> bool:
    """Whether segment scores that came with the test set are the same wherever two systems both have one."""
    by_system = testset.scores[metric].by_system if metric in testset.scores else {}
    return pair.a in by_system and pair.b in by_system and all(
        a == b or a is None or b is None for a, b in zip(by_system[pair.a], by_system[pair.b], strict=True))


def _few_in_common(pair: PairResult, result: MetricResult, n_segments: int) -> bool:
    """Whether a pair has few segments or units in common where the whole has enough."""
    return any(here is not None and of_all is not None and here < FEW_UNITS <= of_all
               for here, of_all in ((pair.n_effective, result.n_effective), (pair.n, n_segments)))
