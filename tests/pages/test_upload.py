"""The page Upload without a browser."""

import csv
import gzip
import json
import re
from html import escape

import pytest

from mtsig_core.cli.main import main
from mtsig_core.errors import SettingError
from mtsig_core.readers.task_contents import Contents
from mtsig_core.readers.uploads import Upload, read_uploads
from mtsig_core.report.commands import source_options
from pages._ui import testsets
from tests.builders.apps import followed
from tests.builders.screens import NAMES, arguments, copied, frame_rows, words
from tests.builders.streamlit_parts import keep_files
from tests.builders.toys import SPACELESS, zipped

REF = "".join(f"this is sentence {k} of the set\n" for k in range(30)).encode()
WORSE = REF.replace(b"sentence", b"phrase")


@pytest.fixture
def page(opened, source):
    return opened("upload", source)


def upload(page, *files):
    page.file_uploader(key="data.files").set_value(
        [(name, content, "text/plain") for name, content in files]
    ).run()
    assert not page.exception
    return page


def test_roles_are_guessed(page):
    upload(
        page,
        ("ref.txt", REF),
        ("a.txt", REF),
        ("a.run2.txt", REF),
        ("b.txt", REF),
        ("docs.txt", b"d1\n" * 30),
    )
    roles = [box.value for box in page.selectbox if box.label == "Role"]
    assert roles == ["reference", "system", "training run", "system", "documents"]
    assert "Recognized: 1 reference, 2 systems, 1 further training run, document ids" in words(page)


def test_no_tokenizer_is_asked_of_scores_alone(page):
    def tokenizers():
        return [box.label for box in page.main.selectbox if box.label.startswith("Tokenizer")]

    scores = (
        "human.tsv",
        b"system\tline\tscore\n" + b"".join(b"A\t%d\t1\nB\t%d\t2\n" % (k, k) for k in range(1, 9)),
    )
    upload(page, ("ref.txt", REF), ("a.txt", REF))
    assert tokenizers()
    upload(page, scores)
    assert not tokenizers()
    button(page).click().run()
    assert not page.exception and "human: 8 segments, 2 systems" in words(page)


def test_files_of_one_name_are_two_systems(page):
    """Added one after the other, as from two folders."""
    upload(page, ("ref.txt", REF), ("out.txt", REF))
    upload(page, ("ref.txt", REF), ("out.txt", REF), ("out.txt", WORSE))
    assert [box.value for box in page.selectbox if box.label == "Role"] == [
        "reference",
        "system",
        "system",
    ]
    button(page).click().run()
    assert not page.exception and "out, out (2): 30 segments, 2 systems" in words(page)


def test_a_name_follows_what_a_further_run_says(page):
    upload(page, ("ref.txt", REF), ("a.run1.txt", REF))
    box = page.file_uploader(key="data.files")
    keep_files(box).upload("a.run2.txt", WORSE).run()
    button(page).click().run()
    assert not page.exception and "a: 30 segments, 1 system" in words(page)


def test_what_cannot_be_kept_is_not_said_to_be_open(page, monkeypatch):
    def full(testset, source):
        raise SettingError("No room for it.")

    monkeypatch.setattr("pages._ui.testsets.keep_upload", full)
    upload(page, ("ref.txt", REF), ("a.txt", REF))
    button(page).click().run()
    assert not page.exception and "No room for it." in words(page) and "Opened" not in words(page)
    monkeypatch.undo()
    button(page).click().run()
    assert "Opened a: 30 segments" in words(page) and "No room for it." not in words(page)


