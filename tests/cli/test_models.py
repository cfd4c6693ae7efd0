"""The command ``models``."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import huggingface_hub
import pytest

from tests.cli.helpers import drawwell, drawwell_process
from tests.providers.servers.hub import COMMIT, Hub, Running
from tests.providers.test_local_reranking import WEIGHTS
from tests.providers.tiny import cross_encoder, encoder, static


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A models' folder with one model."""
    encoder(tmp_path / "tiny")
    models = tmp_path / "models"
    done = drawwell("models", "pull", "tiny", "--from", tmp_path / "tiny", "--models", models)
    assert done.code == 0, done.err
    return models


def test_pull_from_a_folder_and_use_it(tmp_path: Path) -> None:
    """The model is copied, tried and named; stderr says how to use it; quiet says nothing."""
    encoder(tmp_path / "tiny")
    done = drawwell("models", "pull", "own/tiny", "--from", tmp_path / "tiny", DRAWWELL_MODELS=str(tmp_path / "m"))
    assert (done.code, done.out.split()[:2]) == (0, ["own/tiny", "onnx"])
    assert "use it: --embed onnx:own/tiny" in done.err
    cross_encoder(tmp_path / "judge", WEIGHTS)
    done = drawwell("models", "pull", "judge", "--from", tmp_path / "judge", "--models", tmp_path / "m", "-q")
    assert (done.code, done.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "m").iterdir() if not path.name.startswith(".")) == ["judge", "own"]


def test_list(place: Path) -> None:
    """What is here on stdout, what can be pulled on stderr; as JSON both."""
    done = drawwell("models", "list", "--models", place)
    assert done.code == 0
    assert done.out.startswith("tiny  onnx  0.0 MB  ")
    assert "from a folder named tiny" in done.out
    assert "sentence-transformers/all-MiniLM-L6-v2  (embedding: " in done.err
    (place / "tiny/tokenizer.json").write_text("{")
    assert "NOT SOUND" in drawwell("models", "list", "--models", place).out
    found = json.loads(drawwell("models", "list", "--json", "--models", place).out)
    assert found["folder"] == str(place)
    entry = found["models"][0]
    assert (entry["name"], entry["kind"], entry["sound"], entry["source"]) == (
        "tiny",
        "onnx",
        False,
        "a folder named tiny",
    )
    assert set(entry["files"]) == {"model.onnx", "tokenizer.json"}
    assert entry["files"]["model.onnx"] == hashlib.sha256((place / "tiny/model.onnx").read_bytes()).hexdigest()
    assert {"name", "kind", "about"} == set(found["can_be_pulled"][0])


def test_list_without_any(home: Path) -> None:
    """No models is no failure, and makes no folder."""
    done = drawwell("models", "list")
    assert (done.code, done.out) == (0, "")
    assert "no models yet in " in done.err
    assert list(home.iterdir()) == []


def test_verify(place: Path, tmp_path: Path) -> None:
    """Sound models exit with 0; a changed file, a model that cannot be loaded and a strange folder with 1."""
    assert drawwell("models", "verify", "--models", place).out == "tiny: sound\n"
    assert drawwell("models", "verify", "tiny", "--models", place).code == 0
    model = place / "tiny/model.onnx"
    content = model.read_bytes()
    model.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    done = drawwell("models", "verify", "--models", place)
    assert (done.code, done.out) == (1, "tiny: model.onnx is not what was fetched\n")
    assert "drawwell models pull tiny --again" in done.err
    done = drawwell("models", "verify", "--json", "--models", place)
    found = {"models": [{"name": "tiny", "faults": ["model.onnx is not what was fetched"]}]}
    assert (done.code, json.loads(done.out)) == (1, found)
    done = drawwell("models", "verify", encoder(tmp_path / "bare"), "--models", place)
    assert (done.code, "there is no drawwell.json" in done.out) == (1, True)
    done = drawwell("models", "verify", "nobody", "--models", place)
    assert (done.code, "there is no model nobody on this machine" in done.err) == (78, True)
    assert drawwell("models", "verify", "--models", tmp_path / "none").code == 0


def test_refusals(tmp_path: Path) -> None:
    """Offline, a bad name, a folder without a model: exit code 78, and what to do next."""
    place = ("--models", tmp_path / "m")
    done = drawwell("models", "pull", "owner/tiny", "--offline", *place)
    assert (done.code, "--from FOLDER" in done.err) == (78, True)
    assert drawwell("models", "pull", "owner/tiny", *place, HF_HUB_OFFLINE="1").code == 78
    assert drawwell("models", "pull", "../x", *place).code == 78
    (tmp_path / "empty").mkdir()
    done = drawwell("models", "pull", "x", "--from", tmp_path / "empty", *place)
    assert (done.code, "it was not kept" in done.err) == (78, True)


def test_pull_from_a_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the hub's own client, in a process as a user has it; nothing but our lines is on stderr."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    hub = Hub({"owner/table": static(tmp_path / "table")})
    with Running(hub):
        given = {"HF_ENDPOINT": hub.url, "DRAWWELL_MODELS": str(tmp_path / "m"), "NO_PROXY": "127.0.0.1"}
        done = drawwell_process("models", "pull", "owner/table", **given)
        assert done.code == 0, done.err
        assert f"from owner/table@{COMMIT}" in done.out
        assert [line.split()[0] for line in done.err.splitlines()] == ["fetching", "trying", "use"]
        missing = drawwell_process("models", "pull", "owner/nobody", **given)
        assert (missing.code, "there is no model owner/nobody" in missing.err) == (78, True)
    away = drawwell("models", "pull", "owner/other", **given)
    assert (away.code, "nothing answers at http://127.0.0.1" in away.err) == (69, True)
    huggingface_hub.close_session()


def test_the_hubs_client_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a pull names the exact command to install it; a folder needs it not."""
    encoder(tmp_path / "tiny")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.delitem(sys.modules, "drawwell.providers.hub_client", raising=False)
    place = ("--models", tmp_path / "m")
    done = drawwell("models", "pull", "owner/tiny", *place)
    assert (done.code, "pip install 'drawwell[hub]'" in done.err) == (69, True)
    assert drawwell("models", "pull", "owner/tiny", "--from", tmp_path / "tiny", *place).code == 0
