"""METEOR as first published (Banerjee and Lavie 2005)."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from mtsig_core.errors import InputError
from mtsig_core.languages import language_code
from mtsig_core.metrics.counting import BlockCounter, Numbers, WordIds, WordMetric, compiled_late
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version

# English has Porter's stemmer (1980) as published; the others are Snowball's own.
_STEMMERS = {
    "en": "porter",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@dataclass(frozen=True)
class Meteor(WordMetric):
    """METEOR (Banerjee and Lavie 2005): 10PR/(R+9P) of matching words, times 1 - .5
    (chunks/matches)^3.

    Words match first as they are, then what is left by stems, then by synonyms, each word once and
    as many as possible. P and R are the matches per word of the output and of the reference, chunks
    the fewest runs that are adjacent and in the same order in both. The corpus score is that of
    summed matches, chunks and lengths; of several references the one with the best score counts in
    each segment.

    Case is ignored, as in the original program, and punctuation marks are words. Stems are Porter's
    for English and for an unknown target language, Snowball's for other European languages (as in
    Lavie and Agarwal 2007), and none elsewhere. Synonyms share a synset of WordNet, by their base
    forms; they count where Porter's stemmer does and WordNet's files are installed (Debian's
    ``wordnet-base``, or a folder named by ``WNSEARCHDIR``), and the signature says so:
    ``syn:wordnet3.0`` or ``syn:no``. Of all alignments with the most matches, stage by stage, the
    one with the fewest chunks is taken, where the paper takes the one with the fewest crossings.
    The search for it ends after 50,000 steps with the best found, which happens in long segments
    with many repeated words.

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

    synonyms: bool = True  # False leaves synonyms out even where WordNet is installed

    name: ClassVar[str] = "meteor"
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word of the whole set matches a reference"}
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = ("matches", "chunks", "sys_len", "ref_len")
    settings: ClassVar[str] = "alpha:.9|beta:3|gamma:.5"
    _ignores_case: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """METEOR in points, 0 to 100, of summed statistics: shape (..., 4) -> (...), float64."""
        sums = np.asarray(sums, dtype=np.float64)
        points: np.ndarray = _points(sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3])
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, the stemmer and WordNet with their versions too."""
        stemmer = _stemmer_of(testset)
        stems = f"{stemmer}-snowball{find_version('snowballstemmer')}" if stemmer else "no"
        wordnet = self._wordnet(testset)
        synonyms = f"wordnet{wordnet.version}" if wordnet else "no"
        return f"{super().signature(testset)}|stem:{stems}|syn:{synonyms}"

    def data_digest(self, testset: TestSet) -> str:
        """Digest of the data beside the texts that the counts depend on."""
        wordnet = self._wordnet(testset)
        return wordnet.digest if wordnet else ""

    def _wordnet(self, testset: TestSet) -> WordNet | None:
        """Where synonyms come from, None without them."""
        return find_wordnet() if self.synonyms and _stemmer_of(testset) == "porter" else None

    def _counter(self, testset: TestSet) -> BlockCounter:
        import snowballstemmer

        kernel, n_refs = compiled_late(_count, *_HELPERS), len(testset.references)
        name = _stemmer_of(testset)
        stem_of = functools.cache(
            snowballstemmer.stemmer(name).stemWord if name else str
        )  # most words come back
        wordnet = self._wordnet(testset)
        synsets_of = functools.cache(wordnet.synsets if wordnet else lambda word: ())

        def count(words: WordIds, first: int, stats: np.ndarray) -> None:
            spellings = words.spellings()
            numbers: dict[str, int] = {}
            stems = [numbers.setdefault(stem_of(word), len(numbers)) for word in spellings]
            synsets = [synsets_of(word) for word in spellings]
            ends = np.cumsum([0, *map(len, synsets)])
            kernel(
                words.ids,
                words.begins,
                words.counts,
                n_refs,
                np.array(stems, dtype=np.int64),
                np.array([*itertools.chain(*synsets)], dtype=np.int64),
                ends,
                stats,
            )

        return count


def _stemmer_of(testset: TestSet) -> str | None:
    """The name of Snowball's stemmer for the target language, None without."""
    language = testset.target_language
    return "porter" if language is None else _STEMMERS.get(language_code(language) or "")


# Which words are synonyms, from the files of WordNet where they are installed.

#: Parts of speech and the endings that WordNet's own search takes off words or exchanges (its
#: manual, morphy).
_ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
_USUAL = (
    "/usr/share/wordnet",
    "/usr/local/share/wordnet",
    "/usr/local/WordNet-3.1/dict",
    "/usr/local/WordNet-3.0/dict",
    "/opt/homebrew/opt/wordnet/dict",
)


