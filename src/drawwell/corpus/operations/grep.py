"""Grep: the sections with lines that match a pattern, in document order.

Every text in scope is read, so every substring is found; a wall-clock budget keeps that bounded, and what it leaves
out is said and can be continued by cursor.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from drawwell.corpus.operations.bounds import check_budget, check_flag, check_whole
from drawwell.corpus.operations.paths import Scope, entries_of, resolve
from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.model import GrepLine, GrepMatch, GrepResult
from drawwell.retrieval.paging import Pager, json_tokens
from drawwell.text.grep import Found, Matcher, compile_pattern

__all__ = ["GREP_SECONDS", "GrepQuery", "grep"]

GREP_SECONDS = 2.0
MAX_LIMIT = 100

_FEW_DOCUMENTS = 200
_SECTIONS_OF = "SELECT ordinal, text FROM sections WHERE doc_id = ? AND ordinal >= ? ORDER BY ordinal"


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


_Text = tuple[int, int, str]
"""A text to scan: the place of its document in the table, its ordinal (-1 for front matter), itself."""


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
    entries = entries_of(query.within)
    pager = Pager(look.generation, "grep", query.pattern, entries, query.regex, query.lines)
    start = pager.positions(query.cursor, 2)
    scope = resolve(entries, look.table)
    scan = _Scan(look, matcher, query, deadline)
    stopped = scan.run(_texts(look, scope, (start[0], start[1] - 1)))
    notes = [*scope.notes, *scan.notes]
    notes.extend(look.notes())
    if not scan.matches and not notes:
        notes.append("no line matches: try a shorter part of it" + ("" if query.regex else ", or search for words"))
    return GrepResult(
        matches=tuple(scan.matches),
        truncated=stopped is not None,
        hint="; ".join(notes) or None,
        next=None if stopped is None else pager.cursor(stopped[0], stopped[1] + 1),
    )


def _check(query: GrepQuery) -> None:
    check_whole("limit", query.limit, 1, MAX_LIMIT)
    check_budget(query.max_tokens)
    check_flag("regex", query.regex)
    check_flag("lines", query.lines)


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
                found = find(text[2], deadline, every=every)
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
        cost = json_tokens(match)
        if cost > self._left:
            if self.matches:
                return False
            match = self._shortened(match, self._left)
        self._left -= cost
        self.matches.append(match)
        return True

    def _shortened(self, match: GrepMatch, budget: int) -> GrepMatch:
        budget -= json_tokens(replace(match, lines=()))
        kept = 0
        for line in match.lines:
            budget -= json_tokens(line) + 1
            if budget < 0:
                break
            kept += 1
        if kept < len(match.lines):
            self.notes.append(f"{kept} of {match.count} matching lines of {match.id} are shown: read it for all")
        return replace(match, lines=match.lines[:kept])

    def _out_of_time(self, text: _Text) -> _Text:
        path = self._look.table.paths[text[0]]
        self.notes.append(
            f"stopped after {self._query.seconds:g} s at {path}: go on with the cursor, name fewer documents,"
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
    doc_id = look.table.doc_ids[text[0]]
    return look.front_matter(doc_id) if text[1] < 0 else look.section(doc_id, text[1])


def _texts(look: Look, scope: Scope, start: tuple[int, int]) -> Iterator[_Text]:
    """The texts in scope from a place and ordinal on, in the order of path and ordinal.

    One small query per document: as fast as a single large one, and nothing out of scope is touched.
    """
    places: Iterable[int] = range(len(look.table.paths)) if scope.places is None else scope.places
    cursor = look.connection.cursor()
    cursor.row_factory = None
    fronts = _with_front_matter(look, scope)
    for place in places:
        if place < start[0]:
            continue
        doc_id = look.table.doc_ids[place]
        first = start[1] if place == start[0] else -1
        if first < 0 and doc_id in fronts and (front := look.front_matter(doc_id)) is not None:
            yield place, -1, front.text
        for ordinal, text in cursor.execute(_SECTIONS_OF, (doc_id, first)):
            yield place, ordinal, text


def _with_front_matter(look: Look, scope: Scope) -> frozenset[int]:
    """Documents that may have front matter; for a few it is cheaper to look at each when its turn comes."""
    if not look.own:
        return frozenset()
    if scope.doc_ids is not None and len(scope.doc_ids) <= _FEW_DOCUMENTS:
        return scope.doc_ids
    sql = "SELECT doc_id FROM drawwell_documents WHERE front_matter != ''"
    return frozenset(doc_id for (doc_id,) in look.connection.execute(sql))
