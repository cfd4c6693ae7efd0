"""Search: the whole call of drawwell beside ContextPull's, plain FTS5, and the bare index with the same query."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from drawwell.bench.speed.bare import bare_contender
from drawwell.bench.speed.ingesting import DRAWWELL_TOOL, Stores
from drawwell.bench.speed.peers import CONTEXTPULL, Contextpull, Session
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, clocked, race

if TYPE_CHECKING:
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["FTS5_TOOL", "contextpull_session", "peer_contender", "search_rows"]

FTS5_TOOL = "SQLite FTS5, any word"
_HITS = 10
_WORD = re.compile(r"\w+")
_FTS5 = (
    "SELECT id, heading_path, snippet(sections_fts, 2, '', '', '...', 12), bm25(sections_fts) FROM sections_fts"
    " WHERE sections_fts MATCH ? ORDER BY rank LIMIT ?"
)


def search_rows(corpus: Corpus, stores: Stores, questions: Mapping[str, Sequence[str]], sections: int) -> Iterator[Row]:
    """Ask every question of everyone.

    Args:
        corpus: of drawwell, open.
        stores: the same documents' stores.
        questions: kind to questions.
        sections: size of the corpus.
    """
    with contextlib.ExitStack() as around:
        contenders: list[Contender[str]] = [
            Contender(DRAWWELL_TOOL, lambda text: clocked(partial(corpus.search, text, limit=_HITS)))
        ]
        if stores.contextpull is not None:
            session = around.enter_context(contextpull_session(stores))
            contenders.append(peer_contender(stores, session, "search", limit=_HITS))
            connection = sqlite3.connect(f"{stores.ours.absolute().as_uri()}?mode=ro", uri=True)
            around.callback(connection.close)
            contenders.append(Contender(FTS5_TOOL, partial(_plain_fts5, connection)))
            contenders.append(bare_contender(stores.ours, _HITS))
        for kind, texts in questions.items():
            yield from race(Where("search", kind, sections), contenders, texts, warm=True)


@contextlib.contextmanager
def contextpull_session(stores: Stores) -> Iterator[Session | None]:
    """ContextPull with its store open; None when it is not there."""
    peer = stores.contextpull
    if not isinstance(peer, Contextpull):
        yield None
        return
    with peer.session(stores.theirs) as session:
        yield session


def peer_contender(stores: Stores, session: Session | None, operation: str, **options: object) -> Contender[str]:
    """ContextPull doing an operation on a text; a contender that says why it cannot, when it is not there."""
    peer = stores.contextpull
    if isinstance(peer, Contextpull) and session is not None:
        return Contender(peer.tool, lambda text: session.ask(operation, text, **options))
    return Contender(f"contextpull {CONTEXTPULL}", _impossible, missing=str(peer or "peers were not asked for"))


def _impossible(text: str) -> Measured:
    raise Unavailable(f"cannot be asked for {text}")


def _plain_fts5(connection: sqlite3.Connection, text: str) -> Measured:
    """The best sections with any of the words, with snippets, by one statement."""
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text.lower())))
    return clocked(lambda: connection.execute(_FTS5, (match or '""', _HITS)).fetchall())
