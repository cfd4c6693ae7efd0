"""The entry for whoever starts a server: one frozen value in, a running server out."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from drawwell.errors import ConfigurationError
from drawwell.server.config import LOG_LEVELS, ServeConfig
from drawwell.server.log import configure_logging
from drawwell.server.toolbox import Toolbox

__all__ = ["LOG_LEVELS", "ServeConfig", "serve"]

_TRANSPORTS = {"stdio": "drawwell.server.stdio:serve_stdio", "http": "drawwell.server.http:serve_http"}
"""``module:function`` of each, imported when chosen: a web server would double the start-up time of stdio."""


def serve(config: ServeConfig) -> None:
    """Serve until the client leaves (stdio, which ends the process) or a signal comes (HTTP).

    Raises:
        ConfigurationError: the transport, the address, the token or the log level cannot be used.
        DependencyError: another program has the port.
    """
    if config.log_level not in LOG_LEVELS:
        raise ConfigurationError(f"log level: got {config.log_level!r}, takes one of {', '.join(LOG_LEVELS)}")
    if config.transport not in _TRANSPORTS:
        raise ConfigurationError(f"transport: got {config.transport!r}, takes one of {', '.join(_TRANSPORTS)}")
    configure_logging(config.log_level, calls=config.log_calls)
    module, _, name = _TRANSPORTS[config.transport].partition(":")
    run: Callable[[ServeConfig, Toolbox], None] = getattr(importlib.import_module(module), name)
    run(config, Toolbox(config.toolsets))
