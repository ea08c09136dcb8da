"""Comparisons as the JSON that users keep, and read back from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig_core.caution import Caution
from mtsig_core.errors import InputError
from mtsig_core.report.caution_words import caution_record
from mtsig_core.results import Comparison, Exclusion, MacroResult, MetricResult, Settings, TestSetInfo
from mtsig_core.schema import SCHEMA, from_plain, parse_json, to_json, to_plain

#: In the JSON the runs of a row are part of it: rows, runs, and what both are named by.
_RUNS = (("systems", "runs", ("system",)), ("pairs", "pair_runs", ("a", "b")))


def comparison_json(comparison: Comparison) -> str:
    """The whole result; stable keys, undefined is null, full precision.

    The pairs of each metric are the matrix: all of them once, the better-scoring system first.
    """
    return to_json({"schema": SCHEMA, "testset": comparison.testset, "settings": comparison.settings,
                    "excluded": comparison.excluded, "warnings": list(map(caution_record, comparison.warnings)),
                    "metrics": metric_records(comparison.metrics)})


def metric_records(results: Mapping[str, MetricResult] | Mapping[str, MacroResult]) -> dict[str, Any]:
    """What JSON has by the name of each metric: its results, the tables last, training runs within their rows."""
    records = {}
    for name, result in results.items():
        record = to_plain(result)
        del record["metric"]
        for rows, runs, names in _RUNS:
            by_row = {tuple(one.pop(key) for key in names): one for one in record.pop(runs, ())}
            record[rows] = [row | {"runs": by_row[key]} if (key := tuple(row[name] for name in names)) in by_row
                            else row for row in record[rows]]
        records[name] = dict(sorted(record.items(), key=lambda item: isinstance(item[1], list | tuple)))
    return records


def read_comparison(text: str) -> Comparison:
    """See `Comparison.from_json`."""
    data = from_plain(dict[str, Any], parse_json(text), "The comparison")
    check_schema(data)
    records = from_plain(dict[str, Any], data.get("metrics"), "metrics")
    if not records:
        raise InputError("The comparison has no metric. Expected at least one under 'metrics'.")
    metrics = {name: from_plain(MetricResult, _fields(name, record), f"metrics.{name}")
               for name, record in records.items()}
    for result in metrics.values():
        _check_names(result)
    return Comparison(from_plain(TestSetInfo, data.get("testset"), "testset"),
                      from_plain(Settings, data.get("settings"), "settings"),
                      _cautions(data.get("warnings")), metrics,
                      from_plain(tuple[Exclusion, ...], data.get("excluded"), "excluded"))


def _cautions(data: object) -> tuple[Caution, ...]:
    """Warnings that have words; InputError for those of a code or with facts that nobody has words for."""
    cautions = from_plain(tuple[Caution, ...], data, "warnings")
    for k, caution in enumerate(cautions):
        try:
            caution_record(caution)
        except Exception as error:  # whatever stands in the file
            raise InputError(f"warnings[{k}]: the code {caution.code[:40]!r} or its facts are unknown. Expected what "
                             "mtsig writes.") from error
    return cautions


def check_schema(data: Mapping[str, Any]) -> None:
    """Raises InputError for results that another version of mtsig wrote in another form."""
    if data.get("schema") != SCHEMA:
        settings = data.get("settings")
        version = settings.get("version") if isinstance(settings, dict) else None
        by = f"version {version} of mtsig" if isinstance(version, str) else "another version of mtsig, or by none"
        raise InputError(f"This was written by {by}: its schema is {str(data.get('schema'))[:20]}. Expected {SCHEMA}. "
                         "Compare again with this version.")


def _fields(metric: str, record: object) -> object:
    """The fields of a `MetricResult` as `read` takes them, from its JSON, which may be anything."""
    if not isinstance(record, dict):
        return record
    values = record | {"metric": metric}
    for rows, runs, names in _RUNS:
        if isinstance(record.get(rows), list):
            with_runs = [row for row in record[rows] if isinstance(row, dict) and "runs" in row]
            values[runs] = [{key: row.get(key) for key in names} | row["runs"] if isinstance(row["runs"], dict)
                            else row["runs"] for row in with_runs]
    return values


def _check_names(result: MetricResult) -> None:
    """Raises InputError where rows do not name systems as they should."""
    where = f"metrics.{result.metric}"
    known = {row.system for row in result.systems}
    if not known or len(known) < len(result.systems):
        raise InputError(f"{where}: {len(result.systems)} systems with {len(known)} names. Expected each system once.")
    for row in result.pairs:
        if row.a == row.b or not {row.a, row.b} <= known:
            raise InputError(f"{where}: a pair of {row.a!r} and {row.b!r}. Expected two of its systems.")
        for what, side in (("better", row.better), ("favours", row.favours)):
            if side not in ("a", "b", None):
                raise InputError(f'{where}: {what} is {side!r} in the pair {row.a} - {row.b}. '
                                 'Expected "a", "b" or null.')
    for one in result.by_reference:
        if not one.leaders or not known.issuperset(one.leaders):
            raise InputError(f"{where}: the leaders by {one.reference} are {', '.join(one.leaders)[:40]!r}. Expected "
                             "some of its systems.")
