"""Scores adjusted for raters: rating = system + segment + rater by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.rater_favour import Favour, Untested, find_favour
from mtsig_core.readers.rater_fit import (
    Design,
    Inverse,
    RatedSegments,
    RaterFit,
    find_document,
    fit_raters,
    invert,
)
from mtsig_core.readers.ratings import LineId, Rating, keep_last_ratings

#: The end of the name of scores that are adjusted for raters, in addition to the mean over raters.
ADJUSTED = "-adjusted"
#: Scores are not adjusted where the standard error of each difference would be so many times too
#: wide.
TOO_WIDE = 2.0


def adjust_raters(metric: str, ratings: Sequence[Rating]) -> tuple[list[Rating], list[Assumption]]:
    """Scores of each system on each line, adjusted for how strict raters are, and their caveats.

    A rating is system + segment + rater, by least squares. The mean of a system's adjusted scores
    is the mean over the segments, plus how much better the system is than those that were rated
    there; see `share_out_effects`.

    Raises
    ------
    InputError
        If the ratings do not tell raters and systems apart, or link the systems too weakly.
    """
    from threadpoolctl import threadpool_limits

    ratings = _sort_by_document(ratings)
    file = ratings[0].file.name
    design = Design.from_ratings(ratings)
    with threadpool_limits(limits=1, user_api="blas"):  # threads would wait for one another
        fit = fit_raters(design)
        adjusted_scores = None if fit is None else share_out_effects(design, fit)
        if fit is None or adjusted_scores is None:
            raise InputError(
                f"{file}: how strict raters are cannot be told apart from how good systems "
                "are, as too few raters rate several systems. Take the mean over raters.",
                {"raters": "mean"},
            )
        scores, links = adjusted_scores
        _check_links(file, links)
        favour = find_favour(design, fit)
    adjusted = []
    for segment, start in enumerate(design.segments[:-1]):
        for system, column in design.systems.items():
            score = float(scores[segment, column])
            adjusted.append(ratings[start]._replace(system=system, score=score))
    metric += ADJUSTED
    assumed = [_describe_raters(metric, design, fit)]
    if len(design.systems) > 1:
        assumed.append(_describe_links(metric, design, links))
    assumed.append(_describe_favour(metric, favour))
    return adjusted, assumed


def _sort_by_document(ratings: Sequence[Rating]) -> list[Rating]:
    """The ratings that have a score, of each rater the last.

    Documents and lines are in the order in which they come.
    """
    position: dict[LineId, int] = {}
    scored = [rating for rating in keep_last_ratings(ratings) if rating.score is not None]
    for rating in scored:
        position.setdefault(find_document(rating), len(position))
        position.setdefault(rating.line, len(position))
    return sorted(
        scored, key=lambda rating: (position[find_document(rating)], position[rating.line])
    )


def _check_links(file: str, links: Links) -> None:
    """Raise InputError where the ratings link no two systems well enough."""
    is_pair = ~np.eye(len(links.widening), dtype=bool)
    narrowest = float(links.widening[is_pair].min(initial=np.inf))
    if TOO_WIDE <= narrowest < np.inf:
        raise InputError(
            f"{file}: too few documents link the systems for scores adjusted for raters. The standard error of each "
            f"difference would be at least {narrowest:.1f} times as large as it could be. "
            f"Expected less than {TOO_WIDE:g} times. Ask the same raters to rate more documents of several "
            "systems, or take the mean over raters.",
            {"raters": "mean"},
        )


def _describe_raters(metric: str, design: Design, fit: RaterFit) -> Assumption:
    """How many raters there are, and how much they differ."""
    effects = fit.effects[len(design.systems) :]
    counts = np.bincount(design.rater)
    centred = effects - np.average(effects, weights=counts)
    sd = float(np.sqrt(np.average(centred**2, weights=counts)))
    facts = {"metric": metric, "n_raters": design.n_raters, "effects_sd": sd}
    return Assumption("ratings-adjusted", facts)


def _describe_links(metric: str, design: Design, links: Links) -> Assumption:
    """How well the ratings link the two systems that they link worst."""
    names = list(design.systems)
    of_pairs = np.where(np.eye(len(names), dtype=bool), -np.inf, links.widening)
    first, second = np.unravel_index(int(of_pairs.argmax()), of_pairs.shape)
    facts = {
        "metric": metric,
        "langpair": "",
        "a": names[first],
        "b": names[second],
        "worth": float(links.worth[first, second]),
        "widening": float(links.widening[first, second]),
        "n_documents": design.n_documents,
    }
    return Assumption("rater-links", facts)


def _describe_favour(metric: str, favour: Favour | Untested) -> Assumption:
    """Whether raters favour systems."""
    code = "rater-favour" if isinstance(favour, Favour) else "rater-favour-untested"
    return Assumption(code, {"metric": metric, "langpair": "", **favour._asdict()})


# What each document adds to the fit.


class Links(NamedTuple):
    """How well the ratings link two systems; shape (systems, systems), without the diagonal."""

    #: Documents of equal weight that the ratings are worth by which the two are compared: Kish's
    #: (1965) number of what each document tells of the difference, which is how much smaller it
    #: makes the variance.
    worth: np.ndarray
    #: Estimated standard error of the difference divided by the true one, if all ratings were
    #: independent. Residuals from the fit without a document also contain the error of this fit,
    #: which is large if ratings are sparse.
    widening: np.ndarray


def share_out_effects(design: Design, fit: RaterFit) -> tuple[np.ndarray, Links] | None:
    """Return adjusted scores, shape (segments, systems), and how well the ratings link systems.

    Returns None if the effects of systems cannot be estimated without one of the documents.

    Effects are sums over ratings, so each document has a share in them. The share has two parts.
    The first is a part of the fitted effects, in proportion to the information on the systems in
    the ratings of the document. The second comes from the residuals of the document.

    Residuals come from the fit *without* the document, as in the estimate CR3 of Bell and McCaffrey
    (2002), because a fit follows the ratings that it is based on. With G documents the residuals
    are multiplied by (G - 1) / G, because a mean without one document is off by G / (G - 1) times
    the share of this document. So where raters rate all systems in each of their documents, the
    shares are the plain differences.
    """
    n_systems = len(design.systems)
    inverse = fit.inverse[:n_systems]
    # of each segment the share of each system among its ratings
    is_of_system = np.eye(n_systems)[design.system]
    rated = design.take_segments(0, design.n_segments).mean(is_of_system)
    toward = inverse - rated.mean(axis=0) @ inverse
    shares = []
    for document in design.list_documents():
        share = _take_share(design, fit, document, toward)
        if share is None:
            return None
        shares.append(share)
    scores = _add_shares(design, fit, rated, shares)
    return scores, _find_links(inverse[:, :n_systems], shares)


class _Share(NamedTuple):
    """What a document adds to the effects of systems."""

    fitted: np.ndarray  # shape (segments, systems)
    residual: np.ndarray
    information: np.ndarray  # on the difference of two systems, shape (systems, systems)
    variance: np.ndarray  # of the residuals of that difference


def _take_share(
    design: Design, fit: RaterFit, document: RatedSegments, toward: np.ndarray
) -> _Share | None:
    """The share of a document; None where systems cannot be compared without it."""
    n_systems = len(design.systems)
    columns = design.make_columns(document)
    without = invert(fit.products - columns.T @ columns)
    if not without.tells_apart(n_systems):
        return None
    effects = fit.effects[:n_systems]
    of_systems = columns[:, :n_systems] @ effects
    residuals = document.centre(design.score[document.rows]) - columns @ fit.effects
    residuals += columns @ (without.matrix @ (columns.T @ residuals))
    weights = columns @ toward.T
    fitted = document.sum(of_systems[:, None] * weights)
    residual = document.sum(residuals[:, None] * weights)
    return _Share(fitted, residual, *_weigh_document(columns, fit, without, n_systems))


def _add_shares(
    design: Design, fit: RaterFit, rated: np.ndarray, shares: Sequence[_Share]
) -> np.ndarray:
    """Adjusted scores, shape (segments, systems)."""
    effects = fit.effects[: len(design.systems)]
    fitted = np.concatenate([share.fitted for share in shares])
    residual = np.concatenate([share.residual for share in shares])
    shrunk = _shrink(len(shares)) * (residual - residual.mean(axis=0))
    means = design.take_segments(0, design.n_segments).mean(design.score)
    level = means - rated @ effects
    mean_of_rated = rated.mean(axis=0) @ effects
    adjusted: np.ndarray = len(rated) * (fitted + shrunk)
    adjusted += level[:, None] + mean_of_rated
    return adjusted


def _find_links(inverse: np.ndarray, shares: Sequence[_Share]) -> Links:
    """Find how well the ratings link systems, from the inverse for the effects of systems."""
    information = np.array([share.information for share in shares])
    total = information.sum(axis=0)
    squares = (information**2).sum(axis=0)
    variance = np.sum([share.variance for share in shares], axis=0)
    true_variance = _of_differences(inverse)
    worth = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    ratio = np.divide(variance, true_variance, out=np.ones_like(total), where=true_variance > 0)
    return Links(worth, _shrink(len(shares)) * np.sqrt(ratio))


def _shrink(n_documents: int) -> float:
    return (n_documents - 1) / n_documents


def _weigh_document(
    columns: np.ndarray, fit: RaterFit, without: Inverse, n_systems: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the information of a document on each difference, and the variance of its residuals.

    The variance is for residuals from the fit without the document, if all ratings were independent
    with a variance of 1. Both arrays have the shape (systems, systems).
    """
    weights = columns @ fit.inverse[:n_systems].T
    widened = weights + columns @ (without.matrix @ (columns.T @ weights))
    products = columns.T @ widened
    information = _of_differences(weights.T @ weights)
    variance = _of_differences(widened.T @ widened - products.T @ fit.inverse @ products)
    return information, variance


def _of_differences(form: np.ndarray) -> np.ndarray:
    """Convert a quadratic form of systems to a quadratic form of differences of two systems."""
    diagonal = np.diag(form)
    return np.asarray(np.add.outer(diagonal, diagonal) - 2 * form)
