"""The warning that decisions and intervals differ, and which to go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtsig_core.inference.correction import FAMILY_WISE
from mtsig_core.inference.few_units import which_to_go_by
from mtsig_core.inference.significance import is_split
from mtsig_core.inference.text_cautions import named, plural
from mtsig_core.inference.ties import holds_zero
from mtsig_core.results import Caution, MetricResult, PairResult, Settings

__all__ = ["about_intervals"]


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
        unlike = [pair for pair in odd if pair.significant and pair.unlike]
        advice = [which_to_go_by(settings, odd)] if len(unlike) < len(odd) else []
        yield Caution("interval-and-decision", f"{', and '.join(told)}. {why}{steps}. " + " ".join(
            [*advice, *_but(unlike, len(odd))]), result.metric)


def _but(unlike: Sequence[PairResult], n: int) -> Iterator[str]:
    """What to do instead for significant pairs whose swaps vary too little, of n; nothing where there are none."""
    if not unlike:
        return
    most = max(pair.swap_ratio or 0 for pair in unlike)
    which = "There" if n == len(unlike) else \
        f"Not so of {len(unlike)} of them ({named([f'{p.a} - {p.b}' for p in unlike])}):"
    yield (f"{which} samples vary up to {most:.2f} times as much as swaps, as of systems too unlike to trade places, "
           "so p is too small: go by the interval.")
