"""Taking in changes of a folder as they happen."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drawwell.cli.errors import describe
from drawwell.cli.ingest import INGEST_SETTINGS, MODEL_SETTINGS
from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, note, print_data
from drawwell.errors import Error

if TYPE_CHECKING:
    from drawwell.corpus.ingest.report import IngestReport

__all__ = ["watch"]

_PATIENCE = 0.5  # seconds


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@setting_options(*INGEST_SETTINGS, *MODEL_SETTINGS)
@click.option("--poll", is_flag=True, help="Look again and again instead of asking the system; for network folders.")
@quiet_option
@click.pass_obj
def watch(session: Session, /, folder: Path, poll: bool, quiet: bool, **given: Any) -> None:
    """Take in a folder, and again whenever something in it changes, until interrupted.

    A served folder is watched by its server; this is for a store that others only read.

    \b
      drawwell watch docs
    """
    from drawwell.compose import corpus_place, refresh
    from drawwell.corpus.watch import FolderWatch, WatchOptions

    def take_in() -> IngestReport:
        # Anew each time: the project's settings may be what has changed.
        settings = session.settings(folder, given, quiet=quiet)
        return refresh(corpus_place(folder, settings), settings)

    changed = threading.Event()
    watcher = FolderWatch(folder, lambda _paths: changed.set(), WatchOptions(force_polling=poll))
    if folder.is_dir():  # what changes while the first ingest runs counts too
        watcher.start()
    print_data("\n".join(take_in().lines()))
    note(f"drawwell: watching {folder}; Ctrl-C ends it", quiet=quiet)
    while True:
        while not changed.wait(_PATIENCE):  # Windows tells of Ctrl-C only between waits
            pass
        changed.clear()
        try:
            report = take_in()
        except Error as error:  # a half-saved settings file, say: the next change may repair it
            note(describe(error))
        else:
            print_data("\n".join([report.lines()[0], *(report.models.lines() if report.models else [])]))
