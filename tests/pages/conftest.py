"""Pages without a browser: nothing looks at the progress of work, so each page waits until it is done, however long."""

import functools
import math

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE
from pages._sections import papers_sections, size_sections, trust_sections
from pages._ui import background
from tests.pages.toys import APP, small_source
from tests.work.thread_workers import PickledWorker

#: What the longest work is asked for unless a test asks for more.
LIGHTER = {"size": {"repeats": "30", "sizes": "50%, 100%"}, "trust": {"pairs": "200"}}


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(background, "PATIENCE", 60)
    monkeypatch.setattr(background, "LONGEST", math.inf)  # a busy machine is not asked how fast it is


@pytest.fixture(autouse=True)
def thread_workers(monkeypatch):
    """Work is done in threads, of which one is quicker to have than a process; what the last test found stays."""
    monkeypatch.setattr(background._SCHEDULER, "pool", PickledWorker)


#: Draws of the experiments, whatever a page asks for. What they find is tested with the core.
FEWER = ((trust_sections, "type_one", {"n_pairs": 50, "trials": 199}),
         (trust_sections, "claims", {"repeats": 20, "trials": 299}),
         (trust_sections, "families", {"repeats": 20, "trials": 299}),
         (trust_sections, "coverage", {"repeats": 50, "resamples": 99}),
         (papers_sections, "families", {"repeats": 20, "trials": 299}))


def with_fewer(function, few):
    return functools.wraps(function)(lambda *args, **asked: function(*args, **asked | few))


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    for module, name, few in FEWER:
        monkeypatch.setattr(module, name, with_fewer(getattr(module, name), few))
    monkeypatch.setattr(size_sections, "_REPEATS", 2)


class Pages(PagesManager):
    """One that AppTest may reset: a server looks for the pages of dashboards without a frame in its first run alone."""


def ended(runner, timeout):
    """Wait for a run of a page. Streamlit looks a thousand times a second, which slows down what it waits for."""
    runner._script_thread.join(timeout)
    assert runner.script_stopped(), f"a page took more than {timeout} seconds"


@pytest.fixture(scope="package", autouse=True)
def as_a_server_that_runs():
    """What a server does once, AppTest does for each run of each page: more than half the time of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests",  # looks through all that is installed
                      functools.cache(manifest_scanner.scan_component_manifests))
        patch.setattr(app_test, "PagesManager", Pages)
        compiled = ScriptCache()
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", ended)
        yield


@pytest.fixture
def source(tmp_path):
    return small_source(tmp_path)


@pytest.fixture
def few_documents(root):
    """A task in which nothing can be decided."""
    for pair in ("en-de", "en-fr"):
        for file, line in ((f"references/{pair}.refA.txt", "a b c d e"), (f"documents/{pair}.docs", "news\tone"),
                           (f"system-outputs/{pair}/A.txt", "a b c d"), (f"system-outputs/{pair}/B.txt", "a b x d e")):
            path = root / "small" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{line}\n" * 4)
    return root / "small"


@pytest.fixture
def opened(monkeypatch):
    """Open a page of a dashboard (None: the first one) on a source, or on nothing, by a link with what it asks."""
    def start(page, source=None, /, root=None, task=None, **asked):
        for name, value in ((SOURCE_VARIABLE, source and source.to_json()), (TASK_VARIABLE, task and task.to_json()),
                            ("MTSIG_DATA_ROOT", root and str(root))):
            monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
        app = AppTest.from_file(str(APP), default_timeout=600)  # no page is too slow for a busy machine
        for key, value in (LIGHTER.get(page, {}) | asked).items():
            app.query_params[key] = value
        return (app.switch_page(f"pages/{page}.py") if page else app).run()

    return start
