"""The plain ranking: that of format 1.x, the same in every reader of such a store.

Three passes over the full-text index (the tokens as a phrase, all of them, any of them), each by BM25 with the heading
path counted twice, ties by id as text; what an earlier pass found is not repeated.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.view import Look, SectionRow

__all__ = ["PlainRanking", "Ranked", "best_metadata", "best_of_any"]

_TIE_MARGIN = 16  # ranked rows fetched beyond the wished ones, to see where a tie at the end stops


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


@dataclass(frozen=True, slots=True)
class Ranked:
    """A section, or a document's front matter, and its score.

    Attributes:
        score: higher is better.
        name: id of the section; empty where ``place`` tells which it is.
        place: doc_id and ordinal; -1 for front matter.
    """

    score: float
    name: str = ""
    place: tuple[int, int] = (0, 0)

    def row(self, look: Look) -> SectionRow | None:
        """What the store has of it; None when it has nothing."""
        if self.name:
            return look.section_by_id(self.name)
        doc_id, ordinal = self.place
        return look.front_matter(doc_id) if ordinal < 0 else look.section(doc_id, ordinal)


class PlainRanking:
    """The ranking of format 1.x.

    Args:
        look: the store.
        tokens: of the query, as ``plain_tokens`` gives them.
        metadata: whether to go on with the documents' front matter, which other readers do not know.
    """

    mode = "plain"
    legs: tuple[str, ...] = ()
    loose = False

    def __init__(self, look: Look, tokens: Sequence[str], *, metadata: bool) -> None:
        self._look = look
        self._metadata = metadata
        self.shown = tokens

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best sections, best first."""
        index = _SECTIONS if self._look.own else _FOREIGN_SECTIONS
        ranked = [Ranked(score, name) for name, score in _passes(self._look, index, self.shown, scope, wanted)]
        if self._metadata and len(ranked) < wanted:
            ranked += best_metadata(self._look, self.shown, scope, wanted - len(ranked))
        return ranked

    def scores(self, _places: Collection[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """None: what a pass did not find, it cannot judge."""
        return {}

    def missed(self) -> list[str]:
        """Nothing: this ranking knows no words but those of the query."""
        return []


def best_metadata(look: Look, tokens: Sequence[str], scope: Scope, wanted: int) -> list[Ranked]:
    """The documents whose front matter fits a query's plain tokens best."""
    if not look.own:
        return []
    table = look.table
    found = _passes(look, _METADATA, tokens, scope, wanted)
    return [Ranked(score, place=(table.doc_ids[table.by_path[path]], -1)) for path, score in found]


def best_of_any(look: Look, tokens: Sequence[str], scope: Scope, wanted: int) -> list[tuple[str, float]]:
    """Ids and scores of the sections that the last pass alone puts first: any of the tokens, by BM25."""
    if not tokens:
        return []
    expression = " OR ".join(f'"{token}"' for token in tokens)
    return _top(look.connection, _SECTIONS, expression, scope, wanted)


def _passes(look: Look, index: _Index, tokens: Sequence[str], scope: Scope, wanted: int) -> list[tuple[str, float]]:
    """Names and scores of the best rows of the three passes together; none without a token.

    Since a phrase hit is a hit of all words, and that one of any word, asking for more rows only makes the list longer.
    """
    if not tokens:
        return []
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
