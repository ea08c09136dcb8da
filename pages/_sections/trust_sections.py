"""Sections of the page Can I trust the test?: one experiment and one answer each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from mtsig_core.stats.few_units import FEW_UNITS, p_floor
from mtsig_core.stats.settings import SETTINGS, interval_kind
from mtsig_core.stats.significance import CORRECTIONS, TESTS, significant
from pages._sections.questions import Question
from pages._ui import controls, result_cache, screen, views
from pages._ui.browser import command_box
from pages._ui.charts import Study, study
from pages._ui.screen import or_end_page
from pages._ui.views import View

_TEST_NAMES = SETTINGS["test"].names
_INTERVAL_NAMES = SETTINGS["ci"].names
#: What a simulated test set is made of.
_NULLS = {"segment": "Segments", "document": "Documents"}


def study_pair(view: View, command: str, sizes: Sequence[int], key: str, argument: str) -> Study:
    """Make an experiment on two systems, with a number of simulations from a menu."""
    a, b, (menu,) = views.choose_pair(view, 3)
    with menu:
        n_simulations = controls.choice(
            "Simulations", sizes, key, default=200, format_func="{:,}".format
        )
    return study(view, command, a=a, b=b, **{argument: n_simulations})


def explain(key: str):
    """Draw the fold on how it was simulated."""
    return st.expander("How it was simulated", key=f"trust.{key}.how")


def by_situation(result, *kind: str) -> dict:
    """Return the row of a kind of test or interval in each situation, by its words."""
    rows = {}
    for null, unit in tables.SITUATIONS:
        row = result.row(null, unit, *kind)
        if row is not None:
            rows[f"{_NULLS[null]}, tested by {unit}"] = row
    return rows


def row_of(text: str, rate: Rate, published: float | None = None) -> tuple:
    """Return a line of the figure `rates`."""
    return text, rate.share, rate.low, rate.high, published


def big(label: str, rate: Rate) -> tuple[str, str, str]:
    """Return a share as a big number, with its Monte Carlo interval."""
    if rate.share is None:
        return label, "-", "none counted"
    interval = f"95% CI {100 * rate.low:.1f} to {100 * rate.high:.1f}%"
    return label, f"{100 * rate.share:.1f}%", interval


def contains(rate: Rate, share: float) -> bool:
    """Return whether so few simulations are compatible with this true rate."""
    return rate.low <= share <= rate.high


def warn_of_few_documents(n: int | None) -> None:
    """Write what a handful of documents, in the set or in a simulation, cannot show."""
    if n is None or n >= FEW_UNITS:
        return
    least = "" if n > 9 else f", here {2 / 2**n:.2g}"
    screen.caution_box(
        f"{n} documents are few: intervals by document are too narrow, and permutations of n "
        f"documents give no p below 2 / 2^n{least}."
    )


# False alarms: two systems that are equal, tested again and again.


def show_type_one(view: View, question: Question) -> None:
    """Draw how often each test finds a difference between two equal systems."""
    answer = st.container()
    nulls = study_pair(view, "validate type1", (200, 500, 2000), "pairs", "n_pairs")
    with answer:
        result = nulls.run(
            type_one, "Testing equal systems", partial(_draw_rejections, view.alpha), "simulations"
        )
        screen.answer(_describe_false_alarms(result, view.alpha))
        situations = _null_situations(result)
        by_segment = list(situations.values())[-2:][0]
        question.answer_rate(by_segment.rejected)
        screen.tiles(*(big(text, row.rejected) for text, row in situations.items()))
        nulls.show(
            _draw_rejections(view.alpha, result),
            result.rows,
            f"False-alarm rate of each test in {result.n_pairs} "
            f"simulations, with Monte Carlo intervals; {view.alpha:.0%} is promised.",
            table=tables.type_one_table(result),
        )
        st.caption(
            f"Two equal systems are compared {result.n_pairs:,} times; each significant difference "
            f"is a false alarm. The dotted line is the {view.alpha:.0%} that a test promises; "
            "orange marks a rate that differs from it by more than chance."
        )
        screen.cautions(_cautions_on_differences(view, result.a, result.b))
        if result.n_documents is None and view.testset.documents is not None:
            screen.caution_box(
                f"Documents cannot be drawn here: so few favour the worse of {result.a} and "
                f"{result.b} that the two cannot be made equal. Choose systems with closer scores."
            )
        warn_of_few_documents(result.n_documents)
    with explain("type1"):
        st.markdown(_explain_type_one(result))


def _cautions_on_differences(view: View, a: str, b: str) -> list:
    """The cautions of the comparison that put the difference of two systems in doubt."""
    return [
        caution
        for caution in view.comparison.warnings
        if caution.kind.concern == "differences" and caution.concerns_pair(a, b)
    ]


def _explain_type_one(result) -> str:
    text = (
        f"Each simulation has {result.trials} permutations; the big numbers are from the "
        f"randomization test. Segments: {result.n_segments:,} segments are drawn with "
        "replacement, and a coin decides for each which output belongs to which system."
    )
    if result.predicted is None:
        return text
    return (
        f"{text} Documents: {result.n_documents} documents are drawn with weights that make "
        "the scores of A and B equal (exponential tilting, worth "
        f"{result.effective_documents:,.0f} documents of equal weight). The dashed line is the "
        "rate to be expected from how much larger the standard error by document is than by "
        f"segment, {result.se_ratio:.2f} times: {100 * result.predicted:.1f}%."
    )


def _describe_false_alarms(result, alpha: float) -> str:
    """Write the headline: false alarms by each unit, or that too few simulations tell."""
    rows = list(_null_situations(result).values())
    if result.n_documents is None:
        rates_by_unit = {"segment": rows[0].rejected}
        condition = " where segments are independent"
    else:
        rates_by_unit = {"segment": rows[1].rejected, "document": rows[2].rejected}
        condition = ""
    is_possible = _can_be_significant(result.n_documents, alpha)
    if is_possible and all(_tells_little(rate, alpha) for rate in rates_by_unit.values()):
        shares = [
            f"by {unit} {rate.share:.1%} of {rate.n:,} are false alarms "
            f"(95% CI {rate.low:.1%} to {rate.high:.1%})"
            for unit, rate in rates_by_unit.items()
        ]
        return f"Too few simulations to tell: {', '.join(shares)}"
    sentences = {}
    for unit, rate in rates_by_unit.items():
        comparison = _compare_with_promise(rate, alpha)
        sentences[unit] = (
            f"Testing by {unit} gives {rate.share:.1%} false alarms{condition}{comparison}"
        )
    if not is_possible:
        sentences["document"] = (
            f"With {result.n_documents} documents, a test by document can never be significant"
        )
    return ". ".join(sentences.values())


def _can_be_significant(n_documents: int | None, alpha: float) -> bool:
    """Return whether a test by document can be significant, or there are no documents."""
    if n_documents is None:
        return True
    return bool(significant(float(p_floor(TESTS["ar"], "document", np.array(n_documents))), alpha))


def _tells_little(rate: Rate, alpha: float) -> bool:
    """Return whether the interval of a rate contains alpha and is wider than it."""
    return contains(rate, alpha) and rate.high - rate.low > alpha


def _compare_with_promise(rate: Rate, alpha: float) -> str:
    """Write how a false-alarm rate compares with the promised one."""
    if contains(rate, alpha):
        return f", consistent with {alpha:.0%}"
    if rate.share > alpha:
        return f", more than promised ({alpha:.0%})"
    return f", fewer than promised ({alpha:.0%})"


def _null_situations(result) -> dict:
    """Return how often the randomization test rejects in each situation."""
    return by_situation(result, "ar")


def _draw_rejections(alpha: float, result):
    """Return the figure of all tests in each situation."""
    groups = {}
    for situation, first in _null_situations(result).items():
        groups[situation] = [
            row_of(_TEST_NAMES[row.test], row.rejected)
            for row in result.rows
            if (row.null, row.unit) == (first.null, first.unit)
        ]
    predicted = {}
    if result.predicted is not None:
        predicted[list(groups)[1]] = result.predicted
    return partial(panels, groups, alpha, "false alarms", predicted=predicted)


# Coverage: how often an interval contains the true score.


def show_coverage(view: View, question: Question) -> None:
    """Draw how often each kind of interval contains the true score."""
    answer = st.container()
    covering = study_pair(view, "validate coverage", (200, 1000), "repeats", "repeats")
    with answer:
        result = covering.run(
            coverage, "Computing intervals", partial(_draw_coverage, view.alpha), "simulations"
        )
        kind = interval_kind("auto", result.n_documents or result.n_segments)
        situations = by_situation(result, kind, "score")
        rates_in_order = [row.covered for row in situations.values()]
        by_segment = rates_in_order[-2:][0]
        question.answer_rate(by_segment)
        screen.answer(_describe_coverage(view, rates_in_order))
        screen.tiles(*(big(text, row.covered) for text, row in situations.items()))
        covering.show(
            _draw_coverage(view.alpha, result),
            result.rows,
            "Coverage of every kind of interval of the score.",
            table=tables.coverage_table(result),
        )
        size = f"{result.n_segments:,} segments"
        if result.n_documents:
            size += f" or {result.n_documents:,} documents"
        screen.faint(
            f"{result.repeats:,} test sets of {size} are drawn, and each gives an interval of the "
            f"score of {result.a}. The true score is the one on the whole test set; the numbers "
            f"above are of {_INTERVAL_NAMES[kind]} intervals, which mtsig takes for so few units. "
            "Percentile intervals of few documents are too short, because few documents show less "
            "spread than there is."
        )
        warn_of_few_documents(result.n_documents)
    with explain("coverage"):
        st.markdown(
            "Test sets are drawn with replacement, and each has "
            f"{result.resamples:,} resamples. Bars are 95% Monte Carlo intervals. Orange marks "
            "a coverage that differs from the promised one by more than chance. The table has "
            "intervals of the difference of the two systems, too."
        )


def _describe_coverage(view: View, rates_in_order: Sequence[Rate]) -> str:
    """Write the headline: how often intervals by each unit contain the true score, and why."""
    level = 1 - view.alpha
    shares = []
    for rate in rates_in_order:
        comparison = f"not {view.level}"
        if contains(rate, level):
            comparison = f"consistent with {view.level}"
        shares.append(f"{rate.share:.1%} of the time, {comparison}")
    if len(shares) == 1:
        return f"A {view.level} interval contains the true score {shares[0]}"
    _, by_segment, by_document = shares
    reason = ""
    if rates_in_order[1].high < level:
        reason = ", because segments of a document are alike"
    return (
        f"By segment, a {view.level} interval contains the true score {by_segment}{reason}. "
        f"By document: {by_document}"
    )


def _draw_coverage(alpha: float, result):
    """Return the figure of every kind of interval of the score, in each situation."""
    groups = {}
    for situation, first in by_situation(result, "percentile", "score").items():
        groups[situation] = [
            row_of(_INTERVAL_NAMES[row.kind], row.covered)
            for row in result.rows
            if (row.sampled, row.unit, row.quantity) == (first.sampled, first.unit, "score")
        ]
    return partial(panels, groups, 1 - alpha, "of intervals that contain the true score")


# Many comparisons: of equal systems, and where some are truly better.


_EQUAL = "All systems are equal"
_BETTER = "Some systems are truly better"


def show_claims(view: View, question: Question) -> None:
    """Draw what happens when many pairs are tested."""
    tab, places = controls.tabs([_EQUAL, _BETTER])
    with places[tab]:
        if tab == _EQUAL:
            _show_families(view, question)
        else:
            _show_better(view)


def _show_families(view: View, question: Question) -> None:
    comparing = study(view, "validate families")
    result = comparing.run(
        families, "Comparing equal systems", partial(_draw_families, view.alpha), "simulations"
    )
    last = result.of_all_pairs[-1]
    uncorrected = last.wrong["none"]
    corrected = last.wrong["romano-wolf"]
    question.answer_rate(uncorrected)
    screen.answer(
        f"Compare {last.systems} equal systems without correction, and {uncorrected.share:.0%} of "
        f"test sets show a 'significant' difference. With Romano-Wolf {corrected.share:.0%} do"
    )
    screen.tiles(
        big(f"{last.comparisons} pairs, uncorrected", uncorrected),
        big("With Romano-Wolf", corrected),
        ("If pairs were independent", f"{100 * last.if_independent:.1f}%", "1 - (1 - alpha)^pairs"),
    )
    comparing.show(
        _draw_families(view.alpha, result),
        result.rows,
        "Share of test sets with a false claim, by number of systems.",
        table=tables.family_table(result),
    )
    st.caption(
        f"{result.repeats} test sets of {result.n_segments:,} segments on which all systems are "
        "equal. The more pairs are compared, the more likely one of them looks significant by "
        "chance."
    )
    with explain("families"):
        st.markdown(
            f"Randomization test by segment, {result.trials:,} permutations; bars are 95% Monte "
            "Carlo intervals. The formula takes the pairs as independent; all pairs of the same "
            "systems are not."
        )


def _draw_families(alpha: float, result):
    """Return the figure of wrong conclusions by the number of systems."""
    corrected = []
    uncorrected = []
    for row in result.of_all_pairs:
        text = f"{row.systems} systems, {format_count(row.comparisons, 'pair')}"
        corrected.append(row_of(text, row.wrong["romano-wolf"]))
        uncorrected.append(row_of(text, row.wrong["none"], row.if_independent))
    return partial(
        rates,
        corrected,
        alpha,
        against=uncorrected,
        words=("Romano-Wolf", "uncorrected"),
        source="if pairs were independent",
        measure="of test sets with a false claim",
    )


def _show_better(view: View) -> None:
    claiming = study(view, "validate claims")
    result = claiming.run(
        claims,
        "Comparing systems of which three are better",
        partial(_draw_false_claims, view.alpha),
        "simulations",
    )
    by_correction = {row.correction: row for row in result.rows}
    hochberg = by_correction["bh"]
    romano_wolf = by_correction["romano-wolf"]
    screen.answer(
        f"Benjamini-Hochberg misses {hochberg.lost.share:.0%} of the {result.true_pairs} true "
        f"differences, Romano-Wolf {romano_wolf.lost.share:.0%}. A false claim is made in "
        f"{hochberg.any_false.share:.0%} and {romano_wolf.any_false.share:.0%} of test sets"
    )
    claiming.show(
        _draw_false_claims(view.alpha, result),
        result.rows,
        "False claims by correction, counted by test set and by claim.",
        table=tables.claim_table(result),
    )
    st.caption(
        f"{result.better} of {result.systems} systems {choose_verb(result.better, 'is', 'are')} "
        f"better by about {rounded(result.difference)} points, on {result.repeats} test sets of "
        f"{result.n_segments:,} segments. Bonferroni, Holm and Romano-Wolf limit the chance of any "
        "false claim (left). Benjamini's two limit the share of claims that are false (right)."
    )
    with explain("claims"):
        st.markdown(
            f"Randomization test by segment, {result.trials:,} permutations. {result.null_pairs} "
            "pairs are of equal systems. Bars are 95% Monte Carlo intervals; orange marks a "
            "rate above the promised one."
        )
        missed = [row_of(CORRECTIONS[row.correction].title, row.lost) for row in result.rows]
        claiming.show(
            partial(rates, missed, measure=f"of {result.true_pairs} true differences missed"),
            result.rows,
            "Share of true differences that each correction misses.",
            key="trust.lost",
        )


def _draw_false_claims(alpha: float, result):
    """Return the figure of false claims by correction."""
    by_testset = []
    by_claim = []
    for row in result.rows:
        title = CORRECTIONS[row.correction].title
        by_testset.append(row_of(title, row.any_false))
        by_claim.append(row_of(title, row.false_share))
    groups = {"test sets with a false claim": by_testset, "claims that are false": by_claim}
    return partial(panels, groups, alpha, at_most=True)


# Units: what is significant by segment and by document.

_FEW_SEGMENTS = 600  # of the simulated corpus


def show_units(view: View, question: Question) -> None:
    """Draw which pairs are significant by segment, and which by document."""
    correction = view.comparison.settings.correction
    view = _shorten_demo(view)
    with or_end_page():
        testset = part_with_documents(view.testset, view.metric)
    units = study(view, "validate units", trials=view.settings["trials"])
    n_trials = units.arguments["trials"]
    compare_by = partial(
        result_cache.comparison, view.testset, view.metric, **UNIT_SETTINGS, **units.arguments
    )
    by_segment = compare_by(unit="segment")
    by_document = compare_by(unit="document")
    result = changes_between(
        testset,
        by_segment.metrics[view.metric],
        by_document.metrics[view.metric],
        by_segment.settings,
    )
    title = CORRECTIONS[correction].title
    row = result.row(correction)
    base = f"of {format_count(result.n_pairs, 'pair')}, {title}"
    screen.answer(_describe_units(result, row, title))
    tiles = [
        ("Significant by segment", str(row.both + row.segment_only), base),
        ("By document", str(row.both + row.document_only), base),
    ]
    worth = result.independent_share
    question.answer(worth)
    if worth is not None:
        tiles.append(("The segments are worth", f"{worth:.0%}", "of as many independent ones"))
    screen.tiles(*tiles)
    if any(row.trials_needed is None for row in result.rows):
        units.show(
            _draw_units(result),
            result.rows,
            "Pairs that are significant by both units, by segment only, by document only, "
            "for each correction.",
            table=tables.unit_table(result),
        )
    else:  # no correction can find any pair, as the headline tells: there is nothing to draw
        units.show_numbers(result.rows)
    warn_of_few_documents(result.n_documents)
    st.caption(
        "Segments of a document are alike, so they say less than as many independent ones. A test "
        "by segment does not know that and can find too much; trust the test by document."
    )
    with explain("units"):
        st.markdown(_explain_units(result, n_trials))
    _show_changed(view, result, correction, n_trials)


def _shorten_demo(view: View) -> View:
    """Return the view of the first segments of the simulated corpus; other views as they are.

    On the whole corpus all differences are too large for the unit to matter.
    """
    if view.source.demo != 0:  # all of it
        return view
    source = replace(view.source, demo=_FEW_SEGMENTS)
    return replace(view, testset=source.read(), source=source)


def _explain_units(result, n_trials: int) -> str:
    text = (
        f"Randomization test at alpha {result.alpha:g}, {n_trials:,} permutations; "
        f"{result.n_segments:,} segments in {result.n_documents:,} documents."
    )
    if result.se_ratio_median is None:
        return text
    return (
        f"{text} The standard error by document is {result.se_ratio_median:.2f} times the one by "
        f"segment (median of the pairs; {result.se_ratio_low:.2f} to {result.se_ratio_high:.2f})."
    )


def _show_changed(view: View, result, correction: str, n_trials: int) -> None:
    """Draw the pairs that are significant by one unit only."""
    with st.expander("The pairs that change", key="trust.changed"):
        table = tables.changed_table(result, correction)
        if not table:
            screen.plain("None.")
            return
        screen.show_table(table)
        if not result.higher_is_better:
            st.caption(f"{describe_direction(False).capitalize()} of the first over the second.")
        if correction != "none":
            st.caption(
                "Adjusted p-values depend on all pairs, so a pair may change although its own "
                "standard error hardly does."
            )
        command_box(
            study(view, "validate changed-pairs", trials=n_trials).print_command(),
            "trust.changed-pairs.command",
            "the pairs that the unit changes",
        )


def _describe_units(result, row, correction: str) -> str:
    """Write the headline: the pairs that the unit changes, or why none can be significant."""
    if row.trials_needed is not None:
        return (
            f"With {correction}, no pair can be significant with so few permutations: "
            f"use {row.trials_needed:,} or more"
        )
    if row.documents_needed is not None:
        return (
            f"With {result.n_documents} documents and {correction}, no pair can be significant by "
            f"document: use at least {row.documents_needed} documents"
        )
    n = row.both + row.segment_only
    more = f", {row.document_only} more only by document" if row.document_only else ""
    if n == 0:
        return f"No pair is significant by segment{more}"
    pairs = format_count(n, "significant pair")
    if row.segment_only == 0:
        return f"All of {pairs} by segment are significant by document too{more}"
    return f"{row.segment_only} of {pairs} by segment are not significant by document{more}"


def _draw_units(result):
    """Return the figure of significant pairs by unit, by each correction that can find any."""
    groups = {}
    for row in result.rows:
        if row.trials_needed is None:
            groups[CORRECTIONS[row.correction].title] = {
                "by both": row.both,
                "by segment only": row.segment_only,
                "by document only": row.document_only,
            }
    return partial(counts, groups, f"significant pairs of {result.n_pairs}")


# Calibration and power: do samples of this test set conclude what the whole of it does?

_ENOUGH = 5  # samples that tell a share
_LARGEST_DEFAULT = 300  # segments of a sample


def _run_conclusions(view: View, place):
    """Run the experiment of both questions; return it, its result and the sample size."""
    samples = study(view, "validate conclusions")
    result = samples.run(
        conclusions,
        "Taking samples",
        lambda result: draw_conclusions(result, _default_size(result)),
        "samples of all sizes",
    )
    size = controls.choice(
        "Segments in a sample",
        result.sizes,
        "of",
        width=220,
        place=place,
        default=_default_size(result),
    )
    return samples, result, size


def _default_size(result) -> int:
    """Return a size that leaves enough samples."""
    sizes = [
        size
        for size in result.sizes
        if size <= _LARGEST_DEFAULT and result.n_segments // size >= _ENOUGH
    ]
    return max(sizes, default=result.sizes[0])


def show_power(view: View, question: Question) -> None:
    """Draw how often a sample finds a difference, and whether the whole test set agrees."""
    answer = st.container()
    menu = st.container()
    with answer:
        samples, result, size = _run_conclusions(view, menu)
        findings, right = result.totals(size)
        question.answer_rate(findings)
        headline = (
            f"Samples of {size:,} segments find a difference in {findings.share:.0%} "
            "of the comparisons"
        )
        if right.n:
            headline += (
                f". {right.count:,} of these {right.n:,} findings agree with the whole test set"
            )
        screen.answer(headline)
        screen.tiles(
            big("Find a difference", findings),
            big("Agree with the whole test set", right),
            ("Contradict it", str(right.n - right.count), f"of {right.n:,} findings"),
        )
        samples.show(
            draw_conclusions(result, size),
            result.rows,
            f"Share of samples of {size} that agree with the whole "
            "test set, and of those that contradict it, for each pair.",
            table=tables.conclusions_at_table(result, size),
        )
        st.caption(_explain_samples(result, size))
    with explain("conclusions"):
        _describe_conclusions(view, result)
    with st.expander("All sizes", key="trust.sizes"):
        screen.show_table(tables.conclusion_table(result, False))
        st.caption("Percent that agree with the whole test set / that contradict it.")


def _explain_samples(result, size: int) -> str:
    rows = [row for row in result.rows if row.size == size]
    n_samples = rows[0].right.n
    if n_samples * size == result.n_segments:
        split = f"The {result.n_segments:,} segments are split into {n_samples} samples"
    else:
        split = (
            f"{n_samples} samples of {size:,} segments, without overlap, are taken from the "
            f"{result.n_segments:,} segments"
        )
    n_decided = len(rows) - len(result.undecided)
    return (
        f"{split}. In each, every system is compared with the two ranked below it. The whole test "
        f"set itself shows a significant difference for {n_decided} of the {len(rows)} pairs."
    )


def _describe_conclusions(view: View, result) -> None:
    swaps = describe_swaps(view.testset.n_documents or result.n_segments)
    text = (
        "Broad samples (segments spread over the whole set), each tested by the paired bootstrap "
        f"with {result.resamples:,} resamples by segment, at {view.level}. The whole test set is "
        f"tested by randomization, uncorrected, {swaps}. It is itself a sample: where it is "
        "undecided, a sample that contradicts it need not be wrong. Bars and brackets are 95% "
        "Monte Carlo intervals."
    )
    if view.recounted:
        text += " The metric keeps the weights of the whole test set."
    screen.plain(text)


def draw_conclusions(
    result,
    size: int,
    published: Mapping[tuple[str, str], float] = MappingProxyType({}),
    other: str = "",
):
    """Return the figure of what samples of a size find for each pair, with published shares."""
    right = []
    wrong = []
    for row in result.rows:
        if row.size == size:
            text = f"{row.a} - {row.b}"
            right.append(row_of(text, row.right, published.get((row.a, row.b))))
            wrong.append(row_of(text, row.wrong))
    return partial(
        rates,
        right,
        source=other,
        against=wrong,
        words=("agree with the whole set", "contradict it"),
        measure="share of the samples",
    )


def show_calibration(view: View, question: Question) -> None:
    """Draw how often the whole test set agrees with a finding, by its share of wins."""
    samples = study(view, "validate conclusions")
    result = samples.run(conclusions, "Taking samples", draw_levels, "samples of all sizes")
    findings, right = result.totals()
    a, b, of_closest = result.of_closest_pair()
    question.answer_rate(right)
    screen.answer(_describe_calibration(right, of_closest, view.level))
    screen.tiles(
        big("Agree with the whole test set", right),
        big(f"Of the closest pair, {a} and {b}", of_closest),
        ("Findings", f"{right.n:,}", f"of {findings.n:,} comparisons on samples of all sizes"),
    )
    study(view, "validate calibration").show(
        draw_levels(result),
        result.levels,
        "Share of findings at each level of confidence that agree with the whole test set.",
        key="trust.calibration",
        table=tables.calibration_table(result, False),
    )
    st.caption(
        f"{view.level} is not the chance that a finding is right: that depends on how far apart "
        "the systems are.",
        help="Each line takes the findings with one range of wins in the paired bootstrap. The "
        "truth is unknown, so a finding counts as right if the whole test set agrees. Each sample "
        "is a part of that set, so the shares are optimistic. The pairs do differ, so this is no "
        "false-alarm rate.",
    )
    with explain("calibration"):
        _describe_conclusions(view, result)


def _describe_calibration(right: Rate, of_closest: Rate, level: str) -> str:
    """Write the headline: how often the whole test set agrees, also on the closest pair."""
    if not right.n:
        return f"On no sample does any system win at least {level} of the resamples"
    sentence = (
        f"When one system wins at least {level} of a sample's resamples, the whole test set agrees "
        f"{right.share:.0%} of the time"
    )
    if of_closest.n:
        sentence += f", and {of_closest.share:.0%} for the two closest systems"
    return sentence


def draw_levels(result, published: Mapping[float, float] = MappingProxyType({}), other: str = ""):
    """Return the figure of how often findings agree, by their share of wins."""
    lines = [row_of(row.level, row.right, published.get(row.low)) for row in result.levels]
    return partial(
        rates,
        lines,
        source=other,
        line_title="share of bootstrap wins",
        measure="share of the findings that agree with the whole test set",
    )
