"""Search: pointers to the sections that answer a query, by words.

``plain`` is the ranking of format 1.x, the same in every reader: three passes over the full-text index (the tokens as
a phrase, all of them, any of them), each by BM25 with the heading path counted twice, ties by id as text; what an
earlier pass found is not repeated. Other modes run the same passes and then look into the documents' metadata.
"""

from __future__ import annotations

import difflib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drawwell.corpus.operations.bounds import check_budget, check_whole
from drawwell.corpus.operations.paths import Scope, entries_of, resolve
from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.errors import ArgumentError
from drawwell.model import Hit, SearchResult
from drawwell.retrieval.paging import Pager, item_tokens, json_tokens, take_within
from drawwell.text.snippets import snippet
from drawwell.text.tokens import plain_tokens

__all__ = ["MODES", "Query", "search"]

MODES = ("lexical", "plain", "hybrid", "auto")
MAX_QUERY_CHARS = 2000
MAX_TOKENS = 32
MAX_LIMIT = 50

_TIE_MARGIN = 16  # ranked rows fetched beyond the wished ones, to see where a tie at the end stops


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The arguments of a search, as :meth:`Corpus.search` takes them."""

    text: str
    within: Sequence[str] = ()
    limit: int = 10
    mode: str = "lexical"
    max_tokens: int | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class _Index:
    """A full-text table and how its rows are ranked, named and filtered."""

    table: str
    bm25: str
    name: str  # the column that breaks ties, compared as text
    scoped: str  # condition on the row for a JSON list of documents


_SECTIONS = _Index(
    "sections_fts",
    "bm25(sections_fts, 0.0, 2.0, 1.0)",
    "id",
    "+rowid IN (SELECT fts_rowid FROM drawwell_sections WHERE doc_id IN (SELECT value FROM json_each(?)))",
)
_FOREIGN_SECTIONS = _Index(
    "sections_fts",
    _SECTIONS.bm25,
    "id",
    "id IN (SELECT id FROM sections WHERE doc_id IN (SELECT value FROM json_each(?)))",
)
_METADATA = _Index(
    "drawwell_metadata_fts",
    "bm25(drawwell_metadata_fts, 0.0, 1.0)",
    "path",
    "+rowid IN (SELECT value FROM json_each(?))",
)


def search(look: Look, query: Query) -> SearchResult:
    """Find sections by words.

    Args:
        look: the store.
        query: what is asked.

    Raises:
        ArgumentError: an argument is of the wrong type or out of bounds, or the cursor is of another call.
    """
    _check(query)
    entries = entries_of(query.within)
    pager = Pager(look.generation, "search", query.text, entries, query.mode)
    (start,) = pager.positions(query.cursor)
    scope = resolve(entries, look.table)
    tokens, notes = _tokens(query.text)
    notes = [*_mode_notes(query.mode), *notes, *scope.notes]
    notes.extend(look.notes())
    if scope.doc_ids is not None and not scope.doc_ids:
        return SearchResult(hits=(), mode="plain", hint=_hint(notes))
    wanted = start + query.limit + 1
    ranked = _ranked(look, tokens, scope, wanted, metadata=query.mode != "plain")
    page = ranked[start : start + query.limit]
    room = query.max_tokens
    if room is not None:
        room -= json_tokens(SearchResult(hits=(), mode="plain", hint=_hint(notes), next=pager.cursor(len(ranked))))
    taken = take_within(_hits(look, page, tokens), lambda pair: item_tokens(pair[1]), room)
    hits = tuple(hit for _, hit in taken)
    end = start + (taken[-1][0] if taken else len(page))
    if not ranked:
        notes.extend(_nothing(look, tokens, scope, metadata=query.mode != "plain"))
    return SearchResult(
        hits=hits,
        mode="plain",
        hint=_hint(notes),
        next=pager.cursor(end) if end < len(ranked) else None,
    )


_NO_WORDS = "there are no searchable words in the query: grep finds any characters"
_TRY = "try others, or grep for a part of a word or a code"


def _nothing(look: Look, tokens: Sequence[str], scope: Scope, *, metadata: bool) -> list[str]:
    """What to say when nothing was found: where nothing is, and what may be missing."""
    if not tokens:
        return [_NO_WORDS]
    if scope.doc_ids is None:
        return [f"no section holds any of these words: {_TRY}", *look.excuses()]
    count = len(scope.doc_ids)
    named = "the document" if count == 1 else f"the {count} documents"
    none = f"no section of {named} that `in` names holds any of these words"
    if _ranked(look, tokens, Scope(), 1, metadata=metadata):
        return [f"{none}, but other documents do: search without `in`", *look.excuses()]
    return [f"{none}, nor does any other: {_TRY}", *look.excuses()]


def _check(query: Query) -> None:
    if not isinstance(query.text, str):
        raise ArgumentError("query", query.text, "words to search for")
    check_whole("limit", query.limit, 1, MAX_LIMIT)
    check_budget(query.max_tokens)
    if query.mode not in MODES:
        near = difflib.get_close_matches(query.mode, MODES, n=1) if isinstance(query.mode, str) else []
        advice = f"Did you mean {near[0]}?" if near else f"Leave it out for {MODES[0]}"
        raise ArgumentError("mode", query.mode, f"one of {', '.join(MODES)}", advice)


def _mode_notes(mode: str) -> list[str]:
    return ["there are no vectors in this store: words alone were searched"] if mode == "hybrid" else []


def _hint(notes: Sequence[str]) -> str | None:
    return "; ".join(notes) or None


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """The tokens to search for, within bounds, and what was left out."""
    notes = []
    if len(text) > MAX_QUERY_CHARS:
        text = text[:MAX_QUERY_CHARS]
        notes.append(f"only the first {MAX_QUERY_CHARS} characters of the query were used")
    tokens = plain_tokens(text)
    if len(tokens) > MAX_TOKENS:
        distinct = list(dict.fromkeys(tokens))
        tokens = distinct[:MAX_TOKENS]
        left = f", and only the first {MAX_TOKENS} of {len(distinct)}" if len(distinct) > MAX_TOKENS else ""
        notes.append(f"the query is long: each word counted once{left}")
    return tokens, notes


@dataclass(frozen=True, slots=True)
class _Ranked:
    name: str
    score: float
    is_metadata: bool


def _ranked(look: Look, tokens: Sequence[str], scope: Scope, wanted: int, *, metadata: bool) -> list[_Ranked]:
    if not tokens:
        return []
    sections = _SECTIONS if look.own else _FOREIGN_SECTIONS
    ranked = [_Ranked(name, score, False) for name, score in _passes(look, sections, tokens, scope, wanted)]
    if metadata and look.own and len(ranked) < wanted:
        found = _passes(look, _METADATA, tokens, scope, wanted - len(ranked))
        ranked.extend(_Ranked(path, score, True) for path, score in found)
    return ranked


def _passes(look: Look, index: _Index, tokens: Sequence[str], scope: Scope, wanted: int) -> list[tuple[str, float]]:
    """Names and scores of the best rows of the three passes together.

    Since a phrase hit is a hit of all words, and that one of any word, asking for more rows only makes the list longer.
    """
    quoted = [f'"{token}"' for token in tokens]
    expressions = [f'"{" ".join(tokens)}"', " AND ".join(quoted), " OR ".join(quoted)]
    found: dict[str, float] = {}
    for expression in expressions if len(tokens) > 1 else expressions[2:]:
        if len(found) >= wanted:
            break
        for name, score in _top(look.connection, index, expression, scope, wanted):
            if name not in found and len(found) < wanted:
                found[name] = score
    return list(found.items())


def _top(
    connection: sqlite3.Connection, index: _Index, expression: str, scope: Scope, count: int
) -> list[tuple[str, float]]:
    """The best rows of one pass: name and score, ties in the order of the names as text.

    Rows are ranked by row number alone, which spares reading the name of each; those that tie with the last one
    wanted are all fetched, so that the names decide between them. Where a tie is wider than the margin, SQLite
    orders by score and name itself.
    """
    where = f"{index.table} MATCH ?"
    values: list[object] = [expression]
    if scope.doc_ids is not None:
        where += f" AND {index.scoped}"
        values.append(json.dumps(sorted(scope.doc_ids)))
    sql = f"SELECT rowid, {index.bm25} AS score FROM {index.table} WHERE {where} ORDER BY score LIMIT ?"
    rows = connection.execute(sql, [*values, count + _TIE_MARGIN]).fetchall()
    if len(rows) == count + _TIE_MARGIN and rows[-1][1] == rows[count - 1][1]:
        sql = (
            f"SELECT {index.name}, {index.bm25} AS score FROM {index.table} WHERE {where}"
            f" ORDER BY score, {index.name} LIMIT ?"
        )
        return [(name, -score) for name, score in connection.execute(sql, [*values, count])]
    name_of = f"SELECT {index.name} FROM {index.table} WHERE rowid = ?"
    named = [(score, str(connection.execute(name_of, (rowid,)).fetchone()[0])) for rowid, score in rows]
    return [(name, -score) for score, name in sorted(named)[:count]]


def _hits(look: Look, page: Sequence[_Ranked], tokens: Sequence[str]) -> Iterator[tuple[int, Hit]]:
    """The hits of a page, each with the number of ranked rows up to it: a row without its section gives none."""
    for number, ranked in enumerate(page, 1):
        row = _row(look, ranked)
        if row is not None:
            hit = Hit(
                id=row.id,
                doc=row.path,
                heading_path=row.heading_path,
                snippet=snippet(row.text, tokens),
                score=round(ranked.score, 2),
                kind=row.kind,
                cite=row.cite,
                covers=row.covers,
                stale=row.stale,
            )
            yield number, hit


def _row(look: Look, ranked: _Ranked) -> SectionRow | None:
    if not ranked.is_metadata:
        return look.section_by_id(ranked.name)
    place = look.table.place(ranked.name)
    return None if place is None else look.front_matter(look.table.doc_ids[place])
