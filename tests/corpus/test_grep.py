"""Grep over a corpus: order, counts, filters, pages, bounds on time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.grep import GrepQuery, grep
from drawwell.corpus.operations.view import Views
from drawwell.corpus.store.handle import Store
from drawwell.errors import ArgumentError
from drawwell.text.budget import estimate_tokens
from tests.corpus.opened import as_json, foreign_copy, ids, opened

STEPS = "# Steps\n\n" + "\n".join(
    f"## Step {n}\n\nDo TX-44{n:02} then wait.\n\nRetry once.\n\nretry TX-44{n:02} twice.\n" for n in range(12)
)
ROWS = "".join(f"| part {n} made of steel | code-{n} in the long list |\n" for n in range(120))
FILES = {
    "steps.md": STEPS,
    "b/table.md": f"# Table\n\n| piece | number |\n|---|---|\n{ROWS}",
    "a.md": "---\nowner: Zoë\ncode: TX-4400\n---\n# A\r\n\r\nL'École est près d'ici.\r\nПривет, МИР: 21 °C.\r\n",
    "meta.md": "---\ntitle: Only\nowner: zoë\n---\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """The corpus that the tests search through."""
    with opened(tmp_path_factory.mktemp("grep") / "docs", FILES) as made:
        yield made


def test_gr_05_document_order(corpus: Corpus) -> None:
    """GR-05: matches come in order of path and section number, #2 before #10, front matter first."""
    found = corpus.grep("tx-44", limit=100)
    assert ids(found) == ["a.md#meta", *(f"steps.md#{n}" for n in range(12))]
    assert (found.truncated, found.next, found.hint) == (False, None, None)


def test_gr_06_count_line_and_lines(corpus: Corpus) -> None:
    """GR-06: a match has its first line and the count; all lines, with their numbers in the source, on request."""
    match = corpus.grep("retry", within=["steps.md"], limit=1).matches[0]
    assert (match.id, match.line, match.count, match.lines) == ("steps.md#0", "Retry once.", 2, ())
    source = STEPS.splitlines()
    for match in corpus.grep("retry", within=["steps.md"], lines=True).matches:
        assert match.count == len(match.lines) == 2
        for line in match.lines:
            assert line.number is not None
            assert source[line.number - 1] == line.text
        assert match.line_number == match.lines[0].number


@pytest.mark.parametrize("pattern", ["École", "école", "мир", "ПРИВЕТ", "°c"])
def test_gr_03_every_script(corpus: Corpus, pattern: str) -> None:
    """GR-03: text of every script is found whatever its case, by a literal and by a regular expression."""
    for regex in (False, True):
        assert ids(corpus.grep(pattern, regex=regex)) == ["a.md#0"]


def test_front_matter_is_greppable(corpus: Corpus) -> None:
    """Front matter is found in its place, with the lines of the source, also where there is nothing else."""
    found = corpus.grep("zoë", lines=True)
    assert ids(found) == ["a.md#meta", "meta.md#meta"]
    assert [match.line_number for match in found.matches] == [2, 3]
    assert corpus.read(found.matches[1].cite).text.endswith("zoë\n---\n")


def test_line_numbers_after_front_matter(corpus: Corpus) -> None:
    """Line numbers count from the file's first line, and a carriage return is no part of a line."""
    match = corpus.grep("École").matches[0]
    assert (match.line_number, match.line) == (7, "L'École est près d'ici.")


def test_repeated_header_is_found_once(corpus: Corpus) -> None:
    """A table header is found where it stands, not in every part of the table that repeats it."""
    assert corpus.read("b/table.md#2").text.startswith("| piece | number |")
    found = corpus.grep("piece")
    assert ids(found) == ["b/table.md#0"]
    last = corpus.grep("code-119 ").matches[0]
    assert last.line_number == 5 + 119


def test_store_of_another_tool(corpus: Corpus, tmp_path: Path) -> None:
    """In a store without our tables the sections are found too; lines have no number there."""
    assert corpus.root is not None
    with Corpus(Store.open(foreign_copy(corpus.root, tmp_path / "foreign.sqlite"))) as foreign:
        found = foreign.grep("tx-44", limit=100, lines=True)
        assert ids(found) == [f"steps.md#{n}" for n in range(12)]
        assert found.matches[0].line_number is None
        assert found.matches[0].lines[0].number is None


@pytest.mark.parametrize(
    ("within", "count"), [(["steps.md"], 12), (["a.md"], 1), (["b"], 0), (["*.md"], 13), (["STEPS.md"], 12)]
)
def test_filter(corpus: Corpus, within: list[str], count: int) -> None:
    """Only what the filter selects is looked at."""
    assert len(corpus.grep("TX-44", within=within, limit=100).matches) == count


