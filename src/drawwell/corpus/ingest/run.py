"""Bring a store up to date with its folder: discover, compare, parse, write, index. Cost follows what changed."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from drawwell._version import __version__
from drawwell.corpus.ingest.discover import Discovery, discover, known_suffixes
from drawwell.corpus.ingest.following import Following
from drawwell.corpus.ingest.plan import Known, Plan, load_known, make_plan
from drawwell.corpus.ingest.records import NO_CONTENT, Document, Rejected
from drawwell.corpus.ingest.report import FolderSize, IngestReport, KindCount, Survey
from drawwell.corpus.ingest.write import Writer
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.connect import leave, open_for_writing
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.lock import StoreLock, lock_path
from drawwell.corpus.store.places import STORE_DIR, STORE_NAME, store_path
from drawwell.corpus.store.schema import unwritable, write_failure
from drawwell.corpus.store.summaries import summary_sources
from drawwell.errors import SourceError, StoreError
from drawwell.model import Noted
from drawwell.text.formats import format_of

__all__ = ["Progress", "ingest", "silent", "survey"]

_BULK_SHARE = 5
"""The word index is merged anew when at least one document in this many is written."""
_LARGEST_FOLDERS = 10


class Progress(Protocol):
    """Told how far a run is."""

    def __call__(self, stage: str, done: int, total: int, path: str) -> None:
        """Args:
        stage: waiting (for another ingest), finding, comparing, reading, indexing, summarizing or embedding.
        done: files done in this stage.
        total: files in this stage; 0 when not known.
        path: what is being done, relative to the root; may be empty.
        """


def ingest(root: Path, store: Path, options: IngestOptions, progress: Progress | None = None) -> IngestReport:
    """Bring a store up to date with a folder.

    Args:
        root: the folder of documents, which is only read.
        store: the store file; it and its folder are made when they are not there.
        options: how documents are read.
        progress: told how far it is.

    Returns:
        What was done. A file that cannot be taken in is reported there and never stops the run.

    Raises:
        SourceError: the root is missing or has no document of a known format.
        Vanished: more than half of the documents are gone and ``options.prune`` is not set.
        StoreBusy: another ingest of the same store did not end within ``options.wait_seconds``.
        StoreError: the store cannot be written or is not ours.
    """
    tell = progress or silent
    started = time.monotonic()
    found = _find(root, options, tell)
    if found.seen == 0 and not store.exists():
        raise _empty(root)
    _make_folder(store)
    with StoreLock(store, options.wait_seconds, lambda: tell("waiting", 0, 0, "")) as lock:
        if lock.waited:
            found = _find(root, options, tell)
        _seed(root, store)
        connection = open_for_writing(store)
        try:
            return _Run(root, store, options, connection, tell).bring_up_to_date(found, started)
        except sqlite3.Error as error:
            raise write_failure(store, error) from error
        finally:
            leave(connection)


def survey(root: Path, options: IngestOptions) -> Survey:
    """What an ingest of a folder would take, without reading or writing anything.

    Args:
        root: the folder.
        options: how documents are read.

    Raises:
        SourceError: the root is missing.
    """
    found = discover(root, options)
    kinds: Counter[str] = Counter()
    kind_bytes: Counter[str] = Counter()
    folders: Counter[str] = Counter()
    folder_bytes: Counter[str] = Counter()
    empty = [Noted(file.path, NO_CONTENT) for file in found.files if file.size == 0]
    for file in found.files:
        if file.size == 0:
            continue
        kinds[file.format.name] += 1
        kind_bytes[file.format.name] += file.size
        parts = file.path.split("/")[:-1]
        for depth in range(min(len(parts), 2) + 1):
            folder = "/".join(parts[:depth]) + "/" if depth else "."
            folders[folder] += 1
            folder_bytes[folder] += file.size
    largest = sorted(folders, key=lambda path: (-folder_bytes[path], path))[:_LARGEST_FOLDERS]
    return Survey(
        seen=found.seen,
        kinds=tuple(KindCount(kind=kind, files=count, bytes=kind_bytes[kind]) for kind, count in kinds.most_common()),
        folders=tuple(FolderSize(path=one, files=folders[one], bytes=folder_bytes[one]) for one in largest),
        skipped=tuple(sorted([*_noted(found.skipped), *empty])),
        warnings=_noted(found.warnings),
        ignored=_noted(found.ignored),
        others=tuple(sorted(found.others.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


@dataclass(slots=True)
class _Run:
    """One run over an open store."""

    root: Path
    store: Path
    options: IngestOptions
    connection: sqlite3.Connection
    tell: Progress
    counts: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)
    troubles: list[Noted] = field(default_factory=list)

    def bring_up_to_date(self, found: Discovery, started: float) -> IngestReport:
        known = load_known(self.connection)
        if found.seen == 0 and not known:
            raise _empty(self.root)
        plan = make_plan(self.root, self.options, found, known, self._refused(), self._telling("comparing"))
        self.rejected.extend(plan.rejected)
        writer = Writer(self.connection, datetime.now(UTC).isoformat(timespec="seconds"))
        many = len(plan.tasks) * _BULK_SHARE > len(found.files)
        with Following(self.connection, self.store, enabled=self.options.words) as following:
            with writer.bulk() if many else nullcontext():
                self._change(writer, plan)
                self._read(writer, plan, following if many and self.options.words else None)
            meta = self._conclude(writer, found)
            tell = self._telling("indexing")
            following.finish(lambda done, total: tell(done, total, ""))
        self.troubles = following.troubles
        return self._report(found, plan, writer.sections_written, meta, time.monotonic() - started)

    def _change(self, writer: Writer, plan: Plan) -> None:
        """Do all that needs no parsing."""
        for known in plan.removals:
            writer.remove(known.doc_id)
            self.counts["deleted"] += 1
        for move in plan.moves:
            writer.move(move.known.doc_id, move.file.path, move.file.mtime_ns)
        for known, reason in plan.stale:
            self._mark(writer, known, reason)
        for known in plan.current:
            writer.mark_stale(known.doc_id, "")

    def _read(self, writer: Writer, plan: Plan, following: Following | None) -> None:
        """Parse what is new or changed, and write it in order, and into the index for ranking where there is much."""
        if not plan.tasks:
            return
        from drawwell.corpus.ingest.pool import parse_all  # most runs have nothing to parse, and starting up is felt

        tell = self._telling("reading")
        tasks = [replace(task, terms=True) for task in plan.tasks] if following else plan.tasks
        recogniser = None
        if self.options.pdf_ocr:
            from drawwell.corpus.ingest.recognise import Recogniser

            recogniser = Recogniser(self.root, self.store, self.options)
        for number, outcome in enumerate(parse_all(self.root, tasks, self.options.workers, recogniser)):
            before = plan.replaces.get(outcome.path)
            tell(number, len(plan.tasks), outcome.path)
            if isinstance(outcome, Document):
                generation = writer.put(outcome, before.doc_id if before else None)
                if following:
                    following.take(generation, outcome)
                if before is None:
                    self.counts["added"] += 1
                elif before.path == outcome.path:
                    self.counts["changed"] += 1
                continue
            self.rejected.append(outcome)
            if before is None:
                continue
            was_recognised = outcome.scan and "-" in before.key  # it stays while the command is not given
            if (outcome.lasting and not was_recognised) or before.path != outcome.path:
                writer.remove(before.doc_id)
                self.counts["deleted"] += 1
            else:
                self._mark(writer, before, outcome.reason)
        if recogniser is not None:
            recogniser.tidy({sha256 for (sha256,) in self.connection.execute("SELECT sha256 FROM documents")})

    def _mark(self, writer: Writer, known: Known, reason: str) -> None:
        if known.stale != reason:
            writer.mark_stale(known.doc_id, reason)

    def _conclude(self, writer: Writer, found: Discovery) -> dict[str, str]:
        """Write index, fingerprint and what was skipped; nothing when all of it is there already."""
        self.tell("indexing", 0, 0, "")
        skipped = {path: (path, reason, "", "") for path, reason in found.skipped}
        skipped |= {one.path: (one.path, one.reason, one.sha256, one.key) for one in self.rejected}
        rows = [skipped[path] for path in sorted(skipped)]
        links = self._links(found)
        meta = self._meta()
        before = dict(map(tuple, self.connection.execute("SELECT key, value FROM meta")))
        if all(before.get(key) == value for key, value in meta.items()) and self._has(rows, links):
            return before
        meta |= self._index(meta, len(rows))
        meta["ingested_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        writer.finish(meta, rows, links)
        return meta

    def _meta(self) -> dict[str, str]:
        """All that ``meta`` is to say but for times and the index, which follows from it."""
        options = self.options
        settings = {
            "section_max_chars": options.section_max_chars,
            "section_min_chars": options.section_min_chars,
            "section_heading_depth": options.section_heading_depth,
            "index_budget_tokens": options.index_budget_tokens,
            "max_file_bytes": options.max_file_bytes,
            "respect_gitignore": options.respect_gitignore,
        }
        return {
            "corpus_root": _relative_root(self.root, self.store),
            "corpus_fingerprint": self._fingerprint(),
            "index_budget_tokens": str(options.index_budget_tokens),
            "section_max_chars": str(options.section_max_chars),
            "summarizer": summary_sources(self.connection),
            "drawwell.settings": json.dumps(settings),
            "drawwell.stale": str(self._count("SELECT count(*) FROM drawwell_documents WHERE stale <> ''")),
            "drawwell.version": __version__,
            "drawwell.state": "complete",
        }

    def _fingerprint(self) -> str:
        """Of all documents, with what decided their sections."""
        digest = hashlib.sha256()
        query = "SELECT path, sha256, key FROM documents JOIN drawwell_documents USING (doc_id) ORDER BY path"
        for row in self.connection.execute(query):
            digest.update("".join(f"{value}\0" for value in row).encode())
        return digest.hexdigest()[:16]

    def _index(self, meta: Mapping[str, str], skipped: int) -> dict[str, str]:
        """The index text and what ``meta`` says of it."""
        from drawwell.corpus.index.render import IndexHeader  # as above
        from drawwell.corpus.index.stored import index_meta

        header = IndexHeader(
            fingerprint=meta["corpus_fingerprint"],
            summaries=meta["summarizer"],
            skipped=skipped,
            stale=int(meta["drawwell.stale"]),
        )
        return index_meta(self.connection, header, self.options.index_budget_tokens)

    def _links(self, found: Discovery) -> dict[str, int]:
        """The document of every link to one."""
        documents = dict(map(tuple, self.connection.execute("SELECT path, doc_id FROM documents")))
        return {link: documents[path] for path, links in found.links.items() if path in documents for link in links}

    def _has(self, skipped: list[tuple[str, str, str, str]], links: dict[str, int]) -> bool:
        """Whether the store says just this about skipped files and links."""
        known = self.connection.execute("SELECT path, reason, sha256, key FROM drawwell_skipped ORDER BY path")
        linked = self.connection.execute("SELECT path, doc_id FROM drawwell_aliases WHERE kind = 'link'")
        return list(map(tuple, known)) == skipped and dict(map(tuple, linked)) == links

    def _refused(self) -> dict[str, Rejected]:
        """The files that an earlier run read and found to be no use, by path."""
        rows = self.connection.execute("SELECT path, reason, sha256, key FROM drawwell_skipped WHERE sha256 <> ''")
        return {row[0]: Rejected(*row) for row in rows}

    def _report(self, found: Discovery, plan: Plan, written: int, meta: dict[str, str], seconds: float) -> IngestReport:
        rows = self.connection.execute(
            "SELECT path, warnings FROM documents JOIN drawwell_documents USING (doc_id) WHERE warnings <> '[]'"
        )
        warnings = [Noted(path, text) for path, texts in rows for text in json.loads(texts)]
        return IngestReport(
            seen=found.seen,
            added=self.counts["added"],
            changed=self.counts["changed"],
            unchanged=plan.unchanged + len(plan.current),
            renamed=plan.renamed,
            deleted=self.counts["deleted"],
            stale=int(meta["drawwell.stale"]),
            skipped=_noted(self.connection.execute("SELECT path, reason FROM drawwell_skipped ORDER BY path")),
            warnings=tuple(sorted([*_noted(found.warnings), *warnings, *self.troubles])),
            documents=self._count("SELECT count(*) FROM documents"),
            sections=self._count("SELECT coalesce(sum(n_sections), 0) FROM documents"),
            sections_written=written,
            index_mode=meta["index_mode"],
            index_tokens=int(meta["index_tokens"]),
            fingerprint=meta["corpus_fingerprint"],
            seconds=round(seconds, 3),
            store=str(self.store),
        )

    def _count(self, query: str) -> int:
        return int(self.connection.execute(query).fetchone()[0])

    def _telling(self, stage: str) -> Callable[[int, int, str], None]:
        return lambda done, total, path: self.tell(stage, done, total, path)


def _noted(pairs: Iterable[Iterable[str]]) -> tuple[Noted, ...]:
    return tuple(Noted(*pair) for pair in pairs)


def _find(root: Path, options: IngestOptions, tell: Progress) -> Discovery:
    return discover(root, options, lambda done, path: tell("finding", done, 0, path))


def silent(stage: str, done: int, total: int, path: str) -> None:
    """The progress of a run that nobody watches."""


def _empty(root: Path) -> SourceError:
    return SourceError(f"{root} holds no document", f"These are read: {known_suffixes()}")


def _make_folder(store: Path) -> None:
    """Make the store's folder, which keeps itself out of the user's repository.

    In a folder that came from others, a link in its place could lead anywhere, so none is followed.
    """
    folder = store.parent
    if format_of(store.name) is not None:  # it would be read as one of the documents, under the locks that are on it
        raise StoreError(f"the store {store} has the ending of a document", "Give it another, such as .sqlite")
    for place in (folder, store, lock_path(store)):
        if place.is_symlink() and (place is not folder or folder.name == STORE_DIR):
            raise StoreError(f"{place} is a link, which is not written through", "Give another place with --store")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.name == STORE_DIR:
            with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as rules:
                rules.write("*\n")
    except OSError as error:
        raise unwritable(store, error.strerror) from error


def _seed(root: Path, store: Path) -> None:
    """Begin a store in the user's cache with the one that came with a read-only folder, if there is one."""
    shipped = root / STORE_DIR / STORE_NAME
    if store.exists() or not shipped.is_file() or store != store_path(root):
        return
    draft = store.with_name(store.name + ".new")
    draft.unlink(missing_ok=True)
    with suppress(StoreError), closing(Store.open(shipped)) as source:
        if source.own:
            with closing(sqlite3.connect(draft)) as target:
                source.connection().backup(target)
            draft.replace(store)


def _relative_root(root: Path, store: Path) -> str:
    """The way from the store to the corpus when it lies inside; else empty, for a store names no absolute place."""
    root, folder = root.resolve(), store.parent.resolve()
    if not folder.is_relative_to(root):
        return ""
    return Path(os.path.relpath(root, folder)).as_posix()
