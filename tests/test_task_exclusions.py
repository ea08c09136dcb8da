"""Who is left out of a task, as data and as an option says it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtsig_core import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.task import (
    SystemInfo,
    Task,
    TaskExclusion,
    format_exclusion,
    read_exclusions,
    without,
)

NAMES = ["A", "A=B", "B", "<b>x</b>", "نظام, واحد", "model:7b", "en-de:A", "\\", " padded "]
PAIRS = ["en-de", "en-cs", "=,"]
ANY = st.builds(TaskExclusion, st.sampled_from(NAMES), st.text(), st.sampled_from([None, *PAIRS]))


@settings(max_examples=40, deadline=None)
@given(st.lists(ANY, unique_by=lambda one: (one.pair, one.system)))
def test_what_is_printed_is_read_again_whatever_the_names(excluded):
    assert read_exclusions(map(format_exclusion, excluded), NAMES, PAIRS) == tuple(excluded)


def test_it_is_written_as_a_person_would():
    read = read_exclusions(
        ["A, B=late, by mail", "en-de:model:7b", "A=B", "en-cs:A"], ["A", "B", "model:7b"], PAIRS
    )
    assert read == (
        TaskExclusion("A", "B"),
        TaskExclusion("B", "late, by mail"),
        TaskExclusion("model:7b", "", "en-de"),
        TaskExclusion("A", "", "en-cs"),
    )
    assert read_exclusions(["C=D"], ["C=D"], PAIRS) == (
        TaskExclusion("C=D"),
    )  # no C: the sign is the name's own
    for text, told in [
        ("X=late", "Unknown system 'X'"),
        ("en-fr:A=late", "Unknown test set 'en-fr'"),
        ("", "no system"),
    ]:
        with pytest.raises(SettingError, match=told):
            read_exclusions([text], ["A"], PAIRS)


def test_a_task_without_them():
    toy = TestSet("toy", {"A": ["a"], "B": ["b"], "C": ["c"]}, {"ref": ["a"]})
    task = Task("toy", {"en-de": toy, "en-cs": toy.only(["A", "B"])}, {"A": SystemInfo(True)})

    def left(*excluded):
        return {
            pair: list(testset.systems)
            for pair, testset in without(task, excluded).testsets.items()
        }

    assert left(TaskExclusion("B")) == {"en-de": ["A", "C"], "en-cs": ["A"]}
    assert left(TaskExclusion("B", "late", "en-de")) == {"en-de": ["A", "C"], "en-cs": ["A", "B"]}
    assert left(TaskExclusion("A"), TaskExclusion("B", "", "en-cs")) == {"en-de": ["B", "C"]}
    assert "C" not in without(task, [TaskExclusion("C", "", "en-de")]).systems
    assert without(task, []).digest == task.digest
    for wrong, told in [
        (TaskExclusion("X"), "Unknown system 'X'"),
        (TaskExclusion("A", "", "x"), "language pair 'x'"),
        (TaskExclusion("C", "", "en-cs"), "Unknown system of en-cs 'C'"),
    ]:
        with pytest.raises(SettingError, match=told):
            left(wrong)
    with pytest.raises(SettingError, match="every system of every language pair"):
        left(*map(TaskExclusion, "ABC"))
