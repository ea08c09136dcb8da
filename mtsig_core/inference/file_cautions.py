"""The warnings about outputs that are hardly the right file: another language, the source, lines out of step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from mtsig_core.data.readers.scripts import SPACELESS, written_in
from mtsig_core.data.testset import TestSet
from mtsig_core.results import Caution

__all__ = ["WRONG_FILES", "about_files"]

#: The codes of these warnings, which put all numbers of a system in doubt.
WRONG_FILES = ("is-source", "other-script", "sorted", "out-of-step")

_SEGMENTS = 2000  # that are looked at
_ENOUGH = 30  # segments whose lengths tell anything
_FITS, _BETTER = 0.7, 0.15  # correlation of lengths, and how much more of it than as the lines stand
_MOVES = {"one line later": (1, 1), "one line before": (-1, 1), "two lines later": (2, 1),
          "two lines before": (-2, 1), "from the last line to the first": (0, -1)}  # by how many lines, which way round


def about_files(testset: TestSet) -> Iterator[Caution]:
    """Warnings about outputs that look like another file than the one that was meant."""
    if not testset.has_texts or not testset.references:
        return
    first, reference = next((name, list(islice(texts, _SEGMENTS))) for name, texts in testset.references.items())
    script = written_in(reference)
    source = None if testset.sources is None else _stripped(islice(testset.sources, _SEGMENTS))
    for name, texts in testset.systems.items():
        output = list(islice(texts, _SEGMENTS))
        looks = written_in(output)
        if _stripped(output) == source:
            yield Caution("is-source", f"The output of {name} is the source, untranslated. See whether it is the right "
                                       "file.", a=name)
        elif looks != script and any(output):
            told = f"does not look {SPACELESS[script]}, as the references do" if looks is None and script else \
                f"looks {SPACELESS[looks or '']}, and the references {SPACELESS[script] if script else 'do not'}"
            yield Caution("other-script", f"The output of {name} {told}. See whether it is of this language pair.",
                          a=name)
        elif len({*output}) >= _ENOUGH and _is_sorted(output) and not _is_sorted(reference):
            yield Caution("sorted", f"The lines of {name} stand in alphabetical order. See whether they were sorted.",
                          a=name)
        elif (move := _fits_better(reference, output)) is not None:
            yield Caution("out-of-step", f"The lines of {name} fit reference {first} better {move}, by their lengths. "
                                         "See whether a line is missing or was added, or their order is another.",
                          a=name)


def _stripped(texts: Iterable[str | None]) -> list[str]:
    return [(text or "").strip() for text in texts]


def _is_sorted(texts: Iterable[str | None]) -> bool:
    """Whether all that are not empty stand in alphabetical order, as programs sort them: with regard to case or not."""
    written = [text for text in _stripped(texts) if text]
    return any(lines == sorted(lines) for lines in (written, [text.casefold() for text in written]))


def _fits_better(reference: Sequence[str | None], output: Sequence[str | None]) -> str | None:
    """How the lines of an output fit the reference clearly better than as they stand; None where they do not."""
    lengths = [(len(a), len(b)) for a, b in zip(reference, output, strict=True) if a and b]
    if len(lengths) < _ENOUGH:
        return None
    theirs, own = np.log(lengths).T
    found = {move: _correlation(theirs, own[::way], lines) for move, (lines, way) in _MOVES.items()}
    move = max(found, key=lambda move: found[move])
    return move if found[move] > max(_FITS, _correlation(theirs, own, 0) + _BETTER) else None


def _correlation(theirs: np.ndarray, own: np.ndarray, lines: int) -> float:
    """Of line k of the reference with line k + `lines` of the output; 0 where all are alike."""
    a, b = (theirs[:len(theirs) - lines], own[lines:]) if lines >= 0 else (theirs[-lines:], own[:lines])
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) and np.ptp(b) else 0.0
