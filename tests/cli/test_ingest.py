"""``drawwell ingest``: the report, the dry run, strictness, and what a server's child prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.cli.helpers import drawwell


def test_report_and_store(docs: Path) -> None:
    """The report says what was done; the store is beside the documents and nothing else is written."""
    before = sorted(path.name for path in docs.iterdir())
    ran = drawwell("ingest", docs)
    assert (ran.code, ran.err) == (0, "")
    assert "2 added" in ran.out
    assert sorted(path.name for path in docs.iterdir()) == [".drawwell", *before]
    assert "2 unchanged" in drawwell("ingest", docs).out
    assert drawwell("ingest", docs, "--quiet").out == ""


def test_report_as_json(docs: Path) -> None:
    """``--json`` has every count of the report, and skipped files and warnings as objects with path and reason."""
    (docs / "empty.md").write_text("")
    report = json.loads(drawwell("ingest", docs, "--json").out)
    assert (report["seen"], report["added"], report["documents"]) == (3, 2, 2)
    assert report["skipped"] == [{"path": "empty.md", "reason": "no content"}]
    assert report["store"].endswith("store.sqlite")
    assert report["index_mode"] == "flat"


def test_strict_fails_on_a_skipped_file(docs: Path) -> None:
    """``--strict`` exits with 1 when anything was skipped, after doing the work; else with 0."""
    assert drawwell("ingest", docs, "--strict").code == 0
    (docs / "empty.md").write_text("")
    ran = drawwell("ingest", docs, "--strict")
    assert ran.code == 1
    assert "empty.md" in ran.out
    assert "--strict: files skipped: 1" in ran.err
    assert drawwell("ingest", docs).code == 0


def test_dry_run_writes_nothing(docs: Path) -> None:
    """``--dry-run`` counts kinds, names what is ignored and why, and leaves the folder alone."""
    (docs / ".gitignore").write_text("b.txt\n")
    ran = drawwell("ingest", docs, "--dry-run")
    assert ran.code == 0
    assert "markdown: 1" in ran.out
    assert "b.txt" in ran.out
    assert ".gitignore" in ran.out
    assert not (docs / ".drawwell").exists()
    found = json.loads(drawwell("ingest", docs, "--dry-run", "--json", "--no-gitignore").out)
    assert {kind["kind"]: kind["files"] for kind in found["kinds"]} == {"markdown": 1, "text": 1}


def test_missing_and_empty_folders_fail(tmp_path: Path) -> None:
    """Where there is nothing to read, the exit code is 1 and the path and known endings are named."""
    (tmp_path / "empty").mkdir()
    for folder in ("none", "empty"):
        ran = drawwell("ingest", tmp_path / folder)
        assert (ran.code, ran.out) == (1, "")
        assert folder in ran.err
    assert ".md" in ran.err
    assert drawwell("ingest", tmp_path / "none", "--dry-run").code == 1


def test_nothing_but_skipped_files_fails(tmp_path: Path) -> None:
    """Where every file is skipped the report says why, and the exit code is 1, of a reading command too."""
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "blank.md").write_text(" \n")
    ran = drawwell("ingest", tmp_path)
    assert ran.code == 1
    assert "skipped: empty.md: no content" in ran.out
    assert "no document that can be taken in" in ran.err
    assert len(json.loads(drawwell("ingest", tmp_path, "--json").out)["skipped"]) == 2
    asked = drawwell("search", "x", tmp_path)
    assert (asked.code, asked.out) == (1, "")
    assert "no document that can be taken in" in asked.err


def test_dry_run_takes_no_empty_file(docs: Path, tmp_path: Path) -> None:
    """An empty file is not counted as to be taken, and a folder without anything to take fails."""
    (docs / "empty.md").write_text("")
    (docs / "drafts").mkdir()
    (docs / ".drawwellignore").write_text("drafts/\n")
    found = json.loads(drawwell("ingest", docs, "--dry-run", "--json").out)
    assert {kind["kind"]: kind["files"] for kind in found["kinds"]} == {"markdown": 1, "text": 1}
    assert found["skipped"] == [{"path": "empty.md", "reason": "no content"}]
    assert [set(each) for each in found["ignored"]] == [{"path", "reason"}]
    only = tmp_path / "only"
    only.mkdir()
    for text in (None, ""):
        if text is not None:
            (only / "a.md").write_text(text)
        ran = drawwell("ingest", only, "--dry-run")
        assert ran.code == 1
        assert "0 documents to take" in ran.out
        assert ".md" in ran.err


def test_a_file_in_place_of_its_folder(docs: Path) -> None:
    """A document that is named instead of its folder is refused, and the folder is named."""
    for command in (["ingest"], ["search", "x"], ["status"]):
        ran = drawwell(*command, docs / "a.md")
        assert ran.code == 1
        assert "a.md is a file, not a folder" in ran.err
        assert f"Name its folder: {docs}" in ran.err


def test_waiting_is_said(docs: Path) -> None:
    """An ingest that waits for another says so in one line where there is no terminal, unless it is to be quiet."""
    from drawwell.corpus.store.lock import StoreLock

    drawwell("ingest", docs)
    with StoreLock(docs / ".drawwell" / "store.sqlite", 5):
        ran = drawwell("ingest", docs, "--wait", "0.2")
        quiet = drawwell("ingest", docs, "--wait", "0.2", "--quiet")
    assert ran.code == quiet.code == 1
    assert ran.err.count("waiting for another ingest of this store") == 1
    assert "waiting for" not in quiet.err


def test_prune(docs: Path) -> None:
    """More than half of the documents gone at once needs ``--prune``."""
    for number in range(8):
        (docs / f"n{number}.md").write_text(f"# N{number}\n\nText {number} of one document.\n")
    drawwell("ingest", docs)
    for number in range(8):
        (docs / f"n{number}.md").unlink()
    ran = drawwell("ingest", docs)
    assert ran.code == 1
    assert "--prune" in ran.err
    assert "8 deleted" in drawwell("ingest", docs, "--prune").out


def test_flags_go_before_files(docs: Path) -> None:
    """A flag goes before the project's file, which goes before the default."""
    (docs / "long.md").write_text("# Long\n\n" + "Words of one sentence. " * 100)
    (docs / "drawwell.toml").write_text("section_max_chars = 400\n")

    def sections(*flags: str) -> int:
        return int(json.loads(drawwell("ingest", docs, "--json", *flags).out)["sections"])

    by_file = sections()
    assert sections("--max-chars", "200") > by_file > sections("--max-chars", "3000")


