"""Containers with an opening and a closing line: JSX and HTML elements, ``:::`` and ``///`` blocks.

An element counts when the lines of its opening and of its closing tag hold nothing but tags. Pairs are found by
one stack over the whole text, so that the work is linear whatever is left open.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Element", "Elements", "find_elements"]

_MAX_TAG = 5000  # code points of one tag, attributes included
_MAX_FAILED = 2_000_000  # code points that may be searched in vain for the ends of tags
_INTERESTING = re.compile(
    r"\n[ \t]*(?:(`{3,})(?=[^`\n]*$)|(~{3,})|(/{3,}|:{3,})([^\n]*)|(<)(?=/?[A-Za-z]))", re.MULTILINE
)
_FOLD_NAME = re.compile(r"\s*\{?[A-Za-z][\w-]*")
_NAME = re.compile(r"</?([A-Za-z][\w.:-]*)")
_STOP = re.compile(r"""["'{}<>]""")
_LOWER = re.compile(r"[a-z]")
_MARKDOWN = re.compile(r"\smarkdown(?:\s*=|[\s>])")


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One container. Offsets are starts of lines, or the end of the text.

    Attributes:
        first: its first line.
        body: the line after those that open it.
        tail: the first of the lines that close it; when the same line opens another, its start, too.
        last: the line after its last one.
        dedent: whether its body counts as indented as its first line is.
    """

    first: int
    body: int
    tail: int
    last: int
    dedent: bool


@dataclass(slots=True)
class Elements:
    """Elements by the offsets of the lines at which they open (outermost first) and close (innermost first)."""

    opens: dict[int, list[Element]] = field(default_factory=dict)
    closes: dict[int, list[Element]] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    name: str
    first: int
    body: int
    counts: bool


class _Finder:
    def __init__(self, text: str, every_tag: bool) -> None:
        self._text = "\n" + text  # every line begins after a line feed; offsets are one too high
        self._every_tag = every_tag
        self._stack: list[_Open] = []
        self._open: Counter[str] = Counter()
        self._failed = 0
        self._read = 0  # tags are read up to here
        self.found = Elements()

    def run(self) -> Elements:
        """Goes through the lines that open or close something, fenced code left out."""
        fence = ""
        for match in _INTERESTING.finditer(self._text):
            mark = match[1] or match[2]
            if mark:
                fence = self._fence(fence, mark, match.end())
            elif fence or match.start() + 1 < self._read:
                continue
            elif match[3]:
                self._fold(match)
            else:
                self._tags(match)
        for elements in self.found.opens.values():
            elements.reverse()  # they were found innermost first
        return self.found

    def _fence(self, fence: str, mark: str, end: int) -> str:
        if not fence:
            return mark
        closes = mark[0] == fence[0] and len(mark) >= len(fence) and not self._rest(end).strip()
        return "" if closes else fence

    def _rest(self, at: int) -> str:
        end = self._text.find("\n", at)
        return self._text[at:] if end < 0 else self._text[at:end]

    def _line_end(self, at: int) -> int:
        """Offset after the line that holds ``at``."""
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end + 1

    def _fold(self, match: re.Match[str]) -> None:
        first, rest = match.start() + 1, match[4].strip()
        last = self._line_end(match.end())
        if not rest:
            self._pop(match[3], first, last)
        elif _FOLD_NAME.match(rest):
            self._push(_Open(match[3], first, last, counts=True))

    def _tags(self, match: re.Match[str]) -> None:
        """A line, or several, of nothing but tags."""
        first, at = match.start() + 1, match.start(5)
        tags: list[tuple[str, str]] = []
        while True:
            end = self._tag_end(at)
            if end < 0:
                return
            tag = self._text[at:end]
            named = _NAME.match(tag)
            if not named:
                return
            tags.append((named[1], tag))
            at = end
            while self._text.startswith((" ", "\t", "\r"), at):
                at += 1
            if at >= len(self._text) or self._text[at] == "\n":
                break
            if self._text[at] != "<":
                return
        last = self._read = min(at + 1, len(self._text))
        opens = any(not tag.startswith("</") and not tag.endswith("/>") for _, tag in tags)
        for name, tag in tags:
            if tag.startswith("</"):
                self._pop(name, first, first if opens else last)
            elif not tag.endswith("/>"):
                self._push(_Open(name, first, last, self._counts(name, tag)))

    def _counts(self, name: str, tag: str) -> bool:
        if self._every_tag:
            return True
        return bool(name[0].isupper() and _LOWER.search(name)) or _MARKDOWN.search(tag) is not None

    def _push(self, entry: _Open) -> None:
        self._stack.append(entry)
        self._open[entry.name] += 1

    def _pop(self, name: str, tail: int, last: int) -> None:
        if not self._open[name]:
            return
        while True:
            entry = self._stack.pop()
            self._open[entry.name] -= 1
            if entry.name == name:
                break
        if not entry.counts or entry.body > tail:
            return
        element = Element(entry.first - 1, entry.body - 1, tail - 1, last - 1, dedent=name[0].isalpha())
        self.found.opens.setdefault(element.first, []).append(element)
        self.found.closes.setdefault(element.tail, []).append(element)

    def _tag_end(self, start: int) -> int:
        """Offset after the tag that opens at ``start``; -1 when it is none."""
        if self._failed > _MAX_FAILED:
            return -1
        limit = min(len(self._text), start + _MAX_TAG)
        at, depth = start + 1, 0
        while True:
            stop = _STOP.search(self._text, at, limit)
            if stop is None:
                self._failed += limit - start
                return -1
            mark = stop[0]
            at = stop.end()
            if mark == "{":
                depth += 1
            elif mark == "}":
                depth -= 1
            elif depth:
                continue
            elif mark == ">":
                return at
            elif mark == "<":
                self._failed += at - start
                return -1
            else:
                at = self._text.find(mark, at, limit) + 1
                if not at:
                    self._failed += limit - start
                    return -1


def find_elements(text: str, *, every_tag: bool) -> Elements:
    """The containers of a text whose lines end with LF or CR LF.

    Args:
        text: the text.
        every_tag: every tag opens an element, as in MDX; else only capitalised names (components) and elements with
            a ``markdown`` attribute do, since the rest follows CommonMark's rules for raw HTML.
    """
    return _Finder(text, every_tag).run()
