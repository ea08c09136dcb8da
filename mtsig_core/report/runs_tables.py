"""Training runs as rows: what differs between them, apart from what differs between test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.report.cells import Cell, Table, number
from mtsig_core.report.tables import points
from mtsig_core.results import MetricResult, PairResult, PairRuns, SystemResult, SystemRuns

__all__ = ["pair_run_rows", "run_records", "run_rows", "single_runs", "task_run_rows", "with_run_records", "with_runs"]


def with_runs(header: list[str], rows: list[list[str]], name: int, result: MetricResult) -> Table:
    """A table of systems with the SD between runs, where there are runs: after the score and its interval, which stand
    right of the system in the column `name`."""
    if not result.runs:
        return header, rows
    form, at = points(result), name + 3
    spread = {row.system: number(row.sd, form) for row in result.runs}
    return [*header[:at], "SD between runs", *header[at:]], [
        [*row[:at], spread.get(row[name], "-"), *row[at:]] for row in rows]


def run_rows(result: MetricResult, alpha: float) -> Table:
    """Header and rows: of each system the number of its runs, their SD with its interval, and their scores."""
    form = points(result)
    header = ["system", "runs", "SD between runs", f"its {100 * (1 - alpha):g}% interval", "scores of its runs"]
    return header, [[row.system, str(len(row.scores)), number(row.sd, form),
                     "-" if row.sd_low is None else
                     Cell(f"[{number(row.sd_low, form)}, {number(row.sd_high, form)}]", row.sd_low),
                     ", ".join(number(score, form) for score in row.scores)] for row in result.runs]


def pair_run_rows(result: MetricResult) -> Table:
    """Header and rows: standard errors of each difference, from the test set, from the runs, and from both."""
    form = points(result)
    return ["pair", "SE of the test set", "SE between runs", "SE of both"], [
        [f"{row.a} - {row.b}", *(number(value, form) for value in (row.se_testset, row.se_runs, row.se_total))]
        for row in result.pair_runs]


def task_run_rows(results: Mapping[str, MetricResult], alpha: float) -> Table:
    """Header and rows of `run_rows` for the language pairs of a shared task that have runs."""
    tables = {pair: run_rows(result, alpha) for pair, result in results.items() if result.runs}
    header = next(iter(tables.values()))[0] if tables else []
    return ["pair", *header], [[pair, *row] for pair, (_, rows) in tables.items() for row in rows]


def run_records(result: MetricResult) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    """What JSON has under ``runs`` of each system and of each pair, in their order; empty where there are no runs."""
    def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
        return {key: value for key, value in record.items() if key not in names}

    return ([without(asdict(row), "system") for row in result.runs],
            [without(asdict(row), "a", "b") for row in result.pair_runs])


def with_run_records(rows: Iterable[SystemResult | PairResult],
                     runs: Sequence[SystemRuns | PairRuns]) -> list[dict[str, Any]]:
    """Rows of CSV with what their training runs add, where there are any; the scores of the runs have own rows."""
    return [asdict(row) | ({key: value for key, value in asdict(runs[k]).items() if key != "scores"} if runs else {})
            for k, row in enumerate(rows)]


def single_runs(result: MetricResult) -> list[dict[str, Any]]:
    """Rows of CSV: the score of each training run."""
    return [{"system": row.system, "run": k, "score": score}
            for row in result.runs for k, score in enumerate(row.scores, 1)]
