"""A shared task in every form that it is written in: text, JSON, CSV, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtsig_core.errors import format_count
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
)
from mtsig_core.report.experiment_reports import (
    agreement_blocks,
    agreement_record,
    agreement_rows,
)
from mtsig_core.report.export import join_ratings, metric_records, records_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.pictures import task_svg
from mtsig_core.report.reports import (
    list_what_was_given,
    methods_section,
    refer_to_methods,
    show_pairs,
    show_systems,
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
    find_rank_rule,
    list_caveats,
    list_exclusions,
    list_gaps_across,
    list_task_metrics,
    list_task_settings,
    select_lang_pairs,
    state_agreement,
    state_verdict,
    summarize_comparison,
    write_caption,
)
from mtsig_core.report.tables import (
    dispute_counts_table,
    disputed_pairs_table,
    list_disputed_pairs,
    map_print_names,
    pairs_table,
    rank_table,
    runs_table,
    single_runs,
    tops_table,
    with_run_records,
)
from mtsig_core.report.text import report_text, terminal_width
from mtsig_core.results import MacroResult, MetricResult, TaskComparison
from mtsig_core.reviews import Entry, replay
from mtsig_core.schema import SCHEMA, to_json
from mtsig_core.stats.across import AGREEMENTS, Disputed, find_disputes

History = Sequence[Entry]  # of a review; empty where there is none
_OF_AGREEMENT = "agreement", "agreement_comparisons"


def task_json(found: TaskComparison, history: History = ()) -> str:
    """The whole result: stable keys, undefined is null, full precision; of a review its record."""
    first = next(iter(found.pairs.values()), None)
    cautions = {"": found.warnings} | {
        pair: comparison.warnings for pair, comparison in found.pairs.items()
    }
    return to_json(
        {
            "schema": SCHEMA,
            "task": info_record(found.task),
            "settings": None if first is None else first.settings,
            "ranks": _ranks_record(found),
            "disputed": _disputes_record(found),
            "excluded": found.excluded,
            "warnings": [
                {"pair": pair, **caution_record(caution)}
                for pair, own in cautions.items()
                for caution in own
            ],
            "pairs": {
                pair: {
                    "testset": info_record(comparison.testset),
                    "settings": comparison.settings,
                    "metrics": join_ratings(metric_records(comparison.metrics), comparison.testset),
                }
                for pair, comparison in found.pairs.items()
            },
            "macro": {
                name: {"notes": list_gaps_across(found, name), **record}
                for name, record in metric_records(found.macro).items()
            },
            **({} if found.agreement is None else {"agreement": agreement_record(found.agreement)}),
            **({} if not history else {"review": review_record(history, found)}),
        }
    )


def task_csv(found: TaskComparison, history: History = ()) -> str:
    """One table of all language pairs and metrics, whose rows the columns ``table`` and
    ``language_pair`` (empty: across) tell apart: systems, pairs of systems, training runs,
    exclusions, assumptions (the sentence is the ``reason``), a review, disputed pairs of systems,
    and how metrics agree with human scores.
    """
    rows: list[dict[str, object]] = []

    def called(name: str) -> dict[str, object]:
        info = found.task.systems.get(name)
        said = (
            {}
            if info is None
            else {"display_name": info.display_name, "role": info.role, "kind": info.kind}
        )
        return {
            key: value
            for key, value in said.items()
            if value not in (None, "primary", "submission")
        }

    results: list[tuple[dict[str, object], MetricResult | MacroResult]] = [
        ({"language_pair": pair, "metric": metric, "signature": result.signature}, result)
        for pair, comparison in found.pairs.items()
        for metric, result in comparison.metrics.items()
    ]
    results += [
        ({"language_pair": "", "metric": metric}, macro) for metric, macro in found.macro.items()
    ]
    for own, result in results:
        rows += [
            {"table": "systems", **own, **row, **called(row["system"])}
            for row in with_run_records(result.systems, result.runs)
        ]
        rows += [
            {"table": "pairs", **own, **row}
            for row in with_run_records(result.pairs, getattr(result, "pair_runs", ()))
        ]
        rows += [{"table": "runs", **own, **row} for row in single_runs(result)]
    rows += [
        {
            "table": "excluded",
            "language_pair": one.pair or "",
            "system": one.system,
            "reason": one.reason,
        }
        for one in found.excluded
    ]
    metrics = list_task_metrics(found)
    rows += [
        {"table": "assumed", "reason": text}
        for text in list_assumptions(found.task.assumed, metrics)
    ]
    if history:
        review = review_record(history, found)
        rows += [
            {
                "table": "decisions",
                "language_pair": one["pair"],
                "system": name,
                "reason": one["why"],
            }
            for one in review["decisions"]
            for name in one["first"]
        ]
        rows += [
            {
                "table": "notes",
                "language_pair": one["pair"],
                "metric": one["metric"],
                "a": one["a"],
                "b": one["b"],
                "reason": one["text"],
                **{key: value for key, value in measured.items() if key != "left_out"},
            }
            for one, measured in zip(review["notes"], review["measured"], strict=True)
        ]
        rows += [
            {"table": "decision_warnings", "reason": text} for text in review["decision_warnings"]
        ]
    rows += [{"table": "disputed", **record} for record in disputed_records(find_disputes(found))]
    rows += [] if found.agreement is None else agreement_rows(found.agreement, _OF_AGREEMENT)
    info = {"task": found.task.name, "digest": found.task.digest}
    return records_csv([{**row, **info} for row in rows])


def _ranks_record(found: TaskComparison) -> dict[str, Any]:
    """The rule and what it hides by each metric, for JSON."""
    rule = find_rank_rule(found)
    hidden = {name: count_hidden(found, name) for name in list_task_metrics(found)}
    return {
        "rule": rule.name,
        "source": rule.source,
        "ignores": list(rule.ignores),
        "metrics": {name: own for name, own in hidden.items() if own is not None},
    }


def _disputes_record(task: TaskComparison) -> list[dict[str, Any]]:
    """For each language pair (None: the mean differences) the counts, and the pairs on which
    metrics do not agree.
    """
    return [
        {
            "language_pair": one.language_pair,
            "metrics": list(one.metrics),
            "n_pairs": len(one.pairs),
            **{kind.replace(" ", "_"): one.count(kind) for kind in AGREEMENTS},
            "only": {name: one.alone(name) for name in one.metrics},
            "pairs": [
                {
                    "a": pair.a,
                    "b": pair.b,
                    "together": pair.kind,
                    "improvements": dict(zip(one.metrics, pair.improvements, strict=True)),
                    "decisions": dict(zip(one.metrics, pair.decisions, strict=True)),
                }
                for _, pair in list_disputed_pairs([one])
            ],
        }
        for one in find_disputes(task)
    ]


def disputed_records(disputed: Sequence[Disputed]) -> list[dict[str, object]]:
    """A record for each metric of each pair of systems on which metrics do not agree."""
    return [
        {
            "language_pair": one.language_pair or "",
            "metric": metric,
            "a": pair.a,
            "b": pair.b,
            "together": pair.kind,
            "improvement": improvement,
            "decision": decision,
        }
        for one, pair in list_disputed_pairs(disputed)
        for metric, improvement, decision in zip(
            one.metrics, pair.improvements, pair.decisions, strict=True
        )
    ]


# -------------------------------------------------------------------------------------------------
# The report, for readers: ranks by language pair, metrics that disagree, which to trust, a review.


_MOST_IN_TEXT, _MOST_PRINTED = 20, 200  # pairs of systems on which metrics disagree
_MOST_PAIRS_OF_SYSTEMS = 3000  # on the page of a task, in all its tables together


def task_report(found: TaskComparison, command: str, history: Sequence[Entry] = ()) -> Report:
    """By each metric the verdict, what has to be known, the ranks, pairs of systems across the
    language pairs; where metrics disagree, and which to trust; what a review (`history`) decided;
    how it was tested; each language pair.

    `command` is the command line that prints its numbers.
    """
    simulated = any(comparison.testset.simulated for comparison in found.pairs.values())
    agreement = (
        []
        if found.agreement is None
        else [Section("Which metric to trust", agreement_blocks(found.agreement))]
    )
    return Report(
        f"Shared task: {found.task.name}",
        [
            _introduce_task(found, command),
            *(_metric_section(found, metric) for metric in list_task_metrics(found)),
            *_dispute_sections(found),
            *agreement,
            *_review_sections(found, history),
            *_warning_sections(found),
            methods_section(found),
            *_pair_sections(found),
            *_command_sections(found, command, history),
        ],
        "The texts and ratings of this task are simulated." * simulated,
    )


def _introduce_task(found: TaskComparison, command: str) -> Section:
    """What was compared and how, who was excluded, what was assumed; on paper, the warnings of each
    language pair.
    """
    task = found.task
    cautions = dict.fromkeys(
        f"Warning: {pair}: {text}"
        for pair, one in found.pairs.items()
        for text in caution_texts(one)
    )
    return Section(
        "",
        [
            Paragraph(
                text=f"{task.name}: {format_count(len(task.pairs), 'language pair')}, "
                f"{format_count(len(task.systems), 'system')}; {'; '.join(list_task_settings(found))}",
                role="summary",
            ),
            *(
                Paragraph(text=text, role="remark")
                for text in (f"Made by: {command} --format latex", *cautions)
            ),
            *list_what_was_given(found, left_out_table(found.excluded), task.assumed),
        ],
    )


def _metric_section(found: TaskComparison, metric: str) -> Section:
    """The verdict and its caveats, the ranks, the top group of each language pair, and mean
    differences across them.
    """
    title, caveats = metric_title(metric), list_caveats(found, metric)
    _, result = next(iter(select_lang_pairs(found, metric).values()))
    return Section(
        f"{title}: top group",
        [
            Paragraph(
                text=f"{state_verdict(found, metric)}.",
                role="verdict",
                about=f"{title}, {describe_direction(result.higher_is_better, differences=False)}",
            ),
            *(Paragraph(text=text, role="caveat") for text in caveats),
            *(Paragraph(text=text, role="note") for text in explain_far_firsts(found, metric)),
            *_rank_blocks(found, metric),
            *_across_blocks(found, metric),
        ],
    )


def _rank_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    title = metric_title(metric)
    yield Figure(draw=partial(task_svg, found, metric))
    yield TableBlock(
        table=replace(rank_table(found, metric), key=f"{metric}-ranking"),
        title=f"{title}: ranking",
        caption=write_caption(found, metric, "Ranks"),
        notes=tuple(explain_ranking(found, metric)),
        caveats=(*list_caveats(found, metric), *list_exclusions(found)),
        print_names=map_print_names(found.task),
    )
    if len(select_lang_pairs(found, metric)) > 1:
        yield TableBlock(table=tops_table(found, metric), title="Top group by language pair")
    runs = runs_table(found, metric)
    if runs:
        yield TableBlock(table=runs, title="Training runs")


def _across_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro, title = found.macro.get(metric), metric_title(metric)
    if macro is None:
        yield Paragraph(
            text=f"{title}: one language pair. mtsig compare --format latex has its pairs of systems.",
            role="remark",
        )
    elif macro.pairs:
        settings = next(iter(found.pairs.values())).settings
        table = pairs_table(macro, settings)
        yield TableBlock(
            table=replace(table, key=f"{metric}-{table.key}"),
            title=f"{title}: head-to-head",
            is_detail=True,
            caption=write_caption(found, metric, "Mean differences over the language pairs"),
            notes=(
                "Positive where the first system is better. No significant difference (a dash) does not mean "
                "equal.",
            ),
            caveats=(refer_to_methods(found, metric),),
            fold=f"Across the language pairs: {format_count(len(macro.pairs), 'pair')} of systems",
            print_names=map_print_names(found.task),
        )


def _dispute_sections(found: TaskComparison) -> Iterator[Section]:
    """How often metrics disagree in each language pair, then the pairs of systems on which they do;
    nothing of a single metric.
    """
    if not (disputed := find_disputes(found)):
        return
    pairs, agreement = disputed_pairs_table(disputed), f"{state_agreement(disputed)}."
    opposite = [k for k, kind in enumerate(pairs.values("together")) if kind == AGREEMENTS[0]]
    n, about = len(pairs.rows), "Pairs of systems on which metrics disagree, contradictions first."
    cut = (f"The first {_MOST_PRINTED} of {n:,} are shown; CSV and JSON have all.",) * (
        n > _MOST_PRINTED
    )
    blocks: list[Block] = [
        Paragraph(text=agreement),
        TableBlock(
            table=dispute_counts_table(disputed),
            title="Where metrics disagree",
            caption="Where metrics disagree.",
            notes=(DISPUTES_NOTE,),
            caveats=(agreement,),
        ),
    ]
    if opposite:
        more = f", the first {_MOST_IN_TEXT} of {len(opposite)}" * (len(opposite) > _MOST_IN_TEXT)
        blocks += [
            Paragraph(text=f"Opposite decisions{more}:"),
            TableBlock(
                table=pairs.pick_rows(opposite[:_MOST_IN_TEXT]),
                title=about,
                notes=(DISPUTED_PAIRS_NOTE,),
            ),
        ]
    if pairs:
        blocks.append(
            TableBlock(
                table=pairs.pick_rows(range(min(n, _MOST_PRINTED))),
                title="Disputed pairs",
                caption=about,
                is_detail=True,
                notes=(DISPUTED_PAIRS_NOTE, *cut),
                fold=f"{format_count(n, 'pair')} of systems on which metrics disagree",
            )
        )
    yield Section("Where metrics disagree", blocks)


def _review_sections(found: TaskComparison, history: Sequence[Entry]) -> Iterator[Section]:
    """What was decided, what the numbers say against that, and the notes."""
    if not history:
        return
    review = replay(history)
    cautions = tuple(decision_cautions(review, found))
    yield Section(
        "Decided",
        [
            *[
                TableBlock(
                    table=decisions_table(review),
                    title="Decisions",
                    caption="Decisions.",
                    caveats=tuple(caution.text for caution in cautions),
                )
            ]
            * bool(review.decisions),
            *[Warnings(cautions=cautions)] * bool(cautions),
        ],
    )
    if review.notes:
        yield Section(
            "Notes on disputed pairs of systems",
            [
                TableBlock(
                    table=notes_table(review.notes, found),
                    title="Notes",
                    caption="Notes on disputed pairs of systems.",
                    notes=(MEASURED_SAID,),
                )
            ],
        )


def _warning_sections(found: TaskComparison) -> Iterator[Section]:
    """For text, those about the task, those about the design, once for all language pairs that have
    the same, then those of each.
    """
    cautions = {
        pair: fit_remedies_to_task(comparison.warnings) for pair, comparison in found.pairs.items()
    }
    first, *others = cautions.values()
    shared = [
        caution
        for caution in first
        if others
        and caution.metric is None
        and caution.a is None
        and all(caution in own for own in others)
    ]
    groups = {"": (*found.warnings, *shared)} | {
        pair: tuple(caution for caution in own if caution not in shared)
        for pair, own in cautions.items()
    }
    for pair, own in groups.items():
        if own:
            several = bool(pair) and len(found.pairs[pair].metrics) > 1
            yield Section(pair, [Warnings(cautions=own, several=several)], "terminal")


def _pair_sections(found: TaskComparison) -> Iterator[Section]:
    """For a page, each language pair with its systems, pairs of systems and warnings."""
    n_pairs = sum(
        len(result.pairs) for one in found.pairs.values() for result in one.metrics.values()
    )
    for k, (pair, comparison) in enumerate(found.pairs.items(), 1):
        blocks: list[Block] = [
            Paragraph(text="; ".join(part), role="summary")
            for part in summarize_comparison(comparison)
        ]
        for result in comparison.metrics.values():
            blocks += show_systems(comparison, result)
            if result.pairs and n_pairs <= _MOST_PAIRS_OF_SYSTEMS:
                blocks += show_pairs(comparison, result, None)
            blocks.append(Paragraph(text=result.signature, about="Signature:", role="signature"))
        blocks.append(
            Warnings(cautions=tuple(comparison.warnings), several=len(comparison.metrics) > 1)
        )
        yield Section(pair, [_set_verdict_low(block) for block in blocks], "page", f"pair-{k}")
    if n_pairs > _MOST_PAIRS_OF_SYSTEMS:
        yield Section(
            "",
            [
                Paragraph(
                    text="The pairs of systems within each language pair are too many for a page: the "
                    "CSV has them.",
                    role="note",
                )
            ],
            "page",
        )


def _set_verdict_low(block: Block) -> Block:
    """A verdict as a text, because only those of the task are on top of its page."""
    if isinstance(block, Paragraph) and block.role == "verdict":
        return replace(block, role="text", text=f"{block.about}: {block.text}.")
    return block


def _command_sections(
    found: TaskComparison, command: str, history: Sequence[Entry]
) -> Iterator[Section]:
    extent = "byte for byte"
    if history:
        extent = "without decisions and notes"
        yield Section(
            "History of the review",
            [
                Paragraph(text=f"{k}. {step}")
                for k, step in enumerate(history_sentences(history), 1)
            ],
            "page",
        )
    version = next(iter(found.pairs.values())).settings.version
    commands = {
        "this page": "html",
        "all numbers": "json",
        "as a table": "csv",
    }
    facts = {name: f"{command} --format {form}" for name, form in commands.items()} | {
        "task digest": found.task.digest
    }
    yield Section(
        "Commands",
        [
            Paragraph(
                text=f"With mtsig {version} and the same files, these commands print the numbers of this page again, "
                f"{extent}.",
                role="note",
            ),
            Facts(pairs=tuple(facts.items()), code=frozenset(facts)),
        ],
        "page",
    )


_REPORTS = {
    "text": lambda report: report_text(report, terminal_width()),
    "latex": report_latex,
    "html": report_html,
}
#: All formats.
TASK_DOCUMENTS = ("text", "json", "csv", "latex", "html")


def task_document(form: str, found: TaskComparison, command: str, history: History = ()) -> str:
    """A comparison of a task in one of the formats `TASK_DOCUMENTS`; `command` prints its numbers.

    `history` is that of a review, whose decisions and notes are then there too.
    """
    if form in _REPORTS:
        return _REPORTS[form](task_report(found, command, history))
    return {"json": task_json, "csv": task_csv}[form](found, history)
