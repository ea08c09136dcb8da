"""A review is what its history says; taking back is an entry too."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtsig_core.errors import InputError, SettingError
from mtsig_core.reviews import (
    Begin,
    Decide,
    Entry,
    Exclude,
    NoteOn,
    PutBack,
    SeeContent,
    SetMetric,
    SetRule,
    SetSettings,
    TakeBack,
    apply,
    change_from_json,
    change_to_json,
    check,
    replay,
    taken_back,
)

BEGIN = Begin("toy", "constrained", "d0", {"en-de": "1", "en-cs": "2"}, "bleu", {"trials": 999})
NAME = st.sampled_from(["A", "<b>B</b>", "نظام"])
PAIR = st.sampled_from([None, "en-de", "en-cs"])
STEP = st.one_of(
    st.builds(Exclude, NAME, PAIR, st.sampled_from(["late", ""])),
    st.builds(PutBack, NAME, PAIR),
    st.builds(SetRule, st.sampled_from(["wmt24", "simultaneous"])),
    st.builds(SetMetric, st.sampled_from("xy")),
    st.builds(
        SetSettings, st.sampled_from([{"unit": "segment"}, {"trials": 99, "rank_rule": "wmt25"}])
    ),
    st.builds(
        NoteOn, st.just("en-de"), st.just("bleu"), NAME, NAME, st.sampled_from(["", "close"])
    ),
    st.builds(
        Decide,
        st.sampled_from(["en-de", "en-cs"]),
        st.lists(NAME, max_size=2).map(tuple),
        st.text(),
    ),
    st.builds(SeeContent, st.text(), st.just({"en-de": "9"})),
)


def entries(*steps):
    return [Entry(k, 60.0 * k, step) for k, step in enumerate([BEGIN, *steps], 1)]


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, max_size=8), st.data())
def test_taking_back_is_as_if_it_had_never_been(steps, data):
    """Against a replay of the steps that are left, written here; and once more taken back, all is
    as it was.
    """
    review = replay(entries())
    for step in steps:
        review = apply(review, step)
    assert replay(entries(*steps)) == review
    if steps:
        k = data.draw(st.integers(0, len(steps) - 1))
        undone = entries(*steps, TakeBack(k + 2))
        assert replay(undone) == replay(entries(*steps[:k], *steps[k + 1 :]))
        assert taken_back(undone) == {k + 2}
        redone = entries(*steps, TakeBack(k + 2), TakeBack(len(steps) + 2))
        assert replay(redone) == review
        assert taken_back(redone) == {len(steps) + 2}


@settings(max_examples=40, deadline=None)
@given(STEP | st.just(BEGIN) | st.builds(TakeBack, st.integers(2, 9)))
def test_a_change_comes_back_from_json(change):
    assert change_from_json(json.loads(json.dumps(change_to_json(change)))) == change


def test_what_each_change_does():
    review = replay(
        entries(
            Exclude("A", None, "late"),
            Exclude("B", "en-de"),
            Exclude("A", None, "a bug"),
            PutBack("B", "en-de"),
            SetRule("wmt24"),
            SetMetric("chrf"),
            NoteOn("en-de", "bleu", "A", "B", "one"),
            NoteOn("en-de", "bleu", "B", "A", "two"),
            Decide("en-cs", ("B",), "alone"),
            Decide("en-de", ("A", "B")),
            Decide("en-cs", ()),
        )
    )
    assert [(one.system, one.pair, one.reason) for one in review.exclusions] == [
        ("A", None, "a bug")
    ]
    assert review.settings == {"trials": 999, "rank_rule": "wmt24"}
    assert review.metric == "chrf"
    begun = replace(review, settings={"refs": ("refA",), "trials": 999, "rank_rule": "wmt24"})
    preset = SetSettings({"unit": "segment"}, "sacrebleu")
    assert apply(begun, preset).settings == {"refs": ("refA",), "unit": "segment"}
    assert [(note.a, note.text) for note in review.notes] == [
        ("B", "two")
    ]  # whichever is named first
    assert [(one.pair, one.first) for one in review.decisions] == [("en-de", ("A", "B"))]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Exclude("A", None, "late"), "this is so already"),
        (PutBack("B"), "this is so already"),
        (TakeBack(1), "Entry 1 cannot be undone"),
        (TakeBack(5), "Entry 5 cannot be undone"),
        (TakeBack(2), "already undone"),
        (BEGIN, "Nothing was changed"),
        (NoteOn("en-de", "bleu", "A", "A", "x"), "two different"),
        (Exclude("B", None, "x" * 201), "at most 200"),
    ],
)
def test_what_cannot_be_done_is_said(change, told):
    history = entries(SetRule("wmt24"), Exclude("A", None, "late"), TakeBack(2))
    with pytest.raises(SettingError, match=told):
        check(history, change)


def test_what_is_no_review_is_said():
    with pytest.raises(InputError, match="begins with what is reviewed"):
        replay([Entry(1, 0.0, SetRule("wmt24"))])
    with pytest.raises(InputError, match="Update mtsig"):
        change_from_json({"kind": "exclude", "system": "A", "later": 1})
