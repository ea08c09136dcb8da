"""The warning that decisions and intervals differ, and which to go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtsig_core.inference.correction import FAMILY_WISE
from mtsig_core.inference.few_units import which_to_go_by
from mtsig_core.inference.significance import is_split
from mtsig_core.inference.text_cautions import named, plural
from mtsig_core.inference.ties import holds_zero
from mtsig_core.results import Caution, MetricResult, PairResult, Settings

__all__ = ["about_intervals", "go_by"]


def about_intervals(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where decisions do not agree with the intervals that hold as they do: for all pairs together, or for each."""
    jointly = settings.correction in FAMILY_WISE and len(result.tested) > 1
    ends = [(pair, pair.ci_joint_low, pair.ci_joint_high) if jointly else (pair, pair.ci_low, pair.ci_high)
            for pair in result.pairs  # of the others there is no decision to go by
            if pair.decidable and not is_split(pair, settings.alpha)]
    odd = [pair for pair, low, high in ends
           if low is not None and high is not None and pair.significant == holds_zero(low, high)]
    told = []
    for found, decided, zero in ((False, "not significant", "without"), (True, "significant", "with")):
        if n := sum(pair.significant is found for pair in odd):
            told.append(f"{n} {plural(n, 'pair')} that {'is' if n == 1 else 'are'} {decided} "
                        f"{'has' if n == 1 else 'have'} {'a simultaneous' if jointly else 'an'} interval of the "
                        f"difference {zero} 0 in it")
    if told:
        why = "Intervals and decisions are by different methods" if jointly else \
            "An interval is for its pair alone and by another method than the decision"
        steps = ", and a correction in steps may find more than intervals that hold together" \
            if settings.correction in ("holm", "romano-wolf") and jointly and any(pair.significant for pair in odd) \
            else ""
        yield Caution("interval-and-decision", f"{', and '.join(told)}. {why}{steps}. {go_by(settings, odd)}",
                      result.metric)


def go_by(settings: Settings, pairs: Sequence[PairResult]) -> str:
    """Which to go by in pairs whose decision and interval differ: the interval of significant ones whose swaps vary too
    little, the decision of the others."""
    unlike = [pair for pair in pairs if pair.significant and pair.unlike]
    if not unlike:
        return which_to_go_by(settings, pairs)
    n, most = len(pairs) - len(unlike), max(pair.swap_ratio or 0 for pair in unlike)
    which = f" for {len(unlike)} of these pairs ({named([f'{p.a} - {p.b}' for p in unlike])})" if n else ""
    rest = f" Go by the decision for the other{'' if n == 1 else f' {n}'}." if n else ""
    return (f"Go by the interval{which}: samples vary up to {most:.2f} times as much as swaps, as those of systems too "
            f"unlike to trade places, so p is too small.{rest}")
