"""Makes the store and the answers that the tests compare with: run ContextPull 0.2.1 on a corpus.

By hand, with ``python -m tests.compat.record``; the results are checked in. The corpus is built in a neutral
place, since ContextPull writes the path of the corpus into its store.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.compat.queries import GREPS, INDEXES, NEIGHBOURS, READS, SEARCHES
from tests.conformance.builder import build

STORE = Path(__file__).parent / "contextpull-0.2.1.sqlite"
ANSWERS = Path(__file__).parent / "contextpull-0.2.1.json"
_FLAGS = {"in": "--in", "limit": "--limit", "context": "--context", "before": "--before", "after": "--after"}


def record() -> None:
    """Write the store and the answers."""
    place = Path(tempfile.gettempdir())
    corpus, store = place / "corpus", place / "corpus.sqlite"
    shutil.rmtree(corpus, ignore_errors=True)
    store.unlink(missing_ok=True)
    build("sample", place)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(build("words", Path(folder)), corpus, dirs_exist_ok=True)
    _run("ingest", str(corpus), "--store", str(store))
    answers = {
        "search": [_ask(store, "search", args, "query") for args in SEARCHES],
        "grep": [_ask(store, "grep", args, "pattern") for args in GREPS],
        "read": [_ask(store, "read", args, "id") for args in READS],
        "neighbours": [_ask(store, "neighbours", args, "id") for args in NEIGHBOURS],
        "index": [{"args": args, "answer": _index(store, args)} for args in INDEXES],
    }
    ANSWERS.write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    shutil.move(store, STORE)
    shutil.rmtree(corpus)


def _ask(store: Path, operation: str, args: dict[str, Any], positional: str) -> dict[str, Any]:
    words = [operation, "--json", "--store", str(store)]
    for name, value in args.items():
        if name == "regex":
            words.append("--regex")
        elif name != positional:
            for one in value if isinstance(value, list) else [value]:
                words += [_FLAGS[name], str(one)]
    answer = json.loads(_run(*words, "--", args[positional]))
    for hit in answer.get("hits", ()):
        for name in ("doc", "heading_path", "kind"):  # they follow from the id
            del hit[name]
    return {"args": args, "answer": answer}


def _index(store: Path, args: dict[str, Any]) -> str:
    return _run("index", "--store", str(store), *(["--prefix", args["prefix"]] if args else [])).removesuffix("\n")


def _run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "contextpull.cli", *words], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    record()
