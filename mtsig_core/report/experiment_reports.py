"""Results of experiments as tables, sentences and reports, which have their records too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import format_count
from mtsig_core.experiments.rankings import (
    AutoRank,
    Findings,
    PairAutoRank,
    PairFindings,
    count_against_tests,
)
from mtsig_core.grouping import group_values
from mtsig_core.metrics import metric_title
from mtsig_core.readers.published_values import RANK
from mtsig_core.report.caution_words import (
    assumed_record,
    caution_record,
    fit_remedies_to_task,
    info_record,
    list_assumptions,
)
from mtsig_core.report.document import (
    Block,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
    separate_blocks,
)
from mtsig_core.report.export import label_records
from mtsig_core.report.published_tables import NOTE, list_columns, write_published
from mtsig_core.report.sentences import (
    AnyComparison,
    choose_form,
    describe_direction,
    describe_methods,
    explain_head_to_head,
    explain_unfit_rule,
    find_metric_rule,
    join_names,
    list_exclusions,
    name_pairs,
    name_top_group,
    select_lang_pairs,
    state_verdict,
)
from mtsig_core.report.table import (
    EMPTY,
    Cell,
    Column,
    Legend,
    Table,
    TableBuilder,
    join_ends,
    join_tables,
    rank_interval,
    written_like,
)
from mtsig_core.report.tables import (
    CLUSTERS,
    add_metric_columns,
    cluster_ends,
    find_unconstrained,
    leaderboard_table,
    name_in_print,
    starred_matrix,
)
from mtsig_core.report.text import printable
from mtsig_core.results import (
    Agreement,
    AgreementComparison,
    ByDomain,
    Comparison,
    DomainPair,
    MetricResult,
    PairResult,
    StratifiedPair,
    TaskAgreement,
)
from mtsig_core.schema import NamedRecords, Records, to_plain
from mtsig_core.stats.cautions import about_agreement
from mtsig_core.stats.few_units import p_floor
from mtsig_core.stats.published_scores import (
    RankBeside,
    RankReplication,
    Replication,
    ScoreBeside,
    TaskReplication,
    split_way,
)
from mtsig_core.stats.ranks import RANK_RULES, list_first
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import TESTS, significant
from mtsig_core.task import SystemInfo

_YES_NO = {True: "yes", False: "no"}
_LANG_PAIR = Column("language_pair", "language pair", "name")


def record_by_name(rows: Sequence[Any], name: str) -> NamedRecords:
    """Rows for JSON by one of their fields."""
    records = {}
    for row in rows:
        record = asdict(row)
        records[record.pop(name)] = record
    return records


def write_paragraphs(texts: Sequence[str], role: str = "text", about: str = "") -> list[Block]:
    """Paragraphs of a role, about a metric or a language pair."""
    return [Paragraph(text=text, role=role, about=about) for text in texts]


# -------------------------------------------------------------------------------------------------
# How far metrics decide as people do, on a test set and over a task.

AnyAgreement = Agreement | TaskAgreement


def agreement_table(agreement: AnyAgreement) -> Table:
    """One row for each metric, the most agreeing first."""
    level = f"{100 * (1 - agreement.sampling.alpha):g}% CI"
    table = TableBuilder("agreement", agreement.metrics)
    table.add("metric", "metric", "name", lambda row: metric_title(row.metric))
    for key in ("soft_pairwise_accuracy", "pairwise_accuracy"):
        low = attrgetter(f"{key}_low")
        high = attrgetter(f"{key}_high")
        intervals = [join_ends(low(row), high(row)) for row in agreement.metrics]
        table.add(key, key.replace("_", " "), "share")
        table.add_values(f"{key}_ci", level, "interval", intervals, form=".3f")
    table.add("n_pairs", "pairs", "count")
    table.add("n_ties", "tied by humans", "count")
    return table.build()


def agreement_by_pair_table(agreement: TaskAgreement) -> Table:
    """Soft pairwise accuracy of each metric, in each language pair and as their mean."""
    columns = [
        Column("metric", "metric", "name"),
        Column("soft_pairwise_accuracy", "mean", "share"),
    ]
    accuracies: dict[str, list[Any]] = {}
    for row in agreement.metrics:
        accuracies[row.metric] = [metric_title(row.metric), row.soft_pairwise_accuracy]
    for pair, result in agreement.pairs.items():
        columns.append(Column(pair, pair, "share", is_series=True))
        for row in result.metrics:
            accuracies[row.metric].append(row.soft_pairwise_accuracy)
    return Table("agreement-by-pair", tuple(columns), tuple(map(tuple, accuracies.values())))


def compared_metrics_table(agreement: AnyAgreement) -> Table:
    """One row for each pair of metrics."""
    alpha = agreement.sampling.alpha

    def decide(row: AgreementComparison) -> str:
        return _YES_NO[bool(significant(row.p_adjusted, alpha))]

    table = TableBuilder("agreement-comparisons", agreement.comparisons)
    table.add("a", "more", "name", lambda row: metric_title(row.a))
    table.add("b", "less", "name", lambda row: metric_title(row.b))
    table.add("delta", "difference", "difference", form=".3f")
    table.add("p_value", "p", "p")
    table.add("p_adjusted", "p (Holm)", "p")
    table.add("significant", "significant", "text", decide)
    return table.build()


def agreement_verdict(agreement: AnyAgreement) -> str:
    """Which metric agrees most, and which it is not significantly better than.

    A sentence without its full stop.
    """
    extent = ""
    if isinstance(agreement, TaskAgreement):
        extent = f"Over {format_count(len(agreement.pairs), 'language pair')} "
    human = agreement.human
    best = agreement.metrics[0]
    title = metric_title(best.metric)
    accuracy = f"{best.soft_pairwise_accuracy:.3f}"
    if len(agreement.metrics) == 1:
        return f"{extent}{title} has a soft pairwise accuracy of {accuracy} with {human}"
    alike = []
    for row in agreement.comparisons:
        is_better = row.a == best.metric and significant(row.p_adjusted, agreement.sampling.alpha)
        if best.metric in (row.a, row.b) and not is_better:
            other_metric = row.a
            if row.a == best.metric:
                other_metric = row.b
            alike.append(metric_title(other_metric))
    comparison = "significantly more than all others"
    if alike:
        comparison = f"not significantly more than {', '.join(alike)}"
    return (
        f"{extent}{title} agrees most with {human}: soft pairwise accuracy {accuracy}, {comparison}"
    )


def _list_assumed(agreement: AnyAgreement) -> tuple[Assumption, ...]:
    if isinstance(agreement, Agreement):
        return agreement.testset.assumed
    return agreement.task.assumed


def agreement_assumed(agreement: AnyAgreement, remedies: bool = False) -> list[str]:
    """Sentences about the assumed direction of the scores that are compared."""
    names = [agreement.human, *(row.metric for row in agreement.metrics)]
    return list_assumptions(_list_assumed(agreement), names, remedies)


def agreement_note(agreement: AnyAgreement) -> str:
    """How to read the numbers."""
    unit = agreement.sampling.unit
    n_comparisons = len(agreement.comparisons)
    sentences = [
        "Pairwise accuracy is the share of pairs of systems that a metric puts in the same order as the human "
        "scores; pairs tied by humans are excluded. Soft pairwise accuracy is 1 minus the mean distance between "
        "the one-sided p of human scores and the one-sided p of the metric (Thompson et al. 2024). A pair is "
        "compared on the segments where both systems have scores. "
        f"Permutations and resamples are by {unit}. The order of the metrics may be different for other systems."
    ]
    if n_comparisons:
        sentences.append(
            "p-values of two metrics are from PERM-BOTH (Deutsch et al. 2021), corrected by Holm for "
            f"{format_count(n_comparisons, 'pair')} of metrics. For each {unit} of each system, a coin decides "
            "whether the two metrics swap their standardized segment scores (metrics of texts: jackknife "
            "pseudo-values). The difference here uses a normal approximation, so it can differ slightly from the "
            "difference of the accuracies above."
        )
    if isinstance(agreement, TaskAgreement):
        sentences.append(
            "All language pairs have the same weight. Resamples are drawn within each language pair, then averaged."
        )
        if agreement.without:
            pairs = ", ".join(map(printable, agreement.without))
            sentences.append(
                f"Excluded: {pairs}. Fewer than two systems have {printable(agreement.human)} scores there."
            )
    return " ".join(sentences)


def agreement_blocks(agreement: AnyAgreement) -> list[Block]:
    """The verdict, the metrics, of a task also by language pair, and pairs of metrics."""
    verdict = f"{agreement_verdict(agreement)}."
    note = agreement_note(agreement)
    soft_accuracy = f"oft pairwise accuracy with {agreement.human}"
    blocks: list[Block] = [
        Paragraph(text=verdict),
        Warnings(cautions=tuple(about_agreement(agreement))),
        TableBlock(
            table=agreement_table(agreement),
            title="Which metric to trust",
            caption="Which metric to trust.",
            caveats=(verdict, note),
        ),
    ]
    is_task = isinstance(agreement, TaskAgreement)
    if isinstance(agreement, TaskAgreement):
        blocks.append(
            TableBlock(
                table=agreement_by_pair_table(agreement),
                title=f"S{soft_accuracy}",
                caption=f"S{soft_accuracy}: the mean over the language pairs, and each language pair.",
            )
        )
    comparisons = compared_metrics_table(agreement)
    if comparisons:
        blocks.append(
            TableBlock(
                table=comparisons,
                title="Pairs of metrics",
                fold=f"{format_count(len(comparisons.rows), 'pair')} of metrics",
                caption=f"Pairs of metrics by s{soft_accuracy}: the metric with the higher agreement minus the other one.",
            )
        )
    blocks.append(Paragraph(text=note, role="note"))
    return blocks + write_paragraphs(agreement_assumed(agreement, remedies=is_task), "hint")


def agreement_report(agreement: AnyAgreement) -> Report:
    """Which metric agrees most with people, on a test set or over a task."""
    signatures = []
    if isinstance(agreement, Agreement):
        info = agreement.testset
        name = info.name
        systems = format_count(len(info.systems), "system")
        size = format_count(info.n_segments, "segment")
        if info.n_documents is not None:
            size += f" in {format_count(info.n_documents, 'document')}"
        subject = f"{systems}, {size} with {agreement.human}"
        signatures = [f"{metric_title(row.metric)}: {row.signature}" for row in agreement.metrics]
    else:
        name = agreement.task.name
        subject = ", ".join(agreement.pairs)
    blocks = [
        Paragraph(text=f"{name}: {subject}", role="summary"),
        *agreement_blocks(agreement),
        *write_paragraphs(signatures),
    ]
    return Report(
        f"Metrics and {agreement.human} on {name}",
        [Section("", blocks)],
        make_record=partial(agreement_record, agreement),
        make_rows=partial(agreement_rows, agreement),
    )


def agreement_record(agreement: AnyAgreement) -> dict[str, Any]:
    """The complete result for JSON: stable keys, undefined is null, full precision.

    A task has the means under the keys of a test set, and everything by language pair.
    """
    results = {
        "settings": _agreement_settings(agreement),
        "metrics": record_by_name(agreement.metrics, "metric"),
        "comparisons": agreement.comparisons,
        "warnings": [caution_record(caution) for caution in about_agreement(agreement)],
    }
    if isinstance(agreement, Agreement):
        return {"human": agreement.human, "testset": info_record(agreement.testset), **results}
    task = agreement.task
    about_task = {"name": task.name, "digest": task.digest, "pairs": task.pairs}
    pairs = {pair: agreement_record(result) for pair, result in agreement.pairs.items()}
    return {
        "human": agreement.human,
        "task": about_task | assumed_record(task.assumed),
        **results,
        "pairs": pairs,
        "without": agreement.without,
    }


def agreement_rows(
    agreement: AnyAgreement, tables: tuple[str, str] = ("metrics", "comparisons")
) -> Records:
    """Rows for CSV of metrics and of pairs of metrics, in `tables` of these names.

    A task has rows for each language pair and for the mean (language pair empty).
    """
    info: dict[str, Any] = {"human": agreement.human}
    if isinstance(agreement, Agreement):
        info |= {"testset": agreement.testset.name, "digest": agreement.testset.digest}
        return _list_agreement_rows(agreement, tables, info | _agreement_settings(agreement))
    info |= {"task": agreement.task.name, "digest": agreement.task.digest}
    info |= _agreement_settings(agreement)
    rows = _list_agreement_rows(agreement, tables, info, language_pair="")
    for pair, result in agreement.pairs.items():
        info["seed"] = result.sampling.seed
        rows += _list_agreement_rows(result, tables, info, language_pair=pair)
    return rows


def _list_agreement_rows(
    agreement: AnyAgreement, tables: tuple[str, str], info: Mapping[str, Any], **labels: str
) -> Records:
    metrics, comparisons = tables
    metric_rows = [{**asdict(row), **info} for row in agreement.metrics]
    comparison_rows = [{**asdict(row), **info} for row in agreement.comparisons]
    rows = label_records(metrics, metric_rows, **labels)
    return rows + label_records(comparisons, comparison_rows, **labels)


def _agreement_settings(agreement: AnyAgreement) -> dict[str, Any]:
    if isinstance(agreement, Agreement):
        trials = agreement.trials
        compared = "soft_pairwise_accuracy"
    else:
        first = next(iter(agreement.pairs.values()))
        trials = first.trials
        compared = "mean soft_pairwise_accuracy"
    return {
        **asdict(agreement.sampling),
        "trials": trials,
        "correction": agreement.correction,
        "compared": compared,
        "compared_by": "perm-both",
    }


# -------------------------------------------------------------------------------------------------
# Systems by domain.


def domain_table(result: ByDomain) -> Table:
    """Scores of the systems, best on the whole set first, in each domain."""
    scores: list[float | None] = []
    for domain in result.domains:
        scores += domain.scores.values()
    form = written_like(score for score in scores if score is not None)
    table = TableBuilder("domains", result.systems)
    table.add("system", "system", "name", str)
    for domain in result.domains:
        table.add(domain.domain, domain.domain, "score", domain.scores.__getitem__, form=form)
    return table.build()


def opposed_pairs_table(result: ByDomain) -> Table:
    """Pairs that reverse significantly, then significant pairs reversed in at least one domain.

    Differences are positive where a is better.
    """
    sign = 1 if result.higher_is_better else -1
    form = written_like(pair.delta for pair in result.pairs)
    pairs = [pair for pair in result.pairs if pair.reverses or pair.opposed]
    pairs.sort(key=lambda pair: not pair.reverses)
    table = TableBuilder("opposed-pairs", pairs)
    table.add("a", "a", "name")
    table.add("b", "b", "name")
    table.add("difference", "all", "decided", lambda pair: _decide(pair, sign), form=form)
    table.add("p_adjusted", "p adj.", "p")
    for domain in result.domains:
        cells = [_find_domain(pair, domain.domain, sign) for pair in pairs]
        table.add_values(domain.domain, domain.domain, "decided", cells, form=form)
    table.add("reverses", "reverses", "text", lambda pair: _YES_NO[pair.reverses])
    return table.build()


def _decide(pair: Any, sign: int) -> tuple[float, bool]:
    return sign * pair.delta, pair.better is not None


def _find_domain(pair: StratifiedPair, domain: str, sign: int) -> tuple[float, bool] | None:
    for in_domain in pair.domains:
        if in_domain.domain == domain:
            return _decide(in_domain, sign)
    return None


def domains_verdict(result: ByDomain) -> str:
    """State how many significant pairs are the other way round somewhere.

    A sentence without its full stop.
    """
    unit = result.sampling.unit
    if unit == "document":
        n_units = sum(domain.n_documents or 0 for domain in result.domains)
    else:
        n_units = sum(domain.n_segments for domain in result.domains)
    if float(p_floor(TESTS[result.test], unit, np.array(n_units))) > result.sampling.alpha:
        return f"no pair can be significant with {format_count(n_units, unit)}"
    n_significant = sum(pair.better is not None for pair in result.pairs)
    n_opposed = sum(bool(pair.opposed) for pair in result.pairs)
    n_reversed = sum(pair.reverses for pair in result.pairs)
    return (
        f"{n_significant} of {format_count(len(result.pairs), 'pair')} significant on the whole set, {n_opposed} of "
        f"these reversed in at least one domain; {n_reversed or 'none'} significantly reversed between domains"
    )


def domains_note(result: ByDomain) -> str:
    """How to read the numbers."""
    unit = result.sampling.unit
    n_segments = {domain.domain: domain.n_segments for domain in result.domains}
    sizes = []
    things = "Segments"
    for domain in result.domains:
        size = f"{domain.domain} {domain.n_segments:,}"
        if domain.n_documents is not None:
            size += f" ({domain.n_documents:,})"
            things = "Segments (and documents)"
        sizes.append(size)
    in_domains: list[DomainPair] = []
    for pair in result.pairs:
        in_domains += pair.domains
    gaps = ""
    if any(domain.n_segments < n_segments[domain.domain] for domain in in_domains):
        gaps = "; a pair is compared on the segments that have scores for both systems"
    return (
        f"{things}: {', '.join(sizes)}{gaps}. Positive where the first system is better; ● is significant at "
        f"{result.sampling.alpha:g}. Corrected by Romano-Wolf for {format_count(len(result.pairs), 'pair')} on the "
        f"whole set, and separately for {len(in_domains)} in the domains. "
        f"{SETTINGS['test'].name_value(result.test)} by {unit}, within domains. "
        f"In a domain with few {unit}s, an opposite sign is weak evidence."
    )


def domains_blocks(result: ByDomain) -> list[Block]:
    """The verdict, the scores by domain, the pairs that domains reverse, and how to read them."""
    title = metric_title(result.metric)
    direction = describe_direction(result.higher_is_better)
    verdict = f"{title} ({direction}): {domains_verdict(result)}."
    assumed = list_assumptions(result.testset.assumed, [result.metric])
    blocks: list[Block] = [Paragraph(text=verdict, role="verdict"), *write_paragraphs(assumed)]
    tables = {
        "scores by domain": domain_table(result),
        "reversed pairs": opposed_pairs_table(result),
    }
    for name, table in tables.items():
        if table:
            blocks.append(TableBlock(table=table, title=f"{title}: {name}"))
    blocks.append(Paragraph(text=domains_note(result), role="note"))
    blocks.append(Warnings(cautions=result.warnings))
    return blocks


def _domain_sections(result: ByDomain) -> Iterator[Section]:
    yield from separate_blocks(domains_blocks(result))
    signatures = [result.signature]
    for domain in result.domains:
        signature = domain.signature
        if signature is not None:
            signatures.append(f"{domain.domain}: {signature}")
    yield Section("", write_paragraphs(signatures, "signature"))


def domains_report(results: Sequence[ByDomain]) -> Report:
    """For each metric the scores by domain, and the pairs that a domain has the other way round."""
    first = results[0]
    metrics = {}
    warnings = []
    sections: list[Section] = []
    rows: Records = []
    for result in results:
        sections += _domain_sections(result)
        rows += _list_domain_rows(result)
        warnings += [caution_record(caution) for caution in result.warnings]
        metrics[result.metric] = {
            "signature": result.signature,
            "higher_is_better": result.higher_is_better,
            "systems": result.systems,
            "domains": result.domains,
            "pairs": result.pairs,
        }
    settings = {
        **asdict(first.sampling),
        "test": first.test,
        "trials": first.trials,
        "correction": "romano-wolf",
    }
    record = {
        "testset": info_record(first.testset),
        "settings": settings,
        "metrics": metrics,
        "warnings": warnings,
    }
    info = {"testset": first.testset.name, "digest": first.testset.digest, **settings}
    rows = [{**row, **info} for row in rows]
    return Report(
        f"Systems by domain on {first.testset.name}",
        sections,
        make_record=lambda: record,
        make_rows=lambda: rows,
    )


def _list_domain_rows(result: ByDomain) -> Iterator[dict[str, Any]]:
    """Rows of scores, of pairs on the whole set (domain empty) and of pairs in each domain."""
    labels = {"metric": result.metric, "signature": result.signature}
    labels_by_domain = {}
    for domain in result.domains:
        signature = domain.signature or result.signature
        labels_by_domain[domain.domain] = {**labels, "signature": signature}
        for system, score in domain.scores.items():
            yield {
                "table": "scores",
                **labels_by_domain[domain.domain],
                "domain": domain.domain,
                "n_segments": domain.n_segments,
                "n_documents": domain.n_documents,
                "system": system,
                "score": score,
            }
    for pair in result.pairs:
        record = asdict(pair)
        del record["domains"], record["opposed"]
        yield {"table": "pairs", **labels, "domain": "", **record, "opposed": len(pair.opposed)}
        for in_domain in pair.domains:
            own_labels = labels_by_domain[in_domain.domain]
            yield {"table": "pairs", **own_labels, "a": pair.a, "b": pair.b, **asdict(in_domain)}


# -------------------------------------------------------------------------------------------------
# AutoRank.


_AUTORANK_RULES = {
    "2025": "as WMT25: (score - median) / (maximum - 25th percentile) over the systems, averaged over the metrics. The "
    "best system gets 1, the worst the number of systems",
    "2024": "as WMT24: each metric mapped to 1 (best) to one more than the number of systems (worst), then averaged",
}
#: Settings that are the same in all language pairs, in the order of JSON.
_AUTORANK_SETTINGS = (
    "test",
    "correction",
    "alpha",
    "block_length",
    "resamples",
    "seed",
    "version",
)
#: Settings of a language pair, in the order of CSV.
_AUTORANK_COLUMNS = (
    "test",
    "correction",
    "trials",
    "unit",
    "block_length",
    "alpha",
    "resamples",
    "seed",
    "version",
)


def autorank_table(result: PairAutoRank) -> Table:
    """One row for each system, the best first, with its place by each metric."""
    table = TableBuilder("autorank", result.systems)
    table.add(
        "rank",
        "rank",
        "rank",
        lambda row: join_ends(row.rank_low, row.rank_high),
    )
    table.add("system", "system", "name")
    table.add("autorank", "AutoRank", "score", form=".1f")
    table.add(
        "range",
        "range in resamples",
        "interval",
        lambda row: (row.low, row.high),
        form=".1f",
    )
    for name in result.metrics:
        places = [row.places[name] for row in result.systems]
        key = f"place_{name}"
        title = metric_title(name)
        table.add_values(key, title, "count", places)
    return table.build()


def autorank_report(autorank: AutoRank) -> Report:
    """A section for each language pair."""
    pairs = {}
    rows = []
    for pair, result in autorank.pairs.items():
        pairs[pair] = {
            "metrics": result.metrics,
            "unit": result.settings.unit,
            "trials": result.settings.trials,
            "without": result.without,
            "warnings": [caution_record(caution) for caution in result.warnings],
            "systems": result.systems,
        }
        settings = {name: getattr(result.settings, name) for name in _AUTORANK_COLUMNS}
        for row in result.systems:
            record = asdict(row)
            for name, place in record.pop("places").items():
                record[f"place_{name}"] = place
            record |= {"rule": autorank.rule, "metrics": " ".join(result.metrics), **settings}
            rows.append({"language_pair": pair, **record})
    first = next(iter(autorank.pairs.values())).settings
    settings = {"rule": autorank.rule}
    for name in _AUTORANK_SETTINGS:
        settings[name] = getattr(first, name)
    return Report(
        f"AutoRank of {autorank.task}",
        [Section(pair, autorank_blocks(autorank, pair)) for pair in autorank.pairs],
        make_record=lambda: {"task": autorank.task, "settings": settings, "pairs": pairs},
        make_rows=lambda: rows,
    )


def autorank_blocks(autorank: AutoRank, pair: str) -> list[Block]:
    """Which systems are first in a language pair, and the table."""
    result = autorank.pairs[pair]
    metrics = ", ".join(metric_title(name) for name in result.metrics)
    notes = [
        f"AutoRank {_AUTORANK_RULES[autorank.rule]}.",
        *_explain_autorank_ranks(result),
        "The column of a metric has the place by this metric only.",
        "An automatic ranking does not replace human scores.",
    ]
    if result.as_published:
        notes.append(
            "WMT25 used these metrics: CometKiwi-XL where the task had a reference, only chrF++ for Bhojpuri "
            "and Maasai."
        )
    if result.without:
        systems = ", ".join(map(printable, result.without))
        notes.append(f"Excluded, because scores of a metric are missing: {systems}.")
    verdict = f"{_state_autorank(result)}."
    title = f"AutoRank of {pair}"
    table = autorank_table(result)
    return [
        Paragraph(text=verdict, role="verdict", about=f"{pair}, AutoRank by {metrics}"),
        TableBlock(table=table, title=title, caption=f"{title}.", notes=(" ".join(notes),)),
        Warnings(cautions=result.warnings),
    ]


def _state_autorank(result: PairAutoRank) -> str:
    """The verdict on a language pair, without its full stop."""
    systems = [printable(row.system) for row in result.systems]
    top = [printable(row.system) for row in result.systems if row.rank_low == 1]
    if not top:
        return (
            f"No system is ranked: the test set is too small. {systems[0]} has the best AutoRank of "
            f"{format_count(len(systems), 'system')}"
        )
    has_winner = any(row.rank_high == 1 for row in result.systems)
    return name_top_group(top, systems, has_winner)


def _explain_autorank_ranks(result: PairAutoRank) -> list[str]:
    """Explain ranks and ranges, a sentence each."""
    settings = result.settings
    level = f"{100 * (1 - settings.alpha):g}%"
    ranks = f"Rank: the rank range. All rank ranges hold together at about {level}."
    if any(caution.kind.breaks_level for caution in result.warnings):
        ranks = "Rank: the rank range. The ranges do not hold together here; the caveat below explains why."
    return [
        ranks,
        "AutoRank is a weighted mean of scores, if each metric is scaled as observed.",
        f"A randomization test compares each pair of systems by that mean ({settings.trials:,} permutations by "
        f"{settings.unit}, Romano-Wolf over all pairs; seed {settings.seed}).",
        f"Range in resamples: the middle {level} of AutoRank in {settings.resamples:,} bootstrap resamples, in "
        "which the scaling varies too. This is not a confidence interval.",
    ]


# -------------------------------------------------------------------------------------------------
# The findings of a task: the table of a paper for each language pair, and head-to-head decisions.


#: Fields of a pair, and their names in files of the findings: by our test, and by the rule of the
#: ranks where that is another one.
_PAIR_NAMES = {
    "a": "a",
    "b": "b",
    "delta": "difference",
    "p_adjusted": "adjusted_p",
    "better": "better",
    "rule_delta": "rule_difference",
    "rule_p": "rule_p",
    "rule_better": "rule_better",
}


def findings_table(findings: Findings, pair: str) -> Table:
    """The leaderboard of a language pair in print, with AutoRank and the score in each domain."""
    pair_findings = findings.pairs[pair]
    task = findings.comparison.task
    comparison = pair_findings.comparison
    result = comparison.metrics[findings.metric]
    systems = result.names
    table = leaderboard_table(result, comparison.settings)
    table = table.select("rank", "system", "score", "ci", "cluster")
    table = _add_published(table, findings, pair)
    further = [name for name in findings.further if name in comparison.metrics]
    table = add_metric_columns(table, [comparison.metrics[name] for name in further])
    form = choose_form(result)
    for name, scores in pair_findings.domains.items():
        column = Column(f"domain_{name}", name, "score", form)
        table = table.with_columns([column], [(scores.get(system),) for system in systems])
    names = []
    dark = set()
    for row, system in enumerate(systems):
        is_unsupported = pair in task.systems.get(system, SystemInfo()).unsupported
        names.append((name_in_print(task, system), is_unsupported))
        if is_unsupported:
            dark.add(row)
    name_columns = (
        Column("printed", "system", "name", where="readers"),
        Column("unsupported", "language not supported", where="files"),
    )
    table = table.with_columns(name_columns, names, after="system")
    columns = {column.key: column for column in table.columns}
    for key in ("system", "cluster"):
        columns[key] = replace(columns[key], where="files")
    infos = {system: task.systems[system] for system in systems if system in task.systems}
    marked = "rank ranges that reach 1"
    if pair_findings.domains:
        marked += ", and the best score in each domain"
    return replace(
        table,
        key=f"findings-{pair}",
        columns=tuple(columns.values()),
        marks=_mark_best(pair_findings, result),
        grey=find_unconstrained(systems, infos),
        dark=dark,
        legend=Legend(marked, CLUSTERS, "not in the constrained track", "language not supported"),
    )


def _add_published(table: Table, findings: Findings, pair: str) -> Table:
    """Add AutoRank, and the published columns that were asked for, with the published rank.

    AutoRank is the published one where there is one. Where a table of published scores has neither
    AutoRank nor ranks, and no column was asked for, all of its columns are added.
    """
    values = findings.comparison.published.get(pair, {})
    titles = list_columns(values)
    usual = [title for title in titles if is_usual(title)]
    further_titles = [
        title for title in titles if title in findings.published and title not in usual
    ]
    chosen_titles = [*usual, *further_titles]
    columns = []
    rows: list[list[Any]] = [[] for _ in table.rows]
    autorank = findings.pairs[pair].autorank
    if autorank is not None and not has_published_autorank(findings, pair):
        columns.append(Column("autorank", "AutoRank", "score", ".1f"))
        by_system = autorank.by_system()
        for row, system in zip(rows, table.values("system"), strict=True):
            row.append(by_system.get(system))
    for title in chosen_titles or titles:
        name = "AutoRank" if _is_autorank(title) else title
        kind = "rank" if title == RANK else "written"
        columns.append(Column(f"published_{name}", f"{name} (published)", kind))
        for row, system in zip(rows, table.values("system"), strict=True):
            text = values.get(system, {}).get(title)
            row.append(_write_published_cell(title, text))
    return table.with_columns(columns, rows, after="ci")


def is_usual(title: str) -> bool:
    """Whether the findings always have a published column."""
    return title == RANK or _is_autorank(title)


def _is_autorank(title: str) -> bool:
    return title.casefold() == "autorank"


def has_published_autorank(findings: Findings, pair: str) -> bool:
    """Whether AutoRank of a language pair was published."""
    titles = list_columns(findings.comparison.published.get(pair, {}))
    return any(map(_is_autorank, titles))


def _write_published_cell(title: str, text: str | None) -> Any:
    """A published value as it was printed, AutoRank with one decimal; of a rank its ends."""
    if title == RANK and text is not None:
        low, _, high = text.partition("-")
        return int(low), int(high or low)
    cell = write_published(text)
    if _is_autorank(title) and cell.value is not None:
        return Cell(f"{cell.value:.1f}", cell.value)
    return cell


def _mark_best(pair_findings: PairFindings, result: MetricResult) -> set[tuple[int, str]]:
    """Cells with a rank range that reaches 1, or the best score of a domain."""
    marks = set()
    for k, row in enumerate(result.systems):
        if row.rank_low == 1:
            marks.add((k, "rank"))
        for name, scores in pair_findings.domains.items():
            best = max((result.sign * score for score in scores.values()), default=None)
            if row.system in scores and result.sign * scores[row.system] == best:
                marks.add((k, f"domain_{name}"))
    return marks


def findings_blocks(findings: Findings, pair: str) -> list[Block]:
    """The findings of a language pair."""
    comparison = findings.pairs[pair].comparison
    title = metric_title(findings.metric)
    notes = [
        f"Ranked {find_metric_rule(findings.comparison, findings.metric).title}.",
        *_explain_further_ranks(findings, pair),
        *_explain_autorank(findings, pair),
    ]
    if pair in findings.comparison.published:
        notes.append(NOTE)
    verdict = f"{state_verdict(comparison, findings.metric)}."
    table = TableBlock(
        table=findings_table(findings, pair),
        title=f"{pair}: findings",
        caption=f"Findings for {pair} by {title}.",
        notes=tuple(notes),
    )
    caveats = tuple(fit_remedies_to_task((*findings.comparison.warnings, *comparison.warnings)))
    return [
        Paragraph(text=verdict, role="verdict", about=f"{pair}, {title}"),
        table,
        _show_head_to_head(findings, pair),
        Warnings(cautions=caveats, several=bool(findings.further)),
    ]


def _show_head_to_head(findings: Findings, pair: str) -> TableBlock:
    """The matrix of differences of a language pair."""
    comparison = findings.pairs[pair].comparison
    task = findings.comparison.task
    result = comparison.metrics[findings.metric]
    names = {row.system: name_in_print(task, row.system) for row in result.systems}
    matrix = starred_matrix(result, names.__getitem__)
    return TableBlock(
        table=replace(matrix, key=f"head-to-head-{pair}"),
        title=f"{pair}: head-to-head",
        caption=f"Head-to-head for {pair} by {metric_title(findings.metric)}.",
        notes=(explain_head_to_head(result, comparison.settings),),
    )


def _explain_further_ranks(findings: Findings, pair: str) -> list[str]:
    """State the rule of the ranks by further metrics, where it differs from the first metric's."""
    metrics = findings.pairs[pair].comparison.metrics
    settings = findings.pairs[pair].comparison.settings
    further = [metrics[name] for name in findings.further if name in metrics]
    unfit = [explain_unfit_rule(result, settings) for result in further]
    return [sentence for sentence in unfit if sentence]


