"""Convert dataclasses to JSON and back, by the annotations of their fields (msgspec).

Files for users are text: `to_json`, `parse_json` and `from_plain`. Internal files are bytes:
`encode` and `decode`, which are faster.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np

from mtsig_core.errors import InputError

#: The form of results that users keep as JSON; one more when an older file can no longer be read.
SCHEMA = 2
#: Rows for files, by the names of their columns.
Records = list[dict[str, Any]]
NamedRecords = dict[str, dict[str, Any]]

_Value = TypeVar("_Value")
_TYPE = re.compile(r"(?<=`)\w+|(?<=\| )\w+")
_WORDS = {
    "int": "whole number",
    "float": "number",
    "str": "text",
    "bool": "true or false",
    "array": "list",
    "object": "object with keys",
}


def to_plain(value: object) -> Any:
    """Dataclasses as dictionaries, down to the last.

    Raises
    ------
    TypeError
        For numbers of numpy.
    """
    return msgspec.to_builtins(value)


def to_json(value: object) -> str:
    """The JSON of dictionaries, lists and dataclasses, in full precision.

    Raises
    ------
    ValueError
        For NaN and infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_plain)
    # msgspec indents three times as fast as json, whose indented text is written in Python
    compact = text.encode("utf-8", "surrogatepass")
    return msgspec.json.format(compact, indent=2).decode("utf-8", "surrogatepass") + "\n"


def parse_json(text: str) -> Any:
    """The JSON of a file that a user gave, without NaN and infinity."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_finite)
    except (ValueError, RecursionError) as error:
        place = ""
        if isinstance(error, json.JSONDecodeError):
            place = f" (line {error.lineno}: {error.msg})"
        raise InputError(f"This is not JSON{place}. Expected what mtsig writes.") from error


def from_plain(kind: type[_Value], data: object, subject: str) -> _Value:
    """A dataclass from parsed JSON; keys that it does not know are ignored.

    Raises
    ------
    InputError
        If the data do not fit; the message has the place, the expected and the actual value.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        message = _TYPE.sub(_name_type, message).replace(" | ", " or ").replace("`", "")
        raise InputError(f"{subject}{place.removesuffix('`')}: {message}.") from error


def _name_type(name: re.Match[str]) -> str:
    return _WORDS.get(name[0], name[0])


def encode(value: object) -> bytes:
    """Encode a value for `decode`; arrays become their bytes."""
    return msgspec.msgpack.encode(value, enc_hook=_from_array)


def decode(kind: type[_Value], data: bytes | memoryview) -> _Value:
    """Decode a value of this type that `encode` wrote; InputError for other bytes."""
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_to_array)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"This is not what mtsig keeps as {kind.__name__}: {error}.") from error


def _from_array(array: Any) -> tuple[str, tuple[int, ...], memoryview]:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{type(array).__name__} is nothing that mtsig keeps")
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return array.dtype.str, array.shape, content.data


def _to_array(kind: type, fields: Any) -> np.ndarray:  # noqa: ARG001  msgspec passes the type
    try:
        dtype, shape, content = fields
        return np.frombuffer(content, dtype).reshape(shape)
    except (TypeError, ValueError) as error:
        raise msgspec.ValidationError(f"Expected an array: {error}") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise InputError(f"It contains {constant}, which is not JSON. Expected null where undefined.")


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InputError(
            f"It contains {digits[:20]}, which is too large. Expected a number below 1e308."
        )
    return number