def test_gr_07_filter_comes_first(corpus: Corpus) -> None:
    """GR-07: with a filter no other document's text is read."""
    seen: list[str] = []
    views = Views(corpus.store)
    with views.look() as look:
        look.connection.set_trace_callback(seen.append)
        grep(look, GrepQuery(pattern="TX-44", within=["a.md"]))
        look.connection.set_trace_callback(None)
        wanted = look.table.doc_ids[look.table.by_path["a.md"]]
    texts = [sql for sql in seen if "text FROM sections" in sql]
    assert texts
    assert all(f"doc_id = {wanted}" in sql for sql in texts)


def test_tl_10_filter_without_documents(corpus: Corpus) -> None:
    """TL-10: a filter that matches no document is named, with the nearest paths."""
    found = corpus.grep("TX", within=["step.md"])
    assert (found.matches, found.truncated) == ((), False)
    assert "matches 0 documents; nearest: steps.md" in (found.hint or "")


@pytest.mark.parametrize("budget", [None, 300])
@pytest.mark.parametrize("within", [[], ["steps.md", "a.md"]])
def test_pages(corpus: Corpus, budget: int | None, within: list[str]) -> None:
    """Page by page the same matches come as at once, and truncated says that there are more."""
    seen: list[str] = []
    cursor = None
    while True:
        page = corpus.grep("TX-44", limit=5, within=within, cursor=cursor, max_tokens=budget)
        seen += ids(page)
        assert page.truncated == (page.next is not None)
        assert budget is None or sum(estimate_tokens(as_json(match)) for match in page.matches) <= budget
        cursor = page.next
        if cursor is None:
            break
    assert seen == ids(corpus.grep("TX-44", limit=100, within=within))


def test_limit_that_just_fits(corpus: Corpus) -> None:
    """With as many matches as the limit nothing is truncated."""
    assert corpus.grep("TX-4407", limit=1).truncated is False
    assert corpus.grep("TX-44", limit=13).truncated is False
    assert corpus.grep("TX-44", limit=12).truncated is True


def test_lines_larger_than_the_budget(corpus: Corpus) -> None:
    """When the lines of one section alone are too many for the budget, the answer says how many it left out."""
    found = corpus.grep("part", within=["b/table.md"], lines=True, limit=1, max_tokens=300)
    match = found.matches[0]
    assert 0 < len(match.lines) < match.count
    assert f"{len(match.lines)} of {match.count} matching lines" in (found.hint or "")
    assert estimate_tokens(as_json(match)) <= 300


def test_gr_01_time_budget(corpus: Corpus) -> None:
    """GR-01: when the time is over, what was found so far comes with a cursor, and the rest with it."""
    views = Views(corpus.store)
    with views.look() as look:
        stopped = grep(look, GrepQuery(pattern="TX-44", regex=True, seconds=0))
        assert (stopped.matches, stopped.truncated) == ((), True)
        assert "stopped after 0 s at a.md" in (stopped.hint or "")
        rest = grep(look, GrepQuery(pattern="TX-44", regex=True, cursor=stopped.next))
    assert len(rest.matches) == 13


@pytest.mark.timeout(20)
def test_gr_02_catastrophic_patterns(tmp_path: Path) -> None:
    """GR-02: no pattern stops the rest: linear ones answer, others are stopped at their time."""
    files = {
        "a.md": f"# First\n\n{'a' * 1500}!\n",
        "b.md": f"# B\n\n{'x' * 1900}\n",
        "c.md": "# C\n\nxxyxxy and more text here.\n",
    }
    with opened(tmp_path / "docs", files) as unbounded:
        assert unbounded.grep("(a+)+$", regex=True, within=["a.md"]).matches == ()
        corpus = Corpus(unbounded.store, grep_seconds=0.2)
        found = corpus.grep(r"(?=((x+x+)+)\1y)", regex=True)
        assert found.truncated
        assert "b.md" in (found.hint or "")
        assert "literal" in (found.hint or "")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"pattern": ""}, "pattern"),
        ({"pattern": "x" * 201}, "pattern: got .*takes 1 to 200"),
        ({"pattern": None}, "pattern"),
        ({"pattern": "a\nb"}, "single lines"),
        ({"pattern": "(", "regex": True}, "position"),
        ({"regex": "false"}, "regex: got 'false', takes true or false"),
        ({"lines": 1}, "lines"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "from 1 to 100"),
        ({"within": 3}, "within"),
        ({"max_tokens": -1}, "max_tokens"),
    ],
)
def test_tl_05_wrong_arguments(corpus: Corpus, arguments: dict[str, object], names: str) -> None:
    """TL-03 to TL-06: a wrong argument is an error that names it; a word is no boolean."""
    with pytest.raises(ArgumentError, match=names):
        corpus.grep(**{"pattern": "x", **arguments})  # type: ignore[arg-type]


