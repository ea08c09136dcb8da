"""Work in the background of a page: progress, Cancel, and once more."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from pages._ui import background
from pages._work import scheduler
from pages._work.scheduler import Scheduler
from pages._work.worker_pool import Died
from tests.builders.thread_workers import ThreadWorker, Work


def page():
    import streamlit as st

    from mtsig_core import MtsigError
    from pages._ui import address, background
    from pages._ui.screen import PageEnded

    address.begin("page")
    try:
        value = background.result(
            ("page", 1), st.session_state["work"], "Thinking", st.session_state.get("meanwhile")
        )
        st.write(f"the value is {value}")
    except MtsigError as problem:
        st.write(str(problem))
    except PageEnded:  # as the frame has it
        pass


def shown(at):
    return " ".join([*(m.value for m in at.markdown), *(h.proto.body for h in at.get("html"))])


def test_a_first_run_that_another_breaks_off_begins_again():
    def begun():
        import streamlit as st

        from pages._ui import address

        if not st.session_state.get("broken"):
            st.session_state["broken"] = True
            st.session_state[address._KEPT] = {}  # where the first run came to
        address.begin("page")
        st.write(f"page {address.page()}")

    at = AppTest.from_function(begun).run()
    assert not at.exception
    assert shown(at) == "page page"


class TestOnAPage:
    @pytest.fixture(autouse=True)
    def queue(self, monkeypatch):
        monkeypatch.setattr(background, "_SCHEDULER", Scheduler(ThreadWorker))

    @pytest.fixture
    def work(self):
        work = Work()
        yield work
        work.let_go.set()

    def test_work_that_gives_nothing_is_done_once(self):
        calls = []
        at = AppTest.from_function(page)
        at.session_state["work"] = lambda progress: calls.append(1)
        for _ in range(2):
            assert "the value is None" in shown(at.run())
        assert calls == [1]

    def test_quick_work_is_just_there(self, work):
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        work.let_go.set()
        assert "the value is 42" in shown(at.run())
        assert "the value is 42" in shown(at.run())
        assert work.calls == 1

    def test_a_value_that_loses_its_place_meanwhile_is_shown_all_the_same(self, work, monkeypatch):
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        work.let_go.set()
        at.run()
        place = background.keep_place

        def while_others_keep_theirs(*args):
            for k in range(200):
                background._SCHEDULER.values.keep(k, k)
            return place(*args)

        monkeypatch.setattr(background, "keep_place", while_others_keep_theirs)
        assert "the value is 42" in shown(at.run())
        assert work.calls == 1

    def test_slow_work_shows_progress_until_it_is_done(self, monkeypatch, work):
        shown_meanwhile = []

        def work(progress):
            """Ends when the page has shown how far it is."""
            progress("working", 0.5)
            assert seen.wait(30)
            return 42

        def plain(text):
            shown_meanwhile.append(text)
            if "50%" in text:
                seen.set()

        seen = threading.Event()
        monkeypatch.setattr(background, "PATIENCE", 0)
        monkeypatch.setattr(background.screen, "plain", plain)
        at = AppTest.from_function(page, default_timeout=600)
        at.session_state["work"] = work
        assert "the value is 42" in shown(at.run())
        assert "Thinking: working, 50%" in shown_meanwhile
        assert not at.button
        assert not at.exception

    def test_what_is_there_is_drawn_at_once_and_again_only_with_news(self, monkeypatch, work):
        def work(progress):
            for k in range(3):
                progress.part(k, k)
                assert seen.acquire(timeout=300)
            return 42

        def meanwhile(parts):
            drawn.append(list(parts))
            seen.release()

        drawn, seen = [], threading.Semaphore(0)
        monkeypatch.setattr(background, "PATIENCE", 0)
        at = AppTest.from_function(page, default_timeout=600)
        at.session_state["work"], at.session_state["meanwhile"] = work, meanwhile
        assert "the value is 42" in shown(at.run())
        assert not at.exception
        assert drawn == [[0], [0, 1], [0, 1, 2]]

    def test_what_was_cancelled_is_run_only_when_asked(self, work):
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        at.session_state["background.cancelled"] = {("page", 1)}
        assert "Thinking: cancelled" in shown(at.run())
        assert "the value" not in shown(at)
        assert work.calls == 0
        work.let_go.set()
        [again] = at.button
        assert "the value is 42" in shown(again.click().run())
        assert not at.button
        assert not at.exception

    @pytest.mark.parametrize(
        ("ended_by", "said"), [(MemoryError, "MTSIG_WORKER_MB"), (Died, "memory ran out")]
    )
    def test_too_little_memory_is_a_message_and_the_next_try_works(self, work, ended_by, said):
        def fail(progress):
            raise ended_by

        at = AppTest.from_function(page)
        at.session_state["work"] = fail
        assert said in shown(at.run())
        assert not at.exception
        at.session_state["work"] = work
        work.let_go.set()
        assert "the value is 42" in shown(at.run())

    def test_what_would_take_longer_than_a_minute_asks_first(self, monkeypatch, work):
        """And does not begin again while it waits for the answer."""
        now, begun = [0.0], []

        def work(progress):
            begun.append(now[0])
            for step in range(101):
                progress("working", step / 100)
                now[0] += 3.0
            return 42

        monkeypatch.setattr(background, "LONGEST", 60.0)
        monkeypatch.setattr(scheduler.time, "monotonic", lambda: now[0])
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        for _ in range(2):
            assert "Thinking would take about 5 min." in shown(at.run())
            assert "the value" not in shown(at)
            assert len(begun) == 1
            assert now[0] < 10
        [run] = at.button
        assert run.label == "Run it: about 5 min"
        assert "the value is 42" in shown(run.click().run())
        assert not at.button
        assert not at.exception
        assert len(begun) == 2

    def test_what_would_take_longer_than_the_server_allows_is_not_offered(self, monkeypatch, work):
        now = [0.0]

        def work(progress):
            for step in range(101):
                progress("working", step / 100)
                now[0] += 3.0

        monkeypatch.setenv("MTSIG_WORKER_MINUTES", "4")
        monkeypatch.setattr(background, "LONGEST", 60.0)
        monkeypatch.setattr(scheduler.time, "monotonic", lambda: now[0])
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        for _ in range(2):
            said = shown(at.run())
            assert (
                "Thinking would take about 5 min. This server gives one piece of work 4 min" in said
            )
            assert "(MTSIG_WORKER_MINUTES)" in said
            assert not at.button
            assert not at.exception
