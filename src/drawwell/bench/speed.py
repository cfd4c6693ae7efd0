"""How fast a corpus is ingested, searched, searched through and read, on this machine and this folder.

Everything runs through the same functions as the command line. Absolute times say little about another machine;
compare runs on one.
"""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from drawwell.compose import CorpusPlace, open_place, refresh
from drawwell.errors import SourceError

if TYPE_CHECKING:
    from drawwell.configuration import Settings
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["SpeedReport", "Timing", "measure_speed"]

_WORD = re.compile(r"[^\W_]{3,}")
_QUERIES = 40
_HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"bench","version":"1"}}}\n'
)
_BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main():
    server = Server("bare")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


anyio.run(main)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long one kind of work took.

    Attributes:
        work: what was done.
        runs: how often.
        p50_ms: median, in milliseconds.
        p95_ms: the time that 95 of 100 runs stay within; the longest of few.
    """

    work: str
    runs: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedReport:
    """What was measured, on what.

    Attributes:
        documents: documents in the folder.
        sections: sections cut from them.
        characters: length of all sections.
        machine: processor architecture, its cores, Python and SQLite.
        timings: one entry for each kind of work.
    """

    documents: int
    sections: int
    characters: int
    machine: str
    timings: tuple[Timing, ...]


def measure_speed(root: Path, settings: Settings, said: Callable[[str], None] = lambda _: None) -> SpeedReport:
    """Ingest a folder into a temporary store and time the operations over it.

    Args:
        root: a folder of documents; nothing is written to it.
        settings: how to ingest.
        said: told what is being measured.

    Raises:
        SourceError: the folder has no document with text.
    """
    with tempfile.TemporaryDirectory(prefix="drawwell-bench-") as temporary:
        place = CorpusPlace(root, Path(temporary) / "store.sqlite")
        said("ingest")
        timings = [_timing("ingest, cold", [_clock(lambda: refresh(place, settings))])]
        timings.append(_timing("ingest, unchanged", [_clock(lambda: refresh(place, settings)) for _ in range(3)]))
        with open_place(place) as corpus:
            status = corpus.status(files=False)
            chunks = list(corpus.export_chunks())
            if not chunks:
                raise SourceError(f"{root} has no text to measure with", "Name a folder with documents")
            timings.extend(_operations(corpus, chunks, said))
        said("whole process")
        query = _words(chunks[0]["text"], 2)
        command = [sys.executable, "-P", "-m", "drawwell", "search", "--store", str(place.store), "--", query]
        timings.append(_timing("search, whole process", [_clock(lambda: _run(command)) for _ in range(3)]))
        timings.extend(_handshakes(place.store))
    return SpeedReport(
        documents=status.documents,
        sections=status.sections,
        characters=sum(len(chunk["text"]) for chunk in chunks),
        machine=(
            f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
            f"SQLite {sqlite3.sqlite_version}"
        ),
        timings=tuple(timings),
    )


def _operations(corpus: Corpus, chunks: Sequence[dict[str, str]], said: Callable[[str], None]) -> list[Timing]:
    chosen = chunks[:: max(1, len(chunks) // _QUERIES)][:_QUERIES]
    texts = [chunk["text"] for chunk in chosen]
    runs: tuple[tuple[str, Callable[[str], object], list[str]], ...] = (
        ("search, 2 words", corpus.search, [_words(text, 2) for text in texts]),
        ("search, 8 words", corpus.search, [_words(text, 8) for text in texts]),
        ("grep, one word", corpus.grep, [_words(text, 1) for text in texts]),
        ("grep, absent", corpus.grep, ["no such words anywhere 7c1f"] * 5),
        ("read", corpus.read, [chunk["id"] for chunk in chosen]),
    )
    timings = []
    for work, call, arguments in runs:
        said(work)
        given = [argument for argument in arguments if argument]
        if given:
            call(given[0])  # the first call opens files
            timings.append(_timing(work, [_clock(partial(call, argument)) for argument in given]))
    return timings


def _handshakes(store: Path) -> list[Timing]:
    """A server's whole life with one ``initialize`` in it; in turn, ours and a bare one of the same SDK."""
    ours = [sys.executable, "-P", "-m", "drawwell", "serve", str(store)]
    bare = [sys.executable, "-P", "-c", _BARE_SERVER]
    pairs = [(_clock(lambda: _greet(ours)), _clock(lambda: _greet(bare))) for _ in range(3)]
    return [
        _timing("serve, start to exit", [pair[0] for pair in pairs]),
        _timing("bare SDK server, same", [pair[1] for pair in pairs]),
    ]


def _greet(command: Sequence[str]) -> None:
    subprocess.run(command, input=_HELLO, text=True, check=True, capture_output=True)  # noqa: S603 as _run


def _words(text: str, count: int) -> str:
    """Words from the middle of a text."""
    words = _WORD.findall(text)
    start = max(0, (len(words) - count) // 2)
    return " ".join(words[start : start + count])


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 our own interpreter, our own module


def _clock(work: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _timing(work: str, times: Sequence[float]) -> Timing:
    ordered = sorted(times)
    late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Timing(work=work, runs=len(ordered), p50_ms=round(statistics.median(ordered), 3), p95_ms=round(late, 3))
