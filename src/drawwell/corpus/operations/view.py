"""One look at a store: a connection in a read transaction, and what is known of the store as it then stands.

Every operation runs in one such look, so that an ingest in another process never mixes two states in one answer.
A store of another tool has no tables of ours: what only they know is empty then.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from drawwell.corpus.operations.paths import DocumentTable
from drawwell.corpus.operations.words import Derived, WordsFolder, derived
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.schema import read_meta, translated
from drawwell.corpus.store.words import INDEXES, IndexUnusable, identity, index_faults

if TYPE_CHECKING:
    from drawwell.retrieval.words import WordsReader

__all__ = ["CITE_DIGITS", "META", "Look", "SectionRow", "Views"]

Answer = TypeVar("Answer")

CITE_DIGITS = 12
"""Hex digits of a text's hash in a ``cite`` id."""
META = "meta"
"""What stands for the ordinal in the id of a document's front matter."""

_COMMON = "s.id, s.doc_id, s.ordinal, d.path, s.heading_path, s.kind, s.text, s.hash, s.prev_id, s.next_id"
_OWN = (
    f"SELECT {_COMMON}, w.first_line, w.last_line, w.repeated, w.covers, w.part, w.parts, x.stale,"
    " w.parents, w.first_page, w.last_page"
    " FROM sections s JOIN documents d ON d.doc_id = s.doc_id"
    " JOIN drawwell_sections w ON w.doc_id = s.doc_id AND w.ordinal = s.ordinal"
    " JOIN drawwell_documents x ON x.doc_id = s.doc_id"
)
_FOREIGN = (
    f"SELECT {_COMMON}, 0, 0, 0, '[]', 0, 0, '', '[]', 0, 0 FROM sections s JOIN documents d ON d.doc_id = s.doc_id"
)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section, or a document's front matter (ordinal -1), as it stands in a store.

    Lines, pages, part and parts are 0 where they are not known.
    """

    id: str
    doc_id: int
    ordinal: int
    path: str
    heading_path: str
    kind: str
    text: str
    hash: str
    prev_id: str | None
    next_id: str | None
    first_line: int
    last_line: int
    repeated: int
    covers: tuple[str, ...]
    part: int
    parts: int
    stale: str
    parents: tuple[str, ...]
    first_page: int
    last_page: int

    @property
    def page(self) -> str:
        """The page, or the pages from first to last, that it is on; empty for a document without pages."""
        return f"{self.first_page}-{self.last_page}" if self.first_page < self.last_page else str(self.first_page or "")

    @property
    def cite(self) -> str:
        """The id with the beginning of the text's hash."""
        return f"{self.id}@{self.hash[:CITE_DIGITS]}"


def _section(row: Sequence[object]) -> SectionRow:
    fields: list[Any] = list(row)
    fields[13] = _listed(fields[13])
    fields[17] = _listed(fields[17])
    return SectionRow(*fields)


def _listed(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


class Look:
    """What one operation sees of a store.

    Attributes:
        connection: in a read transaction.
        own: whether the store has our tables.
        generation: of the content seen.
        table: its documents.
        derived: the index beside the store that was asked for; None when there is none that belongs to it.
        beside: the second one that was asked for, likewise.
    """

    def __init__(self, connection: sqlite3.Connection, generation: str, table: DocumentTable, *, own: bool) -> None:
        self.connection = connection
        self.generation = generation
        self.table = table
        self.own = own
        self.derived: Derived | None = None
        self.beside: Derived | None = None
        self._select = _OWN if own else _FOREIGN

    def meta(self, key: str) -> str | None:
        """A value of the store's ``meta`` table."""
        return read_meta(self.connection, key)

    @property
    def building(self) -> bool:
        """Whether the first ingest has not been completed."""
        return self.own and self.meta("drawwell.state") == "building"

    def notes(self) -> list[str]:
        """What a caller has to know of the whole store: that it is not complete, or empty."""
        count = len(self.table.paths)
        if self.building:
            return [f"the first ingest is not complete: {count} document{'s' if count != 1 else ''} so far"]
        return [] if count else ["the store holds no documents"]

    def faults(self) -> tuple[int, int]:
        """How many files were skipped, and how many documents are marked as stale."""
        if not self.own:
            return 0, 0
        sql = "SELECT (SELECT count(*) FROM drawwell_skipped), count(*) FROM drawwell_documents WHERE stale <> ''"
        skipped, stale = self.connection.execute(sql).fetchone()
        return skipped, stale

    def excuses(self) -> list[str]:
        """Why something may be missing that a caller did not find: files that could not be read."""
        skipped, stale = self.faults()
        parts = []
        if skipped:
            parts.append(f"{skipped} file{' was' if skipped == 1 else 's were'} skipped")
        if stale:
            parts.append(f"{stale} document{' is' if stale == 1 else 's are'} out of date")
        return [f"{' and '.join(parts)}: the user can see which with drawwell status"] if parts else []

    def section(self, doc_id: int, ordinal: int) -> SectionRow | None:
        """A section by its place."""
        found = self.sections(doc_id, ordinal, ordinal)
        return found[0] if found else None

    def sections(self, doc_id: int, first: int, last: int) -> list[SectionRow]:
        """The sections of a document from one ordinal to another, both included, in order."""
        sql = f"{self._select} WHERE s.doc_id = ? AND s.ordinal BETWEEN ? AND ? ORDER BY s.ordinal"
        return [_section(row) for row in self.connection.execute(sql, (doc_id, first, last))]

    def sections_at(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], SectionRow]:
        """Several sections by document and ordinal, in one statement: as fast as half of the single ones."""
        wanted = " UNION ALL ".join(["SELECT ? AS doc_id, ? AS ordinal"] * len(places))
        sql = f"{self._select.replace('FROM sections s', f'FROM ({wanted}) AS one CROSS JOIN sections s', 1)}"
        values = [number for place in places for number in place]
        rows = self.connection.execute(f"{sql} WHERE s.doc_id = one.doc_id AND s.ordinal = one.ordinal", values)
        found = map(_section, rows)
        return {(row.doc_id, row.ordinal): row for row in found}

    def section_by_id(self, name: str) -> SectionRow | None:
        """A section by its id."""
        row = self.connection.execute(f"{self._select} WHERE s.id = ?", (name,)).fetchone()
        return None if row is None else _section(row)

    def front_matter(self, doc_id: int) -> SectionRow | None:
        """A document's front matter; None when it has none."""
        if not self.own:
            return None
        sql = (
            "SELECT d.path, d.title, x.front_matter, x.stale FROM drawwell_documents x"
            " JOIN documents d USING (doc_id) WHERE x.doc_id = ? AND x.front_matter != ''"
        )
        row = self.connection.execute(sql, (doc_id,)).fetchone()
        return None if row is None else _front_matter(doc_id, *row)


