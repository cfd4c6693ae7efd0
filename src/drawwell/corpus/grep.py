"""Grep: the sections with lines that match a pattern, in document order.

Every text in scope is read, so every substring is found; a wall-clock budget keeps that bounded, and what it leaves
out is said and can be continued by cursor.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from drawwell.corpus.paths import Scope, resolve
from drawwell.corpus.view import Look, SectionRow
from drawwell.errors import ArgumentError
from drawwell.model import GrepLine, GrepMatch, GrepResult, to_json
from drawwell.retrieval.paging import Pager
from drawwell.text.budget import estimate_tokens
from drawwell.text.grep import Found, Matcher, compile_pattern

__all__ = ["GREP_SECONDS", "GrepQuery", "grep"]

GREP_SECONDS = 2.0
MAX_LIMIT = 100

_FEW_DOCUMENTS = 200  # read one by one; more are read in one pass over the store


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepQuery:
    """The arguments of a grep, as :meth:`Corpus.grep` takes them, and its budget of wall-clock time."""

    pattern: str
    within: Sequence[str] = ()
    regex: bool = False
    limit: int = 20
    lines: bool = False
    max_tokens: int | None = None
    cursor: str | None = None
    seconds: float = GREP_SECONDS


class _Text(NamedTuple):
    """A text to scan: the place of its document, its ordinal (-1 for front matter), itself."""

    place: int
    ordinal: int
    text: str


def grep(look: Look, query: GrepQuery) -> GrepResult:
    """Find the sections that a pattern matches.

    Args:
        look: the store.
        query: what to look for.

    Raises:
        ArgumentError: an argument is wrong; a regular expression does not compile.
    """
    deadline = time.monotonic() + query.seconds
    _check(query)
    matcher = compile_pattern(query.pattern, is_regex=query.regex)
    pager = Pager(look.generation, "grep", query.pattern, tuple(query.within), query.regex, query.lines)
    start = pager.positions(query.cursor, 2)
    scope = resolve(query.within, look.table)
    scan = _Scan(look, matcher, query, deadline)
    stopped = scan.run(_texts(look, scope, (start[0], start[1] - 1)))
    notes = [*scope.notes, *scan.notes]
    if look.building:
        notes.append("the first ingest is not complete: there may be more")
    if not scan.matches and not notes:
        notes.append("no line matches: try a shorter part of it" + ("" if query.regex else ", or search for words"))
    return GrepResult(
        matches=tuple(scan.matches),
        truncated=stopped is not None,
        hint="; ".join(notes) or None,
        next=None if stopped is None else pager.cursor(stopped.place, stopped.ordinal + 1),
    )


def _check(query: GrepQuery) -> None:
    if not isinstance(query.limit, int) or isinstance(query.limit, bool) or not 1 <= query.limit <= MAX_LIMIT:
        raise ArgumentError("limit", query.limit, f"a whole number from 1 to {MAX_LIMIT}")
    for name, value in (("regex", query.regex), ("lines", query.lines)):
        if not isinstance(value, bool):
            raise ArgumentError(name, value, "true or false")


class _Scan:
    """One pass over texts, up to the limit, the token budget or the deadline."""

    def __init__(self, look: Look, matcher: Matcher, query: GrepQuery, deadline: float) -> None:
        self._look = look
        self._matcher = matcher
        self._query = query
        self._deadline = deadline
        self._left = query.max_tokens
        self.matches: list[GrepMatch] = []
        self.notes: list[str] = []

    def run(self, texts: Iterable[_Text]) -> _Text | None:
        """Collect matches; returns the text to go on with when it had to stop."""
        find, every, deadline = self._matcher.find, self._query.lines, self._deadline
        clock = time.monotonic
        for text in texts:
            if clock() > deadline:
                return self._out_of_time(text)
            try:
                found = find(text.text, deadline, every=every)
                match = None if found is None else self._match(text, found)
            except TimeoutError:
                return self._out_of_time(text)
            if match is None:
                continue
            if len(self.matches) == self._query.limit or not self._fits(match):
                return text
        return None

    def _fits(self, match: GrepMatch) -> bool:
        """Take a match if the token budget allows; a first one is taken with as many of its lines as fit."""
        if self._left is None:
            self.matches.append(match)
            return True
        cost = _cost(match)
        if cost > self._left:
            if self.matches:
                return False
            match = self._shortened(match, self._left)
        self._left -= cost
        self.matches.append(match)
        return True

    def _shortened(self, match: GrepMatch, budget: int) -> GrepMatch:
        budget -= _cost(replace(match, lines=()))
        kept = 0
        for line in match.lines:
            budget -= estimate_tokens(json.dumps(to_json(line), ensure_ascii=False)) + 1
            if budget < 0:
                break
            kept += 1
        if kept < len(match.lines):
            self.notes.append(f"{kept} of {match.count} matching lines of {match.id} are shown: read it for all")
        return replace(match, lines=match.lines[:kept])

    def _out_of_time(self, text: _Text) -> _Text:
        path = self._look.table.paths[text.place]
        self.notes.append(
            f"stopped after {self._query.seconds:g} s at {path}: go on with the cursor, narrow it with within,"
            " or look for a literal text"
        )
        return text

    def _match(self, text: _Text, found: Found) -> GrepMatch | None:
        row = _row(self._look, text)
        if row is None:
            return None
        if row.repeated:  # a header repeated in front of a part of a table stands elsewhere in the source
            again = self._matcher.find(row.text[row.repeated :], self._deadline, every=self._query.lines)
            if again is None:
                return None
            found = again
        first = found.lines[0]
        return GrepMatch(
            id=row.id,
            doc=row.path,
            heading_path=row.heading_path,
            line=first.text,
            line_number=_number(row, first.index),
            count=found.count,
            cite=row.cite,
            lines=tuple(GrepLine(number=_number(row, hit.index), text=hit.text) for hit in found.lines)
            if self._query.lines
            else (),
            stale=row.stale,
        )


def _number(row: SectionRow, index: int) -> int | None:
    return row.first_line + index if row.first_line else None


def _row(look: Look, text: _Text) -> SectionRow | None:
    doc_id = look.table.doc_ids[text.place]
    return look.front_matter(doc_id) if text.ordinal < 0 else look.section(doc_id, text.ordinal)


def _cost(match: GrepMatch) -> int:
    return estimate_tokens(json.dumps(to_json(match), ensure_ascii=False))


def _texts(look: Look, scope: Scope, start: tuple[int, int]) -> Iterator[_Text]:
    """The texts in scope from a place and ordinal on, in the order of path and ordinal."""
    if scope.places is not None and len(scope.places) <= _FEW_DOCUMENTS:
        for place in scope.places:
            if place >= start[0]:
                yield from _of_document(look, place, start[1] if place == start[0] else -1)
        return
    for text in _of_all(look, scope, start[0]):
        if (text.place, text.ordinal) >= start:
            yield text


def _of_document(look: Look, place: int, first: int) -> Iterator[_Text]:
    doc_id = look.table.doc_ids[place]
    if first < 0 and (front := look.front_matter(doc_id)) is not None:
        yield _Text(place, -1, front.text)
    sql = "SELECT ordinal, text FROM sections WHERE doc_id = ? AND ordinal >= ? ORDER BY ordinal"
    for ordinal, text in look.connection.execute(sql, (doc_id, first)):
        yield _Text(place, ordinal, text)


def _of_all(look: Look, scope: Scope, first_place: int) -> Iterator[_Text]:
    """All documents in one pass. The plain columns in ORDER BY let SQLite walk its indexes instead of sorting texts."""
    where = "d.path >= ?"
    values: list[object] = [look.table.paths[first_place] if first_place < len(look.table.paths) else chr(0x10FFFF)]
    if scope.doc_ids is not None:
        where += " AND +d.doc_id IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(sorted(scope.doc_ids)))
    by_path = look.table.by_path
    sections = _walk(
        look.connection,
        "SELECT d.path, s.ordinal, s.text FROM documents d JOIN sections s ON s.doc_id = d.doc_id"
        f" WHERE {where} ORDER BY d.path, s.ordinal",
        values,
        by_path,
    )
    if not look.own:
        return sections
    fronts = _walk(
        look.connection,
        "SELECT d.path, -1, x.front_matter FROM documents d JOIN drawwell_documents x ON x.doc_id = d.doc_id"
        f" WHERE x.front_matter != '' AND {where} ORDER BY d.path",
        values,
        by_path,
    )
    return heapq.merge(fronts, sections)


def _walk(
    connection: sqlite3.Connection, sql: str, values: Sequence[object], by_path: dict[str, int]
) -> Iterator[_Text]:
    for path, ordinal, text in connection.execute(sql, values):
        yield _Text(by_path[path], ordinal, text)
