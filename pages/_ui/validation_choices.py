"""Experiments on choices: what the metric, the test and the unit make of the same systems."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mtsig_core.experiments.error_rates import ASKED, changes_between, part_with_documents
from mtsig_core.experiments.papers import RIEZLER_MAXWELL_T1
from mtsig_core.experiments.validation import pair_tests
from mtsig_core.figures.experiment_plots import counts, p_values
from mtsig_core.metrics import metric_title, metrics_of
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.cells import signed
from mtsig_core.report.words import direction
from pages._ui import charts, controls, one_pair, results, screen
from pages._ui.copyable import command_box
from pages._ui.ending import or_end_page
from pages._ui.validation_experiment import Bench, grow, warn_of_few_documents

__all__ = ["show_pair", "show_units"]

_SIZES = (300, 2000)  # segments that are offered beside all; the second is the size of Riezler and Maxwell's set


def show_pair(bench: Bench, place) -> None:
    n = bench.testset.n_segments
    with place:
        a, b, (beside,) = one_pair.choose(bench.view, 3)
    sizes = [*(size for size in _SIZES if 2 * size <= n), n]
    with beside:
        size = controls.choice("Segments", sizes, "sampled", default=2000 if 2000 in sizes else n)
    asked = {"a": a, "b": b, "n_segments": None if size == n else size}
    usable = metrics_of(bench.testset)
    metrics = dict.fromkeys([*(name for name in RIEZLER_MAXWELL_T1.rows if name in usable), bench.metric])
    found = {}
    for name in sorted(metrics, key=bench.metric.__ne__):  # the metric of the page is counted already
        found[name] = bench.found(pair_tests, f"Testing by {name}", metric=name, figure=partial(_figure, bench.alpha),
                                  things="metrics", before={(len(found), len(metrics)): dict(found)} if found else {},
                                  **asked)
    found = {name: found[name] for name in metrics}
    real = [metric_title(name) for name, one in found.items() if one.significant("segment", "ar")]
    screen.answer(f"By segment, the difference is significant in {' and '.join(real) or 'none of the metrics'}"
                  + (f", not in {' or '.join(metric_title(m) for m in found if metric_title(m) not in real)}"
                     if 0 < len(real) < len(found) else ""))
    screen.numbers(*((f"{metric_title(name)}: p by randomization", tables.format_p(one.p_value("segment", "ar")),
                      f"improvement of A over B: {signed(one.improvement, tables.pair_form(one))}")
                     for name, one in found.items()))
    header = ["metric", "a", "b", "unit", "test", "p_value", "significant"]
    charts.show(_figure(bench.alpha, found), key="validation.pair", header=header, rows=[
        [name, *(getattr(row, column) for column in header[1:])] for name, one in found.items() for row in one.rows],
        command=bench.command("pair", metrics=",".join(found), a=a, b=b, segments=asked["n_segments"]),
        files=bench.view.named(a, b, metric="-".join(found)),
        alt="p-values of the pair under each metric, by two tests, beside those of the paper.", with_table=False)
    screen.show_table(tables.pair_tests_table(found))
    screen.plain(f"A is {a}, B is {b}, on {_tested(found)}"
                 + ("." if size == n else f", of the first broad sample of {size:,}."))
    st.caption(f"{next(iter(found.values())).trials:,} trials, uncorrected. Theirs: {RIEZLER_MAXWELL_T1.source}, "
               f"{RIEZLER_MAXWELL_T1.about}: another corpus, so it is the shape that compares. Their NIST found what "
               "BLEU and F did not; and their bootstrap, one-sided as printed, has the smaller p."
               + (" Here Portuguese and Danish come closest to their pair." if bench.testset.simulated else "")
               + (" dep-f, their F, needs parses of all texts: upload them with the texts on the page Data (CoNLL-U)."
                  if "dep-f" not in usable and bench.testset.has_texts else ""))


def _tested(found):
    """How many segments the pair was tested on: one number, or one by metric where some lack scores."""
    by_n = {}
    for name, one in found.items():
        by_n.setdefault(one.n_segments, []).append(metric_title(name))
    return ", ".join(f"{n:,} segments" + (f" by {' and '.join(names)}" if len(by_n) > 1 else "")
                     for n, names in by_n.items())


def _figure(alpha, found):
    """The figure of each metric; the published p of .0001 stands for less."""
    rows = {}
    for name, one in found.items():
        theirs = RIEZLER_MAXWELL_T1.rows.get(name, ((None,) * 4,))[0]
        rows[name] = {"randomization": one.p_value("segment", "ar"),
                      "bootstrap as printed": one.p_value("segment", "riezler-maxwell"),
                      "randomization by document": one.p_value("document", "ar"),
                      "their randomization": theirs[2], "their bootstrap": theirs[3]}
    return partial(p_values, rows, alpha)


def show_units(bench: Bench, place) -> None:
    with or_end_page():
        part = part_with_documents(bench.testset, bench.metric)
    asked = {key: bench.view.settings[key] for key in ("trials", "alpha", "seed")}
    by_unit = partial(results.comparison, bench.testset, bench.metric, **ASKED, **asked)
    by_document = by_unit(unit="document")  # documents are fewer, so this one is there first

    def changes(by_segment):
        return changes_between(part, *(found.metrics[bench.metric] for found in (by_segment, by_document)),
                               by_segment.settings)

    def by_document_alone():
        grow(_counts(changes(by_document), lambda row: {"by document": row.both}), "units", "By document alone so far")

    one = changes(by_unit(unit="segment", meanwhile=by_document_alone))
    correction = bench.view.comparison.settings.correction
    row = one.row(correction)
    by_segment = row.both + row.segment_only
    corrected = "uncorrected" if correction == "none" else f"after {correction}"
    screen.answer((f"No pair can be significant after {correction} with so few trials: use {row.trials_needed} or more"
                   if row.trials_needed is not None else
                   f"With {one.n_documents} documents no pair can be significant by document, {corrected}: take at "
                   f"least {row.documents_needed}" if row.documents_needed is not None else
                   "No pair is significant by segment" if not by_segment else
                   f"Of {_pairs(by_segment)} significant by segment, {row.segment_only or 'all'} are "
                   f"{'not by document' if row.segment_only else 'so by document too'}")
                  + (f"; {row.document_only} by document alone" if row.document_only else ""))
    screen.numbers(("Significant by segment", str(by_segment), f"of {_pairs(one.n_pairs)}, {corrected}"),
                   ("By document", str(row.both + row.document_only), f"of {_pairs(one.n_pairs)}, {corrected}"),
                   ("Standard error, ratio", "-" if one.se_ratio_median is None else f"{one.se_ratio_median:.2f}",
                    "median of document / segment" if one.se_ratio_median is None else
                    f"document / segment, median; {one.se_ratio_low:.2f} to {one.se_ratio_high:.2f}"))
    bench.show(_counts(one, lambda row: {"by both": row.both, "by segment only": row.segment_only,
                                         "by document only": row.document_only}), one.rows, "units",
               bench.command("units", trials=asked["trials"]),
               "Pairs that are significant by both units, by segment only, by document only, for each correction.")
    warn_of_few_documents(one.n_documents)
    screen.show_table(tables.unit_table(one))
    st.caption(f"Approximate randomization at α = {one.alpha:g}, {asked['trials']:,} trials; {one.n_segments:,} "
               f"segments in {one.n_documents:,} documents. Segments of a document succeed and fail together, so a "
               "test that takes them for independent finds too much: trust the document.")
    changed = tables.changed_table(one, correction)
    st.subheader(f"The pairs that the unit changes, {corrected}")
    if changed:
        screen.show_table(changed)
        if not one.higher_is_better:
            st.caption(f"{direction(False).capitalize()} of the first over the second.")
        if correction != "none":
            st.caption("Adjusted p-values depend on all pairs together: a pair may change its side although its own "
                       "standard error hardly does.")
        command_box(bench.command("changed-pairs", trials=asked["trials"]), "validation.changed-pairs.command",
                    "the pairs that the unit changes")
    else:
        screen.plain("None.")


def _counts(one, cut):
    """The figure of significant pairs, cut into parts, by each correction that can find any."""
    return partial(counts, {row.correction: cut(row) for row in one.rows if row.trials_needed is None},
                   f"significant pairs of {one.n_pairs}")


def _pairs(n):
    return f"{n} pair{'s' * (n != 1)}"
