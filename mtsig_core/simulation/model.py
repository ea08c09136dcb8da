"""The model of the simulated corpus: its content, its difficulty, and the output of each system.

A test set is a run of topics, a topic a run of documents, a document a run of segments. A system
gets a word wrong where

    shared noise of the word + its own noise  <  its level + difficulty of topic, document and
    segment,

all of them normal: a probit model. The shared noise makes the outputs of the systems alike, as
paired tests expect; the difficulties of topics and documents make neighbouring segments alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from mtsig_core.simulation.grammar import MOST_CLAUSES, Grammar, Tokens, load_grammar, ragged

#: Purposes -> generator: random numbers of their own for each.
Stream = Callable[..., np.random.Generator]

#: Difficulty is centred on so many segments, so that a short corpus is the beginning of a long one.
HOME_SEGMENTS = 30_000

# Mean length of a clause in tokens when each optional part occurs with this probability.
_FULLNESS = (0.0, 0.25, 0.5, 0.75, 1.0)
_CLAUSE_LENGTH = (8.0, 11.6, 16.5, 23.0, 32.0)
_TOKENS_PER_CLAUSE = 16  # a sentence gets about one clause for so many tokens
_REACH = 200  # words that turn up in a wrong place come from so many tokens before it


@dataclass(frozen=True)
class SimulatedSystem:
    """A system: how often it is wrong, and how."""

    name: str  # also the key of its random numbers: no system depends on which others there are
    # in probits. Of segments of middling difficulty, about the share Phi(level) of the words goes
    # wrong
    level: float
    moved: float = 0.03  # share of the words that end up one to three places late
    #: Shares of the wrong words that are left out, and that are right but followed by a stray word.
    #: The others are replaced.
    missing: float = 0.12
    stray: float = 0.30
    #: Share of the words that would be right but are left out (if negative) or followed by a stray
    #: word (if positive).
    length_bias: float = 0.0
    #: If positive, the share of the words, wrong or right, that are left out. They are left out in
    #: runs, mostly where the system is not sure, like a decoder with a length penalty. If negative,
    #: the share of the words where the output is longer: fewer words are left out, the right word
    #: follows a wrong word, and a stray word follows a right word next to a wrong one.
    word_penalty: float = 0.0
    #: Probability of the usual word where several are interchangeable; None: as of the references.
    #: Another choice of words is no error, yet finds fewer of them in a reference.
    usual_word: float | None = None


@dataclass(frozen=True)
class Model:
    """The parameters that all systems share. Standard deviations are in probits."""

    topic_length: float = 450.0  # mean lengths in segments, geometrically distributed
    document_length: float = 15.0
    # the length aimed at for a sentence, in tokens: log-normal, cut off at both ends
    log_length: float = 3.37
    log_length_sd: float = 0.44
    shortest: float = 6
    longest: float = 70
    topic_sd: float = 0.25  # difficulty for all systems
    document_sd: float = 0.14
    segment_sd: float = 0.60
    own_topic_sd: float = 0.03  # difficulty for one system
    own_document_sd: float = 0.12
    own_segment_sd: float = 0.22
    # share of the variance of a word's noise that all systems have in common
    shared_noise: float = 0.55
    burst: int = 4  # the noise is averaged over so many words: errors come in runs
    #: Probability of the usual word where several are interchangeable, in references and systems
    #: alike.
    usual_word: float = 0.57
    dropped_adjectives: float = 0.14  # share of the adjectives that a reference leaves out
    #: Share of the wrong nouns and adjectives that are of the same kind as the right word. The
    #: others come from the text before.
    same_kind: float = 0.80


class Corpus(NamedTuple):
    """The content of a test set, as meanings that are not yet words.

    `run`, `topic`, `document`: ndarray of int, shape (segments,), number of the run of segments on
    one topic, of the topic, and of the document; `difficulty`: shape (segments,); `text`: meanings;
    `noise`: shape (tokens,), what all systems share.
    """

    grammar: Grammar
    run: np.ndarray
    topic: np.ndarray
    document: np.ndarray
    difficulty: np.ndarray
    text: Tokens
    noise: np.ndarray


def make_stream(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers for one purpose, independent of those for all others."""
    key = hashlib.blake2b("/".join(purpose).encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(key, "little")])


