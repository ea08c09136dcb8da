"""read_text: names, line counts, documents, language pairs."""

import subprocess

import pytest

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers import read_text
from mtsig_core.readers.document_ids import read_documents
from mtsig_core.readers.texts import check_langpair

LINES = [
    "Der erste Satz ist nicht lang.",
    "Ein zweiter.",
    "Der dritte Satz ist etwas länger als die beiden anderen.",
    "Kurz.",
    "Und das ist das Ende der kleinen Sammlung.",
]
JOINED = [LINES[0], f"{LINES[1]} {LINES[2]}", *LINES[3:]]


def error(*args, kind=InputError, **kwargs):
    with pytest.raises(kind) as caught:
        read_text(*args, **kwargs)
    return str(caught.value)


@pytest.fixture
def ref(write):
    return write("data/ref.txt", LINES)


@pytest.fixture
def sys_a(write):
    return write("data/out/sysA.txt", [line.upper() for line in LINES])


class TestReading:
    def test_all_parts(self, ref, sys_a, write):
        testset = read_text(
            [(None, ref), ("B", write("refB.txt.gz", LINES[::-1]))],
            [(None, sys_a), ("mine", ref)],
            sources=write("src.txt", list("abcde")),
            documents=write("docs.tsv", ["news\td1"] * 3 + ["social\td1"] * 2),
            langpair="de-de",
            name="toy",
        )
        assert testset.name == "toy" and testset.langpair == "de-de"
        assert dict(testset.references) == {"ref": tuple(LINES), "B": tuple(LINES[::-1])}
        assert dict(testset.systems) == {"sysA": tuple(map(str.upper, LINES)), "mine": tuple(LINES)}
        assert testset.sources == tuple("abcde")
        assert (
            testset.documents == ("d1",) * 5 and testset.domains == ("news",) * 3 + ("social",) * 2
        )
        assert testset.lines == (1, 2, 3, 4, 5)

    @pytest.mark.parametrize(
        "file, name",
        [
            ("sysA.txt.gz", "sysA"),
            ("sysA.txt", "sysA"),
            ("sysA.gz", "sysA"),
            ("sysA", "sysA"),
            ("sysA.de", "sysA.de"),
            ("v1.2.txt", "v1.2"),
        ],
    )
    def test_name_is_the_stem(self, ref, write, file, name):
        assert list(read_text([(None, ref)], [(None, write(file, LINES))]).systems) == [name]

    def test_default_name(self, ref, sys_a):
        assert read_text([(None, ref)], [(None, sys_a)], langpair="en-de").name == "data en-de"
        assert read_text([(None, ref)], [(None, sys_a)]).name == "data"
        assert read_text([(None, sys_a)], []).name == "out"


class TestNames:
    def test_two_systems_of_one_name(self, ref, sys_a, write):
        other = write("other/sysA.txt.gz", LINES)
        assert error([(None, ref)], [(None, sys_a), (None, other)]) == (
            f"Two systems are called sysA: {sys_a} and {other}. Give each a name of its own."
        )

    @pytest.mark.parametrize("name", ["", " "])
    def test_empty_name(self, ref, sys_a, name):
        message = error([(None, ref)], [(name, sys_a)])
        assert f"The system {sys_a} has an empty name." in message and "name of its own" in message
        assert f"The reference {ref} has an empty name." in error([(name, ref)], [])


class TestLineCounts:
    def test_joined_line(self, ref, write):
        path = write("sysB.txt", JOINED)
        assert error([(None, ref)], [(None, path)]).startswith(
            f"{path} has 4 lines, the reference {ref} has 5. From about line 2 the lines no longer match. "
            "Each line must be"
        )

    def test_all_wrong_files_in_one_message(self, ref, sys_a, write):
        b, c = write("sysB.txt", JOINED), write("sysC.txt", "für\n".encode("latin-1"))
        d, docs = write("sysD.txt", [*LINES, "x"]), write("docs.txt", ["d"] * 3)
        message = error(
            [(None, ref)], [(None, b), (None, c), (None, sys_a), (None, d)], documents=docs
        )
        c_line, b_line, d_line, docs_line, remedy = message.split("\n")
        assert b_line.startswith(f"{b} has 4 lines, the reference {ref} has 5. From about line")
        assert c_line.startswith(f"{c}, line 1: byte 0xFC")
        assert d_line.startswith(f"{d} has 6 lines, the reference {ref} has 5. From about line")
        assert docs_line == f"{docs} has 3 lines, the reference {ref} has 5."
        assert remedy.startswith("Each line must be the same segment")
        assert "sysA" not in message

    def test_the_reference_may_be_the_wrong_one(self, write, sys_a):
        ref = write("ref.txt", JOINED)
        other = write("sysB.txt", LINES)
        assert error([(None, ref)], [(None, sys_a), (None, other)]).startswith(
            f"The reference {ref} has 4 lines, all other files ({sys_a}, {other}) have 5. So the reference "
            "may be wrong. From about line 2 the lines no longer match. Each line must be"
        )
        assert "the reference may be wrong" not in error([(None, ref)], [(None, sys_a)])

    @pytest.mark.parametrize("blank", ["", " \t"])
    def test_blank_lines_of_the_reference(self, write, ref, sys_a, blank):
        path = write("refB.txt", [*LINES[:2], blank, LINES[2], blank, *LINES[3:]])
        told = (
            " The reference has 2 blank lines, the first is line 3, and 5 others. If blank lines are not "
            f"segments, remove them: grep -v '^[[:space:]]*$' {path} > {str(path)[:-4]}.new.txt"
        )
        alone = error([(None, path)], [(None, sys_a)])
        assert alone.startswith(
            f"{sys_a} has 5 lines, the reference {path} has 7. Each line"
        ) and alone.endswith(told)
        both = error([(None, path)], [(None, sys_a), ("B", ref)])
        assert both.startswith(
            f"The reference {path} has 7 lines, all other files"
        ) and both.endswith(told)
        assert "no longer match" not in alone + both
        subprocess.run(["bash", "-c", alone.partition("remove them: ")[2]], check=True)
        assert read_text([(None, f"{str(path)[:-4]}.new.txt")], [(None, sys_a)]).n_segments == 5

    def test_search_is_bounded(self, ref, write, monkeypatch):
        monkeypatch.setattr("mtsig_core.readers.line_counts.SEARCHED_LINES", 10)
        paths = [(None, write(f"sys{i}.txt", JOINED)) for i in range(5)]
        message = error([(None, ref)], [*paths, ("right", ref)])
        assert message.count("has 4 lines") == 5 and message.count("no longer match") == 2


