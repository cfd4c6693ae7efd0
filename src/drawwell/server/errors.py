"""The one place where failures become what a client sees. No class name and no traceback ever leaves it."""

from __future__ import annotations

import json
import logging
from typing import Any

from drawwell.errors import Error, NotFound, Stale

__all__ = ["UNFORESEEN", "error_text", "resource_error_code", "tool_error"]

_log = logging.getLogger("drawwell.server")

UNFORESEEN = Error(
    "The call failed in a way that drawwell did not foresee",
    "Try again, or call it differently; the server's log on stderr has the details",
)

_INTERNAL_ERROR = -32603
_INVALID_PARAMS = -32602
_RESOURCE_NOT_FOUND = -32002


def tool_error(failure: Exception) -> dict[str, Any]:
    """What a tool answers for a failure.

    Args:
        failure: an ``Error``, or anything else, which is logged with its traceback and hidden.

    Returns:
        ``{"error", "suggestion"}``, and ``moved_to`` for a text that stands elsewhere now.
    """
    if not isinstance(failure, Error):
        _log.error("unforeseen failure", exc_info=failure)
        failure = UNFORESEEN
    answer: dict[str, Any] = {"error": failure.message, "suggestion": failure.suggestion}
    if isinstance(failure, Stale) and failure.moved_to:
        answer["moved_to"] = list(failure.moved_to)
    return answer


def error_text(failure: Exception) -> str:
    """``tool_error`` as compact JSON."""
    return json.dumps(tool_error(failure), ensure_ascii=False, separators=(",", ":"))


def resource_error_code(failure: Exception, *, modern: bool) -> int:
    """The JSON-RPC code for a resource that could not be read.

    Args:
        failure: why.
        modern: whether the client speaks a revision without handshake (2026-07-28 and later), in which a
            resource that does not exist is an invalid parameter (SEP-2164); before it had a code of its own.
    """
    if not isinstance(failure, NotFound):
        return _INTERNAL_ERROR
    return _INVALID_PARAMS if modern else _RESOURCE_NOT_FOUND