def _explain_autorank(findings: Findings, pair: str) -> list[str]:
    autorank = findings.pairs[pair].autorank
    if autorank is None or has_published_autorank(findings, pair):
        return []
    names = ", ".join(metric_title(measured.metric.name) for measured in autorank.metrics)
    year = findings.rule[2:]
    return [f"AutoRank as WMT{year}, 1 is the best, by {names}. Ranks do not depend on it."]


def findings_report(findings: Findings) -> Report:
    """The findings of each language pair, and the methods."""
    task = findings.comparison
    metric = findings.metric
    remarks = [Paragraph(text=sentence) for sentence in list_exclusions(task)]
    sections = [Section("", remarks)]
    pairs = {}
    rows = []
    for pair, pair_findings in findings.pairs.items():
        sections.append(Section(pair, findings_blocks(findings, pair)))
        systems = findings_table(findings, pair).records()
        decisions = map(_record_pair, pair_findings.comparison.metrics[metric].pairs)
        pairs[pair] = {"systems": systems, "pairs": list(decisions)}
        for table, records in pairs[pair].items():
            rows += label_records(table, records, language_pair=pair, metric=metric)
    methods = Paragraph(
        text=describe_methods(task, metric), role="methods", about=metric_title(metric)
    )
    sections.append(Section("How it was tested", [methods]))
    first = next(iter(findings.pairs.values()))
    record = {
        "task": task.task.name,
        "metric": metric,
        "autorank_rule": findings.rule,
        "settings": first.comparison.settings,
        "pairs": pairs,
    }
    return Report(
        f"Findings of {task.task.name}",
        sections,
        parts=task.task.pairs,
        make_record=lambda: record,
        make_rows=lambda: rows,
    )


