"""A Tantivy index in a folder: what is written in one commit is there whole or not at all, at any kill.

It is derived from a store, which alone is the truth. What it holds of a document carries the number of the commit that
wrote the document to the store (its *generation*, which no other document has), so that whoever asks can tell hits of
an older text from current ones. Documents come in by ascending generation, so the newest one in the index says how far
it has followed; a mark that is written once says whose index it is. (A mark for each commit would leave deleted ones
behind, which count in every score.)

Facts about Tantivy that shape this module: there is no merge on demand, and deleted documents stay in the document
frequencies until their segment is merged, so an index with many of them is written anew; equal scores come in the order
of segments, so all that tie with the last one wanted are fetched, for others to order; scores of equal documents may
differ in the last bits, for terms are summed in the order in which they are met.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tantivy import (
    Document,
    Index,
    IndexWriter,
    Occur,
    Order,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
    TextAnalyzerBuilder,
    Tokenizer,
)

from drawwell.retrieval.keys import KEY_BITS, key_of

__all__ = [
    "TRIGRAMS",
    "TextField",
    "WordsReader",
    "WordsWriter",
    "known_documents",
]

TRIGRAMS = "trigrams"
"""The tokenizer of a field that is given whole texts and holds every three characters of them."""

_KEY = "key"
_DOCUMENT = "document"
_MARK = "mark"
_IS_MARK = "is_mark"
_TIE_MARGIN = 48  # hits fetched beyond the wished ones, to see where a tie at the end stops
_SCORE_DIGITS = 6
_FEW_DOCUMENTS = 64
_HEAP_BYTES = 60_000_000
_SMALL_HEAP_BYTES = 15_000_000


@dataclass(frozen=True, slots=True)
class TextField:
    """A field of an index.

    Attributes:
        name: of the field.
        positions: whether phrases can be asked of it.
        frequencies: whether it counts how often a term occurs.
        tokenizer: how Tantivy parts what it is given: ``whitespace`` where the tokens are joined by blanks.
    """

    name: str
    positions: bool = True
    frequencies: bool = True
    tokenizer: str = "whitespace"

    @property
    def indexed(self) -> str:
        """What Tantivy calls it."""
        if self.positions:
            return "position"
        return "freq" if self.frequencies else "basic"


class WordsReader:
    """An index as one commit left it. For any number of threads.

    Args:
        index: the index.

    Attributes:
        schema: for making queries.
        searcher: for looking at the vocabulary.
        identity: of the store and of the way in which its texts are indexed; an index of another one is of no use.
            Empty for one without a complete commit.
        generation: of the newest document in it: every later one is missing; 0 without any.
    """

    def __init__(self, index: Index) -> None:
        self.schema: Schema = index.schema
        self.searcher: Searcher = index.searcher()
        self.identity = _identity(self.schema, self.searcher)
        newest = self.searcher.search(Query.all_query(), 1, count=False, order_by_field=_KEY).hits
        self.generation = (newest[0][0] or 0) >> KEY_BITS if newest else 0

    def top(
        self, query: Query, count: int, documents: Collection[int] | None = None, fewer: int = 0
    ) -> list[tuple[float, int]]:
        """The best hits of a query.

        Args:
            query: made with this index's schema.
            count: how many are wanted.
            documents: generations of the documents to look in; None for all.
            fewer: how many hits may turn out to be of no use, beyond which as many are fetched.

        Returns:
            Score and key, best first, with all that tie with the last one wanted; ties by ascending key.
        """
        asked = self._within(query, documents)
        wanted = count + fewer
        room = wanted + _TIE_MARGIN
        while True:
            hits = self.searcher.search(asked, room, count=False).hits
            scores = [round(hit[0], _SCORE_DIGITS) for hit in hits[:wanted]]
            for score, _ in hits[wanted:]:
                if round(score, _SCORE_DIGITS) < scores[-1]:
                    break
                scores.append(scores[-1])
            if len(scores) < room:
                break
            room *= 4
        keys = self.searcher.fast_field_values(_KEY, [hit[1] for hit in hits[: len(scores)]])
        ranked = [(-score, int(key)) for score, key in zip(scores, keys, strict=True) if key is not None]
        ranked.sort()
        return [(-score, key) for score, key in ranked]

    def matching(self, query: Query, documents: Collection[int] | None = None) -> list[int]:
        """The keys of all hits of a query, ascending. Arguments as for ``top``."""
        asked = self._within(query, documents)
        most = max(1, self.searcher.num_docs)
        found = self.searcher.search(asked, most, count=False, order_by_field=_KEY, order=Order.Asc)
        return [key for key, _ in found.hits if key is not None]

    def documents(self) -> set[int]:
        """The generations of the documents in the index."""
        return {key >> KEY_BITS for key in self.matching(Query.all_query())}

    def count(self, query: Query, documents: Collection[int] | None = None) -> int:
        """How many hits a query has. Arguments as for ``top``."""
        found = self.searcher.search(self._within(query, documents), 1, count=True)
        return int(found.count or 0)  # type: ignore[attr-defined]

    def _one_of(self, names: Sequence[str]) -> Query:
        """Sections of any of some documents. For a few, Tantivy's own set of terms takes three times as long."""
        if not 0 < len(names) <= _FEW_DOCUMENTS:
            return Query.term_set_query(self.schema, _DOCUMENT, names)
        terms = [Query.term_query(self.schema, _DOCUMENT, name, "basic") for name in names]
        return Query.boolean_query([(Occur.Should, term) for term in terms])

    def _within(self, query: Query, documents: Collection[int] | None) -> Query:
        if documents is None:
            return query
        names = self._one_of([str(one) for one in documents])
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(names, 0.0))])


