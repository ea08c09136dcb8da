"""Outputs that are hardly the right file are found, and others are not."""

import random
from difflib import SequenceMatcher

import pytest

from mtsig_core import TestSet
from mtsig_core.readers import read_wmt
from mtsig_core.stats import file_cautions
from mtsig_core.stats.file_cautions import about_files
from tests.builders.cases import brief

WORDS = (
    "der die das ein Haus Baum Hund Katze Frau Mann Kind geht läuft sieht hat ist "
    "war schön groß klein alt neu heute morgen gestern und oder aber nicht sehr mit "
    "auf unter Straße Stadt Land Wasser Brot Tisch"
).split()


def make(n_lines=60, seed=7, shares=(0.2, 0.3)):
    """References of words drawn from a list, and outputs that have other words in these shares of
    places.
    """
    draw = random.Random(seed)
    lines = [[draw.choice(WORDS) for _ in range(draw.randint(4, 18))] for _ in range(n_lines)]
    return tuple(
        [" ".join(words) + "." for words in text]
        for text in (
            lines,
            *(
                [
                    [draw.choice(WORDS) if draw.random() < share else word for word in words]
                    for words in lines
                ]
                for share in shares
            ),
        )
    )


REF, A, B = make()
SHUFFLED = random.Random(1).sample(A, 60)
DOCUMENTS = [line for k in random.Random(2).sample(range(10), 10) for line in A[6 * k : 6 * k + 6]]


def told(systems, references=None, **more):
    cautions = about_files(TestSet("toy", systems, references or {"refA": REF}, **more))
    assert all(caution.kind.doubts_files for caution in cautions)
    return [(caution.code, caution.a) for caution in cautions], cautions[
        0
    ].facts if cautions else {}


