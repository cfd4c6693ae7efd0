"""The indexes beside a store: the same answers however they came about, right ones when they lag or are damaged."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.corpus.ingest import words as following
from drawwell.corpus.operations import grep_texts
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.corpus.store.words import GRAMS, INDEXES, META, NOTE, TERMS, words_folder
from drawwell.retrieval.words import WordsReader
from tests.corpus.folders import as_other_user, fill, public_folder, rows, take
from tests.corpus.opened import ids

NAMES = 14
VOCABULARY = (
    "alpha",
    "beta",
    "gamma",
    "deltaOne",
    "delta_two",
    "TX-4419",
    "epsilon",
    "zeta",
    "状態",
    "running",
    "Straße",
)
QUESTIONS = ("alpha", "beta gamma", "delta", "TX-4419 epsilon", "状態", "run", '"alpha beta"', "deltaOne zeta", "owner")
PATTERNS = (("alpha b", False), ("ta_t", False), ("tx-44", False), ("状態", False), (r"alpha \w+ta\b", True))

Change = tuple[str, int, int]


def page(seed: int) -> str:
    """A document of one to three sections, some with front matter."""
    chance = random.Random(seed)
    front = f"---\nowner: team {chance.randrange(4)}\n---\n" if chance.random() < 0.3 else ""
    parts = [
        f"# {chance.choice(VOCABULARY)} {seed}\n\n{' '.join(chance.choices(VOCABULARY, k=chance.choice([8, 20])))}\n"
        for _ in range(chance.randrange(1, 4))
    ]
    return front + "\n".join(parts)


def apply(root: Path, change: Change) -> None:
    """Add, edit, delete or rename one file."""
    action, number, seed = change
    place = root / f"{number:02}.md"
    if action == "write":
        place.write_text(page(seed), encoding="utf-8")
    elif action == "delete" and len(list(root.glob("*.md"))) > NAMES // 2:
        place.unlink(missing_ok=True)
    elif action == "rename" and place.exists():
        place.replace(root / f"{seed % NAMES:02}.md")


@contextmanager
def corpus_of(store: Path) -> Iterator[Corpus]:
    with Corpus(Store.open(store)) as corpus:
        yield corpus


def greps(corpus: Corpus) -> list[list[str]]:
    return [ids(corpus.grep(pattern, regex=regex, limit=100)) for pattern, regex in PATTERNS]


def searches(corpus: Corpus) -> list[list[tuple[str, float]]]:
    """Ids and scores of all hits of each question, by the index alone."""
    found = []
    for question in QUESTIONS:
        cursor: str | None = None
        hits: list[tuple[str, float]] = []
        while cursor is not None or not hits:  # to the end: before the index is written anew the order may differ
            result = corpus.search(question, limit=50, cursor=cursor)
            assert result.mode == "lexical"
            hits += [(hit.id, hit.score) for hit in result.hits]
            cursor = result.next
            if not result.hits:
                break
        found.append(hits)
    return found


changes = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "delete", "rename"]), st.integers(0, NAMES - 1), st.integers(100, 10**6)
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=6, deadline=None)
@given(series=st.lists(changes, min_size=2, max_size=4))
def test_a_series_of_updates_answers_as_a_fresh_build(series: list[list[Change]]) -> None:
    """After the index is written anew ids, order and scores are the same; before that the hits and grep's answers."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(grep_texts, "_READ_PER_CANDIDATE", 10**6)
        root = fill(Path(folder) / "docs", {f"{number:02}.md": page(number) for number in range(NAMES)})
        patch.setattr(following, "_MOST_DELETED", 100.0)
        take(root, workers=1)
        for number, some in enumerate([*series, [("write", 0, 10**7)]]):
            is_last = number == len(series)
            if is_last:
                patch.setattr(following, "_MOST_DELETED", 0.0)
            for change in some:
                apply(root, change)
            take(root, workers=1, prune=True)
            fresh = Path(folder) / f"fresh-{number}" / "store.sqlite"
            take(root, fresh, workers=1)
            with corpus_of(store_path(root)) as grown, corpus_of(fresh) as made:
                assert greps(grown) == greps(made)
                pairs = zip(searches(grown), searches(made), strict=True)
                assert all(one == other if is_last else {*dict(one)} == {*dict(other)} for one, other in pairs)


