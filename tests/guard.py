"""The guard that keeps tests away from the user's real data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import unquote

import platformdirs

__all__ = ["Guard", "UserDataTouched", "user_places"]

WATCHED = frozenset(
    ["open", "sqlite3.connect", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.scandir"]
)


class UserDataTouched(BaseException):
    """A test reached for the user's real data. Not an Exception: no handler of the product may swallow it."""


def user_places(name: str) -> tuple[str, ...]:
    """The folders in which an application of this name keeps a user's data, by the environment as it is now."""
    dirs = platformdirs.PlatformDirs(name, appauthor=False)
    own = {dirs.user_data_dir, dirs.user_config_dir, dirs.user_cache_dir, dirs.user_state_dir, dirs.user_log_dir}
    return tuple(sorted(os.path.abspath(place) for place in own))


class Guard:
    """An audit hook that refuses, and remembers, every touch of the given folders.

    Args:
        places: absolute folders that must not be touched.
        readable: folders in them that may be read.
    """

    def __init__(self, places: Sequence[str], readable: Sequence[str] = ()) -> None:
        self._places = tuple(os.path.normcase(place) for place in places)
        self._readable = tuple(os.path.normcase(place) for place in readable)
        self._touched: list[str] = []

    def offends(self, path: object) -> bool:
        """Whether a path, or the path in a SQLite address, lies in a guarded folder."""
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str):
            return False
        if path.startswith("file:"):
            path = unquote(path[5:].partition("?")[0])
            path = "/" + path.lstrip("/") if path.startswith("//") else path
        return _within(path, self._places)

    def audit(self, event: str, args: tuple[object, ...]) -> None:
        """The hook itself, for ``sys.addaudithook``.

        Raises:
            UserDataTouched: the event is about a guarded folder.
        """
        if event not in WATCHED or (_only_reads(event, args) and _within(args[0], self._readable)):
            return
        for path in args[:2] if event == "os.rename" else args[:1]:
            path = os.fspath(path) if isinstance(path, os.PathLike) else path
            if self.offends(path):
                self._touched.append(f"{event} {path}")
                raise UserDataTouched(path)

    def take(self) -> list[str]:
        """What was touched since the last call."""
        touched, self._touched = self._touched, []
        return touched


def _within(path: object, places: Sequence[str]) -> bool:
    if not isinstance(path, (str, os.PathLike)):
        return False
    full = os.path.normcase(os.path.abspath(path))
    return any(full == place or full.startswith(place + os.sep) for place in places)


def _only_reads(event: str, args: tuple[object, ...]) -> bool:
    if event == "open":
        mode, flags = args[1], args[2]
        return mode in ("r", "rb", "rt") or (mode is None and flags == os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    return event in ("os.listdir", "os.scandir")
