"""How far metrics decide as people do over a task, kept on disk as its comparisons are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.experiments.task_agreement import task_agreement
from mtsig_core.metrics.cache import keep_text, kept_text
from mtsig_core.report.commands import defaults
from mtsig_core.report.export import to_json
from mtsig_core.report.json_reading import as_object, at, parsed, record, records
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.results import Caution, SamplingSettings, TestSetInfo
from mtsig_core.results.agreement import Agreement, AgreementComparison, MetricAgreement, TaskAgreement
from mtsig_core.results.task import TaskInfo

__all__ = ["AS_COMPARED", "kept_agreement"]

#: Settings of a task's comparison that metrics are held against people by, too.
AS_COMPARED = "unit", "block_length", "alpha", "resamples", "seed"


def kept_agreement(kept: KeptTask, human: str, metrics: Sequence[str] | None = None, *, jobs: int = 1,
                   progress: Callable[[str, float], None] | None = None, **settings: Any) -> TaskAgreement:
    """As `task_agreement`, by what is kept where it was asked for before.

    Parameters
    ----------
    kept : KeptTask
    human : str
    metrics : sequence of str, optional
    settings
        Of `task_agreement`.
    """
    asked = defaults(task_agreement) | {"metrics": metrics} | settings
    key = kept.digest, "agreement", human, sorted((k, v) for k, v in asked.items() if k not in ("jobs", "progress"))
    info, text = kept.info, kept_text(*key)  # which is kept too
    if text is not None:
        return _read(text, info)
    found = task_agreement(kept.task, human, metrics, jobs=jobs, progress=progress, **settings)
    keep_text(to_json({name: value for name, value in asdict(found).items() if name != "task"}, None), *key)
    return found


def _read(text: str, task: TaskInfo) -> TaskAgreement:
    data = as_object(parsed(text), "The agreement")
    pairs = {pair: Agreement(testset=record(TestSetInfo, at("testset", own, pair), pair), **_both(own),
                             sampling=record(SamplingSettings, at("sampling", own, pair), pair), trials=own["trials"],
                             warnings=records(Caution, own["warnings"], "warnings"))
             for pair, own in data["pairs"].items()}
    return TaskAgreement(task=task, pairs=pairs, without=tuple(data["without"]), alpha=data["alpha"],
                         seed=data["seed"], **_both(data))


def _both(data: dict[str, Any]) -> dict[str, Any]:
    """What a language pair and their mean have in common."""
    return {"human": data["human"], "correction": data["correction"],
            "metrics": records(MetricAgreement, data["metrics"], "metrics"),
            "comparisons": records(AgreementComparison, data["comparisons"], "comparisons")}
