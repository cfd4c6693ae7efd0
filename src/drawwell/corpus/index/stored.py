"""What an index says of a store as it is: read from its tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from drawwell.corpus.index.render import IndexEntry, IndexHeader, render_index, render_map
from drawwell.corpus.options import MAP_CHARS

__all__ = ["index_meta", "stored_entries"]


def stored_entries(connection: sqlite3.Connection, doc_ids: Sequence[int] | None = None) -> list[IndexEntry]:
    """The documents as an index sees them, in path order.

    Args:
        connection: to the store.
        doc_ids: only these; None for all.
    """
    sql = "SELECT path, title, coalesce(summary, ''), n_sections FROM documents"
    values: tuple[str, ...] = ()
    if doc_ids is not None:
        sql += " WHERE doc_id IN (SELECT value FROM json_each(?))"
        values = (json.dumps(list(doc_ids)),)
    return [IndexEntry(*row) for row in connection.execute(f"{sql} ORDER BY path", values)]


def index_meta(connection: sqlite3.Connection, header: IndexHeader, budget_tokens: int) -> dict[str, str]:
    """The index text of a store, and what ``meta`` says of it.

    Args:
        connection: to the store.
        header: what the index says of the store as a whole.
        budget_tokens: estimated tokens that the text may take.
    """
    entries = stored_entries(connection)
    index = render_index(entries, header, budget_tokens)
    return {
        "index_text": index.text,
        "index_mode": index.mode,
        "index_tokens": str(index.tokens),
        "drawwell.map": render_map(entries, header, MAP_CHARS),
    }
