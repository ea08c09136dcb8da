"""The simulated shared task: what is true in it, and what it leaves open on purpose."""

import numpy as np
import pytest

from mtsig_core import compare
from mtsig_core.simulation.corpus import (
    PAIRS,
    SIMULATED_SYSTEMS,
    shared_task,
    simulate,
    simulated_task,
)
from mtsig_core.simulation.model import (
    Model,
    SimulatedSystem,
    error_shares,
    make_corpus,
    make_stream,
)

CIRCLE = {"Alder-open", "Beech-open", "Cedar-open", "Fir-closed"}
EQUAL = [
    {"Alder-open", "Beech-open", "Fir-closed"},
    {"Birch-closed", "Elm-closed", "Hazel-open"},
    {"Aspen-closed", "Oak-closed"},
]


@pytest.fixture(scope="module")
def task():
    return shared_task()


@pytest.fixture(scope="module")
def found(task):
    return {metric: compare(task, metric).metrics[metric] for metric in ("bleu", "human")}


def test_what_it_is(task):
    assert task.simulated and "simulated" in task.name
    assert (len(task.systems), task.n_segments, task.n_references) == (12, 1000, 2)
    assert {name.split("-")[1] for name in task.systems} == {"open", "closed"}
    assert task.n_documents >= 100 and len(set(task.domains)) > 3
    assert set(np.diff(task.document_index)) == {0, 1}


def test_the_whole_task(task):
    whole = simulated_task()
    assert len(whole.testsets) == 3 and len(whole.systems) == 12 and len(whole.tracks) == 2
    for pair, testset in whole.testsets.items():
        assert testset.langpair == pair
        assert {system.name for system in SIMULATED_SYSTEMS} - testset.systems.keys() == set(
            PAIRS[pair]
        )
    assert dict(simulated_task(["qaa-en"]).testsets["qaa-en"].systems) == dict(task.systems)
    assert len({testset.digest for testset in whole.testsets.values()}) == 3


def test_ratings_are_whole_points_with_gaps(task):
    ratings = np.array([task.scores["human"].by_system[name] for name in task.systems], dtype=float)
    known = ratings[~np.isnan(ratings)]
    assert (known == np.rint(known)).all() and 0 <= known.min() < 40 and 90 < known.max() <= 100
    rated = ~np.isnan(ratings)
    assert 0.4 < rated.any(axis=0).mean() < 0.8  # documents that nobody rated
    assert (
        rated.any(axis=0).sum() - rated.all(axis=0).sum() > 0
    )  # and some rated for some systems alone
    for document in range(task.n_documents):  # a document is rated as a whole
        of_it = rated[:, task.document_index == document]
        assert (of_it.all(axis=1) | ~of_it.any(axis=1)).all()


def test_equal_systems_are_of_one_kind():
    kinds = {}
    for system in SIMULATED_SYSTEMS:
        kinds.setdefault((system.level, system.moved, system.usual_word), set()).add(system.name)
    equal = [names for names in kinds.values() if len(names) > 1]
    assert len(equal) == len(EQUAL) and all(names in equal for names in EQUAL)


def test_several_are_first_and_nobody_else(found):
    first = {row.system for row in found["bleu"].systems if row.rank_low == 1}
    assert first == CIRCLE
    assert all(
        (row.rank_low, row.rank_high) == (1, 4)
        for row in found["bleu"].systems
        if row.system in CIRCLE
    )


def test_it_leaves_something_open_and_never_parts_what_is_equal(found):
    pairs = found["bleu"].pairs
    assert 10 <= sum(not pair.significant for pair in pairs) <= 30
    for result in found.values():
        assert not [
            pair
            for pair in result.pairs
            if pair.significant and any({pair.a, pair.b} <= names for names in EQUAL)
        ]


def test_metrics_contradict_each_other(found):
    better = {
        metric: {(pair.a, pair.b) for pair in result.pairs if pair.significant}
        for metric, result in found.items()
    }
    assert ("Rowan-open", "Maple-open") in better["bleu"]
    assert ("Maple-open", "Rowan-open") in better["human"]
    assert found["human"].systems[0].system == "Cedar-open"
    assert ("Cedar-open", "Beech-open") in better["human"] and (
        "Cedar-open",
        "Beech-open",
    ) not in better["bleu"]


# -- what the generator has for it ----------------------------------------------------------------


def test_error_shares_are_those_of_the_output():
    """A system that only leaves words out: what is missing from its text is what it got wrong."""
    system, model = (
        SimulatedSystem("gaps", -0.5, moved=0, missing=1),
        Model(usual_word=1 - 1e-12, dropped_adjectives=0),
    )
    text = simulate(300, systems=[system], model=model)

    def stream(*purpose):
        return make_stream(7, *purpose)

    corpus = make_corpus(300, model, stream)
    shares = error_shares(corpus, system, model, lambda *purpose: stream("system gaps", *purpose))
    n = np.bincount(corpus.text.segment)
    gone = n - [len(line.replace(",", " ,").rstrip(".").split()) for line in text.systems["gaps"]]
    assert 0.3 < shares.mean() < 0.5
    # its last word stays, and a comma goes where it would stand alone
    assert np.abs(gone - shares * n).max() <= 5 and np.abs(gone - shares * n).mean() < 1
