"""Segments: found as a plain loop finds them, contributions by recomputation without each segment,
order by hand.
"""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from sacrebleu.metrics import BLEU

from mtsig_core import SettingError, TestSet, make_metric
from mtsig_core.metrics import resolve_metric
from mtsig_core.report.export import to_csv
from mtsig_core.stats import segments
from mtsig_core.stats.segments import (
    ORDERS,
    PLACES,
    deciding_segments,
    find_neighbours,
    find_segments,
    measure_contributions,
    score_selection,
    segment_table,
    sort_segments,
    system_scores,
    system_table,
)
from tests.builders.score_tables import rated_systems
from tests.builders.toys import Given, mean, texts

SET = TestSet(
    "toy",
    sources=["Ein Haus", "=1+1", "[x]* $y$", "Straße", ""],
    references={
        "one": ["a House", "two", None, "street", "end"],
        "two": ["a home", None, "an x", "Strasse", "END"],
    },
    systems={
        "A": ["the house", "2", "x", "road", "end"],
        "C": ["zzz"] * 5,
        "B": ["a mouse", "two", "y", "street", ""],
    },
    documents=["d", "d", "d", "e", "e"],
    domains=["news", "news", "talk", "talk", "talk"],
    lines=[1, 2, 4, 5, 6],
)


def found(**asked):
    return find_segments(SET, "A", "B", **asked).tolist()


def test_filters():
    assert found() == [0, 1, 2, 3, 4]
    assert found(domain="news") == [0, 1] and found(domain="nothing") == []
    assert [found(document=k) for k in range(4)] == [
        [0, 1],
        [2],
        [3, 4],
        [],
    ]  # d of news and d of talk are two
    assert found(document=2, text="end") == [4]
    assert found(domain="news", document=1) == []
    assert found(among=np.array([4, 1])) == [1, 4] and found(among=np.arange(0)) == []


@given(
    some.text("aAbßS .*", max_size=3),
    some.sampled_from(PLACES),
    some.sampled_from([None, "p", "q"]),
)
def test_filters_are_what_a_loop_says(text, where, domain):
    rng = np.random.default_rng(len(text))
    source, ref, one, two = (
        ["".join(rng.choice(list("aAbßS .*"), 5)) for _ in range(12)] for _ in range(4)
    )
    testset = TestSet(
        "t", {"A": one, "B": two}, {"r": ref}, sources=source, domains=list("ppqqppqqppqq")
    )
    expected = []
    for k in range(12):
        fields = {
            "source": source[k],
            "references": ref[k],
            "output of A": one[k],
            "output of B": two[k],
        }
        read = fields.values() if where == "anywhere" else [fields[where]]
        inside = any(value.casefold().find(text.casefold()) >= 0 for value in read)
        if inside and domain in (None, testset.domains[k]):
            expected.append(k)
    assert (
        find_segments(testset, "A", "B", text=text, where=where, domain=domain).tolist() == expected
    )


def test_order():
    added = np.array([0.1, -0.4, 0.0, 0.1, 0.3])
    positions = np.array([0, 1, 2, 3, 4])
    assert [sort_segments(SET, positions, added, order).tolist() for order in ORDERS] == [
        [4, 0, 3, 2, 1],
        [1, 2, 0, 3, 4],
        [1, 4, 0, 3, 2],
        [0, 1, 2, 3, 4],
        [0, 3, 2, 1, 4],
    ]
    assert sort_segments(SET, np.array([3, 1]), added, "line").tolist() == [1, 3]
    for order in ORDERS:
        assert sort_segments(SET, positions[:0], added, order).size == 0


def corpus():
    reference, (one, two, three) = texts(3, [0.3, 0.4, 0.5], 30)
    return TestSet("t", {"X": three, "A": one, "B": two}, {"r": reference})


def score_of_sacrebleu(testset, name, kept):
    """BLEU of a system on some segments."""
    output, reference = testset.systems[name], testset.references["r"]
    return BLEU().corpus_score([output[k] for k in kept], [[reference[k] for k in kept]]).score


