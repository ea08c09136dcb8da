"""Files and folders by their names: on disk, in a zip (``task.zip/references/en-de.refA.txt``), or
as they came from a browser.

Readers open and list all that they read here, so that what is read from a folder is read from the
other two as well. Nothing is unpacked to disk, so that a name in a zip can lead nowhere.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from mtsig_core.errors import InputError
from mtsig_core.readers.limits import READING_BELOW, count_left, is_limited, spend
from mtsig_core.testset import show_name

FilePath = str | os.PathLike[str]

MAX_UNPACKED = 1 << 30  # bytes of a zip in all
MAX_FILES = 10_000
MAX_DEPTH = 12  # folders, with the file
MAX_NAME = 255  # letters
_ENTRY = 500  # bytes of the list of files for each, on the average; the least is 46 and the name
_SIZE_OF_LIST = 5  # its place in what zipfile knows of the end of an archive
_ENCRYPTED = 1  # a flag of a member
OF_FINDER = "__MACOSX"  # a folder beside what was zipped, with a file for each

_UPLOADS: ContextVar[Mapping[str, bytes] | None] = ContextVar("uploads", default=None)


@contextmanager
def read_uploaded(files: Mapping[str, bytes]) -> Iterator[None]:
    """Within it these files are all that can be read, each by its name."""
    token = _UPLOADS.set(files)
    try:
        yield
    finally:
        _UPLOADS.reset(token)


def open_file(path: FilePath) -> io.BufferedReader:
    """A file to read bytes from; where `limit_reading` names a folder, a regular one: a pipe or a
    device has no end.
    """
    if (uploads := _UPLOADS.get()) is not None:
        if (content := uploads.get(os.fsdecode(path))) is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        return io.BufferedReader(io.BytesIO(content))
    if (place := _split_path(path)) is not None and place[1]:
        return _open_member(*place)
    real = check_place(path)
    if not READING_BELOW.get():
        return open(real, "rb")
    number = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "Is a directory")
        raise _make_irregular_error(path)
    return os.fdopen(number, "rb")


def check_place(path: FilePath) -> str:
    """Where links lead; raises InputError if that is not below the folder that may be read."""
    below = READING_BELOW.get()
    if not below:
        return os.fspath(path)
    real = os.path.realpath(path)
    if not Path(real).is_relative_to(below):
        raise InputError(
            f"{show_name(path)} is a link that leads out of MTSIG_DATA_ROOT, where the dashboard may not "
            "read. Replace it by the file or folder itself."
        )
    return real


def check_regular(path: Path) -> Path:
    """A file that was found in a folder, and that nobody has named: there a pipe would be waited
    for without end.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise _make_irregular_error(path)
    return path


def _make_irregular_error(path: FilePath) -> InputError:
    return InputError(f"{show_name(path)} is no regular file. Replace it by one.")


def is_folder(path: FilePath) -> bool:
    """Whether there is a folder, or a zip, of that name."""
    place = _split_path(path)
    return os.path.isdir(path) if place is None else place[1] in _open_archive(place[0]).folders


def is_file(path: FilePath) -> bool:
    """Whether there is a file of that name, which may be a zip."""
    place = _split_path(path)
    return (
        os.path.isfile(path)
        if place is None or not place[1]
        else place[1] in _open_archive(place[0]).files
    )


def exists(path: FilePath) -> bool:
    """Whether there is anything of that name, be it a link that leads nowhere."""
    return os.path.lexists(path) or is_folder(path) or is_file(path)


def list_folder(folder: FilePath) -> list[str]:
    """The names of what is in a folder or a zip, sorted, but for those that begin with a point."""
    if (place := _split_path(folder)) is not None:
        names = _open_archive(place[0]).folders.get(place[1], set())
    else:
        try:
            names = {*os.listdir(check_place(folder))}
        except OSError as error:
            raise InputError(
                f"{show_name(folder)} cannot be read: {error.strerror or error}."
            ) from None
    return sorted(name for name in names if not name.startswith("."))


def list_archive(path: FilePath) -> list[Path]:
    """All files and folders in a zip, the topmost first; not what Finder lays beside them."""
    archive = _open_archive(os.fsdecode(path))
    names = [name.split("/") for name in {*archive.files, *archive.folders} - {""}]
    return [
        Path(path, *name)
        for name in sorted(names, key=lambda name: (len(name), name))
        if OF_FINDER not in name and not name[-1].startswith(".")
    ]


