"""How to serve, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from drawwell.server.tools.spec import Toolset

__all__ = ["LOG_LEVELS", "ServeConfig"]

LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Everything that a server needs to know.

    Attributes:
        toolsets: the wells to serve.
        transport: stdio, or http.
        host: address to listen on.
        port: port to listen on; 0 for any that is free.
        token: bearer token; required off loopback.
        allowed_hosts: further names under which clients may address the server.
        allowed_origins: further origins of web pages that may call it.
        log_calls: whether each tool call is logged on stderr.
        log_level: one of ``LOG_LEVELS``, for all loggers.
        instructions: replace the wells' own; empty for none at all.
        workers: tool calls that run at once.
        max_body_bytes: longest request over HTTP.
    """

    toolsets: tuple[Toolset, ...]
    transport: Literal["stdio", "http"] = "stdio"
    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    log_calls: bool = False
    log_level: str = "warning"
    instructions: str | None = None
    workers: int = 8
    max_body_bytes: int = 4 * 1024 * 1024
