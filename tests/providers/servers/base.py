"""What all the servers share: HTTP, a record of what came, and faults that are played one after another."""

from __future__ import annotations

import argparse
import json
import math
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from typing import Any

from tests.providers.servers.vectors import Model, WordHashes

TRICKLE_SECONDS = 0.02


@dataclass(frozen=True)
class Request:
    """What came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What is sent back: ``body`` as JSON unless it is text, or ``lines`` as JSON lines, one chunk each."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[Any] | None = None


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        status: sent with an error in the vendor's shape; 0 for none.
        code: of the vendor, such as ``insufficient_quota``.
        headers: sent with it.
        body: sent in place of the vendor's JSON.
        seconds: waited first.
        how: ``reset``, ``half`` (of the body, then the end), ``trickle`` (a byte at a time, for ever), ``headers``
            (they trickle too), or a spoiled answer: ``fewer``, ``more``, ``nan``, ``dimension``, ``zeros``, ``text``,
            ``base64``.
    """

    status: int = 0
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    seconds: float = 0
    how: str = ""


HTML = Fault(
    status=200, headers={"content-type": "text/html"}, body="<!doctype html><title>Sign in</title><p>Please sign in</p>"
)
BAD_GATEWAY = Fault(
    status=502, headers={"content-type": "text/html"}, body="<html><h1>502 Bad Gateway</h1><hr>nginx</html>"
)


class Service:
    """A vendor's service. Subclasses answer requests in its wire format.

    Args:
        model: gives vectors and counts tokens.
        key: what must be sent as key; empty for none.
        context: the most tokens of one text.
    """

    name = "service"
    played_on: tuple[str, ...] = ()
    """Ends of the paths that faults are played on."""

    def __init__(self, model: Model | None = None, key: str = "", context: int = 512) -> None:
        self.model = model or WordHashes()
        self.key = key
        self.context = context
        self.models: set[str] = set()
        self.faults: deque[Fault] = deque()
        self.requests: list[Request] = []
        self.spoiled = ""
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        raise NotImplementedError

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in the vendor's shape. As a nasty service would, it repeats what it was sent."""
        raise NotImplementedError

    def sent(self, *ends: str) -> list[Request]:
        """The requests to some paths so far."""
        return [request for request in self.requests if request.path.split("?")[0].endswith(ends or self.played_on)]

    def embed(self, texts: Sequence[str], dimension: int = 0) -> list[list[float]]:
        """Vectors, spoiled if the fault in play says so."""
        rows = [row[:dimension] if dimension else row for row in self.model.vectors(texts)]
        return _SPOIL.get(self.spoiled, lambda same: same)(rows)

    def too_long(self, texts: Sequence[str]) -> int:
        """Tokens of the first text that is longer than the context; 0 for none."""
        counts = map(self.model.tokens, texts)
        return next((count for count in counts if count > self.context), 0)


def _with(rows: list[list[float]], value: float) -> list[list[float]]:
    return [*rows[:-1], [value, *rows[-1][1:]]]


_SPOIL: dict[str, Callable[[list[list[float]]], list[list[float]]]] = {
    "fewer": lambda rows: rows[:-1],
    "more": lambda rows: [*rows, rows[0]],
    "nan": lambda rows: _with(rows, math.nan),
    "dimension": lambda rows: [row[:-1] for row in rows],
    "zeros": lambda rows: [*rows[:-1], [0.0] * len(rows[-1])],
}


