"""Every setting, its value, and where it was set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from drawwell.cli.errors import describe, error_object
from drawwell.cli.output import Session, note, print_data, print_json
from drawwell.configuration import Settings, user_file
from drawwell.errors import ConfigurationError
from drawwell.settings import SETTINGS, Setting

__all__ = ["config"]


@click.command()
@click.argument(
    "folder", metavar="[DIR]", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
@click.pass_context
def config(ctx: click.Context, folder: Path | None, as_json: bool) -> None:
    """Show each setting, its value, and where it was set.

    DIR is the folder of documents whose pyproject.toml or drawwell.toml counts; without it the one here.
    What is wrong with a file is said on stderr beside the values in force. Exits with 78 when anything is wrong.

    \b
      drawwell config docs
    """
    session: Session = ctx.obj
    settings = session.settings_and_faults(folder or Path.cwd())
    rows = [_row(settings, entry) for entry in SETTINGS]
    if as_json:
        faults = [error_object(fault) for fault in settings.faults]
        print_json(
            {"user_file": str(user_file()), "settings": rows, "faults": faults, "warnings": list(settings.warnings)}
        )
    else:
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            print_data(f"{row['name']:<{width}}  {row.get('error') or _shown(row['value'])}  ({row['source']})")
        note(f"your own file: {user_file()}")
        for fault in settings.faults:
            note(describe(fault))
    if settings.faults or any("error" in row for row in rows):
        ctx.exit(78)


def _row(settings: Settings, entry: Setting) -> dict[str, Any]:
    row: dict[str, Any] = {"name": entry.name, "variable": entry.variables[0], "takes": entry.takes}
    try:
        found = settings.find(entry.name)
    except ConfigurationError as error:
        return {**row, "value": None, "source": "wrong", "error": str(error)}
    return {**row, "value": "(set)" if entry.secret and found.value else found.value, "source": found.source}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if value != "" else "-"
