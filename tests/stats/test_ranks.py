"""Ranks from decisions by brute force, by the rules of shared tasks, and before and after
exclusions.
"""

import itertools
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mtsig_core import SettingError, TestSet, compare, compare_task
from mtsig_core.experiments.dispute import examine_dispute
from mtsig_core.report.pair_summary import summary_tables
from mtsig_core.report.sentences import state_verdict
from mtsig_core.results import ReferenceLeaders
from mtsig_core.stats.engine import all_pairs
from mtsig_core.stats.ranks import (
    RANK_RULES,
    RankRule,
    Ranks,
    decision_matrix,
    find_clusters,
    find_other_leaders,
    find_top_group,
    has_clear_winner,
    overlap,
    pearmut,
    rank_intervals,
    ranks_before_after,
    wmt21,
    wmt22,
    wmt22_appraise,
    wmt22_appraise_all,
    wmt24,
    wmt25,
    wmt26,
)
from mtsig_core.stats.segment_tests import signed_rank
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.task import Task, TaskExclusion
from mtsig_core.testset import SegmentScores
from tests.builders.cases import brief
from tests.builders.rated_tasks import made
from tests.builders.results import find_pair, select_cautions
from tests.builders.score_tables import rated_systems

#: Rules with decisions of their own; these six differ most from each other.
UNLIKE = ["wmt21", "wmt22-appraise", "wmt24", "wmt25", "wmt26", "overlap"]
RULES = brief(
    len(UNLIKE), [*UNLIKE, *(rule for rule in RANK_RULES if rule not in (*UNLIKE, "simultaneous"))]
)


def rows_of(ranks):
    """First and last rank, cluster, wins and losses of each system."""
    columns = (ranks.low, ranks.high, ranks.cluster, ranks.wins, ranks.losses)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def ranges(result):
    """First and last rank of each system, by name."""
    return {row.system: (row.rank_low, row.rank_high) for row in result.systems}


def scores(rng, missing=0.0, n_systems=9, n=80, spread=0.35):
    found = (
        rng.normal(0, 1, (n_systems, n))
        + rng.normal(0, 1, n)
        + spread * rng.normal(0, 1, (n_systems, 1))
    )
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
        for other in order[place + 1 :]:
            if differing(data[system], data[other], "greater") < alpha:
                break
            last += 1
        found[system] = place, first, last
    return found


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(2))
def test_wmt25_walks_to_the_first_that_differs(seed, missing):
    data = scores(np.random.default_rng(seed), missing)
    order, ranks = wmt25(data, 0.05)
    places = walked(data)
    for place, system in enumerate(order.tolist()):
        beaten = [differing(data[system], data[k], "greater") < 0.05 for k in order[place + 1 :]]
        lost = [differing(data[k], data[system], "greater") < 0.05 for k in order[:place]]
        assert places[system] == (place, ranks.low[system], ranks.high[system])
        assert (ranks.wins[system], ranks.losses[system]) == (sum(beaten), sum(lost))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(2))
def test_wmt24_combines_domains_and_counts_wins_and_losses(seed, missing):
    data, domains = scores(np.random.default_rng(seed), missing), ["news"] * 30 + ["speech"] * 50
    order, ranks = wmt24(data, 0.05, domains)
    means = [(np.nanmean(row[:30]) + np.nanmean(row[30:])) / 2 for row in data]
    assert [means[k] for k in order] == sorted(means, reverse=True)
    wins, losses = np.zeros((2, len(data)), dtype=int)
    for better, worse in itertools.combinations(order.tolist(), 2):
        first, second = data[better], data[worse]
        by_domain = [
            differing(first[:30], second[:30], "two-sided"),
            differing(first[30:], second[30:], "two-sided"),
        ]
        if stats.combine_pvalues(by_domain, method="stouffer").pvalue < 0.05:
            wins[better] += 1
            losses[worse] += 1
    assert (ranks.wins.tolist(), ranks.losses.tolist()) == (wins.tolist(), losses.tolist())
    assert ranks.low.tolist() == (losses + 1).tolist()
    assert ranks.high.tolist() == (len(data) - wins).tolist()


def test_wmt24_adds_up_opposite_domains():
    """Each domain is decided, in opposite directions; all segments together are as even as can
    be.
    """
    by = np.linspace(0.5, 1.5, 30)
    data = np.array([np.r_[by + 0.01, -by], np.zeros(60)])
    assert sorted(wmt24(data, 0.05, ["a"] * 30 + ["b"] * 30)[1].low) == [1, 2]
    assert wmt24(data, 0.05, ["a"] * 60)[1].low.tolist() == [1, 1]


def test_wmt25_does_not_look_beyond_the_first():
    """The last is rated on four segments, which can decide nothing: it might be the best, but for
    the second.
    """
    data = np.array([np.full(60, 2.0), np.full(60, 1.0), np.full(60, np.nan)])
    data[2, :4] = 0.0
    _, ranks = wmt25(data, 0.05)
    assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 2, 1], [1, 3, 3])


