"""Several raters of a segment: how far they agree, and scores that are adjusted for how strict each is."""

import numpy as np
import pytest

from mtsig_core import InputError, SettingError, TestSet, join_scores, read_scores, read_task
from mtsig_core.cli.main import main
from mtsig_core.readers.ratings import measure_agreement

nan = float("nan")


@pytest.mark.parametrize(("by_rater", "alpha"), [
    # The example of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section D: four observers.
    ([[1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
      [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan]], 0.849),
    ([[1, 1, 1], [1, 1, 1]], None)])
def test_agreement_is_krippendorffs_alpha_of_intervals(by_rater, alpha):
    found = measure_agreement([[score for score in item if score == score] for item in zip(*by_rater, strict=True)])
    assert found is None if alpha is None else found == pytest.approx(alpha, abs=5e-4)


def make_ratings(seed=0, share=1.0, n_systems=4, n_documents=9, n_raters=5):
    """Columns of ratings: every document of each system by one rater; of those, a share."""
    rng = np.random.default_rng(seed)
    rows = []
    for document in range(n_documents):
        for system in range(n_systems):
            rater = rng.integers(n_raters)
            rows += [(f"s{system}", 10 * document + k, f"d{document}", f"r{rater}", rng.normal(70, 10) + 5 * rater)
                     for k in range(1 + document % 3) if rng.random() < share]
    return dict(zip(("system", "line", "docid", "rater", "score"), zip(*rows, strict=True), strict=True))


def fit(rows, without=None):
    """Mean over segments, and the effects of the systems less those of all that were rated, by dummy variables."""
    chosen = [k for k, document in enumerate(rows["docid"]) if document != without]
    names = {key: sorted({rows[key][k] for k in chosen}) for key in ("line", "system", "rater")}
    design = np.array([[float(rows[key][k] == name) for key, own in names.items() for name in own] for k in chosen])
    scores = np.array([rows["score"][k] for k in chosen])
    start = len(names["line"])
    effects = np.linalg.lstsq(design, scores, rcond=None)[0][start:start + len(names["system"])]
    of_lines = [[i for i, k in enumerate(chosen) if rows["line"][k] == line] for line in names["line"]]
    shares = np.mean([design[own, start:start + len(effects)].mean(axis=0) for own in of_lines], axis=0)
    return np.mean([scores[own].mean() for own in of_lines]) + effects - shares @ effects


def adjusted_scores(rows, **more):
    testset = read_scores({"human": rows}, raters="adjusted", **more)
    return testset, np.array([testset.scores["human-adjusted"].by_system[name] for name in sorted(testset.systems)])


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_means_are_those_of_least_squares(share):
    rows = make_ratings(share=share)
    assert adjusted_scores(rows)[1].mean(axis=1) == pytest.approx(fit(rows))


def test_a_document_adds_what_its_ratings_change():
    """The sums over documents spread as the fits without each document do."""
    rows = make_ratings(seed=3)
    testset, scores = adjusted_scores(rows)
    whole, names = fit(rows), sorted(set(rows["docid"]))
    sizes = np.array([testset.documents.count(name) for name in names])
    changes = np.array([whole - fit(rows, without=name) for name in names])
    changes -= np.outer(sizes / sizes.sum(), changes.sum(axis=0))
    sums = np.array([scores[:, [own == name for own in testset.documents]].sum(axis=1) for name in names])
    for a, b in ((0, 1), (1, 3)):  # differences, of which the mean of all systems is no part
        expected = sizes * (whole[a] - whole[b]) + sizes.sum() * (changes[:, a] - changes[:, b])
        assert sums[:, a] - sums[:, b] == pytest.approx(expected)


def test_a_stricter_rater_changes_no_difference():
    rows = make_ratings(seed=4)
    stricter = rows | {"score": [score - 30 * (rater == "r1") for score, rater in zip(rows["score"], rows["rater"],
                                                                                      strict=True)]}
    before, after = (adjusted_scores(one)[1].mean(axis=1) for one in (rows, stricter))
    assert np.diff(after) == pytest.approx(np.diff(before))


def test_the_mean_stands_beside_with_what_was_done():
    rows = make_ratings()
    testset, _ = adjusted_scores(rows, lower_is_better=["human"])
    alone = read_scores({"human": rows}, ["human"])
    assert testset.scores["human"].by_system == alone.scores["human"].by_system
    assert not testset.scores["human-adjusted"].higher_is_better
    said = {one.code: one.text for one in testset.assumed}
    assert "human-adjusted: adjusted for 5 raters by least squares: rating = system + segment + rater." in \
        said["ratings-adjusted"]


def test_scores_join_texts():
    rows = {"system": ["A", "B"] * 4, "line": [1, 1, 2, 2, 3, 3, 4, 4], "rater": ["x", "y", "y", "x"] * 2,
            "score": [9.0, 5.0, 6.0, 8.0, 9.0, 6.0, 4.0, 8.0]}
    texts = TestSet("toy", {"A": ["a"] * 4, "B": ["b"] * 4}, {"ref": ["a"] * 4})
    rated = join_scores(texts, {"human": rows}, raters="adjusted")
    assert np.mean(rated.scores["human-adjusted"].by_system["A"]) == pytest.approx(np.mean(rows["score"]) + 0.125)
    with pytest.raises(SettingError, match="only without texts"):
        join_scores(texts, {"human": rows}, raters="segments")


@pytest.mark.parametrize(("change", "said"), [
    ({"rater": None}, "no table names the raters"),
    ({"rater": ["x", "y"] * 4}, "cannot be told apart from how good systems are"),
    ({"rater": ["x", "y"] * 3 + ["x", "x"], "docid": list("aabbccdd")}, "cannot be told apart")])
def test_what_cannot_be_adjusted_is_refused(change, said):
    rows = {"system": ["A", "B"] * 4, "line": [1, 1, 2, 2, 3, 3, 4, 4], "rater": ["x", "y", "y", "x"] * 2,
            "score": [9.0, 5.0, 6.0, 8.0, 9.0, 6.0, 4.0, 8.0]}
    changed = {key: value for key, value in (rows | change).items() if value is not None}
    with pytest.raises(InputError, match=said):
        read_scores({"human": changed}, raters="adjusted")


def test_a_folder_without_raters_is_not_adjusted(score_folder, capsys):
    assert main(["task", "--folder", str(score_folder), "--raters", "adjusted"]) == 2
    assert "names no raters. Expected tables of ratings." in capsys.readouterr().err


def test_a_folder_of_ratings_on_the_command_line(tmp_path, capsys):
    rows = make_ratings(n_documents=12)
    lines = ["\t".join(("langpair", *rows)), *("\t".join(map(str, ("en-de", *row)))
                                                for row in zip(*rows.values(), strict=True))]
    (tmp_path / "MQM.tsv").write_text("\n".join(lines))
    task = read_task(tmp_path, raters="adjusted", lower_is_better=["MQM"])
    assert not task.testsets["en-de"].scores["MQM-adjusted"].higher_is_better
    assert main(["task", "--folder", str(tmp_path), "--raters", "adjusted", "--lower-is-better", "MQM", "--trials",
                 "99"]) == 0
    assert "MQM-adjusted: adjusted for 5 raters" in capsys.readouterr().out
