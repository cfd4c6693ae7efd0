"""The settings in force, and where each value came from.

Precedence, highest first: the caller (a flag, a keyword), the environment, the file named by ``--env-file``, the
project's files, the user's file, the default. A value is checked when it is asked for, so a bad
one stops only what needs it. Loading makes no file and no folder.
"""

from __future__ import annotations

import difflib
import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs

from drawwell.corpus.ingest.files import read_file
from drawwell.errors import ArgumentError, ConfigurationError, UnreadableFile, short_repr
from drawwell.settings import SETTINGS, Scalar

__all__ = ["Settings", "Value", "gather_settings", "load_settings", "user_file"]

_PREFIX = "DRAWWELL_"
_SEE_CONFIG = "drawwell config lists the settings"
_MAX_BYTES = 1_000_000
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

    Made by :func:`load_settings` and :func:`gather_settings`.

    Attributes:
        warnings: what was found and not used, one sentence each.
        faults: what is wrong with the files; there are none after ``load_settings``.
    """

    def __init__(
        self, raw: Mapping[str, _Raw], warnings: tuple[str, ...] = (), faults: tuple[ConfigurationError, ...] = ()
    ) -> None:
        self._raw = raw
        self.warnings = warnings
        self.faults = faults

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
        except (ValueError, OverflowError):  # the latter from a whole number that no float can hold
            shown = "a secret value" if entry.secret else short_repr(raw.value)
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
    """The settings, when nothing is wrong with their files.

    Args:
        root: the folder whose project files count; None for no project.
        given: what the caller gave, by setting's name; None values are not given.
        env_file: a file of ``NAME=VALUE`` lines that count where the environment says nothing.
        environment: in place of the process's.

    Raises:
        ConfigurationError: a file cannot be read, or has keys that are no settings; all such faults are named.
        ArgumentError: ``given`` has a name that is no setting.
    """
    settings = gather_settings(root, given, env_file, environment)
    if settings.faults:
        advice = dict.fromkeys(fault.suggestion for fault in settings.faults if fault.suggestion)
        raise ConfigurationError("; ".join(fault.message for fault in settings.faults), ". ".join(advice))
    return settings


def gather_settings(
    root: Path | None = None,
    given: Mapping[str, Scalar | None] | None = None,
    env_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force, whatever is wrong with their files: the faults stand beside them.

    Args:
        root: as for :func:`load_settings`, like the others.

    Raises:
        ArgumentError: ``given`` has a name that is no setting.
    """
    gathered = _Gathered()
    gathered.table(gathered.read_toml(user_file()), str(user_file()), project=False)
    if root is not None:
        gathered.project(root)
    if env_file is not None:
        gathered.variables(gathered.attempt(partial(_read_env_file, env_file)), f"in {env_file}")
    gathered.variables(os.environ if environment is None else environment, "in the environment")
    for name, value in (given or {}).items():
        if name not in _BY_NAME:
            raise ArgumentError("setting", name, "one of " + ", ".join(_BY_NAME), _advice(name))
        if value is not None:
            gathered.raw[name] = _Raw(value, _BY_NAME[name].flag or "the caller", given=True)
    return Settings(gathered.raw, tuple(gathered.warnings), tuple(gathered.faults))


def _advice(*names: str) -> str:
    """What to write in place of names that are no settings."""
    near = {name: difflib.get_close_matches(name.replace("-", "_"), list(_BY_NAME), n=1) for name in names}
    found = [f"{match[0]} for {name}" if len(names) > 1 else match[0] for name, match in near.items() if match]
    meant = f"Did you mean {', '.join(found)}?" if found else ""
    return " ".join(filter(None, (meant, _SEE_CONFIG if not all(near.values()) else "")))


