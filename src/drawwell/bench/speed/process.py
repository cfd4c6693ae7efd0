"""Whole processes: how long, how much processor time, how much memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drawwell.bench.speed.race import Measured, Unavailable

__all__ = ["DRAWWELL", "Ended", "folder_mb", "resident_mb", "run", "run_checked"]

DRAWWELL = (sys.executable, "-P", "-m", "drawwell")
"""The command line of this very drawwell."""

# A process's peak memory counts what its parent held when it was started, and the bench holds much; so a small
# interpreter starts it, and measures it.
_LAUNCHER = """
import json, os, sys, time

out, err, *command = sys.argv[1:]
new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
streams = [(0, os.devnull, os.O_RDONLY), (1, out, new), (2, err, new)]
actions = [(os.POSIX_SPAWN_OPEN, number, path, flags, 0o600) for number, path, flags in streams]
start = time.perf_counter()
try:
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
except OSError as error:
    print(json.dumps({"error": error.strerror}))
    sys.exit()
_, status, usage = os.wait4(process, 0)
ms = (time.perf_counter() - start) * 1000
code = os.waitstatus_to_exitcode(status)
print(json.dumps({"ms": ms, "code": code, "cpu_s": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss}))
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended.

    Attributes:
        code: exit code.
        out: what it printed.
        err: what it said on stderr.
        measured: its time, processor time and peak memory.
    """

    code: int
    out: str
    err: str
    measured: Measured

    def reason(self) -> str:
        """Why it failed, in a line: the last two that it said."""
        lines = [line.strip() for line in (self.err.strip() or self.out.strip()).splitlines()[-2:]]
        return f"exit code {self.code}" + (f": {'; '.join(lines)[:300]}" if lines else "")


def run(command: Sequence[str | Path], cwd: Path | None = None) -> Ended:
    """Run a command to its end.

    Raises:
        Unavailable: it cannot be started.
    """
    words = [str(word) for word in command]
    with tempfile.TemporaryDirectory(prefix="drawwell-bench-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        code, measured = _run(words, cwd, (out, err))
        texts = [path.read_text(encoding="utf-8", errors="replace") if path.exists() else "" for path in (out, err)]
    return Ended(code, texts[0], texts[1], measured)


def run_checked(command: Sequence[str | Path], cwd: Path | None = None, fine: Sequence[int] = (0,)) -> Ended:
    """The same for a command that should succeed.

    Raises:
        Unavailable: it cannot be started, or its exit code is none of ``fine``.
    """
    ended = run(command, cwd)
    if ended.code not in fine:
        raise Unavailable(ended.reason())
    return ended


if sys.platform == "win32":

    def _run(words: list[str], cwd: Path | None, streams: tuple[Path, Path]) -> tuple[int, Measured]:
        with streams[0].open("wb") as out, streams[1].open("wb") as err:
            start = time.perf_counter()
            try:
                done = subprocess.run(  # noqa: S603 - commands are made by the bench
                    words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=cwd, check=False
                )
            except OSError as error:
                raise Unavailable(f"{words[0]} cannot be started: {error.strerror or error}") from error
            return done.returncode, Measured((time.perf_counter() - start) * 1000)

else:

    def _run(words: list[str], cwd: Path | None, streams: tuple[Path, Path]) -> tuple[int, Measured]:
        """Exit code and figures of a command that writes to two files."""
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, streams), *words]
        with subprocess.Popen(  # noqa: S603 - commands are made by the bench
            launcher,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            cwd=cwd,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            try:
                told = json.loads(process.communicate()[0])
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        if "error" in told:
            raise Unavailable(f"{words[0]} cannot be started: {told['error']}")
        unit = 1 if sys.platform == "darwin" else 1024
        return told["code"], Measured(told["ms"], told["cpu_s"], told["memory"] * unit / 1e6)


def resident_mb(pid: int) -> float | None:
    """Resident memory of a running process, in 10^6 bytes; None where the system does not tell it in a file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    sizes = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(sizes[0]) * 1024 / 1e6 if sizes else None


def folder_mb(folder: Path) -> float:
    """Size of all files below a folder, in 10^6 bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
