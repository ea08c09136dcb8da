"""Sections of the page Reproduce the papers: each table or figure, the paper's next to ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st

from mtsig_core.experiments.error_rates import families, if_independent, variants
from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.experiments.inside_score import note_example, precisions
from mtsig_core.experiments.papers import (
    KOEHN_2_3,
    KOEHN_6,
    KOEHN_7_8,
    KOEHN_T1,
    KOEHN_T3,
    KOEHN_T4,
    RIEZLER_MAXWELL_4_4,
    RIEZLER_MAXWELL_T1,
    RIEZLER_MAXWELL_T2,
    SENTENCES_PER_DOCUMENT,
    ZHANG_VOGEL_1,
    ZHANG_VOGEL_2,
    ZHANG_VOGEL_5,
    ZHANG_VOGEL_6,
)
from mtsig_core.experiments.sampling import (
    SAMPLE_KINDS,
    conclusions,
    pair_tests,
    sample_both_kinds,
)
from mtsig_core.experiments.sweeps import bound_sd, stability, sweep_sizes
from mtsig_core.figures.rate_plots import p_values
from mtsig_core.figures.sample_plots import sample_scores
from mtsig_core.metrics import list_metrics, metric_title
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.sentences import choose_form
from mtsig_core.report.table import signed
from mtsig_core.stats.comparison import bootstrap_systems
from mtsig_core.stats.significance import significant
from pages._sections import comparison_sections, inside_sections, methods_sections
from pages._sections.sampling_sections import Samples
from pages._sections.size_sections import (
    describe_size,
    show_by_size,
    show_references,
    show_settling,
    with_several_references,
)
from pages._sections.trust_sections import draw_conclusions, draw_levels
from pages._ui import controls, screen, testsets, views
from pages._ui.browser import command_box
from pages._ui.charts import study
from pages._ui.views import View

PAPERS = {
    "note": "Reading note on BLEU",
    "koehn": "Koehn (2004)",
    "zhang": "Zhang and Vogel (2004)",
    "riezler": "Riezler and Maxwell (2005)",
}


class Item(NamedTuple):
    """A table or figure of a paper."""

    title: str
    show: Callable[[View], None]


def _is_koehns(view: View) -> bool:
    """Return whether the test set replaces the one of `Koehn (2004)`."""
    return view.testset.simulated and view.metric == "bleu" and view.testset.n_segments == 30_000


def _choose_system(view: View) -> str:
    return controls.choice(
        "System", [row.system for row in view.result.systems], "system", width=420
    )


# Koehn (2004).


def _show_precisions(view: View) -> None:
    parts = study(view, "metrics precisions", "bleu")
    screen.show_table(
        tables.precision_table(rows := parts.run(precisions, "Counting n-grams"), _is_koehns(view))
    )
    st.caption(
        f"In brackets: {KOEHN_T1.source}, {KOEHN_T1.about}. The geometric mean of the four precisions takes "
        "weights of 1/4, which equation 1 of the paper lacks."
    )
    parts.show_numbers(rows, key="papers.precisions")


def _show_lengths(view: View) -> None:
    names = [row.system for row in view.result.systems]
    koehns = ["Spanish", "Portuguese"]
    inside_sections.show_lengths(view, *(koehns if {*koehns} <= {*names} else names[:2]))
    st.caption(
        "Koehn (2004), Figure 1, prints no numbers: BLEU falls sharply where the length ratio drops below 1, "
        "GTM does not. The paper gives no exponent of GTM; 2 has scores of the size in its figure."
    )


def _show_factors(view: View) -> None:
    screen.show_table(tables.factor_table())
    st.caption(
        "Factors as printed. The paper takes n degrees of freedom instead of n - 1. Slips: 1.9849 for 1.9840, "
        "the value of 599 for 600 at 99%, and 2.5759 for 2.5758."
    )
    command_box(
        study(view, "metrics students-t").print_command(),
        "papers.factors.command",
        "intervals of a mean",
    )


def _take_samples(view: View, system: str) -> Samples:
    """Return samples of 300 segments of both kinds."""
    size = min(300, max(2, view.testset.n_segments // 10))
    asked = {kind: study(view, f"sample {kind}", size=size) for kind in SAMPLE_KINDS}
    return Samples(
        view,
        asked["broad"].run(
            sample_both_kinds,
            "Taking samples",
        ),
        asked,
        system,
    )


def _show_spread(view: View) -> None:
    name = _choose_system(view)
    samples = _take_samples(view, name)
    form, both = samples.form, {kind: one.system(name) for kind, one in samples.by_kind.items()}
    theirs = (
        {kind: ends for kind, *ends in KOEHN_2_3.rows["bleu"]}
        if _is_koehns(view) and name == "Spanish"
        else {}
    )
    first = next(iter(both))
    screen.answer(
        "; ".join(
            f"{kind.capitalize() if kind == first else kind}: {one.range[0]:{form}} to {one.range[1]:{form}}"
            + (f" (Koehn: {theirs[kind][0]} to {theirs[kind][1]})" if theirs else "")
            for kind, one in both.items()
        )
    )
    samples.studies["broad"].show(
        partial(
            sample_scores,
            {kind: one.scores for kind, one in both.items()},
            both["broad"].full,
            theirs,
            unit=samples.unit,
            form=form,
        ),
        [
            {"kind": kind, **row}
            for kind, one in both.items()
            for row in tables.sampled_system_records(one)
        ],
        f"Scores of samples of {samples.by_kind['broad'].size} segments, blocks above and broad samples below.",
        name,
        key="papers.spread",
        command=samples.print_commands(),
    )
    st.caption(f"{KOEHN_2_3.source}: {KOEHN_2_3.about}.")


def _show_hits(view: View) -> None:
    _take_samples(view, _choose_system(view)).show_intervals()
    st.caption(
        f"{KOEHN_6.source}: {KOEHN_6.about}. There {KOEHN_6.rows['bleu'][0][2]} of {KOEHN_6.rows['bleu'][0][1]} "
        "intervals contain the score."
    )


def _show_outcomes(view: View) -> None:
    _take_samples(view, view.result.systems[0].system).show_pair(published=_is_koehns(view))
    st.caption(
        f"{KOEHN_7_8.source}: {KOEHN_7_8.about}. Between Spanish and Danish one of the paper's 100 broad "
        "samples was negative, by 0.07 (Figure 4). In 3.4, '300 broad samples' is a slip."
    )


def _show_conclusions(view: View) -> None:
    samples, koehns = study(view, "validate conclusions"), _is_koehns(view)
    one = samples.run(conclusions, "Taking samples")
    size = controls.choice(
        "Segments in a sample",
        one.sizes,
        "of",
        default=min(one.sizes, key=lambda n: abs(n - 300)),
        width=220,
    )
    theirs = {
        (row.a, row.b): paper[0] / 100
        for row in one.rows
        if koehns and row.size == size and (paper := tables.koehns_conclusions(row))
    }
    samples.show(
        draw_conclusions(one, size, theirs, KOEHN_T3.source),
        one.rows,
        f"Share of samples of {size} that agree with the whole test set, for each pair.",
        key="papers.conclusions",
    )
    screen.show_table(tables.conclusion_table(one, koehns))
    st.caption(f"Percent right / wrong; in brackets {KOEHN_T3.source}, {KOEHN_T3.about}.")


def _show_levels(view: View) -> None:
    one, koehns = (
        study(view, "validate conclusions").run(conclusions, "Taking samples"),
        _is_koehns(view),
    )
    theirs = {low: share / 100 for low, _, share in KOEHN_T4.rows["bleu"]} if koehns else {}
    study(view, "validate calibration").show(
        draw_levels(one, theirs, KOEHN_T4.source),
        one.levels,
        "Share of conclusions at each level that agree with the whole test set.",
        key="papers.calibration",
    )
    screen.show_table(tables.calibration_table(one, koehns))
    st.caption(
        f"{KOEHN_T4.source}, {KOEHN_T4.about}: a calibration over pairs that do differ, not a check of the "
        "false-alarm rate."
    )


# Zhang and Vogel (2004).


def _show_relative(view: View) -> None:
    settings, ci, theirs = (
        view.comparison.settings,
        view.result.ci,
        ZHANG_VOGEL_1.nearest(view.metric),
    )
    systems = view.experiment(
        bootstrap_systems,
        "Drawing resamples",
        resamples=settings.resamples,
        **{key: view.settings[key] for key in ("unit", "alpha", "seed")},
    )
    left, right = st.columns([5, 4], gap="medium")
    with left:
        screen.show_table(tables.relative_table(systems, ci, view.metric, view.level))
    with right:
        screen.show_table(tables.published_table(theirs))
    st.caption(
        f"Left: this test set; right: {ZHANG_VOGEL_1.source}, {ZHANG_VOGEL_1.about}. Percent: (end - median) / "
        "|median|."
    )
    command_box(view.command(), "papers.table1.command", "the intervals of all systems")
    testsets.offer_demo(
        testsets.ZHANG_VOGEL,
        "A test set as large as the paper's, also with four references:",
        view.source,
    )


def _show_shares(view: View) -> None:
    system = _choose_system(view)
    several, source = with_several_references(view, system)
    asked = {"repeats": 100, "unit": view.settings["unit"]}
    by_document = view.comparison.settings.unit == "document" and several.documents is not None
    n = several.n_documents if by_document else several.n_segments
    percents = [
        percent for percent, *_ in ZHANG_VOGEL_2.rows["bleu"] if round(percent / 100 * n) >= _FEWEST
    ]
    shares = study(view, "sweep size", source=source, **asked)
    swept = shares.run(
        sweep_sizes,
        "Drawing parts of the test set",
        testset=several,
        sizes=tuple(percent / 100 for percent in percents),
    )
    screen.show_table(tables.size_table(swept, system))
    st.caption(
        f"{describe_size(several)}. {ZHANG_VOGEL_2.source}: {ZHANG_VOGEL_2.about}; human: fluency and "
        "adequacy, parts by document, bootstrap by sentence. The paper's M-BLEU is below its BLEU, "
        "which is impossible for equation 4, the arithmetic mean of the precisions."
    )
    shares.show_numbers(
        tables.system_records(swept, view.metric in view.testset.scores),
        system,
        key="papers.table2",
        sizes=",".join(f"{percent}%" for percent in percents),
    )


_FEWEST = 5  # units of the smallest test set


def _show_sizes(view: View) -> None:
    system = _choose_system(view)
    shares = study(view, "sweep size", repeats=30, unit=view.settings["unit"])
    swept = shares.run(
        sweep_sizes,
        "Drawing test sets",
    )
    theirs = "human" if view.metric in view.testset.scores else ZHANG_VOGEL_2.nearest(view.metric)
    length = 1 if swept.settings.unit == "document" else SENTENCES_PER_DOCUMENT
    paper = [
        (round(size * length), (high - low) / 100) for size, low, high in ZHANG_VOGEL_2.rows[theirs]
    ]
    show_by_size(
        shares,
        swept,
        system,
        published=paper,
        theirs=f"Zhang and Vogel, {metric_title(theirs)}",
        page="papers",
    )
    st.caption("Left: mean scores by size, as in Figures 4 to 7. Right: the widths of Table 2.")


def _show_relations(view: View) -> None:
    metrics = [name for name in ("nist", "bleu", "m-bleu") if name in list_metrics(view.testset)]
    if len(metrics) < 2 or len(view.testset.systems) < 2:
        screen.error("Figure 3 needs texts of two systems. Choose a test set that has them.")
        return
    asked = {
        **view.settings,
        "test": "percentile",
        "correction": "none",
        "unit": "segment",
        "ci": "auto",
        "rank_rule": "simultaneous",
        "baseline": None,
    }
    found = [view.compare(name, **asked).metrics[name] for name in metrics]
    comparison_sections.show_relations(found, "papers.figure3")
    st.caption(
        "The paper decides by the percentile interval of the difference, by segment, without a correction. So "
        "equal systems may differ by chance, more often the more pairs there are."
    )
    command_box(
        view.command("compare", metrics=metrics, **asked),
        "papers.figure-3.command",
        "all pairs by these three metrics",
    )


def _show_histogram(view: View) -> None:
    name, unit, form = _choose_system(view), metric_title(view.metric), choose_form(view.result)
    (one,) = view.experiment(
        bootstrap_systems,
        "Drawing resamples",
        only=(name,),
        **{key: view.settings[key] for key in ("unit", "alpha", "seed")},
    )
    ends = one.intervals["percentile"]
    screen.answer(
        f"The middle {view.level} of {len(one.drawn):,} {unit} scores: {ends[0]:{form}} to {ends[1]:{form}}"
        if ends
        else f"{name} scores {one.score:{form}} {unit} in every resample"
    )
    comparison_sections.show_replicates(view, one, "percentile", "papers.histogram")
    st.caption(
        "Zhang and Vogel (2004), Figures 1 and 2, are histograms of 20,000 BLEU scores, without numbers. Their "
        "interval runs from the 2.5th to the 97.5th percentile, as here at 95%."
    )


def _show_settling(view: View) -> None:
    name, theirs = _choose_system(view), ZHANG_VOGEL_1.nearest(view.metric)
    pooling = study(view, "sweep resamples", pool=None, system=name, unit=view.settings["unit"])
    settled = pooling.run(stability, "Drawing the pool")
    show_settling(view, pooling, settled, theirs)
    screen.show_table(tables.repeated_table(settled, theirs))
    st.caption(
        f"{ZHANG_VOGEL_6.source}, {metric_title(theirs)}, 5,000 intervals each. Both ends move by "
        f"{bound_sd(settled.settings.alpha, less_median=True):.2f} standard errors over the root of B, the line "
        "of the figure."
    )
    screen.show_table(tables.growing_table(settled, theirs, view.level))
    st.caption(
        f"One interval for each B, next to {ZHANG_VOGEL_5.source}. The paper's BLEU ends look rounded to "
        "0.0001, more than the SD at B = 20,000."
    )


# Riezler and Maxwell (2005).

_SIZES = (300, 2000)  # segments that are offered beside all; the second is the size of their set


def _show_pair(view: View) -> None:
    n = view.testset.n_segments
    a, b, (beside,) = views.choose_pair(view, 3)
    sizes = [*(size for size in _SIZES if 2 * size <= n), n]
    with beside:
        size = controls.choice("Segments", sizes, "sampled", default=2000 if 2000 in sizes else n)
    asked = {"a": a, "b": b, "n_segments": None if size == n else size}
    usable = list_metrics(view.testset)
    metrics = dict.fromkeys(
        [*(name for name in RIEZLER_MAXWELL_T1.rows if name in usable), view.metric]
    )
    by_metric = {
        name: study(view, "validate pair", name, **asked).run(
            pair_tests, f"Testing by {metric_title(name)}"
        )
        for name in metrics
    }
    screen.numbers(
        *(
            (
                f"{metric_title(name)}: p by randomization",
                tables.format_p(one.p_value("segment", "ar")),
                f"improvement of A over B: {signed(one.improvement, tables.pair_form(one))}",
            )
            for name, one in by_metric.items()
        )
    )
    several = study(view, "validate pair", **asked)
    several.show(
        _p_by_metric(view.alpha, by_metric),
        [
            {"metric": name, **row}
            for name, one in by_metric.items()
            for row in flatten_rows(one.rows)
        ],
        "p-values of the pair under each metric, by two tests, next to the paper's.",
        a,
        b,
        key="papers.pair",
        command=several.print_command(metrics=tuple(by_metric)),
    )
    screen.show_table(tables.pair_tests_table(by_metric))
    counted = {metric_title(name): one.n_segments for name, one in by_metric.items()}
    st.caption(
        "Segments: "
        + ", ".join(f"{count:,} by {name}" for name, count in counted.items())
        + f". Paper: {RIEZLER_MAXWELL_T1.source}, {RIEZLER_MAXWELL_T1.about}. The paper's bootstrap is "
        "one-sided, so its p is smaller."
        + (" The paper's F (dep-f) needs parses of all texts." if "dep-f" not in usable else "")
    )


def _p_by_metric(alpha: float, by_metric):
    """Return the p of each metric; the published .0001 means less."""
    rows = {}
    for name, one in by_metric.items():
        theirs = RIEZLER_MAXWELL_T1.rows.get(name, ((None,) * 4,))[0]
        rows[metric_title(name)] = {
            "randomization": one.p_value("segment", "ar"),
            "bootstrap as printed": one.p_value("segment", "riezler-maxwell"),
            "randomization by document": one.p_value("document", "ar"),
            "paper: randomization": theirs[2],
            "paper: bootstrap": theirs[3],
        }
    return partial(p_values, rows, alpha)


def _show_variants(view: View) -> None:
    equals = study(view, "validate variants")
    one = equals.run(variants, "Comparing equal systems")
    printed = RIEZLER_MAXWELL_T2.rows["nist"]
    both = ([(row.p_ar, row.p_as_printed) for row in one.rows], [row[2:] for row in printed])
    ours, theirs = (
        [sum(significant(p, view.alpha) for p in test) for test in zip(*table, strict=True)]
        for table in both
    )
    screen.answer(
        f"Of {len(one.rows)} pairs of equal systems, randomization calls {ours[0]} different and the "
        f"bootstrap as printed {ours[1]} (paper: {theirs[0]} and {theirs[1]})"
    )
    equals.show(
        partial(
            p_values,
            {
                row.pair: {
                    "randomization": row.p_ar,
                    "bootstrap as printed": row.p_as_printed,
                    "signed shift": row.p_bootstrap,
                    "paper: randomization": paper[2],
                    "paper: bootstrap": paper[3],
                }
                for row, paper in zip(one.rows, printed, strict=True)
            },
            one.alpha,
        ),
        one.rows,
        "p-values of five pairs of equal systems by three tests.",
        key="papers.variants",
    )
    screen.show_table(tables.variant_table(one))
    st.caption(
        f"{RIEZLER_MAXWELL_T2.source}, {RIEZLER_MAXWELL_T2.about}, in NIST. A small p of the printed shift is "
        "about half as large as it should be. With the signed shift both tests agree."
    )


def _show_families(view: View) -> None:
    comparing = study(view, "validate families")
    one = comparing.run(families, "Comparing equal systems")
    screen.show_table(tables.family_table(one))
    theirs = "; ".join(
        f"{k} comparisons of {systems} systems at {level:g} give {error:g} (the formula: "
        f"{if_independent(level, k):.4f})"
        for systems, k, level, error in RIEZLER_MAXWELL_4_4.rows["bleu"]
    )
    st.caption(
        f"{RIEZLER_MAXWELL_4_4.source}: {theirs}. The five are comparisons with the first system. Section 4.3 "
        "defines type-I errors backwards, and its '.15' is .015."
    )
    comparing.show_numbers(one.rows, key="papers.families")


def _show_note(view: View) -> None:
    """Write what is wrong in the reading note on BLEU."""
    screen.show_table(tables.note_table(note_example(tokenizer=view.testset.tokenizer)))
    if view.testset.has_texts:
        command_box(
            study(view, "metrics example", "bleu").print_command(),
            "papers.note.command",
            "the example",
        )


def _show_algorithms(view: View) -> None:
    methods_sections.show_algorithms()
    command_box(view.command(), "papers.algorithms.command", "the comparison with these settings")


#: By paper and name.
ITEMS = {
    "note-example": Item("The worked example: what it gets wrong", _show_note),
    "koehn-table1": Item("Table 1: precisions of six systems", _show_precisions),
    "koehn-figure1": Item("Figure 1: output length, BLEU and GTM", _show_lengths),
    "koehn-table2": Item("Table 2: Student's t", _show_factors),
    "koehn-figure2": Item("Figures 2 and 3: blocks and broad samples", _show_spread),
    "koehn-figure4": Item("Figures 4, 7 and 8: what samples conclude", _show_outcomes),
    "koehn-figure6": Item("Figure 6: intervals of broad samples", _show_hits),
    "koehn-table3": Item("Table 3: conclusions by pair and size", _show_conclusions),
    "koehn-table4": Item("Table 4: conclusions by level", _show_levels),
    "zhang-figure1": Item("Figures 1 and 2: one bootstrap histogram", _show_histogram),
    "zhang-table1": Item("Table 1: relative intervals", _show_relative),
    "zhang-figure3": Item("Figure 3: every pair by three metrics", _show_relations),
    "zhang-table2": Item("Table 2: intervals by size", _show_shares),
    "zhang-figure4": Item("Figures 4 to 7: scores by size", _show_sizes),
    "zhang-table3": Item(
        "Tables 3 and 4, Figure 8: references", partial(show_references, with_paper=True)
    ),
    "zhang-table5": Item("Tables 5 and 6: number of resamples", _show_settling),
    "riezler-table1": Item("Table 1: one pair by three metrics", _show_pair),
    "riezler-table2": Item("Table 2: systems made to be equal", _show_variants),
    "riezler-section4": Item("Section 4.4: many comparisons", _show_families),
    "riezler-figure1": Item("Figures 1 and 2: the two tests", _show_algorithms),
}
