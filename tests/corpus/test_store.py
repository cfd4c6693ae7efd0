"""Opening stores: what is refused and how, read-only places, logs left behind, files replaced while open."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import drawwell.corpus.store.connect as connect_module
import drawwell.corpus.store.handle as store_module
import drawwell.corpus.store.schema as schema_module
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.connect import open_for_writing
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import find_store, store_path
from drawwell.corpus.store.schema import MIGRATIONS, OWN_VERSION, Migration, migrate
from drawwell.errors import Error, StoreBusy, StoreError, StoreTooNew
from tests.corpus.folders import as_other_user, fill, public_folder, rows, take

PEER = Path(__file__).parent.parent / "compat" / "contextpull-0.2.1.sqlite"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of two documents."""
    take(fill(tmp_path / "docs", {"a.md": "# A\n\nalpha beta\n", "b.md": "# B\n\ngamma delta\n"}))
    return store_path(tmp_path / "docs")


def change(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def refusal(path: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    return caught.value


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%20b", "with space", "ünïcode", "quote'"])
def test_fs_15_any_path_can_hold_a_store(tmp_path: Path, name: str) -> None:
    """Characters that mean something in a URI are only a name here."""
    root = fill(tmp_path / name, {"a.md": "# A\n\nalpha\n"})
    take(root)
    with closing(Store.open(store_path(root))) as opened:
        assert opened.own
        assert opened.connection().execute("SELECT path FROM documents").fetchone()["path"] == "a.md"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_what_is_not_a_store_is_refused_in_plain_words(tmp_path: Path, store: Path) -> None:
    """Each kind of wrong file has its own reason."""
    fill(tmp_path, {"empty.sqlite": b"", "text.sqlite": "hello", "half.sqlite": store.read_bytes()[:3000]})
    change(tmp_path / "other.sqlite", "CREATE TABLE t (x)")
    assert "there is no store" in refusal(tmp_path / "missing.sqlite").message
    assert "is a folder" in refusal(tmp_path).message
    assert "is empty" in refusal(tmp_path / "empty.sqlite").message
    assert "not an SQLite file" in refusal(tmp_path / "text.sqlite").message
    assert "not a store of documents" in refusal(tmp_path / "other.sqlite").message
    assert "damaged" in refusal(tmp_path / "half.sqlite").message


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("UPDATE meta SET value = '2.0' WHERE key = 'schema_version'", ("2.0", "1.0")),
        (f"UPDATE meta SET value = '{OWN_VERSION + 1}' WHERE key = 'drawwell.schema'", (str(OWN_VERSION + 1), "1")),
    ],
)
def test_newer_stores_are_refused_with_both_versions(store: Path, statement: str, names: tuple[str, str]) -> None:
    """A newer major format, or newer tables of ours, is not guessed at, by readers or by ingest."""
    change(store, statement)
    error = refusal(store)
    assert isinstance(error, StoreTooNew)
    assert all(name in error.message for name in names)
    with pytest.raises(StoreTooNew):
        take(store.parent.parent)


def test_a_newer_minor_format_is_read(store: Path) -> None:
    """Within a major version only tables are added."""
    change(store, "UPDATE meta SET value = '1.7' WHERE key = 'schema_version'")
    with closing(Store.open(store)) as opened:
        assert opened.meta("schema_version") == "1.7"


def test_an_older_major_format_is_refused(store: Path) -> None:
    """There is no format 0 to read."""
    change(store, "UPDATE meta SET value = '0.9' WHERE key = 'schema_version'")
    assert "0.9" in refusal(store).message


def test_a_foreign_store_is_read_but_not_ingested_into(tmp_path: Path) -> None:
    """A store that ContextPull made keeps every byte."""
    place = tmp_path / "peer.sqlite"
    shutil.copy(PEER, place)
    with closing(Store.open(place)) as opened:
        assert not opened.own
        assert opened.generation()
        assert opened.connection().execute("SELECT count(*) FROM sections").fetchone()[0] > 0
    before = place.read_bytes()
    with pytest.raises(StoreError, match="not made by drawwell"):
        take(fill(tmp_path / "docs", {"a.md": "# A\n\ntext\n"}), place)
    assert place.read_bytes() == before


