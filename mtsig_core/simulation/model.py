"""How the simulated corpus comes about: what is said, how hard it is to translate, and what each
system makes of it.

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

# Mean length of a clause in tokens when each optional part is said with this probability.
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
    #: Share of the words, wrong or right, that are left out (if positive), in runs and rather where
    #: the system is not sure, as a decoder does that is told to be brief. If negative, the share of
    #: the words where it says more: fewer are left out, a wrong word is followed by the right one,
    #: and a right word next to a wrong one by a stray one.
    word_penalty: float = 0.0
    #: Probability of the usual word where several are interchangeable; None: as of the references.
    #: Another choice of words is no error, yet finds fewer of them in a reference.
    usual_word: float | None = None


@dataclass(frozen=True)
class Model:
    """What is the same for all systems. Standard deviations are in probits."""

    topic_length: float = 450.0  # mean lengths in segments, geometrically distributed
    document_length: float = 15.0
    log_length: float = (
        3.37  # the length aimed at for a sentence, in tokens: log-normal, cut off at both ends
    )
    log_length_sd: float = 0.44
    shortest: float = 6
    longest: float = 70
    topic_sd: float = 0.25  # difficulty for all systems
    document_sd: float = 0.14
    segment_sd: float = 0.60
    own_topic_sd: float = 0.03  # difficulty for one system
    own_document_sd: float = 0.12
    own_segment_sd: float = 0.22
    shared_noise: float = (
        0.55  # share of the variance of a word's noise that all systems have in common
    )
    burst: int = 4  # the noise is averaged over so many words: errors come in runs
    #: Probability of the usual word where several are interchangeable, in references and systems
    #: alike.
    usual_word: float = 0.57
    dropped_adjectives: float = 0.14  # share of the adjectives that a reference leaves out
    #: Share of the wrong nouns and adjectives that are of the same kind as the right word. The
    #: others come from the text before.
    same_kind: float = 0.80


class Corpus(NamedTuple):
    """What is said, before anyone puts it into words.

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
    # A step to any of the other topics: never the same one twice in a row.
    steps = 1 + np.floor(
        stream("choice of topics").random(run[-1] + 1) * (len(grammar.topics) - 1)
    ).astype(int)
    topic = (np.cumsum(steps) % len(grammar.topics))[run]
    difficulty = _effects(
        stream, run, document, (model.topic_sd, model.document_sd, model.segment_sd)
    )
    difficulty -= difficulty[:HOME_SEGMENTS].mean()
    run, topic, document, difficulty = (
        values[:n_segments] for values in (run, topic, document, difficulty)
    )

    length = np.exp(
        model.log_length + model.log_length_sd * stream("lengths").standard_normal(n_segments)
    )
    length = np.clip(length, model.shortest, model.longest)
    n_clauses = np.clip(np.rint(length / _TOKENS_PER_CLAUSE), 1, MOST_CLAUSES).astype(int)
    fullness = np.interp(length / n_clauses, _CLAUSE_LENGTH, _FULLNESS)
    favourite = stream("favourites").random(document[-1] + 1)[document]
    text = grammar.write(topic, n_clauses, fullness, favourite, partial(stream, "text"))
    noise = _noise(stream("noise"), len(text.ids), model.burst)
    return Corpus(grammar, run, topic, document, difficulty, text, noise)


def refer(corpus: Corpus, model: Model, stream: Stream) -> Tokens:
    """The words of a reference: all is right, some adjectives are left out."""
    grammar, (meaning, segment) = corpus.grammar, corpus.text
    dropped, word = stream("words").random((len(meaning), 2)).T
    kept = ~grammar.is_adjective[meaning] | (dropped >= model.dropped_adjectives)
    return grammar.spell(Tokens(meaning[kept], segment[kept]), model.usual_word, word[kept])


