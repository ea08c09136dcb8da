"""METEOR as first published (Banerjee and Lavie 2005)."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from mtsig_core.errors import InputError
from mtsig_core.languages import language_code
from mtsig_core.metrics.counting import BlockCounter, Numbers, WordIds, WordMetric, compiled_late
from mtsig_core.metrics.protocol import split_sums
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
    """METEOR (Banerjee and Lavie 2005): 10PR/(R+9P) x (1 - .5 (chunks/matches)^3).

    Words match first as they are, then the remaining words by stems, then by synonyms, each word
    once and as many as possible. P and R are the matches per word of the output and of the
    reference. Chunks are the fewest runs that are adjacent and in the same order in both. The
    corpus score is the score of summed matches, chunks and lengths. Of several references the one
    with the best score counts in each segment.

    Case is ignored, as in the original program, and punctuation marks are words. Stems are Porter's
    for English and for an unknown target language, Snowball's for other European languages (as in
    Lavie and Agarwal 2007), and none elsewhere. Synonyms share a synset of WordNet, by their base
    forms. They count where Porter's stemmer does and WordNet's files are installed (Debian's
    ``wordnet-base``, or a folder named by ``WNSEARCHDIR``). The signature has ``syn:wordnet3.0`` or
    ``syn:no``. Of all alignments with the most matches, stage by stage, the one with the fewest
    chunks counts, where the paper takes the one with the fewest crossings. The search ends after
    50,000 steps with the best alignment until then, which happens in long segments with many
    repeated words.

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
        points: np.ndarray = _points(*split_sums(sums))
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, and the versions of the stemmer and of WordNet."""
        stems = "no"
        stemmer = _choose_stemmer(testset)
        if stemmer is not None:
            stems = f"{stemmer}-snowball{find_version('snowballstemmer')}"
        synonyms = "no"
        wordnet = self._wordnet(testset)
        if wordnet is not None:
            synonyms = f"wordnet{wordnet.version}"
        return f"{super().signature(testset)}|stem:{stems}|syn:{synonyms}"

    def data_digest(self, testset: TestSet) -> str:
        """Digest of the data, other than texts, that the counts depend on."""
        wordnet = self._wordnet(testset)
        return "" if wordnet is None else wordnet.digest

    def _wordnet(self, testset: TestSet) -> WordNet | None:
        """Where synonyms come from, None without them."""
        if self.synonyms and _choose_stemmer(testset) == "porter":
            return find_wordnet()
        return None

    def _counter(self, testset: TestSet) -> BlockCounter:
        import snowballstemmer

        kernel = compiled_late(_count, *_HELPERS)
        n_refs = len(testset.references)
        stem: Callable[[str], str] = str
        stemmer = _choose_stemmer(testset)
        if stemmer is not None:
            stem = functools.cache(snowballstemmer.stemmer(stemmer).stemWord)  # words come back
        wordnet = self._wordnet(testset)
        find_synsets = None if wordnet is None else functools.cache(wordnet.synsets)

        def count(words: WordIds, _: int, stats: np.ndarray) -> None:
            spellings = words.spellings()
            stem_numbers: dict[str, int] = {}
            stems = [stem_numbers.setdefault(stem(word), len(stem_numbers)) for word in spellings]
            synsets: list[int] = []
            synset_bounds = [0]
            for spelling in spellings:
                if find_synsets is not None:
                    synsets += find_synsets(spelling)
                synset_bounds.append(len(synsets))
            kinds = (
                np.array(stems, dtype=np.int64),
                np.array(synsets, dtype=np.int64),
                np.array(synset_bounds),
            )
            kernel(words.ids, words.begins, words.counts, n_refs, kinds, stats)

        return count


def _choose_stemmer(testset: TestSet) -> str | None:
    """The name of Snowball's stemmer for the target language, None where it has none."""
    language = testset.target_language
    if language is None:
        return "porter"
    return _STEMMERS.get(language_code(language) or "")


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
    """The installed WordNet, None without one.

    It is in ``WNSEARCHDIR`` or ``WNHOME/dict`` where these are set, else in the usual folders. A
    folder counts if all its files are there and name their version.
    """
    folders = []
    if "WNSEARCHDIR" in os.environ:
        folders.append(os.environ["WNSEARCHDIR"])
    if os.environ.get("WNHOME"):
        folders.append(os.path.join(os.environ["WNHOME"], "dict"))
    for folder in folders or _USUAL:
        if folder and _has_wordnet(Path(folder)):
            wordnet = _open_wordnet(folder)
            if wordnet.version:
                return wordnet
    return None


