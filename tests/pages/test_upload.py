"""The page Upload without a browser. What each file is taken for is tested in `tests/readers`."""

import csv
import gzip
import json
import re
from html import escape

import pytest

from mtsig_core.errors import SettingError
from mtsig_core.readers.task_contents import Contents
from pages._ui import testsets
from tests.builders.apps import followed
from tests.builders.cases import brief
from tests.builders.screens import NAMES, find_command, frame_rows, labelled, links, words
from tests.builders.streamlit_parts import keep_files
from tests.builders.toys import SPACELESS, zipped

REF = "".join(f"this is sentence {k} of the set\n" for k in range(30)).encode()
WORSE = REF.replace(b"sentence", b"phrase")
TWO_TEXTS = (("ref.txt", REF), ("a.txt", REF))
ERROR = 'mt-error" role="alert">'


@pytest.fixture
def page(opened, source):
    return opened("upload", source)


def upload(page, *files):
    held = [(name, content, "text/plain") for name, content in files]
    page.file_uploader(key="data.files").set_value(held).run()


def button(page, label="Open these files"):
    return labelled(page.button, label)


def open_files(page):
    button(page).click().run()


@pytest.fixture
def print_opened(page, tmp_path, monkeypatch, print_json):
    """Open what was uploaded; the command on Summary, and what it prints of the same files."""

    def start(files, *options):
        open_files(page)
        command = find_command(page, "compare")
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        monkeypatch.chdir(tmp_path)
        return command, print_json(command, *options)

    return start


def is_opened(page, *words_of_set):
    """Whether Summary is on screen, with these words about the test set."""
    text = words(page)
    return "mt-answer" in text and all(part in text for part in words_of_set)


def list_roles(page):
    return [box.value for box in page.selectbox if box.label == "Role"]


def write_table(header, rows):
    return "\n".join([header, *rows, ""]).encode()


def write_sgm(kind, name):
    lines = enumerate(REF.decode().splitlines())
    segments = "".join(f'<seg id="{k}">{text}</seg>\n' for k, text in lines)
    return f'<{kind}set><doc docid="d" sysid="{name}">\n{segments}</doc></{kind}set>'.encode()


def write_samples(word):
    """As lm-evaluation-harness writes them, with the references of all models."""
    rows = []
    for k in range(30):
        texts = {"target": f"this is sentence {k}", "filtered_resps": [f"this is {word} {k}"]}
        rows.append(json.dumps({"doc_id": k, "doc": {}, **texts}))
    return "\n".join(rows).encode()


PAIRS_OF_LINES = list(zip(REF.decode().splitlines(), WORSE.decode().splitlines(), strict=True))
#: Files, what they are recognized as, and as what they are opened.
RECOGNIZED = {
    "texts": (
        (*TWO_TEXTS, ("a.run2.txt", REF), ("b.txt", REF), ("docs.txt", b"d1\n" * 30)),
        "1 reference, 2 systems, 1 further training run, document ids",
        ("a vs. b", "30 segments", "2 systems"),
    ),
    "files of one name": (
        (("ref.txt", REF), ("out.txt", REF), ("out.txt", WORSE)),
        "1 reference, 2 systems",
        ("out vs. out (2)", "30 segments", "2 systems"),
    ),
    "an archive of files": (
        [("flat.zip", zipped({"ref.txt": REF, "a.txt": REF, "b.txt": WORSE}))],
        "1 reference, 2 systems",
        ("a vs. b", "30 segments", "2 systems"),
    ),
    "a table of texts": (
        [("t.csv", write_table("reference,x,y", (f"{a},{a},{b}" for a, b in PAIRS_OF_LINES)))],
        "1 file with reference and outputs",
        ("30 segments", "2 systems"),
    ),
    "texts with documents": (
        [("ref.sgm", write_sgm("ref", "r")), ("tst.sgm", write_sgm("tst", "A"))],
        "1 reference, 1 system",
        ("30 segments", "1 system"),
    ),
    "samples of two models": (
        [(f"samples_{word}.jsonl", write_samples(word)) for word in ("sentence", "phrase")],
        "2 files with reference and outputs",
        ("samples", "30 segments", "2 systems"),
    ),
}
HAVE_DOCUMENTS = ("texts", "texts with documents")


