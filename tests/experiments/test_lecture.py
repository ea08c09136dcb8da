"""What the lecture shows is what everything else computes, and what enumeration and other libraries
say.
"""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from scipy import stats

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.experiments.error_rates import claims, families
from mtsig_core.experiments.frame import mix_systems
from mtsig_core.experiments.lecture import (
    N_BETTER,
    N_SYSTEMS,
    PowerTests,
    all_swaps,
    better,
    blocks_and_broad,
    equal_tests,
    excerpt,
    expected_by_sentence,
    expected_missing,
    family,
    how_often,
    power_tests,
    random_swaps,
    resamples,
    tables,
    three_sentences,
)
from mtsig_core.experiments.sampling import ratio_of_spreads, sampling
from mtsig_core.report import lecture_texts as texts
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.comparison import bootstrap_systems
from mtsig_core.stats.engine import measure
from mtsig_core.stats.significance import CORRECTIONS
from tests.builders.toys import bleu
from tests.builders.toys import texts as words


@pytest.fixture(scope="module")
def made_up():
    reference, outputs = words(5, [0.2, 0.3, 0.35], 60)
    return TestSet("made up", dict(zip("ABC", outputs, strict=True)), {"ref": reference})


@pytest.fixture(scope="module")
def ten(made_up):
    return excerpt(made_up, "bleu", "A", "B", 10, 3)


class TestSentences:
    def test_they_are_short_follow_the_seed_and_stay_in_order(self, made_up, ten):
        lengths = [len(text.split()) for text in ten.testset.references["ref"]]
        assert max(lengths) <= sorted(len(text.split()) for text in made_up.references["ref"])[-1]
        lines = ten.testset.lines
        assert list(lines) == sorted(lines) and ten.n == 10
        assert excerpt(made_up, "bleu", "A", "B", 10, 3).testset.lines == lines
        assert excerpt(made_up, "bleu", "A", "B", 10, 4).testset.lines != lines

    def test_too_few_and_no_texts_are_said(self, made_up):
        with pytest.raises(SettingError, match="needs 61"):
            excerpt(made_up, "bleu", "A", "B", 61, 0)
        ratings = TestSet(
            "ratings",
            {name: [None] * 2 for name in "AB"},
            {},
            scores={"human": {"A": [1.0, 2.0], "B": [2.0, 3.0]}},
        )
        with pytest.raises(SettingError, match="no texts"):
            excerpt(ratings, "human", "A", "B", 2, 0)


class TestBootstrap:
    def test_draws_are_those_of_the_bootstrap_elsewhere(self, ten):
        found = resamples(ten, 7, 0, 600)
        first, second = bootstrap_systems(
            ten.testset, "bleu", unit="segment", resamples=600, seed=7, only=["A", "B"]
        )
        by_system = {first.system: first, second.system: second}
        drawn = np.array([by_system[name].drawn for name in "AB"])
        assert np.array_equal(found.scores.T, drawn)
        assert np.array_equal(found.improvement, drawn[0] - drawn[1])
        assert found.middle()[0] == by_system["A"].intervals["percentile"]
        later = resamples(ten, 7, 250, 300)
        assert np.array_equal(later.weights, found.weights[250:300])

    def test_an_interval_stands_only_where_draws_lie_beyond_its_ends(self, ten):
        found = resamples(ten, 7, 0, 100)
        for n, said in (
            (1, "(the only draw)"),
            (39, "(range of 39 draws, not yet a 95% interval)"),
            (40, "(95% interval of 40 draws)"),
        ):
            some, end = found.first(n), texts.bootstrap_end(found.first(n), "A", "B")
            low, high = some.middle()[0]
            beyond = ((some.scores[:, 0] < low) | (some.scores[:, 0] > high)).sum()
            assert (
                said in end["conclusion"]
                and said in end["after"]
                and beyond == (2 if n == 40 else 0)
            )
            assert ("With 40 draws or more it is a 95% interval." in end["conclusion"]) == (n < 40)
            assert (
                "2.5% of the scores are below the interval and 2.5% above." in end["conclusion"]
            ) == (n == 40)
        assert " to " not in texts.bootstrap_end(found.first(1), "A", "B")["conclusion"]

    def test_how_many_are_missing(self, ten):
        every = [4 - len(set(draw)) for draw in product(range(4), repeat=4)]
        assert expected_missing(4) == pytest.approx(np.mean(every))
        assert resamples(ten, 0, 0, 4000).mean_missing == pytest.approx(
            expected_missing(10), abs=0.08
        )


