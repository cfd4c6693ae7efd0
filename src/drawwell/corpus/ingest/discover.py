"""Find the documents of a folder, in a fixed order, and say why anything else is left out.

Nothing is opened here but ignore files, and nothing outside the root is touched: a link is followed only to see where
it leads.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from drawwell.corpus.ingest.files import describe_error
from drawwell.corpus.ingest.ignore import (
    ALWAYS_LEFT_OUT,
    IGNORE_FILES,
    IgnoreFile,
    IgnoreRules,
    cache_rule,
    default_rule,
    read_ignore_file,
)
from drawwell.corpus.options import IngestOptions
from drawwell.errors import MissingExtra, SourceError
from drawwell.text.formats import FORMATS, Format, format_of

__all__ = ["Discovery", "FoundFile", "discover", "known_suffixes"]

_OUTSIDE = "a link that leads out of the corpus is not followed"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read.

    Attributes:
        path: its name in the corpus, relative to the root, with forward slashes.
        place: the file to open, relative to the root; another than ``path`` only for a link inside the root.
        format: its format, whose parser can be used.
        size: its size in bytes.
        mtime_ns: when it was last changed.
    """

    path: str
    place: str
    format: Format
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a folder holds.

    Attributes:
        files: the documents, by path.
        links: other paths of a document, by the document's path.
        skipped: path and reason of what looks like a document and is not taken.
        unreadable: files, and folders with a final slash, that cannot be looked at now.
        warnings: path and text of what is taken but may surprise.
        ignored: path and rule of every folder and document that is left out by a rule.
        others: number of files of no known format, by suffix.
    """

    files: tuple[FoundFile, ...]
    links: Mapping[str, tuple[str, ...]]
    skipped: tuple[tuple[str, str], ...]
    unreadable: tuple[str, ...]
    warnings: tuple[tuple[str, str], ...]
    ignored: tuple[tuple[str, str], ...]
    others: Mapping[str, int]

    @property
    def seen(self) -> int:
        """Files of a known format, taken or not; skipped folders are none."""
        return len(self.files) + sum(not path.endswith("/") for path, _ in self.skipped)


def known_suffixes() -> str:
    """The endings of all files that drawwell reads, for a message."""
    return " ".join(suffix for entry in FORMATS for suffix in entry.suffixes)


def discover(root: Path, options: IngestOptions, progress: Callable[[int, str], None] | None = None) -> Discovery:
    """Walk a folder.

    Args:
        root: the folder.
        options: ``respect_gitignore`` and ``max_file_bytes`` count.
        progress: called for each folder with the number of documents so far and the folder's path.

    Raises:
        SourceError: the root is missing, is not a folder, or cannot be listed.
    """
    if not root.is_dir():
        what = "is a file, not a folder" if root.exists() else "does not exist"
        raise SourceError(f"{root} {what}", f"Give a folder with documents ({known_suffixes()})")
    walk = _Walk(root, options)
    pending = [("", IgnoreRules())]
    while pending:
        folder, rules = pending.pop()
        if progress is not None:
            progress(len(walk.files), folder)
        pending.extend(walk.enter(folder, rules))
    walk.follow_links()
    return walk.result()


@dataclass(slots=True)
class _Walk:
    """One walk and what it has found so far."""

    root: Path
    options: IngestOptions
    files: dict[str, FoundFile] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    ignored: dict[str, str] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)

    def enter(self, folder: str, above: IgnoreRules) -> list[tuple[str, IgnoreRules]]:
        """List one folder; returns the folders below it that are to be entered, with the rules in force there."""
        try:
            with os.scandir(os.path.join(self.root, folder)) as listing:  # noqa: PTH118 - names may not be text
                entries = {entry.name: entry for entry in listing}
        except OSError as error:
            self._unreadable(folder, error)
            return []
        if folder and (why := cache_rule(entries)):
            self.ignored[folder] = why
            return []
        rules = above.extend(self._ignore_files(folder, entries))
        below = []
        for name, entry in entries.items():
            path = folder + name
            if not _is_text(name):
                self._refuse_name(path, entry)
            elif self._is_folder(entry):
                if not self._left_out(path + "/", rules, default_rule(name, entries, folder=True)):
                    below.append((path + "/", rules))
            elif not self._left_out(path, rules, default_rule(name, entries, folder=False)):
                self._take(path, entry)
        return below

    def follow_links(self) -> None:
        """Decide about the links once all files are known: what leads out is refused, what leads in is an alias."""
        real_root = os.path.realpath(self.root)
        by_place = {file.place: file.path for file in self.files.values()}
        for path in sorted(self.links):
            known = format_of(path)
            try:
                target = os.path.realpath(self.root / path, strict=True)
                found = Path(target).stat()
            except OSError as error:
                if known is not None:
                    loops = error.errno == errno.ELOOP
                    self.skipped.append(
                        (path, "a link that loops" if loops else "a link to a file that does not exist")
                    )
                continue
            place = _inside(target, real_root)
            folder = stat.S_ISDIR(found.st_mode)
            if place is None:
                if folder or known is not None:
                    self.skipped.append((path + "/" * folder, _OUTSIDE))
            elif folder:
                self.warnings.append((path + "/", "a link to a folder of the corpus; its files are read there"))
            elif place in by_place:
                self.aliases.setdefault(by_place[place], []).append(path)
            elif self._is_ignored(place):
                self.skipped.append((path, "a link to a file that is left out"))
            elif self._judge(path, place, found):
                by_place[place] = path

    def result(self) -> Discovery:
        """All of it, in order."""
        files = tuple(self.files[path] for path in sorted(self.files))
        return Discovery(
            files=files,
            links={path: tuple(others) for path, others in sorted(self.aliases.items())},
            skipped=tuple(sorted(self.skipped)),
            unreadable=tuple(sorted(self.unreadable)),
            warnings=tuple(sorted([*self.warnings, *_twins(file.path for file in files)])),
            ignored=tuple(
                (path, why) for path, why in sorted(self.ignored.items()) if path.endswith("/") or format_of(path)
            ),
            others=dict(sorted(self.others.items())),
        )

    def _take(self, path: str, entry: os.DirEntry[str]) -> None:
        if entry.name in IGNORE_FILES:
            return
        if _is_link(entry):
            self.links.append(path)
            return
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError as error:
            if format_of(path) is not None:
                self._unreadable(path, error)
            return
        self._judge(path, path, found)

    def _judge(self, path: str, place: str, found: os.stat_result) -> bool:
        """Take a file, or say why not; whether it was taken."""
        entry = format_of(path)
        if entry is None:
            suffix = PurePath(path).suffix.lower() if stat.S_ISREG(found.st_mode) else "(special)"
            self.others[suffix or "(none)"] += 1
        elif path.rpartition("/")[2].startswith("~$"):
            pass  # the lock that an office program leaves beside an open document
        elif not stat.S_ISREG(found.st_mode):
            self.skipped.append((path, "not a regular file"))
        elif not entry.available:
            self.skipped.append((path, str(MissingExtra(entry.label, entry.extra))))
        elif found.st_size > self.options.max_file_bytes:
            limit = self.options.max_file_bytes
            self.skipped.append((path, f"larger than max_file_bytes ({found.st_size:,} of {limit:,} bytes)"))
        else:
            self.files[path] = FoundFile(path, place, entry, found.st_size, found.st_mtime_ns)
            return True
        return False

    def _left_out(self, path: str, rules: IgnoreRules, default: str) -> bool:
        name = path.rstrip("/").rpartition("/")[2]
        why = "never a document" if name in ALWAYS_LEFT_OUT else rules.why_ignored(path, default)
        if why:
            self.ignored[path] = why
        return bool(why)

    def _is_ignored(self, place: str) -> bool:
        """Whether a rule leaves out a file or a folder above it."""
        end = place.find("/")
        while end != -1:
            if place[: end + 1] in self.ignored:
                return True
            end = place.find("/", end + 1)
        return place in self.ignored

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        try:
            return entry.is_dir(follow_symlinks=False) and not _is_link(entry)
        except OSError:
            return False

    def _ignore_files(self, folder: str, entries: Mapping[str, os.DirEntry[str]]) -> dict[str, IgnoreFile]:
        found = {}
        for name in IGNORE_FILES:
            if name not in entries or (name == ".gitignore" and not self.options.respect_gitignore):
                continue
            if not entries[name].is_file(follow_symlinks=False):
                continue
            try:
                found[name], warnings = read_ignore_file(entries[name].path, folder + name)
            except OSError as error:
                warnings = [describe_error(error)]
            self.warnings.extend((folder + name, text) for text in warnings)
        return found

    def _unreadable(self, path: str, error: OSError) -> None:
        if not path:
            raise SourceError(f"{self.root} {describe_error(error)}", "Check that you may list it") from error
        if error.errno != errno.ENOENT:  # else it went away between two looks, as files do
            self.unreadable.append(path)
            self.skipped.append((path, describe_error(error)))

    def _refuse_name(self, path: str, entry: os.DirEntry[str]) -> None:
        folder = self._is_folder(entry)
        if folder or format_of(entry.name) is not None:
            reason = "its name is not valid UTF-8; rename it to take it in"
            self.skipped.append((_escape_name(path) + "/" * folder, reason))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape_name(name: str) -> str:
    """A name that is not valid UTF-8, readable: each byte that is not text as ``%XX``."""
    return "".join(
        char if not 0xDC80 <= ord(char) <= 0xDCFF else f"%{ord(char) - 0xDC00:02X}"
        for char in os.fsdecode(os.fsencode(name))
    )


def _is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry leads elsewhere: a symbolic link, or a junction of Windows."""
    if entry.is_symlink():
        return True
    if os.name != "nt":
        return False
    tag: int = getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0)
    return tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)


def _inside(target: str, real_root: str) -> str | None:
    """The path of a resolved file relative to the resolved root; None when it is not below it, or not text."""
    try:
        place = PurePath(target).relative_to(real_root).as_posix()
    except ValueError:
        return None
    return place if _is_text(place) else None


def _twins(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Paths that another system takes for one: they differ only in case or in their Unicode form."""
    first: dict[str, str] = {}
    found = []
    for path in paths:
        composed = path if path.isascii() else unicodedata.normalize("NFC", path)
        twin = first.setdefault(composed.casefold(), path)
        if twin != path:
            same = unicodedata.normalize("NFC", twin) == composed
            found.append(
                (path, f"differs from {twin} only in {'its Unicode form' if same else 'upper and lower case'}")
            )
    return found
