"""Pages without a browser: nothing looks at the progress of work, so each page waits until it is
done, however long.
"""

import json
import math

import pytest

from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._sections import papers_sections, size_sections, trust_sections
from pages._ui import background, testsets, views
from tests.builders.apps import LIGHTER, app, with_fewer
from tests.builders.screens import arguments, small_source
from tests.builders.streamlit_parts import as_a_server_that_runs
from tests.builders.thread_workers import PickledWorker


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(background, "PATIENCE", 60)
    monkeypatch.setattr(
        background, "LONGEST", math.inf
    )  # a busy machine is not asked how fast it is


@pytest.fixture(autouse=True)
def thread_workers(monkeypatch):
    """Work is done in threads, of which one is quicker to have than a process; what the last test
    found stays.
    """
    monkeypatch.setattr(background._SCHEDULER, "pool", PickledWorker)


#: Draws of the experiments, whatever a page asks for. What they find is tested with the core.
FEWER = (
    (trust_sections, "type_one", {"n_pairs": 50, "trials": 199}),
    (trust_sections, "claims", {"repeats": 20, "trials": 299}),
    (trust_sections, "families", {"repeats": 20, "trials": 299}),
    (trust_sections, "coverage", {"repeats": 50, "resamples": 99}),
    (papers_sections, "families", {"repeats": 20, "trials": 299}),
)


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    for module, name, few in FEWER:
        monkeypatch.setattr(module, name, with_fewer(getattr(module, name), few))
    monkeypatch.setattr(size_sections, "_REPEATS", 2)


@pytest.fixture(scope="package", autouse=True)
def server():
    with as_a_server_that_runs():
        yield


@pytest.fixture
def own_stores(monkeypatch, tmp_path):
    """A database of its own for what is uploaded and reviewed."""
    stores = (testsets.store, views.reviews, testsets.tables)
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    for store in stores:
        store.clear()
    yield
    for store in stores:
        store.clear()


@pytest.fixture
def source(tmp_path):
    return small_source(tmp_path)


@pytest.fixture
def few_documents(root):
    """A task in which nothing can be decided."""
    for pair in ("en-de", "en-fr"):
        for file, line in (
            (f"references/{pair}.refA.txt", "a b c d e"),
            (f"documents/{pair}.docs", "news\tone"),
            (f"system-outputs/{pair}/A.txt", "a b c d"),
            (f"system-outputs/{pair}/B.txt", "a b x d e"),
        ):
            path = root / "small" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{line}\n" * 4)
    return root / "small"


@pytest.fixture
def opened(monkeypatch):
    """Open a page of a dashboard (None: the first one) on a source, or on nothing, by a link with
    what it asks.
    """

    def start(page, source=None, /, root=None, task=None, **asked):
        for name, value in (
            (SOURCE_VARIABLE, source and source.to_json()),
            (TASK_VARIABLE, task and task.to_json()),
            ("MTSIG_DATA_ROOT", root and str(root)),
        ):
            monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
        shown = app(**LIGHTER.get(page, {}) | asked)
        return (shown.switch_page(f"pages/{page}.py") if page else shown).run()

    return start


@pytest.fixture
def print_json(run):
    """Read what a command on screen prints as JSON."""

    def start(command, *options):
        shown = run(*arguments(command), *options, "--format", "json")
        assert shown.status == 0, shown.err
        return json.loads(shown.out)

    return start


@pytest.fixture
def folder(score_folder):
    return score_folder


@pytest.fixture
def open_task(opened, folder):
    """Open a page on the task of scores, by one metric, with few permutations."""
    usual = {"metric": "XCOMET", "trials": "999"}

    def start(page="results", **asked):
        return opened(page, root=folder.parent, **usual | asked)

    return start


@pytest.fixture
def compare_folder(folder):
    """Compare the systems of that task as Results does."""

    def start(metrics="XCOMET", **settings):
        return compare_task(KeptTask(TaskSource(str(folder))), metrics, trials=999, **settings)

    return start
