"""What models add to a store after an ingest: summaries, then vectors. Words serve meanwhile, and without them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport, ModelReport, SummaryReport
from drawwell.corpus.ingest.run import Progress
from drawwell.corpus.ingest.summarizing import summarize_documents
from drawwell.errors import ConfigurationError, DependencyError, Error, StoreBusy
from drawwell.protocols import Embedder, Summarizer

__all__ = ["Guest", "ModelWork", "add_by_models"]

Model = TypeVar("Model", Embedder, Summarizer)


@dataclass(frozen=True, slots=True)
class Guest(Generic[Model]):
    """A model that is made when its turn comes, so that one which cannot be had leaves the others their part.

    Attributes:
        name: provider and model as a user writes them.
        make: gives the model; raises what is wrong with its configuration. None never comes where there is a name.
    """

    name: str
    make: Callable[[], Model | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWork:
    """What models are to do.

    Attributes:
        summarizer: writes the summaries; None to leave them as they are.
        embedder: gives the vectors; None to leave them as they are.
        anew: whether the embedder may take the place of the one whose vectors the store has.
        lacking_only: whether the embedder is left alone where all sections have a vector under its name.
        wait_seconds: how long to wait for another writer of the store.
    """

    summarizer: Guest[Summarizer] | None = None
    embedder: Guest[Embedder] | None = None
    anew: bool = False
    lacking_only: bool = False
    wait_seconds: float = 600.0


def add_by_models(store: Path, work: ModelWork, progress: Progress) -> ModelReport:
    """Bring summaries and vectors of a store up to date.

    Args:
        store: the store file.
        work: what is to be done, and by whom.
        progress: told how far it is, in the stages ``summarizing`` and ``embedding``.

    Returns:
        What was done, and what stopped a part of it.
    """
    report = ModelReport()
    if (writer := work.summarizer) is not None:
        report.summaries = SummaryReport(model=writer.name)
        part = partial(_summarize, store, work, report.summaries, _stage(progress, "summarizing"))
        report.summaries.stopped = _attempt(writer, part, report)
    if (embedder := work.embedder) is not None:
        report.embedding = EmbeddingReport(model=embedder.name)
        whole = partial(_embed, store, work, report.embedding, _stage(progress, "embedding"))
        report.embedding.stopped = _attempt(embedder, whole, report)
    return report


def _summarize(
    store: Path, work: ModelWork, report: SummaryReport, tell: Callable[[int, int], None], model: Summarizer
) -> None:
    summarize_documents(store, model, work.wait_seconds, report, tell)


def _embed(
    store: Path, work: ModelWork, report: EmbeddingReport, tell: Callable[[int, int], None], model: Embedder
) -> None:
    how = Embedding(model, anew=work.anew, lacking_only=work.lacking_only, wait_seconds=work.wait_seconds)
    embed_sections(store, how, report, tell)


def _attempt(guest: Guest[Model], part: Callable[[Model], None], report: ModelReport) -> str:
    """Do a part; why it stopped, empty when it came to its end."""
    try:
        model = guest.make()
        if model is not None:
            with closing(model):
                part(model)
    except StoreBusy:
        return "another process is at it"
    except Error as error:
        kinds = {ConfigurationError: "configuration", DependencyError: "dependency"}
        kind = next((name for type_, name in kinds.items() if isinstance(error, type_)), "failure")
        report.fault = report.fault or kind
        return str(error)
    return ""


def _stage(progress: Progress, name: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(name, done, total, "")
