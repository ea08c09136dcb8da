"""How much may be read, and from where: uploads are measured before they take memory."""

from __future__ import annotations

import json
import os
import re
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
_NOT_ADDED_UP = (
    "line_length",
    "systems",
    "columns",
)  # limits of one line, of one test set, of one table


@dataclass(frozen=True)
class UploadLimits:
    """What may be opened at once from uploads; each is set by an environment variable, such as
    ``MTSIG_UPLOAD_MB``.
    """

    mb: int = field(
        default=50, metadata={"told": "{:,} MB of text"}
    )  # text, unpacked, of all files together
    #: Of all files together: lines of texts, segments of XML.
    lines: int = field(default=1_000_000, metadata={"told": "{:,} lines"})
    #: Characters of one line, or of one segment of XML.
    line_length: int = field(default=100_000, metadata={"told": "{:,} characters in a line"})
    #: Of all tables together: cells, or what stands between the commas of JSON.
    values: int = field(default=5_000_000, metadata={"told": "{:,} values in tables"})
    columns: int = field(default=5_000, metadata={"told": "{:,} columns in a table"})
    #: Of one test set, as all pairs of them are compared.
    systems: int = field(default=200, metadata={"told": "{:,} systems"})
    #: A zip as if all of it were unpacked; of that the files of one language pair are read.
    zip_mb: int = field(default=200, metadata={"told": "{:,} MB unpacked from a zip"})
    zip_files: int = field(default=10_000, metadata={"told": "{:,} files in a zip"})


@dataclass(frozen=True)
class LocalLimits:
    """What may be read of files that the user has named, as on the command line: more is most
    likely a mistake. Each is set by an environment variable, such as ``MTSIG_MAX_SYSTEMS``.
    """

    mb: int = field(default=2048, metadata={"told": "{:,} MB of text"})  # of one file, unpacked
    line_length: int = field(default=1_000_000, metadata={"told": "{:,} characters in a line"})
    columns: int = field(default=10_000, metadata={"told": "{:,} columns"})
    values: int = field(default=200_000_000, metadata={"told": "{:,} cells"})
    systems: int = field(default=1_000, metadata={"told": "{:,} systems"})


#: The variable that sets each.
UPLOAD_VARIABLES = {limit.name: _VARIABLE + limit.name.upper() for limit in fields(UploadLimits)}
LOCAL_VARIABLES = {
    limit.name: _LOCAL_VARIABLE + limit.name.upper() for limit in fields(LocalLimits)
}
_TOLD = {limit.name: str(limit.metadata["told"]) for limit in fields(LocalLimits)}


def upload_limits(environment: Mapping[str, str] = os.environ) -> UploadLimits:
    """The limits that the environment sets."""
    return UploadLimits(
        **{
            name: read_whole_number(variable, getattr(UploadLimits, name), environment)
            for name, variable in UPLOAD_VARIABLES.items()
        }
    )


def local_limit(name: str, environment: Mapping[str, str] = os.environ) -> int:
    """A limit of files that the user has named: `mb` in megabytes."""
    return read_whole_number(LOCAL_VARIABLES[name], getattr(LocalLimits, name), environment)


def check_local(name: str, n: int, where: str) -> None:
    """Refuse a file that has more than a local limit allows; `mb` is in bytes."""
    limit = local_limit(name)
    if n <= (limit << 20 if name == "mb" else limit):
        return
    size = -(-n >> 20) if name == "mb" else n
    told = _TOLD[name]
    raise InputError(
        f"{where} has {told.format(size)}. mtsig reads at most {told.format(limit)}, as more are most "
        "likely a mistake. Check that it is the right file. If it is, set the environment variable "
        f"{LOCAL_VARIABLES[name]} to {size} or more."
    )


def task_limits(environment: Mapping[str, str] = os.environ) -> UploadLimits:
    """The limits for a whole task from a zip: its text may be as large as the zip unpacked."""
    limits = upload_limits(environment)
    return replace(limits, mb=max(limits.mb, limits.zip_mb))


def read_whole_number(name: str, usual: int, environment: Mapping[str, str] = os.environ) -> int:
    """What the environment sets a limit to."""
    text = environment.get(name, "").strip() or str(usual)
    if not re.fullmatch("0*[1-9][0-9]{,17}", text):
        raise SettingError(
            f"{name} is {text[:40]!r}. Expected a whole number above 0, of 18 digits at most."
        )
    return int(text)


class _Budget:
    """What is left of some limits."""

    def __init__(self, limits: UploadLimits):
        self.limits, self.left = (
            limits,
            {limit.name: int(getattr(limits, limit.name)) for limit in fields(limits)},
        )
        self.left |= {name: self.left[name] << 20 for name in ("mb", "zip_mb")}  # as bytes
        self.spent: set[object] = set()  # on what counts once

    def spend(self, name: str, n: int, where: str) -> None:
        if n > self.left[name]:
            description = next(
                limit.metadata["told"] for limit in fields(self.limits) if limit.name == name
            )
            raise InputError(
                f"{where} is too large for this dashboard: it opens at most "
                f"{description.format(getattr(self.limits, name))} at once from uploads. Upload less at a "
                "time, run mtsig on your own machine, or ask whoever runs this server to raise "
                f"{_VARIABLE}{name.upper()}."
            )
        if name not in _NOT_ADDED_UP:
            self.left[name] -= n


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)
#: The folder that all files must lie in, links followed.
READING_BELOW: ContextVar[str | None] = ContextVar("below", default=None)


