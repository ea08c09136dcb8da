"""The dashboard's server as a whole: health, log, login, headers, its end."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from mtsig_core.version import __version__
from pages._server import guard
from tests.builders.client import LIMIT, Client, elements, get, headings
from tests.builders.processes import free_port
from tests.builders.serving import CHECKOUT, entry, gone, log, log_in, patient, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, MTSIG_UNOPENED_MB="1") as (process, address, own):
        yield process, address, own, folder / "log"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/pair", 200),
        ("/pair/", 200),
        ("/nopage", 404),
        ("/_stcore/health", 200),
        ("/media/a", 404),
        ("/_mtsig/health", 200),
        ("/_mtsig/review/nothing", 404),
        ("/vote/", 200),
        ("/_stcore/metrics", 404),
        ("//a", 400),
    ],
)
def test_all_answers_have_the_headers(server, path, status):
    answer = get(f"{server[1]}{path}", follow_redirects=True)
    assert answer.status_code == status
    assert ("There is no such page" in answer.text) == (path == "/nopage")
    assert {answer.headers.get(key) for key in guard.headers()} == set(guard.headers().values())


def test_a_preview_of_a_link_tells_nothing_of_what_it_opens(server):
    """A chat or a search engine fetches the link: it gets the same page for each, without the name
    of a set.
    """
    plain = get(f"{server[1]}/")
    for link in (
        "/?testset=~a-secret",
        "/summary?testset=simulated+shared+task&a=Cedar",
        "/review?review=a-secret",
    ):
        preview = get(f"{server[1]}{link}")
        assert preview.text == plain.text
        assert "og:" not in preview.text
        assert preview.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize("path", ["/", "/pair"])
def test_a_page_says_at_once_what_draws_pictures(server, path):
    address = f"{server[1]}{path}"
    page = get(address).text
    [drawing] = re.findall('<link rel="modulepreload" fetchpriority="low" href="([^"]+)"', page)
    assert "javascript" in get(urljoin(address, drawing)).headers["content-type"]
    asks = get(urljoin(address, entry(page))).text  # what is loaded later, by names in quotes
    assert f"{Path(drawing).name}`" in asks


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"additional_headers": {"Host": "evil.example"}}, 421),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": "http://[::1"}, 403),
    ],
)
def test_no_other_name_and_no_page_of_another_address_opens_a_session(server, asked, status):
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{urlsplit(server[1]).netloc}/_stcore/stream", **asked).close()
    assert refused.value.response.status_code in (status, 400)


def test_health_is_for_this_machine_or_for_who_has_the_token(server):
    def health(**headers):
        return get(f"{server[1]}/_mtsig/health", headers=headers)

    found = health().json()
    [worker] = found["workers"]
    assert found["version"] == __version__
    assert set(found["cache"]) == {"files", "bytes"}
    assert (worker["pid"], worker["sessions"]) == (server[0].pid, 0)
    assert worker["memory_bytes"] > 20e6
    with Client(server[1]).session():
        assert health().json()["workers"][0]["sessions"] == 1
    for outside in ({"Host": "192.0.2.7"}, {"X-Forwarded-For": "192.0.2.7"}):
        assert (
            health(**outside).status_code
            == health(**outside, Authorization="Bearer none").status_code
            == 403
        )
        assert health(**outside, Authorization="Bearer a token").status_code == 200


def test_nobody_sees_a_page_before_logging_in(server):
    """And the first page that anybody opens is run once, as all others, beside a process that loads
    what work needs.
    """
    process, address, *_ = server
    assert Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    with Client(address).session() as tab:
        for page in ("review", "", "lecture", "upload"):
            messages = tab.run(page=page)
            assert sum(message.HasField("new_session") for message in messages) == 1
            assert headings(messages) == ["mtsig"]
            assert [button.label for button in elements(messages, "button")] == ["Log in"]


def test_who_is_known_sees_the_pages_and_nobody_else(server):
    _, address, own, file = server
    before = len(log(file))
    stranger = log_in(Client(address), own, "mallory@example.net")
    assert headings(stranger) == ["mtsig"]
    assert any(
        "mallory@example.net may not use this dashboard" in text.body
        for text in elements(stranger, "text")
    )
    known = log_in(Client(address), own, "ada@example.org")
    page = ["Summary", "Do the metrics agree?"]
    assert headings(known) in (
        page,
        page + page,
    )  # again where the headline has to wait for a further metric
    assert "Log out" in [button.label for button in elements(known, "button")]
    runs = [found.get("page") for found in log(file)[before:]].count("summary")  # of the known one
    assert runs == len(headings(known)) / len(page)
    assert "example.org" not in file.read_text()
    assert "Cedar" not in file.read_text()


def test_one_session_has_nothing_of_another(server):
    """Not what was uploaded and not yet opened: not by its address, by the field for files, or
    among media. A file that is offered has an address of 128 bits.
    """
    _, address, own, _ = server
    mine, theirs = Client(address), Client(address)
    for client, email in ((mine, "ada@example.org"), (theirs, "bob@example.org")):
        log_in(client, own, email)
    with theirs.session() as other:
        other.run(page="upload")
        with mine.session() as tab:
            [field, *_] = elements(tab.run(page="upload"), "file_uploader")
            assert mine.upload(tab.id, b"a secret\n") == 204
            assert "a.txt (9 bytes)" in words(tab.run(page="upload", holds=field.id))
            assert "a.txt" not in words(other.run(page="upload", holds=field.id))
            for client in (mine, theirs):  # an upload is put and deleted, never got
                assert "a secret" not in client.http.get(f"/_stcore/upload_file/{tab.id}/one").text
                assert (
                    client.http.get("/media/one").status_code
                    == client.http.get("/media/").status_code
                    == 404
                )
            offered = [
                button.url
                for button in elements(tab.run(page="summary"), "download_button")
                if button.url
            ]
            assert offered
            assert all(re.fullmatch(r"/media/[0-9a-f]{32}\.\w+", url) for url in offered)
            assert {theirs.http.get(url).status_code for url in offered} == {
                200
            }  # who has the link has the file


def test_nobody_uploads_before_the_login(server):
    client = Client(server[1])
    with client.session() as tab:
        tab.run()
        assert client.upload(tab.id, b"for nobody") == 403


@pytest.mark.long
def test_a_chosen_file_that_the_server_has_not_is_told_and_leaves_the_list(server):
    """As after it was started again, and where there was no room."""
    client = Client(server[1])
    log_in(client, server[2], "ada@example.org")
    with client.session() as tab:
        [field, *_] = elements(tab.run(page="upload"), "file_uploader")
        again = tab.run(page="upload", holds=field.id)
        assert "1 chosen file is lost" in words(again)
        *_, other = elements(again, "file_uploader")
        assert other.id != field.id
        assert other.label == field.label
        assert client.upload(tab.id, bytes(2 << 20)) == 204
        said = words(tab.run(page="upload", holds=other.id))
        assert "MTSIG_UNOPENED_MB" in said
        assert "any more" not in said


def begin_long_work(tab):
    """On the page Sweeps, until it shows how far it is: for so long that any machine asks first,
    and after a second, as the page does where work takes more than twenty minutes (NIST is counted
    anew for each test set).
    """
    sizes = "%2C".join(map(str, range(3000, 3200)))
    long = f"testset=simulated+corpus%2C+300+segments&metric=nist&sizes={sizes}&repeats=300"

    def button(messages, label):
        return next(
            (found for found in elements(messages, "button") if found.label.startswith(label)), None
        )

    run = button(
        tab.run(page="size", query=long, enough=lambda found: button(found[-1:], "Run it")),
        "Run it",
    )
    tab.run(run.id, page="size", query=long, enough=lambda found: button(found[-1:], "Cancel"))


def workers(pid):
    """The processes that compute for a server: each leads a group of its own."""
    return [found for found in below(pid) if not gone(found) and os.getpgid(found) == found]


def below(pid):
    """The processes that one has started, and these in turn."""
    children = [
        int(child)
        for one in Path(f"/proc/{pid}/task").glob("*/children")
        for child in one.read_text().split()
    ]
    return children + [found for child in children for found in below(child)]


def words(messages):
    return " ".join(html.body for html in elements(messages, "html"))


@pytest.mark.long
@pytest.mark.parametrize(("asked", "end"), [(signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)])
def test_it_ends_when_told_though_a_tab_waits_for_work(tmp_path, asked, end):
    """By SIGTERM, which the server gets, and by Ctrl+C, which a terminal sends to all that it has
    started. Before that, work whose last tab has closed ends with its process.
    """
    with serving(tmp_path, MTSIG_WORKER_MINUTES="999999") as (process, address, own):
        log_in(client := Client(address), own, "ada@example.org")

        def jobs():
            return get(f"{address}/_mtsig/health").json()["workers"][0]["jobs"]

        with client.session() as tab:
            begin_long_work(tab)
            patient(lambda: workers(process.pid) and jobs()["working"] == 1)
        patient(lambda: not workers(process.pid) and jobs()["working"] == jobs()["waiting"] == 0)
        with client.session() as tab:
            begin_long_work(tab)
            patient(lambda: workers(process.pid))
            started = below(process.pid)
            end(process.pid, asked)
            assert process.wait(LIMIT) == 0
        patient(lambda: all(map(gone, started)))
    events = log(tmp_path / "log")
    assert "Cancelled" in [one.get("ended") for one in events if one.get("kind") == "sweep_sizes"]
    names = [one["event"] for one in events]
    assert names[0] == "start"
    assert names.count("stop") == 1  # a page that is being drawn may end after it


@pytest.mark.long
def test_it_ends_when_told(tmp_path):
    """With all that it has started; while a tab waits for work, too, as `make test-long` shows."""
    with serving(tmp_path) as (process, address, own):
        started = below(process.pid)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(LIMIT) == 0
        patient(lambda: all(map(gone, started)))
    assert [one["event"] for one in log(tmp_path / "log")] == ["start", "stop"]


@pytest.mark.long
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_as_well_where_it_is_told_again_and_again(tmp_path, asked):
    """At each moment from the first time on, however long each step takes."""
    port, said = free_port(), tmp_path / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "mtsig_core", "serve", "--no-browser", "--port", str(port)],
            cwd=CHECKOUT,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, "MTSIG_DATA_ROOT": ""},
        )
        patient(lambda: get(f"http://localhost:{port}/_stcore/health").status_code == 200)
        while process.poll() is None:
            process.send_signal(asked)
            time.sleep(0.01)
    assert process.returncode in (0, 130 if asked == signal.SIGINT else 0)
    assert "Traceback" not in said.read_text()
