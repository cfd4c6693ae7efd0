"""Search: the passes of format 1.x, filters, pages, bounds, metadata."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import ArgumentError
from drawwell.text.budget import estimate_tokens
from drawwell.text.tokens import plain_tokens
from tests.corpus.folders import fill, take
from tests.corpus.opened import as_json, change_meta, foreign_copy, ids, opened

RAW = [
    "tier1-test", "status: done", "what's up?", "C++", "C#", "ubuntu 20.04", "GB/s", "$prev", "--no-cache",
    '"unbalanced', "retry OR", "AND", "NEAR(", "a AND NOT b", "(paren", "*", "-x", "foo.bar", "a@b.c", "", "   ",
    "nocol:x", "{a b}:c", "path\\to", "%", "a, b", "设备", "gen", "\x00", "\ud800", 'x" OR "y', "id:a", "^start", "a*",
]  # fmt: skip
WORDS = [
    *("cache", "store", "index", "refund", "window", "policy", "limit", "token"),
    *("the", "of", "to", "a", "uv-cache", "retry"),
]


def random_corpus(seed: int = 4) -> dict[str, str]:
    """Documents of few words, so that many sections tie."""
    rng = random.Random(seed)
    files = {}
    for number in range(40):
        parts = [f"# Document {number}"]
        for section in range(rng.randrange(1, 9)):
            words = " ".join(rng.choice(WORDS) for _ in range(rng.choice([6, 12, 40])))
            parts.append(f"## {rng.choice(WORDS)} {section}\n\n{words}, and enough text to stand alone")
        files[f"d{number % 5}/file-{number}.md"] = "\n\n".join(parts) + "\n"
    return files


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A corpus in which many sections tie."""
    with opened(tmp_path_factory.mktemp("search") / "docs", random_corpus()) as made:
        yield made


def reference(store: Path, query: str, limit: int, glob: str = "*") -> list[tuple[str, float]]:
    """The ranking of format 1.x in the words of its description: one statement per pass."""
    tokens = plain_tokens(query)
    quoted = [f'"{token}"' for token in tokens]
    expressions = [f'"{" ".join(tokens)}"', " AND ".join(quoted), " OR ".join(quoted)]
    sql = """
    SELECT s.id, bm25(sections_fts, 0.0, 2.0, 1.0) AS score FROM sections_fts f JOIN sections s ON s.id = f.id
    JOIN documents d ON d.doc_id = s.doc_id WHERE sections_fts MATCH ? AND d.path GLOB ? ORDER BY score, s.id LIMIT ?
    """
    found: dict[str, float] = {}
    with closing(sqlite3.connect(store)) as connection:
        for expression in (expressions if len(tokens) > 1 else expressions[2:]) if tokens else []:
            for name, score in connection.execute(sql, (expression, glob, limit)):
                if len(found) < limit:
                    found.setdefault(name, round(-score, 2))
    return list(found.items())


@pytest.mark.parametrize("glob", ["*", "d1/*", "*-1?.md"])
@pytest.mark.parametrize("limit", [1, 7, 50])
def test_plain_is_the_ranking_of_the_format(corpus: Corpus, limit: int, glob: str) -> None:
    """Three passes, BM25 with the heading twice, ties by id as text: the same ids, order and scores, ties included."""
    rng = random.Random(9)
    for _ in range(60):
        query = " ".join(rng.choice(WORDS) for _ in range(rng.choice([1, 1, 2, 3, 5])))
        found = corpus.search(query, limit=limit, mode="plain", within=[glob] if glob != "*" else [])
        expected = reference(corpus.store.path, query, limit, glob)
        assert [(hit.id, hit.score) for hit in found.hits] == expected, query


def test_ties_wider_than_the_margin(tmp_path: Path) -> None:
    """Where very many sections tie, the ids as text decide, wherever the limit falls."""
    files = {f"n{number}.md": "# Same\n\nexactly the same text in every document\n" for number in range(120)}
    with opened(tmp_path / "docs", files) as corpus:
        everything = sorted(f"n{number}.md#0" for number in range(120))
        for limit in (1, 10, 50):
            assert ids(corpus.search("same text", limit=limit)) == everything[:limit]
        assert ids(corpus.search("same", within=["n1*"], limit=50)) == [name for name in everything if name[1] == "1"]


