"""Peers without a network: the development environment's ContextPull in an environment of its own, and a small rg."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import venv
from pathlib import Path

import platformdirs

from drawwell.bench.speed.peers import CONTEXTPULL

__all__ = ["install_contextpull", "install_ripgrep"]

_RG = f"""#!{sys.executable} -IS
import re, sys
from pathlib import Path

arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("ripgrep 99.1.0")
    sys.exit(0)
folder = Path(arguments[-1])
pattern = arguments[arguments.index("-e") + 1]
if "-F" in arguments:
    pattern = re.escape(pattern)
try:
    compiled = re.compile(pattern, re.IGNORECASE)
except re.error as error:
    print(f"regex parse error: {{error}}", file=sys.stderr)
    sys.exit(2)
found = [path for path in folder.rglob("*") if path.is_file() and compiled.search(path.read_text("utf-8", "replace"))]
print("\\n".join(map(str, found)))
sys.exit(0 if found else 1)
"""


def install_contextpull() -> Path:
    """Put ContextPull where the bench would install it for this test's user; the environment's folder."""
    home = Path(platformdirs.user_cache_dir("drawwell", appauthor=False)) / "bench" / f"contextpull-{CONTEXTPULL}"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    spec = importlib.util.find_spec("contextpull")
    assert spec is not None
    assert spec.origin is not None
    (packages,) = home.rglob("site-packages")
    shutil.copytree(Path(spec.origin).parent, packages / "contextpull", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "ready.txt").write_text("installed by a test\n", encoding="utf-8")
    return home


def install_ripgrep(folder: Path) -> None:
    """Put a program into a folder that speaks as much of ripgrep's command line as the bench uses."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "rg"
    program.write_text(_RG, encoding="utf-8")
    program.chmod(0o755)
