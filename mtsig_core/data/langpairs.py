"""What a language pair is, such as en-de, en-zh_TW or en-pt-BR."""

from __future__ import annotations

import re

__all__ = ["LANGUAGE", "THREE_LETTERS", "is_langpair", "language_code", "languages_of"]

#: With script, region, or both, as in zh_Hant_TW, or zh-Hant-TW: after a hyphen in the letters of BCP 47, large where a
#: second language is small, so that en-pt-BR is one pair.
LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4}|-[A-Z][a-z]{3}|-[A-Z]{2}|[_-][0-9]{3}){0,2}"

#: ISO 639-3 (and 639-2B) codes, and those of Chinese languages and of Dzongkha, by the code under which tokenizers,
#: stemmers and the scripts without spaces are known here.
THREE_LETTERS = {code: two for two, codes in {
    "zh": "zho chi cmn yue wuu lzh hak nan", "ja": "jpn", "ko": "kor", "th": "tha", "km": "khm", "lo": "lao",
    "my": "mya bur shn", "bo": "bod tib dzo", "en": "eng", "da": "dan", "de": "deu ger", "es": "spa", "fi": "fin",
    "fr": "fra fre", "hu": "hun", "it": "ita", "nl": "nld dut", "no": "nor", "pt": "por", "ro": "ron rum", "ru": "rus",
    "sv": "swe", "tr": "tur"}.items() for code in codes.split()}
_SCRIPTS = {"hans": "zh", "hant": "zh", "hani": "zh", "jpan": "ja", "kore": "ko", "hang": "ko", "thai": "th",
            "khmr": "km", "laoo": "lo", "mymr": "my", "tibt": "bo"}


def language_code(language: str | None) -> str | None:
    """The two letters that a language is known by here; by its script where that says it, and without its region.

    >>> language_code("zho_Hans"), language_code("zh-TW"), language_code("eng"), language_code("yue_Hant")
    ('zh', 'zh', 'en', 'zh')
    >>> language_code("zho_Latn"), language_code("uk"), language_code(None)  # the first has spaces between its words
    ('zho', 'uk', None)
    """
    if not language:
        return None
    code, *parts = re.split("[-_]", language)
    script = next((part.lower() for part in parts if len(part) == 4), "")
    known = THREE_LETTERS.get(code, code)
    return _SCRIPTS.get(script, code if script and known in _SCRIPTS.values() else known)


def is_langpair(name: str) -> bool:
    """Whether this is two languages, source first."""
    return re.fullmatch(f"{LANGUAGE}-{LANGUAGE}", name) is not None


def languages_of(langpair: str | None) -> tuple[str | None, str | None]:
    """Source and target language, None where the pair says none; region and script are part of each.

    >>> languages_of("en-de"), languages_of("pt-BR-en"), languages_of("en-zh-Hant-TW"), languages_of("de")
    (('en', 'de'), ('pt-BR', 'en'), ('en', 'zh-Hant-TW'), ('de', None))
    """
    if found := re.fullmatch(f"({LANGUAGE})-({LANGUAGE})", langpair or ""):
        return found[1], found[2]
    source, *target = (langpair or "").split("-")
    return source or None, target[0] if target else None
