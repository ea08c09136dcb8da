"""A shared task as tables: systems by language pairs, and the systems across them."""

from __future__ import annotations

from collections.abc import Mapping

from mtsig_core.data.task import SystemInfo
from mtsig_core.errors import counted
from mtsig_core.inference.across_metrics import UNDECIDED
from mtsig_core.inference.cautions import BESIDE_VERDICT, disagreement
from mtsig_core.inference.few_units import rank_correction
from mtsig_core.inference.rank_cautions import otherwise_first
from mtsig_core.inference.ranking import headline, is_ahead
from mtsig_core.inference.text_cautions import named
from mtsig_core.metrics import metric_title
from mtsig_core.report.caveats import wrong_files
from mtsig_core.report.cells import Cell, Table, number, rank_interval, signed, written_like
from mtsig_core.report.palette import shortened
from mtsig_core.report.phrases import ACROSS, listed
from mtsig_core.report.tables import cluster_ends, how_tested
from mtsig_core.report.task_across import across_gaps
from mtsig_core.report.task_ranks import first_title, rank_rule, undecided
from mtsig_core.results.task import MacroPair, MacroResult, MacroSystem, TaskComparison, TaskInfo

__all__ = ["above_ranks", "answer_first", "macro_pair_rows", "MISSING", "MISSING_SAID", "order_of", "other_tops",
           "picture_ends", "picture_rows", "system_text", "task_gaps", "task_left_out", "task_notes", "task_tested",
           "task_verdict"]

_FEW = 6  # language pairs that a sentence names
_LONGEST = 40  # letters of a name in a sentence with many
MISSING = "-"
#: What it stands for.
MISSING_SAID = "no score, or no rank"


def order_of(found: TaskComparison, metric: str) -> list[str]:
    """The systems by one metric: as the macro result has them, or else as they come in one language pair after another.
    """
    if metric in found.macro:
        return [row.system for row in found.macro[metric].systems]
    results = [comparison.metrics[metric] for comparison in found.pairs.values() if metric in comparison.metrics]
    return list(dict.fromkeys(row.system for result in results for row in result.systems))


def picture_rows(found: TaskComparison, metric: str) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Header, rows, and the cells (row, column) of who may be the first: each system's rank interval in each language
    pair, a dash where it has no score, or no rank; in how many pairs it has one; across them its rank interval, mean
    score, wins, ties and losses.
    """
    have = {pair: comparison.metrics[metric] for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}
    in_pairs = {pair: {row.system: row for row in result.systems} for pair, result in have.items()}
    macro = found.macro.get(metric)
    rows_of = {row.system: row for row in macro.systems} if macro is not None else {}
    judged = {name for result in have.values() for pair in result.tested
              if pair.decidable or result.ruled is not None for name in (pair.a, pair.b)}
    header = ["system", *have, "pairs"] + (["all pairs", "mean score", "wins", "ties", "losses"] if macro else [])
    form = written_like(row.score for result in have.values() for row in result.systems)
    rows: list[list[str]] = []
    marks: set[tuple[int, int]] = set()
    for name in order_of(found, metric):
        own = [systems.get(name) for systems in in_pairs.values()]
        ends = [(None, None) if row is None else (row.rank_low, row.rank_high) for row in own]
        n = sum(row is not None for row in own)
        ranked = {k: row for k, row in enumerate(own, 1)} | ({len(own) + 2: rows_of[name]} if macro else {})
        marks |= {(len(rows), k) for k, row in ranked.items() if row is not None and row.rank_low == 1}
        rows.append([system_text(found.task, name), *(rank_interval(*one) for one in ends),
                     Cell(f"{n}/{len(have)}", n),
                     *(_macro_cells(rows_of[name], form, name in judged) if macro is not None else ())])
    return header, rows, marks


def picture_ends(found: TaskComparison, metric: str) -> set[int]:
    """The rows of the picture below which a line is drawn between clusters: those across the language pairs, or of the
    only one. Of several without ranks across them each has its own, and there is no line."""
    if metric in found.macro:
        return cluster_ends(found.macro[metric].systems)
    results = [one.metrics[metric] for one in found.pairs.values() if metric in one.metrics]
    return cluster_ends(results[0].systems) if len(results) == 1 else set()


def answer_first(header: list[str], rows: list[list[str]], marks: set[tuple[int, int]], n_pairs: int
                 ) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """A picture with the rank across the language pairs, and in how many pairs a system is, right after its name: of
    30 pairs they would lie out of sight behind them.

    >>> answer_first(["system", "en-de", "en-cs", "pairs", "all pairs"], [["A", "1", "2", "2/2", "1-2"]], {(0, 4)}, 2)
    (['system', 'all pairs', 'pairs', 'en-de', 'en-cs'], [['A', '1-2', '2/2', '1', '2']], {(0, 1)})
    """
    summary = [k for k in (n_pairs + 2, n_pairs + 1) if k < len(header)]
    order = [0, *summary, *(k for k in range(1, len(header)) if k not in summary)]
    place = {old: new for new, old in enumerate(order)}
    return ([header[k] for k in order], [[row[k] for k in order] for row in rows],
            {(row, place[k]) for row, k in marks})


def system_text(task: TaskInfo, name: str) -> str:
    """The name of a system, what to call it in print where the table of systems says so, and whether it is contrastive
    or a human translation.

    >>> from collections.abc import Mapping