@pytest.mark.parametrize("case", brief(4, RECOGNIZED))
def test_files_are_recognized_and_opened(page, case):
    files, recognized, opened = RECOGNIZED[case]
    upload(page, *files)
    assert f"Recognized: {recognized}" in words(page)
    assert ("No document ids" not in words(page)) == (case in HAVE_DOCUMENTS)
    open_files(page)
    assert is_opened(page, *opened)


def test_no_tokenizer_is_asked_of_scores_alone(page):
    def tokenizers():
        return [box.label for box in page.main.selectbox if box.label.startswith("Tokenizer")]

    rows = [f"{system}\t{line}\t{line % 3}" for line in range(1, 9) for system in "AB"]
    upload(page, *TWO_TEXTS)
    assert tokenizers()
    upload(page, ("human.tsv", write_table("system\tline\tscore", rows)))
    assert not tokenizers()
    open_files(page)
    assert is_opened(page, "human", "8 segments", "2 systems")


def test_a_name_follows_what_a_further_run_says(page):
    upload(page, ("ref.txt", REF), ("a.run1.txt", REF))
    box = page.file_uploader(key="data.files")
    keep_files(box).upload("a.run2.txt", WORSE).run()
    open_files(page)
    assert is_opened(page, "a", "30 segments", "1 system")


def test_what_cannot_be_kept_is_not_said_to_be_open(page, monkeypatch):
    def full(testset, source):
        raise SettingError("No room for it.")

    upload(page, *TWO_TEXTS)
    with monkeypatch.context() as patch:
        patch.setattr("pages._ui.testsets.keep_upload", full)
        open_files(page)
    assert "No room for it." in words(page)
    open_files(page)
    assert is_opened(page, "30 segments")
    assert "No room for it." not in words(page)


def test_training_runs_are_opened_with_their_command(page, print_opened):
    """In the order of their numbers, whatever that of the files."""
    names = ("a.run3", "a.run1", "b", "a.run2", "b.run2", "b.run3")
    files = {f"{name}.txt": REF.replace(b"set", name.encode()) for name in names}
    files["ref.txt"] = REF
    upload(page, *files.items())
    command, printed = print_opened(files)
    assert "--system a=a.run1.txt" in command
    assert "--run a=a.run2.txt" in command
    assert command.index("a.run2.txt") < command.index("a.run3.txt")
    assert printed["testset"]["systems"] == ["a", "b"]


def answer_direction(page, which):
    """Say whether higher or lower scores are better, where the form asks it."""
    [question] = [group for group in page.button_group if group.key.startswith("data.direction.")]
    question.set_value(which).run()


@pytest.mark.parametrize("which, best", [("lower", "B"), ("higher", "A")])
def test_a_name_that_says_no_direction_is_asked_about(page, print_opened, which, best):
    """Nothing can be opened before, and the printed command has the answer."""
    files = {"ppl.csv": write_table("line,A,B", (f"{k},{k % 5 + 3},{k % 4}" for k in range(1, 31)))}
    upload(page, *files.items())
    question = "ppl: are higher or lower scores better? They range from 0 to 7."
    assert question in words(page)
    assert button(page).disabled
    answer_direction(page, which)
    command, _ = print_opened(files)
    assert f"--{which}-is-better ppl" in command
    assert f"{best} is significantly better" in words(page)


def write_spaceless(language):
    lines = "\n".join(SPACELESS[language]).encode()
    return lines, lines.replace("，".encode(), b"")


