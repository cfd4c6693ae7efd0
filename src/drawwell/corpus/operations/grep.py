"""Grep: the sections with lines that match a pattern, in document order.

Every match is seen in the text itself, on the lines of its source; an index only says where none can be. So every
substring is found. A wall-clock budget keeps that bounded; what it leaves out is said and can be continued by cursor.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from drawwell.corpus.names import shown
from drawwell.corpus.operations.bounds import check_budget, check_flag, check_whole
from drawwell.corpus.operations.grep_texts import ONE_SECTION, Place, Search, Text, texts_of
from drawwell.corpus.operations.paths import entries_of, resolve
from drawwell.corpus.operations.view import META, Look, SectionRow
from drawwell.model import GrepLine, GrepMatch, GrepResult
from drawwell.retrieval.paging import Pager, item_tokens, json_tokens
from drawwell.text.budget import estimate_tokens
from drawwell.text.grep import Found, Matcher, compile_pattern
from drawwell.text.trigram_needs import pattern_need

__all__ = ["GREP_SECONDS", "GrepQuery", "grep"]

GREP_SECONDS = 2.0
MAX_LIMIT = 100


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


def grep(look: Look, query: GrepQuery) -> GrepResult:
    """Find the sections that a pattern matches.

    Args:
        look: the store.
        query: what to look for.

    Raises:
        ArgumentError: an argument is wrong; a regular expression does not compile.
    """
    _check(query)
    matcher = compile_pattern(query.pattern, is_regex=query.regex)
    entries = entries_of(query.within)
    pager = Pager(look.generation, "grep", query.pattern, entries, query.regex, query.lines)
    place, after = pager.positions(query.cursor, 2)
    begin = (place, after - 1)
    scope = resolve(entries, look.table)
    known = [*scope.notes, *look.notes()]
    scan = _Scan(look, matcher, query)
    if query.max_tokens is not None:
        rest = GrepResult(matches=(), truncated=True, hint="; ".join(known), next=pager.cursor(10**6, 10**6))
        scan.reserve(json_tokens(rest))
    need = pattern_need(query.pattern, is_regex=query.regex)
    search = Search(matcher, need, query.regex, scope)
    stopped = scan.run(texts_of(look, search, begin), begin)
    notes = [*scan.notes, *known]
    if not scan.matches and not notes:
        notes.append("no line matches: try a shorter part of it" + ("" if query.regex else ", or search for words"))
        notes.extend(look.excuses())
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

    def __init__(self, look: Look, matcher: Matcher, query: GrepQuery) -> None:
        self._look = look
        self._matcher = matcher
        self._query = query
        self._left = query.max_tokens
        self._places: list[Place] = []
        self.matches: list[GrepMatch] = []
        self.notes: list[str] = []

    def reserve(self, tokens: int) -> None:
        """Keep a part of the token budget for what an answer holds besides its matches."""
        self._left = None if self._left is None else self._left - tokens

    def run(self, texts: Iterable[Text], begin: Place) -> Place | None:
        """Collect matches from a place on; returns the place to go on from when it had to stop.

        A text that takes all of the time by itself is left out, so that the next call gets beyond it.
        """
        find, every = self._matcher.find, self._query.lines
        clock = time.monotonic
        deadline = clock() + self._query.seconds
        is_first = True
        for text in texts:
            if clock() > deadline:
                return self._out_of_time(text)
            if not text[3]:
                continue
            try:
                found = find(text[2], deadline, every=every or text[3] is not ONE_SECTION, cuts=text[3][1:])
            except TimeoutError:
                return self._too_slow(text) if is_first else self._out_of_time(text)
            is_first = False
            if found is None:
                continue
            for place, part in _by_section(text, found):
                if place >= begin and not self._take(place, text, part):
                    return place
        return None

    def _take(self, place: Place, text: Text, found: Found) -> bool:
        """Take the match of a section; False when there is no room for it."""
        match = self._match(place, text, found)
        if match is None:
            return True
        if len(self.matches) == self._query.limit or not self._fits(match):
            return False
        self._places.append(place)
        return True

    def _fits(self, match: GrepMatch) -> bool:
        """Take a match if the token budget allows; a first one is taken with as many of its lines as fit."""
        if self._left is None:
            self.matches.append(match)
            return True
        cost = item_tokens(match)
        if cost > self._left:
            if self.matches:
                return False
            match = self._shortened(match, self._left)
        self._left -= cost
        self.matches.append(match)
        return True

    def _shortened(self, match: GrepMatch, budget: int) -> GrepMatch:
        note = f"{len(match.lines)} of {match.count} matching lines of {match.id} are shown: read it for all"
        budget -= item_tokens(replace(match, lines=match.lines[:1])) + estimate_tokens(note)
        kept = 1
        for line in match.lines[1:]:
            budget -= item_tokens(line)
            if budget < 0:
                break
            kept += 1
        if kept < len(match.lines):
            self.notes.append(note.replace(str(len(match.lines)), str(kept), 1))
        return replace(match, lines=match.lines[:kept])

    def _out_of_time(self, text: Text) -> Place:
        path = self._look.table.paths[text[0]]
        return self._stopped(text[:2], f"at {shown(path)}")

    def _too_slow(self, text: Text) -> Place:
        place, ordinal, _, starts = text
        name = f"{shown(self._look.table.paths[place])}#{META if ordinal < 0 else ordinal}"
        return self._stopped((place, ordinal + len(starts)), f"in {name}, which is left out")

    def _stopped(self, place: Place, where: str) -> Place:
        """Say why it stopped; the last matches make room for that where they have to."""
        note = (
            f"stopped after {self._query.seconds:g} s {where}: go on with the cursor, name fewer documents,"
            " or look for a literal text"
        )
        self.notes.append(note)
        while self._left is not None and self._left < estimate_tokens(note) and len(self.matches) > 1:
            place = self._places.pop()
            self._left += item_tokens(self.matches.pop())
        return place

    def _match(self, place: Place, text: Text, found: Found) -> GrepMatch | None:
        row = _row(self._look, place)
        if row is None:
            return None
        before = text[2].count("\n", 0, text[3][place[1] - text[1]])
        numbers = [row.first_line + hit.index - before if row.first_line else None for hit in found.lines]
        return GrepMatch(
            id=row.id,
            doc=row.path,
            heading_path=row.heading_path,
            line=found.lines[0].text,
            line_number=numbers[0],
            count=found.count,
            cite=row.cite,
            lines=tuple(
                GrepLine(number=number, text=hit.text) for number, hit in zip(numbers, found.lines, strict=True)
            )
            if self._query.lines
            else (),
            page=row.page,
            stale=row.stale,
        )


def _by_section(text: Text, found: Found) -> Iterator[tuple[Place, Found]]:
    """The matching lines of each section: a cut line is of each one in which a match begins."""
    place, ordinal, _, starts = text
    if len(starts) == 1:
        yield (place, ordinal), found
        return
    for part, hits in groupby(found.lines, lambda hit: bisect_right(starts, hit.at) - 1):
        lines = tuple(hits)
        yield (place, ordinal + part), Found(len(lines), lines)


def _row(look: Look, place: Place) -> SectionRow | None:
    doc_id = look.table.doc_ids[place[0]]
    return look.front_matter(doc_id) if place[1] < 0 else look.section(doc_id, place[1])
