"""Annotations of Pearmut: as a test set with texts, errors, raters, times and checks, and as a task."""

import json
import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean

import pytest

from mtsig_core import InputError, read_scores, read_task
from mtsig_core.cli import task_commands
from mtsig_core.cli.main import main
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan
from mtsig_core.readers.uploads import Upload, guess_uploads, read_uploads

FILES = Path(__file__).parent / "pearmut"
DOWNLOAD = FILES / "dynamic.annotations.json"
LINES = FILES / "single-stream"
REAL = Path(__file__).parents[2].parent / "shared" / "data" / "pearmut"
PAIRS = ["eng_Latn-ces_Latn", "ces_Latn-deu_Latn"]


def load(path):
    """{campaign: entries} of a download, or of a folder of campaigns."""
    if path.is_file():
        return json.loads(path.read_text())
    return {
        file.stem: [json.loads(line) for line in file.read_text().splitlines()]
        for file in path.iterdir()
    }


def count_scores(entries):
    """{system: {item: scores}} of what counts."""
    voided = {e["user_id"]: k for k, e in enumerate(entries) if e["annotation"] == "__RESET__"}
    scores = defaultdict(lambda: defaultdict(list))
    for k, entry in enumerate(entries):
        if k > voided.get(entry["user_id"], -1) and isinstance(entry["item_i"], int):
            for item, answers in zip(entry["item"], entry["annotation"], strict=True):
                for system, answer in answers.items():
                    scores[system][item["item_id"]].append(answer["score"])
    return scores


@pytest.mark.parametrize(
    "path",
    [
        DOWNLOAD,
        LINES,
        *(REAL / f"{kind}.annotations.json" for kind in ("dynamic", "single-stream")),
    ],
)
def test_counts_and_means_are_those_of_a_plain_loop(path):
    if not path.exists():
        pytest.skip("needs the annotations in ../shared/data/pearmut")
    task = read_task(path)
    campaigns = load(path)
    assert sorted(task.testsets) == sorted(PAIRS) and len(campaigns) == 2
    for campaign, entries in campaigns.items():
        testset = task.testsets[campaign.replace("---", "-").removesuffix(" v1")]
        expected = count_scores(entries)
        assert set(testset.systems) == set(expected)
        for system, values in testset.scores["ESA"].by_system.items():
            present = [value for value in values if value is not None]
            means = [fmean(scores) for scores in expected[system].values()]
            assert sorted(present) == pytest.approx(sorted(means))
        n_scores = sum(len(scores) for items in expected.values() for scores in items.values())
        assert len(testset.judgements.rows) == n_scores
        [ratings] = [
            a
            for a in task.assumed
            if a.code == "ratings" and a.facts["langpair"] == testset.langpair
        ]
        voided = ratings.facts["left_out"].get("reset", 0)
        assert (voided > 0) == ("__RESET__" in [entry["annotation"] for entry in entries])
        assert ratings.facts["n_ratings"] == n_scores


AB = ({"A": 80, "B": 60},)


def entry(user="u1", place=0, scores=AB, checks=None, document="d1", **more):
    """What an annotator submits: a document with an item for each object of scores."""
    items = []
    for k, answers in enumerate(scores):
        item = {"item_id": f"news_###_{document}_###_{k}", "src": f"source {k}"}
        item["tgt"] = {name: f"{name} {document} {k}" for name in answers}
        if checks:
            item |= {"item_id": "attention_check_0", "validation": checks}
        items.append(item)
    answers = [
        {
            name: score if isinstance(score, dict) else {"score": score}
            for name, score in by_system.items()
        }
        for by_system in scores
    ]
    return {"annotation": answers, "item": items, "user_id": user, "item_i": place, **more}


def download(*entries, campaign="eng_Latn---ces_Latn v1"):
    return json.dumps({campaign: entries}).encode()


@pytest.fixture
def rated(tmp_path):
    """The test set of some entries."""

    def read(*entries, **options):
        path = tmp_path / "annotations.json"
        path.write_bytes(download(*entries))
        return read_scores([("ESA", path)], **options)

    return read


def left_out(testset):
    [ratings] = [a for a in testset.assumed if a.code == "ratings"]
    return {reason: n for reason, n in ratings.facts["left_out"].items() if n}


