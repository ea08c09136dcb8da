"""How far metrics decide as people do, on a test set and over a task: rows, a sentence, text, JSON and CSV."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import METRICS, metric_title
from mtsig_core.report.cells import Cell, Table, number
from mtsig_core.report.export import records_csv
from mtsig_core.report.terminal import caution_lines, table_lines
from mtsig_core.report.text import printable
from mtsig_core.report.words import assumptions
from mtsig_core.results import Agreement, Caution, TaskAgreement
from mtsig_core.schema import to_json, to_plain
from mtsig_core.stats.few_units import about_few_in
from mtsig_core.stats.significance import significant
from mtsig_core.testset import with_remedy

#-----------------------------------------------------------------------------------------------------------------------
# How far metrics decide as people do: rows, a sentence, text, JSON and CSV.


def agreement_json(found: Agreement) -> str:
    """The whole result: stable keys, undefined is null, full precision."""
    return to_json(_record(found))


def _record(found: Agreement) -> dict[str, Any]:
    return {"human": found.human, "testset": found.testset, "settings": _settings(found), **_rows(found)}


def _rows(found: Agreement | TaskAgreement) -> dict[str, Any]:
    """Metrics by name, pairs of metrics, and warnings, as JSON has them."""
    metrics = {one.metric: to_plain(one) for one in found.metrics}
    for one in metrics.values():
        del one["metric"]
    return {"metrics": metrics, "comparisons": found.comparisons, "warnings": agreement_cautions(found)}


def agreement_csv(found: Agreement) -> str:
    """Rows of metrics and of pairs of metrics, told apart by the column ``table``."""
    info = {"human": found.human, "testset": found.testset.name, "digest": found.testset.digest, **_settings(found)}
    return records_csv([*({"table": "metrics", **asdict(row), **info} for row in found.metrics),
                        *({"table": "comparisons", **asdict(row), **info} for row in found.comparisons)])


def agreement_text(found: Agreement) -> str:
    """Metrics, the most agreeing first, and pairs of them."""
    header, rows = agreement_rows(found)
    lines = [f"{printable(found.testset.name)}: {counted(len(found.testset.systems), 'system')}, {_segments(found)}",
             f"{printable(agreement_verdict(found))}.", *map(printable, agreement_assumed(found)),
             *caution_lines(agreement_cautions(found)), "",
             *table_lines(header, rows, "<" + ">" * (len(header) - 1)), ""]
    if found.comparisons:
        header, rows = comparison_rows(found)
        lines += [*table_lines(header, rows, "<<" + ">" * (len(header) - 2)), ""]
    lines += [agreement_note(found), "",
              *(printable(f"{metric_title(one.metric)}: {one.signature}") for one in found.metrics)]
    return "\n".join(lines).rstrip() + "\n"


def agreement_verdict(found: Agreement | TaskAgreement) -> str:
    """Which metric agrees most, and which it is not significantly apart from, in a sentence without its full stop."""
    best = found.metrics[0]
    if len(found.metrics) == 1:
        return f"{metric_title(best.metric)} has a soft pairwise accuracy of {best.soft_pairwise_accuracy:.3f} with " \
               f"{found.human}"
    said = f"{metric_title(best.metric)} agrees most with {found.human}: soft pairwise accuracy " \
           f"{best.soft_pairwise_accuracy:.3f}"
    alike = [row.b if row.a == best.metric else row.a for row in found.comparisons
             if best.metric in (row.a, row.b) and not significant(row.p_adjusted, found.sampling.alpha)]
    if len(alike) == len(found.metrics) - 1:
        return f"{said}; no other is significantly apart from it"
    n = len(found.metrics) - 1
    if not alike:
        return f"{said}, significantly more than {'the other' if n == 1 else f'each of the {n} others'}"
    return (f"{said}, significantly more than {n - len(alike)} of {n} others; not significantly apart from it: "
            f"{', '.join(metric_title(name) for name in alike)}")


def agreement_assumed(found: Agreement | TaskAgreement) -> list[str]:
    """Sentences: which direction of the scores that are held against each other was assumed."""
    assumed = found.testset.assumed if isinstance(found, Agreement) else found.task.assumed
    return assumptions(assumed, [found.human, *(one.metric for one in found.metrics)])


def agreement_cautions(found: Agreement | TaskAgreement) -> list[Caution]:
    """A warning for each metric that orders fewer than half of the pairs as people do, as its direction may be wrong,
    or theirs where all whose direction is known do so; what metrics can tell of the texts; and few units."""
    said: list[Caution] = []
    known = [one.pairwise_accuracy for one in found.metrics if one.metric in METRICS]
    turned = all(accuracy is not None and accuracy < 0.5 for accuracy in known)
    for one in found.metrics:
        if one.pairwise_accuracy is None or one.pairwise_accuracy >= 0.5:
            continue
        ours = one.metric in METRICS
        which, other = ("higher", "lower") if one.higher_is_better else ("lower", "higher")
        doubt = "it is no guide to these systems" if ours and not turned else \
            f"the direction of {found.human} may be wrong" if ours else \
            f"its direction ({which} is better) may be wrong"
        said.append(Caution(
            "against-people", f"{metric_title(one.metric)} orders most pairs of systems otherwise than {found.human} "
            f"(pairwise accuracy {one.pairwise_accuracy:.3f}): {doubt}.", one.metric,
            remedies=() if ours else ({f"{other}_is_better": one.metric},)))
    parts = {found.testset.name: found} if isinstance(found, Agreement) else found.pairs
    sizes = {name: _n_units(one) for name, one in parts.items()}
    of_texts = dict.fromkeys(caution for one in parts.values() for caution in one.warnings)
    return [*said, *of_texts, *about_few_in(sizes, found.sampling.unit, found.sampling.alpha)]


def _n_units(found: Agreement) -> int:
    """Units of the part that has all scores asked for."""
    info, sampling = found.testset, found.sampling
    if sampling.unit == "document" and info.n_documents is not None:
        return info.n_documents
    return info.n_segments if sampling.block_length is None else round(info.n_segments / sampling.block_length)


def agreement_rows(found: Agreement | TaskAgreement) -> Table:
    """One row for each metric, the most agreeing first."""
    level = f"{100 * (1 - found.sampling.alpha):g}%"
    return ["metric", "soft pairwise accuracy", f"{level} interval", "pairwise accuracy", f"{level} interval", "pairs",
            "people tie"], [
        [metric_title(one.metric), number(one.soft_pairwise_accuracy, ".3f"),
         _interval(one.soft_pairwise_accuracy_low, one.soft_pairwise_accuracy_high),
         number(one.pairwise_accuracy, ".3f"), _interval(one.pairwise_accuracy_low, one.pairwise_accuracy_high),
         str(one.n_pairs), str(one.n_ties)] for one in found.metrics]


def comparison_rows(found: Agreement | TaskAgreement) -> Table:
    """One row for each pair of metrics."""
    return ["more", "less", "difference", "p", "p (Holm)", "significant"], [
        [metric_title(row.a), metric_title(row.b), number(row.delta, "+.3f"), Cell(f"{row.p_value:.4f}", row.p_value),
         Cell(f"{row.p_adjusted:.4f}", row.p_adjusted),
         "yes" if significant(row.p_adjusted, found.sampling.alpha) else "no"] for row in found.comparisons]


def agreement_note(found: Agreement | TaskAgreement) -> str:
    """How to read the numbers."""
    unit, family = found.sampling.unit, len(found.comparisons)
    said = ("Pairwise accuracy: the share of pairs of systems that a metric orders as people do; pairs that people "
            "score the same are left out. Soft pairwise accuracy: 1 less the mean distance of the one-sided p of "
            "people and of the metric, so that a pair that people hardly tell apart counts for little either way "
            "(Thompson et al. 2024). A pair is compared on the segments where both have scores. Swaps and samples by "
            f"{unit}; with other systems the order may be another.")
    if not family:
        return said
    corrected = f", corrected by Holm for {family} pairs of metrics" if family > 1 else ""
    return (f"{said} p of two metrics: PERM-BOTH (Deutsch et al. 2021){corrected}. For each {unit} of each system a "
            "coin decides whether the two metrics trade their standardized segment scores. Metrics of texts enter by "
            "what each segment contributes to the score of the whole set (jackknife pseudo-values).")


def _segments(found: Agreement) -> str:
    """What the numbers stand on, in a phrase."""
    documents = "" if found.testset.n_documents is None else f" in {counted(found.testset.n_documents, 'document')}"
    return f"{counted(found.testset.n_segments, 'segment')}{documents} with {found.human}"


def _settings(found: Agreement) -> dict[str, Any]:
    return {**asdict(found.sampling), "trials": found.trials, "correction": found.correction,
            "compared": "soft_pairwise_accuracy", "compared_by": "perm-both"}


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


AGREEMENT_FORMS = {"text": agreement_text, "json": agreement_json, "csv": agreement_csv}


#-----------------------------------------------------------------------------------------------------------------------
# Which metric to trust over a task: rows, a sentence, text, JSON and CSV.


def task_agreement_verdict(found: TaskAgreement) -> str:
    """Which metric agrees most in the mean, in a sentence without its full stop."""
    n = len(found.pairs)
    return f"Over {n} language {'pair' if n == 1 else 'pairs'} {agreement_verdict(found)}"


def by_language_pair(found: TaskAgreement) -> Table:
    """Soft pairwise accuracy of each metric, the most agreeing first, in each language pair, and their mean."""
    own = {pair: {one.metric: one.soft_pairwise_accuracy for one in of.metrics} for pair, of in found.pairs.items()}
    return ["metric", "mean", *own], [
        [metric_title(one.metric), number(one.soft_pairwise_accuracy, ".3f"),
         *(number(values[one.metric], ".3f") for values in own.values())] for one in found.metrics]


def task_agreement_note(found: TaskAgreement) -> str:
    """How to read the numbers, and what they are not of."""
    without = f" Without {printable(found.human)} of two systems, and left out: " \
              f"{', '.join(map(printable, found.without))}." if found.without else ""
    return (f"{agreement_note(found)} Language pairs count the same; samples are drawn within each of them and then "
            f"averaged.{without}")


def task_agreement_text(found: TaskAgreement) -> str:
    """The means, each language pair, and pairs of metrics."""
    tables = [agreement_rows(found), by_language_pair(found)]
    lines = [f"{printable(found.task.name)}: {', '.join(map(printable, found.pairs))}",
             f"{printable(task_agreement_verdict(found))}.", *caution_lines(agreement_cautions(found))]
    for header, rows in tables:
        lines += ["", *table_lines(header, rows, "<" + ">" * (len(header) - 1))]
    if found.comparisons:
        header, rows = comparison_rows(found)
        lines += ["", *table_lines(header, rows, "<<" + ">" * (len(header) - 2))]
    return "\n".join([*lines, "", task_agreement_note(found),
                      *map(printable, map(with_remedy, agreement_assumed(found)))]) + "\n"


def task_agreement_record(found: TaskAgreement) -> dict[str, Any]:
    """What JSON has: the means under the keys of one test set, and by language pair all of it."""
    return {"human": found.human, "task": {"name": found.task.name, "digest": found.task.digest,
                                           "pairs": found.task.pairs, "assumed": found.task.assumed},
            "settings": _task_settings(found), **_rows(found),
            "pairs": {pair: _record(own) for pair, own in found.pairs.items()}, "without": found.without}


def task_agreement_json(found: TaskAgreement) -> str:
    """As `agreement_json`, over the language pairs of a task."""
    return to_json(task_agreement_record(found))


def task_agreement_csv(found: TaskAgreement) -> str:
    """Rows of metrics and of pairs of metrics in each language pair and in the mean (language pair empty)."""
    return records_csv(task_agreement_records(found))


def task_agreement_records(found: TaskAgreement, tables: tuple[str, str] = ("metrics", "comparisons")
                           ) -> list[dict[str, Any]]:
    """The rows of `task_agreement_csv`: those of metrics and of pairs of metrics are called as `tables` says."""
    parts: list[tuple[str, Any]] = [("", found), *found.pairs.items()]
    info = {"human": found.human, "task": found.task.name, "digest": found.task.digest, **_task_settings(found)}
    return [{"table": table, "language_pair": pair, **asdict(row), **info, "seed": of.sampling.seed}
            for pair, of in parts for table, rows in zip(tables, (of.metrics, of.comparisons), strict=True)
            for row in rows]


def _task_settings(found: TaskAgreement) -> dict[str, Any]:
    return {**asdict(found.sampling), "trials": next(iter(found.pairs.values())).trials,
            "correction": found.correction, "compared": "mean soft_pairwise_accuracy",
            "compared_by": "perm-both"}


TASK_AGREEMENT_FORMS = {"text": task_agreement_text, "json": task_agreement_json, "csv": task_agreement_csv}
