"""Pairs, where `compare` does not show them: who is unbeaten, and what is made of what."""

import dataclasses
import itertools

import numpy as np
import pytest

from mtsig_core.inference import pairwise
from mtsig_core.inference.measured import measure
from mtsig_core.inference.pairwise import draw, unbeaten
from mtsig_core.inference.settings import resolve
from tests.toys import Given, bleu, bleu_counts, compare_given, toy

COUNTS, DOCUMENTS = bleu_counts(seed=41, qualities=[1.0, 0.0, 1.03, -1.0, 0.97], n_segments=150)
ASKED = dict(test="ar", unit="auto", block_length=None, trials=199, alpha=0.05, correction="auto", ci="auto",
             resamples=50, seed=0, baseline=None)


def measured(higher_is_better=True, **asked):
    testset = toy(*COUNTS.shape[:2], DOCUMENTS)
    metric = Given(dict(zip(testset.systems, COUNTS, strict=True)), bleu, higher_is_better)
    return measure(testset, metric), resolve(testset, **{**ASKED, **asked})[0]


class TestUnbeaten:
    @pytest.mark.parametrize("higher_is_better, among", [(True, "ACE"), (False, "D")])
    @pytest.mark.parametrize("asked", [
        dict(test="ar"), dict(test="bootstrap"), dict(test="percentile", correction="none", trials=499),
        dict(unit="block", block_length=7), dict(alpha=0.4, unit="segment")], ids=str)
    def test_are_the_systems_that_compare_ranks_first(self, asked, higher_is_better, among):
        found, ahead = unbeaten(*measured(higher_is_better, **asked), jobs=1, progress=None)
        ranked = compare_given(COUNTS, bleu, DOCUMENTS, higher_is_better, **{**ASKED, **asked}).systems
        assert found == tuple(row.system for row in ranked if row.rank_low == 1)
        assert set(found) <= set(among) and ahead == any(row.rank_high == 1 for row in ranked)

    def test_several_come_best_first(self):
        found, ahead = unbeaten(*measured(), jobs=1, progress=None)
        score = dict(zip("ABCDE", bleu(COUNTS.sum(axis=1)), strict=True))
        assert len(found) > 1 and not ahead and list(found) == sorted(found, key=lambda name: -score[name])

    def test_the_last_that_may_be_the_first_need_not_be_ahead(self, monkeypatch):
        """The best is better than all but the second, which is worse than the third."""
        decided = {(0, 2): 1, (0, 3): 1, (0, 4): 1, (1, 2): -1}
        decisions = np.array([decided.get(pair, 0) for pair in itertools.combinations(range(5), 2)])
        monkeypatch.setattr(pairwise, "decide", lambda *_, **__: decisions)
        seen, settings = measured(unit="segment")
        assert unbeaten(seen, settings, jobs=1, progress=None) == ((seen.best_first().names[0],), False)
        decisions[0] = 1
        assert unbeaten(seen, settings, jobs=1, progress=None) == ((seen.best_first().names[0],), True)


class TestDraw:
    @pytest.mark.parametrize("test, n_drawn", [("ar", 50), ("percentile", 199), ("bootstrap", 199)])
    def test_there_are_as_many_draws_as_interval_and_test_need(self, test, n_drawn):
        seen, settings = measured(test=test)
        drawn = draw(seen.metric, seen.statistics, seen.units(), settings, 1, None)
        assert drawn.scores.shape == (5, n_drawn)
        np.testing.assert_array_equal(drawn.sample.drawn, drawn.scores[:, :50])

    @pytest.mark.parametrize("resamples, n_left_out", [(50, 25), (0, 0)])
    def test_units_are_left_out_where_there_are_standard_errors(self, resamples, n_left_out):
        seen, settings = measured()
        settings = dataclasses.replace(settings, resamples=resamples)
        drawn = draw(seen.metric, seen.statistics, seen.units(), settings, 1, None)
        assert drawn.sample.left_out.shape == (5, n_left_out)
