"""Measurements."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from drawwell.bench.groups import GROUPS
from drawwell.cli.options import quiet_option
from drawwell.cli.output import Session, note, print_data, print_json
from drawwell.cli.quality import quality
from drawwell.errors import ArgumentError

__all__ = ["bench"]


@click.group()
def bench() -> None:
    """Measure drawwell on this machine.

    \b
      drawwell bench speed
      drawwell bench speed docs --json
      drawwell bench quality --collections collections
    """


bench.add_command(quality)


@bench.command()
@click.argument(
    "folder", metavar="[DIR]", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--peers", is_flag=True, help="Measure ContextPull, ripgrep, FTS5, bare Tantivy, FAISS beside it.")
@click.option("--only", metavar="WORK,...", default="", help=f"Only some of {', '.join(GROUPS)}.")
@click.option("--sizes", default=1, type=click.IntRange(1, 8), help="Make so many corpora of DIR, each 3 x the last.")
@click.option("--largest", default=120_000, type=click.IntRange(10), help="Sections of the largest of them.")
@click.option("--runs", default=3, type=click.IntRange(1, 99), help="Runs of each whole process.")
@click.option("--questions", default=100, type=click.IntRange(1, 1000), help="Questions of each kind.")
@click.option("--vectors", default=100_000, type=click.IntRange(100), help="Vectors among which to look.")
@click.option("--plot", metavar="FILE.svg", type=click.Path(path_type=Path), help="Draw latency against size.")
@click.option("--json", "as_json", is_flag=True, help="Print the measurements as JSON.")
@click.option("--markdown", is_flag=True, help="Print the tables in Markdown.")
@quiet_option
@click.pass_obj
def speed(session: Session, /, folder: Path | None, **given: Any) -> None:
    """Time ingest, search, grep, read, the server on a folder, without one on the sample corpus; and made-up vectors.

    Works on copies in a temporary place, which are removed afterwards; nothing is written to DIR. With --peers,
    ContextPull is first installed into an environment of its own in the user's cache. What cannot be measured here is
    a row that says why.

    \b
      drawwell bench speed
      drawwell bench speed docs --peers --json
      drawwell bench speed docs --peers --sizes 4 --plot speed.svg
    """
    from drawwell.bench.speed import SpeedPlan, as_markdown, as_text, measure_speed
    from drawwell.bench.speed.plot import check_plot, plot_speed
    from drawwell.demo import corpus_folder

    quiet, plot = given["quiet"], given["plot"]
    if given["as_json"] and given["markdown"]:
        raise click.UsageError("--json and --markdown exclude each other")
    groups = _groups(given["only"])
    if plot is not None:
        check_plot(plot)
    root = folder or corpus_folder()
    shape = {name: given[name] for name in ("peers", "sizes", "largest", "runs", "questions", "vectors")}
    plan = SpeedPlan(groups=groups, command=_command(folder, given), **shape)
    settings = session.settings(root, quiet=quiet)
    report = measure_speed(root, settings, plan, lambda work: note(f"measuring: {work}", quiet=quiet))
    if plot is not None:
        plot_speed(report, plot)
    if given["as_json"]:
        print_json(report)
    else:
        print_data(as_markdown(report) if given["markdown"] else as_text(report))


def _groups(only: str) -> tuple[str, ...]:
    named = [name.strip() for name in only.split(",") if name.strip()]
    for name in named:
        if name not in GROUPS:
            raise ArgumentError("--only", name, f"some of {', '.join(GROUPS)}, with commas between them")
    return tuple(name for name in GROUPS if name in named) if named else GROUPS


def _command(folder: Path | None, given: dict[str, Any]) -> str:
    """The command line that measures the same again."""
    parts = ["drawwell", "bench", "speed", *([folder.name or "."] if folder else []), *(["--peers"] * given["peers"])]
    idle = {"largest"} if given["sizes"] == 1 else set()
    idle |= set() if "vectors" in _groups(given["only"]) else {"vectors"}
    for name in ("only", "sizes", "largest", "runs", "questions", "vectors"):
        if given[name] and name not in idle:
            parts += [f"--{name}", str(given[name])]
    return shlex.join(parts)
