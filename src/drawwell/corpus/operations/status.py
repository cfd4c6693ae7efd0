"""What a store holds, how it was made, and what in it is out of date."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawwell.corpus.ingest.discover import discover
from drawwell.corpus.names import shown
from drawwell.corpus.operations.fresh import Freshness
from drawwell.corpus.operations.view import Look
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.connect import size_of
from drawwell.corpus.store.summaries import OFFLINE
from drawwell.corpus.store.vectors import answering_model, coming_model, model_with_id, sections_embedded
from drawwell.corpus.store.words import state_of
from drawwell.errors import SourceError
from drawwell.model import OPTIONAL, Noted

__all__ = ["CorpusStatus", "VectorsStatus", "WordsStatus", "corpus_status"]

_LISTED = 20  # paths of one list that are printed


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsStatus:
    """The indexes beside a store, which make search better and grep fast."""

    state: str
    """up to date; being made, while somebody writes the store; behind, until the next ingest; or missing."""
    bytes: dict[str, int]
    """Size of each that there is."""

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} {_size(count)}" for name, count in self.bytes.items())
        return f"{self.state}{f' ({sizes})' if sizes else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsStatus:
    """The vectors of one model in a store."""

    model: str
    """Provider and model."""
    revision: str
    """What tells one state of the model from another; empty where nobody says."""
    dimension: int
    sections: int
    """Sections that have a vector."""
    lacking: int
    """Sections that have none yet."""

    def __str__(self) -> str:
        return f"{self.model}: {self.sections} of {self.sections + self.lacking} sections, dimension {self.dimension}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatus:
    """A corpus in numbers and lists. What a store of another tool does not know is None or empty."""

    store: str
    """The store file, as it was opened."""
    state: str
    """complete, or building until the first ingest has ended."""
    documents: int
    sections: int
    kinds: dict[str, int]
    """Documents by kind."""
    source_bytes: int
    """Size of all source files when they were read."""
    store_bytes: int
    index_mode: str
    index_tokens: int
    ingested_at: str
    """When an ingest last changed something, ISO 8601."""
    fingerprint: str
    words: WordsStatus
    """The indexes beside the store."""
    summaries: str
    """Who wrote the lines about the documents: a model, offline for none, or several with how many each wrote."""
    vectors: VectorsStatus | None = field(default=None, metadata=OPTIONAL)
    """Those that answer searches by meaning; None without any."""
    vectors_coming: VectorsStatus | None = field(default=None, metadata=OPTIONAL)
    """Those of the model that is to take their place; None when there is none."""
    version: str = field(default="", metadata=OPTIONAL)
    """The drawwell that wrote last."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What decided how documents were read."""
    skipped: tuple[Noted, ...] = ()
    """Path and reason of files that were not taken in."""
    stale: tuple[Noted, ...] = ()
    """Path and reason of documents whose text may be out of date."""
    warnings: tuple[Noted, ...] = ()
    """Path and text of what was lost or doubtful."""
    changed: tuple[Noted, ...] | None = field(default=None, metadata=OPTIONAL)
    """Path and reason of documents whose file is no longer the one that was read; None when the folder is not known."""
    added: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    """Files in the folder that were not looked at yet; None when the folder is not known."""

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        version = f", drawwell {self.version}" if self.version else ""
        finish = "; finish with: drawwell ingest DIR" if self.state == "building" else ""
        lines = [
            f"store        {self.store} ({_size(self.store_bytes)}{version})",
            f"state        {self.state}{f', last changed {self.ingested_at}' if self.ingested_at else ''}{finish}",
            f"documents    {self.documents}{f' ({kinds})' if kinds else ''}, {_size(self.source_bytes)}",
            f"sections     {self.sections}",
            f"index        {self.index_mode or 'none'}, {self.index_tokens} tokens",
            f"words        {self.words}",
            f"vectors      {self.vectors or 'none'}",
            *([f"coming       {self.vectors_coming}"] if self.vectors_coming else []),
            f"summaries    {self.summaries}",
            f"fingerprint  {self.fingerprint or 'none'}",
        ]
        lines.extend(f"setting      {name} = {json.dumps(value)}" for name, value in self.settings.items())
        lines.extend(_listed("skipped", self.skipped))
        lines.extend(_listed("stale", self.stale))
        lines.extend(_listed("warning", self.warnings))
        if self.changed is not None:
            lines.extend(_listed("changed", self.changed))
        if self.added is not None:
            lines.extend(_listed("new", tuple(Noted(path, "not taken in yet") for path in self.added)))
        return "\n".join(lines)


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _listed(name: str, items: tuple[Noted, ...]) -> list[str]:
    lines = [f"{name:<12} {shown(path)}: {reason}" for path, reason in items[:_LISTED]]
    if len(items) > _LISTED:
        lines.append(f"{name:<12} … and {len(items) - _LISTED} more")
    return lines


