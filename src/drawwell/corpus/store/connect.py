"""Connections to a store file: read-only ones that work in any place, and the writer's."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sqlite3
from pathlib import Path

from drawwell.corpus.store.lock import check_regular
from drawwell.corpus.store.places import STORE_DIR, STORE_NAME
from drawwell.corpus.store.schema import check_format, create, damaged, migrate, write_failure
from drawwell.errors import StoreBusy, StoreError

__all__ = ["BUSY_SECONDS", "Connection", "connect_read_only", "leave", "open_for_writing", "size_of", "wal_of"]

_READER_PRAGMAS = "PRAGMA query_only = 1; PRAGMA temp_store = MEMORY;"
_WRITER_PRAGMAS = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32000;
"""
BUSY_SECONDS = 30.0
_NOT_HERE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite opens beside a store."""


class Connection(sqlite3.Connection):
    """Closes itself when the last cursor on it is gone, in whichever thread that happens."""

    def __del__(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # it was never opened
            self.close()


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store to ingest into; made new when the file is not there, migrated when it is older.

    The caller holds the store's lock and closes the connection.

    Raises:
        StoreError: the place cannot be written, or the file is not a store that drawwell made.
        StoreTooNew: a newer version wrote it.
    """
    _check_file(path, missing_ok=True)
    connection: sqlite3.Connection | None = None
    try:
        connection = _connect(_uri(path, "mode=rwc"))
        _prepare(connection, path)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if _is_no_database(error):
            raise _no_database(path) from error
        if isinstance(error, sqlite3.Error):
            raise write_failure(path, error) from error
        raise
    return connection


def leave(connection: sqlite3.Connection) -> None:
    """Put the log into the file, so that the file can be copied alone, and close the connection."""
    try:
        with contextlib.suppress(sqlite3.DatabaseError):  # nothing is lost: the next writer puts it in
            connection.execute("PRAGMA busy_timeout = 1000")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    new = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if not new and not check_format(connection, path):
        raise StoreError(
            f"{path} was not made by drawwell, so it can be read but not ingested into",
            "Give another place with --store",
        )
    connection.executescript(_WRITER_PRAGMAS)
    if new:
        create(connection)
    migrate(connection)


def _uri(path: Path, options: str) -> str:
    # Of a share of Windows, "file://server/..." names a host, which SQLite refuses: it takes "file:////server/...".
    return f"{re.sub('^file://(?=[^/])', 'file:////', path.absolute().as_uri())}?{options}"


def _connect(uri: str) -> Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=Connection
    )
    connection.row_factory = sqlite3.Row
    return connection


def connect_read_only(path: Path) -> tuple[Connection, bool]:
    """A checked read-only connection and whether SQLite takes the file for unchanging.

    A file in WAL mode needs a place to write its shared memory. Where there is none, it is opened as immutable when
    its log is empty; a log left by a kill is read through a VFS without locks, which keeps that memory to itself.
    """
    _check_file(path)
    logged = size_of(wal_of(path)) > 0
    lockless = f"mode=ro&vfs={'win32' if os.name == 'nt' else 'unix'}-none"
    ways = ("mode=ro", lockless if logged else "mode=ro&immutable=1")
    failure: sqlite3.Error | None = None
    for way in ways:
        connection = _connect(_uri(path, way))
        try:
            if way == lockless:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.executescript(_READER_PRAGMAS)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            failure = error
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise StoreBusy(f"another process holds the store {path}", "Try again when it is done") from error
            if error.sqlite_errorcode & 0xFF not in _NOT_HERE:
                break
        except sqlite3.DatabaseError as error:
            connection.close()
            raise (_no_database(path) if _is_no_database(error) else damaged(path, error)) from error
        else:
            return connection, way != "mode=ro"
    raise StoreError(f"cannot open the store {path}: {failure}", "Check that you may read it") from failure


def _check_file(path: Path, *, missing_ok: bool = False) -> None:
    """Refuse what cannot be a store, in words that SQLite does not have.

    The file itself is never opened here: closing it would give back the locks that SQLite holds on it for other
    connections of this process (POSIX has it so), and another process would then take the log away under them.
    """
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a store", f"Give the {STORE_NAME} file, or ingest the folder first")
    check_regular(path)
    for ending in _BESIDE:
        check_regular(path.with_name(path.name + ending))
    try:
        path.stat()
    except FileNotFoundError:
        if missing_ok:
            return
        raise StoreError(f"there is no store at {path}", "Make one with: drawwell ingest FOLDER") from None
    except OSError as error:
        raise _unreadable(path, error.strerror) from error
    if not os.access(path, os.R_OK):
        raise _unreadable(path, os.strerror(errno.EACCES))


def _unreadable(path: Path, reason: str | None) -> StoreError:
    return StoreError(f"cannot read the store {path}: {reason}", "Check that you may read it")


def _is_no_database(error: BaseException) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB


def _no_database(path: Path) -> StoreError:
    """What to tell a user of a file that is something else."""
    if path.parent.name == STORE_DIR:
        return damaged(path, "it is not an SQLite file")
    return StoreError(f"{path} is not a store: it is not an SQLite file", "Give the store.sqlite that an ingest made")


def wal_of(path: Path) -> Path:
    """The log that SQLite keeps beside a file in WAL mode."""
    return path.with_name(path.name + "-wal")


def size_of(path: Path) -> int:
    """Bytes of a file; 0 when it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
