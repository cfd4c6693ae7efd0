"""What a program for OCR makes of a scan: a PDF with a text layer, or plain text with a form feed after each page."""

from __future__ import annotations

from dataclasses import replace

from drawwell.errors import NoTextLayer, UnreadableFile
from drawwell.text.blocks import Parsed
from drawwell.text.formats.decode import decode
from drawwell.text.formats.rendition import Rendition

__all__ = ["parse"]

_HEAD = 1024  # bytes in which a PDF says what it is
_MAX_CHARS = 4_000_000
_NOTHING = "scan: OCR found no text on its pages"


def parse(data: bytes) -> Parsed:
    """Parses the pages of a scan, once they have text.

    Args:
        data: what the program gave.

    Raises:
        UnreadableFile: there is no text in it, or it is neither a sound PDF nor text.
    """
    try:
        parsed = _parsed_pdf(data) if b"%PDF-" in data[:_HEAD] else _parsed_text(data)
    except NoTextLayer:
        raise UnreadableFile(_NOTHING) from None
    except UnreadableFile as error:
        raise UnreadableFile(f"what OCR made of it {error}") from error
    if not parsed.source:
        raise UnreadableFile(_NOTHING)
    return replace(parsed, metadata={**parsed.metadata, "ocr": True})


def _parsed_pdf(data: bytes) -> Parsed:
    from drawwell.text.formats import pdf  # it needs the extra; text does not

    return pdf.parse(data)


def _parsed_text(data: bytes) -> Parsed:
    decoded = decode(data)
    pages = decoded.text[:_MAX_CHARS].split("\f")
    if len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # behind the last form feed
    rendition = Rendition()
    begins = []
    for page in pages:
        begins.append(len(rendition))
        for paragraph in _paragraphs(page):
            rendition.paragraph(paragraph)
    warnings = list(decoded.warnings)
    if len(decoded.text) > _MAX_CHARS:
        warnings.append(f"only the first {_MAX_CHARS:,} characters of what OCR found were taken")
    parsed = rendition.parsed({"pages": len(pages)}, warnings=warnings)
    return replace(parsed, pages=tuple(begins))


def _paragraphs(page: str) -> list[str]:
    """The runs of lines that are not blank."""
    found: list[list[str]] = [[]]
    for line in page.splitlines():
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]
