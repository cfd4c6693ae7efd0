"""The cells of a worksheet, row by row as they are read: memory does not grow with the sheet.

Source: ECMA-376, part 1, 18.3 (worksheets) and 18.4 (shared strings). The parser is expat, which reads cells in two
thirds of the time that lxml's takes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from drawwell.errors import UnreadableFile
from drawwell.text.formats.number_format import Formatter, general
from drawwell.text.formats.rendition import cell
from drawwell.text.formats.sheet_merges import MOST_MERGES, Merge, column_of, merge_of
from drawwell.text.formats.zip_guard import EntryStream

__all__ = ["Row", "SheetReader", "read_strings"]

_CHUNK = 1 << 16
_MAX_COLUMNS = 16_384
_CODED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MIDNIGHT = "T00:00:00"
_INTEGER_DIGITS = 15


@dataclass(slots=True)
class Row:
    """The filled cells of a row, from left to right.

    Attributes:
        columns: their columns, from 0.
        texts: what they show, fit for a Markdown table.
        worded: whether each holds text, not a number, date or truth value.
        number: of the row, from 1.
    """

    columns: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    worded: list[bool] = field(default_factory=list)
    number: int = 0

    def sort(self) -> None:
        """Put cells that were written out of order in order; of two in one column the later one counts."""
        last = {column: at for at, column in enumerate(self.columns)}
        order = [last[column] for column in sorted(last)]
        self.columns = [self.columns[at] for at in order]
        self.texts = [self.texts[at] for at in order]
        self.worded = [self.worded[at] for at in order]


class _Events:
    """An expat parser that knows elements by their local names and refuses document types."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._root
        self._text: list[str] = []
        self._keep = self._text.append

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        raise NotImplementedError

    def end(self, name: str) -> None:
        """An element ends."""
        raise NotImplementedError

    def feed(self, stream: EntryStream) -> Iterator[None]:
        """Read a stream piece by piece."""
        try:
            while chunk := stream.read(_CHUNK):
                self._parser.Parse(chunk, False)
                yield
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise UnreadableFile(f"is damaged: its part {self._name} is not well-formed XML ({error})") from error
        yield

    def capture(self) -> None:
        """Keep the text that follows."""
        self._text.clear()
        self._parser.CharacterDataHandler = self._keep

    def captured(self) -> str:
        """The text kept, and no more of it."""
        self._parser.CharacterDataHandler = None
        return self._text[0] if len(self._text) == 1 else "".join(self._text)

    def _root(self, name: str, _: dict[str, str]) -> None:
        prefix = name.rpartition(":")[0]
        start: Callable[[str, dict[str, str]], None] = self.start
        end: Callable[[str], None] = self.end
        if prefix:
            start, end = self._prefixed_start, self._prefixed_end
        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end

    def _prefixed_start(self, name: str, attributes: dict[str, str]) -> None:
        self.start(name.rpartition(":")[2], attributes)

    def _prefixed_end(self, name: str) -> None:
        self.end(name.rpartition(":")[2])

    def _refuse(self, *_: object) -> None:
        raise UnreadableFile(f"its part {self._name} declares a document type, which Office files never do")


class _Strings(_Events):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.found: list[str] = []
        self._runs: list[str] = []
        self._phonetic = False

    def start(self, name: str, _: dict[str, str]) -> None:
        if name == "t" and not self._phonetic:
            self.capture()
        elif name == "rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        if name == "t" and not self._phonetic:
            self._runs.append(self.captured())
        elif name == "rPh":
            self._phonetic = False
        elif name == "si":
            self.found.append(_plain("".join(self._runs)))
            self._runs.clear()


def read_strings(stream: EntryStream, name: str) -> list[str]:
    """The shared strings of a workbook, fit for a Markdown table, without the readings of East Asian words.

    Raises:
        UnreadableFile: the part is damaged.
    """
    strings = _Strings(name)
    for _ in strings.feed(stream):
        pass
    return strings.found


