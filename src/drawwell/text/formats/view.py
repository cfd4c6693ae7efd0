"""The text that the Markdown parser is given, and the way back from it to the source.

A view has the source's lines in the source's order, but a line may have another indentation (the body of an
admonition is shown dedented), be blanked (text that carries no structure) or be a marker line that stands for
something that CommonMark does not know. So a position in a view is a line and a distance from that line's end,
and each of its lines knows where it is in the source.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from drawwell.model import Span
from drawwell.text.lines import ByteMap

__all__ = ["Region", "View", "common_lines"]

_BLANK = b" \t\r\n"
_LONE_CR = re.compile(r"\r(?!\n)")
_LONG_LINE = 2000  # bytes; in a longer line what stands before a place is not decoded


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of whole lines that was taken out of the Markdown parser's hands.

    Lines are lines of the view: ``first <= body <= tail <= last``.

    Attributes:
        kind: what becomes of it. ``container``: its body stays visible, dedented, and becomes its children;
            ``element``: the same, but when a heading is among them they all become its parent's; ``html``,
            ``math``, ``opaque`` and ``hidden``: the parser sees nothing of it.
        first: its first line, a marker.
        body: the line after those that open it.
        tail: the marker line at its end, the first of those that close it.
        last: the line after its last one; ``tail`` itself when no line of the source closes it.
    """

    kind: Literal["container", "element", "html", "math", "opaque", "hidden"]
    first: int
    body: int
    tail: int
    last: int


class View:
    """Lines for the parser, each with its place in the source.

    Args:
        text: the view's text. Its lines end with LF or CR LF.
        source: the document.
        start: the offset in the source at which the view begins.
        origins: for every line of the view, and for its end, the offset of that line in the source; None when the
            view shows the source as it is. With origins all lines of the view end with a line feed.
        opens: regions by the marker lines at which they begin.
        closes: regions by the marker lines at which they end.

    Attributes:
        starts: byte offset of every line in the view, and of its end.
        origins: offset of every line in the source, and of its end.
    """

    def __init__(
        self,
        text: str,
        source: str,
        start: int = 0,
        origins: list[int] | None = None,
        opens: dict[int, Region] | None = None,
        closes: dict[int, Region] | None = None,
    ) -> None:
        self.text = text
        self.source = source
        self.start = start
        self.opens = opens or {}
        self.closes = closes or {}
        self._data = data = text.encode()
        self._lines = data.splitlines(keepends=True)  # of bytes: at \n, \r\n and \r only
        self.starts = [0, *accumulate(map(len, self._lines))]
        self._points = self.starts
        self._ascii = text.isascii()
        if not self._ascii:
            self._points = [0, *accumulate(map(len, map(bytes.decode, self._lines)))]
        self._faithful = origins is None
        self.origins = origins or ([point + start for point in self._points] if start else self._points)
        self._unended = not source.endswith("\n")
        self._blank = (0, 0)

    @cached_property
    def _bytes(self) -> ByteMap:
        return ByteMap(self.text)

    def line_at(self, byte: int) -> int:
        """The line that holds the byte."""
        return bisect_right(self.starts, byte) - 1

    def end_line(self, byte: int) -> int:
        """The line after the last one that shows something before ``byte``; quote markers alone are nothing."""
        line = bisect_left(self.starts, byte)
        if byte != self.starts[line]:
            if not self._lines[line - 1][: byte - self.starts[line - 1]].strip(b" \t>"):
                line -= 1
        elif line and not self._lines[line - 1].isspace():
            return line
        low, high = self._blank
        if low <= line <= high:
            return low
        end = line
        while line and not self._lines[line - 1].strip(_BLANK):
            line -= 1
        self._blank = (line, end)
        return line

    def blank(self, line: int) -> bool:
        """Whether nothing but white space is shown on a line."""
        return not self._lines[line].strip(_BLANK)

    def span(self, first: int, last: int) -> Span:
        """The range in the source of a range of bytes of the view."""
        if self._faithful and self._ascii:
            return Span(first + self.start, last + self.start)
        start = self._point(first)
        if last - first < _LONG_LINE and self._faithful:
            return Span(start, start + len(self._data[first:last].decode(errors="ignore")))
        return Span(start, self._point(last))

    def _point(self, byte: int) -> int:
        """The offset in the source of a byte of the view."""
        line = min(bisect_right(self.starts, byte), len(self._lines)) - 1
        along = byte - self.starts[line]
        if not self._ascii:
            if along < _LONG_LINE:
                along = len(self._lines[line][:along].decode(errors="ignore"))
            else:
                along = self._bytes.point(byte) - self._points[line]
        if self._faithful:
            return self.origins[line] + along
        end = self.origins[line + 1]
        if self._unended and end == len(self.source):
            end += 1  # for the line feed that only the view has
        return max(self.origins[line], end - (self._points[line + 1] - self._points[line] - along))


def common_lines(source: str) -> str:
    """The source with LF for every lone CR, which ends a line in CommonMark, but in the parser only at times."""
    if source.count("\r") == source.count("\r\n"):
        return source
    return _LONE_CR.sub("\n", source)
