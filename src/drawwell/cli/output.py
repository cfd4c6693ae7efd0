"""What commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from drawwell.configuration import Settings, gather_settings, load_settings
from drawwell.model import to_json
from drawwell.settings import Scalar

__all__ = ["Session", "note", "one_line", "print_data", "print_exactly", "print_json", "shown", "visible"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Session:
    """What the whole command line was started with.

    Attributes:
        env_file: the file named by ``--env-file``.
    """

    env_file: Path | None = None
    _said: set[str] = field(default_factory=set)

    def settings(
        self, root: Path | None, given: dict[str, Scalar | None] | None = None, *, quiet: bool = False
    ) -> Settings:
        """The settings in force; what was found and not used is said on stderr, once, unless ``quiet``.

        Raises:
            ConfigurationError: a file cannot be read, or has keys that are no settings.
        """
        return self._warned(load_settings(root, given, self.env_file), quiet=quiet)

    def settings_and_faults(self, root: Path | None) -> Settings:
        """The same, whatever is wrong with the files: ``faults`` has it."""
        return self._warned(gather_settings(root, None, self.env_file))

    def _warned(self, settings: Settings, *, quiet: bool = False) -> Settings:
        for warning in settings.warnings:
            if warning not in self._said:
                note(f"drawwell: {warning}", quiet=quiet)
            self._said.add(warning)
        return settings


def print_data(text: str, lead: str = "") -> None:
    """Print data on stdout: as it is where it goes to a file or a program, without control characters on a terminal.

    Args:
        text: the data; a line end is added.
        lead: printed in front of it, and made to stand out on a terminal.
    """
    if sys.stdout.isatty():
        lead, text = visible(lead), visible(text)
        if lead and not os.environ.get("NO_COLOR"):
            lead = click.style(lead, bold=True)
    print_exactly(f"{lead}{text}\n")


def print_exactly(text: str) -> None:
    """Print a text on stdout character for character."""
    click.echo(text, nl=False, color=True)  # otherwise click takes out what looks like colours


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a result as JSON, in the shape that the tool of the same name gives."""
    text = json.dumps(to_json(value), ensure_ascii=False, indent=indent)
    print_exactly((visible(text, "\\u{:04x}") if sys.stdout.isatty() else text) + "\n")


def note(text: str, *, quiet: bool = False) -> None:
    """Say something on stderr that is not data."""
    if text and not quiet:
        click.echo(visible(text), err=True)


def visible(text: str, form: str = "\\x{:02x}") -> str:
    """A text as a terminal may get it: control characters but tabs and line ends are written as escapes."""
    return _CONTROL.sub(lambda match: form.format(ord(match[0])), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """A heading on one line, with control characters as escapes."""
    return visible(text).replace("\n", "\\n")


def shown(text: str) -> str:
    """An id on one line, with control characters and backslashes as escapes; it can be read in this form too."""
    from drawwell.corpus.names import shown as escaped  # loaded already when there are names to show

    return escaped(text)