from mtsig_core.data.task import SystemInfo
    >>> system_text(TaskInfo("toy", "", (), {"s1": SystemInfo(display_name="Tower")}, (), {}, ()), "s1")
    's1 (Tower)'
    """
    info = task.systems.get(name, SystemInfo())
    said = [info.display_name] if info.display_name not in (None, name) else []
    said += info.beside
    return f"{name} ({', '.join(map(str, said))})" if said else name


def task_tested(found: TaskComparison) -> list[str]:
    """How the language pairs were tested, in short phrases; several where they have not the same units."""
    told = [how_tested(comparison) for comparison in found.pairs.values()]
    said = [" or ".join(dict.fromkeys(one[key] for one in told if key in one))
            for key in ("test", "trials", "seed", "alpha")]
    corrections = dict.fromkeys(comparison.settings.correction for comparison in found.pairs.values())
    ranks = [told[0]["rank_rule"]] if "rank_rule" in told[0] else []
    across = ", and across them" * any(macro.pairs for macro in found.macro.values())
    return [*filter(None, said), f"correction {' or '.join(corrections)} within each language pair{across}", *ranks]


def task_left_out(found: TaskComparison) -> str:
    """Who was left out, in which language pair where it was not all, and why where somebody said so."""
    return ", ".join(one.system + (f" in {one.pair}" if one.pair else "") + (f" ({one.reason})" if one.reason else "")
                     for one in found.excluded)


def task_verdict(found: TaskComparison, metric: str) -> str:
    """Who is ahead, in one sentence: across the language pairs, or in the only one; else in how many anybody is."""
    results = {pair: one.metrics[metric] for pair, one in found.pairs.items() if metric in one.metrics}
    macro, by = found.macro.get(metric), f"By {metric_title(metric)}"
    if macro is not None and (first := [row.system for row in macro.systems if row.rank_low == 1]):
        of = f"of the {sum(row.rank_low is not None for row in macro.systems)} systems that have all"
        ahead = f"{first[0]} is ahead, {of}" if is_ahead(macro) else \
            f"{len(first)} {of} may be the first: {', '.join(first)}"
        return f"{by} across {len(results)} language pairs {ahead}"
    rule = rank_rule(found)
    ours = rule.name == "simultaneous"
    if len(results) == 1 and (names := headline(only := next(iter(results.values())))) is not None:
        ahead = f"{first_title(rule)}: {', '.join(names)}" if not ours else \
            f"{names[0]} is ahead of all others" if is_ahead(only) else \
            f"{len(names)} of the {len(only.systems)} systems may be the first: {', '.join(names)}"
        return f"{by} in {next(iter(results))} {ahead}"
    if all(why := [undecided(found.pairs[pair], result) for pair, result in results.items()]):
        where = next(iter(results)) if len(results) == 1 else f"any of {len(results)} language pairs"
        return f"{by} nobody is ranked in {where}: {'; '.join(dict.fromkeys(filter(None, why)))}"
    n = sum(map(is_ahead, results.values()))
    ahead = "ahead of all others" if ours else f"alone the first, ranked {rule.title},"
    return f"{by} one system is {ahead} in {n} of {counted(len(results), 'language pair')}"


def above_ranks(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """All that a reader has to know before the ranks by a metric, in sentences: whether anything says that it decides,
    and whom others put on top; `task_gaps`, then `task_notes`."""
    asked = [caution.finding for caution in found.warnings if caution.metric == metric]
    return [*asked, *filter(None, [other_tops(found, metric)]), *task_gaps(found, metric, warned),
            *task_notes(found, metric, warned)]


def other_tops(found: TaskComparison, metric: str) -> str | None:
    """Whom other metrics put on top across the same language pairs, or in the only one; None where nobody else."""
    macro = found.macro.get(metric)
    if macro is not None and macro.is_ranked:
        tops = {name: tuple(row.system for row in one.systems if row.rank_low == 1)
                for name, one in found.macro.items() if one.language_pairs == macro.language_pairs}
    elif len(found.pairs) == 1:
        tops = {name: headline(one) or () for name, one in next(iter(found.pairs.values())).metrics.items()}
    else:
        return None
    groups: dict[frozenset[str], list[str]] = {}
    for name, top in tops.items():
        if top and metric in tops and tops[metric] and set(top) != set(tops[metric]):
            groups.setdefault(frozenset(top), []).append(name)
    if not groups:
        return None
    return "Other metrics name another top group: " + "; ".join(
        f"{named([shortened(name, _LONGEST) for name in tops[names[0]]])} by "
        f"{listed([shortened(metric_title(name), _LONGEST) for name in names], shown=False)}"
        for names in groups.values()) + "."


def task_gaps(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What the table of a metric is without, in sentences: language pairs that have no scores by it, and pairs of
    systems that nothing could decide; within the language pairs, then across them.

    Where no warnings are beside them, as in a paper, they are not sent to.
    """
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    said = [f"Without scores by {metric_title(metric)}, and left out: {', '.join(without)}."] if without else []
    tested = {pair: comparison.metrics[metric].tested for pair, comparison in found.pairs.items()
              if metric in comparison.metrics and comparison.metrics[metric].ruled is None}  # rules count all pairs
    counts = {pair: (sum(not one.decidable for one in pairs), len(pairs)) for pair, pairs in tested.items()}
    some = {pair: "the only one" if of == 1 else f"all {n}" if n == of else f"{n} of the {of}"
            for pair, (n, of) in counts.items() if n}
    if some and metric in found.macro:
        where = listed([f"{n} in {pair}" for pair, n in some.items()], shown=False) if len(some) <= _FEW else \
            f"{sum(n for n, _ in counts.values())} in {counted(len(some), 'language pair')}"
        why = "The warnings say why." if warned else \
            "There are too few trials, or too few units that tell two systems apart."
        said.append(f"Wins, ties and losses are without the pairs of systems that cannot be decided: {where}. {why}")
    return [*said, *across_gaps(found, metric)]