class Views:
    """Gives looks at one store and keeps its table of documents while it does not change.

    Args:
        store: the store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._table: tuple[str, DocumentTable] | None = None
        self._words = {name: WordsFolder(store.path, name) for name in INDEXES}

    @contextlib.contextmanager
    def look(self, index: str = "", beside: str = "") -> Iterator[Look]:
        """One consistent look at the store, in a read transaction of this thread's connection.

        Args:
            index: name of an index beside the store that will be asked; empty for none.
            beside: name of a second one.

        Raises:
            NotReady: the call was interrupted, by a server that is leaving say.
            StoreBusy, StoreError: the store cannot be read.
        """
        # Before the store: what the index holds then is in the store too, or known there to be gone.
        readers = [self._words[name].latest() if name else (None, 0) for name in (index, beside)]
        try:
            connection, generation = self._begin()
        except sqlite3.DatabaseError as error:
            raise translated(self._store.path, error) from error
        try:
            look = Look(connection, generation, self._documents(connection, generation), own=self._store.own)
            look.derived, look.beside = (
                _belonging(look, name, *found) for name, found in zip((index, beside), readers, strict=True)
            )
            yield look
        except sqlite3.DatabaseError as error:
            raise translated(self._store.path, error) from error
        finally:
            _end(connection)

    def ask(self, indexes: Sequence[str], question: Callable[[Look], Answer]) -> Answer:
        """The answer to a question from one look; without its indexes when one turns out to be damaged.

        Args:
            indexes: names of at most two, as for ``look``.
            question: gives the answer; asked once more after such damage.

        Raises:
            NotReady, StoreBusy, StoreError: as for ``look``.
        """
        with self.look(*indexes) as look:
            if look.derived is None:
                return question(look)
            try:
                with index_faults():
                    return question(look)
            except IndexUnusable:
                for name, used in zip(indexes, (look.derived, look.beside), strict=False):
                    if used is not None:
                        self._words[name].distrust(used.reader)
                look.derived = look.beside = None
                return question(look)

    def _begin(self) -> tuple[sqlite3.Connection, str]:
        while True:
            connection = self._store.connection()
            try:
                connection.execute("BEGIN")
                generation = self._store.generation()
                if self._store.connection() is connection:
                    return connection, generation
            except BaseException:
                _end(connection)  # or every later call of this thread would find a transaction begun
                raise
            _end(connection)  # the file was replaced in between: what was read may be of two stores

    def _documents(self, connection: sqlite3.Connection, generation: str) -> DocumentTable:
        with self._lock:
            if self._table is None or self._table[0] != generation:
                self._table = (generation, DocumentTable.load(connection, own=self._store.own))
            return self._table[1]


def _belonging(look: Look, name: str, reader: WordsReader | None, followed: int) -> Derived | None:
    if reader is None or not look.own:
        return None
    ahead = max(reader.generation, followed) > int(look.meta("drawwell.generation") or 0)
    return derived(reader, identity(look.connection, name), look.table, ahead=ahead)


def _end(connection: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):  # closed meanwhile, which ends the transaction too
        connection.execute("ROLLBACK")


def _front_matter(doc_id: int, path: str, title: str, text: str, stale: str) -> SectionRow:
    """A document's front matter in the form of a section."""
    return SectionRow(
        id=f"{path}#{META}",
        doc_id=doc_id,
        ordinal=-1,
        path=path,
        heading_path=title,
        kind="metadata",
        text=text,
        hash=hashlib.sha256(text.encode()).hexdigest(),
        prev_id=None,
        next_id=None,
        first_line=1,
        last_line=text.rstrip("\n").count("\n") + 1,
        repeated=0,
        covers=(),
        part=0,
        parts=0,
        stale=stale,
        parents=(),
        first_page=0,
        last_page=0,
    )
