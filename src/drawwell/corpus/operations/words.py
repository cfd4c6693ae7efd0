"""The indexes beside a store, as its readers see them: opened when first asked for, followed when they change."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from drawwell.corpus.operations.paths import DocumentTable
from drawwell.corpus.store.places import writable
from drawwell.corpus.store.words import META, words_folder

if TYPE_CHECKING:
    from drawwell.retrieval.words import WordsReader

__all__ = ["Derived", "WordsFolder", "derived"]


@dataclass(frozen=True, slots=True)
class Derived:
    """An index that belongs to the store as it is looked at.

    Attributes:
        reader: the index.
        unindexed: documents that it does not hold, by doc_id, for they were written to the store later.
    """

    reader: WordsReader
    unindexed: frozenset[int]


@dataclass(slots=True)
class WordsFolder:
    """One of the indexes beside a store. For any number of threads.

    Args:
        store: the store file.
        name: of the index.
    """

    store: Path
    name: str
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[object, WordsReader | None] | None = None

    def latest(self) -> WordsReader | None:
        """The index as last committed; None when there is none that can be read."""
        folder = words_folder(self.store, self.name)
        state = _state(folder)
        if state is None:
            return None
        with self._lock:
            if self._opened is None or self._opened[0] != state:
                self._opened = (state, _open(folder, state))
            return self._opened[1]


def derived(reader: WordsReader, identity: str, generation: int, table: DocumentTable) -> Derived | None:
    """An index as one that belongs to a store.

    Args:
        reader: the index; its commit is older than the look at the store.
        identity: what an index of the store is marked with.
        generation: of the store.
        table: the store's documents.

    Returns:
        None when it is of another store, or of another time of this one.
    """
    if reader.identity != identity or reader.generation > generation:
        return None
    if table.newest <= reader.generation:
        return Derived(reader, frozenset())
    newer = [place for place, generation in enumerate(table.generations) if generation > reader.generation]
    return Derived(reader, frozenset(table.doc_ids[place] for place in newer))


def _state(folder: Path) -> tuple[int, ...] | None:
    try:
        found = (folder / META).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _open(folder: Path, state: tuple[int, ...]) -> WordsReader | None:
    from tantivy import Index  # not everyone who opens a store searches it

    from drawwell.retrieval.words import WordsReader

    try:
        place = folder if writable(folder) else _copy(folder, state)
        return WordsReader(Index.open(str(place)))
    except (ValueError, OSError):
        return None


def _copy(folder: Path, state: tuple[int, ...]) -> Path:
    """A copy of an index in the user's cache, for Tantivy cannot open one where it cannot write a lock."""
    name = hashlib.sha256(os.fsencode(folder.resolve()) + repr(state).encode()).hexdigest()[:16]
    place = platformdirs.user_cache_path("drawwell", appauthor=False) / "words" / name
    if not (place / META).exists():
        draft = place.with_name(f"{name}.{os.getpid()}")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(folder, draft, ignore=shutil.ignore_patterns(".*.lock"))
        try:
            draft.rename(place)
        except OSError:  # another process was faster
            shutil.rmtree(draft, ignore_errors=True)
    return place
