"""The format of a corpus store: one SQLite file in format 1.x, the seed's tables plus our own.

The tables without a prefix are a contract with every other reader of the format. Ours begin with ``drawwell_``;
such a reader ignores them. No absolute path is written into a store, so it can be copied to any place or machine.

Keys of ``meta`` beside the format's: ``drawwell.schema`` (version of our tables), ``drawwell.state`` (``building``
until the first complete run, then ``complete``), ``drawwell.created`` and ``drawwell.generation`` (when the file was
made, and a number that every commit of content raises), ``drawwell.version`` (the drawwell that wrote last),
``drawwell.settings`` (JSON object), ``drawwell.stale`` (number of documents marked as stale), ``drawwell.map``
(for server instructions), ``drawwell.embedder`` (the row of ``drawwell_models`` whose vectors answer) and
``drawwell.embedder_next`` (the row whose vectors are being made to take its place).
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drawwell.errors import DependencyError, Error, NotReady, StoreBusy, StoreError, StoreTooNew, StoreUnwritable

__all__ = [
    "FORMAT_VERSION",
    "MIGRATIONS",
    "OWN_VERSION",
    "SCHEMA",
    "Migration",
    "Unfinished",
    "check_format",
    "create",
    "damaged",
    "migrate",
    "own_version",
    "read_meta",
    "translated",
    "unwritable",
    "write_failure",
]

FORMAT_VERSION = "1.0"
"""``meta.schema_version``: the shared format."""
OWN_VERSION = 3
"""``meta['drawwell.schema']``: our own tables."""

TOKENIZER = "unicode61 remove_diacritics 2 tokenchars '-_.'"

_VECTORS = """
CREATE TABLE drawwell_models (    -- what decides a vector: vectors of different rows are never compared
  model_id  INTEGER PRIMARY KEY,
  provider  TEXT NOT NULL,
  name      TEXT NOT NULL,
  revision  TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  prompts   TEXT NOT NULL,
  UNIQUE (provider, name, revision, dimension, prompts)
);
CREATE TABLE drawwell_vectors (   -- by text, so that they outlive documents
  vector_id INTEGER PRIMARY KEY,
  model_id  INTEGER NOT NULL REFERENCES drawwell_models(model_id) ON DELETE CASCADE,
  hash      BLOB NOT NULL,        -- of the heading path and the text that were embedded
  codes     BLOB NOT NULL,        -- drawwell.codec: one row for each piece that the model's window took
  exact     BLOB NOT NULL,        -- the same rows as float16, little-endian
  UNIQUE (model_id, hash)
);
CREATE TABLE drawwell_embedded (  -- which section has which; row_id only grows, so that a reader sees what is new
  row_id     INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id   INTEGER NOT NULL REFERENCES drawwell_models(model_id) ON DELETE CASCADE,
  doc_id     INTEGER NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE,
  generation INTEGER NOT NULL,    -- of the document when it was embedded
  ordinal    INTEGER NOT NULL,
  vector_id  INTEGER NOT NULL REFERENCES drawwell_vectors(vector_id),
  UNIQUE (model_id, doc_id, ordinal)
);
CREATE INDEX drawwell_embedded_doc ON drawwell_embedded (doc_id);
CREATE INDEX drawwell_embedded_vector ON drawwell_embedded (vector_id);
"""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
  doc_id      INTEGER PRIMARY KEY,
  path        TEXT NOT NULL UNIQUE,
  title       TEXT NOT NULL,
  summary     TEXT,
  summary_src TEXT,
  sha256      TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  n_sections  INTEGER NOT NULL,
  ingested_at TEXT NOT NULL
);
CREATE TABLE sections (
  id           TEXT PRIMARY KEY,
  doc_id       INTEGER NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE,
  ordinal      INTEGER NOT NULL,
  heading_path TEXT NOT NULL,
  level        INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  text         TEXT NOT NULL,
  char_len     INTEGER NOT NULL,
  hash         TEXT NOT NULL,
  prev_id      TEXT,
  next_id      TEXT,
  UNIQUE (doc_id, ordinal)
);
CREATE VIRTUAL TABLE sections_fts USING fts5(
  id UNINDEXED, heading_path, text, tokenize = "{TOKENIZER}"
);
CREATE TABLE embeddings (
  section_id TEXT PRIMARY KEY REFERENCES sections(id) ON DELETE CASCADE,
  model      TEXT NOT NULL,
  dim        INTEGER NOT NULL,
  vec        BLOB NOT NULL
);
CREATE TABLE summary_cache (sha256 TEXT PRIMARY KEY, model TEXT NOT NULL, summary TEXT NOT NULL);

CREATE TABLE drawwell_documents (
  doc_id       INTEGER PRIMARY KEY REFERENCES documents(doc_id) ON DELETE CASCADE,
  key          TEXT NOT NULL,     -- IngestOptions.document_key at the time
  mtime_ns     INTEGER NOT NULL,  -- of the file when it was read
  encoding     TEXT NOT NULL,
  chars        INTEGER NOT NULL,  -- code points of the source or rendition
  front_matter TEXT NOT NULL,     -- verbatim; '' without one
  metadata     TEXT NOT NULL,     -- JSON object
  stale        TEXT NOT NULL,     -- why the text may be out of date; '' when current
  warnings     TEXT NOT NULL,     -- JSON list of strings
  generation   INTEGER NOT NULL   -- drawwell.generation of the commit that wrote its sections: no other document has it
);
CREATE UNIQUE INDEX drawwell_documents_generation ON drawwell_documents (generation);
CREATE INDEX drawwell_documents_stale ON drawwell_documents (doc_id) WHERE stale <> '';
CREATE TABLE drawwell_aliases (
  path   TEXT PRIMARY KEY,        -- another path of the same document; never that of a document
  doc_id INTEGER NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE,
  kind   TEXT NOT NULL            -- link: a symbolic link inside the root; moved: where the file was before
);
CREATE INDEX drawwell_aliases_doc ON drawwell_aliases (doc_id);
CREATE TABLE drawwell_sections (
  fts_rowid  INTEGER PRIMARY KEY, -- rowid in sections_fts
  doc_id     INTEGER NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL,
  start      INTEGER NOT NULL,    -- span in the source, code points
  end        INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  repeated   INTEGER NOT NULL,    -- characters of a repeated table header at the start of sections.text
  headings   TEXT NOT NULL,       -- JSON list: heading_path unjoined
  covers     TEXT NOT NULL,       -- JSON list of headings inside, beside heading_path
  anchor     TEXT NOT NULL,       -- slug, unique within the document
  part       INTEGER NOT NULL,    -- 1-based part of a cut block or table; 0 when whole
  parts      INTEGER NOT NULL,
  cite       INTEGER NOT NULL,    -- first 12 hex digits of sections.hash as a number
  first_page INTEGER NOT NULL,    -- of a document with pages; 0 for others
  last_page  INTEGER NOT NULL,
  parents    TEXT NOT NULL,       -- JSON list: first lines of the list items that enclose the section's start
  hidden     TEXT NOT NULL,       -- JSON list of [start, end] in sections.text that search is not to find
  UNIQUE (doc_id, ordinal)
);
CREATE INDEX drawwell_sections_cite ON drawwell_sections (cite);
CREATE TABLE drawwell_skipped (
  path   TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  sha256 TEXT NOT NULL,           -- of the bytes that could not be taken in; '' when they were not read
  key    TEXT NOT NULL            -- IngestOptions.document_key at the time; '' likewise
);
CREATE VIRTUAL TABLE drawwell_metadata_fts USING fts5(  -- rowid is the document's doc_id
  path UNINDEXED, text, tokenize = "{TOKENIZER}"
);
{_VECTORS}
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from an older version of our tables to the next.

    Attributes:
        version: the version that the store has after it.
        apply: makes the change, inside a transaction that is not its own.
    """

    version: int
    apply: Callable[[sqlite3.Connection], None]


