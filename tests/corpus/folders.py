"""Folders of documents for tests, and what a store says of them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from drawwell.corpus.ingest.report import IngestReport
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.places import store_path

NOBODY = 65534


def fill(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, by their path relative to ``root``, and return ``root``."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(parents=True, exist_ok=True)
    return root


def take(root: Path, store: Path | None = None, **options: Any) -> IngestReport:
    """Ingest a folder into its store."""
    return ingest(root, store or store_path(root), IngestOptions(**options))


def rows(root: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the store of a folder, or of a store file."""
    store = root if root.is_file() else store_path(root)
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(query, values).fetchall()


def documents(root: Path) -> list[str]:
    """Paths of the documents in the store of a folder."""
    return [path for (path,) in rows(root, "SELECT path FROM documents ORDER BY path")]


def texts(root: Path, path: str) -> str:
    """The sections of a document, joined."""
    query = "SELECT text FROM sections JOIN documents USING (doc_id) WHERE path = ? ORDER BY ordinal"
    return "".join(text for (text,) in rows(root, query, path))


def contents(store: Path, *, times: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in a store, table by table, the word index's own tables included; without times unless asked for."""
    found = {}
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in sorted(names):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info('{name}')")]
            kept = [column for column in columns if times or column not in ("ingested_at", "mtime_ns")]
            where = "" if times or name != "meta" else "WHERE key NOT IN ('ingested_at', 'drawwell.created')"
            picked = ", ".join(f'"{column}"' for column in kept)
            found[name] = sorted(connection.execute(f"SELECT {picked} FROM {name} {where}"), key=repr)
    return found


@contextmanager
def public_folder() -> Iterator[Path]:
    """A folder that other users of this machine can enter."""
    with tempfile.TemporaryDirectory(prefix="drawwell-public-") as name:
        place = Path(name)
        place.chmod(0o755)
        try:
            yield place
        finally:
            for folder, _, _ in os.walk(place):
                Path(folder).chmod(0o755)


def as_other_user(code: str, *arguments: str) -> str:
    """Run Python code as a user whom permissions bind, for root is not bound; returns what it prints."""
    prelude = f"import os, sys\nif os.getuid() == 0:\n    os.setgid({NOBODY}); os.setuid({NOBODY})\n"
    imports = "from pathlib import Path\nfrom drawwell.corpus.ingest.run import ingest\n"
    imports += "from drawwell.corpus.store.handle import Store\nfrom drawwell.corpus.store.places import *\n"
    imports += "from drawwell.corpus.options import IngestOptions\n"
    imports += "import drawwell.corpus.ingest.pool, drawwell.corpus.index.render\n"
    imports += "import drawwell.corpus.operations.lexical, drawwell.retrieval.grams\n"
    imports += "from drawwell.corpus.operations.corpus import Corpus\n"
    imports += "import urllib.parse, drawwell.text.formats.markdown, encodings.latin_1, encodings.utf_8_sig\n"
    command = [sys.executable, "-c", imports + prelude + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
