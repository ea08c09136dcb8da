"""Higher or lower: settled by name and range together, or asked."""

import re

import pytest

from mtsig_core.errors import SettingError
from mtsig_core.readers.scores import read_scores
from mtsig_core.readers.uploads import Upload, find_open_directions, read_uploads, set_directions
from mtsig_core.score_names import (
    check_settled,
    find_direction,
    may_be_lower,
    order_metrics,
    settle_directions,
)


@pytest.mark.parametrize(
    ("name", "scores", "higher"),
    [
        ("MetricX-24-Hybrid-XL", [-25.0, -0.3], True),
        ("metricx-23-xxl", [0.4, 24.0], False),
        ("GEMBA-ESA-GPT4.1", [0, 100], True),
        ("GEMBA-MQM", [-25, 0], True),
        ("MQM", [0, 3.5], False),
        ("XCOMET-XL", [-0.07, 1.0], True),
        ("CometKiwi-XL", [0.1, 0.9], True),
        ("wmt22-comet-da", [0.1, 0.9], True),
        ("COMET-22", [0.1, 0.9], True),
        ("chrF++", [3.0, 60.0], True),
        ("TER", [10.0, 140.0], False),
        ("ESA", [3], True),
        ("BLEURT-20", [-0.4, 0.9], True),
        ("YiSi-1", [0.2, 0.9], True),
    ],
)
def test_name_and_range_settle_it(name, scores, higher):
    assert find_direction(name, scores).higher_is_better is higher


def test_a_range_that_ends_at_zero_has_no_sign():
    assert "(-25 to 0)" in str(find_direction("MetricX-24", [-25.0, -0.0]).why)


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("MyScore", [0.1, 0.9]),
        ("MetricX-24", [-3.0, 4.0]),
        ("MetricX-24", [0.0, 0.0]),
        ("XCOMET-XL", [1.0, 99.0]),
        ("Terrific", [1.0, 2.0]),
        ("Data", [1.0, 2.0]),
        ("human", [1, 5]),
        ("ESA", [None, None]),
    ],
)
def test_else_it_stays_open(name, scores):
    assert find_direction(name, scores) is None


#: Metrics of the field whose lowest score is best, as people call them.
LOWER = [
    "TER",
    "HTER",
    "CharacTER",
    "EED",
    "WER",
    "CDER",
    "MetricX24",
    "google/metricx-24-hybrid-xl-v2p6",
    "AutoMQM",
    "errors",
    "edit_distance",
    "editDistance",
    "ppl",
    "loss",
    "latency",
    "rank",
    "avgRank",
    "penalty",
    "LAAL_CA",
    "AL",
    "MCD",
    "NLL",
    "hallucination_rate",
    "post-edit time",
    "num_critical_errors",
    "Levenshtein",
    "uncertainty",
    "mean_entropy",
    "n_failures",
]
HIGHER = [
    "BLEU",
    "chrF++",
    "METEOR",
    "RIBES",
    "COMET",
    "XCOMET-XXL",
    "BLEURT-20",
    "YiSi-1",
    "CometKiwi-23-XL",
    "ESA",
    "DA",
    "UTMOS",
    "chrfS",
    "f200spBLEU",
    "MEE4",
    "LaBSE",
    "TransQuest",
    "SacreCOMET",
    "remedy-9B",
    "human",
]


def table_of(low, high):
    return {"A": [low, high, low], "B": [high, high, high]}


@pytest.mark.parametrize("name", LOWER)
def test_a_name_that_says_lower_is_never_ranked_by_the_highest(name):
    assert may_be_lower(name)
    with pytest.raises(SettingError, match="lower may be better") as error:
        read_scores({name: table_of(0.5, 1.5)})
    assert error.value.remedies == ({"lower_is_better": name}, {"higher_is_better": name})
    assert not read_scores({name: table_of(0.5, 1.5)}, [name]).scores[name].higher_is_better
    assert find_open_directions([up(name)]) == {name: (0.5, 1.5)}


@pytest.mark.parametrize("name", HIGHER)
def test_a_name_that_says_higher_is_not_asked_about(name):
    assert read_scores({name: table_of(0.5, 1.0)}).scores[name].higher_is_better


def test_the_sign_decides_where_errors_are_published_negated():
    for name in ("MetricX24", "AutoMQM"):
        assert read_scores({name: table_of(-9.0, -0.5)}).scores[name].higher_is_better
        with pytest.raises(SettingError, match=r"\(-1.5 to 2\)"):
            read_scores({name: table_of(-1.5, 2.0)})


