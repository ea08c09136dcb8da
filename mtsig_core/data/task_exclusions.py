"""Systems that are left out of a shared task: in all language pairs or in one, each with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from mtsig_core.data.task import Task
from mtsig_core.errors import SettingError, unknown

__all__ = ["TaskExclusion", "exclusion_text", "read_exclusions", "without"]

_SPECIAL = re.compile(r"([\\,=:]|^\s|\s$)")
_PART = re.compile(r"\s*((?:\\.|[^\\,])+?)\s*(?:,|$)", re.DOTALL)


@dataclass(frozen=True)
class TaskExclusion:
    """A system that is left out of a shared task.

    Attributes
    ----------
    system : str
    reason : str
        Empty where nobody said one.
    pair : str or None
        The language pair; None for all.
    """

    system: str
    reason: str = ""
    pair: str | None = None


def without(task: Task, exclude: Iterable[TaskExclusion]) -> Task:
    """The same task without these systems; a language pair of which none is left is left out.

    Raises
    ------
    SettingError
        For a system or language pair that is not there, and where nothing would be left.
    """
    exclude = list(exclude)
    gone: dict[str, set[str]] = {pair: {one.system for one in exclude if one.pair is None} for pair in task.testsets}
    for one in exclude:
        if one.system not in task.systems:
            raise unknown("system", one.system, task.systems)
        if one.pair is not None:
            if one.pair not in gone:
                raise unknown("language pair", one.pair, task.testsets)
            if one.system not in task.testsets[one.pair].systems:
                raise unknown(f"system of {one.pair}", one.system, task.testsets[one.pair].systems)
            gone[one.pair].add(one.system)
    rest = {pair: testset.without(gone[pair] & testset.systems.keys()) if gone[pair] & testset.systems.keys() else
            testset for pair, testset in task.testsets.items() if testset.systems.keys() - gone[pair]}
    if not rest:
        raise SettingError(f"{task.name}: every system of every language pair is left out. Leave one in.")
    here = {name for testset in rest.values() for name in testset.systems}
    return replace(task, testsets=rest, systems={name: info for name, info in task.systems.items() if name in here})


def read_exclusions(texts: Iterable[str], systems: Iterable[str], pairs: Iterable[str]) -> tuple[TaskExclusion, ...]:
    r"""Exclusions from what an option says: ``[PAIR:]NAME,...[=REASON]``.

    A comma, colon, equals sign or backslash of a name has a backslash before it. A colon after no language pair, and
    an equals sign after no system, belong to the name also without.

    Examples
    --------
    >>> for one in read_exclusions(["A,B=late", "en-de:C", r"x\,y"], ["A", "B", "C", "x,y"], ["en-de"]):
    ...     print(one.system, one.pair, one.reason or "-")
    A None late
    B None late
    C en-de -
    x,y None -
    """
    systems, pairs = set(systems), set(pairs)
    found: dict[tuple[str | None, str], TaskExclusion] = {}
    for text in texts:
        named, _, reason = _cut(text, "=")
        entries = [_entry(part, reason, pairs) for part in _PART.findall(named) if part.strip()]
        if not {one.system for one in entries} <= systems and _entry(text, "", pairs).system in systems:
            entries = [_entry(text, "", pairs)]
        if not entries:
            raise SettingError(f"--exclude {text!r} names no system. Expected NAME, NAME=REASON or PAIR:NAME=REASON.")
        for one in entries:
            before, _, after = _cut(text, ":")
            if one.system not in systems and _plain(_cut(after, "=")[0]) in systems:
                raise unknown("language pair", _plain(before), sorted(pairs))
            if one.system not in systems:
                raise unknown("system", one.system, sorted(systems))
            found[one.pair, one.system] = one
    return tuple(found.values())


def exclusion_text(one: TaskExclusion) -> str:
    r"""What `read_exclusions` reads as this one.

    >>> exclusion_text(TaskExclusion("a=b", "late, = too", "en-de"))
    'en-de:a\\=b=late, = too'
    """
    name = _SPECIAL.sub(r"\\\1", one.system)
    where = "" if one.pair is None else _SPECIAL.sub(r"\\\1", one.pair) + ":"
    return f"{where}{name}={one.reason}" if one.reason else f"{where}{name}"


def _entry(text: str, reason: str, pairs: set[str]) -> TaskExclusion:
    before, colon, after = _cut(text, ":")
    pair = _plain(before)
    if colon and pair in pairs:
        return TaskExclusion(_plain(after), reason, pair)
    return TaskExclusion(_plain(text), reason)


def _cut(text: str, sign: str) -> tuple[str, str, str]:
    """As `str.partition`, but not at a sign with a backslash before it."""
    found = re.match(rf"((?:\\.|[^\\{sign}])*){sign}", text, re.DOTALL)
    return (text, "", "") if found is None else (found[1], sign, text[found.end():])


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
