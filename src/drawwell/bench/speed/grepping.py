"""Grep: the first page of drawwell's answer beside ripgrep naming the files, over the same documents."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from drawwell.bench.speed.ingesting import DRAWWELL_TOOL, Stores
from drawwell.bench.speed.patterns import GrepPattern
from drawwell.bench.speed.peers import Ripgrep, Session, find_ripgrep
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, clocked, percentile, race
from drawwell.bench.speed.searching import contextpull_session, peer_contender

if TYPE_CHECKING:
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["ALL_PATTERNS", "LESS_START", "grep_rows"]

ALL_PATTERNS = "all patterns"
"""The work of the rows that sum up: median and 95th percentile of the patterns' medians."""

_LIMIT = 20
LESS_START = " less its start"
"""What ends the name of ripgrep in rows without the time that it takes to start."""


def grep_rows(
    corpus: Corpus, stores: Stores, patterns: Sequence[GrepPattern], sections: int, rounds: int
) -> Iterator[Row]:
    """Look for every pattern with everyone, some times each.

    Args:
        corpus: of drawwell, open.
        stores: the same documents and their stores.
        patterns: what to look for.
        sections: size of the corpus.
        rounds: how often each.
    """
    rows = []
    with contextlib.ExitStack() as around:
        session = around.enter_context(contextpull_session(stores))
        empty = Path(around.enter_context(tempfile.TemporaryDirectory(prefix="drawwell-bench-")))
        field = _Field(corpus, stores, session, _ripgrep() if stores.contextpull is not None else None, empty)
        for number, pattern in enumerate(patterns):
            where = Where("grep", str(pattern), sections)
            rows += race(where, field.contenders(pattern), [pattern.text] * rounds, warm=number == 0)
    yield from _summed(rows, sections)
    yield from rows


def _ripgrep() -> Ripgrep | Unavailable:
    try:
        return find_ripgrep()
    except Unavailable as error:
        return error


@dataclass(frozen=True, slots=True)
class _Field:
    """Who takes part."""

    corpus: Corpus
    stores: Stores
    session: Session | None
    ripgrep: Ripgrep | Unavailable | None
    empty: Path

    def contenders(self, pattern: GrepPattern) -> list[Contender[str]]:
        def ours(text: str) -> Measured:
            return clocked(partial(self.corpus.grep, text, regex=pattern.regex, limit=_LIMIT))

        found = [Contender(DRAWWELL_TOOL, ours)]
        if self.stores.contextpull is not None:
            found.append(peer_contender(self.stores, self.session, "grep", regex=pattern.regex, limit=_LIMIT))
        if isinstance(self.ripgrep, Ripgrep):
            whole = partial(self.ripgrep.files_with, folder=self.stores.corpus, regex=pattern.regex)
            start = partial(self.ripgrep.files_with, folder=self.empty, regex=pattern.regex)
            found.append(Contender(self.ripgrep.tool, whole))
            found.append(Contender(f"{self.ripgrep.tool}{LESS_START}", partial(_less_start, whole, start)))
        elif self.ripgrep is not None:
            found.append(Contender("ripgrep", ours, missing=str(self.ripgrep)))
        return found


def _less_start(whole: Callable[[str], Measured], start: Callable[[str], Measured], text: str) -> Measured:
    """A run without what it costs to start and to find nothing in an empty folder, both measured at the same moment."""
    return Measured(max(0.0, whole(text).ms - start(text).ms))


def _summed(rows: Sequence[Row], sections: int) -> Iterator[Row]:
    for tool in dict.fromkeys(row.tool for row in rows):
        own = [row for row in rows if row.tool == tool]
        medians = [row.p50_ms for row in own if row.p50_ms is not None]
        if medians:
            yield Row(
                group="grep",
                work=ALL_PATTERNS,
                tool=tool,
                sections=sections,
                runs=len(medians),
                p50_ms=round(statistics.median(medians), 4),
                p95_ms=round(percentile(medians, 95), 4),
            )
        else:
            yield replace(own[0], work=ALL_PATTERNS)
