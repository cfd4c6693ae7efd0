"""Whether the files behind an answer are still those that were read.

Only documents of the store are looked at, by their stored paths, and nothing outside the root is opened.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from drawwell.corpus.ingest.files import hash_file
from drawwell.corpus.operations.view import Look
from drawwell.errors import UnreadableFile

__all__ = ["CHANGED", "DELETED", "Freshness"]

CHANGED = "changed on disk since it was read"
DELETED = "deleted on disk since it was read"
UNREADABLE = "cannot be read now; this is the text read before"

_MOST_HASHES = 10_000  # remembered
_MOST_AT_ONCE = 500  # documents that one statement asks for: SQLite takes a thousand values or more


class _Known(NamedTuple):
    """A document as the store knows its file; mtime_ns is -1 where the store does not know it."""

    mtime_ns: int
    size: int
    sha256: str


class Freshness:
    """Compares documents with their files. For any number of threads.

    Args:
        root: the folder of documents.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._hashes: dict[tuple[str, int, int], str] = {}

    def check(self, look: Look, paths: Iterable[str]) -> dict[str, str]:
        """Say of which documents the file is not the one that was read.

        Args:
            look: the store.
            paths: of documents.

        Returns:
            The reason, by path, of those that are out of date; others are not in it. Time and size of a file are
            compared first, its content when the time or place of reading was another.
        """
        known = _known(look, list(dict.fromkeys(paths)))
        reasons = {path: self._reason(path, one) for path, one in known.items()}
        return {path: reason for path, reason in reasons.items() if reason}

    def _reason(self, path: str, known: _Known) -> str:
        if not _stays_inside(path):
            return ""
        try:
            found = os.lstat(os.path.join(self._root, path))  # noqa: PTH118 - asked of every hit, at a third of the time
        except (FileNotFoundError, NotADirectoryError):
            return DELETED
        except OSError:
            return UNREADABLE
        if found.st_size == known.size and found.st_mtime_ns == known.mtime_ns and stat.S_ISREG(found.st_mode):
            return ""
        return self._compare(path, known)

    def _compare(self, path: str, known: _Known) -> str:
        """Compare contents, of the file that the path leads to inside the root."""
        real_root = os.path.realpath(self._root)
        real = os.path.realpath(self._root / path)
        try:
            place = PurePosixPath(Path(real).relative_to(real_root).as_posix())
        except ValueError:
            return CHANGED  # a link has taken its place and leads out of the root
        try:
            found = os.lstat(real)
            if found.st_size != known.size:
                return CHANGED
            return "" if self._hash(str(place), found) == known.sha256 else CHANGED
        except FileNotFoundError:
            return DELETED
        except (OSError, UnreadableFile):
            return UNREADABLE

    def _hash(self, place: str, found: os.stat_result) -> str:
        key = (place, found.st_size, found.st_mtime_ns)
        with self._lock:
            known = self._hashes.get(key)
        if known is None:
            known = hash_file(Path(os.path.realpath(self._root)), place)
            with self._lock:
                if len(self._hashes) >= _MOST_HASHES:
                    self._hashes.clear()
                self._hashes[key] = known
        return known


def _stays_inside(path: str) -> bool:
    """Whether a stored path can only mean something below the root, on any system."""
    return not (
        "\0" in path
        or ".." in path.split("/")
        or path.startswith("/")
        or (os.name == "nt" and (PureWindowsPath(path).anchor or ".." in PureWindowsPath(path).parts))
    )


def _known(look: Look, paths: Sequence[str]) -> dict[str, _Known]:
    """What the store knows of some documents, in their order; nothing of those that it does not have."""
    sql = (
        "SELECT d.path, x.mtime_ns, d.bytes, d.sha256 FROM documents d JOIN drawwell_documents x USING (doc_id)"
        if look.own
        else "SELECT d.path, -1, d.bytes, d.sha256 FROM documents d"
    )
    found: dict[str, _Known] = {}
    for start in range(0, len(paths), _MOST_AT_ONCE):
        some = paths[start : start + _MOST_AT_ONCE]
        marks = ", ".join("?" * len(some))
        for path, mtime_ns, size, sha256 in look.connection.execute(f"{sql} WHERE d.path IN ({marks})", some):
            found[path] = _Known(mtime_ns, size, sha256)
    return {path: found[path] for path in paths if path in found}
