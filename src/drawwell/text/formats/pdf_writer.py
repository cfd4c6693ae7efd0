"""Lines in reading order to Markdown: paragraphs, lists, code, tables and headings, with the page of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from drawwell.text.formats.pdf_layout import Line
from drawwell.text.formats.pdf_marks import Mark, mark_of
from drawwell.text.formats.pdf_style import LONGEST_HEADING, Style
from drawwell.text.formats.pdf_tables import Grid
from drawwell.text.formats.rendition import Rendition

__all__ = ["Writer"]

_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]]*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = re.compile(r"[^\W\d_]+-$")


@dataclass(slots=True)
class _Flow:
    """Text being put together: a paragraph or an item of a list.

    Attributes:
        text: its words so far.
        line: its last line.
        first: its first line.
        right: where its lines end.
        item: its mark, when it is an item.
        turns: (offset in ``text``, page) where it goes on on another page.
    """

    text: str
    line: Line
    first: Line
    right: float
    item: Mark | None = None
    turns: list[tuple[int, int]] = field(default_factory=list)


class Writer:
    """Writes a document.

    Args:
        items: its lines and tables in reading order.
        style: its type.
    """

    def __init__(self, items: Sequence[Line | Grid], style: Style) -> None:
        self._items = items
        self._style = style
        self._out = Rendition()
        self._words = _vocabulary(items)
        self._flow: _Flow | None = None
        self._code: list[Line] = []
        self._heading: list[Line] = []
        self._list: list[float] = []  # where the marks of the open list's levels stand
        self._begins: dict[int, int] = {}  # page -> offset of the first that is written of it
        self.headings: list[tuple[int, int, str]] = []
        """Page, level and text of every heading."""

    def write(self, last: int) -> tuple[Rendition, tuple[int, ...]]:
        """The document, and the offsets at which its pages from 1 to ``last`` begin."""
        for item in self._items:
            if isinstance(item, Grid):
                self._close()
                self._begin(item.page)
                self._out.table(item.rows, max(map(len, item.rows)))
            elif level := self._style.level(item):
                self._take_heading(item, level)
            elif self._style.is_code(item):
                self._take_code(item)
            else:
                self._take_text(item)
        self._close()
        offsets, at = [], len(self._out)
        for page in range(last, 0, -1):
            at = self._begins.get(page, at)
            offsets.append(at)
        return self._out, tuple(reversed(offsets))

    def _begin(self, page: int) -> None:
        self._begins.setdefault(page, len(self._out))

    def _close(self) -> None:
        """Writes whatever is open."""
        if self._heading:
            self._close_heading()
        if self._code:
            self._close_code()
        if self._flow:
            self._close_flow()
        self._list.clear()

    def _take_heading(self, line: Line, level: int) -> None:
        before = self._heading[-1] if self._heading else None
        if before is None or self._style.level(before) != level or not self._wraps(before, line):
            self._close()
        self._heading.append(line)

    def _wraps(self, before: Line, line: Line) -> bool:
        """Whether a heading goes on: its line was full, and the next stands right below in the same type."""
        near = 0 < line.y - before.y <= 1.45 * before.size and (before.page, before.column) == (line.page, line.column)
        return near and abs(before.size - line.size) < 0.3 and not _had_room(before, line, before.right)

    def _close_heading(self) -> None:
        lines, self._heading = self._heading, []
        text = ""
        for line in lines:
            text = self._joined(text, line.text) if text else line.text
        if len(text) > LONGEST_HEADING:
            for line in lines:
                self._take_text(line)
            return
        level = self._style.level(lines[0])
        self._begin(lines[0].page)
        self._out.heading(level, text)
        self.headings.append((lines[0].page, level, text))

    def _take_code(self, line: Line) -> None:
        before = self._code[-1] if self._code else None
        if before is None or before.column != line.column or line.y - before.y > 4 * line.size:
            self._close()
        self._code.append(line)

    def _close_code(self) -> None:
        lines, self._code = self._code, []
        self._begin(lines[0].page)
        self._out.code(_columns_kept(lines))

    def _take_text(self, line: Line) -> None:
        if self._heading or self._code:
            self._close()
        mark = mark_of(line)
        flow = self._flow
        goes_on = flow is not None and self._goes_on(flow, line)
        if mark is not None and (mark.sure or not goes_on or self._next_number(mark)):
            self._close_flow()
            self._begin(line.page)
            self._flow = _Flow(mark.text, line, line, line.right, mark)
        elif flow is None or not goes_on:
            in_list = flow is not None and flow.item is not None and line.x0 > flow.first.x0 + 0.5 * line.size
            self._close_flow()
            if not in_list:
                self._list.clear()
            self._begin(line.page)
            self._flow = _Flow(line.text, line, line, line.right)
        else:
            self._continue(flow, line)

    def _continue(self, flow: _Flow, line: Line) -> None:
        before = flow.line
        broken = before.text.endswith("-") and line.text[:1].islower()
        ended = before.leads or (_had_room(before, line, flow.right) and not broken)
        if ended and (before.page, before.column) == (line.page, line.column):
            joined = f"{flow.text}\n{line.text}"
        else:
            joined = self._joined(flow.text, line.text)
        if line.page != before.page:
            flow.turns.append((len(joined) - len(line.text), line.page))
        flow.right = max(before.x1, line.x1) if before is flow.first else max(flow.right, line.x1)
        flow.text, flow.line = joined, line

    def _next_number(self, mark: Mark) -> bool:
        """Whether a mark counts on from the open item's."""
        before = self._flow.item.mark if self._flow and self._flow.item else ""
        return before[:-1].isdigit() and mark.mark[:-1].isdigit() and int(mark.mark[:-1]) == int(before[:-1]) + 1

    def _goes_on(self, flow: _Flow, line: Line) -> bool:
        """Whether a line continues the open text."""
        before = flow.line
        if abs(line.size - before.size) > 0.08 * before.size:
            return False
        ended = bool(_SENTENCE_END.search(before.text))
        if (before.page, before.column) != (line.page, line.column):
            return not ended and (line.text[:1].islower() or before.text.endswith("-") or _is_wide(line.text[0]))
        gap = line.y - before.y
        if not 0 < gap <= 1.25 * self._style.leading(line):
            return False
        room = _had_room(before, line, flow.right)
        if flow.item is not None:
            hangs = abs(line.x0 - flow.first.inner) < 0.6 * line.size
            return hangs or not (room or line.x0 > before.x0 + 0.8 * line.size)
        centred = abs((line.x0 + line.x1) - (before.x0 + before.x1)) < line.size
        if line.x0 > before.x0 + 0.8 * line.size and not centred:
            return not room and not ended  # hanging; or else the first line of a paragraph, set in
        return before.leads or not (room and ended)

    def _close_flow(self) -> None:
        flow, self._flow = self._flow, None
        if flow is None:
            return
        start = len(self._out)
        if flow.item is None:
            self._out.paragraph(flow.text)
        else:
            while self._list and self._list[-1] > flow.first.x0 - 0.5 * flow.first.size:
                self._list.pop()
            self._out.item(len(self._list), flow.item.mark, flow.text)
            self._list.append(flow.first.x0)
        written = len(self._out) - start - 1
        for offset, page in flow.turns:  # counted from the end, before which alone something is put
            self._begins.setdefault(page, max(start, start + written - (len(flow.text) - offset)))

    def _joined(self, text: str, more: str) -> str:
        """A text and its next line, a word that was broken between them made whole."""
        found = _LAST_WORD.search(text, max(0, len(text) - 60))
        if found and (tail := _WORD.match(more)) and tail[0][0].islower():
            head = found[0][:-1]
            kept = f"{head}-{tail[0]}".casefold() in self._words and f"{head}{tail[0]}".casefold() not in self._words
            return (text if kept else text[:-1]) + more
        if text.endswith("-") and not text.endswith(" -"):
            return text + more
        return text + ("" if _is_wide(text[-1]) and _is_wide(more[0]) else " ") + more


