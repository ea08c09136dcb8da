"""Work in processes of its own: what goes there, what comes back, and that none is left."""

import os
import select
import signal
import subprocess
import sys
import threading
from fractions import Fraction

import pytest

from mtsig_core import SettingError, TestSet
from pages._work import worker_pool
from pages._work.scheduler import TooLong
from pages._work.worker_pool import Died, WorkerPool, packed
from tests.builders.screens import APP

LIMIT = 120  # seconds, for what never comes at all
#: A server with one worker that works and one that pauses.
SERVER = """
import threading, time
from pages._work.worker_pool import WorkerPool

def work(progress):
    progress.part("here", None)
    time.sleep(1000)

pool = WorkerPool(loads=False)
for pauses in (False, True):
    here, worker = threading.Event(), pool(True)
    threading.Thread(target=worker.run, args=(work, lambda *told: here.set()), daemon=True).start()
    here.wait()
    if pauses:
        worker.pause()
print("working", flush=True)
time.sleep(1000)
"""


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTSIG_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield (pool := WorkerPool(loads=False))
        pool._line.close()  # it ends when nobody can ask it any more
        pool._process.wait(LIMIT)


@pytest.fixture(scope="module")
def toy():
    words = ["the", "small", "cat", "sat", "on", "a", "mat", "and", "saw", "a", "dog"]
    ref = [" ".join(words[k % 7 : k % 7 + 5]) for k in range(20)]
    return TestSet("toy", {"A": ref, "B": ref[3:] + ref[:3]}, {"ref": ref})


def ignore(*told):
    pass


def test_work_is_done_elsewhere_without_streamlit(pool, toy):
    def work(progress):
        return os.getpid(), "streamlit" in sys.modules, toy

    worker = pool(True)
    pid, streamlit, seen = worker.run(work, ignore)
    assert pid != os.getpid()
    assert not streamlit
    assert worker.weight > 500
    assert seen.digest == toy.digest
    assert seen.systems == toy.systems


def test_ctrl_c_is_for_the_server_alone(pool):
    """As soon as a process starts: an import that it interrupts would tell of itself in fifty
    lines.
    """
    held = {signal.SIGINT} <= pool(False).run(
        lambda progress: signal.pthread_sigmask(signal.SIG_BLOCK, ()), ignore
    )
    assert held
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_test_set_is_sent_with_its_digest_and_pickled_once(toy, monkeypatch):
    alone, toy_again = toy.only(["A"]), toy.only(["A", "B"])
    first = packed(lambda progress: [toy, alone])
    monkeypatch.setattr(worker_pool, "_Chunks", None)
    again = packed(lambda progress: [toy, toy_again, alone])
    assert again[:3] == first[:3]
    assert first[0] == b"2"
    assert len(first[3]) < 1500


def test_progress_and_parts_come_as_it_goes(pool):
    def work(progress):
        for step in range(1000):
            progress("first", step / 1000)
        progress("second", 0.0)
        progress.part("en-de", [1, 2])

    told = []
    assert pool(False).run(work, lambda *each: told.append(each)) is None
    assert told[0] == ("progress", "first", 0.0)
    assert told[-2:] == [("progress", "second", 0.0), ("part", "en-de", [1, 2])]
    assert len(told) < 500  # not each time is told


@pytest.mark.parametrize(
    "error", [SettingError("no", {"test": "ar"}), TooLong(90.0), MemoryError()]
)
def test_errors_arrive_as_themselves(pool, error):
    def fail(progress):
        raise error

    with pytest.raises(type(error)) as found:
        pool(True).run(fail, ignore)
    assert str(found.value) == str(error)
    assert vars(found.value).items() >= vars(error).items()


@pytest.mark.long
def test_what_nobody_expected_says_where_it_happened(pool):
    class Odd(Exception):
        def __init__(self, one, two):
            super().__init__("odd")

    def fail(progress):
        raise Odd(1, 2)  # which can be written and not read

    with pytest.raises(RuntimeError, match="Odd"):
        pool(True).run(fail, ignore)
    with pytest.raises(ZeroDivisionError) as found:
        pool(True).run(lambda progress: Fraction(1, 0), ignore)
    assert (
        "fractions.py" in found.value.__notes__[0]
    )  # of what is sent by value the file may be lost
    with pytest.raises(TypeError, match="pickle"):  # a value that cannot be sent
        pool(True).run(lambda progress: threading.Lock(), ignore)