def make_corpus(n_segments: int, model: Model, stream: Stream) -> Corpus:
    """Topics, documents, difficulties and meanings.

    Whatever has one value per segment, or per token, is drawn from one stream in the order of the
    text, so that more segments never change earlier ones.
    """
    grammar = load_grammar()
    n = max(n_segments, HOME_SEGMENTS)
    begins = _begins(stream("topics"), n, model.topic_length)
    run = np.cumsum(begins)
    document = np.cumsum(begins | _begins(stream("documents"), n, model.document_length))
    topic = _choose_topics(stream("choice of topics"), run[-1] + 1, len(grammar.topics))[run]
    sds = (model.topic_sd, model.document_sd, model.segment_sd)
    difficulty = _effects(stream, run, document, sds)
    difficulty -= difficulty[:HOME_SEGMENTS].mean()
    run = run[:n_segments]
    topic = topic[:n_segments]
    document = document[:n_segments]
    difficulty = difficulty[:n_segments]

    length = _lengths(stream("lengths"), n_segments, model)
    n_clauses = np.rint(length / _TOKENS_PER_CLAUSE).astype(int)
    n_clauses = np.clip(n_clauses, 1, MOST_CLAUSES)
    fullness = np.interp(length / n_clauses, _CLAUSE_LENGTH, _FULLNESS)
    favourite = stream("favourites").random(document[-1] + 1)[document]
    text = grammar.write(topic, n_clauses, fullness, favourite, partial(stream, "text"))
    noise = _noise(stream("noise"), len(text.ids), model.burst)
    return Corpus(grammar, run, topic, document, difficulty, text, noise)


def refer(corpus: Corpus, model: Model, stream: Stream) -> Tokens:
    """The words of a reference: all are right, some adjectives are left out."""
    grammar = corpus.grammar
    meaning, segment = corpus.text
    drop_draw, word_draw = stream("words").random((len(meaning), 2)).T
    is_kept = ~grammar.is_adjective[meaning] | (drop_draw >= model.dropped_adjectives)
    text = Tokens(meaning[is_kept], segment[is_kept])
    return grammar.spell(text, model.usual_word, word_draw[is_kept])


def translate(corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream) -> Tokens:
    """The words of a system: some are wrong, missing, stray or in the wrong place.

    Each word of the corpus has its own random numbers, so that a slightly better system differs in
    few words.
    """
    grammar = corpus.grammar
    meaning, segment = corpus.text
    draws = stream("words").random((len(meaning), 6)).T
    kind_draw, lapse_draw, choice_draw, late_draw, place_draw, word_draw = draws
    faults = _choose_faults(corpus, system, model, stream, kind_draw)
    # A word that is left out occurs 0 times, one with a stray word after it, or corrected, twice.
    n_words = np.ones(len(meaning), dtype=int)
    n_words[faults.is_stray | faults.is_corrected] = 2
    n_words[faults.is_missing] = 0
    source, place = ragged(n_words)
    # Of two words the second is stray, or, where the first is wrong, the right one.
    is_wrong = np.where(faults.is_replaced[source], place == 0, place == 1)
    wrong_words = _wrong_words(grammar, meaning, model, lapse_draw, choice_draw)
    words = np.where(is_wrong, wrong_words[source], meaning[source])
    text = Tokens(words, segment[source])
    order = _order(grammar, text, late_draw[source] < system.moved, place_draw[source])
    text = Tokens(text.ids[order], text.segment)
    kept = _find_kept(grammar, text)
    usual_word = model.usual_word if system.usual_word is None else system.usual_word
    text = Tokens(text.ids[kept], text.segment[kept])
    return grammar.spell(text, usual_word, word_draw[source][order][kept])


class _Faults(NamedTuple):
    """Which words of a system are at fault, and how: bool, shape (tokens,)."""

    is_missing: np.ndarray
    is_stray: np.ndarray  # followed by a stray word
    is_replaced: np.ndarray  # by a wrong word
    is_corrected: np.ndarray  # replaced, and followed by the right word


def _choose_faults(
    corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream, kind_draw: np.ndarray
) -> _Faults:
    """Choose the faults of each word of a system."""
    grammar = corpus.grammar
    meaning, segment = corpus.text
    n = len(meaning)
    noise, is_wrong = _mistakes(corpus, system, model, stream)
    is_missing = is_wrong & (kind_draw < system.missing)
    # Only nouns and adjectives attract stray words: doubled articles or verbs would read like
    # typing errors.
    attracts = grammar.is_noun[meaning] | grammar.is_adjective[meaning]
    draws_stray = kind_draw < system.missing + system.stray
    is_stray = is_wrong & ~is_missing & attracts & draws_stray
    is_replaced = is_wrong & ~is_missing & ~is_stray
    is_corrected = np.zeros(n, bool)
    if system.length_bias:
        length_draw = stream("length").random(n)
        is_hit = ~is_wrong & (length_draw < abs(system.length_bias))
        if system.length_bias < 0:
            is_missing = is_missing | is_hit
        else:
            is_stray = is_stray | is_hit
    if system.word_penalty:
        # Half by how sure the system is, half by chance: precision is about the same, and only the
        # length tells.
        chance = _noise(stream("word penalty"), n, model.burst)
        doubt = np.sqrt(0.5) * (noise + chance)
        is_hit = doubt < NormalDist().inv_cdf(abs(system.word_penalty))
        if system.word_penalty > 0:
            is_missing = is_missing | is_hit
        else:
            is_after_wrong = np.append(False, is_wrong[:-1])
            is_before_wrong = np.append(is_wrong[1:], False)
            is_next_to_wrong = is_before_wrong | is_after_wrong  # the sequence is broken anyway
            is_missing = is_missing & ~is_hit
            is_stray = is_stray | (is_hit & ~is_wrong & is_next_to_wrong)
            is_corrected = is_hit & is_replaced
    is_last = np.append(segment[1:] != segment[:-1], True)
    is_missing[is_last] = False  # no output is empty
    return _Faults(is_missing, is_stray, is_replaced, is_corrected)


