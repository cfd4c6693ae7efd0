"""Where a corpus keeps its store."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs

__all__ = [
    "PEER_DIR",
    "STORE_DIR",
    "STORE_NAME",
    "cached_store",
    "find_store",
    "readable_store",
    "store_path",
    "writable",
]

STORE_DIR = ".drawwell"
STORE_NAME = "store.sqlite"
PEER_DIR = ".contextpull"


def store_path(root: Path) -> Path:
    """Where the store of a corpus is written: beside the documents, or in the user's cache when that is read-only.

    Args:
        root: the folder of documents.
    """
    beside = root / STORE_DIR
    if writable(beside if beside.is_dir() else root):
        return beside / STORE_NAME
    return cached_store(root)


def cached_store(root: Path) -> Path:
    """Where the store of a read-only corpus is written: in the user's cache, under a name made from its place."""
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return platformdirs.user_cache_path("drawwell", appauthor=False) / "corpora" / name / STORE_NAME


def readable_store(store: Path, root: Path | None) -> Path:
    """The store to read from: while that of a read-only corpus is not made in the user's cache, the one it came with.

    Args:
        store: where the corpus's store is written.
        root: the folder of its documents; None when that is not known.
    """
    if root is None or store.exists() or store != cached_store(root):
        return store
    beside = root / STORE_DIR / STORE_NAME
    return beside if beside.is_file() else store


def find_store(start: Path) -> Path | None:
    """The store that answers for a place.

    Args:
        start: a store file, a folder with a store, or any folder below such a one.

    Returns:
        The store file; None when there is none from ``start`` upwards.
    """
    if start.is_file():
        return start
    start = start.absolute()
    if (start / STORE_NAME).is_file():
        return start / STORE_NAME
    for folder in (start, *start.parents):
        cached = cached_store(folder)
        if cached.is_file() and store_path(folder) == cached:  # in this order: Windows has to write to tell
            return cached
        for name in (STORE_DIR, PEER_DIR):
            if (folder / name / STORE_NAME).is_file():
                return folder / name / STORE_NAME
    return None


def writable(folder: Path) -> bool:
    """Whether a file can be made in a folder. Windows only knows when it is tried."""
    if not os.access(folder, os.W_OK):
        return False
    if os.name != "nt":
        return True
    probe = folder / f".drawwell-{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True
