"""Where corrections, tests and pairs disagree."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.stats.few_units import fewest_trials
from mtsig_core.stats.ranks import intransitive_triples, triple_examples
from mtsig_core.stats.significance import find_disagreements

REF = [f"the old house number {k} stands near the river and the bridge" for k in range(40)]


@pytest.fixture(scope="module")
def testset():
    worse = [t.replace("old", "small") if k % 2 else t for k, t in enumerate(REF)]
    return TestSet(
        "toy",
        {"worst": [t.replace("river", "sea") for t in worse], "best": REF, "middle": worse},
        {"ref": REF},
    )


@pytest.mark.parametrize(
    "decisions, found",
    [
        ({}, []),
        ({"a": [1, 0]}, []),
        ({"a": [1, 0, 1], "b": [1, 1, 1]}, [1]),
        ({"a": [1, 0, 1], "b": [1, 0, 1], "c": [0, 0, 0]}, [0, 2]),
    ],
)
def test_pairs_on_which_choices_disagree(decisions, found):
    assert (
        find_disagreements({name: np.array(values) for name, values in decisions.items()}).tolist()
        == found
    )


@pytest.mark.parametrize("seed", range(20))
def test_examples_are_triples_and_come_whenever_there_are_any(seed):
    rng = np.random.default_rng(seed)
    better = np.triu(rng.random((8, 8)) < rng.random(), 1)
    counted = {
        (i, j, k)
        for i, j, k in permutations(range(8), 3)
        if better[i, k] and not (better[i, j] or better[j, i] or better[j, k] or better[k, j])
    }
    assert intransitive_triples(better) == len(counted)
    assert triple_examples(better, limit=len(counted)) == sorted(counted)
    if len(counted) > 8:
        found = triple_examples(better, limit=8)
        assert set(found) <= counted and [i for i, _, _ in found] == sorted(
            {i for i, _, _ in counted}
        )
        assert triple_examples(better, limit=1) == found[:1]


@pytest.mark.parametrize(
    "test, correction, trials, m, needed",
    [
        ("ar", "romano-wolf", 999, 300, None),
        ("ar", "holm", 999, 300, 5999),
        ("ar", "holm", 5999, 300, None),
        ("percentile", "holm", 9999, 325, 12999),
        ("percentile", "holm", 12999, 325, None),
        ("ar", "bh", 19, 300, None),
        ("ar", "bonferroni", 999, 50, None),
        ("ar", "holm", None, 300, None),
    ],
)  # None: those of a test without trials
def test_how_many_trials_it_takes_to_see_anything(testset, test, correction, trials, m, needed):
    settings = replace(compare(testset, trials=99).settings, test=test, trials=trials)
    assert fewest_trials(settings, m, correction) == needed