def translate(corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream) -> Tokens:
    """The words of a system: some are wrong, missing, stray or in the wrong place.

    Each word of the corpus has its own random numbers, so that a slightly better system differs in
    few words.
    """
    grammar, (meaning, segment) = corpus.grammar, corpus.text
    n = len(meaning)
    kind, lapse, choice, late, by, word = stream("words").random((n, 6)).T
    noise, wrong = _mistakes(corpus, system, model, stream)
    missing = wrong & (kind < system.missing)
    # Only nouns and adjectives attract stray words: doubled articles or verbs would read like
    # typing errors.
    phrase = grammar.is_noun[meaning] | grammar.is_adjective[meaning]
    stray = wrong & ~missing & (kind < system.missing + system.stray) & phrase
    replaced = wrong & ~missing & ~stray
    corrected = np.zeros(n, bool)
    if system.length_bias:
        hit = ~wrong & (stream("length").random(n) < abs(system.length_bias))
        missing, stray = (
            (missing | hit, stray) if system.length_bias < 0 else (missing, stray | hit)
        )
    if system.word_penalty:
        # Half by how sure the system is, half by chance: precision stays about the same, and length
        # alone tells.
        unsure = np.sqrt(0.5) * (noise + _noise(stream("word penalty"), n, model.burst))
        hit = unsure < NormalDist().inv_cdf(abs(system.word_penalty))
        if system.word_penalty > 0:
            missing = missing | hit
        else:
            beside = np.append(wrong[1:], False) | np.append(
                False, wrong[:-1]
            )  # a sequence that is broken anyway
            missing, stray = missing & ~hit, stray | (hit & ~wrong & beside)
            corrected = hit & replaced
    missing[np.append(segment[1:] != segment[:-1], True)] = False  # no output is empty

    other = _wrong_words(grammar, meaning, model, lapse, choice)
    source, place = ragged(np.where(missing, 0, np.where(stray | corrected, 2, 1)))
    amiss = np.where(
        replaced[source], place == 0, place == 1
    )  # the second word of two is stray, or the right one
    text = Tokens(np.where(amiss, other[source], meaning[source]), segment[source])
    order = _order(grammar, text, late[source] < system.moved, by[source])
    text = Tokens(text.ids[order], text.segment)
    kept = _without_lonely_commas(grammar, text)
    usual = model.usual_word if system.usual_word is None else system.usual_word
    return grammar.spell(
        Tokens(text.ids[kept], text.segment[kept]), usual, word[source][order][kept]
    )


def error_shares(
    corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream
) -> np.ndarray:
    """Share of the words of each segment that a system gets wrong, shape (segments,); a late word
    is half wrong.

    Of the same streams as `translate`, so it is about the same output. Length bias and word penalty
    do not count.
    """
    segment = corpus.text.segment
    late = stream("words").random((len(segment), 6))[:, 3] < system.moved
    wrong = np.maximum(_mistakes(corpus, system, model, stream)[1], late / 2)
    shares: np.ndarray = np.bincount(segment, wrong) / np.bincount(segment)
    return shares


def _mistakes(
    corpus: Corpus, system: SimulatedSystem, model: Model, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Noise of each word, and whether it goes wrong; shape (tokens,) each."""
    segment, shared = corpus.text.segment, model.shared_noise
    threshold = (
        system.level
        + corpus.difficulty
        + _effects(
            stream,
            corpus.run,
            corpus.document,
            (model.own_topic_sd, model.own_document_sd, model.own_segment_sd),
        )
    )
    own = _noise(stream("noise"), len(segment), model.burst)
    noise = np.sqrt(shared) * corpus.noise + np.sqrt(1 - shared) * own
    return noise, noise < threshold[segment]


def _begins(rng: np.random.Generator, n: int, mean_length: float) -> np.ndarray:
    """Where runs of geometric length begin, shape (n,); the first is number 0."""
    return np.append(False, rng.random(n - 1) < 1 / mean_length)


def _effects(
    stream: Stream, run: np.ndarray, document: np.ndarray, sds: Sequence[float]
) -> np.ndarray:
    """Sum of normal effects of topic run, document and segment, shape (segments,)."""
    levels = {"topic": run, "document": document, "segment": np.arange(len(run))}
    effects: np.ndarray = sum(
        sd * stream("difficulty", level).standard_normal(index[-1] + 1)[index]
        for sd, (level, index) in zip(sds, levels.items(), strict=True)
    )
    return effects


def _noise(rng: np.random.Generator, n: int, burst: int) -> np.ndarray:
    """Standard normal, each number averaged with those after it."""
    white = rng.standard_normal(n + burst - 1)
    noise: np.ndarray = sum(white[k : k + n] for k in range(burst)) / np.sqrt(burst)
    return noise


def _wrong_words(
    grammar: Grammar, meaning: np.ndarray, model: Model, lapse: np.ndarray, choice: np.ndarray
) -> np.ndarray:
    """For each meaning a wrong one of the same kind, or for some nouns and adjectives one from the
    text before.
    """
    before = meaning[
        np.maximum(np.arange(len(meaning)) - 1 - np.floor(choice * _REACH).astype(int), 0)
    ]
    phrase = grammar.is_noun | grammar.is_adjective
    astray = (lapse >= model.same_kind) & phrase[meaning] & phrase[before]
    return np.where(astray, before, grammar.mistaken(meaning, choice))


def _order(grammar: Grammar, text: Tokens, late: np.ndarray, by: np.ndarray) -> np.ndarray:
    """The order of words when some come one to three places late within their segment; commas
    stay.
    """
    places = np.where(late & ~grammar.is_comma[text.ids], 1.5 + np.floor(3 * by), 0)
    return np.lexsort((np.arange(len(places)) + places, text.segment))


def _without_lonely_commas(grammar: Grammar, text: Tokens) -> np.ndarray:
    """Which tokens remain when no comma may begin or end a segment, or follow another."""
    kept = np.arange(len(text.ids))
    for shift in (1, -1):
        comma, segment = grammar.is_comma[text.ids[kept]], text.segment[kept]
        kept = kept[~(comma & (np.roll(comma, shift) | (np.roll(segment, shift) != segment)))]
    return kept
