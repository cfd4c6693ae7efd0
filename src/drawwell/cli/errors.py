"""Errors to exit codes and to what a person reads: the one place where the command line translates them.

0 is success, no hits included; 1 failure; 2 usage; 69 something outside is missing or down; 78 the configuration is
wrong; 130 interrupted.
"""

from __future__ import annotations

import click

from drawwell.errors import ArgumentError, ConfigurationError, DependencyError, Error

__all__ = ["FAILURE", "INTERRUPTED", "USAGE", "describe", "exit_code"]

FAILURE = 1
USAGE = 2
INTERRUPTED = 130
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
    if isinstance(error, Error):
        lines = [error.message, error.suggestion]
    elif isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx is not None else "drawwell"
        lines = [error.format_message(), f"See: {where} --help"]
    elif isinstance(error, click.ClickException):
        lines = [error.format_message(), ""]
    elif isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename else ""
        lines = [f"{named}{error.strerror or error}", ""]
    else:
        lines = [f"{type(error).__name__}: {error}", "This is a fault of drawwell; DRAWWELL_DEBUG=1 shows where"]
    return "\n".join(f"drawwell: {line}" if number == 0 else f"  {line}" for number, line in enumerate(lines) if line)
