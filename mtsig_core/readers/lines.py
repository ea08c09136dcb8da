"""Text files with one segment per line, of any size and encoding."""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO, cast

import numpy as np

from mtsig_core.errors import InputError, find_closest
from mtsig_core.readers.columns import InputTable
from mtsig_core.readers.files import DAMAGE, FilePath, find_packer, open_file, unpack
from mtsig_core.readers.formats import (
    SCORE_TABLE,
    SEGMENTS,
    TEXTS,
    Format,
    find_format,
    sniff,
    split_lines,
    to_utf8,
)
from mtsig_core.readers.json_tables import read_text_table
from mtsig_core.readers.limits import check_local, is_limited, spend
from mtsig_core.readers.stand_ins import refuse_stand_in
from mtsig_core.readers.text_tables import TextInTable, TextTable
from mtsig_core.testset import StoredLines, read_file_state, show_name

# The encoding of a file that is not UTF-8.

_SAMPLE_LINES = 200  # that are not ASCII, by which an encoding is guessed
#: By the name that iconv knows them by. A guess among few of them is better than among all.
_ENCODINGS = {
    "shift_jis": "SHIFT_JIS",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
    "big5": "BIG5",
    "gb18030": "GB18030",
    "cp1252": "WINDOWS-1252",
    "cp1251": "WINDOWS-1251",
    "koi8_r": "KOI8-R",
    "cp1253": "WINDOWS-1253",
    "cp1255": "WINDOWS-1255",
    "cp1256": "WINDOWS-1256",
}


def _guess_encoding(data: bytes) -> str | None:
    """The likely encoding of a text, by the name iconv knows it by; None without a good guess."""
    from charset_normalizer import from_bytes

    if b"\0" in data:
        return _guess_utf16(data)
    lines = (line for line in data.split(b"\n") if not line.isascii())
    sample = b"\n".join(islice(lines, _SAMPLE_LINES))
    # Accented letters occur singly between plain letters; other scripts have runs of high bytes.
    runs = re.findall(rb"[\x80-\xff]+", sample)
    n_accents = sum(len(run) == 1 and run >= b"\xc0" for run in runs)
    if n_accents > len(runs) / 2:
        return "WINDOWS-1252"
    best = from_bytes(sample, cp_isolation=[*_ENCODINGS]).best()
    return None if best is None else _ENCODINGS[best.encoding]


