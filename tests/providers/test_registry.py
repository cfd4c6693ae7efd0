"""Providers by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from drawwell.errors import ConfigurationError, DependencyError, MissingExtra
from drawwell.providers import registry
from drawwell.providers.options import ProviderOptions
from drawwell.providers.registry import Provider

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
from drawwell.errors import MissingExtra
from drawwell.providers import registry
from drawwell.providers.options import ProviderOptions
try:
    registry.{kind}("{name}", ProviderOptions(environment={{}}))
except MissingExtra as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("onxx:m", "Did you mean onnx:m?"),
        ("opnai", "Did you mean openai:MODEL?"),
        ("", "Providers: onnx, static, ollama"),
        ("onnx", "Write onnx:MODEL"),
        ("onnx:", "Write onnx:MODEL"),
        ("onnx:  ", "Write onnx:MODEL"),
    ],
)
def test_a_name_that_is_none(name: str, advice: str) -> None:
    """What was given is repeated, and what to write instead is said."""
    with pytest.raises(ConfigurationError, match=f"embed: got {name!r}") as raised:
        registry.embedder(name, ProviderOptions())
    assert advice in raised.value.suggestion


def test_a_colon_may_be_in_a_models_name(tmp_path: Path) -> None:
    """Only the first colon parts provider from model."""
    _, model = registry.provider_of("ollama:qwen3-embedding:0.6b", registry.EMBEDDERS, "embed")
    assert model == "qwen3-embedding:0.6b"
    with pytest.raises(ConfigurationError, match="there is no model nobody/nothing on this machine") as raised:
        registry.reranker("onnx:nobody/nothing", ProviderOptions(models=tmp_path))
    assert raised.value.suggestion == "Get it with: drawwell models pull nobody/nothing"


@pytest.mark.parametrize(
    ("kind", "name", "blocked", "extra"),
    [
        ("embedder", "onnx:m", ("onnxruntime",), "onnx"),
        ("embedder", "onnx:m", ("tokenizers",), "onnx"),
        ("embedder", "static:m", ("safetensors",), "static"),
        ("reranker", "onnx:m", ("onnxruntime",), "onnx"),
        ("embedder", "openai:m", ("openai",), "openai"),
        ("summarizer", "anthropic:m", ("anthropic",), "anthropic"),
    ],
)
def test_a_missing_package_names_the_command(kind: str, name: str, blocked: tuple[str, ...], extra: str) -> None:
    """Without its package a provider says exactly what to install."""
    script = BLOCKED.format(blocked=blocked, kind=kind, name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    provider = name.partition(":")[0]
    command = f"pip install 'drawwell[{extra}]'"
    assert done.stdout == f"models of {provider} need an optional package. Install it with: {command}\n"


def test_every_provider_is_there() -> None:
    """Each entry of the tables names a module with ``make``."""
    for table in (registry.EMBEDDERS, registry.SUMMARIZERS, registry.RERANKERS):
        for name, provider in table.items():
            assert callable(registry.load_provider(name, provider).make)


def test_a_package_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that cannot be imported is told from one that is missing; a fault of ours is not hidden."""
    import drawwell.providers

    monkeypatch.setattr(drawwell.providers, "__path__", [*drawwell.providers.__path__, str(tmp_path)])
    (tmp_path / "broken_provider.py").write_text("raise ImportError('DLL load failed')")
    (tmp_path / "faulty_provider.py").write_text("import drawwell.nothing_of_this_name")
    (tmp_path / "bare_provider.py").write_text("import nothing_of_this_name")
    with pytest.raises(DependencyError, match="cannot be imported: DLL load failed") as raised:
        registry.load_provider("broken", Provider("broken_provider", "onnx"))
    assert "--force-reinstall 'drawwell[onnx]'" in raised.value.suggestion
    with pytest.raises(ModuleNotFoundError, match=r"drawwell\.nothing"):
        registry.load_provider("faulty", Provider("faulty_provider", "onnx"))
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        registry.load_provider("bare", Provider("bare_provider", ""))
    with pytest.raises(MissingExtra):
        registry.load_provider("bare", Provider("bare_provider", "onnx"))


def test_the_usual_reranker_needs_no_name(tmp_path: Path) -> None:
    """``onnx`` alone means the cross-encoder that FlashRank takes too; an embedding model must be named."""
    with pytest.raises(ConfigurationError, match=r"ms-marco-MiniLM-L12-v2"):
        registry.reranker("onnx", ProviderOptions(models=tmp_path))
    with pytest.raises(ConfigurationError, match="names no model"):
        registry.embedder("onnx", ProviderOptions(models=tmp_path))
