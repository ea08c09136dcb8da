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
from mtsig_core.readers.limits import allow_folder, check_regular, hide_places, is_limited, open_file, spend
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
def open_task_file(folder: FilePath, name: str) -> Iterator[Path | None]:
    """A file of that name in a task's folder, or the topmost in a zip of it, which is not unpacked for that; None where
    there is none."""
    if not is_zip(folder):
        yield check_regular(path) if os.path.lexists(path := Path(folder) / name) else None
        return
    with open_file(folder) as file, _explain_damage(), _open_zip(file) as archive:
        paths = [member.filename for member in archive.infolist() if member.filename.rpartition("/")[2] == name
                 and not _is_link(member)]
    if not paths:
        yield None
        return
    top = f"{os.fsdecode(folder)}/{min(paths, key=lambda member: member.count('/'))}"
    with hide_places({show_name(top): show_name(f"{os.fsdecode(folder)}/{name}")}), unpack_files([top]) as (place,):
        yield Path(place)


@contextmanager
def unpack_files(files: Sequence[str]) -> Iterator[list[str]]:
    """Files, of which some lie in zips (``task.zip/en-cs.esa.tsv``): these unpacked for as long as they are needed.
    Messages name them as they were given."""
    with tempfile.TemporaryDirectory(prefix="mtsig-") as temporary, allow_folder(temporary):
        originals = {f"{temporary}/{k}/{path.rpartition('/')[2]}": path for k,
                     path in enumerate(files) if _split_zip_path(path)}
        try:
            for place, path in originals.items():
                _unpack_member(path, Path(place))
            places = {path: place for place, path in originals.items()}
            yield [places.get(path, path) for path in files]
        except MtsigError as error:
            message = str(error)
            for place, path in originals.items():
                message = message.replace(place, show_name(path))
            raise type(error)(message, *error.remedies) from None


@contextmanager
def unpack_named_files(files: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """(name, file), the files as `unpack_files` gives them."""
    with unpack_files([path for _, path in files]) as paths:
        yield [(name, path) for (name, _), path in zip(files, paths, strict=True)]


def _split_zip_path(path: str) -> tuple[str, str] | None:
    """The zip that a path leads into, and the name of the file in it; None where it leads to a file or to nothing."""
    ends = [end.start() + 4 for end in re.finditer(r"\.zip/", path, re.IGNORECASE)]
    return next(((path[:end], path[end + 1:]) for end in ends if is_zip(path[:end])), None)


def _unpack_member(path: str, place: Path) -> None:
    """Unpack one file of a zip, which may be no longer than a table of scores is."""
    archived, name = _split_zip_path(path) or ("", "")
    with open_file(archived) as file, _explain_damage(), _open_zip(file) as archive:
        member = next((entry for entry in archive.infolist()
                       if _split_name(entry) == _split_name(name) and not _is_link(entry)), None)
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


def list_zip_names(path: FilePath) -> set[str]:
    """The names of all folders and files in a zip; empty for what is none."""
    if not is_zip(path):
        return set()
    with open_file(path) as file, _explain_damage(), _open_zip(file) as archive:
        return {part for name in archive.namelist() for part in name.split("/")}


def unpack(archive: IO[bytes], root: Path) -> None:
    """Unpack an archive below `root`, which is made."""
    root.mkdir()
    with _explain_damage(), _open_zip(archive) as opened_zip:
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
def _explain_damage() -> Iterator[None]:
    """What is wrong with a zip as one message, whatever its damage makes of the libraries that read it."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"The zip archive cannot be read: {show_name(reason)[:200]}. Copy it again, or zip the folder "
                         "again by the usual way, deflate.") from None


def _open_zip(archive: IO[bytes]) -> zipfile.ZipFile:
    """The archive, once its list of files is known to be of a fair length: all of it is read at once."""
    ends: Any = zipfile
    size = (ends._EndRecData(archive) or [0] * 9)[_SIZE_OF_LIST]
    if size > MAX_FILES * _ENTRY:
        raise InputError(f"The zip archive holds far more than {MAX_FILES} files: the list of them takes "
                         f"{size >> 20} MB. Zip one task alone.")
    try:  # names are in UTF-8 also where no flag says so, as Finder and a zip without a locale leave it
        opened_zip = zipfile.ZipFile(archive, metadata_encoding="utf-8")
    except UnicodeDecodeError:
        opened_zip = zipfile.ZipFile(archive)
    if secret := next((member for member in opened_zip.infolist() if member.flag_bits & _ENCRYPTED), None):
        raise InputError(f"{show_name(secret.filename[:80])} in the zip archive is encrypted. Zip the folder again, "
                         "without a password.")
    return opened_zip


def _check_names(members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise InputError where a name is none that a folder can hold, or one name is a file and a folder."""
    files: set[tuple[str, ...]] = set()
    for member in members:
        parts = _split_name(member)
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


def _split_name(member: zipfile.ZipInfo | str) -> tuple[str, ...]:
    """The folders and the name of a file in a zip, as it is unpacked."""
    name = member if isinstance(member, str) else member.filename
    return tuple(part for part in name.split("/") if part not in ("", ".", ".."))
