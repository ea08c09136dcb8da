"""Files as they come from a browser."""

import gzip

import pytest

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers import files as read_files
from mtsig_core.readers.uploads import (
    Upload,
    find_common_set,
    find_reference_language,
    guess_name,
    guess_uploads,
    read_uploads,
)
from mtsig_core.report.tables import inventory_table
from tests.builders.toys import SPACELESS, read_zip, zip_language_pairs, zipped


def guess_role(file):
    return guess_uploads([(file, b"")])[0][0]


def up(file, text, role=None, name=None):
    content = text if isinstance(text, bytes) else text.encode()
    return Upload(file, content, role or guess_role(file), name or guess_name(file))


@pytest.mark.parametrize(
    "file,role",
    [
        ("ref.txt", "reference"),
        ("newstest2021.en-de.ref.A.de", "reference"),
        ("en-de.refA.txt", "reference"),
        ("reference.gz", "reference"),
        ("docs.txt", "documents"),
        ("en-de.docs", "documents"),
        ("source.txt", "source"),
        ("a.src", "source"),
        ("system1.txt", "system"),
        ("preference.txt", "system"),
        ("doctor.txt", "system"),
        ("en-zh.txt", "source"),
        ("newstest2021.en-de.src.en.gz", "source"),
        ("our-mt.txt", "system"),
        ("mine.en-de.txt", "system"),
        ("newstest2021.en-de.meta.jsonl", "documents"),
        ("en-zh.refA.txt.gz", "reference"),
    ],
)
def test_roles_are_guessed_from_names(file, role):
    assert guess_role(file) == role


def test_a_file_of_domains_and_document_ids_is_no_pair_of_references():
    content = b"news\ttest-news_press.3585\nsocial\ttest-social_1.24\n" * 3
    assert guess_uploads([("docs.txt", content)]) == [("documents", "docs")]
    assert guess_uploads([("ref.txt", content)]) == [("reference", "ref")]


def test_reads_all_roles_and_gz():
    testset = read_uploads(
        [
            up("ref.txt", "a\nb\n"),
            up("x.txt.gz", gzip.compress(b"a\nc\n")),
            up("docs.txt", "d\td1\nd\td2\n"),
            up("src.txt", "q\nr\n"),
            up("notes.txt", "anything", role="exclude"),
        ],
        langpair="en-de",
    )
    assert dict(testset.systems) == {"x": ("a", "c")} and testset.sources == ("q", "r")
    assert testset.documents == ("d1", "d2") and testset.langpair == "en-de"


@pytest.mark.parametrize(
    "file, name",
    [
        ("generaltest2022.uk-en.hyp.GTCOM.en", "GTCOM"),
        ("newstest2021.en-de.hyp.Online-A.1.de.gz", "Online-A.1"),
        ("generaltest2022.en-zh.ref.A.zh", "refA"),
        ("en-zh.refB.txt", "refB"),
        ("generaltest2024.en-zh.esa.tsv", "esa"),
        ("our-mt.txt", "our-mt"),
        ("x.en-zh_TW.hyp.M_1.2B.zh_TW", "M_1.2B"),
        ("x.en-pt-BR.hyp.M-1.pt-BR", "M-1"),
    ],
)
def test_names_without_what_the_shared_task_puts_around_them(file, name):
    assert guess_name(file) == name


def test_set_and_pair_are_those_that_the_names_agree_on():
    files = [
        "generaltest2022.en-zh.hyp.GTCOM.zh",
        "generaltest2022.en-zh.ref.A.zh",
        "en-zh.docs",
        "mine.txt",
    ]
    assert find_common_set(files) == ("generaltest2022", "en-zh") and find_common_set(
        ["mine.txt"]
    ) == (
        "",
        "",
    )
    assert find_common_set([*files, "wmttest2024.en-zh.hyp.X.zh"]) == ("", "en-zh")
    with pytest.raises(
        InputError, match=r"2 language pairs: en-zh \(.*GTCOM.*\); uk-en \(a.uk-en.hyp.X.en\)"
    ):
        find_common_set([*files, "a.uk-en.hyp.X.en"])


@pytest.mark.parametrize("language", SPACELESS)
def test_the_language_of_the_references_is_seen(language):
    text = gzip.compress("\n".join(SPACELESS[language]).encode())
    assert (
        find_reference_language([up("x.txt", "abc"), up("ref.gz", text), up("refB.txt", b"\xff\n")])
        == language
    )
    assert find_reference_language([up("ref.txt", "a b c"), up("x.txt", text)]) is None


def test_a_canary_is_left_out_and_said_to_be():
    files = [
        up("ref.txt", "guid\na\nb\n"),
        up("x.txt", "guid\na\nc\n"),
        up("human.tsv", "line\tx\n1\t9\n3\t5\n"),
    ]
    testset = read_uploads([*files, up("docs.txt", "canary\tcanary\nnews\td\nnews\td\n")])
    assert testset.lines == (2, 3) and dict(testset.scores["human"].by_system) == {"x": (None, 5)}
    assert ["excluded", "line 1, a canary", "1", "", "", "", "", ""] in inventory_table(
        testset
    ).texts()