class SheetReader(_Events):
    """Reads one sheet.

    Args:
        name: of its part.
        strings: the workbook's shared strings.
        formats: what shows the numbers of each cell style; None for the general format.

    Attributes:
        merges: the merged cells; they are known once all rows are read.
    """

    def __init__(self, name: str, strings: Sequence[str], formats: Sequence[Formatter | None]) -> None:
        super().__init__(name)
        self._strings = strings
        self._formats = {str(style): shows for style, shows in enumerate(formats) if shows is not None}
        self._letters: dict[str, int] = {}
        self._shared: dict[str, str] = {}  # number of a shared formula -> the cell that has its text
        self._rows: list[Row] = []
        self._row = Row()
        self._line = 0
        self.merges: list[Merge] = []
        self._last = -1  # column of the cell before
        self._sorted = True
        self._phonetic = False
        self._open = False  # a cell is open
        self._reference = self._kind = self._style = ""
        self._value = self._formula = ""

    def rows(self, stream: EntryStream) -> Iterator[Row]:
        """The rows that hold anything.

        Raises:
            UnreadableFile: the part is damaged.
        """
        for _ in self.feed(stream):
            yield from self._rows
            self._rows.clear()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Cells begin, and what is in them."""
        if name == "c":
            get = attributes.get
            self._open = True
            self._reference, self._kind, self._style = get("r", ""), get("t", "n"), get("s", "")
            self._value = self._formula = ""
        elif not self._open:
            if name == "row":
                number = attributes.get("r", "")
                self._line = int(number) if number.isdecimal() and len(number) < 10 else self._line + 1
            elif (
                name == "mergeCell"
                and len(self.merges) < MOST_MERGES
                and (merge := merge_of(attributes.get("ref", "")))
            ):
                self.merges.append(merge)
        elif name == "v":  # inlined, for there are millions
            self._text.clear()
            self._parser.CharacterDataHandler = self._keep
        elif name == "t" and not self._phonetic:
            self.capture()
        elif name == "f":
            self._formula = self._shared_formula(attributes)
            self.capture()
        elif name == "rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        """Cells and rows end."""
        if name == "v":
            self._parser.CharacterDataHandler = None
            pieces = self._text
            self._value = pieces[0] if len(pieces) == 1 else "".join(pieces)
        elif name == "c":
            self._open = False
            if self._value or self._formula:
                self._cell()
            else:
                self._column()
        elif name == "row":
            if not self._sorted:
                self._row.sort()
            if self._row.columns:
                self._row.number = self._line
                self._rows.append(self._row)
                self._row = Row()
            self._last, self._sorted = -1, True
        elif name == "t" and self._open and not self._phonetic:
            self._value += self.captured()
        elif name == "f" and self._open:
            text = self.captured()
            self._formula = f"={text}" if text else self._formula
        elif name == "rPh":
            self._phonetic = False

    def _shared_formula(self, attributes: dict[str, str]) -> str:
        """What stands for a formula whose text is kept with another cell."""
        key = attributes.get("si", "")
        if attributes.get("t") != "shared" or not key:
            return ""
        owner = self._shared.setdefault(key, self._reference)
        return f"(formula as in {owner})" if owner and owner != self._reference else ""

    def _cell(self) -> None:
        column = self._column()
        worded = False
        if self._kind == "n" and self._value:
            text = self._number(self._value)
        else:
            text, worded = self._shown()
        if not text:
            return
        row = self._row
        if row.columns and column <= row.columns[-1]:
            self._sorted = False
        row.columns.append(column)
        row.texts.append(text)
        row.worded.append(worded)

    def _column(self) -> int:
        """The cell's column; without a reference, the one after the cell before."""
        letters = self._reference.rstrip("0123456789")
        column = self._letters.get(letters)
        if column is None:
            column = self._letters[letters] = _column_of(letters)
        if column < 0:
            column = min(self._last + 1, _MAX_COLUMNS - 1)
        self._last = column
        return column

    def _shown(self) -> tuple[str, bool]:
        """What the cell shows, and whether it is text."""
        value, kind = self._value, self._kind
        if not value:
            return (cell(self._formula), True) if self._formula else ("", False)
        if kind == "s":
            at = int(value) if value.isdecimal() and len(value) < 10 else -1
            return (self._strings[at], True) if 0 <= at < len(self._strings) else ("", False)
        if kind == "b":
            return ("TRUE" if value.strip() in ("1", "true") else "FALSE"), False
        if kind == "d":
            return cell(value.removesuffix("Z").removesuffix(_MIDNIGHT).replace("T", " ")), False
        return _plain(value), kind != "e"

    def _number(self, text: str) -> str:
        shows = self._formats.get(self._style)
        if shows is None and len(text) <= _INTEGER_DIGITS and text.isdecimal():
            return text
        try:
            value = float(text)
        except ValueError:
            return cell(text)
        if not math.isfinite(value):
            return cell(text)
        return (shows or general)(value)


def _plain(text: str) -> str:
    """Text of a cell, its coded characters decoded, fit for a table."""
    return cell(_CODED.sub(_decoded, text) if "_x" in text else text)


def _decoded(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    if char in "\t\n\r":
        return "\n" if char == "\r" else char
    return char if char.isprintable() else ""


def _column_of(letters: str) -> int:
    """The number of a column from 0; -1 when it is none."""
    if not letters or len(letters) > 3 or not letters.isascii() or not letters.isalpha():
        return -1
    number = column_of(letters)
    return number if number < _MAX_COLUMNS else -1
