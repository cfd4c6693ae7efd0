"""From the events of the Markdown parser to blocks. One pass, a stack, no recursion."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any

from pyromark import Options, events_with_range

from drawwell.model import Span
from drawwell.text.blocks import Block, BlockKind
from drawwell.text.formats.headings import HeadingText
from drawwell.text.formats.raw_html import html_blocks
from drawwell.text.formats.view import Region, View

__all__ = ["build"]

_OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_MATH
    | Options.ENABLE_WIKILINKS
)
_MAX_DEPTH = 32  # blocks within blocks; what is deeper stays inside its ancestor

_Handler = Callable[[Any, Any], None]

_FRAMES: dict[str, BlockKind] = {
    "List": "list",
    "Item": "item",
    "BlockQuote": "container",
    "FootnoteDefinition": "container",
    "Table": "table",
}
_ATOMS = frozenset({"Code", "InlineMath", "DisplayMath", "InlineHtml", "FootnoteReference"})
_MAX_PROTECTED = 10_000  # ranges noted in one block


class _Frame:
    """A block that is still open, its lines counted in the view."""

    __slots__ = ("children", "end", "first", "header_end", "inline", "kind", "protected", "region")

    def __init__(self, kind: BlockKind, first: int, region: Region | None = None) -> None:
        self.kind = kind
        self.first = first
        self.region = region
        self.children: list[Block] = []
        self.end = first if region is None else region.body  # the line after the last child
        self.inline = False  # text stands directly in it, as in an item of a tight list
        self.protected: list[Span] = []
        self.header_end = -1


def build(view: View) -> tuple[Block, ...]:
    """The top-level blocks of a text. Everything in it that is not white space is in one of them."""
    builder = _Builder(view)
    opening, closing = builder.opening(), builder.closing()
    # The parser's events are dicts of one key, or strings; most of them are text, which only headings need.
    stream: Any = events_with_range(view.text, options=_OPTIONS)
    for event, at in stream:
        if "Text" in event:
            if builder.reads_text:
                builder.inline("Text", event["Text"], at)
            continue
        if event.__class__ is str:
            if builder.reads_text or event == "Rule":
                builder.mark(event, at)
            continue
        kind, tag = event.popitem()
        if kind == "Start" or kind == "End":
            if builder.over:
                builder.over += 1 if kind == "Start" else -1
                continue
            name = tag if tag.__class__ is str else next(iter(tag))
            handler = (opening if kind == "Start" else closing).get(name)
            if handler is not None:
                handler(tag, at)
        else:
            builder.inline(kind, tag, at)
    return builder.blocks()


class _Builder:
    """What is open while the events pass."""

    def __init__(self, view: View) -> None:
        self.reads_text = False  # text events matter: in a heading, or directly in an item
        self.over = 0  # tags open below the depth that is kept
        self._view = view
        self._starts, self._origins = view.starts, view.origins
        self._stack = [_Frame("container", 0)]
        self._heading: HeadingText | None = None
        self._protected: list[Span] | None = None  # where ranges that must not be cut are noted
        self._noted = 0  # the end, in bytes, of the last such range: what is inside of it is not noted
        self._leaf = 0  # first line of the open leaf; -1 for a marker
        self._quotes = 0

    def opening(self) -> dict[str, _Handler]:
        """What to do when a tag of a given name opens; nothing for others."""
        leaves = dict.fromkeys(("CodeBlock", "TableHead", "TableRow"), self._open_leaf)
        frames = dict.fromkeys(_FRAMES, self._open_frame)
        inline = dict.fromkeys(("Link", "Image"), self._open_link)
        others = {"Paragraph": self._open_paragraph, "Heading": self._open_heading, "HtmlBlock": self._open_html}
        return {**leaves, **frames, **inline, **others}

    def closing(self) -> dict[str, _Handler]:
        """The same for the end of a tag."""
        return {
            **dict.fromkeys(_FRAMES, self._close_frame),
            "CodeBlock": partial(self._close_leaf, "code"),
            "TableHead": partial(self._close_leaf, "row"),
            "TableRow": partial(self._close_leaf, "row"),
            "Paragraph": self._close_paragraph,
            "Heading": self._close_heading,
            "HtmlBlock": self._close_html,
        }

    def inline(self, kind: str, text: Any, at: Any) -> None:
        """Running text, or something in it."""
        if self._heading is not None:
            if kind != "TaskListMarker":
                self._heading.add(kind, text)
            return
        if self.reads_text and not self.over:
            self._stack[-1].inline = True
            self.reads_text = False
        if kind in _ATOMS and self._protected is not None:
            self._protect(at)

    def mark(self, event: str, at: Any) -> None:
        """A thematic break, or the end of a line where text matters."""
        if event != "Rule":
            self.inline("Text", " ", at)
        elif not self.over:
            self._open_leaf(None, at)
            self._close_leaf("opaque", None, at)

    def blocks(self) -> tuple[Block, ...]:
        """Everything, once the last event has passed."""
        while len(self._stack) > 1:
            self._dissolve()
        return tuple(_fill(self._view.source, self._view.start, self._stack[0].children))

    # Leaves

    def _open_leaf(self, tag: Any, at: Any) -> None:
        self._leaf = self._view.line_at(at["start"])
        self._protected = None
        self.reads_text = False
        top = self._stack[-1]
        if top.inline:
            self._flush(self._leaf)
        if tag == "TableRow" and top.header_end < 0:
            top.header_end = self._leaf

    def _open_paragraph(self, _: Any, at: Any) -> None:
        # Most blocks are paragraphs, so this and its counterpart call nothing that they need not.
        self._leaf = bisect_right(self._starts, at["start"]) - 1
        self._protected = []
        self.reads_text = False
        if self._stack[-1].inline:
            self._flush(self._leaf)

    def _open_heading(self, tag: Any, at: Any) -> None:
        self._open_leaf(tag, at)
        self._heading = HeadingText()
        self.reads_text = True

    def _open_html(self, tag: Any, at: Any) -> None:
        self._open_leaf(tag, at)
        if self._view.opens:
            self._marker(self._leaf)

    def _open_link(self, _: Any, at: Any) -> None:
        if self._protected is not None:
            self._protect(at)

    def _close_leaf(self, kind: BlockKind, _: Any, at: Any) -> None:
        self._add(self._leaf, self._view.end_line(at["end"]), kind)
        self._settle()

    def _close_paragraph(self, _: Any, at: Any) -> None:
        top = self._stack[-1]
        first = self._leaf if self._leaf > top.end else top.end
        last = bisect_left(self._starts, at["end"])
        start, end = self._origins[first], self._origins[last]
        if start < end:
            block = Block("paragraph", Span(start, end), 0, "", "", (), 0, tuple(self._protected or ()))
            top.children.append(block)
            top.end = last
        self.reads_text = top.kind == "item"
        self._protected = top.protected if self.reads_text else None

    def _close_heading(self, tag: Any, at: Any) -> None:
        text, anchor = self._heading.close() if self._heading else ("", "")
        self._heading = None
        level = int(tag["Heading"][1])
        span = self._place(self._leaf, self._view.end_line(at["end"]))
        if span:
            self._stack[-1].children.append(Block("heading", span, level, text, anchor))
        self._settle()

    def _close_html(self, _: Any, at: Any) -> None:
        if self._leaf >= 0:
            self._html(self._leaf, self._view.end_line(at["end"]))
        self._settle()

    def _protect(self, at: Any) -> None:
        known, start = self._protected, at["start"]
        if known is not None and start >= self._noted and len(known) < _MAX_PROTECTED:
            self._noted = at["end"]
            known.append(self._view.span(start, self._noted))

    # Blocks that hold blocks

    def _settle(self) -> None:
        """Back from a block to the one around it."""
        top = self._stack[-1]
        self.reads_text = top.kind == "item"
        self._protected = top.protected if self.reads_text else None

    def _open_frame(self, tag: Any, at: Any) -> None:
        if len(self._stack) >= _MAX_DEPTH:
            self.over = 1
            return
        first = self._view.line_at(at["start"])
        top = self._stack[-1]
        if top.inline:
            self._flush(first)
        name = tag if tag.__class__ is str else next(iter(tag))
        self._quotes += name == "BlockQuote"
        self._stack.append(_Frame(_FRAMES[name], max(first, top.end)))
        self._settle()

    def _flush(self, line: int) -> None:
        """Text that stands directly in an item becomes a paragraph when a block follows it."""
        top = self._stack[-1]
        if top.inline:
            while line > top.end and self._view.blank(line - 1):
                line -= 1
            span = self._place(top.end, line)
            if span:
                top.children.append(Block("paragraph", span, protected=tuple(top.protected)))
            top.inline = False
            top.protected = []

    def _place(self, first: int, last: int) -> Span | None:
        """The range of a block that comes after what is in the open one; None when nothing of it is left."""
        top = self._stack[-1]
        start, end = self._origins[first if first > top.end else top.end], self._origins[last]
        if start >= end:
            return None
        top.end = last
        return Span(start, end)

    def _add(self, first: int, last: int, kind: BlockKind, children: tuple[Block, ...] = ()) -> None:
        span = self._place(first, last)
        if span:
            self._stack[-1].children.append(Block(kind, span, children=children))

    def _close_frame(self, tag: Any, at: Any) -> None:
        while self._stack[-1].region is not None:
            self._dissolve()
        self._quotes -= tag.__class__ is dict and "BlockQuote" in tag
        frame = self._stack[-1]
        # The parser's own range of a list may run into the line after it.
        last = frame.end if frame.kind == "list" else self._view.end_line(at["end"])
        if frame.inline and frame.children:
            self._flush(last)
        self._stack.pop()
        children, protected = frame.children, frame.protected
        if frame.kind == "item" and len(children) == 1 and children[0].kind == "paragraph":
            children, protected = [], list(children[0].protected)
        last = max(last, frame.end)
        header = 0
        if frame.kind == "table":
            header = self._origins[frame.header_end if frame.header_end >= 0 else last]
        span = self._place(frame.first, last)
        if span:
            block = Block(frame.kind, span, 0, "", "", tuple(children), header, tuple(protected))
            self._stack[-1].children.append(block)
        self._settle()

    def _marker(self, line: int) -> None:
        """A marker line of the view: a region opens or closes there, or stands for one block."""
        region = self._view.opens.get(line)
        if region is not None:
            self._leaf = -1
            if region.kind == "html":
                self._html(line, region.last)
            elif region.kind == "math":
                span = self._place(line, region.last)
                if span:
                    self._stack[-1].children.append(Block("paragraph", span, protected=(span,)))
            elif region.kind == "hidden":
                self._add(line, region.last, "hidden")
            elif region.kind == "opaque" or len(self._stack) >= _MAX_DEPTH:
                self._add(line, region.body, "opaque")
            else:
                self._stack.append(_Frame("container", line, region))
        elif line in self._view.closes:
            self._leaf = -1
            self._close_region(self._view.closes[line])

    def _close_region(self, region: Region) -> None:
        depth = len(self._stack) - 1
        while self._stack[depth].region not in {None, region}:
            depth -= 1
        if self._stack[depth].region is region:
            while len(self._stack) > depth + 1:
                self._dissolve()
            frame = self._stack[-1]
            if region.kind == "container" or all(child.kind != "heading" for child in frame.children):
                self._stack.pop()
                last = region.last if region.last > region.tail else frame.end
                self._add(frame.first, last, "container", tuple(frame.children))
                return
            self._dissolve()
        if region.last > region.tail:
            self._add(region.tail, region.last, "opaque")

    def _dissolve(self) -> None:
        """Gives the blocks of a region to what is around it, because of headings or for want of its end."""
        frame = self._stack.pop()
        self._add(frame.first, frame.region.body if frame.region else frame.first, "opaque")
        top = self._stack[-1]
        top.children += frame.children
        top.end = max(top.end, frame.end)

    def _html(self, first: int, last: int) -> None:
        span = self._place(first, last)
        if not span:
            return
        blocks = [Block("paragraph", span)] if self._quotes else html_blocks(self._view.source, span)
        self._stack[-1].children += blocks


def _fill(source: str, at: int, blocks: list[Block]) -> list[Block]:
    """Puts what lies between the blocks and is not blank, such as link definitions, into blocks of its own."""
    filled: list[Block] = []
    for block in [*blocks, Block("opaque", Span(len(source), len(source)))]:
        start = block.span.start
        between = source[at:start]
        text = between.strip(" \t\r\n")
        if text:
            begin = between.index(text)
            end = between.find("\n", begin + len(text))
            first = between.rfind("\n", 0, begin) + 1
            filled.append(Block("opaque", Span(at + first, start if end < 0 else at + end + 1)))
        filled.append(block)
        at = block.span.end
    filled.pop()
    return filled
