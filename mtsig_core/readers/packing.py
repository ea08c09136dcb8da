"""Packed files: gzip, bzip2 and xz bit by bit, and tar archives as zips, so that what reads zips reads them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from mtsig_core.errors import InputError
from mtsig_core.testset import show_name

CHUNK = 1 << 20
#: The first bytes of what is unpacked, and what has packed it.
PACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
_XZ_MEMORY = 256 << 20  # bytes that an xz file may ask for
_USTAR = slice(257, 262)  # where a tar archive says that it is one


def find_packer(file: io.BufferedReader[Any]) -> str | None:
    """What has packed a file that is open at its beginning; None where it is not packed."""
    head = file.peek(8)
    return next((packer for magic, packer in PACKERS.items() if head.startswith(magic)), None)


def unpack(file: io.BufferedReader[Any]) -> Iterator[bytes]:
    """The content of a file bit by bit, unpacked, however much a bit of it unpacks to. Raises one of `DAMAGE`, or an
    OSError without a number."""
    packer = find_packer(file)
    if packer is None or packer == "gzip":
        stream: io.BufferedReader[Any] | gzip.GzipFile = file if packer is None else gzip.GzipFile(fileobj=file)
        yield from iter(lambda: stream.read(CHUNK), b"")
        return

    def make() -> Any:
        return bz2.BZ2Decompressor() if packer == "bzip2" else lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

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
                raise InputError(f"The tar archive unpacks to more than {most_bytes >> 20} MB, the most that is read. "
                                 "Pack only one task.")
            raw.write(chunk)
    raw.seek(0)
    out, names = tempfile.TemporaryFile(), set[str]()
    with tarfile.open(fileobj=raw, mode="r:") as archive, zipfile.ZipFile(out, "w") as zipped:
        for member in archive:
            if not member.isreg():
                continue
            content = archive.extractfile(member)
            if content is None or member.issparse() or member.name in names or len(names) == most_files:
                wrong = f"more than {most_files} files" if len(names) == most_files else \
                    f"{show_name(member.name[:80])}, which has holes in it or comes twice"
                raise InputError(f"The tar archive has {wrong}. Pack the folder again, as a zip.")
            names.add(member.name)
            with zipped.open(zipfile.ZipInfo(member.name), "w") as target:
                shutil.copyfileobj(content, target)
    raw.close()
    out.seek(0)
    return out