def _record_pair(pair: PairResult) -> dict[str, Any]:
    return {name: getattr(pair, field) for field, name in _PAIR_NAMES.items()}


# -------------------------------------------------------------------------------------------------
# Ranks by all rules side by side.


#: By rule: the comparison with its ranks; everything else is the same.
ByRule = Mapping[str, AnyComparison]
_RANKS_NOTE = (
    "A column has the rank ranges by one rule, or by several rules with the same ranks. 'Differs': the rules "
    "disagree on whether the system is in the top group, or the winner."
)
_COUNTS_NOTE = (
    "How each rule fits the tests of pairs. Ranked as tied: significant pairs with overlapping rank ranges. "
    "Ranked apart: pairs without a significant difference and without overlap. Differ by the rule: pairs without "
    "a significant difference that the rule's own test calls different."
)


def _results_by_rule(by_rule: ByRule, metric: str) -> dict[str, dict[str, MetricResult]]:
    """Results by language pair and rule.

    Language pairs in which the rules disagree on the top group or the winner come first.
    """
    results: dict[str, dict[str, MetricResult]] = {}
    for rule, comparison in by_rule.items():
        for lang_pair, (_, result) in select_lang_pairs(comparison, metric).items():
            results.setdefault(lang_pair, {})[rule] = result
    order = sorted(results, key=lambda lang_pair: not _has_disagreement(results[lang_pair]))
    return {lang_pair: results[lang_pair] for lang_pair in order}


