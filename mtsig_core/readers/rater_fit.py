"""Ratings as numbers, and the effects of systems and raters by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mtsig_core.readers.ratings import LineId, Rating


@dataclass(frozen=True, eq=False)
class RatedSegments:
    """The ratings of some segments, for example of the segments of a document."""

    segments: slice  # of the design
    rows: slice  # ratings of the design
    starts: np.ndarray  # where each segment begins among these ratings
    counts: np.ndarray  # ratings of each segment

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums over the ratings of each segment, of a row for each rating."""
        sums: np.ndarray = np.add.reduceat(values, self.starts, axis=0)
        return sums

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Means over the ratings of each segment, of a row for each rating."""
        return np.asarray((self.sum(values).T / self.counts).T)

    def centre(self, values: np.ndarray) -> np.ndarray:
        """The values of ratings, a row for each, less the mean of their segment."""
        return np.asarray(values - np.repeat(self.mean(values), self.counts, axis=0))


class Design(NamedTuple):
    """Ratings sorted by document and segment, as numbers."""

    systems: dict[str, int]
    n_raters: int
    system: np.ndarray  # of each rating
    rater: np.ndarray
    score: np.ndarray
    segments: np.ndarray  # where each segment begins, and the end
    documents: np.ndarray  # where each document begins, and the end, among the segments

    @classmethod
    def from_ratings(cls, ratings: Sequence[Rating]) -> Design:
        """The design of ratings that are sorted."""
        system_names = [rating.system for rating in ratings]
        rater_names = [rating.rater or "" for rating in ratings]
        systems = {name: k for k, name in enumerate(dict.fromkeys(system_names))}
        raters = {name: k for k, name in enumerate(dict.fromkeys(rater_names))}
        segments = _find_starts([rating.line for rating in ratings])
        documents = _find_starts([find_document(ratings[k]) for k in segments[:-1]])
        return cls(
            systems,
            len(raters),
            np.array([systems[name] for name in system_names]),
            np.array([raters[name] for name in rater_names]),
            np.array([rating.score for rating in ratings], dtype=np.float64),
            segments,
            documents,
        )

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.segments) - 1

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.documents) - 1

    def take_segments(self, first: int, end: int) -> RatedSegments:
        """The ratings of segments `first` to `end`."""
        starts = self.segments[first : end + 1]
        rows = slice(int(starts[0]), int(starts[-1]))
        return RatedSegments(slice(first, end), rows, starts[:-1] - starts[0], np.diff(starts))

    def list_documents(self) -> list[RatedSegments]:
        """The ratings of each document."""
        return [self.take_segments(int(first), int(end)) for first, end in pairwise(self.documents)]

    def make_columns(self, block: RatedSegments) -> np.ndarray:
        """The columns of systems and raters, a row for each rating, less the segment's mean."""
        n_systems = len(self.systems)
        system = self.system[block.rows]
        rater = self.rater[block.rows]
        columns = np.zeros((len(system), n_systems + self.n_raters))
        rows = np.arange(len(system))
        columns[rows, system] = 1
        columns[rows, n_systems + rater] = 1
        return block.centre(columns)


def find_document(rating: Rating) -> LineId:
    """Find the document of a rating; without documents each segment is a document."""
    return rating.line if rating.document is None else rating.document


def _find_starts(values: Sequence[object]) -> np.ndarray:
    """Where each run of the same value begins, and the end."""
    starts = [0]
    for k, (earlier, later) in enumerate(pairwise(values), 1):
        if later != earlier:
            starts.append(k)
    return np.array([*starts, len(values)])


@dataclass(frozen=True, eq=False)
class RaterFit:
    """The effects of systems and raters, by least squares."""

    effects: np.ndarray  # shape (systems + raters,)
    products: np.ndarray  # of the centred columns, shape (systems + raters, systems + raters)
    inverse: np.ndarray  # its pseudo-inverse


class Inverse(NamedTuple):
    """A pseudo-inverse."""

    matrix: np.ndarray
    free: np.ndarray  # what it maps to 0, in columns

    def tells_apart(self, n_systems: int) -> bool:
        """Whether differences between the first columns (the systems) can be estimated."""
        of_systems = self.free[:n_systems]
        spread = np.abs(of_systems - of_systems.mean(axis=0)).max(initial=0)
        return bool(spread <= 1e-6)


def invert(products: np.ndarray) -> Inverse:
    """The pseudo-inverse of sums of products."""
    values, vectors = np.linalg.eigh(products)
    is_free = values <= 1e-9 * max(values[-1], 1)
    determined = vectors[:, ~is_free]
    return Inverse((determined / values[~is_free]) @ determined.T, vectors[:, is_free])


def fit_raters(design: Design) -> RaterFit | None:
    """The effects; None where differences between systems cannot be estimated."""
    n_systems = len(design.systems)
    size = n_systems + design.n_raters
    products = np.zeros((size, size))
    sums = np.zeros(size)
    for document in design.list_documents():
        columns = design.make_columns(document)
        products += columns.T @ columns
        sums += columns.T @ document.centre(design.score[document.rows])
    inverse = invert(products)
    if not inverse.tells_apart(n_systems):
        return None
    return RaterFit(inverse.matrix @ sums, products, inverse.matrix)
