"""Parsing many files at once: processes of our own, so that one that hangs or dies costs one file.

The standard library's pools start again the program that uses them, and give up when a process dies. Here a program
needs no ``if __name__ == "__main__"`` to open a corpus, and a file that kills its process is reported.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import os
import pickle
import queue
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from drawwell.corpus.ingest.files import read_file
from drawwell.corpus.ingest.parse import parse_document
from drawwell.corpus.ingest.recognise import Recogniser, read_recognised
from drawwell.corpus.ingest.records import Document, ParseTask, Rejected, Spooled
from drawwell.errors import UnreadableFile
from drawwell.text.formats import format_of

__all__ = ["is_isolated", "parse_all", "parse_file"]

_INLINE_BYTES = 1_500_000
"""Less work than this is done before a process could start."""
_FILES_WORTH_A_PROCESS = 8
"""Of files that are never parsed here: fewer do not repay the start of another process."""
_WINDOW_BYTES = 16_000_000
_WINDOW_FILES = 32
"""Files per process that may be under way or wait to be written: enough to go on while the disk is waited for."""
_BASE_SECONDS = 60.0
_BYTES_PER_SECOND = 250_000
"""A file may take a minute and the time to read it at this speed, far below what any machine does."""
_WATCH_SECONDS = 0.5

_BOOTSTRAP = (
    "import sys; sys.path[:] = sys.argv[3:]; from drawwell.corpus.ingest.worker import serve; serve(*sys.argv[1:3])"
)


def parse_file(root: Path, task: ParseTask, spool: Path | None = None) -> Document | Rejected:
    """Read and parse one file. Whatever it is, this returns.

    Args:
        root: the corpus.
        task: the file.
        spool: a folder to put the sections of a very large document into.
    """
    try:
        contents = read_file(root, task.place, task.options.max_file_bytes)
        recognised = b""
        if task.recognised:
            recognised = read_recognised(task, hashlib.sha256(contents.data).hexdigest())
    except UnreadableFile as error:
        return Rejected(task.path, str(error))
    return parse_document(contents, task, recognised, spool)


def parse_all(
    root: Path, tasks: list[ParseTask], workers: int, recogniser: Recogniser | None = None
) -> Iterator[Document | Rejected]:
    """Parse files, in order, with memory that does not grow with their number.

    Args:
        root: the corpus.
        tasks: the files.
        workers: processes; 0 for one per core.
        recogniser: gives scans their text; stopped when this is left.
    """
    count = min(workers or _cores(), len(tasks))
    if sum(task.size for task in tasks) < _INLINE_BYTES:
        isolated = sum(is_isolated(task) for task in tasks)
        if not isolated:
            yield from (parse_file(root, task) for task in tasks)
            return
        count = min(count, -(-isolated // _FILES_WORTH_A_PROCESS))
    pool = _Pool(root, count, recogniser)
    try:
        yield from pool.run(tasks)
    finally:
        pool.close()


def is_isolated(task: ParseTask) -> bool:
    """Whether a file is of a format that is parsed only where time and memory are bounded."""
    entry = format_of(task.path)
    return entry is not None and entry.isolated


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True, eq=False)
class _Job:
    task: ParseTask
    done: threading.Event = field(default_factory=threading.Event)
    outcome: Document | Rejected | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where files are read, and where large documents pass through."""

    root: Path
    spool: Path | None


