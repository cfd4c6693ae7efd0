"""What of a folder is taken, in which order, and why the rest is not: spec FS-01 to FS-11 and FS-21."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from drawwell.corpus.ingest.discover import Discovery, discover
from drawwell.corpus.ingest.run import survey
from drawwell.corpus.options import IngestOptions
from drawwell.errors import SourceError
from drawwell.text import formats
from drawwell.text.formats import Format
from tests.corpus.folders import as_other_user, fill, public_folder

TEXT = "# Title\n\nSome text to read.\n"


def find(root: Path, **options: object) -> Discovery:
    return discover(root, IngestOptions(**options))  # type: ignore[arg-type]


def paths(root: Path, **options: object) -> list[str]:
    return [file.path for file in find(root, **options).files]


def skipped(root: Path) -> dict[str, str]:
    return dict(find(root).skipped)


def plain(root: Path, *names: str) -> Path:
    return fill(root, dict.fromkeys(names, TEXT))


def test_files_come_in_path_order(tmp_path: Path) -> None:
    """Sorted by the whole path, suffixes in any case, folders named like files included."""
    plain(tmp_path, "b.md", "a/z.MD", "a.md", "a-b.txt", "x.md/inner.md", "Z.markdown", "é.md")
    (tmp_path / "empty").mkdir()
    assert paths(tmp_path) == sorted(["b.md", "a/z.MD", "a.md", "a-b.txt", "x.md/inner.md", "Z.markdown", "é.md"])


def test_fs_01_a_name_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    """Such a file, or all of such a folder, is left out with its bytes shown, and the run goes on."""
    plain(tmp_path, "good.md")
    for name in (b"caf\xe9.md", b"caf\xe9.png"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(TEXT)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff")).mkdir()
    assert paths(tmp_path) == ["good.md"]
    assert set(skipped(tmp_path)) == {"caf%E9.md", "d%FF/"}
    assert all("UTF-8" in reason for reason in skipped(tmp_path).values())


NAMES = [
    "a\nb.md",
    "t\tab.md",
    "bell\x07.md",
    "#1.md",
    "q'u\"ote.md",
    "50%.md",
    "🎉.md",
    "-x.md",
    " lead.md",
    "[id].md",
]


@pytest.mark.parametrize("name", [*NAMES, "n" * 230 + ".md", "/".join(["deep"] * 60) + "/x.md"])
def test_fs_02_03_any_other_name_is_fine(tmp_path: Path, name: str) -> None:
    """Names with control characters, signs, emoji, great length or depth are names like others."""
    plain(tmp_path, name)
    assert paths(tmp_path) == [name]
    assert not find(tmp_path).skipped


def test_fs_05_twins_are_noted(tmp_path: Path) -> None:
    """Names that differ only in case or Unicode form are documents of their own, with a warning."""
    plain(tmp_path, "Case.md", "case.md", "e\u0301.md", "\u00e9.md", "other.md")
    found = find(tmp_path)
    assert len(found.files) == 5
    warnings = dict(found.warnings)
    assert warnings["case.md"] == "differs from Case.md only in upper and lower case"
    assert "Unicode form" in warnings["\u00e9.md"]
    assert len(warnings) == 2


def test_fs_06_a_link_out_of_the_corpus_is_refused(tmp_path: Path) -> None:
    """Neither a file nor a folder outside is read, by a relative or an absolute link or by way of another link."""
    outside = plain(tmp_path / "outside", "secret.md", "more/secret.md")
    root = plain(tmp_path / "docs", "a.md")
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "relative.md").symlink_to("../outside/secret.md")
    (root / "folder").symlink_to(outside)
    (root / "by-way.md").symlink_to("file.md")
    (root / "picture.png").symlink_to(outside / "secret.md")
    (tmp_path / "docs-evil").mkdir()
    plain(tmp_path / "docs-evil", "x.md")
    (root / "prefix.md").symlink_to("../docs-evil/x.md")
    assert paths(root) == ["a.md"]
    assert set(skipped(root)) == {"file.md", "relative.md", "folder/", "by-way.md", "prefix.md"}
    assert all("leads out" in reason for reason in skipped(root).values())
    assert str(tmp_path) not in str(find(root))


def test_fs_07_links_that_lead_nowhere_and_special_files(tmp_path: Path) -> None:
    """Loops, dangling links, pipes and sockets are reported, never opened, and hang nothing."""
    root = plain(tmp_path, "a.md")
    (root / "self.md").symlink_to("self.md")
    (root / "one.md").symlink_to("two.md")
    (root / "two.md").symlink_to("one.md")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "up").symlink_to(".")
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "socket.md"))
        found = find(root)
    assert [file.path for file in found.files] == ["a.md"]
    assert dict(found.skipped) == {
        "self.md": "a link that loops",
        "one.md": "a link that loops",
        "two.md": "a link that loops",
        "gone.md": "a link to a file that does not exist",
        "pipe.md": "not a regular file",
        "socket.md": "not a regular file",
    }
    assert [path for path, _ in found.warnings] == ["up/"]


def test_fs_08_a_link_inside_is_another_name(tmp_path: Path) -> None:
    """One document and an alias; what no rule leaves out is read through its link; what is left out stays out."""
    root = plain(tmp_path, "a.md", "sub/b.md", "README", ".hidden/c.md", "drafts/d.md")
    fill(root, {".drawwellignore": "drafts/\n"})
    for link, target in {
        "alias.md": "a.md",
        "sub/up.md": "../a.md",
        "again.md": "alias.md",
        "readme.md": "README",
        "readme2.md": "README",
        "hidden.md": ".hidden/c.md",
        "draft.md": "drafts/d.md",
    }.items():
        (root / link).symlink_to(target)
    found = find(root)
    assert {file.path: file.place for file in found.files} == {
        "a.md": "a.md",
        "readme.md": "README",
        "sub/b.md": "sub/b.md",
    }
    assert found.links == {"a.md": ("again.md", "alias.md", "sub/up.md"), "readme.md": ("readme2.md",)}
    assert set(dict(found.skipped)) == {"hidden.md", "draft.md"}


def test_fs_09_an_unreadable_folder_is_reported() -> None:
    """With its relative path and the system's reason; its files are not taken for gone."""
    with public_folder() as place:
        plain(place, "a.md", "locked/b.md")
        (place / "locked").chmod(0o700)
        code = "from drawwell.corpus.ingest.discover import discover\n"
        code += "found = discover(Path(sys.argv[1]), IngestOptions())\n"
        code += "print([file.path for file in found.files], found.skipped, found.unreadable)"
        told = as_other_user(code, str(place))
    assert told.startswith("['a.md'] (('locked/', 'cannot be read: Permission denied (EACCES)'),) ('locked/',)")


