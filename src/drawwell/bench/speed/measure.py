"""Speed of a corpus's work, at one size or several, beside the peers that do the same."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from drawwell.bench.groups import GROUPS
from drawwell.bench.speed.corpora import Document, Rewriter, plan_sizes, select, write_corpus
from drawwell.bench.speed.goals import Goal, judge
from drawwell.bench.speed.grepping import grep_rows
from drawwell.bench.speed.ingesting import DRAWWELL_TOOL, Stores, ingest_rows, make_stores
from drawwell.bench.speed.patterns import GrepPattern, patterns_of
from drawwell.bench.speed.peers import Contextpull, find_contextpull, find_ripgrep
from drawwell.bench.speed.process import DRAWWELL, run_checked
from drawwell.bench.speed.questions import KINDS, Passage, ask_all
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, clocked, race
from drawwell.bench.speed.searching import search_rows
from drawwell.bench.speed.serving import serve_rows
from drawwell.bench.speed.vectors import vector_rows
from drawwell.compose import CorpusPlace, ingest_options, open_place
from drawwell.corpus.ingest.discover import discover
from drawwell.errors import SourceError

if TYPE_CHECKING:
    from drawwell.configuration import Settings
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["Size", "SpeedPlan", "SpeedReport", "measure_speed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedPlan:
    """What to measure.

    Attributes:
        groups: kinds of work.
        peers: whether to measure others beside drawwell, and to install what of them can be installed.
        sizes: 1 for the folder as it is; more for so many corpora made from it.
        largest: sections of the largest of these.
        runs: how often a whole process is run; a pattern is looked for twice as often, less one.
        questions: how many of each kind are asked, and for how many vectors the nearest are looked for.
        vectors: among how many.
        command: the command line that measures the same, for the report.
    """

    groups: tuple[str, ...] = GROUPS
    peers: bool = False
    sizes: int = 1
    largest: int = 120_000
    runs: int = 3
    questions: int = 100
    vectors: int = 100_000
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A corpus that was measured.

    Attributes:
        documents: its documents.
        sections: sections that drawwell cuts them into.
        bytes: size of the files.
    """

    documents: int
    sections: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedReport:
    """What was measured, on what.

    Attributes:
        command: the command line that measures the same again.
        documents: documents in the folder.
        sections: sections cut from them.
        bytes: size of these documents.
        machine: processor architecture, its cores, Python and SQLite.
        versions: of the programs that took part, by name; of a missing one, why it is missing.
        sizes: the corpora on which it was measured, smallest first.
        rows: what was measured.
        goals: what is aimed at, judged by the rows of the largest corpus and by the growth up to it.
    """

    command: str = ""
    documents: int
    sections: int
    bytes: int
    machine: str
    versions: dict[str, str] = field(default_factory=dict)
    sizes: tuple[Size, ...]
    rows: tuple[Row, ...]
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class _Bench:
    plan: SpeedPlan
    home: Path
    contextpull: Contextpull | Unavailable | None
    said: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Questions by kind, and patterns: made from the folder itself, and the same for every corpus made of it."""

    questions: dict[str, list[str]]
    patterns: list[GrepPattern]


def measure_speed(
    root: Path, settings: Settings, plan: SpeedPlan, said: Callable[[str], None] = lambda _: None
) -> SpeedReport:
    """Copy a folder's documents to a temporary place, make corpora of them, and time the work on each.

    Args:
        root: a folder of documents; nothing is written to it.
        settings: which of its files are documents. How they are cut is left at the defaults, for all corpora alike.
        plan: what to measure.
        said: told what is being measured.

    Raises:
        SourceError: the folder has no document with text, or cannot be taken in.
    """
    with tempfile.TemporaryDirectory(prefix="drawwell-bench-") as temporary:
        home = Path(temporary)
        peer = _or_reason(find_contextpull) if plan.peers else None
        bench = _Bench(plan, home, peer, said)
        documents, asked = _base(root, settings, bench)
        sections = sum(document.sections for document in documents)
        if not sections:
            raise SourceError(f"{root} has no text to measure with", "Name a folder with documents")
        sizes: list[Size] = []
        rows: list[Row] = []
        for stores in _corpora(documents, bench):
            size, found = _measure(stores, bench, asked, last=len(sizes) + 1 == plan.sizes)
            sizes.append(size)
            rows += found
            shutil.rmtree(stores.home.parent)
        if "vectors" in plan.groups:
            said(f"vectors, {plan.vectors:,}")
            rows += vector_rows(home, plan.vectors, plan.questions, peers=plan.peers)
        return SpeedReport(
            command=plan.command,
            documents=len(documents),
            sections=sections,
            bytes=sum(document.place.stat().st_size for document in documents if document.place.is_file()),
            machine=(
                f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
                f"SQLite {sqlite3.sqlite_version}"
            ),
            versions=_versions(peer),
            sizes=tuple(sizes),
            rows=tuple(rows),
            goals=tuple(judge(rows)),
        )


def _or_reason(find: Callable[[], Contextpull]) -> Contextpull | Unavailable:
    try:
        return find()
    except Unavailable as error:
        return error


def _versions(peer: Contextpull | Unavailable | None) -> dict[str, str]:
    found = {}
    for name in ("drawwell", "tantivy", "mcp", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    if peer is not None:
        found["contextpull"] = peer.version if isinstance(peer, Contextpull) else str(peer)
        try:
            found["ripgrep"] = find_ripgrep().version
        except Unavailable as error:
            found["ripgrep"] = str(error)
    return found


def _base(root: Path, settings: Settings, bench: _Bench) -> tuple[list[Document], _Asked]:
    """The folder's documents, copied, with the number of sections of each; and what all corpora are asked."""
    bench.said("copy the documents")
    base = bench.home / "base"
    for found in discover(root, ingest_options(settings)).files:
        target = base / "copy-000" / found.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / found.place, target)
    base.mkdir(exist_ok=True)
    stores = Stores(base, bench.home / "base-store")
    make_stores(stores)
    with open_place(CorpusPlace(None, stores.ours)) as corpus:
        rows = corpus.store.connection().execute("SELECT path, n_sections FROM documents ORDER BY path").fetchall()
        asked = _Asked(ask_all(_passages(corpus), bench.plan.questions), patterns_of(_passages(corpus)))
    shutil.rmtree(stores.home)
    return [Document(str(path).partition("/")[2], base / str(path), int(count)) for path, count in rows], asked


