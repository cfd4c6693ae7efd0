"""A parsing process: tasks come in on its standard input, documents go out on its standard output."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

from drawwell.corpus.pool import parse_file

__all__ = ["serve"]


def serve() -> None:
    """Parse until there is no more to read, which is also how a parent that was killed says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and decides
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a parser that prints must not break the answers
    tasks = sys.stdin.buffer
    try:
        root = Path(pickle.load(tasks))  # noqa: S301 - from our own parent
        while True:
            pickle.dump(parse_file(root, pickle.load(tasks)), answers, pickle.HIGHEST_PROTOCOL)  # noqa: S301 - likewise
            answers.flush()
    except (EOFError, BrokenPipeError):
        return
