"""Which language without spaces between words a text is in, by its script."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["SPACELESS", "written_in"]

#: What the languages are called that tokenizers made for spaces leave whole, or in pieces too long.
SPACELESS = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "th": "Thai", "km": "Khmer", "lo": "Lao",
             "my": "Burmese", "bo": "Tibetan"}

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
#: Letters of the scripts that stand for one language each.
_OWN = {"ko": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", "th": "\u0e01-\u0e4e", "km": "\u1780-\u17d3",
        "lo": "\u0e81-\u0ece", "my": "\u1000-\u103f\u1050-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f", "bo": "\u0f40-\u0fbc"}
_RANGES = "".join((_HAN, _KANA, *_OWN.values()))
_ANY = f"[{_RANGES}]"
_WORD_OF_OTHERS = rf"[^\W\d_{_RANGES}]+"
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
    han, kana, *own = (len(re.findall(f"[{script}]", sample)) for script in (_HAN, _KANA, *_OWN.values()))
    if han + kana + sum(own) <= len(re.findall(_WORD_OF_OTHERS, sample)):
        return None
    if max(own) > han + kana:
        return [*_OWN][own.index(max(own))]
    return "ja" if kana > _SOME_KANA * (han + kana) else "zh"
