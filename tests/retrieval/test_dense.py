"""Nearest vectors by codes: the same as by all vectors exactly, whatever is filtered, added, or shared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from drawwell.codec import Codec
from drawwell.errors import StoreError
from drawwell.retrieval import dense
from drawwell.retrieval.dense import VectorTable
from drawwell.retrieval.keys import key_of

Floats = NDArray[np.float32]


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def clustered(count: int, dimension: int, seed: int = 1) -> Floats:
    """Vectors as models give them: some directions count more than others, and many texts are about one thing."""
    random = np.random.default_rng(seed)
    spectrum = np.arange(1, dimension + 1) ** -0.6
    centres = np.random.default_rng(0).standard_normal((60, dimension)) * spectrum
    around = random.standard_normal((count, dimension)) * spectrum
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((dimension, dimension)))[0]
    return unit(((centres[random.integers(0, 60, count)] + around) @ turn).astype(np.float32))


def table_of(vectors: Mapping[int, Floats]) -> VectorTable:
    codec = Codec(dimension=next(iter(vectors.values())).shape[1])
    return VectorTable.empty().extended((key, codec.encode(rows)) for key, rows in vectors.items())


def exact_of(vectors: Mapping[int, Floats]) -> Callable[[Sequence[int]], dict[int, bytes]]:
    return lambda keys: {key: vectors[key].astype("<f2").tobytes() for key in keys if key in vectors}


def by_hand(vectors: Mapping[int, Floats], query: Floats, count: int) -> list[int]:
    best = {key: float((rows.astype("<f2").astype(np.float32) @ query).max()) for key, rows in vectors.items()}
    return sorted(best, key=lambda key: (-best[key], key))[:count]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_of_few_vectors_the_order_is_exact(seed: int, count: int, dimension: int) -> None:
    """Sections of one to three pieces, of which the best counts; equal ones by key."""
    random = np.random.default_rng(seed)
    vectors = {
        key_of(int(random.integers(1, 6)), ordinal): unit(
            random.integers(-2, 3, (int(random.integers(1, 4)), dimension)).astype(np.float32) + np.float32(0.01)
        )
        for ordinal in range(count)
    }
    query = unit(random.standard_normal(dimension).astype(np.float32))
    found = table_of(vectors).top(query, 10, None, exact_of(vectors))
    assert [key for _, key in found] == by_hand(vectors, query, 10)
    assert [score for score, _ in found] == sorted((score for score, _ in found), reverse=True)


def test_of_many_vectors_nearly_all_of_the_nearest_are_found() -> None:
    """At least 98 of 100 of the ten nearest, by signs, codes and exact copies of a few."""
    rows = clustered(20_000, 128)
    vectors = {key_of(1 + number // 50, number % 50): rows[number : number + 1] for number in range(len(rows))}
    codec = Codec(dimension=128)
    table = VectorTable.empty().extended((key, codec.encode(row)) for key, row in vectors.items())
    asked: list[int] = []

    def exact(keys: Sequence[int]) -> dict[int, bytes]:
        asked.append(len(keys))
        return exact_of(vectors)(keys)

    queries = clustered(40, 128, 9)
    keys = list(vectors)
    hits = 0
    for query in queries:
        gold = {keys[place] for place in np.argsort(-(rows @ query), kind="stable")[:10]}
        hits += len(gold & {key for _, key in table.top(query, 10, None, exact)})
    assert hits / 400 >= 0.98
    assert max(asked) == dense._RESCORED
    assert table.nbytes / len(table) < 128 * 4 / 5


def test_a_filter_comes_before_the_ranking() -> None:
    """Of one document among many, its best section, though a thousand others are nearer."""
    rows = clustered(6000, 64)
    vectors = {key_of(1 + number // 10, number % 10): rows[number : number + 1] for number in range(len(rows))}
    table = table_of(vectors)
    query = rows[0]
    within = {key: row for key, row in vectors.items() if key >> 24 in (17, 400)}
    found = table.top(query, 5, [17, 400, 99_999], exact_of(vectors))
    assert [key for _, key in found] == by_hand(within, query, 5)
    assert table.top(query, 5, [], exact_of(vectors)) == []
    assert table.top(query, 5, [99_999], exact_of(vectors)) == []


def test_a_table_may_grow_by_parts() -> None:
    """Added in parts it is the same as at once, and the earlier tables stay as they were."""
    rows = clustered(300, 48)
    vectors = {key_of(number // 7 + 1, number % 7): rows[number : number + 1] for number in range(300)}
    whole = table_of(vectors)
    codec = Codec(dimension=48)
    grown = VectorTable.empty()
    sizes = []
    for start in range(0, 300, 90):
        part = list(vectors.items())[start : start + 90]
        sizes.append((grown, len(grown)))
        grown = grown.extended((key, codec.encode(row)) for key, row in part)
    assert all(len(table) == size for table, size in sizes)
    assert grown.extended([]).generations == grown.generations == whole.generations
    for query in clustered(5, 48, 3):
        assert grown.top(query, 10, None, exact_of(vectors)) == whole.top(query, 10, None, exact_of(vectors))


def test_an_empty_table_has_nothing() -> None:
    """And can be asked."""
    table = VectorTable.empty()
    query = np.ones(4, np.float32)
    assert (len(table), table.generations, table.nbytes) == (0, {}, 0)
    assert table.top(query, 3, None, lambda keys: {}) == []
    assert table.scores(query, [5], lambda keys: {}) == {}


def test_scores_are_exact_cosines_of_what_has_a_vector() -> None:
    """The best piece of each; a section without one is left out."""
    vectors = {key_of(1, 0): clustered(2, 32), key_of(2, 5): clustered(1, 32, 5)}
    query = unit(np.ones(32, np.float32))
    found = table_of(vectors).scores(query, [key_of(1, 0), key_of(2, 5), key_of(9, 9)], exact_of(vectors))
    assert set(found) == set(vectors)
    for key, score in found.items():
        assert score == pytest.approx(float((vectors[key] @ query).max()), abs=1e-3)


def test_equal_vectors_are_ordered_by_key() -> None:
    """However many, and in whatever order they came: those of the lowest keys, the same each time."""
    rows = np.repeat(clustered(1, 96), 9000, axis=0)
    vectors = {key_of(number + 1, 0): rows[number : number + 1] for number in range(9000)}
    shuffled = [list(vectors)[place] for place in np.random.default_rng(4).permutation(9000)]
    table = table_of({key: vectors[key] for key in shuffled})
    found = table.top(rows[0], 20, None, exact_of(vectors))
    assert [key for _, key in found] == list(vectors)[:20]


def test_a_long_section_leaves_place_for_others() -> None:
    """Its thousands of pieces are all nearer than anything else, and it is still one of the ten."""
    rows = clustered(6000, 64)
    near = unit(rows[:1] + 0.02 * clustered(5000, 64, 6))
    vectors = {key_of(1, 0): near, **{key_of(number + 2, 0): rows[number : number + 1] for number in range(1, 1000)}}
    found = table_of(vectors).top(rows[0], 10, None, exact_of(vectors))
    assert [key for _, key in found] == by_hand(vectors, rows[0], 10)
    assert found[0][1] == key_of(1, 0)


@pytest.mark.parametrize("exact", [b"", b"\0" * 63, b"\0" * 66])
def test_damaged_exact_vectors_are_an_error(exact: bytes) -> None:
    """And not a wrong neighbour."""
    table = table_of({key_of(1, 0): clustered(1, 32)})
    with pytest.raises(StoreError, match="32 numbers"):
        table.top(clustered(1, 32)[0], 3, None, lambda keys: dict.fromkeys(keys, exact))


def test_codes_of_another_kind_are_refused() -> None:
    """A table has one codec; damage is an error and not a wrong neighbour."""
    table = table_of({key_of(1, 0): clustered(1, 32)})
    with pytest.raises(StoreError, match="not of"):
        table.extended([(key_of(2, 0), Codec(dimension=32, bits=3).encode(clustered(1, 32)))])
    with pytest.raises(StoreError):
        table.extended([(key_of(2, 0), b"DWV1 damaged")])
    with pytest.raises(StoreError, match="'ip'"):
        VectorTable.empty().extended([(1, Codec(dimension=32, variant="ip").encode(clustered(1, 32)))])


def test_threads_may_ask_while_it_grows() -> None:
    """Each sees one table, whole."""
    rows = clustered(400, 32)
    vectors = {key_of(number + 1, 0): rows[number : number + 1] for number in range(400)}
    codec = Codec(dimension=32)
    held = [table_of(dict(list(vectors.items())[:1]))]
    wrong: list[str] = []

    def ask() -> None:
        for query in rows[:100]:
            table = held[0]
            found = table.top(query, 3, None, exact_of(vectors))
            if len(found) != min(3, len(table)) or any(key >> 24 > len(table) for _, key in found):
                wrong.append(f"{len(table)}: {found}")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for key, row in list(vectors.items())[1:]:
        held[0] = held[0].extended([(key, codec.encode(row))])
    for thread in threads:
        thread.join()
    assert wrong == []
