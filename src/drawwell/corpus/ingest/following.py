"""The indexes beside a store during a run: looked into only where there is something to do, never a reason to fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from drawwell.corpus.ingest.records import Document
from drawwell.corpus.store.words import (
    INDEXES,
    META,
    IndexUnusable,
    index_faults,
    is_behind,
    is_followed,
    renew_identity,
    words_folder,
)
from drawwell.model import Noted

if TYPE_CHECKING:
    from drawwell.corpus.ingest.words import Follower

__all__ = ["Following"]


class Following:
    """A run's hold on the indexes. A context manager.

    Args:
        connection: to the store, whose lock is held.
        store: its file.
        enabled: whether there are to be indexes at all.

    Attributes:
        troubles: why an index could not be written; the store answers without it.
    """

    def __init__(self, connection: sqlite3.Connection, store: Path, *, enabled: bool) -> None:
        self._connection = connection
        self._store = store
        self._enabled = enabled
        self._follower: Follower | None = None
        self._anew = False
        self._taking = enabled
        self.troubles: list[Noted] = []

    def __enter__(self) -> Self:
        """Before anything is written: no document may come under a number that an index has for another one."""
        lacking = not all((words_folder(self._store, name) / META).is_file() for name in INDEXES)
        if (lacking and self._enabled) or self._is_behind():
            renew_identity(self._connection)
        return self

    def __exit__(self, *error: object) -> None:
        self._drop()

    def take(self, generation: int, document: Document) -> None:
        """Take in a document that has just been written to the store, with what was prepared of it."""
        if self._taking and document.terms:
            self._taking = not self._failure(lambda follower: follower.take(generation, document.terms))

    def finish(self, tell: Callable[[int, int], None]) -> None:
        """Bring the indexes to where the store is; where that fails, try once to make them anew.

        Args:
            tell: told how many documents are done, and of how many.
        """
        if not self._enabled or (self._follower is None and is_followed(self._connection, self._store)):
            return
        if self._failure(lambda follower: follower.finish(tell)):
            failure = self._failure(lambda follower: follower.finish(tell))
            if failure:
                self.troubles.append(Noted(f"{words_folder(self._store).name}/", f"could not be written: {failure}"))

    def _failure(self, step: Callable[[Follower], None]) -> str:
        """Do a step; why it failed, empty when it did not. After a failure the next step begins anew."""
        from drawwell.corpus.ingest.words import Follower  # most runs change nothing, and Tantivy takes time to load

        try:
            with index_faults():
                if self._follower is None:
                    self._follower = Follower(self._connection, self._store, anew=self._anew)
                step(self._follower)
        except IndexUnusable as error:
            self._anew = True
            self._drop()
            return str(error) or "for no known reason"
        return ""

    def _drop(self) -> None:
        if self._follower is not None:
            with suppress(IndexUnusable), index_faults():
                self._follower.close()
            self._follower = None

    def _is_behind(self) -> bool:
        behind = is_behind(self._connection, self._store)
        if behind is not None or not words_folder(self._store).is_dir():
            return bool(behind)
        from drawwell.corpus.ingest.words import has_later  # only after a run that was cut off

        return has_later(self._connection, self._store)
