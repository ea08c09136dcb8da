"""Results of experiments, each as tables, sentences and a report, and in the formats of the command
that prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial, reduce
from itertools import groupby, pairwise
from operator import add, attrgetter
from typing import Any

import numpy as np

from mtsig_core.errors import format_count
from mtsig_core.experiments.integrity import CHANCE, DRIVES, SHORT_LINE, Integrity, TaskIntegrity
from mtsig_core.experiments.rankings import (
    AutoRank,
    Findings,
    PairAutoRank,
    PairFindings,
    count_against_tests,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import (
    assumed_record,
    caution_record,
    info_record,
    list_assumptions,
)
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.sentences import (
    AnyComparison,
    choose_form,
    describe_direction,
    describe_methods,
    explain_head_to_head,
    find_rank_rule,
    join_names,
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
    join_ends,
    join_tables,
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
from mtsig_core.report.text import printable, report_text, terminal_width
from mtsig_core.results import (
    Agreement,
    ByDomain,
    Comparison,
    MetricResult,
    PairResult,
    TaskAgreement,
)
from mtsig_core.schema import to_json, to_plain
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
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import TESTS, significant
from mtsig_core.task import SystemInfo

_ON_PAPER = {"latex": report_latex, "html": report_html}


def make_forms(
    report: Callable[[Any], Report],
    record: Callable[[Any], Any],
    records: Callable[[Any], Sequence[Any]],
    *on_paper: str,
) -> dict[str, Callable[[Any], str]]:
    """What writes a result in each format: as text and on paper its report, as JSON a record, as
    CSV its rows.
    """

    def write(form: str, found: Any) -> str:
        return _ON_PAPER[form](report(found))

    return {
        "text": lambda found: report_text(report(found), terminal_width()),
        "json": lambda found: to_json(record(found)),
        "csv": lambda found: records_csv(records(found)),
        **{form: partial(write, form) for form in on_paper},
    }


# -------------------------------------------------------------------------------------------------
# How far metrics decide as people do, on a test set and over a task.


def agreement_table(found: Agreement | TaskAgreement) -> Table:
    """One row for each metric, the most agreeing first."""
    level = f"{100 * (1 - found.sampling.alpha):g}% CI"
    columns = (
        Column("metric", "metric", "name"),
        Column("soft_pairwise_accuracy", "soft pairwise accuracy", "share"),
        Column("soft_pairwise_accuracy_ci", level, "interval", ".3f"),
        Column("pairwise_accuracy", "pairwise accuracy", "share"),
        Column("pairwise_accuracy_ci", level, "interval", ".3f"),
        Column("n_pairs", "pairs", "count"),
        Column("n_ties", "people tie", "count"),
    )
    return Table(
        "agreement",
        columns,
        tuple(
            (
                metric_title(one.metric),
                one.soft_pairwise_accuracy,
                join_ends(one.soft_pairwise_accuracy_low, one.soft_pairwise_accuracy_high),
                one.pairwise_accuracy,
                join_ends(one.pairwise_accuracy_low, one.pairwise_accuracy_high),
                one.n_pairs,
                one.n_ties,
            )
            for one in found.metrics
        ),
    )


def agreement_by_pair_table(found: TaskAgreement) -> Table:
    """Soft pairwise accuracy of each metric, the most agreeing first, in each language pair, and
    their mean.
    """
    own = {
        pair: {one.metric: one.soft_pairwise_accuracy for one in part.metrics}
        for pair, part in found.pairs.items()
    }
    columns = (
        Column("metric", "metric", "name"),
        Column("soft_pairwise_accuracy", "mean", "share"),
        *(Column(pair, pair, "share", is_series=True) for pair in own),
    )
    return Table(
        "agreement-by-pair",
        columns,
        tuple(
            (
                metric_title(one.metric),
                one.soft_pairwise_accuracy,
                *(values[one.metric] for values in own.values()),
            )
            for one in found.metrics
        ),
    )


def compared_metrics_table(found: Agreement | TaskAgreement) -> Table:
    """One row for each pair of metrics."""
    columns = (
        Column("a", "more", "name"),
        Column("b", "less", "name"),
        Column("delta", "difference", "difference", ".3f"),
        Column("p_value", "p", "p"),
        Column("p_adjusted", "p (Holm)", "p"),
        Column("significant", "significant"),
    )
    return Table(
        "agreement-comparisons",
        columns,
        tuple(
            (
                metric_title(row.a),
                metric_title(row.b),
                row.delta,
                row.p_value,
                row.p_adjusted,
                "yes" if significant(row.p_adjusted, found.sampling.alpha) else "no",
            )
            for row in found.comparisons
        ),
    )


def agreement_verdict(found: Agreement | TaskAgreement) -> str:
    """Which metric agrees most, and which it is not significantly better than, in a sentence
    without its full stop.
    """
    over = (
        f"Over {format_count(len(found.pairs), 'language pair')} "
        if isinstance(found, TaskAgreement)
        else ""
    )
    best = found.metrics[0]
    title, accuracy = metric_title(best.metric), f"{best.soft_pairwise_accuracy:.3f}"
    if len(found.metrics) == 1:
        return f"{over}{title} has a soft pairwise accuracy of {accuracy} with {found.human}"
    alike = []
    for row in found.comparisons:
        is_better = row.a == best.metric and significant(row.p_adjusted, found.sampling.alpha)
        if best.metric in (row.a, row.b) and not is_better:
            alike.append(metric_title(row.b if row.a == best.metric else row.a))
    rest = (
        f"not significantly more than {', '.join(alike)}"
        if alike
        else "significantly more than all others"
    )
    return (
        f"{over}{title} agrees most with {found.human}: soft pairwise accuracy {accuracy}, {rest}"
    )


def agreement_assumed(found: Agreement | TaskAgreement, remedies: bool = False) -> list[str]:
    """Sentences: which direction of the scores that are held against each other was assumed."""
    assumed = found.testset.assumed if isinstance(found, Agreement) else found.task.assumed
    return list_assumptions(
        assumed, [found.human, *(one.metric for one in found.metrics)], remedies
    )


def agreement_note(found: Agreement | TaskAgreement) -> str:
    """How to read the numbers, and what they are not of."""
    unit, n = found.sampling.unit, len(found.comparisons)
    sentences = [
        "Pairwise accuracy is the share of pairs of systems that a metric orders as people do, without pairs that "
        "people score the same. Soft pairwise accuracy is 1 minus the mean distance between the one-sided p of people "
        "and of the metric (Thompson et al. 2024). A pair is compared on the segments where both systems have scores. "
        f"Permutations and resamples are by {unit}. With other systems the order of the metrics may differ."
    ]
    if n:
        sentences.append(
            "p-values of two metrics are from PERM-BOTH (Deutsch et al. 2021), corrected by Holm for "
            f"{format_count(n, 'pair')} of metrics. For each {unit} of each system, a coin decides whether the two "
            "metrics trade their standardized segment scores; for metrics of texts, their jackknife pseudo-values. The "
            "difference is the one that is permuted. It takes p of two systems by a normal approximation, so it can "
            "differ slightly from the difference of two accuracies above."
        )
    if isinstance(found, TaskAgreement):
        sentences.append(
            "Language pairs count the same; resamples are drawn within each language pair, then averaged."
        )
        if found.without:
            sentences.append(
                f"Excluded, because fewer than two systems have {printable(found.human)} scores there: "
                f"{', '.join(map(printable, found.without))}."
            )
    return " ".join(sentences)


def agreement_blocks(found: Agreement | TaskAgreement) -> list[Block]:
    """The verdict, metrics, the most agreeing first, of a task also in each language pair, and
    pairs of metrics.
    """
    soft, verdict = f"Soft pairwise accuracy with {found.human}", f"{agreement_verdict(found)}."
    compared, note = compared_metrics_table(found), agreement_note(found)
    blocks: list[Block] = [
        Paragraph(text=verdict),
        Warnings(cautions=tuple(about_agreement(found))),
        TableBlock(
            table=agreement_table(found),
            title="Which metric to trust",
            caption="Which metric to trust.",
            caveats=(verdict, note),
        ),
    ]
    if isinstance(found, TaskAgreement):
        blocks.append(
            TableBlock(
                table=agreement_by_pair_table(found),
                title=soft,
                caption=f"{soft}: the mean over the language pairs, and in each.",
            )
        )
    if compared:
        blocks.append(
            TableBlock(
                table=compared,
                title="Pairs of metrics",
                fold=f"{format_count(len(compared.rows), 'pair')} of metrics",
                caption=f"Pairs of metrics by soft pairwise accuracy with {found.human}: the metric that agrees more minus "
                "the one that agrees less.",
            )
        )
    assumed = agreement_assumed(found, remedies=isinstance(found, TaskAgreement))
    return [
        *blocks,
        Paragraph(text=note, role="note"),
        *(Paragraph(text=text, role="hint") for text in assumed),
    ]


def _report_agreement(found: Agreement | TaskAgreement) -> Report:
    if isinstance(found, Agreement):
        info = found.testset
        documents = (
            "" if info.n_documents is None else f" in {format_count(info.n_documents, 'document')}"
        )
        name, what = (
            info.name,
            (
                f"{format_count(len(info.systems), 'system')}, "
                f"{format_count(info.n_segments, 'segment')}{documents} with {found.human}"
            ),
        )
        signatures = [f"{metric_title(one.metric)}: {one.signature}" for one in found.metrics]
    else:
        name, what, signatures = found.task.name, ", ".join(found.pairs), []
    return Report(
        f"Metrics and {found.human} on {name}",
        [
            Section(
                "",
                [
                    Paragraph(text=f"{name}: {what}", role="summary"),
                    *agreement_blocks(found),
                    *(Paragraph(text=text) for text in signatures),
                ],
            )
        ],
    )


def agreement_record(found: Agreement | TaskAgreement) -> dict[str, Any]:
    """The whole result, for JSON: stable keys, undefined is null, full precision; of a task the
    means under the keys of one test set, and by language pair all of it.
    """
    metrics = {one.metric: to_plain(one) for one in found.metrics}
    for one in metrics.values():
        del one["metric"]
    rows = {
        "settings": _agreement_settings(found),
        "metrics": metrics,
        "comparisons": found.comparisons,
        "warnings": list(map(caution_record, about_agreement(found))),
    }
    if isinstance(found, Agreement):
        return {"human": found.human, "testset": info_record(found.testset), **rows}
    task = {
        "name": found.task.name,
        "digest": found.task.digest,
        "pairs": found.task.pairs,
        **assumed_record(found.task.assumed),
    }
    return {
        "human": found.human,
        "task": task,
        **rows,
        "pairs": {pair: agreement_record(part) for pair, part in found.pairs.items()},
        "without": found.without,
    }


def agreement_records(
    found: Agreement | TaskAgreement, tables: Sequence[str] = ("metrics", "comparisons")
) -> list[dict[str, Any]]:
    """Rows of metrics and of pairs of metrics, called as `tables` says; of a task in each language
    pair and in the mean (language pair empty).
    """
    if isinstance(found, Agreement):
        info = {"human": found.human, "testset": found.testset.name, "digest": found.testset.digest}
        return [
            {"table": table, **row, **info, **_agreement_settings(found)}
            for table, row in _agreement_rows(found, tables)
        ]
    parts: list[tuple[str, Agreement | TaskAgreement]] = [("", found), *found.pairs.items()]
    info = {"human": found.human, "task": found.task.name, "digest": found.task.digest}
    return [
        {
            "table": table,
            "language_pair": pair,
            **row,
            **info,
            **_agreement_settings(found),
            "seed": part.sampling.seed,
        }
        for pair, part in parts
        for table, row in _agreement_rows(part, tables)
    ]


def _agreement_rows(
    found: Agreement | TaskAgreement, tables: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    first, second = tables
    return [
        *((first, asdict(row)) for row in found.metrics),
        *((second, asdict(row)) for row in found.comparisons),
    ]


def _agreement_settings(found: Agreement | TaskAgreement) -> dict[str, Any]:
    one = found if isinstance(found, Agreement) else next(iter(found.pairs.values()))
    mean = "" if isinstance(found, Agreement) else "mean "
    return {
        **asdict(found.sampling),
        "trials": one.trials,
        "correction": found.correction,
        "compared": f"{mean}soft_pairwise_accuracy",
        "compared_by": "perm-both",
    }


AGREEMENT_FORMS = make_forms(_report_agreement, agreement_record, agreement_records)


# -------------------------------------------------------------------------------------------------
# Systems by domain.


def domain_table(found: ByDomain) -> Table:
    """Scores of the systems, best on the whole set first, in each domain."""
    form = written_like(
        score for part in found.domains for score in part.scores.values() if score is not None
    )
    columns = (
        Column("system", "system", "name"),
        *(Column(part.domain, part.domain, "score", form) for part in found.domains),
    )
    return Table(
        "domains",
        columns,
        tuple((name, *(part.scores[name] for part in found.domains)) for name in found.systems),
    )


def opposed_pairs_table(found: ByDomain) -> Table:
    """The pairs that reverse significantly, then the significant ones with the other sign in some
    domain; positive where a is better.
    """
    sign = 1 if found.higher_is_better else -1
    form = written_like(pair.delta for pair in found.pairs)
    domains = [part.domain for part in found.domains]
    columns = (
        Column("a", "a", "name"),
        Column("b", "b", "name"),
        Column("difference", "all", "decided", form),
        Column("p_adjusted", "p adj.", "p"),
        *(Column(domain, domain, "decided", form) for domain in domains),
        Column("reverses", "reverses"),
    )
    rows, shown = [], (pair for pair in found.pairs if pair.reverses or pair.opposed)
    for pair in sorted(shown, key=lambda row: not row.reverses):
        inside = {own.domain: (sign * own.delta, own.better is not None) for own in pair.domains}
        rows.append(
            (
                pair.a,
                pair.b,
                (sign * pair.delta, pair.better is not None),
                pair.p_adjusted,
                *map(inside.get, domains),
                "yes" if pair.reverses else "no",
            )
        )
    return Table("opposed-pairs", columns, tuple(rows))


def domains_verdict(found: ByDomain) -> str:
    """How many significant pairs are the other way round somewhere, in a sentence without its full
    stop.
    """
    unit, m = found.sampling.unit, len(found.pairs)
    units = sum(
        part.n_documents or 0 if unit == "document" else part.n_segments for part in found.domains
    )
    if float(p_floor(TESTS[found.test], unit, np.array(units))) > found.sampling.alpha:
        return f"no pair can be significant with {format_count(units, unit)}"
    n = sum(pair.better is not None for pair in found.pairs)
    opposed, reverses = (
        sum(map(bool, values))
        for values in zip(*((pair.opposed, pair.reverses) for pair in found.pairs), strict=True)
    )
    return (
        f"{n} of {format_count(m, 'pair')} significant on the whole set, {opposed} of these with the other sign in "
        f"some domain; {reverses or 'none'} significantly reversed between domains"
    )


def domains_note(found: ByDomain) -> str:
    """How to read the numbers."""
    n, m, unit = (
        sum(len(pair.domains) for pair in found.pairs),
        len(found.pairs),
        found.sampling.unit,
    )
    sizes = ", ".join(
        f"{part.domain} {part.n_segments:,}"
        + ("" if part.n_documents is None else f" ({part.n_documents:,})")
        for part in found.domains
    )
    documents = "" if found.domains[0].n_documents is None else " (and documents)"
    whole = {part.domain: part.n_segments for part in found.domains}
    if any(own.n_segments < whole[own.domain] for pair in found.pairs for own in pair.domains):
        sizes += "; a pair is compared on the segments that have scores for both systems"
    return (
        f"Segments{documents}: {sizes}. Positive where the first system is better; ● is significant at "
        f"{found.sampling.alpha:g}. Corrected by Romano-Wolf for {format_count(m, 'pair')} on the whole set, and "
        f"separately for {n} in the domains. {SETTINGS['test'].name_value(found.test)} by {unit}, within domains. "
        f"A domain with few {unit}s can hardly decide anything, so another sign is not yet a reversal."
    )


def _domain_sections(found: ByDomain) -> Iterator[Section]:
    title, direction = metric_title(found.metric), describe_direction(found.higher_is_better)
    yield Section(
        "",
        [
            Paragraph(text=f"{title} ({direction}): {domains_verdict(found)}.", role="verdict"),
            *(
                Paragraph(text=text)
                for text in list_assumptions(found.testset.assumed, [found.metric])
            ),
        ],
    )
    for name, table in (
        ("scores by domain", domain_table(found)),
        ("reversed pairs", opposed_pairs_table(found)),
    ):
        if table:
            yield Section("", [TableBlock(table=table, title=f"{title}: {name}")])
    signatures = [
        found.signature,
        *(
            f"{part.domain}: {part.signature}"
            for part in found.domains
            if part.signature is not None
        ),
    ]
    yield Section(
        "", [Paragraph(text=domains_note(found), role="note"), Warnings(cautions=found.warnings)]
    )
    yield Section("", [Paragraph(text=text, role="signature") for text in signatures])


def _report_domains(found: Sequence[ByDomain]) -> Report:
    """For each metric the scores by domain, and the significant pairs that a domain has the other
    way round.
    """
    sections = [section for one in found for section in _domain_sections(one)]
    return Report(f"Systems by domain on {found[0].testset.name}", sections)


def _domains_record(found: Sequence[ByDomain]) -> dict[str, Any]:
    first = found[0]
    return {
        "testset": info_record(first.testset),
        "settings": _domain_settings(first),
        "metrics": {
            one.metric: {
                "signature": one.signature,
                "higher_is_better": one.higher_is_better,
                "systems": list(one.systems),
                "domains": [asdict(row) for row in one.domains],
                "pairs": [asdict(row) for row in one.pairs],
            }
            for one in found
        },
        "warnings": [caution_record(caution) for one in found for caution in one.warnings],
    }


def _domain_records(found: Sequence[ByDomain]) -> list[dict[str, Any]]:
    """Rows of scores, of pairs on the whole set (domain empty) and of pairs in each domain, by the
    column ``table``.
    """
    rows: list[dict[str, Any]] = []
    for one in found:
        own = {"metric": one.metric, "signature": one.signature}
        signatures = {part.domain: part.signature or one.signature for part in one.domains}
        rows += [
            {
                "table": "scores",
                **own,
                "signature": signatures[part.domain],
                "domain": part.domain,
                "n_segments": part.n_segments,
                "n_documents": part.n_documents,
                "system": name,
                "score": score,
            }
            for part in one.domains
            for name, score in part.scores.items()
        ]
        for pair in one.pairs:
            flat = {
                key: value
                for key, value in asdict(pair).items()
                if key not in ("domains", "opposed")
            }
            rows.append(
                {"table": "pairs", **own, "domain": "", **flat, "opposed": len(pair.opposed)}
            )
            rows += [
                {
                    "table": "pairs",
                    **own,
                    "signature": signatures[part.domain],
                    "a": pair.a,
                    "b": pair.b,
                    **asdict(part),
                }
                for part in pair.domains
            ]
    info = {
        "testset": found[0].testset.name,
        "digest": found[0].testset.digest,
        **_domain_settings(found[0]),
    }
    return [{**row, **info} for row in rows]


def _domain_settings(found: ByDomain) -> dict[str, object]:
    return {
        **asdict(found.sampling),
        "test": found.test,
        "trials": found.trials,
        "correction": "romano-wolf",
    }


DOMAIN_FORMS = make_forms(_report_domains, _domains_record, _domain_records)


# -------------------------------------------------------------------------------------------------
# AutoRank.


_AUTORANK_RULES = {
    "2025": "as WMT25: (score - median) / (maximum - 25th percentile) over the systems, averaged over the metrics. The "
    "best system gets 1, the worst the number of systems",
    "2024": "as WMT24: each metric mapped to 1 (best) to one more than the number of systems (worst), then averaged",
}


def autorank_table(found: PairAutoRank) -> Table:
    """One row for each system, the best first, with its place by each metric alone."""
    columns = [
        Column(
            "rank", "rank", "rank", help="The rank range of the system. All of them hold together."
        ),
        Column("system", "system", "name"),
        Column("autorank", "AutoRank", "score", ".1f"),
        Column(
            "range",
            "range in resamples",
            "interval",
            ".1f",
            help="How far AutoRank moves in resamples. This is no confidence interval.",
        ),
    ]
    for name in found.metrics:
        columns.append(
            Column(
                f"place_{name}", metric_title(name), "count", help="Its place by this metric only"
            )
        )
    rows = []
    for one in found.systems:
        ranks = (
            None if one.rank_low is None or one.rank_high is None else (one.rank_low, one.rank_high)
        )
        places = [one.places[name] for name in found.metrics]
        rows.append((ranks, one.system, one.autorank, (one.low, one.high), *places))
    return Table("autorank", tuple(columns), tuple(rows))


def _report_autorank(found: AutoRank) -> Report:
    """A section for each language pair."""
    return Report(
        f"AutoRank of {found.task}",
        [Section(pair, autorank_blocks(found, pair)) for pair in found.pairs],
    )


def autorank_blocks(found: AutoRank, pair: str) -> list[Block]:
    """Who is first in a language pair, and the table."""
    one = found.pairs[pair]
    metrics = ", ".join(map(metric_title, one.metrics))
    notes = [
        f"AutoRank {_AUTORANK_RULES[found.rule]}.",
        *_explain_autorank_ranks(one),
        "Columns of metrics: the place by that metric only.",
        "An automatic ranking does not replace human scores.",
    ]
    if one.as_published:
        notes.append(
            "WMT25 used these metrics: CometKiwi-XL where the task had a reference, only chrF++ for Bhojpuri "
            "and Maasai."
        )
    if one.without:
        notes.append(
            f"Excluded, because they lack scores of a metric: {', '.join(map(printable, one.without))}."
        )
    return [
        Paragraph(
            text=f"{_state_autorank(one)}.", role="verdict", about=f"{pair}, AutoRank by {metrics}"
        ),
        TableBlock(
            table=autorank_table(one),
            title=f"AutoRank of {pair}",
            caption=f"AutoRank of {pair}.",
            notes=(" ".join(notes),),
        ),
        Warnings(cautions=one.warnings),
    ]


def _state_autorank(one: PairAutoRank) -> str:
    """The verdict on a language pair, without its full stop."""
    systems = [printable(row.system) for row in one.systems]
    top = [printable(row.system) for row in one.systems if row.rank_low == 1]
    if not top:
        return (
            f"No system is ranked: the test set is too small. {systems[0]} has the best AutoRank of "
            f"{format_count(len(systems), 'system')}"
        )
    has_winner = any(row.rank_high == 1 for row in one.systems)
    return name_top_group(top, systems, has_winner)


def _explain_autorank_ranks(one: PairAutoRank) -> list[str]:
    """What ranks and ranges are, a sentence each."""
    settings = one.settings
    level = f"{100 * (1 - settings.alpha):g}%"
    return [
        _explain_rank_ranges(one, level),
        "With the scaling of each metric as observed, AutoRank is a weighted mean of scores.",
        f"A randomization test compares each pair of systems by that mean ({settings.trials:,} permutations by "
        f"{settings.unit}, Romano-Wolf over all pairs; seed {settings.seed}).",
        f"Range in resamples: the middle {level} of AutoRank in {settings.resamples:,} bootstrap resamples, in which "
        "the scaling varies too. It is no confidence interval.",
    ]


def _explain_rank_ranges(one: PairAutoRank, level: str) -> str:
    if any(caution.kind.breaks_level for caution in one.warnings):
        return "Rank: the rank range. The caveat below says why they do not hold together here."
    return f"Rank: the rank range. All rank ranges hold together at about {level}."


def _autorank_record(found: AutoRank) -> dict[str, Any]:
    first = next(iter(found.pairs.values())).settings
    settings = {
        "rule": found.rule,
        "test": first.test,
        "correction": first.correction,
        "alpha": first.alpha,
        "block_length": first.block_length,
        "resamples": first.resamples,
        "seed": first.seed,
        "version": first.version,
    }
    pairs = {}
    for pair, one in found.pairs.items():
        pairs[pair] = {
            "metrics": one.metrics,
            "unit": one.settings.unit,
            "trials": one.settings.trials,
            "without": one.without,
            "warnings": list(map(caution_record, one.warnings)),
            "systems": list(map(asdict, one.systems)),
        }
    return {"task": found.task, "settings": settings, "pairs": pairs}


def _autorank_records(found: AutoRank) -> list[dict[str, Any]]:
    """A row for each system of each language pair."""
    rows = []
    for pair, one in found.pairs.items():
        settings = asdict(one.settings)
        kept = {
            key: settings[key]
            for key in (
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
        }
        for row in one.systems:
            record = asdict(row)
            places = {f"place_{name}": place for name, place in record.pop("places").items()}
            rows.append(
                {
                    "language_pair": pair,
                    **record,
                    **places,
                    "rule": found.rule,
                    "metrics": " ".join(one.metrics),
                    **kept,
                }
            )
    return rows


AUTORANK_FORMS = make_forms(_report_autorank, _autorank_record, _autorank_records, "latex")


# -------------------------------------------------------------------------------------------------
# The findings of a task: for each language pair the table of a paper, and who is better than whom.


def findings_table(found: Findings, pair: str) -> Table:
    """The leaderboard of a language pair in print: rank range, system, score, AutoRank, and the
    score in each domain.

    Marked: ranks that reach the first, and the best of each domain. Grey: not in the constrained
    track.
    """
    one, infos = found.pairs[pair], found.found.task.systems
    result = one.comparison.metrics[found.metric]
    table = leaderboard_table(result, one.comparison.settings).select(
        "rank", "system", "score", "ci", "cluster"
    )
    systems = [row.system for row in result.systems]
    unsupported = [pair in infos.get(name, SystemInfo()).unsupported for name in systems]
    places = {} if one.autorank is None else one.autorank.by_system()
    form = choose_form(result)
    columns = [
        *[Column("autorank", "AutoRank", "score", ".1f")] * bool(places),
        *(Column(f"domain_{name}", name, "score", form) for name in one.domains),
    ]
    values = [
        [*[places.get(name)] * bool(places), *(scores.get(name) for scores in one.domains.values())]
        for name in systems
    ]
    table = add_metric_columns(
        table.with_columns(columns, values, after="ci"),
        [one.comparison.metrics[name] for name in found.further if name in one.comparison.metrics],
    )
    printed = [
        name_in_print(found.found.task, name) + " (language not supported)" * no
        for name, no in zip(systems, unsupported, strict=True)
    ]
    table = table.with_columns(
        [
            Column("printed", "system", "name", where="readers"),
            Column("unsupported", "language not supported", where="files"),
        ],
        zip(printed, unsupported, strict=True),
        after="system",
    )
    table = replace(
        table,
        columns=tuple(
            replace(column, where="files") if column.key in ("system", "cluster") else column
            for column in table.columns
        ),
    )
    marks = {(k, "rank") for k, row in enumerate(result.systems) if row.rank_low == 1}
    for name, scores in one.domains.items():
        best = max(scores.values(), key=lambda score: result.sign * score, default=None)
        marks |= {
            (k, f"domain_{name}")
            for k, system in enumerate(systems)
            if best is not None and scores.get(system) == best
        }
    here = {name: infos[name] for name in systems if name in infos}
    marked = "rank ranges that reach 1"
    if one.domains:
        marked += ", and the best score in each domain"
    return replace(
        table,
        key=f"findings-{pair}",
        marks=marks,
        grey=find_unconstrained(systems, here),
        legend=Legend(marked, CLUSTERS, "not in the constrained track"),
    )


def findings_blocks(found: Findings, pair: str) -> list[Block]:
    """The findings of a language pair."""
    one, title = found.pairs[pair], metric_title(found.metric)
    table = findings_table(found, pair)
    notes = [
        f"Ranked {find_rank_rule(found.found).title}.",
        *_explain_further_ranks(found, pair),
        *_explain_autorank(one, found.rule),
    ]
    block = TableBlock(
        table=table,
        title=f"{pair}: findings",
        caption=f"Findings for {pair} by {title}.",
        notes=tuple(notes),
    )
    return [
        Paragraph(
            text=f"{state_verdict(one.comparison, found.metric)}.",
            role="verdict",
            about=f"{pair}, {title}",
        ),
        block,
        _show_head_to_head(found, pair),
    ]


def _show_head_to_head(found: Findings, pair: str) -> TableBlock:
    """The matrix of differences of a language pair."""
    comparison = found.pairs[pair].comparison
    result = comparison.metrics[found.metric]
    names = {row.system: name_in_print(found.found.task, row.system) for row in result.systems}
    return TableBlock(
        table=replace(starred_matrix(result, names.__getitem__), key=f"head-to-head-{pair}"),
        title=f"{pair}: head-to-head",
        caption=f"Head-to-head for {pair} by {metric_title(found.metric)}.",
        notes=(explain_head_to_head(result, comparison.settings),),
    )


def _explain_further_ranks(found: Findings, pair: str) -> list[str]:
    """By which rule a further metric ranks, where it is not that of the first."""
    metrics = found.pairs[pair].comparison.metrics
    if not metrics[found.metric].has_rule_decisions:
        return []
    others = [
        metric_title(name)
        for name in found.further
        if name in metrics and not metrics[name].has_rule_decisions
    ]
    if not others:
        return []
    return [
        f"Ranks by {join_names(others)} are simultaneous rank ranges, because the rule is for segment scores."
    ]


def _explain_autorank(one: PairFindings, rule: str) -> list[str]:
    if one.autorank is None:
        return []
    names = ", ".join(metric_title(seen.metric.name) for seen in one.autorank.metrics)
    return [f"AutoRank as WMT{rule[2:]}, 1 is the best, by {names}. Ranks do not depend on it."]


def _report_findings(found: Findings) -> Report:
    return Report(
        f"Findings of {found.found.task.name}",
        [
            *(Section(pair, findings_blocks(found, pair)) for pair in found.pairs),
            Section(
                "How it was tested",
                [
                    Paragraph(
                        text=describe_methods(found.found, found.metric),
                        role="methods",
                        about=metric_title(found.metric),
                    )
                ],
            ),
        ],
    )


def _findings_tables(found: Findings) -> dict[str, dict[str, list[dict[str, Any]]]]:
    tables = {}
    for pair, one in found.pairs.items():
        pairs = [_record_pair(row) for row in one.comparison.metrics[found.metric].pairs]
        tables[pair] = {"systems": findings_table(found, pair).records(), "pairs": pairs}
    return tables


def _record_pair(pair: PairResult) -> dict[str, Any]:
    """A pair as files of the findings have it: by our test, and by the rule of the ranks where that
    is another one.
    """
    return {
        "a": pair.a,
        "b": pair.b,
        "difference": pair.delta,
        "adjusted_p": pair.p_adjusted,
        "better": pair.better,
        "rule_difference": pair.rule_delta,
        "rule_p": pair.rule_p,
        "rule_better": pair.rule_better,
    }


def _findings_record(found: Findings) -> dict[str, Any]:
    first = next(iter(found.pairs.values()))
    return {
        "task": found.found.task.name,
        "metric": found.metric,
        "autorank_rule": found.rule,
        "settings": first.comparison.settings,
        "pairs": _findings_tables(found),
    }


def _findings_records(found: Findings) -> list[dict[str, Any]]:
    return [
        {"table": table, "language_pair": pair, "metric": found.metric, **row}
        for pair, own in _findings_tables(found).items()
        for table, rows in own.items()
        for row in rows
    ]


FINDINGS_FORMS = make_forms(_report_findings, _findings_record, _findings_records, "latex", "html")


# -------------------------------------------------------------------------------------------------
# Ranks by all rules side by side.


#: By rule: the comparison with its ranks, and all the rest the same.
ByRule = Mapping[str, AnyComparison]
_RANKS_NOTE = (
    "A column has the rank ranges by one rule. 'Differs': only some of the rules have the system in the "
    "top group, or as the winner."
)
_COUNTS_NOTE = (
    "How each rule fits the tests of pairs. Ranked as tied: significant pairs whose rank ranges share a "
    "rank. Ranked apart: pairs without a significant difference whose rank ranges share none."
)


def _results_by_rule(by_rule: ByRule, metric: str) -> dict[str, dict[str, MetricResult]]:
    """By language pair and rule; language pairs in which the rules disagree on the top group or the
    winner first.
    """
    parts: dict[str, dict[str, MetricResult]] = {}
    for rule, found in by_rule.items():
        for part, (_, result) in select_lang_pairs(found, metric).items():
            parts.setdefault(part, {})[rule] = result
    return dict(sorted(parts.items(), key=lambda one: not any(_disagreements(one[1]).values())))


def _disagreements(by_rule: Mapping[str, MetricResult]) -> dict[str, str]:
    """By system: "winner" or "top group" where only some of the rules that rank it say so, else an
    empty text.
    """
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for result in by_rule.values():
        for row in result.systems:
            rows.setdefault(row.system, [])
            if row.rank_low is not None:
                rows[row.system].append((row.rank_high == 1, row.rank_low == 1))
    return {
        name: next(
            (
                word
                for word, said in zip(("winner", "top group"), zip(*own, strict=True), strict=False)
                if len({*said}) > 1
            ),
            "",
        )
        for name, own in rows.items()
    }


def rules_table(by_rule: ByRule, metric: str) -> Table:
    """A column for each rule with the rank range of each system, and its cluster in files; language
    pairs in which the rule changes the top group or the winner come first.
    """
    tables = {part: _ranks_table(own) for part, own in _results_by_rule(by_rule, metric).items()}
    if "" in tables:
        return tables[""]
    joined = join_tables("rules", Column("language_pair", "language pair", "name"), tables)
    pairs = joined.values("language_pair")
    ends = {k for k, (pair, pair_below) in enumerate(pairwise(pairs)) if pair != pair_below}
    return replace(joined, ruled={*joined.ruled, *ends})


def _ranks_table(by_rule: Mapping[str, MetricResult]) -> Table:
    rows = {rule: {row.system: row for row in result.systems} for rule, result in by_rule.items()}
    differs, first = _disagreements(by_rule), next(iter(by_rule.values()))
    columns = [
        Column("system", "system", "name"),
        Column("differs", "differs"),
        *(Column(rule, _name_rule(rule), "rank") for rule in rows),
        *(
            Column(f"cluster_{rule}", f"cluster {RANK_RULES[rule].title}", "count", where="files")
            for rule in rows
        ),
    ]
    table = Table(
        "rules",
        tuple(columns),
        tuple(
            (
                name,
                word,
                *(join_ends(own[name].rank_low, own[name].rank_high) for own in rows.values()),
                *(own[name].cluster for own in rows.values()),
            )
            for name, word in differs.items()
        ),
    )
    marks = {
        (k, rule)
        for rule, own in rows.items()
        for k, name in enumerate(differs)
        if own[name].rank_low == 1
    }
    legend = Legend(marked="the range reaches 1", ruled="clusters of the first rule")
    return replace(table, marks=marks, ruled=cluster_ends(first.systems), legend=legend)


def _name_rule(rule: str) -> str:
    """Name a rule in the head of a column, without the preposition of its title.

    >>> _name_rule("wmt22"), _name_rule("wmt22-appraise"), _name_rule("overlap")
    ('WMT22 into English', 'WMT22 out of English', 'overlap')
    """
    name = RANK_RULES[rule].title.split(" ", 1)[1]
    return name if name.startswith("WMT") else name.split(" ")[0]


def rule_counts_table(by_rule: ByRule, metric: str) -> Table:
    """A row for each rule: its top group, the sizes of its clusters, and what the tests of pairs
    say against it.
    """
    rows = []
    parts = {
        rule: {part: result for part, (_, result) in select_lang_pairs(found, metric).items()}
        for rule, found in by_rule.items()
    }
    usual = {part: _first_by_rule(result) for part, result in next(iter(parts.values())).items()}
    for rule, results in parts.items():
        counts = reduce(add, map(count_against_tests, results.values()))
        if "" in results:
            top = ", ".join(row.system for row in results[""].systems if row.rank_low == 1)
            clusters = " + ".join(
                str(len(list(group)))
                for _, group in groupby(sorted(row.cluster or 0 for row in results[""].systems))
            )
        else:
            top = f"{sum(_first_by_rule(result) != usual[part] for part, result in results.items())} of {len(results)}"
            clusters = str(
                sum(max(row.cluster or 0 for row in result.systems) for result in results.values())
            )
        rows.append((RANK_RULES[rule].title, top, clusters, *asdict(counts).values()))
    is_task = "" not in usual
    return Table(
        "rule-counts",
        (
            Column("rule", "rule", "name"),
            Column(
                "top_group", "language pairs with another top group" if is_task else "top group"
            ),
            Column("clusters", "clusters" if is_task else "sizes of clusters"),
            Column("significant", "significant pairs", "count"),
            Column("tied", "ranked as tied", "count"),
            Column("not_significant", "not significant", "count"),
            Column("separated", "ranked apart", "count"),
        ),
        tuple(rows),
    )


def _first_by_rule(result: MetricResult) -> set[str]:
    return {row.system for row in result.systems if row.rank_low == 1}


def rules_verdict(by_rule: ByRule, metric: str) -> str:
    """Whether the rule changes who is first, in a sentence without its full stop."""
    results = _results_by_rule(by_rule, metric)
    changed = [part for part, own in results.items() if any(_disagreements(own).values())]
    found = next(iter(by_rule.values()))
    if not changed:
        return _state_that_rules_agree(results)
    if isinstance(found, Comparison):
        names = [name for name, word in _disagreements(results[""]).items() if word]
        return f"The rank rules disagree on the top group or the winner: {', '.join(names)}"
    n = len(select_lang_pairs(found, metric))
    return (
        f"The rank rule changes the top group or the winner in {f'{len(changed)} of ' * (n > len(changed))}"
        f"{format_count(n, 'language pair')}: {name_pairs(changed)}"
    )


def _state_that_rules_agree(results: Mapping[str, Mapping[str, MetricResult]]) -> str:
    """That rules give the same top group, and which of them rank no system in any part; `results`
    are by part and by rule.
    """
    silent = []
    for rule in next(iter(results.values())):
        rows = [row for by_rule in results.values() for row in by_rule[rule].systems]
        if all(row.rank_low is None for row in rows):
            silent.append(rule)
    if not silent:
        return "All rank rules give the same top group and winner"
    titles = join_names([RANK_RULES[rule].title for rule in silent])
    n_ranking = len(next(iter(results.values()))) - len(silent)
    if n_ranking == 0:
        return "No rank rule ranks any system"
    if n_ranking == 1:
        return f"Only one rank rule ranks the systems. No system is ranked {titles}"
    return (
        f"The {n_ranking} rank rules that rank the systems give the same top group and winner. No system is ranked "
        f"{titles}"
    )


def rules_blocks(by_rule: ByRule, metric: str) -> list[Block]:
    """The verdict, the ranks by each rule, and how the rules fit the tests of pairs."""
    title = metric_title(metric)
    return [
        Paragraph(text=f"{rules_verdict(by_rule, metric)}.", role="verdict", about=title),
        TableBlock(
            table=replace(rules_table(by_rule, metric), key=f"{metric}-rules"),
            title=f"{title}: rank rules",
            caption=f"Rank ranges by {title}, by rule.",
            notes=(_RANKS_NOTE,),
        ),
        TableBlock(
            table=replace(rule_counts_table(by_rule, metric), key=f"{metric}-rule-counts"),
            title=f"{title}: rules against tests",
            notes=(_COUNTS_NOTE,),
            caption=f"Rank rules against the tests of pairs by {title}.",
        ),
    ]


def _name_subject(found: Any) -> str:
    return found.testset.name if isinstance(found, Comparison) else found.task.name


def _report_rules(metrics: Mapping[str, ByRule]) -> Report:
    first = next(iter(next(iter(metrics.values())).values()))
    return Report(
        f"Rank rules side by side: {_name_subject(first)}",
        [
            Section(metric_title(metric), rules_blocks(by_rule, metric))
            for metric, by_rule in metrics.items()
        ],
    )


def _rule_tables(
    metrics: Mapping[str, ByRule], metric: str
) -> dict[str, Sequence[Mapping[str, Any]]]:
    return {
        "ranks": rules_table(metrics[metric], metric).records(),
        "rules": rule_counts_table(metrics[metric], metric).records(),
    }


def _rules_record(metrics: Mapping[str, ByRule]) -> dict[str, Any]:
    first = next(iter(next(iter(metrics.values())).values()))
    one = first if isinstance(first, Comparison) else next(iter(first.pairs.values()))
    settings = {key: value for key, value in asdict(one.settings).items() if key != "rank_rule"}
    return {
        "name": _name_subject(first),
        "settings": settings,
        "metrics": {metric: _rule_tables(metrics, metric) for metric in metrics},
    }


def _rules_records(metrics: Mapping[str, ByRule]) -> list[dict[str, Any]]:
    return [
        {"table": table, "metric": metric, **row}
        for metric in metrics
        for table, rows in _rule_tables(metrics, metric).items()
        for row in rows
    ]


#: Forms of comparisons by metric and rule.
RULES_FORMS = make_forms(_report_rules, _rules_record, _rules_records, "latex", "html")


# -------------------------------------------------------------------------------------------------
# The integrity of submissions.


#: Two outputs are nearly one from this share of lines in common, or this cross-BLEU, on.
_ALIKE, _CROSS_BLEU = 0.5, 80.0
_INTEGRITY_NOTE = (
    f"Lines with fewer than {SHORT_LINE} characters do not count. Many lines equal to one reference can mean that the "
    "system saw it, or that the reference was post-edited from the system's output. The nearest system is the one with "
    "the highest cross-BLEU, which is BLEU with one output as the reference of the other. Nearly the same output can "
    f"mean one model under two names. A document drives an interval if {DRIVES:.0%} or more of the variance is from "
    "it, and so large a share is rare: equal documents with normal scores show it by chance in at most "
    f"{CHANCE:.0%} of test sets. Read its ratings. No finding is an accusation."
)


def integrity_table(found: Integrity) -> Table:
    """One row for each system: equal lines, its nearest system, and the document that drives its
    interval.
    """
    with_texts = found.n_lines > 0
    references = list(found.systems[0].equal_to_reference) if found.systems and with_texts else []
    with_source = any(one.equal_to_source is not None for one in found.systems)
    columns = (
        Column("system", "system", "name"),
        *(Column(f"equal_{name}", f"equal to {name}", "count") for name in references),
        *([Column("equal_source", "equal to source", "count")] if with_source else []),
        *(
            [
                Column("nearest", "nearest system", "name"),
                Column("cross_bleu", "cross-BLEU", "score", ".1f"),
                Column("share_equal", "lines in common", "share", ".1%"),
            ]
            if with_texts
            else []
        ),
        Column("document", "driving document", "name"),
        Column("share", "of the variance", "share", ".0%"),
    )
    rows = []
    for one in found.systems:
        near, driver = one.nearest, one.driving_document
        rows.append(
            (
                one.system,
                *(one.equal_to_reference[name] for name in references),
                *([one.equal_to_source] if with_source else []),
                *(
                    ((near.system, near.cross_bleu, near.share_equal) if near else (EMPTY,) * 3)
                    if with_texts
                    else ()
                ),
                *((driver.document, driver.share) if driver else (EMPTY, EMPTY)),
            )
        )
    return Table("integrity", columns, tuple(rows))


def list_findings(found: Integrity) -> list[str]:
    """Sentences: what is worth a look, beside the warnings about files."""
    near = {
        frozenset((one.system, one.nearest.system)): one.nearest
        for one in found.systems
        if one.nearest is not None
        and (one.nearest.share_equal >= _ALIKE or one.nearest.cross_bleu >= _CROSS_BLEU)
    }
    pairs = [
        f"{' and '.join(map(printable, sorted(pair)))} (cross-BLEU {one.cross_bleu:.0f}, {one.share_equal:.0%} of "
        "the lines are equal)"
        for pair, one in near.items()
    ]
    driven = [
        f"{printable(one.system)} ({printable(one.driving_document.document)}: {one.driving_document.share:.0%} "
        "of the variance)"
        for one in found.systems
        if one.driving_document is not None
    ]
    return [
        *(
            [
                f"Nearly the same output: {', '.join(pairs)}. The median cross-BLEU of two systems is "
                f"{found.median_cross_bleu:.0f}."
            ]
            if pairs
            else []
        ),
        *(
            [
                f"One document makes the {metric_title(found.metric)} interval wide: {', '.join(driven)}."
            ]
            if driven
            else []
        ),
    ]


def integrity_blocks(found: Integrity, pair: str = "") -> list[Block]:
    """What is worth a look first, then the table; of a language pair of a task with its name."""
    cautions = (*found.warnings, *(caution for one in found.systems for caution in one.warnings))
    findings = list_findings(found)
    texts = findings or ([] if cautions else ["Nothing stands out."])
    shown = integrity_table(found)
    if not found.n_lines:
        shown = shown.pick_rows(
            [k for k, one in enumerate(found.systems) if one.driving_document is not None]
        )
    table = TableBlock(
        table=replace(shown, key=f"integrity{pair and '-'}{pair}"),
        title="Integrity",
        caption=f"Lines in common, by system{pair and ', '}{pair}.",
        notes=(_INTEGRITY_NOTE,),
    )
    return [
        *(Paragraph(text=text, role="verdict", about=pair) for text in texts),
        Warnings(cautions=cautions),
        *[table] * bool(shown.rows),
    ]


def missing_blocks(missing: Mapping[str, Sequence[str]], n_pairs: int) -> list[Block]:
    """The systems that did not take part in all language pairs of a task; nothing where all did."""
    lacks: dict[str, list[str]] = {}
    for system, pairs in missing.items():
        kept = n_pairs - len(pairs)
        said = (
            f"without {', '.join(pairs)}"
            if len(pairs) <= kept
            else f"in {kept} of {format_count(n_pairs, 'pair')}"
        )
        lacks.setdefault(said, []).append(printable(system))
    if not lacks:
        return []
    texts = [f"{', '.join(systems)} ({said})" for said, systems in lacks.items()]
    return [
        Paragraph(
            text=f"Not in all language pairs: {'; '.join(texts)}. Means over language pairs leave these "
            "systems out.",
            role="verdict",
        )
    ]


def _report_integrity(found: Integrity | TaskIntegrity) -> Report:
    """Of a task who did not take part everywhere, then each language pair."""
    if isinstance(found, Integrity):
        return Report(f"Integrity of {found.testset}", [Section("", integrity_blocks(found))])
    first = Section("", missing_blocks(found.missing, len(found.pairs)))
    return Report(
        f"Integrity of {found.task}",
        [first, *(Section(pair, integrity_blocks(one, pair)) for pair, one in found.pairs.items())],
    )


def _integrity_record(found: Integrity | TaskIntegrity) -> dict[str, Any]:
    if isinstance(found, TaskIntegrity):
        return {
            "task": found.task,
            "missing": found.missing,
            "pairs": {pair: _integrity_record(one) for pair, one in found.pairs.items()},
        }
    systems = {}
    for one in found.systems:
        record = asdict(one) | {"warnings": list(map(caution_record, one.warnings))}
        systems[record.pop("system")] = record
    return {
        "testset": found.testset,
        "metric": found.metric,
        "n_lines": found.n_lines,
        "median_cross_bleu": found.median_cross_bleu,
        "systems": systems,
        "warnings": list(map(caution_record, found.warnings)),
    }


def _integrity_records(found: Integrity | TaskIntegrity) -> list[dict[str, Any]]:
    """A row for each system, of a task in each language pair."""
    if isinstance(found, TaskIntegrity):
        return [
            {"language_pair": pair, **row}
            for pair, one in found.pairs.items()
            for row in _integrity_records(one)
        ]
    return [{"testset": found.testset, **row} for row in integrity_table(found).records()]


INTEGRITY_FORMS = make_forms(_report_integrity, _integrity_record, _integrity_records, "latex")


# -------------------------------------------------------------------------------------------------
# Published scores beside ours, of a test set or of a whole task.


_TICK, _CROSS = "✓", "✗"
_REPLICATION_COLUMNS = (
    Column("system", "system", "name"),
    Column("metric", "metric", "name"),
    Column("printed", "published", "written"),
    Column("here", "here", "written"),
    Column("same", "same", "text"),
    Column("gives", "what would give it", "text"),
)
_Replicated = Replication | TaskReplication


def _by_pair(found: _Replicated) -> dict[str, Replication]:
    """By language pair; that of a test set alone has no name."""
    return dict(found.pairs) if isinstance(found, TaskReplication) else {"": found}


def replication_table(found: _Replicated) -> Table:
    """The published score, ours to as many decimals, whether they are the same, and what would give
    it; of a task the language pair first.
    """
    tables = {
        pair: Table(
            "replication",
            _REPLICATION_COLUMNS,
            tuple(
                (
                    row.system,
                    row.column,
                    Cell(row.printed, float(row.printed)),
                    Cell(_ours(row), row.score),
                    _TICK if row.agrees else _CROSS,
                    EMPTY if row.agrees else _gives(row, of),
                )
                for row in of.rows
            ),
        )
        for pair, of in _by_pair(found).items()
    }
    if isinstance(found, TaskReplication):
        return join_tables("replication", Column("language_pair", "language pair", "name"), tables)
    return tables[""]


def _gives(row: ScoreBeside, of: Replication) -> str:
    if row.setting is None:
        return f"none of the {of.tried} settings that were tried"
    return f"{row.setting}, which gives {row.gives} of {of.n_numbers}"


def _ours(row: ScoreBeside) -> str:
    """Our score, with a decimal more where rounding hides the difference."""
    decimals = len(row.printed.partition(".")[2])
    text = f"{row.score:.{decimals}f}"
    return (
        text if row.agrees or float(text) != float(row.printed) else f"{row.score:.{decimals + 2}f}"
    )


def replication_sentences(found: _Replicated) -> list[str]:
    """How many published scores come out by each metric, what to make of the others, and what could
    not be compared.
    """
    parts, texts = _by_pair(found), []
    for pair, of in parts.items():
        for column, rows in groupby(of.rows, attrgetter("column")):
            agree = [row.agrees for row in rows]
            texts.append(
                f"{pair}{', ' * bool(pair)}{column}: {sum(agree)} of {len(agree)} published scores come out "
                "here, at the precision that they are published with."
            )
    others = [row for of in parts.values() for row in of.rows if not row.agrees]
    if any(row.gives == 1 for row in others):
        texts.append("A setting that gives only one published score may do so by chance.")
    if any(row.setting is None for row in others):
        texts.append(
            "Where no setting gives the published score, the outputs or references may differ from those that "
            "were scored."
        )
    for pair, of in parts.items():
        suffixes = join_names([f"{name} is {here}" for name, here in of.by_suffix.items()])
        texts += [
            f"{pair}{': ' * bool(pair)}{text}"
            for text in (
                *_list_differences(
                    of.by_rule,
                    {
                        "Only here": of.only_here,
                        "Only in the table": of.only_there,
                        "Not compared, because this test set cannot be scored by them": of.not_compared,
                    },
                ),
                *[f"The end of a name says which references score: {suffixes}."] * bool(suffixes),
            )
        ]
    if isinstance(found, TaskReplication):
        texts += _list_differences(
            found.by_rule,
            {
                "Language pairs only here": found.only_here,
                "Language pairs only in the table": found.only_there,
            },
        )
    return texts


def ranks_of(found: _Replicated) -> dict[str, RankReplication]:
    """By language pair the published ranks, where the table has any."""
    return {pair: of.ranks for pair, of in _by_pair(found).items() if of.ranks is not None}


def published_ranks_table(found: _Replicated) -> Table:
    """The published rank of each system and that by the rule that gives most of them, each with its
    cluster.
    """
    tables = {}
    for pair, ranks in ranks_of(found).items():
        with_clusters = any(row.published.cluster for row in ranks.rows)
        table = Table(
            "published-ranks",
            (
                Column("system", "system", "name"),
                Column("rank_published", "published", "rank"),
                Column("cluster_published", "cluster", "count"),
                Column("rule", "rule"),
                Column("rank", "here", "rank"),
                Column("cluster", "cluster here", "count"),
                Column("same", "same", "text"),
            ),
            tuple(_list_ranks(row, ranks.rule) for row in ranks.rows),
        )
        tables[pair] = table if with_clusters else table.without("cluster_published", "cluster")
    if "" in tables:
        return tables[""]
    keys = set.intersection(*({*table.keys} for table in tables.values())) if tables else set()
    return join_tables(
        "published-ranks",
        Column("language_pair", "language pair", "name"),
        {
            pair: table.select(*(key for key in table.keys if key in keys))
            for pair, table in tables.items()
        },
    )


def _list_ranks(row: RankBeside, rule: str) -> tuple[Any, ...]:
    """A row of `published_ranks_table`; without a rank here where the rule gives none."""
    published, ours = row.published, row.ours.get(rule)
    rank = cluster = None
    if ours is not None:
        rank, cluster = (ours.low, ours.high), ours.cluster
    return (
        row.system,
        (published.low, published.high or published.low),
        published.cluster,
        _title_of_way(rule),
        rank,
        cluster,
        _TICK if row.agrees(rule) else _CROSS,
    )


def _title_of_way(way: str) -> str:
    """The title of a rule, with the options that the files are read with."""
    rule, options = split_way(way)
    title = RANK_RULES[rule].title
    return f"{title} with {options}" if options else title


def _list_best_ways(ranks: RankReplication) -> list[str]:
    """The rules that give most of a published ranking; one that does so without options is not
    named with them too.
    """
    most = ranks.counts[ranks.rule]
    best = [way for way, count in ranks.counts.items() if count == most]
    shortest: dict[str, str] = {}
    for way in sorted(best, key=len):
        rule, _ = split_way(way)
        shortest.setdefault(rule, way)
    return [way for way in best if way in shortest.values()]


def rank_sentences(found: _Replicated) -> list[str]:
    """Which rule gives a published ranking, for which systems it does not, and how many ranks other
    rules give.
    """
    texts = []
    for pair, ranks in ranks_of(found).items():
        n, best = len(ranks.rows), ranks.counts[ranks.rule]
        titles = [_title_of_way(rule) for rule in _list_best_ways(ranks)]
        about = f"{pair}{', ' * bool(pair)}{metric_title(ranks.metric)}"
        others = [
            f"{_title_of_way(rule)} {count}" for rule, count in ranks.counts.items() if count < best
        ]
        wrong = [row.system for row in ranks.rows if not row.agrees(ranks.rule)]
        said = (
            "The published ranking comes out"
            if not wrong
            else f"{best} of {n} published ranks come out"
        )
        texts.append(
            f"{about}: {said} with ranks {' and '.join(titles)}."
            + f" Different here: {join_names(wrong)}." * bool(wrong)
            + f" Other rules give fewer of the {n}: {', '.join(others)}." * bool(others)
        )
        texts += [f"Not ranked here: {join_names(list(ranks.not_compared))}."] * bool(
            ranks.not_compared
        )
    return texts


def _list_differences(by_rule: Mapping[str, str], lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that are written in another way in the table, and what only one of the two has."""
    same = [f"{name} as {here}" for name, here in by_rule.items() if name.lower() != here.lower()]
    texts = (
        [
            f"Names that differ only in case, spaces, dots, dashes and underscores are the same: {join_names(same)}."
        ]
        if same
        else []
    )
    return texts + [f"{text}: {join_names(list(names))}." for text, names in lists.items() if names]


