"""Sections of the page Inside a score: precisions, length, one sentence, means of sentences."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mtsig_core import TestSet
from mtsig_core.experiments.inside_score import (
    NGRAM_ORDERS,
    NOTE_OUTPUT,
    Averages,
    Lengths,
    averages,
    densities,
    factor,
    lengths,
    note_example,
    precisions,
    signatures,
    students_t,
    worked_example,
)
from mtsig_core.figures.score_plots import (
    by_length,
    by_order,
    mean_intervals,
    rankings,
    student_density,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.table import Column, Table, rounded, signed, written_like
from pages._sections import segments_sections
from pages._sections.questions import Question
from pages._ui import controls, screen
from pages._ui.charts import Study, study
from pages._ui.views import View


def choose_system(view: View) -> str:
    """Return the system of the page's figures."""
    return controls.choice("System", systems_of(view), "system", width=320)


def systems_of(view: View) -> list[str]:
    """Return the systems with texts, best first by the metric in the sidebar."""
    return [
        system.system
        for system in view.result.systems
        if system.system not in view.testset.textless_systems
    ]


# Inside BLEU: precisions, length, one sentence step by step, signatures.

_NOTE = "of the reading note"
_HERE = "of this test set"
_SHORT = 0.85  # the length ratio of the headline


def show_precisions(view: View, system: str) -> None:
    """Draw the precisions of one system with all others, and the brevity penalty."""
    experiment = study(view, "metrics precisions", "bleu")
    rows = experiment.run(precisions, "Counting n-grams")
    own_row = next(row for row in rows if row.system == system)
    penalty = own_row.brevity_penalty
    precision = own_row.bleu / penalty if penalty else 0
    screen.answer(
        f"{system}: BLEU {own_row.bleu:.2f} = brevity penalty {penalty:.3f} × precision "
        f"{precision:.2f}"
    )
    lines = [(row.system, _list_precisions(row)) for row in rows]
    experiment.show(
        partial(by_order, lines, system),
        rows,
        f"Precision of {system} by length of n-gram, from {own_row.p1 or 0:.1f}% to "
        f"{own_row.p4 or 0:.1f}%.",
        system,
        table=tables.precision_table(rows, False),
    )
    st.caption(
        "An n-gram is a sequence of n words. Its precision is the share that is also in a reference. "
        "BLEU is the geometric mean of the four precisions times the brevity penalty, which is "
        "below 1 for short outputs."
    )


def _list_precisions(row) -> list[float | None]:
    return [getattr(row, f"p{n}") for n in NGRAM_ORDERS]


def show_lengths(view: View, system: str, other: str | None = None) -> None:
    """Draw BLEU and GTM-2 of a system at other lengths, next to another system.

    If the other system is not given, the page asks for it.
    """
    others = [name for name in systems_of(view) if name != system]
    if other is None and others:
        other = controls.choice("Beside", others, "beside")
    experiment = study(view, "metrics lengths", "bleu", system=system, beside=other)
    result = experiment.run(lengths, "Scoring other lengths")
    is_simulated = result.how == "word penalty"
    points = [result.nearest(_SHORT)]
    if is_simulated:
        points.append(result.nearest(1 / _SHORT))
    losses = [_describe_loss(result.actual, point) for point in points]
    screen.answer(f"{system} loses {', '.join(losses)}")
    scores = [
        f"{point.bleu:.1f} and {point.gtm_2:.1f} at {point.length_ratio or 0:.2f}"
        for point in (*points, result.actual)
    ]
    names = " and ".join(name for name, _ in result.curves)
    experiment.show(
        partial(by_length, length_lines(result), paper=is_simulated),
        tables.length_records(result),
        f"BLEU and GTM-2 of {names} by length ratio; {system} has {', '.join(scores)}.",
        system,
    )
    screen.show_table(tables.length_table(result))
    if is_simulated:
        explanation = "We translate again with a word penalty."
    else:
        explanation = "We keep only the first part of each output, so outputs never get longer."
    st.caption(
        "Short outputs lose BLEU through the brevity penalty; GTM-2, an F-measure, hardly changes. "
        + explanation
    )
    screen.faint(
        f"{result.n_segments:,} of {view.testset.n_segments:,} segments. {result.bleu_signature}; "
        f"{result.gtm_2_signature}"
    )


