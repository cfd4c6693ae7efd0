"""PDF documents, by way of Markdown: the source of a parsed PDF is its Markdown rendition.

Pages are read one by one (``pdf_source``), what comes back on them is taken off (``pdf_furniture``), words become
lines in reading order (``pdf_layout``) and tables (``pdf_tables``, ``pdf_aligned``), and lines become blocks by the
type that they are set in (``pdf_style``, ``pdf_writer``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from drawwell.errors import NoTextLayer, UnreadableFile
from drawwell.text.blocks import Parsed
from drawwell.text.formats.pdf_aligned import with_aligned
from drawwell.text.formats.pdf_bounds import check_streams
from drawwell.text.formats.pdf_furniture import without_furniture
from drawwell.text.formats.pdf_layout import Line, lay_out
from drawwell.text.formats.pdf_page import Page
from drawwell.text.formats.pdf_source import PAGE_CHARS, PdfSource
from drawwell.text.formats.pdf_style import Style, plain
from drawwell.text.formats.pdf_tables import Grid
from drawwell.text.formats.pdf_writer import Writer

__all__ = ["parse"]

_HEAD = 1024  # bytes in which the file says what it is
_MAX_PAGES = 20_000
_MAX_CHARS = 4_000_000
"""Characters of a file that are read, and one more for every two of its bytes: they take half of the time it may."""
_FEW = 0.1  # of the characters


def parse(data: bytes, password: str = "") -> Parsed:
    """Parses one PDF.

    Args:
        data: the file.
        password: opens a file that is locked with one.

    Raises:
        PasswordNeeded: it is locked, and ``password`` does not open it.
        NoTextLayer: its pages hold no text.
        UnreadableFile: it is damaged or no PDF, or it unfolds to more than is sane.
    """
    if b"%PDF-" not in data[:_HEAD]:
        raise UnreadableFile("is no PDF, whatever its name says")
    check_streams(data)
    source = PdfSource(data, password)
    try:
        return _Document(source, _MAX_CHARS + len(data) // 2).parsed()
    finally:
        source.close()


class _Document:
    def __init__(self, source: PdfSource, most: int) -> None:
        self._most = most
        self._source = source
        self._items: list[Line | Grid] = []
        self._read = self._empty = self._chars = self._unknown = 0
        self._cut: list[int] = []

    def parsed(self) -> Parsed:
        for page in without_furniture(self._pages()):
            self._items.extend(with_aligned(lay_out(page)))
        if not self._chars:
            raise self._nothing()
        style = Style([item for item in self._items if isinstance(item, Line)], self._source.bookmarks())
        writer = Writer(self._items, style)
        rendition, pages = writer.write(self._read)
        information = self._source.information()
        title = _title(information.get("title", ""), self._items, writer.headings)
        metadata = {**information, "pages": self._source.count}
        parsed = rendition.parsed(metadata, title, self._warnings())
        return replace(parsed, pages=pages)

    def _pages(self) -> Iterator[Page]:
        for page in self._source.pages(_MAX_PAGES):
            self._note(page)
            yield page
            if self._chars > self._most:
                return

    def _note(self, page: Page) -> None:
        self._read = page.number
        self._chars += page.chars
        self._unknown += page.unknown
        self._empty += not page.chars
        if page.cut:
            self._cut.append(page.number)

    def _nothing(self) -> UnreadableFile:
        count = self._source.count
        return NoTextLayer(count) if count else UnreadableFile("is damaged: it has no pages")

    def _warnings(self) -> list[str]:
        found = []
        if self._read < self._source.count:
            found.append(f"only the first {self._read:,} of {self._source.count:,} pages were read")
        if self._cut:
            found.append(f"only the first {PAGE_CHARS:,} characters were read of page {_numbers(self._cut)}")
        if self._empty:
            found.append(f"{self._empty:,} of {self._read:,} pages have no text layer (pictures, scans or blank)")
        if self._unknown > _FEW * self._chars:
            found.append(f"{self._unknown:,} of {self._chars:,} characters have no meaning in the file's fonts")
        return found


def _numbers(pages: list[int]) -> str:
    return ", ".join(map(str, pages[:5])) + (" ..." if len(pages) > 5 else "")


def _title(declared: str, items: list[Line | Grid], headings: list[tuple[int, int, str]]) -> str:
    """The title in the file's properties if its first page shows it, else the heading that the file begins with."""
    opening = plain("".join(item.text for item in items if isinstance(item, Line) and item.page == 1))
    if plain(declared) and plain(declared) in opening:
        return declared
    if not headings or not items or not isinstance(items[0], Line):
        return ""
    page, level, text = headings[0]
    begins = plain(text).startswith(plain(items[0].text))
    return text if page == 1 and level == 1 and begins else ""
