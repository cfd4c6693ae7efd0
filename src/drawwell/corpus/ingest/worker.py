"""A parsing process: tasks come in on its standard input, documents go out on its standard output."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

from drawwell.corpus.ingest.pool import parse_file

__all__ = ["serve"]


def serve(root: str) -> None:
    """Parse until there is no more to read, which is also how a parent that was killed says so.

    Args:
        root: the corpus.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and decides
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a parser that prints must not break the answers
    tasks = sys.stdin.buffer
    corpus = Path(root)
    try:
        while True:
            pickle.dump(parse_file(corpus, pickle.load(tasks)), answers, pickle.HIGHEST_PROTOCOL)  # noqa: S301 - ours
            answers.flush()
    except (EOFError, BrokenPipeError):
        return
