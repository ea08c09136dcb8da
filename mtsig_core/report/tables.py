"""Results as rows, of text for the terminal and the screen, and of numbers for files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import p_word
from mtsig_core.report.cells import Cell, Table, format_p, number, rank_interval, signed, written_like
from mtsig_core.results import (
    Comparison,
    MacroResult,
    MacroSystem,
    MetricResult,
    PairResult,
    PairRuns,
    Settings,
    SystemResult,
    SystemRuns,
)
from mtsig_core.stats.across import KINDS, NOT_ALIKE, RELATIONS, pairs_across
from mtsig_core.stats.few_units import alone_could, cannot_decide, rank_correction, telling_unit, units_said
from mtsig_core.stats.inventory import inventory
from mtsig_core.stats.ranks import RANK_RULES, headline, is_ahead, otherwise_led
from mtsig_core.stats.significance import TESTS, is_split
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Results as rows of numbers, for files: what is undefined is None, and an interval is two columns.


#: Header and rows.
Records = tuple[list[str], list[list[Any]]]
_TESTED = ("ci_low", "ci_high", "p", "adjusted_p", "win", "lose")
_JOINT = ("ci_joint_low", "ci_joint_high")


def leaderboard_records(results: Iterable[MetricResult], settings: Settings) -> Records:
    """Header and rows of all systems by each metric, best first.

    The difference is to the best system, or to the baseline, as an improvement; its intervals, p and shares of wins
    are those of that pair.
    """
    rows, nothing = [], [None] * (1 + len(_TESTED) + len(_JOINT))
    for result in results:
        best, tally = settings.baseline or result.systems[0].system, result.tally()
        found = {name: [*_seen(pair, name, result), *_jointly(pair, name, result)]
                 for pair in result.pairs if best in (pair.a, pair.b) for name in (pair.a, pair.b) if name != best}
        rows += [[result.metric, s.rank_low, s.rank_high, s.system, s.score, s.ci_low, s.ci_high,
                  *found.get(s.system, nothing)[:-2], *tally[s.system], *found.get(s.system, nothing)[-2:], s.cluster]
                 for s in result.systems]
    against = "vs_baseline" if settings.baseline else "vs_best"
    return ["metric", "rank_low", "rank_high", "system", "score", "ci_low", "ci_high", against,
            *(f"{against}_{what}" for what in _TESTED), "wins", "ties", "losses",
            *(f"{against}_{what}" for what in _JOINT), "cluster"], rows


def matrix_records(results: Sequence[MetricResult]) -> Records:
    """Header and rows of each metric's matrix of all pairs, systems as rows and, in the same order, as columns.

    Above the diagonal the difference row minus column, positive where the row is better; below it the adjusted p, or
    for a test without p the share of samples that the better system wins. Both in the order of the leaderboard, the
    columns in that of the first metric.
    """
    columns = [row.system for row in results[0].systems]
    columns += [row.system for result in results[1:] for row in result.systems if row.system not in columns]
    rows = []
    for result in results:
        place = {row.system: k for k, row in enumerate(result.systems)}
        cells = {}
        for pair in result.pairs:
            upper, lower = sorted((pair.a, pair.b), key=place.__getitem__)
            cells[upper, lower] = _seen(pair, upper, result)[0]
            cells[lower, upper] = pair.p_adjusted if pair.win is None or pair.lose is None else \
                max(pair.win, pair.lose)
        rows += [[result.metric, name, *(cells.get((name, other)) for other in columns)] for name in place]
    return ["metric", "system", *columns], rows


def pair_records(result: MetricResult) -> Records:
    """Header and rows of all pairs: the difference as an improvement of a, what was found, and who is better."""
    return ["a", "b", "difference", *_TESTED, "better", "se", "se_ratio", "min_difference", "segments", *_JOINT,
            "min_difference_low", "min_difference_high", "min_difference_family"], [
        [pair.a, pair.b, *_seen(pair, pair.a, result), {"a": pair.a, "b": pair.b, None: None}[pair.better], pair.se,
         pair.se_ratio, pair.mdd, pair.n, *_jointly(pair, pair.a, result),
         pair.mdd_low, pair.mdd_high, pair.mdd_family] for pair in result.pairs]


def relation_records(results: Sequence[MetricResult]) -> Records:
    """Header and rows of every pair under every metric, contradictions first: what each found, and its sign."""
    tables = [{frozenset((pair.a, pair.b)): pair for pair in result.pairs} for result in results]
    columns = [f"{what}_{result.metric}" for result in results
               for what in ("improvement", *_TESTED, "segments", "relation")]
    pairs = pairs_across(results)
    rows: list[list[Any]] = []
    for across in (across for kind in KINDS for across in pairs if across.kind == kind):
        rows.append([across.a, across.b])
        for result, table, decision in zip(results, tables, across.decisions, strict=True):
            pair = table[frozenset((across.a, across.b))]
            rows[-1] += [*_seen(pair, across.a, result), pair.n, RELATIONS[decision]]
        rows[-1].append(across.kind)
    return ["a", "b", *columns, "together"], rows


def _seen(pair: PairResult, name: str, result: MetricResult) -> list[float | None]:
    """Improvement of a system over the other of its pair, interval, p, adjusted p, and shares of wins."""
    sign = (1 if pair.a == name else -1) * result.sign
    wins = [pair.win, pair.lose] if pair.a == name else [pair.lose, pair.win]
    return [sign * pair.delta, *_ends(pair.ci_low, pair.ci_high, sign), pair.p_value, pair.p_adjusted, *wins]


def _jointly(pair: PairResult, name: str, result: MetricResult) -> list[float | None]:
    """The simultaneous interval of the same improvement."""
    return _ends(pair.ci_joint_low, pair.ci_joint_high, (1 if pair.a == name else -1) * result.sign)


def _ends(low: float | None, high: float | None, sign: int) -> list[float | None]:
    return [None, None] if low is None or high is None else [*sorted((sign * low, sign * high))]


#-----------------------------------------------------------------------------------------------------------------------
# Results as rows of text, for the terminal and for the screen alike.


#: What the lines of `cluster_ends` say.
CLUSTERS_SAID = "A line separates clusters: no rank range reaches over it."


def cluster_ends(systems: Sequence[SystemResult | MacroSystem]) -> set[int]:
    """The rows of a table of systems, best first, below which a line is drawn; the last row has none.

    >>> from mtsig_core.results import SystemResult
    >>> cluster_ends([SystemResult(name, 0.0, None, None, 1, 2, cluster) for name, cluster in zip("ABC", (1, 1, 2))])
    {1}
    """
    return {k for k, (row, below) in enumerate(pairwise(systems))
            if row.cluster is not None and below.cluster not in (None, row.cluster)}


def summary(comparison: Comparison) -> tuple[list[str], list[str]]:
    """What was compared, and how it was tested: two lists of short phrases."""
    info = comparison.testset
    told = " (simulated)" if info.simulated and "simulated" not in info.name else ""
    documents = [] if info.n_documents is None else [counted(info.n_documents, "document") + _worth(comparison)]
    data = [info.name + told, counted(info.n_segments, "segment"), *documents, counted(len(info.systems), "system")]
    scored = f"scored with {', '.join(info.references)}" if info.references else "segment scores without texts"
    data += [] if info.references and all(result.was_given for result in comparison.metrics.values()) else [scored]
    tokenizers = {result.tokenizer for result in comparison.metrics.values() if result.tokenizer is not None}
    data += [f"tokenizer {', '.join(sorted(tokenizers))}"] if tokenizers else []
    tested = how_tested(comparison)
    return data, [text for key, text in tested.items() if key != "unit" or "test" not in tested]


def how_tested(comparison: Comparison) -> dict[str, str]:
    """How it was tested, in a short phrase for each setting; that of the test says the unit too. Where there is
    nothing to test, how the intervals were made."""
    settings, unit, rule = comparison.settings, comparison.settings.unit, comparison.settings.rank_rule
    if settings.block_length is not None:
        unit = f"stationary block of {settings.block_length:g} segments on average"
    family = max((len(result.tested) for result in comparison.metrics.values()), default=0)
    told = {"test": f"{TESTS[settings.test].title} ({settings.test}) by {unit}", "unit": f"by {unit}",
            **({} if settings.trials is None else {"trials": trials_said(comparison)}),
            "seed": f"seed {settings.seed}", "alpha": f"alpha {settings.alpha:g}",
            "correction": f"correction {settings.correction} over {family} {'pair' if family == 1 else 'pairs'}",
            "ci": f"{interval_kinds(comparison)} intervals, {settings.resamples} resamples",
            **({"rank_rule": f"ranks {RANK_RULES[rule].title}"} if rule != "simultaneous" else {})}
    return {key: text for key, text in told.items() if family or key in ("unit", "seed", "alpha", "ci")}


def _worth(comparison: Comparison) -> str:
    """What documents of unequal size are worth with all their segments, where they are the units; unknown by a part."""
    info = comparison.testset
    worth = next((result.n_effective for result in comparison.metrics.values() if comparison.settings.unit == "document"
                  and (not result.was_given or any(pair.n == info.n_segments for pair in result.pairs))), None)
    return "" if worth is None or round(worth) == info.n_documents else f" (worth {worth:,.0f} of equal size)"


def trials_said(comparison: Comparison) -> str:
    """How often the test drew; more than one where metrics differ, as some have few units with ratings."""
    return " or ".join(dict.fromkeys(how_often(result, comparison.settings) for result in comparison.metrics.values()))


def how_often(result: MetricResult, settings: Settings) -> str:
    """How often the test drew for one metric, or that it tried all there is."""
    trials = result.trials
    return f"all {trials + 1} swaps, exact" if trials is not None and result.exact else f"{trials} trials"


def interval_kinds(comparison: Comparison) -> str:
    """The kind of interval; more than one where few of the documents have ratings."""
    return " or ".join(dict.fromkeys(r.ci or comparison.settings.ci for r in comparison.metrics.values()))


def left_out(comparison: Comparison) -> str:
    """The systems that were left out, each with its reason where there is one; empty where none was."""
    return ", ".join(f"{one.system} ({one.reason})" if one.reason else one.system for one in comparison.excluded)


def apart(result: MetricResult, settings: Settings) -> tuple[str, set[str]]:
    """The baseline, or else the best system, and with it those that differ significantly from it."""
    anchor = settings.baseline or result.systems[0].system
    return anchor, {anchor} | {name for pair in result.pairs if pair.significant and anchor in (pair.a, pair.b)
                               for name in (pair.a, pair.b)}


def verdict(result: MetricResult, settings: Settings) -> str | None:
    """Who won, in one sentence: a winner only where no other could be first too; or how many beat the baseline."""
    if settings.baseline is not None and result.pairs:
        if (cannot := cannot_decide(settings, result)) is not None:
            return cannot
        better, worse = (sum(pair.better == side for pair in result.pairs) for side in "ab")
        apart = len(result.pairs) - len(result.tested)
        return (f"Against {settings.baseline}: {better} significantly better, {worse} worse, "
                f"{len(result.tested) - better - worse} not separated{f', {apart} not tested' if apart else ''}")
    if TESTS[settings.test].p_values is None and result.tested:
        return "No ranks: this test controls no error over all pairs"
    first = headline(result)
    if first is None:
        return cannot_decide(settings, result, rank_correction(settings))
    if result.ruled is not None:  # such a rule gives the place, and may give it to several
        return f"First, ranked {RANK_RULES[settings.rank_rule].title}: {', '.join(first)}"
    return _ahead(first, is_ahead(result))


def by_reference_rows(result: MetricResult) -> Table:
    """Header and rows: who is ahead by all references together and by each alone, and where that is another.

    No rows where there are not several references, or no ranks.
    """
    together, others = headline(result), otherwise_led(result)
    if together is None or not result.by_reference:
        return [], []
    n = max((pair.n or 0 for pair in result.pairs), default=0)
    rows = [["all together", _ahead(together, is_ahead(result)), ""]]
    for row in result.by_reference:
        some = f" ({row.n_segments:,} of {n:,} segments)" if row.n_segments < n else ""
        same = "same" if set(row.leaders) == set(together) else "more, on fewer segments"
        told = [_ahead(row.leaders, row.ahead), "differs" if row in others else same]
        rows.append([f"{row.reference} alone{some}", *(told if row.decidable else ["cannot be decided", ""])])
    return ["leaders by reference", "who is ahead", "against all together"], rows


def _ahead(first: Sequence[str], ahead: bool) -> str:
    if len(first) > 1:
        return f"May be the first: {', '.join(first)}"
    return f"{first[0]} is ahead of all others" if ahead else f"{first[0]} alone may be the first"


def leaderboard_rows(result: MetricResult, settings: Settings) -> Table:
    """Header and rows: rank interval, system, score, interval, difference to the top (or baseline) with interval,
    and wins, ties and losses, or with a baseline p and the decision. Of a single system, what it has of these.

    Where there are simultaneous intervals, that of the difference stands beside its single one. A positive difference
    is an improvement, for metrics where lower is better too.
    """
    level = f"{100 * (1 - settings.alpha):g}% interval"
    means = " (segment mean)" * (result.ruled is not None and result.ruled.means is not None)  # no score of the rule
    header = ["rank", "system", _metric_word(result), level,
              f"vs {'baseline' if settings.baseline else 'best'}{means}", f"its {level}"]
    jointly = simultaneous_word(result, settings) is not None
    header += [f"simultaneous {level}"] * jointly
    if not result.pairs:  # one system: nothing to compare
        return header[:4], [row[:4] for row in system_rows(result)[1]]
    if settings.baseline:
        header += [*_chance_words(settings), "decision"]
    else:
        header += ["wins", "ties", "losses"]
    anchor = settings.baseline or result.systems[0].system
    against = {pair.a if pair.b == anchor else pair.b: (pair, 1 if pair.b == anchor else -1)
               for pair in result.pairs if anchor in (pair.a, pair.b)}
    tally, form = result.tally(), points(result)
    rows = []
    for system in result.systems:
        row = [_ranks(system), system.system, number(system.score, form),
               _interval(system.ci_low, system.ci_high, form)]
        if system.system in against:
            pair, sign = against[system.system]
            row += _signed(pair, sign * result.sign, form)
            row += [_signed_interval(pair.ci_joint_low, pair.ci_joint_high, sign * result.sign, form)] * jointly
        else:
            row += [""] * (2 + jointly)
        if not settings.baseline:
            row += _tally(result, tally[system.system])
        elif system.system in against:
            row += [*_chances(pair, settings),
                    {"a": "better", "b": "worse", None: neither(pair, settings)}[pair.better]]
        rows.append(row + [""] * (len(header) - len(row)))
    return header, rows


def system_rows(result: MetricResult) -> Table:
    """Header and rows of what a result says of its systems without the settings: rank interval, system, score,
    interval, and wins, ties and losses."""
    tally, form = result.tally(), points(result)
    return ["rank", "system", _metric_word(result), "interval", "wins", "ties", "losses"], [
        [_ranks(row), row.system, number(row.score, form), _interval(row.ci_low, row.ci_high, form),
         *_tally(result, tally[row.system])] for row in result.systems]


def _tally(result: MetricResult, counts: tuple[int, int, int]) -> list[str]:
    """Wins, ties and losses; none where no pair can be decided."""
    told = result.ruled is not None or any(pair.decidable for pair in result.pairs)
    return [number(count if told else None, "d") for count in counts]


def neither(pair: PairResult, settings: Settings) -> str:
    """What a pair is in which no system is declared better."""
    if is_split(pair, settings.alpha):
        return "test and scores disagree"
    why = ": too many pairs for so few trials" if alone_could(settings, pair) else \
        f" by a difference in only {counted(pair.n_apart, telling_unit(settings))}" if pair.n_apart is not None else \
        f" with {units_said(settings, pair.n_units)}" if pair.n_units else ""
    return "not separated" if pair.decidable else "not tested: no line in common" if pair.n == 0 else \
        f"cannot be decided{why}"


def rank_change_rows(before: MetricResult, after: MetricResult) -> Table:
    """Header and rows: what leaving out systems does to the ranks, and to wins, ties and losses, of every system."""
    def standing(result: MetricResult) -> dict[str, tuple[str, str]]:
        return {row.system: (_ranks(row), "-".join(map(str, tally))) for row, tally in
                ((row, result.tally()[row.system]) for row in result.systems)}

    old, new = standing(before), standing(after)
    gone = ("left out", "")
    return ["system", "rank with all", "rank now", "wins-ties-losses with all", "now"], [
        [name, rank, new.get(name, gone)[0], tally, new.get(name, gone)[1]] for name, (rank, tally) in old.items()]


def with_metrics(header: list[str], rows: list[list[str]], name: int, further: Sequence[MetricResult]) -> Table:
    """A table of systems with the score and rank interval of further metrics; `name` is the column of the system."""
    header, rows = [*header], [[*row] for row in rows]
    for result in further:
        header += [_metric_word(result), "its rank"]
        form = points(result)
        found = {row.system: [number(row.score, form), _ranks(row)] for row in result.systems}
        for row in rows:
            row += found.get(row[name], ["-", "-"])
    return header, rows


def across_rows(results: Sequence[MetricResult]) -> Table:
    """Header and rows of the pairs on which metrics do not agree, the contradictions first.

    A filled point stands where a metric decides for the side that its difference favours.
    """
    pairs = [pair for kind in NOT_ALIKE for pair in pairs_across(results) if pair.kind == kind]
    forms = [points(result) for result in results]
    return ["pair", *(metric_title(result.metric) for result in results), "together"], [
        [f"{pair.a} - {pair.b}", *(Cell(f"{signed(value, form)}{' ●' * (decision != 0)}", value) for
                                   value, decision, form in zip(pair.improvements, pair.decisions, forms, strict=True)),
         pair.kind] for pair in pairs]


def relation_rows(results: Sequence[MetricResult]) -> Table:
    """Header and rows of Fig. 3 of Zhang and Vogel (2004): each system against each, a sign for every metric.

    ``>`` the system of the row is significantly better, ``<`` worse, ``~`` neither; metrics in their order.
    """
    signs = {ends: "".join(RELATIONS[side * decision] for decision in pair.decisions) for pair in pairs_across(results)
             for side, ends in ((1, (pair.a, pair.b)), (-1, (pair.b, pair.a)))}
    paired = {a for a, _ in signs}
    names = [row.system for row in results[0].systems if row.system in paired]
    return ["", "system", *(str(k) for k in range(1, len(names) + 1))], [
        [str(k), name, *(signs.get((name, other), "") for other in names)] for k, name in enumerate(names, 1)]


def without_relation(results: Sequence[MetricResult]) -> list[str]:
    """The systems of which no pair is compared by all metrics, so that `relation_rows` lacks them."""
    paired = {name for pair in pairs_across(results) for name in (pair.a, pair.b)}
    return [row.system for row in results[0].systems if row.system not in paired]


def pair_rows(result: MetricResult, settings: Settings, most: int | None = None) -> Table:
    """Header and rows of the tested pairs: difference with interval, p or win rates, decision, what could be seen.
    Of the pairs so many at `most`.

    A family of several pairs has simultaneous intervals beside the single ones, just before p. Where pairs are compared
    on different segments, the number of these comes last.
    """
    level, jointly = f"{100 * (1 - settings.alpha):g}% interval", simultaneous_word(result, settings) is not None
    header = ["pair", "difference", *([f"single {level}", f"simultaneous {level}"] if jointly else [level]),
              *_chance_words(settings), "better", "SE", "SE doc/seg", "min. difference",
              *(["for the family"] if jointly else [])]
    gaps = len({pair.n for pair in result.pairs}) > 1
    header += ["segments"] * gaps
    rows, form = [], points(result)
    for pair in result.pairs[:most]:
        rows.append([
            f"{pair.a} - {pair.b}", *_signed(pair, result.sign, form),
            *([_signed_interval(pair.ci_joint_low, pair.ci_joint_high, result.sign, form)] * jointly),
            *_chances(pair, settings),
            {"a": pair.a, "b": pair.b, None: "-"}[pair.better], number(pair.se, form),
            number(pair.se_ratio), _detectable(pair, form),
            *([number(pair.mdd_family, form)] * jointly), *([number(pair.n, "d")] * gaps)])
    return header, rows


def _detectable(pair: PairResult, form: str) -> str:
    if pair.mdd is None or pair.mdd_low is None:
        return number(pair.mdd, form)
    return Cell(f"{number(pair.mdd, form)} [{number(pair.mdd_low, form)}, {number(pair.mdd_high, form)}]", pair.mdd)


def points(result: MetricResult) -> str:
    """The form of the metric's scores and differences; see `written_like`."""
    return written_like(row.score for row in result.systems)


