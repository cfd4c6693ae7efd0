"""Test collections: what is read of them, and what is said of wrong ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from drawwell.bench.collections import Question, find_collections, load_collection
from drawwell.errors import ArgumentError, SourceError
from drawwell.model import Span

COLLECTIONS = Path(__file__).parent / "collections"


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    """A collection of a test's own to spoil."""
    return Path(shutil.copytree(COLLECTIONS / "garden", tmp_path / "garden"))


def test_a_collection_is_read() -> None:
    """Documents, questions and grades come in order; judgements of grade 0, of no question here or of no document
    are left out, the last counted."""
    found = load_collection(COLLECTIONS / "garden")
    assert (found.name, found.unknown, found.asks_for_spans) == ("garden", 1, False)
    assert [document.id for document in found.documents][:2] == ["roses", "compost"]
    assert found.questions[1] == Question(id="q2", text="roses bud", kind="look-up")
    assert found.relevant == {"q1": {"slugs": 2, "lettuce": 1}, "q2": {"roses": 1}, "q4": {"tool": 1}}


def test_conversations_and_spans_are_read() -> None:
    """Numbers of sessions become text; spans need no judgements."""
    talks = load_collection(COLLECTIONS / "talks")
    assert (talks.documents[2].conv, talks.documents[2].session) == ("one", "2")
    assert (talks.questions[0].conv, talks.questions[0].kind) == ("one", "single")
    pieces = load_collection(COLLECTIONS / "pieces")
    assert pieces.asks_for_spans
    (span,) = pieces.questions[0].spans
    assert pieces.documents[0].text[span.start : span.end] == "one queen"
    assert isinstance(span, Span)


def test_a_folder_of_collections_and_one(garden: Path) -> None:
    """A folder of collections gives them by name, a collection itself; others are passed over."""
    assert [path.name for path in find_collections(COLLECTIONS)] == ["garden", "pieces", "talks"]
    assert find_collections(COLLECTIONS, ["talks", "garden"]) == [COLLECTIONS / "garden", COLLECTIONS / "talks"]
    assert find_collections(garden, ["garden"]) == [garden]
    (garden.parent / "empty").mkdir()
    assert find_collections(garden.parent) == [garden]
    with pytest.raises(ArgumentError, match="--only: got 'weeds', takes names of collections: garden"):
        find_collections(garden, ["weeds"])
    with pytest.raises(SourceError, match="holds no collection"):
        find_collections(garden.parent / "empty")
    with pytest.raises(SourceError, match="is no folder"):
        find_collections(garden / "qrels.tsv")


WRONG = {
    "not JSON": ("documents.jsonl", b'{"id": "a", "text": "b"}\n{"id": \n', "line 2: is not JSON"),
    "nested": ("documents.jsonl", b"[" * 100_000, "line 1: is not JSON"),
    "no object": ("documents.jsonl", b'["a"]\n', "line 1: is no JSON object"),
    "no text": ("documents.jsonl", b'\n{"id": "a"}\n', "line 2: has no 'text'"),
    "no id": ("queries.jsonl", b'{"text": "a"}\n', "line 1: has no 'id'"),
    "empty id": ("queries.jsonl", b'{"id": "", "text": "a"}\n', "line 1: its id is empty"),
    "two of a name": ("documents.jsonl", b'{"id": "a", "text": "b"}\n{"id": "a", "text": "c"}\n', "line 2: the id 'a'"),
    "list for text": ("documents.jsonl", b'{"id": "a", "text": ["b"]}\n', "line 1: 'text' is \\['b'\\], not a string"),
    "no UTF-8": ("documents.jsonl", b'{"id": "a", "text": "b"}\n\xff\n', "is not UTF-8"),
    "empty": ("documents.jsonl", b"\n", "documents.jsonl is empty"),
    "no question": ("queries.jsonl", b"", "queries.jsonl is empty"),
    "no header": ("qrels.tsv", b"q1\tslugs\t2\n", "line 1: is not the header"),
    "two cells": ("qrels.tsv", b"query-id\tcorpus-id\tscore\nq1\tslugs\n", "line 2: is not three cells"),
    "no number": ("qrels.tsv", b"query-id\tcorpus-id\tscore\nq1\tslugs\tyes\n", "line 2: the score 'yes'"),
    "span of nothing": (
        "queries.jsonl",
        b'{"id": "a", "text": "b", "spans": [[0, 1]]}\n',
        "line 1: there is no document",
    ),
    "span outside": (
        "queries.jsonl",
        b'{"id": "a", "text": "b", "corpus": "slugs", "spans": [[0, 999]]}\n',
        "line 1: the span \\[0, 999\\] is not",
    ),
    "span of text": (
        "queries.jsonl",
        b'{"id": "a", "text": "b", "corpus": "slugs", "spans": "0-9"}\n',
        "line 1: the span '0-9' is not",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_its_place(garden: Path, name: str) -> None:
    """The message names file and line, and the suggestion the format."""
    file, data, message = WRONG[name]
    (garden / file).write_bytes(data)
    with pytest.raises(SourceError, match=message) as raised:
        load_collection(garden)
    assert file in raised.value.message
    assert raised.value.suggestion


def test_a_missing_file_is_named(garden: Path) -> None:
    """A collection without judgements and without spans says which file it lacks."""
    (garden / "qrels.tsv").unlink()
    with pytest.raises(SourceError, match=r"qrels\.tsv: No such file"):
        load_collection(garden)
