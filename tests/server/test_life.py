"""What the server's life does to its connections."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import uvicorn
from starlette.responses import PlainTextResponse

from pages._ui import server_life


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
    monkeypatch.setattr(server_life.signal, "getsignal", lambda number: server.handle_exit)
    monkeypatch.setattr(server_life.signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(server_life.st, "get_option", lambda name: name == "server.headless")
    monkeypatch.setattr(server_life, "_load", lambda: None)
    with ThreadPoolExecutor(1) as thread:  # in this one there may be the loop of a browser
        assert thread.submit(asyncio.run, lived(server)).result().endswith(b"here")
    assert at_once == [True]


async def lived(server):
    async with server_life.life(None):
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
