"""The one-page summary of a pair of systems, as a report and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

from mtsig_core.caution import Caution
from mtsig_core.experiments.breakdown import Breakdown, Bucket, NgramLead
from mtsig_core.experiments.dispute import Decider, Dispute, MetricDispute, document_names
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions, info_record
from mtsig_core.report.document import (
    Assumptions,
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
)
from mtsig_core.report.export import label_records
from mtsig_core.report.pictures import DifferenceRow, draw_differences
from mtsig_core.report.sentences import (
    PairView,
    better_by_rule,
    choose_form,
    describe_tests,
    has_p_values,
    improvement_by_rule,
    pick_file_doubts,
    state_pair_by_metrics,
    summarize_comparison,
    view_pair,
    write_level,
)
from mtsig_core.report.table import Legend, Table, TableBuilder, Value, signed, write_cell
from mtsig_core.results import DomainPair, MetricResult, Settings
from mtsig_core.schema import NamedRecords, Records
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.pair import PairExamination, count_permutations, smooth_resamples
from mtsig_core.stats.ranks import RANK_RULES


def summary_report(dispute: Dispute, command: str = "") -> Report:
    """The verdict and a figure, the tables, the segments that decide, warnings, how it was tested.

    `command` is the command line that prints its numbers, without the format.
    """
    sections = [Section("", list(_introduce(dispute)))]
    sections += [Section(block.title, [block]) for block in summary_tables(dispute)]
    sections += _list_text_sections(dispute)
    caveats = _list_caution_texts(dispute)
    if caveats:
        sections.append(Section("Caveats", caveats, "caveats"))
    sections.append(Section("How it was tested", _list_methods(dispute), "detail"))
    sections.append(Section("Made by", [_list_facts(dispute, command)], "detail"))
    info = dispute.comparison.testset
    simulated = ""
    if info.simulated:
        simulated = "The texts of this test set are simulated."
    return Report(
        f"One-page summary: {info.name}",
        sections,
        simulated,
        make_record=partial(_record_summary, dispute),
        make_rows=lambda: list_table_rows(summary_tables(dispute)),
    )


def summary_verdict(dispute: Dispute) -> str:
    """State the decisions of the metrics on the pair, in one sentence without its full stop."""
    decision_of = {}
    for by_metric in dispute.metrics:
        decision_of[metric_title(by_metric.result.metric)] = by_metric.decision
    return state_pair_by_metrics(dispute.a, dispute.b, decision_of)


def _introduce(dispute: Dispute) -> Iterator[Block]:
    comparison = dispute.comparison
    name = comparison.testset.name
    yield Paragraph(text=f"{dispute.a} and {dispute.b}: {name}", role="summary")
    yield Paragraph(text=f"{summary_verdict(dispute)}.", role="verdict")
    doubts = _pick_doubts(dispute)
    if doubts:
        yield Warnings(cautions=tuple(doubts))
    for phrases in summarize_comparison(comparison):
        yield Paragraph(text="; ".join(phrases), role="summary")
    yield Assumptions(assumed=comparison.testset.assumed, metrics=tuple(comparison.metrics))
    yield Figure(
        draw=partial(_draw_differences, dispute),
        caption=(
            "The difference by each metric; each row has its own scale. Thick: CI of this pair. Thin, with ends: "
            "CI for all pairs together. Filled: significant. Hollow: not significant, which does not mean equal."
        ),
    )


def _view_pair(dispute: Dispute, by_metric: MetricDispute) -> PairView:
    """The pair by one metric, as an improvement of a over b."""
    return view_pair(by_metric.pair, dispute.a, by_metric.result, dispute.comparison.settings)


def _draw_differences(dispute: Dispute) -> str:
    rows = []
    for by_metric in dispute.metrics:
        view = _view_pair(dispute, by_metric)
        rows.append(
            DifferenceRow(
                name=metric_title(by_metric.result.metric),
                delta=view.difference,
                single=view.ci,
                joint=view.ci_joint,
                filled=by_metric.decision != 0,
                end=signed(view.difference, choose_form(by_metric.result)),
            )
        )
    head = f"Right of the line: {dispute.a} is better. Left: {dispute.b} is better"
    return draw_differences(rows, head)


def _pick_doubts(dispute: Dispute) -> list[Caution]:
    """The warnings that put all numbers of the pair in doubt."""
    return [
        caution
        for caution in pick_file_doubts(dispute.comparison.warnings)
        if caution.concerns_pair(dispute.a, dispute.b)
    ]


def _pick_cautions(dispute: Dispute) -> list[Caution]:
    """The warnings about this pair or the whole comparison."""
    cautions = []
    for caution in dispute.comparison.warnings:
        is_about_pair = caution.concerns_all or caution.concerns_pair(dispute.a, dispute.b)
        if is_about_pair and not caution.kind.doubts_files:
            cautions.append(caution)
    return cautions


def _list_caution_texts(dispute: Dispute) -> list[Block]:
    cautions = tuple(_pick_cautions(dispute))
    blocks: list[Block] = []
    if cautions:
        blocks.append(Warnings(cautions=cautions, several=len(dispute.metrics) > 1))
    for name, why in dispute.not_compared.items():
        text = f"Not compared by {metric_title(name)}: {why}"
        blocks.append(Paragraph(text=text, role="warning"))
    return blocks


def _list_methods(dispute: Dispute) -> list[Block]:
    """Explain the test by each metric, each sentence once."""
    blocks: list[Block] = []
    written: set[str] = set()
    for by_metric in dispute.metrics:
        metric = by_metric.result.metric
        sentences = [
            text for text in describe_tests(dispute.comparison, metric) if text not in written
        ]
        written.update(sentences)
        if sentences:
            text = " ".join(sentences)
            blocks.append(Paragraph(text=text, role="paper", about=metric_title(metric)))
    return blocks


def _list_facts(dispute: Dispute, command: str) -> Facts:
    facts = {"this page": f"{command} --format html", "all numbers": f"{command} --format json"}
    for by_metric in dispute.metrics:
        facts[metric_title(by_metric.result.metric)] = by_metric.result.signature
    facts["test set digest"] = dispute.comparison.testset.digest
    return Facts(pairs=tuple(facts.items()), code=frozenset(facts))


def _list_text_sections(dispute: Dispute) -> Iterator[Section]:
    """The texts of each segment that decides, under the system in whose favour it is."""
    if not dispute.testset.has_outputs:
        return
    for name, segments in zip((dispute.a, dispute.b), dispute.segments, strict=True):
        for segment in segments:
            place = [segment.name, *_list_places(dispute, segment), f"{segment.added:+.3g}"]
            title = f"Line {' · '.join(place)}, in favour of {name}"
            texts = tuple(_list_texts(dispute, segment.position))
            yield Section(title, [Facts(pairs=texts)], depth=3)


def _list_places(dispute: Dispute, segment: Decider) -> list[str]:
    """The domain and the document of a segment, where the test set has them."""
    testset = dispute.testset
    known = [values for values in (testset.domains, testset.documents) if values is not None]
    return [values[segment.position] for values in known]


def _list_texts(dispute: Dispute, position: int) -> Iterator[tuple[str, str]]:
    testset = dispute.testset
    if testset.sources is not None:
        yield "source", testset.sources[position]
    for name, texts in testset.references.items():
        reference = texts[position]
        if reference is not None:
            yield name, reference
    for system in (dispute.a, dispute.b):
        yield system, testset.systems[system][position] or "(no text here)"


# -------------------------------------------------------------------------------------------------
# The tables.


def summary_tables(dispute: Dispute) -> list[TableBlock]:
    """The tables, the one that decides first; empty ones are left out."""
    blocks = [
        _tabulate_metrics(dispute),
        _tabulate_sizes(dispute),
        _tabulate_deciders(dispute, "document", "document", dispute.documents),
        _tabulate_deciders(dispute, "segment", "line", dispute.segments),
    ]
    if dispute.breakdown is not None:
        first = dispute.metrics[0].result
        settings = dispute.comparison.settings
        blocks += breakdown_tables(dispute.breakdown, dispute.a, dispute.b, first, settings)
    pair = f"{dispute.a} and {dispute.b}"
    return [replace(block, caption=f"{block.title}: {pair}.") for block in blocks if block.table]


def breakdown_tables(
    breakdown: Breakdown, a: str, b: str, result: MetricResult, settings: Settings
) -> list[TableBlock]:
    """Tables of words by frequency, segments by length, and n-grams."""
    from mtsig_core.report.experiment_tables import row_table  # late: it loads all experiments

    def tabulate(key: str, buckets: Sequence[Bucket], form: str, **titles: str) -> Table:
        ci = f"{write_level(settings)} CI, all rows of this table together"
        table = row_table(key, Bucket, buckets, form=form, score_a=a, score_b=b, ci=ci, **titles)
        marks = set()
        for k, bucket in enumerate(buckets):
            if bucket.ci and not contains_zero(*bucket.ci):
                marks.add((k, "difference"))
        return replace(table, marks=marks, legend=Legend(marked="the CI excludes 0"))

    words = tabulate("words", breakdown.words, ".2f", range="times in the reference", n="words")
    form = choose_form(result)
    lengths = tabulate(
        "lengths", breakdown.lengths, form, range="words in the reference", n="segments"
    )
    ngrams = row_table("ngrams", NgramLead, breakdown.ngrams, n_a=a, n_b=b)
    note = (
        "Both tables are exploratory: the CIs cover the rows of one table, not the other table, nor other pairs of "
        "systems. So a marked row does not change the verdict above, and rows without a mark may differ, too. A "
        "difference that you pick because it is large is usually smaller. Words are the tokens of the tokenizer; in "
        "Chinese these are single characters."
    )
    about_ngrams = (
        "How often each output has the n-gram where the reference has it, the clearest first. Exploratory, not "
        "tested: of so many n-grams some differ by chance. The line is one where the two differ."
    )
    return [
        TableBlock(
            table=words,
            title="F1 of words (share found, both ways) by frequency of the word in the reference",
        ),
        TableBlock(
            table=lengths,
            title=f"{metric_title(result.metric)} of segments by length of the reference in words",
            notes=(note,),
        ),
        TableBlock(
            table=ngrams,
            title="N-grams that one system has right more often",
            notes=(about_ngrams,),
        ),
    ]


def _name_metric(by_metric: MetricDispute) -> str:
    title = metric_title(by_metric.result.metric)
    if by_metric.result.higher_is_better:
        return f"{title} ↑"
    return f"{title} ↓"


def _add_in_form(table: TableBuilder, key: str, title: str, kind: str, get: Value) -> None:
    """Add a column whose cells have the form of their metric's scores."""

    def write(by_metric: MetricDispute) -> Any:
        form = choose_form(by_metric.result)
        if kind == "interval":
            form = f"+{form}"
        return write_cell(get(by_metric), kind, form)

    table.add(key, title, kind, write)


