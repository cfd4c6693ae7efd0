"""Measuring how well questions are answered."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, note, print_data, print_json
from drawwell.errors import ArgumentError, MissingExtra

__all__ = ["quality"]

_NEEDS = ("bm25s", "ir_measures", "numpy", "Stemmer")


@click.command()
@click.option(
    "--collections",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A test collection, or a folder of them.",
)
@click.option("--only", metavar="NAME,...", default="", help="Only these collections.")
@click.option("--modes", metavar="NAME,...", default="", help="Ways of search; all that can be had when left out.")
@setting_options("embed")
@click.option("--limit", metavar="N", default=0, type=click.IntRange(0), help="Only the first N questions of each.")
@click.option("--json", "as_json", is_flag=True, help="Print the measurements as JSON.")
@click.option("--markdown", is_flag=True, help="Print the tables in Markdown.")
@quiet_option
@click.pass_obj
def quality(session: Session, /, folder: Path, **given: Any) -> None:
    """Measure how well questions are answered, on test collections, beside plain FTS5 and bm25s.

    Documents, stores and indexes go to a temporary place and are removed afterwards; nothing is written to DIR.

    \b
      drawwell bench quality --collections collections
      drawwell bench quality --collections collections --only scifact,cranfield --modes lexical
      drawwell bench quality --collections collections --embed onnx:all-MiniLM-L6-v2
      drawwell bench quality --collections collections --json > quality.json
    """
    if given["as_json"] and given["markdown"]:
        raise click.UsageError("--json and --markdown exclude each other")
    if not all(find_spec(package) for package in _NEEDS):
        raise MissingExtra("measurements of quality", "bench")
    from drawwell.bench.quality.product import BY_MODELS, BY_WORDS  # needs the extra, as those below
    from drawwell.bench.quality.run import QualityPlan, measure_quality
    from drawwell.bench.quality.tables import as_markdown, as_text

    quiet = given["quiet"]
    settings = session.settings(None, {"embed": given["embed"]}, quiet=quiet)
    there = (*BY_WORDS, *BY_MODELS) if settings.text("embed") else BY_WORDS
    modes = _names(given["modes"]) or there
    for mode in modes:
        if mode not in there:
            raise ArgumentError("--modes", mode, ", ".join(there), "Those by vectors need --embed PROVIDER:MODEL")
    plan = QualityPlan(
        folder=folder,
        only=_names(given["only"]),
        modes=modes,
        limit=given["limit"],
        command=_command(folder, given),
    )
    report = measure_quality(plan, settings, lambda work: note(work, quiet=quiet))
    if given["as_json"]:
        print_json(report)
    else:
        print_data(as_markdown(report) if given["markdown"] else as_text(report))


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _command(folder: Path, given: dict[str, Any]) -> str:
    parts = ["drawwell", "bench", "quality", "--collections", folder.as_posix()]
    for name in ("only", "modes", "limit", "embed"):
        if given[name]:
            parts += [f"--{name}", str(given[name])]
    return shlex.join(parts)
