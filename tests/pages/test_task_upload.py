"""A zip of a task: uploaded, or below MTSIG_DATA_ROOT, it is a task, with the scores in it."""

import json
import re
from pathlib import Path

import pytest

from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.reviews import replay
from pages._sections import review_sections
from pages._ui import testsets, views
from tests.builders.apps import followed, press
from tests.builders.cases import brief
from tests.builders.screens import all_copied, find_command, frame_rows, words
from tests.builders.toys import mean_ratings, task_files, zipped

FILES = task_files()
UNREAD = (
    "mytask/references/en-cs.refA.txt.bak~, mytask/README.md, mytask/notes.tsv. The reason: no text of a",
    "mytask/en-fr.esa.tsv. The reason: en-fr is no language pair of which the task has a reference.",
)
FEWER = {"trials": "999"}

pytestmark = pytest.mark.usefixtures("own_stores")


@pytest.fixture
def drop(opened):
    """The page Upload with files in it."""

    def start(*files):
        page = opened("upload").switch_page("pages/upload.py").run()
        held = [(name, content, "text/plain") for name, content in files]
        page.file_uploader(key="data.files").set_value(held).run()
        return page

    return start


@pytest.fixture
def data(drop):
    """The same with a zip."""
    return lambda files=FILES: drop(("My task.zip", zipped(files)))


def open_task_of(page, monkeypatch):
    """The link to the task that was uploaded, which is open then."""
    button = page.button(key="data.open_task")
    asked = followed(page, lambda: button.click().run(), monkeypatch)
    assert asked.keys() == {"testset"}
    return asked["testset"][0]


def start_review(page, monkeypatch):
    return followed(page, lambda: press(page, "Start a review"), monkeypatch)["review"][0]


def list_owned(page):
    return testsets.store().list_owned(page.session_state["browser.me"] or "")


def scores(page):
    """The ranked systems, best first, and their mean scores, as the picture has them."""
    head, *rows = frame_rows(page.dataframe[0])
    place = head.index("mean score")
    return {row[0]: float(row[place]) for row in rows}


def list_ranked(page):
    return [row[0] for row in frame_rows(page.dataframe[0])[1:]]


def name_first(page, metric):
    page.selectbox(key="metric").set_value(metric).run()
    return list_ranked(page)[0]


def expect_scores():
    """By the files themselves: the mean of two language pairs."""
    first, second = (mean_ratings(FILES, pair) for pair in ("en-cs", "en-de"))
    return {name: (first[name] + second[name]) / 2 for name in ("Alpha", "Beta", "Gamma")}


@pytest.fixture
def print_task(tmp_path, monkeypatch, print_json):
    """What the command on the page prints of the zip."""

    def start(page):
        (tmp_path / "My task.zip").write_bytes(zipped(FILES))
        monkeypatch.chdir(tmp_path)
        return print_json(find_command(page, "task"), "--trials", "99")

    return start


def test_an_uploaded_task_is_a_task_with_its_scores(data, opened, monkeypatch, print_task):
    page = data()
    for said in UNREAD:
        assert said in words(page)
    assert [box.value for box in page.text_input if box.label == "Name"] == ["esa", "esa"]
    link = open_task_of(page, monkeypatch)
    assert link.startswith("~")
    assert page.selectbox(key="metric").value == "esa"  # human scores come first
    for said in ("My task · 3 language pairs · 3 systems", *UNREAD):
        assert said in words(page)
    assert "simulated" not in words(page)
    assert scores(page) == pytest.approx(expect_scores(), abs=0.006)
    rows = print_task(page)["macro"]["esa"]["systems"]
    assert {row["system"]: round(row["score"], 2) for row in rows} == scores(page)
    again = opened("results", testset=link)  # of a stranger, and after a reload
    assert scores(again) == scores(page)
    assert dict(again.query_params) == {"testset": link}
    pair = opened("summary", testset=link.replace("en-cs", "en-de"), metric="esa")
    assert "My task en-de" in words(pair)
    assert "--scores 'esa=My task.zip/mytask/scores/" in all_copied(pair)


