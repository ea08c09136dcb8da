"""The same results wherever the work is done: in threads, in processes, on the machines of a
cluster.
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from distributed import Client

from mtsig_core import SettingError, TestSet, compare, compare_task
from mtsig_core.cli.main import main
from mtsig_core.errors import ClusterError
from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.stats import across, parallel
from mtsig_core.stats.kept_tasks import KeptDraws
from mtsig_core.stats.parallel import on_cluster, run_in_order, runs_elsewhere
from mtsig_core.task import Task
from pages._work.worker_pool import computed
from tests.builders.rendered import task_json

LIMIT = 120  # seconds that anything may take
RNG = np.random.default_rng(3)
WORDS = np.array(list("abcdefgh"))
REFERENCE = [" ".join(RNG.choice(WORDS, 12)) for _ in range(30)]
SET = TestSet(
    "toy",
    {
        name: [" ".join(np.where(RNG.random(12) < wrong, "x", line.split())) for line in REFERENCE]
        for name, wrong in (("A", 0.1), ("B", 0.15), ("C", 0.3))
    },
    {"ref": REFERENCE},
)


def results():
    found = compare(SET, metrics=["bleu", "nist"], trials=999, resamples=300)
    swept = sweep_sizes(SET, "bleu", sizes=[10, 20], repeats=3, resamples=99)
    return {name: result.pairs for name, result in found.metrics.items()}, swept.pairs


@contextmanager
def process(ready, *command):
    """Start one of Dask's commands; gives it, and the line with which it says that it is ready."""
    with tempfile.TemporaryFile("w+") as said:  # not a pipe: one that nobody reads is full some day
        started = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{command[0]}", *command[1:]], stderr=said
        )
        try:
            until = time.monotonic() + LIMIT
            while not (
                lines := [line for line in read(said) if ready in line and line.endswith("\n")]
            ):
                assert started.poll() is None and time.monotonic() < until, "".join(read(said))
                time.sleep(0.02)
            yield started, lines[0]
        finally:
            started.kill()
            started.wait(LIMIT)


def read(file):
    return open(f"/proc/self/fd/{file.fileno()}").readlines()


@contextmanager
def machines():
    """The address of a scheduler with two workers on this machine, its process, and those of the
    workers.
    """
    with ExitStack() as started:
        scheduler, line = started.enter_context(
            process(
                "Scheduler at:",
                "dask_scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                "--no-show",
            )
        )
        address = line.split()[-1]
        workers = [
            started.enter_context(
                process(
                    "Registered to",
                    "dask_worker",
                    address,
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--host",
                    "127.0.0.1",
                )
            )[0]
            for _ in range(2)
        ]
        yield address, scheduler, workers


@pytest.fixture(scope="module")
def cluster():
    with machines() as (address, _, workers):
        yield address, workers


@pytest.mark.long
def test_the_work_is_done_on_the_cluster(cluster):
    with on_cluster(cluster[0]):
        assert os.getpid() not in run_in_order(lambda _: os.getpid(), 3)
    assert set(run_in_order(lambda _: os.getpid(), 3, jobs=2)) == {os.getpid()}


@pytest.mark.long
def test_what_a_task_raises_comes_through_and_is_not_tried_again(cluster, tmp_path):
    def task(k):
        with open(tmp_path / "calls", "a") as file:
            file.write(f"{k}\n")
        if k == 3:
            raise SettingError("Too few.", {"trials": "99"})
        return k

    with on_cluster(cluster[0]):
        with pytest.raises(SettingError, match="Too few.") as caught:
            list(run_in_order(task, 40))
        assert caught.value.remedies == ({"trials": "99"},)
        assert list(run_in_order(lambda k: -k, 5)) == [0, -1, -2, -3, -4]  # all goes on
    assert (tmp_path / "calls").read_text().split().count("3") == 1


