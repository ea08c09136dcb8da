"""What the server does to its lines."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from pages._server import connections, lifecycle


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
    with ThreadPoolExecutor(1) as thread:  # in this one there may be the loop of a browser
        assert thread.submit(asyncio.run, lived(server)).result().endswith(b"here")
    assert at_once == [True]


@pytest.fixture
def served(monkeypatch):
    """Serve as the dashboard does, with so many lines; what a client finds of it."""
    def run(client, most=9):
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

        with ThreadPoolExecutor(1) as thread:  # in this one there may be the loop of a browser
            return thread.submit(asyncio.run, both()).result()

    return run


def test_signs_of_life_have_a_limit_and_messages_a_length(served):
    """Half a million of them in a second, each answered at once, let nobody else be served."""
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
        return await answered(server)


async def answered(server):
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
