"""What an ingest has to do: the folder as it is against the store as it is. Reads, never writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from drawwell.corpus.ingest.discover import Discovery, FoundFile
from drawwell.corpus.ingest.files import hash_file
from drawwell.corpus.ingest.records import ParseTask, Rejected
from drawwell.corpus.options import IngestOptions
from drawwell.errors import UnreadableFile, Vanished

__all__ = ["Known", "Move", "Plan", "load_known", "make_plan"]


class Known(NamedTuple):
    """A document of the store.

    Attributes:
        doc_id: its number.
        path: its name.
        sha256: of the file when it was read.
        size: of that file in bytes.
        key: what else decided its sections.
        stale: why its text may be out of date; empty when it is current.
    """

    doc_id: int
    path: str
    sha256: str
    size: int
    key: str
    stale: str


class Move(NamedTuple):
    """A document whose file is now elsewhere, unchanged."""

    known: Known
    file: FoundFile


@dataclass(slots=True)
class Plan:
    """What to do.

    Attributes:
        tasks: files to parse, by path.
        replaces: the document that a task's outcome replaces, by the task's path.
        moves: documents to rename in place.
        renamed: number of renames, those among ``tasks`` included.
        removals: documents to take out.
        stale: documents to mark, and why.
        current: documents whose mark is to be taken away.
        unchanged: number of documents to leave alone.
        rejected: files that are known to be no use, or cannot be read now.
    """

    tasks: list[ParseTask] = field(default_factory=list)
    replaces: dict[str, Known] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    renamed: int = 0
    removals: list[Known] = field(default_factory=list)
    stale: list[tuple[Known, str]] = field(default_factory=list)
    current: list[Known] = field(default_factory=list)
    unchanged: int = 0
    rejected: list[Rejected] = field(default_factory=list)


def load_known(connection: sqlite3.Connection) -> dict[str, Known]:
    """The documents of a store, by path."""
    rows = connection.execute(
        "SELECT doc_id, path, sha256, bytes, key, stale FROM documents JOIN drawwell_documents USING (doc_id)"
    )
    return {row[1]: Known(*row) for row in rows}


@dataclass(slots=True)
class _Planner:
    root: Path
    options: IngestOptions
    plan: Plan = field(default_factory=Plan)
    keys: dict[str, str] = field(default_factory=dict)

    def key(self, file: FoundFile) -> str:
        """What besides a file's bytes decides its sections."""
        name = file.format.name
        if name not in self.keys:
            self.keys[name] = self.options.document_key(name)
        return self.keys[name]

    def compare(self, file: FoundFile, known: Known | None, refused: Rejected | None) -> None:
        """Decide about a file that the store knows, as a document or as one that was refused."""
        key = self.key(file)
        before = known or refused
        if before is None or not self.options.is_current(before.key, key):
            self.parse(file, known)
            return
        try:
            same = hash_file(self.root, file.place) == before.sha256
        except UnreadableFile as error:
            self.plan.rejected.append(Rejected(file.path, str(error)))
            if known is not None:
                self.plan.stale.append((known, str(error)))
            return
        if not same:
            self.parse(file, known)
        elif isinstance(before, Rejected):
            self.plan.rejected.append(before)
        elif before.stale:
            self.plan.current.append(before)
        else:
            self.plan.unchanged += 1

    def parse(self, file: FoundFile, replaces: Known | None) -> None:
        """Have a file parsed."""
        self.plan.tasks.append(ParseTask(file.path, file.place, file.size, self.key(file), self.options))
        if replaces is not None:
            self.plan.replaces[file.path] = replaces

    def pair(self, added: list[FoundFile], gone: list[Known]) -> list[Known]:
        """Recognise renamed files by their bytes and have the other added ones parsed; returns what is really gone."""
        sizes = {known.size for known in gone}
        by_content: dict[tuple[str, str], list[Known]] = {}
        for known in gone:
            key = known.key.partition("-")[0]
            same = key if self.options.is_current(known.key, key) else known.key
            by_content.setdefault((known.sha256, same), []).append(known)
        for file in added:
            before = self._before(file, by_content) if file.size in sizes else None
            if before is None:
                self.parse(file, None)
                continue
            self.plan.renamed += 1
            if PurePosixPath(before.path).stem == PurePosixPath(file.path).stem:
                self.plan.moves.append(Move(before, file))
            else:
                self.parse(file, before)  # its title may come from its name
        return [known for some in by_content.values() for known in some]

    def _before(self, file: FoundFile, by_content: dict[tuple[str, str], list[Known]]) -> Known | None:
        """The document that a new file was, taken out of those that are gone; of equal ones that of the same name."""
        try:
            content = (hash_file(self.root, file.place), self.key(file))
        except UnreadableFile:
            return None  # parsing it will say so
        same = by_content.get(content)
        if not same:
            return None
        name = PurePosixPath(file.path).name
        best = next((known for known in same if PurePosixPath(known.path).name == name), same[0])
        same.remove(best)
        return best


def make_plan(
    root: Path,
    options: IngestOptions,
    found: Discovery,
    known: dict[str, Known],
    refused: dict[str, Rejected],
    progress: Callable[[int, int, str], None] | None = None,
) -> Plan:
    """Compare a folder with a store.

    Args:
        root: the folder.
        options: how it is read.
        found: what is in it.
        known: the documents of the store, by path.
        refused: the files that an earlier run read and refused, by path.
        progress: called with files done, files in all, and a path.

    Raises:
        Vanished: more than half of the documents are gone and ``options.prune`` is not set.
    """
    planner = _Planner(root, options)
    plan = planner.plan
    added = []
    for number, file in enumerate(found.files):
        if progress is not None:
            progress(number, len(found.files), file.path)
        if file.path in known or file.path in refused:
            planner.compare(file, known.get(file.path), refused.get(file.path))
        else:
            added.append(file)
    present = {file.path for file in found.files}
    reasons = dict(found.skipped)
    hidden = _Below(found.unreadable)
    missing = []
    for path in sorted(known.keys() - present):
        if (place := hidden.above(path)) is not None:
            plan.stale.append((known[path], reasons.get(place, "cannot be read")))
        else:
            missing.append(known[path])
    plan.removals = sorted(planner.pair(added, missing), key=lambda one: one.path)
    plan.tasks.sort(key=lambda task: task.path)
    _check_vanished(root, options, plan, len(known))
    return plan


class _Below:
    """Paths at or below some files and folders (these with a final slash; the root is empty)."""

    def __init__(self, places: Iterable[str]) -> None:
        self._places = frozenset(places)

    def above(self, path: str) -> str | None:
        """The place that a path is, or is below; None when there is none."""
        if not self._places:
            return None
        if path in self._places:
            return path
        end = path.find("/")
        while end != -1:
            if path[: end + 1] in self._places:
                return path[: end + 1]
            end = path.find("/", end + 1)
        return None


def _check_vanished(root: Path, options: IngestOptions, plan: Plan, documents: int) -> None:
    if options.prune or 2 * len(plan.removals) <= documents:
        return
    gone = sum(not (root / known.path).exists() for known in plan.removals)  # others are there, but left out now
    if 2 * gone > documents:
        raise Vanished(
            f"{gone:,} of {documents:,} documents are gone from {root}",
            "If a disk is not mounted, mount it; if they were meant to go, run again with --prune",
        )
