"""Read and neighbours: exact texts, in pages when they are larger than a budget.

A page holds whole sections while they fit. Only one that is larger than a page by itself is cut, at a line border
where there is one, and says which piece it is; nothing is left out without a cursor to go on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from drawwell.corpus.names import shown
from drawwell.corpus.operations.address import find
from drawwell.corpus.operations.bounds import check_budget, check_whole
from drawwell.corpus.operations.links import Linker, PlacedLink
from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.errors import StoreError
from drawwell.model import NeighboursResult, SectionText
from drawwell.retrieval.paging import Pager, json_tokens
from drawwell.text.budget import CHARS_PER_TOKEN, fitting, json_quarters

__all__ = ["MAX_AROUND", "neighbours", "read"]

MAX_AROUND = 5

_LEAST_PIECE = 50  # tokens of text that a page holds whatever else stands on it
_AROUND_TEXTS = 35  # tokens of an answer besides its sections: a cursor, names of fields
_LINKS_SHARE = 4  # links of a section take at most this part of a budget
_SEPARATOR_CHARS = frozenset("|:- \t\r")


class _Position(NamedTuple):
    """Where a page begins: which section of the run, which character of it, how many pieces of it came before."""

    section: int = 0
    offset: int = 0
    piece: int = 0


def read(
    look: Look, name: str, context: int = 0, max_tokens: int | None = None, cursor: str | None = None
) -> SectionText:
    """Read a section.

    Args:
        look: the store.
        name: the id of a section or front matter.
        context: sections to add before and after it, 0 to 5.
        max_tokens: budget of the answer; None for none.
        cursor: ``next`` of the page before. Later pages begin with the next piece of the section, then give what is
            left of its context, each page with a section of its own and more in ``context``.

    Raises:
        ArgumentError: an argument is wrong.
        NotFound, Stale: as :func:`drawwell.corpus.operations.address.find`.
        StoreError: a text is not the one that was taken in.
    """
    check_whole("context", context, 0, MAX_AROUND)
    check_budget(max_tokens)
    row = find(look, name)
    around = look.sections(row.doc_id, row.ordinal - context, row.ordinal + context) if context else []
    run = [row, *(other for other in around if other.ordinal != row.ordinal)]
    pager = Pager(look.generation, "read", row.id, context)
    start = _Position(*pager.positions(cursor, 3))
    texts, following = _page([_served(look, one) for one in run], start, max_tokens, Linker(look))
    return replace(
        texts[0],
        context=tuple(texts[1:]) if context else None,
        next=pager.cursor(*following) if following else None,
    )


def neighbours(
    look: Look,
    name: str,
    around: tuple[int, int] = (1, 1),
    max_tokens: int | None = None,
    cursor: str | None = None,
) -> NeighboursResult:
    """Read a section with those before and after it in its document.

    Args:
        look: the store.
        name: the anchor's id.
        around: how many before and after it, 0 to 5 each.
        max_tokens: budget of the answer; None for none.
        cursor: ``next`` of the page before.

    Raises:
        ArgumentError: an argument is wrong.
        NotFound, Stale: as :func:`drawwell.corpus.operations.address.find`.
        StoreError: a text is not the one that was taken in.
    """
    before, after = around
    check_whole("before", before, 0, MAX_AROUND)
    check_whole("after", after, 0, MAX_AROUND)
    check_budget(max_tokens)
    row = find(look, name)
    run = look.sections(row.doc_id, row.ordinal - before, row.ordinal + after)
    if row.ordinal < 0:
        run = [row, *run]
    pager = Pager(look.generation, "neighbours", row.id, before, after)
    start = _Position(*pager.positions(cursor, 3))
    header = None
    if start == _Position() and (first := _first_of_table(look, row)) is not None:
        header, max_tokens = _header(_served(look, first), max_tokens)
    texts, following = _page([_served(look, one) for one in run], start, max_tokens, Linker(look))
    last = run[-1]
    return NeighboursResult(
        sections=tuple(replace(text, anchor=True) if text.id == row.id else text for text in texts),
        header=header,
        more_before=run[0].prev_id is not None,
        more_after=last.next_id is not None or (last.ordinal < 0 and look.section(row.doc_id, 0) is not None),
        next=pager.cursor(*following) if following else None,
    )


def _served(look: Look, row: SectionRow) -> SectionRow:
    """A section as it is served: proved to be what was taken in, so that no citation vouches for another text."""
    if hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).hexdigest() != row.hash:
        raise StoreError(
            f"the text of {shown(row.id)} is not the one that its hash was made of: the store is damaged",
            "Delete it and ingest the folder again",
        )
    return _with_header(look, row)


def _page(
    run: Sequence[SectionRow], start: _Position, max_tokens: int | None, linker: Linker
) -> tuple[list[SectionText], _Position | None]:
    """The texts of one page, and where the next begins; None after the last."""
    section = min(start.section, len(run) - 1)
    offset, piece = start.offset, start.piece
    texts: list[SectionText] = []
    left = None if max_tokens is None else max_tokens - _AROUND_TEXTS
    for number in range(section, len(run)):
        row = run[number]
        links = linker.links(row, offset, None if left is None else left // _LINKS_SHARE)
        room = None if left is None else left - _overhead(row, links)
        size = json_quarters(row.text[offset:])
        if room is not None and size > room * CHARS_PER_TOKEN:
            if texts:
                return texts, _Position(number)
            room = max(room, _LEAST_PIECE)
            end = fitting(row.text, offset, room, json_quarters)
            pieces = piece + _pieces(row.text, offset, room)
            texts.append(_piece(row, offset, end, f"{piece + 1} of {pieces}" if pieces > 1 else "", links))
            return texts, _Position(number, end, piece + 1) if end < len(row.text) else _after(number, run)
        texts.append(_piece(row, offset, len(row.text), f"{piece + 1} of {piece + 1}" if piece else "", links))
        left = None if room is None else room - -(-size // CHARS_PER_TOKEN)
        offset = piece = 0
    return texts, None


def _after(number: int, run: Sequence[SectionRow]) -> _Position | None:
    return _Position(number + 1) if number + 1 < len(run) else None


def _pieces(text: str, offset: int, max_tokens: int) -> int:
    """How many pieces of a size are left of a text."""
    count = 0
    while offset < len(text):
        offset = fitting(text, offset, max_tokens, json_quarters)
        count += 1
    return count


def _overhead(row: SectionRow, links: Sequence[PlacedLink] = ()) -> int:
    """Estimated tokens of what an answer says about a section besides its text."""
    return json_tokens(replace(_piece(row, 0, 0, "00 of 00"), links=tuple(placed.link for placed in links)))


def _piece(row: SectionRow, start: int, end: int, piece: str = "", links: Sequence[PlacedLink] = ()) -> SectionText:
    """A section's text, or a piece of it, with what is known of it and those of the links that are in it."""
    part = f"{row.part} of {row.parts}" if row.parts else ""
    if piece:
        part = f"{part}, piece {piece}" if part else piece
    return SectionText(
        id=row.id,
        doc=row.path,
        heading_path=row.heading_path,
        kind=row.kind,
        text=row.text[start:end],
        cite=row.cite,
        prev_id=row.prev_id,
        next_id=row.next_id,
        lines=_lines(row, start, end),
        covers=row.covers,
        parents=row.parents,
        links=tuple(placed.link for placed in links if placed.at < end),
        part=part,
        repeated=max(0, min(row.repeated, end) - start),
        page=row.page,
        stale=row.stale,
    )