def _describe_loss(actual, point) -> str:
    """Write how much the scores of another length are below the actual ones."""
    bleu = signed(actual.bleu - point.bleu, ".1f", "")
    gtm_2 = signed(actual.gtm_2 - point.gtm_2, ".1f", "")
    return f"{bleu} BLEU and {gtm_2} GTM-2 at a length ratio of {point.length_ratio or 0:.2f}"


def length_lines(result: Lengths) -> list[tuple[str, str, list[float], list[float]]]:
    """Return the lines of the figure: system, metric, length ratios and scores."""
    lines = []
    for metric, field in (("BLEU", "bleu"), ("GTM-2", "gtm_2")):
        for name, points in result.curves:
            ratios = [point.length_ratio or 0 for point in points]
            scores = [getattr(point, field) for point in points]
            lines.append((name, metric, ratios, scores))
    return lines


def show_example(view: View, system: str) -> None:
    """Draw BLEU of one sentence step by step."""
    testset = view.testset
    sentence = controls.choice("Sentence", (_NOTE, _HERE), "sentence")
    if sentence == _NOTE:
        experiment = study(view, "metrics example", "bleu")
        example = note_example(tokenizer=testset.tokenizer)
        screen.answer(tables.formula(example))
        screen.plain(f"Output: {NOTE_OUTPUT}")
        screen.plain(f"Reference: {example.references[0]}")
    else:
        line = controls.line(st, testset.lines)
        experiment = study(view, "metrics example", "bleu", system=system, line=line)
        example = experiment.run(worked_example, "Counting n-grams")
        screen.answer(tables.formula(example))
        segments_sections.cards(
            testset,
            [example.system],
            [testset.lines.index(example.line)],
            [f"sentence BLEU {example.bleu:.1f}"],
        )
    screen.show_table(tables.step_table(example))
    sys_len = example.sys_len
    ref_len = example.ref_len
    formula = f"exp(1 - {ref_len}/{sys_len}) = " if 0 < sys_len < ref_len else ""
    st.caption(
        f"Brevity penalty: {sys_len} tokens against {ref_len} give "
        f"{formula}{example.brevity_penalty:.4g}. BLEU-n is on a scale of 0 to 1 and not smoothed; "
        f"smoothed BLEU-4 is {example.bleu:.2f} points ({example.signature})."
    )
    experiment.show_numbers(tables.step_records(example))


def show_signatures(view: View, system: str) -> None:
    """Draw the scores that the same output has with other settings of BLEU."""
    experiment = study(view, "metrics signatures", "bleu", system=system)
    rows = experiment.run(signatures, "Scoring under other settings")
    scores = [row.bleu for row in rows]
    screen.answer(f"{system}: the same output has {min(scores):.1f} BLEU, or {max(scores):.1f}")
    columns = (
        Column("setting", "setting", "name"),
        Column("bleu", "BLEU", "score"),
        Column("signature", "signature"),
    )
    cells = tuple((row.setting, row.bleu, row.signature) for row in rows)
    screen.show_table(Table("signatures", columns, cells))
    st.caption(
        "Compare only scores with the same signature (Post 2018). nrefs: references; case: mixed, "
        "or lower (lc); eff: effective order, for sentences; tok: tokenizer; smooth: what replaces "
        "a count of 0. The page Methods has the signature of every metric."
    )
    experiment.show_numbers(rows, system)


# Means of sentence scores, and Student's t, which is for them.

_SIZES = (3, 5, 10, 30, 100, 300, 600)
_STUDENTS_T = "Student's t"
_BY_SEGMENT = "bootstrap by segment"
_BY_DOCUMENT = "bootstrap by document"


