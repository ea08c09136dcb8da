"""The simulated corpus: the same whenever it is made, whatever else is made with it, and plain to
read.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import SettingError
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.simulation.corpus import KOEHN_SYSTEMS, N_SEGMENTS, load_demo, simulate
from mtsig_core.simulation.grammar import load_grammar
from mtsig_core.simulation.model import Model, SimulatedSystem

KOEHN_BLEU = {
    "Spanish": 28.9,
    "Portuguese": 27.4,
    "Danish": 26.9,
    "Greek": 25.3,
    "German": 22.6,
    "Finnish": 20.1,
}


@pytest.fixture(scope="module")
def demo():
    return load_demo()


@pytest.fixture(scope="module")
def small():
    return simulate(600)


def bleu(testset):
    return Bleu().score(Bleu().statistics(testset).sum(axis=1, dtype=np.int64))


# -- the same again -------------------------------------------------------------------------------


@pytest.mark.long
def test_the_shipped_corpus_is_the_simulated_one(demo):
    assert simulate().digest == demo.digest


def test_the_beginning_of_the_shipped_corpus(small):
    assert load_demo(600).digest == small.digest
    assert load_demo(1).digest == simulate(1).digest


@pytest.mark.parametrize("n", [0, -1, N_SEGMENTS + 1])
def test_the_shipped_corpus_has_an_end(n):
    with pytest.raises(SettingError, match=f"has 30000 segments, {n} were asked for"):
        load_demo(n)


def test_same_seed_same_corpus(small):
    assert simulate(600).digest == small.digest
    assert simulate(600, seed=8).digest != small.digest


@pytest.mark.parametrize(
    "n, longer", [(250, 600), pytest.param(N_SEGMENTS, N_SEGMENTS + 500, marks=pytest.mark.long)]
)
def test_a_short_corpus_begins_a_long_one(n, longer):
    systems = KOEHN_SYSTEMS[-1:]
    assert (
        simulate(n, systems=systems).digest
        == simulate(longer, systems=systems).take(range(n)).digest
    )


def test_references_do_not_change_the_rest(small):
    several = simulate(600, n_references=3)
    assert list(several.references) == ["ref1", "ref2", "ref3"]
    assert several.references["ref1"] == small.references["ref"]
    assert several.systems == small.systems
    assert len(set(several.references.values())) == 3


@pytest.mark.parametrize("n", [1, 250])
def test_shipped_systems_have_the_references_made_beside_them(n):
    assert load_demo(n, n_references=2).digest == simulate(n, n_references=2).digest


def test_systems_do_not_change_each_other(small):
    others = simulate(600, systems=[SimulatedSystem("Latin", 0), *KOEHN_SYSTEMS[3::-1]])
    assert others.references == small.references
    assert all(
        others.systems[name] == small.systems[name]
        for name in ("Spanish", "Portuguese", "Danish", "Greek")
    )


# -- what it is -----------------------------------------------------------------------------------


def test_it_says_what_it_is(demo):
    assert demo.simulated
    assert "simulated" in demo.name
    assert demo.n_segments == 30_000
    assert list(demo.systems) == list(KOEHN_BLEU)
    assert list(demo.references) == ["ref"]
    assert demo.sources is None


def test_documents_and_topics_are_contiguous(demo):
    changes = np.diff(demo.document_index)
    assert set(changes) == {0, 1}
    assert 12 < demo.n_segments / demo.n_documents < 18
    runs = [
        domain for k, domain in enumerate(demo.domains) if k == 0 or domain != demo.domains[k - 1]
    ]
    assert set(runs) == set(load_grammar().topics)
    assert 40 < len(runs) < 100
    # an id says the topic, and no document goes on in another topic
    assert all(
        document.startswith(domain.replace(" ", "-"))
        for document, domain in zip(demo.documents, demo.domains, strict=True)
    )
    assert len(set(demo.documents)) == demo.n_documents


@pytest.mark.statistics
def test_levels_are_those_of_koehn(demo):
    np.testing.assert_allclose(bleu(demo), list(KOEHN_BLEU.values()), atol=0.3)


@pytest.mark.statistics
@pytest.mark.parametrize(
    "n, atol", [(6000, 2.5), pytest.param(N_SEGMENTS, 1, marks=pytest.mark.long)]
)
def test_other_seeds_have_nearby_levels(n, atol):
    np.testing.assert_allclose(bleu(simulate(n, seed=3)), list(KOEHN_BLEU.values()), atol=atol)


def test_a_better_system_is_better_and_little_else():
    worse, better = (
        simulate(2000, systems=KOEHN_SYSTEMS[:1]),
        simulate(2000, systems=[replace(KOEHN_SYSTEMS[0], level=KOEHN_SYSTEMS[0].level - 0.02)]),
    )
    assert 0.1 < bleu(better)[0] - bleu(worse)[0] < 0.6
    same = np.mean(
        [a == b for a, b in zip(worse.systems["Spanish"], better.systems["Spanish"], strict=True)]
    )
    assert same > 0.7


@pytest.mark.parametrize("penalty, ratio", [(0.2, 0.82), (-0.2, 1.13)])
def test_a_word_penalty_changes_the_length_and_hardly_the_precision_of_what_is_left(penalty, ratio):
    as_it_is, changed = (
        Bleu()
        .statistics(simulate(2000, systems=[replace(KOEHN_SYSTEMS[0], word_penalty=value)]))[0]
        .sum(axis=0)
        for value in (0.0, penalty)
    )
    assert changed[0] / changed[1] == pytest.approx(ratio, abs=0.03)
    precision, recall = (
        [counts[k] / counts[n] for counts in (as_it_is, changed)] for k, n in ((5, 9), (2, 1))
    )
    if penalty > 0:
        assert precision[1] == pytest.approx(precision[0], rel=0.1)
    else:  # of what is added some is right
        assert precision[1] < precision[0] and recall[1] > 1.02 * recall[0]


def test_without_errors_only_the_choice_of_words_differs():
    model = Model(usual_word=1 - 1e-12, dropped_adjectives=0)
    perfect = simulate(300, systems=[SimulatedSystem("perfect", -99, moved=0)], model=model)
    assert perfect.systems["perfect"] == perfect.references["ref"]


# -- plain to read --------------------------------------------------------------------------------


@pytest.mark.long
def test_sentences_are_well_formed(demo):
    for texts in (demo.references["ref"], *demo.systems.values()):
        assert [
            text for text in texts if not re.fullmatch(r"[A-Z][A-Za-z]*(,? [A-Za-z]+)*\.", text)
        ] == []


# -- the word file --------------------------------------------------------------------------------
