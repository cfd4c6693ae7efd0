"""The reader's handle of a corpus store. The format itself is in ``schema``, where stores are in ``places``."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from pathlib import Path

from drawwell.corpus.store.connect import BUSY_SECONDS, Connection, connect_read_only, open_for_writing, size_of, wal_of
from drawwell.corpus.store.lock import StoreLock
from drawwell.corpus.store.places import writable
from drawwell.corpus.store.schema import (
    OWN_VERSION,
    Unfinished,
    check_format,
    damaged,
    own_version,
    read_meta,
    translated,
)
from drawwell.errors import StoreError, StoreUnwritable

__all__ = ["Store"]


class Store:
    """A read-only handle of one store file, for any number of threads.

    Attributes:
        path: the file.
        own: whether drawwell wrote it; False for another tool's store of the same format.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = wal_of(path)
        self.own = False
        self._local = threading.local()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._lock = threading.Lock()  # of the set above, and of being closed
        self._closed = False

    @staticmethod
    def open(path: Path) -> Store:
        """Open a store for reading. An older version of our tables is brought up to date first.

        Args:
            path: the store file.

        Raises:
            StoreError: the file is missing, is not a store, or needs a migration where nothing can be written.
            StoreTooNew: a newer drawwell, or a newer major version of the format, wrote it.
        """
        store = Store(path)
        connection = store.connection()
        if store.own and own_version(connection) < OWN_VERSION:
            store.close()
            _migrate_in_place(path)
            store = Store(path)
            store.connection()
        return store

    def connection(self) -> sqlite3.Connection:
        """This thread's connection, read-only, with ``sqlite3.Row`` rows; a new one when the file was replaced.

        Raises:
            StoreError: the store was closed, or is no longer a store.
        """
        if self._closed:
            raise self._was_closed()
        current: Connection | None = getattr(self._local, "connection", None)
        identity = _identity(
            self.path, self._log
        )  # before opening: if the file is replaced meanwhile, the next call sees it
        if current is not None and (identity is None or _same(identity, self._local.identity, self._local.immutable)):
            return current  # while a file is being replaced, the old one still answers
        connection, immutable = connect_read_only(self.path)
        try:
            self.own = check_format(connection, self.path)
        except Unfinished:
            connection.close()
            if current is None:
                raise
            return current
        except sqlite3.DatabaseError as error:
            connection.close()
            raise damaged(self.path, error) from error
        except StoreError:
            connection.close()
            raise
        self._keep(connection)
        self._local.connection = connection
        self._local.immutable = immutable
        self._local.identity = identity
        return connection

    def meta(self, key: str) -> str | None:
        """The value of a key of the ``meta`` table; None when it is not there."""
        try:
            return read_meta(self.connection(), key)
        except sqlite3.DatabaseError as error:
            raise translated(self.path, error) from error

    def generation(self) -> str:
        """A short text that changes with every committed change of content."""
        names = ("drawwell.created", "drawwell.generation") if self.own else ("ingested_at",)
        connection = self.connection()
        try:
            parts = [read_meta(connection, name) or "" for name in names]
            return "-".join([*parts, (read_meta(connection, "corpus_fingerprint") or "")[:8]])
        except sqlite3.DatabaseError as error:
            raise translated(self.path, error) from error

    def interrupt(self) -> None:
        """Make queries that run in any thread fail at once; for a server that must leave."""
        for connection in self._open_connections():
            connection.interrupt()

    def close(self) -> None:
        """Close the connections of all threads. Closing twice does nothing."""
        self._closed = True
        for connection in self._open_connections():
            connection.close()

    def _keep(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._connections.add(connection)
                return
        connection.close()
        raise self._was_closed()

    def _open_connections(self) -> list[Connection]:
        with self._lock:
            return list(self._connections)

    def _was_closed(self) -> StoreError:
        return StoreError(f"the store {self.path} was closed", "Open it again")


def _migrate_in_place(path: Path) -> None:
    if not writable(path.parent):
        raise StoreUnwritable(
            f"the store {path} was made by an older drawwell and its folder cannot be written",
            "Copy it to a place that can be written, or ingest the folder again",
        )
    with StoreLock(path, BUSY_SECONDS):
        open_for_writing(path).close()


def _identity(path: Path, log: Path) -> tuple[int, ...] | None:
    """What tells a replaced file from the one that was opened, the size of its log last; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, size_of(log)


def _same(now: tuple[int, ...], then: tuple[int, ...] | None, immutable: bool) -> bool:
    """Whether a connection still sees the file. SQLite itself follows the log, unless it took the file as immutable."""
    return then is not None and (now == then if immutable else now[:-1] == then[:-1])