def test_what_is_no_rating_is_counted(rated):
    testset = rated(
        entry("u1", document="void"),
        {"user_id": "u1", "annotation": "__RESET__"},
        entry("u1", "welcome_0", document="hello"),
        entry("u2", "goodbye_0", document="bye"),
        entry("u2", "random_3", document="other"),
        entry("u2", "random_0", checks={"A": {"score": [70, 90]}}),
        entry(
            "u1",
            1,
            [{"A": None, "B": 50}, {"A": 70, "B": {"score": None, "sliders": {"x": 20, "y": 40}}}],
        ),
    )
    assert left_out(testset) == {
        "reset": 2,
        "tutorial": 2,
        "of the farewell": 2,
        "of items at random": 2,
        "of attention checks": 2,
        "without a score": 1,
    }
    assert {name: row for name, row in testset.scores["ESA"].by_system.items()} == {
        "B": (50.0, 30.0),
        "A": (None, 70.0),
    }
    assert testset.documents == ("news_###_d1",) * 2 and testset.domains == ("news",) * 2


def test_repeated_annotations_are_averaged_also_of_one_person(rated):
    testset = rated(
        entry("u1", scores=[{"A": 80, "B": 60}]),
        entry("u2", scores=[{"A": 60}]),
        entry("u1", scores=[{"A": 40}]),
    )
    assert dict(testset.scores["ESA"].by_system) == {"A": (60.0,), "B": (60.0,)}
    ids = [(row.rater, row.annotation) for row in testset.judgements.rows if row.system == "A"]
    assert ids == [
        (f"u{user}", f"eng_Latn---ces_Latn v1 {k}") for user, k in ((1, 1), (2, 2), (1, 3))
    ]


def test_annotations_as_segments_keep_what_was_seen_together(rated):
    testset = rated(
        entry("u1", scores=[{"A": 80, "B": 60}]),
        entry("u2", scores=[{"A": 60, "B": 90}]),
        raters="segments",
    )
    assert dict(testset.scores["ESA"].by_system) == {"A": (80.0, 60.0), "B": (60.0, 90.0)}
    assert testset.sources == ("source 0",) * 2 and testset.systems["A"] == ("A d1 0",) * 2


def test_texts_errors_times_and_checks(rated):
    span = {"start_i": 0, "end_i": 2, "severity": "Major", "category": None}
    moments = [{"time": 100.0, "action": "load"}, {"time": 130.0}, {"time": 1000.0}]
    testset = rated(
        entry(
            "u1",
            scores=[
                {"A": {"score": 80, "error_spans": [span, {"start_i": "missing"}][:1]}},
                {"B": 30},
            ],
            actions=moments,
        ),
        entry("u1", "random_0", [{"A": 80}], checks={"A": {"score": [70, 90]}}),
        entry("u1", "random_0", [{"A": 60}], checks={"A": {"score": [70, 90]}}),
        entry("u2", "random_0", [{"A": 60}], checks={"A": {"score": [70, 90]}}, validations=[True]),
    )
    assert testset.sources == ("source 0", "source 1") and testset.langpair == PAIRS[0]
    assert testset.systems["A"] == ("A d1 0", None) and testset.systems["B"] == (None, "B d1 1")
    assert testset.has_outputs and not testset.has_texts
    first, second = testset.judgements.rows
    assert first.spans == (ErrorSpan(0, 3, "major", ""),) and second.spans == ()
    assert testset.judgements.annotations == (
        Annotation("eng_Latn---ces_Latn v1 1", "u1", 100.0, 30.0 + 61, 2),
    )
    assert Counter(testset.judgements.checks) == {
        AttentionCheck("u1", True): 1,
        AttentionCheck("u1", False): 1,
        AttentionCheck("u2", True): 1,
    }


def test_the_content_of_judgements_is_part_of_the_digest(rated):
    first = rated(entry("u1"))
    assert first.digest == rated(entry("u1")).digest != rated(entry("u2")).digest


@pytest.mark.parametrize(
    "record, message",
    [
        (
            entry() | {"annotation": [{}, {}]},
            "campaign eng_Latn---ces_Latn v1, entry 1 has 1 items and 2 annotations",
        ),
        (entry() | {"user_id": None}, "entry 1.user_id: Expected text, got null"),
        (entry() | {"item": "x"}, "entry 1.item: Expected list, got text"),
        (
            entry(scores=[{"A": "good"}]),
            "entry 1.annotation\\[0\\]\\[...\\].score: Expected number or null, got text",
        ),
        (
            entry() | {"item": [{"src": "x"}]},
            "entry 1.item\\[0\\]: Object missing required field item_id",
        ),
        ({"annotation": []}, "entry 1 is an object .*Expected an entry of Pearmut's annotations"),
    ],
)
def test_a_fault_is_told_with_its_place(rated, record, message):
    with pytest.raises(InputError, match=message):
        rated(record, entry(document="d2"))


