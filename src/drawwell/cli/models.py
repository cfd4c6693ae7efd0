"""Models that run on this machine: which are there, getting one, and whether they are what was fetched."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from drawwell import guests
from drawwell.cli.errors import FAILURE
from drawwell.cli.options import quiet_option, setting_options
from drawwell.cli.output import Session, note, print_data, print_json
from drawwell.guests import WELL_KNOWN, KeptModel, Wish

__all__ = ["models"]

_USES = {"onnx": "--embed onnx:", "static": "--embed static:", "rerank": "--rerank onnx:"}


@click.group()
def models() -> None:
    """Models that run on this machine: list them, get one, verify them.

    \b
      drawwell models list
      drawwell models pull sentence-transformers/all-MiniLM-L6-v2
    """


@models.command("list")
@setting_options("models")
@click.option("--json", "as_json", is_flag=True, help="Print the models as JSON.")
@click.pass_obj
def list_models(session: Session, models: str | None, as_json: bool) -> None:
    """List the models that are here, and some that can be pulled.

    \b
      drawwell models list
      drawwell models list --json
    """
    settings = session.settings(None, {"models": models})
    kept = guests.kept_models(settings)
    there = {one.name for one in kept}
    others = [entry for entry in WELL_KNOWN if entry[0] not in there]
    if as_json:
        pullable = [{"name": name, "kind": kind, "about": about} for name, kind, about in others]
        print_json({"folder": str(guests.models_place(settings)), "models": kept, "can_be_pulled": pullable})
        return
    for one in kept:
        print_data(_line(one))
    note(f"{'models' if kept else 'no models yet'} in {guests.models_place(settings)}")
    note("can be pulled:")
    for name, kind, about in others:
        note(f"  {name}  ({'reranking' if kind == 'rerank' else 'embedding'}: {about})")


@models.command()
@click.argument("name")
@click.option(
    "--from",
    "origin",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Copy it from a folder instead of fetching it.",
)
@click.option("--file", default="", metavar="FILE", help="The ONNX file to take, such as onnx/model.onnx.")
@click.option("--again", is_flag=True, help="Get it anew, although it is here.")
@setting_options("models", "offline")
@quiet_option
@click.pass_obj
def pull(
    session: Session, /, name: str, origin: Path | None, file: str, again: bool, quiet: bool, **given: str | bool | None
) -> None:
    """Get a model from the hub, or from a folder, and try it.

    NAME is OWNER/MODEL as the hub names it; the model is kept and configured under this name.

    \b
      drawwell models pull sentence-transformers/all-MiniLM-L6-v2
      drawwell models pull all-MiniLM-L6-v2 --from /media/stick/all-MiniLM-L6-v2
    """
    settings = session.settings(None, dict(given), quiet=quiet)
    wish = Wish(origin.expanduser() if origin else None, file, again, partial(note, quiet=quiet))
    one = guests.get_model(settings, name, wish)
    print_data(_line(one))
    note(f"use it: {_USES.get(one.kind, '')}{one.name}", quiet=quiet)


@models.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@setting_options("models")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def verify(ctx: click.Context, names: tuple[str, ...], models: str | None, as_json: bool) -> None:
    """Read models whole, compare them with what was fetched, and try them.

    NAME is a model's name or the path of its folder; without one all are verified. Exits with 1 when one is not sound.

    \b
      drawwell models verify
    """
    session: Session = ctx.obj
    found = guests.model_faults(session.settings(None, {"models": models}), names)
    if as_json:
        print_json({"models": [{"name": name, "faults": faults} for name, faults in found.items()]})
    for name, faults in () if as_json else found.items():
        print_data(f"{name}: {'; '.join(faults) or 'sound'}")
    unsound = [name for name, faults in found.items() if faults]
    if unsound:
        note(f"get it again with: drawwell models pull {unsound[0]} --again")
        ctx.exit(FAILURE)
    note("" if found else "there are no models to verify")


def _line(one: KeptModel) -> str:
    state = "" if one.sound else "  NOT SOUND"
    return f"{one.name}  {one.kind or 'of no use'}  {one.megabytes:,.1f} MB  {one.folder}  from {one.source}{state}"
