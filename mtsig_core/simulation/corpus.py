"""The demonstration corpus: six simulated systems, calibrated to those of Koehn (2004). Nothing in it is real.

`simulate` makes it, in seconds; `load_demo` reads the same from ``demo.xz``, in less than one.
``python -m mtsig_core.simulation.corpus`` writes that file anew. ``docs/data.md`` says what it imitates and
what not.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.simulation.grammar import Tokens, sentences
from mtsig_core.simulation.model import (
    HOME_SEGMENTS,
    Model,
    SimulatedSystem,
    make_corpus,
    make_stream,
    refer,
    translate,
)
from mtsig_core.testset import TestSet

ASSET = Path(__file__).with_name("demo.xz")
N_SEGMENTS, SEED = HOME_SEGMENTS, 7
_MODEL = Model()
_TITLE = "simulated corpus"
_MOST_REFERENCES = 9

#: Named, as in Koehn (2004, Table 1), after the language translated from. At the default seed they get its BLEU.
KOEHN_SYSTEMS = (
    SimulatedSystem("Spanish", -0.804),
    SimulatedSystem("Portuguese", -0.679),
    SimulatedSystem("Danish", -0.645),
    SimulatedSystem("Greek", -0.545, moved=0.035),
    SimulatedSystem("German", -0.470, moved=0.06),
    SimulatedSystem("Finnish", -0.310, moved=0.07),
)


def simulate(n_segments: int = N_SEGMENTS, *, seed: int = SEED, n_references: int = 1,
             systems: Sequence[SimulatedSystem] = KOEHN_SYSTEMS, model: Model = _MODEL) -> TestSet:
    """A simulated test set, the same for the same arguments.

    Every random number comes from a stream for its own purpose. More segments, references or systems never change
    those that were there before: a shorter corpus is the beginning of a longer one.

    Returns: marked as simulated, with documents, and topics as domains; no sources. The reference is called ``ref``;
    several are ``ref1``, ``ref2``, ....

    Examples
    --------
    >>> demo = simulate(2)
    >>> list(demo.systems), demo.simulated
    (['Spanish', 'Portuguese', 'Danish', 'Greek', 'German', 'Finnish'], True)
    """
    return _testset(_write(n_segments, seed, n_references, systems, model))


def outputs(n_segments: int, systems: Iterable[SimulatedSystem], *, seed: int = SEED, model: Model = _MODEL
            ) -> Iterator[list[str]]:
    """The output of each system in turn, as in `simulate`; here several may have one name, and so one's random numbers.
    """
    stream = partial(make_stream, seed)
    corpus = make_corpus(n_segments, model, stream)
    for system in systems:
        yield list(sentences(corpus.grammar.words, translate(corpus, system, model,
                                                             partial(stream, f"system {system.name}"))))


def load_demo(n_segments: int | None = None, n_references: int = 1) -> TestSet:
    """The simulated corpus as shipped, equal to ``simulate(n_segments)``, without the wait. One reference is shipped;
    several are made when asked for."""
    if not 1 <= n_references <= _MOST_REFERENCES:
        raise SettingError(f"{n_references} references to simulate. Expected 1 to {_MOST_REFERENCES}.")
    shipped = _read(n_segments)
    if n_references == 1:
        return _testset(shipped)
    return _testset(_write(len(shipped.topic), SEED, n_references, (), _MODEL)._replace(systems=shipped.systems))


def write_demo() -> None:
    """Write the corpus of the default settings to `ASSET`."""
    written = _write(N_SEGMENTS, SEED, 1, KOEHN_SYSTEMS, _MODEL)
    texts = [*written.references.values(), *written.systems.values()]
    sizes = np.stack([np.bincount(text.segment, minlength=N_SEGMENTS) for text in texts], axis=1)
    # Segment by segment, the reference before the systems: what is alike stands close together and packs well.
    order = np.argsort(np.concatenate([text.segment for text in texts]), kind="stable")
    words = np.concatenate([text.ids for text in texts])[order]
    header = {"seed": SEED, "segments": N_SEGMENTS, "references": list(written.references),
              "systems": list(written.systems), "topics": written.topics, "words": written.words}
    arrays = [written.topic.astype("u1"), written.document.astype("<u2"), sizes.astype("u1"), words.astype("<u2")]
    # Two bytes to a number: tell the compressor (lp, pb).
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 2, "lp": 1, "pb": 1}]
    with lzma.open(ASSET, "wb", filters=filters) as file:
        file.write(json.dumps(header).encode() + b"\n")
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


def _write(n_segments: int, seed: int, n_references: int, systems: Sequence[SimulatedSystem], model: Model) -> _Written:
    for what, value, least in (("segments", n_segments, 1), ("references", n_references, 1), ("seed", seed, 0)):
        if value < least:
            raise SettingError(f"Simulated corpus: {what} is {value}. Expected at least {least}.")
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise SettingError(f"Simulated corpus: two systems of one name among {', '.join(names)}. Rename one.")
    stream = partial(make_stream, seed)
    corpus = make_corpus(n_segments, model, stream)
    names = ["ref"] if n_references == 1 else [f"ref{k + 1}" for k in range(n_references)]
    return _Written(
        seed, corpus.grammar.words, corpus.grammar.topics, corpus.topic, corpus.document,
        {name: refer(corpus, model, partial(stream, f"reference {k + 1}")) for k, name in enumerate(names)},
        {system.name: translate(corpus, system, model, partial(stream, f"system {system.name}"))
         for system in systems})


def _read(n_segments: int | None) -> _Written:
    with lzma.open(ASSET) as file:  # unpacked as far as needed
        header = json.loads(file.readline())
        total, names = header["segments"], header["references"] + header["systems"]
        n = total if n_segments is None else n_segments
        if not 1 <= n <= total:
            raise SettingError(f"The simulated corpus has {total} segments, {n} were asked for. Ask for 1 to {total}.")

        def take(dtype: str, count: int) -> np.ndarray:
            return np.frombuffer(file.read(count * np.dtype(dtype).itemsize), dtype)

        topic, document = take("u1", total)[:n], take("<u2", total)[:n]
        sizes = take("u1", total * len(names)).reshape(total, -1)[:n].astype(int)
        words = take("<u2", sizes.sum())
    of_text = np.repeat(np.tile(np.arange(len(names), dtype=np.uint8), n), sizes.ravel())
    texts = {name: Tokens(words[of_text == k], np.repeat(np.arange(n), sizes[:, k])) for k, name in enumerate(names)}
    return _Written(header["seed"], header["words"], header["topics"], topic, document,
                    {name: texts[name] for name in header["references"]},
                    {name: texts[name] for name in header["systems"]})


def _testset(written: _Written) -> TestSet:
    domains = [written.topics[k] for k in written.topic.tolist()]
    # Named by the topic and numbered throughout, so that an id says what a document is about and occurs once.
    documents = [f"{domain.replace(' ', '-')}-{k + 1:04d}"
                 for domain, k in zip(domains, written.document.tolist(), strict=True)]
    references, systems = ({name: sentences(written.words, text) for name, text in texts.items()}
                           for texts in (written.references, written.systems))
    return TestSet(f"{_TITLE} (seed {written.seed})", systems, references, documents=documents, domains=domains,
                   simulated=True)


if __name__ == "__main__":
    write_demo()
