"""What commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from drawwell.configuration import Settings, load_settings
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

    def settings(self, root: Path | None, given: dict[str, Scalar | None] | None = None) -> Settings:
        """The settings in force; what was found and not used is said on stderr."""
        loaded = load_settings(root, given, self.env_file)
        for warning in loaded.warnings:
            note(f"drawwell: {warning}")
        return loaded


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
