"""Reranking by ONNX Runtime, with tiny cross-encoders whose right answer is known."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.protocols import Reranker
from drawwell.providers.options import ProviderOptions
from drawwell.providers.reranking import onnx
from tests.providers.tiny import WORDS, cross_encoder, encoder

WEIGHTS = [[0.0] for _ in range(4)] + [[float(2**number)] for number in range(len(WORDS) - 4)]
"""Of refund 1, of paid 2, of ship 4, and so on; special tokens have none."""


def _made(folder: Path) -> Reranker:
    return onnx.make(str(folder), ProviderOptions(threads=1))


def test_scores_are_of_the_passages_in_their_order(tmp_path: Path) -> None:
    """The query's tokens are told from the passage's; each passage has its own score, whatever its length."""
    judge = _made(cross_encoder(tmp_path, WEIGHTS))
    passages = [
        "refund",
        "ship paid refund",
        "",
        "paid " * 9,
        "ship",
        "unheard of",
        "refund paid",
        "paid",
        "ship paid",
        "x",
    ]
    assert judge.scores("blue red harbour", passages) == [1, 7, 0, 18, 4, 0, 3, 2, 6, 0]
    assert judge.scores("anything", []) == []
    assert judge.name == f"onnx:{tmp_path}"
    judge.close()


def test_of_two_labels_the_second_counts(tmp_path: Path) -> None:
    """ "Relevant" is the last label."""
    assert _made(cross_encoder(tmp_path, [[-9.0, row[0]] for row in WEIGHTS])).scores("x", ["ship refund"]) == [5]


@pytest.mark.parametrize("longest", [0, 16])
def test_long_texts_are_cut_to_the_window(tmp_path: Path, longest: int) -> None:
    """A query takes at most half of the window, the passage the rest, the special tokens stay; nothing crashes."""
    judge = _made(cross_encoder(tmp_path, WEIGHTS, longest=longest))
    window = longest or 512
    assert judge.scores("blue", ["refund " * 100_000]) == [window - 4]
    assert judge.scores("blue " * 100_000, ["refund " * 100_000, "paid"]) == [window - window // 2 - 3, 2]
    assert judge.scores("half \ud83d pair", ["half \udc00 paid"]) == [2]


def test_a_deadline_is_kept(tmp_path: Path) -> None:
    """When the time is over it says so, and gives no half of the scores."""
    judge = _made(cross_encoder(tmp_path, WEIGHTS))
    with pytest.raises(DependencyError, match="no answer within 0 seconds"):
        judge.scores("x", ["refund"], seconds=0)
    assert judge.scores("x", ["refund"], seconds=60) == [1]


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Many threads at once get their own scores."""
    judge = _made(cross_encoder(tmp_path, WEIGHTS))
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda count: judge.scores("x", ["refund " * count])[0], range(40)))
    assert found == list(range(40))


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    """An embedding model, or a classifier of three labels, is no reranker."""
    with pytest.raises(ConfigurationError, match="is no cross-encoder"):
        _made(encoder(tmp_path / "encoder"))
    with pytest.raises(ConfigurationError, match="is no cross-encoder: it gives 3 numbers"):
        _made(cross_encoder(tmp_path / "three", [[0.0, 0.0, 0.0] for _ in WORDS]))


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_damaged_folder_says_what_to_do(tmp_path: Path, file: str) -> None:
    """A damaged file is named."""
    (cross_encoder(tmp_path, WEIGHTS) / file).write_bytes(b"rubbish")
    with pytest.raises(ConfigurationError, match=file) as raised:
        _made(tmp_path)
    assert "drawwell models verify" in raised.value.suggestion
