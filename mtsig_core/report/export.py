"""Comparisons and scores as JSON and CSV, read back from JSON, and what to call the files."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import InputError
from mtsig_core.metrics import Metric
from mtsig_core.report.caution_words import caution_record, info_record, list_assumptions
from mtsig_core.report.tables import (
    leaderboard_table,
    scores_table,
    single_runs,
    with_run_records,
)
from mtsig_core.report.text import printable, table_text
from mtsig_core.results import (
    Comparison,
    Exclusion,
    MacroResult,
    MetricResult,
    Scores,
    Settings,
    TestSetInfo,
)
from mtsig_core.schema import SCHEMA, from_plain, parse_json, to_json, to_plain
from mtsig_core.testset import TestSet

_LONGEST_STEM = 100  # of a file name
_NUMBER = re.compile(r"[+-]((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?")  # or a sign alone
_FORMULA = re.compile(r"(?:^|(?<=[;\t\r\n]))(?=[=+\-@\t\r＝＋－＠])")
_NOT_IN_NAMES = re.compile(r"([^A-Za-z0-9.]|(?<![A-Za-z0-9])\.|\.(?![A-Za-z0-9]))+")


def comparison_csv(comparison: Comparison) -> str:
    """One table: rows of systems, of pairs, of leaders by each reference, of training runs, of what
    was excluded, and of what was assumed (its sentence is the ``reason``), told apart by the column
    ``table``.

    A difference is score(a) - score(b), whichever is better. The last columns say on each row what
    it depends on, because a comment line would be lost once rows are sorted, joined or cut.
    """
    info = comparison.testset
    rows: list[dict[str, Any]] = []
    for name, result in comparison.metrics.items():
        leaders = [
            {
                "reference": row.reference,
                "system": system,
                "n": row.n_segments,
                "decidable": row.decidable,
            }
            for row in result.by_reference
            for system in row.leaders
        ]
        for table, records in (
            ("systems", leaderboard_table(result, comparison.settings).records()),
            ("pairs", with_run_records(result.pairs, result.pair_runs)),
            ("leaders", leaders),
            ("runs", single_runs(result)),
        ):
            rows += [
                {
                    "table": table,
                    "metric": name,
                    **record,
                    "higher_is_better": result.higher_is_better,
                    "signature": result.signature,
                }
                for record in records
            ]
    rows += [{"table": "excluded", **asdict(exclusion)} for exclusion in comparison.excluded]
    rows += [
        {"table": "assumed", "reason": text}
        for text in list_assumptions(info.assumed, comparison.metrics)
    ]
    source = {"testset": info.name, "digest": info.digest, "simulated": info.simulated}
    last = ["reference", "higher_is_better", "reason", *source, "signature"]
    header = [*dict.fromkeys(key for row in rows for key in row if key not in last), *last]
    return records_csv([row | source for row in rows], header)


def scores_text(scores: Scores) -> str:
    """The systems by each metric, and its signature."""
    lines, table = [], scores_table(scores)
    for key, found in scores.metrics.items():
        by_score = sorted(found.systems, key=lambda row: row.score, reverse=found.higher_is_better)
        names = table.values("system")
        part = table.select("system", key).pick_rows(names.index(row.system) for row in by_score)
        lines += [*table_text(part), "", *["Lower is better."] * (not found.higher_is_better)]
        assumed = list_assumptions(scores.testset.assumed, [found.metric])
        lines += [*map(printable, [*assumed, found.signature]), ""]
    return "\n".join(lines).rstrip() + "\n"


def scores_json(scores: Scores) -> str:
    return to_json(
        {
            "metrics": {
                name: {
                    "signature": found.signature,
                    "scores": {row.system: row.score for row in found.systems},
                }
                for name, found in scores.metrics.items()
            }
        }
    )


def scores_csv(scores: Scores) -> str:
    return to_csv(
        ["metric", "system", "score", "signature"],
        (
            [name, row.system, row.score, found.signature]
            for name, found in scores.metrics.items()
            for row in found.systems
        ),
    )


def segment_rows(
    testset: TestSet, metric: Metric, statistics: np.ndarray
) -> tuple[list[str], Iterable[list[Any]]]:
    """Header and rows of the per-segment statistics, one row per system and segment."""
    known = [("domain", testset.domains), ("docid", testset.documents)]
    groups = [(name, values) for name, values in known if values is not None]
    header = ["system", "line", *(name for name, _ in groups), *metric.stat_names]
    rows = (
        [system, line, *(values[k] for _, values in groups), *statistics[s, k].tolist()]
        for s, system in enumerate(testset.systems)
        for k, line in enumerate(testset.lines)
    )
    return header, rows


def to_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV table in which no cell is a spreadsheet formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(defuse, header))  # which may be names of systems
    writer.writerows([defuse(cell) for cell in row] for row in rows)
    return out.getvalue()


def for_spreadsheet(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """The same as a file that begins with a byte order mark: without it, spreadsheets do not take
    texts for UTF-8.
    """
    return to_csv(header, rows).encode("utf-8-sig", "surrogatepass")


def records_csv(records: Sequence[Mapping[str, object]], header: Sequence[str] = ()) -> str:
    """Records as CSV, what one lacks being empty; by default the columns are all that they name, as
    they come.
    """
    header = header or list(dict.fromkeys(key for record in records for key in record))
    return to_csv(header, ([record.get(key) for key in header] for record in records))


def defuse(cell: object) -> object:
    """Text that a spreadsheet would take for a formula, made plain by a leading apostrophe; also
    after semicolons and tabs, which begin a cell in the spreadsheets of many countries. A number or
    a sign is no formula.
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _FORMULA.sub(r"\g<0>'", cell)