def _lines(row: SectionRow, start: int, end: int) -> tuple[int, int] | None:
    """Source lines of a piece; a header repeated in front stands on none of them."""
    if not row.first_line:
        return None
    if start == 0 and end == len(row.text):
        return row.first_line, row.last_line
    body = max(start, row.repeated)
    first = row.first_line + row.text.count("\n", row.repeated, body)
    return first, first + row.text.count("\n", body, max(body, end - 1))


def _header(first: SectionRow, max_tokens: int | None) -> tuple[SectionText, int | None]:
    """The first part of a table, whole or as much as half of the budget takes, and the budget that is left."""
    if max_tokens is None:
        return _piece(first, 0, len(first.text)), None
    room = max(_LEAST_PIECE, max_tokens // 2 - _overhead(first))
    end = fitting(first.text, 0, room, json_quarters)
    piece = "" if end == len(first.text) else f"1 of {_pieces(first.text, 0, room)}"
    header = _piece(first, 0, end, piece)
    return header, max(1, max_tokens - _overhead(first) - -(-json_quarters(header.text) // CHARS_PER_TOKEN))


def _first_of_table(look: Look, row: SectionRow) -> SectionRow | None:
    """The section with the first part of the table that a section continues; None when it continues none."""
    if look.own:
        if not row.repeated:
            return None
        first = look.section(row.doc_id, row.ordinal - row.part + 1)
        return first if first is not None and first.part == 1 else None
    found = None
    header = _table_header(row.text)
    while row.kind == "table" and header:
        before = look.section(row.doc_id, row.ordinal - 1)
        if before is None or (before.kind, before.heading_path) != (row.kind, row.heading_path):
            break
        if _table_header(before.text) != header:
            break
        found = row = before
    return found


def _with_header(look: Look, row: SectionRow) -> SectionRow:
    """In a store of another tool: a part of a table that has no header of its own gets that of the table it continues.

    The table is the nearest before it, of as many columns, with a header, under the same heading and with nothing but
    such parts between.
    """
    if look.own or row.kind != "table" or _table_header(row.text):
        return row
    before: SectionRow | None = row
    while before is not None and (before.kind, before.heading_path) == (row.kind, row.heading_path):
        header = _table_header(before.text)
        if header:
            columns = header.split("\n")[0].count("|")
            if columns != row.text.lstrip("\n").split("\n")[0].count("|"):
                return row
            return replace(row, text=header + row.text, repeated=len(header))
        before = look.section(before.doc_id, before.ordinal - 1)
    return row


def _table_header(text: str) -> str:
    """The header and separator lines at the start of a table's text, after headings; empty when it begins otherwise."""
    lines = text.split("\n", 40)
    place = 0
    while place < len(lines) and (not lines[place].strip() or lines[place].lstrip().startswith("#")):
        place += 1
    header, separator = [*lines[place : place + 2], "", ""][:2]
    if "|" in header and "|" in separator and "-" in separator and _SEPARATOR_CHARS.issuperset(separator):
        return f"{header}\n{separator}\n"
    return ""
