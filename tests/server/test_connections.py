"""How many pages may be open, and how much each may send."""

import asyncio
import socket
from contextlib import suppress

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from mtsig_core.cli import serving as command
from pages._server import connections, lifecycle
from pages._server.connections import MOST_FILES, Forged, answered
from tests.builders.client import answer as sent_by
from tests.builders.client import run

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
    sessions = connections.Sessions(None)
    sessions._open, sessions._here["mine"] = 4, 1  # beyond the room that is left for who loads anew

    for kind, accept in (("http", b"text/html"), ("websocket", b"")):
        scope = {"type": kind, "method": "GET", "path": "/", "headers": [(b"accept", accept), *cookie],
                 "extensions": {"websocket.http.response": {}}}
        start, *_ = run(sent_by(sessions, scope))
        left = dict(start["headers"]).get(b"set-cookie")
        assert start["status"] == 503 and left == (None if here else b"mtsig_worker=; Path=/; Max-Age=0")


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


# What the server does to its lines.


def test_what_is_written_is_sent_at_once_also_on_a_socket_that_streamlit_made(monkeypatch):
    """Else a browser had each answer in two pieces, 40 ms apart."""
    config = uvicorn.Config(PlainTextResponse("here"), lifespan="off", log_level="error")
    config.load()
    server, at_once = uvicorn.Server(config), []

    class Noted(config.http_protocol_class):
        def connection_made(self, transport):
            own = transport.get_extra_info("socket")
            at_once.append(bool(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            super().connection_made(transport)

    config.http_protocol_class = Noted
    monkeypatch.setattr(lifecycle.signal, "getsignal", lambda number: server.handle_exit)
    monkeypatch.setattr(lifecycle.signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(lifecycle.st, "get_option", lambda name: name == "server.headless")
    monkeypatch.setattr(lifecycle, "_load", lambda: None)
    assert run(lived(server)).endswith(b"here")
    assert at_once == [True]


@pytest.fixture
def served(monkeypatch):
    """Serve as the dashboard does, with so many lines; what a client finds of it."""
    def serve(client, most=9):
        async def websocket(scope, receive, send):
            if scope["type"] == "http":
                return await PlainTextResponse("here")(scope, receive, send)
            await receive()
            await send({"type": "websocket.accept"})
            while (await receive())["type"] != "websocket.disconnect":
                await send({"type": "websocket.send", "bytes": b"heard"})

        async def both():
            config = uvicorn.Config(websocket, lifespan="off", log_level="critical", ws="websockets-sansio")
            config.load()
            connections.limit_connections(config, most, 64)
            server = uvicorn.Server(config)
            with socket.socket(socket.AF_INET) as listening:
                listening.bind(("127.0.0.1", 0))
                listening.listen()
                serving = asyncio.create_task(server.serve([listening]))
                try:
                    return await client(*listening.getsockname())
                finally:
                    server.should_exit = True
                    await serving

        return run(both())

    return serve


def test_signs_of_life_have_a_limit_and_messages_a_length(served):
    """Half a million of them in a second, each answer_of at once, let nobody else be served."""
    async def client(host, port):
        async with connect(f"ws://{host}:{port}", ping_interval=None) as page:
            for _ in range(90):
                await page.ping()
            await page.send(b"a message")
            assert await page.recv() == b"heard"
            with pytest.raises(ConnectionClosed):
                for _ in range(20):
                    await (await page.ping())
        async with connect(f"ws://{host}:{port}", ping_interval=None) as page:
            with pytest.raises(ConnectionClosed):
                await page.send(bytes(5 << 20))
                await page.recv()
        async with connect(f"ws://{host}:{port}", ping_interval=None) as page:
            await page.send(bytes(3 << 20))
            return await page.recv()

    assert served(client) == b"heard"


def test_a_line_without_a_request_is_cut(served, monkeypatch):
    """Also one whose second request does not come whole; and none that became a page's."""
    monkeypatch.setattr(connections, "_PATIENCE", 0.1)

    async def client(host, port):
        async with connect(f"ws://{host}:{port}", ping_interval=None) as page:
            for begun in (b"", b"GET / HTTP/1.1\r\nHost: a\r\n",
                          b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n"):
                reader, writer = await asyncio.open_connection(host, port)
                writer.write(begun)
                with suppress(ConnectionResetError):  # which is how a cut line may look
                    assert (b"here" in await reader.read()) == begun.endswith(b"\r\n\r\nGET / HTTP/1.1\r\n")
                writer.close()
            await page.send(b"a message")
            return await page.recv()

    assert served(client) == b"heard"


def test_lines_beyond_a_number_are_cut_and_the_others_hold(served):
    async def client(host, port):
        lines = [await asyncio.open_connection(host, port) for _ in range(3)]
        for _, writer in lines[:2]:
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        cut = lines[2][0].read()
        with suppress(ConnectionResetError):
            assert await cut == b""
        found = [await reader.read() for reader, _ in lines[:2]]
        for _, writer in lines:
            writer.close()
        return [text.endswith(b"here") for text in found]

    assert served(client, most=2) == [True, True]


async def lived(server):
    async with lifecycle.life(None):
        return await answer_of(server)


async def answer_of(server):
    """What a server says, on a socket that is made as Streamlit makes its own."""
    with socket.socket(socket.AF_INET) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        serving = asyncio.create_task(server.serve([listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        said = await reader.read()
        writer.close()
        server.should_exit = True
        await serving
        return said


# What a message may ask, before Streamlit hears of it.


LONG = "x" * 10_001


def answer(**fields):
    return answered(BackMsg(**fields).SerializeToString())


def rerun(**fields):
    return answer(rerun_script=fields)


def widgets(*names):
    return rerun(widget_states={"widgets": [{"id": name, "int_value": 1} for name in names]})


def files(n, name="a.txt", **more):
    return answer(file_urls_request={"request_id": "one", "file_names": [name] * n, **more})


def test_what_pages_send_is_for_streamlit():
    assert answer(stop_script=True) is answer(app_heartbeat=True) is None
    assert rerun(query_string="a=b" * 50_000, page_name="pair", cached_message_hashes=["0" * 32] * 500) is None
    assert widgets("$$ID-0-None", "$$STREAMLIT_INTERNAL_KEY__events") is None
    assert rerun(widget_states={"widgets": [{"id": "$$ID-0-emptied"}]}) is None  # of a field that was emptied
    assert files(MOST_FILES, "x" * 255) is None
    for payload in ({"deferred_file": {"file_id": "0"}}, {"dataframe_chunk": {"source_id": "0", "limit": 100}}):
        assert answer(backend_operation_request={"request_id": "one", **payload}) is None


def test_who_chooses_too_many_files_is_told_so():
    told = ForwardMsg.FromString(files(MOST_FILES + 1)).file_urls_response
    assert told.response_id == "one" and not told.file_urls
    assert "1,001 files" in told.error_msg and "at most 1,000" in told.error_msg


@pytest.mark.parametrize("kind", ["clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket",
                                  "debug_shutdown_runtime"])
def test_what_is_for_developers_is_dropped(kind):
    assert answer(**{kind: True}) == b""


def test_so_is_what_writes_files_on_the_server_and_what_asks_nothing():
    for payload in ("install_skills", "dismiss_skills_nudge"):
        assert answer(backend_operation_request={"request_id": "one", payload: {}}) == b""
    assert answered(b"") == b""


@pytest.mark.parametrize("forged", [
    lambda: widgets("testset"), lambda: widgets(""), lambda: widgets(*["$$ID"] * 10_001),
    lambda: widgets("$$ID" + LONG),
    lambda: rerun(cached_message_hashes=["0"] * 10_001), lambda: rerun(cached_message_hashes=[LONG]),
    lambda: rerun(page_name=LONG), lambda: rerun(page_script_hash=LONG), lambda: rerun(fragment_id=LONG),
    lambda: files(1, LONG), lambda: files(1, request_id=LONG), lambda: files(1, session_id=LONG),
    lambda: answer(backend_operation_request={"request_id": LONG}),
    lambda: answer(backend_operation_request={"deferred_file": {"file_id": LONG}}),
    lambda: answered(b"rerun")])
def test_what_no_page_sends_is_told_apart(forged):
    with pytest.raises(Forged):
        forged()
