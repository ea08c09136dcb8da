"""Experiments on test sets drawn from a larger one: are their conclusions and intervals those of the whole?"""

from __future__ import annotations

from functools import partial

import streamlit as st

from mtsig_core.experiments.papers import KOEHN_6, KOEHN_T3, KOEHN_T4
from mtsig_core.experiments.population import swaps_said
from mtsig_core.experiments.validation import conclusions, coverage
from mtsig_core.figures.experiment_plots import panels, rates
from mtsig_core.metrics import metric_title
from mtsig_core.report import experiment_tables as tables
from pages._ui import controls, one_pair, screen
from pages._ui.validation_experiment import Bench, big, by_situation, drawn_each, row_of, warn_of_few_documents

__all__ = ["show_conclusions", "show_coverage"]

_ENOUGH = 5  # samples that tell a share


def show_conclusions(bench: Bench, place) -> None:
    one = bench.found(conclusions, "Taking samples", things="samples of all sizes",
                      figure=lambda one: _right(one, _size(one, None), False))
    size = _size(one, place)
    koehns = bench.testset.simulated and bench.metric == "bleu" and one.n_segments == 30_000 and bench.alpha == 0.05
    some, right = one.totals(size)
    screen.answer(f"Of {some.n:,} comparisons on samples of {size:,}, {100 * some.share:.0f}% come to a conclusion, "
                  + (f"{round(100 * right.share, 1):g}% of these as the whole test set" if right.n else "all are open"))
    screen.numbers(big(f"Conclude at {bench.level}", some), big("Of these as the whole set", right),
                   ("The opposite", str(right.n - right.count), f"of {right.n:,} conclusions"))
    _say_undecided(one, bench.testset.n_documents or one.n_segments)
    rows = [row for row in one.rows if row.size == size]
    bench.show(_right(one, size, koehns), one.rows, "conclusions", bench.command("conclusions"),
               f"Share of samples of {size} that conclude as the whole test set and the opposite, for each pair.")
    st.caption(f"Each system with the next two by score. Share of {rows[0].right.n} broad samples that conclude "
               f"as all {one.n_segments:,} segments do and the opposite; bars and brackets: 95% Monte Carlo interval, "
               "for all pairs together by samples, as comparisons on one sample are alike. "
               f"{one.resamples:,} bootstrap samples by segment." + (" Theirs on other texts." if koehns else "")
               + (f" {metric_title(bench.metric)} keeps the weights of the whole test set." if bench.view.recounted else
                  ""))
    screen.show_table(tables.conclusions_at_table(one, size, koehns))
    st.subheader("All sizes")
    screen.show_table(tables.conclusion_table(one, koehns))
    st.caption("Percent as the whole set / the opposite"
               + (f"; in brackets right / wrong of {KOEHN_T3.source}." if koehns else "."))
    _show_calibration(bench, one, koehns)


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


def _show_calibration(bench: Bench, one, koehns: bool) -> None:
    st.subheader("Is a level as good as its word?")
    theirs = {low: _share(share) for low, _, share in KOEHN_T4.rows["bleu"]} if koehns else {}
    bench.show(partial(rates, [row_of(tables.level_name(row.low, row.high), row.right, theirs.get(row.low))
                               for row in one.levels], other=KOEHN_T4.source,
                       what="of the conclusions are as the whole set"),
               one.levels, "calibration", bench.command("calibration"),
               "Share of conclusions at each level that are as the whole test set.")
    screen.show_table(tables.calibration_table(one, koehns))
    st.caption("Over pairs that differ on this set, all sizes together: a calibration, not a type-I error, so 'one "
               "wrong in twenty' is not what it shows. Conclusions on one sample are alike: intervals go by samples, "
               "and leave out only that samples of different sizes overlap.")


def _say_undecided(one, n_units) -> None:
    """What conclusions are held against may itself be chance."""
    pairs = dict.fromkeys((row.a, row.b) for row in one.rows)
    named = "; ".join(f"{a} - {b}" for a, b in one.undecided)
    screen.plain("Held against the order on the whole test set, which is no more than a larger sample: "
                 + (f"it leaves {len(one.undecided)} of {len(pairs)} pairs undecided itself ({named}). There the "
                    "opposite need not be wrong." if named else
                    "it decides each of these pairs itself.")
                 + f" (p at most {one.alpha:g} by approximate randomization, uncorrected, {swaps_said(n_units)}.)")


def show_coverage(bench: Bench, place) -> None:
    with place:
        a, b, (beside,) = one_pair.choose(bench.view, 3)
    with beside:
        n = controls.choice("Test sets", (200, 1000), "repeats", default=200)
    one = bench.found(coverage, "Covering", figure=partial(_held, bench.alpha), things="test sets", a=a, b=b, repeats=n)
    at = _situations(one)
    first, *others = (row.covered for row in at.values())
    screen.answer(f"{bench.level} intervals hold A's true score {_coverage_said(first, bench.alpha)} of test sets"
                  + (f"; where documents are drawn, by segment {_coverage_said(others[0], bench.alpha)}, by document "
                     f"{_coverage_said(others[1], bench.alpha)}" if others else ""))
    screen.numbers(*(big(situation, row.covered) for situation, row in at.items()))
    screen.plain("So much for the score of A. Every kind of interval of the difference A - B:")
    bench.show(_held(bench.alpha, one), one.rows, "coverage", bench.command("coverage", a=a, b=b, repeats=n),
               "Coverage of every kind of interval of the difference.")
    _, intervals, hits = KOEHN_6.rows["bleu"][0]
    st.caption(f"Big numbers: percentile intervals of A's score; figure: every kind, of the difference A - B. {n:,} "
               f"test sets of {drawn_each(one)} drawn with replacement; {one.resamples:,} bootstrap samples each; true "
               "is the score of the whole test set. Bars: 95% Monte Carlo interval. "
               + f"{KOEHN_6.source}: {hits} of {intervals} intervals at 95% on broad samples.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.coverage_table(one))


def _coverage_said(covered, alpha: float) -> str:
    """How often intervals hold what they should, and that this is too seldom or too often where it is for sure."""
    verdict = "only " if covered.high < 1 - alpha else ""
    return f"in {verdict}{100 * covered.share:.1f}%" + " (more than they should)" * (covered.low > 1 - alpha)


def _situations(one) -> dict:
    """How often percentile intervals hold the score, by words for what is drawn and the unit."""
    return by_situation(lambda sampled, unit: one.row(sampled, unit, "percentile", "score"), "drawn")


def _held(alpha: float, one):
    """The figure of every kind of interval of the difference, in each situation."""
    return partial(panels, {situation: [row_of(row.kind, row.covered) for row in one.rows if (
        row.sampled, row.unit, row.quantity) == (first.sampled, first.unit, "difference")]
        for situation, first in _situations(one).items()}, 1 - alpha, "of the intervals hold the true difference")


def _share(percent):
    return None if percent is None else percent / 100
