"""Sections of several pages: excluded systems, other metrics, corrections, files, bootstrap
scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import starmap
from math import isnan
from typing import Any

import numpy as np
import streamlit as st

from mtsig_core import Caution, Comparison, Exclusion, MetricResult, MtsigError
from mtsig_core.errors import Remedy, choose_verb
from mtsig_core.figures.matrix_plot import matrix
from mtsig_core.figures.sample_plots import replicate_histogram
from mtsig_core.metrics import list_metrics, metric_title, metric_titles, resolve_metric
from mtsig_core.report import export
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.experiment_tables import bracketed
from mtsig_core.report.reports import comparison_html, comparison_latex
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    describe_control,
    keeps_its_level,
    list_caveats,
    paper_sentences,
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
from mtsig_core.stats.across import pairs_across
from mtsig_core.stats.cautions import about_one_metric, about_top_groups
from mtsig_core.stats.comparison import ScoreBootstrap, histogram, join_comparisons
from mtsig_core.stats.significance import CORRECTIONS, decide_adjusted
from mtsig_core.testset import name_as_system
from pages._ui import address, caveats, charts, controls, result_cache, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

_LONGEST_REASON = 200


def list_excluded(view: View) -> dict[str, str]:
    """Return the excluded systems with the reason for each; empty if the user gave none."""
    return {
        name: (address.asked(f"{views.REASON}{name}") or "")[:_LONGEST_REASON]
        for name in view.part.family.systems
        if name not in view.testset.systems
    }


def show_excluded(view: View) -> dict[str, str]:
    """Draw the excluded systems, each with a field for the reason and a button to include it again,
    and the effect on the ranks; return systems and reasons.
    """
    excluded = list_excluded(view)
    if not excluded:
        return {}
    for name in excluded:
        shown, reason, undo = st.columns([3, 5, 2], vertical_alignment="center")
        with shown:
            screen.plain(name)
        excluded[name] = controls.text(
            reason,
            "Reason",
            f"{views.REASON}{name}",
            max_chars=_LONGEST_REASON,
            placeholder="Reason, kept in the link",
            label_visibility="collapsed",
        )
        undo.button("Put back", key=f"summary.back.{name}", on_click=_put_back, args=(name,))
    if unexplained := [name for name, reason in excluded.items() if not reason.strip()]:
        screen.caution_box(
            f"Excluded without a reason: {', '.join(unexplained)}. Give one before you publish this: "
            "it is in the link and in every file."
        )
    show_rank_changes(view)
    return excluded


def show_rank_changes(view: View) -> None:
    """Draw what the exclusions change; with a baseline there are no ranks."""
    if view.settings.get("baseline") is None:
        before = result_cache.comparison(view.part.family, view.metric, **view.settings).metrics[
            view.metric
        ]
        screen.show_table(rank_changes_table(before, view.result))
        st.caption(
            f"With fewer systems, p-values are corrected for {len(view.result.tested)} pairs instead of "
            f"{len(before.tested)}. The scores do not change."
        )


def reference_records(view: View, further: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows for the leaderboard, by key: the references, unranked, if there are several, with
    their scores by `further` metrics.
    """
    unranked = view.part.unranked
    if len(view.whole.references) < 2 and unranked is None:
        return []
    records: list[dict[str, Any]] = []
    keys = ["score", *(f"score_{metric}" for metric in further)]
    if unranked is not None:
        scores = [_scores(unranked, metric) for metric in (view.metric, *further)]
        records = [
            {"rank": "not ranked", "system": name, **dict(zip(keys, each, strict=True))}
            for name, *each in zip(unranked.systems, *scores, strict=True)
        ]
    shown = {*view.part.family.systems, *(unranked.systems if unranked is not None else ())}
    return records + [
        {"rank": "scores others", "system": name, **dict.fromkeys(keys)}
        for name in map(name_as_system, view.testset.references)
        if name not in shown
    ]