class TestRandomization:
    def test_all_swaps_are_those_of_the_test_elsewhere(self, made_up):
        few = excerpt(made_up, "bleu", "A", "C", 5, 1)
        found = all_swaps(few)
        (pair,) = compare(few.testset, ["bleu"], unit="segment").metrics["bleu"].pairs
        assert abs(found.observed) == pytest.approx(abs(pair.delta))
        assert found.p == pair.p_value
        swapped = [found.observed, *found.differences]
        assert found.p == np.mean(np.abs(swapped) >= abs(found.observed) - 1e-9)
        assert sorted(swapped) == pytest.approx(sorted(-difference for difference in swapped))

    def test_coins_give_the_differences_of_the_enumeration_and_nearly_its_p(self, ten):
        found, every = random_swaps(ten, 2, 0, 4000), all_swaps(ten)
        numbers = found.swapped @ (1 << np.arange(10))
        by_number = np.append(every.observed, every.differences)
        assert found.differences == pytest.approx(by_number[numbers])
        assert found.p == pytest.approx(every.p, abs=0.03)
        assert found.running_p[-1] == pytest.approx(found.p)
        assert found.swapped.mean() == pytest.approx(0.5, abs=0.01)
        rare = replace(every, observed=99.0)  # none is as large but the one observed
        assert texts.randomization_end(found, rare)["truth"] == "0.1%"
        common = replace(
            every, observed=5.0, differences=np.repeat([9.0, 1.0], [1020, 3])
        )  # nearly all are as large
        assert (
            common.p == 1021 / 1024
            and "99.7 of a hundred" in texts.randomization_end(found, common)["conclusion"]
        )


def test_blocks_and_broad_samples_are_those_of_the_page_sampling(made_up):
    found = blocks_and_broad(made_up, "bleu", "A", 6, seed=2)
    for kind, shuffle in (("blocks", False), ("broad", False), ("blocks", True)):
        elsewhere = sampling(
            made_up.only(["A"]),
            "bleu",
            kind,
            size=6,
            shuffle=shuffle,
            resamples=20,
            trials=19,
            seed=2,
        )
        ours = found.shuffled if shuffle else getattr(found, kind)
        assert ours == pytest.approx(elsewhere.system("A").scores)
    assert found.ratio()[0] == pytest.approx(found.blocks.std(ddof=1) / found.broad.std(ddof=1))
    for kind in ("blocks", "broad", "shuffled"):
        assert getattr(found.first(2), kind).tolist() == getattr(found, kind)[:2].tolist()
    rng = np.random.default_rng(5)
    lots = dict(
        zip(("blocks", "broad", "shuffled"), rng.normal(50, [[6], [1], [1]], (3, 40)), strict=True)
    )
    wide = texts.blocks_end("bleu", replace(found, **lots), False)
    ratio, low, high = ratio_of_spreads(lots["blocks"], lots["broad"])
    assert (
        f"{ratio:.1f} times as wide (95% CI {low:.1f} to {high:.1f}): neighbours are alike."
        in wide["conclusion"]
    )
    assert wide["after"].endswith(". So the order is the cause.")


