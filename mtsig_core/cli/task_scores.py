"""`--scores PAIR:NAME=FILE` and `--run PAIR:NAME=FILE`: what joins one language pair of a shared task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mtsig_core.errors import SettingError

__all__ = ["add_task_scores", "of_pairs"]


def add_task_scores(add: Callable[..., Any]) -> None:
    add("--scores", action="append", default=[], metavar="PAIR:NAME=FILE",
        help="segment scores of one language pair, such as those of people, beside its texts; repeatable")
    add("--run", action="append", default=[], dest="runs", metavar="PAIR:NAME=FILE",
        help="output of a further training run of a system in one language pair; repeatable (docs/runs.md)")


def of_pairs(option: str, given: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """What the option says: language pair, name, file.

    >>> of_pairs("--scores", ["en-zh:esa=ratings.tsv"])
    (('en-zh', 'esa', 'ratings.tsv'),)
    """
    found = []
    for text in given:
        what, sign, path = text.partition("=")
        pair, colon, name = what.partition(":")
        if not (sign and colon and pair and name and path):
            example = "en-zh:esa=ratings.tsv" if option == "--scores" else "en-zh:GPT-4=run2.txt"
            raise SettingError(f"{option} {text}: expected PAIR:NAME=FILE, such as {example}: a task has several "
                               "language pairs.")
        found.append((pair, name, path))
    return tuple(found)
