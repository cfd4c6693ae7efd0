"""Writing to a store, no document in two transactions, so that whatever happens each is whole, old or new."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from drawwell.corpus.ingest.records import Document, in_batches
from drawwell.corpus.store.summaries import OFFLINE, kept_summary

__all__ = ["Writer"]

_INSERT_DOCUMENT = """
INSERT INTO documents (doc_id, path, title, summary, summary_src, sha256, bytes, kind, n_sections, ingested_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (doc_id) DO UPDATE SET
  path = excluded.path, title = excluded.title, summary = excluded.summary, summary_src = excluded.summary_src,
  sha256 = excluded.sha256, bytes = excluded.bytes, kind = excluded.kind, n_sections = excluded.n_sections,
  ingested_at = excluded.ingested_at
"""
_INSERT_SECTION = """
INSERT INTO sections (rowid, id, doc_id, ordinal, heading_path, level, kind, text, char_len, hash, prev_id, next_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_WORDS = "INSERT INTO sections_fts (rowid, id, heading_path, text) VALUES (?, ?, ?, ?)"
_INSERT_OWN_SECTION = f"INSERT INTO drawwell_sections VALUES ({', '.join('?' * 18)})"
_RENAME_SECTIONS = """
UPDATE sections SET id = :path || '#' || ordinal,
  prev_id = CASE WHEN prev_id IS NULL THEN NULL ELSE :path || '#' || (ordinal - 1) END,
  next_id = CASE WHEN next_id IS NULL THEN NULL ELSE :path || '#' || (ordinal + 1) END
WHERE doc_id = :doc_id
"""
_RENAME_EMBEDDINGS = """
UPDATE embeddings SET section_id = :path || substr(section_id, length(:old) + 1)
WHERE section_id IN (SELECT :old || '#' || ordinal FROM drawwell_sections WHERE doc_id = :doc_id)
"""
_BULK_MERGE = (("automerge", 0), ("crisismerge", 64))
_USUAL_MERGE = (("automerge", 4), ("crisismerge", 16))
_BATCH_CHARS = 1_000_000
"""Of many documents, those with so much text share a commit: each commit writes pages and a part of the word index."""
_BATCH_SECONDS = 1.0
"""They wait no longer for each other, so that readers see them and a run that is cut off keeps them."""


class Writer:
    """Changes a store.

    Args:
        connection: from ``open_for_writing``.
        now: time to note with what is written, ISO 8601.
    """

    def __init__(self, connection: sqlite3.Connection, now: str) -> None:
        self._connection = connection
        self._now = now
        self._next_row = self._one("SELECT coalesce(max(fts_rowid), 0) + 1 FROM drawwell_sections")
        self._next_document = self._one("SELECT coalesce(max(doc_id), 0) + 1 FROM documents")
        self._generation = self._one("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'drawwell.generation'")
        self._bulk = False
        self._pending = 0
        self._committed = time.monotonic()
        self.sections_written = 0

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """For many documents at once: several share a commit, and the word index is merged when all are in."""
        self._merge_as(_BULK_MERGE)
        self._bulk = True
        try:
            yield
        finally:
            self._bulk = False
            if self._connection.in_transaction:
                self._commit()
        self._connection.execute("INSERT INTO sections_fts (sections_fts) VALUES ('optimize')")

    def put(self, document: Document, doc_id: int | None) -> int:
        """Write a document.

        Args:
            document: what to write.
            doc_id: the document that it replaces, under this path or another; None for a new one.

        Returns:
            The number of the commit that wrote it.
        """
        with self._transaction(document.chars):
            if doc_id is None:
                doc_id = self._next_document
                self._next_document += 1
            else:
                self._leave_path(doc_id, document.path)
                self._clear(doc_id)
            self._free_path(document.path)
            self._insert(document, doc_id)
        return self._generation

    def move(self, doc_id: int, path: str, mtime_ns: int) -> None:
        """Give a document, whose text is unchanged, another path."""
        with self._transaction():
            self._connection.execute("PRAGMA defer_foreign_keys = ON")
            old = self._leave_path(doc_id, path)
            self._free_path(path)
            names = {"doc_id": doc_id, "path": path, "old": old, "mtime_ns": mtime_ns}
            self._connection.execute("UPDATE documents SET path = :path WHERE doc_id = :doc_id", names)
            self._connection.execute(
                "UPDATE drawwell_documents SET mtime_ns = :mtime_ns, stale = '' WHERE doc_id = :doc_id", names
            )
            self._connection.execute(_RENAME_EMBEDDINGS, names)
            self._connection.execute(_RENAME_SECTIONS, names)
            rows = self._connection.execute(
                "SELECT :path || '#' || ordinal, fts_rowid FROM drawwell_sections WHERE doc_id = :doc_id", names
            ).fetchall()
            self._connection.executemany("UPDATE sections_fts SET id = ? WHERE rowid = ?", map(tuple, rows))
            self._connection.execute("UPDATE drawwell_metadata_fts SET path = :path WHERE rowid = :doc_id", names)

    def remove(self, doc_id: int) -> None:
        """Take a document out, with all that belongs to it."""
        with self._transaction():
            self._clear(doc_id)
            self._connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))

    def mark_stale(self, doc_id: int, reason: str) -> None:
        """Note why a document's text may be out of date; an empty reason takes the note away."""
        with self._transaction():
            self._connection.execute("UPDATE drawwell_documents SET stale = ? WHERE doc_id = ?", (reason, doc_id))

    def finish(
        self, meta: Mapping[str, str], skipped: Iterable[tuple[str, str, str, str]], links: Mapping[str, int]
    ) -> None:
        """Write what is known once all documents are in, in one transaction.

        Args:
            meta: keys and values of ``meta``.
            skipped: all rows of ``drawwell_skipped``.
            links: document by path of each link to it.
        """
        with self._transaction():
            self._merge_as(_USUAL_MERGE)
            self._connection.executemany(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", meta.items()
            )
            self._connection.execute("DELETE FROM drawwell_skipped")
            self._connection.executemany("INSERT INTO drawwell_skipped VALUES (?, ?, ?, ?)", skipped)
            self._connection.execute("DELETE FROM drawwell_aliases WHERE kind = 'link'")
            self._connection.executemany(
                "INSERT OR REPLACE INTO drawwell_aliases VALUES (?, ?, 'link')", sorted(links.items())
            )

    @contextmanager
    def _transaction(self, chars: int = 0) -> Iterator[None]:
        """A change of one document, or the end of a run, with a number of its own; whole in one commit."""
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._generation += 1
            generation = str(self._generation)
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'drawwell.generation'", (generation,))
        except BaseException:
            self._roll_back()
            raise
        self._pending += chars
        late = time.monotonic() - self._committed > _BATCH_SECONDS
        if late or self._pending > _BATCH_CHARS or not self._bulk:
            self._commit()

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        self._pending = 0
        self._committed = time.monotonic()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:  # some errors, a full disk among them, have rolled back already
            self._connection.execute("ROLLBACK")

    def _insert(self, document: Document, doc_id: int) -> None:
        run, many = self._connection.execute, self._connection.executemany
        path, rows, first = document.path, document.sections, self._next_row
        ids = [f"{path}#{ordinal}" for ordinal in range(len(rows))]
        self._next_row += len(rows)
        self.sections_written += len(rows)
        summary = kept_summary(self._connection, document.sha256) or (document.summary, OFFLINE)
        about = (document.title, *summary, document.sha256, document.size, document.kind)
        run(_INSERT_DOCUMENT, (doc_id, path, *about, len(rows), self._now))
        source = (document.key, document.mtime_ns, document.encoding, document.chars, document.front_matter)
        warnings = json.dumps(document.warnings, ensure_ascii=False)
        run(
            "INSERT OR REPLACE INTO drawwell_documents VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)",
            (doc_id, *source, document.metadata, warnings, self._generation + 1),
        )
        if document.front_matter:
            metadata = (doc_id, path, document.fts_front_matter)
            run("INSERT INTO drawwell_metadata_fts (rowid, path, text) VALUES (?, ?, ?)", metadata)
        before, after = [None, *ids], [*ids[1:], None]
        place = 0
        for batch in in_batches(rows):
            numbered = list(enumerate(batch, place))
            place += len(batch)
            many(
                _INSERT_SECTION,
                [(first + at, ids[at], doc_id, at, *row.for_sections, before[at], after[at]) for at, row in numbered],
            )
            many(_INSERT_WORDS, [(first + at, ids[at], *row.for_words) for at, row in numbered])
            many(_INSERT_OWN_SECTION, [(first + at, doc_id, at, *row.for_own) for at, row in numbered])

    def _clear(self, doc_id: int) -> None:
        """Delete the sections of a document and all that is found by them."""
        names = {"doc_id": doc_id}
        self._connection.execute(
            "DELETE FROM sections_fts WHERE rowid IN (SELECT fts_rowid FROM drawwell_sections WHERE doc_id = :doc_id)",
            names,
        )
        self._connection.execute("DELETE FROM drawwell_metadata_fts WHERE rowid = :doc_id", names)
        self._connection.execute("DELETE FROM drawwell_embedded WHERE doc_id = :doc_id", names)
        self._connection.execute("DELETE FROM drawwell_sections WHERE doc_id = :doc_id", names)
        self._connection.execute("DELETE FROM sections WHERE doc_id = :doc_id", names)

    def _leave_path(self, doc_id: int, path: str) -> str:
        """Keep the path that a document has so far as another name of it, unless it stays; returns that path."""
        old = str(self._connection.execute("SELECT path FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()[0])
        if old != path:
            self._connection.execute("INSERT OR REPLACE INTO drawwell_aliases VALUES (?, ?, 'moved')", (old, doc_id))
        return old

    def _free_path(self, path: str) -> None:
        """A document's own path is no other document's alias."""
        self._connection.execute("DELETE FROM drawwell_aliases WHERE path = ?", (path,))

    def _merge_as(self, settings: tuple[tuple[str, int], ...]) -> None:
        self._connection.executemany("INSERT INTO sections_fts (sections_fts, rank) VALUES (?, ?)", settings)

    def _one(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])