class _Worker:
    """One process and the thread that talks to it."""

    def __init__(self, place: _Place, jobs: queue.SimpleQueue[_Job | None], recogniser: Recogniser | None) -> None:
        self._place = place
        self._recogniser = recogniser
        self._jobs = jobs
        self._process: subprocess.Popen[bytes] | None = None
        self._deadline = 0.0
        self._late = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="drawwell-parse", daemon=True)
        self._thread.start()

    def watch(self, now: float) -> None:
        """End the process when its file has had its time."""
        process = self._process
        if process is not None and 0 < self._deadline < now:
            self._late = True
            process.kill()

    def close(self) -> None:
        """End the process, whatever it does."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        self._thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None and not self._closed:
            try:
                job.outcome = self._outcome(job.task)
            except BaseException as error:  # noqa: BLE001 - whoever waits must not wait for ever
                job.outcome = Rejected(job.task.path, f"could not be parsed: {type(error).__name__}")
                self._drop()
            job.done.set()
        if self._process is not None:
            _end(self._process)

    def _outcome(self, task: ParseTask) -> Document | Rejected:
        outcome = self._parse(task)
        if self._recogniser is None or not (isinstance(outcome, Rejected) and outcome.scan):
            return outcome
        found = self._recogniser.recognise(task, outcome)
        return found if isinstance(found, Rejected) else self._parse(found)

    def _drop(self) -> None:
        """End a process whose next answer may be of another file."""
        if self._process is not None:
            _end(self._process)
            self._process = None

    def _parse(self, task: ParseTask) -> Document | Rejected:
        if self._process is None:
            try:
                self._process = _start(self._place)
            except OSError:
                if is_isolated(task):
                    return Rejected(task.path, "is parsed in a process of its own only, and none could be started")
                return parse_file(self._place.root, task)  # a program that cannot start Python again: slower, not worse
        process = self._process
        self._late = False
        self._deadline = time.monotonic() + _BASE_SECONDS + task.size / _BYTES_PER_SECOND
        try:
            _send(process, task)
            return _receive(process)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._process = None
            code = _end(process)
            reason = "took too long to parse" if self._late else f"the process that parsed it ended (code {code})"
            return Rejected(task.path, reason)
        finally:
            self._deadline = 0.0


class _Pool:
    def __init__(self, root: Path, count: int, recogniser: Recogniser | None) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._recogniser = recogniser
        self._spool = _spool()
        place = _Place(root, self._spool)
        self._workers = [_Worker(place, self._jobs, recogniser) for _ in range(count)]
        self._stop = threading.Event()
        self._watchdog = threading.Thread(target=self._watch, name="drawwell-watchdog", daemon=True)
        self._watchdog.start()

    def run(self, tasks: Iterable[ParseTask]) -> Iterator[Document | Rejected]:
        window: collections.deque[_Job] = collections.deque()
        held = 0
        longest = _WINDOW_FILES * len(self._workers)
        for task in tasks:
            while window and (len(window) >= longest or held + task.size > _WINDOW_BYTES):
                job = window.popleft()
                held -= job.task.size
                yield from _taken(job)
            job = _Job(task)
            window.append(job)
            held += task.size
            self._jobs.put(job)
        while window:
            yield from _taken(window.popleft())

    def close(self) -> None:
        self._stop.set()
        if self._recogniser is not None:
            self._recogniser.stop()
        for _ in self._workers:
            self._jobs.put(None)
        for worker in self._workers:
            worker.close()
        self._watchdog.join()
        if self._spool is not None:
            shutil.rmtree(self._spool, ignore_errors=True)

    def _watch(self) -> None:
        while not self._stop.wait(_WATCH_SECONDS):
            now = time.monotonic()
            for worker in self._workers:
                worker.watch(now)


def _taken(job: _Job) -> Iterator[Document | Rejected]:
    """A job's outcome, once it is there; what it has in a file is gone when the next is asked for."""
    job.done.wait()
    assert job.outcome is not None  # noqa: S101 - set before the event
    yield job.outcome
    if isinstance(job.outcome, Document) and isinstance(job.outcome.sections, Spooled):
        job.outcome.sections.place.unlink(missing_ok=True)


def _spool() -> Path | None:
    """A folder for what is too large for a pipe, made when something is; None where there is no place for one."""
    try:
        return Path(tempfile.gettempdir()) / f"drawwell-{secrets.token_hex(16)}"
    except OSError:
        return None


def _start(place: _Place) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable or "python", "-c", _BOOTSTRAP, str(place.root.absolute()), str(place.spool or ""), *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _end(process: subprocess.Popen[bytes]) -> int:
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):  # what it had not read is of no use to anyone
                stream.close()
    return process.wait()


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    pickle.dump(message, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()


def _receive(process: subprocess.Popen[bytes]) -> Document | Rejected:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    outcome = pickle.load(process.stdout)  # noqa: S301 - from our own process
    if not isinstance(outcome, (Document, Rejected)):
        raise EOFError("not an answer")
    return outcome
