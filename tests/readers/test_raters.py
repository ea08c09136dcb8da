"""Several raters of a segment: how far they agree, and scores that are adjusted for how strict each
is.
"""

import itertools

import numpy as np
import pandas
import pytest

from mtsig_core import (
    InputError,
    SettingError,
    TestSet,
    compare,
    join_scores,
    read_scores,
    read_task,
)
from mtsig_core.readers.ratings import measure_agreement
from tests.builders.results import list_codes, select_cautions

nan = float("nan")


@pytest.mark.parametrize(
    ("by_rater", "alpha"),
    [
        # The example of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section D:
        # four observers.
        (
            [
                [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
                [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
                [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
                [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
            ],
            0.849,
        ),
        ([[1, 1, 1], [1, 1, 1]], None),
    ],
)
def test_agreement_is_krippendorffs_alpha_of_intervals(by_rater, alpha):
    items = np.array(by_rater).T
    found = measure_agreement([item[item == item].tolist() for item in items])
    assert found == (alpha if alpha is None else pytest.approx(alpha, abs=5e-4))


def test_agreement_is_that_of_any_unit():
    """Also where squares of the ratings are too large for a number."""
    ratings = [[1, 1], [2, 4], [3, 3]]
    huge = [[1e300 * rating for rating in item] for item in ratings]
    assert measure_agreement(huge) == pytest.approx(measure_agreement(ratings))


def as_columns(rows):
    """The columns of a table of ratings."""
    names = ("system", "line", "docid", "rater", "score")
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def find_assumed(testset, start):
    """The one assumption whose code begins so."""
    (assumed,) = (one for one in testset.assumed if one.code.startswith(start))
    return assumed


def make_ratings(seed=0, share=1.0, n_systems=4, n_documents=9, n_raters=5):
    """Columns of ratings: every document of each system by one rater; of those, a share."""
    rng = np.random.default_rng(seed)
    rows = []
    for document, system in itertools.product(range(n_documents), range(n_systems)):
        rater = rng.integers(n_raters)
        for line in range(10 * document, 10 * document + 1 + document % 3):
            if rng.random() < share:
                score = rng.normal(70, 10) + 5 * rater
                rows.append((f"s{system}", line, f"d{document}", f"r{rater}", score))
    return as_columns(rows)


def fit(rows, without=None):
    """Mean over segments, and the effects of the systems less those of all that were rated, by
    dummy variables.
    """
    columns = {key: np.array(values) for key, values in rows.items()}
    chosen = columns["docid"] != without
    dummies = {}
    for key in ("line", "system", "rater"):
        values = columns[key][chosen]
        dummies[key] = np.equal.outer(values, np.unique(values)).astype(float)
    scores, lines = columns["score"][chosen], dummies["line"]
    fitted = np.linalg.lstsq(np.hstack([*dummies.values()]), scores, rcond=None)[0]
    n_lines, n_systems = lines.shape[1], dummies["system"].shape[1]
    effects = fitted[n_lines : n_lines + n_systems]
    of_line = lines.T / lines.sum(axis=0)[:, None]  # takes the mean of each line
    shares = (of_line @ dummies["system"]).mean(axis=0)
    return np.mean(of_line @ scores) + effects - shares @ effects


def adjusted_scores(rows, **more):
    testset = read_scores({"human": rows}, raters="adjusted", **more)
    return testset, np.array(
        [testset.scores["human-adjusted"].by_system[name] for name in sorted(testset.systems)]
    )


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_means_are_those_of_least_squares(share):
    rows = make_ratings(share=share)
    assert adjusted_scores(rows)[1].mean(axis=1) == pytest.approx(fit(rows))


def test_a_document_adds_what_its_ratings_change():
    """Its part of the effects as fitted, which are a sum over ratings, and what the fit without it
    changes.
    """
    rows = make_ratings(seed=3)
    testset, scores = adjusted_scores(rows)
    whole, names = fit(rows), sorted(set(rows["docid"]))
    documents = np.array(testset.documents)
    sizes = np.array([np.sum(documents == name) for name in names])
    changes = np.array([whole - fit(rows, without=name) for name in names])
    changes -= np.outer(sizes / sizes.sum(), changes.sum(axis=0))
    of_ratings = whole[np.unique(rows["system"], return_inverse=True)[1]]
    parts, sums = [], []
    for name in names:
        inside = np.array(rows["docid"]) == name
        parts.append(fit(rows | {"score": of_ratings * inside}))
        sums.append(scores[:, documents == name].sum(axis=1))
    expected = sizes.sum() * (np.array(parts) + (len(names) - 1) / len(names) * changes)
    for a, b in ((0, 1), (1, 3)):  # differences, of which the mean of all systems is no part
        difference = expected[:, a] - expected[:, b]
        assert np.array(sums)[:, a] - np.array(sums)[:, b] == pytest.approx(difference)


def test_raters_who_rate_all_systems_in_their_documents_change_no_difference():
    """By document, so that tests and intervals are those of the ratings themselves."""
    rng = np.random.default_rng(6)
    rows = []
    for document, system, k in itertools.product(range(8), range(4), range(2)):
        rater = document % 3
        score = rng.normal(70, 10) + 8 * rater
        rows.append((f"s{system}", 10 * document + k, f"d{document}", f"r{rater}", score))
    testset, adjusted = adjusted_scores(as_columns(rows))
    plain = np.array([testset.scores["human"].by_system[name] for name in sorted(testset.systems)])
    by_document = [scores.reshape(4, 8, 2).mean(axis=2) for scores in (adjusted, plain)]
    assert np.diff(by_document[0], axis=0) == pytest.approx(np.diff(by_document[1], axis=0))


def make_favours(seed, favour=0.0, n_systems=4, n_raters=4, n_documents=24):
    """Ratings of documents of two segments, each rated for three quarters of the systems by two
    raters.
    """
    rng = np.random.default_rng(seed)
    likes, strict = favour * rng.standard_normal((n_systems, n_raters)), rng.normal(0, 5, n_raters)
    rows = []
    for document, system in itertools.product(range(n_documents), range(n_systems)):
        if rng.random() >= 0.75:
            continue
        for rater in rng.choice(n_raters, 2, replace=False):
            mean = 70 + 4 * system + strict[rater] + likes[system, rater] + rng.normal(0, 4)
            for line in (2 * document + 1, 2 * document + 2):
                score = mean + rng.normal(0, 4)
                rows.append((f"s{system}", line, f"d{document}", f"r{rater}", score))
    return as_columns(rows)


def add_products_by_dummies(rows, values, squares=None):
    """The statistic of the test, by dummy variables and a loop over pairs of documents.

    Returns what is left beside the fit, the sum over raters, and each rater's mean square. Products
    are divided by that, or by the squares that are given.
    """
    names = {key: np.unique(rows[key]) for key in ("line", "system", "rater")}
    dummies = {
        key: np.equal.outer(np.array(rows[key]), own).astype(float) for key, own in names.items()
    }
    plain = np.hstack([*dummies.values()])
    effects, start = (
        np.linalg.lstsq(plain, np.array(rows["score"]), rcond=None)[0],
        len(names["line"]),
    )
    quality = dummies["system"] @ effects[start : start + len(names["system"])]
    design = np.hstack([plain, dummies["rater"] * quality[:, None]])
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    blocks = {}
    for k, key in enumerate(zip(rows["rater"], rows["system"], rows["docid"], strict=True)):
        blocks.setdefault(key, []).append(k)
    sums = {key: rest[own].sum(axis=0) / np.sqrt(len(own)) for key, own in blocks.items()}
    own_squares = {
        rater: np.mean([value**2 for key, value in sums.items() if key[0] == rater], axis=0)
        for rater in names["rater"]
    }
    total = 0
    for one, value in sums.items():
        for other, again in sums.items():
            if one[:2] == other[:2] and one != other:
                total = total + value * again / (squares or own_squares)[one[0]]
    return rest, total, own_squares


@pytest.mark.parametrize(("seed", "favour"), [(5, 0.0), (6, 1.0), (7, 3.0)])
def test_whether_raters_favour_systems_is_that_of_dummy_variables(seed, favour):
    rng, rows = np.random.default_rng(1), make_favours(seed, favour)
    told = find_assumed(adjusted_scores(rows)[0], "rater-favour").facts

    def draw_alike(key, draw):
        """Draws that are the same for all ratings by a rater of one document or system."""
        cells = np.char.add(rows["rater"], rows[key])
        names, index = np.unique(cells, return_inverse=True)
        return draw((len(names), 2000))[index]

    rest, observed, squares = add_products_by_dummies(rows, np.array(rows["score"])[:, None])
    signs = draw_alike("docid", lambda shape: rng.choice([-1, 1], shape))
    drawn = add_products_by_dummies(rows, rest * signs)[1]
    likes = draw_alike("system", rng.standard_normal)
    by_favours = add_products_by_dummies(rows, likes, squares)[1].mean()
    assert told["p"] == pytest.approx((drawn >= observed).mean(), abs=0.06)
    detectable = np.sqrt((np.quantile(drawn, 0.95) - drawn.mean()) / by_favours)
    assert told["detectable"] == pytest.approx(detectable, rel=0.12)


@pytest.mark.parametrize(
    ("favour", "words"), [(0.0, "does not find that"), (6.0, "finds that raters favour")]
)
def test_raters_who_favour_systems_are_found_and_warned_of(favour, words):
    testset, _ = adjusted_scores(make_favours(8, favour))
    found = compare(testset, ["human", "human-adjusted"], trials=99)
    warned = select_cautions(found, "raters-favour-systems")
    assert [caution.metric for caution in warned] == ["human-adjusted"] * (favour > 0)
    assert words in find_assumed(found.testset, "rater-favour").text


def test_of_two_systems_a_favour_is_no_other_than_a_scale():
    told = find_assumed(adjusted_scores(make_favours(4, n_systems=2))[0], "rater-favour")
    assert told.facts["reason"] == "repeats"
    assert "three or more systems" in told.text
    told = find_assumed(adjusted_scores(make_favours(4, n_systems=3))[0], "rater-favour")
    assert told.code == "rater-favour"
    assert told.facts["p"] > 0.05


@pytest.mark.parametrize("factor", [1e-9, 1e6])
def test_whether_raters_favour_systems_is_that_of_any_unit(factor):
    rows = make_favours(8, 6.0)
    in_unit = rows | {"score": factor * np.array(rows["score"])}
    plain, scaled = (
        find_assumed(adjusted_scores(columns)[0], "rater-favour").facts
        for columns in (rows, in_unit)
    )
    assert scaled["p"] == plain["p"]
    assert scaled["detectable"] == pytest.approx(factor * plain["detectable"])


def test_equal_scores_test_nothing():
    rows = make_favours(1)
    testset, _ = adjusted_scores(rows | {"score": [50.0] * len(rows["score"])})
    assert find_assumed(testset, "rater-favour").facts["reason"] == "repeats"


def test_few_documents_test_nothing():
    """Favours would have to be as large as all else."""
    told = find_assumed(adjusted_scores(make_favours(4, n_documents=6))[0], "rater-favour")
    assert told.facts["reason"] == "power"
    assert "too few" in told.text


def test_a_wider_scale_is_no_favour():
    """One rater sees the same differences between systems, twice as large; another has three times
    the noise.
    """
    n_found, rng = 0, np.random.default_rng(3)
    for seed in range(10):
        rows = make_favours(seed)
        system = np.array([int(name[1:]) for name in rows["system"]])
        wide = (4 * system - 6) * np.equal(rows["rater"], "r1")
        noise = rng.normal(0, 11, len(system)) * np.equal(rows["rater"], "r2")
        testset, _ = adjusted_scores(rows | {"score": list(rows["score"] + wide + noise)})
        n_found += {one.code: one.facts for one in testset.assumed}["rater-favour"]["p"] <= 0.05
    assert n_found <= 2


def make_shared(n_documents):
    """Two systems, both rated in some documents, each document by one rater."""
    rng = np.random.default_rng(2)
    return as_columns(
        [
            (system, document, f"d{document}", f"r{document % 2}", rng.normal(70, 10))
            for document, system in itertools.product(range(n_documents), "AB")
        ]
    )


@pytest.mark.parametrize("n_documents", [3, 6, 12])
def test_where_both_are_rated_in_all_documents_they_are_linked_by_all(n_documents):
    testset, _ = adjusted_scores(make_shared(n_documents))
    told = find_assumed(testset, "rater-links").facts
    assert told["worth"] == pytest.approx(n_documents)
    # of a mean, the bootstrap's standard error over the true one
    assert told["widening"] == pytest.approx(np.sqrt((n_documents - 1) / n_documents))
    assert "few-rater-links" not in list_codes(compare(testset, "human-adjusted", trials=99))


def rate_sparsely(seed, n_systems, n_documents, n_rated, n_raters):
    """Equal systems, each rated in some of the documents, of each by a rater at random."""
    rng = np.random.default_rng(seed)
    rows = []
    for system in range(n_systems):
        for document in rng.choice(n_documents, n_rated, replace=False).tolist():
            rater = rng.integers(n_raters)
            for line in (2 * document, 2 * document + 1):
                score = rng.normal(70, 10)
                rows.append((f"s{system}", line, f"d{document}", f"r{rater}", score))
    return as_columns(rows)


def test_systems_that_few_ratings_link_are_warned_of_or_refused():
    testset, _ = adjusted_scores(rate_sparsely(1, 4, 30, 10, 5))
    told = find_assumed(testset, "rater-links").facts
    (warned,) = select_cautions(compare(testset, "human-adjusted", trials=99), "few-rater-links")
    assert (warned.a, warned.b) == (told["a"], told["b"])
    assert told["widening"] > 1.25
    assert f"about {told['widening']:.2g} times as large as it could be" in warned.text
    without = compare(testset.without([told["a"]]), "human-adjusted", trials=99)
    assert "few-rater-links" not in list_codes(without)
    said = r"would be at least \d\.\d times as large as it could be\. Expected less than 2 times"
    with pytest.raises(InputError, match=said):
        adjusted_scores(rate_sparsely(9, 2, 20, 10, 6))


def test_a_stricter_rater_changes_no_difference():
    rows = make_ratings(seed=4)
    stricter = rows | {"score": rows["score"] - 30 * np.equal(rows["rater"], "r1")}
    before, after = (adjusted_scores(columns)[1].mean(axis=1) for columns in (rows, stricter))
    assert np.diff(after) == pytest.approx(np.diff(before))


def test_the_mean_stands_beside_with_what_was_done():
    rows = make_ratings()
    testset, _ = adjusted_scores(rows, lower_is_better=["human"])
    alone = read_scores({"human": rows}, ["human"])
    assert testset.scores["human"].by_system == alone.scores["human"].by_system
    assert not testset.scores["human-adjusted"].higher_is_better
    by_least_squares = "by least squares: rating = system + segment + rater."
    said = f"human-adjusted: adjusted for 5 raters {by_least_squares}"
    assert said in find_assumed(testset, "ratings-adjusted").text


#: Two raters of two systems, each of whom rates both.
CROSSED = {
    "system": ["A", "B"] * 4,
    "line": [1, 1, 2, 2, 3, 3, 4, 4],
    "rater": ["x", "y", "y", "x"] * 2,
    "score": [9.0, 5.0, 6.0, 8.0, 9.0, 6.0, 4.0, 8.0],
}


def test_scores_join_texts():
    texts = TestSet("toy", {"A": ["a"] * 4, "B": ["b"] * 4}, {"ref": ["a"] * 4})
    rated = join_scores(texts, {"human": CROSSED}, raters="adjusted")
    expected = np.mean(CROSSED["score"]) + 0.125
    assert np.mean(rated.scores["human-adjusted"].by_system["A"]) == pytest.approx(expected)
    with pytest.raises(SettingError, match="only without texts"):
        join_scores(texts, {"human": CROSSED}, raters="segments")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rater": None}, "no table names the raters"),
        ({"rater": ["x", "y"] * 4}, "cannot be told apart from how good systems are"),
        ({"rater": ["x", "y"] * 3 + ["x", "x"], "docid": list("aabbccdd")}, "cannot be told apart"),
    ],
)
def test_what_cannot_be_adjusted_is_refused(change, said):
    changed = {key: value for key, value in (CROSSED | change).items() if value is not None}
    with pytest.raises(InputError, match=said):
        read_scores({"human": changed}, raters="adjusted")


def test_a_folder_without_raters_is_not_adjusted(score_folder, run):
    refused = run("task --raters adjusted --folder", score_folder)
    assert refused.status == 2
    assert "names no raters. Expected tables of ratings." in refused.err


def test_a_folder_of_ratings_on_the_command_line(tmp_path, run):
    rows = pandas.DataFrame(make_ratings(n_documents=12)).assign(langpair="en-de")
    rows.to_csv(tmp_path / "MQM.tsv", sep="\t", index=False)
    task = read_task(tmp_path, raters="adjusted", lower_is_better=["MQM"])
    assert not task.testsets["en-de"].scores["MQM-adjusted"].higher_is_better
    asked = "task --raters adjusted --lower-is-better MQM --trials 99 --folder"
    assert "MQM-adjusted: adjusted for 5 raters" in run(asked, tmp_path).out
