"""Bringing a store up to date: what changes, what stays, what is said about it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import drawwell.corpus.ingest.run as ingest_module
from drawwell.corpus.ingest import pool
from drawwell.corpus.ingest.files import read_file
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.lock import StoreLock
from drawwell.corpus.store.places import store_path
from drawwell.errors import SourceError, StoreBusy, StoreError, UnreadableFile, Vanished
from tests.corpus.folders import as_other_user, contents, documents, fill, public_folder, rows, take, texts

LONG = "".join(
    f"## Part {n}\n\nSentence number {n} of a text that is long enough to be a section.\n\n" for n in range(9)
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A corpus of four documents."""
    return fill(
        tmp_path / "docs",
        {
            "a.md": "# Alpha\n\nThe first document speaks of apples.\n\n" + LONG,
            "b/c.md": "---\ntitle: Gamma\ntags: [x]\n---\n\nThe second one speaks of --no-cache and cherries.\n",
            "b/d.markdown": "Plain text about dates.\n\nAnd more of it.\n",
            "e.md": "# Epsilon\n\nElderberries in the last document.\n",
        },
    )


def state(store: Path) -> tuple[bytes, int]:
    """The bytes of a store file and when it was last written."""
    return store.read_bytes(), store.stat().st_mtime_ns


def test_a_store_holds_documents_sections_and_words(root: Path) -> None:
    """All columns of the shared format are filled, ids and neighbours are in order, text is verbatim."""
    report = take(root)
    assert (report.seen, report.added, report.documents) == (4, 4, 4)
    assert report.sections == report.sections_written == rows(root, "SELECT count(*) FROM sections")[0][0]
    assert rows(root, "SELECT path, title, kind, summary_src, sha256, bytes FROM documents WHERE path = 'e.md'") == [
        ("e.md", "Epsilon", "markdown", "offline", hashlib.sha256((root / "e.md").read_bytes()).hexdigest(), 46)
    ]
    assert texts(root, "a.md") == (root / "a.md").read_text()
    query = "SELECT id, prev_id, next_id, text, char_len, hash FROM sections WHERE id LIKE 'a.md#%' ORDER BY ordinal"
    ids = rows(root, query)
    for place, (id_, before, after, text, length, digest) in enumerate(ids):
        assert id_ == f"a.md#{place}"
        assert before == (f"a.md#{place - 1}" if place else None)
        assert after == (f"a.md#{place + 1}" if place + 1 < len(ids) else None)
        assert (length, digest) == (len(text), hashlib.sha256(text.encode()).hexdigest())
    query = (
        "SELECT start, end, first_line, cite FROM drawwell_sections JOIN documents USING (doc_id) WHERE path = 'a.md'"
    )
    own = rows(root, query + " ORDER BY ordinal")
    source = (root / "a.md").read_text()
    for (_, _, _, text, _, digest), (start, end, line, cite) in zip(ids, own, strict=True):
        assert source[start:end] == text
        assert line == source[:start].count("\n") + 1
        assert f"{cite:012x}" == digest[:12]


def test_the_word_index_holds_normalised_text_and_points_back(root: Path) -> None:
    """As the shared format asks; our rows say which section a row of the index is."""
    take(root)
    found = rows(
        root,
        "SELECT sections_fts.id, sections_fts.heading_path, sections.id, sections_fts.text FROM sections_fts"
        " JOIN drawwell_sections ON fts_rowid = sections_fts.rowid JOIN sections USING (doc_id, ordinal)"
        " WHERE sections_fts MATCH '\"no-cache\"'",
    )
    assert [(id_, heading, same) for id_, heading, same, _ in found] == [("b/c.md#0", "Gamma", "b/c.md#0")]
    assert "of no-cache and cherries" in found[0][3]
    assert (
        rows(root, "SELECT text FROM sections WHERE id = 'b/c.md#0'")[0][0].strip().endswith("--no-cache and cherries.")
    )


