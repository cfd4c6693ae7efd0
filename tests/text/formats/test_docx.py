"""Word documents: headings, lists, tables, changes and notes, as their reader sees them."""

from __future__ import annotations

import io

import docx
import pytest

from drawwell.text.formats.docx import parse
from tests.office import strict, word


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def style(key: str, name: str, properties: str = "", based_on: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    inner = f'<w:name w:val="{name}"/>{base}<w:pPr>{properties}</w:pPr>'
    return f'<w:style w:type="paragraph" w:styleId="{key}">{inner}</w:style>'


def styled(key: str) -> str:
    return f'<w:pStyle w:val="{key}"/>'


def numbered(key: int, level: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{key}"/></w:numPr>'


def level(at: int, form: str, text: str) -> str:
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


def source(body: str, **parts: str) -> str:
    return parse(word(body, **parts)).source


def headings(data: bytes) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in parse(data).blocks if block.kind == "heading"]


def test_of_01_breaks_in_a_run_separate_words() -> None:
    """A tab is a space, a line break a new line, a no-break hyphen a hyphen; a soft hyphen is nothing."""
    run = (
        "<w:t>before</w:t><w:tab/><w:t>after</w:t><w:br/><w:t>next</w:t><w:cr/><w:t>non</w:t><w:noBreakHyphen/>"
        "<w:t>stop soft</w:t><w:softHyphen/><w:t>ware</w:t><w:sym w:font='Symbol' w:char='F0B7'/><w:sym w:char='2192'/>"
    )
    assert source(f"<w:p><w:r>{run}</w:r></w:p>") == "before after\nnext\nnon-stop software→\n"


def test_of_02_content_controls_and_text_boxes_are_read_once() -> None:
    """What is in a content control stands in its place; a text box is written for old programs too, and read once."""
    box = "<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>"
    body = (
        "<w:sdt><w:sdtContent><w:p><w:sdt><w:sdtContent><w:r><w:t>controlled</w:t></w:r></w:sdtContent></w:sdt></w:p>"
        "</w:sdtContent></w:sdt><w:p><w:r><w:t>host</w:t><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        f"<wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert source(body) == "controlled\n\nhost\n\nin the box\n"


def test_of_03_changes_are_accepted_and_hidden_text_is_left_out() -> None:
    """Insertions and targets of moves stay, deletions and sources go; a deleted paragraph end joins two paragraphs."""
    run = "<w:r><w:t>{}</w:t></w:r>"
    body = (
        f"<w:p>{run.format('kept')}<w:ins>{run.format(' added')}</w:ins>"
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run.format('old place')}</w:moveFrom><w:moveTo>{run.format(' moved')}</w:moveTo>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> shown</w:t></w:r>"
        "<w:r><w:rPr><w:rStyle w:val='Secret'/></w:rPr><w:t>secret</w:t></w:r></w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run.format('first half')}</w:p>"
        f"<w:p>{run.format(' second half')}</w:p>"
    )
    styles = (
        "<w:style w:type='character' w:styleId='Secret'><w:name w:val='Secret'/><w:rPr><w:vanish/></w:rPr></w:style>"
    )
    assert source(body, styles=styles) == "kept added moved shown\n\nfirst half second half\n"


def test_of_04_headings_by_style_inheritance_and_outline_level() -> None:
    """The id of a style says nothing: its name, what it is based on and outline levels do."""
    styles = (
        style("berschrift1", "heading 1")
        + style("Kapitel", "Kapitel", based_on="berschrift1")
        + style("Eigen", "Eigene", '<w:outlineLvl w:val="2"/>')
        + style("Inhalt", "TOC Heading", '<w:outlineLvl w:val="9"/>', "berschrift1")
        + style("Titre2", "Titre 2")
        + style("a", "a", based_on="b")
        + style("b", "b", based_on="a")
    )
    body = (
        p("Named", styled("berschrift1"))
        + p("Based", styled("Kapitel"))
        + p("Outlined", styled("Eigen"))
        + p("Contents", styled("Inhalt"))
        + p("Own", '<w:outlineLvl w:val="3"/>')
        + p("Local", styled("Titre2"))
        + p("Undefined", styled("Heading2"))
        + p("Loop", styled("a"))
    )
    expected = [(1, "Named"), (1, "Based"), (3, "Outlined"), (4, "Own"), (2, "Local"), (2, "Undefined")]
    assert headings(word(body, styles=styles)) == expected
    assert headings(strict(word(body, styles=styles))) == expected


def test_of_05_lists_have_levels_and_numbers() -> None:
    """Numbers are counted as Word counts them; letters and compound numbers stay readable."""
    numbering = (
        f'<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%2)")}'
        f'{level(2, "bullet", "·")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
        "</w:lvlOverride></w:num>"
        f'<w:abstractNum w:abstractNumId="3">{level(0, "decimal", "%1")}{level(1, "decimal", "%1.%2")}</w:abstractNum>'
        '<w:num w:numId="4"><w:abstractNumId w:val="3"/></w:num>'
    )
    styles = (
        style("Bul", "List Bullet", numbered(1, 2))
        + style("H1", "heading 1", numbered(4))
        + style("H2", "heading 2", numbered(4, 1))
    )
    body = (
        p("Scope", styled("H1"))
        + p("Detail", styled("H2"))
        + p("one", numbered(1))
        + p("sub", numbered(1, 1))
        + p("deep", numbered(1, 2))
        + p("two", numbered(1))
        + p("between")
        + p("five", numbered(2))
        + p("none", numbered(0))
        + p("styled", styled("Bul"))
    )
    assert source(body, numbering=numbering, styles=styles) == (
        "# 1 Scope\n\n## 1.1 Detail\n\n1. one\n   - a) sub\n     - deep\n2. two\n\n"
        "between\n\n5. five\n\nnone\n\n- styled\n"
    )


def test_of_05_list_styles_of_a_real_file() -> None:
    """Files as python-docx writes them: lists by style alone, the depth in the style's name."""
    document = docx.Document()
    for name in ("List Bullet", "List Bullet 2", "List Number", "List Number"):
        document.add_paragraph(name, style=name)
    made = io.BytesIO()
    document.save(made)
    assert parse(made.getvalue()).source == "- List Bullet\n  - List Bullet 2\n\n1. List Number\n2. List Number\n"


def test_of_06_merged_cells_nested_tables_and_paragraphs_in_cells() -> None:
    """Columns do not shift; a table in a cell is read once, in its cell; paragraphs are not glued."""
    document = docx.Document()
    table = document.add_table(4, 3)
    for at, name in enumerate(("Item", "Q1", "Q2")):
        table.cell(0, at).text = name
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    table.cell(1, 1).merge(table.cell(1, 2)).text = "wide"
    table.cell(2, 1).text = "first\nsecond | third"
    inner = table.cell(2, 2).add_table(2, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text, inner.cell(1, 0).text = "n1", "n2", "n3"
    table.cell(3, 0).merge(table.cell(3, 2)).text = "note"
    made = io.BytesIO()
    document.save(made)
    assert parse(made.getvalue()).source == (
        "| Item | Q1 | Q2 |\n|---|---|---|\n| tall | wide | wide |\n"
        "| tall | first<br>second \\| third | n1; n2<br>n3 |\n"
        "| note |  |  |\n"
    )


def test_of_06_rows_that_begin_late_and_deleted_rows() -> None:
    """Cells skipped at the start of a row are there; a row whose deletion is tracked is not."""
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    body = (
        f"<w:tbl><w:tr>{cell.format('a')}{cell.format('b')}</w:tr>"
        f"<w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>{cell.format('late')}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell.format('deleted')}</w:tr></w:tbl>"
    )
    assert source(body) == "| a | b |\n|---|---|\n|  | late |\n"


def test_of_07_a_table_of_one_row_is_kept() -> None:
    """It is a table, too."""
    parsed = parse(word("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>alone</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"))
    assert (parsed.source, [block.kind for block in parsed.blocks]) == ("| alone |\n|---|\n", ["table"])


def test_of_08_notes_in_place_title_used_comments_off() -> None:
    """A note is read where it is referred to; comments are not; the title of the properties is the document's."""
    body = (
        "<w:p><w:r><w:t>Claim</w:t><w:footnoteReference w:id='2'/></w:r><w:commentRangeStart w:id='0'/>"
        "<w:r><w:t> and more</w:t><w:endnoteReference w:id='3'/><w:commentReference w:id='0'/></w:r></w:p>"
    )
    note = "<w:{0} w:id='{1}'><w:p><w:r><w:{0}Ref/><w:t>{2}</w:t></w:r></w:p></w:{0}>"
    parsed = parse(
        word(
            body,
            title="Annual report",
            footnotes=note.format("footnote", 2, "proof"),
            endnotes=note.format("endnote", 3, "source"),
            comments="<w:comment w:id='0'><w:p><w:r><w:t>really?</w:t></w:r></w:p></w:comment>",
        )
    )
    assert parsed.source == "Claim (footnote: proof) and more (endnote: source)\n"
    assert parsed.title == "Annual report"


@pytest.mark.parametrize(
    ("core", "expected"), [("Word Document", ""), ("Microsoft Word - a.doc", ""), ("Document1", "")]
)
def test_of_08_titles_that_programs_leave_behind_are_none(core: str, expected: str) -> None:
    """They would name every document alike."""
    assert parse(word(p("text"), title=core)).title == expected


def test_of_08_a_title_on_the_page_is_above_that_of_the_properties() -> None:
    """Properties are often those of the document that this one was made from."""
    parsed = parse(word(p("On the page", styled("Title")) + p("Part", styled("Heading1")), title="Old one"))
    assert (parsed.title, parsed.metadata["title"]) == ("On the page", "Old one")


def test_text_that_looks_like_markdown_stays_text() -> None:
    """No paragraph becomes a heading, an item, a table, a quote, code or a comment."""
    lines = [
        "# sharp", "- dash", "1. one", "2) two", "> quote", "| a | b |", "```", "~~~", "---", "***", "===", "&lt;!-- x",
        "[a]: b", "!!! note", "$$", "    indented", "+ plus", "&lt;Tabs&gt;", ":::", "/// x", "||", "| --- |",
        '=== "Tab"',
    ]  # fmt: skip
    parsed = parse(word("".join(p(line.replace("    ", "\t")) for line in lines)))
    assert [block.kind for block in parsed.blocks] == ["paragraph"] * len(lines)


def test_heading_text_is_plain() -> None:
    """What Markdown would make of it does not reach the path."""
    body = p("List&lt;String&gt; *and* C #", styled("Heading1"))
    assert headings(word(body)) == [(1, "List<String> *and* C #")]


def test_math_and_charts_are_text() -> None:
    """The letters of a formula stay in its sentence."""
    math = "<m:oMath><m:r><m:t>E=mc</m:t></m:r><m:sSup><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    assert source(f"<w:p><w:r><w:t>so </w:t></w:r>{math}</w:p>") == "so E=mc2\n"


def test_deep_nesting_is_bounded() -> None:
    """Tables in tables beyond what XML parsers allow are refused; up to there they are read."""
    open_, close = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    assert "deep" in source(open_ * 60 + p("deep") + close * 60)
