"""A task of documents in JSON, all language pairs in each file, as WMT25 published its texts."""

import json

import pytest

from mtsig_core import InputError, read_task
from mtsig_core.errors import MtsigError
from mtsig_core.readers.task_contents import contents_of
from mtsig_core.readers.tasks import is_task, pairs_of
from tests.builders.toys import zipped

PAIRS = ("en-cs_CZ", "en-de_DE", "en-xx_YY")  # the last has no reference
IDS = [f"{pair}_#_news_#_d{k}" for pair in PAIRS for k in range(6)]


def records(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_texts(item, word):
    return f"{word} one of {item[-2:]} here\n\n{word} two of {item[-2:]} there"


FILES = {
    "genmt.jsonl": records(
        *(
            {
                "doc_id": item,
                "src_text": write_texts(item, "the"),
                "refs": {} if "xx" in item else {"refA": {"ref": write_texts(item, "das")}},
            }
            for item in IDS
        )
    ),
    "systems/A.jsonl": records(
        *({"doc_id": item, "hypothesis": write_texts(item, "das")} for item in reversed(IDS))
    ),
    "systems/B.jsonl": records(
        *({"doc_id": item, "hypothesis": write_texts(item, "der")} for item in IDS if "cs" in item)
    ),
}
RATINGS = records(
    *(
        {
            "doc_id": f"{item}_#_{k}",
            "scores": {
                system: {"human1": 90 - 9 * (system == "B") + k, "annotator1": "p"}
                for system in "AB"
            },
        }
        for item in IDS
        if "cs" in item
        for k in range(2)
    )
)


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "wmt25" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "wmt25"


def test_each_language_pair_is_a_test_set_of_paragraphs(folder):
    task = read_task(folder)
    assert {pair: [*one.systems] for pair, one in task.testsets.items()} == {
        "en-cs_CZ": ["A", "B"],
        "en-de_DE": ["A"],
    }
    czech = task.testsets["en-cs_CZ"]
    assert czech.n_segments == 12 and czech.n_documents == 6 and set(czech.domains) == {"news"}
    assert (
        czech.references["refA"][:2]
        == ("das one of d0 here", "das two of d0 there")
        == czech.systems["A"][:2]
    )
    assert czech.sources[1] == "the two of d0 there"
    assert [one.facts["pair"] for one in task.assumed if one.code == "pair-without-reference"] == [
        "en-xx_YY"
    ]
    assert [*read_task(folder, ["en-de_DE"]).testsets] == ["en-de_DE"] and pairs_of(folder) == [
        "en-cs_CZ",
        "en-de_DE",
    ]
    with pytest.raises(MtsigError, match="en-xx_YY"):
        read_task(folder, ["en-xx_YY"])


@pytest.mark.parametrize("place", ["", "top/data/"])
def test_a_zip_with_its_ratings(tmp_path, place):
    path = tmp_path / "t.zip"
    path.write_bytes(
        zipped(
            {f"{place}{name}": text for name, text in (FILES | {"humeval.jsonl": RATINGS}).items()}
        )
    )
    found = contents_of(path)
    assert is_task(path) and found.pairs == ("en-cs_CZ", "en-de_DE") and found.unread == ()
    assert [one[:2] for one in found.scores] == [("en-cs_CZ", "ESA")]


def test_the_command_line_uses_ratings_beside_them(folder, run):
    (folder / "humeval.jsonl").write_text(RATINGS)
    done = run("task --trials 99 --resamples 99 --format json --folder", folder)
    [a, b] = json.loads(done.out)["pairs"]["en-cs_CZ"]["metrics"]["ESA"]["systems"]
    assert (a["system"], a["score"], b["score"]) == ("A", 90.5, 81.5)
    assert "ESA of en-cs_CZ is read from" in done.err


def test_a_damaged_file_is_named(folder):
    with open(folder / "systems/A.jsonl", "a") as file:
        file.write("{\n")
    with pytest.raises(InputError, match="A.jsonl, row 19"):
        read_task(folder)


def test_a_system_alone_is_no_task(tmp_path):
    (tmp_path / "A.jsonl").write_text(FILES["systems/A.jsonl"])
    with pytest.raises(InputError, match="not the file of their sources and references"):
        read_task(tmp_path)
