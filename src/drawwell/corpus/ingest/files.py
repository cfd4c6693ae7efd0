"""Reading one file of a corpus: bounded, never through a link, never from anything but a regular file."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from drawwell.errors import UnreadableFile

__all__ = ["Contents", "copy_file", "describe_error", "hash_file", "read_file"]

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)  # it may have been replaced by a link since it was found
    | getattr(os, "O_NONBLOCK", 0)  # or by a pipe, which would make us wait for ever
)
_CHUNK = 1 << 20


class Contents(NamedTuple):
    """The bytes of a file and when they were last changed, in nanoseconds of the system's clock."""

    data: bytes
    mtime_ns: int


def describe_error(error: OSError) -> str:
    """An error of the system without the path that it names."""
    code = errno.errorcode.get(error.errno or 0, "")
    return f"cannot be read: {error.strerror or type(error).__name__}" + (f" ({code})" if code else "")


def read_file(root: Path, place: str, max_bytes: int) -> Contents:
    """Read a file.

    Args:
        root: the corpus.
        place: the file, relative to it.
        max_bytes: refuse more.

    Raises:
        UnreadableFile: it is gone, may not be read, is no longer a regular file, or has grown beyond the bound.
    """
    chunks = []
    size = 0
    with _opened(root, place) as (handle, found):
        wanted = min(found.st_size, max_bytes) + 1
        while chunk := os.read(handle, wanted):
            chunks.append(chunk)
            size += len(chunk)
            if size > max_bytes:
                raise UnreadableFile(f"has grown beyond {max_bytes:,} bytes")
    return Contents(chunks[0] if len(chunks) == 1 else b"".join(chunks), found.st_mtime_ns)


def hash_file(root: Path, place: str) -> str:
    """SHA-256 of a file in hex; memory does not grow with the file.

    Raises:
        UnreadableFile: as ``read_file``.
    """
    digest = hashlib.sha256()
    with _opened(root, place) as (handle, found):
        wanted = min(found.st_size + 1, _CHUNK)
        while chunk := os.read(handle, wanted):
            digest.update(chunk)
    return digest.hexdigest()


def copy_file(root: Path, place: str, target: Path) -> str:
    """Copy a file; memory does not grow with it.

    Returns:
        SHA-256 of what was copied, in hex.

    Raises:
        UnreadableFile: as ``read_file``, or the copy cannot be written.
    """
    digest = hashlib.sha256()
    with _opened(root, place) as (handle, _), target.open("wb") as copy:
        while chunk := os.read(handle, _CHUNK):
            digest.update(chunk)
            copy.write(chunk)
    return digest.hexdigest()


@contextmanager
def _opened(root: Path, place: str) -> Iterator[tuple[int, os.stat_result]]:
    """A regular file's handle and what the system says of it; errors of the system in words."""
    try:
        handle = os.open(f"{root}/{place}", _FLAGS)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFile("is no longer a regular file")
            yield handle, found
        finally:
            os.close(handle)
    except OSError as error:
        raise UnreadableFile(describe_error(error)) from error