ORDERS = {
    "length": sorted(A, key=len),
    "alphabet": sorted(A),
    "shuffled": SHUFFLED,
    "documents": DOCUMENTS,
    "five lines on": A[5:] + A[:5],
    "one line on": A[1:] + ["Ende."],
    "one line later": ["Anfang.", *A[:-1]],
    "halves": A[30:] + A[:30],
    "reverse": A[::-1],
    "neighbors": [A[k ^ 1] for k in range(60)],
    "two thirds": A[:20] + random.Random(3).sample(A[20:], 40),
    "lost and added": A[:15] + A[16:50] + ["Noch eine Zeile."] + A[50:],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("others", [{}, {"A": A, "B": B}])
def test_lines_in_another_order(order, others):
    found, facts = told({"odd": ORDERS[order], **others})
    assert found == [("other-order", "odd")]
    assert (facts["reference"], facts["same_as"]) == ("refA", "A" if "A" in others else None)


@pytest.mark.parametrize(
    "order, facts",
    [
        ("length", {"shift": None}),
        ("five lines on", {"shift": 5}),
        ("one line on", {"shift": 1}),
        ("one line later", {"shift": -1}),
        ("lost and added", {"first": 16, "last": 45, "shift": 1}),
    ],
)
def test_how_they_were_moved(order, facts):
    assert facts.items() <= told({"odd": ORDERS[order], "B": B})[1].items()


def test_a_reference_in_another_order():
    moved = random.Random(5).sample(REF, 60)
    assert told({"A": A, "B": B}, {"refA": moved})[0] == [("reference-order", None)]
    assert told({"A": A, "B": B}, {"refA": moved, "refB": REF})[0] == [("reference-order", None)]
    assert told({"A": A, "odd": SHUFFLED}, {"refA": moved, "refB": REF})[0] == [
        ("reference-order", None),
        ("other-order", "odd"),
    ]


def test_of_many_lines_the_worst_are_searched():
    ref, a, b = make(12_000, 5)
    assert told({"odd": random.Random(6).sample(a, len(a)), "b": b}, {"refA": ref})[0] == [
        ("other-order", "odd")
    ]
    assert told({"odd": sorted(a, key=len), "b": b}, {"refA": ref})[0] == [("other-order", "odd")]
    lost = a[:9000] + a[9001:9300] + ["Noch eine Zeile."] + a[9300:]
    found, facts = told({"odd": lost, "b": b}, {"refA": ref})
    assert found == [("other-order", "odd")] and facts["shift"] == 1
    assert told({"a": a, "b": b}, {"refA": ref})[0] == []


@pytest.mark.parametrize(
    "odd",
    [
        A,
        [line[: len(line) // 2] for line in A],
        ["gleich"] * 60,
        [""] * 20 + A[20:],
        make(60, 8)[0][:10] + A[10:],
        [line.upper() for line in A],
        A[:30] + [""] * 30,
    ],
)
def test_lines_in_order_or_without_any_likeness_are_let_be(odd):
    assert "other-order" not in dict(told({"odd": odd, "B": B})[0])
    assert "other-order" not in dict(told({"odd": odd})[0])


@pytest.mark.parametrize("n_lines", [1, 5, 14, 30, 100, 400])
def test_what_is_right_is_let_be_at_each_size(n_lines):
    for seed in range(20 if n_lines < 400 else 4):
        ref, a, b = make(n_lines, seed)
        assert told({"a": a, "b": b}, {"refA": ref})[0] == [], seed
        assert told({"b": b}, {"refA": ref})[0] == []


def test_the_source_and_another_script():
    source = [line.upper() for line in REF]
    assert told({"B": B, "odd": [f"{line} " for line in source]}, sources=source)[0] == [
        ("is-source", "odd")
    ]
    chinese = ["今天天气很好，我们去公园。"] * 60
    assert told({"B": B, "odd": chinese})[1] == {"language": "zh", "expected": None}
    assert told({"odd": random.Random(1).sample(A, 60)}, {"refA": chinese})[1] == {
        "language": None,
        "expected": "zh",
    }
    assert told({"odd": SHUFFLED}, {"refA": chinese})[0] == [("other-script", "odd")]


MARKS = {
    "@@ ": lambda k, line: " ".join(
        f"{word[:2]}@@ {word[2:]}" if len(word) > 3 else word for word in line.split()
    ),
    "▁": lambda k, line: "▁" + line.replace(" ", " ▁"),
    "<s> ": lambda k, line: f"<s> {line} </s>",
    "H-0\\t": lambda k, line: f"H-{k}\t{line}",
    '"': lambda k, line: f'"{line}"',
    "1. ": lambda k, line: f"{k + 1}. {line}",
    "**": lambda k, line: f"**{line}**",
    "\\n": lambda k, line: line + "\\n",
    "\\u200b ": lambda k, line: line.replace(" ", "\u200b ", 2),
    "\\ufeff": lambda k, line: "\ufeff" + line,
    "Here is the translation: ": lambda k, line: f"Here is the translation: {line}",
    "\\t0.53": lambda k, line: line + "\t0.53",
    "space before punctuation": lambda k, line: line.replace(".", " ."),
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_in_most_lines(mark):
    for share in (1, 0.7) if mark != '"' else (1,):
        odd = [MARKS[mark](k, line) if k < share * 60 else line for k, line in enumerate(A)]
        for others in ({}, {"B": B}):
            found, facts = told({"odd": odd, **others}, sources=[line.upper() for line in REF])
            assert found == [("marked-lines", "odd")]
            assert facts["sort"] == ("spaces" if "space" in mark else "marks")
            assert "space" in mark or mark in {written for _, written in facts["marks"]}
            assert (facts["n"], facts["n_lines"]) == (60 if share == 1 else 42, 60)
    assert (
        odd[0][:30]
        .replace("\t", "\\t")
        .replace("\u200b", "\\u200b")
        .replace("\ufeff", "\\ufeff")[:20]
        in facts["example"]
    )


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_in_most_lines_of_a_reference(mark):
    marked = [MARKS[mark](k, line) for k, line in enumerate(REF)]
    found, facts = told({"A": A, "B": B}, {"refA": marked})
    assert found == [("marked-reference", None)]
    assert (facts["reference"], facts["n"], facts["n_lines"]) == ("refA", 60, 60)


def test_a_mark_that_references_or_sources_have_is_none():
    for mark in MARKS.values():
        everywhere = [[mark(k, line) for k, line in enumerate(text)] for text in (A, B, REF)]
        assert told({"A": everywhere[0], "B": everywhere[1]}, {"refA": everywhere[2]})[0] == []
    marked = [f"- {line}" for line in A]
    assert told({"A": marked, "B": B}, sources=[f"- {line}" for line in REF])[0] == []
    assert (
        told({"A": [f"- {line}" if k % 3 == 0 else line for k, line in enumerate(A)], "B": B})[0]
        == []
    )


def test_speech_is_no_mark():
    """Half of a dialogue stands in quotation marks, which a reference may write in another way, or
    as dashes.
    """
    spoken, dashed = (
        [f"{mark}{line}{end}" if k % 5 < 3 else line for k, line in enumerate(text)]
        for text, mark, end in ((A, "„", "“"), (REF, "– ", ""))
    )
    assert told({"A": spoken, "B": B}, {"refA": dashed})[0] == told({"A": spoken})[0] == []


def test_html_entities():
    said = [f'{line} "Ja & nein."' if k % 4 == 0 else line for k, line in enumerate(A)]
    ref = [f'{line} "Ja & nein."' if k % 4 == 0 else line for k, line in enumerate(REF)]
    escaped = [line.replace("&", "&amp;").replace('"', "&quot;") for line in said]
    found, facts = told({"odd": escaped, "B": said}, {"refA": ref})
    assert found == [("marked-lines", "odd")]
    assert (facts["sort"], facts["n"], facts["n_lines"]) == ("entities", 15, 60)
    assert (
        told({"odd": [*escaped[:8], *said[8:]], "B": said}, {"refA": ref})[0] == []
    )  # two lines, as real ones have
    assert told({"odd": escaped, "B": said}, {"refA": ref}, sources=escaped[::-1])[0] == []


def test_a_reference_made_from_an_output():
    edited = [a if k % 3 else ref for k, (a, ref) in enumerate(zip(A, REF, strict=True))]
    found, facts = told({"A": A, "B": B}, {"refA": edited})
    assert found == [("made-from-output", "A")]

    def equal(system):
        n = 0
        for line, ref in zip(system, edited, strict=True):
            matcher = SequenceMatcher(None, line.split(), ref.split(), autojunk=False)
            edits = [edit for edit in matcher.get_opcodes() if edit[0] != "equal"]
            sizes = [max(edit[2] - edit[1], edit[4] - edit[3]) for edit in edits]
            n += len(ref.split()) >= 5 and sum(sizes) <= 1
        return n

    long = sum(len(line.split()) >= 5 for line in edited)
    assert facts == {
        "reference": "refA",
        "n": equal(A),
        "n_lines": long,
        "next_system": "B",
        "n_next": equal(B),
        "has_others": False,
    }
    assert about_files(TestSet("toy", {"A": A, "B": B}, {"refA": edited}))[0].remedies == (
        {"exclude": "A"},
    )
    two = TestSet("toy", {"A": A, "B": B}, {"refA": edited, "refB": REF})
    assert about_files(two)[0].remedies == ({"refs": "refB"},)
    twin = [*A[:-1], "Eine andere Zeile."]  # what was made from the same output is no other system
    assert told({"A": A, "twin": twin, "B": B}, {"refA": edited})[0] == [("made-from-output", "A")]


@pytest.mark.parametrize("base", ["A", "B"])
@pytest.mark.parametrize("share", [0.02, 0.04])
def test_a_reference_whose_words_were_edited_one_by_one(base, share):
    """Lines with one other word are then as many as in any good translation; equal lines are far
    more.
    """
    outputs = {"A": A, "B": B}
    for seed in range(4):
        draw = random.Random(seed)
        edited = [
            " ".join(draw.choice(WORDS) if draw.random() < share else word for word in line.split())
            for line in outputs[base]
        ]
        assert told(outputs, {"refA": edited})[0] == [("made-from-output", base)]


def test_a_better_system_and_a_copy_of_the_reference_are_no_source_of_it():
    for n_lines in (60, 300, 1000):
        ref, a, b = make(n_lines, 3, (0.15, 0.4))
        assert told({"a": a, "b": b}, {"refA": ref})[0] == []
        assert told({"copy": ref, "a": a, "b": b}, {"refA": ref})[0] == []
    short = ["Ja.", "Nein.", "Danke sehr.", "Guten Tag."] * 30
    assert (
        told(
            {"a": short, "b": [line.replace("a", "o") for line in short]},
            {"refA": short[:-1] + ["Ja!"]},
        )[0]
        == []
    )


def doubts_of(testset):
    return [caution for caution in about_files(testset) if caution.kind.doubts_files]


@pytest.mark.parametrize("langpair", brief(1, ["en-zh", "en-de"]))
def test_nothing_is_said_of_real_outputs(wmt24, langpair):
    testset = read_wmt(wmt24, langpair)
    testset = testset.only(
        [name for name in testset.systems if name != "CycleL2"]
    )  # in en-zh it is in no language
    for references in ([name] for name in testset.references):
        scored = testset.scored_with(references, others_as_systems=len(testset.references) > 1)
        assert doubts_of(scored) == []
    draw, documents = random.Random(12), testset.document_index
    for n_documents in (12, 40):
        chosen = set(draw.sample(range(documents.max() + 1), n_documents))
        part = testset.take([k for k, document in enumerate(documents) if document in chosen])
        assert doubts_of(part) == doubts_of(part.only([draw.choice(list(testset.systems))])) == []


@pytest.mark.parametrize("langpair", brief(1, ["en-de", "en-zh"]))
def test_real_outputs_in_another_order_are_found(wmt24, langpair):
    testset = read_wmt(wmt24, langpair)
    draw, part = random.Random(13), testset.take(range(400, 700))
    names = [
        name for name in part.systems if name[:4] not in ("Cycl", "GPT-")
    ]  # hardly a line of theirs fits in en-zh
    for name in draw.sample(names, 2):
        odd = list(part.systems[name])
        for moved in (
            draw.sample(odd, len(odd)),
            odd[1:] + odd[:1],
            odd[:100] + draw.sample(odd[100:], 200),
        ):
            found = about_files(
                TestSet("part", {"other": part.systems["GPT-4"], name: moved}, part.references)
            )
            assert [(one.code, one.a) for one in found] == [("other-order", name)]


def test_lines_that_begin_with_other_words_than_the_reference_are_no_mark():
    """As of menus and formulas: added words make a line longer, chosen ones do not."""
    rng = random.Random(11)
    rests = [
        " ".join(
            rng.choice(("box", "page", "red", "row", "left", "file", "key", "note"))
            for _ in range(8)
        )
        for _ in range(60)
    ]
    references = [f"Press the key of {rest}" for rest in rests]
    testset = TestSet(
        "menus",
        {
            "other": [f"Click the button on {rest}" for rest in rests],
            "added": [f"Sure here it is then {text}" for text in references],
        },
        {"ref": references},
    )
    assert {caution.a for caution in about_files(testset) if caution.code == "marked-lines"} == {
        "added"
    }


def test_an_abbreviation_of_what_references_begin_with_is_no_mark():
    rng = random.Random(12)
    rests = [" ".join(rng.choice(WORDS) for _ in range(9)) for _ in range(120)]
    references = [f"Article {k} : {rest}" for k, rest in enumerate(rests)]
    testset = TestSet(
        "laws",
        {
            "short": [f"Art. {k} : {rest}" for k, rest in enumerate(rests)],
            "marked": [f"@@ {text}" for text in references],
        },
        {"ref": references},
    )
    assert {caution.a for caution in about_files(testset) if caution.code == "marked-lines"} == {
        "marked"
    }


def with_errors(texts, share, rng):
    return [
        " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())
        for text in texts
    ]


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_a_good_system_of_which_errors_are_here_and_there_has_not_made_the_reference(share):
    rng = random.Random(13)
    references = [" ".join(rng.choice(WORDS) for _ in range(8)) for _ in range(400)]
    testset = TestSet(
        "formulas",
        {
            "good": with_errors(references, share, rng),
            "bad": with_errors(references, 3 * share, rng),
        },
        {"ref": references},
    )
    assert [
        caution.a for caution in about_files(testset) if caution.code == "made-from-output"
    ] == []


def test_an_output_of_which_many_lines_got_one_other_word_and_some_a_new_translation_made_the_reference():
    rng = random.Random(14)
    output = [" ".join(rng.choice(WORDS) for _ in range(12)) for _ in range(400)]
    edited = [
        text
        if k % 4 == 0
        else " ".join([*text.split()[:-1], "anders"])
        if k % 4 in (1, 2)
        else " ".join(rng.choice(WORDS) for _ in range(12))
        for k, text in enumerate(output)
    ]
    testset = TestSet("edited", {"A": output, "B": with_errors(edited, 0.3, rng)}, {"ref": edited})
    assert [
        caution.a for caution in about_files(testset) if caution.code == "made-from-output"
    ] == ["A"]


def test_warnings_are_kept_with_the_statistics_and_come_back_the_same(monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    texts = [" ".join(WORDS[k % 7 : k % 7 + 5]) + f" {k}" for k in range(1000)]
    first, again = (
        TestSet("set", {"A": texts[::-1], "B": [f"@@ {text}" for text in texts]}, {"ref": texts})
        for _ in range(2)
    )
    found = about_files(first)
    assert found and any(caution.remedies for caution in found)
    monkeypatch.setattr(file_cautions, "_search_files", None)
    kept = about_files(again)
    other = TestSet("set", again.systems, again.references, lines=range(101, 1101))
    with pytest.raises(
        TypeError
    ):  # which has other lines to name, so that they are looked for again
        about_files(other)
    assert kept == found and [one.remedies for one in kept] == [one.remedies for one in found]
