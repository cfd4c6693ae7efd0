"""Models in folders of this machine: where they are, which files they have, and whether those are what was fetched."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

import platformdirs

from drawwell.errors import ConfigurationError

__all__ = [
    "MANIFEST",
    "ONNX_PLACES",
    "WANTED",
    "check_name",
    "config_value",
    "faults",
    "find_folder",
    "is_sound",
    "leaves",
    "manifest",
    "models_folder",
    "onnx_file",
    "present",
    "revision",
    "source",
    "write_manifest",
]

MANIFEST = "drawwell.json"
"""Says where a model came from, and size and hash of each of its files."""

ONNX_PLACES = (
    "model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_quint8_avx2.onnx",
    "onnx/model_qint8_arm64.onnx",
    "onnx/model_qint8_avx512_vnni.onnx",
    "onnx/model.onnx",
)
"""Where a model may be, the better place first: eight bits before more, and what every processor computes alike before
what is made for one."""

WANTED = (
    "tokenizer.json",
    "config.json",
    "tokenizer_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)
"""What is taken beside the model itself, where there is such."""

_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?"
_NAME = re.compile(rf"{_WORD}(?:/{_WORD})?")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_CHUNK = 1 << 20


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where models are kept: what ``DRAWWELL_MODELS`` says, else a folder in the user's cache."""
    named = environment.get("DRAWWELL_MODELS", "")
    return Path(named).expanduser() if named else platformdirs.user_cache_path("drawwell", appauthor=False) / "models"


def check_name(name: str) -> str:
    """A model's name, which is its folder's below the models: one or two plain words with a slash between.

    Raises:
        ConfigurationError: it is something else.
    """
    if not _NAME.fullmatch(name) or any(_DEVICES.fullmatch(word) for word in name.split("/")):
        raise ConfigurationError(
            f"model: got {name[:100]!r}, takes a name such as all-MiniLM-L6-v2 or owner/name",
            "A folder is named by its path, with a slash or a dot in front",
        )
    return name


def find_folder(name: str, models: Path) -> Path:
    """The folder of a model.

    Args:
        name: of a model in the models' folder, or the path of a folder: absolute, or beginning with a dot or a tilde.
        models: the models' folder.

    Raises:
        ConfigurationError: there is none.
    """
    if name.startswith((".", "~")) or Path(name).is_absolute():
        folder = Path(name).expanduser()
        advice = "Name a folder with model.onnx or model.safetensors, and tokenizer.json"
    else:
        folder = models / check_name(name)
        advice = f"Get it with: drawwell models pull {name}"
    if not _is_folder(folder):
        raise ConfigurationError(f"there is no model {name} on this machine", advice)
    return folder


def config_value(folder: Path, name: str, key: str) -> Any:
    """A value of one of a model's JSON files; None where there is none."""
    return _read_json(folder / name).get(key)


def onnx_file(folder: Path) -> Path | None:
    """The model of a folder; None where there is none in a usual place, nor any other beside them."""
    usual = next((folder / name for name in ONNX_PLACES if (folder / name).is_file()), None)
    return usual or next(iter(sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])), None)


def present(models: Path) -> list[tuple[str, Path]]:
    """Names and folders of the models that are there, sorted."""
    found = {path.parent for pattern in (f"*/{MANIFEST}", f"*/*/{MANIFEST}") for path in models.glob(pattern)}
    kept = (folder for folder in found if not any(part.startswith(".") for part in folder.relative_to(models).parts))
    return sorted((folder.relative_to(models).as_posix(), folder) for folder in kept)


def write_manifest(folder: Path, source: str) -> None:
    """Note where a model came from and what its files are.

    Args:
        folder: the model's.
        source: in words.
    """
    files = {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": _sha256(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
    text = json.dumps({"source": source, "files": files}, indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def manifest(folder: Path) -> dict[str, dict[str, object]]:
    """The files that a model is to have: size and hash by name; empty where no manifest can be read."""
    try:
        files = {str(name): dict(about) for name, about in _read_json(folder / MANIFEST)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {} if any(leaves(name) for name in files) else files


def source(folder: Path) -> str:
    """Where a model came from, in the words of its manifest; empty where nobody says."""
    return "".join(char for char in str(_read_json(folder / MANIFEST).get("source", "")) if char.isprintable())


def _read_json(path: Path) -> dict[str, Any]:
    """The object in a file; empty when there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def leaves(name: str) -> bool:
    """Whether a file's name leads out of the folder that it is to be in."""
    path = PureWindowsPath(name)  # takes both kinds of slashes, and knows drives
    return bool(path.anchor) or ".." in path.parts or "\0" in name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that no folder can have
        return False


def is_sound(folder: Path) -> bool:
    """Whether all files of a model are there in their right size; their content is not read."""
    files = manifest(folder)
    return bool(files) and all(_size(folder / name) == about.get("bytes") for name, about in files.items())


def faults(folder: Path) -> list[str]:
    """What is wrong with the files of a model; empty when all are what was fetched."""
    files = manifest(folder)
    if not files:
        return [f"there is no {MANIFEST} that says what its files are to be"]
    found = []
    for name, about in files.items():
        if _size(folder / name) is None:
            found.append(f"{name} is missing")
        elif _sha256(folder / name) != about.get("sha256"):
            found.append(f"{name} is not what was fetched")
    return found


def revision(folder: Path) -> str:
    """What tells one state of a model's files from another: twelve hex digits.

    A file's hash is taken from the manifest unless the file has another size or was written after it.
    """
    known = manifest(folder)
    names = sorted(known) or sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".onnx", ".safetensors", ".json") and path.name != MANIFEST
    )
    written = (folder / MANIFEST).stat().st_mtime_ns if known else 0
    digest = hashlib.sha256()
    for name in names:
        about = known.get(name, {})
        fresh = _size(folder / name) == about.get("bytes") and (folder / name).stat().st_mtime_ns <= written
        content = str(about.get("sha256")) if fresh else _hash_of(folder / name)
        digest.update(f"{name}\0{content}\0".encode())
    return digest.hexdigest()[:12]


def _hash_of(path: Path) -> str:
    return _sha256(path) if _size(path) is not None and path.is_file() else "missing"


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
