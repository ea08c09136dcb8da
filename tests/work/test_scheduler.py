"""Work of many sessions: remembered, shared, watched, in turns, stopped.

What is timed has a clock of its own.
"""

import threading

import pytest

from mtsig_core import Cancelled, SettingError
from pages._work import scheduler
from pages._work.scheduler import _TURN, LEASE, Job, Scheduler, TooLong
from tests.builders.thread_workers import ThreadWorker, Work


@pytest.fixture
def work():
    work = Work()
    yield work
    work.let_go.set()


@pytest.fixture
def works():
    """As many as are asked for."""
    made = []
    yield lambda: made.append(Work()) or made[-1]
    for work in made:
        work.let_go.set()


@pytest.fixture
def queue():
    return Scheduler(ThreadWorker, 2)


@pytest.fixture
def now(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(scheduler.time, "monotonic", lambda: now[0])
    return now


class TestJobs:
    def test_two_sessions_share_one_job(self, queue, work):
        first = queue.watch(("kind", 1), work, "me")
        assert queue.watch(("kind", 1), work, "you") is first
        assert work.started.wait(5)
        work.let_go.set()
        assert first.future.result(5) == 42
        assert work.calls == 1
        assert queue.values.get(("kind", 1)) == 42

    def test_it_stops_when_the_last_one_leaves(self, queue, work):
        job = queue.watch(("kind", 1), work, "me")
        queue.watch(("kind", 1), work, "you")
        queue.leave(("kind", 1), "me")
        assert not work.stopped.wait(0.1)
        queue.leave(("kind", 1), "you")
        assert work.stopped.wait(5)
        with pytest.raises(Cancelled):
            job.future.result(5)
        assert ("kind", 1) not in queue.values

    def test_a_later_question_of_the_same_kind_ends_the_earlier(self, queue, work):
        queue.watch(("kind", 1), work, "me")
        assert work.started.wait(5)
        assert queue.watch(("kind", 2), lambda progress: 7, "me").future.result(5) == 7
        assert work.stopped.wait(5)

    def test_an_error_is_not_remembered(self, queue):
        def fail(progress):
            raise SettingError("no")

        with pytest.raises(SettingError):
            queue.watch(("kind", 1), fail, "me").future.result(5)
        assert queue.watch(("kind", 1), lambda progress: 1, "me").future.result(5) == 1

    def test_parts_are_there_before_the_whole(self, queue):
        seen = threading.Event()

        def work(progress):
            progress.part("en-de", 1)
            progress.part("en-cs", 2)
            progress("told", 0.5)
            return seen.wait(5)

        job = queue.watch(("kind", 1), work, "me")
        while job.stage != "told":
            seen.wait(0.01)
        assert queue.watch(("kind", 1), work, "you").parts == {
            "en-de": 1,
            "en-cs": 2,
        }  # also for who comes later
        seen.set()
        assert job.future.result(5)


class TestTurns:
    """Two places in each lane."""

    def test_short_work_never_waits_for_heavy_work(self, queue, works):
        for me in "abcd":
            queue.watch(("sweep", me), works(), me)
        assert queue.counts() == {"working": 2, "waiting": 2, "kept": 0}
        assert (
            queue.watch(("compare", 1), lambda progress: 7, "e", heavy=False).future.result(5) == 7
        )

    def test_one_session_has_one_place(self, queue, works):
        """Its other work waits, and the next session has the other place."""
        first, second = works(), works()
        a = queue.watch(("sweep", 1), first, "greedy")
        b = queue.watch(("validation", 1), second, "greedy")
        assert second.started.wait(5)
        assert b.at_work
        assert not a.at_work
        assert queue.watch(("pool", 1), lambda progress: 7, "other").future.result(5) == 7

    def test_what_is_asked_last_goes_first_and_the_rest_goes_on_after_it(self, queue, works):
        first = works()
        a = queue.watch(("sweep", 1), first, "me")
        assert first.started.wait(5)
        b = queue.watch(("validation", 1), lambda progress: 7, "me")
        assert b.future.result(5) == 7
        first.let_go.set()
        assert a.future.result(5) == 42
        assert first.calls == 1

    def test_who_returns_to_work_has_it_go_on(self, queue, works):
        first, second = works(), works()
        a = queue.watch(("sweep", 1), first, "me")
        b = queue.watch(("validation", 1), second, "me")
        assert queue.watch(("sweep", 1), first, "me") is a
        assert (a.at_work, b.at_work) == (True, False)
        assert b.describe().startswith("waiting for its turn")

    def test_who_begins_ever_more_keeps_two_that_pause(self, queue, works):
        """For their memory; the one that was left longest ends."""
        held = []
        for k in range(4):
            held.append(queue.watch((f"kind {k}", 1), work := works(), "me"))
            assert work.started.wait(5)
        with pytest.raises(Cancelled):
            held[0].future.result(5)
        assert [job.at_work for job in held[1:]] == [False, False, True]

    def test_work_that_another_wants_too_does_not_pause(self, queue, works):
        a = queue.watch(("sweep", 1), works(), "me")
        queue.watch(("sweep", 1), works(), "you")
        b = queue.watch(("validation", 1), works(), "me")
        assert a.at_work
        assert b.at_work
        assert (a.owner, b.owner) == ("you", "me")

    def test_sessions_take_turns(self, works):
        """However much the first has asked for."""
        queue, order, gate = Scheduler(ThreadWorker, 1), [], works()
        queue.watch(("hold", 0), gate, "z")
        assert gate.started.wait(5)
        waiting = [
            queue.watch((f"kind {k}", me), lambda progress, me=me: order.append(me), me)
            for k, me in enumerate("aaab")
        ]
        gate.let_go.set()
        for job in waiting:
            job.future.result(5)
        assert order[:2] == ["a", "b"]
        assert order[2:] == ["a", "a"]

    def test_who_has_had_the_place_for_long_pauses_for_another_session_and_goes_on(
        self, now, works
    ):
        queue, long, quick = Scheduler(ThreadWorker, 1), works(), works()
        quick.let_go.set()
        a = queue.watch(("validation", 1), long, "greedy")
        assert long.started.wait(5)
        b = queue.watch(("pool", 1), quick, "other")
        assert (a.at_work, b.at_work) == (True, False)
        now[0] += _TURN
        queue.look()
        assert b.future.result(5) == 42
        long.let_go.set()
        assert a.future.result(5) == 42
        assert long.calls == quick.calls == 1

    def test_not_more_than_two_for_a_place_pause_for_others(self, now, works):
        """For their memory; the rest waits until one ends."""
        queue = Scheduler(ThreadWorker, 1)
        held = [queue.watch(("validation", me), works(), me) for me in "abcd"]
        begun = set()
        for _ in range(9):
            begun |= {job.key[1] for job in held if job.at_work}
            now[0] += _TURN
            queue.look()
        assert begun == {"a", "b", "c"}
        queue.leave(held[0].key, "a")
        with pytest.raises(Cancelled):
            held[0].future.result(5)
        for _ in range(3):
            now[0] += _TURN
            queue.look()
            begun |= {job.key[1] for job in held if job.at_work}
        assert "d" in begun


class TestLease:
    def test_what_the_last_tab_wanted_ends_soon_after_it_has_closed(self, now, works):
        """Also what still waits or pauses; a reload does not end it."""
        there, made = {"me", "you"}, [works() for _ in range(3)]
        queue = Scheduler(ThreadWorker, 1, is_open=there.__contains__)
        held = [
            queue.watch((f"kind {k}", 1), work, me)
            for k, (work, me) in enumerate(zip(made, ("me", "me", "you"), strict=True))
        ]
        queue.watch(held[2].key, made[2], "me")  # two want it
        there.remove("me")
        queue.look()
        assert not any(job.future.done() for job in held)
        now[0] += LEASE
        queue.look()
        for job in held[:2]:
            with pytest.raises(Cancelled):
                job.future.result(5)
        assert made[2].started.wait(5)
        assert not held[2].future.done()
        there.clear()
        now[0] += LEASE
        queue.look()
        with pytest.raises(Cancelled):
            held[2].future.result(5)
        assert queue.counts() == {"working": 0, "waiting": 0, "kept": 0}


class TestLongWork:
    """With a clock that only the work moves."""

    @pytest.fixture
    def clock(self, monkeypatch):
        now = [0.0]
        monkeypatch.setattr(scheduler.time, "monotonic", lambda: now[0])
        return now

    @staticmethod
    def done(clock, *stages, longest=61.0, steps=100, load=0.0):
        """Stages of so many seconds each; what the first step loads takes longer."""
        job = Job(("kind", 1), None, True, longest)
        job.receive("progress", "", 0.0)
        clock[0] += load
        for k, seconds in enumerate(stages):
            for step in range(steps + 1):
                job.receive("progress", f"stage {k}", step / steps)
                clock[0] += seconds / steps + load * (step == 0)

    @pytest.mark.parametrize(
        "stages, steps, load",
        [
            ((59.0,), 100, 0.0),
            ((20.0, 20.0, 19.0), 100, 0.0),
            ((5.0,), 100, 4.0),
            ((0.0, 50.0), 3, 0.0),
        ],
    )
    def test_what_takes_less_than_it_may_is_done(self, clock, stages, steps, load):
        self.done(clock, *stages, steps=steps, load=load)

    @pytest.mark.parametrize(
        "stages, steps, load",
        [
            ((63.0,), 100, 0.0),
            ((10.0, 600.0), 100, 0.0),
            ((20.0, 43.0), 100, 0.0),
            ((1e5,), 10_000, 3.0),
        ],
    )
    def test_what_takes_longer_ends_soon_and_says_how_long_it_would_take(
        self, clock, stages, steps, load
    ):
        with pytest.raises(TooLong) as stopped:
            self.done(clock, *stages, steps=steps, load=load)
        assert clock[0] <= 30 + 2 * load
        assert stopped.value.seconds == pytest.approx(sum(stages), rel=0.05, abs=7)

    def test_work_of_more_than_half_a_minute_is_not_thrown_away(self, clock):
        """Its last stage is longer than the others let expect: it goes on."""
        self.done(clock, 31.0, 300.0)

    def test_a_pause_takes_no_time(self, clock):
        job = Job(("kind", 1), None, True)
        job.worker = ThreadWorker()
        for share, pause in ((0.1, 0), (0.2, 1000), (0.3, 0)):
            job.receive("progress", "stage", share)
            job.pause()
            clock[0] += pause
            job.resume()
            clock[0] += 1
        assert job.estimate_rest(clock[0] - 1) == pytest.approx(7)

    def test_it_ends_with_the_message_of_its_work(self, queue, clock):
        """And is expected to take as long from then on."""

        def work(progress):
            for step in range(101):
                progress("stage", step / 100)
                clock[0] += 3

        job = queue.watch(("kind", 1), work, "me", longest=61.0)
        with pytest.raises(TooLong) as stopped:
            job.future.result(5)
        assert queue.expected.get(("kind", 1)) == stopped.value.seconds
        assert ("kind", 1) not in queue.values


def test_work_that_reports_nothing_ends_when_its_time_is_over(monkeypatch):
    queue, work = Scheduler(ThreadWorker, 1, most_seconds=60.0), Work()
    job = queue.watch(("kind", 1), work, "me")
    assert work.started.wait(30)
    now = scheduler.time.monotonic() + 61
    monkeypatch.setattr(scheduler.time, "monotonic", lambda: now)
    queue.look()
    with pytest.raises(TooLong) as stopped:
        job.future.result(30)
    assert 60 < stopped.value.seconds < 90
    assert work.stopped.is_set()