def test_store_of_another_tool(corpus: Corpus, tmp_path: Path) -> None:
    """A store without our tables gives the same answers, filters included; what it does not know is left out."""
    assert corpus.root is not None
    with Corpus(Store.open(foreign_copy(corpus.root, tmp_path / "foreign.sqlite"))) as foreign:
        for query in ("cache", "refund window", "the policy of limit"):
            for within in ([], ["d1"], ["d2/*", "d3/file-3.md"]):
                assert ids(foreign.search(query, within=within)) == ids(
                    corpus.search(query, within=within, mode="plain")
                )
        assert foreign.search("cache", mode="hybrid").hits


@pytest.mark.timeout(10)
@pytest.mark.parametrize("query", RAW)
@pytest.mark.parametrize("mode", ["plain", "lexical"])
def test_raw_queries(corpus: Corpus, query: str, mode: str) -> None:
    """Nothing that a user types is query syntax: every string gives hits or an empty list."""
    found = corpus.search(query, mode=mode)
    assert found.hits or found.hint


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "query", ["cache " * 1500, "cache" * 1800, " ".join(f"w{number}" for number in range(2000)), "_" * 9000]
)
def test_sr_17_endless_queries(corpus: Corpus, query: str) -> None:
    """SR-17: a query of thousands of characters is bounded, and the answer says what was left out."""
    found = corpus.search(query)
    assert found.hint is not None
    assert "first 2000 characters" in found.hint


def test_repeated_words_count(corpus: Corpus) -> None:
    """Within the bound a repeated word weighs more, as in the format; beyond it each word counts once."""
    once, twice = (
        corpus.search(query, limit=50, mode="plain") for query in ("cache refund", "cache cache cache refund")
    )
    assert {hit.id: hit.score for hit in once.hits} != {hit.id: hit.score for hit in twice.hits}
    many = corpus.search("cache refund " * 20, mode="plain")
    assert "each word counted once" in (many.hint or "")
    assert many.hits[0].id in ids(once)


def test_no_words(corpus: Corpus) -> None:
    """A query without words says so and points to grep."""
    found = corpus.search("*** --")
    assert found.hits == ()
    assert "grep" in (found.hint or "")


def test_no_hits(corpus: Corpus) -> None:
    """Nothing found is an empty list with advice."""
    assert "no section holds" in (corpus.search("xylophone").hint or "")


def test_no_hits_with_files_missing(tmp_path: Path) -> None:
    """When nothing was found and files were not taken in, or are out of date, the hint says how many and what to do."""
    root = tmp_path / "docs"
    files = {"a.md": "# A\n\nText about turbines.\n", "b.md": b"\x00\x01\x02" * 500, "c.md": "# C\n\nMore text.\n"}
    with opened(root, files) as corpus:
        why = "1 file was skipped: the user can see which with drawwell status"
        for answer in (
            corpus.search("xylophone"),
            corpus.grep("xylophone"),
            corpus.search("xylophone", within=["c.md"]),
        ):
            assert (answer.hint or "").endswith(why)
        assert corpus.search("turbines").hint is None
        assert "skipped" not in (corpus.search("***").hint or "")
        with closing(sqlite3.connect(store_path(root))) as connection:
            connection.execute("UPDATE drawwell_documents SET stale = 'unreadable'")
            connection.commit()
        assert "1 file was skipped and 2 documents are out of date:" in (corpus.search("xylophone").hint or "")


def test_no_hits_in_the_documents_named(tmp_path: Path) -> None:
    """When the documents that a filter names hold none of the words, the hint says so, and whether others do."""
    files = {
        "a.md": "# A\n\nText about turbines.\n",
        "b.md": "# B\n\nText about valves.\n",
        "c.md": "---\nowner: Zoe\n---\n# C\n\nText.\n",
    }
    with opened(tmp_path / "docs", files) as corpus:
        assert (corpus.search("turbines", within=["b.md", "c.md"]).hint or "").startswith(
            "no section of the 2 documents that `in` names holds any of these words, but other documents do: search"
        )
        assert "the document that `in` names" in (corpus.search("zoe", within=["b.md"]).hint or "")
        assert "but other documents do" in (corpus.search("zoe", within=["b.md"]).hint or "")
        assert "nor does any other: try" in (corpus.search("zoe", within=["b.md"], mode="plain").hint or "")
        assert "nor does any other: try" in (corpus.search("xylophone", within=["b.md"]).hint or "")
        assert corpus.search("zoe", within=["c.md"]).hint is None