def task_notes(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What a reader of the ranks by a metric has to know beside them: texts that are hardly the right ones, where
    references disagree on who is ahead, why nobody is declared better in some pairs, and where the decisions do, by
    language pair.

    By another rule than ours ranks have no correction within language pairs, and ours across them.
    """
    have = {pair: one for pair, one in found.pairs.items() if metric in one.metrics}
    notes = {"": {pair: " ".join(filter(None, (
        *(caution.finding for caution in wrong_files(one.warnings) if not one.metrics[metric].was_given),
        disagreement(one.metrics[metric], one.testset.n_segments),
        *(caution.finding for caution in one.warnings if caution.code in BESIDE_VERDICT and caution.metric == metric)
    ))) for pair, one in have.items()}}
    otherwise = [one.settings for one in have.values() if one.settings.correction != rank_correction(one.settings)]
    if otherwise:  # by the same correction in all of them
        own, used, across = rank_correction(otherwise[0]), otherwise[0].correction, found.macro.get(metric)
        by = "are not" if used == "none" else f"by {used}"
        ours = {pair: one.metrics[metric] for pair, one in have.items() if one.metrics[metric].ruled is None}
        which = ("Ranks", "wins and losses") if ours else ("Ranks across the language pairs", "decisions")
        notes[f"{which[0]} are corrected by {own}, {which[1]} {by}. "] = {
            **{pair: otherwise_first(result) for pair, result in ours.items()},
            ACROSS: otherwise_first(across) if across is not None else ""}
    return [general + _by_pair({pair: said.rstrip(".") for pair, said in told.items() if said}, warned)
            for general, told in notes.items() if any(told.values())]


def _by_pair(told: Mapping[str, str], warned: bool) -> str:
    first, more = [*told.items()][:_FEW], len(told) - _FEW
    if ACROSS in [*told][_FEW:]:  # of that there are no warnings
        first[-1] = ACROSS, told[ACROSS]
    return " ".join(f"{pair}: {said}." for pair, said in first) + (
        f" So it is in {more} more{'; see the warnings' * warned}." if more > 0 else "")


def _macro_cells(row: MacroSystem, form: str, judged: bool) -> list[str]:
    """Wins, ties and losses are not said of a system of which nothing could be decided."""
    return [rank_interval(row.rank_low, row.rank_high), number(row.score, form),
            *(number(count if judged else None, "d") for count in (row.wins, row.ties, row.losses))]


def macro_pair_rows(macro: MacroResult, alpha: float) -> Table:
    """Header and rows of all pairs of systems that have every language pair: the mean difference with its interval, as
    an improvement of a over b, p, decision."""
    sign = 1 if macro.higher_is_better else -1
    form = written_like(row.score for row in macro.systems if row.score is not None)
    header = ["a", "b", "mean difference", f"{100 * (1 - alpha):g}% interval", "p", "adjusted p", "better"]
    return header, [[row.a, row.b, signed(sign * row.delta, form),
                     _interval(row, sign, form),
                     number(row.p_value, ".4f"), number(row.p_adjusted, ".4f"),
                     {"a": row.a, "b": row.b, None: "not separated" if row.decidable else UNDECIDED}[row.better]]
                    for row in macro.pairs]


def _interval(row: MacroPair, sign: int, form: str) -> str:
    """Of the mean difference as an improvement of a over b; a dash where there is none."""
    if row.ci_low is None or row.ci_high is None:
        return MISSING
    return "[{}, {}]".format(*(signed(end, form) for end in sorted((sign * row.ci_low, sign * row.ci_high))))
