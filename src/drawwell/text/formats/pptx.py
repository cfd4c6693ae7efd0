"""PowerPoint presentations (``.pptx``), by way of Markdown: a heading for each slide, in the order of the show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drawwell.text.blocks import Parsed
from drawwell.text.formats.drawing import write_graphics
from drawwell.text.formats.ooxml import DRAWING, MC, RELATION, Element, Kind, Package, alternative, is_on
from drawwell.text.formats.rendition import Rendition

__all__ = ["parse"]

_KIND = Kind("presentation", "ppt/presentation.xml")
_SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})  # the same on every slide
_DECIMAL = re.compile(r"arabic(Period|ParenR|ParenBoth|Plain)")
_MAX_LEVEL = 8


def parse(data: bytes) -> Parsed:
    """Parses one presentation.

    Raises:
        UnreadableFile: it is none, is damaged or protected, or goes beyond a bound.
    """
    package = Package(data, _KIND)
    out = Rendition()
    warnings = []
    title = ""
    slides = package.root.iterfind(f"{_SLIDE}sldIdLst/{_SLIDE}sldId")
    for number, entry in enumerate(slides, 1):
        part = package.target(package.main, entry.get(f"{RELATION}id"))
        if not part:
            warnings.append(f"slide {number} is missing from the file")
            continue
        slide = _Slide(package, part)
        if number == 1 and slide.title:
            title = slide.title
            out.heading(1, title)
        slide.write(out, number)
    properties = package.properties()
    return out.parsed(properties, title or str(properties.get("title", "")), warnings)


class _Slide:
    """One slide."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._root = package.tree(part)
        self._shapes = list(_shapes(self._root))
        titles = (" ".join(_plain(shape).split()) for shape in self._shapes if _role(shape) in _TITLES)
        self.title = next(filter(None, titles), "")

    def write(self, out: Rendition, number: int) -> None:
        """Write its heading, its shapes and its notes."""
        heading = f"Slide {number}: {self.title}" if self.title else f"Slide {number}"
        out.heading(2, heading if is_on(self._root.get("show")) else f"{heading} (hidden)")
        titled = False
        for shape in self._shapes:
            role = _role(shape)
            if role in _TITLES and not titled:
                titled = bool(_plain(shape).strip())
            elif role not in _FURNITURE:
                self._shape(out, shape)
        for notes in self._package.related(self._part, "notesSlide")[:1]:
            bodies = (shape for shape in _shapes(self._package.tree(notes)) if _role(shape) == "body")
            out.note("Notes", "\n".join(map(_plain, bodies)))

    def _shape(self, out: Rendition, shape: Element) -> None:
        for table in shape.iter(f"{DRAWING}tbl"):
            rows = _rows(table)
            if any(any(row) for row in rows):
                out.table(rows, max(map(len, rows)))
        write_graphics(out, self._package, self._part, shape)
        body = shape.find(f"{_SLIDE}txBody")
        if body is None:
            return
        paragraphs = [(one, text) for one in body.iterfind(f"{DRAWING}p") if (text := _text(one)).strip()]
        if len(paragraphs) == 1:
            out.paragraph(paragraphs[0][1])
            return
        counts: dict[int, int] = {}
        for one, text in paragraphs:
            level, mark = _bullet(one, counts)
            out.item(level, mark, text)


def _shapes(root: Element) -> Iterator[Element]:
    """The shapes of a slide, those in groups too, in order."""
    tree = root.find(f"{_SLIDE}cSld/{_SLIDE}spTree")
    waiting = list(reversed(tree)) if tree is not None else []
    while waiting:
        one = waiting.pop()
        if one.tag == f"{_SLIDE}grpSp":
            waiting.extend(reversed(one))
        elif one.tag == f"{MC}AlternateContent":
            chosen = alternative(one)
            waiting.extend(reversed(chosen if chosen is not None else ()))
        elif one.tag in (f"{_SLIDE}sp", f"{_SLIDE}graphicFrame"):
            yield one


def _role(shape: Element) -> str:
    """What a placeholder is for; empty for other shapes."""
    found = next(shape.iter(f"{_SLIDE}ph"), None)
    return "" if found is None else found.get("type", "obj")


def _plain(shape: Element) -> str:
    return "\n".join(_text(one) for one in shape.iterfind(f"{_SLIDE}txBody/{DRAWING}p"))


def _text(paragraph: Element) -> str:
    """The text of a paragraph; line breaks are line feeds."""
    parts = paragraph.iter(f"{DRAWING}t", f"{DRAWING}br")
    return "".join("\n" if one.tag == f"{DRAWING}br" else one.text or "" for one in parts)


def _bullet(paragraph: Element, counts: dict[int, int]) -> tuple[int, str]:
    """Level and mark of a paragraph in a list; ``counts`` are the numbers that each level has come to."""
    properties = paragraph.find(f"{DRAWING}pPr")
    text = properties.get("lvl", "0") if properties is not None else "0"
    level = min(int(text), _MAX_LEVEL) if text.isdecimal() and len(text) < 4 else 0
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    numbered = properties.find(f"{DRAWING}buAutoNum") if properties is not None else None
    if numbered is None or not _DECIMAL.fullmatch(numbered.get("type", "")):
        counts.pop(level, None)
        return level, "-"
    start = numbered.get("startAt", "1")
    first = int(start) if start.isdecimal() and len(start) < 6 else 1
    counts[level] = counts[level] + 1 if level in counts else first
    return level, f"{counts[level]}{')' if 'Paren' in numbered.get('type', '') else '.'}"


def _rows(table: Element) -> list[list[str]]:
    """The cells of a table; merged cells are repeated in every place that they cover."""
    rows: list[list[str]] = []
    for row in table.iterfind(f"{DRAWING}tr"):
        cells: list[str] = []
        found = list(row.iterfind(f"{DRAWING}tc"))
        wide = found and found[0].get("gridSpan", "1") == str(len(found)) and len(found) > 1
        for at, cell in enumerate(found):
            if cell.get("vMerge") in ("1", "true") and rows and at < len(rows[-1]):
                cells.append(rows[-1][at])
            elif cell.get("hMerge") in ("1", "true") and cells:
                cells.append("" if wide else cells[-1])  # a cell as wide as the table is a title: once is enough
            else:
                cells.append("\n".join(_text(one) for one in cell.iterfind(f"{DRAWING}txBody/{DRAWING}p")))
        rows.append(cells)
    return rows
