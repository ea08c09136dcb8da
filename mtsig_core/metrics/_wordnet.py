"""Which words are synonyms, from the files of WordNet where they are installed."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mtsig_core.errors import InputError

#: Parts of speech and the endings that WordNet's own search takes off words or exchanges (its manual, morphy).
_ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
             ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": ()}
_USUAL = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/local/WordNet-3.1/dict",
          "/usr/local/WordNet-3.0/dict", "/opt/homebrew/opt/wordnet/dict")


def find_wordnet() -> WordNet | None:
    """The WordNet that is installed, None without one.

    It is looked for in the folders that WordNet's own programs know, ``WNSEARCHDIR`` and ``WNHOME/dict``, then in the
    usual places. A folder counts if all its files are there and say which version they are. A variable that is set
    decides: nothing else is tried.
    """
    named = [os.environ.get("WNSEARCHDIR"), os.environ.get("WNHOME") and os.path.join(os.environ["WNHOME"], "dict")]
    for folder in [name for name in named if name is not None] or _USUAL:
        if folder and all(os.path.isfile(os.path.join(folder, f"{kind}.{part}"))
                          for part in _ENDINGS for kind in ("index", "data")) and (found := _opened(folder)).version:
            return found
    return None


@functools.cache
def _opened(folder: str) -> WordNet:
    return WordNet(Path(folder))


class WordNet:
    """The words of WordNet and the synsets (sets of synonyms) that each belongs to.

    `folder`: with ``index.noun``, ``noun.exc`` and the like. `version`: as its files say; empty where they do not.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        with open(folder / "data.noun", encoding="utf-8", errors="replace") as file:
            found = re.search(r"WordNet (\d+\.\d+)", file.read(2000))
        self.version = found[1] if found else ""

    @functools.cached_property
    def digest(self) -> str:
        """Digest of the files with the words and their synsets."""
        content = hashlib.blake2b(digest_size=16)
        for path in sorted([*self._folder.glob("index.*"), *self._folder.glob("*.exc")]):
            content.update(path.read_bytes())
        return content.hexdigest()

    def synsets(self, word: str) -> tuple[int, ...]:
        """The synsets of a word, by its base forms, in ascending order: numbers that only serve to be compared."""
        return tuple(sorted({synset for part in _ENDINGS for base in self._base_forms(word, part)
                             for synset in self._index[part].get(base, ())}))

    def _base_forms(self, word: str, part: str) -> set[str]:
        """The word itself, and what is left without its endings or where it is an exception."""
        if word in self._exceptions[part]:
            return {word, *self._exceptions[part][word]}
        return {word, *(word[:len(word) - len(ending)] + other
                        for ending, other in _ENDINGS[part] if word.endswith(ending))}

    @functools.cached_property
    def _index(self) -> dict[str, dict[str, list[int]]]:
        """{part: {word: its synsets}}. A line holds word, part, how many synsets, ..., and these as its last fields."""
        index: dict[str, dict[str, list[int]]] = {}
        for number, part in enumerate(_ENDINGS):
            words = index[part] = {}
            for k, fields in self._lines(f"index.{part}"):
                try:
                    words[fields[0]] = [10 * int(synset) + number for synset in fields[-int(fields[2]):]]
                except (ValueError, IndexError):
                    raise InputError(
                        f"{self._folder / f'index.{part}'}, line {k}: {' '.join(fields)[:60]!r} is no entry of "
                        "WordNet. Expected a word, its part of speech, the number of its synsets, and at the end "
                        "these. Install WordNet again, or set WNSEARCHDIR to nothing to do without.") from None
        return index

    @functools.cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        return {part: {fields[0]: fields[1:] for _, fields in self._lines(f"{part}.exc")} for part in _ENDINGS}

    def _lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Number and fields of each line of a file, but of its licence, indented; a list of exceptions may lack."""
        path = self._folder / name
        if not path.exists():
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            for k, line in enumerate(file, 1):
                if not line.startswith(" ") and (fields := line.split()):
                    yield k, fields
