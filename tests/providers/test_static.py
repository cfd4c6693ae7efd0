"""Embeddings from a table of tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder, Passage, Prompts
from drawwell.providers.embedding import static as provider
from drawwell.providers.options import ProviderOptions
from tests.providers.tiny import DIMENSION, WORDS, static, table

SHIP, RED, CAT = (WORDS.index(word) for word in ("ship", "red", "cat"))


def _made(folder: Path, **options: object) -> Embedder:
    return provider.make(str(folder), ProviderOptions(prompts=Prompts(), **options))  # type: ignore[arg-type]


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_a_vector_is_the_mean_of_the_tokens(tmp_path: Path) -> None:
    """Unknown words are left out; a word that comes twice counts twice; the title counts too."""
    model = _made(static(tmp_path))
    expected = _unit((2 * table()[SHIP] + table()[RED]) / 3)
    assert np.allclose(model.embed_query("ship unheard red ship of"), expected, atol=1e-6)
    found = model.embed_documents([Passage("ship", "ship red"), Passage("", "cat")])
    assert np.allclose(found.vectors, [expected, _unit(table()[CAT])], atol=1e-6)
    assert (found.owners, found.tokens) == ((0, 1), 4)
    assert found.vectors.dtype == np.float32
    model.close()


def test_special_tokens_do_not_count(tmp_path: Path) -> None:
    """What the tokenizer would put around a text has no part in it."""
    assert np.allclose(_made(static(tmp_path, special=True)).embed_query("ship"), _unit(table()[SHIP]), atol=1e-6)


def test_weights_and_mapping(tmp_path: Path) -> None:
    """Several tokens may share a row of the table, and each token has a weight of its own."""
    mapping = np.arange(len(WORDS), dtype=np.int64) // 2
    weights = np.linspace(0.5, 2, len(WORDS), dtype=np.float32)
    folder = static(tmp_path, embeddings=table(8), mapping=mapping, weights=weights)
    rows = table(8)
    expected = weights[SHIP] * rows[SHIP // 2] + weights[RED] * rows[RED // 2] + weights[CAT] * rows[CAT // 2]
    assert np.allclose(_made(folder).embed_query("ship red cat"), _unit(expected), atol=1e-6)


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int8])
def test_other_kinds_of_numbers(tmp_path: Path, kind: type) -> None:
    """Tables of half as long numbers, or of whole ones, give the same but for rounding."""
    rows = table() if kind is not np.int8 else table() * 30
    assert np.allclose(
        _made(static(tmp_path, embeddings=rows.astype(kind))).embed_query("ship red"),
        _unit(table()[SHIP] + table()[RED]),
        atol=0.03,
    )


@pytest.mark.parametrize("text", ["", "  \n", "unheard of", "😀", "\ud83d", "x" * 100_000])
def test_a_text_without_known_tokens_has_a_vector(tmp_path: Path, text: str) -> None:
    """The same vector of length 1 for all such texts, alike in every place."""
    model = _made(static(tmp_path))
    alike = np.full(DIMENSION, DIMENSION**-0.5)
    assert np.allclose(model.embed_query(text), alike)
    assert np.allclose(model.embed_documents([Passage("", text)]).vectors, alike[None])


def test_a_table_shorter_than_the_vocabulary(tmp_path: Path) -> None:
    """A token beyond the table is left out."""
    model = _made(static(tmp_path, embeddings=table()[: SHIP + 1]))
    assert np.allclose(model.embed_query("ship red"), _unit(table()[SHIP]), atol=1e-6)


def test_pieces_only_where_a_window_is_configured(tmp_path: Path) -> None:
    """Without a window a megabyte is one vector; with one the end of it has its own."""
    text = "cat " * 250_000 + "ship red"
    assert len(_made(static(tmp_path)).embed_documents([Passage("", text)]).owners) == 1
    model = _made(tmp_path, window_tokens=1000)
    found = model.embed_documents([Passage("", text)])
    assert len(found.owners) > 200
    assert int((found.vectors @ model.embed_query("ship red")).argmax()) == len(found.owners) - 1


def test_nothing_is_nothing(tmp_path: Path) -> None:
    """No passages, no vectors, in the right shape."""
    assert _made(static(tmp_path)).embed_documents([]).vectors.shape == (0, DIMENSION)


def test_identity_and_dimension(tmp_path: Path) -> None:
    """Identity says which table; another dimension than the table's is refused."""
    identity = _made(static(tmp_path)).identity()
    assert (identity.name, identity.dimension) == (f"static:{tmp_path}", DIMENSION)
    with pytest.raises(ConfigurationError, match="gives vectors of 6 numbers, and 64 are asked for"):
        _made(tmp_path, dimension=64)
    static(tmp_path, embeddings=-table())
    assert _made(tmp_path).identity().revision != identity.revision


@pytest.mark.parametrize("how", ["gone", "rubbish", "other tensors", "no tokenizer"])
def test_a_damaged_folder_is_refused(tmp_path: Path, how: str) -> None:
    """What is missing or damaged is named."""
    place = static(tmp_path) / "model.safetensors"
    if how == "gone":
        place.unlink()
    elif how == "rubbish":
        place.write_bytes(b"rubbish")
    elif how == "other tensors":
        save_file({"weight": table()}, str(place))
    else:
        (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(
        ConfigurationError, match=r"tokenizer\.json" if how == "no tokenizer" else r"model\.safetensors"
    ):
        _made(tmp_path)
