"""The error tree. Every failure that drawwell raises on purpose is one of these.

::

    Error
    ├── ArgumentError          an argument is wrong: names it, what it got, what it takes
    ├── NotFound               an id, path or name that is not there
    ├── Stale                  an id whose text has changed since it was cited
    ├── SourceError            the input to read is missing, empty or out of reach
    │   └── Vanished           too much of a source is gone at once to believe it
    ├── UnreadableFile         one file cannot be taken in (reported; never stops a run)
    │   ├── PasswordNeeded     it is locked with a password
    │   └── NoTextLayer        its pages are pictures
    ├── StoreError             a store is missing, damaged or not ours
    │   ├── StoreUnwritable    its place is read-only, full or no place at all
    │   ├── StoreTooNew        written by a newer version
    │   └── StoreBusy          another process holds it
    ├── NotReady               the answer is still being made
    ├── LimitExceeded          a size or time bound was reached
    ├── ConfigurationError     a setting is wrong (exit code 78)
    └── DependencyError        something outside is missing or down (exit code 69)
        └── MissingExtra       an optional package is not installed

Each error carries ``message`` (what was wrong, with the value) and ``suggestion`` (what to do next).
Surfaces translate them in one place each: ``cli/errors.py`` to exit codes, ``server/errors.py`` to tool errors.
This module is a leaf: it imports nothing of ours.
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "ConfigurationError",
    "DependencyError",
    "Error",
    "LimitExceeded",
    "MissingExtra",
    "NoTextLayer",
    "NotFound",
    "NotReady",
    "PasswordNeeded",
    "SourceError",
    "Stale",
    "StoreBusy",
    "StoreError",
    "StoreTooNew",
    "StoreUnwritable",
    "UnreadableFile",
    "Vanished",
    "short_repr",
]


class Error(Exception):
    """Root of all errors raised by drawwell.

    Args:
        message: what was wrong, with the offending value.
        suggestion: what the reader can do next; may be empty.
    """

    def __init__(self, message: str, suggestion: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion

    def __str__(self) -> str:
        return f"{self.message}. {self.suggestion}" if self.suggestion else self.message


class ArgumentError(Error):
    """An argument of a call is missing, of the wrong type or out of bounds."""

    def __init__(self, parameter: str, got: object, takes: str, suggestion: str = "") -> None:
        super().__init__(f"{parameter}: got {short_repr(got)}, takes {takes}", suggestion)
        self.parameter = parameter
        self.got = got
        self.takes = takes


def short_repr(got: object) -> str:
    """A value as a message shows it: on one line, at most 80 characters."""
    try:
        shown = repr(got[:80] if isinstance(got, str) else got)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list nested as deep
        return f"a huge {type(got).__name__}"
    return shown if len(shown) <= 80 else shown[:77] + "..."


class NotFound(Error):
    """An id, path or name that does not exist."""


class Stale(Error):
    """A cited id whose text has changed.

    Attributes:
        moved_to: the ids at which the cited text stands now, best first; empty when it is gone.
    """

    def __init__(self, message: str, suggestion: str = "", moved_to: tuple[str, ...] = ()) -> None:
        super().__init__(message, suggestion)
        self.moved_to = moved_to


class SourceError(Error):
    """A source to read (a folder, say) is missing, empty or out of reach."""


class Vanished(SourceError):
    """So much of a source is gone at once that a fault is likelier than a wish."""


class UnreadableFile(Error):
    """One file cannot be taken in. It is reported and the run goes on."""


class PasswordNeeded(UnreadableFile):
    """A file is locked with a password. It may be readable tomorrow without having changed.

    Args:
        given: whether a password was tried.
    """

    def __init__(self, *, given: bool) -> None:
        tried = "password-protected, and the given password does not open it: " if given else "password-protected, "
        super().__init__(f"{tried}give --pdf-password (better: DRAWWELL_PDF_PASSWORD)")


class NoTextLayer(UnreadableFile):
    """A file of pages holds pictures alone, or nothing.

    Args:
        pages: how many it has.
    """

    def __init__(self, pages: int) -> None:
        many = "s" if pages > 1 else ""
        super().__init__(f"scan: no text layer on its {pages:,} page{many} (run OCR on it first, or give --pdf-ocr)")


class StoreError(Error):
    """A store is missing, damaged, or was not made by drawwell."""


class StoreUnwritable(StoreError):
    """A store's place cannot be written: read-only, full, or no place at all. What is there can still be read."""


class StoreTooNew(StoreError):
    """A store was written by a newer format than this version reads."""


class StoreBusy(StoreError):
    """Another process holds the store."""


class NotReady(Error):
    """What was asked for is still being made; asking again later will work."""


class LimitExceeded(Error):
    """A bound on size or time was reached."""


class ConfigurationError(Error):
    """A setting is wrong. The message names the setting and where it was set."""


class DependencyError(Error):
    """Something outside drawwell is missing or down."""


class MissingExtra(DependencyError):
    """An optional package is not installed.

    Args:
        what: what needs it, as a user would say it ("HTML files").
        extra: the name of the extra in ``drawwell[extra]``.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} need an optional package", f"Install it with: pip install 'drawwell[{extra}]'")
        self.extra = extra
