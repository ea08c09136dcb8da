"""How often a test finds that raters favour systems: where they do, and where they differ in noise
and scale only.
"""

import csv
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from mtsig_core.readers.rater_favour import Favour, find_favour
from mtsig_core.readers.rater_fit import Design, fit_raters

REAL = (
    Path(__file__).resolve().parents[3]
    / "shared"
    / "data"
    / "human"
    / "wmt24"
    / "esa_generalMT2024_wave2.csv"
)
SEGMENTS = 4  # of a document


def sorted_by_line(layout):
    """The columns system, line, document and rater, with the lines of a document together, and
    numbered so.
    """
    system, line, document, rater = layout[:, np.lexsort(layout[1:3])]
    number = np.cumsum(np.append(0, (np.diff(line) != 0) | (np.diff(document) != 0)))
    return np.array([system, number, document, rater])


def draw_layout(rng, *, n_systems=5, n_documents=40, n_rated=40, n_raters=6, choose="all"):
    """Who rates what, as columns.

    Each system is rated in some documents; of each the raters are chosen by `choose`: all, one at
    random, one with weights that differ by system, or one for all systems of a document.
    """
    rows = []
    is_rated = np.zeros((n_systems, n_documents), dtype=bool)
    for own in is_rated:
        own[rng.choice(n_documents, n_rated, replace=False)] = True
    weights = np.exp(1.5 * rng.standard_normal((n_systems, n_raters)) * (choose == "weighted"))
    for document in range(n_documents):
        of_document = rng.integers(n_raters)
        for system in np.flatnonzero(is_rated[:, document]):
            raters = [rng.choice(n_raters, p=weights[system] / weights[system].sum())]
            if choose == "all":
                raters = range(n_raters)
            if choose == "by document":
                raters = [of_document]
            rows += [
                (system, document * SEGMENTS + k, document, rater)
                for rater in raters
                for k in range(SEGMENTS)
            ]
    return np.array(
        [np.unique(column, return_inverse=True)[1] for column in sorted_by_line(np.array(rows).T)]
    )


def read_layout():
    """Who rated what in WMT24's en-zh, as columns of numbers."""
    if not REAL.exists():
        pytest.skip("needs the WMT 2024 ratings in ../shared/data/human/wmt24")
    with open(REAL, encoding="utf-8", newline="") as file:
        kept = {
            (row[1], row[2], row[0]): row
            for row in csv.reader(file)
            if row[3] == "TGT"
            and row[4:6] == ["eng", "zho"]
            and "tutorial" not in row[7]
            and "#" not in row[7]
        }
    columns = [
        np.unique([row[k] for row in kept.values()], return_inverse=True)[1] for k in (1, 2, 7, 0)
    ]
    return sorted_by_line(np.array(columns))


def draw_ratings(
    rng,
    layout,
    *,
    differ=True,
    favour=0.0,
    one_rater=0.0,
    skewed=False,
    sd_systems=5.0,
    ceiling=np.inf,
):
    """Ratings of unequal systems.

    `differ`: three raters of ten have three times the noise, and scales differ.

    `favour`: standard deviation of favours. `one_rater`: how much higher one rater scores one
    system.
    """
    system, line, document, rater = layout
    n_raters = rater.max() + 1
    noise, scale = np.ones(n_raters), np.ones(n_raters)
    if differ:
        noise, scale = np.where(rng.random(n_raters) < 0.3, 3, 1), rng.uniform(0.7, 1.3, n_raters)
    likes = favour * rng.standard_normal((system.max() + 1, n_raters))
    likes[rng.integers(len(likes)), rng.integers(n_raters)] += one_rater
    quality, strict = rng.normal(0, sd_systems, len(likes)), rng.normal(0, 8, n_raters)
    of_line = (
        rng.normal(0, 8, line.max() + 1)[line] + rng.normal(0, 4, document.max() + 1)[document]
    )
    block = np.unique((document * len(likes) + system) * n_raters + rater, return_inverse=True)[1]

    def draw(sd, n):
        return rng.exponential(sd, n) - sd if skewed else rng.normal(0, sd, n)

    errors = draw(3, block.max() + 1)[block] + draw(7, len(line))
    scores = 80 + strict[rater] + scale[rater] * (quality[system] + of_line) + noise[rater] * errors
    return np.minimum(scores + likes[system, rater], ceiling)


def make_design(layout, scores):
    system, line, document, rater = layout
    segments = np.append(np.unique(line, return_index=True)[1], len(line))
    documents = np.append(
        np.unique(document[segments[:-1]], return_index=True)[1], len(segments) - 1
    )
    systems = {f"s{k}": k for k in range(system.max() + 1)}
    return Design(systems, rater.max() + 1, system, rater, scores, segments, documents)


def count_found(n, seed, layout, **more):
    """How often the test finds that raters favour systems, of n sets; and how often there is a
    test.
    """
    rng, found, tested = np.random.default_rng(seed), 0, 0
    for _ in range(n):
        fit = None
        while fit is None:  # again where systems could not be compared
            own = draw_layout(rng, **layout) if isinstance(layout, dict) else layout
            design = make_design(own, draw_ratings(rng, own, **more))
            fit = fit_raters(design)
        told = find_favour(design, fit)
        if isinstance(told, Favour):
            tested += 1
            found += told.p <= 0.05
    return found / n, tested / n


def assert_level(rate, n):
    assert rate <= 0.05 + 3 * sqrt(0.05 * 0.95 / n)


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("layout", "power"),
    [
        (dict(choose="all"), 0.9),
        (dict(choose="weighted"), 0.2),
        (dict(choose="random", n_raters=10), 0.3),
        (dict(choose="by document"), 0.6),
    ],
    ids=lambda value: value.get("choose") if isinstance(value, dict) else None,
)
def test_favours_are_found_and_claimed_seldom_where_raters_differ_in_noise_and_scale(layout, power):
    n = 200 if layout["choose"] == "all" else 100
    level, _ = count_found(n, 1, layout)
    found, _ = count_found(60, 2, layout, favour=3.0)
    equal, _ = count_found(60, 3, layout, differ=False, favour=3.0)
    print(layout, level, found, equal)
    assert_level(level, n)
    assert found >= power


@pytest.mark.statistics
def test_favours_in_the_design_of_wmt24():
    layout = read_layout()
    level, _ = count_found(200, 1, layout)
    skewed = np.mean(
        [count_found(50, seed, layout, skewed=True, ceiling=100)[0] for seed in (12, 13, 14, 15)]
    )
    found, _ = count_found(40, 3, layout, favour=3.0)
    print(level, skewed, found)
    assert_level(level, 200)
    assert_level(skewed, 200)
    assert found >= 0.8


@pytest.mark.statistics
def test_one_rater_who_favours_one_system():
    n, layout = 60, dict(choose="all")
    found, _ = count_found(n, 4, layout, one_rater=10.0)
    hidden, _ = count_found(
        n, 5, layout, one_rater=10.0, sd_systems=0.0
    )  # equal systems: it may look like a scale
    print(found, hidden)
    assert found >= 0.6


@pytest.mark.statistics
def test_twelve_of_forty_documents_are_too_few():
    for favour in (0.0, 3.0):
        _, tested = count_found(100, 5, dict(choose="weighted", n_rated=12), favour=favour)
        assert tested <= 0.1
