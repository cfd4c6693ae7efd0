"""Half requests and the end of the HTTP server: nothing stays open, nothing is waited for."""

from __future__ import annotations

import asyncio
import http.client
import logging
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from drawwell.server import connections
from drawwell.server.connections import BoundedProtocol, quieten
from drawwell.server.http import listen
from tests.server.raw import ROOT
from tests.server.test_http import HttpServer

HEAD = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n"
)
HALF = [b"", b"POST /mcp HT", HEAD, HEAD + b'{"a"']


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def test_half_requests_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not finish its request, byte by byte either, is cut off; whole ones are answered."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
    listening = listen("127.0.0.1", 0)
    address = listening.getsockname()
    server = uvicorn.Server(uvicorn.Config(_echo, http=BoundedProtocol, log_config=None, lifespan="off"))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(sockets=[listening]),))
    thread.start()
    try:
        for half in HALF:
            with socket.create_connection(address, timeout=10) as client:
                client.sendall(half)
                assert client.recv(100) == b""
        client = http.client.HTTPConnection(*address, timeout=10)
        for _ in range(2):
            client.request("POST", "/", b"body")
            assert client.getresponse().read() == b"ok"
            time.sleep(0.5)  # idle between requests for longer than one may take
        client.close()
    finally:
        server.should_exit = True
        thread.join(10)
    assert not thread.is_alive()


def test_stops_quietly_with_half_requests() -> None:
    """A signal ends the server with half requests open, and its log holds no traceback."""
    server = HttpServer()
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in HALF]
    for client, half in zip(clients, HALF, strict=True):
        client.sendall(half)
    time.sleep(0.3)
    server.stop()
    for client in clients:
        client.close()
    assert "Traceback" not in "".join(server.errors)


def test_only_such_tracebacks_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """Other faults are logged as before."""
    logger = logging.getLogger("uvicorn.error")
    before = list(logger.filters)
    quieten()
    try:
        for error in (ClientDisconnect(), asyncio.CancelledError(), ValueError("news")):
            logger.error("failed: %r", error, exc_info=error)
    finally:
        logger.filters[:] = before
    assert [record.getMessage() for record in caplog.records] == ["failed: ValueError('news')"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ends_when_its_end_hangs() -> None:
    """A server that cannot finish, for nobody reads what it writes to stderr, is gone soon after a signal."""
    code = (
        "import asyncio, sys, uvicorn\n"
        "from drawwell.server import connections\n"
        "from drawwell.server.http import listen\n"
        "connections._LEAVE_SECONDS = 0.3\n"
        "async def app(scope, receive, send):\n"
        "    while True:\n"
        "        message = await receive()\n"
        "        if message['type'] == 'lifespan.shutdown':\n"
        "            sys.stderr.write('x' * 10_000_000)\n"
        "        await send({'type': message['type'] + '.complete'})\n"
        "        print('up', flush=True)\n"
        "config = uvicorn.Config(app, log_config=None, lifespan='on')\n"
        "connections.BoundedServer(config).run(sockets=[listen('127.0.0.1', 0)])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stdout, process.stderr:
        assert process.stdout.readline() == "up\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 128 + signal.SIGTERM
