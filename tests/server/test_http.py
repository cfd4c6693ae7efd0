"""The real server process over HTTP, over the fake well."""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared._httpx_utils import create_mcp_http_client

from drawwell import __version__
from drawwell.errors import ConfigurationError, DependencyError
from drawwell.server.http import listen
from drawwell.server.serve import ServeConfig, serve
from tests.server.raw import ROOT

TOKEN = "correct-horse-battery"
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "plain", "arguments": {"text": "hi"}},
}


class HttpServer:
    """A server process on a free port."""

    def __init__(self, **options: Any) -> None:
        options = {"transport": "http", "port": 0, **options}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.fake_server", json.dumps(options)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.errors: list[str] = []
        self._first: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        line = self._first.get(timeout=20)
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/mcp", line)[1])
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def _read(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line)
            self._first.put(line)

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        """One request: status, decoded body, headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.request(method, path, data, {**(JSON_HEADERS if body is not None else {}), **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith("{") else text, answer.headers

    def stop(self) -> str:
        """Stop it; what it wrote to stdout."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=10)
        return out


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    """A server on loopback without a token."""
    server = HttpServer(log_level="info", log_calls=True, max_body_bytes=100_000)
    yield server
    out = server.stop()
    assert out == ""


@pytest.fixture(scope="module")
def locked() -> Iterator[HttpServer]:
    """A server that asks for a token."""
    server = HttpServer(token=TOKEN)
    yield server
    server.stop()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_sdk_client(server: HttpServer, mode: str, slash: str) -> None:
    """SV-03: both eras work at both forms of the address."""

    async def main() -> None:
        async with Client(server.url + slash, mode=mode) as client:
            assert client.instructions.startswith("Version 0.")
            assert client.server_info.version == __version__
            assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
            assert (await client.call_tool("plain", {"text": "é"})).content[0].text == "é"
            assert (await client.read_resource("fake://index")).contents[0].text.startswith("index ")

    asyncio.run(asyncio.wait_for(main(), 20))


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_plain_post(server: HttpServer, path: str) -> None:
    """SV-03: a single request without session or handshake is answered as JSON, without a redirect."""
    status, answer, headers = server.ask("POST", path, CALL)
    assert status == 200
    assert answer["result"]["content"][0]["text"] == "hi"
    assert headers.get_content_type() == "application/json"
    assert "mcp-session-id" not in headers


def test_other_methods_and_paths(server: HttpServer) -> None:
    """There are no sessions to listen to or delete, and nothing below the address."""
    for method in ("GET", "DELETE", "PUT"):
        status, _, headers = server.ask(method, "/mcp")
        assert (status, headers["allow"]) == (405, "POST")
    assert server.ask("POST", "/mcp/more", CALL)[0] == 404
    assert server.ask("GET", "/")[0] == 404


def test_health(server: HttpServer, locked: HttpServer) -> None:
    """SV-05: /health tells state and version, and the wells' state only to those who may know."""
    status, answer, _ = server.ask("GET", "/health")
    assert status == 200
    assert answer == {
        "status": "ok",
        "version": __version__,
        "toolsets": {"fake": {"ready": True, "version": answer["toolsets"]["fake"]["version"]}},
    }
    assert locked.ask("GET", "/health")[1] == {"status": "ok", "version": __version__}
    assert "toolsets" in locked.ask("GET", "/health", headers={"Authorization": f"Bearer {TOKEN}"})[1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost:6274"}, 200),
    ],
)
def test_host_and_origin(server: HttpServer, headers: dict[str, str], status: int) -> None:
    """SV-04: foreign Host names and Origins are refused everywhere, health included."""
    assert server.ask("POST", "/mcp", CALL, headers)[0] == status
    assert server.ask("GET", "/health", headers=headers)[0] == status