def file_name(*parts: str, ending: str) -> str:
    """A name for a file that every system takes: ASCII letters, digits, dots and dashes, of no
    great length.

    >>> file_name("wmt24/en-de", "bleu", "comparison", ending="csv")
    'wmt24-en-de-bleu-comparison.csv'
    """
    ascii_parts = (
        unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode() for part in parts
    )
    plain = [
        part for part in (_NOT_IN_NAMES.sub("-", part).strip("-") for part in ascii_parts) if part
    ] or ["mtsig"]
    while len("-".join(plain)) > _LONGEST_STEM:  # the longest part gives way
        longest = max(range(len(plain)), key=lambda k: len(plain[k]))
        plain[longest] = plain[longest][:-1]
    return f"{'-'.join(plain)}.{ending}"


# -------------------------------------------------------------------------------------------------
# JSON of comparisons.


#: In the JSON the runs of a row are part of it: rows, runs, and what both are named by.
_RUNS = (("systems", "runs", ("system",)), ("pairs", "pair_runs", ("a", "b")))


def comparison_json(comparison: Comparison) -> str:
    """The whole result; stable keys, undefined is null, full precision.

    Each pair is there once, the better-scoring system first.
    """
    return to_json(
        {
            "schema": SCHEMA,
            "testset": info_record(comparison.testset),
            "settings": comparison.settings,
            "excluded": comparison.excluded,
            "warnings": list(map(caution_record, comparison.warnings)),
            "metrics": join_ratings(metric_records(comparison.metrics), comparison.testset),
        }
    )


def join_ratings(
    records: Mapping[str, dict[str, Any]], info: TestSetInfo
) -> dict[str, dict[str, Any]]:
    """The records of metrics, those of human scores with the number of their ratings."""
    names = ("metric", "langpair")
    ratings = {
        one.facts["metric"]: {key: value for key, value in one.facts.items() if key not in names}
        for one in info.assumed
        if one.code == "ratings"
    }
    return {
        name: {**({"ratings": ratings[name]} if name in ratings else {}), **record}
        for name, record in records.items()
    }


def metric_records(
    results: Mapping[str, MetricResult] | Mapping[str, MacroResult],
) -> dict[str, Any]:
    """What JSON has by the name of each metric: its results, the tables last, training runs within
    their rows.
    """
    records = {}
    for name, result in results.items():
        record = to_plain(result)
        del record["metric"]
        for rows, runs, names in _RUNS:
            by_row = {tuple(one.pop(key) for key in names): one for one in record.pop(runs, ())}
            record[rows] = [
                row | {"runs": by_row[key]}
                if (key := tuple(row[name] for name in names)) in by_row
                else row
                for row in record[rows]
            ]
        records[name] = dict(
            sorted(record.items(), key=lambda item: isinstance(item[1], list | tuple))
        )
    return records


