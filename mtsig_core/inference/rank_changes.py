"""What leaving out systems, or another rule for ranks, changes in a shared task: ranks and winners' circles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtsig_core.results import SystemResult
from mtsig_core.results.task import MacroSystem, TaskComparison

__all__ = ["CircleChange", "RankChange", "RanksBeforeAfter", "ranks_before_after"]

Ranks = tuple[int, int] | None


@dataclass(frozen=True)
class RankChange:
    """The rank interval of a system before and after.

    Attributes
    ----------
    pair : str or None
        The language pair; None for the ranks across them.
    system : str
    before, after : tuple of int or None
        Its ends; None without a rank.
    left_out : bool
        Whether the system was compared there before, and is not any more.
    """

    pair: str | None
    system: str
    before: Ranks
    after: Ranks
    left_out: bool

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class CircleChange:
    """Who may be the first before and after, best first; `pair` as in `RankChange`."""

    pair: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return set(self.before) != set(self.after)


@dataclass(frozen=True)
class RanksBeforeAfter:
    """All systems of each language pair, as they stood before, then those that came; and the winners' circles."""

    metric: str
    ranks: tuple[RankChange, ...]
    circles: tuple[CircleChange, ...]


def ranks_before_after(before: TaskComparison, after: TaskComparison, metric: str) -> RanksBeforeAfter:
    """Two comparisons of one task side by side.

    Parameters
    ----------
    before, after : TaskComparison
    metric : str
        One that either was compared by.

    Returns
    -------
    RanksBeforeAfter
        In the order of the language pairs, those across them last.
    """
    old, new = _standings(before, metric), _standings(after, metric)
    ranks: list[RankChange] = []
    circles: list[CircleChange] = []
    for pair in sorted(old.keys() | new.keys(), key=lambda pair: (pair is None, [*old, *new].index(pair))):
        one, other = old.get(pair, {}), new.get(pair, {})
        ranks += [RankChange(pair, name, one.get(name), other.get(name), name in one and name not in other)
                  for name in dict.fromkeys([*one, *other])]
        circles.append(CircleChange(pair, _first(one), _first(other)))
    return RanksBeforeAfter(metric, tuple(ranks), tuple(circles))


def _standings(found: TaskComparison, metric: str) -> dict[str | None, Mapping[str, Ranks]]:
    """By language pair the rank interval of each system, best first; across them under None."""
    standings: dict[str | None, Mapping[str, Ranks]] = {
        pair: {row.system: _ranks(row) for row in comparison.metrics[metric].systems}
        for pair, comparison in found.pairs.items() if metric in comparison.metrics}
    if metric in found.macro:
        standings[None] = {row.system: _ranks(row) for row in found.macro[metric].systems}
    return standings


def _ranks(row: SystemResult | MacroSystem) -> Ranks:
    return None if row.rank_low is None or row.rank_high is None else (row.rank_low, row.rank_high)


def _first(ranks: Mapping[str, Ranks]) -> tuple[str, ...]:
    return tuple(name for name, own in ranks.items() if own is not None and own[0] == 1)
