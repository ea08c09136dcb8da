"""CoNLL-U: which sentences make a segment, and what is wrong with a file."""

import gzip
import re

import pytest

from mtsig_core import InputError, read_text
from mtsig_core.readers.conllu import read_conllu

DOGS = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n"
GO = "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
SAID = "Dogs bark. Go! Vámonos al mar."
DOGS_READ, GO_READ = "Dogs\tdog\t2\tnsubj\nbark\tbark\t0\troot", "Go\tGo\t0\troot"


@pytest.fixture
def read(tmp_path):
    def call(content, texts=("x",)):
        path = tmp_path / "A.conllu"
        path.write_text(content, encoding="utf-8")
        return read_conllu(path, [SAID if len(text.strip()) == 1 else text for text in texts])

    return call


@pytest.fixture
def refused(read):
    def call(content, texts=("x",)):
        with pytest.raises(InputError) as error:
            read(content, texts)
        return str(error.value).partition("A.conllu")[2]

    return call


WORDS_OF_NONE = (
    f"1-2\tDogsbark\t_\t_\t_\t_\t_\t_\t_\t_\n{DOGS}2.1\tbark\tbark\t_\t_\t_\t_\t_\t_\t_\n"
)
BOTH = f"{DOGS_READ}\n\n{GO_READ}"


@pytest.mark.parametrize(
    "content, texts, parses",
    [
        (f"# sent_id = 1\n{DOGS}\n{GO}\n", "xy", [DOGS_READ, GO_READ]),
        (f"\n{DOGS}\n\n\n{GO}", "xy", [DOGS_READ, GO_READ]),
        (WORDS_OF_NONE, "x", [DOGS_READ]),
        (f"{DOGS}\n{GO}\n", ["", "x", " ", "y", ""], ["", DOGS_READ, "", GO_READ, ""]),
        (f"{DOGS}\n# text =\n\n{GO}\n", ["x", "", "y"], [DOGS_READ, "", GO_READ]),
        (f"# newdoc\n# newpar id = 1\n{DOGS}\n{GO}\n# newpar\n{GO}\n", "xy", [BOTH, GO_READ]),
        (
            f"# newpar\n\n# newpar\n{DOGS}\n{GO}\n# newpar\n# newpar\n{GO}\n",
            ["", "x", "", "y"],
            ["", BOTH, "", GO_READ],
        ),
        (f"# newdoc\n# newpar\n{DOGS}\n{GO}\n", "xy", [DOGS_READ, GO_READ]),
        (
            f"# segment = 2\n{DOGS}\n# newpar\n{GO}\n# segment=4\n{GO}\n",
            "abcde",
            ["", BOTH, "", GO_READ, ""],
        ),
    ],
    ids=[
        "sentences",
        "empty lines",
        "tokens and empty words",
        "blank texts",
        "a comment alone",
        "paragraphs",
        "paragraphs without words",
        "one paragraph for all",
        "numbers",
    ],
)
def test_which_sentences_make_a_segment(read, content, texts, parses):
    assert read(content, texts) == parses


@pytest.mark.parametrize("text", ["A cat sleeps here.", "Go!"])
def test_the_parse_of_another_text(refused, text):
    assert "the segments have only 0 of the words of their parses, of 2." in refused(
        f"{DOGS.replace('bark', 'barks')}\n", [text]
    )


def test_another_number_of_segments(refused):
    assert refused(f"{DOGS}\n{GO}\n", "xyz").startswith(
        " has 2 sentences, the text has 3 segments. Expected"
    )
    assert refused(f"# newpar\n{DOGS}\n{GO}\n", ["x", "y", "z", ""]).startswith(
        " has 2 sentences in 1 paragraphs, the text has 4 segments (3 not blank)."
    )


@pytest.mark.parametrize(
    "content, line, message",
    [
        (
            DOGS.replace("\t_\n", "\n", 1),
            1,
            "Expected word 1 of the sentence: 10 columns with tabs between them",
        ),
        (DOGS.replace("\t2\t", "\t_\t"), 1, "Expected word 1"),
        (DOGS.replace("\t2\t", "\t1\t"), 1, "Expected word 1"),
        (f"{GO}\n{DOGS}".replace("\t2\t", "\t3\t"), 3, "is 3, and the sentence has 2 words"),
        (f"{DOGS}{GO}", 3, "Expected word 3 of the sentence"),
        (f"{DOGS}# sent_id = 2\n{GO}", 3, "a comment is inside a sentence"),
        (f"# segment = 7\n{GO}", 1, "segment = 7, and the text has 2 segments"),
        (f"# segment = x\n{GO}", 1, "segment = x, and the text"),
        (f"# segment = 2\n{GO}\n# segment = 1\n{GO}", 4, "after 2"),
        (f"{GO}\n# segment = 2\n{GO}", 1, "before the first '# segment = N'"),
    ],
)
def test_what_is_malformed_is_named_by_line(refused, content, line, message):
    said = refused(content, "xy")
    assert re.match(rf", line {line}\b", said) and message in said


def test_joined_with_the_texts(tmp_path):
    for name, text in (("ref.txt", "Dogs bark\n\n"), ("A.txt", "Go\nGo\n"), ("r.conllu", DOGS)):
        (tmp_path / name).write_text(text)
    (tmp_path / "A.conllu.gz").write_bytes(gzip.compress(f"{GO}\n{GO}".encode()))
    parses = [("ref", tmp_path / "r.conllu"), ("A", tmp_path / "A.conllu.gz")]
    read = [(None, tmp_path / "ref.txt")], [(None, tmp_path / "A.txt")]
    testset = read_text(*read, parses=parses)
    assert dict(testset.parses) == {"ref": (DOGS_READ, ""), "A": (GO_READ, GO_READ)}
    with pytest.raises(
        InputError,
        match="the parse of a, which is not a system and not a reference; they are A, ref",
    ):
        read_text(*read, parses=[("a", tmp_path / "r.conllu")])
    with pytest.raises(InputError, match="Two parses are called A"):
        read_text(*read, parses=[("A", tmp_path / "r.conllu")] * 2)
