"""The options that name a whole shared task, for `task`, `serve` and `agreement`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Any

from mtsig_core.cli.source_options import AddUp, names
from mtsig_core.data.task_source import TaskSource
from mtsig_core.errors import SettingError

__all__ = ["add_pairs", "add_task_scores", "refuse_of_one_pair", "task_source"]

#: Options of commands that take one language pair or a whole task, which say nothing of a whole task.
_OF_ONE_PAIR = ("langpair", "domain", "tokenize", "lowercase", "ids", "parse")


def add_pairs(add: Callable[..., Any]) -> None:
    add("--pairs", type=names, action=AddUp, metavar="XX-YY,...",
        help="these language pairs of the task alone (default: all)")


def add_task_scores(add: Callable[..., Any]) -> None:
    add("--scores", action="append", default=[], metavar="PAIR:NAME=FILE",
        help="segment scores of one language pair, such as those of people, beside its texts; repeatable")
    add("--run", action="append", default=[], dest="runs", metavar="PAIR:NAME=FILE",
        help="output of a further training run of a system in one language pair; repeatable (docs/runs.md)")


def refuse_of_one_pair(args: Namespace, **more: object) -> None:
    """Refuse the options that are for one language pair where a whole task is asked for; `more` are further ones."""
    given = {key: getattr(args, key, None) for key in _OF_ONE_PAIR} | more  # not each command has all of them
    for key, value in given.items():
        if value:
            raise SettingError(f"--{key.replace('_', '-')} is for one language pair, and all are asked for. Leave it "
                               "out, or choose one with --langpair.")


def task_source(args: Namespace, **more: Any) -> TaskSource:
    """The task that the options name, not read; `more` are further fields of it."""
    return TaskSource(args.folder, args.pairs or (), lower_is_better=tuple(args.lower_is_better),
                      higher_is_better=tuple(args.higher_is_better), keep_canary=args.keep_canary,
                      systems_table=args.systems_table, keep_withdrawn=args.keep_withdrawn,
                      scores=_of_pairs("--scores", args.scores), run=_of_pairs("--run", args.runs), **more)


def _of_pairs(option: str, given: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """What the option says: language pair, name, file.

    >>> _of_pairs("--scores", ["en-zh:esa=ratings.tsv"])
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
