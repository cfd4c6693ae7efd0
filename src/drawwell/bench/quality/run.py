"""Runs test collections through drawwell and through what it is compared with."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from drawwell._version import __version__
from drawwell.bench.collections import Collection, Document, find_collections, load_collection
from drawwell.bench.quality.cutting import FIXED_CHARS, CutReport, Cutter, Placed, fixed_pieces, measure_cuts
from drawwell.bench.quality.product import BY_WORDS, Drawwell, export, section_spans, take_in
from drawwell.bench.quality.ranking import RankedReport, measure_rankings
from drawwell.bench.quality.systems import TOKENIZERS, Bm25s, PlainFts5, System
from drawwell.configuration import Settings
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import PARSER_VERSION

__all__ = ["QualityPlan", "QualityReport", "measure_quality"]

_LIBRARIES = ("bm25s", "ir-measures", "numpy", "PyStemmer", "tantivy")
_CUT_TOKENIZER = TOKENIZERS[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityPlan:
    """What to measure.

    Attributes:
        folder: a collection, or a folder of them.
        only: names of collections; empty for all.
        modes: drawwell's ways of search, of ``product.WAYS``.
        limit: only so many questions of each collection, the first; 0 for all.
        command: what was typed, for the report.
    """

    folder: Path
    only: tuple[str, ...] = ()
    modes: tuple[str, ...] = BY_WORDS
    limit: int = 0
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityReport:
    """What was measured, by what.

    Attributes:
        version: of drawwell.
        commit: of its sources, with ``-dirty`` when they were changed; empty when it does not run from a checkout.
        parser_version: of what cuts documents.
        command: what was typed.
        machine: processor architecture, Python and SQLite.
        libraries: versions by name.
        model: what gave the vectors; empty without.
        collections: one entry for each collection and unit.
    """

    version: str
    commit: str
    parser_version: int
    command: str
    machine: str
    libraries: dict[str, str]
    model: str
    collections: tuple[RankedReport | CutReport, ...]


def measure_quality(
    plan: QualityPlan, settings: Settings, said: Callable[[str], None] = lambda _: None
) -> QualityReport:
    """Measure how well each collection's questions are answered.

    Args:
        plan: what to measure.
        settings: how to ingest.
        said: told what is being done.

    Raises:
        SourceError: there is no collection, or a file of one is wrong.
        ArgumentError: a collection that is named is not there.
    """
    reports: list[RankedReport | CutReport] = []
    for folder in find_collections(plan.folder, plan.only):
        collection = load_collection(folder)
        if plan.limit:
            collection = replace(collection, questions=collection.questions[: plan.limit])
        reports.extend(_measure(collection, plan.modes, settings, said))
    return QualityReport(
        version=__version__,
        commit=_commit(Path(__file__).resolve().parents[4]),
        parser_version=PARSER_VERSION,
        command=plan.command,
        machine=f"{platform.machine()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        libraries={name: version(name) for name in _LIBRARIES},
        model=settings.text("embed"),
        collections=tuple(reports),
    )


def _measure(
    collection: Collection, modes: Sequence[str], settings: Settings, said: Callable[[str], None]
) -> list[RankedReport] | list[CutReport]:
    with tempfile.TemporaryDirectory(prefix="drawwell-bench-") as temporary:
        folder = Path(temporary) / "documents"
        folder.mkdir()
        said(f"{collection.name}: ingest of {len(collection.documents):,} documents")
        documents = export(collection, folder, verbatim=collection.asks_for_spans)
        with take_in(folder, Path(temporary) / "store.sqlite", settings) as corpus:
            ours = [Drawwell(corpus, documents, mode) for mode in modes]
            if collection.asks_for_spans:
                return [measure_cuts(collection, _cutters(collection, corpus, documents, ours), said)]
            if not any(question.id in collection.relevant for question in collection.questions):
                said(f"{collection.name}: no question has an answer; left out")
                return []
            return measure_rankings(collection, [*_plain(collection.documents), *ours], said)


def _plain(documents: Sequence[Document]) -> list[System]:
    """What is compared with. Where there are dates, FTS5 runs with them too: our files have them, the floor has not."""
    systems: list[System] = [PlainFts5(documents, tokenizer) for tokenizer in TOKENIZERS]
    if any(document.date for document in documents):
        dated = [replace(document, text=f"{document.date} {document.text}") for document in documents]
        systems.extend(PlainFts5(dated, tokenizer, f"with dates, FTS5 {tokenizer}") for tokenizer in TOKENIZERS)
    return [*systems, Bm25s(documents)]


def _cutters(
    collection: Collection, corpus: Corpus, documents: dict[str, Document], ours: Sequence[Drawwell]
) -> list[Cutter]:
    """Fixed pieces, our sections under the same ranking, and our sections under our own."""
    fixed = fixed_pieces(collection.documents)
    sections = section_spans(corpus, documents)
    cutters = [
        _ranked_plainly(f"fixed {FIXED_CHARS:,}, FTS5 {tokenizer}", collection, fixed, tokenizer)
        for tokenizer in TOKENIZERS
    ]
    cutters.append(_ranked_plainly(f"sections, FTS5 {_CUT_TOKENIZER}", collection, sections, _CUT_TOKENIZER))
    return [*cutters, *(Cutter(system.name, system.section_ids, sections) for system in ours)]


def _ranked_plainly(name: str, collection: Collection, pieces: dict[str, Placed], tokenizer: str) -> Cutter:
    texts = {document.id: document.text for document in collection.documents}
    documents = [Document(id=one, text=texts[name][span.start : span.end]) for one, (name, span) in pieces.items()]
    return Cutter(name, PlainFts5(documents, tokenizer).call, pieces)


def _commit(root: Path) -> str:
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 git, and our own folder
    return done.stdout.strip()
