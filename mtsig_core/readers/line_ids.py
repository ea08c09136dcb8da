"""Texts that have an id in each line, like the texts of Kaldi and sclite.

Kaldi writes ``utt-001 text``, NIST's sclite ``text (utt-001)``. Without this module, the ids would
count as words that all systems translate correctly. If reference and outputs have the same ids,
mtsig removes the ids and sorts the lines in the order of the reference.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.lines import TextFile
from mtsig_core.testset import show_name

_FEWEST_LINES = 5  # in fewer, each line may well begin with another name that has a digit
_FEWEST_COUNTED = 10  # lines that begin with the numbers 1, 2, 3, ...
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
        return all(line_id.isdigit() for line_id in self.ids)


def find_line_ids(lines: Sequence[str | None]) -> LineIds | None:
    """Find the ids of a text that has a different id in each line; None for other texts.

    >>> found = find_line_ids([f"spk1-utt{k:03} some words" for k in range(5)])
    >>> found.ids[0], found.texts[0]
    ('spk1-utt000', 'some words')
    >>> find_line_ids(["F-16 or", "F-35 or", "COVID-19 and", "words", "GPT-4 are words"]) is None
    True
    """
    if len(lines) < _FEWEST_LINES:
        return None
    for form in _FORMS:
        line_ids = _split_lines(form, lines)
        if line_ids is not None and _are_ids(line_ids):
            return line_ids
    return None


def _split_lines(form: _Form, lines: Sequence[str | None]) -> LineIds | None:
    """The ids and texts of lines that are all of one form."""
    ids = []
    texts = []
    for line in lines:
        split_line = None if line is None else form.split(line)
        if split_line is None:
            return None
        line_id, text = split_line
        ids.append(line_id)
        texts.append(text)
    return LineIds(form, ids, texts)


def _are_ids(line_ids: LineIds) -> bool:
    """Whether these are ids: all different, all of one shape, with a text in most lines."""
    n = len(line_ids.ids)
    n_texts = sum(map(bool, line_ids.texts))
    shapes = {re.sub("[A-Za-z0-9]+", "w", line_id) for line_id in line_ids.ids}
    if n_texts <= n / 2 or len({*line_ids.ids}) < n or len(shapes) > 1:
        return False
    if not line_ids.are_counted:
        return True
    first = int(line_ids.ids[0])
    is_sequence = [int(line_id) for line_id in line_ids.ids] == [*range(first, first + n)]
    return n >= _FEWEST_COUNTED and first in (0, 1) and is_sequence


@dataclass(frozen=True)
class _WithIds:
    """A text whose lines have ids."""

    file: TextFile
    line_ids: LineIds

    @property
    def name(self) -> str:
        return show_name(self.file.path)

    @property
    def ids(self) -> list[str]:
        return self.line_ids.ids


def take_off_line_ids(
    files: Sequence[TextFile],
) -> tuple[Sequence[TextFile], tuple[Assumption, ...]]:
    """The files without the ids in their lines, in the order of the first, and what was assumed.

    Files without ids stay as they are. Raises InputError if only some files have ids, or other
    ids. A source may lack the ids.
    """
    with_ids: list[_WithIds] = []
    lacking: list[TextFile] = []
    for file in files:
        line_ids = find_line_ids(file.lines)
        if line_ids is not None:
            with_ids.append(_WithIds(file, line_ids))
        elif file.role != "source":
            lacking.append(file)
    scored = [text for text in with_ids if text.file.role != "source"]
    if not scored:
        return files, ()
    main = scored[0]
    if lacking:
        if all(text.line_ids.are_counted for text in scored):
            return files, ()  # a caution warns of a system that numbers its lines
        raise _explain_missing_ids(main, lacking[0])
    without_ids = {id(text.file): _put_in_order(main, text) for text in with_ids}
    changed = [without_ids.get(id(file), file) for file in files]
    moved = [text.name for text in with_ids if text.ids != main.ids]
    assumption = Assumption("line-ids", {"example": main.ids[0], "moved": moved})
    return changed, (assumption,)


def _put_in_order(main: _WithIds, text: _WithIds) -> TextFile:
    """The texts of a file, without ids, in the order of the main one."""
    text_by_id = dict(zip(text.ids, text.line_ids.texts, strict=True))
    if text_by_id.keys() != {*main.ids}:
        raise _explain_different_ids(main, text)
    return replace(text.file, lines=[text_by_id[line_id] for line_id in main.ids])


def _explain_missing_ids(text: _WithIds, lacking: TextFile) -> InputError:
    return InputError(
        f"{text.name} has an id in each line, such as {text.ids[0]}, and "
        f"{show_name(lacking.path)} has none. Expected the same ids in all texts, or none. Take them "
        f"off: {_write_command(text)}"
    )


def _explain_different_ids(main: _WithIds, text: _WithIds) -> InputError:
    text_ids = {*text.ids}
    for line_id in main.ids:
        if line_id not in text_ids:
            return InputError(
                f"{text.name} has no line with the id {line_id}, which {main.name} has. Expected the "
                "same ids in both. Add the line, or remove it from the other file."
            )
    main_ids = {*main.ids}
    line, line_id = next(
        (line, line_id) for line, line_id in enumerate(text.ids, 1) if line_id not in main_ids
    )
    return InputError(
        f"{text.name}, line {line} has the id {line_id}, which {main.name} does not have. Expected the "
        "same ids in both. Remove the line, or add it to the other file."
    )


def _write_command(text: _WithIds) -> str:
    """A shell command that writes a copy without the ids."""
    copy = re.sub(r"(\.txt)?(\.gz)?$", "", text.name) + ".texts.txt"
    file = shlex.quote(text.name)
    if text.name.endswith(".gz"):
        file = f"<(gzip -dc {file})"
    command = text.line_ids.form.command
    return command.replace("FILE", file).replace("COPY", shlex.quote(copy))
