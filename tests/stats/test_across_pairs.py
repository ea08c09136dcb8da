"""Systems across language pairs, against full enumeration and by hand."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mtsig_core import SegmentScores, TestSet, compare
from mtsig_core.errors import SettingError
from mtsig_core.report.sentences import describe_methods, list_caution_texts, list_gaps_across
from mtsig_core.report.tables import pairs_table
from mtsig_core.results import TaskInfo
from mtsig_core.stats.across import compare_task, find_disputes, settings_across, task_metrics
from mtsig_core.stats.cautions import rank_disagreement
from mtsig_core.stats.few_units import can_reach
from mtsig_core.task import Task
from tests.builders.rendered import task_json
from tests.builders.score_tables import rated_systems
from tests.builders.task_files import task_latex, task_text

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def begin_draws_again(monkeypatch):
    """Each test draws the same numbers, in whatever order the tests run."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(7))


def rated(n, documents=None, higher=True, **systems):
    scores = {name: RNG.normal(mean, 8, n).round(1) for name, mean in systems.items()}
    return rated_systems(scores, documents, higher)


def arrays(testset, *names):
    return [np.array(testset.scores["human"].by_system[name], float) for name in names]


@pytest.fixture
def small():
    """So few segments that all swaps of both pairs together can be tried, with p between 0.01 and
    0.5.
    """
    german = {"A": (81, 74, 69, 77, 66, 80), "B": (70, 71, 73, 60, 68, 69)}
    czech = {"A": (85, 79, 90, 72, 81, 76, 84), "B": (71, 80, 77, 74, 65, 70, 79)}
    return Task("toy", {"en-de": rated_systems(german), "en-cs": rated_systems(czech)})


def test_p_is_that_of_all_swaps(small):
    trials = 20_000
    macro = compare_task(small, trials=trials, jobs=2).macro["human"]
    differences = [np.subtract(*arrays(testset, "A", "B")) for testset in small.testsets.values()]
    observed = np.mean([d.mean() for d in differences])
    means = [
        [np.mean(d * signs) for signs in itertools.product((1, -1), repeat=len(d))]
        for d in differences
    ]
    swapped = np.add.outer(*map(np.array, means)).ravel() / 2
    exact = np.mean(np.abs(swapped) >= abs(observed) - 1e-9)
    (pair,) = macro.pairs
    assert pair.delta == pytest.approx(observed) and 0.01 < exact < 0.5
    assert abs(pair.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / trials)


def test_the_interval_is_that_of_independent_draws():
    task = Task("toy", {"en-de": rated(300, A=70, B=68), "en-cs": rated(150, A=70, B=68)})
    macro = compare_task(task, resamples=4000, trials=999).macro["human"]
    differences = [np.subtract(*arrays(testset, "A", "B")) for testset in task.testsets.values()]
    se = np.sqrt(sum(d.var() / len(d) for d in differences)) / 2
    (pair,) = macro.pairs
    low, high = (pair.ci_low, pair.ci_high) if pair.a == "A" else (-pair.ci_high, -pair.ci_low)
    mean = np.mean([d.mean() for d in differences])
    assert (low, high) == pytest.approx((mean - 1.96 * se, mean + 1.96 * se), abs=0.15 * se)


