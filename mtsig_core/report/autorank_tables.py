"""AutoRank as text, LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.experiments.rankings import AutoRank, PairAutoRank
from mtsig_core.metrics import metric_title
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock
from mtsig_core.report.export import records_csv
from mtsig_core.report.latex import report_latex
from mtsig_core.report.table import Column, Table
from mtsig_core.report.text import printable, report_text, terminal_width
from mtsig_core.schema import to_json

_RULES = {"2025": "as WMT25: (score - median) / (maximum - 25th percentile) over the systems, averaged over the "
                  "metrics. The best system gets 1, the worst the number of systems",
          "2024": "as WMT24: each metric mapped to 1 (best) to one more than the number of systems (worst), then "
                  "averaged"}


def autorank_table(found: PairAutoRank) -> Table:
    """One row for each system, the best first, with its place by each metric alone."""
    level = f"{100 * (1 - found.sampling.alpha):g}% CI"
    columns = (Column("rank", "rank", "rank", help="The places that the system takes in the resamples"),
               Column("system", "system", "name"), Column("autorank", "AutoRank", "score", ".1f"),
               Column("ci", level, "interval", ".1f"),
               *(Column(f"place_{name}", metric_title(name), "count", help="Its place by this metric only")
                 for name in found.metrics))
    return Table("autorank", columns, tuple(
        ((one.rank_low, one.rank_high), one.system, one.autorank, (one.low, one.high),
         *(one.places[name] for name in found.metrics)) for one in found.systems))


def autorank_report(found: AutoRank) -> Report:
    """A section for each language pair."""
    return Report(f"AutoRank of {found.task}", [Section(pair, autorank_blocks(found, pair)) for pair in found.pairs])


def autorank_blocks(found: AutoRank, pair: str) -> list[Block]:
    """Who is first in a language pair, and the table."""
    one = found.pairs[pair]
    metrics = ", ".join(map(metric_title, one.metrics))
    sampling = one.sampling
    note = (f"AutoRank {_RULES[found.rule]}. Rank: the places in {1 - sampling.alpha:.0%} of "
            f"{sampling.resamples:,} bootstrap resamples by {sampling.unit}, the same for all metrics; seed "
            f"{sampling.seed}. Columns of metrics: the place by that metric only. An automatic ranking does not "
            "replace human scores.")
    if one.as_published:
        note += (" WMT25 used these metrics: CometKiwi-XL where the task had a reference, only chrF++ for "
                 "Bhojpuri and Maasai.")
    if one.without:
        note += f" Excluded, because they lack scores of a metric: {', '.join(map(printable, one.without))}."
    first = one.systems[0]
    rivals = [row.system for row in one.systems[1:] if row.rank_low == 1]
    others = f", but in some resamples {' or '.join(map(printable, rivals))} is first" if rivals else ""
    verdict = f"{printable(first.system)} is first of {format_count(len(one.systems), 'system')}{others}."
    return [Paragraph(text=verdict, role="verdict", about=f"{pair}, AutoRank by {metrics}"),
            TableBlock(table=autorank_table(one), title=f"AutoRank of {pair}", caption=f"AutoRank of {pair}.",
                       notes=(note,))]


def autorank_record(found: AutoRank) -> dict[str, Any]:
    first = next(iter(found.pairs.values())).sampling
    settings = {"rule": found.rule, **{key: value for key, value in asdict(first).items() if key != "unit"}}
    return {"task": found.task, "settings": settings, "pairs": {pair: {
        "metrics": one.metrics, "unit": one.sampling.unit, "without": one.without,
        "systems": list(map(asdict, one.systems))} for pair, one in found.pairs.items()}}


def autorank_records(found: AutoRank) -> list[dict[str, Any]]:
    """A row for each system of each language pair."""
    rows = []
    for pair, one in found.pairs.items():
        for row in one.systems:
            record = asdict(row)
            places = record.pop("places")
            rows.append({"language_pair": pair, **record, **{f"place_{name}": place for name, place in places.items()},
                         "rule": found.rule, "metrics": " ".join(one.metrics), **asdict(one.sampling)})
    return rows


AUTORANK_FORMS: dict[str, Callable[[AutoRank], str]] = {
    "text": lambda found: report_text(autorank_report(found), terminal_width()),
    "latex": lambda found: report_latex(autorank_report(found)),
    "csv": lambda found: records_csv(autorank_records(found)),
    "json": lambda found: to_json(autorank_record(found))}
