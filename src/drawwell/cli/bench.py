"""Measurements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from drawwell.cli.options import quiet_option
from drawwell.cli.output import Session, note, print_data, print_json

if TYPE_CHECKING:
    from drawwell.bench.speed import SpeedReport

__all__ = ["bench"]


@click.group()
def bench() -> None:
    """Measure drawwell on this machine.

    \b
      drawwell bench speed
      drawwell bench speed docs --json
    """


@bench.command()
@click.argument(
    "folder", metavar="[DIR]", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print the measurements as JSON.")
@quiet_option
@click.pass_obj
def speed(session: Session, folder: Path | None, as_json: bool, quiet: bool) -> None:
    """Time ingest, search, grep and read on a folder; without one on the sample corpus.

    The store goes to a temporary place and is removed afterwards; nothing is written to DIR.

    \b
      drawwell bench speed
      drawwell bench speed docs --json
    """
    from drawwell.bench.speed import measure_speed
    from drawwell.demo import corpus_folder

    root = folder or corpus_folder()
    report = measure_speed(
        root, session.settings(root, quiet=quiet), lambda work: note(f"measuring: {work}", quiet=quiet)
    )
    if as_json:
        print_json(report)
        return
    _show(report)


def _show(report: SpeedReport) -> None:
    print_data(f"{report.documents:,} documents, {report.sections:,} sections, {report.characters:,} characters")
    print_data(f"{report.machine}\n")
    print_data(f"{'work':<26}{'runs':>5}{'p50 ms':>12}{'p95 ms':>12}")
    for timing in report.timings:
        print_data(f"{timing.work:<26}{timing.runs:>5}{timing.p50_ms:>12,.2f}{timing.p95_ms:>12,.2f}")
