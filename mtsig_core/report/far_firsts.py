"""Why a system may be the first although others, which score better, may not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from mtsig_core.errors import counted
from mtsig_core.inference.across_metrics import FEW
from mtsig_core.results import MetricResult, PairResult
from mtsig_core.results.task import MacroPair, MacroResult, TaskComparison

__all__ = ["far_firsts", "far_firsts_in"]

_WIDE = 1.5  # times the usual width, from which on an interval is called wide
_MOST = 5  # systems that are named


def far_firsts(result: MetricResult | MacroResult) -> str | None:
    """One or two sentences about systems that may be the first while some that score better may not; None without any.

    >>> from mtsig_core import TestSet, compare
    >>> far_firsts(compare(TestSet("toy", {"A": ["a b c d"] * 30, "B": ["a"] * 30}, {"ref": ["a b c d"] * 30}),
    ...                    trials=99).metrics["bleu"]) is None
    True
    """
    ranked = [row for row in result.systems if row.rank_low is not None]
    if not ranked or isinstance(result, MetricResult) and result.ruled is not None:
        return None  # another rule goes down by score
    beaten = next((k for k, row in enumerate(ranked) if row.rank_low != 1), len(ranked))
    far = [(k, row.system) for k, row in enumerate(ranked) if k > beaten and row.rank_low == 1]
    if not far:
        return None
    top = ranked[0].system
    to_top = {pair.b if pair.a == top else pair.a: pair for pair in result.pairs if top in (pair.a, pair.b)}
    better = [(k, name) for k, name in far if ranked[k].rank_high == 1 or _is_better(to_top.get(name), name)]
    open_ones = [one for one in far if one not in better]
    said = []
    if better:  # scores are means of what each has, pairs are compared on what both have
        said.append("Better than the score says: " + _listed(
            better, lambda name: f"significantly better than {top} on the segments that both have") + ".")
    if open_ones:
        why = _listed(open_ones, lambda name: _why(to_top.get(name), list(to_top.values()), top))
        said.append(f"May be the first, though better-scoring systems may not: {why}. That says that it cannot be "
                    "excluded, not that it is good.")
    return " ".join(said)


def far_firsts_in(found: TaskComparison, metric: str) -> list[str]:
    """The same for each language pair of a task, and across them."""
    parts: list[tuple[str, MetricResult | MacroResult]] = [
        (f"{pair}. ", comparison.metrics[metric]) for pair, comparison in found.pairs.items()
        if metric in comparison.metrics]
    parts += [("Across the language pairs. ", found.macro[metric])] if metric in found.macro else []
    return [f"{where}{said}" for where, result in parts if (said := far_firsts(result)) is not None]


def _listed(far: Sequence[tuple[int, str]], why: Callable[[str], str]) -> str:
    told = [f"{name} is {_ordinal(k + 1)} by its score, and {why(name)}" for k, name in far[:_MOST]]
    return "; ".join(told) + (f"; so it is with {len(far) - _MOST} more" if len(far) > _MOST else "")


def _is_better(pair: PairResult | MacroPair | None, name: str) -> bool:
    return pair is not None and pair.better is not None and name == (pair.a if pair.better == "a" else pair.b)


def _why(pair: PairResult | MacroPair | None, others: Sequence[PairResult | MacroPair], top: str) -> str:
    if pair is None:
        return f"was not compared with {top}"
    most = max(getattr(one, "n", None) or 0 for one in others)
    n = getattr(pair, "n", None)
    if n is not None and n < most:
        return f"has only {counted(n, 'segment')} in common with {top}, of {most:,}"
    if not pair.decidable:
        return f"its difference to {top} {FEW}"
    if pair.better is not None:  # by another correction than that of the ranks
        return f"its difference to {top} is not significant after the correction that ranks have"
    width, usual = _width(pair), [one for one in map(_width, others) if one is not None]
    if width is not None and usual and median(usual) > 0 and width >= _WIDE * median(usual):
        return (f"the interval of its difference to {top} is {width / median(usual):.1f} times as wide as the median "
                "one, which leaves the difference not significant")
    return f"its difference to {top} is not significant after the correction"


def _width(pair: PairResult | MacroPair) -> float | None:
    return None if pair.ci_low is None or pair.ci_high is None else pair.ci_high - pair.ci_low


def _ordinal(n: int) -> str:
    """
    >>> [_ordinal(n) for n in (2, 11, 23)]
    ['2nd', '11th', '23rd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th") if n % 100 not in (11, 12, 13) else "th"
    return f"{n}{ending}"
