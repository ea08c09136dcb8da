"""What the address says of a test set when another is opened."""

import pytest

from mtsig_core import TestSet
from pages._ui.testset_view import of_this_set_alone

NEW = TestSet("new", {"A": ["a"] * 2, "B": ["b"] * 2}, {"refA": ["a"] * 2}, domains=["news", "social"])


@pytest.mark.parametrize(("key", "texts", "left"), [
    ("exclude", ["A"], True), ("domain", ["social"], True), ("tokenize", ["zh"], True), ("a", ["A"], False),
    ("a", ["C"], True), ("alpha", ["0.01"], False), ("metric", ["chrf"], False)])
def test_what_was_said_of_one_set_is_not_said_of_the_next(key, texts, left):
    assert of_this_set_alone(key, texts, NEW) == left
