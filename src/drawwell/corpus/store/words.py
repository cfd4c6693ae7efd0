"""Where the indexes derived from a store are, whose they are, and whether they have followed it.

A note beside them says which state of the store they followed and which files they then had. It is there only while
nothing has been written to them since, so that damage, and a store that is an older copy of itself, can be told.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from drawwell.corpus.store.lock import is_held
from drawwell.corpus.store.places import STORE_NAME
from drawwell.corpus.store.schema import read_meta

__all__ = [
    "DOCUMENTS",
    "GRAMS",
    "INDEXES",
    "META",
    "NOTE",
    "TERMS",
    "IndexUnusable",
    "begin_following",
    "followed",
    "identity",
    "index_faults",
    "is_behind",
    "is_followed",
    "is_self_contained",
    "note_followed",
    "renew_identity",
    "state_of",
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
NOTE = "followed.json"
"""What was last followed: it spares looking into indexes that are up to date."""

_MANAGED = ".managed.json"
"""Tantivy's list of the files that it made; it deletes those of them that no commit needs."""

_VERSIONS = {TERMS: 2, DOCUMENTS: 2, GRAMS: 1}
"""Raised whenever the same text may be indexed in another way, so that an older index is made anew."""


class IndexUnusable(Exception):
    """An index cannot be read or written. The store answers without it."""


@contextmanager
def index_faults() -> Iterator[None]:
    """Around work with an index: what Tantivy raises as one error, its panics, which are no Exception, included.

    Raises:
        IndexUnusable: from a ValueError, an OSError or a panic.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        raise IndexUnusable(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # it cannot be imported
            raise
        raise IndexUnusable(f"it is damaged: {error}") from error


def words_folder(store: Path, name: str = "") -> Path:
    """The folder of one of the indexes beside a store; without a name, the one that holds them."""
    return store.parent / ("words" if store.name == STORE_NAME else f"{store.name}.words") / name


def identity(connection: sqlite3.Connection, name: str) -> str:
    """What an index of a store is marked with: another store's, or one made in another way, is of no use for it."""
    return f"{name}-{_VERSIONS[name]}-{read_meta(connection, 'drawwell.created')}"


def renew_identity(connection: sqlite3.Connection) -> None:
    """Make all indexes that there are those of another store, before the numbers of its commits come again."""
    connection.execute("UPDATE meta SET value = ? WHERE key = 'drawwell.created'", (str(time.time_ns()),))


def is_self_contained(folder: Path) -> bool:
    """Whether an index's folder holds plain files alone and names no file outside of it.

    In a folder that came from others, a link could lead anywhere, and so could Tantivy's list of files to delete.
    """
    try:
        if not all(stat.S_ISDIR(place.lstat().st_mode) for place in (folder.parent, folder)):
            return False
        with os.scandir(folder) as entries:
            if not all(entry.is_file(follow_symlinks=False) for entry in entries):
                return False
        names = json.loads((folder / _MANAGED).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(names, list) and all(isinstance(name, str) and _is_plain(name) for name in names)


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and not any(mark in name for mark in "/\\:\0")


def is_followed(connection: sqlite3.Connection, store: Path) -> bool:
    """Whether the indexes are known to have followed a store to where it stands, and are as they were then."""
    return _read_note(store) == _note(connection, store)


def is_behind(connection: sqlite3.Connection, store: Path) -> bool | None:
    """Whether a store is an older copy of the one that its indexes followed; None when only they can tell."""
    note = _read_note(store)
    if not note:
        return None
    *identities, generation = _state(connection)
    return note["state"][:-1] == identities and followed(store) > int(generation)


def followed(store: Path) -> int:
    """The number of the commit up to which the indexes followed a store; 0 when that is not noted."""
    with suppress(ValueError, TypeError, KeyError, IndexError):
        return int(_read_note(store)["state"][-1])
    return 0


def begin_following(store: Path) -> None:
    """Make ready to write to the indexes: take the note away, and what leads out of their folder.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = words_folder(store)
    if folder.is_symlink():
        folder.unlink()
    with suppress(FileNotFoundError):
        (folder / NOTE).unlink()
    for name in INDEXES:
        place = folder / name
        if place.is_symlink() or place.is_file():
            place.unlink()
        elif place.is_dir() and not is_self_contained(place):
            shutil.rmtree(place)


def note_followed(connection: sqlite3.Connection, store: Path) -> None:
    """Note that the indexes have followed a store."""
    (words_folder(store) / NOTE).write_text(json.dumps(_note(connection, store)), encoding="utf-8")


def state_of(connection: sqlite3.Connection, store: Path) -> tuple[str, dict[str, int]]:
    """How the indexes beside a store stand, and bytes by index.

    Returns:
        ``up to date``; ``being made`` while somebody writes the store; ``behind`` when the next ingest will bring them
        up to date; ``missing``.
    """
    sizes = {name: sum(files.values()) for name, files in _files(store).items()}
    if is_followed(connection, store):
        return "up to date", sizes
    if is_held(store):
        return "being made", sizes
    return ("behind" if sizes else "missing"), sizes


def _note(connection: sqlite3.Connection, store: Path) -> dict[str, Any]:
    return {"state": _state(connection), "files": _files(store)}


def _read_note(store: Path) -> dict[str, Any]:
    """The note; empty without one that can be read."""
    place = words_folder(store) / NOTE
    try:
        if words_folder(store).is_symlink() or not stat.S_ISREG(place.lstat().st_mode):
            return {}
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    fits = isinstance(found, dict) and isinstance(found.get("state"), list) and "files" in found
    return found if fits else {}


def _files(store: Path) -> dict[str, dict[str, int]]:
    """The files of each index, and their sizes, but for locks and lists; none of one that leads elsewhere."""
    found: dict[str, dict[str, int]] = {}
    for name in INDEXES:
        folder = words_folder(store, name)
        if is_self_contained(folder):
            files = (place for place in folder.iterdir() if not place.name.startswith("."))
            found[name] = {place.name: place.lstat().st_size for place in files}
    return found


def _state(connection: sqlite3.Connection) -> list[str]:
    generation = read_meta(connection, "drawwell.generation") or "0"
    return [*(identity(connection, name) for name in INDEXES), generation]
