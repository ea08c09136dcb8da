"""Systems by domain."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mtsig_core import TestSet, compare
from mtsig_core.errors import SettingError
from mtsig_core.experiments.domains import by_domain, find_half_width
from mtsig_core.report.experiment_reports import domains_note, domains_verdict
from tests.builders.plain_nist import plain
from tests.builders.results import list_codes, select_cautions
from tests.builders.score_tables import rated_systems
from tests.builders.toys import texts


def rated(scores, domains, documents=None):
    return rated_systems(scores, documents, domains=domains)


def compare_domains(scores, domains, documents=None, **settings):
    """The result of the domains of a rated test set."""
    testset = rated(scores, domains, documents)
    return by_domain(testset, "human", **{"trials": 199, "resamples": 50, **settings})


def two(seed, n, shift):
    """Two systems whose difference is `shift` in the first half and its negative in the second."""
    a, noise = np.random.default_rng(seed).normal(0, 1, (2, 2 * n))
    return {"A": a + np.repeat([shift, -shift], n), "B": a + noise}, ["x"] * n + ["y"] * n


def test_each_domain_is_tested_by_itself():
    scores, domains = two(1, 8, 0.6)
    found = compare_domains(scores, domains)
    (pair,) = found.pairs
    sign = 1 if pair.a == "A" else -1
    for part, at in zip(pair.domains, (slice(0, 8), slice(8, 16)), strict=True):
        d = sign * (scores["A"] - scores["B"])[at]
        swapped = [abs(np.dot(signs, d)) for signs in product((1, -1), repeat=8)]
        assert part.delta == pytest.approx(d.mean())
        # all swaps but for none swapped, and one for what was observed
        assert part.p_value == pytest.approx(
            np.mean(np.array(swapped) >= abs(d.sum()) - 1e-9), abs=1e-12
        )
    assert [part.scores["A"] for part in found.domains] == pytest.approx(
        [scores["A"][:8].mean(), scores["A"][8:].mean()]
    )


def test_the_whole_set_is_decided_as_compare_does():
    scores, domains = two(2, 20, 0.3)
    scores["C"] = scores["A"] - 0.4
    testset = rated(scores, domains)
    result = compare(testset, "human", trials=499, resamples=50).metrics["human"]
    found = by_domain(testset, "human", trials=499, resamples=50)
    assert [
        (pair.a, pair.b, pair.delta, pair.p_value, pair.p_adjusted, pair.better)
        for pair in found.pairs
    ] == [
        (pair.a, pair.b, pair.delta, pair.p_value, pair.p_adjusted, pair.better)
        for pair in result.pairs
    ]


def test_significant_reversals_are_found_and_other_signs_told_apart():
    scores, domains = two(3, 40, 1.5)
    (pair,) = compare_domains(scores, domains, trials=499).pairs
    assert pair.reverses and {part.better for part in pair.domains} == {"a", "b"}
    scores["A"] = scores["B"] + np.where(np.arange(80) < 60, 1.0, -0.01)
    (pair,) = compare_domains(scores, ["x"] * 60 + ["y"] * 20, trials=499).pairs
    assert (pair.better, pair.opposed) == ("a", ("y",))


def test_the_family_is_all_pairs_in_all_domains():
    rng = np.random.default_rng(4)
    scores = {name: rng.normal(0, 1, 60) for name in "ABCD"}
    found = compare_domains(scores, [str(k % 3) for k in range(60)], trials=999)
    parts = [part for pair in found.pairs for part in pair.domains]
    assert len(parts) == 18
    least = min(parts, key=lambda part: part.p_value)
    assert least.p_adjusted > 3 * least.p_value and all(
        part.p_adjusted >= part.p_value - 1e-12 for part in parts
    )


def test_intervals_are_students_with_the_freedom_of_welch():
    """Of two domains with 5 and 9 segments, each of which counts by its size: as a t test of two
    means by scipy.
    """
    rng = np.random.default_rng(8)
    first, second = rng.normal(1, 1, 5), rng.normal(2, 3, 9)
    a = np.concatenate([first, second])
    (pair,) = compare_domains(
        {"A": a, "B": 0 * a}, ["x"] * 5 + ["y"] * 9, trials=99, resamples=20_000
    ).pairs
    by_scipy = stats.ttest_ind(5 * first, -9 * second, equal_var=False).confidence_interval(0.95)
    np.testing.assert_allclose([pair.ci_low, pair.ci_high], np.array(by_scipy) / 14, atol=0.03)
    assert pair.se_stratified == pytest.approx(
        np.hypot(np.sqrt(5) * first.std(), 3 * second.std()) / 14, rel=0.02
    )


def test_half_of_an_interval_by_hand():
    by_hand = stats.t.ppf(0.975, (8 + 12) ** 2 / (8**2 / 3 + 12**2 / 1)) * 0.5 * np.sqrt(20 / 12)
    assert find_half_width(0.5, np.array([6.0, 6.0]), np.array([4.0, 2.0]), 0.05) == pytest.approx(
        by_hand
    )
    assert find_half_width(0.0, np.zeros(2), np.array([4.0, 2.0]), 0.05) == 0
    assert np.isnan(find_half_width(0.5, np.array([6.0, 0.0]), np.array([4.0, 1.0]), 0.05))


def test_a_domain_of_one_unit_leaves_no_interval():
    a = np.random.default_rng(2).normal(size=7)
    (pair,) = compare_domains({"A": a, "B": 0 * a}, ["x"] * 6 + ["y"], trials=99).pairs
    assert pair.ci_low is None and pair.ci_high is None and pair.se_stratified > 0


@pytest.mark.statistics
@pytest.mark.parametrize("sizes", [[4, 4, 4, 4], [5, 5], [5, 40]])
def test_intervals_hold_with_few_documents(sizes):
    """Percentile intervals of samples within domains held in 0.87 (4 x 4) and 0.89 (5 + 5)."""
    held, rng = [], np.random.default_rng(len(sizes))
    domains = [name for name, n in zip("vwxyz", sizes, strict=False) for _ in range(n)]
    for seed in range(500):
        scores = {"A": rng.normal(size=len(domains)), "B": rng.normal(size=len(domains))}
        (pair,) = compare_domains(scores, domains, trials=19, resamples=199, seed=seed).pairs
        held.append(pair.ci_low <= 0 <= pair.ci_high)
    assert 0.92 <= np.mean(held) <= 0.985


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_samples_have_as_many_units_of_each_domain(test):
    """Where domains differ in the difference alone, and not within, nothing is left to vary."""
    a = np.repeat([1.0, -1.0], 20)
    (pair,) = compare_domains(
        {"A": a, "B": 0 * a}, ["x"] * 20 + ["y"] * 20, test=test, trials=199, resamples=100
    ).pairs
    assert pair.se_stratified == 0 and pair.se > 0.1 and (pair.ci_low, pair.ci_high) == (0, 0)


def test_a_pair_has_scores_and_sizes_of_the_lines_that_its_difference_is_of():
    scores, _ = two(7, 12, 0.5)
    scores["C"] = scores["B"] + 0.3
    scores["A"][:15:2], scores["B"][3], scores["C"][18:] = np.nan, np.nan, np.nan
    for row in scores.values():
        row[21:] = np.nan
    domains, documents = ["x"] * 12 + ["y"] * 9 + ["z"] * 3, np.arange(24) // 3
    found = compare_domains(scores, domains, documents)
    assert len(found.pairs) == 3
    for pair in found.pairs:
        a, b = scores[pair.a], scores[pair.b]
        for part, inside in zip(pair.domains, (range(12), range(12, 21)), strict=True):
            both = [k for k in inside if not np.isnan(a[k] + b[k])]
            assert (part.score_a, part.score_b) == pytest.approx((a[both].mean(), b[both].mean()))
            assert part.delta == pytest.approx(part.score_a - part.score_b)
            assert (part.n_segments, part.n_documents) == (len(both), len(set(documents[both])))
    assert list_codes(found) == [
        "partly-rated",
        "rated-on-different-lines",
        "domains-without-scores",
        "too-few-units-in-parts",
        "few-units-in-parts",
    ]
    assert found.warnings[2].facts == {"domains": ("z",)}
    assert "; a pair is compared on the segments" in domains_note(found)
    whole = compare_domains(*two(7, 12, 0.5))
    assert list_codes(whole) == ["few-units-in-parts"]
    assert "a pair is compared on" not in domains_note(whole)
    for part in whole.pairs[0].domains:
        assert (part.n_segments, part.n_documents) == (12, None)


def test_nist_of_a_domain_has_the_weights_of_that_domain():
    """As `score` and `compare` of the domain alone; by a plain computation on its texts."""
    reference, (a, b) = texts(8, [0.2, 0.5], 40)
    domains = ["x"] * 25 + ["y"] * 15
    testset = TestSet("toy", {"A": a, "B": b}, {"ref": reference}, domains=domains)
    found = by_domain(testset, "nist", trials=199, resamples=50)
    for part, of_pair in zip(found.domains, found.pairs[0].domains, strict=True):
        inside = testset.in_domain(part.domain)
        expected = plain(inside)
        assert [part.scores[name] for name in "AB"] == pytest.approx(expected)
        alone = compare(inside, "nist", trials=199, resamples=50).metrics["nist"]
        assert {row.system: row.score for row in alone.systems} == pytest.approx(part.scores)
        assert (of_pair.domain, of_pair.score_a) == (part.domain, pytest.approx(expected[0]))
        assert of_pair.delta == pytest.approx(expected[0] - expected[1])
        assert alone.pairs[0].delta == pytest.approx(of_pair.delta)
        assert part.signature in alone.signature
        assert f"weights:{part.n_segments}-segments" in part.signature
    assert found.pairs[0].delta == pytest.approx(np.subtract(*plain(testset)))
    assert select_cautions(found, "weights-of-domains")[0].metric == "nist"
    by_bleu = by_domain(testset, "bleu", trials=199, resamples=50)
    assert {part.signature for part in by_bleu.domains} == {None}


def test_one_domain_and_blocks_are_refused():
    scores, domains = two(6, 8, 0.5)
    with pytest.raises(SettingError, match="has only one domain, x"):
        compare_domains(scores, ["x"] * 16)
    with pytest.raises(SettingError, match="blocks run"):
        compare_domains(scores, domains, unit="block")


def test_few_units_are_told_and_what_they_cannot_decide():
    scores, _ = two(5, 30, 2.0)
    domains, documents = ["x"] * 40 + ["y"] * 20, [f"d{k // 20}" for k in range(60)]
    found = compare_domains(scores, domains, documents)
    (told,) = found.warnings
    assert told.code == "too-few-units-in-parts" and told.facts["needed"] == 6
    assert told.facts["parts"] == {"the whole set": 3, "x": 2, "y": 1}
    assert domains_verdict(found) == "no pair can be significant with 3 documents"
    found = compare_domains(scores, domains)
    assert [(one.code, one.facts) for one in found.warnings] == [
        ("few-units-in-parts", {"unit": "segment", "parts": {"y": 20}})
    ]
    assert "no pair can be" not in domains_verdict(found) and "● is significant" in domains_note(
        found
    )


def test_a_domain_without_a_segment_that_has_scores_of_both_is_left_out_of_the_pair():
    scores = {"A": [None] * 10 + list(range(10)), "B": range(20)}
    testset = rated(scores, ["a"] * 10 + ["b"] * 10)
    [pair] = by_domain(testset, "human", trials=99, resamples=49).pairs
    assert [own.domain for own in pair.domains] == ["b"]
