"""Shared by all tests."""

import functools
import gc
import json
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings
from joblib import cpu_count
from threadpoolctl import threadpool_limits
from xdist.scheduler import LoadFileScheduling

from mtsig_core.cli import main
from mtsig_core.metrics.cache import STATISTICS_MEMORY
from mtsig_core.simulation import corpus
from tests.builders.score_folders import score_folder as score_folder_in
from tests.builders.text_files import write_files, write_task

# The same examples in every run, however busy the machine is; thirteen times as many where time
# does not matter.
settings.register_profile("mtsig", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("thorough", settings.get_profile("mtsig"), max_examples=400)
settings.load_profile("mtsig")

#: Tests that wait for other processes most of the time.
WAITING = ("tests/browser/", "tests/server/", "tests/stats/test_parallel.py")
REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "wmt24"


#: Files that share what takes long to have twice: a server and a browser; all code of the project,
#: read.
TOGETHER = {
    "browser": ("tests/browser/",),
    "code": tuple(
        f"tests/test_{name}.py"
        for name in ("architecture", "claims_page", "counted_verbs", "messages", "names", "words")
    ),
}


class ByFile(LoadFileScheduling):
    """A file is tested by one worker, and so are those that share something."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return next((shared for shared, files in TOGETHER.items() if file.startswith(files)), file)


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)


def pytest_xdist_auto_num_workers():
    """One more than there are cores: while some tests wait for browsers and servers, others
    compute.
    """
    return cpu_count() + 1


def pytest_addoption(parser):
    parser.addoption(
        "--shuffle", metavar="SEED", help="files, and the tests of each, in an order by this seed"
    )


def pytest_collection_modifyitems(config, items):
    """What waits comes first: last, it would leave the other workers with nothing to do."""
    if seed := config.getoption("shuffle"):
        items.sort(
            key=lambda item: [
                sha256(f"{seed} {name}".encode()).digest() for name in (item.path, item.nodeid)
            ]
        )
    items.sort(key=lambda item: not item.nodeid.startswith(WAITING))


def pytest_collection_finish():
    """What is there before the first test stays: to look through it for garbage each time takes a
    twentieth.
    """
    gc.freeze()


@pytest.fixture(scope="session")
def wmt24():
    """The folder of real WMT 2024 texts."""
    if not REAL.is_dir():
        pytest.skip("needs the WMT 2024 texts in ../shared/data/wmt24")
    return REAL


@pytest.fixture(scope="session", autouse=True)
def nothing_of_this_machine(tmp_path_factory):
    """No test reads or leaves anything in the user's folders; what a test starts inherits it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTSIG_CACHE", "")
        patch.setenv("MTSIG_HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("MTSIG_DATABASE_URL", raising=False)
        patch.setenv("WNSEARCHDIR", "")  # nor looks for WordNet, which this machine may have or not
        yield


@pytest.fixture(scope="module", autouse=True)
def nothing_kept_by_other_files():
    """A dashboard without a folder for what it counts sets one, in this process too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTSIG_CACHE", "")
        yield


@pytest.fixture(autouse=True)
def nothing_counted_before():
    """A test may count in another way: the statistics of the test before do not serve it."""
    STATISTICS_MEMORY.clear()


@pytest.fixture(scope="session", autouse=True)
def made_once():
    """The options of all commands, and the sets of the simulated task, are made once in this
    process, not for each of the many commands and pages.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "_parser", functools.cache(main._parser))
        patch.setattr(corpus, "shared_task", functools.cache(corpus.shared_task))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_thread_per_product():
    """Tests run side by side: products that compete for the cores take many times as long."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@pytest.fixture
def run(capsys):
    """Run the command line in this process: status, standard output, standard error. A space in
    the first argument parts two words.
    """

    def call(command, *args):
        status = main.main([*command.split(), *map(str, args)])
        out = capsys.readouterr()
        return SimpleNamespace(status=status, out=out.out, err=out.err)

    return call


@pytest.fixture
def run_json(run):
    """The JSON that a command prints."""

    def call(*args):
        done = run(*args, "--format", "json")
        assert done.status == 0, done.err
        return json.loads(done.out)

    return call


@pytest.fixture
def files(tmp_path):
    """A reference, three systems and documents, as files."""
    return write_files(tmp_path)


@pytest.fixture
def text_folder(files, tmp_path_factory):
    """The same as the folder of a shared task."""
    return write_task(files, tmp_path_factory.mktemp("task"))


@pytest.fixture
def score_folder(tmp_path):
    """The folder of a shared task with scores alone."""
    return score_folder_in(tmp_path)
