"""A shared task in every form that it is written in: text, JSON, CSV, LaTeX, HTML, and what its numbers rest on."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from typing import Any

from mtsig_core.readers.files import open_file
from mtsig_core.readers.limits import limit_reading
from mtsig_core.report.agreement import agreement_record, agreement_records
from mtsig_core.report.assumption_words import assumed_record, info_record, list_assumptions
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.export import join_ratings, metric_records, records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.reports import task_report
from mtsig_core.report.review import review_record
from mtsig_core.report.sentences import (
    count_hidden,
    describe_methods,
    find_rank_rule,
    list_gaps_across,
    list_task_metrics,
)
from mtsig_core.report.tables import list_disputed_pairs, single_runs, with_run_records
from mtsig_core.report.text import report_text, terminal_width
from mtsig_core.results import MacroResult, MetricResult, TaskComparison
from mtsig_core.schema import SCHEMA, to_json
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import AGREEMENTS, Disputed, find_disputes
from mtsig_core.store.reviews import Entry
from mtsig_core.testset import show_name
from mtsig_core.version import __version__, find_version

History = Sequence[Entry]  # of a review; empty where there is none
_OF_AGREEMENT = "agreement", "agreement_comparisons"


def task_json(found: TaskComparison, history: History = ()) -> str:
    """The whole result: stable keys, undefined is null, full precision; of a review its record."""
    first = next(iter(found.pairs.values()), None)
    cautions = {"": found.warnings} | {pair: comparison.warnings for pair, comparison in found.pairs.items()}
    return to_json({
        "schema": SCHEMA, "task": info_record(found.task), "settings": None if first is None else first.settings,
        "ranks": _ranks_record(found), "disputed": _disputes_record(found), "excluded": found.excluded,
        "warnings": [{"pair": pair, **caution_record(caution)} for pair, own in cautions.items() for caution in own],
        "pairs": {pair: {"testset": info_record(comparison.testset), "settings": comparison.settings,
                         "metrics": join_ratings(metric_records(comparison.metrics), comparison.testset)}
                  for pair, comparison in found.pairs.items()},
        "macro": {name: {"notes": list_gaps_across(found, name),
                         **record} for name, record in metric_records(found.macro).items()},
        **({} if found.agreement is None else {"agreement": agreement_record(found.agreement)}),
        **({} if not history else {"review": review_record(history, found)})})


def task_csv(found: TaskComparison, history: History = ()) -> str:
    """One table of all language pairs and metrics, whose rows the columns ``table`` and ``language_pair`` (empty:
    across) tell apart: systems, pairs of systems, training runs, exclusions, assumptions (the sentence is the
    ``reason``), a review, disputed pairs of systems, and how metrics agree with human scores."""
    rows: list[dict[str, object]] = []

    def called(name: str) -> dict[str, object]:
        info = found.task.systems.get(name)
        said = {} if info is None else {"display_name": info.display_name, "role": info.role, "kind": info.kind}
        return {key: value for key, value in said.items() if value not in (None, "primary", "submission")}

    results: list[tuple[dict[str, object], MetricResult | MacroResult]] = [
        ({"language_pair": pair, "metric": metric, "signature": result.signature}, result)
        for pair, comparison in found.pairs.items() for metric, result in comparison.metrics.items()]
    results += [({"language_pair": "", "metric": metric}, macro) for metric, macro in found.macro.items()]
    for own, result in results:
        rows += [{"table": "systems", **own, **row, **called(row["system"])}
                 for row in with_run_records(result.systems, result.runs)]
        rows += [{"table": "pairs", **own, **row}
                 for row in with_run_records(result.pairs, getattr(result, "pair_runs", ()))]
        rows += [{"table": "runs", **own, **row} for row in single_runs(result)]
    rows += [{"table": "excluded", "language_pair": one.pair or "", "system": one.system, "reason": one.reason}
             for one in found.excluded]
    metrics = list_task_metrics(found)
    rows += [{"table": "assumed", "reason": text} for text in list_assumptions(found.task.assumed, metrics)]
    if history:
        review = review_record(history, found)
        rows += [{"table": "decisions", "language_pair": one["pair"], "system": name, "reason": one["why"]}
                 for one in review["decisions"] for name in one["first"]]
        rows += [{"table": "notes", "language_pair": one["pair"], "metric": one["metric"], "a": one["a"], "b": one["b"],
                  "reason": one["text"], **{key: value for key, value in measured.items() if key != "left_out"}}
                 for one, measured in zip(review["notes"], review["measured"], strict=True)]
        rows += [{"table": "decision_warnings", "reason": text} for text in review["decision_warnings"]]
    rows += [{"table": "disputed", **record} for record in disputed_records(find_disputes(found))]
    rows += [] if found.agreement is None else agreement_records(found.agreement, _OF_AGREEMENT)
    info = {"task": found.task.name, "digest": found.task.digest}
    return records_csv([{**row, **info} for row in rows])


def _ranks_record(found: TaskComparison) -> dict[str, Any]:
    """The rule and what it hides by each metric, for JSON."""
    rule = find_rank_rule(found)
    hidden = {name: count_hidden(found, name) for name in list_task_metrics(found)}
    return {"rule": rule.name, "source": rule.source, "ignores": list(rule.ignores),
            "metrics": {name: own for name, own in hidden.items() if own is not None}}


def _disputes_record(task: TaskComparison) -> list[dict[str, Any]]:
    """For each language pair (None: the mean differences) the counts, and the pairs on which metrics do not agree."""
    return [{"language_pair": one.language_pair, "metrics": list(one.metrics), "n_pairs": len(one.pairs),
             **{kind.replace(" ", "_"): one.count(kind) for kind in AGREEMENTS},
             "only": {name: one.alone(name) for name in one.metrics},
             "pairs": [{"a": pair.a, "b": pair.b, "together": pair.kind,
                        "improvements": dict(zip(one.metrics, pair.improvements, strict=True)),
                        "decisions": dict(zip(one.metrics, pair.decisions, strict=True))}
                       for _, pair in list_disputed_pairs([one])]} for one in find_disputes(task)]


def disputed_records(disputed: Sequence[Disputed]) -> list[dict[str, object]]:
    """A record for each metric of each pair of systems on which metrics do not agree."""
    return [{"language_pair": one.language_pair or "", "metric": metric, "a": pair.a, "b": pair.b,
             "together": pair.kind, "improvement": improvement, "decision": decision}
            for one, pair in list_disputed_pairs(disputed)
            for metric, improvement, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)]


#-----------------------------------------------------------------------------------------------------------------------
# What the numbers of a shared task rest on, and the command that makes them again.


_PACKAGES = ("numpy", "scipy", "sacrebleu", "numba")  # that numbers go through


def task_manifest(found: TaskComparison, source: TaskSource, command: str, history: History = ()) -> str:
    """Files, test sets, versions, signatures, exclusions and commands of a shared task, as JSON.

    `command` prints its numbers. Digests of files, as they are now, and of results are SHA-256; ``results`` has, by
    format, the command and the digest of the bytes that it prints. There is no date in it: the same work gives the same
    manifest.
    """
    metrics = list_task_metrics(found)
    digests = {"json": task_json(found, history), "csv": task_csv(found, history)}
    results = {form: {"command": f"{command} --format {form}",
                      "sha256": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()}
               for form, text in digests.items()}
    return to_json({
        "task": {"name": found.task.name, "digest": found.task.digest, "systems": found.task.systems},
        "command": results["json"]["command"],
        "results": results,
        "versions": {"mtsig": __version__, "python": platform.python_version(),
                     **{name: find_version(name) for name in _PACKAGES},
                     "platform": f"{platform.system()} {platform.machine()}"},
        "source": source.to_record(),
        "files": _files(source),
        "testsets": {pair: {"name": comparison.testset.name, "digest": comparison.testset.digest,
                            "segments": comparison.testset.n_segments, "simulated": comparison.testset.simulated}
                     for pair, comparison in found.pairs.items()},
        "settings": {pair: comparison.settings for pair, comparison in found.pairs.items()},
        "signatures": {pair: {name: result.signature for name, result in comparison.metrics.items()}
                       for pair, comparison in found.pairs.items()},
        **assumed_record(found.task.assumed),
        "excluded": found.excluded,
        "may_be_first": {name: _list_tops(found, name) for name in metrics},
        "methods": {name: describe_methods(found, name) for name in metrics},
        **({} if not history else {"review": review_record(history, found)})})


def _files(source: TaskSource) -> dict[str, str]:
    """The SHA-256 of each file, by its path below the folder of the task; none of the simulated one."""
    digests = {}
    for path in source.files():
        assert source.folder is not None, "the simulated task has no files"
        with limit_reading(below=source.below), open_file(path) as file:
            name = show_name(path.relative_to(source.folder).as_posix())
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _list_tops(found: TaskComparison, metric: str) -> dict[str, Any]:
    """The top group of each language pair, and across them."""
    macro = found.macro.get(metric)
    across = {} if macro is None else {"across": [row.system for row in macro.systems if row.rank_low == 1]}
    return {"pairs": {pair: [row.system for row in comparison.metrics[metric].systems if row.rank_low == 1]
                      for pair, comparison in found.pairs.items() if metric in comparison.metrics}, **across}


_REPORTS = {"text": lambda report: report_text(report, terminal_width()), "latex": report_latex, "html": report_html}
#: All formats.
TASK_DOCUMENTS = ("text", "json", "csv", "latex", "html", "manifest")


def task_document(form: str, found: TaskComparison, source: TaskSource, command: str, history: History = ()) -> str:
    """A comparison of a task in one of the formats `TASK_DOCUMENTS`; `command` prints its numbers.

    `history` is that of a review, whose decisions and notes are then there too.
    """
    if form in _REPORTS:
        return _REPORTS[form](task_report(found, command, history))
    if form == "manifest":
        return task_manifest(found, source, command, history)
    return {"json": task_json, "csv": task_csv}[form](found, history)
