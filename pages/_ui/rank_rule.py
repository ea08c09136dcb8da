"""The control of how ranks are made, on the pages that show them."""

from __future__ import annotations

from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from pages._ui import controls

__all__ = ["pick"]

_PAGES = ("leaderboard", "task")
_USUAL = "simultaneous"


def pick(page: str, segment_means: bool = False) -> dict[str, str]:
    """Let the rule be chosen, on a page with ranks; the keyword argument of `mtsig_core.compare`, none for the usual.

    Parameters
    ----------
    page : str
    segment_means : bool
        Whether the metric is a mean of segment scores, of which some rules are made.
    """
    if page not in _PAGES:
        return {}
    ignored = "; ".join(f"{rule.title}: without account of {', '.join(rule.ignores)}"
                        for rule in RANK_RULES.values() if rule.ignores)
    rule = controls.choice("Ranks", list(fitting_rules(segment_means)), "rank_rule", format_func=_label, help=(
        "How ranks within a language pair are made of pairs of systems. Simultaneous rank intervals hold for all "
        f"systems together. Others, to compare with what was published: {ignored}. As WMT24 and as WMT25 need a "
        "metric of segment scores, and as WMT24 the domain of each segment."))
    return {} if rule == _USUAL else {"rank_rule": rule}


def _label(name: str) -> str:
    return RANK_RULES[name].title.removeprefix("by ")
