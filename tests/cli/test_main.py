"""The command itself: help, versions, usage errors, exit codes, start-up."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from drawwell import __version__, errors
from drawwell.cli.errors import describe, exit_code
from drawwell.cli.main import COMMANDS, app, main
from tests.cli.helpers import drawwell, drawwell_process

HEAVY = ("mcp", "sqlalchemy", "numpy", "rich", "pydantic", "sqlite3", "tantivy", "pyromark", "asyncio", "filelock")


def commands() -> list[tuple[str, click.Command]]:
    """Every command, sub-commands too, with its full name."""
    found = []
    for name in (name for group in COMMANDS.values() for name in group):
        command = app.get_command(click.Context(app), name)
        assert command is not None
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {sub}", subcommand) for sub, subcommand in command.commands.items()]
    return found


def test_help_lists_every_command() -> None:
    """``drawwell``, ``-h`` and ``--help`` say the same, and name every command."""
    shown = drawwell_process("--help")
    assert shown.code == 0
    assert shown.err == ""
    for group in COMMANDS.values():
        for name in group:
            assert f"  {name} " in shown.out
    assert drawwell("-h").out == drawwell().out == shown.out
    assert shown.out.startswith("Usage: drawwell")


@pytest.mark.parametrize(("name", "command"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_command_and_option_has_help(name: str, command: click.Command) -> None:
    """Each command says what it does, each option what it is for, and an example shows its use."""
    assert command.help
    assert command.get_short_help_str().strip()
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, parameter.name
    assert f"drawwell {name}" in command.help


def test_version() -> None:
    """The version is printed in all three ways."""
    for arguments in (["--version"], ["-V"], ["version"]):
        assert drawwell(*arguments).out == f"drawwell {__version__}\n"


def test_version_as_json() -> None:
    """A program can read the version."""
    assert json.loads(drawwell("version", "--json").out) == {"name": "drawwell", "version": __version__}


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_without_a_stream(closed: str, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stdout or stderr closed a command does its work without a word."""
    other = io.StringIO()
    monkeypatch.setattr(sys, "stderr" if closed == "stdout" else "stdout", other)
    for arguments in (["ingest", str(docs)], ["search", "gateways", str(docs)], ["search", "--nope"]):
        monkeypatch.setattr(sys, closed, None)
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == (2 if "--nope" in arguments else 0)
        assert getattr(sys, closed) is None
    assert "Traceback" not in other.getvalue()


def test_help_loads_nothing_heavy() -> None:
    """``--help``, of a reading command too, loads no server, database or parser."""
    code = (
        "import sys\nfrom drawwell.cli.main import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        f"sys.exit(' '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )
    for arguments in (["--help"], ["search", "--help"], ["ingest", "--help"], ["serve", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serach", "x"], "there is no command 'serach'. Did you mean search?"),
        (["search"], "Missing argument 'QUERY'"),
        (["search", "x", "--limt", "3"], "--limt"),
        (["ingest", ".", "--max-chars", "0"], "--max-chars: got '0', takes a whole number from 100 to 1,000,000"),
        (["ingest", ".", "--index-budget", "0"], "--index-budget: got '0'"),
        (["search", "x", ".", "--limit", "999"], "--limit: got '999', takes an integer from 1 to 50"),
        (["search", "x", ".", "--mode", "zzz"], "zzz"),
    ],
)
def test_usage_errors(arguments: list[str], said: str, tmp_path: Path) -> None:
    """CL-03, CL-04: a wrong command line exits with 2, says what was wrong on stderr, and prints no data."""
    ran = drawwell(*arguments, cwd=tmp_path)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("drawwell: ")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_every_error_has_an_exit_code() -> None:
    """The whole tree of errors is translated: 2 for arguments, 69 outside, 78 configuration, 1 for the rest."""
    codes = {
        errors.ArgumentError("limit", 0, "1 to 50"): 2,
        errors.MissingExtra("HTML files", "html"): 69,
        errors.DependencyError("x"): 69,
        errors.ConfigurationError("x"): 78,
        errors.NotFound("x"): 1,
        errors.Stale("x"): 1,
        errors.StoreTooNew("x"): 1,
        errors.Vanished("x"): 1,
        click.UsageError("x"): 2,
        OSError(2, "No such file", "a.md"): 1,
        ValueError("x"): 1,
    }
    for error, code in codes.items():
        assert exit_code(error) == code
        assert describe(error).startswith("drawwell: ")


def test_message_and_suggestion_are_lines() -> None:
    """What was wrong comes first, what to do next on the line below."""
    assert describe(errors.NotFound("no such id", "Search first")) == "drawwell: no such id\n  Search first"
    assert describe(errors.NotFound("no such id")) == "drawwell: no such id"


def test_env_file(tmp_path: Path) -> None:
    """``--env-file`` sets what the environment does not, and a missing one is a usage error."""
    (tmp_path / "x.env").write_text("DRAWWELL_PORT=9000\nDRAWWELL_HOST=::1\n")
    shown = drawwell("--env-file", tmp_path / "x.env", "config", cwd=tmp_path, DRAWWELL_PORT="9001").out
    assert "9001  (DRAWWELL_PORT in the environment)" in shown
    assert "::1  (DRAWWELL_HOST in " in shown
    assert drawwell("--env-file", tmp_path / "none", "config").code == 2


def test_a_fault_of_our_own(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error exits with 1 and is named in a line; its traceback comes only when asked for."""

    def fail(*_arguments: object) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr("drawwell.compose.nearest_corpus", fail)
    ran = drawwell("search", "x", cwd=docs)
    assert (ran.code, ran.out) == (1, "")
    assert "RuntimeError: unexpected" in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in drawwell("search", "x", cwd=docs, DRAWWELL_DEBUG="1").err


def test_interrupted(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C exits with 130 and says that what was finished is kept."""

    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("drawwell.compose.nearest_corpus", interrupt)
    ran = drawwell("search", "x", cwd=docs)
    assert (ran.code, ran.out) == (130, "")
    assert "interrupted" in ran.err


def test_progress_is_for_terminals_only(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal sees a bar with the stage; a pipe sees nothing, and ``--quiet`` neither."""
    monkeypatch.setenv("COLUMNS", "100")
    assert drawwell("ingest", docs).err == ""
    for flags, shown in (([], True), (["--quiet"], False)):
        for path in docs.glob("*.md"):
            path.write_text(path.read_text() + "\nMore.\n")
        ran = drawwell("ingest", docs, *flags, terminal=True, TERM="xterm")
        assert ran.code == 0
        assert ("\x1b[" in ran.err) == shown
