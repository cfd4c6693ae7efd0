"""Taking in a folder of documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drawwell.cli.errors import exit_code, nothing_taken
from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, print_data, print_json
from drawwell.cli.progress import progress_bar
from drawwell.errors import ConfigurationError, DependencyError, Error, SourceError
from drawwell.model import to_json

if TYPE_CHECKING:
    from drawwell.compose import CorpusPlace
    from drawwell.configuration import Settings
    from drawwell.corpus.ingest.report import IngestReport

__all__ = ["INGEST_SETTINGS", "MODEL_SETTINGS", "ingest"]

PARTS = ("all", "words", "models")

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
MODEL_SETTINGS = ("embed", "summarizer")
"""The models that add to a store."""
_FAULTS: dict[str, type[Error]] = {"configuration": ConfigurationError, "dependency": DependencyError, "failure": Error}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@setting_options(*INGEST_SETTINGS, *MODEL_SETTINGS)
@click.option("--re-embed", is_flag=True, help="Let --embed take the place of the model whose vectors are there.")
@click.option("--dry-run", is_flag=True, help="Only say what would be read, and what is ignored and why.")
@click.option("--strict", is_flag=True, help="Fail when any file was skipped.")
@click.option("--prune", is_flag=True, help="Accept that more than half of the documents are gone.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="List every skipped file and every warning.")
@quiet_option
@click.option("--events", is_flag=True, hidden=True, help="For a parent process: one JSON object a line.")
@click.option("--part", type=click.Choice(PARTS), default="all", hidden=True, help="With --events: what to do.")
@click.pass_obj
def ingest(session: Session, /, folder: Path, **given: Any) -> None:
    """Take in the documents of a folder, or what changed in it since.

    Writes only into DIR/.drawwell; the documents are only read. A file that cannot be read is skipped and reported.
    Running it again costs what changed. Where no document can be taken in, the exit code is 1. With models, vectors
    and summaries come after the words; where they cannot be had, the words are complete and the exit code is 69 or 78.

    \b
      drawwell ingest docs
      drawwell ingest docs --embed onnx:all-MiniLM-L6-v2
      drawwell ingest docs --dry-run
      drawwell ingest docs --strict --json
    """
    from drawwell.compose import corpus_place

    names = ("dry_run", "strict", "prune", "re_embed", "as_json", "verbose", "quiet", "events", "part")
    modes = {name: given.pop(name) for name in names}
    if modes["events"]:
        _with_events(session, folder, given, modes)
        return
    settings = session.settings(folder, given, quiet=modes["quiet"])
    place = corpus_place(folder, settings)
    if modes["dry_run"]:
        _survey(folder, settings, as_json=modes["as_json"], verbose=modes["verbose"])
        return
    report = _run(place, settings, modes)
    if modes["as_json"]:
        print_json(report)
    elif not modes["quiet"]:
        print_data("\n".join(report.lines(modes["verbose"])))
    if report.skipped and not report.documents:
        raise nothing_taken(folder)
    if modes["strict"] and report.skipped:
        raise SourceError(f"--strict: files skipped: {len(report.skipped)}", "The report says which and why")
    if report.models is not None and report.models.fault:
        raise _FAULTS[report.models.fault](report.models.stopped)


def _run(place: CorpusPlace, settings: Settings, modes: Mapping[str, Any]) -> IngestReport:
    from drawwell.compose import ModelUse, refresh

    with progress_bar(quiet=modes["quiet"]) as progress:
        return refresh(place, settings, progress, prune=modes["prune"], use=ModelUse(anew=modes["re_embed"]))


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


def _with_events(session: Session, folder: Path, given: dict[str, Any], modes: Mapping[str, Any]) -> None:
    """Work as the child of a server: progress and outcome as JSON lines on stdout, and no longer than the parent."""
    from drawwell.compose import USUAL, ModelUse, add_models, corpus_place, refresh
    from drawwell.server.child import leave_with_parent

    leave_with_parent()
    try:
        settings = session.settings(folder, given, quiet=True)  # the parent has said it
        place = corpus_place(folder, settings)
        report: Any
        if modes["part"] == "models":
            report = add_models(place, settings, _tell_progress, ModelUse(anew=modes["re_embed"]))
            if report is not None and report.fault:
                raise _FAULTS[report.fault](report.stopped)
        else:
            use = USUAL if modes["part"] == "all" else None
            report = refresh(place, settings, _tell_progress, prune=modes["prune"], use=use)
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
