"""Two equal systems, tested by sentence and by document, test set after test set: what a lecture shows of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core.experiments.population import Rate, rate
from mtsig_core.inference.significance import significant, student_t

__all__ = ["SENTENCES", "EqualSystems", "design_effect", "equal_tests", "expected_by_sentence"]

#: Of each test set.
SENTENCES = 400
_STREAM = 60
_BLOCK = 100  # test sets from one generator


@dataclass(frozen=True, eq=False)
class EqualSystems:
    """Test sets on which two systems are equal in truth.

    Attributes
    ----------
    differences : ndarray, shape (tests, sentences)
        Of sentence scores, in standard deviations; neighbours of one document share a part.
    by_sentence, by_document : ndarray, shape (tests,)
        p of Student's t.
    """

    differences: np.ndarray
    by_sentence: np.ndarray
    by_document: np.ndarray

    def first(self, tests: int) -> EqualSystems:
        """The first of them."""
        return EqualSystems(*(values[:tests] for values in (self.differences, self.by_sentence, self.by_document)))

    def shades(self, tests: int) -> list[str]:
        """The differences of the first tests, a letter each: M for 0, from D to V in steps of a third."""
        steps = np.clip(np.rint(3 * self.differences[:tests]), -9, 9).astype(int) + ord("M")
        return ["".join(map(chr, row)) for row in steps.tolist()]

    def rejected(self, alpha: float = 0.05) -> tuple[Rate, Rate]:
        """Tests that call the two different, by sentence and by document."""
        first, second = (rate(int(significant(p, alpha).sum()), len(p)) for p in (self.by_sentence, self.by_document))
        return first, second


def equal_tests(per_document: int, correlation: float, seed: int, start: int, stop: int) -> EqualSystems:
    """Test sets `start` to `stop`: normal differences with mean 0, of which documents share a part.

    Parameters
    ----------
    per_document : int
        Sentences of each document; divides `SENTENCES`.
    correlation : float
        Between two sentences of one document (intra-class), from 0 to 1.

    Examples
    --------
    >>> found = equal_tests(20, 0.1, 0, 0, 400)
    >>> found.differences.shape, [0.2 < r.share < 0.3 for r in found.rejected()][0], found.rejected()[1].share < 0.08
    ((400, 400), True, True)
    """
    n_documents = SENTENCES // per_document
    parts = []
    for block in range(start // _BLOCK, max(start // _BLOCK, (stop - 1) // _BLOCK) + 1):
        rng = np.random.default_rng([seed, _STREAM, block])
        shared = rng.standard_normal((_BLOCK, n_documents, 1))
        own = rng.standard_normal((_BLOCK, n_documents, per_document))
        parts.append(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)
    first = start // _BLOCK * _BLOCK
    documents = np.concatenate(parts)[start - first:stop - first]
    sentences, means = documents.reshape(len(documents), -1), documents.mean(axis=2)
    return EqualSystems(sentences, student_t(sentences.mean(axis=1), sentences), student_t(means.mean(axis=1), means))


def design_effect(per_document: int, correlation: float) -> float:
    """How much larger the variance of a mean is than that of as many independent sentences: 1 + (m - 1) rho.

    Examples
    --------
    >>> round(design_effect(20, 0.1), 1)
    2.9
    """
    return 1 + (per_document - 1) * correlation


def expected_by_sentence(per_document: int, correlation: float, alpha: float = 0.05) -> float:
    """Share of equal pairs that a test by sentence rejects, by the normal distribution: 2 Phi(-z / sqrt(deff)).

    Examples
    --------
    >>> round(expected_by_sentence(20, 0.1), 3), round(expected_by_sentence(1, 0.1), 3)
    (0.25, 0.05)
    """
    from scipy.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(design_effect(per_document, correlation))))
