"""Limits on the size and the place of files; uploads are measured before they take memory."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mtsig_core.errors import InputError, MtsigError, SettingError
from mtsig_core.testset import show_name

# Readers ask here: `spend` before they keep something, `check_values` before a table grows. Outside
# of `limit_reading`, as on the command line, the limits are `LocalLimits`, which protect from a
# wrong file.

_LONGEST = 200  # characters of a name in a message
_VARIABLE = "MTSIG_UPLOAD_"  # and the name of the limit in capitals
_LOCAL_VARIABLE = "MTSIG_MAX_"
#: Limits of one line, of one test set, and of one table, which are not added up.
_SINGLE_LIMITS = ("line_length", "systems", "columns")


def _limit(default: int, phrase: str) -> int:
    """A limit, and the phrase of messages about it."""
    limit: int = field(default=default, metadata={"phrase": phrase})
    return limit


@dataclass(frozen=True)
class UploadLimits:
    """Limits on uploads that are opened together.

    Each is set by an environment variable, such as ``MTSIG_UPLOAD_MB``.
    """

    mb: int = _limit(50, "{:,} MB of text")  # text, unpacked, of all files together
    #: Of all files together: lines of texts, segments of XML.
    lines: int = _limit(1_000_000, "{:,} lines")
    #: Characters of one line, or of one segment of XML.
    line_length: int = _limit(100_000, "{:,} characters in a line")
    #: Of all tables together: cells, or the values between the commas of JSON.
    values: int = _limit(5_000_000, "{:,} values in tables")
    columns: int = _limit(5_000, "{:,} columns in a table")
    #: Of one test set, as all pairs of them are compared.
    systems: int = _limit(200, "{:,} systems")
    #: A zip as if all of it were unpacked; of that the files of one language pair are read.
    zip_mb: int = _limit(200, "{:,} MB unpacked from a zip")
    zip_files: int = _limit(10_000, "{:,} files in a zip")


@dataclass(frozen=True)
class LocalLimits:
    """Limits on files that the user names, for example on the command line.

    A larger file is most likely a mistake. Each limit is set by an environment variable, such as
    ``MTSIG_MAX_SYSTEMS``.
    """

    mb: int = _limit(2048, "{:,} MB of text")  # of one file, unpacked
    line_length: int = _limit(1_000_000, "{:,} characters in a line")
    columns: int = _limit(10_000, "{:,} columns")
    values: int = _limit(200_000_000, "{:,} cells")
    systems: int = _limit(1_000, "{:,} systems")


#: The variable that sets each.
UPLOAD_VARIABLES = {limit.name: _VARIABLE + limit.name.upper() for limit in fields(UploadLimits)}
LOCAL_VARIABLES = {
    limit.name: _LOCAL_VARIABLE + limit.name.upper() for limit in fields(LocalLimits)
}
_LOCAL_PHRASES = {limit.name: str(limit.metadata["phrase"]) for limit in fields(LocalLimits)}
_UPLOAD_PHRASES = {limit.name: str(limit.metadata["phrase"]) for limit in fields(UploadLimits)}


def upload_limits(environment: Mapping[str, str] = os.environ) -> UploadLimits:
    """The limits that the environment sets."""
    limits = {}
    for name, variable in UPLOAD_VARIABLES.items():
        limits[name] = read_whole_number(variable, getattr(UploadLimits, name), environment)
    return UploadLimits(**limits)


def local_limit(name: str, environment: Mapping[str, str] = os.environ) -> int:
    """A limit of files that the user has named: `mb` in megabytes."""
    return read_whole_number(LOCAL_VARIABLES[name], getattr(LocalLimits, name), environment)


def check_local(name: str, n: int, location: str) -> None:
    """Refuse a file that has more than a local limit allows; `mb` is in bytes."""
    limit = local_limit(name)
    size = n
    if name == "mb":
        size = math.ceil(n / (1 << 20))
    if size <= limit:
        return
    phrase = _LOCAL_PHRASES[name]
    raise InputError(
        f"{location} has {phrase.format(size)}. mtsig reads at most {phrase.format(limit)}, as more are most "
        "likely a mistake. Check that it is the right file. If it is, set the environment variable "
        f"{LOCAL_VARIABLES[name]} to {size} or more."
    )


def task_limits(environment: Mapping[str, str] = os.environ) -> UploadLimits:
    """The limits for a whole task from a zip: its text may be as large as the zip unpacked."""
    limits = upload_limits(environment)
    return replace(limits, mb=max(limits.mb, limits.zip_mb))


def read_whole_number(name: str, usual: int, environment: Mapping[str, str] = os.environ) -> int:
    """Read a limit from the environment."""
    text = environment.get(name, "").strip() or str(usual)
    if not re.fullmatch("0*[1-9][0-9]{,17}", text):
        raise SettingError(
            f"{name} is {text[:40]!r}. Expected a whole number above 0, of 18 digits at most."
        )
    return int(text)


class _Budget:
    """What is left of some limits."""

    def __init__(self, limits: UploadLimits):
        self.limits = limits
        self.left = {name: int(getattr(limits, name)) for name in UPLOAD_VARIABLES}
        for name in ("mb", "zip_mb"):
            self.left[name] <<= 20  # as bytes
        self.spent: set[object] = set()  # on what counts once

    def spend(self, name: str, n: int, location: str) -> None:
        """Take from a limit."""
        if n > self.left[name]:
            amount = _UPLOAD_PHRASES[name].format(getattr(self.limits, name))
            raise InputError(
                f"{location} is too large for this dashboard: it opens at most {amount} at once from uploads. "
                "Upload less at a time, run mtsig on your own machine, or ask the person who runs this server to "
                f"raise {_VARIABLE}{name.upper()}."
            )
        if name not in _SINGLE_LIMITS:
            self.left[name] -= n


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)
#: The folder that all files must lie in, links followed.
READING_BELOW: ContextVar[str | None] = ContextVar("below", default=None)


@contextmanager
def limit_reading(
    limits: UploadLimits | None = None, *, below: str | os.PathLike[str] | None = None
) -> Iterator[None]:
    """Limit, within this context, how much is read, and allow only regular files below a folder.

    Links are followed. Messages name files relative to that folder. A file that the system refuses
    to read is an InputError.
    """
    budget = _BUDGET.get() if limits is None else _Budget(limits)
    root = READING_BELOW.get()
    replacements = {}
    if below is not None:
        root = os.path.realpath(below)
        replacements = {root + os.sep: "", root: os.curdir}
    budget_token = _BUDGET.set(budget)
    root_token = READING_BELOW.set(root)
    try:
        with hide_places(replacements):
            yield
    except OSError as error:
        raise InputError(explain_unreadable(error)) from error
    finally:
        _BUDGET.reset(budget_token)
        READING_BELOW.reset(root_token)


def explain_unreadable(error: OSError) -> str:
    """Message for what the system refuses, such as a folder that is closed."""
    name = "A file, or the working folder,"
    if error.filename is not None:
        name = show_name(os.fsdecode(error.filename))
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}..."
    return f"{name} cannot be read: {error.strerror or error}. Check its name, and who may read it."


def spend(name: str, n: int, location: str, once: object = None) -> None:
    """Take from a limit; `location` names the file in the message if there is not so much left.

    `mb` is in bytes; `once` is what counts a single time.
    """
    budget = _BUDGET.get()
    if budget is None:
        if name in _LOCAL_PHRASES and name != "mb":  # which is checked chunk by chunk
            check_local(name, n, location)
        return
    if n > 0 and (name, once) not in budget.spent:
        budget.spend(name, n, location)
        if once is not None:
            budget.spent.add((name, once))


def count_left() -> int | None:
    """Return how many bytes of archives may still be unpacked; None without a limit."""
    budget = _BUDGET.get()
    return None if budget is None else budget.left["zip_mb"]


def is_limited() -> bool:
    """Whether the present files come from visitors, so that limits apply."""
    return _BUDGET.get() is not None


def check_values(n: int, location: str) -> None:
    """Refuse a table that would be made with so many places, most of them empty."""
    budget = _BUDGET.get()
    max_values = local_limit("values") if budget is None else budget.limits.values
    if n > max_values:
        raise InputError(
            f"{location}: systems and lines make a table of {n:,} places, too large to be one of scores, "
            f"which has at most {max_values:,}. Expected the same systems on each line, and the same names "
            "throughout."
        )


@contextmanager
def hide_places(replacements: Mapping[str, str]) -> Iterator[None]:
    """Replace, within this context, some paths or beginnings of paths in messages."""
    try:
        yield
    except MtsigError as error:
        message = str(error)
        for path in sorted(replacements.keys() - {"", os.sep}, key=len, reverse=True):
            message = _replace_path(message, path, replacements[path])
        if message == str(error):
            raise
        raise type(error)(message, *error.remedies) from None


def _replace_path(message: str, path: str, replacement: str) -> str:
    """The message with another path, or beginning of one; not where a longer name begins so.

    >>> _replace_path("No folder /a/b. There is /a/bc and /a/b/c.", "/a/b", "b")
    'No folder b. There is /a/bc and b/c.'
    """
    end = "" if path.endswith(os.sep) else r"(?![\w-]|\.\w)"
    return re.sub(re.escape(path) + end, lambda _: replacement, message)


def list_replacements(named_from: str | None, *paths: str) -> dict[str, str]:
    """List the names that `hide_places` shows for some files and folders, seen from `named_from`.

    The result is empty if `named_from` is None.
    """
    if named_from is None:
        return {}
    folders = {folder: Path(folder).name for folder in map(os.path.dirname, paths)}
    files = {path: show_path(path, named_from) for path in paths}
    return {**folders, **files, named_from + os.sep: ""}


def show_path(path: str, below: str | None) -> str:
    """Return a path relative to a folder; its name if elsewhere; the full path without a folder."""
    if below is None:
        return show_name(path)
    if Path(path).is_relative_to(below):
        return show_name(os.path.relpath(path, below))
    return show_name(Path(path).name)


# JSON as strangers write it: measured before it is parsed, and without halves of characters.

#: An escape, taken whole, so that what follows a backslash is never the beginning of another.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _write_out_half(match: re.Match[str]) -> str:
    """Return an escape unchanged, or, for half a character, with its backslash escaped."""
    half: str | None = match[1]
    return match[0] if half is None else f"\\\\{half}"


def parse_bounded_json(text: str, location: str, is_counted: bool = False) -> Any:
    r"""Parse a text as JSON; half a character (a lone surrogate) becomes the text of its escape.

    Raises ValueError if the text is not JSON, or is nested too deep to be data. `is_counted`:
    whether its values were counted before, as part of the file that has the text as a line.

    Examples
    --------
    >>> parse_bounded_json('{"a": "\\ud83d\\ude00 \\ud800"}', "x.json")
    {'a': '😀 \\ud800'}
    """
    if not is_counted:
        spend("values", text.count(",") + text.count("[") + text.count("{"), location)
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(_write_out_half, text)

    def refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
            raise InputError(
                f"{location} has {show_name(key)} twice in one object, so the file is ambiguous. Remove "
                "or rename one of them."
            )
        return entries

    try:
        return json.loads(text, object_pairs_hook=refuse_repeated)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
