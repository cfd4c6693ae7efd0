"""Scans and a program that reads them: real programs, real processes."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from drawwell.corpus.ingest import recognise
from drawwell.corpus.ingest.files import copy_file
from drawwell.corpus.ingest.records import ParseTask, Rejected
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions, command_words
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from tests.corpus.folders import documents, fill, take, texts
from tests.pdfs import LOREM, pdf

SCAN = pdf([{"draw": []}, {"draw": []}])
WITH_TEXT = pdf(
    [{"draw": [{"at": [60, 80], "flow": f"{word} is laid. {LOREM}", "width": 475}]} for word in ("Tuff", "Basalt")]
)
NOTES = "# Notes\n\nBasalt is a stone.\n"


class Program:
    """A program for OCR, written for one test; it notes each of its runs."""

    def __init__(self, folder: Path, body: str, arguments: str = "") -> None:
        self.runs = folder / "runs"
        self.place = folder / "ocr.py"
        self.place.write_text(
            "import os, sys, time\n"
            "binary, given, answer = sys.stdin.buffer, sys.argv, sys.stdout.buffer\n"
            f"open({str(self.runs)!r}, 'a').write('x')\n{body}\n",
            encoding="utf-8",
        )
        self.command = f'"{sys.executable}" "{self.place}" {arguments}'.strip()

    @property
    def count(self) -> int:
        """How often it was run."""
        return len(self.runs.read_text()) if self.runs.exists() else 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a scan and another document."""
    return fill(tmp_path / "docs", {"scan.pdf": SCAN, "notes.md": NOTES})


def reading(tmp_path: Path) -> Program:
    """A program that answers a PDF on its standard input with one that has text."""
    (tmp_path / "text.pdf").write_bytes(WITH_TEXT)
    body = f"assert binary.read(5) == b'%PDF-'\nanswer.write(open({str(tmp_path / 'text.pdf')!r}, 'rb').read())"
    return Program(tmp_path, body)


def test_pd_02_a_refused_scan_is_read_once_there_is_a_program(root: Path, tmp_path: Path) -> None:
    """Refused without one, with what to do; then only it is read anew, with its pages, and once."""
    ((path, reason),) = take(root).skipped
    assert path == "scan.pdf"
    assert reason == "scan: no text layer on its 2 pages (run OCR on it first, or give --pdf-ocr)"
    program = reading(tmp_path)
    report = take(root, pdf_ocr=program.command)
    assert (report.added, report.unchanged, report.skipped) == (1, 1, ())
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert corpus.search("is laid").hits[0].page == "1-2"
        assert [match.page for match in corpus.grep("Basalt is laid").matches] == ["1-2"]
    for options in ({"pdf_ocr": program.command}, {}):
        assert take(root, **options).unchanged == 2
    assert program.count == 1


def test_pd_02_plain_text_with_form_feeds_has_pages(root: Path, tmp_path: Path) -> None:
    """A program may give text alone, by the names of its files too."""
    body = "assert open(given[1], 'rb').read(5) == b'%PDF-'\n"
    body += "open(given[2], 'w').write('Tuff.\\n\\fBasalt\\nis laid.\\n\\f')"
    program = Program(tmp_path, body, "{input} {output}")
    assert take(root, pdf_ocr=program.command).skipped == ()
    assert texts(root, "scan.pdf") == "Tuff.\n\nBasalt\nis laid.\n"
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert [match.page for match in corpus.grep("Basalt").matches if match.id.startswith("scan")] == ["1-2"]


def test_nothing_is_recognised_twice(root: Path, tmp_path: Path) -> None:
    """Other cuts, and another name, take what is kept; another command and another file do not."""
    program = reading(tmp_path)
    assert take(root, pdf_ocr=program.command).added == 2
    assert take(root, pdf_ocr=program.command, section_max_chars=300).changed == 2
    (root / "scan.pdf").rename(root / "renamed.pdf")
    assert take(root, pdf_ocr=program.command, section_max_chars=300).renamed == 1
    assert program.count == 1
    kept = store_path(root).parent / "recognised"
    before = [place.name for place in kept.iterdir()]
    report = take(root, pdf_ocr=f"{program.command} again", section_max_chars=300)
    assert (report.changed, report.unchanged, program.count) == (1, 1, 2)
    fill(root, {"renamed.pdf": pdf([{"draw": []}])})
    (kept / "draft-left").mkdir()
    assert take(root, pdf_ocr=f"{program.command} again", section_max_chars=300).changed == 1
    after = [place.name for place in kept.iterdir()]
    assert (program.count, len(before), len(after), set(before) & set(after)) == (3, 1, 1, set())


