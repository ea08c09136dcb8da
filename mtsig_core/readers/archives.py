"""Zip archives: what is in them, and what is unpacked of them, below a folder that nothing in them leads out of."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.readers.limits import also_below, is_limited, open_file, regular, spend, without_places
from mtsig_core.readers.lines import FilePath
from mtsig_core.testset import show_name

MAX_UNPACKED = 1 << 30  # bytes in all
MAX_FILES = 10_000
MAX_NAME = 255  # bytes, as file systems have it
MAX_DEPTH = 12  # folders, with the file
_ENTRY = 500  # bytes of the list of files for each, on the average; the least is 46 and the name
_SIZE_OF_LIST = 5  # its place in what zipfile knows of the end of an archive
_ENCRYPTED = 1  # a flag of a member
MAX_BESIDE = 1 << 24  # bytes of a single file that is read alone


@contextmanager
def file_beside(folder: FilePath, name: str) -> Iterator[Path | None]:
    """A file of that name in a task's folder, or the topmost in a zip of it, which is not unpacked for that; None where
    there is none."""
    if not is_zip(folder):
        yield regular(path) if os.path.lexists(path := Path(folder) / name) else None
        return
    with open_file(folder) as file, _readable(), _opened(file) as archive:
        named = [one.filename for one in archive.infolist() if one.filename.rpartition("/")[2] == name
                 and not _is_link(one)]
    if not named:
        yield None
        return
    top = f"{os.fsdecode(folder)}/{min(named, key=lambda one: one.count('/'))}"
    with without_places({show_name(top): show_name(f"{os.fsdecode(folder)}/{name}")}), out_of_zips([top]) as (place,):
        yield Path(place)


@contextmanager
def out_of_zips(files: Sequence[str]) -> Iterator[list[str]]:
    """Files, of which some lie in zips (``task.zip/en-cs.esa.tsv``): these unpacked for as long as they are needed.
    Messages name them as they were given."""
    with tempfile.TemporaryDirectory(prefix="mtsig-") as temporary, also_below(temporary):
        taken = {f"{temporary}/{k}/{path.rpartition('/')[2]}": path for k, path in enumerate(files) if _in_zip(path)}
        try:
            for place, path in taken.items():
                _take_out(path, Path(place))
            there = {path: place for place, path in taken.items()}
            yield [there.get(path, path) for path in files]
        except MtsigError as error:
            said = str(error)
            for place, path in taken.items():
                said = said.replace(place, show_name(path))
            raise type(error)(said, *error.remedies) from None


@contextmanager
def files_at(named: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """(name, file), the files as `out_of_zips` gives them."""
    with out_of_zips([path for _, path in named]) as paths:
        yield [(name, path) for (name, _), path in zip(named, paths, strict=True)]


def _in_zip(path: str) -> tuple[str, str] | None:
    """The zip that a path leads into, and the name of the file in it; None where it leads to a file or to nothing."""
    ends = [end.start() + 4 for end in re.finditer(r"\.zip/", path, re.IGNORECASE)]
    return next(((path[:end], path[end + 1:]) for end in ends if is_zip(path[:end])), None)


def _take_out(path: str, place: Path) -> None:
    """Unpack one file of a zip, which may be no longer than a table of scores is."""
    archived, name = _in_zip(path) or ("", "")
    with open_file(archived) as file, _readable(), _opened(file) as archive:
        member = next((one for one in archive.infolist() if _parts(one) == _parts(name) and not _is_link(one)), None)
        if member is None:
            raise InputError(f"{show_name(archived)} has no file {show_name(name)}. Name one that is in it.")
        if member.file_size > MAX_BESIDE:
            raise InputError(f"{show_name(path)} has {member.file_size >> 20} MB. Expected at most {MAX_BESIDE >> 20} "
                             "MB.")
        spend("zip_mb", member.file_size, show_name(path))
        place.parent.mkdir()
        place.write_bytes(archive.read(member))


def is_zip(path: FilePath) -> bool:
    """Whether there is a zip."""
    return os.path.isfile(path) and zipfile.is_zipfile(path)


def _is_link(member: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(member.external_attr >> 16)


def names_in_zip(path: FilePath) -> set[str]:
    """The names of all folders and files in a zip; empty for what is none."""
    if not is_zip(path):
        return set()
    with open_file(path) as file, _readable(), _opened(file) as archive:
        return {part for name in archive.namelist() for part in name.split("/")}


def unpack(archive: IO[bytes], root: Path) -> None:
    """Unpack an archive below `root`, which is made."""
    root.mkdir()
    with _readable(), _opened(archive) as opened_zip:
        members = [member for member in opened_zip.infolist()
                   if not member.is_dir() and not _is_link(member)]  # links are left out
        size = sum(member.file_size for member in members)  # no more than that is unpacked of each
        spend("zip_files", len(members), "The zip archive")
        spend("zip_mb", size, "The zip archive")
        if len(members) > MAX_FILES or size > MAX_UNPACKED:
            raise InputError(f"The zip archive holds {len(members)} files of {size >> 20} MB in all; at most "
                             f"{MAX_FILES} files and {MAX_UNPACKED >> 20} MB are read. Zip one task alone.")
        _check_names(members)
        for member in members:
            if is_limited() and member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                # Of the other kinds a few bytes can come to any number at once.
                raise InputError(f"{show_name(member.filename)} is packed in a way that is not read from uploads. Zip "
                                 "the folder again by the usual way, deflate.")
            opened_zip.extract(member, root)  # which drops .. and leading slashes


@contextmanager
def _readable() -> Iterator[None]:
    """What is wrong with a zip as one message, whatever its damage makes of the libraries that read it."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"The zip archive cannot be read: {show_name(reason)[:200]}. Copy it again, or zip the folder "
                         "again by the usual way, deflate.") from None