def _scores(testset, metric):
    """Return the scores of all systems; None for a system without one."""

    def work(nameless, progress):
        sums = result_cache.statistics(nameless, metric, progress).sum(axis=1)
        return [
            None if isnan(score) else score
            for score in resolve_metric(nameless, metric).score(sums).tolist()
        ]

    # without texts
    if (
        metric not in list_metrics(testset)
        or metric not in testset.scores
        and testset.textless_systems
    ):
        return [None] * len(testset.systems)
    return result_cache.shared_result("references", testset, work, "Scoring the references", metric)


def _put_back(name):
    others = [other for other in st.session_state[views.LEFT_OUT] if other != name]
    st.session_state[views.LEFT_OUT] = others


# Further metrics beside the one of the page, and the pairs on which they do not agree.

_SHOWN = 20  # pairs in sight


def pick_further_metrics(view: View, drawn: bool = True) -> list[MetricResult]:
    """Let further metrics be chosen, by default the score tables, and BLEU with them; return their
    results under the view's settings. Without a control that is `drawn`, the choice counts that was
    made before.
    """
    others, usual = _list_further_metrics(view)
    return pick_metrics(view, "Further metrics", others, usual, drawn)


def has_further_metrics(view: View) -> bool:
    """Return whether further metrics are chosen, here or on another page; they are not computed for
    it.
    """
    others, usual = _list_further_metrics(view)
    return bool(controls.several("Further metrics", others, "metrics", usual, place=None))


def _list_further_metrics(view: View) -> tuple[list[str], list[str]]:
    """Return the metrics beside the view's, and those of them that count where none is chosen."""
    given = view.testset.scores
    others = [name for name in list_metrics(view.testset) if name != view.metric]
    usual = [name for name in others if name in given or (name == "bleu" and view.metric in given)]
    return others, usual


def pick_metrics(
    view: View, label: str, others: Sequence[str], usual: Sequence[str], drawn: bool = True
) -> list[MetricResult]:
    """Let some of the other metrics be chosen; return their results, with a message for each that
    cannot be computed, where the control is `drawn`.
    """
    found = []
    for name in controls.several(
        label,
        others,
        "metrics",
        usual,
        place=st if drawn else None,
        format_func=metric_titles(others).get,
    ):
        try:
            found.append(view.compare(name).metrics[name])
        except MtsigError as problem:
            if drawn:
                screen.error(f"{metric_title(name)}: {problem}")
    return found


def list_all_caveats(view: View, comparison: Comparison) -> list[Caution]:
    """Return all caveats of a comparison by the view's metric and further ones.

    That it is by one metric only has a remedy: another metric that the test set has.
    """
    return [*comparison.warnings, *about_one_metric(comparison.metrics, *list_other_metrics(view))]


def list_other_metrics(view: View) -> list[Remedy]:
    """Return the remedy of a comparison by one metric; none if the test set has no other."""
    others = [name for name in list_metrics(view.testset) if name != view.metric]
    if not others:
        return []
    return [{"also": "chrf" if "chrf" in others else others[0]}]


def show_all_caveats(cautions: Sequence[Caution], several: bool = False) -> None:
    """Draw the tab of all caveats."""
    caveats.show(cautions, "all", several=several)
    if not cautions:
        st.write("No caveats.")


def _state_agreement(results: Sequence[MetricResult]) -> None:
    """Draw how often the metrics agree, and what each decides on."""
    metrics, names = (
        [result.metric for result in results],
        [name_metric(result.metric) for result in results],
    )
    screen.answer(state_decisions(names, pairs_across(results)))
    screen.cautions(about_top_groups(dict(zip(metrics, results, strict=True))))
    sizes = {
        name: max((pair.n for pair in result.pairs), default=0)
        for name, result in zip(names, results, strict=True)
    }
    if len(set(sizes.values())) > 1:
        screen.plain(
            "Each metric decides on the segments that it has: "
            + ", ".join(f"{name} on {n:,}" for name, n in sizes.items())
            + ". Fewer segments show fewer differences."
        )


