"""A zip of a task: uploaded, or below MTSIG_DATA_ROOT, it is a task, with the scores in it."""

import json
import re

import pytest

from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.reviews import replay
from pages._sections import review_sections
from pages._ui import testsets, views
from tests.builders.apps import followed, press
from tests.builders.screens import all_copied, find_command, frame_rows, words
from tests.builders.toys import mean_ratings, task_files, zipped

FILES = task_files()
UNREAD = (
    "mytask/references/en-cs.refA.txt.bak~, mytask/README.md, mytask/notes.tsv. The reason: no text of a",
    "mytask/en-fr.esa.tsv. The reason: en-fr is no language pair of which the task has a reference.",
)


@pytest.fixture(autouse=True)
def database(monkeypatch, tmp_path):
    """One of its own."""
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), views.reviews.clear()
    yield
    testsets.store.clear(), views.reviews.clear()


@pytest.fixture
def data(opened):
    """The page Upload with a zip in it."""

    def start(files=FILES, name="My task.zip"):
        page = opened("upload").switch_page("pages/upload.py").run()
        page.file_uploader(key="data.files").set_value(
            [(name, zipped(files), "application/zip")]
        ).run()
        return page

    return start


def uploaded(page, monkeypatch, button="data.open_task"):
    """Press a button; what the address of the page that it opens asks."""
    return followed(page, lambda: page.button(key=button).click().run(), monkeypatch)


def scores(page):
    """The ranked systems, best first, and their mean scores, as the picture has them."""
    head, *rows = frame_rows(page.dataframe[0])
    return {row[0]: row[head.index("mean score")] for row in rows}


def test_an_uploaded_task_is_a_task_with_its_scores(
    data, opened, monkeypatch, tmp_path, print_json
):
    page = data()
    assert all(said in words(page) for said in UNREAD)
    assert [box.value for box in page.text_input if box.label == "Name"] == ["esa", "esa"]
    asked = uploaded(page, monkeypatch)
    assert asked.keys() == {"testset"}
    assert asked["testset"][0].startswith("~")
    assert page.selectbox(key="metric").value == "esa"  # human scores come first
    said = words(page)
    assert "My task · 3 language pairs · 3 systems" in said
    assert all(part in said for part in UNREAD)
    assert "simulated" not in said
    means = [mean_ratings(FILES, pair) for pair in ("en-cs", "en-de")]
    for name, shown in scores(page).items():
        assert float(shown) == pytest.approx(sum(mean[name] for mean in means) / 2, abs=0.006)
    command = find_command(page, "task")
    (tmp_path / "My task.zip").write_bytes(zipped(FILES))
    monkeypatch.chdir(tmp_path)
    printed = print_json(command, "--trials", "99")
    assert {
        row["system"]: round(row["score"], 2) for row in printed["macro"]["esa"]["systems"]
    } == {name: float(shown) for name, shown in scores(page).items()}

    link = dict(testset=asked["testset"][0])  # of a stranger, and after a reload
    again = opened("results", **link)
    assert scores(again) == scores(page)
    assert dict(again.query_params) == link
    pair = opened("summary", testset=asked["testset"][0].replace("en-cs", "en-de"), metric="esa")
    assert "My task en-de" in words(pair)
    assert "--scores 'esa=My task.zip/mytask/scores/" in all_copied(pair)


def test_one_language_pair_is_opened_with_its_scores_and_task_shows_its_task(data, opened):
    page = data()
    page.selectbox(key="data.zip_pair").set_value("en-cs").run()
    page.button(key="data.open_zip").click().run()
    assert "Opened My task en-cs: 40 segments, 3 systems" in words(page)
    assert page.query_params["testset"].endswith("/en-cs")
    assert {"en-cs", "en-de", "en-uk"} == {
        label.removeprefix("My task/")
        for label in page.selectbox(key="testset").options
        if label.startswith("My task/")
    }
    task = opened("results", testset=page.query_params["testset"])
    assert "My task · 3 language pairs" in words(task)
    assert "esa" in task.selectbox(key="metric").options


