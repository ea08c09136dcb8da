"""Small files in place of the right file: pointers, and error messages of servers.

Each is a valid text, and would be scored as one: the same pointer as reference and output has a
BLEU of 100.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from mtsig_core.errors import InputError

_LONGEST = 2048  # bytes of such a file


@dataclass(frozen=True)
class StandIn:
    """A kind of file that is found in the place of another."""

    name: str
    title: str  # the same with its article
    pattern: bytes  # of the whole file
    remedy: str

    def fits(self, data: bytes) -> bool:
        """Whether the content of a file matches this kind of stand-in."""
        return len(data) <= _LONGEST and re.fullmatch(self.pattern, data.strip()) is not None


_DOWNLOAD = "Download the file again: the server had none under that address."

STAND_INS = (
    StandIn(
        "git-lfs",
        "a pointer of Git LFS, not the file itself",
        rb"version https?://(git-lfs|hawser)\.github\.com/spec/v\d+\s(?s:.*)",
        "Fetch the file: git lfs pull.",
    ),
    StandIn(
        "git-annex",
        "a pointer of git-annex, not the file itself",
        rb"[^\n]*/annex/objects/[^\n]+",
        "Fetch the file: git annex get FILE.",
    ),
    StandIn(
        "dvc",
        "a pointer of DVC, not the file itself",
        rb"(?s:.*)outs:\s*\n\s*- (md5|etag|hash|path|size): (?s:.*)",
        "Fetch the file: dvc pull.",
    ),
    StandIn(
        "not-found",
        "the answer of a server that has no such file",
        rb"(404: Not Found|404 Not Found|Not Found|Entry not found|Repository not found|File not found\.?"
        rb"|Access denied\.?|Forbidden|Invalid username or password\.)",
        _DOWNLOAD,
    ),
)


def find_stand_in(data: bytes) -> StandIn | None:
    r"""Find the kind of stand-in that a file is, by its full content; None for a proper file.

    >>> find_stand_in(b"404: Not Found").name, find_stand_in(b"Not found, they say.\nNobody knows.\n")
    ('not-found', None)
    """
    for stand_in in STAND_INS:
        if stand_in.fits(data):
            return stand_in
    return None


def refuse_stand_in(data: bytes, name: str, content: str) -> None:
    """Raise InputError if a file is a stand-in; `content` names the expected content."""
    stand_in = find_stand_in(data)
    if stand_in is not None:
        remedy = stand_in.remedy.replace("FILE", shlex.quote(name))
        raise InputError(f"{name} is {stand_in.title}. Expected {content}. {remedy}")