def _tabulate_metrics(dispute: Dispute) -> TableBlock:
    settings = dispute.comparison.settings
    views = {
        by_metric.result.metric: _view_pair(dispute, by_metric) for by_metric in dispute.metrics
    }
    better = {1: dispute.a, -1: dispute.b, 0: "no significant difference"}

    def get(field: str) -> Value:
        return lambda by_metric: getattr(views[by_metric.result.metric], field)

    def get_rule_difference(by_metric: MetricDispute) -> float | None:
        return improvement_by_rule(by_metric.pair, dispute.a, by_metric.result)

    interval = f"{write_level(settings)} CI"
    table = TableBuilder("metrics", dispute.metrics)
    table.add("metric", "metric", "name", _name_metric)
    _add_in_form(table, "score_a", dispute.a, "score", attrgetter("examination.score_a"))
    _add_in_form(table, "score_b", dispute.b, "score", attrgetter("examination.score_b"))
    _add_in_form(table, "difference", "difference", "difference", get("difference"))
    _add_in_form(table, "ci", interval, "interval", get("ci"))
    _add_in_form(table, "ci_joint", f"{interval} for all pairs", "interval", get("ci_joint"))
    if has_p_values(settings):
        table.add("p", "p", "p", get("p"))
        if settings.correction != "none":
            table.add("adjusted_p", "adjusted p", "p", get("adjusted_p"))
    else:
        table.add("win", "first wins", "share", get("win"))
        table.add("lose", "second wins", "share", get("lose"))
    table.add("better", "better", "name", lambda by_metric: better[by_metric.decision])
    if any(by_metric.result.has_rule_decisions for by_metric in dispute.metrics):
        title = RANK_RULES[settings.rank_rule].title
        _add_in_form(
            table, "rule_difference", f"difference {title}", "difference", get_rule_difference
        )
        table.add("rule_p", f"p {title}", "p", attrgetter("pair.rule_p"))
        table.add(
            "rule_better",
            f"better {title}",
            "name",
            lambda by_metric: better_by_rule(by_metric.pair),
        )
    table.add("n_pairs", "pairs", "count", lambda by_metric: len(by_metric.result.tested))
    table.add("n_segments", "segments", "count", attrgetter("examination.n"))
    correction = "corrected for all pairs of the comparison (their number is in the column pairs)"
    if settings.correction == "none":
        correction = "without a correction for many pairs"
    note = (
        "A positive difference means that the first system is better, also for metrics where lower is better. "
        f"Decisions are {correction}."
    )
    return TableBlock(table=table.build(), title="By each metric", notes=(note,))


