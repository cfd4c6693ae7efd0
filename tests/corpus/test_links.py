"""Links of sections to other documents, resolved when a section is read, and the list items over a section."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.corpus.group import CorpusGroup
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.model import Link
from drawwell.text.budget import estimate_tokens
from tests.corpus.opened import as_json, foreign_copy, opened

BODY = "Some words of text that are long enough to stand alone.\n"
FILES = {
    "guide/start.md": (
        "# Start\n\n[up](../top.md) [same](next.md#second-part) [root](guide/next.md) [folder](../notes/) "
        "[gone](missing.md) [out](../../top.md) [bare](next) [self](start.md) [web](https://x.org/top.md)\n\n"
        "[[Lonely Note]] [[lonely note|alias]] [[twin]] [[a/twin|near]] [[top#Small]] ![[lonely note.md]]\n"
    ),
    "guide/next.md": f"# Next\n\n{BODY}\n## First part\n\n{BODY}\n## Second part {{#second-part}}\n\n{BODY}",
    "top.md": f"# Top\n\n{BODY}\n## Small\n\ntiny\n\n## Smaller\n\ntiny\n",
    "notes/index.md": f"# Notes\n\n{BODY}",
    "notes/Lonely Note.md": f"# Lonely\n\n{BODY}",
    "a/twin.md": f"# Twin\n\n{BODY}",
    "b/twin.md": f"# Twin\n\n{BODY}",
    "many.md": "# Many\n\n" + "".join(f"[document {n}](many/{n}.md) and words\n" for n in range(80)),
    "code.md": "# Code\n\n```\n" + "".join(f"[x](top.md) {n} of a long listing\n" for n in range(400)) + "```\n",
    "list.md": "# List\n\n- outer item\n" + "".join(f"  - inner {n} with quarkwords\n" for n in range(150)),
    **{f"many/{n}.md": f"# Number {n}\n\n{BODY}" for n in range(80)},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """The corpus that the tests read."""
    with opened(tmp_path_factory.mktemp("links") / "docs", FILES) as made:
        yield made


def test_md_26_links_lead_to_documents_and_sections(corpus: Corpus) -> None:
    """MD-26: from the folder, from the root, then by a unique name; each target once, what leads nowhere not."""
    assert [(link.text, link.target) for link in corpus.read("guide/start.md#0").links] == [
        ("up", "top.md"),
        ("same", "guide/next.md#2"),
        ("root", "guide/next.md"),
        ("folder", "notes/index.md"),
        ("Lonely Note", "notes/Lonely Note.md"),
        ("near", "a/twin.md"),
        ("top#Small", "top.md#1"),
    ]


def test_md_26_links_are_bounded_and_paid_for(corpus: Corpus) -> None:
    """MD-26: at most 50 in an answer; under a budget fewer, so that the answer stays within it."""
    assert len(corpus.read("many.md#0", context=5).links) == 50
    around = corpus.read("many.md#0", context=1)
    assert sum(len(section.links) for section in (around, *(around.context or ()))) == 50
    for budget in (300, 600, 2000):
        page = corpus.read("many.md#0", max_tokens=budget)
        assert estimate_tokens(as_json(page)) <= budget
        assert all(f"({link.target})" in page.text for link in page.links)


def test_md_26_later_pages_have_the_links_of_their_piece(corpus: Corpus) -> None:
    """MD-26: a piece of a section lists links that are in it."""
    page = corpus.read("many.md#0", max_tokens=300)
    seen = 0
    while page.next is not None:
        page = corpus.read("many.md#0", max_tokens=300, cursor=page.next)
        assert all(f"({link.target})" in page.text for link in page.links)
        seen += len(page.links)
    assert seen


def test_md_26_no_links_in_code_or_front_matter(corpus: Corpus) -> None:
    """MD-26: what a listing shows is no link, in its later pieces neither."""
    assert [chunk["id"] for chunk in corpus.export_chunks() if chunk["source"] == "code.md"][1:]
    for chunk in corpus.export_chunks():
        if chunk["source"] == "code.md":
            assert corpus.read(chunk["id"]).links == ()


def test_md_26_a_store_of_another_tool_knows_documents_only(corpus: Corpus, tmp_path: Path) -> None:
    """MD-26: without our tables an anchor leads to its document."""
    root = corpus.root
    assert root is not None
    with Corpus(Store.open(foreign_copy(root, tmp_path / "foreign.sqlite"))) as foreign:
        links = foreign.read("guide/start.md#0").links
    assert Link(text="same", target="guide/next.md") in links


def test_md_26_links_of_a_group_name_the_corpus(corpus: Corpus) -> None:
    """MD-26: in a group, what a link leads to can be read as it is given."""
    group = CorpusGroup({"docs": corpus})
    for link in group.read("docs/guide/start.md#0").links:
        assert link.target.startswith("docs/")
        group.read(link.target if "#" in link.target else f"{link.target}#0")


def test_md_36_parents_are_read_and_found(corpus: Corpus) -> None:
    """MD-36: a section that begins inside an item names it beside its text, and a search for its words gives it too."""
    section = corpus.read("list.md#1")
    assert section.parents == ("- outer item",)
    assert "outer" not in section.text
    assert corpus.read("list.md#0").parents == ()
    hits = {hit.id: hit.parents for hit in corpus.search("outer quarkwords", mode="plain").hits}
    assert hits["list.md#1"] == ("- outer item",)
    assert hits["list.md#0"] == ()
