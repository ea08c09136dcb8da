"""WMT26's layout: documents with or without references, participants, and annotations that join."""

import json

import pytest

from mtsig_core import InputError, read_task
from mtsig_core.source import Source, TaskSource
from mtsig_core.task import SystemInfo

PAIR = "eng_Latn-ces_Latn"
NEWS, SPEECH = ("news", "a.com.1"), ("speech", "id_2")
TEXTS = {NEWS: "<p>{0} one</p>\n<p>{0} <b>two</b></p>", SPEECH: "{0} three \nfour"}


def name(document, target="ces_Latn"):
    domain, own = document
    return f"WMT26_###_{domain}_###_eng_Latn_###_{target}_###_{own}"


def records(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def main_rows(has_references):
    for document, text in TEXTS.items():
        row = {"doc_id": name(document), "domain": document[0], "src_text": text.format("the")}
        if document is SPEECH:
            row |= {"src_text": "", "gold_transcript": text.format("said")}
        yield row | {"refs": {"refA": text.format("ten")} if has_references else {}}


def annotation(user, bonus):
    """A rating of each item by one person; B is worse."""
    answers, items = [], []
    for domain, own, k in (("news", "a.com.1", 0), ("news", "a.com.1", 1), ("speech", "id_2", 0)):
        items.append(
            {"item_id": f"{domain}_###_{own}_###_{k}", "src": "x", "tgt": {"A": "x", "B": "x"}}
        )
        answers.append({"A": {"score": 70 + 10 * k + bonus}, "B": {"score": 50}})
    return {"annotation": answers, "item": items, "user_id": user, "item_i": 0}


@pytest.fixture
def make(tmp_path):
    """The folder of a task with two systems, with references or with annotations."""

    def write(has_references=False, more=()):
        folder = tmp_path / "wmt26"
        rows = {
            "wmt26-genmt.jsonl": main_rows(has_references),
            **{
                f"systems/{system}.jsonl": [
                    {
                        "doc_id": name(document),
                        "hypothesis": text.format(system),
                        "metadata": {"thought": "secret"},
                    }
                    for document, text in reversed(TEXTS.items())
                ]
                for system in "AB"
            },
            "wmt26_participants.jsonl": [
                {
                    "System name (short, to be used)": "A",
                    "Track": "Constrained open weights track (max 20B)",
                    "Language coverage [Czech]": "Contrastive languages (not supported)",
                    "Language coverage [German]": "Primary languages (fine-tuned for)",
                },
                {"System name (short, to be used)": "Else", "Track": "Unconstrained track"},
            ],
            **dict(more),
        }
        for place, content in rows.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(records(content))
        return folder

    return write


ANNOTATIONS = {"annotations/eng_Latn---ces_Latn v1.jsonl": [annotation("u", 0), annotation("v", 4)]}


def test_documents_are_split_into_paragraphs(make):
    task = read_task(make(has_references=True))
    testset = task.testsets[PAIR]
    assert testset.systems["A"] == ("A one", "A <b>two</b>", "A three four")
    assert testset.references["refA"] == ("ten one", "ten <b>two</b>", "ten three four")
    assert testset.sources == ("the one", "the <b>two</b>", "said three four")
    assert testset.documents == ("news_###_a.com.1",) * 2 + ("speech_###_id_2",)
    assert testset.domains == ("news", "news", "speech") and testset.langpair == PAIR
    assert task.systems["A"] == SystemInfo(True, unsupported=(PAIR,))
    assert "Else" not in task.systems


def test_annotations_join_outputs_without_references(make):
    folder = make(more=ANNOTATIONS.items())
    source, sentences = TaskSource(folder=str(folder)).join_tables_beside()
    assert [sentence[:22] for sentence in sentences] == [f"ESA of {PAIR}"[:22]]
    testset = source.read().testsets[PAIR]
    assert dict(testset.scores["ESA"].by_system) == {"A": (72.0, 82.0, 72.0), "B": (50.0,) * 3}
    assert not testset.has_texts and testset.has_outputs
    assert testset.systems["A"] == ("A one", "A <b>two</b>", "A three four")
    rows = testset.judgements.rows
    assert {row.line for row in rows} == {1, 2, 3} and {row.rater for row in rows} == {"u", "v"}
    pair = Source(folder=str(folder), langpair=PAIR, scores=(("ESA", source.scores[0][2]),)).read()
    assert pair.digest == testset.digest


def test_outputs_alone_have_nothing_to_compare_them_by(make):
    with pytest.raises(
        InputError, match=f"has no references .{PAIR}., and there are no human scores"
    ):
        read_task(make())


def test_an_item_beyond_its_document_is_told(make):
    entry = annotation("u", 0)
    entry["item"][2]["item_id"] = "speech_###_id_2_###_1"
    folder = make(more={"annotations/eng_Latn---ces_Latn v1.jsonl": [entry]}.items())
    _, [sentence] = TaskSource(folder=str(folder)).join_tables_beside()
    assert "the document speech_###_id_2 has 1 segments, and this is item 2" in sentence
