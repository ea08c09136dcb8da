"""The rules of shared tasks against slow loops that follow what their scripts do, and what they hide."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mtsig_core import Comparison, SettingError, TestSet, compare, compare_task
from mtsig_core.report.pictures import task_svg
from mtsig_core.source import TaskSource
from mtsig_core.stats.ranks import RANK_RULES, Ranks, inside_clusters, overlap, signed_rank, wmt24, wmt25
from mtsig_core.task import Task
from tests.report.task_files import task_html, task_latex, task_text

WMT25 = Path(__file__).resolve().parents[3] / "shared" / "data" / "wmt25"


def scores(rng, missing=0.0, n_systems=9, n=80, spread=0.35):
    found = rng.normal(0, 1, (n_systems, n)) + rng.normal(0, 1, n) + spread * rng.normal(0, 1, (n_systems, 1))
    found[rng.random(found.shape) < missing] = np.nan
    return found


def differing(a, b, alternative):
    d = [x - y for x, y in zip(a, b, strict=True) if not (np.isnan(x) or np.isnan(y))]
    return stats.wilcoxon(d, alternative=alternative).pvalue


def walked(data, alpha=0.05):
    """Place, first and last rank of each system by WMT25's rule."""
    order = sorted(range(len(data)), key=lambda k: -np.nanmean(data[k]))
    found = {}
    for place, system in enumerate(order):
        first = last = place + 1
        for other in reversed(order[:place]):
            if differing(data[other], data[system], "greater") < alpha:
                break
            first -= 1
        for other in order[place + 1:]:
            if differing(data[system], data[other], "greater") < alpha:
                break
            last += 1
        found[system] = place, first, last
    return found


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_wmt25_walks_to_the_first_that_differs(seed, missing):
    data = scores(np.random.default_rng(seed), missing)
    order, ranks = wmt25(data, 0.05)
    assert {system: (order.tolist().index(system), ranks.low[system], ranks.high[system])
            for system in range(len(data))} == walked(data)
    for place, system in enumerate(order):
        assert ranks.wins[system] == sum(differing(data[system], data[k], "greater") < 0.05 for k in order[place + 1:])
        assert ranks.losses[system] == sum(differing(data[k], data[system], "greater") < 0.05 for k in order[:place])


def test_wmt25_takes_one_side_at_alpha():
    """Five segments, all for the first system: its exact one-sided p is 1/32, between 0.025 and 0.05."""
    _, ranks = wmt25(np.array([[1.0, 2.0, 3.0, 4.0, 5.0], np.zeros(5)]), 0.05)
    assert (ranks.low.tolist(), ranks.high.tolist(), ranks.cluster.tolist()) == ([1, 2], [1, 2], [1, 2])
    assert (ranks.wins.tolist(), ranks.losses.tolist()) == ([1, 0], [0, 1])


@pytest.mark.parametrize("metric", ["XCOMET-XL", "GEMBA-ESA-CMDA"])
def test_wmt25_is_what_a_loop_over_the_tasks_own_scores_gives(metric):
    if not WMT25.is_dir():
        pytest.skip("needs the scores of WMT 2025 in ../shared/data/wmt25")
    for testset in TaskSource(str(WMT25)).read().testsets.values():
        by_system = testset.scores[metric].by_system
        data = np.array([by_system[name] for name in testset.systems], dtype=float)
        _, ranks = wmt25(data, 0.05)
        ends = walked(data)
        assert list(zip(ranks.low, ranks.high, strict=True)) == [ends[k][1:] for k in range(len(data))]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_wmt24_combines_domains_and_counts_wins_and_losses(seed, missing):
    data, domains = scores(np.random.default_rng(seed), missing), ["news"] * 30 + ["speech"] * 50
    order, ranks = wmt24(data, 0.05, domains)
    means = [(np.nanmean(row[:30]) + np.nanmean(row[30:])) / 2 for row in data]
    assert [means[k] for k in order] == sorted(means, reverse=True)
    for i in range(len(data)):
        wins = losses = 0
        for j in set(range(len(data))) - {i}:
            p = [differing(data[i][part], data[j][part], "two-sided") for part in (slice(30), slice(30, None))]
            combined = stats.norm.sf(sum(stats.norm.isf(one) for one in p) / np.sqrt(2))
            if combined < 0.05:
                wins, losses = (wins + 1, losses) if means[i] > means[j] else (wins, losses + 1)
        assert (ranks.wins[i], ranks.losses[i]) == (wins, losses)
        assert (ranks.low[i], ranks.high[i]) == (losses + 1, len(data) - wins)