def _corpora(documents: Sequence[Document], bench: _Bench) -> Iterator[Stores]:
    """The corpora to measure, smallest first; each is there until the next is asked for."""
    plan = bench.plan
    if plan.sizes == 1:
        place = bench.home / "as-it-is"
        shutil.copytree(bench.home / "base" / "copy-000", place / "corpus")
        yield Stores(place / "corpus", place / "stores", bench.contextpull)
        return
    rewriter = Rewriter(documents)
    for number, sections in enumerate(plan_sizes(plan.sizes, plan.largest)):
        bench.said(f"write a corpus of {sections:,} sections")
        place = bench.home / f"size-{number}"
        write_corpus(select(documents, sections), rewriter, place / "corpus")
        yield Stores(place / "corpus", place / "stores", bench.contextpull)


def _measure(stores: Stores, bench: _Bench, asked: _Asked, *, last: bool) -> tuple[Size, list[Row]]:
    plan = bench.plan
    make_stores(stores)
    with open_place(CorpusPlace(stores.corpus, stores.ours)) as corpus:
        status = corpus.status(files=False)
    rows: list[Row] = []

    def begin(group: str) -> bool:
        if group in plan.groups:
            bench.said(f"{group}, {status.sections:,} sections")
        return group in plan.groups

    if begin("ingest"):
        rows += ingest_rows(stores, status.sections, plan.runs)
    with open_place(CorpusPlace(stores.corpus, stores.ours)) as corpus:
        if begin("search"):
            rows += search_rows(corpus, stores, asked.questions, status.sections)
            rows += _whole_process(stores.ours, asked.questions, status.sections, plan.runs)
        if begin("grep"):
            rows += grep_rows(corpus, stores, asked.patterns, status.sections, 2 * plan.runs - 1)
        if begin("read"):
            rows += _read_rows(corpus, status.sections, plan.questions)
    if last and begin("serve"):
        rows += serve_rows(stores.ours, status.sections, plan.runs)
    return Size(documents=status.documents, sections=status.sections, bytes=status.source_bytes), rows


def _passages(corpus: Corpus) -> Iterator[Passage]:
    rows = corpus.store.connection().execute("SELECT id, heading_path, text FROM sections")
    for name, headings, text in rows:
        yield Passage(name, str(headings).rpartition(" > ")[2], text)


def _whole_process(store: Path, questions: dict[str, list[str]], sections: int, runs: int) -> list[Row]:
    """A search as a user types it: start, open, search, print, end."""

    def ask(text: str) -> Measured:
        return run_checked([*DRAWWELL, "search", "--quiet", "--store", store, "--", text]).measured

    where = Where("search", "whole process", sections)
    texts = [text for kind in KINDS for text in questions[kind]][:runs]
    return race(where, [Contender(DRAWWELL_TOOL, ask)], texts)


def _read_rows(corpus: Corpus, sections: int, count: int) -> list[Row]:
    ids = [passage.id for passage in _passages(corpus)]
    chosen = ids[:: max(1, len(ids) // count)][:count]

    def read(name: str) -> Measured:
        return clocked(partial(corpus.read, name))

    def around(name: str) -> Measured:
        return clocked(partial(corpus.neighbours, name))

    rows = race(Where("read", "read", sections), [Contender(DRAWWELL_TOOL, read)], chosen, warm=True)
    return rows + race(Where("read", "neighbours", sections), [Contender(DRAWWELL_TOOL, around)], chosen, warm=True)
