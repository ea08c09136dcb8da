"""Whether raters favour systems: rate some higher or lower than other raters do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from mtsig_core.readers.rater_fit import Design, RatedSegments, RaterFit, invert

_FLIPS = 999
_FAVOURS = 200
_SEED = 0
#: Pairs of a rater and a system, beyond which the test of all of them takes minutes.
_MOST_CELLS = 2000
#: Favours are not tested if they would have to be larger than this many times the spread of the
#: residuals of cells.
_LARGEST_FAVOUR = 1.0
#: From the ratings of a document to values in columns, a row for each.
_Values: TypeAlias = Callable[[slice], np.ndarray]


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


def find_favour(design: Design, fit: RaterFit) -> Favour | Untested:
    """Test whether raters rate some systems higher or lower than others do, in all documents alike.

    A rater who uses a wider scale than others favours nobody. So each rater has a slope on the
    quality of the systems, as in Mandel's (1961) bundle of straight lines, and only the residuals
    of this fit count. If a rater favours a system, the residuals have the same sign in several
    documents. The statistic adds up products of residuals over all pairs of documents in which a
    rater rated the same system. These products are 0 on average if no rater favours a system, even
    if the noise of raters differs. In each resample they are divided by the mean square of the
    rater, so that no noisy rater outweighs the others.

    p comes from resamples that change the sign of all ratings of a rater in a document, and fit
    again (Cameron, Gelbach and Miller 2008, the wild bootstrap). The seed is fixed, so that the
    same file gives the same p.
    """
    pairs = design.system * design.n_raters + design.rater
    _, cell = np.unique(pairs, return_inverse=True)
    n_cells = int(cell.max()) + 1
    n_columns = len(design.systems) + 2 * design.n_raters
    if max(n_cells, n_columns) > _MOST_CELLS:
        return Untested("size")
    slopes = _fit_slopes(design, fit, cell)
    columns = slopes.find_residuals(lambda rows: design.score[rows, None])
    residual = np.concatenate([values[:, 0] for _, values in columns])
    spread = _measure_spread(slopes, residual)
    if spread <= 1e-9 * np.abs(design.score).max():
        return Untested("repeats")
    residual /= spread
    generator = np.random.Generator(np.random.Philox(_SEED))
    signs = _draw_signs(slopes, generator)

    def flip_signs(rows: slice) -> np.ndarray:
        return np.asarray(residual[rows, None] * signs[rows])

    products, squares = _add_products(slopes, flip_signs)
    statistics = _divide_by_squares(products, squares)
    detectable = _find_detectable(slopes, statistics, squares[:, :1], generator)
    if detectable is None:
        return Untested("repeats")
    if detectable > _LARGEST_FAVOUR:
        return Untested("power", detectable * spread)
    observed = statistics[0]
    rounding = 1e-9 * np.abs(statistics).max()
    n_as_large = np.count_nonzero(statistics >= observed - rounding)
    return Favour(detectable * spread, float(n_as_large / len(statistics)))


def _find_detectable(
    slopes: _SlopeFit,
    statistics: np.ndarray,
    squares: np.ndarray,
    generator: np.random.Generator,
) -> float | None:
    """Find the SD of favours that the test finds half the time; None if it can find none."""
    likes = generator.standard_normal((int(slopes.cell.max()) + 1, _FAVOURS))
    products, _ = _add_products(slopes, lambda rows: likes[slopes.cell[rows]])
    by_favours = float(_divide_by_squares(products, squares).mean())
    if by_favours <= 1e-9:
        return None
    excess = np.quantile(statistics, 0.95) - statistics.mean()
    return float(np.sqrt(excess / by_favours))


class _Document(NamedTuple):
    """The ratings of a document; a cell has the ratings of one system by one rater."""

    block: RatedSegments
    places: np.ndarray  # the positions of its columns in the fit
    columns: np.ndarray  # of systems, raters and the slopes of raters, less the mean of the segment
    cells: np.ndarray  # its pairs of rater and system
    #: Shape (cells, ratings): adds up the ratings of a cell, over the root of their number.
    adds: np.ndarray


class _SlopeFit(NamedTuple):
    """rating = system + segment + rater + slope of the rater * how good the system is."""

    design: Design
    cell: np.ndarray  # of each rating the pair of rater and system
    documents: list[_Document]
    inverse: np.ndarray

    def find_residuals(self, values: _Values) -> Iterator[tuple[_Document, np.ndarray]]:
        """Yield each document with the residuals of the values from their fit."""
        effects: np.ndarray | None = None
        for document in self.documents:
            products = document.columns.T @ values(document.block.rows)
            if effects is None:
                effects = np.zeros((len(self.inverse), products.shape[1]))
            effects += self.inverse[:, document.places] @ products
        if effects is None:
            return
        for document in self.documents:
            centred = document.block.centre(values(document.block.rows))
            yield document, centred - document.columns @ effects[document.places]


def _fit_slopes(design: Design, fit: RaterFit, cell: np.ndarray) -> _SlopeFit:
    """The fit in which each rater has a slope on the effects of systems.

    The effects of systems come from all raters. If they came only from the other raters, equal
    slopes of all raters could fit any favour.
    """
    effects = fit.effects[: len(design.systems)]
    quality = effects - effects.mean()
    # columns of much the same size as the others
    largest = float(np.abs(quality).max())
    quality /= max(largest, np.finfo(float).tiny)
    size = len(design.systems) + 2 * design.n_raters
    products = np.zeros((size, size))
    documents = []
    for block in design.list_documents():
        of_rater = np.eye(design.n_raters)[design.rater[block.rows]]
        slopes = block.centre(of_rater * quality[design.system[block.rows], None])
        columns = np.hstack([design.make_columns(block), slopes])
        places = np.flatnonzero(np.abs(columns).max(axis=0) > 1e-12)
        columns = columns[:, places]
        cells, cell_of_rating = np.unique(cell[block.rows], return_inverse=True)
        adds = np.eye(len(cells))[:, cell_of_rating]
        adds /= np.sqrt(adds.sum(axis=1, keepdims=True))
        documents.append(_Document(block, places, columns, cells, adds))
        products[np.ix_(places, places)] += columns.T @ columns
    return _SlopeFit(design, cell, documents, invert(products).matrix)


def _draw_signs(slopes: _SlopeFit, generator: np.random.Generator) -> np.ndarray:
    """Random signs of the ratings, shape (ratings, 1 + flips); the first are 1, as observed.

    All ratings of a rater in a document have the same.
    """
    n_raters = slopes.design.n_raters
    groups = []
    for place, document in enumerate(slopes.documents):
        groups.append(place * n_raters + slopes.design.rater[document.block.rows])
    _, group = np.unique(np.concatenate(groups), return_inverse=True)
    shape = (int(group.max()) + 1, 1 + _FLIPS)
    signs = 1 - 2 * generator.integers(0, 2, shape, dtype=np.int8)
    signs[:, 0] = 1
    return np.asarray(signs[group])


def _add_products(slopes: _SlopeFit, values: _Values) -> tuple[np.ndarray, np.ndarray]:
    """Add up, by rater, products of the summed residuals of cells, and their mean square.

    The products are over all pairs of documents in which the rater rated the same system. Both
    arrays have the shape (raters, columns).
    """
    rater_of_cell = np.zeros(int(slopes.cell.max()) + 1, dtype=int)
    rater_of_cell[slopes.cell] = slopes.design.rater
    n_columns = values(slice(0, 1)).shape[1]
    n_raters = slopes.design.n_raters
    totals = np.zeros((len(rater_of_cell), n_columns))
    squares = np.zeros((n_raters, n_columns))
    counts = np.zeros(n_raters)
    for document, residuals in slopes.find_residuals(values):
        sums = document.adds @ residuals
        totals[document.cells] += sums
        raters = rater_of_cell[document.cells]
        np.add.at(squares, raters, sums**2)
        np.add.at(counts, raters, 1)
    products = -squares  # a sum's square is no product of two documents
    np.add.at(products, rater_of_cell, totals**2)
    return products, squares / counts[:, None]


def _divide_by_squares(products: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The sum over raters of products over the rater's mean square.

    Raters whom the fit follows add nothing.
    """
    varies = np.broadcast_to(squares > 1e-9 * squares.max(axis=0), products.shape)
    ratios = np.divide(products, squares, out=np.zeros_like(products), where=varies)
    return np.asarray(ratios.sum(axis=0))


def _measure_spread(slopes: _SlopeFit, residual: np.ndarray) -> float:
    """Compute the standard deviation of the mean residuals of cells."""
    means = []
    for document in slopes.documents:
        sums = document.adds @ residual[document.block.rows]
        means.append(sums / document.adds.sum(axis=1))
    return float(np.sqrt((np.concatenate(means) ** 2).mean()))