def _tabulate_sizes(dispute: Dispute) -> TableBlock:
    units = "segments"
    n_units = "pair.n"
    if dispute.comparison.settings.unit == "document":
        units = "documents"
        n_units = "pair.n_units"
    planned = [by_metric for by_metric in dispute.metrics if by_metric.plan is not None]

    def find_difference(by_metric: MetricDispute) -> float:
        return _view_pair(dispute, by_metric).difference

    table = TableBuilder("sizes", planned)
    table.add("metric", "metric", "name", _name_metric)
    _add_in_form(table, "difference", "difference", "difference", find_difference)
    _add_in_form(table, "mdd", "detectable, one pair", "score", attrgetter("plan.mdd"))
    _add_in_form(table, "mdd_family", "among all pairs", "score", attrgetter("plan.mdd_family"))
    table.add("n", f"{units} here", "count", attrgetter(n_units))
    for key, field, title in (
        ("units_for_own", "plan.size_for_own", f"{units} needed, one pair"),
        ("units_for_own_family", "plan.size_for_own_family", "among all pairs"),
    ):
        table.add(key, title, "text", partial(_write_size, attrgetter(field)))
    note = (
        "Detectable: the true difference found with 80% power. Needed: the test-set size that finds the observed "
        "difference with 80% power, if it is the true one, with a CI. If you picked the pair because of its "
        "difference, the true one is usually smaller; so plan for a difference that you choose before you look. "
        "The CI has no upper end if the true difference may be 0. Among all pairs: at alpha divided by their "
        "number."
    )
    title = "What this test set can detect, and how large it would have to be"
    return TableBlock(table=table.build(), title=title, notes=(note,))


