"""Parsing in other processes: order, and what happens when one dies, hangs, prints or cannot be started."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from drawwell.corpus.ingest import pool
from drawwell.corpus.ingest.pool import parse_all
from drawwell.corpus.ingest.records import Document, ParseTask, Rejected, Spooled
from drawwell.corpus.options import IngestOptions
from drawwell.text import formats
from tests.corpus import bad_parsers
from tests.corpus.folders import fill, rows, take, texts


@pytest.fixture(autouse=True)
def processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse in processes however little there is to do, and know the formats that misbehave."""
    monkeypatch.setattr(pool, "_INLINE_BYTES", 0)
    monkeypatch.setattr(pool, "_BOOTSTRAP", bad_parsers.BOOTSTRAP)
    for suffix, entry in bad_parsers.FORMATS.items():
        monkeypatch.setitem(formats._BY_SUFFIX, suffix, entry)


def tasks(root: Path) -> list[ParseTask]:
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return [ParseTask(name, name, (root / name).stat().st_size, "k", IngestOptions()) for name in names]


def run(root: Path, workers: int = 2) -> dict[str, Document | Rejected]:
    return {outcome.path: outcome for outcome in parse_all(root, tasks(root), workers)}


def reason(outcome: Document | Rejected) -> str:
    assert isinstance(outcome, Rejected), outcome
    return outcome.reason


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_outcomes_come_in_order(tmp_path: Path, workers: int) -> None:
    """However long each takes, and with more files than are under way at once."""
    fill(tmp_path, {f"{n:02}.md": f"# Document {n}\n\n" + "Some text. " * (40 - n) for n in range(40)})
    outcomes = list(parse_all(tmp_path, tasks(tmp_path), workers))
    assert [outcome.path for outcome in outcomes] == [task.path for task in tasks(tmp_path)]
    assert all(isinstance(outcome, Document) for outcome in outcomes)


def test_a_process_that_dies_costs_its_file_only(tmp_path: Path) -> None:
    """The files before and after it are parsed; it is not held against the file for ever."""
    good = dict.fromkeys(("a.md", "d.md", "e.md"), "# Title\n\ntext\n")
    fill(tmp_path, good | {"b.die": "x", "c.die": "x"})
    outcomes = run(tmp_path)
    assert reason(outcomes["b.die"]) == "the process that parsed it ended (code 7)"
    assert isinstance(outcomes["c.die"], Rejected)
    assert not outcomes["c.die"].lasting
    assert [path for path, outcome in outcomes.items() if isinstance(outcome, Document)] == [*good]


def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is ended and the next file has a new one."""
    monkeypatch.setattr(pool, "_BASE_SECONDS", 1.5)
    monkeypatch.setattr(pool, "_WATCH_SECONDS", 0.05)
    fill(tmp_path, {"a.hang": "x", "b.md": "# B\n\ntext\n"})
    outcomes = run(tmp_path, workers=1)
    assert reason(outcomes["a.hang"]) == "took too long to parse"
    assert isinstance(outcomes["b.md"], Document)


def test_whatever_a_parser_raises_is_a_reason(tmp_path: Path) -> None:
    """Also what is not an Exception; lack of memory is not the file's fault for ever."""
    fill(tmp_path, {"a.panic": "x", "b.exhaust": "x"})
    outcomes = run(tmp_path)
    assert reason(outcomes["a.panic"]) == "its parser failed: Bomb: the library panicked"
    assert reason(outcomes["b.exhaust"]) == "takes more memory than there is"
    assert [outcome.lasting for outcome in outcomes.values() if isinstance(outcome, Rejected)] == [True, False]


def test_a_parser_that_prints_does_no_harm(tmp_path: Path) -> None:
    """Its words are not taken for an answer."""
    fill(tmp_path, {"a.chatter": "# Chatter\n\nSome text.\n", "b.md": "# B\n\ntext\n"})
    outcomes = run(tmp_path, workers=1)
    assert [type(outcome) for outcome in outcomes.values()] == [Document, Document]


def test_without_a_python_to_start_files_are_parsed_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that holds Python inside may have none to start."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    fill(tmp_path, {"a.md": "# A\n\ntext\n", "b.md": "# B\n\ntext\n"})
    assert all(isinstance(outcome, Document) for outcome in run(tmp_path).values())


