"""Sections of several pages: exclusions, further metrics, corrections, files, bootstrap scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import starmap
from math import isnan

import numpy as np
import streamlit as st

from mtsig_core import Caution, Comparison, Exclusion, MetricResult, MtsigError, TestSet
from mtsig_core.errors import Remedy, choose_verb
from mtsig_core.figures.matrix_plot import matrix
from mtsig_core.figures.sample_plots import replicate_histogram
from mtsig_core.metrics import list_metrics, metric_title, metric_titles, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.experiment_tables import bracketed
from mtsig_core.report.reports import comparison_report
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    describe_control,
    keeps_its_level,
    list_caution_texts,
    state_decisions,
)
from mtsig_core.report.table import written_like
from mtsig_core.report.tables import (
    across_table,
    pairs_table,
    pick_unlike,
    rank_changes_table,
    relations_table,
    without_relation,
)
from mtsig_core.schema import Records
from mtsig_core.score_names import drop_as_given
from mtsig_core.stats.across import pairs_across
from mtsig_core.stats.cautions import about_one_metric, about_top_groups
from mtsig_core.stats.comparison import ScoreBootstrap, histogram, join_comparisons
from mtsig_core.stats.significance import CORRECTIONS, decide_adjusted
from mtsig_core.testset import name_as_system
from pages._ui import address, charts, controls, result_cache, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

# -------------------------------------------------------------------------------------------------
# Excluded systems, and references that are no systems.

_LONGEST_REASON = 200


def list_excluded(view: View) -> dict[str, str]:
    """Return the excluded systems with the reason for each; empty if the user gave none."""
    reasons = {}
    for name in view.selection.family.systems:
        if name not in view.testset.systems:
            reason = address.asked(f"{views.REASON}{name}") or ""
            reasons[name] = reason[:_LONGEST_REASON]
    return reasons


def show_excluded(view: View) -> dict[str, str]:
    """Draw the excluded systems and the effect on the ranks; return them with their reasons.

    Each has a field for the reason and a button to include it again.
    """
    excluded = list_excluded(view)
    if not excluded:
        return {}
    for name in excluded:
        name_column, reason_column, button_column = st.columns(
            [3, 5, 2], vertical_alignment="center"
        )
        with name_column:
            screen.plain(name)
        excluded[name] = controls.text(
            reason_column,
            "Reason",
            f"{views.REASON}{name}",
            max_chars=_LONGEST_REASON,
            placeholder="Reason, kept in the link",
            label_visibility="collapsed",
        )
        button_column.button(
            "Put back", key=f"summary.back.{name}", on_click=_include_again, args=(name,)
        )
    unexplained = [name for name, reason in excluded.items() if not reason.strip()]
    if unexplained:
        screen.caution_box(
            f"Excluded without a reason: {', '.join(unexplained)}. Give a reason before you publish: the link and "
            "every file contain it."
        )
    show_rank_changes(view)
    return excluded


def _include_again(name):
    excluded = st.session_state[views.LEFT_OUT]
    st.session_state[views.LEFT_OUT] = [system for system in excluded if system != name]


def show_rank_changes(view: View) -> None:
    """Draw what the exclusions change; with a baseline there are no ranks."""
    if view.settings.get("baseline") is not None:
        return
    full = result_cache.comparison(view.selection.family, view.metric, **view.settings)
    before = full.metrics[view.metric]
    screen.show_table(rank_changes_table(before, view.result))
    st.caption(
        f"With fewer systems, p-values are corrected for {len(view.result.tested)} pairs instead of "
        f"{len(before.tested)}. The scores do not change."
    )


def reference_records(view: View, further: Sequence[str]) -> Records:
    """Return rows for the leaderboard, by key: the references, unranked, if there are several.

    References that do not score systems have scores by the metric of the page and by `further`.
    """
    unranked = view.selection.unranked
    if unranked is None and len(view.full_set.references) < 2:
        return []
    keys = {"score": view.metric}
    for metric in further:
        keys[f"score_{metric}"] = metric
    names = set(view.selection.family.systems)
    records: Records = []
    if unranked is not None:
        names |= set(unranked.systems)
        scores = {key: _score_systems(unranked, metric) for key, metric in keys.items()}
        for k, name in enumerate(unranked.systems):
            record = {"rank": "not ranked", "system": name}
            for key, values in scores.items():
                record[key] = values[k]
            records.append(record)
    for reference in view.testset.references:
        name = name_as_system(reference)
        if name not in names:
            records.append({"rank": "scores others", "system": name, **dict.fromkeys(keys)})
    return records


def _score_systems(testset: TestSet, metric: str) -> list[float | None]:
    """Return the scores of all systems; None for a system without one."""
    needs_texts = metric not in testset.scores
    if metric not in list_metrics(testset) or (needs_texts and testset.textless_systems):
        return [None for _ in testset.systems]

    def work(nameless, progress):
        resolved = resolve_metric(nameless, metric)
        sums = cached_statistics(resolved, nameless, progress).sum(axis=1)
        scores = resolved.score(sums).tolist()
        return [None if isnan(score) else score for score in scores]

    return result_cache.shared_result("references", testset, work, "Scoring the references", metric)


# -------------------------------------------------------------------------------------------------
# Further metrics in addition to the page's metric, and the pairs on which they disagree.

_MOST_DISPUTED = 20  # pairs on the page


def pick_further_metrics(view: View, is_drawn: bool = True) -> list[MetricResult]:
    """Let the user choose further metrics; return their results under the view's settings.

    The default is all score tables, and BLEU with them. If no control is drawn, the earlier choice
    counts.
    """
    return pick_metrics(
        view, "Further metrics", _list_further_metrics(view), _list_usual_metrics(view), is_drawn
    )


def has_further_metrics(view: View) -> bool:
    """Return whether further metrics are chosen, here or on another page, without their results."""
    metrics = _list_further_metrics(view)
    usual = _list_usual_metrics(view)
    return bool(controls.several("Further metrics", metrics, "metrics", usual, place=None))


def _list_further_metrics(view: View) -> list[str]:
    return [name for name in list_metrics(view.testset) if name != view.metric]


def _list_usual_metrics(view: View) -> list[str]:
    """Return the further metrics that count before any is chosen."""
    tables = drop_as_given(view.testset.scores)
    with_tables = {*tables, "bleu"} if view.metric in tables else set(tables)
    return [name for name in _list_further_metrics(view) if name in with_tables]


def pick_metrics(
    view: View, label: str, metrics: Sequence[str], usual: Sequence[str], is_drawn: bool = True
) -> list[MetricResult]:
    """Let the user choose metrics; return their results.

    Where the control is drawn, there is a message for each that cannot be computed.
    """
    chosen_metrics = controls.several(
        label,
        metrics,
        "metrics",
        usual,
        place=st if is_drawn else None,
        format_func=metric_titles(metrics).get,
    )
    results = []
    for name in chosen_metrics:
        try:
            comparison = view.compare(name)
        except MtsigError as problem:
            if is_drawn:
                screen.error(f"{metric_title(name)}: {problem}")
        else:
            results.append(comparison.metrics[name])
    return results


def list_all_cautions(view: View, comparison: Comparison) -> list[Caution]:
    """Return all caveats of a comparison by the view's metric and further metrics.

    The caveat on a single metric has a remedy: another metric that the test set has.
    """
    one_metric = about_one_metric(comparison.metrics, *list_metric_remedies(view))
    return [*comparison.warnings, *one_metric]


def list_metric_remedies(view: View) -> list[Remedy]:
    """Return the remedy of a comparison by one metric; none if the test set has no other."""
    metrics = _list_further_metrics(view)
    if not metrics:
        return []
    return [{"also": "chrf" if "chrf" in metrics else metrics[0]}]


def _state_agreement(results: Sequence[MetricResult]) -> None:
    """Draw how often the metrics agree, and what each decides on."""
    names = [name_metric(result.metric) for result in results]
    screen.answer(state_decisions(names, pairs_across(results)))
    screen.cautions(about_top_groups({result.metric: result for result in results}))
    sizes = {}
    for name, result in zip(names, results, strict=True):
        sizes[name] = max((pair.n for pair in result.pairs), default=0)
    if len(set(sizes.values())) > 1:
        by_metric = ", ".join(f"{name} on {n:,}" for name, n in sizes.items())
        screen.plain(
            f"Each metric uses its own segments: {by_metric}. With fewer segments, fewer differences are significant."
        )


def report_decisions(view: View, results: Sequence[MetricResult]) -> None:
    """Draw the same as `show_decisions` for a page that is printed: all pairs, and no controls."""
    _state_agreement(results)
    unlike = pick_unlike(across_table(results, view.comparison.settings))
    if unlike:
        screen.show_table(unlike, all_rows=True)
        st.caption(f"{DISPUTED_PAIRS_NOTE} {DISPUTES_NOTE}")
    show_relations(results, is_printed=True)


def show_decisions(view: View, results: Sequence[MetricResult], page: str) -> None:
    """Draw how often metrics agree, the pairs on which they do not, and all pairs as signs."""
    _state_agreement(results)
    table = across_table(results, view.comparison.settings)
    unlike = pick_unlike(table)
    n_unlike = len(unlike.rows)
    if n_unlike:
        notes = [DISPUTED_PAIRS_NOTE, DISPUTES_NOTE]
        if n_unlike > _MOST_DISPUTED:
            unlike = unlike.pick_rows(range(_MOST_DISPUTED))
            notes.insert(1, f"The first {_MOST_DISPUTED} of {n_unlike} pairs; the file has all.")
        screen.show_table(unlike, f"{page}.unlike")
        st.caption(" ".join(notes))
    metrics = [result.metric for result in results]
    with st.expander("All pairs, files, command", key=f"{page}.pairs.box"):
        show_relations(results, f"{page}.relations")
        missing = without_relation(results)
        if missing:
            screen.plain(f"Not compared by all these metrics: {', '.join(missing)}")
        charts.csv_button(
            view.named(metric="-".join(metrics)),
            f"{page}.pairs",
            rows=table.records(),
            text="All pairs by all metrics as CSV",
        )
        copyable(
            view.command("compare", metrics=metrics, **view.settings),
            f"{page}.pairs.command",
            "Command that prints all pairs by these metrics",
        )


def show_relations(
    results: Sequence[MetricResult], key: str | None = None, is_printed: bool = False
) -> None:
    """Draw each system against each, with a sign for every metric."""
    screen.show_table(relations_table(results), key, all_rows=is_printed)
    names = ", ".join(name_metric(result.metric) for result in results)
    screen.plain(
        f"Row against column by {names}, in this order: > significantly better, "
        "< significantly worse, ~ no significant difference."
    )


# -------------------------------------------------------------------------------------------------
# The matrix of all pairs, as each correction decides it.

_MOST_SYSTEMS = 60  # in the figure: a browser draws each cell, and takes minutes for 260
_STEPS = ("none", "bh", "holm", "romano-wolf", "bonferroni", "by")


def show_matrix(view: View, adjusted: Mapping[str, np.ndarray]) -> tuple[str, str] | None:
    """Draw the matrix of all pairs; return the clicked pair.

    Above it is a control that steps through the corrections, if p is `adjusted` by several.
    """
    if adjusted:
        view = _step_correction(view, adjusted)
    result = view.result
    comparison = view.comparison
    names = result.names
    if len(names) > _MOST_SYSTEMS:
        screen.faint(
            f"The picture has the first {_MOST_SYSTEMS} of {len(names)} systems. Exclude systems to see others; the "
            "files have all."
        )
    table = pairs_table(result, comparison.settings)
    n_significant = result.n_significant
    verb = choose_verb(n_significant, "differs", "differ")
    description = (
        f"All pairs of {len(names)} systems, best first: {n_significant} of {len(result.tested)} "
        f"{verb} significantly; numbers in its menu."
    )
    caution_texts = tuple(list_caution_texts(comparison, result.metric))
    clicked = charts.show(
        partial(matrix, _cut_systems(result), comparison.settings, charts.dark(), caution_texts),
        "pairs.matrix",
        select=True,
        rows=table.records(),
        files=view.named(),
        command=view.command(),
        table=table,
        alt=description,
    )
    if not clicked:
        return None
    row, column = sorted(clicked[0][:2])
    return names[row], names[column]


def _cut_systems(result: MetricResult) -> MetricResult:
    """Return as many systems as the figure has room for, and their pairs."""
    systems = result.systems[:_MOST_SYSTEMS]
    if systems == result.systems:
        return result
    names = {system.system for system in systems}
    pairs = tuple(pair for pair in result.pairs if pair.a in names and pair.b in names)
    return replace(result, systems=systems, pairs=pairs)


def _step_correction(view: View, adjusted: Mapping[str, np.ndarray]) -> View:
    """Let the user choose a correction for the matrix; return the view with it."""
    usual = view.comparison.settings.correction

    def write_title(name):
        title = CORRECTIONS[name].title
        return f"{title} (chosen)" if name == usual else title

    correction = controls.steps(
        "Correction",
        [name for name in _STEPS if name in adjusted],
        "decided",
        usual,
        format_func=write_title,
        help="Colour: significant with this correction. Use the arrow keys to step. "
        "Choose the correction that you report under Change, before you look.",
    )
    if correction != usual:
        view = replace(view, settings={**view.settings, "correction": correction})
        _describe_step(view, correction, adjusted)
    return view


def _describe_step(view: View, correction: str, adjusted: Mapping[str, np.ndarray]) -> None:
    """Draw how many pairs are significant under a correction, and what it controls."""
    result = view.result
    alpha = view.comparison.settings.alpha
    tested = [pair for pair in result.tested if pair.p_value is not None]

    def count(name):
        return np.count_nonzero(decide_adjusted(tested, result.sign, adjusted[name], alpha))

    n_significant = count(correction)
    noun = "pair is" if len(tested) == 1 else "pairs are"
    sentence = (
        f"With {CORRECTIONS[correction].title}, {n_significant} of {len(tested)} {noun} significant"
    )
    if correction != "none":
        sentence += f", {count('none') - n_significant} fewer than without correction"
    control = "The test gives too many false alarms here, so no correction can control them."
    if keeps_its_level(view.comparison):
        control = f"It controls {describe_control(view.comparison, correction)}."
    screen.plain(f"{sentence}. {control}")


# -------------------------------------------------------------------------------------------------
# Files.


def show_files(view: View, page: str, comparison: Comparison) -> None:
    """Draw buttons for files with systems and pairs by all metrics."""
    name = view.named(metric="-".join(comparison.metrics))
    with st.container(horizontal=True):
        make_report = partial(comparison_report, comparison)
        charts.download_report(make_report, (*name, "comparison"), f"{page}.comparison")
    subject = "The system"
    if any(result.pairs for result in comparison.metrics.values()):
        subject = "Systems and pairs"
    metrics = ", ".join(name_metric(metric) for metric in comparison.metrics)
    screen.plain(f"{subject} by {metrics}; the report has the figures too, and opens offline.")


def join_metrics(
    view: View, excluded: Mapping[str, str], metrics: Sequence[str] = ()
) -> Comparison:
    """Return the comparison by the view's metric and further ones, with all exclusions."""
    comparisons = [view.comparison]
    comparisons += [view.compare(name) for name in metrics]
    return make_once(_join_comparisons, tuple(excluded.items()), *comparisons)