def difference_rows(result: MetricResult, settings: Settings) -> Table:
    """Header and rows: the improvement of each system over the best, or over the baseline, with its intervals."""
    anchor, header = apart(result, settings)[0], pair_rows(result, settings)[0]
    last, jointly = header.index("better"), simultaneous_word(result, settings) is not None
    rows, form = [], points(result)
    for name in (row.system for row in result.systems):
        for pair in (pair for pair in result.pairs if {pair.a, pair.b} == {anchor, name}):
            sign = result.sign * (1 if pair.a == name else -1)
            joint = [_signed_interval(pair.ci_joint_low, pair.ci_joint_high, sign, form)] * jointly
            said = neither(pair, settings) if pair.better is None else \
                "better" if name == {"a": pair.a, "b": pair.b}[pair.better] else "worse"
            rows.append([name, *_signed(pair, sign, form), *joint, *_chances(pair, settings), said])
    return ["system", "vs baseline" if settings.baseline else "vs best", *header[2:last], "decision"], rows


def _chance_words(settings: Settings) -> list[str]:
    return ["win", "lose"] if TESTS[settings.test].p_values is None else ["p", p_word(settings.correction)]


def _chances(pair: PairResult, settings: Settings) -> list[str]:
    """p and adjusted p, or the shares of samples that a test without p goes by."""
    if TESTS[settings.test].p_values is None:
        return [number(pair.win, ".3f"), number(pair.lose, ".3f")]
    return [format_p(pair.p_value), format_p(pair.p_adjusted)]


