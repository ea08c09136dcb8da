"""Sections of the page Can I trust the test?: one experiment and one answer each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
import streamlit as st

from mtsig_core.errors import choose_verb, format_count
from mtsig_core.experiments.error_rates import (
    UNIT_SETTINGS,
    changes_between,
    claims,
    families,
    part_with_documents,
    type_one,
)
from mtsig_core.experiments.frame import Rate, describe_swaps
from mtsig_core.experiments.sampling import conclusions, coverage
from mtsig_core.figures.rate_plots import counts, panels, rates
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.table import rounded
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, FEW_UNITS, p_floor
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import CORRECTIONS, TESTS, significant
from pages._ui import controls, result_cache, screen, views
from pages._ui.browser import command_box
from pages._ui.charts import Study, study
from pages._ui.screen import or_end_page
from pages._ui.views import View

_TEST_NAMES, _INTERVAL_NAMES = SETTINGS["test"].names, SETTINGS["ci"].names
_NULLS = {
    "segment": "Segments drawn",
    "document": "Documents drawn",
}  # what a simulated test set is made of


def study_pair(
    view: View, command: str, sizes: Sequence[int], key: str, usual: int, argument: str
) -> Study:
    """Make an experiment on two systems, with a number of simulations from a menu."""
    a, b, (beside,) = views.choose_pair(view, 3)
    with beside:
        chosen = controls.choice(
            "Simulations", sizes, key, default=usual, format_func="{:,}".format
        )
    return study(view, command, a=a, b=b, **{argument: chosen})


def explain(key: str):
    """Draw the fold on how it was simulated."""
    return st.expander("How it was simulated", key=f"trust.{key}.how")


def by_situation(one, words: Mapping[str, str], *kind: str) -> dict:
    """Return the row of a kind of test or interval in each situation, by words for the
    situation.
    """
    rows = {
        f"{words[what]}, by {unit}": one.row(what, unit, *kind) for what, unit in tables.SITUATIONS
    }
    return {text: row for text, row in rows.items() if row is not None}


def row_of(text: str, rate, theirs: float | None = None) -> tuple:
    """Return a line of the figure `rates`."""
    return text, rate.share, rate.low, rate.high, theirs


def big(what: str, rate) -> tuple[str, str, str]:
    """Return a share as a big number, with its Monte Carlo interval."""
    if rate.share is None:
        return what, "-", "none counted"
    return (
        what,
        f"{100 * rate.share:.1f}%",
        f"95% CI {100 * rate.low:.1f} to {100 * rate.high:.1f}%",
    )


def contains(rate: Rate, share: float) -> bool:
    """Return whether so few simulations are compatible with this true rate."""
    return rate.low <= share <= rate.high


def warn_of_few_documents(n: int | None) -> None:
    """Write what a handful of documents, in the set or in a simulation, cannot show."""
    if n is not None and n < FEW_UNITS:
        screen.caution_box(
            f"{n} documents are few: intervals by document are too narrow, and permutations of n "
            f"documents give no p below 2 / 2^n{'' if n > 9 else f', here {2 / 2**n:.2g}'}."
        )


# False alarms: two systems that are equal, tested again and again.


def show_type_one(view: View) -> None:
    answer = st.container()
    nulls = study_pair(view, "validate type1", (200, 500, 2000), "pairs", 200, "n_pairs")
    with answer:
        one = nulls.run(
            type_one, "Testing equal systems", partial(_rejections, view.alpha), "simulations"
        )
        screen.answer(_describe_false_alarms(one, view.alpha))
        screen.numbers(
            *(big(situation, row.rejected) for situation, row in _null_situations(one).items())
        )
        nulls.show(
            _rejections(view.alpha, one),
            one.rows,
            f"False-alarm rate of each test in {one.n_pairs} "
            f"simulations, with Monte Carlo intervals; {view.alpha:.0%} is promised.",
            table=tables.type_one_table(one),
        )
        st.caption(
            f"Two equal systems are compared {one.n_pairs:,} times; each significant difference is a false "
            f"alarm. The dotted line is the {view.alpha:.0%} that a test promises; vermillion marks a rate that "
            "differs from it by more than chance."
        )
        screen.cautions(
            caution
            for caution in view.comparison.warnings
            if caution.kind.concern == "differences" and caution.concerns_pair(one.a, one.b)
        )
        if one.n_documents is None and view.testset.documents is not None:
            screen.caution_box(
                f"Documents cannot be drawn here: so few favour the worse of {one.a} and {one.b} that "
                "the two cannot be made equal. Choose systems with closer scores."
            )
        warn_of_few_documents(one.n_documents)
    with explain("type1"):
        st.markdown(
            f"Each simulation has {one.trials} permutations; the big numbers are from the randomization test. "
            f"Segments drawn: {one.n_segments:,} segments are drawn with replacement, and a coin decides for "
            "each which output belongs to which system."
            + (
                f" Documents drawn: {one.n_documents} documents are drawn with weights that make the scores of "
                f"A and B equal (exponential tilting, worth {one.effective_documents:,.0f} documents of equal "
                "weight). The dashed line is the rate to be expected from how much larger the standard error "
                f"by document is than by segment, {one.se_ratio:.2f} times: {100 * one.predicted:.1f}%."
                if one.predicted is not None
                else ""
            )
        )


def _describe_false_alarms(one, alpha: float) -> str:
    """Write the headline: false alarms by each unit, or that there are too few simulations to
    tell.
    """
    rows, words = list(_null_situations(one).values()), ""
    if one.n_documents is None:
        rates_by_unit, words = {"segment": rows[0].rejected}, " where segments are independent"
    else:
        rates_by_unit = {"segment": rows[1].rejected, "document": rows[2].rejected}
    never = one.n_documents is not None and not significant(
        float(p_floor(TESTS["ar"], "document", np.array(one.n_documents))), alpha
    )
    if not never and all(
        contains(rate, alpha) and rate.high - rate.low > alpha for rate in rates_by_unit.values()
    ):
        return "Too few simulations to tell: " + ", ".join(
            f"by {unit} {rate.share:.1%} of {rate.n:,} are false alarms (95% CI {rate.low:.1%} to {rate.high:.1%})"
            for unit, rate in rates_by_unit.items()
        )
    said = {
        unit: f"Testing by {unit} gives {rate.share:.1%} false alarms{words}{_held_against(rate, alpha)}"
        for unit, rate in rates_by_unit.items()
    }
    if never:
        said["document"] = (
            f"With {one.n_documents} documents, a test by document can never be significant"
        )
    return ". ".join(said.values())


def _held_against(rate: Rate, alpha: float) -> str:
    """Write how a false-alarm rate compares with the promised one."""
    if contains(rate, alpha):
        return f", within chance of the promised {alpha:.0%}"
    return f", {'more' if rate.share > alpha else 'fewer'} than promised ({alpha:.0%})"


def _null_situations(one) -> dict:
    """Write how often randomization rejects."""
    return by_situation(one, _NULLS, "ar")


def _rejections(alpha: float, one):
    """Return the figure of all tests in each situation."""
    at = _null_situations(one)
    return partial(
        panels,
        {
            situation: [
                row_of(_TEST_NAMES[row.test], row.rejected)
                for row in one.rows
                if (row.null, row.unit) == (first.null, first.unit)
            ]
            for situation, first in at.items()
        },
        alpha,
        "false alarms",
        predicted={} if one.predicted is None else {list(at)[1]: one.predicted},
    )


# Coverage: how often an interval contains the true score.


def show_coverage(view: View) -> None:
    answer = st.container()
    covering = study_pair(view, "validate coverage", (200, 1000), "repeats", 200, "repeats")
    with answer:
        one = covering.run(
            coverage, "Computing intervals", partial(_held, view.alpha), "simulations"
        )
        at = _size_situations(one)
        screen.answer(_describe_coverage(view, list(at.values())))
        screen.numbers(*(big(situation, row.covered) for situation, row in at.items()))
        covering.show(
            _held(view.alpha, one),
            one.rows,
            "Coverage of every kind of interval of the score.",
            table=tables.coverage_table(one),
        )
        size = f"{one.n_segments:,} segments" + (
            f" or {one.n_documents:,} documents" if one.n_documents else ""
        )
        screen.faint(
            f"{one.repeats:,} test sets of {size} are drawn, and each gives an interval of the score of "
            f"{one.a}. The true score is the one on the whole test set; the big numbers are of percentile "
            f"intervals.{_explain_short_intervals(one, list(at.values()), 1 - view.alpha)}"
        )
        warn_of_few_documents(one.n_documents)
    with explain("coverage"):
        st.markdown(
            f"Test sets are drawn with replacement, and each has {one.resamples:,} resamples. Bars are 95% "
            "Monte Carlo intervals. Vermillion marks a coverage that differs from the promised one by more "
            "than chance. The table has intervals of the difference of the two systems, too."
        )


def _describe_coverage(view: View, rows: Sequence) -> str:
    """Write the headline: how often intervals by each unit contain the true score, and whether that
    is the promised rate.
    """
    level = 1 - view.alpha

    def held(rate: Rate, when: str = "") -> str:
        return f"{rate.share:.0%}{when}" + ("" if contains(rate, level) else f", not {view.level}")

    first, *others = (row.covered for row in rows)
    if not others:
        return (
            f"A {view.level} interval contains the true score in {held(first)} of the simulations"
        )
    by_segment, by_document = others
    return (
        f"When a test set consists of documents, a {view.level} interval by segment contains the true score "
        f"{held(by_segment, ' of the time')}. By document: {held(by_document)}"
    )


def _explain_short_intervals(one, rows: Sequence, level: float) -> str:
    """Write why intervals by document contain the true score less often than promised; empty if
    they do not.
    """
    rate = rows[-1].covered
    if not one.n_documents or rate.share is None or rate.high >= level:
        return ""
    fact = f" Percentile intervals of {one.n_documents} documents are too short"
    if one.n_documents < FEW_FOR_BOOTSTRAP:
        fact += ", because few documents show less spread than there is"
    return f"{fact}. The table has the other kinds."


def _size_situations(one) -> dict:
    """Write how often percentile intervals contain the score."""
    return by_situation(one, _NULLS, "percentile", "score")


def _held(alpha: float, one):
    """Return the figure of every kind of interval of the score, in each situation."""
    return partial(
        panels,
        {
            situation: [
                row_of(_INTERVAL_NAMES[row.kind], row.covered)
                for row in one.rows
                if (row.sampled, row.unit, row.quantity) == (first.sampled, first.unit, "score")
            ]
            for situation, first in _size_situations(one).items()
        },
        1 - alpha,
        "of intervals that contain the true score",
    )


# Many comparisons: of equal systems, and where some are truly better.


_EQUAL, _BETTER = "All systems are equal", "Some systems are truly better"


def show_claims(view: View) -> None:
    tab, places = controls.tabs([_EQUAL, _BETTER])
    with places[tab]:
        (_show_families if tab == _EQUAL else _show_better)(view)


def _show_families(view: View) -> None:
    comparing = study(view, "validate families")
    one = comparing.run(
        families, "Comparing equal systems", partial(_wrong, view.alpha), "simulations"
    )
    last = one.of_all_pairs[-1]
    none, corrected = last.wrong["none"], last.wrong["romano-wolf"]
    screen.answer(
        f"Compare {last.systems} equal systems without correction, and {none.share:.0%} of test sets show a "
        f"'significant' difference. With Romano-Wolf {corrected.share:.0%} do"
    )
    screen.numbers(
        big(f"{last.comparisons} pairs, uncorrected", none),
        big("With Romano-Wolf", corrected),
        ("If pairs were independent", f"{100 * last.if_independent:.1f}%", "1 - (1 - alpha)^pairs"),
    )
    comparing.show(
        _wrong(view.alpha, one),
        one.rows,
        "Share of test sets with a false claim, by number of systems.",
        table=tables.family_table(one),
    )
    st.caption(
        f"{one.repeats} test sets of {one.n_segments:,} segments on which all systems are equal. The more pairs "
        "are compared, the more likely one of them looks significant by chance."
    )
    with explain("families"):
        st.markdown(
            f"Randomization test by segment, {one.trials:,} permutations; bars are 95% Monte Carlo intervals. "
            "The formula takes the pairs as independent; all pairs of the same systems are not."
        )


def _wrong(alpha: float, one):
    """Return the figure of wrong conclusions by the number of systems."""
    lines = {
        f"{row.systems} systems, {row.comparisons} pair{'s' * (row.comparisons > 1)}": row
        for row in one.of_all_pairs
    }
    return partial(
        rates,
        [row_of(text, row.wrong["romano-wolf"]) for text, row in lines.items()],
        alpha,
        against=[
            row_of(text, row.wrong["none"], row.if_independent) for text, row in lines.items()
        ],
        words=("Romano-Wolf", "uncorrected"),
        source="if pairs were independent",
        measure="of test sets with a false claim",
    )


def _show_better(view: View) -> None:
    claiming = study(view, "validate claims")
    one = claiming.run(
        claims,
        "Comparing systems of which three are better",
        partial(_false, view.alpha),
        "simulations",
    )
    by = {row.correction: row for row in one.rows}
    bh, rw = by["bh"], by["romano-wolf"]
    screen.answer(
        f"Benjamini-Hochberg misses {bh.lost.share:.0%} of the {one.true_pairs} true differences, "
        f"Romano-Wolf {rw.lost.share:.0%}. A false claim is made in {bh.any_false.share:.0%} and "
        f"{rw.any_false.share:.0%} of test sets"
    )
    claiming.show(
        _false(view.alpha, one),
        one.rows,
        "False claims by correction, counted by test set and by claim.",
        table=tables.claim_table(one),
    )
    st.caption(
        f"{one.better} of {one.systems} systems {choose_verb(one.better, 'is', 'are')} better by about "
        f"{rounded(one.difference)} points, on {one.repeats} test sets of {one.n_segments:,} segments. "
        "Bonferroni, Holm and Romano-Wolf limit the "
        "chance of any false claim (left). Benjamini's two limit the share of claims that are false (right)."
    )
    with explain("claims"):
        st.markdown(
            f"Randomization test by segment, {one.trials:,} permutations. {one.null_pairs} pairs are of equal "
            "systems. Bars are 95% Monte Carlo intervals; vermillion marks a rate above the promised one."
        )
        claiming.show(
            partial(
                rates,
                [row_of(CORRECTIONS[row.correction].title, row.lost) for row in one.rows],
                measure=f"of {one.true_pairs} true differences missed",
            ),
            one.rows,
            "Share of true differences that each correction misses.",
            key="trust.lost",
        )


def _false(alpha: float, one):
    """Return the figure of false claims by correction."""
    return partial(
        panels,
        {
            "test sets with a false claim": [
                row_of(CORRECTIONS[row.correction].title, row.any_false) for row in one.rows
            ],
            "claims that are false": [
                row_of(CORRECTIONS[row.correction].title, row.false_share) for row in one.rows
            ],
        },
        alpha,
        at_most=True,
    )


# Units: what is significant by segment and by document.


def show_units(view: View) -> None:
    with or_end_page():
        part = part_with_documents(view.testset, view.metric)
    units = study(view, "validate units", trials=view.settings["trials"])
    by_unit = partial(
        result_cache.comparison, view.testset, view.metric, **UNIT_SETTINGS, **units.arguments
    )
    by_segment, by_document = (by_unit(unit=unit) for unit in ("segment", "document"))
    one = changes_between(
        part,
        *(found.metrics[view.metric] for found in (by_segment, by_document)),
        by_segment.settings,
    )
    correction = view.comparison.settings.correction
    row, corrected = one.row(correction), CORRECTIONS[correction].title
    of = f"of {format_count(one.n_pairs, 'pair')}, {corrected}"
    screen.answer(_describe_units(one, row, corrected))
    screen.numbers(
        ("Significant by segment", str(row.both + row.segment_only), of),
        ("By document", str(row.both + row.document_only), of),
    )
    if any(row.trials_needed is None for row in one.rows):
        units.show(
            _counts(
                one,
                lambda row: {
                    "by both": row.both,
                    "by segment only": row.segment_only,
                    "by document only": row.document_only,
                },
            ),
            one.rows,
            "Pairs that are significant by both units, by segment only, by document only, for each correction.",
            table=tables.unit_table(one),
        )
    else:  # no correction can find any pair, which the headline says: there is nothing to draw
        units.show_numbers(one.rows)
    warn_of_few_documents(one.n_documents)
    st.caption(
        "Segments of a document are alike, so a test by segment can find too much. Trust the test by document."
    )
    with explain("units"):
        ratio = (
            ""
            if one.se_ratio_median is None
            else (
                f" The standard error by document is {one.se_ratio_median:.2f} times the one by segment (median of the "
                f"pairs; {one.se_ratio_low:.2f} to {one.se_ratio_high:.2f})."
            )
        )
        st.markdown(
            f"Randomization test at alpha {one.alpha:g}, {units.arguments['trials']:,} permutations; "
            f"{one.n_segments:,} segments in {one.n_documents:,} documents.{ratio}"
        )
    _show_changed(view, one, correction, units.arguments["trials"])


def _show_changed(view: View, one, correction: str, trials: int) -> None:
    """Draw the pairs that are significant by one unit only."""
    with st.expander("The pairs that change", key="trust.changed"):
        changed = tables.changed_table(one, correction)
        if not changed:
            screen.plain("None.")
            return
        screen.show_table(changed)
        if not one.higher_is_better:
            st.caption(f"{describe_direction(False).capitalize()} of the first over the second.")
        if correction != "none":
            st.caption(
                "Adjusted p-values depend on all pairs, so a pair may change although its own standard error "
                "hardly does."
            )
        command_box(
            study(view, "validate changed-pairs", trials=trials).print_command(),
            "trust.changed-pairs.command",
            "the pairs that the unit changes",
        )


def _describe_units(one, row, corrected: str) -> str:
    """Write the headline: the pairs that the unit changes, or why none can be significant."""
    n, only = (
        row.both + row.segment_only,
        f", {row.document_only} more only by document" if row.document_only else "",
    )
    if row.trials_needed is not None:
        return (
            f"With {corrected}, no pair can be significant with so few permutations: use {row.trials_needed:,} or "
            "more"
        )
    if row.documents_needed is not None:
        return (
            f"With {one.n_documents} documents and {corrected}, no pair can be significant by document: use at "
            f"least {row.documents_needed} documents"
        )
    if n == 0:
        return f"No pair is significant by segment{only}"
    if row.both == n:
        return f"All of {format_count(n, 'significant pair')} by segment are significant by document too{only}"
    return f"{n - row.both} of {format_count(n, 'significant pair')} by segment are not significant by document{only}"


def _counts(one, cut):
    """Return the figure of significant pairs, cut into parts, by each correction that can find
    any.
    """
    return partial(
        counts,
        {
            CORRECTIONS[row.correction].title: cut(row)
            for row in one.rows
            if row.trials_needed is None
        },
        f"significant pairs of {one.n_pairs}",
    )


# Calibration and power: samples of this test set, and whether they conclude what the whole of it
# does.


_ENOUGH = 5  # samples that tell a share


def _run_conclusions(view: View, place):
    """Run the experiment of both questions; return it with the sample size."""
    samples = study(view, "validate conclusions")
    one = samples.run(
        conclusions,
        "Taking samples",
        lambda one: draw_conclusions(one, _usual_size(one)),
        "samples of all sizes",
    )
    return (
        samples,
        one,
        controls.choice(
            "Segments in a sample",
            one.sizes,
            "of",
            width=220,
            place=place,
            default=_usual_size(one),
        ),
    )


def _usual_size(one) -> int:
    """Return a size that leaves enough samples."""
    return max(
        (size for size in one.sizes if size <= 300 and one.n_segments // size >= _ENOUGH),
        default=one.sizes[0],
    )


def show_power(view: View) -> None:
    answer, beside = st.container(), st.container()
    with answer:
        samples, one, size = _run_conclusions(view, beside)
        some, right = one.totals(size)
        screen.answer(
            f"Samples of {size:,} segments find a difference in {some.share:.0%} of the comparisons"
            + (
                f". {right.count:,} of these {right.n:,} findings agree with the whole test set"
                if right.n
                else ""
            )
        )
        screen.numbers(
            big("Find a difference", some),
            big("Agree with the whole test set", right),
            ("Contradict it", str(right.n - right.count), f"of {right.n:,} findings"),
        )
        samples.show(
            draw_conclusions(one, size),
            one.rows,
            f"Share of samples of {size} that agree with the whole "
            "test set, and of those that contradict it, for each pair.",
            table=tables.conclusions_at_table(one, size, False),
        )
        rows = [row for row in one.rows if row.size == size]
        n = rows[0].right.n
        split = (
            f"The {one.n_segments:,} segments are split into {n} samples"
            if n * size == one.n_segments
            else f"{n} samples of {size:,} segments, without overlap, are taken from the {one.n_segments:,} segments"
        )
        st.caption(
            f"{split}. In each, every system is compared with the two ranked below it. The whole test set "
            f"itself shows a significant difference for {len(rows) - len(one.undecided)} of the {len(rows)} "
            "pairs."
        )
    with explain("conclusions"):
        _describe_conclusions(view, one)
    with st.expander("All sizes", key="trust.sizes"):
        screen.show_table(tables.conclusion_table(one, False))
        st.caption("Percent that agree with the whole test set / that contradict it.")


def _describe_conclusions(view: View, one) -> None:
    screen.plain(
        f"Broad samples (segments spread over the whole set), each tested by the paired bootstrap with "
        f"{one.resamples:,} resamples by segment, at {view.level}. The whole test set is tested by "
        "randomization, uncorrected, "
        f"{describe_swaps(view.testset.n_documents or one.n_segments)}. It is itself a sample: where it is "
        "undecided, a sample that contradicts it need not be wrong. Bars and brackets are 95% Monte Carlo "
        "intervals."
        + (" The metric keeps the weights of the whole test set." if view.recounted else "")
    )


def draw_conclusions(
    one, size: int, theirs: Mapping[tuple[str, str], float] = MappingProxyType({}), other: str = ""
):
    """Return the figure of what samples of a size find for each pair, beside what another source
    has.
    """
    rows = [row for row in one.rows if row.size == size]
    return partial(
        rates,
        [row_of(f"{row.a} - {row.b}", row.right, theirs.get((row.a, row.b))) for row in rows],
        source=other,
        against=[row_of(f"{row.a} - {row.b}", row.wrong) for row in rows],
        words=("agree with the whole set", "contradict it"),
        measure="share of the samples",
    )


def show_calibration(view: View) -> None:
    samples = study(view, "validate conclusions")
    one = samples.run(conclusions, "Taking samples", draw_levels, "samples of all sizes")
    some, right = one.totals()
    if right.n:
        screen.answer(
            f"When one system wins at least {view.level} of a sample's resamples, the whole test set agrees "
            f"{right.share:.0%} of the time (95% CI {100 * right.low:.0f} to {100 * right.high:.0f}%)"
        )
    else:
        screen.answer(f"On no sample does any system win at least {view.level} of the resamples")
    screen.numbers(
        big("Agree with the whole test set", right),
        ("Findings", f"{right.n:,}", f"of {some.n:,} comparisons on samples of all sizes"),
    )
    study(view, "validate calibration").show(
        draw_levels(one),
        one.levels,
        "Share of findings at each level of confidence that agree with the whole test set.",
        key="trust.calibration",
        table=tables.calibration_table(one, False),
    )
    st.caption(
        "The truth is unknown, so a finding counts as right if the whole test set agrees. Each sample is a part "
        "of that set, so the shares are optimistic. "
        + (
            "The more wins, the more often they agree."
            if _rises(one.levels)
            else "Too few findings to see a trend."
        ),
        help="Each line takes the findings with one range of wins in the paired bootstrap. The pairs do differ, "
        "so this is no false-alarm rate.",
    )
    with explain("calibration"):
        _describe_conclusions(view, one)


def _rises(levels) -> bool:
    """Return whether findings agree more often with more wins: the last range of wins clearly more
    than the first, and no range clearly less than the one before.
    """
    found = [row.right for row in sorted(levels, key=lambda row: row.low) if row.right.n]
    return (
        len(found) > 1
        and found[0].high < found[-1].low
        and all(less.low <= more.high for less, more in zip(found, found[1:], strict=False))
    )


def draw_levels(one, theirs: Mapping[float, float] = MappingProxyType({}), other: str = ""):
    """Return the figure of how often findings agree, by their share of wins, beside what another
    source has.
    """
    return partial(
        rates,
        [row_of(row.level, row.right, theirs.get(row.low)) for row in one.levels],
        source=other,
        line_title="share of bootstrap wins",
        measure="share of the findings that agree with the whole test set",
    )
