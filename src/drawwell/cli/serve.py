"""Starting the MCP server."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from drawwell.cli.ingest import INGEST_SETTINGS, MODEL_SETTINGS
from drawwell.cli.options import setting_options
from drawwell.cli.output import Session
from drawwell.cli.reading import SEARCH_SETTINGS
from drawwell.errors import ArgumentError, Error
from drawwell.settings import SETTINGS

if TYPE_CHECKING:
    from drawwell.compose import CorpusPlace
    from drawwell.configuration import Settings
    from drawwell.corpus.operations.meaning import SearchModels
    from drawwell.server.config import ServeConfig
    from drawwell.server.tools.live_corpus import CorpusSource
    from drawwell.server.tools.spec import Toolset

__all__ = ["ingest_command", "serve", "split_names"]

_SERVER_SETTINGS = tuple(entry.name for entry in SETTINGS if entry.group == "server" and entry.flag)
_CUTTING = tuple(name for name in (*INGEST_SETTINGS, *MODEL_SETTINGS) if name != "store")
_SEARCHING = tuple(name for name in SEARCH_SETTINGS if name not in MODEL_SETTINGS)
_FLAGS = {entry.name: entry.flag for entry in SETTINGS}
_SECRETS = {entry.name: entry.variables[0] for entry in SETTINGS if entry.secret}
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.+)", re.DOTALL)
_STORE_SUFFIXES = (".sqlite", ".sqlite3", ".db")


@click.command()
@click.argument("sources", metavar="[DIR | STORE | NAME=DIR]...", nargs=-1)
@setting_options(*_SERVER_SETTINGS)
@click.option("--no-ingest", is_flag=True, help="Serve the store as it is: take in nothing, watch nothing.")
@click.option("--poll", is_flag=True, help="Watch by looking again and again; for network folders.")
@setting_options(*INGEST_SETTINGS, *MODEL_SETTINGS, *_SEARCHING)
@click.pass_obj
def serve(session: Session, /, sources: tuple[str, ...], **given: Any) -> None:
    """Serve documents to an agent over MCP.

    A folder is taken in behind the handshake and watched from then on; a store file is read as it is. Several
    folders are served under their names, with which their ids begin. Without any, the nearest store from here
    upwards is served.

    \b
      drawwell serve docs
      drawwell serve handbook=../handbook docs=./docs
      drawwell serve docs --transport http --port 8765
      claude mcp add drawwell -- drawwell serve ./docs
    """
    from drawwell.server.serve import serve as run

    try:
        config = _config(session, sources, given)
    except Error as error:
        # A host shows its user a tool's answer, but seldom why a server did not start.
        if isinstance(error, ArgumentError) or _over_http(session, given):
            raise
        config = _broken(error)
    run(config)


@dataclass(frozen=True, slots=True)
class _Refreshing:
    """How served folders are kept fresh, and what their searches may ask."""

    session: Session
    flags: Mapping[str, Any]
    take_in: bool
    watch: bool
    poll: bool
    search: SearchModels
    models: bool


def _config(session: Session, sources: Sequence[str], given: Mapping[str, Any]) -> ServeConfig:
    """Everything that the server needs, from the command line and the settings.

    Raises:
        Error: a setting is wrong, or there is nothing to serve.
    """
    from drawwell.compose import search_models
    from drawwell.server.auth import read_token
    from drawwell.server.config import ServeConfig
    from drawwell.server.tools.corpus_toolset import CorpusToolset

    settings = session.settings(None, {name: given[name] for name in (*_SERVER_SETTINGS, *SEARCH_SETTINGS, "store")})
    refreshing = _Refreshing(
        session=session,
        flags={name: given[name] for name in _CUTTING},
        take_in=not given["no_ingest"],
        watch=settings.enabled("watch"),
        poll=given["poll"],
        search=search_models(settings, background=True),
        models=bool(settings.text("embed") or given["summarizer"] or settings.text("summarizer")),
    )
    token_file = settings.text("token_file")
    transport: Literal["stdio", "http"] = "http" if settings.text("transport") == "http" else "stdio"
    return ServeConfig(
        toolsets=(CorpusToolset(_sources(sources, settings, refreshing)),),
        transport=transport,
        host=settings.text("host"),
        port=settings.whole("port"),
        token=read_token(Path(token_file)) if token_file else settings.text("token") or None,
        allowed_hosts=_listed(settings.text("allowed_hosts")),
        allowed_origins=_listed(settings.text("allowed_origins")),
        log_calls=settings.enabled("log"),
        log_level=settings.text("log_level"),
        instructions=settings.text("instructions") if settings.is_set("instructions") else None,
    )


def _broken(error: Error) -> ServeConfig:
    """A server on stdio whose every tool says why it does not work."""
    from drawwell.server.config import ServeConfig
    from drawwell.server.tools.corpus import CORPUS_TOOLS
    from drawwell.server.tools.spec import BrokenToolset

    toolset: Toolset = BrokenToolset("corpus", CORPUS_TOOLS, error)
    return ServeConfig(toolsets=(toolset,))


def _over_http(session: Session, given: Mapping[str, Any]) -> bool:
    try:
        return session.settings(None, {"transport": given["transport"]}).text("transport") == "http"
    except Error:
        return bool(given["transport"] == "http")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _sources(sources: Sequence[str], settings: Settings, refreshing: _Refreshing) -> list[CorpusSource]:
    """What to serve.

    Raises:
        ArgumentError: names are missing or not distinct, or one store is named for several folders.
        NotFound: nothing was named, and there is no store here or above.
    """
    from drawwell.compose import nearest_corpus

    if not sources:
        return [_source("", nearest_corpus(Path.cwd(), settings), refreshing)]
    named = split_names(sources)
    if len(named) == 1:
        name, path = named[0]
        return [_source(name, _place(path, settings), refreshing)]
    if settings.is_set("store") and settings.find("store").source == _FLAGS["store"]:
        raise ArgumentError("--store", settings.text("store"), "one folder, but several are served")
    return [_source(name, _place(path, None), refreshing) for name, path in named]


def split_names(sources: Sequence[str]) -> list[tuple[str, Path]]:
    """Names and paths of what is to be served.

    Args:
        sources: ``PATH`` or ``NAME=PATH``. Of several, one without a name has its folder's.

    Returns:
        One pair for each, the name empty for a single one that was given none.

    Raises:
        ArgumentError: two have the same name.
    """
    named: dict[str, Path] = {}
    for source in sources:
        match = None if Path(source).exists() else _NAMED.fullmatch(source)
        name, path = (match[1], Path(match[2])) if match else ("", Path(source))
        if not name and len(sources) > 1:
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", path.absolute().stem).strip("-.") or "docs"
        if name in named:
            raise ArgumentError("source", source, f"a name of its own, but {name!r} is taken", "Write NAME=DIR")
        named[name] = path
    return list(named.items())


def _place(path: Path, settings: Settings | None) -> CorpusPlace:
    """Where a source is. One that is not there yet is waited for: its disk may come later than the server."""
    from drawwell.compose import CorpusPlace, corpus_place
    from drawwell.corpus.store.places import STORE_DIR, STORE_NAME

    if path.exists():
        return corpus_place(path.absolute(), settings)
    if path.suffix in _STORE_SUFFIXES:
        return CorpusPlace(None, path.absolute())
    root = path.absolute()
    store = settings.text("store") if settings is not None else ""
    return CorpusPlace(root, Path(store) if store else root / STORE_DIR / STORE_NAME)


def _source(name: str, place: CorpusPlace, refreshing: _Refreshing) -> CorpusSource:
    from drawwell.corpus.watch import WatchOptions
    from drawwell.server.tools.live_corpus import CorpusSource

    if place.root is None or not refreshing.take_in:
        return CorpusSource(store=place.store, root=place.root, name=name, search=refreshing.search)
    os.environ.update({_SECRETS[name]: value for name, value in refreshing.flags.items() if name in _SECRETS and value})
    command = ingest_command(place, refreshing.flags, refreshing.session.env_file)
    models = (*command, "--part", "models") if refreshing.models else ()
    watch = WatchOptions(force_polling=refreshing.poll) if refreshing.watch else None
    check = partial(_check, refreshing, place.root)
    return CorpusSource(
        store=place.store,
        root=place.root,
        name=name,
        ingest=(*command, "--part", "words"),
        models=models,
        search=refreshing.search,
        check=check,
        watch=watch,
    )


def _check(refreshing: _Refreshing, root: Path) -> None:
    """Find at once what would stop an ingest of a folder: it is missing, or a setting is wrong.

    Raises:
        SourceError, ConfigurationError, ArgumentError: as the ingest would.
    """
    from drawwell.compose import corpus_place, ingest_options

    corpus_place(root)
    ingest_options(refreshing.session.settings(root, dict(refreshing.flags), quiet=True))


def ingest_command(place: CorpusPlace, flags: Mapping[str, Any], env_file: Path | None = None) -> tuple[str, ...]:
    """The command of a child process that brings a store up to date.

    Args:
        place: the corpus; its root must be known.
        flags: settings that were given as flags, by name; None values were not given. Secret ones are left out.
        env_file: the file named by ``--env-file``.
    """
    # -P: the folder that a host starts us in may hold a module named as one of ours or of the library's.
    command = [sys.executable, "-P", "-m", "drawwell"]
    if env_file is not None:
        command += ["--env-file", str(env_file)]
    command += ["ingest", str(place.root), "--events", "--store", str(place.store)]
    for name, value in flags.items():
        if name in _SECRETS:
            continue  # the command of a process is seen by other users
        if isinstance(value, bool):
            command.append(_FLAGS[name] if value else f"--no-{_FLAGS[name][2:]}")
        elif value is not None:
            command += [_FLAGS[name], str(value)]
    return tuple(command)
