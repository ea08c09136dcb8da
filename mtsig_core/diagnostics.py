"""The warnings that a reader of a comparison needs, as data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping

from mtsig_core.resampling import Units
from mtsig_core.results import Caution, MetricResult, Settings
from mtsig_core.significance import TESTS
from mtsig_core.testset import TestSet

__all__ = ["FAMILY_WISE", "about_texts", "find_cautions", "p_word", "too_large_a_family"]

FEW_UNITS = 30
#: Corrections that control the probability of any false decision.
FAMILY_WISE = ("bonferroni", "holm", "romano-wolf")


def find_cautions(testset: TestSet, settings: Settings, units: Units,
                  results: Mapping[str, MetricResult]) -> tuple[Caution, ...]:
    """All warnings: about the design, the family of pairs, the texts, then single pairs."""
    found = [*_about_design(testset, settings, units, results)]
    for result in results.values():
        found += [*_about_scores(testset, result), *_about_family(settings, result)]
    found += about_texts(testset)
    for result in results.values():
        found += _about_pairs(testset, settings, result)
    return tuple(found)


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warnings about texts that are empty, wholly or in part, or not meant to be translated."""
    canary = [line for line, document, domain in zip(
        testset.lines, testset.documents or (), testset.domains or testset.documents or (), strict=False)
        if "canary" in (document, domain)]
    if canary:
        yield Caution("canary", f"Line {canary[0]} is called canary by the documents file: it is there to be found, "
                                "not translated, and it is scored like any other. Leave it out of all files.")
    for role, group in (("System", testset.systems), ("Reference", testset.references)):
        present_in = {name: [text for text in segments if text is not None] for name, segments in group.items()}
        empty_in = {name: sum(not text.strip() for text in present) for name, present in present_in.items()}
        for name in sorted(group, key=lambda name: -empty_in[name]):  # the worst first
            segments, present, empty = group[name], present_in[name], empty_in[name]
            if present and empty == len(present):
                yield Caution("all-empty", f"{role} {name} has no text at all: all {empty} segments are empty. "
                                           "Check the file.", a=name)
            elif empty:
                line = next(line for line, text in zip(testset.lines, segments, strict=True)
                            if text is not None and not text.strip())
                yield Caution("empty-lines", f"{role} {name} has {empty} empty {_plural(empty, 'segment')} of "
                                             f"{len(present)}, the first at line {line}; scored as empty. "
                                             "Check that nothing was lost.", a=name)


def _about_design(testset, settings, units, results) -> Iterator[Caution]:
    if len(testset.systems) == 1:
        yield Caution("one-system", "Only one system: its score and interval are given, there is no pair to test.",
                      a=next(iter(testset.systems)))
    if testset.documents is None and settings.unit == "block":
        yield Caution("no-documents", "No document ids: blocks of neighbouring segments stand in for documents. Give "
                                      "the ids if there are any (--docs).")
    elif testset.documents is None:
        ids = "--docs" if testset.has_texts else "a column docid"
        yield Caution("no-documents", "No document ids: segments are taken as independent, and neighbouring ones "
                                      "seldom are, least of all in a consecutive extract. Intervals and p may be too "
                                      f"small. Give document ids ({ids}), or use --unit block.")
    elif settings.unit == "segment":
        ratios = [p.se_ratio for r in results.values() for p in r.pairs if p.se_ratio is not None]
        measured = ""
        if ratios:
            measured = (f" Here standard errors of differences by document are {statistics.median(ratios):.2f} times "
                        "those by segment (median over pairs).")
        yield Caution("documents-ignored", "Segments are resampled although document ids are known: sentences of one "
                                           f"document are alike, so p may be too small.{measured} "
                                           "Use --unit document.")
    if units.effective < FEW_UNITS:
        unit = _plural(units.effective, "stationary block" if settings.unit == "block" else settings.unit)
        yield Caution("few-units", f"Only {units.effective} {unit} to resample: intervals and p are rough below "
                                   f"{FEW_UNITS}. Take more, or read the results with care.")
    test = TESTS[settings.test]
    if test.caution:
        code = "as-published" if test.as_published else "assumes"
        yield Caution(f"{settings.test}-{code}", f"{test.title.capitalize()} ({test.source}): {test.caution}")
    if len(results) > 1:
        yield Caution("several-metrics", f"{len(results)} metrics were tried, and the correction is for the pairs "
                                         "within each: choose the one that counts beforehand, or report all.")
    if "nist" in results:
        yield Caution("nist-size", "NIST takes its weights from the references of the test set, so its scores grow "
                                   f"with the size of the set. Compare them on these {testset.n_segments} segments "
                                   "alone.", "nist")


def _about_scores(testset, result) -> Iterator[Caution]:
    """What of the set has segment scores, for a metric that is a mean of them."""
    if result.metric not in testset.scores:
        return
    metric, by_system = result.metric, testset.scores[result.metric].by_system
    rated = {name: frozenset(k for k, value in enumerate(by_system.get(name, ())) if value is not None)
             for name in testset.systems}
    without = [name for name, segments in rated.items() if not segments]
    if without:
        yield Caution("not-rated", f"{len(without)} of {len(rated)} {_plural(len(rated), 'system')} "
                                   f"{'has' if len(without) == 1 else 'have'} no score by {metric} and "
                                   f"{'is' if len(without) == 1 else 'are'} left out there: {', '.join(without)}.",
                      metric)
    some = frozenset().union(*rated.values())
    if len(some) < testset.n_segments:
        yield Caution("partly-rated", f"{metric} has scores for {len(some)} of {testset.n_segments} segments; what is "
                                      "said of it is said of these alone, and of other metrics of all.", metric)
    counts = [len(segments) for segments in rated.values() if segments]
    if len({segments for segments in rated.values() if segments}) > 1:
        yield Caution("rated-on-different-lines", f"By {metric} systems have scores on different lines, "
                                                  f"{min(counts)} to {max(counts)} of them, so their means are of "
                                                  "different segments. Go by the differences of pairs, which are on "
                                                  "the lines that both have.", metric)


