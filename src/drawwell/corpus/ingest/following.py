"""The indexes beside a store during a run: looked into only where there is something to do, never a reason to fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from drawwell.corpus.ingest.records import Document
from drawwell.corpus.store.words import is_followed, words_folder
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
        self.troubles: list[Noted] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._follower is not None:
            self._follower.close()

    def take(self, generation: int, document: Document) -> None:
        """Take in a document that has just been written to the store, with what was prepared of it."""
        if self._enabled and document.terms:
            self._try(lambda follower: follower.take(generation, document.terms))

    def finish(self, tell: Callable[[int, int], None]) -> None:
        """Bring the indexes to where the store is.

        Args:
            tell: told how many documents are done, and of how many.
        """
        if self._enabled and not is_followed(self._connection, self._store):
            self._try(lambda follower: follower.finish(tell))

    def _try(self, step: Callable[[Follower], None]) -> None:
        from drawwell.corpus.ingest.words import Follower  # most runs change nothing, and Tantivy takes time to load

        try:
            if self._follower is None:
                self._follower = Follower(self._connection, self._store)
            step(self._follower)
        except (OSError, ValueError) as error:
            self._enabled = False
            self.troubles.append(Noted(f"{words_folder(self._store).name}/", f"could not be written: {error}"))
