"""Which metric to trust over a task: rows, a sentence, text, JSON and CSV."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from mtsig_core.data.score_directions import with_remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.agreement_report import (
    agreement_assumed,
    agreement_cautions,
    agreement_json,
    agreement_note,
    agreement_rows,
    agreement_verdict,
    comparison_rows,
)
from mtsig_core.report.cells import Table, number
from mtsig_core.report.export import records_csv, to_json
from mtsig_core.report.terminal import caution_lines, printable, table_lines
from mtsig_core.results.agreement import TaskAgreement

__all__ = ["TASK_AGREEMENT_FORMS", "by_language_pair", "task_agreement_json",
           "task_agreement_note", "task_agreement_records", "task_agreement_text", "task_agreement_verdict"]


def task_agreement_verdict(found: TaskAgreement) -> str:
    """Which metric agrees most in the mean, in a sentence without its full stop."""
    n = len(found.pairs)
    return f"Over {n} language {'pair' if n == 1 else 'pairs'} {agreement_verdict(found)}"


def by_language_pair(found: TaskAgreement) -> Table:
    """Soft pairwise accuracy of each metric, the most agreeing first, in each language pair, and their mean."""
    own = {pair: {one.metric: one.soft_pairwise_accuracy for one in of.metrics} for pair, of in found.pairs.items()}
    return ["metric", "mean", *own], [
        [metric_title(one.metric), number(one.soft_pairwise_accuracy, ".3f"),
         *(number(values[one.metric], ".3f") for values in own.values())] for one in found.metrics]


def task_agreement_note(found: TaskAgreement) -> str:
    """How to read the numbers, and what they are not of."""
    without = f" Without {printable(found.human)} of two systems, and left out: " \
              f"{', '.join(map(printable, found.without))}." if found.without else ""
    return (f"{agreement_note(found)} Language pairs count the same; samples are drawn within each of them and then "
            f"averaged.{without}")


def task_agreement_text(found: TaskAgreement) -> str:
    """The means, each language pair, and pairs of metrics."""
    tables = [agreement_rows(found), by_language_pair(found)]
    lines = [f"{printable(found.task.name)}: {', '.join(map(printable, found.pairs))}",
             f"{printable(task_agreement_verdict(found))}.", *caution_lines(agreement_cautions(found))]
    for header, rows in tables:
        lines += ["", *table_lines(header, rows, "<" + ">" * (len(header) - 1))]
    if found.comparisons:
        header, rows = comparison_rows(found)
        lines += ["", *table_lines(header, rows, "<<" + ">" * (len(header) - 2))]
    return "\n".join([*lines, "", task_agreement_note(found),
                      *map(printable, map(with_remedy, agreement_assumed(found)))]) + "\n"


def task_agreement_json(found: TaskAgreement) -> str:
    """The means under the keys of one test set, and by language pair all of it."""
    metrics = {one.metric: {key: value for key, value in asdict(one).items() if key != "metric"}
               for one in found.metrics}
    return to_json({
        "human": found.human, "task": {"name": found.task.name, "digest": found.task.digest,
                                       "pairs": list(found.task.pairs), "assumed": list(found.task.assumed)},
        "settings": _settings(found), "metrics": metrics, "comparisons": [asdict(row) for row in found.comparisons],
        "pairs": {pair: json.loads(agreement_json(of)) for pair, of in found.pairs.items()},
        "without": list(found.without), "warnings": [asdict(caution) for caution in agreement_cautions(found)]})


def task_agreement_csv(found: TaskAgreement) -> str:
    """Rows of metrics and of pairs of metrics in each language pair and in the mean (language pair empty)."""
    return records_csv(task_agreement_records(found))


def task_agreement_records(found: TaskAgreement, tables: tuple[str, str] = ("metrics", "comparisons")
                           ) -> list[dict[str, Any]]:
    """The rows of `task_agreement_csv`: those of metrics and of pairs of metrics are called as `tables` says."""
    parts: list[tuple[str, Any]] = [("", found), *found.pairs.items()]
    info = {"human": found.human, "task": found.task.name, "digest": found.task.digest, **_settings(found)}
    return [{"table": table, "language_pair": pair, **asdict(row), **info, "seed": of.sampling.seed}
            for pair, of in parts for table, rows in zip(tables, (of.metrics, of.comparisons), strict=True)
            for row in rows]


def _settings(found: TaskAgreement) -> dict[str, Any]:
    return {**asdict(found.sampling), "trials": next(iter(found.pairs.values())).trials,
            "correction": found.correction, "compared": "mean soft_pairwise_accuracy",
            "compared_by": "perm-both"}


TASK_AGREEMENT_FORMS = {"text": task_agreement_text, "json": task_agreement_json, "csv": task_agreement_csv}