def _about_family(settings, result) -> Iterator[Caution]:
    m, test = len(result.pairs), TESTS[settings.test]
    if not m:
        return
    smallest = test.smallest_p(settings.trials)
    if too_large_a_family(settings, m):
        needed = test.trials_for(settings.alpha / m)
        remedy = " or --correction romano-wolf" if test.romano_wolf else ""
        yield Caution("family-too-large", f"{m} pairs are too many for {settings.trials} trials: the smallest p, "
                                          f"{smallest:.2g}, times {m} is above alpha, so {settings.correction} cannot "
                                          f"reject anything. Use --trials {needed} or more{remedy}.", result.metric)
    open_pairs = [pair for pair in result.pairs if not pair.significant]
    if open_pairs:
        widest = max((pair.mdd for pair in open_pairs if pair.mdd is not None), default=0.0)
        verb = "is" if len(open_pairs) == 1 else "are"
        yield Caution("not-equal", f"{len(open_pairs)} of {m} {_plural(m, 'pair')} {verb} not significant, "
                                   "which does not make them equal: a true difference of up to "
                                   f"{widest:.2f} points could go unseen by one test alone, and a larger one after a "
                                   "correction.", result.metric)
    apart = sum(pair.ci_low is not None and not pair.ci_low <= 0 <= pair.ci_high for pair in open_pairs)
    if apart:
        pairs = "1 pair that is" if apart == 1 else f"{apart} pairs that are"
        jointly = ", and decisions hold for all pairs together" if settings.correction in FAMILY_WISE else ""
        yield Caution("interval-and-decision", f"{pairs} not significant {'has' if apart == 1 else 'have'} an interval "
                                               "of the difference without 0. An interval is for its pair alone and by "
                                               f"another method than p{jointly}. Go by the decision.", result.metric)
    if settings.correction not in FAMILY_WISE and any(row.rank_low for row in result.systems):
        yield Caution("ranks-and-correction", "Rank intervals, and who may be first, always control the error over all "
                                              "pairs. Wins, losses and decisions follow the correction "
                                              f"{settings.correction}, which does not: the two may differ.",
                      result.metric)


def too_large_a_family(settings: Settings, n_pairs: int) -> bool:
    """Whether a correction leaves no pair that could be significant, whatever the outputs."""
    smallest = TESTS[settings.test].smallest_p(settings.trials)
    return settings.correction in ("bonferroni", "holm") and n_pairs * smallest > settings.alpha * (1 + 1e-9)


def _about_pairs(testset, settings, result) -> Iterator[Caution]:
    hopeless = too_large_a_family(settings, len(result.pairs))
    for pair in result.pairs:
        about = dict(metric=result.metric, a=pair.a, b=pair.b)
        if pair.n == 0:
            yield Caution("no-common-line", f"{pair.a} and {pair.b} have no line in common with a score by "
                                            f"{result.metric}: they cannot be compared, and their difference is that "
                                            "of means over different lines. Have both rated on the same lines.",
                          **about)
        elif pair.n is not None and pair.n < FEW_UNITS <= testset.n_segments:
            yield Caution("few-common-lines", f"{pair.a} and {pair.b} are compared on only {pair.n} "
                                              f"{_plural(pair.n, 'line')} that both have a score for: interval and p "
                                              "are rough.", **about)
        if result.metric not in testset.scores and testset.systems[pair.a] == testset.systems[pair.b]:
            yield Caution("identical-outputs", f"{pair.a} and {pair.b} have identical outputs.", **about)
        elif pair.p_value is not None and not hopeless and _near(pair, settings):
            yield Caution("near-alpha", f"{pair.a} against {pair.b}: {p_word(settings.correction)} = "
                                        f"{pair.p_adjusted:.4f} is within two "
                                        "Monte Carlo standard errors of alpha. Another seed may decide otherwise; use "
                                        "more trials.", **about)


def _near(pair, settings):
    """Whether the adjusted p lies within two Monte Carlo standard errors of alpha."""
    if settings.trials is None:
        return False
    if settings.correction == "romano-wolf":  # itself a share of the replicates
        error = math.sqrt(pair.p_adjusted * (1 - pair.p_adjusted) / settings.trials)
    else:  # a multiple of one
        share = pair.p_value / TESTS[settings.test].steps
        error = pair.p_adjusted / share * math.sqrt(share * (1 - share) / settings.trials)
    return error > 0 and pair.p_adjusted < 1 and abs(pair.p_adjusted - settings.alpha) <= 2 * error


def p_word(correction: str) -> str:
    """What the p that decides is called."""
    return "p (uncorrected)" if correction == "none" else "adjusted p"


def _plural(n, word):
    return word if n == 1 else f"{word}s"
