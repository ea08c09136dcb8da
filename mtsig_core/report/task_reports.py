"""A shared task as a report, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.languages import name_parts
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import (
    caution_record,
    caution_texts,
    fit_remedies_to_task,
    info_record,
    list_assumptions,
)
from mtsig_core.report.document import (
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
    use_noun,
)
from mtsig_core.report.experiment_reports import (
    agreement_blocks,
    agreement_record,
    agreement_rows,
)
from mtsig_core.report.export import (
    add_tally,
    join_ratings,
    label_records,
    metric_records,
)
from mtsig_core.report.pictures import task_svg
from mtsig_core.report.progress_report import progress_sections
from mtsig_core.report.published_tables import published_blocks, published_records
from mtsig_core.report.reports import (
    methods_section,
    refer_to_methods,
    runs_blocks,
    show_choices,
    show_pairs,
    show_systems,
    summarize,
)
from mtsig_core.report.review import (
    MEASURED_SAID,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    notes_table,
    review_record,
)
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    count_hidden,
    describe_direction,
    explain_far_firsts,
    explain_ranking,
    explain_tests_across,
    find_rank_rule,
    list_caution_texts,
    list_exclusions,
    list_gaps_across,
    list_task_metrics,
    list_task_settings,
    select_lang_pairs,
    state_agreement,
    state_together,
    state_verdict,
    write_caption,
)
from mtsig_core.report.tables import (
    dispute_counts_table,
    disputed_pairs_table,
    list_disputed_pairs,
    map_print_names,
    pairs_table,
    rank_table,
    single_runs,
    tops_table,
    with_run_records,
)
from mtsig_core.results import MacroResult, MetricResult, PairRuns, TaskComparison
from mtsig_core.reviews import Entry, replay
from mtsig_core.schema import SCHEMA, Records
from mtsig_core.stats.across import AGREEMENTS, Disputed, find_disputes
from mtsig_core.stats.joint_decisions import decide_together

History = Sequence[Entry]  # of a review; empty without a review
_AGREEMENT_TABLES = ("agreement", "agreement_comparisons")

# -------------------------------------------------------------------------------------------------
# JSON and CSV.


def _record_task(result: TaskComparison, history: History) -> dict[str, Any]:
    """The complete result for JSON: stable keys, undefined is null, full precision; of a review its record."""
    settings = None
    cautions = [{"pair": "", **caution_record(caution)} for caution in result.warnings]
    pairs = {}
    macro = {}
    for pair, comparison in result.pairs.items():
        settings = settings or comparison.settings
        cautions += [{"pair": pair, **caution_record(caution)} for caution in comparison.warnings]
        pairs[pair] = {
            "testset": info_record(comparison.testset),
            "settings": comparison.settings,
            "metrics": join_ratings(metric_records(comparison.metrics), comparison.testset),
        }
    noun = name_parts(result.task.pairs)
    for name, macro_record in metric_records(result.macro).items():
        macro[name] = {
            "notes": use_noun(tuple(list_gaps_across(result, name)), noun),
            **macro_record,
        }
    record = {
        "schema": SCHEMA,
        "task": info_record(result.task),
        "settings": settings,
        "ranks": _record_ranks(result),
        "disputed": [_record_dispute(dispute) for dispute in find_disputes(result)],
        "excluded": result.excluded,
        "warnings": cautions,
        "pairs": pairs,
        "macro": macro,
    }
    if result.baseline is not None:
        record["together"] = decide_together(result)
    if result.agreement is not None:
        record["agreement"] = agreement_record(result.agreement)
    if result.published:
        record["published"] = result.published
    if history:
        record["review"] = review_record(history, result)
    return record


def _list_task_rows(result: TaskComparison, history: History) -> Records:
    """Rows of one table for CSV, in which the columns ``table`` and ``language_pair`` say what a row is.

    Rows are systems, pairs of systems, training runs, exclusions, assumptions (the sentence is the
    ``reason``), a review, disputed pairs of systems, and how metrics agree with human scores. The
    language pair is empty for results across all of them.
    """
    rows: Records = []
    for pair, comparison in result.pairs.items():
        for metric, metric_result in comparison.metrics.items():
            labels = {"language_pair": pair, "metric": metric}
            labels["signature"] = metric_result.signature
            rows += _list_result_rows(result, metric_result, metric_result.pair_runs, labels)
    for metric, macro in result.macro.items():
        rows += _list_result_rows(result, macro, (), {"language_pair": "", "metric": metric})
    for exclusion in result.excluded:
        rows.append(
            {
                "table": "excluded",
                "language_pair": exclusion.pair or "",
                "system": exclusion.system,
                "reason": exclusion.reason,
            }
        )
    for text in list_assumptions(result.task.assumed, list_task_metrics(result)):
        rows.append({"table": "assumed", "reason": text})
    if history:
        rows += _list_review_rows(review_record(history, result))
    rows += label_records("disputed", disputed_records(find_disputes(result)))
    if result.agreement is not None:
        rows += agreement_rows(result.agreement, _AGREEMENT_TABLES)
    rows += published_records(result.published)
    info = {"task": result.task.name, "digest": result.task.digest}
    return [{**row, **info} for row in rows]


def _list_result_rows(
    task: TaskComparison,
    result: MetricResult | MacroResult,
    pair_runs: Sequence[PairRuns],
    labels: Mapping[str, str],
) -> Records:
    systems = with_run_records(result.systems, result.runs)
    if isinstance(result, MetricResult):
        add_tally(systems, result)
    for row in systems:
        info = task.task.systems.get(row["system"])
        if info is not None:
            facts = {"display_name": info.display_name, "role": info.role, "kind": info.kind}
            for key, value in facts.items():
                if value not in (None, "primary", "submission"):
                    row[key] = value
    pairs = with_run_records(result.pairs, pair_runs)
    return [
        *label_records("systems", systems, **labels),
        *label_records("pairs", pairs, **labels),
        *label_records("runs", single_runs(result), **labels),
    ]


def _list_review_rows(review: Mapping[str, Any]) -> Records:
    rows: Records = []
    for decision in review["decisions"]:
        for system in decision["first"]:
            rows.append(
                {
                    "table": "decisions",
                    "language_pair": decision["pair"],
                    "system": system,
                    "reason": decision["why"],
                }
            )
    for note, measured in zip(review["notes"], review["measured"], strict=True):
        row = {
            "table": "notes",
            "language_pair": note["pair"],
            "metric": note["metric"],
            "a": note["a"],
            "b": note["b"],
            "reason": note["text"],
            **measured,
        }
        del row["left_out"]
        rows.append(row)
    for text in review["decision_warnings"]:
        rows.append({"table": "decision_warnings", "reason": text})
    return rows


def _record_ranks(result: TaskComparison) -> dict[str, Any]:
    """The rule and what it hides by each metric, for JSON."""
    rule = find_rank_rule(result)
    metrics = {}
    for name in list_task_metrics(result):
        hidden = count_hidden(result, name)
        if hidden is not None:
            metrics[name] = hidden
    return {
        "rule": rule.name,
        "source": rule.source,
        "ignores": list(rule.ignores),
        "metrics": metrics,
    }


def _record_dispute(dispute: Disputed) -> dict[str, Any]:
    """The counts of a language pair, and the pairs of systems on which metrics do not agree."""
    record: dict[str, Any] = {
        "language_pair": dispute.language_pair,
        "metrics": list(dispute.metrics),
        "n_pairs": len(dispute.pairs),
    }
    for kind in AGREEMENTS:
        record[kind.replace(" ", "_")] = dispute.count(kind)
    record["only"] = {name: dispute.count_alone(name) for name in dispute.metrics}
    record["pairs"] = []
    for _, pair in list_disputed_pairs([dispute]):
        record["pairs"].append(
            {
                "a": pair.a,
                "b": pair.b,
                "together": pair.kind,
                "improvements": dict(zip(dispute.metrics, pair.improvements, strict=True)),
                "decisions": dict(zip(dispute.metrics, pair.decisions, strict=True)),
            }
        )
    return record


def disputed_records(disputes: Sequence[Disputed]) -> Records:
    """A record for each metric of each pair of systems on which metrics do not agree."""
    records = []
    for dispute, pair in list_disputed_pairs(disputes):
        values = zip(dispute.metrics, pair.improvements, pair.decisions, strict=True)
        for metric, improvement, decision in values:
            records.append(
                {
                    "language_pair": dispute.language_pair or "",
                    "metric": metric,
                    "a": pair.a,
                    "b": pair.b,
                    "together": pair.kind,
                    "improvement": improvement,
                    "decision": decision,
                }
            )
    return records


# -------------------------------------------------------------------------------------------------
# The report: ranks by language pair, metrics that disagree, which metric to trust, a review.


_MOST_IN_TEXT, _MOST_PRINTED = 20, 200  # pairs of systems on which metrics disagree
_MOST_PAIRS_OF_SYSTEMS = 3000  # on the page of a task, in all its tables together


def task_report(result: TaskComparison, command: str = "", history: History = ()) -> Report:
    """By each metric the verdict, ranks and pairs of systems; then what is about all of them.

    That is where metrics disagree, which to trust, the decisions of a review (`history`), the
    methods, and each language pair. `command` is the command line that prints its numbers, if it is
    known.
    """
    sections = [_introduce_task(result, command)]
    sections += [_metric_section(result, metric) for metric in list_task_metrics(result)]
    sections += progress_sections(result)
    sections.append(Section("Where metrics disagree", dispute_blocks(result)))
    if result.agreement is not None:
        sections.append(Section("Which metric to trust", agreement_blocks(result.agreement)))
    if result.published:
        sections.append(Section("Published scores", list(published_blocks(result.published))))
    if history:
        sections += _review_sections(result, history)
    sections += _caution_sections(result)
    sections.append(methods_section(result))
    sections += _pair_sections(result)
    if history:
        sections.append(_history_section(history))
    extent = "byte for byte"
    if history:
        extent = "without decisions and notes"
    if command:
        sections.append(_command_section(result, command, extent))
    simulated = ""
    if any(comparison.testset.simulated for comparison in result.pairs.values()):
        simulated = "The texts and ratings of this task are simulated."
    kind = "Shared task" if name_parts(result.task.pairs) == "language pair" else "Test sets"
    return Report(
        f"{kind}: {result.task.name}",
        sections,
        simulated,
        parts=result.task.pairs,
        make_record=partial(_record_task, result, history),
        make_rows=partial(_list_task_rows, result, history),
    )


def ranking_report(result: TaskComparison, metric: str, history: Sequence[Entry]) -> Report:
    """The final ranking of a review with its reasons, on a page to print.

    It has what was decided and why, the ranks, the excluded systems, notes, and who took each step.
    """
    review = replay(history)
    ranks = _metric_section(result, metric)
    brief = [block for block in ranks.blocks if _is_brief(block)]
    sections = [*_review_sections(result, history), replace(ranks, blocks=brief)]
    if review.exclusions:
        table = left_out_table(review.exclusions)
        excluded = TableBlock(table=table, title="Excluded", caption="Excluded systems.")
        sections.insert(1, Section("Excluded systems", [excluded]))
    sections += [methods_section(result), _history_section(history)]
    return Report(f"Ranking of {result.task.name}", sections, parts=result.task.pairs)


def _is_brief(block: Block) -> bool:
    """Whether a page to print has room for a block: no picture, and no table that is folded."""
    if isinstance(block, TableBlock):
        return not block.fold
    return not isinstance(block, Figure)


def _history_section(history: Sequence[Entry]) -> Section:
    steps = enumerate(history_sentences(history), 1)
    blocks = [Paragraph(text=f"{k}. {step}") for k, step in steps]
    return Section("History of the review", blocks, "page")


def _introduce_task(result: TaskComparison, command: str) -> Section:
    """What was compared, exclusions and assumptions; on paper, the caveats of language pairs."""
    task = result.task
    pairs = format_count(len(task.pairs), "language pair")
    systems = format_count(len(task.systems), "system")
    settings = "; ".join(list_task_settings(result))
    remarks = [f"Made by: {command} --format latex"] if command else []
    for pair, comparison in result.pairs.items():
        remarks += [f"Warning: {pair}: {text}" for text in caution_texts(comparison)]
    blocks: list[Block] = [
        Paragraph(text=f"{task.name}: {pairs}, {systems}; {settings}", role="summary")
    ]
    blocks += [Paragraph(text=remark, role="remark") for remark in dict.fromkeys(remarks)]
    if result.baseline is not None and len(result.pairs) * len(list_task_metrics(result)) > 1:
        together = state_together(result, result.baseline)
        blocks.append(Paragraph(text=f"{together}.", role="verdict", about="All together"))
    blocks += show_choices(result, left_out_table(result.excluded), task.assumed)
    return Section("", blocks)


def _metric_section(result: TaskComparison, metric: str) -> Section:
    """The verdict and its caveats, the ranks, the top groups, and mean differences."""
    title = metric_title(metric)
    _, first = next(iter(select_lang_pairs(result, metric).values()))
    direction = describe_direction(first.higher_is_better, differences=False)
    verdict = f"{state_verdict(result, metric)}."
    blocks: list[Block] = [Paragraph(text=verdict, role="verdict", about=f"{title}, {direction}")]
    blocks += [Paragraph(text=text, role="caveat") for text in list_caution_texts(result, metric)]
    blocks += [Paragraph(text=text, role="note") for text in explain_far_firsts(result, metric)]
    blocks += rank_blocks(result, metric)
    blocks += across_blocks(result, metric)
    about = "top group" if result.baseline is None else "differences from the baseline"
    return Section(f"{title}: {about}", blocks)


def rank_blocks(result: TaskComparison, metric: str) -> Iterator[Block]:
    """The ranks as a figure and a table, the top groups, and the training runs."""
    if result.baseline is None:
        yield Figure(draw=partial(task_svg, result, metric))
    table = replace(rank_table(result, metric), key=f"{metric}-ranking")
    caveats = (*list_caution_texts(result, metric), *list_exclusions(result))
    yield TableBlock(
        table=table,
        title=f"{metric_title(metric)}: ranking",
        caption=write_caption(result, metric, "Ranks"),
        notes=tuple(explain_ranking(result, metric)),
        caveats=caveats,
        print_names=map_print_names(result.task),
    )
    if result.baseline is None and len(select_lang_pairs(result, metric)) > 1:
        yield TableBlock(table=tops_table(result, metric), title="Top group by language pair")
    yield from runs_blocks(result, metric)


def across_blocks(result: TaskComparison, metric: str) -> Iterator[Block]:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro = result.macro.get(metric)
    title = metric_title(metric)
    if macro is None:
        yield Paragraph(
            text=f"{title}: one language pair. mtsig compare --format latex has its pairs of systems.",
            role="remark",
        )
    elif macro.pairs:
        first = next(iter(result.pairs.values()))
        table = pairs_table(macro, first.settings)
        table = replace(table, key=f"{metric}-{table.key}")
        note = "Positive where the first system is better. No significant difference (a dash) does not mean equal."
        n_pairs = format_count(len(macro.pairs), "pair")
        caption = write_caption(result, metric, "Mean differences over the language pairs")
        yield TableBlock(
            table=table,
            title=f"{title}: head-to-head",
            is_detail=True,
            caption=caption,
            notes=(note, *explain_tests_across(result, metric)),
            caveats=(refer_to_methods(result, metric),),
            fold=f"Across the language pairs: {n_pairs} of systems",
            print_names=map_print_names(result.task),
        )


def dispute_blocks(result: TaskComparison) -> list[Block]:
    """Show how often metrics disagree in each language pair, and on which pairs of systems.

    The result is empty for a single metric.
    """
    disputes = find_disputes(result)
    if not disputes:
        return []
    agreement = f"{state_agreement(disputes)}."
    blocks: list[Block] = [
        Paragraph(text=agreement),
        TableBlock(
            table=dispute_counts_table(disputes),
            title="Where metrics disagree",
            caption="Where metrics disagree.",
            notes=(DISPUTES_NOTE,),
            caveats=(agreement,),
        ),
    ]
    pairs = disputed_pairs_table(disputes)
    n_pairs = len(pairs.rows)
    about = "Pairs of systems on which metrics disagree, opposite results first."
    kinds = pairs.values("together")
    opposite = [k for k, kind in enumerate(kinds) if kind == AGREEMENTS[0]]
    if opposite:
        heading = "Opposite decisions"
        if len(opposite) > _MOST_IN_TEXT:
            heading += f", the first {_MOST_IN_TEXT} of {len(opposite)}"
        table = pairs.pick_rows(opposite[:_MOST_IN_TEXT])
        blocks.append(Paragraph(text=f"{heading}:"))
        blocks.append(TableBlock(table=table, title=about, notes=(DISPUTED_PAIRS_NOTE,)))
    if pairs:
        notes = [DISPUTED_PAIRS_NOTE]
        if n_pairs > _MOST_PRINTED:
            notes.append(
                f"The first {_MOST_PRINTED} of {n_pairs:,} are shown; CSV and JSON have all."
            )
        blocks.append(
            TableBlock(
                table=pairs.pick_rows(range(min(n_pairs, _MOST_PRINTED))),
                title="Disputed pairs",
                caption=about,
                is_detail=True,
                notes=tuple(notes),
                fold=f"{format_count(n_pairs, 'pair')} of systems on which metrics disagree",
            )
        )
    return blocks


def _review_sections(result: TaskComparison, history: History) -> Iterator[Section]:
    """The decisions, what the numbers say against them, and the notes."""
    review = replay(history)
    cautions = tuple(decision_cautions(review, result))
    blocks: list[Block] = []
    if review.decisions:
        blocks.append(
            TableBlock(
                table=decisions_table(review),
                title="Decisions",
                caption="Decisions.",
                caveats=tuple(caution.text for caution in cautions),
            )
        )
    if cautions:
        blocks.append(Warnings(cautions=cautions))
    yield Section("Decided", blocks)
    if review.notes:
        title = "Notes on disputed pairs of systems"
        table = TableBlock(
            table=notes_table(review.notes, result),
            title="Notes",
            caption=f"{title}.",
            notes=(MEASURED_SAID,),
        )
        yield Section(title, [table])


def _caution_sections(result: TaskComparison) -> Iterator[Section]:
    """Write caveats for text: first for all language pairs together, then for each of them."""
    cautions = {}
    for pair, comparison in result.pairs.items():
        cautions[pair] = fit_remedies_to_task(comparison.warnings)
    shared = []
    if len(cautions) > 1:
        for caution in next(iter(cautions.values())):
            is_general = caution.metric is None and caution.a is None
            if is_general and all(caution in in_pair for in_pair in cautions.values()):
                shared.append(caution)
    if result.warnings or shared:
        yield Section("", [Warnings(cautions=(*result.warnings, *shared))], "terminal")
    for pair, in_pair in cautions.items():
        further = tuple(caution for caution in in_pair if caution not in shared)
        if further:
            has_several = len(result.pairs[pair].metrics) > 1
            yield Section(pair, [Warnings(cautions=further, several=has_several)], "terminal")


def _pair_sections(result: TaskComparison) -> Iterator[Section]:
    """Each language pair for a page, with its systems, pairs of systems and caveats."""
    n_pairs = 0
    for comparison in result.pairs.values():
        n_pairs += sum(len(metric_result.pairs) for metric_result in comparison.metrics.values())
    has_pairs = n_pairs <= _MOST_PAIRS_OF_SYSTEMS
    for k, (pair, comparison) in enumerate(result.pairs.items(), 1):
        blocks = summarize(comparison)
        for metric_result in comparison.metrics.values():
            signature = metric_result.signature
            blocks += show_systems(comparison, metric_result)
            if metric_result.pairs and has_pairs:
                blocks += show_pairs(comparison, metric_result)
            blocks.append(Paragraph(text=signature, about="Signature:", role="signature"))
        has_several = len(comparison.metrics) > 1
        blocks.append(Warnings(cautions=tuple(comparison.warnings), several=has_several))
        yield Section(pair, [_set_verdict_low(block) for block in blocks], "page", f"pair-{k}")
    if not has_pairs:
        text = "There are too many pairs of systems for a page. The CSV has all."
        yield Section("", [Paragraph(text=text, role="note")], "page")


def _set_verdict_low(block: Block) -> Block:
    """A verdict as a text, because only the verdicts of the task are on top of its page."""
    if isinstance(block, Paragraph) and block.role == "verdict":
        return replace(block, role="text", text=f"{block.about}: {block.text}.")
    return block


def _command_section(result: TaskComparison, command: str, extent: str) -> Section:
    first = next(iter(result.pairs.values()))
    text = (
        f"With mtsig {first.settings.version} and the same files, these commands print the numbers of this page again, "
        f"{extent}."
    )
    facts = {
        "this page": f"{command} --format html",
        "all numbers": f"{command} --format json",
        "as a table": f"{command} --format csv",
        "task digest": result.task.digest,
    }
    commands = Facts(pairs=tuple(facts.items()), code=frozenset(facts))
    return Section("Commands", [Paragraph(text=text, role="note"), commands], "page")
