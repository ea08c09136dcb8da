"""Ctrl+C, at moments that are chosen: what is imported, or Python itself as it starts, sends the
signal.
"""

import signal
import subprocess
import sys
from functools import partial

import pytest

from tests.builders.processes import free_port

INTERRUPT = "import signal; signal.raise_signal(signal.SIGINT)\n"


def of_a_process(checkout, *command, folder="", **environment):
    """Status, standard output and standard error of Python, which finds these files before all
    others.
    """
    heard = partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # though the tests may run in the background
    done = subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=heard,
        env={"PYTHONPATH": str(folder), "PATH": "", "HOME": "/nonexistent", **environment},
    )
    return done.returncode, done.stdout, done.stderr


def script(name, *lines):
    """A program of that name, in one line."""
    return "-c", "; ".join(
        (f"import sys, signal, tempfile; sys.argv[0] = '/usr/bin/{name}'", *lines)
    )


@pytest.mark.parametrize(
    "command", [("-m", "mtsig_core"), script("mtsig", "from mtsig_core.cli.main import main")]
)
def test_while_it_imports_the_command_ends_in_one_line(checkout, tmp_path, command):
    (tmp_path / "numpy.py").write_text(INTERRUPT)
    assert of_a_process(checkout, *command, folder=tmp_path) == (130, "", "mtsig: interrupted\n")


@pytest.mark.long
def test_later_it_leaves_no_temporary_folder(checkout, tmp_path):
    command = script(
        "mtsig",
        "import mtsig_core",
        f"kept = tempfile.TemporaryDirectory(dir={str(tmp_path)!r})",
        INTERRUPT.strip(),
    )
    assert of_a_process(checkout, *command) == (130, "", "mtsig: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "before"), [("notebook.py", "default_int_handler"), ("mtsig", "SIG_IGN")]
)
def test_it_is_left_to_other_programs_and_ignored_where_the_shell_says_so(checkout, name, before):
    command = script(
        name,
        f"signal.signal(signal.SIGINT, signal.{before})",
        "import mtsig_core",
        f"print(signal.getsignal(signal.SIGINT) is signal.{before})",
    )
    assert of_a_process(checkout, *command) == (0, "True\n", "")


@pytest.mark.long
@pytest.mark.parametrize(("asked", "ended"), [("SIGINT", 130), ("SIGTERM", 0)])
@pytest.mark.parametrize("moment", ["sitecustomize", "streamlit/web/cli"])
def test_while_the_server_starts_it_ends_quietly(checkout, tmp_path, moment, asked, ended):
    (tmp_path / "streamlit/web").mkdir(parents=True)
    for name in ("streamlit/__init__", "streamlit/web/__init__", "streamlit/web/cli"):
        (tmp_path / f"{name}.py").touch()
    (tmp_path / "streamlit/__main__.py").write_text("import streamlit.web.cli\n")
    server = "import sys\nif '-P' in sys.orig_argv:  # and not the command, which becomes the server\n    "
    (tmp_path / f"{moment}.py").write_text(server + INTERRUPT.replace("SIGINT", asked))
    serve = ("-m", "mtsig_core", "serve", "--port", str(free_port()), "--no-browser")
    status, out, err = of_a_process(
        checkout, *serve, folder=tmp_path, MTSIG_HOME=str(tmp_path / "home")
    )
    assert (
        (status, out) == (ended, "")
        and err.startswith("mtsig: dashboard at")
        and err.count("\n") == 1
    )