BIRDS = ("kestrel", "lapwing", "osprey", "dunlin", "fulmar", "whimbrel")
FILES: dict[str, str | bytes] = {
    f"{n}.md": f"# Page {n}\n\nThe needle stands here, a {bird} too.\n\n## More\n\nMore of alpha{n} and beta.\n"
    for n, bird in enumerate(BIRDS)
}


def edit(root: Path, bird: str) -> None:
    """Let page 2 speak of another bird."""
    fill(root, {"2.md": str(FILES["2.md"]).replace("osprey", bird)})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small folder, ingested."""
    folder = fill(tmp_path / "docs", FILES)
    take(folder, workers=1)
    return folder


def check(store: Path, *, mode: str = "lexical", changed: str = "") -> None:
    """All answers are right for six pages, of which page 2 may have another word; the ranking that ran is this one."""
    with corpus_of(store) as corpus:
        for number, bird in enumerate(BIRDS):
            word = changed if changed and number == 2 else bird
            found = corpus.search(word)
            assert ids(found) == [f"{number}.md#0"], word
            assert found.mode == mode
            assert ids(corpus.grep(word)) == [f"{number}.md#0"]
        assert len(corpus.search("beta needle", limit=50).hits) == 12
        if changed:
            assert ids(corpus.search("osprey")) == ids(corpus.grep("osprey")) == []


def test_documents_newer_than_the_index_are_found(root: Path) -> None:
    """What the index was not told of is found by the store itself, its old text is not, and an ingest catches up."""
    edit(root, "turnstone")
    take(root, workers=1, words=False)
    check(store_path(root), changed="turnstone")
    (root / "2.md").unlink()
    take(root, workers=1, words=False)
    with corpus_of(store_path(root)) as corpus:
        assert ids(corpus.search("turnstone")) == ids(corpus.grep("turnstone")) == ids(corpus.grep("alpha2")) == []
        assert len(corpus.search("beta needle", limit=50).hits) == 10
    edit(root, "gannet")
    take(root, workers=1)
    check(store_path(root), changed="gannet")


def test_a_store_copied_alone_answers_by_the_plain_ranking(root: Path, tmp_path: Path) -> None:
    """It says so, and nothing is missing; asked for plain it says nothing."""
    copy = Path(shutil.copy(store_path(root), tmp_path / "copy.sqlite"))
    check(copy, mode="plain")
    with corpus_of(copy) as corpus:
        assert corpus.search("needle").hint == "the index for ranking is not there yet, so the plain ranking answered"
        assert corpus.search("needle", mode="plain").hint is None


def test_the_indexes_of_another_store_are_ignored(root: Path, tmp_path: Path) -> None:
    """They are neither asked nor added to."""
    other = fill(tmp_path / "other", {f"{n}.md": f"# Other {n}\n\n{BIRDS[n % 6]} and needle\n" for n in range(9)})
    take(other, workers=1)
    shutil.rmtree(words_folder(store_path(root)))
    shutil.copytree(words_folder(store_path(other)), words_folder(store_path(root)))
    check(store_path(root), mode="plain")
    take(root, workers=1)
    check(store_path(root))


@pytest.mark.parametrize("noted", [True, False], ids=["note", "no note"])
def test_an_older_copy_of_the_store_is_not_taken_for_what_was_indexed(root: Path, tmp_path: Path, noted: bool) -> None:
    """Put back, it answers from itself; what it then writes under the same numbers is not confused with other texts."""
    store = store_path(root)
    old = Path(shutil.copy(store, tmp_path / "old.sqlite"))
    edit(root, "gannet")
    take(root, workers=1)
    shutil.copy(old, store)
    if not noted:
        (words_folder(store) / NOTE).unlink()  # as a kill leaves it
    check(store, mode="plain")
    edit(root, "turnstone")
    take(root, workers=1)
    check(store, changed="turnstone")


def test_an_older_copy_from_before_a_removal(root: Path, tmp_path: Path) -> None:
    """A document that was only taken out since is found again."""
    store = store_path(root)
    old = Path(shutil.copy(store, tmp_path / "old.sqlite"))
    (root / "3.md").unlink()
    take(root, workers=1)
    shutil.copy(old, store)
    check(store, mode="plain")
    fill(root, {"3.md": FILES["3.md"]})
    take(root, workers=1)
    check(store)


def test_a_store_that_went_on_elsewhere(root: Path, tmp_path: Path) -> None:
    """Two copies that went on by themselves: the indexes of the one are not asked for the texts of the other."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(root, elsewhere, ignore=shutil.ignore_patterns("words"))
    edit(root, "turnstone")
    edit(elsewhere, "gannet")
    for folder in (root, elsewhere):
        take(folder, workers=1)
    shutil.copy(store_path(elsewhere), store_path(root))
    check(store_path(root), mode="plain", changed="gannet")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _nonsense(path: Path) -> None:
    path.write_bytes(b"{\xff]")


