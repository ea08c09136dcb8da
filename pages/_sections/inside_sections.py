"""Parts of the page Inside a score: precisions, length, one sentence step by step, means of
sentence scores.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

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
from pages._ui import controls, screen
from pages._ui.charts import Study, study
from pages._ui.views import View


def choose_system(view: View) -> str:
    return controls.choice("System", systems_of(view), "system", width=320)


def systems_of(view: View) -> list[str]:
    """Return the systems with texts, best first by the metric in the sidebar."""
    return [
        system.system
        for system in view.result.systems
        if system.system not in view.testset.textless_systems
    ]


# Inside BLEU: precisions, length, one sentence step by step, signatures.

_NOTE, _HERE = "of the reading note", "of this test set"
_SHORT = 0.85  # the length ratio that is spoken of


def show_precisions(view: View, system: str) -> None:
    """Draw the precisions of one system with all others, and the brevity penalty."""
    parts = study(view, "metrics precisions", "bleu")
    rows = parts.run(precisions, "Counting n-grams")
    mine = next(row for row in rows if row.system == system)
    precision = mine.bleu / mine.brevity_penalty if mine.brevity_penalty else 0
    screen.answer(
        f"{system}: BLEU {mine.bleu:.2f} = brevity penalty {mine.brevity_penalty:.3f} × precision "
        f"{precision:.2f}"
    )
    parts.show(
        partial(
            by_order,
            [(row.system, [getattr(row, f"p{n}") for n in NGRAM_ORDERS]) for row in rows],
            system,
        ),
        rows,
        f"Precision of {system} by length of n-gram, from {mine.p1 or 0:.1f}% to {mine.p4 or 0:.1f}%.",
        system,
        table=tables.precision_table(rows, False),
    )
    st.caption(
        "An n-gram is a sequence of n words; its precision is the share that a reference has too. BLEU is the "
        "geometric mean of the four precisions times the brevity penalty, which is below 1 for short outputs."
    )


def show_lengths(view: View, system: str, beside: str | None = None) -> None:
    """Draw BLEU and GTM-2 of a system at other lengths, and of one `beside` it, which is asked for
    where none is given.
    """
    if beside is None and (others := [name for name in systems_of(view) if name != system]):
        beside = controls.choice("Beside", others, "beside")
    cut = study(view, "metrics lengths", "bleu", system=system, beside=beside)
    one = cut.run(lengths, "Scoring other lengths")
    actual, simulated = one.actual, one.how == "word penalty"
    sides = [one.nearest(ratio) for ratio in (_SHORT, 1 / _SHORT) if simulated or ratio < 1]
    screen.answer(
        f"{system} loses "
        + ", ".join(
            f"{signed(actual.bleu - point.bleu, '.1f', '')} BLEU and {signed(actual.gtm_2 - point.gtm_2, '.1f', '')} GTM-2 "
            f"at a length ratio of {point.length_ratio or 0:.2f}"
            for point in sides
        )
    )
    cut.show(
        partial(by_length, length_lines(one), paper=simulated),
        tables.length_records(one),
        f"BLEU and GTM-2 of {' and '.join(name for name, _ in one.curves)} by length ratio; {system} has "
        + ", ".join(
            f"{point.bleu:.1f} and {point.gtm_2:.1f} at {point.length_ratio or 0:.2f}"
            for point in (*sides, actual)
        )
        + ".",
        system,
    )
    screen.show_table(tables.length_table(one))
    st.caption(
        "Short outputs lose BLEU through the brevity penalty; GTM-2, an F-measure, hardly changes. "
        + (
            "The systems translate again with a word penalty."
            if simulated
            else "Each output keeps the first part of its words. Truncation cannot lengthen."
        )
    )
    screen.faint(
        f"{one.n_segments:,} of {view.testset.n_segments:,} segments. {one.bleu_signature}; "
        f"{one.gtm_2_signature}"
    )


def length_lines(one: Lengths) -> list[tuple[str, str, list[float], list[float]]]:
    """Return the lines of the figure: system, metric, length ratios and scores."""
    return [
        (
            name,
            what,
            [point.length_ratio or 0 for point in points],
            [getattr(point, key) for point in points],
        )
        for what, key in (("BLEU", "bleu"), ("GTM-2", "gtm_2"))
        for name, points in one.curves
    ]


def show_example(view: View, system: str) -> None:
    testset = view.testset
    sentence = controls.choice("Sentence", (_NOTE, _HERE), "sentence")
    if sentence == _NOTE:
        example = study(view, "metrics example", "bleu")
        one = note_example(tokenizer=testset.tokenizer)
    else:
        example = study(
            view, "metrics example", "bleu", system=system, line=controls.line(st, testset.lines)
        )
        one = example.run(worked_example, "Counting n-grams")
    screen.answer(tables.formula(one))
    if sentence == _NOTE:
        screen.plain(f"Output: {NOTE_OUTPUT}")
        screen.plain(f"Reference: {one.references[0]}")
    else:
        segments_sections.cards(
            testset,
            [one.system],
            [testset.lines.index(one.line)],
            [f"sentence BLEU {one.bleu:.1f}"],
        )
    screen.show_table(tables.step_table(one))
    penalty = f"exp(1 - {one.ref_len}/{one.sys_len}) = " if 0 < one.sys_len < one.ref_len else ""
    st.caption(
        f"Brevity penalty: {one.sys_len} tokens against {one.ref_len} give {penalty}{one.brevity_penalty:.4g}. "
        f"BLEU-n is on a scale of 0 to 1 and not smoothed; smoothed BLEU-4 is {one.bleu:.2f} points "
        f"({one.signature})."
    )
    example.show_numbers(tables.step_records(one))


def show_signatures(view: View, system: str) -> None:
    other = study(view, "metrics signatures", "bleu", system=system)
    rows = other.run(signatures, "Scoring under other settings")
    low, high = min(row.bleu for row in rows), max(row.bleu for row in rows)
    screen.answer(f"{system}: the same output has {low:.1f} BLEU, or {high:.1f}")
    screen.show_table(
        Table(
            "signatures",
            (
                Column("setting", "setting", "name"),
                Column("bleu", "BLEU", "score"),
                Column("signature", "signature"),
            ),
            tuple((row.setting, row.bleu, row.signature) for row in rows),
        )
    )
    st.caption(
        "Compare only scores with the same signature (Post 2018). nrefs: references; case: mixed, or lower "
        "(lc); eff: effective order, for sentences; tok: tokenizer; smooth: what replaces a count of 0. The "
        "page Methods has the signature of every metric."
    )
    other.show_numbers(rows, system)


# Means of sentence scores, and Student's t, which is for them.

_SIZES = (3, 5, 10, 30, 100, 300, 600)
_KINDS = ("Student's t", "bootstrap by segment", "bootstrap by document")


def show_averages(view: View) -> tuple[Study, Averages]:
    """Draw corpus scores and means of sentence scores of all systems; return the result, with the
    number of pairs that change order.
    """
    both = study(view, "metrics averages")
    one = both.run(averages, "Looking for a case")
    unit = metric_title(view.metric)
    screen.answer(_state_averages(one, unit))
    pair = one.disagreements[0] if one.disagreements else None
    both.show(
        partial(
            rankings,
            [(row.system, row.corpus, row.average) for row in one.systems],
            (pair.a, pair.b) if pair else (),
            unit=unit,
        ),
        one.systems,
        f"Corpus {unit} of each system next to its mean of sentence scores; {len(one.disagreements)} pairs of "
        "lines cross.",
        table=tables.average_table(one),
    )
    st.caption(
        "A corpus score adds up the counts first, so long sentences weigh more. In a mean of sentence scores "
        "all sentences weigh the same."
    )
    return both, one


def show_case(view: View, both: Study, one: Averages) -> None:
    """Draw a few segments on which two systems change places, with their texts."""
    unit = metric_title(view.metric)
    if one.case is None:
        screen.plain("No pair changes order on any of the small sets of segments that were tried.")
    else:
        case, form = one.case, written_like(one.case.corpus)
        screen.plain(
            f"On {len(case.lines)} segments {case.pair.a} is {case.pair.corpus_delta:{form}} better than "
            f"{case.pair.b} in corpus {unit}, but {-case.pair.average_delta:{form}} worse in the mean of "
            "sentences."
        )
        _draw_case(both, case, unit)
        _show_texts(view.testset, case, unit)
    zeros = (
        ""
        if one.unsmoothed_zeros is None
        else (
            f"Without smoothing, {one.unsmoothed_zeros:.0%} of the sentence "
            "scores are 0 because no 4-gram matches. "
        )
    )
    st.caption(
        f"{zeros}mtsig searched for these segments: they show that this happens, not how often. Sentence "
        f"scores: {one.signature}"
    )


def _state_averages(one, unit):
    """Write how many pairs change order, and the first."""
    if not one.disagreements:
        answer = (
            f"The mean of sentence scores ranks the systems like corpus {unit}"
            if one.n_pairs < 2
            else (f"All {one.n_pairs} pairs keep their order in the mean of sentence scores")
        )
        if one.case is None:
            return answer
        return f"{answer} of the whole test set, but not on {len(one.case.lines)} of its segments"
    pair, form = one.disagreements[0], written_like(row.corpus for row in one.systems)
    return (
        f"{len(one.disagreements)} of {one.n_pairs} pairs change order: {pair.a} is "
        f"{pair.corpus_delta:{form}} better than {pair.b} in corpus "
        f"{unit}, but {-pair.average_delta:{form}} worse in the mean of sentences"
    )


def _draw_case(both, case, unit):
    rows = [
        (case.pair.a, case.corpus[0], case.average[0]),
        (case.pair.b, case.corpus[1], case.average[1]),
    ]
    both.show(
        partial(rankings, rows, (case.pair.a, case.pair.b), unit=unit),
        rows,
        f"On {len(case.lines)} segments the better by corpus {unit} is the worse by the mean of sentences.",
        case.pair.a,
        case.pair.b,
        key="metrics.case",
        header=["system", "corpus", "average"],
    )


def _show_texts(testset, case, unit):
    form = written_like(case.corpus)
    screen.show_table(tables.case_table(case, unit))
    segments_sections.legend()
    segments_sections.cards(
        testset,
        [case.pair.a, case.pair.b],
        [testset.lines.index(line) for line in case.lines],
        [f"sentence {unit} {first:{form}} and {second:{form}}" for first, second in case.sentences],
    )


def show_students_t(view: View, system: str) -> None:
    metric, alpha, level = view.metric, view.alpha, view.level
    means = study(view, "metrics students-t", system=system)
    one = means.run(students_t, "Drawing resamples")
    last, unit = one.rows[-1], metric_title(metric)
    from_table = metric in view.testset.scores
    by_document = (_KINDS[2], one.document_low, one.document_high)
    whole = [*_ends(last), by_document]
    screen.answer(
        f"Mean of {last.n:,} segment scores, {last.mean:{written_like([last.mean])}}: "
        + ", ".join(
            f"{kind} ±{rounded((high - low) / 2)}" for kind, low, high in whole if low is not None
        )
    )
    means.show(
        partial(
            mean_intervals,
            [
                (f"n = {row.n:,}", row.mean, whole if row is last else _ends(row))
                for row in one.rows
            ],
            unit=f"mean {unit}" if from_table else f"mean of sentence {unit}",
        ),
        one.rows,
        f"{level} intervals of the mean of {one.system} by Student's t and by the bootstrap, at each size.",
        one.system,
    )
    screen.show_table(tables.mean_interval_table(one))
    st.caption(
        f"{level} intervals, {one.resamples:,} resamples. Student's t (Koehn 2004, section 4) needs a "
        "mean of segment scores, which a corpus score is not, and treats segments as independent. "
        + (
            "Scores as the table has them."
            if from_table
            else f"So this is the mean of sentence scores, not corpus {unit}: {one.signature}"
        )
    )
    st.subheader("Student's t or the normal distribution?")
    n = controls.choice("Scores in a sample (n)", _SIZES, "n", default=5, pages_own=True, width=220)
    x, t, normal = densities(n, alpha)
    means.show(
        partial(student_density, x, t, normal, factor(n, alpha), factor(None, alpha), n),
        list(zip(x.tolist(), t.tolist(), normal.tolist(), strict=True)),
        f"Student's t for n = {n} next to the normal distribution, with the tails beyond {factor(n, alpha):.4f} "
        "standard errors.",
        one.system,
        key="metrics.density",
        header=["x", "t", "normal"],
        n=n,
    )
    st.caption(
        "With few scores the interval by Student's t is wider than the interval by the normal distribution."
    )


def _ends(row):
    return [(_KINDS[0], row.t_low, row.t_high), (_KINDS[1], row.boot_low, row.boot_high)]


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
    """Return the open tab, as the address has it, and the place of each; the tabs on BLEU need
    texts.
    """
    names = list(_TITLES) if has_texts else ["Student's t", "sentence average"]
    return controls.tabs({name: _TITLES[name] for name in names}, key)
