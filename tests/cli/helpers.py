"""Running the command line as a user does, in this process (fast) or in another."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drawwell.cli.main import main

__all__ = ["Ran", "drawwell", "drawwell_process"]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """An output stream that keeps what is written, and may pass for a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), "utf-8")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def drawwell(
    *arguments: str | Path, cwd: Path | None = None, terminal: bool = False, screen: bool = False, **environment: str
) -> Ran:
    """Run a command to its end in this process, with streams, folder and environment of its own.

    ``terminal`` makes stderr one, ``screen`` stdout.
    """
    out, err = Stream(screen), Stream(terminal)
    code: object = None
    with contextlib.ExitStack() as around:
        around.enter_context(_environment(environment))
        around.enter_context(contextlib.chdir(cwd or Path.cwd()))
        around.enter_context(contextlib.redirect_stdout(out))
        around.enter_context(contextlib.redirect_stderr(err))
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code
    return Ran(int(str(code)), _text(out), _text(err))


def drawwell_process(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Ran:
    """Run a command to its end in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "drawwell", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


@contextlib.contextmanager
def _environment(change: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(change)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")
