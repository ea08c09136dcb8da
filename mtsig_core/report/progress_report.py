"""How far an annotation is, and which pairs of systems it leaves open, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from mtsig_core.annotation_progress import ProgressRow
from mtsig_core.errors import choose_verb, format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.document import Block, Section, TableBlock
from mtsig_core.report.table import Table, TableBuilder, share_cell
from mtsig_core.results import Comparison, MetricResult, PairResult, TaskComparison
from mtsig_core.stats.power import PairPlan, cannot_plan, choose_difference, plan_pairs
from mtsig_core.stats.significance import level_at_look, parse_look

_TITLE = "progress of the annotation"
_NOTE = (
    "Each item counts once, even if several people rated it. Hours: a pause counts as one minute at most. Checks: "
    "attention checks passed."
)


def progress_sections(result: TaskComparison) -> list[Section]:
    """A section for all language pairs whose annotation is known, and one for each of them."""
    totals = []
    sections = []
    for lang_pair, comparison in result.pairs.items():
        blocks = list(progress_blocks(comparison))
        if blocks:
            total = _find_total(comparison)
            totals.append(replace(total, name=lang_pair))
            sections.append(Section(f"{lang_pair}: {_TITLE}", blocks))
    if len(sections) > 1:
        block = TableBlock(table=progress_table(totals), title="Annotated so far", notes=(_NOTE,))
        sections.insert(0, Section(f"All language pairs: {_TITLE}", [block]))
    return sections


def progress_blocks(comparison: Comparison) -> Iterator[Block]:
    """What was annotated, and what the open pairs of its scores would take."""
    rows = comparison.testset.progress
    if not rows:
        return
    yield TableBlock(table=progress_table(rows), title="Annotated so far", notes=(_NOTE,))
    total = _find_total(comparison)
    units = "segments"
    if comparison.settings.unit == "document":
        units = "documents"
    for metric, metric_result in comparison.metrics.items():
        open_pairs = list_open_pairs(comparison, metric_result)
        if open_pairs:
            yield TableBlock(
                table=open_pairs_table(open_pairs, total, units),
                title=f"{metric_title(metric)}: pairs still open",
                notes=(_explain_open(metric_result, units),),
            )


def _find_total(comparison: Comparison) -> ProgressRow:
    [total] = [row for row in comparison.testset.progress if row.kind == "all"]
    return total


def progress_table(rows: Sequence[ProgressRow]) -> Table:
    """A row for all, and one for each domain, system and rater."""
    table = TableBuilder("progress", rows)
    table.add("kind", "of", "text")
    table.add("name", "name", "name")
    table.add("documents", "documents", "count")
    table.add("items", "items", "count")
    table.add("judgements", "scores", "count")
    table.add("raters", "raters", "count")
    table.add("hours", "hours of work", "score", form=".1f")
    table.add("seconds_per_item", "seconds for an item", "score", form=".0f")
    checks = [share_cell(row.checks_passed, row.checks) for row in rows]
    table.add_values("checks", "checks", "written", checks)
    ruled = [k for k, (row, below) in enumerate(pairwise(rows)) if row.kind != below.kind]
    return table.build(ruled)


class OpenPair(NamedTuple):
    """A pair without a significant difference, and the size that would find one."""

    pair: PairResult
    plan: PairPlan

    @property
    def name(self) -> str:
        """Both systems, the better one first."""
        return f"{self.pair.a} - {self.pair.b}"


def list_open_pairs(comparison: Comparison, result: MetricResult) -> list[OpenPair]:
    """The pairs of neighbours in the order of the systems that are still open, from the top.

    What they would take is at the level of the last of the planned looks.
    """
    comparison = _at_last_look(comparison)
    pair_of = {frozenset((row.a, row.b)): row for row in result.pairs if not row.significant}
    neighbours = [
        frozenset((upper.system, lower.system)) for upper, lower in pairwise(result.systems)
    ]
    open_names = [names for names in neighbours if names in pair_of]
    if not open_names or cannot_plan(comparison, result.metric) is not None:
        return []
    difference = choose_difference(result)
    plans = plan_pairs(comparison, difference, metric=result.metric, names=open_names)
    plan_of = {frozenset((row.a, row.b)): row for row in plans}
    return [OpenPair(pair_of[names], plan_of[names]) for names in open_names if names in plan_of]


def _at_last_look(comparison: Comparison) -> Comparison:
    """The comparison with the level of the last of its planned looks."""
    settings = comparison.settings  # whose alpha is the level of this look
    look = parse_look(settings.look)
    last_look = look._replace(number=look.n_planned)
    share = level_at_look(1.0, last_look) / level_at_look(1.0, look)
    return replace(comparison, settings=replace(settings, alpha=settings.alpha * share))


def open_pairs_table(open_pairs: list[OpenPair], total: ProgressRow, units: str) -> Table:
    """How many more units each pair would take, and hours of work at the rate so far."""

    def count_more(row: OpenPair) -> int | None:
        n_needed = row.plan.size_family.units
        if n_needed is None:
            return None
        return max(0, n_needed - row.pair.n_units)

    def count_hours(row: OpenPair) -> float | None:
        more = count_more(row)
        if more is None or total.hours is None or not row.pair.n_units:
            return None
        return more * total.hours / row.pair.n_units

    table = TableBuilder("open-pairs", open_pairs)
    table.add("pair", "pair", "name", lambda row: row.name)
    table.add("difference", "difference", "difference", lambda row: row.pair.delta)
    table.add("n_units", f"{units} of both", "count", lambda row: row.pair.n_units)
    table.add(
        "mdd_family", "smallest difference found so far", "score", lambda row: row.pair.mdd_family
    )
    table.add("more", f"more {units}", "count", count_more)
    table.add("hours", "hours of work", "score", count_hours, form=".1f")
    return table.build()


def _explain_open(result: MetricResult, units: str) -> str:
    difference = choose_difference(result)
    n_open = sum(not pair.significant for pair in result.pairs)
    verb = choose_verb(n_open, "is", "are")
    return (
        f"{n_open} of {format_count(len(result.pairs), 'pair')} {verb} open. The table has pairs of neighbours in the order "
        f"of the systems. More {units}: how many more until a true difference of {difference:g} is found 8 times in 10, at "
        "alpha divided by the number of pairs. Choose this difference before you look: the observed one does not show the "
        f"true one. Hours: all work so far, divided by the {units} that both systems have. Do not stop as soon as a pair is "
        "significant: several looks have more false alarms than one, unless you plan them (setting Look)."
    )
