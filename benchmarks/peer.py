"""sacreBLEU's own loops, on statistics counted beforehand."""

from __future__ import annotations

import functools

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import Result, _paired_ar_test, _paired_bs_test
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re, tokenizer_ter


class Counted(BLEU):
    """BLEU whose texts are statistics already, so that only the loop is timed."""

    def _extract_corpus_statistics(self, hypotheses, references):
        return hypotheses


def test_pair(name: str, statistics: np.ndarray, n_samples: int) -> float:
    """Run its paired test, ``"ar"`` or ``"bs"``, on the first two systems; returns p."""
    metric, (first, second) = Counted(), statistics[:2].tolist()
    baseline = {"BLEU": (first, Result(metric._aggregate_and_compute(first).score))}
    run = {"ar": _paired_ar_test, "bs": _paired_bs_test}[name]
    return run(baseline, "second", second, None, {"BLEU": metric}, n_samples, seed=12345)[1][
        "BLEU"
    ].p_value


def counter(name, references, systems):
    """A function that counts all systems with the references cached, its memory of segments cleared
    first.
    """
    theirs = {
        "bleu": BLEU,
        "chrf": CHRF,
        "chrf++": functools.partial(CHRF, word_order=2),
        "ter": TER,
    }
    metric = theirs[name](references=references)

    def count():
        for tokenizer in (
            tokenizer_13a.Tokenizer13a,
            tokenizer_re.TokenizerRegexp,
            tokenizer_ter.TercomTokenizer,
        ):
            tokenizer.__call__.cache_clear()
        return np.array([metric._extract_corpus_statistics(system, None) for system in systems])

    return count
