"""Models in folders of this machine: where they are, which files they have, and whether those are what was fetched."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from drawwell.errors import ConfigurationError

__all__ = [
    "MANIFEST",
    "check_name",
    "faults",
    "find_folder",
    "is_sound",
    "manifest",
    "models_folder",
    "present",
    "revision",
    "write_manifest",
]

MANIFEST = "drawwell.json"
"""Says where a model came from, and size and hash of each of its files."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_CHUNK = 1 << 20


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where models are kept: what ``DRAWWELL_MODELS`` says, else a folder in the user's cache."""
    named = environment.get("DRAWWELL_MODELS", "")
    return Path(named) if named else platformdirs.user_cache_path("drawwell", appauthor=False) / "models"


def check_name(name: str) -> str:
    """A model's name, which is its folder's below the models: one or two plain words with a slash between.

    Raises:
        ConfigurationError: it is something else.
    """
    if not _NAME.fullmatch(name):
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
        if not folder.is_dir() and (models / name.rpartition("/")[2]).is_dir():
            folder = models / name.rpartition("/")[2]
        advice = f"Get it with: drawwell models pull {name}"
    if not folder.is_dir():
        raise ConfigurationError(f"there is no model {name} on this machine", advice)
    return folder


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
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return {str(name): dict(about) for name, about in found["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


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
    """What tells one state of a model's files from another: twelve hex digits."""
    known = manifest(folder) if is_sound(folder) else {}
    names = sorted(known) or sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".onnx", ".safetensors", ".json") and path.name != MANIFEST
    )
    digest = hashlib.sha256()
    for name in names:
        content = str(known[name].get("sha256")) if known else _sha256(folder / name)
        digest.update(f"{name}\0{content}\0".encode())
    return digest.hexdigest()[:12]


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