@pytest.mark.parametrize("documents", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("other", [0, 34])
def test_a_bootstrap_of_few_documents_has_no_p_that_they_cannot_show(documents, other):
    """Of n documents one system is ahead in all by chance once in 2^n, twice two-sided: more in
    another language pair do not make that rarer, as the bootstrap there says nothing of the n.
    """
    sizes = {"en-de": documents, "en-cs": documents + other}
    task = Task("toy", {pair: rated(40, documents_of(n), A=95, B=10) for pair, n in sizes.items()})
    found = compare_task(task, test="bootstrap", trials=999)
    (pair,) = found.macro["human"].pairs
    assert (
        pair.p_value == pytest.approx(max(2 / 2**documents, 0.001))
        and pair.p_adjusted >= pair.p_value
    )
    assert (
        (pair.better is None)
        == (not pair.decidable)
        == (documents < 6)
        == (not found.macro["human"].is_ranked)
    )
    assert any("cannot be decided" in said for said in list_gaps_across(found, "human")) == (
        documents < 6
    )
    for correction in ("holm", "none"):
        (again,) = (
            compare_task(task, test="bootstrap", trials=999, correction=correction)
            .macro["human"]
            .pairs
        )
        assert again.better == pair.better
    (swapped,) = compare_task(task, trials=999).macro["human"].pairs  # swaps of all count together
    assert (swapped.better is None) == (2 * documents + other < 6)


def test_opposite_differences_do_not_add_up():
    """Wins here and losses there of the same size: each is significant, their mean is not."""
    task = Task("toy", {"en-de": rated(200, A=80, B=70), "en-cs": rated(200, A=70, B=80)})
    found = compare_task(task, trials=999)
    assert all(one.metrics["human"].pairs[0].significant for one in found.pairs.values())
    assert found.macro["human"].pairs[0].better is None
    assert {
        row.system: (row.wins, row.ties, row.losses) for row in found.macro["human"].systems
    } == {"A": (1, 0, 1), "B": (1, 0, 1)}


def test_systems_that_miss_a_pair_have_no_macro_rank():
    task = Task("toy", {"en-de": rated(60, A=90, B=60, C=40), "en-cs": rated(60, A=90, B=60)})
    rows = compare_task(task, trials=999).macro["human"].systems
    assert [(row.system, row.n_pairs, row.rank_low, row.rank_high) for row in rows] == [
        ("A", 2, 1, 1),
        ("B", 2, 2, 2),
        ("C", 1, None, None),
    ]
    assert rows[2].score is None and (rows[2].wins, rows[2].losses) == (0, 2)


def test_lower_is_better_turns_ranks_not_differences():
    task = Task("toy", {pair: rated(60, higher=False, A=90, B=60) for pair in ("en-de", "en-cs")})
    macro = compare_task(task, trials=999).macro["human"]
    (pair,) = macro.pairs
    assert (macro.systems[0].system, pair.a, pair.better, pair.delta < 0) == ("B", "B", "a", True)


def test_draws_of_a_pair_do_not_depend_on_the_others():
    pairs = {"en-de": rated(40, A=71, B=70), "en-cs": rated(30, A=70, B=71)}
    found = [
        compare_task(Task("toy", dict(order)), trials=499).macro["human"].pairs[0]
        for order in (pairs.items(), reversed(pairs.items()))
    ]
    assert found[0].p_value == found[1].p_value and found[0].ci_low == pytest.approx(
        found[1].ci_low
    )


def test_missing_ratings_are_compared_on_common_lines():
    full = rated(80, A=75, B=70)
    scores = dict(full.scores["human"].by_system)
    scores["A"] = (None,) * 20 + scores["A"][20:]
    gaps = replace(full, scores={"human": SegmentScores(scores)})
    macro = compare_task(Task("toy", {"en-de": gaps, "en-cs": gaps}), trials=499).macro["human"]
    a, b = arrays(full, "A", "B")
    (pair,) = macro.pairs
    assert abs(pair.delta) == pytest.approx(abs((a - b)[20:].mean()))


def test_a_pair_with_no_common_line_somewhere_is_in_no_family():
    full = rated(80, A=75, B=70, C=20)
    scores = dict(full.scores["human"].by_system)
    scores["A"], scores["B"] = scores["A"][:40] + (None,) * 40, (None,) * 40 + scores["B"][40:]
    apart = replace(full, scores={"human": SegmentScores(scores)})
    macro = compare_task(Task("toy", {"en-de": full, "en-cs": apart}), trials=499).macro["human"]
    assert {frozenset((pair.a, pair.b)) for pair in macro.pairs} == {
        frozenset("AC"),
        frozenset("BC"),
    }


def test_tests_without_draws_compare_pairs_alone(small):
    found = compare_task(small, test="wilcoxon", unit="segment")
    assert found.macro["human"].pairs == () and all(
        row.score is None for row in found.macro["human"].systems
    )


def test_metrics_of_a_task(small):
    info = TaskInfo.from_task(small)
    assert task_metrics(info) == ["human"]
    with pytest.raises(SettingError, match="No language pair of toy has 'bleu'"):
        task_metrics(info, ["bleu"])
    with pytest.raises(SettingError, match="only once"):
        task_metrics(info, ["human", "human"])


def test_language_pairs_have_metrics_of_their_own():
    texts = TestSet("toy", {"A": ["a b"], "B": ["a c"]}, {"ref": ["a b"]})
    info = TaskInfo.from_task(Task("toy", {"en-de": rated(5, A=1, B=2), "en-cs": texts}))
    assert task_metrics(info) == ["human", "bleu"]
    assert (info.pairs_with("human"), info.pairs_with("bleu")) == (("en-de",), ("en-cs",))
    assert task_metrics(info, ["chrf"]) == ["chrf"]
    with pytest.raises(SettingError, match="Unknown metric 'chrff'.*chrf"):
        task_metrics(info, ["human", "chrff"])


def test_a_language_pair_without_the_metric_is_left_out_and_named():
    texts = TestSet("toy", {"A": ["a b"] * 4, "B": ["a c"] * 4}, {"ref": ["a b"] * 4})
    found = compare_task(
        Task("toy", {"en-de": rated(5, A=1, B=2), "en-cs": texts}), "human", trials=99, resamples=50
    )
    assert list(found.pairs) == ["en-de"] and not found.macro
    said = "Not compared, because they have no human scores: en-cs."
    assert said in list_caution_texts(found, "human") and said in task_text(found)


@pytest.mark.parametrize(("documents", "ranked"), [(2, False), (3, True)])
def test_so_few_units_that_nothing_could_be_decided_rank_nobody(documents, ranked):
    """Two language pairs of n documents: the least p is 2 / 2^2n, of twice two .125 and of twice
    three .031.
    """
    ids = [str(k * documents // 12) for k in range(12)]
    task = Task("toy", {pair: rated(12, ids, A=95, B=50, C=10) for pair in ("en-de", "en-cs")})
    found = compare_task(task, trials=999)
    macro = found.macro["human"]
    assert [pair.decidable for pair in macro.pairs] == [ranked] * 3
    for row in macro.systems:
        assert (row.rank_low is None) == (row.rank_high is None) == (not ranked)
        assert row.score is not None
    table = pairs_table(macro, found.pairs["en-de"].settings)
    assert {row[-1] == "cannot be decided" for row in table.rows} == {not ranked}
    why = "3 of 3 pairs of systems cannot be decided with so few trials or units"
    said = f"Across the language pairs: {why}, and no system is ranked."
    assert (said in task_text(found)) == (not ranked)
    assert (said in json.loads(task_json(found))["macro"]["human"]["notes"]) == (not ranked)
    jointly = "hold jointly at about 95% for all systems ranked there"
    assert (jointly in describe_methods(found, "human")) == ranked
    ruled = compare_task(task, trials=999, rank_rule="wmt25")
    gaps = " ".join(list_gaps_across(ruled, "human"))
    assert ("simultaneous rank ranges" in gaps) == ranked


def test_pairs_that_a_correction_leaves_open_across_are_no_agreement_of_metrics():
    """Holm multiplies the least p of 50 trials, .0196, by three; no draw is made anew for it."""

    def twice(testset):
        return replace(testset, scores={**testset.scores, "other": testset.scores["human"]})

    task = Task("toy", {pair: twice(rated(40, A=90, B=50, C=10)) for pair in ("en-de", "en-cs")})
    found = compare_task(task, trials=50, correction="holm")
    macro = found.macro["human"]
    assert not any(pair.decidable for pair in macro.pairs) and all(
        pair.better is None for pair in macro.pairs
    )
    assert [row.rank_low for row in macro.systems] == [1, 2, 3]  # by Romano-Wolf
    (across,) = (one for one in find_disputes(found) if one.language_pair is None)
    assert (across.count("agree"), across.count("cannot be decided")) == (0, 3)
    assert rank_disagreement(macro)["undecided"]


def test_of_blocks_the_least_p_is_that_of_the_shortest_anywhere():
    usual = (
        compare_task(Task("toy", {"en-de": rated(6, A=74, B=66)}), trials=999, resamples=9)
        .pairs["en-de"]
        .settings
    )

    def can(*lengths):
        blocks = {
            str(length): replace(usual, unit="block", block_length=length) for length in lengths
        }
        return can_reach(settings_across(blocks), np.array([6]), "none").tolist()

    assert (can(8.0, 2.0), can(2.0, 8.0), can(8.0)) == ([True], [True], [False])


def documents_of(n):
    return [str(k * n // 40) for k in range(40)]


def test_from_one_unit_in_a_language_pair_there_is_no_interval_across():
    """It would enter as if known without error."""
    sizes = {"en-de": 40, "en-cs": 1}
    task = Task("toy", {pair: rated(40, documents_of(n), A=95, B=10) for pair, n in sizes.items()})
    found = compare_task(task, trials=999, resamples=99)
    macro = found.macro["human"]
    (pair,) = macro.pairs
    assert pair.better == "a"
    for row in (pair, *macro.systems):
        assert (row.ci_low, row.ci_high) == (None, None)
    assert all(row.score is not None for row in macro.systems)
    assert pairs_table(macro, found.pairs["en-de"].settings).values("ci")[0] is None
    [said] = list_gaps_across(found, "human")
    assert said.endswith("few units in en-cs.")
    assert said in task_text(found)
    assert said in " ".join(task_latex(found, "").split())
    assert "intervals of mean differences" not in describe_methods(found, "human")


def test_few_units_have_the_interval_of_welch():
    """Means of documents of equal size, by hand: the variances of three language pairs, and t with
    the degrees of freedom of Welch and Satterthwaite.
    """
    sizes = {"en-de": 40, "en-fr": 8, "en-cs": 5}
    task = Task("toy", {pair: rated(40, documents_of(n), A=75, B=70) for pair, n in sizes.items()})
    found = compare_task(task, trials=99, resamples=99)
    macro = found.macro["human"]
    means = {"A": [], "B": []}  # of documents, by language pair
    for n, testset in zip(sizes.values(), task.testsets.values(), strict=True):
        for name, values in zip("AB", arrays(testset, "A", "B"), strict=True):
            means[name].append(values.reshape(n, -1).mean(axis=1))
    (pair,) = macro.pairs
    differences = map(np.subtract, means[pair.a], means[pair.b])
    by_hand = [(pair, [*differences]), *((row, means[row.system]) for row in macro.systems)]
    for row, parts in by_hand:
        variances = np.array([np.var(part, ddof=1) / len(part) / 9 for part in parts])
        within = variances**2 / (np.array([*sizes.values()]) - 1)
        freedom = variances.sum() ** 2 / within.sum()
        half = stats.t.isf(0.025, freedom) * np.sqrt(variances.sum())
        mean = np.mean([part.mean() for part in parts])
        assert (row.ci_low, row.ci_high) == pytest.approx((mean - half, mean + half))
    assert macro.ci == "jackknife-t"
    said = "jackknife t intervals, with degrees of freedom by Welch (1947)"
    assert said in describe_methods(found, "human")
    asked = compare_task(task, trials=99, resamples=99, ci="percentile")
    assert asked.macro["human"].ci == "percentile"
    assert "99 resamples" in describe_methods(asked, "human")


def rated_pair(n, n_rated=None, documents=False, domains=False):
    """Two systems with texts, and with human scores of some segments."""
    rng, texts = np.random.default_rng(n), ["a b c d e"] * n
    scores = {
        name: [float(x) if k < (n_rated or n) else None for k, x in enumerate(rng.normal(70, 5, n))]
        for name in "AB"
    }
    return TestSet(
        "toy",
        {"A": texts, "B": ["a b x d e"] * n},
        {"ref": texts},
        documents=[str(k // 4) for k in range(n)] if documents else None,
        domains=[str(k % 2) for k in range(n)] if domains else None,
        scores={"human": SegmentScores(scores)},
    )


class TestMistakesAreFoundBeforeTheFirstDraw:
    @pytest.fixture(autouse=True)
    def nothing_is_drawn(self, monkeypatch):
        def fail(*args, **kwargs):
            raise AssertionError("drew")

        monkeypatch.setattr("mtsig_core.stats.comparison.draw_metric", fail)

    @pytest.mark.parametrize(
        "second, asked, message",
        [
            (
                rated_pair(40, documents=True),
                dict(unit="block", block_length=50),
                "en-cs: Block length 50 is not",
            ),
            (rated_pair(40), dict(unit="document"), "en-cs: .*document"),
            (
                rated_pair(40, documents=True),
                dict(rank_rule="wmt24"),
                "en-cs: Ranks .* need domains",
            ),
            (
                rated_pair(60, 20, documents=True),
                dict(unit="block", block_length=30),
                "en-cs: .* of segments, 20",
            ),
            (rated_pair(60, documents=True), dict(test="t"), "Test 't' works on single segments"),
        ],
    )
    def test_in_any_language_pair(self, second, asked, message):
        first = rated_pair(60, documents=True, domains=True)
        with pytest.raises(SettingError, match=f"^({message})"):
            compare_task(Task("toy", {"en-de": first, "en-cs": second}), "human", **asked)

    def test_in_any_metric(self):
        task = Task("toy", {"en-de": rated_pair(60), "en-cs": rated_pair(60)})
        with pytest.raises(SettingError, match="'t' is only for means of segment scores"):
            compare_task(task, ["human", "bleu"], test="t")

    def test_what_fits_no_language_pair_names_none(self):
        with pytest.raises(SettingError, match="^Unknown test"):
            compare_task(
                Task("toy", {"en-de": rated_pair(60), "en-cs": rated_pair(60)}), "human", test="ra"
            )

    def test_a_baseline_without_a_score(self):
        testset = rated_pair(60)
        scores = {"human": SegmentScores({"A": testset.scores["human"].by_system["A"]})}
        with pytest.raises(
            SettingError, match="^The baseline B has no score by human. Systems that have: A.$"
        ):
            compare(replace(testset, scores=scores), ["bleu", "human"], baseline="B")

    def test_blocks_longer_than_what_a_later_metric_has(self):
        with pytest.raises(
            SettingError, match="^Block length 30 is not between 1 and the number of segments, 20"
        ):
            compare(rated_pair(60, 20), ["bleu", "human"], unit="block", block_length=30)
