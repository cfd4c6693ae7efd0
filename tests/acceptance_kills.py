"""Kills ingests at random points and checks after each that every answer is right for what is in the store.

By hand: ``python -m tests.acceptance_kills [N=200]``. Some hundred generated documents are edited, added, renamed and
deleted; an ingest of them, cold or later, of few or of many, is killed by SIGKILL. Then this process, with a corpus
that is open all the time and with a new one, searches (lexical and plain), greps (literal and regex) and reads (by id
and by cite). Every word of every edition must be found exactly when the store holds that edition. Prints what is wrong.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import STORE_DIR, store_path
from drawwell.corpus.store.words import TERMS, words_folder
from drawwell.errors import StoreError
from tests.corpus.editions import problems_of, sections_of, text_of, word_of

DOCUMENTS = 300
COLD_EVERY = 6
PEACE_EVERY = 15
SAMPLE = 12
POINTS = {"start": 1.0, "finding": 0.1, "reading": 1.0, "indexing": 0.3, "commit": 0.05, "committed": 0.05}
"""Seconds within which the kill falls, from each point on."""
RUN = """
import sys
from pathlib import Path
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.retrieval.words import WordsWriter
root, store = map(Path, sys.argv[1:])
commit = WordsWriter.commit
def told(writer):
    print("commit", flush=True)
    commit(writer)
    print("committed", flush=True)
WordsWriter.commit = told
print("start", flush=True)
ingest(root, store, IngestOptions(workers=2, prune=True), lambda stage, *_: print(stage, flush=True))
"""


@dataclass(slots=True)
class Folder:
    """A folder of documents whose every edition has a word of its own."""

    root: Path
    chance: random.Random
    size: int
    words: list[str] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)
    edition: int = 0

    def write(self, number: int) -> None:
        """Give a document a new edition."""
        self.edition += 1
        self.words.append(word_of(number, self.edition))
        (self.root / f"{number:03}.md").write_text(text_of(number, self.edition), encoding="utf-8")

    def change(self, share: float) -> None:
        """Edit, add, rename and delete a share of the documents."""
        for number in self.chance.sample(range(self.size), max(1, int(share * self.size))):
            place = self.root / f"{number:03}.md"
            action = self.chance.random()
            if action < 0.1 and place.exists():
                place.unlink()
            elif action < 0.2 and place.exists():
                place.replace(self.root / f"{self.chance.randrange(self.size):03}.md")
            else:
                self.write(number)


def kill_one(folder: Folder, point: str, longest: float) -> bool:
    """Start an ingest and kill it within ``longest`` seconds after a point; False when it was done before."""
    command = [sys.executable, "-c", RUN, str(folder.root), str(store_path(folder.root))]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        nth = folder.chance.randrange(1, 4) if point.startswith("commit") else 1
        for line in process.stdout:
            nth -= line.strip() == point.encode()
            if not nth:
                break
        time.sleep(folder.chance.uniform(0, longest))
        process.kill()
    return process.returncode == -signal.SIGKILL


def check(folder: Folder, open_corpus: Corpus | None, sample: int, seed: int) -> list[str]:
    """Ask a new corpus, and one that has been open all the time."""
    found = []
    for name, corpus in (("new", Corpus(Store.open(store_path(folder.root)))), ("open", open_corpus)):
        if corpus is not None:
            cites = folder.chance.sample(folder.cites, min(sample, len(folder.cites)))
            found += [f"{name}: {one}" for one in problems_of(corpus, folder.words, cites, sample, seed)]
            if corpus is not open_corpus:
                corpus.close()
    return found


class Trial:
    """All rounds over one folder.

    Args:
        root: the folder, empty.
        seed: decides everything but the speed of the machine.
        size: how many documents there are.
        points: where kills fall, with the seconds within which they fall from there on.
    """

    def __init__(self, root: Path, seed: int, size: int = DOCUMENTS, points: Mapping[str, float] = POINTS) -> None:
        self.folder = Folder(root, random.Random(seed), size)
        self._points = points
        self.struck: Counter[str] = Counter()
        self.missed = self.wrong = self.bare = 0
        self._open: Corpus | None = None

    def run(self, kills: int) -> None:
        """Kill, check, and now and then finish in peace."""
        chance = self.folder.chance
        for number in range(self.folder.size):
            self.folder.write(number)
        while self.struck.total() < kills:
            turn = self.struck.total() + self.missed
            if turn % COLD_EVERY == 0:
                self._forget()
            self.folder.change(chance.choice([0.01, 0.04, 0.3, 1.0]))
            point = chance.choice(list(self._points))
            if not kill_one(self.folder, point, self._points[point]):
                self.missed += 1
            else:
                self.struck[point] += 1
            self._check(f"kill {self.struck.total()} after {point}", SAMPLE, turn)
            if turn % PEACE_EVERY == PEACE_EVERY - 1:
                self._in_peace(turn)
        self._in_peace(kills)

    def _in_peace(self, seed: int) -> None:
        root = self.folder.root
        report = ingest(root, store_path(root), IngestOptions(workers=2, prune=True))
        paths = {one.id.rpartition("#")[0] for one in sections_of(store_path(root))}
        if report.warnings or paths != {place.name for place in root.glob("*.md")}:
            self._say(f"run {seed} in peace", [f"{report.warnings}; {len(paths)} documents"])
        if not words_folder(store_path(root), TERMS).is_dir():
            self._say(f"run {seed} in peace", ["no index"])
        self._check(f"run {seed} in peace", 2 * SAMPLE, seed)
        held = sections_of(store_path(root))
        self.folder.cites += [one.cite for one in self.folder.chance.sample(held, SAMPLE)]

    def _check(self, when: str, sample: int, seed: int) -> None:
        store = store_path(self.folder.root)
        if not store.exists():
            self.bare += 1
            return
        try:
            if self._open is None:
                self._open = Corpus(Store.open(store))
            self._say(when, check(self.folder, self._open, sample, seed))
        except StoreError as error:
            if store.stat().st_size:  # killed before the first table
                self._say(when, [f"{type(error).__name__}: {error}"])
            else:
                self.bare += 1

    def _say(self, when: str, problems: list[str]) -> None:
        self.wrong += len(problems)
        for problem in problems[:5]:
            print(f"! {when}: {problem}")

    def _forget(self) -> None:
        """Begin anew, without a store."""
        if self._open is not None:
            self._open.close()
            self._open = None
        shutil.rmtree(self.folder.root / STORE_DIR, ignore_errors=True)

    def close(self) -> None:
        """Close the corpus that is open all the time."""
        if self._open is not None:
            self._open.close()


def main(kills: int, seed: int) -> int:
    """Kill so many ingests.

    Returns:
        How many answers were wrong.
    """
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "docs"
        root.mkdir()
        with closing(Trial(root, seed)) as trial:
            trial.run(kills)
    where = ", ".join(f"{count} {point}" for point, count in sorted(trial.struck.items()))
    print(f"{trial.struck.total()} kills (after: {where}), {trial.missed} came too late, {trial.bare} before any store")
    print(f"{len(trial.folder.words)} editions; {trial.wrong} wrong answers; {time.perf_counter() - begun:.0f} s")
    return trial.wrong


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, 1)))