def _list_disagreements(by_rule: Mapping[str, MetricResult]) -> dict[str, str]:
    """Map a system to "winner" or "top group" where only some of its rules agree, else to ""."""
    is_winner: dict[str, set[bool]] = {}
    is_in_top_group: dict[str, set[bool]] = {}
    for result in by_rule.values():
        for row in result.systems:
            winner = is_winner.setdefault(row.system, set())
            in_top_group = is_in_top_group.setdefault(row.system, set())
            if row.rank_low is not None:
                winner.add(row.rank_high == 1)
                in_top_group.add(row.rank_low == 1)
    words = {}
    for system in is_winner:
        words[system] = ""
        if len(is_winner[system]) > 1:
            words[system] = "winner"
        elif len(is_in_top_group[system]) > 1:
            words[system] = "top group"
    return words


def _has_disagreement(by_rule: Mapping[str, MetricResult]) -> bool:
    return any(_list_disagreements(by_rule).values())


def rules_table(by_rule: ByRule, metric: str) -> Table:
    """A column for each rule with the rank range of each system, and its cluster in files.

    Language pairs in which the rule changes the top group or the winner come first.
    """
    results = _results_by_rule(by_rule, metric)
    titles = _title_rules(results)
    tables = {lang_pair: _ranks_table(in_pair, titles) for lang_pair, in_pair in results.items()}
    if "" in tables:
        return tables[""]
    joined = join_tables("rules", _LANG_PAIR, tables)
    pairs = joined.values("language_pair")
    last_rows = {k for k, (pair, pair_below) in enumerate(pairwise(pairs)) if pair != pair_below}
    return replace(joined, ruled={*joined.ruled, *last_rows})


