"""Whole documents and one writer, whatever ends a run: real processes, real kills."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.text.tokens import normalise_for_fts
from tests.acceptance_kills import Trial
from tests.corpus.editions import problems_of, text_of, word_of
from tests.corpus.folders import contents, documents, fill, rows, take, texts

DOCUMENTS = 60
RUN = """
import sys
from pathlib import Path
from drawwell.corpus.ingest import pool
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
pool._INLINE_BYTES = int(sys.argv[2])
root = Path(sys.argv[1])
def tell(stage, done, total, path):
    print(stage, flush=True)
print(ingest(root, root / ".drawwell" / "store.sqlite", IngestOptions(workers=2), tell).documents)
"""

RUN_TO_A_STOP = """
import sys, time
from pathlib import Path
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.retrieval.words import WordsWriter
root, stop = Path(sys.argv[1]), int(sys.argv[2])
points = 0
def pass_by():
    global points
    points += 1
    if points == stop:
        print("here", flush=True)
        time.sleep(60)
commit = WordsWriter.commit
def told(writer):
    pass_by()
    commit(writer)
    pass_by()
WordsWriter.commit = told
ingest(root, root / ".drawwell" / "store.sqlite", IngestOptions(workers=1))
"""
"""Stops for good before or after one of the commits of the indexes."""


def edition(number: int, name: str) -> str:
    body = "".join(f"## {name} part {part}\n\nThe {name} edition of document {number}.\n\n" for part in range(30))
    return f"# Document {number}\n\n{body}"


def editions(name: str) -> dict[str, str | bytes]:
    return {f"{number:02}.md": edition(number, name) for number in range(DOCUMENTS)}


def start(root: Path, inline_bytes: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, str(root), str(inline_bytes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)


def kill_in(process: subprocess.Popen[bytes], stage: bytes, seconds: float) -> None:
    """Kill a process some time after it came to a stage; its children must leave by themselves."""
    assert process.stdout is not None
    with process:
        while process.stdout.readline().strip() not in (stage, b""):
            pass
        time.sleep(seconds)
        process.kill()
    deadline = time.monotonic() + 20
    while alive(process.pid):
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail("a parsing process outlived its parent")
        time.sleep(0.01)


def alive(group: int) -> bool:
    """Whether a process of a group still runs; one that only waits to be buried does not."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                return True
    return False


def check_whole(root: Path, names: set[str]) -> set[str]:
    """Every document is one of its editions, in all tables; returns the editions that are there."""
    assert rows(root, "PRAGMA integrity_check") == [("ok",)]
    found = set()
    for path in documents(root):
        text = texts(root, path)
        kept = [name for name in names if text == edition(int(path[:2]), name)]
        assert kept, f"{path} is neither old nor new"
        found.add(kept[0])
    assert rows(root, "SELECT count(*) FROM sections_fts") == rows(root, "SELECT count(*) FROM sections")
    assert rows(root, "SELECT count(*) FROM drawwell_sections") == rows(root, "SELECT count(*) FROM sections")
    query = (
        "SELECT s.id, s.text, f.id, f.text FROM sections s JOIN drawwell_sections o USING (doc_id, ordinal)"
        " JOIN sections_fts f ON f.rowid = o.fts_rowid"
    )
    for id_, text, indexed_id, indexed in rows(root, query):
        assert (indexed_id, indexed) == (id_, normalise_for_fts(text))
    query = "SELECT n_sections, (SELECT count(*) FROM sections s WHERE s.doc_id = d.doc_id) FROM documents d"
    assert all(said == held for said, held in rows(root, query))
    return found


@pytest.mark.parametrize("inline_bytes", [0, 10**9], ids=["processes", "inline"])
def test_a_kill_leaves_every_document_whole(tmp_path: Path, inline_bytes: int) -> None:
    """At random moments of first and later runs. The next run finishes, and its store is that of a run in peace."""
    random.seed(inline_bytes)
    root = fill(tmp_path / "docs", editions("first"))
    for _ in range(2):
        kill_in(start(root, inline_bytes), random.choice([b"finding", b"reading"]), random.uniform(0, 0.25))
        if store_path(root).exists():
            check_whole(root, {"first"})
    take(root)
    assert check_whole(root, {"first"}) == {"first"}
    fill(root, editions("second"))
    for _ in range(3):
        kill_in(start(root, inline_bytes), b"reading", random.uniform(0, 0.25))
        with closing(Store.open(store_path(root))) as store:
            assert store.connection().execute("SELECT count(*) FROM documents").fetchone()[0] == DOCUMENTS
        check_whole(root, {"first", "second"})
    take(root)
    assert check_whole(root, {"second"}) == {"second"}
    peace = tmp_path / "peace.sqlite"
    take(root, peace)
    assert documents(root) == [path for (path,) in rows(peace, "SELECT path FROM documents ORDER BY path")]
    for query in (
        "SELECT value FROM meta WHERE key IN ('index_text', 'corpus_fingerprint', 'drawwell.state') ORDER BY key",
        "SELECT id, text, prev_id, next_id FROM sections ORDER BY id",
    ):
        assert rows(root, query) == rows(peace, query)