def read_comparison(text: str) -> Comparison:
    """See `Comparison.from_json`."""
    data = from_plain(dict[str, Any], parse_json(text), "The comparison")
    check_schema(data)
    records = from_plain(dict[str, Any], data.get("metrics"), "metrics")
    if not records:
        raise InputError("The comparison has no metric. Expected at least one under 'metrics'.")
    metrics = {
        name: from_plain(MetricResult, _fields(name, record), f"metrics.{name}")
        for name, record in records.items()
    }
    for result in metrics.values():
        _check_names(result)
    testset = data.get("testset")
    if isinstance(
        testset, dict
    ):  # which has sentences there, and beside them what they are made of
        testset |= {"assumed": testset.get("assumptions", [])}
    return Comparison(
        from_plain(TestSetInfo, testset, "testset"),
        from_plain(Settings, data.get("settings"), "settings"),
        _cautions(data.get("warnings")),
        metrics,
        from_plain(tuple[Exclusion, ...], data.get("excluded"), "excluded"),
    )


def _cautions(data: object) -> tuple[Caution, ...]:
    """Warnings that have words; InputError for those of a code or with facts that nobody has words
    for.
    """
    cautions = from_plain(tuple[Caution, ...], data, "warnings")
    for k, caution in enumerate(cautions):
        try:
            caution_record(caution)
        except Exception as error:  # whatever stands in the file
            raise InputError(
                f"warnings[{k}]: the code {caution.code[:40]!r} or its facts are unknown. Expected what "
                "mtsig writes."
            ) from error
    return cautions


def check_schema(data: Mapping[str, Any]) -> None:
    """Raises InputError for results that another version of mtsig wrote in another form."""
    if data.get("schema") != SCHEMA:
        settings = data.get("settings")
        version = settings.get("version") if isinstance(settings, dict) else None
        by = (
            f"version {version} of mtsig"
            if isinstance(version, str)
            else "another version of mtsig, or by none"
        )
        raise InputError(
            f"This was written by {by}: its schema is {str(data.get('schema'))[:20]}. Expected {SCHEMA}. "
            "Compare again with this version."
        )


def _fields(metric: str, record: object) -> object:
    """The fields of a `MetricResult` as `read` takes them, from its JSON, which may be anything."""
    if not isinstance(record, dict):
        return record
    values = {key: value for key, value in record.items() if key != "ratings"} | {"metric": metric}
    for rows, runs, names in _RUNS:
        if isinstance(record.get(rows), list):
            with_runs = [row for row in record[rows] if isinstance(row, dict) and "runs" in row]
            values[runs] = [
                {key: row.get(key) for key in names} | row["runs"]
                if isinstance(row["runs"], dict)
                else row["runs"]
                for row in with_runs
            ]
    return values


def _check_names(result: MetricResult) -> None:
    """Raises InputError where rows do not name systems as they should."""
    where = f"metrics.{result.metric}"
    known = {row.system for row in result.systems}
    if not known or len(known) < len(result.systems):
        raise InputError(
            f"{where}: {len(result.systems)} systems with {len(known)} names. Expected each system once."
        )
    for row in result.pairs:
        if row.a == row.b or not {row.a, row.b} <= known:
            raise InputError(
                f"{where}: a pair of {row.a!r} and {row.b!r}. Expected two of its systems."
            )
        for what, side in (("better", row.better), ("favours", row.favours)):
            if side not in ("a", "b", None):
                raise InputError(
                    f"{where}: {what} is {side!r} in the pair {row.a} - {row.b}. "
                    'Expected "a", "b" or null.'
                )
    for one in result.by_reference:
        if not one.leaders or not known.issuperset(one.leaders):
            raise InputError(
                f"{where}: the leaders by {one.reference} are {', '.join(one.leaders)[:40]!r}. Expected "
                "some of its systems."
            )