def test_lines_are_drawn_where_no_interval_reaches_over():
    """Within a level the systems differ by as much one way as the other."""
    turns = np.tile([0.125, -0.125], 50)
    data = np.array([3 + turns, 3 - turns, 1 + turns, 1 - turns, 1 + 0 * turns, 0 * turns])
    for _, ranks in (wmt25(data, 0.05), wmt24(data, 0.05, ["a"] * 60 + ["b"] * 40)):
        levels = [(1, 2, 1, 4, 0)] * 2 + [(3, 5, 2, 1, 2)] * 3 + [(6, 6, 3, 0, 5)]
        assert rows_of(ranks) == levels


def test_overlap():
    low, high = np.array([9.0, 8, 4, 1]), np.array([12.0, 10, 8.5, 3])
    expected = [(1, 2, 1, 2, 0), (1, 3, 1, 1, 0), (2, 3, 1, 1, 1), (4, 4, 2, 0, 3)]
    assert rows_of(overlap(low, high)) == expected
    assert rows_of(overlap(-high, -low, -1)) == expected


def test_equal_systems_and_no_common_line():
    data = np.array([[1.0, 2, 3, np.nan], [1, 2, 3, np.nan], [np.nan, np.nan, np.nan, 5]])
    for _, ranks in (wmt24(data, 0.05, ["a"] * 4), wmt25(data, 0.05)):
        assert rows_of(ranks) == [(1, 3, 1, 0, 0)] * 3


