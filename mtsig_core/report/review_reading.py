"""A review read back from the JSON of a task that it is part of, and the command that takes it from there."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mtsig_core.data.readers.lines import FilePath, read_bytes, shown
from mtsig_core.data.review import CHANGES, Begin, Change, Entry, Review, TakeBack, check_lengths, replay
from mtsig_core.data.task_source import TaskSource
from mtsig_core.errors import InputError, MtsigError
from mtsig_core.inference.task_comparison import compare_task
from mtsig_core.report.commands import task_command
from mtsig_core.report.export import file_name, to_json
from mtsig_core.report.json_reading import as_object, at, parsed, record, typed
from mtsig_core.report.review_report import review_record

__all__ = ["read_review", "review_command"]

#: What a review may set, and the type of it.
_SETTINGS = {name: str(one.annotation) for name, one in inspect.signature(compare_task).parameters.items()
             if name not in ("task", "metrics", "by_reference", "exclude", "jobs", "progress")}
_LATEST = 1e11  # seconds since 1970, in the year 5138


def read_review(path: FilePath) -> tuple[Entry, ...]:
    """The history of a review, from the JSON that the page Review gives, as `task_json` writes it.

    Raises
    ------
    InputError
        In one message, if the file is damaged, is something else, or what stands in it is not what its history makes.
    """
    data = read_bytes(path, "the JSON of a task that the page Review gives")[0]
    try:
        whole = as_object(parsed(data.decode("utf-8-sig")), "The file")
        return _history(as_object(at("review", whole, "The file"), "review"))
    except (MtsigError, UnicodeDecodeError) as error:
        said = "It is not UTF-8 text." if isinstance(error, UnicodeDecodeError) else str(error)
        said = said.removesuffix(" Expected what mtsig writes.")
        raise InputError(f"{shown(path)} cannot be read as a review. {said} Give the JSON that the page Review offers "
                         "under 'Take it away', as it was saved.") from None


def review_command(source: TaskSource, task: str, review: Review) -> str:
    """The command line that prints numbers, decisions and notes of a review; its file is named as the page names it.

    >>> review_command(TaskSource("wmt25", track="constrained"), "wmt25", Review("wmt25", None, "", {}, "X", {}))
    'mtsig task --folder wmt25 --review wmt25-X-review.json'
    """
    return task_command(replace(source, track=None, exclude=(), refs=(), refs_as_systems=False),
                        review=file_name(task, review.metric, "review", ending="json"))


def _history(data: dict[str, Any]) -> tuple[Entry, ...]:
    steps = at("history", data, "review")
    if not isinstance(steps, list) or not steps:
        raise InputError("review: history is not a list of steps.")
    history = tuple(_entry(k, as_object(step, f"review: step {k}")) for k, step in enumerate(steps, 1))
    settings = replay(history).settings
    for name, value in settings.items():
        if name not in _SETTINGS:
            raise InputError(f"review: settings has {name[:40]!r}, which this version of mtsig does not know.")
        typed(_SETTINGS[name], value, f"review: settings: {name}")
    _check_whole(history, data)
    return history


def _entry(number: int, step: dict[str, Any]) -> Entry:
    where = f"review: step {number}"
    told = dict(as_object(at("change", step, where), where))
    kind = CHANGES.get(str(told.pop("kind", None)))
    if kind is None or (kind is Begin) != (number == 1):
        raise InputError(f"{where} is of a kind that is not expected there.")
    change: Change = record(kind, told, where)
    check_lengths(change)
    if isinstance(change, TakeBack) and not 1 < change.number < number:
        raise InputError(f"{where} takes back step {change.number}, which is not one before it.")
    when = typed("float", at("at", step, where), f"{where}: at")
    if not 0 <= when < _LATEST:
        raise InputError(f"{where}: at is {str(when)[:20]}, which is no time.")
    return Entry(number, when, change)


def _check_whole(history: Sequence[Entry], data: dict[str, Any]) -> None:
    """What stands in the file must be what its history makes: else somebody changed one of them."""
    for name, value in json.loads(to_json(review_record(history))).items():
        if name != "history" and data.get(name) != value:
            raise InputError(f"review: {name} is not what its history makes. Change a review on the page Review, not "
                             "in its file.")