def with_interval(result: MetricResult, settings: Settings) -> str:
    """What an axis of scores says after the name of the metric."""
    better = "" if result.higher_is_better else ", lower is better"
    return f"with {100 * (1 - settings.alpha):g}% interval{better}"


def simultaneous_word(result: MetricResult, settings: Settings) -> str | None:
    """What the simultaneous intervals of the differences are called; None where there are none beside the single ones,
    as of one pair."""
    if len(result.tested) < 2 or all(pair.ci_joint_low is None for pair in result.pairs):
        return None
    family = f"all {len(result.tested)} pairs{'' if settings.baseline is None else ' with the baseline'}"
    return f"simultaneous {100 * (1 - settings.alpha):g}% interval over {family}"


def _metric_word(result: MetricResult) -> str:
    return f"{metric_title(result.metric)} {'↑' if result.higher_is_better else '↓'}"


def _ranks(system: SystemResult) -> str:
    return rank_interval(system.rank_low, system.rank_high)


def _signed(pair: PairResult, sign: int, form: str) -> list[str]:
    """Difference and interval of a pair, as seen from the side that the sign says."""
    return [signed(sign * pair.delta, form), _signed_interval(pair.ci_low, pair.ci_high, sign, form)]


def _signed_interval(low: float | None, high: float | None, sign: int, form: str) -> str:
    if low is None or high is None:
        return "-"
    return _interval(min(sign * low, sign * high), max(sign * low, sign * high), form, "+")


