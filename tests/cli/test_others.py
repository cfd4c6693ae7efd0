"""Status, watch, config, instructions, tools-json, bench and demo."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import drawwell as package
from drawwell.cli.main import main
from drawwell.demo import QUESTION, corpus_folder
from tests.cli.helpers import drawwell


def test_status(docs: Path) -> None:
    """Status says what is there, what was skipped, and which files changed, without taking anything in."""
    (docs / "empty.md").write_text("")
    drawwell("ingest", docs)
    (docs / "b.txt").write_text("Other words.\n")
    (docs / "new.md").write_text("# New\n\nText.\n")
    for _ in range(2):
        found = json.loads(drawwell("status", docs, "--json").out)
        assert (found["documents"], found["state"]) == (2, "complete")
        assert found["skipped"] == [{"path": "empty.md", "reason": "no content"}]
        assert [set(each) for each in found["changed"]] == [{"path", "reason"}]
        assert found["changed"][0]["path"] == "b.txt"
        assert found["added"] == ["new.md"]
    ran = drawwell("status", cwd=docs)
    assert ran.code == 0
    for part in ("documents", "b.txt", "new.md", "empty.md"):
        assert part in ran.out


def test_status_without_a_store(docs: Path) -> None:
    """A folder that was never taken in is a failure that says what to do."""
    ran = drawwell("status", docs)
    assert ran.code == 1
    assert "drawwell ingest" in ran.err


def test_watch_takes_in_changes(docs: Path) -> None:
    """A changed file is in the store a moment later; an interrupt ends the watch with 130."""
    command = [sys.executable, "-m", "drawwell", "watch", str(docs), "--workers", "1"]
    with contextlib.ExitStack() as around:
        process = around.enter_context(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        around.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        assert "2 added" in process.stdout.readline()
        assert "watching" in process.stderr.readline()
        (docs / "b.txt").write_text("Now about penguins.\n")
        assert any("1 changed" in line for line in process.stdout)
        process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
        assert process.wait(20) == (1 if os.name == "nt" else 130)
        assert "Traceback" not in process.stderr.read()
    assert "b.txt#0" in drawwell("search", "penguins", "--store", docs).out


def test_config_shows_values_and_sources(docs: Path) -> None:
    """Each setting is shown with its value and where it was set; secrets are not."""
    (docs / "drawwell.toml").write_text("section_max_chars = 300\n")
    ran = drawwell("config", docs, DRAWWELL_TOKEN="a-very-secret-token", DRAWWELL_PORT="9000")
    assert ran.code == 0
    assert "300  (drawwell.toml)" in ran.out
    assert "9000  (DRAWWELL_PORT in the environment)" in ran.out
    assert "a-very-secret-token" not in ran.out
    assert "4  (default)" in ran.out
    rows = {row["name"]: row for row in json.loads(drawwell("config", docs, "--json").out)["settings"]}
    assert rows["section_max_chars"]["value"] == 300


def test_config_names_what_is_wrong(docs: Path) -> None:
    """A wrong value is shown with its place among the others, and the exit code is 78."""
    ran = drawwell("config", docs, DRAWWELL_PORT="many")
    assert ran.code == 78
    assert "DRAWWELL_PORT" in ran.out
    assert "section_max_chars" in ran.out
    (docs / "pyproject.toml").write_text("[tool.drawwell\n")
    ran = drawwell("config", docs)
    assert ran.code == 78
    assert "pyproject.toml" in ran.err
    assert "line 1" in ran.err


def test_instructions_and_tools(capsys: pytest.CaptureFixture[str]) -> None:
    """The rules of use are Markdown; the tools are the package's own, in both forms."""

    def printed(*arguments: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 0
        return capsys.readouterr().out

    assert printed("instructions").startswith("## ")
    assert json.loads(printed("tools-json")) == {"version": package.__version__, "tools": package.TOOLS}
    assert json.loads(printed("tools-json", "--openai"))["tools"] == package.openai_tools()


def test_demo_shows_a_refused_citation() -> None:
    """The tour ingests, searches, reads, greps, shows an edit and a move, and how each old citation is refused."""
    ran = drawwell("demo")
    assert ran.code == 0
    for command in ("ingest handbook", "index handbook", "search ", "read ", "grep TX-4419 handbook"):
        assert f"$ drawwell {command}" in ran.out
    assert "policies/refunds-2025.md#1@" in ran.out
    assert "Annual plans: 45 days" in ran.out
    assert "skipped" not in ran.out
    assert "(0) sections is front matter only" in ran.out
    assert "before: - Annual plans: 45 days" in ran.out
    assert "after:  - Annual plans: 60 days" in ran.out
    edited, moved = ran.out.split("$ drawwell read ")[-2:]
    for refused in (edited, moved):
        assert "does not stand there any more" in refused
        assert "(exit code 1, so a script" in refused
    assert "It stands nowhere else" in edited
    assert "before: Refund window, Hardware returns, Store credit" in edited
    assert "after:  Store credit, Refund window" in edited
    assert "It now stands at policies/refunds-2025.md#1" in moved
    assert "\n\n\n" not in ran.out
    assert all(len(line) <= 100 for line in edited.splitlines())
    assert "Traceback" not in ran.err


def test_demo_keeps_the_handbook(tmp_path: Path) -> None:
    """``--keep DIR`` leaves the unedited handbook in a new folder, on which the README's commands work."""
    ran = drawwell("demo", "--keep", "handbook", cwd=tmp_path)
    assert ran.code == 0
    assert "The handbook is in handbook" in ran.out
    kept = tmp_path / "handbook"
    assert not (kept / ".drawwell").exists()
    for path in corpus_folder().rglob("*.md"):
        assert (kept / path.relative_to(corpus_folder())).read_bytes() == path.read_bytes()
    assert "refunds-2025.md#1@d28bf5655e30" in drawwell("search", QUESTION, kept).out
    ran = drawwell("demo", "--keep", "handbook", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "a folder that is not there yet" in ran.err


def test_bench_and_demo_count_alike() -> None:
    """The bench counts documents as an ingest does, those of front matter only among them."""
    found = json.loads(drawwell("bench", "speed", "--only", "read", "--json", "--quiet").out)
    assert f"{found['documents']} documents with {found['sections']} sections" in drawwell("demo").out


def test_status_of_an_unfinished_store(docs: Path) -> None:
    """A store whose first ingest did not end names the command that ends it."""
    drawwell("ingest", docs)
    with contextlib.closing(sqlite3.connect(docs / ".drawwell" / "store.sqlite")) as store, store:
        store.execute("UPDATE meta SET value = 'building' WHERE key = 'drawwell.state'")
    assert "building" in drawwell("status", docs).out
    assert "finish with: drawwell ingest DIR" in drawwell("status", docs).out


def test_config_shows_the_faults_of_files_too(docs: Path) -> None:
    """Wrong keys and unreadable files are all named on stderr beside the values in force; the exit code is 78."""
    (docs / "drawwell.toml").write_text("section_max_chars = 300\nsection_min_char = 3\nzzz = 1\n")
    ran = drawwell("config", docs)
    assert ran.code == 78
    assert "300  (drawwell.toml)" in ran.out
    assert "section_min_char, zzz are not settings" in ran.err
    assert "Did you mean section_min_chars for section_min_char? drawwell config lists the settings" in ran.err
    ran = drawwell("config", docs, "--json")
    assert ran.code == 78
    assert json.loads(ran.out)["faults"][0]["error"].startswith("drawwell.toml: ")
    (docs / "pyproject.toml").write_text("[tool.drawwell\n")
    ran = drawwell("config", docs)
    assert "300  (drawwell.toml)" in ran.out
    assert "pyproject.toml is not valid TOML" in ran.err
    assert "zzz" in ran.err


def test_a_misspelt_variable_is_a_warning(docs: Path) -> None:
    """A variable that looks like ours and is none is named once with the nearest; the command works."""
    for command in (["ingest", docs], ["config", docs], ["search", "gateways", docs]):
        ran = drawwell(*command, DRAWWELL_MAX_FILE_BYTE="5", DRAWWELL_TOKEN="x", CONTEXTPULL_OTHER="1")
        assert ran.code == 0
        assert ran.err.count("not a setting") == 1
        assert "DRAWWELL_MAX_FILE_BYTE in the environment is not a setting: did you mean DRAWWELL_MAX_FILE_BYTES?" in (
            ran.err
        )
    assert "drawwell config lists" in drawwell("search", "gateways", docs, DRAWWELL_QQQQ="1").err
    assert drawwell("search", "gateways", docs, "--quiet", DRAWWELL_QQQQ="1").err == ""
