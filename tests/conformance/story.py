"""Stories: cases that change a corpus between calls.

Each step is one of::

    {"write": {path: text or an entry of a manifest}}      {"remove": [path, ...]}      {"rename": [from, to]}
    {"ingest": {options}, "expect": {...}}                 "root": another folder, "store": another store file,
                                                           "stop_after": kill it after that many documents
                                                           "as_nobody": as a user who may be denied something
    {"together": n, "expect": {...}}                       n ingests of one store at once: a list of reports
    {"delete_store": true}                                 {"deny": path}: take all rights to a path away
    {"read_only": true}                                    a copy of the store, in a folder that nobody may write to
    {"op": ..., "args": ..., "expect": ..., "keep": key}   an operation, over the handle that the story keeps open;
                                                           a value of its answer is kept for later args ("$key")
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drawwell.corpus.ingest.report import IngestReport
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from tests.conformance.builder import content
from tests.conformance.matching import place
from tests.conformance.runner import Bed, answer, attempt, compare, report_of

__all__ = ["tell"]

NOBODY = 65534
_NOTHING = IngestReport.__new__(IngestReport)


class _Killed(BaseException):
    """Stands for the end of the process in the middle of an ingest."""


def tell(steps: list[dict[str, Any]], folder: Path) -> list[str]:
    """Run a story.

    Args:
        steps: see above.
        folder: an empty one; the corpus is its folder ``corpus``.

    Returns:
        What differed from the expectations, with the number of the step.
    """
    story = _Story(folder)
    try:
        return [f"step {number}: {difference}" for number, step in enumerate(steps) for difference in story.step(step)]
    finally:
        story.close()


class _Story:
    def __init__(self, folder: Path) -> None:
        self._place = folder
        self._root = folder / "corpus"
        self._root.mkdir()
        self._store = store_path(self._root)
        self._bed: Bed | None = None
        self._denied: list[Path] = []
        self._kept: dict[str, Any] = {}
        self._guest = False

    def close(self) -> None:
        for path in self._denied:
            path.chmod(0o755)
        if self._bed is not None:
            self._bed.close()

    def step(self, step: dict[str, Any]) -> list[str]:
        for path, entry in step.get("write", {}).items():
            target = self._root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content(entry if isinstance(entry, dict) else {"text": entry}))
        for path in step.get("remove", []):
            (self._root / path).unlink()
        if "rename" in step:
            old, new = (self._root / path for path in step["rename"])
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)
        if "deny" in step:
            path = self._root / step["deny"]
            path.chmod(0)
            self._denied.append(path)
        if step.get("delete_store"):
            for path in self._store.parent.glob(f"{self._store.name}*"):
                path.unlink()
        if step.get("read_only"):
            self._seal()
        return self._run(step)

    def _run(self, step: dict[str, Any]) -> list[str]:
        expect = step.get("expect", {})
        if "ingest" in step:
            return compare(attempt(lambda: self._ingest(step)), expect)
        if "together" in step:
            return compare(self._together(step["together"]), expect)
        if "op" in step:
            args = {name: self._kept.get(str(value), value) for name, value in step.get("args", {}).items()}
            with _rights(self._guest, self._place):
                found = attempt(lambda: answer(step["op"], args, self._open()))
            if "keep" in step:
                self._kept[f"${step['keep']}"] = place(found, step["keep"])
            return compare(found, expect)
        return []

    def _seal(self) -> None:
        sealed = self._place / "sealed"
        sealed.mkdir()
        shutil.copy(self._store, sealed)
        self._store = sealed / self._store.name
        self._guest = True
        sealed.chmod(0o555)
        self._denied.append(sealed)

    def _ingest(self, step: dict[str, Any]) -> Any:
        root = self._place / step["root"] if "root" in step else self._root
        root.mkdir(exist_ok=True)
        if "store" in step:
            self._store = self._place / step["store"]
        progress = _stop_after(step["stop_after"]) if "stop_after" in step else None
        with _rights(step.get("as_nobody", False), self._place), contextlib.suppress(_Killed):
            return report_of(ingest(root, self._store, IngestOptions(**step["ingest"]), progress), self._store)
        return {"killed": True}

    def _together(self, count: int) -> list[Any]:
        answers: list[Any] = []

        def one() -> None:
            answers.append(
                attempt(lambda: report_of(ingest(self._root, self._store, IngestOptions(workers=1)), self._store))
            )

        threads = [threading.Thread(target=one) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _open(self) -> Bed:
        if self._bed is None:
            self._bed = Bed(self._root, self._store, _NOTHING, Corpus(Store.open(self._store), self._root))
        return self._bed


def _stop_after(count: int) -> Any:
    def progress(stage: str, done: int, total: int, path: str) -> None:
        if stage == "reading" and done >= count:
            raise _Killed

    return progress


@contextlib.contextmanager
def _rights(as_nobody: bool, folder: Path) -> Iterator[None]:
    """Act as a user to whom rights can be denied, where the tests run as the one to whom they cannot."""
    if not as_nobody or os.geteuid() != 0:
        yield
        return
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, NOBODY, NOBODY)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