def _write_size(size: Value, by_metric: MetricDispute) -> str | None:
    """Estimate the units that would settle the question, with an interval."""
    n = size(by_metric).units
    low = size(by_metric).low
    high = size(by_metric).high
    if n is None:
        return None
    if low is None:
        return f"{n:,}"
    if high is None:
        return f"{n:,} [{low:,}, no limit]"
    return f"{n:,} [{low:,}, {high:,}]"


def _tabulate_deciders(
    dispute: Dispute, kind: str, title: str, deciders: Sequence[Sequence[Decider]]
) -> TableBlock:
    """The documents or segments that move the difference most, in favour of each system."""
    rows = []
    for system, in_favour in zip((dispute.a, dispute.b), deciders, strict=True):
        rows += [(system, decider) for decider in in_favour]
    table = TableBuilder(f"{kind}s", rows)
    table.add("system", "for", "name", lambda row: row[0])
    table.add(kind, title, "name", lambda row: row[1].name)
    table.add("added", "added", "difference", lambda row: row[1].added, form=".3g")
    note = (
        f"By {metric_title(dispute.metrics[0].result.metric)}. Added: the difference minus the difference without "
        f"this {kind}. These numbers do not add up to the difference."
    )
    return TableBlock(
        table=table.build(),
        title=f"{kind.capitalize()}s that move the difference most",
        notes=(note,),
    )


# -------------------------------------------------------------------------------------------------
# JSON and CSV.


def list_table_rows(blocks: Iterable[TableBlock]) -> Records:
    """The rows of some tables, each with the name of its table."""
    rows: Records = []
    for block in blocks:
        rows += label_records(block.table.key, block.table.records())
    return rows