def test_wmt24_adds_up_opposite_domains():
    """Each domain is decided, in opposite directions; all segments together are as even as can be."""
    by = np.linspace(0.5, 1.5, 30)
    data = np.array([np.r_[by + 0.01, -by], np.zeros(60)])
    assert sorted(wmt24(data, 0.05, ["a"] * 30 + ["b"] * 30)[1].low) == [1, 2]
    assert wmt24(data, 0.05, ["a"] * 60)[1].low.tolist() == [1, 1]


def test_wmt25_does_not_look_beyond_the_first():
    """The last is rated on four segments, which can decide nothing: it might be the best, but for the second."""
    data = np.array([np.full(60, 2.0), np.full(60, 1.0), np.full(60, np.nan)])
    data[2, :4] = 0.0
    _, ranks = wmt25(data, 0.05)
    assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 2, 1], [1, 3, 3])


def test_lines_are_drawn_where_no_interval_reaches_over():
    """Within a level the systems differ by as much one way as the other."""
    turns = np.tile([0.125, -0.125], 50)
    data = np.array([3 + turns, 3 - turns, 1 + turns, 1 - turns, 1 + 0 * turns, 0 * turns])
    for _, ranks in (wmt25(data, 0.05), wmt24(data, 0.05, ["a"] * 60 + ["b"] * 40)):
        assert ranks.cluster.tolist() == [1, 1, 2, 2, 2, 3]
        assert ranks.low.tolist() == [1, 1, 3, 3, 3, 6] and ranks.high.tolist() == [2, 2, 5, 5, 5, 6]
        assert ranks.wins.tolist() == [4, 4, 1, 1, 1, 0] and ranks.losses.tolist() == [0, 0, 2, 2, 2, 5]


def test_overlap():
    ranks = overlap(np.array([9., 8, 4, 1]), np.array([12., 10, 8.5, 3]))
    assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 1, 2, 4], [2, 3, 3, 3 + 1])
    assert ranks.cluster.tolist() == [1, 1, 1, 2]
    assert (ranks.wins.tolist(), ranks.losses.tolist()) == ([2, 1, 1, 0], [0, 0, 1, 3])
    turned = overlap(-np.array([12., 10, 8.5, 3]), -np.array([9., 8, 4, 1]), -1)
    assert turned.low.tolist() == ranks.low.tolist() and turned.high.tolist() == ranks.high.tolist()


def test_equal_systems_and_no_common_line():
    data = np.array([[1., 2, 3, np.nan], [1, 2, 3, np.nan], [np.nan, np.nan, np.nan, 5]])
    for _, ranks in (wmt24(data, 0.05, ["a"] * 4), wmt25(data, 0.05)):
        assert ranks.low.tolist() == [1, 1, 1] and ranks.high.tolist() == [3, 3, 3] and set(ranks.cluster) == {1}
        assert not ranks.wins.any() and not ranks.losses.any()


def test_significant_pairs_inside_a_cluster_are_counted():
    ranks = Ranks(np.array([1, 1, 3]), np.array([2, 2, 3]), np.array([1, 1, 2]), np.array([1, 1, 0]),
                  np.array([0, 0, 2]))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    assert inside_clusters(ranks, pairs, np.array([True, True, False])).tolist() == [True, False, False]


def test_each_rule_but_ours_says_what_it_ignores():
    assert [bool(rule.ignores) for rule in RANK_RULES.values()] == [False, True, True, True]