def test_leaving_early_ends_the_processes(tmp_path: Path) -> None:
    """Whoever stops listening, on Ctrl-C say, waits for no file."""
    fill(tmp_path, {"a.md": "# A\n\ntext\n", "b.hang": "x", "c.hang": "x"})
    outcomes = parse_all(tmp_path, tasks(tmp_path), 2)
    assert next(outcomes).path == "a.md"
    outcomes.close()  # type: ignore[attr-defined]


def test_a_document_whose_parser_dies_now_is_kept_as_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the store has of it is marked, the rest of the run goes on, and the next run tries again."""
    fill(tmp_path, {"a.md": "# A\n\napples\n", "b.chatter": "# B\n\nbananas\n", "c.md": "# C\n\ncherries\n"})
    take(tmp_path)
    fill(tmp_path, {"b.chatter": "# B\n\nblueberries\n", "d.md": "# D\n\ndates\n"})
    with monkeypatch.context() as patch:
        patch.setattr(pool, "_BOOTSTRAP", bad_parsers.BOOTSTRAP.replace("FORMATS)", "DEADLY)"))
        report = take(tmp_path)
    assert (report.stale, report.added, report.documents) == (1, 1, 4)
    assert dict(report.skipped) == {"b.chatter": "the process that parsed it ended (code 7)"}
    assert texts(tmp_path, "b.chatter") == "# B\n\nbananas\n"
    report = take(tmp_path)
    assert (report.stale, report.changed, report.skipped) == (0, 1, ())
    assert texts(tmp_path, "b.chatter") == "# B\n\nblueberries\n"


def test_a_plain_script_can_ingest(tmp_path: Path) -> None:
    """No guard against being imported again is needed, and the script runs once."""
    root = fill(tmp_path / "docs", {f"{n}.md": f"# Document {n}\n\n" + "Some text. " * 20_000 for n in range(8)})
    script = fill(
        tmp_path,
        {
            "script.py": textwrap.dedent("""
                import sys
                from pathlib import Path
                from drawwell.corpus.ingest.run import ingest
                from drawwell.corpus.options import IngestOptions
                print("begin")
                root = Path(sys.argv[1])
                print(ingest(root, root / ".drawwell" / "store.sqlite", IngestOptions(workers=2)).documents)
            """)
        },
    )
    command = [sys.executable, script / "script.py", root]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["begin", "8"]
    assert rows(root, "SELECT count(*) FROM documents") == [(8,)]


def test_no_failure_of_ours_makes_anyone_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little memory for an answer, say, costs that file."""

    def exhausted(_process: object) -> Document:
        raise MemoryError

    monkeypatch.setattr(pool, "_receive", exhausted)
    fill(tmp_path, {"a.md": "# A\n\ntext\n", "b.md": "# B\n\ntext\n"})
    assert {reason(outcome) for outcome in run(tmp_path).values()} == {"could not be parsed: MemoryError"}


def test_a_very_large_document_passes_through_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sections are those that it has otherwise, can be gone through again, and leave no file behind."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    rows = "".join(f"| {number} | row {number} of a long table {'x' * 200} |\n" for number in range(10_000))
    root = fill(
        tmp_path / "docs", {"a.md": "# A\n\ntext\n", "b.md": f"# B\n\n| n | text |\n|---|---|\n{rows}", "c.md": "c\n"}
    )
    expected = pool.parse_file(root, tasks(root)[1])
    assert isinstance(expected, Document)
    for outcome in parse_all(root, tasks(root), 1):
        assert isinstance(outcome, Document)
        assert isinstance(outcome.sections, Spooled) is (outcome.path == "b.md")
        if isinstance(outcome.sections, Spooled):
            assert len(outcome.sections) == len(expected.sections) > 1000
            assert tuple(outcome.sections) == tuple(outcome.sections) == expected.sections
        elif outcome.path == "c.md":
            assert not any(place.is_file() for place in temporary.rglob("*"))
    assert list(temporary.iterdir()) == []
    assert take(root).sections == len(expected.sections) + 2
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (large,) = [outcome for outcome in parse_all(root, tasks(root), 1) if outcome.path == "b.md"]
    assert large == expected
