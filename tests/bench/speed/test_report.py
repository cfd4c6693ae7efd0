"""What is made of the rows: goals, tables and a plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from drawwell.bench.speed import Row, Size, SpeedReport, as_markdown, as_text, plot_speed
from drawwell.bench.speed.goals import judge
from drawwell.bench.speed.questions import KINDS
from drawwell.errors import ArgumentError, MissingExtra, SourceError

SVG = "{http://www.w3.org/2000/svg}"


def row(group: str, work: str, tool: str, ms: float, late: float = 0.0, sections: int = 200) -> Row:
    return Row(group=group, work=work, tool=tool, sections=sections, runs=5, p50_ms=ms, p95_ms=late or ms)


ROWS = (
    row("ingest", "cold", "drawwell", 100.0, sections=100),
    row("ingest", "one file changed", "drawwell", 50.0, sections=100),
    row("ingest", "cold", "drawwell", 200.0),
    row("ingest", "cold", "drawwell, store only", 100.0),
    row("ingest", "cold", "contextpull 0.2.1", 180.0),
    row("ingest", "one file changed", "drawwell", 55.0),
    Row(group="ingest", work="unchanged", tool="contextpull 0.2.1", sections=200, missing="exit code 1: no | luck"),
    row("search", KINDS[0], "drawwell", 1.0, 2.0, sections=100),
    row("search", KINDS[0], "contextpull 0.2.1", 90.0, 100.0, sections=100),
    row("search", KINDS[0], "drawwell", 1.5, 3.0),
    row("search", KINDS[0], "contextpull 0.2.1", 180.0, 240.0),
    row("search", KINDS[0], "Tantivy, same query bare", 0.5, 0.6),
    row("grep", "all patterns", "drawwell", 2.0),
    row("grep", "all patterns", "ripgrep 14.1", 30.0),
    row("grep", "word: a|b", "drawwell", 2.0),
    row("grep", "word: a|b", "ripgrep 14.1", 30.0),
    row("grep", "word: a|b", "ripgrep 14.1 less its start", 1.0),
    row("grep", "absent: x", "drawwell", 4.0),
    row("grep", "absent: x", "ripgrep 14.1", 32.0),
    row("grep", "absent: x", "ripgrep 14.1 less its start", 12.0),
    row("grep", "absent: x", "drawwell", 3.0, sections=100),
)


def report(rows: Sequence[Row]) -> SpeedReport:
    sizes = [Size(documents=size // 10, sections=size, bytes=size * 1000) for size in (100, 200)]
    return SpeedReport(
        documents=7,
        sections=70,
        bytes=70_000,
        machine="a machine",
        versions={"drawwell": "1.0"},
        sizes=tuple(sizes),
        rows=tuple(rows),
        goals=tuple(judge(rows)),
    )


def test_goals_are_judged_on_the_largest_corpus() -> None:
    """Each goal has its figure from the rows and says whether it is reached; what was not measured says so."""
    goals = {goal.what: (goal.figure, goal.reached) for goal in judge(ROWS)}
    assert goals["cold ingest, store only: times as fast as contextpull"] == (1.8, True)
    assert goals["cold ingest, every field: times as fast as contextpull"] == (0.9, False)
    assert goals["unchanged: times as fast as contextpull"] == (None, None)
    assert goals["cold ingest: power of sections"] == (1.0, True)
    assert goals["one file changed: power of sections"] == (0.1375, True)
    assert goals["questions, p50: times as fast as contextpull"] == (120.0, True)
    assert goals["questions, p95: times as fast as contextpull"] == (80.0, False)
    assert goals["questions, p50: times bare Tantivy"] == (3.0, True)
    assert goals["questions, p95: times bare Tantivy"] == (5.0, False)
    assert goals["questions, p50: power of sections"] == (0.585, True)
    assert goals["patterns, median: times as fast as ripgrep"] == (11.5, True)
    assert goals["patterns, median: times as fast as ripgrep less its start"] == (1.75, False)
    assert goals["slowest pattern: times as fast as ripgrep less its start"] == (0.5, False)
    assert goals["patterns, median: power of sections"] == (None, None)
    assert not [what for what in goals if "handshake" in what]
    assert {goal.sections for goal in judge(ROWS)} == {200}
    assert judge([]) == []


def test_goals_of_a_server() -> None:
    """Time and memory are counted above those of a bare server."""
    work = "start to handshake, idle memory"
    rows = [
        Row(group="serve", work=work, tool=tool, sections=9, runs=1, p50_ms=ms, p95_ms=ms, memory_mb=memory)
        for tool, ms, memory in (("drawwell", 700.0, 80.0), ("bare server, same SDK", 600.0, 66.0))
    ]
    assert [(goal.figure, goal.reached) for goal in judge(rows)] == [(100.0, True), (14.0, True)]


def test_text_and_markdown_have_every_table() -> None:
    """Both show goals, ratios and reasons; of single patterns those of the largest corpus only; Markdown is valid."""
    text, markdown = as_text(report(ROWS)), as_markdown(report(ROWS))
    for shown in (text, markdown):
        for part in (
            "Goals",
            "not reached",
            "Ingest, whole processes",
            "Search, 10 hits",
            "Grep, first page",
            "a machine",
        ):
            assert part in shown
        assert shown.count("absent: x") == 3
        assert "100 (10 files, 0.10 MB), 200 (20 files, 0.20 MB)" in shown
    assert "not measured: exit code 1: no | luck" in text
    assert re.search(r"contextpull 0\.2\.1 +5 +180 +240 +120\.00 +80\.00", text)
    for table in re.findall(r"(?:^\|.*\n)+", markdown + "\n", re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1
    assert r"word: a\|b" in markdown


def test_the_plot_is_a_picture_of_every_line(tmp_path: Path) -> None:
    """An SVG with a panel for search and one for grep, a legend entry for each line, and the same bytes each time."""
    place = tmp_path / "speed.svg"
    plot_speed(report(ROWS), place)
    tree = ET.parse(place)
    assert tree.getroot().tag == f"{SVG}svg"
    texts = {element.text for element in tree.iter(f"{SVG}text")}
    wanted = {
        "drawwell, p50",
        "drawwell, p95",
        "contextpull 0.2.1, p95",
        "ripgrep 14.1, p50",
        "sections",
        "milliseconds",
    }
    assert wanted <= texts
    first = place.read_bytes()
    plot_speed(report(ROWS), place)
    assert place.read_bytes() == first


def test_a_plot_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another suffix, a missing folder, nothing to draw and a missing package are each named."""
    full = report(ROWS)
    with pytest.raises(ArgumentError, match=r"ends in \.svg"):
        plot_speed(full, tmp_path / "speed.png")
    with pytest.raises(SourceError, match="is no folder"):
        plot_speed(full, tmp_path / "none" / "speed.svg")
    with pytest.raises(SourceError, match="nothing to draw"):
        plot_speed(report(ROWS[:7]), tmp_path / "speed.svg")
    monkeypatch.setattr("drawwell.bench.speed.plot.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"drawwell\[bench\]"):
        plot_speed(full, tmp_path / "speed.svg")