def test_messages_name_the_file_and_not_the_folder_it_lay_in():
    with pytest.raises(InputError) as caught:
        read_uploads([up("ref.txt", "a\nb\nc\n"), up("x.txt", "a\nb\n"), up("y.txt", b"\xff\n")])
    message = str(caught.value)
    assert (
        "x.txt has 2 lines, the reference ref.txt has 3" in message and "y.txt, line 1" in message
    )
    assert "mtsig-" not in message and "/" not in message.replace("system/reference", "")[:20]


@pytest.mark.parametrize(
    "files,words",
    [
        ([("x.txt", "system")], "No reference"),
        ([("r.txt", "reference")], "No system"),
        (
            [("r.txt", "reference"), ("x.txt", "system"), ("ids", "segment ids")],
            "ids contains segment ids, and there is no",
        ),
        (
            [("r.txt", "reference"), ("x.txt", "system"), ("d1", "documents"), ("d2", "documents")],
            "d1, d2",
        ),
    ],
)
def test_what_is_missing_or_double_is_named(files, words):
    with pytest.raises(InputError, match=words):
        read_uploads([up(file, "a\n", role) for file, role in files])


@pytest.mark.parametrize(
    ("name", "read"), [("\u5317\u4eac".encode(), "\u5317\u4eac"), (b"K\x94ln", "K\u00f6ln")]
)
def test_names_in_a_zip_that_says_no_encoding_are_utf_8_or_else_those_of_dos(name, read):
    place = b"N" * len(name)
    task = zipped(
        {"references/en-de.refA.txt": "a\n", f"system-outputs/en-de/{place.decode()}.txt": "b\n"}
    )
    assert dict(read_zip(task.replace(place, name), "en-de").systems) == {read: ("b",)}


def test_the_fault_of_a_table_is_told_before_what_else_is_missing():
    ref, table = up("ref.txt", "a\nb\n"), "system\tline\tscore\nA\t1\t"
    for files in ([ref], [up("x.txt", "a\nb\n")]):
        with pytest.raises(InputError, match="^s1.tsv, row 2"):
            read_uploads([*files, up("s1.tsv", f"{table}x\n")])
    for fine in (
        up("s1.tsv", f"{table}1\n"),
        up("m.tsv", f"{table}3\n", "scores", "MetricX-24"),
        up("i.tsv", "system\tid\tscore\nA\tq\t3\n"),
    ):
        with pytest.raises(InputError, match="^No system among the files"):
            read_uploads([ref, fine])


def test_a_zip_of_files_side_by_side_whose_names_say_all():
    pair = {"hyp.GTCOM": "a\nc\n", "ref.A": "a\nb\n", "src": "q\nr\n"}
    files = {
        f"top/generaltest2022.{pair_of}.{part}.{(pair_of[:2] if part == 'src' else pair_of[3:])}": text
        for pair_of in ("uk-en", "en-zh")
        for part, text in pair.items()
    }
    task = zipped(
        {**files, "top/en-zh.docs": "d1\nd2\n", "__MACOSX/._generaltest2022.uk-en.ref.A.en": "?"}
    )
    assert zip_language_pairs(task) == ["en-zh", "uk-en"]
    testset = read_zip(task, "uk-en")
    assert (testset.name, list(testset.systems), list(testset.references)) == (
        "generaltest2022 uk-en",
        ["GTCOM"],
        ["refA"],
    )
    assert testset.sources == ("q", "r") and testset.documents is None
    assert read_zip(task, "en-zh").documents == ("d1", "d2")


def test_bad_archives(monkeypatch):
    with pytest.raises(InputError, match="no references/"):
        zip_language_pairs(zipped({"a.txt": "x"}))
    monkeypatch.setattr(read_files, "MAX_UNPACKED", 10)
    with pytest.raises(InputError, match="Zip only one task"):
        zip_language_pairs(zipped({"references/en-de.refA.txt": "a\n" * 20}))
    monkeypatch.setenv("MTSIG_UPLOAD_ZIP_FILES", "1")  # where both hold, the dashboard's is told
    with pytest.raises(InputError, match=r"MTSIG_UPLOAD_ZIP_FILES\."):
        zip_language_pairs(zipped({"references/en-de.refA.txt": "a\n" * 20, "x": ""}))


@pytest.mark.parametrize(
    "file", ["human.tsv", "wmt.esa.csv.gz", "comet.json", "x.jsonl", "x.parquet", "da-scores.txt"]
)
def test_tables_of_scores_are_guessed(file):
    assert guess_role(file) == "scores"