class TestDocuments:
    def test_p_against_scipy(self):
        found = equal_tests(20, 0.1, 1, 0, 5)
        assert found.by_sentence == pytest.approx(
            stats.ttest_1samp(found.differences, 0, axis=1).pvalue
        )
        means = found.differences.reshape(5, 20, 20).mean(axis=2)
        assert found.by_document == pytest.approx(stats.ttest_1samp(means, 0, axis=1).pvalue)
        assert equal_tests(20, 0.1, 1, 3, 5).by_sentence.tolist() == found.by_sentence[3:].tolist()

    @pytest.mark.parametrize(("per_document", "correlation"), [(20, 0.1), (20, 0.3), (1, 0.0)])
    def test_rates_are_those_expected(self, per_document, correlation):
        by_sentence, by_document = equal_tests(per_document, correlation, 0, 0, 1500).rejected()
        assert by_sentence.share == pytest.approx(
            expected_by_sentence(per_document, correlation), abs=0.03
        )
        assert by_document.share == pytest.approx(0.05, abs=0.02)


class TestComparisons:
    def test_false_stars_are_those_of_the_page_validation(self, made_up):
        elsewhere = families(
            made_up, "bleu", systems=N_SYSTEMS, repeats=3, trials=2999, seed=1
        ).of_all_pairs[-1]
        found = tables(family(made_up, "bleu", seed=1), 1, 0, 3)
        assert {name: found.any_false(name).count for name in found.corrections} == {
            name: elsewhere.wrong[name].count for name in found.corrections
        }
        assert set(found.corrections) < set(CORRECTIONS) and found.decided.shape == (3, 4, 105)

    def test_so_are_false_and_lost_ones_where_three_are_better(self, made_up):
        elsewhere = claims(made_up, "bleu", better=N_BETTER, repeats=3, trials=2999, seed=1)
        found = tables(family(made_up, "bleu", better=N_BETTER, seed=1), 1, 0, 3)
        assert (
            found.true.sum() == elsewhere.true_pairs > found.lost("holm").min()
        )  # so many trials that it can find
        for row in elsewhere.rows:
            if row.correction in found.corrections:
                assert found.any_false(row.correction).count == row.any_false.count
                assert found.lost(row.correction).mean() == pytest.approx(
                    row.lost.share * elsewhere.true_pairs
                )
        said = texts.three_better_end(found)["conclusion"]
        assert all(
            f"{found.lost(name).mean():.1f} of {found.true.sum()} true ones" in said
            for name in ("none", "romano-wolf")
        )


@pytest.fixture(scope="module")
def two(made_up):
    return better(made_up, "bleu", 4.0)


class TestPower:
    def test_each_difference_and_p_is_that_of_all_swaps(self, two):
        found = power_tests(two, 6, 2, 0, 3)
        for k in range(3):
            rng = np.random.default_rng([2, 61, k])
            first, second = mix_systems(two.source, 2, 1, two.share, 6, rng)
            swapped = []
            for heads in product((False, True), repeat=6):
                heads = np.reshape(heads, (-1, 1))
                sums = [np.where(heads, first, second).sum(axis=0)]
                sums.append(np.where(heads, second, first).sum(axis=0))
                swapped.append(bleu(sums[1]) - bleu(sums[0]))
            p = np.mean(np.abs(swapped) >= abs(swapped[0]) - 1e-9)
            assert (found.differences[k], found.p[k]) == pytest.approx((swapped[0], p))

    def test_it_is_found_as_often_and_looks_as_large_as_planned(self, two):
        found, n = power_tests(two, 60, 0, 0, 250), 60
        assert two.difference == pytest.approx(4.0)
        assert found.differences.mean() == pytest.approx(4.0, abs=5 * two.error(n) / 250**0.5)
        assert found.differences.std() == pytest.approx(two.error(n), rel=0.2)
        assert 0.1 < found.power.share < 0.9 and found.power.share == pytest.approx(
            two.planned(n), abs=0.1
        )
        assert 1.05 < found.mean_size / 4.0 == pytest.approx(two.planned_exaggeration(n), rel=0.1)
        later = power_tests(two, 60, 0, 20, 25)
        assert later.p.tolist() == found.p[20:25].tolist() and found.first(20).power.n == 20

    def test_those_for_the_worse_system_are_counted(self, two):
        found = PowerTests(0.5, np.array([3.0, -4.0, 5.0, 0.1]), np.array([0.01, 0.02, 0.03, 0.9]))
        said = texts.power_end(found, 100, 0.05, 6.5)
        assert found.turned == 1 and found.mean_size == 4.0
        assert said["conclusion"].startswith(
            "The true difference is 0.5 points. 75% (95% CI 30 to 95) of 4 test sets"
        )
        assert (said["truth"], texts.power_end(found.first(1), 100, 0.05, 6.5)["truth"]) == (
            "3 of 4",
            "1 of 1",
        )
        assert said["conclusion"].endswith(
            "1 of these 3 for the worse system. Those show 8.0 times the true size (6.5 expected)."
        )
        assert (
            "of 1 test set of 100 sentences finds it significant (planning"
            in texts.power_end(found.first(1), 100, 0.05, 6.5)["conclusion"]
        )


