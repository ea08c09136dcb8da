"""Files as they come from a browser."""

import gzip
import io
import zipfile

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers import uploads
from mtsig_core.readers.uploads import Upload, guess_name, guess_role, read_uploads, read_zip, zip_language_pairs


def up(file, text, role=None, name=None):
    content = text if isinstance(text, bytes) else text.encode()
    return Upload(file, content, role or guess_role(file), name or guess_name(file))


def packed(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize("file,role", [
    ("ref.txt", "reference"), ("newstest2021.en-de.ref.A.de", "reference"), ("en-de.refA.txt", "reference"),
    ("reference.gz", "reference"), ("docs.txt", "documents"), ("en-de.docs", "documents"), ("source.txt", "source"),
    ("a.src", "source"), ("system1.txt", "system"), ("preference.txt", "system"), ("doctor.txt", "system")])
def test_roles_are_guessed_from_names(file, role):
    assert guess_role(file) == role


def test_reads_all_roles_and_gz():
    testset = read_uploads([up("ref.txt", "a\nb\n"), up("x.txt.gz", gzip.compress(b"a\nc\n")),
                            up("docs.txt", "d\td1\nd\td2\n"),
                            up("src.txt", "q\nr\n"), up("notes.txt", "anything", role="leave out")], langpair="en-de")
    assert dict(testset.systems) == {"x": ("a", "c")} and testset.sources == ("q", "r")
    assert testset.documents == ("d1", "d2") and testset.langpair == "en-de"


def test_messages_name_the_file_and_not_the_folder_it_lay_in():
    with pytest.raises(InputError) as caught:
        read_uploads([up("ref.txt", "a\nb\nc\n"), up("x.txt", "a\nb\n"), up("y.txt", b"\xff\n")])
    message = str(caught.value)
    assert "x.txt has 2 lines, the reference ref.txt has 3" in message and "y.txt, line 1" in message
    assert "mtsig-" not in message and "/" not in message.replace("system/reference", "")[:20]


@pytest.mark.parametrize("files,words", [
    ([("x.txt", "system")], "No reference"), ([("r.txt", "reference")], "No system"),
    ([("r.txt", "reference"), ("x.txt", "system"), ("ids", "segment ids")], "ids holds segment ids, and there is no"),
    ([("r.txt", "reference"), ("x.txt", "system"), ("d1", "documents"), ("d2", "documents")], "d1, d2")])
def test_what_is_missing_or_double_is_named(files, words):
    with pytest.raises(InputError, match=words):
        read_uploads([up(file, "a\n", role) for file, role in files])


@pytest.mark.parametrize("name", ["../../etc/x", "..\\x", "/abs/x", "a/b/x", "\u202ex", "x" * 300])
def test_no_name_leads_elsewhere(name):
    testset = read_uploads([up("ref", "a\n"), up(name, "a\n", "system", "s")])
    assert testset.systems["s"] == ("a",)


def test_a_zipped_task():
    task = packed({"top/task/references/en-de.refA.txt": "a\nb\n", "top/task/system-outputs/en-de/x.txt": "a\nc\n"})
    assert zip_language_pairs(task) == ["en-de"]
    assert dict(read_zip(task, "en-de").systems) == {"x": ("a", "c")}


def test_a_zip_that_climbs_stays_inside(tmp_path):
    task = packed({"../../evil.txt": "x", "references/en-de.refA.txt": "a\n"})
    assert zip_language_pairs(task) == ["en-de"]


def test_bad_archives(monkeypatch):
    with pytest.raises(InputError, match="cannot be read"):
        zip_language_pairs(b"PK\x03\x04 not really")
    with pytest.raises(InputError, match="no references/"):
        zip_language_pairs(packed({"a.txt": "x"}))
    monkeypatch.setattr(uploads, "MAX_UNPACKED", 10)
    with pytest.raises(InputError, match="Zip one task alone"):
        zip_language_pairs(packed({"references/en-de.refA.txt": "a\n" * 20}))


@pytest.mark.parametrize("file", ["human.tsv", "wmt.esa.csv.gz", "comet.json", "x.jsonl", "x.parquet", "da-scores.txt"])
def test_tables_of_scores_are_guessed(file):
    assert guess_role(file) == "scores"


def test_scores_alone_and_with_texts():
    table = "system\tline\tscore\nx\t1\t3\nx\t2\t5\n"
    alone = read_uploads([up("human.tsv", table), up("cost.tsv", table, role="scores, lower is better")])
    assert {name: s.higher_is_better for name, s in alone.scores.items()} == {"human": True, "cost": False}
    assert not alone.has_texts and alone.name == "upload"
    joined = read_uploads([up("ref.txt", "a\nb\n"), up("x.txt", "a\nc\n"), up("human.tsv", table)])
    assert joined.has_texts and dict(joined.scores["human"].by_system) == {"x": (3, 5)}
    named = [up("human.tsv", "system\tid\tscore\nx\tq\t3\nx\tp\t5\n"), up("ids.txt", "p\nq\n")]
    joined = read_uploads([up("ref.txt", "a\nb\n"), up("x.txt", "a\nc\n"), *named])
    assert dict(joined.scores["human"].by_system) == {"x": (5, 3)}
    with pytest.raises(InputError, match="^human.tsv, row 2: there is no line 9") as caught:
        read_uploads([up("ref.txt", "a\n"), up("x.txt", "a\n"), up("human.tsv", "system,line,score\nx,9,1\n")])
    assert "mtsig-" not in str(caught.value)
