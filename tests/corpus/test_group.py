"""Several corpora as one, over real stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drawwell.corpus.group import CorpusGroup, _renamed, check_name
from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.meaning import SearchModels
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import ArgumentError, NotFound, NotReady, Stale
from tests.corpus.folders import fill, take
from tests.corpus.guests import WordEmbedder

FOLDERS = {
    "docs": {
        "guide.md": "# Guide\n\nHow to ask for a refund. Use TX-44.\n\n"
        "## Second\n\nThe refund form is long and has parts.\n",
        "sub/more.md": "# More\n\nNothing about money, but TX-44 again.\n",
    },
    "handbook": {
        "refunds.md": "---\nowner: Ann\n---\n# Refunds\n\nThe refund window is 30 days.\n\n"
        + "".join(
            f"## Case {number}\n\nrefund case {number} has its own rule and TX-{number}.\n\n" for number in range(60)
        ),
        "policies/a.md": "# Policy A\n\nA refund needs a receipt, says policy A of the house.\n",
    },
    "zoo": {"animals.md": "# Animals\n\nElephants are grey and large, as is well known.\n"},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three ingested folders."""
    top = tmp_path_factory.mktemp("group")
    for name, files in FOLDERS.items():
        for path, text in files.items():
            place = top / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        ingest(top / name, store_path(top / name), IngestOptions(workers=1))
    return {name: top / name for name in FOLDERS}


@pytest.fixture(scope="module")
def members(folders: dict[str, Path]) -> Iterator[dict[str, Corpus]]:
    """The corpora of the folders."""
    members = {name: Corpus(Store.open(store_path(root)), root) for name, root in folders.items()}
    yield members
    for corpus in members.values():
        corpus.close()


@pytest.fixture
def group(members: dict[str, Corpus]) -> CorpusGroup:
    """All of them as one."""
    return CorpusGroup(members)


def pages(ask: Any, field: str) -> list[Any]:
    """All items of all pages."""
    items: list[Any] = []
    cursor = None
    for _ in range(200):
        found = ask(cursor=cursor)
        items.extend(getattr(found, field))
        cursor = found.next
        if cursor is None:
            return items
    raise AssertionError("pages without end")


def test_search_takes_the_highest_score_next(group: CorpusGroup, members: dict[str, Corpus]) -> None:
    """Each corpus's hits keep their order; the next is of the corpus whose next score is highest, ties by name."""
    found = group.search("refund case", limit=50)
    own = {
        name: pages(lambda cursor, one=corpus: one.search("refund case", limit=50, cursor=cursor), "hits")
        for name, corpus in members.items()
    }
    every = pages(lambda cursor: group.search("refund case", limit=50, cursor=cursor), "hits")
    assert every[:50] == list(found.hits)
    for hit in every:
        name = min((name for name in own if own[name]), key=lambda name: (-own[name][0].score, name))
        best = own[name].pop(0)
        assert (hit.id, hit.score, hit.doc) == (f"{name}/{best.id}", best.score, f"{name}/{best.doc}")
    assert {hit.id.partition("/")[0] for hit in every} == {"docs", "handbook"}
    assert found.hits[0].cite.startswith(f"{found.hits[0].id}@")
    assert found.hint is None


def test_every_hit_can_be_read_and_cited(group: CorpusGroup) -> None:
    """Ids and citations of hits, matches and sections lead to the text that they are of."""
    for hit in group.search("refund TX-44", limit=20).hits:
        section = group.read(hit.cite, context=1)
        assert (section.id, section.doc, section.cite) == (hit.id, hit.doc, hit.cite)
        for other in section.context or ():
            assert group.read(other.cite).text == other.text
        for beside in (section.prev_id, section.next_id):
            assert beside is None or group.read(beside).id == beside
    around = group.neighbours("handbook/refunds.md#3", before=2, after=1)
    assert [one.id for one in around.sections] == [f"handbook/refunds.md#{number}" for number in (1, 2, 3, 4)]
    assert [one.anchor for one in around.sections] == [False, False, True, False]
    assert group.read("./handbook/refunds.md#meta").kind == "metadata"


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize("max_tokens", [None, 300])
def test_pages_of_a_search_are_the_whole(group: CorpusGroup, limit: int, max_tokens: int | None) -> None:
    """Whatever the size of pages, they hold every hit once, in one order."""
    whole = [hit.id for hit in pages(lambda cursor: group.search("refund", limit=50, cursor=cursor), "hits")]
    found = pages(lambda cursor: group.search("refund", limit=limit, max_tokens=max_tokens, cursor=cursor), "hits")
    assert [hit.id for hit in found] == whole
    assert len(set(whole)) == len(whole) > 60