def _join_comparisons(excluded, *comparisons):
    exclusions = tuple(starmap(Exclusion, excluded))
    return replace(join_comparisons(comparisons), excluded=exclusions)


# -------------------------------------------------------------------------------------------------
# Bootstrap scores.


def show_replicates(
    view: View, system: ScoreBootstrap, key: str, all_drawn: np.ndarray | None = None
) -> None:
    """Draw the histogram of the bootstrap scores of a system, with their percentile interval.

    The axis of the first scores is the axis of those `all_drawn`.
    """
    interval = system.intervals["percentile"]
    form = written_like([system.score])
    edges, counts = histogram(system.drawn, within=all_drawn)
    figure = partial(
        replicate_histogram,
        edges,
        counts,
        system.score,
        system.median,
        interval,
        system.relative("percentile"),
        unit=metric_title(view.metric),
        form=form,
    )
    description = (
        f"Histogram of {len(system.drawn)} bootstrap scores with median {system.median:{form}}"
    )
    if interval is not None:
        description += f"; filled inside the {view.level} interval {bracketed(interval, form)}"
    charts.show(
        figure,
        key=key,
        files=view.named(system.system),
        command=view.command(),
        header=["from", "to", "samples"],
        prints="the scores with their intervals",
        rows=charts.list_bins(edges, counts),
        alt=f"{description}.",
    )
