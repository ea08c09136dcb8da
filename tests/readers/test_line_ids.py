"""Texts with an id in each line: read without them, in one order, or refused with the fix."""

import random

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers.line_ids import find_line_ids
from mtsig_core.readers.texts import read_text

WORDS = [
    a + b for a in ["ka", "lo", "mi", "ne", "ru", "tä"] for b in ["bel", "dor", "fin", "gas", "hut"]
]
RANDOM = random.Random(1)
REFERENCE = [" ".join(RANDOM.choice(WORDS) for _ in range(12)) for _ in range(60)]
OUTPUT = [line.replace("ka", "lo", 1) for line in REFERENCE]
IDS = [f"spk{k // 10}-utt{k % 10:03}" for k in range(60)]
FORMS = {
    "kaldi": "{id} {text}",
    "trn": "{text} ({id})",
    "bracket": "[{id}] {text}",
    "pipe": "{id}|{text}",
    "colon": "{id}: {text}",
}


def with_ids(lines, form, ids=IDS):
    return [FORMS[form].format(id=own, text=text) for own, text in zip(ids, lines, strict=True)]


@pytest.fixture
def read(write):
    def read(reference, *outputs, **more):
        paths = [write(f"{name}.txt", lines) for name, lines in zip("ABC", outputs, strict=False)]
        return read_text(
            [(None, write("ref.txt", reference))], [(None, path) for path in paths], **more
        )

    return read


@pytest.mark.parametrize("form", FORMS)
def test_the_same_ids_are_taken_off(read, form):
    found = read(with_ids(REFERENCE, form), with_ids(OUTPUT, form))
    assert list(found.systems["A"]) == OUTPUT and list(found.references["ref"]) == REFERENCE
    [assumed] = found.assumed
    assert (
        assumed.text
        == "Each line has an id, such as spk0-utt000. The texts are scored without them."
    )


@pytest.mark.parametrize("form", FORMS)
def test_lines_in_another_order_are_put_in_that_of_the_reference(read, write, form):
    order = random.Random(4).sample(range(60), 60)
    shuffled = with_ids([OUTPUT[k] for k in order], form, [IDS[k] for k in order])
    source = write("src.txt", [f"plain source {k}" for k in range(60)])
    found = read(with_ids(REFERENCE, form), shuffled, with_ids(OUTPUT, "kaldi"), sources=source)
    assert list(found.systems["A"]) == list(found.systems["B"]) == OUTPUT
    assert found.sources[7] == "plain source 7" and "by id: " in found.assumed[0].text
    assert "A.txt" in found.assumed[0].text and "B.txt" not in found.assumed[0].text


def test_an_empty_output_keeps_its_line(read):
    found = read(with_ids(REFERENCE, "kaldi"), [IDS[0], *with_ids(OUTPUT, "kaldi")[1:]])
    assert list(found.systems["A"]) == ["", *OUTPUT[1:]]


def test_ids_in_some_texts_are_refused_with_the_command(read):
    reference, output = with_ids(REFERENCE, "trn"), with_ids(OUTPUT, "trn")
    for given, name in (((reference, OUTPUT), "ref"), ((REFERENCE, output), "A")):
        with pytest.raises(
            InputError,
            match=rf"{name}.txt has an id in each line, such as spk0-utt000, and .* has none"
            rf".*Take them off: sed -E .* .*{name}.txt > .*{name}.texts.txt",
        ):
            read(*given)


def test_other_ids_are_refused_by_name(read):
    kaldi = with_ids(REFERENCE, "kaldi")
    with pytest.raises(
        InputError, match="A.txt has no line with the id spk0-utt003, which .*ref.txt has"
    ):
        read(kaldi, kaldi[:3] + kaldi[4:])
    with pytest.raises(InputError, match="A.txt, line 61 has the id spk9-utt999"):
        read(kaldi, [*kaldi, "spk9-utt999 more"])


def test_numbered_lines(read):
    """In all texts they are ids; in one they are what a system wrote, of which a caution warns."""
    numbered = [f"{k}. {text}" for k, text in enumerate(OUTPUT, 1)]
    assert (
        list(read([f"{k}. {text}" for k, text in enumerate(REFERENCE, 1)], numbered).systems["A"])
        == OUTPUT
    )
    assert list(read(REFERENCE, numbered).systems["A"]) == numbered


@pytest.mark.parametrize(
    "lines",
    [
        REFERENCE,
        ["F-16 or", "F-35 or", "COVID-19 and", "words", "GPT-4 are words"],
        ["1", "2", "3", "4", "5"] * 3,
        [f"{k} apples" for k in (3, 1, 4, 15, 9, 2, 6, 53, 58, 97, 93)],
        [f"He paid ({k})" for k in (5, 5, 5, 5, 5, 5)],
        ["2021-01-02 was cold"] * 6,
        ["a1 b", "a2 b"],
        [f"Es war ({k})." for k in range(20)],
        [None] * 9,
    ],
)
def test_other_texts_have_none(lines):
    assert find_line_ids(lines) is None


@pytest.mark.parametrize(
    "lines",
    [
        [f"Sentence {k} of the source is here." for k in range(9)],
        [f"这是第{k}句。" for k in range(9)],
        [f"one more line of {k} words and more" for k in range(9)],
    ],
)
def test_a_text_is_no_list_of_document_ids(read, write, lines):
    """A document for each line would be tested as if it had been given."""
    documents = write("docs.txt", lines)
    with pytest.raises(
        InputError, match="docs.txt contains a text, such as .*Expected one document id per line"
    ):
        read(REFERENCE[:9], OUTPUT[:9], documents=documents)


def test_the_words_of_a_text_are_no_document_ids_either(read, write):
    words = ["yes", "no", "yes", "maybe"]
    with pytest.raises(InputError, match="docs.txt is the text of .*src.txt"):
        read(
            ["ja", "nein", "ja", "je"],
            ["a", "b", "c", "d"],
            sources=write("src.txt", words),
            documents=write("docs.txt", words),
        )


@pytest.mark.parametrize(
    "ids",
    [
        ["The history of the city of Rome, part 1."] * 4,
        ["news-1", "news-2", "news-3", "news-4"],
        ["a b c d e f"] * 4,
    ],
)
def test_titles_of_documents_are_ids(read, write, ids):
    assert read(REFERENCE[:4], OUTPUT[:4], documents=write("docs.txt", ids)).documents == tuple(ids)