def test_training_runs_are_opened_with_their_command(page, monkeypatch):
    """In the order of their numbers, whatever that of the files."""
    opened, names = [], ("a.run3", "a.run1", "b", "a.run2", "b.run2", "b.run3")
    monkeypatch.setattr(
        "pages._ui.testsets.keep_upload", lambda testset, source: opened.append((testset, source))
    )
    monkeypatch.setattr("pages._ui.frame.open_testset", lambda kept: None)
    upload(
        page,
        ("ref.txt", REF),
        *((f"{name}.txt", REF.replace(b"set", name.encode())) for name in names),
    )
    button(page).click().run()
    ((testset, source),) = opened
    assert [output[3].split()[-1] for output in (testset.systems["a"], *testset.runs["a"])] == [
        "a.run1",
        "a.run2",
        "a.run3",
    ]
    assert source_options(source)[6:10] == ["--run", "a=a.run2.txt", "--run", "b=b.run2.txt"]


def of_task(language="zh"):
    lines = "\n".join(SPACELESS[language]).encode()
    return lines, lines.replace("，".encode(), b"")


def button(page, label="Open these files"):
    return next(button for button in page.button if button.label == label)


def answer_direction(page, which):
    """Say whether higher or lower scores are better, where the form asks it."""
    [question] = [group for group in page.button_group if group.key.startswith("data.direction.")]
    question.set_value(which).run()


@pytest.mark.parametrize("which, best", [("lower", "B"), ("higher", "A")])
def test_a_name_that_says_no_direction_is_asked_about(page, which, best):
    """Nothing can be opened before, and the printed command has the answer."""
    rows = "".join(f"{k},{k % 5 + 3},{k % 4}\n" for k in range(1, 31))
    upload(page, ("ppl.csv", f"line,A,B\n{rows}".encode()))
    assert (
        "ppl: are higher or lower scores better? They range from 0 to 7." in words(page)
        and button(page).disabled
    )
    answer_direction(page, which)
    button(page).click().run()
    page.switch_page("pages/summary.py").run()
    assert not page.exception and any(f"--{which}-is-better ppl" in text for text in copied(page))
    assert f"{best} is significantly better" in words(page)


def test_names_in_the_style_of_wmt_say_all(page):
    ref, output = of_task()
    upload(
        page,
        ("en-zh.refA.txt", ref),
        ("generaltest2022.en-zh.hyp.GTCOM.zh", output),
        ("en-zh.txt", ref),
    )
    assert [box.value for box in page.selectbox if box.label == "Role"] == [
        "reference",
        "system",
        "source",
    ]
    texts = {box.label: box.value for box in page.text_input}
    assert (texts["Name of the test set"], texts["Language pair"]) == (
        "generaltest2022 en-zh",
        "en-zh",
    )
    assert [box.value for box in page.text_input if box.label == "Name" or not box.label][:2] == [
        "refA",
        "GTCOM",
    ]
    assert "The references look" not in words(page)
    assert not button(page).disabled and [
        box for box in page.selectbox if box.label == "Tokenizer (auto: zh)"
    ]


def test_files_of_two_pairs_are_not_mixed(page):
    upload(page, ("en-zh.refA.txt", REF), ("x.uk-en.hyp.GTCOM.en", REF))
    assert (
        "The names are of 2 language pairs: en-zh (en-zh.refA.txt); uk-en (x.uk-en.hyp.GTCOM.en)"
        in words(page)
    )
    assert not [button for button in page.button if button.label == "Open these files"]


@pytest.mark.parametrize(
    "language, said",
    [
        (
            "zh",
            "look Chinese, and no language pair is given: 13a would not cut them into words. Give the pair, such as",
        ),
        ("ja", "look Japanese"),
        ("ko", "look Korean"),
        ("th", "Choose a tokenizer: char or flores200."),
        ("km", "look Khmer"),
    ],
)
def test_without_a_pair_it_is_asked_for(page, language, said):
    ref, output = of_task(language)
    upload(page, ("ref.txt", ref), ("mine.txt", output))
    assert said in words(page) and button(page).disabled
    next(box for box in page.selectbox if box.label == "Tokenizer").select("char").run()
    assert "The references look" not in words(page) and not button(page).disabled


