"""Sections of the page One pair: the verdict, its examination, the commands that print it, the
one-page summary.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import streamlit as st

from mtsig_core import Caution, MetricResult, MtsigError, PairResult, Settings, TestSet
from mtsig_core.errors import format_count
from mtsig_core.experiments.dispute import document_names, examine_dispute, list_dispute_metrics
from mtsig_core.figures.pair_plots import drivers, half_eye, null_tails
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import advise_trust, explain_no_decision, is_corrected
from mtsig_core.report.commands import command_line
from mtsig_core.report.html import report_html
from mtsig_core.report.pair_summary import summary_report
from mtsig_core.report.sentences import (
    choose_form,
    contradicts_decision,
    explain_unlike,
    find_identical,
    name_family,
    name_unit,
    state_pair,
    view_pair,
    write_level,
)
from mtsig_core.report.table import (
    Column,
    Table,
    format_p,
    join_ends,
    rounded,
    write_p,
    written_like,
)
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.cautions import trusted
from mtsig_core.stats.comparison import join_comparisons
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, can_reach_alone
from mtsig_core.stats.pair import (
    PairExamination,
    count_permutations,
    equivalence,
    examine_pair,
    find_extremes,
    smooth_resamples,
)
from mtsig_core.stats.power import default_difference
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import TESTS
from pages._ui import address, charts, controls, result_cache, screen
from pages._ui.browser import command_box
from pages._ui.screen import or_end_page
from pages._ui.views import View
from pages._work.names import errors_with_names

_ASKED = ("unit", "trials", "alpha", "seed")


def examine(view: View, a: str, b: str) -> PairExamination:
    """Run `mtsig_core.examine_pair` with the settings of the view."""
    return view.experiment(
        examine_pair,
        "Examining the pair",
        a=a,
        b=b,
        **{name: view.settings[name] for name in _ASKED},
    )


def command(view: View, a: str, b: str) -> str:
    """Return the command line that prints this pair, corrected for all pairs of the test set as on
    the page.
    """
    return command_line("pair", view.source, metrics=view.metric, a=a, b=b, **view.settings)


def form_of(found: PairExamination) -> str:
    """Return the form of its scores and differences."""
    return written_like((found.score_a, found.score_b))


# How large the difference is, and whether it could be chance.


@dataclass(frozen=True)
class Pair:
    """Two systems with their results and the form of their numbers; differences are improvements of
    a over b.
    """

    view: View
    a: str
    b: str
    found: PairExamination

    @cached_property
    def result(self) -> MetricResult:
        return self.view.result

    @cached_property
    def settings(self) -> Settings:
        return self.view.comparison.settings

    @cached_property
    def row(self) -> PairResult:
        return next(pair for pair in self.result.pairs if {pair.a, pair.b} == {self.a, self.b})

    @cached_property
    def identical(self) -> str:
        """Return which parts of the two are identical; empty if they differ."""
        return find_identical(self.view.comparison, self.result, self.row)

    @property
    def delta(self) -> float:
        return self.found.sign * self.found.delta

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the interval of this pair."""
        ends = self.found.intervals[self.result.ci]
        return ends and join_ends(*ends, self.found.sign)

    @property
    def joint(self) -> tuple[float, float] | None:
        """Return the interval for all pairs together, if there are several."""
        return (
            view_pair(self.row, self.a, self.result, self.settings).ci_joint
            if len(self.result.tested) > 1
            else None
        )

    def show(self, make: partial, key: str, alt: str, header: list[str], rows: list) -> None:
        charts.show(
            make,
            key=key,
            alt=alt,
            header=header,
            rows=rows,
            files=self.view.named(self.a, self.b),
            command=command(self.view, self.a, self.b),
        )


def state_verdict(one: Pair) -> str:
    """Write which system is better, if either is, by how much, and what decides."""
    return state_pair(one.view.comparison, one.result, one.row, one.a)


