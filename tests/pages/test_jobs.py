"""Work in threads: remembered, shared, watched, stopped."""

import threading

import pytest

from mtsig_core import Cancelled, SettingError
from pages._ui import jobs
from pages._ui.jobs import Memory, Office, TooLong


class Work:
    """Work that goes on until it is let go, looking at its progress all the while."""

    def __init__(self):
        self.started, self.let_go, self.stopped, self.calls = (*(threading.Event() for _ in range(3)), 0)

    def __call__(self, progress):
        self.calls += 1
        self.started.set()
        try:
            while not self.let_go.wait(0.01):
                progress("working", 0.5)
        except Cancelled:
            self.stopped.set()
            raise
        return 42


@pytest.fixture
def work():
    work = Work()
    yield work
    work.let_go.set()


@pytest.fixture
def office():
    return Office()


class TestMemory:
    def test_what_was_used_last_stays(self):
        memory = Memory(2)
        memory.keep("a", 1)
        memory.keep("b", 2)
        assert memory.get("a") == 1
        memory.keep("c", 3)
        assert [key for key in "abc" if key in memory] == ["a", "c"]
        assert memory.get("b") is None


class TestJobs:
    def test_two_sessions_share_one_job(self, office, work):
        first = office.watch(("kind", 1), work, "me")
        assert office.watch(("kind", 1), work, "you") is first
        assert work.started.wait(5)
        work.let_go.set()
        assert first.future.result(5) == 42
        assert work.calls == 1
        assert office.values.get(("kind", 1)) == 42

    def test_it_stops_when_the_last_one_leaves(self, office, work):
        job = office.watch(("kind", 1), work, "me")
        office.watch(("kind", 1), work, "you")
        office.leave(("kind", 1), "me")
        assert not work.stopped.wait(0.1)
        office.leave(("kind", 1), "you")
        assert work.stopped.wait(5)
        with pytest.raises(Cancelled):
            job.future.result(5)
        assert ("kind", 1) not in office.values

    def test_a_later_question_of_the_same_kind_ends_the_earlier(self, office, work):
        office.watch(("kind", 1), work, "me")
        assert work.started.wait(5)
        assert office.watch(("kind", 2), lambda progress: 7, "me").future.result(5) == 7
        assert work.stopped.wait(5)

    def test_another_kind_leaves_it_alone(self, office, work):
        job = office.watch(("kind", 1), work, "me")
        assert office.watch(("other", 2), lambda progress: 7, "me").future.result(5) == 7
        work.let_go.set()
        assert job.future.result(5) == 42

    def test_after_a_cancel_it_may_start_anew(self, office, work):
        office.watch(("kind", 1), work, "me")
        assert work.started.wait(5)
        office.leave(("kind", 1), "me")
        again = office.watch(("kind", 1), lambda progress: 43, "me")
        assert again.future.result(5) == 43
        assert work.stopped.wait(5)

    def test_an_error_is_not_remembered(self, office):
        def fail(progress):
            raise SettingError("no")

        with pytest.raises(SettingError):
            office.watch(("kind", 1), fail, "me").future.result(5)
        assert office.watch(("kind", 1), lambda progress: 1, "me").future.result(5) == 1


class TestLongWork:
    """With a clock that only the work moves."""

    @pytest.fixture
    def clock(self, monkeypatch):
        now = [0.0]
        monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
        return now

    @staticmethod
    def work(clock, *stages, steps=100, load=0.0):
        """Stages of so many seconds each; what the first step loads takes longer."""
        def run(progress):
            clock[0] += load
            for k, seconds in enumerate(stages):
                for step in range(steps + 1):
                    progress(f"stage {k}", step / steps)
                    clock[0] += seconds / steps + load * (step == 0)
            return clock[0]

        return run

    @pytest.mark.parametrize("stages, steps, load", [
        ((59.0,), 100, 0.0), ((20.0, 20.0, 19.0), 100, 0.0), ((5.0,), 100, 4.0), ((0.0, 50.0), 3, 0.0)])
    def test_what_takes_less_than_it_may_is_done(self, office, clock, stages, steps, load):
        job = office.watch(("kind", 1), self.work(clock, *stages, steps=steps, load=load), "me", longest=61.0)
        assert job.future.result(5) >= sum(stages) and office.expected.get(("kind", 1)) is None

    @pytest.mark.parametrize("stages, steps, load", [
        ((63.0,), 100, 0.0), ((10.0, 600.0), 100, 0.0), ((20.0, 43.0), 100, 0.0), ((1e5,), 10_000, 3.0)])
    def test_what_takes_longer_ends_soon_and_says_how_long_it_would_take(self, office, clock, stages, steps, load):
        job = office.watch(("kind", 1), self.work(clock, *stages, steps=steps, load=load), "me", longest=61.0)
        with pytest.raises(TooLong) as stopped:
            job.future.result(5)
        assert clock[0] <= 30 + 2 * load and ("kind", 1) not in office.values
        assert stopped.value.seconds == office.expected.get(("kind", 1)) == pytest.approx(sum(stages), rel=0.05, abs=7)

    def test_a_share_of_all_is_timed_over_its_stages(self, office, clock):
        """Language pairs of a task, quick and slow in turn: what is left is of all of them."""
        said = []

        def run(progress):
            for k in range(40):
                progress(f"pair {k}", k / 40)
                said.append(job.told())
                clock[0] += 1 if k % 2 else 3

        job = jobs.Job("me")
        run(job.progress)
        assert said[10] == "pair 10, 25%, about 57 s left" and said[20] == "pair 20, 50%, about 39 s left"

    def test_who_asked_for_it_gets_it(self, office, clock):
        job = office.watch(("kind", 1), self.work(clock, 600.0), "me")
        assert job.future.result(5) >= 600

    def test_work_of_more_than_half_a_minute_is_not_thrown_away(self, office, clock):
        """Its last stage is longer than the others let expect: it goes on."""
        job = office.watch(("kind", 1), self.work(clock, 31.0, 300.0), "me", longest=61.0)
        assert job.future.result(5) >= 331
