"""Text files with one segment per line, of any size and encoding, and JSON from strangers."""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
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

_LINES = 200  # that are not ASCII, by which an encoding is guessed
#: By the name that iconv knows them by. A text in few of them is a better guess than in one of all
#: there are.
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
    """Likely encoding of a text that is not UTF-8, by the name iconv knows it by; None without a
    good guess.
    """
    from charset_normalizer import from_bytes

    if (
        b"\0" in data
    ):  # UTF-16 without a mark has them in one of two bytes, of ends of lines at least
        even, odd = data[::2].count(0), data[1::2].count(0)
        return None if min(even, odd) or max(even, odd) < 2 else "UTF-16LE" if odd else "UTF-16BE"
    sample = b"\n".join(islice((line for line in data.split(b"\n") if not line.isascii()), _LINES))
    runs = re.findall(rb"[\x80-\xff]+", sample)
    if sum(len(run) == 1 and run >= b"\xc0" for run in runs) > len(runs) / 2:
        # an accented letter stands between plain ones; in other scripts, high bytes come in runs
        return "WINDOWS-1252"
    best = from_bytes(sample, cp_isolation=[*_ENCODINGS]).best()
    return None if best is None else _ENCODINGS[best.encoding]


def _count_damage(data: bytes) -> int:
    """The number of places that are not UTF-8 in a text that otherwise is; 0 if it is in another
    encoding.
    """
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    sound = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return damaged if sound > 2 * damaged else 0


# Reading a text file with one segment per line, and saying what is wrong with one that is not.


def read_lines(path: FilePath, content: str = SEGMENTS) -> list[str]:
    r"""The lines of a UTF-8 text file, plain or gzipped by its first bytes; `content` is what
    messages expect in it.

    A line ends at ``\n`` (or ``\r\n``) only; other characters that Unicode calls line breaks stay
    in their segment. A byte order mark is left out, and the last line need not end.
    """
    lines: list[str] = _read(path, content)
    spend("lines", len(lines), show_name(path))
    spend("line_length", max(map(len, lines), default=0), show_name(path))
    return lines


def read_table(path: FilePath) -> InputTable:
    """A table of scores, of any format that `FORMATS` can read as one."""
    table: InputTable = _read(path, SCORE_TABLE)
    return table


def read_text_table_file(path: FilePath) -> TextTable | None:
    """The texts of a file that holds several; None of one that holds a single text, or none."""
    fmt = sniff_file(path)
    if fmt is None or TEXTS not in fmt.reads:
        return None
    table: TextTable = _read(path, TEXTS)
    for texts in (*table.references.values(), *table.outputs.values(), table.sources or ()):
        spend("lines", len(texts), show_name(path))
        spend("line_length", max((len(text) for text in texts if text), default=0), show_name(path))
    return table


def _read(path: FilePath, content: str) -> Any:
    """What the reader of its format makes of a file; of plain text its lines, or its table."""
    data, unpacked = read_bytes(path, content)
    data = to_utf8(data)
    name = show_name(path)
    fmt = find_format(name, data, content)
    reader = None if fmt is None else fmt.reads[content]
    if fmt is not None and reader is not None and fmt.is_binary:
        return reader(data, name)
    text = decode_text(data, path, unpacked).lstrip("\ufeff")
    if not (text.strip() if content == SCORE_TABLE else text):
        raise InputError(
            f"{name} is empty. Expected {content}. Check that the program that wrote it has finished."
        )
    if reader is not None or content == SCORE_TABLE:
        return (reader or read_text_table)(text, name)
    if "\n" not in text and (ends := text.rstrip("\r").count("\r")):
        raise InputError(
            f"{name} has no line feed and {ends:,} carriage returns, as old Macs and some spreadsheets "
            f"end lines. Expected {content}, each ended by a line feed. Convert it: "
            + _write_command(r"tr '\r' '\n'", path, unpacked)
        )
    return split_lines(text)


def read_bytes(path: FilePath, content: str = SEGMENTS) -> tuple[bytes, bool]:
    """The content of a file, and whether it had to be unpacked."""
    parts = list(read_chunks(path, content))
    data = b"".join(chunk for chunk, _ in parts)
    refuse_stand_in(data, show_name(path), content)
    return data, bool(parts and parts[0][1])


def read_chunks(
    path: FilePath, content: str = SEGMENTS, *, is_counted: bool = True
) -> Iterator[tuple[bytes, bool]]:
    """The content of a file bit by bit, each with whether it had to be unpacked.

    `is_counted`: whether it counts to the limits.
    """
    name, size, packer = show_name(path), 0, None
    try:
        with open_file(path) as file:
            packer = find_packer(file)
            for chunk in unpack(file):
                size += len(chunk)
                if is_counted:
                    spend("mb", len(chunk), name)
                if not is_limited():
                    check_local("mb", size, name if packer is None else f"{name}, unpacked,")
                yield chunk, packer is not None
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
        raise InputError(f"{name} is no file name. Check it for stray characters.") from None


def read_beginning(path: FilePath) -> bytes:
    """The first bytes of a file, unpacked."""
    return next(read_chunks(path, is_counted=False), (b"", False))[0]