# -- in a comparison ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rated():
    """Five systems, of which the middle ones are near each other; 120 segments in 30 documents of
    two domains.
    """
    levels = np.reshape([12.0, 4.0, 3.4, 2.6, 0.0], (-1, 1))
    rng = np.random.default_rng(11)
    values = rng.normal(60, 10, 120) + levels + rng.normal(0, 6, (5, 120))
    by_system = {f"S{k}": row for k, row in enumerate(values)}
    domains = ["news"] * 60 + ["speech"] * 60
    return rated_systems(by_system, np.arange(120) // 4, domains=domains)


def rank_by_rule(rule, result, domains, data):
    """The ranks of the rows of a result, by the function of the rule."""
    if rule == "overlap":
        return overlap(*np.array([(row.ci_low, row.ci_high) for row in result.systems]).T)
    if rule == "wmt24":
        return wmt24(data, 0.05, domains)[1]
    functions = {"wmt21": wmt21, "wmt22": wmt22, "wmt25": wmt25, "wmt26": wmt26}
    functions |= {"wmt22-appraise-all": wmt22_appraise_all, "pearmut": pearmut}
    return functions.get(rule, wmt22_appraise)(data, 0.05)[1]


@pytest.mark.parametrize("rule", RULES)
def test_a_comparison_is_ranked_by_the_rule(rated, rule):
    ours = compare(rated, "human", trials=999).metrics["human"]
    found = compare(rated, "human", trials=999, rank_rule=rule)
    (result,) = found.metrics.values()
    by_system = rated.scores["human"].by_system
    data = np.array([by_system[row.system] for row in result.systems], dtype=float)
    expected = rank_by_rule(rule, result, rated.domains, data)
    tally = result.tally()
    assert rows_of(expected) == [
        (row.rank_low, row.rank_high, row.cluster, tally[row.system][0], tally[row.system][2])
        for row in result.systems
    ]
    assert list(result.ruled.clusters) == sorted(expected.cluster)
    assert {sum(counts) for counts in tally.values()} == {4}
    assert without_rule(result.pairs) == ours.pairs
    assert f"ranks:{rule}" in result.signature
    assert found.settings.rank_rule == rule


@pytest.mark.parametrize("rule", RULES)
def test_a_comparison_says_what_the_ranks_of_a_rule_hide(rated, rule):
    ours = compare(rated, "human", trials=999).metrics["human"]
    found = compare(rated, "human", trials=999, rank_rule=rule)
    (result,) = found.metrics.values()
    before, after = ranges(ours), ranges(result)
    cluster = {row.system: row.cluster for row in result.systems}
    n_inside = n_inside_apart = n_apart_open = 0
    for pair in result.pairs:
        is_inside = pair.significant and cluster[pair.a] == cluster[pair.b]
        (a_low, a_high), (b_low, b_high) = after[pair.a], after[pair.b]
        is_apart = a_high < b_low or b_high < a_low
        n_inside += is_inside
        n_inside_apart += is_inside and is_apart
        n_apart_open += is_apart and not pair.significant
    ruled = result.ruled
    assert (ruled.significant_inside, ruled.inside_apart) == (n_inside, n_inside_apart)
    assert ruled.apart_not_significant == n_apart_open
    assert ruled.changed == sum(before[name] != after[name] for name in before)
    assert ruled.first_held == tuple(name for name, (low, _) in before.items() if low == 1)
    n_only_by_rule = sum(
        pair.rule_better is not None and not pair.significant for pair in result.pairs
    )
    (caution,) = select_cautions(found, "rank-rule")
    assert (f"It separates {n_only_by_rule} pair" in caution.text) == bool(n_only_by_rule)
    assert ("equal systems" in caution.text) == (rule == "wmt26")
    assert (f"Here {n_inside} significant" in caution.text) == bool(n_inside)
    assert RANK_RULES[rule].ignores[0] in caution.text


def without_rule(pairs):
    return tuple(replace(pair, rule_delta=None, rule_p=None, rule_better=None) for pair in pairs)


def p_by_rule(rule, first, second, domains):
    """The p by which a rule decides on a pair, `first` with the better mean: by scipy, as in the
    tasks' own scripts.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    if rule in ("wmt22-appraise", "wmt23"):
        return stats.mannwhitneyu(first[both], second[both], alternative="greater").pvalue
    if rule in ("wmt21", "wmt22", "wmt22-appraise-all"):
        return stats.mannwhitneyu(
            first[~np.isnan(first)], second[~np.isnan(second)], alternative="greater"
        ).pvalue
    if rule == "wmt25":
        return stats.wilcoxon((first - second)[both], alternative="greater").pvalue
    if rule in ("wmt26", "pearmut"):
        p_paired = stats.ttest_rel(first, second, nan_policy="omit").pvalue
        p_unpaired = stats.ttest_ind(first, second, nan_policy="omit").pvalue
        return p_paired if rule == "pearmut" else min(p_paired, p_unpaired)
    parts = []
    for name in sorted(set(domains)):
        inside = both & (np.array(domains) == name)
        parts.append(stats.wilcoxon((first - second)[inside]).pvalue)
    return stats.combine_pvalues(parts, method="stouffer").pvalue


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_pairs_have_the_difference_p_and_decision_of_the_rule(rated, rule, lower):
    sign = -1 if lower else 1
    data = {
        name: np.array(values, dtype=float)
        for name, values in rated.scores["human"].by_system.items()
    }
    turned = SegmentScores({name: (sign * row).tolist() for name, row in data.items()}, not lower)
    testset = replace(rated, scores={"human": turned})
    result = compare(testset, "human", trials=999, rank_rule=rule).metrics["human"]
    halves = {name: [np.nanmean(row[:60]), np.nanmean(row[60:])] for name, row in data.items()}
    means = {name: np.mean(both) for name, both in halves.items()}  # domains of equal size
    ends = {row.system: sorted((sign * row.ci_low, sign * row.ci_high)) for row in result.systems}
    wins = dict.fromkeys(data, 0)
    for pair in result.pairs:
        better, worse = sorted((pair.a, pair.b), key=means.__getitem__, reverse=True)
        assert pair.rule_delta == pytest.approx(sign * (means[pair.a] - means[pair.b]))
        by_mean = sorted(means, key=means.__getitem__, reverse=True)
        if rule == "pearmut" and by_mean.index(worse) > by_mean.index(better) + 1:
            assert pair.rule_p is None
            is_decided = False
        elif rule == "overlap":
            assert pair.rule_p is None
            is_decided = ends[better][0] > ends[worse][1]
        else:
            expected = p_by_rule(rule, data[better], data[worse], rated.domains)
            assert pair.rule_p == pytest.approx(expected)
            is_decided = pair.rule_p < 0.05
        winner = {"a": pair.a, "b": pair.b, None: None}[pair.rule_better]
        assert winner == (better if is_decided else None)
        wins[better] += is_decided
    assert wins == {name: tally[0] for name, tally in result.tally().items()}


def test_by_simultaneous_ranks_pairs_have_no_rule_of_their_own(rated):
    result = compare(rated, "human", trials=999).metrics["human"]
    assert without_rule(result.pairs) == result.pairs and not result.has_rule_decisions


def test_wmt22_out_of_english_compares_common_segments_and_draws_lines_by_wins():
    """By hand: A beats B and C.

    B and C are alike on the segments that both have, and B has good ones of its own.
    """
    data = np.array([np.arange(40) + 40.0, np.arange(40) + 20.0, np.arange(40) + 20.0])
    data[2, 20:] = np.nan
    _, unmatched = wmt22(data, 0.05)
    order, matched = wmt22_appraise(data, 0.05)
    assert order.tolist() == [0, 1, 2]
    assert unmatched.better[1, 2]
    assert not matched.better[1, 2]
    assert rows_of(matched) == [(1, 1, 1, 2, 0), (2, 3, 2, 0, 1), (2, 3, 2, 0, 1)]


def test_wmt21_counts_a_win_over_a_higher_mean_and_draws_lines_by_wins():
    """B has the lower mean for one outlier, and yet beats C; A beats both, and B, with one win, as
    many as are left.
    """
    c = np.linspace(0, 1, 40)
    b = c + 0.8
    b[0] = -60.0
    a = c + 5
    order, ranks = wmt21(np.array([a, b, c]), 0.05)
    assert order.tolist() == [0, 2, 1] and ranks.better.tolist() == [
        [0, 1, 1],
        [0, 0, 1],
        [0, 0, 0],
    ]
    assert ranks.wins.tolist() == [2, 1, 0] and ranks.cluster.tolist() == [1, 2, 2]


def test_appraise_draws_lines_by_the_fewest_wins_so_far():
    """By hand: A beats D and E, B also C. So a line is below C; B alone beats as many as are left.

    A is as good as C on the segments that all have, and has the best mean by segments of its own.
    """
    b, c, d, e = (np.linspace(0, 1, 60) + level for level in (6.0, 4.0, 2.0, 0.0))
    a = np.concatenate([c, b + 9, b + 9])
    b, c, d, e = (np.append(scores, np.full(120, np.nan)) for scores in (b, c, d, e))
    data = np.array([a, b, c, d, e])
    order, ranks = wmt22_appraise(data, 0.05)
    assert order.tolist() == [0, 1, 2, 3, 4]
    assert ranks.wins.tolist() == [2, 3, 2, 1, 0] and ranks.losses.tolist() == [0, 0, 1, 3, 4]
    assert list(zip(ranks.low, ranks.high, strict=True)) == [(1, 3), (1, 2), (2, 3), (4, 4), (5, 5)]
    assert ranks.cluster.tolist() == [1, 1, 1, 2, 3]
    _, over_all = wmt22_appraise_all(data, 0.05)
    assert over_all.wins.tolist() == [4, 3, 2, 1, 0]
    assert over_all.cluster.tolist() == [1, 2, 3, 4, 5]


def test_wmt26_takes_the_smaller_p_of_a_paired_and_an_unpaired_test():
    """A and B differ by paired differences alone, B and C by scores on different segments alone."""
    rng = np.random.default_rng(4)
    base = rng.normal(70, 12, 40)
    a = np.append(base + 1.5 + rng.normal(0, 2, 40), np.full(40, np.nan))
    b = np.append(base, np.full(40, np.nan))
    c = np.append(np.full(39, np.nan), rng.normal(52, 12, 41))
    data = np.array([a, b, c])
    paired = stats.ttest_rel(a, b, nan_policy="omit").pvalue
    unpaired = stats.ttest_ind(a, b, nan_policy="omit").pvalue
    assert paired < 0.05 < unpaired
    order, ranks = wmt26(data, 0.05)
    assert order.tolist() == [0, 1, 2]
    assert ranks.p[0, 1] == pytest.approx(paired)
    assert ranks.p[1, 2] == pytest.approx(stats.ttest_ind(b, c, nan_policy="omit").pvalue)
    assert ranks.wins.tolist() == [2, 1, 0] and ranks.cluster.tolist() == [1, 2, 3]


@pytest.mark.parametrize("seed", [1, 32])
def test_wmt26_draws_a_line_where_all_above_differ_from_all_below(seed):
    data = scores(np.random.default_rng(seed), 0.4, n=120)
    order, ranks = wmt26(data, 0.05)
    means = [np.nanmean(row) for row in data]
    assert [means[k] for k in order] == sorted(means, reverse=True)
    differs = np.array(
        [[p_by_rule("wmt26", one, other, ()) < 0.05 for other in data] for one in data]
    )
    lines = [
        place
        for place in range(1, len(data))
        if all(differs[i, j] for i in order[:place] for j in order[place:])
    ]
    clusters = ranks.cluster[order]
    assert [k + 1 for k in range(len(data) - 1) if clusters[k] != clusters[k + 1]] == lines
    for place, system in enumerate(order):
        above = [k for k in range(place) if differs[order[k], system]]
        below = [k for k in range(place + 1, len(data)) if differs[order[k], system]]
        assert ranks.low[system] == (above[-1] + 2 if above else 1)
        assert ranks.high[system] == (below[0] if below else len(data))
        assert ranks.wins[system] == len(below) and ranks.losses[system] == len(above)


def test_t_tests_without_two_segments_or_any_difference_decide_nothing():
    one = np.array([[5.0, np.nan], [1.0, np.nan], [3.0, 3.0], [3.0, 3.0]])
    for rule in (wmt26, pearmut):
        _, ranks = rule(one, 0.05)
        assert not ranks.better.any() and set(ranks.cluster.tolist()) == {1}


def test_pearmut_compares_each_system_with_the_next():
    """By hand: A, B and C are each a little better than the next; B is not told from C."""
    base = np.linspace(0, 30, 30)
    data = np.array([base, base + 2, base + 1.9 + np.tile([3.0, -3.0], 15), base + 4 + base / 30])
    order, ranks = pearmut(data, 0.05)
    assert order.tolist() == [3, 1, 2, 0]
    assert ranks.better.sum(axis=1)[order].tolist() == [1, 0, 1, 0]
    assert [(ranks.low[k], ranks.high[k]) for k in order] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert np.count_nonzero(~np.isnan(ranks.p)) == 6


def test_wmt26_orders_systems_across_language_pairs_by_the_share_of_better_ones():
    """By hand: A is first of three, then second of two."""
    few = {"A": [9.0, 8.0, 9.0] * 5, "B": [5.0, 6.0, 5.0] * 5, "C": [1.0, 2.0, 3.0] * 5}
    testsets = {}
    for lang_pair, by_system in {"en-de": few, "en-cs": {"A": few["C"], "B": few["A"]}}.items():
        texts = {name: [None] * 15 for name in by_system}
        testsets[lang_pair] = TestSet(lang_pair, texts, {}, scores={"human": by_system})
    task = Task("toy", testsets)
    macro = compare_task(task, "human", trials=99, resamples=99, rank_rule="wmt26").macro["human"]
    shares = {row.system: row.better_share for row in macro.systems}
    assert shares == pytest.approx({"A": (0 + 1 / 2) / 2, "B": (1 / 3 + 0) / 2, "C": 2 / 3})
    ours = compare_task(task, "human", trials=99, resamples=99).macro["human"]
    assert all(row.better_share is None for row in ours.systems)


def test_wmt22_ends_a_cluster_where_all_above_beat_all_below():
    """By hand: A beats all; B and C beat D, and neither the other."""
    data = np.arange(20) + np.array([[30.0], [10.5], [10.0], [0.0]])
    data[1, :4] = np.nan
    order, ranks = wmt22(data, 0.05)
    assert order.tolist() == [0, 1, 2, 3]
    assert rows_of(ranks) == [(1, 1, 1, 3, 0), (2, 3, 2, 1, 1), (2, 3, 2, 1, 1), (4, 4, 3, 0, 3)]


def _rank_by_wins(given):
    """By how many systems each is significantly better than: what a task without rank ranges
    prints.
    """
    better = decision_matrix(len(given.scores), given.pairs, given.corrected)
    wins, losses = better.sum(axis=1), better.sum(axis=0)
    low = 1 + (wins > wins[:, None]).sum(axis=1)
    high = (wins >= wins[:, None]).sum(axis=1)
    order = np.argsort(-wins, kind="stable")
    return order, Ranks(low, high, find_clusters(order, low, high), wins, losses, better)


def test_a_rule_is_one_entry(rated, monkeypatch):
    """Nothing else has to know of it: not `compare`, the summary of a pair, reports or settings, of
    which menus are made.
    """
    rule = RankRule("wins", "by wins", "made up", _rank_by_wins, ("draws",))
    monkeypatch.setitem(RANK_RULES, "wins", rule)
    found = compare(rated, "human", trials=999, rank_rule="wins")
    result = found.metrics["human"]
    wins = dict.fromkeys(ranges(result), 0)
    for pair in result.pairs:
        if pair.significant:
            wins[getattr(pair, pair.better)] += 1
    assert [*wins.values()] == sorted(wins.values(), reverse=True)
    assert len(set(wins.values())) > 1
    for name, (low, high) in ranges(result).items():
        assert low == 1 + sum(other > wins[name] for other in wins.values())
        assert high == sum(other >= wins[name] for other in wins.values())
    assert "ranks:wins" in result.signature
    assert "ranked by wins" in state_verdict(found, "human")
    a, b = list(wins)[1:3]
    card = examine_dispute(rated, "human", a=a, b=b, trials=999, resamples=99).metrics[0]
    assert list(card.ranks) == list(RANK_RULES)
    assert card.ranks["wins"] == (ranges(result)[a], ranges(result)[b])
    assert "wins" in SETTINGS["rank_rule"].values


@pytest.mark.parametrize(
    ("rule", "correction"),
    brief(2, [("wmt24", "auto"), ("overlap", "none"), *((rule, "bh") for rule in UNLIKE)]),
)
def test_a_dispute_has_the_ranks_of_each_rule_whichever_ranks_the_comparison(
    rated, rule, correction
):
    asked = dict(trials=999, resamples=99, correction=correction)
    ranks = {
        name: ranges(compare(rated, "human", rank_rule=name, **asked).metrics["human"])
        for name in RANK_RULES
    }
    ours = ranks["simultaneous"]
    (a, of_a), *_, (b, of_b) = ours.items()
    assert of_a != of_b != (1, len(ours))
    ruled = compare(rated, "human", rank_rule=rule, **asked)
    card = examine_dispute(rated, "human", a=a, b=b, comparison=ruled, **asked).metrics[0]
    assert card.ranks == {name: (by_name[a], by_name[b]) for name, by_name in ranks.items()}


def test_a_comparison_kept_without_our_ranks_has_none_in_a_dispute(rated):
    ruled = compare(rated, "human", trials=999, rank_rule="wmt25")
    result = ruled.metrics["human"]
    older = replace(
        ruled, metrics={"human": replace(result, ruled=replace(result.ruled, unruled=()))}
    )
    card = examine_dispute(rated, "human", comparison=older, trials=999, resamples=99).metrics[0]
    assert card.ranks["simultaneous"] == (None, None) and None not in card.ranks["wmt25"]


def test_a_rule_is_given_decisions_as_corrected_and_as_decided_for_ranks(rated, monkeypatch):
    """Without a correction of pairs, more of them are significant than ranks may be made from."""
    seen = []

    def rank(given):
        seen.append(given)
        return _rank_by_wins(given)

    monkeypatch.setitem(
        RANK_RULES, "wins", RankRule("wins", "by wins", "made up", rank, ("draws",))
    )
    result = compare(rated, "human", trials=999, correction="none", rank_rule="wins").metrics[
        "human"
    ]
    ours = compare(rated, "human", trials=999, correction="none").metrics["human"]
    (given,) = seen
    assert (given.segments.shape, given.n_units) == ((5, 120), 30)
    assert list(given.domains) == [*rated.domains]
    assert np.count_nonzero(given.corrected) == sum(pair.significant for pair in result.pairs)
    low, high = rank_intervals(decision_matrix(5, given.pairs, given.for_ranks))
    assert [*ranges(ours).values()] == list(zip(low, high, strict=True))
    assert np.count_nonzero(given.for_ranks) < np.count_nonzero(given.corrected)


@pytest.fixture(scope="module")
def uneven():
    """Two domains, of which one has few segments: by segments S0 is best, by domains S1, and S1 is
    better there.
    """
    few = np.arange(120) >= 112
    noise = np.tile([0.5, -0.5, 0.25, -0.25], 30)
    by_system = {
        "S0": np.where(few, 60.0, 83.0) + noise,
        "S1": np.where(few, 80.0, 81.0) - noise,
        "S2": np.where(few, 50.0, 70.0) + noise,
    }
    domains = np.where(few, "speech", "news").tolist()
    return rated_systems(by_system, np.arange(120) // 4, domains=domains)


def test_wmt24_scores_lists_and_counts_by_the_mean_over_domains(uneven):
    ours = compare(uneven, "human", trials=999).metrics["human"]
    result = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"]
    by_system = uneven.scores["human"].by_system
    means = {name: (np.mean(v[:112]) + np.mean(v[112:])) / 2 for name, v in by_system.items()}
    assert list(ranges(ours)) == ["S0", "S1", "S2"]
    assert ranges(result) == {"S1": (1, 1), "S0": (2, 2), "S2": (3, 3)}
    assert [row.cluster for row in result.systems] == [1, 2, 3]
    for row, mean in zip(result.systems, result.ruled.means, strict=True):
        assert row.score == pytest.approx(means[row.system])
        assert mean == pytest.approx(np.mean(by_system[row.system]))
    assert result.tally() == {"S1": (2, 0, 0), "S0": (1, 0, 1), "S2": (0, 0, 2)}
    assert without_rule(result.pairs) == ours.pairs
    turned = find_pair(result, "S0", "S1")
    assert turned.delta > 0 > turned.rule_delta
    assert turned.rule_better == "b"
    assert turned.rule_delta == pytest.approx(means["S0"] - means["S1"])


def test_wmt24_has_its_score_where_nothing_is_ranked_too(uneven):
    whole = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"].systems
    found = compare(uneven, "human", trials=999, rank_rule="wmt24", baseline="S0")
    result = found.metrics["human"]
    for row, of_all in zip(result.systems, whole, strict=True):
        assert row == replace(of_all, rank_low=None, rank_high=None, cluster=None)
    assert result.pairs[0].delta == pytest.approx(result.ruled.means[0] - result.ruled.means[1])
    assert "vs baseline (segment mean)" in found.render("text")
    (alone,) = compare(uneven.only(["S1"]), "human", rank_rule="wmt24").metrics["human"].systems
    assert alone.score == pytest.approx(whole[0].score)
    assert alone.rank_low is None


@pytest.mark.parametrize("lower", [False, True])
def test_wmt24_has_an_interval_of_the_score_it_shows(uneven, lower):
    """The jackknife's, against leaving out one document after the other."""
    sign = -1 if lower else 1
    by_system = {
        name: sign * np.array(values) for name, values in uneven.scores["human"].by_system.items()
    }
    scores = SegmentScores({name: row.tolist() for name, row in by_system.items()}, not lower)
    testset = replace(uneven, scores={"human": scores})
    found = compare(testset, "human", trials=999, rank_rule="wmt24", ci="jackknife-t")
    systems = found.metrics["human"].systems
    assert [row.system for row in systems] == ["S1", "S0", "S2"]
    for row in systems:
        left_out = []
        for document in range(30):
            values = by_system[row.system].copy()
            values[4 * document : 4 * document + 4] = np.nan
            left_out.append((np.nanmean(values[:112]) + np.nanmean(values[112:])) / 2)
        half = stats.t.ppf(0.975, 29) * np.sqrt(29 * np.var(left_out))
        assert (row.ci_low, row.ci_high) == pytest.approx((row.score - half, row.score + half))


def test_wmt24_across_language_pairs_is_of_the_same_score(uneven):
    """The second language pair is the first one turned: what S1 gains in one domain is the same in
    both.
    """
    task = Task("toy", {"en-de": uneven, "en-cs": uneven.only(["S2", "S1", "S0"])})
    ours, ruled = (
        compare_task(task, "human", trials=999, resamples=99, rank_rule=rule).macro["human"]
        for rule in ("simultaneous", "wmt24")
    )
    alone = compare(uneven, "human", trials=999, rank_rule="wmt24").metrics["human"].systems
    assert [row.system for row in ours.systems] == ["S0", "S1", "S2"]
    assert [row.system for row in ruled.systems] == ["S1", "S0", "S2"]
    tallies = [(row.wins, row.ties, row.losses) for row in ruled.systems]
    assert tallies == [(4, 0, 0), (2, 0, 2), (0, 0, 4)]
    for row, of_pair in zip(ruled.systems, alone, strict=True):
        assert row.score == pytest.approx(of_pair.score)
        assert row.ci_low <= row.score <= row.ci_high
    assert ruled.pairs[0].delta == pytest.approx(alone[0].score - alone[1].score)


def test_wmt24_without_domains_is_refused(rated):
    bare = TestSet("bare", rated.systems, {}, scores=rated.scores, documents=rated.documents)
    with pytest.raises(
        SettingError,
        match="as WMT24 need domains, and bare has none: .*column .domain. of the table",
    ):
        compare(bare, "human", rank_rule="wmt24")
    with pytest.raises(SettingError, match="need domains"):
        compare_task(Task("toy", {"en-de": bare}), "human", rank_rule="wmt24")
    assert compare(bare, "human", trials=99, rank_rule="wmt25").metrics["human"].ruled is not None


def test_rules_of_segment_scores_need_them():
    texts = TestSet("toy", {"A": ["a b"], "B": ["a c"]}, {"ref": ["a b"]})
    with pytest.raises(
        SettingError,
        match="as WMT24 are made of segment scores.*bleu is a score of the whole corpus",
    ):
        compare(texts, rank_rule="wmt24")
    with pytest.raises(SettingError, match="rank rule 'wmt27'"):
        compare(texts, rank_rule="wmt27")


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_wins_by_mann_whitney_are_scipys(decimals):
    """With many ties, some and none; few segments have the exact p, and equal ones p of 1."""
    rng = np.random.default_rng(decimals)
    for n_first, n_second in ((3, 40), (8, 8), (9, 9), (30, 12), (60, 60)):
        data = np.full((2, 60), np.nan)
        data[0, :n_first] = rng.normal(0.6, 1, n_first).round(decimals)
        data[1, :n_second] = rng.normal(0, 1, n_second).round(decimals)
        order, ranks = wmt22(data, 0.05)
        first, second = data[order]
        expected = p_by_rule("wmt22", first, second, ())
        assert ranks.p[0, 1] == pytest.approx(expected, rel=1e-12)
    _, equal = wmt22(np.full((2, 20), 3.0), 0.05)
    assert equal.p[0, 1] == 1.0


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("n", [1, 8, 14, 50, 51, 200])
def test_the_signed_rank_test_is_scipys(n, alternative):
    """With ties, zeros and segments without a score; and below and above the size from which it is
    its own.
    """
    rng = np.random.default_rng(n)
    for d in (rng.normal(0.1, 1, n), rng.integers(-2, 4, n).astype(float)):
        some = np.concatenate([d, [np.nan]])
        assert signed_rank(some, alternative) == pytest.approx(
            stats.wilcoxon(d, alternative=alternative).pvalue, rel=1e-12
        )
    assert (
        signed_rank(np.zeros(n), alternative) == 1
        and signed_rank(np.full(n, np.nan), alternative) is None
    )


# Ranks, by brute force.


@st.composite
def decided(draw, largest=6):
    """Decisions on all pairs of a few systems, as they fall: not always transitive."""
    n = draw(st.integers(1, largest))
    pairs = all_pairs(n)
    return n, pairs, np.array([draw(st.sampled_from([-1, 0, 1])) for _ in pairs], dtype=int)


@given(decided())
def test_who_is_better_than_whom(case):
    n, pairs, decisions = case
    wins = {(i, j) for (i, j), d in zip(pairs, decisions, strict=True) if d == 1}
    wins |= {(j, i) for (i, j), d in zip(pairs, decisions, strict=True) if d == -1}
    assert {tuple(at) for at in np.argwhere(decision_matrix(n, pairs, decisions)).tolist()} == wins


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 3))
def test_rank_intervals_hold_every_order_that_the_decisions_allow(qualities, margin):
    better = np.subtract.outer(qualities, qualities) > margin
    allowed = [
        order
        for order in itertools.permutations(range(len(qualities)))
        if not any(better[later, earlier] for earlier, later in itertools.combinations(order, 2))
    ]
    ranks = [[order.index(k) + 1 for order in allowed] for k in range(len(qualities))]
    low, high = rank_intervals(better)
    assert low.tolist() == [min(r) for r in ranks]
    assert high.tolist() == [max(r) for r in ranks]


