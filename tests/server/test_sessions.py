"""How many pages may be open, and which of their messages reach Streamlit."""

import asyncio
import socket

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages._server import launch, lifecycle
from pages._server.internals import is_from_page
from pages._server.sessions import Sessions, max_sessions
from tests.builders.client import run


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

    async def ask(accept=b"text/html"):
        sent.clear()
        await sessions(
            {"type": "http", "method": "GET", "path": "/", "headers": [(b"accept", accept)]},
            none,
            send,
        )
        return sent[0]["status"], dict(sent[0]["headers"]).get(b"refresh")

    async def several():
        global opened
        opened = asyncio.Event()
        tabs = [
            asyncio.create_task(sessions({"type": "websocket", "headers": []}, none, send))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        found = [await ask(), await ask(b"*/*")]  # the page waits, files of an open one come
        scope = {"type": "websocket", "headers": [], "extensions": {"websocket.http.response": {}}}
        await sessions(scope, none, refuse)
        opened.set()
        await asyncio.gather(*tabs)
        return [*found, await ask()]

    sessions = Sessions(held)
    assert run(several()) == [(503, b"10"), (200, None), (200, None)]
    assert refused[0]["status"] == 503
    assert b"MTSIG_MAX_SESSIONS" in refused[1]["body"]


@pytest.mark.parametrize(
    ("files", "asked", "most"),
    [(1024, None, 118), (20_000, None, 500), (20_000, "40", 40), (300, None, 1), (-1, "900", 900)],
)
def test_no_more_pages_than_the_system_lets_files_be_open_for(monkeypatch, files, asked, most):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda which: (files, files))
    monkeypatch.delenv("MTSIG_MAX_SESSIONS", raising=False)
    if asked:
        monkeypatch.setenv("MTSIG_MAX_SESSIONS", asked)
    assert max_sessions() == most


@pytest.mark.parametrize(
    ("usual", "hard", "wanted"),
    [
        (1024, 1 << 20, (10_000, 1 << 20)),
        (1024, 4096, (4096, 4096)),
        (256, -1, (10_000, -1)),
        (20_000, 20_000, None),
        (-1, -1, None),
    ],
)
def test_the_command_lets_servers_open_as_many_files_as_the_system_allows(
    monkeypatch, usual, hard, wanted
):
    import resource

    done = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (usual, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: done.append(limits))
    launch._allow_files()
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

    scope = {"type": "websocket", "headers": []}

    async def ask(app):
        sessions = Sessions(app)
        await sessions(scope, None, gone)
        return sessions._open

    assert run(ask(streamlit)) == 0
    with pytest.raises(RuntimeError, match="another"):
        run(ask(broken))


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


# Which messages reach Streamlit.


def sent(**fields):
    return BackMsg(**fields).SerializeToString()


def operation(name, **fields):
    return sent(backend_operation_request={"request_id": "one", name: fields})


@pytest.mark.parametrize(
    ("message", "reaches"),
    [
        (sent(stop_script=True), True),
        (sent(app_heartbeat=True), True),
        (sent(rerun_script={"page_name": "pair"}), True),
        (sent(file_urls_request={"file_names": ["a.txt"]}), True),
        (operation("deferred_file", file_id="0"), True),
        (operation("dataframe_chunk", source_id="0"), True),
        *(
            (sent(**{kind: True}), False)
            for kind in (
                "clear_cache",
                "set_run_on_save",
                "load_git_info",
                "debug_disconnect_websocket",
                "debug_shutdown_runtime",
            )
        ),
        (operation("install_skills"), False),
        (operation("dismiss_skills_nudge"), False),
        (b"", False),
        (b"rerun", False),
        (None, False),
    ],
)
def test_only_messages_of_pages_reach_streamlit(message, reaches):
    messages = [{"type": "websocket.receive", "bytes": message}, {"type": "websocket.disconnect"}]
    reached = []

    async def streamlit(scope, receive, send):
        reached.append(await receive())

    async def receive():
        return messages.pop(0)

    run(Sessions(streamlit)({"type": "websocket", "headers": []}, receive, None))
    assert is_from_page(message) is reaches
    assert reached[0]["type"] == ("websocket.receive" if reaches else "websocket.disconnect")
