"""One ingest at a time: the lock that guards a store against a second writer."""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from drawwell.corpus.store.places import STORE_DIR
from drawwell.errors import StoreBusy, StoreError, StoreUnwritable

__all__ = ["StoreLock", "check_regular", "is_held", "lock_path"]

_POLL_SECONDS = 0.1


def lock_path(store: Path) -> Path:
    """The file that is locked for a store."""
    return store.with_name(store.name + ".lock")


class StoreLock:
    """Holds a store for one writer, among threads and processes, until it is left or the process ends.

    The lock is SQLite's own exclusive lock on an empty file beside the store: it works wherever the store works, and
    the system gives it back when a process is killed.

    Args:
        store: the store file; its folder must exist.
        wait_seconds: how long to wait for another writer.
        on_wait: called once when there is another writer to wait for.
    """

    def __init__(self, store: Path, wait_seconds: float, on_wait: Callable[[], None] | None = None) -> None:
        self._store = store
        self._path = lock_path(store)
        self._wait_seconds = wait_seconds
        self._on_wait = on_wait
        self._connection: sqlite3.Connection | None = None
        self.waited = False

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self._wait_seconds
        while not self._take():
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"another process is writing the store {self._store}",
                    f"Waited {self._wait_seconds:g} seconds. Try again when it is done",
                )
            if not self.waited and self._on_wait is not None:
                self._on_wait()
            self.waited = True
            time.sleep(_POLL_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _take(self) -> bool:
        """Try once. SQLite never writes to the file: nothing is ever stored in it."""
        check_regular(self._path)
        try:
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise _no_place(self._store, error) from error
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise _no_place(self._store, error) from error
        except sqlite3.DatabaseError as error:
            connection.close()
            raise StoreError(f"{self._path} is not a lock of drawwell's: {error}", "Delete it") from error
        self._connection = connection
        return True


def is_held(store: Path) -> bool:
    """Whether somebody is writing a store; False where that cannot be told. Nothing is written."""
    path = lock_path(store)
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
    return False


def check_regular(path: Path) -> None:
    """Refuse what is there but is no regular file: SQLite would wait for a pipe, and read a device, without end.

    Raises:
        StoreError: it is a folder, a pipe, a device or the like.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # not there, or opening it will say why
    if not stat.S_ISREG(mode):
        advice = "Delete it" if path.parent.name == STORE_DIR else "Give another place with --store"
        raise StoreError(f"{path} is not a regular file", advice)


def _no_place(store: Path, error: sqlite3.Error) -> StoreUnwritable:
    return StoreUnwritable(f"cannot write beside the store {store}: {error}", "Give another place with --store")