def test_meta_says_what_readers_need_and_names_no_absolute_path(root: Path) -> None:
    """All keys of the shared format and ours; nothing of this machine is in the file."""
    take(root, index_budget_tokens=2000)
    meta = dict(rows(root, "SELECT key, value FROM meta"))
    assert meta["schema_version"] == "1.0"
    assert meta["corpus_root"] == ".."
    assert meta["index_budget_tokens"] == "2000"
    assert meta["summarizer"] == "offline"
    assert meta["drawwell.state"] == "complete"
    assert json.loads(meta["drawwell.settings"])["section_max_chars"] == 2000
    assert "a.md" in meta["index_text"]
    assert len(meta["corpus_fingerprint"]) == 16
    for file in (root / ".drawwell").rglob("*"):
        assert file.is_dir() or str(root.parent).encode() not in file.read_bytes()


def test_the_stores_folder_keeps_itself_out_of_git(root: Path) -> None:
    """With an ignore file of its own; when ingest is over the store is one file, its lock, and what is made from it."""
    take(root)
    assert (root / ".drawwell" / ".gitignore").read_text() == "*\n"
    assert sorted(os.listdir(root / ".drawwell")) == [".gitignore", "store.sqlite", "store.sqlite.lock", "words"]


def test_a_run_without_changes_writes_nothing(root: Path) -> None:
    """Not a byte of the store, nor its time; touched files count as unchanged."""
    first = take(root)
    before = state(store_path(root))
    os.utime(root / "a.md")
    second = take(root)
    assert state(store_path(root)) == before
    assert (second.unchanged, second.added, second.changed, second.sections_written) == (4, 0, 0, 0)
    assert second.fingerprint == first.fingerprint
    assert (second.index_mode, second.index_tokens) == (first.index_mode, first.index_tokens)


def test_only_what_changed_is_written(root: Path) -> None:
    """Added, changed and deleted documents; the others keep their rows."""
    take(root)
    untouched = rows(root, "SELECT * FROM documents WHERE path = 'e.md'")
    fill(root, {"a.md": "# Alpha\n\nNow it speaks of apricots.\n", "new.md": "# New\n\nNectarines.\n"})
    (root / "b" / "d.markdown").unlink()
    report = take(root)
    assert (report.added, report.changed, report.deleted, report.unchanged) == (1, 1, 1, 2)
    assert report.sections_written == 2
    assert documents(root) == ["a.md", "b/c.md", "e.md", "new.md"]
    assert rows(root, "SELECT * FROM documents WHERE path = 'e.md'") == untouched
    count = lambda word: rows(root, "SELECT count(*) FROM sections_fts WHERE sections_fts MATCH ?", word)[0][0]  # noqa: E731
    assert [count(word) for word in ("apples", "apricots", "dates", "nectarines")] == [0, 1, 0, 1]
    for table in ("sections_fts", "drawwell_sections"):
        assert rows(root, f"SELECT count(*) FROM {table}") == rows(root, "SELECT count(*) FROM sections")


def test_files_are_read_in_path_order(root: Path) -> None:
    """New and changed ones together."""
    take(root)
    fill(root, {"z.md": "# Z\n\nnew\n", "b/c.md": "changed text\n", "a.md": "changed too\n", "b/a.md": "# BA\n\nnew\n"})
    told: list[tuple[str, str]] = []
    ingest(root, store_path(root), IngestOptions(), lambda stage, done, total, path: told.append((stage, path)))
    assert [path for stage, path in told if stage == "reading"] == ["a.md", "b/a.md", "b/c.md", "z.md"]


def test_a_run_that_waited_looks_again(root: Path) -> None:
    """Files that came while another ingest was at work are taken."""
    take(root)
    waiting = threading.Event()

    def tell(stage: str, done: int, total: int, path: str) -> None:
        if stage == "waiting":
            waiting.set()

    with ThreadPoolExecutor(1) as pool_:
        with StoreLock(store_path(root), 0):
            run = pool_.submit(ingest, root, store_path(root), IngestOptions(), tell)
            assert waiting.wait(20)
            fill(root, {"new.md": "# New\n\nNectarines.\n"})
        assert run.result(20).added == 1


def test_fs_17_waiting_has_an_end(root: Path) -> None:
    """With an error that says who to blame."""
    take(root)
    with StoreLock(store_path(root), 0), pytest.raises(StoreBusy, match="another process"):
        take(root, wait_seconds=0.2)


