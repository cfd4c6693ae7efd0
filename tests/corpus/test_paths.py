"""The ``within`` filter and the nearest names."""

from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.corpus.names import shown, tidy
from drawwell.corpus.operations.paths import DocumentTable, entries_of, nearest, resolve
from drawwell.errors import ArgumentError

PATHS = [
    "Case.md",
    "a.md",
    "docs/a.md",
    "docs/api/[id].md",
    "docs/api/x.md",
    "docs/deep/er/c.md",
    "docs-old/a.md",
    "line\nbreak.md",
    "policy-2024.md",
    "policy-2025.md",
    "über/ünder.md",
    "x#1.md",
    "一/二.md",
]


def table(paths: list[str] = PATHS) -> DocumentTable:
    """A table of these paths."""
    return DocumentTable((path, 100 + number) for number, path in enumerate(sorted(paths)))


def chosen(*entries: str, paths: list[str] = PATHS) -> list[str]:
    """Paths that a filter selects."""
    documents = table(paths)
    scope = resolve(entries_of(entries), documents)
    return documents.paths if scope.places is None else [documents.paths[place] for place in scope.places]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("a.md", ["a.md"]),
        ("docs/api/[id].md", ["docs/api/[id].md"]),
        ("docs", ["docs/a.md", "docs/api/[id].md", "docs/api/x.md", "docs/deep/er/c.md"]),
        ("docs/", ["docs/a.md", "docs/api/[id].md", "docs/api/x.md", "docs/deep/er/c.md"]),
        ("./docs/api/", ["docs/api/[id].md", "docs/api/x.md"]),
        ("/a.md", ["a.md"]),
        ("docs/*.md", ["docs/a.md", "docs/api/[id].md", "docs/api/x.md", "docs/deep/er/c.md"]),
        ("docs/api/*/", []),
        ("policy-202[0-4].md", ["policy-2024.md"]),
        ("policy-202[^4].md", ["policy-2025.md"]),
        ("policy-202[!4].md", ["policy-2025.md"]),
        ("policy-202?.md", ["policy-2024.md", "policy-2025.md"]),
        ("**/a.md", ["a.md", "docs-old/a.md", "docs/a.md"]),
        ("docs/**/c.md", ["docs/deep/er/c.md"]),
        ("docs/**/a.md", ["docs/a.md"]),
        ("a**/.md", []),
        ("line*", ["line\nbreak.md"]),
        ("line\\nbreak.md", ["line\nbreak.md"]),
        ("x#1.md", ["x#1.md"]),
        ("一", ["一/二.md"]),
        ("CASE.MD", ["Case.md"]),
        ("POLICY-*", ["policy-2024.md", "policy-2025.md"]),
        ("Docs/API", ["docs/api/[id].md", "docs/api/x.md"]),
        ("doc", []),
        ("[", []),
        ("[]", []),
        ("[z-a]*", []),
    ],
)
def test_entry(entry: str, expected: list[str]) -> None:
    """FS-04, SR-19: the exact path first, then a folder, then a glob; ``./``, ``/`` and a final ``/`` are forgiven."""
    assert chosen(entry) == expected


def test_everything() -> None:
    """No entry, or the root, selects everything without a filter being run."""
    assert chosen() == sorted(PATHS)
    for entry in (".", "./", "/", "*"):
        assert resolve((entry,), table()).doc_ids is None


def test_entries_add_up() -> None:
    """Several entries select what any of them does."""
    assert chosen("policy-2025.md", "a.md", "policy*") == ["a.md", "policy-2024.md", "policy-2025.md"]


def test_fs_05_composed_and_decomposed_names() -> None:
    """FS-05: a name written in the other Unicode form finds its document, and both can exist side by side."""
    decomposed = unicodedata.normalize("NFD", "über/ünder.md")
    assert chosen(decomposed) == ["über/ünder.md"]
    assert chosen(unicodedata.normalize("NFD", "über")) == ["über/ünder.md"]
    both = ["über.md", unicodedata.normalize("NFD", "über.md")]
    for path in both:
        assert chosen(path, paths=both) == [path]
    assert table().place(decomposed) == sorted(PATHS).index("über/ünder.md")


