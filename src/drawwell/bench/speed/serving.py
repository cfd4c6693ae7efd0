"""A server over stdio beside a bare one of the same SDK: start to handshake, and memory when idle."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from drawwell.bench.speed.ingesting import DRAWWELL_TOOL
from drawwell.bench.speed.process import DRAWWELL, resident_mb
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, race

__all__ = ["BARE_SERVER_TOOL", "serve_rows"]

BARE_SERVER_TOOL = "bare server, same SDK"
_SETTLE_SECONDS = 0.5
_PATIENCE_SECONDS = 60.0
_HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"bench","version":"1"}}}\n'
)
_READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
_BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main():
    server = Server("bare")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


anyio.run(main)
"""


def serve_rows(store: Path, sections: int, runs: int) -> list[Row]:
    """Start servers and greet them.

    Args:
        store: of drawwell, up to date.
        sections: size of the corpus.
        runs: how often each.
    """
    contenders: list[Contender[int]] = [
        Contender(DRAWWELL_TOOL, partial(_greet, [*DRAWWELL, "serve", str(store)])),
        Contender(BARE_SERVER_TOOL, partial(_greet, [sys.executable, "-P", "-c", _BARE_SERVER])),
    ]
    return race(Where("serve", "start to handshake, idle memory", sections), contenders, range(runs), warm=True)


def _greet(command: Sequence[str], _: int) -> Measured:
    """The time until a new server has answered ``initialize``, and what it holds a moment later.

    Raises:
        Unavailable: it did not answer.
    """
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        patience = threading.Timer(_PATIENCE_SECONDS, process.kill)
        patience.start()
        try:
            stdin, stdout = process.stdin, process.stdout
            line = b""
            if stdin is not None and stdout is not None:
                stdin.write(_HELLO)
                stdin.flush()
                line = stdout.readline()
            ms = (time.perf_counter() - start) * 1000
            if b'"result"' not in line:
                raise Unavailable(f"the server did not answer the handshake: {line[:200]!r}")
            if stdin is not None:
                stdin.write(_READY)
                stdin.flush()
            time.sleep(_SETTLE_SECONDS)
            return Measured(ms, memory_mb=resident_mb(process.pid))
        except OSError as error:
            raise Unavailable(f"the server ended before the handshake: {error}") from error
        finally:
            patience.cancel()
            process.kill()