def _has_wordnet(folder: Path) -> bool:
    for category in _ENDINGS:
        for kind in ("index", "data"):
            if not (folder / f"{kind}.{category}").is_file():
                return False
    return True


@functools.cache
def _open_wordnet(folder: str) -> WordNet:
    return WordNet(Path(folder))


class WordNet:
    """The words of WordNet and the synsets (sets of synonyms) that each belongs to.

    `version` is empty where its files do not name it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        with open(folder / "data.noun", encoding="utf-8", errors="replace") as file:
            match = re.search(r"WordNet (\d+\.\d+)", file.read(2000))
        self.version = match[1] if match else ""

    @functools.cached_property
    def digest(self) -> str:
        """Digest of the files with the words and their synsets."""
        content = hashlib.blake2b(digest_size=16)
        for path in sorted([*self._folder.glob("index.*"), *self._folder.glob("*.exc")]):
            content.update(path.read_bytes())
        return content.hexdigest()

    def synsets(self, word: str) -> tuple[int, ...]:
        """The synsets of a word, by its base forms: numbers that only serve to be compared."""
        synsets: set[int] = set()
        for category, index in self._index.items():
            for base in self._base_forms(word, category):
                synsets.update(index.get(base, ()))
        return tuple(sorted(synsets))

    def _base_forms(self, word: str, category: str) -> set[str]:
        """The word itself, and the word without its endings, or its exceptions."""
        exceptions = self._exceptions[category]
        if word in exceptions:
            return {word, *exceptions[word]}
        forms = {word}
        for ending, replacement in _ENDINGS[category]:
            if word.endswith(ending):
                forms.add(word.removesuffix(ending) + replacement)
        return forms

    @functools.cached_property
    def _index(self) -> dict[str, dict[str, list[int]]]:
        """{part of speech: {word: its synsets}}.

        A line has the word, its part of speech, the number of its synsets, ..., and these last.
        """
        index: dict[str, dict[str, list[int]]] = {}
        for number, category in enumerate(_ENDINGS):
            index[category] = {}
            for k, fields in self._lines(f"index.{category}"):
                try:
                    synsets = [int(synset) for synset in fields[-int(fields[2]) :]]
                except (ValueError, IndexError):
                    raise InputError(
                        f"{self._folder / f'index.{category}'}, line {k}: {' '.join(fields)[:60]!r} is "
                        "no entry of WordNet. Expected a word, its part of speech, the number of "
                        "its synsets, and at the end these. Install WordNet again, or set "
                        "WNSEARCHDIR to nothing to do without."
                    ) from None
                index[category][fields[0]] = [10 * synset + number for synset in synsets]
        return index

    @functools.cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        """{part of speech: {word: its base forms}}."""
        exceptions: dict[str, dict[str, list[str]]] = {}
        for category in _ENDINGS:
            exceptions[category] = {}
            for _, (word, *bases) in self._lines(f"{category}.exc"):
                exceptions[category][word] = bases
        return exceptions

    def _lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Number and fields of each line of a file, except its licence, which is indented.

        A list of exceptions may be missing.
        """
        path = self._folder / name
        if not path.exists():
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            for k, line in enumerate(file, 1):
                fields = line.split()
                if fields and not line.startswith(" "):
                    yield k, fields


# METEOR's alignment of an output with a reference: as many matches as possible, in as few chunks.
# To be compiled.

# Steps of the search for the alignment with the fewest chunks, after which the best one found is
# taken.
STEPS = 50_000

# Columns of the memory, which holds these numbers for each word or stem. By word: how often it is
# too often in `a` or in `b` to match as it is. By stem: the matches among these, and the words left
# in `a` and in `b`, which may match by a synonym. The last four: number of a node, 0 for none.
OVER_A, OVER_B, STEMMED, LEFT_A, LEFT_B, WORD_A, WORD_B, STEM_A, STEM_B = range(9)
# Nodes of the network of synonyms.
SOURCE, SINK = range(2)

