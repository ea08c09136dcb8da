"""The dashboard's server with a login, as a process."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.builders.client import LIMIT, elements, get
from tests.builders.processes import free_port
from tests.builders.provider import provider

CHECKOUT = Path(__file__).resolve().parents[2]


LOGIN = """[auth]
redirect_uri = "{address}/oauth2callback"
cookie_secret = "a secret of the test"
client_id = "{own.client}"
client_secret = "{own.secret}"
server_metadata_url = "{own.address}/.well-known/openid-configuration"

[mtsig]
allowed = ["grace@example.net", "@example.org"]
"""


@contextmanager
def serving(folder, *options, **environment):
    """The dashboard, which asks its users to log in; its process, its address, and who lets them
    in.
    """
    address = f"http://localhost:{free_port()}"
    with provider() as own:
        (folder / "secrets.toml").write_text(LOGIN.format(address=address, own=own))
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mtsig_core",
                "serve",
                "--no-browser",
                *options,
                "--port",
                str(urlsplit(address).port),
            ],
            cwd=CHECKOUT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # as a shell starts it
            env={
                **os.environ,
                "MTSIG_LOGIN": str(folder / "secrets.toml"),
                "MTSIG_HEALTH_TOKEN": "a token",
                "MTSIG_LOG": str(folder / "log"),
                "MTSIG_DATA_ROOT": "",
                **environment,
            },
        )
        try:
            patient(lambda: get(f"{address}/_stcore/health").status_code == 200)
            yield process, address, own
        finally:
            process.terminate()
            process.wait(LIMIT)


def patient(holds):
    """Wait until something holds."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            if holds():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("it never came")


def gone(pid):
    """Whether a process has ended, also where nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] == "Z"
    except FileNotFoundError:
        return True


def log(file):
    """The events, as they stand in the log."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def log_in(client, own, email):
    """Through the button and the provider, back to the dashboard; what a tab shows then."""
    own.email = email
    with client.session() as tab:
        [button] = elements(tab.run(), "button")
        [where] = [
            message.auth_redirect.url
            for message in tab.run(button.id)
            if message.HasField("auth_redirect")
        ]
    assert client.http.get(where).url == f"{client.address}/"
    with client.session() as tab:
        return tab.run()


def entry(page):
    """Where a page's own script lies."""
    return re.search('<script type="module"[^>]* src="([^"]+)"', page)[1]