def test_one_language_pair_is_opened_with_its_scores_and_task_shows_its_task(data, opened):
    page = data()
    page.selectbox(key="data.zip_pair").set_value("en-cs").run()
    page.button(key="data.open_zip").click().run()
    assert "My task en-cs" in words(page)
    assert "40 segments" in words(page)
    assert page.query_params["testset"].endswith("/en-cs")
    options = page.selectbox(key="testset").options
    own = {label for label in options if label.startswith("My task/")}
    assert own == {"My task/en-cs", "My task/en-de", "My task/en-uk"}
    task = opened("results", testset=page.query_params["testset"])
    assert "My task · 3 language pairs" in words(task)
    assert "esa" in task.selectbox(key="metric").options


def test_a_review_of_it_is_called_by_its_name_and_opened_by_its_link(data, opened, monkeypatch):
    page = data()
    task = open_task_of(page, monkeypatch).partition("/")[0]
    link = start_review(page, monkeypatch)
    called = "My task · all systems"
    assert called in words(page)
    assert called in words(opened("review", review=link))
    # Its files do not give the link to the task away.
    history = views.reviews().find(link).history
    told = review_sections.without_link(history, "My task")
    assert history[0].change.task == task
    assert replay(told).task == "My task"
    assert told[1:] == history[1:]
    assert review_sections.without_link(told, "other") == told
    [saved] = list_owned(page)
    testsets.store().delete(saved.link, page.session_state["browser.me"])
    gone = "The shared task of this review was uploaded, and is not here"
    assert gone in words(opened("review", review=link))


def test_the_direction_of_a_table_in_a_zip_is_asked_once_for_all_its_files(data, monkeypatch):
    """Not of esa, whose name and range say it."""
    page = data({re.sub(r"\besa\b", "errors", name): content for name, content in FILES.items()})
    assert page.button(key="data.open_task").disabled
    assert page.button(key="data.open_zip").disabled
    [question] = page.button_group
    assert question.key == "data.direction.errors"
    question.set_value("lower").run()
    open_task_of(page, monkeypatch)
    assert name_first(page, "errors") == "Gamma"  # with the fewest errors


def test_a_table_may_be_left_out_or_be_errors(data, monkeypatch):
    page = data()
    for place, role in enumerate(("scores, lower is better", "exclude")):
        [box for box in page.selectbox if box.label == "Role"][place].set_value(role).run()
    open_task_of(page, monkeypatch)
    left_out = "mytask/scores/en-de.esa.seg.score. The reason: you excluded it."
    assert left_out in words(page)
    assert name_first(page, "esa") == "Gamma"  # with the lowest ratings


def test_a_fault_in_a_table_is_a_message(data):
    page = data({**FILES, "mytask/en-cs.esa.tsv": "system\tline\tscore\nAlpha\t1\tgood\n"})
    page.button(key="data.open_task").click().run()
    assert "My task.zip/mytask/en-cs.esa.tsv, row 2, column score: the score is" in words(page)
    assert "/tmp" not in words(page)
    assert list_owned(page) == []


def test_it_is_renamed_and_deleted_on_the_page_data(data, opened, monkeypatch):
    page = data()
    link = open_task_of(page, monkeypatch)
    page = page.switch_page("pages/upload.py").run()
    assert "My task: shared task, 3 language pairs, 3 systems" in words(page)
    [saved] = list_owned(page)
    page.text_input(key=f"yours.name.{saved.link}").set_value("Other").run()
    page.button(key=f"yours.rename.{saved.link}").click().run()
    assert "Other · 3 language pairs" in words(opened("results", testset=link))
    page.button(key=f"yours.delete.{saved.link}").click().run()
    assert "is not here" in words(opened("summary", testset=link))


