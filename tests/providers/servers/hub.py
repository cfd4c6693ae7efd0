"""The hub, as its own client asks it: what is known of a model, and its files with Range, ETag, commit and size."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".onnx", ".safetensors", ".onnx_data")


@dataclass
class Hub:
    """Models by name, and what goes wrong.

    Attributes:
        models: folder of each.
        tokens: that must be sent for a model, by its name.
        listed: a file that a model is said to have besides its own, by the model's name.
        gated: models whose terms nobody has agreed to.
        faults: played on the next downloads of large files, in order: ``half`` (of the body, then the end), ``500``,
            ``size`` (another size than was said), ``content`` (another content of the right size), ``stop`` (always).
        requests: method, path and token of all that came.
    """

    models: dict[str, Path] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    listed: dict[str, str] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    faults: deque[str] = field(default_factory=deque)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""

    def fetched(self) -> list[str]:
        """The files that were downloaded so far, in order."""
        return [path.partition(f"/resolve/{COMMIT}/")[2] for kind, path, _ in self.requests if kind == "GET"][1:]


class Handler(BaseHTTPRequestHandler):
    """Answers as the hub does."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Be quiet."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        self.hub.requests.append((self.command, path, token))
        about = path.startswith("/api/models/")
        name = (
            path.removeprefix("/api/models/").partition("/revision/")[0] if about else path[1:].partition("/resolve")[0]
        )
        if name in self.hub.gated:
            self._refuse(403, "GatedRepo", f"Access to model {name} is restricted.")
        elif name not in self.hub.models or self.hub.tokens.get(name, token) != token:
            self._refuse(404 if token else 401, "RepoNotFound" if token else "", "Invalid username or password.")
        elif about:
            self._send(json.dumps(self._about(name)).encode(), {"content-type": "application/json"})
        else:
            self._file(self.hub.models[name], path.partition("/resolve/")[2].partition("/")[2])

    def _about(self, name: str) -> dict[str, Any]:
        folder = self.hub.models[name]
        files = []
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                content = path.read_bytes()
                entry: dict[str, Any] = {"rfilename": path.relative_to(folder).as_posix(), "size": len(content)}
                if path.name.endswith(LARGE):
                    digest = hashlib.sha256(content).hexdigest()
                    entry["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 130}
                files.append(entry)
        if name in self.hub.listed:
            files.append({"rfilename": self.hub.listed[name], "size": 1})
        return {"id": name, "modelId": name, "sha": COMMIT, "private": False, "siblings": files}

    def _file(self, folder: Path, name: str) -> None:
        if not (folder / name).is_file():
            self._refuse(404, "EntryNotFound", "Entry not found")
            return
        content = (folder / name).read_bytes()
        large = name.endswith(LARGE)
        etag = hashlib.sha256(content).hexdigest() if large else hashlib.sha1(content).hexdigest()
        headers = {"etag": f'"{etag}"', "x-repo-commit": COMMIT, "accept-ranges": "bytes"}
        fault = self.hub.faults[0] if large and self.command == "GET" and self.hub.faults else ""
        if large:
            headers |= {"x-linked-etag": f'"{etag}"', "x-linked-size": str(len(content))}
        if fault and fault != "stop":
            self.hub.faults.popleft()
        if fault == "500":
            self._refuse(500, "", "Internal Error")
            return
        if fault == "size":
            content += b"more"
        elif fault == "content":
            content = content[:-1] + bytes([content[-1] ^ 1])
        self._send(content, headers, cut=fault in ("half", "stop"))

    def _send(self, content: bytes, headers: dict[str, str], *, cut: bool = False) -> None:
        asked = self.headers.get("range", "")
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        self.send_response(206 if asked else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content) - start))
        if asked:
            self.send_header("content-range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if self.command == "GET":
            rest = content[start:]
            self.wfile.write(rest[: len(rest) // 2] if cut else rest)
            self.close_connection = cut

    def _refuse(self, status: int, code: str, said: str) -> None:
        body = json.dumps({"error": said}).encode()
        self.send_response(status)
        if code:
            self.send_header("x-error-code", code)
        self.send_header("x-error-message", said)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


class Running:
    """A hub while it runs, as a context. With an SSL context it speaks TLS."""

    def __init__(self, hub: Hub, context: Any = None) -> None:
        handler = type("HubHandler", (Handler,), {"hub": hub})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        scheme = "http"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        hub.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._hub = hub
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Hub:
        self._thread.start()
        return self._hub

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
