"""mtsig as it is installed: the wheel, in an environment of its own, used from a folder that is not
the checkout.
"""

import json
import subprocess
import sys
import sysconfig
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import urlsplit
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import Config
from websockets.sync.client import connect

from mtsig_core.cli import serving
from mtsig_core.version import __version__
from tests.builders.code import ROOT
from tests.builders.processes import LIMIT, started
from tests.builders.screens import sentences, write

pytestmark = pytest.mark.long


def run(*command, cwd=None):
    """What a command prints."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built without the network, by what the extra `test` has installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--check-build-dependencies",
        "--wheel-dir",
        folder,
        ROOT,
    )
    [file] = folder.iterdir()
    return file


@pytest.fixture(scope="module", params=["the wheel alone", "with pip"])
def scripts(request, wheel, tmp_path_factory):
    """The folder of the commands of an environment that mtsig is installed in.

    What mtsig needs is borrowed from here, or pip gets it, and builds mtsig itself.
    """
    environment = tmp_path_factory.mktemp("environment")
    scripts, packages = (
        Path(sysconfig.get_path(name, "venv", {"base": environment}))
        for name in ("scripts", "purelib")
    )
    if request.param == "with pip":
        run(sys.executable, "-m", "venv", environment)
        run(scripts / "python", "-m", "pip", "install", f"{ROOT}[dashboard]")
    else:
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        run(
            sys.executable,
            "-m",
            "pip",
            "--python",
            scripts / "python",
            "install",
            "--no-deps",
            "--no-index",
            wheel,
        )
        (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return scripts


def test_the_wheel_holds_the_core_and_the_dashboard_alone(wheel):
    parts = {
        "mtsig_core": "mtsig_core",
        **{
            part: f"mtsig_core/_dashboard/{part}"
            for part in ("app.py", "asgi.py", "pages", "assets", ".streamlit")
        },
    }
    expected = {
        f"{place}{str(file).removeprefix(str(ROOT / part))}"
        for part, place in parts.items()
        for file in [ROOT / part, *(ROOT / part).rglob("*")]
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {"mtsig_core/simulation/demo.xz", "mtsig_core/_dashboard/pages/_ui/frame.py"} <= expected
    assert {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name} == expected


def test_what_it_needs_is_listed_once(wheel):
    """What the core and the dashboard need is in requirements.txt; a part of it is an extra."""
    with ZipFile(wheel) as files:
        [name] = [name for name in files.namelist() if name.endswith("/METADATA")]
        metadata = BytesParser().parsebytes(files.read(name))
    assert (metadata["Name"], metadata["Version"]) == ("mtsig", __version__)
    needed = {None: set()}
    for line in metadata.get_all("Requires-Dist"):
        requirement, _, extra = line.partition("; extra == ")
        needed.setdefault(extra.strip("'\"") or None, set()).add(Requirement(requirement))
    listed = (ROOT / "requirements.txt").read_text().splitlines()
    listed = {Requirement(line) for line in listed if line and not line.startswith("#")}
    assert needed[None] | needed["dashboard"] == listed
    assert not needed[None] & needed["dashboard"]
    modules = {requirement.name for requirement in needed["dashboard"]}
    assert modules == set(serving.MODULES)
    assert needed["dashboard"] <= needed["test"]
    for extra, package in (("html", "jinja2"), ("excel", "openpyxl"), ("parquet", "pyarrow")):
        assert [requirement.name for requirement in needed[extra]] == [package]


def test_the_code_that_runs_is_the_installed_one(scripts, tmp_path):
    found = run(
        scripts / "python", "-c", "import mtsig_core; print(mtsig_core.__file__)", cwd=tmp_path
    )
    assert Path(found).is_relative_to(scripts.parent)


def compared(scripts, folder, metric, *options):
    """The systems as the installed command ranks them."""
    printed = run(scripts / "mtsig", "compare", *options, "--format", "json", cwd=folder)
    return [found["system"] for found in json.loads(printed)["metrics"][metric]["systems"]]


def test_the_command_line(scripts, tmp_path):
    """By scores, as what is installed anew compiles anew what counts words, which takes ten
    seconds.
    """
    assert run(scripts / "mtsig", "--version") == f"mtsig {__version__}\n"
    write(
        tmp_path / "human.tsv",
        [
            "system\tline\tscore",
            *(
                f"{name}\t{k}\t{score}"
                for k in range(1, 31)
                for name, score in (("a", 50 + k), ("b", 60 + k))
            ),
        ],
    )
    assert compared(scripts, tmp_path, "human", "--scores", "human=human.tsv") == ["b", "a"]


def test_the_command_line_counts_words(scripts, tmp_path):
    write(tmp_path / "ref.txt", sentences(30))
    write(tmp_path / "a.txt", [text.replace("small", "big") for text in sentences(30)])
    write(tmp_path / "b.txt", sentences(30))
    given = "--ref", "ref.txt", "--system", "a.txt", "--system", "b.txt"
    assert compared(scripts, tmp_path, "bleu", *given) == ["b", "a"]


def test_the_dashboard(scripts, tmp_path):
    """On the simulated shared task, which comes with the wheel, as does what the first page says of
    it.

    Who has tools for developers at home is not shown Streamlit's offers for them.
    """
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    with started(
        scripts / "mtsig",
        "serve",
        port="--port",
        cwd=tmp_path,
        HOME=str(tmp_path / "home"),
        BROWSER="true",
        DISPLAY="",
    ) as address:
        messages = first_run(address)
    [session] = [message.new_session for message in messages if message.HasField("new_session")]
    assert session.config.toolbar_mode == Config.VIEWER  # as .streamlit/config.toml has it
    assert not session.initialize.recommend_skills_install
    shown = [message.delta.new_element for message in messages if message.HasField("delta")]
    headings = [element.heading.body for element in shown if element.HasField("heading")]
    assert headings == ["Summary", "Do the metrics agree?"]
    assert any("Cedar-open" in element.html.body for element in shown)
    assert not [element.exception for element in shown if element.HasField("exception")]


def first_run(address):
    """What the server sends to a browser that opens the dashboard, until the page is there."""
    messages = []
    with connect(f"ws://{urlsplit(address).netloc}/_stcore/stream", max_size=None) as socket:
        socket.send(BackMsg(rerun_script={}).SerializeToString())
        while not messages or not messages[-1].HasField("script_finished"):
            messages.append(ForwardMsg.FromString(socket.recv(LIMIT / 1000)))
    return messages
