"""BLEU scores of summed statistics against sacreBLEU's, and to the last bit against themselves."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from mtsig_core.metrics import bleu as bleu_module
from mtsig_core.metrics.bleu import Bleu


def score_of_sacrebleu(sums):
    return BLEU()._compute_score_from_stats([int(x) for x in sums]).score


counts = st.integers(0, 4) | st.integers(0, 10**7)
any_sums = st.lists(counts, min_size=10, max_size=10)


@st.composite
def realistic_sums(draw):
    """Sums that a corpus can have: at most as many matches as n-grams, falling with the order."""
    sys_len, n = draw(st.integers(0, 10**6)), draw(st.integers(1, 3000))
    total = [max(sys_len - k * n, 0) for k in range(4)]
    correct, most = [], sys_len
    for t in total:
        most = draw(st.integers(0, min(most, t)) | st.just(0))
        correct.append(most)
    ref_len = draw(st.integers(max(sys_len // 3, 1), 3 * sys_len + 10))
    return [sys_len, ref_len, *correct, *total]


@given(sums=any_sums)
@example([0] * 10)
@example([0, 5, 0, 0, 0, 0, 0, 0, 0, 0])
@example([0, 5, 1, 1, 1, 1, 1, 1, 1, 1])
@example([0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
@example([1, 10**7, 1, 1, 1, 1, 1, 1, 1, 1])
@example([9, 9, 0, 5, 0, 3, 9, 8, 7, 6])
@example([9, 9, 5, 0, 0, 0, 9, 8, 7, 6])
@example([9, 9, 0, 0, 0, 0, 9, 8, 7, 6])
@example([3, 9, 3, 2, 1, 0, 3, 2, 1, 0])
@example([9, 9, 1, 1, 1, 1, 9, 0, 7, 6])
def test_any_counts(sums):
    # Counts that no corpus has may give scores far above 100, of which 1e-9 points is less than one rounding.
    assert Bleu().score(np.array(sums)) == pytest.approx(score_of_sacrebleu(sums), rel=1e-12, abs=1e-9)


@given(sums=realistic_sums())
def test_counts_of_a_corpus(sums):
    assert abs(Bleu().score(np.array(sums)) - score_of_sacrebleu(sums)) < 1e-9


@given(ref_len=st.integers(1, 700))
def test_brevity_penalty(ref_len):
    sums = [1, ref_len, 1, 1, 1, 1, 1, 1, 1, 1]
    assert Bleu().score(np.array(sums)) == pytest.approx(score_of_sacrebleu(sums), rel=1e-13, abs=0)


def test_a_perfect_translation_scores_exactly_100():
    assert Bleu().score(np.array([9, 9, 9, 8, 7, 6, 9, 8, 7, 6])) == 100


def corpus_sums(n, seed=0, odd=True):
    """Shape (10, n): a few of them, if `odd`, with zeros in all places."""
    rng = np.random.default_rng(seed)
    sys_len = rng.integers(20_000, 30_000, n)
    total = sys_len - np.array([[0], [1000], [2000], [3000]])
    correct = (total * np.array([[.6], [.35], [.22], [.15]]) * rng.uniform(.7, 1.3, n)).astype(int)
    sums = np.concatenate([[sys_len, rng.integers(20_000, 30_000, n)], correct, total])
    if odd:
        columns = rng.choice(n, n // 20, replace=False)
        sums[:, columns] *= rng.random((10, columns.size)) > .2
    return sums.astype(float)


@pytest.mark.parametrize("odd", [False, True])
def test_compiled_and_plain_scores_are_the_same_to_the_last_bit(monkeypatch, odd):
    sums = corpus_sums(30_001, odd=odd).T
    monkeypatch.setattr(bleu_module, "worth_compiling", lambda nanoseconds: True)
    compiled = Bleu().score(sums)
    monkeypatch.setattr(bleu_module, "worth_compiling", lambda nanoseconds: False)
    np.testing.assert_array_equal(Bleu().score(sums), compiled)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 1000, 9_999, 10_001])
def test_the_array_around_a_score_does_not_matter(n):
    sums = corpus_sums(20_000)
    whole = Bleu().score(sums.T)
    for start in (0, 1, 7, 9_000):
        np.testing.assert_array_equal(Bleu().score(sums[:, start:start + n].T), whole[start:start + n])


@pytest.mark.parametrize("n", [840, 16_800])
def test_layout_and_type_do_not_matter(n):
    sums = corpus_sums(n)
    shape = (2, 5, n // 10)
    stats_first = np.moveaxis(sums.reshape(10, *shape), 0, -1)
    whole = Bleu().score(sums.T)
    assert whole.dtype == np.float64 and whole.shape == (n,)
    stats_last = np.ascontiguousarray(stats_first)
    strided = np.repeat(stats_last, 2, axis=1)[:, ::2]
    for view in (stats_first, stats_last, strided, np.asfortranarray(stats_last)):
        for dtype in (np.float64, np.float32, np.int64, np.int32):
            before = view.copy()
            scores = Bleu().score(view.astype(dtype))
            assert scores.shape == shape and scores.dtype == np.float64
            np.testing.assert_array_equal(scores.ravel(), whole)
            np.testing.assert_array_equal(view, before)


def test_the_sums_are_not_written_to():
    for n in (50, 20_000):
        sums = corpus_sums(n)
        before = sums.copy()
        Bleu().score(sums.T)
        np.testing.assert_array_equal(sums, before)
        sums.setflags(write=False)
        Bleu().score(sums.T)


def test_one_vector_gives_one_number_and_none_gives_none():
    assert np.shape(Bleu().score([9, 9, 5, 4, 3, 2, 9, 8, 7, 6])) == ()
    assert Bleu().score(np.zeros((3, 0, 10))).shape == (3, 0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [10, 20_000])
def test_zeros_raise_no_warning(n):
    scores = Bleu().score(np.zeros((n, 10)))
    assert scores.tolist() == [0.0] * n


def test_more_matches_or_length_never_lower_the_score():
    sums = corpus_sums(2000, odd=False).T
    sums[:, 0] = np.minimum(sums[:, 0], sums[:, 1])
    score = Bleu().score(sums)
    for stat in (0, 2, 3, 4, 5):
        more = sums.copy()
        more[:, stat] += 1
        assert (Bleu().score(more) >= score).all()
