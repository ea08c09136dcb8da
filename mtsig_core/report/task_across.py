"""What a reader of the numbers across the language pairs of a task has to know beside them, in sentences."""

from __future__ import annotations

from mtsig_core.inference.across_metrics import FEW
from mtsig_core.inference.few_units import FEW_UNITS, units_said
from mtsig_core.report.phrases import listed
from mtsig_core.results.task import MacroResult, TaskComparison

__all__ = ["across_gaps"]

_FEW = 6  # language pairs that a sentence names


def across_gaps(found: TaskComparison, metric: str) -> list[str]:
    """What there is not across the language pairs, and why: decisions and ranks where too little could be decided,
    intervals where a language pair has a single unit; and where few units make them too narrow."""
    macro = found.macro.get(metric)
    n = len(macro.pairs) if macro is not None else 0
    if macro is None or not n:
        return []
    shut, said = sum(not pair.decidable for pair in macro.pairs), []
    if shut:
        which = "the only pair of systems" if n == 1 else \
            f"{f'all {n:,}' if shut == n else f'{shut:,} of {n:,}'} pairs of systems"
        nobody = ", and nobody is ranked" * all(row.rank_low is None for row in macro.systems)
        said.append(f"Across the language pairs {which} {FEW}{nobody}.")
    least = _least_units(found, macro)
    one = {pair: n for pair, n in least.items() if n < 2}
    few = {pair: n for pair, n in least.items() if 2 <= n < FEW_UNITS}
    if one:
        said.append("Across the language pairs there is no interval of systems that have one unit in a language pair, "
                    f"as from one there is none: {_sized(found, one)}.")
    if few and any(pair.ci_low is not None for pair in macro.pairs):
        said.append("Intervals across the language pairs are rough, and rather too narrow, where one of these has "
                    f"fewer than {FEW_UNITS} units: {_sized(found, few)}.")
    return said


def _least_units(found: TaskComparison, macro: MacroResult) -> dict[str, int]:
    """By language pair the units of the pair of systems across them that has fewest.

    Not those of all language pairs together: drawn from n units a mean varies sqrt((n - 1) / n) times as much as it
    should, which further language pairs as small do not mend. Ten of two units each have intervals as much too narrow
    as one.
    """
    names = {name for pair in macro.pairs for name in (pair.a, pair.b)}
    units = {pair: [row.n_units for row in comparison.metrics[macro.metric].pairs
                    if row.n_units and {row.a, row.b} <= names]
             for pair, comparison in found.pairs.items() if macro.metric in comparison.metrics}
    return {pair: min(own) for pair, own in units.items() if own}


def _sized(found: TaskComparison, units: dict[str, int]) -> str:
    """Such as "4 documents in en-de and 5 documents in en-cs", those with fewest first."""
    told = [f"{units_said(found.pairs[pair].settings, n)} in {pair}"
            for pair, n in sorted(units.items(), key=lambda one: one[1])]
    more = len(told) - _FEW
    return listed([*told[:_FEW], *([f"so few in {more} more"] if more > 0 else [])], shown=False)