class TestDocuments:
    def test_blanks_only_on_request(self, write):
        path = write("d", ["news d1", "talks d2"])
        assert read_documents(path, has_blanks=True) == (["d1", "d2"], ["news", "talks"])
        assert read_documents(path) == (["news d1", "talks d2"], None)
        assert read_documents(write("d", ["news d1", "d2"]), has_blanks=True) == (
            ["news d1", "d2"],
            None,
        )

    def test_json_lines(self, write):
        path = write(
            "d.jsonl.gz",
            ['{"domain": "news", "docid": "d1"}', '{"docid": "d2", "domain": "talks"}'],
        )
        assert read_documents(path) == (["d1", "d2"], ["news", "talks"])
        assert read_documents(
            write("e.jsonl", ['{"docid": 7}', '{"docid": 8, "domain": null}'])
        ) == (["7", "8"], None)
        assert read_documents(write("f.txt", ['{"docid": 7}', '{"docid": 7}'])) == (
            ["7", "7"],
            None,
        )

    @pytest.mark.parametrize(
        "lines, parts",
        [
            (["d1", ""], ["line 2 has an empty line", "document id"]),
            (["d1", " "], ["line 2 has an empty line"]),
            (["news\td1", "news\t"], ["line 2 has an empty field"]),
            (["news\td1", "\td1"], ["line 2 has an empty field"]),
            (["a\tb", "a\tb\tc"], ["line 2 has 3 columns", "domain<TAB>docid", "tabs"]),
            (
                ["d1", "d1", "a\td1"],
                ["line 3 has 2 columns (domain<TAB>docid)", "before have 1 column (docid)"],
            ),
            (
                ["a\td1", "d1"],
                ["line 2 has 1 column (docid)", "before have 2 columns (domain<TAB>docid)"],
            ),
        ],
    )
    def test_wrong_lines(self, write, lines, parts):
        path = write("docs.tsv", lines)
        with pytest.raises(InputError) as caught:
            read_documents(path)
        assert all(part in str(caught.value) for part in [f"{path}, ", *parts])

    @pytest.mark.parametrize("line", ["no json", '{"doc": "d"}', '["d"]', '"docid"', "3"])
    def test_wrong_json(self, write, line):
        with pytest.raises(InputError, match="m.jsonl, line 2 is .* Expected"):
            read_documents(write("m.jsonl", ['{"docid": "d"}', line]))


class TestLangpair:
    @pytest.mark.parametrize(
        "langpair",
        [
            "en-de",
            "liv-en",
            "en-zh_TW",
            "sr_Latn-en",
            "en-zh_Hant_TW",
            "en-es_419",
            "en-pt-BR",
            "zh-Hant-TW-en",
        ],
    )
    def test_valid(self, langpair):
        check_langpair(langpair)

    @pytest.mark.parametrize(
        "langpair",
        [
            "",
            "en",
            "ende",
            "en-",
            "-de",
            "english-german",
            "en-de-fr",
            "e-de",
            "en-de\n",
            "en-d3",
            "../en-de",
        ],
    )
    def test_invalid(self, ref, langpair):
        assert "is not a language pair" in error(
            [(None, ref)], [], langpair=langpair, kind=SettingError
        )

    @pytest.mark.parametrize("langpair", ["EN-DE", "en_de", "en/de", "en - de", "en–de"])
    def test_suggestion(self, ref, langpair):
        message = error([(None, ref)], [], langpair=langpair, kind=SettingError)
        assert message.startswith(repr(langpair)) and message.endswith("Did you mean en-de?")