def test_scores_alone_and_with_texts():
    table = "system\tline\tscore\nx\t1\t3\nx\t2\t5\n"
    alone = read_uploads(
        [up("human.tsv", table), up("cost.tsv", table, role="scores, lower is better")]
    )
    assert {name: s.higher_is_better for name, s in alone.scores.items()} == {
        "human": True,
        "cost": False,
    }
    assert not alone.has_texts and alone.name == "upload"
    joined = read_uploads([up("ref.txt", "a\nb\n"), up("x.txt", "a\nc\n"), up("human.tsv", table)])
    assert joined.has_texts and dict(joined.scores["human"].by_system) == {"x": (3, 5)}
    named = [up("human.tsv", "system\tid\tscore\nx\tq\t3\nx\tp\t5\n"), up("ids.txt", "p\nq\n")]
    joined = read_uploads([up("ref.txt", "a\nb\n"), up("x.txt", "a\nc\n"), *named])
    assert dict(joined.scores["human"].by_system) == {"x": (5, 3)}
    with pytest.raises(InputError, match="^human.tsv, row 2: there is no line 9") as caught:
        read_uploads(
            [
                up("ref.txt", "a\n"),
                up("x.txt", "a\n"),
                up("human.tsv", "system,line,score\nx,9,1\n"),
            ]
        )
    assert "mtsig-" not in str(caught.value)


def test_errors_are_asked_about():
    """Scores of a known metric in the range of its errors: the role says which is better."""
    table = "system\tline\tscore\nx\t1\t3\nx\t2\t5\n"
    texts = [up("ref.txt", "a\nb\n"), up("x.txt", "a\nc\n")]
    for files in ([], texts):
        with pytest.raises(
            SettingError, match="lower may be better in 'MetricX-24'.*roles 'scores, lower"
        ):
            read_uploads([*files, up("m.tsv", table, "scores", "MetricX-24")])
        for which in ("lower", "higher"):
            found = read_uploads(
                [*files, up("m.tsv", table, f"scores, {which} is better", "MetricX-24")]
            )
            assert found.scores["MetricX-24"].higher_is_better is (which == "higher")


def test_outputs_of_training_runs_are_told_by_their_names():
    ref = "a b c d\ne f g h\n"
    files = {
        "ref.txt": ref,
        "A.run10.txt": "10\n10\n",
        "A.run1.txt": ref,
        "x.en-de.hyp.B.de": ref,
        "x.en-de.hyp.B.run2.de": "2\n2\n",
        "A.run2.txt": "two\ntwo\n",
        "B_run3.txt": "3\n3\n",
        "C.run4.txt": ref,
    }
    guessed = guess_uploads([(file, text.encode()) for file, text in files.items()])
    assert guessed[1:] == [
        ("training run", "A"),
        ("system", "A"),
        ("system", "B"),
        ("training run", "B"),
        ("training run", "A"),
        ("training run", "B"),
        ("system", "C.run4"),
    ]
    testset = read_uploads(
        [up(file, text, *guess) for (file, text), guess in zip(files.items(), guessed, strict=True)]
    )
    assert {name: [output[0] for output in outputs] for name, outputs in testset.runs.items()} == {
        "A": ["two", "10"],
        "B": ["2", "3"],
    }
    assert ["training run", "A, run 3", "2"] in [
        row[:3] for row in inventory_table(testset).texts()
    ]
    with pytest.raises(InputError, match="run of 'Z', which is no system"):
        read_uploads([up("ref.txt", ref), up("A.txt", ref), up("z.txt", ref, "training run", "Z")])


def test_files_of_one_name_are_systems_of_their_own_and_no_training_runs():
    """From two folders, of which a browser says nothing."""
    ref = "a b c d\ne f g h\n"
    files = [
        ("ref.txt", ref),
        ("out.txt", ref),
        ("out.txt", "1\n1\n"),
        ("x.en-de.hyp.A.de", ref),
        ("A.txt.gz", ref),
        ("B.run2.txt", ref),
        ("B.run2.txt", ref),
        ("B.run1.txt", ref),
        ("ref.txt", ref),
    ]
    guessed = guess_uploads([(file, text.encode()) for file, text in files])
    assert guessed == [
        ("reference", "ref"),
        ("system", "out"),
        ("system", "out (2)"),
        ("system", "A"),
        ("system", "A (2)"),
        ("system", "B.run2"),
        ("system", "B.run2 (2)"),
        ("system", "B.run1"),
        ("reference", "ref (2)"),
    ]
    testset = read_uploads(
        [up(*file, *guess) for file, guess in zip(files[:3], guessed[:3], strict=True)]
    )
    assert {name: output[0] for name, output in testset.systems.items()} == {
        "out": "a b c d",
        "out (2)": "1",
    }


def test_two_tables_of_texts_of_one_name_are_two_systems_called_by_it_without_its_ending():
    rows = [
        f'{{"doc_id": {k}, "doc": {{}}, "target": "w {k}", "filtered_resps": ["w {k}"]}}'
        for k in range(9)
    ]
    table = up("samples.jsonl", "\n".join(rows), "reference and outputs", "samples")
    assert [*read_uploads([table, table]).systems] == ["samples", "samples (2)"]
