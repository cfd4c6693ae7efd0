"""How far an ingest is: a bar on a terminal, elsewhere only that it waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from drawwell.cli.output import note, visible

if TYPE_CHECKING:
    from drawwell.corpus.ingest.run import Progress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Progress | None]:
    """Show how far an ingest is; where there is no terminal, one line when it has to wait for another.

    Args:
        quiet: show nothing at all.

    Yields:
        What to call with (stage, done, total, path); None when nothing is to be shown.
    """
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield _say_waiting
        return
    # rich takes longer to load than a search takes, and is of use only here.
    import rich.progress
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    bar = rich.progress.Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[path]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, path="")

        def report(stage: str, done: int, total: int, path: str) -> None:
            bar.update(task, description=stage, completed=done, total=total or None, path=visible(path[-40:]))

        yield report


def _say_waiting(stage: str, done: int, total: int, path: str) -> None:  # noqa: ARG001 the caller's signature
    if stage == "waiting":  # told once
        note("drawwell: waiting for another ingest of this store ...")
