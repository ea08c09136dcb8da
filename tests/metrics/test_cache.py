"""Statistics kept in memory and on disk: the same numbers, whatever happens to the files."""

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mtsig_core import TestSet, make_metric
from mtsig_core.metrics import cache, mean_over_domains, resolve_metric
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.cache import STATISTICS_MEMORY, cached_statistics
from mtsig_core.schema import encode
from tests.builders.toys import texts, with_statistics

NAMES = ["bleu", "ter", "nist"]


def toy(n=12, seed=0):
    reference, outputs = texts(seed, [0.1, 0.4], n)
    return TestSet(
        "toy", dict(zip("AB", outputs, strict=True)), {"ref": reference}, documents=["d"] * n
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_complained", False)
    monkeypatch.setattr(STATISTICS_MEMORY, "most", 0)
    return tmp_path / "cache"


@pytest.fixture
def counted(monkeypatch):
    """The test sets that BLEU was counted for."""
    calls, count = [], Bleu.statistics

    def statistics(self, testset, progress=None):
        calls.append(testset)
        return count(self, testset, progress)

    monkeypatch.setattr(Bleu, "statistics", statistics)
    return calls


def entry(folder):
    (path,) = folder.iterdir()
    return path


def place(testset):
    return cache._entry(cache._statistics_key(Bleu(), testset))


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)


# -- what it is for -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_is_what_was_counted(folder, name):
    expected = make_metric(name).statistics(toy())
    for _ in range(2):
        assert same(cached_statistics(make_metric(name), toy()), expected)
    assert len(list(folder.iterdir())) == 1


def test_texts_settings_and_code_make_a_difference(folder, counted, monkeypatch):
    cached_statistics(Bleu(), toy())
    cached_statistics(Bleu(lowercase=True), toy())
    cached_statistics(Bleu(), toy(seed=1))
    cached_statistics(Bleu(), toy().only(["A"]))
    monkeypatch.setattr(cache, "_counted_by", lambda package: ["another version"])
    cached_statistics(Bleu(), toy())
    assert len(counted) == len(list(folder.iterdir())) == 5


def test_only_the_user_can_read_it(folder):
    cached_statistics(Bleu(), toy())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(folder).stat().st_mode) == 0o600


# -- memory ---------------------------------------------------------------------------------------


def test_in_one_process_texts_are_counted_once(counted):
    first, again = (cached_statistics(Bleu(), toy()) for _ in range(2))
    assert again is first and len(counted) == 1
    with pytest.raises(ValueError):
        first[0] = 0
    cached_statistics(Bleu(lowercase=True), toy())
    cached_statistics(Bleu(), toy().only(["A"]))
    assert len(counted) == 3


def test_memory_has_the_sets_that_were_used_last(counted, monkeypatch):
    sets = [toy(seed=seed) for seed in range(3)]
    n_bytes = Bleu().statistics(sets[0]).nbytes
    monkeypatch.setattr(STATISTICS_MEMORY, "most", 2 * n_bytes)
    counted.clear()
    for number in (0, 1, 0, 2, 0, 1):  # the third makes the second go
        cached_statistics(Bleu(), sets[number])
    assert counted == [sets[0], sets[1], sets[2], sets[1]]
    cached_statistics(Bleu(), toy(n=60))
    cached_statistics(Bleu(), toy(n=60))  # larger than all room
    cached_statistics(Bleu(), sets[1])
    assert [testset.n_segments for testset in counted[4:]] == [60, 60]


def test_other_metrics_are_always_counted():
    metric = with_statistics(Bleu(), Bleu().statistics(toy()))
    assert cached_statistics(metric, toy()) is not cached_statistics(metric, toy())


# -- damage ---------------------------------------------------------------------------------------


def sealed(key, content):
    return cache._checksum(content, key) + content


ZEROS = np.zeros((2, 12, 10), np.int32)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content, key: b"",
        lambda content, key: content[:-1],
        lambda content, key: content[:10],
        lambda content, key: content + b"\0",
        lambda content, key: b"\x93NUMPY\x01\x00v\x00{'descr': '<i4'}\n" * 100,
        lambda content, key: sealed(
            "0" * 32, encode(ZEROS)
        ),  # sound, but of other texts, another shape, none
        lambda content, key: sealed(key, encode(ZEROS[:, 1:])),
        lambda content, key: sealed(key, encode(["no array"])),
        lambda content, key: sealed(key, encode(ZEROS.astype("<M8[s]"))),
    ],
)
def test_damaged_entries_are_counted_again_and_replaced(folder, counted, capsys, damage):
    expected = cached_statistics(Bleu(), toy())
    path = entry(folder)
    sound = path.read_bytes()
    path.write_bytes(damage(sound, path.stem))
    assert same(cached_statistics(Bleu(), toy()), expected)
    assert len(counted) == 2 and path.read_bytes() == sound
    assert capsys.readouterr() == ("", "")


