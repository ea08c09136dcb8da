"""NIST, computed plainly."""

from collections import Counter
from math import exp, log, log2

from tests.builders.corpora import split


def ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def plain(testset):
    """NIST of each system, of words between spaces, none of which is 0."""
    references = {i: refs for _, i, _, refs in split(testset)}
    seen = [
        sum((ngrams(words, n) for refs in references.values() for words in refs), Counter())
        for n in range(6)
    ]
    n_words = sum(seen[1].values())
    scores = []
    for system in range(len(testset.systems)):
        information, total, length, expected = [0.0] * 6, [0] * 6, 0, 0
        for s, _, words, refs in split(testset):
            if s == system:
                length += len(words)
                expected += sum(map(len, refs)) / len(refs)
                for n in range(1, 6):
                    most = Counter()
                    for ref in refs:
                        most |= ngrams(ref, n)
                    total[n] += sum(ngrams(words, n).values())
                    for gram, count in (ngrams(words, n) & most).items():
                        before = seen[n - 1][gram[:-1]] if n > 1 else n_words
                        information[n] += count * log2(before / seen[n][gram])
        ratio = min(length / expected, 1) if expected else 0
        penalty = exp(log(0.5) * (log(ratio) / log(1.5)) ** 2) if ratio else 0
        scores.append(penalty * sum(information[n] / max(total[n], 1) for n in range(1, 6)))
    return scores
