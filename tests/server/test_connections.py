"""How many pages may be open, and how much each may send."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg

from mtsig_core.cli import serving as command
from pages._server import connections
from tests.server.client import run

MINE = [(b"cookie", b"a=b; _streamlit_xsrf=mine")]
MESSAGE = {"type": "websocket.receive", "bytes": BackMsg(stop_script=True).SerializeToString()}


class Line:
    """A websocket that sends all it has at once, beside a clock that goes on only where somebody waits."""

    def __init__(self, messages):
        self.messages, self.sent, self.now, self.waited = iter(messages), [], 0.0, []

    async def receive(self):
        return next(self.messages)

    async def send(self, message):
        self.sent.append(message)

    async def sleep(self, seconds):
        self.now += seconds
        self.waited.append(seconds)


def heard(messages):
    """What reaches Streamlit of some messages, and the line."""
    line, reached = Line(messages), []

    async def application(scope, receive, send):
        while not reached or reached[-1]["type"] != "websocket.disconnect":
            reached.append(await receive())

    sessions = connections.Sessions(application, lambda: line.now, line.sleep)
    run(sessions({"type": "websocket", "headers": []}, line.receive, line.send))
    return reached, line


END = {"type": "websocket.disconnect", "code": 1001}


def test_a_hand_never_waits_and_a_program_does():
    reached, line = heard([{"type": "websocket.connect"}, *[MESSAGE] * 60, END])
    assert len(reached) == 62 and line.waited == []
    reached, line = heard([*[MESSAGE] * 1060, END])
    assert len(reached) == 1061 and line.now == pytest.approx(250)  # four in a second


def test_what_was_not_sent_may_be_sent_later_but_not_all_of_it():
    line = Line([MESSAGE] * 200)
    slowed = connections.Sessions(None, lambda: line.now, line.sleep)._slowed(line.receive, line.send)

    async def times(n):
        for _ in range(n):
            await slowed()

    run(times(61))
    assert line.now == pytest.approx(0.25)
    line.now += 3600
    run(times(60))
    assert len(line.waited) == 1
    run(times(1))
    assert len(line.waited) == 2


def test_a_text_ends_its_own_session_alone():
    reached, line = heard([MESSAGE, {"type": "websocket.receive", "text": "rerun"}])
    assert reached == [MESSAGE, {"type": "websocket.disconnect", "code": 1003}]
    assert line.sent == [{"type": "websocket.close", "code": 1003}]


@pytest.mark.parametrize(("cookie", "here"), [(MINE, True), ([(b"cookie", b"_streamlit_xsrf=another")], False),
                                              ([], False)])
def test_a_full_worker_leads_to_another_who_has_no_page_here(monkeypatch, cookie, here):
    monkeypatch.setenv("MTSIG_MAX_SESSIONS", "2")
    sessions, sent = connections.Sessions(None), []
    sessions._open, sessions._here["mine"] = 4, 1  # beyond the room that is left for who loads anew

    async def send(message):
        sent.append(message)

    for kind, accept in (("http", b"text/html"), ("websocket", b"")):
        scope = {"type": kind, "method": "GET", "path": "/", "headers": [(b"accept", accept), *cookie],
                 "extensions": {"websocket.http.response": {}}}
        sent.clear()
        run(sessions(scope, None, send))
        left = dict(sent[0]["headers"]).get(b"set-cookie")
        assert sent[0]["status"] == 503 and left == (None if here else b"mtsig_worker=; Path=/; Max-Age=0")


def test_what_is_large_waits_longer():
    written = BackMsg()
    written.rerun_script.widget_states.widgets.add(id="$$ID-note", string_value="x" * 1_000_000)
    _, line = heard([{"type": "websocket.receive", "bytes": written.SerializeToString()}] * 7 + [END])
    assert line.now == pytest.approx((7 * 11 - 60) / 4)


def test_what_is_forged_ends_its_line_and_what_is_for_developers_is_not_heard():
    def sent(asked):
        return {"type": "websocket.receive", "bytes": asked.SerializeToString()}

    reached, line = heard([sent(BackMsg(clear_cache=True)), MESSAGE, {"type": "websocket.receive", "bytes": b"rerun"}])
    assert reached == [MESSAGE, {"type": "websocket.disconnect", "code": 1008}]
    assert line.sent == [{"type": "websocket.close", "code": 1008}]


def test_a_page_too_many_is_told_so_and_comes_again(monkeypatch):
    monkeypatch.setenv("MTSIG_MAX_SESSIONS", "2")
    sent, refused = [], []

    async def send(message):
        sent.append(message)

    async def refuse(message):
        refused.append(message)

    async def none():
        return {"type": "http.request"}

    async def held(scope, receive, send):
        if scope["type"] == "websocket":
            await opened.wait()
        else:
            await PlainTextResponse("inside")(scope, receive, send)

    async def ask(accept=b"text/html", cookie=()):
        sent.clear()
        await sessions({"type": "http", "method": "GET", "path": "/", "headers": [(b"accept", accept), *cookie]}, none,
                       send)
        return sent[0]["status"], dict(sent[0]["headers"]).get(b"refresh")

    async def several():
        global opened
        opened = asyncio.Event()
        tabs = [asyncio.create_task(sessions({"type": "websocket", "headers": cookie}, none, send))
                for cookie in (MINE, [])]
        await asyncio.sleep(0)
        found = [await ask(), await ask(b"*/*")]  # the page waits, files of an open one come
        found += [await ask(cookie=MINE), await ask(cookie=[(b"cookie", b"_streamlit_xsrf=another")])]  # F5
        scope = {"type": "websocket", "headers": [], "extensions": {"websocket.http.response": {}}}
        await sessions(scope, none, refuse)
        opened.set()
        await asyncio.gather(*tabs)
        return [*found, await ask()]

    sessions = connections.Sessions(held)
    assert run(several()) == [(503, b"10"), (200, None), (200, None), (503, b"10"), (200, None)]
    assert refused[0]["status"] == 503 and b"MTSIG_MAX_SESSIONS" in refused[1]["body"]


@pytest.mark.parametrize(("files", "asked", "most"), [(1024, None, 111), (20_000, None, 500), (20_000, "40", 40),
                                                      (300, None, 1), (-1, "900", 900)])
def test_no_more_pages_than_the_system_lets_files_be_open_for(monkeypatch, files, asked, most):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda which: (files, files))
    monkeypatch.delenv("MTSIG_MAX_SESSIONS", raising=False)
    if asked:
        monkeypatch.setenv("MTSIG_MAX_SESSIONS", asked)
    lines, at_once = connections.max_connections()
    assert connections.max_sessions() == most < lines
    assert files < 600 or files >= 4 * most + 400 + lines - most + at_once


@pytest.mark.parametrize(("usual", "hard", "wanted"), [(1024, 1 << 20, (10_000, 1 << 20)), (1024, 4096, (4096, 4096)),
                                                      (256, -1, (10_000, -1)), (20_000, 20_000, None), (-1, -1, None)])
def test_the_command_lets_servers_open_as_many_files_as_the_system_allows(monkeypatch, usual, hard, wanted):
    import resource

    done = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (usual, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: done.append(limits))
    command._allow_files()
    assert done == ([wanted] if wanted else [])


def test_a_page_that_goes_while_it_is_sent_to_leaves_no_traceback():
    async def gone(message):
        raise OSError

    async def streamlit(scope, receive, send):
        try:
            await send({"type": "websocket.send", "bytes": b"a page"})
        except OSError:
            raise RuntimeError("WebSocket is not connected.") from None

    async def broken(scope, receive, send):
        raise RuntimeError("another")

    scope = {"type": "websocket", "headers": MINE}

    async def ask(app):
        sessions = connections.Sessions(app)
        await sessions(scope, None, gone)
        return sessions._open, sessions._here

    assert run(ask(streamlit)) == (0, {"mine": 1})  # for a moment
    with pytest.raises(RuntimeError, match="another"):
        run(ask(broken))


def test_who_left_a_moment_ago_is_forgotten():
    sessions = connections.Sessions(None)
    sessions._here["mine"] = 2
    sessions._forget("mine"), sessions._forget("mine")
    assert "mine" not in sessions._here
