"""Training runs as rows: what differs between them, apart from what differs between test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.report.cells import Cell, Table, number, written_like
from mtsig_core.report.tables import points
from mtsig_core.results import MetricResult, PairResult, PairRuns, SystemResult, SystemRuns
from mtsig_core.results.task import MacroResult, MacroSystem, TaskComparison

__all__ = ["macro_system_records", "pair_run_rows", "run_records", "run_rows", "single_runs", "task_pair_run_rows",
           "task_run_rows", "with_run_records", "with_runs"]


def with_runs(header: list[str], rows: list[list[str]], name: int, result: MetricResult) -> Table:
    """A table of systems with the SD between runs, where there are runs: after the score and its interval, which stand
    right of the system in the column `name`."""
    if not result.runs:
        return header, rows
    form, at = points(result), name + 3
    spread = {row.system: number(row.sd, form) for row in result.runs}
    return [*header[:at], "SD between runs", *header[at:]], [
        [*row[:at], spread.get(row[name], "-"), *row[at:]] for row in rows]


def run_rows(result: MetricResult | MacroResult, alpha: float) -> Table:
    """Header and rows: of each system that has several runs their number, SD with its interval, and scores."""
    several = [row for row in result.runs if len(row.scores) > 1]
    form = written_like(score for row in several for score in row.scores)
    header = ["system", "runs", "SD between runs", f"its {100 * (1 - alpha):g}% interval", "scores of its runs"]
    return header, [[row.system, str(len(row.scores)), number(row.sd, form),
                     "-" if row.sd_low is None else
                     Cell(f"[{number(row.sd_low, form)}, {number(row.sd_high, form)}]", row.sd_low),
                     ", ".join(number(score, form) for score in row.scores)] for row in several]


def pair_run_rows(result: MetricResult) -> Table:
    """Header and rows: standard errors of each difference, from the test set, from the runs, and from both."""
    form = points(result)
    return ["pair", "SE of the test set", "SE between runs", "SE of both"], [
        [f"{row.a} - {row.b}", *(number(value, form) for value in (row.se_testset, row.se_runs, row.se_total))]
        for row in result.pair_runs]


def task_run_rows(found: TaskComparison, metric: str) -> Table:
    """Header and rows of `run_rows` for the language pairs of a shared task that have runs, and across them."""
    alpha = next(iter(found.pairs.values())).settings.alpha
    tables = {pair: run_rows(result, alpha) for pair, result in _with_any(found, metric)}
    if metric in found.macro and found.macro[metric].runs:
        tables["all pairs"] = run_rows(found.macro[metric], alpha)
    header = next(iter(tables.values()))[0] if tables else []
    return ["pair", *header], [[pair, *row] for pair, (_, rows) in tables.items() for row in rows]


def task_pair_run_rows(found: TaskComparison, metric: str) -> Table:
    """Header and rows of `pair_run_rows` for the language pairs of a shared task that have runs."""
    tables = {pair: pair_run_rows(result) for pair, result in _with_any(found, metric)}
    header = next(iter(tables.values()))[0][1:] if tables else []
    return ["pair", "difference", *header], [[pair, *row] for pair, (_, rows) in tables.items() for row in rows]


def _with_any(found: TaskComparison, metric: str) -> list[tuple[str, MetricResult]]:
    """Language pair and result where there are runs."""
    return [(pair, comparison.metrics[metric]) for pair, comparison in found.pairs.items()
            if metric in comparison.metrics and comparison.metrics[metric].runs]


def run_records(result: MetricResult) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    """What JSON has under ``runs`` of each system and of each pair, in their order; empty where there are no runs."""
    return ([_without(asdict(row), "system") for row in result.runs],
            [_without(asdict(row), "a", "b") for row in result.pair_runs])


def _without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in names}


def with_run_records(rows: Iterable[SystemResult | MacroSystem | PairResult],
                     runs: Sequence[SystemRuns | PairRuns]) -> list[dict[str, Any]]:
    """Rows of CSV with what their training runs add, where there are any; the scores of the runs have own rows."""
    def of(record: dict[str, Any]) -> tuple[Any, ...]:
        return record.get("system"), record.get("a"), record.get("b")

    more = {of(one): _without(one, "scores") for one in map(asdict, runs)}
    return [row | more.get(of(row), {}) for row in map(asdict, rows)]


def macro_system_records(macro: MacroResult) -> list[dict[str, Any]]:
    """What JSON has of the systems across language pairs; ``runs`` of those that have them."""
    runs = {row.system: _without(asdict(row), "system") for row in macro.runs}
    return [asdict(row) | ({"runs": runs[row.system]} if row.system in runs else {}) for row in macro.systems]


def single_runs(result: MetricResult | MacroResult) -> list[dict[str, Any]]:
    """Rows of CSV: the score of each training run."""
    return [{"system": row.system, "run": k, "score": score}
            for row in result.runs for k, score in enumerate(row.scores, 1)]