def list_paths(folder: FilePath) -> list[Path]:
    """What is in a folder, or at any depth in a zip; nothing of what is neither."""
    if is_archive(folder):
        return list_archive(folder)
    if not is_folder(folder):
        return []
    return [Path(folder, name) for name in list_folder(folder)]


# -- zips -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Archive:
    """A zip that is open: its files by their names, and the names in each of its folders."""

    opened: zipfile.ZipFile
    files: Mapping[str, zipfile.ZipInfo]
    folders: Mapping[str, set[str]]
    size: int  # in bytes, unpacked: no more is read of any file than is said here


def is_archive(path: FilePath) -> bool:
    """Whether there is a zip, or a tar archive."""
    if _UPLOADS.get() is not None or not os.path.isfile(path):
        return False
    state = os.stat(path)
    return _is_archive(os.fsdecode(path), state.st_size, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=1024)
def _is_archive(path: str, *_state: int) -> bool:
    return zipfile.is_zipfile(path) or is_tar(path)


def _split_path(path: FilePath) -> tuple[str, str] | None:
    """The zip that a path leads into, and the name in it, empty for the zip itself; None for all
    else.
    """
    path = os.fsdecode(path)
    if os.path.isdir(path):
        return None
    ends = (end.start() for end in re.finditer("/|$", path))
    end = next((end for end in ends if os.path.isfile(path[:end])), None)
    return (
        None
        if end is None or not is_archive(path[:end])
        else (path[:end], "/".join(_split_name(path[end:])))
    )


def _split_name(name: str) -> list[str]:
    """The folders and the name of a file in a zip, without what would lead elsewhere."""
    return [part for part in name.split("/") if part not in ("", ".", "..")]


def _open_archive(path: str) -> _Archive:
    """A zip within the limits of what may be read, to which it counts once."""
    state = os.stat(real := check_place(path))
    key = (real, state.st_size, state.st_mtime_ns, state.st_ino)
    archive = _read_archive(*key, os.getpid())
    spend("zip_files", len(archive.files), "The zip archive", once=key)
    spend("zip_mb", archive.size, "The zip archive", once=key)
    if len(archive.files) > MAX_FILES or archive.size > MAX_UNPACKED:
        raise InputError(
            f"The zip archive holds {len(archive.files)} files of {archive.size >> 20} MB in all; at "
            f"most {MAX_FILES} files and {MAX_UNPACKED >> 20} MB are read. Zip only one task."
        )
    return archive


@lru_cache(maxsize=8)
def _read_archive(path: str, *_state: int) -> _Archive:
    """A zip, and what is in it; links are left out.

    A process must not read by the open file of another.
    """
    files: dict[str, zipfile.ZipInfo] = {}
    folders: dict[str, set[str]] = {"": set()}
    with _explain_damage():
        opened = _open_zip(
            open(path, "rb")
            if zipfile.is_zipfile(path)
            else open_tar_as_zip(
                path, min(MAX_UNPACKED, count_left("zip_mb") or MAX_UNPACKED), MAX_FILES
            )
        )
        for member in opened.infolist():
            if member.is_dir() or stat.S_ISLNK(member.external_attr >> 16):
                continue
            parts = _split_name(member.filename)
            wrong = (
                "is no name"
                if not parts
                else "lies too many folders deep"
                if len(parts) > MAX_DEPTH
                else f"has a name of more than {MAX_NAME} letters"
                if max(map(len, parts)) > MAX_NAME
                else "is there twice"
                if "/".join(parts) in files
                else ""
            )
            if wrong:
                raise InputError(
                    f"{show_name(member.filename[:80])} in the zip archive {wrong}. Rename it, and zip "
                    "the folder again."
                )
            files["/".join(parts)] = member
            for k, part in enumerate(parts):
                folders.setdefault("/".join(parts[:k]), set()).add(part)
    return _Archive(opened, files, folders, sum(member.file_size for member in files.values()))


def _open_zip(archive: IO[bytes]) -> zipfile.ZipFile:
    """The archive, once its list of files is known to be of a fair length: all of it is read at
    once.
    """
    ends: Any = zipfile
    size = (ends._EndRecData(archive) or [0] * 9)[_SIZE_OF_LIST]
    if size > MAX_FILES * _ENTRY:
        raise InputError(
            f"The zip archive holds far more than {MAX_FILES} files: the list of them takes "
            f"{size >> 20} MB. Zip only one task."
        )
    # names are in UTF-8 also where no flag says so, as Finder and a zip without a locale leave it
    try:
        opened_zip = zipfile.ZipFile(archive, metadata_encoding="utf-8")
    except UnicodeDecodeError:
        opened_zip = zipfile.ZipFile(archive)
    if secret := next(
        (member for member in opened_zip.infolist() if member.flag_bits & _ENCRYPTED), None
    ):
        raise InputError(
            f"{show_name(secret.filename[:80])} in the zip archive is encrypted. Zip the folder again, "
            "without a password."
        )
    return opened_zip


