"""Results as JSON and CSV, comparisons read back from JSON, and names of files."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import InputError
from mtsig_core.extras import explain_missing_package
from mtsig_core.metrics import Metric
from mtsig_core.report.caution_words import caution_record, info_record, list_assumptions
from mtsig_core.report.document import Report
from mtsig_core.report.tables import leaderboard_table, single_runs, with_run_records
from mtsig_core.results import (
    Comparison,
    Exclusion,
    MacroResult,
    MetricResult,
    PairResult,
    Settings,
    TaskComparison,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.schema import (
    SCHEMA,
    NamedRecords,
    Records,
    from_plain,
    parse_json,
    to_json,
    to_plain,
)
from mtsig_core.stats.across import find_exclusions
from mtsig_core.task import TaskExclusion
from mtsig_core.testset import TestSet

_Read = TypeVar("_Read")
_LONGEST_STEM = 100  # of a file name
_NUMBER = re.compile(r"[+-]((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?")  # or only a sign
_FORMULA = re.compile(r"(?:^|(?<=[;\t\r\n]))(?=[=+\-@\t\r＝＋－＠])")
_NOT_IN_NAMES = re.compile(r"([^A-Za-z0-9.]|(?<![A-Za-z0-9])\.|\.(?![A-Za-z0-9]))+")


# -------------------------------------------------------------------------------------------------
# CSV.


def to_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A CSV table in which no cell is a spreadsheet formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(defuse, header))  # which may have names of systems
    for row in rows:
        writer.writerow(map(defuse, row))
    return out.getvalue()


def to_parquet(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A Parquet file of rows."""
    with explain_missing_package("parquet", "A Parquet file"):
        from pyarrow import parquet, table

    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    file = io.BytesIO()
    parquet.write_table(table(columns), file)
    return file.getvalue()


