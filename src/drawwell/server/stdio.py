"""Serving over stdin and stdout, for a host that starts the server itself.

Nothing but protocol goes to stdout: the SDK gives the wire a descriptor of its own and points descriptor 1 at stderr.
When stdin ends, calls in hand get a moment to be answered; then the process leaves, busy threads or not.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, NoReturn, Self

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from drawwell.server.config import ServeConfig
from drawwell.server.protocol import McpServer
from drawwell.server.toolbox import Toolbox

__all__ = ["serve_stdio"]

_BY_HAND = "drawwell speaks MCP on stdin and stdout, for a host that starts it (end it with Ctrl-D)."
_DRAIN_SECONDS = 0.8
_LEAVE_SECONDS = 1.4


def serve_stdio(config: ServeConfig, toolbox: Toolbox) -> NoReturn:
    """Serve one client until stdin ends, then end the process.

    Args:
        config: how to serve.
        toolbox: what to serve.
    """
    server = McpServer(toolbox, instructions=config.instructions, workers=config.workers)
    if sys.stdin.isatty():
        print(_BY_HAND, file=sys.stderr, flush=True)  # noqa: T201

    def stop(number: int, _frame: FrameType | None) -> None:
        _leave_later(128 + number)  # a thread may hold what closing waits for
        toolbox.close()
        _leave(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    try:
        anyio.run(_serve, server)
    finally:
        _leave_later()
        toolbox.close()
    _leave(0)


async def _serve(server: McpServer) -> None:
    async with stdio_server() as (read_stream, write_stream):
        await server.run(_Watched(read_stream, server), write_stream)


class _Watched:
    """The stream of messages: one that can be repaired is, and the end is held back while calls are being answered."""

    def __init__(self, stream: Any, server: McpServer) -> None:
        self._stream = stream
        self._server = server

    @property
    def last_context(self) -> Any:
        return self._stream.last_context

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            message = await self._stream.__anext__()
            return _repaired(message) if isinstance(message, ValidationError) else message
        except StopAsyncIteration:
            _leave_later()
            with anyio.move_on_after(_DRAIN_SECONDS):
                await anyio.sleep(0.05)
                while self._server.busy:
                    await anyio.sleep(0.02)
                await anyio.sleep(0.05)  # for the last answer to be written
            raise

    async def receive(self) -> Any:
        return await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.aclose()


def _repaired(failure: ValidationError) -> SessionMessage | ValidationError:
    """A message that was refused for half a surrogate pair, which JavaScript writes and our parser does not read."""
    line = failure.errors()[0]["input"]
    if not isinstance(line, str) or "\\u" not in line:
        return failure
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except (ValueError, RecursionError):
        return failure


def _leave_later(code: int = 0) -> None:
    """Leave within two seconds even if the client no longer reads and an orderly end cannot come."""
    timer = threading.Timer(_LEAVE_SECONDS, _leave, (code,))
    timer.daemon = True
    timer.start()


def _leave(code: int) -> NoReturn:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