# -- in a comparison --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rated():
    """Five systems, of which the middle ones are near each other; 120 segments in 30 documents of two domains."""
    rng = np.random.default_rng(11)
    base, levels = rng.normal(60, 10, 120), (12.0, 4.0, 3.4, 2.6, 0.0)
    by_system = {f"S{k}": (base + level + rng.normal(0, 6, 120)).tolist() for k, level in enumerate(levels)}
    return TestSet("rated", {name: [None] * 120 for name in by_system}, {}, scores={"human": by_system},
                   documents=[f"d{k // 4}" for k in range(120)], domains=["news"] * 60 + ["speech"] * 60)


@pytest.mark.parametrize("rule", ["wmt24", "wmt25", "overlap"])
def test_a_comparison_is_ranked_by_the_rule_and_says_what_it_hides(rated, rule):
    ours = compare(rated, "human", trials=999).metrics["human"]
    found = compare(rated, "human", trials=999, rank_rule=rule)
    result, = found.metrics.values()
    data = np.array([rated.scores["human"].by_system[row.system] for row in result.systems], dtype=float)
    if rule == "overlap":
        expected = overlap(*np.array([(row.ci_low, row.ci_high) for row in result.systems]).T)
    else:
        expected = {"wmt24": wmt24, "wmt25": wmt25}[rule](data, 0.05, rated.domains)[1]
    ranks = [(row.rank_low, row.rank_high) for row in result.systems]
    assert ranks == list(zip(expected.low, expected.high, strict=True))
    assert [row.cluster for row in result.systems] == list(result.ruled.clusters) == sorted(expected.cluster)
    tally = {row.system: (wins, 4 - wins - losses, losses) for row, wins, losses in zip(
        result.systems, expected.wins.tolist(), expected.losses.tolist(), strict=True)}
    assert result.tally() == tally
    assert result.pairs == ours.pairs and result.signature != ours.signature and f"ranks:{rule}" in result.signature
    before = {row.system: (row.rank_low, row.rank_high) for row in ours.systems}
    changed = sum(before[row.system] != (row.rank_low, row.rank_high) for row in result.systems)
    place = {row.system: cluster for row, cluster in zip(result.systems, expected.cluster, strict=True)}
    inside = sum(pair.significant and place[pair.a] == place[pair.b] for pair in result.pairs)
    assert (result.ruled.changed, result.ruled.significant_inside) == (changed, inside)
    assert result.ruled.first_held == tuple(row.system for row in ours.systems if row.rank_low == 1)
    span = {row.system: set(range(row.rank_low, row.rank_high + 1)) for row in result.systems}
    apart = [pair for pair in result.pairs if max(span[pair.a]) < min(span[pair.b])
             or max(span[pair.b]) < min(span[pair.a])]
    assert result.ruled.apart_not_significant == sum(not pair.significant for pair in apart)
    assert result.ruled.inside_apart == sum(pair.significant and place[pair.a] == place[pair.b] for pair in apart)
    said, = (caution.text for caution in found.warnings if caution.code == "rank-rule")
    assert (f"Here {inside} significant" in said) == bool(inside or changed) and RANK_RULES[rule].ignores[0] in said
    assert Comparison.from_json(found.render("json")) == found and found.settings.rank_rule == rule


@pytest.fixture(scope="module")
def uneven():
    """Two domains, of which one has few segments: by segments S0 is best, by domains S1, and S1 is better there."""
    few = np.arange(120) >= 112
    noise = np.tile([0.5, -0.5, 0.25, -0.25], 30)
    by_system = {"S0": np.where(few, 60.0, 83.0) + noise, "S1": np.where(few, 80.0, 81.0) - noise,
                 "S2": np.where(few, 50.0, 70.0) + noise}
    return TestSet("uneven", {name: [None] * 120 for name in by_system}, {}, scores={
        "human": {name: values.tolist() for name, values in by_system.items()}},
        documents=[f"d{k // 4}" for k in range(120)], domains=np.where(few, "speech", "news").tolist())


