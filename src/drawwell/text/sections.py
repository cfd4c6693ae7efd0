"""Blocks to sections: where a document is cut, and what each piece is called.

A section is a slice of the source. The slices of a document, in order, are its source after the front matter:
nothing is rendered, moved or dropped. Three steps, each linear in the size of the document:

1. *group*: every top-level heading up to a depth opens a group of blocks under its heading path;
2. *merge*: bare headings join what follows, runs of tiny siblings join each other under their common path;
3. *pack*: a group longer than the limit is cut where a reader would cut it (``packing.py``).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.packing import Packer, Part, SectionLimits, Tile, tile
from drawwell.text.parents import Parents
from drawwell.text.slugs import plain_slug

__all__ = ["Section", "SectionLimits", "Sectioned", "cut"]

_LONGEST_HEADING = 200  # code points of one heading in a path: the rest is in the text


class Section(NamedTuple):
    """Where one section stands and what it is called. There are very many.

    Attributes:
        ordinal: number within the document, from 0.
        span: its range in the source.
        headings: headings in force, outermost first; the first is the document's title.
        level: level of the governing heading, 0 before the first one.
        kind: table or code when it holds nothing else (headings aside), mixed when it holds some, else prose.
        covers: headings inside it, or in force over it, that ``headings`` does not name.
        anchor: slug of its heading, unique within the document; later parts end in ``~2``, ``~3``.
        repeated: header rows of the table that it continues; they precede the slice in its text.
        part: number, from 1, among the parts of one table or over-long block; 0 when it is whole.
        parts: how many such parts there are; 0 when it is whole.
        first_line: line of the source at which it begins, from 1.
        last_line: last line that is not blank.
        hidden: ranges that are kept in the text and left out of the search index.
        parents: first lines of the list items that enclose its start, outermost first.
        first_page: page of the document on which it begins, from 1; 0 without pages.
        last_page: page on which it ends.
    """

    ordinal: int
    span: Span
    headings: tuple[str, ...]
    level: int
    kind: str
    covers: tuple[str, ...]
    anchor: str
    repeated: str
    part: int
    parts: int
    first_line: int
    last_line: int
    hidden: tuple[Span, ...] = ()
    parents: tuple[str, ...] = ()
    first_page: int = 0
    last_page: int = 0

    def text(self, source: str) -> str:
        """The section as it is read: its slice of the source, after the repeated table header if any."""
        return self.repeated + source[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Sectioned:
    """A document cut into sections.

    Attributes:
        title: the declared title, else the only level-1 heading, else the file's name made readable.
        sections: in document order; empty when the body is blank.
    """

    title: str
    sections: tuple[Section, ...]


@dataclass(slots=True)
class _Group:
    """Blocks ``first`` to ``last`` (half-open) of the document, from ``start`` to ``end`` in the source.

    ``size`` leaves out white space at its end. ``bare``: it has nothing to say by itself. ``governs``: offset from
    which ``path`` is in force. ``inside``: (offset, level, text) of the headings in it that ``path`` does not name,
    in order; level 0 for headings in quotes, items and other containers, which govern nothing after themselves.
    """

    start: int
    end: int
    first: int
    last: int
    path: tuple[str, ...]
    level: int
    anchor: str = ""
    size: int = 0
    bare: bool = False
    governs: int = 0
    inside: list[tuple[int, int, str]] = field(default_factory=list)


def cut(parsed: Parsed, stem: str, limits: SectionLimits) -> Sectioned:
    """Cut a document into sections.

    Args:
        parsed: the document as its format's parser sees it.
        stem: the file's name without its suffix, for documents that name no title.
        limits: sizes in code points, and the depth to which headings open sections.

    Returns:
        The title and the sections, whose spans tile the source after the front matter.
    """
    title = _title(parsed, stem)
    tiles = tile(parsed.blocks, parsed.front_matter.end if parsed.front_matter else 0, len(parsed.source))
    groups = _merge(_group(tiles, title, limits), limits)
    packer = Packer(parsed.source, limits)
    packed = [(group, packer.pack(tiles[group.first : group.last])) for group in groups]
    return Sectioned(title, tuple(_name(parsed, packed)))


def _title(parsed: Parsed, stem: str) -> str:
    if declared := _one_line(parsed.title):
        return declared
    tops = [block for block in parsed.blocks if block.kind == "heading" and block.level == 1]
    if len(tops) == 1 and (only := _one_line(tops[0].text)):
        return only
    words = _one_line(re.sub(r"[-_]+", " ", stem)) or "untitled"
    return words[0].upper() + words[1:]


def _one_line(text: str) -> str:
    """Heading text fit for a path: one line, no control characters, bounded."""
    start = text[: 4 * _LONGEST_HEADING]
    line = " ".join((start if start.isprintable() else "".join(map(_visible, start))).split())
    return line if len(line) <= _LONGEST_HEADING else line[: _LONGEST_HEADING - 1] + "…"


def _visible(char: str) -> str:
    """The character; a space for a control character, nothing for an invisible one that joins no letters."""
    if char.isprintable() or char in "\u200c\u200d":
        return char
    return "" if unicodedata.category(char) == "Cf" else " "


def _group(tiles: list[Tile], title: str, limits: SectionLimits) -> list[_Group]:
    groups: list[_Group] = []
    stack: list[tuple[int, str]] = []
    for number, (block, start, end) in enumerate(tiles):
        opens = block.kind == "heading" and block.level <= limits.heading_depth
        if opens:
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, _one_line(block.text)))
            path = _path(title, stack)
            groups.append(_Group(start, end, number, number, path, block.level, block.anchor, governs=start))
        elif not groups:
            groups.append(_Group(start, end, number, number, (title,), 0, governs=start))
        group = groups[-1]
        group.end, group.last = end, number + 1
        if not opens and (block.children or block.kind == "heading"):
            group.inside.extend(_headings_in(block))
    for group in groups:
        blocks = [one.block for one in tiles[group.first : group.last]]
        group.size = blocks[-1].span.end - blocks[0].span.start
        group.bare = _is_bare(blocks, group, limits)
    return groups


def _is_bare(blocks: list[Block], group: _Group, limits: SectionLimits) -> bool:
    """Only headings and a few marks and comments; or a few words before the first heading."""
    if any(block.kind not in ("heading", "opaque", "hidden") for block in blocks):
        return group.level == 0 and group.size < limits.min_chars
    marks = sum(block.span.end - block.span.start for block in blocks if block.kind == "opaque")
    return not marks or marks < limits.min_chars


def _path(title: str, stack: list[tuple[int, str]]) -> tuple[str, ...]:
    texts = [text for _, text in stack if text]
    return (title, *(texts[1:] if texts and texts[0] == title else texts))


def _headings_in(block: Block) -> list[tuple[int, int, str]]:
    """Headings at and below a block, in order."""
    found: list[tuple[int, int, str]] = []
    waiting = [block]
    while waiting:
        one = waiting.pop()
        if one.kind == "heading" and (text := _one_line(one.text)):
            found.append((one.span.start, one.level if one is block else 0, text))
        waiting.extend(reversed(one.children))
    return found


def _merge(groups: list[_Group], limits: SectionLimits) -> list[_Group]:
    """Join bare groups forward and runs of tiny siblings with each other.

    A group with a heading and text of its own is never put under the path of a sibling: a run of such groups
    takes the path that all of them share, and names their headings in ``inside``.
    """
    merged: list[_Group] = []
    bare: list[_Group] = []  # looking for something to introduce
    run: list[_Group] = []  # tiny siblings
    for group in groups:
        if bare and group.start - bare[0].start > limits.max_chars // 4:
            merged.extend([*_close(run), _introduce(bare[:-1], bare[-1])])
            bare, run = [], []
        if group.bare:
            bare.append(group)
            continue
        joined = _introduce(bare, group)
        bare = []
        if group.size >= limits.min_chars:
            merged.extend([*_close(run), joined])
            run = []
        elif run and _belongs(run, joined, limits):
            run.append(joined)
        else:
            merged.extend(_close(run))
            run = [joined]
    merged.extend(_close(run))
    if bare:
        merged.append(_introduce(bare[:-1], bare[-1]))
    return merged


def _introduce(bare: list[_Group], group: _Group) -> _Group:
    """Put bare groups in front of the group that they introduce; its path stays."""
    if not bare:
        return group
    inside = [(one.start, one.level, text) for one in bare for text in one.path[_shared(one.path, group.path) :]]
    inside.extend(heading for one in (*bare, group) for heading in one.inside)
    return replace(group, start=bare[0].start, first=bare[0].first, inside=sorted(inside, key=lambda one: one[0]))


def _belongs(run: list[_Group], group: _Group, limits: SectionLimits) -> bool:
    """Whether a tiny group is a sibling or descendant of the run's first and still fits."""
    scope = run[0].path[:-1] if run[0].level else run[0].path
    return group.path[: len(scope)] == scope and group.end - run[0].start <= limits.max_chars


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many headings two paths have in common, from the outermost."""
    pairs = zip(one, other, strict=False)
    return next((depth for depth, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _close(run: list[_Group]) -> list[_Group]:
    """One group for a run of tiny ones, under the path that they share."""
    if len(run) < 2:
        return run
    shared = run[0].path[: min(_shared(run[0].path, group.path) for group in run)]
    inside: list[tuple[int, int, str]] = []
    previous = shared
    for group in run:
        known = _shared(previous, group.path)
        inside.extend((group.governs, group.level, text) for text in group.path[known:])
        inside.extend(group.inside)
        previous = group.path
    first = run[0]
    heads = first.path == shared
    return [
        replace(
            first,
            end=run[-1].end,
            last=run[-1].last,
            path=shared,
            level=first.level if heads else max(0, first.level - 1),
            anchor=first.anchor if heads else "",
            inside=sorted(inside, key=lambda one: one[0]),
        )
    ]


def _name(parsed: Parsed, packed: list[tuple[_Group, list[Part]]]) -> list[Section]:
    """Give every part its ordinal, headings, anchor and lines."""
    source = parsed.source
    slugs: Counter[str] = Counter()
    taken: set[str] = set()
    hidden = [block.span for block in parsed.blocks if block.kind == "hidden"]
    parents = Parents(source, parsed.blocks)
    sections: list[Section] = []
    line, at = 1, 0
    for group, parts in packed:
        anchor = _unique(group.anchor or plain_slug(group.path[-1]) or "section", slugs, taken)
        for number, (part, covers) in enumerate(zip(parts, _covers(group, parts), strict=True), 1):
            last = part.start + max(0, len(source[part.start : part.end].rstrip()) - 1)
            line += source.count("\n", at, part.start)
            at = part.start
            sections.append(
                Section(
                    ordinal=len(sections),
                    span=Span(part.start, part.end),
                    headings=group.path,
                    level=group.level,
                    kind=part.kind,
                    covers=covers,
                    anchor=anchor if number == 1 else f"{anchor}~{number}",
                    repeated=part.repeated,
                    part=part.part,
                    parts=part.parts,
                    first_line=line,
                    last_line=line + source.count("\n", part.start, last),
                    hidden=_within(hidden, part) if hidden else (),
                    parents=parents.over(part.start, part.end) if number > 1 else (),  # a group begins in no list
                    first_page=bisect_right(parsed.pages, part.start) if parsed.pages else 0,
                    last_page=bisect_right(parsed.pages, last) if parsed.pages else 0,
                )
            )
    return sections


def _within(spans: list[Span], part: Part) -> tuple[Span, ...]:
    """The spans' overlap with a part; spans are in order."""
    first = bisect_right(spans, part.start, key=lambda span: span.end)
    last = bisect_left(spans, part.end, key=lambda span: span.start)
    return tuple(Span(max(span.start, part.start), min(span.end, part.end)) for span in spans[first:last])


def _unique(slug: str, slugs: Counter[str], taken: set[str]) -> str:
    """``example``, ``example-1``, ``example-2``, ... as renderers number equal headings."""
    anchor = slug
    while anchor in taken:
        slugs[slug] += 1
        anchor = f"{slug}-{slugs[slug]}"
    taken.add(anchor)
    return anchor


def _covers(group: _Group, parts: list[Part]) -> list[tuple[str, ...]]:
    """For each part, the headings inside it, after those deeper ones that are in force where it begins."""
    if not group.inside:
        return [()] * len(parts)
    covers = []
    in_force: list[tuple[int, str]] = []
    at = 0
    for part in parts:
        opening = group.inside[at][1] if at < len(group.inside) and group.inside[at][0] == part.start else 7
        names = [text for level, text in in_force if level < opening or not opening]
        while at < len(group.inside) and group.inside[at][0] < part.end:
            offset, level, text = group.inside[at]
            names.append(text)
            if level and offset >= group.governs:
                while in_force and in_force[-1][0] >= level:
                    in_force.pop()
                in_force.append((level, text))
            at += 1
        covers.append(tuple(dict.fromkeys(names)))
    return covers
