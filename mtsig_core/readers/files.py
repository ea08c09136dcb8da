"""Files and folders by their names: on disk, in a zip, or uploaded from a browser.

The name of a file in a zip begins with the name of the zip: ``task.zip/references/en-de.refA.txt``.
All readers open and list files through this module, so that they can read zips and uploads as well
as folders. Nothing is unpacked to disk, so a name in a zip cannot point outside it.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

from mtsig_core.errors import InputError
from mtsig_core.extras import explain_missing_package
from mtsig_core.readers.limits import READING_BELOW, count_left, is_limited, spend
from mtsig_core.testset import show_name

FilePath = str | os.PathLike[str]
_Result = TypeVar("_Result")

MAX_UNPACKED = 1 << 30  # bytes of a zip in all
MAX_FILES = 10_000
MAX_DEPTH = 12  # folders, with the file
MAX_NAME = 255  # letters
_ENTRY = 500  # bytes of the list of files for each, on the average; the least is 46 and the name
_END_RECORD_SIZE = 5  # the place of the length of that list in zipfile's record of the end
_ENCRYPTED = 1  # a flag of a member
OF_FINDER = "__MACOSX"  # a folder that Finder adds to a zip, with one file for each zipped file

STANDARD_INPUT = "standard input"
#: Files that are read from memory, by name: standard input, which can be read only once.
IN_MEMORY: dict[str, bytes] = {}
_UPLOADS: ContextVar[Mapping[str, bytes] | None] = ContextVar("uploads", default=None)


def keep_until_changed(read: Callable[[FilePath], _Result]) -> Callable[[FilePath], _Result]:
    """The same function of a file on disk or in a zip; what it gives is kept until the file changes.

    Pages and commands ask for it many times.
    """

    @lru_cache(maxsize=256)
    def read_once(path: FilePath, *_state: int) -> _Result:
        return read(path)

    @wraps(read)
    def read_kept(path: FilePath) -> _Result:
        state = read_state(path)
        if state is None:
            return read(path)
        return read_once(os.fsdecode(path), *state)

    return read_kept


@contextmanager
def read_uploaded(files: Mapping[str, bytes]) -> Iterator[None]:
    """Allow, within this context, reading only these files, each by its name."""
    token = _UPLOADS.set(files)
    try:
        yield
    finally:
        _UPLOADS.reset(token)


def open_file(path: FilePath) -> io.BufferedReader:
    """Open a file to read bytes.

    If `limit_reading` names a folder, the file must be regular, because a pipe or a device may have
    no end.
    """
    uploads = _UPLOADS.get()
    content = (uploads or IN_MEMORY).get(os.fsdecode(path))
    if content is not None:
        return io.BufferedReader(io.BytesIO(content))
    if uploads is not None:
        raise FileNotFoundError(2, "No such file or directory", path)
    member = _split_path(path)
    if member is not None and member.name:
        return _open_member(member)
    real_path = check_place(path)
    if not READING_BELOW.get():
        return open(real_path, "rb")
    # A pipe without a writer would block; Windows reads text without O_BINARY.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(real_path, flags)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "Is a directory")
        raise _make_irregular_error(path)
    return os.fdopen(descriptor, "rb")


def check_place(path: FilePath) -> str:
    """Resolve links; raises InputError if the target is not below the folder that may be read."""
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
    """Return the same path, if it is not a pipe or a device.

    Files that mtsig finds in a folder are checked, because reading a pipe could wait forever.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise _make_irregular_error(path)
    return path


def _make_irregular_error(path: FilePath) -> InputError:
    return InputError(f"{show_name(path)} is not a regular file. Replace it with one.")


def is_folder(path: FilePath) -> bool:
    """Whether there is a folder, or a zip, of that name."""
    member = _split_path(path)
    if member is None:
        return os.path.isdir(path)
    return member.name in _open_archive(member.archive).folders


def is_file(path: FilePath) -> bool:
    """Whether there is a file of that name, which may be a zip."""
    member = _split_path(path)
    if member is None or not member.name:
        return os.path.isfile(path)
    return member.name in _open_archive(member.archive).files


def exists(path: FilePath) -> bool:
    """Whether there is anything of that name, also a link that leads nowhere."""
    return os.path.lexists(path) or is_folder(path) or is_file(path)


def read_state(path: FilePath) -> tuple[int, int, int] | None:
    """Size, time and number of a file, or of the zip that it is in; None of uploads and pipes."""
    if _UPLOADS.get() is not None:
        return None
    member = _split_path(path)
    place = path if member is None else member.archive
    if not os.path.isfile(place):
        return None
    state = os.stat(place)
    return state.st_size, state.st_mtime_ns, state.st_ino


def list_folder(folder: FilePath) -> list[str]:
    """The names of what is in a folder or a zip, sorted, except those that begin with a point."""
    member = _split_path(folder)
    if member is not None:
        names = _open_archive(member.archive).folders.get(member.name, set())
    else:
        try:
            names = {*os.listdir(check_place(folder))}
        except OSError as error:
            raise InputError(
                f"{show_name(folder)} cannot be read: {error.strerror or error}."
            ) from None
    return sorted(name for name in names if not name.startswith("."))


