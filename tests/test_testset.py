"""TestSet: aligned, immutable, known by its content."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.errors import InputError, SettingError
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet

TOY = TestSet(
    "toy",
    systems={
        "A": ["a1", "a2", "a3", "a4"],
        "B": ["b1", "", "b3", "b4"],
        "C": ["c1", "c2", "c3", "c4"],
    },
    references={"r": ["r1", "r2", None, "r4"], "s": ["s1", "s2", "s3", "s4"]},
    sources=["x1", "x2", "x3", "x4"],
    documents=["d1", "d1", "d2", "d1"],
    domains=["news", "news", "news", "talks"],
    langpair="en-de",
    lines=[2, 3, 4, 5],
)


def content(testset):
    return {
        name: (dict(value) if name in ("systems", "references") else value)
        for name in testset.__dataclass_fields__
        for value in [getattr(testset, name)]
    }


class TestChecks:
    def test_no_reference(self):
        with pytest.raises(InputError, match="toy: no reference"):
            TestSet("toy", systems={"A": ["a"]}, references={})

    def test_no_segment(self):
        with pytest.raises(InputError, match="toy: no segment"):
            TestSet("toy", systems={}, references={"r": []})

    @pytest.mark.parametrize(
        "part, what",
        [
            ({"systems": {"A": ["a"]}}, "system A"),
            ({"references": {"r": ["r", "r"], "s": ["s"]}}, "reference s"),
            ({"sources": ["x"]}, "sources"),
            ({"documents": ["x"]}, "documents"),
            ({"domains": ["x"]}, "domains"),
            ({"lines": [1]}, "lines"),
        ],
    )
    def test_other_lengths(self, part, what):
        with pytest.raises(
            InputError, match=f"toy: {what} has 1 segment, the first reference has 2"
        ):
            TestSet("toy", **{"systems": {}, "references": {"r": ["r", "r"]}} | part)

    def test_segment_without_reference(self):
        with pytest.raises(InputError, match="line 12 has no reference"):
            TestSet(
                "toy", systems={}, references={"r": ["r", None], "s": [None, None]}, lines=[11, 12]
            )

    @pytest.mark.parametrize(
        "given, said",
        [
            (
                {"systems": {"A": "a b c"}},
                "toy: system A is the text 'a b c'. Expected a list with an item for each",
            ),
            ({"references": {"r": "r"}}, "toy: reference r is the text 'r'"),
            ({"systems": {"A": b"ab"}}, "toy: system A is the text b'ab'"),
            ({"documents": "xy"}, "toy: documents is the text 'xy'"),
            ({"systems": {"A": 5}}, "toy: system A is 5. Expected a list"),
            (
                {"systems": {"A": {"a": "b", "c": "d"}}},
                "toy: system A is {'a': 'b', 'c': 'd'}. Expected a list",
            ),
            (
                {"systems": [["a", "b"]]},
                "toy: systems are [['a', 'b']]. Expected a mapping from names to lists",
            ),
            ({"references": ["r", "r"]}, "toy: references are ['r', 'r']. Expected a mapping"),
            ({"systems": {3: ["a", "b"]}}, "toy: systems: 3 is no name"),
            (
                {"systems": {" ": ["a", "b"]}},
                "toy: systems: ' ' is no name. Expected a text that is not empty",
            ),
            (
                {"systems": {"A": ["a", None]}},
                "toy: system A: segment 2 is None. Expected a text; where there is nothing,",
            ),
            ({"systems": {"A": [None, None]}}, "toy: system A: segment 1 is None"),
            ({"systems": {"A": ["a", math.nan]}}, "toy: system A: segment 2 is nan"),
            ({"systems": {"A": [1, "a"]}}, "toy: system A: segment 1 is 1. Expected a text"),
            ({"systems": {"A": [["a"], ["b"]]}}, "toy: system A: segment 1 is ['a']"),
            (
                {"references": {"r": ["r", 2.5]}},
                "toy: reference r: segment 2 is 2.5. Expected a text; where there is nothing, None",
            ),
            ({"documents": [1, 2]}, "toy: documents: segment 1 is 1"),
            ({"sources": ["x", None]}, "toy: sources: segment 2 is None"),
            ({"scores": {"human": {"A": "90"}}}, "Scores of A is the text '90'"),
            (
                {"scores": {"human": {"A": ["90", 80]}}},
                "Scores of A: segment 1 is '90'. Expected a finite number, or None",
            ),
            ({"scores": {"human": {"A": [True, 80]}}}, "Scores of A: segment 1 is True"),
            ({"scores": {"human": {"A": [math.inf, 80]}}}, "Scores of A: segment 1 is inf"),
            ({"scores": {"human": [1, 2]}}, "Scores are [1, 2]. Expected a mapping"),
            ({"scores": {"": {"A": [1, 2]}}}, "toy: scores: '' is no name"),
        ],
    )
    def test_what_is_no_list_of_texts_or_numbers(self, given, said):
        with pytest.raises(InputError) as raised:
            TestSet(
                "toy", **{"systems": {"A": ["a", "b"]}, "references": {"r": ["r", "r"]}} | given
            )
        assert str(raised.value).startswith(said)

    def test_arrays_and_other_sequences_will_do(self):
        scores = {"human": {"A": np.array([1, np.nan], np.float32), "B": pd.Series([2, 3])}}
        systems = {"A": np.array(["a", "b"]), "B": pd.Series(["c", ""])}
        testset = TestSet("toy", systems, {"r": ("r", "r")}, scores=scores)
        assert testset.systems["B"] == ("c", "") and list(testset.systems["A"]) == ["a", "b"]
        assert testset.scores["human"].by_system == {"A": (1.0, None), "B": (2.0, 3.0)}
        assert testset.scores["human"].higher_is_better


class TestImmutable:
    def test_attributes(self):
        with pytest.raises(FrozenInstanceError):
            TOY.name = "other"

    def test_mappings(self):
        with pytest.raises(TypeError):
            TOY.systems["A"] = ()
        with pytest.raises(TypeError):
            TOY.references["r"] = ()

    def test_what_nobody_sees_in_a_name_is_written_out(self):
        """Of systems, references, scores, the set, and in a table of systems: two that look alike
        are told apart.
        """
        names, shown = (
            ["a\u202eb", "a\u200b", "a\n", "a\u200cb"],
            ["a\\u202eb", "a\\u200b", "a\\n", "a\u200cb"],
        )
        testset = TestSet(
            "a\u202e",
            {name: ["x"] for name in names},
            {names[0]: ["x"]},
            scores={names[1]: SegmentScores({name: [1.0] for name in names})},
        )
        assert [*testset.systems] == shown == [
            *testset.scores[shown[1]].by_system
        ] and testset.name == "a\\u202e"
        assert [*testset.references] == shown[:1]
        task = Task("t", {"en-de": testset}, {names[0]: SystemInfo(constrained=True)})
        assert task.systems[shown[0]].constrained

    def test_sequences_are_copies(self):
        texts, systems = ["a"], {}
        systems["A"] = texts
        testset = TestSet("toy", systems=systems, references={"r": ["r"]}, documents=(ids := ["d"]))
        texts[0], ids[0], systems["B"] = "other", "other", ["b"]
        assert dict(testset.systems) == {"A": ("a",)} and testset.documents == ("d",)

    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t)), replace]
    )
    def test_copies_are_whole(self, copied):
        other = copied(TOY)
        assert content(other) == content(TOY) and other.digest == TOY.digest
        with pytest.raises(TypeError):
            other.systems["A"] = ()


class TestDigest:
    def test_is_of_the_content_alone(self):
        assert replace(TOY, name="other").digest == TOY.digest
        assert TOY.take(range(4)).digest == TOY.digest

    CHANGES = [
        {"systems": dict(TOY.systems) | {"A": ["a1", "a2", "a3", "a5"]}},
        {"systems": {"A2" if k == "A" else k: v for k, v in TOY.systems.items()}},
        {"systems": {k: v for k, v in TOY.systems.items() if k != "C"}},
        {"references": dict(TOY.references) | {"s": ["s1", "s2", "s3", ""]}},
        {"references": dict(TOY.references) | {"r": ["r1", "r2", "", "r4"]}},
        {"references": {"s": TOY.references["s"]}},
        {"sources": None},
        {"sources": ["x1", "x2", "x3", "x"]},
        {"documents": None},
        {"documents": ["d"] * 4},
        {"domains": None},
        {"domains": ["news"] * 4},
        {"langpair": "en-nl"},
        {"langpair": None},
    ]

    def test_of_all_changes_differ(self):
        digests = {TOY.digest, *(replace(TOY, **change).digest for change in self.CHANGES)}
        assert len(digests) == 1 + len(self.CHANGES)

    def test_of_references_changes_with_all_but_the_outputs(self):
        for change in [*self.CHANGES, {"lines": [2, 3, 4, 6]}]:
            is_same = replace(TOY, **change).reference_digest == TOY.reference_digest
            assert is_same is ("systems" in change), change
        scored = replace(TOY, scores={"human": {"A": [1, 2, 3, 4]}}, tokenizer="char")
        assert scored.reference_digest == TOY.reference_digest

    @given(
        st.lists(st.text(max_size=3), min_size=2, max_size=2),
        st.lists(st.text(max_size=3), min_size=2, max_size=2),
    )
    def test_texts_do_not_run_into_each_other(self, one, two):
        digests = [
            TestSet("t", systems={"A": texts}, references={"r": ["", ""]}).digest
            for texts in (one, two)
        ]
        assert (digests[0] == digests[1]) == (one == two)

    def test_is_the_same_everywhere(self):
        testset = TestSet(
            "t", systems={"A": ["ä", "b"]}, references={"r": ["c", "d"]}, langpair="en-de"
        )
        assert testset.digest == "52fc89c11ea5e93c26298048c674ab09"


class TestDocuments:
    def test_same_id_in_two_domains_is_two_documents(self):
        assert TOY.document_index.tolist() == [0, 0, 1, 2] and TOY.n_documents == 3

    def test_without_domains(self):
        testset = replace(TOY, domains=None)
        assert testset.document_index.tolist() == [0, 0, 1, 0] and testset.n_documents == 2
        assert testset.document_index.dtype == np.intp

    def test_without_documents(self):
        testset = replace(TOY, documents=None)
        assert testset.n_documents is None
        with pytest.raises(SettingError, match="toy has no document ids"):
            _ = testset.document_index


class TestSelection:
    def test_only_and_without_keep_the_order(self):
        assert list(TOY.only(["C", "A"]).systems) == ["A", "C"]
        assert list(TOY.without(["B"]).systems) == ["A", "C"]
        assert content(TOY.only(["A", "B", "C"])) == content(TOY)

    def test_texts_are_looked_at_once(self):
        assert TOY.only(["A"]).systems["A"] is TOY.systems["A"]
        with pytest.raises(
            InputError, match="system S: segment 3 is None"
        ):  # which a reference may lack
            replace(TOY, systems={"S": TOY.references["r"]})

    @pytest.mark.parametrize("method", [TestSet.only, TestSet.without])
    def test_unknown_system(self, method):
        with pytest.raises(SettingError, match="No system 'X' in toy. It has: A, B, C."):
            method(TOY, ["A", "X"])

    def test_scored_with(self):
        testset = TOY.scored_with(["s"])
        assert list(testset.references) == ["s"] and testset.systems == TOY.systems
        assert content(TOY.scored_with()) == content(TOY)
        with pytest.raises(SettingError, match="No reference 'x' in toy. It has: r, s."):
            TOY.scored_with(["x"])

    def test_other_references_as_systems(self):
        whole = replace(TOY, references={"r": ["r1"] * 4, "s": TOY.references["s"]})
        testset = whole.scored_with(["s"], others_as_systems=True)
        assert testset.systems["HUMAN-r"] == ("r1",) * 4 and list(testset.references) == ["s"]
        with pytest.raises(SettingError, match="No reference is left"):
            whole.scored_with(others_as_systems=True)
        with pytest.raises(InputError, match="reference r lacks segments"):
            TOY.scored_with(["s"], others_as_systems=True)
        named = replace(whole, systems={"HUMAN-r": ["x"] * 4})
        with pytest.raises(InputError, match="already called HUMAN-r"):
            named.scored_with(["s"], others_as_systems=True)

    def test_scored_with_what_lacks_a_segment(self):
        with pytest.raises(InputError, match="line 4 has no reference"):
            TOY.scored_with(["r"])

    def test_in_domain(self):
        testset = TOY.in_domain("talks")
        assert (
            testset.systems["A"] == ("a4",)
            and testset.lines == (5,)
            and testset.documents == ("d1",)
        )
        with pytest.raises(SettingError, match="No domain 'law' in toy. It has: news, talks."):
            TOY.in_domain("law")
        with pytest.raises(SettingError, match="toy has no domains"):
            replace(TOY, domains=None).in_domain("news")

    def test_at(self):
        testset = TOY.take([3, 0])
        assert testset.systems["B"] == ("b4", "b1") and testset.references["r"] == ("r4", "r1")
        assert testset.sources == ("x4", "x1") and testset.documents == ("d1", "d1")
        assert testset.domains == ("talks", "news") and testset.lines == (5, 2)
        assert testset.document_index.tolist() == [0, 1]
