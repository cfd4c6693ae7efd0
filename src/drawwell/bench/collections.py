"""Test collections: documents, questions, and which document answers which question.

A collection is a folder:

- ``documents.jsonl``: one object a line with ``id`` and ``text``; ``title``, ``date``, ``conv`` and ``session`` may be
  there too.
- ``queries.jsonl``: ``id`` and ``text``; with ``conv``, only documents of the same ``conv`` may answer; ``category`` or
  ``shape`` names the kind of question.
- ``qrels.tsv``: a header, then ``query-id``, ``corpus-id`` and ``score`` with tabs between; 0 is not relevant.

A collection that asks how text is cut has no ``qrels.tsv``; its questions have ``corpus``, the id of a document, and
``spans``, the ranges of code points in it that answer. Other keys are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawwell.errors import ArgumentError, SourceError
from drawwell.model import Span

__all__ = ["Collection", "Document", "Question", "find_collections", "load_collection"]

_DOCUMENTS = "documents.jsonl"
_QUERIES = "queries.jsonl"
_QRELS = "qrels.tsv"
_FORMAT = "See docs/guides/measure.md for the format"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What can be found.

    Attributes:
        id: unique in its collection.
        text: its text.
        title: its title; may be empty.
        date: when it was said or written, in the words of the collection; may be empty.
        conv: the conversation that it belongs to; may be empty.
        session: the part of the conversation; may be empty.
    """

    id: str
    text: str
    title: str = ""
    date: str = ""
    conv: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked.

    Attributes:
        id: unique in its collection.
        text: the question.
        conv: only documents of this conversation may answer; empty for all.
        kind: category or shape of the question; may be empty.
        corpus: id of the document in which ``spans`` are.
        spans: where the answer stands.
    """

    id: str
    text: str
    conv: str = ""
    kind: str = ""
    corpus: str = ""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A test collection.

    Attributes:
        name: name of its folder.
        documents: in the order of the file.
        questions: in the order of the file.
        relevant: for each question's id the grades of its documents, each above 0; a question without any is not in it.
        unknown: how many judgements were left out since they name no document of the collection.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    relevant: dict[str, dict[str, int]] = field(default_factory=dict)
    unknown: int = 0

    @property
    def asks_for_spans(self) -> bool:
        """Whether it asks how text is cut."""
        return any(question.spans for question in self.questions)


def find_collections(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """The collections in a folder, or the folder itself when it is one.

    Args:
        folder: a collection, or a folder of collections.
        only: names of those wanted; empty for all.

    Raises:
        SourceError: there is none.
        ArgumentError: one of ``only`` is not there.
    """
    if (folder / _DOCUMENTS).is_file():
        found = [folder]
    elif folder.is_dir():
        found = sorted(path.parent for path in folder.glob(f"*/{_DOCUMENTS}"))
    else:
        raise SourceError(f"{folder} is no folder", "Name a collection or a folder of collections")
    if not found:
        raise SourceError(f"{folder} holds no collection: neither it nor a folder in it has {_DOCUMENTS}", _FORMAT)
    names = [path.resolve().name for path in found]
    for name in only:
        if name not in names:
            raise ArgumentError("--only", name, "names of collections: " + ", ".join(names))
    return [path for path, name in zip(found, names, strict=True) if not only or name in only]


def load_collection(folder: Path) -> Collection:
    """Read a collection.

    Raises:
        SourceError: a file is missing or wrong; the message names it and the line.
    """
    documents = tuple(_documents(folder / _DOCUMENTS))
    lengths = {document.id: len(document.text) for document in documents}
    questions = tuple(_questions(folder / _QUERIES, lengths))
    if not documents or not questions:
        raise SourceError(f"{folder / (_QUERIES if documents else _DOCUMENTS)} is empty", _FORMAT)
    name = folder.resolve().name
    if any(question.spans for question in questions):
        return Collection(name=name, documents=documents, questions=questions)
    relevant, unknown = _judgements(folder / _QRELS, lengths, {question.id for question in questions})
    return Collection(name=name, documents=documents, questions=questions, relevant=relevant, unknown=unknown)


def _documents(path: Path) -> Iterator[Document]:
    for where, entry in _objects(path):
        optional = {key: _word(entry, key, where) for key in ("title", "date", "conv", "session")}
        yield Document(id=_required(entry, "id", where), text=_required(entry, "text", where), **optional)


def _questions(path: Path, lengths: dict[str, int]) -> Iterator[Question]:
    for where, entry in _objects(path):
        corpus = _word(entry, "corpus", where)
        yield Question(
            id=_required(entry, "id", where),
            text=_required(entry, "text", where),
            conv=_word(entry, "conv", where),
            kind=_word(entry, "category", where) or _word(entry, "shape", where),
            corpus=corpus,
            spans=_spans(entry["spans"], corpus, lengths, where) if entry.get("spans") else (),
        )


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with its place for messages; their ids are unique."""
    seen: set[str] = set()
    for where, line in _lines(path):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{where}: is not JSON: {error}", _FORMAT) from None
        if not isinstance(entry, dict):
            raise SourceError(f"{where}: is no JSON object", _FORMAT)
        name = _required(entry, "id", where)
        if name in seen:
            raise SourceError(f"{where}: the id {name!r} was there before", "Give each line an id of its own")
        seen.add(name)
        yield where, entry


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file that are not blank, each with its place for messages."""
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}, line {number}", line.rstrip("\r\n")
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}", _FORMAT) from None
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}, after line {number}: is not UTF-8: {error.reason}", _FORMAT) from None


def _required(entry: dict[str, Any], key: str, where: str) -> str:
    if key not in entry:
        raise SourceError(f"{where}: has no {key!r}", _FORMAT)
    text = _word(entry, key, where)
    if key == "id" and not text:
        raise SourceError(f"{where}: its id is empty", _FORMAT)
    return text


def _word(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise SourceError(f"{where}: {key!r} is {value!r:.80}, not a string", _FORMAT)
    return str(value)


def _spans(value: Any, corpus: str, lengths: dict[str, int], where: str) -> tuple[Span, ...]:
    if corpus not in lengths:
        raise SourceError(f"{where}: there is no document {corpus!r} for its spans", "Name it as 'corpus'")
    spans = []
    for pair in value if isinstance(value, list) else [value]:
        whole = isinstance(pair, list) and len(pair) == 2 and all(type(end) is int for end in pair)
        if not whole or not 0 <= pair[0] < pair[1] <= lengths[corpus]:
            takes = f"[start, end] within the {lengths[corpus]:,} characters of the document"
            raise SourceError(f"{where}: the span {pair!r:.80} is not {takes}", _FORMAT)
        spans.append(Span(*pair))
    return tuple(spans)


def _judgements(path: Path, documents: dict[str, int], questions: set[str]) -> tuple[dict[str, dict[str, int]], int]:
    """Grades above 0 by question and document; and how many judgements name no document."""
    relevant: dict[str, dict[str, int]] = {}
    unknown = 0
    for place, (where, line) in enumerate(_lines(path)):
        cells = line.split("\t")
        if place == 0 and cells[-1].strip() == "score":
            continue
        if place == 0 or len(cells) != 3:
            wanted = "the header query-id, corpus-id, score" if place == 0 else "three cells"
            raise SourceError(f"{where}: is not {wanted} with tabs between", _FORMAT)
        question, document, grade = (cell.strip() for cell in cells)
        try:
            score = int(grade)
        except ValueError:
            raise SourceError(f"{where}: the score {grade!r:.80} is no whole number", _FORMAT) from None
        if score <= 0 or question not in questions:
            continue
        if document in documents:
            relevant.setdefault(question, {})[document] = score
        else:
            unknown += 1
    return relevant, unknown
