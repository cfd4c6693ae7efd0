"""Vectors whatever ends a run: the provider killed, the ingest killed; real processes, real HTTP."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from drawwell.codec import Codec
from drawwell.compose import corpus_place as place_of
from drawwell.compose import open_place
from tests.corpus.folders import fill, rows
from tests.providers.servers.base import running
from tests.providers.servers.ollama import Ollama

ROOT = Path(__file__).parents[2]
DOCUMENTS, SECTIONS = 25, 20
TOTAL = DOCUMENTS * SECTIONS
BATCH = 128
"""Sections that are committed together."""


def document(number: int) -> str:
    """Text of which no two sections are alike."""
    parts = (f"## Part {part}\n\nWhat is kept in hall {number} on shelf {part}, and why.\n" for part in range(SECTIONS))
    return f"# Hall {number}\n\n" + "\n".join(parts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "docs", {f"{number:02}.md": document(number) for number in range(DOCUMENTS)})


@pytest.fixture
def provider() -> Iterator[subprocess.Popen[str]]:
    """A server that takes its time."""
    command = [sys.executable, "-m", "tests.providers.servers.ollama", "--slow", "0.1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def ingesting(folder: Path, url: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "drawwell", "ingest", str(folder), "--workers", "1"]
    env = {**os.environ, "DRAWWELL_EMBED_URL": url, "DRAWWELL_MODEL_RETRY": "0.01"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*command, "--embed", "ollama:all-minilm"], env=env, text=True, **streams)  # type: ignore[call-overload,no-any-return]


def finish(folder: Path) -> Ollama:
    """A run that comes to its end, and what its server was asked."""
    service = Ollama()
    with running(service) as url, ingesting(folder, url) as process:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert "without" not in out
    return service


def embedded(folder: Path) -> set[str]:
    """The texts that have a vector."""
    if not (folder / ".drawwell" / "store.sqlite").exists():
        return set()
    sql = "SELECT s.text FROM drawwell_embedded e JOIN sections s USING (doc_id, ordinal)"
    return {text for (text,) in rows(folder, sql)}


def asked(service: Ollama) -> list[str]:
    """The texts that a server was asked to embed, each behind its headings."""
    return [text for one in service.sent("/api/embed") for text in one.body["input"]]


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_begun(folder: Path, least: int) -> bool:
    """Whether the store is complete, and so many of its sections have a vector."""
    if not (folder / ".drawwell" / "store.sqlite").exists():
        return False
    sql = "SELECT value FROM meta WHERE key = 'drawwell.state'"
    if not rows(folder, "SELECT 1 FROM sqlite_master WHERE name = 'drawwell_embedded'"):
        return False
    return rows(folder, sql) == [("complete",)] and len(embedded(folder)) >= least


def check_whole(folder: Path) -> None:
    """The store is sound, every vector is whole and of a section that is there, and searches answer."""
    assert rows(folder, "PRAGMA integrity_check") == [("ok",)]
    dangling = (
        "SELECT count(*) FROM drawwell_embedded e LEFT JOIN drawwell_vectors v USING (vector_id)"
        " LEFT JOIN sections s ON s.doc_id = e.doc_id AND s.ordinal = e.ordinal"
        " WHERE v.vector_id IS NULL OR s.id IS NULL"
    )
    assert rows(folder, dangling) == [(0,)]
    copies = rows(folder, "SELECT count(*) FROM embeddings")
    assert copies == rows(folder, "SELECT count(*) FROM drawwell_embedded")
    dimension = {dim for (dim,) in rows(folder, "SELECT dimension FROM drawwell_models")}
    size = {2 * dim for dim in dimension}
    assert {len(exact) for (exact,) in rows(folder, "SELECT exact FROM drawwell_vectors")} <= size
    assert all(Codec(dimension=dim) for dim in dimension)
    with closing(open_place(place_of(folder))) as corpus:
        found = corpus.search('"hall 7" "shelf 3"', limit=1)
    assert found.hits[0].doc == "07.md"


def test_a_killed_provider_costs_nothing(folder: Path, provider: subprocess.Popen[str]) -> None:
    """The exit code is 69; what was embedded stays, and the next run asks for the rest alone."""
    assert provider.stdout is not None
    with ingesting(folder, provider.stdout.readline().strip()) as process:
        wait_until(lambda: is_begun(folder, BATCH), process)
        os.kill(provider.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 69, err
    before = embedded(folder)
    assert BATCH <= len(before) < TOTAL
    check_whole(folder)
    texts = asked(finish(folder))
    assert len(texts) == len(set(texts)) == TOTAL - len(before)
    assert not [text for text in texts if text.partition("\n")[2] in before]
    assert len(embedded(folder)) == TOTAL
    check_whole(folder)


def test_a_killed_ingest_loses_a_batch_at_most(folder: Path, provider: subprocess.Popen[str]) -> None:
    """At any point the store is whole and words answer; in the end no committed text was embedded twice."""
    assert provider.stdout is not None
    url = provider.stdout.readline().strip()
    held: set[str] = set()
    for least in (0, 1, BATCH + 1):
        with ingesting(folder, url) as process:
            wait_until(lambda least=least: is_begun(folder, least), process)  # type: ignore[misc]
            time.sleep(random.uniform(0, 0.2))
            process.kill()
        check_whole(folder)
        assert embedded(folder) >= held
        held = embedded(folder)
    texts = asked(finish(folder))
    assert len(texts) == TOTAL - len(held)
    assert len(embedded(folder)) == TOTAL
    check_whole(folder)
