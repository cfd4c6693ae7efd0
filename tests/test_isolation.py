"""Tests run in a home of their own and cannot reach the user's."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from tests import conftest
from tests.guard import Guard, UserDataTouched


def test_home_is_temporary_and_empty(home: Path) -> None:
    """Every place that a program of the user would take is inside this test's own folder."""
    for place in (platformdirs.user_config_dir("drawwell"), platformdirs.user_data_dir("drawwell")):
        assert Path(place).is_relative_to(home)
    assert Path("~").expanduser() == home
    assert list(home.iterdir()) == []
    assert not [name for name in os.environ if name.startswith(("DRAWWELL_", "CONTEXTPULL_"))]


def test_children_inherit_the_home(home: Path) -> None:
    """A process started by a test lives in the same home."""
    code = "import platformdirs; print(platformdirs.user_cache_dir('drawwell'))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Path(out.stdout.strip()).is_relative_to(home)


@pytest.mark.parametrize("how", ["open", "listdir", "sqlite", "uri", "mkdir", "rename"])
def test_a_touch_is_refused_and_remembered(how: str, tmp_path: Path) -> None:
    """Opening, listing, making or renaming something in a guarded folder is refused and fails the test."""
    guarded = tmp_path / "real #1"
    guarded.mkdir()
    (tmp_path / "other").write_text("")
    guard = Guard([str(guarded)])
    events = {
        "open": ("open", (str(guarded / "config.toml"), "r", 0)),
        "listdir": ("os.listdir", (guarded,)),
        "sqlite": ("sqlite3.connect", (str(guarded / "a.sqlite"),)),
        "uri": ("sqlite3.connect", (f"file:{guarded}/a.sqlite?mode=ro".replace("#", "%23"),)),
        "mkdir": ("os.mkdir", (str(guarded / "x"), 0o777, -1)),
        "rename": ("os.rename", (str(tmp_path / "other"), str(guarded / "x"), -1, -1)),
    }
    with pytest.raises(UserDataTouched, match=r"real (#|%23)1"):
        guard.audit(*events[how])
    assert len(guard.take()) == 1
    assert guard.take() == []
    guard.audit("open", (str(tmp_path / "real #12"), "r", 0))
    guard.audit("open", (3, "r", 0))
    assert guard.take() == []


def test_the_guard_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The running session's own guard sees real calls of the interpreter."""
    installed = conftest.GUARD
    monkeypatch.setattr(installed, "_places", (str(tmp_path),))
    for attempt in (
        lambda: (tmp_path / "x").write_text(""),
        lambda: sqlite3.connect(tmp_path / "x.sqlite"),
        lambda: os.listdir(tmp_path),
    ):
        with pytest.raises(UserDataTouched, match="test_the_guard_is_installed"):
            attempt()
    assert len(installed.take()) == 3
