"""What all messages about unknown names say."""

import pytest

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.errors import explain_unknown
from mtsig_core.stats.comparison import bootstrap_systems
from mtsig_core.stats.engine import measure
from mtsig_core.stats.pair import examine_pair

TOY = TestSet(
    "toy", {"ONLINE-A": ["a b c d"] * 3, "GPT-4": ["a b c e"] * 3}, {"refA": ["a b c d"] * 3}
)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: TOY.only(["GPT4"]),
        lambda: TOY.without(["gpt-4"]),
        lambda: compare(TOY, baseline="GPT_4"),
        lambda: examine_pair(TOY, "bleu", "ONLINE-A", "GPT4"),
        lambda: bootstrap_systems(TOY, "bleu", only=["GPT4"]),
        lambda: measure(TOY, "bleu").only(["GPT4"]),
    ],
)
def test_an_unknown_system_is_answered_with_the_nearest(ask):
    with pytest.raises(
        SettingError, match="(?i)No system 'G.*Did you mean 'GPT-4'\\? .*: ONLINE-A, GPT-4"
    ):
        ask()


def test_an_unknown_reference_is_answered_with_the_nearest():
    with pytest.raises(SettingError, match="No reference 'ref' in toy. Did you mean 'refA'"):
        TOY.scored_with(["ref"])


def test_nothing_is_meant_where_nothing_is_near():
    with pytest.raises(SettingError, match="No system 'x' in toy. It has: ONLINE-A, GPT-4."):
        TOY.only(["x"])


def test_a_name_that_several_language_pairs_have_is_offered_once():
    assert str(explain_unknown("metric", "x", ["bleu", "human", "human"])).endswith(
        "Available: bleu, human."
    )