def test_names_in_the_style_of_wmt_say_all(page):
    ref, output = write_spaceless("zh")
    names = ("en-zh.refA.txt", "generaltest2022.en-zh.hyp.GTCOM.zh", "en-zh.txt")
    upload(page, *zip(names, (ref, output, ref), strict=True))
    assert list_roles(page) == ["reference", "system", "source"]
    texts = {box.label: box.value for box in page.text_input}
    assert texts["Name this test set"] == "generaltest2022 en-zh"
    assert texts["Language pair"] == "en-zh"
    called = [box.value for box in page.text_input if box.label in ("Name", "")]
    assert called[:2] == ["refA", "GTCOM"]
    assert "The references look" not in words(page)
    assert not button(page).disabled
    assert labelled(page.selectbox, "Tokenizer (auto: zh)")


def test_files_of_two_pairs_are_not_mixed(page):
    names = ("en-zh.refA.txt", "x.uk-en.hyp.GTCOM.en")
    upload(page, *((name, REF) for name in names))
    told = f"The names are of 2 language pairs: en-zh ({names[0]}); uk-en ({names[1]})"
    assert told in words(page)
    assert "Open these files" not in [button.label for button in page.button]


NO_PAIR = (
    "and no language pair is given: 13a would not split them into words. Give the pair, such as"
)


@pytest.mark.parametrize(
    "language, said",
    [("zh", f"look Chinese, {NO_PAIR}"), ("th", "Choose a tokenizer: char or flores200.")],
)
@pytest.mark.parametrize("answer", ["tokenizer", "pair"])
def test_without_a_pair_a_tokenizer_is_asked_for(page, language, said, answer):
    ref, output = write_spaceless(language)
    upload(page, ("ref.txt", ref), ("mine.txt", output))
    assert said in words(page)
    assert button(page).disabled
    if answer == "pair" and language == "zh":
        labelled(page.text_input, "Language pair").input("en-zh").run()
    else:
        labelled(page.selectbox, "Tokenizer").select("char").run()
    assert "The references look" not in words(page)
    assert not button(page).disabled


def test_chinese_of_a_pair_gets_the_numbers_of_the_printed_command(page, print_opened):
    lines = SPACELESS["zh"] * 5
    texts = {"ref": lines, "a": [text[:-1] for text in lines], "b": [text[1:] for text in lines]}
    files = {f"{name}.txt": "\n".join([*texts[name], ""]).encode() for name in texts}
    upload(page, *files.items())
    labelled(page.text_input, "Language pair").input("en-zh").run()
    command, printed = print_opened(files)
    assert "· tokenizer zh" in words(page)
    assert "--langpair en-zh" in command
    found = printed["metrics"]["bleu"]
    assert "|tok:zh|" in found["signature"]
    shown = {row[1]: float(row[2]) for row in frame_rows(page.dataframe[0])[1:]}
    scores = {row["system"]: row["score"] for row in found["systems"]}
    assert shown == pytest.approx(scores, rel=1e-3)


TASK = zipped({"task/references/en-de.refA.txt": REF, "task/system-outputs/en-de/x.txt": WORSE})
OTHER_REFERENCE = zipped({"task/references/en-de.refA.txt": WORSE})


#: Files that cannot be opened beside a reference, and what the message of the reader begins with.
BROKEN = {
    "b.txt": (WORSE[: WORSE[:-1].rfind(b"\n") + 1], "b.txt has 29 lines"),
    "b.gz": (gzip.compress(WORSE)[:-20], ".*b.gz"),
    "s1.tsv": (b"system\tline\tscore\nA\t1\tx\n", "s1.tsv, row 2"),
    "deep.json": (b"[" * 9999, "deep.json"),
    "esa.tsv": (b"line\tA\n1\t2\n", "No system among"),
}


