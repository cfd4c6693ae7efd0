"""A client that sees every byte: a server process, driven line by line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
MODERN = "2026-07-28"


class RawServer:
    """A server on stdio.

    Args:
        arguments: after ``python``.
        env: variables to set.
    """

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        )
        self.lines: list[bytes] = []
        self.errors: list[str] = []
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: dict[int, dict[str, Any]] = {}
        self.notices: list[dict[str, Any]] = []
        self._number = 0
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_out, self._read_err)]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def fake(**options: Any) -> RawServer:
        """A server over the fake well."""
        return RawServer(["-m", "tests.server.fake_server", json.dumps(options)])

    def _read_out(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            self._messages.put(json.loads(line))
        self._messages.put(None)

    def _read_err(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line.decode())

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, notice: bool = False) -> int:
        """Send a request, or a notification; the request's number."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if not notice:
            self._number += 1
            message["id"] = self._number
        if params is not None:
            message["params"] = params
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._number

    def answer(self, number: int, timeout: float = 20) -> dict[str, Any]:
        """Wait for the answer to a request."""
        while number not in self._answers:
            message = self._messages.get(timeout=timeout)
            if message is None:
                raise EOFError("the server has gone: " + "".join(self.errors))
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.notices.append(message)
        return self._answers.pop(number)

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its result."""
        answer = self.answer(self.send(method, params))
        if "result" not in answer:
            raise AssertionError(answer)
        return answer["result"]

    def shake_hands(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The handshake of the old revisions."""
        client = {"name": "raw", "version": "1"}
        result = self.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.send("notifications/initialized", notice=True)
        return result

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """Call a tool: its text, and whether it failed."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        return result["content"][0]["text"], result["isError"]

    def close_stdin(self) -> None:
        """Let the server read the end."""
        self.process.stdin.close()

    def end(self) -> str:
        """Make sure that the process is gone; what it wrote to stderr."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return "".join(self.errors)


def modern(**params: Any) -> dict[str, Any]:
    """Parameters with the envelope of the current revision."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {**params, "_meta": meta}
