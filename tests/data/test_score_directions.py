"""Higher or lower: settled by name and range together, or asked."""

import pytest

from mtsig_core.data.score_directions import direction_of, settle_directions
from mtsig_core.errors import SettingError


@pytest.mark.parametrize(("name", "scores", "higher"), [
    ("MetricX-24-Hybrid-XL", [-25.0, -0.3], True), ("metricx-23-xxl", [0.4, 24.0], False),
    ("GEMBA-ESA-GPT4.1", [0, 100], True), ("GEMBA-MQM", [-25, 0], True), ("MQM", [0, 3.5], False),
    ("XCOMET-XL", [-0.07, 1.0], True), ("CometKiwi-XL", [0.1, 0.9], True), ("wmt22-comet-da", [0.1, 0.9], True),
    ("COMET-22", [0.1, 0.9], True), ("chrF++", [3.0, 60.0], True), ("TER", [10.0, 140.0], False), ("ESA", [3], True),
    ("BLEURT-20", [-0.4, 0.9], True), ("YiSi-1", [0.2, 0.9], True)])
def test_name_and_range_settle_it(name, scores, higher):
    assert direction_of(name, scores).higher_is_better is higher


@pytest.mark.parametrize(("name", "scores"), [
    ("MyScore", [0.1, 0.9]), ("MetricX-24", [-3.0, 4.0]), ("MetricX-24", [0.0, 0.0]), ("XCOMET-XL", [1.0, 99.0]),
    ("Terrific", [1.0, 2.0]), ("Data", [1.0, 2.0]), ("human", [1, 5]), ("ESA", [None, None])])
def test_else_it_stays_open(name, scores):
    assert direction_of(name, scores) is None


def test_what_stays_open_is_asked_and_the_user_has_the_last_word():
    scores = {"mine": [0.1, 7.0], "MetricX-24": [0.1, 20.0]}
    with pytest.raises(SettingError, match=r"mine \(0.1 to 7\)") as error:
        settle_directions(scores)
    assert error.value.remedies == ({"higher_is_better": "mine"}, {"lower_is_better": "mine"})
    found = settle_directions(scores, higher_is_better=["MetricX-24"], lower_is_better=["mine"])
    assert {name: one.higher_is_better for name, one in found.items()} == {"mine": False, "MetricX-24": True}
    assert "as was said" in found["mine"].why
    with pytest.raises(SettingError, match="Both|both"):
        settle_directions(scores, ["mine"], ["mine"])
    with pytest.raises(SettingError, match="no scores 'other'"):
        settle_directions(scores, ["other"])
    with pytest.raises(SettingError, match="no scores 'other'.*mine, MetricX-24, further"):
        settle_directions(scores, ["other"], elsewhere=["further"])
    assert settle_directions(scores, ["mine", "further"], elsewhere=["further"]) == settle_directions(scores, ["mine"])