def list_warnings(one: Pair) -> list[Caution]:
    """Return the limits of the verdict; of two identical systems, the caution that they are."""
    return [
        caution
        for caution in one.view.comparison.warnings
        if caution.concerns_pair(one.a, one.b)
        or (
            not one.identical
            and caution.concerns_all
            and not caution.kind.beside_verdict
            and caution.kind.concern not in ("files", "ratings")
            and caution.facts.get("p_low", 0)
            <= (one.row.p_adjusted or 0)
            <= caution.facts.get("p_high", 1)
        )
    ]


def show_contradictions(one: Pair) -> None:
    """Draw where the bootstrap of the pair, or the interval for all pairs, contradicts the
    decision.
    """
    if contradicts_decision(
        one.row, one.ends if len(one.result.tested) == 1 else one.joint, one.settings
    ):
        screen.caution_box(_explain_disagreement(one.row, one.settings, one.result))
    elif unlike := explain_unlike(one.found, one.row.n_effective):
        screen.caution_box(unlike.strip())


def _explain_disagreement(pair: PairResult, settings: Settings, result: MetricResult) -> str:
    """Write how to read an interval for all pairs that disagrees with the decision."""
    contains = (
        f"The {write_level(settings)} CI{' for all pairs together' * (len(result.tested) > 1)} "
        f"{'contains' if pair.significant else 'excludes'} 0"
    )
    if explain_no_decision(settings, result) is not None:
        what = (
            "permutations or resamples cannot decide after the correction"
            if can_reach_alone(settings, pair)
            else f"{settings.unit}s cannot decide by this test"
        )
        return f"{contains}, by Student's t, but so few {what}."
    return (
        f"{contains} although the test is {'' if pair.significant else 'not '}significant: test and interval are "
        f"different methods. {advise_trust(**trusted(settings, [pair]))}"
    )


def show_size(one: Pair) -> None:
    """Draw the bootstrapped differences, with their intervals."""
    found, form, level = one.found, choose_form(one.result), write_level(one.settings)
    drawn = found.sign * found.drawn[: one.settings.resamples]
    over = float((drawn > 0).mean())
    unit = metric_title(one.result.metric)
    screen.faint(
        f"{one.a} {found.score_a:{form}}, {one.b} {found.score_b:{form}} on "
        f"{format_count(found.n, 'segment')}. {over:.1%} of {len(drawn):,} resamples are above 0. "
        f"That is not the probability that {one.a} is better."
    )
    x, y = smooth_resamples(found, one.settings.resamples)
    one.show(
        partial(
            half_eye,
            x,
            y,
            one.delta,
            one.ends,
            a=one.a,
            b=one.b,
            unit=unit,
            form=form,
            joint=one.joint,
            interval_names=(
                f"{level} CI for this pair",
                f"{level} CI for {name_family(one.result, one.settings)}",
            ),
        ),
        "pair.difference",
        f"Bootstrapped differences, above zero in {over:.1%} of the resamples; observed {one.delta:+{form}}.",
        [f"difference in {unit}", "density"],
        list(zip(x.tolist(), y.tolist(), strict=True)),
    )


def show_chance(one: Pair) -> None:
    """Draw the differences after permutations, and the p that decides."""
    found, row = one.found, one.row
    edges, counts = count_permutations(found)
    chance, m = describe_chance(found), len(one.result.tested)
    decides = row.p_value is not None and is_corrected(one.settings.correction, m)
    screen.faint(
        f"{chance} Corrected for {format_count(m, 'pair')}, which decides: "
        f"{write_p(row.p_adjusted, 'adjusted p')}."
        if decides
        else chance
    )
    one.show(
        partial(
            null_tails,
            edges,
            counts,
            one.delta,
            unit=metric_title(one.result.metric),
            form=choose_form(one.result),
            exact=found.exact,
        ),
        "pair.null",
        f"Differences after permutations. {chance}",
        ["from", "to", "count"],
        list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)),
    )
    if (
        found.mdd is not None and abs(found.delta) < found.mdd
    ):  # what is found by luck is found too large
        screen.faint(
            f"The difference is smaller than what this test set finds reliably. {describe_detectable(found)}"
        )