@contextmanager
def limit_reading(
    limits: UploadLimits | None = None, *, below: str | os.PathLike[str] | None = None
) -> Iterator[None]:
    """Within it no more than some limits is read, and only regular files below a folder, links
    followed; messages name files from there on, and what the system refuses to read is an
    InputError.
    """
    root = None if below is None else os.path.realpath(below)
    tokens = (
        _BUDGET.set(_BUDGET.get() if limits is None else _Budget(limits)),
        READING_BELOW.set(root or READING_BELOW.get()),
    )
    try:
        with hide_places({} if root is None else {root + os.sep: "", root: os.curdir}):
            yield
    except OSError as error:
        raise InputError(explain_unreadable(error)) from error
    finally:
        _BUDGET.reset(tokens[0])
        READING_BELOW.reset(tokens[1])


def explain_unreadable(error: OSError) -> str:
    """Message for what the system refuses: a folder that is closed, a name that is too long, a file
    that is gone.
    """
    name = (
        "A file, or the working folder,"
        if error.filename is None
        else show_name(os.fsdecode(error.filename))
    )
    name = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    return f"{name} cannot be read: {error.strerror or error}. Check its name, and who may read it."


def spend(name: str, n: int, where: str, once: object = None) -> None:
    """Take from a limit; `where` names the file in the message if there is not so much left.

    `mb` is in bytes; `once` is what counts a single time.
    """
    budget = _BUDGET.get()
    if budget is None:
        if name in _TOLD and name != "mb":  # of which a file comes bit by bit
            check_local(name, n, where)
        return
    if n > 0 and (name, once) not in budget.spent:
        budget.spend(name, n, where)
        budget.spent |= {(name, once)} if once is not None else set()


def count_left(name: str) -> int | None:
    """What is left of a limit, `zip_mb` in bytes; None where there is none."""
    budget = _BUDGET.get()
    return None if budget is None else budget.left[name]


def is_limited() -> bool:
    """Whether what is read now comes from strangers."""
    return _BUDGET.get() is not None


def check_values(n: int, where: str) -> None:
    """Refuse a table that would be made with so many places, most of them empty."""
    budget = _BUDGET.get()
    most = local_limit("values") if budget is None else budget.limits.values
    if n > most:
        raise InputError(
            f"{where}: systems and lines make a table of {n:,} places, too large to be one of scores, "
            f"which has at most {most:,}. Expected the same systems on each line, and the same names "
            "throughout."
        )


@contextmanager
def hide_places(replacements: Mapping[str, str]) -> Iterator[None]:
    """Within it messages say of some paths, or beginnings of paths, what is to be shown of them."""
    try:
        yield
    except MtsigError as error:
        message = str(error)
        for path in sorted(replacements.keys() - {"", os.sep}, key=len, reverse=True):
            message = _replace_path(message, path, replacements[path])
        if message == str(error):
            raise
        raise type(error)(message, *error.remedies) from None


def _replace_path(message: str, path: str, shown: str) -> str:
    """The message with a path, or the beginning of one, said otherwise; not where another name only
    begins alike.

    >>> _replace_path("No folder /a/b. There is /a/bc and /a/b/c.", "/a/b", "b")
    'No folder b. There is /a/bc and b/c.'
    """
    end = "" if path.endswith(os.sep) else r"(?![\w-]|\.\w)"
    return re.sub(re.escape(path) + end, lambda _: shown, message)


def list_replacements(named_from: str | None, *paths: str) -> dict[str, str]:
    """What `hide_places` is to show of some files and their folders; nothing where they are named
    as they come.
    """
    if named_from is None:
        return {}
    folders = {folder: Path(folder).name for folder in map(os.path.dirname, paths)}
    return {
        **folders,
        **{path: show_path(path, named_from) for path in paths},
        named_from + os.sep: "",
    }


def show_path(path: str, below: str | None) -> str:
    """A path from a folder on, its name alone where it lies elsewhere, the whole of it where no
    folder is named.
    """
    if below is None:
        return show_name(path)
    return show_name(
        os.path.relpath(path, below) if Path(path).is_relative_to(below) else Path(path).name
    )


# JSON as strangers write it: measured before it is parsed, and without halves of characters.

#: An escape, taken whole, so that what follows a backslash is never the beginning of another.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def parse_bounded_json(text: str, where: str, is_counted: bool = False) -> Any:
    r"""What a text of JSON says; half a character (a lone surrogate), which nothing could show, is
    written out. Raises ValueError if it is no JSON, or is nested too deep to be data.

    `is_counted`: whether its values were counted before, as those of one line are with their
    file's.

    Examples
    --------
    >>> parse_bounded_json('{"a": "\\ud83d\\ude00 \\ud800"}', "x.json")
    {'a': '😀 \\ud800'}
    """
    if not is_counted:
        spend("values", text.count(",") + text.count("[") + text.count("{"), where)
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(lambda found: f"\\\\{found[1]}" if found[1] else found[0], text)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in entries if keys.count(key) > 1)
            raise InputError(
                f"{where} has {show_name(twice)} twice in one object, and only one can be meant. Remove "
                "or rename one of them."
            )
        return entries

    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