def corpus_status(look: Look, store: Path, root: Path | None) -> CorpusStatus:
    """Describe a corpus.

    Args:
        look: the store.
        store: the store file.
        root: the folder of documents, compared with the store; None when it is not known.
    """
    counts = look.connection.execute(
        "SELECT kind, count(*), sum(n_sections), sum(bytes) FROM documents GROUP BY kind ORDER BY count(*) DESC, kind"
    ).fetchall()
    changed, added = (None, None) if root is None else _compared(look, root)
    return CorpusStatus(
        store=str(store),
        state="building" if look.building else "complete",
        documents=sum(row[1] for row in counts),
        sections=sum(row[2] for row in counts),
        kinds={row[0]: row[1] for row in counts},
        source_bytes=sum(row[3] for row in counts),
        store_bytes=size_of(store),
        index_mode=look.meta("index_mode") or "",
        index_tokens=int(look.meta("index_tokens") or 0),
        ingested_at=look.meta("ingested_at") or "",
        fingerprint=look.meta("corpus_fingerprint") or "",
        words=_words(look, store),
        summaries=look.meta("summarizer") or OFFLINE,
        vectors=_vectors(look, answering_model(look.connection)) if look.own else None,
        vectors_coming=_vectors(look, coming_model(look.connection)) if look.own else None,
        version=look.meta("drawwell.version") or "",
        settings=_settings(look),
        skipped=_rows(look, "SELECT path, reason FROM drawwell_skipped ORDER BY path"),
        stale=_rows(look, f"SELECT d.path, x.stale {_OWN_DOCUMENTS} WHERE x.stale <> '' ORDER BY d.path"),
        warnings=_warnings(look),
        changed=changed,
        added=added,
    )


_OWN_DOCUMENTS = "FROM drawwell_documents x JOIN documents d USING (doc_id)"


def _rows(look: Look, sql: str) -> tuple[Noted, ...]:
    return tuple(Noted(*row) for row in look.connection.execute(sql)) if look.own else ()


def _words(look: Look, store: Path) -> WordsStatus:
    state, sizes = state_of(look.connection, store) if look.own else ("missing", {})
    return WordsStatus(state=state, bytes=sizes)


def _vectors(look: Look, model_id: int | None) -> VectorsStatus | None:
    identity = None if model_id is None else model_with_id(look.connection, model_id)
    if model_id is None or identity is None:
        return None
    held, lacking = sections_embedded(look.connection, model_id)
    return VectorsStatus(
        model=identity.name, revision=identity.revision, dimension=identity.dimension, sections=held, lacking=lacking
    )


def _warnings(look: Look) -> tuple[Noted, ...]:
    rows = _rows(look, f"SELECT d.path, x.warnings {_OWN_DOCUMENTS} WHERE x.warnings <> '[]' ORDER BY d.path")
    return tuple(Noted(path, text) for path, texts in rows for text in json.loads(texts))


def _settings(look: Look) -> dict[str, Any]:
    stored = look.meta("drawwell.settings")
    if stored is not None:
        return dict(json.loads(stored))
    names = ("section_max_chars", "index_budget_tokens")
    return {name: int(value) for name in names if (value := look.meta(name)) is not None and value.isdigit()}


def _compared(look: Look, root: Path) -> tuple[tuple[Noted, ...], tuple[str, ...]]:
    """The documents whose files changed, and the files that are new."""
    stale = tuple(Noted(*pair) for pair in sorted(Freshness(root).check(look, look.table.paths).items()))
    known = {name: value for name, value in _settings(look).items() if name in IngestOptions.__dataclass_fields__}
    try:
        found = discover(root, IngestOptions(**known))
    except SourceError:
        return stale, ()
    looked_at = {path for path, _ in _rows(look, "SELECT path, reason FROM drawwell_skipped")}
    new = (file.path for file in found.files if file.path not in look.table.by_path and file.path not in looked_at)
    return stale, tuple(sorted(new))
