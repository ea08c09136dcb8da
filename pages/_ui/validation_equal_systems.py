"""Experiments on equal systems: how often tests find a difference all the same, alone and among many comparisons."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from mtsig_core.experiments.error_rates import families, if_independent, type_one, variants
from mtsig_core.experiments.papers import RIEZLER_MAXWELL_4_4, RIEZLER_MAXWELL_T2
from mtsig_core.figures.experiment_plots import p_values, panels, rates
from mtsig_core.report import experiment_tables as tables
from mtsig_core.stats.few_units import least_of_units
from mtsig_core.stats.significance import TESTS, significant
from pages._ui import controls, one_pair, screen
from pages._ui.validation_claims import show_claims
from pages._ui.validation_experiment import SITUATIONS, Bench, big, row_of, warn_of_few_documents

__all__ = ["show_families", "show_type_one"]

_HANG = 1.1  # of standard errors by document over those by segment


def show_type_one(bench: Bench, place) -> None:
    with place:
        a, b, (beside,) = one_pair.choose(bench.view, 3)
    with beside:
        n = controls.choice("Null pairs", (200, 500, 2000), "pairs", default=500)
    one = bench.found(type_one, "Testing true nulls", figure=partial(_rejections, bench.alpha), things="null pairs",
                      a=a, b=b, n_pairs=n)
    at = _situations(one)
    numbers = [big(situation, row.rejected) for situation, row in at.items()]
    if one.predicted is None:
        screen.answer(_by_segment(next(iter(at.values())).rejected, bench.alpha))
    else:
        screen.answer(_by_both(one, *(row.rejected for row in at.values()), bench.alpha))
        what, share, interval = numbers[1]
        numbers[1] = what, share, f"{interval}; predicted {100 * one.predicted:.1f}%"
    screen.cautions(c for c in bench.view.comparison.warnings if c.code == "few-differences" and {c.a, c.b} == {a, b})
    screen.numbers(*numbers)
    bench.show(_rejections(bench.alpha, one), one.rows, "type1", bench.command("type1", a=a, b=b, pairs=n),
               f"Rejections of {n} true nulls by each test, with Monte Carlo intervals; the level is {bench.alpha:g}.")
    if one.n_documents is None and bench.testset.documents is not None:
        screen.plain(f"No null by document: so few documents favour the worse of {one.a} and {one.b} that no weights "
                     "make the two equal. Choose systems with closer scores.")
    st.caption(f"Rejections of {n:,} true nulls at α = {bench.alpha:g}; big numbers: approximate randomization. "
               f"Segments swapped: {one.n_segments:,} segments drawn with replacement, then outputs of A and B trade "
               "places by coin. Approximate randomization draws the same swaps, so here only chance moves it off its "
               "level; of the other tests the rate is a finding. "
               + (f"Documents whole: {one.n_documents} documents drawn with weights under which A and B have the same "
                  f"score (exponential tilting; these weights, whatever the documents' "
                  f"sizes, are worth {one.effective_documents:,.0f} equal ones). "
                  "Nothing is swapped. ╌ predicted: 2Φ(-z / ratio), the ratio being the standard error by document / "
                  f"by segment, {one.se_ratio:.2f}; for tests that keep their level by document. "
                  if one.predicted is not None else "")
               + f"{one.trials} trials. Bars: 95% Monte Carlo interval; vermillion lies off the level. "
               f"koehn concludes at {100 * bench.alpha:g}% per direction, about twice that in all, and more with "
               "few or unequal documents; the shift of riezler-maxwell is one-sided as printed.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.type_one_table(one))
    _show_variants(bench)


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


def _situations(one) -> dict:
    """How often randomization rejects, by words for the null and the unit."""
    return {f"{tables.NULLS[null]}, by {unit}": row for null, unit in SITUATIONS
            if (row := one.row(null, unit, "ar")) is not None}


def _rejections(alpha: float, one):
    """The figure of all tests in each situation."""
    at = _situations(one)
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


def _show_variants(bench: Bench) -> None:
    st.subheader("Six equal systems, the first against the others")
    one = bench.found(variants, "Comparing equal systems")
    both = ([(row.p_ar, row.p_as_printed) for row in one.rows], [row[2:] for row in RIEZLER_MAXWELL_T2.rows["nist"]])
    ours, theirs = ([sum(significant(p, bench.alpha) for p in test) for test in zip(*found, strict=True)]
                    for found in both)
    screen.answer(f"Of {len(one.rows)} true nulls, randomization rejects {ours[0]} and the bootstrap as printed "
                  f"{ours[1]} (Riezler and Maxwell: {theirs[0]} and {theirs[1]})")
    bench.show(partial(p_values, {row.pair: {"randomization": row.p_ar, "bootstrap as printed": row.p_as_printed,
                                             "signed shift": row.p_bootstrap,
                                             "their randomization": theirs[2], "their bootstrap": theirs[3]}
                                  for row, theirs in zip(one.rows, RIEZLER_MAXWELL_T2.rows["nist"], strict=True)},
                       one.alpha),
               one.rows, "variants", bench.command("variants"), "p-values of five true nulls by three tests.")
    screen.show_table(tables.variant_table(one))
    st.caption(f"Ours: {one.n_segments:,} segments drawn with replacement; each system says what one of the real ones "
               f"says, drawn anew for every segment. By segment, {one.trials:,} trials; ratio: randomization / "
               f"bootstrap. Theirs: {RIEZLER_MAXWELL_T2.source}, {RIEZLER_MAXWELL_T2.about}, in NIST. They find "
               "randomization the more conservative; that comes of the shift as they print it, whose p, where small, "
               "is about half. With the signed shift both agree. Their 4.3 defines type-I errors backwards, and its "
               "'.15' is .015.")


def show_families(bench: Bench, place) -> None:
    one = bench.found(families, "Comparing equal systems", figure=partial(_wrong, bench.alpha), things="test sets")
    last = one.of_all_pairs[-1]
    screen.answer(f"Compare {last.systems} equal systems, and something is 'significant' in "
                  f"{100 * last.wrong['none'].share:.0f}% of test sets")
    screen.numbers(big(f"{last.comparisons} comparisons, uncorrected", last.wrong["none"]),
                   big("With Romano-Wolf", last.wrong["romano-wolf"]),
                   ("If they were independent", f"{100 * last.if_independent:.1f}%", "1 - (1 - α)^k"))
    bench.show(_wrong(bench.alpha, one), one.rows, "families", bench.command("families"),
               "Share of test sets with a wrong conclusion, by number of systems.")
    st.caption(f"Percent of {one.repeats} test sets of {one.n_segments:,} segments with a wrong conclusion [95% Monte "
               f"Carlo interval]; approximate randomization by segment, {one.trials:,} trials. Each system says what "
               "one of the real ones says, drawn anew for every segment. The formula takes comparisons for "
               "independent; all pairs of the same systems are not.")
    screen.show_table(tables.family_table(one))
    theirs = "; ".join(f"{k} comparisons of {systems} systems at {level:g} give {error:g} (the formula: "
                       f"{if_independent(level, k):.4f})"
                       for systems, k, level, error in RIEZLER_MAXWELL_4_4.rows["bleu"])
    st.caption(f"{RIEZLER_MAXWELL_4_4.source}: {theirs}. The five are comparisons with the first system.")
    show_claims(bench)


def _wrong(alpha: float, one):
    """The figure of wrong conclusions by the number of systems."""
    lines = {f"{row.systems} systems, {row.comparisons} pair{'s' * (row.comparisons > 1)}": row
             for row in one.of_all_pairs}
    return partial(rates, [row_of(text, row.wrong["romano-wolf"]) for text, row in lines.items()], alpha,
                   against=[row_of(text, row.wrong["none"], row.if_independent) for text, row in lines.items()],
                   words=("Romano-Wolf", "uncorrected"), other="1 - (1 - α)^k, if independent",
                   what="of test sets with a wrong conclusion")
