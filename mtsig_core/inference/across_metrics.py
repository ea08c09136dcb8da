"""Several metrics on the same pairs: where they decide alike, where only some decide, where they contradict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mtsig_core.errors import counted
from mtsig_core.results import MetricResult, PairResult
from mtsig_core.results.task import MacroPair, TaskComparison

__all__ = ["AGREE", "FEW", "KINDS", "NOT_ALIKE", "Disputed", "PairAcross", "RELATIONS", "UNDECIDED", "alike_said",
           "disputed_in", "pairs_across"]

NOT_ALIKE = ("opposite", "some decide")
AGREE, UNDECIDED = "agree", "cannot be decided"
FEW = "cannot be decided with so few trials or units"
#: What metrics may say of a pair together, the gravest first.
KINDS = (*NOT_ALIKE, AGREE, UNDECIDED)
#: What a decision is written as, after Zhang and Vogel (2004, Fig. 3).
RELATIONS = {1: ">", -1: "<", 0: "~"}


@dataclass(frozen=True)
class PairAcross:
    """One pair under several metrics, in their order.

    Attributes
    ----------
    a, b : str
        Ordered by the first metric.
    improvements : tuple of float
        Differences in points of each metric, positive where a is better.
    decisions : tuple of int
        1 where a is significantly better, -1 where b is, 0 where neither.
    decidable : bool
        Whether each of them could have decided, with so many trials and units.
    """

    a: str
    b: str
    improvements: tuple[float, ...]
    decisions: tuple[int, ...]
    decidable: bool = True

    @property
    def relations(self) -> tuple[str, ...]:
        """By metric: ``>`` a is significantly better, ``<`` worse, ``~`` neither."""
        return tuple(RELATIONS[decision] for decision in self.decisions)

    @property
    def kind(self) -> str:
        """One of `KINDS`: where no metric decides, and one could not have, nobody knows whether they agree."""
        if len(set(self.decisions)) == 1:
            return AGREE if self.decidable or self.decisions[0] else UNDECIDED
        return NOT_ALIKE[not {1, -1} <= set(self.decisions)]


@dataclass(frozen=True)
class Disputed:
    """What several metrics say together of all pairs of systems in one language pair of a task.

    Attributes
    ----------
    language_pair : str or None
        None for the mean differences across the language pairs.
    metrics : tuple of str
    pairs : tuple of PairAcross
        Those that all of these metrics have tested.
    """

    language_pair: str | None
    metrics: tuple[str, ...]
    pairs: tuple[PairAcross, ...]

    def count(self, kind: str) -> int:
        """How many pairs are of one of `KINDS`."""
        return sum(pair.kind == kind for pair in self.pairs)

    def alone(self, metric: str) -> int:
        """How many pairs one metric decides, and no other does."""
        at = self.metrics.index(metric)
        return sum(pair.decisions[at] != 0 and not any(pair.decisions[:at] + pair.decisions[at + 1:])
                   for pair in self.pairs)


def pairs_across(results: Sequence[MetricResult]) -> list[PairAcross]:
    """The pairs that all metrics have tested, in the order of the first.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = compare(ts, ["bleu", "chrf", "ter"], trials=999)
    >>> [(pair.a, pair.relations, pair.kind) for pair in pairs_across(list(found.metrics.values()))]
    [('A', ('>', '>', '>'), 'agree')]
    """
    return _across([(result.tested, result.sign) for result in results])


def alike_said(pairs: Sequence[PairAcross]) -> str:
    """On how many pairs of systems metrics say the same, as a part of a sentence.

    >>> alike_said([PairAcross("A", "B", (1.0, 2.0), (1, 1)), PairAcross("A", "C", (1.0, 2.0), (0, 0), False)])
    'alike on 1 of 1 pair, opposite on 0; 1 more cannot be decided with so few trials or units'
    """
    kinds = Counter(pair.kind for pair in pairs)
    n, lost = kinds.total() - kinds[UNDECIDED], kinds[UNDECIDED]
    if lost and not n:
        return f"{'the pair' if lost == 1 else f'all {lost:,} pairs'} {FEW}"
    return (f"alike on {kinds[AGREE]:,} of {counted(n, 'pair')}, opposite on {kinds['opposite']:,}"
            + (f"; {lost:,} more {FEW}" if lost else ""))


def disputed_in(task: TaskComparison) -> list[Disputed]:
    """What the metrics of a task say together of its pairs of systems, in each language pair that has several of them,
    and of the mean differences across the language pairs.

    A language pair is judged by the metrics that it has. Mean differences are taken only where several metrics have the
    same language pairs: else they would be of other test sets.
    """
    found = [Disputed(pair, tuple(comparison.metrics), tuple(pairs_across(list(comparison.metrics.values()))))
             for pair, comparison in task.pairs.items() if len(comparison.metrics) > 1]
    macro = [result for result in task.macro.values() if result.pairs]
    macro = [result for result in macro if result.language_pairs == macro[0].language_pairs]
    if len(macro) > 1:
        tables = [(result.pairs, 1 if result.higher_is_better else -1) for result in macro]
        found.append(Disputed(None, tuple(result.metric for result in macro), tuple(_across(tables))))
    return [one for one in found if one.pairs]


def _across(results: Sequence[tuple[Sequence[PairResult | MacroPair], int]]) -> list[PairAcross]:
    """The pairs that all have; of each metric its pairs, and the sign that turns a difference into an improvement."""
    tables = []
    for pairs, sign in results:
        table = {}
        for pair in pairs:
            decision = {"a": 1, "b": -1, None: 0}[pair.better]
            table[pair.a, pair.b] = (sign * pair.delta, decision, pair.decidable)
            table[pair.b, pair.a] = (-sign * pair.delta, -decision, pair.decidable)
        tables.append(table)
    found = []
    for pair in results[0][0]:
        if all((pair.a, pair.b) in table for table in tables):
            improvements, decisions, can = zip(*(table[pair.a, pair.b] for table in tables), strict=True)
            found.append(PairAcross(pair.a, pair.b, improvements, decisions, all(can)))
    return found