def test_connections_are_read_only_and_one_per_thread(store: Path) -> None:
    """No query can write, and threads do not share a connection."""
    opened = Store.open(store)
    mine = opened.connection()
    assert mine is opened.connection()
    with pytest.raises(sqlite3.OperationalError):
        mine.execute("DELETE FROM documents")
    others: list[sqlite3.Connection] = []
    thread = threading.Thread(target=lambda: others.append(opened.connection()))
    thread.start()
    thread.join()
    assert others[0] is not mine
    opened.close()
    opened.close()
    for connection in (mine, *others):
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
    with pytest.raises(StoreError, match="closed"):
        opened.connection()


def test_interrupt_ends_a_running_query(store: Path) -> None:
    """A server that must leave does not wait for a slow query."""
    opened = Store.open(store)
    connection = opened.connection()
    timer = threading.Timer(0.2, opened.interrupt)
    timer.start()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        ).fetchone()
    timer.join()
    opened.close()


def test_generation_changes_with_content_only(tmp_path: Path) -> None:
    """A run that changes nothing keeps the generation; one that does, does not."""
    root = fill(tmp_path, {"a.md": "# A\n\nalpha\n"})
    take(root)
    with closing(Store.open(store_path(root))) as opened:
        first = opened.generation()
        take(root)
        assert opened.generation() == first
        fill(root, {"a.md": "# A\n\nalpha beta\n"})
        take(root)
        assert opened.generation() != first


def test_fs_16_a_read_only_folder_serves(store: Path) -> None:
    """A store is read where nothing can be written, and leaves nothing there."""
    with public_folder() as place:
        shutil.copy(store, place / "store.sqlite")
        (place / "store.sqlite-wal").touch()  # as a reader leaves it
        place.chmod(0o555)
        code = "opened = Store.open(Path(sys.argv[1])); print(opened.own, len(list(opened.connection().execute("
        code += "'SELECT 1 FROM sections_fts WHERE sections_fts MATCH ?', ('alpha',))))); opened.close()"
        assert as_other_user(code, str(place / "store.sqlite")).split() == ["True", "1"]
        assert sorted(os.listdir(place)) == ["store.sqlite", "store.sqlite-wal"]


