"""Texts that have an id in each line: Kaldi's ``utt-001 text``, and ``text (utt-001)`` of NIST's
sclite.

Scored as they are, the ids count as words that all systems have right. Where reference and outputs
have the same ids, mtsig takes them off, and puts the lines in the order of the reference.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.files import FilePath
from mtsig_core.testset import show_name

_FEWEST_LINES = 5  # in fewer, each line may well begin with another name that has a digit
_FEWEST_COUNTED = 10  # lines that begin with the numbers 1, 2, 3, ...
_SAMPLE = 50  # lines that are looked at before all are
_ID = r"(?=[A-Za-z_./#-]*\d)[A-Za-z0-9](?:[A-Za-z0-9_./#-]*[A-Za-z0-9])?"


@dataclass(frozen=True)
class _Form:
    """A way to write an id in a line."""

    pattern: re.Pattern[str]  # with the groups id and text
    command: str  # of a shell, which takes the ids off

    def split(self, line: str) -> tuple[str, str] | None:
        """The id and the text of a line."""
        match = self.pattern.fullmatch(line)
        return None if match is None else (match["id"], match["text"] or "")


_FORMS = (
    _Form(
        re.compile(
            rf"\s*[\[(<]?(?P<id>{_ID})(?:[\])>.]?:?(?:\s+|\s*\|\s*)(?P<text>.*))?", re.DOTALL
        ),
        r"sed -E 's/^[^ |]+[ |]+//' FILE > COPY",
    ),
    _Form(
        re.compile(rf"(?P<text>.*?)\s*\((?P<id>{_ID})\)\s*", re.DOTALL),
        r"sed -E 's/ *\([^()]*\)$//' FILE > COPY",
    ),
)


@dataclass(frozen=True)
class LineIds:
    """The ids in the lines of a text, and the texts without them."""

    form: _Form
    ids: list[str]
    texts: list[str]

    @property
    def are_counted(self) -> bool:
        """Whether they only count the lines."""
        return all(one.isdigit() for one in self.ids)


def find_line_ids(lines: Sequence[str | None]) -> LineIds | None:
    """The ids of a text that has another one in each line; None of other texts.

    >>> found = find_line_ids([f"spk1-utt{k:03} some words" for k in range(5)])
    >>> found.ids[0], found.texts[0]
    ('spk1-utt000', 'some words')
    >>> find_line_ids(["F-16 or", "F-35 or", "COVID-19 and", "words", "GPT-4 are words"]) is None
    True
    """
    if len(lines) < _FEWEST_LINES:
        return None
    for form in _FORMS:
        if all(line is not None and form.split(line) for line in islice(lines, _SAMPLE)):
            parts = [form.split(line) if line is not None else None for line in lines]
            whole = [part for part in parts if part is not None]
            found = LineIds(form, [own for own, _ in whole], [text for _, text in whole])
            if len(whole) == len(parts) and _are_ids(found):
                return found
    return None


def _are_ids(found: LineIds) -> bool:
    """Whether these are ids: each another one, all of one shape, with a text in most lines."""
    n = len(found.ids)
    has_texts = sum(map(bool, found.texts)) > n / 2
    shapes = {re.sub("[A-Za-z0-9]+", "w", own) for own in found.ids}
    if not has_texts or len({*found.ids}) < n or len(shapes) > 1:
        return False
    if not found.are_counted:
        return True
    first = int(found.ids[0])
    return (
        n >= _FEWEST_COUNTED
        and first in (0, 1)
        and [int(own) for own in found.ids] == [*range(first, first + n)]
    )


@dataclass(frozen=True)
class TextFile:
    """A text, and the file that it is from."""

    path: FilePath
    lines: Sequence[str | None]
    is_scored: bool = True  # a source is not, and may lack the ids


@dataclass(frozen=True)
class _WithIds:
    """A text whose lines have ids."""

    file: TextFile
    found: LineIds


def take_off_line_ids(files: Sequence[TextFile]) -> tuple[Callable[[Any], Any], Assumption | None]:
    """A function that gives the lines of a file without their ids, in the order of the first file,
    and what was assumed. It gives other lines as they are. Raises InputError if only some files
    have ids, or other ids.
    """
    found = [find_line_ids(file.lines) for file in files]
    having = [
        _WithIds(file, own) for file, own in zip(files, found, strict=True) if own is not None
    ]
    lacking = [
        file for file, own in zip(files, found, strict=True) if own is None and file.is_scored
    ]
    scored = [one for one in having if one.file.is_scored]
    are_counted = all(one.found.are_counted for one in scored)
    if not scored or (
        lacking and are_counted
    ):  # of a system that numbers its lines, a caution warns
        return _keep, None
    if lacking:
        raise _explain_missing_ids(scored[0], lacking[0])
    main = scored[0]
    bare = {id(one.file.lines): _put_in_order(main, one) for one in having}
    moved = [show_name(one.file.path) for one in having if one.found.ids != main.found.ids]
    return lambda lines: bare.get(id(lines), lines), Assumption(
        "line-ids", {"example": main.found.ids[0], "moved": moved}
    )


def _keep(lines: Any) -> Any:
    return lines


def _put_in_order(main: _WithIds, one: _WithIds) -> list[str]:
    """The texts of a file in the order of the main one."""
    text_of = dict(zip(one.found.ids, one.found.texts, strict=True))
    if text_of.keys() != {*main.found.ids}:
        raise _explain_other_ids(main, one)
    return [text_of[own] for own in main.found.ids]


def _explain_missing_ids(having: _WithIds, lacking: TextFile) -> InputError:
    return InputError(
        f"{show_name(having.file.path)} has an id in each line, such as {having.found.ids[0]}, and "
        f"{show_name(lacking.path)} has none. Expected the same ids in all texts, or none. Take them "
        f"off: {_write_command(having)}"
    )


def _explain_other_ids(main: _WithIds, one: _WithIds) -> InputError:
    known, own = {*main.found.ids}, {*one.found.ids}
    name, main_name = show_name(one.file.path), show_name(main.file.path)
    missing = next((line_id for line_id in main.found.ids if line_id not in own), None)
    if missing is not None:
        return InputError(
            f"{name} has no line with the id {missing}, which {main_name} has. Expected the same ids in "
            "both. Add the line, or remove it from the other file."
        )
    line, further = next(
        (k, line_id) for k, line_id in enumerate(one.found.ids, 1) if line_id not in known
    )
    return InputError(
        f"{name}, line {line} has the id {further}, which {main_name} has not. Expected the same ids in "
        "both. Remove the line, or add it to the other file."
    )


def _write_command(one: _WithIds) -> str:
    """A shell command that writes a copy without the ids."""
    name = show_name(one.file.path)
    copy = re.sub(r"(\.txt)?(\.gz)?$", "", name) + ".texts.txt"
    file = f"<(gzip -dc {shlex.quote(name)})" if name.endswith(".gz") else shlex.quote(name)
    return one.found.form.command.replace("FILE", file).replace("COPY", shlex.quote(copy))
