"""Inside BLEU: precisions, length, one sentence step by step, signatures."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import streamlit as st

from mtsig_core.experiments.inside_score import (
    NOTE_OUTPUT,
    ORDERS,
    lengths,
    note_example,
    precisions,
    signatures,
    worked_example,
)
from mtsig_core.experiments.papers import KOEHN_T1
from mtsig_core.figures.experiment_plots import by_length, by_order
from mtsig_core.report import experiment_tables as tables
from pages._ui import charts, controls, screen, side_by_side
from pages._ui.metrics_views import choose_system, command, files, found, rows_of, systems_of, table

__all__ = ["show_example", "show_lengths", "show_precisions", "show_signatures"]

_NOTE, _HERE = "of the reading note", "of this test set"
_SHORT = 0.85  # the length ratio that is spoken of


def show_precisions(view, places):
    rows = found(view, precisions, "Counting n-grams")
    system = choose_system(view, places[0])
    mine = next(row for row in rows if row.system == system)
    koehns = view.testset.simulated and view.testset.n_segments == 30_000
    precision = mine.bleu / mine.brevity_penalty if mine.brevity_penalty else 0
    screen.answer(f"{system}: BLEU {mine.bleu:.2f} = brevity penalty {mine.brevity_penalty:.3f} × precision "
                  f"{precision:.2f}")
    paper = [(n, value) for name, p1, p4, _ in KOEHN_T1.rows["bleu"] if koehns and name == system
             for n, value in ((1, p1), (4, p4))]
    charts.show(partial(by_order, [(row.system, [getattr(row, f"p{n}") for n in ORDERS]) for row in rows], system,
                        paper, source=KOEHN_T1.source),
                key="metrics.precisions", files=view.named(system, metric="bleu"),
                command=command(view, "precisions"), **table(rows),
                alt=f"Precision of {system} by length of n-gram, from {mine.p1 or 0:.1f}% to {mine.p4 or 0:.1f}%.")
    screen.show_table(tables.precision_table(rows, koehns))
    st.caption("Precision: the geometric mean of the four. Each n-gram counts at most as often as in the reference "
               "that has it most often. "
               + (f"In brackets and ◇: {KOEHN_T1.source}, {KOEHN_T1.about}; the simulated systems were made to have "
                  "its BLEU. " if koehns else "")
               + "Koehn's equation 1 lacks the weights 1/4 that make it one.")


def show_lengths(view, places):
    system = choose_system(view, places[0])
    others = [name for name in systems_of(view) if name != system]
    beside = controls.choice("Beside", others, "beside", place=places[1]) if others else None
    one = found(view, lengths, "Scoring other lengths", counted=False, system=system, beside=beside)
    actual, simulated = one.actual, one.how == "word penalty"
    sides = [one.nearest(ratio) for ratio in (_SHORT, 1 / _SHORT) if simulated or ratio < 1]
    screen.answer(f"{system} loses " + ", ".join(
        f"{actual.bleu - point.bleu:.1f} BLEU and {actual.gtm_2 - point.gtm_2:.1f} GTM-2 at a length ratio of "
        f"{point.length_ratio or 0:.2f}" for point in sides))
    charts.show(partial(by_length, [(name, what, [point.length_ratio or 0 for point in points],
                                   [getattr(point, key) for point in points])
                                  for what, key in (("BLEU", "bleu"), ("GTM-2", "gtm_2"))
                                  for name, points in one.curves],
                        paper=simulated),
                key="metrics.lengths", files=view.named(one.system, metric="bleu-gtm"),
                command=command(view, "lengths", system_name=system, beside=beside),
                **rows_of(tables.length_records(one)),
                alt=f"BLEU and GTM-2 of {' and '.join(name for name, _ in one.curves)} by length ratio; {system} has "
                    + ", ".join(f"{point.bleu:.1f} and {point.gtm_2:.1f} at {point.length_ratio or 0:.2f}"
                                for point in (*sides, actual)) + ".")
    screen.show_table(tables.length_table(one))
    st.caption(("Koehn (2004), Figure 1: short outputs lose BLEU by the brevity penalty, GTM-2 hardly changes. The "
                "systems translate anew with a word penalty. Above 0 they leave out words, rather where they are not "
                "sure: all the BLEU that is lost there is the brevity penalty. Below 0 they say more: leave out less, "
                "put the right word behind a wrong one, or a stray word. What long outputs lose is precision, and how "
                "much hangs on what was added: that side follows from how the simulation adds words. "
                if simulated else
                "Koehn (2004), Figure 1: short outputs lose BLEU by the brevity penalty, GTM-2 hardly changes. Each "
                "output keeps the first part of its words. Truncation cannot lengthen: nobody knows what the "
                "system would have added. The simulated corpus shows that side too. ")
               + f"{one.n_segments:,} of {view.testset.n_segments:,} segments, from all over. GTM is an F-measure "
               "without a brevity penalty; GTM-2, which is drawn, has exponent 2, whose points are of the "
               f"size of those in his figure (he does not print the exponent). {one.bleu_signature}; "
               f"{one.gtm_2_signature}")


def show_example(view, places):
    testset = view.testset
    with places[0]:
        sentence = controls.choice("Sentence", (_NOTE, _HERE), "sentence")
    if sentence == _NOTE:
        one, printed = note_example(tokenizer=view.testset.tokenizer), command(view, "example")
    else:
        system = choose_system(view, places[1])
        line = controls.line(places[2], testset.lines)

        def of_a_line(testset, metric, *, progress, system, line):
            return worked_example(testset, system, line, metric)

        one = found(view, of_a_line, "Counting n-grams", counted=False, system=system, line=line)
        printed = command(view, "example", system_name=system, line=line)
    screen.answer(tables.formula(one))
    if sentence == _NOTE:
        screen.plain(f"Output: {NOTE_OUTPUT}")
        screen.plain(f"Reference: {one.references[0]}")
    else:
        side_by_side.cards(testset, [one.system], [testset.lines.index(one.line)], [f"sentence BLEU {one.bleu:.1f}"])
    screen.show_table(tables.step_table(one))
    penalty = f"exp(1 - {one.ref_len}/{one.sys_len}) = " if 0 < one.sys_len < one.ref_len else ""
    st.caption(f"Brevity penalty: {one.sys_len} tokens against {one.ref_len} give {penalty}{one.brevity_penalty:.4g}. "
               f"BLEU-n is on a scale of 0 to 1 and not smoothed; smoothed BLEU-4 is {one.bleu:.2f} points "
               f"({one.signature}). BLEU is meant for corpora: one sentence is for looking inside.")
    if sentence == _NOTE:
        st.subheader("What the note gets wrong")
        screen.show_table(tables.note_table(one))
    files(view.named(metric="bleu"), "example", tables.step_records(one), printed)


def show_signatures(view, places):
    system = choose_system(view, places[0])
    rows = found(view, signatures, "Scoring under other settings", counted=False, system=system)
    low, high = min(row.bleu for row in rows), max(row.bleu for row in rows)
    screen.answer(f"{system}: the same output has {low:.1f} BLEU, or {high:.1f}")
    screen.table(["setting", "BLEU", "signature"], [[row.setting, f"{row.bleu:.2f}", row.signature] for row in rows])
    st.caption("Only scores of one signature compare (Post 2018). nrefs: references; case: mixed, or lower (lc); eff: "
               "effective order, for sentences; tok: tokenizer; smooth: what stands for a count of 0. The page Methods "
               "has the signature of every metric.")
    files(view.named(system, metric="bleu"), "signatures", [asdict(row) for row in rows],
          command(view, "signatures", system_name=system))
