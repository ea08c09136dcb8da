"""What a language pair is, such as en-de, en-zh_TW or en-pt-BR."""

from __future__ import annotations

import re

__all__ = ["LANGUAGE", "is_langpair", "languages_of"]

#: With script, region, or both, as in zh_Hant_TW, or zh-Hant-TW: after a hyphen in the letters of BCP 47, large where a
#: second language is small, so that en-pt-BR is one pair.
LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4}|-[A-Z][a-z]{3}|-[A-Z]{2}|[_-][0-9]{3}){0,2}"


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
