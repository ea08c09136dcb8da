"""Uploaded files: the contents of an archive, and files that form a shared task together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from mtsig_core import InputError
from mtsig_core.readers.published_values import (
    PublishedValues,
    join_published,
    read_published_uploads,
)
from mtsig_core.readers.task_names import xml_names
from mtsig_core.readers.uploads import (
    NamedContents,
    are_documents,
    are_ratings,
    arrange_automatic_scores,
    arrange_task,
    holds_files,
    pack_files,
)
from pages._ui import testsets
from pages._work.memory import LOADED

ARCHIVE = r"(?i)\.(zip|tar|tgz|tar\.\w+)$"  # the end of a name


class FileLike(Protocol):
    """A file that was uploaded, or what takes its place."""

    name: str
    file_id: str
    size: int

    def getvalue(self) -> bytes:
        """The content."""


@dataclass(frozen=True)
class Unpacked:
    """A file of an archive, or a zip made of files, in the place of an uploaded file."""

    name: str
    content: bytes
    file_id: str

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)

    def getvalue(self) -> bytes:
        """The content."""
        return self.content


def key_of(purpose: str, files: Sequence[FileLike]) -> tuple[str, ...]:
    """The key under which something made of these files is kept."""
    return (purpose, *(file.file_id for file in files))


def is_archive(file: FileLike) -> bool:
    """Return whether a file is an archive, by its name or its content."""
    if file.name.lower().endswith(".zip"):
        return True
    return LOADED.make(key_of("archive", [file]), lambda: holds_files(file.getvalue()))


def unpack_all(files: Sequence[FileLike]) -> list[FileLike]:
    """Return the files; an archive that is not a task is replaced by the files in it."""
    unpacked: list[FileLike] = []
    for file in files:
        unpacked += _unpack(file)
    return unpacked


def _unpack(file: FileLike) -> list[FileLike]:
    """Return the files of an archive that is no shared task; else the file itself."""
    if not is_archive(file):
        return [file]
    members = LOADED.make(
        key_of("files", [file]), lambda: testsets.unpack_files(file.getvalue(), file.name)
    )
    if not members:
        return [file]
    return [
        Unpacked(name, content, f"{file.file_id}.{k}") for k, (name, content) in enumerate(members)
    ]


def join_archives(files: Sequence[FileLike]) -> Unpacked:
    """Return one zip of archives and files, such as a task and its ratings."""

    def join() -> Unpacked:
        members: NamedContents = []
        for file in files:
            if is_archive(file):
                members += testsets.list_members(file.getvalue(), file.name)
            else:
                members.append((testsets.zip_name(file.name), file.getvalue()))
        first = next(file for file in files if is_archive(file))
        name = re.sub(ARCHIVE, "", testsets.zip_name(first.name)) + ".zip"
        return _pack(name, members, files)

    return LOADED.make(key_of("joined", files), join, lambda joined: joined.size)


def find_published(files: Sequence[FileLike]) -> PublishedValues | None:
    """Return the published scores of systems in files that all have such; else None."""

    def find() -> PublishedValues | None:
        published = read_published_uploads((file.name, file.getvalue()) for file in files)
        return join_published(published) if len(published) == len(files) else None

    return LOADED.make(key_of("published", files), find)


def pack_task(files: Sequence[FileLike], roles: Sequence[str]) -> Unpacked | None:
    """Return a zip of files that are a task; None for other files.

    The files are ratings as published, or of several language pairs: tables of scores that name the
    pairs, or texts with the pairs in their names.
    """

    def pack_files_of_task() -> Unpacked | None:
        members = _place_in_task(files, roles)
        if not members:
            return None
        has_only_scores = set(roles) <= {"scores", "exclude"}
        name = "ratings.zip" if has_only_scores else "task.zip"
        packed = _pack(name, members, files)
        with suppress(InputError):  # the message comes where the files are read
            pairs = testsets.list_pairs(packed.content, packed.name)
            is_task = "exclude" in roles or are_ratings(file.getvalue() for file in files)
            if len(pairs) > 1 or (pairs and is_task):
                return packed
        return None

    def weigh(packed: Unpacked | None) -> int:
        return 0 if packed is None else packed.size

    return LOADED.make(key_of("packed", files), pack_files_of_task, weigh)


def _place_in_task(files: Sequence[FileLike], roles: Sequence[str]) -> NamedContents:
    """Return the files by their places in the folder of a task; nothing if they cannot be one."""
    names = [testsets.zip_name(file.name) for file in files]
    if len(set(names)) < len(names):
        return []
    contents = [(name, file.getvalue()) for name, file in zip(names, files, strict=True)]
    with_automatic_scores = arrange_automatic_scores(contents)
    if with_automatic_scores:
        return with_automatic_scores
    markup = xml_names(names)
    n_markup = sum(len(names_of_pair) for names_of_pair in markup.values())
    are_markup = len(markup) > 1 and n_markup == len(names)
    are_tables = "scores" in roles and set(roles) <= {"scores", "exclude"}
    if are_tables or are_markup or are_documents(contents, roles):
        return contents  # a task as they are, in one folder
    return arrange_task(contents, roles)


def _pack(name: str, members: NamedContents, files: Sequence[FileLike]) -> Unpacked:
    """Return a zip of members, in the place of the files that it was made of."""
    return Unpacked(name, pack_files(members), "+".join(file.file_id for file in files))
