"""Settings to wells: the only place that wires parts together. Below it there are values, not settings."""

from __future__ import annotations

import warnings
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from drawwell.configuration import Settings, load_settings
from drawwell.corpus.options import IngestOptions, command_words
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import PEER_DIR, STORE_DIR, cached_store, find_store, readable_store, store_path
from drawwell.errors import ConfigurationError, NotFound, SourceError, StoreError, StoreUnwritable
from drawwell.settings import Scalar
from drawwell.text.formats import format_of

if TYPE_CHECKING:
    from drawwell.corpus.ingest.report import IngestReport, ModelReport
    from drawwell.corpus.ingest.run import Progress
    from drawwell.corpus.operations.corpus import Corpus
    from drawwell.corpus.operations.meaning import SearchModels

__all__ = [
    "MODELS_STOPPED",
    "NOT_TAKEN_IN",
    "USUAL",
    "CorpusPlace",
    "ModelUse",
    "add_models",
    "corpus_place",
    "ingest_options",
    "nearest_corpus",
    "open_corpus",
    "open_place",
    "refresh",
    "refresh_if_possible",
    "search_models",
]

_STORE_FOLDERS = (STORE_DIR, PEER_DIR)
MODELS_STOPPED = "summaries or vectors are not complete"
NOT_TAKEN_IN = "changes could not be taken in, so the store answers as it is"


@dataclass(frozen=True, slots=True)
class CorpusPlace:
    """Where a corpus is.

    Attributes:
        root: the folder of its documents; None when only the store is known.
        store: its store file, whether or not it exists yet.
    """

    root: Path | None
    store: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """How models are to add to a store.

    Attributes:
        anew: whether one may take the place of the one whose vectors the store has.
        waited_for: whether somebody waits for an answer that words can give: then a model is asked only where
            something lacks, and one that fails is soon let be.
    """

    anew: bool = False
    waited_for: bool = False


USUAL = ModelUse()


def ingest_options(settings: Settings, *, prune: bool = False) -> IngestOptions:
    """How a corpus is to be read.

    Raises:
        ConfigurationError: a setting is wrong, or two do not go together.
        ArgumentError: the same, when the caller gave it.
    """
    longest, shortest = settings.find("section_max_chars"), settings.find("section_min_chars")
    if int(shortest.value) >= int(longest.value):
        raise ConfigurationError(
            f"section_min_chars: got {shortest.value} ({shortest.source}), takes less than section_max_chars, "
            f"which is {longest.value} ({longest.source})"
        )
    return IngestOptions(
        section_max_chars=int(longest.value),
        section_min_chars=int(shortest.value),
        section_heading_depth=settings.whole("section_heading_depth"),
        index_budget_tokens=settings.whole("index_budget_tokens"),
        max_file_bytes=settings.whole("max_file_bytes"),
        respect_gitignore=settings.enabled("respect_gitignore"),
        words=settings.enabled("words"),
        pdf_password=settings.text("pdf_password"),
        pdf_ocr=_command(settings, "pdf_ocr"),
        workers=settings.whole("workers"),
        prune=prune,
        wait_seconds=settings.number("wait_seconds"),
    )


def _command(settings: Settings, name: str) -> str:
    """A setting that is a command line, blanks around it dropped."""
    found = settings.find(name)
    command = str(found.value).strip()
    try:
        command_words(command)
    except ValueError as error:
        raise ConfigurationError(
            f"{name}: {command!r} ({found.source}) is no command: {str(error).lower()}", "Close the quotation"
        ) from error
    return command