def test_a_review_of_it_is_called_by_its_name_and_opened_by_its_link(data, opened, monkeypatch):
    page = data()
    uploaded(page, monkeypatch)
    query = followed(page, lambda: press(page, "Start a review"), monkeypatch)
    assert "My task · all systems" in words(page)
    link = query["review"][0]
    assert "My task · all systems" in words(opened("review", review=link))
    for saved in testsets.store().list_owned(next(iter(owners(page)))):
        testsets.store().delete(saved.link, next(iter(owners(page))))
    assert "The shared task of this review was uploaded, and is not here" in words(
        opened("review", review=link)
    )


def owners(page):
    return {page.session_state["browser.me"]}


def test_the_direction_of_a_table_in_a_zip_is_asked_once_for_all_its_files(data, monkeypatch):
    """Not of esa, whose name and range say it."""
    page = data({re.sub(r"\besa\b", "errors", name): content for name, content in FILES.items()})
    assert page.button(key="data.open_task").disabled
    assert page.button(key="data.open_zip").disabled
    [question] = page.button_group
    assert question.key == "data.direction.errors"
    question.set_value("lower").run()
    uploaded(page, monkeypatch)
    page.selectbox(key="metric").set_value("errors").run()
    assert next(iter(frame_rows(page.dataframe[0])[1:]))[0] == "Gamma"  # with the fewest errors


def test_a_table_may_be_left_out_or_be_errors_and_a_fault_in_it_is_a_message(data, monkeypatch):
    page = data()
    first, second = (box for box in page.selectbox if box.label == "Role")
    first.set_value("scores, lower is better").run()
    [box for box in page.selectbox if box.label == "Role"][1].set_value("exclude").run()
    uploaded(page, monkeypatch)
    assert "mytask/scores/en-de.esa.seg.score. The reason: you chose to leave it out." in words(
        page
    )
    page.selectbox(key="metric").set_value("esa").run()
    assert next(iter(frame_rows(page.dataframe[0])[1:]))[0] == "Gamma"  # with the lowest ratings

    page = data({**FILES, "mytask/en-cs.esa.tsv": "system\tline\tscore\nAlpha\t1\tgood\n"})
    page.button(key="data.open_task").click().run()
    assert "My task.zip/mytask/en-cs.esa.tsv, row 2, column score: the score is" in words(page)
    assert "/tmp" not in words(page)
    assert testsets.store().list_owned(page.session_state["browser.me"] or "") == []


def test_it_is_renamed_and_deleted_on_the_page_data(data, opened, monkeypatch):
    page = data()
    (link,) = uploaded(page, monkeypatch)["testset"]
    page = page.switch_page("pages/upload.py").run()
    assert "My task: shared task, 3 language pairs, 3 systems" in words(page)
    (saved,) = testsets.store().list_owned(page.session_state["browser.me"])
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
    assert all(said in words(page) for said in UNREAD)
    means = [mean_ratings(FILES, pair) for pair in ("en-cs", "en-de")]
    assert float(scores(page)["Alpha"]) == pytest.approx(
        sum(mean["Alpha"] for mean in means) / 2, abs=0.006
    )
    pair = opened("summary", root=root, testset="years/wmt.zip/en-cs", metric="esa")
    assert "3 systems" in words(pair)
    assert "esa" in pair.selectbox(key="metric").options


def test_people_who_scored_some_language_pairs_are_named_above_the_ranks(opened, tmp_path):
    """They put Gamma first. Until that is compared the page says that they scored."""
    turned = {
        name: "".join(
            text.replace("Alpha", "-").replace("Gamma", "Alpha").replace("-\t", "Gamma\t")
            for text in FILES[name].splitlines(True)
        )
        if "esa" in name
        else FILES[name]
        for name in FILES
        if ".docs" not in name
    }
    (tmp_path / "root").mkdir()
    (tmp_path / "root/turned.zip").write_bytes(zipped(turned))
    asked = {"root": tmp_path / "root", "shared_task": "turned.zip", "trials": "999"}

    def above(page):
        said = [html.value for html in page.get("html")]
        assert any("Alpha is significantly better" in one for one in said)
        return "\n".join(
            said[
                : [k for k, one in enumerate(said) if "Alpha is significantly better" in one][0] + 4
            ]
        )

    first = above(opened("results", metric="bleu", **asked))
    assert "People scored these systems too: esa (en-cs, en-de)." in first
    assert "Gamma by human scores" not in first
    assert first.count(CAUTION_KINDS["no-documents"].general) == 1
    by_people = opened("results", metric="esa", **asked)
    assert "People scored" not in words(by_people)
    then = above(opened("results", metric="bleu", **asked))
    assert (
        "Other metrics name another top group: Gamma by human scores (esa) (en-cs, en-de)." in then
    )
    assert "People scored" not in then


