"""Dependency F-score: hand counts, an oracle by sorting, and what must not change it."""

import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import InputError, SettingError, TestSet, make_metric
from mtsig_core.metrics.dep_f import DepF

DOGS = "The\tthe\t2\tdet\ndogs\tdog\t3\tnsubj\nbark\tbark\t0\troot\n.\t.\t3\tpunct"
DOG = "A\ta\t2\tdet\ndog\tdog\t3\tnsubj\nbarks\tbark\t0\troot\nloudly\tloudly\t3\tadvmod"
GO = "Go\tgo\t0\troot"
PASSIVE = "dogs\tdog\t2\tnsubj:pass\nchased\tbark\t0\troot"


def texts_of(parses):
    return [parse and "text" for parse in parses]


def parsed(systems, references, texts=texts_of):
    """A test set of these parses, {name: parses by segment}."""
    return TestSet(
        "parsed",
        {k: [t or "" for t in texts(v)] for k, v in systems.items()},
        {k: texts(v) for k, v in references.items()},
        parses={k: [p or "" for p in v] for k, v in (systems | references).items()},
    )


def counts(output, *references, **settings):
    testset = parsed(
        {"A": [output]}, {f"r{k}": [reference] for k, reference in enumerate(references)}
    )
    return DepF(**settings).statistics(testset)[0, 0].tolist()


VERY = "very\tvery\t4\tadvmod\n" * 3 + "good\tgood\t0\troot"
ONCE = "very\tvery\t2\tadvmod\ngood\tgood\t0\troot"
UPPER = DOGS.replace("\tdog\t", "\tDog\t")


@pytest.mark.parametrize(
    "output, reference, settings, expected",
    [
        (
            DOG,
            DOGS,
            {},
            [2, 4, 3],
        ),  # dog nsubj of bark, bark root; not the determiners, not loudly, no punctuation
        (DOG, DOGS, {"forms": True}, [0, 4, 3]),
        (DOG, DOGS, {"punctuation": True}, [2, 4, 4]),
        (PASSIVE, DOGS, {}, [2, 2, 3]),
        (PASSIVE, DOGS, {"subtypes": True}, [1, 2, 3]),
        ("Go\tgo\t0\troot\n!\t!\t1\tpunct:end", GO, {}, [1, 1, 1]),
        (UPPER, DOGS, {}, [1, 3, 3]),
        (UPPER, DOGS, {"lowercase": True}, [3, 3, 3]),
        (VERY, ONCE, {}, [2, 4, 2]),
        (ONCE, VERY, {}, [2, 2, 4]),  # clipped
        (
            "a\ta\t2\tobj\nb\tb\t0\troot",
            "a\ta\t0\troot\nb\tb\t1\tobj",
            {},
            [0, 2, 2],
        ),  # the direction counts
        (f"{DOGS}\n\n{PASSIVE}", DOGS, {}, [3, 5, 3]),
        ("", DOGS, {}, [0, 0, 3]),
        (DOGS, "", {}, [0, 3, 0]),
        ("", "", {}, [0, 0, 0]),
    ],
)
def test_by_hand(output, reference, settings, expected):
    assert counts(output, reference, **settings) == expected


def test_of_several_references_the_best_counts_segment_by_segment():
    testset = parsed({"A": [DOGS, PASSIVE]}, {"r": [DOG, PASSIVE], "s": [DOGS, DOG]})
    assert DepF().statistics(testset)[0].tolist() == [[3, 3, 3], [2, 2, 2]]


def test_a_reference_that_is_not_there_is_left_out():
    testset = parsed({"A": [DOGS, GO]}, {"r": [None, None], "s": [DOG, DOG]})
    assert DepF().statistics(testset)[0].tolist() == [[2, 3, 4], [0, 1, 4]]


def test_where_nothing_matches_the_shortest_reference_counts():
    assert counts(GO, DOGS, PASSIVE, DOG) == [0, 1, 2]
    assert DepF().score(np.array([[0, 0, 0], [0, 3, 0], [2, 2, 3]])).tolist() == [0, 0, 80]


