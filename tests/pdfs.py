"""PDF files for tests, drawn line by line at known places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fpdf import FPDF

__all__ = ["LOREM", "Paper", "pdf", "written"]

LOREM = (
    "The pump draws water from the lower basin and lifts it to the upper one. A float switch ends the cycle as soon "
    "as the upper basin is full. Operators check the seals every week and note the pressure in the log. When the "
    "pressure falls below the mark on the gauge the intake filter has to be cleaned before the next cycle begins. "
    "Nobody may open the housing while the motor turns. "
)


class Paper:
    """A PDF being drawn. Places are in points from the upper left corner, of a page of 595 by 842."""

    def __init__(self, title: str = "") -> None:
        self.file = FPDF(unit="pt", format="A4")
        self.file.set_auto_page_break(False)
        self.file.set_creation_date(datetime(2026, 1, 1, tzinfo=UTC))
        if title:
            self.file.set_title(title)

    def page(self) -> Paper:
        """Begin a page."""
        self.file.add_page()
        return self

    def line(self, x: float, y: float, text: str, size: float = 10, font: str = "Helvetica", style: str = "") -> Paper:
        """Draw one line with its baseline at ``y``."""
        self.file.set_font(font, style, size)
        self.file.text(x, y, text)
        return self

    def lines(self, x: float, y: float, texts: Sequence[str], size: float = 10, font: str = "Helvetica") -> float:
        """Draw lines below each other; the baseline after the last."""
        for text in texts:
            self.line(x, y, text, size, font)
            y += 1.2 * size
        return y

    def text(self, x: float, y: float, text: str, width: float, size: float = 10) -> float:
        """Draw running text in lines of at most ``width``; the baseline after the last."""
        self.file.set_font("Helvetica", "", size)
        words, row, rows = text.split(), "", []
        for word in words:
            longer = f"{row} {word}".strip()
            if row and self.file.get_string_width(longer) > width:
                rows.append(row)
                longer = word
            row = longer
        return self.lines(x, y, [*rows, row], size)

    def raw(self, operators: str) -> Paper:
        """Write operators of the page's content as they are."""
        self.file._out(operators)
        return self

    def scaled(self, x: float, y: float, text: str, size: float) -> Paper:
        """Draw a line in a font of size 1 that its matrix makes larger."""
        self.line(x, y, "", 10)  # so that the page has the font
        return self.raw(f"q BT /F1 1 Tf {size} 0 0 {size} {x} {842 - y} Tm ({text}) Tj ET Q")

    def ruled(self, x: float, y: float, rows: Sequence[Sequence[str]], width: float = 110) -> Paper:
        """Draw a table with ruled lines, its upper left corner at the place."""
        right, bottom = x + width * len(rows[0]), y + 20 * len(rows)
        for number in range(len(rows) + 1):
            self.file.line(x, y + 20 * number, right, y + 20 * number)
        for number in range(len(rows[0]) + 1):
            self.file.line(x + width * number, y, x + width * number, bottom)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                self.line(x + 4 + width * column, y + 14 + 20 * number, text)
        return self

    def data(self) -> bytes:
        """The file."""
        return bytes(self.file.output())


def pdf(
    page: Sequence[Mapping[str, Any]],
    title: str = "",
    header: str = "",
    footer: str = "",
    user: str = "",
    owner: str = "",
) -> bytes:
    """A PDF as a case describes it.

    Args:
        page: for each page ``draw``, a list of what is on it: ``text`` or ``lines`` in one ``size`` and ``font``, or
            ``flow``, running text of a ``width``, from the baseline ``at`` (x, y); ``scaled``, a text whose size is
            set by its matrix only; ``ruled``, a table's rows in boxes of 110 by 20; ``picture``, a filled box.
        title: in the file's properties.
        header: on top of every page; ``{n}`` stands for its number.
        footer: at its bottom.
        user: password to open it.
        owner: password to change it.
    """
    paper = Paper(title)
    if user or owner:
        paper.file.set_encryption(owner_password=owner or user, user_password=user or None)
    for number, one in enumerate(page, 1):
        paper.page()
        if header:
            paper.line(60, 40, header.replace("{n}", str(number)), 8)
        for what in one.get("draw", ()):
            _draw(paper, what)
        if footer:
            paper.line(280, 815, footer.replace("{n}", str(number)), 8)
    return paper.data()


def _draw(paper: Paper, what: Mapping[str, Any]) -> None:
    (x, y), size, font = what["at"], what.get("size", 10), what.get("font", "Helvetica")
    if "flow" in what:
        paper.text(x, y, what["flow"], what["width"], size)
    elif "scaled" in what:
        paper.scaled(x, y, what["scaled"], size)
    elif "ruled" in what:
        paper.ruled(x, y, what["ruled"])
    elif "picture" in what:
        paper.file.rect(x, y, *what["picture"], style="F")
    else:
        paper.lines(x, y, what.get("lines", [what.get("text", "")]), size, font)


def written(content: bytes, keys: str, meaning: bytes = b"") -> bytes:
    """A PDF of one page, written by hand.

    Args:
        content: the page's content as it stands in the file.
        keys: what its dictionary says of it.
        meaning: what the font's characters stand for, as a list of pairs; empty for what they look like.
    """
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    table = b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange %s endcmap" % meaning
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<<%s/Length %d>>\nstream\n%s\nendstream" % (keys.encode(), len(content), content),
        font if meaning else font.replace(b"/ToUnicode 6 0 R", b""),
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),
    ]
    data = b"%PDF-1.5\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    lines = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer <</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)
    return data + b"xref\n0 7\n0000000000 65535 f \n" + lines + end
