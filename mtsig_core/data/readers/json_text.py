"""JSON as strangers write it: measured before it is parsed, and without halves of characters."""

from __future__ import annotations

import json
import re
from typing import Any

from mtsig_core.data.readers.bounds import spend
from mtsig_core.data.readers.lines import shown
from mtsig_core.errors import InputError

__all__ = ["parse_json"]

#: An escape, taken whole, so that what follows a backslash is never the beginning of another.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
                     r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)


def parse_json(text: str, where: str, counted: bool = False) -> Any:
    r"""What a text of JSON says; half a character (a lone surrogate), which nothing could show, is written out.

    Parameters
    ----------
    where : str
        Names it in messages.
    counted : bool
        Whether its values were counted before, as those of one line are with their file's.

    Raises
    ------
    ValueError
        If it is no JSON, or is nested too deep to be data.
    InputError
        If it has more values than may be read, or an object has a key twice.

    Examples
    --------
    >>> parse_json('{"a": "\\ud83d\\ude00 \\ud800"}', "x.json")
    {'a': '😀 \\ud800'}
    """
    if not counted:
        spend("values", text.count(",") + text.count("[") + text.count("{"), where)
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(lambda found: f"\\\\{found[1]}" if found[1] else found[0], text)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in found if keys.count(key) > 1)
            raise InputError(f"{where} has {shown(twice)} twice in one object, and only one can be meant. Remove or "
                             "rename one of them.")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
