"""Vectors for the sections of a store: what lacks one, batch by batch, so that a run that ends anywhere can go on.

The model is asked outside of any transaction and without the store's lock; each batch is committed when it is there.
While a model takes the place of another one, the vectors of that one answer until the last section has its new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drawwell.corpus.ingest.report import EmbeddingReport
from drawwell.corpus.store.change import StoreChanges
from drawwell.corpus.store.lock import StoreLock
from drawwell.corpus.store.vectors import (
    Unembedded,
    answering_model,
    coming_model,
    forget_vectors,
    model_row,
    model_with_id,
    passage_hash,
    sections_embedded,
    sections_without,
    set_answering,
    set_coming,
)
from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder, ModelIdentity, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = ["Embedding", "embed_sections"]

_BATCH = 128
"""Sections that are committed together: what is lost at most when a run is cut off."""
_SPARE = 10_000
"""Vectors that are kept at least for texts that are in no document now."""

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Embedding:
    """How to embed.

    Attributes:
        embedder: the model.
        anew: whether it may take the place of the model whose vectors the store has.
        lacking_only: whether the model is left alone where all sections have a vector under its name.
        wait_seconds: how long to wait for another writer of the store.
    """

    embedder: Embedder
    anew: bool = False
    lacking_only: bool = False
    wait_seconds: float = 600.0


def embed_sections(store: Path, how: Embedding, report: EmbeddingReport, tell: Tell) -> None:
    """Give every section of a store a vector.

    Args:
        store: the store file.
        how: the model and how it is used.
        report: told what is done, also when it ends with an error.
        tell: told how many sections have a vector, and how many there are.

    Raises:
        ConfigurationError: the store has vectors of another model, or the provider says so.
        DependencyError: the provider cannot be reached; what was done stays.
        StoreBusy: another process is embedding, or writing for too long.
        StoreError: the store cannot be written.
    """
    with _one_at_a_time(store), StoreChanges(store, how.wait_seconds) as changes:
        report.lacking = _lacking(changes.connection, how.embedder.name)
        if how.lacking_only and not how.anew and not report.lacking:
            return
        identity = how.embedder.identity()
        run = _Run(changes, how, identity, report, tell)
        try:
            run.embed()
        finally:
            report.lacking = sections_embedded(changes.connection, run.model_id)[1]


def _one_at_a_time(store: Path) -> StoreLock:
    """Two runs would have the same texts read twice."""
    return StoreLock(store.with_name(f"{store.name}.embed"), 0.0)


def _lacking(connection: sqlite3.Connection, name: str) -> int:
    """Sections without a vector of a model of this name, as far as the store tells."""
    answering, coming = answering_model(connection), coming_model(connection)
    for model_id in (coming, answering):
        held = None if model_id is None else model_with_id(connection, model_id)
        if model_id is not None and held is not None and held.name == name:
            return max(sections_embedded(connection, model_id)[1], int(model_id == coming))
    return sections_embedded(connection, 0)[1]


class _Run:
    def __init__(
        self, changes: StoreChanges, how: Embedding, identity: ModelIdentity, report: EmbeddingReport, tell: Tell
    ) -> None:
        from drawwell.codec import Codec  # numpy takes time to load, and most runs have no model

        self._changes = changes
        self._embedder = how.embedder
        self._report = report
        self._tell = tell
        self._name = identity.name
        self._codec = Codec(dimension=identity.dimension)
        self.model_id = self._take_place(identity, anew=how.anew)

    def _take_place(self, identity: ModelIdentity, *, anew: bool) -> int:
        """The model's number, after noting that its vectors are being made."""
        connection = self._changes.connection
        answering, model_id = answering_model(connection), model_row(connection, identity)
        if anew and model_id is not None and model_id == answering:
            with self._changes.change() as connection:  # the same one: what it made may be damaged
                forget_vectors(connection, model_id)
                set_answering(connection, model_id, identity.name)  # and no other one is to take its place any more
                _forget_others(connection, model_id)
        if model_id is not None and model_id in (answering, coming_model(connection)):
            return model_id
        if answering is not None and not anew:
            held = model_with_id(connection, answering)
            raise ConfigurationError(_other(held, identity), "Embed with that one, or have all made anew: --re-embed")
        with self._changes.change() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO drawwell_models (provider, name, revision, dimension, prompts)"
                " VALUES (?, ?, ?, ?, ?)",
                astuple(identity),
            )
            if model_id is None:
                model_id = model_row(connection, identity) or 0
                forget_vectors(connection, model_id)  # of a row that is gone, whose number comes again
            if answering is None:
                set_answering(connection, model_id, identity.name)
            else:
                set_coming(connection, model_id)
        return model_id

    def embed(self) -> None:
        """Go through the sections until none lacks a vector: documents may change meanwhile."""
        while self._pass():
            pass
        if answering_model(self._changes.connection) != self.model_id:
            self._switch()
        self._forget_spare()

    def _pass(self) -> bool:
        """Go through the sections once; whether any lacked a vector."""
        after, some = (0, -1), False
        connection = self._changes.connection
        held, lacking = sections_embedded(connection, self.model_id)
        while batch := sections_without(connection, self.model_id, after, _BATCH):
            self._tell(held, held + lacking)
            self._take(batch)
            held, lacking = held + len(batch), lacking - len(batch)
            after, some = (batch[-1].doc_id, batch[-1].ordinal), True
        return some

    def _take(self, batch: Sequence[Unembedded]) -> None:
        """Embed what has no vector under its hash, and commit the batch."""
        hashes = [passage_hash(one.heading_path, one.text) for one in batch]
        known = self._known(hashes)
        new = {hash_: one for hash_, one in zip(hashes, batch, strict=True) if hash_ not in known}
        vectors: dict[bytes, Vectors] = {}
        if new:
            passages = [Passage(one.heading_path, one.text) for one in new.values()]
            found = self._embedder.embed_documents(passages)
            self._report.tokens += found.tokens
            vectors = _by_owner(list(new), found.vectors, found.owners)
        with self._changes.change() as connection:
            self._write(connection, vectors)
            ids = self._known(hashes)
            for one, hash_ in zip(batch, hashes, strict=True):
                self._link(connection, one, ids[hash_])
        self._report.embedded += len(new)
        self._report.cached += len(batch) - len(new)

    def _known(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The vectors that there are for some hashes."""
        marks = ",".join("?" * len(hashes))
        sql = f"SELECT hash, vector_id FROM drawwell_vectors WHERE model_id = ? AND hash IN ({marks})"
        return {bytes(row[0]): int(row[1]) for row in self._changes.connection.execute(sql, (self.model_id, *hashes))}

    def _write(self, connection: sqlite3.Connection, vectors: dict[bytes, Vectors]) -> None:
        connection.executemany(
            "INSERT OR IGNORE INTO drawwell_vectors (model_id, hash, codes, exact) VALUES (?, ?, ?, ?)",
            [
                (self.model_id, hash_, self._codec.encode(rows), rows.astype("<f2").tobytes())
                for hash_, rows in vectors.items()
            ],
        )

    def _link(self, connection: sqlite3.Connection, one: Unembedded, vector_id: int) -> None:
        """Give a section its vector, unless the document has changed meanwhile."""
        linked = connection.execute(
            "INSERT OR IGNORE INTO drawwell_embedded (model_id, doc_id, generation, ordinal, vector_id)"
            " SELECT ?, doc_id, generation, ?, ? FROM drawwell_documents WHERE doc_id = ? AND generation = ?",
            (self.model_id, one.ordinal, vector_id, one.doc_id, one.generation),
        ).rowcount
        if linked and answering_model(connection) == self.model_id:
            self._copy(connection, one.doc_id, one.ordinal, vector_id)

    def _copy(self, connection: sqlite3.Connection, doc_id: int, ordinal: int, vector_id: int) -> None:
        """The vector where other readers of the format look: one of length 1 for the section, float32."""
        exact = connection.execute("SELECT exact FROM drawwell_vectors WHERE vector_id = ?", (vector_id,)).fetchone()
        vector = _mean(exact[0], self._codec.dimension)
        connection.execute(
            "INSERT OR REPLACE INTO embeddings SELECT id, ?, ?, ? FROM sections WHERE doc_id = ? AND ordinal = ?",
            (self._name, self._codec.dimension, vector, doc_id, ordinal),
        )

    def _switch(self) -> None:
        """Let these vectors answer, all at once, and drop the others."""
        with self._changes.change() as connection:
            if sections_embedded(connection, self.model_id)[1]:
                return  # a document came in between: the next run, which is asked for by what changed, goes on
            set_answering(connection, self.model_id, self._name)
            connection.execute("DELETE FROM embeddings")
            sql = "SELECT doc_id, ordinal, vector_id FROM drawwell_embedded WHERE model_id = ?"
            for row in connection.execute(sql, (self.model_id,)).fetchall():
                self._copy(connection, *row)
            _forget_others(connection, self.model_id)

    def _forget_spare(self) -> None:
        """Keep no more vectors of texts that are gone than of those that are there, or than a fixed number."""
        connection = self._changes.connection
        sql = (
            "SELECT vector_id FROM drawwell_vectors WHERE vector_id NOT IN (SELECT vector_id FROM drawwell_embedded)"
            " ORDER BY vector_id DESC LIMIT -1 OFFSET ?"
        )
        held = sections_embedded(connection, self.model_id)[0]
        gone = connection.execute(sql, (max(held, _SPARE),)).fetchall()
        if gone:
            with self._changes.change() as connection:
                connection.executemany("DELETE FROM drawwell_vectors WHERE vector_id = ?", map(tuple, gone))


def _forget_others(connection: sqlite3.Connection, model_id: int) -> None:
    """Drop all models but one, with their vectors."""
    for (other,) in connection.execute("SELECT model_id FROM drawwell_models").fetchall():
        if other != model_id:
            forget_vectors(connection, other)
            connection.execute("DELETE FROM drawwell_models WHERE model_id = ?", (other,))


def _by_owner(hashes: Sequence[bytes], vectors: Vectors, owners: Sequence[int]) -> dict[bytes, Vectors]:
    """The rows of each passage."""
    found: dict[bytes, list[int]] = {}
    for row, owner in enumerate(owners):
        found.setdefault(hashes[owner], []).append(row)
    return {hash_: vectors[rows] for hash_, rows in found.items()}


def _mean(exact: bytes, dimension: int) -> bytes:
    """One vector of length 1 for the pieces of a section, float32, little-endian."""
    import numpy as np

    mean = np.frombuffer(exact, "<f2").reshape(-1, dimension).astype(np.float32).mean(axis=0)
    return bytes((mean / max(float(np.linalg.norm(mean)), 1e-12)).astype("<f4").tobytes())


def _other(held: ModelIdentity | None, wanted: ModelIdentity) -> str:
    """That the vectors are of another model, and in what it differs."""
    if held is None or held.name != wanted.name:
        return f"the store's vectors are of {held.name if held else 'another model'}, not of {wanted.name}"
    return f"the store's vectors are of another state of {held.name} (its revision, dimension or prompts differ)"