def test_two_settings_that_do_not_fit(docs: Path) -> None:
    """Sizes that contradict each other are refused, both named."""
    ran = drawwell("ingest", docs, "--max-chars", "200", "--min-chars", "300")
    assert ran.code == 78
    assert "section_min_chars" in ran.err
    assert "section_max_chars" in ran.err


def test_events_are_lines_of_json(docs: Path) -> None:
    """A server's child prints progress and at its end the report, one JSON object a line."""
    command = [sys.executable, "-m", "drawwell", "ingest", str(docs), "--events"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        events = [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    assert all(set(event) == {"stage", "done", "total", "path"} for event in events[:-1])
    assert len(events) > 1
    assert events[-1]["report"]["documents"] == 2


def test_events_tell_an_error(tmp_path: Path) -> None:
    """A failure is an event too, with message and suggestion, and the exit code says so."""
    command = [sys.executable, "-m", "drawwell", "ingest", str(tmp_path / "none"), "--events"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        events = [json.loads(line) for line in process.stdout]
    assert process.returncode == 1
    assert "none" in events[-1]["error"]["message"]
    assert events[-1]["error"]["suggestion"]


def test_the_child_leaves_with_its_parent(docs: Path) -> None:
    """When its stdin ends while it waits for another ingest, the child ends at once."""
    from drawwell.corpus.store.lock import StoreLock

    drawwell("ingest", docs)
    store = docs / ".drawwell" / "store.sqlite"
    command = [sys.executable, "-m", "drawwell", "ingest", str(docs), "--events"]
    with StoreLock(store, 5):
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name != "nt"
        )
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            if json.loads(line)["stage"] == "waiting":
                break
        process.stdin.close()
        assert process.wait(20) != 0
        process.stdout.close()