def find_wordnet() -> WordNet | None:
    """The installed WordNet, None without one: in ``WNSEARCHDIR`` or ``WNHOME/dict`` where these
    are set, else in the usual places. A folder counts if all its files are there and say which
    version they are.
    """
    named = [
        os.environ.get("WNSEARCHDIR"),
        os.environ.get("WNHOME") and os.path.join(os.environ["WNHOME"], "dict"),
    ]
    for folder in [name for name in named if name is not None] or _USUAL:
        if (
            folder
            and all(
                os.path.isfile(os.path.join(folder, f"{kind}.{part}"))
                for part in _ENDINGS
                for kind in ("index", "data")
            )
            and (found := _opened(folder)).version
        ):
            return found
    return None


@functools.cache
def _opened(folder: str) -> WordNet:
    return WordNet(Path(folder))


class WordNet:
    """The words of WordNet and the synsets (sets of synonyms) that each belongs to; `version` is
    empty where its files do not say it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        with open(folder / "data.noun", encoding="utf-8", errors="replace") as file:
            found = re.search(r"WordNet (\d+\.\d+)", file.read(2000))
        self.version = found[1] if found else ""

    @functools.cached_property
    def digest(self) -> str:
        """Digest of the files with the words and their synsets."""
        content = hashlib.blake2b(digest_size=16)
        for path in sorted([*self._folder.glob("index.*"), *self._folder.glob("*.exc")]):
            content.update(path.read_bytes())
        return content.hexdigest()

    def synsets(self, word: str) -> tuple[int, ...]:
        """The synsets of a word, by its base forms: numbers that only serve to be compared."""
        return tuple(
            sorted(
                {
                    synset
                    for part in _ENDINGS
                    for base in self._base_forms(word, part)
                    for synset in self._index[part].get(base, ())
                }
            )
        )

    def _base_forms(self, word: str, part: str) -> set[str]:
        """The word itself, and what is left without its endings or where it is an exception."""
        if word in self._exceptions[part]:
            return {word, *self._exceptions[part][word]}
        return {
            word,
            *(
                word[: len(word) - len(ending)] + other
                for ending, other in _ENDINGS[part]
                if word.endswith(ending)
            ),
        }

    @functools.cached_property
    def _index(self) -> dict[str, dict[str, list[int]]]:
        """{part: {word: its synsets}}.

        A line holds word, part, how many synsets, ..., and these as its last fields.
        """
        index: dict[str, dict[str, list[int]]] = {}
        for number, part in enumerate(_ENDINGS):
            words = index[part] = {}
            for k, fields in self._lines(f"index.{part}"):
                try:
                    words[fields[0]] = [
                        10 * int(synset) + number for synset in fields[-int(fields[2]) :]
                    ]
                except (ValueError, IndexError):
                    raise InputError(
                        f"{self._folder / f'index.{part}'}, line {k}: {' '.join(fields)[:60]!r} is no entry of "
                        "WordNet. Expected a word, its part of speech, the number of its synsets, and at the end "
                        "these. Install WordNet again, or set WNSEARCHDIR to nothing to do without."
                    ) from None
        return index

    @functools.cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        return {
            part: {fields[0]: fields[1:] for _, fields in self._lines(f"{part}.exc")}
            for part in _ENDINGS
        }

    def _lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Number and fields of each line of a file, but of its licence, indented; a list of
        exceptions may lack.
        """
        path = self._folder / name
        if not path.exists():
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            for k, line in enumerate(file, 1):
                if not line.startswith(" ") and (fields := line.split()):
                    yield k, fields


# METEOR's alignment of an output with a reference: as many matches as possible, in as few chunks.
# To be compiled.

# Steps of the search for the alignment with the fewest chunks, after which the best one found is
# taken.
STEPS = 50_000

# Columns of the memory, which holds these numbers for each word or stem; `_alignment` and
# `_network` say what they are.
OVER, SPARE, STEMMED, LEFT_A, LEFT_B, WORD_A, WORD_B, STEM_A, STEM_B = range(9)
# Nodes of the network of synonyms.
SOURCE, SINK = range(2)


def _points(matches: Numbers, chunks: Numbers, sys_len: Numbers, ref_len: Numbers) -> Numbers:
    """100 x 10PR/(R + 9P) x (1 - .5 (chunks/matches)^3); runs on arrays, and compiled on
    numbers.
    """
    mean = 10 * matches / np.maximum(sys_len + 9 * ref_len, 1)
    return 100 * mean * (1 - 0.5 * (chunks / np.maximum(matches, 1)) ** 3)


