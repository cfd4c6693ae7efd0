"""Which entries of a folder are left out: ignore files with the rules of git, then what is never a document."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["ALWAYS_LEFT_OUT", "IgnoreFile", "IgnoreRules", "cache_rule", "default_rule", "read_ignore_file"]

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

_MAX_BYTES = 250_000
_MAX_LINES = 10_000
_MAX_LINE = 1_000
"""Bounds of one ignore file, which comes with the folder and may be hostile: a pattern costs time at every entry."""
_MAX_WARNINGS = 20
_COMPILED_TOGETHER = 1_000
"""Patterns of one set: RE2 bounds the memory of a set, and refuses a larger one."""


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


def cache_rule(names: Collection[str]) -> str:
    """Why a folder with these entries is left out: a mark of a virtual environment or of a cache; empty without one."""
    return next((why for mark, why in _CACHE_MARKS.items() if mark in names), "")


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """One ignore file.

    Attributes:
        path: where it is, relative to the root.
        folder: the folder that it governs, relative to the root, with a final slash; empty for the root.
        specs: its patterns, one per line, in parts: the number of the line before each part, and the part.
        lines: its lines as written.
    """

    path: str
    folder: str
    specs: tuple[tuple[int, GitIgnoreSpec], ...]
    lines: tuple[str, ...]

    def judge(self, path: str) -> tuple[bool | None, str]:
        """Whether it ignores a path relative to the root (True), keeps it (False) or is silent, and by which line."""
        for first, spec in reversed(self.specs):  # the last line that matches decides
            verdict = spec.check_file(path[len(self.folder) :])
            if verdict.include is not None and verdict.index is not None:
                number = first + verdict.index
                return verdict.include, f"{self.path} line {number + 1}: {self.lines[number].strip()}"
        return None, ""


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
    with open(place, "rb") as file:  # noqa: PTH123 - names may hold bytes that are not text
        data = file.read(_MAX_BYTES + 1)
    cut = len(data) > _MAX_BYTES
    if cut:
        data = data[:_MAX_BYTES].rpartition(b"\n")[0]  # a part of a line would be another pattern
    lines = _decode(data).replace("\r\n", "\n").split("\n")
    warnings: list[str] = []
    if cut or len(lines) > _MAX_LINES:
        lines = lines[:_MAX_LINES]
        warnings.append(f"only its first {len(lines):,} lines count: it is larger than drawwell reads")
    patterns = []
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_LINE:
            warnings.append(f"line {number} is longer than {_MAX_LINE:,} characters and does not count")
        patterns.append(line if len(line) <= _MAX_LINE else "")
    specs = []
    for first in range(0, len(patterns), _COMPILED_TOGETHER):
        specs += _compile(patterns[first : first + _COMPILED_TOGETHER], first, warnings)
    if len(warnings) > _MAX_WARNINGS:
        warnings = [*warnings[:_MAX_WARNINGS], f"{len(warnings) - _MAX_WARNINGS:,} more lines do not count"]
    return IgnoreFile(path, path[: path.rfind("/") + 1], tuple(specs), tuple(lines)), warnings


def _compile(patterns: list[str], first: int, warnings: list[str]) -> list[tuple[int, GitIgnoreSpec]]:
    """Compile patterns in as few parts as the matcher takes; adds a warning for each that is no pattern.

    Args:
        patterns: the patterns.
        first: the number of lines before them in the file.
        warnings: where to add.
    """
    import re2  # type: ignore[import-untyped]  # many folders have no such file, and starting up is felt
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore import GitIgnorePatternError

    try:
        return [(first, GitIgnoreSpec.from_lines(patterns))]
    except (GitIgnorePatternError, re.error, re2.error, ValueError):
        if len(patterns) == 1:
            warnings.append(f"line {first + 1} is not a pattern: {patterns[0].strip()[:80]!r}")
            return []
    half = len(patterns) // 2
    return _compile(patterns[:half], first, warnings) + _compile(patterns[half:], first + half, warnings)


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
