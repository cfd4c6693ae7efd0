"""Office files in a folder: taken in, or reported in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawwell.text import formats
from tests.corpus.folders import documents, fill, take, texts
from tests.office import deck, word, workbook

PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
SHAPE = "<p:sp><p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>"
CELLS = '<row><c t="inlineStr"><is><t>{}</t></is></c><c><v>1</v></c></row>'


def test_each_kind_is_taken_in(tmp_path: Path) -> None:
    """Their words are in the store; a second run has nothing to do."""
    fill(
        tmp_path,
        {
            "a.docx": word(PARAGRAPH.format("apples")),
            "b.xlsx": workbook({"S": CELLS.format("bananas")}),
            "C.PPTX": deck([SHAPE.format("cherries")]),
            "~$a.docx": b"the lock of an open document",
        },
    )
    report = take(tmp_path)
    assert (report.documents, report.skipped) == (3, ())
    assert documents(tmp_path) == ["C.PPTX", "a.docx", "b.xlsx"]
    assert [word in texts(tmp_path, path) for path, word in
            [("a.docx", "apples"), ("b.xlsx", "bananas"), ("C.PPTX", "cherries")]] == [True] * 3  # fmt: skip
    assert take(tmp_path).unchanged == 3


def test_bombs_are_refused_and_the_run_goes_on(tmp_path: Path) -> None:
    """ZP-01, ZP-02: kilobytes that are megabytes of text. They are not inflated; the conformance suite has 629 MB."""
    fill(
        tmp_path,
        {
            "bomb52.docx": word(PARAGRAPH.format("a" * 1000), repeat=50_000),
            "bomb104.docx": word(PARAGRAPH.format("b" * 1000), repeat=100_000),
            "good.md": "# Good\n\nStill here.\n",
            "good.docx": word(PARAGRAPH.format("fine")),
        },
    )
    report = take(tmp_path)
    assert documents(tmp_path) == ["good.docx", "good.md"]
    reasons = dict(report.skipped)
    assert sorted(reasons) == ["bomb104.docx", "bomb52.docx"]
    assert all(reason.startswith("looks like a ZIP bomb") for reason in reasons.values())


def test_locked_and_broken_files_have_a_plain_reason(tmp_path: Path) -> None:
    """The reasons stand in the report."""
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100) + "EncryptedPackage".encode("utf-16-le") + bytes(100)
    fill(tmp_path, {"locked.docx": ole, "cut.xlsx": workbook({"S": ""})[:50], "empty.pptx": deck([]), "a.md": "# A\n"})
    assert dict(take(tmp_path).skipped) == {
        "locked.docx": "is password-protected. Save it without a password",
        "cut.xlsx": "is not an Excel workbook: no ZIP archive, or one that is damaged or cut off",
        "empty.pptx": "no content",
    }


@pytest.mark.parametrize(("suffix", "label"), [("docx", "Word"), ("xlsx", "Excel"), ("pptx", "PowerPoint")])
def test_a_missing_extra_names_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, label: str
) -> None:
    """A file that could be read with one more package is listed with what installs it."""
    monkeypatch.setattr(formats, "_installed", lambda package: package != "lxml")
    fill(tmp_path, {f"a.{suffix}": b"x", "b.md": "# B\n\ntext\n"})
    expected = f"{label} files need an optional package. Install it with: pip install 'drawwell[office]'"
    assert dict(take(tmp_path).skipped) == {f"a.{suffix}": expected}


def test_no_row_of_a_long_sheet_is_lost(tmp_path: Path) -> None:
    """XL-01: every row is in the store."""
    cells = "".join(f"<c><v>{{0}}{at}</v></c>" for at in range(4))
    lines = "".join(f"<row>{cells.format(n)}</row>" for n in range(8000))
    fill(tmp_path, {"long.xlsx": workbook({"S": lines})})
    report = take(tmp_path)
    assert (report.documents, report.skipped) == (1, ())
    found = texts(tmp_path, "long.xlsx")
    assert all(f"| {n}0 | {n}1 | {n}2 | {n}3 |" in found for n in range(0, 8000, 997))
