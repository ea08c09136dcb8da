"""JSON as strangers write it: measured before it is parsed, and without halves of characters."""

from __future__ import annotations

import json
import re
from typing import Any

from mtsig_core.data.readers.bounds import spend

__all__ = ["parse_json"]

#: An escape, taken whole, so that what follows a backslash is never the beginning of another.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
                     r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)


def parse_json(text: str, where: str | None) -> Any:
    r"""What a text of JSON says; half a character (a lone surrogate), which nothing could show, is written out.

    Raises
    ------
    ValueError
        If it is no JSON, or is nested too deep to be data.
    InputError
        If it has more values than may be read; `where` names it. None: they were counted before.

    Examples
    --------
    >>> parse_json('{"a": "\\ud83d\\ude00 \\ud800"}', "x.json")
    {'a': '😀 \\ud800'}
    """
    if where is not None:
        spend("values", text.count(",") + text.count("[") + text.count("{"), where)
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(lambda found: f"\\\\{found[1]}" if found[1] else found[0], text)
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
