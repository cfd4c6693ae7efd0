"""What is no Office file, or a hostile one, is refused in plain words before it costs anything."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from drawwell.errors import UnreadableFile
from drawwell.text.formats import docx, ooxml, pptx, xlsx, zip_guard
from tests.office import deck, package, word, workbook

PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def reason(data: bytes, parser: object = docx) -> str:
    with pytest.raises(UnreadableFile) as caught:
        parser.parse(data)  # type: ignore[attr-defined]
    return str(caught.value)


def replaced(data: bytes, name: str, content: str | None) -> bytes:
    """The same archive with another content of a part, or without it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {one: archive.read(one) for one in archive.namelist() if one != name}
    return package(parts if content is None else {**parts, name: content})


def test_zp_01_a_small_file_that_inflates_to_much_is_refused() -> None:
    """By what the archive says of itself: nothing is inflated."""
    bomb = word(PARAGRAPH.format("a" * 1000), repeat=20_000)
    assert len(bomb) < 120_000
    tracemalloc.start()
    try:
        assert reason(bomb).startswith("looks like a ZIP bomb: word/document.xml inflates from ")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_zp_01_many_small_parts_count_together() -> None:
    """A part that nobody reads counts too: it is no Office file."""
    parts = {f"part{n}.xml": b" " * 4_000_000 for n in range(6)}
    assert reason(package(parts)).startswith("looks like a ZIP bomb: the archive inflates from ")


def test_zp_02_a_part_that_is_large_is_not_held_as_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when its ratio is an honest one."""
    monkeypatch.setattr(ooxml, "_MAX_TREE", 5000)
    assert reason(word("".join(PARAGRAPH.format(n) for n in range(300)))).endswith("more than 5,000")


def test_zp_02_bounds_on_entries_and_on_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says what was found and what is allowed."""
    made = word(PARAGRAPH.format("text"))
    with monkeypatch.context() as patch:
        patch.setattr(zip_guard, "_MAX_ENTRIES", 3)
        assert reason(made) == "is a ZIP archive of 5 entries, more than 3"
    monkeypatch.setattr(zip_guard, "_MAX_INFLATED", 100)
    assert reason(made).endswith(" bytes, more than 100")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_zp_03_entities_are_refused(encoding: str) -> None:
    """No part of an Office file declares any; nothing is expanded."""
    bomb = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">&b;</w:document>'
    ).encode(encoding)
    made = word("")
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        parts = {one: archive.read(one) for one in archive.namelist()}
    expected = "its part word/document.xml declares a document type, which Office files never do"
    assert reason(package({**parts, "word/document.xml": bomb})) == expected


def test_zp_03_entities_in_sheets_are_refused() -> None:
    """Sheets are read by another parser, with the same rule."""
    made = workbook({"S": "<row><c><v>1</v></c></row>"})
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData>&a;</sheetData></worksheet>'
    assert "declares a document type" in reason(replaced(made, "xl/worksheets/sheet1.xml", bomb), xlsx)
    assert "declares a document type" in reason(replaced(made, "xl/sharedStrings.xml", bomb), xlsx)


@pytest.mark.parametrize(
    ("parser", "expected"),
    [
        (docx, "is not a Word document: a ZIP archive without the part word/document.xml"),
        (xlsx, "is not an Excel workbook: a ZIP archive without the part xl/workbook.xml"),
        (pptx, "is not a PowerPoint presentation: a ZIP archive without the part ppt/presentation.xml"),
    ],
)
def test_zp_04_a_container_without_the_expected_parts(parser: object, expected: str) -> None:
    """A plain reason, not the name of an exception."""
    assert reason(package({"readme.txt": "hello"}), parser) == expected


def test_zp_04_an_office_file_under_another_name() -> None:
    """It is told by what is in it."""
    assert reason(workbook({"S": ""})) == "is not a Word document but an Excel workbook. Rename it to .xlsx"
    assert reason(deck([""]), xlsx).endswith("but a PowerPoint presentation. Rename it to .pptx")


def test_zp_04_damaged_files() -> None:
    """Cut off, not XML, or with bytes changed."""
    made = word(PARAGRAPH.format("text"))
    for cut_off in (made[:-30], made[:100], b"PK\x03\x04"):
        assert reason(cut_off) == "is not a Word document: no ZIP archive, or one that is damaged or cut off"
    assert reason(replaced(made, "word/document.xml", "<w:document")).startswith(
        "is damaged: its part word/document.xml is not well-formed XML"
    )
    broken = replaced(workbook({"S": ""}), "xl/worksheets/sheet1.xml", "<worksheet><sheetData>")
    assert "its part xl/worksheets/sheet1.xml is not well-formed XML" in reason(broken, xlsx)
    at = made.index(b"word/document.xml") + len("word/document.xml") + 4
    changed = made[:at] + bytes(byte ^ 0xFF for byte in made[at : at + 40]) + made[at + 40 :]
    assert reason(changed) == "is damaged: its part word/document.xml cannot be inflated"


def test_zp_04_a_workbook_that_lacks_a_sheet_is_read_without_it() -> None:
    """What is there is worth having; what is not is reported."""
    made = workbook({"A": "<row><c><v>1</v></c><c><v>2</v></c></row>", "B": ""})
    parsed = xlsx.parse(replaced(made, "xl/worksheets/sheet2.xml", None))
    assert "| 1 | 2 |" in parsed.source
    assert parsed.warnings == ("sheet 'B' is missing from the file",)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("EncryptedPackage", "is password-protected. Save it without a password"),
        ("WordDocument", "is in the old binary format of Word (.doc). Save it as .docx"),
        ("Workbook", "is in the old binary format of Excel (.xls). Save it as .xlsx"),
        ("PowerPoint Document", "is in the old binary format of PowerPoint (.ppt). Save it as .pptx"),
        ("Contents", "is an OLE container, not a Word document"),
    ],
)
def test_fs_21_old_containers_say_what_they_are(stream: str, expected: str) -> None:
    """Office encrypts a file by putting it into the container of its old formats."""
    assert reason(OLE + stream.encode("utf-16-le") + b"\0\0" + bytes(400)) == expected


def test_fs_21_an_encrypted_archive_is_password_protected() -> None:
    """Archives can be locked, too."""
    made = word(PARAGRAPH.format("text"))
    locked = bytearray(made)
    at = made.index(b"PK\x01\x02")
    locked[at + 8] |= 1
    assert reason(bytes(locked)) == "is password-protected. Save it without a password"


@pytest.mark.parametrize(("data", "expected"), [(b"", "is empty, not a Word document"), (b"{\\rtf1 x}", "Rich Text")])
def test_other_files(data: bytes, expected: str) -> None:
    """What people rename."""
    assert expected in reason(data)
