"""Excel workbooks: what cells show, where tables begin, and sheets of any size and shape."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.text.blocks import Parsed
from drawwell.text.formats import xlsx
from drawwell.text.formats.markdown import markdown_blocks
from drawwell.text.formats.xlsx import parse
from drawwell.text.sections import SectionLimits, cut
from tests.office import package, strict, workbook


def text(value: str, reference: str = "") -> str:
    at = f' r="{reference}"' if reference else ""
    return f'<c{at} t="inlineStr"><is><t>{value}</t></is></c>'


def number(value: object, style: int = 0, reference: str = "") -> str:
    at = f' r="{reference}"' if reference else ""
    return f'<c{at} s="{style}"><v>{value}</v></c>'


def rows(*lines: str) -> str:
    return "".join(f"<row>{line}</row>" for line in lines)


def prefixed(data: bytes) -> bytes:
    """The same workbook, the elements of its sheets and strings written with a prefix."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    for name, content in parts.items():
        if "sheet1.xml" in name or name.endswith("sharedStrings.xml"):
            parts[name] = re.sub(r"<(/?)(\w)", r"<\1x:\2", content).replace(" xmlns=", " xmlns:x=")
    return package(parts)


def body(sheet: str, **options: object) -> str:
    parsed = parse(workbook({"S": sheet}, **options))  # type: ignore[arg-type]
    assert parsed.source.startswith("## S\n\n")
    return parsed.source.removeprefix("## S\n\n")


def table(*lines: str) -> str:
    width = lines[0].count(" | ") + 1
    return (
        "".join(f"| {line} |\n" for line in (lines[0],))
        + "|"
        + "---|" * width
        + "\n"
        + "".join(f"| {line} |\n" for line in lines[1:])
    )


def test_xl_01_no_row_is_dropped() -> None:
    """Five thousand rows are five thousand rows, cut into parts that each begin with the header."""
    lines = [text("Key") + text("Value"), *(text(f"key-{n}") + number(n) for n in range(5000))]
    parsed = parse(workbook({"Long": rows(*lines)}))
    assert parsed.source.count("\n| key-") == 5000
    assert parsed.warnings == ()
    sections = cut(parsed, "book", SectionLimits(2000, 40, 4)).sections
    assert all("| Key | Value |" in section.text(parsed.source) for section in sections)


def test_xl_01_what_does_not_fit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is far away and never silent: rows and sheets beyond it are named."""
    monkeypatch.setattr(xlsx, "_MAX_CHARS", 1000)
    lines = [text("Key") + text("Value"), *(text(f"key-{n}") + number(n) for n in range(500))]
    parsed = parse(workbook({"Long": rows(*lines), "Next": rows(text("a") + text("b"))}))
    kept = parsed.source.count("\n| key-")
    assert 20 < kept < 100
    limit = "a workbook may take 1,000 characters"
    assert parsed.warnings[0] == f"of sheet 'Long' only the first {kept + 1} rows were read: {limit}"
    assert "sheet 'Next'" in parsed.warnings[1]


def test_xl_02_cells_show_what_excel_shows() -> None:
    """Dates in ISO 8601, percents, currencies, truth values; a real file of openpyxl's."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    values = [
        (dt.date(2026, 1, 2), "dd/mm/yyyy"),
        (dt.datetime.fromisoformat("2026-01-02T10:30"), "d-mmm-yy h:mm"),
        (dt.time(18, 5), "h:mm AM/PM"),
        (0.153, "0.0%"),
        (1234.5, '"$"#,##0.00'),
        (-1234.5, "#,##0.00 [$€-407]"),
        (True, "General"),
        (0.1 + 0.2, "General"),
        (123, "00000"),
    ]
    sheet.append(["What", "Shown"])
    for at, (value, code) in enumerate(values, 2):
        sheet.cell(at, 1, f"row {at}")
        sheet.cell(at, 2, value).number_format = code
    made = io.BytesIO()
    book.save(made)
    shown = [line.split(" | ")[1].removesuffix(" |") for line in parse(made.getvalue()).source.splitlines()[4:]]
    assert shown == [
        "2026-01-02", "2026-01-02 10:30", "18:05", "15.3%", "$1,234.50", "-1,234.50 €", "TRUE", "0.3", "00123",
    ]  # fmt: skip


