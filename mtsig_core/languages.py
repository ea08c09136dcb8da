"""Languages: parse language pairs, and recognize languages that are written without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What a language pair is, such as en-de, en-zh_TW or en-pt-BR.

#: With script, region, or both, as in zh_Hant_TW, or zh-Hant-TW: after a hyphen in the letters of
#: BCP 47, large where a second language is small, so that en-pt-BR is one pair.
LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4}|-[A-Z][a-z]{3}|-[A-Z]{2}|[_-][0-9]{3}){0,2}"

#: The two letters under which tokenizers, stemmers and the scripts without spaces are known, by
#: ISO 639-3 and 639-2B codes, also of Chinese languages and of Dzongkha.
THREE_LETTERS = {
    **dict.fromkeys(("zho", "chi", "cmn", "yue", "wuu", "lzh", "hak", "nan"), "zh"),
    **dict.fromkeys(("mya", "bur", "shn"), "my"),
    **dict.fromkeys(("bod", "tib", "dzo"), "bo"),
    "jpn": "ja",
    "kor": "ko",
    "tha": "th",
    "khm": "km",
    "lao": "lo",
    "eng": "en",
    "dan": "da",
    "deu": "de",
    "ger": "de",
    "spa": "es",
    "fin": "fi",
    "fra": "fr",
    "fre": "fr",
    "hun": "hu",
    "ita": "it",
    "nld": "nl",
    "dut": "nl",
    "nor": "no",
    "por": "pt",
    "ron": "ro",
    "rum": "ro",
    "rus": "ru",
    "swe": "sv",
    "tur": "tr",
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
    """Return the two-letter code of a language, without its region.

    If a script belongs to only one language, the script decides.

    >>> language_code("zho_Hans"), language_code("zh-TW"), language_code("eng"), language_code("yue_Hant")
    ('zh', 'zh', 'en', 'zh')
    >>> language_code("zho_Latn"), language_code("uk"), language_code(None)  # the first has spaces between its words
    ('zho', 'uk', None)
    """
    if not language:
        return None
    code, *subtags = re.split("[-_]", language)
    script = next((subtag.lower() for subtag in subtags if len(subtag) == 4), "")
    if script in _SCRIPTS:
        return _SCRIPTS[script]
    short_code = THREE_LETTERS.get(code, code)
    if script and short_code in _SCRIPTS.values():
        return code  # in another script it has spaces between its words
    return short_code


def two_letters(code: str) -> str:
    """Return the two-letter code of a language, or the code unchanged if none is known.

    >>> two_letters("ces"), two_letters("eng"), two_letters("liv"), two_letters("de")
    ('cs', 'en', 'liv', 'de')
    """
    return _TWO_LETTERS.get(code) or THREE_LETTERS.get(code, code)


def is_langpair(name: str) -> bool:
    """Whether this is two languages, source first."""
    return re.fullmatch(f"{LANGUAGE}-{LANGUAGE}", name) is not None


def name_parts(names: Iterable[str]) -> str:
    """What the parts of a task are called, in the singular.

    >>> name_parts(["en-de", "en-cs"]), name_parts(["news", "flores"])
    ('language pair', 'test set')
    """
    return "language pair" if all(map(is_langpair, names)) else "test set"


def languages_of(langpair: str | None) -> tuple[str | None, str | None]:
    """Split a language pair into source and target, with region and script; None if unknown.

    >>> languages_of("en-de"), languages_of("pt-BR-en"), languages_of("en-zh-Hant-TW"), languages_of("de")
    (('en', 'de'), ('pt-BR', 'en'), ('en', 'zh-Hant-TW'), ('de', None))
    """
    match = re.fullmatch(f"({LANGUAGE})-({LANGUAGE})", langpair or "")
    if match is not None:
        return match[1], match[2]
    codes = (langpair or "").split("-")
    return codes[0] or None, codes[1] if len(codes) > 1 else None


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
_SCRIPT_RANGES = {
    "ko": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "th": "\u0e01-\u0e4e",
    "km": "\u1780-\u17d3",
    "lo": "\u0e81-\u0ece",
    "my": "\u1000-\u103f\u1050-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f",
    "bo": "\u0f40-\u0fbc",
}
_RANGES = "".join((_HAN, _KANA, *_SCRIPT_RANGES.values()))
_WORD_IN_OTHER_SCRIPTS = rf"[^\W\d_{_RANGES}]+"
_SEGMENTS = 2000  # that are looked at
_MIN_KANA = 0.1  # of Japanese; Chinese has a borrowed one now and then


def find_spaceless(texts: Iterable[str | None]) -> str | None:
    """Find the language of most of the texts, if it is one of `SPACELESS`; else None.

    A character of these scripts counts as much as a word of other scripts, so that names in Latin
    letters do not change the result.

    >>> find_spaceless(["今天天气很好。", "GPT-4 说"]), find_spaceless(["The north of 北京"])
    ('zh', None)
    """
    present = [text for text in texts if text]
    step = max(1, len(present) // _SEGMENTS)
    sample = "\n".join(present[::step])
    if sample.isascii() or not re.search(f"[{_RANGES}]", sample):
        return None
    n_han = _count_letters(_HAN, sample)
    n_kana = _count_letters(_KANA, sample)
    counts = {code: _count_letters(script, sample) for code, script in _SCRIPT_RANGES.items()}
    n_words = len(re.findall(_WORD_IN_OTHER_SCRIPTS, sample))
    if n_han + n_kana + sum(counts.values()) <= n_words:
        return None
    most_frequent = max(counts, key=lambda code: counts[code])
    if counts[most_frequent] > n_han + n_kana:
        return most_frequent
    return "ja" if n_kana > _MIN_KANA * (n_han + n_kana) else "zh"


def _count_letters(script: str, text: str) -> int:
    return len(re.findall(f"[{script}]", text))
