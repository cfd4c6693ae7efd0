"""Taking a folder in: whole processes, as a user starts them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from drawwell.bench.speed.peers import CONTEXTPULL, Contextpull
from drawwell.bench.speed.process import DRAWWELL, folder_mb, run_checked
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, race
from drawwell.errors import SourceError

__all__ = ["DRAWWELL_TOOL", "STORE_ONLY_TOOL", "Stores", "ingest_rows", "make_stores"]

DRAWWELL_TOOL = "drawwell"
STORE_ONLY_TOOL = "drawwell, store only"
_CHANGEABLE = (".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class Stores:
    """A corpus and where each tool keeps what it made of it.

    Attributes:
        corpus: the folder of documents.
        home: a folder with one folder for each tool's store.
        contextpull: the peer; its absence as the error that says why; None when no peers were asked for.
    """

    corpus: Path
    home: Path
    contextpull: Contextpull | Unavailable | None = None

    @property
    def ours(self) -> Path:
        """drawwell's store."""
        return self.home / "full" / "store.sqlite"

    @property
    def theirs(self) -> Path:
        """ContextPull's store."""
        return self.home / "contextpull" / "store.sqlite"


@dataclass(frozen=True, slots=True)
class _Ingester:
    tool: str
    store: Path
    command: Sequence[str | Path]
    missing: str = ""

    def run(self) -> Measured:
        self.store.parent.mkdir(parents=True, exist_ok=True)
        return run_checked(self.command, cwd=self.store.parent).measured

    def cold(self, _: int) -> Measured:
        shutil.rmtree(self.store.parent, ignore_errors=True)
        measured = self.run()
        return replace(measured, disk_mb=folder_mb(self.store.parent))

    def again(self, _: int) -> Measured:
        return self.run()


def _ingesters(stores: Stores) -> list[_Ingester]:
    folder, ours, alone = stores.corpus, stores.ours, stores.home / "store-only" / "store.sqlite"
    command: list[str | Path] = [*DRAWWELL, "ingest", folder, "--quiet"]
    found = [
        _Ingester(DRAWWELL_TOOL, ours, [*command, "--store", ours]),
        _Ingester(STORE_ONLY_TOOL, alone, [*command, "--no-words", "--store", alone]),
    ]
    peer, theirs = stores.contextpull, stores.theirs
    if isinstance(peer, Contextpull):
        found.append(_Ingester(peer.tool, theirs, peer.ingest(folder, theirs)))
    elif peer is not None:
        found.append(_Ingester(f"contextpull {CONTEXTPULL}", theirs, [], missing=str(peer)))
    return found


def ingest_rows(stores: Stores, sections: int, runs: int) -> list[Row]:
    """Time a cold ingest, one without any change, and one after a change of a single file.

    The stores are left as the last of them made them, current.
    """
    ingesters = _ingesters(stores)
    change = _Change(stores.corpus)

    def contenders(work: Callable[[_Ingester, int], Measured]) -> list[Contender[int]]:
        return [Contender(one.tool, partial(work, one), one.missing) for one in ingesters]

    def after_change(ingester: _Ingester, number: int) -> Measured:
        change.make(number)
        return ingester.run()

    rows = race(Where("ingest", "cold", sections), contenders(_Ingester.cold), range(runs))
    rows += race(Where("ingest", "unchanged", sections), contenders(_Ingester.again), range(runs))
    rows += race(Where("ingest", "one file changed", sections), contenders(after_change), range(runs))
    return rows


class _Change:
    """Changes one document of a corpus: the one of middling size among those that can be added to."""

    def __init__(self, corpus: Path) -> None:
        found = [path for path in corpus.rglob("*") if path.suffix.lower() in _CHANGEABLE and path.is_file()]
        found.sort(key=lambda path: (path.stat().st_size, path.as_posix()))
        self._path = found[len(found) // 2] if found else None
        self._original = self._path.read_bytes() if self._path else b""

    def make(self, number: int) -> None:
        """Make it end with a line of that number; nothing is written when it does already.

        Raises:
            Unavailable: the corpus has no such document.
        """
        if self._path is None:
            raise Unavailable("no Markdown or text file in the corpus to change")
        wanted = self._original + f"\n\nchange number {number}\n".encode()
        if self._path.read_bytes() != wanted:
            self._path.write_bytes(wanted)


def make_stores(stores: Stores) -> None:
    """Make the stores that are not there yet, drawwell's and ContextPull's.

    Raises:
        SourceError: drawwell cannot take the corpus in.
    """
    for ingester in _ingesters(stores):
        if ingester.tool == STORE_ONLY_TOOL or ingester.missing or ingester.store.is_file():
            continue
        try:
            ingester.run()
        except Unavailable as error:
            if ingester.tool == DRAWWELL_TOOL:
                raise SourceError(f"drawwell ingest failed: {error.message}", "Try it on the folder itself") from error