def ordered(root: Path) -> dict[str, Any]:
    """What any reader of a store is told, without the numbers inside."""
    return {
        "documents": rows(root, "SELECT path, title, summary, sha256, kind, n_sections FROM documents ORDER BY path"),
        "sections": rows(
            root, "SELECT id, heading_path, level, kind, text, hash, prev_id, next_id FROM sections ORDER BY id"
        ),
        "words": rows(root, "SELECT id, heading_path, text FROM sections_fts ORDER BY id"),
        "found": rows(
            root,
            "SELECT id, bm25(sections_fts) FROM sections_fts WHERE sections_fts MATCH 'number OR speaks' ORDER BY 2, 1",
        ),
        "meta": rows(root, "SELECT value FROM meta WHERE key IN ('index_text', 'corpus_fingerprint') ORDER BY key"),
        "metadata": rows(root, "SELECT path, text FROM drawwell_metadata_fts ORDER BY path"),
    }


def test_an_incremental_build_answers_like_a_fresh_one(root: Path, tmp_path: Path) -> None:
    """After additions, changes, a rename and a deletion, ids, order, ranking and index text are the same."""
    fill(root, {"z/old.md": "# Old\n\n" + LONG, "gone.md": "# Gone\n\nSoon gone.\n", "b/a.md": "# BA\n\n" + LONG})
    take(root)
    fill(root, {"a.md": "# Alpha\n\nIt speaks of apricots.\n", "b/b.md": "# BB\n\nA new one.\n" + LONG})
    (root / "z").rename(root / "y")
    (root / "gone.md").unlink()
    take(root)
    fresh = tmp_path / "fresh"
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".drawwell"))
    take(fresh)
    assert ordered(root) == ordered(fresh)


def test_stores_do_not_depend_on_workers(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process, two or none: the same store to the last table, but for times."""
    fill(root, {f"many/{n:03}.md": f"# Document {n}\n\nNumber {n} speaks.\n\n{LONG}" for n in range(120)})
    stores = [tmp_path / f"{name}.sqlite" for name in ("inline", "one", "two")]
    take(root, stores[0])
    monkeypatch.setattr(pool, "_INLINE_BYTES", 0)
    take(root, stores[1], workers=1)
    take(root, stores[2], workers=2)
    first, *others = [contents(store) for store in stores]
    assert first["documents"]
    assert [doc_id for doc_id, *_ in rows(stores[2], "SELECT doc_id FROM documents ORDER BY path")] == list(
        range(1, 125)
    )
    for other in others:
        assert other == first


def test_fs_13_other_settings_cut_documents_anew(root: Path) -> None:
    """Settings are part of a document's key, and of the fingerprint."""
    before = take(root)
    after = take(root, section_max_chars=60)
    assert (after.changed, after.unchanged) == (4, 0)
    assert after.sections > before.sections
    assert after.fingerprint != before.fingerprint
    assert dict(rows(root, "SELECT key, value FROM meta"))["section_max_chars"] == "60"


def test_another_index_budget_changes_the_index_only(root: Path) -> None:
    """No document is read again for it."""
    fill(root, {f"many/{n:03}.md": f"# Document {n}\n\nNumber {n} speaks.\n" for n in range(60)})
    take(root)
    report = take(root, index_budget_tokens=400)
    assert (report.changed, report.sections_written) == (0, 0)
    assert report.index_tokens <= 400
    assert dict(rows(root, "SELECT key, value FROM meta"))["index_budget_tokens"] == "400"


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "no content"), (b" \n\t\n", "no content"), (bytes(range(256)) * 40, "")]
)
def test_fs_12_a_document_that_came_to_nothing_is_not_served(root: Path, content: bytes, reason: str) -> None:
    """Emptied, blank or binary now: it leaves the store, is reported with a reason, and is not parsed again."""
    take(root)
    fill(root, {"e.md": content})
    report = take(root)
    assert report.deleted == 1
    assert "e.md" not in documents(root)
    assert rows(root, "SELECT count(*) FROM sections_fts WHERE sections_fts MATCH 'elderberries'") == [(0,)]
    assert reason in dict(report.skipped)["e.md"]
    before = state(store_path(root))
    assert take(root).skipped == report.skipped
    assert state(store_path(root)) == before
    fill(root, {"e.md": "# Back\n\nElderberries again.\n"})
    assert take(root).skipped == ()
    assert "e.md" in documents(root)


