"""Means of sentence scores: how they differ from a corpus score, and Student's t, which is for them alone."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mtsig_core.experiments.inside_score import averages, densities, factor, students_t
from mtsig_core.figures.experiment_plots import mean_intervals, rankings, student_density
from mtsig_core.metrics import metric_title
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.cells import rounded, written_like
from pages._ui import charts, controls, screen, side_by_side
from pages._ui.metrics_views import choose_system, command, found, table

__all__ = ["show_averages", "show_students_t"]

_SIZES = (3, 5, 10, 30, 100, 300, 600)
_KINDS = ("Student's t", "bootstrap by segment", "bootstrap by document")


def show_averages(view, places):
    seed, unit = view.settings["seed"], metric_title(view.metric)
    one = found(view, averages, "Looking for a case", view.metric, seed=seed)
    printed = command(view, "averages", view.metric, seed=seed)
    screen.answer(_said(one, unit))
    left, right = st.columns(2, gap="medium")
    with left:
        pair = one.disagreements[0] if one.disagreements else one.case and one.case.pair
        st.subheader(f"All {one.n_segments:,} segments")
        charts.show(partial(rankings, [(row.system, row.corpus, row.average) for row in one.systems],
                            (pair.a, pair.b) if pair else (), unit=unit), key="metrics.averages", files=view.named(),
                    command=printed,
                    **table(one.systems), alt=f"Corpus {unit} of each system beside its mean of sentence scores; "
                                              f"{len(one.disagreements)} pairs of lines cross.")
    with right:
        if one.case is None:
            screen.plain("No pair changes order on any of the small sets of segments that were tried.")
        else:
            _draw_case(view, one.case, unit, printed)
    zeros = "" if one.unsmoothed_zeros is None else (f"Without smoothing {one.unsmoothed_zeros:.0%} of the sentence "
                                                     "scores were 0, for want of a matching four-gram. ")
    st.caption("A corpus score sums the counts first, so long sentences weigh more; in a mean each sentence weighs the "
               f"same. {zeros}Sentence scores: {one.signature}. The few segments were searched for, with the seed at "
               "the side: they show that this happens, not how often.")
    if one.case is not None:
        _show_texts(view.testset, one.case, unit)
    with st.expander("All systems by both", key="metrics.average.all"):
        screen.show_table(tables.average_table(one))


def _said(one, unit):
    """The answer: how many pairs change order, and the first, or else the case."""
    pairs = f"{len(one.disagreements)} of {one.n_pairs} pairs"
    pair = one.disagreements[0] if one.disagreements else one.case and one.case.pair
    if pair is None:
        return f"{pairs} change order: both rank all systems alike"
    form = written_like(row.corpus for row in one.systems)
    where = "" if one.disagreements else f"; on {len(one.case.lines)} segments one does"
    return (f"{pairs} change order{where}: {pair.a} leads {pair.b} by {pair.corpus_delta:{form}} in corpus {unit}, and "
            f"trails by {-pair.average_delta:{form}} in the mean of sentences")


def _draw_case(view, case, unit, printed):
    rows = [(case.pair.a, case.corpus[0], case.average[0]), (case.pair.b, case.corpus[1], case.average[1])]
    st.subheader(f"{len(case.lines)} of them")
    charts.show(partial(rankings, rows, (case.pair.a, case.pair.b), unit=unit), key="metrics.case",
                files=view.named(case.pair.a, case.pair.b), command=printed,
                header=["system", "corpus", "average"], rows=rows, with_table=False,
                alt=f"On {len(case.lines)} segments the better by corpus {unit} is the worse by the mean of sentences.")


def _show_texts(testset, case, unit):
    form = written_like(case.corpus)
    screen.show_table(tables.case_table(case, unit))
    side_by_side.legend()
    side_by_side.cards(testset, [case.pair.a, case.pair.b], [testset.lines.index(line) for line in case.lines],
                       [f"sentence {unit} {first:{form}} and {second:{form}}" for first, second in case.sentences])


def show_students_t(view, places):
    metric, alpha, seed = view.metric, view.settings["alpha"], view.settings["seed"]
    one = found(view, students_t, "Drawing bootstrap samples", metric, system=choose_system(view, places[0]),
                alpha=alpha, seed=seed)
    last, level, unit = one.rows[-1], f"{100 * (1 - alpha):g}%", metric_title(metric)
    from_table = metric in view.testset.scores
    by_document = (_KINDS[2], one.document_low, one.document_high)
    whole = [*_ends(last), by_document]
    screen.answer(f"Mean of {last.n:,} segment scores, {last.mean:{written_like([last.mean])}}: " + ", ".join(
        f"{kind} ±{rounded((high - low) / 2)}" for kind, low, high in whole if low is not None))
    asked = dict(system=one.system, seed=seed, alpha=alpha)
    charts.show(partial(mean_intervals, [(f"n = {row.n:,}", row.mean, whole if row is last else _ends(row))
                                         for row in one.rows],
                        unit=f"mean {unit}" if from_table else f"mean of sentence {unit}"),
                key="metrics.students-t", files=view.named(one.system),
                command=command(view, "students-t", metric, **asked), **table(one.rows),
                alt=f"{level} intervals of the mean of {one.system} by Student's t and by the bootstrap, at each size.")
    screen.show_table(tables.mean_interval_table(one))
    st.caption(f"{level} intervals, {one.resamples:,} bootstrap samples. Student's t (Koehn 2004, section 4) takes "
               "segments as independent, and needs a mean of segment scores, which a corpus score is not. "
               + ("Scores as the table has them." if from_table else
                  f"So this is the mean of sentence scores, not corpus {unit}: {one.signature}"))
    st.subheader("Student's t or the normal distribution?")
    n = controls.choice("Scores in a sample (n)", _SIZES, "n", default=5, pages_own=True, width=220)
    x, t, normal = densities(n, alpha)
    charts.show(partial(student_density, x, t, normal, factor(n, alpha), factor(None, alpha), n), key="metrics.density",
                files=view.named(one.system),
                command=command(view, "students-t", metric, n=n, **asked),
                header=["x", "t", "normal"], with_table=False,
                rows=list(zip(x.tolist(), t.tolist(), normal.tolist(), strict=True)),
                alt=f"Student's t for n = {n} beside the normal distribution, with the tails beyond "
                    f"{factor(n, alpha):.4f} standard errors (Koehn 2004, Figure 5).")
    screen.show_table(tables.factor_table())
    st.caption("Factors as printed. The paper takes n degrees of freedom where n - 1 are right; 1.9849 is a slip for "
               "1.9840 besides; its entry for 600 at 99% is that of 599, and 2.5759 without end is 2.5758. At such "
               "sizes all this hardly matters.")


def _ends(row):
    return [(_KINDS[0], row.t_low, row.t_high), (_KINDS[1], row.boot_low, row.boot_high)]