# -- folders --------------------------------------------------------------------------------------


def a_file(tmp_path):
    (tmp_path / "file").write_text("mine")
    return tmp_path / "file"


def with_a_folder_in_its_place(tmp_path):
    metric, folder = Bleu(), tmp_path / "cache"
    cached_statistics(metric, toy())
    path = entry(folder)
    path.unlink()
    path.mkdir()
    return folder


@pytest.mark.parametrize("unusable", [a_file, with_a_folder_in_its_place], ids=lambda f: f.__name__)
def test_a_folder_that_cannot_be_used_is_no_error(tmp_path, folder, monkeypatch, capsys, unusable):
    monkeypatch.setenv("MTSIG_CACHE", str(unusable(tmp_path)))
    for _ in range(2):
        assert same(cached_statistics(Bleu(), toy()), Bleu().statistics(toy()))
        assert same(
            cached_statistics(make_metric("chrf"), toy()), make_metric("chrf").statistics(toy())
        )
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "MTSIG_CACHE" in err and str(tmp_path) in err


def test_a_mean_of_somebody_elses_metric_is_not_kept(folder):
    class Own(Bleu):
        pass

    toys = replace(toy(), runs={name: [texts] for name, texts in toy().systems.items()})
    for metric in (mean_over_domains(Own()), resolve_metric(toys, Own())):
        assert cache.metric_key(metric, toys) is None
    assert cache.metric_key(resolve_metric(toys, "bleu"), toys) is not None


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch, capsys):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert same(cached_statistics(Bleu(), toy()), Bleu().statistics(toy()))
    assert list(folder.iterdir()) == [] and "No space left" in capsys.readouterr().err


def test_set_to_nothing_it_keeps_nothing(folder, monkeypatch, tmp_path, counted, capsys):
    monkeypatch.setenv("MTSIG_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in range(2):
        cached_statistics(Bleu(), toy())
    assert len(counted) == 2 and list(tmp_path.iterdir()) == [] and capsys.readouterr().err == ""


# -- its size, and several at once ----------------------------------------------------------------


def test_those_not_used_for_longest_make_room(folder, counted, monkeypatch):
    sets = [toy(seed=seed) for seed in range(4)]
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 3 * cache._LEAST)
    for age, testset in enumerate(sets[:3]):
        cached_statistics(Bleu(), testset)
        os.utime(place(testset), (1000 + age, 1000 + age))
    (folder / "notes.txt").write_text("not ours" * cache._LEAST)
    cached_statistics(Bleu(), sets[0])  # used: now the second is the oldest
    cached_statistics(Bleu(), sets[3])
    assert [place(testset).exists() for testset in sets] == [True, False, True, True]
    assert (folder / "notes.txt").exists() and len(counted) == 4


def test_what_is_too_large_is_not_kept(folder, monkeypatch):
    cached_statistics(Bleu(), toy(seed=1))
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 2 * cache._LEAST)
    large = TestSet("large", {"A": ["a"] * 20_000}, {"ref": ["a"] * 20_000})
    cached_statistics(Bleu(), large)
    assert not place(large).exists()


def write_often(number):
    """Count again and again in a cache with too little room, and remove entries; how often a result
    was wrong.
    """
    STATISTICS_MEMORY.most = 0
    cache.MAX_CACHE_BYTES = 3 * cache._LEAST  # so that the processes remove each other's files too
    expected = {seed: Bleu().statistics(toy(seed=seed)) for seed in range(4)}
    wrong = 0
    for k in range(60):
        testset = toy(seed=(k * (number + 1)) % 4)
        wrong += not same(cached_statistics(Bleu(), testset), expected[(k * (number + 1)) % 4])
        if k % 7 == number:
            place(testset).unlink(missing_ok=True)
    return wrong


@pytest.mark.long
def test_two_processes_may_write_at_once(folder):
    code = "import sys; from tests.metrics.test_cache import write_often; sys.exit(write_often({}))"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code.format(number)],
            cwd=Path(__file__).resolve().parents[2],
            stderr=subprocess.PIPE,
        )
        for number in range(2)
    ]
    said = [process.communicate(timeout=600)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0] and said == [b"", b""]
    assert not list(folder.glob(".stats-*")) and list(folder.glob("*.stats"))


def test_no_test_writes_to_the_users_folder():
    assert os.environ["MTSIG_CACHE"] == ""