@pytest.mark.long
def test_references_take_part_as_systems_on_the_page(
    data, monkeypatch, tmp_path, print_json, opened
):
    page = data()
    (link,) = uploaded(page, monkeypatch)["testset"]
    page.selectbox(key="metric").set_value("esa").run()
    assert "HUMAN-refA" not in str(frame_rows(page.dataframe[0]))
    page.toggle(key="humans").set_value(True).run()
    assert "HUMAN-refA" in str(frame_rows(page.dataframe[0]))
    command = find_command(page, "task")
    assert "--refs-as-systems" in command
    assert page.query_params["humans"] == "true"
    (tmp_path / "My task.zip").write_bytes(zipped(FILES))
    monkeypatch.chdir(tmp_path)
    printed = print_json(command, "--trials", "99")["pairs"]["en-cs"]["metrics"]["esa"]["systems"]
    assert printed[0]["system"] == "HUMAN-refA"
    assert printed[0]["score"] == pytest.approx(mean_ratings(FILES, "en-cs")["refA"])
    by_text = opened("results", testset=link, metric="bleu", refs="refA", humans="true")
    assert "HUMAN-refB" in str(frame_rows(by_text.dataframe[0]))
    assert "refs=" not in words(by_text)
    query = followed(page, lambda: press(page, "Start a review"), monkeypatch)
    assert "HUMAN-refA" in str(frame_rows(opened("review", review=query["review"][0]).dataframe[0]))


def test_the_files_of_a_review_do_not_give_the_link_to_the_task_away(data, monkeypatch):
    page = data()
    link = uploaded(page, monkeypatch)["testset"][0].partition("/")[0]
    query = followed(page, lambda: press(page, "Start a review"), monkeypatch)
    history = views.reviews().find(query["review"][0]).history
    told = review_sections.without_link(history, "My task")
    assert history[0].change.task == link
    assert replay(told).task == "My task"
    assert told[1:] == history[1:]
    assert review_sections.without_link(told, "other") == told


def drop(page, *files):
    page.file_uploader(key="data.files").set_value(
        [(name, content, "text/plain") for name, content in files]
    ).run()
    return page


