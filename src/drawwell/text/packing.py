"""Cutting a group of blocks into parts within the limit, where a reader would cut.

Blocks are taken in order and put into the open part while they fit. One that does not fit is, by its kind:
kept whole in a new part (code, tables and rows within the limit), cut between its children (lists, containers,
tables), or cut between sentences, else lines, else words (running text). A heading is never last in a part.

What is longer than any part and may not be cut by its kind stays whole up to ``HARD_FACTOR`` times the limit and
is then cut at lines, its pieces numbered.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drawwell.model import Span
from drawwell.text.blocks import Block
from drawwell.text.budget import safe_cut

__all__ = ["HARD_FACTOR", "Packer", "Part", "SectionLimits", "Tile", "tile"]

HARD_FACTOR = 4

_TABLE, _CODE, _OTHER = 1, 2, 4
_KINDS = {_TABLE: "table", _CODE: "code", _OTHER: "prose", 0: "prose"}
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s|[。！？．][」』”’）】]{0,3}")
_SPACE = re.compile(r"\s")
_NEWLINE = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class SectionLimits:
    """Sizes of sections in code points, and the deepest heading level that opens one."""

    max_chars: int = 2000
    min_chars: int = 40
    heading_depth: int = 4

    @property
    def least_room(self) -> int:
        """Running text is not begun in less room than this."""
        return min(max(80, self.max_chars // 5), max(1, self.max_chars // 2))

    @property
    def hard_max(self) -> int:
        """Nothing uncut is longer than this."""
        return HARD_FACTOR * self.max_chars


class Tile(NamedTuple):
    """A block and the range that it answers for: white space after it included."""

    block: Block
    start: int
    end: int


def tile(blocks: Sequence[Block], start: int, end: int) -> list[Tile]:
    """Let blocks cover a range without gaps: each reaches to the next, the first from the range's start."""
    borders = [start, *[block.span.start for block in blocks[1:]], end]
    return list(map(Tile, blocks, borders, borders[1:]))


@dataclass(slots=True)
class Part:
    """A piece of a group: a range of the source and what is in it."""

    start: int
    end: int
    repeated: str = ""
    part: int = 0
    parts: int = 0
    flags: int = 0

    @property
    def kind(self) -> str:
        """table, code, mixed or prose."""
        return _KINDS.get(self.flags, "mixed")