@pytest.mark.parametrize("share", [DOCUMENTS // 3, 1], ids=["many changed", "one changed"])
def test_a_kill_between_the_commits_of_store_and_indexes(tmp_path: Path, share: int) -> None:
    """Before and after the commit of each index: every answer is right for what the store holds."""
    root = fill(tmp_path / "docs", {f"{n:02}.md": text_of(n, 0) for n in range(DOCUMENTS)})
    take(root, workers=1)
    words = [word_of(n, 0) for n in range(DOCUMENTS)]
    with closing(Corpus(Store.open(store_path(root)))) as corpus:
        for stop in range(1, 7):
            fill(root, {f"{n:02}.md": text_of(n, stop) for n in range(share)})
            words += [word_of(n, stop) for n in range(share)]
            command = [sys.executable, "-c", RUN_TO_A_STOP, str(root), str(stop)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == b"here\n"
                process.kill()
            assert problems_of(corpus, words, sample=6, seed=stop) == []
            assert texts(root, "00.md") == text_of(0, stop)
        take(root, workers=1)
        assert problems_of(corpus, words, sample=20) == []
        assert corpus.search(word_of(0, 6)).mode == "lexical"


def test_random_kills_while_the_indexes_are_written(tmp_path: Path) -> None:
    """From the store's last commit to the last of the indexes: answers are right for what the store holds."""
    root = tmp_path / "docs"
    root.mkdir()
    points = {"indexing": 0.1, "commit": 0.01, "committed": 0.01}
    seed = time.time_ns() % 10**6
    with closing(Trial(root, seed, size=40, points=points)) as trial:
        trial.run(6)
    assert trial.wrong == 0, f"seed {seed}"
    assert trial.struck.total() == 6


def test_fs_17_two_ingests_at_once_of_a_new_store(tmp_path: Path) -> None:
    """One waits for the other, says so, and finds nothing left to do."""
    root = fill(tmp_path / "docs", editions("first"))
    processes = [start(root, 10**9) for _ in range(3)]
    told = []
    for process in processes:
        with process:
            told.append(process.communicate(timeout=60)[0].split())
        assert process.returncode == 0
    assert [words[-1] for words in told] == [str(DOCUMENTS).encode()] * 3
    assert sum(b"reading" in words for words in told) == 1
    assert check_whole(root, {"first"}) == {"first"}


def test_readers_see_whole_documents_during_an_ingest(tmp_path: Path) -> None:
    """Each answer is of one moment; no reader waits or fails."""
    root = fill(tmp_path / "docs", editions("first"))
    take(root)
    fill(root, editions("second"))
    process = start(root, 10**9)
    looks = 0
    with closing(Store.open(store_path(root))) as store, process:
        while process.poll() is None:
            connection = store.connection()
            found = connection.execute(
                "SELECT group_concat(text, '') FROM (SELECT doc_id, text FROM sections"
                " ORDER BY doc_id, ordinal) GROUP BY doc_id"
            ).fetchall()
            assert len(found) == DOCUMENTS
            for number, (text,) in enumerate(found):
                assert text in (edition(number, "first"), edition(number, "second"))
            looks += 1
        assert process.stdout is not None
        process.stdout.read()
    assert looks > 1
    assert check_whole(root, {"second"}) == {"second"}


def test_ctrl_c_stops_at_once_and_cleanly(tmp_path: Path) -> None:
    """The store keeps whole documents, no log is left, and the parsing processes are gone."""
    root = fill(tmp_path / "docs", editions("first"))
    process = start(root, 0)
    assert process.stdout is not None
    with process:
        while process.stdout.readline().strip() != b"reading":
            pass
        os.killpg(process.pid, signal.SIGINT)
        process.stdout.read()
        assert process.wait(20) != 0
    assert not list(store_path(root).parent.glob("*-wal"))
    check_whole(root, {"first"})
    take(root)
    assert contents(store_path(root))["meta"]
    assert check_whole(root, {"first"}) == {"first"}