def report_decisions(view: View, results: Sequence[MetricResult]) -> None:
    """Draw the same as `show_decisions` for a page that is printed: all pairs, and no controls."""
    _state_agreement(results)
    unlike = pick_unlike(across_table(results, view.comparison.settings))
    if unlike:
        screen.show_table(unlike, whole=True)
        st.caption(f"{DISPUTED_PAIRS_NOTE} {DISPUTES_NOTE}")
    show_relations(results, whole=True)


def show_decisions(view: View, results: Sequence[MetricResult], page: str) -> None:
    """Draw how often the metrics agree, the pairs on which they do not, and all of them as
    signs.
    """
    metrics = [result.metric for result in results]
    _state_agreement(results)
    table = across_table(results, view.comparison.settings)
    if unlike := pick_unlike(table):
        n = len(unlike.rows)
        screen.show_table(unlike.pick_rows(range(min(n, _SHOWN))), f"{page}.unlike")
        more = f" The first {_SHOWN} of {n} pairs; the file has all." if n > _SHOWN else ""
        st.caption(f"{DISPUTED_PAIRS_NOTE}{more} {DISPUTES_NOTE}")
    with st.expander("All pairs, files, command", key=f"{page}.pairs.box"):
        show_relations(results, f"{page}.relations")
        if missing := without_relation(results):
            screen.plain(f"Not compared by all of these: {', '.join(missing)}")
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
    results: Sequence[MetricResult], key: str | None = None, whole: bool = False
) -> None:
    """Draw each system against each, with a sign for every metric."""
    screen.show_table(relations_table(results), key, whole=whole)
    screen.plain(
        f"Row against column by {', '.join(name_metric(result.metric) for result in results)}, in this "
        "order: > significantly better, < significantly worse, ~ no significant difference."
    )


# The matrix of all pairs, as each correction decides it.

_MOST = 60  # systems in the picture: a browser draws each cell, and takes minutes for 260
_STEPS = ("none", "bh", "holm", "romano-wolf", "bonferroni", "by")


def show_matrix(view: View, adjusted: Mapping[str, np.ndarray]) -> tuple[str, str] | None:
    """Draw the matrix below a control that steps through the corrections; return the clicked
    pair.
    """
    result, settings = view.result, view.comparison.settings
    if adjusted:
        chosen = settings.correction
        step = _step(adjusted, chosen)
        if step != settings.correction:
            view = replace(view, settings={**view.settings, "correction": step})
            result, settings = view.result, view.comparison.settings
        tested = [pair for pair in result.tested if pair.p_value is not None]
        if step != chosen:
            _say(
                view,
                step,
                {
                    name: decide_adjusted(tested, result.sign, p, settings.alpha)
                    for name, p in adjusted.items()
                },
            )
    table = pairs_table(result, settings)
    names, n = (
        [system.system for system in result.systems],
        sum(pair.significant for pair in result.pairs),
    )
    if len(names) > _MOST:
        screen.faint(
            f"The picture has the first {_MOST} of {len(names)} systems. Exclude systems to see others; the "
            "files have all."
        )
    clicked = charts.show(
        partial(
            matrix,
            _first(result),
            settings,
            charts.dark(),
            tuple(list_caveats(view.comparison, result.metric)),
        ),
        "pairs.matrix",
        select=True,
        rows=table.records(),
        files=view.named(),
        command=view.command(),
        table=table,
        alt=f"All pairs of {len(names)} systems, best first: {n} of {len(result.tested)} "
        f"{choose_verb(n, 'differs', 'differ')} significantly; the table below has the same numbers.",
    )
    if not clicked:
        return None
    row, column = clicked[0][:2]
    return names[min(row, column)], names[max(row, column)]


def _first(result: MetricResult) -> MetricResult:
    """Return as many systems as the picture has room for, and their pairs."""
    if len(result.systems) <= _MOST:
        return result
    kept = {system.system for system in result.systems[:_MOST]}
    return replace(
        result,
        systems=result.systems[:_MOST],
        pairs=tuple(pair for pair in result.pairs if pair.a in kept and pair.b in kept),
    )