def corpus_place(path: Path, settings: Settings | None = None) -> CorpusPlace:
    """Where the corpus is that a user names.

    Args:
        path: a folder of documents, or a store file.
        settings: may name another store for a folder than the folder's own.

    Raises:
        SourceError: ``path`` does not exist, or is one document.
    """
    if path.is_dir() and path.name not in _STORE_FOLDERS:
        return CorpusPlace(path, _named_store(settings) or store_path(path))
    if path.is_file() and format_of(path.name) is not None:
        raise SourceError(f"{path} is a file, not a folder of documents", f"Name its folder: {path.parent}")
    found = find_store(path) if path.exists() else None
    if found is None:
        fault = "is neither a folder nor a file" if path.exists() else "does not exist"
        raise SourceError(f"{path} {fault}", "Name a folder of documents or a store file")
    return CorpusPlace(_root_of(found, path), found)


def nearest_corpus(start: Path, settings: Settings) -> CorpusPlace:
    """The corpus that a command means when it names none.

    Args:
        start: where to look, and then upwards.
        settings: may name a store file, or a folder with a store, to be used instead.

    Raises:
        NotFound: there is none.
    """
    store = _named_store(settings)
    found = find_store(store or start)
    if found is not None:
        return CorpusPlace(_root_of(found, store or start), found)
    if store is not None:
        raise NotFound(f"no store at {store}", "Make one with: drawwell ingest DIR")
    raise NotFound(
        f"no corpus in {start} or above it",
        "Name its folder, or --store FILE; a folder is made ready with: drawwell ingest DIR",
    )


def _named_store(settings: Settings | None) -> Path | None:
    named = settings.text("store") if settings is not None else ""
    return Path(named) if named else None


def _root_of(store: Path, start: Path) -> Path | None:
    """The folder that a store was made from, where its place tells."""
    store, start = store.absolute(), start.absolute()
    if store.parent.name in _STORE_FOLDERS:
        return store.parent.parent
    return next((folder for folder in (start, *start.parents) if cached_store(folder) == store), None)


def refresh(
    place: CorpusPlace,
    settings: Settings,
    progress: Progress | None = None,
    *,
    prune: bool = False,
    use: ModelUse | None = USUAL,
) -> IngestReport:
    """Take in what changed in a corpus's folder.

    Args:
        place: the corpus.
        settings: how, and which models are configured.
        progress: told how far it is.
        prune: accept that more than half of the documents are gone.
        use: how models are to add summaries and vectors; None for not at all. What they fail in is in the report.

    Raises:
        SourceError: the folder is missing or empty, or too much of it vanished at once.
        StoreError: the store cannot be written.
        ConfigurationError: a setting is wrong.
    """
    # Who only reads a store need not wait for the parsers: a fifth of the time of a search.
    from drawwell.corpus.ingest.run import ingest

    if place.root is None:
        raise SourceError(f"{place.store} is a store without its folder", "Name the folder of documents")
    report = ingest(place.root, place.store, ingest_options(settings, prune=prune), progress)
    return report if use is None else replace(report, models=add_models(place, settings, progress, use))


def add_models(
    place: CorpusPlace, settings: Settings, progress: Progress | None = None, use: ModelUse = USUAL
) -> ModelReport | None:
    """Let the models that are configured add summaries and vectors; None when none is. Arguments as for ``refresh``.

    What they fail in, their configuration included, is in the report.
    """
    if not (settings.text("embed") or settings.text("summarizer")):
        return None
    from drawwell.corpus.ingest.models import Guest, ModelWork, add_by_models
    from drawwell.corpus.ingest.run import silent
    from drawwell.guests import PATIENT, QUICK, embedder, summarizer

    patience = QUICK if use.waited_for else PATIENT
    writer, model = settings.text("summarizer"), settings.text("embed")
    work = ModelWork(
        summarizer=Guest(writer, partial(summarizer, settings, patience)) if writer else None,
        embedder=Guest(model, partial(embedder, settings, patience)) if model else None,
        anew=use.anew,
        lacking_only=use.waited_for,
        wait_seconds=settings.number("wait_seconds"),
    )
    return add_by_models(place.store, work, progress or silent)


