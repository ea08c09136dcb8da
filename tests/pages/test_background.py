"""Work in the background of a page: progress, Cancel, and once more."""

import pytest
from streamlit.testing.v1 import AppTest

from mtsig_core.jobs import Office
from pages._ui import background
from tests.test_jobs import Work


def page():
    import streamlit as st

    from mtsig_core import MtsigError
    from pages._ui import background

    try:
        value = background.result(("page", 1), st.session_state["work"], "Thinking")
        st.write(f"the value is {value}")
    except MtsigError as problem:
        st.write(str(problem))


def shown(at):
    return " ".join([*(m.value for m in at.markdown), *(h.proto.body for h in at.get("html"))])


class TestOnAPage:
    @pytest.fixture
    def work(self, monkeypatch):
        monkeypatch.setattr(background, "_OFFICE", Office())
        work = Work()
        yield work
        work.let_go.set()

    def test_quick_work_is_just_there(self, work):
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        work.let_go.set()
        assert "the value is 42" in shown(at.run())
        assert "the value is 42" in shown(at.run())
        assert work.calls == 1

    def test_slow_work_shows_progress_and_can_be_cancelled_and_run_again(self, work, monkeypatch):
        monkeypatch.setattr(background, "PATIENCE", 0.3)
        at = AppTest.from_function(page)
        at.session_state["work"] = work
        at.run()
        assert "Thinking: working, 50%" in shown(at)
        assert "the value" not in shown(at)
        at.button(key="background.cancel").click().run()
        assert work.stopped.wait(5)
        at.run()
        assert "Thinking: cancelled" in shown(at)
        work.let_go.set()
        at.button(key="background.again").click().run()
        assert "the value is 42" in shown(at)
        assert not at.exception

    def test_too_little_memory_is_a_message(self, work):
        def fail(progress):
            raise MemoryError

        at = AppTest.from_function(page)
        at.session_state["work"] = fail
        assert "not enough memory" in shown(at.run())
