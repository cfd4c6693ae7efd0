"""Word documents (``.docx``), by way of Markdown.

Headings come from styles and outline levels, lists from the numbering. Footnotes and endnotes stand in brackets
where they are referred to. Merged cells are repeated in every place that they cover.
"""

from __future__ import annotations

import re

from drawwell.text.blocks import Parsed
from drawwell.text.formats.docx_styles import WORD, Label, Numbering, Styles, number_of
from drawwell.text.formats.docx_text import Line, LineReader, blocks_of
from drawwell.text.formats.drawing import write_graphics
from drawwell.text.formats.ooxml import Element, Kind, Package
from drawwell.text.formats.rendition import Rendition

__all__ = ["parse"]

_KIND = Kind("document", "word/document.xml")
_MARK = re.compile(r"\d{1,9}[.)]")  # what Markdown knows as the number of an item
_MAX_COLUMNS = 63  # Word's own limit


def parse(data: bytes) -> Parsed:
    """Parses one Word document.

    Raises:
        UnreadableFile: it is none, is damaged or protected, or goes beyond a bound.
    """
    return _Reader(Package(data, _KIND)).parsed()


class _Reader:
    """A document being read, paragraph by paragraph: their numbers depend on those before."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._styles = Styles(package.optional("styles"))
        self._numbering = Numbering(package.optional("numbering"))
        notes = {kind: package.optional(f"{kind}s") for kind in ("footnote", "endnote")}
        self._lines = LineReader(self._styles, notes)
        self._out = Rendition()
        self._title = ""
        self._carried = ""  # text of paragraphs whose end was deleted: it goes on in the next one

    def parsed(self) -> Parsed:
        """The whole document."""
        body = self._package.root.find(f"{WORD}body")
        if body is not None:
            self._blocks(body)
        self._out.paragraph(self._carried)
        properties = self._package.properties()
        return self._out.parsed(properties, self._title or str(properties.get("title", "")))

    def _blocks(self, parent: Element) -> None:
        for one in blocks_of(parent):
            if one.tag == f"{WORD}p":
                self._paragraph(one)
            elif one.tag == f"{WORD}tbl":
                rows = self._rows(one)
                if any(any(row) for row in rows):
                    self._out.table(rows, max(map(len, rows)))

    def _paragraph(self, paragraph: Element) -> None:
        line = self._lines.read(paragraph)
        line.text, self._carried = self._carried + line.text, ""
        if _end_is_deleted(paragraph):
            self._carried = line.text
        else:
            self._write(paragraph, line.text)
        for box in line.boxes:
            self._blocks(box)
        for graphic in line.graphics:
            write_graphics(self._out, self._package, self._package.main, graphic)

    def _write(self, paragraph: Element, text: str) -> None:
        style = _style_of(paragraph)
        level = self._level(paragraph, style)
        label = self._label(paragraph, style)
        if level:
            if self._styles.is_title(style):
                self._title = self._title or " ".join(text.split())
            self._out.heading(level, f"{label.text} {text}" if label and text.strip() else text)
        elif label:
            mark = label.text if _MARK.fullmatch(label.text) else "-"
            body = f"{label.text} {text}" if label.text and mark == "-" and text.strip() else text
            self._out.item(label.depth, mark, body)
        else:
            self._out.paragraph(text)

    def _level(self, paragraph: Element, style: str) -> int:
        """Level of a heading, 0 for other paragraphs; what the paragraph itself says is above its style."""
        own = paragraph.find(f"{WORD}pPr/{WORD}outlineLvl")
        if own is not None and own.get(f"{WORD}val", "") in tuple("0123456789"):
            level = int(own.get(f"{WORD}val", ""))
            return level + 1 if level < 9 else 0
        return self._styles.level(style)

    def _label(self, paragraph: Element, style: str) -> Label | None:
        number = number_of(paragraph.find(f"{WORD}pPr")) or self._styles.number(style)
        label = self._numbering.label(number) if number else None
        depth = self._styles.list_depth(style)  # of "List Bullet 2", whose numbering may know one level only
        if depth is None or (number and not label):
            return label
        return Label(max(depth, label.depth), label.text) if label else Label(depth, "")

    def _rows(self, table: Element) -> list[list[str]]:
        """The cells of a table, spans expanded."""
        rows: list[list[str]] = []
        for row in blocks_of(table):
            if row.tag != f"{WORD}tr" or row.find(f"{WORD}trPr/{WORD}del") is not None:
                continue
            before = _value(row.find(f"{WORD}trPr/{WORD}gridBefore"), 0)
            cells = [""] * min(before, _MAX_COLUMNS)
            above = rows[-1] if rows else []
            found = [one for one in blocks_of(row) if one.tag == f"{WORD}tc"]
            for one in found:
                merge = one.find(f"{WORD}tcPr/{WORD}vMerge")
                span = max(1, min(_value(one.find(f"{WORD}tcPr/{WORD}gridSpan"), 1), _MAX_COLUMNS))
                if merge is not None and merge.get(f"{WORD}val", "continue") == "continue":
                    text = above[len(cells)] if len(cells) < len(above) else ""
                else:
                    text = self._cell(one)
                # A cell as wide as the table is a title over its rows: once is enough.
                cells += [text, *[""] * (span - 1)] if len(found) == 1 else [text] * span
            rows.append(cells)
        return rows

    def _cell(self, cell: Element) -> str:
        """The text of a cell: its paragraphs as lines, a table in it as a line for each row."""
        lines: list[str] = []
        for one in blocks_of(cell):
            if one.tag == f"{WORD}tbl":
                lines += ["; ".join(filter(None, row)) for row in self._rows(one)]
            elif one.tag == f"{WORD}p":
                line = self._lines.read(one)
                label = self._label(one, _style_of(one))
                if label and line.text.strip():
                    line.text = f"{label.text or '-'} {line.text}"
                lines += [line.text, *self._boxed(line)]
        return "\n".join(lines)

    def _boxed(self, line: Line) -> list[str]:
        return [self._cell(box) for box in line.boxes]


def _style_of(paragraph: Element) -> str:
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    return style.get(f"{WORD}val", "") if style is not None else ""


def _end_is_deleted(paragraph: Element) -> bool:
    """Whether a tracked change took away the end of a paragraph, which joins it to the next."""
    mark = paragraph.find(f"{WORD}pPr/{WORD}rPr")
    return mark is not None and any(mark.find(f"{WORD}{name}") is not None for name in ("del", "moveFrom"))


def _value(element: Element | None, default: int) -> int:
    text = element.get(f"{WORD}val", "") if element is not None else ""
    return int(text) if text.isdecimal() and len(text) < 10 else default