def test_fs_10_empty_folders_and_folders_named_like_files(tmp_path: Path) -> None:
    """They are neither documents nor problems."""
    (tmp_path / "x.md").mkdir()
    (tmp_path / "void").mkdir()
    plain(tmp_path, "a.md")
    assert paths(tmp_path) == ["a.md"]
    assert not find(tmp_path).skipped


def test_fs_21_lock_files_of_office_programs_are_no_documents(tmp_path: Path) -> None:
    """They are skipped without a word."""
    plain(tmp_path, "a.md", "~$a.md", "sub/~$report.txt")
    assert paths(tmp_path) == ["a.md"]
    assert not find(tmp_path).skipped


IGNORE_CASES = {
    "literal name at any depth": ("drafts\n", ["drafts/a.md", "x/drafts/b.md", "drafts.md"], ["drafts.md"]),
    "folder only": ("x/\n", ["x/a.md", "y/x/b.md", "y/x.md"], ["y/x.md"]),
    "anchored": ("/a.md\n", ["a.md", "sub/a.md"], ["sub/a.md"]),
    "anchored by a slash inside": ("sub/*.md\n", ["sub/a.md", "x/sub/a.md"], ["x/sub/a.md"]),
    "star stays in its folder": ("sub/*\n!sub/deep/\n", ["sub/a.md", "sub/deep/b.md"], ["sub/deep/b.md"]),
    "double star": ("**/old/**\n", ["old/a.md", "x/old/y/b.md", "x/b.md"], ["x/b.md"]),
    "negation": ("*.md\n!keep.md\n", ["a.md", "keep.md", "s/keep.md"], ["keep.md", "s/keep.md"]),
    "the last rule wins": ("!a.md\na.md\n", ["a.md", "b.md"], ["b.md"]),
    "no way back into an ignored folder": ("x/\n!x/a.md\n", ["x/a.md", "b.md"], ["b.md"]),
    "comments and blanks": ("# a.md\n\n\\#b.md\n", ["a.md", "#b.md"], ["a.md"]),
    "trailing spaces do not count": ("a.md   \n", ["a.md", "b.md"], ["b.md"]),
    "windows line ends": ("a.md\r\nb.md\r\n", ["a.md", "b.md", "c.md"], ["c.md"]),
    "classes and question marks": ("[ab]?.md\n", ["a1.md", "b2.md", "c3.md"], ["c3.md"]),
    "a bad line has no effect": ("[z-a].md\n!\na.md\n", ["a.md", "b.md"], ["b.md"]),
    "byte order mark": ("\ufeffa.md\n", ["a.md", "b.md"], ["b.md"]),
}