def _interval(low: float | None, high: float | None, form: str, sign: str = "") -> str:
    if low is None or high is None:
        return "-"
    return Cell(f"[{signed(low, form, sign)}, {signed(high, form, sign)}]", low)


#-----------------------------------------------------------------------------------------------------------------------
# Training runs as rows: what differs between them, apart from what differs between test sets.


def with_runs(header: list[str], rows: list[list[str]], name: int, result: MetricResult) -> Table:
    """A table of systems with the SD between runs, where there are runs: after the score and its interval, which stand
    right of the system in the column `name`."""
    if not result.runs:
        return header, rows
    form, at = points(result), name + 3
    spread = {row.system: number(row.sd, form) for row in result.runs}
    return [*header[:at], "SD between runs", *header[at:]], [
        [*row[:at], spread.get(row[name], "-"), *row[at:]] for row in rows]


def run_rows(result: MetricResult | MacroResult, alpha: float) -> Table:
    """Header and rows: of each system that has several runs their number, SD with its interval, and scores."""
    several = [row for row in result.runs if len(row.scores) > 1]
    form = written_like(score for row in several for score in row.scores)
    header = ["system", "runs", "SD between runs", f"its {100 * (1 - alpha):g}% interval", "scores of its runs"]
    return header, [[row.system, str(len(row.scores)), number(row.sd, form),
                     "-" if row.sd_low is None else
                     Cell(f"[{number(row.sd_low, form)}, {number(row.sd_high, form)}]", row.sd_low),
                     ", ".join(number(score, form) for score in row.scores)] for row in several]


