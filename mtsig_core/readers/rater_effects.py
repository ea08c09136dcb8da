"""Scores adjusted for raters: rating = system + segment + rater by least squares; and whether
raters favour systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.ratings import Rating, keep_last_ratings

#: The end of the name of scores that are adjusted for raters; the mean over raters stands beside
#: them.
ADJUSTED = "-adjusted"
#: Scores are not adjusted where the standard error of each difference would be so many times too
#: wide.
TOO_WIDE = 2.0
_FLIPS, _FAVOURS, _SEED = 999, 200, 0
_MOST_CELLS = (
    2000  # pairs of a rater and a system, beyond which the test of all of them takes minutes
)
#: Favours are not tested where they would have to be so many times as large as the spread of blocks
#: beside the fit.
_LARGEST_FAVOUR = 1.0


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
        systems, raters = (
            {name: k for k, name in enumerate(dict.fromkeys(names))}
            for names in ((one.system for one in ratings), (one.rater or "" for one in ratings))
        )
        segments = _find_starts([rating.line for rating in ratings])
        documents = _find_starts([_document_of(ratings[k]) for k in segments[:-1]])
        return cls(
            systems,
            len(raters),
            np.array([systems[one.system] for one in ratings]),
            np.array([raters[one.rater or ""] for one in ratings]),
            np.array([one.score for one in ratings], dtype=np.float64),
            segments,
            documents,
        )

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
        """Of the ratings of segments `first` to `end` the columns of systems and raters, less their
        segment's mean.
        """
        own = self.rows(first, end)
        n_systems = len(self.systems)
        values = np.zeros((own.stop - own.start, n_systems + self.n_raters))
        rows = np.arange(len(values))
        values[rows, self.system[own]] = 1
        values[rows, n_systems + self.rater[own]] = 1
        return self.centre(values, first, end)

    def centre(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        """Values of the ratings of segments `first` to `end`, a row for each, less their segment's
        mean.
        """
        counts = np.diff(self.segments[first : end + 1])
        centred: np.ndarray = values - np.repeat(self.mean(values, first, end), counts, axis=0)
        return centred

    def sum(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        """Sums over the ratings of each segment, of a row for each rating."""
        sums: np.ndarray = np.add.reduceat(
            values, self.segments[first:end] - self.segments[first], axis=0
        )
        return sums

    def mean(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        counts = np.diff(self.segments[first : end + 1])
        return self.sum(values, first, end) / counts.reshape(-1, *(1,) * (values.ndim - 1))


def _find_starts(values: Sequence[object]) -> np.ndarray:
    """Where each run of the same value begins, and the end."""
    return np.array(
        [k for k, value in enumerate(values) if k == 0 or value != values[k - 1]] + [len(values)]
    )


def _document_of(rating: Rating) -> int | str:
    return rating.line if rating.document is None else rating.document


@dataclass(frozen=True, eq=False)
class RaterFit:
    """The effects of systems and raters, by least squares."""

    effects: np.ndarray  # shape (systems + raters,)
    products: np.ndarray  # of the centred columns, shape (systems + raters, systems + raters)
    inverse: np.ndarray  # its pseudo-inverse
    rank: int


def adjust_raters(metric: str, ratings: Sequence[Rating]) -> tuple[list[Rating], list[Assumption]]:
    """Scores of each system on each line, adjusted for how strict the raters are; and what to know
    of them.

    A rating is system + segment + rater, by least squares. The mean of a system's adjusted scores
    is the mean over the segments, plus how much better the system is than those that were rated
    there; see `share_out_effects`.
    """
    from threadpoolctl import threadpool_limits

    kept = _sort_by_document(ratings)
    design = Design.from_ratings(kept)
    with threadpool_limits(
        limits=1, user_api="blas"
    ):  # small matrices, for which threads only wait for one another
        fit = fit_raters(design)
        shared_out = None if fit is None else share_out_effects(design, fit)
        if fit is None or shared_out is None:
            raise InputError(
                f"{kept[0].file.name}: how strict raters are cannot be told apart from how good systems "
                "are, as too few raters rate several systems. Take the mean over raters.",
                {"raters": "mean"},
            )
        scores, links = shared_out
        _check_links(kept[0].file.name, links)
        favour = find_favour(design, fit)
    adjusted = []
    for segment, start in enumerate(design.segments[:-1]):
        for system, column in design.systems.items():
            adjusted.append(
                kept[start]._replace(system=system, score=float(scores[segment, column]))
            )
    return adjusted, _describe_fit(metric + ADJUSTED, design, fit, links, favour)


def _sort_by_document(ratings: Sequence[Rating]) -> list[Rating]:
    """The ratings that have a score, of each rater the last: documents and lines in the order in
    which they come.
    """
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
            {"raters": "mean"},
        )


def _describe_fit(
    metric: str, design: Design, fit: RaterFit, links: Links, favour: Favour | Untested
) -> list[Assumption]:
    """What was done, how much there is to compare systems by, and whether raters favour systems."""
    effects, counts = fit.effects[len(design.systems) :], np.bincount(design.rater)
    sd = float(
        np.sqrt(np.average((effects - np.average(effects, weights=counts)) ** 2, weights=counts))
    )
    told = [
        Assumption(
            "ratings-adjusted", {"metric": metric, "n_raters": design.n_raters, "effects_sd": sd}
        )
    ]
    names = list(design.systems)
    if len(names) > 1:
        apart = np.where(np.eye(len(names), dtype=bool), -np.inf, links.widening)
        first, second = np.unravel_index(int(apart.argmax()), apart.shape)
        told.append(
            Assumption(
                "rater-links",
                {
                    "metric": metric,
                    "langpair": "",
                    "a": names[first],
                    "b": names[second],
                    "worth": float(links.worth[first, second]),
                    "widening": float(links.widening[first, second]),
                    "n_documents": design.n_documents,
                },
            )
        )
    code = "rater-favour" if isinstance(favour, Favour) else "rater-favour-untested"
    told.append(Assumption(code, {"metric": metric, "langpair": "", **favour._asdict()}))
    return told


# -------------------------------------------------------------------------------------------------
# The fit, and what each document adds to it.


def fit_raters(design: Design) -> RaterFit | None:
    """The effects of systems and raters; None where differences between systems cannot be
    estimated.
    """
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
    """How well the ratings link two systems; each of shape (systems, systems), of no meaning on the
    diagonal.
    """

    #: Documents of equal weight that the ratings are worth by which the two are compared: Kish's
    #: (1965) number of what each document tells of the difference, which is how much smaller it
    #: makes the variance.
    worth: np.ndarray
    #: Standard error of the difference as estimated, over the true one, were all ratings
    #: independent. Residuals beside the fit without a document have the error of that fit, too: in
    #: sparse ratings it is large.
    widening: np.ndarray


def share_out_effects(design: Design, fit: RaterFit) -> tuple[np.ndarray, Links] | None:
    """Adjusted scores of shape (segments, systems), and the links; None where the effects of
    systems cannot be estimated without some document.

    Effects are sums over ratings, so each document has a part in them: of the effects as fitted, in
    proportion to what its ratings tell of the systems, and of what they are beside the fit. The
    latter is taken beside the fit *without* the document, as in the estimate CR3 of Bell and
    McCaffrey 2002, since a fit follows the ratings that it is made of. Of G documents it counts (G
    - 1) / G, as a mean without one of them is off by G / (G - 1) times its part. So where raters
    rate all systems in each of their documents, the parts are the plain differences.
    """
    n_systems, n_segments, n_documents = len(design.systems), design.n_segments, design.n_documents
    own = np.append(fit.effects[:n_systems], np.zeros(design.n_raters))
    rated = design.mean(
        np.eye(n_systems)[design.system], 0, n_segments
    )  # of each segment the share of each system
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
        squares += of_document**2
        variance += own_variance
    shrinkage = (n_documents - 1) / n_documents
    level = design.mean(design.score, 0, n_segments) - rated @ own[:n_systems]
    mean_of_rated = rated.mean(axis=0) @ own[:n_systems]
    parts = fitted + shrinkage * (beside - beside.mean(axis=0))
    true_variance = _of_differences(fit.inverse[:n_systems, :n_systems])
    worth = np.divide(told**2, squares, out=np.zeros_like(told), where=squares > 0)
    ratio = np.divide(variance, true_variance, out=np.ones_like(told), where=true_variance > 0)
    return level[:, None] + mean_of_rated + n_segments * parts, Links(
        worth, shrinkage * np.sqrt(ratio)
    )


def _weigh_document(
    columns: np.ndarray, fit: RaterFit, without: _Inverse, n_systems: int
) -> tuple[np.ndarray, np.ndarray]:
    """What a document tells of the difference of two systems, and the variance of its part beside
    the fit without it, were all ratings independent with a variance of 1; both of shape (systems,
    systems).
    """
    weights = columns @ fit.inverse[:n_systems].T
    widened = weights + columns @ (without.matrix @ (columns.T @ weights))
    products = columns.T @ widened
    return _of_differences(weights.T @ weights), _of_differences(
        widened.T @ widened - products.T @ fit.inverse @ products
    )


def _of_differences(form: np.ndarray) -> np.ndarray:
    """A quadratic form of the difference of two systems, from that of the systems; shape (systems,
    systems).
    """
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
    return _Inverse(
        (kept / values[~is_free]) @ kept.T, vectors[:, is_free], int(np.count_nonzero(~is_free))
    )


# -------------------------------------------------------------------------------------------------
# Whether raters favour systems.


class Favour(NamedTuple):
    """The test whether raters favour systems."""

    detectable: float  # points: favours with this standard deviation are found half the time
    p: float


class Untested(NamedTuple):
    """Why it is not tested whether raters favour systems."""

    #: "size": too much to count; "repeats": favours add nothing to the statistic; "power": only
    #: vast ones are found.
    reason: str
    detectable: float | None = None  # as above; None where no favour would be found


class _Document(NamedTuple):
    """The ratings of a document. A block is what a rater gave a system there."""

    first: int  # its segments
    end: int
    rows: slice  # its ratings
    places: np.ndarray  # its columns among those of the fit
    columns: np.ndarray  # of systems, raters and the slopes of raters, less the mean of the segment
    cells: np.ndarray  # of each block the pair of rater and system
    adds: (
        np.ndarray
    )  # shape (blocks, ratings): adds up the ratings of a block, over the root of their number


class _SlopeFit(NamedTuple):
    """rating = system + segment + rater + slope of the rater * how good the system is, by least
    squares.
    """

    design: Design
    cell: np.ndarray  # of each rating the pair of rater and system
    documents: list[_Document]
    inverse: np.ndarray

    def find_rest(
        self, values: Callable[[slice], np.ndarray]
    ) -> Iterator[tuple[_Document, np.ndarray]]:
        """Of each document what is left of values beside their fit; they are given by rows, in
        columns.
        """
        effects: np.ndarray | float = 0.0
        for one in self.documents:
            sums = np.zeros((len(self.inverse), values(one.rows).shape[1]))
            sums[one.places] = one.columns.T @ values(one.rows)
            effects += self.inverse @ sums
        for one in self.documents:
            centred = self.design.centre(values(one.rows), one.first, one.end)
            yield one, centred - one.columns @ np.asarray(effects)[one.places]


def find_favour(design: Design, fit: RaterFit) -> Favour | Untested:
    """Test whether raters rate some systems higher or lower than other raters do, in one document
    as in another.

    A rater who uses a wider scale than others favours nobody. So each rater has a slope on how good
    the systems are, as in Mandel's (1961) bundle of straight lines, and only what is left beside
    that fit counts. Where a rater favours a system, this has the same sign in several documents.
    The statistic adds up its products over all pairs of documents in which a rater rated the same
    system. These products are 0 on average if nobody favours any, however much the noise of raters
    differs. They are divided by the rater's own mean square, in each draw, so that no noisy rater
    outweighs the others.

    p comes from draws that change the sign of all that a rater said in a document, and fit again
    (Cameron, Gelbach and Miller 2008, the wild bootstrap). The seed is fixed, so that the same file
    says the same.
    """
    _, cell = np.unique(design.system * design.n_raters + design.rater, return_inverse=True)
    if max(int(cell.max()) + 1, len(design.systems) + 2 * design.n_raters) > _MOST_CELLS:
        return Untested("size")
    slopes = _fit_slopes(design, fit, cell)
    rest = np.concatenate(
        [left[:, 0] for _, left in slopes.find_rest(lambda rows: design.score[rows, None])]
    )
    spread = _measure_spread(slopes, rest)
    if spread <= 1e-9 * np.abs(design.score).max():
        return Untested("repeats")
    rest /= spread
    generator = np.random.Generator(np.random.Philox(_SEED))
    signs = _draw_signs(slopes, generator)
    products, squares = _add_products(slopes, lambda rows: rest[rows, None] * signs[rows])
    drawn = _divide_by_squares(products, squares)
    likes = generator.standard_normal((int(cell.max()) + 1, _FAVOURS))
    of_favours, _ = _add_products(slopes, lambda rows: likes[cell[rows]])
    by_favours = float(_divide_by_squares(of_favours, squares[:, :1]).mean())
    if by_favours <= 1e-9:
        return Untested("repeats")
    detectable = float(np.sqrt((np.quantile(drawn, 0.95) - drawn.mean()) / by_favours))
    if detectable > _LARGEST_FAVOUR:
        return Untested("power", detectable * spread)
    n_as_large = np.count_nonzero(drawn >= drawn[0] - 1e-9 * np.abs(drawn).max())
    return Favour(detectable * spread, float(n_as_large / len(drawn)))


def _fit_slopes(design: Design, fit: RaterFit, cell: np.ndarray) -> _SlopeFit:
    """The fit in which each rater has a slope on the effects of systems.

    The effects are of all raters. Were they of all others, equal slopes of the raters could fit any
    favour.
    """
    quality = fit.effects[: len(design.systems)] - fit.effects[: len(design.systems)].mean()
    quality /= max(
        float(np.abs(quality).max()), np.finfo(float).tiny
    )  # columns of much the same size as the others
    size = len(design.systems) + 2 * design.n_raters
    products, documents = np.zeros((size, size)), []
    for first, end in pairwise(design.documents):
        rows = design.rows(first, end)
        of_rater = np.eye(design.n_raters)[design.rater[rows]]
        slopes = design.centre(of_rater * quality[design.system[rows], None], first, end)
        columns = np.hstack([design.columns(first, end), slopes])
        places = np.flatnonzero(np.abs(columns).max(axis=0) > 1e-12)
        cells, block = np.unique(cell[rows], return_inverse=True)
        adds = np.eye(len(cells))[:, block]
        adds /= np.sqrt(adds.sum(axis=1, keepdims=True))
        documents.append(_Document(first, end, rows, places, columns[:, places], cells, adds))
        products[np.ix_(places, places)] += columns[:, places].T @ columns[:, places]
    return _SlopeFit(design, cell, documents, _invert(products).matrix)


def _draw_signs(slopes: _SlopeFit, generator: np.random.Generator) -> np.ndarray:
    """Random signs of the ratings, shape (ratings, 1 + flips), the same for all those of a rater in
    a document; the first are all 1, as observed.
    """
    n_raters = slopes.design.n_raters
    groups = [
        place * n_raters + slopes.design.rater[one.rows]
        for place, one in enumerate(slopes.documents)
    ]
    _, group = np.unique(np.concatenate(groups), return_inverse=True)
    signs = 1 - 2 * generator.integers(0, 2, (int(group.max()) + 1, 1 + _FLIPS), dtype=np.int8)
    signs[:, 0] = 1
    return np.asarray(signs[group])


def _add_products(
    slopes: _SlopeFit, values: Callable[[slice], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Of each column of values, by rater: the products of blocks beside the fit, over all pairs of
    documents that the rater rated of the same system; and their mean square. Both of shape (raters,
    columns).
    """
    rater_of_cell = np.zeros(int(slopes.cell.max()) + 1, dtype=int)
    rater_of_cell[slopes.cell] = slopes.design.rater
    n_columns = values(slice(0, 1)).shape[1]
    totals = np.zeros((len(rater_of_cell), n_columns))
    squares, counts = (
        np.zeros((slopes.design.n_raters, n_columns)),
        np.zeros(slopes.design.n_raters),
    )
    for one, rest in slopes.find_rest(values):
        blocks = one.adds @ rest
        totals[one.cells] += blocks
        np.add.at(squares, rater_of_cell[one.cells], blocks**2)
        np.add.at(counts, rater_of_cell[one.cells], 1)
    products = -squares
    np.add.at(products, rater_of_cell, totals**2)
    return products, squares / counts[:, None]


def _divide_by_squares(products: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The sum over raters of products over the rater's mean square; of raters whom the fit follows,
    none.
    """
    varies = np.broadcast_to(squares > 1e-9 * squares.max(axis=0), products.shape)
    return np.asarray(
        np.divide(products, squares, out=np.zeros_like(products), where=varies).sum(axis=0)
    )


def _measure_spread(slopes: _SlopeFit, rest: np.ndarray) -> float:
    """Standard deviation of the means of blocks beside the fit."""
    means = np.concatenate(
        [(one.adds @ rest[one.rows]) / one.adds.sum(axis=1) for one in slopes.documents]
    )
    return float(np.sqrt((means**2).mean()))
