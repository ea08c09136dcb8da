"""Results as rows of numbers, for files: what is undefined is None, and an interval is two columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mtsig_core.inference.across_metrics import KINDS, RELATIONS, pairs_across
from mtsig_core.results import MetricResult, PairResult, Settings

__all__ = ["Records", "leaderboard_records", "matrix_records", "pair_records", "relation_records"]

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