@pytest.mark.parametrize("turned", [False, True])
def test_three_sentences_against_sacrebleu_in_an_order_that_does_not_answer(turned):
    reference = ["a b c d e f g h i j k l", "a b c d", "e f g h"]
    systems = {
        "A": ["a b c d e f g h i j k l", "x y z u", "x y z u"],
        "B": ["x y z u v w x y z u v w", "a b c d", "e f g h"],
    }
    names = "BA" if turned else "AB"
    testset = TestSet("toy", {name: systems[name] for name in names}, {"ref": reference})
    found, scorer = three_sentences(testset), BLEU()
    assert found.names == tuple(names)
    assert found.names[found.by_corpus] == "A"
    corpus = []
    for side, name in enumerate(names):
        for step in (1, 2, 3):
            score = scorer.corpus_score(systems[name][:step], [reference[:step]])
            assert found.corpus[step - 1][side] == pytest.approx(score.score)
            assert found.sums[step - 1][side] == [*score.counts, *score.totals]
        corpus.append(score.score)
        for k in range(3):
            alone = scorer.corpus_score([systems[name][k]], [[reference[k]]])
            assert found.scores[k][side] == pytest.approx(alone.score)
    said = texts.mean_end(found, found.names)
    assert said["truth"] == "A"
    by_mean = f"B wins by the mean ({max(found.mean):.1f} to {min(found.mean):.1f})"
    by_corpus = f"A by the corpus score ({max(corpus):.1f} to {min(corpus):.1f})"
    assert said["conclusion"].startswith(f"{by_mean}, {by_corpus}")


def test_how_often_three_sentences_disagree_against_enumeration_with_sacrebleu(made_up):
    few, scorer = made_up.take(range(8)), BLEU()

    def scores(name, rows):
        texts_of = few.systems[name], few.references["ref"]
        each = [scorer.corpus_score([texts_of[0][k]], [[texts_of[1][k]]]).score for k in rows]
        out, ref = ([column[k] for k in rows] for column in texts_of)
        return np.array([np.mean(each), scorer.corpus_score(out, [ref]).score])

    by_rows = [[scores(name, rows) for name in few.systems] for rows in combinations(range(8), 3)]
    turned = [np.prod(a - b) < 0 for three in by_rows for a, b in combinations(three, 2)]
    found = how_often(measure(few, "bleu"), seed=3, draws=20_000)
    assert 0 < np.mean(turned) < 1 and found.n < 20_000
    assert found.share == pytest.approx(np.mean(turned), abs=5 * (0.25 / found.n) ** 0.5)


def test_the_first_resamples_have_a_percentile_interval_once_one_lies_beyond_each_end():
    best = bootstrap_systems(load_demo(240), "bleu", resamples=300)[0]
    assert best.first(39, 0.05).intervals == {"percentile": None}
    assert best.first(300, 0.05).intervals["percentile"] == best.intervals["percentile"]
    low, high = best.first(40, 0.05).intervals["percentile"]
    assert [sum(best.drawn[:40] < low), sum(best.drawn[:40] > high)] == [1, 1]
