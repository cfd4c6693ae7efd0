"""What commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from drawwell.configuration import Settings, gather_settings, load_settings
from drawwell.model import to_json
from drawwell.settings import Scalar

__all__ = ["Session", "bold", "note", "print_data", "print_json"]


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


def print_data(text: str) -> None:
    """Print data on stdout."""
    click.echo(text, color=_colour())


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a result as JSON, in the shape that the tool of the same name gives."""
    click.echo(json.dumps(to_json(value), ensure_ascii=False, indent=indent))


def note(text: str, *, quiet: bool = False) -> None:
    """Say something on stderr that is not data."""
    if text and not quiet:
        click.echo(text, err=True, color=_colour())


def bold(text: str) -> str:
    """Make a text stand out on a terminal; elsewhere it stays as it is."""
    return click.style(text, bold=True) if sys.stdout.isatty() else text


def _colour() -> bool | None:
    """None lets the terminal decide, which ``NO_COLOR`` overrules."""
    return False if os.environ.get("NO_COLOR") else None
