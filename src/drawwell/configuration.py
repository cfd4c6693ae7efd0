"""The settings in force, and where each value came from.

Precedence, highest first: the caller (a flag, a keyword), the environment, the file named by ``--env-file``, the
project's files, the user's file, the default. A value is checked when it is asked for, so a bad
one stops only what needs it. Loading makes no file and no folder.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from drawwell.errors import ArgumentError, ConfigurationError
from drawwell.settings import SETTINGS, Scalar

__all__ = ["Settings", "Value", "load_settings", "user_file"]

_BY_NAME = {entry.name: entry for entry in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """A value and where it was set."""

    value: Scalar
    source: str


@dataclass(frozen=True, slots=True)
class _Raw:
    value: Any
    source: str
    given: bool = False  # by the caller: then a bad one is an argument's fault


class Settings:
    """The settings in force for one project, or for none.

    Made by :func:`load_settings`.

    Attributes:
        warnings: what was found and not used, one sentence each.
    """

    def __init__(self, raw: Mapping[str, _Raw], warnings: tuple[str, ...]) -> None:
        self._raw = raw
        self.warnings = warnings

    def find(self, name: str) -> Value:
        """The value of a setting, checked, with where it came from.

        Raises:
            ConfigurationError: it was set to something that it does not take.
            ArgumentError: the same, given by the caller.
        """
        entry = _BY_NAME[name]
        raw = self._raw.get(name)
        if raw is None:
            return Value(entry.default, "default")
        try:
            return Value(entry.check(raw.value), raw.source)
        except ValueError:
            shown = "a secret value" if entry.secret else repr(raw.value)
            if raw.given:
                raise ArgumentError(name, raw.value, entry.takes) from None
            raise ConfigurationError(
                f"{name}: got {shown} from {raw.source}, takes {entry.takes}", "Correct it there, or remove it"
            ) from None

    def text(self, name: str) -> str:
        """The value of a setting that holds text."""
        return str(self.find(name).value)

    def whole(self, name: str) -> int:
        """The value of a setting that holds a whole number."""
        return int(self.find(name).value)

    def number(self, name: str) -> float:
        """The value of a setting that holds a number."""
        return float(self.find(name).value)

    def enabled(self, name: str) -> bool:
        """The value of a setting that is on or off."""
        return bool(self.find(name).value)

    def is_set(self, name: str) -> bool:
        """Whether anybody set it."""
        return name in self._raw


def user_file() -> Path:
    """Where the user's own settings are, whether or not the file exists."""
    return platformdirs.user_config_path("drawwell", appauthor=False) / "config.toml"


def load_settings(
    root: Path | None = None,
    given: Mapping[str, Scalar | None] | None = None,
    env_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Gather the settings.

    Args:
        root: the folder whose project files count; None for no project.
        given: what the caller gave, by setting's name; None values are not given.
        env_file: a file of ``NAME=VALUE`` lines that count where the environment says nothing.
        environment: in place of the process's.

    Raises:
        ConfigurationError: a file cannot be read, or has a key that is no setting.
        ArgumentError: ``given`` has a name that is no setting.
    """
    warnings: list[str] = []
    raw = _from_table(_read_toml(user_file()), str(user_file()), project=False)
    if root is not None:
        raw.update(_project(root, warnings))
    if env_file is not None:
        raw.update(_from_variables(_read_env_file(env_file), f"in {env_file}"))
    raw.update(_from_variables(os.environ if environment is None else environment, "in the environment"))
    for name, value in (given or {}).items():
        if name not in _BY_NAME:
            raise ArgumentError("setting", name, "one of " + ", ".join(_BY_NAME), _nearest(name, _BY_NAME))
        if value is not None:
            raw[name] = _Raw(value, _BY_NAME[name].flag or "the caller", given=True)
    return Settings(raw, tuple(warnings))


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean {near[0]}?" if near else ""


def _from_variables(variables: Mapping[str, str], place: str) -> dict[str, _Raw]:
    found = {}
    for entry in SETTINGS:
        for variable in entry.variables:
            text = variables.get(variable)
            if text is not None and (text.strip() or entry.blank):
                found[entry.name] = _Raw(text, f"{variable} {place}")
                break
    return found


def _project(root: Path, warnings: list[str]) -> dict[str, _Raw]:
    """A project's settings: ``drawwell.toml`` before ``[tool.drawwell]`` before ``[tool.contextpull]``."""
    raw: dict[str, _Raw] = {}
    tools = _read_toml(root / "pyproject.toml").get("tool", {})
    tools = tools if isinstance(tools, dict) else {}
    seed = _as_table(tools.get("contextpull", {}), "[tool.contextpull] in pyproject.toml")
    known = {key: value for key, value in seed.items() if key in _BY_NAME and _BY_NAME[key].project}
    warnings.extend(f"[tool.contextpull] in pyproject.toml: {key} is not used here" for key in seed if key not in known)
    raw.update(_from_table(known, "[tool.contextpull] in pyproject.toml", project=True))
    own = _as_table(tools.get("drawwell", {}), "[tool.drawwell] in pyproject.toml")
    raw.update(_from_table(own, "[tool.drawwell] in pyproject.toml", project=True))
    raw.update(_from_table(_read_toml(root / "drawwell.toml"), "drawwell.toml", project=True))
    return raw


def _as_table(value: Any, place: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ConfigurationError(f"{place}: got {value!r}, takes a table of settings")


def _from_table(table: Mapping[str, Any], place: str, *, project: bool) -> dict[str, _Raw]:
    raw = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        entry = _BY_NAME.get(name)
        if entry is None:
            raise ConfigurationError(f"{place}: {key} is not a setting", _nearest(name, _BY_NAME))
        if project and not entry.project:
            raise ConfigurationError(
                f"{place}: {key} cannot be set by a project",
                f"Set {entry.variables[0]} or put it into {user_file()}",
            )
        raw[name] = _Raw(value, place)
    return raw


def _read_toml(path: Path) -> dict[str, Any]:
    """A file's content; empty when there is no such file."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path.name} is not valid TOML: {error}", f"Correct {path}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path.name} is not UTF-8 text", f"Save {path} as UTF-8") from error
    except OSError as error:
        raise ConfigurationError(f"{path.name} cannot be read: {error.strerror}", f"Check {path}") from error


def _read_env_file(path: Path) -> dict[str, str]:
    """``NAME=VALUE`` lines; ``export`` in front, quotes around and lines that begin with ``#`` are allowed."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--env-file {path} cannot be read: {error}") from error
    found = {}
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ConfigurationError(f"{path}, line {number}: takes NAME=VALUE")
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found[name.strip()] = value
    return found