def _title_rules(results: Mapping[str, Mapping[str, MetricResult]]) -> dict[str, str]:
    """The title of each rule's column; rules that give the same ranks everywhere share the first one.

    `results` are by language pair and by rule.
    """
    ranks_by_rule: dict[str, list[Any]] = {}
    for lang_pair, by_rule in results.items():
        for rule, result in by_rule.items():
            for row in result.systems:
                rank = (lang_pair, row.system, row.rank_low, row.rank_high, row.cluster)
                ranks_by_rule.setdefault(rule, []).append(rank)
    alike = group_values((rule, frozenset(ranks)) for rule, ranks in ranks_by_rule.items())
    return {rules[0]: ", ".join(map(_name_rule, rules)) for rules in alike.values()}


def _ranks_table(by_rule: Mapping[str, MetricResult], titles: Mapping[str, str]) -> Table:
    """The ranks by each rule; a rule without one of the `titles` has its column in files only."""
    disagreements = _list_disagreements(by_rule)
    systems = list(disagreements)
    table = TableBuilder("rules", systems)
    table.add("system", "system", "name", str)
    table.add("differs", "differs", "text", disagreements.__getitem__)
    clusters = {}
    marks = set()
    for rule, result in by_rule.items():
        rows = {row.system: row for row in result.systems}
        ranks = [join_ends(rows[name].rank_low, rows[name].rank_high) for name in systems]
        if rule in titles:
            table.add_values(rule, titles[rule], "rank", ranks)
        else:
            table.add_values(rule, _name_rule(rule), "rank", ranks, where="files")
        clusters[rule] = [rows[name].cluster for name in systems]
        marks |= {(k, rule) for k, name in enumerate(systems) if rows[name].rank_low == 1}
    for rule, cells in clusters.items():
        title = f"cluster {RANK_RULES[rule].title}"
        table.add_values(f"cluster_{rule}", title, "count", cells, where="files")
    first = next(iter(by_rule.values()))
    legend = Legend(marked="the range reaches 1", ruled="clusters of the first rule")
    return replace(table.build(cluster_ends(first.systems), legend), marks=marks)