# -- an oracle that shares no code: triples as lists, matched by taking one away at a time --------


def triples(parse):
    rows = [
        [line.split("\t") for line in sentence.splitlines()]
        for sentence in parse.split("\n\n")
        if sentence
    ]
    return [
        ("ROOT" if r[2] == "0" else "w" + words[int(r[2]) - 1][1], r[3].split(":")[0], r[1])
        for words in rows
        for r in words
        if not r[3].startswith("punct")
    ]


def matched(output, reference):
    left, n = list(reference), 0
    for triple in output:
        if triple in left:
            left.remove(triple)
            n += 1
    return n


def f_score(m, o, r):
    return 2 * m / (o + r) if o + r else 1


WORD = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from(["nsubj", "nsubj:pass", "obj", "punct"]),
    st.integers(0, 9),
)


@st.composite
def parses(draw):
    """A segment of up to two sentences."""
    sentences = []
    for words in draw(st.lists(st.lists(WORD, min_size=1, max_size=5), max_size=2)):
        heads = [(head % (len(words) + 1)) for *_, head in words]
        sentences.append(
            "\n".join(
                f"{lemma}s\t{lemma}\t{head if head != k else 0}\t{relation}"
                for k, ((lemma, relation, _), head) in enumerate(zip(words, heads, strict=True), 1)
            )
        )
    return "\n\n".join(sentences)


@given(parses(), st.lists(parses(), min_size=1, max_size=3))
def test_as_by_hand(output, references):
    tried = [
        (matched(triples(output), triples(r)), len(triples(output)), len(triples(r)))
        for r in references
    ]
    found = counts(output, *references)
    assert tuple(found) in tried and f_score(*found) == max(f_score(*one) for one in tried)


@given(parses(), st.lists(parses(), min_size=2, max_size=3))
def test_the_order_of_references_is_of_no_account(output, references):
    assert len({tuple(counts(output, *order)) for order in permutations(references)}) == 1


# -- in the test set ------------------------------------------------------------------------------

BOTH = parsed({"A": [DOGS, DOG], "B": [DOG, PASSIVE]}, {"r": [DOGS, DOGS], "s": [DOG, DOG]})


def test_parses_go_where_their_texts_go():
    assert set(BOTH.only(["A"]).parses) == {"A", "r", "s"} == set(BOTH.without(["B"]).parses)
    assert set(BOTH.scored_with(["r"]).parses) == {"A", "B", "r"}
    human = BOTH.scored_with(["r"], others_as_systems=True)
    assert human.parses["HUMAN-s"] == (DOG, DOG) and "s" not in human.parses
    assert BOTH.take([1]).parses["B"] == (PASSIVE,)
    assert pickle.loads(pickle.dumps(BOTH)).parses == BOTH.parses
    assert pickle.loads(pickle.dumps(BOTH)).digest == BOTH.digest


def test_parses_that_do_not_fit():
    with pytest.raises(InputError, match="parse of A has 1 segment, the first reference has 2"):
        TestSet("t", {"A": ["a", "b"]}, {"r": ["a", "b"]}, parses={"A": [""]})
    with pytest.raises(
        InputError,
        match="a parse of 'X', which is not a system and not a reference. They are: A, r",
    ):
        TestSet("t", {"A": ["a"]}, {"r": ["a"]}, parses={"X": [""]})
    with pytest.raises(InputError, match="'A' names a system and a reference"):
        TestSet("t", {"A": ["a"]}, {"A": ["b"]}, parses={"A": [""]})


def test_who_has_no_parse_is_named():
    testset = TestSet("t", {"A": ["a"], "B": ["a"]}, {"r": ["a"]}, parses={"B": [""]})
    with pytest.raises(SettingError, match="Missing: A, r. Give a CoNLL-U file for each"):
        make_metric("dep-f").statistics(testset)
