"""A folder with PDF files: ingested, searched and read with pages; locked files and their password."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.model import to_json
from drawwell.text import formats
from tests.corpus.folders import fill, take
from tests.pdfs import LOREM, pdf

SECRET = "heron-7-secret"
MANUAL = pdf(
    [
        {"draw": [{"at": [60, 80], "text": f"Part {name}", "size": 16}, {"at": [60, 110], "flow": text, "width": 475}]}
        for name, text in (("one", LOREM), ("two", "Basalt is laid below the basin. " + LOREM), ("three", LOREM))
    ]
)
LOCKED = pdf(
    [{"draw": [{"at": [60, 80], "flow": "Obsidian is kept in the cellar. " + LOREM, "width": 475}]}], user=SECRET
)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A folder with one manual."""
    fill(tmp_path, {"manual.pdf": MANUAL, "notes.md": "# Notes\n\nBasalt is a stone.\n"})
    report = take(tmp_path)
    assert (report.added, report.skipped) == (2, ())
    with Corpus(Store.open(store_path(tmp_path)), tmp_path) as opened:
        yield opened


def test_pd_09_search_read_and_grep_say_the_page(corpus: Corpus) -> None:
    """Every answer about a document with pages carries them, and one without has none."""
    hit, other = sorted(corpus.search("basalt").hits, key=lambda one: one.doc)
    assert (hit.doc, hit.page, other.page) == ("manual.pdf", "2", "")
    assert hit.cite.startswith(f"{hit.id}@")
    text = corpus.read(hit.cite)
    assert (text.page, "Basalt is laid below the basin." in text.text) == ("2", True)
    assert [match.page for match in corpus.grep("Basalt is laid").matches] == ["2"]
    assert "page" not in to_json(other)
    assert [section.page for section in corpus.neighbours(hit.id).sections] == ["1", "2", "3"]


def test_pd_01_a_locked_file_is_read_once_its_password_is_given(tmp_path: Path) -> None:
    """It is skipped with what to do, tried again at the next ingest, and stays when the password is gone."""
    fill(tmp_path, {"locked.pdf": LOCKED, "notes.md": "# Notes\n\nSomething else.\n"})
    ((path, reason),) = take(tmp_path).skipped
    assert (path, reason.split(" (")[0]) == ("locked.pdf", "password-protected, give --pdf-password")
    report = take(tmp_path, pdf_password=SECRET)
    assert (report.added, report.skipped) == (1, ())
    report = take(tmp_path)
    assert (report.unchanged, report.skipped) == (2, ())


def test_pd_01_the_password_is_nowhere_to_be_seen(tmp_path: Path) -> None:
    """Neither the store, nor the report, nor what the options show of themselves, nor a document's key holds it."""
    fill(tmp_path, {"locked.pdf": LOCKED, "other.pdf": pdf([{"draw": []}], user="another")})
    report = take(tmp_path, pdf_password=SECRET)
    assert report.added == 1
    assert SECRET not in repr(report)
    assert SECRET not in repr(IngestOptions(pdf_password=SECRET))
    assert IngestOptions(pdf_password=SECRET).document_key("pdf") == IngestOptions().document_key("pdf")
    for file in store_path(tmp_path).parent.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()
    with closing(sqlite3.connect(store_path(tmp_path))) as store:
        assert not any(SECRET in line for line in store.iterdump())
    store.close()


def test_a_missing_extra_names_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library a PDF is skipped with how to install it."""
    monkeypatch.setattr(formats, "_installed", lambda package: package != "pypdfium2")
    formats.parser_of.cache_clear()
    monkeypatch.setattr("drawwell.corpus.ingest.pool.is_isolated", lambda task: False)
    fill(tmp_path, {"manual.pdf": MANUAL, "notes.md": "# Notes\n\nSomething.\n"})
    ((path, reason),) = take(tmp_path).skipped
    assert (path, "pip install 'drawwell[pdf]'" in reason) == ("manual.pdf", True)
    formats.parser_of.cache_clear()
