"""The real server process on stdio, over the fake well."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from mcp import Client, StdioServerParameters

from drawwell import __version__
from tests.server.raw import MODERN, ROOT, RawServer, modern

LEAVES_WITHIN = 2.0


@pytest.fixture(scope="module")
def server() -> Iterator[RawServer]:
    """One server for the tests that do not end it, after an old handshake."""
    server = RawServer.fake(log_calls=True)
    server.shake_hands()
    yield server
    server.end()


def leaves(server: RawServer) -> float:
    """Close stdin and wait: the seconds until the process has gone, of its own."""
    begun = time.monotonic()
    server.close_stdin()
    assert server.process.wait(10) == 0
    return time.monotonic() - begun


def test_old_handshake(server: RawServer) -> None:
    """A client of 2025-06-18 is answered in that revision."""
    other = RawServer.fake()
    try:
        result = other.shake_hands()
        assert result["protocolVersion"] == "2025-06-18"
        assert result["serverInfo"]["version"] == __version__
        assert result["instructions"].startswith("Version 0.")
        assert [tool["name"] for tool in other.request("tools/list")["tools"]][:2] == ["echo", "sleep"]
        assert other.call("echo", text="é 設定") == ('{"said":"é 設定","words":["é","設定"]}', False)
        assert leaves(other) < LEAVES_WITHIN
    finally:
        other.end()


def test_current_revision_without_handshake() -> None:
    """A client of 2026-07-28 needs no handshake: the first request carries all, discovery included."""
    server = RawServer.fake()
    try:
        result = server.request("tools/call", modern(name="echo", arguments={"text": "hi"}))
        assert json.loads(result["content"][0]["text"])["said"] == "hi"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == __version__
        discovered = server.request("server/discover", modern())
        assert discovered["supportedVersions"] == [MODERN]
        assert discovered["instructions"].startswith("Version 0.")
        assert leaves(server) < LEAVES_WITHIN
    finally:
        server.end()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_sdk_client(mode: str) -> None:
    """The SDK's own client works with the process in both eras."""

    async def main() -> None:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tests.server.fake_server", "{}"],
            env={"PYTHONPATH": str(ROOT)},
            cwd=ROOT,
        )
        async with Client(command, mode=mode) as client:
            assert (await client.call_tool("plain", {"text": "there"})).content[0].text == "there"

    asyncio.run(asyncio.wait_for(main(), 20))


def test_nothing_but_protocol_on_stdout(server: RawServer) -> None:
    """Whatever a tool prints goes to stderr; each line on stdout is a message."""
    assert server.call("print", text="stray words") == ("printed", False)
    server.call("fail", text="boom")
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"
        assert b"stray" not in line
    time.sleep(0.1)
    told = "".join(server.errors)
    assert "stray words\nand more\n" in told
    assert "ZeroDivisionError" in told  # for the operator, not for the client


def test_nonsense_does_not_end_the_server(server: RawServer) -> None:
    """Lines that are no message, bytes that are no text and unknown methods leave the server working."""
    for line in (b"hello\n", b"\xff\xfe\x00\n", b"[]\n", b"{}\n", b"[" * 50_000 + b"\n", b"\n"):
        server.process.stdin.write(line)
    server.process.stdin.flush()
    assert server.answer(server.send("no/such/method"))["error"]["code"] == -32601
    assert server.answer(server.send("tools/call", {"name": 5}))["error"]["code"] == -32602
    assert server.call("plain", text="alive") == ("alive", False)


def test_calls_are_logged_without_bodies(server: RawServer) -> None:
    """With ``log_calls`` each call is a line on stderr: tool, arguments in short, results, time."""
    server.call("echo", text="one two three")
    time.sleep(0.1)
    lines = [line for line in server.errors if line.startswith("echo text=one two three -> 3 results in ")]
    assert len(lines) == 1
    assert lines[0].endswith(" ms\n")


def test_slow_call_does_not_delay_others(server: RawServer) -> None:
    """TL-11b: a quick call is answered while a slow one runs; a cancelled call is not answered."""
    slow = server.send("tools/call", {"name": "sleep", "arguments": {"seconds": 3}})
    assert server.call("plain", text="quick") == ("quick", False)
    server.send("notifications/cancelled", {"requestId": slow}, notice=True)
    assert server.call("plain", text="after") == ("after", False)
    assert not any(json.loads(line).get("id") == slow for line in server.lines)


def test_leaves_at_once_with_busy_calls() -> None:
    """39: when stdin ends, the process leaves within two seconds, whatever its threads are at."""
    server = RawServer.fake()
    try:
        server.shake_hands()
        for _ in range(2):
            server.send("tools/call", {"name": "sleep", "arguments": {"seconds": 50}})
        time.sleep(0.2)
        assert leaves(server) < LEAVES_WITHIN
    finally:
        server.end()


def test_answers_what_was_asked_before_the_end() -> None:
    """Requests piped in with the end right behind them are still answered."""
    server = RawServer.fake()
    try:
        number = server.send("tools/call", modern(name="plain", arguments={"text": "in time"}))
        server.close_stdin()
        assert server.answer(number)["result"]["content"][0]["text"] == "in time"
        assert server.process.wait(5) == 0
    finally:
        server.end()


def test_leaves_when_the_client_no_longer_reads() -> None:
    """The process leaves within two seconds even when nobody takes its answers from the pipe."""
    command = [sys.executable, "-m", "tests.server.fake_server", "{}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        for number in range(3):
            params = modern(name="plain", arguments={"text": "x" * 500_000})
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
        process.stdout.read(1)  # it has started, and is writing
        begun = time.monotonic()
        process.stdin.close()
        process.wait(10)
        assert time.monotonic() - begun < LEAVES_WITHIN


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_leaves_on_a_signal() -> None:
    """SIGTERM ends the process at once, with the code that tells so."""
    server = RawServer.fake()
    try:
        server.shake_hands()
        server.send("tools/call", {"name": "sleep", "arguments": {"seconds": 50}})
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LEAVES_WITHIN) == 128 + signal.SIGTERM
    finally:
        server.end()