def test_fs_10_files_without_content_are_listed(root: Path) -> None:
    """Zero bytes or only white space: skipped, with the reason, and counted as seen."""
    fill(root, {"zero.md": b"", "blank.markdown": b"\n \n"})
    report = take(root)
    assert report.seen == 6
    assert dict(report.skipped) == {"zero.md": "no content", "blank.markdown": "no content"}


def test_md_16_a_document_of_front_matter_only_is_kept(root: Path) -> None:
    """It has no section, but a title, a summary and words to be found by."""
    fill(root, {"stub.md": "---\ntitle: Moved page\ndescription: See the quince chapter instead of this one.\n---\n"})
    take(root)
    assert rows(root, "SELECT title, n_sections, summary FROM documents WHERE path = 'stub.md'") == [
        ("Moved page", 0, "Moved page · See the quince chapter instead of this one.")
    ]
    found = rows(root, "SELECT path FROM drawwell_metadata_fts WHERE drawwell_metadata_fts MATCH 'quince'")
    assert found == [("stub.md",)]


def forbid(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """Let the system refuse to open some files, for root may open all."""
    real = os.open

    def refuse(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if str(path).endswith(places):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)


def test_fs_09_a_file_that_cannot_be_read_now_is_kept_as_stale(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its old text stays, marked; the report names it by its relative path; reading it again takes the mark away."""
    take(root)
    with monkeypatch.context() as patch:
        forbid(patch, "e.md")
        report = take(root)
        again = take(root)
    assert report.stale == again.stale == 1
    assert report.skipped == (("e.md", "cannot be read: Permission denied (EACCES)"),)
    assert "e.md" in documents(root)
    assert rows(root, "SELECT path, stale FROM documents JOIN drawwell_documents USING (doc_id) WHERE stale <> ''") == [
        ("e.md", "cannot be read: Permission denied (EACCES)")
    ]
    report = take(root)
    assert (report.stale, report.skipped, report.unchanged) == (0, (), 4)


def test_fs_09_a_new_file_that_cannot_be_read_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are taken; next time it is tried again."""
    with monkeypatch.context() as patch:
        forbid(patch, "e.md")
        report = take(root)
    assert report.documents == 3
    assert report.skipped == (("e.md", "cannot be read: Permission denied (EACCES)"),)
    assert take(root).documents == 4


def test_fs_09_files_of_an_unreadable_folder_are_kept_as_stale() -> None:
    """A folder that cannot be listed says nothing about what is in it."""
    with public_folder() as place:
        fill(place, {"a.md": "# A\n\ntext\n", "locked/b.md": "# B\n\ntext\n", "locked/c/d.md": "# D\n\ntext\n"})
        take(place)
        for path in (place / ".drawwell", *(place / ".drawwell").iterdir()):
            os.chown(path, *((65534, 65534) if os.getuid() == 0 else (-1, -1)))
        (place / "locked").chmod(0o700 if os.getuid() == 0 else 0)
        code = "report = ingest(Path(sys.argv[1]), store_path(Path(sys.argv[1])), IngestOptions())\n"
        code += "print(report.stale, report.deleted, report.documents, *map(tuple, report.skipped))"
        told = as_other_user(code, str(place))
        (place / "locked").chmod(0o755)
        assert told.strip() == "2 0 3 ('locked/', 'cannot be read: Permission denied (EACCES)')"


def test_a_file_that_grows_while_it_is_read_is_not_read_without_end(tmp_path: Path) -> None:
    """The bound holds for what is there now, whatever was found before; links and pipes are refused then, too."""
    fill(tmp_path, {"a.md": b"x" * 100})
    with pytest.raises(UnreadableFile, match="grown"):
        read_file(tmp_path, "a.md", 99)
    assert read_file(tmp_path, "a.md", 100).data == b"x" * 100
    (tmp_path / "l.md").symlink_to("a.md")
    os.mkfifo(tmp_path / "p.md")
    for name in ("l.md", "p.md", "gone.md"):
        with pytest.raises(UnreadableFile) as caught:
            read_file(tmp_path, name, 100)
        assert str(tmp_path) not in str(caught.value)


def test_more_than_half_gone_at_once_is_not_believed(root: Path) -> None:
    """An unmounted disk looks like that. Nothing is changed without prune; half is believed."""
    take(root)
    before = state(store_path(root))
    for path in ("a.md", "b/c.md", "b/d.markdown"):
        (root / path).unlink()
    with pytest.raises(Vanished, match="3 of 4") as caught:
        take(root)
    assert "--prune" in caught.value.suggestion
    assert state(store_path(root)) == before
    report = take(root, prune=True)
    assert (report.deleted, report.documents) == (3, 1)
    fill(root, {"f.md": "# F\n\nfigs\n"})
    take(root)
    (root / "e.md").unlink()
    assert take(root).deleted == 1


def test_all_gone_at_once_is_not_believed_either(root: Path) -> None:
    """An empty folder with a full store is an unmounted disk; with prune the store is emptied."""
    take(root)
    for path in ("a.md", "b/c.md", "b/d.markdown", "e.md"):
        (root / path).unlink()
    with pytest.raises(Vanished, match="4 of 4"):
        take(root)
    assert take(root, prune=True).documents == 0


def test_files_that_are_left_out_now_have_not_vanished(root: Path) -> None:
    """An ignore rule is a wish."""
    take(root)
    fill(root, {".drawwellignore": "/a.md\n/b/\n"})
    assert take(root).documents == 1


def test_fs_14_another_folder_into_the_same_store_is_refused(root: Path, tmp_path: Path) -> None:
    """It would take out all that is in there."""
    take(root)
    other = fill(tmp_path / "other", {"x.md": "# X\n\ntext\n"})
    with pytest.raises(Vanished):
        take(other, store_path(root))
    assert len(documents(root)) == 4


def test_an_empty_or_missing_folder_is_an_error_and_makes_no_store(tmp_path: Path) -> None:
    """The message names the path, the suggestion what would be read."""
    (tmp_path / "empty").mkdir()
    fill(tmp_path / "pictures", {"a.png": b"x"})
    for name in ("empty", "missing", "pictures"):
        with pytest.raises(SourceError, match=name) as caught:
            take(tmp_path / name)
        assert ".md" in caught.value.suggestion
        assert not (tmp_path / name / ".drawwell").exists()


def inside(root: Path, path: str) -> list[list[tuple[Any, ...]]]:
    """All that the store has of a document, but for names."""
    (doc_id,) = rows(root, "SELECT doc_id FROM documents WHERE path = ?", path)[0]
    queries = (
        "SELECT doc_id, title, summary, ingested_at FROM documents WHERE doc_id = ?",
        "SELECT rowid, ordinal, text, heading_path, hash FROM sections WHERE doc_id = ? ORDER BY ordinal",
        "SELECT * FROM drawwell_sections WHERE doc_id = ? ORDER BY ordinal",
    )
    return [rows(root, query, doc_id) for query in queries]


def test_fs_22_a_moved_file_keeps_its_work(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids, neighbours, index and embeddings follow it without parsing; the old path remains another name."""
    take(root)
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("INSERT INTO embeddings VALUES ('b/c.md#0', 'm', 1, x'00')")
        connection.execute("INSERT INTO embeddings VALUES ('a.md#2', 'm', 1, x'01')")
        connection.commit()
    before = [inside(root, path) for path in ("a.md", "b/c.md")]
    (root / "b").rename(root / "deep")
    (root / "sub").mkdir()
    (root / "a.md").rename(root / "sub" / "a.md")
    monkeypatch.setattr(pool, "parse_document", None)
    report = take(root)
    assert (report.renamed, report.added, report.deleted, report.sections_written) == (3, 0, 0, 0)
    assert [inside(root, path) for path in ("sub/a.md", "deep/c.md")] == before
    ids = rows(root, "SELECT id, prev_id, next_id FROM sections WHERE id LIKE 'sub/a.md#%' ORDER BY ordinal")
    assert ids[1] == ("sub/a.md#1", "sub/a.md#0", "sub/a.md#2")
    assert ids[0][1] is ids[-1][2] is None
    assert rows(root, "SELECT id FROM sections_fts WHERE sections_fts MATCH 'cherries'") == [("deep/c.md#0",)]
    assert rows(root, "SELECT path FROM drawwell_metadata_fts") == [("deep/c.md",)]
    assert rows(root, "SELECT section_id, hex(vec) FROM embeddings ORDER BY 1") == [
        ("deep/c.md#0", "00"),
        ("sub/a.md#2", "01"),
    ]
    aliases = rows(
        root, "SELECT a.path, d.path, a.kind FROM drawwell_aliases a JOIN documents d USING (doc_id) ORDER BY 1"
    )
    assert aliases == [
        ("a.md", "sub/a.md", "moved"),
        ("b/c.md", "deep/c.md", "moved"),
        ("b/d.markdown", "deep/d.markdown", "moved"),
    ]
    assert rows(root, "PRAGMA foreign_key_check") == []


def test_fs_22_a_renamed_file_gets_the_title_of_its_new_name(root: Path) -> None:
    """A title that came from the name follows it, one that the document declares stays; both keep their number."""
    fill(root, {"first-name.md": "Only running text, and no heading at all.\n"})
    take(root)
    numbers = dict(rows(root, "SELECT path, doc_id FROM documents"))
    (root / "first-name.md").rename(root / "second-name.md")
    (root / "e.md").rename(root / "moved.md")
    report = take(root)
    assert (report.renamed, report.added, report.deleted) == (2, 0, 0)
    after = dict(rows(root, "SELECT path, doc_id FROM documents"))
    assert (after["second-name.md"], after["moved.md"]) == (numbers["first-name.md"], numbers["e.md"])
    titles = dict(rows(root, "SELECT path, title FROM documents"))
    assert (titles["second-name.md"], titles["moved.md"]) == ("Second name", "Epsilon")
    assert rows(root, "SELECT heading_path FROM sections WHERE id = 'second-name.md#0'") == [("Second name",)]
    assert ("first-name.md", after["second-name.md"]) in rows(root, "SELECT path, doc_id FROM drawwell_aliases")


def test_fs_22_a_path_that_is_taken_again_is_no_alias(root: Path) -> None:
    """A file under an old path is a document of its own."""
    take(root)
    (root / "e.md").rename(root / "f.md")
    take(root)
    fill(root, {"e.md": "# Another\n\nSomething else.\n"})
    take(root)
    assert rows(root, "SELECT * FROM drawwell_aliases") == []
    assert {"e.md", "f.md"} <= set(documents(root))


def test_equal_files_are_told_apart_when_they_move(root: Path) -> None:
    """Each of two equal files goes where a file of its name is now."""
    text = "# Same\n\nThe same text twice.\n"
    fill(root, {"x/one.md": text, "x/two.md": text})
    take(root)
    numbers = dict(rows(root, "SELECT path, doc_id FROM documents"))
    (root / "x").rename(root / "w")
    assert take(root).renamed == 2
    after = dict(rows(root, "SELECT path, doc_id FROM documents"))
    assert [after["w/one.md"], after["w/two.md"]] == [numbers["x/one.md"], numbers["x/two.md"]]


def test_fs_08_links_inside_are_aliases_and_follow_changes(root: Path) -> None:
    """They come and go with the links."""
    (root / "link.md").symlink_to("e.md")
    report = take(root)
    assert report.documents == 4
    assert rows(root, "SELECT a.path, d.path, a.kind FROM drawwell_aliases a JOIN documents d USING (doc_id)") == [
        ("link.md", "e.md", "link")
    ]
    (root / "link.md").unlink()
    take(root)
    assert rows(root, "SELECT * FROM drawwell_aliases") == []


def test_a_store_copied_elsewhere_is_used_at_once(root: Path, tmp_path: Path) -> None:
    """Nothing is read again where the files are the same; only the file that differs is."""
    take(root)
    clone = tmp_path / "clone"
    shutil.copytree(root, clone, ignore=shutil.ignore_patterns(".drawwell"))
    fill(clone, {"e.md": "# Epsilon\n\nElderflowers.\n"})
    (clone / ".drawwell").mkdir()
    shutil.copy(store_path(root), store_path(clone))
    report = take(clone)
    assert (report.unchanged, report.changed, report.added) == (3, 1, 0)


def test_fs_18_a_store_says_that_it_is_being_built(root: Path) -> None:
    """From its first moment to the end of its first run."""
    seen: list[str] = []

    def look(stage: str, done: int, total: int, path: str) -> None:
        if stage == "reading" or (stage == "indexing" and not total):
            with closing(Store.open(store_path(root))) as store:
                seen.append(store.meta("drawwell.state") or "")

    ingest(root, store_path(root), IngestOptions(), look)
    assert seen == ["building"] * 5
    assert rows(root, "SELECT value FROM meta WHERE key = 'drawwell.state'") == [("complete",)]
    seen.clear()
    fill(root, {"a.md": "# A\n\nother\n"})
    ingest(root, store_path(root), IngestOptions(), look)
    assert set(seen) == {"complete"}


def test_an_interrupted_run_is_finished_by_the_next(root: Path) -> None:
    """After Ctrl-C every document is whole; what was written stays; the index is made by the next run."""

    def interrupt(stage: str, done: int, total: int, path: str) -> None:
        if stage == "reading" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(root, store_path(root), IngestOptions(), interrupt)
    assert sorted(os.listdir(root / ".drawwell")) == [".gitignore", "store.sqlite", "store.sqlite.lock", "words"]
    assert rows(root, "SELECT value FROM meta WHERE key = 'drawwell.state'") == [("building",)]
    report = take(root)
    assert report.documents == 4
    assert rows(root, "SELECT value FROM meta WHERE key = 'drawwell.state'") == [("complete",)]


@pytest.mark.parametrize("link", [".drawwell", ".drawwell/store.sqlite", ".drawwell/store.sqlite.lock"])
def test_a_store_is_not_written_through_a_link(root: Path, tmp_path: Path, link: str) -> None:
    """In a folder that came from others a link could lead anywhere."""
    elsewhere = tmp_path / "elsewhere"
    if link == ".drawwell":
        elsewhere.mkdir()
    else:
        (root / ".drawwell").mkdir()
    (root / link).symlink_to(elsewhere)
    with pytest.raises(StoreError, match="is a link"):
        take(root)
    assert not elsewhere.exists() or not list(elsewhere.iterdir())


def test_a_linked_ignore_file_of_the_store_is_not_written_through(root: Path, tmp_path: Path) -> None:
    """A dangling link where our ignore file would be stays dangling."""
    (root / ".drawwell").mkdir()
    (root / ".drawwell" / ".gitignore").symlink_to(tmp_path / "planted")
    take(root)
    assert not (tmp_path / "planted").exists()


def test_a_place_that_cannot_be_written_is_an_error_of_the_store(root: Path, tmp_path: Path) -> None:
    """With the place and what to do."""
    fill(tmp_path, {"file": "x"})
    with pytest.raises(StoreError, match="cannot write the store") as caught:
        take(root, tmp_path / "file" / "store.sqlite")
    assert "--store" in caught.value.suggestion


def test_a_full_disk_is_an_error_of_the_store(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a trace of SQLite; the store stays whole."""
    take(root)

    def small(path: Path) -> Any:
        connection = opened(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        return connection

    opened = ingest_module.open_for_writing
    fill(root, {"huge.md": "# Huge\n\n" + LONG * 500})
    with monkeypatch.context() as patch:
        patch.setattr(ingest_module, "open_for_writing", small)
        with pytest.raises(StoreError, match="full"):
            take(root)
    assert rows(root, "PRAGMA integrity_check") == [("ok",)]
    assert take(root).documents == 5


def test_progress_tells_stages_in_order(root: Path) -> None:
    """Each with files done and in all."""
    told: list[tuple[str, int, int]] = []
    ingest(root, store_path(root), IngestOptions(), lambda stage, done, total, path: told.append((stage, done, total)))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == ["finding", "comparing", "reading", "indexing"]
    assert [entry for entry in told if entry[0] == "reading"] == [("reading", number, 4) for number in range(4)]


def test_the_report_can_be_read(root: Path) -> None:
    """A few lines of text; long lists are cut unless all is asked for; names stay on one line."""
    fill(root, {f"empty/{n:02}\n.md": "" for n in range(25)})
    report = take(root)
    lines = report.lines()
    assert lines[0] == "29 files seen: 4 added, 25 skipped"
    assert lines[1].startswith("4 documents with")
    assert report.fingerprint in lines[2]
    assert lines[3] == r"skipped: empty/00\n.md: no content"
    assert lines[-1] == "skipped: 5 more"
    assert len(report.lines(verbose=True)) == 28
    assert take(root).lines()[0] == "29 files seen: 4 unchanged, 25 skipped"
