"""What PDFium finds on the pages of a PDF: words with their place and true size, bookmarks, properties.

Only this module and ``pdf_drawing`` know PDFium.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from drawwell.errors import PasswordNeeded, UnreadableFile
from drawwell.text.formats.pdf_drawing import rules_of, turned
from drawwell.text.formats.pdf_page import Bookmark, Page, Word

__all__ = ["PAGE_CHARS", "PdfSource"]

PAGE_CHARS = 200_000
"""Characters of one page that are looked at."""
_TAIL = 2_048  # bytes in which the end of a file is marked
_BOOKMARKS = 10_000
_ANNOTATIONS = 1_000
_HYPHENS = frozenset((0x02, 0xAD, 0xFFFE))  # what PDFium makes of a hyphen at the end of a line, and the soft hyphen
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_WRONG_PASSWORD = 4
_TYPEWRITER = re.compile(rb"(?i)courier|mono(?!type)|consol|menlo|cmtt|typewriter|fixed")
_FIXED_PITCH = 1  # in the flags of a font


class PdfSource:
    """An open PDF.

    Args:
        data: the file.
        password: for a file that cannot be opened without.

    Raises:
        PasswordNeeded: it is locked, and the password is not the right one.
        UnreadableFile: PDFium cannot open it.
    """

    def __init__(self, data: bytes, password: str = "") -> None:
        try:
            self._document = pypdfium2.PdfDocument(data, password=password or None)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", 0) == _WRONG_PASSWORD:
                raise PasswordNeeded(given=bool(password)) from None
            raise UnreadableFile(_fault(data)) from error
        self._fonts: dict[int, bool] = {}
        self.count: int = len(self._document)

    def close(self) -> None:
        """Gives back what PDFium holds."""
        self._document.close()

    def information(self) -> dict[str, str]:
        """What the file says of itself: ``title``, ``author``, ``subject``, ``keywords``; those that are not empty."""
        found = self._document.get_metadata_dict(skip_empty=True)
        names = ("Title", "Author", "Subject", "Keywords")
        return {name.lower(): " ".join(_sound(found[name]).split()) for name in names if found.get(name, "").strip()}

    def bookmarks(self) -> list[Bookmark]:
        """The outline, in order; what is wrong in it ends it."""
        found: list[Bookmark] = []
        try:
            for entry in self._document.get_toc(max_depth=8):
                target = entry.get_dest()
                page = target.get_index() if target is not None else None
                found.append(Bookmark(_sound(entry.get_title()), int(entry.level), 0 if page is None else page + 1))
                if len(found) >= _BOOKMARKS:
                    break
        except (pypdfium2.PdfiumError, ValueError, TypeError):
            return found
        return found

    def pages(self, last: int) -> Iterator[Page]:
        """The pages from 1 to ``last``; one that PDFium cannot load is empty."""
        for number in range(1, min(last, self.count) + 1):
            yield self._loaded(number)

    def _loaded(self, number: int) -> Page:
        handle = pdfium.FPDF_LoadPage(self._document.raw, number - 1)
        if not handle:
            return Page(number)
        try:
            if _has_fields(handle):
                handle = self._flattened(handle, number)
            return self._page(handle, number)
        finally:
            pdfium.FPDF_ClosePage(handle)

    def _flattened(self, handle: Any, number: int) -> Any:
        """The page with what has been filled into its form as part of it."""
        done = pdfium.FPDFPage_Flatten(handle, pdfium.FLAT_NORMALDISPLAY)
        if done != pdfium.FLATTEN_SUCCESS:
            return handle
        again = pdfium.FPDF_LoadPage(self._document.raw, number - 1)
        if not again:
            return handle
        pdfium.FPDF_ClosePage(handle)
        return again

    def _page(self, handle: Any, number: int) -> Page:
        page = Page(number)
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(handle, box)
        text = pdfium.FPDFText_LoadPage(handle)
        by_turn: dict[int, list[Word]] = {}
        if text:
            try:
                by_turn = _Reader(text, self._fonts, page).words()
            finally:
                pdfium.FPDFText_ClosePage(text)
        main = max(by_turn, key=lambda turn: sum(len(word.text) for word in by_turn[turn]), default=0)
        for turn, words in by_turn.items():
            width, height = _settle(words, box, turn)
            if turn == main:
                page.words, page.width, page.height = words, width, height
            else:
                page.aside.extend(words)
        if page.words:
            page.rules = rules_of(handle, box, main)
        return page


def _fault(data: bytes) -> str:
    """Why PDFium cannot open a file, as far as it shows."""
    if b"%%EOF" not in data[-_TAIL:]:
        return "is truncated: the end of the PDF is missing"
    return "is damaged: it begins like a PDF and cannot be opened as one"


class _Reader:
    """Reads the characters of one page."""

    def __init__(self, text: Any, fonts: dict[int, bool], page: Page) -> None:
        self._text = text
        self._fonts = fonts
        self._page = page
        self._matrix = pdfium.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._place: int | None = None  # of the text object last looked at
        self._turn, self._size, self._mono = 0, 0.0, False

    def words(self) -> dict[int, list[Word]]:
        """The words by the quarter turns, counter-clockwise, of their text; -1 for text that stands aslant."""
        count = pdfium.FPDFText_CountChars(self._text)
        self._page.cut = count > PAGE_CHARS
        found: dict[int, list[Word]] = {}
        letters: list[int] = []
        box = pdfium.FS_RECTF()
        code_of, box_of, text = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox, self._text
        word: Word | None = None
        turn, blank = 0, True
        for index in range(min(count, PAGE_CHARS)):
            code = code_of(text, index)
            if code <= 32 and code not in _HYPHENS and code:  # a blank, or a line's end as PDFium sees it
                blank = True
                continue
            if code == 0xA0:
                blank = True
                continue
            box_of(text, index, box)
            if word is not None and not blank and _goes_on(word, box, turn):
                word.x1 = box.right if turn == 0 else max(word.x1, turned(box, turn)[1])
                letters.append(code)
                continue
            self._close(word, letters)
            letters = [code]
            turn, word = self._open(index, box, blank=blank)
            found.setdefault(turn, []).append(word)
            blank = False
        self._close(word, letters)
        return {turn: words for turn, words in found.items() if words}

    def _open(self, index: int, box: Any, *, blank: bool) -> tuple[int, Word]:
        thing = pdfium.FPDFText_GetTextObject(self._text, index)
        place = ctypes.cast(thing, ctypes.c_void_p).value if thing else None
        if place is None or place != self._place:  # what is said of one piece of text holds for all of its words
            self._place = place
            self._describe(thing, index)
        turn, size = self._turn, self._size
        if turn:
            pdfium.FPDFText_GetCharOrigin(self._text, index, self._x, self._y)
        x0, x1, top, bottom = turned(box, turn)
        y = (-self._y.value, self._x.value, self._y.value, -self._x.value, -self._y.value)[turn]
        return turn, Word("", x0, x1, y, top, bottom, size or bottom - top, self._mono, blank)

    def _describe(self, thing: Any, index: int) -> None:
        """Notes how the text object of a character is set."""
        matrix = self._matrix
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        pdfium.FPDFText_GetCharOrigin(self._text, index, self._x, self._y)
        self._size = pdfium.FPDFText_GetFontSize(self._text, index) * math.hypot(matrix.c, matrix.d)
        angle = math.degrees(math.atan2(matrix.b, matrix.a)) / 90 if self._size > 0 else 0.0
        self._turn = round(angle) % 4 if abs(angle - round(angle)) < 0.05 else -1
        font = pdfium.FPDFTextObj_GetFont(thing) if thing else None
        self._mono = bool(font) and self._is_mono(font)

    def _is_mono(self, font: Any) -> bool:
        place = ctypes.cast(font, ctypes.c_void_p).value or 0
        if place not in self._fonts:
            flags = pdfium.FPDFFont_GetFlags(font)
            self._fonts[place] = (flags > 0 and bool(flags & _FIXED_PITCH)) or _is_typewriter(font)
        return self._fonts[place]

    def _close(self, word: Word | None, codes: list[int]) -> None:
        if word is None:
            return
        self._page.chars += len(codes)
        if min(codes) > 32 and max(codes) < 127:
            word.text = "".join(map(chr, codes))
            return
        pieces = []
        for code in codes:
            if code in _HYPHENS:
                pieces.append("-")
            elif not code or 0xE000 <= code <= 0xF8FF:
                pieces.append(_private(code))
                self._page.unknown += pieces[-1] == "\ufffd"
            else:
                pieces.append(_LIGATURES.get(code) or chr(code))
        word.text = _sound("".join(pieces))


def _is_typewriter(font: Any) -> bool:
    """Whether a font's name says that its letters are equally wide: many files leave out the mark for it."""
    name = ctypes.create_string_buffer(128)
    if pdfium.FPDFFont_GetBaseFontName(font, name, len(name)) == 0:
        return False
    return bool(_TYPEWRITER.search(name.value))


