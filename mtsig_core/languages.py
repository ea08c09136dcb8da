"""Languages: what a language pair is, and which language without spaces a text is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What a language pair is, such as en-de, en-zh_TW or en-pt-BR.

#: With script, region, or both, as in zh_Hant_TW, or zh-Hant-TW: after a hyphen in the letters of
#: BCP 47, large where a second language is small, so that en-pt-BR is one pair.
LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4}|-[A-Z][a-z]{3}|-[A-Z]{2}|[_-][0-9]{3}){0,2}"

#: ISO 639-3 (and 639-2B) codes, and those of Chinese languages and of Dzongkha, by the code under
#: which tokenizers, stemmers and the scripts without spaces are known here.
THREE_LETTERS = {
    code: two
    for two, codes in {
        "zh": "zho chi cmn yue wuu lzh hak nan",
        "ja": "jpn",
        "ko": "kor",
        "th": "tha",
        "km": "khm",
        "lo": "lao",
        "my": "mya bur shn",
        "bo": "bod tib dzo",
        "en": "eng",
        "da": "dan",
        "de": "deu ger",
        "es": "spa",
        "fi": "fin",
        "fr": "fra fre",
        "hu": "hun",
        "it": "ita",
        "nl": "nld dut",
        "no": "nor",
        "pt": "por",
        "ro": "ron rum",
        "ru": "rus",
        "sv": "swe",
        "tr": "tur",
    }.items()
    for code in codes.split()
}
#: Two-letter codes of further languages of shared tasks, by their codes of three letters.
_TWO_LETTERS = {
    "ces": "cs",
    "cze": "cs",
    "ukr": "uk",
    "hin": "hi",
    "isl": "is",
    "ice": "is",
    "hrv": "hr",
    "heb": "he",
    "est": "et",
    "ara": "ar",
    "arz": "ar",
    "srp": "sr",
    "kaz": "kk",
    "guj": "gu",
    "lit": "lt",
    "lav": "lv",
    "pol": "pl",
    "tam": "ta",
    "pus": "ps",
    "iku": "iu",
    "hau": "ha",
    "xho": "xh",
    "zul": "zu",
    "ben": "bn",
    "bul": "bg",
    "ell": "el",
    "gre": "el",
    "fas": "fa",
    "ind": "id",
    "vie": "vi",
    "slk": "sk",
}
_SCRIPTS = {
    "hans": "zh",
    "hant": "zh",
    "hani": "zh",
    "jpan": "ja",
    "kore": "ko",
    "hang": "ko",
    "thai": "th",
    "khmr": "km",
    "laoo": "lo",
    "mymr": "my",
    "tibt": "bo",
}


def language_code(language: str | None) -> str | None:
    """The two letters that a language is known by here; by its script where that says it, and
    without its region.

    >>> language_code("zho_Hans"), language_code("zh-TW"), language_code("eng"), language_code("yue_Hant")
    ('zh', 'zh', 'en', 'zh')
    >>> language_code("zho_Latn"), language_code("uk"), language_code(None)  # the first has spaces between its words
    ('zho', 'uk', None)
    """
    if not language:
        return None
    code, *parts = re.split("[-_]", language)
    script = next((part.lower() for part in parts if len(part) == 4), "")
    two_letters = THREE_LETTERS.get(code, code)
    return _SCRIPTS.get(
        script, code if script and two_letters in _SCRIPTS.values() else two_letters
    )


def two_letters(code: str) -> str:
    """The code of a language in two letters where one is known here.

    >>> two_letters("ces"), two_letters("eng"), two_letters("liv"), two_letters("de")
    ('cs', 'en', 'liv', 'de')
    """
    return _TWO_LETTERS.get(code) or THREE_LETTERS.get(code, code)


def is_langpair(name: str) -> bool:
    """Whether this is two languages, source first."""
    return re.fullmatch(f"{LANGUAGE}-{LANGUAGE}", name) is not None


def languages_of(langpair: str | None) -> tuple[str | None, str | None]:
    """Source and target language, None where the pair says none; region and script are part of
    each.

    >>> languages_of("en-de"), languages_of("pt-BR-en"), languages_of("en-zh-Hant-TW"), languages_of("de")
    (('en', 'de'), ('pt-BR', 'en'), ('en', 'zh-Hant-TW'), ('de', None))
    """
    if match := re.fullmatch(f"({LANGUAGE})-({LANGUAGE})", langpair or ""):
        return match[1], match[2]
    source, *target = (langpair or "").split("-")
    return source or None, target[0] if target else None


# Which language without spaces between words a text is in, by its script.

#: What the languages are called that tokenizers made for spaces leave whole, or in pieces too long.
SPACELESS = {
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "th": "Thai",
    "km": "Khmer",
    "lo": "Lao",
    "my": "Burmese",
    "bo": "Tibetan",
}

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
#: Letters of the scripts that stand for one language each.
_OWN = {
    "ko": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "th": "\u0e01-\u0e4e",
    "km": "\u1780-\u17d3",
    "lo": "\u0e81-\u0ece",
    "my": "\u1000-\u103f\u1050-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f",
    "bo": "\u0f40-\u0fbc",
}
_RANGES = "".join((_HAN, _KANA, *_OWN.values()))
_ANY = f"[{_RANGES}]"
_WORD_OF_OTHERS = rf"[^\W\d_{_RANGES}]+"
_SEGMENTS = 2000  # that are looked at
_SOME_KANA = 0.1  # of Japanese; Chinese has a borrowed one now and then


def find_spaceless(texts: Iterable[str | None]) -> str | None:
    """The language that most of the texts are in, if it is one of `SPACELESS`; else None.

    A character of these scripts counts as much as a word of others, so that names in Latin letters
    change nothing.

    >>> find_spaceless(["今天天气很好。", "GPT-4 说"]), find_spaceless(["The north of 北京"])
    ('zh', None)
    """
    present = [text for text in texts if text]
    sample = "\n".join(present[:: max(1, len(present) // _SEGMENTS)])
    if sample.isascii() or not re.search(_ANY, sample):
        return None
    han, kana, *counts = (
        len(re.findall(f"[{script}]", sample)) for script in (_HAN, _KANA, *_OWN.values())
    )
    if han + kana + sum(counts) <= len(re.findall(_WORD_OF_OTHERS, sample)):
        return None
    if max(counts) > han + kana:
        return [*_OWN][counts.index(max(counts))]
    return "ja" if kana > _SOME_KANA * (han + kana) else "zh"
