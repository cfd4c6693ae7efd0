"""Bounds on what a PDF unfolds to, looked at before PDFium is given it."""

from __future__ import annotations

import zlib

from drawwell.errors import UnreadableFile

__all__ = ["check_streams"]

_STREAM = 32_000_000
"""Bytes that one stream may unfold to, pictures left out: more text and drawing than any page holds."""
_FILE = 1_000_000_000
_STEP = 1 << 20
_LOOK_BACK = 2_000  # bytes before a stream in which its dictionary is
_SMALL = 30_000
"""Deflated streams grow 1,032 times at most: a shorter one stays below the bound."""


def check_streams(data: bytes) -> None:
    """Unfold the streams of a PDF in small steps and throw them away, counting.

    Raises:
        UnreadableFile: one of them, or all together, unfold to more than is sane.
    """
    whole = 0
    at = data.find(b"stream")
    while at != -1:
        end = data.find(b"endstream", at + 6)
        end = len(data) if end == -1 else end
        _check_filters(data, at)
        if end - at > _SMALL and not _is_picture(data, at):
            whole += _unfolded(data, at + 6, end)
            if whole > _FILE:
                raise UnreadableFile(f"its streams unfold to more than {_FILE:,} bytes")
        at = data.find(b"stream", end + 9)


def _dictionary(data: bytes, at: int) -> bytes:
    """What is said about the stream at an offset."""
    return data[max(data.rfind(b"obj", max(0, at - _LOOK_BACK), at), at - _LOOK_BACK, 0) : at]


def _is_picture(data: bytes, at: int) -> bool:
    """Whether a stream is a picture's, which reading text never unfolds."""
    dictionary = _dictionary(data, at)
    return b"/Image" in dictionary and b"/Subtype" in dictionary


def _check_filters(data: bytes, at: int) -> None:
    """No program packs a stream twice, unless to make it look small."""
    dictionary = _dictionary(data, at)
    if sum(dictionary.count(name) for name in (b"/FlateDecode", b"/LZWDecode", b"/RunLengthDecode")) > 1:
        raise UnreadableFile("a stream in it is packed twice, as only bombs are")


def _unfolded(data: bytes, start: int, end: int) -> int:
    """Bytes that a deflated stream unfolds to; 0 for one of another kind."""
    while start < end and data[start] in b"\r\n":
        start += 1
    unfolder = zlib.decompressobj()
    size = 0
    view = memoryview(data)
    try:
        for at in range(start, end, _STEP):
            waiting: bytes | memoryview = view[at : min(at + _STEP, end)]
            while waiting:
                size += len(unfolder.decompress(waiting, _STEP))
                if size > _STREAM:
                    raise UnreadableFile(f"a stream in it unfolds to more than {_STREAM:,} bytes")
                waiting = unfolder.unconsumed_tail
            if unfolder.eof:
                break
    except zlib.error:
        return size
    return size