def test_contributions_and_scores_are_those_of_sacrebleu():
    testset, bleu = corpus(), make_metric("bleu")
    statistics = bleu.statistics(testset)
    added = measure_contributions(testset, bleu, "A", "B", statistics)

    def scores(*kept):
        return [score_of_sacrebleu(testset, name, kept) for name in "AB"]

    every = range(30)
    whole = np.subtract(*scores(*every))
    for k in every:
        rest = np.subtract(*scores(*(other for other in every if other != k)))
        assert added[k] == pytest.approx(whole - rest, abs=1e-9)
    chosen = np.array([2, 3, 11, 20])
    found = score_selection(testset, bleu, "A", "B", statistics, chosen)
    assert found == pytest.approx((*scores(*chosen), 4), abs=1e-9)
    assert measure_contributions(testset, bleu, "B", "A", statistics) == pytest.approx(-added)


def test_above_zero_speaks_for_a_also_where_lower_is_better():
    rows = {"A": np.array([[1.0, 1], [5, 1]]), "B": np.array([[3.0, 1], [5, 1]])}
    testset = TestSet("t", {"A": ["", ""], "B": ["", ""]}, {"r": ["", ""]})
    for higher, sign in ((True, 1), (False, -1)):
        metric = Given(rows, mean, higher)
        added = measure_contributions(testset, metric, "A", "B", metric.statistics(testset))
        assert added == pytest.approx(
            [sign * -1, sign * 1]
        )  # the means differ by -1; by 0 and -2 without each
        assert not added.flags.writeable


def test_without_the_deciding_segments_the_lead_is_gone_and_with_the_last_of_them_it_is_not():
    testset, bleu = corpus(), make_metric("bleu")
    statistics = bleu.statistics(testset)

    def lead(left_out):
        """By how much A, which is ahead, scores more than B."""
        kept = [k for k in range(30) if k not in left_out]
        first, second = (score_of_sacrebleu(testset, name, kept) for name in "AB")
        return first - second

    for a, b, sign in (("A", "B", 1), ("B", "A", -1)):
        added = measure_contributions(testset, bleu, a, b, statistics)
        deciding = deciding_segments(testset, bleu, a, b, statistics, added).tolist()
        assert 0 < len(deciding) < 30
        assert lead(deciding) <= 1e-9
        for n in range(len(deciding)):
            assert lead(deciding[:n]) > 0
        assert deciding == sorted(deciding, key=lambda k: -sign * added[k])


def rated(higher=True, **scores):
    """A test set of which people rated the outputs, its metric, and that metric's statistics."""
    testset = rated_systems(scores, higher=higher)
    metric = resolve_metric(testset, "human")
    return testset, metric, metric.statistics(testset)


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize(
    "a, b, deciding",
    [
        (
            [1, 2, 9, None],
            [2, 2, 3, 50],
            [2],
        ),  # more by 6 on one, less by 1 on another; the last is not compared
        ([3, 4], [1, 1], []),
        ([0.1, 0.2], [0.3, 0], []),
    ],
)  # ahead on each segment; equal
def test_deciding_segments_of_a_mean_by_hand(higher, a, b, deciding):
    testset, metric, statistics = rated(higher, A=a, B=b)
    added = measure_contributions(testset, metric, "A", "B", statistics)
    assert deciding_segments(testset, metric, "A", "B", statistics, added).tolist() == deciding


def test_neighbours_are_of_the_same_document():
    assert [find_neighbours(SET, k) for k in range(5)] == [
        (None, 1),
        (0, None),
        (None, None),
        (None, 4),
        (3, None),
    ]
    assert find_neighbours(corpus(), 3) == (None, None)