def test_token(locked: HttpServer) -> None:
    """SV-04: without the token nothing is served; the refusal says which scheme is meant."""
    status, answer, headers = locked.ask("POST", "/mcp", CALL)
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert "bearer token" in answer["error"]
    assert locked.ask("POST", "/mcp", CALL, {"Authorization": "Bearer wrong-token-wrong"})[0] == 401
    assert locked.ask("POST", "/mcp", CALL, {"Authorization": f"Bearer {TOKEN}"})[0] == 200

    async def main() -> None:
        async with (
            create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
            Client(streamable_http_client(locked.url, http_client=web)) as client,
        ):
            assert (await client.call_tool("plain", {"text": "in"})).content[0].text == "in"

    asyncio.run(asyncio.wait_for(main(), 20))


def test_bodies_are_bounded(server: HttpServer) -> None:
    """A body beyond the bound is refused before it is parsed; nonsense is a client's error."""
    big = {**CALL, "params": {"name": "plain", "arguments": {"text": "x" * 200_000}}}
    assert server.ask("POST", "/mcp", big)[0] == 413
    assert server.ask("POST", "/mcp", b"{")[0] == 400
    assert server.ask("POST", "/mcp", b"[" * 50_000)[0] == 400


def test_slow_call_does_not_delay_others(server: HttpServer) -> None:
    """TL-11b: a quick call is answered while a slow one runs."""
    slow = {**CALL, "params": {"name": "sleep", "arguments": {"seconds": 1.5}}}
    answers: list[str] = []

    def call(body: object) -> None:
        answers.append(server.ask("POST", "/mcp", body)[1]["result"]["content"][0]["text"])

    threads = [threading.Thread(target=call, args=(body,)) for body in (slow, CALL, CALL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["hi", "hi", "slept"]


def test_notices(server: HttpServer) -> None:
    """SV-06: a client of the current revision that listens hears of a change."""

    async def main() -> None:
        async with (
            Client(server.url) as client,
            client.listen(resource_subscriptions=["fake://item/1"]) as stream,
        ):
            await client.call_tool("change", {"text": "x"})
            assert await anext(aiter(stream)) == ResourceUpdated(uri="fake://item/1")

    asyncio.run(asyncio.wait_for(main(), 20))


def test_stops_with_busy_calls() -> None:
    """A signal ends the server soon, whatever its threads are at."""
    server = HttpServer()
    busy = {**CALL, "params": {"name": "sleep", "arguments": {"seconds": 50}}}
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        body = json.dumps(busy).encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in JSON_HEADERS.items())
        client.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        )
        time.sleep(0.3)
        server.stop()  # waits ten seconds at most
    assert server.process.returncode is not None


def test_logs_go_to_stderr(server: HttpServer) -> None:
    """One level holds for all loggers; calls are logged; the access log is off and nothing is on stdout."""
    server.ask("POST", "/mcp", CALL)
    told = "".join(server.errors)
    assert "plain text=hi -> 1 result in" in told
    assert "INFO uvicorn.error: Application startup complete" in told
    assert "POST /mcp" not in told


def test_port_that_is_taken(server: HttpServer) -> None:
    """A port that another server has is an error that says so."""
    config = ServeConfig(toolsets=(), transport="http", port=server.port)
    with pytest.raises(DependencyError, match=f"port {server.port} on 127.0.0.1 is in use .* another --port"):
        serve(config)


def test_addresses() -> None:
    """Names and both families of addresses can be listened on; nonsense is refused."""
    for host in ("localhost", "127.0.0.1", *(["::1", "[::1]"] if socket.has_dualstack_ipv6() else [])):
        listen(host, 0).close()
    with pytest.raises(ConfigurationError, match="no address of this machine"):
        listen("no-such-host.invalid", 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transport": "carrier-pigeon"}, "takes one of stdio, http"),
        ({"log_level": "loud"}, "takes one of debug, info, warning, error"),
        ({"transport": "http", "host": "0.0.0.0"}, "a bearer token is required"),
        ({"transport": "http", "token": "short"}, "usable token"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str) -> None:
    """A server that cannot be as it was asked to be does not start."""
    with pytest.raises(ConfigurationError, match=message):
        serve(ServeConfig(toolsets=(), **options))