def rate(code, n=40):
    """Ratings as Appraise has them: Alpha is better than Beta."""
    row = "ann,{name},{k},TGT,eng,{code},{score},test-en-news_d{document},False,[],1,2\n"
    return "".join(
        row.format(name=name, k=k, code=code, score=bonus + k % 7, document=k // 4)
        for name, bonus in (("Alpha", 70), ("Beta", 60))
        for k in range(n)
    ).encode()


def test_ratings_dropped_beside_the_zip_of_a_task_are_used(opened, monkeypatch):
    page = opened("upload").switch_page("pages/upload.py").run()
    unrated = {name: text for name, text in task_files().items() if "esa" not in name}
    drop(page, ("wave1.csv", rate("ces")), ("t.zip", zipped(unrated)), ("wave2.csv", rate("deu")))
    assert "t.zip" not in words(page)
    assert "These files are a shared task: en-cs, en-de, en-uk." in words(page)
    assert [box.value for box in page.text_input if box.label == "Name"] == ["ESA", "ESA"]
    asked = uploaded(page, monkeypatch)
    assert page.selectbox(key="metric").value == "ESA"
    again = opened("summary", testset=asked["testset"][0], metric="ESA", trials="999")
    assert "Alpha is significantly better than" in words(again)


def test_a_task_in_two_archives_is_one_task(opened):
    """Such as references in one, and outputs in the other, below the same folder."""
    page = opened("upload").switch_page("pages/upload.py").run()
    parts = [{}, {}]
    for name, text in task_files().items():
        parts["system-outputs" in name][name] = text
    drop(page, ("outputs.zip", zipped(parts[1])), ("texts.zip", zipped(parts[0])))
    assert "These files are a shared task: en-cs, en-de, en-uk." in words(page)


def test_texts_of_several_language_pairs_are_a_task(opened, monkeypatch):
    texts = {name: text.encode() for name, text in task_files().items()}
    files = []
    for pair in ("en-cs", "en-de"):
        files += [
            (f"{pair}.refA.txt", texts[f"mytask/references/{pair}.refA.txt"]),
            (f"{pair}.docs", texts[f"mytask/documents/{pair}.docs"]),
            *(
                (f"{name}.{pair}.txt", texts[f"mytask/system-outputs/{pair}/{name}.txt"])
                for name in ("Alpha", "Beta")
            ),
        ]
    page = opened("upload").switch_page("pages/upload.py").run()
    drop(page, *files, ("wave1.csv", rate("ces")))
    assert "These files are a shared task: en-cs, en-de." in words(page)
    assert "Not read" not in words(page)
    asked = uploaded(page, monkeypatch)
    other = opened("summary", testset=asked["testset"][0].replace("en-cs", "en-de"), trials="999")
    assert "Alpha" in words(other)


def test_documents_of_wmt25_are_a_task(opened):
    def write(key, word):
        return "".join(
            json.dumps({"doc_id": f"{pair}_#_news_#_d{k}", **key(f"{word} {k}\n\nb {k}")}) + "\n"
            for pair in ("en-cs_CZ", "en-de_DE")
            for k in range(9)
        ).encode()

    page = opened("upload").switch_page("pages/upload.py").run()
    drop(
        page,
        ("A.jsonl", write(lambda text: {"hypothesis": text}, "c")),
        (
            "genmt.jsonl",
            write(lambda text: {"src_text": text, "refs": {"refA": {"ref": text}}}, "a"),
        ),
        ("B.jsonl", write(lambda text: {"hypothesis": text}, "a")),
    )
    assert "These files are a shared task: en-cs_CZ, en-de_DE." in words(page)
    assert "Not read" not in words(page)


def test_ratings_of_wmt25_are_a_task_zipped_or_not(opened):
    rows = "".join(
        json.dumps(
            {
                "doc_id": f"{pair}_#_news_#_d{k}_#_0",
                "src_text": "s",
                "tgt_text": {"refA": f"a b {k}", "A": f"a c {k}"},
                "scores": {
                    "A": {"human1": 80 + k % 5, "annotator1": "p1"},
                    "B": {"human1": 70 + k % 5, "annotator1": "p2"},
                },
            }
        )
        + "\n"
        for pair in ("en-cs_CZ", "en-de_DE")
        for k in range(9)
    )
    page = opened("upload").switch_page("pages/upload.py").run()
    drop(page, ("humeval.jsonl", rows.encode()))
    assert "These files are a shared task: en-cs_CZ, en-de_DE." in words(page)
    drop(page, ("humeval.zip", zipped({"humeval.jsonl": rows})))
    assert "humeval.zip is a shared task: en-cs_CZ, en-de_DE." in words(page)


def test_tables_of_ratings_that_name_language_pairs_are_a_task(opened, monkeypatch):
    rows = [
        f"{system},{line},{line % 7 + 3 * bonus},{pair}\n"
        for pair in ("en-de", "en-zh")
        for system, bonus in (("mine", 1), ("base", 0))
        for line in range(1, 31)
    ]
    page = opened("upload").switch_page("pages/upload.py").run()
    page.file_uploader(key="data.files").set_value(
        [
            (f"esa.wave{k}.csv", ("system,line,ESA,lp\n" + "".join(part)).encode(), "text/csv")
            for k, part in enumerate((rows[:75], rows[75:]))
        ]
    ).run()
    assert "These files are a shared task: en-de, en-zh." in words(page)
    assert "Not read" not in words(page)
    asked = uploaded(page, monkeypatch)
    assert scores(page) == {"mine": "5.90", "base": "2.90"}
    other = opened("pairs", testset=asked["testset"][0].replace("en-de", "en-zh"), trials="999")
    assert "en-zh" in words(other)