def test_systems_on_one_segment_are_in_order_of_their_score():
    testset, bleu = corpus(), make_metric("bleu")
    rows = system_scores(testset, bleu, bleu.statistics(testset), 4)
    expected = {name: score_of_sacrebleu(testset, name, [4]) for name in testset.systems}
    assert dict(rows) == pytest.approx(expected, abs=1e-9)
    assert [name for name, _ in rows] == sorted(expected, key=lambda name: -expected[name])
    header, table = system_table(testset, 4, rows)
    assert header == ["line", "system", "score", "output"]
    (name, score), *_ = rows
    assert list(table)[0] == [5, name, score, testset.systems[name][4]]
    for higher, order in ((True, ["C", "A", "B"]), (False, ["A", "C", "B"])):  # B was not rated
        testset, human, statistics = rated(higher, A=[1.0, 2], B=[None, 3], C=[2.0, 4])
        rows = system_scores(testset, human, statistics, 0)
        assert [name for name, _ in rows] == order
        assert rows[-1] == ("B", None)


def test_table_of_segments():
    header, rows = segment_table(SET, "A", "B", np.array([1, 0]), np.array([0.5, -0.25, 0, 0, 0]))
    assert header == [
        "line",
        "domain",
        "docid",
        "contribution",
        "source",
        "reference one",
        "reference two",
        "output A",
        "output B",
    ]
    first, second = list(csv.reader(io.StringIO(to_csv(header, rows))))[1:]
    assert first == ["2", "news", "d", "-0.25", "'=1+1", "two", "", "2", "two"]
    assert second == [
        "1",
        "news",
        "d",
        "0.5",
        "Ein Haus",
        "a House",
        "a home",
        "the house",
        "a mouse",
    ]
    bare = TestSet("t", {"A": ["x"], "B": ["y"]}, {"r": ["z"]})
    assert segment_table(bare, "A", "B", np.array([0]), np.zeros(1))[0] == [
        "line",
        "contribution",
        "reference r",
        "output A",
        "output B",
    ]


@pytest.mark.parametrize(
    "asked, said",
    [
        (dict(where="title"), "where is 'title'. Expected one of: anywhere"),
        (dict(domain="d"), "has no domains"),
        (dict(document=0), "has no document ids"),
    ],
)
def test_what_cannot_be_asked(asked, said):
    with pytest.raises(SettingError, match=said):
        find_segments(corpus(), "A", "B", **asked)


class TestWays:
    SET = TestSet(
        "toy",
        {"A": ["the cat's cats", "a.b (c)", "猫が好き", ""], "B": ["x", "Cat 12", "犬", "قط"]},
        {"ref": ["1234", "12", "123", "1"]},
    )

    @pytest.mark.parametrize(
        "text,how,expected",
        [
            ("cat", "as written", [0, 1]),
            ("CATS", "whole words", [0]),
            ("ca", "whole words", []),
            ("猫", "as written", [2]),
            ("a.b", "whole words", [1]),
            (r"\bcats?\b \d+$", "regular expression", [1]),
            ("a.b (", "as written", [1]),
            ("^قط$", "regular expression", [3]),
            ("^(?-i:Cat)", "regular expression", [1]),
            ("^$", "regular expression", [3]),
        ],
    )
    def test_a_text_is_looked_for(self, text, how, expected):
        assert find_segments(self.SET, "A", "B", text=text, how=how).tolist() == expected

    def test_a_length_is_that_of_the_longest_reference(self):
        for shortest, longest, expected in (
            (2, 3, [1, 2]),
            (None, 1, [3]),
            (3, None, [0, 2]),
            (9, None, []),
        ):
            assert (
                find_segments(self.SET, "A", "B", shortest=shortest, longest=longest).tolist()
                == expected
            )

    @pytest.mark.parametrize(
        "pattern,told",
        [
            ("(", "cannot be read: missing \\)"),
            ("(a|aa)+$", "takes more than"),
            ("(a{9999}){9999}", "up to 99,980,001 times"),
            ("a{99999999999}", "cannot be read"),
        ],
    )
    def test_a_bad_pattern_is_one_message_and_ends(self, pattern, told, monkeypatch):
        monkeypatch.setattr(segments, "SECONDS", 0.1)
        texts = TestSet("toy", {"A": ["a" * 60 + "!"], "B": ["b"]}, {"ref": ["c"]})
        with pytest.raises(SettingError, match=told):
            find_segments(texts, "A", "B", text=pattern, how="regular expression")
