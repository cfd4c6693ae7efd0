"""PDF to text: headings by type, lines to paragraphs, lists and tables, columns, headers and footers, pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.text.blocks import Parsed
from drawwell.text.formats.pdf import parse
from drawwell.text.sections import SectionLimits, cut
from tests.pdfs import LOREM, Paper, pdf

LIMITS = SectionLimits(2000, 40, 4)


def headings(parsed: Parsed) -> list[tuple[int, str]]:
    """Level and text of every heading."""
    return [(block.level, block.text) for block in parsed.blocks if block.kind == "heading"]


def of(*draw: dict[str, object], **more: str) -> Parsed:
    """One page."""
    return parse(pdf([{"draw": draw}], **more))


def flow(y: float, text: str = LOREM, x: float = 60, width: float = 475) -> dict[str, object]:
    return {"at": [x, y], "flow": text, "width": width}


def test_headings_are_what_is_a_fifth_larger_than_the_body() -> None:
    """The size of most characters is the body's; larger lines are headings, the largest of level 1."""
    parsed = of(
        {"at": [60, 80], "text": "The pump", "size": 22},
        {"at": [60, 110], "text": "Care", "size": 14},
        flow(140),
        {"at": [60, 240], "text": "Hardly larger than the body", "size": 11},
        {"at": [60, 270], "text": "Repair", "size": 14},
        flow(300),
    )
    assert headings(parsed) == [(1, "The pump"), (2, "Care"), (2, "Repair")]
    assert "\n\nHardly larger than the body\n" in parsed.source


def test_large_type_of_more_than_120_characters_is_no_heading() -> None:
    """A whole paragraph in large type is text."""
    parsed = of(flow(80, LOREM * 4), {"at": [60, 400], "flow": LOREM, "width": 475, "size": 14})
    assert headings(parsed) == []
    assert parsed.source.count("Nobody may open the housing") == 5


def test_pd_03_a_size_that_the_matrix_sets_counts() -> None:
    """A font of size 1, scaled by the text matrix, has the size that is seen."""
    parsed = of({"at": [60, 80], "scaled": "Scaled heading", "size": 18}, flow(110))
    assert headings(parsed) == [(1, "Scaled heading")]


def test_pd_04_columns_are_read_one_after_the_other() -> None:
    """Two columns are not interleaved, and what stands across them parts what is above from what is below."""
    parsed = of(
        {"at": [150, 60], "text": "A title across both columns", "size": 20},
        flow(100, "ALPHA " + LOREM, 60, 225),
        flow(103, "BETA " + LOREM, 310, 225),
        flow(300, "GAMMA a line that goes across both of the columns and parts them, as captions do.", 60, 475),
        flow(330, "DELTA " + LOREM, 60, 225),
        flow(330, "EPSILON " + LOREM, 310, 225),
    )
    order = [parsed.source.index(word) for word in ("A title", "ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON")]
    assert order == sorted(order)
    assert parsed.source.count(LOREM.strip()) == 4


def test_pd_04_a_sentence_goes_on_in_the_next_column() -> None:
    """The last line of a column and the first of the next are one paragraph when the sentence is not at its end."""
    parsed = of(flow(100, LOREM + "The last sentence is not", 60, 225), flow(100, "yet at its end. " + LOREM, 310, 225))
    assert "The last sentence is not yet at its end." in parsed.source


def test_pd_05_what_comes_back_on_pages_is_removed() -> None:
    """Headers, footers and page numbers are no part of the text; other rows near the edge stay."""
    pages = [{"draw": [flow(70, f"Chapter {number} begins. " + LOREM)]} for number in range(1, 6)]
    parsed = parse(pdf(pages, header="Pump manual, 4th edition", footer="Page {n} of 5"))
    assert "edition" not in parsed.source
    assert not re.search(r"Page \d", parsed.source)
    assert [f"Chapter {number} begins." in parsed.source for number in range(1, 6)] == [True] * 5
    assert len(parsed.pages) == 5


def test_pd_05_a_running_head_that_changes_goes_with_its_page_number() -> None:
    """The number that counts with the pages tells a running head, whatever chapter it names."""
    paper = Paper()
    for number in range(1, 7):
        paper.page().line(60, 40, f"Of the {'seals' if number < 3 else 'motor' if number < 5 else 'filter'}", 9)
        paper.line(520, 40, str(number + 10), 9)
        paper.text(60, 90, LOREM, 475)
    assert "Of the" not in parse(paper.data()).source


def test_pd_05_what_stands_once_stays() -> None:
    """A letterhead on the only page and a heading at the top of several pages are text."""
    assert "Heron Ltd" in of({"at": [60, 40], "text": "Heron Ltd"}, flow(90)).source
    pages = [
        {"draw": [{"at": [60, 60], "text": f"Step {number}", "size": 18}, flow(100, f"{number}. {LOREM}")]}
        for number in range(1, 6)
    ]
    assert [text for _, text in headings(parse(pdf(pages)))] == [f"Step {number}" for number in range(1, 6)]


