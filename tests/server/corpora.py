"""Folders to serve, and commands that ingest them in a child process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

DOCUMENTS = {
    "refunds.md": "---\nowner: Ann\n---\n# Refunds\n\nThe refund window is 30 days.\n\n"
    "## Codes\n\n| code | meaning |\n|---|---|\n| TX-44 | time is over |\n| TX-45 | no receipt |\n\n"
    "## Exceptions\n\nGifts can be returned within 60 days, says the refund team.\n",
    "guides/start here.md": "# Start\n\nWelcome to the house, and mind the step.\n",
    "guides/ünï#code.md": "# Ünïcode\n\nA name with everything in it: 設定 and more.\n",
}


def write(root: Path, documents: dict[str, str] = DOCUMENTS) -> Path:
    """Write documents below a folder."""
    for path, text in documents.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


def store_of(root: Path) -> Path:
    """Where the store of a folder is."""
    return root / ".drawwell" / "store.sqlite"


def ingest_command(root: Path) -> tuple[str, ...]:
    """What the server runs to bring a folder's store up to date."""
    store = str(store_of(root))
    return (sys.executable, "-m", "drawwell", "ingest", str(root), "--events", "--store", store, "--workers", "1")


def gated_command(root: Path, gate: Path) -> tuple[str, ...]:
    """The same, but it tells that it is at 3 of 9 and waits for a file before it begins."""
    code = (
        "import json, pathlib, runpy, sys, time\n"
        "from drawwell.server.child import leave_with_parent\n"
        "gate = pathlib.Path(sys.argv.pop(1))\n"
        "if not gate.exists(): leave_with_parent()\n"
        "while not gate.exists():\n"
        "    print(json.dumps({'stage': 'reading', 'done': 3, 'total': 9, 'path': 'a.md'}), flush=True)\n"
        "    time.sleep(0.05)\n"
        "runpy.run_module('drawwell', run_name='__main__')\n"
    )
    return (sys.executable, "-c", code, str(gate), *ingest_command(root)[3:])


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not become true in time")
        time.sleep(0.02)
