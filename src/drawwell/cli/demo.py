"""A tour over the sample corpus, in the commands that a user would type."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from drawwell.cli.errors import describe, exit_code
from drawwell.cli.output import bold, print_data
from drawwell.errors import Error

if TYPE_CHECKING:
    from drawwell.model import Hit

__all__ = ["demo"]

_FOLDER = "handbook"


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Show drawwell at work: ingest, search, read and cite a sample corpus.

    The corpus is copied to a temporary folder, which is removed at the end.
    """
    from drawwell.demo import QUESTION, copy_corpus

    with _temporary_place():
        copy_corpus(Path(_FOLDER))
        _say("A folder of documents, made ready once; running it again costs what changed.")
        _run(ctx, "ingest", _FOLDER)
        _say("The map that an agent gets at the start.")
        _run(ctx, "index", _FOLDER)
        _say("A question gives pointers, not text.")
        _run(ctx, "search", QUESTION, _FOLDER, "--limit", "3")
        hit = _best_hit(QUESTION)
        _say("The exact text behind a pointer, with its citation.")
        _run(ctx, "read", hit.id, _FOLDER)
        _say("Every place of a code, in document order.")
        _run(ctx, "grep", "TX-4419", _FOLDER)
        _say(f"Now somebody edits {hit.doc}. The old citation is refused; nothing stale is served.")
        _edit(Path(_FOLDER, hit.doc), hit)
        _run(ctx, "read", hit.cite, _FOLDER)
    _say("Your own folder:  drawwell search WORDS DIR\nYour agent:       claude mcp add drawwell -- drawwell serve DIR")


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
    print_data(bold(text) if text else "")


def _run(ctx: click.Context, *arguments: str) -> None:
    """Print a command as one would type it, and run it."""
    typed = " ".join(f'"{part}"' if set(part) & set(" ?#*$@") else part for part in arguments)
    print_data(f"$ drawwell {typed}")
    app = ctx.find_root().command
    try:
        with app.make_context("drawwell", list(arguments)) as context:
            app.invoke(context)
    except Error as error:
        print_data(f"{describe(error)}\n(exit code {exit_code(error)})")
    print_data("")
    sys.stdout.flush()


def _best_hit(question: str) -> Hit:
    from drawwell.compose import open_corpus

    with open_corpus(_FOLDER, ingest=False) as corpus:
        return corpus.search(question, limit=1).hits[0]


def _edit(path: Path, hit: Hit) -> None:
    """Change the section behind a hit, as an author would."""
    from drawwell.compose import open_corpus

    with open_corpus(_FOLDER, ingest=False) as corpus:
        text = corpus.read(hit.id).text
    source = path.read_bytes().decode("utf-8")
    path.write_bytes(source.replace(text, text.rstrip("\n") + " (Amended.)\n\n", 1).encode("utf-8"))
