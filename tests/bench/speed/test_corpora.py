"""Corpora of a wished size."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from drawwell.bench.speed.corpora import Document, Rewriter, plan_sizes, select, write_corpus

WORDS = re.compile(r"[^\W\d_]{4,}")


def folder_of(place: Path, count: int = 12) -> list[Document]:
    """Documents with the same frame and words of their own, and one that is no text."""
    place.mkdir(parents=True)
    documents = []
    for number in range(count):
        own = "".join(chr(ord("a") + (number * 7 + step) % 26) for step in range(8))
        path = place / f"page-{number}.md"
        path.write_text(f"# Gateway {own}\n\nThe gateway returns `{own.upper()}_{own}` at once.\n", encoding="utf-8")
        documents.append(Document(path.name, path, 1))
    picture = place / "picture.pdf"
    picture.write_bytes(b"%PDF \xff\xfe words inside")
    return [*documents, Document(picture.name, picture, 1)]


def contents(place: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_sizes_grow_by_the_same_factor() -> None:
    """The last size is the one asked for and each is a third of the next."""
    assert plan_sizes(4, 120_000) == [4444, 13333, 40000, 120_000]
    assert plan_sizes(1, 50) == [50]
    assert plan_sizes(3, 2) == [1, 1, 2]


def test_the_same_folder_gives_the_same_corpus(tmp_path: Path) -> None:
    """Two runs write the same bytes, in another place too, and say how many; originals stay as they are."""
    sizes = []
    for name in ("one", "two"):
        documents = folder_of(tmp_path / name / "docs")
        sizes.append(write_corpus(select(documents, 40), Rewriter(documents), tmp_path / name / "made"))
    made = contents(tmp_path / "one" / "made")
    assert made == contents(tmp_path / "two" / "made")
    assert sizes[0] == sizes[1] == sum(map(len, made.values()))
    assert len(made) == 40
    for path, data in contents(tmp_path / "one" / "docs").items():
        assert made[f"copy-000/{path}"] == data


def test_a_small_corpus_is_a_part_of_a_large_one(tmp_path: Path) -> None:
    """What is chosen for a size is chosen for every larger one; what is no text, or empty, is taken once."""
    documents = [*folder_of(tmp_path / "docs"), Document("empty.md", tmp_path / "empty.md", 0)]
    large = [(copy, document.path) for copy, document in select(documents, 60)]
    assert [(copy, document.path) for copy, document in select(documents, 7)] == large[:7]
    assert [copy for copy, path in large if path in ("picture.pdf", "empty.md")] == [0, 0]
    assert [path for _, path in large[:5]] != sorted(path for _, path in large[:5])


def test_documents_without_text_end_the_choice(tmp_path: Path) -> None:
    """Where nothing can be copied the corpus stays small instead of growing for ever."""
    picture = Document("a.pdf", tmp_path / "a.pdf", 1)
    assert list(select([picture], 100)) == [(0, picture)]
    assert list(select([], 100)) == []


def test_the_vocabulary_grows_with_the_copies(tmp_path: Path) -> None:
    """Copies bring new words; words that many documents share stay, and so do length, case and all other characters."""
    documents = folder_of(tmp_path / "docs")[:-1]
    rewriter = Rewriter(documents)
    known: set[str] = set()
    grown = []
    for copy in range(4):
        for document in documents:
            text = document.place.read_text(encoding="utf-8")
            altered = rewriter.rewrite(text, copy) if copy else text
            assert len(altered) == len(text)
            assert WORDS.sub("", altered) == WORDS.sub("", text)
            assert [char.isupper() for char in altered] == [char.isupper() for char in text]
            assert altered.count("gateway") == 1
            known.update(word.lower() for word in WORDS.findall(altered))
        grown.append(len(known))
    assert grown[0] < grown[1] < grown[2] < grown[3]


@given(st.text(max_size=200), st.integers(1, 50))
def test_any_text_keeps_its_shape(text: str, copy: int) -> None:
    """Whatever the script: the same length, the same characters in each word, nothing else touched, the same result."""
    rewriter = Rewriter([])
    altered = rewriter.rewrite(text, copy)
    assert altered == Rewriter([]).rewrite(text, copy)
    if all(len(char.upper()) == len(char.lower()) == 1 for char in text):
        assert len(altered) == len(text)
        assert WORDS.sub("", altered) == WORDS.sub("", text)


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    """A copy of a file in another encoding keeps every byte that is no letter."""
    path = tmp_path / "old.txt"
    path.write_bytes(b"caf\xe9 \xff\x00 word")
    document = Document("old.txt", path, 1)
    write_corpus([(1, document)], Rewriter([document]), tmp_path / "made")
    data = (tmp_path / "made" / "copy-001" / "old.txt").read_bytes()
    assert data.startswith(b"caf\xe9 \xff\x00 ")
    assert sorted(data[-4:]) == sorted(b"word")