@pytest.mark.parametrize("limit", [1, 7, 100])
@pytest.mark.parametrize("max_tokens", [None, 300])
def test_pages_of_a_grep_are_the_whole(
    group: CorpusGroup, members: dict[str, Corpus], limit: int, max_tokens: int | None
) -> None:
    """Matches come corpus by corpus, each in document order, and pages hold every one once."""
    found = pages(lambda cursor: group.grep("TX-", limit=limit, max_tokens=max_tokens, cursor=cursor), "matches")
    own = [f"{name}/{match.id}" for name in sorted(members) for match in members[name].grep("TX-", limit=100).matches]
    assert [match.id for match in found] == own
    assert len(own) > 60


@pytest.mark.parametrize(
    ("within", "documents"),
    [
        (["docs"], {"docs/guide.md"}),
        (["docs/"], {"docs/guide.md"}),
        (["./docs/guide.md"], {"docs/guide.md"}),
        (["Docs/guide.md"], {"docs/guide.md"}),
        (["handbook/policies"], {"handbook/policies/a.md"}),
        (["handbook/policies/*.md", "docs"], {"handbook/policies/a.md", "docs/guide.md"}),
        (["handbook/refunds.md", "handbook/policies/a.md"], {"handbook/refunds.md", "handbook/policies/a.md"}),
        (["*"], {"docs/guide.md", "handbook/refunds.md", "handbook/policies/a.md"}),
        (["*/policies/a.md"], {"handbook/policies/a.md"}),
        (["*.md"], {"docs/guide.md", "handbook/refunds.md", "handbook/policies/a.md"}),
        (["**/a.md"], {"handbook/policies/a.md"}),
        (["[dz]*/guide.md"], {"docs/guide.md"}),
        (["docs", "docs/guide.md"], {"docs/guide.md"}),
    ],
)
def test_filters_begin_with_a_name(group: CorpusGroup, within: list[str], documents: set[str]) -> None:
    """Entries of ``within`` address ``name/...``: a corpus, a folder, a document, or globs of them."""
    hits = pages(lambda cursor: group.search("refund", within=within, limit=50, cursor=cursor), "hits")
    assert {hit.doc for hit in hits} == documents
    assert {match.doc for match in group.grep("refund", within=within, limit=100).matches} == documents


def test_filters_that_select_nothing_say_so(group: CorpusGroup) -> None:
    """TL-10: an entry that is of no corpus, or matches nothing in its corpus, is told of."""
    found = group.search("refund", within=["policies/a.md"])
    assert found.hits == ()
    assert found.hint == "'policies/a.md' is in no corpus: paths begin with docs/, handbook/, zoo/"
    assert "'polices'" in str(group.grep("refund", within=["handbook/polices"]).hint)
    assert group.search("refund", within="docs").hits  # one string is one entry
    for entry in ("", 7):
        with pytest.raises(ArgumentError, match="within"):
            group.search("refund", within=[entry])  # type: ignore[list-item]


def test_weak_hits_of_a_small_folder_stand_below(tmp_path: Path) -> None:
    """A hit of one word in a small folder comes after the hits of a large one that hold more of the query."""
    texts = {
        "large": {
            f"{number}.md": f"# Page {number}\n\n"
            + ("The kestrel valve needs torque." if number < 3 else "Nothing of the kind stands on this page.")
            for number in range(40)
        },
        "small": {"a.md": "# A\n\nA valve.\n", "b.md": "# B\n\nAnother valve.\n"},
    }
    members = {}
    for name, files in texts.items():
        (tmp_path / name).mkdir()
        for path, text in files.items():
            (tmp_path / name / path).write_text(text, encoding="utf-8")
        ingest(tmp_path / name, store_path(tmp_path / name), IngestOptions(workers=1))
        members[name] = Corpus(Store.open(store_path(tmp_path / name)))
    with CorpusGroup(members) as group:
        hits = [hit.id for hit in group.search("kestrel valve torque").hits]
    assert [hit.partition("/")[0] for hit in hits] == ["large"] * 3 + ["small"] * 2