def _record_summary(dispute: Dispute) -> dict[str, Any]:
    """All numbers for JSON: stable keys, undefined is null, full precision.

    Differences are score(a) - score(b), `added` what favours a.
    """
    comparison = dispute.comparison
    warnings = [caution.text for caution in _pick_doubts(dispute)]
    for texts in group_cautions(_pick_cautions(dispute), several=len(dispute.metrics) > 1):
        warnings += texts
    metrics = {}
    for by_metric in dispute.metrics:
        metrics[by_metric.result.metric] = _metric_record(by_metric, dispute)
    documents = chain(*dispute.documents)
    segments = chain(*dispute.segments)
    return {
        "testset": info_record(comparison.testset),
        "settings": comparison.settings,
        "a": dispute.a,
        "b": dispute.b,
        "metrics": metrics,
        "not_compared": dict(dispute.not_compared),
        "documents": [{"document": row.name, "added": row.added} for row in documents],
        "segments": [{"line": int(row.name), "added": row.added} for row in segments],
        "breakdown": dispute.breakdown,
        "warnings": warnings,
    }


def _metric_record(by_metric: MetricDispute, dispute: Dispute) -> dict[str, Any]:
    """All numbers of a metric."""
    result = by_metric.result
    examination = by_metric.examination
    ranks = {row.system: (row.rank_low, row.rank_high) for row in result.systems}
    ranks_by_rule = {rule: {"a": a, "b": b} for rule, (a, b) in by_metric.ranks.items()}
    record = {
        "signature": result.signature,
        "higher_is_better": result.higher_is_better,
        "score_a": examination.score_a,
        "score_b": examination.score_b,
        "delta": examination.delta,
        "n": examination.n,
        "pair": by_metric.pair,
        "rank_a": ranks[examination.a],
        "rank_b": ranks[examination.b],
        "tests": examination.outcomes,
        "units": _examination_records(by_metric.units, result.ci),
        "references": _examination_records(by_metric.references, result.ci),
        "domains": _turn_domains(by_metric),
        "plan": by_metric.plan and by_metric.plan.to_record(),
        "ranks": ranks_by_rule,
        "intervals": dict(examination.intervals),
        "standard_errors": dict(examination.se),
    }
    return record | _drawn_records(examination, dispute)


def _turn_domains(by_metric: MetricDispute) -> list[DomainPair] | None:
    """The two systems in each domain, a of the summary first; None without domains."""
    if by_metric.domains is None:
        return None
    if not by_metric.domains.pairs:
        return []
    pair = by_metric.domains.pairs[0]
    if pair.a == by_metric.examination.a:
        return list(pair.domains)
    opposite = {"a": "b", "b": "a", None: None}
    return [
        replace(
            domain,
            delta=-domain.delta,
            better=opposite[domain.better],
            score_a=domain.score_b,
            score_b=domain.score_a,
        )
        for domain in pair.domains
    ]


def _drawn_records(examination: PairExamination, dispute: Dispute) -> dict[str, Any]:
    """What the page One pair draws of a metric.

    Improvements of a over b on resamples and after permutations, and what each document adds.
    """
    points, heights = smooth_resamples(examination, dispute.comparison.settings.resamples)
    edges, counts = count_permutations(examination)
    documents = None
    if examination.by_document is not None:
        added = (examination.sign * examination.by_document).tolist()
        documents = dict(zip(document_names(dispute.testset), added, strict=True))
    return {
        "resampled": {"points": points.tolist(), "density": heights.tolist()},
        "permuted": {"edges": edges.tolist(), "counts": counts.tolist()},
        "by_document": documents,
    }


def _examination_records(
    examinations: Mapping[str, PairExamination], ci: str | None
) -> NamedRecords:
    records = {}
    for name, examination in examinations.items():
        low, high = examination.intervals.get(ci or "percentile") or (None, None)
        records[name] = {
            "score_a": examination.score_a,
            "score_b": examination.score_b,
            "delta": examination.delta,
            "n": examination.n,
            "p_value": examination.outcomes[0].p_value,
            "se": examination.se[examination.settings.unit],
            "ci_low": low,
            "ci_high": high,
        }
    return records
