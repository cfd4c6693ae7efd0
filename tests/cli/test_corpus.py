"""The reading commands: the tool's shape as JSON, readable text without, notes on stderr."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import drawwell as package
from drawwell.compose import open_corpus
from drawwell.corpus.store import places
from tests.cli.helpers import drawwell, drawwell_process

QUERY = "refund window annual plans"


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["search", QUERY], lambda c: c.search(QUERY)),
        (
            ["search", QUERY, "--in", "policies/refunds-2025.md", "--in", "policies/refunds-2024.md", "--limit", "3"],
            lambda c: c.search(QUERY, within=["policies/refunds-2025.md", "policies/refunds-2024.md"], limit=3),
        ),
        (["search", "zzzunknownzzz"], lambda c: c.search("zzzunknownzzz")),
        (["search", QUERY, "--mode", "plain"], lambda c: c.search(QUERY, mode="plain")),
        (["search", QUERY, "--max-tokens", "300"], lambda c: c.search(QUERY, max_tokens=300)),
        (["read", "policies/refunds-2025.md#1"], lambda c: c.read("policies/refunds-2025.md#1")),
        (
            ["read", "policies/refunds-2025.md#1", "--context", "1"],
            lambda c: c.read("policies/refunds-2025.md#1", context=1),
        ),
        (
            ["neighbours", "policies/refunds-2025.md#1", "--before", "0", "--after", "2"],
            lambda c: c.neighbours("policies/refunds-2025.md#1", before=0, after=2),
        ),
        (["grep", "TX-44"], lambda c: c.grep("TX-44")),
        (["grep", "TX-44[0-9]+", "--regex", "--lines"], lambda c: c.grep("TX-44[0-9]+", regex=True, lines=True)),
        (["grep", "refund", "--limit", "2"], lambda c: c.grep("refund", limit=2)),
        (["index"], lambda c: c.index()),
        (["index", "--prefix", "guides/"], lambda c: c.index("guides/")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_json_is_the_tools_result(arguments: list[str], call: object, handbook: Path) -> None:
    """``--json`` prints exactly what the operation returns, and nothing on stderr."""
    ran = drawwell(*arguments, "--json", "--store", handbook)
    assert (ran.code, ran.err) == (0, "")
    with open_corpus(handbook, ingest=False) as corpus:
        expected = package.to_json(call(corpus))  # type: ignore[operator]
    assert json.loads(ran.out) == json.loads(json.dumps(expected))


def test_search_for_people(handbook: Path) -> None:
    """Without ``--json`` each hit is an id with its headings, a snippet and a citation."""
    ran = drawwell("search", QUERY, handbook, "--limit", "2")
    assert ran.code == 0
    with open_corpus(handbook, ingest=False) as corpus:
        hits = corpus.search(QUERY, limit=2).hits
    assert len(hits) == 2
    for hit in hits:
        assert f"{hit.id}  {hit.heading_path}" in ran.out
        assert f"cite {hit.cite}" in ran.out
    assert "\x1b" not in ran.out


def test_no_hits_is_success_with_a_hint(handbook: Path) -> None:
    """Nothing found exits with 0; stdout is empty and stderr says what to try."""
    ran = drawwell("search", "zzzunknownzzz", handbook)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.strip()
    assert drawwell("search", "zzzunknownzzz", handbook, "--quiet").err == ""
    assert json.loads(drawwell("search", "zzzunknownzzz", handbook, "--json").out)["hits"] == []


def test_raw_gives_the_authors_characters(handbook: Path) -> None:
    """``read --raw`` prints the section's characters and not one more."""
    ran = drawwell("read", "policies/refunds-2025.md#1", handbook, "--raw")
    assert ran.out.replace("\r\n", "\n") in (handbook / "policies" / "refunds-2025.md").read_text(encoding="utf-8")
    assert ran.out.startswith("## Refund window")


def test_read_names_its_source(handbook: Path) -> None:
    """For people a section is headed by its citation, headings and lines; the anchor is marked among others."""
    text = drawwell("read", "policies/refunds-2025.md#1", handbook).out
    assert text.startswith("--- policies/refunds-2025.md#1@")
    assert "Refund policy 2025 > Refund window · lines 12-" in text
    around = drawwell("neighbours", "policies/refunds-2025.md#1", handbook).out
    assert around.count("--- ") == 2
    assert around.count("==> policies/refunds-2025.md#1@") == 1