def _report_replication(found: _Replicated) -> Report:
    ranks, scores = ranks_of(found), replication_table(found)
    tables = [("published ranks", published_ranks_table(found))] * bool(ranks)
    tables += [("published scores", scores)] * (not ranks or bool(scores))
    return Report(
        "Published scores",
        [
            Section("", [Paragraph(text=text) for text in rank_sentences(found)]),
            *(Section("", [TableBlock(table=table, title=title)]) for title, table in tables),
            Section("", [Paragraph(text=text) for text in replication_sentences(found)]),
        ],
    )


def _replication_record(found: _Replicated) -> dict[str, Any]:
    record = to_plain(found)
    for one in record["pairs"].values() if isinstance(found, TaskReplication) else [record]:
        if one["ranks"] is None:  # a table of scores
            del one["ranks"]
    return {**record, "sentences": [*rank_sentences(found), *replication_sentences(found)]}


def _replication_records(found: _Replicated) -> list[dict[str, Any]]:
    rows = [
        {**({"language_pair": pair} if isinstance(found, TaskReplication) else {}), **asdict(row)}
        for pair, of in _by_pair(found).items()
        for row in of.rows
    ]
    if not ranks_of(found):
        return rows
    return [
        *({"table": "ranks", **row} for row in published_ranks_table(found).records()),
        *({"table": "scores", **row} for row in rows),
    ]


REPLICATION_FORMS = make_forms(_report_replication, _replication_record, _replication_records)
