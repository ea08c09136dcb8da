"""What a reader of the numbers across the language pairs of a task has to know beside them, in sentences."""

from __future__ import annotations

from mtsig_core.errors import counted
from mtsig_core.inference.across_metrics import FEW
from mtsig_core.inference.across_pairs import MACRO_TESTS
from mtsig_core.inference.few_units import FEW_FOR_BOOTSTRAP, FEW_UNITS, units_said
from mtsig_core.inference.significance import TESTS
from mtsig_core.inference.ties import holds_zero
from mtsig_core.report.phrases import listed
from mtsig_core.results.task import MacroResult, TaskComparison

__all__ = ["across_columns", "across_gaps", "decision_notes", "not_averaged"]

_FEW = 6  # language pairs that a sentence names


def across_columns(found: TaskComparison, metric: str) -> str:
    """What stands in the columns across the language pairs, in sentences; empty where there are none."""
    macro = found.macro.get(metric)
    rank = "Under all pairs: its rank by the mean score over the language pairs. "
    by_rule = ", by the rule of the ranks" * any(
        one.metrics[metric].ruled is not None for one in found.pairs.values() if metric in one.metrics)
    return "" if macro is None else \
        f"{rank * macro.is_ranked}Wins, ties and losses are decisions within language pairs{by_rule}, added up."


def not_averaged(found: TaskComparison, metric: str) -> str:
    """Why there is nothing across several language pairs, in a sentence; empty where there is something."""
    macro = found.macro.get(metric)
    if macro is None or macro.pairs:
        return ""
    tests = {comparison.settings.test for comparison in found.pairs.values()}
    scored = any(row.score is not None for row in macro.systems)
    why = "this test gives no draws that could be averaged" if not tests.issubset(MACRO_TESTS) else \
        f"no two systems have {'segments in common in ' * scored}all of them"
    lacks = "is ranked" if scored else "has a mean score or a rank"
    return f"Differences were not averaged over the language pairs, so nobody {lacks} across them: {why}."


def across_gaps(found: TaskComparison, metric: str) -> list[str]:
    """What there is not across the language pairs, and why: decisions and ranks where too little could be decided,
    intervals where a language pair has a single unit; and where few units make them too narrow."""
    if why := not_averaged(found, metric):
        return [why]
    macro = found.macro.get(metric)
    if macro is None:
        return []
    n = len(macro.pairs)
    shut, said = sum(not pair.decidable for pair in macro.pairs), []
    if shut:
        which = "the only pair of systems" if n == 1 else \
            f"{f'all {n:,}' if shut == n else f'{shut:,} of {n:,}'} pairs of systems"
        nobody = ", and nobody is ranked" * (not macro.is_ranked)
        said.append(f"Across the language pairs {which} {FEW}{nobody}.")
    least = _least_units(found, macro)
    one = {pair: own for pair, own in least.items() if own[0] < 2}
    few = {pair: own for pair, own in least.items() if own[0] >= 2 and own[1] < FEW_UNITS}
    if one:
        said.append("Across the language pairs there is no interval of systems that have one unit in a language pair, "
                    f"as from one there is none: {_sized(found, one)}.")
    if few and any(pair.ci_low is not None for pair in macro.pairs):
        narrow = "" if macro.ci == "jackknife-t" else ", and rather too narrow,"
        said.append(f"Intervals across the language pairs are rough{narrow} where one of these has "
                    f"fewer than {FEW_UNITS} units, or such as are worth fewer: {_sized(found, few)}.")
    return said


def decision_notes(found: TaskComparison, metric: str) -> list[str]:
    """Which to go by where decisions across the language pairs and the intervals beside them differ; empty where none
    do."""
    macro, settings = found.macro.get(metric), next((one.settings for one in found.pairs.values()), None)
    if macro is None or settings is None:
        return []
    told = []
    for decided, words, zero in ((False, "not separated", "without"), (True, "significantly apart", "with")):
        n = sum(pair.decidable and (pair.better is not None) is decided and pair.ci_low is not None
                and pair.ci_high is not None and holds_zero(pair.ci_low, pair.ci_high) is decided
                for pair in macro.pairs)
        if n:
            told.append(f"{n:,} {'is' if n == 1 else 'are'} {words} and {'has' if n == 1 else 'have'} an interval "
                        f"{zero} 0 in it")
    if not told:
        return []
    corrected = settings.correction != "none" and len(macro.pairs) > 1
    why = f"An interval is for its pair alone and by another method{', a decision for all pairs' * corrected}"
    # a bootstrap of so few rejects too often to be gone by
    shaky = TESTS[settings.test].draws == "bootstrap" and any(
        worth < FEW_FOR_BOOTSTRAP for _, worth in _least_units(found, macro).values())
    by = "" if shaky else ": go by the decision"
    return [f"Of {counted(len(macro.pairs), 'pair')} of systems {', and '.join(told)}. {why}{by}."]


def _least_units(found: TaskComparison, macro: MacroResult) -> dict[str, tuple[int, float]]:
    """By language pair the units of the pair of systems across them that has fewest, and how many of equal size its
    units are worth.

    Not those of all language pairs together: drawn from n units a mean varies sqrt((n - 1) / n) times as much as it
    should, which further language pairs as small do not mend. Ten of two units each have intervals as much too narrow
    as one.
    """
    names = {name for pair in macro.pairs for name in (pair.a, pair.b)}
    units = {pair: [(row.n_units, row.n_effective or row.n_units) for row in comparison.metrics[macro.metric].pairs
                    if row.n_units and {row.a, row.b} <= names]
             for pair, comparison in found.pairs.items() if macro.metric in comparison.metrics}
    return {pair: min(own, key=lambda one: one[1]) for pair, own in units.items() if own}


def _sized(found: TaskComparison, units: dict[str, tuple[int, float]]) -> str:
    """Such as "4 documents in en-de and 87 documents worth 20 of equal size in en-cs", those with fewest first."""
    told = [f"{units_said(found.pairs[pair].settings, n)}"
            + (f" worth {worth:.0f} of equal size" if round(worth) < n else "") + f" in {pair}"
            for pair, (n, worth) in sorted(units.items(), key=lambda one: one[1][1])]
    more = len(told) - _FEW
    return listed([*told[:_FEW], *([f"so few in {more} more"] if more > 0 else [])], shown=False)
