"""`--scores PAIR:NAME=FILE`: segment scores of one language pair of a shared task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mtsig_core.errors import SettingError

__all__ = ["add_task_scores", "task_scores"]


def add_task_scores(add: Callable[..., Any]) -> None:
    add("--scores", action="append", default=[], metavar="PAIR:NAME=FILE",
        help="segment scores of one language pair, such as those of people, beside its texts; repeatable")


def task_scores(given: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """What the option says: language pair, name, file.

    >>> task_scores(["en-zh:esa=ratings.tsv"])
    (('en-zh', 'esa', 'ratings.tsv'),)
    """
    found = []
    for text in given:
        what, sign, path = text.partition("=")
        pair, colon, name = what.partition(":")
        if not (sign and colon and pair and name and path):
            raise SettingError(f"--scores {text}: expected PAIR:NAME=FILE, such as en-zh:esa=ratings.tsv: a task "
                               "has several language pairs.")
        found.append((pair, name, path))
    return tuple(found)
