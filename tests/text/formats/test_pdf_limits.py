"""PDF files that are locked, broken, empty or made to do harm: refused with a plain reason, or read within bounds."""

from __future__ import annotations

import zlib

import pytest
from fpdf.enums import EncryptionMethod

from drawwell.errors import PasswordNeeded, UnreadableFile
from drawwell.text.formats import pdf as pdf_format
from drawwell.text.formats import pdf_source
from drawwell.text.formats.pdf import parse
from tests.pdfs import LOREM, Paper, pdf, written

METHODS = [EncryptionMethod.RC4, EncryptionMethod.AES_128, EncryptionMethod.AES_256]


def locked(method: EncryptionMethod, user: str | None) -> bytes:
    paper = Paper()
    paper.file.set_encryption(owner_password="owner-word", user_password=user, encryption_method=method)
    paper.page().text(60, 90, LOREM, 475)
    return paper.data()


def refusal(data: bytes, password: str = "") -> str:
    """Why a file is not taken in."""
    with pytest.raises(UnreadableFile) as caught:
        parse(data, password)
    return str(caught.value)


@pytest.mark.parametrize("method", METHODS)
def test_pd_01_a_locked_file_asks_for_its_password(method: EncryptionMethod) -> None:
    """Without the password, or with a wrong one, the reason says what to give, and never what was given."""
    data = locked(method, "secret-word")
    with pytest.raises(PasswordNeeded, match=r"^password-protected, give --pdf-password"):
        parse(data)
    said = refusal(data, "wrong-word")
    assert "does not open it" in said
    assert "wrong-word" not in said
    assert LOREM.strip() in parse(data, "secret-word").source


@pytest.mark.parametrize("method", METHODS)
def test_pd_01_a_file_with_an_owner_password_only_is_read(method: EncryptionMethod) -> None:
    """Who may not change a file may read it."""
    assert LOREM.strip() in parse(locked(method, None)).source


def test_pd_02_broken_files_say_how() -> None:
    """A fake, a truncated and a damaged file have a reason in plain words."""
    whole = pdf([{"draw": [{"at": [60, 80], "text": "Water"}]}])
    assert refusal(b"Just a text.") == "is no PDF, whatever its name says"
    assert refusal(whole[: len(whole) // 2]) == "is truncated: the end of the PDF is missing"
    assert refusal(b"%PDF-1.7\nnothing\n%%EOF") == "is damaged: it begins like a PDF and cannot be opened as one"


def test_pd_02_a_scan_says_that_it_has_no_text() -> None:
    """Pages of pictures have no text layer; where some pages have one, the others are told of."""
    picture = {"draw": [{"at": [50, 50], "picture": [400, 600]}]}
    assert refusal(pdf([picture])).startswith("scan: no text layer on its 1 page")
    assert refusal(pdf([picture, picture])).startswith("scan: no text layer on its 2 pages")
    mixed = parse(pdf([picture, {"draw": [{"at": [60, 80], "text": "Water"}]}]))
    assert mixed.warnings == ("1 of 2 pages have no text layer (pictures, scans or blank)",)


def test_a_stream_that_unfolds_to_too_much_is_refused_before_it_is_read() -> None:
    """A small file that holds a huge page, and one that is packed twice, are refused; a picture may be huge."""
    bomb = zlib.compress(bytes(40_000_000), 9)
    assert refusal(written(bomb, "/Filter/FlateDecode")) == "a stream in it unfolds to more than 32,000,000 bytes"
    twice = zlib.compress(bomb, 9)
    assert "packed twice" in refusal(written(twice, "/Filter[/FlateDecode/FlateDecode]"))
    picture = written(bomb, "/Type/XObject/Subtype/Image/Width 1/Height 1/Filter/FlateDecode")
    assert refusal(picture).startswith("scan")


def test_no_more_pages_and_characters_are_read_than_is_sane(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is beyond the bounds is left out and reported."""
    data = pdf([{"draw": [{"at": [60, 300], "text": f"Water of page {number}"}]} for number in range(1, 6)])
    monkeypatch.setattr(pdf_format, "_MAX_PAGES", 3)
    parsed = parse(data)
    assert parsed.warnings == ("only the first 3 of 5 pages were read",)
    assert ("page 3" in parsed.source, "page 4" in parsed.source, len(parsed.pages)) == (True, False, 3)
    monkeypatch.setattr(pdf_format, "_MAX_CHARS", 20 - len(data) // 2)
    assert parse(data).warnings == ("only the first 2 of 5 pages were read",)
    monkeypatch.setattr(pdf_source, "PAGE_CHARS", 9)
    monkeypatch.setattr(pdf_format, "PAGE_CHARS", 9)
    assert "only the first 9 characters were read of page 1, 2, 3" in parse(data).warnings


def test_characters_without_a_meaning_are_reported() -> None:
    """Where the file says nothing, or a private number, for its characters there are marks for them, and a warning."""
    content = b"BT /F1 12 Tf 60 700 Td (xyz Water) Tj ET"
    meaning = b"3 beginbfchar <78> <E001> <79> <E002> <7A> <E003> endbfchar"
    parsed = parse(written(content, "", meaning))
    assert parsed.source == "\ufffd\ufffd\ufffd Water\n"
    assert parsed.warnings == ("3 of 8 characters have no meaning in the file's fonts",)


def test_pages_without_contents_and_with_faulty_ones_are_read_past() -> None:
    """Operators that make no sense do not keep the rest from being read."""
    content = b"Q Q Q ] ) BT /F9 Tf ET q BT /F1 12 Tf 60 700 Td (Water) Tj ET"
    assert "Water" in parse(written(content, "")).source