def _link(path: Path) -> None:
    target = path.parents[3] / "moved-away"
    path.replace(target)
    path.symlink_to(target)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _lost(path: Path) -> None:
    path.unlink()


DAMAGES: tuple[Callable[[Path], None], ...] = (_cut, _empty, _nonsense, _link, _folder, _lost)
PARTS = (META, ".managed.json", "*.term", "*.idx", "*.fast", "*.store")


def targets(store: Path, part: str) -> list[Path]:
    """The files of one kind in all indexes beside a store."""
    return [place for name in INDEXES for place in sorted(words_folder(store, name).glob(part))]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__.strip("_"))
def test_damage_never_stops_an_answer_and_is_mended(root: Path, damage: Callable[[Path], None]) -> None:
    """Whatever becomes of a file of an index, searches and greps answer, and the next ingest makes the index anew."""
    store = store_path(root)
    for part in PARTS:
        for place in targets(store, part):
            damage(place)
        with corpus_of(store) as corpus:
            assert ids(corpus.search("osprey")) == ids(corpus.grep("osprey")) == ["2.md#0"]
        report = take(root, workers=1)
        assert report.warnings == ()
        check(store)


def test_damage_within_files_never_stops_an_answer(root: Path) -> None:
    """Bytes that changed in the middle of a file give other hits at worst, or the plain ranking: no panic escapes."""
    store = store_path(root)
    words = words_folder(store)
    whole = shutil.copytree(words, root.parent / "whole")
    chance = random.Random(4)
    for _ in range(15):
        place = chance.choice([*words.glob("*/*.idx"), *words.glob("*/*.term"), *words.glob("*/*.fast")])
        content = bytearray(place.read_bytes())
        for _ in range(6):
            content[chance.randrange(len(content))] = chance.randrange(256)
        place.write_bytes(content)
        with corpus_of(store) as corpus:
            for question in ("osprey", "needle beta", "alpha4"):
                corpus.search(question)
                corpus.grep(question)
        fill(root, {"2.md": f"# Page 2\n\n{chance.random()}\n"})
        take(root, workers=1)
        shutil.rmtree(words)
        shutil.copytree(whole, words)


def test_indexes_in_each_others_place(root: Path) -> None:
    """They are not asked, and made anew."""
    store = store_path(root)
    terms, grams = words_folder(store, TERMS), words_folder(store, GRAMS)
    terms.rename(terms.with_name("aside"))
    grams.rename(terms)
    terms.with_name("aside").rename(grams)
    check(store, mode="plain")
    take(root, workers=1)
    check(store)


class PanicException(BaseException):
    """What a panic of Rust's looks like to Python."""