def test_sr_20_filter_comes_first(corpus: Corpus) -> None:
    """SR-20: the filter is applied before the limit, so a narrow one still finds what is in it."""
    assert corpus.root is not None
    one = next(path for path in random_corpus() if corpus.grep("cache", within=[path]).matches)
    found = corpus.search("cache", within=[one], limit=1)
    assert found.hits[0].doc == one


def test_filter_without_documents(corpus: Corpus) -> None:
    """A filter that matches nothing is named, with the nearest paths."""
    found = corpus.search("cache", within=["d1/file-999.md"])
    assert found.hits == ()
    assert "matches 0 documents; nearest: d1/file-" in (found.hint or "")


def test_modes(corpus: Corpus) -> None:
    """Every mode answers and says what ran; only the one that asked for vectors is told that there are none."""
    for mode in ("plain", "lexical", "auto"):
        found = corpus.search("cache", mode=mode)
        assert (found.mode, found.hint) == ("plain" if mode == "plain" else "lexical", None)
    assert "vectors" in (corpus.search("cache", mode="hybrid").hint or "")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"query": 5}, "query"),
        ({"query": None}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit: got 51, takes a whole number from 1 to 50"),
        ({"limit": "abc"}, "limit"),
        ({"limit": True}, "limit"),
        ({"mode": "zzz"}, "mode: got 'zzz', takes one of auto, lexical"),
        ({"within": 7}, "within"),
        ({"max_tokens": 10}, "max_tokens"),
        ({"cursor": "nonsense"}, "cursor"),
    ],
)
def test_tl_03_tl_06_wrong_arguments(corpus: Corpus, arguments: dict[str, object], names: str) -> None:
    """TL-03 to TL-06: a wrong argument is an error that names it, what it got and what it takes; nothing is clamped."""
    with pytest.raises(ArgumentError) as caught:
        corpus.search(**{"query": "cache", **arguments})  # type: ignore[arg-type]
    assert names in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"limit": 0}, "The nearest is 1"),
        ({"limit": 51}, "The nearest is 50"),
        ({"limit": "abc"}, "Give a number, such as 1"),
        ({"mode": "lexicl"}, "Did you mean lexical?"),
        ({"mode": "zzz"}, "Leave it out for auto"),
    ],
)
def test_wrong_arguments_say_what_to_do(corpus: Corpus, arguments: dict[str, object], advice: str) -> None:
    """A wrong number or mode comes with the nearest that is right."""
    with pytest.raises(ArgumentError) as caught:
        corpus.search("cache", **arguments)  # type: ignore[arg-type]
    assert caught.value.suggestion == advice


@pytest.mark.parametrize("budget", [None, 400])
def test_pages(corpus: Corpus, budget: int | None) -> None:
    """Page by page the same hits come as in one list, none twice, each page within its budget."""
    everything = [name for name, _ in reference(corpus.store.path, "refund window the", 10_000)]
    seen: list[str] = []
    cursor = None
    while True:
        page = corpus.search("refund window the", limit=6, cursor=cursor, max_tokens=budget, mode="plain")
        assert page.hits
        assert budget is None or sum(estimate_tokens(as_json(hit)) for hit in page.hits) <= budget
        seen += ids(page)
        cursor = page.next
        if cursor is None:
            break
    assert seen == everything
    assert len(everything) > 60


def test_cursor_after_a_change(tmp_path: Path) -> None:
    """A cursor from before an ingest that changed something is refused, saying to start again."""
    root = tmp_path / "docs"
    with opened(root, random_corpus()) as corpus:
        cursor = corpus.search("cache", limit=2).next
        fill(root, {"new.md": "# New\n\nA new document about the cache, long enough.\n"})
        take(root, workers=1)
        with pytest.raises(ArgumentError, match="start again"):
            corpus.search("cache", limit=2, cursor=cursor)
        assert "new.md#0" in ids(corpus.search("new document"))


def test_hit_says_where_it_is(corpus: Corpus) -> None:
    """A hit has all that is needed to choose and to cite it, and no text but a snippet."""
    hit = corpus.search("refund", limit=1).hits[0]
    text = corpus.read(hit.id)
    assert hit.cite == text.cite
    assert hit.cite.startswith(f"{hit.id}@")
    assert (hit.doc, hit.heading_path, hit.kind) == (text.doc, text.heading_path, text.kind)
    assert "refund" in hit.snippet


