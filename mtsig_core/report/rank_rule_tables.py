"""Ranks by all rules side by side, as text, LaTeX, HTML, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import reduce
from itertools import groupby
from operator import add
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.experiments.rankings import count_against_tests
from mtsig_core.metrics import metric_title
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock
from mtsig_core.report.export import records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.sentences import Found, name_pairs, select_parts
from mtsig_core.report.table import Column, Table, join_ends, join_tables
from mtsig_core.report.tables import cluster_ends
from mtsig_core.report.text import report_text, terminal_width
from mtsig_core.results import Comparison, MetricResult
from mtsig_core.schema import to_json
from mtsig_core.stats.ranks import RANK_RULES

#: By rule: the comparison with its ranks, and all the rest the same.
ByRule = Mapping[str, Found]
RANKS_NOTE = ("A column has the rank ranges by one rule. Marked: the range reaches 1. 'Differs': only some of the "
              "rules have the system in the top group, or as the winner. Lines separate clusters of the first rule.")
COUNTS_NOTE = ("How each rule fits the tests of pairs. Ranked as tied: significant pairs whose rank ranges share a "
               "rank. Ranked apart: pairs without a significant difference whose rank ranges share none.")


def _results(by_rule: ByRule, metric: str) -> dict[str, dict[str, MetricResult]]:
    """By language pair and rule; language pairs in which the rules disagree on the top group or the winner first."""
    parts: dict[str, dict[str, MetricResult]] = {}
    for rule, found in by_rule.items():
        for part, (_, result) in select_parts(found, metric).items():
            parts.setdefault(part, {})[rule] = result
    return dict(sorted(parts.items(), key=lambda one: not any(_differences(one[1]).values())))


def _differences(by_rule: Mapping[str, MetricResult]) -> dict[str, str]:
    """By system: "winner" or "top group" where only some of the rules that rank it say so, else an empty text."""
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for result in by_rule.values():
        for row in result.systems:
            rows.setdefault(row.system, [])
            if row.rank_low is not None:
                rows[row.system].append((row.rank_high == 1, row.rank_low == 1))
    return {name: next((word for word, said in zip(("winner", "top group"), zip(*own, strict=True), strict=False)
                        if len({*said}) > 1), "") for name, own in rows.items()}


def list_changed(by_rule: ByRule, metric: str) -> list[str]:
    """The language pairs in which the rules disagree on the top group or the winner; "" for a test set."""
    return [part for part, own in _results(by_rule, metric).items() if any(_differences(own).values())]


def rules_table(by_rule: ByRule, metric: str) -> Table:
    """A column for each rule with the rank range of each system, and its cluster in files; language pairs in which the
    rule changes the top group or the winner come first."""
    tables = {part: _ranks_table(own) for part, own in _results(by_rule, metric).items()}
    if "" in tables:
        return tables[""]
    joined, start = join_tables("rules", Column("language_pair", "language pair", "name"), tables), 0
    marks: set[tuple[int, str]] = set()
    ruled: set[int] = set()
    for table in tables.values():
        marks |= {(start + k, key) for k, key in table.marks}
        ruled |= {start + k for k in table.ruled}
        start += len(table.rows)
        ruled.add(start - 1)
    return replace(joined, marks=marks, ruled=ruled - {start - 1})


def _ranks_table(by_rule: Mapping[str, MetricResult]) -> Table:
    rows = {rule: {row.system: row for row in result.systems} for rule, result in by_rule.items()}
    differs, first = _differences(by_rule), next(iter(by_rule.values()))
    columns = [Column("system", "system", "name"), Column("differs", "differs"),
               *(Column(rule, _short_title(rule), "rank") for rule in rows),
               *(Column(f"cluster_{rule}", f"cluster {RANK_RULES[rule].title}", "count", where="files")
                 for rule in rows)]
    table = Table("rules", tuple(columns), tuple(
        (name, word, *(join_ends(own[name].rank_low, own[name].rank_high) for own in rows.values()),
         *(own[name].cluster for own in rows.values())) for name, word in differs.items()))
    marks = {(k, rule) for rule, own in rows.items() for k, name in enumerate(differs) if own[name].rank_low == 1}
    return replace(table, marks=marks, ruled=cluster_ends(first.systems))


def _short_title(rule: str) -> str:
    """WMT24, simultaneous, ...: where there is a column for each rule."""
    return RANK_RULES[rule].title.split(" ")[1]


def rule_counts_table(by_rule: ByRule, metric: str) -> Table:
    """A row for each rule: its top group, the sizes of its clusters, and what the tests of pairs say against it."""
    rows = []
    parts = {rule: {part: result for part, (_, result) in select_parts(found, metric).items()}
             for rule, found in by_rule.items()}
    usual = {part: _top(result) for part, result in next(iter(parts.values())).items()}
    for rule, results in parts.items():
        counts = reduce(add, map(count_against_tests, results.values()))
        if "" in results:
            top = ", ".join(row.system for row in results[""].systems if row.rank_low == 1)
            clusters = " + ".join(str(len(list(group))) for _, group in groupby(
                sorted(row.cluster or 0 for row in results[""].systems)))
        else:
            top = f"{sum(_top(result) != usual[part] for part, result in results.items())} of {len(results)}"
            clusters = str(sum(max(row.cluster or 0 for row in result.systems) for result in results.values()))
        rows.append((RANK_RULES[rule].title, top, clusters, *asdict(counts).values()))
    is_task = "" not in usual
    return Table("rule-counts", (
        Column("rule", "rule", "name"),
        Column("top_group", "language pairs with another top group" if is_task else "top group"),
        Column("clusters", "clusters" if is_task else "sizes of clusters"),
        Column("significant", "significant pairs", "count"), Column("tied", "ranked as tied", "count"),
        Column("not_significant", "not significant", "count"),
        Column("separated", "ranked apart", "count")), tuple(rows))


def _top(result: MetricResult) -> set[str]:
    return {row.system for row in result.systems if row.rank_low == 1}


def rules_verdict(by_rule: ByRule, metric: str) -> str:
    """Whether the rule changes who is first, in a sentence without its full stop."""
    changed, found = list_changed(by_rule, metric), next(iter(by_rule.values()))
    if isinstance(found, Comparison):
        names = [name for name, word in _differences(_results(by_rule, metric)[""]).items() if word]
        return (f"The rank rules disagree on the top group or the winner: {', '.join(names)}" if changed else
                "All rank rules give the same top group and winner")
    if not changed:
        return "All rank rules give the same top group and winner"
    n = len(select_parts(found, metric))
    return (f"The rank rule changes the top group or the winner in {f'{len(changed)} of ' * (n > len(changed))}"
            f"{format_count(n, 'language pair')}: {name_pairs(changed)}")


def rules_blocks(by_rule: ByRule, metric: str) -> list[Block]:
    """The verdict, the ranks by each rule, and how the rules fit the tests of pairs."""
    title = metric_title(metric)
    return [Paragraph(text=f"{rules_verdict(by_rule, metric)}.", role="verdict", about=title),
            TableBlock(table=replace(rules_table(by_rule, metric), key=f"{metric}-rules"), title=f"{title}: rank rules",
                       caption=f"Rank ranges by {title}, by rule.", notes=(RANKS_NOTE,)),
            TableBlock(table=replace(rule_counts_table(by_rule, metric), key=f"{metric}-rule-counts"),
                       title=f"{title}: rules against tests", notes=(COUNTS_NOTE,),
                       caption=f"Rank rules against the tests of pairs by {title}.")]


def _name(found: Any) -> str:
    return found.testset.name if isinstance(found, Comparison) else found.task.name


def _report(metrics: Mapping[str, ByRule]) -> Report:
    first = next(iter(next(iter(metrics.values())).values()))
    return Report(f"Rank rules side by side: {_name(first)}",
                  [Section(metric_title(metric), rules_blocks(by_rule, metric)) for metric, by_rule in metrics.items()])


def _records(metrics: Mapping[str, ByRule], metric: str) -> dict[str, Sequence[Mapping[str, Any]]]:
    return {"ranks": rules_table(metrics[metric], metric).records(),
            "rules": rule_counts_table(metrics[metric], metric).records()}


def _json(metrics: Mapping[str, ByRule]) -> str:
    first = next(iter(next(iter(metrics.values())).values()))
    one = first if isinstance(first, Comparison) else next(iter(first.pairs.values()))
    settings = {key: value for key, value in asdict(one.settings).items() if key != "rank_rule"}
    return to_json({"name": _name(first), "settings": settings,
                    "metrics": {metric: _records(metrics, metric) for metric in metrics}})


def _csv(metrics: Mapping[str, ByRule]) -> str:
    return records_csv([{"table": table, "metric": metric, **row} for metric in metrics
                        for table, rows in _records(metrics, metric).items() for row in rows])


#: Forms of comparisons by metric and rule.
RULES_FORMS: dict[str, Callable[[Mapping[str, ByRule]], str]] = {
    "text": lambda metrics: report_text(_report(metrics), terminal_width()),
    "json": _json, "csv": _csv,
    "latex": lambda metrics: report_latex(_report(metrics)),
    "html": lambda metrics: report_html(_report(metrics))}
