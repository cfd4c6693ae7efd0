"""What OCR gave: a PDF with text, or pages of plain text."""

from __future__ import annotations

import pytest

from drawwell.errors import UnreadableFile
from drawwell.text.formats import recognised
from drawwell.text.formats.recognised import parse
from tests.pdfs import LOREM, pdf


def test_pages_of_text() -> None:
    """Paragraphs are kept line by line, and what looks like markup is none; each page has its place."""
    parsed = parse("# One\r\nof two\r\n \r\nlines\f\n\fThird é\n\f".encode())
    assert parsed.source == "\\# One\nof two\n\nlines\n\nThird é\n"
    assert [parsed.source[at:].strip().split("\n")[0] for at in parsed.pages] == ["\\# One", "Third é", "Third é"]
    assert parsed.metadata == {"pages": 3, "ocr": True}
    assert [block.kind for block in parsed.blocks] == ["paragraph"] * 3


def test_a_pdf_with_text() -> None:
    """It is read as every PDF is."""
    parsed = parse(pdf([{"draw": [{"at": [60, 80], "flow": LOREM, "width": 475}]}]))
    assert parsed.source.startswith("The pump draws water")
    assert parsed.metadata["ocr"] is True


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "scan: OCR found no text on its pages"),
        (b"\f \f\n", "scan: OCR found no text on its pages"),
        (pdf([{"draw": []}]), "scan: OCR found no text on its pages"),
        (b"%PDF-1.4 and nothing", "what OCR made of it is truncated: the end of the PDF is missing"),
        (bytes(range(256)) * 20, "what OCR made of it binary data, not text"),
    ],
)
def test_what_has_no_text_is_refused(data: bytes, reason: str) -> None:
    """And says that OCR has the blame, not the file."""
    with pytest.raises(UnreadableFile) as caught:
        parse(data)
    assert str(caught.value).startswith(reason)


def test_too_much_text_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that writes without end fills no memory."""
    monkeypatch.setattr(recognised, "_MAX_CHARS", 20)
    parsed = parse(b"word " * 20)
    assert len(parsed.source) <= 21
    assert parsed.warnings == ("only the first 20 characters of what OCR found were taken",)
