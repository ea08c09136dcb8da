"""Parts of the page Metrics: inside BLEU, means of sentence scores, domains, agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.inside_score import (
    NGRAM_ORDERS,
    NOTE_OUTPUT,
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
from mtsig_core.experiments.metric_agreement import agreement, default_metrics
from mtsig_core.experiments.papers import KOEHN_T1
from mtsig_core.figures.comparison_plots import agreement_dots
from mtsig_core.figures.experiment_plots import by_length, by_order, mean_intervals, rankings, student_density
from mtsig_core.metrics import list_metrics, metric_title, metric_titles
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.agreement import (
    agreement_assumed,
    agreement_by_pair_table,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
)
from mtsig_core.report.commands import command_line
from mtsig_core.report.domain_tables import (
    domain_table,
    domains_csv,
    domains_note,
    domains_verdict,
    opposed_pairs_table,
)
from mtsig_core.report.table import Column, Table, rounded, written_like
from mtsig_core.results import Agreement, TaskAgreement
from mtsig_core.stats.cautions import about_agreement
from pages._ui import charts, controls, screen, segment_sections, session_limits
from pages._ui.browser import copyable
from pages._ui.screen import end_page
from pages._ui.studies import study
from pages._ui.views import View


def choose_system(view: View, place) -> str:
    return controls.choice("System", systems_of(view), "system", place=place)


def systems_of(view: View) -> list[str]:
    """The systems with texts, best first by the metric in the sidebar."""
    return [system.system for system in view.result.systems if system.system not in view.testset.textless_systems]


# Inside BLEU: precisions, length, one sentence step by step, signatures.

_NOTE, _HERE = "of the reading note", "of this test set"
_SHORT = 0.85  # the length ratio that is spoken of


def show_precisions(view, places):
    parts = study(view, "metrics precisions", "bleu")
    rows = parts.run(precisions, "Counting n-grams")
    system = choose_system(view, places[0])
    mine = next(row for row in rows if row.system == system)
    koehns = view.testset.simulated and view.testset.n_segments == 30_000
    precision = mine.bleu / mine.brevity_penalty if mine.brevity_penalty else 0
    screen.answer(f"{system}: BLEU {mine.bleu:.2f} = brevity penalty {mine.brevity_penalty:.3f} × precision "
                  f"{precision:.2f}")
    paper = [(n, value) for name, p1, p4, _ in KOEHN_T1.rows["bleu"] if koehns and name == system
             for n, value in ((1, p1), (4, p4))]
    parts.show(partial(by_order, [(row.system, [getattr(row, f"p{n}") for n in NGRAM_ORDERS]) for row in rows], system,
                       paper, source=KOEHN_T1.source), rows,
               f"Precision of {system} by length of n-gram, from {mine.p1 or 0:.1f}% to {mine.p4 or 0:.1f}%.", system)
    screen.show_table(tables.precision_table(rows, koehns))
    st.caption("Precision is the geometric mean of the four; Koehn's equation 1 lacks the weights 1/4 that make it "
               "one. "
               + (f"In brackets and ◇: {KOEHN_T1.source}, {KOEHN_T1.about}; the simulated systems were made to have "
                  "its BLEU." if koehns else ""))


def show_lengths(view, places):
    system = choose_system(view, places[0])
    others = [name for name in systems_of(view) if name != system]
    beside = controls.choice("Beside", others, "beside", place=places[1]) if others else None
    cut = study(view, "metrics lengths", "bleu", system=system, beside=beside)
    one = cut.run(lengths, "Scoring other lengths")
    actual, simulated = one.actual, one.how == "word penalty"
    sides = [one.nearest(ratio) for ratio in (_SHORT, 1 / _SHORT) if simulated or ratio < 1]
    screen.answer(f"{system} loses " + ", ".join(
        f"{actual.bleu - point.bleu:.1f} BLEU and {actual.gtm_2 - point.gtm_2:.1f} GTM-2 at a length ratio of "
        f"{point.length_ratio or 0:.2f}" for point in sides))
    figure = partial(by_length, [
        (name, what, [point.length_ratio or 0 for point in points], [getattr(point, key) for point in points])
        for what, key in (("BLEU", "bleu"), ("GTM-2", "gtm_2")) for name, points in one.curves], paper=simulated)
    cut.show(figure, tables.length_records(one),
             f"BLEU and GTM-2 of {' and '.join(name for name, _ in one.curves)} by length ratio; {system} has "
             + ", ".join(f"{point.bleu:.1f} and {point.gtm_2:.1f} at {point.length_ratio or 0:.2f}"
                         for point in (*sides, actual)) + ".", system)
    screen.show_table(tables.length_table(one))
    st.caption("Koehn (2004), Figure 1: short outputs lose BLEU by the brevity penalty, GTM-2 hardly changes. "
               + ("The systems translate again with a word penalty. Long outputs lose precision; how much follows "
                  "from how the simulation adds words. " if simulated else
                  "Each output keeps the first part of its words. Truncation cannot lengthen; the simulated corpus "
                  "shows that side too. ")
               + f"{one.n_segments:,} of {view.testset.n_segments:,} segments from the whole set. GTM is an F-measure "
               f"without a brevity penalty; GTM-2 has exponent 2. {one.bleu_signature}; {one.gtm_2_signature}")


def show_example(view, places):
    testset = view.testset
    with places[0]:
        sentence = controls.choice("Sentence", (_NOTE, _HERE), "sentence")
    if sentence == _NOTE:
        example = study(view, "metrics example", "bleu")
        one = note_example(tokenizer=testset.tokenizer)
    else:
        example = study(view, "metrics example", "bleu", system=choose_system(view, places[1]),
                        line=controls.line(places[2], testset.lines))
        one = example.run(worked_example, "Counting n-grams")
    screen.answer(tables.formula(one))
    if sentence == _NOTE:
        screen.plain(f"Output: {NOTE_OUTPUT}")
        screen.plain(f"Reference: {one.references[0]}")
    else:
        segment_sections.cards(testset, [one.system], [testset.lines.index(one.line)],
                               [f"sentence BLEU {one.bleu:.1f}"])
    screen.show_table(tables.step_table(one))
    penalty = f"exp(1 - {one.ref_len}/{one.sys_len}) = " if 0 < one.sys_len < one.ref_len else ""
    st.caption(f"Brevity penalty: {one.sys_len} tokens against {one.ref_len} give {penalty}{one.brevity_penalty:.4g}. "
               f"BLEU-n is on a scale of 0 to 1 and not smoothed; smoothed BLEU-4 is {one.bleu:.2f} points "
               f"({one.signature}).")
    if sentence == _NOTE:
        st.subheader("What the note gets wrong")
        screen.show_table(tables.note_table(one))
    example.show_numbers(tables.step_records(one))


def show_signatures(view, places):
    system = choose_system(view, places[0])
    other = study(view, "metrics signatures", "bleu", system=system)
    rows = other.run(signatures, "Scoring under other settings")
    low, high = min(row.bleu for row in rows), max(row.bleu for row in rows)
    screen.answer(f"{system}: the same output has {low:.1f} BLEU, or {high:.1f}")
    screen.show_table(Table("signatures", (
        Column("setting", "setting", "name"), Column("bleu", "BLEU", "score"), Column("signature", "signature")),
        tuple((row.setting, row.bleu, row.signature) for row in rows)))
    st.caption("Only scores of one signature compare (Post 2018). nrefs: references; case: mixed, or lower (lc); eff: "
               "effective order, for sentences; tok: tokenizer; smooth: what stands for a count of 0. The page Methods "
               "has the signature of every metric.")
    other.show_numbers(rows, system)


# Means of sentence scores, and Student's t, which is for them.

_SIZES = (3, 5, 10, 30, 100, 300, 600)
_KINDS = ("Student's t", "bootstrap by segment", "bootstrap by document")


def show_averages(view, places):
    unit, both = metric_title(view.metric), study(view, "metrics averages")
    one = both.run(averages, "Looking for a case")
    screen.answer(_said(one, unit))
    left, right = st.columns(2, gap="medium")
    with left:
        pair = one.disagreements[0] if one.disagreements else one.case and one.case.pair
        st.subheader(f"All {one.n_segments:,} segments")
        both.show(partial(rankings, [(row.system, row.corpus, row.average) for row in one.systems],
                          (pair.a, pair.b) if pair else (), unit=unit), one.systems,
                  f"Corpus {unit} of each system beside its mean of sentence scores; {len(one.disagreements)} pairs of "
                  "lines cross.")
    with right:
        if one.case is None:
            screen.plain("No pair changes order on any of the small sets of segments that were tried.")
        else:
            _draw_case(both, one.case, unit)
    zeros = "" if one.unsmoothed_zeros is None else (f"Without smoothing {one.unsmoothed_zeros:.0%} of the sentence "
                                                     "scores were 0, because no four-gram matched. ")
    st.caption("A corpus score sums the counts first, so long sentences weigh more; in a mean each sentence weighs the "
               f"same. {zeros}Sentence scores: {one.signature}. The few segments were searched for: they show that "
               "this happens, not how often.")
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


def _draw_case(both, case, unit):
    rows = [(case.pair.a, case.corpus[0], case.average[0]), (case.pair.b, case.corpus[1], case.average[1])]
    st.subheader(f"{len(case.lines)} of them")
    both.show(partial(rankings, rows, (case.pair.a, case.pair.b), unit=unit), rows,
              f"On {len(case.lines)} segments the better by corpus {unit} is the worse by the mean of sentences.",
              case.pair.a, case.pair.b, key="metrics.case", header=["system", "corpus", "average"])


def _show_texts(testset, case, unit):
    form = written_like(case.corpus)
    screen.show_table(tables.case_table(case, unit))
    segment_sections.legend()
    segment_sections.cards(testset, [case.pair.a, case.pair.b], [testset.lines.index(line) for line in case.lines],
                       [f"sentence {unit} {first:{form}} and {second:{form}}" for first, second in case.sentences])


def show_students_t(view, places):
    metric, alpha, level = view.metric, view.alpha, view.level
    means = study(view, "metrics students-t", system=choose_system(view, places[0]))
    one = means.run(students_t, "Drawing resamples")
    last, unit = one.rows[-1], metric_title(metric)
    from_table = metric in view.testset.scores
    by_document = (_KINDS[2], one.document_low, one.document_high)
    whole = [*_ends(last), by_document]
    screen.answer(f"Mean of {last.n:,} segment scores, {last.mean:{written_like([last.mean])}}: " + ", ".join(
        f"{kind} ±{rounded((high - low) / 2)}" for kind, low, high in whole if low is not None))
    means.show(partial(mean_intervals, [(f"n = {row.n:,}", row.mean, whole if row is last else _ends(row))
                                        for row in one.rows],
                       unit=f"mean {unit}" if from_table else f"mean of sentence {unit}"), one.rows,
               f"{level} intervals of the mean of {one.system} by Student's t and by the bootstrap, at each size.",
               one.system)
    screen.show_table(tables.mean_interval_table(one))
    st.caption(f"{level} intervals, {one.resamples:,} bootstrap samples. Student's t (Koehn 2004, section 4) takes "
               "segments as independent, and needs a mean of segment scores, which a corpus score is not. "
               + ("Scores as the table has them." if from_table else
                  f"So this is the mean of sentence scores, not corpus {unit}: {one.signature}"))
    st.subheader("Student's t or the normal distribution?")
    n = controls.choice("Scores in a sample (n)", _SIZES, "n", default=5, pages_own=True, width=220)
    x, t, normal = densities(n, alpha)
    means.show(partial(student_density, x, t, normal, factor(n, alpha), factor(None, alpha), n),
               list(zip(x.tolist(), t.tolist(), normal.tolist(), strict=True)),
               f"Student's t for n = {n} beside the normal distribution, with the tails beyond {factor(n, alpha):.4f} "
               "standard errors (Koehn 2004, Figure 5).", one.system, key="metrics.density",
               header=["x", "t", "normal"], n=n)
    screen.show_table(tables.factor_table())
    st.caption("Factors as printed. The paper takes n degrees of freedom where n - 1 are right; 1.9849 is a slip for "
               "1.9840 besides; its entry for 600 at 99% is that of 599, and 2.5759 without end is 2.5758.")


def _ends(row):
    return [(_KINDS[0], row.t_low, row.t_high), (_KINDS[1], row.boot_low, row.boot_high)]


# Systems by domain.


def show_domains(view, places):
    """Scores by domain under the metric in the sidebar, and the pairs whose sign is not everywhere the same."""
    asked = dict(alpha=view.alpha, seed=view.settings["seed"])
    one = view.experiment(by_domain, "Testing in each domain", **asked)
    screen.answer(domains_verdict(one))
    screen.show_table(domain_table(one), "metrics.domains")
    if opposed := opposed_pairs_table(one):
        st.subheader("Pairs with another sign in some domain")
        screen.show_table(opposed, "metrics.opposed")
    screen.plain(domains_note(one))
    screen.cautions(one.warnings)
    with st.expander("Numbers, files, command", key="metrics.domains.box"):
        charts.download("Numbers as CSV", domains_csv([one]), (*view.named(), "domains"), "csv", "metrics.domains.csv")
        copyable(view.command("domains", **asked), "metrics.domains.command", "Command that prints these numbers")


# Metrics held against the scores that people gave.


def show_agreement(view, places):
    """Pairwise and soft pairwise accuracy of the metrics chosen, and tests between them."""
    if not view.testset.scores:
        screen.error("This test set has no scores by people. Upload a table of segment scores (system, line, score) "
                     "with the texts on the page Upload.")
        end_page()
    human = controls.choice("Scores by people", list(view.testset.scores), "human", place=places[0])
    others = [name for name in list_metrics(view.testset) if name != human]
    usual = [name for name in default_metrics(view.testset, human) if name in others]
    names = controls.several("Metrics", others, "held", usual, format_func=metric_titles(others).get)
    asked = dict(alpha=view.settings["alpha"], seed=view.settings["seed"])
    result = _agreement(view, human, names, asked)
    if result.testset.n_segments < view.testset.n_segments:
        screen.status([f"{result.testset.n_segments:,} of {view.testset.n_segments:,} segments and "
                       f"{len(result.testset.systems)} of {len(view.testset.systems)} systems have {human} scores"])
    show_agreement_with(result, "metrics", view.named(metric=human), command_line(
        "agreement", view.source, f"--metrics={','.join(names)}", human=human, **asked))


def show_agreement_with(result: Agreement | TaskAgreement, page: str, files: Sequence[str], command: str) -> None:
    """Metrics held against human scores, of one language pair or in the mean over several."""
    screen.answer(agreement_verdict(result))
    screen.cautions(about_agreement(result))
    charts.show(partial(agreement_dots, result), key=f"{page}.agreement", files=files, command=command,
                rows=result.metrics, with_table=False,
                alt="Soft pairwise accuracy and pairwise accuracy of each metric with intervals; numbers below.")
    screen.show_table(agreement_table(result), f"{page}.agreement.rows")
    if isinstance(result, TaskAgreement):
        screen.show_table(agreement_by_pair_table(result), f"{page}.agreement.pairs")
        st.caption("Soft pairwise accuracy by language pair. Above: means over the language pairs.")
    if result.comparisons:
        st.subheader("Is one metric better than another?")
        screen.show_table(compared_metrics_table(result), f"{page}.agreement.comparisons")
        charts.csv_button(files, f"{page}.comparisons", result.comparisons, "Pairs of metrics as CSV")
    assumed = () if isinstance(result, TaskAgreement) else agreement_assumed(result)
    screen.plain(" ".join([agreement_note(result), *assumed]))


def _agreement(view, human, names, asked):
    part = view.testset.keep_scorable(*names)

    def metric_agreement(testset, metric, metrics, progress, **asked):
        return agreement(testset, metric, metrics, progress=progress, **asked)

    return view.experiment(
        metric_agreement, "Comparing metrics with people", metric=human, testset=part, metrics=tuple(names),
        limit=partial(session_limits.check_experiment, part, agreement, asked, times=1 + len(names)), **asked)
