"""Writing beside others: the store's lock is held only for the time of each change, never while a model is asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from drawwell.corpus.store.connect import leave, open_for_writing
from drawwell.corpus.store.lock import StoreLock
from drawwell.corpus.store.schema import write_failure

__all__ = ["StoreChanges"]


class StoreChanges:
    """A connection for small changes, each a transaction under the store's lock. A context manager.

    Args:
        store: the store file, which exists.
        wait_seconds: how long to wait for another writer.

    Attributes:
        connection: for reading between changes.

    Raises:
        StoreBusy: another process did not end in time.
        StoreError: the store cannot be written.
    """

    def __init__(self, store: Path, wait_seconds: float) -> None:
        self._store = store
        self._wait_seconds = wait_seconds
        with StoreLock(store, wait_seconds):
            self.connection = open_for_writing(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with StoreLock(self._store, self._wait_seconds):
                leave(self.connection)
        finally:
            self.connection.close()
        if isinstance(error, sqlite3.Error):  # of reading between changes
            raise write_failure(self._store, error) from error

    @contextmanager
    def change(self, *, content: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction.

        Args:
            content: whether it changes what readers keep of the store, so that they are to read it again.

        Raises:
            StoreBusy, StoreError: as for the class.
        """
        with StoreLock(self._store, self._wait_seconds):
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                yield self.connection
                if content:
                    self.connection.execute(
                        "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'drawwell.generation'"
                    )
                self.connection.execute("COMMIT")
            except BaseException as error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise write_failure(self._store, error) from error
                raise
