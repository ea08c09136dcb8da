"""All that the tests know of Streamlit's own parts, beside what it sends and what its AppTest is
for.
"""

import functools
from contextlib import contextmanager

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import app_test, local_script_runner
from streamlit.util import calc_hash


class Pages(PagesManager):
    """One that AppTest may reset: a server looks for the pages of dashboards without a frame in its
    first run alone.
    """


def _ended(runner, timeout):
    """Wait for a run of a page.

    Streamlit looks a thousand times a second, which slows down what it waits for.
    """
    runner._script_thread.join(timeout)
    assert runner.script_stopped(), f"a page took more than {timeout} seconds"


@contextmanager
def as_a_server_that_runs():
    """What a server does once, AppTest does for each run of each page: more than half the time of
    its tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner,
            "scan_component_manifests",  # looks through all that is installed
            functools.cache(manifest_scanner.scan_component_manifests),
        )
        patch.setattr(app_test, "PagesManager", Pages)
        compiled = ScriptCache()
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", _ended)
        yield


class Page(app_test.AppTest):
    """A page of the dashboard: whatever is done on it, it must not fail."""

    def _run(self, *args, **options):
        page = super()._run(*args, **options)
        failures = [failure.value for failure in page.exception]
        assert not failures, failures
        return page


def by_path(app, path):
    """The app, to be opened where this path leads."""
    app._page_hash = calc_hash(path)
    return app


def told_once(tell):
    """What is told of a page, or of a part of it, is found once for each run of the page."""

    @functools.wraps(tell)
    def told(page):
        drawn = vars(getattr(page, "_tree", page))  # another one after each run
        if "told" not in drawn:
            drawn["told"] = tell(page)
        return drawn["told"]

    return told


def all_elements(app):
    """Of a page, wherever they stand."""

    def every(block):
        for child in block.children.values():
            yield from every(child) if hasattr(child, "children") else [child]

    return every(app._tree)


def keep_files(uploader):
    """What it holds stays when more is added, as in a browser."""
    uploader._files = uploader._get_files_to_register()
    return uploader


def frame_parts(frame):
    """The texts of a data frame as its styles have them."""
    return convert_arrow_bytes_to_pandas_df(frame.proto.arrow_data.styler.display_values)


def runs_on_the_wire():
    """What the messages of a run are called there, for a script that watches for them: asked,
    begun, ended, and the end of one that another follows.
    """
    numbers = [
        message.DESCRIPTOR.fields_by_name[field].number
        for message, field in (
            (BackMsg, "rerun_script"),
            (ForwardMsg, "new_session"),
            (ForwardMsg, "script_finished"),
        )
    ]
    return *numbers, ForwardMsg.FINISHED_EARLY_FOR_RERUN


class Left:
    """A session that nobody has come back to; its storage and its runtime, too."""

    def __init__(self):
        self.session = self._session_mgr = self._session_storage = self._cache = self
        self.ended, self.here, self.id = 0, True, "one"

    def expire(self):
        found, self.here = [("one", self)] if self.here else [], False
        return found

    def shutdown(self):
        self.ended += 1

    def is_active_session(self, one):
        return False


def keeps_sessions_that_left():
    """Whether Streamlit has them where the server looks for them."""
    storage = MemorySessionStorage(ttl_seconds=0)
    manager = WebsocketSessionManager(storage, None, None, None)
    storage.save(SessionInfo(None, Left(), 0))
    [(_, info)] = manager._session_storage._cache.expire()
    return (
        info.session is not None
        and "_session_mgr" in Runtime.__init__.__code__.co_names
        and AppSession.shutdown
        and "_user_info" in AppSession.__init__.__code__.co_names
    )
