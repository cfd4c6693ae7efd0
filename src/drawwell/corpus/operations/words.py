"""The indexes beside a store, as its readers see them: opened when first asked for, followed when they change."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from drawwell.corpus.operations.paths import DocumentTable
from drawwell.corpus.store.places import writable
from drawwell.corpus.store.words import (
    META,
    NOTE,
    IndexUnusable,
    followed,
    index_faults,
    is_self_contained,
    words_folder,
)

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
    _folder: Path = field(init=False)
    _meta: Path = field(init=False)
    _note: Path = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[object, WordsReader | None, int] | None = None

    def __post_init__(self) -> None:
        self._folder = words_folder(self.store, self.name)
        self._meta = self._folder / META
        self._note = self._folder.parent / NOTE

    def latest(self) -> tuple[WordsReader | None, int]:
        """The index as last committed, and the commit of the store up to which it is known to have followed.

        None when there is no index that can be read; 0 when it is not known.
        """
        state = self._state()
        if state is None:
            return None, 0
        with self._lock:
            if self._opened is None or self._opened[0] != state:
                self._opened = (state, _open(self._folder, state), followed(self.store))
            return self._opened[1:]

    def _state(self) -> tuple[tuple[int, ...], ...] | None:
        """What changes whenever something is written to the index; None without one."""
        index, note = _stamp(self._meta), _stamp(self._note)
        return (index, note) if index else None

    def distrust(self, reader: WordsReader) -> None:
        """Leave an index alone that turned out to be damaged, until it changes."""
        with self._lock:
            if self._opened is not None and self._opened[1] is reader:
                self._opened = (self._opened[0], None, 0)


def derived(reader: WordsReader, identity: str, table: DocumentTable, *, ahead: bool) -> Derived | None:
    """An index as one that belongs to a store.

    Args:
        reader: the index; its commit is older than the look at the store.
        identity: what an index of the store is marked with.
        table: the store's documents.
        ahead: whether it has followed a later state of the store, for this one is an older copy.

    Returns:
        None when it is of another store, or of another time of this one.
    """
    if reader.identity != identity or ahead:
        return None
    if table.newest <= reader.generation:
        return Derived(reader, frozenset())
    newer = [place for place, generation in enumerate(table.generations) if generation > reader.generation]
    return Derived(reader, frozenset(table.doc_ids[place] for place in newer))


def _stamp(place: Path) -> tuple[int, ...]:
    try:
        found = place.lstat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _open(folder: Path, state: tuple[tuple[int, ...], ...]) -> WordsReader | None:
    from tantivy import Index  # not everyone who opens a store searches it

    from drawwell.retrieval.words import WordsReader

    with suppress(IndexUnusable), index_faults():
        if is_self_contained(folder):
            place = folder if writable(folder) else _copy(folder, state)
            return WordsReader(Index.open(str(place)))
    return None


def _copy(folder: Path, state: tuple[tuple[int, ...], ...]) -> Path:
    """A copy of an index in the user's cache, for Tantivy cannot open one where it cannot write a lock."""
    cache = platformdirs.user_cache_path("drawwell", appauthor=False) / "words"
    copies = cache / _digest(os.fsencode(folder.resolve()))
    place = copies / _digest(repr(state[0]).encode())
    if (place / META).exists():
        return place
    draft = copies / f"{place.name}.{os.getpid()}"
    try:
        ignored = shutil.ignore_patterns(".*.lock")
        shutil.copytree(folder, draft, ignore=ignored, copy_function=shutil.copyfile)
        draft.chmod(0o700)  # and not read-only, as it was copied
        with suppress(OSError):  # another process was faster
            draft.rename(place)
        for other in copies.iterdir():
            if len(other.name) == len(place.name) and other != place:  # of an earlier commit
                shutil.rmtree(other, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return place


def _digest(name: bytes) -> str:
    return hashlib.sha256(name).hexdigest()[:16]
