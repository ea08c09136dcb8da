"""Zips of tasks."""

import stat
import zipfile
from dataclasses import replace

import pytest

from mtsig_core.cli.main import main
from mtsig_core.data.readers import archives
from mtsig_core.data.readers.tasks import has_scores, pairs_of, read_pair, read_task
from mtsig_core.data.source import Source
from mtsig_core.data.task import SystemInfo
from mtsig_core.data.task_source import TaskSource
from mtsig_core.errors import InputError
from tests.toys import read_zip

TEXTS = {"top/task/references/en-de.refA.txt": "a\nb\n", "top/task/system-outputs/en-de/x.txt": "a\nc\n",
         "top/task/system-outputs/en-de/y.txt": "a\nd\n", "__MACOSX/top/._x": "?"}


@pytest.fixture
def packed(tmp_path):
    def archive(files, name="toy.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as opened:
            for file, text in files.items():
                opened.writestr(file, text)
        return tmp_path / name
    return archive


def test_a_zip_is_read_as_its_folder(packed, tmp_path, capsys):
    path = packed(TEXTS)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "plain")
    folder = tmp_path / "plain/top/task"
    assert pairs_of(path) == ["en-de"] and not has_scores(path)
    assert read_task(path).digest == read_task(folder).digest
    assert read_pair(path, "en-de").digest == read_pair(folder, "en-de").digest
    assert Source(folder=str(path), langpair="en-de").files() == [str(path)]
    assert main(["task", "--folder", str(path), "--unit", "segment", "--trials", "99"]) == 0
    assert "1 language pair, 2 systems" in capsys.readouterr().out


def test_the_table_of_the_systems_is_read_from_a_zip_too(packed, tmp_path, capsys, monkeypatch):
    """The topmost; in a folder, a zip, one language pair of it, and an upload."""
    table = "system\tconstrained\trole\tname\nx\tyes\tcontrastive\t<b>X</b>\ny\tno\twithdrawn\t\n"
    path = packed({**TEXTS, "top/task/systems.tsv": table, "top/task/documents/systems.tsv": "?"})
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "plain")
    folder = tmp_path / "plain/top/task"
    for source in (TaskSource(str(path)), TaskSource(str(folder))):
        assert dict(source.read().systems) == {"x": SystemInfo(True, "contrastive", "submission", "<b>X</b>")}
        assert source.withdrawn() == ("y",) and set(replace(source, keep_withdrawn=True).read().systems) == {"x", "y"}
    for one in (Source(folder=str(path), langpair="en-de").read(), read_zip(path.read_bytes(), "en-de")):
        assert list(one.systems) == ["x"] and "Left out: y" in one.assumed[0]
    assert main(["task", "--folder", str(path), "--unit", "segment", "--trials", "99"]) == 0
    assert "x (<b>X</b>, contrastive)" in capsys.readouterr().out
    broken = packed({**TEXTS, "top/task/systems.tsv": "system\trole\nx\tmain\n"})
    with pytest.raises(InputError, match=r"toy.zip/systems.tsv, line 2: role is 'main'"):
        TaskSource(str(broken)).read()
    monkeypatch.setattr(archives, "MAX_BESIDE", 5)
    with pytest.raises(InputError, match="systems.tsv has 0 MB"):
        TaskSource(str(broken)).read()


def test_a_zip_of_scores(packed):
    line = '{"language_pair": "en-de_DE", "domain": "n", "document_id": "d", "metric_scores": {"XCOMET": [0.5]}}\n'
    path = packed({"wmt/automatic_scores/A.jsonl": line})
    assert has_scores(path) and list(read_task(path).testsets) == ["en-de_DE"]


def test_nothing_leads_out_and_links_are_left_out(packed, tmp_path):
    link = zipfile.ZipInfo("top/task/system-outputs/en-de/secret.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = packed({**TEXTS, link: "/etc/passwd", "../../outside.txt": "x", "/abs.txt": "x"})
    assert list(read_pair(path, "en-de").systems) == ["x", "y"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["toy.zip"]
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_zip_of_several_tasks_is_refused(packed):
    """One beside the other, at any depth; not what a task has inside it, nor what Finder lays beside it."""
    inside = {f"top/task/further/{name.removeprefix('top/')}": text for name, text in TEXTS.items()}
    finder = {f"__MACOSX/{name}": "?" for name in TEXTS}
    assert list(read_pair(packed({**TEXTS, **inside, **finder}), "en-de").systems) == ["x", "y"]
    other = {name.replace("top/task", "top/a/wmt23"): text for name, text in TEXTS.items()}
    for path in (packed({**TEXTS, **other}), packed({**other, "top/task/automatic_scores/A.jsonl": "{}"})):
        for read in (read_task, pairs_of):
            with pytest.raises(InputError, match=r"holds 2 tasks: top/task, top/a/wmt23\. Expected one\."):
                read(path)


def test_what_is_refused(packed, monkeypatch, tmp_path):
    broken = packed({**TEXTS, "top/task/system-outputs/en-de/x.txt": "a\n"})
    with pytest.raises(InputError, match=r"toy.zip/top/task/system-outputs/en-de/x.txt has 1 line"):
        read_task(broken)
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(InputError, match="no.zip is no zip file, or not all of one. Expected the folder of a shared"):
        read_task(tmp_path / "no.zip")
    monkeypatch.setattr(archives, "MAX_FILES", 2)
    with pytest.raises(InputError, match="Zip one task alone"):
        read_task(broken)
