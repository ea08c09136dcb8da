"""Texts that match a regular expression, looked for in a process of its own.

Python's `re` cannot be stopped: some patterns take years, or all memory, on a short text. The process can be ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from mtsig_core.errors import SettingError

__all__ = ["SECONDS", "matching"]

#: That a search may take.
SECONDS = 2.0
_MEGABYTES = 1000
_SEARCH = f"""
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({_MEGABYTES << 20}, {_MEGABYTES << 20}))
    resource.setrlimit(resource.RLIMIT_CPU, ({int(SECONDS) + 1}, {int(SECONDS) + 1}))
except (ImportError, OSError, ValueError):
    pass  # not everywhere
import re, warnings
warnings.simplefilter("ignore")
asked = json.load(sys.stdin)
try:
    search = re.compile(asked["pattern"], re.IGNORECASE).search
except (re.error, OverflowError) as error:
    print(json.dumps({{"wrong": str(error)}}))
else:
    print(json.dumps({{"found": [k for k, texts in enumerate(zip(*asked["fields"]))
                               if any(text is not None and search(text) for text in texts)]}}))
"""


def matching(fields: Sequence[Sequence[str | None]], pattern: str) -> np.ndarray:
    """In which segments a text matches a regular expression of Python's `re`, anywhere in it, capitals or not.

    Parameters
    ----------
    fields : sequence of sequence of str or None
        Texts of each segment, such as the sources, and the outputs of a system.
    pattern : str

    Returns
    -------
    ndarray of bool, shape (segments,)

    Raises
    ------
    SettingError
        For a pattern that cannot be read, or takes longer than `SECONDS` or too much memory on these texts.

    Examples
    --------
    >>> matching([["12 cats", "a dog", None], ["", "", "no 7"]], r"\\d+$|^a\\b").tolist()
    [False, True, True]
    """
    inside = np.zeros(len(fields[0]) if fields else 0, dtype=bool)
    if not fields:
        return inside
    asked = json.dumps({"pattern": pattern, "fields": [list(texts) for texts in fields]})
    try:
        done = subprocess.run([sys.executable, "-I", "-S", "-c", _SEARCH], input=asked.encode(), capture_output=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise SettingError(_too_much(pattern)) from None
    if done.returncode:
        raise SettingError(_too_much(pattern))
    answer = json.loads(done.stdout)
    if "wrong" in answer:
        raise SettingError(f"The regular expression {pattern!r} cannot be read: {answer['wrong']}. A backslash before "
                           "a sign such as ( or . looks for the sign itself.")
    inside[answer["found"]] = True
    return inside


def _too_much(pattern: str) -> str:
    return (f"The regular expression {pattern!r} takes more than {SECONDS:g} seconds, or too much memory, on these "
            "texts. Repeat no group that repeats itself, such as (a+)+, or look for a text as it is written.")
