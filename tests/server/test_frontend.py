"""Streamlit's files and its page, as this server sends them."""

import asyncio
import gzip
import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import parse_qs

import pytest

from pages._server import frontend, guard, internals
from pages._ui import catalogue
from tests.builders.client import answer, run

STATIC = internals.PAGE.parent
SCRIPT = next(STATIC.glob("static/js/index.*.js"))
FONT = next(STATIC.glob("static/media/*.woff2"))


files = frontend.Frontend(str(STATIC), base_url=None)


def address(file):
    return f"/{file.relative_to(STATIC).as_posix()}"


async def forever():
    await asyncio.Event().wait()


def ask(path, method="GET", accepted="gzip", **headers):
    """Status, headers, and the content as it is sent."""
    named = {"accept-encoding": accepted, **headers}
    scope = {
        "type": "http",
        "path": path,
        "method": method,
        "headers": [(key.replace("_", "-").encode(), text.encode()) for key, text in named.items()],
    }
    start, *parts = run(answer(files, scope, forever))
    content = b"".join(part["body"] for part in parts)
    return start["status"], {key.decode(): text.decode() for key, text in start["headers"]}, content


@pytest.mark.parametrize("path", [address(SCRIPT), "/", "/pair"])
def test_it_is_compressed_for_who_accepts_that_and_the_same_for_others(path):
    _, compressed, short = ask(path)
    _, plain, content = ask(path, accepted="identity")
    assert compressed["content-encoding"] == "gzip"
    assert "content-encoding" not in plain
    assert gzip.decompress(short) == content
    assert len(short) < len(content) / 2
    assert compressed["etag"] != plain["etag"]
    assert compressed["cache-control"] == plain["cache-control"]
    assert ask(path, "HEAD")[1] == compressed
    for accepted, told, sent in (("gzip", compressed, short), ("identity", plain, content)):
        assert int(told["content-length"]) == len(sent)
        assert told["vary"] == "Accept-Encoding"
        status, again, nothing = ask(
            path, accepted=accepted, if_none_match=f'"other", W/{told["etag"]}'
        )
        assert (status, nothing) == (304, b"")
        assert (again["etag"], again["vary"]) == (told["etag"], told["vary"])


def test_a_part_of_a_file_is_a_part_of_its_content():
    status, told, content = ask(address(SCRIPT), range="bytes=10-19")
    assert (status, content) == (206, SCRIPT.read_bytes()[10:20])
    assert "content-encoding" not in told


def test_a_font_is_sent_as_it_is_and_what_is_not_there_is_a_page():
    _, told, content = ask(address(FONT))
    assert content == FONT.read_bytes()
    assert "content-encoding" not in told
    assert ask("/static/js/none.js")[1]["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("accepted", "is_gzip"),
    [
        ("br, GZIP;q=0.5, *;q=0", True),
        ("gzip ; q=1.000", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000, br", False),
        ("gzip;q=, gzip;q=2", False),
        ("gzipped, x-gzip, *", False),
        ("", False),
        ("gzip;" * 10_000, False),
        (", gzip;q=0." + "1" * 60_000 + "x", False),
    ],
)
def test_only_who_names_gzip_accepts_it(accepted, is_gzip):
    assert ("content-encoding" in ask("/", accepted=accepted)[1]) == is_gzip


@pytest.fixture
def start(tmp_path, monkeypatch):
    """A server's start with one script in the place of Streamlit's; returns what the script is
    after it was decompressed, and how many files were compressed by then.
    """
    script, compress, calls = tmp_path / "script.js", gzip.compress, []
    script.write_text("a script; " * 100)
    monkeypatch.setattr(internals, "list_files", lambda: [script])
    monkeypatch.setattr(gzip, "compress", lambda *a, **k: calls.append(a) or compress(*a, **k))

    def started():
        frontend.compress_files.cache_clear()
        return gzip.decompress(frontend.compress_files()["script.js"]), len(calls)

    yield started
    frontend.compress_files.cache_clear()


def test_files_are_compressed_once_and_kept(start, tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))
    script = (tmp_path / "script.js").read_bytes()
    assert start() == start() == (script, 2)  # with the page
    monkeypatch.setattr(frontend, "read_page", lambda: "the page of another version")
    assert start() == (script, 4)


def test_where_the_cache_cannot_be_written_they_are_compressed_at_each_start(
    start, tmp_path, monkeypatch
):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "script.js"))
    script = (tmp_path / "script.js").read_bytes()
    assert [start(), start()] == [(script, 2), (script, 4)]


def test_the_page_has_the_welcome_and_all_of_streamlits_page_that_draws_the_app():
    page, streamlits = frontend.read_page(), internals.PAGE.read_text()
    assert "Streamlit</title>" not in page
    assert "_stcore/agent/interact" not in page  # is closed
    for part in ('<div id="root"></div>', *re.findall(r"<(?:script|link) [^>]*>", streamlits)):
        assert page.count(part) == streamlits.count(part) > 0
    for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL):
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in guard.headers()["Content-Security-Policy"]
    ways = re.findall(r'<a href="\./(\w+)(\?testset=[^"]*)?"', page)
    assert len(ways) == 3
    assert {name for name, _ in ways} <= catalogue.PAGES.keys()
    assert {parse_qs(query[1:])["testset"][0] for _, query in ways if query} == {
        catalogue.TASK.title
    }