@pytest.mark.long
def test_the_language_pairs_of_a_task_are_compared_on_the_cluster(cluster, tmp_path, monkeypatch):
    task = Task(
        "toy",
        {
            pair: SET.take(range(first, 30))
            for first, pair in enumerate(("en-de", "en-cs", "en-zh"))
        },
    )
    seen = []

    def compared(cache):
        monkeypatch.setenv("MTSIG_CACHE", cache and str(tmp_path / cache))
        return task_json(
            compare_task(
                task,
                ["bleu"],
                on_pair=lambda pair, one: seen.append((*one.metrics, pair)),
                trials=99,
                resamples=50,
                rank_rule="overlap",
                cache=KeptDraws(),
            )
        )

    here = compared("")
    with on_cluster(cluster[0]):
        assert compared("") == compared("cluster") == here
        monkeypatch.setattr(across, "_draw_elsewhere", lambda *_: pytest.fail("sent again"))
        assert compared("cluster") == here
    assert (
        compared("cluster") == here
        and sorted(seen) == sorted(5 * [*dict.fromkeys(seen)])
        and len(seen) == 15
    )


@pytest.mark.long
def test_heavy_work_of_the_dashboard_goes_to_the_cluster_that_is_named(cluster, monkeypatch):
    monkeypatch.setenv("MTSIG_DASK", cluster[0])
    assert [computed(lambda _: runs_elsewhere(), None, heavy) for heavy in (True, False)] == [
        True,
        False,
    ]
    monkeypatch.setenv("MTSIG_DASK", " ")
    assert not computed(lambda _: runs_elsewhere(), None, True)


@pytest.mark.long
def test_the_command_line_computes_on_a_cluster(cluster, capsys):
    command = [
        "validate",
        "type1",
        "--demo-segments",
        "60",
        "--pairs",
        "4",
        "--trials",
        "99",
        "--format",
        "json",
    ]
    assert main(command) == 0
    here = capsys.readouterr().out
    assert main([*command, "--dask", cluster[0]]) == 0
    assert capsys.readouterr().out == here


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(parallel, "_PATIENCE", 0.2)
    for address in ("tcp://127.0.0.1:1", "nowhere", "tcp://127.0.0.1:x"):
        with (
            pytest.raises(SettingError, match=f"No Dask scheduler answers at {address}"),
            on_cluster(address),
        ):
            pass


@pytest.mark.parametrize("said", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"])
def test_another_server_is_taken_for_no_scheduler(monkeypatch, said):
    """One that says nothing, and one whose first words Dask takes for the length of what comes."""
    monkeypatch.setattr(parallel, "_PATIENCE", 0.2)
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        threading.Thread(
            target=lambda: stack.enter_context(server.accept()[0]).sendall(said), daemon=True
        ).start()
        with (
            pytest.raises(SettingError, match=f"No Dask scheduler answers at {address}"),
            on_cluster(address),
        ):
            pass


@pytest.mark.long
def test_workers_of_another_version_are_named(cluster, monkeypatch):
    monkeypatch.setattr(parallel, "__version__", "99.0")
    with (
        pytest.raises(SettingError, match=r"has mtsig .*, and this is 99\.0"),
        on_cluster(cluster[0]),
    ):
        pass


@pytest.mark.long
def test_a_cluster_gives_what_one_thread_gives_also_when_a_machine_dies(cluster, monkeypatch):
    address, workers = cluster
    here = results()
    monkeypatch.setattr(parallel, "_AT_ONCE", 1)
    with on_cluster(address):
        assert results() == here
        killed = []

        def progress(stage, share):  # of many blocks the first are done
            if stage.endswith("test") and not killed:
                killed.append(workers[0].kill())

        there = compare(SET, metrics=["bleu", "nist"], trials=999, resamples=300, progress=progress)
    assert killed and {name: result.pairs for name, result in there.metrics.items()} == here[0]
    with Client(address) as client:
        assert len(client.ncores()) == 1


@pytest.mark.long
def test_a_cluster_that_is_lost_is_named(monkeypatch, tmp_path):
    begun = tmp_path / "begun"

    def task(k):
        begun.touch()
        time.sleep(LIMIT)

    with machines() as (address, scheduler, _):

        def kill():
            while not begun.exists():
                time.sleep(0.02)
            scheduler.kill()

        threading.Thread(target=kill, daemon=True).start()
        monkeypatch.setenv("MTSIG_DASK", address)
        with pytest.raises(
            ClusterError, match=f"the Dask cluster at {address} lost its.* MTSIG_DASK names"
        ):
            computed(lambda _: list(run_in_order(task, 9)), None, True)
