"""Keeping the indexes beside a store up to date with it: what changed since, or all where that is better."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from tantivy import Index

from drawwell.corpus.ingest.entries import Entries, StoredSection, term_entries
from drawwell.corpus.store.schema import read_meta
from drawwell.corpus.store.words import (
    DOCUMENTS,
    GRAMS,
    TERMS,
    IndexUnusable,
    begin_following,
    identity,
    index_faults,
    is_self_contained,
    note_followed,
    words_folder,
)
from drawwell.retrieval.documents import DOCUMENT_FIELDS, document_of
from drawwell.retrieval.grams import GRAMS_FIELDS, grams_of
from drawwell.retrieval.lexical import FIELDS
from drawwell.retrieval.words import TextField, WordsReader, WordsWriter, known_documents

__all__ = ["Follower", "has_later"]

_MOST_DELETED = 0.05
"""Deleted sections still count in the frequencies of terms; beyond this share an index is written anew."""
_LARGE = 2000
"""Documents from which on an index is given more memory to be written."""

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the indexes: its name, its fields, what it holds of a document, and how many threads write a large one."""

    name: str
    fields: tuple[TextField, ...]
    entries: Callable[[sqlite3.Connection, int], Entries]
    threads: int = 1


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done to an index.

    Attributes:
        anew: take everything out first.
        gone: generations of documents to take out.
        added: documents to put in: doc_id by generation.
    """

    anew: bool
    gone: tuple[int, ...]
    added: Mapping[int, int]


class Follower:
    """Brings the indexes beside a store up to date. At any kill each is whole, as before or as after.

    The errors that its methods raise (OSError, ValueError) say that an index cannot be written; the store is whole
    without it.

    Args:
        connection: to the store, whose lock is held.
        store: its file.
        anew: whether the indexes that there are cannot be trusted.
    """

    def __init__(self, connection: sqlite3.Connection, store: Path, *, anew: bool = False) -> None:
        self._connection = connection
        self._store = store
        self._anew = anew
        self._stack = ExitStack()
        self._early: dict[str, WordsWriter] = {}
        self._taken: set[int] = set()
        begin_following(store)

    def close(self) -> None:
        """Give up what is not committed."""
        self._stack.close()

    def take(self, generation: int, terms: Collection[tuple[int, Mapping[str, str]]]) -> None:
        """Take a document into the indexes for ranking as soon as it is in the store; these are then made anew.

        Args:
            generation: of the document.
            terms: what the index is to hold of its sections.
        """
        if not self._early:
            self._early = {kind.name: self._begin(kind, large=True) for kind in (_TERMS, _DOCUMENTS)}
        self._taken.add(generation)
        for ordinal, texts in terms:
            self._early[TERMS].add(generation, ordinal, texts)
        self._early[DOCUMENTS].add(generation, 0, document_of(texts for _, texts in terms))

    def finish(self, tell: Tell) -> None:
        """Do what is left to do.

        Args:
            tell: told how many documents are done, and of how many.
        """
        works = [(kind, self._work(kind)) for kind in _KINDS]
        total = sum(len(work.added) for _, work in works)
        done = 0
        # What an index holds has to be in the store even after a power cut, which may take the end of the store's log.
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for kind, work in works:
            early = self._early.get(kind.name)
            if not (early or work.anew or work.gone or work.added):
                continue
            large = len(work.added) > _LARGE
            writer = early or (self._begin(kind, large=large) if work.anew else self._open(kind, large=large))
            writer.remove(work.gone)
            for generation, doc_id in work.added.items():
                tell(done, total)
                done += 1
                for ordinal, texts in kind.entries(self._connection, doc_id):
                    writer.add(generation, ordinal, texts)
            writer.commit()
        self._stack.close()
        note_followed(self._connection, self._store)

    def _open(self, kind: _Kind, *, large: bool) -> WordsWriter:
        folder, threads = words_folder(self._store, kind.name), kind.threads if large else 1
        return self._stack.enter_context(WordsWriter(folder, kind.fields, large=large, threads=threads))

    def _begin(self, kind: _Kind, *, large: bool) -> WordsWriter:
        writer = self._open(kind, large=large)
        writer.begin(identity(self._connection, kind.name))
        return writer

    def _work(self, kind: _Kind) -> _Work:
        rows = self._connection.execute("SELECT generation, doc_id FROM drawwell_documents ORDER BY generation")
        live: dict[int, int] = dict(map(tuple, rows))
        if kind.name in self._early:
            gone = tuple(self._taken.difference(live))
            return _Work(True, gone, {one: live[one] for one in live if one not in self._taken})
        reader = None if self._anew else _reader(words_folder(self._store, kind.name))
        if reader is None or reader.identity != identity(self._connection, kind.name):
            return _Work(True, (), live)
        known = known_documents(reader)
        deleted = sum(count for generation, count in known.items() if generation not in live)
        if deleted > _MOST_DELETED * sum(known.values()):
            return _Work(True, (), live)
        held = reader.documents()
        return _Work(False, tuple(held.difference(live)), {one: live[one] for one in live if one not in held})


def has_later(connection: sqlite3.Connection, store: Path) -> bool:
    """Whether an index of a store holds documents that are newer than the store: it is an older copy of itself."""
    generation = int(read_meta(connection, "drawwell.generation") or 0)
    readers = ((kind.name, _reader(words_folder(store, kind.name))) for kind in _KINDS)
    return any(
        reader is not None and reader.identity == identity(connection, name) and reader.generation > generation
        for name, reader in readers
    )


def _reader(folder: Path) -> WordsReader | None:
    if is_self_contained(folder):
        with suppress(IndexUnusable), index_faults():
            return WordsReader(Index.open(str(folder)))
    return None


def _terms(connection: sqlite3.Connection, doc_id: int) -> Entries:
    rows = connection.execute(
        "SELECT s.ordinal, s.text, w.headings, w.covers, w.parents, w.hidden FROM sections s"
        " JOIN drawwell_sections w ON w.doc_id = s.doc_id AND w.ordinal = s.ordinal"
        " WHERE s.doc_id = ? ORDER BY s.ordinal",
        (doc_id,),
    )
    return term_entries(map(StoredSection._make, rows))


def _documents(connection: sqlite3.Connection, doc_id: int) -> Entries:
    yield 0, document_of(texts for _, texts in _terms(connection, doc_id))


def _grams(connection: sqlite3.Connection, doc_id: int) -> Entries:
    sql = "SELECT front_matter FROM drawwell_documents WHERE doc_id = ?"
    (front_matter,) = connection.execute(sql, (doc_id,)).fetchone()
    rows = connection.execute(
        "SELECT s.ordinal, substr(s.text, w.repeated + 1) FROM sections s"
        " JOIN drawwell_sections w ON w.doc_id = s.doc_id AND w.ordinal = s.ordinal"
        " WHERE s.doc_id = ? ORDER BY s.ordinal",
        (doc_id,),
    )
    return grams_of(front_matter, map(tuple, rows))


_TERMS = _Kind(TERMS, FIELDS, _terms)
_DOCUMENTS = _Kind(DOCUMENTS, DOCUMENT_FIELDS, _documents)
_GRAMS = _Kind(GRAMS, GRAMS_FIELDS, _grams, threads=2)  # when it is their turn, nothing else is left to do
_KINDS = (_TERMS, _DOCUMENTS, _GRAMS)
