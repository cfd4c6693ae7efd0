"""Formats whose parsers misbehave, for the process of a test and for parsing processes."""

from __future__ import annotations

import os
import time
from typing import NoReturn

from drawwell.text.blocks import Parsed
from drawwell.text.formats import Format
from drawwell.text.formats.markdown import parse

BOOTSTRAP = (
    "import sys; sys.path[:] = sys.argv[3:]; from tests.corpus.bad_parsers import DEADLY, FORMATS;"
    "from drawwell.text import formats; formats._BY_SUFFIX.update(FORMATS);"
    "from drawwell.corpus.ingest.worker import serve; serve(*sys.argv[1:3])"
)


class Bomb(BaseException):
    """What a library of another language raises when it panics: not an Exception."""


def die(data: bytes) -> NoReturn:
    """End the process at once."""
    os._exit(7)


def hang(data: bytes) -> NoReturn:
    """Never end."""
    while True:
        time.sleep(1)


def panic(data: bytes) -> NoReturn:
    """Raise what nobody expects."""
    raise Bomb("the library\npanicked")


def exhaust(data: bytes) -> NoReturn:
    """Ask for more memory than there is."""
    raise MemoryError


def gobble(data: bytes) -> NoReturn:
    """Take far more memory than any document needs, a little at a time."""
    taken = [bytearray(10_000_000) for _ in range(40)]
    raise AssertionError(len(taken))


def tell(data: bytes) -> Parsed:
    """Say which process this is."""
    return parse(f"# Process\n\n{os.getpid()}\n".encode())


def chatter(data: bytes) -> Parsed:
    """Print on standard output, where the answers go."""
    print("Here is some advice.", flush=True)
    os.write(1, b"And more of it.\n")
    return parse(data)


FORMATS = {
    f".{parser.__name__}": Format(parser.__name__, "bad files", (), f"{__name__}:{parser.__name__}")
    for parser in (die, hang, panic, exhaust, chatter)
}
for _name in ("gobble", "tell"):
    FORMATS[f".{_name}"] = Format(_name, "bad files", (), f"{__name__}:{_name}", isolated=True)
DEADLY = FORMATS | {".chatter": FORMATS[".die"]}
"""The same, but that what only printed now dies."""