def test_xl_02_errors_dates_of_1904_and_iso_dates() -> None:
    """Whatever way a date is kept."""
    sheet = rows(
        text("A") + text("B") + text("C"),
        number(1, 1) + '<c t="d"><v>2026-03-04T00:00:00</v></c><c t="e"><v>#N/A</v></c>',
    )
    assert body(sheet, formats=["yyyy-mm-dd"], date1904=True) == table("A | B | C", "1904-01-02 | 2026-03-04 | #N/A")


def test_xl_03_the_header_is_found_below_titles() -> None:
    """Rows above it are paragraphs, blank rows nothing."""
    sheet = rows(
        text("Sales 2025", "A1"),
        "",
        text("Prepared by", "A3") + text("Ann", "B3"),
        text("Region", "A5") + number(2024, 0, "B5") + number(2025, 0, "C5") + text("Note", "D5"),
        "",
        text("North", "A6") + number(1, 0, "B6") + number(2, 0, "C6") + text("x|y", "D6"),
    )
    assert body(sheet) == "Sales 2025\n\nPrepared by: Ann\n\n" + table(
        "Region | 2024 | 2025 | Note", "North | 1 | 2 | x\\|y"
    )


def test_xl_03_numbers_alone_have_letters_for_a_header() -> None:
    """A row of data is not made a header."""
    assert body(rows(number(1) + number(2), number(3) + number(4))) == table("A | B", "1 | 2", "3 | 4")


def test_xl_03_one_row_and_one_column() -> None:
    """A row is a table, a column of a few cells is text."""
    assert body(rows(text("a") + text("b"))) == table("a | b")
    assert body(rows(text("# First"), text("second"))) == "\\# First\n\nsecond\n"


def merged(*references: str) -> str:
    """What follows the rows of a sheet that has merged cells."""
    return "".join(f'<mergeCell ref="{one}"/>' for one in references)


def test_merged_cells_say_the_same_in_each_of_their_cells() -> None:
    """Down and to the right, in a real file; a cell that stands alone in its rows, as a title, is said once."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (
        ["Sales of all regions"],
        ["Region", "City", "Sold", "Note"],
        ["North", "Aa", 1, "fine"],
        [None, "Bb", 2, "first\nsecond"],
        [None, "Cc", 3, None],
        ["Closed for the year"],
        ["South", "Dd", 4, "late"],
    ):
        sheet.append(line)
    for one in ("A1:D1", "A3:A5", "D4:D5", "A6:D6", "C7:D7"):
        sheet.merge_cells(one)
    made = io.BytesIO()
    book.save(made)
    assert parse(made.getvalue()).source == "## Sheet\n\nSales of all regions\n\n" + table(
        "Region | City | Sold | Note",
        "North | Aa | 1 | fine",
        "North | Bb | 2 | first<br>second",
        "North | Cc | 3 | first<br>second",
        "Closed for the year |  |  | ",
        "South | Dd | 4 | 4",
    )


def test_a_header_of_two_levels_is_one_row() -> None:
    """Each column is called by its group and its own name; a title over a header is none."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (
        ["Region", "2024", None, "2025", None, "Note"],
        [None, "Q1", "Q2", "Q1", "Q2", None],
        ["North", 1, 2, 3, 4, "x"],
    ):
        sheet.append(line)
    for one in ("A1:A2", "B1:C1", "D1:E1", "F1:F2"):
        sheet.merge_cells(one)
    made = io.BytesIO()
    book.save(made)
    assert parse(made.getvalue()).source == "## Sheet\n\n" + table(
        "Region | 2024 Q1 | 2024 Q2 | 2025 Q1 | 2025 Q2 | Note", "North | 1 | 2 | 3 | 4 | x"
    )
    titled = (
        '<row r="1">' + text("Sales", "A1") + text("by Ann", "C1") + "</row>"
        '<row r="2">' + text("Region", "A2") + text("Q1", "B2") + text("Note", "C2") + "</row>"
        '<row r="3">' + text("North", "A3") + number(1, 0, "B3") + text("x", "C3") + "</row>"
    )
    assert body(titled + merged("A1:B1")) == "Sales: by Ann\n\n" + table("Region | Q1 | Note", "North | 1 | x")