def show_averages(view: View, question: Question) -> tuple[Study, Averages]:
    """Draw a case in which two systems change places between corpus score and mean.

    That is the whole test set, or a few of its segments. Return the experiment and its result.
    """
    experiment = study(view, "metrics averages")
    result = experiment.run(averages, "Looking for a case")
    unit = metric_title(view.metric)
    question.answer(2 if result.disagreements else int(result.has_only_case))
    screen.answer(_describe_averages(result, unit))
    if result.has_only_case:
        _draw_case(experiment, result.case, unit)
    else:
        _draw_systems(experiment, result, unit)
    st.caption(
        "A corpus score adds up the counts first, so long sentences weigh more. In a mean of "
        "sentence scores all sentences weigh the same."
    )
    return experiment, result


def _draw_systems(experiment: Study, result: Averages, unit: str) -> None:
    """Draw corpus scores and means of sentence scores of all systems."""
    highlighted = ()
    if result.disagreements:
        highlighted = (result.disagreements[0].a, result.disagreements[0].b)
    lines = [(row.system, row.corpus, row.average) for row in result.systems]
    experiment.show(
        partial(rankings, lines, highlighted, unit=unit),
        result.systems,
        f"Corpus {unit} of each system next to its mean of sentence scores; "
        f"{len(result.disagreements)} pairs of lines cross.",
        table=tables.average_table(result),
    )


def show_case(view: View, experiment: Study, result: Averages) -> None:
    """Draw a few segments on which two systems change places, with their texts."""
    unit = metric_title(view.metric)
    case = result.case
    if case is None:
        screen.plain("We tried small sets of segments. No pair changes order on any of them.")
    else:
        screen.plain(f"{_describe_case(case, unit)}.")
        if not result.has_only_case:
            _draw_case(experiment, case, unit)
        _show_texts(view.testset, case, unit)
    if result.has_only_case:
        screen.plain(f"{_describe_kept_order(result)} of the whole test set.")
        _draw_systems(experiment, result, unit)
    zeros = ""
    if result.unsmoothed_zeros is not None:
        zeros = (
            f"Without smoothing, {result.unsmoothed_zeros:.0%} of the sentence scores are 0 "
            "because no 4-gram matches. "
        )
    st.caption(
        f"{zeros}mtsig searched for these segments: they show that this happens, not how often. "
        f"Sentence scores: {result.signature}"
    )


def _describe_averages(result: Averages, unit: str) -> str:
    """Write how many pairs change order, and the first."""
    if result.disagreements:
        scores = [row.corpus for row in result.systems]
        change = _describe_change(result.disagreements[0], scores, unit)
        return f"{len(result.disagreements)} of {result.n_pairs} pairs change order: {change}"
    if result.case is not None:
        return _describe_case(result.case, unit)
    return _describe_kept_order(result)


def _describe_case(case, unit: str) -> str:
    return (
        f"On {len(case.lines)} segments, {case.pair.a} has the better corpus {unit}, and "
        f"{case.pair.b} the better mean of sentences"
    )


def _describe_kept_order(result: Averages) -> str:
    if result.n_pairs < 2:
        return "The two systems keep their order in the mean of sentence scores"
    return f"All {result.n_pairs} pairs keep their order in the mean of sentence scores"


def _describe_change(pair, scores, unit: str) -> str:
    """Write by how much a is better than b in corpus score, and worse in the mean."""
    form = written_like(scores)
    return (
        f"{pair.a} is {pair.corpus_delta:{form}} better than {pair.b} in corpus {unit}, but "
        f"{-pair.average_delta:{form}} worse in the mean of sentences"
    )


def _draw_case(experiment: Study, case, unit: str) -> None:
    pair = case.pair
    rows = [
        (pair.a, case.corpus[0], case.average[0]),
        (pair.b, case.corpus[1], case.average[1]),
    ]
    experiment.show(
        partial(rankings, rows, (pair.a, pair.b), unit=unit),
        rows,
        f"On {len(case.lines)} segments, the system with the higher corpus {unit} has the lower mean of sentence "
        "scores.",
        pair.a,
        pair.b,
        key="metrics.case",
        header=["system", "corpus", "average"],
    )