def sniff_file(path: FilePath) -> Format | None:
    """The format of a file, by its beginning; None of plain text, of what cannot be read, and of a
    pipe, which can be read only once.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        return None
    with suppress(InputError):  # which is said once the file is read
        return sniff(read_beginning(path))
    return None


def explain_missing(path: FilePath) -> str:
    """Message for a file or folder that is not there, with the nearest name that is."""
    path = os.fsdecode(path)
    if not path:
        return "The name of a file is empty. Name a text file with one segment per line."
    folder, name = os.path.split(path)
    if os.path.islink(path):
        refuse_stand_in(
            os.fsencode(os.readlink(path)), show_name(path), SEGMENTS
        )  # as git-annex links to its objects
        return f"{show_name(path)} is a link to {show_name(os.readlink(path))}, which does not exist. Mend the link."
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return f"{show_name(path)} does not exist: there is no folder {show_name(folder)}. Check the path."
    name_meant = find_closest(name, names)
    hint = (
        "Check the path."
        if name_meant is None
        else f"Did you mean {show_name(os.path.join(folder, name_meant))}?"
    )
    return f"{show_name(path)} does not exist. {hint}"


def decode_text(data: bytes, path: FilePath, unpacked: bool) -> str:
    """UTF-8 text; raises InputError that says what else it looks like."""
    offset = data.find(0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start if offset < 0 else min(offset, error.start)
    if offset >= 0:
        raise InputError(_explain_encoding(data, offset, path, unpacked))
    return text


def _explain_encoding(data: bytes, offset: int, path: FilePath, unpacked: bool) -> str:
    """Message for data that is not UTF-8 text from this byte on: where, what it looks like, what to
    do.
    """
    name, line = show_name(path), data.count(b"\n", 0, offset) + 1
    place = f"{name}, line {line}: byte 0x{data[offset]:02X} at offset {offset}{' of the unpacked text' * unpacked}"
    if (kind := sniff(data)) and kind.is_binary:
        return f"{name} is {kind.what}, not text. Give it as UTF-8 text."
    encoding, program = _guess_encoding(data), "iconv -f {} -t UTF-8"
    if data[offset] == 0 and encoding is None:
        fault = f" is NUL: {name} is not text, or damaged. If it is text, drop such bytes"
        program = r"tr -d '\000'"
    elif data[offset] != 0 and (damaged := _count_damage(data)):
        fault = (
            f" is not UTF-8 text, unlike the rest (places like it: {damaged}). Mend the line, or drop what is "
            "damaged"
        )
        program = "iconv -c -f UTF-8 -t UTF-8"
    elif encoding:
        fault = f" is not UTF-8 text. The file looks like {encoding}; convert it"
    else:
        fault = (
            " is not UTF-8 text, and the encoding is hard to tell. If you know it, convert the file"
        )
    return (
        f"{place}{fault}: {_write_command(program.format(encoding or 'ENCODING'), path, unpacked)}"
    )


def _write_command(program: str, path: FilePath, unpacked: bool) -> str:
    """A shell command that writes a better copy of a file beside it."""
    name = show_name(path)
    copy = shlex.quote(name.removesuffix(".gz") + ".utf8")
    source = (
        f"gzip -dc {shlex.quote(name)} | {program}"
        if unpacked
        else f"{program} < {shlex.quote(name)}"
    )
    return f"{source} > {copy}"


# Texts of any size: small ones as a list, large ones left in their file.

#: Bytes on disk from which on a text is left there.
LARGE = 4 << 20
_MARK = b"\xef\xbb\xbf"  # of the byte order


def read_texts(path: FilePath) -> Sequence[str]:
    """The lines of a text file, as `read_lines` has them; those of a large one stay in their file,
    or in a temporary one if it is gzipped. What strangers upload is small, and always in memory.
    """
    if isinstance(path, TextInTable):
        return path.lines
    try:
        small = is_limited() or not hasattr(os, "pread") or os.path.getsize(path) < LARGE
        lines = None if small else _index_lines(open_file(path), path)
    except (OSError, ValueError):  # no such file, or no room for a copy
        lines = None
    return lines or read_lines(path)  # which says what is wrong, where something is


def _index_lines(file: io.BufferedReader, path: FilePath) -> StoredLines | None:
    """The lines of a file, None if it is no text."""
    state = read_file_state(file)
    copy = cast(BinaryIO, tempfile.TemporaryFile()) if find_packer(file) else None
    offset, ends, sizes, lengths = 0, *(list[np.ndarray]() for _ in range(3))
    for block in _read_blocks(path, copy):
        if not ends and find_format(show_name(path), block, SEGMENTS):
            return None
        if not ends and block.startswith(_MARK):
            offset, block = len(_MARK), block[len(_MARK) :]
        try:
            lines = block.decode().removesuffix("\n").split("\n")
        except ValueError:
            return None
        if b"\0" in block or (b"\r" in block and b"\n" not in block):
            return None
        raw = block.removesuffix(b"\n").split(b"\n")
        ends.append(np.array([len(line) + 1 for line in raw], dtype=np.int64))
        sizes.append(np.array([len(line.removesuffix(b"\r")) for line in raw], dtype=np.int32))
        lengths.append(np.array([len(line.removesuffix("\r")) for line in lines], dtype=np.int32))
    if not ends:
        return None
    if copy is not None:
        copy.flush()
        state = read_file_state(copy)
    begins = np.cumsum(np.concatenate([[offset], *ends]))[:-1]
    n_letters = np.concatenate(lengths)
    spend("line_length", int(n_letters.max()), show_name(path))
    return StoredLines(
        copy or file, show_name(path), begins, np.concatenate(sizes), n_letters, state
    )


def _read_blocks(path: FilePath, copy: BinaryIO | None) -> Iterator[bytes]:
    """The content of a file in blocks that end with a line, written to a copy as it comes."""
    pending: list[bytes] = []
    for chunk, _ in read_chunks(path):
        if copy is not None:
            copy.write(chunk)
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*pending, chunk[:end]])
            pending = []
        pending.append(chunk[end:])
    if last := b"".join(pending):
        yield last
