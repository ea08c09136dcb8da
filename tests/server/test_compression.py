"""What never changes is gzipped once."""

import asyncio
import gzip

import pytest
from starlette.responses import PlainTextResponse

from pages._server import compression
from pages._server.compression import Compression
from tests.builders.client import answer, run

TEXT = "the same for ever " * 1000
FOR_EVER = {"cache-control": "public, immutable, max-age=31536000"}


def asked(*requests, status=200, text=TEXT, headers=FOR_EVER, path="/static/a.js"):
    """What is sent in answer to each of some requests, given as their headers, of which all but the first are made at
    once; and how often the file was read."""
    reads = []

    async def file(scope, receive, send):
        reads.append(scope["path"])
        await PlainTextResponse(text, status, headers)(scope, receive, send)

    packed = Compression(file)

    async def all_of_them():
        return [await get(packed, requests[0], path),
                *await asyncio.gather(*(get(packed, given, path) for given in requests[1:]))]

    return run(all_of_them()), len(reads)


async def get(app, headers=None, path="/static/a.js"):
    """Status, headers and body of an answer."""
    given = [(key.encode(), value.encode()) for key, value in (ABLE if headers is None else headers).items()]
    start, body = await answer(app, {"type": "http", "method": "GET", "path": path, "headers": given})
    return start["status"], {key.decode(): value.decode() for key, value in start["headers"]}, body["body"]


ABLE = {"accept-encoding": "gzip, deflate, br"}


def test_the_second_and_all_after_get_it_packed():
    (first, second, *others), reads = asked(ABLE, *[ABLE] * 20)
    assert first[2] == TEXT.encode() and "content-encoding" not in first[1]
    assert gzip.decompress(second[2]) == TEXT.encode() and all(other == second for other in others)
    assert second[1] == {"content-type": first[1]["content-type"], "cache-control": first[1]["cache-control"],
                         "content-encoding": "gzip", "vary": "Accept-Encoding", "content-length": str(len(second[2]))}
    assert first[1]["vary"] == "Accept-Encoding"  # for caches on the way
    assert reads == 2  # packed once, for who asks at the same time too


@pytest.mark.parametrize("given", [{}, {"accept-encoding": "br"}, ABLE | {"range": "bytes=0-9"},
                                   ABLE | {"if-none-match": '"x"'}, ABLE | {"if-modified-since": "x"}])
def test_who_asks_for_a_part_or_cannot_unpack_it_gets_it_as_it_is(given):
    answers, _ = asked(ABLE, ABLE, given)
    assert answers[-1][2] == TEXT.encode() and "content-encoding" not in answers[-1][1]


@pytest.mark.parametrize("other", [{"status": 404}, {"text": "short"}, {"headers": {"cache-control": "no-cache"}},
                                   {"headers": FOR_EVER | {"content-type": "font/woff2"}},
                                   {"headers": FOR_EVER | {"content-encoding": "br"}}])
def test_all_else_stays_as_it_is(other):
    answers, reads = asked(ABLE, ABLE, ABLE, **other)
    assert answers[0] == answers[1] == answers[2] and reads == 3
    assert answers[0][1].get("content-encoding") != "gzip"


@pytest.mark.parametrize("path", ["/static//a.js", "//static/a.js", "/static/./a.js", "/static/b/../a.js",
                                  "/static/a.js/"])
def test_another_spelling_of_its_name_is_not_kept(path):
    answers, reads = asked(ABLE, ABLE, ABLE, path=path)
    assert reads == 3 and all("content-encoding" not in headers for _, headers, _ in answers)


def test_no_more_files_are_kept_than_there_can_be(monkeypatch):
    monkeypatch.setattr(compression, "_MOST", 0)
    answers, reads = asked(ABLE, ABLE, ABLE)
    assert reads == 3 and all(body == TEXT.encode() for _, _, body in answers)


def test_what_fails_once_is_tried_again():
    fails = [False, True, False]

    async def file(scope, receive, send):
        if fails.pop(0):
            raise OSError("too many open files")
        await PlainTextResponse(TEXT, headers=FOR_EVER)(scope, receive, send)

    async def thrice():
        packed = Compression(file)
        first = await get(packed)
        with pytest.raises(OSError, match="too many"):
            await get(packed)
        return first[2], (await get(packed))[2]

    plain, packed = run(thrice())
    assert plain == TEXT.encode() == gzip.decompress(packed)


def test_a_file_that_is_gone_is_not_remembered_as_it_was():
    headers = dict(FOR_EVER)

    async def file(scope, receive, send):
        await PlainTextResponse(TEXT, 200 if headers else 404, headers)(scope, receive, send)

    async def twice():
        packed = Compression(file)
        first = await get(packed)
        headers.clear()
        return first[0], (await get(packed))[0]

    assert run(twice()) == (200, 404)
