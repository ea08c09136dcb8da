"""The lines to the server, below HTTP: what is written goes out at once, and no line holds what others need."""

from __future__ import annotations

import socket

__all__ = ["hold_well"]

_PATIENCE = 20.0  # seconds for a whole request to come, or the next one
_AT_ONCE, _EACH_SECOND = 100, 5.0  # signs of life, and pieces of messages, of a page
_LONGEST = 4 << 20  # bytes of a message: what is typed and chosen on a page; files come otherwise
_READ = 1 << 14  # bytes that are taken in at a time, all of whose signs are answered at once


def hold_well(config, most: int, at_once: int) -> None:
    """Have Uvicorn's protocols do so.

    `most` lines may be open, and further ones are cut, after so many are taken at once: where the system lets no more
    files be open, all who come would wait for nothing, and each be told in the log.

    An answer is written in several pieces, and so is a page. The kernel would keep all but the first back until the
    browser confirms that one, up to 40 ms later. asyncio sees to this for sockets that it makes, not for Streamlit's.
    """
    class Line(config.http_protocol_class):
        def connection_made(self, transport):
            if len(self.connections) >= most:
                return transport.abort()
            line = transport.get_extra_info("socket")
            if line.family in (socket.AF_INET, socket.AF_INET6):
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            super().connection_made(transport)
            self.loop.call_later(_PATIENCE, self._look, None)

        def connection_lost(self, exc):
            if self.transport is not None:  # it was not cut at once
                super().connection_lost(exc)

        def _look(self, before):
            """Cut the line where no request has come since; one that became a page's is none of these any more."""
            if self in self.connections:
                if self.cycle is before and (before is None or before.response_complete):
                    return self.transport.abort()
                self.loop.call_later(_PATIENCE, self._look, self.cycle)

    class Page(config.ws_protocol_class):
        _left, _seen = float(_AT_ONCE), 0.0

        def connection_made(self, transport):
            if hasattr(transport, "max_size"):  # asyncio's own
                transport.max_size = _READ
            super().connection_made(transport)

        def handle_ping(self, *event):
            if self._may():
                super().handle_ping(*event)

        def handle_pong(self, *event):
            if self._may():
                super().handle_pong(*event)

        def handle_cont(self, *event):
            if self._may():
                super().handle_cont(*event)

        def _may(self):
            now = self.loop.time()
            self._left, self._seen = min(_AT_ONCE, self._left + (now - self._seen) * _EACH_SECOND) - 1, now
            if self._left < 0:
                self.transport.abort()
            return self._left >= 0

    config.http_protocol_class, config.ws_protocol_class = Line, Page
    config.backlog = min(config.backlog, at_once)
    config.ws_max_size = min(config.ws_max_size, _LONGEST)