_TABS = ("Documents", "Segments", "Other tests and intervals", "Equivalence", "Export")


def open_tabs() -> Sequence:
    """Draw the tabs of the page; a link to the summary, or with a margin, opens its own."""
    asked = (
        _TABS[4]
        if address.asked("card") == "true"
        else _TABS[3]
        if address.asked("margin")
        else _TABS[0]
    )
    return st.tabs(_TABS, default=asked)


def describe_chance(found: PairExamination) -> str:
    """Write how many permutations reach the observed difference, and the p that follows."""
    p, n = found.outcomes[0].p_value, len(found.swapped) + 1
    reached, size = (
        round(p * n) - 1,
        f"a difference of {abs(found.delta):{form_of(found)}} or more in either direction",
    )
    if found.exact:
        return f"{reached + 1:,} of all {n:,} permutations give {size}: p = {format_p(p)} for this pair only."
    return f"{reached:,} of {n - 1:,} permutations give {size}: {write_p(p)} for this pair only."


def show_other_tests(one: Pair) -> None:
    """Draw all tests, all intervals, and what the test set can detect: a sentence and a table
    each.
    """
    found, row, result = one.found, one.row, one.result
    tests = outcomes_table(found, row.n_effective < FEW_FOR_BOOTSTRAP)
    decisions = Counter(tests.values("decision"))
    counted = ", ".join(
        f"{decision} by {n} of {len(tests.rows)}" for decision, n in decisions.most_common()
    )
    screen.plain(f"Tests: {counted}. Choose the test before you look at its result.")
    screen.show_table(tests)
    intervals = intervals_table(found, result.ci, name_family(result, one.settings), one.joint)
    excludes = Counter(intervals.values("excludes_zero"))
    screen.plain(f"Intervals: {excludes['yes']} of {excludes['yes'] + excludes['no']} exclude 0.")
    screen.show_table(intervals)
    screen.plain(describe_detectable(found))
    screen.show_table(detectable_table(found, row, len(result.pairs)))


def outcomes_table(examination: PairExamination, few: bool) -> Table:
    """Return all tests side by side, with what is wrong with some of them, or with few units."""
    decisions = {
        "a": f"{examination.a} is better",
        "b": f"{examination.b} is better",
        None: "no significant difference",
    }
    rows = []
    for one in examination.outcomes:
        test = TESTS[one.test]
        caveat = ". ".join(
            (test.caution or (test.with_few or "") * few).split(". ")[:2]
        ).removesuffix(".")
        rows.append(
            (
                test.title,
                one.p_value if one.win is None else f"win {one.win:.3f}, lose {one.lose:.3f}",
                "test and scores disagree" if one.favours else decisions[one.better],
                caveat,
            )
        )
    return Table(
        "tests",
        (
            Column("test", "test", "name"),
            Column("p", "p", "p"),
            Column("decision", f"at alpha {examination.settings.alpha:g}, without correction"),
            Column("caveat", "caveat"),
        ),
        tuple(rows),
    )


def describe_detectable(found: PairExamination) -> str:
    """Write which difference the test set can detect."""
    if found.se[found.settings.unit] == 0:
        return "There is no smallest detectable difference: this difference is the same in every resample."
    if found.mdd is None:
        return (
            f"There is no smallest detectable difference: with so few {found.settings.unit}s no difference can "
            f"reach p = {found.settings.alpha:g}."
        )
    return (
        f"If the true difference is {found.mdd:{form_of(found)}} {name_unit(found.metric)}, this test set detects "
        "it 8 times in 10; smaller ones less often."
    )


def detectable_table(found: PairExamination, pair: PairResult, m: int) -> Table:
    """Return the smallest detectable difference, for this pair only and among m, and the standard
    errors.
    """
    form, rows = form_of(found), []
    if found.mdd is not None and found.se[found.settings.unit]:
        ends = join_ends(pair.mdd_low, pair.mdd_high)
        rows.append(
            ("Smallest detectable difference (80% power), without correction", found.mdd, ends)
        )
        if m > 1 and pair.mdd_family is not None:
            rows.append(
                (f"The same with Bonferroni's correction for {m} pairs", pair.mdd_family, None)
            )
    rows += [
        (f"Standard error of the difference, by {kind}", se, None) for kind, se in found.se.items()
    ]
    return Table(
        "detectable",
        (
            Column("what", "", "name"),
            Column("value", name_unit(found.metric), "score", form),
            Column("ci", f"{write_level(found.settings)} CI", "interval", form),
        ),
        tuple(rows),
    )