# The data that decide whether words are alike: the stem of each word, the synsets of all words, and
# their bounds. A word has the synsets synsets[synset_bounds[word]:synset_bounds[word + 1]].
Kinds = tuple[np.ndarray, np.ndarray, np.ndarray]


def _points(matches: Numbers, chunks: Numbers, sys_len: Numbers, ref_len: Numbers) -> Numbers:
    """100 x 10PR/(R + 9P) x (1 - .5 (chunks/matches)^3), of arrays, and compiled of numbers."""
    mean = 10 * matches / np.maximum(sys_len + 9 * ref_len, 1)
    penalty = 0.5 * (chunks / np.maximum(matches, 1)) ** 3
    return 100 * mean * (1 - penalty)


def _count(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    n_refs: int,
    kinds: Kinds,
    stats: np.ndarray,
) -> None:
    """Fill the statistics of a block, shape (systems, segments, 4); references come first."""
    memory = np.zeros((kinds[0].size, STEM_B + 1), np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            row = stats[s, seg]
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            best = -1.0
            for r in range(n_refs):
                length = counts[r, seg]
                if length < 0:
                    continue
                reference = ids[begins[r, seg] :][:length]
                matches, chunks = _align(output, reference, kinds, memory)
                score = _points(matches, chunks, len(output), length)
                if score > best or (score == best and length < row[3]):
                    best = score
                    row[0] = matches
                    row[1] = chunks
                    row[2] = len(output)
                    row[3] = length


def _align(a: np.ndarray, b: np.ndarray, kinds: Kinds, memory: np.ndarray) -> tuple[int, int]:
    """Matches and chunks of two texts.

    How many words match, and by what, does not depend on which of them do.
    """
    stems = kinds[0]
    over_a = memory[:, OVER_A]
    over_b = memory[:, OVER_B]
    stemmed = memory[:, STEMMED]
    left_a = memory[:, LEFT_A]
    left_b = memory[:, LEFT_B]
    n_matches = 0
    for word in a:
        over_a[word] += 1
        left_a[stems[word]] += 1
    for word in b:
        if over_a[word] > 0:
            over_a[word] -= 1
            left_a[stems[word]] -= 1
            n_matches += 1
        else:
            over_b[word] += 1
            left_b[stems[word]] += 1
    for word in a:
        stem = stems[word]
        n_by_stem = min(left_a[stem], left_b[stem])
        if n_by_stem > 0:
            stemmed[stem] = n_by_stem
            left_a[stem] -= n_by_stem
            left_b[stem] -= n_by_stem
            n_matches += n_by_stem
    room = _make_network(a, b, kinds, memory)
    n_matches += _largest_flow(room)
    n_joints = 0
    if n_matches > 1:
        n_joints = _most_joints(a, b, stems, memory, room)
    for words in (a, b):
        for word in words:
            memory[word] = 0
            memory[stems[word]] = 0
    return n_matches, n_matches - n_joints


def _make_network(a: np.ndarray, b: np.ndarray, kinds: Kinds, memory: np.ndarray) -> np.ndarray:
    """How many matches by synonyms fit between nodes, shape (nodes, nodes).

    The nodes are source - stem - word of `a` - word of `b` - stem - sink. As many matches of a stem
    fit as are left after matches by stems, and of a word as it is too many. Without synonyms there
    are no nodes; else `memory` has the number of each word's and stem's node.
    """
    stems = kinds[0]
    pairs = _list_synonyms(a, b, kinds, memory)
    n_nodes = 2
    for x, y in pairs:
        for key, column in ((x, WORD_A), (stems[x], STEM_A), (y, WORD_B), (stems[y], STEM_B)):
            if memory[key, column] == 0:
                memory[key, column] = n_nodes
                n_nodes += 1
    if n_nodes == 2:
        return np.zeros((0, 0), np.int64)
    room = np.zeros((n_nodes, n_nodes), np.int64)
    for x, y in pairs:
        word_a = memory[x, WORD_A]
        word_b = memory[y, WORD_B]
        stem_a = memory[stems[x], STEM_A]
        stem_b = memory[stems[y], STEM_B]
        room[SOURCE, stem_a] = memory[stems[x], LEFT_A]
        room[stem_a, word_a] = memory[x, OVER_A]
        room[word_a, word_b] = len(a)
        room[word_b, stem_b] = memory[y, OVER_B]
        room[stem_b, SINK] = memory[stems[y], LEFT_B]
    return room


def _list_synonyms(a: np.ndarray, b: np.ndarray, kinds: Kinds, memory: np.ndarray) -> np.ndarray:
    """The pairs of words, of `a` and of `b`, that may match by a synonym, shape (pairs, 2)."""
    stems, synsets, synset_bounds = kinds
    if len(synsets) == 0:
        return np.empty((0, 2), np.int64)
    pairs = np.empty((len(a) * len(b), 2), np.int64)
    n_pairs = 0
    for x in a:
        synsets_of_x = synsets[synset_bounds[x] : synset_bounds[x + 1]]
        if memory[x, OVER_A] == 0 or memory[stems[x], LEFT_A] == 0 or synsets_of_x.size == 0:
            continue
        for y in b:
            if memory[y, OVER_B] == 0 or memory[stems[y], LEFT_B] == 0:
                continue
            if _share(synsets_of_x, synsets[synset_bounds[y] : synset_bounds[y + 1]]):
                pairs[n_pairs, 0] = x
                pairs[n_pairs, 1] = y
                n_pairs += 1
    return pairs[:n_pairs]


def _share(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two lists have a number in common."""
    for number in first:
        for other in second:
            if number == other:
                return True
    return False


def _largest_flow(room: np.ndarray) -> int:
    """How many matches fit through a network at once.

    Each step adds one shortest path (Edmonds and Karp 1972).
    """
    n_nodes = len(room)
    flow = 0
    if n_nodes == 0:
        return flow
    room = room.copy()
    before = np.empty(n_nodes, np.int64)
    queue = np.empty(n_nodes, np.int64)
    while True:
        before[:] = -1
        queue[0] = SOURCE
        first = 0
        end = 1
        while first < end and before[SINK] < 0:
            node = queue[first]
            first += 1
            for other in range(1, n_nodes):
                if room[node, other] > 0 and before[other] < 0:
                    before[other] = node
                    queue[end] = other
                    end += 1
        if before[SINK] < 0:
            return flow
        flow += 1
        node = SINK
        while node != SOURCE:
            room[before[node], node] -= 1
            room[node, before[node]] += 1
            node = before[node]


def _may_match(x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray) -> bool:
    """Whether a word of `a` may match another word of `b`.

    With the matches made so far, as many matches as possible must remain.
    """
    if memory[x, OVER_A] == 0 or memory[y, OVER_B] == 0:
        return False
    has_network = len(room) > 0
    word_a = memory[x, WORD_A]
    word_b = memory[y, WORD_B]
    is_by_stem = stems[x] == stems[y]
    if is_by_stem:
        if memory[stems[x], STEMMED] == 0:
            return False
        if not has_network or (word_a == 0 and word_b == 0):
            return True
    else:
        if not has_network or word_a == 0 or word_b == 0 or room[word_a, word_b] == 0:
            return False
        stem_a = memory[stems[x], STEM_A]
        stem_b = memory[stems[y], STEM_B]
        if room[SOURCE, stem_a] == 0 or room[stem_b, SINK] == 0:
            return False
    flow = _largest_flow(room)
    _take(x, y, stems, memory, room, -1)
    flow_after = _largest_flow(room)
    _take(x, y, stems, memory, room, 1)
    if is_by_stem:
        return flow_after == flow
    return flow_after == flow - 1


def _take(
    x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray, change: int
) -> None:
    """Count a match of two different words as made (-1) or as taken back (1)."""
    word_a = memory[x, WORD_A]
    word_b = memory[y, WORD_B]
    stem_a = memory[stems[x], STEM_A]
    stem_b = memory[stems[y], STEM_B]
    memory[x, OVER_A] += change
    memory[y, OVER_B] += change
    if word_a > 0:
        room[stem_a, word_a] += change
    if word_b > 0:
        room[word_b, stem_b] += change
    if stems[x] == stems[y]:
        memory[stems[x], STEMMED] += change
    else:
        room[SOURCE, stem_a] += change
        room[stem_b, SINK] += change


def _list_candidates(
    a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray, room: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The words of `b` that each word of `a` may match, in order: to[first[i]:first[i + 1]]."""
    may_match = np.empty((len(a), len(b)), np.bool_)
    n_candidates = 0
    for i in range(len(a)):
        for j in range(len(b)):
            may_match[i, j] = a[i] == b[j] or _may_match(a[i], b[j], stems, memory, room)
            n_candidates += may_match[i, j]
    first = np.full(len(a) + 2, n_candidates, np.int64)
    to = np.empty(n_candidates, np.int64)
    n_listed = 0
    for i in range(len(a)):
        first[i] = n_listed
        for j in range(len(b)):
            if may_match[i, j]:
                to[n_listed] = j
                n_listed += 1
    return first, to


def _bound_joints(
    first: np.ndarray, to: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The match that goes on from each match, and two bounds of the joints that can follow.

    `onward`: the match of the next two words, -1 if they do not match. `after`: the bound after
    word i if it has this match. `free`: the bound from word i on if the word before has no match.
    """
    onward = np.full(len(to), -1, np.int64)
    after = np.zeros(len(to), np.int64)
    free = np.zeros(n + 1, np.int64)
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


def _most_joints(  # noqa: C901, PLR0912, PLR0914, PLR0915  one loop with its state, as compiled code has it
    a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray, room: np.ndarray
) -> int:
    """The most joints of an alignment.

    A joint is two words of `a` in a row that match two words of `b` in a row. Only matches with a
    joint are chosen, word by word of `a`; the other words can still be matched as often as they
    should. A branch is left where even an alignment that may use words of `b` twice is no better
    than the best one until then.
    """
    n = len(a)
    first, to = _list_candidates(a, b, stems, memory, room)
    onward, after, free = _bound_joints(first, to, n)
    is_used = np.zeros(len(b), np.bool_)
    choice = np.full(n + 1, -1, np.int64)  # the match of each word, -1 for none
    # How much was tried at each word. -1: nothing; 0: to go on from the match before; then to begin
    # at each match; and last to match nothing.
    tried = np.full(n + 1, -1, np.int64)
    joints = np.zeros(n + 1, np.int64)  # up to each word
    best = -1
    n_steps = 0
    i = 0
    while i >= 0 and best < free[0] and (n_steps < STEPS or best < 0):
        n_steps += 1
        if i == n:
            best = max(best, joints[n])
        goes_on = -1
        needs_joint = False  # whether the match before begins a run, which a joint must follow
        if i > 0 and choice[i - 1] >= 0:
            goes_on = onward[choice[i - 1]]
            needs_joint = joints[i] == joints[i - 1]
        n_options = first[i + 1] - first[i] if i < n else -2
        is_chosen = False
        while not is_chosen and tried[i] <= n_options:
            tried[i] += 1
            match = -1
            gain = 0
            if tried[i] == 0:
                match = goes_on
                gain = 1
                is_chosen = match >= 0 and joints[i] + 1 + after[match] > best
            elif needs_joint:
                tried[i] = n + len(b)
            elif tried[i] <= n_options:
                match = first[i] + tried[i] - 1
                following = onward[match]
                can_gain = following >= 0 and joints[i] + 1 + after[following] > best
                is_chosen = can_gain and match != goes_on
            else:
                is_chosen = joints[i] + free[i + 1] > best
            if is_chosen and match >= 0:
                word = b[to[match]]
                is_chosen = not is_used[to[match]]
                if is_chosen and a[i] != word:
                    is_chosen = _may_match(a[i], word, stems, memory, room)
            if is_chosen:
                choice[i] = match
                joints[i + 1] = joints[i] + gain
        if not is_chosen:
            tried[i] = -1
            i -= 1
        if i >= 0 and choice[i] >= 0:  # take this match, or take it back
            place = to[choice[i]]
            is_used[place] = is_chosen
            if a[i] != b[place]:
                _take(a[i], b[place], stems, memory, room, -1 if is_chosen else 1)
        if is_chosen:
            i += 1
    return best


#: What `_count` calls, callees last.
_HELPERS = (
    _align,
    _points,
    _most_joints,
    _bound_joints,
    _list_candidates,
    _may_match,
    _take,
    _make_network,
    _list_synonyms,
    _largest_flow,
    _share,
)