def _guess_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: at least its ends of lines have NUL in one of two bytes."""
    n_even = data[::2].count(0)
    n_odd = data[1::2].count(0)
    if min(n_even, n_odd) > 0 or max(n_even, n_odd) < 2:
        return None
    return "UTF-16LE" if n_odd else "UTF-16BE"


def _count_damage(data: bytes) -> int:
    """The number of damaged places in a text of UTF-8; 0 if it is in another encoding."""
    text = data.decode("utf-8", "replace")
    n_damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    n_ascii = len(text.encode("ascii", "ignore"))
    n_sound = len(text) - n_ascii - n_damaged
    return n_damaged if n_sound > 2 * n_damaged else 0


# Reading a text file with one segment per line, and saying what is wrong with one that is not.


@dataclass(frozen=True)
class TextFile:
    """A text of a test set, and the file that it is from."""

    role: str  # {"reference", "system", "training run", "source", "documents"}
    name: str  # of the reference or system
    path: FilePath
    lines: Sequence[Any] = field(repr=False)


def read_lines(path: FilePath, content: str = SEGMENTS) -> list[str]:
    r"""The lines of a UTF-8 text file, plain or packed; `content` is what messages expect in it.

    A line ends at ``\n`` (or ``\r\n``) only; other characters that Unicode calls line breaks stay
    in their segment. A byte order mark is left out, and the last line need not end.
    """
    lines: list[str] = _read(path, content)
    name = show_name(path)
    spend("lines", len(lines), name)
    spend("line_length", max(map(len, lines), default=0), name)
    return lines


def read_table(path: FilePath) -> InputTable:
    """A table of scores, of any format that `FORMATS` can read as one."""
    table: InputTable = _read(path, SCORE_TABLE)
    return table


def read_text_table_file(path: FilePath) -> TextTable | None:
    """Read a file of several texts; None for a file with a single text or without texts."""
    fmt = sniff_file(path)
    if fmt is None or TEXTS not in fmt.reads:
        return None
    table: TextTable = _read(path, TEXTS)
    name = show_name(path)
    for texts in (*table.references.values(), *table.outputs.values(), table.sources or ()):
        lengths = (len(text) for text in texts if text)
        spend("lines", len(texts), name)
        spend("line_length", max(lengths, default=0), name)
    return table


def _read(path: FilePath, content: str) -> Any:
    """The content of a file as its format is read; plain text as lines, or as a table."""
    data, packer = read_bytes(path, content)
    data = to_utf8(data)
    name = show_name(path)
    fmt = find_format(name, data, content)
    reader = None if fmt is None else fmt.reads[content]
    if fmt is not None and reader is not None and fmt.is_binary:
        return reader(data, name)
    text = decode_text(data, path, packer).lstrip("\ufeff")
    is_empty = not text.strip() if content == SCORE_TABLE else not text
    if is_empty:
        raise InputError(
            f"{name} is empty. Expected {content}. Check that the program that wrote it has finished."
        )
    if reader is None and content == SCORE_TABLE:
        reader = read_text_table
    if reader is not None:
        return reader(text, name)
    n_returns = text.rstrip("\r").count("\r")
    if "\n" not in text and n_returns:
        command = _write_command(r"tr '\r' '\n'", path, packer)
        raise InputError(
            f"{name} has no line feed and {n_returns:,} carriage returns, as old Macs and some spreadsheets "
            f"end lines. Expected {content}, each ended by a line feed. Convert it: {command}"
        )
    return split_lines(text)


def read_bytes(path: FilePath, content: str = SEGMENTS) -> tuple[bytes, str | None]:
    """The content of a file, unpacked, and the packer; None where it was not packed."""
    chunks = []
    packer = None
    for chunk, packer in read_chunks(path, content):  # noqa: B007  the last one is returned
        chunks.append(chunk)
    data = b"".join(chunks)
    refuse_stand_in(data, show_name(path), content)
    return data, packer


def read_chunks(
    path: FilePath, content: str = SEGMENTS, *, is_counted: bool = True
) -> Iterator[tuple[bytes, str | None]]:
    """The content of a file in chunks, unpacked, each with the packer; None where it was not packed.

    `is_counted`: whether it counts to the limits.
    """
    name = show_name(path)
    size = 0
    packer = None
    try:
        with open_file(path) as file:
            packer = find_packer(file)
            measured = name if packer is None else f"{name}, unpacked,"
            for chunk in unpack(file, name):
                size += len(chunk)
                if is_counted:
                    spend("mb", len(chunk), name)
                if not is_limited():
                    check_local("mb", size, measured)
                yield chunk, packer
    except FileNotFoundError:
        raise InputError(explain_missing(path)) from None
    except IsADirectoryError:
        raise InputError(
            f"{name} is a folder. Expected a file with {content}. Name a file in it."
        ) from None
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
        reason = "it breaks off before its end" if isinstance(error, EOFError) else str(error)
        raise InputError(
            f"{name} is a damaged {packer or 'zip'} file: {reason}. Copy or download it again."
        ) from None
    except ValueError:  # a name that no file can have
        raise InputError(f"{name} is not a file name. Check it for stray characters.") from None


def read_beginning(path: FilePath) -> bytes:
    """The first bytes of a file, unpacked."""
    for chunk, _ in read_chunks(path, is_counted=False):
        return chunk
    return b""


def sniff_file(path: FilePath) -> Format | None:
    """Find the format of a file by its beginning; None for plain text and unreadable files.

    A pipe can be read only once, so it has no format.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        return None
    with suppress(InputError):  # the message comes when the file is read
        return sniff(read_beginning(path))
    return None


def explain_missing(path: FilePath) -> str:
    """Message for a file or folder that does not exist, with the nearest name that does."""
    path = os.fsdecode(path)
    if not path:
        return "The name of a file is empty. Name a text file with one segment per line."
    name = show_name(path)
    folder, file = os.path.split(path)
    if os.path.islink(path):
        target = os.readlink(path)
        refuse_stand_in(os.fsencode(target), name, SEGMENTS)  # git-annex links to its objects
        return f"{name} is a link to {show_name(target)}, which does not exist. Correct the link."
    try:
        files = os.listdir(folder or ".")
    except OSError:
        return f"{name} does not exist: there is no folder {show_name(folder)}. Check the path."
    closest = find_closest(file, files)
    if closest is None:
        return f"{name} does not exist. Check the path."
    return f"{name} does not exist. Did you mean {show_name(os.path.join(folder, closest))}?"


