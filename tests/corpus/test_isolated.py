"""Formats whose files may blow up are parsed where time and memory are bounded, however little there is to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drawwell.corpus.ingest import pool
from drawwell.text import formats
from tests.corpus import bad_parsers
from tests.corpus.folders import documents, fill, take, texts


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The formats that misbehave are known here and in parsing processes."""
    monkeypatch.setattr(pool, "_BOOTSTRAP", bad_parsers.BOOTSTRAP)
    for suffix, entry in bad_parsers.FORMATS.items():
        monkeypatch.setitem(formats._BY_SUFFIX, suffix, entry)


def test_one_small_file_is_parsed_elsewhere(tmp_path: Path) -> None:
    """Not in the process of whoever asks."""
    fill(tmp_path, {"a.tell": "x", "b.md": "# B\n\ntext\n"})
    take(tmp_path)
    assert documents(tmp_path) == ["a.tell", "b.md"]
    assert int(texts(tmp_path, "a.tell").split()[-1]) != os.getpid()


def test_other_formats_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small folder of Markdown pays nothing."""

    def refused(_root: Path) -> subprocess.Popen[bytes]:
        raise AssertionError("a process was started")

    monkeypatch.setattr(pool, "_start", refused)
    fill(tmp_path, {"a.md": "# A\n\ntext\n", "b.txt": "Some text.\n"})
    take(tmp_path)
    assert documents(tmp_path) == ["a.md", "b.txt"]


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that takes more than it may is rejected, the others are taken in, by the same process."""
    bounded = "from drawwell.corpus.ingest import worker; worker._MEMORY = 100_000_000; worker.serve("
    bootstrap = bad_parsers.BOOTSTRAP.replace("from drawwell.corpus.ingest.worker import serve; serve(", bounded)
    monkeypatch.setattr(pool, "_BOOTSTRAP", bootstrap)
    fill(tmp_path, {"a.gobble": "x", "b.tell": "x", "c.md": "# C\n\ntext\n"})
    report = take(tmp_path, workers=1)
    # Only Linux keeps the bound; elsewhere the parser goes on to its end, which is an error of its own.
    kept = sys.platform.startswith("linux")
    reason = "takes more memory than there is" if kept else "its parser failed: AssertionError: 40"
    assert dict(report.skipped) == {"a.gobble": reason}
    assert documents(tmp_path) == ["b.tell", "c.md"]


def test_without_a_process_they_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather a file less than a program that dies; other formats are parsed here."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    fill(tmp_path / "docs", {"a.tell": "x", "b.md": "# B\n\ntext\n"})
    report = take(tmp_path / "docs")
    assert dict(report.skipped) == {"a.tell": "is parsed in a process of its own only, and none could be started"}
    assert documents(tmp_path / "docs") == ["b.md"]
