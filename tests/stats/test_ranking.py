"""Ranks, by brute force."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.results import ReferenceLeaders
from mtsig_core.stats.engine import all_pairs
from mtsig_core.stats.ranks import (
    decision_matrix,
    headline,
    intransitive_triples,
    is_ahead,
    otherwise_led,
    rank_intervals,
)


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


@given(decided())
def test_rank_intervals_count_the_better_and_the_worse(case):
    better = decision_matrix(*case)
    low, high = rank_intervals(better)
    for k in range(case[0]):
        assert low[k] == 1 + sum(better[other, k] for other in range(case[0]))
        assert high[k] == case[0] - sum(better[k, other] for other in range(case[0]))
        assert low[k] <= high[k]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 3))
def test_rank_intervals_hold_every_order_that_the_decisions_allow(qualities, margin):
    better = np.subtract.outer(qualities, qualities) > margin
    allowed = [order for order in itertools.permutations(range(len(qualities)))
               if not any(better[later, earlier] for earlier, later in itertools.combinations(order, 2))]
    ranks = [[order.index(k) + 1 for order in allowed] for k in range(len(qualities))]
    low, high = rank_intervals(better)
    assert low.tolist() == [min(r) for r in ranks]
    assert high.tolist() == [max(r) for r in ranks]


@given(decided())
def test_intransitive_triples_one_by_one(case):
    better = decision_matrix(*case)
    tied = ~(better | better.T)
    found = sum(tied[i, j] and tied[j, k] and better[i, k] for i, j, k in itertools.permutations(range(case[0]), 3))
    assert intransitive_triples(better) == found


def test_an_intransitive_triple():
    assert intransitive_triples(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)) == 1


def ranked(*intervals):
    return SimpleNamespace(systems=[
        SimpleNamespace(system=f"S{k}", rank_low=low, rank_high=high) for k, (low, high) in enumerate(intervals)])


class TestHeadline:
    def test_a_winner(self):
        assert headline(ranked((1, 1), (2, 3), (2, 3))) == ("S0",)

    def test_tied_for_first(self):
        assert headline(ranked((1, 2), (1, 3), (2, 3))) == ("S0", "S1")

    def test_none_is_significantly_better_than_any(self):
        assert headline(ranked((1, 2), (1, 2))) == ("S0", "S1")

    def test_undefined(self):
        assert headline(ranked((None, None), (None, None))) is None
        assert headline(ranked((1, 1))) is None


@given(decided())
def test_ahead_is_who_beats_each_other_one(case):
    n, pairs, decisions = case
    better = decision_matrix(n, pairs, decisions)
    ahead = n > 1 and any(all(better[i, j] for j in range(n) if j != i) for i in range(n))
    assert is_ahead(ranked(*zip(*rank_intervals(better), strict=True))) == ahead


def test_to_be_the_only_one_that_may_be_the_first_is_less():
    """S0 ties with S1, which is worse than S2, which is worse than S0."""
    only = ranked((1, 2), (2, 3), (2, 2))
    assert headline(only) == ("S0",) and not is_ahead(only)


class TestOtherwiseLed:
    """S0 is ahead by all references together, on pairs with up to 60 segments."""

    def led(self, leaders, n_segments, intervals=((1, 1), (2, 3), (2, 3)), in_common=(60, 40, None)):
        row = ReferenceLeaders("ref", leaders, n_segments)
        pairs = [SimpleNamespace(n=n) for n in in_common]
        found = otherwise_led(SimpleNamespace(**vars(ranked(*intervals)), pairs=pairs, by_reference=(row,)))
        assert found in ((), (row,))
        return bool(found)

    @pytest.mark.parametrize("leaders, n_segments, expected", [
        (("S0",), 60, False), (("S0",), 50, False),
        (("S1",), 60, True), (("S1",), 50, True), (("S1", "S2"), 50, True),
        (("S0", "S1"), 60, True), (("S0", "S1"), 59, False)])
    def test_more_leaders_are_another_answer_only_on_as_many_segments(self, leaders, n_segments, expected):
        assert self.led(leaders, n_segments) == expected

    @pytest.mark.parametrize("leaders, expected", [(("S1", "S0"), False), (("S0",), True), (("S0", "S1", "S2"), False)])
    def test_several_that_are_first_together(self, leaders, expected):
        assert self.led(leaders, 50, intervals=((1, 2), (1, 2), (3, 3))) == expected

    def test_nobody_is_ahead_without_ranks_or_of_nobody(self):
        assert not self.led(("S1",), 60, intervals=((None, None), (None, None)))
        assert not self.led(("S0",), 60, intervals=((1, 1),), in_common=())
