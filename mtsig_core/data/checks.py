"""What is refused as a part of a test set: a text where a list of texts belongs, a number where a text does."""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any, cast

from mtsig_core.data.stored_lines import StoredLines
from mtsig_core.errors import InputError

__all__ = ["as_ids", "as_list", "as_names", "as_scores", "as_texts", "literal"]

_JOINERS = "\u200c\u200d"
_COPIED = 50_000  # texts: to have looked at them costs a copy, which of more would be felt


def literal(text: str | os.PathLike[str]) -> str:
    r"""A name that any screen and file can take: what stands for bytes that are no UTF-8, or for half a character, is
    written out, and so is what nobody sees, or what would turn the text around it: control and format characters, but
    for those that join letters in some scripts.

    >>> print(literal("caf\udce9"), literal("a\u202eb\n"), literal("می\u200cخواهم"))
    caf\udce9 a\u202eb\n می‌خواهم
    """
    text = os.fsdecode(text)
    return text if text.isprintable() else "".join(map(_written_out, text))


def _written_out(letter: str) -> str:
    unseen = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in _JOINERS
    return letter.encode("unicode_escape").decode() if unseen else letter


def as_names(where: str, values: object) -> Mapping[str, Any]:
    """A mapping whose keys are names; what no screen could show of them is written out.

    Raises
    ------
    InputError
        If it is none, or a name is no text or empty.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{where} are {_shown(values)}. Expected a mapping from names to lists, such as "
                         "{'A': [...], 'B': [...]}.")
    for name in values:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"{where}: {_shown(name)} is no name. Expected a text that is not empty.")
    return values if all(map(str.isprintable, values)) else {literal(name): value for name, value in values.items()}


def as_list(where: str, values: object) -> tuple[Any, ...]:
    """The items of a list, an array or another sequence, one for each segment.

    Raises
    ------
    InputError
        If it is a text, whose items would be its characters, or has no items in order.
    """
    if isinstance(values, str | bytes):
        raise InputError(f"{where} is the text {_shown(values)}. Expected a list with an item for each segment; for a "
                         "single segment, a list of one.")
    if isinstance(values, Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(f"{where} is {_shown(values)}. Expected a list with an item for each segment.")
    return cast("tuple[Any, ...]", values) if isinstance(values, StoredLines | _Texts) else tuple(values)


def as_texts(where: str, values: object, missing: bool = False) -> tuple[Any, ...]:
    """Texts, one for each segment; or None in places, where some may be `missing`.

    Raises
    ------
    InputError
        At the first that is something else.

    Examples
    --------
    >>> as_texts("system A", ["a b", 3.5])
    Traceback (most recent call last):
    mtsig_core.errors.InputError: system A: segment 2 is 3.5. Expected a text; where there is nothing, an empty one, ''.
    """
    texts = as_list(where, values)
    if isinstance(texts, StoredLines | _Texts):
        return texts
    kinds = set(map(type, texts))
    if kinds == {str}:
        return _Texts(texts) if len(texts) <= _COPIED else texts
    if not all(issubclass(kind, str) or (missing and kind is type(None)) for kind in kinds):
        k = next(k for k, text in enumerate(texts) if not (isinstance(text, str) or (missing and text is None)))
        nothing = "None" if missing else "an empty one, ''"
        raise InputError(f"{where}: segment {k + 1} is {_shown(texts[k])}. Expected a text; where there is nothing, "
                         f"{nothing}.")
    return texts


def as_ids(where: str, values: object) -> tuple[Any, ...]:
    """Names of what each segment belongs to, such as its document; what no screen could show of them is written out.

    Raises
    ------
    InputError
        As `as_texts`.
    """
    if isinstance(values, _Texts):
        return values
    texts = as_texts(where, values)
    written = {text: literal(text) for text in set(texts) if not text.isprintable()}
    return as_texts(where, [written.get(text, text) for text in texts]) if written else texts


def as_scores(where: str, values: object) -> tuple[float | None, ...]:
    """Finite numbers, one for each segment; None where there is none, or NaN.

    Raises
    ------
    InputError
        At the first that is something else.
    """
    if isinstance(values, _Scores):
        return values
    scores = as_list(where, values)
    if set(map(type, scores)) == {float} and all(map(math.isfinite, scores)):  # quick: a task has millions
        return _Scores(scores)
    return _Scores(_score(where, k, value) for k, value in enumerate(scores, 1))


class _Texts(tuple[str, ...]):
    """Texts, none of them missing, that `as_texts` has looked at: each view of a test set asks again."""

    __slots__ = ()


class _Scores(tuple[float | None, ...]):
    """The same of `as_scores`."""

    __slots__ = ()


def _score(where: str, k: int, value: object) -> float | None:
    if value is None or type(value) is float and math.isfinite(value):
        return value
    if not isinstance(value, Real) or isinstance(value, bool) or math.isinf(value):
        raise InputError(f"{where}: segment {k} is {_shown(value)}. Expected a finite number, or None where there is "
                         "none.")
    return None if math.isnan(value) else float(value)


def _shown(value: object, longest: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."
