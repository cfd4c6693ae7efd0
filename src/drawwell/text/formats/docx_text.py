"""The running text of a Word document as its reader sees it: changes accepted, hidden text and comments left out.

Source: ECMA-376, part 1, 17.3 (runs), 17.11 (notes), 17.13 (changes).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from drawwell.text.formats.docx_styles import WORD, Styles, toggle
from drawwell.text.formats.ooxml import MC, Element, alternative

__all__ = ["Line", "LineReader", "blocks_of"]

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def _words(names: str) -> frozenset[str]:
    return frozenset(f"{WORD}{name}" for name in names.split())


# Deletions and the sources of moves are not among them, nor are comments and the codes of fields.
_THROUGH = _words("hyperlink ins moveTo smartTag sdt sdtContent fldSimple customXml bdo dir ruby rubyBase")
_AS_TEXT = {
    f"{WORD}tab": " ",
    f"{WORD}ptab": " ",
    f"{WORD}br": "\n",
    f"{WORD}cr": "\n",
    f"{WORD}noBreakHyphen": "-",
}
_GRAPHICS = _words("drawing pict object")
_BLOCKS = _words("p tbl tr tc")
_MATHS = frozenset({f"{_MATH}oMath", f"{_MATH}oMathPara"})
_NOTES = {f"{WORD}footnoteReference": "footnote", f"{WORD}endnoteReference": "endnote"}
_PRIVATE = range(0xE000, 0xF900)  # code points of symbol fonts, which mean nothing elsewhere


@dataclass(slots=True)
class Line:
    """A paragraph's text and what is anchored in it.

    Attributes:
        text: the text; line breaks are line feeds.
        boxes: contents of its text boxes.
        graphics: drawings, which may hold charts and diagrams.
    """

    text: str = ""
    boxes: list[Element] = field(default_factory=list)
    graphics: list[Element] = field(default_factory=list)


class LineReader:
    """Reads paragraphs.

    Args:
        styles: the document's styles.
        notes: roots of its parts of footnotes and endnotes, by ``footnote`` and ``endnote``.
    """

    def __init__(self, styles: Styles, notes: dict[str, Element | None]) -> None:
        self._styles = styles
        self._notes: dict[tuple[str, str], str] = {}
        texts = {}
        for kind, root in notes.items():
            for note in root.iterfind(f"{WORD}{kind}") if root is not None else ():
                lines = (self.read(one).text for one in blocks_of(note) if one.tag == f"{WORD}p")
                texts[kind, note.get(f"{WORD}id", "")] = " ".join(" ".join(lines).split())
        self._notes = texts

    def read(self, paragraph: Element) -> Line:
        """The text of a paragraph."""
        line = Line()
        pieces: list[str] = []
        waiting = list(reversed(paragraph))
        while waiting:
            one = waiting.pop()
            tag = one.tag
            if tag == f"{WORD}t":
                pieces.append(one.text or "")
            elif tag == f"{WORD}r":
                if not self._hidden(one):
                    waiting.extend(reversed(one))
            elif tag in _THROUGH:
                waiting.extend(reversed(one))
            elif tag in _AS_TEXT:
                pieces.append(_AS_TEXT[str(tag)])
            elif tag == f"{MC}AlternateContent":
                waiting.extend(reversed(_children(alternative(one))))
            elif tag in _GRAPHICS:
                _look_into(one, line)
            elif tag in _NOTES:
                kind = _NOTES[str(tag)]
                text = self._notes.get((kind, one.get(f"{WORD}id", "")))
                pieces.append(f" ({kind}: {text})" if text else "")
            elif tag in _MATHS:
                pieces.extend(part.text or "" for part in one.iter(f"{_MATH}t"))
            elif tag == f"{WORD}sym":
                pieces.append(_symbol(one.get(f"{WORD}char", "")))
        line.text = "".join(pieces)
        return line

    def _hidden(self, run: Element) -> bool:
        properties = run.find(f"{WORD}rPr")
        if properties is None:
            return False
        own = toggle(properties, "vanish")
        if own is not None:
            return own
        style = properties.find(f"{WORD}rStyle")
        return style is not None and self._styles.vanishes(style.get(f"{WORD}val", ""))


def blocks_of(parent: Element) -> Iterator[Element]:
    """Paragraphs, tables, rows or cells directly in an element or in what only wraps them, in order."""
    waiting = list(reversed(parent))
    while waiting:
        one = waiting.pop()
        if one.tag in _BLOCKS:
            yield one
        elif one.tag in _THROUGH:
            waiting.extend(reversed(one))
        elif one.tag == f"{MC}AlternateContent":
            waiting.extend(reversed(_children(alternative(one))))


def _look_into(graphic: Element, line: Line) -> None:
    """Note a drawing and the text boxes in it; what is in a box is read with the box."""
    line.graphics.append(graphic)
    waiting = [graphic]
    while waiting:
        one = waiting.pop()
        if one.tag == f"{WORD}txbxContent":
            line.boxes.append(one)
        elif one.tag == f"{MC}AlternateContent":
            waiting.extend(reversed(_children(alternative(one))))
        else:
            waiting.extend(reversed(one))


def _children(element: Element | None) -> list[Element]:
    return [] if element is None else list(element)


def _symbol(code: str) -> str:
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    char = chr(number) if number <= sys.maxunicode else ""
    return char if char.isprintable() and number not in _PRIVATE else ""
