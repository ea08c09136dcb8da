"""A shared task as text, JSON and CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mtsig_core.data.score_directions import with_remedy
from mtsig_core.errors import counted
from mtsig_core.inference.across_metrics import disputed_in
from mtsig_core.metrics import metric_title
from mtsig_core.report.cautions import in_a_task
from mtsig_core.report.caveats import assumptions, direction
from mtsig_core.report.export import metrics_record, records_csv, to_json
from mtsig_core.report.far_firsts import far_firsts_in
from mtsig_core.report.review_report import MEASURED_SAID, measured_parts, recorded_note_rows
from mtsig_core.report.runs_tables import macro_system_records, single_runs, task_run_rows, with_run_records
from mtsig_core.report.tables import CLUSTERS_SAID
from mtsig_core.report.task_across import across_gaps, decision_notes
from mtsig_core.report.task_agreement_report import task_agreement_json, task_agreement_records, task_agreement_text
from mtsig_core.report.task_disputes import disputes_json, disputes_records, disputes_text
from mtsig_core.report.task_ranks import (
    first_rows,
    first_sentences,
    is_ranked,
    marked_said,
    ranks_record,
    ranks_said,
    rule_said,
)
from mtsig_core.report.task_tables import (
    MISSING,
    MISSING_SAID,
    above_ranks,
    picture_ends,
    picture_rows,
    task_left_out,
    task_verdict,
)
from mtsig_core.report.terminal import caution_lines, printable, table_lines
from mtsig_core.results.task import TaskComparison

__all__ = ["TASK_FORMS", "task_csv", "task_json", "task_text"]

Review = Mapping[str, Any] | None  # as `review_record` gives it of what was found
_OF_AGREEMENT = "agreement", "agreement_comparisons"


def task_json(found: TaskComparison, review: Review = None) -> str:
    """The whole result: stable keys, undefined is null, full precision; of a review what `review_record` gives."""
    first = next(iter(found.pairs.values()), None)
    warnings = [{"pair": pair, **asdict(caution)} for pair, told in [("", found.warnings), *(
        (pair, comparison.warnings) for pair, comparison in found.pairs.items())] for caution in told]
    return to_json({
        "task": {"name": found.task.name, "digest": found.task.digest, "pairs": list(found.task.pairs),
                 "systems": {name: asdict(info) for name, info in found.task.systems.items()},
                 "assumed": list(found.task.assumed), "with_texts": list(found.task.with_texts),
                 "scores": {pair: list(names) for pair, names in found.task.scores.items()},
                 "primary": found.task.primary},
        "settings": None if first is None else asdict(first.settings),
        "ranks": ranks_record(found), "disputed": disputes_json(found),
        "excluded": [asdict(exclusion) for exclusion in found.excluded],
        "warnings": warnings,
        "pairs": {pair: {"testset": asdict(comparison.testset), "settings": asdict(comparison.settings),
                         "metrics": metrics_record(comparison)} for pair, comparison in found.pairs.items()},
        "macro": {name: {"language_pairs": list(macro.language_pairs), "higher_is_better": macro.higher_is_better,
                         "ci": macro.ci,
                         "notes": [*across_gaps(found, name), *decision_notes(found, name)],
                         "systems": macro_system_records(macro),
                         "pairs": [asdict(row) for row in macro.pairs]} for name, macro in found.macro.items()},
        **({} if found.agreement is None else {"agreement": json.loads(task_agreement_json(found.agreement))}),
        **({} if review is None else {"review": review})})


def task_csv(found: TaskComparison, review: Review = None) -> str:
    """One table of all language pairs and metrics: rows of systems and of pairs of systems, in each language pair and
    across them, told apart by the columns ``table`` and ``language_pair`` (empty: across); of what was left out and
    assumed (its sentence is the ``reason``); of the pairs of systems that metrics dispute; and, held against scores by
    people, of metrics and of pairs of metrics."""
    rows: list[dict[str, object]] = []

    def called(name: str) -> dict[str, object]:
        info = found.task.systems.get(name)
        said = {} if info is None else {"display_name": info.display_name, "role": info.role, "kind": info.kind}
        return {key: value for key, value in said.items() if value not in (None, "primary", "submission")}

    for pair, comparison in found.pairs.items():
        for metric, result in comparison.metrics.items():
            own = {"language_pair": pair, "metric": metric, "signature": result.signature}
            rows += [{"table": "systems", **own, **row, **called(row["system"])} for row in
                     with_run_records(result.systems, result.runs)]
            rows += [{"table": "pairs", **own, **row} for row in with_run_records(result.pairs, result.pair_runs)]
            rows += [{"table": "runs", **own, **row} for row in single_runs(result)]
    for metric, macro in found.macro.items():
        own = {"language_pair": "", "metric": metric}
        rows += [{"table": "systems", **own, **row, **called(row["system"])}
                 for row in with_run_records(macro.systems, macro.runs)]
        rows += [{"table": "pairs", **own, **asdict(row)} for row in macro.pairs]
        rows += [{"table": "runs", **own, **row} for row in single_runs(macro)]
    rows += [{"table": "excluded", "language_pair": one.pair or "", "system": one.system, "reason": one.reason}
             for one in found.excluded]
    metrics = dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics)
    rows += [{"table": "assumed", "reason": text} for text in assumptions(found.task.assumed, metrics)]
    if review is not None:
        rows += [{"table": "decisions", "language_pair": one["pair"], "system": name, "reason": one["why"]}
                 for one in review["decisions"] for name in one["first"]]
        rows += [{"table": "notes", "language_pair": one["pair"], "metric": one["metric"], "a": one["a"], "b": one["b"],
                  "reason": one["text"], **{key: value for key, value in measured.items() if key != "left_out"}}
                 for one, measured in zip(review["notes"], review["measured"], strict=True)]
        rows += [{"table": "decision_warnings", "reason": text} for text in review["decision_warnings"]]
    rows += [{"table": "disputed", **record} for record in disputes_records(disputed_in(found))]
    rows += [] if found.agreement is None else task_agreement_records(found.agreement, _OF_AGREEMENT)
    info = {"task": found.task.name, "digest": found.task.digest}
    return records_csv([{**row, **info} for row in rows])


def task_text(found: TaskComparison, review: Review = None) -> str:
    """By each metric the systems with their rank interval in each language pair, and across them."""
    metrics = list(dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics))
    told = {name: direction(result.higher_is_better, differences=False) for comparison in found.pairs.values()
            for name, result in comparison.metrics.items()}
    first = next(iter(found.pairs.values())).settings
    lines = [f"{printable(found.task.name)}: {counted(len(found.task.pairs), 'language pair')}, "
             f"{counted(len(found.task.systems), 'system')}; test {first.test}, {first.correction}, "
             f"alpha {first.alpha:g}, seed {first.seed}"]
    lines += map(printable, map(with_remedy, assumptions(found.task.assumed, metrics)))
    lines += [f"Left out: {printable(task_left_out(found))}"] if found.excluded else []
    said = [ranks_said(found) * is_ranked(found), marked_said(found, "*"), f"{MISSING} {MISSING_SAID}"]
    lines += [printable("; ".join(filter(None, said))) + "."]
    for metric in metrics:
        header, rows, marks = picture_rows(found, metric)
        rows = [[cell + "*" * ((k, column) in marks) for column, cell in enumerate(row)] for k, row in enumerate(rows)]
        firsts = first_rows(found, metric)
        who = first_sentences(firsts) if len(firsts[1]) > 1 or len(firsts[0]) > 2 else {}  # else the verdict has it
        lines += ["", f"{printable(metric_title(metric))} ({told[metric]})", f"{task_verdict(found, metric)}.",
                  *map(printable, who.values()), *map(printable, above_ranks(found, metric)),
                  *filter(None, [rule_said(found, metric)]), *map(printable, far_firsts_in(found, metric)),
                  *table_lines(header, rows, "<" + ">" * (len(header) - 1), ends := picture_ends(found, metric)),
                  *[CLUSTERS_SAID] * bool(ends)]
        header, rows = task_run_rows(found, metric)
        lines += ["", *table_lines(header, rows, "<<>>><")] if rows else []
    lines += disputes_text(disputed_in(found))
    lines += [] if found.agreement is None else ["", *task_agreement_text(found.agreement).rstrip().split("\n")]
    lines += _warnings(found)
    if review is not None:
        lines += [f"Decided: {printable(one['pair'])}: {printable(', '.join(one['first']))}"
                  + (f": {printable(one['why'])}" if one["why"] else "") for one in review["decisions"]]
        lines += [f"Warning: {printable(text)}" for text in review["decision_warnings"]]
        header, noted = recorded_note_rows(review, found)
        for row in noted:
            pair, metric, a, b, text = row[:5]
            measured = "; ".join(" ".join(filter(None, part)) for part in measured_parts(header, row))
            lines.append(printable(f"Noted: {pair}, {metric}, {a} and {b}: {text} (measured: {measured})"))
        lines += [MEASURED_SAID] if noted else []
    return "\n".join(lines).rstrip() + "\n"


def _warnings(found: TaskComparison) -> list[str]:
    """Those about the task, those about the design, once for all language pairs that have the same, then those of each.
    """
    warnings = {pair: in_a_task(comparison.warnings) for pair, comparison in found.pairs.items()}
    designs = [[caution for caution in told if caution.metric is None and caution.a is None]
               for told in warnings.values()]
    shared = [caution for caution in designs[0] if len(designs) > 1 and all(caution in one for one in designs)]
    lines = caution_lines([*found.warnings, *shared])
    for pair, comparison in found.pairs.items():
        rest = [caution for caution in warnings[pair] if caution not in shared]
        lines += caution_lines(rest, len(comparison.metrics) > 1, f"{printable(pair)}: ")
    return lines


TASK_FORMS = {"text": task_text, "json": task_json, "csv": task_csv}
