"""METEOR as first published (Banerjee and Lavie 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from mtsig_core.metrics._words import WordMetric, compiled_late

__all__ = ["Meteor"]

# Steps of the search for the alignment with the fewest chunks, after which the best one found is taken.
_STEPS = 50_000

# English has Porter's stemmer (1980) as published; the others are Snowball's own.
_STEMMERS = {
    "en": "porter", "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish"}


@dataclass(frozen=True)
class Meteor(WordMetric):
    """METEOR (Banerjee and Lavie 2005): 10PR/(R+9P) of matching words, times 1 - .5 (chunks/matches)^3.

    Words match first as they are, then what is left by stems, each word once and as many as possible. P and R are the
    matches per word of the output and of the reference, chunks the fewest runs that are adjacent and in the same order
    in both. The corpus score is that of summed matches, chunks and lengths; of several references the one with the
    best score counts in each segment.

    Case is ignored, as in the original program, and punctuation marks are words. Stems are Porter's for English and for
    an unknown target language, Snowball's for other European languages (as in Lavie and Agarwal 2007), and none
    elsewhere; there are no synonyms. Of all alignments with the most matches, stage by stage, the one with the fewest
    chunks is taken, where the paper takes the one with the fewest crossings. The search for it ends after 50,000
    steps with the best found, which happens in long segments with many repeated words.

    Parameters
    ----------
    tokenize : str, optional
        One of `mtsig_core.metrics.tokenizers.TOKENIZERS`; by default the one for the target language, as for BLEU.
    lowercase : bool
        Changes nothing, since case is ignored anyway.

    Raises
    ------
    SettingError
        If there is no such tokenizer.

    References
    ----------
    Banerjee and Lavie (2005), METEOR: an automatic metric for MT evaluation with improved correlation with human
    judgments, section 2.2.
    Lavie and Agarwal (2007), METEOR: an automatic metric for MT evaluation with high levels of correlation with human
    judgments.

    Examples
    --------
    4 words of 4 match 4 of 5, "cats" by its stem, in the chunks "the cats" and "sat down":

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cats sat down"]}, references={"ref": ["The cat just sat down"]})
    >>> meteor = Meteor()
    >>> stats = meteor.statistics(toy)
    >>> stats[0, 0].tolist()
    [4, 2, 4, 5]
    >>> meteor.score(stats.sum(axis=1)).round(2).tolist()
    [76.53]
    """

    name: ClassVar[str] = "meteor"
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("matches", "chunks", "sys_len", "ref_len")
    settings: ClassVar[str] = "syn:no|alpha:.9|beta:3|gamma:.5"
    _ignores_case: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """METEOR in points, 0 to 100, of summed statistics: shape (..., 4) -> (...), float64."""
        sums = np.asarray(sums, dtype=np.float64)
        return _points(sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3])

    def signature(self, testset):
        """One line that names every setting, the stemmer and its version too."""
        stemmer = _stemmer_of(testset)
        stems = f"{stemmer}-snowball{version('snowballstemmer')}" if stemmer else "no"
        return f"{super().signature(testset)}|stem:{stems}"

    def _counter(self, testset):
        import snowballstemmer

        kernel, n_refs = compiled_late(_count, _points, _alignment, _pairs, _most_joints), len(testset.references)
        name = _stemmer_of(testset)
        stem = snowballstemmer.stemmer(name).stemWord if name else str
        stem_of = {}  # over all blocks: most words come back in each

        def count(words, first, stats):
            spellings = words.spellings()
            for word in spellings:
                if word not in stem_of:
                    stem_of[word] = stem(word)
            numbers = {}
            stems = [numbers.setdefault(stem_of[word], len(numbers)) for word in spellings]
            kernel(words.ids, words.begins, words.counts, n_refs, np.array(stems, dtype=np.int64), stats)

        return count


def _stemmer_of(testset):
    """The name of Snowball's stemmer for the target language, None without."""
    language = testset.target_language
    return "porter" if language is None else _STEMMERS.get(language.partition("_")[0])


def _points(matches, chunks, sys_len, ref_len):
    """100 x 10PR/(R + 9P) x (1 - .5 (chunks/matches)^3); runs on arrays, and compiled on numbers."""
    mean = 10 * matches / np.maximum(sys_len + 9 * ref_len, 1)
    return 100 * mean * (1 - 0.5 * (chunks / np.maximum(matches, 1)) ** 3)


