"""Where the metrics of a shared task do not agree: counts, the pairs of systems, text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.inference.across_metrics import (
    AGREE,
    FEW,
    KINDS,
    NOT_ALIKE,
    UNDECIDED,
    Disputed,
    PairAcross,
    disputed_in,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, signed, written_like
from mtsig_core.report.phrases import ACROSS
from mtsig_core.report.terminal import printable, table_lines
from mtsig_core.results.task import TaskComparison

__all__ = ["DISPUTES_NOTE", "dispute_counts", "dispute_rows", "disputes_alone", "disputes_json", "disputes_records",
           "disputes_text", "disputes_verdict", "kinds_rows", "shown_disputes", "who_decides_rows"]

DISPUTES_NOTE = ("Opposite: each of two metrics decides, in another direction. Some decide: significant by one, not by "
                 "another. Only NAME: that metric alone decides. Of pairs of systems that all metrics have tested. To "
                 "try several metrics and keep one is to test more than once: choose the one that counts beforehand, "
                 "or report all.")
_SHOWN = 20  # contradictions in the text
_PRINTED = 200  # pairs of systems in a report


def disputes_verdict(found: Sequence[Disputed]) -> str:
    """How often the metrics agree in all language pairs together, in a sentence without its full stop."""
    within = [one for one in found if one.language_pair is not None]
    metrics = list(dict.fromkeys(metric_title(name) for one in within for name in one.metrics))
    opposite, some, alike, lost = (sum(one.count(kind) for one in within) for kind in KINDS)
    decide = "one decides" if max((len(one.metrics) for one in within), default=0) == 2 else "some decide"
    where = counted(len(within), "language pair")
    if lost and lost == sum(len(one.pairs) for one in within):
        return f"{', '.join(metrics)}: all {lost:,} pairs of systems in {where} {FEW}"
    return (f"{', '.join(metrics)}: opposite on {opposite} of {opposite + some + alike} pairs of systems in "
            f"{where}, and only {decide} on {some}" + (f"; {lost:,} more {FEW}" if lost else ""))


def dispute_counts(found: Sequence[Disputed]) -> Table:
    """A row for each language pair, one for their sum, and one for the decisions on mean differences across them."""
    metrics = list(dict.fromkeys(name for one in found for name in one.metrics))
    kinds_shown = [*reversed(KINDS[:-1]), *([UNDECIDED] if any(one.count(UNDECIDED) for one in found) else [])]
    header = ["language pair", "pairs of systems", *("alike" if kind == AGREE else kind for kind in kinds_shown),
              *(f"only {metric_title(name)}" for name in metrics)]

    def row(title: str, parts: Sequence[Disputed]) -> list[str]:
        kinds = [sum(one.count(kind) for one in parts) for kind in kinds_shown]
        alone = [[one.alone(name) for one in parts if name in one.metrics] for name in metrics]
        return [title, *(number(n, ",d") for n in (sum(len(one.pairs) for one in parts), *kinds)),
                *(number(sum(own), ",d") if own else "-" for own in alone)]

    within = [one for one in found if one.language_pair is not None]
    rows = [row(str(one.language_pair), [one]) for one in within]
    rows += [row("sum of the language pairs", within)] if len(within) > 1 else []
    return header, rows + [row(f"{ACROSS}, by mean difference", [one]) for one in found if one.language_pair is None]


def kinds_rows(found: Sequence[Disputed]) -> Table:
    """The same without a column for each metric, for a page."""
    header, rows = dispute_counts(found)
    n = next((k for k, title in enumerate(header) if title.startswith("only ")), len(header))
    return header[:n], [row[:n] for row in rows]


def disputes_alone(found: Sequence[Disputed]) -> str:
    """How many pairs of systems within language pairs each metric decides alone, in a sentence."""
    counts: dict[str, int] = {}
    for one in found:
        for name in one.metrics if one.language_pair is not None else ():
            counts[name] = counts.get(name, 0) + one.alone(name)
    return f"Decided by one metric alone: {', '.join(f'{metric_title(name)} {n:,}' for name, n in counts.items())}."


def shown_disputes(found: Sequence[Disputed]) -> tuple[list[tuple[Disputed, PairAcross]], str]:
    """The first pairs of systems on which metrics disagree, as many as fit a report; what is said of the others."""
    every = _disputed(found)
    n = len(every)
    return every[:_PRINTED], f" The first {_PRINTED} of {n:,} are shown; CSV and JSON have all." if n > _PRINTED else ""


def who_decides_rows(found: Sequence[tuple[Disputed, PairAcross]]) -> Table:
    """A row a pair of systems, with the metrics by which each is significantly better, and those that decide neither
    way."""
    def by(one: Disputed, pair: PairAcross, decision: int) -> str:
        return ", ".join(metric_title(name) for name, own in zip(one.metrics, pair.decisions, strict=True)
                         if own == decision) or "-"

    return ["language pair", "a", "b", "a better by", "b better by", "neither by"], [
        [one.language_pair or ACROSS, pair.a, pair.b, *(by(one, pair, decision) for decision in (1, -1, 0))]
        for one, pair in found]


def dispute_rows(found: Sequence[Disputed]) -> Table:
    """The pairs of systems on which the metrics do not agree, contradictions first; ``●`` where a metric decides."""
    metrics = list(dict.fromkeys(name for one in found for name in one.metrics))
    rows, forms = [], _forms(found)
    for one, pair in _disputed(found):
        cells = {metric: Cell(f"{signed(value, forms[metric])}{' ●' * (decision != 0)}", value)
                 for metric, value, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)}
        rows.append([one.language_pair or ACROSS, pair.a, pair.b, pair.kind,
                     *(cells.get(name, "-") for name in metrics)])
    return ["language pair", "a", "b", "together", *(metric_title(name) for name in metrics)], rows


def disputes_text(found: Sequence[Disputed]) -> list[str]:
    """Lines for a terminal: the counts, and the contradictions."""
    if not found:
        return []
    header, rows = dispute_counts(found)
    lines = ["", f"Where metrics disagree. {printable(disputes_verdict(found))}.",
             *table_lines(header, rows, "<" + ">" * (len(header) - 1)), DISPUTES_NOTE]
    header, rows = dispute_rows(found)
    opposite = [row for row in rows if row[3] == KINDS[0]]
    if opposite:
        more = f"; the first {_SHOWN} of {len(opposite)}" * (len(opposite) > _SHOWN)
        lines += ["", f"Opposite decisions{more}; ● significant, positive where a is better:",
                  *table_lines(header, opposite[:_SHOWN], "<<<<" + ">" * (len(header) - 4))]
    return lines


def disputes_json(task: TaskComparison) -> list[dict[str, Any]]:
    """For each language pair (None: the mean differences) the counts, and the pairs on which metrics do not agree."""
    return [{"language_pair": one.language_pair, "metrics": list(one.metrics), "n_pairs": len(one.pairs),
             **{kind.replace(" ", "_"): one.count(kind) for kind in KINDS},
             "only": {name: one.alone(name) for name in one.metrics},
             "pairs": [{"a": pair.a, "b": pair.b, "together": pair.kind,
                        "improvements": dict(zip(one.metrics, pair.improvements, strict=True)),
                        "decisions": dict(zip(one.metrics, pair.decisions, strict=True))}
                       for of, pair in _disputed([one])]} for one in disputed_in(task)]


def disputes_records(found: Sequence[Disputed]) -> list[dict[str, object]]:
    """A record for each metric of each pair of systems on which metrics do not agree."""
    return [{"language_pair": one.language_pair or "", "metric": metric, "a": pair.a, "b": pair.b,
             "together": pair.kind, "improvement": improvement, "decision": decision}
            for one, pair in _disputed(found)
            for metric, improvement, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)]


def _disputed(found: Sequence[Disputed]) -> list[tuple[Disputed, PairAcross]]:
    return [(one, pair) for kind in NOT_ALIKE for one in found for pair in one.pairs if pair.kind == kind]


def _forms(found: Sequence[Disputed]) -> dict[str, str]:
    """How the improvements of each metric are written, as their size asks: alike in all language pairs."""
    values: dict[str, list[float]] = {}
    for one in found:
        for pair in one.pairs:
            for metric, value in zip(one.metrics, pair.improvements, strict=True):
                values.setdefault(metric, []).append(value)
    return {metric: written_like(own) for metric, own in values.items()}
