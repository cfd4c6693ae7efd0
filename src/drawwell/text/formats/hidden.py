"""Stretches of a Markdown document that carry no structure, whatever CommonMark would see in them.

Comments, preformatted text and HTML tables that hold blank lines, ``$$`` math; in MDX also ``import`` and ``export``
lines and ``{expressions}``. What is never closed is left as it is, and is looked for only once.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal, NamedTuple

from drawwell.text.formats.raw_html import closing_tags

__all__ = ["Hidden", "HiddenFinder"]

_RAW = re.compile(r"<(?:pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_TABLE = re.compile(r"<table(?=[\s>])", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_LINE_REST = re.compile(r"[ \t\r]*(?:\n|\Z)")
_MODULE = re.compile(r"(?:import|export)(?=[\s{*\"'])")
_BRACKET = re.compile(r"[()\[\]{}]")
_FENCE_OR_MATH = re.compile(r"\n[ \t]*(?:```|~~~|(\$\$))|(\$\$)(?=[ \t\r]*(?:\n|\Z))")


class Hidden(NamedTuple):
    """A stretch of whole lines: its kind (see ``Region``) and the offset after its last line."""

    kind: Literal["html", "math", "opaque", "hidden"]
    last: int


class HiddenFinder:
    """Finds what is to be hidden at a given line.

    Args:
        text: the document, its lines ending with LF or CR LF.
        mdx: whether it is MDX.
    """

    def __init__(self, text: str, *, mdx: bool) -> None:
        self._text = text
        self._mdx = mdx
        self._unclosed: set[str] = set()

    def at(self, start: int, *, top: bool) -> Hidden | None:
        """What begins at the first character of a line that is not white space.

        Args:
            start: the offset of that character.
            top: whether the line stands at the left margin, outside of any container, and begins a block.
        """
        mark = self._text[start]
        if mark == "<":
            end = self._html(start)
            return Hidden("html", self._line_end(end)) if end else None
        if mark == "$":
            return self._math(start)
        if not self._mdx:
            return None
        if mark == "{":
            return self._expression(start)
        return self._module(start) if top else None

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end + 1

    def _html(self, start: int) -> int:
        """Offset after the raw HTML; 0 when there is nothing to hide."""
        if self._text.startswith("<!--", start):
            return self._find("-->", start + 4)
        if _RAW.match(self._text, start):
            if "raw" in self._unclosed:
                return 0
            found = _RAW_END.search(self._text, start)
            if not found:
                self._unclosed.add("raw")
            return found.end() if found else 0
        if _TABLE.match(self._text, start):
            end = self._tables.get(start, 0)
            return end if end and _BLANK_LINE.search(self._text, start, end) else 0
        return 0

    def _find(self, mark: str, start: int) -> int:
        """Offset after the next ``mark``; 0 when there is none."""
        if mark in self._unclosed:
            return 0
        at = self._text.find(mark, start)
        if at < 0:
            self._unclosed.add(mark)
            return 0
        return at + len(mark)

    @cached_property
    def _tables(self) -> dict[int, int]:
        return closing_tags(self._text, "table")

    @cached_property
    def _brackets(self) -> dict[int, int]:
        """For the offset of each opening bracket, the offset after its closing one."""
        pairs: dict[int, int] = {}
        stack: list[tuple[str, int]] = []
        for found in _BRACKET.finditer(self._text):
            mark = found[0]
            if mark in "([{":
                stack.append((mark, found.start()))
            elif stack and stack[-1][0] + mark in {"()", "[]", "{}"}:
                pairs[stack.pop()[1]] = found.end()
        return pairs

    def _math(self, start: int) -> Hidden | None:
        """From a line that begins with ``$$`` to one that ends with it."""
        if not self._text.startswith("$$", start) or "$$" in self._text[start + 2 : self._line_end(start)]:
            return None
        found = _FENCE_OR_MATH.search(self._text, start + 2)
        if not found or not (found[1] or found[2]):
            return None
        end = found.end()
        if not _LINE_REST.match(self._text, end):
            return None
        return Hidden("math", self._line_end(end))

    def _expression(self, start: int) -> Hidden | None:
        """Lines that are nothing but one ``{expression}``."""
        if self._text.startswith("{/*", start):
            end = self._find("*/}", start + 3)
        else:
            end = self._brackets.get(start, 0)
        if not end or not _LINE_REST.match(self._text, end):
            return None
        return Hidden("opaque", self._line_end(end))

    def _module(self, start: int) -> Hidden | None:
        """``import`` and ``export`` statements: up to a blank line outside of brackets."""
        if not _MODULE.match(self._text, start):
            return None
        at = start
        while True:
            line_end = self._line_end(at)
            bracket = _BRACKET.search(self._text, at, line_end)
            if bracket and bracket.start() in self._brackets:
                at = self._brackets[bracket.start()]
            elif bracket:
                at = bracket.end()
            elif _LINE_REST.match(self._text, line_end):
                return Hidden("hidden", line_end)
            else:
                at = line_end