def test_campaigns_without_language_pairs_stay_apart(tmp_path):
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"pilot": [entry()], "eng_Latn---ces_Latn v1": [entry()]}))
    with pytest.raises(InputError, match="the name of pilot says no language pair"):
        read_scores([("ESA", path)])
    path.write_text(json.dumps({"pilot": [entry()]}))
    assert read_scores([("ESA", path)]).n_segments == 1


def test_uploads_and_folders_read_both_forms(tmp_path):
    for path in (DOWNLOAD, next(LINES.iterdir())):
        content = path.read_bytes()
        assert guess_uploads([(path.name, content)]) == [("scores", "ESA")]
        testset = read_uploads(
            [Upload(path.name, content, "scores", "ESA")], langpair="ces_Latn-deu_Latn"
        )
        assert testset.judgements.rows and testset.has_outputs
    shutil.copytree(LINES, tmp_path / "task" / "annotations")
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path / "task")
    assert sorted(read_task(archive).testsets) == sorted(PAIRS)


def test_commands_take_the_file_as_it_is(capsys):
    main(["task", str(DOWNLOAD), "--trials", "99", "--resamples", "99"])
    out = capsys.readouterr().out
    assert re.search(r"Excluded: \d+ tutorial, \d+ reset, \d+ of attention checks", out)
    assert "eng_Latn-ces_Latn" in out and "ces_Latn-deu_Latn" in out
    pair = ["--langpair", PAIRS[0], "--trials", "99", "--resamples", "99"]
    main(["compare", "--scores", f"ESA={DOWNLOAD}", *pair])
    assert "Fir" in capsys.readouterr().out


def test_a_last_line_that_is_still_written_is_counted(tmp_path):
    path = tmp_path / "eng_Latn---ces_Latn v1.jsonl"
    whole = json.dumps(entry()) + "\n"
    path.write_text(whole + json.dumps(entry(document="d2"))[:70])
    testset = read_scores([("ESA", path)])
    assert testset.n_segments == 1 and left_out(testset) == {"line that is not finished": 1}
    path.write_text(whole[:70] + "\n" + whole)
    with pytest.raises(InputError, match="row 1 is .*which is not JSON"):
        read_scores([("ESA", path)])


def test_a_watched_task_is_printed_again_when_it_grows(tmp_path, capsys, monkeypatch):
    """A file that cannot be read, as it is replaced, is a message; the next change is read."""
    path = tmp_path / "eng_Latn---ces_Latn v1.jsonl"
    lines = [json.dumps(entry(f"u{k}", document=f"d{k}")) + "\n" for k in range(4)]
    path.write_text("".join(lines[:2]))
    contents = [None, "{", "".join(lines)]

    def pause(_seconds):
        if not contents:
            raise KeyboardInterrupt
        content = contents.pop(0)
        if content is not None:
            path.write_text(content)

    monkeypatch.setattr(task_commands, "sleep", pause)
    with pytest.raises(KeyboardInterrupt):
        main(["task", str(tmp_path), "--watch", "--look=2/3", "--trials=9", "--resamples=99"])
    out, problems = capsys.readouterr()
    assert problems.count("Look 2/3 has decided once") == 2
    assert re.findall(r"ESA, eng_Latn-ces_Latn: (\d+) ratings", out) == ["4", "8"]
    assert problems.count("the files have changed") == 2 and "cannot be read" not in problems


def test_a_campaign_that_nobody_has_rated_yet_is_left_out(tmp_path, capsys):
    (tmp_path / "eng_Latn---ces_Latn v1.jsonl").write_text(json.dumps(entry()) + "\n")
    begun = tmp_path / "ces_Latn---deu_Latn v1.jsonl"
    for content in ("", json.dumps(entry(place="welcome_0")) + "\n"):
        begun.write_text(content)
        assert list(read_task(tmp_path).testsets) == ["eng_Latn-ces_Latn"]
        main(["task", str(tmp_path), "--trials", "9", "--resamples", "99"])
        assert "nobody has rated in this campaign yet" in capsys.readouterr().err
    with pytest.raises(InputError, match="without ratings that name their language pair"):
        read_task(begun)
