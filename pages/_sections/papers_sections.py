"""Sections of the page Reproduce the papers: each table or figure of a paper next to ours."""

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
    Published,
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
    return controls.choice("System", view.result.names, "system", width=420)


# Koehn (2004).

_KOEHNS_SIZE = 300  # segments of the paper's samples


def _show_precisions(view: View) -> None:
    experiment = study(view, "metrics precisions", "bleu")
    rows = experiment.run(precisions, "Counting n-grams")
    screen.show_table(tables.precision_table(rows, _is_koehns(view)))
    st.caption(
        f"In brackets: {KOEHN_T1.source}, {KOEHN_T1.about}. The geometric mean of the four "
        "precisions takes weights of 1/4, which equation 1 of the paper lacks."
    )
    experiment.show_numbers(rows, key="papers.precisions")


def _show_lengths(view: View) -> None:
    names = view.result.names
    a, b = names[:2]
    if "Spanish" in names and "Portuguese" in names:
        a = "Spanish"
        b = "Portuguese"
    inside_sections.show_lengths(view, a, b)
    st.caption(
        "Koehn (2004), Figure 1, prints no numbers: BLEU falls sharply where the length ratio drops "
        "below 1, GTM does not. The paper gives no exponent of GTM; 2 has scores of the size in its "
        "figure."
    )


def _show_factors(view: View) -> None:
    screen.show_table(tables.factor_table())
    st.caption(
        "Factors as printed. The paper takes n degrees of freedom instead of n - 1. Slips: 1.9849 "
        "for 1.9840, the value of 599 for 600 at 99%, and 2.5759 for 2.5758."
    )
    command_box(
        study(view, "metrics students-t").print_command(),
        "papers.factors.command",
        "intervals of a mean",
    )