def test_pd_06_lines_are_joined_to_paragraphs() -> None:
    """A line's end is a blank, a gap or an indented line begins a paragraph, and a broken word is whole again."""
    parsed = of(
        flow(80),
        flow(160, "The intake filter"),
        {
            "at": [60, 200],
            "lines": [
                "This line is as long as the column and breaks a word at its very end so that it must be inter-",
                "national again, while a compound like well-known keeps its hyphen where the line ends at well-",
                "known places. Here is the end.",
            ],
        },
        {"at": [72, 236], "text": "An indented line begins another paragraph and goes on to the end of the column"},
    )
    assert f"{LOREM.strip()}\n\nThe intake filter\n\n" in parsed.source
    assert "must be international again" in parsed.source
    assert "where the line ends at well-known places." in parsed.source
    assert "Here is the end.\n\nAn indented line" in parsed.source


def test_pd_06_lists_are_kept() -> None:
    """Items with their marks, numbers and levels; the lines of an item are joined."""
    parsed = of(
        flow(80),
        {"at": [70, 160], "text": "- the first item of the list, which is so long that it needs a second line, as the"},
        {"at": [76, 172], "text": "width of the page is not enough for it"},
        {"at": [84, 184], "text": "- an item inside it"},
        {"at": [70, 196], "text": "- the last item"},
        {"at": [70, 220], "lines": ["1. Close the valve.", "2. Open the housing.", "3. Change the seal."]},
    )
    assert (
        "- the first item of the list, which is so long that it needs a second line, as the width of the page is not"
        in parsed.source.replace("\n  ", " ")
    )
    assert "\n  - an item inside it\n- the last item\n" in parsed.source
    assert "\n1. Close the valve.\n2. Open the housing.\n3. Change the seal.\n" in parsed.source
    assert [block.kind for block in parsed.blocks] == ["paragraph", "list", "list"]


def test_pd_07_a_title_and_a_heading_of_one_size_stay_two() -> None:
    """Lines of the same type are parted by their place; a heading that was wrapped is one."""
    parsed = of(
        {"at": [60, 80], "text": "The Pump", "size": 20},
        {"at": [60, 104], "text": "Safety", "size": 20},
        flow(140, LOREM * 3),
        {
            "at": [60, 400],
            "flow": "A heading that is too long for one line and so goes on below it",
            "width": 475,
            "size": 20,
        },
        flow(460),
    )
    assert headings(parsed) == [
        (1, "The Pump"),
        (1, "Safety"),
        (1, "A heading that is too long for one line and so goes on below it"),
    ]
    assert parsed.title == "The Pump"


def test_pd_08_ruled_tables_become_tables() -> None:
    """Ruled lines make the cells, and a cell that spans columns keeps its text whole."""
    parsed = of(
        flow(80),
        {"at": [60, 180], "ruled": [["Code", "Meaning"], ["E1", "No water"], ["E2", "Over|heat"]]},
        flow(300, "After the table. " + LOREM),
    )
    assert "| Code | Meaning |\n|---|---|\n| E1 | No water |\n| E2 | Over\\|heat |\n\nAfter the table." in parsed.source


def test_pd_08_a_cell_over_two_columns_is_not_cut() -> None:
    """Where no wall stands between two columns their words are one cell."""
    paper = Paper().page()
    for y in (100, 120, 140, 160):
        paper.file.line(60, y, 360, y)
    for x in (60, 360):
        paper.file.line(x, 100, x, 160)
    for x in (160, 260):
        paper.file.line(x, 120, x, 160)
    paper.line(64, 114, "Weights and prices of all of the spare parts")
    for y, row in ((134, ("Seal", "3 g", "12.50")), (154, ("Motor", "8 kg", "430.00"))):
        for x, text in zip((64, 164, 264), row, strict=True):
            paper.line(x, y, text)
    source = parse(paper.data()).source
    assert "| Weights and prices of all of the spare parts |  |  |" in source
    assert "| Motor | 8 kg | 430.00 |" in source


def test_pd_08_aligned_rows_become_a_table() -> None:
    """Without ruled lines, rows whose cells stand in the same columns are a table; a wrapped cell is one."""
    rows = [
        ("Part", "Price", "Note"),
        ("Seal A-40", "12.50", "rubber"),
        ("Motor", "430.00", "three phases"),
        ("Filter", "7.00", "paper"),
    ]
    draw = [
        {"at": [x, 160 + 18 * number], "text": text}
        for number, row in enumerate(rows)
        for x, text in zip((60, 180, 300), row, strict=True)
    ]
    parsed = of(flow(80), *draw, {"at": [300, 226], "text": "or cloth"}, flow(300))
    assert "| Part | Price | Note |\n|---|---|---|\n| Seal A-40 | 12.50 | rubber |" in parsed.source
    assert "| Filter | 7.00 | paper or cloth |\n" in parsed.source


def test_code_keeps_its_lines_and_columns() -> None:
    """Lines in a typewriter font are code, with their indentation."""
    parsed = of(
        flow(80), {"at": [60, 160], "lines": ["if full:", "    stop()", "# done"], "font": "Courier"}, flow(220)
    )
    assert "\n```\nif full:\n    stop()\n# done\n```\n" in parsed.source
    assert headings(parsed) == []


