"""The corpus store: one SQLite file in format 1.x, the seed's tables plus our own.

The tables without a prefix are a contract with every other reader of the format. Ours begin with ``drawwell_``;
such a reader ignores them. No absolute path is written into a store, so it can be copied to any place or machine.
"""

from __future__ import annotations

__all__ = ["FORMAT_VERSION", "SCHEMA", "STORE_NAME"]

FORMAT_VERSION = "1.0"
"""``meta.schema_version``: the shared format."""
OWN_VERSION = 1
"""``meta['drawwell.schema']``: our own tables."""
STORE_DIR = ".drawwell"
STORE_NAME = "store.sqlite"

TOKENIZER = "unicode61 remove_diacritics 2 tokenchars '-_.'"

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
  aliases      TEXT NOT NULL      -- JSON list of other paths of the same file (links inside the root)
);
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
  UNIQUE (doc_id, ordinal)
);
CREATE INDEX drawwell_sections_cite ON drawwell_sections (cite);
CREATE TABLE drawwell_skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL);
CREATE VIRTUAL TABLE drawwell_metadata_fts USING fts5(path UNINDEXED, text, tokenize = "{TOKENIZER}");
"""