def _name_rule(rule: str) -> str:
    """Name a rule in the head of a column, without the preposition of its title.

    >>> _name_rule("wmt22"), _name_rule("wmt22-appraise"), _name_rule("overlap")
    ('WMT22 into English', 'WMT22 out of English', 'overlap')
    """
    _, name = RANK_RULES[rule].title.split(" ", 1)
    if name.startswith("WMT"):
        return name
    return name.split(" ")[0]


#: What `count_against_tests` counts.
_AGAINST_TESTS = (
    Column("significant", "significant pairs", "count"),
    Column("tied", "ranked as tied", "count"),
    Column("not_significant", "not significant", "count"),
    Column("separated", "ranked apart", "count"),
    Column("only_by_rule", "differ by the rule", "count"),
)


def rule_counts_table(by_rule: ByRule, metric: str) -> Table:
    """A row for each rule: its top group, its clusters, and how it fits the tests of pairs."""
    results: dict[str, dict[str, MetricResult]] = {}
    for lang_pair, in_pair in _results_by_rule(by_rule, metric).items():
        for rule, result in in_pair.items():
            results.setdefault(rule, {})[lang_pair] = result
    first = next(iter(results.values()))
    is_task = "" not in first
    top_title = "top group"
    clusters_title = "sizes of clusters"
    if is_task:
        top_title = "language pairs with another top group"
        clusters_title = "clusters"
    rows = []
    for rule, in_rule in results.items():
        if is_task:
            n_changed = 0
            for lang_pair, result in in_rule.items():
                n_changed += list_first(result.systems) != list_first(first[lang_pair].systems)
            top = f"{n_changed} of {len(in_rule)}"
            clusters = str(sum(_count_clusters(result) for result in in_rule.values()))
        else:
            result = in_rule[""]
            top = ", ".join(list_first(result.systems))
            sizes = Counter(row.cluster or 0 for row in result.systems)
            clusters = " + ".join(str(sizes[cluster]) for cluster in sorted(sizes))
        counts: Counter[str] = Counter()
        for result in in_rule.values():
            counts.update(count_against_tests(result))
        numbers = [counts[column.key] for column in _AGAINST_TESTS]
        rows.append((RANK_RULES[rule].title, top, clusters, *numbers))
    columns = (
        Column("rule", "rule", "name"),
        Column("top_group", top_title),
        Column("clusters", clusters_title),
        *_AGAINST_TESTS,
    )
    return Table("rule-counts", columns, tuple(rows))


def _count_clusters(result: MetricResult) -> int:
    return max(row.cluster or 0 for row in result.systems)