@pytest.mark.parametrize("error", [PanicException("index out of bounds"), ValueError("an IO error"), OSError(5, "io")])
def test_a_panic_while_searching_is_answered_without_the_index(
    root: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is left alone from then on; anything else that is no Exception goes its way."""

    def fail(*_: object, **__: object) -> None:
        raise error

    with corpus_of(store_path(root)) as corpus:
        with monkeypatch.context() as patch:
            patch.setattr(WordsReader, "top", fail)
            assert ids(corpus.search("osprey")) == ["2.md#0"]
        assert corpus.search("osprey").mode == "plain"
        with monkeypatch.context() as patch:
            patch.setattr("drawwell.retrieval.grams.candidates_of", fail)
            assert ids(corpus.grep("osprey")) == ["2.md#0"]
    with corpus_of(store_path(root)) as corpus, monkeypatch.context() as patch:
        error = KeyboardInterrupt()
        patch.setattr(WordsReader, "top", fail)
        with pytest.raises(KeyboardInterrupt):
            corpus.search("osprey")


def test_a_panic_while_writing_is_reported_at_most(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One failure is mended in the same run; a lasting one is a warning, and the next run catches up."""
    failures = 1

    def commit(writer: following.WordsWriter) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise PanicException("disk")
        writer._writer.commit()

    monkeypatch.setattr("drawwell.retrieval.words.WordsWriter.commit", commit)
    edit(root, "turnstone")
    assert take(root, workers=1).warnings == ()
    check(store_path(root), changed="turnstone")
    failures = 2
    edit(root, "gannet")
    (warning,) = take(root, workers=1).warnings
    assert (warning.path, warning.reason) == ("words/", "could not be written: it is damaged: disk")
    check(store_path(root), changed="gannet")
    assert take(root, workers=1).warnings == ()
    assert (words_folder(store_path(root)) / NOTE).exists()
    check(store_path(root), changed="gannet")


@pytest.mark.parametrize("place", ["", *INDEXES])
def test_links_among_the_indexes_are_never_followed(root: Path, tmp_path: Path, place: str) -> None:
    """In a folder that came from others: nothing is read or written where a link leads, and it is taken away."""
    store = store_path(root)
    folder = words_folder(store, place)
    outside = tmp_path / "outside"
    folder.rename(outside)
    folder.symlink_to(outside, target_is_directory=True)
    before = {path.name: path.stat().st_mtime_ns for path in outside.rglob("*")}
    with corpus_of(store) as corpus:
        assert ids(corpus.search("osprey")) == ids(corpus.grep("osprey")) == ["2.md#0"]
        assert corpus.search("osprey").mode == ("plain" if place in ("", TERMS) else "lexical")
    edit(root, "turnstone")
    take(root, workers=1)
    assert {path.name: path.stat().st_mtime_ns for path in outside.rglob("*")} == before
    assert not folder.is_symlink()
    check(store, changed="turnstone")


def test_a_note_that_is_a_link_is_not_written_through(root: Path, tmp_path: Path) -> None:
    """What the link leads to stays as it is."""
    precious = fill(tmp_path, {"precious.txt": "keep"}) / "precious.txt"
    note = words_folder(store_path(root)) / NOTE
    note.unlink()
    note.symlink_to(precious)
    take(root, workers=1)
    assert precious.read_text() == "keep"
    assert not note.is_symlink()


@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_list_of_files_names_none_outside(root: Path, tmp_path: Path, is_absolute: bool) -> None:
    """Tantivy deletes files that its list names and no commit needs: such a list from others deletes nothing here."""
    store = store_path(root)
    precious = fill(tmp_path, {"precious.txt": "keep"}) / "precious.txt"
    folder = words_folder(store, TERMS)
    name = str(precious) if is_absolute else os.path.relpath(precious, folder)
    managed = folder / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), name]))
    edit(root, "turnstone")
    take(root, workers=1)
    take(root, workers=1)
    assert precious.exists()
    check(store, changed="turnstone")


def test_lost_indexes_come_again(root: Path) -> None:
    """Deleted while a reader is open: it answers by the plain ranking, and by the index when there is one again."""
    store = store_path(root)
    with corpus_of(store) as corpus:
        assert corpus.search("osprey").mode == "lexical"
        shutil.rmtree(words_folder(store))
        assert ids(corpus.search("osprey")) == ids(corpus.grep("osprey")) == ["2.md#0"]
        assert corpus.search("osprey").mode == "plain"
        take(root, workers=1)
        assert corpus.search("osprey").mode == "lexical"


