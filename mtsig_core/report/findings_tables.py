"""The findings of a task as text, LaTeX, HTML, CSV and JSON: for each language pair the table of a paper, and who is
better than whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mtsig_core.experiments.rankings import Findings, PairFindings
from mtsig_core.metrics import metric_title
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock
from mtsig_core.report.export import records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.sentences import choose_form, describe_methods, find_rank_rule, state_verdict
from mtsig_core.report.table import Column, Table
from mtsig_core.report.tables import CLUSTERS_NOTE, add_metric_columns, leaderboard_table, name_in_print, starred_matrix
from mtsig_core.report.text import report_text, terminal_width
from mtsig_core.schema import to_json
from mtsig_core.task import SystemInfo

STARS_NOTE = ("Row against column: the difference, positive where the row is better. *, \N{DAGGER} and "
              "\N{DOUBLE DAGGER}: adjusted p below 0.05, 0.01 and 0.001. No mark does not mean equal.")
_SHADED = ("html", "latex")
_WIDEST = 25  # systems of a head-to-head matrix on paper


def findings_table(found: Findings, pair: str) -> Table:
    """The leaderboard of a language pair in print: rank range, system, score, AutoRank, and the score in each domain.

    Marked: ranks that reach the first, and the best of each domain. Grey: not in the constrained track.
    """
    one, infos = found.pairs[pair], found.found.task.systems
    result = one.comparison.metrics[found.metric]
    table = leaderboard_table(result, one.comparison.settings).select("rank", "system", "score", "ci", "cluster")
    systems = [row.system for row in result.systems]
    unsupported = [pair in infos.get(name, SystemInfo()).unsupported for name in systems]
    places = {} if one.autorank is None else {row.system: row.autorank for row in one.autorank.systems}
    form = choose_form(result)
    columns = [*[Column("autorank", "AutoRank", "score", ".1f")] * bool(places),
               *(Column(f"domain_{name}", name, "score", form) for name in one.domains)]
    values = [[*[places.get(name)] * bool(places), *(scores.get(name) for scores in one.domains.values())]
              for name in systems]
    table = add_metric_columns(table.with_columns(columns, values, after="ci"), [
        one.comparison.metrics[name] for name in found.further if name in one.comparison.metrics])
    printed = [name_in_print(found.found.task, name) + " (language not supported)" * no
               for name, no in zip(systems, unsupported, strict=True)]
    table = table.with_columns([Column("printed", "system", "name", where="readers"),
                                Column("unsupported", "language not supported", where="files")],
                               zip(printed, unsupported, strict=True), after="system")
    table = replace(table, columns=tuple(
        replace(column, where="files") if column.key in ("system", "cluster") else column for column in table.columns))
    marks = {(k, "rank") for k, row in enumerate(result.systems) if row.rank_low == 1}
    for name, scores in one.domains.items():
        best = max(scores.values(), key=lambda score: result.sign * score, default=None)
        marks |= {(k, f"domain_{name}") for k, system in enumerate(systems) if best is not None
                  and scores.get(system) == best}
    grey = {k for k, name in enumerate(systems) if not (name in infos and infos[name].constrained)}
    tracks = any(infos[name].constrained for name in systems if name in infos)
    return replace(table, key=f"findings-{pair}", marks=marks, grey=grey if tracks else frozenset())


def findings_blocks(found: Findings, pair: str) -> list[Block]:
    """The findings of a language pair."""
    one, title = found.pairs[pair], metric_title(found.metric)
    table, result = findings_table(found, pair), one.comparison.metrics[found.metric]
    notes = [f"Ranked {find_rank_rule(found.found).title}. {CLUSTERS_NOTE}",
             f"Marked: rank ranges that reach 1{', and the best score in each domain' * bool(one.domains)}.",
             *_explain_autorank(one, found.rule)]
    grey = ["Grey: not in the constrained track."] * bool(table.grey)
    names = {row.system: name_in_print(found.found.task, row.system) for row in result.systems}
    return [Paragraph(text=f"{state_verdict(one.comparison, found.metric)}.", role="verdict", about=f"{pair}, {title}"),
            *(TableBlock(table=table, title=f"{pair}: findings", caption=f"Findings for {pair} by {title}.",
                         notes=(*notes, *more), only=only) for more, only in (([], ("text",)), (grey, _SHADED))),
            TableBlock(table=replace(starred_matrix(result, names.__getitem__), key=f"head-to-head-{pair}"),
                       title=f"{pair}: head-to-head", caption=f"Head-to-head for {pair} by {title}.",
                       notes=(STARS_NOTE,), only=() if len(names) <= _WIDEST else ("text", "html")),
            *[Paragraph(text=f"{pair}: a matrix of {len(names)} systems is too wide for a page. CSV has its numbers.",
                        role="remark", only=("latex",))] * (len(names) > _WIDEST)]


def _explain_autorank(one: PairFindings, rule: str) -> list[str]:
    if one.autorank is None:
        return []
    return [f"AutoRank as WMT{rule[2:]}, 1 is the best, by {', '.join(map(metric_title, one.autorank.metrics))}."]


def _report(found: Findings) -> Report:
    return Report(f"Findings of {found.found.task.name}", [
        *(Section(pair, findings_blocks(found, pair)) for pair in found.pairs),
        Section("How it was tested", [Paragraph(text=describe_methods(found.found, found.metric), role="methods",
                                                about=metric_title(found.metric))])])


def _records(found: Findings) -> dict[str, dict[str, list[dict[str, Any]]]]:
    return {pair: {"systems": findings_table(found, pair).records(), "pairs": [
        {"a": row.a, "b": row.b, "difference": row.delta, "adjusted_p": row.p_adjusted, "better": row.better}
        for row in one.comparison.metrics[found.metric].pairs]} for pair, one in found.pairs.items()}


def _json(found: Findings) -> str:
    first = next(iter(found.pairs.values()))
    return to_json({"task": found.found.task.name, "metric": found.metric, "autorank_rule": found.rule,
                    "settings": first.comparison.settings, "pairs": _records(found)})


def _csv(found: Findings) -> str:
    return records_csv([{"table": table, "language_pair": pair, "metric": found.metric, **row}
                        for pair, own in _records(found).items() for table, rows in own.items() for row in rows])


FINDINGS_FORMS: dict[str, Callable[[Findings], str]] = {
    "text": lambda found: report_text(_report(found), terminal_width()),
    "json": _json, "csv": _csv,
    "latex": lambda found: report_latex(_report(found)),
    "html": lambda found: report_html(_report(found))}