def _show_texts(testset: TestSet, case, unit: str) -> None:
    form = written_like(case.corpus)
    screen.show_table(tables.case_table(case, unit))
    segments_sections.legend()
    labels = [f"sentence {unit} {a:{form}} and {b:{form}}" for a, b in case.sentences]
    places = [testset.lines.index(line) for line in case.lines]
    segments_sections.cards(testset, [case.pair.a, case.pair.b], places, labels)


def show_students_t(view: View, system: str) -> None:
    """Draw intervals of the mean of segment scores by Student's t and by the bootstrap."""
    experiment = study(view, "metrics students-t", system=system)
    result = experiment.run(students_t, "Drawing resamples")
    last = result.rows[-1]  # the whole test set
    unit = metric_title(view.metric)
    is_from_table = view.metric in view.testset.scores
    whole_intervals = [
        *_intervals(last),
        (_BY_DOCUMENT, result.document_low, result.document_high),
    ]
    widths = [
        f"{kind} ±{rounded((high - low) / 2)}"
        for kind, low, high in whole_intervals
        if low is not None
    ]
    mean = format(last.mean, written_like([last.mean]))
    screen.answer(f"Mean of {last.n:,} segment scores, {mean}: {', '.join(widths)}")
    lines = []
    for row in result.rows:
        intervals = whole_intervals if row is last else _intervals(row)
        lines.append((f"n = {row.n:,}", row.mean, intervals))
    if is_from_table:
        axis = f"mean {unit}"
        origin = "Scores from the table."
    else:
        axis = f"mean of sentence {unit}"
        origin = f"So this is the mean of sentence scores, not corpus {unit}: {result.signature}"
    experiment.show(
        partial(mean_intervals, lines, unit=axis),
        result.rows,
        f"{view.level} intervals of the mean of {result.system} by Student's t and by the "
        "bootstrap, at each size.",
        result.system,
    )
    screen.show_table(tables.mean_interval_table(result))
    st.caption(
        f"{view.level} intervals, {result.resamples:,} resamples. Student's t (Koehn 2004, section "
        f"4) needs a mean of segment scores, not a corpus score, and treats segments as independent. {origin}"
    )
    _show_density(experiment, result.system, view.alpha)


def _show_density(experiment: Study, system: str, alpha: float) -> None:
    """Draw Student's t next to the normal distribution."""
    st.subheader("Student's t or the normal distribution?")
    n = controls.choice("Scores in a sample (n)", _SIZES, "n", default=5, pages_own=True, width=220)
    x, t, normal = densities(n, alpha)
    t_factor = factor(n, alpha)
    experiment.show(
        partial(student_density, x, t, normal, t_factor, factor(None, alpha), n),
        list(zip(x.tolist(), t.tolist(), normal.tolist(), strict=True)),
        f"Student's t for n = {n} next to the normal distribution, with the tails beyond "
        f"{t_factor:.4f} standard errors.",
        system,
        key="metrics.density",
        header=["x", "t", "normal"],
        n=n,
    )
    st.caption(
        "With few scores the interval by Student's t is wider than the interval by the normal "
        "distribution."
    )


def _intervals(row) -> list[tuple[str, float, float]]:
    return [(_STUDENTS_T, row.t_low, row.t_high), (_BY_SEGMENT, row.boot_low, row.boot_high)]


# The tabs, of which only the open one is drawn.

#: By the name of each tab; "sentence average" draws what the page has counted.
SHOW = {
    "output length": show_lengths,
    "Student's t": show_students_t,
    "step by step": show_example,
    "signatures": show_signatures,
}
_TITLES = {
    "step by step": "Worked example",
    "Student's t": "Student's t",
    "sentence average": "A case to read",
    "output length": "Output length",
    "signatures": "Signatures",
}


def open_tabs(key: str, has_texts: bool):
    """Return the open tab, as the address has it, and the place of each.

    The tabs on BLEU need texts.
    """
    names = list(_TITLES) if has_texts else ["Student's t", "sentence average"]
    return controls.tabs({name: _TITLES[name] for name in names}, key)
