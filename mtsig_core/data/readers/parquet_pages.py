"""How much the pages of a Parquet file unpack to, by the headers of the pages: what its footer says may be a lie."""

from __future__ import annotations

from typing import Any

from mtsig_core.errors import InputError

__all__ = ["check_columns", "unpacked_size"]

_PAGES, _CHUNKS = 100_000, 100_000  # more of them than any table of scores has
_WIDEST = 32  # bytes of a value of fixed length, which many rows may refer to, and each then has for itself
_PREFIXES = 7  # DELTA_BYTE_ARRAY: each text begins as the one before, at no cost however long
_DEPTH = 8  # of what a header may hold in one another
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12


def check_columns(about: Any, name: str) -> None:
    """Refuse a table that is none of numbers and texts.

    Parameters
    ----------
    about : pyarrow.parquet.ParquetFile
    name : str
        What messages call the file.

    Raises
    ------
    InputError
    """
    from pyarrow import types

    if about.metadata.num_row_groups * about.metadata.num_columns > _CHUNKS:
        raise InputError(f"{name} has {about.metadata.num_row_groups:,} row groups of "
                         f"{about.metadata.num_columns:,} columns. Write it again, in one.")
    nested = next((field.name for field in about.schema_arrow if types.is_nested(field.type)), None)
    wide = (column.name for column in about.schema if column.max_repetition_level or column.length > _WIDEST)
    if (wrong := next(wide, nested)) is not None:
        raise InputError(f"{name}: the column {wrong!r} holds lists, records or bytes. Expected columns of numbers and "
                         "texts.")


def unpacked_size(data: bytes, metadata: Any, name: str) -> int:
    """Bytes of all pages, unpacked.

    Parameters
    ----------
    data : bytes
        The file.
    metadata : pyarrow.parquet.FileMetaData
        Where its columns begin, and how many bytes they take packed.
    name : str
        What messages call the file.

    Raises
    ------
    InputError
        Where texts share their beginnings, and unpack to no size that a header says.
    ValueError
        Where a header is damaged.

    Notes
    -----
    The reader of pages unpacks a page into as many bytes as its header says, and reads no page that is not counted
    here: both begin where the column does, and go on by the packed size in each header.
    """
    total = pages = 0
    for k in range(metadata.num_row_groups):
        for j in range(metadata.num_columns):
            chunk = metadata.row_group(k).column(j)
            at = chunk.data_page_offset
            if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
                at = chunk.dictionary_page_offset
            end = min(len(data), at + chunk.total_compressed_size)
            while at < end:
                header, at = _struct(data, at, 0)
                packed, unpacked = header.get(3, -1), header.get(2, -1)
                if min(packed, unpacked, at) < 0 or (pages := pages + 1) > _PAGES:
                    raise ValueError("its pages are damaged, or too many")
                if _PREFIXES in (_field(header, 5, 2), _field(header, 8, 4)):
                    raise InputError(f"{name}: texts are written by what they have in common (DELTA_BYTE_ARRAY). "
                                     "Write it again with dictionaries, as is usual.")
                total, at = total + unpacked, at + packed
    return total


def _field(header: dict[int, Any], outer: int, inner: int) -> Any:
    found = header.get(outer)
    return found.get(inner) if isinstance(found, dict) else None


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Fields by number, of Thrift's compact protocol, and where they end."""
    if depth > _DEPTH:
        raise ValueError("a header is too deep")
    found: dict[int, Any] = {}
    number = 0
    while (kind := _byte(data, at)) & 15 != _STOP:
        at += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, at = _integer(data, at)
        found[number], at = _value(data, at, kind & 15, depth)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, at
    if kind == _BYTE:
        return _byte(data, at), at + 1
    if kind == _DOUBLE:
        return None, at + 8
    if kind == _BINARY:
        size, at = _varint(data, at)
        return None, at + size
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind in (_LIST, _SET, _MAP):  # no header of a page has one
        raise ValueError("a header has a list")
    return _integer(data, at)


def _integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = _byte(data, at)
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("a number is too long")


def _byte(data: bytes, at: int) -> int:
    if not 0 <= at < len(data):
        raise ValueError("a header is cut off")
    return data[at]
