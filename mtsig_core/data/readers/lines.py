"""Reading a text file with one segment per line, and saying what is wrong with one that is not."""

from __future__ import annotations

import gzip
import os
import shlex
import zlib
from collections.abc import Iterator

from mtsig_core.data.readers.bounds import open_file, spend
from mtsig_core.data.readers.encodings import damage_in_utf8, guess_encoding
from mtsig_core.data.readers.formats import SEGMENTS, refusal, sniff
from mtsig_core.errors import InputError, closest

__all__ = ["FilePath", "beginning", "chunks", "decode", "missing", "read_bytes", "read_lines", "shown"]

FilePath = str | os.PathLike[str]

MAX_BYTES = 2 << 30  # of text, unpacked: a small .gz can hold far more than any memory
CHUNK = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"


def shown(path: FilePath) -> str:
    """A path as it may stand in a message: characters that a terminal would act on are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in os.fsdecode(path))


def read_lines(path: FilePath, content: str = SEGMENTS) -> list[str]:
    r"""The lines of a UTF-8 text file, plain or gzipped.

    A line ends at ``\n`` (or ``\r\n``) only; other characters that Unicode calls line breaks stay in their segment.
    A byte order mark is left out, and the last line need not end.

    Parameters
    ----------
    path : path-like
        The file. Whether it is gzipped is read from its first bytes, not from its name.
    content : str
        What is expected in it, for messages.

    Raises
    ------
    InputError
        If the file is missing, unreadable, empty, damaged, too large, not UTF-8 text, or of a format that is not read
        there; see `mtsig_core.data.readers.formats`.
    """
    data, unpacked = read_bytes(path, content)
    if error := refusal(shown(path), data, content):
        raise error
    text = decode(data, path, unpacked).lstrip("\ufeff")
    spend("lines", text.count("\n") + 1, shown(path))
    if not text:
        raise InputError(f"{shown(path)} is empty; {content} is expected. "
                         "See whether the program that wrote it came to its end.")
    if "\n" not in text and (ends := text.rstrip("\r").count("\r")):
        raise InputError(f"{shown(path)} has no line feed and {ends:,} carriage returns, as old Macs and some "
                         f"spreadsheets end lines. Expected {content}, each ended by a line feed. Convert it: "
                         + _command(r"tr '\r' '\n'", path, unpacked))
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    spend("line_length", max(map(len, lines)), shown(path))
    return lines


def read_bytes(path: FilePath, content: str = SEGMENTS) -> tuple[bytes, bool]:
    """The content of a file, and whether it had to be unpacked."""
    parts = list(chunks(path, content))
    return b"".join(chunk for chunk, _ in parts), bool(parts and parts[0][1])


def chunks(path: FilePath, content: str = SEGMENTS) -> Iterator[tuple[bytes, bool]]:
    """The content of a file bit by bit, each with whether it had to be unpacked."""
    name, size = shown(path), 0
    try:
        with open_file(path) as file:
            unpacked = file.peek(2)[:2] == GZIP_MAGIC
            stream = gzip.GzipFile(fileobj=file) if unpacked else file
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                spend("mb", len(chunk), name)
                if size > MAX_BYTES:
                    raise InputError(
                        f"{name} {'unpacks to' if unpacked else 'has'} more than {MAX_BYTES:,} bytes, "
                        "too much for one text. See whether it is the right file.")
                yield chunk, unpacked
    except FileNotFoundError:
        raise InputError(missing(path)) from None
    except IsADirectoryError:
        raise InputError(
            f"{name} is a folder; a file with {content} is expected. Name a file in it.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        found = "it breaks off before its end" if isinstance(error, EOFError) else str(error)
        raise InputError(f"{name} is a damaged gzip file: {found}. Copy or download it again.") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
    except ValueError:  # a name that no file can have
        raise InputError(f"{name} is no file name. Check it for stray characters.") from None


def beginning(path: FilePath) -> bytes:
    """The first bytes of a file, unpacked."""
    return next(chunks(path), (b"", False))[0]


def missing(path: FilePath) -> str:
    """Message for a file or folder that is not there, with the nearest name that is."""
    path = os.fsdecode(path)
    if not path:
        return "The name of a file is empty. Name a text file with one segment per line."
    folder, name = os.path.split(path)
    if os.path.islink(path):
        return f"{shown(path)} is a link to {shown(os.readlink(path))}, which does not exist. Mend the link."
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return f"{shown(path)} does not exist: there is no folder {shown(folder)}. Check the path."
    near = closest(name, names)
    hint = "Check the path." if near is None else f"Did you mean {shown(os.path.join(folder, near))}?"
    return f"{shown(path)} does not exist. {hint}"


def decode(data: bytes, path: FilePath, unpacked: bool) -> str:
    """UTF-8 text; raises InputError that says what else it looks like."""
    offset = data.find(0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start if offset < 0 else min(offset, error.start)
    if offset >= 0:
        raise InputError(_not_text(data, offset, path, unpacked))
    return text


def _not_text(data: bytes, offset: int, path: FilePath, unpacked: bool) -> str:
    """Message for data that is not UTF-8 text from this byte on: where, what it looks like, what to do."""
    name, line = shown(path), data.count(b"\n", 0, offset) + 1
    place = f"{name}, line {line}: byte 0x{data[offset]:02X} at offset {offset}{' of the unpacked text' * unpacked}"
    encoding, damaged = guess_encoding(data), damage_in_utf8(data)

    if kind := sniff(data):
        return f"{name} is {kind.what}, not text. Give it as UTF-8 text."
    if data[offset] == 0 and encoding is None:
        return (f"{place} is NUL: {name} is not text, or damaged. If it is text, drop such bytes: "
                + _command(r"tr -d '\000'", path, unpacked))
    if data[offset] != 0 and damaged:
        return (f"{place} is not UTF-8 text, unlike the rest (places like it: {damaged}). Mend the line, or "
                "drop what is damaged: " + _command("iconv -c -f UTF-8 -t UTF-8", path, unpacked))
    if encoding:
        return (f"{place} is not UTF-8 text. The file looks like {encoding}; convert it: "
                + _command(f"iconv -f {encoding} -t UTF-8", path, unpacked))
    return (f"{place} is not UTF-8 text, and the encoding is hard to tell. If you know it, convert the file: "
            + _command("iconv -f ENCODING -t UTF-8", path, unpacked))


def _command(program: str, path: FilePath, unpacked: bool) -> str:
    """A shell command that writes a better copy of a file beside it."""
    name = shown(path)
    copy = shlex.quote(name.removesuffix(".gz") + ".utf8")
    source = f"gzip -dc {shlex.quote(name)} | {program}" if unpacked else f"{program} < {shlex.quote(name)}"
    return f"{source} > {copy}"
