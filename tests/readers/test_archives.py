"""Zips of tasks."""

import itertools
import shutil
import stat
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers import files as read_files
from mtsig_core.readers.task_contents import contents_of, tables_beside
from mtsig_core.readers.tasks import has_scores, pairs_of, read_pair, read_task
from mtsig_core.source import Source, TaskSource
from tests.builders.toys import mean_ratings, task_files, zipped

TEXTS = {
    "top/task/references/en-de.refA.txt": "a\nb\n",
    "top/task/system-outputs/en-de/x.txt": "a\nc\n",
    "top/task/system-outputs/en-de/y.txt": "a\nd\n",
    "__MACOSX/top/._x": "?",
}


@pytest.fixture
def packed(tmp_path):
    def archive(files, name="toy.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as opened:
            for file, text in files.items():
                opened.writestr(file, text)
        return tmp_path / name

    return archive


def test_a_zip_is_read_as_its_folder(packed, tmp_path, run):
    path = packed(TEXTS)
    shutil.unpack_archive(path, tmp_path / "plain")
    folder = tmp_path / "plain/top/task"
    assert pairs_of(path) == ["en-de"]
    assert not has_scores(path)
    assert read_task(path).digest == read_task(folder).digest
    assert read_pair(path, "en-de").digest == read_pair(folder, "en-de").digest
    assert Source(folder=str(path), langpair="en-de").files() == [str(path)]
    text = run("task --unit segment --trials 99 --folder", path).out
    assert "1 language pair, 2 systems" in text


def test_nothing_leads_out_and_links_are_left_out(packed, tmp_path):
    link = zipfile.ZipInfo("top/task/system-outputs/en-de/secret.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = packed({**TEXTS, link: "/etc/passwd", "../../outside.txt": "x", "/abs.txt": "x"})
    assert list(read_pair(path, "en-de").systems) == ["x", "y"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["toy.zip"]
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_zip_of_several_tasks_is_refused(packed):
    """One beside the other, at any depth; not what a task has inside it, nor what Finder lays
    beside it.
    """
    inside = {f"top/task/further/{name.removeprefix('top/')}": text for name, text in TEXTS.items()}
    finder = {f"__MACOSX/{name}": "?" for name in TEXTS}
    assert list(read_pair(packed({**TEXTS, **inside, **finder}), "en-de").systems) == ["x", "y"]
    other = {name.replace("top/task", "top/a/wmt23"): text for name, text in TEXTS.items()}
    for path in (
        packed({**TEXTS, **other}),
        packed({**other, "top/task/automatic_scores/A.jsonl": "{}"}),
    ):
        for read in (read_task, pairs_of):
            with pytest.raises(
                InputError, match=r"contains 2 tasks: top/task, top/a/wmt23\. Expected one\."
            ):
                read(path)


def test_what_is_refused(packed, monkeypatch, tmp_path):
    broken = packed({**TEXTS, "top/task/system-outputs/en-de/x.txt": "a\n"})
    with pytest.raises(InputError, match=r"toy.zip/top/task/system-outputs/en-de/x.txt has 1 line"):
        read_task(broken)
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(
        InputError,
        match="no.zip is not a complete zip file. Expected the folder of a shared",
    ):
        read_task(tmp_path / "no.zip")
    monkeypatch.setattr(read_files, "MAX_FILES", 2)
    with pytest.raises(InputError, match="Zip only one task"):
        read_task(broken)


@pytest.fixture
def full(tmp_path):
    """A task with tables of scores in its zip."""
    (path := tmp_path / "full.zip").write_bytes(zipped(task_files()))
    return path


def test_all_that_is_in_a_zip_is_read_or_named_with_the_reason(full):
    found = contents_of(full)
    assert found.pairs == ("en-cs", "en-de", "en-uk")
    assert found.runs == ()
    scores = {"en-cs": "mytask/en-cs.esa.tsv", "en-de": "mytask/scores/en-de.esa.seg.score"}
    assert found.scores == tuple((pair, "esa", f"{full}/{place}") for pair, place in scores.items())
    unread = [file for file, _ in found.unread]
    assert unread == [
        "mytask/references/en-cs.refA.txt.bak~",
        "mytask/README.md",
        "mytask/en-fr.esa.tsv",
        "mytask/notes.tsv",
    ]
    every = set(zipfile.ZipFile(full).namelist())
    of_texts = ("references", "system-outputs", "documents")
    texts = {name for name in every if name.split("/")[1] in of_texts}
    assert texts | {*scores.values()} | {*unread} == every


@pytest.mark.parametrize(
    "name, said",
    [
        (
            "m/human-scores/en-xx.mqm.seg.score",
            "en-xx is no language pair of which the task has a reference",
        ),
        (
            "m/metric-scores/en-cs/COMET.txt",
            "no table of segment scores such as en-de.esa.tsv, has such a name",
        ),
        ("beside.docx", "no text of a task"),
    ],
)
def test_files_of_other_layouts_that_are_not_read_are_named_too(packed, name, said):
    path = packed(
        {
            "m/references/en-cs.refA.txt": "a\nb\n",
            "m/system-outputs/en-cs/x.txt": "a\nc\n",
            "m/human-scores/en-cs.esa.seg.score": "x\t1\nx\t2\n",
            name: "?",
        }
    )
    found = contents_of(path)
    assert [(file, said in why) for file, why in found.unread] == [
        (name, True)
    ] and found.scores == ()


#: The files of a task without its tables of scores.
UNRATED = {name: text for name, text in task_files().items() if "esa" not in name}
ESA_ROW = "ann,{},{},TGT,eng,{},{},test-en-news_one,False,[],1.0,2.0\n"
MQM_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


@pytest.mark.parametrize("place", ["mytask/", "mytask/humeval/2024/", "", "humeval/"])
def test_published_ratings_in_a_zip_are_known_by_their_content(tmp_path, place):
    esa, mqm = [], [MQM_HEADER]
    for name, k in itertools.product(("Alpha", "Beta"), range(9)):
        esa += [ESA_ROW.format(name, k, code, 60 + k) for code in ("ces", "deu", "jpn")]
        mqm.append(f"{name}\td\td\t{k + 1}\tr\ts\tt\tFluency\tMinor\n")
    path, waves, errors = tmp_path / "t.zip", f"{place}wave2.csv", f"{place}mqm_general_ende.tsv"
    path.write_bytes(zipped({**UNRATED, waves: "".join(esa), errors: "".join(mqm)}))
    found = contents_of(path)
    assert set(found.scores) == {
        ("en-cs", "ESA", f"{path}/{waves}"),
        ("en-de", "ESA", f"{path}/{waves}"),
        ("en-de", "MQM", f"{path}/{errors}"),
    }
    unread = dict(found.unread)
    assert "it has scores of en-ja too, of which there are no texts" in unread.pop(waves)
    assert set(unread) == {
        "mytask/references/en-cs.refA.txt.bak~",
        "mytask/README.md",
        "mytask/notes.tsv",
    }
    testsets = TaskSource(str(path), scores=found.scores).read().testsets
    assert [{*testset.scores} for testset in testsets.values()] == [{"ESA"}, {"ESA", "MQM"}, set()]


def test_why_a_table_of_scores_is_not_read(tmp_path):
    error = "Alpha\td\td\t1\tr\ts\tt\t{}\tMinor\n"
    published = "lp\tsystem\tmetric\tscore\n" + "en-de\tAlpha\tBLEU\t3\n" * 3
    lacks = "and the task has no reference of that language pair"
    whose = "neither its content nor its name says of which language pair"
    tables = {
        "wave.csv": (ESA_ROW.format("Alpha", 1, "jpn", 60) * 9, f"it has scores of en-ja, {lacks}"),
        "mqm.tsv": (
            MQM_HEADER + error.format("Fluency") * 3,
            f"{whose}. Call it such as en-cs.MQM.tsv",
        ),
        "source-errors.tsv": (
            MQM_HEADER + error.format("Source error") * 3,
            "it lists errors of the source text only",
        ),
        "automatic-scores.tsv": (
            published,
            "published scores of systems, compare with them on the page Results",
        ),
    }
    path = tmp_path / "t.zip"
    texts = {f"mytask/{name}": text for name, (text, _) in tables.items()}
    path.write_bytes(zipped(UNRATED | texts))
    found = contents_of(path)
    assert found.scores == ()
    reasons = {file.removeprefix("mytask/"): why for file, why in found.unread}
    for name, (_, said) in tables.items():
        assert said in reasons[name]
    assert str(tmp_path) not in "".join(reasons.values())


def test_tables_in_a_zip_join_as_those_in_a_folder_do(full, tmp_path):
    shutil.unpack_archive(full, tmp_path / "plain")
    folder = tmp_path / "plain/mytask"
    scores, beside = contents_of(full).scores, tuple(tables_beside(folder, ["en-cs", "en-de"]))
    for table, (pair, name, path) in zip(beside, scores, strict=True):
        assert table == (pair, name, path.replace(f"{full}/mytask", str(folder)))
    task = TaskSource(str(full), scores=scores).read()
    assert task.digest == TaskSource(str(folder), scores=beside).read().digest
    for pair, name, path in scores:
        testset = task.testsets[pair]
        by_system = testset.scores["esa"].by_system
        for system, mean in mean_ratings(task_files(), pair).items():
            assert np.mean(by_system[system]) == pytest.approx(mean)
        of_pair = Source(folder=str(full), langpair=pair, scores=((name, path),))
        assert of_pair.read().digest == testset.digest


def test_runs_in_a_zip_are_those_of_its_task(full):
    runs = {f"mytask/en-cs.Alpha.run{k}.txt": "x\n" * 40 for k in (2, 3)}
    full.write_bytes(zipped(task_files() | runs))
    task = TaskSource(str(full), run=contents_of(full).runs).read()
    assert len(task.testsets["en-cs"].runs["Alpha"]) == 2


def test_what_is_wrong_with_a_file_in_a_zip_is_told_with_its_place_in_it(full):
    def refused(path):
        with pytest.raises(InputError) as error:
            TaskSource(str(full), scores=(("en-cs", "esa", path),)).read()
        return str(error.value)

    full.write_bytes(
        zipped(task_files() | {"mytask/en-cs.esa.tsv": "system\tline\tscore\nAlpha\t41\t2\n"})
    )
    table = f"{full}/mytask/en-cs.esa.tsv"
    assert refused(table).startswith(f"{table}, row 2: there is no line 41")
    assert refused(f"{full}/mytask/en-cs.mqm.tsv").startswith(
        f"{full} has no file mytask/en-cs.mqm.tsv."
    )
    (full.parent / "secret.tsv").write_text("system\tline\tscore\nAlpha\t1\t2\n")
    assert refused(f"{full}/../secret.tsv").startswith(f"{full} has no file secret.tsv.")


def test_a_zip_below_the_root_is_read_though_it_is_unpacked_elsewhere(full, tmp_path):
    source = TaskSource(str(full), scores=contents_of(full).scores, below=str(tmp_path))
    assert source.read().digest == replace(source, below=None).read().digest
    assert source.to_record()["scores"][0] == ("en-cs", "esa", "full.zip/mytask/en-cs.esa.tsv")
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="leads out of MTSIG_DATA_ROOT"):
        replace(source, below=str(tmp_path / "other")).read()
