"""The grammar behind the simulated corpus: from ``demo.words.txt`` to all sentences at once.

A sentence starts as one rule, which is rewritten until only meanings are left. A meaning has one or
more interchangeable words. Texts stay arrays of numbers until the last step, so that a million
words take a fraction of a second.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

WORD_FILE = Path(__file__).with_name("demo.words.txt")
MOST_CLAUSES = 4
_SPOKEN_WITH_Y = ("useful", "uni")  # a useful map, a unit
_GOLDEN = 0.618  # multiples of it spread evenly over [0, 1)


class Tokens(NamedTuple):
    """Numbers of meanings or words, and the segment of each, in the order of the text."""

    ids: np.ndarray
    segment: np.ndarray


@dataclass(frozen=True, eq=False)
class Grammar:
    """Rules, meanings and words as tables.

    A symbol is the number of a meaning, or ~r for rule r.
    """

    topics: tuple[str, ...]
    words: tuple[str, ...]
    start: np.ndarray  # the rule of a sentence of 1, 2, ... clauses
    rule_first: np.ndarray  # the alternatives of a rule have consecutive numbers
    rule_size: np.ndarray
    optional: np.ndarray  # whether a rule may be left out
    words_alone: np.ndarray  # whether it has no rule in its alternatives
    favours: np.ndarray  # whether each document has a favourite alternative
    takes_turns: np.ndarray  # whether a sentence uses all alternatives before it repeats one
    chance: np.ndarray  # rule number plus cumulative probability, to be searched
    body: np.ndarray  # the symbols of all alternatives
    body_first: np.ndarray  # where the symbols of each alternative begin, and how many they are
    body_size: np.ndarray
    spelling: np.ndarray  # the word numbers of all meanings, the usual word first
    meaning_first: np.ndarray  # where the words of each meaning begin, and how many they are
    meaning_size: np.ndarray
    listed: np.ndarray  # the meanings, list by list
    list_first: np.ndarray  # for each meaning where its list begins, its size, and its place there
    list_size: np.ndarray
    place: np.ndarray
    is_adjective: np.ndarray
    is_noun: np.ndarray
    is_comma: np.ndarray

    # -- meanings

    def write(
        self,
        topic: np.ndarray,
        n_clauses: np.ndarray,
        fullness: np.ndarray,
        favourite: np.ndarray,
        stream: Callable[[str], np.random.Generator],
    ) -> Tokens:
        """The meanings of one sentence for each segment, without its full stop.

        `topic`, `n_clauses`: ndarray of int, shape (segments,); `fullness`: shape (segments,),
        probability of saying what may be left out; `favourite`: shape (segments,), in [0, 1), the
        same throughout a document: which places, people and things it is about; `stream`: name ->
        generator. Each round of rewriting has its own, so that more segments never change earlier
        ones.
        """
        start = self.start[topic, n_clauses - 1]
        text = Tokens(~start, np.arange(len(topic)))
        stride = 1 + (stream("strides").random(len(topic)) < 0.5)
        depth = 0
        while True:
            places = np.flatnonzero(text.ids < 0)
            if len(places) == 0:
                return text
            # Words are chosen last, when it is known how many of a kind each sentence needs.
            is_phrase = ~self.words_alone[~text.ids[places]]
            purpose = "words"
            if is_phrase.any():
                places = places[is_phrase]
                purpose = f"phrases {depth}"
            rule = ~text.ids[places]
            segment = text.segment[places]
            draw = stream(purpose).random(len(places))
            size = self.rule_size[rule]
            alternative = np.searchsorted(self.chance, rule + draw, side="right")
            choice = alternative - self.rule_first[rule]
            # A document's favourite is the alternative from which its choices are counted.
            share = (favourite[segment] + _GOLDEN * rule) % 1
            favourite_choice = np.floor(share * size).astype(int)
            choice += favourite_choice * self.favours[rule]
            by_turns = _by_turns(choice, rule, segment, stride)
            takes_turns = self.takes_turns[rule]
            choice = np.where(takes_turns, by_turns, choice) % size
            is_present = draw < fullness[segment]
            is_optional = self.optional[rule]
            choice = np.where(is_optional, is_present, choice)
            alternative = self.rule_first[rule] + choice
            text = self._rewrite(text, places, alternative)
            depth += 1

    def _rewrite(self, text: Tokens, places: np.ndarray, alternative: np.ndarray) -> Tokens:
        """Replace the symbols at these places by the bodies of these alternatives."""
        size = np.ones(len(text.ids), dtype=int)
        size[places] = self.body_size[alternative]
        first = np.full(len(text.ids), -1)
        first[places] = self.body_first[alternative]
        source, place = ragged(size)
        is_kept = first[source] < 0
        rewritten = self.body[first[source] + place]
        symbols = np.where(is_kept, text.ids[source], rewritten)
        return Tokens(symbols, text.segment[source])

    def mistaken(self, meanings: np.ndarray, draw: np.ndarray) -> np.ndarray:
        """Another meaning of the same list for each, its own where the list has no other."""
        size = self.list_size[meanings]
        step = np.floor(draw * (size - 1)).astype(int)
        place = (self.place[meanings] + 1 + step) % size
        first = self.list_first[meanings]
        mistaken: np.ndarray = self.listed[first + place]
        return mistaken

    # -- words

    def spell(self, text: Tokens, usual: float, draw: np.ndarray) -> Tokens:
        """A word for each meaning, and a or an as the next word needs.

        The usual word has probability `usual`; else it is one of the others.
        """
        n_others = self.meaning_size[text.ids] - 1
        share = np.maximum(draw - usual, 0) / (1 - usual)
        number = 1 + np.floor(share * n_others).astype(int)
        is_usual = (draw < usual) | (n_others == 0)
        number[is_usual] = 0
        words = self.spelling[self.meaning_first[text.ids] + number]
        a = self.words.index("a")
        an = self.words.index("an")
        goes_on = text.segment[1:] == text.segment[:-1]
        is_article = words[:-1] == a
        is_before_vowel = self._takes_an[words[1:]]
        needs_an = is_article & goes_on & is_before_vowel
        words[:-1][needs_an] = an
        return Tokens(words, text.segment)

    @functools.cached_property
    def _takes_an(self) -> np.ndarray:
        return np.array([_begins_with_vowel(word) for word in self.words])


def _begins_with_vowel(word: str) -> bool:
    return word[0] in "aeiouAEIOU" and not word.startswith(_SPOKEN_WITH_Y)


def sentences(words: Sequence[str], text: Tokens) -> list[str]:
    """Plain text of numbers of words: capital letter, commas attached, full stop.

    No segment may be empty.

    >>> sentences(["rain", ",", "storm"], Tokens(np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])))
    ['Rain, storm.', 'Storm.']
    """
    inside = [word if word == "," else f" {word}" for word in words]
    first = [f".\n{word[0].upper()}{word[1:]}" for word in words]
    is_next = text.segment[1:] != text.segment[:-1]
    begins = np.append(True, is_next)
    forms = np.array([inside, first], dtype=object)
    pieces = forms[begins.astype(int), text.ids]
    joined = "".join(pieces.tolist())
    joined = joined.removeprefix(".\n")
    return f"{joined}.".split("\n")


def ragged(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The row of each element, and its place in the row, for rows of these sizes.

    >>> [numbers.tolist() for numbers in ragged(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    row = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(sizes) - sizes
    return row, np.arange(len(row)) - first[row]


def _by_turns(
    choice: np.ndarray, rule: np.ndarray, segment: np.ndarray, stride: np.ndarray
) -> np.ndarray:
    """In each sentence the first use of a rule decides, further ones go on from there."""
    key = segment * (rule.max() + 1) + rule
    order = np.argsort(key, kind="stable")
    firsts = np.flatnonzero(np.diff(key[order], prepend=-1))
    group, use = ragged(np.diff(firsts, append=len(key)))
    result = np.empty_like(choice)
    first_choice = choice[order[firsts]]
    further = use * stride[segment[order]]
    result[order] = first_choice[group] + further
    return result


# -- reading the word file ------------------------------------------------------------------------

_Alternative = tuple[list[str], int]  # symbols, weight
_Rules = dict[str, list[_Alternative]]
#: A list of words: the kind of a small word, or topic and rule.
_WordList = str | tuple[str, str]


@functools.cache
def load_grammar() -> Grammar:
    """The grammar of the word file."""
    sections = _read_sections(WORD_FILE.read_text(encoding="utf-8"))
    small_words = _read_rules(sections.pop("small words"))
    phrases = _read_rules(sections.pop("phrases"))
    common = _read_rules(sections.pop("all topics"))
    kind_of_word = {}
    for kind, alternatives in small_words.items():
        for (word,), _ in alternatives:
            kind_of_word[word] = kind
    tables = _Tables(kind_of_word)
    for title, lines in sections.items():
        tables.add(title.removeprefix("topic: "), common | _read_topic(lines, phrases))
    return tables.make_grammar()


def _read_sections(text: str) -> dict[str, list[str]]:
    """Title -> lines, without comments, each rule in one line."""
    text = re.sub(r"(?m)^#.*\n", "", text)
    text = re.sub(r"\n +", " ", text)
    _, *pieces = re.split(r"(?m)^== (.*)\n", text)
    titles = pieces[::2]
    bodies = pieces[1::2]
    sections = {}
    for title, body in zip(titles, bodies, strict=True):
        sections[title] = body.split("\n")
    return sections


def _read_alternatives(text: str) -> list[_Alternative]:
    """``a B, c *2`` -> [(["a", "B"], 1), (["c"], 2)]."""
    alternatives = []
    for alternative in text.split(","):
        symbols, _, weight = alternative.partition("*")
        symbols = symbols.replace("~", "??ADVERB")
        n_times = int(weight or 1)
        alternatives.append((symbols.split(), n_times))
    return alternatives


def _read_rules(lines: Iterable[str]) -> _Rules:
    """Lines ``name: alternatives`` -> name -> alternatives."""
    rules = {}
    for line in lines:
        if line:
            name, _, text = line.partition(":")
            rules[name] = _read_alternatives(text)
    return rules


def _read_topic(lines: Sequence[str], phrases: _Rules) -> _Rules:
    """The rules of a topic: its events, and three rules for each group of nouns."""
    rules: _Rules = {"event": []}
    for line in lines:
        if line.startswith("- "):
            for symbols, _ in _read_alternatives(line[2:]):
                rules["event"].append((symbols, 1))
        group = re.fullmatch(r"(\w+) (\w+) \((.*)\): (.*)", line)
        if group is None:
            continue
        kind, name, adjectives, nouns = group.groups()
        adjective = f"{name}.adjective"
        noun = f"{name}.noun"
        rules[adjective] = _read_alternatives(adjectives)
        rules[noun] = _read_alternatives(nouns)
        own_symbols = {"?ADJECTIVE": f"?{adjective.upper()}", "NOUN": noun.upper()}
        rules[name] = []
        for symbols, weight in phrases[kind]:
            renamed = [own_symbols.get(symbol, symbol) for symbol in symbols]
            rules[name].append((renamed, weight))
    return rules


@dataclass
class _Tables:
    """Collects the tables of a `Grammar`."""

    kind_of_word: dict[str, str]  # of small words
    topics: list[str] = field(default_factory=list)
    start: list[list[int]] = field(default_factory=list)
    #: (topic, name) -> number.
    rules: dict[tuple[str, str], int] = field(default_factory=dict)
    #: (list, words) -> number.
    meanings: dict[tuple[_WordList, str], int] = field(default_factory=dict)
    #: Of each rule: (symbols, weight).
    alternatives: list[list[tuple[list[int], int]]] = field(default_factory=list)

    def add(self, topic: str, rules: _Rules) -> None:
        """Number the rules that the sentences of a topic need, and translate their alternatives."""
        self.topics.append(topic)
        start = []
        for n_clauses in range(1, MOST_CLAUSES + 1):
            rule = self._number_rule(topic, f"sentence{n_clauses}")
            start.append(rule)
        self.start.append(start)
        while len(self.alternatives) < len(self.rules):
            _, name = list(self.rules)[len(self.alternatives)]
            if name.startswith("?"):  # may be left out
                symbol = name[1:].upper()
                bodies: list[_Alternative] = [([], 1), ([symbol], 1)]
            else:
                bodies = rules[name]
            alternatives = []
            for body, weight in bodies:
                numbers = [self._number_symbol(topic, name, symbol) for symbol in body]
                alternatives.append((numbers, weight))
            self.alternatives.append(alternatives)

    def _number_rule(self, topic: str, name: str) -> int:
        return self.rules.setdefault((topic, name), len(self.rules))

    def _number_symbol(self, topic: str, rule: str, symbol: str) -> int:
        """The number of a meaning, or ~number of a rule."""
        if symbol.isupper() and symbol != "COMMA":
            return ~self._number_rule(topic, symbol.lower())
        usual_word = symbol.split("|")[0]
        word_list = self.kind_of_word.get(usual_word) or (topic, rule)
        key = (word_list, symbol.replace("COMMA", ","))
        return self.meanings.setdefault(key, len(self.meanings))

    def make_grammar(self) -> Grammar:  # noqa: PLR0914  a name for each table
        """The grammar of all topics."""
        rule_names = np.array([name for _, name in self.rules])
        rule_size = np.array([len(alternatives) for alternatives in self.alternatives])
        bodies = []
        words_alone = []
        for alternatives in self.alternatives:
            bodies_of_rule = [np.array(body, dtype=int) for body, _ in alternatives]
            bodies += bodies_of_rule
            words_alone.append((np.concatenate(bodies_of_rule) >= 0).all())
        body_size = np.array([len(body) for body in bodies])
        favours = (rule_names == "town") | np.char.endswith(rule_names, ".noun")
        chance = []
        for k, alternatives in enumerate(self.alternatives):
            chance.append(k + _cumulate(alternatives, favours[k]))

        spellings = [words.split("|") for _, words in self.meanings]
        all_words = [word for spelling in spellings for word in spelling]
        words = list(dict.fromkeys(["a", "an", *all_words]))
        meaning_size = np.array([len(spelling) for spelling in spellings])
        list_keys = [key for key, _ in self.meanings]
        list_numbers: dict[_WordList, int] = {}
        for key in list_keys:
            list_numbers.setdefault(key, len(list_numbers))
        of_list = np.array([list_numbers[key] for key in list_keys])
        listed = np.argsort(of_list, kind="stable")
        list_size = np.bincount(of_list)
        place = np.empty_like(listed)
        _, place[listed] = ragged(list_size)
        rules_of_lists = []
        for key in list_keys:
            rule = key
            if not isinstance(key, str):
                _, rule = key
            rules_of_lists.append(rule)
        rule_of_list = np.array(rules_of_lists)
        is_alone = np.array(words_alone)
        spelling = np.array([words.index(word) for word in all_words])
        is_comma = np.array([word == "," for _, word in self.meanings])
        list_first = _firsts(list_size)
        return Grammar(
            topics=tuple(self.topics),
            words=tuple(words),
            start=np.array(self.start),
            rule_first=_firsts(rule_size),
            rule_size=rule_size,
            optional=np.char.startswith(rule_names, "?"),
            words_alone=is_alone,
            favours=favours,
            takes_turns=is_alone | (rule_names == "event"),
            chance=np.concatenate(chance),
            body=np.concatenate(bodies),
            body_first=_firsts(body_size),
            body_size=body_size,
            spelling=spelling,
            meaning_first=_firsts(meaning_size),
            meaning_size=meaning_size,
            listed=listed,
            list_first=list_first[of_list],
            list_size=list_size[of_list],
            place=place,
            is_adjective=np.char.endswith(rule_of_list, ".adjective"),
            is_noun=np.char.endswith(rule_of_list, ".noun"),
            is_comma=is_comma,
        )


def _firsts(sizes: np.ndarray) -> np.ndarray:
    """Where rows of these sizes begin, one after the other."""
    firsts: np.ndarray = np.cumsum(sizes) - sizes
    return firsts


def _cumulate(alternatives: Sequence[tuple[list[int], int]], favours: bool) -> np.ndarray:
    """Cumulative probabilities: by weight, or falling steeply where a document has favourites."""
    weights = np.array([weight for _, weight in alternatives], dtype=float)
    if favours:
        weights /= np.arange(1, len(weights) + 1) ** 1.2
    total = np.cumsum(weights)
    share: np.ndarray = total / total[-1]
    return share
