"""The vectors in a store: whose they are, which section has which, and the copy that other readers of the format know.

One model answers; while another one's vectors are made to take its place, both are there.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple
from typing import NamedTuple

from drawwell.protocols import ModelIdentity
from drawwell.retrieval.keys import LAST_GENERATION, LAST_ORDINAL

__all__ = [
    "Unembedded",
    "answering_model",
    "coming_model",
    "exact_rows",
    "forget_vectors",
    "model_row",
    "model_with_id",
    "newest_row",
    "passage_hash",
    "sections_embedded",
    "sections_without",
    "set_answering",
    "set_coming",
    "vector_rows",
]

_ANSWERING = "drawwell.embedder"
_COMING = "drawwell.embedder_next"


class Unembedded(NamedTuple):
    """A section without a vector of a model.

    Attributes:
        doc_id: its document.
        ordinal: its number there.
        generation: of the document.
        heading_path: where it stands.
        text: its text.
    """

    doc_id: int
    ordinal: int
    generation: int
    heading_path: str
    text: str


def passage_hash(heading_path: str, text: str) -> bytes:
    """What a vector is kept under: 16 bytes of the hash of what is embedded."""
    return hashlib.sha256(f"{heading_path}\0{text}".encode()).digest()[:16]


def model_row(connection: sqlite3.Connection, identity: ModelIdentity) -> int | None:
    """The number of a model in a store; None when it is not there."""
    sql = (
        "SELECT model_id FROM drawwell_models"
        " WHERE provider = ? AND name = ? AND revision = ? AND dimension = ? AND prompts = ?"
    )
    row = connection.execute(sql, astuple(identity)).fetchone()
    return None if row is None else int(row[0])


def model_with_id(connection: sqlite3.Connection, model_id: int) -> ModelIdentity | None:
    """A model by its number in a store."""
    sql = "SELECT provider, name, revision, dimension, prompts FROM drawwell_models WHERE model_id = ?"
    row = connection.execute(sql, (model_id,)).fetchone()
    return None if row is None else ModelIdentity(*row)


def answering_model(connection: sqlite3.Connection) -> int | None:
    """The model whose vectors answer; None without vectors."""
    return _model_named(connection, _ANSWERING)


def coming_model(connection: sqlite3.Connection) -> int | None:
    """The model whose vectors are being made to take the place of those; None when there is none."""
    return _model_named(connection, _COMING)


def _model_named(connection: sqlite3.Connection, key: str) -> int | None:
    sql = "SELECT nullif(max(CAST(value AS INTEGER), 0), 0) FROM meta WHERE key = ?"  # it may be no number
    row = connection.execute(sql, (key,)).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def set_answering(connection: sqlite3.Connection, model_id: int, name: str) -> None:
    """Let a model's vectors answer, and none be coming. ``embed_model`` is the format's own name for it."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_ANSWERING, str(model_id)))
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('embed_model', ?)", (name,))
    connection.execute("DELETE FROM meta WHERE key = ?", (_COMING,))


def set_coming(connection: sqlite3.Connection, model_id: int) -> None:
    """Note the model whose vectors are being made."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_COMING, str(model_id)))


def forget_vectors(connection: sqlite3.Connection, model_id: int) -> None:
    """Drop all vectors of a model. The copies for other readers of the format stay until others take their place."""
    connection.execute("DELETE FROM drawwell_embedded WHERE model_id = ?", (model_id,))
    connection.execute("DELETE FROM drawwell_vectors WHERE model_id = ?", (model_id,))


_LACKING = (
    " FROM sections s CROSS JOIN drawwell_documents x ON x.doc_id = s.doc_id"
    " LEFT JOIN drawwell_embedded e ON e.model_id = :model AND e.doc_id = s.doc_id AND e.ordinal = s.ordinal"
    " WHERE e.row_id IS NULL"
)


def sections_without(
    connection: sqlite3.Connection, model_id: int, after: tuple[int, int], count: int
) -> list[Unembedded]:
    """The first sections, in the order of document and ordinal, that have no vector of a model.

    Args:
        connection: to the store.
        model_id: the model.
        after: document and ordinal beyond which to look; (0, -1) for the beginning.
        count: the most to give.
    """
    sql = (
        f"SELECT s.doc_id, s.ordinal, x.generation, s.heading_path, s.text {_LACKING}"
        " AND (s.doc_id, s.ordinal) > (:doc_id, :ordinal) ORDER BY s.doc_id, s.ordinal LIMIT :count"
    )
    values = {"model": model_id, "doc_id": after[0], "ordinal": after[1], "count": count}
    return [Unembedded(*row) for row in connection.execute(sql, values)]


def sections_embedded(connection: sqlite3.Connection, model_id: int) -> tuple[int, int]:
    """How many sections have a vector of a model, and how many have none."""
    held = connection.execute("SELECT count(*) FROM drawwell_embedded WHERE model_id = ?", (model_id,)).fetchone()[0]
    total = connection.execute("SELECT coalesce(sum(n_sections), 0) FROM documents").fetchone()[0]
    return int(held), max(0, int(total) - int(held))


def newest_row(connection: sqlite3.Connection) -> int:
    """The last row that was ever added to ``drawwell_embedded``: when it is the same, no vector is new."""
    row = connection.execute(
        "SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'drawwell_embedded'"
    ).fetchone()
    return 0 if row is None else int(row[0])


def vector_rows(connection: sqlite3.Connection, model_id: int, after: int) -> list[tuple[int, int, bytes]]:
    """Generation, ordinal and codes of the sections that were embedded after a row, in the order of rows.

    What a damaged store says is of no place, or is no bytes, is passed over here or refused by who reads the codes.
    """
    sql = (
        "SELECT e.generation, e.ordinal, CAST(v.codes AS BLOB) FROM drawwell_embedded e"
        " JOIN drawwell_vectors v USING (vector_id) WHERE e.row_id > ? AND e.model_id = ?"
        f" AND e.generation BETWEEN 0 AND {LAST_GENERATION} AND e.ordinal BETWEEN 0 AND {LAST_ORDINAL}"
        " ORDER BY e.row_id"
    )
    return [tuple(row) for row in connection.execute(sql, (after, model_id))]


def exact_rows(
    connection: sqlite3.Connection, model_id: int, places: Sequence[tuple[int, int]]
) -> list[tuple[int, int, bytes]]:
    """Document, ordinal and exact vectors of some sections, float16, little-endian.

    Args:
        connection: to the store.
        model_id: the model.
        places: doc_id and ordinal of each.
    """
    wanted = ", ".join(["(?, ?)"] * len(places))
    sql = (
        f"WITH wanted (doc_id, ordinal) AS (VALUES {wanted})"
        " SELECT e.doc_id, e.ordinal, CAST(v.exact AS BLOB) FROM wanted"
        " CROSS JOIN drawwell_embedded e ON e.model_id = ? AND e.doc_id = wanted.doc_id AND e.ordinal = wanted.ordinal"
        " CROSS JOIN drawwell_vectors v ON v.vector_id = e.vector_id"
    )
    values = [number for place in places for number in place]
    return [tuple(row) for row in connection.execute(sql, [*values, model_id])]