@pytest.mark.long
def test_zips_below_the_root_are_listed_with_their_scores(opened, tmp_path):
    root = tmp_path / "root"
    (root / "years").mkdir(parents=True)
    (root / "years/wmt.zip").write_bytes(zipped(FILES))
    (root / "other.zip").write_bytes(zipped({"a.txt": "x"}))
    (root / "broken.zip").write_bytes(b"PK nothing")
    (root / "out.zip").symlink_to(tmp_path / "absent.zip")
    page = opened("results", root=root, shared_task="years/wmt.zip", metric="esa")
    assert page.selectbox(key="shared_task").options == ["years/wmt.zip", "simulated task"]
    for said in UNREAD:
        assert said in words(page)
    assert scores(page) == pytest.approx(expect_scores(), abs=0.006)
    pair = opened("summary", root=root, testset="years/wmt.zip/en-cs", metric="esa")
    assert "3 systems" in words(pair)
    assert "esa" in pair.selectbox(key="metric").options


def swap_in_ratings(files):
    """The files without documents, and with the ratings of Alpha given to Gamma."""
    swapped = {"Alpha": "Gamma", "Gamma": "Alpha"}
    changed = {}
    for name, text in files.items():
        if "esa" in name:
            text = re.sub("Alpha|Gamma", lambda match: swapped[match[0]], text)
        if ".docs" not in name:
            changed[name] = text
    return changed


