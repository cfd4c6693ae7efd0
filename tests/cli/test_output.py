"""What reaches a terminal, and what a file or a program: control characters in texts, names and headings."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.helpers import drawwell, drawwell_process

TEXT = "# Red \x1b[31mhead\x07 C:\\dir\n\nA \x1b[1mbold\x1b[0m word\x9b2J,\ttab.\r\nNext line.\n"
NAME = "a\nforged.md#0:1: gift \x1b[2J.md"
ESCAPED = "a\\nforged.md#0:1: gift \\x1b[2J.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its file names hold no control characters")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A document with colours in its text and heading, and a line end in its name."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / NAME).write_bytes(TEXT.encode())
    return folder


@pytest.mark.parametrize("screen", [False, True])
def test_raw_is_exact(hostile: Path, screen: bool) -> None:
    """``read --raw`` gives the author's characters, on a terminal too."""
    assert drawwell("read", f"{NAME}#0", hostile, "--raw", screen=screen).out == TEXT


def test_raw_bytes_in_a_pipe(hostile: Path) -> None:
    """In a process of its own, too, and the plain form and JSON hold the characters as they are."""
    drawwell("ingest", hostile)
    body = TEXT.partition("\n\n")[2]
    assert body.rstrip("\n") in drawwell("read", f"{ESCAPED}#0", hostile).out
    assert drawwell_process("read", f"{ESCAPED}#0", hostile, "--raw").out.count("\x1b") == TEXT.count("\x1b")
    assert json.loads(drawwell("read", f"{NAME}#0", hostile, "--json").out)["text"] == TEXT
    assert "A \x1b[1mbold\x1b[0m word" in drawwell("grep", "bold", hostile).out


@pytest.mark.parametrize("command", [["search", "next"], ["grep", "bold"], ["read", f"{ESCAPED}#0"], ["index"]])
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_nothing_reaches_a_terminal_raw(command: list[str], flags: list[str], hostile: Path) -> None:
    """On a terminal control characters are shown as escapes; the only colours are our own, and none with NO_COLOR."""
    ran = drawwell(*command, hostile, *flags, screen=True, terminal=True, NO_COLOR="1")
    assert ran.code == 0
    assert not [char for char in ran.out if char < " " and char not in "\n\t"]
    assert "\x9b" not in ran.out
    if flags:
        json.loads(ran.out)
    bold = drawwell(*command, hostile, *flags, screen=True).out
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == ran.out


@pytest.mark.parametrize("screen", [False, True])
@pytest.mark.parametrize("command", [["search", "next"], ["grep", "bold"], ["read", f"{ESCAPED}#0"]])
def test_no_name_forges_a_line(command: list[str], screen: bool, hostile: Path) -> None:
    """A line end in a name is printed as an escape, and the printed id can be read."""
    out = drawwell(*command, hostile, screen=screen, NO_COLOR="1").out
    assert not [line for line in out.splitlines() if line.startswith("forged")]
    assert f"{ESCAPED}#0" in out
    for reader in ("read", "neighbours"):
        assert drawwell(reader, f"{ESCAPED}#0", hostile).code == 0


def test_headings_keep_their_backslashes(hostile: Path) -> None:
    """Headings are shown as they are; only ids have their backslashes doubled, so that they can be read."""
    assert " C:\\dir  (" in drawwell("search", "next", hostile).out


def test_errors_on_a_terminal(hostile: Path) -> None:
    """What stderr says of a wrong id holds no control characters either."""
    err = drawwell("read", "no\x1b[2Jthing.md#0", hostile, terminal=True, TERM="dumb", NO_COLOR="1").err
    assert "no\\x1b[2Jthing.md" in err