def test_mistakes_are_messages_and_the_page_lives_on(page):
    """More of them in tests/readers."""
    for name, (content, said) in BROKEN.items():
        upload(page, ("ref.txt", REF), (name, content))
        open_files(page)
        [message] = re.findall(f"{ERROR}(.*?)</div>", words(page))
        assert re.match(said, message), message
        assert "Traceback" not in message
        assert "/tmp" not in message
    upload(page, ("task.zip", TASK), ("other.zip", OTHER_REFERENCE))
    assert f"{ERROR}task/references/en-de.refA.txt is there twice, and the two differ" in words(
        page
    )
    assert not [button for button in page.button if button.label.startswith("Open th")]
    upload(page, ("notes.txt", REF), ("task.zip", TASK))
    assert "Not read: notes.txt." in words(page)
    button(page, "Open this one").click().run()
    assert is_opened(page, "task en-de", "30 segments")


def test_scores_under_other_column_names_open_under_their_metric(page, print_opened):
    rows = [f"{system},{line},{line % 7 / 10}" for system in ("x", "y") for line in range(1, 31)]
    files = {"scores.csv": write_table("model,sent_id,COMET", rows)}

    def list_open_sets():
        return [box.label for box in page.expander if box.label.startswith("Currently open")]

    assert list_open_sets()
    upload(page, *files.items())
    assert not list_open_sets()  # which are of another test set
    open_files(page)
    assert "--scores COMET=scores.csv" in find_command(page, "compare")
    page.switch_page("pages/upload.py").run()
    assert list_open_sets()[0].startswith("Currently open (30 segments, 2 systems")


def test_file_names_are_shown_literally(page):
    upload(page, ("<b>ref</b>.txt", REF), ("![x](http://h/x.png).txt", REF))
    assert "&lt;b&gt;ref&lt;/b&gt;.txt" in words(page)
    assert not [element for element in page.markdown if "![x]" in element.value]


def test_what_is_wrong_inside_is_told_with_the_name_of_the_file(page):
    upload(page, ("zz.zip", zipped({"inner.zip": b"PK"})))
    assert f"{ERROR}zz.zip has no references/; it has inner.zip" in words(page)
    upload(page, ("bare.zip", zipped({"references/en-de.refA.txt": REF})))
    button(page, "Open this one").click().run()
    assert "bare.zip has references and no output for en-de." in words(page)
    assert "0 systems" not in words(page)


def test_a_zip_is_unpacked_once_not_in_each_run_of_the_page(page, monkeypatch):
    seen = []
    contents = Contents(("en-de",), (), (), ())
    monkeypatch.setattr(testsets, "contents_of", lambda path: seen.append(path) or contents)
    upload(page, ("t.zip", b"PK"))
    page.run()
    assert len(seen) == 1
    assert page.selectbox(key="data.zip_pair").options == ["en-de"]


def test_document_ids_are_asked_for_and_join_the_set_that_is_open(page):
    def add_documents(n):
        page.file_uploader[0].set_value([("docs.txt", b"d1\n" * n, "text/plain")]).run()
        button(page, "Add to the open test set").click().run()

    upload(page, *TWO_TEXTS)
    assert "No document ids" in words(page)
    open_files(page)
    page.switch_page("pages/upload.py").run()
    assert "has no document ids" in words(page)
    add_documents(29)
    assert "docs.txt has 29 lines, a has 30 segments" in words(page)
    add_documents(30)
    assert "--docs docs.txt" in find_command(page, "compare")
    page.switch_page("pages/upload.py").run()
    assert "has no document ids" not in words(page)
    assert not page.file_uploader[0].value


@pytest.mark.parametrize(
    "name, simulated, said",
    brief(
        2,
        [
            ("reference.txt", "Demo data", "300 segments"),
            ("shared_task.zip", "(simulated)", "2 language pairs · 6 systems"),
            ("human.csv", "Demo data", "4 systems"),
        ],
    ),
)
def test_a_sample_opens_by_one_click_and_says_that_it_is_simulated(
    page, monkeypatch, name, simulated, said
):
    assert simulated not in words(page)
    sample = page.button(key=f"samples.open.{name}")
    asked = followed(page, lambda: sample.click().run(), monkeypatch)
    assert asked["testset"][0].startswith("~")
    assert simulated in words(page)
    assert said in words(page)
    assert "document ids" not in words(page)


