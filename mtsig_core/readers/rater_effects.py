"""Scores adjusted for raters: rating = system + segment + rater by least squares; and whether raters favour systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.ratings import Rating, keep_last_ratings

#: The end of the name of scores that are adjusted for raters; the mean over raters stands beside them.
ADJUSTED = "-adjusted"
#: Scores are not adjusted where the standard error of each difference would be so many times too wide.
TOO_WIDE = 2.0
_FLIPS, _SEED = 999, 0
_MOST_CELLS = 2000  # pairs of a rater and a system, beyond which the test of all of them takes minutes


class Design(NamedTuple):
    """Ratings sorted by document and segment, as numbers."""

    systems: dict[str, int]
    n_raters: int
    system: np.ndarray
    rater: np.ndarray
    score: np.ndarray
    segments: np.ndarray  # where each segment begins, and the end
    documents: np.ndarray  # where each document begins, and the end, among the segments

    @classmethod
    def from_ratings(cls, ratings: Sequence[Rating]) -> Design:
        """Of ratings that are sorted."""
        systems, raters = ({name: k for k, name in enumerate(dict.fromkeys(names))} for names in (
            (one.system for one in ratings), (one.rater or "" for one in ratings)))
        segments = _find_starts([rating.line for rating in ratings])
        documents = _find_starts([_document_of(ratings[k]) for k in segments[:-1]])
        return cls(systems, len(raters), np.array([systems[one.system] for one in ratings]),
                   np.array([raters[one.rater or ""] for one in ratings]),
                   np.array([one.score for one in ratings], dtype=np.float64), segments, documents)

    @property
    def n_segments(self) -> int:
        return len(self.segments) - 1

    @property
    def n_documents(self) -> int:
        return len(self.documents) - 1

    def rows(self, first: int, end: int) -> slice:
        """The ratings of segments `first` to `end`."""
        return slice(self.segments[first], self.segments[end])

    def columns(self, first: int, end: int) -> np.ndarray:
        """Of the ratings of segments `first` to `end` the columns of systems and raters, less their segment's mean."""
        own = self.rows(first, end)
        n_systems = len(self.systems)
        values = np.zeros((own.stop - own.start, n_systems + self.n_raters))
        rows = np.arange(len(values))
        values[rows, self.system[own]] = 1
        values[rows, n_systems + self.rater[own]] = 1
        return self.centre(values, first, end)

    def centre(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        """Values of the ratings of segments `first` to `end`, a row for each, less their segment's mean."""
        counts = np.diff(self.segments[first:end + 1])
        centred: np.ndarray = values - np.repeat(self.mean(values, first, end), counts, axis=0)
        return centred

    def sum(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        """Sums over the ratings of each segment, of a row for each rating."""
        sums: np.ndarray = np.add.reduceat(values, self.segments[first:end] - self.segments[first], axis=0)
        return sums

    def mean(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        counts = np.diff(self.segments[first:end + 1])
        return self.sum(values, first, end) / counts.reshape(-1, *(1,) * (values.ndim - 1))


def _find_starts(values: Sequence[object]) -> np.ndarray:
    """Where each run of the same value begins, and the end."""
    return np.array([k for k, value in enumerate(values) if k == 0 or value != values[k - 1]] + [len(values)])


def _document_of(rating: Rating) -> int | str:
    return rating.line if rating.document is None else rating.document


@dataclass(frozen=True, eq=False)
class RaterFit:
    """The effects of systems and raters, by least squares."""

    effects: np.ndarray  # shape (systems + raters,)
    products: np.ndarray  # of the centred columns, shape (systems + raters, systems + raters)
    inverse: np.ndarray  # its pseudo-inverse
    rank: int


def adjust_raters(metric: str, ratings: Sequence[Rating]) -> tuple[list[Rating], tuple[Assumption, ...]]:
    """Scores of each system on each line, adjusted for how strict the raters are; and what to know of them.

    A rating is system + segment + rater, by least squares. The mean of a system's adjusted scores is the mean over the
    segments, plus how much better the system is than those that were rated there; see `share_out_effects`.
    """
    from threadpoolctl import threadpool_limits

    kept = _sort_by_document(ratings)
    design = Design.from_ratings(kept)
    with threadpool_limits(limits=1, user_api="blas"):  # small matrices, for which threads only wait for one another
        fit = fit_raters(design)
        shared_out = None if fit is None else share_out_effects(design, fit)
        if fit is None or shared_out is None:
            raise InputError(f"{kept[0].file.name}: how strict raters are cannot be told apart from how good systems "
                             "are, as too few raters rate several systems. Take the mean over raters.",
                             {"raters": "mean"})
        scores, links = shared_out
        _check_links(kept[0].file.name, links)
        favour = find_favour(design, fit)
    adjusted = []
    for segment, start in enumerate(design.segments[:-1]):
        for system, column in design.systems.items():
            adjusted.append(kept[start]._replace(system=system, score=float(scores[segment, column])))
    return adjusted, tuple(_describe_fit(metric + ADJUSTED, design, fit, links, favour))


def _sort_by_document(ratings: Sequence[Rating]) -> list[Rating]:
    """The ratings that have a score, of each rater the last: documents and lines in the order in which they come."""
    place: dict[int | str, int] = {}
    kept = [rating for rating in keep_last_ratings(ratings) if rating.score is not None]
    for rating in kept:
        place.setdefault(_document_of(rating), len(place))
        place.setdefault(rating.line, len(place))
    return sorted(kept, key=lambda rating: (place[_document_of(rating)], place[rating.line]))


def _check_links(file: str, links: Links) -> None:
    """Raise InputError where the ratings link no two systems well enough."""
    narrowest = float(links.widening[~np.eye(len(links.widening), dtype=bool)].min(initial=np.inf))
    if TOO_WIDE <= narrowest < np.inf:
        raise InputError(
            f"{file}: too few documents link the systems for scores adjusted for raters. The standard error of each "
            f"difference would be at least {narrowest:.1f} times too wide. Expected less than {TOO_WIDE:g} times. Have "
            "more documents rated for several systems by the same raters, or take the mean over raters.",
            {"raters": "mean"})


def _describe_fit(metric: str, design: Design, fit: RaterFit, links: Links, favour: Favour | None
                  ) -> list[Assumption]:
    """What was done, how much there is to compare systems by, and whether raters favour systems."""
    effects, counts = fit.effects[len(design.systems):], np.bincount(design.rater)
    sd = float(np.sqrt(np.average((effects - np.average(effects, weights=counts)) ** 2, weights=counts)))
    told = [Assumption("ratings-adjusted", {"metric": metric, "n_raters": design.n_raters, "effects_sd": sd})]
    names = list(design.systems)
    if len(names) > 1:
        apart = np.where(np.eye(len(names), dtype=bool), -np.inf, links.widening)
        first, second = np.unravel_index(int(apart.argmax()), apart.shape)
        told.append(Assumption("rater-links", {
            "metric": metric, "langpair": "", "a": names[first], "b": names[second],
            "worth": float(links.worth[first, second]), "widening": float(links.widening[first, second]),
            "n_documents": design.n_documents}))
    if favour is None:
        told.append(Assumption("rater-favour-untested", {"metric": metric, "langpair": ""}))
    else:
        told.append(Assumption("rater-favour", {"metric": metric, "langpair": "", **favour._asdict()}))
    return told


#-----------------------------------------------------------------------------------------------------------------------
# The fit, and what each document adds to it.


def fit_raters(design: Design) -> RaterFit | None:
    """The effects of systems and raters; None where differences between systems cannot be estimated."""
    size = len(design.systems) + design.n_raters
    products, sums = np.zeros((size, size)), np.zeros(size)
    for first, end in pairwise(design.documents):
        columns = design.columns(first, end)
        scores = design.centre(design.score[design.rows(first, end)], first, end)
        products += columns.T @ columns
        sums += columns.T @ scores
    inverse = _invert(products)
    if not inverse.tells_apart(len(design.systems)):
        return None
    return RaterFit(inverse.matrix @ sums, products, inverse.matrix, inverse.rank)


class Links(NamedTuple):
    """How well the ratings link two systems; each of shape (systems, systems), of no meaning on the diagonal."""

    #: Documents of equal weight that the ratings are worth by which the two are compared: Kish's (1965) number of what
    #: each document tells of the difference, which is how much smaller it makes the variance.
    worth: np.ndarray
    #: Standard error of the difference as estimated, over the true one, were all ratings independent. Residuals beside
    #: the fit without a document have the error of that fit, too: in sparse ratings it is large.
    widening: np.ndarray


def share_out_effects(design: Design, fit: RaterFit) -> tuple[np.ndarray, Links] | None:
    """Adjusted scores of shape (segments, systems), and the links; None where the effects of systems cannot be
    estimated without some document.

    Effects are sums over ratings, so each document has a part in them: of the effects as fitted, in proportion to what
    its ratings tell of the systems, and of what they are beside the fit. The latter is taken beside the fit *without*
    the document, as in the estimate CR3 of Bell and McCaffrey 2002, since a fit follows the ratings that it is made of.
    Of G documents it counts (G - 1) / G, as a mean without one of them is off by G / (G - 1) times its part. So where
    raters rate all systems in each of their documents, the parts are the plain differences.
    """
    n_systems, n_segments, n_documents = len(design.systems), design.n_segments, design.n_documents
    own = np.append(fit.effects[:n_systems], np.zeros(design.n_raters))
    rated = design.mean(np.eye(n_systems)[design.system], 0, n_segments)  # of each segment the share of each system
    toward = fit.inverse[:n_systems] - rated.mean(axis=0) @ fit.inverse[:n_systems]
    fitted, beside = np.zeros((2, n_segments, n_systems))
    told, squares, variance = np.zeros((3, n_systems, n_systems))
    for first, end in pairwise(design.documents):
        columns = design.columns(first, end)
        without = _invert(fit.products - columns.T @ columns)
        if not without.tells_apart(n_systems):
            return None
        scores = design.centre(design.score[design.rows(first, end)], first, end)
        rest = scores - columns @ fit.effects
        rest += columns @ (without.matrix @ (columns.T @ rest))
        weights = columns @ toward.T
        fitted[first:end] = design.sum((columns @ own)[:, None] * weights, first, end)
        beside[first:end] = design.sum(rest[:, None] * weights, first, end)
        of_document, own_variance = _weigh_document(columns, fit, without, n_systems)
        told += of_document
        squares += of_document ** 2
        variance += own_variance
    shrinkage = (n_documents - 1) / n_documents
    level = design.mean(design.score, 0, n_segments) - rated @ own[:n_systems]
    mean_of_rated = rated.mean(axis=0) @ own[:n_systems]
    parts = fitted + shrinkage * (beside - beside.mean(axis=0))
    true_variance = _of_differences(fit.inverse[:n_systems, :n_systems])
    worth = np.divide(told ** 2, squares, out=np.zeros_like(told), where=squares > 0)
    ratio = np.divide(variance, true_variance, out=np.ones_like(told), where=true_variance > 0)
    return level[:, None] + mean_of_rated + n_segments * parts, Links(worth, shrinkage * np.sqrt(ratio))


def _weigh_document(columns: np.ndarray, fit: RaterFit, without: _Inverse, n_systems: int
                    ) -> tuple[np.ndarray, np.ndarray]:
    """What a document tells of the difference of two systems, and the variance of its part beside the fit without it,
    were all ratings independent with a variance of 1; both of shape (systems, systems)."""
    weights = columns @ fit.inverse[:n_systems].T
    widened = weights + columns @ (without.matrix @ (columns.T @ weights))
    products = columns.T @ widened
    return _of_differences(weights.T @ weights), _of_differences(
        widened.T @ widened - products.T @ fit.inverse @ products)


def _of_differences(form: np.ndarray) -> np.ndarray:
    """A quadratic form of the difference of two systems, from that of the systems; shape (systems, systems)."""
    own = np.diag(form)
    return np.asarray(np.add.outer(own, own) - 2 * form)


class _Inverse(NamedTuple):
    """A pseudo-inverse."""

    matrix: np.ndarray
    free: np.ndarray  # what it maps to 0, in columns
    rank: int

    def tells_apart(self, n_systems: int) -> bool:
        """Whether differences between the first columns, those of systems, can be estimated."""
        of_systems = self.free[:n_systems]
        return bool(np.abs(of_systems - of_systems.mean(axis=0)).max(initial=0) <= 1e-6)


def _invert(products: np.ndarray) -> _Inverse:
    """The pseudo-inverse of sums of products."""
    values, vectors = np.linalg.eigh(products)
    is_free = values <= 1e-9 * max(values[-1], 1)
    kept = vectors[:, ~is_free]
    return _Inverse((kept / values[~is_free]) @ kept.T, vectors[:, is_free], int(np.count_nonzero(~is_free)))


#-----------------------------------------------------------------------------------------------------------------------
# Whether raters favour systems: the interaction of rater and system.


class Favour(NamedTuple):
    """The F test of the interaction of rater and system."""

    f: float
    df: int
    df_rest: int
    p: float


def find_favour(design: Design, fit: RaterFit) -> Favour | None:
    """Test whether how strict a rater is depends on the system; None where ratings do not tell, or are too many.

    What a rater gave a system in one document is a block: its ratings are alike, so only blocks are independent. F
    compares how far blocks of the same rater and system are from the fit together, which is the interaction, with how
    far they are from one another. Its p comes from draws that change the signs of the blocks of what the ratings are
    beside the fit without interaction (Cameron, Gelbach and Miller 2008, the wild bootstrap). The seed is fixed, so
    that the same file says the same.
    """
    _, cell = np.unique(design.system * design.n_raters + design.rater, return_inverse=True)
    n_cells = int(cell.max()) + 1
    if n_cells > _MOST_CELLS:
        return None
    rest = np.empty(len(design.score))
    products, blocks_rank = np.zeros((n_cells, n_cells)), 0
    for first, end in pairwise(design.documents):
        own = design.rows(first, end)
        rest[own] = design.centre(design.score[own], first, end) - design.columns(first, end) @ fit.effects
        used, blocks = _block_columns(design, cell, first, end)
        products[np.ix_(used, used)] += blocks.T @ blocks
        blocks_rank += _invert(blocks.T @ blocks).rank
    cells = _invert(products)
    df, df_rest = cells.rank - fit.rank, blocks_rank - cells.rank
    if df < 1 or df_rest < 1:
        return None
    by_fit, by_cell, of_blocks = _explain_squares(design, cell, rest, _draw_signs(design, cell), fit, cells)
    interaction, within = (by_cell - by_fit) / df, (of_blocks - by_cell) / df_rest
    varies = within > 1e-9 * of_blocks
    if not varies[0]:  # blocks of the same rater and system are alike, to the last
        return None
    f = np.divide(interaction, within, out=np.full_like(within, np.inf), where=varies)
    p = np.count_nonzero(f >= f[0] * (1 - 1e-9)) / len(f)
    return Favour(float(f[0]), df, df_rest, p)


def _block_columns(design: Design, cell: np.ndarray, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of rater and system in a document, and a column for each, less the mean of the segment."""
    used, place = np.unique(cell[design.rows(first, end)], return_inverse=True)
    return used, design.centre(np.eye(len(used))[place], first, end)


def _draw_signs(design: Design, cell: np.ndarray) -> np.ndarray:
    """Random signs of the ratings, shape (ratings, 1 + flips), the same for those of a rater on a system in a document;
    the first are all 1, as observed."""
    n_ratings_of = [design.segments[end] - design.segments[first] for first, end in pairwise(design.documents)]
    document = np.repeat(np.arange(design.n_documents), n_ratings_of)
    _, block = np.unique(document * (int(cell.max()) + 1) + cell, return_inverse=True)
    generator = np.random.Generator(np.random.Philox(_SEED))
    signs = 1 - 2 * generator.integers(0, 2, (int(block.max()) + 1, 1 + _FLIPS), dtype=np.int8)
    signs[:, 0] = 1
    return np.asarray(signs[block])


def _explain_squares(design: Design, cell: np.ndarray, rest: np.ndarray, signs: np.ndarray, fit: RaterFit,
                     cells: _Inverse) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much of the squares of the rest, with each choice of signs, are explained by effects of systems and raters,
    of pairs of a rater and a system, and of blocks."""
    n_signs = signs.shape[1]
    sums_of_fit, sums_of_cells = np.zeros((len(fit.effects), n_signs)), np.zeros((len(cells.matrix), n_signs))
    of_blocks = np.zeros(n_signs)
    for first, end in pairwise(design.documents):
        own = design.rows(first, end)
        signed = design.centre(rest[own, None] * signs[own], first, end)
        sums_of_fit += design.columns(first, end).T @ signed
        used, blocks = _block_columns(design, cell, first, end)
        sums = blocks.T @ signed
        sums_of_cells[used] += sums
        of_blocks += _quadratic(_invert(blocks.T @ blocks).matrix, sums)
    return _quadratic(fit.inverse, sums_of_fit), _quadratic(cells.matrix, sums_of_cells), of_blocks


def _quadratic(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The quadratic form of a matrix of each of the vectors, which are columns."""
    form: np.ndarray = (vectors * (matrix @ vectors)).sum(axis=0)
    return form
