"""F-score of dependency relations (Riezler and Maxwell 2005)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics.counting import Untokenized, count_references
from mtsig_core.testset import TestSet

#: Head, None for the root, relation, and dependent.
Triple = tuple[str | None, str, str]


@dataclass(frozen=True)
class DepF(Untokenized):
    """F-score of dependency relations: how much of what depends on what in a reference does so in
    the output.

    A relation is a triple of the head's lemma, the name of the relation, and the dependent's lemma.
    The head of a sentence's root is a ROOT of its own, so that each word has one triple. Names are
    those of Universal Dependencies without what follows a colon (``nsubj:pass`` is ``nsubj``), and
    punctuation is left out. Where a parse has no lemma, the word form stands in. The order of words
    does not matter.

    A triple that occurs m times in the output and n times in the reference matches min(m, n) times.
    Of several references that with the highest F counts, segment by segment; of two with the same,
    the one with more matches. The corpus score is 2 P R / (P + R), where precision P is the share
    of matches among all triples of the output, and recall R that among all of the references that
    count. The paper took relations of functional structures; the relations of a dependency parse
    stand in for them here.

    References
    ----------
    Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for MT, section 3.

    Examples
    --------
    "the" is missing: two of two triples match, of three in the reference.

    >>> toy = TestSet("toy", systems={"A": ["dogs bark"]}, references={"ref": ["the dogs bark"]}, parses={
    ...     "A": ["dogs\\tdog\\t2\\tnsubj\\nbark\\tbark\\t0\\troot"],
    ...     "ref": ["the\\tthe\\t2\\tdet\\ndogs\\tdog\\t3\\tnsubj\\nbark\\tbark\\t0\\troot"]})
    >>> dep_f = DepF()
    >>> stats = dep_f.statistics(toy)
    >>> stats[0, 0].tolist()
    [2, 2, 3]
    >>> dep_f.score(stats.sum(axis=1)).tolist()
    [80.0]
    """

    forms: bool = False  # whether word forms are matched instead of lemmas
    subtypes: bool = False  # whether what follows a colon is part of the relation's name
    punctuation: bool = False  # whether relations of punctuation (``punct``) count too

    name: ClassVar[str] = "dep-f"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no relation of the whole set matches a reference",
        100.0: "every relation matches a reference",
    }
    needs_parses: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("matched", "sys_relations", "ref_relations")

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Relations of each segment that match, those of the output, and those of the reference
        that counts: shape (systems, segments, 3), int32.
        """
        lacking = [
            name for name in (*testset.systems, *testset.references) if name not in testset.parses
        ]
        if lacking:
            raise SettingError(
                f"dep-f needs a parse of each system and reference. Missing: {', '.join(lacking)}. "
                "Give a CoNLL-U file for each, under its name.",
                {"parse": "NAME=FILE"},
            )
        stats = np.zeros((len(testset.systems), testset.n_segments, 3), dtype=np.int32)
        for k in range(testset.n_segments):
            references = [
                self._relations(testset.parses[name][k])
                for name, texts in testset.references.items()
                if texts[k] is not None
            ]
            for row, name in zip(stats[:, k], testset.systems, strict=True):
                output = self._relations(testset.parses[name][k])
                row[:] = max(
                    (_counts(output, reference) for reference in references), key=_goodness
                )
            if progress is not None and k % 1000 == 999:
                progress((k + 1) / testset.n_segments)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """F in points, 0 to 100, of summed statistics: shape (..., 3) -> (...), float64; 0 without
        any relation.
        """
        matched, output, reference = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        points: np.ndarray = (
            200 * matched / np.maximum(output + reference, 1)
        )  # which 2 P R / (P + R) comes to
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        subtypes, punct = ("yes" if on else "no" for on in (self.subtypes, self.punctuation))
        return (
            f"nrefs:{count_references(testset)}|case:{'lc' if self.lowercase else 'mixed'}"
            f"|words:{'forms' if self.forms else 'lemmas'}|subtypes:{subtypes}|punct:{punct}|root:yes|ref:best"
        )

    def _relations(self, parse: str) -> Counter[Triple]:
        """The triples of a segment, each with how often it occurs."""
        if self.lowercase:
            parse = parse.lower()
        found: Counter[Triple] = Counter()
        for sentence in filter(None, parse.split("\n\n")):
            rows = [line.split("\t") for line in sentence.split("\n")]
            words = [form if self.forms else lemma for form, lemma, _, _ in rows]
            heads = [None, *words]
            for word, (_, _, head, relation) in zip(words, rows, strict=True):
                universal = relation.partition(":")[0]
                if self.punctuation or universal != "punct":
                    found[heads[int(head)], relation if self.subtypes else universal, word] += 1
        return found


def _counts(output: Counter[Triple], reference: Counter[Triple]) -> tuple[int, int, int]:
    return (output & reference).total(), output.total(), reference.total()


def _goodness(counts: tuple[int, int, int]) -> tuple[float, int, int]:
    """What the best reference has most of: F, then matches, then as few relations as can be."""
    matched, output, reference = counts
    return 2 * matched / (output + reference) if output + reference else 1.0, matched, -reference
