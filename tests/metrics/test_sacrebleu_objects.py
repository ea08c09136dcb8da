"""Metrics of sacreBLEU as they are: against sacreBLEU's own scores, and mtsig's own metrics where
these agree.
"""

import copy

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric as TheirMetric

from mtsig_core import SettingError, TestSet, compare, make_metric
from mtsig_core.metrics import adapt_metric
from mtsig_core.stats.engine import measure
from tests.builders.cases import brief
from tests.builders.toys import texts

REFERENCE, SYSTEMS = texts(seed=6, errors=[0.2, 0.25, 0.5], n_segments=48)
OTHER, _ = texts(seed=7, errors=[0.5], n_segments=48)
TOY = TestSet(
    "toy",
    dict(zip("ABC", SYSTEMS, strict=True)),
    {"ref": REFERENCE},
    documents=[f"d{k // 4}" for k in range(48)],
)
SEVERAL = TestSet(
    "toy", dict(TOY.systems), {"ref": REFERENCE, "other": [*OTHER[:30], *[None] * 18]}
)
CHOSEN = [
    BLEU(),
    BLEU(tokenize="char", lowercase=True),
    BLEU(max_ngram_order=2, smooth_method="add-k", smooth_value=2),
    BLEU(effective_order=True),
    CHRF(),
    CHRF(word_order=2, beta=3),
    CHRF(char_order=4, whitespace=True),
    TER(),
    TER(normalized=True, no_punct=True, case_sensitive=True),
]


class Halved(BLEU):
    """Somebody's own."""

    def _compute_score_from_stats(self, stats):
        score = super()._compute_score_from_stats(stats)
        score.score /= 2
        return score


@pytest.mark.parametrize("testset", [TOY, SEVERAL], ids=["one reference", "several"])
@pytest.mark.parametrize("theirs", [*CHOSEN, Halved()])
def test_scores_and_signatures_are_theirs(theirs, testset):
    seen = measure(testset, theirs)
    for outputs, score in zip(testset.systems.values(), seen.scores, strict=True):
        asked = copy.copy(theirs)
        assert score == pytest.approx(
            asked.corpus_score(outputs, list(testset.references.values())).score, abs=1e-9
        )
        assert seen.metric.signature(testset) == str(asked.get_signature())
    assert seen.metric.higher_is_better == (not isinstance(theirs, TER))


@pytest.mark.parametrize(
    "theirs, ours",
    [
        (BLEU(), make_metric("bleu")),
        (BLEU(tokenize="char"), make_metric("bleu", tokenize="char")),
        (CHRF(), make_metric("chrf")),
        (CHRF(word_order=2), make_metric("chrf++")),
        (TER(), make_metric("ter")),
    ],
)
@pytest.mark.parametrize("unit", brief(1, ["document", "segment"]))
def test_a_comparison_is_that_of_the_own_metric(theirs, ours, unit):
    found, own = (
        next(
            iter(compare(TOY, metric, unit=unit, trials=199, resamples=50, seed=2).metrics.values())
        )
        for metric in (theirs, ours)
    )
    assert found.signature == own.signature and found.higher_is_better == own.higher_is_better
    for row, expected in zip(found.systems, own.systems, strict=True):
        assert (row.system, row.rank_low, row.rank_high) == (
            expected.system,
            expected.rank_low,
            expected.rank_high,
        )
        assert (row.score, row.ci_low, row.ci_high) == pytest.approx(
            (expected.score, expected.ci_low, expected.ci_high), abs=1e-9
        )
    for row, expected in zip(found.pairs, own.pairs, strict=True):
        assert (row.a, row.b, row.p_value, row.p_adjusted, row.better) == (
            expected.a,
            expected.b,
            expected.p_value,
            expected.p_adjusted,
            expected.better,
        )
        assert (row.delta, row.se) == pytest.approx((expected.delta, expected.se), abs=1e-9)


def test_several_settings_fit_in_one_comparison():
    chosen = [
        BLEU(),
        BLEU(tokenize="char"),
        BLEU(lowercase=True, effective_order=True),
        CHRF(word_order=2),
    ]
    found = compare(TOY, chosen, trials=99, resamples=50)
    assert list(found.metrics) == ["bleu", "bleu[tok:char]", "bleu[case:lc,eff:yes]", "chrf[nw:2]"]
    assert (
        found.metrics["bleu[tok:char]"].tokenizer == "char"
        and found.metrics["chrf[nw:2]"].tokenizer is None
    )
    with pytest.raises(
        SettingError, match="metrics are bleu, bleu. Expected at least one, each only once"
    ):
        compare(TOY, ["bleu", BLEU()])


def test_the_object_stays_as_it_is_and_what_it_did_before_does_not_matter():
    used = BLEU(references=[["x y z"]])
    used.corpus_score(["x y"], None)
    used.n_bootstrap, used.seed = 1000, 12345  # as corpus_score leaves them after its own bootstrap
    before = dict(vars(used))
    metric = measure(TOY, used).metric
    assert vars(used) == before
    assert metric.name == "bleu" and metric.signature(TOY) == make_metric("bleu").signature(TOY)
    np.testing.assert_array_equal(metric.statistics(TOY), adapt_metric(BLEU()).statistics(TOY))


def test_another_kind_of_metric_is_refused():
    class Own(TheirMetric):
        _aggregate_and_compute = _compute_score_from_stats = _preprocess_segment = None
        _extract_reference_info = _compute_segment_statistics = None

    with pytest.raises(
        SettingError, match="A metric is of the type Own. Of sacreBLEU.s, expected BLEU, CHRF, TER"
    ):
        compare(TOY, Own())


@pytest.mark.parametrize(
    "given, what",
    [
        (BLEU, "the class BLEU"),
        (np.zeros((2, 5)), "of the type ndarray"),
        (3, "of the type int"),
        ([None], "of the"),
    ],
)
def test_what_is_no_metric(given, what):
    with pytest.raises(
        SettingError,
        match=f"A metric is {what}.*Expected a name such as 'bleu', .*join_scores puts",
    ):
        compare(TOY, given)


def test_its_counts_are_not_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    compare(TOY, BLEU(), trials=99, resamples=50)
    assert list(tmp_path.iterdir()) == []
