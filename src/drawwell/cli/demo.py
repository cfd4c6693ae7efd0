"""A tour over the sample corpus, in the commands that a user would type."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from drawwell.cli.errors import describe, exit_code
from drawwell.cli.output import print_data
from drawwell.errors import ArgumentError, Error

if TYPE_CHECKING:
    from drawwell.model import Hit

__all__ = ["demo"]

_FOLDER = "handbook"
_WIDTH = 100
_MOVED = "Store credit"


@click.command()
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Leave the handbook, unedited, in this new folder, to try the commands on.",
)
@click.pass_context
def demo(ctx: click.Context, keep: Path | None) -> None:
    """Show drawwell at work: ingest, search, read and cite a sample corpus.

    The corpus is copied to a temporary folder, which is removed at the end.

    \b
      drawwell demo
      drawwell demo --keep handbook
    """
    from drawwell.demo import copy_corpus

    if keep is not None:
        if keep.exists():
            raise ArgumentError("--keep", str(keep), "a folder that is not there yet", "Give another name")
        copy_corpus(keep)
    with _temporary_place():
        copy_corpus(Path(_FOLDER))
        _tour(ctx)
    if keep is not None:
        _say(f"The handbook is in {keep}; try:  drawwell search refunds {keep}")
    _say("Your own folder:  drawwell search WORDS DIR")
    _say("Your agent:       claude mcp add drawwell -- drawwell serve DIR")


def _tour(ctx: click.Context) -> None:
    from drawwell.demo import QUESTION

    _say("A folder of documents, made ready once; running it again costs what changed.")
    _run(ctx, "ingest", _FOLDER)
    _say("The map that an agent gets at the start. A document with (0) sections is front matter only.")
    _run(ctx, "index", _FOLDER)
    _say("A question gives pointers, not text.")
    _run(ctx, "search", QUESTION, _FOLDER, "--limit", "3")
    hit = _best_hit(QUESTION)
    _say("The exact text behind a pointer, with its citation.")
    _run(ctx, "read", hit.id, _FOLDER)
    _say("Every place of a code, in document order.")
    _run(ctx, "grep", "TX-4419", _FOLDER)
    path = Path(_FOLDER, hit.doc)
    _say(f"Now somebody changes a line of {hit.doc}:")
    _change_line(path)
    _say("The old citation is refused: nothing stale is served as current.")
    _run(ctx, "read", hit.cite, _FOLDER)
    moved = _best_hit(_MOVED, hit.doc)
    _say(f"Then somebody moves the section {_MOVED} of {hit.doc} to the front:")
    _move_section(path)
    _say("Its citation is refused at the old place, and the new place is named.")
    _run(ctx, "read", moved.cite, _FOLDER)


@contextlib.contextmanager
def _temporary_place() -> Iterator[None]:
    """Work in a temporary folder, and remove it at the end."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="drawwell-demo-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)  # before the removal: Windows removes no folder that is in use


def _say(text: str) -> None:
    print_data("", textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _run(ctx: click.Context, *arguments: str) -> None:
    """Print a command as one would type it, and run it."""
    typed = " ".join(f'"{part}"' if set(part) & set(" ?#*$@") else part for part in arguments)
    print_data(f"$ drawwell {typed}")
    app = ctx.find_root().command
    try:
        with app.make_context("drawwell", list(arguments)) as context:
            app.invoke(context)
    except Error as error:
        for number, line in enumerate(describe(error).splitlines()):
            indent = "    " if number else "  "
            print_data(textwrap.fill(line, _WIDTH, subsequent_indent=indent, break_on_hyphens=False))
        print_data(f"  (exit code {exit_code(error)}, so a script that checks citations notices)")
    print_data("")
    sys.stdout.flush()


def _best_hit(question: str, document: str | None = None) -> Hit:
    from drawwell.compose import open_corpus

    with open_corpus(_FOLDER, ingest=False) as corpus:
        return corpus.search(question, within=[document] if document else (), limit=1).hits[0]


def _change_line(path: Path) -> None:
    """Change the line that answers the question, as an author would, and show it before and after."""
    source = path.read_bytes().decode("utf-8")
    before = next(line for line in source.splitlines() if line.startswith("- Annual plans: "))
    after = before.replace("45 days", "60 days")
    path.write_bytes(source.replace(before, after, 1).encode("utf-8"))
    print_data(f"  before: {before}\n  after:  {after}\n")


def _move_section(path: Path) -> None:
    """Move a section to the front of its document, and show the order of the headings before and after."""
    source = path.read_bytes().decode("utf-8")
    start = source.index(f"## {_MOVED}")
    end = source.index("## ", start + 3)
    first = source.index("## ")
    moved = source[:first] + source[start:end] + source[first:start] + source[end:]
    path.write_bytes(moved.encode("utf-8"))
    for word, text in (("before: ", source), ("after:  ", moved)):
        headings = ", ".join(line[3:] for line in text.splitlines() if line.startswith("## "))
        print_data(textwrap.fill(f"  {word}{headings}", _WIDTH, subsequent_indent=" " * 10))
    print_data("")