def _open_member(path: str, name: str) -> io.BufferedReader:
    archive = _open_archive(path)
    if (member := archive.files.get(name)) is None:
        if name in archive.folders:
            raise IsADirectoryError(21, "Is a directory")
        raise InputError(
            f"{show_name(path)} has no file {show_name(name)}. Name one that is in it."
        )
    if is_limited() and member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Of the other kinds a few bytes can come to any number at once.
        raise InputError(
            f"{show_name(member.filename)} is packed in a way that is not read from uploads. Zip the "
            "folder again by the usual way, deflate."
        )
    with _explain_damage():
        return io.BufferedReader(cast(Any, archive.opened.open(member)))


@contextmanager
def _explain_damage() -> Iterator[None]:
    """What is wrong with a zip as one message, whatever its damage makes of the libraries that read
    it.
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(
            f"The zip archive cannot be read: {show_name(reason)[:200]}. Copy it again, or zip the folder "
            "again by the usual way, deflate."
        ) from None


# Packed files: gzip, bzip2 and xz bit by bit, and tar archives as zips, so that what reads zips
# reads them.

CHUNK = 1 << 20
#: The first bytes of what is unpacked, and what has packed it.
PACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_XZ_MEMORY = 256 << 20  # bytes that an xz file may ask for
_USTAR = slice(257, 262)  # where a tar archive says that it is one


def find_packer(file: io.BufferedReader[Any]) -> str | None:
    """What has packed a file that is open at its beginning; None where it is not packed."""
    head = file.peek(8)
    return next((packer for magic, packer in PACKERS.items() if head.startswith(magic)), None)


def unpack(file: io.BufferedReader[Any]) -> Iterator[bytes]:
    """The content of a file bit by bit, unpacked, however much a bit of it unpacks to.

    Raises one of `DAMAGE`, or an OSError without a number.
    """
    packer = find_packer(file)
    if packer is None or packer == "gzip":
        stream: io.BufferedReader[Any] | gzip.GzipFile = (
            file if packer is None else gzip.GzipFile(fileobj=file)
        )
        yield from iter(lambda: stream.read(CHUNK), b"")
        return

    def make() -> Any:
        return (
            bz2.BZ2Decompressor()
            if packer == "bzip2"
            else lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        )

    packed, part = make(), b""
    while True:
        if packed.eof:  # several may follow each other
            part = packed.unused_data or file.read(CHUNK)
            if not part.strip(b"\0"):
                return
            packed = make()
        elif packed.needs_input and not (part := file.read(CHUNK)):
            raise EOFError
        if chunk := packed.decompress(part, CHUNK):
            yield chunk
        part = b""


def is_tar(path: str) -> bool:
    """Whether a file is a tar archive, packed or not."""
    try:
        with open(path, "rb") as file:
            return next(unpack(file), b"")[_USTAR] == b"ustar"
    except (*DAMAGE, OSError):
        return False


def open_tar_as_zip(path: str, most_bytes: int, most_files: int) -> IO[bytes]:
    """A zip of the regular files in a tar archive. Links, devices and holes have no place in it."""
    raw, size = tempfile.TemporaryFile(), 0
    with open(path, "rb") as file:
        for chunk in unpack(file):
            size += len(chunk)
            if size > most_bytes:
                raise InputError(
                    f"The tar archive unpacks to more than {most_bytes >> 20} MB, the most that is read. "
                    "Pack only one task."
                )
            raw.write(chunk)
    raw.seek(0)
    out, names = tempfile.TemporaryFile(), set[str]()
    with tarfile.open(fileobj=raw, mode="r:") as archive, zipfile.ZipFile(out, "w") as zipped:
        for member in archive:
            if not member.isreg():
                continue
            content = archive.extractfile(member)
            if (
                content is None
                or member.issparse()
                or member.name in names
                or len(names) == most_files
            ):
                wrong = (
                    f"more than {most_files} files"
                    if len(names) == most_files
                    else f"{show_name(member.name[:80])}, which has holes in it or comes twice"
                )
                raise InputError(f"The tar archive has {wrong}. Pack the folder again, as a zip.")
            names.add(member.name)
            with zipped.open(zipfile.ZipInfo(member.name), "w") as target:
                shutil.copyfileobj(content, target)
    raw.close()
    out.seek(0)
    return out