def pair_run_rows(result: MetricResult) -> Table:
    """Header and rows: standard errors of each difference, from the test set, from the runs, and from both."""
    form = points(result)
    return ["pair", "SE of the test set", "SE between runs", "SE of both"], [
        [f"{row.a} - {row.b}", *(number(value, form) for value in (row.se_testset, row.se_runs, row.se_total))]
        for row in result.pair_runs]


def _without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in names}


def with_run_records(rows: Iterable[SystemResult | MacroSystem | PairResult],
                     runs: Sequence[SystemRuns | PairRuns]) -> list[dict[str, Any]]:
    """Rows of CSV with what their training runs add, where there are any; the scores of the runs have own rows."""
    def of(record: dict[str, Any]) -> tuple[Any, ...]:
        return record.get("system"), record.get("a"), record.get("b")

    more = {of(one): _without(one, "scores") for one in map(asdict, runs)}
    return [row | more.get(of(row), {}) for row in map(asdict, rows)]


def single_runs(result: MetricResult | MacroResult) -> list[dict[str, Any]]:
    """Rows of CSV: the score of each training run."""
    return [{"system": row.system, "run": k, "score": score}
            for row in result.runs for k, score in enumerate(row.scores, 1)]


#-----------------------------------------------------------------------------------------------------------------------
# What a test set holds, as rows of text.


_TEXTS = ("reference", "system", "training run", "source")


def inventory_rows(testset: TestSet) -> Table:
    """Header and rows; what is not counted of a text is a dash, what other things do not have is left empty."""
    header = ["role", "name", "segments", "words", "characters", "empty", "repeated"]
    header += ["scores"] * bool(testset.scores)
    return header, [[held.role, held.name, *(
        "" if count is None and held.role not in _TEXTS else number(count, ",")
        for count in (held.segments, held.words, held.characters, held.empty, held.repeated)),
        *(["" if held.scores is None else number(held.scores, ",")] * bool(testset.scores))]
        for held in inventory(testset)]
