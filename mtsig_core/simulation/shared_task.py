"""A simulated shared task, which leaves something open: ties, several winners, metrics that disagree. Nothing is real.

It is made by the generator of the simulated corpus, with systems, layout and ratings of its own. ``docs/data.md``
says what is true in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from mtsig_core.errors import explain_unknown
from mtsig_core.simulation.corpus import SEED, simulate
from mtsig_core.simulation.model import Corpus, Model, SimulatedSystem, Stream, error_shares, make_corpus, make_stream
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet

TASK_SEGMENTS, _REFERENCES = 1000, 2
_MODEL = Model(topic_length=125, document_length=8)

#: A name ends in its track: all closed ones had the same data to learn from. Those of one level are equal in truth, and
#: what tells them apart on this test set is chance; but Cedar chooses other words, and Maple puts many too late.
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
PAIRS: dict[str, tuple[str, ...]] = {"qaa-en": (), "qab-en": ("Birch-closed", "Maple-open"),
                                     "qac-en": ("Alder-open", "Birch-closed", "Fir-closed")}
_RATED_DOCUMENTS = 0.6  # share of the documents that anybody was given to rate
_UNFINISHED = 0.06  # share of these that are missing for one system
_POINTS = 130  # per share of wrong words, on a scale from 0 to 100
_RATER_SD, _NOISE_SD = 8.0, 14.0  # of a document, for all systems alike; of a single rating


def shared_task(seed: int = SEED) -> TestSet:
    """Twelve systems in two tracks, 1,000 segments, two references, and human ratings with gaps.

    Returns: marked as simulated, with documents, topics as domains, and the scores ``human``: whole points from 0 to
    100.

    Examples
    --------
    >>> task = shared_task()
    >>> len(task.systems), task.n_segments, list(task.references), list(task.scores), task.simulated
    (12, 1000, ['ref1', 'ref2'], ['human'], True)
    """
    texts = simulate(TASK_SEGMENTS, seed=seed, n_references=_REFERENCES, systems=SIMULATED_SYSTEMS, model=_MODEL)
    return replace(texts, name=f"simulated shared task (seed {seed})", scores={"human": _ratings(seed)})


def simulated_task(pairs: Iterable[str] | None = None, seed: int = SEED) -> Task:
    """A whole task: such a test set for each language pair, of its own draws; not every system has each.

    `pairs`: of `PAIRS`; all by default.

    Examples
    --------
    >>> simulated_task(["qab-en"])
    <Task 'simulated task': 1 language pair, 10 systems>
    """
    chosen = list(PAIRS) if pairs is None else list(pairs)
    for pair in chosen:
        if pair not in PAIRS:
            raise explain_unknown("language pair", pair, PAIRS)
    order = list(PAIRS)
    testsets = {pair: replace(shared_task(seed + order.index(pair)).without(PAIRS[pair]), langpair=pair,
                              name=f"simulated task {pair} (seed {seed})") for pair in chosen}
    systems = {name for testset in testsets.values() for name in testset.systems}
    return Task("simulated task", testsets, {system.name: SystemInfo(system.name.endswith("-closed"))
                                             for system in SIMULATED_SYSTEMS if system.name in systems})


def _ratings(seed: int) -> SegmentScores:
    """What people say of each output: by its share of wrong words, and by who they are. Many say nothing."""
    stream = partial(make_stream, seed)
    corpus = make_corpus(TASK_SEGMENTS, _MODEL, stream)
    n_documents = corpus.document[-1] + 1
    given = stream("documents to rate").random(n_documents) < _RATED_DOCUMENTS
    rater = _RATER_SD * stream("raters").standard_normal(n_documents)
    return SegmentScores({system.name: _rated(corpus, system, given, rater, partial(stream, f"system {system.name}"))
                          for system in SIMULATED_SYSTEMS})


def _rated(corpus: Corpus, system: SimulatedSystem, given: np.ndarray, rater: np.ndarray, stream: Stream
           ) -> list[int | None]:
    """Ratings of one system, None where there is none."""
    right = 100 - _POINTS * error_shares(corpus, system, _MODEL, stream)
    said = right + rater[corpus.document] + _NOISE_SD * stream("ratings").standard_normal(TASK_SEGMENTS)
    finished = given & (stream("unfinished").random(len(given)) >= _UNFINISHED)
    points = np.clip(np.rint(said), 0, 100).astype(int).tolist()
    return [value if done else None for value, done in zip(points, finished[corpus.document].tolist(), strict=True)]