def _opened(archive: IO[bytes]) -> zipfile.ZipFile:
    """The archive, once its list of files is known to be of a fair length: all of it is read at once."""
    ends: Any = zipfile
    size = (ends._EndRecData(archive) or [0] * 9)[_SIZE_OF_LIST]
    if size > MAX_FILES * _ENTRY:
        raise InputError(f"The zip archive holds far more than {MAX_FILES} files: the list of them takes "
                         f"{size >> 20} MB. Zip one task alone.")
    try:  # names are in UTF-8 also where no flag says so, as Finder and a zip without a locale leave it
        found = zipfile.ZipFile(archive, metadata_encoding="utf-8")
    except UnicodeDecodeError:
        found = zipfile.ZipFile(archive)
    if secret := next((member for member in found.infolist() if member.flag_bits & _ENCRYPTED), None):
        raise InputError(f"{show_name(secret.filename[:80])} in the zip archive is encrypted. Zip the folder again, "
                         "without a password.")
    return found


def _check_names(members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise InputError where a name is none that a folder can hold, or one name is a file and a folder."""
    files: set[tuple[str, ...]] = set()
    for member in members:
        parts = _parts(member)
        wrong = ("is no name" if not parts else "lies too many folders deep" if len(parts) > MAX_DEPTH else
                 f"has a name of more than {MAX_NAME} bytes" if any(
                     len(os.fsencode(part)) > MAX_NAME for part in parts) else
                 "is there twice" if parts in files else None)
        if wrong:
            raise InputError(f"{show_name(member.filename[:80])} in the zip archive {wrong}. Rename it, and zip the "
                             "folder again.")
        files.add(parts)
    if clash := next((parts for parts in files for k in range(1, len(parts)) if parts[:k] in files), None):
        raise InputError(f"{show_name('/'.join(clash))} in the zip archive lies in a folder that is a file there, too. "
                         "Rename one of them, and zip the folder again.")


def _parts(member: zipfile.ZipInfo | str) -> tuple[str, ...]:
    """The folders and the name of a file in a zip, as it is unpacked."""
    name = member if isinstance(member, str) else member.filename
    return tuple(part for part in name.split("/") if part not in ("", ".", ".."))
