"""Taking in a folder of documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drawwell.cli.errors import exit_code, nothing_taken
from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, print_data, print_json
from drawwell.cli.progress import progress_bar
from drawwell.errors import Error, SourceError
from drawwell.model import to_json

if TYPE_CHECKING:
    from drawwell.compose import CorpusPlace
    from drawwell.configuration import Settings
    from drawwell.corpus.ingest.report import IngestReport

__all__ = ["INGEST_SETTINGS", "ingest"]

INGEST_SETTINGS = (
    "store",
    "section_max_chars",
    "section_min_chars",
    "section_heading_depth",
    "index_budget_tokens",
    "max_file_bytes",
    "respect_gitignore",
    "words",
    "pdf_password",
    "pdf_ocr",
    "workers",
    "wait_seconds",
)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@setting_options(*INGEST_SETTINGS)
@click.option("--dry-run", is_flag=True, help="Only say what would be read, and what is ignored and why.")
@click.option("--strict", is_flag=True, help="Fail when any file was skipped.")
@click.option("--prune", is_flag=True, help="Accept that more than half of the documents are gone.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="List every skipped file and every warning.")
@quiet_option
@click.option("--events", is_flag=True, hidden=True, help="For a parent process: one JSON object a line.")
@click.pass_obj
def ingest(session: Session, /, folder: Path, **given: Any) -> None:
    """Take in the documents of a folder, or what changed in it since.

    Writes only into DIR/.drawwell; the documents are only read. A file that cannot be read is skipped and reported.
    Running it again costs what changed. Where no document can be taken in, the exit code is 1.

    \b
      drawwell ingest docs
      drawwell ingest docs --dry-run
      drawwell ingest docs --strict --json
    """
    from drawwell.compose import corpus_place

    modes = {name: given.pop(name) for name in ("dry_run", "strict", "prune", "as_json", "verbose", "quiet", "events")}
    if modes["events"]:
        _with_events(session, folder, given, prune=modes["prune"])
        return
    settings = session.settings(folder, given, quiet=modes["quiet"])
    place = corpus_place(folder, settings)
    if modes["dry_run"]:
        _survey(folder, settings, as_json=modes["as_json"], verbose=modes["verbose"])
        return
    report = _run(place, settings, prune=modes["prune"], quiet=modes["quiet"])
    if modes["as_json"]:
        print_json(report)
    elif not modes["quiet"]:
        print_data("\n".join(report.lines(modes["verbose"])))
    if report.skipped and not report.documents:
        raise nothing_taken(folder)
    if modes["strict"] and report.skipped:
        raise SourceError(f"--strict: files skipped: {len(report.skipped)}", "The report says which and why")


def _run(place: CorpusPlace, settings: Settings, *, prune: bool, quiet: bool) -> IngestReport:
    from drawwell.compose import refresh

    with progress_bar(quiet=quiet) as progress:
        return refresh(place, settings, progress, prune=prune)


def _survey(folder: Path, settings: Settings, *, as_json: bool, verbose: bool) -> None:
    from drawwell.compose import ingest_options
    from drawwell.corpus.ingest.run import survey

    found = survey(folder, ingest_options(settings))
    if as_json:
        print_json(found)
    else:
        print_data("\n".join(found.lines(verbose)))
    if not found.kinds:
        raise nothing_taken(folder)


def _with_events(session: Session, folder: Path, given: dict[str, Any], *, prune: bool) -> None:
    """Work as the child of a server: progress and outcome as JSON lines on stdout, and no longer than the parent."""
    from drawwell.compose import corpus_place, refresh
    from drawwell.server.child import leave_with_parent

    leave_with_parent()
    try:
        settings = session.settings(folder, given, quiet=True)  # the parent has said it
        report = refresh(corpus_place(folder, settings), settings, _tell_progress, prune=prune)
    except Error as error:
        _tell({"error": {"message": error.message, "suggestion": error.suggestion}})
        sys.exit(exit_code(error))
    _tell({"report": to_json(report)})


def _tell_progress(stage: str, done: int, total: int, path: str) -> None:
    _tell({"stage": stage, "done": done, "total": total, "path": path})


def _tell(event: dict[str, Any]) -> None:
    # ASCII: the parent reads bytes, and a path may hold what no encoding can.
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()
