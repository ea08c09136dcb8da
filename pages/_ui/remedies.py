"""What helps, in the words of the screen: controls of the side bar by their labels."""

from __future__ import annotations

from collections.abc import Iterable

from mtsig_core.errors import Remedy
from pages._ui.controls import TRIALS

__all__ = ["in_side_bar"]

#: The label of the control by the argument it gives; what is not here is given elsewhere than in the side bar.
LABELS = {"metrics": "Metric", "tokenize": "Tokenizer", "test": "Test", "correction": "Correction", "unit": "Unit",
          "trials": "Trials", "rank_rule": "Ranks", "exclude": "Leave out systems",
          "refs_as_systems": "References take part as systems"}


def in_side_bar(remedies: Iterable[Remedy]) -> str:
    """What the side bar has of them, as a sentence; empty where it has nothing.

    >>> in_side_bar([{"unit": "document"}, {"trials": 2345}, {"docs": "FILE"}, {"refs_as_systems": True}])
    'In the side bar: Unit = document, or Trials = 4999, or References take part as systems.'
    """
    told = [" with ".join(_set(name, value) for name, value in remedy.items()) for remedy in remedies
            if all(map(_is_there, *zip(*remedy.items(), strict=True)))]
    return f"In the side bar: {', or '.join(told)}." if told else ""


def _is_there(name: str, value: str | int) -> bool:
    """Whether the side bar has it; only the name of a system may be in capitals and not stand for what is to find."""
    if name == "trials":
        return int(value) <= TRIALS[-1]
    return name in LABELS and (name == "exclude" or not str(value).isupper())


def _set(name: str, value: str | int) -> str:
    if name == "trials":
        value = next(offered for offered in TRIALS if offered >= int(value))
    return LABELS[name] if value is True else f"{LABELS[name]} = {value}"