def rules_verdict(by_rule: ByRule, metric: str) -> str:
    """Whether the rule changes which system is first, in a sentence without its full stop."""
    results = _results_by_rule(by_rule, metric)
    changed = [lang_pair for lang_pair, in_pair in results.items() if _has_disagreement(in_pair)]
    if not changed:
        return _state_that_rules_agree(results)
    if "" in results:
        disagreements = _list_disagreements(results[""])
        names = [name for name, word in disagreements.items() if word]
        return f"The rank rules disagree on the top group or on the winner: {', '.join(names)}"
    extent = format_count(len(results), "language pair")
    if len(results) > len(changed):
        extent = f"{len(changed)} of {extent}"
    return f"The rank rule changes the top group or the winner in {extent}: {name_pairs(changed)}"


def _state_that_rules_agree(results: Mapping[str, Mapping[str, MetricResult]]) -> str:
    """Say that rules give the same top group, and which of them rank no system anywhere.

    `results` are by language pair and by rule.
    """
    rules = list(next(iter(results.values())))
    ranking: set[str] = set()
    for by_rule in results.values():
        ranking |= {rule for rule, result in by_rule.items() if _is_ranked(result)}
    silent = [RANK_RULES[rule].title for rule in rules if rule not in ranking]
    if not silent:
        return "All rank rules give the same top group and winner"
    titles = join_names(silent)
    n_ranking = len(ranking)
    if n_ranking == 0:
        return "No rank rule ranks any system"
    if n_ranking == 1:
        return f"Only one rank rule ranks the systems. No system is ranked {titles}"
    return (
        f"The {n_ranking} rank rules that rank the systems give the same top group and winner. No system is ranked "
        f"{titles}"
    )


def _is_ranked(result: MetricResult) -> bool:
    return any(row.rank_low is not None for row in result.systems)


def rules_blocks(by_rule: ByRule, metric: str) -> list[Block]:
    """The verdict, the ranks by each rule, and how the rules fit the tests of pairs."""
    title = metric_title(metric)
    verdict = f"{rules_verdict(by_rule, metric)}."
    ranks = TableBlock(
        table=replace(rules_table(by_rule, metric), key=f"{metric}-rules"),
        title=f"{title}: rank rules",
        caption=f"Rank ranges by {title}, by rule.",
        notes=(_RANKS_NOTE,),
    )
    counts = TableBlock(
        table=replace(rule_counts_table(by_rule, metric), key=f"{metric}-rule-counts"),
        title=f"{title}: rules against tests",
        notes=(_COUNTS_NOTE,),
        caption=f"Rank rules against the tests of pairs by {title}.",
    )
    return [Paragraph(text=verdict, role="verdict", about=title), ranks, counts]


def rules_report(metrics: Mapping[str, ByRule]) -> Report:
    """The ranks by all rules of comparisons by metric and rule."""
    sections = []
    tables = {}
    rows = []
    for metric, by_rule in metrics.items():
        sections.append(Section(metric_title(metric), rules_blocks(by_rule, metric)))
        tables[metric] = {
            "ranks": rules_table(by_rule, metric).records(),
            "rules": rule_counts_table(by_rule, metric).records(),
        }
        for table, records in tables[metric].items():
            rows += label_records(table, records, metric=metric)
    first = next(iter(by_rule.values()))
    if isinstance(first, Comparison):
        name = first.testset.name
        comparison = first
    else:
        name = first.task.name
        comparison = next(iter(first.pairs.values()))
    settings = asdict(comparison.settings)
    del settings["rank_rule"]
    record = {"name": name, "settings": settings, "metrics": tables}
    return Report(
        f"Rank rules side by side: {name}",
        sections,
        make_record=lambda: record,
        make_rows=lambda: rows,
    )


# -------------------------------------------------------------------------------------------------
# Published scores next to ours, for a test set or a task.


_MARKS = {True: "✓", False: "✗"}
AnyReplication = Replication | TaskReplication


def _by_pair(replication: AnyReplication) -> dict[str, Replication]:
    """By language pair, whose name is empty for a test set."""
    if isinstance(replication, TaskReplication):
        return dict(replication.pairs)
    return {"": replication}


def _join_by_pair(key: str, tables: Mapping[str, Table]) -> Table:
    if "" in tables:
        return tables[""]
    return join_tables(key, _LANG_PAIR, tables)


def replication_table(replication: AnyReplication) -> Table:
    """The published score, ours to as many decimals, and the setting that would give it.

    Of a task the language pair comes first.
    """
    tables = {pair: _scores_table(result) for pair, result in _by_pair(replication).items()}
    return _join_by_pair("replication", tables)


def _scores_table(replication: Replication) -> Table:
    def name_setting(row: ScoreBeside) -> str:
        if row.agrees:
            return EMPTY
        if row.setting is None:
            return f"none of the {replication.tried} settings tried"
        return f"{row.setting}, which gives {row.gives} of {replication.n_numbers}"

    table = TableBuilder("replication", replication.rows)
    table.add("system", "system", "name")
    table.add("metric", "metric", "name", attrgetter("column"))
    table.add("printed", "published", "written", lambda row: Cell(row.printed, float(row.printed)))
    table.add("here", "here", "written", _write_our_score)
    table.add_values("same", "same", "text", [_MARKS[row.agrees] for row in replication.rows])
    table.add("gives", "what would give it", "text", name_setting)
    return table.build()


def _write_our_score(row: ScoreBeside) -> Cell:
    """Our score, with two decimals more where rounding hides the difference."""
    n_decimals = len(row.printed.partition(".")[2])
    text = f"{row.score:.{n_decimals}f}"
    if not row.agrees and float(text) == float(row.printed):
        text = f"{row.score:.{n_decimals + 2}f}"
    return Cell(text, row.score)


def replication_sentences(replication: AnyReplication) -> list[str]:
    """State how many published scores come out, why others differ, and what is not compared."""
    results = _by_pair(replication)
    sentences = []
    wrong: list[ScoreBeside] = []
    for pair, result in results.items():
        for column, rows in groupby(result.rows, attrgetter("column")):
            agrees = [row.agrees for row in rows]
            about = f"{pair}, {column}" if pair else column
            sentences.append(
                f"{about}: mtsig reproduces {sum(agrees)} of {len(agrees)} published scores, with all their decimals."
            )
        wrong += [row for row in result.rows if not row.agrees]
    if any(row.gives == 1 for row in wrong):
        sentences.append("If a setting gives only one published score, this may be chance.")
    if any(row.setting is None for row in wrong):
        sentences.append(
            "If no setting gives the published score, the published scores may be for other outputs or references."
        )
    for pair, result in results.items():
        prefix = f"{pair}: " if pair else ""
        sentences += [f"{prefix}{text}" for text in _list_testset_differences(result)]
    if isinstance(replication, TaskReplication):
        sentences += _list_renamed(replication.by_rule)
        sentences += _list_names("Language pairs only here", replication.only_here)
        sentences += _list_names("Language pairs only in the table", replication.only_there)
    return sentences


