"""A shared task as tables: systems by language pairs, and the systems across them."""

from __future__ import annotations

import math

from mtsig_core.data.task import SystemInfo
from mtsig_core.inference.ranking import headline
from mtsig_core.report.cells import Cell, Table, number, signed, written_like
from mtsig_core.report.tables import how_tested
from mtsig_core.results import SystemResult
from mtsig_core.results.task import MacroResult, MacroSystem, TaskComparison, TaskInfo

__all__ = ["answer_first", "macro_pair_rows", "order_of", "picture_rows", "ranks_text", "system_text", "task_left_out",
           "task_tested", "task_verdict", "task_without"]

MISSING = "-"


def order_of(found: TaskComparison, metric: str) -> list[str]:
    """The systems by one metric: as the macro result has them, or else as they come in one language pair after another.
    """
    if metric in found.macro:
        return [row.system for row in found.macro[metric].systems]
    results = [comparison.metrics[metric] for comparison in found.pairs.values() if metric in comparison.metrics]
    return list(dict.fromkeys(row.system for result in results for row in result.systems))


def picture_rows(found: TaskComparison, metric: str) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Header, rows, and the cells (row, column) of who may be the first: each system's rank interval in each language
    pair, a dash where it has no score; in how many pairs it has one; across them its rank interval, mean score, wins,
    ties and losses.
    """
    have = {pair: comparison.metrics[metric] for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}
    in_pairs = {pair: {row.system: row for row in result.systems} for pair, result in have.items()}
    macro = found.macro.get(metric)
    rows_of = {row.system: row for row in macro.systems} if macro is not None else {}
    header = ["system", *have, "pairs"] + (["all pairs", "mean score", "wins", "ties", "losses"] if macro else [])
    form = written_like(row.score for result in have.values() for row in result.systems)
    rows: list[list[str]] = []
    marks: set[tuple[int, int]] = set()
    for name in order_of(found, metric):
        own = [systems.get(name) for systems in in_pairs.values()]
        n = sum(row is not None for row in own)
        ranked = {k: row for k, row in enumerate(own, 1)} | ({len(own) + 2: rows_of[name]} if macro else {})
        marks |= {(len(rows), k) for k, row in ranked.items() if row is not None and row.rank_low == 1}
        rows.append([system_text(found.task, name), *map(ranks_text, own), Cell(f"{n}/{len(have)}", n),
                     *(_macro_cells(rows_of[name], form) if macro is not None else ())])
    return header, rows, marks


def answer_first(header: list[str], rows: list[list[str]], marks: set[tuple[int, int]], n_pairs: int
                 ) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """A picture with the rank across the language pairs, and in how many pairs a system is, right after its name: of
    30 pairs they would lie out of sight behind them.

    >>> answer_first(["system", "en-de", "en-cs", "pairs", "all pairs"], [["A", "1", "2", "2/2", "1-2"]], {(0, 4)}, 2)
    (['system', 'all pairs', 'pairs', 'en-de', 'en-cs'], [['A', '1-2', '2/2', '1', '2']], {(0, 1)})
    """
    summary = [k for k in (n_pairs + 2, n_pairs + 1) if k < len(header)]
    order = [0, *summary, *(k for k in range(1, len(header)) if k not in summary)]
    place = {old: new for new, old in enumerate(order)}
    return ([header[k] for k in order], [[row[k] for k in order] for row in rows],
            {(row, place[k]) for row, k in marks})


def system_text(task: TaskInfo, name: str) -> str:
    """The name of a system, what to call it in print where the table of systems says so, and whether it is contrastive.

    >>> from mtsig_core.data.task import SystemInfo
    >>> system_text(TaskInfo("toy", "", (), {"s1": SystemInfo(display_name="Tower")}, (), {}, ()), "s1")
    's1 (Tower)'
    """
    info = task.systems.get(name, SystemInfo())
    said = [info.display_name] if info.display_name not in (None, name) else []
    said += ["contrastive"] if info.role == "contrastive" else []
    return f"{name} ({', '.join(map(str, said))})" if said else name


def ranks_text(row: SystemResult | MacroSystem | None) -> str:
    """A rank interval, sorted by its ends; a dash without, which comes after all ranks.

    >>> ranks_text(SystemResult("A", 1.0, None, None, 1, 3)), ranks_text(SystemResult("A", 1.0, None, None, 4, 4))
    ('1-3', '4-4')
    """
    if row is None or row.rank_low is None or row.rank_high is None:
        return Cell(MISSING, math.inf)
    return Cell(f"{row.rank_low}-{row.rank_high}", row.rank_low + row.rank_high / 1000)


def task_tested(found: TaskComparison) -> list[str]:
    """How the language pairs were tested, in short phrases; several where they have not the same units."""
    told = [how_tested(comparison) for comparison in found.pairs.values()]
    said = [" or ".join(dict.fromkeys(one[key] for one in told if key in one))
            for key in ("test", "trials", "seed", "alpha")]
    corrections = dict.fromkeys(comparison.settings.correction for comparison in found.pairs.values())
    ranks = [told[0]["rank_rule"]] if "rank_rule" in told[0] else []
    return [*filter(None, said), f"correction {' or '.join(corrections)} within each language pair, and across them",
            *ranks]


def task_left_out(found: TaskComparison) -> str:
    """Who was left out, in which language pair where it was not all, and why where somebody said so."""
    return ", ".join(one.system + (f" in {one.pair}" if one.pair else "") + (f" ({one.reason})" if one.reason else "")
                     for one in found.excluded)


def task_verdict(found: TaskComparison, metric: str) -> str:
    """Who is ahead, in one sentence: across the language pairs, or else in how many anybody is."""
    results = [comparison.metrics[metric] for comparison in found.pairs.values() if metric in comparison.metrics]
    macro = found.macro.get(metric)
    first = [row.system for row in macro.systems if row.rank_low == 1] if macro is not None else []
    if macro is not None and first:
        ahead = f"{first[0]} is ahead" if len(first) == 1 else f"tied for first are {', '.join(first)}"
        of = sum(row.rank_low is not None for row in macro.systems)
        return f"By {metric.upper()} across {len(results)} language pairs {ahead}, of the {of} systems that have all"
    alone = sum(len(headline(result) or ()) == 1 for result in results)
    return f"By {metric.upper()} one system is ahead of all others in {alone} of {len(results)} language pairs"


def task_without(found: TaskComparison, metric: str) -> str | None:
    """Which language pairs have no scores by a metric, in a sentence; None where all have."""
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    return f"Without scores by {metric.upper()}, and left out: {', '.join(without)}." if without else None


def _macro_cells(row: MacroSystem, form: str) -> list[str]:
    return [ranks_text(row), number(row.score, form), *(number(count, "d") for count in (row.wins, row.ties,
                                                                                         row.losses))]


def macro_pair_rows(macro: MacroResult, alpha: float) -> Table:
    """Header and rows of all pairs of systems that have every language pair: difference, interval, p, decision."""
    form = written_like(row.score for row in macro.systems if row.score is not None)
    header = ["a", "b", "mean difference", f"{100 * (1 - alpha):g}% interval", "p", "adjusted p", "better"]
    return header, [[row.a, row.b, signed(row.delta, form),
                     f"[{signed(row.ci_low, form)}, {signed(row.ci_high, form)}]",
                     number(row.p_value, ".4f"), number(row.p_adjusted, ".4f"),
                     {"a": row.a, "b": row.b, None: "not separated"}[row.better]] for row in macro.pairs]
