"""How far metrics decide as people do, on a test set and over a task: tables, sentences, text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.assumption_words import assumed_record, info_record, list_assumptions
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import records_csv
from mtsig_core.report.table import Column, Table, join_ends
from mtsig_core.report.tables import split_columns
from mtsig_core.report.text import printable, report_text, terminal_width
from mtsig_core.results import Agreement, TaskAgreement
from mtsig_core.schema import to_json, to_plain
from mtsig_core.stats.cautions import about_agreement
from mtsig_core.stats.significance import significant

# Tables.


def agreement_table(found: Agreement | TaskAgreement) -> Table:
    """One row for each metric, the most agreeing first."""
    level = f"{100 * (1 - found.sampling.alpha):g}% CI"
    columns = (Column("metric", "metric", "name"),
               Column("soft_pairwise_accuracy", "soft pairwise accuracy", "share"),
               Column("soft_pairwise_accuracy_ci", level, "interval", ".3f"),
               Column("pairwise_accuracy", "pairwise accuracy", "share"),
               Column("pairwise_accuracy_ci", level, "interval", ".3f"),
               Column("n_pairs", "pairs", "count"), Column("n_ties", "people tie", "count"))
    return Table("agreement", columns, tuple(
        (metric_title(one.metric), one.soft_pairwise_accuracy,
         join_ends(one.soft_pairwise_accuracy_low, one.soft_pairwise_accuracy_high), one.pairwise_accuracy,
         join_ends(one.pairwise_accuracy_low, one.pairwise_accuracy_high), one.n_pairs, one.n_ties)
        for one in found.metrics))


def agreement_by_pair_table(found: TaskAgreement) -> Table:
    """Soft pairwise accuracy of each metric, the most agreeing first, in each language pair, and their mean."""
    own = {pair: {one.metric: one.soft_pairwise_accuracy for one in part.metrics} for pair, part in found.pairs.items()}
    columns = (Column("metric", "metric", "name"), Column("soft_pairwise_accuracy", "mean", "share"),
               *(Column(pair, pair, "share") for pair in own))
    return Table("agreement-by-pair", columns, tuple(
        (metric_title(one.metric), one.soft_pairwise_accuracy, *(values[one.metric] for values in own.values()))
        for one in found.metrics))


def compared_metrics_table(found: Agreement | TaskAgreement) -> Table:
    """One row for each pair of metrics."""
    columns = (Column("a", "more", "name"), Column("b", "less", "name"),
               Column("delta", "difference", "difference", ".3f"), Column("p_value", "p", "p"),
               Column("p_adjusted", "p (Holm)", "p"), Column("significant", "significant"))
    return Table("agreement-comparisons", columns, tuple(
        (metric_title(row.a), metric_title(row.b), row.delta, row.p_value, row.p_adjusted,
         "yes" if significant(row.p_adjusted, found.sampling.alpha) else "no") for row in found.comparisons))


# Sentences.


def agreement_verdict(found: Agreement | TaskAgreement) -> str:
    """Which metric agrees most, and which it is not significantly better than, in a sentence without its full stop."""
    over = f"Over {format_count(len(found.pairs), 'language pair')} " if isinstance(found, TaskAgreement) else ""
    best = found.metrics[0]
    title, accuracy = metric_title(best.metric), f"{best.soft_pairwise_accuracy:.3f}"
    if len(found.metrics) == 1:
        return f"{over}{title} has a soft pairwise accuracy of {accuracy} with {found.human}"
    alike = [metric_title(row.b if row.a == best.metric else row.a) for row in found.comparisons
             if best.metric in (row.a, row.b) and not significant(row.p_adjusted, found.sampling.alpha)]
    rest = f"not significantly more than {', '.join(alike)}" if alike else "significantly more than all others"
    return f"{over}{title} agrees most with {found.human}: soft pairwise accuracy {accuracy}, {rest}"


def agreement_assumed(found: Agreement | TaskAgreement, remedies: bool = False) -> list[str]:
    """Sentences: which direction of the scores that are held against each other was assumed."""
    assumed = found.testset.assumed if isinstance(found, Agreement) else found.task.assumed
    return list_assumptions(assumed, [found.human, *(one.metric for one in found.metrics)], remedies)


def agreement_note(found: Agreement | TaskAgreement) -> str:
    """How to read the numbers, and what they are not of."""
    unit, n = found.sampling.unit, len(found.comparisons)
    sentences = [
        "Pairwise accuracy is the share of pairs of systems that a metric orders as people do, without pairs that "
        "people score the same. Soft pairwise accuracy is 1 minus the mean distance between the one-sided p of people "
        "and of the metric (Thompson et al. 2024). A pair is compared on the segments where both systems have scores. "
        f"Permutations and resamples are by {unit}. With other systems the order of the metrics may differ."]
    if n:
        sentences.append(
            "p-values of two metrics are from PERM-BOTH (Deutsch et al. 2021), corrected by Holm for "
            f"{format_count(n, 'pair')} of metrics. For each {unit} of each system, a coin decides whether the two "
            "metrics trade their standardized segment scores; for metrics of texts, their jackknife pseudo-values.")
    if isinstance(found, TaskAgreement):
        sentences.append("Language pairs count the same; resamples are drawn within each language pair, then averaged.")
        if found.without:
            sentences.append(f"Excluded, because fewer than two systems have {printable(found.human)} scores there: "
                             f"{', '.join(map(printable, found.without))}.")
    return " ".join(sentences)


# Formats.


def agreement_blocks(found: Agreement | TaskAgreement) -> list[Block]:
    """The verdict, metrics, the most agreeing first, of a task also in each language pair, and pairs of metrics."""
    soft, verdict = f"Soft pairwise accuracy with {found.human}", f"{agreement_verdict(found)}."
    compared, note, screens = compared_metrics_table(found), agreement_note(found), ("text", "html")
    blocks: list[Block] = [
        Paragraph(text=verdict), Warnings(cautions=tuple(about_agreement(found)), only=screens),
        TableBlock(table=agreement_table(found), title="Which metric to trust", caption="Which metric to trust.",
                   caveats=(verdict, note))]
    if isinstance(found, TaskAgreement):
        table = agreement_by_pair_table(found)
        blocks += [TableBlock(table=part, title=soft, caption=f"{soft}: the mean over the language pairs, and in each.",
                              only=only)
                   for parts, only in (([table], screens), (split_columns(table, list(found.pairs)), ("latex",)))
                   for part in parts]
    if compared:
        blocks.append(TableBlock(
            table=compared, title="Pairs of metrics", fold=f"{format_count(len(compared.rows), 'pair')} of metrics",
            caption=f"Pairs of metrics by soft pairwise accuracy with {found.human}: the metric that agrees more minus "
                    "the one that agrees less."))
    assumed = agreement_assumed(found, remedies=isinstance(found, TaskAgreement))
    return [*blocks, Paragraph(text=note, role="note"), *(Paragraph(text=text, only=("text",)) for text in assumed)]


def agreement_report(found: Agreement | TaskAgreement) -> Report:
    if isinstance(found, Agreement):
        info = found.testset
        documents = "" if info.n_documents is None else f" in {format_count(info.n_documents, 'document')}"
        name, what = info.name, (f"{format_count(len(info.systems), 'system')}, "
                                 f"{format_count(info.n_segments, 'segment')}{documents} with {found.human}")
        signatures = [f"{metric_title(one.metric)}: {one.signature}" for one in found.metrics]
    else:
        name, what, signatures = found.task.name, ", ".join(found.pairs), []
    return Report(f"Metrics and {found.human} on {name}", [Section("", [
        Paragraph(text=f"{name}: {what}", role="summary"), *agreement_blocks(found),
        *(Paragraph(text=text) for text in signatures)])])


def agreement_text(found: Agreement | TaskAgreement) -> str:
    return report_text(agreement_report(found), terminal_width())


def agreement_record(found: Agreement | TaskAgreement) -> dict[str, Any]:
    """The whole result, for JSON: stable keys, undefined is null, full precision; of a task the means under the keys of
    one test set, and by language pair all of it."""
    metrics = {one.metric: to_plain(one) for one in found.metrics}
    for one in metrics.values():
        del one["metric"]
    rows = {"settings": _settings(found), "metrics": metrics, "comparisons": found.comparisons,
            "warnings": list(map(caution_record, about_agreement(found)))}
    if isinstance(found, Agreement):
        return {"human": found.human, "testset": info_record(found.testset), **rows}
    task = {"name": found.task.name, "digest": found.task.digest, "pairs": found.task.pairs,
            **assumed_record(found.task.assumed)}
    return {"human": found.human, "task": task, **rows,
            "pairs": {pair: agreement_record(part) for pair, part in found.pairs.items()}, "without": found.without}


def agreement_records(found: Agreement | TaskAgreement, tables: Sequence[str] = ("metrics", "comparisons")
                      ) -> list[dict[str, Any]]:
    """Rows of metrics and of pairs of metrics, called as `tables` says; of a task in each language pair and in the mean
    (language pair empty)."""
    if isinstance(found, Agreement):
        info = {"human": found.human, "testset": found.testset.name, "digest": found.testset.digest}
        return [{"table": table, **row, **info, **_settings(found)} for table, row in _rows(found, tables)]
    parts: list[tuple[str, Agreement | TaskAgreement]] = [("", found), *found.pairs.items()]
    info = {"human": found.human, "task": found.task.name, "digest": found.task.digest}
    return [{"table": table, "language_pair": pair, **row, **info, **_settings(found), "seed": part.sampling.seed}
            for pair, part in parts for table, row in _rows(part, tables)]


def _rows(found: Agreement | TaskAgreement, tables: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    first, second = tables
    return [*((first, asdict(row)) for row in found.metrics), *((second, asdict(row)) for row in found.comparisons)]


def _settings(found: Agreement | TaskAgreement) -> dict[str, Any]:
    one = found if isinstance(found, Agreement) else next(iter(found.pairs.values()))
    mean = "" if isinstance(found, Agreement) else "mean "
    return {**asdict(found.sampling), "trials": one.trials, "correction": found.correction,
            "compared": f"{mean}soft_pairwise_accuracy", "compared_by": "perm-both"}


AGREEMENT_FORMS: dict[str, Callable[[Agreement | TaskAgreement], str]] = {
    "text": agreement_text, "json": lambda found: to_json(agreement_record(found)),
    "csv": lambda found: records_csv(agreement_records(found))}
