"""Logging of a server: everything on stderr, one level for our loggers, the SDK's and the web server's."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping

__all__ = ["call_line", "configure_logging", "log_calls"]

_CALLS = "drawwell.calls"
_SUMMARY = 120
_VALUE = 60
_FORMAT = "%(levelname)s %(name)s: %(message)s"


def configure_logging(level: str, *, calls: bool) -> None:
    """Send all logging of this process to stderr.

    Args:
        level: name of the level for every logger: debug, info, warning, error.
        calls: whether each tool call is logged, whatever the level.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("drawwell", "mcp", "uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.NOTSET)
        logger.propagate = True
    logging.raiseExceptions = False  # a host that closed our stderr must not hear about it
    logger = logging.getLogger(_CALLS)
    logger.handlers.clear()
    logger.propagate = False
    logger.setLevel(logging.INFO if calls else logging.CRITICAL)
    if calls:
        plain = logging.StreamHandler(sys.stderr)
        plain.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(plain)


def log_calls() -> logging.Logger:
    """The logger of tool calls."""
    return logging.getLogger(_CALLS)


def call_line(tool: str, arguments: object, outcome: str, milliseconds: float) -> str:
    """One line about a call: tool, arguments in short, results, time. Never a text that was read.

    Args:
        tool: its name, as sent.
        arguments: as sent.
        outcome: ``3 results`` or ``error``.
        milliseconds: how long it took.
    """
    return f"{_short(tool, _VALUE)} {_summary(arguments)} -> {outcome} in {milliseconds:.1f} ms"


def _summary(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return "" if arguments is None else _short(arguments, _VALUE)
    parts: list[str] = []
    for name, value in arguments.items():
        parts.append(f"{_short(name, _VALUE)}={_short(value, _VALUE)}")
        if sum(map(len, parts)) > _SUMMARY:
            break
    line = " ".join(parts)
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1] + "…"


def _short(value: object, size: int) -> str:
    """A value on one line of printable characters."""
    if isinstance(value, str):
        text = value[: size + 1]
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    text = "".join(char if char.isprintable() else " " for char in text[: size + 1])
    return text if len(text) <= size else text[: size - 1] + "…"
