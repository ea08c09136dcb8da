"""The store on both databases: SQLite in a folder, and a real PostgreSQL server on the loopback."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pages._store.database import Database, Limits
from pages._store.kept_sets import SetStore


def _programs():
    """The folder with PostgreSQL's own programs, None without."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    found = shutil.which("initdb")
    return folders[-1] if folders else os.path.dirname(found) if found else None


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def postgresql():
    """The address of a server that lives as long as the tests."""
    programs = _programs()
    if programs is None:
        pytest.skip("needs PostgreSQL's server (Debian: postgresql)")
    with tempfile.TemporaryDirectory(
        prefix="mtsig-postgresql-"
    ) as folder:  # not pytest's: it is closed to others
        yield from _server(programs, Path(folder))


def _server(programs, folder):
    user = {}
    if os.geteuid() == 0:  # as which the server refuses to run
        try:
            account = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("needs the account postgres, as PostgreSQL does not run as root")
        user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        os.chown(folder, account.pw_uid, account.pw_gid)

    def run(program, *args):
        subprocess.run(
            [f"{programs}/{program}", *map(str, args)],
            cwd=folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **user,
        )

    data = folder / "data"
    run("initdb", "-D", data, "-A", "trust", "-U", "mtsig", "-E", "UTF8", "--no-sync")
    for tries in (2, 1, 0):
        port = _free_port()
        try:
            run(
                "pg_ctl",
                "-D",
                data,
                "-w",
                "-t",
                120,
                "-l",
                folder / "log",
                "-o",
                f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off",
                "start",
            )
            break
        except subprocess.CalledProcessError:  # another program took the port meanwhile
            if not tries:
                raise RuntimeError((folder / "log").read_text()) from None
    yield f"postgresql://mtsig@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def url(request, tmp_path):
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'sets.sqlite'}"
    import psycopg

    address, name = request.getfixturevalue("postgresql"), f"t{abs(hash(tmp_path))}"
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    return address.replace("/postgres", f"/{name}")


def kill_in_the_middle(code, url):
    """Run code that prints a link, and then, in the middle of saving, that it is there; kill it.

    The link.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", code, url],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        link = process.stdout.readline().strip()
        assert process.stdout.readline().strip() == "in the middle"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return link


class Clock:
    """A time that the test sets."""

    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(url, clock):
    """A store with room for two of the small sets, and a set's life of ten days."""
    limits = Limits(owner_bytes=1 << 20, total_bytes=2 << 20, days=10)
    database = Database(url, limits, clock)
    yield SetStore(database)
    database.close()
