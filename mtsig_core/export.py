"""Results as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields

import numpy as np

from mtsig_core.metrics import Metric
from mtsig_core.results import Comparison, PairResult, SystemResult
from mtsig_core.testset import TestSet

__all__ = ["comparison_json", "comparison_csv", "scores_json", "scores_csv", "segment_rows", "to_csv", "defuse"]


def comparison_json(comparison: Comparison) -> str:
    """The whole result; stable keys, undefined is null, full precision."""
    return to_json({
        "testset": asdict(comparison.testset),
        "settings": asdict(comparison.settings),
        "warnings": [asdict(caution) for caution in comparison.warnings],
        "metrics": {
            name: {
                "signature": result.signature,
                "higher_is_better": result.higher_is_better,
                "systems": [asdict(row) for row in result.systems],
                "pairs": [asdict(row) for row in result.pairs],
            } for name, result in comparison.metrics.items()
        },
    })


def comparison_csv(comparison: Comparison) -> str:
    """One table: rows of systems, then rows of pairs, told apart by the column ``table``.

    The last columns say on each row what it depends on, settings and version in the signature: a comment line would
    not, once rows are sorted, joined or cut, and readers of CSV trip over it.
    """
    info = comparison.testset
    systems = [f.name for f in fields(SystemResult)]
    pairs = [f.name for f in fields(PairResult)]
    header = ["table", "metric", *systems, *(name for name in pairs if name not in systems),
              "testset", "digest", "simulated", "signature"]
    rows = []
    for name, result in comparison.metrics.items():
        source = {"testset": info.name, "digest": info.digest, "simulated": info.simulated,
                  "signature": result.signature}
        for table, records in (("systems", result.systems), ("pairs", result.pairs)):
            rows += [{"table": table, "metric": name, **asdict(record), **source} for record in records]
    return to_csv(header, ([row.get(key) for key in header] for row in rows))


def scores_json(scores: Mapping[str, tuple[str, Mapping[str, float]]]) -> str:
    """Scores by metric: {metric: (signature, {system: points})}."""
    return to_json({"metrics": {name: {"signature": signature, "scores": dict(values)}
                                for name, (signature, values) in scores.items()}})


def scores_csv(scores: Mapping[str, tuple[str, Mapping[str, float]]]) -> str:
    return to_csv(["metric", "system", "score", "signature"],
                  ([name, system, value, signature] for name, (signature, values) in scores.items()
                   for system, value in values.items()))


def segment_rows(testset: TestSet, metric: Metric, statistics: np.ndarray) -> tuple[list[str], Iterable[list]]:
    """Header and rows of the per-segment statistics, one row per system and segment."""
    known = [("domain", testset.domains), ("docid", testset.documents)]
    groups = [(name, values) for name, values in known if values is not None]
    header = ["system", "line", *(name for name, _ in groups), *metric.stat_names]
    rows = ([system, line, *(values[k] for _, values in groups), *statistics[s, k].tolist()]
            for s, system in enumerate(testset.systems) for k, line in enumerate(testset.lines))
    return header, rows


def to_json(value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(header: Sequence[str], rows: Iterable[Sequence]) -> str:
    """A CSV table in which no cell is a spreadsheet formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([defuse(cell) for cell in row] for row in rows)
    return out.getvalue()


def defuse(cell):
    """Text that a spreadsheet would take for a formula, made plain by a leading apostrophe; the rest unchanged."""
    return "'" + cell if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") and cell else cell
