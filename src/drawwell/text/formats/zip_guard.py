"""What is checked of a ZIP archive before anything in it is inflated, and in what words it is refused.

A few kilobytes of ZIP can inflate to gigabytes. The bounds are far above what Office programs write: a sheet of
repeated values is deflated to a fiftieth, hardly ever to less than a hundredth.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO

from drawwell.errors import UnreadableFile

__all__ = ["Archive", "EntryStream"]

_MAX_ENTRIES = 20_000
_MAX_INFLATED = 2_000_000_000
_MAX_RATIO = 250
_RATIO_FROM = 8_000_000  # bytes below which the ratio does not matter
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = 1  # bit of an entry's flags
_OLD_STREAMS = {
    "WordDocument": ("Word", ".doc", ".docx"),
    "Workbook": ("Excel", ".xls", ".xlsx"),
    "PowerPoint Document": ("PowerPoint", ".ppt", ".pptx"),
}
_FAILURES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Archive:
    """A ZIP archive within bounds. Names are matched without regard to case, as the Open Packaging Conventions say.

    Args:
        data: the file.
        what: what it should be, with its article ("a Word document").

    Raises:
        UnreadableFile: it is no such archive, is protected by a password or goes beyond a bound.
    """

    def __init__(self, data: bytes, what: str) -> None:
        _refuse_others(data, what)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _FAILURES as error:
            raise UnreadableFile(f"is not {what}: no ZIP archive, or one that is damaged or cut off") from error
        entries = self._zip.infolist()
        self._entries = {_key(entry.filename): entry for entry in entries}
        if len(entries) > _MAX_ENTRIES:
            raise UnreadableFile(f"is a ZIP archive of {len(entries):,} entries, more than {_MAX_ENTRIES:,}")
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            raise UnreadableFile("is password-protected. Save it without a password")
        _check_sizes(entries, len(data))

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._entries

    def size(self, name: str) -> int:
        """Bytes that an entry has when inflated; 0 for one that is not there."""
        entry = self._entries.get(_key(name))
        return entry.file_size if entry else 0

    def read(self, name: str) -> bytes:
        """An entry, inflated. Never more than the archive says of it, which has been checked.

        Raises:
            UnreadableFile: it is not there, or damaged.
        """
        with self.open(name) as stream:
            return stream.read()

    def open(self, name: str) -> EntryStream:
        """An entry as a stream of its inflated bytes, of which too each read may raise.

        Raises:
            UnreadableFile: it is not there, or damaged.
        """
        entry = self._entries.get(_key(name))
        if entry is None:
            raise UnreadableFile(f"is incomplete: its part {name} is missing")
        try:
            return EntryStream(self._zip.open(entry), name)
        except _FAILURES as error:
            raise _damaged(name) from error


class EntryStream(io.RawIOBase):
    """An entry being inflated, its errors in our words."""

    def __init__(self, inner: IO[bytes], name: str) -> None:
        self._inner = inner
        self._name = name

    def read(self, size: int = -1) -> bytes:
        try:
            return self._inner.read(size)
        except _FAILURES as error:
            raise _damaged(self._name) from error

    def close(self) -> None:
        self._inner.close()
        super().close()


def _damaged(name: str) -> UnreadableFile:
    return UnreadableFile(f"is damaged: its part {name} cannot be inflated")


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _refuse_others(data: bytes, what: str) -> None:
    """Say what a file is that is no ZIP archive at all."""
    if not data:
        raise UnreadableFile(f"is empty, not {what}")
    if data.startswith(_OLE):
        if _stream_name("EncryptedPackage") in data:
            raise UnreadableFile("is password-protected. Save it without a password")
        for stream, (program, old, new) in _OLD_STREAMS.items():
            if _stream_name(stream) in data:
                raise UnreadableFile(f"is in the old binary format of {program} ({old}). Save it as {new}")
        raise UnreadableFile(f"is an OLE container, not {what}")
    if data.startswith(b"{\\rtf"):
        raise UnreadableFile(f"is a file in Rich Text Format, not {what}")


def _stream_name(name: str) -> bytes:
    return name.encode("utf-16-le") + b"\0\0"


def _check_sizes(entries: list[zipfile.ZipInfo], length: int) -> None:
    total = 0
    for entry in entries:
        total += entry.file_size
        if entry.file_size > _RATIO_FROM and entry.file_size > _MAX_RATIO * max(1, entry.compress_size):
            _refuse_ratio(entry.filename, entry.file_size, entry.compress_size)
        if entry.compress_type not in _METHODS:
            raise UnreadableFile(f"is compressed by a method that Office does not use ({entry.compress_type})")
    if total > _RATIO_FROM and total > _MAX_RATIO * length:
        _refuse_ratio("the archive", total, length)
    if total > _MAX_INFLATED:
        raise UnreadableFile(f"inflates to {total:,} bytes, more than {_MAX_INFLATED:,}")


def _refuse_ratio(name: str, size: int, packed: int) -> None:
    raise UnreadableFile(
        f"looks like a ZIP bomb: {name} inflates from {packed:,} to {size:,} bytes, more than {_MAX_RATIO} times"
    )
