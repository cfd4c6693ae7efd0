"""Where the indexes derived from a store are, whose they are, and whether they have followed it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from drawwell.corpus.store.places import STORE_NAME
from drawwell.corpus.store.schema import read_meta

__all__ = [
    "DOCUMENTS",
    "GRAMS",
    "INDEXES",
    "META",
    "TERMS",
    "forget_later",
    "identity",
    "is_followed",
    "note_followed",
    "words_folder",
]

TERMS = "terms"
"""What ranks the sections."""
DOCUMENTS = "documents"
"""What says how well their documents fit."""
GRAMS = "grams"
"""What tells grep which sections to read."""
INDEXES = (TERMS, DOCUMENTS, GRAMS)
META = "meta.json"
"""Tantivy's list of what is committed to an index, replaced by each commit."""

_VERSIONS = {TERMS: 1, DOCUMENTS: 1, GRAMS: 1}
"""Raised whenever the same text may be indexed in another way, so that an older index is made anew."""
_FOLLOWED = "followed.json"
"""What was last followed: it spares looking into indexes that are up to date."""


def words_folder(store: Path, name: str = "") -> Path:
    """The folder of one of the indexes beside a store; without a name, the one that holds them."""
    return store.parent / ("words" if store.name == STORE_NAME else f"{store.name}.words") / name


def identity(connection: sqlite3.Connection, name: str) -> str:
    """What an index of a store is marked with: another store's, or one made in another way, is of no use for it."""
    return f"{_VERSIONS[name]}-{read_meta(connection, 'drawwell.created')}"


def is_followed(connection: sqlite3.Connection, store: Path) -> bool:
    """Whether the indexes are known to have followed a store to where it stands."""
    here = all((words_folder(store, name) / META).is_file() for name in INDEXES)
    return here and _followed(store) == _state(connection)


def note_followed(connection: sqlite3.Connection, store: Path) -> None:
    """Note that the indexes have followed a store."""
    (words_folder(store) / _FOLLOWED).write_text(json.dumps(_state(connection)), encoding="utf-8")


def forget_later(connection: sqlite3.Connection, store: Path) -> None:
    """Delete the indexes when they are of a later time of the store, before its numbers come again for other texts."""
    followed = _followed(store)
    if followed and followed[:-1] == _state(connection)[:-1] and int(followed[-1]) > int(_state(connection)[-1]):
        shutil.rmtree(words_folder(store), ignore_errors=True)


def _followed(store: Path) -> list[str]:
    with suppress(OSError, ValueError):
        return list(map(str, json.loads((words_folder(store) / _FOLLOWED).read_text(encoding="utf-8"))))
    return []


def _state(connection: sqlite3.Connection) -> list[str]:
    generation = read_meta(connection, "drawwell.generation") or "0"
    return [*(identity(connection, name) for name in INDEXES), generation]
