"""The document leg: how well the whole document fits in which a section stands.

It raises sections whose document has the question's other words elsewhere, as in a note that is cut under its headings.
Only the sections that fit best are looked at, and each of them is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tantivy import Occur, Query, Schema

from drawwell.retrieval.lexical import STEMS, Asked
from drawwell.retrieval.words import TextField

__all__ = ["DOCUMENT_FIELDS", "DOCUMENT_WEIGHT", "WINDOW", "compile_document_query", "document_of"]

DOCUMENT_FIELDS = (TextField(STEMS, positions=False),)
DOCUMENT_WEIGHT = 0.8
"""What a document's score counts beside that of a section."""
WINDOW = 30
"""How many sections at a time are ordered anew by both scores."""
_MOST = 8_000_000
"""Code points of a document's stems that are looked at: those of four million characters of its text, or more."""


def document_of(sections: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """What the index of documents holds of one; of a very large one only its beginning, since it is in memory at once.

    Args:
        sections: what the index for ranking holds of its sections.
    """
    found = []
    room = _MOST
    for section in sections:
        found.append(section[STEMS])
        room -= len(section[STEMS])
        if room < 0:
            break
    return {STEMS: " ".join(found)}


def compile_document_query(schema: Schema, asked: Asked) -> Query | None:
    """The question as a query of the index of documents; None when it has no words beside one."""
    if len(asked.words) < 2:
        return None
    stems = dict.fromkeys(stem for word in asked.words for stem in word.stems)
    clauses = [(Occur.Should, Query.term_query(schema, STEMS, stem, "freq")) for stem in stems]
    return Query.boolean_query(clauses) if clauses else None
