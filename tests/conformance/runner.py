"""Runs one case and says how its answer differs from what is expected.

Operations: the five of a corpus (``index``, ``search``, ``read``, ``grep``, ``neighbours``) and ``status``;
``ingest``, the report of the ingest with what the store holds, or one document of it (``doc``); ``tool``, a call as
a model makes it (``tool``, ``arguments``); ``resource``, a resource of the server (``uri``); ``instructions``, what
a server tells at the start (``max_chars``); ``cli``, the command line (``argv``, ``env``; ``{root}`` and ``{store}``
stand for the places); ``pipe``, the same with a reader that goes away after one line; ``story``, steps over a corpus
of its own (see ``story.py``).

An answer is plain JSON. A failure that drawwell means is an answer too: ``{"error": {"kind", "message",
"suggestion", "moved_to"}}``. A case whose operation fails and that expects no ``error`` does not hold.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from drawwell.corpus.ingest.report import IngestReport
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import Error, Stale
from drawwell.model import to_json
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools.corpus_toolset import CorpusToolset
from drawwell.server.tools.live_corpus import CorpusSource
from tests.conformance.builder import build, options_of
from tests.conformance.matching import differences

__all__ = ["Bed", "answer", "attempt", "check", "compare", "failure", "report_of", "written_out"]


@dataclass
class Bed:
    """A corpus that cases run over: its folder, its store, a handle of it and the tools over it."""

    root: Path
    store: Path
    report: IngestReport
    corpus: Corpus

    @staticmethod
    def make(name: str, place: Path) -> Bed:
        """Build a corpus, ingest it and open it."""
        root = build(name, place)
        store = store_path(root)
        report = ingest(root, store, IngestOptions(**options_of(name)))
        return Bed(root, store, report, Corpus(Store.open(store), root))

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools and resources as a server has them, without its background work."""
        return Toolbox([CorpusToolset([CorpusSource(store=self.store, root=self.root)])])

    def close(self) -> None:
        """Let go of the store."""
        self.corpus.close()
        self.toolbox.close()


def check(case: dict[str, Any], bed: Bed) -> list[str]:
    """Run a case.

    Args:
        case: ``op``, ``args`` and ``expect``.
        bed: the corpus to run it over.

    Returns:
        What differs from the expectation, in words.
    """
    found = attempt(lambda: answer(case["op"], case.get("args", {}), bed))
    return compare(found, case.get("expect", {}))


def compare(found: Any, expect: dict[str, Any]) -> list[str]:
    """Differences, an unexpected failure among them."""
    failed = isinstance(found, dict) and isinstance(found.get("error"), dict)
    if failed and not any(path.split(".")[0] in ("", "error") for path in expect):
        return [f"failed: {found['error']}"]
    return differences(found, expect)


def attempt(call: Callable[[], Any]) -> Any:
    """The answer of a call, or its failure as an answer."""
    try:
        return call()
    except Error as error:
        return failure(error)


def failure(error: Error) -> dict[str, Any]:
    """A failure as an answer."""
    moved_to = list(error.moved_to) if isinstance(error, Stale) else []
    plain = {"kind": type(error).__name__, "message": error.message, "suggestion": error.suggestion}
    return {"error": {**plain, "moved_to": moved_to}}


def answer(op: str, args: dict[str, Any], bed: Bed) -> Any:
    """The answer of one operation as plain JSON."""
    args = {name: written_out(value) for name, value in args.items()}
    if op in ("index", "search", "read", "grep", "neighbours", "status"):
        return _plain(getattr(bed.corpus, op)(**args))
    if op == "ingest":
        return _document(bed, args["doc"]) if "doc" in args else report_of(bed.report, bed.store)
    if op == "tool":
        return _tool(bed, args["tool"], args["arguments"])
    if op == "instructions":
        return bed.toolbox.instructions(args["max_chars"])
    if op == "resource":
        return _plain(asdict(bed.toolbox.read_resource(args["uri"])))
    if op == "cli":
        return _command(bed, args["argv"], args.get("env", {}))
    if op == "pipe":
        return _pipe(bed, args["argv"])
    raise ValueError(f"no operation {op!r}")


def written_out(value: Any) -> Any:
    """``{"repeat": text, "times": n}`` stands for long texts."""
    if isinstance(value, dict) and set(value) == {"repeat", "times"}:
        return value["repeat"] * value["times"]
    return value


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value)))


def report_of(report: IngestReport, store: Path) -> dict[str, Any]:
    """A report, and the documents that the store holds after it."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(report)))
    plain["files"] = sorted(path.name for path in store.parent.iterdir() if path.name.startswith(store.name))
    plain["skipped"] = dict(plain["skipped"])
    plain["skipped_text"] = [f"{path}: {reason}" for path, reason in plain["skipped"].items()]
    plain["warnings_text"] = [f"{path}: {text}" for path, text in plain["warnings"]]
    plain["told"] = [*plain["skipped_text"], *plain["warnings_text"]]
    with contextlib.closing(Store.open(store)) as opened:
        rows = opened.connection().execute("SELECT path FROM documents ORDER BY path")
        plain["paths"] = [row["path"] for row in rows]
    return plain


def _document(bed: Bed, path: str) -> dict[str, Any]:
    """One document as the store holds it."""
    with contextlib.closing(Store.open(bed.store)) as store:
        return _rows(bed, store.connection(), path)


def _rows(bed: Bed, connection: sqlite3.Connection, path: str) -> dict[str, Any]:
    row = connection.execute(
        "SELECT * FROM documents JOIN drawwell_documents USING (doc_id) WHERE path = ?", (path,)
    ).fetchone()
    if row is None:
        return {"absent": path, "skipped": dict(bed.report.skipped).get(path)}
    document = dict(row)
    for name in ("metadata", "warnings"):
        document[name] = json.loads(document[name])
    aliases = connection.execute("SELECT path FROM drawwell_aliases WHERE doc_id = ? ORDER BY path", (row["doc_id"],))
    document["aliases"] = [alias["path"] for alias in aliases]
    document["sections"] = [
        {**dict(section), **{name: json.loads(section[name]) for name in ("headings", "covers", "parents")}}
        for section in connection.execute(
            "SELECT * FROM sections JOIN drawwell_sections USING (doc_id, ordinal) WHERE doc_id = ? ORDER BY ordinal",
            (row["doc_id"],),
        )
    ]
    return document


def _tool(bed: Bed, tool: str, arguments: Any) -> dict[str, Any]:
    """A tool call as a model makes it, through the checks of the server."""
    answered = bed.toolbox.call(tool, arguments)
    try:
        body = json.loads(answered.text)
    except ValueError:
        body = None
    return {"failed": answered.failed, "text": answered.text, "body": body}


def _command(bed: Bed, argv: list[str], env: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        _words(bed, argv),
        env={**os.environ, **env, "PYTHONUTF8": "1"},
        cwd=bed.root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    try:
        body = json.loads(done.stdout)
    except ValueError:
        body = None
    return {"exit": done.returncode, "stdout": done.stdout, "stderr": done.stderr, "body": body}


def _pipe(bed: Bed, argv: list[str]) -> dict[str, Any]:
    pipe = subprocess.PIPE
    with subprocess.Popen(_words(bed, argv), cwd=bed.root, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    return {"first": first.decode(), "stderr": said.decode()}


def _words(bed: Bed, argv: list[str]) -> list[str]:
    words = [word.replace("{root}", str(bed.root)).replace("{store}", str(bed.store)) for word in argv]
    return [sys.executable, "-m", "drawwell", *words]