_TO_2 = """
ALTER TABLE drawwell_documents ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
UPDATE drawwell_documents SET generation = doc_id;
CREATE UNIQUE INDEX drawwell_documents_generation ON drawwell_documents (generation);
CREATE INDEX drawwell_documents_stale ON drawwell_documents (doc_id) WHERE stale <> '';
UPDATE meta SET value = max(CAST(value AS INTEGER), (SELECT coalesce(max(doc_id), 0) FROM documents))
  WHERE key = 'drawwell.generation';
ALTER TABLE drawwell_sections ADD COLUMN first_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE drawwell_sections ADD COLUMN last_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE drawwell_sections ADD COLUMN parents TEXT NOT NULL DEFAULT '[]';
ALTER TABLE drawwell_sections ADD COLUMN hidden TEXT NOT NULL DEFAULT '[]';
"""


def _to_2(connection: sqlite3.Connection) -> None:
    """Number the documents by what wrote them; pages and enclosing list items come when a document is read again."""
    _run_all(connection, _TO_2)


def _to_3(connection: sqlite3.Connection) -> None:
    """Tables for vectors."""
    _run_all(connection, _VECTORS)


def _run_all(connection: sqlite3.Connection, statements: str) -> None:
    """Like ``executescript``, which would end the transaction. No statement holds a semicolon within."""
    for statement in re.sub(r"--.*", "", statements).split(";"):
        if statement.strip():
            connection.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (Migration(2, _to_2), Migration(3, _to_3))