class _Handler(BaseHTTPRequestHandler):
    """Plays the next fault, or answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Be quiet."""

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        self._serve(json.loads(raw or b"{}"))

    def _serve(self, body: dict[str, Any]) -> None:
        service = self.server.service
        request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        with service.lock:
            service.requests.append(request)
            service.at_once += 1
            service.most_at_once = max(service.most_at_once, service.at_once)
            played = self.path.split("?")[0].endswith(service.played_on) and service.faults
            fault = service.faults.popleft() if played else Fault()
        try:
            self._play(service, request, fault)
        except OSError:
            self.close_connection = True
        finally:
            with service.lock:
                service.at_once -= 1

    def _play(self, service: Service, request: Request, fault: Fault) -> None:
        if fault.seconds:
            self.server.stopping.wait(fault.seconds)
        if fault.how == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        if fault.body:
            answer = Answer(fault.status, fault.body, fault.headers)
        elif fault.status:
            answer = service.error(fault.status, fault.code, request)
            answer = replace(answer, headers={**answer.headers, **fault.headers})
        else:
            answer = self._answered(service, request, fault)
        self._send(answer, fault.how)

    def _answered(self, service: Service, request: Request, fault: Fault) -> Answer:
        if fault.how in ("", "half", "trickle", "headers"):
            return service.answer(request)
        with service.lock:
            service.spoiled = fault.how
            try:
                return service.answer(request)
            finally:
                service.spoiled = ""

    def _send(self, answer: Answer, how: str) -> None:
        if how == "headers":
            self._trickle(b"HTTP/1.1 200 OK\r\nx-padding: " + b"." * 10_000)
            return
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        raw = body.encode()
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        if answer.lines is not None:
            self._send_lines(answer.lines)
            return
        self.send_header("content-length", str(10**9 if how == "trickle" else len(raw)))
        self.end_headers()
        if how == "trickle":
            self._trickle(raw)
        elif how == "half":
            self.wfile.write(raw[: len(raw) // 2])
            self.close_connection = True
        else:
            self.wfile.write(raw)

    def _trickle(self, raw: bytes) -> None:
        """Send a byte now and then, blanks after the last one, for ever."""
        self.close_connection = True
        for byte in chain(raw, repeat(0x20)):
            self.wfile.write(bytes([byte]))
            if self.server.stopping.wait(TRICKLE_SECONDS):
                return

    def _send_lines(self, lines: Sequence[Any]) -> None:
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in lines:
            raw = json.dumps(line).encode() + b"\n"
            self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


class Server(ThreadingHTTPServer):
    """A service on a loopback port."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, service: Service, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.service = service
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def stop(self) -> None:
        """End as a killed process does: nothing listens, and open connections break."""
        self.stopping.set()
        self.shutdown()
        self.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


@contextmanager
def running(service: Service, context: Any = None, port: int = 0) -> Iterator[str]:
    """The address of a service while it runs. ``context`` makes it speak TLS."""
    server = Server(service, port)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.url if context is None else server.url.replace("http:", "https:")
    finally:
        server.stop()
        thread.join()


def serve(make: Callable[[Model, str, int], Service]) -> None:
    """Run a service from the command line until it is killed; prints its address."""
    parser = argparse.ArgumentParser(description="A faithful loopback server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="", help="the key that must be sent")
    parser.add_argument("--context", type=int, default=512, help="the most tokens of one text")
    parser.add_argument("--minilm", default="", help="a folder with model.onnx and tokenizer.json; else word hashes")
    parser.add_argument("--slow", type=float, default=0, help="seconds before each answer")
    given = parser.parse_args()
    if given.minilm:
        from tests.providers.servers.minilm import MiniLM

        model: Model = MiniLM(given.minilm)
    else:
        model = WordHashes()
    service = make(model, given.key, given.context)
    if given.slow:
        service.faults = _Always(Fault(seconds=given.slow))
    server = Server(service, given.port)
    print(server.url, flush=True)
    server.serve_forever()


class _Always(deque[Fault]):
    """The same fault for ever."""

    def __init__(self, fault: Fault) -> None:
        super().__init__([fault])
        self._fault = fault

    def popleft(self) -> Fault:
        """The fault."""
        return self._fault


def now() -> int:
    """Seconds since the epoch, as services stamp their answers."""
    return int(time.time())
