"""Corpora for tests of the operations: a folder ingested and opened, or a store without drawwell's own tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.model import to_json
from tests.corpus.folders import fill, take


@contextmanager
def opened(root: Path, files: Mapping[str, str | bytes], **options: Any) -> Iterator[Corpus]:
    """A corpus of these files, with its root."""
    fill(root, files)
    take(root, workers=1, **options)
    with Corpus(Store.open(store_path(root)), root) as corpus:
        yield corpus


def foreign_copy(root: Path, store: Path) -> Path:
    """The store of a folder as another tool would have made it: the same without our tables and keys."""
    with closing(sqlite3.connect(store_path(root))) as source, closing(sqlite3.connect(store)) as copy:
        source.backup(copy)
        names = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE name LIKE 'drawwell%'")]
        for name in names:
            kind = copy.execute("SELECT type FROM sqlite_master WHERE name = ?", (name,)).fetchone()
            if kind is not None and kind[0] == "table":
                copy.execute(f"DROP TABLE IF EXISTS {name}")
        copy.execute("DELETE FROM meta WHERE key LIKE 'drawwell%'")
        copy.commit()
    return store


def ids(found: Any) -> list[str]:
    """Ids of hits, matches or sections, in order."""
    for name in ("hits", "matches", "sections"):
        if hasattr(found, name):
            return [item.id for item in getattr(found, name)]
    raise TypeError(type(found).__name__)


def change_meta(root: Path, **values: str) -> None:
    """Set keys of ``meta`` behind the back of an open corpus; an underscore in a name stands for a dot."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        for key, value in values.items():
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key.replace("_", ".", 1), value))
        connection.commit()


def as_json(value: Any) -> str:
    """The text that a surface would send."""
    return json.dumps(to_json(value), ensure_ascii=False)
