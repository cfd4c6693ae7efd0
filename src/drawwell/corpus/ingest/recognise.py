"""OCR by a program of the user's: it gets a scan and gives back the same pages with their text.

The program is named by whoever runs drawwell, never by a corpus, and no shell is between. What it gave is kept beside
the store, by the hash of the scan and of the command, so that cutting documents anew recognises nothing again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from drawwell.corpus.ingest.files import copy_file, read_file
from drawwell.corpus.ingest.records import ParseTask, Rejected
from drawwell.corpus.options import IngestOptions, command_words
from drawwell.corpus.store.places import STORE_NAME
from drawwell.errors import UnreadableFile

__all__ = ["Recogniser", "read_recognised"]

_BASE_SECONDS = 600.0
_BYTES_PER_SECOND = 5_000
"""A scan may take ten minutes and the time to read it at this speed: twenty seconds for a page of 100 kB."""
_MEMORY = 8_000_000_000
"""Bytes of address space of the program, where the system can bound it."""
_LONGEST_COMPLAINT = 200
_TAIL = 4_000  # bytes of what the program said last
_DRAFT = "draft-"


def most_bytes(size: int) -> int:
    """Bytes that may come back of a scan of ``size`` bytes."""
    return 50_000_000 + 4 * size


def read_recognised(task: ParseTask, sha256: str) -> bytes:
    """What was recognised of a task's file, while the file is still that one.

    Raises:
        UnreadableFile: it cannot be read, or the file has changed since.
    """
    place = Path(task.recognised)
    if not place.name.startswith(sha256):
        raise UnreadableFile("changed while it was being read")
    return read_file(place.parent, place.name, most_bytes(task.size)).data


class _Fault(NamedTuple):
    """Why nothing was recognised, and whether trying again would give the same."""

    reason: str
    lasting: bool


class Recogniser:
    """Has scans recognised, for any number of threads at once.

    Args:
        root: the corpus.
        store: the store that it is read into, held by the caller; what is recognised lies beside it.
        options: with a command in ``pdf_ocr``.
    """

    def __init__(self, root: Path, store: Path, options: IngestOptions) -> None:
        self._root = root
        self._folder = store.parent / ("recognised" if store.name == STORE_NAME else f"{store.name}.recognised")
        self._options = options
        self._stop = threading.Event()

    def recognise(self, task: ParseTask, scan: Rejected) -> ParseTask | Rejected:
        """Have one scan recognised.

        Args:
            task: how it was read.
            scan: what came out.

        Returns:
            The task that reads it with its text, or why there is none.
        """
        key = self._options.scan_key(task.key)
        kept = self._folder / f"{scan.sha256}{key[key.rindex('-') :]}"
        try:
            if not kept.is_file():
                self._folder.mkdir(exist_ok=True)
                with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=self._folder) as draft:
                    fault = self._make(task, scan.sha256, Path(draft), kept)
                if fault is not None:
                    return Rejected(task.path, fault.reason, *((scan.sha256, key) if fault.lasting else ()))
        except UnreadableFile as error:
            return Rejected(task.path, str(error))
        except OSError as error:
            return Rejected(task.path, f"scan: no place for OCR beside the store: {error.strerror}")
        return replace(task, key=key, recognised=str(kept.absolute()))

    def stop(self) -> None:
        """End the programs that run, and start none any more."""
        self._stop.set()

    def tidy(self, wanted: set[str]) -> None:
        """Forget what nobody needs: of other commands, and of files that are gone.

        Args:
            wanted: SHA-256 of the files that are documents, in hex.
        """
        ending = self._options.scan_key("")
        with contextlib.suppress(OSError):
            for place in self._folder.iterdir():
                if place.name.startswith(_DRAFT):  # of a run that was killed
                    shutil.rmtree(place, ignore_errors=True)
                elif not place.name.endswith(ending) or place.name.partition("-")[0] not in wanted:
                    place.unlink()

    def _make(self, task: ParseTask, sha256: str, draft: Path, kept: Path) -> _Fault | None:
        source, target = draft / "input.pdf", draft / "output.pdf"
        if copy_file(self._root, task.place, source) != sha256:
            return _Fault("changed while it was being read", lasting=False)
        words = command_words(self._options.pdf_ocr)
        program = _found(words[0]) if words else None
        if program is None:
            name = words[0] if words else self._options.pdf_ocr
            return _Fault(f"scan: {name}, the program for OCR, is not there", lasting=False)
        arguments = [word.replace("{input}", str(source)).replace("{output}", str(target)) for word in words[1:]]
        command = self._options.pdf_ocr
        call = _Call([program, *arguments], source, target, "{input}" in command, "{output}" in command)
        fault = self._run(call, task.size)
        if fault is None and (not target.is_file() or not target.stat().st_size):
            fault = _Fault("scan: OCR gave nothing", lasting=True)
        if fault is None:
            target.replace(kept)
        return fault

    def _run(self, call: _Call, size: int) -> _Fault | None:
        """Run the program to its end, within bounds."""
        ends = time.monotonic() + _BASE_SECONDS + size / _BYTES_PER_SECOND
        try:
            with call.running() as process:
                while not _ended(process):
                    if self._stop.is_set():
                        return _Fault("scan: OCR was interrupted", lasting=False)
                    if time.monotonic() > ends:
                        return _Fault("scan: OCR took too long", lasting=True)
                    if call.written() > most_bytes(size):
                        return _Fault(f"scan: OCR gave more than {most_bytes(size):,} bytes", lasting=True)
        except OSError as error:
            return _Fault(f"scan: the program for OCR cannot be started: {error.strerror}", lasting=False)
        if call.written() > most_bytes(size):
            return _Fault(f"scan: OCR gave more than {most_bytes(size):,} bytes", lasting=True)
        if process.returncode:
            return _Fault(f"scan: OCR failed (code {process.returncode}){call.complaint()}", lasting=False)
        return None


@dataclass(frozen=True, slots=True)
class _Call:
    """One run of the program: what it gets as a file's name, and otherwise as its standard input and output."""

    words: list[str]
    source: Path
    target: Path
    named_source: bool
    named_target: bool

    @contextlib.contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """The program, running; it and what it started are ended at the end."""
        with contextlib.ExitStack() as streams:
            given = subprocess.DEVNULL if self.named_source else streams.enter_context(self.source.open("rb"))
            taken = subprocess.DEVNULL if self.named_target else streams.enter_context(self.target.open("wb"))
            process = self._start(given, taken, streams.enter_context(self._said.open("wb")))
            try:
                yield process
            finally:
                _end(process)

    def _start(self, given: BinaryIO | int, taken: BinaryIO | int, said: BinaryIO) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            self.words,
            stdin=given,
            stdout=taken,
            stderr=said,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        _bound(process)
        return process

    @property
    def _said(self) -> Path:
        return self.source.with_name("said.txt")

    def written(self) -> int:
        """Bytes that it has written so far."""
        return sum(place.stat().st_size for place in (self.target, self._said) if place.exists())

    def complaint(self) -> str:
        """The first and the last line that it wrote on its standard error, to follow a reason."""
        with self._said.open("rb") as file:
            lines = [file.readline(_TAIL)]
            file.seek(max(file.tell(), self._said.stat().st_size - _TAIL))
            lines += [line for line in file.read().split(b"\n") if line.strip()][-1:]
        shown = " ... ".join(filter(None, map(_plain, lines)))
        return f": {shown}" if shown else ""


def _plain(line: bytes) -> str:
    """A line of a program as a reason can hold it."""
    text = "".join(char if char.isprintable() else " " for char in line.decode(errors="replace"))
    return " ".join(text.split())[:_LONGEST_COMPLAINT]


def _found(name: str) -> str | None:
    """The program of a name; on Windows not one that merely lies in the current folder, which may be the corpus."""
    place = shutil.which(name)
    if (
        place is not None
        and os.name == "nt"
        and Path(name).name == name
        and Path(place).absolute().parent == Path.cwd()
    ):
        return None
    return place


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(0.1)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and, where the system has groups of processes, what it started."""
    if os.name == "nt":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _bound(process: subprocess.Popen[bytes]) -> None:
    """Bound the memory of a program that was just started. Only Linux can."""
    try:
        from resource import RLIMIT_AS, prlimit  # not on Windows, nor on macOS
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        soft, hard = prlimit(process.pid, RLIMIT_AS)
        bounds = [_MEMORY, *(bound for bound in (soft, hard) if bound >= 0)]
        prlimit(process.pid, RLIMIT_AS, (min(bounds), hard))
