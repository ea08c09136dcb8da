"""Which language without spaces between words a text is in, by its script."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["SPACELESS", "written_in"]

#: What the languages are called that tokenizers made for spaces leave whole, or in pieces too long.
SPACELESS = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "th": "Thai"}

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_THAI = "\u0e01-\u0e4e"
_ANY = f"[{_HAN}{_KANA}{_HANGUL}{_THAI}]"
_WORD_OF_OTHERS = rf"[^\W\d_{_HAN}{_KANA}{_HANGUL}{_THAI}]+"
_SEGMENTS = 2000  # that are looked at
_SOME_KANA = 0.1  # of Japanese; Chinese has a borrowed one now and then


def written_in(texts: Iterable[str | None]) -> str | None:
    """The language that most of the texts are in, if it is one of `SPACELESS`; else None.

    A character of these scripts counts as much as a word of others, so that names in Latin letters change nothing.

    >>> written_in(["今天天气很好。", "GPT-4 说"]), written_in(["今日はいい天気"]), written_in(["The north of 北京"])
    ('zh', 'ja', None)
    """
    there = [text for text in texts if text]
    sample = "\n".join(there[::max(1, len(there) // _SEGMENTS)])
    if sample.isascii() or not re.search(_ANY, sample):
        return None
    han, kana, hangul, thai = (len(re.findall(f"[{script}]", sample)) for script in (_HAN, _KANA, _HANGUL, _THAI))
    if han + kana + hangul + thai <= len(re.findall(_WORD_OF_OTHERS, sample)):
        return None
    if max(hangul, thai) > han + kana:
        return "ko" if hangul > thai else "th"
    return "ja" if kana > _SOME_KANA * (han + kana) else "zh"
