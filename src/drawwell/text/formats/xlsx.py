"""Excel workbooks (``.xlsx``), by way of Markdown: a heading for each sheet, and a table for each of its tables.

The header is the first row that reads like one; rows above it are titles. Empty columns and blank rows are left out.
Cells show what Excel shows, dates in ISO 8601. A merged cell is said in each of its cells, a header of two levels is
one row.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, pairwise
from operator import itemgetter

from drawwell.text.blocks import Parsed
from drawwell.text.formats.number_format import BUILT_IN, Formatter, formatter
from drawwell.text.formats.ooxml import RELATION, Kind, Package
from drawwell.text.formats.rendition import Rendition, row
from drawwell.text.formats.sheet import Row, SheetReader, read_strings
from drawwell.text.formats.sheet_merges import Merges

__all__ = ["parse"]

_KIND = Kind("workbook", "xl/workbook.xml")
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MAX_CHARS = 60_000_000
"""Code points of a workbook's rendition. What is beyond is left out, which is reported."""
_HEAD = 50  # rows that are looked at to find the header
_HEADER_WITHIN = 20
_AHEAD = 10  # rows after a header that tell how wide the table is
_FILLED = 0.7  # of the widest of them, for a row to be a header
_PERIOD = re.compile(r"(?:19|20|21)\d\d(?:-\d\d(?:-\d\d)?)?")  # years and dates, which head columns too


def parse(data: bytes) -> Parsed:
    """Parses one workbook.

    Raises:
        UnreadableFile: it is none, is damaged or protected, or goes beyond a bound.
    """
    return _Reader(Package(data, _KIND)).parsed()


