"""What stands before every answer."""

import re
from hashlib import sha256

import pytest
from starlette.responses import PlainTextResponse

from pages._server import guard
from tests.builders.client import answer, run


async def application(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await PlainTextResponse("inside", headers={"X-Frame-Options": "ALLOW"})(
            scope, receive, send
        )


@pytest.fixture
def ask(monkeypatch):
    """What is sent in answer to a request."""
    monkeypatch.setenv("MTSIG_HOSTS", "Mtsig.example.org, *.uni.example")
    stack = guard.Guard(application)

    def asked(path="/", host="localhost", kind="http", origin=None, more=()):
        headers = [(b"host", host.encode())] * bool(host) + list(more)
        headers += [] if origin is None else [(b"origin", origin.encode())]
        scope = {
            "type": kind,
            "path": path,
            "method": "GET",
            "headers": headers,
            "extensions": {"websocket.http.response": {}},
        }
        return run(answer(stack, scope))

    return asked


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8501",
        "mtsig.example.org",
        "mtsig.example.org.",
        "a.uni.example",
        "127.0.0.1:8501",
        "[::1]:8501",
        "192.0.2.7",
    ],
)
def test_it_answers_to_its_names_and_to_addresses(ask, host):
    assert ask(host=host)[1]["body"] == b"inside"
    assert ask(host=host, kind="websocket") == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "uni.example",
        "eviluni.example",
        "localhost.evil.example",
        "",
        "[",
        "evil.example@localhost",
        "localhost/a",
        "127.0.0.1.evil.example",
        "evil#localhost",
    ],
)
def test_it_answers_to_no_other_name(ask, host):
    start, body = ask(host=host)
    assert start["status"] == 421
    assert b"MTSIG_HOSTS" in body["body"]
    refused = ask("/_stcore/stream", host, "websocket")[0]
    assert (refused["type"], refused["status"]) == ("websocket.http.response.start", 421)


@pytest.mark.parametrize("origin", [None, "http://localhost:8501", "https://localhost:8501"])
def test_its_own_pages_and_programs_open_a_session(ask, origin):
    assert ask("/_stcore/stream", "localhost:8501", "websocket", origin) == [
        {"type": "websocket.accept"}
    ]


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost",
        "http://localhost:1",
        "null",
        "",
        "file://",
        "http://127.0.0.1:8501",
        "http://0.0.0.0:8501",
        "http://192.0.2.7",
        "http://[::1",
        "ftp://localhost:8501",
        "http://localhost:8501.evil.example",
    ],
)
def test_no_page_of_another_address_opens_a_session(ask, origin):
    """Streamlit is not even asked: it would look for the machine's own address on other hosts."""
    refused = ask("/_stcore/stream", "localhost:8501", "websocket", origin)[0]
    assert (refused["type"], refused["status"]) == ("websocket.http.response.start", 403)


def test_a_request_ends_in_one_place(ask):
    length, chunks = (b"content-length", b"4"), (b"transfer-encoding", b"chunked")
    assert ask(more=[length, chunks])[0]["status"] == ask(more=[chunks, length])[0]["status"] == 400
    assert ask(more=[length])[0]["status"] == ask(more=[chunks])[0]["status"] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/metrics/",
        "/below/_stcore/metrics",
        "/_stcore/agent/interact",
        "/_stcore/agent/openapi.json",
    ],
)
def test_what_streamlit_offers_to_programs_is_closed(ask, path):
    assert ask(path)[0]["status"] == 404
    assert ask(path.replace("_stcore", "_elsewhere"))[0]["status"] == 200


@pytest.mark.parametrize(
    ("path", "host"), [("/", "localhost"), ("/", "evil.example"), ("/_stcore/metrics", "localhost")]
)
def test_all_answers_have_the_headers_once(ask, path, host):
    told = [(key.decode(), text.decode()) for key, text in ask(path, host)[0]["headers"]]
    for key, text in guard.headers().items():
        assert [found for name, found in told if name == key.lower()] == [text]


def test_also_where_the_server_fails():
    said = run(guard.answer_failure(None, ValueError("what was uploaded")))
    assert said.status_code == 500
    assert b"uploaded" not in said.body
    assert all(said.headers[key] == text for key, text in guard.headers().items())


def test_scripts_are_streamlits_own_and_nothing_comes_from_elsewhere():
    policy = dict(
        part.split(" ", 1) for part in guard.headers()["Content-Security-Policy"].split("; ")
    )
    digests = re.findall("'sha256-(.*?)'", policy["script-src"])
    assert {len(digest) for digest in digests} == {len(sha256().digest()) * 4 // 3 + 2}
    assert "unsafe" not in policy["script-src"]
    assert policy["default-src"] == "'self'"
    assert not re.search(r"https?:|\*", " ".join(policy.values()))


@pytest.mark.parametrize(
    ("sites", "ancestors"),
    [
        ("", "'self'"),
        ("https://a.example,*.b.example:8000", "'self' https://a.example *.b.example:8000"),
    ],
)
def test_other_sites_frame_pages_only_where_they_are_named(monkeypatch, sites, ancestors):
    monkeypatch.setenv("MTSIG_EMBED_HOSTS", sites)
    policy = guard.headers()["Content-Security-Policy"].split("; ")
    [found] = [part for part in policy if part.startswith("frame-ancestors")]
    assert found.split() == ["frame-ancestors", *ancestors.split()]
