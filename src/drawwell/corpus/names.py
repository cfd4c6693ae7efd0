"""How paths are written for people and models, and what they may write back."""

from __future__ import annotations

import re

__all__ = ["FILES_HERE", "shown", "tidy"]

FILES_HERE = "(files here)"
"""After a folder: the files directly in it, without those in folders of it."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def shown(path: str) -> str:
    """A path on one line: control characters and backslashes are written as escapes, all else as it is."""
    return _CONTROL.sub(_escape, path) if _CONTROL.search(path) else path


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _NAMED.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def tidy(path: str) -> str:
    """Drop what people put in front of a relative path: ``./`` and ``/``, in any number."""
    while path.startswith(("./", "/")):
        path = path[2:] if path.startswith("./") else path[1:]
    return "" if path == "." else path