def test_one_that_is_killed_says_so_and_the_next_one_works(pool):
    with pytest.raises(Died, match="memory ran out"):
        pool(True).run(lambda progress: os.kill(os.getpid(), signal.SIGKILL), ignore)
    assert pool(True).run(lambda progress: 42, ignore) == 42
    pool._process.kill()  # and where all that it was forked from is gone
    pool._process.wait(LIMIT)
    assert pool(True).run(lambda progress: 42, ignore) == 42


def test_what_nobody_wants_any_more_ends(pool):
    """At once, also before it has begun, and though it looks at nothing and pauses."""

    def work(progress):
        progress.part("here", subprocess.Popen(["sleep", "1000"]).pid)
        threading.Event().wait()

    worker, started = pool(True), []

    def stop(kind, name, pid):
        started.append(os.pidfd_open(pid))
        worker.pause()
        worker.kill()

    for tell in (stop, None):  # the second never begins
        with pytest.raises(Died):
            worker.run(work, tell)
    assert select.select(started, [], [], LIMIT)[0] == started  # what it started has ended too


def test_one_that_is_to_pause_before_it_has_begun_pauses(pool):
    worker, told, done, stopped = pool(True), [], [], threading.Event()
    worker.pause()
    send = worker._signal
    worker._signal = lambda number: send(number) or number == signal.SIGSTOP and stopped.set()
    thread = threading.Thread(
        target=lambda: done.append(worker.run(lambda _: 42, lambda *one: told.append(one)))
    )
    thread.start()
    assert stopped.wait(LIMIT)
    assert not done
    assert not told
    worker.resume()
    thread.join(LIMIT)
    assert done == [42]


def priorities(progress):
    """Of work, before and after its time has come, and then of another thread of it."""

    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    here, found = threading.Event(), []
    thread = threading.Thread(target=lambda: here.wait(LIMIT) and found.append(priority()))
    thread.start()
    before = priority()
    [late] = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    late.function(*late.args)  # its time has come
    here.set()
    thread.join()
    return before, priority(), *found


@pytest.mark.long
def test_what_takes_long_leaves_the_cores_to_all_else(pool):
    light, heavy = pool(False).run(priorities, ignore), pool(True).run(priorities, ignore)
    last = os.getpriority(os.PRIO_PROCESS, 0) + 14
    assert light[0] < heavy[0] < light[1]
    assert light[1:] == heavy[1:] == (last, last)


def test_where_nothing_is_kept_counts_are_while_the_server_runs(monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", "")
    pool = WorkerPool(loads=False)
    pool.start()
    pool._process.kill()
    assert os.path.isdir(os.environ["MTSIG_CACHE"])
    pool._folder.cleanup()


def test_no_process_outlives_the_server():
    """However it ends. All of them hold its standard output."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=APP.parent, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout.readline() == "working\n"
        server.kill()
        assert server.communicate(timeout=LIMIT)[0] == ""


@pytest.mark.long
def test_work_that_needs_too_much_memory_ends_and_the_next_is_done(pool, monkeypatch):
    """Though the machine has more: what one piece of work takes is bounded."""
    import numpy as np

    def work(progress):
        return np.ones(800 << 17).sum()  # 800 MB

    pool._line.close()  # another process, which knows the limit
    pool._process.wait(LIMIT)
    monkeypatch.setenv("MTSIG_WORKER_MB", "400")
    for _ in range(2):
        with pytest.raises(MemoryError):  # of which a result may have a sixteenth
            pool(True).run(lambda progress: np.ones(26 << 17), ignore)
        with pytest.raises(MemoryError):
            pool(True).run(work, ignore)
    assert pool(True).run(lambda progress: np.ones(200 << 17).sum(), ignore) == 200 << 17
    pool._line.close()
    pool._process.wait(LIMIT)
    monkeypatch.delenv("MTSIG_WORKER_MB")
    assert pool(True).run(work, ignore) == 800 << 17
