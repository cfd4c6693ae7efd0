"""What keeps connections, and the end of the HTTP server, within bounds of time."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from types import FrameType

import h11
import uvicorn
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "REQUEST_SECONDS", "BoundedProtocol", "BoundedServer", "quieten"]

REQUEST_SECONDS = 30.0
"""A request has to be there, head and body, this long after its first byte, or after the connection was made."""
MOST_CONNECTIONS = 500
"""Requests on more are refused."""

_LEAVE_SECONDS = 5.0  # after a signal; an orderly end takes less than half of it
_SIGNALLED = 128


class BoundedProtocol(H11Protocol):
    """A connection that is closed when its client does not finish a request in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._unfinished():
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close it when idle, or in the middle of a request that its client may never finish."""
        super().shutdown()
        if self._unfinished():
            self.transport.close()

    def _unfinished(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class BoundedServer(uvicorn.Server):
    """A server that ends soon after a signal, also when nobody reads its stderr any more."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        watch = threading.Timer(_LEAVE_SECONDS, os._exit, (_SIGNALLED + sig,))
        watch.daemon = True
        watch.start()
        super().handle_exit(sig, frame)


def quieten() -> None:
    """Keep tracebacks out of the log that only say that a client went away, or was left at the end."""
    for name in ("uvicorn.error", "mcp.server.streamable_http"):
        logging.getLogger(name).addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, (asyncio.CancelledError, ClientDisconnect))