def test_hints_of_a_part_are_named(group: CorpusGroup) -> None:
    """What only the corpora that were searched say is said with their names, even when it is but one."""
    assert str(group.search("elephants", within=["docs"]).hint).startswith("docs: no section holds any")
    hint = str(group.search("elephants", within=["docs/guide.md"]).hint)
    assert hint.startswith("docs: no section of the document that `in` names holds any of these words, nor does any")
    assert str(group.grep("elephants", within=["docs"]).hint).startswith("docs: no line matches")


def test_unfinished_members_are_told(folders: dict[str, Path], members: dict[str, Corpus]) -> None:
    """Index and map of several corpora say first that they are not complete when one of them is not."""
    entries, header = members["docs"].outline()

    class Unfinished(Corpus):
        def outline(self) -> Any:
            return entries, replace(header, building=True, fingerprint="")

    with Unfinished(Store.open(store_path(folders["docs"]))) as docs:
        group = CorpusGroup({"docs": docs, "zoo": members["zoo"]})
        assert group.index().text.startswith("drawwell index · incomplete: 3 documents so far")
        assert "corpus" not in group.index().text.splitlines()[0]
        assert group.map(1500).startswith("incomplete: 3 documents so far")


def test_nothing_found_is_said_once(group: CorpusGroup) -> None:
    """What all corpora say alike is said once, and what only some say is not said when others found something."""
    assert str(group.search("xylophone").hint).count("no section holds any of these words") == 1
    assert group.search("elephants").hint is None
    assert "no line matches" in str(group.grep("xylophone").hint)
    assert group.grep("elephants").hint is None


def test_index_and_map_show_all(group: CorpusGroup) -> None:
    """One index over all corpora, its paths as filters and ids take them; listings and the map likewise."""
    text = group.index().text
    assert "5 documents" in text.splitlines()[0]
    for path in ("docs/guide.md", "docs/sub/more.md", "handbook/policies/a.md", "zoo/animals.md"):
        assert f"\n{path} " in text
        assert f"{path}:" in group.map(1500)
    listing = group.index("handbook/")
    assert listing.mode == "listing"
    assert "handbook/refunds.md" in listing.text
    assert "docs/guide.md" not in listing.text
    assert "paths begin with docs/, handbook/, zoo/" in group.index("nowhere/").text
    small = group.index(max_tokens=200)
    assert small.tokens <= 200
    assert len(group.map(300)) <= 300
    assert {name: status.documents for name, status in group.status().items()} == {"docs": 2, "handbook": 2, "zoo": 1}


@pytest.mark.parametrize("wrong", ["refunds.md#1", "nowhere/refunds.md#1", "docs", "", "#", "docs#1"])
def test_ids_of_no_corpus(group: CorpusGroup, wrong: str) -> None:
    """An id without a name of a corpus is refused, naming those there are."""
    with pytest.raises(NotFound, match="Ids begin with one of docs/, handbook/, zoo/"):
        group.read(wrong)


def test_errors_speak_of_the_group(group: CorpusGroup, folders: dict[str, Path]) -> None:
    """What a corpus says of its own ids is said with its name; a moved text is named where it stands in the group."""
    with pytest.raises(NotFound, match=r"in docs/: there is no section guide.md#99.*put docs/ in front"):
        group.read("docs/guide.md#99")
    with pytest.raises(ArgumentError, match="takes an id"):
        group.read("docs/guide.md#x")
    cite = group.read("zoo/animals.md#0").cite
    place = folders["zoo"] / "animals.md"
    before = place.read_text()
    place.write_text("# New\n\nSomething new stands in front of the rest now, and is long enough.\n\n" + before)
    ingest(folders["zoo"], store_path(folders["zoo"]), IngestOptions(workers=1))
    with pytest.raises(Stale, match=r"It now stands at zoo/animals\.md#1") as caught:
        group.read(cite)
    assert caught.value.moved_to == ("zoo/animals.md#1",)
    assert "elephants" in group.read(caught.value.moved_to[0]).text.casefold()


def test_cursors_are_of_one_call_and_one_content(group: CorpusGroup, members: dict[str, Corpus]) -> None:
    """A cursor of another call, or of other corpora, is refused and says what to do."""
    cursor = group.search("refund", limit=1).next
    assert cursor is not None
    with pytest.raises(ArgumentError, match="Repeat the other arguments"):
        group.search("other", limit=1, cursor=cursor)
    with pytest.raises(ArgumentError, match="start again"):
        CorpusGroup({"docs": members["docs"]}).search("refund", limit=1, cursor=cursor)
    for nonsense in ("x", "/", "1/2", "9" * 400):
        with pytest.raises(ArgumentError, match="cursor"):
            group.grep("refund", cursor=nonsense)


