"""Whole processes are run to their end and measured."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from drawwell.bench.speed.process import folder_mb, resident_mb, run, run_checked
from drawwell.bench.speed.race import Unavailable

posix = pytest.mark.skipif(os.name == "nt", reason="the system does not tell")


def test_a_process_is_run_to_its_end(tmp_path: Path) -> None:
    """Exit code, both streams and the folder are those of the command; its input is empty."""
    code = "import os, sys; print(os.getcwd(), repr(sys.stdin.read())); print('é', file=sys.stderr); sys.exit(3)"
    ended = run([sys.executable, "-X", "utf8", "-c", code], cwd=tmp_path)
    assert ended.code == 3
    assert ended.out.strip() == f"{os.path.realpath(tmp_path)} ''"
    assert ended.err.strip() == "é"
    assert ended.measured.ms > 0
    assert ended.reason() == "exit code 3: é"


def test_a_failure_says_why() -> None:
    """A code that is not fine is a reason with the last that the program said; one that is fine is none."""
    command = [sys.executable, "-c", "import sys; sys.exit('first\\nsecond\\nthird')"]
    with pytest.raises(Unavailable, match=r"^exit code 1: second; third$"):
        run_checked(command)
    assert run_checked(command, fine=(0, 1)).code == 1
    with pytest.raises(Unavailable, match="no-such-program cannot be started: No such file"):
        run(["no-such-program"])


@posix
def test_processor_time_and_memory_are_the_process_s_own() -> None:
    """Time of children counts; memory is the largest process's, whatever the bench itself holds."""
    held = bytearray(120_000_000)
    small = run([sys.executable, "-c", "pass"]).measured
    large = run([sys.executable, "-c", "x = bytearray(60_000_000)"]).measured
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}], check=True)"
    working = run([sys.executable, "-c", parent]).measured
    assert len(held) == 120_000_000
    assert small.memory_mb is not None
    assert large.memory_mb is not None
    assert 2 < small.memory_mb < 60 < large.memory_mb < 120
    assert working.cpu_s is not None
    assert working.cpu_s >= 0.3


def test_sizes_of_folders_and_of_running_processes(tmp_path: Path) -> None:
    """A folder's size is that of all its files; a process that is not there has none."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(1_500_000))
    (tmp_path / "c").write_bytes(bytes(500_000))
    assert folder_mb(tmp_path) == 2.0
    assert resident_mb(2**30) is None
    if sys.platform == "linux":
        assert (resident_mb(os.getpid()) or 0) > 5
