"""Writing Markdown: the source that a document of a converted format (Office, PDF) gets.

Only what would otherwise become structure is escaped: the words of the document stay as they are, so that they are
found as they were written. Headings are known by their plain text, whatever Markdown makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.markdown import markdown_blocks

__all__ = ["Rendition", "cell", "escaped", "row"]

_STRUCTURE = re.compile(  # what may not stand at the start of a line of running text
    r"(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|=+\s*$|={3}|-+\s*$|(?:\*\s*){3,}$|(?:_\s*){3,}$|<[A-Za-z/!?]|\||:?-[\s|:-]*$"
    r"|\[[^\]]*\]:|\$\$|!!!|\?\?\?|/{3}|:{3})"
    r"|(?P<number>\d{1,9})(?=[.)](?:\s|$))"
)
_TICKS = re.compile(r"`{3,}")
_NUMBER_MARK = re.compile(r"\d{1,9}[.)]")
_MAX_DEPTH = 9  # of lists; what is deeper stands at this depth


class Rendition:
    """A document being written as Markdown."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._headings: list[str] = []
        self._blocks: list[Block] = []
        self._columns: list[tuple[int, str]] = []  # of the open list: where the text of each level begins, its mark

    def __len__(self) -> int:
        """Code points written so far."""
        return self._size

    def heading(self, level: int, text: str) -> None:
        """A heading of level 1 to 6; nothing when there is no text."""
        line = " ".join(text.split())
        if line:
            self._headings.append(line)
            self._add(Block("heading", self._block(f"{'#' * min(level, 6)} {line}\n"), min(level, 6), line))

    def paragraph(self, text: str) -> None:
        """Running text; its lines are kept."""
        body = escaped(text)
        if body:
            self._add(Block("paragraph", self._block(f"{body}\n")))

    def code(self, text: str) -> None:
        """Lines that are kept as they are, in a fence."""
        if text.strip():
            longest = max((len(run) for run in _TICKS.findall(text)), default=0)
            fence = "`" * max(3, longest + 1)
            self._add(Block("code", self._block(f"{fence}\n{text}\n{fence}\n")))

    def note(self, label: str, text: str) -> None:
        """Text beside the text, such as a speaker's notes: a block quote under its label."""
        body = escaped(text)
        if body:
            lines = f"{label}: {body}".split("\n")
            self._add(Block("container", self._block("".join(f"> {line}\n" for line in lines))))

    def item(self, depth: int, mark: str, text: str) -> None:
        """An item of a list.

        Args:
            depth: 0 for the outermost level.
            mark: ``-``, or a number with its dot or bracket.
            text: what it says; its lines are kept.
        """
        body = escaped(text)
        if not body:
            return
        kind = "1" + mark[-1] if _NUMBER_MARK.fullmatch(mark) else "-"
        depth = min(depth, len(self._columns), _MAX_DEPTH)
        continues = len(self._columns) > depth and self._columns[depth][1] == kind
        del self._columns[depth:]
        indent = self._columns[-1][0] if self._columns else 0
        # A list that begins with another number than 1 does not end a paragraph, unless a blank line does.
        blank = not self._columns and not continues
        if kind != "-" and not continues and int(mark[:-1]) != 1:
            blank = True
        inner = indent + len(mark) + 1
        lines = body.replace("\n", "\n" + " " * inner)
        self._put(("\n" if blank and self._size else "") + f"{' ' * indent}{mark} {lines}\n")
        self._columns.append((inner, kind))

    def table(self, rows: Iterable[Sequence[str]], width: int) -> None:
        """A table, its first row the header. Cells are plain text; short rows are filled up to ``width``."""
        lines = (row([*map(cell, one), *[""] * (width - len(one))]) for one in rows)
        self.table_lines(lines, width)

    def table_lines(self, lines: Iterable[str], width: int) -> None:
        """The same of rows as ``row`` gives them, taken one by one."""
        start = end = header_end = 0
        rows: list[Block] = []
        for line in lines:
            if rows:
                start = self._size
                self._put(line)
            else:
                span = self._block(line)
                start = span.start
                self._put("|" + "---|" * width + "\n")
                header_end = self._size
            end = start + len(line)
            rows.append(Block("row", Span(start, end)))
        if rows:
            span = Span(rows[0].span.start, self._size)
            self._add(Block("table", span, children=tuple(rows), header_end=header_end))

    def parsed(self, metadata: Mapping[str, Any], title: str = "", warnings: Sequence[str] = ()) -> Parsed:
        """The document.

        Args:
            metadata: what it says about itself; dropped when there is nothing else in it.
            title: the title that it declares.
            warnings: what was lost or doubtful.
        """
        source = "".join(self._pieces)
        blocks, _ = markdown_blocks(source)
        if sum(one.kind == "heading" for one in blocks) == len(self._headings):
            texts = iter(self._headings)
            blocks = tuple(one._replace(text=next(texts)) if one.kind == "heading" else one for one in blocks)
        return Parsed(source, blocks, metadata=metadata if source else {}, title=title, warnings=tuple(warnings))

    def parsed_as_written(self, metadata: Mapping[str, Any], title: str = "", warnings: Sequence[str] = ()) -> Parsed:
        """The same without reading the Markdown again, for very large tables; it may hold no lists and notes."""
        source = "".join(self._pieces)
        self._pieces.clear()
        blocks = tuple(self._blocks)
        return Parsed(source, blocks, metadata=metadata if source else {}, title=title, warnings=tuple(warnings))

    def _add(self, block: Block) -> None:
        self._blocks.append(block)

    def _block(self, text: str) -> Span:
        """Write a block after a blank line; where it stands."""
        self._columns.clear()
        if self._size:
            self._put("\n")
        start = self._size
        self._put(text)
        return Span(start, self._size)

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._size += len(text)


def escaped(text: str) -> str:
    """Running text whose lines cannot be taken for anything else. Blank lines, and spaces around lines, are dropped."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join(_line(line) for line in lines if line)


def _line(line: str) -> str:
    found = _STRUCTURE.match(line)
    if not found:
        return line
    number = found["number"] or ""
    return f"{number}\\{line[len(number) :]}"


def cell(text: str) -> str:
    """The text of a table's cell on one line; its lines are joined by ``<br>``."""
    if "\n" in text:
        text = "<br>".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
    else:
        text = " ".join(text.split())
    return text.replace("|", "\\|") if "|" in text else text


def row(cells: Sequence[str]) -> str:
    """One line of a table from cells that ``cell`` has made fit."""
    return f"| {' | '.join(cells)} |\n"