def ranked(*intervals):
    return SimpleNamespace(
        systems=[
            SimpleNamespace(system=f"S{k}", rank_low=low, rank_high=high)
            for k, (low, high) in enumerate(intervals)
        ]
    )


@pytest.mark.parametrize(
    "intervals, top",
    [
        ([(1, 1), (2, 3), (2, 3)], ("S0",)),
        ([(1, 2), (1, 3), (2, 3)], ("S0", "S1")),
        ([(1, 2), (1, 2)], ("S0", "S1")),
        ([(None, None), (None, None)], None),
        ([(1, 1)], None),
    ],
)
def test_the_top_group(intervals, top):
    assert find_top_group(ranked(*intervals)) == top


@given(decided())
def test_ahead_is_who_beats_each_other_one(case):
    n, pairs, decisions = case
    better = decision_matrix(n, pairs, decisions)
    ahead = n > 1 and any(all(better[i, j] for j in range(n) if j != i) for i in range(n))
    assert has_clear_winner(ranked(*zip(*rank_intervals(better), strict=True))) == ahead


def test_to_be_the_only_one_that_may_be_the_first_is_less():
    """S0 ties with S1, which is worse than S2, which is worse than S0."""
    only = ranked((1, 2), (2, 3), (2, 2))
    assert find_top_group(only) == ("S0",) and not has_clear_winner(only)