def list_archive(path: FilePath) -> list[Path]:
    """List all files and folders in a zip, the topmost first, without the files of Finder."""
    archive = _open_archive(os.fsdecode(path))
    places = []
    for name in {*archive.files, *archive.folders} - {""}:
        *folders, own_name = name.split("/")
        if OF_FINDER not in (*folders, own_name) and not own_name.startswith("."):
            places.append((len(folders), [*folders, own_name]))
    return [Path(path, *names) for _, names in sorted(places)]


def list_paths(folder: FilePath) -> list[Path]:
    """What is in a folder, or at any depth in a zip; nothing of what is neither."""
    if is_archive(folder):
        return list_archive(folder)
    if not is_folder(folder):
        return []
    return [Path(folder, name) for name in list_folder(folder)]


# Zips.


@dataclass(frozen=True)
class _Archive:
    """A zip that is open: its files by their names, and the names in each of its folders."""

    opened: zipfile.ZipFile
    files: Mapping[str, zipfile.ZipInfo]
    folders: Mapping[str, set[str]]
    size: int  # in bytes, unpacked: no file is read beyond this size


class _Member(NamedTuple):
    """A place in a zip."""

    archive: str
    name: str  # empty for the zip itself


def is_archive(path: FilePath) -> bool:
    """Whether there is a zip, or a tar archive."""
    if _UPLOADS.get() is not None or not os.path.isfile(path):
        return False
    state = os.stat(path)
    return _is_archive(os.fsdecode(path), state.st_size, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=1024)
def _is_archive(path: str, *_state: int) -> bool:
    return zipfile.is_zipfile(path) or is_tar(path)


def _split_path(path: FilePath) -> _Member | None:
    """The place in a zip that a path leads to; None for all else."""
    path = os.fsdecode(path)
    if os.path.isdir(path):
        return None
    for match in re.finditer("/|$", path):
        archive = path[: match.start()]
        if os.path.isfile(archive):
            inside = path[match.start() :]
            return _Member(archive, "/".join(_split_name(inside))) if is_archive(archive) else None
    return None


def _split_name(name: str) -> list[str]:
    """The folders and the name of a file in a zip, without what would lead elsewhere."""
    return [folder for folder in name.split("/") if folder not in ("", ".", "..")]


def _open_archive(path: str) -> _Archive:
    """A zip within the limits of what may be read, to which it counts once."""
    real_path = check_place(path)
    state = os.stat(real_path)
    key = (real_path, state.st_size, state.st_mtime_ns, state.st_ino)
    archive = _read_archive(*key, os.getpid())
    spend("zip_files", len(archive.files), "The zip archive", once=key)
    spend("zip_mb", archive.size, "The zip archive", once=key)
    if len(archive.files) > MAX_FILES or archive.size > MAX_UNPACKED:
        raise InputError(
            f"The zip archive contains {len(archive.files)} files of {archive.size >> 20} MB in all; at "
            f"most {MAX_FILES} files and {MAX_UNPACKED >> 20} MB are read. Zip only one task."
        )
    return archive


@lru_cache(maxsize=8)
def _read_archive(path: str, *_state: int) -> _Archive:
    """Open a zip and list its contents, without links.

    The cache key has the process, because a process must not read through the open file of another
    process.
    """
    files: dict[str, zipfile.ZipInfo] = {}
    folders: dict[str, set[str]] = {"": set()}
    with _explain_damage():
        if zipfile.is_zipfile(path):
            file: IO[bytes] = open(path, "rb")  # noqa: SIM115  the archive reads from it later
        else:
            max_bytes = min(MAX_UNPACKED, count_left("zip_mb") or MAX_UNPACKED)
            file = open_tar_as_zip(path, max_bytes)
        opened = _open_zip(file)
        for member in opened.infolist():
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if member.is_dir() or is_link:
                continue
            names = _split_name(member.filename)
            place = "/".join(names)
            fault = "is there twice" if place in files else _find_fault(names)
            if fault:
                raise InputError(
                    f"{show_name(member.filename[:80])} in the zip archive {fault}. Rename it, and zip "
                    "the folder again."
                )
            files[place] = member
            for depth, name in enumerate(names):
                folders.setdefault("/".join(names[:depth]), set()).add(name)
    return _Archive(opened, files, folders, sum(member.file_size for member in files.values()))


def _find_fault(names: Sequence[str]) -> str:
    """What is wrong with the name of a file in its folders; empty if nothing is."""
    if not names:
        return "is no name"
    if len(names) > MAX_DEPTH:
        return "is too many folders deep"
    if max(map(len, names)) > MAX_NAME:
        return f"has a name of more than {MAX_NAME} letters"
    return ""


