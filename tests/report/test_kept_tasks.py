"""What is kept of a task: the same numbers, and nothing read again."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core.experiments.metric_agreement import kept_agreement, task_agreement
from mtsig_core.metrics.means import DomainMean
from mtsig_core.source import TaskSource
from mtsig_core.stats import across, comparison, engine, kept_tasks
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask, digest_of
from mtsig_core.stats.significance import CORRECTIONS
from mtsig_core.task import TaskExclusion
from tests.builders.cases import brief
from tests.builders.rendered import task_json
from tests.builders.score_folders import many


def compare_kept(task, *metrics, **settings):
    """`compare_task` with the draws that are kept on disk."""
    return compare_task(task, *metrics, cache=KeptDraws(), **settings)


def draw_nothing(patch):
    patch.setattr(comparison, "draw_metric", lambda *args, **more: pytest.fail("drawn again"))
    patch.setattr(
        across,
        "draw_across",
        lambda *args, **more: pytest.fail("drawn again across language pairs"),
    )


@pytest.fixture
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))


def test_the_second_time_nothing_is_read(folder, kept, monkeypatch):
    source, seen = TaskSource(str(folder)), []
    first = compare_kept(
        KeptTask(source), trials=499, on_pair=lambda pair, one: seen.append((pair, *one.metrics))
    )
    monkeypatch.setattr(TaskSource, "read", lambda self: pytest.fail("read again"))
    second = compare_kept(KeptTask(source), trials=499)
    assert task_json(first) == task_json(second)
    assert seen == [
        (pair, metric) for metric in ("XCOMET", "MetricX-24") for pair in ("en-de_DE", "en-ja_JP")
    ]


def test_what_is_said_of_a_task_is_kept_too(folder, kept, monkeypatch):
    one = KeptTask(TaskSource(str(folder)))
    pair, testset = next(iter(one.task.testsets.items()))
    exclusions = [TaskExclusion(next(iter(testset.systems)), "withdrawn", pair)]
    infos = [one.info, one.leaving_out(exclusions).info]
    monkeypatch.setattr(TaskSource, "read", lambda self: pytest.fail("read again"))
    again = KeptTask(TaskSource(str(folder)))
    assert [again.info, again.leaving_out(exclusions).info] == infos


def test_progress_is_of_all_and_never_goes_back(folder):
    told = []
    compare_kept(
        KeptTask(TaskSource(str(folder))), trials=499, progress=lambda *said: told.append(said)
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[0] == 0 and 0.8 < shares[-1] <= 1
    # Nor does it stand still once the first stage of a language pair is over: what is left would
    # seem to take for ever.
    first = {stage: share for stage, share in told if stage.startswith("en-de_DE, XCOMET")}
    assert len(first) > 2 and len(set(first.values())) == len(first) and max(first.values()) < 1 / 6
    assert {stage.split(",")[0] for stage, _ in told} == {
        "en-de_DE",
        "en-ja_JP",
        "XCOMET across language pairs",
        "MetricX-24 across language pairs",
    }


def test_a_task_is_counted_once_and_warned_of_in_the_same_order(folder, kept, monkeypatch):
    """For what is compared within language pairs and across them; `compare_task` warns as what is
    kept does.
    """
    counted, count = [], engine.cached_statistics
    monkeypatch.setattr(
        engine,
        "cached_statistics",
        lambda metric, *more: (
            counted.extend([metric.name] * (not isinstance(metric, DomainMean)))
            or count(metric, *more)
        ),
    )
    source, asked = TaskSource(str(folder)), {"trials": 99, "resamples": 50, "unit": "segment"}
    found = compare_kept(KeptTask(source), **asked)
    assert counted == ["XCOMET"] * 2 + ["MetricX-24"] * 2 and found.macro
    counted.clear()
    assert task_json(compare_task(source.read(), **asked)) == task_json(found) and len(counted) == 4
    assert len(found.pairs["en-de_DE"].warnings) > 1


def test_other_content_and_other_settings_are_other_work(folder, kept):
    source = TaskSource(str(folder))
    before = compare_kept(KeptTask(source), "XCOMET", trials=499)
    assert compare_kept(KeptTask(source), "XCOMET", trials=999).pairs != before.pairs
    path = folder / "automatic_scores" / "Beta.jsonl"
    path.write_text(path.read_text().replace("0.8", "0.7"))
    after = compare_kept(KeptTask(source), "XCOMET", trials=499)
    assert (
        after.task.digest != before.task.digest and after.macro["XCOMET"] != before.macro["XCOMET"]
    )


def test_exclusions_compare_only_what_they_change(folder, kept, monkeypatch):
    """What they find is what `compare_task` finds; undone, or for another reason, nothing is
    computed again.
    """
    compared, whole, draw_metric = [], KeptTask(TaskSource(str(folder))), comparison.draw_metric
    monkeypatch.setattr(
        comparison,
        "draw_metric",
        lambda *args, **more: compared.append(args[0].name) or draw_metric(*args, **more),
    )
    first = task_json(compare_kept(whole, "XCOMET", trials=499))
    excluded = (TaskExclusion("Beta", "a bug", "en-de_DE"),)
    compared.clear()
    found = task_json(compare_kept(whole.leaving_out(excluded), "XCOMET", trials=499))
    assert len(compared) == 1
    again = task_json(
        compare_kept(
            whole.leaving_out((replace(excluded[0], reason="late"),)), "XCOMET", trials=499
        )
    )
    assert again == found.replace("a bug", "late") and len(compared) == 1
    assert (
        task_json(compare_kept(whole.leaving_out(excluded).leaving_out(()), "XCOMET", trials=499))
        == first
    )
    assert (
        task_json(
            compare_kept(KeptTask(TaskSource(str(folder), exclude=excluded)), "XCOMET", trials=499)
        )
        == found
    )
    assert len(compared) == 1
    assert found == task_json(compare_task(whole.task, "XCOMET", trials=499, exclude=excluded))


def test_a_rule_with_a_score_of_its_own_draws_across_the_language_pairs_once(
    folder, kept, monkeypatch
):
    """The pairs within them stay, the mean scores across them are others; wins are counted by the
    rule asked for.
    """
    source = TaskSource(str(folder))
    compare_kept(KeptTask(source), "XCOMET", trials=499)
    direct = {
        rule: task_json(compare_task(source.read(), "XCOMET", trials=499, rank_rule=rule))
        for rule in ("wmt24", "overlap", "simultaneous")
    }
    with monkeypatch.context() as patch:
        patch.setattr(comparison, "draw_metric", lambda *args, **more: pytest.fail("drawn again"))
        assert (
            task_json(compare_kept(KeptTask(source), "XCOMET", trials=499, rank_rule="wmt24"))
            == direct["wmt24"]
        )
    draw_nothing(monkeypatch)
    for rule in ("overlap", "wmt24", "simultaneous"):
        assert (
            task_json(compare_kept(KeptTask(source), "XCOMET", trials=499, rank_rule=rule))
            == direct[rule]
        )


@pytest.mark.parametrize(
    "first",
    brief(1, [{"correction": "romano-wolf", "test": "bootstrap"}, {}, {"correction": "none"}]),
)
def test_another_correction_draws_nothing_again(folder, kept, monkeypatch, first):
    """And it finds what a comparison by that correction finds, in each language pair and across
    them.
    """
    source, found = many(folder), []
    first = {"trials": 499, "unit": "segment"} | first
    compare_kept(KeptTask(source), "XCOMET", **first)
    for correction in CORRECTIONS:
        asked = first | {
            "correction": correction,
            "alpha": 0.1 if correction == "bh" else 0.05,
            "rank_rule": "overlap" if correction == "by" else "simultaneous",
        }
        with monkeypatch.context() as patch:
            draw_nothing(patch)
            found.append(compare_kept(KeptTask(source), "XCOMET", **asked))
        assert task_json(found[-1]) == task_json(compare_task(source.read(), "XCOMET", **asked))
    assert len({str([pair.better for pair in one.macro["XCOMET"].pairs]) for one in found}) > 2
    assert len({str([row.wins for row in one.macro["XCOMET"].systems]) for one in found}) > 2


def test_what_was_read_is_kept(folder, kept, monkeypatch):
    """Another metric reads no file again: not with gaps, and not with names as hostile as they
    come.
    """
    scores = folder / "automatic_scores"
    (scores / "Beta.jsonl").rename(scores / "<b>بيتا|$x$.jsonl")
    path = scores / "Alpha.jsonl"
    path.write_text(_with_a_gap(path.read_text()))
    source = TaskSource(str(folder), pairs=("en-ja_JP", "en-de_DE"))
    read = source.read()
    compare_kept(KeptTask(source), "XCOMET", trials=499)
    monkeypatch.setattr(TaskSource, "read", lambda self: pytest.fail("read again"))
    again = KeptTask(source)
    assert task_json(compare_kept(again, "MetricX-24", trials=499)) == task_json(
        compare_task(read, "MetricX-24", trials=499)
    )
    for testset in again.task.testsets.values():
        assert vars(testset).pop("digest") == testset.digest  # as it says, and as it is
    assert (again.task.digest, again.task.assumed, list(again.task.systems.items())) == (
        read.digest,
        read.assumed,
        list(read.systems.items()),
    )


def _with_a_gap(lines):
    first, rest = lines.split("\n", 1)
    entry = json.loads(first)
    entry["metric_scores"]["XCOMET"][0] = None
    return json.dumps(entry) + "\n" + rest


def test_files_are_looked_into_when_they_may_have_changed(folder, kept, monkeypatch):
    source, taken, digest = TaskSource(str(folder)), [], TaskSource.digest
    monkeypatch.setattr(TaskSource, "digest", lambda self: taken.append(self) or digest(self))
    monkeypatch.setattr(kept_tasks, "_RECENT", np.inf)  # just written, and perhaps written again
    assert digest_of(source) == digest_of(source) and len(taken) == 2
    monkeypatch.setattr(kept_tasks, "_RECENT", -np.inf)
    before = digest_of(source)
    assert digest_of(source) == before and len(taken) == 3
    path = folder / "automatic_scores" / "Beta.jsonl"
    path.write_text(path.read_text() + "\n")
    assert digest_of(source) == digest(source) != before and len(taken) == 4


def test_agreement_with_people_is_kept(folder, kept, monkeypatch):
    """Equal to the last digit; other settings, and the same files under another name, are other
    work.
    """
    source, asked = TaskSource(str(folder)), {"trials": 99, "resamples": 50}
    first = kept_agreement(KeptTask(source), "XCOMET", **asked)
    assert first == task_agreement(source.read(), "XCOMET", **asked)
    with monkeypatch.context() as patch:
        patch.setattr(KeptTask, "task", property(lambda self: pytest.fail("read again")))
        assert kept_agreement(KeptTask(source), "XCOMET", jobs=2, seed=0, **asked) == first
    assert kept_agreement(KeptTask(source), "XCOMET", seed=1, **asked).seed == 1
    warned, again = (
        kept_agreement(KeptTask(source), "XCOMET", unit="segment", **asked) for _ in range(2)
    )
    assert again == warned and all(
        one.warnings[0].code == "documents-ignored" for one in again.pairs.values()
    )
    again = TaskSource(str(folder.rename(folder.with_name("renamed"))))
    assert kept_agreement(KeptTask(again), "XCOMET", **asked).task.name == "renamed"


def test_entries_in_place_of_each_other_or_of_another_version_are_not_used(
    folder, kept, tmp_path, monkeypatch
):
    """Comparisons, readings and agreement: each entry knows what it is of, and by which code."""
    monkeypatch.setattr(kept_tasks, "_RECENT", 0)  # the digest too, however quick or slow this is
    source, asked = TaskSource(str(folder)), {"trials": 99, "resamples": 50}

    def found():
        whole = KeptTask(source)
        return task_json(compare_kept(whole, **asked)), kept_agreement(whole, "XCOMET", **asked)

    first, cache = found(), tmp_path / "cache"
    paths = sorted(cache.iterdir())
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, [*contents[1:], contents[0]], strict=True):
        path.write_bytes(content)
    assert (
        found() == first and [path.read_bytes() for path in paths] == contents
    )  # made anew, and replaced
    monkeypatch.setattr("mtsig_core.metrics.cache._counted_by", lambda package: ["another version"])
    assert found() == first and len(list(cache.iterdir())) == 2 * len(paths)
