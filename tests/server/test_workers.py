"""Several processes of the dashboard behind the proxy."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from mtsig_core.errors import SettingError
from pages._server.processes import find_free_ports, serve_processes
from tests.builders.client import LIMIT, Client, get, headings
from tests.builders.serving import entry, gone, log, log_in, patient, serving

CHECKOUT = Path(__file__).resolve().parents[2]
needs_caddy = pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
#: A server that answers with its process id.
ECHO = """
import http.server, os, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = str(os.getpid()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[4])), Answer).serve_forever()
"""
#: A parent that serves so, in a process of its own.
PARENT = """
import os, sys
from pages._server.processes import serve_processes
sys.exit(serve_processes([sys.executable, "-c", sys.argv[1]], dict(os.environ), 2, "localhost", int(sys.argv[2]), False))
"""


@pytest.mark.long
@needs_caddy
def test_a_browser_keeps_to_one_worker_and_finds_another_when_that_dies(tmp_path):
    with serving(tmp_path, "--workers", "2") as (process, address, own):
        patient(lambda: get(f"{address}/_mtsig/health").status_code == 200)
        browsers = []
        while (
            len({browser.http.cookies["mtsig_worker"] for browser in browsers}) < 2
            or len(browsers) < 4
        ):
            browsers.append(Client(address))
        for browser in browsers:
            log_in(browser, own, "ada@example.org")
        tabs = [browser.session() for browser in browsers]
        sessions = [tab.__enter__() for tab in tabs]
        for browser, session in zip(browsers, sessions, strict=True):
            session.run()
            assert (
                browser.upload(session.id, b"what I have") == 204
            )  # another worker knows no such session
        health = get(f"{address}/_mtsig/health").json()["workers"]
        assert sum(worker["sessions"] for worker in health) == len(browsers)
        assert all(w["sessions"] for w in health)
        for outside in (
            {"Host": "evil.example"},
            {"Host": "192.0.2.7"},
            {"X-Forwarded-For": "192.0.2.7"},
            {"X-Forwarded-For": "127.0.0.1, 192.0.2.7"},
        ):  # as a proxy before this one says
            assert get(f"{address}/_mtsig/health", headers=outside).status_code in (421, 403)
        script = get(
            urljoin(f"{address}/", entry(get(address).text)), headers={"Accept-Encoding": "gzip"}
        )
        assert script.headers["Content-Encoding"] == "gzip"

        dead = health[0]["pid"]
        os.kill(dead, signal.SIGKILL)
        for browser in browsers:
            with browser.session() as tab:
                assert "Summary" in headings(tab.run())
                assert browser.http.get("/").status_code == 200
        patient(lambda: get(f"{address}/_mtsig/health").status_code == 200)
        now = [worker["pid"] for worker in get(f"{address}/_mtsig/health").json()["workers"]]
        assert now[1] == health[1]["pid"]
        assert now[0] != dead

        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0
        assert all(map(gone, now))
        for tab in tabs:
            tab.__exit__(None, None, None)
        assert [found["event"] for found in log(tmp_path / "log")].count("start") == 3


@pytest.mark.long
@needs_caddy
def test_what_is_killed_soon_after_its_start_is_started_again_and_none_stays_behind_a_killed_parent():
    [port] = find_free_ports(1)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, ECHO, str(port)], cwd=CHECKOUT, stderr=subprocess.DEVNULL
    )
    found = set()

    def seen(n):
        found.add(get(f"http://localhost:{port}").text)
        return len(found) == n

    patient(lambda: seen(2))
    room = f"http://localhost:{port}/_mtsig/room"  # in the memory of one process
    assert len({httpx.post(room, verify=False).text for _ in range(8)}) == 1
    os.kill(int(min(found)), signal.SIGKILL)
    patient(lambda: seen(3))
    below = subprocess.run(
        ["pgrep", "-P", str(parent.pid)], capture_output=True, text=True
    ).stdout.split()
    assert len(below) == 3
    parent.kill()
    patient(lambda: all(map(gone, below)))
    with pytest.raises(httpx.ConnectError):
        get(f"http://localhost:{port}")
    parent.wait(LIMIT)


def test_without_the_proxy_one_message(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SettingError, match="Caddy, which is not installed. Install it"):
        serve_processes([], {}, 2, "localhost", 8501, False)
    with pytest.raises(SettingError, match="--workers is 0. Expected a number from 1 to 64."):
        serve_processes([], {}, 0, "localhost", 8501, False)


@needs_caddy
def test_what_ends_at_once_is_not_started_for_ever(capfd):
    [port] = find_free_ports(1)
    assert (
        serve_processes(
            [sys.executable, "-c", "print('broken')"], dict(os.environ), 1, "localhost", port, False
        )
        == 1
    )
    said = capfd.readouterr()
    assert said.out.count("broken") == 3
    assert "ended at once, 3 times in a row, with status 0" in said.err