def _open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """The archive, if its list of files has a fair length: zipfile reads all of it at once."""
    zipfile_internals: Any = zipfile
    end_record = zipfile_internals._EndRecData(file)
    size = 0 if end_record is None else end_record[_END_RECORD_SIZE]
    if size > MAX_FILES * _ENTRY:
        raise InputError(
            f"The zip archive contains far more than {MAX_FILES} files: the list of them takes "
            f"{size >> 20} MB. Zip only one task."
        )
    # Finder, and zip without a locale, write names in UTF-8 without setting the flag for it.
    try:
        archive = zipfile.ZipFile(file, metadata_encoding="utf-8")
    except UnicodeDecodeError:
        archive = zipfile.ZipFile(file)
    for member in archive.infolist():
        if member.flag_bits & _ENCRYPTED:
            raise InputError(
                f"{show_name(member.filename[:80])} in the zip archive is encrypted. Zip the folder again, "
                "without a password."
            )
    return archive


def _open_member(place: _Member) -> io.BufferedReader:
    archive = _open_archive(place.archive)
    member = archive.files.get(place.name)
    if member is None:
        if place.name in archive.folders:
            raise IsADirectoryError(21, "Is a directory")
        raise InputError(
            f"{show_name(place.archive)} has no file {show_name(place.name)}. Name one that is in it."
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
    """Explain the damage of a zip in one message, for any error of a library."""
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


# Packed files: gzip, bzip2, xz and zstd in chunks, and tar archives as zips, so that what reads zips
# reads them.

CHUNK = 1 << 20
#: The first bytes of what is unpacked, and what has packed it.
PACKERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_XZ_MEMORY = 256 << 20  # bytes that an xz file may ask for
_USTAR = slice(257, 262)  # where a tar archive says that it is one


def find_packer(file: io.BufferedReader[Any]) -> str | None:
    """Find how a file, open at its beginning, is packed; None if it is not packed."""
    head = file.peek(8)
    for magic, packer in PACKERS.items():
        if head.startswith(magic):
            return packer
    return None


def unpack(file: io.BufferedReader[Any], name: str) -> Iterator[bytes]:
    """Yield the content of a file in chunks, unpacked; no chunk is large, at any compression.

    Raises one of `DAMAGE`, or an OSError without a number. `name`: what a message calls the file.
    """
    packer = find_packer(file)
    if packer == "bzip2":
        yield from _decompress(file, bz2.BZ2Decompressor)
    elif packer == "xz":
        yield from _decompress(file, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))
    else:
        stream: Any = file
        if packer == "gzip":
            stream = gzip.GzipFile(fileobj=file)
        elif packer == "zstd":
            advice = "Or unpack it, or pack it with gzip."
            with explain_missing_package(
                "parquet", f"Reading {show_name(name)}, packed with zstd,", advice
            ):
                from pyarrow import CompressedInputStream  # late: few files need it

            stream = CompressedInputStream(file, "zstd")
        yield from iter(lambda: stream.read(CHUNK), b"")


def _decompress(file: io.BufferedReader[Any], start: Callable[[], Any]) -> Iterator[bytes]:
    decompressor = start()
    packed = b""
    while True:
        if decompressor.eof:  # several may follow each other
            packed = decompressor.unused_data or file.read(CHUNK)
            if not packed.strip(b"\0"):
                return
            decompressor = start()
        elif decompressor.needs_input:
            packed = file.read(CHUNK)
            if not packed:
                raise EOFError
        chunk = decompressor.decompress(packed, CHUNK)
        if chunk:
            yield chunk
        packed = b""


def is_tar(path: str) -> bool:
    """Whether a file is a tar archive, packed or not."""
    try:
        with open(path, "rb") as file:
            return next(unpack(file, path), b"")[_USTAR] == b"ustar"
    except (*DAMAGE, OSError):
        return False


def open_tar_as_zip(path: str, max_bytes: int) -> IO[bytes]:
    """Make a zip of the regular files in a tar archive, without its links and devices."""
    zip_file = tempfile.TemporaryFile()  # noqa: SIM115  the caller reads from it
    names: set[str] = set()
    with (
        tempfile.TemporaryFile() as tar_file,
        zipfile.ZipFile(zip_file, "w") as zipped,
    ):
        _unpack_tar(path, tar_file, max_bytes)
        with tarfile.open(fileobj=tar_file, mode="r:") as archive:
            for member in archive:
                if not member.isreg():
                    continue
                content = archive.extractfile(member)
                fault = ""
                if len(names) == MAX_FILES:
                    fault = f"more than {MAX_FILES} files"
                elif content is None or member.issparse() or member.name in names:
                    fault = f"{show_name(member.name[:80])}, which has holes in it or comes twice"
                if fault or content is None:
                    raise InputError(
                        f"The tar archive has {fault}. Pack the folder again, as a zip."
                    )
                names.add(member.name)
                with zipped.open(zipfile.ZipInfo(member.name), "w") as target:
                    shutil.copyfileobj(content, target)
    zip_file.seek(0)
    return zip_file


def _unpack_tar(path: str, unpacked: IO[bytes], max_bytes: int) -> None:
    size = 0
    with open(path, "rb") as file:
        for chunk in unpack(file, path):
            size += len(chunk)
            if size > max_bytes:
                raise InputError(
                    f"The tar archive unpacks to more than {max_bytes >> 20} MB, the most that is read. "
                    "Pack only one task."
                )
            unpacked.write(chunk)
    unpacked.seek(0)