class _Reader:
    """A workbook being read, sheet by sheet."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._out = Rendition()
        self._warnings: list[str] = []

    def parsed(self) -> Parsed:
        """All sheets, in the order of the workbook."""
        package = self._package
        strings = [
            text
            for name in package.related(package.main, "sharedStrings")[:1]
            for text in read_strings(package.stream(name), name)
        ]
        formats = self._formats()
        for sheet in package.root.iterfind(f"{_SHEET}sheets/{_SHEET}sheet"):
            title = " ".join(sheet.get("name", "").split()) or "Sheet"
            part = package.target(package.main, sheet.get(f"{RELATION}id"))
            if not part:
                self._warnings.append(f"sheet {title!r} is missing from the file")
                continue
            hidden = sheet.get("state", "visible") != "visible"
            reader = SheetReader(part, strings, formats)
            with package.stream(part) as stream:
                self._sheet(title, f"{title} (hidden)" if hidden else title, reader, reader.rows(stream))
        properties = package.properties()
        return self._out.parsed_as_written(properties, str(properties.get("title", "")), self._warnings)

    def _formats(self) -> list[Formatter | None]:
        """What shows the numbers of each cell style; None for the general format."""
        root = self._package.optional("styles")
        if root is None:
            return []
        settings = self._package.root.find(f"{_SHEET}workbookPr")
        date1904 = settings is not None and settings.get("date1904") in ("1", "true", "on")
        codes = {str(number): code for number, code in BUILT_IN.items()}
        for own in root.iterfind(f"{_SHEET}numFmts/{_SHEET}numFmt"):
            codes[own.get("numFmtId", "")] = own.get("formatCode", "")
        made = {number: formatter(code, date1904=date1904) for number, code in codes.items() if code}
        return [made.get(style.get("numFmtId", "0")) for style in root.iterfind(f"{_SHEET}cellXfs/{_SHEET}xf")]

    def _sheet(self, title: str, heading: str, reader: SheetReader, rows: Iterator[Row]) -> None:
        """Write one sheet; nothing of a sheet without cells."""
        first = next(rows, None)
        if first is None:
            return
        if len(self._out) >= _MAX_CHARS:
            self._warnings.append(f"sheet {title!r} was left out: {_limit()}")
            return
        self._out.heading(2, heading)
        tables: list[tuple[list[Row], _Table]] = []
        size, known = len(self._out), 0
        for block in _blocks(chain([first], rows)):
            head = list(islice(block, _HEAD))
            rest = _Table(size)
            fits = rest.measure(head)
            complete = fits == len(head) and all(map(rest.take, block))
            tables.append((head[:fits], rest))
            size, known = rest.size, known + fits + rest.count
            if not complete:
                self._warnings.append(f"of sheet {title!r} only the first {known:,} rows were read: {_limit()}")
                break
        wide = {(one.top, one.left): one.right for one in reader.merges if one.top == one.bottom}
        merges = Merges(reader.merges, _MAX_CHARS - size) if reader.merges else None
        for head, rest in tables:
            self._table(_with_one_header(head, wide), rest, merges)

    def _table(self, head: list[Row], rest: _Table, merges: Merges | None) -> None:
        """Write one table of a sheet, after the rows above its header."""
        first, headed = _layout(head)
        for one in head[:first]:
            self._out.paragraph(_as_text(one))
        table = rest.after(head[first:])
        if table.width == 1 and not headed and table.count <= _HEAD:
            for text in table.single():
                self._out.paragraph(_unescaped(text))
        else:
            self._out.table_lines(table.lines(merges, headed=headed), table.width)


def _limit() -> str:
    return f"a workbook may take {_MAX_CHARS:,} characters"


class _Table:
    """The rows of a table, each packed into one string until all of its columns are known."""

    def __init__(self, before: int) -> None:
        self.size = before
        self._rows: deque[tuple[int, tuple[int, ...], str]] = deque()
        self._known: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._seen: set[int] = set()
        self._columns: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Rows in it."""
        return len(self._rows)

    @property
    def width(self) -> int:
        """Columns that hold anything."""
        return len(self._columns)

    def measure(self, head: Sequence[Row]) -> int:
        """Keep room for rows that are to come first; how many of them there is room for."""
        fit = next((at for at, one in enumerate(head) if not self.take(one)), len(head))
        self._rows.clear()
        return fit

    def take(self, one: Row) -> bool:
        """Add a row; whether there was room for it."""
        columns = tuple(one.columns)
        if columns not in self._known:
            self._known[columns] = columns
            self._seen.update(columns)
        packed = " | ".join(one.texts)
        self.size += len(packed) + 5 + 3 * (len(self._seen) - len(columns))
        if self.size > _MAX_CHARS:
            return False
        self._rows.append(self._packed(one, columns, packed))
        return True

    def after(self, head: Sequence[Row]) -> _Table:
        """The table with the rows in front that there was kept room for."""
        for one in reversed(head):
            self._rows.appendleft(self._packed(one, tuple(one.columns), " | ".join(one.texts)))
        self._columns = tuple(sorted({column for columns in {held[1] for held in self._rows} for column in columns}))
        return self

    def single(self) -> Iterator[str]:
        """The cells of a table of one column."""
        return (packed for _, _, packed in self._rows)

    def lines(self, merges: Merges | None, *, headed: bool) -> Iterator[str]:
        """The lines of the table, the header first: its own first row, or the letters of the columns."""
        used = self._columns
        places = {column: at for at, column in enumerate(used)}
        if not headed:
            yield row([_letters(column) for column in used])
        while self._rows:
            number, columns, packed = self._rows.popleft()
            if columns == used and merges is None:
                yield f"| {packed} |\n"
                continue
            texts = packed.split(" | ")
            again = merges.fill(number, columns, texts, used) if merges else {}
            cells = [""] * len(used)
            for column, text in chain(zip(columns, texts, strict=True), again.items()):
                cells[places[column]] = text
            yield row(cells)

    def _packed(self, one: Row, columns: tuple[int, ...], packed: str) -> tuple[int, tuple[int, ...], str]:
        return one.number, self._known.setdefault(columns, columns), packed


def _blocks(rows: Iterator[Row]) -> Iterator[Iterator[Row]]:
    """The tables of a sheet that stand below each other, parted by blank rows."""
    return ((one for _, one in block) for _, block in groupby(_numbered(rows), itemgetter(0)))


