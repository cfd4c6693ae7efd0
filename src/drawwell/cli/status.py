"""What a store holds, and what in it is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, print_data
from drawwell.cli.reading import Reading, json_option

if TYPE_CHECKING:
    from drawwell.corpus.operations.corpus import CorpusStatus

__all__ = ["status"]


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@setting_options("store")
@json_option
@quiet_option
@click.pass_obj
def status(session: Session, folder: Path | None, store: str | None, as_json: bool, quiet: bool) -> None:
    """Say what is in a corpus, and which files changed since it was taken in.

    Nothing is taken in and nothing is written. DIR is a folder of documents or a store file; without it the nearest
    store from here upwards.

    \b
      drawwell status docs
      drawwell status docs --json
    """
    where = Reading(session=session, folder=folder, store=store, ingest=False, as_json=as_json, quiet=quiet)
    with where.open() as corpus:
        where.show(corpus.status(), _show)


def _show(found: CorpusStatus) -> None:
    print_data(str(found))
