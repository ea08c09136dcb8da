"""Parts of the page Validation: experiments on test sets drawn from this one, their work, figures and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.experiments.error_rates import (
    UNIT_SETTINGS,
    changes_between,
    claims,
    families,
    if_independent,
    part_with_documents,
    type_one,
    variants,
)
from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.experiments.papers import (
    KOEHN_6,
    KOEHN_T3,
    KOEHN_T4,
    RIEZLER_MAXWELL_4_4,
    RIEZLER_MAXWELL_T1,
    RIEZLER_MAXWELL_T2,
)
from mtsig_core.experiments.population import describe_swaps
from mtsig_core.experiments.validation import conclusions, coverage, pair_tests
from mtsig_core.figures.experiment_plots import counts, p_values, panels, rates
from mtsig_core.metrics import list_metrics, metric_title
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.table import rounded, signed
from mtsig_core.stats.few_units import FEW_UNITS, least_of_units
from mtsig_core.stats.significance import TESTS, significant
from pages._ui import controls, one_pair, result_cache, screen
from pages._ui.browser import command_box
from pages._ui.screen import or_end_page
from pages._ui.studies import Study, grow, study
from pages._ui.views import View


def study_pair(view: View, place, command: str, label: str, sizes: Sequence[int], key: str, usual: int,
               argument: str) -> Study:
    """An experiment on two systems and a number of repeats that are chosen."""
    with place:
        a, b, (beside,) = one_pair.choose(view, 3)
    with beside:
        return study(view, command, a=a, b=b, **{argument: controls.choice(label, sizes, key, default=usual)})


def by_situation(one, words: Mapping[str, str], *kind: str) -> dict:
    """The row of a kind of test or interval in each situation that there is, by words for that."""
    rows = {f"{words[what]}, by {unit}": one.row(what, unit, *kind) for what, unit in tables.SITUATIONS}
    return {text: row for text, row in rows.items() if row is not None}


def row_of(text: str, rate, theirs: float | None = None) -> tuple:
    """A line of the figure `rates`."""
    return text, rate.share, rate.low, rate.high, theirs


def big(what: str, rate, more: str = "") -> tuple[str, str, str]:
    """A share as a big number, with its Monte Carlo interval."""
    if rate.share is None:
        return what, "-", "none counted"
    return what, f"{100 * rate.share:.1f}%", f"95% Monte Carlo: {100 * rate.low:.1f} to {100 * rate.high:.1f}%{more}"


def warn_of_few_documents(n: int | None) -> None:
    """Say what a handful of documents, or of them drawn, cannot show."""
    if n is not None and n < FEW_UNITS:
        screen.caution_box(f"{n} documents are few: intervals by document are too narrow, and permutations of n "
                           f"documents give no p below 2 / 2^n{'' if n > 9 else f', here {2 / 2 ** n:.2g}'}.")


# Test sets drawn from a larger one: are their conclusions and intervals those of the whole?

_ENOUGH = 5  # samples that tell a share


def show_conclusions(view: View, place) -> None:
    samples = study(view, "validate conclusions")
    one = samples.run(conclusions, "Taking samples", lambda one: _right(one, _size(one, None), False),
                      "samples of all sizes")
    size = _size(one, place)
    koehns = view.testset.simulated and view.metric == "bleu" and one.n_segments == 30_000 and view.alpha == 0.05
    some, right = one.totals(size)
    screen.answer(f"Of {some.n:,} comparisons on samples of {size:,}, {100 * some.share:.0f}% come to a conclusion, "
                  + (f"{round(100 * right.share, 1):g}% of these as the whole test set" if right.n else "all are open"))
    screen.numbers(big(f"Conclude at {view.level}", some), big("Of these as the whole set", right),
                   ("The opposite", str(right.n - right.count), f"of {right.n:,} conclusions"))
    rows = [row for row in one.rows if row.size == size]
    named = "; ".join(f"{a} - {b}" for a, b in one.undecided)
    screen.plain(f"The whole test set is itself a sample. It leaves {len(one.undecided)} of {len(rows)} pairs undecided"
                 f"{f' ({named}), where the opposite need not be wrong' if named else ''} (level {one.alpha:g}, "
                 "approximate randomization, uncorrected, "
                 f"{describe_swaps(view.testset.n_documents or one.n_segments)}).")
    samples.show(_right(one, size, koehns), one.rows,
                 f"Share of samples of {size} that conclude as the whole test set and the opposite, for each pair.")
    st.caption(f"Each system is compared with the next two by score, on {rows[0].right.n} broad samples, with "
               f"{one.resamples:,} bootstrap samples by segment. Bars and brackets: 95% Monte Carlo interval, for all "
               "pairs together by samples." + (
                   f" {metric_title(view.metric)} keeps the weights of the whole test set." if view.recounted else ""))
    screen.show_table(tables.conclusions_at_table(one, size, koehns))
    st.subheader("All sizes")
    screen.show_table(tables.conclusion_table(one, koehns))
    st.caption("Percent as the whole set / the opposite"
               + (f"; in brackets right / wrong of {KOEHN_T3.source}." if koehns else "."))
    _show_calibration(view, one, koehns)


def _size(one, place) -> int:
    """The size of sample that is looked at; the usual one leaves enough of them."""
    return controls.choice("Segments in a sample", one.sizes, "of", width=220, place=place,
                           default=max((size for size in one.sizes if size <= 300 and
                                        one.n_segments // size >= _ENOUGH), default=one.sizes[0]))


def _right(one, size: int, koehns: bool):
    """The figure of what samples of a size conclude of each pair."""
    rows = [row for row in one.rows if row.size == size]
    theirs = [(tables.koehns_conclusions(row) if koehns else None) or (None, None) for row in rows]
    return partial(rates, [row_of(f"{row.a} - {row.b}", row.right, paper[0] and paper[0] / 100)
                           for row, paper in zip(rows, theirs, strict=True)], other=KOEHN_T3.source,
                   against=[row_of(f"{row.a} - {row.b}", row.wrong) for row in rows],
                   words=("as the whole set", "opposite"), what="of the samples")


def _show_calibration(view: View, one, koehns: bool) -> None:
    st.subheader("Is a level as good as its word?")
    theirs = {low: share / 100 for low, _, share in KOEHN_T4.rows["bleu"]} if koehns else {}
    study(view, "validate calibration").show(
        partial(rates, [row_of(row.level, row.right, theirs.get(row.low)) for row in one.levels],
                other=KOEHN_T4.source, what="of the conclusions are as the whole set"),
        one.levels, "Share of conclusions at each level that are as the whole test set.")
    screen.show_table(tables.calibration_table(one, koehns))
    st.caption("Pairs that differ on this set, all sizes together. This is a calibration, not a false-alarm rate: it "
               "does not show 'one wrong in twenty'.")


def show_coverage(view: View, place) -> None:
    covering = study_pair(view, place, "validate coverage", "Test sets", (200, 1000), "repeats", 200, "repeats")
    one = covering.run(coverage, "Covering", partial(_held, view.alpha), "test sets")
    at = _size_situations(one)
    first, *others = (f"{row.covered.share:.1%}" for row in at.values())
    screen.answer(f"{view.level} intervals hold A's true score in {first} of test sets"
                  + ("; when whole documents are drawn, by segment in {}, by document in {}".format(*others)
                     if others else ""))
    screen.numbers(*(big(situation, row.covered) for situation, row in at.items()))
    covering.show(_held(view.alpha, one), one.rows, "Coverage of every kind of interval of the difference.")
    _, intervals, hits = KOEHN_6.rows["bleu"][0]
    size = f"{one.n_segments:,} segments" + (f", or {one.n_documents:,} documents," if one.n_documents else "")
    st.caption(f"The big numbers are percentile intervals of A's score; the figure has every kind, of the difference "
               f"A - B. {one.repeats:,} test sets of {size} are drawn with replacement, each with {one.resamples:,} "
               "resamples; the true score is that of the whole test set. Bars: 95% Monte Carlo interval. "
               f"{KOEHN_6.source}: {hits} of {intervals} intervals at 95% on broad samples.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.coverage_table(one))


def _size_situations(one) -> dict:
    """How often percentile intervals hold the score."""
    return by_situation(one, {"segment": "segments drawn", "document": "documents drawn"}, "percentile", "score")


def _held(alpha: float, one):
    """The figure of every kind of interval of the difference, in each situation."""
    return partial(panels, {situation: [row_of(row.kind, row.covered) for row in one.rows if (
        row.sampled, row.unit, row.quantity) == (first.sampled, first.unit, "difference")]
        for situation, first in _size_situations(one).items()}, 1 - alpha, "of the intervals hold the true difference")


# Many comparisons of which some are of truly different systems.


def show_claims(view: View) -> None:
    claiming = study(view, "validate claims")
    one = claiming.run(claims, "Comparing systems of which three are better", partial(_false, view.alpha), "test sets")
    st.subheader(f"When {one.better} of {one.systems} systems are truly better")
    by = {row.correction: row for row in one.rows}
    bh, rw = by["bh"], by["romano-wolf"]
    screen.answer(f"BH loses {bh.lost.share:.0%} of the {one.true_pairs} true differences, Romano-Wolf "
                  f"{rw.lost.share:.0%}; something false is claimed in {bh.any_false.share:.0%} and "
                  f"{rw.any_false.share:.0%} of test sets")
    claiming.show(_false(view.alpha, one), one.rows, "False claims by correction, counted by test set and by claim.")
    claiming.show(partial(rates, [row_of(row.correction, row.lost) for row in one.rows],
                          what=f"of {one.true_pairs} true differences lost"),
                  one.rows, "Share of true differences that each correction loses.", key="validation.lost")
    st.caption(f"{one.repeats} test sets of {one.n_segments:,} segments, with 95% Monte Carlo intervals; approximate "
               f"randomization by segment, {one.trials:,} permutations. {one.better} of {one.systems} systems are "
               f"better by about {rounded(one.difference)} points, and {one.null_pairs} pairs are of equal systems. "
               "Bonferroni, Holm and Romano-Wolf control the chance of any false claim (left); BH and BY control the "
               "expected share of false claims among all claims (right). Vermillion: above the level.")
    screen.show_table(tables.claim_table(one))


def _false(alpha: float, one):
    """The figure of false claims by correction."""
    return partial(panels, {
        "test sets with a false claim": [row_of(row.correction, row.any_false) for row in one.rows],
        "claims that are false, mean share": [row_of(row.correction, row.false_share) for row in one.rows],
    }, alpha, at_most=True)


# Equal systems: how often tests find a difference all the same, alone and among many comparisons.


def show_type_one(view: View, place) -> None:
    nulls = study_pair(view, place, "validate type1", "Null pairs", (200, 500, 2000), "pairs", 500, "n_pairs")
    one = nulls.run(type_one, "Testing true nulls", partial(_rejections, view.alpha), "null pairs")
    at, predicted = _null_situations(one), "" if one.predicted is None else f"; predicted {100 * one.predicted:.1f}%"
    screen.answer(_describe_false_alarms(one, view.alpha))
    screen.cautions(caution for caution in view.comparison.warnings
                    if caution.kind.concern == "differences" and caution.concerns_pair(one.a, one.b))
    screen.numbers(*(big(situation, row.rejected, predicted * (row is one.row("document", "segment", "ar")))
                     for situation, row in at.items()))
    nulls.show(_rejections(view.alpha, one), one.rows, f"Rejections of {one.n_pairs} true nulls by each test, with "
               f"Monte Carlo intervals; the level is {view.alpha:g}.")
    if one.n_documents is None and view.testset.documents is not None:
        screen.plain(f"No null by document: so few documents favour the worse of {one.a} and {one.b} that no weights "
                     "make the two equal. Choose systems with closer scores.")
    st.caption(f"Rejections of {one.n_pairs:,} true nulls at α = {view.alpha:g}, {one.trials} permutations each; big "
               "numbers: approximate randomization. Bars: 95% Monte Carlo interval; vermillion: off the level. "
               f"Segments swapped: {one.n_segments:,} segments drawn with replacement, then outputs of A and B trade "
               "places by coin, as randomization itself does: only chance moves it off its level. "
               + (f"Documents whole: {one.n_documents} documents drawn with weights that make the scores of A and B "
                  f"equal (exponential tilting, worth {one.effective_documents:,.0f} equally weighted documents). "
                  "Nothing is swapped. ╌ predicted: 2Φ(-z / ratio), with the ratio of standard errors by document / "
                  f"by segment, {one.se_ratio:.2f}." if one.predicted is not None else ""))
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.type_one_table(one))
    _show_variants(view)


def _describe_false_alarms(one, alpha: float) -> str:
    """The headline: false alarms of approximate randomization in each situation, or what so few documents cannot show.
    """
    rates = [f"{row.rejected.share:.1%}" for row in _null_situations(one).values()]
    if one.n_documents is None:
        return f"Testing by segment gives {rates[0]} false alarms at a level of {alpha:.2g} when segments are swapped"
    if not significant(float(least_of_units(TESTS["ar"], "document", np.array(one.n_documents))), alpha):
        return (f"With {one.n_documents} documents no test by document can reject anything; testing by segment gives "
                f"{rates[1]} false alarms")
    return (f"When whole documents are drawn, testing by segment gives {rates[1]} false alarms, testing by document "
            f"{rates[2]} (level {alpha:.2g})")


def _null_situations(one) -> dict:
    """How often randomization rejects."""
    return by_situation(one, tables.NULLS, "ar")


def _rejections(alpha: float, one):
    """The figure of all tests in each situation."""
    at = _null_situations(one)
    return partial(panels, {situation: [row_of(row.test, row.rejected) for row in one.rows
                                        if (row.null, row.unit) == (first.null, first.unit)]
                            for situation, first in at.items()}, alpha, "of true nulls rejected",
                   predicted={} if one.predicted is None else {list(at)[1]: one.predicted})


def _show_variants(view: View) -> None:
    st.subheader("Six equal systems, the first against the others")
    equals = study(view, "validate variants")
    one = equals.run(variants, "Comparing equal systems")
    both = ([(row.p_ar, row.p_as_printed) for row in one.rows], [row[2:] for row in RIEZLER_MAXWELL_T2.rows["nist"]])
    ours, theirs = ([sum(significant(p, view.alpha) for p in test) for test in zip(*table, strict=True)]
                    for table in both)
    screen.answer(f"Of {len(one.rows)} true nulls, randomization rejects {ours[0]} and the bootstrap as printed "
                  f"{ours[1]} (Riezler and Maxwell: {theirs[0]} and {theirs[1]})")
    figure = partial(p_values, {row.pair: {"randomization": row.p_ar, "bootstrap as printed": row.p_as_printed,
                                           "signed shift": row.p_bootstrap,
                                           "their randomization": theirs[2], "their bootstrap": theirs[3]}
                                for row, theirs in zip(one.rows, RIEZLER_MAXWELL_T2.rows["nist"], strict=True)},
                     one.alpha)
    equals.show(figure, one.rows, "p-values of five true nulls by three tests.")
    screen.show_table(tables.variant_table(one))
    st.caption(f"Ours: {one.n_segments:,} segments drawn with replacement, {one.trials:,} permutations by segment; "
               "a system repeats one of the real ones, drawn for each segment. Ratio: ar / bootstrap. Theirs: "
               f"{RIEZLER_MAXWELL_T2.source}, {RIEZLER_MAXWELL_T2.about}, in NIST. They find randomization the more "
               "conservative, which follows from the shift as they print it, whose p, where small, is about half; with "
               "the signed shift both agree. Their 4.3 defines type-I errors backwards, and its '.15' is .015.")


def show_families(view: View, place) -> None:
    comparing = study(view, "validate families")
    one = comparing.run(families, "Comparing equal systems", partial(_wrong, view.alpha), "test sets")
    last = one.of_all_pairs[-1]
    screen.answer(f"Compare {last.systems} equal systems, and something is 'significant' in "
                  f"{100 * last.wrong['none'].share:.0f}% of test sets")
    screen.numbers(big(f"{last.comparisons} comparisons, uncorrected", last.wrong["none"]),
                   big("With Romano-Wolf", last.wrong["romano-wolf"]),
                   ("If they were independent", f"{100 * last.if_independent:.1f}%", "1 - (1 - α)^k"))
    comparing.show(_wrong(view.alpha, one), one.rows,
                   "Share of test sets with a wrong conclusion, by number of systems.")
    st.caption(f"Percent of {one.repeats} test sets of {one.n_segments:,} segments with a wrong conclusion [95% Monte "
               f"Carlo interval]; approximate randomization by segment, {one.trials:,} permutations. The formula "
               "assumes independent comparisons; all pairs of the same systems are not.")
    screen.show_table(tables.family_table(one))
    theirs = "; ".join(f"{k} comparisons of {systems} systems at {level:g} give {error:g} (the formula: "
                       f"{if_independent(level, k):.4f})"
                       for systems, k, level, error in RIEZLER_MAXWELL_4_4.rows["bleu"])
    st.caption(f"{RIEZLER_MAXWELL_4_4.source}: {theirs}. The five are comparisons with the first system.")
    show_claims(view)


def _wrong(alpha: float, one):
    """The figure of wrong conclusions by the number of systems."""
    lines = {f"{row.systems} systems, {row.comparisons} pair{'s' * (row.comparisons > 1)}": row
             for row in one.of_all_pairs}
    return partial(rates, [row_of(text, row.wrong["romano-wolf"]) for text, row in lines.items()], alpha,
                   against=[row_of(text, row.wrong["none"], row.if_independent) for text, row in lines.items()],
                   words=("Romano-Wolf", "uncorrected"), other="1 - (1 - α)^k, if independent",
                   what="of test sets with a wrong conclusion")


# What the metric, the test and the unit make of the same systems.

_SIZES = (300, 2000)  # segments that are offered beside all; the second is the size of Riezler and Maxwell's set


def show_pair(view: View, place) -> None:
    n = view.testset.n_segments
    with place:
        a, b, (beside,) = one_pair.choose(view, 3)
    sizes = [*(size for size in _SIZES if 2 * size <= n), n]
    with beside:
        size = controls.choice("Segments", sizes, "sampled", default=2000 if 2000 in sizes else n)
    asked = {"a": a, "b": b, "n_segments": None if size == n else size}
    usable = list_metrics(view.testset)
    metrics = dict.fromkeys([*(name for name in RIEZLER_MAXWELL_T1.rows if name in usable), view.metric])
    by_metric = {}
    for name in sorted(metrics, key=view.metric.__ne__):  # the metric of the page is counted already
        before = {(len(by_metric), len(metrics)): dict(by_metric)} if by_metric else {}
        by_metric[name] = study(view, "validate pair", name, **asked).run(
            pair_tests, f"Testing by {name}", partial(_figure, view.alpha), "metrics", before)
    by_metric = {name: by_metric[name] for name in metrics}
    real = [metric_title(name) for name, one in by_metric.items() if one.significant("segment", "ar")]
    screen.answer(f"By segment, the difference is significant in {' and '.join(real) or 'none of the metrics'}"
                  + (f", not in {' or '.join(metric_title(m) for m in by_metric if metric_title(m) not in real)}"
                     if 0 < len(real) < len(by_metric) else ""))
    screen.numbers(*((f"{metric_title(name)}: p by randomization", tables.format_p(one.p_value("segment", "ar")),
                      f"improvement of A over B: {signed(one.improvement, tables.pair_form(one))}")
                     for name, one in by_metric.items()))
    study(view, "validate pair", ",".join(by_metric), **asked).show(
        _figure(view.alpha, by_metric),
        [{"metric": name, **row} for name, one in by_metric.items() for row in flatten_rows(one.rows)],
        "p-values of the pair under each metric, by two tests, beside those of the paper.", a, b)
    screen.show_table(tables.pair_tests_table(by_metric))
    screen.plain(f"A is {a}, B is {b}, on {_tested(by_metric)}"
                 + ("." if size == n else f", of the first broad sample of {size:,}."))
    st.caption(f"{next(iter(by_metric.values())).trials:,} permutations, uncorrected. Theirs: "
               f"{RIEZLER_MAXWELL_T1.source}, {RIEZLER_MAXWELL_T1.about}, on another corpus. Their NIST found what "
               "BLEU and F did not; their bootstrap, one-sided as printed, has the smaller p."
               + (" dep-f, their F, needs parses of all texts: upload them with the texts on the page Upload (CoNLL-U)."
                  if "dep-f" not in usable and view.testset.has_texts else ""))


def _tested(by_metric):
    """How many segments the pair was tested on: one number, or one by metric where some lack scores."""
    by_n = {}
    for name, one in by_metric.items():
        by_n.setdefault(one.n_segments, []).append(metric_title(name))
    return ", ".join(f"{n:,} segments" + (f" by {' and '.join(names)}" if len(by_n) > 1 else "")
                     for n, names in by_n.items())


def _figure(alpha, by_metric):
    """The figure of each metric; the published p of .0001 stands for less."""
    rows = {}
    for name, one in by_metric.items():
        theirs = RIEZLER_MAXWELL_T1.rows.get(name, ((None,) * 4,))[0]
        rows[name] = {"randomization": one.p_value("segment", "ar"),
                      "bootstrap as printed": one.p_value("segment", "riezler-maxwell"),
                      "randomization by document": one.p_value("document", "ar"),
                      "their randomization": theirs[2], "their bootstrap": theirs[3]}
    return partial(p_values, rows, alpha)


def show_units(view: View, place) -> None:
    with or_end_page():
        part = part_with_documents(view.testset, view.metric)
    units = study(view, "validate units", trials=view.settings["trials"])
    by_unit = partial(result_cache.comparison, view.testset, view.metric, **UNIT_SETTINGS, **units.asked)
    by_document = by_unit(unit="document")  # documents are fewer, so this one is there first

    def changes(by_segment):
        return changes_between(part, *(one.metrics[view.metric] for one in (by_segment, by_document)),
                               by_segment.settings)

    def by_document_alone():
        grow(_counts(changes(by_document), lambda row: {"by document": row.both}), "validation.growing.units",
             "By document alone so far")

    one = changes(by_unit(unit="segment", meanwhile=by_document_alone))
    correction = view.comparison.settings.correction
    row, corrected = one.row(correction), "uncorrected" if correction == "none" else f"after {correction}"
    of = f"of {format_count(one.n_pairs, 'pair')}, {corrected}"
    screen.answer(_describe_units(one, row, corrected))
    screen.numbers(("Significant by segment", str(row.both + row.segment_only), of),
                   ("By document", str(row.both + row.document_only), of),
                   ("Standard error, ratio", "-" if one.se_ratio_median is None else f"{one.se_ratio_median:.2f}",
                    "median of document / segment" if one.se_ratio_median is None else
                    f"document / segment, median; {one.se_ratio_low:.2f} to {one.se_ratio_high:.2f}"))
    units.show(_counts(one, lambda row: {"by both": row.both, "by segment only": row.segment_only,
                                         "by document only": row.document_only}), one.rows,
               "Pairs that are significant by both units, by segment only, by document only, for each correction.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.unit_table(one))
    st.caption(f"Approximate randomization at α = {one.alpha:g}, {units.asked['trials']:,} permutations; "
               f"{one.n_segments:,} segments in {one.n_documents:,} documents. Segments of a document are alike, so a "
               "test by segment finds too much: trust the test by document.")
    changed = tables.changed_table(one, correction)
    st.subheader(f"The pairs that the unit changes, {corrected}")
    if changed:
        screen.show_table(changed)
        if not one.higher_is_better:
            st.caption(f"{describe_direction(False).capitalize()} of the first over the second.")
        if correction != "none":
            st.caption("Adjusted p-values depend on all pairs together: a pair may change its side although its own "
                       "standard error hardly does.")
        command_box(study(view, "validate changed-pairs", trials=units.asked["trials"]).print_command(),
                    "validation.changed-pairs.command", "the pairs that the unit changes")
    else:
        screen.plain("None.")


def _describe_units(one, row, corrected: str) -> str:
    """The headline: which pairs the unit changes, or why none can be significant."""
    n, only = row.both + row.segment_only, f"; {row.document_only} only by document" if row.document_only else ""
    if row.trials_needed is not None:
        return f"No pair can be significant {corrected} with so few trials: use {row.trials_needed} or more{only}"
    if row.documents_needed is not None:
        return (f"With {one.n_documents} documents no pair can be significant by document, {corrected}: take at least "
                f"{row.documents_needed}{only}")
    return f"{format_count(n, 'pair')} significant by segment, {row.both} of these by document too{only}"


def _counts(one, cut):
    """The figure of significant pairs, cut into parts, by each correction that can find any."""
    return partial(counts, {row.correction: cut(row) for row in one.rows if row.trials_needed is None},
                   f"significant pairs of {one.n_pairs}")