def _list_testset_differences(replication: Replication) -> list[str]:
    """List names that table and test set write differently, or that only one of them has."""
    not_compared = (
        "Columns not compared, because they are neither a metric nor scores of this test set"
    )
    sentences = _list_renamed(replication.by_rule)
    sentences += _list_names("Only here", replication.only_here)
    only_there = replication.only_there
    if replication.ranks is not None:
        ranked = {row.called for row in replication.ranks.rows}
        only_there = tuple(name for name in only_there if name not in ranked)
    sentences += _list_names("Only in the table", only_there)
    sentences += _list_names(not_compared, replication.not_compared)
    suffixes = [f"{name} is {own_name}" for name, own_name in replication.by_suffix.items()]
    return sentences + _list_names("The end of a name shows the references used", suffixes)


def _list_renamed(by_rule: Mapping[str, str]) -> list[str]:
    names = []
    for name, own_name in by_rule.items():
        if name.lower() != own_name.lower():
            names.append(f"{name} as {own_name}")
    return _list_names(
        "Names that differ only in case, spaces, dots, dashes and underscores are the same", names
    )


def _list_names(text: str, names: Sequence[str]) -> list[str]:
    """A sentence with names; none without names."""
    if not names:
        return []
    return [f"{text}: {join_names(list(names))}."]


def ranks_of(replication: AnyReplication) -> dict[str, RankReplication]:
    """Return the published ranks by language pair, where the table has any."""
    ranks = {}
    for pair, result in _by_pair(replication).items():
        if result.ranks is not None:
            ranks[pair] = result.ranks
    return ranks


def published_ranks_table(replication: AnyReplication) -> Table:
    """The published rank of each system, and its rank by the rule that gives most of them."""
    tables = {pair: _ranks_beside_table(ranks) for pair, ranks in ranks_of(replication).items()}
    if not all(table.has("cluster") for table in tables.values()):
        for pair, table in tables.items():
            tables[pair] = table.without("cluster_published", "cluster")
    return _join_by_pair("published-ranks", tables)


def _ranks_beside_table(ranks: RankReplication) -> Table:
    """Published ranks and ours, each with its cluster where clusters are published.

    There is no rank here where the rule gives none.
    """
    rule = ranks.rule

    def get_published(row: RankBeside) -> tuple[int, int]:
        low = row.published.low
        high = row.published.high
        return low, high or low

    def get_rank(row: RankBeside) -> tuple[int, int | None] | None:
        ours = row.ours.get(rule)
        if ours is None:
            return None
        return ours.low, ours.high

    def get_cluster(row: RankBeside) -> int | None:
        ours = row.ours.get(rule)
        if ours is None:
            return None
        return ours.cluster

    has_clusters = any(row.published.cluster for row in ranks.rows)
    table = TableBuilder("published-ranks", ranks.rows)
    table.add("system", "system", "name")
    table.add("rank_published", "published", "rank", get_published)
    if has_clusters:
        table.add("cluster_published", "cluster", "count", attrgetter("published.cluster"))
    table.add("rule", "rule", "text", lambda _: _title_of_way(rule))
    table.add("rank", "here", "rank", get_rank)
    if has_clusters:
        table.add("cluster", "cluster here", "count", get_cluster)
    table.add_values("same", "same", "text", [_MARKS[row.agrees(rule)] for row in ranks.rows])
    return table.build()


def _title_of_way(way: str) -> str:
    """The title of a rule, with the options that the files are read with."""
    rule, options = split_way(way)
    title = RANK_RULES[rule].title
    if options:
        title += f" with {options}"
    return title


def _list_best_ways(ranks: RankReplication) -> list[str]:
    """The rules that give most of a published ranking; one without options replaces those with."""
    most = ranks.counts[ranks.rule]
    best = [way for way, count in ranks.counts.items() if count == most]
    shortest: dict[str, str] = {}
    for way in sorted(best, key=len):
        rule, _ = split_way(way)
        shortest.setdefault(rule, way)
    return [way for way in best if way in shortest.values()]


def _compare_ranks(row: RankBeside, way: str) -> str:
    """Name a system, with its published rank and its rank here."""
    published = rank_interval(row.published.low, row.published.high or row.published.low)
    ours = row.ours.get(way)
    if ours is None:
        return f"{row.system} ({published}, here without a rank)"
    computed = rank_interval(ours.low, ours.high)
    if computed == published:
        return f"{row.system} (cluster {row.published.cluster}, here {ours.cluster})"
    return f"{row.system} ({published}, here {computed})"


def rank_sentences(replication: AnyReplication) -> list[str]:
    """Which rule gives a published ranking, where it does not, and how many ranks others give."""
    sentences = []
    for pair, ranks in ranks_of(replication).items():
        n_ranks = len(ranks.rows)
        n_best = ranks.counts[ranks.rule]
        about = metric_title(ranks.metric)
        if pair:
            about = f"{pair}, {about}"
        wrong = [
            _compare_ranks(row, ranks.rule) for row in ranks.rows if not row.agrees(ranks.rule)
        ]
        outcome = "mtsig reproduces the published ranking"
        if wrong:
            outcome = f"mtsig reproduces {n_best} of {n_ranks} published ranks"
        titles = [_title_of_way(way) for way in _list_best_ways(ranks)]
        texts = [f"{about}: {outcome} with ranks {' and '.join(titles)}."]
        texts += _list_names("Different here", wrong)
        fewer = [way for way, count in ranks.counts.items() if 0 < count < n_best]
        if fewer:
            numbers = [f"{_title_of_way(way)} {ranks.counts[way]}" for way in fewer]
            texts.append(f"Other rules give fewer ranks of the {n_ranks}: {', '.join(numbers)}.")
        elif 0 in ranks.counts.values():
            texts.append("Other rules give none.")
        sentences.append(" ".join(texts))
        sentences += _list_names("Not ranked here", ranks.not_compared)
    return sentences


def replication_blocks(replication: AnyReplication) -> list[Block]:
    """Report on published ranks and published scores in sentences and tables."""
    blocks = write_paragraphs(rank_sentences(replication))
    has_ranks = bool(ranks_of(replication))
    if has_ranks:
        ranks = published_ranks_table(replication)
        blocks.append(TableBlock(table=ranks, title="published ranks"))
    scores = replication_table(replication)
    if scores or not has_ranks:
        blocks.append(TableBlock(table=scores, title="published scores"))
    return blocks + write_paragraphs(replication_sentences(replication))


def replication_report(replication: AnyReplication) -> Report:
    """Whether published ranks and scores come out here."""
    ranks = rank_sentences(replication)
    scores = replication_sentences(replication)
    has_ranks = bool(ranks_of(replication))
    sections = separate_blocks(replication_blocks(replication))
    record = to_plain(replication)
    is_task = isinstance(replication, TaskReplication)
    records = record["pairs"].values() if is_task else [record]
    for in_pair in records:
        if in_pair["ranks"] is None:  # a table of scores
            del in_pair["ranks"]
    record["sentences"] = [*ranks, *scores]
    rows = []
    for pair, result in _by_pair(replication).items():
        labels = {"language_pair": pair} if is_task else {}
        rows += [{**labels, **asdict(row)} for row in result.rows]
    if has_ranks:
        rank_rows = label_records("ranks", published_ranks_table(replication).records())
        rows = [*rank_rows, *label_records("scores", rows)]
    return Report("Published scores", sections, make_record=lambda: record, make_rows=lambda: rows)