class Packer:
    """Packs the groups of one document.

    Args:
        source: the document's text.
        limits: sizes to keep.
    """

    def __init__(self, source: str, limits: SectionLimits) -> None:
        self._source = source
        self._limits = limits
        self._done: list[Part] = []
        self._open = Part(0, 0)
        self._glue: int | None = None  # where the headings begin that end the open part
        self._flags = 0  # added to whatever is placed: _OTHER inside lists and containers
        self._place_by_kind: dict[str, Callable[[Tile], None]] = {
            "paragraph": self._fill,
            "opaque": self._fill,
            "hidden": self._fill,
            "heading": self._fill,
            "table": self._table,
            "code": self._whole,
            "row": self._whole,
            "list": self._descend,
            "item": self._descend,
            "container": self._descend,
        }

    def pack(self, tiles: Sequence[Tile]) -> list[Part]:
        """Cut one group.

        Args:
            tiles: its blocks, without gaps.

        Returns:
            Parts that cover the same range without gaps.
        """
        self._done = []
        self._open = Part(tiles[0].start, tiles[0].start)
        self._glue = None
        for one in tiles:
            self._place(one)
        return [*self._done, self._open]

    def _place(self, one: Tile) -> None:
        if one.block.kind == "heading" and one.end - one.start <= self._limits.max_chars:
            self._heading(one)
        elif self._fits(one.end):
            self._extend(one.end, _content(one.block))
        else:
            self._place_by_kind[one.block.kind](one)

    def _fits(self, end: int) -> bool:
        return end - self._open.start + len(self._open.repeated) <= self._limits.max_chars

    @property
    def _can_break(self) -> bool:
        """Whether a new part may begin here: not in an empty part, not right after headings that open it."""
        return self._open.end > self._open.start and self._glue != self._open.start

    def _extend(self, end: int, flags: int) -> None:
        self._open.end = end
        if flags:
            self._open.flags |= flags | self._flags
            self._glue = None

    def _break(self, repeated: str = "") -> None:
        """Close the open part; headings at its end go on into the next."""
        at = self._open.end if self._glue is None else self._glue
        following = Part(at, self._open.end, repeated)
        self._open.end = at
        self._done.append(self._open)
        self._open = following
        if self._glue is not None:
            self._glue = at

    def _heading(self, one: Tile) -> None:
        if not self._fits(one.end) and self._can_break:
            self._break()
        if self._glue is None:
            self._glue = one.start
        self._open.end = one.end

    def _whole(self, one: Tile) -> None:
        """Code, rows: a part of their own if they do not fit, cut only beyond the hard limit."""
        if self._can_break:
            self._break()
        flags = _content(one.block)
        if one.end - one.start <= self._limits.hard_max:
            self._extend(one.end, flags)
        else:
            self._pieces(one, flags)

    def _pieces(self, one: Tile, flags: int, repeated: str = "") -> None:
        """Cut at lines, longer lines anywhere, and number the pieces."""
        first = len(self._done)
        at = one.start
        while at < one.end:
            limit = at + self._limits.max_chars
            if limit < one.end:
                newline = self._source.rfind("\n", at, limit)
                limit = newline + 1 if newline >= at else safe_cut(self._source, limit, at)
            at = min(limit, one.end)
            self._extend(at, flags)
            if at < one.end:
                self._break(repeated)
        self._number(first)

    def _number(self, first: int) -> None:
        parts = [*self._done[first:], self._open]
        if len(parts) > 1:
            for number, part in enumerate(parts, 1):
                part.part, part.parts = number, len(parts)

    def _table(self, one: Tile) -> None:
        """Whole if it fits a part, else cut between rows, each part after the first under the repeated header."""
        block = one.block
        if one.end - one.start <= self._limits.max_chars or not block.children:
            self._whole(one)
            return
        numbered = bool(self._open.part)
        if self._can_break and (numbered or self._open.end - self._open.start >= self._limits.min_chars):
            self._break()
        first = len(self._done)
        rows = tile(block.children, max(block.header_end, one.start), one.end)
        header = self._source[block.span.start : rows[0].start]
        alone = len(header) > self._limits.max_chars  # too long to be repeated or to share a part with rows
        if len(header) > self._limits.hard_max:
            self._pieces(Tile(block, one.start, rows[0].start), _TABLE)
        else:
            self._extend(rows[0].start, _TABLE)
        if alone:
            header = ""
        room = max(self._limits.max_chars, len(header) + self._limits.max_chars // 2)
        rows_in_part = int(alone)
        for row in rows:
            size = row.end - self._open.start + len(self._open.repeated)
            if rows_in_part and size > room:
                self._break(header)
                rows_in_part = 0
            if row.end - row.start > self._limits.hard_max:
                self._pieces(row, _TABLE, header)
            else:
                self._extend(row.end, _TABLE)
            rows_in_part += 1
        self._number(first)

    def _descend(self, one: Tile) -> None:
        """Lists fill the room that is left; items and containers rather begin a new part; both cut at children."""
        size = one.end - one.start
        room = self._limits.max_chars - (self._open.end - self._open.start) - len(self._open.repeated)
        keep_whole = one.block.kind != "list" or room < self._limits.least_room
        if self._can_break and keep_whole and size <= self._limits.max_chars:
            self._break()
            if self._fits(one.end):
                self._extend(one.end, _content(one.block))
                return
        if not one.block.children:
            self._fill(one)
            return
        outer, self._flags = self._flags, self._flags | _OTHER
        for child in tile(one.block.children, one.start, one.end):
            self._place(child)
        self._flags = outer

    def _fill(self, one: Tile) -> None:
        """Running text: as much as the room takes, cut between sentences, else lines, else words."""
        flags = _content(one.block)
        while not self._fits(one.end):
            at = self._open.end
            room = self._limits.max_chars - (at - self._open.start) - len(self._open.repeated)
            if room < self._limits.least_room:
                if self._can_break:
                    self._break()
                    continue
                room = self._limits.least_room
                if at + room >= one.end:
                    break
            self._extend(self._cut(at, at + room, one), flags)
            self._glue = None  # even what counts for nothing now stands behind the headings
            self._break()
        self._extend(one.end, flags)

    def _cut(self, start: int, limit: int, one: Tile) -> int:
        """The best place to cut running text after ``start`` and at or before ``limit``."""
        least = self._limits.min_chars
        if one.end - limit < least <= limit - start - 1:
            limit = one.end - least if one.end - least > start else limit
        window = self._source[start:limit]
        protected = one.block.protected
        third = len(window) // 3
        for pattern in (_SENTENCE_END, _NEWLINE, _SPACE):
            ends = [match.end() for match in pattern.finditer(window) if match.end() > third]
            for end in reversed(ends):
                if not _inside(protected, start + end):
                    return start + end
        span = _inside(protected, limit)
        if span and self._source[start : span.start].strip():
            return span.start
        return safe_cut(self._source, limit, start)


def _content(block: Block) -> int:
    """What a block counts as when the kind of a part is decided; headings and opaque blocks do not count."""
    if block.kind == "table" or block.kind == "row":
        return _TABLE
    if block.kind == "code":
        return _CODE
    if block.kind == "paragraph":
        return _OTHER
    if block.kind in ("list", "item", "container"):
        flags = _OTHER
        waiting = list(block.children)
        while waiting and flags != _TABLE | _CODE | _OTHER:
            one = waiting.pop()
            if one.kind in ("table", "code"):
                flags |= _content(one)
            waiting.extend(one.children)
        return flags
    return 0


def _inside(protected: Sequence[Span], offset: int) -> Span | None:
    """The protected range that a cut at ``offset`` would break."""
    number = bisect_right(protected, offset, key=lambda span: span.start) - 1
    if number >= 0 and protected[number].start < offset < protected[number].end:
        return protected[number]
    return None