def test_no_match(corpus: Corpus) -> None:
    """Nothing found is an empty list with advice."""
    assert "no line matches" in (corpus.grep("xylophone").hint or "")


def test_substrings(corpus: Corpus) -> None:
    """Parts of words are found, whatever characters they are made of."""
    for pattern in ("4411", "X-4", "c*", "\\d"):
        expected = [f"steps.md#{n}" for n in range(12) if pattern in STEPS.split("## ")[n + 1]]
        assert [name for name in ids(corpus.grep(pattern, limit=100)) if "steps" in name] == expected


def test_gr_01_one_text_that_takes_all_of_the_time(tmp_path: Path) -> None:
    """GR-01: a text on which a pattern uses up the time by itself is named and left out, so that a loop ends."""
    files = {"a.md": f"# A\n\n{'a' * 60}\n", "b.md": "# B\n\naax is here.\n", "c.md": f"# C\n\n{'a' * 60}\n"}
    with opened(tmp_path / "docs", files) as unbounded:
        corpus = Corpus(unbounded.store, grep_seconds=0.1)
        found: list[str] = []
        hints: list[str] = []
        cursor = None
        for _ in range(5):
            page = corpus.grep(r"(a|a)+\1x", regex=True, cursor=cursor)
            found += ids(page)
            hints.append(page.hint or "")
            cursor = page.next
            if cursor is None:
                break
        assert cursor is None
        assert found == ["b.md#0"]
        assert "in a.md#0, which is left out" in hints[0]
        assert any("in c.md#0, which is left out" in hint for hint in hints)


WORDS = " ".join(f"tok{n}" for n in range(1000))


def test_gr_05_text_across_a_cut(tmp_path: Path) -> None:
    """GR-05: a line that is cut into several sections is one line: found across every cut, its start
    only once, and listed for every section in which a match begins."""
    with opened(tmp_path / "docs", {"p.md": f"# P\n\n{WORDS}\nlast tok1000 line\n", "q.md": "# Q\n\nno\n"}) as corpus:
        assert sum(chunk["source"] == "p.md" for chunk in corpus.export_chunks()) > 2
        for regex in (False, True):
            for first in range(998):
                pattern = f"tok{first} tok{first + 1}"
                found = corpus.grep(pattern, regex=regex)
                assert len(found.matches) == 1, pattern
                match = found.matches[0]
                assert (match.count, match.line_number) == (1, 3)
                assert pattern[:6] in corpus.read(match.cite).text
        assert [(m.id, m.count, m.line_number) for m in corpus.grep("^tok", regex=True).matches] == [("p.md#0", 1, 3)]
        holding = [chunk["id"] for chunk in corpus.export_chunks() if "tok" in chunk["text"]]
        for regex in (False, True):
            last = corpus.grep("tok", regex=regex, lines=True)
            assert [match.id for match in last.matches] == holding
            assert [line.number for match in last.matches for line in match.lines] == [3] * len(holding) + [4]


@pytest.mark.parametrize("pattern", ["tok", "tok500 tok", "w1 row", "w\\d+ row"])
def test_pages_across_cuts(tmp_path: Path, pattern: str) -> None:
    """Page by page, sections parted in a line give the same matches as at once, each line once a section."""
    row = " ".join(f"w{n} row" for n in range(400))
    table = "| k | v |\n|---|---|\n" + f"| a | {row} |\n" * 3
    with opened(tmp_path / "docs", {"p.md": f"# P\n\n{WORDS}\n{WORDS}\n", "t.md": f"# T\n\n{table}"}) as corpus:
        whole = corpus.grep(pattern, regex=True, lines=True, limit=100)
        source = {path: (corpus.root / path).read_text().splitlines() for path in ("p.md", "t.md")}  # type: ignore[operator]
        for match in whole.matches:
            for line in match.lines:
                assert line.text.strip("…")[:20] in source[match.doc][(line.number or 0) - 1]
        numbers = [(match.id, line.number) for match in whole.matches for line in match.lines]
        assert len(numbers) == len(set(numbers)) > 0
        seen = []
        cursor = None
        while True:
            page = corpus.grep(pattern, regex=True, lines=True, limit=1, cursor=cursor)
            seen += list(page.matches)
            cursor = page.next
            if cursor is None:
                break
        assert tuple(seen) == whole.matches


@pytest.mark.parametrize("budget", [200, 250, 300, 400, 700])
def test_whole_answer_within_the_budget(corpus: Corpus, budget: int) -> None:
    """An answer keeps its budget as it is sent: matches, lines, hint and cursor together."""
    for arguments in ({}, {"within": ["b/table.md", "nothing"]}, {"within": ["steps.md"]}):
        for pattern in ("retry", "e", "part"):
            found = corpus.grep(pattern, lines=True, max_tokens=budget, **arguments)  # type: ignore[arg-type]
            assert estimate_tokens(as_json(found)) <= budget
