"""The rules of shared tasks against slow loops that follow what their scripts do, and what they hide."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core import Comparison, SettingError, TestSet, compare
from mtsig_core.inference.rank_rules import RANK_RULES, Ranks, inside_clusters, overlap, signed_rank, wmt24, wmt25

RNG = np.random.default_rng(11)


def scores(n_systems=9, n=80, spread=0.35, missing=0.0):
    found = RNG.normal(0, 1, (n_systems, n)) + RNG.normal(0, 1, n) + spread * RNG.normal(0, 1, (n_systems, 1))
    found[RNG.random(found.shape) < missing] = np.nan
    return found


def differing(a, b, alternative):
    d = [x - y for x, y in zip(a, b, strict=True) if not (np.isnan(x) or np.isnan(y))]
    return stats.wilcoxon(d, alternative=alternative).pvalue


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_wmt25_walks_to_the_first_that_differs(missing):
    data = scores(missing=missing)
    order, ranks = wmt25(data, 0.05)
    means = [np.nanmean(row) for row in data]
    assert [means[k] for k in order] == sorted(means, reverse=True)
    for place, system in enumerate(order):
        first = last = place + 1
        for other in reversed(order[:place]):
            if differing(data[other], data[system], "greater") < 0.025:
                break
            first -= 1
        for other in order[place + 1:]:
            if differing(data[system], data[other], "greater") < 0.025:
                break
            last += 1
        assert (ranks.low[system], ranks.high[system]) == (first, last)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_wmt24_combines_domains_and_counts_wins_and_losses(missing):
    data, domains = scores(missing=missing), ["news"] * 30 + ["speech"] * 50
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
        assert (ranks.low[i], ranks.high[i]) == (losses + 1, len(data) - wins)


def test_wmt24_adds_up_opposite_domains():
    """Each domain is decided, in opposite directions; the combined p is smaller than either."""
    base = RNG.normal(0, 1, 60)
    data = np.array([base + np.r_[np.full(30, 1.0), np.full(30, -1.0)] + RNG.normal(0, .5, 60), base])
    _, ranks = wmt24(data, 0.05, ["a"] * 30 + ["b"] * 30)
    assert sorted(ranks.low) == [1, 2]
    assert list(wmt24(data, 0.05)[1].low) == [1, 1]


def test_wmt25_does_not_look_beyond_the_first():
    """The middle one is rated on few lines: the best does not differ from it, but does from the worst."""
    base = RNG.normal(0, 1, 200)
    data = np.array([base + 0.3 + RNG.normal(0, .5, 200), base + 0.15 + RNG.normal(0, .5, 200), base])
    data[1, 6:] = np.nan
    order, ranks = wmt25(data, 0.05)
    best, worst = order[0], order[-1]
    if order[1] == 1:
        assert differing(data[best], data[worst], "greater") < 0.025
    assert ranks.high[best] >= 2


def test_lines_are_drawn_where_no_interval_reaches_over():
    data = scores(6, 300, spread=0) + np.array([[3], [3], [1], [1], [1], [0]])
    for order, ranks in (wmt25(data, 0.05), wmt24(data, 0.05)):
        assert ranks.cluster[order[0]] == 1 and (np.diff(ranks.cluster[order]) >= 0).all()
        assert ranks.cluster[0] == ranks.cluster[1] and ranks.cluster[2] > ranks.cluster[1]
        assert ranks.cluster[5] == ranks.cluster.max() > ranks.cluster[3]


def test_overlap():
    ranks = overlap(np.array([9., 8, 4, 1]), np.array([12., 10, 8.5, 3]))
    assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 1, 2, 4], [2, 3, 3, 3 + 1])
    assert ranks.cluster.tolist() == [1, 1, 1, 2]
    turned = overlap(-np.array([12., 10, 8.5, 3]), -np.array([9., 8, 4, 1]), -1)
    assert turned.low.tolist() == ranks.low.tolist() and turned.high.tolist() == ranks.high.tolist()


def test_equal_systems_and_no_common_line():
    data = np.array([[1., 2, 3, np.nan], [1, 2, 3, np.nan], [np.nan, np.nan, np.nan, 5]])
    for rule in (wmt24, wmt25):
        _, ranks = rule(data, 0.05)
        assert ranks.low.tolist() == [1, 1, 1] and ranks.high.tolist() == [3, 3, 3] and set(ranks.cluster) == {1}


def test_significant_pairs_inside_a_cluster_are_counted():
    ranks = Ranks(np.array([1, 1, 3]), np.array([2, 2, 3]), np.array([1, 1, 2]))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    assert inside_clusters(ranks, pairs, np.array([True, True, False])).tolist() == [True, False, False]


def test_each_rule_but_ours_says_what_it_ignores():
    assert [bool(rule.ignores) for rule in RANK_RULES.values()] == [False, True, True, True]


# -- in a comparison --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rated():
    """Five systems, of which the middle ones are near each other; 120 segments in 30 documents of two domains."""
    base, levels = RNG.normal(60, 10, 120), (12.0, 4.0, 3.4, 2.6, 0.0)
    by_system = {f"S{k}": (base + level + RNG.normal(0, 6, 120)).tolist() for k, level in enumerate(levels)}
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
    assert result.pairs == ours.pairs and result.signature != ours.signature and f"ranks:{rule}" in result.signature
    changed = sum((a.rank_low, a.rank_high) != (b.rank_low, b.rank_high)
                  for a, b in zip(result.systems, ours.systems, strict=True))
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
    for d in (RNG.normal(0.1, 1, n), RNG.integers(-2, 4, n).astype(float)):
        some = np.concatenate([d, [np.nan]])
        assert signed_rank(some, alternative) == pytest.approx(
            stats.wilcoxon(d, alternative=alternative).pvalue, rel=1e-12)
    assert signed_rank(np.zeros(n), alternative) == 1 and signed_rank(np.full(n, np.nan), alternative) is None