def _private(code: int) -> str:
    """A character of a symbol font: its bullets are known by their number."""
    return "•" if code in (0xF0B7, 0xF0A7, 0xF06E, 0xF0D8, 0xF0FC, 0xF076) else "\ufffd"


def _sound(text: str) -> str:
    """A text that can be written as UTF-8, halves of a character joined."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(char if char.isprintable() or char == "\u200d" else "" if ord(char) < 32 else " " for char in whole)


def _goes_on(word: Word, box: Any, turn: int) -> bool:
    """Whether a character continues a word."""
    if turn < 0:
        return True  # its place says little; only a blank ends it
    if turn == 0:
        x0, top, bottom = box.left, -box.top, -box.bottom
    else:
        x0, _, top, bottom = turned(box, turn)
    size = word.size
    near = -0.1 * size < top - word.top < 0.1 * size and -0.1 * size < bottom - word.bottom < 0.1 * size
    return bool(near and -0.5 * size < x0 - word.x1 < 0.3 * size)


def _settle(words: list[Word], box: Any, turn: int) -> tuple[float, float]:
    """Counts places from the page's corner and leaves out what is outside the page; returns width and height."""
    left, right, top, bottom = turned(box, turn)
    kept = []
    for word in words:
        word.x0, word.x1 = word.x0 - left, word.x1 - left
        word.y, word.top, word.bottom = word.y - top, word.top - top, word.bottom - top
        if word.text and (turn < 0 or (word.x1 > -1 and word.x0 < right - left + 1 and -1 < word.y < bottom - top + 1)):
            kept.append(word)
    words[:] = kept
    return right - left, bottom - top


def _has_fields(page: Any) -> bool:
    """Whether a page has form fields or typed notes, whose text is not part of the page."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _ANNOTATIONS)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(note) if note else 0
        if note:
            pdfium.FPDFPage_CloseAnnot(note)
        if kind in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT):
            return True
    return False