def log_left_behind(store: Path) -> None:
    """Commit a change that stays in the log, as a killed ingest leaves it."""
    code = "import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    code += "c.execute(\"UPDATE documents SET title = 'logged' WHERE path = 'a.md'\")\n"
    code += "c.execute('BEGIN'); c.execute(\"UPDATE documents SET title = 'lost'\")\n"
    code += f"os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    subprocess.run([sys.executable, "-c", code, str(store)], check=False, timeout=60)
    assert store.with_name("store.sqlite-wal").stat().st_size > 0


def test_a_log_left_by_a_kill_counts(store: Path) -> None:
    """What was committed before a kill is read; what was not, is not."""
    log_left_behind(store)
    with closing(Store.open(store)) as opened:
        titles = [row["title"] for row in opened.connection().execute("SELECT title FROM documents ORDER BY path")]
    assert titles == ["logged", "B"]


def test_a_log_left_by_a_kill_counts_in_a_read_only_folder(store: Path) -> None:
    """Even where SQLite has no place for its shared memory."""
    log_left_behind(store)
    with public_folder() as place:
        for name in ("store.sqlite", "store.sqlite-wal"):
            shutil.copy(store.with_name(name), place / name)
        place.chmod(0o555)
        code = "opened = Store.open(Path(sys.argv[1]))\nprint(opened.connection().execute('SELECT title FROM documents"
        code += " ORDER BY path').fetchone()[0]); opened.close()"
        assert as_other_user(code, str(place / "store.sqlite")).strip() == "logged"
        assert sorted(os.listdir(place)) == ["store.sqlite", "store.sqlite-wal"]


def test_fs_19_a_rebuilt_store_is_reopened(tmp_path: Path) -> None:
    """A handle answers from the new file once it is there, and from the old one until then."""
    root = fill(tmp_path / "docs", {"a.md": "# A\n\nalpha\n"})
    take(root)
    store = store_path(root)
    with closing(Store.open(store)) as opened:
        read = lambda: [row[0] for row in opened.connection().execute("SELECT path FROM documents")]  # noqa: E731
        assert read() == ["a.md"]
        for left in store.parent.glob("store.sqlite*"):
            left.unlink()
        assert read() == ["a.md"]
        store.touch()
        assert read() == ["a.md"]
        (root / "a.md").rename(root / "z.md")
        take(root)
        assert read() == ["z.md"]


def test_fs_19_a_store_copied_over_is_reopened(tmp_path: Path) -> None:
    """A store built elsewhere and copied in is used at once, by handles that are open too."""
    first, second = (fill(tmp_path / name, {f"{name}.md": f"# {name}\n\ntext\n"}) for name in ("one", "two"))
    take(first)
    take(second)
    with closing(Store.open(store_path(first))) as opened:
        assert opened.connection().execute("SELECT path FROM documents").fetchone()[0] == "one.md"
        shutil.copy(store_path(second), store_path(first))
        assert opened.connection().execute("SELECT path FROM documents").fetchone()[0] == "two.md"
        assert opened.connection().execute("PRAGMA quick_check").fetchone()[0] == "ok"


def test_store_path_and_find_store(tmp_path: Path) -> None:
    """Stores are found in the folder, above it, by their own folder or file, and ContextPull's as well."""
    root = fill(tmp_path / "docs", {"deep/er/a.md": "# A\n\nalpha\n"})
    assert find_store(root) is None
    assert store_path(root) == root / ".drawwell" / "store.sqlite"
    take(root)
    store = store_path(root)
    for start in (root, root / "deep" / "er", root / ".drawwell", store):
        assert find_store(start) == store
    assert find_store(tmp_path / "nowhere") is None
    peer = tmp_path / "peer" / ".contextpull" / "store.sqlite"
    peer.parent.mkdir(parents=True)
    shutil.copy(PEER, peer)
    assert find_store(tmp_path / "peer") == peer


def test_a_read_only_corpus_keeps_its_store_in_the_users_cache(home: Path) -> None:
    """Nothing is written beside documents that cannot be written to, and the store is found again."""
    with public_folder() as place:
        fill(place, {"a.md": "# A\n\nalpha\n"})
        place.chmod(0o555)
        cache = place.parent / f"{place.name}-cache"
        cache.mkdir()
        cache.chmod(0o777)
        code = "root = Path(sys.argv[1]); os.environ.update(HOME=sys.argv[2], XDG_CACHE_HOME=sys.argv[2])\n"
        code += "store = store_path(root); report = ingest(root, store, IngestOptions())\n"
        code += "print(report.documents, store.is_relative_to(sys.argv[2]), find_store(root) == store)"
        try:
            assert as_other_user(code, str(place), str(cache)).split() == ["1", "True", "True"]
            assert os.listdir(place) == ["a.md"]
        finally:
            shutil.rmtree(cache)


def test_a_store_that_came_with_a_read_only_corpus_is_not_made_again() -> None:
    """The one in the user's cache begins as its copy, so that only what differs is read."""
    with public_folder() as place, public_folder() as cache:
        take(fill(place, {"a.md": "# A\n\nalpha\n", "b.md": "# B\n\nbeta\n"}))
        fill(place, {"b.md": "# B\n\nbeta two\n"})
        (place / ".drawwell").chmod(0o555)
        place.chmod(0o555)
        cache.chmod(0o777)
        code = "root = Path(sys.argv[1]); os.environ.update(HOME=sys.argv[2], XDG_CACHE_HOME=sys.argv[2])\n"
        code += "for _ in range(2):\n    report = ingest(root, store_path(root), IngestOptions())\n"
        code += "    print(report.unchanged, report.changed, report.added)"
        assert as_other_user(code, str(place), str(cache)).splitlines() == ["1 1 0", "2 0 0"]


def add_table(connection: sqlite3.Connection, name: str) -> None:
    connection.execute(f"CREATE TABLE {name} (x)")


def fail(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE drawwell_half (x)")
    raise RuntimeError("no")


def test_migrations_apply_what_is_newer_each_with_its_record(store: Path) -> None:
    """Steps that the store has are left out; a step that fails leaves nothing of itself behind."""
    versions = range(OWN_VERSION, OWN_VERSION + 3)
    steps = [Migration(version, partial(add_table, name=f"drawwell_v{version}")) for version in versions]
    with closing(open_for_writing(store)) as connection:
        migrate(connection, steps)
        with pytest.raises(RuntimeError):
            migrate(connection, [*steps, Migration(versions[-1] + 1, fail)])
    tables = {name for (name,) in rows(store, "SELECT name FROM sqlite_master")}
    assert {f"drawwell_v{version}" for version in versions[1:]} <= tables
    assert not {f"drawwell_v{OWN_VERSION}", "drawwell_half"} & tables
    assert rows(store, "SELECT value FROM meta WHERE key = 'drawwell.schema'") == [(str(versions[-1]),)]


def test_the_ledger_of_migrations_ends_at_our_version() -> None:
    """Every version since the first has its step."""
    assert [step.version for step in MIGRATIONS] == list(range(2, OWN_VERSION + 1))


@pytest.mark.parametrize("version", range(1, OWN_VERSION))
def test_a_store_of_each_older_version_is_migrated(tmp_path: Path, version: int) -> None:
    """A store that an older drawwell wrote answers at once, and the next ingest takes its files in anew."""
    root = fill(tmp_path / "docs", {"guide.md": "# Guide\n\n## Install\n\nRun it.\n", "notes.txt": "Refunds."})
    target = root / ".drawwell" / "store.sqlite"
    target.parent.mkdir()
    shutil.copy(Path(__file__).parent / "stores" / f"schema-{version}.sqlite", target)
    with closing(Store.open(target)) as opened:
        assert opened.meta("drawwell.schema") == str(OWN_VERSION)
        corpus = Corpus(opened)
        assert [hit.id for hit in corpus.search("installer").hits] == ["guide.md#1"]
        assert corpus.read("guide.md#1").text.startswith("## Install")
    report = ingest(root, target, IngestOptions())
    assert (report.changed, report.unchanged, report.documents) == (2, 0, 2)
    generations = rows(target, "SELECT generation FROM drawwell_documents")
    assert len(set(generations)) == 2


def test_opening_an_older_store_migrates_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader brings an older store up to date first, where it can be written; elsewhere it says so."""
    newer = OWN_VERSION + 1
    steps = (Migration(newer, partial(add_table, name="drawwell_new")),)
    monkeypatch.setattr(schema_module, "OWN_VERSION", newer)
    monkeypatch.setattr(store_module, "OWN_VERSION", newer)
    monkeypatch.setattr(connect_module, "migrate", partial(migrate, steps=steps))
    monkeypatch.setattr(store_module, "writable", lambda folder: False)
    assert "older drawwell" in refusal(store).message
    monkeypatch.undo()
    monkeypatch.setattr(schema_module, "OWN_VERSION", newer)
    monkeypatch.setattr(store_module, "OWN_VERSION", newer)
    monkeypatch.setattr(connect_module, "migrate", partial(migrate, steps=steps))
    with closing(Store.open(store)) as opened:
        assert opened.meta("drawwell.schema") == str(newer)
        assert opened.connection().execute("SELECT count(*) FROM drawwell_new").fetchone()[0] == 0


def test_errors_say_what_to_do_next(tmp_path: Path) -> None:
    """A refusal ends in advice."""
    error: Error = refusal(tmp_path / "missing.sqlite")
    assert "drawwell ingest" in error.suggestion


def test_a_busy_store_can_be_read_when_it_is_free_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that could not begin leaves nothing behind that makes the next one fail."""
    monkeypatch.setattr(connect_module, "BUSY_SECONDS", 0.05)
    root = fill(tmp_path / "docs", {"a.md": "# A\n\nSome words to find.\n"})
    take(root)
    store = tmp_path / "rolling.sqlite"
    with closing(sqlite3.connect(store_path(root))) as source, closing(sqlite3.connect(store)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    with Corpus(Store.open(store)) as corpus, closing(sqlite3.connect(store, isolation_level=None)) as writer:
        assert corpus.search("words").hits
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusy):
            corpus.search("words")
        writer.execute("ROLLBACK")
        assert corpus.search("words").hits


@pytest.mark.parametrize("name", ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal"])
def test_a_pipe_or_a_device_is_never_opened(store: Path, name: str) -> None:
    """In place of a store or of what SQLite keeps beside it: reading and ingesting name it and wait for nothing."""
    place = store.with_name(name)
    place.unlink(missing_ok=True)
    for make in (os.mkfifo, partial(os.symlink, "/dev/zero")):
        make(place)
        assert "is not a regular file" in refusal(store).message
        with pytest.raises(StoreError, match=r"is a link|not a regular file"):
            take(store.parent.parent)
        place.unlink()


def test_garbage_in_place_of_a_store_is_damage(store: Path) -> None:
    """In the folder where only stores are, the message says to delete it, for reading and for ingesting."""
    store.write_bytes(b"garbage " * 1000)
    with pytest.raises(StoreError, match="damaged") as caught:
        take(store.parent.parent)
    for error in (caught.value, refusal(store)):
        assert error.suggestion == "Delete it and ingest the folder again"


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TABLE drawwell_skipped",
        "UPDATE sections SET id = 'c.md#0' WHERE id = 'a.md#0'",
        "DROP TABLE sections_fts_data",
    ],
)
def test_a_store_that_does_not_hold_together_is_damage(store: Path, harm: str) -> None:
    """What SQLite refuses of it during an ingest is told as damage, with what to do."""
    change(store, harm)
    fill(store.parent.parent, {"c.md": "# C\n\nepsilon\n"})
    with pytest.raises(StoreError, match="damaged") as caught:
        take(store.parent.parent)
    assert caught.value.suggestion == "Delete it and ingest the folder again"


def test_opening_a_store_again_keeps_the_locks_of_its_readers(store: Path) -> None:
    """Another process that writes and closes does not take the log away under a reader, whatever was opened since."""
    code = "import sys; from pathlib import Path; from drawwell.corpus.store.connect import open_for_writing\n"
    code += "connection = open_for_writing(Path(sys.argv[1])); connection.execute('UPDATE meta SET value = value')\n"
    code += "connection.close()"
    with closing(Store.open(store)) as reader:
        reader.generation()
        Store.open(store).close()
        open_for_writing(store).close()
        subprocess.run([sys.executable, "-c", code, str(store)], check=True)
        assert store.with_name("store.sqlite-wal").exists()
        assert reader.generation()


def test_a_store_is_never_named_like_a_document(tmp_path: Path) -> None:
    """It would be opened as one, and closing it then would give back the locks that SQLite has on it."""
    root = fill(tmp_path, {"a.md": "# A\n\nalpha\n"})
    with pytest.raises(StoreError, match=r"store\.md has the ending of a document"):
        take(root, root / "store.md")
    assert [place.name for place in root.iterdir()] == ["a.md"]
