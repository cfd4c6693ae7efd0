"""Settings to models."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawwell import guests
from drawwell.configuration import gather_settings, load_settings
from drawwell.errors import ConfigurationError
from drawwell.protocols import Prompts
from tests.providers.tiny import DIMENSION, encoder

OURS = ("embed", "summarizer", "rerank")


def test_nothing_configured_is_no_model() -> None:
    """Without a setting there is no model, and nothing is looked for."""
    settings = load_settings()
    assert guests.embedder(settings) is guests.reranker(settings) is guests.summarizer(settings) is None


def test_settings_become_options(home: Path) -> None:
    """Each setting reaches the provider; what is of embedding only reaches no other."""
    given = {
        "embed_url": "https://a.test",
        "rerank_url": "https://b.test",
        "embed_dimension": 64,
        "embed_window": 300,
        "embed_query_prompt": "q: {text}",
        "model_timeout": 7.5,
        "model_attempts": 2,
        "model_retry": 0.5,
        "model_concurrency": 9,
        "model_threads": 3,
        "models": "~/models",
        "ca_file": "own.pem",
    }
    settings = load_settings(given=given)
    options = guests.provider_options(settings)
    assert (options.base_url, options.dimension, options.window_tokens) == ("https://a.test", 64, 300)
    assert options.prompts == Prompts(query="q: {text}")
    assert (options.timeout_seconds, options.attempts, options.retry_seconds) == (7.5, 2, 0.5)
    assert (options.max_concurrent, options.threads, options.ca_file) == (9, 3, "own.pem")
    assert (options.models, options.offline) == (home / "models", False)
    other = guests.provider_options(settings, "rerank")
    assert (other.base_url, other.dimension, other.window_tokens, other.prompts) == ("https://b.test", 0, 0, None)
    assert guests.provider_options(load_settings()).prompts is None


@pytest.mark.parametrize(
    ("name", "value", "offline"),
    [
        ("HF_HUB_OFFLINE", "1", True),
        ("HF_HUB_OFFLINE", "yes", True),
        ("TRANSFORMERS_OFFLINE", "true", True),
        ("DRAWWELL_OFFLINE", "1", True),
        ("HF_HUB_OFFLINE", "0", False),
        ("HF_HUB_OFFLINE", "", False),
    ],
)
def test_offline_by_any_name(name: str, value: str, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our setting, and the variables that the hub's own client knows."""
    monkeypatch.setenv(name, value)
    assert guests.provider_options(load_settings()).offline is offline


@pytest.mark.parametrize(
    "line",
    ["embed = 'openai:m'", "embed_url = 'https://evil.test'", "models = '.'", "ca_file = 'x'", "rerank = 'onnx:./m'"],
)
def test_a_projects_file_sets_no_provider(tmp_path: Path, line: str) -> None:
    """A cloned project cannot have its texts sent anywhere, nor a model of its own loaded."""
    (tmp_path / "drawwell.toml").write_text(line + "\n")
    name = line.partition(" ")[0]
    settings = gather_settings(tmp_path)
    assert settings.text(name) == ""
    assert any(name in told for told in (*settings.warnings, *map(str, settings.faults)))


def test_a_local_model_is_loaded_when_it_is_used(tmp_path: Path) -> None:
    """Its name costs nothing; its first use loads it, with the options of the settings."""
    encoder(tmp_path / "tiny")
    given = {"embed": "onnx:tiny", "models": str(tmp_path), "rerank": "onnx:nobody"}
    settings = load_settings(given=given)
    model = guests.embedder(settings)
    assert model is not None
    assert model.name == "onnx:tiny"
    assert model.identity().dimension == DIMENSION
    judge = guests.reranker(settings)
    assert judge is not None
    with pytest.raises(ConfigurationError, match="there is no model nobody"):
        judge.scores("q", ["p"])
    with pytest.raises(ConfigurationError, match="Did you mean onnx:tiny"):
        guests.embedder(load_settings(given={"embed": "onx:tiny"}))