def test_md_36_read_shows_the_items_around_a_section(tmp_path: Path) -> None:
    """MD-36: for people the enclosing items stand above the text, marked as context; the exact text is without them."""
    (tmp_path / "list.md").write_text("- outer item\n" + "  - an inner item with words\n" * 150, encoding="utf-8")
    lines = drawwell("read", "list.md#1", tmp_path).out.splitlines()
    assert lines[0].startswith("--- list.md#1@")
    assert lines[1] == "    in: - outer item"
    assert lines[2] == "  - an inner item with words"
    assert "outer" not in drawwell("read", "list.md#1", tmp_path, "--raw").out


def test_grep_for_people(handbook: Path) -> None:
    """Each match is an id, a line number and the line."""
    out = drawwell("grep", "TX-4419", handbook).out
    assert "release-notes.txt#" in out
    for line in out.splitlines():
        assert "TX-4419" in line
        assert line.split(":")[1].isdigit()


def test_grep_pattern_with_dashes(docs: Path) -> None:
    """A pattern that looks like an option goes behind two dashes."""
    (docs / "c.md").write_text("# Flags\n\nUse --no-cache here.\n")
    assert "--no-cache" in drawwell("grep", "--", "--no-cache", docs).out


def test_paging_by_cursor(handbook: Path) -> None:
    """What is left is offered on stderr, and its cursor continues."""
    first = drawwell("grep", "refund", handbook, "--limit", "2")
    cursor = first.err.split("--cursor ")[1].split()[0]
    second = drawwell("grep", "refund", handbook, "--limit", "2", "--cursor", cursor)
    assert second.out
    assert not set(first.out.splitlines()) & set(second.out.splitlines())


def test_folder_is_brought_up_to_date_first(docs: Path) -> None:
    """Naming the folder takes in what changed; ``--no-ingest`` and a store do not."""
    assert "a.md#" in drawwell("search", "refunds", docs).out
    (docs / "a.md").write_text("# Alpha\n\nNow about penguins.\n")
    assert drawwell("search", "penguins", docs, "--no-ingest").out == ""
    assert drawwell("search", "penguins", "--store", docs).out == ""
    ran = drawwell("search", "penguins", docs)
    assert "a.md#0" in ran.out
    assert "1 changed" in ran.err
    assert drawwell("search", "penguins", docs).err == ""
    assert "a.md#0" in drawwell("search", "penguins", docs / ".drawwell" / "store.sqlite").out


def test_skipped_files_are_told_with_what_was_taken_in(docs: Path) -> None:
    """When something was taken in and something skipped, both are said; without news nothing is."""
    (docs / "empty.md").write_text("")
    assert "took in 2 added, 1 skipped: see drawwell status" in drawwell("search", "gateways", docs).err
    assert drawwell("search", "gateways", docs).err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["read", "a.md"], "That is a document: add #0"),
        (["grep", ""], "Give at least one character"),
        (["grep", "(", "--regex"], "leave regex out"),
        (["search", "--no-cache"], "put -- before it: drawwell search -- --no-cache DIR"),
        (["grep", "--no-cache"], "put -- before it: drawwell grep -- --no-cache DIR"),
    ],
)
def test_a_wrong_argument_says_what_to_do(arguments: list[str], said: str, docs: Path) -> None:
    """A path without a number, no pattern, a broken expression, a query with a dash: each gets its own advice."""
    drawwell("ingest", docs)
    ran = drawwell(*arguments, cwd=docs)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_errors_are_json_where_the_answer_would_be(docs: Path) -> None:
    """With ``--json`` a failure is one line on stderr, the object that a tool answers."""
    cite = json.loads(drawwell("read", "b.txt#0", docs, "--json").out)["cite"]
    (docs / "c.txt").write_bytes((docs / "b.txt").read_bytes())
    (docs / "b.txt").write_text("Other words about gates.\n")
    ran = drawwell("read", cite, docs, "--json", "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert json.loads(ran.err)["moved_to"] == ["c.txt#0"]
    for arguments in (["read", "a.md#99", docs, "--json"], ["search", "--json"], ["search", "x", "--json", "--limt"]):
        assert set(json.loads(drawwell(*arguments, "--quiet").err)) == {"error", "suggestion"}
    assert drawwell("grep", "x", "none", "--", "--json").err.startswith("drawwell: ")


def test_nearest_store_is_found(docs: Path, tmp_path: Path) -> None:
    """Without a folder, the store here or above answers; where there is none, that is said."""
    deep = docs / "x" / "y"
    deep.mkdir(parents=True)
    drawwell("ingest", docs)
    assert "b.txt#0" in drawwell("search", "gateways", cwd=deep).out
    ran = drawwell("search", "gateways", cwd=tmp_path)
    assert ran.code == 1
    assert "no corpus in" in ran.err
    assert "drawwell ingest DIR" in ran.err


def test_store_by_flag_and_variable(docs: Path, tmp_path: Path) -> None:
    """``--store`` goes before the variable, and both before the folder's own place."""
    one, two = tmp_path / "one #1.sqlite", tmp_path / "two.sqlite"
    assert drawwell("ingest", docs, "--store", one).code == 0
    assert drawwell("ingest", docs, DRAWWELL_STORE=str(two)).code == 0
    assert one.exists()
    assert two.exists()
    assert not (docs / ".drawwell").exists()
    assert "b.txt#0" in drawwell("search", "gateways", "--store", one, cwd=tmp_path, DRAWWELL_STORE="none").out
    assert "b.txt#0" in drawwell("search", "gateways", cwd=tmp_path, CONTEXTPULL_STORE=str(two)).out
    ran = drawwell("search", "gateways", "--store", tmp_path / "none.sqlite")
    assert ran.code == 1
    assert "no store at" in ran.err


def test_missing_things_are_named(docs: Path, tmp_path: Path) -> None:
    """A folder that is not there, an unknown id: exit 1, what was wrong, what to do."""
    ran = drawwell("search", "x", tmp_path / "none")
    assert ran.code == 1
    assert "none does not exist" in ran.err
    ran = drawwell("read", "a.md#99", docs)
    assert ran.code == 1
    assert "a.md#99" in ran.err


def test_stale_citation_is_refused(docs: Path) -> None:
    """Reading by a citation whose text has changed exits with 1 and says so."""
    cite = json.loads(drawwell("read", "a.md#0", docs, "--json").out)["cite"]
    (docs / "a.md").write_text("# Alpha\n\nThe first document now says TX-2, which is another thing.\n")
    ran = drawwell("read", cite, docs)
    assert (ran.code, ran.out) == (1, "")
    assert "does not stand there any more" in ran.err


def test_export_chunks(handbook: Path) -> None:
    """Every section is one JSON object a line with id, text and source."""
    lines = drawwell("export-chunks", handbook).out.splitlines()
    chunks = [json.loads(line) for line in lines]
    assert all(set(chunk) == {"id", "text", "source"} for chunk in chunks)
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)
    sources = [chunk["source"] for chunk in chunks]
    assert sources == sorted(sources)
    assert "policies/refunds-2025.md" in sources


