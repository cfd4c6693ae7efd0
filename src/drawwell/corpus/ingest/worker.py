"""A parsing process: tasks come in on its standard input, documents go out on its standard output."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from drawwell.corpus.ingest.pool import is_isolated, parse_file

__all__ = ["serve"]

_MEMORY = 2_000_000_000
"""Bytes of address space that a file of an isolated format may take, beyond what the process has."""


def serve(root: str, spool: str) -> None:
    """Parse until there is no more to read, which is also how a parent that was killed says so.

    Args:
        root: the corpus.
        spool: a folder for very large documents; empty for none.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and decides
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a parser that prints must not break the answers
    tasks = sys.stdin.buffer
    corpus = Path(root)
    gc.freeze()  # what is loaded stays: it need not be looked through again and again
    try:
        while True:
            task = pickle.load(tasks)  # noqa: S301 - ours
            with _bounded_memory() if is_isolated(task) else contextlib.nullcontext():
                outcome = parse_file(corpus, task, Path(spool) if spool else None)
            pickle.dump(outcome, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
            del outcome  # before the next file takes its memory
    except (EOFError, BrokenPipeError):
        return


@contextlib.contextmanager
def _bounded_memory() -> Iterator[None]:
    """Let allocations fail beyond a bound, so that one file costs itself and not the machine.

    Linux keeps the bound. macOS accepts it and does not, Windows has no such call: there the bounds of each format on
    sizes, and the time limit of the pool, are what holds.
    """
    try:
        import resource  # not on Windows
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = _address_space() + _MEMORY
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    if soft != resource.RLIM_INFINITY:
        bound = min(bound, soft)
    with contextlib.suppress(OSError, ValueError):  # a system that refuses is one without the bound
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    """Bytes of address space that this process has; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
