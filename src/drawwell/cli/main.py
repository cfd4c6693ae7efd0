"""The ``drawwell`` command: its commands by name, loaded when first used."""

from __future__ import annotations

import contextlib
import difflib
import io
import itertools
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import click

from drawwell._version import __version__
from drawwell.cli.errors import INTERRUPTED, describe, error_object, exit_code
from drawwell.cli.output import Session, note, print_data, print_json
from drawwell.configuration import load_settings
from drawwell.errors import Error

__all__ = ["app", "main"]

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "A folder of documents": {
        "ingest": "drawwell.cli.ingest:ingest",
        "search": "drawwell.cli.corpus:search",
        "read": "drawwell.cli.corpus:read",
        "grep": "drawwell.cli.corpus:grep",
        "neighbours": "drawwell.cli.corpus:neighbours",
        "index": "drawwell.cli.corpus:index",
        "status": "drawwell.cli.status:status",
        "watch": "drawwell.cli.watch:watch",
        "export-chunks": "drawwell.cli.corpus:export_chunks",
    },
    "Agents": {
        "serve": "drawwell.cli.serve:serve",
        "instructions": "drawwell.cli.agents:instructions",
        "tools-json": "drawwell.cli.agents:tools_json",
    },
    "drawwell itself": {
        "demo": "drawwell.cli.demo:demo",
        "bench": "drawwell.cli.bench:bench",
        "models": "drawwell.cli.models:models",
        "config": "drawwell.cli.config:config",
        "version": "drawwell.cli.main:version",
    },
}
_PLACES = {name: place for group in COMMANDS.values() for name, place in group.items()}


class _Commands(click.Group):
    """Commands from the table above."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        place = _PLACES.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _PLACES and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], _PLACES, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _PLACES))
        for title, group in COMMANDS.items():
            rows = []
            for name in group:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((name.ljust(width), command.get_short_help_str(limit=90)))
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, "-V", "--version", prog_name="drawwell", message="%(prog)s %(version)s")
@click.option(
    "--env-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read DRAWWELL_* settings from a file of NAME=VALUE lines; the environment goes before it.",
)
@click.pass_context
def app(ctx: click.Context, env_file: Path | None) -> None:
    """Draw exactly the text an agent needs, and prove where it came from.

    \b
      drawwell demo                          see it work
      drawwell search "refund window" docs   ask a folder of documents
      claude mcp add drawwell -- drawwell serve ./docs
    """
    ctx.obj = Session(env_file=env_file)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def version(as_json: bool) -> None:
    """Print the version.

    \b
      drawwell version
      drawwell version --json
    """
    if as_json:
        print_json({"name": "drawwell", "version": __version__})
    else:
        print_data(f"drawwell {__version__}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process.

    Args:
        arguments: in place of the process's.

    Raises:
        SystemExit: always, with one of the exit codes of ``cli.errors``.
    """
    with _streams():
        _use_utf8()
        _complete_for_shell()
        _run_and_leave(sys.argv[1:] if arguments is None else arguments)


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Whoever starts us may have closed stdout or stderr: what is written there then goes nowhere."""
    with contextlib.ExitStack() as around:
        for stream, redirect in ((sys.stdout, contextlib.redirect_stdout), (sys.stderr, contextlib.redirect_stderr)):
            if stream is None:
                nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 closed by the stack
                around.enter_context(redirect(around.enter_context(nowhere)))
        yield


def _run_and_leave(arguments: Sequence[str]) -> None:
    try:
        code = _run(arguments)
        sys.stdout.flush()
        sys.exit(code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("drawwell: interrupted; what was finished is kept", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _leave_quietly()
    except Exception as error:  # noqa: BLE001 the edge: whatever is left becomes a message and an exit code
        if _debugging():
            traceback.print_exc()
        with contextlib.suppress(BrokenPipeError):
            note(_told(error, arguments))
        sys.exit(exit_code(error))


def _told(error: Exception, arguments: Sequence[str]) -> str:
    """What stderr says of a failure: text, or one line of JSON where the answer would have been JSON."""
    options = itertools.takewhile(lambda argument: argument != "--", arguments)
    return json.dumps(error_object(error), ensure_ascii=False) if "--json" in options else describe(error)


def _run(arguments: Sequence[str]) -> int:
    # Not through click's own main: it answers a broken pipe with a failure, and on Windows it takes globs for files.
    try:
        with app.make_context("drawwell", list(arguments)) as context:
            app.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    return 0


def _debugging() -> bool:
    try:
        return load_settings().enabled("debug")
    except Error:
        return False


def _complete_for_shell() -> None:
    """Answer a shell that completes a command line."""
    instruction = os.environ.get("_DRAWWELL_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(app, {}, "drawwell", "_DRAWWELL_COMPLETE", instruction))


def _use_utf8() -> None:
    """Windows consoles and odd locales: what we print is UTF-8, and what cannot be printed is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _leave_quietly() -> None:
    """The reader of our output went away, as ``head`` does: that is no failure."""
    # Python flushes stdout once more at exit, and would complain about the same broken pipe.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
