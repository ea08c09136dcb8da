"""Parts of the page Validation: experiments on test sets drawn from this one, their work, figures and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

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
from pages._ui import charts, controls, one_pair, result_cache, screen
from pages._ui.browser import command_box
from pages._ui.screen import or_end_page
from pages._ui.views import View


def run(view: View, function: Callable, what: str, *, figure: Callable[[Any], Callable[[], go.Figure]] | None = None,
        things: str = "", before: Mapping[tuple[int, int], Any] = MappingProxyType({}), **asked):
    """The result of an experiment on the test set of the view.

    Until it is there, the `figure` of the result of the first repeats is drawn; `things` is what repeats are called. An
    experiment without repeats is given what is there `before` it, by how much of how much that is.
    """
    def growing(parts):
        (done, n), one = max(parts.items(), key=itemgetter(0))
        grow(figure(one), f"{function.__name__}.{done}", f"{done:,} of {n:,} {things} so far",
             "" if before else ", so intervals are wider than they will be")

    return view.experiment(function, what, meanwhile=figure and growing, before=before, alpha=view.alpha,
                           seed=view.settings["seed"], **asked)


def command(view: View, name: str, metrics: str | None = None, **asked) -> str:
    """The command line that prints the numbers of an experiment; what is None is left out."""
    return view.command(f"validate {name}", metrics=metrics or view.metric, alpha=view.alpha,
                        seed=view.settings["seed"], **asked)


def show_figure(view: View, figure: Callable[[], go.Figure], rows: Sequence, name: str, alt: str, key: str = "",
                **asked) -> None:
    """A figure with the rows that the command prints as its numbers; the page has a table of them anyway."""
    charts.show(figure, key=f"validation.{key or name}", files=view.named(), command=command(view, name, **asked),
                alt=alt, with_table=False, rows=flatten_rows(rows))


def grow(figure: Callable[[], go.Figure], name: str, sentence: str, more: str = "") -> None:
    """Draw a figure that is not whole yet, and say what it is of."""
    charts.grow(figure, f"validation.growing.{name}", f"{sentence}.")
    screen.faint(f"{sentence}{more}. Numbers, tables and files come with the last.")


def by_situation(one, words: Mapping[str, str], *kind: str) -> dict:
    """The row of a kind of test or interval in each situation that there is, by words for that."""
    rows = {f"{words[what]}, by {unit}": one.row(what, unit, *kind) for what, unit in tables.SITUATIONS}
    return {text: row for text, row in rows.items() if row is not None}


def drawn_each(one) -> str:
    """How large the test sets of an experiment are."""
    return f"{one.n_segments:,} segments" + (f", or {one.n_documents:,} documents," if one.n_documents else "")


def row_of(text: str, rate, theirs: float | None = None) -> tuple:
    """A line of the figure `rates`."""
    return text, rate.share, rate.low, rate.high, theirs


def big(what: str, rate) -> tuple[str, str, str]:
    """A share as a big number, with its Monte Carlo interval."""
    if rate.share is None:
        return what, "-", "none counted"
    return what, f"{100 * rate.share:.1f}%", f"95% Monte Carlo: {100 * rate.low:.1f} to {100 * rate.high:.1f}%"


def warn_of_few_documents(n: int | None) -> None:
    """Say what a handful of documents, or of them drawn, cannot show."""
    if n is not None and n < FEW_UNITS:
        screen.caution_box(f"{n} documents are few: intervals by document are too narrow, and swaps of n documents "
                           f"give no p below 2 / 2^n{'' if n > 9 else f', here {2 / 2 ** n:.2g}'}.")


# Test sets drawn from a larger one: are their conclusions and intervals those of the whole?

_ENOUGH = 5  # samples that tell a share


def show_conclusions(view: View, place) -> None:
    one = run(view, conclusions, "Taking samples", things="samples of all sizes",
                      figure=lambda one: _right(one, _size(one, None), False))
    size = _size(one, place)
    koehns = view.testset.simulated and view.metric == "bleu" and one.n_segments == 30_000 and view.alpha == 0.05
    some, right = one.totals(size)
    screen.answer(f"Of {some.n:,} comparisons on samples of {size:,}, {100 * some.share:.0f}% come to a conclusion, "
                  + (f"{round(100 * right.share, 1):g}% of these as the whole test set" if right.n else "all are open"))
    screen.numbers(big(f"Conclude at {view.level}", some), big("Of these as the whole set", right),
                   ("The opposite", str(right.n - right.count), f"of {right.n:,} conclusions"))
    _say_undecided(one, view.testset.n_documents or one.n_segments)
    rows = [row for row in one.rows if row.size == size]
    show_figure(view, _right(one, size, koehns), one.rows, "conclusions",
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
    return partial(rates, [row_of(f"{row.a} - {row.b}", row.right, _share(paper[0]))
                           for row, paper in zip(rows, theirs, strict=True)], other=KOEHN_T3.source,
                   against=[row_of(f"{row.a} - {row.b}", row.wrong) for row in rows],
                   words=("as the whole set", "opposite"), what="of the samples")


def _show_calibration(view: View, one, koehns: bool) -> None:
    st.subheader("Is a level as good as its word?")
    theirs = {low: _share(share) for low, _, share in KOEHN_T4.rows["bleu"]} if koehns else {}
    show_figure(view, partial(rates, [row_of(row.level, row.right, theirs.get(row.low)) for row in one.levels],
                              other=KOEHN_T4.source, what="of the conclusions are as the whole set"),
                one.levels, "calibration", "Share of conclusions at each level that are as the whole test set.")
    screen.show_table(tables.calibration_table(one, koehns))
    st.caption("Pairs that differ on this set, all sizes together. This is a calibration, not a false-alarm rate: it "
               "does not show 'one wrong in twenty'.")


def _say_undecided(one, n_units) -> None:
    """What conclusions are held against may itself be chance."""
    pairs = dict.fromkeys((row.a, row.b) for row in one.rows)
    named = "; ".join(f"{a} - {b}" for a, b in one.undecided)
    undecided = f"leaves {len(one.undecided)} of {len(pairs)} pairs undecided ({named}), where the opposite need " \
        "not be wrong" if named else "decides each of these pairs"
    screen.plain(f"Conclusions are compared with the order on the whole test set, itself a larger sample. It "
                 f"{undecided} (p at most {one.alpha:g} by approximate randomization, uncorrected, "
                 f"{describe_swaps(n_units)}).")


def show_coverage(view: View, place) -> None:
    with place:
        a, b, (beside,) = one_pair.choose(view, 3)
    with beside:
        n = controls.choice("Test sets", (200, 1000), "repeats", default=200)
    one = run(view, coverage, "Covering", figure=partial(_held, view.alpha), things="test sets", a=a, b=b, repeats=n)
    at = _size_situations(one)
    first, *others = (row.covered for row in at.values())
    screen.answer(f"{view.level} intervals hold A's true score {_describe_coverage(first, view.alpha)} of test sets"
                  + ("; where documents are drawn, by segment {}, by document {}".format(
                      *(_describe_coverage(other, view.alpha) for other in others)) if others else ""))
    screen.numbers(*(big(situation, row.covered) for situation, row in at.items()))
    show_figure(view, _held(view.alpha, one), one.rows, "coverage",
                "Coverage of every kind of interval of the difference.", a=a, b=b, repeats=n)
    _, intervals, hits = KOEHN_6.rows["bleu"][0]
    st.caption(f"The big numbers are percentile intervals of A's score; the figure has every kind, of the difference "
               f"A - B. {n:,} test sets of {drawn_each(one)} are drawn with replacement, each with {one.resamples:,} "
               "bootstrap samples; the true score is that of the whole test set. Bars: 95% Monte Carlo interval. "
               f"{KOEHN_6.source}: {hits} of {intervals} intervals at 95% on broad samples.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.coverage_table(one))


def _describe_coverage(covered, alpha: float) -> str:
    """How often intervals hold what they should, and that this is too seldom or too often where it is for sure."""
    verdict = "only " if covered.high < 1 - alpha else ""
    return f"in {verdict}{100 * covered.share:.1f}%" + " (more than they should)" * (covered.low > 1 - alpha)


def _size_situations(one) -> dict:
    """How often percentile intervals hold the score."""
    return by_situation(one, {"segment": "segments drawn", "document": "documents drawn"}, "percentile", "score")


def _held(alpha: float, one):
    """The figure of every kind of interval of the difference, in each situation."""
    return partial(panels, {situation: [row_of(row.kind, row.covered) for row in one.rows if (
        row.sampled, row.unit, row.quantity) == (first.sampled, first.unit, "difference")]
        for situation, first in _size_situations(one).items()}, 1 - alpha, "of the intervals hold the true difference")


def _share(percent):
    return None if percent is None else percent / 100


# Many comparisons of which some are of truly different systems.


def show_claims(view: View) -> None:
    one = run(view, claims, "Comparing systems of which three are better", figure=partial(_false, view.alpha),
                      things="test sets")
    st.subheader(f"When {one.better} of {one.systems} systems are truly better")
    by = {row.correction: row for row in one.rows}
    screen.answer(f"BH loses {_percent(by['bh'].lost)} of the {one.true_pairs} true differences, Romano-Wolf "
                  f"{_percent(by['romano-wolf'].lost)}; something false is claimed in "
                  f"{_percent(by['bh'].any_false)} and {_percent(by['romano-wolf'].any_false)} of test sets")
    show_figure(view, _false(view.alpha, one), one.rows, "claims",
                "False claims by correction, counted by test set and by claim.")
    show_figure(view, partial(rates, [row_of(row.correction, row.lost) for row in one.rows],
                              what=f"of {one.true_pairs} true differences lost"),
                one.rows, "claims", "Share of true differences that each correction loses.", key="lost")
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


def _percent(rate) -> str:
    return f"{100 * rate.share:.0f}%"


# Equal systems: how often tests find a difference all the same, alone and among many comparisons.

_HANG = 1.1  # of standard errors by document over those by segment


def show_type_one(view: View, place) -> None:
    with place:
        a, b, (beside,) = one_pair.choose(view, 3)
    with beside:
        n = controls.choice("Null pairs", (200, 500, 2000), "pairs", default=500)
    one = run(view, type_one, "Testing true nulls", figure=partial(_rejections, view.alpha), things="null pairs",
                      a=a, b=b, n_pairs=n)
    at = _null_situations(one)
    numbers = [big(situation, row.rejected) for situation, row in at.items()]
    if one.predicted is None:
        screen.answer(_by_segment(next(iter(at.values())).rejected, view.alpha))
    else:
        screen.answer(_by_both(one, *(row.rejected for row in at.values()), view.alpha))
        what, share, interval = numbers[1]
        numbers[1] = what, share, f"{interval}; predicted {100 * one.predicted:.1f}%"
    screen.cautions(caution for caution in view.comparison.warnings
                    if caution.kind.concern == "differences" and caution.concerns_pair(a, b))
    screen.numbers(*numbers)
    show_figure(view, _rejections(view.alpha, one), one.rows, "type1",
                f"Rejections of {n} true nulls by each test, with Monte Carlo intervals; the level is {view.alpha:g}.",
                a=a, b=b, pairs=n)
    if one.n_documents is None and view.testset.documents is not None:
        screen.plain(f"No null by document: so few documents favour the worse of {one.a} and {one.b} that no weights "
                     "make the two equal. Choose systems with closer scores.")
    st.caption(f"Rejections of {n:,} true nulls at α = {view.alpha:g}, {one.trials} permutations each; big numbers: "
               "approximate randomization. Bars: 95% Monte Carlo interval; vermillion: off the level. "
               f"Segments swapped: {one.n_segments:,} segments drawn with replacement, then outputs of A and B trade "
               "places by coin, as randomization itself does: only chance moves it off its level. "
               + (f"Documents whole: {one.n_documents} documents drawn with weights that make the scores of A and B "
                  f"equal (exponential tilting, worth {one.effective_documents:,.0f} equally weighted documents). "
                  "Nothing is swapped. ╌ predicted: 2Φ(-z / ratio), with the ratio of standard errors by document / "
                  f"by segment, {one.se_ratio:.2f}." if one.predicted is not None else ""))
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.type_one_table(one))
    _show_variants(view)


def _by_segment(rejected, alpha: float) -> str:
    """What comes of swapped segments: the level holds by construction, and yet these nulls may miss it."""
    if not (rejected.low > alpha or rejected.high < alpha):
        return "By segment, approximate randomization keeps its level by construction"
    chance = ", here by chance: take more null pairs" if rejected.low > alpha else ""
    return (f"By segment, approximate randomization rejects {100 * rejected.share:.1f}% [{100 * rejected.low:.1f}, "
            f"{100 * rejected.high:.1f}] of these true nulls instead of {100 * alpha:g}%{chance}")


def _by_both(one, _, by_segment, by_document, alpha: float) -> str:
    """What comes of either unit where whole documents are drawn; documents need not hang together, nor decide."""
    segment = f"randomization by segment {_kept(by_segment, alpha)}"
    if not significant(float(least_of_units(TESTS["ar"], "document", np.array(one.n_documents))), alpha):
        return f"With {one.n_documents} documents no test by document can reject anything; {segment}"
    begin = "Where documents hang together" if one.se_ratio >= _HANG else \
        f"Documents do not hang together here (ratio of standard errors {one.se_ratio:.2f})"
    return f"{begin}{',' if one.se_ratio >= _HANG else ':'} {segment}; by document it {_kept(by_document, alpha)}"


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


def _kept(rejected, alpha: float) -> str:
    """What may be said of a level: that it is kept only where the interval of the rate is narrow."""
    if rejected.low > alpha:
        return f"rejects {100 * rejected.share:.0f}% of true nulls instead of {100 * alpha:g}%"
    if rejected.high < alpha:
        return "stays below its level"
    return "keeps its level" if rejected.high < 1.5 * alpha else "may keep its level: too few null pairs to tell"


def _show_variants(view: View) -> None:
    st.subheader("Six equal systems, the first against the others")
    one = run(view, variants, "Comparing equal systems")
    both = ([(row.p_ar, row.p_as_printed) for row in one.rows], [row[2:] for row in RIEZLER_MAXWELL_T2.rows["nist"]])
    ours, theirs = ([sum(significant(p, view.alpha) for p in test) for test in zip(*table, strict=True)]
                    for table in both)
    screen.answer(f"Of {len(one.rows)} true nulls, randomization rejects {ours[0]} and the bootstrap as printed "
                  f"{ours[1]} (Riezler and Maxwell: {theirs[0]} and {theirs[1]})")
    show_figure(view, partial(p_values, {row.pair: {"randomization": row.p_ar, "bootstrap as printed": row.p_as_printed,
                                             "signed shift": row.p_bootstrap,
                                             "their randomization": theirs[2], "their bootstrap": theirs[3]}
                                  for row, theirs in zip(one.rows, RIEZLER_MAXWELL_T2.rows["nist"], strict=True)},
                       one.alpha),
                one.rows, "variants", "p-values of five true nulls by three tests.")
    screen.show_table(tables.variant_table(one))
    st.caption(f"Ours: {one.n_segments:,} segments drawn with replacement, {one.trials:,} permutations by segment; "
               "a system repeats one of the real ones, drawn for each segment. Ratio: ar / bootstrap. Theirs: "
               f"{RIEZLER_MAXWELL_T2.source}, {RIEZLER_MAXWELL_T2.about}, in NIST. They find randomization the more "
               "conservative, which follows from the shift as they print it, whose p, where small, is about half; with "
               "the signed shift both agree. Their 4.3 defines type-I errors backwards, and its '.15' is .015.")


def show_families(view: View, place) -> None:
    one = run(view, families, "Comparing equal systems", figure=partial(_wrong, view.alpha), things="test sets")
    last = one.of_all_pairs[-1]
    screen.answer(f"Compare {last.systems} equal systems, and something is 'significant' in "
                  f"{100 * last.wrong['none'].share:.0f}% of test sets")
    screen.numbers(big(f"{last.comparisons} comparisons, uncorrected", last.wrong["none"]),
                   big("With Romano-Wolf", last.wrong["romano-wolf"]),
                   ("If they were independent", f"{100 * last.if_independent:.1f}%", "1 - (1 - α)^k"))
    show_figure(view, _wrong(view.alpha, one), one.rows, "families",
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
        by_metric[name] = run(view, pair_tests, f"Testing by {name}", metric=name, figure=partial(_figure, view.alpha),
                              things="metrics", before=before, **asked)
    by_metric = {name: by_metric[name] for name in metrics}
    real = [metric_title(name) for name, one in by_metric.items() if one.significant("segment", "ar")]
    screen.answer(f"By segment, the difference is significant in {' and '.join(real) or 'none of the metrics'}"
                  + (f", not in {' or '.join(metric_title(m) for m in by_metric if metric_title(m) not in real)}"
                     if 0 < len(real) < len(by_metric) else ""))
    screen.numbers(*((f"{metric_title(name)}: p by randomization", tables.format_p(one.p_value("segment", "ar")),
                      f"improvement of A over B: {signed(one.improvement, tables.pair_form(one))}")
                     for name, one in by_metric.items()))
    header = ["metric", "a", "b", "unit", "test", "p_value", "significant"]
    charts.show(_figure(view.alpha, by_metric), key="validation.pair", header=header, rows=[
        [name, *(getattr(row, column) for column in header[1:])]
        for name, one in by_metric.items() for row in one.rows],
        command=command(view, "pair", metrics=",".join(by_metric), a=a, b=b, segments=asked["n_segments"]),
        files=view.named(a, b, metric="-".join(by_metric)),
        alt="p-values of the pair under each metric, by two tests, beside those of the paper.", with_table=False)
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
    asked = {key: view.settings[key] for key in ("trials", "alpha", "seed")}
    by_unit = partial(result_cache.comparison, view.testset, view.metric, **UNIT_SETTINGS, **asked)
    by_document = by_unit(unit="document")  # documents are fewer, so this one is there first

    def changes(by_segment):
        return changes_between(part, *(one.metrics[view.metric] for one in (by_segment, by_document)),
                               by_segment.settings)

    def by_document_alone():
        grow(_counts(changes(by_document), lambda row: {"by document": row.both}), "units", "By document alone so far")

    one = changes(by_unit(unit="segment", meanwhile=by_document_alone))
    correction = view.comparison.settings.correction
    row = one.row(correction)
    by_segment = row.both + row.segment_only
    corrected = _corrected(correction)
    screen.answer(_describe_units(one, row, correction))
    screen.numbers(("Significant by segment", str(by_segment), f"of {_pairs(one.n_pairs)}, {corrected}"),
                   ("By document", str(row.both + row.document_only), f"of {_pairs(one.n_pairs)}, {corrected}"),
                   ("Standard error, ratio", "-" if one.se_ratio_median is None else f"{one.se_ratio_median:.2f}",
                    "median of document / segment" if one.se_ratio_median is None else
                    f"document / segment, median; {one.se_ratio_low:.2f} to {one.se_ratio_high:.2f}"))
    show_figure(view, _counts(one, lambda row: {"by both": row.both, "by segment only": row.segment_only,
                                                "by document only": row.document_only}), one.rows, "units",
                "Pairs that are significant by both units, by segment only, by document only, for each correction.",
                trials=asked["trials"])
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.unit_table(one))
    st.caption(f"Approximate randomization at α = {one.alpha:g}, {asked['trials']:,} permutations; {one.n_segments:,} "
               f"segments in {one.n_documents:,} documents. Segments of a document are alike, so a test by segment "
               "finds too much: trust the test by document.")
    changed = tables.changed_table(one, correction)
    st.subheader(f"The pairs that the unit changes, {corrected}")
    if changed:
        screen.show_table(changed)
        if not one.higher_is_better:
            st.caption(f"{describe_direction(False).capitalize()} of the first over the second.")
        if correction != "none":
            st.caption("Adjusted p-values depend on all pairs together: a pair may change its side although its own "
                       "standard error hardly does.")
        command_box(command(view, "changed-pairs", trials=asked["trials"]), "validation.changed-pairs.command",
                    "the pairs that the unit changes")
    else:
        screen.plain("None.")


def _describe_units(one, row, correction: str) -> str:
    """The headline: which pairs the unit changes, or why none can be significant."""
    by_segment, corrected = row.both + row.segment_only, _corrected(correction)
    only = f"; {row.document_only} by document alone" if row.document_only else ""
    if row.trials_needed is not None:
        return (f"No pair can be significant after {correction} with so few trials: use {row.trials_needed} or more"
                + only)
    if row.documents_needed is not None:
        return (f"With {one.n_documents} documents no pair can be significant by document, {corrected}: take at least "
                f"{row.documents_needed}{only}")
    if not by_segment:
        return f"No pair is significant by segment{only}"
    verb = "not by document" if row.segment_only else "so by document too"
    return f"Of {_pairs(by_segment)} significant by segment, {row.segment_only or 'all'} are {verb}{only}"


def _corrected(correction: str) -> str:
    return "uncorrected" if correction == "none" else f"after {correction}"


def _counts(one, cut):
    """The figure of significant pairs, cut into parts, by each correction that can find any."""
    return partial(counts, {row.correction: cut(row) for row in one.rows if row.trials_needed is None},
                   f"significant pairs of {one.n_pairs}")


def _pairs(n):
    return f"{n} pair{'s' * (n != 1)}"