def test_text_does_not_become_structure() -> None:
    """What looks like Markdown at the start of a line is text; the words stay as they are."""
    for text in ("# no heading", "> no quote", "| no table |", "```", "<div>", "![x](y) *a* snake_case", "--- ---"):
        parsed = of(flow(80), {"at": [60, 200], "text": text}, flow(250))
        assert [block.kind for block in parsed.blocks] == ["paragraph"] * 3, text
        assert text in parsed.source.replace("\\", "")


def test_a_bookmark_makes_its_line_a_heading() -> None:
    """An entry of the outline that a line agrees with is a heading though the type is the body's."""
    paper = Paper().page()
    paper.line(60, 60, "Handbook", 20)
    paper.file.set_font("Helvetica", "B", 10)
    paper.file.set_xy(60, 80)
    paper.file.start_section("Seals")
    paper.line(60, 90, "1.2 Seals", 10, style="B")
    paper.text(60, 120, LOREM, 475)
    assert headings(parse(paper.data())) == [(1, "Handbook"), (2, "1.2 Seals")]


def test_the_title_is_the_declared_one_only_if_it_is_shown() -> None:
    """A title in the properties counts when the first page shows it; else the heading that the page begins with."""
    draw = ({"at": [60, 80], "text": "The Pump", "size": 20}, flow(120))
    assert of(*draw, title="The pump").title == "The pump"
    assert of(*draw, title="Microsoft Word - draft7.doc").title == "The Pump"
    assert of(flow(120), title="Microsoft Word - draft7.doc").title == ""


def test_text_that_was_turned_is_read() -> None:
    """A page whose text runs upwards is read like any other, and a turned stamp comes after the text."""
    paper = Paper().page()
    with paper.file.rotation(90, 300, 400):
        paper.text(60, 400, "Turned. " + LOREM, 475)
    assert f"Turned. {LOREM.strip()}" in parse(paper.data()).source
    paper = Paper().page()
    paper.text(60, 100, LOREM, 475)
    with paper.file.rotation(90, 30, 500):
        paper.line(30, 500, "Draft of 2026")
    assert parse(paper.data()).source.endswith(
        "next cycle begins. Nobody may open the housing while the motor turns.\n\nDraft of 2026\n"
    )


def test_pd_09_pages_begin_where_their_text_does() -> None:
    """The offsets of the pages lead to their first words, and sections carry the pages that they are on."""
    pages = [{"draw": [{"at": [60, 60], "text": f"Part {name}", "size": 18}, flow(100)]} for name in "ABC"]
    parsed = parse(pdf([pages[0], {"draw": []}, *pages[1:]]))
    assert [parsed.source[at:].lstrip()[:8] for at in parsed.pages] == ["# Part A", "# Part B", "# Part B", "# Part C"]
    sections = cut(parsed, "manual", LIMITS).sections
    assert [(one.first_page, one.last_page) for one in sections] == [(1, 1), (3, 3), (4, 4)]


def test_pd_09_a_paragraph_over_two_pages_is_on_both() -> None:
    """The page changes inside of the paragraph."""
    parsed = parse(
        pdf([{"draw": [flow(700, LOREM + "The last one goes")]}, {"draw": [flow(80, "on overleaf. " + LOREM)]}])
    )
    assert "The last one goes on overleaf." in parsed.source
    assert parsed.source[parsed.pages[1] :].startswith("on overleaf.")
    (section,) = cut(parsed, "manual", LIMITS).sections
    assert (section.first_page, section.last_page) == (1, 2)


_WORDS = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 19)),  # a place on the page, wide enough for any of them
    st.tuples(
        st.text(st.sampled_from("abcdefgh123#-*|_."), min_size=1, max_size=9),
        st.integers(0, 20),
        st.sampled_from((6, 10, 10, 10, 14)),
        st.sampled_from(("Helvetica", "Helvetica", "Courier")),
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(_WORDS)
def test_no_letter_is_lost_wherever_it_stands(words: dict[tuple[int, int], tuple[str, int, int, str]]) -> None:
    """Whatever stands anywhere on a page, its letters are in the text once, and the sections tile it."""
    paper = Paper().page()
    for (column, row), (text, shift, size, font) in words.items():
        paper.line(20 + 140 * column + shift, 30 + 40 * row + shift, text, size, font)
    paper.line(300, 835, "Z")
    parsed = parse(paper.data())
    drawn = "Z" + "".join(text for text, *_ in words.values())
    assert sorted(filter(str.isalnum, parsed.source)) == sorted(filter(str.isalnum, drawn))
    sections = cut(parsed, "x", LIMITS).sections
    assert "".join(parsed.source[one.span.start : one.span.end] for one in sections) == parsed.source


@pytest.mark.parametrize("size", [1.0, 4.0, 72.0])
def test_any_type_size_is_read(size: float) -> None:
    """Very small and very large type is text."""
    assert "Water" in of({"at": [60, 300], "text": "Water", "size": size}).source
