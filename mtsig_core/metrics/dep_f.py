"""F-score of dependency relations (Riezler and Maxwell 2005)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics.counting import Untokenized, count_references, yes_or_no
from mtsig_core.metrics.protocol import split_sums
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet

#: Head, None for the root, relation, and dependent.
Triple = tuple[str | None, str, str]


@dataclass(frozen=True)
class DepF(Untokenized):
    r"""F-score of the dependency relations that output and reference share.

    A relation is a triple of the head's lemma, the name of the relation, and the dependent's lemma.
    The head of a sentence's root is a ROOT of its own, so that each word has one triple. Relations
    have the names of Universal Dependencies without their subtypes (``nsubj:pass`` is ``nsubj``),
    and punctuation is left out. If a parse has no lemma, the word form replaces it. The order of
    words does not matter.

    A triple that occurs m times in the output and n times in the reference matches min(m, n) times.
    Of several references the one with the highest F counts, segment by segment; of two with the
    same F, the one with more matches. The corpus score is 2 P R / (P + R). Precision P is the share
    of matches among all triples of the output, recall R their share among all triples of the
    references that count. The paper took relations of functional structures; here the relations of
    a dependency parse take their place.

    References
    ----------
    Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for MT, section 3.

    Examples
    --------
    "the" is missing: two of two triples match, of three in the reference.

    >>> toy = TestSet("toy", systems={"A": ["dogs bark"]}, references={"ref": ["the dogs bark"]}, parses={
    ...     "A": ["dogs\tdog\t2\tnsubj\nbark\tbark\t0\troot"],
    ...     "ref": ["the\tthe\t2\tdet\ndogs\tdog\t3\tnsubj\nbark\tbark\t0\troot"]})
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

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Count the relations of each segment that match, of the output, and of its best reference.

        Returns
        -------
        Shape (systems, segments, 3), int32.
        """
        names = (*testset.systems, *testset.references)
        unparsed = [name for name in names if name not in testset.parses]
        if unparsed:
            raise SettingError(
                "dep-f needs a parse of each system and reference. Missing: "
                f"{', '.join(unparsed)}. Give a CoNLL-U file for each, under its name.",
                {"parse": "NAME=FILE"},
            )
        stats = np.zeros((len(testset.systems), testset.n_segments, 3), dtype=np.int32)
        for k in range(testset.n_segments):
            references = []
            for name, texts in testset.references.items():
                if texts[k] is not None:
                    references.append(self._relations(testset.parses[name][k]))
            for row, name in zip(stats[:, k], testset.systems, strict=True):
                output = self._relations(testset.parses[name][k])
                counts = [_count_shared(output, reference) for reference in references]
                row[:] = max(counts, key=_goodness)
            if progress is not None and k % 1000 == 999:
                progress("counting", (k + 1) / testset.n_segments)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """F in points, 0 to 100, of summed statistics: shape (..., 3) -> (...), float64.

        0 without any relation.
        """
        matched, output, reference = split_sums(sums)
        # 2 P R / (P + R) in terms of the counts
        points: np.ndarray = 200 * matched / np.maximum(output + reference, 1)
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        case = "lc" if self.lowercase else "mixed"
        words = "forms" if self.forms else "lemmas"
        subtypes = yes_or_no(self.subtypes)
        punct = yes_or_no(self.punctuation)
        return (
            f"nrefs:{count_references(testset)}|case:{case}|words:{words}|subtypes:{subtypes}"
            f"|punct:{punct}|root:yes|ref:best"
        )

    def _relations(self, parse: str) -> Counter[Triple]:
        """The triples of a segment, each with how often it occurs."""
        if self.lowercase:
            parse = parse.lower()
        counts: Counter[Triple] = Counter()
        for sentence in filter(None, parse.split("\n\n")):
            rows = [line.split("\t") for line in sentence.split("\n")]
            words = [form if self.forms else lemma for form, lemma, _, _ in rows]
            heads = [None, *words]
            for word, (_, _, head, subtype) in zip(words, rows, strict=True):
                relation = subtype.partition(":")[0]
                if relation == "punct" and not self.punctuation:
                    continue
                if self.subtypes:
                    relation = subtype
                counts[heads[int(head)], relation, word] += 1
        return counts


def _count_shared(output: Counter[Triple], reference: Counter[Triple]) -> tuple[int, int, int]:
    return (output & reference).total(), output.total(), reference.total()


def _goodness(counts: tuple[int, int, int]) -> tuple[float, int, int]:
    """What the best reference has most of: F, then matches, then as few relations as possible."""
    matched, output, reference = counts
    f_score = 1.0
    if output + reference > 0:
        f_score = 2 * matched / (output + reference)
    return f_score, matched, -reference