def _count(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    n_refs: int,
    stems: np.ndarray,
    synsets: np.ndarray,
    ends: np.ndarray,
    stats: np.ndarray,
) -> None:
    """Fill the statistics of a block, shape (systems, segments, 4), the references first in `ids`,
    `begins` and `counts`; the synsets of a word are ``synsets[ends[word]:ends[word + 1]]``.
    """
    memory = np.zeros((stems.size, STEM_B + 1), np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            row = stats[s, seg]
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            best = -1.0
            for r in range(n_refs):
                length = counts[r, seg]
                if length >= 0:
                    reference = ids[begins[r, seg] :][:length]
                    matches, chunks = _alignment(output, reference, stems, synsets, ends, memory)
                    score = _points(matches, chunks, len(output), length)
                    if score > best or (score == best and length < row[3]):
                        best = score
                        row[0], row[1], row[2], row[3] = matches, chunks, len(output), length


def _alignment(
    a: np.ndarray,
    b: np.ndarray,
    stems: np.ndarray,
    synsets: np.ndarray,
    ends: np.ndarray,
    memory: np.ndarray,
) -> tuple[int, int]:
    """Matches and chunks of two texts.

    How many words match, and by what, does not depend on which of them do. By word: those that are
    too many in `a` (`over`) or in `b` (`spare`) to match as they are. By stem: the matches among
    these (`stemmed`), and words left in `a` and `b`, which may match by a synonym.
    """
    over, spare, stemmed = memory[:, OVER], memory[:, SPARE], memory[:, STEMMED]
    left_a, left_b = memory[:, LEFT_A], memory[:, LEFT_B]
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
        more = min(left_a[stem], left_b[stem])
        if more > 0:
            stemmed[stem] = more
            left_a[stem] -= more
            left_b[stem] -= more
            matches += more
    room = _network(a, b, stems, synsets, ends, memory)
    matches += _largest_flow(room)
    joints = _most_joints(a, b, stems, memory, room) if matches > 1 else 0
    for words in (a, b):
        for word in words:
            memory[word] = memory[stems[word]] = 0
    return matches, matches - joints


def _network(
    a: np.ndarray,
    b: np.ndarray,
    stems: np.ndarray,
    synsets: np.ndarray,
    ends: np.ndarray,
    memory: np.ndarray,
) -> np.ndarray:
    """How many matches by synonyms fit between nodes: source - stem - word of `a` - word of `b` -
    stem - sink.

    As many of a stem as are left after matches by stems, and of a word as it is too many. Empty
    without synonyms; else `memory` has the number of each word's and stem's node, 0 for none.
    """
    pairs = np.empty((0 if len(synsets) == 0 else len(a) * len(b), 2), np.int64)
    n_pairs, n_nodes = 0, 2
    if len(pairs) > 0:
        for x in a:
            if memory[x, OVER] > 0 and memory[stems[x], LEFT_A] > 0 and ends[x] < ends[x + 1]:
                for y in b:
                    if (
                        memory[y, SPARE] > 0
                        and memory[stems[y], LEFT_B] > 0
                        and _share(synsets[ends[x] : ends[x + 1]], synsets[ends[y] : ends[y + 1]])
                    ):
                        pairs[n_pairs] = x, y
                        n_pairs += 1
                        for key, column in (
                            (x, WORD_A),
                            (stems[x], STEM_A),
                            (y, WORD_B),
                            (stems[y], STEM_B),
                        ):
                            if memory[key, column] == 0:
                                memory[key, column] = n_nodes
                                n_nodes += 1
    if n_pairs == 0:
        return np.zeros((0, 0), np.int64)
    room = np.zeros((n_nodes, n_nodes), np.int64)
    for x, y in pairs[:n_pairs]:
        room[SOURCE, memory[stems[x], STEM_A]] = memory[stems[x], LEFT_A]
        room[memory[stems[x], STEM_A], memory[x, WORD_A]] = memory[x, OVER]
        room[memory[x, WORD_A], memory[y, WORD_B]] = len(a)
        room[memory[y, WORD_B], memory[stems[y], STEM_B]] = memory[y, SPARE]
        room[memory[stems[y], STEM_B], SINK] = memory[stems[y], LEFT_B]
    return room


def _share(some: np.ndarray, others: np.ndarray) -> bool:
    """Whether two lists have a number in common."""
    for one in some:
        for other in others:
            if one == other:
                return True
    return False


def _largest_flow(room: np.ndarray) -> int:
    """How many matches fit through a network at once, by one shortest path more at a time (Edmonds
    and Karp 1972).
    """
    n, flow = len(room), 0
    if n == 0:
        return flow
    room = room.copy()
    before, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    while True:
        before[:] = -1
        queue[0], first, last = SOURCE, 0, 1
        while first < last and before[SINK] < 0:
            node = queue[first]
            first += 1
            for other in range(1, n):
                if room[node, other] > 0 and before[other] < 0:
                    before[other] = node
                    queue[last] = other
                    last += 1
        if before[SINK] < 0:
            return flow
        flow += 1
        node = SINK
        while node != SOURCE:
            room[before[node], node] -= 1
            room[node, before[node]] += 1
            node = before[node]


def _may_match(x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray) -> bool:
    """Whether a word of `a` may match another of `b`, as things stand, and leave as many matches as
    possible.
    """
    if memory[x, OVER] == 0 or memory[y, SPARE] == 0:
        return False
    by_stem = stems[x] == stems[y]
    if by_stem:
        if memory[stems[x], STEMMED] == 0:
            return False
        if len(room) == 0 or (memory[x, WORD_A] == 0 and memory[y, WORD_B] == 0):
            return True
    elif (
        len(room) == 0
        or memory[x, WORD_A] == 0
        or memory[y, WORD_B] == 0
        or (
            room[memory[x, WORD_A], memory[y, WORD_B]] == 0
            or room[SOURCE, memory[stems[x], STEM_A]] == 0
            or room[memory[stems[y], STEM_B], SINK] == 0
        )
    ):
        return False
    most = _largest_flow(room)
    _take(x, y, stems, memory, room, -1)
    rest = _largest_flow(room)
    _take(x, y, stems, memory, room, 1)
    return rest == most - (0 if by_stem else 1)


def _take(
    x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray, change: int
) -> None:
    """Count a match of two different words as made (-1) or as taken back (1)."""
    memory[x, OVER] += change
    memory[y, SPARE] += change
    if memory[x, WORD_A] > 0:
        room[memory[stems[x], STEM_A], memory[x, WORD_A]] += change
    if memory[y, WORD_B] > 0:
        room[memory[y, WORD_B], memory[stems[y], STEM_B]] += change
    if stems[x] == stems[y]:
        memory[stems[x], STEMMED] += change
    else:
        room[SOURCE, memory[stems[x], STEM_A]] += change
        room[memory[stems[y], STEM_B], SINK] += change


def _candidates(
    a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray, room: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The words of `b` that each word of `a` may match, in order: to[first[i]:first[i + 1]]."""
    first = np.zeros(len(a) + 2, np.int64)
    to = np.empty(0, np.int64)
    for fill in range(2):
        size = 0
        for i in range(len(a)):
            first[i] = size
            for j in range(len(b)):
                if a[i] == b[j] or _may_match(a[i], b[j], stems, memory, room):
                    if fill:
                        to[size] = j
                    size += 1
        first[len(a) :] = size
        if not fill:
            to = np.empty(size, np.int64)
    return first, to


def _bound_joints(
    first: np.ndarray, to: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The match that goes on from each, and bounds of the joints after each match and from each
    word of `a` on.
    """
    onward = np.full(
        len(to), -1, np.int64
    )  # the match of the next two words, -1 if they do not match
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
    return onward, after, free


def _most_joints(
    a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray, room: np.ndarray
) -> int:
    """The most joints that an alignment can have: two words of `a` in a row that match two of `b`
    in a row.

    Only matches with a joint have to be chosen, word by word of `a`; the other words can still be
    matched as often as they should. A branch is left where even an alignment that may use words of
    `b` twice is no better than the best one found.
    """
    n = len(a)
    first, to = _candidates(a, b, stems, memory, room)
    onward, after, free = _bound_joints(first, to, n)
    used = np.zeros(len(b), np.bool_)
    choice = np.full(n + 1, -1, np.int64)  # the match of each word, -1 for none
    tried = np.full(
        n + 1, -1, np.int64
    )  # -1: nothing yet; then to go on; to begin at each match; to match nothing
    joints = np.zeros(n + 1, np.int64)  # up to each word
    best, steps, i = -1, 0, 0
    while i >= 0 and best < free[0] and (steps < STEPS or best < 0):
        steps += 1
        if i == n:
            best = max(best, joints[n])
        goes_on = onward[choice[i - 1]] if i > 0 and choice[i - 1] >= 0 else -1
        begun = (
            i > 0 and choice[i - 1] >= 0 and joints[i] == joints[i - 1]
        )  # a match that needs a joint to follow
        found = False
        while i < n and not found and tried[i] <= first[i + 1] - first[i]:
            tried[i] += 1
            p, gain = -1, 0
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
                found = not used[to[p]] and (
                    a[i] == b[to[p]] or _may_match(a[i], b[to[p]], stems, memory, room)
                )
            if found:
                choice[i], joints[i + 1] = p, joints[i] + gain
        if not found:
            tried[i] = -1
            i -= 1
        if i >= 0 and choice[i] >= 0:  # take this match, or take it back
            used[to[choice[i]]] = found
            if a[i] != b[to[choice[i]]]:
                _take(a[i], b[to[choice[i]]], stems, memory, room, -1 if found else 1)
        if found:
            i += 1
    return best


#: What `_count` calls, callees last.
_HELPERS = (
    _alignment,
    _points,
    _most_joints,
    _bound_joints,
    _candidates,
    _may_match,
    _take,
    _network,
    _largest_flow,
    _share,
)
