"""The warning that ranks and decisions differ, as they are corrected otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from mtsig_core.errors import counted
from mtsig_core.inference.correction import FAMILY_WISE
from mtsig_core.inference.few_units import rank_correction
from mtsig_core.inference.text_cautions import named
from mtsig_core.results import Caution, MetricResult, Settings
from mtsig_core.results.task import MacroResult

__all__ = ["about_ranks", "otherwise_first"]


def about_ranks(settings: Settings, result: MetricResult) -> Iterator[Caution]:
    """Where ranks and decisions are corrected otherwise, unless they agree on who leads and both hold for all pairs."""
    own, differ = rank_correction(settings), otherwise_first(result)
    follows = settings.correction not in FAMILY_WISE
    if settings.correction != own and (differ or follows):
        yield Caution("ranks-and-correction", f"Rank intervals, and who may be first, are always corrected over all "
                                              f"pairs, here by {own}. Wins, losses and decisions follow the correction "
                                              f"{settings.correction}{', which does not' * follows}. "
                      + (f"So {differ}." if differ else "The two may differ."), result.metric)


def otherwise_first(result: MetricResult | MacroResult) -> str:
    """Whose decisions and ranks say otherwise of being the first, or of a pair, as a part of a sentence; empty where
    none do, or nobody has a rank."""
    if all(row.rank_low is None for row in result.systems):
        return ""
    decided = [pair for pair in result.pairs if pair.decidable]
    if result.pairs and not decided:
        return "no system can win or lose, though there are ranks"
    lost = {pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better is not None}
    wary = [row.system for row in result.systems if (row.rank_low or 1) > 1 and row.system not in lost]
    bold = [row.system for row in result.systems if row.rank_low == 1 and row.system in lost]
    told = [f"{named(names)} {'has' if len(names) == 1 else 'have'} {losses}, and {may} be the first"
            for names, losses, may in ((wary, "no significant loss", "may not"), (bold, "a significant loss", "may"))
            if names]
    ends = {row.system: (row.rank_low or 1, row.rank_high or len(result.systems)) for row in result.systems}
    apart = sum(ends[pair.a][1] < ends[pair.b][0] or ends[pair.b][1] < ends[pair.a][0]
                for pair in decided if pair.better is None)
    if apart:
        told.append(f"{counted(apart, 'pair')} of systems ranked apart {'is' if apart == 1 else 'are'} not significant")
    return "; ".join(told)