def _step(adjusted: Mapping[str, np.ndarray], chosen: str) -> str:
    return controls.steps(
        "Correction",
        [name for name in _STEPS if name in adjusted],
        "decided",
        chosen,
        format_func=lambda name: CORRECTIONS[name].title + (" (chosen)" if name == chosen else ""),
        help="Pairs that are not significant under a correction lose their colour. Use the arrow keys to step. "
        "Choose the correction that you report in the sidebar, before you look.",
    )


def _say(view: View, step: str, decisions: Mapping[str, np.ndarray]) -> None:
    """How many pairs are significant, how many fewer than without a correction, and what the
    correction controls.
    """
    significant, n = np.count_nonzero(decisions[step]), len(decisions[step])
    fewer = np.count_nonzero(decisions["none"]) - significant
    compared = "" if step == "none" else f", {fewer} fewer than without correction"
    kept = (
        f"It controls {describe_control(view.comparison, step)}."
        if keeps_its_level(view.comparison)
        else "The test gives too many false alarms here, so no correction can control them."
    )
    screen.plain(
        f"With {CORRECTIONS[step].title}, {significant} of {n} {'pair is' if n == 1 else 'pairs are'} "
        f"significant{compared}. {kept}"
    )


# Files, and sentences for a paper.

_FILES = (
    ("CSV", "comparison", "csv", export.comparison_csv),
    ("JSON", "comparison", "json", export.comparison_json),
    ("LaTeX", "comparison", "tex", comparison_latex),
    ("HTML report", "comparison", "html", comparison_html),
)


def show_files(view: View, page: str, comparison: Comparison) -> None:
    """Draw buttons for files with systems and pairs by all metrics; a single system has no pairs."""
    called = view.named(metric="-".join(comparison.metrics))
    paired = any(result.pairs for result in comparison.metrics.values())
    with st.container(horizontal=True):
        for title, what, ending, write in _FILES:
            charts.download(
                title,
                partial(write, comparison),
                (*called, what),
                ending,
                f"{page}.{what}-{ending}",
            )
    screen.plain(
        f"{'Systems and pairs' if paired else 'The system'} by "
        f"{', '.join(map(name_metric, comparison.metrics))}; the report has the figures too, and opens "
        "offline."
    )


def join_metrics(
    view: View, excluded: Mapping[str, str], metrics: Sequence[str] = ()
) -> Comparison:
    """Return the view's comparison by its metric and further ones, with the reasons of
    exclusions.
    """
    return make_once(
        _joined, tuple(excluded.items()), view.comparison, *(view.compare(name) for name in metrics)
    )


def write_sentences(comparison: Comparison) -> str:
    """Write a paragraph for a paper by each metric."""
    return make_once(_sentences, comparison)


def _joined(excluded, *parts):
    return replace(join_comparisons(parts), excluded=tuple(starmap(Exclusion, excluded)))


def _sentences(comparison):
    return "\n\n".join(paper_sentences(comparison, name) for name in comparison.metrics)


def show_replicates(view: View, one: ScoreBootstrap, kind: str, key: str) -> None:
    """Draw the histogram of the bootstrap scores of a system, with one kind of interval."""
    ends, form, unit = one.intervals[kind], written_like([one.score]), metric_title(view.metric)
    edges, counts = histogram(one.drawn)
    figure = partial(
        replicate_histogram,
        edges,
        counts,
        one.score,
        one.median,
        ends,
        one.relative(kind),
        unit=unit,
        form=form,
    )
    seen = f"Histogram of {len(one.drawn)} bootstrap scores with median {one.median:{form}}"
    if ends is not None:
        seen += f"; filled inside the {view.level} interval {bracketed(ends, form)}"
    charts.show(
        figure,
        key=key,
        files=view.named(one.system),
        command=view.command(),
        header=["from", "to", "samples"],
        prints="the scores with their intervals",
        rows=list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)),
        alt=f"{seen}.",
    )
