"""Tasks of scores alone, in WMT25's layout."""

import json

import pytest

from mtsig_core import compare_task
from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers.tasks import read_task


def line(pair, document, domain="news", **scores):
    return {
        "language_pair": pair,
        "domain": domain,
        "document_id": document,
        "metric_scores": scores,
    }


TASK = {
    "Good": [
        line("en-de_DE", "d1", **{"XCOMET": [0.9, 0.8], "MetricX-24": [-1, -2]}),
        line("en-de_DE", "d2", "speech", **{"XCOMET": [0.7], "MetricX-24": [-3]}),
        line("en-ja_JP", "d1", **{"XCOMET": [0.5, 0.6], "MetricX-24": [-9, -8]}),
    ],
    "Other": [line("en-de_DE", "d2", "speech", **{"XCOMET": [0.6], "MetricX-24": [-4]})],
}


@pytest.fixture
def write(tmp_path):
    """A task on disk, {system: its lines, as objects or as they stand}."""

    def folder(task, metadata=None):
        (tmp_path / "automatic_scores").mkdir()
        for name, lines in task.items():
            text = "".join(
                (one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines
            )
            (tmp_path / "automatic_scores" / f"{name}.jsonl").write_text(text, encoding="utf-8")
        if metadata is not None:
            (tmp_path / "systems_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
        return tmp_path

    return folder


def test_what_is_read(write):
    task = read_task(write(TASK, {"Good": {"constrained": True}, "Absent": {"constrained": False}}))
    german = task.testsets["en-de_DE"]
    assert list(task.testsets) == ["en-de_DE", "en-ja_JP"]
    assert german.documents == ("d1", "d1", "d2") and german.domains == ("news", "news", "speech")
    assert german.scores["XCOMET"].by_system == {
        "Good": (0.9, 0.8, 0.7),
        "Other": (None, None, 0.6),
    }
    assert german.scores["MetricX-24"].higher_is_better
    assert list(task.testsets["en-ja_JP"].systems) == ["Good"]
    assert task.systems["Good"].constrained is True and task.systems["Other"].constrained is None
    assert any("higher MetricX-24 scores are better" in str(one) for one in task.assumed)


def test_the_direction_of_what_another_pair_has_may_be_said(write):
    lines = {
        name: [line("en-de_DE", "d1", Odd=[0.1, 7]), line("en-ja_JP", "d1", XCOMET=[0.5])]
        for name in ("X", "Y")
    }
    folder = write(lines)
    found = {
        pair: read_task(folder, [pair], lower_is_better=["Odd"]).testsets[pair].scores
        for pair in ("en-de_DE", "en-ja_JP")
    }
    assert not found["en-de_DE"]["Odd"].higher_is_better and list(found["en-ja_JP"]) == ["XCOMET"]
    for pairs in (None, ["en-ja_JP"]):
        with pytest.raises(SettingError, match="no scores 'other'.*Odd"):
            read_task(folder, pairs, lower_is_better=["other"])


def test_one_pair_is_the_same_whether_alone_or_not(write):
    """Lines of other pairs are passed over unparsed; a name spelled with escapes, and a line that
    breaks off, are not.
    """
    escaped = json.dumps(TASK["Good"][2]).replace("en-ja", "\\u0065n-ja")
    folder = write(TASK | {"Third": [*TASK["Other"], escaped]})
    alone, all_ = read_task(folder, ["en-ja_JP"]), read_task(folder)
    assert alone.testsets["en-ja_JP"].digest == all_.testsets["en-ja_JP"].digest
    assert list(alone.testsets["en-ja_JP"].systems) == ["Good", "Third"]
    path = folder / "automatic_scores" / "Other.jsonl"
    path.write_text(path.read_text()[:30])
    with pytest.raises(InputError, match="Other.jsonl, line 1 is not JSON"):
        read_task(folder, ["en-ja_JP"])


def test_an_unknown_score_is_asked_about(write):
    folder = write({"A": [line("en-de_DE", "d", mine=[3.5, 20])]})
    with pytest.raises(SettingError, match="higher better, or lower.*mine"):
        read_task(folder)
    assert (
        not read_task(folder, lower_is_better=["mine"])
        .testsets["en-de_DE"]
        .scores["mine"]
        .higher_is_better
    )


def test_an_unknown_score_beside_known_ones_is_left_out_and_asked_about_when_wanted(write):
    both = line("en-de_DE", "d", mine=[3.5, 20], XCOMET=[0.5, 0.6])
    folder = write({"A": [both, line("en-ja_JP", "d", XCOMET=[0.1])], "B": [both]})
    task = read_task(folder)
    assert (
        list(task.testsets["en-de_DE"].scores) == ["XCOMET"]
        and task.assumed[0].code == "direction-open"
    )
    with pytest.raises(SettingError, match=r"higher better, or lower.*'mine' \(3.5 to 20\)"):
        compare_task(task, "mine")
    assert compare_task(task, "XCOMET", trials=99).task.assumed == task.assumed


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["{"], "A.jsonl, line 1 is not JSON"),
        (["[]"], "line 1 is .* Expected an object"),
        ([{"language_pair": "en-de_DE"}], "line 1 is .* Expected an object"),
        ([line("en-de_DE", "d") | {"metric_scores": [1]}], "line 1 is .* Expected an object"),
        ([line("en-de_DE", "d", XCOMET=["x"])], "line 1: XCOMET: segment 1 is 'x'"),
        ([line("en-de_DE", "d", XCOMET=[float("inf")])], "segment 1 is inf"),
        ([line("en-de_DE", "d", XCOMET=[10**400])], "segment 1 is 10000"),
        (
            [line("en-de_DE", "d", XCOMET=[0.1]), line("en-de_DE", "d", XCOMET=[0.1])],
            "line 2: the document d appears",
        ),
        (
            [line("en-de_DE", "d", XCOMET=[0.1], BLEURT=[0.1, 0.2])],
            "BLEURT has 2 scores for the document d, which has 1",
        ),
        (["[" * 100_000], "line 1 is not JSON"),
        ([], "is empty"),
    ],
)
def test_broken_files(write, lines, told):
    with pytest.raises(InputError, match=told):
        read_task(write({"A": lines}))


def test_other_folders(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_task(tmp_path / "none")
    (tmp_path / "automatic_scores").mkdir()
    with pytest.raises(InputError, match="no file SYSTEM.jsonl"):
        read_task(tmp_path)


def test_broken_metadata(write):
    with pytest.raises(InputError, match="'constrained' of Good is 'yes'"):
        read_task(write(TASK, {"Good": {"constrained": "yes"}}))
