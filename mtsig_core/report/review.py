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
    better_by_rule,
    choose_form,
    explain_no_ranks,
    find_rank_rule,
    find_rule_of,
    improvement_by_rule,
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
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.ranks import RANK_RULES, RankRule, RanksBeforeAfter, list_first
from mtsig_core.stats.settings import PRESETS, SETTINGS
from mtsig_core.task import TaskExclusion

# -------------------------------------------------------------------------------------------------
# A review of a shared task in sentences, tables and as data: what was decided, by which steps, what it changed.


ACROSS_PAIRS = "across the language pairs"  # where a decision holds that is about no single one
MEASURED_SAID = (
    "Each note has the measured difference of its pair: a - b, positive if a scores better."
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
    r"""Each step with its time and its author, the oldest first, in plain text.

    The text marks a step that is no longer in force.

    >>> steps = [Begin("toy", None, "0f", {}, "bleu", {}), Exclude("A", "en-de", "late"), TakeBack(2)]
    >>> print(*history_sentences([Entry(k, 60.0 * k, step, "Ana") for k, step in enumerate(steps, 1)]), sep="\n")
    1970-01-01 00:01 UTC, Ana: began the review of toy, all systems, by BLEU
    1970-01-01 00:02 UTC, Ana: excluded A in en-de: late (undone)
    1970-01-01 00:03 UTC, Ana: undid entry 2, excluded A in en-de: late
    """
    numbers_taken_back = taken_back(history)
    sentences = []
    for entry in history:
        time = datetime.fromtimestamp(entry.at, UTC)
        author = f", {entry.author}" if entry.author else ""
        step = _describe_change(entry.change, history)
        sentence = f"{time:%Y-%m-%d %H:%M} UTC{author}: {step}"
        if entry.number in numbers_taken_back:
            sentence += " (undone)"
        sentences.append(sentence)
    return sentences


def _describe_change(  # noqa: PLR0911  a sentence for each kind of change
    change: Change, history: Sequence[Entry]
) -> str:
    match change:
        case Begin(task=task, track=track, metric=metric):
            return f"began the review of {task}, {track or 'all'} systems, by {name_metric(metric)}"
        case Exclude(system=system, pair=pair, reason=reason):
            place = pair or "all language pairs"
            return f"excluded {system} in {place}: {reason or 'no reason given'}"
        case PutBack(system=system, pair=pair):
            return f"included {system} again in {pair or 'all language pairs'}"
        case SetRule(rule=rule):
            title = RANK_RULES[rule].title if rule in RANK_RULES else rule
            return f"chose ranks {title}"
        case SetSettings():
            return f"chose the settings {_describe_choice(change)}"
        case SetMetric(metric=metric):
            return f"chose the metric {name_metric(metric)}"
        case NoteOn(text=text):
            about = f"{change.a} and {change.b} in {change.pair} by {name_metric(change.metric)}"
            return f"noted on {about}: {text}" if text else f"removed the note on {about}"
        case Decide():
            return _describe_decision(change)
        case SeeContent():
            return "continued with the changed content of the task"
        case TakeBack(number=number):
            original = _describe_change(history[number - 1].change, history)
            return f"undid entry {number}, {original}"


def _describe_decision(decision: Decide) -> str:
    place = decision.pair or ACROSS_PAIRS
    if not decision.first:
        return f"removed the decision for {place}"
    if len(decision.first) == 1:
        declared = f"{decision.first[0]} is the winner"
    else:
        declared = f"{join_names(decision.first)} are joint winners"
    text = f"decided {place}: {declared}"
    if decision.why:
        text += f": {decision.why}"
    return text


def _describe_choice(change: SetSettings) -> str:
    if change.preset in PRESETS:
        return f"{PRESETS[change.preset].title!r}"
    phrases = []
    for name, value in change.settings.items():
        if name in SETTINGS:
            phrases.append(f"{SETTINGS[name].title}: {SETTINGS[name].name_value(value)}")
        else:
            phrases.append(f"{name}: {value}")
    return ", ".join(phrases) or "of mtsig"


def content_sentence(review: Review, task: TaskInfo, digests: Mapping[str, str]) -> str | None:
    """Describe the changes of a task since its review; None without changes.

    The task is without the exclusions of the review, the digests are of the language pairs that are
    at hand.
    """
    if task.digest == review.digest:
        return None
    changed = [
        pair for pair, digest in digests.items() if review.digests.get(pair, digest) != digest
    ]
    changed += [pair for pair in review.digests if pair not in task.pairs]
    place = "the table of systems, or language pairs that this metric does not score"
    if changed:
        place = join_names(changed)
    return (
        f"The content of this task changed in {place} after the review. Numbers may be different now, and "
        "decisions may no longer be right. Check them again."
    )


def left_out_table(exclusions: Iterable[TaskExclusion]) -> Table:
    """The systems that are excluded, where and why."""
    table = TableBuilder("left-out", exclusions)
    table.add("system", "system", "name", attrgetter("system"))
    table.add("pair", "language pair", "name", lambda exclusion: exclusion.pair or "all")
    table.add("reason", "reason", "text", attrgetter("reason"))
    return table.build()


def left_out_said(review: Review) -> list[str]:
    """State how many systems are excluded from all language pairs, and how many from some.

    These are short phrases.

    >>> gone = Exclude("A", "en-de"), Exclude("A", "en-cs"), Exclude("B")
    >>> left_out_said(replay([Entry(k, 0.0, step) for k, step in enumerate(
    ...     [Begin("toy", None, "0f", {}, "bleu", {}), *gone], 1)]))
    ['1 system excluded', '1 system excluded from 2 language pairs']
    """
    from_all = {exclusion.system for exclusion in review.exclusions if exclusion.pair is None}
    from_some = [exclusion for exclusion in review.exclusions if exclusion.system not in from_all]
    phrases = []
    if from_all:
        phrases.append(f"{format_count(len(from_all), 'system')} excluded")
    if from_some:
        n_systems = format_count(len({exclusion.system for exclusion in from_some}), "system")
        n_pairs = format_count(len({exclusion.pair for exclusion in from_some}), "language pair")
        phrases.append(f"{n_systems} excluded from {n_pairs}")
    return phrases


def decisions_table(review: Review, task_comparison: TaskComparison | None = None) -> Table:
    """Each language pair, and all together, with the system that is declared the winner, and why.

    An undecided language pair has None for both. With a comparison, the table also has its first
    system, and the first by simultaneous rank ranges where another rule decides.
    """
    decisions = {decision.pair or ACROSS_PAIRS: decision for decision in review.decisions}
    tops = Table("first", (), ())
    if task_comparison is not None:
        tops = _list_tops(task_comparison, review.metric)
    first = {lang_pair: cells for lang_pair, *cells in tops.rows}
    columns = [
        Column("language_pair", "language pair", "name"),
        Column("declared", "declared winner"),
        Column("why", "why"),
        *tops.columns[1:],
    ]
    no_cells = [None for _ in tops.columns[1:]]
    rows = []
    for lang_pair in dict.fromkeys([*first, *decisions]):
        decision = decisions.get(lang_pair)
        declared = None
        why = EMPTY
        if decision is not None:
            declared = ", ".join(decision.first)
            why = decision.why
        cells = first.get(lang_pair, no_cells)
        rows.append((lang_pair, declared, why, *cells))
    return Table("decisions", tuple(columns), tuple(rows))


def _list_tops(task_comparison: TaskComparison, metric: str) -> Table:
    """The top group of each language pair, and across them."""
    tops = tops_table(task_comparison, metric)
    macro = task_comparison.macro.get(metric)
    if macro is None or not macro.is_ranked:
        return tops
    first = ", ".join(list_first(macro.systems))
    keys = tops.keys[1:]
    return tops.add_rows([{"language_pair": ACROSS_PAIRS, **dict.fromkeys(keys, first)}])


def decision_cautions(review: Review, task_comparison: TaskComparison) -> list[Caution]:
    """Return cautions about decisions that the numbers contradict.

    A declared system may not be first, and a system of the top group may not be declared.
    """
    cautions: list[Caution] = []
    for decision in review.decisions:
        cautions += _question_decision(decision, review.metric, task_comparison)
    return cautions


class _Ranked(NamedTuple):
    """The ranks that a decision is compared with."""

    systems: Sequence[SystemResult | MacroSystem] = ()
    top_group: Sequence[str] = ()
    rule: str = "simultaneous"
    why: str | None = None  # there are no ranks


def _find_ranked(decision: Decide, metric: str, task_comparison: TaskComparison) -> _Ranked:
    if decision.pair is None:
        macro = task_comparison.macro.get(metric)
        if macro is None:
            return _Ranked()
        return _Ranked(macro.systems, list_first(macro.systems))
    comparison = task_comparison.pairs.get(decision.pair)
    if comparison is None or metric not in comparison.metrics:
        return _Ranked()
    result = comparison.metrics[metric]
    top_group: Sequence[str] = list_first(result.systems)
    if result.ruled is not None:
        simultaneous = set(result.ruled.first_held)
        top_group = [row.system for row in result.systems if row.system in simultaneous]
    why = explain_no_ranks(comparison, result)
    rule = find_rule_of([result], comparison.settings.rank_rule)
    return _Ranked(result.systems, top_group, rule.name, why)


def _question_decision(
    decision: Decide, metric: str, task_comparison: TaskComparison
) -> Iterator[Caution]:
    pair = decision.pair or ACROSS_PAIRS.capitalize()
    ranked = _find_ranked(decision, metric, task_comparison)
    ranks = {row.system: row.rank_low for row in ranked.systems}
    for name in decision.first:
        if name not in ranks:
            yield Caution("declared-not-compared", {"pair": pair}, metric, name)
        elif ranks[name] is None:
            reason = {"pair": pair, "why": ranked.why}
            yield Caution("declared-without-ranks", reason, metric, name)
        elif ranks[name] != 1:
            is_in_top_group = name in ranked.top_group
            facts = {"pair": pair, "rule": ranked.rule, "in_top_group": is_in_top_group}
            yield Caution("declared-not-first", facts, metric, name)
    undeclared = [name for name in ranked.top_group if name not in decision.first]
    if undeclared and len(undeclared) < len(ranked.top_group):
        yield Caution("top-group-not-declared", {"pair": pair, "systems": undeclared}, metric)


def notes_table(notes: Sequence[NoteOn], task_comparison: TaskComparison | None = None) -> Table:
    """The notes on disputed pairs of systems.

    With a comparison also what was measured of each, as `MEASURED_SAID` has it.
    """
    table = TableBuilder("notes", notes)
    table.add("language_pair", "language pair", "name", attrgetter("pair"))
    table.add("metric", "metric", "name", lambda note: name_metric(note.metric))
    table.add("a", "a", "name", attrgetter("a"))
    table.add("b", "b", "name", attrgetter("b"))
    table.add("text", "note", "text", attrgetter("text"))
    if task_comparison is not None:
        _add_measured(table, task_comparison)
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


def _add_measured(table: TableBuilder, task_comparison: TaskComparison) -> None:
    results = []
    for comparison in task_comparison.pairs.values():
        results += [(result, comparison.settings) for result in comparison.metrics.values()]
    is_joint = any(name_simultaneous(*result_and_settings) for result_and_settings in results)
    measured = [_measure_pair(note, task_comparison, is_joint) for note in table.rows]
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
        rule = find_rank_rule(task_comparison)
        add("rule_difference", f"difference {rule.title}", "difference", "rule_difference")
        add("rule_p", f"p {rule.title}", "p", "rule_p")
        add("rule_better", f"better {rule.title}", "text", "rule_better")


def _measure_pair(note: NoteOn, task_comparison: TaskComparison, is_joint: bool) -> _Measured:
    pair, excluded = _find_pair(note, task_comparison)
    if pair is None:
        if excluded:
            return _Measured(f"{join_names(excluded, escape=False)} excluded")
        return _Measured("not compared by that metric")
    comparison = task_comparison.pairs[note.pair]
    result = comparison.metrics[note.metric]
    view = view_pair(pair, note.a, result, comparison.settings)
    form = choose_form(result)
    interval = view.ci
    if is_joint:
        interval = view.ci_joint
    rule_difference = improvement_by_rule(pair, note.a, result)
    return _Measured(
        better={"better": note.a, "worse": note.b}.get(view.decision, view.decision),
        difference=write_cell(view.difference, "difference", form),
        interval=write_cell(interval, "interval", f"+{form}"),
        adjusted_p=view.adjusted_p,
        rule_difference=write_cell(rule_difference, "difference", form),
        rule_p=pair.rule_p,
        rule_better=better_by_rule(pair),
    )


def _find_pair(
    note: NoteOn, task_comparison: TaskComparison
) -> tuple[PairResult | None, list[str]]:
    """Find the pair of systems of a note, and which of the two is excluded.

    Without a comparison of the two, the pair is missing (None).
    """
    excluded = [
        exclusion.system
        for exclusion in task_comparison.excluded
        if exclusion.system in (note.a, note.b) and exclusion.pair in (None, note.pair)
    ]
    comparison = task_comparison.pairs.get(note.pair)
    if comparison is None or note.metric not in comparison.metrics or excluded:
        return None, excluded
    for pair in comparison.metrics[note.metric].pairs:
        if {pair.a, pair.b} == {note.a, note.b}:
            return pair, excluded
    return None, excluded


def nobody_ranked(changes: RanksBeforeAfter) -> bool:
    """Whether no system has a rank anywhere, neither before nor after."""
    return all(row.before is None and row.after is None for row in changes.ranks)


def circles_table(changes: RanksBeforeAfter, rule: RankRule = RANK_RULES["simultaneous"]) -> Table:
    """The first systems by a rule in each language pair, and by ours across them.

    They are those before and those after.
    """
    table = TableBuilder("circles", changes.circles)
    table.add("language_pair", "language pair", "name", lambda circle: circle.pair or ACROSS)
    title = f"{name_first_place(rule)}: before"
    table.add("before", title, "text", lambda circle: ", ".join(circle.before) or None)
    table.add("now", "now", "text", lambda circle: ", ".join(circle.after) or None)
    table.add("changed", "changed", "text", lambda circle: "yes" if circle.changed else "no")
    return table.build()


def review_changes_table(changes: RanksBeforeAfter) -> Table:
    """Each system with its rank in each language pair, and across them, before and now."""
    cells = {}
    across_first = sorted(changes.ranks, key=lambda row: row.pair is not None)
    for row in across_first:
        now = "excluded" if row.left_out else row.after
        cells[row.system, row.pair or ACROSS] = (row.before, now)
    names = dict.fromkeys(row.system for row in across_first)
    columns = [circle.pair or ACROSS for circle in changes.circles]
    rows = []
    for name in names:
        rank_changes = [cells.get((name, column)) for column in columns]
        rows.append((name, *rank_changes))
    return Table(
        "review-rank-cells",
        (
            Column("system", "system", "name"),
            *(Column(column, column, "rank change") for column in columns),
        ),
        tuple(rows),
    )


def review_record(
    history: Sequence[Entry], task_comparison: TaskComparison | None = None
) -> dict[str, Any]:
    """A review as JSON has it, without a link: what is in force, and the steps that led there.

    With a comparison also what that says of decisions and of notes.
    """
    review = replay(history)
    numbers_taken_back = taken_back(history)
    steps = []
    for entry, sentence in zip(history, history_sentences(history), strict=True):
        steps.append(
            {
                "number": entry.number,
                "at": entry.at,
                "author": entry.author,
                "said": sentence,
                "in_force": entry.number not in numbers_taken_back,
                "change": change_to_json(entry.change),
            }
        )
    record: dict[str, Any] = to_plain(review) | {
        "rank_rule": review.settings.get("rank_rule", "simultaneous"),
        "history": steps,
    }
    if task_comparison is not None:
        cautions = decision_cautions(review, task_comparison)
        record["decision_warnings"] = [caution.text for caution in cautions]
        record["measured"] = [_measured_record(note, task_comparison) for note in review.notes]
    return record


def _measured_record(note: NoteOn, task_comparison: TaskComparison) -> dict[str, Any]:
    """What was measured of the pair of a note, a - b, by our test and by the rule of the ranks."""
    pair, excluded = _find_pair(note, task_comparison)
    if pair is None:
        return {**dict.fromkeys(_OF_A_PAIR), "left_out": excluded}
    comparison = task_comparison.pairs[note.pair]
    result = comparison.metrics[note.metric]
    view = view_pair(pair, note.a, result, comparison.settings)
    ci_low, ci_high = _subtract(view.ci, result)
    ci_joint_low, ci_joint_high = _subtract(view.ci_joint, result)
    rule_delta = improvement_by_rule(pair, note.a, result)
    if rule_delta is not None:
        rule_delta *= result.sign
    return {
        "delta": result.sign * view.difference,
        "ci_low": ci_low,
        "ci_high": ci_high,
        "ci_joint_low": ci_joint_low,
        "ci_joint_high": ci_joint_high,
        "p_value": view.p,
        "p_adjusted": view.adjusted_p,
        "better": {"better": "a", "worse": "b"}.get(view.decision),
        "rule_delta": rule_delta,
        "rule_p": pair.rule_p,
        "rule_better": {note.a: "a", note.b: "b", None: None}[better_by_rule(pair)],
        "left_out": excluded,
    }


def _subtract(interval: Bounds | None, result: MetricResult) -> tuple[float | None, float | None]:
    """Compute the bounds of a - b from the bounds of the improvement of a over b."""
    if interval is None:
        return None, None
    return join_ends(*interval, result.sign) or (None, None)
