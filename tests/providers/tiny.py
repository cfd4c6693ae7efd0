"""Small models made by the tests: a vocabulary of words, a table of vectors, and what is made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

__all__ = ["DIMENSION", "WORDS", "cross_encoder", "encoder", "save_tokenizer", "static", "table"]

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = (*SPECIAL, "refund", "paid", "ship", "harbour", "cat", "mat", "blue", "red")
DIMENSION = 6


def table(rows: int = len(WORDS), columns: int = DIMENSION) -> NDArray[np.float32]:
    """Numbers that are the same every time."""
    return np.random.default_rng(7).standard_normal((rows, columns)).astype(np.float32)


def save_tokenizer(folder: Path, *, special: bool = True, longest: int = 0) -> Path:
    """A folder with a tokenizer that knows ``WORDS``, and puts special tokens around texts and pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    if special:
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    if longest:
        tokenizer.enable_truncation(longest)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def encoder(folder: Path, *, flat: bool = False, special: bool = True, extra: str = "") -> Path:
    """A folder with a model whose tokens have the vectors of ``table``.

    ``flat`` makes it give one vector for each text, their mean; ``extra`` is another input that it asks for.
    """
    save_tokenizer(folder, special=special)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    constants = {"table": table()}
    if flat:
        nodes.append(helper.make_node("ReduceMean", ["tokens", "axes"], ["out"], keepdims=0))
        constants["axes"] = np.array([1], np.int64)
    else:
        nodes.append(helper.make_node("Identity", ["tokens"], ["out"]))
    _save(folder, nodes, constants, (["b", DIMENSION] if flat else ["b", "t", DIMENSION], extra))
    return folder


def cross_encoder(folder: Path, weights: Sequence[Sequence[float]], *, longest: int = 0) -> Path:
    """A folder with a model that adds up the weights, one row for each of ``WORDS``, of a passage's tokens."""
    save_tokenizer(folder, longest=longest)
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["wide"]),
        helper.make_node("Mul", ["each", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axes"], ["out"], keepdims=0),
    ]
    constants = {
        "weights": np.array(weights, np.float32),
        "last": np.array([2], np.int64),
        "axes": np.array([1], np.int64),
    }
    _save(folder, nodes, constants, (["b", len(weights[0])], ""))
    config = {"architectures": ["BertForSequenceClassification"]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def static(folder: Path, *, special: bool = False, **tensors: NDArray[np.generic]) -> Path:
    """A folder with a table of token vectors, ``embeddings`` unless ``tensors`` has others."""
    save_tokenizer(folder, special=special)
    save_file({"embeddings": table(), **tensors}, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec"}), encoding="utf-8")
    return folder


def _save(
    folder: Path,
    nodes: list[onnx.NodeProto],
    constants: dict[str, NDArray[np.generic]],
    shape: tuple[list[str | int], str],
) -> None:
    names = ["input_ids", "attention_mask", "token_type_ids", *([shape[1]] if shape[1] else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"]) for name in names]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, shape[0])
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(folder / "model.onnx"))