def show_equivalence(found: PairExamination) -> None:
    """Draw whether the two are equivalent within the margin entered, if the bootstrap can decide;
    without a margin, claim nothing.
    """
    if found.intervals["percentile"] is None:
        st.caption(
            f"Equivalence cannot be tested with so few {found.settings.unit}s: it needs the bootstrap."
        )
        return
    if found.se[found.settings.unit] == 0:
        screen.faint(
            f"Equivalence is not tested: {metric_title(found.metric)} gives the same difference in every "
            "resample, which says nothing about other test sets."
        )
        return
    usual = default_difference((found.score_a, found.score_b))
    margin = controls.number(
        st,
        "A difference that does not matter, in points",
        None,
        "margin",
        least=usual / 1000,
        most=1000 * usual,
        step=usual / 10,
        format="%g",
        placeholder=f"such as {usual:g}",
    )
    if margin is None:
        st.caption(
            "'No significant difference' does not mean 'equal'. Enter the largest difference that does not "
            "matter to you, before you look at the scores, to test whether these two are equivalent."
        )
        return
    same = equivalence(found, margin)
    screen.answer(
        f"{'Equivalent' if same.equivalent else 'Not shown to be equivalent'} within ±{margin:g} "
        f"{metric_title(found.metric)}: p {format_p(same.p_value)}"
    )
    st.caption(
        f"Two one-sided t tests with the bootstrap's standard error (Schuirmann 1987): p "
        f"{format_p(same.p_lower)} against -{margin:g} or less, {format_p(same.p_upper)} against {margin:g} or "
        "more. Both must be at most alpha; they are not corrected for other pairs."
    )


def intervals_table(
    examination: PairExamination,
    chosen: str,
    family: str | None = None,
    joint: tuple[float, float] | None = None,
) -> Table:
    """Return all kinds of interval, with the interval for all pairs last."""
    kinds = {
        SETTINGS["ci"].name_value(kind) + " (chosen)" * (kind == chosen): ends
        and join_ends(*ends, examination.sign)
        for kind, ends in examination.intervals.items()
    }
    kinds |= {} if joint is None else {f"for {family} together": joint}
    form, rows = form_of(examination), []
    for kind, ends in kinds.items():
        low, high = ends or (None, None)
        rows.append(
            (
                kind,
                low,
                high,
                None if ends is None else high - low,
                None if ends is None else "no" if contains_zero(low, high) else "yes",
            )
        )
    return Table(
        "intervals",
        (
            Column("kind", f"{write_level(examination.settings)} CI", "name"),
            Column("low", "low", "difference", form),
            Column("high", "high", "difference", form),
            Column("width", "width", "score", form),
            Column("excludes_zero", "excludes 0", "sign"),
        ),
        tuple(rows),
    )


def documents_of(testset: TestSet, domain: str | None) -> dict[str, int]:
    """Return the number of each document, of one domain or of all, by its name from
    `document_names`.
    """
    names = document_names(testset)
    if domain is None:
        return {name: k for k, name in enumerate(names)}
    number = testset.document_index.tolist()
    inside = dict.fromkeys(k for k, d in zip(number, testset.domains, strict=True) if d == domain)
    return {names[k]: k for k in inside}


_DOCUMENTS = 4  # of each system, in the figure


