"""Running the command line as a user does: another process, real streams."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Ran", "drawwell"]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


def drawwell(*arguments: str | Path, cwd: Path | None = None, stdin: str = "", **environment: str) -> Ran:
    """Run a command to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "drawwell", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        input=stdin.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
