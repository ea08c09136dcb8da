"""Segments that occur more than once: a test set that is repeated is no larger."""

from itertools import product

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.stats.copies import find_copies
from mtsig_core.stats.resampling import make_units
from tests.builders.results import select_cautions
from tests.builders.score_tables import rated_systems
from tests.builders.toys import texts

QUICK = {"trials": 299, "resamples": 100}


def a_set(n=40, copies=1, sources=False, documents=None, short=0):
    """A test set with so many copies of itself, and so many more segments 'Yes.'"""
    reference, outputs = texts(3, [0.3, 0.34], n)
    outputs = {
        name: [*row * copies, *["Yes."] * short] for name, row in zip("AB", outputs, strict=True)
    }
    reference = [*reference * copies, *["Yes."] * short]
    return TestSet(
        "toy",
        outputs,
        {"ref": reference},
        documents=documents,
        sources=[f"source of {text}" for text in reference] if sources else None,
    )


def cautioned(testset, metric="bleu", **settings):
    comparison = compare(testset, [metric], **{**QUICK, **settings})
    return next(iter(select_cautions(comparison, "copied-segments")), None)


@pytest.mark.parametrize("sources", [False, True])
def test_four_times_the_same(sources):
    caution = cautioned(a_set(copies=4, sources=sources))
    assert (caution.facts["n"], caution.facts["n_segments"]) == (120, 160)
    assert caution.facts["worth"] == pytest.approx(40)
    assert (caution.facts["line"] - caution.facts["first_line"]) % 40 == 0
    assert "p-values too small" in caution.text and "120 of 160 segments" in caution.text


def test_the_p_of_a_repeated_set_is_in_doubt():
    """The p of four times the same is that of 40 segments with half of the standard error."""
    once, often = (compare(a_set(copies=n), **QUICK).metrics["bleu"].pairs[0] for n in (1, 4))
    assert once.delta == pytest.approx(often.delta) and often.se == pytest.approx(
        once.se / 2, rel=0.25
    )
    assert often.p_value < once.p_value


def test_a_few_short_ones_do_not_matter():
    testset = a_set(n=100, short=20)
    assert find_copies(testset, make_units(testset)).n == 19 and cautioned(testset) is None


def test_once_is_once():
    assert cautioned(a_set()) is None


def test_copies_of_one_long_segment_matter():
    testset = a_set(n=60)
    some = [*range(60), *[5] * 6]
    assert cautioned(testset.take(some)).facts["n"] == 6


class TestDocuments:
    def test_copies_with_the_same_document_are_one_unit(self):
        assert cautioned(a_set(copies=4, documents=[f"d{k // 2}" for k in range(40)] * 4)) is None

    def test_copies_with_ids_of_their_own_are_not(self):
        caution = cautioned(a_set(copies=4, documents=[f"d{k // 2}" for k in range(160)]))
        assert caution.facts["unit"] == "document" and caution.facts["worth"] == pytest.approx(20)

    def test_copies_within_a_document_are_resampled_together(self):
        reference, outputs = texts(3, [0.3, 0.34], 40)
        testset = TestSet(
            "toy",
            {name: [*np.repeat(row, 2)] for name, row in zip("AB", outputs, strict=True)},
            {"ref": [*np.repeat(reference, 2)]},
            documents=[f"d{k // 2}" for k in range(80)],
        )
        assert cautioned(testset) is None and cautioned(testset, unit="segment").facts["n"] == 40

    def test_only_what_is_in_another_document_counts(self):
        reference, _ = texts(3, [0.3, 0.34], 40)
        lines = [*np.repeat(reference, 2), *reference[:10]]
        documents = [*(f"d{k // 2}" for k in range(80)), *["again"] * 10]
        testset = TestSet("toy", {"A": lines}, {"ref": lines}, documents=documents)
        assert find_copies(testset, make_units(testset)).n == 10

    def test_blocks_too(self):
        assert cautioned(a_set(copies=4), unit="block").facts["unit"] == "block"


class TestWhatIsTheSame:
    def test_the_same_reference_of_other_sources_is_another_segment(self):
        testset = a_set(copies=2)
        sources = [f"source {k}" for k in range(80)]
        assert (
            cautioned(TestSet("toy", testset.systems, testset.references, sources=sources)) is None
        )

    def test_one_other_reference_is_enough(self):
        testset = a_set(copies=2)
        references = {**testset.references, "other": [f"other {k}" for k in range(80)]}
        assert cautioned(TestSet("toy", testset.systems, references)) is None

    def test_sources_with_human_scores_alone(self):
        scores = np.tile(np.random.default_rng(0).normal(70, 5, (2, 40)), 2)
        sources = [f"s {k}" for k in range(40)] * 2
        testset = rated_systems(dict(zip("AB", scores, strict=True)), sources=sources)
        caution = cautioned(testset, "human")
        assert caution.facts["n"] == 40
        assert "repeat the source of" in caution.text

    def test_without_texts_nothing_tells(self):
        testset = rated_systems(dict.fromkeys("AB", [1.0, 2.0, 3.0] * 10))
        assert find_copies(testset, make_units(testset)) is None


@pytest.mark.parametrize("seed", range(4))
def test_inflation_by_loops_over_pairs_of_segments(seed):
    """Covariance 1 per character of equal texts and within a document's equal texts, else 0."""
    rng = np.random.default_rng(seed)
    lines = [f"{'word ' * int(k + 1)}{k}" for k in rng.integers(0, 6, 25)]
    documents = [str(k) for k in rng.integers(0, 9, 25)]
    testset = TestSet("toy", {"A": lines}, {"ref": lines}, documents=documents)
    together = apart = 0
    for i, j in product(range(25), repeat=2):
        if lines[i] == lines[j]:
            together += len(lines[i]) * len(lines[j])
            apart += len(lines[i]) * len(lines[j]) * (documents[i] == documents[j])
    assert find_copies(testset, make_units(testset)).inflation == pytest.approx(together / apart)