def test_wmt24_scores_lists_and_counts_by_the_mean_over_domains(uneven):
    ours = compare(uneven, "human", trials=999).metrics["human"]
    result = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"]
    by_system = uneven.scores["human"].by_system
    means = {name: (np.mean(values[:112]) + np.mean(values[112:])) / 2 for name, values in by_system.items()}
    assert [row.system for row in ours.systems] == ["S0", "S1", "S2"]
    assert [row.system for row in result.systems] == ["S1", "S0", "S2"]
    assert [row.score for row in result.systems] == pytest.approx([means[row.system] for row in result.systems])
    assert result.ruled.means == pytest.approx([np.mean(by_system[row.system]) for row in result.systems])
    assert [(row.rank_low, row.rank_high, row.cluster) for row in result.systems] == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
    assert result.tally() == {"S1": (2, 0, 0), "S0": (1, 0, 1), "S2": (0, 0, 2)}
    assert result.pairs == ours.pairs


def test_wmt24_has_its_score_where_nothing_is_ranked_too(uneven):
    whole = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"]
    found = compare(uneven, "human", trials=999, rank_rule="wmt24", baseline="S0")
    result = found.metrics["human"]
    assert [(row.system, row.score, row.ci_low, row.rank_low, row.cluster) for row in result.systems] == [
        (row.system, row.score, row.ci_low, None, None) for row in whole.systems]
    assert result.pairs[0].delta == pytest.approx(result.ruled.means[0] - result.ruled.means[1])
    assert "vs baseline (segment mean)" in found.render("text") and Comparison.from_json(found.render("json")) == found
    alone = compare(uneven.only(["S1"]), "human", rank_rule="wmt24").metrics["human"].systems[0]
    assert alone.score == pytest.approx(whole.systems[0].score) and alone.rank_low is None


@pytest.mark.parametrize("lower", [False, True])
def test_wmt24_has_an_interval_of_the_score_it_shows(uneven, lower):
    """The jackknife's, against leaving out one document after the other."""
    by_system = {name: [-value if lower else value for value in values]
                 for name, values in uneven.scores["human"].by_system.items()}
    testset = TestSet("set", uneven.systems, {}, documents=uneven.documents, domains=uneven.domains,
                      scores={"human": type(uneven.scores["human"])(by_system, not lower)})
    result = compare(testset, "human", trials=999, rank_rule="wmt24", ci="jackknife-t").metrics["human"]
    assert [row.system for row in result.systems] == ["S1", "S0", "S2"]
    for row in result.systems:
        values, left_out = np.array(by_system[row.system]), []
        for document in range(30):
            kept = np.arange(120) // 4 != document
            left_out.append((values[:112][kept[:112]].mean() + values[112:][kept[112:]].mean()) / 2)
        half = stats.t.ppf(0.975, 29) * np.sqrt(29 * np.var(left_out))
        assert (row.ci_low, row.ci_high) == pytest.approx((row.score - half, row.score + half))


def test_wmt24_across_language_pairs_is_of_the_same_score(uneven):
    """The second language pair is the first one turned: what S1 gains in one domain is the same in both."""
    task = Task("toy", {"en-de": uneven, "en-cs": uneven.only(["S2", "S1", "S0"])})
    ours, ruled = (compare_task(task, "human", trials=999, resamples=99, rank_rule=rule).macro["human"]
                   for rule in ("simultaneous", "wmt24"))
    one = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"]
    assert [row.system for row in ours.systems] == ["S0", "S1", "S2"]
    assert [row.system for row in ruled.systems] == ["S1", "S0", "S2"]
    assert [row.score for row in ruled.systems] == pytest.approx([row.score for row in one.systems])
    assert [(row.wins, row.ties, row.losses) for row in ruled.systems] == [(4, 0, 0), (2, 0, 2), (0, 0, 4)]
    assert ruled.pairs[0].delta == pytest.approx(one.systems[0].score - one.systems[1].score)
    assert all(row.ci_low <= row.score <= row.ci_high for row in ruled.systems)


def test_wmt24_without_domains_is_refused(rated):
    bare = TestSet("bare", rated.systems, {}, scores=rated.scores, documents=rated.documents)
    with pytest.raises(SettingError, match="as WMT24 need domains, and bare has none: .*column .domain. of the table"):
        compare(bare, "human", rank_rule="wmt24")
    with pytest.raises(SettingError, match="need domains"):
        compare_task(Task("toy", {"en-de": bare}), "human", rank_rule="wmt24")
    assert compare(bare, "human", trials=99, rank_rule="wmt25").metrics["human"].ruled is not None


