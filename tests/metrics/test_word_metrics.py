"""What all metrics of texts keep."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import Cancelled, SettingError, compare
from mtsig_core.metrics import METRICS, counting, make_metric
from tests.builders import skeleton
from tests.builders.corpora import toy
from tests.builders.toys import texts

#: All but that of parses, and the one that CONTRIBUTING shows.
NAMES = [*(name for name in METRICS if name != "dep-f"), skeleton.NAME]
#: Metrics of quality: with more errors the score gets worse, and of 60 segments significantly. One
#: that measures something else, such as length or variety, is left out here.
QUALITY = NAMES
UNTOKENIZED = ["chrf", "chrf++", "ter"]
REFERENCE, SYSTEMS = texts(seed=5, errors=[0.2, 0.4, 0.6], n_segments=60)
OTHER = [
    None if i % 3 == 0 else text[::-1] if i % 3 == 1 else f"{text} w1 w2"
    for i, text in enumerate(REFERENCE)
]
CORPUS = toy(SYSTEMS, [REFERENCE, OTHER])


@pytest.fixture(params=NAMES)
def metric(request, monkeypatch):
    skeleton.register(monkeypatch)
    return make_metric(request.param)


def test_has_its_name_and_survives_a_pickle(metric):
    assert METRICS[metric.name].endswith(type(metric).__name__)
    assert metric == pickle.loads(pickle.dumps(metric))
    assert metric != make_metric(metric.name, lowercase=True)


def test_shape_and_scores(metric):
    stats = metric.statistics(CORPUS)
    assert stats.shape == (3, 60, len(metric.stat_names))
    scores = metric.score(stats.sum(axis=1))
    assert scores.dtype == np.float64 and np.isfinite(scores).all()
    assert (
        metric.name not in QUALITY
        or (np.diff(scores) * (-1 if metric.higher_is_better else 1) > 0).all()
    ), (
        f"more errors are no worse by {metric.name}: {scores}. Leave it out of QUALITY if it is no metric of quality"
    )
    np.testing.assert_array_equal(metric.score(np.stack([stats.sum(axis=1)] * 2)), [scores, scores])
    np.testing.assert_allclose(
        metric.score(stats[0, 0].astype(np.float32)), metric.score(stats[0, 0]), rtol=1e-6
    )


def test_nothing_to_score_is_a_number(metric):
    for system, reference in [("", ""), ("", "a"), ("a", ""), ("a", "b")]:
        assert np.isfinite(
            metric.score(metric.statistics(toy([[system]], [[reference]])).sum(axis=1))
        ).all()
    assert metric.statistics(toy([], [["a"]])).shape == (0, 1, len(metric.stat_names))


def test_permuting_segments_systems_or_references(metric):
    whole = metric.statistics(CORPUS)
    order = np.random.default_rng(3).permutation(60)
    np.testing.assert_array_equal(metric.statistics(CORPUS.take(order.tolist())), whole[:, order])
    np.testing.assert_array_equal(metric.statistics(CORPUS.only(["s1"])), whole[[1]])
    np.testing.assert_allclose(
        metric.statistics(toy(SYSTEMS, [OTHER, REFERENCE])), whole, rtol=1e-12
    )


def test_a_missing_reference_is_left_out(metric):
    there = [i for i, text in enumerate(OTHER) if text is None]
    both = metric.statistics(CORPUS.take(there))
    np.testing.assert_array_equal(both, metric.statistics(toy(SYSTEMS, [REFERENCE]).take(there)))
    assert "nrefs:var" in metric.signature(CORPUS) and "nrefs:1" in metric.signature(
        CORPUS.take(there)
    )


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 40))
def test_blocks_are_bounded_and_complete(lengths, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_BLOCK", size)
        blocks = list(counting.blocks([["a" * n for n in lengths], [None] * len(lengths)]))
    assert [i for first, last in blocks for i in range(first, last)] == list(range(len(lengths)))
    assert all(sum(lengths[first + 1 : last]) <= size for first, last in blocks)


@pytest.mark.parametrize("size", [1, 50])
def test_blocks_do_not_show(metric, monkeypatch, size):
    whole = metric.statistics(CORPUS)
    monkeypatch.setattr(counting, "_BLOCK", size)
    shares = []
    in_blocks = metric.statistics(CORPUS, lambda stage, share: shares.append(share))
    np.testing.assert_array_equal(in_blocks, whole)
    assert shares == sorted(shares) and shares[-1] == 1


def test_can_be_cancelled(metric):
    def stop(stage, share):
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        metric.statistics(CORPUS, stop)


def test_case(metric):
    text, other = ["a dog, A Cat !"], ["A dog, a cat !"]
    lower = make_metric(metric.name, lowercase=True)
    np.testing.assert_array_equal(
        lower.statistics(toy([text], [other])), lower.statistics(toy([other], [other]))
    )
    assert "case:lc" in lower.signature(CORPUS)


@pytest.mark.parametrize("name", [*UNTOKENIZED, "dep-f"])
def test_a_tokenizer_is_refused_where_there_is_no_choice(name):
    with pytest.raises(
        SettingError, match=rf"Metric {re.escape(name)} .*'13a'.*Remove the tokenizer"
    ):
        make_metric(name, tokenize="13a")


def test_ter_takes_case_one_way():
    with pytest.raises(SettingError, match="lowercase and case_sensitive"):
        make_metric("ter", lowercase=True, case_sensitive=True)


def test_works_in_a_comparison(metric):
    result = compare(CORPUS, [metric], trials=299, resamples=100).metrics[metric.name]
    assert {system.system for system in result.systems} == {"s0", "s1", "s2"}
    if metric.name in QUALITY:
        assert [system.system for system in result.systems] == ["s0", "s1", "s2"]
        assert all(pair.significant and pair.better == "a" for pair in result.pairs), (
            f"more errors are not significantly worse by {metric.name}. Leave it out of QUALITY if it is no metric of "
            "quality"
        )