def sheet_of(*lines: list[object] | None) -> str:
    """Rows with their numbers; None is a blank one."""
    made = []
    for at, line in enumerate(lines, 1):
        cells = [
            number(one, 0, f"{chr(65 + column)}{at}")
            if isinstance(one, int)
            else text(str(one), f"{chr(65 + column)}{at}")
            for column, one in enumerate(line or ())
            if one is not None
        ]
        made.append(f'<row r="{at}">{"".join(cells)}</row>')
    return "".join(made)


def test_tables_below_each_other_have_their_own_headers() -> None:
    """A blank row, then a header above figures, perhaps with a title, begins a table."""
    sheet = sheet_of(
        ["Region", "Sold"], ["North", 1], ["South", 2],
        None,
        ["Name", "Age", "City"], ["Ann", 30, "Aa"],
        None,
        ["Stock"],
        ["Item", "Count"], ["Pump", 7], ["Seal", 8],
    )  # fmt: skip
    assert body(sheet) == (
        table("Region | Sold", "North | 1", "South | 2")
        + "\n"
        + table("Name | Age | City", "Ann | 30 | Aa")
        + "\nStock\n\n"
        + table("Item | Count", "Pump | 7", "Seal | 8")
    )


def test_blank_rows_within_a_table_do_not_part_it() -> None:
    """Groups of rows, their names and remarks stay under the one header."""
    sheet = sheet_of(
        ["Region", "Sold"], ["North", 1], None, ["South", 2], None, ["Abroad"], ["East", 3], None, ["All", "see note"],
        None, ["Source", "own count"], ["Checked by", "Ann"],
    )  # fmt: skip
    assert body(sheet) == table(
        "Region | Sold", "North | 1", "South | 2", "Abroad | ", "East | 3", "All | see note", "Source | own count",
        "Checked by | Ann",
    )  # fmt: skip


def test_odd_merges_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """References that are none, or lie on top of each other, cost nothing but themselves; nor does what is repeated."""
    lines = [text("Key", "A1") + text("B", "B1") + text("C", "C1"), *(text(f"k{n}") for n in range(2, 400))]
    sheet = "".join(f'<row r="{n}">{line}</row>' for n, line in enumerate(lines, 1))
    odd = merged("B1", "x", "A0:", "B9:A1", "ZZZZ1:B2", "B1:B399", "B1:B399", "C1:C9999999")
    every = workbook({"S": sheet + odd})
    source = parse(every).source
    assert source.count(" | B | C |") == 399
    monkeypatch.setattr(xlsx, "_MAX_CHARS", len(source) - 100)
    assert 100 < parse(every).source.count(" | B | C |") < 399
    assert parse(every).warnings == ()


def test_xl_04_empty_columns_are_dropped() -> None:
    """A cell at the far right costs one column."""
    sheet = rows(text("Name", "A1") + text("Far", "XFD1"), text("x", "A2") + number(5, 0, "XFD2"), text("y", "A3"))
    assert body(sheet) == table("Name | Far", "x | 5", "y | ")


def test_xl_05_cells_without_references_stand_where_they_come() -> None:
    """Also after cells that have one, and behind empty ones."""
    sheet = rows(text("a") + text("b") + text("c"), number(1) + "<c/>" + number(3), number(7, 0, "B3") + number(8))
    assert body(sheet) == table("a | b | c", "1 |  | 3", " | 7 | 8")


