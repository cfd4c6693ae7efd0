"""What every command that reads a corpus shares: which corpus, how fresh, and in which form it answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from drawwell.cli.errors import nothing_taken
from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, note, print_json
from drawwell.cli.progress import progress_bar

if TYPE_CHECKING:
    from drawwell.compose import CorpusPlace
    from drawwell.configuration import Settings
    from drawwell.corpus.ingest.report import IngestReport
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["SEARCH_SETTINGS", "Reading", "json_option", "reading"]

SEARCH_SETTINGS = ("embed", "rerank", "fusion")
"""The models that a search may ask, and how."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, in the tool's shape.")

_OPTIONS = (
    click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path)),
    setting_options("store"),
    click.option("--no-ingest", is_flag=True, help="Read DIR's store as it is, without taking in what changed."),
    json_option,
    quiet_option,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The corpus that a command is about.

    Attributes:
        session: what the command line was started with.
        folder: the folder or store file that was named; None for the nearest one.
        store: the value of ``--store``.
        ingest: whether what changed in a named folder is taken in first.
        as_json: whether JSON was asked for.
        quiet: whether stderr is for errors only.
        given: values of further settings that the command has options for.
    """

    session: Session
    folder: Path | None
    store: str | None
    ingest: bool
    as_json: bool
    quiet: bool
    given: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def open(self) -> Iterator[Corpus]:
        """The corpus, closed at the end.

        Raises:
            Error: there is none, or it cannot be read.
        """
        # Loading what reads a store takes time that `--help` need not spend.
        from drawwell.compose import MODELS_STOPPED, NOT_TAKEN_IN, open_place, refresh_if_possible
        from drawwell.errors import StoreUnwritable

        place, settings = self.find()
        if self.ingest and self.folder is not None and self.folder.is_dir():
            with progress_bar(quiet=self.quiet) as progress:
                done = refresh_if_possible(place, settings, progress)
            news = f"drawwell: {NOT_TAKEN_IN}: {done}" if isinstance(done, StoreUnwritable) else _news(done)
            note(news, quiet=self.quiet)
            if not isinstance(done, StoreUnwritable) and done.skipped and not done.documents:
                raise nothing_taken(self.folder)
            elif not isinstance(done, StoreUnwritable) and done.models is not None and done.models.stopped:
                note(f"drawwell: {MODELS_STOPPED}: {done.models.stopped}", quiet=self.quiet)
        with open_place(place, settings) as corpus:
            yield corpus

    def find(self) -> tuple[CorpusPlace, Settings]:
        """The corpus's place and the settings in force for it.

        Raises:
            Error: there is none.
        """
        from drawwell.compose import corpus_place, nearest_corpus

        # A project's files only say how it is to be taken in.
        root = self.folder if self.ingest and self.folder is not None and self.folder.is_dir() else None
        settings = self.session.settings(root, {"store": self.store, **self.given}, quiet=self.quiet)
        if self.folder is not None:
            return corpus_place(self.folder, settings), settings
        return nearest_corpus(Path.cwd(), settings), settings

    def show(self, result: Any, as_text: Callable[[Any], None]) -> None:
        """Print a result, and on stderr its hint and how to get the rest."""
        if self.as_json:
            print_json(result)
            return
        as_text(result)
        note(getattr(result, "hint", None) or "", quiet=self.quiet)
        cursor = getattr(result, "next", None)
        note(f"more: repeat with --cursor {cursor}" if cursor else "", quiet=self.quiet)


def _news(report: IngestReport) -> str:
    """What an ingest before a question took in, and that files were skipped; empty when nothing changed."""
    counts = (
        ("added", report.added),
        ("changed", report.changed),
        ("renamed", report.renamed),
        ("gone", report.deleted),
    )
    said = ", ".join(f"{count} {word}" for word, count in counts if count)
    skipped = f"{len(report.skipped)} skipped: see drawwell status" if report.skipped else ""
    return f"drawwell: took in {', '.join(filter(None, (said, skipped)))}" if said else ""


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command its corpus: the argument DIR and the options that every reading command has.

    The command receives a ``Reading`` as its first argument.
    """

    def run(session: Session, /, **given: Any) -> None:
        where = Reading(
            session=session,
            folder=given.pop("folder"),
            store=given.pop("store"),
            ingest=not given.pop("no_ingest"),
            as_json=given.pop("as_json"),
            quiet=given.pop("quiet"),
            given={name: given.pop(name) for name in SEARCH_SETTINGS if name in given},
        )
        command(where, **given)

    # The command's own options travel in its attributes, so they are copied before more are added.
    wrapped: Callable[..., None] = click.pass_obj(functools.update_wrapper(run, command))
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
