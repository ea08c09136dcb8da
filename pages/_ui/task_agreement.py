"""On the page Task, where people have scored: which metric decides as they do, over the language pairs."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.figures.comparison_plots import agreement_dots
from mtsig_core.report.agreement import (
    agreement_by_pair_table,
    agreement_cautions,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
)
from mtsig_core.report.commands import command_line
from mtsig_core.report.kept_results import AS_COMPARED, kept_agreement
from mtsig_core.results import TaskAgreement
from mtsig_core.source import Source
from mtsig_core.testset import human_scores
from pages._ui import background, charts, controls, limits, screen
from pages._ui.metrics_views import table

__all__ = ["show_agreement"]


def show_agreement(view) -> TaskAgreement | None:
    """Below a toggle, which stands in the address: metrics against people in each language pair and in the mean, which
    is given back for the files."""
    info = view.kept.info
    people = human_scores(dict.fromkeys(name for names in info.scores.values() for name in names))
    if not people:
        return None
    st.subheader("Which metric to trust?")
    if not controls.toggle("Hold the metrics against the scores of people, in all language pairs", False, "trust",
                           pages_own=True):
        return None
    human = controls.choice("Scores by people", people, "human", width=320)
    kept, asked = view.kept, {name: view.settings[name] for name in AS_COMPARED if name in view.settings}
    key = ("task agreement", view.kept.digest, human, *sorted(asked.items()))
    drawn = [pair for pair in info.pairs_with(human)  # BLEU, chrF and TER beside the scores it has
             for _ in range(len(info.scores[pair]) + 3 * (pair in info.with_texts))]
    try:
        limits.check_task(kept.sizes, drawn, task_agreement, asked)
        found = background.result(key, lambda progress: kept_agreement(
            kept, human, jobs=-1, progress=progress, **asked), "Comparing metrics with people")
    except MtsigError as problem:
        screen.error(problem)
        return None
    screen.answer(agreement_verdict(found))
    screen.cautions(agreement_cautions(found))
    charts.show(partial(agreement_dots, found), key="task.agreement", files=(info.name, human),
                command=_command(view, human, asked),
                **table(found.metrics),
                alt="Soft pairwise accuracy and pairwise accuracy of each metric with intervals, means over the "
                    "language pairs; numbers below.")
    screen.show_table(agreement_table(found), "task.agreement.rows")
    screen.show_table(agreement_by_pair_table(found), "task.agreement.pairs")
    st.caption("Soft pairwise accuracy by language pair.")
    if found.comparisons:
        screen.show_table(compared_metrics_table(found), "task.agreement.comparisons")
        rows = [asdict(row) for row in found.comparisons]
        charts.csv_button((info.name, human), "task.comparisons", list(rows[0]), (list(row.values()) for row in rows),
                          "Pairs of metrics as CSV")
    screen.plain(agreement_note(found))
    return found


def _command(view, human: str, asked: dict) -> str:
    """The command line that prints these numbers."""
    source = view.kept.source
    only = source.only or (tuple(view.kept.info.systems) if source.track is not None else ())
    told = Source(folder=source.folder, demo_task=source.folder is None, keep_canary=source.keep_canary, only=only,
                  exclude=tuple(one.system for one in source.exclude), lower_is_better=source.lower_is_better,
                  higher_is_better=source.higher_is_better, below=source.below, named_from=source.named_from,
                  refs=source.refs, refs_as_systems=source.refs_as_systems)
    flags = ["--all-pairs"] * (source.folder is None) + [f"--pairs={','.join(source.pairs)}"] * bool(source.pairs)
    flags += [f"--scores={pair}:{name}={source.shown(path)}" for pair, name, path in source.scores]
    return command_line("agreement", told, *flags, human=human, **asked)