def _numbered(rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
    """The rows, each with the number of its table."""
    number, has_figures = 0, False
    ahead = deque(islice(rows, 2))
    last = ahead[0].number if ahead else 0
    while ahead:
        ahead.extend(islice(rows, 1))
        one = ahead.popleft()
        if has_figures and one.number > last + 1 and _begins_table([one, *ahead]):
            number, has_figures = number + 1, False
        has_figures = has_figures or not all(one.worded)
        last = one.number
        yield number, one


def _begins_table(rows: Sequence[Row]) -> bool:
    """Whether rows after a blank one are a header and a row with figures, perhaps below a title.

    Blank rows also part the groups of one table, which go on with rows like those before.
    """
    at = 1 if len(rows[0].columns) == 1 and rows[0].worded[0] else 0
    if len(rows) < at + 2:
        return False
    header, following = rows[at : at + 2]
    is_next = following.number == header.number + 1
    return is_next and len(header.columns) > 1 and _reads_as_header(header) and not all(following.worded)


def _with_one_header(head: list[Row], wide: Mapping[tuple[int, int], int]) -> list[Row]:
    """The first rows of a table, the first two that are a header of two levels as one.

    Args:
        head: the rows.
        wide: last column of cells that are merged within their row, by row and first column.
    """
    for at, (upper, lower) in enumerate(pairwise(head[: _HEADER_WITHIN + 1])):
        if _is_two_levels(upper, lower, wide):
            return [*head[:at], _joined(upper, lower, wide), *head[at + 2 :]]
    return head


def _is_two_levels(upper: Row, lower: Row, wide: Mapping[tuple[int, int], int]) -> bool:
    """Whether a row names groups of columns, by merged cells, that the next row names one by one."""
    if lower.number != upper.number + 1 or len(upper.columns) < 2:
        return False
    single = [column for column in upper.columns if (upper.number, column) not in wide]
    has_groups = len(single) < len(upper.columns)
    return has_groups and _reads_as_header(upper) and _reads_as_header(lower) and not {*single} & {*lower.columns}


def _joined(upper: Row, lower: Row, wide: Mapping[tuple[int, int], int]) -> Row:
    """Each column's name after that of its group."""
    groups = dict(zip(upper.columns, upper.texts, strict=True))
    names = dict(groups)
    for column, text in zip(lower.columns, lower.texts, strict=True):
        group = next((one for one in reversed(upper.columns) if one <= column), -1)
        inside = group >= 0 and wide.get((upper.number, group), group) >= column
        names[column] = f"{groups[group]} {text}" if inside else text
    columns = sorted(names)
    return Row(columns, [names[column] for column in columns], [True] * len(columns), lower.number)


def _layout(head: Sequence[Row]) -> tuple[int, bool]:
    """Where the table begins among the first rows of a sheet, and whether with a header."""
    for at, one in enumerate(head[:_HEADER_WITHIN]):
        filled = len(one.columns)
        following = max((len(other.columns) for other in head[at + 1 : at + 1 + _AHEAD]), default=0)
        if filled >= 2 and filled >= _FILLED * following:
            return at, _reads_as_header(one)
    return 0, False


def _reads_as_header(one: Row) -> bool:
    """Whether a row holds text, or text and periods such as years."""
    words = sum(one.worded)
    return words >= 1 and all(
        worded or _PERIOD.fullmatch(text) for worded, text in zip(one.worded, one.texts, strict=True)
    )


def _as_text(one: Row) -> str:
    """A row above the table in words: a title, or a name and its value."""
    texts = [_unescaped(text) for text in one.texts]
    return ": ".join(texts) if len(texts) == 2 else "; ".join(texts)


def _unescaped(text: str) -> str:
    return text.replace("\\|", "|").replace("<br>", "\n")


def _letters(column: int) -> str:
    """The name of a column: A, B, ... Z, AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
