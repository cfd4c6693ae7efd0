"""Read and neighbours: exact text, ids, citations, tables, pages."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from drawwell.corpus.operations.address import parse_id
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import ArgumentError, NotFound, Stale, StoreError
from drawwell.model import SectionText
from drawwell.text.budget import estimate_tokens
from tests.corpus.folders import fill, take
from tests.corpus.opened import as_json, foreign_copy, ids, opened


def table_of(first: str, second: str, rows: int) -> str:
    """A pipe table of two columns."""
    head = f"| {first} | {second} |\n|---|---|\n"
    return head + "".join(f"| {first} {n} with some text | {second} {n} with more text |\n" for n in range(rows))


GUIDE = "# Guide\n\n" + "\n".join(
    f"## Step {n}\n\nText of step {n}, which is long enough to stand alone.\n" for n in range(14)
)
FILES = {
    "guide.md": GUIDE,
    "tables.md": "# Tables\n\n## Both\n\n" + table_of("alpha", "beta", 150) + "\n" + table_of("gamma", "delta", 90),
    "front.md": "---\ntitle: Front\ntags: [x]\n---\n# Front\n\nBody text that is long enough to be a section.\n",
    "big.md": "# Big\n\n```text\n" + "".join(f"line {n} of a long listing\n" for n in range(280)) + "```\n",
    "no-front.md": "# None\n\nNo front matter here, only some words of text.\n",
    "a#1 b@c.md": "# Odd\n\nA document whose name holds the signs of an id, long enough.\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """The corpus that the tests read."""
    with opened(tmp_path_factory.mktemp("read") / "docs", FILES) as made:
        yield made


def rehash(connection: sqlite3.Connection) -> None:
    """Make the hashes of a store those of its texts, as the tool that wrote it would have."""
    connection.create_function("sha256", 1, lambda text: hashlib.sha256(text.encode()).hexdigest())
    connection.execute("UPDATE sections SET hash = sha256(text)")


def pages_of(corpus: Corpus, name: str, budget: int, context: int = 0) -> list[SectionText]:
    """All pages of one read."""
    pages = []
    cursor = None
    while True:
        page = corpus.read(name, context=context, max_tokens=budget, cursor=cursor)
        pages.append(page)
        cursor = page.next
        if cursor is None:
            return pages


def test_sections_are_the_source(corpus: Corpus) -> None:
    """The texts of a document in order are its source: nothing is re-rendered, only table headers are repeated."""
    for path in FILES:
        count = sum(1 for chunk in corpus.export_chunks() if chunk["source"] == path)
        parts = [corpus.read(f"{path}#{ordinal}") for ordinal in range(count)]
        front = corpus.read(f"{path}#meta").text if path == "front.md" else ""
        assert front + "".join(part.text[part.repeated :] for part in parts) == FILES[path]


def test_lines_of_the_source(corpus: Corpus) -> None:
    """A section names the lines of the source at which it stands."""
    source = GUIDE.splitlines(keepends=True)
    for ordinal in (0, 5, 13):
        found = corpus.read(f"guide.md#{ordinal}")
        assert found.lines is not None
        first, last = found.lines
        assert "".join(source[first - 1 : last]).strip() == found.text.strip()


def test_nb_01_context_in_numeric_order(corpus: Corpus) -> None:
    """NB-01: context comes in document order, #9 before #11, and the section itself is not repeated in it."""
    found = corpus.read("guide.md#10", context=2)
    assert found.context is not None
    assert [text.id for text in found.context] == [f"guide.md#{n}" for n in (8, 9, 11, 12)]
    assert (found.prev_id, found.next_id) == ("guide.md#9", "guide.md#11")
    assert corpus.read("guide.md#0", context=1).context[0].id == "guide.md#1"  # type: ignore[index]
    assert corpus.read("guide.md#0").context is None


def test_nb_02_neighbours_at_the_edges(corpus: Corpus) -> None:
    """NB-02: at an edge there are fewer sections, and flags say on which side there are more."""
    middle = corpus.neighbours("guide.md#5")
    assert ids(middle) == ["guide.md#4", "guide.md#5", "guide.md#6"]
    assert [text.anchor for text in middle.sections] == [False, True, False]
    assert (middle.more_before, middle.more_after, middle.header) == (True, True, None)
    first = corpus.neighbours("guide.md#0", before=5, after=1)
    assert ids(first) == ["guide.md#0", "guide.md#1"]
    assert (first.more_before, first.more_after) == (False, True)
    last = corpus.neighbours("guide.md#13", before=0, after=5)
    assert ids(last) == ["guide.md#13"]
    assert (last.more_before, last.more_after) == (True, False)