class WordsWriter:
    """Changes an index. One at a time: the store's lock is held meanwhile. A context manager.

    Args:
        folder: of the index; made, or made anew, when it holds no index of these fields.
        fields: of the index.
        large: whether many documents are to come.
        threads: that write it, each a part of its own: as many as have nothing else to do.
    """

    def __init__(self, folder: Path, fields: Sequence[TextField], *, large: bool = False, threads: int = 1) -> None:
        self._schema = _schema(fields)
        self._index = _open_or_make(folder, self._schema)
        self._index.register_tokenizer(TRIGRAMS, TextAnalyzerBuilder(Tokenizer.ngram(3, 3)).build())
        self._writer: IndexWriter = self._index.writer(_HEAP_BYTES if large else _SMALL_HEAP_BYTES * threads, threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer.rollback()
        self._writer.wait_merging_threads()

    def begin(self, identity: str) -> None:
        """Take everything out and mark the index as that of a store. What is added comes in with the same commit."""
        self._writer.delete_all_documents()
        self._writer.add_document(Document.from_dict({_MARK: [_IS_MARK, identity]}, self._schema))

    def remove(self, generations: Iterable[int]) -> None:
        """Take documents out."""
        for generation in generations:
            self._writer.delete_documents_by_term(_DOCUMENT, str(generation))

    def add(self, generation: int, ordinal: int, texts: Mapping[str, str]) -> None:
        """Put a section in. Documents come by ascending generation.

        Args:
            generation: of its document.
            ordinal: its number there, at most ``keys.LAST_ORDINAL``.
            texts: what each field holds; a field that is left out holds nothing.
        """
        document = {**texts, _DOCUMENT: str(generation), _KEY: key_of(generation, ordinal)}
        self._writer.add_document(Document.from_dict(document, self._schema))

    def commit(self) -> None:
        """Make all changes visible at once."""
        self._writer.commit()


def known_documents(reader: WordsReader) -> dict[int, int]:
    """The documents that an index has heard of, by generation: how many sections each has or had in it."""
    return {int(name): count for name, count in reader.searcher.terms_with_prefix(_DOCUMENT, "")}


def _schema(fields: Sequence[TextField]) -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field(_DOCUMENT, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(_KEY, fast=True)
    builder.add_text_field(_MARK, stored=True, tokenizer_name="raw", index_option="basic")
    for field in fields:
        builder.add_text_field(field.name, tokenizer_name=field.tokenizer, index_option=field.indexed)
    return builder.build()


def _open_or_make(folder: Path, schema: Schema) -> Index:
    """The index in a folder; a new one where there is none, or one of other fields, or a damaged one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Index(schema, str(folder))
    except ValueError:
        shutil.rmtree(folder)
        folder.mkdir()
        return Index(schema, str(folder))


def _identity(schema: Schema, searcher: Searcher) -> str:
    hits = searcher.search(Query.term_query(schema, _MARK, _IS_MARK, "basic"), 1, count=False).hits
    return str(searcher.doc(hits[0][1]).get_all(_MARK)[1]) if hits else ""
