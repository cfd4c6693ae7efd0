"""What answers the questions of a test collection: drawwell itself, and what anybody would use instead.

Each is a :class:`System`. The plain ones are made as their users would make them: SQLite's FTS5 in the few lines that
everybody writes, and bm25s as its documentation shows it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any, Protocol

import bm25s
import numpy as np
import Stemmer

from drawwell.bench.collections import Document, Question
from drawwell.corpus.store.connect import Connection

__all__ = ["FUNCTION_WORDS", "TOKENIZERS", "Bm25s", "PlainFts5", "System"]

TOKENIZERS = ("unicode61", "porter unicode61")
"""The two of FTS5 that plain rows are made with."""

FUNCTION_WORDS = frozenset(
    word
    for line in (
        "a an the this that these there their them they he his her she it its i me my we our you your",
        "and or but if so than then as at by for from in into of on to with",
        "am are be been is was were do does did has have had can could may might should will would",
        "how what when where which who whom why",
    )
    for word in line.split()
)
"""English words that say nothing about what is looked for."""

_WORD = re.compile(r"\w+")
_TITLE_WEIGHT = 3.0


class System(Protocol):
    """Something that finds documents."""

    name: str

    def call(self, question: Question, count: int) -> Sequence[str]:
        """Answer once, as a user would ask: this is what is timed.

        Returns:
            Ids of the documents of at most ``count`` results, best first; a document may be there more than once.
        """
        ...

    def retrieve(self, question: Question, count: int) -> list[str]:
        """The ids of the ``count`` best documents, best first, each once; fewer when no more fit."""
        ...


class PlainFts5:
    """BM25 of SQLite's FTS5 over title and text, any of the words of the question that are not function words.

    Args:
        documents: what to find.
        tokenizer: one of FTS5's, with its options.
        name: of the row.
    """

    def __init__(self, documents: Sequence[Document], tokenizer: str, name: str = "") -> None:
        self.name = name or f"FTS5 {tokenizer}"
        self._ids = [document.id for document in documents]
        self._connection = sqlite3.connect(":memory:", factory=Connection)
        self._connection.execute(
            f"CREATE VIRTUAL TABLE found USING fts5(title, text, conv UNINDEXED, tokenize = '{tokenizer}')"
        )
        self._connection.executemany(
            "INSERT INTO found (rowid, title, text, conv) VALUES (?, ?, ?, ?)",
            ((place, one.title, _storable(one.text), one.conv) for place, one in enumerate(documents)),
        )

    def call(self, question: Question, count: int) -> list[str]:
        """See :class:`System`."""
        words = [word.lower() for word in _WORD.findall(_storable(question.text))]
        kept = dict.fromkeys([word for word in words if word not in FUNCTION_WORDS] or words)
        if not kept:
            return []
        rows = self._connection.execute(
            f"SELECT rowid FROM found WHERE found MATCH ? AND (? = '' OR conv = ?)"
            f" ORDER BY bm25(found, {_TITLE_WEIGHT}, 1.0), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in kept), question.conv, question.conv, count),
        )
        return [self._ids[row] for (row,) in rows]

    retrieve = call


class Bm25s:
    """BM25 of the library bm25s over title and text, with its list of function words and Snowball's English stems.

    Args:
        documents: what to find.
    """

    name = "bm25s"

    def __init__(self, documents: Sequence[Document]) -> None:
        self._ids = [document.id for document in documents]
        self._stemmer = Stemmer.Stemmer("english")
        self._masks: dict[str, Any] = {"": None}
        for conv in {document.conv for document in documents} - {""}:
            self._masks[conv] = np.array([document.conv == conv for document in documents], dtype=np.float32)
        self._index = bm25s.BM25()
        self._index.index(self._tokens([f"{one.title}\n{one.text}" for one in documents]), show_progress=False)

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False)

    def call(self, question: Question, count: int) -> list[str]:
        """See :class:`System`."""
        tokens = [[token for token in self._tokens([question.text])[0] if token in self._index.vocab_dict]]
        if not tokens[0] or question.conv not in self._masks:
            return []
        places, scores = self._index.retrieve(
            tokens, k=min(count, len(self._ids)), show_progress=False, weight_mask=self._masks[question.conv]
        )
        pairs = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        return [self._ids[place] for place, score in pairs if score > 0]

    retrieve = call


def _storable(text: str) -> str:
    """A text without lone surrogates, which SQLite refuses."""
    return text.encode("utf-8", "replace").decode()