class TestOtherwiseLed:
    """S0 is ahead by all references together, on pairs with up to 60 segments."""

    def led(self, leaders, n_segments, intervals=((1, 1), (2, 3), (2, 3)), in_common=(60, 40, 0)):
        row = ReferenceLeaders("ref", leaders, n_segments)
        pairs = [SimpleNamespace(n=n) for n in in_common]
        found = find_other_leaders(
            SimpleNamespace(**vars(ranked(*intervals)), pairs=pairs, by_reference=(row,))
        )
        assert found in ((), (row,))
        return bool(found)

    @pytest.mark.parametrize(
        "leaders, n_segments, expected",
        [
            (("S0",), 60, False),
            (("S0",), 50, False),
            (("S1",), 60, True),
            (("S1",), 50, True),
            (("S1", "S2"), 50, True),
            (("S0", "S1"), 60, True),
            (("S0", "S1"), 59, False),
        ],
    )
    def test_more_leaders_are_another_answer_only_on_as_many_segments(
        self, leaders, n_segments, expected
    ):
        assert self.led(leaders, n_segments) == expected

    @pytest.mark.parametrize(
        "leaders, expected", [(("S1", "S0"), False), (("S0",), True), (("S0", "S1", "S2"), False)]
    )
    def test_several_that_are_first_together(self, leaders, expected):
        assert self.led(leaders, 50, intervals=((1, 2), (1, 2), (3, 3))) == expected

    def test_nobody_is_ahead_without_ranks_or_of_nobody(self):
        assert not self.led(("S1",), 60, intervals=((None, None), (None, None)))
        assert not self.led(("S0",), 60, intervals=((1, 1),), in_common=())