def up(name, role="scores"):
    return Upload(f"{name}.csv", b"line,A,B\n1,0.5,1.5\n2,1,1\n", role, name)


def test_an_upload_asks_about_names_that_say_nothing_and_takes_the_answer():
    uploads = [
        up("mine"),
        up("COMET"),
        up("human"),
        up("ppl"),
        up("told", "scores, higher is better"),
    ]
    assert find_open_directions(uploads) == {"mine": (0.5, 1.5), "ppl": (0.5, 1.5)}
    told = set_directions(uploads, {"mine": "higher", "ppl": "lower"})
    directions = {name: one.higher_is_better for name, one in read_uploads(told).scores.items()}
    assert directions == {"mine": True, "COMET": True, "human": True, "ppl": False, "told": True}
    assert find_open_directions([Upload("x.csv", b"\xff\xfe\x00", "scores", "x")]) == {}


SCORES = {"mine": [0.1, 7.0], "MetricX-24": [0.1, 20.0]}


def test_what_stays_open_is_left_out_and_told_first():
    found, assumed = settle_directions(SCORES)
    assert [*found] == ["MetricX-24"] and not found["MetricX-24"].higher_is_better
    assert [(one.code, one.metric) for one in assumed] == [
        ("direction-open", None),
        ("direction-known", "MetricX-24"),
    ]
    assert assumed[0].facts == {"scores": (("mine", 0.1, 7.0),)} and not assumed[1].facts["higher"]
    with pytest.raises(SettingError, match=r"'mine' \(0.1 to 7\)") as error:
        check_settled("mine", assumed)
    assert error.value.remedies == ({"lower_is_better": "mine"}, {"higher_is_better": "mine"})
    check_settled("MetricX-24", assumed), check_settled("min", assumed)


@pytest.mark.parametrize(
    ("name", "other"), [("a (1", "b"), ("a.b", "axb"), ("[x]", "x"), ("é", "e")]
)
def test_any_name_that_is_left_out_is_asked_about_and_no_other(name, other):
    assumed = settle_directions({name: [1e-7, 7e9], other: [0, 0.5]}, [other])[1]
    check_settled(other, assumed)
    with pytest.raises(SettingError, match=re.escape(name)):
        check_settled(name, assumed)


def test_what_is_needed_is_asked():
    with pytest.raises(SettingError, match=r"'mine' \(0.1 to 7\)") as error:
        settle_directions(SCORES, groups=[["mine", "MetricX-24"], ["mine"]])
    assert error.value.remedies == ({"lower_is_better": "mine"}, {"higher_is_better": "mine"})
    assert settle_directions(SCORES, groups=[["mine", "MetricX-24"], []]) == settle_directions(
        SCORES
    )


def test_the_user_has_the_last_word():
    found, assumed = settle_directions(
        SCORES, higher_is_better=["MetricX-24"], lower_is_better=["mine"]
    )
    assert {name: one.higher_is_better for name, one in found.items()} == {
        "mine": False,
        "MetricX-24": True,
    }
    assert found["mine"].why.code == "direction-told" and len(assumed) == 2
    with pytest.raises(SettingError, match="Both|both"):
        settle_directions(SCORES, ["mine"], ["mine"])
    with pytest.raises(SettingError, match="no scores 'other'"):
        settle_directions(SCORES, ["other"])
    with pytest.raises(SettingError, match="no scores 'other'.*mine, MetricX-24, further"):
        settle_directions(SCORES, ["other"], other_names=["further"])
    assert settle_directions(
        SCORES, ["mine", "further"], other_names=["further"]
    ) == settle_directions(SCORES, ["mine"])


def test_human_scores_come_before_the_metric_of_the_table_and_that_before_all_others():
    names = ["A-COMET", "B-COMET", "mqm.de", "GEMBA-ESA", "esa"]
    assert order_metrics(names) == ["mqm.de", "esa", "A-COMET", "B-COMET", "GEMBA-ESA"]
    assert order_metrics(names, "B-COMET") == ["mqm.de", "esa", "B-COMET", "A-COMET", "GEMBA-ESA"]
    assert order_metrics(names, "BLEU") == order_metrics(names)
    assert order_metrics(
        ["CometKiwi-XL", "GEMBA-ESA", "MetricX-24", "XCOMET-XL"], computed=["bleu"]
    ) == ["bleu", "XCOMET-XL", "MetricX-24", "CometKiwi-XL", "GEMBA-ESA"]
