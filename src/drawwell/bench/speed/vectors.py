"""Nearest vectors: drawwell's codes beside float32 vectors in NumPy, and FAISS and usearch where they are installed.

The vectors are made: clusters, whose directions have the uneven weights that those of text models have. Sections are
taken to have one vector each, documents ten sections.
"""

from __future__ import annotations

import importlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawwell.bench.speed.ingesting import DRAWWELL_TOOL
from drawwell.bench.speed.race import Contender, Measured, Row, Unavailable, Where, race
from drawwell.codec import Codec
from drawwell.retrieval.dense import VectorTable
from drawwell.retrieval.keys import key_of, place_of

__all__ = ["FLOAT_TOOL", "NEAREST", "NEAREST_OF_SOME", "vector_rows"]

NEAREST = "among all"
NEAREST_OF_SOME = "among 2 % of the documents"
FLOAT_TOOL = "NumPy, float32"
_DIMENSION = 384
_WANTED = 10
_SECTIONS = 10
"""Of a document."""
_SOME = 50
"""One document of so many is looked in, where only some are."""

_PAUSE_S = 0.04
"""Before each query: the threads of whoever came before keep a core busy for a while, waiting for more work."""

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
Find = Callable[["_Asked"], Sequence[int]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query.

    Attributes:
        vector: its vector.
        rows: where to look; None for everywhere.
        nearest: what is there to be found.
    """

    vector: Floats
    rows: Rows | None
    nearest: frozenset[int]


def vector_rows(home: Path, count: int, queries: int, *, peers: bool) -> list[Row]:
    """Look for the ten nearest of many vectors.

    Args:
        home: a folder to write to.
        count: how many vectors there are.
        queries: how many queries are asked.
        peers: whether FAISS and usearch take part.
    """
    vectors, asked = _make(count, queries)
    with closing(_exact_vectors(home / "vectors.sqlite", vectors)) as connection:
        ours = _drawwell(vectors, connection)
        floats = Contender(FLOAT_TOOL, partial(_measure, partial(_scan, vectors)), vector_bytes=4.0 * _DIMENSION)
        others = [*_faiss(vectors), _usearch(vectors)] if peers else []
        rows = race(Where("vectors", NEAREST, count), [ours, floats, *others], _asked(vectors, asked, None), warm=True)
        some = np.flatnonzero(np.arange(count) // _SECTIONS % _SOME == 0)
        where = Where("vectors", NEAREST_OF_SOME, count)
        return rows + race(where, [ours, floats], _asked(vectors, asked, some), warm=True)


def _make(count: int, queries: int) -> tuple[Floats, Floats]:
    """Vectors and queries of length 1."""
    random = np.random.default_rng(20_250_428)
    weights = np.arange(1, _DIMENSION + 1, dtype=np.float32) ** np.float32(-0.6)
    turn = np.linalg.qr(random.standard_normal((_DIMENSION, _DIMENSION)))[0].astype(np.float32)
    centres = random.standard_normal((max(1, count // 250), _DIMENSION), dtype=np.float32)

    def some(size: int) -> Floats:
        spread = random.standard_normal((size, _DIMENSION), dtype=np.float32)
        found = (centres[random.integers(0, len(centres), size)] + np.float32(0.7) * spread) * weights @ turn
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)

    return some(count), some(queries)


def _asked(vectors: Floats, queries: Floats, rows: Rows | None) -> Iterator[_Asked]:
    for query in queries:
        yield _Asked(query, rows, frozenset(_scan(vectors, _Asked(query, rows, frozenset()))))


def _scan(vectors: Floats, asked: _Asked) -> list[int]:
    """Every vector, at full length."""
    scores = (vectors if asked.rows is None else vectors[asked.rows]) @ asked.vector
    best = np.argpartition(-scores, _WANTED)[:_WANTED] if len(scores) > _WANTED else np.arange(len(scores))
    return list(map(int, best if asked.rows is None else asked.rows[best]))


def _measure(find: Find, asked: _Asked) -> Measured:
    time.sleep(_PAUSE_S)
    start = time.perf_counter()
    found = find(asked)
    ms = (time.perf_counter() - start) * 1000
    return Measured(ms, recall=len(asked.nearest.intersection(found)) / len(asked.nearest))


def _key(row: int) -> int:
    return key_of(row // _SECTIONS, row % _SECTIONS)


def _exact_vectors(place: Path, vectors: Floats) -> sqlite3.Connection:
    """The vectors as a store keeps them for scoring the best once more."""
    connection = sqlite3.connect(place)
    connection.execute("CREATE TABLE exact (key INTEGER PRIMARY KEY, vectors BLOB NOT NULL)")
    halves = vectors.astype("<f2")
    with connection:
        connection.executemany(
            "INSERT INTO exact VALUES (?, ?)", ((_key(row), half.tobytes()) for row, half in enumerate(halves))
        )
    return connection


def _drawwell(vectors: Floats, connection: sqlite3.Connection) -> Contender[_Asked]:
    codec = Codec(dimension=_DIMENSION)
    table = VectorTable.empty().extended(
        (_key(row), codec.encode(vectors[row : row + 1])) for row in range(len(vectors))
    )

    def exact(keys: Sequence[int]) -> dict[int, bytes]:
        sql = "SELECT key, vectors FROM exact WHERE key IN (SELECT value FROM json_each(?))"
        return dict(connection.execute(sql, (json.dumps(keys),)))

    def find(asked: _Asked) -> list[int]:
        documents = None if asked.rows is None else list(dict.fromkeys((asked.rows // _SECTIONS).tolist()))
        places = (place_of(key) for _, key in table.top(asked.vector, _WANTED, documents, exact))
        return [document * _SECTIONS + section for document, section in places]

    return Contender(DRAWWELL_TOOL, partial(_measure, find), vector_bytes=table.nbytes / len(vectors))


def _faiss(vectors: Floats) -> Iterator[Contender[_Asked]]:
    """Every vector at full length; and four bits a coordinate, the best scored once more by float16."""
    for tool, form in (("FAISS, float32", "Flat"), ("FAISS, 4 bits, rescored by float16", "SQ4,Refine(SQfp16)")):
        if find_spec("faiss") is None:
            yield Contender(tool, _impossible, missing="not installed: pip install faiss-cpu")
            continue
        faiss: Any = importlib.import_module("faiss")  # optional, and nobody else needs it
        index = faiss.index_factory(_DIMENSION, form, faiss.METRIC_INNER_PRODUCT)
        if form != "Flat":
            index.k_factor = 6.4  # 64 are scored once more, as ours
        index.train(vectors)
        index.add(vectors)
        yield Contender(tool, partial(_measure, partial(_ask_faiss, index)), vector_bytes=float(index.sa_code_size()))


def _ask_faiss(index: Any, asked: _Asked) -> list[int]:
    return list(map(int, index.search(asked.vector[None, :], _WANTED)[1][0]))


def _usearch(vectors: Floats) -> Contender[_Asked]:
    """A graph of neighbours over float16."""
    tool = "usearch, graph of float16"
    if find_spec("usearch") is None:
        return Contender(tool, _impossible, missing="not installed: pip install usearch")
    package: Any = importlib.import_module("usearch.index")  # as above
    index = package.Index(ndim=_DIMENSION, metric="ip", dtype="f16")
    index.add(np.arange(len(vectors)), vectors)

    def find(asked: _Asked) -> list[int]:
        return list(map(int, index.search(asked.vector, _WANTED).keys))

    return Contender(tool, partial(_measure, find), vector_bytes=index.memory_usage / len(vectors))


def _impossible(asked: _Asked) -> Measured:
    raise Unavailable(f"cannot be asked for {len(asked.nearest)} neighbours")