@pytest.fixture(scope="module")
def spaced():
    """Three systems, each far better than the next, and three of the same scores."""
    def made(step):
        values = [60 + k % 7 for k in range(120)]
        return TestSet("spaced", {name: [None] * 120 for name in "ABC"}, {}, scores={
            "human": {name: [value - step * k + 0.5 * (-1) ** (n // (k + 1)) for n, value in enumerate(values)]
                      if step else values for k, name in enumerate("ABC")}},
            documents=[f"d{k // 4}" for k in range(120)], domains=["news", "speech"] * 60)

    return made(10.0), made(0.0)


def test_each_system_has_its_cluster_in_json_whatever_the_rule(spaced):
    for rule in RANK_RULES:
        for testset, clusters in zip(spaced, ([1, 2, 3], [1, 1, 1]), strict=True):
            found = json.loads(compare(testset, "human", trials=999, rank_rule=rule).render("json"))
            assert [row["cluster"] for row in found["metrics"]["human"]["systems"]] == clusters
    without = compare(spaced[0], "human", trials=999, baseline="B").metrics["human"]
    assert [row.cluster for row in without.systems] == [None] * 3


@pytest.mark.parametrize(("form", "line"), [("text", "\n----"), ("latex", r"\midrule"), ("html", '<tr class="ruled">')])
@pytest.mark.parametrize("rule", RANK_RULES)
def test_a_line_is_drawn_between_clusters(spaced, form, line, rule):
    """One below the first, and one below the second of the leaderboard, which comes before the table of pairs."""
    drawn, none = (compare(one, "human", trials=999, rank_rule=rule).render(form).partition(":mtsig-human-pairs}")[0]
                   .count(line) for one in spaced)
    assert drawn - none == 2


@pytest.mark.parametrize(("form", "line"), [
    (task_text, "\n----"), (lambda found: task_latex(found, ""), r"\midrule"),
    (lambda found: task_html(found, ""), '<tr class="ruled">'),
    (lambda found: task_svg(found, "human"), 'class="cluster"')])
def test_a_line_is_drawn_in_the_picture_of_a_task(spaced, form, line):
    """By the clusters across its language pairs, or those of the only one; HTML has the tables of each besides."""
    for pairs in (("en-de", "en-cs"), ("en-de",)):
        drawn, none = (form(compare_task(Task("toy", dict.fromkeys(pairs, one)), "human", trials=999, resamples=99)
                            ).count(line) for one in spaced)
        assert drawn - none == 2 + 2 * len(pairs) * line.startswith("<tr")


@pytest.mark.parametrize("form", ["text", "latex", "html"])
def test_no_form_says_that_such_ranks_hold_jointly(rated, form):
    assert "jointly" in compare(rated, "human", trials=999).render("latex")
    said = compare(rated, "human", trials=999, rank_rule="wmt25").render(form)
    assert "as WMT25" in said and "hold jointly" not in said


def test_rules_of_segment_scores_need_them():
    texts = TestSet("toy", {"A": ["a b"], "B": ["a c"]}, {"ref": ["a b"]})
    with pytest.raises(SettingError, match="as WMT24 are made of segment scores.*bleu is a score of the whole corpus"):
        compare(texts, rank_rule="wmt24")
    with pytest.raises(SettingError, match="rank rule 'wmt26'"):
        compare(texts, rank_rule="wmt26")


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("n", [8, 50, 51, 200])
def test_the_signed_rank_test_is_scipys(n, alternative):
    """With ties, zeros and segments without a score; and below and above the size from which it is its own."""
    rng = np.random.default_rng(n)
    for d in (rng.normal(0.1, 1, n), rng.integers(-2, 4, n).astype(float)):
        some = np.concatenate([d, [np.nan]])
        assert signed_rank(some, alternative) == pytest.approx(
            stats.wilcoxon(d, alternative=alternative).pvalue, rel=1e-12)
    assert signed_rank(np.zeros(n), alternative) == 1 and signed_rank(np.full(n, np.nan), alternative) is None