# Ranks before and after, against the results that they come from.


def test_who_moves_who_leaves_and_who_may_be_the_first():
    task = made(missing=1)
    before = compare_task(task, "X", trials=199, resamples=200)
    pair, *others = before.pairs
    winner = before.pairs[pair].metrics["X"].systems[0].system
    exclude = [TaskExclusion(winner, "a bug", pair)]
    after = compare_task(task, "X", trials=199, resamples=200, exclude=exclude)
    found = ranks_before_after(before, after, "X")
    (excluded,) = after.pairs[pair].excluded
    assert (excluded.system, excluded.reason) == (winner, "a bug")
    for other in others:
        assert after.pairs[other].excluded == ()
        assert after.pairs[other].metrics == before.pairs[other].metrics
    moves = {(rank.pair, rank.system): rank for rank in found.ranks}
    result = after.pairs[pair].metrics["X"]
    for name, ranks in ranges(result).items():
        assert moves[pair, name].after == ranks
    left_out = [place for place, rank in moves.items() if rank.left_out]
    assert left_out == [(pair, winner)]
    assert not any(rank.changed for rank in found.ranks if rank.pair in others)
    gone = moves[pair, winner]
    assert (gone.changed, gone.after, gone.before[0]) == (True, None, 1)
    assert moves[None, winner].after is None  # though it still has the other language pairs
    circle = {one.pair: one for one in found.circles}
    assert list(circle) == [*before.pairs, None]
    assert circle[pair].changed
    assert circle[pair].after == tuple(r.system for r in result.systems if r.rank_low == 1)


