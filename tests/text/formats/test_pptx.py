"""Presentations: slides in the order of the show, and everything on them that can be read."""

from __future__ import annotations

import io

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from drawwell.text.formats.pptx import parse
from tests.office import deck, strict


def paragraph(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def shape(*paragraphs: str, role: str = "") -> str:
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>' if role else ""
    return f"<p:sp>{place}<p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def titled(text: str) -> str:
    return shape(paragraph(text), role="title")


def test_pp_01_tables_notes_and_charts() -> None:
    """A real file: the table is a table with its merged cells, the notes are marked, the chart is its figures."""
    made = pptx.Presentation()
    page = made.slides.add_slide(made.slide_layouts[5])
    assert page.shapes.title is not None
    page.shapes.title.text = "Plan"
    table = page.shapes.add_table(2, 3, 0, 0, 900, 900).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 0).text, table.cell(1, 2).text = "a|b", "z"
    figures = CategoryChartData()
    figures.categories = ["East", "West"]
    figures.add_series("2024", (1, 2.5))
    figures.add_series("2025", (3, None))
    page.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 900, 900, figures)
    notes = page.notes_slide.notes_text_frame
    assert notes is not None
    notes.text = "Speak slowly\n# and clearly"
    data = io.BytesIO()
    made.save(data)
    parsed = parse(data.getvalue())
    assert parsed.title == "Plan"
    assert parsed.source == (
        "# Plan\n\n## Slide 1: Plan\n\n| a\\|b | a\\|b |  |\n|---|---|---|\n|  |  | z |\n\nChart\n\n"
        "|  | 2024 | 2025 |\n|---|---|---|\n| East | 1 | 3 |\n| West | 2.5 |  |\n\n"
        "> Notes: Speak slowly\n> \\# and clearly\n"
    )


def test_pp_01_the_words_of_a_diagram_are_nested() -> None:
    """SmartArt keeps them in a part of its own, as points and connections."""
    data = '<a:graphicData><dgm:relIds r:dm="rId1"/></a:graphicData>'
    frame = f"<p:graphicFrame><a:graphic>{data}</a:graphic></p:graphicFrame>"
    point = '<dgm:pt modelId="{0}" type="{1}"><dgm:t><a:p><a:r><a:t>{2}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    link = '<dgm:cxn srcId="{0}" destId="{1}" srcOrd="{2}"/>'
    points = [("0", "doc", ""), ("3", "node", "inner"), ("2", "node", "second"), ("1", "node", "first"),
              ("9", "pres", "layout")]  # fmt: skip
    links = [("0", "2", 1), ("0", "1", 0), ("1", "3", 0), ("3", "1", 0)]
    data = (
        f"<dgm:dataModel {{names}}><dgm:ptLst>{''.join(point.format(*one) for one in points)}</dgm:ptLst>"
        f"<dgm:cxnLst>{''.join(link.format(*one) for one in links)}</dgm:cxnLst></dgm:dataModel>"
    )
    made = deck(
        [(titled("Steps") + frame)],
        related={"1": [("diagramData", "../diagrams/data1.xml")]},
        parts={"ppt/diagrams/data1.xml": data},
    )
    assert parse(made).source.endswith("## Slide 1: Steps\n\n- first\n  - inner\n- second\n")


def test_pp_02_the_order_of_the_show_and_hidden_slides() -> None:
    """Not the order of the file's parts; a hidden slide keeps its number and says so."""
    made = deck([titled("Last"), titled("First"), titled("Spare")], order=[2, 3, 1], hidden=[3])
    expected = "# First\n\n## Slide 1: First\n\n## Slide 2: Spare (hidden)\n\n## Slide 3: Last\n"
    assert parse(made).source == parse(strict(made)).source == expected


def test_pp_03_bullets_are_nested_and_numbered() -> None:
    """Levels are levels, numbers count per level, one paragraph alone is a paragraph, breaks are kept."""
    auto = '<a:pPr lvl="{0}"><a:buAutoNum type="arabicPeriod"/></a:pPr>'
    listed = shape(
        paragraph("top"),
        paragraph("below", '<a:pPr lvl="1"/>'),
        paragraph("deepest", '<a:pPr lvl="2"/>'),
        paragraph("one", auto.format(1)),
        paragraph("two", auto.format(1)),
        paragraph(""),
        paragraph("end"),
    )
    alone = shape("<a:p><a:r><a:t>say</a:t></a:r><a:br/><a:r><a:t>this</a:t></a:r></a:p>")
    group = f"<p:grpSp><p:grpSp>{alone}</p:grpSp></p:grpSp>"
    made = deck([(listed + group + shape(paragraph("7"), role="sldNum"))])
    assert parse(made).source == (
        "## Slide 1\n\n- top\n  - below\n    - deepest\n  1. one\n  2. two\n- end\n\nsay\nthis\n"
    )


def test_a_slide_that_is_missing_is_reported() -> None:
    """The others are read."""
    parsed = parse(deck([titled("Here")], order=[1, 7]))
    assert parsed.warnings == ("slide 2 is missing from the file",)
    assert parsed.source == "# Here\n\n## Slide 1: Here\n"
