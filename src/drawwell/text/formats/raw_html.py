"""Blocks of raw HTML inside Markdown: headings, tables, preformatted text, comments and the rest."""

from __future__ import annotations

import re
from html import unescape

from drawwell.model import Span
from drawwell.text.blocks import Block

__all__ = ["closing_tags", "html_blocks"]

_MAX_AROUND = 500  # code points that other tags may take on the first and last line of an element
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_OPENING = re.compile(r"<(?:(h[1-6]|table|pre|script|style|textarea)(?=[\s>])|(!--))", re.IGNORECASE)
_SAYS = re.compile(r"""\b(?:alt|title)\s*=\s*["'][^"']""", re.IGNORECASE)
_ALT = re.compile(r"""<img\b[^<>]*?\balt\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')[^<>]*>""", re.IGNORECASE)
_ID = re.compile(r"""<(?:h[1-6]|a)\b[^<>]*?\b(?:id|name)\s*=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)
_ROW = re.compile(r"<(/?)(table|thead|tr)(?=[\s>])[^<>]*>", re.IGNORECASE)


def closing_tags(text: str, name: str) -> dict[int, int]:
    """For the offset of each opening tag of that name, where its closing tag ends; nesting is respected."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for tag in re.finditer(rf"<(/?){name}(?=[\s>])[^<>]*>", text, re.IGNORECASE):
        if not tag[1]:
            stack.append(tag.start())
        elif stack:
            pairs[stack.pop()] = tag.end()
    return pairs


def html_blocks(source: str, span: Span) -> list[Block]:
    """The blocks of one stretch of raw HTML that takes whole lines."""
    return _Splitter(source[span.start : span.end], span.start).run()


class _Splitter:
    def __init__(self, text: str, offset: int) -> None:
        self._text = text
        self._offset = offset
        self._blocks: list[Block] = []
        self._done = 0  # what is before this is in blocks
        self._pairs: dict[str, dict[int, int]] = {}

    def run(self) -> list[Block]:
        for found in _OPENING.finditer(self._text):
            start = found.start()
            first = self._text.rfind("\n", 0, start) + 1
            if first < self._done or start - first > _MAX_AROUND or _says(self._text[first:start]):
                continue
            name = (found[1] or found[2]).lower()
            end = self._end(name, start)
            stop = self._text.find("\n", end) + 1 if end else 0
            last = stop or len(self._text)
            if end and last - end <= _MAX_AROUND and not _says(self._text[end:last]):
                self._rest(first)
                self._blocks.append(self._block(name, Span(first, last), Span(start, end)))
                self._done = last
        self._rest(len(self._text))
        return self._blocks

    def _end(self, name: str, start: int) -> int:
        """Offset after the element that begins at ``start``; 0 when it is not closed."""
        if name not in self._pairs:
            if name == "!--":
                self._pairs[name] = {found.start(): found.end() for found in _COMMENT.finditer(self._text)}
            else:
                self._pairs[name] = closing_tags(self._text, name)
        return self._pairs[name].get(start, 0)

    def _span(self, start: int, end: int) -> Span:
        return Span(start + self._offset, end + self._offset)

    def _rest(self, end: int) -> None:
        """Puts what has been passed over into a block, without the blank lines around it."""
        text = self._text[self._done : end]
        inner = text.strip(" \t\r\n")
        if not inner:
            return
        begin = text.rfind("\n", 0, text.index(inner)) + 1
        stop = text.find("\n", len(text.rstrip(" \t\r\n"))) + 1 or len(text)
        span = self._span(self._done + begin, self._done + stop)
        if not _says(inner):
            self._blocks.append(Block("opaque", span))
            return
        tags = (self._span(self._done + tag.start(), self._done + tag.end()) for tag in _TAG.finditer(text))
        self._blocks.append(Block("paragraph", span, protected=tuple(tags)))

    def _block(self, name: str, lines: Span, element: Span) -> Block:
        span = self._span(*lines)
        text = self._text[element.start : element.end]
        if name == "pre":
            return Block("code", span)
        if name == "table":
            return self._table(lines)
        if name[0] == "h":
            anchor = _ID.search(text)
            return Block("heading", span, int(name[1]), _plain(text), unescape(anchor[1]) if anchor else "")
        return Block("opaque", span)

    def _table(self, lines: Span) -> Block:
        """A table, its rows cut at the lines at which they begin."""
        depth = 0
        starts: list[int] = []
        header = 0  # how many rows it takes, if any
        for tag in _ROW.finditer(self._text, lines.start, lines.end):
            name = tag[2].lower()
            if name == "table":
                depth += -1 if tag[1] else 1
            elif depth == 1 and name == "thead" and tag[1]:
                header = len(starts)
            elif depth == 1 and name == "tr" and not tag[1]:
                first = self._text.rfind("\n", 0, tag.start()) + 1
                if self._text[first : tag.start()].strip() or (starts and first == starts[-1]):
                    return Block("paragraph", self._span(*lines))
                starts.append(first)
        if not starts:
            return Block("paragraph", self._span(*lines))
        if not header and "<th" in self._text[starts[0] : starts[1] if len(starts) > 1 else lines.end].lower():
            header = 1
        ends = [*starts[1:], lines.end]
        rows = tuple(Block("row", self._span(start, end)) for start, end in zip(starts, ends, strict=True))
        header_end = [*starts, lines.end][header] if header or starts[0] > lines.start else lines.end
        return Block("table", self._span(*lines), children=rows, header_end=header_end + self._offset)


def _says(text: str) -> bool:
    """Whether markup holds any text to read."""
    return bool(_SAYS.search(text) or _TAG.sub("", _COMMENT.sub("", text)).strip())


def _plain(text: str) -> str:
    """The text of an element in one line."""
    shown = _TAG.sub(" ", _ALT.sub(lambda found: found[1] or found[2] or "", text))
    return " ".join(unescape(shown).split())