def test_cl_01_broken_pipe_is_quiet(handbook: Path) -> None:
    """CL-01: when the reader of the output goes away, the command ends without a word."""
    command = [sys.executable, "-m", "drawwell", "export-chunks", str(handbook)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


def test_output_is_utf8_in_any_locale(docs: Path) -> None:
    """Whatever the locale, text is printed as UTF-8."""
    (docs / "c.md").write_text("# Größe\n\n設定 is 45 °C.\n", encoding="utf-8")
    ran = drawwell_process("read", "c.md#0", docs, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert "設定 is 45 °C." in ran.out


def test_bad_setting_stops_only_those_who_need_it(docs: Path) -> None:
    """CL-02: a bad variable exits with 78 where it is used, and is no matter elsewhere."""
    drawwell("ingest", docs)
    bad = {"DRAWWELL_SECTION_MAX_CHARS": "ten"}
    assert drawwell("search", "gateways", "--store", docs, **bad).code == 0
    assert drawwell("--help", **bad).code == 0
    ran = drawwell("ingest", docs, **bad)
    assert ran.code == 78
    assert "DRAWWELL_SECTION_MAX_CHARS" in ran.err


def test_a_store_answers_where_nothing_can_be_written(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only folder answers from the store that it came with; stderr says that changes are not taken in."""
    assert drawwell("ingest", docs).code == 0
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(places, "writable", lambda folder: False)
    nowhere = str(tmp_path / "file" / "cache")
    ran = drawwell("search", "document", docs, XDG_CACHE_HOME=nowhere)
    assert ran.code == 0
    assert "a.md#0" in ran.out
    assert "changes could not be taken in" in ran.err
    ran = drawwell("search", "document", docs, "--no-ingest", XDG_CACHE_HOME=nowhere)
    assert (ran.code, ran.err) == (0, "")
    assert "a.md#0" in ran.out


def test_a_broken_project_file_stops_only_what_takes_in(docs: Path) -> None:
    """Whatever is in a project's pyproject.toml, the store can be read as it is."""
    assert drawwell("ingest", docs).code == 0
    for content in ("a = " + "9" * 5000, "a = " + "[" * 100_000, "[tool.drawwell"):
        (docs / "pyproject.toml").write_text(content)
        ran = drawwell("search", "document", docs)
        assert ran.code == 78
        assert "pyproject.toml" in ran.err
        for arguments in (("search", "document", docs, "--no-ingest"), ("status", docs)):
            assert drawwell(*arguments).code == 0