def write_ratings(header, pairs=("en-de",)):
    width = len(next(csv.reader([header])))
    rows = []
    for k, pair in enumerate(pairs):
        for system, bonus in (("mine", 9), ("base", 0)):
            for line in range(1, 61):
                row = (system, str(line), str(line * 7 % 40 + bonus + 20 * k), pair)
                rows.append(",".join(row[:width]))
    return write_table(header, rows)


def asked_columns(page):
    """The fields of the form, by what they ask for."""
    return {box.label: box for box in page.main.selectbox if ".column." in (box.key or "")}


TWO_PAIRS = ("en-de", "en-zh")


@pytest.mark.parametrize(
    "header, pairs",
    [
        ("name,no,quality", ["en-de"]),
        (f'{NAMES[0]},{NAMES[1]},"{NAMES[2]}, b",direction', TWO_PAIRS),
    ],
)
def test_unclear_columns_are_asked_for(page, print_opened, header, pairs):
    """The printed command gives the same numbers, whatever the names of the columns and the
    language pair.
    """
    files, names = {"name.csv": write_ratings(header, pairs)}, next(csv.reader([header]))
    upload(page, *files.items())
    guessed = [box.value for box in asked_columns(page).values()]
    assert guessed == [*names[:3], "", *(names[3:] or [""])]
    for name in names:
        assert escape(name) in words(page)
    assert not [element for element in page.markdown if "![" in element.value]
    last = len(pairs) - 1
    if last:
        labelled(page.main.selectbox, "Language pair").select(pairs[last]).run()
    answer_direction(page, "higher")
    _, printed = print_opened(files)
    expected = {"mine": 28.5 + 20 * last, "base": 19.5 + 20 * last}
    scores = {row["system"]: row["score"] for row in printed["metrics"]["name"]["systems"]}
    assert scores == pytest.approx(expected)
    assert {row[1]: float(row[2]) for row in frame_rows(page.dataframe[0])[1:]} == expected


def test_a_table_of_one_language_pair_is_looked_through_once(page, monkeypatch):
    looked, list_pairs = [], testsets.list_pairs
    monkeypatch.setattr(testsets, "list_pairs", lambda *file: looked.append(1) or list_pairs(*file))
    upload(page, ("name.csv", write_ratings("system,line,score,lp")))
    page.run()
    assert looked == [1]


def test_weights_and_raters_are_asked_for_and_kept(page, print_opened):
    """The printed command has them, and the metrics have the adjusted scores beside the mean."""
    rows = []
    for k in range(1, 13):
        for shift, system in enumerate("BA"):
            severity = ("Minor", "Major")[k % 2]
            row = f"{system},d{k},d{k},{k},r{(k + shift) % 3},s,t,Style,{severity},"
            rows.append(row.replace(",", "\t"))
    header = "system,doc,doc_id,seg_id,rater,source,target,category,severity,comment"
    files = {"mqm.tsv": write_table(header.replace(",", "\t"), rows)}
    upload(page, *files.items())
    labelled(page.main.selectbox, "Weights of MQM errors").select("own").run()
    labelled(page.main.text_input, "My own weights").set_value("major=9").run()
    labelled(page.main.selectbox, "Several raters").select("adjusted").run()
    command, printed = print_opened(files, "--metrics", "MQM-adjusted")
    assert "major 9, minor 1" in words(page)
    assert "--raters adjusted --mqm-weights major=9" in command
    assert {"MQM", "MQM-adjusted"} <= {*labelled(page.selectbox, "Metric").options}
    assert "MQM-adjusted" in printed["metrics"]


