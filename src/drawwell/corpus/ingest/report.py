"""What an ingest did, and what one would find: the data, and the lines that a terminal shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from drawwell.corpus.names import shown
from drawwell.model import OPTIONAL, Noted

__all__ = [
    "EmbeddingReport",
    "FolderSize",
    "IngestReport",
    "KindCount",
    "ModelReport",
    "SummaryReport",
    "Survey",
]

_SHOWN = 20


@dataclass(slots=True, kw_only=True)
class SummaryReport:
    """What a model wrote about documents; filled in while it is at it.

    Attributes:
        model: provider and model.
        generated: summaries that it wrote.
        cached: summaries that it wrote of the same bytes before.
        failed: documents that it was asked about in vain; the next run tries again.
        lacking: documents whose line is still one that was made without it.
        tokens: that it read and wrote, as the provider counts them.
        failures: path and cause of those that failed.
        stopped: why it was left before the end; empty when it was not.
    """

    model: str
    generated: int = 0
    cached: int = 0
    failed: int = 0
    lacking: int = 0
    tokens: int = 0
    failures: list[Noted] = field(default_factory=list)
    stopped: str = field(default="", metadata=OPTIONAL)


@dataclass(slots=True, kw_only=True)
class EmbeddingReport:
    """What a model embedded; filled in while it is at it.

    Attributes:
        model: provider and model.
        embedded: sections that it read.
        cached: sections whose text had a vector already.
        lacking: sections without a vector.
        tokens: that it read, as the provider counts them.
        stopped: why it was left before the end; empty when it was not.
    """

    model: str
    embedded: int = 0
    cached: int = 0
    lacking: int = 0
    tokens: int = 0
    stopped: str = field(default="", metadata=OPTIONAL)


@dataclass(slots=True, kw_only=True)
class ModelReport:
    """What models added to a store; filled in while they are at it.

    Attributes:
        summaries: None when no model is to write them.
        embedding: None when no model is to embed.
        fault: why a part was left before its end: ``configuration``, ``dependency`` for what cannot be reached, or
            ``failure``; empty when none was.
    """

    summaries: SummaryReport | None = field(default=None, metadata=OPTIONAL)
    embedding: EmbeddingReport | None = field(default=None, metadata=OPTIONAL)
    fault: str = field(default="", metadata=OPTIONAL)

    @property
    def stopped(self) -> str:
        """What stopped a part of it."""
        return "; ".join(part.stopped for part in (self.summaries, self.embedding) if part and part.stopped)

    def lines(self) -> list[str]:
        """The report as text, one line each."""
        told = []
        if (one := self.summaries) is not None:
            counts = {"written": one.generated, "cached": one.cached, "failed": one.failed, "without": one.lacking}
            told.append(f"summaries by {one.model}: {_counts(counts, one.tokens, one.stopped)}")
            told.extend(_listed("not summarised", one.failures, verbose=False))
        if (two := self.embedding) is not None:
            counts = {"embedded": two.embedded, "cached": two.cached, "without": two.lacking}
            told.append(f"vectors by {two.model}: {_counts(counts, two.tokens, two.stopped)}")
        return told


def _counts(counts: Mapping[str, int], tokens: int, stopped: str) -> str:
    told = [f"{count:,} {name}" for name, count in counts.items() if count]
    told += [f"{tokens:,} tokens"] if tokens else []
    told += [f"stopped: {stopped}"] if stopped else []
    return ", ".join(told) or "nothing to do"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What one ingest did.

    Attributes:
        seen: files of a known format in the folder, taken or not.
        added: documents that are new.
        changed: documents that were read again because the file or a setting changed.
        unchanged: documents that were left as they are.
        renamed: documents that only have another path now.
        deleted: documents that are no longer in the store.
        stale: documents that are kept as they were, though their file cannot be read now.
        skipped: path and reason of every file or folder that is not taken.
        warnings: path and text of what is taken, but not in full or not beyond doubt.
        documents: documents in the store now.
        sections: sections in the store now.
        sections_written: of those, written by this run.
        index_mode: form of the index text: flat, compact or hierarchical.
        index_tokens: estimated tokens of the index text.
        fingerprint: of the corpus with its settings, 16 hex digits.
        seconds: how long it took.
        store: the store file, as it was given.
        models: what models added; None when none is configured.
    """

    seen: int
    added: int
    changed: int
    unchanged: int
    renamed: int
    deleted: int
    stale: int
    skipped: tuple[Noted, ...]
    warnings: tuple[Noted, ...]
    documents: int
    sections: int
    sections_written: int
    index_mode: str
    index_tokens: int
    fingerprint: str
    seconds: float
    store: str
    models: ModelReport | None = field(default=None, metadata=OPTIONAL)

    def lines(self, verbose: bool = False) -> list[str]:
        """The report as text, one line each.

        Args:
            verbose: list every skipped file and warning, not only the first twenty.
        """
        counts = {
            "added": self.added,
            "changed": self.changed,
            "renamed": self.renamed,
            "deleted": self.deleted,
            "unchanged": self.unchanged,
            "skipped": len(self.skipped),
            "stale": self.stale,
        }
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing to do"
        held = f"{_counted(self.documents, 'document')} with {_counted(self.sections, 'section')}"
        index = f"index: {self.index_mode}, about {self.index_tokens:,} tokens; corpus {self.fingerprint}"
        return [
            f"{_counted(self.seen, 'file')} seen: {told}",
            f"{held}, {self.sections_written:,} written in {self.seconds:.1f} s",
            f"{index}; store {shown(self.store)}",
            *(self.models.lines() if self.models else []),
            *_listed("skipped", self.skipped, verbose),
            *_listed("warning", self.warnings, verbose),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    """Documents of one kind."""

    kind: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSize:
    """Documents in and below one folder; the root is ``.``."""

    path: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What an ingest would take, without reading or writing anything.

    Attributes:
        seen: files of a known format, taken or not.
        kinds: documents by kind, most first.
        folders: the largest folders by bytes, two levels deep.
        skipped: path and reason of what would not be taken.
        warnings: path and text.
        ignored: path and rule of every folder and document that a rule leaves out.
        others: suffix and number of files of no known format, most first.
    """

    seen: int
    kinds: tuple[KindCount, ...]
    folders: tuple[FolderSize, ...]
    skipped: tuple[Noted, ...]
    warnings: tuple[Noted, ...]
    ignored: tuple[Noted, ...]
    others: tuple[tuple[str, int], ...]

    def lines(self, verbose: bool = False) -> list[str]:
        """The survey as text, one line each.

        Args:
            verbose: list everything, not only the first twenty of each.
        """
        files = sum(kind.files for kind in self.kinds)
        size = sum(kind.bytes for kind in self.kinds)
        others = [f"{suffix} {count:,}" for suffix, count in self.others]
        return [
            f"{_counted(files, 'document')} to take, {_size(size)}",
            *(f"  {kind.kind}: {kind.files:,}, {_size(kind.bytes)}" for kind in self.kinds),
            *(["largest folders:"] if self.folders else []),
            *(f"  {shown(one.path)}: {one.files:,}, {_size(one.bytes)}" for one in self.folders),
            *_listed("skipped", self.skipped, verbose),
            *_listed("warning", self.warnings, verbose),
            *_listed("ignored", self.ignored, verbose),
            *([f"of no known format: {', '.join(others if verbose else others[:_SHOWN])}"] if others else []),
        ]


def _listed(what: str, entries: Iterable[Noted], verbose: bool) -> list[str]:
    lines = [f"{what}: {shown(path)}: {text}" for path, text in entries]
    if verbose or len(lines) <= _SHOWN:
        return lines
    return [*lines[:_SHOWN], f"{what}: {len(lines) - _SHOWN:,} more"]


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:,.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"