def _count(ids, begins, counts, n_refs, stems, stats):
    """Fill the statistics of a block, shape (systems, segments, 4); to be compiled.

    The references come first in `ids`, `begins` and `counts`; `stems` is the number of the stem of each word.
    """
    memory = np.zeros((6, stems.size), np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            row = stats[s, seg]
            output = ids[begins[n_refs + s, seg]:][:counts[n_refs + s, seg]]
            best = -1.0
            for r in range(n_refs):
                length = counts[r, seg]
                if length >= 0:
                    reference = ids[begins[r, seg]:][:length]
                    matches, chunks = _alignment(output, reference, stems, memory)
                    points = _points(matches, chunks, len(output), length)
                    if points > best or (points == best and length < row[3]):
                        best = points
                        row[0], row[1], row[2], row[3] = matches, chunks, len(output), length


def _alignment(a, b, stems, memory):
    """Matches and chunks of two texts.

    How many words match, and by what, does not depend on which of them do. By word: those that are too many in `a`
    (`over`) or in `b` (`spare`) to match as they are. By stem: the matches among these (`stemmed`), words left in `a`
    and `b`, and the first word of `b` with that stem, counted from 1 (`head`).
    """
    over, spare, stemmed, left_a, left_b, head = memory
    matches = 0
    for word in a:
        over[word] += 1
        left_a[stems[word]] += 1
    for word in b:
        if over[word] > 0:
            over[word] -= 1
            left_a[stems[word]] -= 1
            matches += 1
        else:
            spare[word] += 1
            left_b[stems[word]] += 1
    for word in a:
        stem = stems[word]
        if left_b[stem] > 0:
            stemmed[stem] = min(left_a[stem], left_b[stem])
            left_b[stem] = 0
            matches += stemmed[stem]
    joints = _most_joints(a, b, stems, over, spare, stemmed, head) if matches > 1 else 0
    for words in (a, b):
        for word in words:
            memory[:, word] = memory[:, stems[word]] = 0
    return matches, matches - joints


def _pairs(a, b, stems, over, spare, stemmed, head):
    """The words of `b` that each word of `a` may match, in order: to[first[i]:first[i + 1]]."""
    following = np.empty(len(b), np.int64)
    for j in range(len(b) - 1, -1, -1):
        following[j], head[stems[b[j]]] = head[stems[b[j]]], j + 1
    first = np.zeros(len(a) + 2, np.int64)
    to = np.empty(0, np.int64)
    for fill in range(2):
        size = 0
        for i in range(len(a)):
            first[i] = size
            j = head[stems[a[i]]] - 1
            while j >= 0:
                if a[i] == b[j] or (over[a[i]] > 0 and spare[b[j]] > 0 and stemmed[stems[a[i]]] > 0):
                    if fill:
                        to[size] = j
                    size += 1
                j = following[j] - 1
        first[len(a):] = size
        if not fill:
            to = np.empty(size, np.int64)
    return first, to


def _most_joints(a, b, stems, over, spare, stemmed, head):
    """The most joints that an alignment can have: two words of `a` in a row that match two of `b` in a row.

    Only matches with a joint have to be chosen, word by word of `a`: whatever they are, the other words can still be
    matched as many times as they should. A branch of the search is left where even an alignment that may use words of
    `b` twice is no better than the best one found.
    """
    n = len(a)
    first, to = _pairs(a, b, stems, over, spare, stemmed, head)
    onward = np.full(len(to), -1, np.int64)  # the match of the next two words, -1 if they do not match
    after = np.zeros(len(to), np.int64)  # bound of the joints after word i if it has this match ...
    free = np.zeros(n + 1, np.int64)  # ... and from word i on if the word before has none
    for i in range(n - 1, -1, -1):
        free[i] = free[i + 1]
        q = first[i + 1]
        for p in range(first[i], first[i + 1]):
            after[p] = free[i + 1]
            while q < first[i + 2] and to[q] <= to[p]:
                q += 1
            if q < first[i + 2] and to[q] == to[p] + 1:
                onward[p] = q
                after[p] = max(after[p], 1 + after[q])
                free[i] = max(free[i], 1 + after[q])

    used = np.zeros(len(b), np.bool_)
    choice = np.full(n + 1, -1, np.int64)  # the match of each word, -1 for none
    tried = np.full(n + 1, -1, np.int64)  # -1: nothing yet; then to go on; to begin at each match; to match nothing
    joints = np.zeros(n + 1, np.int64)  # up to each word
    best, steps, i = np.int64(-1), 0, 0
    while i >= 0 and best < free[0] and (steps < _STEPS or best < 0):
        steps += 1
        if i == n:
            best = max(best, joints[n])
        goes_on = onward[choice[i - 1]] if i > 0 and choice[i - 1] >= 0 else -1
        begun = i > 0 and choice[i - 1] >= 0 and joints[i] == joints[i - 1]  # a match that needs a joint to follow
        found = False
        while i < n and not found and tried[i] <= first[i + 1] - first[i]:
            tried[i] += 1
            p, gain = np.int64(-1), 0
            if tried[i] == 0:
                p, gain = goes_on, 1
                found = p >= 0 and joints[i] + 1 + after[p] > best
            elif begun:
                tried[i] = n + len(b)
            elif tried[i] <= first[i + 1] - first[i]:
                p = first[i] + tried[i] - 1
                found = onward[p] >= 0 and p != goes_on and joints[i] + 1 + after[onward[p]] > best
            else:
                found = joints[i] + free[i + 1] > best
            if found and p >= 0:
                found = not used[to[p]]
                if a[i] != b[to[p]]:
                    found = found and over[a[i]] > 0 and spare[b[to[p]]] > 0 and stemmed[stems[a[i]]] > 0
            if found:
                choice[i], joints[i + 1] = p, joints[i] + gain
        if not found:
            tried[i] = -1
            i -= 1
        if i >= 0 and choice[i] >= 0:  # take this match, or take it back
            j = to[choice[i]]
            used[j] = found
            if a[i] != b[j]:
                change = -1 if found else 1
                over[a[i]] += change
                spare[b[j]] += change
                stemmed[stems[a[i]]] += change
        if found:
            i += 1
    return best
