"""A review of a shared task: in sentences, tables and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple

from mtsig_core.caution import Caution
from mtsig_core.errors import format_count
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.sentences import (
    ACROSS,
    choose_form,
    explain_no_ranks,
    find_rank_rule,
    join_names,
    name_first_place,
    name_simultaneous,
    view_pair,
    write_level,
)
from mtsig_core.report.table import (
    EMPTY,
    Cell,
    Column,
    Table,
    TableBuilder,
    join_ends,
    write_cell,
)
from mtsig_core.report.tables import tops_table
from mtsig_core.results import (
    MacroSystem,
    MetricResult,
    PairResult,
    SystemResult,
    TaskComparison,
    TaskInfo,
)
from mtsig_core.reviews import (
    Begin,
    Change,
    Decide,
    Entry,
    Exclude,
    NoteOn,
    PutBack,
    Review,
    SeeContent,
    SetMetric,
    SetRule,
    SetSettings,
    TakeBack,
    change_to_json,
    replay,
    taken_back,
)
from mtsig_core.schema import to_plain
from mtsig_core.stats.ranks import RANK_RULES, RankRule, RanksBeforeAfter
from mtsig_core.stats.settings import PRESETS, SETTINGS
from mtsig_core.task import TaskExclusion

# -------------------------------------------------------------------------------------------------
# A review of a shared task in sentences, tables and as data: what was decided, by which steps, what it changed.


ACROSS_PAIRS = "across the language pairs"  # where a decision holds that is about no single one
MEASURED_SAID = (
    "Each note has what was measured of its pair: a - b, positive where a scores better."
)
_OF_A_PAIR = (
    "delta",
    "ci_low",
    "ci_high",
    "ci_joint_low",
    "ci_joint_high",
    "p_value",
    "p_adjusted",
    "better",
    "rule_delta",
    "rule_p",
    "rule_better",
)


def history_sentences(history: Sequence[Entry]) -> list[str]:
    r"""Each step with its time, the oldest first, in plain text; what is not in force any more says
    so.

    >>> steps = [Begin("toy", None, "0f", {}, "bleu", {}), Exclude("A", "en-de", "late"), TakeBack(2)]
    >>> print(*history_sentences([Entry(k, 60.0 * k, step) for k, step in enumerate(steps, 1)]), sep="\n")
    1970-01-01 00:01 UTC: began the review of toy, all systems, by BLEU
    1970-01-01 00:02 UTC: excluded A in en-de: late (taken back)
    1970-01-01 00:03 UTC: took back entry 2, excluded A in en-de: late
    """
    gone = taken_back(history)
    return [
        f"{datetime.fromtimestamp(entry.at, UTC):%Y-%m-%d %H:%M} UTC: {_describe_change(entry.change, history)}"
        + " (taken back)" * (entry.number in gone)
        for entry in history
    ]


def _describe_change(change: Change, history: Sequence[Entry]) -> str:
    match change:
        case Begin(task=task, track=track, metric=metric):
            return f"began the review of {task}, {track or 'all'} systems, by {name_metric(metric)}"
        case Exclude(system=system, pair=pair, reason=reason):
            return f"excluded {system} in {pair or 'all language pairs'}: {reason or 'no reason given'}"
        case PutBack(system=system, pair=pair):
            return f"put {system} back in {pair or 'all language pairs'}"
        case SetRule(rule=rule):
            return f"chose ranks {RANK_RULES[rule].title if rule in RANK_RULES else rule}"
        case SetSettings():
            return f"chose the settings {_describe_choice(change)}"
        case SetMetric(metric=metric):
            return f"chose the metric {name_metric(metric)}"
        case NoteOn(text=text):
            about = f"{change.a} and {change.b} in {change.pair} by {name_metric(change.metric)}"
            return f"noted on {about}: {text}" if text else f"removed the note on {about}"
        case Decide(pair=pair, first=first, why=why):
            if not first:
                return f"removed the decision for {pair or ACROSS_PAIRS}"
            declared = (
                f"{first[0]} is the first"
                if len(first) == 1
                else f"{join_names(first)} share the first place"
            )
            return f"decided {pair or ACROSS_PAIRS}: {declared}" + f": {why}" * bool(why)
        case SeeContent():
            return "went on with the changed content of the task"
        case TakeBack(number=number):
            return (
                f"took back entry {number}, {_describe_change(history[number - 1].change, history)}"
            )


def _describe_choice(change: SetSettings) -> str:
    if change.preset in PRESETS:
        return f"{PRESETS[change.preset].title!r}"
    return (
        ", ".join(
            f"{SETTINGS[name].title}: {SETTINGS[name].name_value(value)}"
            if name in SETTINGS
            else f"{name}: {value}"
            for name, value in change.settings.items()
        )
        or "of mtsig"
    )


def content_sentence(review: Review, task: TaskInfo, digests: Mapping[str, str]) -> str | None:
    """What is not as it was when it was reviewed; None where all is.

    The task is without the exclusions of the review, the digests are of the language pairs that are
    at hand.
    """
    if task.digest == review.digest:
        return None
    changed = [
        pair for pair, digest in digests.items() if review.digests.get(pair, digest) != digest
    ]
    changed += [pair for pair in review.digests if pair not in task.pairs]
    where = (
        join_names(changed)
        if changed
        else "the table of systems, or language pairs that this metric does not score"
    )
    return (
        f"This task is not the one that was reviewed: its content changed in {where}. Numbers may differ from "
        "those seen before, and decisions may no longer hold. Check them again."
    )


def left_out_table(exclusions: Iterable[TaskExclusion]) -> Table:
    """Who is left out, where and why."""
    columns = (
        Column("system", "system", "name"),
        Column("pair", "language pair", "name"),
        Column("reason", "reason"),
    )
    return Table(
        "left-out",
        columns,
        tuple((one.system, one.pair or "all", one.reason) for one in exclusions),
    )


def left_out_said(review: Review) -> list[str]:
    """How many systems are excluded from all language pairs, and how many others from some, in
    short phrases.

    >>> gone = Exclude("A", "en-de"), Exclude("A", "en-cs"), Exclude("B")
    >>> left_out_said(replay([Entry(k, 0.0, step) for k, step in enumerate(
    ...     [Begin("toy", None, "0f", {}, "bleu", {}), *gone], 1)]))
    ['1 system excluded', '1 system excluded from 2 language pairs']
    """
    everywhere = {one.system for one in review.exclusions if one.pair is None}
    partly = [one for one in review.exclusions if one.system not in everywhere]
    systems, pairs = {one.system for one in partly}, {one.pair for one in partly}
    return [
        *[f"{format_count(len(everywhere), 'system')} excluded"] * bool(everywhere),
        *[
            f"{format_count(len(systems), 'system')} excluded from {format_count(len(pairs), 'language pair')}"
        ]
        * bool(partly),
    ]


def decisions_table(review: Review, found: TaskComparison | None = None) -> Table:
    """Each language pair, and all together, with who is declared first, and why, None where that is
    open; with what was found also who is first there, and by simultaneous rank ranges where another
    rule decides.
    """
    decided = {
        one.pair or ACROSS_PAIRS: (", ".join(one.first), one.why) for one in review.decisions
    }
    tops = Table("first", (), ()) if found is None else tops_table(found, review.metric)
    first = {pair: cells for pair, *cells in tops.rows}
    if (
        found is not None
        and (macro := found.macro.get(review.metric)) is not None
        and macro.is_ranked
    ):
        top = ", ".join(row.system for row in macro.systems if row.rank_low == 1)
        first[ACROSS_PAIRS] = [top] * len(tops.columns[1:])
    columns = (
        Column("language_pair", "language pair", "name"),
        Column("declared", "declared first"),
        Column("why", "why"),
        *tops.columns[1:],
    )
    return Table(
        "decisions",
        columns,
        tuple(
            (
                pair,
                *decided.get(pair, (None, EMPTY)),
                *first.get(pair, [None] * len(tops.columns[1:])),
            )
            for pair in dict.fromkeys([*first, *decided])
        ),
    )


def decision_cautions(review: Review, found: TaskComparison) -> list[Caution]:
    """What the numbers say against the decisions: who is declared first and is not, and who is in
    the top group and not declared.
    """
    return [
        caution
        for one in review.decisions
        for caution in _question_decision(one, review.metric, found)
    ]


def _question_decision(decision: Decide, metric: str, found: TaskComparison) -> Iterator[Caution]:
    pair, why, rule = decision.pair or ACROSS_PAIRS.capitalize(), None, "simultaneous"
    systems: Sequence[SystemResult | MacroSystem] = ()
    if decision.pair is None and metric in found.macro:
        systems = found.macro[metric].systems
    top_group = [row.system for row in systems if row.rank_low == 1]
    if (
        comparison := found.pairs.get(decision.pair or "")
    ) is not None and metric in comparison.metrics:
        result, rule = comparison.metrics[metric], find_rank_rule(found).name
        systems, why = result.systems, explain_no_ranks(comparison, result)
        held = None if result.ruled is None else result.ruled.first_held
        top_group = [
            row.system
            for row in systems
            if (row.rank_low == 1 if held is None else row.system in held)
        ]
    ranks = {row.system: row.rank_low for row in systems}
    for name in decision.first:
        if name not in ranks:
            yield Caution("declared-not-compared", {"pair": pair}, metric, name)
        elif ranks[name] is None:
            yield Caution("declared-without-ranks", {"pair": pair, "why": why}, metric, name)
        elif ranks[name] != 1:
            facts = {"pair": pair, "rule": rule, "in_top_group": name in top_group}
            yield Caution("declared-not-first", facts, metric, name)
    others = [name for name in top_group if name not in decision.first]
    if others and len(others) < len(top_group):
        yield Caution("top-group-not-declared", {"pair": pair, "systems": others}, metric)


def notes_table(notes: Sequence[NoteOn], found: TaskComparison | None = None) -> Table:
    """The notes on disputed pairs of systems.

    With a comparison also what was measured of each, as `MEASURED_SAID` has it.
    """
    table = TableBuilder("notes", notes)
    table.add("language_pair", "language pair", "name", attrgetter("pair"))
    table.add("metric", "metric", "name", lambda note: name_metric(note.metric))
    table.add("a", "a", "name", attrgetter("a"))
    table.add("b", "b", "name", attrgetter("b"))
    table.add("text", "note", "text", attrgetter("text"))
    if found is not None:
        _add_measured(table, found)
    return table.build()


class _Measured(NamedTuple):
    """What was measured of a pair of systems in the metric of its note."""

    better: str | None
    difference: Cell | None = None
    interval: Cell | None = None
    adjusted_p: float | None = None
    rule_difference: Cell | None = None
    rule_p: float | None = None
    rule_better: str | None = None


def _add_measured(table: TableBuilder, found: TaskComparison) -> None:
    results = []
    for comparison in found.pairs.values():
        results += [(result, comparison.settings) for result in comparison.metrics.values()]
    is_joint = any(name_simultaneous(*result_and_settings) for result_and_settings in results)
    measured = [_measure_pair(note, found, is_joint) for note in table.rows]
    by_note = dict(zip(map(id, table.rows), measured, strict=True))

    def add(key: str, title: str, kind: str, field: str) -> None:
        table.add(key, title, kind, lambda note: getattr(by_note[id(note)], field))

    title = f"{write_level(results[0][1])} CI"
    add("difference", "difference", "difference", "difference")
    if is_joint:
        add("ci_joint", f"{title} for all pairs", "interval", "interval")
    else:
        add("ci", title, "interval", "interval")
    add("adjusted_p", "adjusted p", "p", "adjusted_p")
    add("better", "better", "text", "better")
    if any(result.has_rule_decisions for result, _ in results):
        rule = find_rank_rule(found)
        add("rule_difference", f"difference {rule.title}", "difference", "rule_difference")
        add("rule_p", f"p {rule.title}", "p", "rule_p")
        add("rule_better", f"better {rule.title}", "text", "rule_better")


def _measure_pair(note: NoteOn, found: TaskComparison, is_joint: bool) -> _Measured:
    pair, excluded = _find_pair(note, found)
    if pair is None:
        if excluded:
            return _Measured(f"{join_names(excluded, shown=False)} excluded")
        return _Measured("not compared by that metric")
    comparison = found.pairs[note.pair]
    result = comparison.metrics[note.metric]
    view = view_pair(pair, note.a, result, comparison.settings)
    form = choose_form(result)
    interval = view.ci_joint if is_joint else view.ci
    return _Measured(
        better={"better": note.a, "worse": note.b}.get(view.decision, view.decision),
        difference=write_cell(view.difference, "difference", form),
        interval=write_cell(interval, "interval", f"+{form}"),
        adjusted_p=view.adjusted_p,
        rule_difference=write_cell(_improvement_by_rule(pair, note.a, result), "difference", form),
        rule_p=pair.rule_p,
        rule_better=_better_by_rule(pair),
    )


def _improvement_by_rule(pair: PairResult, name: str, result: MetricResult) -> float | None:
    """The difference by the rule of the ranks, positive where the system of that name is better."""
    if pair.rule_delta is None:
        return None
    side = 1 if pair.a == name else -1
    return side * result.sign * pair.rule_delta


def _better_by_rule(pair: PairResult) -> str | None:
    """The system that the rule of the ranks calls better."""
    return {"a": pair.a, "b": pair.b, None: None}[pair.rule_better]


def _find_pair(note: NoteOn, found: TaskComparison) -> tuple[PairResult | None, list[str]]:
    """The pair of systems of a note, None where it was not compared; who of the two is excluded."""
    gone = [
        one.system
        for one in found.excluded
        if one.system in (note.a, note.b) and one.pair in (None, note.pair)
    ]
    comparison = found.pairs.get(note.pair)
    if comparison is None or note.metric not in comparison.metrics or gone:
        return None, gone
    for pair in comparison.metrics[note.metric].pairs:
        if {pair.a, pair.b} == {note.a, note.b}:
            return pair, gone
    return None, gone


def nobody_ranked(found: RanksBeforeAfter) -> bool:
    """Whether no system has a rank anywhere, neither before nor after."""
    return all(one.before is None and one.after is None for one in found.ranks)


def circles_table(found: RanksBeforeAfter, rule: RankRule = RANK_RULES["simultaneous"]) -> Table:
    """Who stands first by a rule in each language pair, and by ours across them, before and
    after.
    """
    columns = (
        Column("language_pair", "language pair", "name"),
        Column("before", f"{name_first_place(rule)}: before"),
        Column("now", "now"),
        Column("changed", "changed"),
    )
    return Table(
        "circles",
        columns,
        tuple(
            (
                one.pair or ACROSS,
                ", ".join(one.before) or None,
                ", ".join(one.after) or None,
                "yes" if one.changed else "no",
            )
            for one in found.circles
        ),
    )


def review_changes_table(found: RanksBeforeAfter) -> Table:
    """Each system with its rank in each language pair, and across them, before and now."""
    places = [one.pair or ACROSS for one in found.circles]
    changes = {
        (one.system, one.pair or ACROSS): (one.before, "excluded" if one.left_out else one.after)
        for one in found.ranks
    }
    names = dict.fromkeys(
        one.system for one in sorted(found.ranks, key=lambda one: one.pair is not None)
    )
    columns = (
        Column("system", "system", "name"),
        *(Column(place, place, "rank change") for place in places),
    )
    return Table(
        "review-rank-changes",
        columns,
        tuple((name, *(changes.get((name, place)) for place in places)) for name in names),
    )


def review_record(history: Sequence[Entry], found: TaskComparison | None = None) -> dict[str, Any]:
    """A review as JSON has it, without a link: what is in force, and the steps that led there; with
    what was found also what that says of decisions and of notes.
    """
    review = replay(history)
    gone = taken_back(history)
    return {
        **to_plain(review),
        "rank_rule": review.settings.get("rank_rule", "simultaneous"),
        "history": [
            {
                "number": entry.number,
                "at": entry.at,
                "said": said,
                "in_force": entry.number not in gone,
                "change": change_to_json(entry.change),
            }
            for entry, said in zip(history, history_sentences(history), strict=True)
        ],
        **(
            {}
            if found is None
            else {
                "decision_warnings": [caution.text for caution in decision_cautions(review, found)],
                "measured": [_measured_record(note, found) for note in review.notes],
            }
        ),
    }


def _measured_record(note: NoteOn, found: TaskComparison) -> dict[str, Any]:
    """What was measured of the pair of a note, a - b, by our test and by the rule of the ranks."""
    row, gone = _find_pair(note, found)
    if row is None:
        return {**dict.fromkeys(_OF_A_PAIR), "left_out": gone}
    comparison = found.pairs[note.pair]
    result = comparison.metrics[note.metric]
    seen = view_pair(row, note.a, result, comparison.settings)
    ci, joint = (
        ends and join_ends(*ends, result.sign) or (None, None) for ends in (seen.ci, seen.ci_joint)
    )
    better = {"better": "a", "worse": "b"}.get(seen.decision)
    rule_improvement = _improvement_by_rule(row, note.a, result)
    rule_delta = None if rule_improvement is None else result.sign * rule_improvement
    rule_better = {note.a: "a", note.b: "b", None: None}[_better_by_rule(row)]
    values = (
        result.sign * seen.difference,
        *ci,
        *joint,
        seen.p,
        seen.adjusted_p,
        better,
        rule_delta,
        row.rule_p,
        rule_better,
    )
    return dict(zip(_OF_A_PAIR, values, strict=True), left_out=gone)