def test_a_pair_is_an_answer_too(page):
    ref, output = of_task("ja")
    upload(page, ("ref.txt", ref), ("mine.txt", output))
    next(box for box in page.text_input if box.label == "Language pair").input("en-ja").run()
    assert not button(page).disabled and "The references look" not in words(page)


def test_chinese_of_a_pair_gets_the_numbers_of_the_printed_command(
    page, tmp_path, monkeypatch, capsys
):
    lines = SPACELESS["zh"] * 5
    texts = {"ref": lines, "a": [text[:-1] for text in lines], "b": [text[1:] for text in lines]}
    files = {f"{name}.txt": "".join(f"{line}\n" for line in texts[name]).encode() for name in texts}
    upload(page, *files.items())
    assert button(page).disabled
    next(box for box in page.text_input if box.label == "Language pair").input("en-zh").run()
    button(page).click().run()
    page.switch_page("pages/summary.py").run()
    assert not page.exception and "· tokenizer zh" in words(page)
    command = next(line for line in copied(page) if line.startswith("mtsig compare"))
    assert "--langpair en-zh" in command
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert main([*arguments(command), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["bleu"]
    assert "|tok:zh|" in found["signature"]
    for row, system in zip(frame_rows(page.dataframe[0])[1:], found["systems"], strict=True):
        assert row[1] == system["system"] and float(row[2]) == pytest.approx(
            system["score"], rel=1e-3
        )


def test_mistakes_are_messages_and_the_page_lives_on(page):
    """More of them in tests/readers."""
    for file, parts in (
        (("b.txt", WORSE[: WORSE[:-1].rfind(b"\n") + 1]), ["b.txt has 29 lines", "30"]),
        (("b.gz", gzip.compress(WORSE)[:-20]), ["b.gz"]),
    ):
        upload(page, ("ref.txt", REF), file)
        button(page).click().run()
        said = re.search('mt-error" role="alert">(.*?)</div>', words(page))[1]
        assert not page.exception and all(part in said for part in parts), said
        assert "Traceback" not in said and "/tmp" not in said
    task = zipped({"task/references/en-de.refA.txt": REF, "task/system-outputs/en-de/x.txt": WORSE})
    other = zipped({"task/references/en-de.refA.txt": WORSE})
    upload(page, ("task.zip", task), ("other.zip", other))
    assert (
        'mt-error" role="alert">task/references/en-de.refA.txt is there twice, and the two differ'
        in words(page)
    )
    assert not [button for button in page.button if button.label.startswith("Open th")]
    upload(page, ("notes.txt", REF), ("task.zip", task))
    assert "Not read: notes.txt." in words(page)
    button(page, "Open this pair").click().run()
    assert not page.exception and "task en-de: 30 segments" in words(page)


def test_scores_under_other_column_names_open_under_their_metric(page):
    rows = "".join(
        f"{system},{line},{line % 7 / 10 + bonus}\n"
        for system, bonus in (("mine", 0.1), ("base", 0))
        for line in range(1, 31)
    )
    assert any(box.label.startswith("Open now") for box in page.expander)
    upload(page, ("scores.csv", f"model,sent_id,COMET\n{rows}".encode()))
    assert not any(
        box.label.startswith("Open now") for box in page.expander
    )  # which is of another test set
    button(page).click().run()
    assert not page.exception and "30 segments, 2 systems" in words(page)
    assert any(box.label.startswith("Open now (30 segments, 2 systems") for box in page.expander)
    page.switch_page("pages/summary.py").run()
    assert not page.exception and any("--scores COMET=scores.csv" in text for text in copied(page))


def test_a_table_of_texts_is_a_test_set(page):
    rows = zip(REF.decode().splitlines(), WORSE.decode().splitlines(), strict=True)
    upload(
        page,
        (
            "texts.csv",
            ("reference,mine,base\n" + "".join(f"{a},{a},{b}\n" for a, b in rows)).encode(),
        ),
    )
    assert [box.value for box in page.selectbox if box.label == "Role"] == ["reference and outputs"]
    assert "Recognized: 1 file with reference and outputs" in words(page)
    button(page).click().run()
    assert not page.exception and "30 segments, 2 systems" in words(page)
    page.switch_page("pages/summary.py").run()
    assert not page.exception and any(
        "--ref texts.csv --system texts.csv" in text for text in copied(page)
    )


def test_texts_that_come_with_documents_need_no_others(page):
    segments = "".join(
        f'<seg id="{k}">{text}</seg>\n' for k, text in enumerate(REF.decode().splitlines())
    )
    files = [
        (
            f"{name}.sgm",
            f'<{name}set><doc docid="d" sysid="{name}">\n{segments}</doc></{name}set>'.encode(),
        )
        for name in ("ref", "tst")
    ]
    upload(page, *files)
    assert "Recognized: 1 reference, 1 system" in words(page) and "No document ids" not in words(
        page
    )
    upload(page, ("ref.txt", REF), files[1])
    assert "No document ids" not in words(page)


def test_files_in_an_archive_are_as_if_uploaded_themselves(page):
    upload(page, ("flat.zip", zipped({"ref.txt": REF, "a.txt": REF, "b.txt": WORSE})))
    assert "Recognized: 1 reference, 2 systems" in words(page)
    button(page).click().run()
    assert not page.exception and "a, b: 30 segments, 2 systems" in words(page)


def test_file_names_are_shown_literally(page):
    upload(page, ("<b>ref</b>.txt", REF), ("![x](http://h/x.png).txt", REF))
    assert "&lt;b&gt;ref&lt;/b&gt;.txt" in words(page)
    assert not [element for element in page.markdown if "![x]" in element.value]


def test_what_is_wrong_inside_is_told_with_the_name_of_the_file(page):
    upload(page, ("zz.zip", zipped({"inner.zip": b"PK"})))
    assert 'mt-error" role="alert">zz.zip has no references/; it has inner.zip' in words(page)
    upload(page, ("bare.zip", zipped({"references/en-de.refA.txt": REF})))
    button(page, "Open this pair").click().run()
    assert "bare.zip has references and no output for en-de." in words(page)
    assert "0 systems" not in words(page) and not page.exception
    for name, content, said in (
        ("s1.tsv", b"system\tline\tscore\nA\t1\tx\n", "s1.tsv, row 2"),
        ("deep.json", b"[" * 9999, "deep.json"),
        ("esa.tsv", b"line\tA\n1\t2\n", "No system among"),
    ):
        upload(page, ("ref.txt", REF), (name, content))
        button(page).click().run()
        assert f'mt-error" role="alert">{said}' in words(page), name


def test_a_zip_is_unpacked_once_not_in_each_run_of_the_page(page, monkeypatch):
    seen = []
    monkeypatch.setattr(
        testsets, "contents_of", lambda path: seen.append(path) or Contents(("en-de",), (), (), ())
    )
    page.file_uploader(key="data.files").set_value([("t.zip", b"PK", "application/zip")]).run()
    page.run()
    assert not page.exception and len(seen) == 1
    assert page.selectbox(key="data.zip_pair").options == ["en-de"]


def test_document_ids_are_asked_for_and_join_the_set_that_is_open(page):
    upload(page, ("ref.txt", REF), ("a.txt", REF))
    assert "No document ids" in words(page)
    button(page).click().run()
    assert "has no document ids" in words(page)
    (box,) = page.file_uploader
    box.set_value([("docs.txt", b"d1\n" * 29, "text/plain")]).run()
    button(page, "Add to the open test set").click().run()
    assert "docs.txt has 29 lines, a has 30 segments" in words(page)
    page.file_uploader[0].set_value([("docs.txt", b"d1\n" * 30, "text/plain")]).run()
    button(page, "Add to the open test set").click().run()
    assert not page.exception and "Opened a: 30 segments" in words(page)
    assert "has no document ids" not in words(page) and not page.file_uploader[0].value
    page.switch_page("pages/summary.py").run()
    assert any("--docs docs.txt" in text for text in copied(page))


def test_a_sample_opens_by_one_click_and_says_that_it_is_simulated(page, monkeypatch):
    assert "Demo data" not in words(page)
    for button_key, said in (
        ("samples.open.reference.txt", "2 systems, 300 segments"),
        ("samples.open.human.csv", "4 systems, "),
    ):
        page.switch_page("pages/upload.py").run()
        asked = followed(
            page, lambda key=button_key: page.button(key=key).click().run(), monkeypatch
        )
        assert asked["testset"][0].startswith("~") and not page.exception
        assert "Demo data" in words(page) and said in words(page)
        assert not [caution for caution in re.findall("document ids", words(page))]


def test_the_sample_task_is_a_task(page, monkeypatch):
    followed(
        page, lambda: page.button(key="samples.open.shared_task.zip").click().run(), monkeypatch
    )
    assert not page.exception and "2 language pairs" in words(page) and "6 systems" in words(page)


def ratings(header, pairs=("en-de",)):
    rows = [
        (system, line, line * 7 % 40 + bonus + 20 * k, pair)
        for k, pair in enumerate(pairs)
        for system, bonus in (("mine", 9), ("base", 0))
        for line in range(1, 61)
    ]
    width = len(next(csv.reader([header])))
    return (
        header + "\n" + "".join(",".join(map(str, row[:width])) + "\n" for row in rows)
    ).encode()


def asked_columns(page):
    """The fields of the form, by what they ask for."""
    return {box.label: box for box in page.main.selectbox if ".column." in (box.key or "")}


@pytest.mark.parametrize(
    "header, pairs",
    [
        ("name,no,quality", ["en-de"]),
        ("name,no,quality,lp", ["en-de", "en-zh"]),
        (f'{NAMES[0]},{NAMES[1]},"{NAMES[2]}, b",direction', ["en-de", "en-zh"]),
    ],
)
def test_unclear_columns_are_asked_for(page, tmp_path, monkeypatch, capsys, header, pairs):
    """The printed command gives the same numbers, whatever the names of the columns and the
    language pair.
    """
    content, names = ratings(header, pairs), next(csv.reader([header]))
    upload(page, ("name.csv", content))
    assert [box.value for box in asked_columns(page).values()] == [
        *names[:3],
        "",
        names[3] if names[3:] else "",
    ]
    assert all(escape(name) in words(page) for name in names)
    assert not [element for element in page.markdown if "![" in element.value]
    if len(pairs) > 1:
        next(box for box in page.main.selectbox if box.label == "Language pair").select(
            "en-zh"
        ).run()
    answer_direction(page, "higher")
    button(page).click().run()
    assert (
        not page.exception
        and "name: 60 segments, 2 systems" in words(page)
        and not asked_columns(page)
    )
    page.switch_page("pages/summary.py").run()
    command = next(line for line in copied(page) if line.startswith("mtsig compare"))
    (tmp_path / "name.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert main([*arguments(command), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["name"]["systems"]
    expected = {"mine": 28.5 + 20 * (len(pairs) - 1), "base": 19.5 + 20 * (len(pairs) - 1)}
    assert {system["system"]: round(system["score"], 6) for system in found} == pytest.approx(
        expected
    )
    assert [(row[1], float(row[2])) for row in frame_rows(page.dataframe[0])[1:]] == [
        *expected.items()
    ]


def test_a_table_of_one_language_pair_is_looked_through_once(page, monkeypatch):
    looked, list_pairs = [], testsets.list_pairs
    monkeypatch.setattr(testsets, "list_pairs", lambda *file: looked.append(1) or list_pairs(*file))
    upload(page, ("name.csv", ratings("system,line,score,lp")))
    page.run()
    assert looked == [1] and not page.exception


def test_weights_and_raters_are_asked_for_and_kept(page, tmp_path, monkeypatch, capsys):
    """The printed command has them, and the metrics have the adjusted scores beside the mean."""
    rows = [
        f"{system}\td{k}\td{k}\t{k}\tr{(k + (system == 'A')) % 3}\ts\tt\tStyle\t{('Minor', 'Major')[k % 2]}\t"
        for k in range(1, 13)
        for system in "AB"
    ]
    content = "\n".join(
        [
            "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment",
            *rows,
            "",
        ]
    )
    upload(page, ("mqm.tsv", content.encode()))
    next(box for box in page.main.text_input if box.label == "Weights of MQM errors").set_value(
        "major=9"
    ).run()
    next(box for box in page.main.selectbox if box.label == "Several raters").select(
        "adjusted"
    ).run()
    button(page).click().run()
    page.switch_page("pages/summary.py").run()
    assert not page.exception and "major 9, minor 1" in words(page)
    command = next(line for line in copied(page) if line.startswith("mtsig compare"))
    assert "--raters adjusted --mqm-weights major=9" in command
    (tmp_path / "mqm.tsv").write_text(content)
    monkeypatch.chdir(tmp_path)
    [metrics] = [box for box in page.selectbox if box.label == "Metric"]
    assert {"MQM", "MQM-adjusted"} <= {*metrics.options}
    assert main([*arguments(command), "--metrics", "MQM-adjusted", "--format", "json"]) == 0
    assert "MQM-adjusted" in json.loads(capsys.readouterr().out)["metrics"]


def test_a_wrong_column_gets_the_message_of_the_reader_and_the_form_stays(page):
    upload(page, ("t.csv", ratings("name,no,quality")))
    answer_direction(page, "higher")
    asked_columns(page)["Score"].select("name").run()
    for said in (
        "The column &#x27;name&#x27; is given as system and as score.",
        "the score is &#x27;mine&#x27;",
    ):
        button(page).click().run()
        assert (
            'mt-error" role="alert">' in words(page) and said in words(page) and not page.exception
        )
        asked_columns(page)["System"].select("quality").run()
    upload(page, ("t.csv", ratings("system,line,score,lp", ["en-de", "en-zh"])))
    assert not asked_columns(page) and [
        box for box in page.main.selectbox if box.label == "Language pair"
    ]


def wide(*columns):
    """A table with a column for each system, and others beside them."""
    rows = [
        {
            "story": f"story {k // 4}",
            "src_len": 40 + k * 7 % 31,
            "Unnamed: 0": k,
            "A": f"0.{k * 3 % 7}9",
            "B": f"0.{k * 3 % 7}1",
        }
        for k in range(30)
    ]
    lines = [",".join(str(row[name]) for name in columns) for row in rows]
    return "\n".join([",".join(columns), *lines, ""]).encode()


def test_a_column_of_documents_is_no_system(page, tmp_path, monkeypatch, capsys):
    """It was taken as the system, which gave as many systems as there are stories."""
    content = wide("story", "A", "B", "src_len")
    upload(page, ("COMET.csv", content))
    boxes = {box.label: box for box in (*page.main.selectbox, *page.main.multiselect)}
    assert boxes["Systems"].value == ["A", "B"] and boxes["Document"].value == "story"
    assert "src_len (lengths)" in words(page)
    button(page).click().run()
    assert not page.exception and "COMET: 30 segments, 2 systems" in words(page)
    page.switch_page("pages/summary.py").run()
    command = next(line for line in copied(page) if line.startswith("mtsig compare"))
    assert "'systems=A|B" in command and "docid=story" in command
    (tmp_path / "COMET.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert main([*arguments(command), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["testset"]["n_documents"] == 8


def test_columns_beside_the_systems_are_named_and_may_be_added(page):
    upload(page, ("ESA.csv", wide("Unnamed: 0", "A", "B", "src_len")))
    [box] = page.main.multiselect
    assert box.value == ["A", "B"] and "Unnamed: 0 (row numbers), src_len (lengths)" in words(page)
    box.set_value(["A", "B", "src_len"]).run()
    button(page).click().run()
    assert not page.exception and "ESA: 30 segments, 3 systems" in words(page)


def test_the_names_of_the_uploaded_systems_tell_their_columns(page):
    upload(
        page,
        ("ref.txt", REF),
        ("A.txt", REF),
        ("B.txt", WORSE),
        ("COMET.csv", wide("story", "A", "B")),
    )
    button(page).click().run()
    assert not page.exception and "30 segments, 2 systems" in words(page)


def test_a_table_may_be_laid_out_the_other_way(page):
    """The form offers both, whatever it guesses."""
    upload(page, ("COMET.csv", wide("story", "A", "B")))
    assert not any(box.label == "Score" for box in page.main.selectbox)
    page.button_group[0].set_value("rows").run()
    assert [box.label for box in page.main.selectbox if box.label in ("System", "Score")] == [
        "System",
        "Score",
    ]


def test_outputs_without_a_reference_are_shown_by_their_scores(page, opened):
    texts = b"source\tA\tB\n" + b"".join(b"s %d\ta %d\tb %d\n" % (k, k, k) for k in range(12))
    scores = b"system,line,score\n" + b"".join(
        b"%s,%d,0.%d\n" % (system, k, k % 4 + bonus)
        for system, bonus in ((b"A", 5), (b"B", 2))
        for k in range(1, 13)
    )
    upload(page, ("texts.tsv", texts), ("kiwi.csv", scores))
    button(page, "Open these files").click().run()
    assert not page.exception and "Opened texts: 12 segments, 2 systems" in words(page)
    link = page.query_params["testset"]
    for name in ("summary", "segments", "pair"):
        shown = opened(name, testset=link if isinstance(link, str) else link[0], trials="99")
        assert not shown.exception
        assert name == "segments" or "A" in words(shown)


def test_samples_of_two_models_are_two_systems(page):
    """As lm-evaluation-harness writes them: a file for each model, and the same references in
    both.
    """

    def samples(word):
        rows = (
            {
                "doc_id": k,
                "doc": {},
                "target": f"this is sentence {k}",
                "arguments": [],
                "resps": [],
                "filtered_resps": [f"this is {word} {k}"],
            }
            for k in range(30)
        )
        return "".join(json.dumps(row) + "\n" for row in rows).encode()

    upload(page, ("samples_a.jsonl", samples("sentence")), ("samples_b.jsonl", samples("phrase")))
    assert "Recognized: 2 files with reference and outputs" in words(page)
    button(page).click().run()
    assert not page.exception and "Opened samples: 30 segments, 2 systems" in words(page)


def test_two_files_of_one_name_are_called_without_their_ending():
    rows = [
        json.dumps({"doc_id": k, "doc": {}, "target": f"word {k}", "filtered_resps": [f"word {k}"]})
        for k in range(9)
    ]
    content = "\n".join(rows).encode()
    testset = read_uploads(
        [Upload("samples.jsonl", content, "reference and outputs", "samples")] * 2
    )
    assert [*testset.systems] == ["samples", "samples (2)"]


def test_a_reference_that_differs_between_files_is_refused(page):
    table = "reference,{0}\n" + "".join(
        f"{{1}} sentence {k},{{1}} sentence {k}\n" for k in range(30)
    )
    files = [
        (f"{name}.csv", table.format(name, word).encode())
        for name, word in (("a", "the"), ("b", "that"))
    ]
    upload(page, *files)
    button(page).click().run()
    assert "Two references are called ref" in words(page)