def decode_text(data: bytes, path: FilePath, packer: str | None) -> str:
    """Decode UTF-8 text; raises InputError with the likely encoding of other data."""
    offset = data.find(0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start if offset < 0 else min(offset, error.start)
    if offset >= 0:
        raise InputError(_explain_encoding(data, offset, path, packer))
    return text


def _explain_encoding(data: bytes, offset: int, path: FilePath, packer: str | None) -> str:
    """Message for data that is not UTF-8 text from this byte on."""
    name = show_name(path)
    fmt = sniff(data)
    if fmt is not None and fmt.is_binary:
        return f"{name} is {fmt.title}, not text. Give it as UTF-8 text."
    encoding = _guess_encoding(data)
    n_damaged = _count_damage(data)
    program = f"iconv -f {encoding or 'ENCODING'} -t UTF-8"
    if data[offset] == 0 and encoding is None:
        fault = f"is NUL: {name} is not text, or damaged. If it is text, drop such bytes"
        program = r"tr -d '\000'"
    elif data[offset] != 0 and n_damaged:
        fault = (
            f"is not UTF-8 text, unlike the rest (places like it: {n_damaged}). Correct the line, or drop "
            "what is damaged"
        )
        program = "iconv -c -f UTF-8 -t UTF-8"
    elif encoding:
        fault = f"is not UTF-8 text. The file looks like {encoding}; convert it"
    else:
        fault = (
            "is not UTF-8 text, and the encoding is hard to tell. If you know it, convert the file"
        )
    line = data.count(b"\n", 0, offset) + 1
    place = f"{name}, line {line}: byte 0x{data[offset]:02X} at offset {offset}"
    if packer:
        place += " of the unpacked text"
    return f"{place} {fault}: {_write_command(program, path, packer)}"


def _write_command(program: str, path: FilePath, packer: str | None) -> str:
    """Write a shell command that makes a corrected copy next to a file."""
    name = show_name(path)
    file = shlex.quote(name)
    copy = shlex.quote(name.removesuffix(".gz") + ".utf8")
    if packer:
        return f"{packer} -dc {file} | {program} > {copy}"
    return f"{program} < {file} > {copy}"


# Texts of any size: small ones as a list, large ones left in their file.

#: Bytes on disk from which on a text is left there.
LARGE = 4 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_texts(path: FilePath) -> Sequence[str]:
    """Read the lines of a text file like `read_lines`; the lines of a large file stay on disk.

    A large gzipped file is unpacked to a temporary file. Uploads are small, and always in memory.
    """
    if isinstance(path, TextInTable):
        return path.lines
    lines = None
    try:
        is_small = is_limited() or not hasattr(os, "pread") or os.path.getsize(path) < LARGE
        if not is_small:
            file = open_file(path)  # noqa: SIM115  the lines are read from it later
            lines = _index_lines(file, path)
    except (OSError, ValueError):  # no such file, or no room for a copy
        lines = None
    return lines or read_lines(path)  # which says what is wrong, where something is


def _index_lines(file: io.BufferedReader, path: FilePath) -> StoredLines | None:
    """The lines of a file, None if it is no text."""
    stored_file: BinaryIO = file
    copy = None
    if find_packer(file):
        copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  lines are read from it later
        stored_file = copy
    state = read_file_state(file)
    offset = 0
    strides: list[np.ndarray] = []  # bytes from one line to the next
    sizes: list[np.ndarray] = []  # bytes of each line
    lengths: list[np.ndarray] = []  # characters of each line
    for block in _read_blocks(path, copy):
        if not strides:
            if find_format(show_name(path), block, SEGMENTS):
                return None
            if block.startswith(_BYTE_ORDER_MARK):
                offset = len(_BYTE_ORDER_MARK)
                block = block[offset:]
        try:
            lines = block.decode().removesuffix("\n").split("\n")
        except ValueError:
            return None
        has_returns_only = b"\r" in block and b"\n" not in block
        if b"\0" in block or has_returns_only:
            return None
        byte_lines = block.removesuffix(b"\n").split(b"\n")
        strides.append(np.array([len(line) + 1 for line in byte_lines], dtype=np.int64))
        sizes.append(np.array([len(line.removesuffix(b"\r")) for line in byte_lines], np.int32))
        lengths.append(np.array([len(line.removesuffix("\r")) for line in lines], dtype=np.int32))
    if not strides:
        return None
    if copy is not None:
        copy.flush()
        state = read_file_state(copy)
    begins = np.cumsum(np.concatenate([[offset], *strides]))[:-1]
    n_characters = np.concatenate(lengths)
    name = show_name(path)
    spend("line_length", int(n_characters.max()), name)
    return StoredLines(stored_file, name, begins, np.concatenate(sizes), n_characters, state)


def _read_blocks(path: FilePath, copy: BinaryIO | None) -> Iterator[bytes]:
    """The content of a file in blocks that end with a line, written to a copy at the same time."""
    pending: list[bytes] = []
    for chunk, _ in read_chunks(path):
        if copy is not None:
            copy.write(chunk)
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*pending, chunk[:end]])
            pending = []
        pending.append(chunk[end:])
    last = b"".join(pending)
    if last:
        yield last