def test_a_wrong_column_gets_the_message_of_the_reader_and_the_form_stays(page):
    upload(page, ("t.csv", write_ratings("name,no,quality")))
    answer_direction(page, "higher")
    asked_columns(page)["Score"].select("name").run()
    for said in (
        "The column &#x27;name&#x27; is given as system and as score.",
        "the score is &#x27;mine&#x27;",
    ):
        open_files(page)
        assert ERROR in words(page)
        assert said in words(page)
        asked_columns(page)["System"].select("quality").run()
    upload(page, ("t.csv", write_ratings("system,line,score,lp", TWO_PAIRS)))
    assert not asked_columns(page)
    assert labelled(page.main.selectbox, "Language pair")


def write_wide(*columns):
    """A table with a column for each system, and others beside them."""
    rows = []
    for k in range(30):
        score = f"0.{k * 3 % 7}"
        row = {"story": f"story {k // 4}", "src_len": 40 + k * 7 % 31, "Unnamed: 0": k}
        row |= {"A": f"{score}9", "B": f"{score}1"}
        rows.append(",".join(str(row[name]) for name in columns))
    return write_table(",".join(columns), rows)


def test_a_column_of_documents_is_no_system(page, print_opened):
    """It was taken as the system, which gave as many systems as there are stories."""
    files = {"COMET.csv": write_wide("story", "A", "B", "src_len")}
    upload(page, *files.items())
    assert labelled(page.main.multiselect, "Systems").value == ["A", "B"]
    assert labelled(page.main.selectbox, "Document").value == "story"
    assert "src_len (lengths)" in words(page)
    command, printed = print_opened(files)
    assert "'systems=A|B" in command
    assert "docid=story" in command
    assert printed["testset"]["n_documents"] == 8


def test_columns_beside_the_systems_are_named_and_may_be_added(page):
    upload(page, ("ESA.csv", write_wide("Unnamed: 0", "A", "B", "src_len")))
    [box] = page.main.multiselect
    assert box.value == ["A", "B"]
    assert "Unnamed: 0 (row numbers), src_len (lengths)" in words(page)
    box.set_value(["A", "B", "src_len"]).run()
    open_files(page)
    assert is_opened(page, "ESA", "30 segments", "3 systems")


def test_the_names_of_the_uploaded_systems_tell_their_columns(page):
    table = ("COMET.csv", write_wide("story", "A", "B"))
    upload(page, ("ref.txt", REF), ("A.txt", REF), ("B.txt", WORSE), table)
    open_files(page)
    assert is_opened(page, "30 segments", "2 systems")


def test_a_table_may_be_laid_out_the_other_way(page):
    """The form offers both, whatever it guesses."""
    upload(page, ("COMET.csv", write_wide("story", "A", "B")))
    assert "Score" not in asked_columns(page)
    page.button_group[0].set_value("rows").run()
    assert {"System", "Score"} <= asked_columns(page).keys()


def test_outputs_without_a_reference_are_shown_by_their_scores(page, opened):
    lines = range(1, 13)
    texts = write_table("source\tA\tB", (f"s {k}\ta {k}\tb {k}" for k in lines))
    rows = [f"A,{k},0.{k % 4 + 5}" for k in lines] + [f"B,{k},0.{k % 4 + 2}" for k in lines]
    upload(page, ("texts.tsv", texts), ("kiwi.csv", write_table("system,line,score", rows)))
    open_files(page)
    assert is_opened(page, "texts", "12 segments", "2 systems")
    link = links(page)["Summary"]["testset"]
    for name in ("summary", "segments", "pair"):
        shown = opened(name, testset=link, trials="99")
        assert name == "segments" or "A" in words(shown)


def test_a_reference_that_differs_between_files_is_refused(page):
    for name, word in (("a", "the"), ("b", "that")):
        rows = [f"{word} sentence {k},{word} sentence {k}" for k in range(30)]
        keep_files(page.file_uploader(key="data.files")).upload(
            f"{name}.csv", write_table(f"reference,{name}", rows)
        ).run()
    open_files(page)
    assert "Two references are called ref" in words(page)
