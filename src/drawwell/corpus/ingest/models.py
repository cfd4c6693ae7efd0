"""What models add to a store after an ingest: summaries, then vectors. Words serve meanwhile, and without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from drawwell.corpus.ingest.embedding import Embedding, EmbeddingReport, embed_sections
from drawwell.corpus.ingest.run import Progress
from drawwell.corpus.ingest.summarizing import SummaryReport, summarize_documents
from drawwell.errors import ConfigurationError, DependencyError, Error, StoreBusy
from drawwell.model import OPTIONAL
from drawwell.protocols import Summarizer

__all__ = ["ModelReport", "add_by_models"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """What models added to a store.

    Attributes:
        summaries: None when no model is to write them.
        embedding: None when no model is to embed.
    """

    summaries: SummaryReport | None = field(default=None, metadata=OPTIONAL)
    embedding: EmbeddingReport | None = field(default=None, metadata=OPTIONAL)

    def lines(self) -> list[str]:
        """The report as text, one line each."""
        told = []
        if (one := self.summaries) is not None:
            counts = {"written": one.generated, "cached": one.cached, "failed": one.failed, "without": one.lacking}
            told.append(f"summaries by {one.model}: {_counts(counts, one.tokens)}")
            told.extend(f"not summarised: {noted.path}: {noted.reason}" for noted in one.failures[:_SHOWN])
            told.extend([f"summaries stopped: {one.stopped}"] if one.stopped else [])
        if (two := self.embedding) is not None:
            counts = {"embedded": two.embedded, "cached": two.cached, "without": two.lacking}
            told.append(f"vectors by {two.model}: {_counts(counts, two.tokens)}")
            told.extend([f"vectors stopped: {two.stopped}"] if two.stopped else [])
        return told


_SHOWN = 20


def add_by_models(
    store: Path, summarizer: Summarizer | None, embedding: Embedding | None, wait_seconds: float, progress: Progress
) -> tuple[ModelReport, Error | None]:
    """Bring summaries and vectors of a store up to date.

    Args:
        store: the store file.
        summarizer: writes the summaries; None to leave them as they are.
        embedding: how to embed; None to leave the vectors as they are.
        wait_seconds: how long to wait for another writer of the store.
        progress: told how far it is, in the stages ``summarizing`` and ``embedding``.

    Returns:
        What was done, and the first error that stopped a part of it: of the configuration, of what cannot be reached,
        or of the store.
    """
    errors: list[Error] = []
    summaries: SummaryReport | None = None
    vectors: EmbeddingReport | None = None
    if summarizer is not None:
        summaries = SummaryReport(model=summarizer.name)
        tell = _stage(progress, "summarizing")
        step = partial(summarize_documents, store, summarizer, wait_seconds, summaries, tell)
        summaries.stopped = _attempt(step, errors)
    if embedding is not None:
        vectors = EmbeddingReport(model=embedding.embedder.name)
        work = partial(embed_sections, store, embedding, vectors, _stage(progress, "embedding"))
        vectors.stopped = _attempt(work, errors)
    return ModelReport(summaries=summaries, embedding=vectors), errors[0] if errors else None


def _attempt(step: Callable[[], None], errors: list[Error]) -> str:
    """Take a step; why it stopped, empty when it came to its end."""
    try:
        step()
    except StoreBusy:
        return "another process is at it"
    except (ConfigurationError, DependencyError) as error:
        errors.append(error)
        return str(error)
    except Error as error:
        errors.append(error)
        return error.message
    return ""


def _stage(progress: Progress, name: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(name, done, total, "")


def _counts(counts: dict[str, int], tokens: int) -> str:
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing to do"
    return f"{told}, {tokens:,} tokens" if tokens else told
