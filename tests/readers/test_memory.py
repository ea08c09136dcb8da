"""Test sets and scores from data frames, mappings and arrays."""

import numpy as np
import pandas as pd
import pytest

from mtsig_core import InputError, SettingError, TestSet, join_scores, read_scores
from mtsig_core.readers.texts import read_frame

TEXTS = {
    "docid": [7, 7, 8],
    "domain": ["news", "news", "talks"],
    "src": ["x", "y", "z"],
    "refA": ["a b", "c d", "e"],
    "refB": ["a", None, "e f"],
    "GPT-4": ["a b", "", "e"],
    "NLLB": ["a", "c", "f"],
}
TOY = TestSet(
    "toy", {"A": ["a b", "c d", "e f"], "B": ["a x", "c x", "e x"]}, {"ref": ["a b", "c d", "e f"]}
)


class TestTexts:
    @pytest.mark.parametrize(
        "frame", [TEXTS, pd.DataFrame(TEXTS), pd.DataFrame(TEXTS, index=[5, 5, 1])]
    )
    def test_columns_go_by_what_they_are_called(self, frame):
        testset = read_frame(frame, langpair="en-de", name="toy")
        assert testset.systems == {"GPT-4": ("a b", "", "e"), "NLLB": ("a", "c", "f")}
        assert testset.references == {"refA": ("a b", "c d", "e"), "refB": ("a", None, "e f")}
        assert (testset.sources, testset.domains) == (("x", "y", "z"), ("news", "news", "talks"))
        assert (testset.documents, testset.n_documents) == (("7", "7", "8"), 2)
        assert (testset.name, testset.langpair) == ("toy", "en-de")

    def test_columns_may_be_named(self):
        frame = pd.DataFrame(
            {"Gold": ["a", "b"], "out": ["a", "c"], "part": ["p", "q"], "given": [1, 1]}
        )
        testset = read_frame(frame, references="Gold", systems=["out"], documents="part")
        assert (dict(testset.systems), testset.documents) == ({"out": ("a", "c")}, ("p", "q"))
        assert list(testset.references) == ["Gold"] and testset.domains is None

    @pytest.mark.parametrize(
        "frame, named, said",
        [
            ({"A": ["a"]}, {}, "data frame: no column is called like a reference .* there are: A."),
            (
                {"gold": ["a"], "A": ["a"]},
                {"references": "Gold"},
                "no column 'Gold'. Did you mean 'gold'. It has: gold, A",
            ),
            ({"ref": ["a"], "A": ["a"]}, {"systems": ["A", "A"]}, "the column 'A' is named twice"),
            ({"ref": ["a"], "A": ["a"]}, {"documents": "docid"}, "no column 'docid'. It has"),
            (
                {"ref": ["a"], "A": ["a"], "given": [1]},
                {},
                r"column given \(taken for a system\): segment 1 is 1. Expected a text",
            ),
            (
                pd.DataFrame({"ref": ["a", "b"], "A": ["a", None]}),
                {},
                r"A \(taken for a system\): segment 2 is None",
            ),
            (
                pd.DataFrame({"ref": ["a", "b"], "A": ["a", "c"], "docid": ["x", pd.NA]}),
                {},
                "documents: segment 2 is None",
            ),
            (
                pd.DataFrame([["a", "b", "c"]], columns=["ref", "A", "A"]),
                {},
                "has the column A twice",
            ),
            (
                pd.DataFrame([["a", "b"]], columns=["ref", 0]),
                {},
                "a column that is called 0. Expected texts",
            ),
            (
                {"ref": ["a", "b"], "A": ["a"]},
                {},
                "system A has 1 segment, the first reference has 2",
            ),
            ({"ref": ["a"], "A": "a"}, {}, "column A is the text 'a'. Expected a list"),
            (
                [["a", "b"]],
                {},
                "is of the type list. Expected a data frame of pandas or polars .*, or a mapping",
            ),
            (pd.Series(["a"], name="ref"), {}, "is of the type Series. Expected a data frame"),
            (pd.DataFrame({"ref": [], "A": []}), {}, "no segment"),
        ],
    )
    def test_mistakes(self, frame, named, said):
        with pytest.raises(InputError, match=said):
            read_frame(frame, **named)


LONG = pd.DataFrame(
    {
        "system": ["A", "A", "A", "B", "B"],
        "segment": [1, 2, 3, 1, 3],
        "score": [90, 80, 70, 60.5, 50],
    }
)


class TestScores:
    @pytest.mark.parametrize(
        "table",
        [
            {"A": [90, 80, 70], "B": [60.5, None, 50]},
            np.array([[90, 80, 70], [60.5, np.nan, 50]]),
            LONG,
            pd.DataFrame({"A": [90, 80, 70], "B": [60.5, pd.NA, 50]}),
            LONG.to_dict("list"),
            pd.DataFrame({"line": [3, 2, 1], "B": [50, None, 60.5], "A": [70, 80, 90]}),
        ],
    )
    def test_every_form_says_the_same(self, table):
        for tables in ({"human": table}, [("human", table)]):
            assert join_scores(TOY, tables).scores["human"].by_system == {
                "A": (90.0, 80.0, 70.0),
                "B": (60.5, None, 50.0),
            }

    @pytest.mark.parametrize(
        "table, said",
        [
            (
                np.zeros((3, 3)),
                r"The array of scores has the shape \(3, 3\).* \(systems, segments\), here \(2, 3\)",
            ),
            (np.zeros(3), "has the shape"),
            (np.zeros((2, 4)), "The table human has 4 rows of scores .* the texts have 3"),
            (
                {"A": [1, 2, 3], "C": [1, 2, 3]},
                "The table human, row 1: 'C' is not a system of toy",
            ),
            ({"A": [1, 2], "B": [1, 2, 3]}, "columns of unequal length: A 2, B 3"),
            ({"A": [1, "x", 3]}, "row 2, column A: the score is 'x'. Expected a number"),
            ({"A": "123"}, "column A is the text '123'"),
            ([1, 2, 3], "of the type list. Expected a data frame"),
            (LONG.drop(columns="score"), "has no column 'score'"),
            ({"A": [], "B": []}, "has no row of scores"),
        ],
    )
    def test_mistakes(self, table, said):
        with pytest.raises(InputError, match=said):
            join_scores(TOY, {"human": table})

    @pytest.mark.parametrize("tables", [LONG, ["human"], [LONG]])
    def test_scores_need_a_name(self, tables):
        with pytest.raises(SettingError, match='Expected pairs such as .* or {"human": table}'):
            read_scores(tables)

    def test_an_array_does_not_say_whose_its_scores_are(self):
        with pytest.raises(
            InputError, match="The table human is of the type ndarray. Expected a data frame"
        ):
            read_scores({"human": np.zeros((2, 3))})