def test_a_run_that_changes_nothing_leaves_the_indexes_alone(root: Path) -> None:
    """No file beside the store is written."""
    words = words_folder(store_path(root))
    before = {path: path.stat().st_mtime_ns for path in words.rglob("*")}
    state = rows(root, "SELECT * FROM meta")
    take(root, workers=1)
    assert {path: path.stat().st_mtime_ns for path in words.rglob("*")} == before
    assert rows(root, "SELECT * FROM meta") == state


def test_a_read_only_folder_is_searched_by_a_copy_of_the_index() -> None:
    """The copy is in the user's cache, one for each index, and made anew when the index has changed."""
    code = "root = Path(sys.argv[1]); os.environ.update(HOME=sys.argv[2], XDG_CACHE_HOME=sys.argv[2])\n"
    code += "with Corpus(Store.open(root / STORE_DIR / STORE_NAME)) as corpus:\n"
    code += "    for _ in range(2):\n        found = corpus.search('osprey'); print(found.mode, found.hits[0].id)\n"
    code += "    print(corpus.grep('osprey').matches[0].id)\n"
    code += "print(len(list((Path(sys.argv[2]) / 'drawwell' / 'words').glob('*/*'))))\n"
    with public_folder() as place, public_folder() as cache:
        cache.chmod(0o777)
        fill(place, FILES)
        for number in range(2):
            take(place, workers=1)
            for folder, _, files in os.walk(place / ".drawwell"):
                Path(folder).chmod(0o555)
                for file in files:
                    (Path(folder) / file).chmod(0o444)
            told = as_other_user(code, str(place), str(cache)).split()
            assert told == ["lexical", "2.md#0", "lexical", "2.md#0", "2.md#0", "3"]
            for folder, _, files in os.walk(place / ".drawwell"):
                Path(folder).chmod(0o755)
                for file in files:
                    (Path(folder) / file).chmod(0o644)
            fill(place, {"1.md": f"# Page 1\n\nEdition {number} of it\n"})


READ = """
import sys
from pathlib import Path
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
with Corpus(Store.open(Path(sys.argv[1]))) as corpus:
    print("ready", flush=True)
    looks = 0
    while not Path(sys.argv[2]).exists() or looks < 3:
        found = {hit.doc for hit in corpus.search("needle", limit=50).hits}
        assert found == {f"{n}.md" for n in range(6)}, found
        found = {match.doc for match in corpus.grep("needle").matches}
        assert found == {f"{n}.md" for n in range(6)}, found
        looks += 1
print(looks)
"""


def test_threads_and_processes_search_during_ingests(root: Path, tmp_path: Path) -> None:
    """Every answer holds each document once, with its old or its new text, and none fails."""
    store, done = store_path(root), tmp_path / "done"
    command = [sys.executable, "-c", READ, str(store), str(done)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, corpus_of(store) as corpus:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def look(_: int) -> int:
            looks = 0
            while not done.exists() or looks < 3:
                found = corpus.search("needle", limit=50)
                assert sorted(hit.doc for hit in found.hits) == [f"{n}.md" for n in range(6)]
                assert sorted(match.doc for match in corpus.grep("needle").matches) == [f"{n}.md" for n in range(6)]
                looks += 1
            return looks

        with ThreadPoolExecutor(3) as threads:
            results = threads.map(look, range(3))
            try:
                for number in range(8):
                    fill(root, {f"{number % 6}.md": str(FILES[f"{number % 6}.md"]).replace("stands", f"is{number}")})
                    take(root, workers=1)
            finally:
                done.touch()
            assert all(looks >= 3 for looks in results)
        told = process.stdout.read()
        assert process.wait(20) == 0
        assert int(told) >= 3
    with closing(Store.open(store)) as reader:
        assert reader.meta("drawwell.state") == "complete"
