"""The whole bench, as a user starts it, on tiny corpora."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.bench.speed.standins import install_contextpull, install_ripgrep
from tests.cli.helpers import Ran, drawwell

FIELDS = {"group", "work", "tool", "sections", "runs", "p50_ms", "p95_ms", "cpu_s", "memory_mb", "disk_mb"}
FIELDS |= {"recall", "vector_bytes", "missing"}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of six pages, with settings, a hidden file and a file that is no document."""
    folder = tmp_path / "docs"
    for number in range(6):
        page = folder / "guide" / f"page-{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(
            f"# Page number {number} of the guide\n\n"
            f"The gateway named in chapter {number} returns `TX-44{number}` when a client asks too often, and writes "
            "max_retry_count to the log so that whoever reads it later knows which of the limits has been reached.\n",
            encoding="utf-8",
        )
    (folder / "notes.xyz").write_text("not a document", encoding="utf-8")
    return folder


def bench(*arguments: str | Path, **environment: str) -> Ran:
    ran = drawwell("bench", "speed", *arguments, **environment)
    assert ran.code == 0, ran.err
    return ran


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a folder, with its time."""
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def of(rows: list[dict[str, Any]], group: str, work: str = "") -> dict[str, dict[str, Any]]:
    """The rows of one group (and work), by tool; the last of each."""
    return {row["tool"]: row for row in rows if row["group"] == group and work in ("", row["work"])}


def test_everything_beside_its_peers(docs: Path, tmp_path: Path) -> None:
    """Every group has a row for each tool, every goal but those of growth a figure; the folder is left alone."""
    install_contextpull()
    install_ripgrep(tmp_path / "bin")
    before = state(docs)
    small = ("--peers", "--runs", "1", "--questions", "2", "--vectors", "300", "--json", "--quiet")
    ran = bench(docs, *small, PATH=str(tmp_path / "bin"))
    assert ran.err == ""
    found = json.loads(ran.out)
    assert state(docs) == before
    assert (found["documents"], found["sections"]) == (6, 6)
    assert [(size["documents"], size["sections"]) for size in found["sizes"]] == [(6, 6)]
    assert found["versions"]["contextpull"] == "0.2.1"
    assert found["versions"]["ripgrep"] == "99.1.0"
    rows = found["rows"]
    for row in rows:
        assert set(row) == FIELDS
        assert row["sections"] == (300 if row["group"] == "vectors" else 6)
        assert bool(row["missing"]) == (row["p50_ms"] is None), row
        assert row["p50_ms"] is None or 0 <= row["p50_ms"] <= row["p95_ms"]
    for work in ("cold", "unchanged", "one file changed"):
        tools = of(rows, "ingest", work)
        assert set(tools) == {"drawwell", "drawwell, store only", "contextpull 0.2.1"}
        assert not [row["missing"] for row in tools.values() if row["missing"]]
        assert os.name == "nt" or tools["drawwell"]["cpu_s"] > 0
    cold = of(rows, "ingest", "cold")
    assert cold["drawwell"]["disk_mb"] > cold["drawwell, store only"]["disk_mb"] > 0
    asked = of(rows, "search", "question, 5-10 words")
    assert set(asked) == {"drawwell", "contextpull 0.2.1", "SQLite FTS5, any word", "Tantivy, same query bare"}
    assert all(row["runs"] == 2 for row in asked.values())
    assert of(rows, "search", "whole process")["drawwell"]["runs"] == 1
    ripgrep = {"ripgrep 99.1.0", "ripgrep 99.1.0 less its start"}
    assert set(of(rows, "grep", "all patterns")) == {"drawwell", "contextpull 0.2.1"} | ripgrep
    assert set(of(rows, "read")) == {"drawwell"}
    assert set(of(rows, "serve")) == {"drawwell", "bare server, same SDK"}
    assert {"drawwell", "NumPy, float32", "usearch, graph of float16"} < set(of(rows, "vectors", "among all"))
    assert found["goals"]
    assert all((goal["figure"] is None) == goal["what"].endswith("power of sections") for goal in found["goals"])


def test_several_sizes(docs: Path, tmp_path: Path) -> None:
    """Each size is a corpus of its own that is asked the same; growth is judged, and drawn as a picture."""
    small = ("--sizes", "2", "--largest", "24", "--only", "search, grep", "--runs", "1", "--json")
    found = json.loads(bench(docs, *small, "--questions", "2", "--quiet", "--plot", tmp_path / "speed.svg").out)
    assert [(size["documents"], size["sections"]) for size in found["sizes"]] == [(8, 8), (24, 24)]
    assert (found["documents"], found["sections"]) == (6, 6)
    works = [[row["work"] for row in found["rows"] if row["sections"] == size] for size in (8, 24)]
    assert works[0] == works[1]
    assert {row["group"] for row in found["rows"]} == {"search", "grep"}
    growth = [goal for goal in found["goals"] if goal["what"].endswith("power of sections")]
    assert len(growth) == 2
    assert all(goal["figure"] is not None for goal in growth)
    assert ET.parse(tmp_path / "speed.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_missing_peers_are_rows_that_say_why(docs: Path, tmp_path: Path) -> None:
    """Where no peer can be had the bench still measures drawwell, and names what is missing and why."""
    home = install_contextpull()
    for script in home.rglob("cli.py"):
        script.unlink()
    only = ("--only", "grep,search", "--peers", "--runs", "1", "--questions", "1", "--quiet")
    found = json.loads(bench(docs, *only, "--json", PATH=str(tmp_path)).out)
    rows = found["rows"]
    for group in ("search", "grep"):
        assert "contextpull.cli" in of(rows, group)["contextpull 0.2.1"]["missing"]
    assert "Install ripgrep" in of(rows, "grep", "all patterns")["ripgrep"]["missing"]
    assert of(rows, "grep", "all patterns")["drawwell"]["p50_ms"] > 0
    assert {goal["reached"] for goal in found["goals"] if "ripgrep" in goal["what"]} == {None}


def test_tables_for_a_person(docs: Path) -> None:
    """Without --json there are tables, in Markdown when asked for; what is being measured is said on stderr."""
    ran = bench(docs, "--only", "read")
    assert ran.out.startswith(
        "drawwell bench speed docs --only read --sizes 1 --runs 3 --questions 100\n\n6 documents, 6 sections"
    )
    assert "measuring: read, 6 sections" in ran.err
    text = bench("--only", "vectors", "--vectors", "200", "--questions", "3", "--quiet").out
    assert text.startswith("drawwell bench speed --only vectors --sizes 1 --runs 3 --questions 3 --vectors 200\n\n")
    assert "vectors: recall of the 10 nearest" in text
    assert "| 6 | read | drawwell |" in bench(docs, "--only", "read", "--markdown", "--quiet").out


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    """A folder without text, two forms at once, and a plot that cannot be written fail before anything is measured."""
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = drawwell("bench", "speed", empty, "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert "no document" in ran.err or "no text" in ran.err
    assert drawwell("bench", "speed", "--json", "--markdown").code == 2
    ran = drawwell("bench", "speed", "--only", "read,fly")
    assert ran.code == 2
    assert "'fly'" in ran.err
    ran = drawwell("bench", "speed", "--plot", tmp_path / "speed.png")
    assert ran.code == 2
    assert "measuring" not in ran.err
