"""The size check counts what it says it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_sizes


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module's path below the root that the check looks at."""
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    return tmp_path / "module.py"


def function(lines: int) -> str:
    """A function of this many lines, and a docstring of two more."""
    return 'def work():\n    """One.\n    """\n' + "    x = 1\n" * (lines - 1)


def test_limits_are_inclusive(module: Path) -> None:
    """A function of 50 lines beside its docstring and a module of 400 lines are fine; one more is not."""
    module.write_text(function(50))
    assert check_sizes.faults(module) == []
    module.write_text(function(51))
    assert check_sizes.faults(module) == ["module.py:1: work has 51 lines, at most 50"]
    module.write_text("x = 1\n" * 400)
    assert check_sizes.faults(module) == []
    module.write_text("x = 1\n" * 401)
    assert check_sizes.faults(module) == ["module.py: 401 lines, at most 400"]
