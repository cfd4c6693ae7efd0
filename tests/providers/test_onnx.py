"""Embeddings by ONNX Runtime: a real model, and tiny ones whose right answer is known."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder, Passage, Prompts
from drawwell.providers.embedding import onnx
from drawwell.providers.embedding.onnx import OnnxEmbedder
from drawwell.providers.onnx_session import Row
from drawwell.providers.options import ProviderOptions
from tests.providers.tiny import DIMENSION, WORDS, encoder, table


@pytest.fixture(scope="module")
def model(minilm: Path) -> Embedder:
    """The real model, on two threads."""
    return onnx.make(str(minilm), ProviderOptions(threads=2))


def _tiny(folder: Path, **options: object) -> Embedder:
    return onnx.make(str(folder), ProviderOptions(threads=1, **options))  # type: ignore[arg-type]


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


PAIRS = [
    ("How do I get my money back?", "A refund is paid within thirty days of the purchase."),
    ("A cat is sitting on the rug.", "The kitten lies on the carpet."),
    ("The ship leaves the harbour at dawn.", "A vessel sails from port early in the morning."),
    ("He fixed the bug in the parser.", "The defect in the syntax analyser was repaired."),
]


def test_sentences_of_like_meaning_are_near(model: Embedder) -> None:
    """Each sentence is nearest to the one that says the same in other words, in the order that was given."""
    found = model.embed_documents([Passage("", second) for _, second in PAIRS])
    assert found.owners == (0, 1, 2, 3)
    assert found.tokens > 30
    queries = np.stack([model.embed_query(first) for first, _ in PAIRS])
    likeness = queries @ found.vectors.T
    assert likeness.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert likeness.diagonal().min() > 0.4
    assert (likeness - np.diag(likeness.diagonal())).max() < 0.3
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    assert found.vectors.dtype == np.float32


def test_the_end_of_a_megabyte_is_found(minilm: Path) -> None:
    """A needle at the end of 1 MB is nearest to its query: nothing is cut off."""
    model = onnx.make(str(minilm), ProviderOptions(threads=1, window_tokens=512))
    filler = f"{'q1w2e3r4' * 16} " * 7_752  # a word too long for the model is one token, which makes this quick
    needle = "The password of the harbour master is ultramarine."
    found = model.embed_documents([Passage("", filler[:1_000_000] + needle), Passage("", "Something else.")])
    assert found.owners[-1] == 1
    assert found.owners.count(0) > 100
    scores = found.vectors @ model.embed_query("what is the harbour master's password")
    assert int(scores.argmax()) == len(scores) - 2
    assert scores.max() > 0.5


def test_a_vector_does_not_depend_on_its_neighbours(model: Embedder) -> None:
    """Alone or among others, in whatever order, a text has the very same vector."""
    texts = [" ".join(["word", "harbour", "blue"][: 1 + number % 3] * (number + 1)) for number in range(7)]
    passages = [Passage("", text) for text in texts]
    together = model.embed_documents(passages).vectors
    backwards = model.embed_documents(passages[::-1]).vectors[::-1]
    alone = np.concatenate([model.embed_documents([passage]).vectors for passage in passages])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


@pytest.mark.parametrize(
    "text", ["", " \n\t ", "😀😀", "ⵣⵓⵔ ꙮ", "\x00\x07", "half \ud83d pair", "a" * 100_000, "漢" * 1_500]
)
def test_odd_texts_have_vectors(model: Embedder, text: str) -> None:
    """Whatever a text is, it has a vector of length 1, as a passage and as a query."""
    found = model.embed_documents([Passage("", text), Passage(text[:50], "x")])
    assert set(found.owners) == {0, 1}
    for vectors in (found.vectors, model.embed_query(text)[None]):
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_is_nothing(model: Embedder) -> None:
    """No passages, no vectors, in the right shape."""
    found = model.embed_documents([])
    assert (found.vectors.shape, found.owners, found.tokens) == ((0, 384), (), 0)


def test_threads_do_not_disturb_each_other(model: Embedder) -> None:
    """Many threads at once get what one gets."""
    queries = [f"question {number} about harbours" for number in range(12)]
    alone = [model.embed_query(query) for query in queries]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(model.embed_query, queries))
    assert np.allclose(np.stack(alone), np.stack(together), atol=1e-5)


def test_identity_names_the_state(model: Embedder, minilm: Path) -> None:
    """Provider, model, revision, dimension and prompts; the same each time."""
    identity = model.identity()
    assert identity == onnx.make(str(minilm), ProviderOptions(threads=1)).identity()
    assert (identity.provider, identity.dimension, len(identity.revision)) == ("onnx", 384, 12)
    assert identity.name == model.name == f"onnx:{minilm}"


def test_a_wrong_dimension_is_refused(tmp_path: Path) -> None:
    """Vectors are never cut or filled up to another dimension."""
    encoder(tmp_path)
    with pytest.raises(ConfigurationError, match=r"gives vectors of 6 numbers, and 5 are asked for"):
        _tiny(tmp_path, dimension=5)
    assert _tiny(tmp_path, dimension=6).identity().dimension == DIMENSION


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("how", ["gone", "cut", "rubbish"])
def test_a_damaged_folder_says_what_to_do(tmp_path: Path, file: str, how: str) -> None:
    """A file that is missing or damaged is named, and how to look at the model."""
    path = encoder(tmp_path) / file
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] if how == "cut" else b"\xff\x00 rubbish")
    if how == "gone":
        path.unlink()
    with pytest.raises(ConfigurationError, match=file) as raised:
        _tiny(tmp_path)
    assert "drawwell models verify" in raised.value.suggestion


def _expected(pooling: str) -> np.ndarray:
    rows = table()[[2, WORDS.index("ship"), WORDS.index("red"), 3]]
    return _unit({"cls_token": rows[0], "mean_tokens": rows.mean(axis=0), "max_tokens": rows.max(axis=0)}[pooling])


@pytest.mark.parametrize("pooling", ["cls_token", "mean_tokens", "max_tokens"])
def test_pooling_is_as_the_folder_says(tmp_path: Path, pooling: str) -> None:
    """First token, mean or maximum; padding beside a longer text changes nothing."""
    encoder(tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    flags = {f"pooling_mode_{name}": name == pooling for name in ("cls_token", "mean_tokens", "max_tokens")}
    (tmp_path / "1_Pooling/config.json").write_text(json.dumps({**flags, "include_prompt": True}))
    found = _tiny(tmp_path).embed_documents([Passage("", "ship red"), Passage("", "cat mat blue red refund paid")])
    assert np.allclose(found.vectors[0], _expected(pooling), atol=1e-5)


def test_pooling_that_is_not_said(tmp_path: Path) -> None:
    """The mean, but for models that are known to be pooled by the first token; an unknown one is refused."""
    plain, first = encoder(tmp_path / "plain"), encoder(tmp_path / "bge-tiny")
    assert np.allclose(_tiny(plain).embed_query("ship red"), _expected("mean_tokens"), atol=1e-5)
    options = ProviderOptions(models=tmp_path, prompts=Prompts(), threads=1)
    assert np.allclose(onnx.make("bge-tiny", options).embed_query("ship red"), _expected("cls_token"), atol=1e-5)
    (first / "1_Pooling").mkdir()
    (first / "1_Pooling/config.json").write_text('{"pooling_mode_lasttoken": true}')
    with pytest.raises(ConfigurationError, match="its pooling is lasttoken"):
        _tiny(first)


def test_a_model_that_pools_itself(tmp_path: Path) -> None:
    """One vector for each text is taken as it comes, in length 1."""
    assert np.allclose(_tiny(encoder(tmp_path, flat=True)).embed_query("ship red"), _expected("mean_tokens"), atol=1e-5)


def test_a_model_that_asks_for_more_is_refused(tmp_path: Path) -> None:
    """An input that is no text is not made up."""
    with pytest.raises(ConfigurationError, match="asks for 'pixel_values'"):
        _tiny(encoder(tmp_path, extra="pixel_values"))


def test_a_text_without_tokens_has_a_vector(tmp_path: Path) -> None:
    """Even where the tokenizer adds none of its own."""
    model = _tiny(encoder(tmp_path, special=False))
    assert np.isclose(np.linalg.norm(model.embed_query("")), 1, atol=1e-5)


def test_prompts_of_the_folder_are_used(tmp_path: Path) -> None:
    """What the folder says stands in front of query and document, unless the user says otherwise."""
    encoder(tmp_path)
    prompts = {"prompts": {"query": "red ", "document": "blue "}}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    bare = _tiny(tmp_path, prompts=Prompts(document="{text}"))
    model = _tiny(tmp_path)
    assert np.allclose(model.embed_query("ship"), bare.embed_query("red ship"))
    given = model.embed_documents([Passage("cat", "mat")]).vectors[0]
    assert np.allclose(given, bare.embed_query("blue cat mat"))
    assert model.identity().prompts != bare.identity().prompts


def test_pieces_fit_the_window(tmp_path: Path) -> None:
    """A text of many windows has a vector for each; the words of all of them are read."""
    model = _tiny(encoder(tmp_path), window_tokens=12, prompts=Prompts(document="{text}"))
    words = ["ship", "red"] * 20 + ["refund"]
    found = model.embed_documents([Passage("", " ".join(words))])
    pieces = len(found.owners)
    assert pieces >= 5
    assert found.tokens == len(words) + 2 * pieces


def test_a_window_larger_than_the_model_reads_is_refused(minilm: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """When it is loaded, not in the middle of a run; once, by us. A larger one that it does read is taken."""
    read = onnx.make(str(minilm), ProviderOptions(threads=1, window_tokens=512))
    assert len(read.embed_documents([Passage("", "cat " * 480)]).owners) == 1
    with pytest.raises(ConfigurationError, match=r"embed_window: .* does not read 600 tokens") as raised:
        onnx.make(str(minilm), ProviderOptions(threads=1, window_tokens=600))
    assert "without it 256 are read" in raised.value.suggestion
    assert capfd.readouterr() == ("", "")


def test_a_tokenizer_that_fails_only_in_use_is_found_out(tmp_path: Path) -> None:
    """A vocabulary without the token for the unknown is read without complaint, and fails at the first odd word."""
    folder = encoder(tmp_path)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.model = WordPiece({"a": 0}, unk_token="[UNK]")
    tokenizer.save(str(folder / "tokenizer.json"))
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be read"):
        _tiny(folder)


def test_tokens_of_a_joined_text_are_no_sum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where title and text have more tokens together than apart, a piece is halved until all of it is read."""
    folder = encoder(tmp_path)
    names = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d", "ab", "cd", "bc")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    merges = [("b", "c"), ("a", "b"), ("c", "d")]
    tokenizer.model = BPE({name: number for number, name in enumerate(names)}, merges, unk_token="[UNK]")
    tokenizer.save(str(folder / "tokenizer.json"))
    model = _tiny(folder, window_tokens=12, prompts=Prompts(document="{title}{text}"))
    rows: list[Row] = []
    read = OnnxEmbedder._read
    monkeypatch.setattr(OnnxEmbedder, "_read", lambda self, row: (rows.append(row), read(self, row))[1])
    model.embed_documents([Passage("ab", "cd" * 60)])
    assert len(rows) > 6
    assert max(row.whole for row in rows) <= 12
    assert sum(row.tokens.count(5 + 2) + row.tokens.count(9) for row in rows) == 60  # each d, alone or in cd


def test_another_place_of_the_model(tmp_path: Path) -> None:
    """The model may be in the folder ``onnx``; one of eight bits goes first."""
    encoder(tmp_path)
    (tmp_path / "onnx").mkdir()
    shutil.move(tmp_path / "model.onnx", tmp_path / "onnx/model_quantized.onnx")
    (tmp_path / "onnx/model.onnx").write_bytes(b"not looked at")
    assert _tiny(tmp_path).identity().dimension == DIMENSION
