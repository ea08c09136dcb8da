"""What a file is when it is not UTF-8 text: a plain guess, for the message that says what to do."""

from __future__ import annotations

import re
from itertools import islice

__all__ = ["damage_in_utf8", "guess_encoding"]

SAMPLE = 1 << 16  # bytes, or
LINES = 200  # that are not ASCII

# By the name that iconv knows them by. A text in few of them is a better guess than in one of all there are.
WIDE = {"utf_32": "UTF-32", "utf_32_le": "UTF-32LE", "utf_32_be": "UTF-32BE",
        "utf_16": "UTF-16", "utf_16_le": "UTF-16LE", "utf_16_be": "UTF-16BE"}
NARROW = {"shift_jis": "SHIFT_JIS", "big5": "BIG5", "gb18030": "GB18030",
          "cp1252": "WINDOWS-1252", "cp1251": "WINDOWS-1251", "koi8_r": "KOI8-R", "cp1253": "WINDOWS-1253",
          "cp1255": "WINDOWS-1255", "cp1256": "WINDOWS-1256"}


def guess_encoding(data: bytes) -> str | None:
    """Likely encoding of a text that is not UTF-8, by the name iconv knows it by; None without a good guess."""
    from charset_normalizer import from_bytes

    if b"\0" in data:
        names, sample = WIDE, data[:min(len(data), SAMPLE) // 4 * 4]
    else:
        names, sample = NARROW, b"\n".join(islice((line for line in data.split(b"\n") if not line.isascii()), LINES))
        # An accented letter stands between plain ones; in other scripts, high bytes come in runs.
        runs = re.findall(rb"[\x80-\xff]+", sample)
        if sum(len(run) == 1 and run >= b"\xc0" for run in runs) > len(runs) / 2:
            return "WINDOWS-1252"
        if (told := _in_euc(sample)) is not None:
            return told or None
    best = from_bytes(sample, cp_isolation=[*names]).best()
    if best is None or (names is WIDE and not best.bom and "\n" not in str(best)):  # read so, stray NULs make hanzi
        return None
    return names[best.encoding]


def _in_euc(sample: bytes) -> str | None:
    """Whether it is EUC-JP or EUC-KR; empty where that cannot be told from Chinese, None where it is neither.

    Japanese, Korean and Chinese of this kind have the same bytes, so that a short text is read as any of them without
    an error. But kana are in rows that the others hardly use; and Korean is of Hangul alone, where of Chinese read as
    Korean some two in five characters are Hanja.
    """
    for codec, script, name in (("euc_jp", "[\u3041-\u30fe]", "EUC-JP"), ("euc_kr", "[\uac00-\ud7a3]", "EUC-KR")):
        try:
            letters = "".join(re.findall(r"[^\W\d_a-zA-Z]+", sample.decode(codec)))
        except UnicodeDecodeError:
            continue
        share = len(re.findall(script, letters)) / max(1, len(letters))
        if name == "EUC-JP" and share > 0.2 or share > 0.95 and len(letters) >= 10:
            return name
        if name == "EUC-KR" and share > 0.8:
            return ""
    return None


def damage_in_utf8(data: bytes) -> int:
    """The number of places that are not UTF-8 in a text that otherwise is; 0 if it is in another encoding."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    sound = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return damaged if sound > 2 * damaged else 0
