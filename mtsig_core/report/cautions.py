"""Warnings as texts, with what helps in the words of whoever shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.commands import defaults
from mtsig_core.results import Caution, Comparison

__all__ = ["caution_texts", "group_cautions", "in_a_task"]


#: Warnings that name the metric themselves.
_NAME_IT = ("partly-rated", "rated-on-different-lines", "split-decision", "cannot-tell-apart", "few-differences")


def caution_texts(comparison: Comparison) -> list[str]:
    """The texts of the warnings of a comparison, each with the metric that it is about where there are several."""
    several = len(comparison.metrics) > 1
    return [_about(caution, several) + caution.text for caution in comparison.warnings]


def _about(caution: Caution, several: bool) -> str:
    if not several or caution.metric is None or caution.code in _NAME_IT or caution.code == f"{caution.metric}-size":
        return ""
    return f"{metric_title(caution.metric)}: "


def group_cautions(cautions: Iterable[Caution], shown: int = 3, several: bool = False,
                   say: Callable[[Sequence[Remedy]], str] = lambda remedies: "") -> list[list[str]]:
    """The texts of warnings, a list for each kind and metric; what goes beyond `shown` of a kind is counted.

    Where there are `several` metrics, each text begins with the one that it is about; where it is known what helps, the
    last of a kind ends with what `say` makes of that.
    """
    kinds: dict[tuple[str, str | None], list[Caution]] = {}
    for caution in cautions:
        kinds.setdefault((caution.code, caution.metric), []).append(caution)
    groups = []
    for kind in kinds.values():
        texts = [_about(caution, several) + caution.text for caution in kind[:shown]]
        texts += [f"... and {len(kind) - shown} more of this kind."] if len(kind) > shown else []
        helps = {str(remedy): remedy for caution in kind[:shown] for remedy in caution.remedies}  # each once
        groups.append([*texts[:-1], f"{texts[-1]} {say([*helps.values()])}".rstrip()])
    return groups


def in_a_task(cautions: Iterable[Caution]) -> list[Caution]:
    """Warnings of a language pair of a shared task: what helps there is what a task can be told, so no tokenizer."""
    can_be_told = {"metrics", "exclude", *defaults("task")}
    return [replace(caution, remedies=tuple(one for one in caution.remedies if one.keys() <= can_be_told))
            for caution in cautions]
