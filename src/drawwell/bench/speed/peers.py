"""The programs beside which drawwell is measured. None is imported here: each runs in processes of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from drawwell.bench.speed.process import run, run_checked
from drawwell.bench.speed.race import Measured, Unavailable

__all__ = ["CONTEXTPULL", "Contextpull", "Ripgrep", "Session", "find_contextpull", "find_ripgrep"]

CONTEXTPULL = "0.2.1"
"""The version of ContextPull that is measured."""

_READY = "ready.txt"
# Runs in ContextPull's environment: opens a store once, then answers one JSON line with another, timing the call alone.
_ANSWERING = """
import json, sys, time
from contextpull import Ops, Store

store = Store.open(sys.argv[1])
ops = Ops(store)
sys.stdin.reconfigure(encoding="utf-8")
for line in sys.stdin:
    operation, text, options = json.loads(line)
    start = time.perf_counter()
    error = ""
    try:
        getattr(ops, operation)(text, **options)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    print(json.dumps({"ms": (time.perf_counter() - start) * 1000, "error": error}), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Contextpull:
    """ContextPull in an environment of its own.

    Attributes:
        python: the interpreter of that environment.
        version: as it says itself.
    """

    python: Path
    version: str

    @property
    def tool(self) -> str:
        """Its name in the report."""
        return f"contextpull {self.version}"

    def ingest(self, folder: Path, store: Path) -> list[str | Path]:
        """The command that takes a folder in."""
        return [self.python, "-P", "-m", "contextpull.cli", "ingest", folder, "--store", store]

    @contextlib.contextmanager
    def session(self, store: Path) -> Iterator[Session]:
        """A process that has a store open and answers, until the block ends."""
        with tempfile.TemporaryFile() as err:
            process = subprocess.Popen(  # noqa: S603 - our own script in an environment of our own
                [str(self.python), "-P", "-c", _ANSWERING, str(store)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=err,
                encoding="utf-8",
            )
            with process:
                try:
                    yield Session(process)
                finally:
                    process.kill()  # it only reads


class Session:
    """A running ContextPull.

    Args:
        process: it, with pipes.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, operation: str, text: str, **options: Any) -> Measured:
        """Have an operation done.

        Args:
            operation: search or grep.
            text: what is asked.
            options: further arguments, by ContextPull's names.

        Returns:
            The time of the call inside the process, without the way there and back.

        Raises:
            Unavailable: the operation failed, or the process has ended.
        """
        try:
            print(json.dumps([operation, text, options]), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline() if self._process.stdout else ""
        except OSError:
            line = ""
        if not line:
            raise Unavailable(f"contextpull ended with code {self._process.wait()} at {operation} {text!r:.80}")
        answer = json.loads(line)
        if answer["error"]:
            raise Unavailable(answer["error"])
        return Measured(answer["ms"])


def find_contextpull() -> Contextpull:
    """ContextPull as it was installed by an earlier run in the user's cache, or else installed there now.

    Raises:
        Unavailable: it cannot be installed; the reason is pip's.
    """
    home = Path(platformdirs.user_cache_dir("drawwell", appauthor=False)) / "bench" / f"contextpull-{CONTEXTPULL}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = home / _READY
    if not ready.is_file():
        run_checked([sys.executable, "-m", "venv", "--clear", home])
        run_checked([python, "-m", "pip", "install", "--quiet", f"contextpull=={CONTEXTPULL}"])
        ready.write_text(f"contextpull {CONTEXTPULL}, installed by drawwell bench; may be deleted\n", encoding="utf-8")
    said = run_checked([python, "-P", "-m", "contextpull.cli", "--version"]).out.split()
    return Contextpull(python, said[-1] if said else CONTEXTPULL)


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """ripgrep as it is on the PATH.

    Attributes:
        program: its file.
        version: as it says itself.
    """

    program: Path
    version: str

    @property
    def tool(self) -> str:
        """Its name in the report."""
        return f"ripgrep {self.version}"

    def files_with(self, pattern: str, folder: Path, *, regex: bool) -> Measured:
        """Name the files of a folder with a line that matches, whatever the case: the least that it can be asked.

        Raises:
            Unavailable: it failed, a pattern that it does not take being one reason.
        """
        command: list[str | Path] = [self.program, "--no-config", "-uu", "-i", "-l", "--no-messages"]
        ended = run(command + ([] if regex else ["-F"]) + ["-e", pattern, "--", folder])
        if ended.code not in (0, 1):  # 1: nothing matches
            raise Unavailable(ended.reason())
        return ended.measured


def find_ripgrep() -> Ripgrep:
    """ripgrep, by PATH.

    Raises:
        Unavailable: it is not there; how to install it is said.
    """
    found = shutil.which("rg")
    if found is None:
        raise Unavailable(
            "rg is not on the PATH",
            "Install ripgrep: apt install ripgrep, brew install ripgrep, winget install ripgrep",
        )
    said = run_checked([found, "--version"]).out.split()
    return Ripgrep(Path(found), said[1] if len(said) > 1 else "of unknown version")