def _take_samples(view: View, system: str) -> Samples:
    """Return samples of 300 segments of both kinds."""
    size = min(_KOEHNS_SIZE, max(2, view.testset.n_segments // 10))
    studies = {kind: study(view, f"sample {kind}", size=size) for kind in SAMPLE_KINDS}
    by_kind = studies["broad"].run(sample_both_kinds, "Taking samples")
    return Samples(view, by_kind, studies, system)


def _show_spread(view: View) -> None:
    name = _choose_system(view)
    samples = _take_samples(view, name)
    by_kind = {kind: result.system(name) for kind, result in samples.by_kind.items()}
    published: dict[str, list[float]] = {}
    if _is_koehns(view) and name == "Spanish":
        published = {kind: bounds for kind, *bounds in KOEHN_2_3.rows["bleu"]}
    screen.answer(_describe_spread(by_kind, published, samples.form))
    records = []
    for kind, sampled in by_kind.items():
        records += [{"kind": kind, **row} for row in tables.sampled_system_records(sampled)]
    samples.studies["broad"].show(
        partial(
            sample_scores,
            {kind: sampled.scores for kind, sampled in by_kind.items()},
            by_kind["broad"].full,
            published,
            unit=samples.unit,
            form=samples.form,
        ),
        records,
        f"Scores of samples of {samples.by_kind['broad'].size} segments, blocks above and broad "
        "samples below.",
        name,
        key="papers.spread",
        command=samples.print_commands(),
    )
    st.caption(f"{KOEHN_2_3.source}: {KOEHN_2_3.about}.")


def _describe_spread(by_kind: dict, published: dict[str, list[float]], form: str) -> str:
    """Write the range of scores of each kind of sample, next to the paper's."""
    texts = []
    for kind, sampled in by_kind.items():
        low, high = sampled.range
        label = kind if texts else kind.capitalize()
        text = f"{label}: {low:{form}} to {high:{form}}"
        if kind in published:
            published_low, published_high = published[kind]
            text += f" (Koehn: {published_low} to {published_high})"
        texts.append(text)
    return "; ".join(texts)


def _show_hits(view: View) -> None:
    _take_samples(view, _choose_system(view)).show_intervals()
    _, n_samples, n_hits = KOEHN_6.rows["bleu"][0]
    st.caption(
        f"{KOEHN_6.source}: {KOEHN_6.about}. There {n_hits} of {n_samples} intervals contain the "
        "score."
    )


def _show_outcomes(view: View) -> None:
    _take_samples(view, view.result.systems[0].system).show_pair(published=_is_koehns(view))
    st.caption(
        f"{KOEHN_7_8.source}: {KOEHN_7_8.about}. Between Spanish and Danish one of the paper's 100 "
        "broad samples was negative, by 0.07 (Figure 4). In 3.4, '300 broad samples' is a slip."
    )


def _show_conclusions(view: View) -> None:
    samples = study(view, "validate conclusions")
    result = samples.run(conclusions, "Taking samples")
    nearest = min(result.sizes, key=lambda size: abs(size - _KOEHNS_SIZE))
    size = controls.choice("Segments in a sample", result.sizes, "of", default=nearest, width=220)
    is_koehns = _is_koehns(view)
    published = {}
    for row in result.rows:
        percents = tables.koehns_conclusions(row)
        if is_koehns and row.size == size and percents:
            published[row.a, row.b] = percents[0] / 100
    samples.show(
        draw_conclusions(result, size, published, KOEHN_T3.source),
        result.rows,
        f"Share of samples of {size} that agree with the whole test set, for each pair.",
        key="papers.conclusions",
    )
    screen.show_table(tables.conclusion_table(result, is_koehns))
    st.caption(f"Percent right / wrong; in brackets {KOEHN_T3.source}, {KOEHN_T3.about}.")


def _show_levels(view: View) -> None:
    result = study(view, "validate conclusions").run(conclusions, "Taking samples")
    is_koehns = _is_koehns(view)
    published = {}
    if is_koehns:
        published = {low: share / 100 for low, _, share in KOEHN_T4.rows["bleu"]}
    study(view, "validate calibration").show(
        draw_levels(result, published, KOEHN_T4.source),
        result.levels,
        "Share of conclusions at each level that agree with the whole test set.",
        key="papers.calibration",
    )
    screen.show_table(tables.calibration_table(result, is_koehns))
    st.caption(
        f"{KOEHN_T4.source}, {KOEHN_T4.about}: a calibration over pairs that do differ, not a check "
        "of the false-alarm rate."
    )


# Zhang and Vogel (2004).


def _show_relative(view: View) -> None:
    published = ZHANG_VOGEL_1.nearest(view.metric)
    systems = view.experiment(
        bootstrap_systems,
        "Drawing resamples",
        resamples=view.comparison.settings.resamples,
        **_bootstrap_settings(view),
    )
    left, right = st.columns([5, 4], gap="medium")
    with left:
        screen.show_table(tables.relative_table(systems, view.result.ci, view.metric, view.level))
    with right:
        screen.show_table(tables.published_table(published))
    st.caption(
        f"Left: this test set; right: {ZHANG_VOGEL_1.source}, {ZHANG_VOGEL_1.about}. "
        "Percent: (end - median) / |median|."
    )
    command_box(view.command(), "papers.table1.command", "the intervals of all systems")
    testsets.offer_demo(
        testsets.ZHANG_VOGEL,
        "A test set as large as the paper's, also with four references:",
        view.source,
    )


def _bootstrap_settings(view: View) -> dict:
    return {key: view.settings[key] for key in ("unit", "alpha", "seed")}


_FEWEST = 5  # units of the smallest test set


def _show_shares(view: View) -> None:
    system = _choose_system(view)
    testset, source = with_several_references(view, system)
    is_by_document = view.comparison.settings.unit == "document" and testset.documents is not None
    n_units = testset.n_documents if is_by_document else testset.n_segments
    percents = [percent for percent, *_ in ZHANG_VOGEL_2.rows["bleu"]]
    percents = [percent for percent in percents if round(percent / 100 * n_units) >= _FEWEST]
    experiment = study(view, "sweep size", source=source, repeats=100, unit=view.settings["unit"])
    result = experiment.run(
        sweep_sizes,
        "Drawing parts of the test set",
        testset=testset,
        sizes=tuple(percent / 100 for percent in percents),
    )
    screen.show_table(tables.size_table(result, system))
    st.caption(
        f"{describe_size(testset)}. {ZHANG_VOGEL_2.source}: {ZHANG_VOGEL_2.about}; human: fluency "
        "and adequacy, parts by document, bootstrap by sentence. The paper's M-BLEU is below its "
        "BLEU, which is impossible for equation 4, the arithmetic mean of the precisions."
    )
    experiment.show_numbers(
        tables.system_records(result, view.metric in view.testset.scores),
        system,
        key="papers.table2",
        sizes=",".join(f"{percent}%" for percent in percents),
    )


def _show_sizes(view: View) -> None:
    system = _choose_system(view)
    experiment = study(view, "sweep size", repeats=30, unit=view.settings["unit"])
    result = experiment.run(sweep_sizes, "Drawing test sets")
    name = ZHANG_VOGEL_2.nearest(view.metric)
    if view.metric in view.testset.scores:
        name = "human"
    length = 1 if result.settings.unit == "document" else SENTENCES_PER_DOCUMENT
    published = []
    for size, low, high in ZHANG_VOGEL_2.rows[name]:
        published.append((round(size * length), (high - low) / 100))
    show_by_size(
        experiment,
        result,
        [system],
        published=Published(published, f"Zhang and Vogel, {metric_title(name)}"),
        page="papers",
    )
    st.caption("Left: mean scores by size, as in Figures 4 to 7. Right: the widths of Table 2.")


def _show_relations(view: View) -> None:
    usable = list_metrics(view.testset)
    metrics = [name for name in ("nist", "bleu", "m-bleu") if name in usable]
    if len(metrics) < 2 or len(view.testset.systems) < 2:
        screen.error("Figure 3 needs texts of two systems. Choose a test set that has them.")
        return
    settings = {
        **view.settings,
        "test": "percentile",
        "correction": "none",
        "unit": "segment",
        "ci": "auto",
        "rank_rule": "simultaneous",
        "baseline": None,
    }
    results = [view.compare(name, **settings).metrics[name] for name in metrics]
    comparison_sections.show_relations(results, "papers.figure3")
    st.caption(
        "The paper decides by the percentile interval of the difference, by segment, without a "
        "correction. So equal systems may differ by chance, more often the more pairs there are."
    )
    command_box(
        view.command("compare", metrics=metrics, **settings),
        "papers.figure-3.command",
        "all pairs by these three metrics",
    )


def _show_histogram(view: View) -> None:
    name = _choose_system(view)
    unit = metric_title(view.metric)
    form = choose_form(view.result)
    (system,) = view.experiment(
        bootstrap_systems, "Drawing resamples", only=(name,), **_bootstrap_settings(view)
    )
    interval = system.intervals["percentile"]
    if interval:
        low, high = interval
        screen.answer(
            f"The middle {view.level} of {len(system.drawn):,} {unit} scores: "
            f"{low:{form}} to {high:{form}}"
        )
    else:
        screen.answer(f"{name} scores {system.score:{form}} {unit} in every resample")
    comparison_sections.show_replicates(view, system, "papers.histogram")
    st.caption(
        "Zhang and Vogel (2004), Figures 1 and 2, are histograms of 20,000 BLEU scores, without "
        "numbers. Their interval runs from the 2.5th to the 97.5th percentile, as here at 95%."
    )


def _show_settling(view: View) -> None:
    name = _choose_system(view)
    published = ZHANG_VOGEL_1.nearest(view.metric)
    pooling = study(view, "sweep resamples", pool=None, system=name, unit=view.settings["unit"])
    result = pooling.run(stability, "Drawing the pool")
    show_settling(view, pooling, result, published)
    screen.show_table(tables.repeated_table(result, published))
    sd = bound_sd(result.settings.alpha, less_median=True)
    st.caption(
        f"{ZHANG_VOGEL_6.source}, {metric_title(published)}, 5,000 intervals each. Both ends move "
        f"by {sd:.2f} standard errors over the root of B, the line of the figure."
    )
    screen.show_table(tables.growing_table(result, published, view.level))
    st.caption(
        f"One interval for each B, next to {ZHANG_VOGEL_5.source}. The paper's BLEU ends look "
        "rounded to 0.0001, more than the SD at B = 20,000."
    )


# Riezler and Maxwell (2005).

_SIZES = (300, 2000)  # segments that are offered next to all; the second is the size of their set


def _show_pair(view: View) -> None:
    n = view.testset.n_segments
    a, b, (menu,) = views.choose_pair(view, 3)
    sizes = [*(size for size in _SIZES if 2 * size <= n), n]
    with menu:
        size = controls.choice("Segments", sizes, "sampled", default=2000 if 2000 in sizes else n)
    arguments = {"a": a, "b": b, "n_segments": None if size == n else size}
    usable = list_metrics(view.testset)
    metrics = [name for name in RIEZLER_MAXWELL_T1.rows if name in usable]
    by_metric = {}
    for name in dict.fromkeys([*metrics, view.metric]):
        experiment = study(view, "validate pair", name, **arguments)
        by_metric[name] = experiment.run(pair_tests, f"Testing by {metric_title(name)}")
    numbers = []
    records = []
    for name, result in by_metric.items():
        p = tables.format_p(result.p_value("segment", "ar"))
        improvement = signed(result.improvement, tables.pair_form(result))
        numbers.append(
            (
                f"{metric_title(name)}: p by randomization",
                p,
                f"improvement of A over B: {improvement}",
            )
        )
        records += [{"metric": name, **row} for row in flatten_rows(result.rows)]
    screen.tiles(*numbers)
    experiment = study(view, "validate pair", **arguments)
    experiment.show(
        _draw_p_by_metric(view.alpha, by_metric),
        records,
        "p-values of the pair under each metric, by two tests, next to the paper's.",
        a,
        b,
        key="papers.pair",
        command=experiment.print_command(metrics=tuple(by_metric)),
    )
    screen.show_table(tables.pair_tests_table(by_metric))
    counts = [f"{result.n_segments:,} by {metric_title(m)}" for m, result in by_metric.items()]
    caption = (
        f"Segments: {', '.join(counts)}. Paper: {RIEZLER_MAXWELL_T1.source}, "
        f"{RIEZLER_MAXWELL_T1.about}. The paper's bootstrap is one-sided, so its p is smaller."
    )
    if "dep-f" not in usable:
        caption += " The paper's F (dep-f) needs parses of all texts."
    st.caption(caption)


def _draw_p_by_metric(alpha: float, by_metric: dict):
    """Return the figure of the p-values of each metric; the published .0001 means less."""
    rows = {}
    for name, result in by_metric.items():
        p_values_of_metric = {
            "randomization": result.p_value("segment", "ar"),
            "bootstrap as printed": result.p_value("segment", "riezler-maxwell"),
            "randomization by document": result.p_value("document", "ar"),
            "paper: randomization": None,
            "paper: bootstrap": None,
        }
        if name in RIEZLER_MAXWELL_T1.rows:
            _, _, p_randomization, p_bootstrap = RIEZLER_MAXWELL_T1.rows[name][0]
            p_values_of_metric["paper: randomization"] = p_randomization
            p_values_of_metric["paper: bootstrap"] = p_bootstrap
        rows[metric_title(name)] = p_values_of_metric
    return partial(p_values, rows, alpha)


def _show_variants(view: View) -> None:
    experiment = study(view, "validate variants")
    result = experiment.run(variants, "Comparing equal systems")
    published = RIEZLER_MAXWELL_T2.rows["nist"]

    def count_significant(values) -> int:
        return sum(significant(p, view.alpha) for p in values)

    n_ar = count_significant(row.p_ar for row in result.rows)
    n_bootstrap = count_significant(row.p_as_printed for row in result.rows)
    n_published_ar = count_significant(row[2] for row in published)
    n_published_bootstrap = count_significant(row[3] for row in published)
    screen.answer(
        f"Of {len(result.rows)} pairs of equal systems, randomization calls {n_ar} different and "
        f"the bootstrap as printed {n_bootstrap} "
        f"(paper: {n_published_ar} and {n_published_bootstrap})"
    )
    by_pair = {}
    for row, (_, _, p_randomization, p_bootstrap) in zip(result.rows, published, strict=True):
        by_pair[row.pair] = {
            "randomization": row.p_ar,
            "bootstrap as printed": row.p_as_printed,
            "signed shift": row.p_bootstrap,
            "paper: randomization": p_randomization,
            "paper: bootstrap": p_bootstrap,
        }
    experiment.show(
        partial(p_values, by_pair, result.alpha),
        result.rows,
        "p-values of five pairs of equal systems by three tests.",
        key="papers.variants",
    )
    screen.show_table(tables.variant_table(result))
    st.caption(
        f"{RIEZLER_MAXWELL_T2.source}, {RIEZLER_MAXWELL_T2.about}, in NIST. A small p of the "
        "printed shift is about half as large as it should be. With the signed shift both tests "
        "agree."
    )


def _show_families(view: View) -> None:
    experiment = study(view, "validate families")
    result = experiment.run(families, "Comparing equal systems")
    screen.show_table(tables.family_table(result))
    published = []
    for n_systems, n_comparisons, level, error in RIEZLER_MAXWELL_4_4.rows["bleu"]:
        by_formula = if_independent(level, n_comparisons)
        published.append(
            f"{n_comparisons} comparisons of {n_systems} systems at {level:g} give {error:g} "
            f"(the formula: {by_formula:.4f})"
        )
    st.caption(
        f"{RIEZLER_MAXWELL_4_4.source}: {'; '.join(published)}. The five are comparisons with the "
        "first system. Section 4.3 defines type-I errors backwards, and its '.15' is .015."
    )
    experiment.show_numbers(result.rows, key="papers.families")


def _show_note(view: View) -> None:
    """Write what is wrong in the reading note on BLEU."""
    example = note_example(tokenizer=view.testset.tokenizer)
    screen.show_table(tables.note_table(example))
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
