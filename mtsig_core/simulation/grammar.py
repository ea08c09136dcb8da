"""The grammar behind the simulated corpus: from ``demo.words.txt`` to sentences, all of them at
once.

A sentence starts as one rule and is rewritten until only meanings are left; a meaning has one or
more interchangeable words. Texts stay arrays of numbers until the very end, so that a million words
take a fraction of a second.
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
    #: Whether a rule may be left out; has no rule in its alternatives; has a favourite in each
    #: document; never repeats an alternative within a sentence before all have been used.
    optional: np.ndarray
    words_alone: np.ndarray
    favours: np.ndarray
    takes_turns: np.ndarray
    chance: np.ndarray  # rule number plus cumulative probability, to be searched
    body: np.ndarray  # the symbols of all alternatives, and which are whose
    body_first: np.ndarray
    body_size: np.ndarray
    spelling: (
        np.ndarray
    )  # the word numbers of all meanings, the usual word first, and which are whose
    meaning_first: np.ndarray
    meaning_size: np.ndarray
    listed: (
        np.ndarray
    )  # the meanings list by list; then for each meaning where its list is, and its own place there
    list_first: np.ndarray
    list_size: np.ndarray
    place: np.ndarray
    is_adjective: np.ndarray
    is_noun: np.ndarray
    is_comma: np.ndarray

    # -- meanings --------------------------------------------------------------------------------------------

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
        text = Tokens(~self.start[topic, n_clauses - 1], np.arange(len(topic)))
        stride = 1 + (stream("strides").random(len(topic)) < 0.5)
        depth = 0
        while len(rules := np.flatnonzero(text.ids < 0)):
            # Words are chosen last, when it is known how many of a kind each sentence needs.
            phrases = rules[~self.words_alone[~text.ids[rules]]]
            at, purpose = (phrases, f"phrases {depth}") if len(phrases) else (rules, "words")
            rule, segment = ~text.ids[at], text.segment[at]
            draw = stream(purpose).random(len(at))
            choice = np.searchsorted(self.chance, rule + draw, side="right") - self.rule_first[rule]
            turned = np.floor(
                (favourite[segment] + _GOLDEN * rule) % 1 * self.rule_size[rule]
            ).astype(int)
            choice += turned * self.favours[rule]
            choice = np.where(
                self.takes_turns[rule], _by_turns(choice, rule, segment, stride), choice
            )
            choice = np.where(
                self.optional[rule], draw < fullness[segment], choice % self.rule_size[rule]
            )
            text = self._rewrite(text, at, self.rule_first[rule] + choice)
            depth += 1
        return text

    def _rewrite(self, text: Tokens, at: np.ndarray, alternative: np.ndarray) -> Tokens:
        """Replace the symbols at these places by the bodies of these alternatives."""
        size, first = np.ones(len(text.ids), dtype=int), np.full(len(text.ids), -1)
        size[at], first[at] = self.body_size[alternative], self.body_first[alternative]
        source, place = ragged(size)
        symbols = np.where(first[source] < 0, text.ids[source], self.body[first[source] + place])
        return Tokens(symbols, text.segment[source])

    def mistaken(self, meanings: np.ndarray, draw: np.ndarray) -> np.ndarray:
        """Another meaning of the same list for each, its own where the list has no other."""
        size = self.list_size[meanings]
        step = 1 + np.floor(draw * (size - 1)).astype(int)
        others: np.ndarray = self.listed[
            self.list_first[meanings] + (self.place[meanings] + step) % size
        ]
        return others

    # -- words -----------------------------------------------------------------------------------------------

    def spell(self, text: Tokens, usual: float, draw: np.ndarray) -> Tokens:
        """A word for each meaning: the usual one with probability `usual`, else one of the others;
        a or an as due.
        """
        others = self.meaning_size[text.ids] - 1
        other = 1 + np.floor(np.maximum(draw - usual, 0) / (1 - usual) * others).astype(int)
        words = self.spelling[
            self.meaning_first[text.ids] + np.where((draw < usual) | (others == 0), 0, other)
        ]
        goes_on = text.segment[1:] == text.segment[:-1]
        a, an = self.words.index("a"), self.words.index("an")
        words[:-1][(words[:-1] == a) & goes_on & self._begins_with_vowel[words[1:]]] = an
        return Tokens(words, text.segment)

    @functools.cached_property
    def _begins_with_vowel(self) -> np.ndarray:
        return np.array(
            [word[0] in "aeiouAEIOU" and not word.startswith(_SPOKEN_WITH_Y) for word in self.words]
        )


def sentences(words: Sequence[str], text: Tokens) -> list[str]:
    """Plain text of numbers of words: capital letter, commas attached, full stop.

    No segment may be empty.

    >>> sentences(["rain", ",", "storm"], Tokens(np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])))
    ['Rain, storm.', 'Storm.']
    """
    inside = [word if word == "," else f" {word}" for word in words]
    first = [f".\n{word[0].upper()}{word[1:]}" for word in words]
    begins = np.append(True, text.segment[1:] != text.segment[:-1])
    pieces = np.array([inside, first], dtype=object)[begins.astype(int), text.ids]
    return ("".join(pieces.tolist())[2:] + ".").split("\n")


def ragged(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For rows of these sizes, one after the other: the row of each element, and its place in the
    row.

    >>> [part.tolist() for part in ragged(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row]


def _by_turns(
    choice: np.ndarray, rule: np.ndarray, segment: np.ndarray, stride: np.ndarray
) -> np.ndarray:
    """In each sentence the first use of a rule decides, further ones go on from there."""
    key = segment * (rule.max() + 1) + rule
    order = np.argsort(key, kind="stable")
    firsts = np.flatnonzero(np.diff(key[order], prepend=-1))
    group, use = ragged(np.diff(firsts, append=len(key)))
    result = np.empty_like(choice)
    result[order] = choice[order[firsts]][group] + use * stride[segment[order]]
    return result


# -- reading the word file ------------------------------------------------------------------------

_Alternative = tuple[list[str], int]  # symbols, weight
_Rules = dict[str, list[_Alternative]]


@functools.cache
def load_grammar() -> Grammar:
    """The grammar of the word file."""
    sections = _sections(WORD_FILE.read_text(encoding="utf-8"))
    small, phrases, common = (
        _rules(sections.pop(title)) for title in ("small words", "phrases", "all topics")
    )
    tables = _Tables(
        {word: part for part, alternatives in small.items() for (word,), _ in alternatives}
    )
    for title, lines in sections.items():
        tables.add(title.removeprefix("topic: "), common | _topic_rules(lines, phrases))
    return tables.grammar()


def _sections(text: str) -> dict[str, list[str]]:
    """Title -> lines, without comments, each rule in one line."""
    text = re.sub(r"\n +", " ", re.sub(r"(?m)^#.*\n", "", text))
    parts = re.split(r"(?m)^== (.*)\n", text)[1:]
    return {title: lines.split("\n") for title, lines in zip(parts[::2], parts[1::2], strict=True)}


def _alternatives(text: str) -> list[_Alternative]:
    """``a B, c *2`` -> [(["a", "B"], 1), (["c"], 2)]"""
    parts = [part.partition("*") for part in text.split(",")]
    return [
        (symbols.replace("~", "??ADVERB").split(), int(weight or 1)) for symbols, _, weight in parts
    ]


def _rules(lines: Iterable[str]) -> _Rules:
    """Lines ``name: alternatives`` -> name -> alternatives."""
    return {
        name: _alternatives(text)
        for name, _, text in (line.partition(":") for line in lines if line)
    }


def _topic_rules(lines: Sequence[str], phrases: _Rules) -> _Rules:
    """The rules of a topic: what happens there, and three rules for each group of nouns."""
    rules = {
        "event": [
            (symbols, 1)
            for line in lines
            if line.startswith("- ")
            for symbols, _ in _alternatives(line[2:])
        ]
    }
    for line in lines:
        if group := re.fullmatch(r"(\w+) (\w+) \((.*)\): (.*)", line):
            kind, name, adjectives, nouns = group.groups()
            rules[f"{name}.adjective"], rules[f"{name}.noun"] = (
                _alternatives(adjectives),
                _alternatives(nouns),
            )
            own = {"?ADJECTIVE": f"?{name}.adjective".upper(), "NOUN": f"{name}.noun".upper()}
            rules[name] = [
                ([own.get(symbol, symbol) for symbol in symbols], weight)
                for symbols, weight in phrases[kind]
            ]
    return rules


@dataclass
class _Tables:
    """Collects the tables of a `Grammar`."""

    small: dict[str, str]
    topics: list[str] = field(default_factory=list)
    start: list[list[int]] = field(default_factory=list)
    rules: dict[tuple[str, str], int] = field(default_factory=dict)  # (topic, name) -> number
    meanings: dict[tuple[str | tuple[str, str], str], int] = field(
        default_factory=dict
    )  # (list, words) -> number
    alternatives: list[list[tuple[list[int], int]]] = field(
        default_factory=list
    )  # of each rule: (symbols, weight)

    def add(self, topic: str, rules: _Rules) -> None:
        """Number the rules that the sentences of a topic need, and translate their alternatives."""

        def number(name: str) -> int:
            return self.rules.setdefault((topic, name), len(self.rules))

        def symbol(part: str, rule: str) -> int:
            if part.isupper() and part != "COMMA":
                return ~number(part.lower())
            key = (self.small.get(part.split("|")[0]) or (topic, rule), part.replace("COMMA", ","))
            return self.meanings.setdefault(key, len(self.meanings))

        self.topics.append(topic)
        self.start.append([number(f"sentence{k + 1}") for k in range(MOST_CLAUSES)])
        while len(self.alternatives) < len(self.rules):
            name = list(self.rules)[len(self.alternatives)][1]
            parts = [([], 1), ([name[1:].upper()], 1)] if name[0] == "?" else rules[name]
            self.alternatives.append(
                [([symbol(part, name) for part in body], weight) for body, weight in parts]
            )

    def grammar(self) -> Grammar:
        sizes = np.array([len(alternatives) for alternatives in self.alternatives])
        bodies = [
            np.array(body, dtype=int)
            for alternatives in self.alternatives
            for body, _ in alternatives
        ]
        body_size = np.array([len(body) for body in bodies])
        favours = np.array([name == "town" or name.endswith(".noun") for _, name in self.rules])
        words_alone = np.array(
            [
                all(symbol >= 0 for body, _ in alternatives for symbol in body)
                for alternatives in self.alternatives
            ]
        )
        spellings = [words.split("|") for _, words in self.meanings]
        words = list(
            dict.fromkeys(["a", "an", *(word for spelling in spellings for word in spelling)])
        )
        meaning_size = np.array([len(spelling) for spelling in spellings])
        lists = {key: k for k, key in enumerate(dict.fromkeys(key for key, _ in self.meanings))}
        of_list = np.array([lists[key] for key, _ in self.meanings])
        listed = np.argsort(of_list, kind="stable")
        list_size = np.bincount(of_list)
        list_first = np.cumsum(list_size) - list_size
        place = np.empty_like(listed)
        place[listed] = ragged(list_size)[1]
        return Grammar(
            tuple(self.topics),
            tuple(words),
            np.array(self.start),
            np.cumsum(sizes) - sizes,
            sizes,
            optional=np.array([name[0] == "?" for _, name in self.rules]),
            words_alone=words_alone,
            favours=favours,
            takes_turns=words_alone | np.array([name == "event" for _, name in self.rules]),
            chance=np.concatenate(
                [
                    k + _cumulative(alternatives, favours[k])
                    for k, alternatives in enumerate(self.alternatives)
                ]
            ),
            body=np.concatenate(bodies),
            body_first=np.cumsum(body_size) - body_size,
            body_size=body_size,
            spelling=np.array([words.index(word) for spelling in spellings for word in spelling]),
            meaning_first=np.cumsum(meaning_size) - meaning_size,
            meaning_size=meaning_size,
            listed=listed,
            list_first=list_first[of_list],
            list_size=list_size[of_list],
            place=place,
            is_adjective=np.array([key[1].endswith(".adjective") for key, _ in self.meanings]),
            is_noun=np.array([key[1].endswith(".noun") for key, _ in self.meanings]),
            is_comma=np.array([words == "," for _, words in self.meanings]),
        )


def _cumulative(alternatives: Sequence[tuple[list[int], int]], favours: bool) -> np.ndarray:
    """Cumulative probabilities: by weight, or falling steeply where a document has favourites."""
    weights = np.array([weight for _, weight in alternatives], dtype=float)
    if favours:
        weights /= np.arange(1, len(weights) + 1) ** 1.2
    total = np.cumsum(weights)
    share: np.ndarray = total / total[-1]
    return share