"""Every step since version 1, in order. The last one's version is ``OWN_VERSION``."""


_CONTENT_FAULTS = frozenset(
    (
        sqlite3.SQLITE_ERROR,  # a table or column that is not there
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
    )
)


class Unfinished(StoreError):
    """A file that another process has only begun to make."""


def create(connection: sqlite3.Connection) -> None:
    """Make all tables in one transaction, so that a store is never half made."""
    rows = {
        "schema_version": FORMAT_VERSION,
        "drawwell.schema": str(OWN_VERSION),
        "drawwell.state": "building",
        "drawwell.created": str(time.time_ns()),
        "drawwell.generation": "0",
    }
    values = ", ".join(f"('{key}', '{value}')" for key, value in rows.items())
    connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} INSERT INTO meta VALUES {values}; COMMIT;")


def migrate(connection: sqlite3.Connection, steps: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring our tables up to date: every step that is newer than the store, each in one transaction with its record."""
    version = own_version(connection)
    for step in steps:
        if step.version <= version:
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            step.apply(connection)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'drawwell.schema'", (str(step.version),))
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def check_format(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether drawwell made the store, and so has its tables in it.

    Raises:
        StoreError: it is not a store of documents (``Unfinished`` when it has no tables yet).
        StoreTooNew: the format or our tables are newer than this code.
        DependencyError: this SQLite has no full-text search.
    """
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        raise Unfinished(f"the store {path} is empty", "Run drawwell ingest; if one is running, wait for it")
    if not {"meta", "documents", "sections", "sections_fts"} <= tables:
        raise StoreError(f"{path} is an SQLite file but not a store of documents", "Give the file that an ingest made")
    version = read_meta(connection, "schema_version") or "none"
    ours = FORMAT_VERSION.partition(".")[0]
    major = version.partition(".")[0]
    if major.isdigit() and int(major) > int(ours):
        raise _too_new(path, f"has format {version}", FORMAT_VERSION)
    if major != ours:
        raise StoreError(f"{path} has format {version}, this drawwell reads {ours}.x", "Ingest the folder again")
    try:
        connection.execute("SELECT 1 FROM sections_fts LIMIT 0")
    except sqlite3.OperationalError as error:
        raise DependencyError(f"this Python's SQLite has no FTS5 ({error})", "Use a Python that has it") from error
    if "drawwell_documents" not in tables:
        return False
    if own_version(connection) > OWN_VERSION:
        raise _too_new(path, f"has drawwell's tables in version {own_version(connection)}", str(OWN_VERSION))
    return True


def _too_new(path: Path, has: str, known: str) -> StoreTooNew:
    return StoreTooNew(f"{path} {has}, this drawwell knows {known}", "Update drawwell, or ingest the folder again")


def damaged(path: Path, error: sqlite3.Error | str) -> StoreError:
    """What to tell a user when SQLite cannot make sense of a file."""
    return StoreError(f"the store {path} is damaged or not a store: {error}", "Delete it and ingest the folder again")


def unwritable(path: Path, error: sqlite3.Error | str | None) -> StoreUnwritable:
    """What to tell a user when the place of a store does not take it."""
    return StoreUnwritable(f"cannot write the store {path}: {error}", "Give another place with --store")


def write_failure(path: Path, error: sqlite3.Error) -> StoreError:
    """What to tell a user when writing to a store failed: it is held, what is in it is wrong, or its place is."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return StoreBusy(f"another process holds the store {path}", "Try again when it is done")
    return damaged(path, error) if code in _CONTENT_FAULTS else unwritable(path, error)


def translated(path: Path, error: sqlite3.DatabaseError) -> Error:
    """What to tell a user when a store cannot be read now, whatever the reason."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return NotReady("the call was interrupted", "Call again")
    if code == sqlite3.SQLITE_BUSY:
        return StoreBusy(f"another process holds the store {path}", "Try again when it is done")
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreError(f"the store {path} was closed during the call", "Open it again")
    return damaged(path, error)


def own_version(connection: sqlite3.Connection) -> int:
    """The version of our tables in a store; 0 without any."""
    text = read_meta(connection, "drawwell.schema") or ""
    return int(text) if text.isdigit() else 0


def read_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """The value of a key of ``meta``; None when it is not there."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])