def for_spreadsheet(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """The same as a file that begins with a byte order mark.

    Without it, spreadsheets do not take texts for UTF-8.
    """
    return to_csv(header, rows).encode("utf-8-sig", "surrogatepass")


def records_csv(records: Sequence[Mapping[str, object]], header: Sequence[str] = ()) -> str:
    """Records as CSV, by default with all columns in the order of their first use.

    A cell that a record lacks is empty.
    """
    header = header or _list_columns(records)
    return to_csv(header, (map(record.get, header) for record in records))


def _list_columns(records: Iterable[Mapping[str, object]]) -> list[str]:
    columns: dict[str, None] = {}
    for record in records:
        columns |= dict.fromkeys(record)
    return list(columns)


def report_csv(report: Report) -> str:
    """The rows of a report as CSV."""
    rows = report.make_rows()
    return records_csv(rows, _list_columns(rows) or report.header)


def report_json(report: Report) -> str:
    """The record of a report as JSON."""
    return to_json(report.make_record())


def label_records(table: str, records: Iterable[Mapping[str, Any]], **labels: Any) -> Records:
    """Records of a table among others, with its name and the labels first."""
    return [{"table": table, **labels, **record} for record in records]


def defuse(cell: object) -> object:
    """Text that a spreadsheet would take for a formula, made plain by a leading apostrophe.

    Also after semicolons and tabs, which begin a cell in the spreadsheets of many countries. A
    number or a sign is no formula.
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _FORMULA.sub(r"\g<0>'", cell)


def list_comparison_rows(comparison: Comparison) -> Records:
    """Rows of one table for CSV, whose column ``table`` says what a row is.

    Rows are systems, pairs, leaders by each reference, training runs, exclusions, and assumptions
    (their sentence is the ``reason``). A difference is score(a) - score(b), whichever is better.
    The last columns repeat on each row what it depends on, because a comment line is lost once rows
    are sorted, joined or cut.
    """
    info = comparison.testset
    rows: Records = []
    for name, result in comparison.metrics.items():
        tables = {
            "systems": leaderboard_table(result, comparison.settings).records(),
            "pairs": with_run_records(result.pairs, result.pair_runs),
            "leaders": _record_leaders(result),
            "runs": single_runs(result),
        }
        for table, records in tables.items():
            for row in label_records(table, records, metric=name):
                row["higher_is_better"] = result.higher_is_better
                row["signature"] = result.signature
                rows.append(row)
    rows += label_records("excluded", map(asdict, comparison.excluded))
    sentences = list_assumptions(info.assumed, comparison.metrics)
    rows += label_records("assumed", [{"reason": sentence} for sentence in sentences])
    for row in rows:
        row |= {"testset": info.name, "digest": info.digest, "simulated": info.simulated}
    last = (
        "reference",
        "higher_is_better",
        "reason",
        "testset",
        "digest",
        "simulated",
        "signature",
    )
    first = [name for name in _list_columns(rows) if name not in last]
    header = [*first, *last]
    return [{name: row.get(name) for name in header} for row in rows]


def _record_leaders(result: MetricResult) -> Records:
    records = []
    for row in result.by_reference:
        labels = {"reference": row.reference}
        facts = {"n": row.n_segments, "decidable": row.decidable}
        records += [{**labels, "system": system, **facts} for system in row.leaders]
    return records


def segment_rows(
    testset: TestSet, metric: Metric, statistics: np.ndarray
) -> tuple[list[str], Iterator[list[Any]]]:
    """Header and rows of the per-segment statistics, one row per system and segment."""
    groups: dict[str, Sequence[str]] = {}
    if testset.domains is not None:
        groups["domain"] = testset.domains
    if testset.documents is not None:
        groups["docid"] = testset.documents
    header = ["system", "line", *groups, *metric.stat_names]
    return header, _list_segments(testset, list(groups.values()), statistics)


def _list_segments(
    testset: TestSet, groups: Sequence[Sequence[str]], statistics: np.ndarray
) -> Iterator[list[Any]]:
    for system, counts in zip(testset.systems, statistics, strict=True):
        for k, line in enumerate(testset.lines):
            labels = [values[k] for values in groups]
            yield [system, line, *labels, *counts[k].tolist()]


def file_name(*words: str, ending: str) -> str:
    """A name for a file that every system takes: ASCII letters, digits, dots and dashes, not long.

    >>> file_name("wmt24/en-de", "bleu", "comparison", ending="csv")
    'wmt24-en-de-bleu-comparison.csv'
    """
    stems = []
    for word in words:
        ascii_word = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
        stem = _NOT_IN_NAMES.sub("-", ascii_word).strip("-")
        if stem:
            stems.append(stem)
    if not stems:
        stems = ["mtsig"]
    while len("-".join(stems)) > _LONGEST_STEM:
        lengths = [len(stem) for stem in stems]
        longest = lengths.index(max(lengths))
        stems[longest] = stems[longest][:-1]
    return f"{'-'.join(stems)}.{ending}"


# -------------------------------------------------------------------------------------------------
# JSON of comparisons.


#: In JSON the training runs of a row are part of it: rows, runs, and the names of both.
_RUNS = (("systems", "runs", ("system",)), ("pairs", "pair_runs", ("a", "b")))


def record_comparison(comparison: Comparison) -> dict[str, Any]:
    """The complete result for JSON; stable keys, undefined is null, full precision.

    Each pair is there once, the better-scoring system first.
    """
    return {
        "schema": SCHEMA,
        "testset": info_record(comparison.testset),
        "settings": comparison.settings,
        "excluded": comparison.excluded,
        "warnings": [caution_record(caution) for caution in comparison.warnings],
        "metrics": join_ratings(metric_records(comparison.metrics), comparison.testset),
    }


def join_ratings(records: Mapping[str, dict[str, Any]], info: TestSetInfo) -> NamedRecords:
    """Return the records of metrics; human scores also have the number of their ratings."""
    joined = dict(records)
    for assumption in info.assumed:
        if assumption.code == "ratings":
            ratings = dict(assumption.facts)
            ratings.pop("langpair", None)
            name = ratings.pop("metric")
            if name in records:
                joined[name] = {"ratings": ratings, **records[name]}
    return joined


def metric_records(
    results: Mapping[str, MetricResult] | Mapping[str, MacroResult],
) -> NamedRecords:
    """Results for JSON by metric: the tables last, training runs within their rows."""
    records = {}
    for name, result in results.items():
        record = to_plain(result)
        del record["metric"]
        if isinstance(result, MetricResult):
            add_tally(record["systems"], result)
        for rows_key, runs_key, names in _RUNS:
            runs_by_row = {}
            for runs in record.pop(runs_key, ()):
                row_name = tuple(runs.pop(key) for key in names)
                runs_by_row[row_name] = runs
            for row in record[rows_key]:
                row_name = tuple(row[key] for key in names)
                if row_name in runs_by_row:
                    row["runs"] = runs_by_row[row_name]
        is_table = {key: isinstance(value, list | tuple) for key, value in record.items()}
        records[name] = {key: record[key] for key in sorted(record, key=is_table.__getitem__)}
    return records


def add_tally(records: Iterable[dict[str, Any]], result: MetricResult) -> None:
    """Add wins, ties and losses to the records of the systems, by the rule of the ranks."""
    tally = result.tally()
    for record in records:
        wins, ties, losses = tally[record["system"]]
        record |= {"wins": wins, "ties": ties, "losses": losses}


def read_comparison(text: str) -> Comparison:
    """See `Comparison.from_json`."""
    data = from_plain(dict[str, Any], parse_json(text), "The comparison")
    check_schema(data)
    return _read_comparison(data)


def read_task_comparison(text: str) -> TaskComparison:
    """See `TaskComparison.from_json`."""
    data = from_plain(dict[str, Any], parse_json(text), "The task")
    check_schema(data)
    excluded = from_plain(tuple[TaskExclusion, ...], data.get("excluded"), "excluded")
    cautions = from_plain(Records, data.get("warnings"), "warnings")
    pairs = {}
    for pair, record in from_plain(NamedRecords, data.get("pairs"), "pairs").items():
        record["warnings"] = [caution for caution in cautions if caution.get("pair") == pair]
        record["excluded"] = find_exclusions(pair, excluded)
        pairs[pair] = _read_comparison(record)
    macro = {}
    for name, record in from_plain(NamedRecords, data.get("macro"), "macro").items():
        macro[name] = _read_result(MacroResult, name, record, f"macro.{name}")
    return TaskComparison(
        _read_info(TaskInfo, data.get("task"), "task"),
        pairs,
        macro,
        excluded,
        published=from_plain(dict[str, Any], data.get("published", {}), "published"),
        warnings=_read_cautions([caution for caution in cautions if not caution.get("pair")]),
    )


def _read_comparison(data: Mapping[str, Any]) -> Comparison:
    records = from_plain(dict[str, Any], data.get("metrics"), "metrics")
    if not records:
        raise InputError("The comparison has no metric. Expected at least one under 'metrics'.")
    metrics = {}
    for name, record in records.items():
        metrics[name] = _read_result(MetricResult, name, record, f"metrics.{name}")
        _check_names(metrics[name])
    return Comparison(
        _read_info(TestSetInfo, data.get("testset"), "testset"),
        from_plain(Settings, data.get("settings"), "settings"),
        _read_cautions(data.get("warnings")),
        metrics,
        from_plain(tuple[Exclusion, ...], data.get("excluded"), "excluded"),
    )


def _read_info(kind: type[_Read], data: object, place: str) -> _Read:
    """The description of a test set or a task, whose "assumed" are sentences in the file."""
    if isinstance(data, dict):
        data["assumed"] = data.get("assumptions", [])
    return from_plain(kind, data, place)


def _read_result(kind: type[_Read], name: str, data: object, place: str) -> _Read:
    """A result by a metric from its JSON, which may be anything."""
    record = from_plain(dict[str, Any], data, place)
    record["metric"] = name
    for rows_key, runs_key, names in _RUNS:
        record[runs_key] = []
        rows = record.get(rows_key)
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and "runs" in row:
                runs = from_plain(dict[str, Any], row["runs"], f"{place}.{rows_key}.runs")
                record[runs_key].append({key: row.get(key) for key in names} | runs)
    return from_plain(kind, record, place)


def _read_cautions(data: object) -> tuple[Caution, ...]:
    """Cautions that have words; InputError for an unknown code or unknown facts."""
    cautions = from_plain(tuple[Caution, ...], data, "warnings")
    for k, caution in enumerate(cautions):
        try:
            caution_record(caution)
        except Exception as error:  # the facts in a file may be anything
            raise InputError(
                f"warnings[{k}]: the code {caution.code[:40]!r} or its facts are unknown. Expected what "
                "mtsig writes."
            ) from error
    return cautions


def check_schema(data: Mapping[str, Any]) -> None:
    """Raise InputError for results that another version of mtsig wrote in another form."""
    if data.get("schema") == SCHEMA:
        return
    writer = "another version of mtsig, or by none"
    settings = data.get("settings")
    if isinstance(settings, dict) and isinstance(settings.get("version"), str):
        writer = f"version {settings['version']} of mtsig"
    raise InputError(
        f"This was written by {writer}: its schema is {str(data.get('schema'))[:20]}. Expected {SCHEMA}. "
        "Compare again with this version."
    )


def _check_names(result: MetricResult) -> None:
    """Raise InputError where rows do not name systems as they should."""
    place = f"metrics.{result.metric}"
    systems = set(result.names)
    if not systems or len(systems) < len(result.systems):
        raise InputError(
            f"{place}: {len(result.systems)} systems with {len(systems)} names. Expected each system once."
        )
    for pair in result.pairs:
        if pair.a == pair.b or not {pair.a, pair.b} <= systems:
            raise InputError(
                f"{place}: a pair of {pair.a!r} and {pair.b!r}. Expected two of its systems."
            )
        _check_sides(pair, place)
    for row in result.by_reference:
        if not row.leaders or not systems.issuperset(row.leaders):
            raise InputError(
                f"{place}: the leaders by {row.reference} are {', '.join(row.leaders)[:40]!r}. Expected "
                "some of its systems."
            )


def _check_sides(pair: PairResult, place: str) -> None:
    for key in ("better", "favours"):
        side = getattr(pair, key)
        if side not in ("a", "b", None):
            raise InputError(
                f"{place}: {key} is {side!r} in the pair {pair.a} - {pair.b}. "
                'Expected "a", "b" or null.'
            )