@pytest.mark.parametrize("file", [".drawwellignore", ".contextpullignore", ".gitignore"])
@pytest.mark.parametrize("case", IGNORE_CASES)
def test_fs_11_ignore_files_have_the_rules_of_git(tmp_path: Path, case: str, file: str) -> None:
    """Negation, anchors, folders and stars mean what they mean to git, in each of the three files."""
    rules, names, kept = IGNORE_CASES[case]
    plain(tmp_path, *names)
    fill(tmp_path, {file: rules})
    assert paths(tmp_path) == sorted(kept)


def test_fs_11_nested_ignore_files_govern_their_folder(tmp_path: Path) -> None:
    """A nearer file of one kind outranks a farther one, and its anchors are its own folder's."""
    plain(tmp_path, "a.md", "sub/a.md", "sub/b.md", "sub/deep/b.md", "sub/deep/keep.md")
    fill(tmp_path, {".gitignore": "a.md\n", "sub/.gitignore": "!a.md\n/b.md\n", "sub/deep/.gitignore": "*\n!keep.md\n"})
    assert paths(tmp_path) == ["sub/a.md", "sub/deep/keep.md"]


def test_fs_11_our_ignore_file_outranks_gits(tmp_path: Path) -> None:
    """Documents that git leaves out can be taken, and the other way round; git's file can be switched off."""
    plain(tmp_path, "generated/api.md", "a.md", "b.md")
    fill(
        tmp_path, {"generated/.gitignore": "*\n", ".gitignore": "b.md\n", ".drawwellignore": "!generated/*.md\na.md\n"}
    )
    assert paths(tmp_path) == ["generated/api.md"]
    assert paths(tmp_path, respect_gitignore=False) == ["b.md", "generated/api.md"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-8-sig"])
def test_fs_11_an_ignore_file_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    """Other encodings than UTF-8 never crash, and their rules count."""
    plain(tmp_path, "café.md", "b.md")
    fill(tmp_path, {".drawwellignore": "café.md\n".encode(encoding)})
    assert paths(tmp_path) == ["b.md"]


def test_bad_lines_of_an_ignore_file_are_reported(tmp_path: Path) -> None:
    """With the file and the line."""
    fill(tmp_path, {".gitignore": "ok\n!\n", "a.md": TEXT})
    assert find(tmp_path).warnings == ((".gitignore", "line 2 is not a pattern: '!'"),)


HUGE_RULES = {
    "many double stars": "".join(f"**/a**b{i}/**/c*\n" for i in range(2000)),
    "many stars": "".join(f"pat{i}*\n" for i in range(4000)),
    "one long line": "a" * 180_000 + "\n",
    "nothing but stars": "*a" * 90_000 + "\n",
    "nothing but bad lines": "!\n" * 5000,
    "more lines than are read": "x/\n" * 200_000,
}


@pytest.mark.parametrize("case", HUGE_RULES)
def test_a_huge_ignore_file_never_stops_a_walk(tmp_path: Path, case: str) -> None:
    """Its usable lines count, the last one that matches decides, and what does not count is said."""
    plain(tmp_path, "a.md", "b.md", "c.md", "pat7.md")
    fill(tmp_path, {".gitignore": "a.md\nb.md\n" + HUGE_RULES[case] + "!b.md\n"})
    found = find(tmp_path)
    read_whole = case != "more lines than are read"
    taken = {file.path for file in found.files}
    assert "a.md" not in taken
    assert ("b.md" in taken) is read_whole
    assert ("pat7.md" in taken) is (case != "many stars")
    assert bool(found.warnings) is (not case.startswith("many"))
    assert len(found.warnings) <= 21


def test_rules_of_a_huge_ignore_file_are_named_by_their_line(tmp_path: Path) -> None:
    """Whatever parts the file is compiled in."""
    fill(tmp_path, {".gitignore": "".join(f"pat{i}*\n" for i in range(4000)), "a.md": TEXT, "pat3999.md": TEXT})
    assert dict(find(tmp_path).ignored) == {"pat3999.md": ".gitignore line 4000: pat3999*"}


def test_an_ignore_file_that_is_a_link_does_not_count(tmp_path: Path) -> None:
    """As with git: what it leads to is no part of the corpus."""
    (tmp_path / "rules").write_text("*\n")
    root = plain(tmp_path / "docs", "a.md")
    (root / ".gitignore").symlink_to("../rules")
    assert paths(root) == ["a.md"]


USUAL = ["node_modules/p/a.md", ".venv/a.md", "venv/a.md", "__pycache__/a.md", "dist/a.md", "_build/a.md", ".git/a.md"]


def test_fs_11_what_is_never_a_document_is_left_out(tmp_path: Path) -> None:
    """Hidden entries, installed packages, caches and build output, unless an ignore file brings them back."""
    plain(tmp_path, "a.md", ".hidden.md", "p.egg-info/a.md", "env/a.md", "env/pyvenv.cfg", *USUAL)
    assert paths(tmp_path) == ["a.md"]
    fill(tmp_path, {".drawwellignore": "!.hidden.md\n!dist/\n!.venv/\n!.git/\n!.drawwell/\n"})
    plain(tmp_path, ".drawwell/x.md")
    assert paths(tmp_path) == [".hidden.md", ".venv/a.md", "a.md", "dist/a.md"]


@pytest.mark.parametrize(
    ("folder", "maker"),
    [("build", "pyproject.toml"), ("target", "Cargo.toml"), ("site", "mkdocs.yml"), ("out", "package.json")],
)
def test_fs_11_build_folders_count_as_such_beside_their_tool(tmp_path: Path, folder: str, maker: str) -> None:
    """A chapter named build is a chapter, unless the tool that makes such folders is at work there."""
    plain(tmp_path, f"{folder}/a.md")
    assert paths(tmp_path) == [f"{folder}/a.md"]
    fill(tmp_path, {maker: ""})
    assert paths(tmp_path) == []
    assert dict(find(tmp_path).ignored)[f"{folder}/"] == "build output"


def test_the_root_itself_may_have_any_name(tmp_path: Path) -> None:
    """Rules are about what is inside."""
    assert paths(plain(tmp_path / ".hidden" / "node_modules", "a.md", "CACHEDIR.TAG")) == ["a.md"]


def test_a_root_that_is_a_link_is_followed(tmp_path: Path) -> None:
    """The user named it."""
    plain(tmp_path / "real", "a.md", "sub/b.md")
    (tmp_path / "real" / "alias.md").symlink_to("a.md")
    (tmp_path / "docs").symlink_to("real")
    found = find(tmp_path / "docs")
    assert [file.path for file in found.files] == ["a.md", "sub/b.md"]
    assert found.links == {"a.md": ("alias.md",)}


def test_a_format_without_its_package_is_listed_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such files are seen and named, with what to install."""
    entry = Format("scroll", "scrolls", (".scroll",), "none:none", "scroll", ("a_package_that_is_not_there",))
    monkeypatch.setitem(formats._BY_SUFFIX, ".scroll", entry)
    plain(tmp_path, "a.md", "b.scroll")
    found = find(tmp_path)
    assert found.seen == 2
    assert "pip install 'drawwell[scroll]'" in dict(found.skipped)["b.scroll"]


def test_a_file_larger_than_the_bound_is_skipped(tmp_path: Path) -> None:
    """With both sizes."""
    fill(tmp_path, {"big.md": "x" * 2000, "a.md": TEXT})
    found = find(tmp_path, max_file_bytes=1000)
    assert [file.path for file in found.files] == ["a.md"]
    assert found.skipped == (("big.md", "larger than max_file_bytes (2,000 of 1,000 bytes)"),)


def test_a_root_that_is_no_folder_is_an_error_with_the_extensions(tmp_path: Path) -> None:
    """Missing, or a file: the message names the path and what would be read."""
    plain(tmp_path, "a.md")
    for path, words in ((tmp_path / "missing", "does not exist"), (tmp_path / "a.md", "is a file")):
        with pytest.raises(SourceError, match=words) as caught:
            find(path)
        assert str(path) in caught.value.message
        assert ".md" in caught.value.suggestion


def test_survey_tells_what_an_ingest_would_take(tmp_path: Path) -> None:
    """Counts per kind, the largest folders, what is ignored and by which rule, other suffixes; and writes nothing."""
    fill(tmp_path, {"guide/a.md": TEXT * 10, "guide/x/y/b.md": TEXT, "notes.txt": TEXT, "p.png": b"", "Makefile": ""})
    fill(tmp_path, {".gitignore": "# ours\ndrafts/\n", "drafts/d.md": TEXT, "node_modules/m.md": TEXT, "q.PNG": b""})
    found = survey(tmp_path, IngestOptions())
    assert [(kind.kind, kind.files) for kind in found.kinds] == [("markdown", 2), ("text", 1)]
    assert [(one.path, one.files) for one in found.folders] == [(".", 3), ("guide/", 2), ("guide/x/", 1)]
    assert dict(found.ignored) == {"drafts/": ".gitignore line 2: drafts/", "node_modules/": "installed packages"}
    assert found.others == ((".png", 2), ("(none)", 1))
    assert found.seen == 3
    told = "\n".join(found.lines())
    for words in ("3 documents to take", "guide/: 2", "ignored: drafts/: .gitignore line 2: drafts/", ".png 2"):
        assert words in told
    assert not (tmp_path / ".drawwell").exists()


def test_skipped_folders_are_no_files_seen(tmp_path: Path) -> None:
    """A link to a folder outside is listed with its reason, and not counted among the files."""
    root = plain(tmp_path / "docs", "a.md")
    plain(tmp_path / "outside", "b.md")
    (root / "linked").symlink_to("../outside")
    assert skipped(root) == {"linked/": "a link that leads out of the corpus is not followed"}
    assert find(root).seen == 1
