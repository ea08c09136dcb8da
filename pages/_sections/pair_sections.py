"""Sections of the page One pair: the verdict, its examination, and the one-page summary."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import Caution, Comparison, MetricResult, MtsigError, PairResult, Settings, TestSet
from mtsig_core.errors import write_p
from mtsig_core.experiments.breakdown import break_down
from mtsig_core.experiments.dispute import document_names, examine_dispute, list_dispute_metrics
from mtsig_core.figures.pair_plots import drivers, half_eye, null_tails
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.commands import command_line
from mtsig_core.report.export import records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.noticed_words import explain_noticed_difference
from mtsig_core.report.pair_summary import breakdown_tables, list_table_rows, summary_report
from mtsig_core.report.sentences import (
    choose_form,
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
    TableBuilder,
    format_p,
    join_ends,
    rounded,
    written_like,
)
from mtsig_core.report.tiles import list_pair_tiles
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.comparison import join_comparisons
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.pair import (
    Outcome,
    PairExamination,
    count_permutations,
    equivalence,
    examine_pair,
    find_extremes,
    smooth_resamples,
)
from mtsig_core.stats.power import choose_difference, round_to_step
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import TESTS
from pages._ui import address, charts, controls, result_cache, screen
from pages._ui.browser import command_box
from pages._ui.screen import or_end_page
from pages._ui.views import View
from pages._work.names import errors_with_names

_EXAMINATION_SETTINGS = ("unit", "trials", "seed")


@dataclass(frozen=True)
class Pair:
    """Two systems with their results; differences are improvements of a over b."""

    view: View
    a: str
    b: str
    examination: PairExamination

    @cached_property
    def result(self) -> MetricResult:
        """The result of all pairs."""
        return self.view.result

    @cached_property
    def settings(self) -> Settings:
        """The settings of the comparison, resolved."""
        return self.view.comparison.settings

    @cached_property
    def row(self) -> PairResult:
        """The result of this pair."""
        return next(pair for pair in self.result.pairs if {pair.a, pair.b} == {self.a, self.b})

    @cached_property
    def identical(self) -> str | None:
        """``"outputs"`` or ``"scores"`` if the two have the same."""
        return find_identical(self.view.comparison, self.result, self.row)

    @property
    def metric(self) -> str:
        """The title of the metric, in which differences are given."""
        return metric_title(self.examination.metric)

    @property
    def form(self) -> str:
        """The form of the two scores and their difference."""
        return written_like((self.examination.score_a, self.examination.score_b))

    @property
    def difference(self) -> float:
        """The improvement of a over b."""
        return self.examination.sign * self.examination.delta

    @property
    def standard_error(self) -> float | None:
        """The standard error by the unit of the test; None of one unit."""
        return self.examination.se[self.examination.settings.unit]

    @property
    def has_family(self) -> bool:
        """Whether more than this pair is tested."""
        return len(self.result.tested) > 1

    @property
    def interval(self) -> Bounds | None:
        """The interval of this pair."""
        interval = self.examination.intervals[self.result.ci]
        if interval is None:
            return None
        return join_ends(*interval, self.examination.sign)

    @property
    def joint_interval(self) -> Bounds | None:
        """The interval for all pairs together, if there are several."""
        if not self.has_family:
            return None
        return view_pair(self.row, self.a, self.result, self.settings).ci_joint

    @property
    def command(self) -> str:
        """The command line that prints this pair, corrected for all pairs as on the page."""
        return self.write_command(self.view.metric)

    def write_command(self, metrics: str | Sequence[str]) -> str:
        """Write the command line that prints this pair by some metrics."""
        view = self.view
        return command_line(
            "pair", view.source, metrics=metrics, a=self.a, b=self.b, **view.settings
        )

    def show(self, make: partial, key: str, alt: str, header: list[str], rows: list) -> None:
        """Draw a figure of this pair."""
        charts.show(
            make,
            key=key,
            alt=alt,
            header=header,
            rows=rows,
            files=self.view.named(self.a, self.b),
            command=self.command,
        )


def examine_systems(view: View, a: str, b: str) -> Pair:
    """Examine two systems with the settings of the view."""
    settings = {name: view.settings[name] for name in _EXAMINATION_SETTINGS}
    settings["alpha"] = view.alpha
    examination = view.experiment(examine_pair, "Examining the pair", a=a, b=b, **settings)
    return Pair(view, a, b, examination)


# -------------------------------------------------------------------------------------------------
# The verdict and its limits.


def show_verdict(pair: Pair) -> None:
    """Draw which system is better, if either is, and the numbers of the pair."""
    comparison = pair.view.comparison
    metric = pair.view.metric
    screen.answer(f"By {name_metric(metric)}: {state_pair(comparison, pair.result, pair.row)}")
    if not pair.identical:
        screen.tiles(*list_pair_tiles(comparison, metric, pair.row, pair.a))


def list_cautions(pair: Pair) -> list[Caution]:
    """Return the limits of the verdict; of identical systems only that they are identical."""
    return [
        caution
        for caution in pair.view.comparison.warnings
        if caution.concerns_pair(pair.a, pair.b)
        or (not pair.identical and _limits_verdict(caution, pair.row))
    ]


def _limits_verdict(caution: Caution, row: PairResult) -> bool:
    """Return whether a caution about all pairs limits the verdict on this one."""
    if not caution.concerns_all or caution.kind.beside_verdict:
        return False
    if caution.kind.concern in ("files", "ratings"):
        return False
    p = row.p_adjusted or 0
    return caution.facts.get("p_low", 0) <= p <= caution.facts.get("p_high", 1)


def show_unlike(pair: Pair) -> None:
    """Draw that p is too small where permutations of the pair vary less than resamples."""
    unlike = explain_unlike(pair.examination, pair.row.n_effective)
    if unlike:
        screen.caution_box(unlike)


# -------------------------------------------------------------------------------------------------
# How large the difference is, and whether it could be chance.


def show_size(pair: Pair) -> None:
    """Draw the bootstrapped differences, with their intervals."""
    examination = pair.examination
    form = choose_form(pair.result)
    level = write_level(pair.settings)
    family = name_family(pair.result, pair.settings)
    x, density = smooth_resamples(examination, pair.settings.resamples)
    figure = partial(
        half_eye,
        x,
        density,
        pair.difference,
        pair.interval,
        a=pair.a,
        b=pair.b,
        unit=pair.metric,
        form=form,
        joint=pair.joint_interval,
        interval_names=(f"{level} CI for this pair", f"{level} CI for {family}"),
    )
    pair.show(
        figure,
        "pair.difference",
        f"Bootstrapped differences; observed {pair.difference:+{form}}.",
        [f"difference in {pair.metric}", "density"],
        list(zip(x.tolist(), density.tolist(), strict=True)),
    )


def show_chance(pair: Pair) -> None:
    """Draw the differences after permutations, and the p that decides."""
    examination = pair.examination
    chance = describe_chance(pair)
    edges, counts = count_permutations(examination)
    figure = partial(
        null_tails,
        edges,
        counts,
        pair.difference,
        unit=pair.metric,
        form=choose_form(pair.result),
        exact=examination.exact,
    )
    pair.show(
        figure,
        "pair.null",
        f"Differences after permutations. {chance}",
        ["from", "to", "count"],
        charts.list_bins(edges, counts),
    )
    screen.faint(chance)


def describe_chance(pair: Pair) -> str:
    """Write how many permutations reach the observed difference, and the p that follows."""
    examination = pair.examination
    p = examination.outcomes[0].p_value
    n_permutations = len(examination.swapped)
    n_all = n_permutations + 1  # with the one that swaps nothing
    n_reaching = round(p * n_all)
    size = f"a difference of {abs(examination.delta):{pair.form}} or more in either direction"
    if examination.exact:
        counts = f"{n_reaching:,} of all {n_all:,}"
        p_text = f"p = {format_p(p)}"
    else:
        counts = f"{n_reaching - 1:,} of {n_permutations:,}"
        p_text = write_p(p)
    return f"{counts} permutations give {size}: {p_text} for this pair only."


def open_tabs(pair: Pair) -> tuple[str, dict[str, DeltaGenerator]]:
    """Draw the tabs for which the test set has something; a link with a margin opens its own.

    Returns the name of the open tab, and the place of each.
    """
    names = []
    if pair.examination.by_document is not None:
        names.append("Documents")
    if pair.view.testset.has_outputs:
        names.append("Segments")
        if pair.view.testset.references:
            names.append(BREAKDOWN)
    names.append("Other tests and intervals")
    # Equivalence needs a bootstrap in which the difference varies.
    if pair.examination.intervals["percentile"] is not None and pair.standard_error != 0:
        names.append("Equivalence")
    usual = "Equivalence" if address.asked("margin") else None
    return controls.tabs(names, usual=usual)


# -------------------------------------------------------------------------------------------------
# Other tests and intervals.


def show_other_tests(pair: Pair) -> None:
    """Draw all tests, all intervals, and what the test set can detect."""
    tests = _make_tests_table(pair)
    counts = []
    for decision, n in Counter(tests.values("decision")).most_common():
        counts.append(f"{decision} ({n} of {len(tests.rows)})")
    screen.plain(f"Tests: {', '.join(counts)}. Choose the test before you look at its result.")
    screen.show_table(tests)
    intervals = _make_intervals_table(pair)
    answers = Counter(intervals.values("excludes_zero"))
    n_defined = answers["yes"] + answers["no"]
    screen.plain(f"Intervals: {answers['yes']} of {n_defined} exclude 0.")
    screen.show_table(intervals)
    screen.plain(describe_detectable(pair))
    screen.show_table(_make_detectable_table(pair))


def _make_tests_table(pair: Pair) -> Table:
    """Return all tests side by side, with a caveat for some of them."""
    has_few_units = pair.row.n_effective < FEW_FOR_BOOTSTRAP
    table = TableBuilder("tests", pair.examination.outcomes)
    table.add("test", "test", "name", lambda outcome: TESTS[outcome.test].title)
    table.add("p", "p", "p", _write_test_p)
    table.add(
        "decision",
        f"at alpha {pair.examination.settings.alpha:g}, without correction",
        "text",
        partial(_write_decision, pair),
    )
    table.add("caveat", "caveat", "text", partial(_write_test_caution, has_few_units))
    return table.build()


def _write_test_p(outcome: Outcome) -> float | str | None:
    if outcome.win is None:
        return outcome.p_value
    return f"win {outcome.win:.3f}, lose {outcome.lose:.3f}"


def _write_decision(pair: Pair, outcome: Outcome) -> str:
    if outcome.favours:
        return "test and scores disagree"
    if outcome.better is None:
        return "no significant difference"
    return f"{pair.a if outcome.better == 'a' else pair.b} is better"


def _write_test_caution(has_few_units: bool, outcome: Outcome) -> str:
    """Write the first two sentences of the caveat of a test."""
    test = TESTS[outcome.test]
    caveat = test.caution
    if caveat is None and has_few_units:
        caveat = test.with_few
    if caveat is None:
        return ""
    sentences = caveat.split(". ")
    return ". ".join(sentences[:2]).removesuffix(".")


def _make_intervals_table(pair: Pair) -> Table:
    """Return all kinds of interval, with the interval for all pairs last."""
    intervals = {}
    for kind, interval in pair.examination.intervals.items():
        name = SETTINGS["ci"].name_value(kind)
        if kind == pair.result.ci:
            name += " (chosen)"
        intervals[name] = None
        if interval is not None:
            intervals[name] = join_ends(*interval, pair.examination.sign)
    joint_interval = pair.joint_interval
    if joint_interval is not None:
        intervals[f"for {name_family(pair.result, pair.settings)} together"] = joint_interval
    rows = []
    for name, interval in intervals.items():
        if interval is None:
            rows.append((name, None, None, None, None))
            continue
        low, high = interval
        excludes_zero = "no" if contains_zero(low, high) else "yes"
        rows.append((name, low, high, high - low, excludes_zero))
    columns = (
        Column("kind", f"{write_level(pair.examination.settings)} CI", "name"),
        Column("low", "low", "difference", pair.form),
        Column("high", "high", "difference", pair.form),
        Column("width", "width", "score", pair.form),
        Column("excludes_zero", "excludes 0", "sign"),
    )
    return Table("intervals", columns, tuple(rows))


def describe_detectable(pair: Pair) -> str:
    """Write which difference the test set can detect."""
    examination = pair.examination
    settings = examination.settings
    if pair.standard_error == 0:
        return "There is no smallest detectable difference: this difference is the same in every resample."
    if examination.mdd is None:
        return (
            f"There is no smallest detectable difference: with so few {settings.unit}s no difference can "
            f"reach p = {settings.alpha:g}."
        )
    return (
        f"If the true difference is {examination.mdd:{pair.form}} {name_unit(examination.metric)}, this test set detects "
        "it 8 times in 10; smaller ones less often."
    )


def _make_detectable_table(pair: Pair) -> Table:
    """Return the smallest detectable differences and the standard errors."""
    examination = pair.examination
    row = pair.row
    n_pairs = len(pair.result.pairs)
    rows = []
    if examination.mdd is not None and pair.standard_error:
        interval = join_ends(row.mdd_low, row.mdd_high)
        title = "Smallest detectable difference (80% power), without correction"
        rows.append((title, examination.mdd, interval))
        if n_pairs > 1 and row.mdd_family is not None:
            title = f"The same with Bonferroni's correction for {n_pairs} pairs"
            rows.append((title, row.mdd_family, None))
    for kind, se in examination.se.items():
        rows.append((f"Standard error of the difference, by {kind}", se, None))
    columns = (
        Column("what", "", "name"),
        Column("value", name_unit(examination.metric), "score", pair.form),
        Column("ci", f"{write_level(examination.settings)} CI", "interval", pair.form),
    )
    return Table("detectable", columns, tuple(rows))


# -------------------------------------------------------------------------------------------------
# Equivalence.


def show_equivalence(pair: Pair) -> None:
    """Draw whether the two are equivalent within the margin that the user enters."""
    examination = pair.examination
    usual = choose_difference(pair.result)
    margin = controls.number(
        st,
        "A difference that does not matter, in points",
        None,
        "margin",
        least=usual / 1000,
        most=1000 * usual,
        step=round_to_step(usual / 20),
        format="%g",
        placeholder=f"such as {usual:g}",
    )
    if margin is None:
        about_people = explain_noticed_difference(pair.result)
        if about_people:
            about_people += " A margin should not be larger."
        st.caption(
            "'No significant difference' does not mean 'equal'. Enter the largest difference that does not "
            "matter to you, before you look at the scores, to test whether these two are equivalent. "
            f"{about_people}"
        )
        return
    tested = equivalence(examination, margin)
    verdict = "Equivalent" if tested.equivalent else "Not shown to be equivalent"
    screen.answer(f"{verdict} within ±{margin:g} {pair.metric}: p {format_p(tested.p_value)}")
    st.caption(
        f"Two one-sided t tests with the bootstrap's standard error (Schuirmann 1987): p "
        f"{format_p(tested.p_lower)} against -{margin:g} or less, {format_p(tested.p_upper)} against {margin:g} or "
        "more. Both must be at most alpha; they are not corrected for other pairs."
    )


# -------------------------------------------------------------------------------------------------
# Documents.

_DOCUMENTS = 4  # of each system, in the figure


def number_documents(testset: TestSet, domain: str | None) -> dict[str, int]:
    """Return the number of each document, of one domain or of all, by its name."""
    names = document_names(testset)
    if domain is None:
        return {name: number for number, name in enumerate(names)}
    numbers = {}
    segments = zip(testset.document_index.tolist(), testset.domains, strict=True)
    for number, segment_domain in segments:
        if segment_domain == domain:
            numbers[names[number]] = number
    return numbers


def show_documents(pair: Pair) -> None:
    """Draw the documents that move the difference most, with links to their segments."""
    view = pair.view
    examination = pair.examination
    contributions = examination.sign * examination.by_document
    names = document_names(view.testset)

    def list_rows(numbers):
        return [(names[k], float(contributions[k])) for k in numbers]

    rows = list_rows((-contributions).argsort(kind="stable"))
    for_a, for_b = find_extremes(contributions, _DOCUMENTS)
    extremes = list_rows([*for_a, *for_b[::-1]])
    if extremes:
        _draw_documents(pair, rows, extremes)
    else:
        st.caption("No document favours either system: in each of them the difference is 0.")
    document = controls.choice(
        "Read the segments of",
        [name for name, _ in rows],
        "read",
        optional=True,
        pages_own=True,
        placeholder="a document, most in favour of A first",
        width=480,
    )
    if document is not None and view.testset.has_outputs:
        address.link("segments", "Read them", a=pair.a, b=pair.b, document=document)


def _draw_documents(
    pair: Pair, rows: list[tuple[str, float]], extremes: list[tuple[str, float]]
) -> None:
    """Draw the documents that move the difference most, and open the one that is clicked.

    Each is a name with what the document adds to the difference.
    """
    has_texts = pair.view.testset.has_outputs
    names = [name for name, _ in extremes]
    values = [value for _, value in extremes]
    clicked = charts.show(
        partial(drivers, names, values, a=pair.a, b=pair.b, unit=pair.metric),
        key="pair.documents",
        header=["document", f"{pair.metric} added"],
        files=pair.view.named(pair.a, pair.b),
        command=pair.command,
        select=has_texts,
        rows=rows,
        alt="What the documents most in favour of each system add to the difference.",
    )
    if clicked:
        bar = clicked[0][0]
        address.go("segments", document=names[bar])
    sentences = []
    if len(extremes) < len(rows):
        sentences.append(f"The {len(extremes)} of {len(rows):,} documents that matter most.")
    change = "lower" if values[0] >= 0 else "higher"
    sentences.append(
        "A bar shows how much a document adds to the difference. Without the top document it would "
        f"be {rounded(abs(values[0]))} {change}."
    )
    if has_texts:
        sentences.append("Click a bar to read its document.")
    st.caption(" ".join(sentences))


# -------------------------------------------------------------------------------------------------
# Words and lengths.

BREAKDOWN = "Words and lengths"  # a tab that takes time


def show_breakdown(pair: Pair) -> None:
    """Draw where the two differ; a clicked n-gram opens one of its segments."""
    sampling = {"a": pair.a, "b": pair.b, "settings": pair.examination.settings}
    breakdown = pair.view.experiment(break_down, "Comparing words", **sampling)
    clicked = None
    blocks = breakdown_tables(breakdown, pair.a, pair.b, pair.result, pair.settings)
    for block in blocks:
        st.subheader(block.title)
        clicked = screen.show_table(block.table, open_rows=block.table.key == "ngrams")
        legend = block.table.legend.explain(block.table, "Coloured")
        st.caption(" ".join([*legend, *block.notes]))
    with charts.numbers_box("pair.breakdown"):
        content = records_csv(list_table_rows(blocks))
        names = (*pair.view.named(pair.a, pair.b), "breakdown")
        charts.download("Numbers as CSV", content, names, "csv", "pair.breakdown.csv")
        charts.copy_command(f"{pair.command} --breakdown", "pair.breakdown")
    if clicked is not None:
        address.go("segments", a=pair.a, b=pair.b, segment=str(breakdown.ngrams[clicked].line))


# -------------------------------------------------------------------------------------------------
# The one-page summary of two systems, to read, to print, to send as one file.

_HEIGHT = 700  # pixels of the summary on the page, which scrolls


def asks_for_summary(place: DeltaGenerator) -> bool:
    """Let the user open the one-page summary, which then stands in the place of the tabs."""
    label = "One-page summary, to print or send"
    return controls.toggle(label, False, "card", pages_own=True, place=place)


def show_summary(pair: Pair, files_place: DeltaGenerator) -> None:
    """Draw the one-page summary, and its file and its command among the files."""
    view = pair.view
    a, b, settings = pair.a, pair.b, view.settings  # a worker knows neither pair nor view
    comparison = _compare_metrics(view)
    metrics = list(comparison.metrics)

    def work(nameless, progress):
        return examine_dispute(
            nameless,
            metrics,
            a=a,
            b=b,
            comparison=comparison,
            jobs=result_cache.jobs(nameless),
            progress=progress,
            **settings,
        )

    with or_end_page():
        dispute = result_cache.shared_result(
            "dispute",
            view.testset,
            work,
            "Making the one-page summary",
            a,
            b,
            *metrics,
            *sorted(settings.items()),
        )
    command = pair.write_command(metrics)
    html = report_html(summary_report(dispute, command))
    name = (*view.named(a, b), "dispute")
    with files_place:
        charts.download("One-page summary (HTML)", html, name, "html", "pair.card")
        st.caption(
            "The file opens offline and prints on A4. The link of this page opens the summary again."
        )
        printing_command = " ".join([command, "--format", "html"])
        command_box(printing_command, "dispute.command", "this summary")
    # A data URL has an origin of its own.
    encoded = base64.b64encode(html.encode("utf-8", "backslashreplace")).decode()
    st.iframe(f"data:text/html;charset=utf-8;base64,{encoded}", height=_HEIGHT)


def _compare_metrics(view: View) -> Comparison:
    """Compare by all metrics of the summary, with a message for each whose test does not fit."""
    testset = view.testset
    comparisons = []
    for metric in dict.fromkeys([view.metric, *list_dispute_metrics(testset)]):
        try:
            with errors_with_names(testset):
                compared = result_cache.nameless_comparison(testset, metric, **view.settings)
        except MtsigError as problem:
            screen.error(f"{metric_title(metric)}: {problem}")
        else:
            comparisons.append(compared)
    return join_comparisons(comparisons)