@pytest.fixture(scope="module")
def rated_texts(rated):
    """The rated systems with texts of which more words are lost the lower the rating."""
    lost = {"S0": 1, "S1": 2, "S2": 2, "S3": 3, "S4": 4}
    words = "a river ran through the old town last night".split()
    systems = {name: [" ".join(words[n:])] * 120 for name, n in lost.items()}
    return replace(rated, systems=systems, references={"ref": [" ".join(words)] * 120})


def test_a_metric_without_scores_of_segments_keeps_our_ranks_beside_one_with(rated_texts):
    settings = {"trials": 999, "resamples": 99}
    both = compare(rated_texts, ["human", "chrf"], rank_rule="wmt24", **settings)
    alone = compare(rated_texts, "chrf", **settings).metrics["chrf"]
    assert both.metrics["chrf"] == alone and both.metrics["human"].ruled is not None
    text = both.render("text")
    note = "Ranks by chrF are simultaneous rank ranges, because the rule is for segment scores."
    assert text.count(note) == 1
    with pytest.raises(SettingError, match="chrf, bleu are scores of the whole corpus"):
        compare(rated_texts, ["chrf", "bleu"], rank_rule="wmt24")
    task = Task("toy", {"en-de": rated_texts, "en-cs": rated_texts})
    macro = compare_task(task, ["human", "chrf"], rank_rule="wmt24", **settings).macro
    ours = compare_task(task, ["human", "chrf"], **settings).macro
    assert macro["chrf"] == ours["chrf"] and macro["human"] != ours["human"]
    with pytest.raises(SettingError, match="chrf is a score of the whole corpus"):
        compare_task(task, "chrf", rank_rule="wmt24", **settings)


def test_a_pair_has_the_difference_and_p_of_the_rule(rated):
    settings = {"trials": 999, "resamples": 99, "rank_rule": "wmt24"}
    pair = compare(rated, "human", **settings).metrics["human"].pairs[0]
    card = examine_dispute(rated, "human", a=pair.b, b=pair.a, **settings)
    (by_metric,) = card.metrics
    assert by_metric.pair.rule_p == pair.rule_p is not None
    (table, *_) = [block.table for block in summary_tables(card)]
    assert table.values("rule_p") == [pair.rule_p]
    assert table.values("rule_better") == [getattr(pair, pair.rule_better)]
    assert table.values("rule_difference") == [f"{-pair.rule_delta:+.2f}"]


@pytest.mark.parametrize("rule", ["simultaneous", "wmt24"])
def test_json_has_wins_ties_and_losses_of_each_system(rated, rule):
    found = compare(rated, "human", trials=999, resamples=99, rank_rule=rule)
    result = found.metrics["human"]
    systems = json.loads(found.render("json"))["metrics"]["human"]["systems"]
    tally = {row["system"]: (row["wins"], row["ties"], row["losses"]) for row in systems}
    assert tally == result.tally() and any(wins for wins, _, _ in tally.values())