def test_people_who_scored_some_language_pairs_are_named_above_the_ranks(opened, tmp_path):
    """They put Gamma first. Until that is compared the page says that they scored."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/turned.zip").write_bytes(zipped(swap_in_ratings(FILES)))

    def open_by(metric):
        root = tmp_path / "root"
        return opened("results", root=root, shared_task="turned.zip", metric=metric, **FEWER)

    def read_above(page):
        """What stands up to the third text after the verdict."""
        said = [html.value for html in page.get("html")]
        verdict = next(k for k, text in enumerate(said) if "Alpha is significantly better" in text)
        return "\n".join(said[: verdict + 4])

    above = read_above(open_by("bleu"))
    scored = "These systems also have human scores: esa (en-cs, en-de)."
    disagree = "Other metrics name another top group: Gamma by human scores (esa) (en-cs, en-de)."
    assert scored in above
    assert "Gamma by human scores" not in above
    assert above.count(CAUTION_KINDS["no-documents"].general) == 1
    assert "People scored" not in words(open_by("esa"))
    above = read_above(open_by("bleu"))
    assert disagree in above
    assert "People scored" not in above


@pytest.mark.long
def test_references_take_part_as_systems_on_the_page(data, monkeypatch, print_task, opened):
    page = data()
    link = open_task_of(page, monkeypatch)
    assert name_first(page, "esa") == "Alpha"
    page.toggle(key="humans").set_value(True).run()
    assert "HUMAN-refA" in str(list_ranked(page))
    assert "--refs-as-systems" in find_command(page, "task")
    assert page.query_params["humans"] == "true"
    first = print_task(page)["pairs"]["en-cs"]["metrics"]["esa"]["systems"][0]
    assert first["system"] == "HUMAN-refA"
    assert first["score"] == pytest.approx(mean_ratings(FILES, "en-cs")["refA"])
    by_text = opened("results", testset=link, metric="bleu", refs="refA", humans="true")
    assert "HUMAN-refB" in str(list_ranked(by_text))
    assert "refs=" not in words(by_text)
    review = opened("review", review=start_review(page, monkeypatch))
    assert "HUMAN-refA" in str(list_ranked(review))


def write_json_lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def rate(code, n=40):
    """Ratings as Appraise has them: Alpha is better than Beta."""
    rows = []
    for name, bonus in (("Alpha", 70), ("Beta", 60)):
        for k in range(n):
            place = f"ann,{name},{k},TGT,eng,{code},{bonus + k % 7}"
            rows.append(f"{place},test-en-news_d{k // 4},False,[],1,2\n")
    return "".join(rows).encode()


def list_single_texts():
    """The texts of two language pairs, each as a file of its own."""
    files = []
    for pair in ("en-cs", "en-de"):
        names = {"references": ("refA.txt",), "documents": ("docs",)}
        for folder, endings in names.items():
            for ending in endings:
                text = FILES[f"mytask/{folder}/{pair}.{ending}"]
                files.append((f"{pair}.{ending}", text.encode()))
        for name in ("Alpha", "Beta"):
            text = FILES[f"mytask/system-outputs/{pair}/{name}.txt"]
            files.append((f"{name}.{pair}.txt", text.encode()))
    return files


def write_documents(**fields):
    """Documents of two language pairs in the layout of WMT25, with these fields in each line."""
    rows = []
    for pair in ("en-cs_CZ", "en-de_DE"):
        for k in range(9):
            texts = {key: value.replace("K", str(k)) for key, value in fields.items()}
            if "ref" in texts:
                texts["refs"] = {"refA": {"ref": texts.pop("ref")}}
            rows.append({"doc_id": f"{pair}_#_news_#_d{k}", **texts})
    return write_json_lines(rows).encode()


def write_wmt25_ratings():
    rows = []
    for pair in ("en-cs_CZ", "en-de_DE"):
        for k in range(9):
            scores = {
                "A": {"human1": 80 + k % 5, "annotator1": "p1"},
                "B": {"human1": 70 + k % 5, "annotator1": "p2"},
            }
            texts = {"src_text": "s", "tgt_text": {"refA": f"a b {k}", "A": f"a c {k}"}}
            rows.append({"doc_id": f"{pair}_#_news_#_d{k}_#_0", **texts, "scores": scores})
    return write_json_lines(rows)


def write_waves():
    """A table of ratings that names its language pairs, in two files."""
    rows = []
    for pair in ("en-de", "en-zh"):
        for system, bonus in (("mine", 3), ("base", 0)):
            rows += [f"{system},{k},{k % 7 + bonus},{pair}\n" for k in range(1, 31)]
    parts = (rows[:75], rows[75:])
    return [
        (f"esa.wave{k}.csv", "".join(["system,line,ESA,lp\n", *part]).encode())
        for k, part in enumerate(parts)
    ]


UNRATED = {name: text for name, text in FILES.items() if name.endswith((".txt", ".docs"))}
OUTPUTS = {name: text for name, text in UNRATED.items() if "system-outputs" in name}
TEXTS = {name: text for name, text in UNRATED.items() if name not in OUTPUTS}
WAVE = ("wave1.csv", rate("ces"))
#: Files, the language pairs of the task that they are together, and, where it is opened, a page of
#: it by a metric with what that says.
TASKS = {
    "ratings beside a zip": (
        [WAVE, ("t.zip", zipped(UNRATED)), ("wave2.csv", rate("deu"))],
        "en-cs, en-de, en-uk",
        ("summary", "ESA", "Alpha is significantly better than"),
    ),
    "two archives": (
        [("outputs.zip", zipped(OUTPUTS)), ("texts.zip", zipped(TEXTS))],
        "en-cs, en-de, en-uk",
        None,
    ),
    "single texts": (
        [*list_single_texts(), WAVE],
        "en-cs, en-de",
        ("summary", "bleu", "Alpha"),
    ),
    "documents of WMT25": (
        [
            ("A.jsonl", write_documents(hypothesis="c K\n\nb K")),
            ("genmt.jsonl", write_documents(src_text="a K\n\nb K", ref="a K\n\nb K")),
            ("B.jsonl", write_documents(hypothesis="a K\n\nb K")),
        ],
        "en-cs_CZ, en-de_DE",
        None,
    ),
    "ratings of WMT25": (
        [("humeval.jsonl", write_wmt25_ratings().encode())],
        "en-cs_CZ, en-de_DE",
        None,
    ),
    "tables that name language pairs": (
        write_waves(),
        "en-de, en-zh",
        ("pairs", "ESA", "en-de"),
    ),
}


@pytest.mark.parametrize("case", brief(3, TASKS))
def test_files_that_belong_together_are_a_task(drop, opened, monkeypatch, case):
    files, pairs, shown = TASKS[case]
    page = drop(*files)
    assert f"These files are a shared task: {pairs}." in words(page)
    assert "Not read" not in words(page)
    if shown is None:
        return
    link = open_task_of(page, monkeypatch)
    name, metric, said = shown
    assert page.selectbox(key="metric").value == "ESA"
    pair = opened(name, testset=link, metric=metric, **FEWER)
    assert said in words(pair)


def test_a_zip_of_ratings_of_wmt25_is_a_task(drop):
    page = drop(("humeval.zip", zipped({"humeval.jsonl": write_wmt25_ratings()})))
    assert "humeval.zip is a shared task: en-cs_CZ, en-de_DE." in words(page)


def test_loose_files_of_automatic_scores_are_a_task(drop):
    """Without the folder that holds them, as a browser drops what was selected in it."""
    line = (
        '{"language_pair": "en-de_DE", "domain": "news", "document_id": "n1", '
        '"metric_scores": {"MyMetric": [0.81, 0.79]}}\n'
    )
    other_line = line.replace("en-de_DE", "en-cs_CZ")
    files = [(f"{name}.jsonl", (line + other_line).encode()) for name in ("A", "B")]
    shown = words(drop(*files, ("systems_metadata.json", b'{"A": {"constrained": true}}')))
    assert "These files are a shared task: en-cs_CZ, en-de_DE." in shown


def test_outputs_without_sources_do_not_hinder_annotations(drop):
    file = Path(__file__).parents[1] / "readers" / "pearmut" / "dynamic.annotations.json"
    text = file.read_bytes()
    output = b'{"doc_id": "WMT26_###_news_###_eng_Latn_###_ces_Latn_###_x", "hypothesis": "a"}\n'
    participants = b'{"System name (short, no spaces)": "A", "Track": "Constrained"}\n'
    shown = words(
        drop(
            ("a.annotations.json", text),
            ("A.jsonl", output),
            ("wmt26_participants.jsonl", participants),
        )
    )
    assert "are a shared task" in shown or "is a shared task" in shown
    assert "Not read: A.jsonl." in shown


PUBLISHED = (
    "autorank.tsv",
    b"lp\tsystem\tprinted_name\tAutoRank\nen-de\tmine\tMine\t1.0\nen-de\tbase\tBase\t2.5\n",
)


def test_published_scores_alone_are_shown(drop):
    for file in (PUBLISHED, ("published.zip", zipped({"autorank.tsv": PUBLISHED[1].decode()}))):
        shown = words(drop(file))
        assert "Published scores of systems: shown, not tested" in shown
        assert "AutoRank (published)" in shown and "2.5" in shown


def test_published_scores_stand_on_results(drop, opened, monkeypatch):
    page = drop(*write_waves(), PUBLISHED)
    assert "These files are a shared task: en-de, en-zh." in words(page)
    assert "Not read" not in words(page)
    results = opened("results", testset=open_task_of(page, monkeypatch), **FEWER)
    assert "AutoRank (published)" in words(results)
    assert any("mtsig did not compute" in caption.value for caption in results.caption)


def test_ratings_of_one_language_pair_are_a_task(drop, opened, monkeypatch):
    rows = ["SYS SID RAW.SCR Z.SCR N"]
    for line in range(1, 9):
        rows += [f"A.1 {line} 80 0.5 1", f"B.2 {line} 40 -0.{line} 1"]
    page = drop(("ad-seg-scores-cs-en.csv", "\n".join(rows).encode()))
    assert "These files are a shared task: cs-en." in words(page)
    results = opened("results", testset=open_task_of(page, monkeypatch), **FEWER)
    assert list_ranked(results) == ["A", "B"]


MQM_ROW = "{}\td\t1\t{}\tr\ts\tt\t{}\t{}\n"


def test_weights_of_mqm_are_a_menu(drop, opened, monkeypatch):
    """With errors of the source next to the ratings, which are named and not read."""
    rows = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"]
    for line in range(1, 9):
        rows.append(MQM_ROW.format("A", line, "Source issue", "Major"))
        rows.append(MQM_ROW.format("B", line, "Accuracy/Omission", "Minor"))
    table = "".join(rows).encode()
    page = drop(("mqm_x_ende.tsv", table), ("mqm_x_ende.source-errors.tsv", table))
    assert "Not read: mqm_x_ende.source-errors.tsv." in words(page)
    page.selectbox(key="data.weights").set_value("wmt24").run()
    link = open_task_of(page, monkeypatch)
    results = opened("results", testset=link, **FEWER)
    assert list_ranked(results) == ["A", "B"]  # by the usual weights B is better
    assert "--mqm-weights wmt24" in str(all_copied(results))