def search_models(settings: Settings, *, background: bool = False) -> SearchModels:
    """The models that a search may ask.

    Args:
        settings: which are configured.
        background: whether a model is loaded behind the first searches instead of before them.

    Raises:
        ConfigurationError: no such provider, or a setting of it is wrong.
    """
    from drawwell.corpus.operations.meaning import NO_MODELS, SearchModels
    from drawwell.retrieval.fusion import Fusion

    if not (settings.text("embed") or settings.text("rerank")):
        return NO_MODELS
    from drawwell.guests import SEARCHING, embedder, reranker

    model = embedder(settings, SEARCHING, background=background)
    judge = reranker(settings, SEARCHING, background=background)

    def begin() -> None:
        for one in (model, judge):
            if one is not None:
                one.begin()

    return SearchModels(
        embedder=model,
        reranker=judge,
        begin=begin,
        fusion=Fusion(settings.text("fusion")),
    )


def refresh_if_possible(
    place: CorpusPlace, settings: Settings, progress: Progress | None = None
) -> IngestReport | StoreUnwritable:
    """``refresh``, but where nothing can be written, and a complete store is there to answer from, why not.

    Raises:
        SourceError: as ``refresh``.
        StoreError: as ``refresh``, when there is no complete store.
    """
    try:
        return refresh(place, settings, progress, use=ModelUse(waited_for=True))
    except StoreUnwritable as error:
        try:
            with closing(Store.open(readable_store(place.store, place.root))) as store:
                complete = not store.own or store.meta("drawwell.state") == "complete"
        except StoreError:
            complete = False
        if not complete:
            raise
        return error


def open_place(place: CorpusPlace, settings: Settings | None = None) -> Corpus:
    """Open a corpus for reading, as its store has it.

    Args:
        place: the corpus.
        settings: which models a search may ask; None for none.

    Raises:
        ConfigurationError: no such provider, or a setting of it is wrong.
        StoreError: the store is missing, damaged, or of another program.
    """
    from drawwell.corpus.operations.corpus import Corpus  # an ingest alone has no use for it, and start-up is felt
    from drawwell.corpus.operations.meaning import NO_MODELS

    models = NO_MODELS if settings is None else search_models(settings)
    return Corpus(Store.open(readable_store(place.store, place.root)), place.root, models=models)


def open_corpus(
    path: str | Path,
    *,
    ingest: bool = True,
    store: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Scalar,
) -> Corpus:
    """Open a corpus: a folder of documents, or a store file that was made from one.

    Args:
        path: a folder: what changed in it is ingested first; or a store file, which is read as it is.
        ingest: False to read a folder's store as it is.
        store: the store file to use for a folder; without it ``DRAWWELL_STORE``, else ``path/.drawwell``.
        progress: called with (stage, done, total, path) while ingesting.
        settings: settings by name, such as ``section_max_chars=1500``; they go before every other source.

    Returns:
        The five operations over it; a context manager.

    Warns:
        UserWarning: nothing can be written there, so a store that was complete answers as it is; or a model that is
            configured did not do its part.

    Raises:
        SourceError: nothing is there to read.
        StoreError: the store cannot be read; or there is none yet, and it cannot be written.
        ConfigurationError: a setting is wrong.

    Example:
        >>> with open_corpus("docs") as corpus:             # doctest: +SKIP
        ...     found = corpus.search("refund window")
        ...     print(corpus.read(found.hits[0].id).text)
    """
    folder = Path(path)
    given = {**settings, "store": None if store is None else str(store)}
    loaded = load_settings(folder if ingest and folder.is_dir() else None, given)
    place = corpus_place(folder, loaded)
    search_models(loaded)  # what is misspelt is refused before anything is taken in
    if ingest and folder.is_dir() and place.root is not None:
        done = refresh_if_possible(place, loaded, progress)
        if isinstance(done, StoreUnwritable):
            warnings.warn(f"{NOT_TAKEN_IN}: {done}", stacklevel=2)
        elif done.models is not None and done.models.stopped:
            warnings.warn(f"{MODELS_STOPPED}: {done.models.stopped}", stacklevel=2)
    return open_place(place, loaded)
