"""Which entries of a folder are left out: ignore files with the rules of git, then what is never a document."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["ALWAYS_LEFT_OUT", "IgnoreFile", "IgnoreRules", "default_rule", "is_cache_folder", "read_ignore_file"]

IGNORE_FILES = (".drawwellignore", ".contextpullignore", ".gitignore")
"""In falling order of authority: whatever an earlier one decides, in any folder above, stands."""

ALWAYS_LEFT_OUT = frozenset({".git", ".hg", ".svn", ".drawwell", ".contextpull"})
"""No ignore file brings these back."""

_LEFT_OUT_FOLDERS = {
    "node_modules": "installed packages",
    "bower_components": "installed packages",
    "jspm_packages": "installed packages",
    "site-packages": "installed packages",
    "__pypackages__": "installed packages",
    "__pycache__": "cache",
    "venv": "virtual environment",
    "dist": "build output",
    "_build": "build output",
    "_site": "build output",
    "htmlcov": "build output",
}
_PROJECT_FILES = ("package.json", "pyproject.toml", "setup.py", "setup.cfg", "CMakeLists.txt", "meson.build")
_BUILD_FOLDERS = {
    "build": (*_PROJECT_FILES, "build.gradle", "build.gradle.kts"),
    "out": ("package.json", "build.gradle", "build.gradle.kts"),
    "target": ("Cargo.toml", "pom.xml", "build.sbt"),
    "site": ("mkdocs.yml", "mkdocs.yaml"),
}
"""Names that may well be chapters, so they count as build output only beside a file of the tool that makes them."""
_LEFT_OUT_ENDINGS = (".egg-info", ".dist-info")
_CACHE_MARKS = {"pyvenv.cfg": "virtual environment", "CACHEDIR.TAG": "cache"}

_MAX_IGNORE_BYTES = 1_000_000


def default_rule(name: str, siblings: Collection[str], *, folder: bool) -> str:
    """Why an entry is left out unless an ignore file says otherwise; empty when it is not.

    Args:
        name: the entry's name.
        siblings: names of all entries of its folder.
        folder: whether the entry is a folder.
    """
    if name.startswith("."):
        return "hidden"
    if not folder:
        return ""
    if name in _LEFT_OUT_FOLDERS:
        return _LEFT_OUT_FOLDERS[name]
    if name.endswith(_LEFT_OUT_ENDINGS):
        return "installed packages"
    if any(maker in siblings for maker in _BUILD_FOLDERS.get(name, ())):
        return "build output"
    return ""


def is_cache_folder(names: Collection[str]) -> str:
    """Why a folder with these entries is left out: a mark of a virtual environment or of a cache; empty without one."""
    return next((why for mark, why in _CACHE_MARKS.items() if mark in names), "")


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """One ignore file.

    Attributes:
        path: where it is, relative to the root.
        folder: the folder that it governs, relative to the root, with a final slash; empty for the root.
        spec: its patterns, one per line.
        lines: its lines as written.
    """

    path: str
    folder: str
    spec: GitIgnoreSpec
    lines: tuple[str, ...]

    def judge(self, path: str) -> tuple[bool | None, str]:
        """Whether it ignores a path relative to the root (True), keeps it (False) or is silent, and by which line."""
        verdict = self.spec.check_file(path[len(self.folder) :])
        if verdict.include is None or verdict.index is None:
            return None, ""
        return verdict.include, f"{self.path} line {verdict.index + 1}: {self.lines[verdict.index].strip()}"


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files in force in one folder.

    Attributes:
        files: for each kind of ``IGNORE_FILES``, those of this folder and of the folders above, nearest first.
    """

    files: tuple[tuple[IgnoreFile, ...], ...] = field(default=((),) * len(IGNORE_FILES))

    def extend(self, found: dict[str, IgnoreFile]) -> IgnoreRules:
        """The rules of a folder below, which has these ignore files by name."""
        if not found:
            return self
        return IgnoreRules(
            tuple(
                (found[name], *above) if name in found else above
                for name, above in zip(IGNORE_FILES, self.files, strict=True)
            )
        )

    def why_ignored(self, path: str, default: str) -> str:
        """Why a path is left out, naming the rule; empty when it is not.

        Args:
            path: relative to the root, with a final slash for a folder.
            default: what ``default_rule`` says about it.
        """
        for kind in self.files:
            for file in kind:
                ignored, line = file.judge(path)
                if ignored is not None:
                    return line if ignored else ""
        return default


def read_ignore_file(place: str, path: str) -> tuple[IgnoreFile, list[str]]:
    """Read an ignore file in whatever encoding it has.

    Args:
        place: the file to open.
        path: its path relative to the root.

    Returns:
        The file, and what was wrong with its lines; such lines have no effect.

    Raises:
        OSError: it cannot be read.
    """
    from pathspec import GitIgnoreSpec  # many folders have no such file, and starting up is felt
    from pathspec.patterns.gitignore import GitIgnorePatternError

    with open(place, "rb") as file:  # noqa: PTH123 - names may hold bytes that are not text
        data = file.read(_MAX_IGNORE_BYTES + 1)
    warnings = [f"only its first {_MAX_IGNORE_BYTES:,} bytes count"] if len(data) > _MAX_IGNORE_BYTES else []
    lines = _decode(data[:_MAX_IGNORE_BYTES]).replace("\r\n", "\n").split("\n")
    patterns: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            GitIgnoreSpec.from_lines([line])
            patterns.append(line)
        except (GitIgnorePatternError, re.error, ValueError):
            warnings.append(f"line {number} is not a pattern: {line.strip()!r}")
            patterns.append("")
    folder = path[: path.rfind("/") + 1]
    return IgnoreFile(path, folder, GitIgnoreSpec.from_lines(patterns), tuple(lines)), warnings


def _decode(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if data[1:2] == b"\0":
        return data.decode("utf-16-le", errors="replace")
    if data[:1] == b"\0":
        return data.decode("utf-16-be", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
