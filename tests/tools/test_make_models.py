"""The model of the tests, made once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from drawwell.providers.folders import faults

ROOT = Path(__file__).resolve().parents[2]


def test_what_is_there_is_not_made_again(minilm: Path, tmp_path: Path) -> None:
    """Several calls at once find it sound and leave it as it is."""
    folder = tmp_path / minilm.name
    shutil.copytree(minilm, folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    environment = {**os.environ, "DRAWWELL_MODELS": str(tmp_path), "PIP_NO_INDEX": "1"}
    command = [sys.executable, "-m", "tools.make_models"]
    calls = [subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
    told = [call.communicate(timeout=100)[1] for call in calls]
    assert ([call.returncode for call in calls], told) == ([0, 0, 0], [b"", b"", b""])
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_the_model_is_what_was_made(minilm: Path) -> None:
    """Every file has the hash that was noted when it was made."""
    assert faults(minilm) == []


def test_a_failure_leaves_nothing_half(tmp_path: Path) -> None:
    """Without the package there is no model afterwards, and no draft of one."""
    environment = {**os.environ, "DRAWWELL_MODELS": str(tmp_path), "PIP_NO_INDEX": "1"}
    command = [sys.executable, "-m", "tools.make_models"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=100, check=False)
    assert done.returncode != 0
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")] == []