def error_shares(
    corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream
) -> np.ndarray:
    """Share of the words of each segment that a system gets wrong, shape (segments,).

    A late word is half wrong. The random numbers are the same as in `translate`, so the shares are
    about the same output. Length bias and word penalty do not count.
    """
    segment = corpus.text.segment
    late_draw = stream("words").random((len(segment), 6))[:, 3]
    is_late = late_draw < system.moved
    _, is_wrong = _mistakes(corpus, system, model, stream)
    fault = np.maximum(is_wrong, is_late / 2)
    shares: np.ndarray = np.bincount(segment, fault) / np.bincount(segment)
    return shares


def _mistakes(
    corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Noise of each word, and whether it goes wrong; shape (tokens,) each."""
    segment = corpus.text.segment
    own_sds = (model.own_topic_sd, model.own_document_sd, model.own_segment_sd)
    own_difficulty = _effects(stream, corpus.run, corpus.document, own_sds)
    threshold = system.level + corpus.difficulty + own_difficulty
    own_noise = _noise(stream("noise"), len(segment), model.burst)
    shared = model.shared_noise
    shared_noise = np.sqrt(shared) * corpus.noise
    noise = shared_noise + np.sqrt(1 - shared) * own_noise
    is_wrong = noise < threshold[segment]
    return noise, is_wrong


def _choose_topics(rng: np.random.Generator, n_runs: int, n_topics: int) -> np.ndarray:
    """A topic for each run: a step to any other topic, never the same twice in a row."""
    steps = 1 + np.floor(rng.random(n_runs) * (n_topics - 1)).astype(int)
    return np.cumsum(steps) % n_topics


def _lengths(rng: np.random.Generator, n_segments: int, model: Model) -> np.ndarray:
    """The length aimed at for each segment, in tokens."""
    deviation = rng.standard_normal(n_segments)
    length = np.exp(model.log_length + model.log_length_sd * deviation)
    return np.clip(length, model.shortest, model.longest)


def _begins(rng: np.random.Generator, n: int, mean_length: float) -> np.ndarray:
    """Where runs of geometric length begin, shape (n,); the first is number 0."""
    return np.append(False, rng.random(n - 1) < 1 / mean_length)


def _effects(
    stream: Stream, run: np.ndarray, document: np.ndarray, sds: Sequence[float]
) -> np.ndarray:
    """Sum of normal effects of topic run, document and segment, shape (segments,)."""
    levels = {"topic": run, "document": document, "segment": np.arange(len(run))}
    total = np.zeros(len(run))
    for sd, (level, index) in zip(sds, levels.items(), strict=True):
        effects = stream("difficulty", level).standard_normal(index[-1] + 1)
        total += sd * effects[index]
    return total


def _noise(rng: np.random.Generator, n: int, burst: int) -> np.ndarray:
    """Standard normal, each number averaged with those after it."""
    white = rng.standard_normal(n + burst - 1)
    total = np.zeros(n)
    for k in range(burst):
        total += white[k : k + n]
    noise: np.ndarray = total / np.sqrt(burst)
    return noise


def _wrong_words(
    grammar: Grammar,
    meaning: np.ndarray,
    model: Model,
    lapse_draw: np.ndarray,
    choice_draw: np.ndarray,
) -> np.ndarray:
    """For each meaning a wrong one of the same kind.

    For some nouns and adjectives it is one from the text before.
    """
    distance = 1 + np.floor(choice_draw * _REACH).astype(int)
    place = np.arange(len(meaning)) - distance
    before = meaning[np.maximum(place, 0)]
    is_phrase = grammar.is_noun | grammar.is_adjective
    are_phrases = is_phrase[meaning] & is_phrase[before]
    is_from_before = (lapse_draw >= model.same_kind) & are_phrases
    return np.where(is_from_before, before, grammar.mistaken(meaning, choice_draw))


def _order(
    grammar: Grammar, text: Tokens, is_late: np.ndarray, place_draw: np.ndarray
) -> np.ndarray:
    """The order of words when some come one to three places late within their segment.

    Commas stay.
    """
    delay = 1.5 + np.floor(3 * place_draw)
    delay[~is_late | grammar.is_comma[text.ids]] = 0
    return np.lexsort((np.arange(len(delay)) + delay, text.segment))


def _find_kept(grammar: Grammar, text: Tokens) -> np.ndarray:
    """Which tokens remain when no comma may begin or end a segment, or follow another."""
    kept = np.arange(len(text.ids))
    for shift in (1, -1):
        is_comma = grammar.is_comma[text.ids[kept]]
        segment = text.segment[kept]
        is_at_edge = np.roll(segment, shift) != segment
        is_next_to_comma = np.roll(is_comma, shift)
        kept = kept[~(is_comma & (is_next_to_comma | is_at_edge))]
    return kept
