"""What models add to a store after an ingest: summaries, then vectors. Words serve meanwhile, and without them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport, ModelReport, SummaryReport
from drawwell.corpus.ingest.run import Progress
from drawwell.corpus.ingest.summarizing import summarize_documents
from drawwell.errors import ConfigurationError, DependencyError, Error, StoreBusy
from drawwell.protocols import Summarizer

__all__ = ["add_by_models"]


def add_by_models(
    store: Path, summarizer: Summarizer | None, embedding: Embedding | None, wait_seconds: float, progress: Progress
) -> ModelReport:
    """Bring summaries and vectors of a store up to date.

    Args:
        store: the store file.
        summarizer: writes the summaries; None to leave them as they are.
        embedding: how to embed; None to leave the vectors as they are.
        wait_seconds: how long to wait for another writer of the store.
        progress: told how far it is, in the stages ``summarizing`` and ``embedding``.

    Returns:
        What was done, and what stopped a part of it.
    """
    report = ModelReport()
    if summarizer is not None:
        report.summaries = SummaryReport(model=summarizer.name)
        tell = _stage(progress, "summarizing")
        work = partial(summarize_documents, store, summarizer, wait_seconds, report.summaries, tell)
        report.summaries.stopped = _attempt(work, report)
    if embedding is not None:
        report.embedding = EmbeddingReport(model=embedding.embedder.name)
        work = partial(embed_sections, store, embedding, report.embedding, _stage(progress, "embedding"))
        report.embedding.stopped = _attempt(work, report)
    return report


def _attempt(work: Callable[[], None], report: ModelReport) -> str:
    """Do a part; why it stopped, empty when it came to its end."""
    try:
        work()
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