@dataclass(slots=True)
class _Gathered:
    """What the sources say, the weakest first."""

    raw: dict[str, _Raw] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    faults: list[ConfigurationError] = field(default_factory=list)

    def attempt(self, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a source holds; nothing when it cannot be read, which is noted."""
        try:
            return read()
        except ConfigurationError as error:
            self.faults.append(error)
            return {}

    def read_toml(self, path: Path, root: Path | None = None) -> dict[str, Any]:
        return self.attempt(partial(_read_toml, path, root))

    def project(self, root: Path) -> None:
        """A project's settings: ``drawwell.toml`` before ``[tool.drawwell]`` before ``[tool.contextpull]``."""
        tools = self.read_toml(root / "pyproject.toml", root).get("tool", {})
        tools = tools if isinstance(tools, dict) else {}
        place = "[tool.contextpull] in pyproject.toml"
        seed = self.attempt(partial(_as_table, tools.get("contextpull", {}), place))
        known = {key: value for key, value in seed.items() if key in _BY_NAME and _BY_NAME[key].project}
        self.warnings.extend(f"{place}: {key} is not used here" for key in seed if key not in known)
        self.table(known, place, project=True)
        place = "[tool.drawwell] in pyproject.toml"
        self.table(self.attempt(partial(_as_table, tools.get("drawwell", {}), place)), place, project=True)
        self.table(self.read_toml(root / "drawwell.toml", root), "drawwell.toml", project=True)

    def table(self, table: Mapping[str, Any], place: str, *, project: bool) -> None:
        """The settings of a file; its other keys are faults, all of a kind in one."""
        unknown, refused = [], []
        for key, value in table.items():
            name = key.replace("-", "_")
            entry = _BY_NAME.get(name)
            if entry is None:
                unknown.append(key)
            elif project and not entry.project:
                refused.append(entry)
            else:
                self.raw[name] = _Raw(value, place)
        if unknown:
            what = f"{', '.join(unknown)} {'is not a setting' if len(unknown) == 1 else 'are not settings'}"
            self.faults.append(ConfigurationError(f"{place}: {what}", _advice(*unknown)))
        if refused:
            names = ", ".join(entry.name for entry in refused)
            variables = ", ".join(entry.variables[0] for entry in refused)
            self.faults.append(
                ConfigurationError(
                    f"{place}: {names} cannot be set by a project", f"Set {variables} or write to {user_file()}"
                )
            )

    def variables(self, variables: Mapping[str, str], place: str) -> None:
        """The settings of an environment; a name that looks like one of ours and is not is warned of."""
        for entry in SETTINGS:
            for variable in entry.variables:
                text = variables.get(variable)
                if text is not None and (text.strip() or entry.blank):
                    self.raw[entry.name] = _Raw(text, f"{variable} {place}")
                    break
        known = {variable for entry in SETTINGS for variable in entry.variables}
        for name in variables:
            if name.startswith(_PREFIX) and name not in known:
                near = difflib.get_close_matches(name.removeprefix(_PREFIX).lower(), list(_BY_NAME), n=1)
                advice = f"did you mean {_BY_NAME[near[0]].variables[0]}?" if near else _SEE_CONFIG
                self.warnings.append(f"{name} {place} is not a setting: {advice}")


def _as_table(value: Any, place: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ConfigurationError(f"{place}: got {short_repr(value)}, takes a table of settings", _SEE_CONFIG)


def _read_toml(path: Path, root: Path | None = None) -> dict[str, Any]:
    """A file's content; empty when there is no such file.

    Args:
        path: the file.
        root: the project that a link in its place may not lead out of; None for no such bound.
    """
    try:
        return tomllib.loads(_read_small(path, root).decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path.name} is not valid TOML: {error}", f"Correct {path}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path.name} is not UTF-8 text", f"Save {path} as UTF-8") from error
    except ValueError as error:
        raise ConfigurationError(f"{path.name} holds a number that is too long to read", f"Correct {path}") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path.name} is nested too deeply to read", f"Correct {path}") from error


def _read_small(path: Path, root: Path | None) -> bytes:
    """A file's bytes; none when it is not there. Anything but a regular file is never opened: a pipe never ends."""
    target = Path(os.path.realpath(path))
    if root is not None and not target.is_relative_to(os.path.realpath(root)):
        raise ConfigurationError(f"{path.name} is a link that leads out of {root}, so it is not read", f"Remove {path}")
    try:
        found = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise ConfigurationError(f"{path.name} cannot be read: {error.strerror}", f"Check {path}") from error
    if not stat.S_ISREG(found.st_mode):
        raise ConfigurationError(f"{path.name} cannot be read: it is not a regular file", f"Check {path}")
    if found.st_size > _MAX_BYTES:
        raise ConfigurationError(f"{path.name} cannot be read: it has more than {_MAX_BYTES:,} bytes", f"Check {path}")
    try:
        return read_file(target.parent, target.name, _MAX_BYTES).data
    except UnreadableFile as error:
        raise ConfigurationError(f"{path.name} {error}", f"Check {path}") from error


def _read_env_file(path: Path) -> dict[str, str]:
    """``NAME=VALUE`` lines; ``export`` in front, quotes around and lines that begin with ``#`` are allowed."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--env-file {path} cannot be read: {error}", "Name a readable file") from error
    found = {}
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ConfigurationError(f"{path}, line {number}: takes NAME=VALUE", "Correct it there")
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found[name.strip()] = value
    return found
