"""One file to its rows: what the store keeps and what the word index holds."""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from dataclasses import replace

import pytest

from drawwell.corpus.ingest.files import Contents
from drawwell.corpus.ingest.parse import parse_document
from drawwell.corpus.ingest.records import Document, ParseTask, Rejected
from drawwell.corpus.options import IngestOptions
from drawwell.text import formats
from drawwell.text.blocks import Parsed
from drawwell.text.formats import Format, markdown

SOURCE = """\
---
title: A Title
tags: [one, two]
---

Intro with --flag and `UV_CACHE_DIR`. See the end.

## Part > One

<!-- a hidden remark -->

Some text of part one that is long enough to be kept apart.

## Tiny

x

## Tinier

y
"""


def parsed(source: str | bytes, path: str = "d/some-name.md", **limits: int) -> Document | Rejected:
    data = source if isinstance(source, bytes) else source.encode()
    task = ParseTask(path, path, len(data), "key", IngestOptions(**limits))
    return parse_document(Contents(data, 12345), task)


def document(source: str | bytes, path: str = "d/some-name.md", **limits: int) -> Document:
    found = parsed(source, path, **limits)
    assert isinstance(found, Document), found
    return found


def test_a_documents_row() -> None:
    """Path, kind, key, title, hash, size, time, encoding, front matter and metadata."""
    found = document(SOURCE)
    assert (found.path, found.kind, found.key, found.title) == ("d/some-name.md", "markdown", "key", "A Title")
    assert found.sha256 == hashlib.sha256(SOURCE.encode()).hexdigest()
    assert (found.size, found.chars, found.mtime_ns) == (len(SOURCE), len(SOURCE), 12345)
    assert SOURCE.startswith(found.front_matter)
    assert found.front_matter.rstrip().endswith("---")
    assert json.loads(found.metadata)["tags"] == ["one", "two"]
    assert found.front_matter + "".join(row.text for row in found.sections) == SOURCE


def test_rows_of_sections() -> None:
    """Slice, hash, lines, headings as a list and joined, covered headings, the cite number."""
    found = document(SOURCE)
    for row in found.sections:
        assert SOURCE[row.start : row.end] == row.text
        assert row.hash == hashlib.sha256(row.text.encode()).hexdigest()
        assert row.cite == int(row.hash[:12], 16)
        assert row.char_len == len(row.text)
        assert " > ".join(json.loads(row.headings)) == row.heading_path
        assert row.first_line == SOURCE[: row.start].count("\n") + 1
    assert json.loads(found.sections[1].headings) == ["A Title", "Part > One"]


def hiding(data: bytes) -> Parsed:
    """Markdown whose comments are hidden, as a format may want it."""
    found = markdown.parse(data)
    hide = lambda block: block._replace(kind="hidden") if "<!--" in found.source[slice(*block.span)] else block  # noqa: E731
    return replace(found, blocks=tuple(map(hide, found.blocks)))


def test_the_word_index_leaves_out_what_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays in the text, which remains a slice of the source."""
    monkeypatch.setitem(formats._BY_SUFFIX, ".hiding", Format("hiding", "", (), f"{__name__}:hiding"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[hiding.__module__])
    second = document(SOURCE, "d/some-name.hiding").sections[1]
    assert "hidden remark" in second.text
    assert "hidden remark" not in second.fts_text
    assert second.fts_text.startswith("## Part > One\n\n\nSome text of part one")


def test_the_word_index_holds_normalised_words_and_covered_headings() -> None:
    """As the shared format asks; headings of merged sections count as headings."""
    first, _, last = document(SOURCE).sections
    assert "with flag and `UV_CACHE_DIR`" in first.fts_text
    assert json.loads(last.covers) == ["Tiny", "Tinier"]
    assert last.fts_heading_path == "A Title > Tiny > Tinier"


def test_a_table_continued_repeats_its_header() -> None:
    """In the text and in the index; the slice is what follows it."""
    table = "| name | value |\n|---|---|\n" + "".join(f"| row {n} | {n * 1000} |\n" for n in range(60))
    rows = document("# T\n\n" + table, "t.md", section_max_chars=300).sections
    assert len(rows) > 3
    for row in rows[1:]:
        assert row.text.startswith("| name | value |\n|---|---|\n")
        assert row.repeated == len("| name | value |\n|---|---|\n")
        assert (row.part, row.parts) != (0, 0)
        assert "name" in row.fts_text


def test_what_cannot_be_taken_in_has_a_reason() -> None:
    """Empty files and unknown kinds; the bytes are remembered where they are at fault."""
    empty = parsed(b"")
    assert isinstance(empty, Rejected)
    assert (empty.reason, empty.lasting, empty.key) == ("no content", True, "key")
    unknown = parsed(b"x", "a.unknown")
    assert isinstance(unknown, Rejected)
    assert not unknown.lasting


def test_outcomes_travel_between_processes() -> None:
    """Pickled and back they are the same."""
    for outcome in (document(SOURCE), parsed(b"")):
        assert pickle.loads(pickle.dumps(outcome)) == outcome
