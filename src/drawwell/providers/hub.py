"""Getting models: from the hub by its own client, or from a folder. A model is whole and tried, or it is not there.

Address, token and certificates are those that the hub's client knows: ``HF_ENDPOINT``, ``HF_TOKEN``, ``SSL_CERT_FILE``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from drawwell.errors import ConfigurationError, DependencyError, Error, MissingExtra
from drawwell.providers import registry
from drawwell.providers.folders import (
    MANIFEST,
    WANTED,
    check_name,
    config_value,
    is_sound,
    leaves,
    onnx_file,
    write_manifest,
)
from drawwell.providers.options import ProviderOptions

__all__ = ["WELL_KNOWN", "Getting", "copy_model", "kind_of", "pull_model", "try_model"]

WELL_KNOWN = (
    ("sentence-transformers/all-MiniLM-L6-v2", "onnx", "English, small and fast: the one to begin with"),
    ("BAAI/bge-small-en-v1.5", "onnx", "English, a little better, 512 tokens"),
    ("intfloat/multilingual-e5-small", "onnx", "a hundred languages, 512 tokens"),
    ("nomic-ai/nomic-embed-text-v1.5", "onnx", "English, good and slow, long texts"),
    ("minishlab/potion-base-8M", "static", "English, a table of words: fastest, less exact"),
    ("minishlab/potion-multilingual-128M", "static", "a hundred languages, the same way"),
    ("cross-encoder/ms-marco-MiniLM-L12-v2", "rerank", "English, judges the best hits once more"),
)
"""Models that can be pulled: name, what for, and a word about each."""
_WAIT_SECONDS = 600
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Getting:
    """How models are got.

    Attributes:
        options: folder of the models, certificates, environment, whether anything may be fetched.
        file: the ONNX file to take, as the hub or the folder names it; empty for the usual.
        again: whether to get a model that is there already.
        say: told what is being done, a line each.
    """

    options: ProviderOptions
    file: str = ""
    again: bool = False
    say: Callable[[str], None] = lambda _line: None


def pull_model(name: str, getting: Getting) -> Path:
    """Get a model from the hub.

    Args:
        name: on the hub, owner and model with a slash between.
        getting: how.

    Returns:
        Its folder.

    Raises:
        ConfigurationError: nothing may be fetched, there is no such model, it may not be had, or it is of no use here.
        DependencyError: the hub is out of reach, or what came is not what it says.
        MissingExtra: the hub's client is not installed, or what runs such a model.
    """
    with _place(name, getting) as draft:
        if draft is not None:
            if getting.options.offline:
                raise ConfigurationError(
                    f"{name} is not fetched: offline is set", f"Copy it: drawwell models pull {name} --from FOLDER"
                )
            try:
                from drawwell.providers.hub_client import Hub  # its package is an extra
            except ModuleNotFoundError as error:
                if (error.name or "").startswith("drawwell"):
                    raise
                raise MissingExtra("models of the hub", "hub") from error
            source = Hub(name, getting.options).fetch(draft, getting.file, getting.say)
            _finish(draft, name, source, getting)
    return getting.options.models / name


def copy_model(name: str, origin: Path, getting: Getting) -> Path:
    """Get a model from a folder, as it comes from the hub or from another machine's models. Arguments as for a pull.

    Raises:
        ConfigurationError: there is no such folder, or what it holds is of no use here.
        MissingExtra: what runs such a model is not installed.
    """
    if not origin.is_dir():
        raise ConfigurationError(f"there is no folder {origin}", "Name the folder that has tokenizer.json in it")
    with _place(name, getting) as draft:
        if draft is not None:
            for file in _files(origin, getting.file):
                getting.say(f"copying {file}")
                (draft / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(origin / file, draft / file)
            _finish(draft, name, f"a folder named {origin.name}", getting)
    return getting.options.models / name


def kind_of(folder: Path) -> str:
    """What a folder's model is: ``static`` or ``onnx`` for embedding, ``rerank``; empty where it is none of them."""
    if onnx_file(folder) is None:
        return "static" if (folder / "model.safetensors").is_file() else ""
    named = config_value(folder, "config.json", "architectures")
    judges = isinstance(named, list) and any(str(one).endswith("ForSequenceClassification") for one in named)
    return "rerank" if judges else "onnx"


def _files(origin: Path, file: str) -> list[str]:
    """The files of a folder that make a model, by name."""
    chosen = origin / file if file else onnx_file(origin)
    if file and (leaves(file) or len(file) > _LONGEST_NAME or not (origin / file).is_file()):
        raise ConfigurationError(f"{origin} has no {file[:100]}", "Leave the file out, or name one that is there")
    weights = [] if chosen is None else [chosen.relative_to(origin).as_posix()]
    if not file and (not weights or config_value(origin, "config.json", "model_type") == "model2vec"):
        weights = ["model.safetensors"]
    beside = [f"{weights[0]}{end}" for end in ("_data", ".data")]
    return [name for name in (*weights, *beside, *WANTED) if (origin / name).is_file()]


@contextmanager
def _place(name: str, getting: Getting) -> Iterator[Path | None]:
    """An empty folder in which a model is made, which afterwards takes the model's place; None where it is there."""
    folder = getting.options.models / check_name(name)
    if (folder.parent / MANIFEST).exists() or (folder.is_dir() and any(folder.glob(f"*/{MANIFEST}"))):
        raise ConfigurationError(f"{name} would lie in another model, or another in it", "Take another name")
    from filelock import FileLock, Timeout  # brings asyncio, which `--help` can do without

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / f".{folder.name}.lock", timeout=_WAIT_SECONDS):
            if is_sound(folder) and not getting.again:
                getting.say(f"{name} is there already")
                yield None
                return
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".getting-") as around:
                draft = Path(around) / "new"
                draft.mkdir()
                yield draft
                if folder.exists():
                    folder.rename(Path(around) / "old")
                draft.rename(folder)
    except Timeout:
        raise DependencyError(f"another process has been getting {name} for long", "Wait for it, or end it") from None
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written: {error.strerror or error}", "Name another place with --models"
        ) from error


def _finish(draft: Path, name: str, source: str, getting: Getting) -> None:
    """Try a model, and note what its files are."""
    getting.say(f"trying {name}")
    path = draft.resolve()
    try:
        try_model(path, getting.options)
    except MissingExtra:
        raise
    except Error as error:
        why = error.message.replace(f"{path}{os.sep}", "").replace(str(path), name)
        raise ConfigurationError(
            f"{name} is of no use here, so it was not kept: {why}",
            "Take another model, or another of its files with --file",
        ) from error
    write_manifest(draft, source)


def try_model(folder: Path, options: ProviderOptions) -> None:
    """Load a model and ask it for one vector or one score.

    Args:
        folder: the model's, as an absolute path.
        options: threads.

    Raises:
        ConfigurationError: it cannot be used.
        MissingExtra: what runs it is not installed.
    """
    kind = kind_of(folder)
    if not kind:
        raise ConfigurationError("it has neither an ONNX file nor a table of token vectors")
    options = replace(options, base_url="", dimension=0, prompts=None, window_tokens=0)
    if kind == "rerank":
        judge = registry.reranker(f"onnx:{folder}", options)
        judge.scores("query", ["passage"])
        judge.close()
    else:
        model = registry.embedder(f"{kind}:{folder}", options)
        model.embed_query("query")
        model.close()
