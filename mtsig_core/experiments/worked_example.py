"""One sentence's BLEU, step by step; and the reading note's example, of which some steps are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.ngram_precisions import ORDERS, brevity_penalty, check_bleu, counts_of, share
from mtsig_core.metrics import Metric, tokenizer_of
from mtsig_core.metrics.overlap import bleu_tokens

__all__ = ["NOTE_CLAIMS", "NOTE_OUTPUT", "NOTE_REFERENCE", "Claim", "NgramCount", "Step", "WorkedExample",
           "note_example", "tokens_of", "worked_example"]

#: The sentence pair of the note.
NOTE_OUTPUT = "Israeli officials responsibility of airport safety"
NOTE_REFERENCE = "Israeli officials are responsible for airport security"


@dataclass(frozen=True)
class Claim:
    """One number of the note, and what is wrong with it."""

    what: str
    printed: str
    value: float
    about: str


#: BLEU on a scale of 0 to 1.
NOTE_CLAIMS = (
    Claim("brevity penalty", "6/7", 6 / 7, "The ratio of the lengths, where the definition in the same note has "
          "exp(1 - 7/6)."),
    Claim("BLEU-1", "0.42", 0.42, "3/6 x 6/7 is .429; with the right penalty it happens to be what is printed."),
    Claim("BLEU-2", "0.085", 0.085, "3/6 x 1/5 x 6/7: the square root is missing that makes it a geometric mean."))


@dataclass(frozen=True)
class NgramCount:
    """An n-gram of the output: how often it is there, how often at most in one reference, and the less of both."""

    ngram: str
    in_output: int
    in_reference: int
    clipped: int


@dataclass(frozen=True)
class Step:
    """N-grams of one length.

    Attributes
    ----------
    n : int
    matched, total : int
        Clipped matches, and n-grams of the output; by BLEU's own counting.
    precision : float or None
        From 0 to 1; None without any n-gram.
    bleu : float
        BLEU-n without smoothing: the brevity penalty times the n-th root of the product of the precisions so far.
    ngrams : tuple of NgramCount
        Those of the output that a reference has, in the order of the output; counted apart from BLEU.
    """

    n: int
    matched: int
    total: int
    precision: float | None
    bleu: float
    ngrams: tuple[NgramCount, ...]


@dataclass(frozen=True)
class WorkedExample:
    """BLEU of one sentence.

    Attributes
    ----------
    system : str
    line : int
    output : str
    references : tuple of str
    sys_len, ref_len : int
        In tokens; of several references the one nearest in length.
    brevity_penalty : float
    steps : tuple of Step
    bleu : float
        In points, smoothed as the signature says.
    signature : str
    """

    system: str
    line: int
    output: str
    references: tuple[str, ...]
    sys_len: int
    ref_len: int
    brevity_penalty: float
    steps: tuple[Step, ...]
    bleu: float
    signature: str


def worked_example(testset: TestSet, system: str | None, line: int, metric: str | Metric = "bleu") -> WorkedExample:
    """BLEU of one line of one system, step by step.

    Parameters
    ----------
    testset : TestSet
    system : str or None
        None for the first of the test set.
    line : int
        As in `TestSet.lines`, from 1.
    metric : str or Metric
        BLEU, with whatever tokenizer.

    Raises
    ------
    SettingError
        For a system or line that is not there, another metric, or a test set without texts.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["the the cat"]}, {"ref": ["the cat sat"]})
    >>> found = worked_example(ts, "A", 1)
    >>> [(step.matched, step.total) for step in found.steps]
    [(2, 3), (1, 2), (0, 1), (0, 0)]
    >>> found.steps[0].ngrams[0]
    NgramCount(ngram='the', in_output=2, in_reference=1, clipped=1)
    """
    metric = check_bleu(testset, metric)
    system = next(iter(testset.systems)) if system is None else system
    if line not in testset.lines:
        raise SettingError(f"{testset.name} has no line {line}. It has {testset.n_segments}, from {testset.lines[0]} "
                           f"to {testset.lines[-1]}.")
    one = testset.only([system]).at([testset.lines.index(line)])
    row = metric.statistics(one)[0, 0]
    counts = counts_of(metric, row)
    penalty = brevity_penalty(counts["sys_len"], counts["ref_len"])
    output, = one.systems[system]
    references = tuple(texts[0] for texts in one.references.values() if texts[0] is not None)
    tokens = tokens_of(metric, one)
    lowered = [text.lower() if getattr(metric, "lowercase", False) else text for text in (output, *references)]
    words, *others = map(tokens, lowered)
    steps, found = [], []
    for n in ORDERS:
        matched, total = counts[f"correct_{n}"], counts[f"total_{n}"]
        found.append(share(matched, total))
        bleu = penalty * prod(p or 0.0 for p in found) ** (1 / n)
        steps.append(Step(n, matched, total, found[-1], bleu, _shared(words, others, n)))
    return WorkedExample(system, line, output, references, counts["sys_len"], counts["ref_len"], penalty, tuple(steps),
                         float(metric.score(row)), metric.signature(testset))


def note_example(metric: str | Metric = "bleu", tokenizer: str | None = None) -> WorkedExample:
    """The sentence pair of the note, reckoned right; the note's own numbers are of BLEU as it comes.

    Examples
    --------
    >>> found = note_example()
    >>> round(found.brevity_penalty, 4), [round(step.bleu, 3) for step in found.steps[:2]]
    (0.8465, [0.423, 0.268])
    """
    note = TestSet("the note's example", {"output": [NOTE_OUTPUT]}, {"reference": [NOTE_REFERENCE]},
                   tokenizer=tokenizer)
    return worked_example(note, "output", 1, metric)


def tokens_of(metric: Metric, testset: TestSet) -> Callable[[str], list[str]]:
    """How BLEU splits a text of this test set."""
    return bleu_tokens(tokenizer_of(metric, testset))


def _ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    return Counter(" ".join(tokens[at:at + n]) for at in range(len(tokens) - n + 1))


def _shared(words: Sequence[str], references: Sequence[Sequence[str]], n: int) -> tuple[NgramCount, ...]:
    of_references = [_ngrams(tokens, n) for tokens in references]
    rows = [(ngram, count, max(known[ngram] for known in of_references)) for ngram, count in _ngrams(words, n).items()]
    return tuple(NgramCount(ngram, count, most, min(count, most)) for ngram, count, most in rows if most)
