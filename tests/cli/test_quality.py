"""``drawwell bench quality``: from a folder of collections to tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from drawwell.cli import quality as command
from tests.cli.helpers import Ran, drawwell

COLLECTIONS = Path(__file__).parent.parent / "bench" / "collections"


def bench(*options: str) -> Ran:
    """Run the command on the miniature collections."""
    return drawwell("bench", "quality", "--collections", COLLECTIONS, *options)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """All measurements of all collections."""
    ran = bench("--json", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_json_has_every_collection_and_what_it_was_measured_by(report: dict[str, Any]) -> None:
    """Each collection and unit is there, with its rows; versions and the command are named."""
    units = [(one["name"], one["unit"], one["n"]) for one in report["collections"]]
    assert units == [
        ("garden", "documents", 3),
        ("pieces", "characters", 3),
        ("talks", "turns", 2),
        ("talks", "sessions", 2),
    ]
    assert report["command"].startswith("drawwell bench quality --collections ")
    assert report["version"]
    assert report["parser_version"] >= 1
    assert {"bm25s", "ir-measures", "numpy"} <= set(report["libraries"])
    rows = {row["system"]: row for row in report["collections"][0]["rows"]}
    assert set(rows) == {"FTS5 unicode61", "FTS5 porter unicode61", "bm25s", "drawwell lexical", "drawwell plain"}
    assert rows["FTS5 unicode61"]["ndcg10"] == pytest.approx(1)
    assert rows["FTS5 unicode61"]["difference"] is None
    dated = [row["system"] for row in report["collections"][2]["rows"] if row["system"].startswith("with dates, FTS5")]
    assert len(dated) == 2


def test_drawwell_answers_the_miniature_collections(report: dict[str, Any]) -> None:
    """Three easy questions are answered in full, each by a file of its own, by either mode and cut."""
    for one in report["collections"]:
        for row in one["rows"]:
            if row["system"] == "drawwell lexical":
                assert row.get("recall10", row.get("recall")) == pytest.approx(1), one["name"]


def test_tables_for_people_and_for_a_page() -> None:
    """A table for each collection on stdout, progress on stderr; Markdown when asked for; nothing is written."""
    before = sorted(COLLECTIONS.rglob("*"))
    ran = bench("--only", "garden", "--modes", "plain", "--limit", "2")
    assert ran.code == 0
    assert "garden, documents: 2 questions, 6 documents, floor FTS5 unicode61" in ran.out
    assert "drawwell plain" in ran.out
    assert "drawwell lexical" not in ran.out
    assert "garden: drawwell plain" in ran.err
    ran = bench("--only", "pieces,talks", "--modes", "lexical", "--markdown", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert "### pieces, characters\n" in ran.out
    assert "\n| system | recall@5 |" in ran.out
    assert "\n| drawwell lexical | " in ran.out
    assert "1 questions without an answer left out" in ran.out
    assert sorted(COLLECTIONS.rglob("*")) == before


def test_a_collection_without_an_answer_is_left_out(tmp_path: Path) -> None:
    """When no question has an answer, that is said and the rest goes on."""
    for name in ("garden", "talks"):
        shutil.copytree(COLLECTIONS / name, tmp_path / name)
    (tmp_path / "garden" / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq3\tfrost\t0\n", encoding="utf-8")
    ran = drawwell("bench", "quality", "--collections", tmp_path, "--modes", "plain", "--json")
    assert [one["name"] for one in json.loads(ran.out)["collections"]] == ["talks", "talks"]
    assert "garden: no question has an answer; left out" in ran.err


def test_wrong_options_say_what_they_take() -> None:
    """Unknown collections and modes are named with the known ones; two forms of output exclude each other."""
    ran = bench("--only", "weeds")
    assert (ran.code, ran.out) == (2, "")
    assert "takes names of collections: garden, pieces, talks" in ran.err
    ran = bench("--modes", "dense")
    assert ran.code == 2
    assert "--modes: got 'dense', takes lexical, plain" in ran.err
    ran = bench("--json", "--markdown")
    assert ran.code == 2
    assert "exclude each other" in ran.err


def test_a_wrong_collection_names_file_and_line(tmp_path: Path) -> None:
    """A line that is not JSON ends the run with its place."""
    (tmp_path / "documents.jsonl").write_text("{\n", encoding="utf-8")
    ran = drawwell("bench", "quality", "--collections", tmp_path)
    assert ran.code == 1
    assert "documents.jsonl, line 1: is not JSON" in ran.err


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages the command says how to install them."""
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    ran = bench()
    assert ran.code == 69
    assert "pip install 'drawwell[bench]'" in ran.err
