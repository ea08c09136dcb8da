"""How often scores that are adjusted for raters find a difference where there is none, with raters not at random."""

from math import sqrt

import numpy as np
import pytest

from mtsig_core import compare, read_scores

N_SYSTEMS, N_DOCUMENTS, N_RATERS = 5, 40, 10
SEGMENTS = 4  # of a document


def make_ratings(rng, scale=0.0):
    """Equal systems, each rated more often by some raters, of whom some are stricter; `scale`: by how much raters
    differ in how far apart their scores are."""
    strictness, spread = rng.normal(0, 8, N_RATERS), 1 + scale * rng.standard_normal(N_RATERS)
    weights = np.exp(1.5 * rng.standard_normal((N_SYSTEMS, N_RATERS)))
    rows = {key: [] for key in ("system", "line", "docid", "rater", "score")}
    for document in range(N_DOCUMENTS):
        of_segments = rng.normal(0, 8, SEGMENTS) + rng.normal(0, 4)
        for system in range(N_SYSTEMS):
            rater, own = rng.choice(N_RATERS, p=weights[system] / weights[system].sum()), rng.normal(0, 3)
            for k, segment in enumerate(of_segments):
                rows["system"].append(f"s{system}")
                rows["line"].append(document * SEGMENTS + k + 1)
                rows["docid"].append(f"d{document}")
                rows["rater"].append(f"r{rater}")
                rows["score"].append(80 + spread[rater] * (segment + own + rng.normal(0, 7)) + strictness[rater])
    return rows


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
