"""The demonstration corpus: six simulated systems, calibrated to the systems of Koehn (2004).

No text in it is real.

`simulate` makes the corpus in a few seconds; `load_demo` reads the same corpus from ``demo.xz`` in
less than a second. ``python -m mtsig_core.simulation.corpus`` writes that file again.
``docs/data.md`` describes the original that the corpus imitates.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mtsig_core.errors import SettingError, explain_unknown
from mtsig_core.simulation.grammar import Tokens, sentences
from mtsig_core.simulation.model import (
    HOME_SEGMENTS,
    Model,
    SimulatedSystem,
    error_shares,
    make_corpus,
    make_stream,
    refer,
    translate,
)
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet

ASSET = Path(__file__).with_name("demo.xz")
N_SEGMENTS = HOME_SEGMENTS
SEED = 7
_MODEL = Model()
_TITLE = "simulated corpus"
_MOST_REFERENCES = 9

#: Named, as in Koehn (2004, Table 1), after the language translated from. At the default seed they
#: get its BLEU.
KOEHN_SYSTEMS = (
    SimulatedSystem("Spanish", -0.804),
    SimulatedSystem("Portuguese", -0.679),
    SimulatedSystem("Danish", -0.645),
    SimulatedSystem("Greek", -0.545, moved=0.035),
    SimulatedSystem("German", -0.470, moved=0.06),
    SimulatedSystem("Finnish", -0.310, moved=0.07),
)


def simulate(
    n_segments: int = N_SEGMENTS,
    *,
    seed: int = SEED,
    n_references: int = 1,
    systems: Sequence[SimulatedSystem] = KOEHN_SYSTEMS,
    model: Model = _MODEL,
) -> TestSet:
    """A simulated test set, the same for the same arguments.

    Every random number comes from a stream for its own purpose. More segments, references or
    systems never change those that were there before: a shorter corpus is the beginning of a longer
    one.

    Returns: marked as simulated, with documents, and topics as domains; no sources. The reference
    is called ``ref``; several are ``ref1``, ``ref2``, ....

    Examples
    --------
    >>> demo = simulate(2)
    >>> list(demo.systems), demo.simulated
    (['Spanish', 'Portuguese', 'Danish', 'Greek', 'German', 'Finnish'], True)
    """
    return _testset(_write(n_segments, seed, n_references, systems, model))


def outputs(
    n_segments: int, systems: Iterable[SimulatedSystem], *, seed: int = SEED, model: Model = _MODEL
) -> Iterator[list[str]]:
    """The output of each system in turn, as in `simulate`.

    Here several systems may have one name, and so the same random numbers.
    """
    stream = partial(make_stream, seed)
    corpus = make_corpus(n_segments, model, stream)
    for system in systems:
        purpose = f"system {system.name}"
        own_stream = partial(stream, purpose)
        tokens = translate(corpus, system, model, own_stream)
        yield sentences(corpus.grammar.words, tokens)


def load_demo(n_segments: int | None = None, n_references: int = 1) -> TestSet:
    """Load the shipped simulated corpus, which is equal to ``simulate(n_segments)``, but faster.

    One reference is shipped; more references are made on request.
    """
    if not 1 <= n_references <= _MOST_REFERENCES:
        raise SettingError(
            f"{n_references} references to simulate. Expected 1 to {_MOST_REFERENCES}."
        )
    corpus = _read(n_segments)
    if n_references > 1:
        with_references = _write(len(corpus.topic), SEED, n_references, (), _MODEL)
        corpus = corpus._replace(references=with_references.references)
    return _testset(corpus)


def write_demo() -> None:
    """Write the corpus of the default settings to `ASSET`."""
    written = _write(N_SEGMENTS, SEED, 1, KOEHN_SYSTEMS, _MODEL)
    texts = [*written.references.values(), *written.systems.values()]
    sizes_by_text = [np.bincount(text.segment, minlength=N_SEGMENTS) for text in texts]
    sizes = np.stack(sizes_by_text, axis=1)
    # Segment by segment, the reference before the systems: texts that are alike are near each other
    # and pack well.
    segments = np.concatenate([text.segment for text in texts])
    order = np.argsort(segments, kind="stable")
    ids = np.concatenate([text.ids for text in texts])
    words = ids[order]
    reference_names = list(written.references)
    system_names = list(written.systems)
    header = {
        "seed": SEED,
        "segments": N_SEGMENTS,
        "references": reference_names,
        "systems": system_names,
        "topics": written.topics,
        "words": written.words,
    }
    topic = written.topic.astype("u1")
    document = written.document.astype("<u2")
    arrays = [topic, document, sizes.astype("u1"), words.astype("<u2")]
    preset = 9 | lzma.PRESET_EXTREME
    # Two bytes to a number: tell the compressor (lp, pb).
    compression = {"id": lzma.FILTER_LZMA2, "preset": preset, "lc": 2, "lp": 1, "pb": 1}
    first_line = json.dumps(header)
    with lzma.open(ASSET, "wb", filters=[compression]) as file:
        file.write(first_line.encode())
        file.write(b"\n")
        for array in arrays:
            file.write(array.tobytes())


class _Written(NamedTuple):
    """A corpus in numbers of words; a text is the same as in `Tokens`."""

    seed: int
    words: Sequence[str]
    topics: Sequence[str]
    topic: np.ndarray
    document: np.ndarray
    references: Mapping[str, Tokens]
    systems: Mapping[str, Tokens]


def _write(
    n_segments: int, seed: int, n_references: int, systems: Sequence[SimulatedSystem], model: Model
) -> _Written:
    smallest_allowed = {"segments": 1, "references": 1, "seed": 0}
    values = {"segments": n_segments, "references": n_references, "seed": seed}
    for name, value in values.items():
        smallest = smallest_allowed[name]
        if value < smallest:
            raise SettingError(
                f"Simulated corpus: {name} is {value}. Expected at least {smallest}."
            )
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        all_names = ", ".join(names)
        raise SettingError(
            f"Simulated corpus: two systems of one name among {all_names}. Rename one."
        )
    stream = partial(make_stream, seed)
    corpus = make_corpus(n_segments, model, stream)
    references = {}
    for k in range(1, n_references + 1):
        name = f"ref{k}"
        if n_references == 1:
            name = "ref"
        purpose = f"reference {k}"
        references[name] = refer(corpus, model, partial(stream, purpose))
    outputs_by_system = {}
    for system in systems:
        purpose = f"system {system.name}"
        own_stream = partial(stream, purpose)
        outputs_by_system[system.name] = translate(corpus, system, model, own_stream)
    grammar = corpus.grammar
    return _Written(
        seed,
        grammar.words,
        grammar.topics,
        corpus.topic,
        corpus.document,
        references,
        outputs_by_system,
    )


def _read(n_segments: int | None) -> _Written:
    with lzma.open(ASSET) as file:  # unpacked as far as needed
        header = json.loads(file.readline())
        total = header["segments"]
        reference_names = header["references"]
        system_names = header["systems"]
        names = [*reference_names, *system_names]
        n_texts = len(names)
        n = total
        if n_segments is not None:
            n = n_segments
        if not 1 <= n <= total:
            raise SettingError(
                f"The simulated corpus has {total} segments, {n} were asked for. "
                f"Ask for 1 to {total}."
            )

        def take(dtype: str, count: int) -> np.ndarray:
            n_bytes = count * np.dtype(dtype).itemsize
            content = file.read(n_bytes)
            return np.frombuffer(content, dtype)

        topic = take("u1", total)[:n]
        document = take("<u2", total)[:n]
        sizes_of_all = take("u1", total * n_texts)
        sizes_by_segment = sizes_of_all.reshape(total, n_texts)
        sizes = sizes_by_segment[:n].astype(int)
        words = take("<u2", sizes.sum())
    # The words are segment by segment, and in each text by text.
    text_numbers = np.arange(n_texts, dtype=np.uint8)
    text_of_cell = np.tile(text_numbers, n)
    text_of_word = np.repeat(text_of_cell, sizes.ravel())
    texts = {}
    for k, name in enumerate(names):
        own_words = words[text_of_word == k]
        own_sizes = sizes[:, k]
        segments = np.repeat(np.arange(n), own_sizes)
        texts[name] = Tokens(own_words, segments)
    references = {name: texts[name] for name in reference_names}
    systems = {name: texts[name] for name in system_names}
    return _Written(
        header["seed"], header["words"], header["topics"], topic, document, references, systems
    )


def _testset(written: _Written) -> TestSet:
    domains = [written.topics[k] for k in written.topic.tolist()]
    # Named by the topic and numbered throughout, so that an id tells what a document is about and
    # occurs once.
    documents = []
    for domain, number in zip(domains, written.document.tolist(), strict=True):
        stem = domain.replace(" ", "-")
        document_id = f"{stem}-{number + 1:04d}"
        documents.append(document_id)
    name = f"{_TITLE} (seed {written.seed})"
    systems = _spell_all(written.words, written.systems)
    references = _spell_all(written.words, written.references)
    return TestSet(
        name,
        systems,
        references,
        documents=documents,
        domains=domains,
        simulated=True,
    )


def _spell_all(words: Sequence[str], texts: Mapping[str, Tokens]) -> dict[str, list[str]]:
    return {name: sentences(words, tokens) for name, tokens in texts.items()}


# A simulated shared task without a clear answer: ties, several winners, metrics that disagree.

TASK_SEGMENTS = 1000
_REFERENCES = 2
_TASK_MODEL = Model(topic_length=125, document_length=8)

#: A name ends in its track: all closed systems had the same data to learn from. Systems of one level
#: are equal in truth, and differ on this test set by chance; but Cedar chooses other words, and
#: Maple puts many too late.
SIMULATED_SYSTEMS = (
    SimulatedSystem("Alder-open", -0.84),
    SimulatedSystem("Aspen-closed", -0.50),
    SimulatedSystem("Beech-open", -0.84),
    SimulatedSystem("Birch-closed", -0.63),
    SimulatedSystem("Cedar-open", -0.95, usual_word=0.40),
    SimulatedSystem("Elm-closed", -0.63),
    SimulatedSystem("Fir-closed", -0.84),
    SimulatedSystem("Hazel-open", -0.63),
    SimulatedSystem("Larch-closed", -0.30),
    SimulatedSystem("Maple-open", -0.82, moved=0.12),
    SimulatedSystem("Oak-closed", -0.50),
    SimulatedSystem("Rowan-open", -0.42),
)

#: The language pairs of a whole task, in codes for private use, and who took no part in each.
PAIRS: dict[str, tuple[str, ...]] = {
    "qaa-en": (),
    "qab-en": ("Birch-closed", "Maple-open"),
    "qac-en": ("Alder-open", "Birch-closed", "Fir-closed"),
}
_RATED_DOCUMENTS = 0.6  # share of the documents that anybody was given to rate
_UNFINISHED = 0.06  # share of these that are missing for one system
_POINTS = 130  # per share of wrong words, on a scale from 0 to 100
_RATER_SD = 8.0  # of a document, for all systems alike
_NOISE_SD = 14.0  # of a single rating


def shared_task(seed: int = SEED) -> TestSet:
    """Twelve systems in two tracks, 1,000 segments, two references, and human ratings with gaps.

    Returns: marked as simulated, with documents, topics as domains, and the scores ``human``: whole
    points from 0 to 100.

    Examples
    --------
    >>> task = shared_task()
    >>> len(task.systems), task.n_segments, list(task.references), list(task.scores), task.simulated
    (12, 1000, ['ref1', 'ref2'], ['human'], True)
    """
    texts = simulate(
        TASK_SEGMENTS,
        seed=seed,
        n_references=_REFERENCES,
        systems=SIMULATED_SYSTEMS,
        model=_TASK_MODEL,
    )
    name = f"simulated shared task (seed {seed})"
    ratings = _ratings(seed)
    return replace(texts, name=name, scores={"human": ratings})


def simulated_task(pairs: Iterable[str] | None = None) -> Task:
    """Simulate a whole task: such a test set for each language pair, with its own random numbers.

    Not every system took part in each. `pairs`: of `PAIRS`; all by default.

    Examples
    --------
    >>> simulated_task(["qab-en"])
    <Task 'simulated task': 1 language pair, 10 systems>
    """
    if pairs is None:
        pairs = PAIRS
    testsets = {}
    participants: set[str] = set()
    for lang_pair in pairs:
        if lang_pair not in PAIRS:
            raise explain_unknown("language pair", lang_pair, PAIRS)
        number = list(PAIRS).index(lang_pair)
        absent = PAIRS[lang_pair]
        testset = shared_task(SEED + number).without(absent)
        name = f"simulated task {lang_pair} (seed {SEED})"
        testsets[lang_pair] = replace(testset, langpair=lang_pair, name=name)
        participants.update(testset.systems)
    systems = {}
    for system in SIMULATED_SYSTEMS:
        if system.name in participants:
            is_closed = system.name.endswith("-closed")
            systems[system.name] = SystemInfo(is_closed)
    return Task("simulated task", testsets, systems)


def _ratings(seed: int) -> SegmentScores:
    """Human ratings of each output, by its share of wrong words and by rater; many are missing."""
    stream = partial(make_stream, seed)
    corpus = make_corpus(TASK_SEGMENTS, _TASK_MODEL, stream)
    n_documents = corpus.document[-1] + 1
    assignment_draw = stream("documents to rate").random(n_documents)
    is_assigned = assignment_draw < _RATED_DOCUMENTS
    rater_draw = stream("raters").standard_normal(n_documents)
    rater_effect = _RATER_SD * rater_draw[corpus.document]
    by_system = {}
    for system in SIMULATED_SYSTEMS:
        purpose = f"system {system.name}"
        own_stream = partial(stream, purpose)
        completion_draw = own_stream("unfinished").random(n_documents)
        is_rated = is_assigned & (completion_draw >= _UNFINISHED)
        wrong = error_shares(corpus, system, _TASK_MODEL, own_stream)
        quality = 100 - _POINTS * wrong
        noise_draw = own_stream("ratings").standard_normal(TASK_SEGMENTS)
        noise = _NOISE_SD * noise_draw
        ratings = quality + rater_effect + noise
        points = np.rint(ratings).astype(int)
        has_rating = is_rated[corpus.document]
        scores = np.clip(points, 0, 100).astype(object)
        scores[~has_rating] = None
        by_system[system.name] = scores.tolist()
    return SegmentScores(by_system)


if __name__ == "__main__":
    write_demo()