def test_members_that_are_missing(members: dict[str, Corpus]) -> None:
    """A corpus that cannot be read now is told of everywhere, and refused where only it could answer."""
    error = NotReady("The documents are being indexed: 1 of 2", "Try again in a few seconds")
    group = CorpusGroup({"docs": members["docs"]}, {"late": error})
    note = "late/ cannot be read now: The documents are being indexed: 1 of 2"
    assert group.search("refund").hint == note
    assert note in str(group.grep("refund").hint)
    assert note in group.index().text
    assert note in group.index("docs/").text
    assert note in group.map(1000)
    for call in (
        lambda: group.read("late/a.md#1"),
        lambda: group.neighbours("late/a.md#1"),
        lambda: group.search("refund", within=["late"]),
        lambda: group.grep("refund", within=["late/a.md"]),
    ):
        with pytest.raises(NotReady, match="1 of 2"):
            call()


@pytest.mark.parametrize("name", ["", "a/b", "a#b", "*", ".hidden", "-x", "ü", "a" * 65, "a b"])
def test_names_that_cannot_be_used(name: str) -> None:
    """A name that could not be told from the rest of a path is refused."""
    with pytest.raises(ArgumentError, match="name"):
        check_name(name)


def test_closes_its_members(folders: dict[str, Path]) -> None:
    """Leaving the group closes the corpora."""
    with CorpusGroup({"docs": Corpus(Store.open(store_path(folders["docs"])))}) as group:
        assert group.search("refund").hits
    with pytest.raises(Exception, match="closed"):
        group.search("refund")


def test_what_a_refusal_advises_can_be_read() -> None:
    """Every id in it begins with the name, once, though one id may be the beginning of another."""
    places = ("a.md#1", "a.md#10", "b/a.md#1")
    with pytest.raises(Stale) as refusal, _renamed("n"):
        raise Stale("moved", "It now stands at a.md#1 (and at a.md#10, b/a.md#1): read that", places)
    assert refusal.value.suggestion == "It now stands at n/a.md#1 (and at n/a.md#10, n/b/a.md#1): read that"
    with pytest.raises(Stale, match=r"read a\.md#3 for.*put n/ in front"), _renamed("n"):
        raise Stale("gone", "It stands nowhere else: read a.md#3 for what stands there now", ())


def test_running_out_of_time_is_not_an_empty_answer(folders: dict[str, Path]) -> None:
    """A member that had no time says so, whatever it found."""
    with CorpusGroup({"docs": Corpus(Store.open(store_path(folders["docs"])), grep_seconds=-1)}) as group:
        found = group.grep(".", regex=True)
    assert found.truncated
    assert "stopped after" in (found.hint or "")


def _embedded(root: Path, model: WordEmbedder) -> None:
    embed_sections(store_path(root), Embedding(model), EmbeddingReport(model=model.name), lambda done, total: None)


def test_meaning_takes_part_when_every_corpus_has_vectors(tmp_path: Path) -> None:
    """Where one has vectors and the other has none, words decide for both and the hint names it; then both decide."""
    model = WordEmbedder(meanings={"lorry": "truck"})
    roots = {
        "cars": fill(tmp_path / "cars", {"a.md": "# Road\n\nA lorry on the road.\n"}),
        "food": fill(tmp_path / "food", {"b.md": "# Meals\n\nBread, cheese and a truck of wine.\n"}),
    }
    for root in roots.values():
        take(root, workers=1)
    _embedded(roots["cars"], model)
    models = SearchModels(embedder=model)
    opened = {name: Corpus(Store.open(store_path(root)), root, models=models) for name, root in roots.items()}
    with CorpusGroup(opened) as group:
        found = group.search("truck")
        assert (found.mode, found.legs) == ("lexical", ())
        assert [hit.doc for hit in found.hits] == ["food/b.md"]
        assert found.hint == "words alone were searched, since models could not take part in food/"
        _embedded(roots["food"], model)
        found = group.search("truck")
        assert (found.mode, found.legs) == ("hybrid", ("words", "vectors"))
        assert {hit.doc for hit in found.hits[:2]} == {"food/b.md", "cars/a.md"}
        assert found.hint == "cars: no section holds the words of the query: these are the nearest in meaning"
        assert group.search("truck", within=["food", "cars/none.md"]).mode == "hybrid"
