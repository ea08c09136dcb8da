"""What a test set holds, and what in it is suspicious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from mtsig_core.cells import number
from mtsig_core.diagnostics import about_ratings, about_texts
from mtsig_core.readers.scripts import written_in
from mtsig_core.results import Caution
from mtsig_core.testset import TestSet

__all__ = ["inventory_rows", "left_out", "suspicions"]

_NO_SPACES = ("zh", "ja", "th")  # between words: pieces between spaces would be taken for lost text
_TOO_SHORT, _TOO_LONG = 0.5, 2.0  # characters of a system's output / of the reference, in all


def inventory_rows(testset: TestSet) -> tuple[list[str], list[list[str]]]:
    """Header and rows: one for each text with its segments, words, characters, and empty and repeated segments.

    Words are what stands between spaces; none are counted where the script has no spaces. Of segment scores the
    missing ones count as empty.
    """
    header = ["role", "name", "segments", "words", "characters", "empty", "repeated"]
    texts = [("reference", name, values) for name, values in testset.references.items()]
    texts += [("system", name, values) for name, values in testset.systems.items()]
    texts += [("source", "", testset.sources)] if testset.sources is not None else []
    rows = [[role, name, *(number(count, ",") for count in _counts(values))] for role, name, values in texts]
    if (lines := left_out(testset)) is not None:
        rows.append(["left out", *lines, "", "", "", ""])
    if testset.documents is not None:
        rows.append(["documents", f"{testset.n_documents:,} documents", number(testset.n_segments, ","),
                     "", "", "", ""])
    rows += [["scores", metric, number(testset.n_segments, ","), "", "",
              number(_gaps(testset, table), ","), ""]
             for metric, table in testset.scores.items()]
    if testset.domains is not None:
        sizes = Counter(testset.domains)
        rows += [["domain", domain, number(size, ","), "", "", "", ""] for domain, size in sizes.items()]
    return header, rows


def left_out(testset: TestSet) -> tuple[str, str] | None:
    """Which lines before the last are no segments, and how many; of texts, they are those called canary.

    >>> left_out(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}, lines=[2])), left_out(TestSet("toy", {}, {"ref": ["a"]}))
    (('line 1, a canary', '1'), None)
    """
    gone = testset.lines[-1] - testset.n_segments
    if gone <= 0:
        return None
    known = set(testset.lines)
    first = next(line for line in range(1, testset.lines[-1]) if line not in known)
    more = f" and {gone - 1} more" if gone > 1 else ""
    return f"line {first}{more}{', a canary' if testset.has_texts else ''}", number(gone, ",")


def suspicions(testset: TestSet) -> list[Caution]:
    """Empty texts, identical outputs, outputs that are a reference, and lengths far from the reference's."""
    found = [*about_texts(testset), *chain(*(about_ratings(testset, metric) for metric in testset.scores))]
    names = list(testset.systems)
    for k, a in enumerate(names if testset.has_texts else ()):
        found += [Caution("identical-outputs", f"{a} and {b} have identical outputs.", a=a, b=b)
                  for b in names[k + 1:] if testset.systems[a] == testset.systems[b]]
        found += [Caution("is-reference", f"The output of {a} is reference {ref}, word for word. Leave it out, or "
                                          "score it with other references.", a=a)
                  for ref, texts in testset.references.items() if testset.systems[a] == texts]
    if not testset.has_texts:
        return found
    first, texts = next(iter(testset.references.items()))
    expected = _characters(texts)
    for name, output in testset.systems.items():
        ratio = _characters(output) / expected if expected else 1
        if 0 < ratio < _TOO_SHORT or ratio > _TOO_LONG:
            found.append(Caution("odd-length", f"{name} has {ratio:.2f} times the characters of reference {first}. "
                                               "Check the language and the file.", a=name))
    return found


def _gaps(testset, scores):
    """How many scores are missing, over all systems."""
    present = [value for name in testset.systems for value in scores.by_system.get(name, ()) if value is not None]
    return len(testset.systems) * testset.n_segments - len(present)


def _counts(values: Sequence[str | None]) -> tuple[int | None, ...]:
    present = [text for text in values if text is not None]
    filled = [text for text in present if text.strip()]
    words = None if written_in(present) in _NO_SPACES else sum(len(text.split()) for text in present)
    return (len(present), words, _characters(present),
            len(present) - len(filled), len(filled) - len(set(filled)))


def _characters(values):
    return sum(len(text) for text in values if text is not None)
