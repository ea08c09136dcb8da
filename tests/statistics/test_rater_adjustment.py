"""How often scores that are adjusted for raters find a difference where there is none, with raters
not at random.
"""

from math import sqrt

import numpy as np
import pytest

from mtsig_core import InputError, compare, read_scores

N_SYSTEMS, N_DOCUMENTS, N_RATERS = 5, 40, 10
SEGMENTS = 4  # of a document


def make_ratings(
    rng,
    scale=0.0,
    *,
    n_rated=N_DOCUMENTS,
    n_raters=N_RATERS,
    n_documents=N_DOCUMENTS,
    choose="weighted",
    favour=0.0,
    skewed=False,
):
    """Ratings of equal systems, each in some of the documents.

    Raters differ in how strict they are; `scale`: in how far apart their scores are; `favour`: in
    which systems they like. Each document of each system has a rater: chosen with weights that
    differ by system, or at random, or one for all systems of a document.
    """
    strictness, spread = rng.normal(0, 8, n_raters), 1 + scale * rng.standard_normal(n_raters)
    likes = favour * rng.standard_normal((N_SYSTEMS, n_raters))
    weights = np.exp(1.5 * rng.standard_normal((N_SYSTEMS, n_raters)) * (choose == "weighted"))
    is_rated = np.zeros((N_SYSTEMS, n_documents), dtype=bool)
    for own in is_rated:
        own[rng.choice(n_documents, n_rated, replace=False)] = True

    def noise(sd):
        return rng.exponential(sd) - sd if skewed else rng.normal(0, sd)

    rows = {key: [] for key in ("system", "line", "docid", "rater", "score")}
    for document in range(n_documents):
        of_segments = rng.normal(0, 8, SEGMENTS) + rng.normal(0, 4)
        of_document = rng.integers(n_raters)
        for system in np.flatnonzero(is_rated[:, document]):
            rater, own = rng.choice(n_raters, p=weights[system] / weights[system].sum()), noise(3)
            if choose == "by document":
                rater = of_document
            for k, segment in enumerate(of_segments):
                rows["system"].append(f"s{system}")
                rows["line"].append(document * SEGMENTS + k + 1)
                rows["docid"].append(f"d{document}")
                rows["rater"].append(f"r{rater}")
                rows["score"].append(
                    80
                    + spread[rater] * (segment + own + noise(7))
                    + strictness[rater]
                    + likes[system, rater]
                )
    return rows


def read_adjusted(rng, **design):
    """A test set with adjusted scores; other ratings where these could not be adjusted."""
    while True:
        try:
            return read_scores({"human": make_ratings(rng, **design)}, raters="adjusted")
        except InputError:
            continue


@pytest.mark.statistics
@pytest.mark.parametrize("scale", [0.0, 0.3])
def test_families_and_intervals_hold_where_means_do_not(scale):
    n, rng = 200, np.random.default_rng(5)
    false, covered, false_of_means = 0, 0, 0
    for seed in range(n):
        testset = read_scores({"human": make_ratings(rng, scale)}, raters="adjusted")
        found = compare(testset, [*testset.scores], trials=999, resamples=500, seed=seed).metrics
        false += any(pair.significant for pair in found["human-adjusted"].pairs)
        false_of_means += any(pair.significant for pair in found["human"].pairs)
        covered += sum(pair.ci_low <= 0 <= pair.ci_high for pair in found["human-adjusted"].pairs)
    n_pairs = N_SYSTEMS * (N_SYSTEMS - 1) // 2
    print(scale, false / n, false_of_means / n, covered / (n * n_pairs))
    assert false / n <= 0.05 + 3 * sqrt(0.05 * 0.95 / n)
    assert 0.93 <= covered / (n * n_pairs) <= 0.985
    assert false_of_means / n > 0.5


SPARSE = {
    "12-of-40-weighted": dict(n_rated=12, n_raters=6),
    "12-of-40-random": dict(n_rated=12, n_raters=3, choose="random"),
    "12-of-40-by-document": dict(n_rated=12, n_raters=6, choose="by document"),
    "20-of-40-by-document": dict(n_rated=20, n_raters=6, choose="by document"),
    "8-of-8": dict(n_rated=8, n_documents=8, n_raters=3, choose="random"),
    "8-of-8-by-document": dict(n_rated=8, n_documents=8, n_raters=6, choose="by document"),
    "12-of-40-skewed": dict(n_rated=12, n_raters=6, skewed=True),
}


@pytest.mark.statistics
@pytest.mark.parametrize("design", SPARSE.values(), ids=SPARSE.keys())
def test_families_and_intervals_hold_where_systems_share_few_documents(design):
    n, rng = 200, np.random.default_rng(6)
    false, covered, squares, estimates, widening = 0, 0, [], [], []
    for seed in range(n):
        testset = read_adjusted(rng, **design)
        found = compare(testset, "human-adjusted", trials=999, resamples=500, seed=seed).metrics[
            "human-adjusted"
        ]
        false += any(pair.significant for pair in found.pairs)
        covered += sum(pair.ci_low <= 0 <= pair.ci_high for pair in found.pairs)
        estimates += [pair.delta**2 for pair in found.pairs]
        squares += [pair.se**2 for pair in found.pairs]
        widening += [one.facts["widening"] for one in testset.assumed if one.code == "rater-links"]
    coverage, too_wide = covered / (n * 10), sqrt(np.mean(squares) / np.mean(estimates))
    print(design, false / n, coverage, too_wide, np.mean(widening))
    assert false / n <= 0.05 + 3 * sqrt(0.05 * 0.95 / n)
    assert coverage >= 0.93
    assert (
        0.75 <= np.mean(widening) / too_wide <= 1.2
    )  # the largest of a family, foretold, and that of all pairs


@pytest.mark.statistics
def test_adjusted_scores_are_wrong_where_raters_favour_systems():
    n, rng, false = 60, np.random.default_rng(8), 0
    for seed in range(n):
        testset = read_adjusted(rng, favour=3.0, n_raters=6)
        found = compare(testset, "human-adjusted", trials=999, resamples=100, seed=seed).metrics[
            "human-adjusted"
        ]
        false += any(pair.significant for pair in found.pairs)
    print(false / n)
    assert false / n > 0.4