def _had_room(before: Line, line: Line, right: float) -> bool:
    """Whether the next line's first word would have fitted on a line, which so was ended on purpose."""
    return before.x1 + 0.3 * line.size + line.first < right - 0.5 * line.size


def _is_wide(char: str) -> bool:
    """Whether a character is of a script that puts no blanks between words."""
    return "\u2e80" <= char < "\uac00" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


def _vocabulary(items: Iterable[Line | Grid]) -> set[str]:
    """The words within the lines of a document, in small letters: which of them have a hyphen of their own."""
    return {
        word.casefold()
        for item in items
        if isinstance(item, Line)
        for word in _WORD.findall(item.text)
        if len(word) > 2
    }


def _columns_kept(lines: Sequence[Line]) -> str:
    """Lines of equally wide letters with their indentation and gaps as blanks."""
    longest = max(lines, key=lambda one: len(one.cells[0].text))
    width = (longest.cells[0].x1 - longest.cells[0].x0) / len(longest.cells[0].text) or longest.size / 2
    margin = min(line.x0 for line in lines)
    rows: list[str] = []
    before: Line | None = None
    for line in lines:
        if before is not None and before.page == line.page and line.y - before.y > 1.7 * 1.2 * line.size:
            rows.append("")
        text = ""
        for cell in line.cells:
            place = round((cell.x0 - margin) / width)
            text += " " * max(1 if text else 0, min(place, 400) - len(text)) + cell.text
        rows.append(text)
        before = line
    return "\n".join(rows)