def test_cells_out_of_order_are_put_in_order() -> None:
    """No program should write them so; one did."""
    sheet = rows(text("b", "B1") + text("a", "A1"), number(2, 0, "B2") + number(1, 0, "A2"))
    assert body(sheet) == table("a | b", "1 | 2")


def test_xl_06_the_strict_form_and_prefixes() -> None:
    """Strict namespaces, and names written with a prefix, are the same file."""
    made = workbook({"S": rows('<c t="s"><v>0</v></c>' + text("b"), number(1, 1) + number(2))}, strings=["<t>a</t>"],
                    formats=["0%"])  # fmt: skip
    assert parse(strict(made)).source == parse(made).source == "## S\n\n" + table("a | b", "100% | 2")


def test_xl_06_names_with_a_prefix() -> None:
    """A prefix is no part of a name."""
    sheet = rows('<c t="s"><v>0</v></c>' + text("b"))
    made = prefixed(workbook({"S": sheet}, strings=["<t>a</t>"]))
    assert parse(made).source == "## S\n\n" + table("a | b")


def test_xl_07_readings_are_left_out() -> None:
    """In shared and in inline strings; rich text is joined; coded characters are decoded."""
    strings = [
        "<r><t>東京</t></r><r><t>都</t></r><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/>",
        "<t>line_x000D_\nnext _x0041_</t>",
    ]
    inline = "<c t='inlineStr'><is><t>大阪</t><rPh sb='0' eb='2'><t>オオサカ</t></rPh></is></c>"
    shared = "<c t='s'><v>0</v></c><c t='s'><v>1</v></c>"
    assert body(rows(shared + inline), strings=strings) == table("東京都 | line<br>next A | 大阪")


def test_xl_08_hidden_sheets_and_formulas_without_values() -> None:
    """A hidden sheet says so; a formula that was never computed shows itself."""
    formulas = '<c r="A2"><f>SUM(B1:B9)</f></c><c r="B2"><f>1+1</f><v>2</v></c>'
    formulas += '<c r="C2"><f t="shared" si="0" ref="C2:C3">A1*2</f></c>'
    again = '<c r="A3"><v>1</v></c><c r="B3"><v>1</v></c><c r="C3"><f t="shared" si="0"/></c>'
    parsed = parse(
        workbook(
            {"Open": rows(text("a") + text("b") + text("c"), formulas, again), "Secret": rows(text("x") + text("y"))},
            hidden=["Secret"],
        )
    )
    assert parsed.source == (
        "## Open\n\n"
        + table("a | b | c", "=SUM(B1:B9) | 2 | =A1*2", "1 | 1 | (formula as in C2)")
        + "\n## Secret (hidden)\n\n"
        + table("x | y")
    )


def test_an_empty_workbook_is_blank() -> None:
    """Sheets without cells leave nothing, not even their names."""
    assert parse(workbook({"A": "", "B": rows("<c/>")})) == Parsed("", ())


CELLS = st.one_of(st.none(), st.integers(-5, 10**6), st.text("ab |\\#-1.\n`<é", max_size=6))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(CELLS, max_size=5), max_size=8))
def test_blocks_are_those_of_the_markdown(cells: list[list[object]]) -> None:
    """The blocks that are noted while writing are those that the Markdown parser finds, and tables are whole."""
    lines = (
        "".join(
            "<c/>" if one is None else number(one) if isinstance(one, int) else text(_xml(str(one))) for one in line
        )
        for line in cells
    )
    parsed = parse(workbook({"S": rows(*lines)}))
    found = markdown_blocks(parsed.source)[0]
    assert [(one.kind, one.span, one.header_end, one.children) for one in parsed.blocks] == [
        (one.kind, one.span, one.header_end, one.children) for one in found
    ]


def _xml(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;")
