"""Writing many documents: several share a commit, and each is whole at any time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from drawwell.corpus.ingest import write
from drawwell.corpus.ingest.files import Contents
from drawwell.corpus.ingest.parse import parse_document
from drawwell.corpus.ingest.records import Document, ParseTask
from drawwell.corpus.ingest.write import Writer
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.connect import open_for_writing


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A new store."""
    with closing(open_for_writing(tmp_path / "store.sqlite")) as opened:
        yield opened


def document(name: str) -> Document:
    """A document of two sections."""
    text = f"# {name}\n\nFirst words of it, enough for a section.\n\n## Then\n\nMore words, enough for another one.\n"
    found = parse_document(Contents(text.encode(), 1), ParseTask(name, name, len(text), "key", IngestOptions()))
    assert isinstance(found, Document)
    return found


def seen(tmp_path: Path) -> list[tuple[str, int]]:
    """Paths and numbers of sections as another connection has them."""
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as other:
        sql = "SELECT path, (SELECT count(*) FROM sections s WHERE s.doc_id = d.doc_id) FROM documents d ORDER BY path"
        return list(other.execute(sql))


def write_all(writer: Writer, *documents: Document | None) -> None:
    """Write documents as many; None stands for what fails between two of them."""
    with writer.bulk():
        for one in documents:
            if one is None:
                raise InterruptedError
            writer.put(one, None)


def test_many_documents_share_a_commit(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is seen before the commit, all of it after; each document has a number of its own."""
    monkeypatch.setattr(write, "_BATCH_SECONDS", 1e9)
    writer = Writer(connection, "now")
    with writer.bulk():
        numbers = [writer.put(document(name), None) for name in ("a.md", "b.md")]
        assert seen(tmp_path) == []
    assert seen(tmp_path) == [("a.md", 2), ("b.md", 2)]
    assert len(set(numbers)) == 2


@pytest.mark.parametrize(("name", "value"), [("_BATCH_CHARS", 1), ("_BATCH_SECONDS", -1.0)])
def test_much_text_or_a_long_wait_ends_a_commit(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    """A run that goes on for long is seen as it goes."""
    monkeypatch.setattr(write, "_BATCH_SECONDS", 1e9)
    monkeypatch.setattr(write, name, value)
    writer = Writer(connection, "now")
    with writer.bulk():
        writer.put(document("a.md"), None)
        assert seen(tmp_path) == [("a.md", 2)]


def test_what_is_written_when_a_run_is_interrupted_stays(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two documents nothing is lost; a failed one takes back those of its commit, and no part of any stays."""
    monkeypatch.setattr(write, "_BATCH_SECONDS", 1e9)
    writer = Writer(connection, "now")
    with pytest.raises(InterruptedError):
        write_all(writer, document("a.md"), None)
    assert seen(tmp_path) == [("a.md", 2)]
    with pytest.raises(sqlite3.IntegrityError):
        write_all(writer, document("b.md"), document("a.md"))
    assert seen(tmp_path) == [("a.md", 2)]
    assert not connection.in_transaction
