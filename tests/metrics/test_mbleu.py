"""M-BLEU against sacreBLEU's precisions and brevity penalty."""

import numpy as np
import pytest
from hypothesis import given
from sacrebleu.metrics.bleu import BLEU

from mtsig_core.metrics.bleu import Bleu, MBleu
from tests.builders.corpora import corpora, toy


@given(corpora("abcd", longest=15))
def test_equation_4_of_zhang_and_vogel(testset):
    ours = MBleu(tokenize="none").score(MBleu(tokenize="none").statistics(testset).sum(axis=1))
    theirs = BLEU(tokenize="none", smooth_method="none")
    for score, outputs in zip(ours, testset.systems.values(), strict=True):
        bleu = theirs.corpus_score(outputs, list(testset.references.values()))
        precisions = [
            100 * c / t if t else 0 for c, t in zip(bleu.counts, bleu.totals, strict=True)
        ]
        assert score == pytest.approx(bleu.bp * sum(precisions) / 4, abs=1e-9)


def test_statistics_are_those_of_bleu_and_the_signature_is_not():
    testset = toy([["a b, c"]], [["A b, c d"]])
    np.testing.assert_array_equal(
        MBleu(lowercase=True).statistics(testset), Bleu(lowercase=True).statistics(testset)
    )
    assert (
        MBleu()
        .signature(testset)
        .startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|mean:arithmetic|version:")
    )
    assert MBleu() != Bleu()
