"""Errors to exit codes and to what a person reads: the one place where the command line translates them.

0 is success, no hits included; 1 failure; 2 usage; 69 something outside is missing or down; 78 the configuration is
wrong; 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from drawwell.errors import ArgumentError, ConfigurationError, DependencyError, Error, SourceError

__all__ = ["FAILURE", "INTERRUPTED", "USAGE", "describe", "error_object", "exit_code", "nothing_taken"]

FAILURE = 1
USAGE = 2
INTERRUPTED = 130
_ASKED = ("query", "pattern")  # arguments that may begin with a dash
_CODES: tuple[tuple[type[Error], int], ...] = (
    (ArgumentError, USAGE),
    (DependencyError, 69),
    (ConfigurationError, 78),
    (Error, FAILURE),
)


def exit_code(error: Exception) -> int:
    """The process's exit code for an error."""
    if isinstance(error, click.UsageError):
        return USAGE
    return next((code for kind, code in _CODES if isinstance(error, kind)), FAILURE)


def describe(error: Exception) -> str:
    """What a person reads: what was wrong, and on a second line what to do next."""
    told = _as_ours(error)
    return f"drawwell: {told.message}" + (f"\n  {told.suggestion}" if told.suggestion else "")


def error_object(error: Exception) -> dict[str, Any]:
    """What a program reads: the object that a tool answers, ``error``, ``suggestion`` and perhaps ``moved_to``."""
    from drawwell.server.errors import tool_error  # brings logging, and most commands never fail

    return tool_error(_as_ours(error))


def _as_ours(error: Exception) -> Error:
    """Any failure as one of ours, with a message and what to do next."""
    if isinstance(error, Error):
        return error
    if isinstance(error, click.UsageError):
        return Error(error.format_message(), _usage_hint(error))
    if isinstance(error, click.ClickException):
        return Error(error.format_message())
    if isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename else ""
        return Error(f"{named}{error.strerror or error}")
    return Error(f"{type(error).__name__}: {error}", "This is a fault of drawwell; DRAWWELL_DEBUG=1 shows where")


def _usage_hint(error: click.UsageError) -> str:
    if error.ctx is None:
        return "See: drawwell --help"
    path = error.ctx.command_path
    if isinstance(error, click.NoSuchOption) and not error.possibilities:
        asks = any(isinstance(one, click.Argument) and one.name in _ASKED for one in error.ctx.command.params)
        if asks:
            return f"To look for it, put -- before it: {path} -- {error.option_name} DIR. See: {path} --help"
    return f"See: {path} --help"


def nothing_taken(folder: Path) -> SourceError:
    """The error of a folder in which every file was skipped."""
    from drawwell.corpus.ingest.discover import known_suffixes

    return SourceError(
        f"{folder} holds no document that can be taken in",
        f"drawwell ingest {folder} says what was skipped and why; these are read: {known_suffixes()}",
    )
