"""A shared task in every form that it is written in: text, JSON, CSV, LaTeX, HTML, and what its numbers rest on."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.readers.limits import bounded, open_file
from mtsig_core.report.agreement import task_agreement_record, task_agreement_records, task_agreement_text
from mtsig_core.report.export import records_csv
from mtsig_core.report.result_json import metric_records
from mtsig_core.report.review import MEASURED_SAID, measured_parts, recorded_note_rows, review_record
from mtsig_core.report.tables import CLUSTERS_SAID, single_runs, task_run_rows, with_run_records
from mtsig_core.report.task_html import task_html
from mtsig_core.report.task_latex import task_latex
from mtsig_core.report.task_tables import (
    MISSING,
    MISSING_SAID,
    above_ranks,
    across_gaps,
    decision_notes,
    disputes_json,
    disputes_records,
    disputes_text,
    first_rows,
    first_sentences,
    is_ranked,
    marked_said,
    picture_ends,
    picture_rows,
    ranks_record,
    ranks_said,
    rule_said,
    task_left_out,
    task_methods,
    task_verdict,
)
from mtsig_core.report.terminal import caution_lines, table_lines
from mtsig_core.report.text import printable
from mtsig_core.report.words import assumptions, direction, far_firsts_in, in_a_task
from mtsig_core.results import TaskComparison
from mtsig_core.schema import SCHEMA, to_json, to_plain
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import disputed_in
from mtsig_core.store.reviews import Entry
from mtsig_core.testset import literal, with_remedy
from mtsig_core.version import __version__, version_of

#-----------------------------------------------------------------------------------------------------------------------
# A shared task as text, JSON and CSV.


Review = Mapping[str, Any] | None  # as `review_record` gives it of what was found
_OF_AGREEMENT = "agreement", "agreement_comparisons"


def task_json(found: TaskComparison, review: Review = None) -> str:
    """The whole result: stable keys, undefined is null, full precision; of a review what `review_record` gives."""
    first = next(iter(found.pairs.values()), None)
    cautions = {"": found.warnings} | {pair: comparison.warnings for pair, comparison in found.pairs.items()}
    return to_json({
        "schema": SCHEMA, "task": found.task, "settings": None if first is None else first.settings,
        "ranks": ranks_record(found), "disputed": disputes_json(found), "excluded": found.excluded,
        "warnings": [{"pair": pair, **to_plain(caution)} for pair, own in cautions.items() for caution in own],
        "pairs": {pair: {"testset": comparison.testset, "settings": comparison.settings,
                         "metrics": metric_records(comparison.metrics)} for pair, comparison in found.pairs.items()},
        "macro": {name: {"notes": [*across_gaps(found, name), *decision_notes(found, name)], **record}
                  for name, record in metric_records(found.macro).items()},
        **({} if found.agreement is None else {"agreement": task_agreement_record(found.agreement)}),
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


#-----------------------------------------------------------------------------------------------------------------------
# What the numbers of a shared task rest on, and the command that makes them again.


_PACKAGES = ("numpy", "scipy", "sacrebleu", "numba")  # that numbers go through


def task_manifest(found: TaskComparison, source: TaskSource, command: str,
                  review: Mapping[str, Any] | None = None) -> str:
    """Files, test sets, versions, signatures, exclusions and commands of a shared task, as JSON.

    Parameters
    ----------
    found : TaskComparison
    source : TaskSource
        Where it came from; its files are digested as they are now.
    command : str
        The command line that prints its numbers.
    review : mapping, optional
        As `review_record` gives it; it is part of the results.

    Returns
    -------
    str
        Digests of files and results are SHA-256. ``results`` has, by format, the command and the digest of the bytes
        that it prints. There is no date in it: the same work gives the same manifest.
    """
    metrics = dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics)
    digests = {"json": task_json(found, review), "csv": task_csv(found, review)}
    results = {form: {"command": f"{command} --format {form}",
                      "sha256": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()}
               for form, text in digests.items()}
    return to_json({
        "task": {"name": found.task.name, "digest": found.task.digest, "systems": found.task.systems},
        "command": results["json"]["command"],
        "results": results,
        "versions": {"mtsig": __version__, "python": platform.python_version(),
                     **{name: version_of(name) for name in _PACKAGES},
                     "platform": f"{platform.system()} {platform.machine()}"},
        "source": source.as_told(),
        "files": _files(source),
        "testsets": {pair: {"name": comparison.testset.name, "digest": comparison.testset.digest,
                            "segments": comparison.testset.n_segments, "simulated": comparison.testset.simulated}
                     for pair, comparison in found.pairs.items()},
        "settings": {pair: comparison.settings for pair, comparison in found.pairs.items()},
        "signatures": {pair: {name: result.signature for name, result in comparison.metrics.items()}
                       for pair, comparison in found.pairs.items()},
        "assumed": found.task.assumed,
        "excluded": found.excluded,
        "may_be_first": {name: _may_be_first(found, name) for name in metrics},
        "methods": {name: task_methods(found, name) for name in metrics},
        **({} if review is None else {"review": review})})


def _files(source: TaskSource) -> dict[str, str]:
    """The SHA-256 of each file, by its path below the folder of the task; none of the simulated one."""
    digests = {}
    for path in source.files():
        assert source.folder is not None, "the simulated task has no files"
        with bounded(below=source.below), open_file(path) as file:
            name = literal(path.relative_to(source.folder).as_posix())
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _may_be_first(found: TaskComparison, metric: str) -> dict[str, Any]:
    """Who may be the first in each language pair, and across them."""
    macro = found.macro.get(metric)
    across = {} if macro is None else {"across": [row.system for row in macro.systems if row.rank_low == 1]}
    return {"pairs": {pair: [row.system for row in comparison.metrics[metric].systems if row.rank_low == 1]
                      for pair, comparison in found.pairs.items() if metric in comparison.metrics}, **across}


#-----------------------------------------------------------------------------------------------------------------------
# What is made of a shared task to be published, by the name of its format.


#: All formats, those of `TASK_FORMS` first.
TASK_DOCUMENTS = (*TASK_FORMS, "latex", "html", "manifest")


def task_document(form: str, found: TaskComparison, source: TaskSource, command: str,
                  history: Sequence[Entry] = ()) -> str:
    """A comparison of a task in one of the formats `TASK_DOCUMENTS`; `command` prints its numbers.

    `history` is that of a review, whose decisions and notes are then there too.
    """
    review = review_record(history, found) if history else None
    if form in TASK_FORMS:
        return TASK_FORMS[form](found, review)
    if form == "manifest":
        return task_manifest(found, source, command, review)
    return {"latex": task_latex, "html": task_html}[form](found, command, review)