def show_documents(view: View, found: PairExamination, a: str, b: str) -> None:
    """Draw the documents that move the difference most, with links to their segments."""
    if found.by_document is None:
        st.caption(
            "This test set has no document ids. Upload them with its files to see which documents drive the "
            "difference."
        )
        return address.link("upload", "Add documents", icon=":material/upload:")
    added, ids = found.sign * found.by_document, document_names(view.testset)
    most, least = find_extremes(added, _DOCUMENTS)
    shown = [*most, *least[::-1]]
    if shown:
        _draw_documents(view, found, a, b, shown)
    else:
        st.caption("No document favours either system: in each of them the difference is 0.")
    in_favour = (-added).argsort(kind="stable")
    document = st.selectbox(
        "Read the segments of",
        [ids[k] for k in in_favour],
        index=None,
        key="pair.document",
        placeholder="a document, most in favour of A first",
        width=480,
    )
    if document is not None and view.testset.has_texts:
        address.link("segments", "Read them", a=a, b=b, document=document)


def _draw_documents(view: View, found: PairExamination, a: str, b: str, shown: list[int]) -> None:
    """Draw what the documents at some positions add to the difference, and open the one that is
    clicked.
    """
    unit, has_texts = metric_title(found.metric), view.testset.has_texts
    added, ids = found.sign * found.by_document, document_names(view.testset)
    in_favour = (-added).argsort(kind="stable")
    clicked = charts.show(
        partial(drivers, [ids[k] for k in shown], added[shown].tolist(), a=a, b=b, unit=unit),
        key="pair.documents",
        header=["document", f"{unit} added"],
        files=view.named(a, b),
        command=command(view, a, b),
        select=has_texts,
        rows=[(ids[k], float(added[k])) for k in in_favour],
        alt="What the documents most in favour of each system add to the difference.",
    )
    if clicked:
        address.go("segments", document=ids[shown[clicked[0][0]]])
    first = float(added[shown[0]])
    change = "lower" if first >= 0 else "higher"
    sentences = [
        f"A bar shows how much a document adds to the difference: without the first one it would be "
        f"{rounded(abs(first))} {change}."
    ]
    if len(shown) < len(ids):
        sentences.insert(0, f"The {len(shown)} of {len(ids):,} documents that matter most.")
    if has_texts:
        sentences.append("Click a bar to read its document.")
    st.caption(" ".join(sentences))


# The one-page summary of two systems, to read, to print, to send as one file.

_HIGH = 700  # pixels of the summary on the page, which scrolls


def show_card(view: View, a: str, b: str) -> None:
    """Draw the one-page summary below a toggle, which is in the address, with a button for its file,
    and the command.
    """
    if not controls.toggle(
        "One-page summary: show it here, to print or send",
        False,
        "card",
        pages_own=True,
    ):
        return
    testset, settings, compared = view.testset, view.settings, []
    for name in dict.fromkeys([view.metric, *list_dispute_metrics(testset)]):
        try:
            with errors_with_names(testset):
                compared.append(result_cache.nameless_comparison(testset, name, **settings))
        except MtsigError as problem:  # a test that does not fit this metric
            screen.error(f"{metric_title(name)}: {problem}")
    comparison = join_comparisons(compared)
    names = list(comparison.metrics)

    def work(nameless, progress):
        return examine_dispute(
            nameless,
            names,
            a=a,
            b=b,
            comparison=comparison,
            jobs=result_cache.jobs(nameless),
            progress=progress,
            **settings,
        )

    with or_end_page():
        found = result_cache.shared_result(
            "dispute",
            testset,
            work,
            "Making the one-page summary",
            a,
            b,
            *names,
            *sorted(settings.items()),
        )
    command = command_line("pair", view.source, metrics=names, a=a, b=b, **view.settings)
    html = report_html(summary_report(found, command))
    charts.download(
        "One-page summary (HTML)", html, (*view.named(a, b), "dispute"), "html", "pair.card"
    )
    st.caption(
        "The file opens offline and prints on A4. The link of this page opens the summary again."
    )
    sealed = base64.b64encode(
        html.encode("utf-8", "backslashreplace")
    ).decode()  # an origin of its own
    st.iframe(f"data:text/html;charset=utf-8;base64,{sealed}", height=_HIGH)
    command_box(" ".join([command, "--format", "html"]), "dispute.command", "this summary")