def test_what_was_recognised_stays_without_the_command(root: Path, tmp_path: Path) -> None:
    """A later run without it keeps the document, even where it would have to be read anew, and says so."""
    program = reading(tmp_path)
    take(root, pdf_ocr=program.command)
    report = take(root, section_max_chars=300)
    assert (documents(root), report.stale) == (["notes.md", "scan.pdf"], 1)
    report = take(root, pdf_ocr=program.command, section_max_chars=300)
    assert (report.stale, report.skipped, program.count) == (0, (), 1)


@pytest.mark.parametrize(
    ("body", "reason", "runs"),
    [
        (
            "sys.stderr.write('no\\x1b[1m language\\n\\nat all\\n'); sys.exit(3)",
            "OCR failed (code 3): no [1m language ... at all",
            2,
        ),
        ("sys.exit(0)", "scan: OCR gave nothing", 1),
        ("answer.write(b' \\n\\f\\n')", "scan: OCR found no text on its pages", 1),
        ("answer.write(binary.read())", "scan: OCR found no text on its pages", 1),
        ("answer.write(bytes(range(256)) * 40)", "what OCR made of it binary data", 1),
        ("answer.write(b'%PDF-1.7 nothing')", "what OCR made of it is truncated", 1),
    ],
)
def test_a_failing_program_costs_one_file(root: Path, tmp_path: Path, body: str, reason: str, runs: int) -> None:
    """The run goes on and says why; what the file is to blame for is not tried again."""
    program = Program(tmp_path, body)
    for _ in range(2):
        report = take(root, pdf_ocr=program.command)
        ((path, said),) = report.skipped
        assert (path, report.documents) == ("scan.pdf", 1)
        assert reason in said
    assert program.count == runs
    assert take(root, pdf_ocr=reading(tmp_path).command + " other").added == 1


def test_a_missing_program_is_named(root: Path) -> None:
    """The scan is tried again as soon as the program is there."""
    ((_, reason),) = take(root, pdf_ocr="no-such-program-7 - -").skipped
    assert reason == "scan: no-such-program-7, the program for OCR, is not there"


@pytest.mark.parametrize(("bound", "value"), [("_BASE_SECONDS", 0.5), ("most_bytes", lambda size: 1000)])
def test_a_program_has_bounds(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: object
) -> None:
    """One that does not end, or writes without end, is ended, with what it started."""
    monkeypatch.setattr(recognise, bound, value)
    alive = tmp_path / "alive"
    child = f"import time\nwhile True:\n    open({str(alive)!r}, 'w').write(str(time.time()))\n    time.sleep(0.02)"
    body = f"import subprocess\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n"
    body += "answer.write(b'x' * 2000)\nanswer.flush()\ntime.sleep(60)"
    ((_, reason),) = take(root, pdf_ocr=Program(tmp_path, body).command).skipped
    assert ("took too long" if bound == "_BASE_SECONDS" else "more than 1,000 bytes") in reason
    last = alive.read_text() if alive.exists() else ""
    time.sleep(0.1)
    assert (alive.read_text() if alive.exists() else "") == last


def test_a_stopped_run_ends_its_program(root: Path, tmp_path: Path) -> None:
    """Ctrl-C does not wait for OCR."""
    program = Program(tmp_path, "time.sleep(60)")
    options = IngestOptions(pdf_ocr=program.command)
    recogniser = recognise.Recogniser(root, tmp_path / "store.sqlite", options)
    task = ParseTask("scan.pdf", "scan.pdf", len(SCAN), "key", options)
    scan = Rejected("scan.pdf", "", copy_file(root, "scan.pdf", tmp_path / "copy"), "key", scan=True)
    threading.Timer(0.3, recogniser.stop).start()
    begun = time.monotonic()
    outcome = recogniser.recognise(task, scan)
    assert isinstance(outcome, Rejected)
    assert (outcome.reason, outcome.lasting) == ("scan: OCR was interrupted", False)
    assert time.monotonic() - begun < 30


def test_a_file_that_changed_meanwhile_is_read_another_time(root: Path, tmp_path: Path) -> None:
    """Text of one edition never stands for another."""
    body = f"answer.write(b'Tuff.')\nopen({str(root / 'scan.pdf')!r}, 'ab').write(b'%')"
    ((_, reason),) = take(root, pdf_ocr=Program(tmp_path, body).command).skipped
    assert reason == "changed while it was being read"


def test_no_shell_reads_the_command(root: Path, tmp_path: Path) -> None:
    """What would mean something to a shell is an argument like others."""
    body = "answer.write(repr(given[1:]).encode())"
    program = Program(tmp_path, body, "'a b' ; touch $HOME '*' | x > y")
    take(root, pdf_ocr=program.command)
    assert texts(root, "scan.pdf").strip() == "['a b', ';', 'touch', '$HOME', '*', '|', 'x', '>', 'y']"
    with pytest.raises(ValueError, match="quotation"):
        command_words("ocr 'x")