def test_front_matter(corpus: Corpus) -> None:
    """``path#meta`` is the front matter as it stands in the source, with the first sections around it."""
    found = corpus.read("front.md#meta", context=1)
    assert found.text == "---\ntitle: Front\ntags: [x]\n---\n"
    assert (found.kind, found.lines, found.heading_path) == ("metadata", (1, 4), "Front")
    assert [text.id for text in found.context or ()] == ["front.md#0"]
    around = corpus.neighbours(found.cite)
    assert ids(around) == ["front.md#meta", "front.md#0"]
    assert (around.sections[0].anchor, around.more_before, around.more_after) == (True, False, False)
    assert corpus.neighbours("front.md#meta", after=0).more_after


def test_id_is_split_at_the_last_sign(corpus: Corpus) -> None:
    """FS-02: a path may hold ``#`` and ``@``; ids and citations of it can be read."""
    found = corpus.read("a#1 b@c.md#0")
    assert found.doc == "a#1 b@c.md"
    assert corpus.read(found.cite) == found
    assert parse_id("a#1@x.md#7@ABCDEF012345").path == "a#1@x.md"


@pytest.mark.parametrize("name", ["./guide.md#3", "/guide.md#3"])
def test_id_with_a_prefix(corpus: Corpus, name: str) -> None:
    """What people put in front of a relative path does not hide a section."""
    assert corpus.read(name).id == "guide.md#3"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("guide.md#99", "guide.md#0 to guide.md#13"),
        ("guide.md", "add one of #0 to #13"),
        ("./front.md", "add #0"),
        ("giude.md#0", "guide.md"),
        ("nowhere/at/all.md#0", "Search first"),
        ("no-front.md#meta", "no-front.md#0"),
        ("guide.md#3@000000000000x", "hash"),
    ],
)
def test_unknown_id(corpus: Corpus, name: str, says: str) -> None:
    """An id that does not exist is an error that names what does."""
    with pytest.raises((NotFound, ArgumentError)) as caught:
        corpus.read(name)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "name", ["", "guide.md", "#3", "guide.md#", "guide.md#x", "guide.md#-1", 7, ["a"], None, "\ud800#1"]
)
def test_tl_03_not_an_id(corpus: Corpus, name: object) -> None:
    """TL-03: what is no id is an error that shows what an id looks like."""
    for operation in (corpus.read, corpus.neighbours):
        with pytest.raises(ArgumentError, match=r"id: got .*path#number"):
            operation(name)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"context": 6}, "context: got 6"),
        ({"context": -1}, "context"),
        ({"context": "1"}, "context"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_tl_06_bounds_of_read(corpus: Corpus, arguments: dict[str, object], names: str) -> None:
    """TL-06: out of bounds is an error with the bounds, never another number taken silently."""
    with pytest.raises(ArgumentError, match=names):
        corpus.read("guide.md#1", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [{"before": 6}, {"after": -1}, {"before": True}])
def test_tl_06_bounds_of_neighbours(corpus: Corpus, arguments: dict[str, int]) -> None:
    """TL-06: the same rule for neighbours."""
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        corpus.neighbours("guide.md#1", **arguments)


def test_md_35_parts_have_their_own_header(corpus: Corpus) -> None:
    """MD-35: a part of the second of two tables carries the second's header, and neighbours names its first part."""
    sections = [corpus.read(chunk["id"]) for chunk in corpus.export_chunks() if chunk["source"] == "tables.md"]
    later = [text for text in sections if text.repeated]
    assert len(later) > 3
    for text in later:
        own = "gamma" if "gamma 3" in text.text or "gamma 5" in text.text or "delta" in text.text else "alpha"
        other = "alpha" if own == "gamma" else "gamma"
        assert text.text[: text.repeated].startswith(f"| {own} |")
        assert other not in text.text
        header = corpus.neighbours(text.id).header
        assert header is not None
        assert header.part.startswith("1 of ")
        assert f"| {own} |" in header.text
        assert text.part.split(" of ")[1] == header.part.split(" of ")[1]
    assert corpus.neighbours(sections[0].id).header is None


def test_tables_in_a_store_of_another_tool(corpus: Corpus, tmp_path: Path) -> None:
    """In a store without our tables the header that a part lacks is taken from its own table only, and marked."""
    assert corpus.root is not None
    store = foreign_copy(corpus.root, tmp_path / "foreign.sqlite")
    header = "| alpha | beta |\n|---|---|\n"
    with closing(sqlite3.connect(store)) as connection:
        changed = connection.execute(
            "UPDATE sections SET text = substr(text, ?) WHERE kind = 'table' AND text LIKE ? AND ordinal > 1",
            (len(header) + 1, f"{header}%"),
        ).rowcount
        connection.execute(
            "UPDATE sections SET text = '| one |' || char(10) WHERE ordinal = (SELECT max(ordinal) FROM sections"
            " WHERE id LIKE 'tables.md#%' ) AND id LIKE 'tables.md#%'"
        )
        rehash(connection)
        connection.commit()
    assert changed > 1  # the part that keeps its header is the second
    with Corpus(Store.open(store)) as foreign:
        sections = [foreign.read(chunk["id"]) for chunk in foreign.export_chunks() if chunk["source"] == "tables.md"]
        parts = [text for text in sections if "alpha 100 " in text.text or "alpha 140 " in text.text]
        assert len(parts) == 2
        assert all(text.text.startswith(header) and text.repeated == len(header) for text in parts)
        assert sections[-1].text == "| one |\n"  # other columns: not that table
        gamma = [text for text in sections if text.text.startswith("| gamma |")]
        assert foreign.neighbours(gamma[-1].id).header.id == gamma[0].id  # type: ignore[union-attr]
        assert foreign.neighbours(gamma[0].id).header is None
        assert sections[0].lines is None


def test_citation_of_the_text_that_is_there(corpus: Corpus) -> None:
    """A citation reads the text that it was made for, in either case of its digits."""
    found = corpus.read("guide.md#4")
    path, digits = found.cite.split("@")
    assert corpus.read(f"{path}@{digits.upper()}") == found
    assert corpus.neighbours(found.cite).sections[1].id == found.id


def test_stale_citation_names_the_new_place(tmp_path: Path) -> None:
    """After an edit a citation never gives another text: it is refused, and the text's new place is named."""
    root = tmp_path / "docs"
    with opened(root, FILES) as corpus:
        cited = [corpus.read(f"guide.md#{n}") for n in range(14)]
        edited = GUIDE.replace(
            "## Step 3", "## New step\n\nSome new text that shifts everything after it.\n\n## Step 3"
        )
        fill(root, {"guide.md": edited.replace("Text of step 9,", "Changed text of step 9,")})
        take(root, workers=1)
        for number, before in enumerate(cited):
            if number < 3:
                assert corpus.read(before.cite).text == before.text
                continue
            with pytest.raises(Stale) as caught:
                corpus.read(before.cite)
            if number == 9:
                assert caught.value.moved_to == ()
                assert "search again" in caught.value.suggestion
            else:
                assert caught.value.moved_to == (f"guide.md#{number + 1}",)
                assert corpus.read(caught.value.moved_to[0]).text == before.text


def test_stale_citation_of_a_document_that_is_gone(tmp_path: Path) -> None:
    """A text that stands in another document now is found there; one that stands nowhere is not found."""
    root = tmp_path / "docs"
    with opened(root, FILES) as corpus:
        cited = corpus.read("no-front.md#0")
        (root / "no-front.md").unlink()
        take(root, workers=1)
        with pytest.raises(NotFound):
            corpus.read(cited.cite)
        fill(root, {"copy.md": "# Copy\n\nIntroduction of another document, long enough.\n\n" + cited.text})
        take(root, workers=1)
        with pytest.raises(Stale) as caught:
            corpus.read(cited.cite)
        assert caught.value.moved_to == ("copy.md#1",)


def test_fs_22_moved_document(tmp_path: Path) -> None:
    """FS-22: after a rename an old id still reads the document, which answers under its new name."""
    root = tmp_path / "docs"
    with opened(root, FILES) as corpus:
        before = corpus.read("guide.md#2")
        (root / "guide.md").rename(root / "handbook.md")
        take(root, workers=1)
        assert corpus.read("guide.md#2").id == "handbook.md#2"
        assert {hit.doc for hit in corpus.search("step", within=["guide.md"]).hits} == {"handbook.md"}
        assert corpus.read(before.cite).text == before.text


@pytest.mark.parametrize("budget", [200, 333, 1000])
def test_tl_09_long_text_in_pieces(corpus: Corpus, budget: int) -> None:
    """TL-09: a text larger than the budget comes in numbered pieces, cut at lines, that together are the text."""
    whole = corpus.read("big.md#0")
    pages = pages_of(corpus, "big.md#0", budget)
    assert "".join(page.text for page in pages) == whole.text
    assert len(pages) > 1
    for number, page in enumerate(pages, 1):
        assert estimate_tokens(as_json(page)) <= budget
        assert page.part == f"{number} of {len(pages)}"
        assert page.text.endswith("\n")
        assert page.cite == whole.cite
        assert page.lines is not None
    spans = [page.lines for page in pages if page.lines]
    assert spans[0][0] == 1
    assert all(left[1] + 1 == right[0] for left, right in pairwise(spans))


def test_tl_09_one_endless_line(tmp_path: Path) -> None:
    """TL-09: a section of one line is cut between characters, and can be read to its end."""
    line = "状態" * 3500
    with opened(tmp_path / "docs", {"a.md": f"# A\n\n```\n{line}\n```\n"}) as corpus:
        chunks = [chunk["id"] for chunk in corpus.export_chunks()]
        texts = ["".join(page.text for page in pages_of(corpus, name, 300)) for name in chunks]
        assert "".join(texts) == f"# A\n\n```\n{line}\n```\n"
        assert all(len(pages_of(corpus, name, 300)) > 3 for name in chunks if len(corpus.read(name).text) > 1500)


def test_context_in_pages(corpus: Corpus) -> None:
    """Context that does not fit comes on later pages; every section comes once and whole."""
    whole = corpus.read("guide.md#6", context=5)
    expected = [whole.id, *(text.id for text in whole.context or ())]
    pages = pages_of(corpus, "guide.md#6", 200, context=5)
    assert len(pages) > 1
    seen = [name for page in pages for name in (page.id, *(text.id for text in page.context or ()))]
    assert seen == expected
    assert all(estimate_tokens(as_json(page)) <= 200 for page in pages)
    assert all(page.part == "" for page in pages)
    assert pages[0].text == whole.text


def test_neighbours_in_pages(corpus: Corpus) -> None:
    """Neighbours come in document order over as many pages as the budget makes, the table's header on the first."""
    table_part = next(chunk["id"] for chunk in corpus.export_chunks() if "gamma 70" in chunk["text"])
    for name, budget in (("guide.md#6", 250), (table_part, 700)):
        whole = corpus.neighbours(name, before=5, after=5)
        texts: dict[str, str] = {}
        headers = []
        cursor = None
        while True:
            page = corpus.neighbours(name, before=5, after=5, max_tokens=budget, cursor=cursor)
            headers.append(page.header)
            assert estimate_tokens(as_json(page)) <= budget
            for text in page.sections:
                texts[text.id] = texts.get(text.id, "") + text.text
            cursor = page.next
            if cursor is None:
                break
        assert texts == {text.id: text.text for text in whole.sections}
        assert len(headers) > 1
        assert (headers[0] is None) == (whole.header is None)
        assert headers[1:] == [None] * (len(headers) - 1)


def test_header_larger_than_the_budget(corpus: Corpus) -> None:
    """A header that takes too much of a small budget is cut, and says so."""
    table_part = next(chunk["id"] for chunk in corpus.export_chunks() if "gamma 70" in chunk["text"])
    header = corpus.neighbours(table_part, max_tokens=200).header
    assert header is not None
    assert "piece 1 of" in header.part
    assert header.text.count("\n") >= 1


def test_no_budget_no_pages(corpus: Corpus) -> None:
    """Without a budget everything comes at once."""
    assert corpus.read("big.md#0").next is None
    assert corpus.read("big.md#0").part == ""
    assert corpus.neighbours("guide.md#6", before=5, after=5).next is None


def test_damaged_text_is_not_served(tmp_path: Path) -> None:
    """A text in the store that is not the one that was taken in is refused, by citation or not, and around others."""
    text = "# A\n\nThe limit is 45 days, says the policy.\n\n## B\n\nAnother section, which is long enough to stand.\n"
    with opened(tmp_path / "docs", {"a.md": text}) as corpus:
        assert corpus.root is not None
        cite = corpus.read("a.md#0").cite
        with closing(sqlite3.connect(store_path(corpus.root))) as connection:
            connection.execute("UPDATE sections SET text = replace(text, '45', '90') WHERE ordinal = 0")
            connection.commit()
        for name in ("a.md#0", cite):
            with pytest.raises(StoreError, match=r"a\.md#0 .*damaged.*Delete it and ingest"):
                corpus.read(name)
        with pytest.raises(StoreError, match="damaged"):
            corpus.neighbours("a.md#1")
        assert "Another section" in corpus.read("a.md#1").text