def test_heading_counts_twice(tmp_path: Path) -> None:
    """A word in a heading ranks above the same word in a text."""
    files = {
        "a.md": "# A\n\nSome words about the turbine and other things here.\n",
        "b.md": "# Turbine\n\nSome words about nothing and other things here.\n",
    }
    with opened(tmp_path / "docs", files) as corpus:
        assert ids(corpus.search("turbine")) == ["b.md#0", "a.md#0"]


def test_md_30_covered_heading_is_weighted(tmp_path: Path) -> None:
    """MD-30: the heading of a small section that was merged into another is found as a heading, and named."""
    files = {
        "faq.md": "# FAQ\n\n## Turbine\n\nYes.\n\n## Boiler\n\nNo.\n\n## Valve\n\nMaybe.\n",
        "other.md": "# Other\n\nThe turbine is mentioned in this longer text about other things.\n",
    }
    with opened(tmp_path / "docs", files) as corpus:
        first = corpus.search("turbine").hits[0]
        assert first.doc == "faq.md"
        assert "Turbine" in (*first.covers, first.heading_path)


def test_md_16_metadata(tmp_path: Path) -> None:
    """MD-16: a document of front matter alone is found by its words, after the sections, and only outside plain."""
    files = {
        "redirect.md": "---\ntitle: Zeppelin\ndescription: the airship page moved\n---\n",
        "text.md": "# Text\n\nA zeppelin flies over the town in this story.\n",
    }
    with opened(tmp_path / "docs", files) as corpus:
        found = corpus.search("zeppelin")
        assert ids(found) == ["text.md#0", "redirect.md#meta"]
        hit = found.hits[1]
        assert (hit.kind, hit.doc, hit.heading_path) == ("metadata", "redirect.md", "Zeppelin")
        assert "airship" in hit.snippet
        assert corpus.read(hit.cite).text == files["redirect.md"]
        assert ids(corpus.search("zeppelin", mode="plain")) == ["text.md#0"]
        assert ids(corpus.search("airship", within=["text.md"])) == []
        page = corpus.search("zeppelin", limit=1)
        assert ids(corpus.search("zeppelin", limit=1, cursor=page.next)) == ["redirect.md#meta"]


def test_store_that_is_being_built(tmp_path: Path) -> None:
    """While the first ingest runs, what is there is found, and the answer says that more may come."""
    root = tmp_path / "docs"
    with opened(root, {"a.md": "# A\n\nSome text about the turbine, long enough.\n"}) as corpus:
        change_meta(root, drawwell_state="building")
        for answer in (corpus.search("turbine"), corpus.grep("turbine")):
            assert ids(answer) == ["a.md#0"]
            assert "first ingest is not complete: 1 document so far" in (answer.hint or "")
        first = corpus.index().text.splitlines()[0]
        assert first.startswith("drawwell index · incomplete: 1 document so far, the first ingest has not ended")
        assert corpus.map(1500).startswith("incomplete: 1 document so far")
        assert "first ingest is not complete" in corpus.index("a").text
        assert corpus.status().state == "building"


def test_empty_store(tmp_path: Path) -> None:
    """A store without documents answers everything and says that it is empty."""
    root = tmp_path / "docs"
    with opened(root, {"a.md": "# A\n\nSome text, long enough to be a section.\n"}) as corpus:
        (root / "a.md").write_text("", encoding="utf-8")
        take(root, workers=1, prune=True)
        assert corpus.search("text").hits == ()
        assert "holds no documents" in (corpus.search("text").hint or "")
        assert "holds no documents" in (corpus.grep("text").hint or "")
        assert "0 documents" in corpus.index().text
        assert corpus.map(500).startswith("0 documents")


def test_threads_share_a_corpus(corpus: Corpus) -> None:
    """Many threads get the answers that one gets."""
    expected = ids(corpus.search("refund window"))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ids(corpus.search("refund window")), range(80)))
    assert answers == [expected] * 80


@pytest.mark.parametrize("budget", [200, 250, 300, 400])
def test_whole_answer_within_the_budget(tmp_path: Path, budget: int) -> None:
    """An answer keeps its budget as it is sent: hits, mode, hint and cursor together."""
    files = {f"d{n}.md": f"# Doc {n}\n\nThe turbine number {n} turns and turns for ever.\n" for n in range(60)}
    with opened(tmp_path / "docs", files) as corpus:
        for arguments in ({}, {"within": ["*.md", "nowhere"]}, {"mode": "hybrid"}):
            found = corpus.search("turbine", limit=50, max_tokens=budget, **arguments)  # type: ignore[arg-type]
            assert found.next
            assert estimate_tokens(as_json(found)) <= budget
