"""Serving over HTTP: streamable HTTP at /mcp, stateless, and /health."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from drawwell._version import __version__
from drawwell.errors import ConfigurationError, DependencyError
from drawwell.server.auth import Gate, Refusal
from drawwell.server.config import ServeConfig
from drawwell.server.connections import MOST_CONNECTIONS, BoundedProtocol, BoundedServer, quieten
from drawwell.server.protocol import McpServer
from drawwell.server.toolbox import Toolbox

__all__ = ["http_app", "listen", "serve_http"]

_STOP_SECONDS = 2


def serve_http(config: ServeConfig, toolbox: Toolbox) -> None:
    """Serve until a signal comes.

    Args:
        config: how to serve.
        toolbox: what to serve.

    Raises:
        ConfigurationError: the address or the token cannot be used.
        DependencyError: another program has the port.
    """
    gate = Gate(config.host, config.token, config.allowed_hosts, config.allowed_origins)
    address = listen(config.host, config.port)
    server = McpServer(toolbox, instructions=config.instructions, workers=config.workers, standing=False)
    options = uvicorn.Config(
        http_app(server, toolbox, gate, config.max_body_bytes),
        log_config=None,
        access_log=False,
        log_level=logging.getLogger().level,
        lifespan="on",
        timeout_graceful_shutdown=_STOP_SECONDS,
        http=BoundedProtocol,
        limit_concurrency=MOST_CONNECTIONS,
    )
    host, port = address.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"drawwell {__version__} serves MCP at http://{shown}:{port}/mcp", file=sys.stderr, flush=True)  # noqa: T201
    quieten()
    BoundedServer(options).run(sockets=[address])


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket.

    Raises:
        ConfigurationError: the address or the port cannot be used.
        DependencyError: another program has the port.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as failure:
        raise ConfigurationError(
            f"host: {host!r} is no address of this machine: {failure.strerror or failure}"
        ) from None
    try:
        if sys.platform != "win32":  # there it would let a second server take the same port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(128)
    except OSError as failure:
        sock.close()
        if failure.errno == errno.EADDRINUSE:
            raise DependencyError(
                f"port {port} on {host} is in use by another program",
                "Stop that one, or pass another --port (0 takes any that is free)",
            ) from None
        raise ConfigurationError(
            f"port: {port} on {host} cannot be used: {failure.strerror or failure}",
            "Pass another --port (0 takes any that is free)",
        ) from None
    return sock


def http_app(server: McpServer, toolbox: Toolbox, gate: Gate, max_body_bytes: int) -> ASGIApp:
    """The ASGI application.

    Args:
        server: the server.
        toolbox: its wells.
        gate: who is let in.
        max_body_bytes: larger requests are refused.
    """
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=max_body_bytes
    )

    async def health(request: Request) -> JSONResponse:
        answer: dict[str, object] = {"status": "ok", "version": __version__}
        if gate.check_token(request.headers) is None:
            answer["toolsets"] = await server.pool.run(toolbox.status)
        return JSONResponse(answer)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            server.start()
            try:
                yield
            finally:
                server.notices.close()
                toolbox.close()

    endpoint = _Endpoint(manager, gate)
    app = Starlette(
        routes=[Route("/mcp", endpoint), Route("/mcp/", endpoint), Route("/health", health, methods=["GET"])],
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return _Guarded(app, gate)


class _Guarded:
    """Lets requests through whose Host and Origin are right, wherever they go."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._gate.check_source(Request(scope).headers)
            if refusal is not None:
                await _refuse(refusal)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _Endpoint:
    """Lets requests through to MCP that carry the token, and no other methods than MCP without sessions has."""

    def __init__(self, manager: StreamableHTTPSessionManager, gate: Gate) -> None:
        self._manager = manager
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._gate.check_token(Request(scope).headers)
        if refusal is None and scope["method"] != "POST":
            refusal = Refusal(405, "Only POST is served here: there are no sessions")
        if refusal is not None:
            await _refuse(refusal)(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)


def _refuse(refusal: Refusal) -> JSONResponse:
    headers = {401: {"WWW-Authenticate": "Bearer"}, 405: {"Allow": "POST"}}.get(refusal.status)
    return JSONResponse({"error": refusal.message}, status_code=refusal.status, headers=headers)