def test_case_is_respected_first() -> None:
    """Names that differ by case are different documents; the other is taken only when none matches, with a note."""
    paths = ["Case.md", "case.md"]
    assert chosen("case.md", paths=paths) == ["case.md"]
    assert "case" in resolve(("CASE.md",), table(paths)).notes[0]


def test_tl_10_nothing_matches() -> None:
    """TL-10: an entry that matches no document is named, with the nearest paths."""
    scope = resolve(("policy-2026.md", "a.md"), table())
    assert scope.doc_ids == frozenset({table().doc_ids[table().by_path["a.md"]]})
    assert scope.notes == ("'policy-2026.md' matches 0 documents; nearest: policy-2024.md, policy-2025.md",)


@pytest.mark.parametrize("within", [5, None, [5], [""], ["  "], ["x" * 1001], ["a"] * 101, {"a": 1}])
def test_tl_02_wrong_filters(within: object) -> None:
    """TL-02, TL-03: what is no list of paths is an error that names the parameter."""
    with pytest.raises(ArgumentError, match="within"):
        entries_of(within)


def test_tl_02_one_string() -> None:
    """TL-02: a single string is a list of one."""
    assert entries_of("docs") == ("docs",)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("glob", ["*a" * 500, "?" * 1000, "[a" * 400, "**/" * 300 + "x", "*" * 999 + "x"])
def test_glob_is_linear(glob: str) -> None:
    """No glob explodes, however it is made and however long a path is."""
    paths = ["a" * 4000 + str(number) for number in range(50)]
    assert chosen(glob, paths=paths) in ([], sorted(paths))


@given(
    st.text(st.sampled_from("ab/*?[]!-"), min_size=1, max_size=8).filter(
        lambda glob: glob.strip("/.") and "**" not in glob
    ),
    st.lists(st.text(st.sampled_from("ab/-"), min_size=1, max_size=6), min_size=1, max_size=6, unique=True),
)
def test_glob_agrees_with_fnmatch(glob: str, paths: list[str]) -> None:
    """Where a filter is neither a path nor a folder, it selects what a glob does in which ``*`` crosses ``/``."""
    tidied = tidy(glob)
    folder = tidied.rstrip("/") + "/"
    if not tidied or glob in paths or any(path == tidied or path.startswith(folder) for path in paths):
        return
    pattern = f"{folder}*" if tidied.endswith("/") else tidied
    if "[" in pattern and "--" in pattern:  # fnmatch reads such ranges otherwise
        return
    assert chosen(glob, paths=paths) == sorted(path for path in paths if fnmatchcase(path, pattern))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("docs/api/xx.md", "docs/api/x.md"),
        ("dosc/deep", "docs/deep/"),
        ("policy-2026", "policy-2025.md"),
        ("UEBER/unter.md", "über/ünder.md"),
    ],
)
def test_nearest(wrong: str, right: str) -> None:
    """A wrong name leads to the documents and folders that look most like it."""
    assert right in nearest(wrong, table())


def test_nearest_to_nonsense() -> None:
    """Nothing is named when nothing is near."""
    assert nearest("qqqqqqqqqqqq", table()) == []
    assert nearest("", table()) == []


@pytest.mark.timeout(10)
def test_nearest_is_bounded() -> None:
    """Even among very many documents the nearest are found at once."""
    paths = [f"d{number % 300}/sub/file-{number}.md" for number in range(100_000)]
    assert "d77/sub/" in nearest("d77/sob", table(paths))
    assert nearest("x" * 1000, table(paths)) == []


def test_fs_02_names_on_one_line() -> None:
    """FS-02: control characters of a name are shown as escapes, all else as it is."""
    assert shown("a\nb\tc\x1b\u2028\\ü 一.md") == "a\\nb\\tc\\x1b\\u2028\\\\ü 一.md"


def test_under_is_a_range() -> None:
    """Paths below a prefix are neighbours in the table, at its ends too."""
    documents = table()
    for prefix in ("", "docs/", "Case", "一", "zzz", "docs/api/x.md"):
        expected = [path for path in documents.paths if path.startswith(prefix)]
        assert [documents.paths[place] for place in documents.under(prefix)] == expected


def test_entry_that_is_too_long() -> None:
    """The message about a long entry gives its length and the most that is taken, not how many entries there may be."""
    with pytest.raises(ArgumentError, match=r"an entry of 1001 characters.*up to 1000 characters"):
        entries_of(["x" * 1001])
