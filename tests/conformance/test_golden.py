"""The golden files: the index text and the ids of the sample corpus, as a reviewer sees them.

After a change that is meant, show the difference with ``python -m tests.conformance.golden`` and write the files anew
with ``python -m tests.conformance.golden --write``.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from tests.conformance.builder import build
from tests.conformance.golden import FOLDER, render

TIMES = ("ingested_at", "mtime_ns")


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_golden(name: str, tmp_path: Path) -> None:
    """The sample corpus gives what was reviewed."""
    assert render(tmp_path)[name] == (FOLDER / name).read_text(encoding="utf-8")


def test_workers_do_not_matter(tmp_path: Path) -> None:
    """Two ingests of one corpus, with one worker and with several, give the same store but for times."""
    stores = []
    for workers in (1, 3):
        root = build("sample", _folder(tmp_path / str(workers)))
        ingest(root, tmp_path / f"{workers}.sqlite", IngestOptions(workers=workers))
        stores.append(_content(tmp_path / f"{workers}.sqlite"))
    assert stores[0] == stores[1]
    assert len(stores[0]["sections"]) > 80


def test_a_second_run_rewrites_nothing(tmp_path: Path) -> None:
    """A run without changes leaves every row as it was, the index text among them."""
    root, store = build("sample", tmp_path), tmp_path / "store.sqlite"
    ingest(root, store, IngestOptions(workers=1))
    before = _content(store)
    report = ingest(root, store, IngestOptions(workers=1))
    assert (report.added, report.changed, report.sections_written) == (0, 0, 0)
    assert _content(store) == before


def test_growing_gives_the_same(tmp_path: Path) -> None:
    """A corpus that came in two halves gives the same ids, texts and index as one that came at once."""
    at_once = build("sample", _folder(tmp_path / "once"))
    ingest(at_once, tmp_path / "once.sqlite", IngestOptions(workers=1))
    in_halves = build("sample", _folder(tmp_path / "halves"))
    later = _folder(tmp_path / "later")
    (in_halves / "policies").rename(later / "policies")
    ingest(in_halves, tmp_path / "halves.sqlite", IngestOptions(workers=1))
    (later / "policies").rename(in_halves / "policies")
    ingest(in_halves, tmp_path / "halves.sqlite", IngestOptions(workers=1))
    one, two = _content(tmp_path / "once.sqlite"), _content(tmp_path / "halves.sqlite")
    assert one["sections"] == two["sections"]
    assert one["index_text"] == two["index_text"]


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _content(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row that means something, without the numbers that only tell in which order documents came."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.row_factory = sqlite3.Row
        sections = connection.execute(
            "SELECT * FROM sections JOIN drawwell_sections USING (doc_id, ordinal)"
            " JOIN documents USING (doc_id) ORDER BY id"
        ).fetchall()
        documents = connection.execute("SELECT * FROM documents JOIN drawwell_documents USING (doc_id) ORDER BY path")
        texts = connection.execute("SELECT heading_path, text FROM sections_fts ORDER BY id").fetchall()
        index_text = connection.execute("SELECT value FROM meta WHERE key = 'index_text'").fetchall()
        fingerprint = connection.execute("SELECT value FROM meta WHERE key = 'corpus_fingerprint'").fetchall()
        return {
            "sections": [_row(row) for row in sections],
            "documents": [_row(row) for row in documents],
            "texts": [tuple(row) for row in texts],
            "index_text": [tuple(row) for row in index_text],
            "fingerprint": [tuple(row) for row in fingerprint],
        }


def _row(row: sqlite3.Row) -> tuple[object, ...]:
    return tuple(row[key] for key in row.keys() if key not in (*TIMES, "doc_id", "fts_rowid"))  # noqa: SIM118
